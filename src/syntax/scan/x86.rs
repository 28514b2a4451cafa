//! The AVX2 kernel: 32 bytes a comparison.
//!
//! The only `unsafe` of the crate. It rests on one fact, that a value of [`Avx2`] exists only where the processor has the
//! instructions, and on loads that stay within the array they are given.

#![allow(unsafe_code)]

use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8};

use super::block::{BLOCK, Block, Task};

/// Proof that the processor has AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Asks the processor, once; afterwards this is a load and a test.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt"))
            .then_some(Self(()))
    }

    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` was made by `detect`, which found the features that `with_avx2` is compiled for.
        unsafe { with_avx2(self, task) }
    }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn with_avx2<T: Task>(kernel: Avx2, task: T) -> T::Output {
    task.run(kernel)
}

impl Block for Avx2 {
    #[inline(always)]
    fn eq(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        // SAFETY: `self` was made by `detect`, which found AVX2.
        unsafe { eq(block, byte) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn eq(block: &[u8; BLOCK], byte: u8) -> u64 {
    let pattern = _mm256_set1_epi8(byte.cast_signed());
    let half = |from: usize| {
        let bytes: &[u8; 32] = block[from..].first_chunk().expect("half a block");
        // SAFETY: 32 bytes are read from an array of 32; the load asks for no alignment.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, pattern)).cast_unsigned())
    };
    half(0) | half(32) << 32
}
