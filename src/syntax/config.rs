//! The choices a reader is built with.
//!
//! Owns [`Config`]; what the choices do is the engine's business.

use crate::syntax::Limits;

/// How a reader reads: leniently and within [`Limits::new`], unless told otherwise.
///
/// ```
/// use sgf_stream::{Config, Limits};
///
/// let config = Config::new().strict(true).limits(Limits::untrusted());
/// # let _ = config;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pub(crate) strict: bool,
    pub(crate) limits: Limits,
}

impl Config {
    /// Lenient, with the limits for archives.
    pub const fn new() -> Self {
        Self { strict: false, limits: Limits::new() }
    }

    /// With `true`, the first problem is a fatal error. Nothing before it changes: the events are those of lenient
    /// reading.
    #[must_use]
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// What is read before the rest is skipped.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
