//! What can go wrong with a sink.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use crate::index::SqliteOptions;

/// Why rows could not be kept.
///
/// After an error nothing is known of the rows since the last [`commit`](crate::index::Sink::commit). The rows before
/// it are safe.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Writing failed.
    Io(io::Error),
    /// What exists already, or what was asked for, is of no use here: why.
    Unusable(String),
    /// The database is of no use here, because it was made with other options.
    #[non_exhaustive]
    OtherOptions {
        /// What it was made with.
        made: SqliteOptions,
        /// What was asked for.
        wanted: SqliteOptions,
    },
    /// Your own sink, or a library behind one of this crate's sinks, has failed.
    Sink(Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// Wraps an error of your own sink.
    pub fn sink(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Sink(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Unusable(reason) => f.write_str(reason),
            Self::OtherOptions { .. } => f.write_str("it was made with other options"),
            Self::Sink(error) => error.fmt(f),
        }
    }
}

/// It displays the error that it wraps, so its source is that error's source.
impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Unusable(_) | Self::OtherOptions { .. } => None,
            Self::Sink(error) => error.source(),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
