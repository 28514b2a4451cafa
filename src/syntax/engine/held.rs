//! Bytes that were fed and are not read yet.
//!
//! Owns [`Held`]. Little is taken from its front again and again, while much stays. Refuses to know what the bytes wait
//! for.

use std::ops::Deref;

/// A queue of bytes: they come in at the back and leave at the front, each at the cost of a copy or two, however many stay.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Bytes at the front that are gone.
    start: usize,
}

impl Deref for Held {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl Held {
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The first bytes are read.
    pub(super) fn consume(&mut self, len: usize) {
        self.start += len;
        // Never moves more bytes than have left since the last move.
        if self.start >= self.len() {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.start = 0;
    }
}
