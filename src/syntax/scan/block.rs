//! Blocks of 64 bytes as bit masks, by whatever the machine does best.
//!
//! Owns the one door to SIMD: [`run`] picks the kernel, once per call and not per block. A kernel is one primitive,
//! [`Block::eq`]; every algorithm is written once, over that. Building with `--cfg sgf_stream_portable` leaves only the
//! portable kernel; tests run all of them against plain loops.

/// Bytes in a block, one for each bit of a mask.
pub(super) const BLOCK: usize = 64;

/// A way to compare the bytes of a block.
pub(super) trait Block: Copy {
    /// A bit for each byte of the block that equals `byte`, the first byte's lowest.
    fn eq(self, block: &[u8; BLOCK], byte: u8) -> u64;
}

/// Something that is done block by block. Its `run` must be `#[inline(always)]`, or the kernel's instructions cannot be used.
pub(super) trait Task {
    type Output;
    fn run<B: Block>(self, kernel: B) -> Self::Output;
}

/// Runs a task on the best kernel.
#[inline]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(all(target_arch = "x86_64", not(sgf_stream_portable)))]
    if let Some(kernel) = super::x86::Avx2::detect() {
        return kernel.run(task);
    }
    task.run(Portable)
}

/// Words of eight bytes, in safe code.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Block for Portable {
    #[inline(always)]
    fn eq(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        let (words, _) = block.as_chunks::<8>();
        let pattern = u64::from_ne_bytes([byte; 8]);
        words.iter().rev().fold(0, |mask, word| mask << 8 | zero_bytes(u64::from_le_bytes(*word) ^ pattern))
    }
}

/// A bit for each zero byte of a word, the lowest byte's lowest.
#[inline(always)]
const fn zero_bytes(word: u64) -> u64 {
    const LOW7: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    // Exact in every byte, unlike the shorter test by subtraction: no carry leaves a byte.
    let zeros = !(((word & LOW7) + LOW7) | word | LOW7);
    // The bits 7, 15, ... meet in the top byte, in order.
    (zeros >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Runs a task on every kernel that this machine has, for tests.
#[cfg(test)]
pub(super) fn run_all<T: Task>(mut task: impl FnMut() -> T) -> Vec<(&'static str, T::Output)> {
    let mut outputs = vec![("portable", task().run(Portable))];
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = super::x86::Avx2::detect() {
        outputs.push(("avx2", kernel.run(task())));
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Eq<'a>(&'a [u8; BLOCK], u8);

    impl Task for Eq<'_> {
        type Output = u64;

        #[inline(always)]
        fn run<B: Block>(self, kernel: B) -> u64 {
            kernel.eq(self.0, self.1)
        }
    }

    #[test]
    fn a_bit_stands_for_each_equal_byte() {
        let mut bytes = [0_u8; 2 * BLOCK];
        for round in 0..4_u8 {
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte = [i as u8, (i * 37) as u8, b']' + (i % 3) as u8, 0x80 | i as u8][round as usize];
            }
            for from in 0..=BLOCK {
                let block = bytes[from..].first_chunk::<BLOCK>().unwrap();
                for byte in [0, 1, 0x7F, 0x80, 0xFF, b'[', b'\\', b']', 37] {
                    let expected = (0..BLOCK).filter(|&i| block[i] == byte).fold(0, |mask, i| mask | 1_u64 << i);
                    for (kernel, mask) in run_all(|| Eq(block, byte)) {
                        assert_eq!(mask, expected, "{kernel} {byte} {block:?}");
                    }
                }
            }
        }
    }
}
