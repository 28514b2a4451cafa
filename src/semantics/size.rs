//! Size: what SZ says.
//!
//! Owns [`Size`] and how it is written. Invariant: what is read has from 1 to [`Size::MAX`] columns and rows. Refuses to know which
//! sizes a game allows, and its default: that is for [`GameType`](crate::semantics::GameType).

use std::fmt;

use crate::semantics::number;
use crate::semantics::{ValueError, lenient};
use crate::syntax::{FromValue, Value};

/// The size of a board as SZ states it: `19`, or `19:13` for columns and rows.
///
/// Strictly, a square board is one number, as in the standard. Read leniently, it may be written `19:19`, and `19x13`,
/// `19路` and `19.0` are read too. From 1 to [`Size::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Columns, from 1.
    pub columns: u16,
    /// Rows, from 1.
    pub rows: u16,
}

impl Size {
    /// The most columns or rows that are read: those of Twixt, for which the standard allows the largest boards.
    pub const MAX: u16 = 702;

    /// A board with as many rows as columns.
    pub const fn square(side: u16) -> Self {
        Self { columns: side, rows: side }
    }
}

/// `19` or `19:13`, as SZ has it.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.columns == self.rows {
            return self.columns.fmt(f);
        }
        write!(f, "{}:{}", self.columns, self.rows)
    }
}

impl FromValue<'_> for Size {
    type Err = ValueError;

    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        let Some((columns, rows)) = value.compose() else {
            return side(value.raw()).map(Self::square);
        };
        let size = Self { columns: side(columns.raw())?, rows: side(rows.raw())? };
        if size.columns == size.rows { Err(ValueError::Malformed) } else { Ok(size) }
    }

    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        Self::from_value(value).or_else(|_| {
            let text = lenient::plain(value);
            // What players call a board of 19 lines in Chinese, Japanese and Korean.
            let text = ["路盘", "路盤", "路", "줄"].iter().find_map(|lines| text.strip_suffix(lines)).unwrap_or(&text);
            let side = |text: &str| side(number::without_fraction(text.trim()).as_bytes());
            match text.split_once([':', 'x', 'X', '*', '×', ',']) {
                Some((columns, rows)) => Ok(Self { columns: side(columns)?, rows: side(rows)? }),
                None => side(text).map(Self::square),
            }
        })
    }
}

fn side(raw: &[u8]) -> Result<u16, ValueError> {
    let side = u16::try_from(number::integer(raw)?).map_err(|_| ValueError::OutOfRange)?;
    if (1..=Size::MAX).contains(&side) { Ok(side) } else { Err(ValueError::OutOfRange) }
}
