//! From inside a game to a `)` that matters, 64 bytes at a time.
//!
//! Inside a game the lexer has so little state that whole blocks can be read with arithmetic. Which bytes lie inside a
//! value is one subtraction of the bit masks of `[` and unescaped `]`. Parentheses outside values need only a count,
//! unless depth can run out in the block. [`Skip`] is what is known between two blocks. [`skip_bytes`] does the same
//! byte by byte: it is the specification, and reads the tail of every chunk.
//!
//! Moving a mask to where it can be counted takes longer than making it. So blocks are first asked whether they have
//! backslashes, CR or parentheses at all, until the answer becomes hard to predict.
//!
//! Owns [`Skip`]. Refuses to know where in a skipped game reading may have to go on: that is for the engine.

use super::block::{self, BLOCK, Block, Task};
use super::escaped_bytes;
use super::lines::{Counter, LineEnds};

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
        // Copies in registers: through the reference, each block would wait for the stores of the one before.
        let Skip { quoted, escaped, depth } = *self.skip;
        let (quoted, has_trees, ends) = (u64::from(quoted), depth > 0, Counter::new(self.after_cr));
        let mut state = State { quoted, depth, has_trees, ends };
        let mut escaped = u64::from(escaped);
        let mut has_cr = self.after_cr;
        let (blocks, tail) = self.bytes.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            let found = if escaped == 0 && !has_cr && !kernel.has_either(block, b'\\', b'\r') {
                state.pass(kernel, block, number, 0, 0)
            } else {
                let cr = kernel.eq(block, b'\r');
                // If one line ends with a CR, others do, and which blocks have one, the branch predictor cannot learn.
                has_cr |= cr != 0;
                let literal = escaped_bytes(kernel.eq(block, b'\\'), &mut escaped);
                state.pass(kernel, block, number, literal, cr)
            };
            if let Some(found) = found {
                *self.skip = Skip::default();
                let start = number * BLOCK;
                let mut ends = state.ends.ends(kernel, blocks);
                ends.add(kernel, block, start, (1 << found) - 1);
                return (Some(start + found), ends);
            }
        }
        let quoted = state.quoted != 0;
        *self.skip = Skip { quoted, escaped: quoted && escaped != 0, depth: state.depth };
        let found = skip_bytes(tail, self.skip);
        let start = blocks.len() * BLOCK;
        let mut ends = state.ends.ends(kernel, blocks);
        ends.add_tail(kernel, &tail[..found.unwrap_or(tail.len())], start);
        (found.map(|found| start + found), ends)
    }
}

/// What is known between two blocks.
struct State {
    /// 1 inside a value, else 0.
    quoted: u64,
    depth: u64,
    /// A tree has begun inside the game.
    has_trees: bool,
    ends: Counter,
}

impl State {
    /// Passes a block of which these are the bytes behind a backslash, and the CR. If the `)` that is searched for is in
    /// the block, returns its index and stays before the block. Compiled twice, because most blocks have neither.
    #[inline(always)]
    fn pass<B: Block>(
        &mut self,
        kernel: B,
        block: &[u8; BLOCK],
        number: usize,
        literal: u64,
        cr: u64,
    ) -> Option<usize> {
        let inside = inside(kernel.eq(block, b'['), kernel.eq(block, b']') & !literal, &mut self.quoted);
        // As for CR: most games have no variations, and in one that has, most blocks have some.
        if self.has_trees || kernel.has_either(block, b'(', b')') {
            let opens = kernel.eq(block, b'(') & !inside;
            let closes = kernel.eq(block, b')') & !inside;
            let count = u64::from(closes.count_ones());
            if count > self.depth
                && let Some(found) = run_out(opens, closes, self.depth)
            {
                return Some(found);
            }
            self.depth = self.depth + u64::from(opens.count_ones()) - count;
            self.has_trees |= opens != 0;
        }
        self.ends.add(kernel.eq(block, b'\n'), cr, number);
        None
    }
}

/// The `)` of a block at which no tree is open that it could close.
fn run_out(opens: u64, mut closes: u64, depth: u64) -> Option<usize> {
    // Most `)` of short variations close what has begun since the `)` before. As in `inside`, subtracting leaves the bits
    // of the others. Without open trees, there is one for certain in most blocks that come here.
    let others = closes & closes.wrapping_sub(opens);
    if depth > 0 && u64::from(others.count_ones()) <= depth {
        return None;
    }
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

/// A mask that has, of the bits of parentheses, those inside of values. `closes`: the unescaped `]`. `quoted`: 1 if the
/// block begins inside a value, else 0; afterwards the same for the next block.
///
/// Subtracting a lower bit from a higher one sets all bits from the one up to the other. So it does for `[` and `]`, and
/// for the last `[` all bits to the end, if no `]` follows. A `[` in a value, or a `]` outside, only changes its own
/// bit. A value that began earlier counts as a `[` at the first byte, whatever is there. A backslash outside a value shields
/// nothing that matters, because a `]` there is ignored anyway.
#[inline(always)]
fn inside(opens: u64, closes: u64, quoted: &mut u64) -> u64 {
    let opens = opens | *quoted;
    *quoted = u64::from(closes < opens);
    closes.wrapping_sub(opens)
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
