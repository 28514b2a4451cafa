//! What takes rows and keeps them.
//!
//! Owns the order in which a run calls a sink, and what the sink may promise. Refuses to know where rows come from and what
//! becomes of them.

use std::path::Path;

use crate::index::{Error, Stamp};
use crate::record::{Row, Wants};

/// Takes rows of games and keeps them somewhere.
///
/// A run calls `record` for each game. `commit` may come between any two of them, and `finish` comes once, at the very end.
/// After an error a sink can only be dropped. To a [`FileSink`] the run also says which file the games are from.
///
/// Rows come in order, on one thread. A sink that is `Send` may be put behind a queue, on a thread of its own.
pub trait Sink {
    /// What must be read of a game for this sink. Call it before the first game is read.
    fn wants(&self) -> Wants {
        Wants::HEADER
    }

    /// A game.
    ///
    /// # Errors
    ///
    /// Writing failed, as it may in every method here.
    fn record(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// Makes sure that all rows so far are kept: when this returns, they outlive the process. Each sink says whether
    /// they also survive a power failure. A file that can be read only when it is whole keeps none before
    /// [`finish`](Self::finish), whatever this does: so it is with [`Parquet`](crate::index::Parquet) and
    /// [`OffsetsWriter`](crate::index::OffsetsWriter).
    ///
    /// # Errors
    ///
    /// See [`record`](Self::record).
    fn commit(&mut self) -> Result<(), Error>;

    /// There are no more rows. Whatever needs all rows, such as the footer of a file, is written now.
    ///
    /// # Errors
    ///
    /// See [`record`](Self::record).
    fn finish(&mut self) -> Result<(), Error> {
        self.commit()
    }
}

/// A sink that remembers which files it has the games of, so that a later run need not read them again. [`Sqlite`] is one.
///
/// A run over files calls `begin`, `record` for each game, `end`, and so on for the next file. A source that is no
/// file, such as a connection, has neither `begin` nor `end`.
///
/// [`Sqlite`]: crate::index::Sqlite
pub trait FileSink: Sink {
    /// A file begins; an archive with all its members is one file. The arguments are its name in rows, where it is, and
    /// what tells whether it has changed. A pipe has only a name. The answer says what is kept of the file already:
    /// those games need not come again, and must not.
    ///
    /// # Errors
    ///
    /// Writing failed, as it may in every method here.
    fn begin(&mut self, name: &str, file: Option<(&Path, &Stamp)>) -> Result<Known, Error>;

    /// The file that began last has ended.
    ///
    /// # Errors
    ///
    /// See [`begin`](Self::begin).
    fn end(&mut self, end: FileEnd<'_>) -> Result<(), Error>;

    /// How many games that came it has dropped so far, because it had them already.
    fn copies(&self) -> u64;
}

/// Sinks behind a pointer.
macro_rules! forward {
    ($pointer:ty) => {
        impl<S: Sink + ?Sized> Sink for $pointer {
            fn wants(&self) -> Wants {
                (**self).wants()
            }

            fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
                (**self).record(row)
            }

            fn commit(&mut self) -> Result<(), Error> {
                (**self).commit()
            }

            fn finish(&mut self) -> Result<(), Error> {
                (**self).finish()
            }
        }

        impl<S: FileSink + ?Sized> FileSink for $pointer {
            fn begin(&mut self, name: &str, file: Option<(&Path, &Stamp)>) -> Result<Known, Error> {
                (**self).begin(name, file)
            }

            fn end(&mut self, end: FileEnd<'_>) -> Result<(), Error> {
                (**self).end(end)
            }

            fn copies(&self) -> u64 {
                (**self).copies()
            }
        }
    };
}

forward!(&mut S);
forward!(Box<S>);

/// What a sink keeps of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// Nothing; or the file has changed, and what was kept of it was dropped.
    Nothing,
    /// Its first games: how many.
    Games(u64),
    /// Everything that could be read of it. The text says what was wrong with it, if anything was.
    All(Option<String>),
}

/// How a file has ended for a [`FileSink`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileEnd<'a> {
    /// All of its games have come.
    Whole,
    /// All that can be read of it has come. Games, or parts of them, may be missing: why.
    Troubled(&'a str),
    /// It was given up for a reason outside the file, such as a limit that it exceeds: why. Another run might read more games.
    GivenUp(&'a str),
}
