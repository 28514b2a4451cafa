//! Tables of many words and what they mean.
//!
//! Invariant: a table is sorted by the first characters of its words, which is done and checked when it is compiled. So it can be
//! written in the order in which a person reads it, and a search looks only at the words that can be meant. Refuses to know how
//! words are spelled in a text.

/// A table of words and their meanings, sorted by the first characters. Results alone know more than 400 words, and look
/// several times for one of them.
pub(super) struct Words<T: 'static>(&'static [(&'static str, T)]);

impl<T> Words<T> {
    /// Panics, when it is compiled, if the words are not [`sorted`].
    pub(super) const fn new(words: &'static [(&'static str, T)]) -> Self {
        let mut at = 1;
        while at < words.len() {
            assert!(first(words[at - 1].0) <= first(words[at].0));
            at += 1;
        }
        Self(words)
    }

    pub(super) fn that_begin_with(&self, c: char) -> &'static [(&'static str, T)] {
        let c = first(c.encode_utf8(&mut [0; 4]));
        let from = self.0.partition_point(|(word, _)| first(word) < c);
        let behind = &self.0[from..];
        &behind[..behind.partition_point(|(word, _)| first(word) == c)]
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &'static (&'static str, T)> {
        self.0.iter()
    }
}

/// The words of several tables, which have `N` together.
pub(super) const fn joined<T: Copy, const N: usize>(tables: &[&[(&'static str, T)]]) -> [(&'static str, T); N] {
    let mut all = [tables[0][0]; N];
    let (mut table, mut at, mut len) = (0, 0, 0);
    while table < tables.len() {
        if at == tables[table].len() {
            (table, at) = (table + 1, 0);
        } else {
            all[len] = tables[table][at];
            (at, len) = (at + 1, len + 1);
        }
    }
    assert!(len == N);
    all
}

/// The words in the order of their first characters. The compiler takes only so many steps, so each is looked at once.
pub(super) const fn sorted<T: Copy, const N: usize>(mut words: [(&'static str, T); N]) -> [(&'static str, T); N] {
    let mut firsts = [0; N];
    let mut end = 0;
    while end < N {
        let (word, first, mut at) = (words[end], first(words[end].0), end);
        while at > 0 && firsts[at - 1] > first {
            (words[at], firsts[at]) = (words[at - 1], firsts[at - 1]);
            at -= 1;
        }
        (words[at], firsts[at]) = (word, first);
        end += 1;
    }
    words
}

/// The bytes of the first character, as a number that orders characters as they are numbered; 0 without any.
const fn first(word: &str) -> u32 {
    match *word.as_bytes() {
        [a @ 0xF0..=0xFF, b, c, d, ..] => u32::from_be_bytes([a, b, c, d]),
        [a @ 0xE0..=0xFF, b, c, ..] => u32::from_be_bytes([a, b, c, 0]),
        [a @ 0xC0..=0xFF, b, ..] => u32::from_be_bytes([a, b, 0, 0]),
        [a, ..] => u32::from_be_bytes([a, 0, 0, 0]),
        [] => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::info::scan::Scan;

    #[test]
    fn a_word_is_found_in_a_table_of_many_wherever_it_was_put() {
        const WORDS: Words<u8> = Words::new(&sorted([
            ("胜", 0),
            ("b", 1),
            ("é", 2),
            ("黑", 3),
            ("bb", 4),
            ("a", 5),
            ("𝒃", 6),
            ("黑胜", 7),
            ("è", 8),
            ("", 9),
            ("", 10),
            ("~", 11),
        ]));
        for &(word, meaning) in WORDS.iter().filter(|(word, _)| !word.is_empty()) {
            assert_eq!(Scan::new(word).eat_word(&WORDS), Some(meaning), "{word}");
        }
        for other in ["", "c", "ê", "白", "Z", "𝒄"] {
            assert_eq!(Scan::new(other).eat_word(&WORDS), None, "{other}");
        }
    }
}
