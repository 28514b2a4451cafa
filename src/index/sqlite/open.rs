//! How a database is opened that others may have open.
//!
//! Owns who creates its tables when several processes find it new, how long each waits, and what is reported to the one
//! that came second. What the tables are is in `schema`.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, Result};

use crate::index::Error;
use crate::index::sqlite::{SqliteOptions, schema};

/// How long to wait for another process that holds the database.
const BUSY: Duration = Duration::from_secs(5);

/// Opens the file of that name, whatever it looks like: SQLite takes `file:` for the beginning of a URI, and `:memory:` for no
/// file at all. The connection waits for others.
pub(crate) fn connect(path: &Path) -> Result<Connection> {
    let connection = Connection::open(Path::new(".").join(path))?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// The same, only to read, and only what is there.
pub(super) fn connect_to_read(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(Path::new(".").join(path), flags)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// Creates the tables, all or none, in a database without any. If several processes find a new database
/// at once, one creates them and the others wait.
pub(super) fn prepare(connection: &Connection, options: &SqliteOptions) -> Result<()> {
    let mut is_new = is_empty(connection)?;
    if !is_new && application(connection)? != schema::APPLICATION {
        // Nothing of somebody else's is changed.
        return Ok(());
    }
    if !is_new && version(connection)? != schema::VERSION {
        // Another version may not like what this one does.
        return Ok(());
    }
    wal(connection)?;
    if is_new {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        is_new = is_empty(connection)?;
        if is_new {
            schema::create(connection, options.details, options.unique)?;
            connection.execute("INSERT INTO meta VALUES('options', ?)", [options.as_stored()])?;
        }
        connection.execute_batch("COMMIT")?;
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768;")?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}

pub(crate) fn is_empty(connection: &Connection) -> Result<bool> {
    connection.query_row("SELECT NOT EXISTS(SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

/// Whether it is an index, with the tables of this version, that was made with these options.
pub(super) fn check(connection: &Connection, wanted: &SqliteOptions) -> std::result::Result<(), Error> {
    check_version(connection)?;
    let made: String =
        connection.query_row("SELECT value FROM meta WHERE key = 'options'", [], |row| row.get(0)).map_err(database)?;
    if made == wanted.as_stored() {
        return Ok(());
    }
    Err(Error::OtherOptions { made: SqliteOptions::of_stored(&made), wanted: wanted.clone() })
}

/// Whether it is an index, with the tables of this version.
pub(super) fn check_version(connection: &Connection) -> std::result::Result<(), Error> {
    if application(connection).map_err(database)? != schema::APPLICATION {
        return Err(Error::Unusable("it is a database of something else".to_owned()));
    }
    match version(connection).map_err(database)? {
        schema::VERSION => Ok(()),
        version => Err(Error::Unusable(format!(
            "its tables have version {version}, and this program's {}: write to another file",
            schema::VERSION
        ))),
    }
}

/// The number of the program that a database belongs to.
fn application(connection: &Connection) -> Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

/// The version of its tables.
fn version(connection: &Connection) -> Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Puts a database into WAL mode. If another process is about to do the same, SQLite does not wait by itself.
pub(crate) fn wal(connection: &Connection) -> Result<()> {
    let end = Instant::now() + BUSY;
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
            Err(error) if is_busy(&error) && Instant::now() < end => thread::sleep(Duration::from_millis(20)),
            result => return result,
        }
    }
}

/// Takes a database out of WAL mode, if this is the only connection to it: another one would have to agree.
pub(super) fn leave_wal(connection: &Connection) -> Result<()> {
    match connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())) {
        Err(error) if is_busy(&error) => Ok(()),
        result => result,
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

pub(super) fn data_version(connection: &Connection) -> Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}

/// Why a database can't be opened, if the system knows: it says it better than SQLite. A file that only SQLite does not want to
/// create is not left there.
pub(crate) fn unopened(path: &Path) -> Option<io::Error> {
    let opened = match File::create_new(path) {
        Ok(_) => fs::remove_file(path),
        Err(reason) if reason.kind() == ErrorKind::AlreadyExists => File::options().write(true).open(path).map(drop),
        Err(reason) => Err(reason),
    };
    opened.err()
}

/// Why a database may only be read, if so. To be asked before it is used: SQLite would leave a log and its index beside it, which
/// may only be read either, and keep it so for good. A file that can be written to is not opened here: closing it would take the
/// locks of this process from SQLite.
pub(crate) fn unwritable(connection: &Connection) -> Result<Option<io::Error>> {
    let is_readonly = connection.is_readonly(MAIN_DB)?;
    Ok(connection.path().filter(|_| is_readonly).and_then(|path| unopened(Path::new(path))))
}

pub(super) fn database(error: rusqlite::Error) -> Error {
    if is_busy(&error) { in_use() } else { Error::sink(error) }
}

pub(super) fn in_use() -> Error {
    Error::Unusable("in use by another program: try again when that is done".to_owned())
}
