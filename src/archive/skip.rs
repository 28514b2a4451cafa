//! Why something was skipped that could have been read.

use std::fmt;

/// Why a file of a directory or a member of an archive was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Skip {
    /// Its name is neither that of a game record nor that of an archive, or no pattern chooses it; or its name says only that
    /// it is compressed, and what is in it begins with no game.
    Name,
    /// A pattern excludes it. It may be a directory.
    Excluded,
    /// It is no plain file: a link in an archive, a pipe or a device; or what a Mac writes beside a file (`._game.sgf`).
    Kind,
    /// It was read before, under whatever name, or is read anyway: the same file twice, or a link.
    Again,
    /// It is packed after something that is damaged.
    Behind,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "by its name neither a game record nor an archive",
            Self::Excluded => "excluded",
            Self::Kind => "no plain file",
            Self::Again => "not read a second time",
            Self::Behind => "packed behind damage",
        })
    }
}
