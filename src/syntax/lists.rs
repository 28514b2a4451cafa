//! Where lists of values end, for searches at many places of one text.
//!
//! Owns what was found by the last few searches. Invariant: the answer is that of a search that knows nothing. A search
//! that comes to the `[` of an earlier one is in the same state as that one right after it, whether the bracket starts
//! a value, is data, or is escaped. Without this, a text in which one long list follows every few bytes would be read a
//! thousand times.

use memchr::memchr2;

use crate::syntax::scan;
use crate::text::white::is_white;

/// How many lists are remembered: as many as are examined from one place.
const KNOWN: usize = 6;

/// How many bytes of a list may be read over and over.
const SHORT: usize = 128;

/// How far the byte rules were applied from a `[` on.
#[derive(Clone, Copy, Debug)]
struct List {
    open: u64,
    /// The offset up to which it was read.
    at: u64,
    lex: Lex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lex {
    Between,
    Value,
    Escaped,
    /// The list has ended: no value begins at `at`.
    Ended,
}

/// The lists that were read last, the latest first.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    known: [List; KNOWN],
    /// None of them was read beyond this offset.
    reach: u64,
}

impl Default for Lists {
    fn default() -> Self {
        Self { known: [List { open: u64::MAX, at: u64::MAX, lex: Lex::Ended }; KNOWN], reach: 0 }
    }
}

impl Lists {
    /// The first byte after the list whose `[` these bytes begin with, and after white space; `None` if they have no
    /// such byte. `offset`: that of the `[`, in the text that all searches are about.
    #[inline]
    pub(crate) fn end(&mut self, offset: u64, bytes: &[u8]) -> Option<usize> {
        short_end(bytes).or_else(|| self.end_of_long(offset, bytes))
    }

    fn end_of_long(&mut self, offset: u64, bytes: &[u8]) -> Option<usize> {
        if offset >= self.reach {
            // No known list helps, as is usual when looking ahead from place to place.
            let mut list = List { open: offset, at: offset + 1, lex: Lex::Value };
            list.read(bytes.get(1..)?);
            self.known.copy_within(..KNOWN - 1, 1);
            self.known[0] = list;
            self.reach = list.at;
            return list.end(offset, bytes);
        }
        let covering = self.known.iter().position(|list| list.open <= offset && offset < list.at);
        let index = covering.unwrap_or(KNOWN - 1);
        if covering.is_none() {
            self.known[index] = List { open: offset, at: offset + 1, lex: Lex::Value };
        }
        self.known[..=index].rotate_right(1);
        let [list, others @ ..] = &mut self.known;
        while list.lex != Lex::Ended {
            let from = usize::try_from(list.at - offset).ok()?;
            let ahead = others.iter().filter(|other| other.open >= list.at).min_by_key(|other| other.open);
            let reach = ahead.map_or(bytes.len() as u64, |other| other.open - offset);
            let reach = usize::try_from(reach).map_or(bytes.len(), |reach| reach.min(bytes.len()));
            list.read(bytes.get(from..reach)?);
            if let Some(other) = ahead
                && list.at == other.open
                && list.lex != Lex::Ended
                && reach < bytes.len()
            {
                (list.at, list.lex) = (other.at, other.lex);
            } else if reach == bytes.len() {
                break;
            }
        }
        self.reach = self.reach.max(list.at);
        list.end(offset, bytes)
    }
}

impl List {
    /// Where the list ends in the bytes that begin at `offset`, if it does.
    fn end(&self, offset: u64, bytes: &[u8]) -> Option<usize> {
        let end = usize::try_from(self.at - offset).ok()?;
        (self.lex == Lex::Ended && end < bytes.len()).then_some(end)
    }

    fn read(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            self.lex = match self.lex {
                Lex::Between => match byte {
                    b'[' => match bytes[at..].first_chunk() {
                        Some(window) if scan::is_point_value(window) => {
                            at += scan::POINT + 1;
                            Lex::Between
                        }
                        _ => Lex::Value,
                    },
                    byte if is_white(byte) => Lex::Between,
                    _ => {
                        self.lex = Lex::Ended;
                        break;
                    }
                },
                Lex::Value => {
                    let Some(next) = find_end(&bytes[at..]) else {
                        at = bytes.len();
                        break;
                    };
                    at += next;
                    if bytes[at] == b']' { Lex::Between } else { Lex::Escaped }
                }
                Lex::Escaped => Lex::Value,
                Lex::Ended => break,
            };
            at += 1;
        }
        self.at += at as u64;
    }
}

/// Where a list of short values ends, if that is soon, and nothing stands between the values: most lists are read again
/// more cheaply than remembered.
#[inline]
fn short_end(bytes: &[u8]) -> Option<usize> {
    let end = 2 + scan::list_end(bytes.get(1..bytes.len().min(SHORT))?)?;
    bytes.get(end).is_some_and(|&next| next != b'[' && !is_white(next)).then_some(end)
}

/// The first `]` or backslash. Most values are short, and a call of memchr for each would cost more than they do.
#[inline]
fn find_end(bytes: &[u8]) -> Option<usize> {
    match bytes.first_chunk().map(scan::close_or_escape) {
        Some(Some(near)) => Some(near),
        _ => memchr2(b']', b'\\', bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    /// The specification.
    fn naive(bytes: &[u8]) -> Option<usize> {
        let (mut quoted, mut escaped) = (false, false);
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b']' if quoted => quoted = false,
                b'[' => quoted = true,
                _ if quoted || is_white(byte) => {}
                _ => return Some(at),
            }
        }
        None
    }

    fn texts() -> impl Iterator<Item = Vec<u8>> {
        (0..300).map(|seed| {
            let mut rng = Rng::new(seed);
            (0..80).map(|_| rng.pick(b"[[]]\\\\ \x0B(A")).collect()
        })
    }

    #[test]
    fn the_end_of_a_long_list_is_remembered() {
        let text = format!("[{}]\n[(;A[x][y\\](;B[z]] ;", "(;A[b]".repeat(20));
        let mut lists = Lists::default();
        for open in memchr::memchr_iter(b'[', text.as_bytes()) {
            let bytes = &text.as_bytes()[open..];
            assert_eq!(lists.end(open as u64, bytes), naive(bytes), "at {open}");
        }
    }

    #[test]
    fn answers_do_not_depend_on_earlier_questions() {
        for text in texts() {
            let opens: Vec<usize> = memchr::memchr_iter(b'[', &text).collect();
            let backward: Vec<usize> = opens.iter().rev().copied().collect();
            let both: Vec<usize> = opens.iter().zip(&backward).flat_map(|(&a, &b)| [a, b]).collect();
            for order in [&opens, &backward, &both] {
                for reach in [5, 20, 80] {
                    let mut lists = Lists::default();
                    for &open in order {
                        let bytes = &text[open..(open + reach).min(text.len())];
                        // Few of these lists are longer than what is read again without remembering.
                        let ends = [lists.end_of_long(open as u64, bytes), lists.end(open as u64, bytes)];
                        assert_eq!(ends, [naive(bytes); 2], "{} at {open}", text.escape_ascii());
                    }
                }
            }
        }
    }

    #[test]
    fn more_bytes_continue_the_search() {
        for text in texts() {
            let mut lists = Lists::default();
            for len in 1..=text.len() {
                for open in memchr::memchr_iter(b'[', &text[..len]) {
                    let bytes = &text[open..len];
                    let ends = [lists.end_of_long(open as u64, bytes), lists.end(open as u64, bytes)];
                    assert_eq!(ends, [naive(bytes); 2], "{} at {open}", text.escape_ascii());
                }
            }
        }
    }
}
