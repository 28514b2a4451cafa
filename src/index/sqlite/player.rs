//! The players, each name stored once.
//!
//! Owns the tables `players` and `player_parts`: a name has a row as long as a game names it. Refuses to know whether two
//! names are one person.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Result, params};

use crate::index::pieces::parts;
use crate::index::sqlite::schema::PLAYER_INDEX;
use crate::record::fold;

/// How many names are remembered with their identifiers; the others are looked up in the database.
const REMEMBERED: usize = 50_000;

/// The longest name that is remembered, in bytes. Nearly all are shorter.
const LONGEST: usize = 200;

/// Gives names their identifiers.
#[derive(Debug, Default)]
pub(super) struct Players {
    known: HashMap<String, i64>,
}

impl Players {
    /// The identifier of a name, which is put into the tables if it is new; `None` for a name that says nothing.
    pub(super) fn id(&mut self, connection: &Connection, name: &str) -> Result<Option<i64>> {
        let name = name.trim();
        if name.is_empty() {
            return Ok(None);
        }
        if let Some(&id) = self.known.get(name) {
            return Ok(Some(id));
        }
        let known = connection
            .prepare_cached("SELECT id FROM players WHERE name = ?")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => insert(connection, name)?,
        };
        if name.len() <= LONGEST {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(name.to_owned(), id);
        }
        Ok(Some(id))
    }

    /// Drops those of these players who have no game any more.
    pub(super) fn drop_idle(&mut self, connection: &Connection, players: &[i64]) -> Result<()> {
        if players.is_empty() {
            return Ok(());
        }
        // It comes last if a database is made in one go, but here each player is looked up.
        connection.execute_batch(PLAYER_INDEX)?;
        let mut delete = connection.prepare_cached(
            "DELETE FROM players WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM game_players WHERE player = ?1) \
             RETURNING name, folded",
        )?;
        let mut delete_part = connection.prepare_cached("DELETE FROM player_parts WHERE part = ? AND player = ?")?;
        for player in players {
            let idle = delete
                .query_row([player], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
                .optional()?;
            let Some((name, folded)) = idle else { continue };
            for part in parts(&folded) {
                delete_part.execute(params![part, player])?;
            }
            self.known.remove(&name);
        }
        Ok(())
    }
}

fn insert(connection: &Connection, name: &str) -> Result<i64> {
    let folded = fold(name);
    let id =
        connection.prepare_cached("INSERT INTO players(name, folded) VALUES(?, ?)")?.insert(params![name, folded])?;
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO player_parts VALUES(?, ?)")?;
    for part in parts(&folded) {
        insert.execute(params![part, id])?;
    }
    Ok(id)
}
