//! Compose: two values in one, and values that may be missing.
//!
//! Owns [`Compose`] and its error. Invariant: an error says which half it is in. Where the `:` is, [`Value::compose`] knows.

use std::fmt;

use crate::semantics::ValueError;
use crate::semantics::lenient;
use crate::syntax::{FromValue, Value};

/// The standard's Compose: two values with a `:` between them, as `LB[dd:A]` is a `Compose<Point, SimpleText>`.
///
/// It is split at the first unescaped `:`; the second half of `a:b:c` is `b:c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compose<A, B>(pub A, pub B);

impl<'a, A: FromValue<'a>, B: FromValue<'a>> FromValue<'a> for Compose<A, B> {
    type Err = ComposeError<A::Err, B::Err>;

    fn from_value(value: Value<'a>) -> Result<Self, Self::Err> {
        let (first, second) = value.compose().ok_or(ComposeError::NotComposed)?;
        let first = first.parse().map_err(ComposeError::First)?;
        Ok(Self(first, second.parse().map_err(ComposeError::Second)?))
    }

    fn from_value_lenient(value: Value<'a>) -> Result<Self, Self::Err> {
        let (first, second) = value.compose().ok_or(ComposeError::NotComposed)?;
        let first = first.parse_lenient().map_err(ComposeError::First)?;
        Ok(Self(first, second.parse_lenient().map_err(ComposeError::Second)?))
    }
}

/// Which part of a composed value is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ComposeError<A, B> {
    /// There is no `:`.
    NotComposed,
    /// The value before the `:`.
    First(A),
    /// The value after the `:`.
    Second(B),
}

impl<A: Into<ValueError>, B: Into<ValueError>> From<ComposeError<A, B>> for ValueError {
    fn from(error: ComposeError<A, B>) -> Self {
        match error {
            ComposeError::NotComposed => Self::NotComposed,
            ComposeError::First(error) => error.into(),
            ComposeError::Second(error) => error.into(),
        }
    }
}

impl<A: fmt::Display, B: fmt::Display> fmt::Display for ComposeError<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotComposed => ValueError::NotComposed.fmt(f),
            Self::First(error) => write!(f, "before the `:`: {error}"),
            Self::Second(error) => write!(f, "after the `:`: {error}"),
        }
    }
}

impl<A: fmt::Debug + fmt::Display, B: fmt::Debug + fmt::Display> std::error::Error for ComposeError<A, B> {}

/// `None` for an empty value: an empty elist, FG without a figure, or a property of the header that nobody filled in
/// (`KM[]`). Read leniently, white space is empty too.
impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    type Err = T::Err;

    fn from_value(value: Value<'a>) -> Result<Self, T::Err> {
        if value.raw().is_empty() { Ok(None) } else { value.parse().map(Some) }
    }

    fn from_value_lenient(value: Value<'a>) -> Result<Self, T::Err> {
        if lenient::plain(value).is_empty() { Ok(None) } else { value.parse_lenient().map(Some) }
    }
}
