//! Which bytes of a zip the entries of its table account for.
//!
//! Owns where entries may lie that the table has lost. As long as each entry of the table has a header of its own, none is
//! lost: others may be there, but the table was written without them. Refuses to know what is in a header.

use std::collections::BTreeMap;

use crate::archive::zip::records::FIXED_LEN;

/// The most bytes between two entries among which no third one can be: what may follow one is shorter than a header.
const SLACK: u64 = FIXED_LEN as u64;

/// The most stretches that are remembered: 5 MB. In nearly all archives it is one.
const MAX_STRETCHES: usize = 1 << 17;

pub(super) struct Claims {
    /// Where the archive begins.
    start: u64,
    /// The stretch that the last entry belongs to.
    last: (u64, u64),
    /// The ends of the others, by where they begin.
    others: BTreeMap<u64, u64>,
    /// There are more than are remembered.
    is_partial: bool,
    /// Some entry of the table has no header of its own.
    has_lost: bool,
}

impl Claims {
    /// Those of an archive that begins there.
    pub(super) fn new(start: u64) -> Self {
        Self { start, last: (start, start), others: BTreeMap::new(), is_partial: false, has_lost: false }
    }

    /// Takes the bytes of an entry, with its header.
    pub(super) fn add(&mut self, start: u64, end: u64) {
        let (from, to) = self.last;
        if (from..=to.saturating_add(SLACK)).contains(&start) {
            // Where another entry lies already, this one has no header of its own.
            self.has_lost |= start < to;
            self.last = (from, end.max(to));
        } else {
            self.last = (start, end);
            self.put((from, to));
        }
    }

    /// An entry of the table has no header of its own.
    pub(super) fn lost(&mut self) {
        self.has_lost = true;
    }

    /// Where the last entry ends, and the next one should begin.
    pub(super) fn last_end(&self) -> u64 {
        self.last.1
    }

    /// Where entries may lie, in front of the table, that it does not have; nothing if none is missed. The second is false if
    /// there may be others.
    pub(super) fn gaps(mut self, table: u64) -> (Vec<(u64, u64)>, bool) {
        // One that shares its header with another may show only now.
        self.put(self.last);
        if !self.has_lost {
            return (Vec::new(), true);
        }
        if self.is_partial {
            return (Vec::new(), false);
        }
        let mut gaps = Vec::new();
        let mut at = self.start;
        for (from, to) in self.others.into_iter().chain([(table, table)]) {
            if from.min(table).saturating_sub(at) > SLACK {
                gaps.push((at, from.min(table)));
            }
            at = at.max(to);
        }
        (gaps, true)
    }

    /// Joins a stretch with those that it touches.
    fn put(&mut self, (mut start, mut end): (u64, u64)) {
        if let Some((&from, &to)) = self.others.range(..=start).next_back()
            && start <= to.saturating_add(SLACK)
        {
            self.has_lost |= start < to;
            (start, end) = (from, end.max(to));
        }
        while let Some((&from, &to)) = self.others.range(start..=end.saturating_add(SLACK)).next() {
            self.has_lost |= from < end && from > start;
            self.others.remove(&from);
            end = end.max(to);
        }
        if self.others.len() < MAX_STRETCHES {
            self.others.insert(start, end);
        } else {
            self.is_partial = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(entries: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut claims = Claims::new(0);
        for &(start, end) in entries {
            claims.add(start, end);
        }
        claims.lost();
        claims.gaps(1_000).0
    }

    #[test]
    fn gaps_do_not_depend_on_the_order_of_entries() {
        let entries = [(0, 100), (124, 300), (400, 450), (450, 500), (900, 1_000)];
        let expected = [(300, 400), (500, 900)];
        assert_eq!(gaps(&entries), expected);
        for at in 0..entries.len() {
            let mut turned = entries;
            turned.rotate_left(at);
            assert_eq!(gaps(&turned), expected);
            turned.reverse();
            assert_eq!(gaps(&turned), expected);
        }
        assert_eq!(gaps(&[]), [(0, 1_000)]);
    }

    #[test]
    fn nothing_is_missed_if_each_entry_has_its_own_bytes() {
        for (entries, is_missed) in [
            (&[(0, 100), (500, 600)][..], false),
            (&[(500, 600), (0, 100), (200, 300)], false),
            (&[(0, 100), (500, 600), (0, 100)], true),
            (&[(0, 100), (0, 100)], true),
        ] {
            let mut claims = Claims::new(0);
            for &(start, end) in entries {
                claims.add(start, end);
            }
            assert_eq!(!claims.gaps(1_000).0.is_empty(), is_missed, "{entries:?}");
        }
    }

    #[test]
    fn only_so_many_stretches_are_remembered() {
        let mut claims = Claims::new(0);
        (0..MAX_STRETCHES as u64 + 2).for_each(|at| claims.add(at * 100, at * 100 + 50));
        claims.lost();
        assert_eq!(claims.gaps(u64::MAX), (Vec::new(), false));
    }
}
