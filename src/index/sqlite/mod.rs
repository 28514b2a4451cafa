//! A SQLite database.
//!
//! Owns what lets a run that was killed continue where it was: a file's rows and the number of its games stored so far
//! are committed in one transaction, identifiers depend only on the order of games, and transactions end after a fixed
//! number of rows, wherever a run began.

mod catalog;
mod open;
mod options;
mod place;
mod player;
mod schema;

use std::path::Path;
use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{Connection, Result as SqlResult, ToSql, named_params, params};

use crate::index::details::{self, Details};
use crate::index::pieces::spaced;
use crate::index::{Error, FileEnd, FileSink, Known, Sink, Stamp};
use crate::record::{Cell, Column, P0_TO_P5, Row, Wants, fold};
use crate::syntax::Ident;
pub use catalog::Catalog;
use catalog::{Entry, File, entry, moved};
#[cfg(feature = "listen")]
pub(crate) use open::wal;
use open::{check, data_version, database, in_use, leave_wal, prepare};
pub(crate) use open::{connect, is_empty, unopened, unwritable};
pub use options::SqliteOptions;
use place::{Places, is_gone};
use player::Players;
#[cfg(feature = "listen")]
pub(crate) use schema::column_definitions;

/// Rows in a database of SQLite, with tables for players, comments, moves, setup and positions.
///
/// The tables, in which a column `game` is the `id` of a row in `games`:
///
/// - `games` has a row for each game: `id`; `file_id`, a row in `files`, null if there was none; and the columns that
///   [`Column`] names. Counts and levels are declared INTEGER, other numbers REAL, texts TEXT; `size`, a number or a text, has
///   no type. When a file has changed and is read again, its games get new ones of `id`, and it keeps its own.
/// - `files` says what was read: `id`; `name`, as it was called last, like `games.file`; `path`, absolute and without links,
///   text, or bytes if it is not UTF-8; its state when it was read (`size` in bytes, less than 0 if it is to be read again;
///   `modified` in ns after the beginning of 1970; `ends`, a hash of both its ends; null for a pipe); `first_game`, the `id` of
///   its first game, whose others follow; `games`, how many it has, and `rows`, how many of them are in `games`, which are
///   fewer if copies were dropped; `done`, 1 if it was read to its end; `trouble`, what was wrong with it.
/// - `players` has each name once (`id`, `name`, `folded`), and `game_players` who played which game (`game`, `color`,
///   `player`); a `color` is `B`, `W`, or `0` to `5` for P0 to P5, and teams count as players. `player_parts` (`part`,
///   `player`) finds players by any part of their names, see [`fold`](crate::index::fold()).
/// - `moves` (`game`, `number` from 1, `color`, `move`) has the moves of the main line: the property, such as `B`, and its
///   value as it is written. A pass is `tt`, and `--` on boards larger than 19 by 19, where `tt` is a point.
/// - `setup` (`game`, `place` from 1, `number`, `property`, `points`) has AB, AW and AE: `number` is that of the move before
///   it, 0 before the first.
/// - `positions` (`game`, `number`, `hash`): the hash of the position after so many moves, as a signed number;
///   `printf('%016x', hash)` is what texts have, and `0x...` what SQL takes, see [`Ndjson`](crate::index::Ndjson).
/// - `comments` (`id`, `game`, `node`, `property`, `text`): nodes count from 1 in the order of the document; the property is C,
///   or GC on node 1. `comment_words` is an FTS5 table of their words, whose `rowid` is that `id`.
/// - `seen` is for dropping copies, and `meta` has the options that the database was made with.
///
/// This gives each game a name for `sgf cat`, in any directory:
///
/// ```sql
/// SELECT path || coalesce('!' || member, '') || '#' || game FROM games JOIN files ON files.id = file_id
/// ```
///
/// A file that has not changed is not read again, whatever it is called. If a file has changed, all its rows are
/// dropped first. A file that is gone from its place, and is found in another directory by its name and [`Stamp`],
/// keeps its rows. Games that come without [`begin`](FileSink::begin), for example from a connection, are rows without a
/// file, and stay for good.
///
/// A transaction ends every 4,096 rows, or after 16 MiB of comments. What was [committed](Sink::commit) outlives the process;
/// after [`finish`](Sink::finish) it also survives a power failure (the database is in WAL mode until it is
/// [closed](Self::close), with `synchronous = NORMAL`). If a run is killed at any time, another run over the same files ends
/// with the same tables. Readers may use the database all the while; a second writer gets an [`Error::Unusable`], and so does one
/// that finds a closed database being read for more than five seconds when it begins.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    options: SqliteOptions,
    insert_game: String,
    players: Players,
    places: Places,
    file: Option<File>,
    /// The identifier of the next game.
    next_game: i64,
    copies: u64,
    /// The rows in the open transaction, if there is one, and its bytes of comments.
    rows: Option<u64>,
    texts: usize,
    /// The `data_version` of the database as this connection left it.
    data_version: i64,
    /// Some files count as changed until it is known whether they have games that the one in progress has lost.
    has_doubts: bool,
}

/// The games that a file had, copies of which others have, and those files. In a temporary database: if the process dies, the
/// files are read once more.
const DOUBTS: &str = "
CREATE TEMP TABLE IF NOT EXISTS lost(identity INTEGER PRIMARY KEY);
CREATE TEMP TABLE IF NOT EXISTS doubted(id INTEGER PRIMARY KEY);
DELETE FROM temp.lost;
DELETE FROM temp.doubted;";

/// Makes the stamps of those files wrong, and right the next time.
const TURN: &str = "UPDATE files SET size = -1 - size WHERE id IN (SELECT id FROM temp.doubted)";

impl Sqlite {
    /// The most rows in a transaction.
    const ROWS: u64 = 4096;

    /// The most bytes of comments in a transaction.
    const TEXTS: usize = 16 << 20;

    /// Opens a database, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// It can't be opened; [`Error::OtherOptions`] if it was made with others; [`Error::Unusable`] if it is another database.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self, Error> {
        let connection = connect(path).map_err(|error| unopened(path).map_or_else(|| database(error), Error::Io))?;
        if let Some(reason) = unwritable(&connection).map_err(database)? {
            return Err(Error::Io(reason));
        }
        Self::with(connection, options)
    }

    fn with(connection: Connection, options: SqliteOptions) -> Result<Self, Error> {
        // One that is refused stays as it was, without a log.
        if !is_empty(&connection).map_err(database)? {
            check(&connection, &options)?;
        }
        prepare(&connection, &options).map_err(database)?;
        // Another process may have made it meanwhile.
        check(&connection, &options)?;
        let mut sink = Self {
            connection,
            places: Places::default(),
            options,
            insert_game: schema::insert_game(),
            players: Players::default(),
            file: None,
            next_game: 1,
            copies: 0,
            rows: None,
            texts: 0,
            data_version: 0,
            has_doubts: false,
        };
        sink.reload().map_err(database)?;
        Ok(sink)
    }

    fn reload(&mut self) -> SqlResult<()> {
        // Read first, so that anything that another process writes meanwhile is noticed.
        self.data_version = data_version(&self.connection)?;
        self.next_game =
            self.connection.query_row("SELECT max(coalesce((SELECT max(first_game + rows) FROM files), 1), coalesce((SELECT max(id) + 1 FROM games), 1))", [], |row| row.get(0))?;
        Ok(())
    }

    /// Begins a transaction, if there is none.
    fn begin_transaction(&mut self) -> Result<(), Error> {
        if self.rows.is_none() {
            self.connection.execute_batch("BEGIN IMMEDIATE").map_err(database)?;
            self.rows = Some(0);
            if data_version(&self.connection).map_err(database)? != self.data_version {
                return Err(in_use());
            }
        }
        Ok(())
    }

    fn commit_rows(&mut self) -> SqlResult<()> {
        if self.rows.is_none() {
            return Ok(());
        }
        if let Some(file) = &self.file {
            self.connection
                .prepare_cached("UPDATE files SET games = ?, rows = ? WHERE id = ?")?
                .execute(params![file.games, file.rows, file.id])?;
        }
        self.connection.execute_batch("COMMIT")?;
        self.rows = None;
        self.texts = 0;
        self.data_version = data_version(&self.connection)?;
        Ok(())
    }

    /// Closes the database after [`finish`](Sink::finish), and leaves all of it in one file, out of WAL mode, if no other
    /// program has it open. Then it can be read where nothing may be written: by another user, or on a disk that is mounted so.
    /// Otherwise it stays as it is, which the next run makes good. Dropping it does the same, but waits for nobody and tells no
    /// error.
    ///
    /// # Errors
    ///
    /// Writing failed. Rows that were not committed are lost.
    pub fn close(self) -> Result<(), Error> {
        leave_wal(&self.connection).map_err(database)
    }

    /// Drops the rows of all files that no longer exist, and returns how many files that were. What was read from a
    /// pipe stays.
    ///
    /// Call it when everything was read and [finished](Sink::finish): by then a file that was moved has been found in its new
    /// place. Files in directories that can't be read are kept. Files in a directory that is empty because nothing is mounted
    /// there are not.
    ///
    /// # Errors
    ///
    /// Those of [`begin`](FileSink::begin).
    pub fn prune(&mut self) -> Result<u64, Error> {
        let gone = self.gone().map_err(database)?;
        for place in &gone {
            self.begin_transaction()?;
            self.forget(place).map_err(database)?;
            self.rows = self.rows.map(|rows| rows + 1);
            if self.rows >= Some(Self::ROWS) {
                self.commit()?;
            }
        }
        self.commit()?;
        self.reload().map_err(database)?;
        Ok(gone.len() as u64)
    }

    fn gone(&self) -> SqlResult<Vec<Value>> {
        let mut select = self.connection.prepare("SELECT path FROM files WHERE size IS NOT NULL ORDER BY id")?;
        let mut rows = select.query([])?;
        let mut gone = Vec::new();
        while let Some(row) = rows.next()? {
            let place = row.get_ref(0)?;
            if is_gone(place)? {
                gone.push(place.try_into()?);
            }
        }
        Ok(gone)
    }

    /// Drops a file with all its rows.
    fn forget(&mut self, place: &Value) -> SqlResult<()> {
        if let Some(entry) = entry(&self.connection, place)? {
            self.drop_rows(&entry)?;
            self.has_doubts = false;
            self.connection.execute("DELETE FROM files WHERE id = ?", [entry.file.id])?;
        }
        Ok(())
    }

    /// Renames the file that was read under another name and now begins here.
    fn rename(&self, entry: &Entry, name: &str, place: &Value) -> SqlResult<()> {
        self.connection
            .execute("UPDATE files SET name = ?, path = ? WHERE id = ?", params![name, place, entry.file.id])?;
        let (first, end) = (entry.first_game, entry.first_game + entry.file.rows);
        self.connection.execute("UPDATE games SET file = ? WHERE id >= ? AND id < ?", params![name, first, end])?;
        Ok(())
    }

    /// Drops all rows of a file, and the players whom no other one names.
    fn drop_rows(&mut self, entry: &Entry) -> SqlResult<()> {
        let (first, end) = (entry.first_game, entry.first_game + entry.file.rows);
        let games = named_params! {":first": first, ":end": end};
        let Details { moves, positions, comments } = self.options.details;
        schema::index_for_drops(&self.connection, self.options.details, self.options.unique)?;
        if self.options.unique {
            // Their copies in other files are no longer copies.
            let had_copies: bool = self.connection.query_row(
                "SELECT EXISTS(SELECT 1 FROM seen WHERE game >= :first AND game < :end AND copies > 0)",
                games,
                |row| row.get(0),
            )?;
            if had_copies {
                self.connection.execute_batch(DOUBTS)?;
                self.connection.execute(
                    "INSERT INTO temp.lost SELECT identity FROM seen WHERE game >= :first AND game < :end AND copies > 0",
                    games,
                )?;
                // What came from a pipe can't be read once more.
                let doubted =
                    "INSERT INTO temp.doubted SELECT id FROM files WHERE games > rows AND id <> ? AND size >= 0";
                self.connection.execute(doubted, [entry.file.id])?;
                self.connection.execute(TURN, [])?;
                self.has_doubts = true;
            }
        }
        if comments {
            let mut old =
                self.connection.prepare("SELECT id, text FROM comments WHERE game >= :first AND game < :end")?;
            let mut rows = old.query(games)?;
            let mut forget = self
                .connection
                .prepare("INSERT INTO comment_words(comment_words, rowid, text) VALUES('delete', ?, ?)")?;
            while let Some(row) = rows.next()? {
                let text: String = row.get(1)?;
                forget.execute(params![row.get::<_, i64>(0)?, spaced(&fold(&text))])?;
            }
        }
        let mut select = self
            .connection
            .prepare_cached("SELECT DISTINCT player FROM game_players WHERE game >= :first AND game < :end")?;
        let players = select.query_map(games, |row| row.get(0))?.collect::<SqlResult<Vec<i64>>>()?;
        drop(select);
        let tables = [
            (true, "games", "id"),
            (true, "game_players", "game"),
            (moves, "moves", "game"),
            (moves, "setup", "game"),
            (positions > 0, "positions", "game"),
            (comments, "comments", "game"),
            (self.options.unique, "seen", "game"),
        ];
        for (_, table, key) in tables.into_iter().filter(|&(is_there, ..)| is_there) {
            self.connection.execute(&format!("DELETE FROM {table} WHERE {key} >= :first AND {key} < :end"), games)?;
        }
        self.players.drop_idle(&self.connection, &players)
    }

    /// The file whose rows were dropped has come again: if everything that it had copies of has, nobody lacks it.
    fn settle_doubts(&mut self) -> SqlResult<()> {
        if !std::mem::take(&mut self.has_doubts) {
            return Ok(());
        }
        let is_missing = "SELECT EXISTS(SELECT 1 FROM temp.lost WHERE identity NOT IN (SELECT identity FROM seen))";
        if !self.connection.query_row(is_missing, [], |row| row.get::<_, bool>(0))? {
            self.connection.execute(TURN, [])?;
        }
        self.connection.execute("UPDATE seen SET copies = 1 WHERE identity IN (SELECT identity FROM temp.lost)", [])?;
        Ok(())
    }

    /// Begins the file at its first game.
    fn enter(&mut self, (name, place): (&str, &Value), stamp: Option<&Stamp>, entry: Option<&Entry>) -> SqlResult<()> {
        let numbers = stamp.map(|it| (it.len.cast_signed(), it.modified, it.ends.cast_signed()));
        let (size, modified, ends) = match numbers {
            Some((size, modified, ends)) => (Some(size), Some(modified), Some(ends)),
            None => (None, None, None),
        };
        let id = entry.map(|entry| entry.file.id);
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO files(id, name, path, size, modified, ends, first_game, rows, games, done) \
                 VALUES(?, ?, ?, ?, ?, ?, ?, 0, 0, 0)",
            )?
            .execute(params![id, name, place, size, modified, ends, self.next_game])?;
        let id = id.unwrap_or_else(|| self.connection.last_insert_rowid());
        self.file = Some(File { id, games: 0, rows: 0 });
        Ok(())
    }

    /// Whether a game has not come before.
    fn is_new(&self, row: &Row<'_>) -> SqlResult<bool> {
        let identity = if self.options.unique { row.record.identity() } else { None };
        let Some(identity) = identity else { return Ok(true) };
        let identity = identity.cast_signed();
        let copies =
            self.connection.prepare_cached("UPDATE seen SET copies = 1 WHERE identity = ?")?.execute([identity])?;
        if copies > 0 {
            return Ok(false);
        }
        self.connection.prepare_cached("INSERT INTO seen VALUES(?, ?, 0)")?.execute([identity, self.next_game])?;
        Ok(true)
    }

    fn insert(&mut self, row: &Row<'_>) -> SqlResult<()> {
        let game = self.next_game;
        let mut insert = self.connection.prepare_cached(&self.insert_game)?;
        insert.raw_bind_parameter(1, game)?;
        insert.raw_bind_parameter(2, self.file.as_ref().map(|file| file.id))?;
        let cells = row.cells();
        for (place, &column) in Column::OF_TABLE.iter().enumerate() {
            insert.raw_bind_parameter(place + 3, Bound(cells.cell(column)))?;
        }
        insert.raw_execute()?;
        drop(insert);
        let colors = [("B", Ident::PB), ("B", Ident::BT), ("W", Ident::PW), ("W", Ident::WT)];
        for (color, ident) in colors.into_iter().chain(["0", "1", "2", "3", "4", "5"].into_iter().zip(P0_TO_P5)) {
            if let Some(name) = row.record.player(ident)
                && let Some(player) = self.players.id(&self.connection, &name)?
            {
                self.connection
                    .prepare_cached("INSERT OR IGNORE INTO game_players VALUES(?, ?, ?)")?
                    .execute(params![game, color, player])?;
            }
        }
        self.details(game, row)
    }

    fn details(&mut self, game: i64, row: &Row<'_>) -> SqlResult<()> {
        let record = row.record;
        if self.options.details.moves {
            let mut insert = self.connection.prepare_cached("INSERT INTO moves VALUES(?, ?, ?, ?)")?;
            for (number, (color, point)) in (1_i64..).zip(details::moves(record)) {
                insert.execute(params![game, number, color, point])?;
            }
            let mut insert = self.connection.prepare_cached("INSERT INTO setup VALUES(?, ?, ?, ?, ?)")?;
            for (place, (number, property, points)) in (1_i64..).zip(details::setup(record)) {
                insert.execute(params![game, place, number.cast_signed(), property.to_string(), points])?;
            }
        }
        if self.options.details.positions > 0 {
            let mut insert = self.connection.prepare_cached("INSERT INTO positions VALUES(?, ?, ?)")?;
            for (number, hash) in details::positions(record, self.options.details.positions) {
                insert.execute(params![game, number.cast_signed(), hash.cast_signed()])?;
            }
        }
        if self.options.details.comments {
            let mut insert = self
                .connection
                .prepare_cached("INSERT INTO comments(game, node, property, text) VALUES(?, ?, ?, ?)")?;
            let mut insert_words =
                self.connection.prepare_cached("INSERT INTO comment_words(rowid, text) VALUES(?, ?)")?;
            for (node, property, text) in details::comments(record) {
                let id = insert.insert(params![game, node.cast_signed(), property.to_string(), text])?;
                insert_words.execute(params![id, spaced(&fold(&text))])?;
                self.texts += text.len();
            }
        }
        Ok(())
    }

    fn put(&mut self, row: &Row<'_>) -> SqlResult<()> {
        let is_new = self.is_new(row)?;
        if is_new {
            self.insert(row)?;
            self.next_game += 1;
        } else {
            self.copies += 1;
        }
        if let Some(file) = &mut self.file {
            file.games += 1;
            file.rows += i64::from(is_new);
        }
        let rows = self.rows.unwrap_or(0) + 1;
        self.rows = Some(rows);
        if rows >= Self::ROWS || self.texts >= Self::TEXTS {
            self.commit_rows()?;
        }
        Ok(())
    }
}

/// A run that has failed leaves one file, too, unless another program has it open.
impl Drop for Sqlite {
    fn drop(&mut self) {
        let _ = self.connection.busy_timeout(Duration::ZERO);
        if !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        let _ = leave_wal(&self.connection);
    }
}

impl Sink for Sqlite {
    fn wants(&self) -> Wants {
        Wants { main_line: true, counts: true, ..Wants::HEADER } | self.options.details.wants()
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.begin_transaction()?;
        self.put(row).map_err(database)
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.commit_rows().map_err(database)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.commit()?;
        schema::index(&self.connection, self.options.details)
            .and_then(|()| self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
            .map_err(database)
    }
}

impl FileSink for Sqlite {
    fn begin(&mut self, name: &str, file: Option<(&Path, &Stamp)>) -> Result<Known, Error> {
        let stamp = file.map(|(_, stamp)| stamp);
        let place = file.map_or_else(|| Value::Text(name.to_owned()), |(path, _)| self.places.of(path));
        let mut entry = entry(&self.connection, &place).map_err(database)?;
        if let (None, Some(stamp)) = (&entry, stamp) {
            entry = moved(&self.connection, &place, stamp).map_err(database)?;
            if let Some(entry) = &entry {
                self.begin_transaction()?;
                self.rename(entry, name, &place).map_err(database)?;
            }
        }
        match entry.as_ref().map_or(Known::Nothing, |entry| entry.known(stamp)) {
            Known::Nothing => {}
            Known::Games(games) => {
                // The rows of a file must stay together.
                if let Some(Entry { file, .. }) = entry.take_if(|it| it.first_game + it.file.rows == self.next_game) {
                    self.file = Some(file);
                    return Ok(Known::Games(games));
                }
            }
            all @ Known::All(_) => return Ok(all),
        }
        self.begin_transaction()?;
        if let Some(entry) = &entry {
            self.drop_rows(entry).map_err(database)?;
            if entry.first_game + entry.file.rows == self.next_game && stamp.is_none() {
                // A pipe that comes again takes the same numbers. So one that was cut off and comes again looks as if
                // it had come once.
                self.next_game = entry.first_game;
            }
        }
        self.enter((name, &place), stamp, entry.as_ref()).map_err(database)?;
        Ok(Known::Nothing)
    }

    fn end(&mut self, end: FileEnd<'_>) -> Result<(), Error> {
        let (trouble, set) = match end {
            FileEnd::Whole => (None, "done = 1"),
            FileEnd::Troubled(trouble) => (Some(trouble), "done = 1"),
            // Without its whole stamp, the file does not count as known.
            FileEnd::GivenUp(trouble) => (Some(trouble), "done = 0, ends = NULL"),
        };
        self.begin_transaction()?;
        let Some(file) = self.file.take() else { return Ok(()) };
        self.settle_doubts().map_err(database)?;
        let result = self
            .connection
            .prepare_cached(&format!("UPDATE files SET games = ?, rows = ?, trouble = ?, {set} WHERE id = ?"))
            .and_then(|mut update| update.execute(params![file.games, file.rows, trouble, file.id]));
        result.map(drop).map_err(database)?;
        // A million files without games are a million rows too.
        self.rows = self.rows.map(|rows| rows + 1);
        if self.rows >= Some(Self::ROWS) { self.commit() } else { Ok(()) }
    }

    fn copies(&self) -> u64 {
        self.copies
    }
}

/// A cell as a value for SQLite.
struct Bound<'a>(Cell<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> SqlResult<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, ValueRef};
        Ok(ToSqlOutput::Borrowed(match &self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
            Cell::Count(count) => ValueRef::Integer(i64::try_from(*count).unwrap_or(i64::MAX)),
            Cell::Integer(number) => ValueRef::Integer(*number),
            Cell::Number(number) => ValueRef::Real(*number),
        }))
    }
}
