//! Which `]` closes a text in which people have forgotten to escape some.
//!
//! Owns that question, asked about the bytes from the text's `[` on, and what looks without an answer have learnt, so
//! that many of them cost no more than one. In a game whose characters may hide brackets it is asked by byte and by character,
//! as for a text without stray brackets, which is for the look beside it.

use std::ops::ControlFlow;

use memchr::{memchr, memchr_iter, memchr2};

use super::super::charset::Reading;
use super::super::skip::Until;
use super::super::{Engine, Flow, State};
use super::end::End;
use super::passed::Passed;
use super::{About, Found};
use crate::syntax::scan::find_close;
use crate::syntax::{ProblemKind, Visitor, kinds};
use crate::text::white::trim_start;
use crate::text::{
    Charset, EscapeUnit, Follow, Garbled, StepState, Steps, find_node, followed, is_certain_utf_8, is_damaged_property,
    property_behind_junk, property_behind_stray,
};

/// How many `]` of a text may close it because of what comes before them. Later ones are passed in one step, as far as
/// an earlier look has gone without an answer.
pub(super) const TRIES: usize = 4;

/// Bytes of a `;`, white space and an identifier with its `[`; a step may have jumped into the middle of one.
const NODE: usize = 48;

/// Bytes of a text whose brackets are counted. What a far `]` would balance would be counted again for each value before it.
const COUNTED: usize = 4 << 10;

/// How a look goes from one `]` that is not escaped to the next.
#[derive(Clone, Copy, Debug)]
enum Walk {
    /// The next byte may be literal.
    ByByte(bool),
    ByCharacter(Charset, StepState),
}

impl Default for Walk {
    fn default() -> Self {
        Self::ByByte(false)
    }
}

impl Walk {
    fn by_character(charset: Charset) -> Self {
        Self::ByCharacter(charset, StepState::default())
    }

    fn charset(self) -> Option<Charset> {
        match self {
            Self::ByByte(_) => None,
            Self::ByCharacter(charset, _) => Some(charset),
        }
    }

    /// The first `]` that is not escaped, and no half of a character.
    fn close(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::ByByte(escaped) => find_close(bytes, escaped),
            Self::ByCharacter(charset, state) => Steps::of(*charset)?.close(state, bytes),
        }
    }

    /// Whether the next byte is neither escaped nor the rest of a character.
    fn is_between(self) -> bool {
        match self {
            Self::ByByte(escaped) => !escaped,
            Self::ByCharacter(_, state) => state == StepState::default(),
        }
    }

    /// How to go on behind a `]`, and before which of the last bytes: by byte, before a backslash whose character is yet to come.
    fn stand(self) -> (usize, StepState) {
        match self {
            Self::ByByte(escaped) => (usize::from(escaped), StepState::default()),
            Self::ByCharacter(_, state) => (0, state),
        }
    }

    /// Goes on elsewhere in that state.
    fn go_on(&mut self, stand: StepState) {
        match self {
            Self::ByByte(escaped) => *escaped = false,
            Self::ByCharacter(_, state) => *state = stand,
        }
    }
}

/// How far the look has come.
#[derive(Clone, Debug, Default)]
pub(super) struct BracketLook {
    /// The first byte behind the text's `[` that was not looked at.
    scanned: usize,
    walk: Walk,
    /// How many `]` did not close the text, counted up to `TRIES`; the first of them; and where the search went on
    /// behind the last one.
    passed: usize,
    first: Option<usize>,
    left: usize,
    /// The brackets that were counted, `[` and `]`, and how far.
    brackets: [usize; 2],
    counted: usize,
    /// The first of the `]` that did not close the text at which all brackets that it had opened were closed.
    balanced: Option<usize>,
    /// What counts if no `]` closes the text by character.
    rival: Option<Rival>,
}

impl BracketLook {
    /// For a text that certainly has at least `len` bytes.
    pub(super) fn behind(len: usize) -> Self {
        Self { scanned: len, ..Self::default() }
    }

    /// Whether this text, up to a `]` that is not escaped, closes all the brackets that it opens, and no others.
    fn is_balanced(&mut self, text: &[u8], charset: Charset) -> bool {
        if charset.has_trailing_brackets() && !text.is_ascii() {
            // Half of a character may look like a bracket.
            let (text, _) = charset.decode(text);
            let count = |bracket| text.bytes().filter(|&byte| byte == bracket).count();
            return (self.passed..=count(b']')).contains(&count(b'['));
        }
        let more = &text[self.counted..];
        let [opens, closes] = &mut self.brackets;
        *opens += memchr_iter(b'[', more).count();
        *closes += memchr_iter(b']', more).count();
        self.counted = text.len();
        (self.passed..=*closes).contains(opens)
    }

    /// By character, for a text that has the rival's end otherwise.
    fn by_character(charset: Charset, rival: Rival) -> Self {
        Self { walk: Walk::by_character(charset), rival: Some(rival), ..Self::default() }
    }
}

#[derive(Clone, Copy, Debug)]
enum Rival {
    /// What was found by byte.
    Closed(Brackets),
    /// Neither way to read the text without stray brackets makes sense with what follows; by byte it has this many bytes.
    Doubtful(usize),
}

/// The `]` that closes a text, if one does, and the first that does not.
#[derive(Clone, Copy, Debug)]
struct Brackets {
    close: Option<usize>,
    first: Option<usize>,
}

/// What looks without an answer have learnt.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct DeadEnd {
    /// Up to this offset they have found nothing that closes a text; and how they would have gone on.
    end: u64,
    walk: Walk,
    /// Where a node begins that has ended a look, and the first `]` behind that.
    met: (u64, u64),
    /// What closes at the same place as other texts, and by character is no text; by byte, is more than ASCII.
    garbled: Garbled,
    /// Where every `]` is escaped, or half of a character.
    passed: Passed,
}

/// The `]` that closes a text.
enum Close {
    /// The text has that many bytes.
    At(usize),
    /// None of them does.
    Nowhere,
    /// More bytes are needed to know.
    More,
}

impl Engine {
    /// At the `[` of a text that certainly has at least `len` bytes: which `]` closes it?
    pub(super) fn begin_bracket_look_behind(&mut self, resume: State, len: usize) {
        let mut look = BracketLook::behind(len);
        if self.text.by_character && self.text.unit == EscapeUnit::Character {
            look.walk = Walk::by_character(self.text.writing.charset());
        }
        self.begin_look_about(resume, About::Bracket(look));
    }

    /// At the `[` of a text that makes no sense either way unless some brackets in it are text: is it closed by character?
    /// By byte it has `len` bytes.
    pub(super) fn begin_last_look(&mut self, len: usize) {
        let look = BracketLook::by_character(self.text.writing.charset(), Rival::Doubtful(len));
        self.begin_look_about(self.look.resume, About::Bracket(look));
    }

    /// Finds where a text ends: if no `]` closes it, at the first one. That one is reported if another closes it.
    pub(super) fn look_for_bracket<V: Visitor>(
        &mut self,
        mut look: BracketLook,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> Flow<V, bool> {
        let bytes = &view[1..];
        let start = self.offset_at(self.at) + 1;
        let close = match self.find_bracket(&mut look, start, bytes, last) {
            Close::More => {
                self.look.about = About::Bracket(look);
                return ControlFlow::Continue(false);
            }
            Close::At(len) => Some(len),
            Close::Nowhere => None,
        };
        let found = Brackets { close, first: look.first };
        let charset = self.text.writing.charset();
        let is_by_byte = look.rival.is_none() && matches!(look.walk, Walk::ByByte(_)) && self.text.by_character;
        let is_open = is_by_byte && !close.is_some_and(|len| self.is_ascii(look.walk, start, &bytes[..len]));
        if let Some(len) = close
            && (is_open || look.rival.is_some())
        {
            // The text may end before it all the same, and so may the values behind it.
            self.dead_end(look.walk).extend(start + len as u64, look.walk);
        }
        if is_open {
            let look = BracketLook::by_character(charset, Rival::Closed(found));
            self.begin_look_about(self.look.resume, About::Bracket(look));
            return ControlFlow::Continue(true);
        }
        let (found, reading) = match look.rival {
            None => (found, None),
            Some(Rival::Closed(by_byte)) => self.nearer(found, by_byte, start, bytes),
            Some(Rival::Doubtful(len)) => match self.reading_of_doubtful(close, len, start, bytes) {
                Ok(reading) => (found, Some(reading)),
                Err(end) => return self.end_or_look_behind(end, view, last, visitor),
            },
        };
        self.end_at_bracket(found, reading, start, bytes, visitor)
    }

    /// Ends the text that begins at the offset `start` at the `]` that closes it, or else at its first one.
    fn end_at_bracket<V: Visitor>(
        &mut self,
        Brackets { close, first }: Brackets,
        reading: Option<Reading>,
        start: u64,
        bytes: &[u8],
        visitor: &mut V,
    ) -> Flow<V, bool> {
        let len = close.or(first);
        let by_character = self.text.by_character;
        self.end_look(Some(match len {
            Some(len) => Found::End(len, reading.or_else(|| by_character.then(|| self.text.reading(&bytes[..len])))),
            None => Found::Nothing,
        }));
        if len.is_none() {
            self.unrepaired = Some(start - 1);
        }
        if let Some(first) = first
            && close.is_some_and(|close| close > first)
            && self.state == State::Inside
        {
            let mut lines = self.lines.clone();
            lines.advance(&bytes[..first], start);
            let position = lines.position(start + first as u64);
            self.problem_at_byte(ProblemKind::UnescapedBracket, position, visitor)?;
        }
        ControlFlow::Continue(true)
    }

    /// Of two ways to read a text the one that counts, as for other values: the reading that makes sense, and of two the
    /// one that ends first. The other is not examined: it may be far longer.
    fn nearer(
        &mut self,
        by_character: Brackets,
        by_byte: Brackets,
        start: u64,
        bytes: &[u8],
    ) -> (Brackets, Option<Reading>) {
        let is_first = |len: usize| by_character.close.is_none_or(|close| len < close);
        let makes_sense = |len: usize| self.text.reading_as(&bytes[..len], false).makes_sense;
        if !by_byte.close.is_some_and(|len| is_first(len) && makes_sense(len))
            && let Some(reading) = self.reading_by_character(start, bytes, by_character.close)
        {
            return (by_character, Some(reading));
        }
        (by_byte, None)
    }

    /// How a text is read by character that is closed there, though by byte it has `len` bytes; or its end by byte.
    fn reading_of_doubtful(
        &mut self,
        close: Option<usize>,
        len: usize,
        start: u64,
        bytes: &[u8],
    ) -> Result<Reading, End> {
        // If it ends by character before that, it does not matter whether the rest is text by byte.
        let is_first = close.is_some_and(|close| close < len);
        if is_first && let Some(reading) = self.reading_by_character(start, bytes, close) {
            return Ok(reading);
        }
        let charset = self.text.writing.charset();
        let makes_sense = self.unclosed.garbled_by_byte.decodes(charset, start, &bytes[..len]);
        if !is_first
            && !makes_sense
            && let Some(reading) = self.reading_by_character(start, bytes, close)
        {
            return Ok(reading);
        }
        Err(End::by_byte(len, makes_sense))
    }

    /// Whether a text that begins at the offset `start` is ASCII, so that no character hides a bracket in it.
    fn is_ascii(&mut self, walk: Walk, start: u64, text: &[u8]) -> bool {
        let charset = self.text.writing.charset();
        self.dead_end(walk).garbled.decodes(charset, (start, text), b']', <[u8]>::is_ascii)
    }

    /// How a text is read by character that begins at the offset `start` and is closed there, if all of it is text.
    fn reading_by_character(&mut self, start: u64, bytes: &[u8], close: Option<usize>) -> Option<Reading> {
        let text = &bytes[..close?];
        let charset = self.text.writing.charset();
        let known = self.dead_end(Walk::by_character(charset));
        let decodes = known.garbled.decodes(charset, (start, text), b']', |piece| charset.decodes(piece));
        decodes.then(|| self.text.reading_as(text, true))
    }

    /// What looks of that kind have learnt.
    fn dead_end(&mut self, walk: Walk) -> &mut DeadEnd {
        let known = &mut self.dead_ends[usize::from(walk.charset().is_some())];
        if known.walk.charset() != walk.charset() {
            *known = DeadEnd { walk, ..DeadEnd::default() };
        }
        known
    }

    /// The first `]` of a text after which what comes makes sense. If there is none before a node begins, it is the
    /// first that closes what the text has opened. The text begins with `bytes`, at the offset `start`.
    fn find_bracket(&mut self, look: &mut BracketLook, start: u64, bytes: &[u8], last: bool) -> Close {
        let limit = self.config.limits.value;
        loop {
            if look.passed == TRIES {
                let known = self.dead_end(look.walk);
                known.pass(look, start, bytes);
                if known.is_met(look, start, bytes, limit) {
                    return look.balanced.map_or(Close::Nowhere, Close::At);
                }
            }
            let from = look.scanned;
            let close = self.dead_end(look.walk).next_close(&mut look.walk, start, bytes, from);
            // What comes after a longer text may not be in sight, and it would not be delivered.
            let Some(close) = close.filter(|&close| close <= limit) else {
                look.scanned = close.unwrap_or(bytes.len());
                if close.is_none() && !last {
                    return Close::More;
                }
                self.dead_end(look.walk).extend(start + look.scanned as u64, look.walk);
                return Close::Nowhere;
            };
            if close == 0 {
                // The text is empty: nothing was written there, so this is no bracket within text.
                return Close::At(close);
            }
            if look.passed == 0
                && let Walk::ByByte(_) = look.walk
                && let own = self.text.own_len(&bytes[..close])
                && own < close
            {
                return Close::At(own);
            }
            if look.passed > 0
                && let Some(node) = find_node(&bytes[look.left..close])
            {
                // No text continues like that.
                self.sought = self.sought.max(start + close as u64);
                let known = self.dead_end(look.walk);
                known.extend(start + look.left as u64, look.walk);
                known.met = (start + (look.left + node) as u64, start + close as u64);
                return look.balanced.map_or(Close::Nowhere, Close::At);
            }
            let after = &bytes[close + 1..];
            match self.is_end(look, &bytes[..close], after, last) {
                None => {
                    look.scanned = close;
                    return Close::More;
                }
                Some(true) => return Close::At(close),
                Some(false) => {}
            }
            if let [b'(', rest @ ..] = trim_start(after) {
                // At the end of the input, this `]` would close the text.
                self.sought = self.sought.max(start + (bytes.len() - rest.len()) as u64);
            }
            look.first.get_or_insert(close);
            look.passed = TRIES.min(look.passed + 1);
            look.scanned = close + 1;
            look.left = close + 1;
        }
    }

    /// Whether a `]` is the end of the text before it, because of what comes after, or because it is the one that the text
    /// has opened. `None` if more bytes are needed.
    fn is_end(&self, look: &mut BracketLook, text: &[u8], after: &[u8], last: bool) -> Option<bool> {
        let follow = followed(after, last)?;
        if matches!(follow, Follow::Legal | Follow::Property) {
            return Some(true);
        }
        // Skipping knows no charset that is only guessed.
        let charset = if self.text.is_cautious() { self.text.writing.charset() } else { Charset::WINDOWS_1252 };
        if look.passed == TRIES || text.len() > COUNTED || !look.is_balanced(text, charset) {
            return Some(false);
        }
        let is_line = kinds::is_line(self.text.head);
        if is_line && !may_be_cut(text) {
            return Some(true);
        }
        let behind = if is_line {
            property_behind_junk(after, last)?
        } else {
            property_behind_stray(after, last)? || is_damaged_property(after, last)?
        };
        let ends = behind || self.ends_game(after, last)?;
        let is_end = ends || follow == Follow::Tree || is_before_node(after, is_line);
        if !is_end {
            look.balanced.get_or_insert(text.len());
        }
        Some(is_end)
    }

    /// Whether a `]` at which the text has closed all that it opened is its end, although what comes later makes no sense: the
    /// next `)` ends the game, and a line or a file ends with it, or the part of a page that it stands in. This is so if a game
    /// has lost its beginning right behind a healthy one. `None` if more bytes are needed.
    fn ends_game(&self, after: &[u8], last: bool) -> Option<bool> {
        let trees = match self.look.resume {
            State::Skip(Until::GameEnd) => self.skipped.depth + 1,
            State::Skip(Until::TooDeep) => self.depth + self.skipped.depth + 1,
            State::Skip(_) => self.depth + self.skipped.depth,
            _ => self.depth,
        };
        let Some(after) = trim_start(after).strip_prefix(b")").filter(|_| trees == 1) else { return Some(false) };
        let rest = trim_start(after);
        if memchr2(b'\n', b'\r', &after[..after.len() - rest.len()]).is_some() {
            return Some(true);
        }
        if ENDS.iter().any(|end| rest.starts_with(end)) {
            return Some(true);
        }
        let may_be = ENDS.iter().any(|end| end.starts_with(rest));
        (last || !may_be).then_some(false)
    }
}

/// Whether a `]` behind this text may be the second half of a character: in every charset that has such characters, bytes that
/// are not ASCII stand in pairs before it, unless the last of them begins one.
fn may_be_cut(text: &[u8]) -> bool {
    text.iter().rev().take_while(|byte| !byte.is_ascii()).count() % 2 == 1 && !is_certain_utf_8(text)
}

/// What files end with or begin with that were joined, the end of an element of HTML or of a forum's `[sgf]`, and that of a string
/// in JSON or a program.
const ENDS: [&[u8]; 10] = [b"\xEF\xBB\xBF", b"\x1A", b"\0", b"</", b"[/", b"\",", b"\"]", b"\"}", b"\"\n", b"\"\r"];

/// Whether a `;` comes behind a `]`, which closes a text if it is one line by its nature, or if that line ends there:
/// although no property follows, as in a damaged node. Other texts have a `;` behind a bracket that they have not opened, too.
fn is_before_node(after: &[u8], is_line: bool) -> bool {
    let rest = trim_start(after);
    rest.starts_with(b";") && (is_line || memchr2(b'\n', b'\r', &after[..after.len() - rest.len()]).is_some())
}

impl DeadEnd {
    fn extend(&mut self, end: u64, walk: Walk) {
        if end > self.end {
            (self.end, self.walk) = (end, walk);
        }
    }

    /// The next `]` of a text, which begins at the offset `start`, that is not escaped.
    fn next_close(&mut self, walk: &mut Walk, start: u64, bytes: &[u8], from: usize) -> Option<usize> {
        let (mut passed, mut at) = (from.wrapping_sub(1), from);
        // Behind a `]`, it does not matter whether it has closed another text.
        if bytes.get(passed) != Some(&b']') || !walk.is_between() {
            let hidden = memchr(b']', &bytes[from..]).map(|hidden| from + hidden);
            at = hidden.map_or(bytes.len(), |hidden| hidden + 1);
            if let Some(close) = walk.close(&bytes[from..at]) {
                return Some(from + close);
            }
            passed = hidden?;
        }
        if let Some((end, state)) = self.behind(start, passed, bytes.len()) {
            at = end;
            walk.go_on(state);
        }
        let close = walk.close(&bytes[at..]).map(|close| at + close);
        let (open, state) = walk.stand();
        let end = close.unwrap_or(bytes.len() - open);
        self.passed.note(start, start + passed as u64, start + end as u64, state);
        close
    }

    /// Where to go on, and how, behind a `]` that was passed, in a text that begins at the offset `start` and has so many bytes.
    fn behind(&self, start: u64, hidden: usize, len: usize) -> Option<(usize, StepState)> {
        let (end, state) = self.passed.behind(start + hidden as u64)?;
        let end = usize::try_from(end - start).ok()?;
        (end <= len).then_some((end, state))
    }

    /// Whether the search would now come to the node at which an earlier look has ended, and which it need not find again.
    fn is_met(&self, look: &BracketLook, start: u64, bytes: &[u8], limit: usize) -> bool {
        let (node, close) = self.met;
        let is_ahead = node >= start + look.left as u64 && close >= start + look.scanned as u64;
        is_ahead && close - start <= limit as u64 && close - start < bytes.len() as u64
    }

    /// Jumps to where earlier looks have searched without an answer, so that many looks cost no more than one.
    fn pass(&self, look: &mut BracketLook, start: u64, bytes: &[u8]) {
        let at = usize::try_from(self.end.saturating_sub(start)).unwrap_or(usize::MAX);
        if at > look.scanned && at <= bytes.len() {
            look.left = look.left.max(at.saturating_sub(NODE));
            look.scanned = at;
            look.walk = self.walk;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, repeated};

    #[test]
    fn what_earlier_looks_have_passed_changes_no_bracket() {
        let charsets = [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS];
        let parts: [&[u8]; 11] =
            [b"C[\xA6]", b"[", b"]", b"\\", b"\x90]", b"\xE0]", b"a", b"\xA6\\]", b"\x814", b"\xA6", b"\\]"];
        let (mut remembered, mut closes) = (0, 0);
        for seed in 1..6_000_u64 {
            let mut rng = Rng::new(seed);
            let bytes = repeated(&mut rng, &parts, 400);
            let walk = if rng.one_in(2) { Walk::default() } else { Walk::by_character(rng.pick(&charsets)) };
            let (mut known, mut start) = (DeadEnd { walk, ..DeadEnd::default() }, 0);
            // Texts begin behind a `[`.
            while let Some(open) = memchr(b'[', &bytes[start..]) {
                start += open + 1;
                let (mut from, text) = (0, &bytes[start..]);
                let (mut own, mut alone) = (walk, walk);
                for _ in 0..rng.below(8) {
                    let hidden = memchr(b']', &text[from..]).map_or(0, |hidden| start + from + hidden);
                    remembered += u32::from(known.passed.behind(hidden as u64).is_some());
                    let close = known.next_close(&mut own, start as u64, text, from);
                    let expected = DeadEnd::default().next_close(&mut alone, start as u64, text, from);
                    assert_eq!(close, expected, "seed {seed}, at {start}, from {from}: {}", bytes.escape_ascii());
                    let Some(close) = close else { break };
                    closes += 1;
                    from = close + 1;
                }
            }
        }
        assert!(remembered > 10_000 && closes > 10_000, "{remembered} {closes}");
    }
}
