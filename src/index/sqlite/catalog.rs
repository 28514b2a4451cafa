//! What a database knows of the files that were read.
//!
//! Owns the rows of table `files`: when a file counts as read, and how much of it. Refuses to write.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, Result};

use crate::index::sqlite::open::{BUSY, database};
use crate::index::sqlite::place::Places;
use crate::index::{Error, Known, Stamp};

/// The file that is read.
#[derive(Debug)]
pub(super) struct File {
    pub(super) id: i64,
    /// Games that came, and those that were kept.
    pub(super) games: i64,
    pub(super) rows: i64,
}

/// What `files` has.
pub(super) struct Entry {
    pub(super) file: File,
    pub(super) first_game: i64,
    stamp: Option<Stamp>,
    done: bool,
    trouble: Option<String>,
}

impl Entry {
    /// What is kept of the file, if this is what it is like now.
    pub(super) fn known(&self, stamp: Option<&Stamp>) -> Known {
        if stamp.is_none() || self.stamp.as_ref() != stamp {
            Known::Nothing
        } else if self.done {
            Known::All(self.trouble.clone())
        } else {
            Known::Games(self.file.games.cast_unsigned())
        }
    }
}

/// What a database knows of files, for who asks from another thread than that of the sink. What is not committed is not seen.
#[derive(Debug)]
pub struct Catalog {
    connection: Connection,
    places: Mutex<Places>,
}

impl Catalog {
    /// Opens a database that a [`Sqlite`](crate::index::Sqlite) has made.
    ///
    /// # Errors
    ///
    /// It can't be opened.
    pub fn open(path: &Path) -> std::result::Result<Self, Error> {
        let connection = Connection::open(path).map_err(database)?;
        connection.busy_timeout(BUSY).map_err(database)?;
        let places = Mutex::new(Places::new(connection.path()));
        Ok(Self { connection, places })
    }

    /// What [`begin`](crate::index::Sink::begin) would answer for a file.
    ///
    /// # Errors
    ///
    /// The database can't be read.
    pub fn known(&self, name: &str, stamp: Option<&Stamp>) -> std::result::Result<Known, Error> {
        let place = self.places.lock().unwrap_or_else(PoisonError::into_inner).of(name, stamp);
        let entry = entry(&self.connection, &place).map_err(database)?;
        Ok(entry.map_or(Known::Nothing, |entry| entry.known(stamp)))
    }

    /// True where games are missing that were dropped as copies of others which have gone since. Reading their files once
    /// more brings them in.
    ///
    /// # Errors
    ///
    /// The database can't be read.
    pub fn lacks_games(&self) -> std::result::Result<bool, Error> {
        self.connection
            .query_row("SELECT EXISTS(SELECT 1 FROM files WHERE size = -1)", [], |row| row.get(0))
            .map_err(database)
    }
}

pub(super) fn entry(connection: &Connection, place: &str) -> Result<Option<Entry>> {
    let sql = "SELECT id, games, rows, first_game, size, modified, ends, done, trouble FROM files WHERE path = ?";
    connection
        .prepare_cached(sql)?
        .query_row([place], |row| {
            let stamp = match (row.get::<_, Option<i64>>(4)?, row.get(5)?, row.get::<_, Option<i64>>(6)?) {
                (Some(len), Some(modified), Some(ends)) => {
                    Some(Stamp { len: len.cast_unsigned(), modified, ends: ends.cast_unsigned() })
                }
                _ => None,
            };
            let file = File { id: row.get(0)?, games: row.get(1)?, rows: row.get(2)? };
            let (first_game, done, trouble) = (row.get(3)?, row.get(7)?, row.get(8)?);
            Ok(Entry { file, first_game, stamp, done, trouble })
        })
        .optional()
}
