//! The kernels for x86-64: 32 bytes a comparison with AVX2, 64 with AVX-512; and SSE2 with 16, for searches too short for a call.
//!
//! The only `unsafe` of the crate. It rests on three facts: that a value of [`Avx2`] or [`Avx512`] exists only if the
//! processor has the instructions, that every x86-64 has SSE2, and that loads stay within the array they are given. It
//! pays: with AVX-512 one long game is skipped 15 times as fast as with the portable kernel, comments are read 3.5 times
//! as fast, and moves a quarter faster.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, __m512i, _kortestz_mask64_u8, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_min_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_slli_epi16, _mm_sub_epi8, _mm256_and_si256, _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm512_cmpeq_epi8_mask, _mm512_cmpgt_epi8_mask, _mm512_cmple_epu8_mask, _mm512_loadu_si512, _mm512_movepi8_mask,
    _mm512_or_si512, _mm512_set1_epi8,
};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::block::{BLOCK, Block, Task};
use super::{MOVE_LEN, MOVES, NEAR};

/// The best kernel of this processor.
#[derive(Clone, Copy)]
pub(super) enum Best {
    Avx512(Avx512),
    Avx2(Avx2),
    Neither,
}

impl Best {
    /// Asks the processor once; afterwards this is a load and a test. The standard library checks each feature on every
    /// call; reading comments takes 2 % less time without that.
    #[inline]
    pub(super) fn detect() -> Self {
        /// The answer of an earlier call: a number here is the proof that the processor has the instructions.
        static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
        const UNKNOWN: u8 = 0;
        const NEITHER: u8 = 1;
        const AVX2: u8 = 2;
        const AVX512: u8 = 3;
        match KNOWN.load(Relaxed) {
            AVX512 => Self::Avx512(Avx512(())),
            AVX2 => Self::Avx2(Avx2(())),
            NEITHER => Self::Neither,
            _ => {
                let (best, number) = match (Avx512::detect(), Avx2::detect()) {
                    (Some(kernel), _) => (Self::Avx512(kernel), AVX512),
                    (None, Some(kernel)) => (Self::Avx2(kernel), AVX2),
                    (None, None) => (Self::Neither, NEITHER),
                };
                KNOWN.store(number, Relaxed);
                best
            }
        }
    }
}

/// Proof that the processor has AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Asks the processor.
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

    #[inline(always)]
    fn has_either(self, block: &[u8; BLOCK], one: u8, other: u8) -> bool {
        // SAFETY: as in `eq`.
        unsafe { has_either(block, one, other) }
    }

    #[inline(always)]
    fn is_high(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { is_high(block) }
    }

    #[inline(always)]
    fn is_odd(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { is_odd(block) }
    }

    #[inline(always)]
    fn is_upper(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { is_upper(block) }
    }

    #[inline(always)]
    fn at_most(self, block: &[u8; BLOCK], most: u8) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { at_most(block, most) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn eq(block: &[u8; BLOCK], byte: u8) -> u64 {
    let byte = _mm256_set1_epi8(byte.cast_signed());
    mask(load(block).map(|half| _mm256_cmpeq_epi8(half, byte)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn has_either(block: &[u8; BLOCK], one: u8, other: u8) -> bool {
    let [one, other] = [one, other].map(|byte| _mm256_set1_epi8(byte.cast_signed()));
    let either = |half| _mm256_or_si256(_mm256_cmpeq_epi8(half, one), _mm256_cmpeq_epi8(half, other));
    let [low, high] = load(block).map(either);
    _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_high(block: &[u8; BLOCK]) -> u64 {
    mask(load(block))
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_odd(block: &[u8; BLOCK]) -> u64 {
    let (one, close, cr) = (_mm256_set1_epi8(1), _mm256_set1_epi8(0x5D), _mm256_set1_epi8(0x0D));
    mask(load(block).map(|half| {
        // A backslash and `]` differ only in the lowest bit. The mask takes the highest bit, which marks bytes that are
        // not ASCII.
        let ends = _mm256_cmpeq_epi8(_mm256_or_si256(half, one), close);
        _mm256_or_si256(_mm256_or_si256(ends, _mm256_cmpeq_epi8(half, cr)), half)
    }))
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_upper(block: &[u8; BLOCK]) -> u64 {
    // Signed comparison: bytes that are not ASCII are below all letters.
    let (before, after) = (_mm256_set1_epi8(0x40), _mm256_set1_epi8(0x5B));
    mask(load(block).map(|half| _mm256_and_si256(_mm256_cmpgt_epi8(half, before), _mm256_cmpgt_epi8(after, half))))
}

#[inline]
#[target_feature(enable = "avx2")]
fn at_most(block: &[u8; BLOCK], most: u8) -> u64 {
    let most = _mm256_set1_epi8(most.cast_signed());
    mask(load(block).map(|half| _mm256_cmpeq_epi8(_mm256_min_epu8(half, most), half)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &[u8; BLOCK]) -> [__m256i; 2] {
    let (halves, _) = block.as_chunks::<32>();
    // SAFETY: 32 bytes are read from an array of 32, twice; the load asks for no alignment.
    [0, 1].map(|half| unsafe { _mm256_loadu_si256(halves[half].as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn mask(halves: [__m256i; 2]) -> u64 {
    let [low, high] = halves.map(|half| u64::from(_mm256_movemask_epi8(half).cast_unsigned()));
    low | high << 32
}

/// Proof that the processor has AVX-512 for bytes: a block is one register, and a comparison gives its mask at once.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    /// Asks the processor.
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt"))
            .then_some(Self(()))
    }

    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` was made by `detect`, which found the features that `with_avx512` is compiled for.
        unsafe { with_avx512(self, task) }
    }
}

#[target_feature(enable = "avx512bw,bmi1,popcnt")]
fn with_avx512<T: Task>(kernel: Avx512, task: T) -> T::Output {
    task.run(kernel)
}

impl Block for Avx512 {
    #[inline(always)]
    fn eq(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        // SAFETY: `self` was made by `detect`, which found AVX-512 for bytes.
        unsafe { wide_eq(block, byte) }
    }

    #[inline(always)]
    fn has_either(self, block: &[u8; BLOCK], one: u8, other: u8) -> bool {
        // SAFETY: as in `eq`.
        unsafe { wide_has_either(block, one, other) }
    }

    #[inline(always)]
    fn is_high(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { wide_is_high(block) }
    }

    #[inline(always)]
    fn is_odd(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { wide_is_odd(block) }
    }

    #[inline(always)]
    fn is_upper(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { wide_is_upper(block) }
    }

    #[inline(always)]
    fn at_most(self, block: &[u8; BLOCK], most: u8) -> u64 {
        // SAFETY: as in `eq`.
        unsafe { wide_at_most(block, most) }
    }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn wide_eq(block: &[u8; BLOCK], byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(wide(block), _mm512_set1_epi8(byte.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn wide_has_either(block: &[u8; BLOCK], one: u8, other: u8) -> bool {
    let equal = |byte: u8| _mm512_cmpeq_epi8_mask(wide(block), _mm512_set1_epi8(byte.cast_signed()));
    _kortestz_mask64_u8(equal(one), equal(other)) == 0
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn wide_is_high(block: &[u8; BLOCK]) -> u64 {
    _mm512_movepi8_mask(wide(block))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn wide_is_odd(block: &[u8; BLOCK]) -> u64 {
    let bytes = wide(block);
    let ends = _mm512_cmpeq_epi8_mask(_mm512_or_si512(bytes, _mm512_set1_epi8(1)), _mm512_set1_epi8(0x5D));
    ends | _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(0x0D)) | _mm512_movepi8_mask(bytes)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn wide_is_upper(block: &[u8; BLOCK]) -> u64 {
    let bytes = wide(block);
    _mm512_cmpgt_epi8_mask(bytes, _mm512_set1_epi8(0x40)) & _mm512_cmpgt_epi8_mask(_mm512_set1_epi8(0x5B), bytes)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn wide_at_most(block: &[u8; BLOCK], most: u8) -> u64 {
    _mm512_cmple_epu8_mask(wide(block), _mm512_set1_epi8(most.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn wide(block: &[u8; BLOCK]) -> __m512i {
    // SAFETY: 64 bytes are read from an array of 64; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

/// The length of a short value that needs no second look, and whether it is ASCII.
#[inline(always)]
pub(in crate::syntax) fn plain_value(window: &[u8; NEAR]) -> Option<(usize, bool)> {
    // 16 bytes at once: after how many smaller steps a value ends, the branch predictor cannot learn.
    let (halves, _) = window.as_chunks::<16>();
    let mut is_ascii = true;
    for (at, half) in [(0, &halves[0]), (16, &halves[1])] {
        // SAFETY: every x86-64 has SSE2.
        let (ends, high) = unsafe { sse2_value_ends(half) };
        if ends != 0 {
            let len = at + ends.trailing_zeros() as usize;
            // A byte that ends a value is itself ASCII.
            return (window[len] == b']').then_some((len, is_ascii && high & (ends ^ (ends - 1)) == 0));
        }
        is_ascii = high == 0;
    }
    None
}

/// A bit for each byte that is `[`, `]`, a backslash or below 0x0E, and for each that is not ASCII.
#[inline]
#[target_feature(enable = "sse2")]
fn sse2_value_ends(window: &[u8; 16]) -> (u32, u32) {
    // SAFETY: 16 bytes are read from an array of 16; the load asks for no alignment.
    let bytes = unsafe { _mm_loadu_si128(window.as_ptr().cast()) };
    // `[`, the backslash and `]` follow one another.
    let from_open = _mm_sub_epi8(bytes, _mm_set1_epi8(0x5B));
    let special = _mm_cmpeq_epi8(_mm_min_epu8(from_open, _mm_set1_epi8(2)), from_open);
    let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x0D)), bytes);
    let mask = |bytes| _mm_movemask_epi8(bytes).cast_unsigned();
    (mask(_mm_or_si128(special, control)), mask(bytes))
}

/// The length of a short value with backslashes, none next to another, and whether it is ASCII.
#[inline]
pub(in crate::syntax) fn escaped_value(window: &[u8; NEAR]) -> Option<(usize, bool)> {
    // Most values whose end is not near are long, and have no backslash soon.
    // SAFETY: every processor of this architecture has SSE2.
    if unsafe { sse2_backslashes(window.first_chunk()?) } == 0 {
        return None;
    }
    // SAFETY: as before.
    let [closes, backslashes, controls, high] = unsafe { sse2_parts(window) };
    if backslashes & backslashes << 1 != 0 {
        return None;
    }
    let ends = closes & !(backslashes << 1) | controls;
    let len = ends.trailing_zeros() as usize;
    let is_ascii = high & (ends ^ ends.wrapping_sub(1)) == 0;
    (window.get(len) == Some(&b']')).then_some((len, is_ascii))
}

#[inline]
#[target_feature(enable = "sse2")]
fn sse2_backslashes(window: &[u8; 16]) -> u32 {
    // SAFETY: 16 bytes are read from an array of 16; the load asks for no alignment.
    let bytes = unsafe { _mm_loadu_si128(window.as_ptr().cast()) };
    _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5C))).cast_unsigned()
}

/// A bit for each byte that is `]`, that is a backslash, that is below 0x0E, and that is not ASCII.
#[inline]
#[target_feature(enable = "sse2")]
fn sse2_parts(window: &[u8; NEAR]) -> [u32; 4] {
    let mask = |bytes| _mm_movemask_epi8(bytes).cast_unsigned();
    let (parts, _) = window.as_chunks::<16>();
    parts.iter().rev().fold([0; 4], |[closes, backslashes, controls, high], part| {
        // SAFETY: 16 bytes are read from an array of 16; the load asks for no alignment.
        let bytes = unsafe { _mm_loadu_si128(part.as_ptr().cast()) };
        let close = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5D));
        let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5C));
        let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x0D)), bytes);
        [
            closes << 16 | mask(close),
            backslashes << 16 | mask(backslash),
            controls << 16 | mask(control),
            high << 16 | mask(bytes),
        ]
    })
}

/// Of 32 bytes, those that are `]` or a backslash and do not stand before a `[`.
#[inline(always)]
pub(super) fn ends(window: &[u8; 32]) -> u32 {
    // SAFETY: every x86-64 has SSE2.
    unsafe { sse2_ends(window) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn sse2_ends(window: &[u8; 32]) -> u32 {
    let mask = |bytes| _mm_movemask_epi8(bytes).cast_unsigned();
    let (parts, _) = window.as_chunks::<16>();
    let (ends, opens) = parts.iter().rev().fold((0, 0), |(ends, opens), part| {
        // SAFETY: 16 bytes are read from an array of 16; the load asks for no alignment.
        let bytes = unsafe { _mm_loadu_si128(part.as_ptr().cast()) };
        // A backslash and `]` differ in the lowest bit only.
        let end = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(1)), _mm_set1_epi8(0x5D));
        let open = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5B));
        (ends << 16 | mask(end), opens << 16 | mask(open))
    });
    ends & !(opens >> 1)
}

/// How many moves such as `;B[pd]` 32 bytes begin with, and how many of them are White's.
#[inline(always)]
pub(in crate::syntax) fn moves(window: &[u8; 32]) -> (usize, usize) {
    // SAFETY: every x86-64 has SSE2.
    let (right, odd) = unsafe { sse2_moves(window) };
    let white = |bits: u32| {
        // B and W differ in their lowest bit too. Each letter gets six bits of the product; those from bit 24 on hold their sum.
        (((u64::from((odd >> 1) & 0x0104_1041 & bits)) * 0x0104_1041) >> 24) as usize & 0x3F
    };
    // The full number of moves is the case predicted best, and then nothing has to wait for the count.
    if right | 3 << 30 == u32::MAX {
        return (MOVES, white(u32::MAX));
    }
    // Division by six. The compiler does not know how small the number is.
    let count = (right.trailing_ones() * 43) >> 8;
    (count as usize, white((1 << (MOVE_LEN as u32 * count)) - 1))
}

/// For each byte of five moves, two values of which it may equal either, and one that it may be above.
struct Shape {
    either: [u8; 32],
    or: [u8; 32],
    above: [u8; 32],
}

const SHAPE: Shape = {
    // No byte is above 0x7F: comparisons are signed.
    let place = [
        (b';', b';', 0x7F),
        (b'B', b'W', 0x7F),
        (b'[', b'[', 0x7F),
        (b'a', b'a', b']'),
        (b'a', b'a', b']'),
        (b']', b']', 0x7F),
    ];
    let mut shape = Shape { either: [0; 32], or: [0; 32], above: [0; 32] };
    let mut i = 0;
    while i < 32 {
        (shape.either[i], shape.or[i], shape.above[i]) = place[i % MOVE_LEN];
        i += 1;
    }
    shape
};

/// A bit for each byte that may stand at its place in moves, and for each byte with an odd value.
#[inline]
#[target_feature(enable = "sse2")]
fn sse2_moves(window: &[u8; 32]) -> (u32, u32) {
    let mask = |bytes| _mm_movemask_epi8(bytes).cast_unsigned();
    let load = |bytes: &[u8; 32], half: usize| {
        let (halves, _) = bytes.as_chunks::<16>();
        // SAFETY: 16 bytes are read from an array of 16; the load asks for no alignment.
        unsafe { _mm_loadu_si128(halves[half].as_ptr().cast()) }
    };
    [1, 0].into_iter().fold((0, 0), |(right, odd), half| {
        let bytes = load(window, half);
        let either = _mm_cmpeq_epi8(bytes, load(&SHAPE.either, half));
        let or = _mm_cmpeq_epi8(bytes, load(&SHAPE.or, half));
        let above = _mm_cmpgt_epi8(bytes, load(&SHAPE.above, half));
        let is_right = _mm_or_si128(_mm_or_si128(either, or), above);
        (right << 16 | mask(is_right), odd << 16 | mask(_mm_slli_epi16::<7>(bytes)))
    })
}

/// How many spaces and TABs 16 bytes begin with.
#[inline(always)]
pub(in crate::syntax) fn blanks(window: &[u8; 16]) -> usize {
    // SAFETY: every x86-64 has SSE2.
    unsafe { sse2_blanks(window) }.trailing_ones() as usize
}

#[inline]
#[target_feature(enable = "sse2")]
fn sse2_blanks(window: &[u8; 16]) -> u32 {
    // SAFETY: 16 bytes are read from an array of 16; the load asks for no alignment.
    let bytes = unsafe { _mm_loadu_si128(window.as_ptr().cast()) };
    let (space, tab) = (_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x20)), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x09)));
    _mm_movemask_epi8(_mm_or_si128(space, tab)).cast_unsigned()
}
