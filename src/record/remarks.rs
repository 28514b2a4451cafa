//! The comments of a game, in one buffer that is used again for the next game.
//!
//! Owns the bytes, how many there may be, and which node each stands in.

use crate::syntax::{Part, Position, Value};
use crate::text::Writing;

/// How many bytes the comments of one game may take, including the memory for their places.
const MOST: usize = 4 << 20;

/// The values of C, in the order of the document.
#[derive(Clone, Debug, Default)]
pub(super) struct Remarks {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// The value in progress has begun, and what has come of it is kept.
    is_open: bool,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    node: u64,
    position: Position,
    writing: Writing,
    end: usize,
}

impl Remarks {
    /// How many bytes it takes besides itself.
    pub(super) fn memory(&self) -> usize {
        self.bytes.len() + size_of_val(&self.entries[..])
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.is_open = false;
        self.is_cut = false;
    }

    /// A piece of a comment in a node. A comment of white space does not count.
    pub(super) fn push(&mut self, node: u64, part: &Part<'_>) {
        let goes_on = self.is_open;
        self.is_open = !part.is_last() && (goes_on || !part.raw().is_empty());
        if self.is_cut || !(goes_on || self.is_open || part.is_last() && !part.raw().is_empty()) {
            return;
        }
        self.add(node, part, goes_on);
        if part.is_last() && !self.is_cut {
            self.drop_blank();
        }
    }

    fn add(&mut self, node: u64, part: &Part<'_>, goes_on: bool) {
        let end = self.bytes.len() + part.raw().len();
        if end + (self.entries.len() + 1) * size_of::<Entry>() > MOST {
            // Anything after this would be a text without a beginning.
            self.is_cut = true;
            return;
        }
        self.bytes.extend_from_slice(part.raw());
        match self.entries.last_mut().filter(|_| goes_on) {
            Some(entry) => (entry.end, entry.writing) = (end, part.writing()),
            None => self.entries.push(Entry { node, position: part.position(), writing: part.writing(), end }),
        }
    }

    /// Drops the last value if there is nothing in it.
    fn drop_blank(&mut self) {
        let begin = self.entries.len().checked_sub(2).map_or(0, |before| self.entries[before].end);
        if self.bytes[begin..].trim_ascii().is_empty() {
            self.entries.pop();
            self.bytes.truncate(begin);
        }
    }

    /// Drops the value in progress, whose end does not come.
    pub(super) fn give_up(&mut self) {
        if std::mem::take(&mut self.is_open) && !self.is_cut {
            self.entries.pop();
            self.bytes.truncate(self.entries.last().map_or(0, |entry| entry.end));
        }
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, Value<'_>)> {
        let mut begin = 0;
        self.entries.iter().map(move |entry| {
            let raw = &self.bytes[std::mem::replace(&mut begin, entry.end)..entry.end];
            (entry.node, Value { position: entry.position, writing: entry.writing, raw })
        })
    }
}
