//! Who takes rows and keeps them.

use std::path::Path;

use crate::index::{Error, Stamp};
use crate::record::{Row, Wants};

/// Takes rows of games and keeps them somewhere.
///
/// A run over files goes `begin`, `record` for each game, `end`, and so on for the next file; a source that is no file, such
/// as a connection, may leave out `begin` and `end`. `commit` may come between any two of these, and `finish` comes once, at
/// the end of everything. After an error only dropping the sink is of use.
///
/// Rows come in order, on one thread; a sink that is `Send` may be put behind a queue, on a thread of its own.
pub trait Sink {
    /// What must be read of a game for this sink. Ask before the first game is read.
    fn wants(&self) -> Wants {
        Wants::HEADER
    }

    /// A file begins, a whole archive with all members being one file: what it is called in rows, where it is, and what tells
    /// whether it has changed. A pipe has only a name. The answer tells what of it is kept already: those games need not come
    /// again, and must not.
    ///
    /// # Errors
    ///
    /// What is written to has failed, as for all methods here.
    fn begin(&mut self, _name: &str, _file: Option<(&Path, &Stamp)>) -> Result<Known, Error> {
        Ok(Known::Nothing)
    }

    /// A game.
    ///
    /// # Errors
    ///
    /// See [`begin`](Self::begin).
    fn record(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// The file has ended. Where games or parts of them may be missing, the text says why.
    ///
    /// # Errors
    ///
    /// See [`begin`](Self::begin).
    fn end(&mut self, _trouble: Option<&str>) -> Result<(), Error> {
        Ok(())
    }

    /// The file was given up for what does not lie in it alone, such as a limit that it is over: there may be games that another
    /// run would read. The text says why.
    ///
    /// # Errors
    ///
    /// See [`begin`](Self::begin).
    fn stop(&mut self, trouble: &str) -> Result<(), Error> {
        self.end(Some(trouble))
    }

    /// Makes sure of all rows that have come: when this returns, they outlive the process. Each sink says whether they
    /// outlive the machine's power supply, too.
    ///
    /// # Errors
    ///
    /// See [`begin`](Self::begin).
    fn commit(&mut self) -> Result<(), Error>;

    /// Nothing more comes. What takes all rows, such as the foot of a file, is made now.
    ///
    /// # Errors
    ///
    /// See [`begin`](Self::begin).
    fn finish(&mut self) -> Result<(), Error> {
        self.commit()
    }
}

impl<S: Sink + ?Sized> Sink for Box<S> {
    fn wants(&self) -> Wants {
        (**self).wants()
    }

    fn begin(&mut self, name: &str, file: Option<(&Path, &Stamp)>) -> Result<Known, Error> {
        (**self).begin(name, file)
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        (**self).record(row)
    }

    fn end(&mut self, trouble: Option<&str>) -> Result<(), Error> {
        (**self).end(trouble)
    }

    fn stop(&mut self, trouble: &str) -> Result<(), Error> {
        (**self).stop(trouble)
    }

    fn commit(&mut self) -> Result<(), Error> {
        (**self).commit()
    }

    fn finish(&mut self) -> Result<(), Error> {
        (**self).finish()
    }
}

/// What a sink keeps of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// Nothing, or what it had was dropped since the file has changed.
    Nothing,
    /// Its first games, so many.
    Games(u64),
    /// All that could be read of it. The text says what was wrong with it, if anything was.
    All(Option<String>),
}
