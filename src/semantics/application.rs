//! Application: what AP says.

use std::borrow::Cow;
use std::convert::Infallible;

use crate::semantics::ComposeError;
use crate::syntax::{FromValue, Value};

/// The program that wrote a game, as AP names it: `CGoban:3`.
///
/// Read leniently, it may be a name without a version. A `:` in the name must be escaped, or the version begins there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Application<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its version, if one is given.
    pub version: Option<Cow<'a, str>>,
}

impl<'a> FromValue<'a> for Application<'a> {
    type Err = ComposeError<Infallible, Infallible>;

    fn from_value(value: Value<'a>) -> Result<Self, Self::Err> {
        let (name, version) = value.compose().ok_or(ComposeError::NotComposed)?;
        Ok(Self { name: name.simple_text(), version: Some(version.simple_text()) })
    }

    fn from_value_lenient(value: Value<'a>) -> Result<Self, Self::Err> {
        Ok(value.parse().unwrap_or_else(|_| Self { name: value.simple_text(), version: None }))
    }
}
