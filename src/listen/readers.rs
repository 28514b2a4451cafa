//! Where games are read: small ones in the task of their connection, larger ones on threads for work that takes long.
//!
//! Owns how many of these threads work at a time. Its invariant: no task is held up for longer than a game of [`SMALL`] bytes
//! takes, so that one connection's game does not delay the answers of others. Refuses to know what reading means.

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use bytes::BytesMut;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::listen::game::{Arrival, GameReader, Read};
use crate::listen::settings::SMALL;

/// So many bytes are copied in less time than a game of [`SMALL`] bytes is read.
const SHORT_COPY: usize = 512 << 10;

/// Reads the games of all connections.
pub(super) struct Readers {
    reader: Arc<GameReader>,
    /// One for each of them that may work at the same time.
    threads: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(reader: GameReader) -> Self {
        // One core is left for the sockets.
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self { reader: Arc::new(reader), threads: Arc::new(Semaphore::new((cores - 1).max(1))) }
    }

    /// Reads a game. Large games wait for their turn, in the order in which they came. If this is dropped, a thread that has
    /// begun to read comes to the end of the game, and only then may another game be read in its stead.
    pub(super) async fn read(&self, arrival: Arrival) -> io::Result<Read> {
        if arrival.game.bytes.len() <= SMALL {
            return self.reader.read(&arrival);
        }
        let reader = Arc::clone(&self.reader);
        self.on_thread(move || reader.read(&arrival)).await?
    }

    /// A buffer of this size with the bytes of another one, which is dropped.
    pub(super) async fn enlarge(&self, buffer: BytesMut, size: usize) -> io::Result<BytesMut> {
        let is_short = buffer.len() <= SHORT_COPY;
        let copy = move || {
            let mut larger = BytesMut::with_capacity(size);
            larger.extend_from_slice(&buffer);
            larger
        };
        if is_short { Ok(copy()) } else { self.on_thread(copy).await }
    }

    async fn on_thread<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let thread = Arc::clone(&self.threads).acquire_owned().await.map_err(io::Error::other)?;
        let work = move || {
            let done = work();
            drop(thread);
            done
        };
        spawn_blocking(work).await.map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use tokio::runtime::Builder;
    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::listen::Settings;
    use crate::read::Game;
    use crate::syntax::{Position, StreamCharset};

    fn arrival(len: usize) -> Arrival {
        let bytes = [b"(;", &b";".repeat(len - 3)[..], b")"].concat().into();
        let game = Game { bytes, position: Position::START, stream: StreamCharset::default() };
        Arrival { game, peer: ([127, 0, 0, 1], 1).into(), number: 1 }
    }

    fn poll<T>(future: impl Future<Output = T>) -> Poll<T> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    fn run(work: impl Future<Output = ()>) {
        Builder::new_current_thread().enable_time().build().unwrap().block_on(work);
    }

    #[test]
    fn a_large_game_holds_up_neither_its_task_nor_small_games() {
        let readers = Readers::new(GameReader::new(&Settings::new()));
        run(async {
            let all = readers.threads.available_permits() as u32;
            let others = Arc::clone(&readers.threads).acquire_many_owned(all).await.unwrap();
            let mut large = pin!(readers.read(arrival(SMALL + 1)));
            assert!(poll(large.as_mut()).is_pending(), "it waits for its turn");
            assert!(matches!(poll(readers.read(arrival(SMALL))), Poll::Ready(Ok(Read::Whole { .. }))));
            drop(others);
            assert!(matches!(large.await, Ok(Read::Whole { .. })));
        });
    }

    #[test]
    fn a_long_copy_does_not_hold_up_its_task() {
        let readers = Readers::new(GameReader::new(&Settings::new()));
        run(async {
            for len in [SHORT_COPY, SHORT_COPY + 1] {
                let bytes: Vec<u8> = (0..len).map(|place| place as u8).collect();
                let mut copy = pin!(readers.enlarge(BytesMut::from(&bytes[..]), 2 * len));
                let larger = match poll(copy.as_mut()) {
                    Poll::Ready(larger) if len == SHORT_COPY => larger,
                    Poll::Pending if len > SHORT_COPY => copy.await,
                    _ => panic!("{len}"),
                };
                let larger = larger.unwrap();
                assert!(larger == bytes && larger.capacity() >= 2 * len);
            }
        });
    }

    #[test]
    fn a_game_whose_connection_is_gone_is_read_to_its_end_before_another_one() {
        let readers = Readers::new(GameReader::new(&Settings::new()));
        run(async {
            let all = readers.threads.available_permits();
            assert!(poll(readers.read(arrival(1 << 20))).is_pending());
            assert_eq!(readers.threads.available_permits(), all - 1, "its thread goes on");
            let ended = async {
                while readers.threads.available_permits() < all {
                    sleep(Duration::from_millis(1)).await;
                }
            };
            timeout(Duration::from_secs(30), ended).await.expect("it ends");
        });
    }
}
