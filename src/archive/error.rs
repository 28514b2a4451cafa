//! What can go wrong with an archive.
//!
//! Owns [`Error`] and [`Trouble`], and the words for them. They tell what is wrong, and not with which input or member:
//! whoever reports them has the name.

use std::fmt;
use std::io;

use crate::archive::{Unsupported, temp_dir};

/// Why an archive, or a member of it, can't be read, or not to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The source failed, or what is in it is damaged.
    Io(io::Error),
    /// It is in a format, or packed by a method, that is not supported.
    Unsupported(Unsupported),
    /// It needs a password.
    Encrypted,
    /// A volume is not there: its name.
    MissingVolume(String),
    /// A volume that is not the first: the name of the first.
    NotTheFirstVolume(String),
    /// A part of a zip in several files, which are not supported: the name of the last, which says what is in them.
    NotTheLastVolume(String),
    /// The last part of a zip in several files, which are not supported.
    SplitZip,
    /// A volume that lies in another archive, where it has no neighbours.
    VolumeInside,
    /// Its name is that of an archive or of a compressed file, but it is neither, nor does it begin with a game record. It is
    /// not read.
    NotAsNamed,
    /// Its structure makes no sense: where.
    Damaged(&'static str),
    /// Some bytes make no sense where an entry should begin. They were given up, and reading went on after them.
    Lost {
        /// Where they begin, counted from the first byte of the archive's stream.
        at: u64,
        /// How many they are.
        len: u64,
        /// The entry that came next, and where it begins; `None` if there was no other.
        next: Option<(String, u64)>,
    },
    /// Some bytes between its entries make no sense, and were given up: how many.
    LostBetween(u64),
    /// Something else that is packed follows what is compressed: how many bytes. They are not read.
    PackedAfterEnd(u64),
    /// Over [`Limits::nesting`](crate::archive::Limits::nesting).
    TooDeep(usize),
    /// Over [`Limits::members`](crate::archive::Limits::members).
    TooManyMembers(u64),
    /// Over [`Limits::bytes`](crate::archive::Limits::bytes).
    TooManyBytes(u64),
    /// Over [`Limits::ratio`](crate::archive::Limits::ratio).
    RatioTooHigh(u64),
    /// Over [`Limits::window`](crate::archive::Limits::window).
    WindowTooLarge {
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that it may take.
        allowed: u64,
    },
    /// Over [`Limits::spool`](crate::archive::Limits::spool).
    TooLongToSpool(u64),
    /// What comes from a pipe could not be stored in a temporary file.
    Spool(io::Error),
    /// It is another name of the entry with this name, which is not read or not there.
    LinkToUnread(String),
    /// The member with this name, which was asked for, is not there, or is not read.
    NoMember(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Unsupported(what) => write!(f, "{what} is not read"),
            Self::Encrypted => write!(f, "it is encrypted"),
            Self::MissingVolume(name) => write!(f, "the volume {name} is missing"),
            Self::NotTheFirstVolume(name) => write!(f, "a later volume, read through the first one, {name}"),
            Self::NotTheLastVolume(last) => write!(f, "a part of {last}, a zip in several files: join them first"),
            Self::SplitZip => write!(f, "a zip in several files: join them first"),
            Self::VolumeInside => {
                write!(f, "a volume inside an archive, which is not joined to the others: unpack them first")
            }
            Self::NotAsNamed => {
                write!(f, "named like a compressed file, but the contents are not: empty, cut off, or another kind")
            }
            Self::Damaged(place) => write!(f, "damaged archive: {place}"),
            Self::Lost { at, len, next } => {
                write!(f, "damaged archive: no valid entry at byte {at}; ")?;
                match len {
                    0 => {}
                    1 => write!(f, "skipped 1 byte, ")?,
                    len => write!(f, "skipped {len} bytes, ")?,
                }
                match next {
                    Some((name, at)) => write!(f, "resumed at byte {at} with {name}"),
                    None => write!(f, "no other entry follows"),
                }
            }
            Self::LostBetween(1) => write!(f, "damaged archive: skipped 1 byte between its entries"),
            Self::LostBetween(len) => write!(f, "damaged archive: skipped {len} bytes between its entries"),
            Self::PackedAfterEnd(len) => {
                write!(
                    f,
                    "{len} bytes after its end, which begin like another archive or compressed file, are not read"
                )
            }
            Self::TooDeep(limit) => write!(f, "nested more than {limit} deep (.tar.gz counts as two)"),
            Self::TooManyMembers(limit) => write!(f, "over {limit} entries: the rest is not read"),
            Self::TooManyBytes(limit) => write!(f, "it unpacks to over {limit} bytes: the rest is not read"),
            Self::RatioTooHigh(limit) => write!(f, "it unpacks to over {limit} times its length: the rest is not read"),
            Self::WindowTooLarge { needed, allowed } => {
                write!(f, "unpacking takes {needed} bytes of memory, and {allowed} are allowed")
            }
            Self::Spool(error) => {
                write!(f, "it can't be stored in a temporary file in {}: {error}", temp_dir().display())
            }
            Self::NoMember(name) => write!(f, "no such SGF member: {name}"),
            Self::LinkToUnread(target) => write!(f, "a hard link to {target}, which is not read"),
            Self::TooLongToSpool(limit) => {
                write!(f, "over {limit} bytes from a pipe, which this kind of archive can't be read from: name a file")
            }
        }
    }
}

impl Error {
    /// True if it is about one of the [`Limits`](crate::archive::Limits): with higher limits, more would be read.
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::TooDeep(_)
                | Self::TooManyMembers(_)
                | Self::TooManyBytes(_)
                | Self::RatioTooHigh(_)
                | Self::WindowTooLarge { .. }
                | Self::TooLongToSpool(_)
        )
    }

    /// True if more may be read another time, although the archive stays as it is: with higher [limits](Self::is_limit), or
    /// if the system, not the archive, has failed.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Io(error) => error.raw_os_error().is_some(),
            Self::Spool(_) => true,
            error => error.is_limit(),
        }
    }

    /// Whether an error that the reader of a member has returned [may pass](Self::may_pass).
    pub fn may_pass_of(error: &io::Error) -> bool {
        error.raw_os_error().is_some()
            || error.get_ref().and_then(|error| error.downcast_ref::<Self>()).is_some_and(Self::may_pass)
    }

    /// Whether an error that the reader of a member has returned is about [one of the limits](Self::is_limit).
    pub fn is_limit_of(error: &io::Error) -> bool {
        error.get_ref().and_then(|error| error.downcast_ref::<Self>()).is_some_and(Self::is_limit)
    }
}

/// It displays the error of the source or of the file, so its cause is that error's cause.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) | Self::Spool(error) => error.source(),
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

/// What is reported about an archive besides its members.
#[derive(Debug)]
#[non_exhaustive]
pub enum Trouble {
    /// The archive, or the rest of it, is not read.
    Error(Error),
    /// Some bytes stand after its end, and were skipped: how many.
    BytesAfterEnd(u64),
    /// The archive, or what it is packed in, is damaged. It is not known which entries or games came after the damage.
    RestLost,
    /// Because of the error before it, so many members are not read.
    MembersLost(u64),
    /// It is another name of the entry with this name, whose bytes had gone by already: it is not read once more.
    HardLink(String),
    /// It stops between two entries, without its end mark: there may have been others.
    NoEnd,
    /// Nothing in it is a game record by its name.
    Nothing,
    /// Nothing in it is a game record that the patterns of [`Picks`](crate::archive::Picks) leave.
    NothingPicked,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::BytesAfterEnd(1) => write!(f, "1 byte after the end of the archive was ignored"),
            Self::RestLost => write!(f, "everything after the damage is not read"),
            Self::MembersLost(1) => write!(f, "1 member is not read because of that"),
            Self::MembersLost(count) => write!(f, "{count} members are not read because of that"),
            Self::HardLink(target) => write!(f, "a hard link to {target}, and not read a second time"),
            Self::NoEnd => write!(f, "the mark that ends the archive is missing: it may have been cut off"),
            Self::Nothing => write!(f, "no .sgf file in it"),
            Self::NothingPicked => write!(f, "no .sgf file in it that the patterns leave"),
            Self::BytesAfterEnd(count) => write!(f, "{count} bytes after the end of the archive were ignored"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn an_error_says_its_cause_once() {
        for error in [Error::Io(io::Error::other("torn")), Error::Spool(io::Error::other("torn"))] {
            assert!(error.to_string().contains("torn") && error.source().is_none(), "{error}");
        }
    }
}
