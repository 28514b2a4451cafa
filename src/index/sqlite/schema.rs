//! The tables and indexes of the database.
//!
//! Owns their names and columns, which queries rely on: none is ever taken away or given another meaning without another
//! [`VERSION`], nor is the form of names and words changed that searches find them by.

use rusqlite::{Connection, Result};

use crate::index::Details;
use crate::record::{Column, ColumnKind};

/// The version of the tables, in `user_version`.
pub(super) const VERSION: i32 = 4;

/// The mark that distinguishes an index from other databases, in `application_id`: `SGFi`.
pub(super) const APPLICATION: i32 = 0x5347_4669;

const TABLES: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  path NOT NULL UNIQUE,
  size INTEGER,
  modified INTEGER,
  ends INTEGER,
  first_game INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  games INTEGER NOT NULL,
  done INTEGER NOT NULL,
  trouble TEXT
);
CREATE TABLE players(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL);
CREATE TABLE player_parts(part TEXT NOT NULL, player INTEGER NOT NULL, PRIMARY KEY(part, player)) WITHOUT ROWID;
CREATE TABLE game_players(
  game INTEGER NOT NULL,
  color TEXT NOT NULL,
  player INTEGER NOT NULL,
  PRIMARY KEY(game, color, player)
) WITHOUT ROWID;";

const COMMENTS: &str = "
CREATE TABLE comments(
  id INTEGER PRIMARY KEY,
  game INTEGER NOT NULL,
  node INTEGER NOT NULL,
  property TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE VIRTUAL TABLE comment_words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2');";

const MOVES: &str = "
CREATE TABLE moves(
  game INTEGER NOT NULL,
  number INTEGER NOT NULL,
  color TEXT NOT NULL,
  move TEXT NOT NULL,
  PRIMARY KEY(game, number)
) WITHOUT ROWID;
CREATE TABLE setup(
  game INTEGER NOT NULL,
  place INTEGER NOT NULL,
  number INTEGER NOT NULL,
  property TEXT NOT NULL,
  points TEXT NOT NULL,
  PRIMARY KEY(game, place)
) WITHOUT ROWID;";

const POSITIONS: &str = "
CREATE TABLE positions(
  game INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  PRIMARY KEY(game, number)
) WITHOUT ROWID;";

const SEEN: &str = "
CREATE TABLE seen(identity INTEGER PRIMARY KEY, game INTEGER NOT NULL, copies INTEGER NOT NULL);";

/// Finds a file that was moved. Thousands may be alike in all but the time, such as empty ones. Older versions have an index
/// that does not tell these apart.
const STAMP_INDEX: &str = "
CREATE INDEX IF NOT EXISTS files_stamp ON files(ends, size, modified);
DROP INDEX IF EXISTS files_ends;";

/// Finds the games of a player.
pub(super) const PLAYER_INDEX: &str =
    "CREATE INDEX IF NOT EXISTS game_players_player ON game_players(player, game, color);";

const COMMENTS_INDEX: &str = "CREATE INDEX IF NOT EXISTS comments_game ON comments(game);";

/// Find the games of a file that others may have copies of, and the files that have some.
const COPIES_INDEXES: &str = "
CREATE INDEX IF NOT EXISTS seen_game ON seen(game);
CREATE INDEX IF NOT EXISTS files_short ON files(size) WHERE games > rows;";

/// Created once all rows are there, which is many times as fast as updating them row by row.
const INDEXES: &str = "
CREATE INDEX IF NOT EXISTS games_date ON games(date);
CREATE INDEX IF NOT EXISTS games_result ON games(result);
CREATE INDEX IF NOT EXISTS games_symmetric ON games(symmetric);
CREATE INDEX IF NOT EXISTS games_year ON games(year);";

pub(super) fn create(connection: &Connection, details: Details, unique: bool) -> Result<()> {
    connection.execute_batch(TABLES)?;
    connection.execute_batch(STAMP_INDEX)?;
    connection.execute_batch(&games())?;
    for (wanted, tables) in
        [(details.comments, COMMENTS), (details.moves, MOVES), (details.positions > 0, POSITIONS), (unique, SEEN)]
    {
        if wanted {
            connection.execute_batch(tables)?;
        }
    }
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)
}

pub(super) fn index(connection: &Connection, details: Details) -> Result<()> {
    connection.execute_batch(STAMP_INDEX)?;
    connection.execute_batch(PLAYER_INDEX)?;
    connection.execute_batch(INDEXES)?;
    if details.comments {
        connection.execute_batch(COMMENTS_INDEX)?;
    }
    if details.positions > 0 {
        connection.execute_batch("CREATE INDEX IF NOT EXISTS positions_hash ON positions(hash, game, number);")?;
    }
    Ok(())
}

/// Dropping the rows of a file must not take the time that searching all other rows takes. A database made in one go has not
/// needed these, and a run that was killed has not come to them.
pub(super) fn index_for_drops(connection: &Connection, details: Details, unique: bool) -> Result<()> {
    if details.comments {
        connection.execute_batch(COMMENTS_INDEX)?;
    }
    if unique {
        connection.execute_batch(COPIES_INDEXES)?;
    }
    Ok(())
}

/// The table of games has the columns of `sgf list`, and the row of `files` that it came from.
fn games() -> String {
    format!(
        "CREATE TABLE games(\n  id INTEGER PRIMARY KEY,\n  file_id INTEGER{}\n);",
        column_definitions(Column::OF_TABLE)
    )
}

/// Column definitions, each with a comma before it.
pub(crate) fn column_definitions(columns: &[Column]) -> String {
    let mut sql = String::new();
    for column in columns {
        sql.push_str(",\n  ");
        sql.push_str(column.name());
        sql.push_str(match column.kind() {
            ColumnKind::Text | ColumnKind::Result => " TEXT",
            // Without them, DuckDB takes all for bytes.
            ColumnKind::Count | ColumnKind::Integer => " INTEGER",
            ColumnKind::Number => " REAL",
            // A number or a text.
            ColumnKind::Size => "",
        });
    }
    sql
}

/// The statement that inserts a game.
pub(super) fn insert_game() -> String {
    let names: Vec<_> = Column::OF_TABLE.iter().map(|column| column.name()).collect();
    format!("INSERT INTO games(id,file_id,{}) VALUES(?,?{})", names.join(","), ",?".repeat(names.len()))
}
