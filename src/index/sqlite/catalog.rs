//! What a database knows about the files that were read.
//!
//! Owns the rows of table `files`: when a file counts as read, and how much of it. Refuses to write.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Result as SqlResult, Row, params};

use crate::index::sqlite::open::{check_version, connect_to_read, database};
use crate::index::sqlite::place::{Places, have_one_name, is_gone};
use crate::index::{Error, Known, Stamp};

/// The file being read.
#[derive(Debug)]
pub(super) struct File {
    pub(super) id: i64,
    /// How many games came, and how many of them were kept.
    pub(super) games: i64,
    pub(super) rows: i64,
}

/// A row of `files`.
pub(super) struct Entry {
    pub(super) file: File,
    pub(super) first_game: i64,
    stamp: Option<Stamp>,
    done: bool,
    trouble: Option<String>,
}

impl Entry {
    /// What is kept of the file, given its present state.
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

/// What a database knows about files, for a thread other than the sink's. It does not see what is not committed.
#[derive(Debug)]
pub struct Catalog {
    connection: Connection,
    places: Places,
}

impl Catalog {
    /// Opens a database that a [`Sqlite`](crate::index::Sqlite) has made.
    ///
    /// # Errors
    ///
    /// It can't be opened; [`Error::Unusable`] if it is another database, or one of another version.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let connection = connect_to_read(path).map_err(database)?;
        check_version(&connection)?;
        Ok(Self { connection, places: Places::default() })
    }

    /// What [`begin`](crate::index::FileSink::begin) would answer for a file, whether or not it has to be read. For a file
    /// that was moved, it says that nothing is known, so that the file begins and gets its new name.
    ///
    /// # Errors
    ///
    /// The database can't be read.
    pub fn known(&mut self, path: &Path, stamp: &Stamp) -> Result<Known, Error> {
        let path = self.places.of(path);
        let entry = entry(&self.connection, &path).map_err(database)?;
        Ok(entry.map_or(Known::Nothing, |entry| entry.known(Some(stamp))))
    }

    /// True if games are missing because they were dropped as copies of others, which have gone since. Reading their
    /// files once more brings them in.
    ///
    /// # Errors
    ///
    /// The database can't be read.
    pub fn lacks_games(&self) -> Result<bool, Error> {
        self.connection
            .query_row("SELECT EXISTS(SELECT 1 FROM files WHERE size < 0)", [], |row| row.get(0))
            .map_err(database)
    }
}

const ENTRY: &str = "SELECT id, games, rows, first_game, size, modified, ends, done, trouble, path FROM files WHERE";

/// What is known about the file at that place.
pub(super) fn entry(connection: &Connection, path: &Value) -> SqlResult<Option<Entry>> {
    connection.prepare_cached(&format!("{ENTRY} path = ?"))?.query_row([path], read).optional()
}

/// The entry of a file that was moved here: it has the same name and [`Stamp`], and is no longer at its old place.
pub(super) fn moved(connection: &Connection, place: &Value, stamp: &Stamp) -> SqlResult<Option<Entry>> {
    /// If more files than this are alike, it is not worth distinguishing them: many a collection has thousands of empty files.
    const MAX_ALIKE: usize = 100;
    let sql = format!("{ENTRY} ends = ? AND size = ? AND modified = ? ORDER BY id LIMIT {MAX_ALIKE}");
    let mut select = connection.prepare_cached(&sql)?;
    let mut rows = select.query(params![stamp.ends.cast_signed(), stamp.len.cast_signed(), stamp.modified])?;
    while let Some(row) = rows.next()? {
        let old = row.get_ref("path")?;
        if have_one_name(old, place)? && is_gone(old)? {
            return read(row).map(Some);
        }
    }
    Ok(None)
}

fn read(row: &Row<'_>) -> SqlResult<Entry> {
    let stamp = match (row.get::<_, Option<i64>>("size")?, row.get("modified")?, row.get::<_, Option<i64>>("ends")?) {
        (Some(len), Some(modified), Some(ends)) => {
            Some(Stamp { len: len.cast_unsigned(), modified, ends: ends.cast_unsigned() })
        }
        _ => None,
    };
    let file = File { id: row.get("id")?, games: row.get("games")?, rows: row.get("rows")? };
    let (first_game, done, trouble) = (row.get("first_game")?, row.get("done")?, row.get("trouble")?);
    Ok(Entry { file, first_game, stamp, done, trouble })
}
