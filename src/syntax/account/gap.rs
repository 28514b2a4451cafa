//! Bytes of which nothing was told yet, by what they are.
//!
//! Owns [`Untold`]: runs of white space, byte order marks and other bytes, in order, so that what turns out to lie between
//! two events can be named whatever its length. Memory is bounded: past a number of runs the oldest are kept as sums, which
//! is exact as long as no reader holds back more runs than that before it tells of them. Refuses to know events.

use std::collections::VecDeque;

use crate::text::OffsetMap;

/// Bytes after which the number of runs is looked at.
const PIECE: usize = 16 << 10;

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// What bytes between events are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    WhiteSpace,
    /// A byte order mark.
    Mark,
    Other,
}

pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// Where text stood in a source, if that was recoded to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<'a>(pub(super) Option<&'a OffsetMap>);

impl Places<'_> {
    /// Bytes of the source before an offset of the text, but for those that stand for nothing.
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
        self.characters(end) - self.characters(start)
    }
}

/// Bytes of one class; the length is above two bits for the class, as there may be many.
#[derive(Clone, Copy, Debug)]
struct Run(u64);

impl Run {
    const fn new(class: Class, len: u64) -> Self {
        Self(len << 2 | class as u64)
    }

    const fn class(self) -> Class {
        match self.0 & 3 {
            0 => Class::WhiteSpace,
            1 => Class::Mark,
            _ => Class::Other,
        }
    }

    const fn len(self) -> u64 {
        self.0 >> 2
    }

    const fn grow(&mut self, len: u64) {
        self.0 += len << 2;
    }

    const fn shrink(&mut self, len: u64) {
        self.0 -= len << 2;
    }
}

/// Runs that were given up for their sums, which are in bytes of the source.
#[derive(Clone, Debug, Default)]
struct Sums {
    len: u64,
    white: u64,
    marks: u64,
    other: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Untold {
    /// Offset in the text of the first byte.
    start: u64,
    end: u64,
    /// What comes before the runs.
    sums: Sums,
    runs: VecDeque<Run>,
    most: usize,
    /// Bytes of a byte order mark at the end.
    bom: usize,
}

impl Untold {
    /// Exact for readers that hold back up to so many bytes.
    pub(super) fn new(held: usize) -> Self {
        Self { start: 0, end: 0, sums: Sums::default(), runs: VecDeque::new(), most: held.max(4), bom: 0 }
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// These come next.
    pub(super) fn extend(&mut self, bytes: &[u8], places: Places<'_>) {
        for piece in bytes.chunks(PIECE) {
            self.extend_by(piece);
            self.bound(places);
        }
    }

    fn extend_by(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.bom = if byte == BOM[self.bom] { self.bom + 1 } else { usize::from(byte == BOM[0]) };
            self.push(if is_white(byte) { Class::WhiteSpace } else { Class::Other }, 1);
            if self.bom == BOM.len() {
                self.bom = 0;
                self.mark();
            }
        }
    }

    fn push(&mut self, class: Class, len: u64) {
        self.end += len;
        match self.runs.back_mut() {
            Some(run) if run.class() == class => run.grow(len),
            _ => self.runs.push_back(Run::new(class, len)),
        }
    }

    /// The last bytes are a mark; those before the first run were told of meanwhile, and are none.
    fn mark(&mut self) {
        let len = BOM.len() as u64;
        if let Some(run) = self.runs.back_mut().filter(|run| run.len() >= len) {
            run.shrink(len);
            if run.len() == 0 {
                self.runs.pop_back();
            }
            self.end -= len;
            self.push(Class::Mark, len);
        }
    }

    /// Keeps no more runs than it may, and the last ones at any rate: where a skipped range ends is near the end.
    fn bound(&mut self, places: Places<'_>) {
        let surplus = self.runs.len().saturating_sub(self.most);
        let mut at = self.start + self.sums.len;
        for run in self.runs.drain(..surplus) {
            let len = run.len();
            let source = places.len(at, at + len);
            at += len;
            self.sums.len += len;
            match run.class() {
                Class::WhiteSpace => self.sums.white += source,
                Class::Mark => self.sums.marks += source,
                Class::Other => self.sums.other += source,
            }
        }
    }

    /// Everything up to an offset goes, and what it is, where it begins and how many bytes of the source it has is told.
    pub(super) fn take(&mut self, to: u64, places: Places<'_>, mut tell: impl FnMut(Class, u64, u64)) {
        if self.start >= to {
            return;
        }
        if self.sums.len > 0 {
            let sums = std::mem::take(&mut self.sums);
            let start = self.start;
            if start + sums.len > to {
                // What part of the sums lies before, nobody knows any more.
                let len = to - start;
                self.sums = Sums { len: sums.len - len, other: places.len(to, start + sums.len), ..Sums::default() };
                self.start = to;
                return tell(Class::Other, start, places.len(start, to));
            }
            self.start += sums.len;
            for (class, len) in [(Class::WhiteSpace, sums.white), (Class::Mark, sums.marks), (Class::Other, sums.other)]
            {
                if len > 0 {
                    tell(class, start, len);
                }
            }
        }
        while self.start < to
            && let Some(run) = self.runs.front_mut()
        {
            let len = run.len().min(to - self.start);
            tell(run.class(), self.start, places.len(self.start, self.start + len));
            self.start += len;
            run.shrink(len);
            if run.len() == 0 {
                self.runs.pop_front();
            }
        }
        self.go_to(to);
    }

    /// Everything up to an offset was told of.
    #[inline]
    pub(super) fn drop_to(&mut self, to: u64, places: Places<'_>) {
        if self.end > self.start {
            self.take(to, places, |_, _, _| {});
        } else {
            self.go_to(to);
        }
    }

    #[inline]
    fn go_to(&mut self, to: u64) {
        if to > self.end {
            self.bom = 0;
            self.end = to;
        }
        self.start = self.start.max(to);
    }
}

#[cfg(test)]
mod tests {
    use super::Class::{Mark, Other, WhiteSpace};
    use super::*;

    fn taken(untold: &mut Untold, to: u64) -> Vec<(Class, u64, u64)> {
        let mut runs = Vec::new();
        untold.take(to, Places(None), |class, start, len| runs.push((class, start, len)));
        runs
    }

    #[test]
    fn runs_are_what_the_bytes_are_however_they_came() {
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
            let mut untold = Untold::new(64);
            untold.extend(&bytes[..cut], Places(None));
            untold.extend(&bytes[cut..], Places(None));
            assert_eq!(taken(&mut untold, 14), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_run_may_be_taken_in_pieces() {
        let mut untold = Untold::new(64);
        untold.extend(b"abc  ", Places(None));
        assert_eq!(taken(&mut untold, 2), [(Other, 0, 2)]);
        untold.drop_to(4, Places(None));
        assert_eq!(taken(&mut untold, 5), [(WhiteSpace, 4, 1)]);
        untold.drop_to(9, Places(None));
        untold.extend(b"x", Places(None));
        assert_eq!(taken(&mut untold, 10), [(Other, 9, 1)]);
    }

    #[test]
    fn many_runs_take_no_more_memory_and_add_up() {
        let mut untold = Untold::new(8);
        for _ in 0..1000 {
            untold.extend(b"a  \xEF\xBB\xBF", Places(None));
        }
        assert!(untold.runs.len() <= 8);
        let mut sums = [0; 3];
        untold.take(6000, Places(None), |class, _, len| sums[class as usize] += len);
        assert_eq!(sums, [2000, 3000, 1000]);
    }

    #[test]
    fn what_is_not_known_any_more_is_not_said_to_be_white_space() {
        let mut untold = Untold::new(4);
        untold.extend(b" a a a a a a", Places(None));
        assert_eq!(taken(&mut untold, 1), [(Other, 0, 1)]);
    }
}
