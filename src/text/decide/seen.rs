//! What the text of a game shows of its charset, value by value.
//!
//! Owns when the text so far is judged, and when it is judged again: a judgement costs more than reading does. Invariant:
//! one damaged value overturns neither a label nor what many others have shown. Refuses to know how a text is judged, which
//! is for `judge`, and what is known from outside the text.

use super::CharsetOfGame;
use crate::text::decide::declared::Declared;
use crate::text::decide::judge::{Case, decodes};
use crate::text::decide::sample::clipped;
use crate::text::decide::utf8::{Utf8, is_certain_utf_8, unbroken};
use crate::text::guess::JUDGED;
use crate::text::guess::fit::{mostly_decodes, nearly_decodes};
use crate::text::guess::spelling::is_spelled;
use crate::text::{Charset, Charsets, How, Learnt, is_utf_8};

/// What a text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The label, or what was learnt before, is wrong; the charset is another one from here.
    pub(crate) contradicted: bool,
    /// All of the text is valid in the charset.
    pub(crate) decodes: bool,
}

/// Bytes of text after which a sure guess is not made again: what is sure after two words may be wrong, but hardly
/// after this many. Waiting for all of [`JUDGED`] would cost several times as much as reading the game.
const ENOUGH: usize = 128;

impl CharsetOfGame {
    /// Text of the game that is not ASCII and is seen all at once, before any is delivered and while the charset is
    /// open. True if it contradicts what was known.
    pub(crate) fn see_all<'a>(&mut self, mut texts: impl Iterator<Item = &'a [u8]>) -> bool {
        let Some(first) = texts.next() else { return false };
        let Some(second) = texts.next() else {
            // Whether a value ends in sight depends on where the input is cut.
            return self.see(first).contradicted;
        };
        self.has_text = true;
        // A single one may look like something that all of them together are not.
        for text in [first, second].into_iter().chain(texts) {
            self.sample.keep(clipped(&unbroken(text)));
        }
        self.judge_first()
    }

    /// Text of the game, in its order, each piece once: raw values, or all that was held of the root. Only what is not
    /// ASCII matters. Afterwards [`learnt`](Self::learnt) holds for this text too.
    pub(crate) fn see(&mut self, raw: &[u8]) -> Seen {
        let fine = Seen { contradicted: false, decodes: true };
        if raw.is_ascii() || self.detection == Charsets::Raw {
            return fine;
        }
        if let Some(given) = self.given {
            return Seen { decodes: decodes(given.charset(), raw), ..fine };
        }
        self.has_text = true;
        let (value, joined) = (raw, unbroken(raw));
        let raw = &*joined;
        let so_far = self.learnt();
        if so_far.charset() == Charset::UTF_8 && !so_far.is_weak() && so_far.how() != How::Unneeded && is_utf_8(raw) {
            // Most text that is not ASCII. It is no surprise, and no evidence except for what was declared.
            if self.declaration.declared != Declared::As(Charset::UTF_8) {
                self.sample.keep(clipped(raw));
            }
            self.learnt = Some(so_far);
            return fine;
        }
        let (value, raw) = (clipped(value), clipped(raw));
        self.sample.keep(raw);
        let Some(before) = self.learnt else {
            let contradicted = self.judge_first();
            return Seen { contradicted, decodes: decodes(self.learnt().charset(), value) };
        };
        let fits = decodes(before.charset(), value);
        let now = self.again(before, raw, fits);
        if self.sample.has_doubled() {
            self.sample.note_judged();
        }
        self.learnt = Some(now);
        let contradicted = now.charset() != before.charset();
        Seen { contradicted, decodes: if contradicted { decodes(now.charset(), value) } else { fits } }
    }

    /// Judges the text so far, of which none was judged before. True if it contradicts what was known.
    fn judge_first(&mut self) -> bool {
        let now = self.judge_sample();
        self.sample.note_judged();
        self.learnt = Some(now);
        let expected = match self.declaration.declared {
            Declared::As(charset) => Some(charset),
            Declared::Ascii => None,
            Declared::Nothing | Declared::Useless if self.is_marked => Some(Charset::UTF_8),
            Declared::Nothing | Declared::Useless => Some(now.charset()),
        };
        // A label that contradicts the mark was reported already.
        now.how() != How::Bom && expected != Some(now.charset())
    }

    /// Judges all of the text so far.
    pub(super) fn judge_sample(&mut self) -> Learnt {
        let case = self.case();
        let (learnt, asked) = self.sample.judge(case);
        if asked && let Some(questions) = &mut self.questions {
            questions.note(self.games, case, self.sample.bytes(), learnt);
        }
        learnt
    }

    /// Judges a text by itself.
    fn judge(&mut self, text: &[u8]) -> Learnt {
        let case = self.case();
        let (learnt, asked) = case.judge(text);
        if asked && let Some(questions) = &mut self.questions {
            questions.note(self.games, case, text, learnt);
        }
        learnt
    }

    fn case(&self) -> Case {
        let (declared, is_marked) = (self.declaration.declared, self.is_marked);
        let may_be_made = self.declaration.may_be_made();
        Case { detection: self.detection, declared, is_marked, may_be_made, usual: self.usual }
    }

    /// Judges the game again after one more text, which is in the sample already. `fits`: it is valid in the charset
    /// that was learnt.
    fn again(&mut self, learnt: Learnt, raw: &[u8], fits: bool) -> Learnt {
        let charset = learnt.charset();
        if charset == Charset::UTF_8 {
            let utf8 = Utf8::of(raw);
            // Damage changes nothing. Text that is not UTF-8 at all does, if it is more than a letter.
            if !utf8.is_other() || utf8.is_valid() {
                return learnt;
            }
            let is_long = raw.iter().filter(|byte| !byte.is_ascii()).count() >= 8;
            // Otherwise only the label counts, and a judgement would take longer than all the rest.
            if !is_long && !matches!(self.declaration.declared, Declared::As(charset) if charset != Charset::UTF_8) {
                return learnt;
            }
            let alone = self.judge(raw);
            return if alone.how() == How::Declared || is_long { alone } else { learnt };
        }
        let fits = fits && !charset.is_single_byte();
        if is_certain_utf_8(raw) && (!fits || self.sample.is_certain_utf_8()) {
            return Learnt::new(Charset::UTF_8, How::Bytes);
        }
        let enough = if learnt.how() == How::Guessed && learnt.is_sure() { ENOUGH } else { JUDGED };
        if learnt.is_weak() && self.sample.judged() < enough && self.sample.has_doubled() {
            return self.judge_sample();
        }
        if fits || charset.is_single_byte() || nearly_decodes(charset, raw) {
            return learnt;
        }
        if learnt.how() == How::Declared && !Utf8::of(raw).is_damaged() && self.sample.mostly_decodes(charset) {
            // One damaged value is no proof against a label and all the others.
            return learnt;
        }
        let alone = self.judge(raw);
        // Halves of characters are taken for letters, but are not written as words are.
        let are_halves = || {
            let letters = alone.charset();
            learnt.is_sure() && letters.is_single_byte() && !is_spelled(letters, raw) && mostly_decodes(charset, raw)
        };
        if alone.how() == How::Fallback || are_halves() { learnt } else { alone }
    }
}
