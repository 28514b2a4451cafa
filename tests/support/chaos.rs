//! Sources that behave as badly as sources are allowed to.

use std::io::{self, BufRead, ErrorKind, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

use super::rng::Rng;

/// A source that stalls, yields little, is interrupted, and now and then fails without losing bytes.
#[derive(Debug)]
pub(crate) struct Chaos<'a> {
    rest: &'a [u8],
    /// How many bytes of its buffer have been shown and not yet consumed.
    shown: usize,
    rng: Rng,
    most: usize,
    /// It returns errors after which a caller can go on.
    pub(crate) fails: bool,
}

impl<'a> Chaos<'a> {
    /// Yields at most `most` bytes at once.
    pub(crate) fn new(rest: &'a [u8], rng: Rng, most: usize) -> Self {
        Self { rest, shown: 0, rng, most, fails: true }
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
        self.shown = self.shown.saturating_sub(len);
        now
    }

    fn show(&mut self) -> io::Result<&'a [u8]> {
        if self.shown == 0 {
            if let Some(error) = self.fault() {
                return Err(error);
            }
            self.shown = (1 + self.rng.below(self.most)).min(self.rest.len());
        }
        Ok(&self.rest[..self.shown])
    }

    fn pass(&mut self, len: usize) {
        self.shown -= len;
        self.rest = &self.rest[len..];
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

impl BufRead for Chaos<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.show()
    }

    fn consume(&mut self, len: usize) {
        self.pass(len);
    }
}

impl AsyncBufRead for Chaos<'_> {
    fn poll_fill_buf(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        if self.rng.one_in(3) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.get_mut().show())
    }

    fn consume(mut self: Pin<&mut Self>, len: usize) {
        self.pass(len);
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
