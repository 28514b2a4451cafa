//! Sources that behave as badly as sources may.

use std::io::{self, ErrorKind, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use super::rng::Rng;

/// A source that stalls, yields little, is interrupted, and fails now and then without losing bytes.
#[derive(Debug)]
pub(crate) struct Chaos<'a> {
    rest: &'a [u8],
    rng: Rng,
    most: usize,
    /// Errors come, which a caller has to live with.
    pub(crate) fails: bool,
}

impl<'a> Chaos<'a> {
    /// Yields at most that many bytes at once.
    pub(crate) fn new(rest: &'a [u8], rng: Rng, most: usize) -> Self {
        Self { rest, rng, most, fails: true }
    }

    fn fault(&mut self) -> Option<io::Error> {
        match self.rng.below(24) {
            0 | 1 if self.fails => Some(ErrorKind::Interrupted.into()),
            2 if self.fails => Some(ErrorKind::ConnectionReset.into()),
            _ => None,
        }
    }

    fn some(&mut self, room: usize) -> &'a [u8] {
        let len = (1 + self.rng.below(self.most)).min(room).min(self.rest.len());
        let (now, later) = self.rest.split_at(len);
        self.rest = later;
        now
    }
}

impl Read for Chaos<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.fault() {
            return Err(error);
        }
        let now = self.some(buffer.len());
        buffer[..now.len()].copy_from_slice(now);
        Ok(now.len())
    }
}

impl AsyncRead for Chaos<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.rng.one_in(3) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(error) = self.fault() {
            return Poll::Ready(Err(error));
        }
        let now = self.some(buffer.remaining());
        buffer.put_slice(now);
        Poll::Ready(Ok(()))
    }
}
