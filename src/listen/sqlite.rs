//! A SQLite database as a store.
//!
//! Owns its one table, and its invariant: a game has one row, and a batch is in it whole or not at all. The database,
//! not memory, recognises a game that comes again. Refuses to know how rows are made: they come as JSON.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rusqlite::config::DbConfig;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Statement};
use serde_json::{Map, Value};

use crate::index::{column_definitions, connect, is_empty, unopened, unwritable, wal};
use crate::listen::game::columns;
use crate::listen::store::{Place, check_file, sync_directory};
use crate::listen::{Entry, Found, Store};

/// The version of the table, in `user_version`. Columns are not removed or given another meaning without a new one.
const VERSION: i32 = 1;

/// The mark that distinguishes it from other databases, in `application_id`: `SGFl`.
const APPLICATION: i32 = 0x5347_466C;

/// The lengths of what the log has before its first frame, and before the page in each.
const LOG_HEAD: u64 = 32;
const FRAME_HEAD: u64 = 24;

/// How long the log stays, in bytes, once all of it is in the database: more than the usual batch, so that it is not made longer
/// again and again.
const LOG_RESTS: i64 = 16 << 20;

/// An SQLite database with a row for each game, in the table `games`.
///
/// Its columns are the keys of a row as [the module](crate::listen) describes it. The game itself, if it is kept, is
/// always in `sgf`: as text, or as a blob if it is not UTF-8. `id` is unique, and rows stand in the order in which they
/// came (`rowid`). Ids are not kept in memory.
///
/// Each batch is a transaction, with `synchronous = FULL`: it is in the log on the disk before it is acknowledged.
/// Others may read the database all the while, and may also write to it: each writer waits up to 5 seconds for the
/// others, and then fails. If somebody has removed the database, its log (`-wal`) or the log's index (`-shm`), or has cut one of the
/// first two short, nothing is stored any more, because it would be lost with it.
///
/// As long as somebody reads in one transaction, the log grows; it becomes short again when that has ended.
#[derive(Debug)]
pub struct SqliteFile {
    connection: Connection,
    place: Place,
    log: Place,
    /// Through it processes know of each other; with two of them, two write at the same time.
    log_index: Place,
    /// The length of a page.
    page: u64,
    insert: String,
    /// The keys of a row, in the order of the statement.
    keys: Vec<&'static str>,
}

impl SqliteFile {
    /// The longest game that can be kept, in bytes: a row has at most 1,000,000,000, and the other columns take some of them.
    pub const LONGEST_GAME: u64 = 940 << 20;

    /// Opens a database, or creates it.
    ///
    /// # Errors
    ///
    /// Those of the file system or SQLite; [`ErrorKind::InvalidData`] for a database of something else;
    /// [`ErrorKind::InvalidInput`] for a directory, a pipe or a device; [`ErrorKind::NotFound`] if there is a log (`-wal`)
    /// of a database that was removed or renamed.
    pub fn open(path: impl AsRef<Path>) -> io::Result<(Self, Found)> {
        let path = path.as_ref();
        check_file(path)?;
        check_log(path)?;
        let connection = connect(path).map_err(|error| unopened(path).unwrap_or_else(|| failed(error)))?;
        if let Some(reason) = unwritable(&connection).map_err(failed)? {
            return Err(reason);
        }
        // Checked before anything of somebody else's is changed.
        if !is_empty(&connection).map_err(failed)? {
            check(&connection)?;
        }
        prepare(&connection).map_err(failed)?;
        check(&connection)?;
        let games: i64 = connection.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).map_err(failed)?;
        let last = "SELECT sgf IS NOT NULL FROM games ORDER BY rowid DESC LIMIT 1";
        let keeps_games = connection.query_row(last, [], |row| row.get(0)).optional().map_err(failed)?;
        let keys: Vec<_> = ["id", "received", "peer"]
            .into_iter()
            .chain(columns().iter().map(|column| column.name()))
            .chain(["sgf"])
            .collect();
        let insert = format!(
            "INSERT INTO games({}) VALUES(?{}) ON CONFLICT(id) DO NOTHING",
            keys.join(","),
            ",?".repeat(keys.len() - 1)
        );
        let place = Place::of(path)?;
        let log = beside(path, "-wal");
        // A process that was killed may have left rows in memory only, and a client that sends them again is told that
        // they are stored. So they are synced first.
        OpenOptions::new().write(true).open(&log)?.sync_all()?;
        sync_directory(path)?;
        let (log, log_index) = (Place::of(&log)?, Place::of(&beside(path, "-shm"))?);
        let page = count(&connection, "PRAGMA page_size", 0).map_err(failed)?;
        let found = Found { games: games.unsigned_abs(), keeps_games, ..Found::default() };
        Ok((Self { connection, place, log, log_index, page, insert, keys }, found))
    }

    /// Whether all files are there and have what was put into them. SQLite itself would not notice for a long time, as it keeps
    /// them open, and in memory what it needs of them.
    fn check_files(&self) -> io::Result<()> {
        self.check_place()?;
        if let Err(error) = self.log.check() {
            // Acknowledged games would be in no file that anybody could find, so they are moved into the database, which is one.
            if error.kind() == ErrorKind::NotFound {
                self.checkpoint("FULL")?;
            }
            return Err(of_the_log(&error));
        }
        self.log_index.check().map_err(|error| {
            io::Error::new(error.kind(), format!("the index of the database's log (-shm): {error}"))
        })?;
        let pages = count(&self.connection, "PRAGMA page_count", 0).map_err(failed)?;
        let frames = self.frames()?;
        // Each frame of the log holds a page. So any other page is in the database, and the first one always.
        let database = pages.saturating_sub(frames).max(1) * self.page;
        let checked = self.place.check_len(database).and_then(|()| self.check_log_len(frames));
        if checked.is_err() {
            // What is left of the log would damage the database if it were moved there when that is closed.
            let no_move = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            self.connection.set_db_config(no_move, true).map_err(failed)?;
        }
        checked
    }

    /// Whether the database is where it was opened. If not, it gets all that is in the log alone, wherever it is now: SQLite would
    /// not move it there, and nobody would find it, as the log has kept its name. If there is another database, the log has to
    /// become empty too, or it would be taken for that one's.
    fn check_place(&self) -> io::Result<()> {
        let Err(error) = self.place.check() else { return Ok(()) };
        let mode = if error.kind() == ErrorKind::NotFound { "FULL" } else { "TRUNCATE" };
        // Half a log would damage the database.
        let is_whole = match self.log.check() {
            Ok(()) => self.frames().and_then(|frames| self.check_log_len(frames)),
            Err(_) => Ok(()),
        };
        match is_whole.and_then(|()| self.checkpoint(mode)) {
            Ok(()) => Err(error),
            Err(why) => Err(io::Error::new(error.kind(), format!("{error}; {why}"))),
        }
    }

    fn checkpoint(&self, mode: &str) -> io::Result<()> {
        let busy = count(&self.connection, &format!("PRAGMA wal_checkpoint({mode})"), 0).map_err(failed)?;
        if busy == 0 {
            return Ok(());
        }
        Err(io::Error::new(
            ErrorKind::WouldBlock,
            "what is in its log (-wal) could not be moved into it, as somebody reads it",
        ))
    }

    /// How many pages are in the log.
    fn frames(&self) -> io::Result<u64> {
        count(&self.connection, "PRAGMA wal_checkpoint(NOOP)", 1).map_err(failed)
    }

    fn check_log_len(&self, frames: u64) -> io::Result<()> {
        let least = if frames == 0 { 0 } else { LOG_HEAD + frames * (FRAME_HEAD + self.page) };
        self.log.check_len(least).map_err(|error| of_the_log(&error))
    }

    /// Inserts all of a batch, or nothing.
    fn insert(&self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
        let result = self.insert_all(batch);
        // The failure may have ended the transaction, or not.
        if result.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK").map_err(failed)?;
        }
        result
    }

    fn insert_all(&self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        let mut insert = self.connection.prepare_cached(&self.insert).map_err(failed)?;
        let is_new = batch.iter().map(|entry| self.insert_row(entry, &mut insert)).collect::<io::Result<_>>()?;
        drop(insert);
        self.connection.execute_batch("COMMIT").map_err(failed)?;
        Ok(is_new)
    }

    fn insert_row(&self, entry: &Entry, insert: &mut Statement<'_>) -> io::Result<bool> {
        let mut row: Map<String, Value> = serde_json::from_slice(&entry.row)?;
        for (place, key) in self.keys.iter().enumerate() {
            let cell = match row.remove(*key) {
                None if *key == "sgf" => blob(row.get("sgf_base64"))?,
                value => cell(value.unwrap_or_default()),
            };
            insert.raw_bind_parameter(place + 1, cell).map_err(failed)?;
        }
        Ok(insert.raw_execute().map_err(failed)? > 0)
    }
}

impl Store for SqliteFile {
    fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        self.check_files().and_then(|()| self.insert(batch)).map_err(|error| self.place.about(&error))
    }
}

impl Drop for SqliteFile {
    fn drop(&mut self) {
        if let Err(error) = self.check_place() {
            tracing::error!(error = %self.place.about(&error), "the database is not where it was opened");
        }
    }
}

/// Refuses a log without its database, which SQLite would delete with all the games that are in it alone.
fn check_log(path: &Path) -> io::Result<()> {
    let has_bytes = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.len() > 0);
    let log = beside(path, "-wal");
    // In this order, because whoever makes a database at this moment writes to it first.
    if has_bytes(&log) && !has_bytes(path) {
        let why = format!(
            "{} is the log of a database that was removed or renamed: bring that back, or give its log the new name with -wal \
             behind it",
            log.display()
        );
        return Err(io::Error::new(ErrorKind::NotFound, why));
    }
    Ok(())
}

/// Where SQLite keeps what is not in the database yet, as long as anybody has that open: beside the file that a link leads to,
/// even if there is none.
fn beside(path: &Path, ending: &str) -> PathBuf {
    /// As many as systems follow.
    const LINKS: usize = 40;
    let mut file = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(target) = file.read_link() else { break };
        file = file.parent().unwrap_or(Path::new("")).join(target);
    }
    let mut file = file.into_os_string();
    file.push(ending);
    file.into()
}

fn of_the_log(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the log of the database (-wal): {error}"))
}

fn count(connection: &Connection, sql: &str, column: usize) -> rusqlite::Result<u64> {
    connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(column)).map(i64::unsigned_abs)
}

/// A game that is not text.
fn blob(base64: Option<&Value>) -> io::Result<Cell> {
    let Some(base64) = base64.and_then(Value::as_str) else { return Ok(Cell::Null) };
    BASE64_STANDARD.decode(base64).map(Cell::Blob).map_err(io::Error::other)
}

/// A JSON value as SQLite stores it.
fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::String(text) => Cell::Text(text),
        Value::Bool(is) => Cell::Integer(i64::from(is)),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Cell::Integer(number),
            (None, Some(_)) => Cell::Integer(i64::MAX),
            (None, None) => number.as_f64().map_or(Cell::Null, Cell::Real),
        },
        list => Cell::Text(list.to_string()),
    }
}

/// Checks that it is one of ours.
fn check(connection: &Connection) -> io::Result<()> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(failed);
    if number("application_id")? != APPLICATION {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is a database of something else"));
    }
    let version = number("user_version")?;
    if version != VERSION {
        let why = format!("its table has version {version}, and this program's {VERSION}");
        return Err(io::Error::new(ErrorKind::InvalidData, why));
    }
    Ok(())
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    wal(connection)?;
    // In WAL mode, anything less is safe only from the death of the process.
    connection.execute_batch("PRAGMA synchronous = FULL;")?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_RESTS, |_| Ok(()))?;
    connection.execute_batch("BEGIN IMMEDIATE;")?;
    if is_empty(connection)? {
        let columns = column_definitions(&columns());
        connection.execute_batch(&format!(
            "CREATE TABLE games(\n  id TEXT NOT NULL UNIQUE,\n  received TEXT,\n  peer TEXT{columns},\n  sgf\n);"
        ))?;
        connection.pragma_update(None, "application_id", APPLICATION)?;
        connection.pragma_update(None, "user_version", VERSION)?;
    }
    connection.execute_batch("COMMIT")
}

fn failed(error: rusqlite::Error) -> io::Error {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => ErrorKind::StorageFull,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::WouldBlock,
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => ErrorKind::InvalidData,
        Some(ErrorCode::ReadOnly) => {
            let why = format!("{error}: its directory has to be writable too, for its log (-wal, -shm)");
            return io::Error::new(ErrorKind::PermissionDenied, why);
        }
        _ => ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
