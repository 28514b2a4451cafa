//! Random numbers that are the same on every machine: splitmix64 with a seed.
//!
//! Serves the tests, the benches and the examples. The corpora of the benches are made from these numbers: with others, they
//! would be other corpora.

#![allow(dead_code, reason = "each of them uses a part of it")]

/// A seeded source of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Seeded by the FNV-1a hash of bytes, so that a failure occurs again.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        Self(bytes.iter().fold(0xCBF2_9CE4_8422_2325, step))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        assert_ne!(end, 0, "no number is below 0");
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// A number from `low` on and below `high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low)
    }

    /// True in one of `n` cases.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
