//! Where a charset may come from, and where it did.
//!
//! Owns [`Charsets`], the caller's choice, and [`Learnt`]. Refuses to know how a charset is worked out from bytes.

use crate::text::Charset;
use crate::text::guess::Guess;

/// What to do if a game does not say its charset, or is wrong about it.
///
/// Text is examined until it is clear what it is, within the first 2 MiB of a game; no real game is longer. Text that
/// comes first after that has the charset that the game declares, or UTF-8 if it declares none.
///
/// The encoding modes of SGFC and libsgfc++ correspond to these. These programs read text with neither CA nor a byte
/// order mark as ISO-8859-1.
///
/// | mode | what it does | here |
/// | --- | --- | --- |
/// | 1 | the whole stream is in one charset, by its mark or its first CA | [`Once`](Self::Once), [`EscapeUnit::Character`](crate::text::EscapeUnit::Character) |
/// | 2 | each game is in the charset of its CA | [`Declared`](Self::Declared), [`EscapeUnit::Byte`](crate::text::EscapeUnit::Byte) |
/// | 3 | nothing is decoded | [`Raw`](Self::Raw) |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Charsets {
    /// As the game declares. If that does not help, text that is valid UTF-8 is UTF-8, and other text is windows-1252,
    /// as in the standard.
    #[default]
    Declared,
    /// A guess, from the text of the game and from the games before it.
    Auto,
    /// As [`Declared`](Self::Declared), and the first game with both a label and text that is not ASCII settles the charset
    /// of all that follow, if games are [remembered](crate::Config::remember_charsets).
    Once,
    /// Nothing is decided: all text counts as UTF-8, as far as it is.
    Raw,
    /// All text is in this charset, whatever the games say.
    Forced(Charset),
}

/// How a charset was learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Not at all: the text so far is ASCII, or the charset is of no interest.
    Unneeded,
    /// The caller knows.
    Forced,
    /// By the byte order mark at the start of the stream, which the text does not contradict.
    Bom,
    /// By the bytes of the text or the stream, which are Unicode.
    Bytes,
    /// By the label in CA, which the text does not contradict.
    Declared,
    /// From the first game that had a charset.
    Earlier,
    /// By a guess.
    Guessed,
    /// Nothing else was left.
    Fallback,
}

/// A charset, and how it was learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Learnt {
    charset: Charset,
    how: How,
    /// For a guess: there was enough text to know.
    is_sure: bool,
    /// For a guess: what counts among the neighbours of the next games.
    alone: Charset,
}

impl Learnt {
    pub(crate) const fn new(charset: Charset, how: How) -> Self {
        Self { charset, how, is_sure: true, alone: charset }
    }

    /// The charset.
    pub(crate) const fn charset(self) -> Charset {
        self.charset
    }

    /// What it would be if its neighbours did not count, among charsets of one byte.
    pub(super) const fn alone(self) -> Charset {
        self.alone
    }

    /// How it was learnt.
    pub(crate) const fn how(self) -> How {
        self.how
    }

    /// Whether there was enough text to know.
    pub(crate) fn is_sure(self) -> bool {
        self.is_sure
    }

    /// Whether other text may prove it wrong.
    pub(crate) fn is_weak(self) -> bool {
        matches!(self.how, How::Guessed | How::Fallback)
    }
}

impl From<Guess> for Learnt {
    fn from(guess: Guess) -> Self {
        Self { charset: guess.charset, how: How::Guessed, is_sure: guess.is_sure, alone: guess.alone }
    }
}

#[cfg(test)]
impl Learnt {
    /// This charset, as a guess from little text.
    pub(crate) const fn unsure(self) -> Self {
        Self { is_sure: false, ..self }
    }
}
