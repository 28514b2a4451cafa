//! Blocks of 64 bytes as bit masks, made with the best instructions that the machine has.
//!
//! Owns the only way to SIMD: [`run`] picks the kernel, once per call and not per block. A kernel is a few comparisons,
//! those of [`Block`]; every algorithm is written once, on top of these. Building with `--cfg sgf_stream_portable`
//! leaves only the portable kernel; tests run all of them against plain loops.

#[cfg(all(target_arch = "x86_64", not(sgf_stream_portable)))]
use super::x86::Best;

/// Bytes in a block, one for each bit of a mask.
pub(super) const BLOCK: usize = 64;

/// A way to compare the bytes of a block.
pub(super) trait Block: Copy {
    /// Whether a dozen comparisons cost less than examining some bytes one by one.
    const IS_CHEAP: bool = true;

    /// A bit for each byte of the block that equals `byte`; the lowest bit is for the first byte.
    fn eq(self, block: &[u8; BLOCK], byte: u8) -> u64;

    /// Whether a byte of the block equals one of these. To move a mask out of the vectors costs more than to make it.
    fn has_either(self, block: &[u8; BLOCK], one: u8, other: u8) -> bool;

    /// The mask of the bytes that are not ASCII.
    fn is_high(self, block: &[u8; BLOCK]) -> u64;

    /// The mask of the bytes that end or escape in a value, are not ASCII, or are a CR.
    fn is_odd(self, block: &[u8; BLOCK]) -> u64;

    /// The mask of the upper-case letters.
    fn is_upper(self, block: &[u8; BLOCK]) -> u64;

    /// The mask of the bytes that are `most` or less; `most` is ASCII.
    fn at_most(self, block: &[u8; BLOCK], most: u8) -> u64;
}

/// White space. The rule is repeated here, because the searches are to depend on no other module.
#[inline(always)]
pub(super) fn white<B: Block>(kernel: B, block: &[u8; BLOCK]) -> u64 {
    kernel.eq(block, b' ') | (kernel.at_most(block, b'\r') & !kernel.at_most(block, 0x08))
}

/// Work that is done block by block. Its `run` must be `#[inline(always)]`, or the kernel's instructions cannot be used.
pub(super) trait Task {
    type Output;
    fn run<B: Block>(self, kernel: B) -> Self::Output;
}

/// Runs a task on the best kernel.
#[inline]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(all(target_arch = "x86_64", not(sgf_stream_portable)))]
    match Best::detect() {
        Best::Avx512(kernel) => return kernel.run(task),
        Best::Avx2(kernel) => return kernel.run(task),
        Best::Neither => {}
    }
    portable(task)
}

/// Not inlined: otherwise callers would save registers for code that this machine never runs.
#[inline(never)]
fn portable<T: Task>(task: T) -> T::Output {
    task.run(Portable)
}

/// The portable kernel: words of eight bytes, in safe code.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Block for Portable {
    const IS_CHEAP: bool = false;

    #[inline(always)]
    fn eq(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        let pattern = u64::from_ne_bytes([byte; 8]);
        gather(block, |word| zero_bytes(word ^ pattern))
    }

    #[inline(always)]
    fn has_either(self, block: &[u8; BLOCK], one: u8, other: u8) -> bool {
        let [one, other] = [one, other].map(|byte| u64::from_ne_bytes([byte; 8]));
        let (words, _) = block.as_chunks::<8>();
        let either = |word: u64| zero_bytes(word ^ one) | zero_bytes(word ^ other);
        words.iter().fold(0, |found, word| found | either(u64::from_ne_bytes(*word))) != 0
    }

    #[inline(always)]
    fn is_high(self, block: &[u8; BLOCK]) -> u64 {
        gather(block, |word| word & !LOW7)
    }

    #[inline(always)]
    fn is_odd(self, block: &[u8; BLOCK]) -> u64 {
        gather(block, |word| {
            let ends = zero_bytes((word ^ 0x5C5C_5C5C_5C5C_5C5C) & 0xFEFE_FEFE_FEFE_FEFE);
            ends | zero_bytes(word ^ 0x0D0D_0D0D_0D0D_0D0D) | (word & !LOW7)
        })
    }

    #[inline(always)]
    fn is_upper(self, block: &[u8; BLOCK]) -> u64 {
        // From `A` on the first sum reaches 0x80, and from `[` on the second.
        gather(block, |word| {
            let low = word & LOW7;
            (low + 0x3F3F_3F3F_3F3F_3F3F) & !(low + 0x2525_2525_2525_2525) & !word & !LOW7
        })
    }

    #[inline(always)]
    fn at_most(self, block: &[u8; BLOCK], most: u8) -> u64 {
        let up_to_above = u64::from_ne_bytes([0x7F - most; 8]);
        gather(block, |word| !((word & LOW7) + up_to_above) & !word & !LOW7)
    }
}

const LOW7: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// Gathers the top bits of each word's bytes into the bits of a mask.
#[inline(always)]
fn gather(block: &[u8; BLOCK], top_bits: impl Fn(u64) -> u64) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    words.iter().rev().fold(0, |mask, word| {
        let bits = top_bits(u64::from_le_bytes(*word)) >> 7;
        // The bits 0, 8, ... meet in the top byte, in order.
        mask << 8 | bits.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// The top bit of each byte that is zero. Exact for every byte, unlike the shorter test by subtraction, because no
/// carry leaves a byte.
#[inline(always)]
const fn zero_bytes(word: u64) -> u64 {
    !(((word & LOW7) + LOW7) | word | LOW7)
}

/// Runs a task on every kernel that this machine has, for tests.
#[cfg(test)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "there is one kernel"))]
pub(super) fn run_all<T: Task>(mut task: impl FnMut() -> T) -> Vec<(&'static str, T::Output)> {
    let mut outputs = vec![("portable", task().run(Portable))];
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = super::x86::Avx2::detect() {
        outputs.push(("avx2", kernel.run(task())));
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = super::x86::Avx512::detect() {
        outputs.push(("avx512", kernel.run(task())));
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Masks<'a>(&'a [u8; BLOCK], u8);

    impl Task for Masks<'_> {
        type Output = ([u64; 5], [bool; 2]);

        #[inline(always)]
        fn run<B: Block>(self, kernel: B) -> Self::Output {
            let Self(block, byte) = self;
            let at_most = kernel.at_most(block, byte & 0x7F);
            let has = [kernel.has_either(block, byte, b'\n'), kernel.has_either(block, b'\n', byte)];
            (
                [kernel.eq(block, byte), kernel.is_high(block), kernel.is_odd(block), kernel.is_upper(block), at_most],
                has,
            )
        }
    }

    #[test]
    fn each_mask_has_a_bit_per_matching_byte() {
        let mut bytes = [0_u8; 2 * BLOCK];
        for round in 0..5_u8 {
            for (i, byte) in bytes.iter_mut().enumerate() {
                let i = i as u8;
                *byte = [i, i.wrapping_mul(37), b'[' + i % 4, 0x80 | i, b'(' ^ (i % 7)][round as usize];
            }
            for from in 0..=BLOCK {
                let block = bytes[from..].first_chunk::<BLOCK>().unwrap();
                let mask =
                    |is: &dyn Fn(u8) -> bool| (0..BLOCK).filter(|&i| is(block[i])).fold(0, |mask, i| mask | 1_u64 << i);
                let high = mask(&|byte| !byte.is_ascii());
                let odd = mask(&|byte| matches!(byte, b'\\' | b']' | b'\r' | 0x80..));
                let upper = mask(&|byte| byte.is_ascii_uppercase());
                for byte in [0, 1, 0x7F, 0x80, 0xFF, b'[', b'\\', b']', 37] {
                    let equal = mask(&|other| other == byte);
                    let at_most = mask(&|other| other <= byte & 0x7F);
                    let has = [equal != 0 || block.contains(&b'\n'); 2];
                    for (kernel, masks) in run_all(|| Masks(block, byte)) {
                        assert_eq!(masks, ([equal, high, odd, upper, at_most], has), "{kernel} {byte} {block:?}");
                    }
                }
            }
        }
    }
}
