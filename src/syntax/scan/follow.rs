//! Whether every `]` of a stretch is followed by what usually follows one, 64 bytes at a time.
//!
//! The masks know the usual cases. After blanks and line ends: another value, a property of one or two letters, a node
//! with one, or a tree. After the ends of trees: all of these but a value. The caller decides about the rest, so the
//! result never depends on where blocks begin.
//!
//! Owns what is usual. Refuses to know charsets, and what a `]` is that nothing usual follows.

use super::block::{self, BLOCK, Block, Task};

/// In how many bytes of a block each `]` is examined. What comes after most of them is in the block too; about the
/// rest, the caller is asked.
const STEP: usize = BLOCK - 6;

/// The first `]` among the first `len` bytes that is not plainly followed by what usually follows, neither by the masks
/// nor by `is_plain`, which is given the bytes behind it. A `]` behind a single backslash does not count: it is text,
/// or outside of values has no meaning.
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
        let is_odd = |close: usize| !is_escaped(&bytes[..close]) && !is_plain(&bytes[close + 1..]);
        let mut at = 0;
        while at < len
            && let Some(block) = bytes[at..].first_chunk::<BLOCK>()
        {
            let backslashes = kernel.eq(block, b'\\');
            // What stands before the block's first byte is not known here.
            let escaped = (backslashes & !(backslashes << 1 | 1)) << 1;
            let closes = kernel.eq(block, b']') & !escaped & ((1 << STEP.min(len - at)) - 1);
            if let Some(close) =
                Bits(odd_closes(kernel, block, closes)).map(|bit| at + bit).find(|&close| is_odd(close))
            {
                return Some(close);
            }
            at += STEP;
        }
        (at.min(len)..len).find(|&close| bytes[close] == b']' && is_odd(close))
    }
}

/// Whether these bytes end with a backslash that has no other backslash before it.
fn is_escaped(before: &[u8]) -> bool {
    matches!(before, [.., other, b'\\'] if *other != b'\\')
}

/// Those of these `]` behind which the block does not show what usually follows.
#[inline(always)]
fn odd_closes<B: Block>(kernel: B, block: &[u8; BLOCK], closes: u64) -> u64 {
    let (opens, nodes) = (kernel.eq(block, b'['), kernel.eq(block, b';'));
    let letters = kernel.is_upper(block);
    // Each bit is at the byte where such a thing begins.
    let property = letters & (opens >> 1 | (letters >> 1 & opens >> 2));
    let white = block::white(kernel, block);
    // Added to the mask of what lies between, a carry runs from behind each `]` to what comes next.
    let behind = closes << 1;
    let next_over = |between: u64| {
        let (sum, is_cut) = between.overflowing_add(behind & between);
        ((sum | behind) & !between, is_cut)
    };
    let (next, is_cut) = next_over(white | kernel.eq(block, b')'));
    let node = nodes & (property | white & property >> 1) >> 1;
    let usual = property | node | kernel.eq(block, b'(') & nodes >> 1 | opens & next_over(white).0;
    // For the last `]`, the block may not show what follows.
    let mut odd = if is_cut { 1 << closes.ilog2() } else { 0 };
    for next in Bits(next & !usual) {
        odd |= 1 << (closes & ((1 << next) - 1)).ilog2();
    }
    odd
}

/// The bits of a mask, the lowest first.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    /// What the masks recognise, and slightly more.
    fn is_plain(after: &[u8]) -> bool {
        let past = |skipped: &[u8], text: &[u8]| text.iter().take_while(|byte| skipped.contains(byte)).count();
        let is_property = |text: &[u8]| {
            let letters = text.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
            (1..=2).contains(&letters) && text.get(letters) == Some(&b'[')
        };
        let blanks = past(WHITE, after);
        let next = &after[past(b" \t\n\x0B\x0C\r)", after)..];
        match next {
            [b'[', ..] => next.len() == after.len() - blanks,
            [b'(', b';', ..] => true,
            [b';', node @ ..] => is_property(&node[past(WHITE, node)..]),
            _ => is_property(next),
        }
    }

    const WHITE: &[u8] = b" \t\n\x0B\x0C\r";

    #[test]
    fn every_kernel_agrees_with_a_plain_search() {
        let mut found = 0;
        for seed in 1..2_000 {
            let mut rng = Rng::new(seed);
            let bytes: Vec<u8> = (0..40)
                .flat_map(|_| {
                    let pieces: [&[u8]; 20] = [
                        b"];B[",
                        b"]AB[",
                        b"];W[dd",
                        b"][",
                        b"])\n(;",
                        b"]\n;C[",
                        b"] [",
                        b"](;B[",
                        b"x",
                        b"PW[a",
                        b"];AW[",
                        b"x\\]x",
                        b"]\r\n\t))  (;",
                        b"];\n\t\x0BW[",
                        b"])B[",
                        b"x\\\\][",
                        b"]      \n    C[",
                        b"]a",
                        b"]) [",
                        b"x\\\\]x",
                    ];
                    pieces[rng.below(if seed % 7 == 0 { 20 } else { 17 })]
                })
                .copied()
                .collect();
            for len in [bytes.len(), bytes.len() / 2, 1] {
                let is_odd = |at: usize| bytes[at] == b']' && !is_escaped(&bytes[..at]) && !is_plain(&bytes[at + 1..]);
                let expected = (0..len).find(|&at| is_odd(at));
                found += usize::from(expected.is_none());
                for (kernel, odd) in block::run_all(|| OddClose { bytes: &bytes, len, is_plain }) {
                    assert_eq!(odd, expected, "{kernel} {len} {}", bytes.escape_ascii());
                }
            }
        }
        assert!(found > 100);
    }
}
