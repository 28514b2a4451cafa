//! Double: how much of something.

use crate::semantics::ValueError;
use crate::semantics::lenient;
use crate::syntax::{FromValue, Value};

/// The standard's Double: `1` is normal, `2` emphasized, as in good and very good for Black.
///
/// Read leniently, an empty value and a mark of one letter (`x`) are normal too. Longer text is not read, because
/// archives use `TE` for the name of a tournament. The standard has these two values and no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Double {
    /// `1`
    #[default]
    Normal,
    /// `2`
    Emphasized,
}

impl FromValue<'_> for Double {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        match value.raw() {
            b"1" => Ok(Self::Normal),
            b"2" => Ok(Self::Emphasized),
            [] => Err(ValueError::Empty),
            _ => Err(ValueError::Malformed),
        }
    }

    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        let text = lenient::plain(value);
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some('2'), None) => Ok(Self::Emphasized),
            (None, _) | (Some('1'), None) => Ok(Self::Normal),
            (Some(mark), None) if !mark.is_numeric() => Ok(Self::Normal),
            (Some(_), None) => Err(ValueError::OutOfRange),
            _ => Err(ValueError::Malformed),
        }
    }
}
