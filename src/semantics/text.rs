//! Text, SimpleText and None.
//!
//! Owns the types only: how escapes, line breaks and charsets become text is what the value itself knows. Invariant: no
//! text is ever an error, as whatever stands between the brackets is one.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::ops::Deref;

use crate::semantics::ValueError;
use crate::syntax::{FromValue, Value};

macro_rules! text {
    ($(#[$doc:meta])* $name:ident $method:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name<'a>(pub Cow<'a, str>);

        impl<'a> FromValue<'a> for $name<'a> {
            type Err = Infallible;

            #[inline]
            fn from_value(value: Value<'a>) -> Result<Self, Infallible> {
                Ok(Self(value.$method()))
            }
        }

        impl Deref for $name<'_> {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

text! {
    /// The standard's Text, as [`Value::text`] reads it. Any value is one.
    Text text
}

text! {
    /// The standard's SimpleText, as [`Value::simple_text`] reads it. Any value is one.
    SimpleText simple_text
}

/// The standard's None, for a property whose presence says everything, such as `KO[]`.
///
/// Read leniently, any value is one, since the value does not change what the property says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoneValue;

impl FromValue<'_> for NoneValue {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        if value.raw().is_empty() { Ok(Self) } else { Err(ValueError::Malformed) }
    }

    fn from_value_lenient(_: Value<'_>) -> Result<Self, ValueError> {
        Ok(Self)
    }
}
