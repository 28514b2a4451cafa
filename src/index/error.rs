//! What can go wrong with a sink.

use std::error::Error as StdError;
use std::fmt;
use std::io;

/// Why rows could not be kept.
///
/// After an error nothing is known of the rows since the last [`commit`](crate::index::Sink::commit). The rows before
/// it are safe.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Writing failed.
    Io(io::Error),
    /// What exists already is not what it has to be: why.
    Unfit(String),
    /// A sink of your own, or a library behind one of ours, has failed.
    Sink(Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// An error of a sink of your own.
    pub fn sink(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Sink(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Unfit(reason) => f.write_str(reason),
            Self::Sink(error) => error.fmt(f),
        }
    }
}

/// It displays the error that it wraps, so its source is that error's source.
impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Unfit(_) => None,
            Self::Sink(error) => error.source(),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
