//! The next byte of a kind that is something special, 64 bytes at a time.

use super::block::{self, BLOCK, Block, Task};

/// The first `byte` that `is_it`, which is given its index, says is the one. Where most are not, this takes a fraction of what a
/// call of memchr for each does.
pub(in crate::syntax) fn find(bytes: &[u8], byte: u8, is_it: impl Fn(usize) -> bool) -> Option<usize> {
    block::run(Find { bytes, byte, is_it })
}

struct Find<'a, F> {
    bytes: &'a [u8],
    byte: u8,
    is_it: F,
}

impl<F: Fn(usize) -> bool> Task for Find<'_, F> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Option<usize> {
        let Self { bytes, byte, is_it } = self;
        let (blocks, tail) = bytes.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            let mut rest = kernel.eq(block, byte);
            while rest != 0 {
                let at = number * BLOCK + rest.trailing_zeros() as usize;
                if is_it(at) {
                    return Some(at);
                }
                rest &= rest - 1;
            }
        }
        (bytes.len() - tail.len()..bytes.len()).find(|&at| bytes[at] == byte && is_it(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_finds_what_a_plain_loop_finds() {
        let bytes: Vec<u8> = (0..200_u8).map(|at| if at % 7 < 2 { b'(' } else { at }).collect();
        for from in 0..70 {
            let bytes = &bytes[from..];
            for wanted in 0..bytes.len() {
                let is_it = |at: usize| at >= wanted;
                let expected = (0..bytes.len()).find(|&at| bytes[at] == b'(' && is_it(at));
                for (kernel, found) in block::run_all(|| Find { bytes, byte: b'(', is_it }) {
                    assert_eq!(found, expected, "{kernel} {from} {wanted}");
                }
            }
        }
    }
}
