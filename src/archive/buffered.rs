//! A buffer in front of a reader, which allows looking ahead.
//!
//! Owns [`Buffered`]. Invariant: each byte of the source is handed out once, in order, however often it was looked at; an error of
//! the source comes behind the bytes before it. Refuses to know what the bytes are.

use std::io::{self, BufRead, ErrorKind, Read};

/// Like [`BufReader`](io::BufReader), but shows any number of bytes in advance, up to its length.
pub(crate) struct Buffered<R> {
    source: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The error of the source behind the buffered bytes.
    error: Option<io::Error>,
}

impl<R: Read> Buffered<R> {
    const LEN: usize = 64 << 10;

    /// Its length at first: many members are shorter.
    const FIRST: usize = 8 << 10;

    pub(crate) fn new(source: R) -> Self {
        Self { source, bytes: Vec::new(), start: 0, end: 0, error: None }
    }

    /// With bytes that were read already.
    pub(crate) fn with_head(head: Vec<u8>, source: R) -> Self {
        Self { source, start: 0, end: head.len(), bytes: head, error: None }
    }

    /// The next `len` bytes, or fewer if there are no more.
    pub(crate) fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        while self.end - self.start < len && self.fill()? > 0 {}
        Ok(&self.bytes[self.start..self.end.min(self.start + len)])
    }

    /// [Peeks](Self::peek), but keeps an error for the reader of those bytes.
    pub(crate) fn head(&mut self, len: usize) -> &[u8] {
        if let Err(error) = self.peek(len) {
            self.error = Some(error);
        }
        &self.bytes[self.start..self.end.min(self.start + len)]
    }

    /// Reads more, behind the buffered bytes.
    fn fill(&mut self) -> io::Result<usize> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let len = if self.bytes.is_empty() { Self::FIRST } else { Self::LEN };
        if self.bytes.len() < len {
            self.bytes.resize(len, 0);
        }
        loop {
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(len) => {
                    self.end += len;
                    return Ok(len);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Puts bytes back in front of the next ones.
    pub(crate) fn unread(&mut self, bytes: &[u8]) {
        let mut all = bytes.to_vec();
        all.extend_from_slice(&self.bytes[self.start..self.end]);
        (self.start, self.end, self.bytes) = (0, all.len(), all);
    }

    /// Forgets what lies in the buffer: the source goes on somewhere else.
    pub(crate) fn clear(&mut self) {
        (self.start, self.end, self.error) = (0, 0, None);
    }

    /// Reads to the end and counts.
    pub(crate) fn drain(&mut self) -> io::Result<u64> {
        let mut count = 0;
        loop {
            count += (self.end - self.start) as u64;
            self.start = self.end;
            if self.fill()? == 0 {
                return Ok(count);
            }
        }
    }
}

impl<R: Read> BufRead for Buffered<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.peek(1)?;
        Ok(&self.bytes[self.start..self.end])
    }

    fn consume(&mut self, len: usize) {
        self.start = self.end.min(self.start + len);
    }
}

impl<R: Read> Read for Buffered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A large read gains nothing from the detour through the buffer.
        if self.start == self.end && self.error.is_none() && buffer.len() >= Self::LEN {
            return self.source.read(buffer);
        }
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}
