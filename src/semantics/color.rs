//! Color: Black or White.

use std::fmt;

use crate::semantics::ValueError;
use crate::semantics::lenient;
use crate::syntax::{FromValue, Value};

/// The standard's Color, `B` or `W`.
///
/// Read leniently, it may be a lower-case letter, a word (`black`, `White to play`, `黑`, `白`), or `1` and `2` as
/// FF\[1\] programs and Pentobi write them. There are no other colours in SGF; for more players see
/// [`blokus`](crate::semantics::blokus).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// `B`
    Black,
    /// `W`
    White,
}

impl Color {
    /// The other one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// As the standard writes it, `B` or `W`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "B",
            Self::White => "W",
        })
    }
}

impl FromValue<'_> for Color {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        match value.raw() {
            b"B" => Ok(Self::Black),
            b"W" => Ok(Self::White),
            [] => Err(ValueError::Empty),
            _ => Err(ValueError::Malformed),
        }
    }

    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        let text = lenient::plain(value);
        let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(first));
        if is(&["B", "black", "1", "黑", "黒", "흑"]) {
            Ok(Self::Black)
        } else if is(&["W", "white", "2", "白", "백"]) {
            Ok(Self::White)
        } else if text.is_empty() {
            Err(ValueError::Empty)
        } else {
            Err(ValueError::Malformed)
        }
    }
}
