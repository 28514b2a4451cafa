//! Where games are read: small ones in the task of their connection, larger ones on threads for work that takes long.
//!
//! Owns how many large games are read at a time. Its invariant: no task is held up for longer than a game of [`SMALL`] bytes
//! takes, so that one connection's game does not delay the answers of others. Refuses to know what reading means.

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::listen::game::{Arrival, GameReader, Read};
use crate::listen::settings::SMALL;

/// Reads the games of all connections.
pub(super) struct Readers {
    reader: Arc<GameReader>,
    /// One for each large game that may be read at the same time.
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
        let thread = Arc::clone(&self.threads).acquire_owned().await.map_err(io::Error::other)?;
        let reader = Arc::clone(&self.reader);
        let reading = spawn_blocking(move || {
            let read = reader.read(&arrival);
            drop((arrival, thread));
            read
        });
        reading.await.map_err(io::Error::other)?
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

    fn poll(future: impl Future<Output = io::Result<Read>>) -> Poll<io::Result<Read>> {
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
