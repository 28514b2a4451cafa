//! What ends reading for good.
//!
//! Owns [`Error`]. Problems are not errors: they are events, and reading goes on after them.

use std::fmt;
use std::io;

use crate::syntax::Problem;
use crate::text::Charset;

/// Reading cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The first problem, under [`Config::strict`](crate::Config::strict). Every later call returns it again.
    Strict(Problem),
    /// The source failed. A [`Reader`](crate::Reader) has lost nothing: a later call asks the source again. After
    /// [`Blocks`](crate::Blocks) and [`ParallelReader`](crate::ParallelReader), nothing more comes.
    Io(io::Error),
    /// More bytes came after `finish`; [`Parser::reset`](crate::Parser::reset) starts a new input.
    Finished,
    /// The source is in a charset that has to be recoded, which [`events`](crate::events) cannot do: its values are
    /// borrowed from the slice.
    Recoded(Charset),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Strict(problem) => problem.fmt(f),
            Self::Io(_) => f.write_str("the source could not be read"),
            Self::Finished => f.write_str("bytes after the end of the input"),
            Self::Recoded(charset) => write!(f, "{charset} can't be read in place: it has to be recoded before"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn an_error_keeps_its_source() {
        let error = Error::from(io::Error::other("torn"));
        assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("torn"));
        assert!(Error::Finished.source().is_none());
    }
}
