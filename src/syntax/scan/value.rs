//! From inside a value to its end, 64 bytes at a time.

use super::block::{self, BLOCK, Block, Task};
use super::lines::LineEnds;
use super::{escaped_bytes, find_close};

/// The `]` that no backslash stands before, and the line ends before it, or in all of `bytes`. `escaped`: the first byte is
/// literal; afterwards, if there is no such `]`, whether the next one is. `after_cr`: a CR stands right before `bytes`.
pub(in crate::syntax) fn value_end(bytes: &[u8], escaped: &mut bool, after_cr: bool) -> (Option<usize>, LineEnds) {
    block::run(ValueEnd { bytes, escaped, after_cr })
}

struct ValueEnd<'a> {
    bytes: &'a [u8],
    escaped: &'a mut bool,
    after_cr: bool,
}

impl Task for ValueEnd<'_> {
    type Output = (Option<usize>, LineEnds);

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Self::Output {
        let mut escaped = *self.escaped;
        let mut ends = LineEnds::new(self.after_cr);
        let (blocks, tail) = self.bytes.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            let start = number * BLOCK;
            let rare = kernel.is_rare(block);
            let backslashes = if rare == 0 { 0 } else { kernel.eq(block, b'\\') };
            let literal = escaped_bytes(backslashes, &mut escaped);
            let closes = kernel.eq(block, b']') & !literal;
            let found = closes.trailing_zeros();
            if rare == backslashes {
                ends.none();
            } else {
                ends.add(kernel, block, start, 1_u64.checked_shl(found).map_or(u64::MAX, |bit| bit - 1));
            }
            if closes != 0 {
                *self.escaped = false;
                return (Some(start + found as usize), ends);
            }
        }
        let start = blocks.len() * BLOCK;
        *self.escaped = escaped;
        let found = find_close(tail, self.escaped);
        ends.add_tail(kernel, &tail[..found.unwrap_or(tail.len())], start);
        (found.map(|found| start + found), ends)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::line_ends;
    use super::*;

    /// The task with a state of its own, to be run on each kernel.
    struct Found<'a> {
        bytes: &'a [u8],
        escaped: bool,
    }

    impl Task for Found<'_> {
        type Output = (Option<usize>, LineEnds, bool);

        #[inline(always)]
        fn run<B: Block>(mut self, kernel: B) -> Self::Output {
            let after_cr = self.bytes.len().is_multiple_of(2);
            let (found, ends) = ValueEnd { bytes: self.bytes, escaped: &mut self.escaped, after_cr }.run(kernel);
            (found, ends, self.escaped)
        }
    }

    #[test]
    fn every_kernel_finds_what_a_search_and_a_count_find() {
        for seed in 1..600_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let bytes: Vec<u8> = (0..70 + seed % 150)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    b"]\\\\\\\r\n\nabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
                        [(state % (4 + seed % 50)) as usize]
                })
                .map(|byte| if byte == b']' && seed % 3 != 0 { b'x' } else { byte })
                .collect();
            for from in 0..66 {
                for escaped in [false, true] {
                    let bytes = &bytes[from..];
                    let mut after = escaped;
                    let expected = find_close(bytes, &mut after);
                    let lines = line_ends(&bytes[..expected.unwrap_or(bytes.len())], bytes.len().is_multiple_of(2));
                    for (kernel, (found, ends, dangling)) in block::run_all(|| Found { bytes, escaped }) {
                        assert_eq!((found, dangling), (expected, after), "{kernel} {escaped} {bytes:?}");
                        assert_eq!((ends.count, ends.last), (lines.count, lines.last), "{kernel} {bytes:?}");
                    }
                }
            }
        }
    }
}
