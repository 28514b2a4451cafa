//! Looking at bytes to come before anything is told of them.
//!
//! Owns [`Look`]: where the charset of a game is to be decided, or where a value ends whose characters hide brackets, the
//! bytes from a `[` on are looked at, as far as is needed and no further than a bound, and then read as ever. Where a
//! chunk ends first, they are held by the engine and read when enough has come. A look comes past each byte once. What it
//! has come past is read after that and may be looked at anew from a later place, which is why no look goes through the games
//! to come. Where people have forgotten to escape brackets, `bracket` asks which of them closes the text.

mod bracket;

use std::ops::ControlFlow;

use super::charset::{Ending, GameText, is_followed};
use super::texts::Noted;
use super::{Engine, HELD_AT_LEAST, Place, State, Stop};
use crate::syntax::scan::{ValueEnd, plain_value, value_end};
use crate::syntax::{ProblemKind, Visitor};
use crate::text::white::trim_end;
use crate::text::{
    Charset, Close, Closed, Closer, EscapeUnit, Meeting, StepState, Steps, WINDOW, Writing, is_certain_utf_8,
};

/// Bytes of a label.
const LABEL: usize = 64;

/// Bytes in which a charset is looked for.
pub(super) const LIMIT: usize = 64 << 10;

/// How far a look has come.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub(super) struct Look {
    /// Where reading goes on: inside the game, or in what is passed over.
    back: State,
    scanned: usize,
    quoted: bool,
    escaped: bool,
    /// What is in progress is text that goes on behind a `]`, unless a game has ended in it.
    hidden: bool,
    meeting: Meeting,
    /// The length of the value that the look is about, its brackets not counted.
    value: Option<usize>,
    ascii: bool,
    /// Where the value in progress begins, and whether it is more than ASCII so far.
    open: usize,
    odd: bool,
    /// The identifier before a `[` is CA so far.
    ident: Ident,
    /// White space came after it.
    gap: bool,
    /// Where the value in progress begins, if it is CA's.
    label: Option<usize>,
    /// It is complete.
    found: bool,
    /// What is looked for is the `]` that closes a text.
    bracket: bool,
    /// It is known where the value ends, and not all of it is here.
    settled: bool,
    /// How many `]` did not close the text, up to a few, and where the last of those was left behind.
    passed: usize,
    left: usize,
    /// The first of them that closed all that the text had opened.
    balanced: Option<usize>,
    /// What is looked for is CA, and nothing else.
    only_label: bool,
    /// What is looked for is the end of CA's own value.
    declares: bool,
    /// No character hides a bracket, or no label could come behind one that does.
    by_byte: bool,
    /// No node of the game has begun.
    fresh: bool,
    /// Reads a value both ways, where its characters may hide brackets.
    closer: Option<Closer>,
    /// Where stepping from character to character has come.
    steps: StepState,
    /// Bytes of the value that are ASCII, if all are so far.
    plain: usize,
    /// The value is longer than may be, wherever characters end it.
    too_long: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ident {
    Nothing,
    C,
    Ca,
    Other,
}

impl Look {
    pub(super) fn new(back: State) -> Self {
        Self {
            back,
            scanned: 0,
            quoted: false,
            escaped: false,
            hidden: false,
            meeting: Meeting::default(),
            value: None,
            ascii: true,
            open: 0,
            odd: false,
            ident: Ident::Nothing,
            gap: false,
            label: None,
            found: false,
            bracket: false,
            settled: false,
            passed: 0,
            left: 0,
            balanced: None,
            only_label: false,
            declares: false,
            by_byte: false,
            fresh: false,
            closer: None,
            steps: StepState::default(),
            plain: 0,
            too_long: false,
        }
    }

    /// Where reading goes on.
    pub(super) fn back(&self) -> State {
        self.back
    }

    /// It was about the `]` that closes a text.
    pub(super) fn is_for_bracket(&self) -> bool {
        self.bracket
    }

    /// Where the value ends that `bytes` begin with, as long as it is ASCII, in which no character hides a bracket. `None`
    /// where it is not, or has no end so far.
    fn plain_end(&mut self, bytes: &[u8]) -> Option<usize> {
        if !self.ascii {
            return None;
        }
        let rest = &bytes[self.plain..];
        let ValueEnd { close, ascii, .. } = value_end(rest, &mut self.escaped, false);
        self.ascii = ascii;
        self.plain += close.unwrap_or(rest.len());
        close.filter(|_| ascii).map(|_| self.plain)
    }

    /// Where the value ends that `bytes` begin with; `None` where more of it would tell. `last`: no more is to be had.
    fn ending(&mut self, bytes: &[u8], last: bool, text: &GameText, limit: usize) -> Option<Closed> {
        let charset = text.writing.charset();
        if text.unit == EscapeUnit::Character {
            let Some(steps) = Steps::of(charset) else { return Some(Closed::Nowhere) };
            let from = self.scanned;
            self.scanned = bytes.len();
            return match steps.close(&mut self.steps, &bytes[from..]) {
                Some(at) => Some(Closed::At(Close { at: from + at, by_character: true, decodes: true })),
                None => last.then_some(Closed::Nowhere),
            };
        }
        let Some(closer) = self.closer.as_mut() else {
            self.closer = Closer::new(charset, limit);
            return if self.closer.is_some() { self.ending(bytes, last, text, limit) } else { Some(Closed::Nowhere) };
        };
        match closer.close(bytes, last) {
            Closed::More if last => Some(Closed::Nowhere),
            Closed::More => None,
            found => Some(found),
        }
    }

    /// Looks for CA's value up to the end of the root node, or for the end of the value that comes first, if that is all
    /// that is wanted or needed. True when found.
    fn advance(&mut self, view: &[u8], only_value: bool, noted: &mut Noted) -> bool {
        // The value has begun in these bytes.
        let mut is_new = !self.quoted;
        while let Some(&byte) = view.get(self.scanned) {
            if self.quoted {
                let rest = &view[self.scanned..];
                let plain = if is_new { rest.first_chunk().and_then(plain_value) } else { None };
                is_new = true;
                let (close, ascii) = if let Some((len, ascii)) = plain {
                    (Some(len), ascii)
                } else {
                    let ValueEnd { close, ascii, .. } = value_end(rest, &mut self.escaped, false);
                    (close, ascii)
                };
                if self.hidden
                    && let Some(end) = self.meeting.find(&rest[..close.unwrap_or(rest.len())])
                {
                    self.ascii &= rest[..end].is_ascii();
                    self.scanned += end;
                    return true;
                }
                self.ascii &= ascii;
                self.odd |= !ascii;
                self.scanned += close.unwrap_or(rest.len());
                if close.is_none() {
                    return false;
                }
                if std::mem::take(&mut self.odd) {
                    noted.note(self.open, self.scanned);
                }
                self.scanned += 1;
                self.quoted = false;
                self.hidden = false;
                self.ident = Ident::Nothing;
                let is_first = self.value.is_none() && view[0] == b'[' && !self.only_label;
                self.value.get_or_insert(self.scanned.saturating_sub(2));
                if is_first && !self.ascii && is_certain_utf_8(&view[1..self.scanned - 1]) {
                    // No label would change that, wherever the value was cut.
                    return true;
                }
                // What hides a label has a backslash.
                if self.label.is_none() && !self.by_byte && plain.is_none() {
                    self.label = hidden_label(&view[..self.scanned - 1]);
                }
                self.found = self.label.is_some();
                if self.found || (is_first && (self.ascii || only_value)) {
                    return true;
                }
                continue;
            }
            if self.ident == Ident::Nothing
                && let [b'A'..=b'Z', b'A'..=b'Z', b'[', ..] = view[self.scanned..]
            {
                // Nearly all identifiers, at once.
                self.label = (&view[self.scanned..self.scanned + 2] == b"CA").then_some(self.scanned + 3);
                (self.quoted, self.gap) = (true, false);
                self.scanned += 3;
                self.open = self.scanned;
                continue;
            }
            match byte {
                b'[' => {
                    self.quoted = true;
                    self.open = self.scanned + 1;
                    self.label = (self.ident == Ident::Ca).then_some(self.scanned + 1);
                }
                b';' if self.fresh => self.fresh = false,
                b';' | b'(' | b')' => return true,
                // A character has hidden a bracket: this is still text.
                0x80.. if !self.by_byte => {
                    (self.quoted, self.hidden) = (true, true);
                    self.meeting = Meeting::default();
                    noted.stop();
                }
                b' ' | b'\t'..=b'\r' => self.gap = true,
                byte if byte.is_ascii_alphanumeric() => {
                    if std::mem::take(&mut self.gap) {
                        self.ident = Ident::Nothing;
                    }
                    self.ident = match (byte, self.ident) {
                        (b'a'..=b'z', ident) => ident,
                        (b'C', Ident::Nothing) => Ident::C,
                        (b'A', Ident::C) => Ident::Ca,
                        _ => Ident::Other,
                    };
                }
                // No identifier is on both sides of it; a `]` is that of a value whose text hid a bracket.
                _ => (self.ident, self.gap) = (Ident::Nothing, false),
            }
            self.scanned += 1;
        }
        false
    }
}

impl Engine {
    /// At the byte from which on it is to be looked at what comes.
    pub(super) fn begin_look(&mut self, back: State) {
        let by_byte = !self.text.wants_declaration();
        self.look = Look { fresh: self.place == Place::Fresh, by_byte, ..Look::new(back) };
        self.noted.clear();
        self.state = State::Look;
    }

    /// At the `[` of a value whose end is not in sight, and that has to be known before anything is told of it.
    pub(super) fn begin_value_look(&mut self) {
        self.begin_look(State::Inside);
        self.look.declares = self.text.declares;
    }

    /// At what is passed over of a game's root, or at the `[` of the property whose identifier has these first letters.
    pub(super) fn begin_label_look(&mut self, back: State, head: [u8; 3]) {
        self.begin_look(back);
        self.look.only_label = true;
        self.look.by_byte = !self.text.is_cautious();
        // A property without a `;` before it has begun the root.
        self.look.fresh &= head == [0; 3];
        if head == *b"CA\0" {
            self.look.ident = Ident::Ca;
        }
    }

    /// At the `[` of a text: which `]` closes it?
    pub(super) fn begin_bracket_look(&mut self, back: State) {
        self.begin_look(back);
        self.look.bracket = true;
    }

    /// At the `[` of a value that was looked at, of which less is here than was then.
    pub(super) fn wait_for_value(&mut self) {
        self.look.settled = true;
        self.state = State::Look;
    }

    /// What a look at the value whose `[` is here has found.
    pub(super) fn looked_at(&self) -> Option<Ending> {
        self.verdict.and_then(|(offset, close)| if offset == self.offset_at(self.at) { Some(close?) } else { None })
    }

    /// Whether the value whose `[` is here has been looked at in vain: it is read by the byte rules.
    pub(super) fn is_passed(&self) -> bool {
        self.verdict.is_some_and(|(offset, _)| offset == self.offset_at(self.at))
    }

    /// Whether it was found that where characters end that value is too far away, so that to look again would never end.
    pub(super) fn is_too_long(&self) -> bool {
        self.look.too_long && self.is_passed()
    }

    /// How many more bytes are worth holding.
    pub(super) fn look_room(&self) -> usize {
        self.look_limit().saturating_sub(self.held.len()).max(HELD_AT_LEAST)
    }

    fn look_limit(&self) -> usize {
        if self.text.by_character || self.look.bracket {
            self.config.limits.value.saturating_add(WINDOW)
        } else {
            LIMIT
        }
    }

    /// False where more bytes are needed.
    pub(super) fn look<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> ControlFlow<Stop<V::Break>, bool> {
        let view = &chunk[self.at..];
        if self.look.settled {
            let is_here = self.looked_at().is_some_and(|found| found.len + 2 <= view.len());
            if !is_here && !self.is_last() {
                return ControlFlow::Continue(false);
            }
            self.look.settled = false;
            self.state = State::Inside;
            if !is_here {
                self.verdict = None;
            }
            return ControlFlow::Continue(true);
        }
        let view = &view[..view.len().min(self.look_limit())];
        let last = self.is_last() || view.len() == self.look_limit();
        if self.look.bracket {
            self.look_for_bracket(view, last, visitor)
        } else if self.text.by_character {
            self.look_for_end(view, last, visitor)
        } else {
            self.look_for_charset(view, last, visitor)
        }
    }

    fn look_for_charset<V: Visitor>(
        &mut self,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, bool> {
        let only_value = !self.text.wants_declaration();
        let mut found = self.look.advance(view, only_value || self.look.declares, &mut self.noted);
        if let Some(len) = self.look.value
            && std::mem::take(&mut self.look.declares)
        {
            if len < self.page() {
                // What is looked for stands here: what it says of its own bytes is known when it is read.
                self.state = self.look.back;
                self.verdict = Some((self.offset_at(self.at), None));
                return ControlFlow::Continue(true);
            }
            found = only_value || self.look.advance(view, false, &mut self.noted);
        }
        if !found && !last {
            return ControlFlow::Continue(false);
        }
        self.state = self.look.back;
        if let Some(label) = self.look.label
            && self.look.found
            && self.offset_at(self.at + label - 1) - self.game < self.config.limits.game
        {
            // What is wrong with it is told when it is read.
            self.text.expect(&view[label..self.look.scanned - 1]);
        }
        if self.look.only_label {
            return ControlFlow::Continue(true);
        }
        if self.look.ascii || !self.text.undecided || view[0] != b'[' {
            self.verdict = Some((self.offset_at(self.at), None));
            return ControlFlow::Continue(true);
        }
        let values = self.noted.values(&view[..self.look.scanned], self.look.quoted);
        if let Some(kind) = self.text.decide(values, self.offset_at(self.at + self.look.scanned))
            && self.state == State::Inside
        {
            let position = self.position_at(self.at).right(1);
            let len = self.look.value.unwrap_or(0) as u64;
            self.text_problem(kind, position, position.offset + len, visitor)?;
        }
        ControlFlow::Continue(true)
    }

    fn look_for_end<V: Visitor>(
        &mut self,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, bool> {
        if let Some(len) = self.look.plain_end(&view[1..]) {
            let close = (len <= self.config.limits.value).then_some(Ending::plain(len, self.text.writing));
            self.verdict = Some((self.offset_at(self.at), close));
            self.state = self.look.back;
            if self.text.repairs() && close.is_some() {
                self.begin_bracket_look(self.look.back);
            }
            return ControlFlow::Continue(true);
        }
        if self.look.ascii && !last {
            return ControlFlow::Continue(false);
        }
        let Some(ending) = self.look.ending(&view[1..], last, &self.text, self.config.limits.value) else {
            return ControlFlow::Continue(false);
        };
        let value = self.position_at(self.at + 1);
        let charset = self.text.writing.charset();
        self.state = self.look.back;
        let (len, writing, makes_sense) = match ending {
            Closed::At(Close { at, by_character: true, decodes }) => {
                (Some(at), Writing::by_character(charset), decodes)
            }
            Closed::At(Close { at, decodes, .. }) => (Some(at), Writing::by_byte(charset), decodes),
            Closed::Nowhere | Closed::More => (None, Writing::by_byte(charset), false),
        };
        // What ends there as it is UTF-8, or by its characters whatever they are, is not yet text of the charset.
        let is_by_rule = self.text.unit == EscapeUnit::Character;
        let is_text = |len: usize| {
            let raw = &view[1..=len];
            !(is_by_rule || is_certain_utf_8(raw)) || writing.decodes(raw)
        };
        let decodes = makes_sense && len.is_some_and(is_text);
        let close = len.filter(|&len| len <= self.config.limits.value).map(|len| Ending { len, writing, decodes });
        if let Some(Ending { len, .. }) = close
            && (decodes || is_by_rule)
            && self.text.repairs()
            && len > 0
            && !is_followed(&view[len + 2..], last)
        {
            self.begin_bracket_look(self.look.back);
            self.look.scanned = len;
            return ControlFlow::Continue(true);
        }
        self.look.too_long = close.is_none();
        self.verdict = Some((value.offset - 1, close));
        if !makes_sense && self.text.unit == EscapeUnit::Auto {
            self.text.read_by_byte();
            if self.state == State::Inside {
                let len = len.unwrap_or(0) as u64;
                self.problem(ProblemKind::EscapeUnitChanged, value, value.offset + len, visitor)?;
            }
        }
        ControlFlow::Continue(true)
    }
}

/// Where the value of CA begins that these bytes end with, if it hides in the value before it: that ends in a character whose
/// second half is a backslash, which seems to escape the `]`.
fn hidden_label(bytes: &[u8]) -> Option<usize> {
    let start = bytes.len().saturating_sub(LABEL);
    let open = memchr::memrchr2(b'[', b']', &bytes[start..]).filter(|&at| bytes[start + at] == b'[')? + start;
    let before = trim_end(trim_end(&bytes[..open]).strip_suffix(b"CA")?);
    let is_hidden = matches!(before, [.., 0x80..=0xFF, b'\\', b']']);
    let charset = Charset::for_label(&bytes[open + 1..]).ok()?;
    (is_hidden && charset.has_trailing_brackets()).then_some(open + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_look_notes_are_the_values_that_a_search_would_find() {
        let (mut noted_all, mut found) = (0, 0);
        for seed in 1..20_000_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut next = |count: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 33) as usize % count
            };
            let parts = [
                "[", "]", "\\", "]PB[", "]C[", "]\nPW[", "柯", "洁", "a", "][", "]Long[", "];", "]CA[", "]x", "é", "b",
            ];
            let mut view = String::from("[é");
            for _ in 0..4 + next(60) {
                view.push_str(parts[next(parts.len())]);
            }
            let (view, cut) = (view.as_bytes(), next(view.len()));
            let mut look = Look { by_byte: seed % 2 == 0, fresh: seed % 3 == 0, ..Look::new(State::Inside) };
            let mut noted = Noted::new();
            let is_over = look.advance(&view[..cut], false, &mut noted);
            if !is_over {
                look.advance(view, false, &mut noted);
            }
            let seen = &view[..look.scanned];
            let values: Vec<_> = noted.values(seen, look.quoted).collect();
            let nothing = Noted::new();
            let expected: Vec<_> = nothing.values(seen, true).collect();
            assert_eq!(values, expected, "{} cut at {cut}", String::from_utf8_lossy(view));
            noted_all += usize::from(noted.is_all() && !look.quoted);
            found += values.len();
        }
        assert!((10_000..19_000).contains(&noted_all) && found > 20_000, "{noted_all} {found}");
    }
}
