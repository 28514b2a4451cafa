//! Memory for large games.
//!
//! Owns who has how much of it, who waits for more, and who has to give way. Its invariant: the free memory suffices for the
//! connection nearest to the end of a game of the largest size to finish reading it. So connections that have part of a game
//! never all wait for each other. Refuses to know sockets: a [`RateCheck`] says whether a client uses what it was given.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

/// If no game comes to its end for so long while some wait, those who came last give way.
const DEADLOCK_AFTER: Duration = Duration::from_secs(2);

/// How often those who wait check for that.
const POLL: Duration = Duration::from_millis(200);

/// The memory that a game takes while it is read into a buffer of this length: for a moment the previous buffer exists as well.
pub(super) const fn charge(buffer: u64) -> u64 {
    buffer.saturating_add(buffer / 2)
}

/// The memory for all connections.
pub(super) struct Budget {
    state: Mutex<State>,
}

struct State {
    /// The memory that the largest game takes.
    largest: u64,
    free: u64,
    /// The reservations, by age.
    reservations: BTreeMap<u64, Share>,
    /// The reservations that wait, in the order of their requests.
    queue: VecDeque<u64>,
    next: u64,
    /// Since when there has always been somebody waiting.
    waiting_since: Option<Instant>,
    /// When somebody last came to the end of a game.
    last_end: Instant,
    /// Games that have ended and wait for their store.
    ending: usize,
    /// The memory still held by those who have to give way.
    evicted: u64,
}

struct Share {
    held: u64,
    is_ending: bool,
    is_evicted: bool,
    waiter: Option<Waiter>,
}

struct Waiter {
    more: u64,
    /// True if it gets what it asked for, false if it has to give way.
    reply: oneshot::Sender<bool>,
}

impl Budget {
    pub(super) fn new(bytes: u64, largest: u64) -> Self {
        let state = State {
            largest,
            free: bytes,
            reservations: BTreeMap::new(),
            queue: VecDeque::new(),
            next: 0,
            waiting_since: None,
            last_end: Instant::now(),
            ending: 0,
            evicted: 0,
        };
        Self { state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long there has always been somebody waiting.
    pub(super) fn contended_for(&self) -> Duration {
        self.state().waiting_since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl State {
    /// How much must be free for the largest holder to come to an end.
    fn reserve(&self) -> u64 {
        self.largest.saturating_sub(self.reservations.values().map(|share| share.held).max().unwrap_or(0))
    }

    fn fits(&self, id: u64) -> bool {
        let Some(Share { held, waiter: Some(Waiter { more, .. }), .. }) = self.reservations.get(&id) else {
            return false;
        };
        let Some(rest) = self.free.checked_sub(*more) else { return false };
        rest >= self.reserve().min(self.largest.saturating_sub(held + more))
    }

    /// Serves those who wait, in order, as far as memory allows; the largest holder need not wait for others.
    fn grant(&mut self) {
        while let Some(&first) = self.queue.front() {
            let most =
                self.queue.iter().max_by_key(|id| self.reservations.get(id).map_or(0, |share| share.held)).copied();
            let Some(id) = [Some(first), most].into_iter().flatten().find(|&id| self.fits(id)) else { break };
            self.reply(id, true);
        }
        if self.queue.is_empty() {
            self.waiting_since = None;
        }
    }

    fn reply(&mut self, id: u64, is_granted: bool) {
        self.queue.retain(|waiting| *waiting != id);
        let Some(share) = self.reservations.get_mut(&id) else { return };
        let Some(Waiter { more, reply }) = share.waiter.take() else { return };
        if is_granted {
            share.held += more;
            self.free -= more;
        } else {
            share.is_evicted = true;
            self.evicted += share.held;
        }
        // A receiver that is gone gives everything back with its reservation.
        let _ = reply.send(is_granted);
    }

    /// If nobody makes progress, those who came last and wait for more give way until the first in the queue has enough.
    fn evict(&mut self) {
        if self.ending > 0
            || self.last_end.elapsed() < DEADLOCK_AFTER
            || self.waiting_since.is_none_or(|since| since.elapsed() < DEADLOCK_AFTER)
        {
            return;
        }
        let Some(&first) = self.queue.front() else { return };
        let Some(Share { held, waiter: Some(Waiter { more, .. }), .. }) = self.reservations.get(&first) else { return };
        // Enough for that one to come to an end.
        let needed = (*more).max(self.largest.saturating_sub(*held));
        let last: Vec<u64> = self.reservations.keys().rev().copied().filter(|&id| id != first).collect();
        for id in last {
            if self.free + self.evicted >= needed {
                break;
            }
            if self.reservations.get(&id).is_some_and(|share| share.held > 0 && share.waiter.is_some()) {
                self.reply(id, false);
            }
        }
    }
}

/// The memory that a connection has. It is given back on drop.
pub(super) struct Reservation {
    budget: Arc<Budget>,
    id: u64,
    /// The buffer that it is for.
    buffer: usize,
    pub(super) rate: RateCheck,
}

impl Reservation {
    /// A reservation of nothing yet.
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        let mut state = budget.state();
        let id = state.next;
        state.next += 1;
        state.reservations.insert(id, Share { held: 0, is_ending: false, is_evicted: false, waiter: None });
        Self { budget: Arc::clone(budget), id, buffer: 0, rate: RateCheck::default() }
    }

    /// The length that the buffer may have.
    pub(super) fn buffer(&self) -> usize {
        self.buffer
    }

    /// Whether others wait for memory that a client does not use.
    pub(super) fn has_to_yield(&mut self) -> bool {
        self.rate.left().is_zero() && self.rate.is_too_slow(self.budget.contended_for())
    }

    /// Waits for the memory for a buffer of this length. False if the reservation has to be given back instead.
    pub(super) async fn grow(&mut self, buffer: usize) -> bool {
        let (reply, mut granted) = oneshot::channel();
        {
            let mut state = self.budget.state();
            let Some(share) = state.reservations.get_mut(&self.id) else { return false };
            let more = charge(buffer as u64).saturating_sub(share.held);
            share.waiter = Some(Waiter { more, reply });
            // It may have asked before without waiting for the reply.
            state.queue.retain(|id| *id != self.id);
            state.queue.push_back(self.id);
            state.waiting_since.get_or_insert_with(Instant::now);
            state.grant();
        }
        loop {
            match timeout(POLL, &mut granted).await {
                Ok(Ok(true)) => {
                    self.buffer = buffer;
                    self.rate = RateCheck::default();
                    return true;
                }
                Ok(_) => return false,
                Err(_) => self.budget.state().evict(),
            }
        }
    }

    /// The game has come; the time from now on is the store's.
    pub(super) fn game_has_ended(&mut self) {
        let mut state = self.budget.state();
        state.last_end = Instant::now();
        if let Some(share) = state.reservations.get_mut(&self.id)
            && !share.is_ending
        {
            share.is_ending = true;
            state.ending += 1;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.budget.state();
        state.queue.retain(|id| *id != self.id);
        if let Some(share) = state.reservations.remove(&self.id) {
            state.free += share.held;
            if share.is_ending {
                state.ending -= 1;
                state.last_end = Instant::now();
            }
            if share.is_evicted {
                state.evicted -= share.held;
            }
        }
        state.grant();
        state.evict();
    }
}

/// Whether a client brings the bytes for which others wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RateCheck {
    waited: Duration,
    bytes: usize,
}

impl RateCheck {
    /// The length of a measurement.
    const TIME: Duration = Duration::from_secs(2);

    /// How many bytes it has to bring in that time.
    const MIN_BYTES: usize = 32 << 10;

    /// How long the service may wait for it before it is measured again.
    pub(super) fn left(&self) -> Duration {
        Self::TIME.saturating_sub(self.waited)
    }

    pub(super) fn waited(&mut self, time: Duration) {
        self.waited += time;
    }

    pub(super) fn brought(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Whether it has to give way, if others have been waiting for so long.
    pub(super) fn is_too_slow(&mut self, contended_for: Duration) -> bool {
        if self.waited < Self::TIME {
            return false;
        }
        let is_slow = self.bytes < Self::MIN_BYTES && contended_for >= Self::TIME;
        *self = Self::default();
        is_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
    }

    async fn waits(reservation: &mut Reservation, buffer: usize) -> bool {
        timeout(Duration::from_millis(10), reservation.grow(buffer)).await.is_err()
    }

    #[test]
    fn the_game_nearest_to_its_end_gets_memory() {
        // Enough for two and a half of the largest games.
        let budget = Arc::new(Budget::new(charge(250), charge(100)));
        run(async {
            let mut reservations: Vec<_> = (0..3).map(|_| Reservation::new(&budget)).collect();
            for reservation in &mut reservations {
                assert!(reservation.grow(50).await);
            }
            assert!(reservations[0].grow(100).await);
            assert!(reservations[1].grow(90).await);
            let mut late = Reservation::new(&budget);
            assert!(waits(&mut late, 50).await);
            assert!(budget.contended_for() > Duration::ZERO);
            assert!(reservations[1].grow(100).await, "it is nearest to its end");
            reservations.remove(0);
            assert!(late.grow(50).await);
            assert_eq!(budget.state().free, charge(50));
        });
        assert_eq!(budget.state().free, charge(250), "all of it is given back");
        assert_eq!(budget.contended_for(), Duration::ZERO);
    }

    #[test]
    fn memory_that_the_nearest_game_needs_is_reserved() {
        let budget = Arc::new(Budget::new(charge(110), charge(100)));
        run(async {
            let (mut first, mut second) = (Reservation::new(&budget), Reservation::new(&budget));
            assert!(first.grow(40).await);
            // It would fit, but then neither game could end.
            assert!(waits(&mut second, 40).await);
            assert!(first.grow(100).await);
            drop(first);
            assert!(second.grow(40).await);
        });
    }

    #[test]
    fn if_nobody_gets_on_the_latest_yield_to_the_first() {
        let budget = Arc::new(Budget::new(charge(230), charge(100)));
        run(async {
            let [mut held, mut first, mut second, mut third] = [(); 4].map(|()| Reservation::new(&budget));
            assert!(held.grow(100).await, "this one never grows again");
            for reservation in [&mut first, &mut second, &mut third] {
                assert!(reservation.grow(40).await);
            }
            let long_ago = Instant::now().checked_sub(2 * DEADLOCK_AFTER).unwrap();
            let later = async {
                tokio::time::sleep(Duration::from_millis(10)).await;
                held.game_has_ended();
                let mut state = budget.state();
                (state.last_end, state.waiting_since) = (long_ago, Some(long_ago));
                state.evict();
                assert_eq!(state.evicted, 0, "must wait for the store");
                state.ending = 0;
            };
            let first = first.grow(80);
            let second = async move { second.grow(80).await };
            let third = async move { third.grow(80).await };
            let (first, second, third, ()) = tokio::join!(first, second, third, later);
            assert_eq!((first, second, third), (true, false, false));
            budget.state().ending = 1;
        });
        assert_eq!(budget.state().free, charge(230));
    }

    #[test]
    fn a_client_is_too_slow_only_if_others_wait() {
        for (bytes, contended_for, is_too_slow) in [
            (RateCheck::MIN_BYTES - 1, RateCheck::TIME, true),
            (RateCheck::MIN_BYTES, RateCheck::TIME, false),
            (0, RateCheck::TIME / 2, false),
        ] {
            let mut rate = RateCheck::default();
            rate.brought(bytes);
            rate.waited(RateCheck::TIME / 2);
            assert!(!rate.is_too_slow(RateCheck::TIME), "it has time left");
            rate.waited(RateCheck::TIME / 2);
            assert_eq!(rate.is_too_slow(contended_for), is_too_slow, "{bytes}");
            assert_eq!(rate, RateCheck::default());
        }
    }
}
