//! The text of a game that is kept, to be judged as a whole.
//!
//! Owns [`Sample`]: how much is kept, how much of that the last decision knew, and what its readers have counted, so
//! that a text that grows is not gone through again. Memory is bounded. Refuses to know what is decided, and when.

use crate::text::fit::Growing;
use crate::text::guess::Guesser;
use crate::text::judge::Case;
use crate::text::{Charset, Learnt};

/// Bytes of text that are kept, but for the last value, of which there are no more than [`LONGEST`].
pub(super) const SAMPLE: usize = 8 << 10;
pub(super) const LONGEST: usize = 64 << 10;

#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// One value a line.
    bytes: Vec<u8>,
    judged: usize,
    /// How far it is of the charset that was declared, where some of it is not.
    growing: Option<Growing>,
    /// What guesses about it have counted.
    guesser: Guesser,
}

impl Sample {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), judged: 0, growing: None, guesser: Guesser::new() }
    }

    /// Nothing is kept any more, but for the buffers.
    pub(super) fn forget(&mut self) {
        if !self.bytes.is_empty() {
            self.guesser.forget();
        }
        self.bytes.clear();
        self.judged = 0;
        self.growing = None;
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A value, or what is looked at of it.
    pub(super) fn keep(&mut self, raw: &[u8]) {
        if self.bytes.len() < SAMPLE {
            self.bytes.extend_from_slice(raw);
            // Values do not grow together.
            self.bytes.push(b'\n');
        }
    }

    /// What all of it is, and whether the games before had a say.
    pub(super) fn judge(&mut self, case: Case) -> (Learnt, bool) {
        case.judge_growing(&self.bytes, &mut self.guesser)
    }

    /// A decision has known all of it.
    pub(super) fn note_judged(&mut self) {
        self.judged = self.bytes.len();
    }

    /// Bytes that the last decision knew.
    pub(super) fn judged(&self) -> usize {
        self.judged
    }

    /// There is as much again that it did not know.
    pub(super) fn has_doubled(&self) -> bool {
        self.bytes.len() >= 2 * self.judged
    }

    pub(super) fn mostly_decodes(&mut self, charset: Charset) -> bool {
        let growing = self.growing.filter(|growing| growing.charset() == charset);
        self.growing.insert(growing.unwrap_or_else(|| Growing::new(charset))).mostly_decodes(&self.bytes)
    }
}

/// What is looked at of a long text: up to a byte that is no part of a character of several bytes.
pub(super) fn clipped(raw: &[u8]) -> &[u8] {
    if raw.len() <= LONGEST {
        return raw;
    }
    let start = &raw[..LONGEST];
    start.iter().rposition(|&byte| byte < b'0').map_or(start, |at| &start[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_clipped_between_characters() {
        let spaced = [vec![0xBA; 40_000], vec![b' '], vec![0xBA; 80_000]].concat();
        assert_eq!(clipped(&spaced).len(), 40_000);
        assert_eq!(clipped(&spaced[..LONGEST]).len(), LONGEST);
    }
}
