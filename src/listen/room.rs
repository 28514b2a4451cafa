//! Memory for large games.
//!
//! Owns who has how much of it, who waits for more, and who has to give way. Its invariant: the free memory suffices for the
//! connection nearest to the end of a game of the largest size to finish reading it. So connections that have part of a game
//! never all wait for each other. Refuses to know sockets: a [`Pace`] says whether a client uses the room it was given.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

/// If no game comes to its end for so long while some wait, those who came last give way.
const STUCK: Duration = Duration::from_secs(2);

/// How often those who wait check for that.
const LOOK: Duration = Duration::from_millis(200);

/// The memory that a game takes while it is read into a buffer of this length: for a moment the previous buffer exists as well.
pub(super) const fn charge(buffer: u64) -> u64 {
    buffer.saturating_add(buffer / 2)
}

/// The memory for all connections.
pub(super) struct Room {
    /// The memory that the largest game takes.
    largest: u64,
    state: Mutex<State>,
}

struct State {
    free: u64,
    /// The claims, by age.
    claims: BTreeMap<u64, Place>,
    /// The claims that wait, in the order of their requests.
    queue: VecDeque<u64>,
    next: u64,
    /// Since when there has always been somebody waiting.
    wanted: Option<Instant>,
    /// When somebody last came to the end of a game.
    moved: Instant,
    /// Games that have ended and wait for their store.
    ending: usize,
    /// The memory held by those who were asked to give way, and have not yet.
    leaving: u64,
}

struct Place {
    held: u64,
    is_ending: bool,
    is_leaving: bool,
    waiter: Option<Waiter>,
}

struct Waiter {
    more: u64,
    /// True if it gets what it asked for, false if it has to give way.
    reply: oneshot::Sender<bool>,
}

impl Room {
    pub(super) fn new(bytes: u64, largest: u64) -> Self {
        let state = State {
            free: bytes,
            claims: BTreeMap::new(),
            queue: VecDeque::new(),
            next: 0,
            wanted: None,
            moved: Instant::now(),
            ending: 0,
            leaving: 0,
        };
        Self { largest, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long there has always been somebody waiting.
    pub(super) fn wanted_for(&self) -> Duration {
        self.state().wanted.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl State {
    /// How much must be free for the largest holder to come to an end.
    fn reserve(&self, largest: u64) -> u64 {
        largest.saturating_sub(self.claims.values().map(|place| place.held).max().unwrap_or(0))
    }

    fn fits(&self, id: u64, largest: u64) -> bool {
        let Some(Place { held, waiter: Some(Waiter { more, .. }), .. }) = self.claims.get(&id) else { return false };
        let Some(rest) = self.free.checked_sub(*more) else { return false };
        rest >= self.reserve(largest).min(largest.saturating_sub(held + more))
    }

    /// Serves those who wait, in order, as far as memory allows; the largest holder need not wait for others.
    fn serve(&mut self, largest: u64) {
        while let Some(&first) = self.queue.front() {
            let most = self.queue.iter().max_by_key(|id| self.claims.get(id).map_or(0, |place| place.held)).copied();
            let Some(id) = [Some(first), most].into_iter().flatten().find(|&id| self.fits(id, largest)) else { break };
            self.answer(id, true);
        }
        if self.queue.is_empty() {
            self.wanted = None;
        }
    }

    fn answer(&mut self, id: u64, has_room: bool) {
        self.queue.retain(|waiting| *waiting != id);
        let Some(place) = self.claims.get_mut(&id) else { return };
        let Some(Waiter { more, reply }) = place.waiter.take() else { return };
        if has_room {
            place.held += more;
            self.free -= more;
        } else {
            place.is_leaving = true;
            self.leaving += place.held;
        }
        // A receiver that is gone gives everything back with its claim.
        let _ = reply.send(has_room);
    }

    /// If nobody makes progress, those who came last and wait for more give way until the first in the queue has room.
    fn make_way(&mut self, largest: u64) {
        if self.ending > 0 || self.moved.elapsed() < STUCK || self.wanted.is_none_or(|since| since.elapsed() < STUCK) {
            return;
        }
        let Some(&first) = self.queue.front() else { return };
        let Some(Place { held, waiter: Some(Waiter { more, .. }), .. }) = self.claims.get(&first) else { return };
        // Enough for that one to come to an end.
        let needed = (*more).max(largest.saturating_sub(*held));
        let last: Vec<u64> = self.claims.keys().rev().copied().filter(|&id| id != first).collect();
        for id in last {
            if self.free + self.leaving >= needed {
                break;
            }
            if self.claims.get(&id).is_some_and(|place| place.held > 0 && place.waiter.is_some()) {
                self.answer(id, false);
            }
        }
    }
}

/// The memory that a connection has. It is given back on drop.
pub(super) struct Claim {
    room: Arc<Room>,
    id: u64,
    /// The buffer that it is for.
    buffer: usize,
    pub(super) pace: Pace,
}

impl Claim {
    /// A claim on nothing yet.
    pub(super) fn new(room: &Arc<Room>) -> Self {
        let mut state = room.state();
        let id = state.next;
        state.next += 1;
        state.claims.insert(id, Place { held: 0, is_ending: false, is_leaving: false, waiter: None });
        Self { room: Arc::clone(room), id, buffer: 0, pace: Pace::default() }
    }

    /// The length that the buffer may have.
    pub(super) fn buffer(&self) -> usize {
        self.buffer
    }

    /// Whether others wait for memory that a client does not use.
    pub(super) fn has_to_give_way(&mut self) -> bool {
        self.pace.left().is_zero() && self.pace.is_too_slow(self.room.wanted_for())
    }

    /// Waits for the memory for a buffer of this length. False if the claim has to be given back instead.
    pub(super) async fn grow(&mut self, buffer: usize) -> bool {
        let (reply, mut answer) = oneshot::channel();
        {
            let mut state = self.room.state();
            let Some(place) = state.claims.get_mut(&self.id) else { return false };
            let more = charge(buffer as u64).saturating_sub(place.held);
            place.waiter = Some(Waiter { more, reply });
            // It may have asked before without waiting for the answer.
            state.queue.retain(|id| *id != self.id);
            state.queue.push_back(self.id);
            state.wanted.get_or_insert_with(Instant::now);
            state.serve(self.room.largest);
        }
        loop {
            match timeout(LOOK, &mut answer).await {
                Ok(Ok(true)) => {
                    self.buffer = buffer;
                    self.pace = Pace::default();
                    return true;
                }
                Ok(_) => return false,
                Err(_) => self.room.state().make_way(self.room.largest),
            }
        }
    }

    /// The game has come; the time from now on is the store's.
    pub(super) fn game_has_ended(&mut self) {
        let mut state = self.room.state();
        state.moved = Instant::now();
        if let Some(place) = state.claims.get_mut(&self.id)
            && !place.is_ending
        {
            place.is_ending = true;
            state.ending += 1;
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.room.state();
        state.queue.retain(|id| *id != self.id);
        if let Some(place) = state.claims.remove(&self.id) {
            state.free += place.held;
            if place.is_ending {
                state.ending -= 1;
                state.moved = Instant::now();
            }
            if place.is_leaving {
                state.leaving -= place.held;
            }
        }
        state.serve(self.room.largest);
        state.make_way(self.room.largest);
    }
}

/// Whether a client brings the bytes for which others wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pace {
    waited: Duration,
    bytes: usize,
}

impl Pace {
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
    pub(super) fn is_too_slow(&mut self, wanted_for: Duration) -> bool {
        if self.waited < Self::TIME {
            return false;
        }
        let is_slow = self.bytes < Self::MIN_BYTES && wanted_for >= Self::TIME;
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

    async fn waits(claim: &mut Claim, buffer: usize) -> bool {
        timeout(Duration::from_millis(10), claim.grow(buffer)).await.is_err()
    }

    #[test]
    fn the_game_nearest_to_its_end_gets_room() {
        // Room for two and a half of the largest games.
        let room = Arc::new(Room::new(charge(250), charge(100)));
        run(async {
            let mut claims: Vec<_> = (0..3).map(|_| Claim::new(&room)).collect();
            for claim in &mut claims {
                assert!(claim.grow(50).await);
            }
            assert!(claims[0].grow(100).await);
            assert!(claims[1].grow(90).await);
            let mut late = Claim::new(&room);
            assert!(waits(&mut late, 50).await);
            assert!(room.wanted_for() > Duration::ZERO);
            assert!(claims[1].grow(100).await, "it is nearest to its end");
            claims.remove(0);
            assert!(late.grow(50).await);
            assert_eq!(room.state().free, charge(50));
        });
        assert_eq!(room.state().free, charge(250), "all room is given back");
        assert_eq!(room.wanted_for(), Duration::ZERO);
    }

    #[test]
    fn room_that_the_nearest_game_needs_is_reserved() {
        let room = Arc::new(Room::new(charge(110), charge(100)));
        run(async {
            let (mut first, mut second) = (Claim::new(&room), Claim::new(&room));
            assert!(first.grow(40).await);
            // It would fit, but then neither game could end.
            assert!(waits(&mut second, 40).await);
            assert!(first.grow(100).await);
            drop(first);
            assert!(second.grow(40).await);
        });
    }

    #[test]
    fn if_all_are_stuck_the_latest_yield_to_the_first() {
        let room = Arc::new(Room::new(charge(230), charge(100)));
        run(async {
            let [mut held, mut first, mut second, mut third] = [(); 4].map(|()| Claim::new(&room));
            assert!(held.grow(100).await, "this one never grows again");
            for claim in [&mut first, &mut second, &mut third] {
                assert!(claim.grow(40).await);
            }
            let long_ago = Instant::now().checked_sub(2 * STUCK).unwrap();
            let later = async {
                tokio::time::sleep(Duration::from_millis(10)).await;
                held.game_has_ended();
                let mut state = room.state();
                (state.moved, state.wanted) = (long_ago, Some(long_ago));
                state.make_way(room.largest);
                assert_eq!(state.leaving, 0, "must wait for the store");
                state.ending = 0;
            };
            let first = first.grow(80);
            let second = async move { second.grow(80).await };
            let third = async move { third.grow(80).await };
            let (first, second, third, ()) = tokio::join!(first, second, third, later);
            assert_eq!((first, second, third), (true, false, false));
            room.state().ending = 1;
        });
        assert_eq!(room.state().free, charge(230));
    }

    #[test]
    fn a_client_is_too_slow_only_if_others_wait() {
        for (bytes, wanted_for, is_too_slow) in
            [(Pace::MIN_BYTES - 1, Pace::TIME, true), (Pace::MIN_BYTES, Pace::TIME, false), (0, Pace::TIME / 2, false)]
        {
            let mut pace = Pace::default();
            pace.brought(bytes);
            pace.waited(Pace::TIME / 2);
            assert!(!pace.is_too_slow(Pace::TIME), "it has time left");
            pace.waited(Pace::TIME / 2);
            assert_eq!(pace.is_too_slow(wanted_for), is_too_slow, "{bytes}");
            assert_eq!(pace, Pace::default());
        }
    }
}
