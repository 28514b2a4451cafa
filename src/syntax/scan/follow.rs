//! Whether every `]` of a stretch is followed by what usually follows one, 64 bytes at a time.
//!
//! The masks know the usual cases: another value, a property of one or two letters, a node with one, on the next line maybe. The
//! caller is asked about the rest, so that what this says never depends on where blocks begin.

use super::block::{self, BLOCK, Block, Task};

/// Bytes of a block behind which the block holds all that the masks look at: `]`, a line end, `;` and two letters with a `[`.
const STEP: usize = BLOCK - 5;

/// The first `]` among the first `len` bytes that neither the masks nor `is_plain`, which is given the bytes behind it, know
/// as plainly followed.
pub(in crate::syntax) fn odd_close(bytes: &[u8], len: usize, is_plain: impl Fn(&[u8]) -> bool) -> Option<usize> {
    block::run(OddClose { bytes, len, is_plain })
}

struct OddClose<'a, F> {
    bytes: &'a [u8],
    len: usize,
    is_plain: F,
}

impl<F: Fn(&[u8]) -> bool> Task for OddClose<'_, F> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Option<usize> {
        let Self { bytes, len, is_plain } = self;
        let mut at = 0;
        while at < len
            && let Some(block) = bytes[at..].first_chunk::<BLOCK>()
        {
            let opens = kernel.eq(block, b'[');
            let letters = kernel.is_upper(block);
            // Each bit stands for a byte that such a thing begins with.
            let property = letters & (opens >> 1 | (letters >> 1 & opens >> 2));
            let node = kernel.eq(block, b';') & property >> 1;
            let next = opens | property | node;
            let next = next | (kernel.eq(block, b'\n') & next >> 1);
            let known = (1 << STEP.min(len - at)) - 1;
            let mut rest = kernel.eq(block, b']') & !(next >> 1) & known;
            while rest != 0 {
                let close = at + rest.trailing_zeros() as usize;
                if !is_plain(&bytes[close + 1..]) {
                    return Some(close);
                }
                rest &= rest - 1;
            }
            at += STEP;
        }
        (at.min(len)..len).find(|&close| bytes[close] == b']' && !is_plain(&bytes[close + 1..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the masks know, and a little more.
    fn is_plain(after: &[u8]) -> bool {
        let after = after.strip_prefix(b"\n").unwrap_or(after);
        let node = after.strip_prefix(b";").unwrap_or(after);
        let letters = node.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        matches!(after, [b'[', ..] | [b')', b'(' | b')', ..])
            || ((1..=2).contains(&letters) && node.get(letters) == Some(&b'['))
    }

    #[test]
    fn every_kernel_finds_what_a_search_finds() {
        let mut found = 0;
        for seed in 1..2_000_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let bytes: Vec<u8> = (0..40)
                .flat_map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let pieces: [&[u8]; 12] = [
                        b"];B[", b"]AB[", b"];W[dd", b"][", b"])\n(;", b"]\n;C[", b"])", b"](;B[", b"x", b"PW[a",
                        b"];AW[", b"]a",
                    ];
                    pieces[(state >> 33) as usize % (11 + usize::from(seed % 7 == 0))]
                })
                .copied()
                .collect();
            for len in [bytes.len(), bytes.len() / 2, 1] {
                let expected = (0..len).find(|&at| bytes[at] == b']' && !is_plain(&bytes[at + 1..]));
                found += usize::from(expected.is_none());
                for (kernel, odd) in block::run_all(|| OddClose { bytes: &bytes, len, is_plain }) {
                    assert_eq!(odd, expected, "{kernel} {len} {}", bytes.escape_ascii());
                }
            }
        }
        assert!(found > 100);
    }
}
