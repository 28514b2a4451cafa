//! Jobs shared among threads, with results in the order of the jobs.
//!
//! Owns the threads, the order, and how far they may run ahead of it. Refuses to know what a job is.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

/// What comes next, in [`in_order`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NextJob<T> {
    /// A job, which is in the worker's own state.
    Work,
    /// A result that needs no work.
    Done(T),
    /// Nothing until all results so far are folded; then `next` is called again.
    Wait,
    /// There are no more jobs.
    End,
}

/// Does jobs on several threads and folds their results in the order of the jobs.
///
/// Each thread has a state of its own, made by `make`. `next` puts the next job into it; only one thread does so at a
/// time. `work` does the job, on all threads at once. `fold` takes the results one at a time, in the order in which
/// `next` gave out the jobs, and may end everything with `Break`.
///
/// Threads are started as there is work for them, up to `threads` including the calling one. None runs ahead of the
/// order by more than two jobs for each thread and one more, so memory is bounded.
///
/// # Panics
///
/// If one of the functions panics, all threads stop after the job in hand, and the panic goes on in the caller.
///
/// ```
/// use std::ops::ControlFlow;
/// use sgf_stream::read::{NextJob, in_order};
///
/// let mut numbers = 1..=1000_u64;
/// let mut squares = Vec::new();
/// in_order(
///     4,
///     || 0,
///     |job| match numbers.next() {
///         Some(number) => {
///             *job = number;
///             NextJob::Work
///         }
///         None => NextJob::End,
///     },
///     |job, _| *job * *job,
///     |square| {
///         squares.push(square);
///         ControlFlow::Continue(())
///     },
/// );
/// assert!(squares.into_iter().eq((1..=1000).map(|number| number * number)));
/// ```
pub fn in_order<W, T: Send>(
    threads: usize,
    make: impl Fn() -> W + Sync,
    next: impl FnMut(&mut W) -> NextJob<T> + Send,
    work: impl Fn(&mut W, &Turn<'_, T>) -> T + Sync,
    fold: impl FnMut(T) -> ControlFlow<()> + Send,
) {
    let threads = threads.max(1);
    let pool = Pool {
        threads,
        started: AtomicUsize::new(1),
        make,
        jobs: Mutex::new(Jobs { next, number: 0 }),
        work,
        queue: Queue {
            state: Mutex::new(State {
                front: 0,
                waiting: VecDeque::new(),
                folding: false,
                stopped: false,
                panic: None,
            }),
            fold: Mutex::new(fold),
            changed: Condvar::new(),
        },
    };
    thread::scope(|scope| pool.worker(scope));
    let state = pool.queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(panic) = state.panic {
        resume_unwind(panic);
    }
}

/// A job's place in the order.
pub struct Turn<'a, T> {
    queue: &'a (dyn Fold<T> + Sync + 'a),
    number: u64,
}

impl<T> Turn<'_, T> {
    /// Folds a first part of the job's result when its turn has come: for results that grow too large. Returns false if
    /// nothing is folded any more.
    pub fn fold(&self, part: T) -> bool {
        self.queue.fold_at(self.number, part)
    }
}

impl<T> fmt::Debug for Turn<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("number", &self.number).finish_non_exhaustive()
    }
}

/// What a [`Turn`] needs of the queue, whatever `fold` is.
trait Fold<T> {
    fn fold_at(&self, number: u64, part: T) -> bool;
}

struct Pool<M, N, D, T, F> {
    threads: usize,
    started: AtomicUsize,
    make: M,
    jobs: Mutex<Jobs<N>>,
    work: D,
    queue: Queue<T, F>,
}

struct Jobs<N> {
    next: N,
    /// The number of the next job.
    number: u64,
}

impl<W, T, M, N, D, F> Pool<M, N, D, T, F>
where
    T: Send,
    M: Fn() -> W + Sync,
    N: FnMut(&mut W) -> NextJob<T> + Send,
    D: Fn(&mut W, &Turn<'_, T>) -> T + Sync,
    F: FnMut(T) -> ControlFlow<()> + Send,
{
    fn worker<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.jobs(scope))) {
            self.queue.stop(Some(panic));
        }
    }

    fn jobs<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let mut own = (self.make)();
        loop {
            // If `next` has panicked, there is nothing more to do.
            let Ok(mut jobs) = self.jobs.lock() else { return };
            if self.queue.state().stopped {
                return;
            }
            let number = jobs.number;
            let next = loop {
                match (jobs.next)(&mut own) {
                    // The threads that work on the results do not need the lock on the jobs.
                    NextJob::Wait if !self.queue.wait_for(number).stopped => {}
                    next => break next,
                }
            };
            // Only what will be folded counts.
            jobs.number += u64::from(matches!(next, NextJob::Work | NextJob::Done(_)));
            drop(jobs);
            let done = match next {
                NextJob::Work => {
                    self.start_one_more(scope);
                    None
                }
                NextJob::Done(result) => Some(result),
                NextJob::Wait | NextJob::End => return,
            };
            // With one job fewer, threads with small jobs would wait for the one with a large job; each job takes memory.
            let ahead = (self.threads as u64).saturating_mul(2).saturating_add(1);
            if self.queue.wait_for(number.saturating_sub(ahead)).stopped {
                return;
            }
            let result = done.unwrap_or_else(|| (self.work)(&mut own, &Turn { queue: &self.queue, number }));
            self.queue.put(number, result);
        }
    }

    /// Threads are started one by one, because a small input must not pay for sixty-four.
    fn start_one_more<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let more = |started| (started < self.threads).then_some(started + 1);
        if self.started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok() {
            // If the system has no more threads to give, the existing ones do all the work.
            let _ = thread::Builder::new().spawn_scoped(scope, move || self.worker(scope));
        }
    }
}

/// The results on their way to `fold`.
struct Queue<T, F> {
    state: Mutex<State<T>>,
    /// Locked by the thread that folds. No other thread waits for this lock, because folding may take as long as a job.
    fold: Mutex<F>,
    changed: Condvar,
}

struct State<T> {
    /// The job whose result is folded next.
    front: u64,
    /// The results from that job on, as far as they have come.
    waiting: VecDeque<Option<T>>,
    /// A thread is folding, and will also fold what is handed in meanwhile.
    folding: bool,
    stopped: bool,
    panic: Option<Box<dyn Any + Send>>,
}

impl<T, F: FnMut(T) -> ControlFlow<()>> Queue<T, F> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until all jobs before this one are folded, or everything is over.
    fn wait_for(&self, number: u64) -> MutexGuard<'_, State<T>> {
        let state = self.state();
        let early = |state: &mut State<T>| state.front < number && !state.stopped;
        self.changed.wait_while(state, early).unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands in a job's result, and folds all results whose turn has come, unless another thread is folding.
    fn put(&self, number: u64, result: T) {
        let mut state = self.state();
        if state.stopped {
            return;
        }
        let place = (number - state.front) as usize;
        while state.waiting.len() <= place {
            state.waiting.push_back(None);
        }
        state.waiting[place] = Some(result);
        while !state.folding
            && !state.stopped
            && let Some(result) = state.waiting.front_mut().and_then(Option::take)
        {
            state = self.fold(state, result);
            state.waiting.pop_front();
            state.front += 1;
            self.changed.notify_all();
        }
    }

    /// Folds while other threads go on. If that panics, it is not done again.
    fn fold<'a>(&'a self, mut state: MutexGuard<'a, State<T>>, result: T) -> MutexGuard<'a, State<T>> {
        state.folding = true;
        drop(state);
        let flow = (self.fold.lock().unwrap_or_else(PoisonError::into_inner))(result);
        let mut state = self.state();
        state.folding = false;
        state.stopped |= flow.is_break();
        state
    }

    fn stop(&self, panic: Option<Box<dyn Any + Send>>) {
        let mut state = self.state();
        state.stopped = true;
        if state.panic.is_none() {
            state.panic = panic;
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl<T, F: FnMut(T) -> ControlFlow<()>> Fold<T> for Queue<T, F> {
    fn fold_at(&self, number: u64, part: T) -> bool {
        let mut state = self.wait_for(number);
        if !state.stopped {
            state = self.fold(state, part);
        }
        if state.stopped {
            self.changed.notify_all();
        }
        !state.stopped
    }
}
