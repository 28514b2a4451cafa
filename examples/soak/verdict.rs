//! The result.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;
use sgf_stream::listen::GameId;

use crate::clients::{Kind, Ledger};
use crate::server::MEMORY;

/// After this many seconds all kinds of clients have been connected, so memory has reached its level.
const WARM: f64 = 60.0;

#[derive(Default)]
pub(crate) struct Figures {
    memory: Vec<u64>,
    unfinished: u64,
    panics: u64,
    pub(crate) stopped_well: bool,
    pub(crate) seconds: f64,
    pub(crate) kills: u64,
}

impl Figures {
    pub(crate) fn memory(&mut self, bytes: u64) {
        // 0 means that the process is not running.
        self.memory.extend((bytes > 0).then_some(bytes));
    }

    pub(crate) fn log(&mut self, log: &str) {
        self.panics += log.matches("panicked").count() as u64;
    }

    /// Whether an honest client finished in time.
    pub(crate) fn ended(&mut self, in_time: bool) {
        self.unfinished += u64::from(!in_time);
    }

    /// Prints everything, and returns whether all promises were kept.
    pub(crate) fn judge(&self, file: &Path, ledger: &Ledger, out: &mut impl Write) -> Result<bool, Box<dyn Error>> {
        let Stored { games: stored, broken } = Stored::read(file)?;
        let ids = ledger.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = ids.iter().filter(|id| !stored.contains_key(id)).count();
        let twice = stored.values().filter(|&&times| times > 1).count();
        let nonsense = ledger.nonsense.lock().unwrap_or_else(PoisonError::into_inner);

        let third = (self.memory.len() / 3).max(1);
        let most = |range: &[u64]| range.iter().max().copied().unwrap_or(0) >> 20;
        let (early, late) = (
            most(&self.memory[..third.min(self.memory.len())]),
            most(&self.memory[self.memory.len().saturating_sub(third)..]),
        );

        let mut kinds: BTreeMap<Kind, (u64, u64, u64, Duration)> = BTreeMap::new();
        let clients = ledger.clients.lock().unwrap_or_else(PoisonError::into_inner);
        for &(kind, games, longest) in clients.values() {
            let (count, all, least, slowest) = kinds.entry(kind).or_insert((0, 0, u64::MAX, Duration::ZERO));
            *count += 1;
            *all += games;
            *least = (*least).min(games);
            *slowest = (*slowest).max(longest);
        }

        writeln!(out, "{:.0} s, killed {} times", self.seconds, self.kills)?;
        writeln!(
            out,
            "acknowledged {}, in the file {}, lost {lost}, twice {twice}, broken rows {broken}",
            ids.len(),
            stored.len()
        )?;
        writeln!(
            out,
            "sent again {}, not stored {}",
            ledger.again.load(Ordering::Relaxed),
            ledger.not_stored.load(Ordering::Relaxed)
        )?;
        writeln!(out, "memory at most {early} MiB in the first third, {late} MiB in the last")?;
        for (kind, (count, all, least, slowest)) in &kinds {
            let kind = format!("{kind:?}").to_lowercase();
            writeln!(
                out,
                "{count:>4} {kind:<6} {all:>8} games, {least:>6} for the last of them, at most {:.1} s until acknowledged",
                slowest.as_secs_f64()
            )?;
        }
        let mut faults = Vec::new();
        for (is_fault, what) in [
            (lost > 0 || twice > 0 || broken > 0, "the file is not what was acknowledged".to_owned()),
            (ids.is_empty(), "nothing was acknowledged".to_owned()),
            (self.seconds > WARM && late > early + early / 4 + 16, "memory grows".to_owned()),
            (most(&self.memory) > (MEMORY >> 20) + 64, "memory is more than the service was given".to_owned()),
            (self.unfinished > 0, format!("{} honest clients did not get through", self.unfinished)),
            (self.panics > 0, format!("{} panics", self.panics)),
            (!self.stopped_well, "SIGTERM did not end well".to_owned()),
            (!nonsense.is_empty(), format!("nonsense: {:?}", nonsense.first())),
        ] {
            faults.extend(is_fault.then_some(what));
        }
        for fault in &faults {
            writeln!(out, "FAULT: {fault}")?;
        }
        Ok(faults.is_empty())
    }
}

/// What the store contains.
#[derive(Default)]
struct Stored {
    games: HashMap<GameId, u32>,
    broken: u64,
}

impl Stored {
    fn read(file: &Path) -> Result<Self, Box<dyn Error>> {
        let mut stored = Self::default();
        #[cfg(feature = "index")]
        if crate::is_database(file) {
            stored.database(file)?;
            return Ok(stored);
        }
        for line in BufReader::new(File::open(file)?).lines() {
            let row = serde_json::from_str::<Value>(&line?).unwrap_or_default();
            let id = row["id"].as_str().and_then(|id| id.parse().ok());
            let is_right = match row.get("sgf").and_then(Value::as_str) {
                Some(game) => Some(GameId::of(game.as_bytes())) == id,
                None => row.get("sgf_base64").is_some(),
            };
            stored.row(id, is_right);
        }
        Ok(stored)
    }

    #[cfg(feature = "index")]
    fn database(&mut self, file: &Path) -> rusqlite::Result<()> {
        let database = rusqlite::Connection::open(file)?;
        let mut rows = database.prepare("SELECT id, CAST(sgf AS BLOB) FROM games")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let id = row.get::<_, String>(0)?.parse().ok();
            self.row(id, Some(GameId::of(&row.get::<_, Vec<u8>>(1)?)) == id);
        }
        Ok(())
    }

    /// Checks that a row describes the game that its id names.
    fn row(&mut self, id: Option<GameId>, is_right: bool) {
        match id {
            Some(id) if is_right => *self.games.entry(id).or_default() += 1,
            _ => self.broken += 1,
        }
    }
}
