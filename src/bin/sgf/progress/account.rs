//! What was read, and what was not.
//!
//! Owns the counts that all threads add to, and the words for them. One example is kept for each reason: the name that
//! comes first in the alphabet, so that it does not depend on which thread came first. Refuses to know who reads them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sgf_stream::archive::{Name, Skip};

use crate::input::is_sidecar;
use crate::session::Report;
use crate::terminal::layout::{counted, size, thousands, time};

/// The counts of one run.
pub(crate) struct Account {
    start: Instant,
    /// Bytes of the inputs as they are stored, compressed or not.
    bytes: AtomicU64,
    games: AtomicU64,
    /// Games that were dropped because they had come before.
    copies: AtomicU64,
    /// Whether games are counted.
    has_games: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    files: u64,
    /// Files that were not read because they have not changed.
    kept: u64,
    left: Left,
    /// The input or member being read.
    current: String,
    stopped: Option<Stop>,
}

/// Where Ctrl-C has stopped reading; if there is no offset, it was in an archive.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) name: String,
    pub(crate) offset: Option<u64>,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.offset {
            Some(offset) => write!(f, "interrupted in {name}, at byte {offset}: what came before it was read"),
            None => write!(f, "interrupted in {name}: what came before was read"),
        }
    }
}

/// Why something was not read, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    Skipped(Skip),
    /// It is of a kind that gets no sidecar.
    #[cfg_attr(not(feature = "index"), expect(dead_code, reason = "only an index has sidecars"))]
    NoSidecar,
    /// `--strict` stopped at a problem.
    Strict,
    /// It could not be read, or not to its end.
    Failed,
}

impl Reason {
    /// Its key, label and words.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Skipped(Skip::Name) => ["name", "by the name", "by their names"],
            Self::Skipped(Skip::Excluded) => ["excluded"; 3],
            Self::Skipped(Skip::Again) => ["again", "a second time", "a second time"],
            Self::Skipped(Skip::Behind) => ["behind_damage", "behind damage", "packed behind damage"],
            Self::Skipped(_) => ["kind", "no plain file", "no plain files"],
            Self::NoSidecar => ["no_sidecar", "without a sidecar", "of a kind that gets no sidecar"],
            Self::Strict => ["strict", "from a problem on", "from a problem on"],
            Self::Failed => ["unreadable"; 3],
        }
    }

    /// Its name in JSON.
    pub(crate) fn key(self) -> &'static str {
        let [key, ..] = self.names();
        key
    }

    /// Its label in a table.
    pub(crate) fn label(self) -> &'static str {
        let [_, label, _] = self.names();
        label
    }

    /// Its words after a number.
    fn words(self) -> &'static str {
        let [.., words] = self.names();
        words
    }
}

/// How many files and members were not read for each reason, and one of them.
pub(crate) type Left = BTreeMap<Reason, (u64, String)>;

fn add(left: &mut Left, reason: Reason, count: u64, name: &str) {
    let (known, example) = left.entry(reason).or_default();
    if *known == 0 || name < example.as_str() {
        name.clone_into(example);
    }
    *known += count;
}

impl Account {
    pub(crate) fn new() -> Self {
        let (bytes, games, copies) = <(AtomicU64, AtomicU64, AtomicU64)>::default();
        Self { start: Instant::now(), bytes, games, copies, has_games: true, state: Mutex::default() }
    }

    /// The counts of a run that does not know how many games it reads.
    pub(crate) fn without_games() -> Self {
        Self { has_games: false, ..Self::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn add_files(&self, files: u64) {
        self.state().files += files;
    }

    pub(crate) fn add_games(&self, games: u64) {
        self.games.fetch_add(games, Ordering::Relaxed);
    }

    pub(crate) fn games(&self) -> u64 {
        self.games.load(Ordering::Relaxed)
    }

    pub(crate) fn add_copies(&self, copies: u64) {
        self.copies.fetch_add(copies, Ordering::Relaxed);
    }

    pub(crate) fn time(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn skip(&self, name: &Name, why: Skip) {
        if why == Skip::Name && is_sidecar(Path::new(name.as_str())) {
            // What the program itself has put there is not missed.
            return;
        }
        add(&mut self.state().left, Reason::Skipped(why), 1, name.as_str());
    }

    pub(crate) fn begin(&self, name: &str) {
        name.clone_into(&mut self.state().current);
    }

    pub(crate) fn current(&self) -> String {
        self.state().current.clone()
    }

    /// Adds the reports about some inputs.
    pub(crate) fn add(&self, report: &mut Report) {
        let mut state = self.state();
        state.files += std::mem::take(&mut report.files);
        state.kept += std::mem::take(&mut report.kept);
        for (reason, (count, name)) in std::mem::take(&mut report.left) {
            add(&mut state.left, reason, count, &name);
        }
        if state.stopped.is_none() {
            state.stopped = report.stopped.take();
        }
    }

    pub(crate) fn left(&self) -> Left {
        self.state().left.clone()
    }

    /// Where Ctrl-C has stopped reading, for people.
    pub(crate) fn interruption(&self) -> String {
        match &self.state().stopped {
            Some(stop) => stop.to_string(),
            None => "interrupted between two files: what came before was read".to_owned(),
        }
    }

    /// What was read, for people.
    pub(crate) fn summary(&self) -> String {
        let State { files, kept, .. } = *self.state();
        let files = counted(files, "file");
        let games = if self.has_games { format!(", {}", counted(self.games(), "game")) } else { String::new() };
        let copies = self.dropped().map_or_else(String::new, |copies| format!("; {copies}"));
        let kept = match kept {
            0 => String::new(),
            1 => "; 1 file has not changed and was kept".to_owned(),
            kept => format!("; {} files have not changed and were kept", thousands(kept)),
        };
        format!("read {files}, {}{games} in {}{copies}{kept}", size(self.bytes()), time(self.time()))
    }

    /// How many games were dropped as copies, if any were.
    pub(crate) fn dropped(&self) -> Option<String> {
        match self.copies.load(Ordering::Relaxed) {
            0 => None,
            1 => Some("1 copy was dropped".to_owned()),
            copies => Some(format!("{} copies were dropped", thousands(copies))),
        }
    }

    /// What was not read and why, if there is anything.
    pub(crate) fn not_read(&self) -> Option<String> {
        let left = self.left();
        let reasons: Vec<String> = left
            .iter()
            .map(|(reason, (count, name))| {
                let example = if *count == 1 { name.clone() } else { format!("{name} is one") };
                format!("{} {} ({example})", thousands(*count), reason.words())
            })
            .collect();
        (!reasons.is_empty()).then(|| format!("not read: {}", reasons.join(", ")))
    }
}

impl Report {
    /// An input was not read, or not to its end.
    pub(crate) fn leave(&mut self, reason: Reason, name: &str) {
        add(&mut self.left, reason, 1, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_does_not_depend_on_the_order() {
        for names in [["b", "a", "c"], ["c", "b", "a"]] {
            let account = Account::new();
            for name in names {
                account.skip(&Name::new(name), Skip::Name);
            }
            account.skip(&Name::new("d"), Skip::Excluded);
            assert_eq!(account.not_read().unwrap(), "not read: 3 by their names (a is one), 1 excluded (d)");
        }
        assert_eq!(Account::new().not_read(), None);
    }
}
