//! How many lines end in these bytes, and where the last of them ends.
//!
//! Owns the rule for CRLF at the edge of two stretches: whoever counts says whether a CR came before.

use super::block::{self, BLOCK, Block, Task};

/// The line ends of a stretch of bytes. LF, CR and CRLF each end a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) struct LineEnds {
    /// How many lines end.
    pub(in crate::syntax) count: u64,
    /// The index after the last byte of the last line end, or 0.
    pub(in crate::syntax) last: usize,
    /// A CR stands right before the bytes to come, so an LF there ends no line of its own.
    after_cr: bool,
}

impl LineEnds {
    pub(in crate::syntax) fn new(after_cr: bool) -> Self {
        Self { count: 0, last: 0, after_cr }
    }

    /// Adds the line ends of the block that begins at `start`, where `wanted` has bits.
    #[inline(always)]
    pub(super) fn add<B: Block>(&mut self, kernel: B, block: &[u8; BLOCK], start: usize, wanted: u64) {
        let lf = kernel.eq(block, b'\n') & wanted;
        let cr = kernel.eq(block, b'\r') & wanted;
        self.count += lines(lf, cr, self.after_cr.into());
        self.after_cr = cr >> 63 != 0;
        if cr | lf != 0 {
            self.last = start + BLOCK - (cr | lf).leading_zeros() as usize;
        }
    }

    /// Adds the line ends of a block without CR.
    #[inline(always)]
    pub(super) fn add_lf<B: Block>(&mut self, kernel: B, block: &[u8; BLOCK], start: usize) {
        let lf = kernel.eq(block, b'\n');
        self.count += u64::from((lf & !u64::from(self.after_cr)).count_ones());
        self.after_cr = false;
        if lf != 0 {
            self.last = start + BLOCK - lf.leading_zeros() as usize;
        }
    }

    /// Adds the line ends of the last bytes, fewer than a block.
    #[inline(always)]
    pub(super) fn add_tail<B: Block>(&mut self, kernel: B, tail: &[u8], start: usize) {
        if !tail.is_empty() {
            let mut block = [0; BLOCK];
            block[..tail.len()].copy_from_slice(tail);
            self.add(kernel, &block, start, u64::MAX);
        }
    }
}

/// Counts the line ends of whole blocks, whose LF and CR are known.
pub(super) struct Counter {
    count: u64,
    /// How many blocks there are up to the last one with a line end. Where in it the line ends is found out once, at
    /// the end, because a search of many blocks has no time for it.
    blocks: usize,
    /// 1 if a CR stands right before the next block, else 0.
    after_cr: u64,
}

impl Counter {
    #[inline(always)]
    pub(super) fn new(after_cr: bool) -> Self {
        Self { count: 0, blocks: 0, after_cr: u64::from(after_cr) }
    }

    /// Adds the line ends of block `number`.
    #[inline(always)]
    pub(super) fn add(&mut self, lf: u64, cr: u64, number: usize) {
        self.count += lines(lf, cr, self.after_cr);
        self.after_cr = cr >> 63;
        if cr | lf != 0 {
            self.blocks = number + 1;
        }
    }

    /// The line ends of all blocks, to which those of more bytes can be added.
    #[inline(always)]
    pub(super) fn ends<B: Block>(self, kernel: B, blocks: &[[u8; BLOCK]]) -> LineEnds {
        let Self { count, blocks: number, after_cr } = self;
        let last = match number.checked_sub(1).and_then(|last| blocks.get(last)) {
            Some(block) => {
                let ends = kernel.eq(block, b'\n') | kernel.eq(block, b'\r');
                number * BLOCK - ends.leading_zeros() as usize
            }
            None => 0,
        };
        LineEnds { count, last, after_cr: after_cr != 0 }
    }
}

/// How many lines end in a block with these LF and CR. `after_cr`: 1 if a CR stands right before it, else 0.
#[inline(always)]
const fn lines(lf: u64, cr: u64, after_cr: u64) -> u64 {
    (cr | lf & !(cr << 1 | after_cr)).count_ones() as u64
}

/// The line ends in `bytes`; `after_cr`: a CR stands right before them.
pub(in crate::syntax) fn line_ends(bytes: &[u8], after_cr: bool) -> LineEnds {
    block::run(Count { bytes, after_cr })
}

struct Count<'a> {
    bytes: &'a [u8],
    after_cr: bool,
}

impl Task for Count<'_> {
    type Output = LineEnds;

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> LineEnds {
        let (blocks, tail) = self.bytes.as_chunks::<BLOCK>();
        let (mut count, mut after_cr) = (0, u64::from(self.after_cr));
        for block in blocks {
            let (lf, cr) = (kernel.eq(block, b'\n'), kernel.eq(block, b'\r'));
            count += lines(lf, cr, after_cr);
            after_cr = cr >> 63;
        }
        // Only the place of the very last line end matters, so it is searched for once, instead of noting the last one
        // of each block.
        let last = blocks.iter().enumerate().rev().find_map(|(number, block)| {
            let ends = kernel.eq(block, b'\n') | kernel.eq(block, b'\r');
            ends.checked_ilog2().map(|bit| number * BLOCK + bit as usize + 1)
        });
        let mut ends = LineEnds { count, last: last.unwrap_or(0), after_cr: after_cr != 0 };
        ends.add_tail(kernel, tail, blocks.len() * BLOCK);
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    fn slow(bytes: &[u8], mut after_cr: bool) -> (u64, usize) {
        let mut count = 0;
        let mut last = 0;
        for (i, &byte) in bytes.iter().enumerate() {
            if byte == b'\r' || byte == b'\n' {
                count += u64::from(byte == b'\r' || !after_cr);
                last = i + 1;
            }
            after_cr = byte == b'\r';
        }
        (count, last)
    }

    #[test]
    fn every_kernel_agrees_with_a_plain_loop() {
        for seed in 1..200 {
            let mut rng = Rng::new(seed);
            let alphabet = &b"\r\n\nabcdefg"[..if seed % 2 == 0 { 10 } else { 3 }];
            let bytes: Vec<u8> = (0..seed + 60).map(|_| rng.pick(alphabet)).collect();
            for from in 0..bytes.len().min(65) {
                for after_cr in [false, true] {
                    let bytes = &bytes[from..];
                    for (kernel, ends) in block::run_all(|| Count { bytes, after_cr }) {
                        assert_eq!((ends.count, ends.last), slow(bytes, after_cr), "{kernel} {bytes:?}");
                    }
                }
            }
        }
    }
}
