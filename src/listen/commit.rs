//! The one thread that stores what all connections bring.
//!
//! Owns the group commit: while one batch is being made safe, the next one gathers. So the slower the disk is, the more
//! games share one wait for it. Owns too what is logged of failures.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::listen::metrics::Metrics;
use crate::listen::throttle::LogThrottle;
use crate::listen::{Entry, Store};

/// A game to be stored.
pub(super) struct Job {
    pub(super) entry: Entry,
    /// The memory that it occupies until it is stored.
    pub(super) memory: OwnedSemaphorePermit,
    /// Whether it was new. Dropped if it could not be stored.
    pub(super) stored: oneshot::Sender<bool>,
}

/// How many bytes of rows a batch has, not counting its last row: more would only make the first ones wait.
const BATCH: usize = 8 << 20;

/// How long nothing is given to a store after a failure, so that a full disk does not cause a busy loop.
const PAUSE: Duration = Duration::from_millis(200);

/// What is logged of a store of somebody else that breaks its promise.
const OTHER_LENGTH: &str = "the store has not said of each game of the batch whether it was new";

/// Starts the thread. It ends when the last sender is gone, and reports how the store was closed.
pub(super) fn start(
    mut store: impl Store,
    metrics: Arc<Metrics>,
) -> io::Result<(mpsc::Sender<Job>, oneshot::Receiver<io::Result<()>>)> {
    // The jobs that wait are bounded by their memory long before this.
    let (jobs, mut waiting) = mpsc::channel::<Job>(64 << 10);
    let (ended, end) = oneshot::channel();
    let work = move || {
        let mut entries = Vec::new();
        let mut waiters = Vec::new();
        let mut failures = LogThrottle::default();
        while let Some(first) = waiting.blocking_recv() {
            let mut len = 0;
            let mut next = Some(first);
            while let Some(Job { entry, memory, stored }) = next {
                len += entry.row.len();
                entries.push(entry);
                waiters.push((stored, memory));
                next = if len < BATCH { waiting.try_recv().ok() } else { None };
            }
            commit(&mut store, &metrics, &mut failures, &entries, waiters.drain(..));
            entries.clear();
        }
        let closed = store.close();
        // The receiver of the report may open the same store at once.
        drop(store);
        // The receiver is gone if the service did not want to wait any longer.
        if let Err(Err(error)) = ended.send(closed) {
            tracing::error!(%error, "the store was not closed well");
        }
    };
    thread::Builder::new().name("sgf-store".into()).spawn(work)?;
    Ok((jobs, end))
}

fn commit(
    store: &mut impl Store,
    metrics: &Metrics,
    failures: &mut LogThrottle,
    entries: &[Entry],
    waiters: impl Iterator<Item = (oneshot::Sender<bool>, OwnedSemaphorePermit)>,
) {
    let timer = metrics.commit_begins();
    let result = store.commit(entries).and_then(|is_new| {
        if is_new.len() == entries.len() { Ok(is_new) } else { Err(io::Error::other(OTHER_LENGTH)) }
    });
    let is_new = |place| result.as_ref().map_or(true, |is_new: &Vec<bool>| is_new.get(place) == Some(&true));
    let bytes = entries.iter().enumerate().filter(|(place, _)| is_new(*place)).map(|(_, entry)| entry.row.len()).sum();
    metrics.commit_ended(timer, result.is_ok(), bytes);
    match result {
        Ok(is_new) => {
            metrics.stored(is_new.iter().filter(|is_new| **is_new).count() as u64);
            if !metrics.is_failing()
                && let Some(games) = failures.end()
            {
                tracing::warn!(refused = games, "games can be stored again");
            }
            for ((stored, memory), is_new) in waiters.zip(is_new) {
                // The one that waited may be gone; the game is stored all the same.
                let _ = stored.send(is_new);
                drop(memory);
            }
        }
        Err(error) => {
            if let Some(games) = failures.again(entries.len() as u64, Instant::now()) {
                tracing::error!(games, %error, "games could not be stored");
            }
            drop(waiters);
            thread::sleep(PAUSE);
        }
    }
}
