//! How many lines end in these bytes, and where the last of them does.

use super::block::{self, BLOCK, Block, Task};

/// The number of line ends in `bytes`, and the index after the last. LF, CR and CRLF each end a line; `after_cr`: a CR stands
/// right before `bytes`, so an LF at their start ends no line of its own, but moves the start of the next.
pub(in crate::syntax) fn line_ends(bytes: &[u8], after_cr: bool) -> Option<(u64, usize)> {
    block::run(LineEnds { bytes, after_cr })
}

struct LineEnds<'a> {
    bytes: &'a [u8],
    after_cr: bool,
}

impl Task for LineEnds<'_> {
    type Output = Option<(u64, usize)>;

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Self::Output {
        let mut after_cr = u64::from(self.after_cr);
        let mut count = 0;
        let mut last = None;
        let (blocks, tail) = self.bytes.as_chunks::<BLOCK>();
        let mut add = |block: &[u8; BLOCK], number: usize| {
            let lf = kernel.eq(block, b'\n');
            let cr = kernel.eq(block, b'\r');
            count += u64::from((cr | lf & !(cr << 1 | after_cr)).count_ones());
            after_cr = cr >> 63;
            if cr | lf != 0 {
                last = Some((number + 1) * BLOCK - (cr | lf).leading_zeros() as usize);
            }
        };
        for (number, block) in blocks.iter().enumerate() {
            add(block, number);
        }
        if !tail.is_empty() {
            let mut block = [0; BLOCK];
            block[..tail.len()].copy_from_slice(tail);
            add(&block, blocks.len());
        }
        last.map(|last| (count, last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(bytes: &[u8], mut after_cr: bool) -> Option<(u64, usize)> {
        let mut count = 0;
        let mut last = None;
        for (i, &byte) in bytes.iter().enumerate() {
            if byte == b'\r' || byte == b'\n' {
                count += u64::from(byte == b'\r' || !after_cr);
                last = Some(i + 1);
            }
            after_cr = byte == b'\r';
        }
        last.map(|last| (count, last))
    }

    #[test]
    fn every_kernel_counts_as_a_plain_loop_does() {
        for seed in 1..200_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let bytes: Vec<u8> = (0..seed + 60)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    b"\r\n\nabcdefg"[(state % if seed % 2 == 0 { 10 } else { 3 }) as usize]
                })
                .collect();
            for from in 0..bytes.len().min(65) {
                for after_cr in [false, true] {
                    let bytes = &bytes[from..];
                    for (kernel, ends) in block::run_all(|| LineEnds { bytes, after_cr }) {
                        assert_eq!(ends, slow(bytes, after_cr), "{kernel} {bytes:?}");
                    }
                }
            }
        }
    }
}
