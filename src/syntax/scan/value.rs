//! From inside a value to its end, 64 bytes at a time.
//!
//! Owns the search that finds the end, counts lines on the way and tells whether all was ASCII. Refuses to know charsets: a
//! backslash escapes the byte behind it.

use super::block::{self, BLOCK, Block, Task};
use super::lines::LineEnds;
use super::{escaped_bytes, find_close};

/// Where a value ends, and what is known about the bytes before.
pub(in crate::syntax) struct ValueEnd {
    /// The first `]` without a backslash before it.
    pub(in crate::syntax) close: Option<usize>,
    /// The line ends before that `]`, or in all of the bytes if there is none.
    pub(in crate::syntax) ends: LineEnds,
    /// All bytes before that `]` are ASCII, or all bytes if there is none.
    pub(in crate::syntax) ascii: bool,
    /// There may be a backslash before that `]`.
    pub(in crate::syntax) escapes: bool,
}

/// Searches for the end of the value in which the bytes begin. `escaped`: the first byte is literal; afterwards, if
/// there is no end, whether the next byte is. `after_cr`: a CR stands right before `bytes`.
pub(in crate::syntax) fn value_end(bytes: &[u8], escaped: &mut bool, after_cr: bool) -> ValueEnd {
    block::run(Search { bytes, escaped, after_cr })
}

struct Search<'a> {
    bytes: &'a [u8],
    escaped: &'a mut bool,
    after_cr: bool,
}

impl Task for Search<'_> {
    type Output = ValueEnd;

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Self::Output {
        let mut escaped = u64::from(*self.escaped);
        let mut ends = LineEnds::new(self.after_cr);
        let (mut high, mut hiding) = (0, 0);
        let (blocks, tail) = self.bytes.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            let start = number * BLOCK;
            if escaped == 0 && kernel.is_odd(block) == 0 {
                // Most blocks of a comment.
                ends.add_lf(kernel, block, start);
                continue;
            }
            let backslashes = kernel.eq(block, b'\\');
            let literal = escaped_bytes(backslashes, &mut escaped);
            let closes = kernel.eq(block, b']') & !literal;
            let before = (closes & closes.wrapping_neg()).wrapping_sub(1);
            high |= kernel.is_high(block) & before;
            hiding |= backslashes & before;
            ends.add(kernel, block, start, before);
            if closes != 0 {
                *self.escaped = false;
                let close = Some(start + closes.trailing_zeros() as usize);
                return ValueEnd { close, ends, ascii: high == 0, escapes: hiding != 0 };
            }
        }
        let start = blocks.len() * BLOCK;
        *self.escaped = escaped != 0;
        let close = find_close(tail, self.escaped);
        let tail = &tail[..close.unwrap_or(tail.len())];
        ends.add_tail(kernel, tail, start);
        ValueEnd {
            close: close.map(|close| start + close),
            ends,
            ascii: high == 0 && tail.is_ascii(),
            // Where the bytes end soon, it is not worth a search.
            escapes: hiding != 0 || !tail.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::line_ends;
    use super::*;
    use crate::testing::Rng;

    /// The task with its own state, to be run on each kernel.
    struct Found<'a> {
        bytes: &'a [u8],
        escaped: bool,
    }

    impl Task for Found<'_> {
        type Output = (ValueEnd, bool);

        #[inline(always)]
        fn run<B: Block>(mut self, kernel: B) -> Self::Output {
            let after_cr = self.bytes.len().is_multiple_of(2);
            let found = Search { bytes: self.bytes, escaped: &mut self.escaped, after_cr }.run(kernel);
            (found, self.escaped)
        }
    }

    #[test]
    fn every_kernel_agrees_with_a_plain_search_and_count() {
        for seed in 1..600_u64 {
            let mut rng = Rng::new(seed);
            let bytes: Vec<u8> = (0..70 + seed % 150)
                .map(|_| {
                    let alphabet = b"]\\\\\\\r\n\nabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
                    alphabet[rng.below(4 + seed as usize % 50)]
                })
                .map(|byte| if byte == b']' && seed % 3 != 0 { b'x' } else { byte })
                .map(|byte| if byte == b'z' && seed % 2 != 0 { 0xE9 } else { byte })
                .enumerate()
                // For some seeds most blocks contain nothing special.
                .map(|(i, byte)| if seed % 4 == 0 && (i as u64 ^ seed) % 61 > 1 && byte != b'\n' { b'y' } else { byte })
                .collect();
            for from in 0..66 {
                for escaped in [false, true] {
                    let bytes = &bytes[from..];
                    let mut after = escaped;
                    let expected = find_close(bytes, &mut after);
                    let value = &bytes[..expected.unwrap_or(bytes.len())];
                    let lines = line_ends(value, bytes.len().is_multiple_of(2));
                    for (kernel, (ValueEnd { close, ends, ascii, escapes }, dangling)) in
                        block::run_all(|| Found { bytes, escaped })
                    {
                        assert_eq!((close, dangling), (expected, after), "{kernel} {escaped} {bytes:?}");
                        assert_eq!((ends.count, ends.last), (lines.count, lines.last), "{kernel} {bytes:?}");
                        assert_eq!(ascii, value.is_ascii(), "{kernel} {bytes:?}");
                        assert!(escapes || !value.contains(&b'\\'), "{kernel} {bytes:?}");
                    }
                }
            }
        }
    }
}
