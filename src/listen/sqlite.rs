//! A SQLite database as a store.
//!
//! Owns its one table, and its invariant: a game has one row, and a batch is in it whole or not at all. The database,
//! not memory, recognises a game that comes again. Refuses to know how rows are made: they come as JSON.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value as Cell, ValueRef};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Statement};
use serde_json::{Map, Value};

use crate::files::target_of;
use crate::index::{column_definitions, connect, is_empty, unopened, unwritable, wal};
use crate::listen::game::columns;
use crate::listen::store::{KnownFile, check_file, sync_directory};
use crate::listen::{Entry, Found, Store};

/// The version of the table, in `user_version`. Columns are not removed or given another meaning without a new one.
const VERSION: i32 = 2;

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
/// others, and then fails. If somebody has removed the database, its log (`-wal`) or the log's index (`-shm`), or has cut one of
/// the first two short, nothing is stored any more, because it would be lost with it.
///
/// A database that was renamed is given, with the next batch or when it is [closed](Store::close), whatever only its log has.
/// If it is under no name any more, or the system does not tell it, all of it is copied to a new file, with `.rescued-1` or
/// another number behind the old name. The log becomes empty in either case, because the next database in that place would
/// take it for its own. The file is named in a warning.
///
/// As long as somebody reads in one transaction, the log grows; it becomes short again when that has ended.
#[derive(Debug)]
pub struct SqliteFile {
    connection: Connection,
    place: KnownFile,
    log: KnownFile,
    /// Through it processes know of each other; with two of them, two write at the same time.
    log_index: KnownFile,
    /// The length of a page.
    page: u64,
    insert: String,
    /// The keys of a row, in the order of the statement.
    keys: Vec<&'static str>,
    /// What a database without a name was copied to.
    copy: Option<PathBuf>,
    /// The database is not where it was opened, and its log has nothing that it lacks.
    is_rescued: bool,
    is_closed: bool,
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
        let place = KnownFile::of(path)?;
        let log = beside(path, "-wal");
        // A process that was killed may have left rows in memory only, and a client that sends them again is told that
        // they are stored. So they are synced first.
        OpenOptions::new().write(true).open(&log)?.sync_all()?;
        sync_directory(path)?;
        let (log, log_index) = (KnownFile::of(&log)?, KnownFile::of(&beside(path, "-shm"))?);
        let page = count(&connection, "PRAGMA page_size", 0).map_err(failed)?;
        let found = Found { games: games.unsigned_abs(), keeps_games, ..Found::default() };
        let (copy, is_rescued, is_closed) = (None, false, false);
        Ok((Self { connection, place, log, log_index, page, insert, keys, copy, is_rescued, is_closed }, found))
    }

    /// Whether all files are there and have what was put into them. SQLite itself would not notice for a long time, as it keeps
    /// them open, and in memory what it needs of them.
    fn check_files(&mut self) -> io::Result<()> {
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

    /// Whether the database is where it was opened. If not, it is rescued.
    fn check_place(&mut self) -> io::Result<()> {
        let Err(error) = self.place.check() else {
            (self.copy, self.is_rescued) = (None, false);
            return Ok(());
        };
        match self.rescue() {
            Ok(()) => Err(error),
            Err(why) => Err(io::Error::new(error.kind(), format!("{error}; {why}"))),
        }
    }

    /// Brings all that a database has that is not where it was opened into one file. SQLite would leave the log with what is in
    /// it alone, under a name where nobody looks for it, or where another database takes it for its own. So it becomes empty.
    fn rescue(&mut self) -> io::Result<()> {
        // Somebody else's games may be in the log by now.
        if self.is_rescued {
            return Ok(());
        }
        // Half a log would damage the database.
        if self.log.check().is_ok() {
            self.check_log_len(self.frames()?)?;
        }
        let (file, is_copy) = match (self.place.moved_to(), self.copy.take()) {
            (Some(file), _) => (file, false),
            (None, Some(file)) => (file, true),
            (None, None) => (self.copy()?, true),
        };
        self.copy = is_copy.then(|| file.clone());
        let Err(why) = self.checkpoint("TRUNCATE") else {
            tracing::warn!(file = %file.display(), "the database was removed or renamed: all its games are in this file now");
            self.is_rescued = true;
            return Ok(());
        };
        let log = self.log.path().display();
        let left = if is_copy {
            format!("all its games are in {}, so {log} has to be removed when this has ended", file.display())
        } else {
            let new = beside(&file, "-wal");
            format!("its latest games are only in {log}, which has to become {} when this has ended", new.display())
        };
        Err(io::Error::new(why.kind(), format!("{left}: {why}")))
    }

    /// Copies the database with what is in its log to a new file.
    fn copy(&self) -> io::Result<PathBuf> {
        let mut number = 1;
        let copy = loop {
            let copy = beside(self.place.path(), &format!(".rescued-{number}"));
            match File::create_new(&copy) {
                Ok(_) => break copy,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(uncopied(&copy, &error)),
            }
        };
        self.copy_to(&copy).map(|()| copy.clone()).map_err(|error| {
            let _ = fs::remove_file(&copy);
            uncopied(&copy, &error)
        })
    }

    fn copy_to(&self, copy: &Path) -> io::Result<()> {
        // Nobody may read it who might not read the database.
        if let Ok(log) = self.log.path().metadata() {
            fs::set_permissions(copy, log.permissions())?;
        }
        // SQLite takes some names for URIs.
        let name = Path::new(".").join(copy);
        let name = ToSqlOutput::Borrowed(ValueRef::Text(name.as_os_str().as_encoded_bytes()));
        self.connection.execute("VACUUM INTO ?", [name]).map_err(failed)?;
        OpenOptions::new().write(true).open(copy)?.sync_all()?;
        sync_directory(copy)
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
        self.check_files().and_then(|()| self.insert(batch)).map_err(|error| self.place.about(error))
    }

    fn close(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_closed, true) || self.place.check().is_ok() {
            return Ok(());
        }
        self.rescue().map_err(|error| {
            self.place.about(io::Error::new(error.kind(), format!("the file was removed or renamed: {error}")))
        })
    }
}

impl Drop for SqliteFile {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::error!(%error, "the store was not closed well");
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
            "{} is the log of a database that was removed or renamed: bring that back as it was, or give its log the new name \
             with -wal behind it (it fits no copy); move it away to begin anew",
            log.display()
        );
        return Err(io::Error::new(ErrorKind::NotFound, why));
    }
    Ok(())
}

/// Where SQLite keeps what is not in the database yet, as long as anybody has that open: beside the file that a link leads to,
/// even if there is none.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut file = target_of(path).unwrap_or_else(|| path.to_path_buf()).into_os_string();
    file.push(ending);
    file.into()
}

fn uncopied(copy: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("it is under no name that could be found, and could not be copied to {}: {error}", copy.display()),
    )
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
