//! One connection: answers out.
//!
//! Owns their order, which is that of the stream, and the rule that what is ready is sent before anything is waited for.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncWriteExt;
use tokio::net::tcp::WriteHalf;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::oneshot::error::TryRecvError as NotYet;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use crate::listen::GameId;
use crate::listen::answer::{Answer, Place, Reason};
use crate::listen::connection::Shared;

/// An answer that is due.
pub(super) enum Pending {
    Ready(Answer),
    /// The game is on its way to the store.
    Game {
        id: GameId,
        place: Place,
        problems: u64,
        is_stored: oneshot::Receiver<bool>,
    },
}

/// How the answers went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) accepted: u64,
    pub(super) refused: u64,
    /// The client's end of the connection has taken all answers, or they are on their way to it.
    pub(super) is_complete: bool,
    /// The client took no more of them for too long.
    pub(super) is_unread: bool,
}

/// How many bytes of lines are gathered before they are sent.
const FLUSH_AT: usize = 8 << 10;

/// Writes answers until there are no more, or until the client takes none for too long. Games that the store has no
/// longer count as unstored.
pub(super) async fn write(
    out: &mut WriteHalf<'_>,
    mut waiting: mpsc::Receiver<Pending>,
    shared: &Shared,
    unstored: &AtomicUsize,
) -> Written {
    let mut lines = Lines { out, bytes: Vec::new(), shared, unstored, is_unread: false };
    let mut written = Written::default();
    // An error means that the client is gone. It sends again whatever it has not heard of.
    let result = lines.write_all(&mut waiting, &mut written).await;
    written.is_complete = result.is_ok();
    written.is_unread = lines.is_unread;
    written
}

struct Lines<'a, 'b> {
    out: &'a mut WriteHalf<'b>,
    bytes: Vec<u8>,
    shared: &'a Shared,
    unstored: &'a AtomicUsize,
    /// The error was that the client took too long. The system's own timeouts mean that it is gone.
    is_unread: bool,
}

impl Lines<'_, '_> {
    async fn write_all(&mut self, waiting: &mut mpsc::Receiver<Pending>, written: &mut Written) -> io::Result<()> {
        let metrics = &self.shared.metrics;
        while let Some(pending) = self.next(waiting).await? {
            let answer = match pending {
                Pending::Ready(answer) => answer,
                Pending::Game { id, place, problems, is_stored } => match self.outcome(is_stored).await? {
                    Some(new) => {
                        written.accepted += 1;
                        metrics.accepted(new);
                        Answer::Accepted { id, place, new, problems }
                    }
                    None => Answer::reason(Reason::NotStored, place),
                },
            };
            if let Answer::Refused { problem, .. } = answer {
                written.refused += 1;
                metrics.refused(problem);
            }
            answer.write(&mut self.bytes)?;
            if self.bytes.len() >= FLUSH_AT {
                self.send().await?;
            }
        }
        self.send().await
    }

    async fn next(&mut self, waiting: &mut mpsc::Receiver<Pending>) -> io::Result<Option<Pending>> {
        match waiting.try_recv() {
            Ok(pending) => Ok(Some(pending)),
            Err(TryRecvError::Disconnected) => Ok(None),
            Err(TryRecvError::Empty) => {
                self.send().await?;
                Ok(waiting.recv().await)
            }
        }
    }

    /// Whether the game was new; `None` if it is not stored.
    async fn outcome(&mut self, mut is_stored: oneshot::Receiver<bool>) -> io::Result<Option<bool>> {
        let outcome = match is_stored.try_recv() {
            Ok(new) => Some(new),
            Err(NotYet::Closed) => None,
            Err(NotYet::Empty) => {
                self.send().await?;
                is_stored.await.ok()
            }
        };
        self.unstored.fetch_sub(1, Ordering::Relaxed);
        Ok(outcome)
    }

    async fn send(&mut self) -> io::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let sent = timeout(self.shared.settings.idle, self.send_all()).await;
        self.is_unread |= sent.is_err();
        sent??;
        // An idle connection keeps nothing.
        self.bytes = Vec::new();
        Ok(())
    }

    /// A service that stops does not wait long for a client that hardly reads.
    async fn send_all(&mut self) -> io::Result<()> {
        let mut rest = &self.bytes[..];
        while !rest.is_empty() {
            let unread = async {
                self.shared.stop.cancelled().await;
                sleep(self.shared.linger()).await;
            };
            let len = tokio::select! {
                biased;
                len = self.out.write(rest) => len?,
                () = unread => {
                    self.is_unread = true;
                    return Err(io::ErrorKind::TimedOut.into());
                }
            };
            if len == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            rest = &rest[len..];
        }
        Ok(())
    }
}
