//! From inside a game to a `)` that matters, 64 bytes at a time.
//!
//! Inside a game the lexer has so little state that whole blocks can be read with arithmetic. Which bytes lie inside a
//! value is one addition over the bit masks of `[` and unescaped `]`. Parentheses outside values need only a count,
//! unless depth can run out in the block. They are counted in every block, because no processor predicts which blocks
//! have some: checking for them first is 8 % faster if few blocks have some, but takes a third longer in trees.
//! [`Skip`] is what is known between two blocks. [`skip_bytes`] does the same byte by byte: it is the specification,
//! and reads the tail of every chunk.

use super::block::{self, BLOCK, Block, Task};
use super::escaped_bytes;
use super::lines::LineEnds;

/// What is known between two bytes of a game that is skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::syntax) struct Skip {
    /// Inside a value.
    pub(in crate::syntax) quoted: bool,
    /// Inside a value, after a backslash.
    pub(in crate::syntax) escaped: bool,
    /// Trees opened and not closed.
    pub(in crate::syntax) depth: u64,
}

/// The first `)` outside a value that closes no tree opened in `bytes` or counted in `skip.depth`; and the line ends before
/// it, or in all of `bytes`. `after_cr`: a CR stands right before these.
///
/// Lines are counted here, and not in a second pass, because both passes would wait for the same loads.
pub(in crate::syntax) fn skip(bytes: &[u8], skip: &mut Skip, after_cr: bool) -> (Option<usize>, LineEnds) {
    block::run(SkipBlocks { bytes, skip, after_cr })
}

/// Byte by byte.
fn skip_bytes(bytes: &[u8], skip: &mut Skip) -> Option<usize> {
    for (at, &byte) in bytes.iter().enumerate() {
        if skip.escaped {
            skip.escaped = false;
        } else if skip.quoted {
            skip.quoted = byte != b']';
            skip.escaped = byte == b'\\';
        } else {
            match byte {
                b'[' => skip.quoted = true,
                b'(' => skip.depth += 1,
                b')' if skip.depth == 0 => return Some(at),
                b')' => skip.depth -= 1,
                _ => {}
            }
        }
    }
    None
}

struct SkipBlocks<'a> {
    bytes: &'a [u8],
    skip: &'a mut Skip,
    after_cr: bool,
}

impl Task for SkipBlocks<'_> {
    type Output = (Option<usize>, LineEnds);

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Self::Output {
        // A copy in registers: through the reference, each block would wait for the stores of the one before.
        let mut state = *self.skip;
        let mut ends = LineEnds::new(self.after_cr);
        let (blocks, tail) = self.bytes.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            let start = number * BLOCK;
            let outside = !inside(kernel, block, kernel.eq(block, b'\\'), &mut state);
            let opens = kernel.eq(block, b'(') & outside;
            let closes = kernel.eq(block, b')') & outside;
            let count = u64::from(closes.count_ones());
            if count > state.depth
                && let Some(found) = run_out(opens, closes, state.depth)
            {
                ends.add(kernel, block, start, (1 << found) - 1);
                *self.skip = Skip::default();
                return (Some(start + found), ends);
            }
            state.depth = state.depth + u64::from(opens.count_ones()) - count;
            ends.add(kernel, block, start, u64::MAX);
        }
        *self.skip = state;
        let start = blocks.len() * BLOCK;
        let found = skip_bytes(tail, self.skip);
        ends.add_tail(kernel, &tail[..found.unwrap_or(tail.len())], start);
        (found.map(|found| start + found), ends)
    }
}

/// The `)` of a block at which no tree is open that it could close.
fn run_out(opens: u64, mut closes: u64, depth: u64) -> Option<usize> {
    let mut earlier = 0;
    while closes != 0 {
        let before = (closes & closes.wrapping_neg()) - 1;
        if depth + u64::from((opens & before).count_ones()) == earlier {
            return Some(closes.trailing_zeros() as usize);
        }
        earlier += 1;
        closes &= closes - 1;
    }
    None
}

/// The bytes of the block that lie inside a value, the closing `]` included. Moves `skip` to the block's end, except
/// for the depth.
///
/// Adding the mask of `[` to that of all bytes but the closing ones lets a carry run from each `[` to its `]`: a byte that a
/// carry enters is inside. A backslash outside a value shields nothing that matters, because a `]` there is ignored anyway.
#[inline(always)]
fn inside<B: Block>(kernel: B, block: &[u8; BLOCK], backslashes: u64, skip: &mut Skip) -> u64 {
    let escaped = escaped_bytes(backslashes, &mut skip.escaped);
    let open = kernel.eq(block, b'[');
    let stay = !(kernel.eq(block, b']') & !escaped);
    let (sum, first) = open.overflowing_add(stay);
    let (sum, second) = sum.overflowing_add(u64::from(skip.quoted));
    skip.quoted = first | second;
    skip.escaped &= skip.quoted;
    sum ^ open ^ stay
}

#[cfg(test)]
mod tests {
    use super::super::lines::line_ends;
    use super::*;
    use crate::testing::Rng;

    /// Random syntax, with occasional long runs of one byte.
    fn noise(len: usize, seed: u64) -> Vec<u8> {
        let mut rng = Rng::new(seed);
        let mut bytes = Vec::new();
        while bytes.len() < len {
            match rng.below(12) {
                0 => bytes.extend(std::iter::repeat_n(b'a', rng.below(90))),
                1 => bytes.extend(std::iter::repeat_n(b'\\', rng.below(70))),
                number => bytes.push(b"[]\r\n\\(())\n;x"[number]),
            }
        }
        bytes.truncate(len);
        bytes
    }

    /// The task with its own state, to be run on each kernel.
    struct Skipped<'a> {
        bytes: &'a [u8],
        skip: Skip,
    }

    impl Task for Skipped<'_> {
        type Output = (Option<usize>, LineEnds, Skip);

        #[inline(always)]
        fn run<B: Block>(mut self, kernel: B) -> Self::Output {
            let after_cr = self.skip.depth > 1;
            let (found, ends) = SkipBlocks { bytes: self.bytes, skip: &mut self.skip, after_cr }.run(kernel);
            (found, ends, self.skip)
        }
    }

    fn starts() -> impl Iterator<Item = Skip> {
        let states = [(false, false), (true, false), (true, true)];
        states.into_iter().flat_map(|(quoted, escaped)| [0, 1, 3, 70].map(|depth| Skip { quoted, escaped, depth }))
    }

    #[test]
    fn every_kernel_agrees_with_a_plain_loop() {
        for seed in 0..400 {
            let noise = noise(64 + seed as usize % 300, seed);
            for from in 0..noise.len().min(67) {
                let bytes = &noise[from..];
                for start in starts() {
                    let mut slow = start;
                    let expected = skip_bytes(bytes, &mut slow);
                    let fast = block::run_all(|| Skipped { bytes, skip: start });
                    let lines = line_ends(&bytes[..expected.unwrap_or(bytes.len())], start.depth > 1);
                    for (kernel, (found, ends, after)) in fast {
                        assert_eq!((ends.count, ends.last), (lines.count, lines.last), "{kernel} {bytes:?}");
                        assert_eq!(found, expected, "{kernel} {start:?} {bytes:?}");
                        assert_eq!(after, slow, "{kernel} {start:?} {bytes:?}");
                    }
                }
            }
        }
    }
}
