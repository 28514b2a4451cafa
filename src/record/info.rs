//! The values of a game's header, kept in one buffer that is used again for the next game.

use crate::syntax::{Ident, Position, Value};
use crate::text::Writing;

/// Bytes that the values of one game may take, with what it costs to know where they are.
pub(super) const MOST: usize = 1 << 20;

/// Values of properties, in the order of the document.
#[derive(Clone, Debug, Default)]
pub(super) struct Info {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    ident: Ident,
    position: Position,
    writing: Writing,
    /// Where its bytes end; they begin where those of the entry before end.
    end: usize,
    in_header: bool,
}

impl Info {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.is_cut = false;
    }

    pub(super) fn push(&mut self, ident: Ident, value: Value<'_>, in_header: bool) {
        let taken = self.bytes.len() + self.entries.len() * size_of::<Entry>();
        if taken + value.raw().len() > MOST {
            self.is_cut = true;
            return;
        }
        self.bytes.extend_from_slice(value.raw());
        let (position, writing, end) = (value.position(), value.writing(), self.bytes.len());
        self.entries.push(Entry { ident, position, writing, end, in_header });
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// All values, each with whether it stands in the header.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (Ident, Value<'_>, bool)> {
        self.entries.iter().enumerate().map(|(index, entry)| {
            let begin = index.checked_sub(1).map_or(0, |before| self.entries[before].end);
            let raw = &self.bytes[begin..entry.end];
            (entry.ident, Value { position: entry.position, writing: entry.writing, raw }, entry.in_header)
        })
    }
}
