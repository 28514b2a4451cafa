//! What a game says of its charset.
//!
//! Owns [`Declaration`]: the value of CA in the game's root, what it means, and whether marks in the stream have
//! changed that. Refuses to know the game's text, which may show that it is wrong.

use crate::text::Charset;
use crate::text::charset::label::{self, LabelError};

/// What CA says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Nothing,
    /// Something useless.
    Useless,
    /// That there is nothing but ASCII.
    Ascii,
    As(Charset),
}

/// What a label means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaning {
    pub(super) charset: Charset,
    /// It promises that no byte has its upper bit set.
    pub(super) is_ascii: bool,
}

/// The longest label that is remembered, in bytes.
const LABEL: usize = 64;

/// What the game in progress declares, and how labels are read in this stream.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) declared: Declared,
    /// The last label and its meaning; most of the time the next game has the same.
    label: Vec<u8>,
    meaning: Option<Result<Meaning, LabelError>>,
    /// Marks in the stream showed which bytes are to be recoded to UTF-8.
    has_marks: bool,
}

impl Declaration {
    pub(super) fn new() -> Self {
        Self { declared: Declared::Nothing, label: Vec::new(), meaning: None, has_marks: false }
    }

    /// Forgets the stream, but keeps the buffer.
    pub(super) fn renew(&mut self) {
        self.has_marks = false;
        self.declared = Declared::Nothing;
    }

    /// The meaning of a label. A stateful charset declared in a stream with marks has become UTF-8.
    pub(super) fn meaning(&mut self, label: &[u8]) -> Result<Meaning, LabelError> {
        let meaning = self.meaning_by_itself(label)?;
        let is_made = self.has_marks && meaning.charset.is_stateful();
        Ok(if is_made { Meaning { charset: Charset::UTF_8, ..meaning } } else { meaning })
    }

    /// The meaning of a label in any stream.
    pub(super) fn meaning_by_itself(&mut self, label: &[u8]) -> Result<Meaning, LabelError> {
        if let Some(meaning) = self.meaning
            && self.label == label
        {
            return meaning;
        }
        let meaning = Charset::for_label(label).map(|charset| Meaning { charset, is_ascii: label::is_ascii(label) });
        self.label.clear();
        self.label.extend_from_slice(&label[..label.len().min(LABEL)]);
        self.meaning = (label.len() <= LABEL).then_some(meaning);
        meaning
    }

    /// Whether text of the game that is UTF-8 is so because marks showed how to recode it.
    pub(super) fn is_made(&self) -> bool {
        let is_labelled = |meaning: Meaning| meaning.charset.is_stateful();
        self.has_marks
            && match self.declared {
                Declared::Nothing => true,
                _ => self.meaning.is_some_and(|meaning| meaning.is_ok_and(is_labelled)),
            }
    }

    /// Whether text may be, whatever it is: a label of another charset is about the bytes outside of marks.
    pub(super) fn may_be_made(&self) -> bool {
        let is_other = matches!(self.declared, Declared::As(charset) if charset != Charset::UTF_8);
        self.has_marks && !is_other
    }

    /// From here on, and in the games to come, text between marks is recoded to UTF-8.
    pub(super) fn recoded_by_marks(&mut self) {
        self.has_marks = true;
        if let Declared::As(charset) = &mut self.declared
            && charset.is_stateful()
        {
            *charset = Charset::UTF_8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_recoded_stream_a_label_means_utf_8() {
        let mut declaration = Declaration::new();
        let charset = |declaration: &mut Declaration| declaration.meaning(b"iso-2022-jp").map(|it| it.charset);
        assert_eq!(charset(&mut declaration), Ok(Charset::ISO_2022_JP));
        declaration.declared = Declared::As(Charset::ISO_2022_JP);
        assert!(!declaration.is_made());
        declaration.recoded_by_marks();
        assert_eq!(declaration.declared, Declared::As(Charset::UTF_8));
        assert!(declaration.is_made());
        assert_eq!(charset(&mut declaration), Ok(Charset::UTF_8));
        declaration.renew();
        assert_eq!(charset(&mut declaration), Ok(Charset::ISO_2022_JP));
    }

    #[test]
    fn a_long_label_is_not_kept() {
        let mut declaration = Declaration::new();
        assert!(declaration.meaning(&vec![b'x'; 1_000_000]).is_err());
        assert!(declaration.label.capacity() < 1_000);
        assert_eq!(declaration.meaning(b"gbk").map(|it| it.charset), Ok(Charset::GBK));
    }
}
