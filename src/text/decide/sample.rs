//! The text of a game that is kept, to be judged as a whole.
//!
//! Owns [`Sample`]: how much is kept, how much of that the last decision knew, and what its readers have counted, so
//! that a text that grows is not gone through again. Memory is bounded. Refuses to know what is decided, and when.

use crate::text::decide::judge::Case;
use crate::text::decide::utf8::is_certain_utf_8;
use crate::text::guess::Guesser;
use crate::text::guess::fit::Growing;
use crate::text::{Charset, Learnt, is_utf_8};

/// How many bytes of text are kept, not counting the last value, which has at most [`LONGEST`].
pub(super) const SAMPLE: usize = 8 << 10;
pub(super) const LONGEST: usize = 64 << 10;

#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// One value a line.
    bytes: Vec<u8>,
    judged: usize,
    /// How much of it was looked at for UTF-8; whether all of that is UTF-8, and whether it can hardly be anything else.
    looked: usize,
    is_utf_8: bool,
    is_certain: bool,
    /// How much of it is valid in the declared charset, if some is not.
    growing: Option<Growing>,
    /// What guesses about the sample have counted.
    guesser: Guesser,
}

impl Sample {
    pub(super) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            judged: 0,
            looked: 0,
            is_utf_8: true,
            is_certain: false,
            growing: None,
            guesser: Guesser::new(),
        }
    }

    /// Forgets the text, but keeps the buffers.
    pub(super) fn forget(&mut self) {
        if !self.bytes.is_empty() {
            self.guesser.forget();
        }
        self.bytes.clear();
        self.judged = 0;
        (self.looked, self.is_utf_8, self.is_certain) = (0, true, false);
        self.growing = None;
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds a value, or the part of it that is examined.
    pub(super) fn keep(&mut self, raw: &[u8]) {
        if self.bytes.len() < SAMPLE {
            self.bytes.extend_from_slice(raw);
            // Separates the values.
            self.bytes.push(b'\n');
        }
    }

    /// Judges all of it; and returns whether the games before mattered to that.
    pub(super) fn judge(&mut self, case: Case) -> (Learnt, bool) {
        case.judge_growing(&self.bytes, &mut self.guesser)
    }

    /// A decision was made with all of it.
    pub(super) fn note_judged(&mut self) {
        self.judged = self.bytes.len();
    }

    /// How many bytes the last decision knew.
    pub(super) fn judged(&self) -> usize {
        self.judged
    }

    /// Whether it has at least doubled since the last decision.
    pub(super) fn has_doubled(&self) -> bool {
        self.bytes.len() >= 2 * self.judged
    }

    /// [`is_certain_utf_8`] for all of it.
    pub(super) fn is_certain_utf_8(&mut self) -> bool {
        // Lines end between characters.
        let new = &self.bytes[self.looked..];
        self.looked = self.bytes.len();
        self.is_utf_8 = self.is_utf_8 && is_utf_8(new);
        self.is_certain |= self.is_utf_8 && is_certain_utf_8(new);
        self.is_utf_8 && self.is_certain
    }

    pub(super) fn mostly_decodes(&mut self, charset: Charset) -> bool {
        let growing = self.growing.filter(|growing| growing.charset() == charset);
        self.growing.insert(growing.unwrap_or_else(|| Growing::new(charset))).mostly_decodes(&self.bytes)
    }
}

/// The part of a long text that is examined: up to a byte that is part of no character of several bytes.
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
