//! The main line itself: its moves and setup stones, as they are written.
//!
//! Owns the bytes, in one buffer that is used again for the next game, and how many there may be. Which nodes are on the line
//! is for [`MainLine`](crate::record::main_line).

use crate::syntax::Ident;

/// How many bytes the values of one game may take, including the memory for their places. The longest real game takes a
/// hundredth of it.
const MOST: usize = 1 << 20;

/// The values of move and setup properties, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    bytes: Vec<u8>,
    steps: Vec<Step>,
    /// How many there would be without the limit.
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    ident: Ident,
    /// Where its bytes end; they begin where those before it end.
    end: u32,
}

impl Line {
    /// How many bytes it takes besides itself.
    pub(super) fn memory(&self) -> usize {
        self.bytes.len() + size_of_val(&self.steps[..])
    }

    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }

    pub(super) fn push(&mut self, ident: Ident, raw: &[u8]) {
        let fits = self.bytes.len() + raw.len() + (self.steps.len() + 1) * size_of::<Step>() <= MOST;
        // With a gap it would be another game.
        if fits && !self.is_cut() {
            self.bytes.extend_from_slice(raw);
            self.steps.push(Step { ident, end: self.bytes.len() as u32 });
        }
        self.len += 1;
    }

    /// How many steps there are, with those that are left out because of the limit.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Drops all but the first `len` steps.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = len;
        self.steps.truncate(len);
        self.bytes.truncate(self.steps.last().map_or(0, |step| step.end as usize));
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.len > self.steps.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Ident, &[u8])> {
        let mut begin = 0;
        self.steps.iter().map(move |step| {
            let end = step.end as usize;
            (step.ident, &self.bytes[std::mem::replace(&mut begin, end)..end])
        })
    }
}
