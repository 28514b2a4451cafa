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
            Self::Io(error) => error.fmt(f),
            Self::Finished => f.write_str("bytes after the end of the input"),
            Self::Recoded(charset) => write!(f, "{charset} can't be read in place: it must be recoded first"),
        }
    }
}

/// It displays the error of the source, so its cause is that error's cause.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The error of the source itself. Others become [`InvalidData`](io::ErrorKind::InvalidData).
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => error,
            error => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn an_error_says_why_the_source_failed() {
        let error = Error::from(io::Error::other(Error::from(io::Error::other("torn"))));
        assert_eq!(error.to_string(), "torn");
        assert!(error.source().is_none(), "nothing is said twice");
        let caused = || std::ffi::CString::new(b"\xFF").unwrap().into_string().unwrap_err();
        let error = Error::from(io::Error::other(caused()));
        assert_eq!(error.to_string(), caused().to_string());
        assert!(error.source().unwrap().is::<std::str::Utf8Error>());
        assert!(Error::Finished.source().is_none());
    }

    #[test]
    fn an_error_of_the_source_stays_the_same() {
        let torn = io::Error::from(Error::from(io::Error::from(io::ErrorKind::ConnectionReset)));
        assert_eq!(torn.kind(), io::ErrorKind::ConnectionReset);
        let other = io::Error::from(Error::Finished);
        assert_eq!(other.kind(), io::ErrorKind::InvalidData);
        assert_eq!(other.to_string(), Error::Finished.to_string());
    }
}
