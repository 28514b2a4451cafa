//! What a service counts.
//!
//! Owns the numbers, their names for Prometheus, and what they mean for its health.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::listen::answer::{REFUSED, Reason};

/// What a service counts while it runs.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    begun: Instant,
    connections: Gauge,
    connections_total: Counter,
    read: Counter,
    accepted: Counter,
    repeated: Counter,
    refused: Family<Problem, Counter>,
    batches: Counter,
    failures: Counter,
    commit_seconds: Histogram,
    /// When the batch in progress began, in milliseconds since the beginning, plus one; 0 if there is none.
    committing: AtomicU64,
    health: AtomicU64,
    failure: Mutex<Failure>,
    stored: Counter,
}

/// How many bytes must be stored before a failure counts as over. On a full disk, what fits proves nothing about what does not.
#[derive(Debug, Default)]
struct Failure {
    last: Option<Instant>,
    missing: usize,
}

impl Failure {
    fn again(&mut self, bytes: usize, now: Instant) {
        self.last = Some(now);
        self.missing = self.missing.max(bytes);
    }

    fn is_over(&mut self, stored: usize, now: Instant) -> bool {
        self.missing = self.missing.saturating_sub(stored);
        let is_old = self.last.is_none_or(|last| now.saturating_duration_since(last) >= OVER_AFTER);
        if self.missing > 0 && !(is_old && stored > 0) {
            return false;
        }
        *self = Self::default();
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Problem {
    problem: &'static str,
}

/// The health of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Health {
    /// It stores games.
    Fine,
    /// A batch could not be stored. Since then, neither as many bytes as that batch had were stored, nor anything a
    /// minute or more after it.
    Failing,
    /// A batch has taken more than 3 seconds so far.
    Stalled,
    /// It takes no more games, or has ended.
    Stopping,
}

impl Health {
    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Failing => "failing",
            Self::Stalled => "stalled",
            Self::Stopping => "stopping",
        }
    }
}

/// The word.
impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const FAILING: u64 = 1;
const STOPPING: u64 = 2;

/// How long a batch may take.
const STALLED_AFTER: Duration = Duration::from_secs(3);

/// After so long, any stored batch shows that a failure is over.
const OVER_AFTER: Duration = Duration::from_secs(60);

impl Metrics {
    /// Nothing yet.
    pub fn new() -> Self {
        // From half a millisecond, for a fast disk, to a quarter of a minute.
        let buckets = (0..16).map(|step| 0.000_5 * f64::from(1 << step));
        let mut new = Self {
            registry: Registry::with_prefix("sgf_listen"),
            begun: Instant::now(),
            connections: Gauge::default(),
            connections_total: Counter::default(),
            read: Counter::default(),
            accepted: Counter::default(),
            repeated: Counter::default(),
            refused: Family::default(),
            batches: Counter::default(),
            failures: Counter::default(),
            commit_seconds: Histogram::new(buckets),
            committing: AtomicU64::new(0),
            health: AtomicU64::new(0),
            failure: Mutex::default(),
            stored: Counter::default(),
        };
        let registry = &mut new.registry;
        registry.register("connections", "Connections that are open", new.connections.clone());
        registry.register("connections_accepted", "Connections so far", new.connections_total.clone());
        registry.register_with_unit("read", "What clients sent", Unit::Bytes, new.read.clone());
        let help = "Games stored, each once, whether or not their clients have read that";
        registry.register("games_stored", help, new.stored.clone());
        let help = "Answers written that say a game is stored; a client that is gone may not have read them";
        registry.register("games_accepted", help, new.accepted.clone());
        registry.register("games_repeated", "Games among these that were stored before", new.repeated.clone());
        registry.register("refused", "Refusals sent, by what was wrong", new.refused.clone());
        registry.register("commits", "Batches of games that were stored", new.batches.clone());
        registry.register("commit_failures", "Batches of games that could not be stored", new.failures.clone());
        let seconds = new.commit_seconds.clone();
        registry.register_with_unit("commit", "Time that storing a batch takes", Unit::Seconds, seconds);
        // Whoever looks for a rise would miss the first one if nothing were there before it.
        let reasons = Reason::ALL.iter().map(|reason| reason.text().0);
        for problem in reasons.chain(REFUSED.iter().map(|kind| kind.name())) {
            drop(new.refused.get_or_create(&Problem { problem }));
        }
        new
    }

    /// All of them as text, in the format of Prometheus and other readers of OpenMetrics.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to memory does not fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }

    /// The health of the service now.
    pub fn health(&self) -> Health {
        let health = self.health.load(Ordering::Relaxed);
        let committing = self.committing.load(Ordering::Relaxed);
        if health & STOPPING != 0 {
            Health::Stopping
        } else if committing > 0 && self.now().saturating_sub(committing) > STALLED_AFTER.as_millis() as u64 {
            Health::Stalled
        } else if health & FAILING != 0 {
            Health::Failing
        } else {
            Health::Fine
        }
    }

    /// Games acknowledged so far, including those that were stored before. A client that is gone may not have read that.
    pub fn games_accepted(&self) -> u64 {
        self.accepted.get()
    }

    /// Games among these that were stored before.
    pub(super) fn games_repeated(&self) -> u64 {
        self.repeated.get()
    }

    /// Games stored so far, each of them once.
    pub(super) fn games_stored(&self) -> u64 {
        self.stored.get()
    }

    pub(super) fn stored(&self, games: u64) {
        self.stored.inc_by(games);
    }

    /// Counts a refusal.
    pub(super) fn refused(&self, problem: &'static str) {
        self.refused.get_or_create(&Problem { problem }).inc();
    }

    pub(super) fn accepted(&self, is_new: bool) {
        self.accepted.inc();
        if !is_new {
            self.repeated.inc();
        }
    }

    pub(super) fn read(&self, len: usize) {
        self.read.inc_by(len as u64);
    }

    /// A connection has begun; it ends when the result is dropped, even by a panic.
    pub(super) fn opened(&self) -> Opened<'_> {
        self.connections.inc();
        self.connections_total.inc();
        Opened(self)
    }

    /// A service begins; it ends when the result is dropped, however that comes.
    pub(super) fn serving(&self) -> Serving<'_> {
        self.health.store(0, Ordering::Relaxed);
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Failure::default();
        Serving(self)
    }

    pub(super) fn stopping(&self) {
        self.health.fetch_or(STOPPING, Ordering::Relaxed);
    }

    /// Whether a batch could not be stored, and it is not clear yet that the next one can.
    pub(super) fn is_failing(&self) -> bool {
        self.health.load(Ordering::Relaxed) & FAILING != 0
    }

    pub(super) fn commit_begins(&self) -> Instant {
        self.committing.store(self.now() + 1, Ordering::Relaxed);
        Instant::now()
    }

    /// A batch was stored or not. `bytes`: how many of its bytes were not stored before.
    pub(super) fn commit_ended(&self, begun: Instant, is_stored: bool, bytes: usize) {
        self.committing.store(0, Ordering::Relaxed);
        self.commit_seconds.observe(begun.elapsed().as_secs_f64());
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if is_stored {
            self.batches.inc();
            if failure.is_over(bytes, Instant::now()) {
                self.health.fetch_and(!FAILING, Ordering::Relaxed);
            }
        } else {
            self.failures.inc();
            failure.again(bytes, Instant::now());
            self.health.fetch_or(FAILING, Ordering::Relaxed);
        }
    }

    fn now(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

/// A service that is counted on.
pub(super) struct Serving<'a>(&'a Metrics);

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        self.0.stopping();
    }
}

/// A connection that is counted.
pub(super) struct Opened<'a>(&'a Metrics);

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.0.connections.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_batch_on_a_full_disk_does_not_end_the_failure() {
        let now = Instant::now();
        let mut failure = Failure::default();
        failure.again(100, now);
        assert!(!failure.is_over(60, now));
        assert!(!failure.is_over(0, now), "a batch of games already stored");
        failure.again(70, now);
        assert!(!failure.is_over(69, now), "the last failure counts");
        assert!(failure.is_over(1, now));
        failure.again(100, now);
        assert!(!failure.is_over(1, now + OVER_AFTER / 2));
        assert!(!failure.is_over(0, now + OVER_AFTER), "nothing was stored");
        assert!(failure.is_over(1, now + OVER_AFTER));
        assert!(failure.is_over(0, now), "without a failure");
    }

    #[test]
    fn a_stalled_commit_is_reported_while_it_lasts() {
        let metrics = Metrics::new();
        let begun = metrics.commit_begins();
        assert_eq!(metrics.health(), Health::Fine);
        metrics.committing.store(1, Ordering::Relaxed);
        let mut late = metrics;
        late.begun = begun.checked_sub(2 * STALLED_AFTER).expect("the machine runs for longer");
        assert_eq!(late.health(), Health::Stalled);
        late.commit_ended(begun, true, 1);
        assert_eq!(late.health(), Health::Fine);
    }
}
