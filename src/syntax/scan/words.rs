//! Short searches for any processor: with plain words and bytes, they do what the kernels for x86-64 do with 16 bytes at once.
//!
//! Owns the meaning of these searches; any other implementation has to give the same results for all bytes.

use super::{CLOSES, ENDS, HIGH, MOVE_LEN, MOVES, NEAR, ONES, OPENS, below, is_move};

/// How many moves such as `;B[pd]` these bytes begin with, one after the other, and how many of them are White's.
#[inline]
pub(in crate::syntax) fn moves(window: &[u8; 32]) -> (usize, usize) {
    let moves = (0..MOVES).filter_map(|i| window[i * MOVE_LEN..].first_chunk::<8>()).take_while(|bytes| is_move(bytes));
    moves.fold((0, 0), |(count, white), bytes| (count + 1, white + usize::from(bytes[1] == b'W')))
}

/// A bit for each byte that is `]` or a backslash and does not stand before a `[`.
#[inline]
pub(super) fn ends(window: &[u8; ENDS]) -> u32 {
    let bit = |i: usize| {
        let is_end = window[i] | 1 == b']' && window.get(i + 1) != Some(&b'[');
        u32::from(is_end) << i
    };
    (0..ENDS).map(bit).fold(0, |ends, bit| ends | bit)
}

/// How many spaces and TABs these bytes begin with.
#[inline]
pub(in crate::syntax) fn blanks(window: &[u8; 16]) -> usize {
    window.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The length of a short value that needs no second look, and whether it is ASCII: `]` comes before any backslash, `[` or line
/// end.
#[inline]
pub(in crate::syntax) fn plain_value(window: &[u8; NEAR]) -> Option<(usize, bool)> {
    let mut earlier = 0;
    for (at, bytes) in (0..).step_by(8).zip(window.as_chunks::<8>().0) {
        let word = u64::from_le_bytes(*bytes);
        // A backslash and `]` differ in the lowest bit only. Line ends are below 0x0E; so are TAB and its like, which are rare.
        let found = below((word | ONES) ^ CLOSES, 1) | below(word ^ OPENS, 1) | below(word, 0x0E);
        if found != 0 {
            let len = at + found.trailing_zeros() as usize / 8;
            let before = (found & found.wrapping_neg()) - 1;
            return (window[len] == b']').then_some((len, (earlier | word & before) & HIGH == 0));
        }
        earlier |= word;
    }
    None
}

/// The length of a short value with backslashes, and whether it is ASCII. The first backslash stands in the first half of the
/// window, none next to another, and no line end before the value's end.
#[inline]
pub(in crate::syntax) fn escaped_value(window: &[u8; NEAR]) -> Option<(usize, bool)> {
    if !window[..NEAR / 2].contains(&b'\\') || window.windows(2).any(|pair| pair == b"\\\\") {
        return None;
    }
    let is_close = |at: usize| window[at] == b']' && (at == 0 || window[at - 1] != b'\\');
    let len = (0..NEAR).find(|&at| is_close(at) || window[at] < 0x0E)?;
    is_close(len).then(|| (len, window[..len].is_ascii()))
}
