//! What can go wrong with an archive.

use std::fmt;
use std::io;

/// Why an archive, or a member of it, can't be read or can't be read on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The source failed, or what is in it is damaged.
    Io(io::Error),
    /// An archive or a compression that is not read: its name.
    Unsupported(&'static str),
    /// It takes a password.
    Encrypted,
    /// A volume is not there: its name.
    MissingVolume(String),
    /// A volume that is not the first; the name of that.
    NotTheFirstVolume(String),
    /// Its structure makes no sense: where.
    Damaged(&'static str),
    /// Over [`Limits::nesting`](crate::archive::Limits::nesting).
    TooDeep(usize),
    /// Over [`Limits::members`](crate::archive::Limits::members).
    TooManyMembers(u64),
    /// Over [`Limits::bytes`](crate::archive::Limits::bytes).
    TooManyBytes(u64),
    /// Over [`Limits::ratio`](crate::archive::Limits::ratio).
    Ratio(u64),
    /// Over [`Limits::window`](crate::archive::Limits::window).
    Window {
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that it may take.
        allowed: u64,
    },
    /// Over [`Limits::spool`](crate::archive::Limits::spool).
    TooLongToSpool(u64),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Unsupported(what) => write!(f, "{what} is not read"),
            Self::Encrypted => write!(f, "it is encrypted"),
            Self::MissingVolume(name) => write!(f, "the volume {name} is missing"),
            Self::NotTheFirstVolume(name) => write!(f, "a volume that is read with the first one, {name}"),
            Self::Damaged(place) => write!(f, "damaged archive: {place}"),
            Self::TooDeep(limit) => write!(f, "over {limit} archives and compressions in each other"),
            Self::TooManyMembers(limit) => write!(f, "over {limit} entries: the rest is not read"),
            Self::TooManyBytes(limit) => write!(f, "it unpacks to over {limit} bytes: the rest is not read"),
            Self::Ratio(limit) => write!(f, "it unpacks to over {limit} times its length: the rest is not read"),
            Self::Window { needed, allowed } => {
                write!(f, "unpacking takes {needed} bytes of memory, and {allowed} are allowed")
            }
            Self::TooLongToSpool(limit) => {
                write!(f, "over {limit} bytes from a pipe, which this kind of archive can't be read from: name a file")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}

/// A reader of one of our own may be behind an I/O error.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) => Self::Io(error),
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => error,
            error => Self::other(error),
        }
    }
}

/// What there is to say of an archive beside its members.
#[derive(Debug)]
#[non_exhaustive]
pub enum Trouble {
    /// It, or the rest of it, is not read.
    Error(Error),
    /// So many bytes stand after its end, and were passed over.
    BytesAfterEnd(u64),
    /// Nothing in it was chosen to be read.
    Nothing,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::BytesAfterEnd(1) => write!(f, "1 byte after the end of the archive was passed over"),
            Self::Nothing => write!(f, "no .sgf member in this archive"),
            Self::BytesAfterEnd(count) => write!(f, "{count} bytes after the end of the archive were passed over"),
        }
    }
}
