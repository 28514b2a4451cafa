//! The way of members from the thread that unpacks them to the one that reads them.
//!
//! Owns the queue: batches, in order, of bytes and of what is to be said between them. The number of batches is
//! bounded, and their memory is used again. Refuses to know where members come from.
//!
//! A batch is handed over when it is full, or when the reader has nothing else to read. So small members do not cost a
//! thread switch each, and what a slow pipe brings does not lie waiting.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use crate::archive::{Name, Trouble};

/// The length of a batch, in bytes.
const BATCH_LEN: usize = 256 << 10;

/// The most marks in a batch, for members that are hardly longer than their names.
const BATCH_MARKS: usize = 4096;

/// The most full batches that wait.
const AHEAD: usize = 4;

/// How long a reader without bytes waits for more than a few.
const PATIENCE: Duration = Duration::from_millis(2);

/// Bytes, and what stands between them.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) bytes: Vec<u8>,
    pub(crate) marks: VecDeque<Mark>,
    names_len: usize,
}

/// Something between bytes.
pub(crate) struct Mark {
    /// The number of bytes of the batch that stand before it.
    pub(crate) at: usize,
    pub(crate) what: What,
}

pub(crate) enum What {
    Begin(Name),
    End(io::Result<()>),
    Trouble(Name, Trouble),
}

impl Batch {
    fn is_full(&self) -> bool {
        self.bytes.len() + self.names_len >= BATCH_LEN || self.marks.len() >= BATCH_MARKS
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.marks.is_empty()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.marks.clear();
        self.names_len = 0;
    }
}

/// The queue, which both threads share.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// The same as in the state, for whoever asks often.
    is_closed: AtomicBool,
}

#[derive(Default)]
struct State {
    full: VecDeque<Batch>,
    /// Being filled.
    open: Batch,
    free: Vec<Batch>,
    /// Nothing more comes.
    ended: bool,
    /// The reader is gone.
    closed: bool,
    /// How many members were begun, and the number of the last one whose rest is not wanted.
    begun: u64,
    unwanted: u64,
    /// The task that waits.
    waker: Option<Waker>,
}

/// The reader is gone, or does not want this member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Member,
    All,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room and lets `put` fill it.
    fn put(&self, put: impl FnOnce(&mut State)) -> Result<(), Refused> {
        let wait = |state: &mut State| state.full.len() >= AHEAD && !state.closed;
        let mut state = self.changed.wait_while(self.state(), wait).unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Err(Refused::All);
        }
        let was_empty = state.open.is_empty();
        put(&mut state);
        let is_full = state.open.is_full();
        if is_full {
            let free = state.free.pop().unwrap_or_default();
            let full = std::mem::replace(&mut state.open, free);
            state.full.push_back(full);
        }
        let waker = state.waker.take();
        drop(state);
        if is_full || was_empty {
            self.changed.notify_all();
        }
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    fn mark(&self, name_len: usize, what: What) -> Result<(), Refused> {
        self.put(|state| {
            state.begun += u64::from(matches!(what, What::Begin(_)));
            let at = state.open.bytes.len();
            state.open.names_len += name_len;
            state.open.marks.push_back(Mark { at, what });
        })
    }

    pub(crate) fn begin(&self, name: &Name) -> Result<(), Refused> {
        self.mark(name.as_str().len(), What::Begin(name.clone()))
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), Refused> {
        let mut unwanted = false;
        self.put(|state| {
            unwanted = state.unwanted == state.begun;
            if !unwanted {
                state.open.bytes.extend_from_slice(bytes);
            }
        })?;
        if unwanted { Err(Refused::Member) } else { Ok(()) }
    }

    pub(crate) fn end(&self, result: io::Result<()>) -> Result<(), Refused> {
        self.mark(0, What::End(result))
    }

    pub(crate) fn trouble(&self, name: &Name, trouble: Trouble) -> Result<(), Refused> {
        self.mark(name.as_str().len(), What::Trouble(name.clone(), trouble))
    }

    /// Nothing more comes.
    pub(crate) fn finish(&self) {
        let mut state = self.state();
        state.ended = true;
        let waker = state.waker.take();
        drop(state);
        self.changed.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The reader is gone.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// Whether the reader is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Nothing more is wanted of the member with that number.
    pub(crate) fn leave(&self, member: u64) {
        self.state().unwanted = member;
    }

    /// Waits for the next batch and gives back the one before; false at the end.
    pub(crate) fn next(&self, batch: &mut Batch) -> bool {
        batch.clear();
        let mut state = self.state();
        state.free.push(std::mem::take(batch));
        // First waits for a full batch, but not for long.
        let wait = |state: &mut State| state.full.is_empty() && !state.ended;
        let (waited, _) =
            self.changed.wait_timeout_while(state, PATIENCE, wait).unwrap_or_else(PoisonError::into_inner);
        let wait = |state: &mut State| state.full.is_empty() && state.open.is_empty() && !state.ended;
        let state = self.changed.wait_while(waited, wait).unwrap_or_else(PoisonError::into_inner);
        self.take(state, batch)
    }

    /// Polls for the next batch, for tasks; the one before is given back once the next one is there.
    #[cfg(feature = "tokio")]
    pub(crate) fn poll_next(&self, context: &mut std::task::Context<'_>, batch: &mut Batch) -> std::task::Poll<bool> {
        let mut state = self.state();
        if state.full.is_empty() && state.open.is_empty() && !state.ended {
            state.waker = Some(context.waker().clone());
            return std::task::Poll::Pending;
        }
        batch.clear();
        state.free.push(std::mem::take(batch));
        std::task::Poll::Ready(self.take(state, batch))
    }

    fn take(&self, mut state: MutexGuard<'_, State>, batch: &mut Batch) -> bool {
        if let Some(full) = state.full.pop_front() {
            *batch = full;
        } else if state.open.is_empty() {
            return false;
        } else {
            let free = state.free.pop().unwrap_or_default();
            *batch = std::mem::replace(&mut state.open, free);
        }
        drop(state);
        self.changed.notify_all();
        true
    }
}
