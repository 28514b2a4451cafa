//! Bytes that were not delivered yet, by what they are.
//!
//! Owns [`PendingGap`]: runs of white space, byte order marks and other bytes, in order, so that whatever lies between two
//! events can be named, whatever its length. Memory is bounded: past a number of runs the oldest are kept as sums,
//! which is exact as long as no reader holds back more runs than that before it delivers them. Refuses to know events.

use std::collections::VecDeque;

use crate::text::white::is_white;
use crate::text::{BOM, OffsetMap};

/// After this many bytes the number of runs is checked.
const PIECE: usize = 16 << 10;

/// What bytes between events are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    WhiteSpace,
    /// A byte order mark.
    Mark,
    Other,
}

/// Where text stood in its source, if it was recoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<'a>(pub(super) Option<&'a OffsetMap>);

impl Places<'_> {
    /// The number of bytes of the source before an offset of the text, without those that stand for nothing.
    #[inline(always)]
    pub(super) fn characters(self, text: u64) -> u64 {
        self.0.map_or(text, |map| map.characters(text))
    }

    /// The offset in the source.
    pub(super) fn source(self, text: u64) -> u64 {
        self.0.map_or(text, |map| map.source(text))
    }

    /// The offset in the text of what stands at an offset in the source.
    #[inline(always)]
    pub(super) fn text(self, source: u64) -> u64 {
        self.0.map_or(source, |map| map.output(source))
    }

    fn len(self, start: u64, end: u64) -> u64 {
        self.characters(end).saturating_sub(self.characters(start))
    }
}

/// A run of bytes of one class, with its lengths in the text and in the source. There may be many, so they are small:
/// the class is stored in a length.
#[derive(Clone, Copy, Debug)]
struct Run {
    text: u32,
    source: u32,
}

impl Run {
    /// The longest run, with room left for a mark.
    const MAX_LEN: u64 = 1 << 29;

    const fn new(class: Class, len: u64, source: u64) -> Self {
        Self { text: (len as u32) << 2 | class as u32, source: source as u32 }
    }

    const fn class(self) -> Class {
        match self.text & 3 {
            0 => Class::WhiteSpace,
            1 => Class::Mark,
            _ => Class::Other,
        }
    }

    fn len(self) -> u64 {
        u64::from(self.text >> 2)
    }

    fn source(self) -> u64 {
        u64::from(self.source)
    }

    const fn with(self, len: u64, source: u64) -> Self {
        Self::new(self.class(), len, source)
    }
}

/// Runs that were merged into sums, in bytes of the source.
#[derive(Clone, Debug, Default)]
struct Sums {
    len: u64,
    white: u64,
    marks: u64,
    other: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct PendingGap {
    /// Offset in the text of the first byte.
    start: u64,
    /// How many bytes of the source before it are characters. Kept, because the map may have forgotten where a run begins.
    characters: u64,
    end: u64,
    /// What comes before the runs.
    sums: Sums,
    runs: VecDeque<Run>,
    most: usize,
    /// How many bytes of a byte order mark stand at the end.
    bom: usize,
}

impl PendingGap {
    /// Exact for readers that hold back up to `held` bytes.
    pub(super) fn new(held: usize) -> Self {
        Self {
            start: 0,
            characters: 0,
            end: 0,
            sums: Sums::default(),
            runs: VecDeque::new(),
            most: held.max(4),
            bom: 0,
        }
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Appends bytes.
    pub(super) fn extend(&mut self, bytes: &[u8], places: Places<'_>) {
        for piece in bytes.chunks(PIECE) {
            self.extend_by(piece, places);
            self.bound();
        }
    }

    fn extend_by(&mut self, mut bytes: &[u8], places: Places<'_>) {
        while let Some(&byte) = bytes.first() {
            let len = if is_white(byte) {
                self.bom = 0;
                let len = bytes.iter().position(|&byte| !is_white(byte)).unwrap_or(bytes.len());
                self.push(Class::WhiteSpace, len as u64, places);
                len
            } else if byte == BOM[self.bom] || byte == BOM[0] {
                self.bom = if byte == BOM[self.bom] { self.bom + 1 } else { 1 };
                self.push(Class::Other, 1, places);
                if self.bom == BOM.len() {
                    self.bom = 0;
                    self.mark(places);
                }
                1
            } else {
                self.bom = 0;
                let is_end = |&byte: &u8| is_white(byte) || byte == BOM[0];
                let len = bytes.iter().position(is_end).unwrap_or(bytes.len());
                self.push(Class::Other, len as u64, places);
                len
            };
            bytes = &bytes[len..];
        }
    }

    fn push(&mut self, class: Class, len: u64, places: Places<'_>) {
        let source = places.len(self.end, self.end + len);
        self.end += len;
        match self.runs.back_mut() {
            Some(run) if run.class() == class && (run.len() < Run::MAX_LEN || self.bom > 1) => {
                *run = run.with(run.len() + len, run.source() + source);
            }
            _ => self.runs.push_back(Run::new(class, len, source)),
        }
    }

    /// The last bytes are a mark, unless the first of them have been delivered meanwhile.
    fn mark(&mut self, places: Places<'_>) {
        let len = BOM.len() as u64;
        if let Some(run) = self.runs.back_mut().filter(|run| run.len() >= len) {
            *run = run.with(run.len() - len, run.source().saturating_sub(places.len(self.end - len, self.end)));
            if run.len() == 0 {
                self.runs.pop_back();
            }
            self.end -= len;
            self.push(Class::Mark, len, places);
        }
    }

    /// Keeps no more runs than allowed, and always the last ones: a skipped range ends near the end.
    fn bound(&mut self) {
        let surplus = self.runs.len().saturating_sub(self.most);
        for run in self.runs.drain(..surplus) {
            self.sums.len += run.len();
            *match run.class() {
                Class::WhiteSpace => &mut self.sums.white,
                Class::Mark => &mut self.sums.marks,
                Class::Other => &mut self.sums.other,
            } += run.source();
        }
    }

    /// Drops everything up to an offset, and passes each piece to `deliver`: its class, where it begins, and how many
    /// bytes of the source it has.
    pub(super) fn take(&mut self, to: u64, places: Places<'_>, mut deliver: impl FnMut(Class, u64, u64)) {
        if self.start >= to {
            return;
        }
        if self.sums.len > 0 {
            let sums = std::mem::take(&mut self.sums);
            let start = self.start;
            if start + sums.len > to {
                // How much of each class lies before that offset is no longer known.
                let len = self.advance(to, places);
                let other = (sums.white + sums.marks + sums.other).saturating_sub(len);
                self.sums = Sums { len: start + sums.len - to, other, ..Sums::default() };
                return deliver(Class::Other, start, len);
            }
            self.start += sums.len;
            self.characters += sums.white + sums.marks + sums.other;
            for (class, len) in [(Class::WhiteSpace, sums.white), (Class::Mark, sums.marks), (Class::Other, sums.other)]
            {
                if len > 0 {
                    deliver(class, start, len);
                }
            }
        }
        while self.start < to
            && let Some(run) = self.runs.pop_front()
        {
            let start = self.start;
            let rest = run.len().saturating_sub(to - start);
            if rest > 0 {
                let source = self.advance(to, places);
                self.runs.push_front(run.with(rest, run.source().saturating_sub(source)));
                return deliver(run.class(), start, source);
            }
            self.start += run.len();
            self.characters += run.source();
            deliver(run.class(), start, run.source());
        }
        self.go_to(to, places);
    }

    /// Drops everything up to an offset that the map knows; returns how many bytes of the source that is.
    fn advance(&mut self, to: u64, places: Places<'_>) -> u64 {
        self.start = to;
        let before = std::mem::replace(&mut self.characters, places.characters(to));
        self.characters.saturating_sub(before)
    }

    /// Everything up to an offset has been delivered.
    #[inline]
    pub(super) fn drop_to(&mut self, to: u64, places: Places<'_>) {
        if self.end > self.start {
            self.take(to, places, |_, _, _| {});
        } else {
            self.go_to(to, places);
        }
    }

    #[inline]
    fn go_to(&mut self, to: u64, places: Places<'_>) {
        if to > self.end {
            self.bom = 0;
            self.end = to;
        }
        if to > self.start {
            self.advance(to, places);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Class::{Mark, Other, WhiteSpace};
    use super::*;

    fn taken(pending: &mut PendingGap, to: u64) -> Vec<(Class, u64, u64)> {
        let mut runs = Vec::new();
        pending.take(to, Places(None), |class, start, len| runs.push((class, start, len)));
        runs
    }

    /// Each byte may be the first of a mark; such a run had no bound, and its length wrapped.
    #[test]
    fn runs_of_first_bytes_of_marks_are_bounded() {
        let mut pending = PendingGap::new(64);
        pending.push(Other, Run::MAX_LEN, Places(None));
        pending.extend(&[0xEF; 10], Places(None));
        assert_eq!(taken(&mut pending, Run::MAX_LEN + 10).len(), 2);
    }

    #[test]
    fn runs_do_not_depend_on_cuts() {
        let bytes = b"ab \xEF\xBB\xBF\xEF\xBB\n\xEF\xEF\xBB\xBFc";
        let expected = [
            (Other, 0, 2),
            (WhiteSpace, 2, 1),
            (Mark, 3, 3),
            (Other, 6, 2),
            (WhiteSpace, 8, 1),
            (Other, 9, 1),
            (Mark, 10, 3),
            (Other, 13, 1),
        ];
        for cut in 0..=bytes.len() {
            let mut pending = PendingGap::new(64);
            pending.extend(&bytes[..cut], Places(None));
            pending.extend(&bytes[cut..], Places(None));
            assert_eq!(taken(&mut pending, 14), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_run_may_be_taken_in_pieces() {
        let mut pending = PendingGap::new(64);
        pending.extend(b"abc  ", Places(None));
        assert_eq!(taken(&mut pending, 2), [(Other, 0, 2)]);
        pending.drop_to(4, Places(None));
        assert_eq!(taken(&mut pending, 5), [(WhiteSpace, 4, 1)]);
        pending.drop_to(9, Places(None));
        pending.extend(b"x", Places(None));
        assert_eq!(taken(&mut pending, 10), [(Other, 9, 1)]);
    }

    #[test]
    fn many_runs_take_bounded_memory_and_add_up() {
        let mut pending = PendingGap::new(8);
        for _ in 0..1000 {
            pending.extend(b"a  \xEF\xBB\xBF", Places(None));
        }
        assert!(pending.runs.len() <= 8);
        let mut sums = [0; 3];
        pending.take(6000, Places(None), |class, _, len| sums[class as usize] += len);
        assert_eq!(sums, [2000, 3000, 1000]);
    }

    #[test]
    fn runs_that_were_merged_do_not_count_as_white_space() {
        let mut pending = PendingGap::new(4);
        pending.extend(b" a a a a a a", Places(None));
        assert_eq!(taken(&mut pending, 1), [(Other, 0, 1)]);
    }
}
