//! Which charset a text is in, once everything that matters is known.
//!
//! Owns [`Case`], which answers for one text at a time and remembers nothing, and [`Questions`]: the questions whose answers
//! depended on the games before, so that they can be asked again if those games turn out to be others. Refuses to know
//! which texts a game has.

use memchr::memchr;

use crate::text::decide::declared::Declared;
use crate::text::decide::neighbours::REMEMBERED;
use crate::text::decide::utf8::{Utf8, are_cut, is_certain_utf_8, is_made};
use crate::text::guess::fit::mostly_decodes;
use crate::text::guess::{Guess, Guesser};
use crate::text::{Charset, Charsets, How, Learnt, text};

/// All that is known about a text besides its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) detection: Charsets,
    pub(super) declared: Declared,
    /// The stream begins with the mark of UTF-8.
    pub(super) is_marked: bool,
    /// The text may be what was recoded to UTF-8 between marks in the stream.
    pub(super) may_be_made: bool,
    /// What the games before were written in.
    pub(super) usual: Option<Charset>,
}

impl Case {
    /// Judges the text by itself; and returns whether the games before mattered to that.
    pub(super) fn judge(self, sample: &[u8]) -> (Learnt, bool) {
        self.judge_growing(sample, &mut Guesser::new())
    }

    /// Judges a text that grows by whole lines, of which `guesser` knows the beginning.
    pub(super) fn judge_growing(self, sample: &[u8], guesser: &mut Guesser) -> (Learnt, bool) {
        if self.is_marked {
            let utf8 = Utf8::of(sample);
            let is_any = utf8.is_valid() || utf8.is_damaged() || utf8.is_mostly() || are_cut(sample);
            // If games in a charset of two bytes have followed, text that could be in that charset no longer belongs to
            // the file with the mark.
            let is_asked = !utf8.is_certain();
            if !is_asked || (is_any && self.usual.is_none_or(|usual| usual.is_single_byte() || usual == Charset::UTF_8))
            {
                return (Learnt::new(Charset::UTF_8, How::Bom), is_asked);
            }
            return (Self { is_marked: false, ..self }.judge_growing(sample, guesser).0, true);
        }
        if self.may_be_made && is_made(sample) {
            let is_declared = self.declared == Declared::As(Charset::UTF_8);
            return (Learnt::new(Charset::UTF_8, if is_declared { How::Declared } else { How::Bytes }), false);
        }
        if let Declared::As(charset) = self.declared
            && !(charset.is_single_byte() || charset == Charset::UTF_8)
            && !is_certain_utf_8(sample)
            && decodes(charset, sample)
        {
            // Most text of labelled games; this is quickly known.
            return (Learnt::new(charset, How::Declared), false);
        }
        if self.detection == Charsets::Auto
            && !matches!(self.declared, Declared::As(_))
            && let Some(usual) = self.usual
            && guesser.is_plainly(usual, sample)
        {
            return (Guess::new(usual, true).into(), true);
        }
        let utf8 = Utf8::of(sample);
        match self.without_neighbours(utf8, sample) {
            Some(learnt) => (learnt, false),
            None if self.detection == Charsets::Auto => (self.among_neighbours(utf8, sample, guesser), true),
            None if utf8.is_valid() || utf8.is_damaged() => (Learnt::new(Charset::UTF_8, How::Bytes), false),
            None => (Learnt::new(Charset::WINDOWS_1252, How::Fallback), false),
        }
    }

    fn without_neighbours(self, utf8: Utf8, sample: &[u8]) -> Option<Learnt> {
        let by_bytes = Learnt::new(Charset::UTF_8, How::Bytes);
        if utf8.is_certain() && self.declared != Declared::As(Charset::UTF_8) {
            return Some(by_bytes);
        }
        let Declared::As(charset) = self.declared else { return None };
        let declared = Learnt::new(charset, How::Declared);
        if charset == Charset::UTF_8 {
            let is_it = utf8.is_valid() || utf8.is_damaged() || utf8.is_mostly() || are_cut(sample);
            return is_it.then_some(declared);
        }
        if charset.is_single_byte() {
            // Any bytes are text in such a charset, so that proves nothing.
            return Some(if utf8.is_hardly_damaged() { by_bytes } else { declared });
        }
        // Not all of the text is valid in the charset.
        (!utf8.is_damaged() && mostly_decodes(charset, sample)).then_some(declared)
    }

    fn among_neighbours(self, utf8: Utf8, sample: &[u8], guesser: &mut Guesser) -> Learnt {
        let by_bytes = Learnt::new(Charset::UTF_8, How::Bytes);
        let other = self.usual.filter(|&usual| !usual.is_single_byte() && usual != Charset::UTF_8);
        if utf8.is_valid() || utf8.is_damaged() {
            // Two bytes that form a character of UTF-8 may also be one in the neighbours' charset. Text that is valid
            // there is not damaged UTF-8.
            return match other.filter(|&other| decodes(other, sample)) {
                Some(charset) => Guess::new(charset, false).into(),
                None => by_bytes,
            };
        }
        if self.usual == Some(Charset::UTF_8) && utf8.is_mostly() {
            return by_bytes;
        }
        guesser.guess(sample, self.usual).into()
    }
}

/// Whether all of a raw value is text, in either meaning of its escapes.
pub(super) fn decodes(charset: Charset, raw: &[u8]) -> bool {
    charset.decodes(raw) || (!charset.is_single_byte() && memchr(b'\\', raw).is_some() && charset.decodes(&text(raw)))
}

/// How many bytes of a part's text are kept. The first games of a usual block have a tenth of that.
const KEPT: usize = 64 << 10;

/// What a part of a source, which was read on an assumption about the games before it, has looked up about them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    noted: Vec<Question>,
    /// Their texts.
    texts: Vec<u8>,
    /// More was looked up than is kept.
    are_lost: bool,
}

#[derive(Clone, Copy, Debug)]
struct Question {
    /// How many games of the part had a charset before this one; after [`REMEMBERED`], nothing from before the part matters.
    games: usize,
    case: Case,
    len: usize,
    answer: Learnt,
}

impl Questions {
    pub(super) fn note(&mut self, games: usize, case: Case, text: &[u8], answer: Learnt) {
        if games >= REMEMBERED || self.are_lost {
            return;
        }
        self.are_lost = self.texts.len() + text.len() > KEPT;
        if !self.are_lost {
            self.texts.extend_from_slice(text);
            self.noted.push(Question { games, case, len: text.len(), answer });
        }
    }

    pub(super) fn are_none(&self) -> bool {
        self.noted.is_empty() && !self.are_lost
    }

    /// Whether every answer would have been the same if `usual` had been the usual charsets where the part began and
    /// after each of its games.
    pub(super) fn are_answered_alike(&self, usual: &[Option<Charset>; REMEMBERED]) -> bool {
        let mut texts = &self.texts[..];
        !self.are_lost
            && self.noted.iter().all(|ask| {
                let (text, rest) = texts.split_at(ask.len);
                texts = rest;
                let usual = usual[ask.games];
                usual == ask.case.usual || Case { usual, ..ask.case }.judge(text) == (ask.answer, true)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(usual: Option<Charset>) -> Case {
        let declared = Declared::Nothing;
        Case { detection: Charsets::Auto, declared, is_marked: false, may_be_made: false, usual }
    }

    #[test]
    fn only_answers_that_depend_on_earlier_games_may_change() {
        let name = Charset::GBK.encode("蒲甫").unwrap();
        let known = Charset::GBK.encode("黑中盘胜 第10届LG杯决赛 九段").unwrap();
        let usual = |first| {
            let mut usual = [Some(Charset::GBK); REMEMBERED];
            usual[0] = first;
            usual
        };
        for (text, alike) in [(&name, false), (&known, true)] {
            let mut questions = Questions::default();
            let case = among(Some(Charset::GBK));
            let (answer, asked) = case.judge(text);
            assert!(asked && questions.are_answered_alike(&usual(Some(Charset::EUC_KR))));
            questions.note(0, case, text, answer);
            assert!(questions.are_answered_alike(&usual(Some(Charset::GBK))));
            assert_eq!(questions.are_answered_alike(&usual(Some(Charset::EUC_KR))), alike);
        }
    }

    #[test]
    fn answers_that_earlier_games_cannot_change_are_not_kept() {
        let name = Charset::GBK.encode("蒲甫").unwrap();
        let case = among(Some(Charset::GBK));
        let mut questions = Questions::default();
        questions.note(REMEMBERED, case, &name, case.judge(&name).0);
        assert!(questions.are_none());
        questions.note(REMEMBERED - 1, case, &name, case.judge(&name).0);
        assert!(!questions.are_none());
    }

    #[test]
    fn beyond_the_kept_text_answers_may_always_change() {
        let case = among(None);
        let long = vec![0xE4; KEPT];
        let mut questions = Questions::default();
        questions.note(0, case, &long, case.judge(&long).0);
        assert!(questions.are_answered_alike(&[None; REMEMBERED]));
        questions.note(0, case, b"\xE4", case.judge(b"\xE4").0);
        assert!(!questions.are_none() && !questions.are_answered_alike(&[None; REMEMBERED]));
    }
}
