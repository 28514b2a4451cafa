//! What the engine knows of a game's text: its charset, and whether its characters hide brackets.
//!
//! Owns [`GameText`]. How a charset is worked out from bytes is for `text`; for which values is for `attend`; where a value ends
//! for `ends`; and how bytes to come are looked at is for `look`.

use super::checked::Checked;
use super::labels::Labels;
use super::texts::Values;
use crate::syntax::{Charsets, Config, ProblemKind, kinds};
use crate::text::{
    Charset, CharsetOfGame, EscapeUnit, How, LabelTrouble, Neighbours, Questions, Stream, Writing, hides_nothing,
    is_certain_utf_8, is_utf_8, text,
};

/// In this many values of a game characters may be damaged; in more, the text is probably in another charset than declared, and
/// each would be read in both ways.
const FORGIVEN: u8 = 2;

/// A check looks at all of a text that has at most so many bytes.
const FULLY_CHECKED: usize = 1 << 10;

/// What is known about the text of the game in progress.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub(super) struct GameText {
    charsets: Charsets,
    pub(super) unit: EscapeUnit,
    /// The stream begins with the mark of UTF-8, or was made that.
    is_marked: bool,
    game: CharsetOfGame,
    /// The charset that the stream is recoded from, if it is.
    source: Option<Charset>,
    /// The games before, if charsets are remembered from game to game.
    neighbours: Option<Neighbours>,
    /// What the games so far declare.
    pub(super) labels: Labels,
    /// The fault of a label that a look found ahead, until the label itself is read.
    trouble: Option<LabelTrouble>,
    /// The offset up to which a look has examined values in advance.
    seen: u64,
    /// How its values are written, as far as known.
    pub(super) writing: Writing,
    /// The root node is being read.
    pub(super) in_root: bool,
    /// The property in progress is the root's CA.
    pub(super) declares: bool,
    /// The `]` of a text may be a bracket that somebody forgot to escape.
    pub(super) repair: bool,
    /// A value may have lost its `]`.
    pub(super) caps: bool,
    /// The first letters of the property in progress, if they matter: they decide whether it holds text.
    pub(super) head: kinds::Head,
    /// The charset is open; the next value that is not ASCII decides it.
    pub(super) undecided: bool,
    /// The text of the values to come is of no interest.
    pub(super) quiet: bool,
    /// Text is UTF-8, and more of it would prove nothing.
    utf_8: bool,
    pub(super) checked: Checked,
    /// A value that is not ASCII may end elsewhere than at its first `]`.
    pub(super) by_character: bool,
    /// That was decided for the game. From then on only [`read_by_byte`](Self::read_by_byte) changes it: what contradicts a
    /// charset is found in the values that a visitor wants, but values end in the same places for every visitor.
    are_ends_decided: bool,
    /// Values of the game in which characters are damaged, as far as they are counted.
    damaged: u8,
    /// The chunk ends at a fence: what comes after it is no part of anything that is open there.
    pub(super) fenced: bool,
}

impl GameText {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            charsets: config.charsets,
            unit: config.escape_unit,
            is_marked: false,
            game: CharsetOfGame::new(config.charsets),
            source: None,
            neighbours: config.remember_charsets.then(Neighbours::default),
            labels: Labels::default(),
            trouble: None,
            seen: 0,
            writing: Writing::default(),
            in_root: false,
            declares: false,
            repair: config.repair_brackets,
            caps: config.cap_values,
            head: kinds::NONE,
            undecided: false,
            quiet: config.charsets == Charsets::Raw,
            utf_8: false,
            checked: Checked::new(config.check_text),
            by_character: false,
            are_ends_decided: false,
            damaged: 0,
            fenced: false,
        }
    }

    /// Takes over the buffers, but nothing of their contents.
    pub(super) fn reuse(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.game, &mut other.game);
        self.game.renew();
    }

    /// The bytes to come are a part of the source that is read as if these games came before it.
    pub(super) fn suppose(&mut self, neighbours: &Neighbours) {
        if let Some(own) = &mut self.neighbours {
            *own = neighbours.before_part();
        }
    }

    /// From here on, notes what is looked up about the games before.
    pub(super) fn note_questions(&mut self) {
        self.game.note_questions();
    }

    /// What was looked up about them since.
    pub(super) fn take_questions(&mut self) -> Questions {
        self.game.take_questions()
    }

    /// What the games so far were written in; `is_over`: the game in progress is one of them.
    pub(super) fn neighbours(&self, is_over: bool) -> Neighbours {
        let mut neighbours = self.neighbours.unwrap_or_default();
        self.game.report_to(is_over && !self.undecided, &mut neighbours);
        neighbours
    }

    /// What comes before the part that was read is known now, and would not have changed how it was read.
    pub(super) fn follow(&mut self, earlier: &Neighbours) {
        if let Some(own) = &mut self.neighbours {
            *own = own.following(*earlier);
            self.game.follow(own);
        }
    }

    /// Whether text is of interest at all.
    pub(super) fn is_read(&self) -> bool {
        self.charsets != Charsets::Raw
    }

    /// Whether brackets may turn out to be halves of characters.
    pub(super) fn is_cautious(&self) -> bool {
        self.is_read() && self.unit != EscapeUnit::Byte
    }

    /// The stream begins with the mark of UTF-8, or was made that.
    pub(super) fn mark(&mut self) {
        self.is_marked = true;
    }

    pub(super) fn is_marked(&self) -> bool {
        self.is_marked
    }

    /// From here on the stream, including the game in progress, is UTF-8 that was recoded from `charset`. If marks show
    /// which bytes are recoded, the others may be in any charset, which is worked out as usual.
    pub(super) fn recoded(&mut self, charset: Charset) {
        self.source = Some(charset);
        if charset.is_stateful() && !matches!(self.charsets, Charsets::Forced(_)) {
            self.game.recoded_by_marks();
            if self.writing.charset().is_stateful() {
                self.writing = Writing::default();
            }
        } else if !self.is_marked {
            self.mark();
            self.writing = Writing::made_from(charset);
            self.by_character = false;
            self.game.recoded();
            self.give_up();
        }
    }

    /// The bytes to come are in the middle of a game of which nothing is known but what holds for the whole source.
    pub(super) fn begin_part(&mut self) {
        if matches!(self.charsets, Charsets::Forced(_)) {
            self.game.start(Stream::Unknown, None);
            self.settle();
        }
        self.give_up();
    }

    /// The text of the bytes to come is of no interest.
    fn give_up(&mut self) {
        self.undecided = false;
        self.quiet = true;
    }

    /// The bytes to come are too far from the game's beginning: its charset is what is known by now.
    pub(super) fn stop_looking(&mut self) {
        if self.undecided {
            self.settle();
        }
        self.quiet = !self.by_character;
    }

    /// Whether text to come will be read in the charset that the game declares; a part of the game that is read alone
    /// would not know it.
    pub(super) fn awaits_declared(&self) -> bool {
        let learnt = self.game.learnt();
        self.undecided && learnt.how() == How::Declared && learnt.charset() != Charset::UTF_8
    }

    pub(super) fn begin_game(&mut self, offset: u64) {
        self.in_root = self.is_read();
        self.declares = false;
        self.head = kinds::NONE;
        if !self.is_read() {
            return;
        }
        if let Some(neighbours) = &mut self.neighbours {
            self.game.report_to(!self.undecided, neighbours);
        }
        let stream = match self.is_marked {
            true if self.source.is_some_and(Charset::is_wide) => Stream::Recoded,
            true => Stream::Marked,
            false => Stream::Unknown,
        };
        self.game.start(stream, self.neighbours.as_ref());
        self.labels.begin_game(offset);
        self.trouble = None;
        self.seen = offset;
        self.checked.begin_game();
        self.quiet = false;
        self.utf_8 = false;
        self.by_character = false;
        self.are_ends_decided = false;
        self.damaged = 0;
        self.writing = Writing::default();
        self.undecided = self.game.is_open();
        if !self.undecided {
            self.settle();
        }
    }

    #[inline(always)]
    pub(super) fn leave_root(&mut self) {
        self.in_root = false;
        self.declares = false;
    }

    /// A property begins, whose identifier has these first letters.
    #[inline(always)]
    pub(super) fn begin_property(&mut self, head: kinds::Head) {
        self.declares = self.in_root && head == kinds::CA;
        self.head = head;
    }

    /// Whether names may end in a character that seems to escape the bracket behind them.
    pub(super) fn may_swallow(&self) -> bool {
        self.charsets == Charsets::Auto && self.unit == EscapeUnit::Auto
    }

    /// How a value is read that ends behind these bytes, whatever they are, if its characters may hide brackets.
    pub(super) fn reading(&self, raw: &[u8]) -> Reading {
        if raw.is_ascii() {
            return Reading { writing: self.writing, decodes: true, makes_sense: true };
        }
        let is_by_rule = self.unit == EscapeUnit::Character;
        self.reading_as(raw, is_by_rule || Writing::by_character(self.writing.charset()).decodes(raw))
    }

    /// How a value that is not ASCII is read, once it is known whether its escapes are by character.
    pub(super) fn reading_as(&self, raw: &[u8], by_character: bool) -> Reading {
        let charset = self.writing.charset();
        let writing = if by_character { Writing::by_character(charset) } else { Writing::by_byte(charset) };
        // Text that was recoded without its label being changed, unless it is certainly UTF-8.
        let may_be_utf_8 = || !by_character && !is_certain_utf_8(raw) && Charset::UTF_8.decodes(&text(raw));
        let decodes = writing.decodes(raw);
        Reading { writing, decodes, makes_sense: decodes || may_be_utf_8() }
    }

    /// Takes over what is known by now about the game's charset.
    fn settle(&mut self) {
        let learnt = self.game.learnt();
        let charset = learnt.charset();
        self.undecided = false;
        self.utf_8 = charset == Charset::UTF_8 && !learnt.is_weak();
        // A guess may decide what text means, but never where it ends.
        let is_stated = matches!(learnt.how(), How::Declared | How::Forced);
        if !std::mem::replace(&mut self.are_ends_decided, true) {
            self.by_character = self.is_cautious() && is_stated && charset.has_trailing_brackets();
        }
        let is_made = |source: Charset| !source.is_stateful() || self.is_marked || self.game.is_made();
        self.writing = if self.by_character && self.unit == EscapeUnit::Character {
            Writing::by_character(charset)
        } else if self.is_cautious() && charset.has_trailing_brackets() {
            Writing::by_sense(charset)
        } else {
            match self.source.filter(|&source| charset == Charset::UTF_8 && is_made(source)) {
                Some(source) => Writing::made_from(source),
                None => Writing::by_byte(charset),
            }
        };
    }

    /// Whether one more value in which characters are damaged is no reason to doubt the charset.
    pub(super) fn forgive_damage(&mut self) -> bool {
        let is_forgiven = self.damaged < FORGIVEN;
        self.damaged += u8::from(is_forgiven);
        is_forgiven
    }

    /// Whether finding CA could change anything.
    pub(super) fn wants_declaration(&self) -> bool {
        self.in_root && self.game.awaits_label()
    }

    /// Whether the root's CA may still come, by which the next games are told apart from this one.
    pub(super) fn wants_label(&self) -> bool {
        self.in_root && self.labels.is_open() && self.game.has_labels()
    }

    /// A look has found that the root's CA will be this.
    pub(super) fn expect(&mut self, label: &[u8]) {
        self.labels.expect(self.game.label(label));
        if self.game.awaits_label() {
            self.trouble = self.game.declare(label);
        }
    }

    /// The first value of the root's CA: does it differ from that of the game before?
    pub(super) fn changes(&mut self, label: &[u8]) -> bool {
        let label = self.game.label(label);
        self.labels.read(label)
    }

    /// The first value of the root's CA.
    pub(super) fn declare(&mut self, label: &[u8]) -> Option<LabelTrouble> {
        let late = self.game.declare(label);
        let learnt = self.game.learnt();
        if !self.undecided {
            self.settle();
        } else if learnt.how() == How::Declared && learnt.charset().is_stateful() {
            // Its text looks like ASCII, so no value will ever prompt the decision.
            self.writing = Writing::by_byte(learnt.charset());
        }
        let is_forced = matches!(self.charsets, Charsets::Forced(_));
        let is_against_mark = self.is_marked && !is_forced && self.is_other_unicode(label);
        let late = late.or(is_against_mark.then_some(LabelTrouble::Contradicted));
        self.trouble.take().or(late)
    }

    /// Whether a label names a form of Unicode other than the stream's. Labels often leave open which byte comes first.
    fn is_other_unicode(&self, label: &[u8]) -> bool {
        let width = |charset| match charset {
            Charset::UTF_8 => Some(1),
            Charset::UTF_16LE | Charset::UTF_16BE => Some(2),
            Charset::UTF_32LE | Charset::UTF_32BE => Some(4),
            _ => None,
        };
        let (named, has) = (Charset::for_label(label).ok().and_then(width), width(self.source.unwrap_or_default()));
        named.is_some() && has.is_some() && named != has
    }

    /// Whether values may hide brackets, by what is declared or decided.
    pub(super) fn may_hide_brackets(&self) -> bool {
        let learnt = self.game.learnt();
        let declared = learnt.how() == How::Declared && learnt.charset().has_trailing_brackets();
        self.is_cautious() && (self.by_character || (self.undecided && declared))
    }

    /// Whether the property in progress may hold text, which shows the charset.
    pub(super) fn is_evidence(&self) -> bool {
        !kinds::is_never_text(self.head)
    }

    /// Whether a value's bytes alone decide the charset, wherever the value ends.
    pub(super) fn is_decided_alone(&self) -> bool {
        !self.wants_declaration() && !self.may_hide_brackets()
    }

    /// Decides the charset by a value alone, if nothing to come could change that; false if it could. The value is not
    /// to be looked at again.
    pub(super) fn decide_at_once(&mut self, raw: &[u8]) -> bool {
        if !self.is_evidence() {
            return true;
        }
        if self.wants_declaration() && !is_certain_utf_8(raw) {
            return false;
        }
        if self.may_hide_brackets() && !self.game.is_told_by(raw) {
            self.game.note_text();
            self.settle();
        }
        true
    }

    /// Decides the charset by values that are not ASCII and stand before the offset `end`, as the byte rules end them.
    pub(super) fn decide(&mut self, values: Values<'_>, end: u64) -> Option<ProblemKind> {
        if self.may_hide_brackets() && !values.clone().next().is_some_and(|value| self.game.is_told_by(value)) {
            // Where these values end is the question, so their bytes prove nothing yet.
            self.game.note_text();
            self.settle();
            return None;
        }
        // None of them was delivered yet, so they may contradict a label, but not each other.
        let contradicted = self.game.see_all(values);
        self.seen = end;
        self.settle();
        contradicted.then_some(ProblemKind::CharsetContradicted)
    }

    /// Whether a value is exactly what is expected. Also false if only a closer look could say.
    #[inline]
    pub(super) fn is_as_expected(&mut self, raw: &[u8], offset: u64) -> bool {
        let is_expected = self.utf_8 && is_utf_8(raw);
        if is_expected {
            self.count(offset, raw.len() as u64);
        }
        is_expected
    }

    /// How a value is written that is not ASCII, begins at `offset` and ends where the byte rules say, if its charset
    /// is decided and nothing is wrong with it.
    pub(super) fn writing_at_once(&mut self, raw: &[u8], offset: u64, in_parts: bool) -> Option<Writing> {
        if self.undecided {
            return None;
        }
        if self.by_character {
            let charset = self.writing.charset();
            return hides_nothing(charset, raw).then(|| Writing::by_character(charset));
        }
        let decodes = || if in_parts { self.decodes_part(raw) } else { self.writing.decodes(raw) };
        if !(in_parts || offset < self.seen) || !decodes() {
            return None;
        }
        if !in_parts {
            self.count(offset, raw.len() as u64);
        }
        Some(self.writing)
    }

    /// The value at this offset was checked.
    #[inline]
    fn count(&mut self, offset: u64, len: u64) {
        if self.checked.count(offset, len) {
            self.quiet = !self.by_character;
        }
    }

    /// A value in parts has ended. It counts just as [`is_as_expected`](Self::is_as_expected) would count it if the
    /// whole of it lay in the chunk.
    pub(super) fn end_parts(&mut self, offset: u64, len: u64) {
        if self.utf_8 && self.checked.is_text_in_parts(offset) {
            self.count(offset, len);
        }
    }

    /// Checks a value that is not ASCII and ends where the byte rules say. `counts`: it is one of those that are checked.
    pub(super) fn check(&mut self, raw: &[u8], offset: u64, counts: bool) -> Option<ProblemKind> {
        if counts {
            self.count(offset, raw.len() as u64);
        }
        if self.utf_8 && is_utf_8(raw) {
            return None;
        }
        if !self.is_evidence() {
            return (!self.writing.decodes(raw)).then_some(ProblemKind::UndecodableText);
        }
        if self.undecided && self.may_hide_brackets() && !self.game.is_told_by(raw) {
            // A text that was repaired before the first of them: as in `decide`.
            self.game.note_text();
            self.settle();
        }
        // A value that has no end by its characters proves nothing about the charset.
        if self.by_character || offset < self.seen {
            return (!self.writing.decodes(raw)).then_some(ProblemKind::UndecodableText);
        }
        if !self.undecided && kinds::is_short(self.head) && is_one_damage(raw) {
            return (!self.writing.decodes(raw)).then_some(ProblemKind::UndecodableText);
        }
        let seen = self.game.see(raw);
        if !raw.is_ascii() {
            // After a break the value comes again, and counts once.
            self.seen = offset + 1;
        }
        if seen.contradicted || self.undecided {
            self.settle();
        }
        if seen.contradicted {
            return Some(ProblemKind::CharsetContradicted);
        }
        // Bytes that are valid in the charset may no longer be once they are unescaped by byte.
        let decodes = seen.decodes && (!self.writing.unescapes(raw) || self.writing.decodes(raw));
        (!decodes).then_some(ProblemKind::UndecodableText)
    }

    /// Whether a piece of a value might end inside a character: only in UTF-8 is it known where characters end.
    pub(super) fn may_be_cut(&self) -> bool {
        let charset = self.writing.charset();
        self.is_read() && charset != Charset::UTF_8 && !charset.is_single_byte()
    }

    /// Whether a piece of a value is text by itself. In UTF-8 that is said of a whole value as of its pieces: a line
    /// break inside a character may be where one ends.
    pub(super) fn decodes_part(&self, raw: &[u8]) -> bool {
        if self.writing.charset() == Charset::UTF_8 { is_utf_8(raw) } else { self.writing.decodes(raw) }
    }

    /// Whether a piece of a value that [`check`](Self::check) finds nothing wrong with [decodes](Self::decodes_part). Otherwise
    /// that is another question: the check looks through line breaks inside characters, and not at all of a long text.
    pub(super) fn is_checked_in_full(&self, raw: &[u8]) -> bool {
        self.writing.charset() == Charset::UTF_8 && raw.len() <= FULLY_CHECKED && !raw.contains(&b'\\')
    }

    /// A value did not make sense when read by character, so from here on values end by byte. One cut name is enough for
    /// that, and says nothing about the text of the others.
    pub(super) fn read_by_byte(&mut self) {
        self.by_character = false;
        self.writing = Writing::by_sense(self.writing.charset());
    }
}

/// Whether all that is not ASCII is one byte, or the same again and again. In a move or number, that is damage rather than text,
/// and says nothing against what the text before it has shown. Where nothing has shown anything, it may be a `½`.
fn is_one_damage(raw: &[u8]) -> bool {
    let mut others = raw.iter().filter(|byte| !byte.is_ascii());
    let first = others.next();
    others.all(|byte| Some(byte) == first)
}

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) writing: Writing,
    /// The value is text, as far as it was looked at.
    pub(super) decodes: bool,
    /// It is, or may be in UTF-8.
    pub(super) makes_sense: bool,
}
