//! A name that names nothing.
//!
//! Owns [`UnknownName`], the error of looking up a name in one of the crate's lists.

use std::fmt;

/// Nothing of the kind has this name: no [`ProblemKind`](crate::ProblemKind), or no [`Column`](crate::record::Column).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownName {
    /// What was looked for.
    pub(crate) kind: &'static str,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} has this name", self.kind)
    }
}

impl std::error::Error for UnknownName {}
