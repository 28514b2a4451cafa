//! Counting by name in bounded memory.
//!
//! Owns [`Tally`] for names that are few in every honest archive, and [`Idents`] for property identifiers.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use sgf_stream::{Ident, Property};

/// Counts of names. When there are too many different ones, the further ones share one count: hostile input may have
/// millions.
#[derive(Debug)]
pub(crate) struct Tally<K> {
    counts: HashMap<K, u64>,
    capacity: usize,
    others: u64,
}

impl<K: Eq + Hash + Ord + Clone> Tally<K> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { counts: HashMap::new(), capacity, others: 0 }
    }

    pub(crate) fn add<Q>(&mut self, name: &Q)
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(count) = self.counts.get_mut(name) {
            *count += 1;
        } else if self.counts.len() < self.capacity {
            self.counts.insert(name.to_owned(), 1);
        } else {
            self.others += 1;
        }
    }

    /// What was counted without a name of its own.
    pub(crate) fn others(&self) -> u64 {
        self.others
    }

    /// The names and their counts, the commonest first.
    pub(crate) fn ranking(&self) -> Vec<(K, u64)> {
        rank(self.counts.iter().map(|(name, &count)| (name.clone(), count)))
    }
}

fn rank<K: Ord>(counts: impl Iterator<Item = (K, u64)>) -> Vec<(K, u64)> {
    let mut ranking: Vec<(K, u64)> = counts.collect();
    ranking.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranking
}

/// Counts of property identifiers. Nearly all are one or two upper-case letters, for which a table serves.
#[derive(Debug)]
pub(crate) struct Idents {
    short: Box<[u64; Self::SHORT]>,
    long: Tally<Ident>,
}

impl Idents {
    /// Rows for the first letter; columns for none, and for the second letter.
    const SHORT: usize = 26 * 27;

    /// Different identifiers beyond the table. All public archives together have a few hundred.
    pub(crate) const CAPACITY: usize = 10_000;

    pub(crate) fn new() -> Self {
        Self { short: Box::new([0; Self::SHORT]), long: Tally::new(Self::CAPACITY) }
    }

    #[inline]
    pub(crate) fn add(&mut self, property: &Property<'_>) {
        let index = match *property.raw() {
            [a] if a.is_ascii_uppercase() => usize::from(a - b'A') * 27,
            [a, b] if a.is_ascii_uppercase() && b.is_ascii_uppercase() => {
                usize::from(a - b'A') * 27 + usize::from(b - b'A') + 1
            }
            _ => return self.add_long(property.ident()),
        };
        self.short[index] += 1;
    }

    /// The canonical name may still be short, as that of `CoPyright` is.
    #[cold]
    fn add_long(&mut self, ident: Ident) {
        self.long.add(&ident);
    }

    /// Properties whose identifier has no count of its own.
    pub(crate) fn others(&self) -> u64 {
        self.long.others()
    }

    /// The identifiers and their counts, the commonest first.
    pub(crate) fn ranking(&self) -> Vec<(Ident, u64)> {
        let mut counts = self.long.counts.clone();
        for (index, &count) in self.short.iter().enumerate() {
            if count > 0 {
                let letter = |number: usize| b'A' + (number % 26) as u8;
                let (first, second) = (letter(index / 27), index % 27);
                let raw = [first, letter(second.wrapping_sub(1).min(25))];
                if let Some(ident) = Ident::from_raw(if second == 0 { &raw[..1] } else { &raw }) {
                    *counts.entry(ident).or_default() += count;
                }
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
            tally.add(name);
        }
        assert_eq!(tally.ranking(), [("a".to_owned(), 2), ("b".to_owned(), 1)]);
        assert_eq!(tally.others(), 2);
    }

    #[test]
    fn identifiers_are_counted_by_their_canonical_name() {
        struct Count(Idents);
        impl sgf_stream::Visitor for Count {
            type Break = std::convert::Infallible;
            fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
                self.0.add(&property);
                ControlFlow::Continue(Deliver::Skip)
            }
        }
        let mut count = Count(Idents::new());
        let game = b"(;A[]Z[]AZ[]ZA[]CoPyright[]CP[]MULTIGOGM[]5A[]Zz[]abc[])";
        let _ = sgf_stream::read_slice(game, &mut count).unwrap();
        let ranking: Vec<_> = count.0.ranking().iter().map(|(ident, count)| format!("{ident} {count}")).collect();
        assert_eq!(ranking, ["CP 2", "Z 2", "5A 1", "A 1", "AZ 1", "MULTIGOGM 1", "ZA 1", "abc 1"]);
    }
}
