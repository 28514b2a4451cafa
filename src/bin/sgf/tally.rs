//! Counting by name in bounded memory.
//!
//! Owns [`Tally`], for names of which every honest archive has few, and [`Idents`], for property identifiers.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use sgf_stream::{Ident, Property};

/// Counts of names. When there are too many different ones, the further ones share one count: hostile input may have
/// millions.
#[derive(Clone, Debug)]
pub(crate) struct Tally<K> {
    counts: HashMap<K, Count>,
    capacity: usize,
    others: u64,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    count: u64,
    /// How many names came before it.
    place: usize,
}

impl<K: Eq + Hash + Ord + Clone> Tally<K> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { counts: HashMap::new(), capacity, others: 0 }
    }

    pub(crate) fn add<Q>(&mut self, name: &Q, count: u64)
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        match self.counts.get_mut(name) {
            Some(known) => known.count += count,
            None => self.add_new(name.to_owned(), count),
        }
    }

    fn add_new(&mut self, name: K, count: u64) {
        let place = self.counts.len();
        if place < self.capacity {
            self.counts.insert(name, Count { count, place });
        } else {
            self.others += count;
        }
    }

    /// Adds later counts. If those left no name out, the result is that of counting everything in order.
    pub(crate) fn merge(&mut self, later: Self) {
        let mut new = Vec::new();
        for (name, Count { count, place }) in later.counts {
            match self.counts.get_mut(&name) {
                Some(known) => known.count += count,
                None => new.push((place, name, count)),
            }
        }
        new.sort_unstable_by_key(|(place, ..)| *place);
        for (_, name, count) in new {
            self.add_new(name, count);
        }
        self.others += later.others;
    }

    /// How many names have a count of their own.
    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The count of everything without a count of its own.
    pub(crate) fn others(&self) -> u64 {
        self.others
    }

    /// The names and their counts, the commonest first.
    pub(crate) fn ranking(&self) -> Vec<(K, u64)> {
        rank(self.counts.iter().map(|(name, known)| (name.clone(), known.count)))
    }
}

fn rank<K: Ord>(counts: impl Iterator<Item = (K, u64)>) -> Vec<(K, u64)> {
    let mut ranking: Vec<(K, u64)> = counts.collect();
    ranking.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranking
}

/// Counts of property identifiers. Nearly all are one or two upper-case letters, a letter and a digit (all moves of
/// Hive), or one letter or digit, which are counted in tables.
#[derive(Debug)]
pub(crate) struct Idents {
    /// By the only letter or digit.
    one: [u64; 128],
    /// By five bits of the first letter, and six of the second or of the digit. Boxed, as findings are handed on by value, a
    /// dozen times for each block.
    two: Box<[[u64; 64]; 32]>,
    long: Tally<Ident>,
}

impl Idents {
    /// How many identifiers beyond the tables are distinguished. All public archives together have a few hundred.
    pub(crate) const CAPACITY: usize = 10_000;

    /// A part with more than this many is handed on.
    const PART: usize = 250;

    /// Without a capacity, [`merge`](Self::merge) needs all names.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { one: [0; 128], two: Box::new([[0; 64]; 32]), long: Tally::new(capacity) }
    }

    /// Adds later counts, as [`Tally::merge`] does.
    pub(crate) fn merge(&mut self, later: Self) {
        let counts = self.one.iter_mut().chain(self.two.as_flattened_mut());
        for (count, more) in counts.zip(later.one.iter().chain(later.two.as_flattened())) {
            *count += more;
        }
        self.long.merge(later.long);
    }

    /// Whether there are too many names beyond the tables to go on counting in little memory.
    pub(crate) fn is_full(&self) -> bool {
        self.long.len() > Self::PART
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, property: &Property<'_>) {
        match property.letters() {
            Some(letters) => *self.of(letters) += 1,
            None => self.add_long(property.raw()),
        }
    }

    #[inline(always)]
    fn of(&mut self, [a, b]: [u8; 2]) -> &mut u64 {
        if b == 0 {
            &mut self.one[usize::from(a & 0x7F)]
        } else {
            &mut self.two[usize::from(a & 0x1F)][usize::from(b & 0x3F)]
        }
    }

    /// Counts moves of both colours.
    pub(crate) fn add_moves(&mut self, black: u64, white: u64) {
        *self.of([b'B', 0]) += black;
        *self.of([b'W', 0]) += white;
    }

    /// The canonical name may still be short, as that of `CoPyright` is.
    #[cold]
    fn add_long(&mut self, raw: &[u8]) {
        let Some(ident) = Ident::from_raw(raw) else { return };
        let mut letters = ident.bytes();
        match (letters.next(), letters.next(), letters.next()) {
            (Some(a), None, None) => *self.of([a, 0]) += 1,
            (Some(a @ b'A'..=b'Z'), Some(b @ (b'A'..=b'Z' | b'0'..=b'9')), None) => *self.of([a, b]) += 1,
            _ => self.long.add(&ident, 1),
        }
    }

    /// Properties whose identifier has no count of its own.
    pub(crate) fn others(&self) -> u64 {
        self.long.others()
    }

    /// The number of all properties.
    pub(crate) fn total(&self) -> u64 {
        let long: u64 = self.long.counts.values().map(|known| known.count).sum();
        self.one.iter().chain(self.two.as_flattened()).sum::<u64>() + long + self.others()
    }

    /// The identifiers and their counts, the commonest first.
    pub(crate) fn ranking(&self) -> Vec<(Ident, u64)> {
        let mut counts: HashMap<Ident, u64> =
            self.long.counts.iter().map(|(ident, known)| (*ident, known.count)).collect();
        let one = (b'0'..=b'z').zip(&self.one[usize::from(b'0')..]).map(|(a, &count)| ([a, 0], count));
        let two = (b'A'..=b'Z').zip(&self.two[1..]).flat_map(|(a, row)| {
            let seconds = (b'A'..=b'Z').chain(b'0'..=b'9');
            seconds.map(move |b| ([a, b], row[usize::from(b & 0x3F)]))
        });
        for (name, count) in one.chain(two) {
            let ident = Ident::from_raw(if name[1] == 0 { &name[..1] } else { &name });
            if let (Some(ident), 1..) = (ident, count) {
                *counts.entry(ident).or_default() += count;
            }
        }
        rank(counts.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use sgf_stream::Deliver;

    use super::*;

    #[test]
    fn names_beyond_the_capacity_share_a_count() {
        let mut tally: Tally<String> = Tally::new(2);
        for name in ["b", "a", "c", "a", "d"] {
            tally.add(name, 1);
        }
        assert_eq!(tally.ranking(), [("a".to_owned(), 2), ("b".to_owned(), 1)]);
        assert_eq!(tally.others(), 2);
    }

    #[test]
    fn merged_counts_equal_those_of_the_whole() {
        let names = ["b", "a", "c", "a", "d", "c", "e", "b", "e", "a", "f", "d"];
        for capacity in 0..8 {
            let mut whole: Tally<String> = Tally::new(capacity);
            for name in names {
                whole.add(name, 1);
            }
            for cut in 0..=names.len() {
                for end in cut..=names.len() {
                    let mut merged: Tally<String> = Tally::new(capacity);
                    for part in [&names[..cut], &names[cut..end], &names[end..]] {
                        let mut later = Tally::new(usize::MAX);
                        for name in part {
                            later.add(*name, 1);
                        }
                        merged.merge(later);
                    }
                    assert_eq!(merged.ranking(), whole.ranking(), "{capacity} names, cut at {cut} and {end}");
                    assert_eq!(merged.others(), whole.others());
                }
            }
        }
    }

    #[test]
    fn identifiers_are_counted_by_their_canonical_name() {
        struct Tallied(Idents);
        impl sgf_stream::Visitor for Tallied {
            type Break = std::convert::Infallible;
            fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
                self.0.add(&property);
                ControlFlow::Continue(Deliver::Skip)
            }
        }
        let mut count = Tallied(Idents::new(Idents::CAPACITY));
        let game = b"(;A[]Z[]AZ[]ZA[]P0[]Z9[]P0[]CoPyright[]CP[]MULTIGOGM[]5A[]Zz[]abc[]a[]z[]z[]z[]0[])";
        let _ = sgf_stream::read_slice(game, &mut count).unwrap();
        let ranking: Vec<_> = count.0.ranking().iter().map(|(ident, count)| format!("{ident} {count}")).collect();
        assert_eq!(
            ranking,
            ["z 3", "CP 2", "P0 2", "Z 2", "0 1", "5A 1", "A 1", "AZ 1", "MULTIGOGM 1", "Z9 1", "ZA 1", "a 1", "abc 1"]
        );
    }
}
