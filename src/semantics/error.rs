//! What is wrong with a value.
//!
//! Owns [`ValueError`], one for all types that are read from a value, so that the same code can read any of them. Refuses to
//! know which value it was, and of which property.

use std::convert::Infallible;
use std::fmt;

/// Why a value is not of the requested type. [`Value::position`](crate::Value::position) says where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueError {
    /// Nothing between the brackets, though a value is required.
    Empty,
    /// Not in the form of the type.
    Malformed,
    /// The right form, but more than the type holds or the standard allows.
    OutOfRange,
    /// A point that the board does not have.
    OffBoard,
    /// A point of a game whose points no document defines.
    Undefined,
    /// A rectangle whose corners are not upper left and lower right, in this order.
    Corners,
    /// No `:` in a value that is composed of two.
    NotComposed,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "an empty value where one is due",
            Self::Malformed => "not of this type",
            Self::OutOfRange => "out of range",
            Self::OffBoard => "a point that is not on the board",
            Self::Undefined => "a game whose points no document defines",
            Self::Corners => "corners other than upper left and lower right",
            Self::NotComposed => "no `:` in a composed value",
        })
    }
}

impl std::error::Error for ValueError {}

impl From<Infallible> for ValueError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
