//! Tables by property identifier: a lookup for every property of every game must not need a search.
//!
//! Owns the numbers of the identifiers of one or two capital letters, which are nearly all there are.

use crate::syntax::Ident;
use crate::syntax::ident::{TABLE_LEN, table_index};

/// How many numbers there are.
pub(super) const COUNT: usize = TABLE_LEN;

/// The number of an identifier of one or two capital letters.
#[inline]
pub(super) const fn number(ident: Ident) -> Option<usize> {
    match ident.head() {
        [first, 0, 0] => number_of(&[first]),
        [first, second, 0] => number_of(&[first, second]),
        _ => None,
    }
}

/// The same for an identifier as it is written.
#[inline]
pub(super) const fn number_of(raw: &[u8]) -> Option<usize> {
    match *raw {
        [first @ b'A'..=b'Z'] => Some(table_index(first, 0)),
        [first @ b'A'..=b'Z', second @ b'A'..=b'Z'] => Some(table_index(first, second)),
        _ => None,
    }
}

/// All identifiers that have a number.
pub(super) fn all() -> impl Iterator<Item = Ident> {
    let seconds = || (b'A'..=b'Z').map(Some).chain([None]);
    let names = (b'A'..=b'Z').flat_map(move |first| seconds().map(move |second| (first, second)));
    names.filter_map(|(first, second)| match second {
        Some(second) => Ident::from_raw(&[first, second]),
        None => Ident::from_raw(&[first]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_identifiers_have_distinct_numbers() {
        let mut numbers: Vec<_> = all().map(|ident| number(ident).unwrap()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 26 * 27);
        assert!(numbers.last().is_some_and(|&last| last < COUNT));
    }

    #[test]
    fn other_identifiers_have_no_number() {
        for name in ["ABC", "1A", "A1", "abc", "MULTIGOGM"] {
            assert_eq!(number(name.parse().unwrap()), None, "{name}");
        }
    }
}
