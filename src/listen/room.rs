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

/// How long nobody may come to the end of a game, while some wait, before those give way who came last.
const STUCK: Duration = Duration::from_secs(2);

/// How often those who wait look whether that is so.
const LOOK: Duration = Duration::from_millis(200);

/// What a game takes while it is read into a buffer of so many bytes: for a moment the buffer before is there as well.
pub(super) const fn charge(buffer: u64) -> u64 {
    buffer + buffer / 2
}

/// The memory, of all connections.
pub(super) struct Room {
    /// What the largest game takes.
    largest: u64,
    state: Mutex<State>,
}

struct State {
    free: u64,
    /// By age.
    claims: BTreeMap<u64, Place>,
    /// Those who wait, in the order in which they asked.
    queue: VecDeque<u64>,
    next: u64,
    /// Since when somebody has been waiting all the time.
    wanted: Option<Instant>,
    /// When somebody last came to the end of a game.
    moved: Instant,
    /// Games that have ended and wait for their store.
    ending: usize,
    /// What those hold who were told to give way, and have not yet.
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
    /// True if it has what it asked for, and false if it has to give way.
    told: oneshot::Sender<bool>,
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

    /// Somebody has been waiting for so long.
    pub(super) fn wanted_for(&self) -> Duration {
        self.state().wanted.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl State {
    /// What must be free for whoever holds most to come to an end.
    fn reserve(&self, largest: u64) -> u64 {
        largest.saturating_sub(self.claims.values().map(|place| place.held).max().unwrap_or(0))
    }

    fn fits(&self, id: u64, largest: u64) -> bool {
        let Some(Place { held, waiter: Some(Waiter { more, .. }), .. }) = self.claims.get(&id) else { return false };
        let Some(rest) = self.free.checked_sub(*more) else { return false };
        rest >= self.reserve(largest).min(largest.saturating_sub(held + more))
    }

    /// Gives to those who wait, in order, as much as there is; whoever holds most need not wait for others.
    fn serve(&mut self, largest: u64) {
        while let Some(&first) = self.queue.front() {
            let most = self.queue.iter().max_by_key(|id| self.claims.get(id).map_or(0, |place| place.held)).copied();
            let Some(id) = [Some(first), most].into_iter().flatten().find(|&id| self.fits(id, largest)) else { break };
            self.tell(id, true);
        }
        if self.queue.is_empty() {
            self.wanted = None;
        }
    }

    fn tell(&mut self, id: u64, has_room: bool) {
        self.queue.retain(|waiting| *waiting != id);
        let Some(place) = self.claims.get_mut(&id) else { return };
        let Some(Waiter { more, told }) = place.waiter.take() else { return };
        if has_room {
            place.held += more;
            self.free -= more;
        } else {
            place.is_leaving = true;
            self.leaving += place.held;
        }
        // Who does not hear it any more gives all back with its claim.
        let _ = told.send(has_room);
    }

    /// If nobody gets on, those who came last and wait for more give way until the first in the queue has room.
    fn make_way(&mut self, largest: u64) {
        if self.ending > 0 || self.moved.elapsed() < STUCK || self.wanted.is_none_or(|since| since.elapsed() < STUCK) {
            return;
        }
        let Some(&first) = self.queue.front() else { return };
        let Some(Place { held, waiter: Some(Waiter { more, .. }), .. }) = self.claims.get(&first) else { return };
        // Enough for it to come to an end.
        let needed = (*more).max(largest.saturating_sub(*held));
        let last: Vec<u64> = self.claims.keys().rev().copied().filter(|&id| id != first).collect();
        for id in last {
            if self.free + self.leaving >= needed {
                break;
            }
            if self.claims.get(&id).is_some_and(|place| place.held > 0 && place.waiter.is_some()) {
                self.tell(id, false);
            }
        }
    }
}

/// What a connection has of the memory. Dropped, it is given back.
pub(super) struct Claim {
    room: Arc<Room>,
    id: u64,
    /// The buffer that it is for.
    buffer: usize,
    pub(super) pace: Pace,
}

impl Claim {
    /// Has nothing yet.
    pub(super) fn new(room: &Arc<Room>) -> Self {
        let mut state = room.state();
        let id = state.next;
        state.next += 1;
        state.claims.insert(id, Place { held: 0, is_ending: false, is_leaving: false, waiter: None });
        Self { room: Arc::clone(room), id, buffer: 0, pace: Pace::default() }
    }

    /// The bytes that a buffer may have.
    pub(super) fn buffer(&self) -> usize {
        self.buffer
    }

    /// Whether others wait for what a client does not bring.
    pub(super) fn has_to_give_way(&mut self) -> bool {
        self.pace.left().is_zero() && self.pace.is_too_slow(self.room.wanted_for())
    }

    /// Waits until a buffer of so many bytes can be had. False if the claim has to be given back instead.
    pub(super) async fn grow(&mut self, buffer: usize) -> bool {
        let (told, mut answer) = oneshot::channel();
        {
            let mut state = self.room.state();
            let Some(place) = state.claims.get_mut(&self.id) else { return false };
            let more = charge(buffer as u64).saturating_sub(place.held);
            place.waiter = Some(Waiter { more, told });
            // It may have asked before and not waited for the answer.
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

    /// The game is there; what comes now is the store's time.
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

/// Whether a client brings what others wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pace {
    waited: Duration,
    bytes: usize,
}

impl Pace {
    /// How long it is looked at.
    const TIME: Duration = Duration::from_secs(2);

    /// What it has to bring in that time.
    const LEAST: usize = 32 << 10;

    /// How long the service may wait for it before it is asked again.
    pub(super) fn left(&self) -> Duration {
        Self::TIME.saturating_sub(self.waited)
    }

    pub(super) fn waited(&mut self, time: Duration) {
        self.waited += time;
    }

    pub(super) fn brought(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Whether it has to give way, when others have been waiting for so long.
    pub(super) fn is_too_slow(&mut self, wanted_for: Duration) -> bool {
        if self.waited < Self::TIME {
            return false;
        }
        let is_slow = self.bytes < Self::LEAST && wanted_for >= Self::TIME;
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
    fn whoever_is_nearest_to_the_end_can_get_there() {
        // Two games of the largest kind, and half of one.
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
            assert!(claims[1].grow(100).await, "its end is in sight");
            claims.remove(0);
            assert!(late.grow(50).await);
            assert_eq!(room.state().free, charge(50));
        });
        assert_eq!(room.state().free, charge(250), "all is given back");
        assert_eq!(room.wanted_for(), Duration::ZERO);
    }

    #[test]
    fn nobody_is_given_what_the_nearest_needs() {
        let room = Arc::new(Room::new(charge(110), charge(100)));
        run(async {
            let (mut first, mut second) = (Claim::new(&room), Claim::new(&room));
            assert!(first.grow(40).await);
            // It would fit, and then neither could come to an end.
            assert!(waits(&mut second, 40).await);
            assert!(first.grow(100).await);
            drop(first);
            assert!(second.grow(40).await);
        });
    }

    #[test]
    fn where_nobody_gets_on_those_who_came_last_give_way_to_the_first() {
        let room = Arc::new(Room::new(charge(230), charge(100)));
        run(async {
            let [mut held, mut first, mut second, mut third] = [(); 4].map(|()| Claim::new(&room));
            assert!(held.grow(100).await, "and is never filled");
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
                assert_eq!(state.leaving, 0, "the store is waited for");
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
    fn only_those_are_too_slow_who_hold_up_others() {
        for (bytes, wanted_for, is_too_slow) in
            [(Pace::LEAST - 1, Pace::TIME, true), (Pace::LEAST, Pace::TIME, false), (0, Pace::TIME / 2, false)]
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
