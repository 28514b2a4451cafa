//! Where is the next byte of a set?
//!
//! Owns the searches of the engine as functions on `&[u8]`. Knows no buffers, and no state except what two bytes of a
//! value can leave between them. This is the only module where SIMD and anything `unsafe` may be.

mod block;
mod follow;
mod lines;
mod skip;
mod tree;
mod value;
#[cfg(any(test, sgf_stream_portable, not(target_arch = "x86_64")))]
mod words;
#[cfg(target_arch = "x86_64")]
#[cfg_attr(sgf_stream_portable, allow(dead_code, reason = "only tests run these kernels then"))]
mod x86;

use memchr::memchr2;

// Searches of nearby bytes run where a function call would cost too much, so their kernel is chosen at compile time.
#[cfg(any(sgf_stream_portable, not(target_arch = "x86_64")))]
use self::words as near;
#[cfg(all(target_arch = "x86_64", not(sgf_stream_portable)))]
use self::x86 as near;

pub(super) use self::follow::odd_close;
pub(super) use self::lines::{LineEnds, line_ends};
pub(super) use self::near::{blanks, escaped_value, moves, plain_value};
pub(super) use self::skip::{Skip, skip};
pub(super) use self::tree::{find_tree, rfind_tree};
pub(super) use self::value::{ValueEnd, value_end};

/// The first `]` without a backslash before it. `escaped`: the first byte is literal; afterwards, if there is no such
/// `]`, whether the next byte is.
#[inline]
pub(super) fn find_close(bytes: &[u8], escaped: &mut bool) -> Option<usize> {
    let mut at = usize::from(*escaped);
    *escaped = false;
    loop {
        let Some(rest) = bytes.get(at..) else {
            *escaped = at > bytes.len();
            return None;
        };
        at += memchr2(b']', b'\\', rest)?;
        if bytes[at] == b']' {
            return Some(at);
        }
        at += 2;
        // Escapes that were escaped again and again form a run of backslashes.
        while let Some([b'\\', _]) = bytes.get(at..at + 2) {
            at += 2;
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const CLOSES: u64 = 0x5D5D_5D5D_5D5D_5D5D;
const OPENS: u64 = 0x5B5B_5B5B_5B5B_5B5B;

/// The high bit of each byte below `limit` (at most 128), exact up to the first such byte.
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * limit as u64) & !word & HIGH
}

/// The length of a move such as `;B[pd]`.
pub(super) const MOVE_LEN: usize = 6;

/// Whether eight bytes begin with a move such as `;B[pd]`: B or W, and for the point two ASCII bytes above `]`.
///
/// Any other letter would do in principle, except C and N: their values are text, and may go on after a `]`.
#[inline(always)]
pub(super) fn is_move(window: &[u8; 8]) -> bool {
    // One load: if the bytes are checked one by one, the compiler assembles the word from them.
    let word = u64::from_le_bytes(*window);
    is_point_value(&[window[2], window[3], window[4], window[5]])
        && word as u8 == b';'
        && matches!((word >> 8) as u8, b'B' | b'W')
}

/// How many moves are recognised at once.
pub(super) const MOVES: usize = 5;

/// The length of a point such as `pd`.
pub(super) const POINT: usize = 2;

/// Whether these are a point such as `[pd]`: two ASCII bytes above `]`.
#[inline(always)]
pub(super) fn is_point_value(window: &[u8; POINT + 2]) -> bool {
    is_point_at(8, u32::from_le_bytes(*window), 0xFF80_80FF, 0x5D00_005B)
}

/// Whether these bytes, which follow a `[`, begin with a point and its `]`.
#[inline(always)]
pub(super) fn is_point(window: &[u8; NEAR]) -> bool {
    let [first, second, third, fourth, ..] = *window;
    is_point_at(0, u32::from_le_bytes([first, second, third, fourth]), 0x00FF_8080, 0x005D_0000)
}

/// Whether the two bytes from this bit on are above `]`, if they are ASCII, and whether everything else that `mask`
/// covers is as expected.
#[inline(always)]
fn is_point_at(bit: u32, word: u32, mask: u32, expected: u32) -> bool {
    // From `^` on the sum reaches 0x80. An ASCII byte has no such bit by itself.
    let low = !word.wrapping_add(0x2222 << bit) & (0x8080 << bit);
    (word & mask) ^ expected | low == 0
}

/// The first `]` or backslash of eight bytes.
#[inline(always)]
pub(super) fn close_or_escape(window: &[u8; 8]) -> Option<usize> {
    let found = below((u64::from_le_bytes(*window) | ONES) ^ CLOSES, 1);
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// Whether one of the last 16 bytes is a `[`; of fewer bytes, any.
#[inline(always)]
pub(super) fn opens_near_end(bytes: &[u8]) -> bool {
    let opens = |half: &[u8; 8]| below(u64::from_le_bytes(*half) ^ OPENS, 1);
    match (bytes.split_last_chunk(), bytes.first_chunk()) {
        (Some((before, last)), Some(first)) => opens(before.last_chunk().unwrap_or(first)) | opens(last) != 0,
        _ => bytes.contains(&b'['),
    }
}

/// Whether a `[` is among these bytes. Most are the words of a header, and a call of memchr would take longer than this.
#[inline(always)]
pub(super) fn opens(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<16>() else { return bytes.contains(&b'[') };
    let mut found = [0; 16];
    for chunk in bytes.as_chunks().0.iter().chain([last]) {
        for (found, byte) in found.iter_mut().zip(chunk) {
            *found |= u8::from(*byte == b'[');
        }
    }
    found != [0; 16]
}

/// The `]` that ends the value in which the bytes begin, together with the values that follow it directly. It is
/// searched for as long as there are 32 bytes and few backslashes. A value may still follow: after white space, or if
/// the `]` is the last of the 32 bytes that were examined together.
#[inline(always)]
pub(super) fn list_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut escapes = 0;
    loop {
        match first_end(bytes.get(at..)?.first_chunk()?) {
            None => at += ENDS,
            Some(near) if bytes[at + near] == b']' => return Some(at + near),
            // A game quoted in a text has a backslash for each move, and each would start this search again.
            Some(_) if escapes == ESCAPES => return None,
            Some(near) => {
                at += near + 2;
                escapes += 1;
            }
        }
    }
}

/// How many escapes a list may contain for its end to be found here.
const ESCAPES: u32 = 1;

/// How many bytes [`first_end`] examines together.
const ENDS: usize = 32;

/// The first `]` or backslash of these bytes that does not stand before a `[`: before a `[`, a `]` ends no list, and a
/// backslash changes nothing.
#[inline(always)]
fn first_end(window: &[u8; ENDS]) -> Option<usize> {
    let ends = near::ends(window);
    (ends != 0).then(|| ends.trailing_zeros() as usize)
}

/// How many bytes behind a `[` are searched for a near end.
pub(super) const NEAR: usize = 32;

/// The bytes of a block that are escaped: a backslash stands before them that is not itself escaped. `escaped`: 1 if the
/// first byte is one, else 0; afterwards the same for the byte after the block.
///
/// In a run of backslashes, the first, third, fifth ... escape. Adding to a run its first bit turns its bits to 0. So if
/// that is done only for the runs that begin at an even bit, the sum has the bits of the others, and thus tells for each
/// backslash whether it escapes at even or at odd bits.
#[inline(always)]
const fn escaped_bytes(backslashes: u64, escaped: &mut u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = *escaped;
    let rest = backslashes & !first;
    if rest == 0 {
        *escaped = 0;
        return first;
    }
    let sum = rest.wrapping_add(rest & !(rest << 1) & EVEN);
    let escaping = rest & (sum ^ EVEN);
    *escaped = escaping >> 63;
    escaping << 1 | first
}

/// Whether each rule for white space that is repeated among the searches has this byte. A test outside compares them
/// with the rule of `text`, which is not known here.
#[cfg(test)]
pub(super) fn are_white(byte: u8) -> Vec<bool> {
    struct Mask(u8);

    impl block::Task for Mask {
        type Output = bool;

        #[inline(always)]
        fn run<B: block::Block>(self, kernel: B) -> bool {
            block::white(kernel, &[self.0; block::BLOCK]) == u64::MAX
        }
    }

    let masks = block::run_all(|| Mask(byte)).into_iter().map(|(_, is_white)| is_white);
    std::iter::once(tree::is_white(byte)).chain(masks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    #[test]
    fn moves_and_points_contain_no_special_bytes() {
        for [x, y] in (0..=u16::MAX).map(u16::to_ne_bytes) {
            let are_above = x.is_ascii() && y.is_ascii() && x > b']' && y > b']';
            assert_eq!(is_move(&[b';', b'B', b'[', x, y, b']', b';', b'W']), are_above, "{x} {y}");
            assert_eq!(is_move(&[b';', b'W', b'[', x, y, b']', x, y]), are_above, "{x} {y}");
            assert_eq!(is_move(&[x, y, b'[', b'p', b'd', b']', x, y]), [x, y] == *b";B" || [x, y] == *b";W", "{x} {y}");
            assert_eq!(is_point_value(&[b'[', x, y, b']']), are_above, "{x} {y}");
            assert_eq!(is_point_value(&[b'[', b'a', x, y]), y == b']' && x.is_ascii() && x > b']', "{x} {y}");
            assert_eq!(is_point_value(&[x, b'a', b'a', y]), [x, y] == *b"[]", "{x} {y}");
            let value = |bytes: [u8; 4]| {
                let mut window = [y; NEAR];
                window[..4].copy_from_slice(&bytes);
                window
            };
            assert_eq!(is_point(&value([x, y, b']', y])), are_above, "{x} {y}");
            assert_eq!(is_point(&value([b'a', b'a', x, y])), x == b']', "{x} {y}");
            let window = [b'a', x, b'\\' | 0x80, y, 0, b'\n', b']' ^ 2, b'Z'];
            assert_eq!(close_or_escape(&window), window.iter().position(|byte| b"\\]".contains(byte)), "{x} {y}");
        }
        for at in 0..32 {
            for byte in 0..=u8::MAX {
                let mut window = *b";B[pd];W[^\x7F];W[aa];B[zz];W[tt];B";
                window[at] = byte;
                let (count, white) = moves(&window);
                let as_ever = match (at % MOVE_LEN, byte) {
                    (1, b'B' | b'W') | (3 | 4, b'^'..0x80) => true,
                    _ => byte == b";B[pd]"[at % MOVE_LEN] || at >= MOVES * MOVE_LEN,
                };
                assert_eq!(count, if as_ever { MOVES } else { at / MOVE_LEN }, "{}", window.escape_ascii());
                let letters = window.iter().skip(1).step_by(MOVE_LEN).take(count);
                assert_eq!(white, letters.filter(|&&letter| letter == b'W').count(), "{}", window.escape_ascii());
                assert_eq!(words::moves(&window), (count, white), "{}", window.escape_ascii());
            }
        }
        for at in 0..8 {
            for end in *b"\\]" {
                let mut window = [b'^'; 8];
                window[at..].fill(end);
                assert_eq!(close_or_escape(&window), Some(at));
            }
        }
    }

    #[test]
    fn blanks_end_at_another_byte() {
        for len in 0..=16 {
            for end in 0..=u8::MAX {
                let mut window = [b' '; 16];
                window[..len].iter_mut().step_by(3).for_each(|byte| *byte = b'\t');
                window[len..].fill(end);
                let expected = if matches!(end, b' ' | b'\t') { 16 } else { len };
                assert_eq!((blanks(&window), words::blanks(&window)), (expected, expected), "{len} {end}");
            }
        }
    }

    #[test]
    fn a_plain_value_has_no_special_byte_before_its_end() {
        fn naive(bytes: &[u8]) -> Option<(usize, bool)> {
            let len = bytes.iter().position(|&byte| matches!(byte, b'['..=b']' | 0..0x0E))?;
            (bytes[len] == b']').then(|| (len, bytes[..len].is_ascii()))
        }
        let mut found = 0;
        for seed in 1..2000 {
            let mut rng = Rng::new(seed);
            let alphabet = b"]\\\r\x0D\x0E[^\xDD\xDC\x80abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
            let bytes = [(); 48].map(|()| rng.pick(alphabet));
            for window in bytes.windows(NEAR).map(|window| window.first_chunk().unwrap()) {
                let expected = naive(window);
                assert_eq!(plain_value(window), expected, "{}", window.escape_ascii());
                assert_eq!(words::plain_value(window), expected, "{}", window.escape_ascii());
                let escaped = escaped_value(window);
                assert_eq!(words::escaped_value(window), escaped, "{}", window.escape_ascii());
                assert!(expected.is_none() || escaped.is_none() || escaped == expected, "{}", window.escape_ascii());
                for len in 0..NEAR {
                    let expected = window[len.saturating_sub(16)..len].contains(&b'[');
                    assert_eq!(opens_near_end(&window[..len]), expected, "{len} {}", window.escape_ascii());
                    assert_eq!(opens(&window[..len]), window[..len].contains(&b'['));
                }
                if let Some((len, _)) = escaped {
                    assert_eq!(find_close(window, &mut false), Some(len), "{}", window.escape_ascii());
                    assert!(window[..len].iter().all(|&byte| byte >= 0x0E));
                    found += 1;
                }
            }
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn a_list_ends_after_its_last_value() {
        /// The end of the list; the bytes may go on.
        fn naive(bytes: &[u8]) -> Option<usize> {
            let mut escaped = false;
            let mut ends = bytes.iter().enumerate().filter(|&(at, &byte)| {
                let is_end = byte == b']' && !escaped && bytes.get(at + 1) != Some(&b'[');
                escaped = byte == b'\\' && !escaped;
                is_end
            });
            ends.next().map(|(at, _)| at)
        }
        for seed in 1..3000_u64 {
            let mut rng = Rng::new(seed);
            let alphabet = &b"]][[\\abcdefghijklmnopqrstuvwxyz\xDD\xDC"[..if seed % 2 == 0 { 9 } else { 33 }];
            let bytes = [(); 100].map(|()| rng.pick(alphabet));
            let (text, _) = bytes.split_at(seed as usize % 100);
            #[cfg(target_arch = "x86_64")]
            {
                let window = bytes.first_chunk().unwrap();
                assert_eq!(x86::ends(window), words::ends(window), "{}", window.escape_ascii());
            }
            match (list_end(text), naive(text)) {
                // `list_end` does not see the byte after its bytes, so it may end at a `]` before a `[`, but never inside a value.
                (Some(found), expected) if Some(found) != expected => {
                    assert_eq!((text[found], text[found + 1]), (b']', b'['), "{}", text.escape_ascii());
                    assert!(expected.is_none_or(|expected| found < expected), "{}", text.escape_ascii());
                }
                (None, Some(end)) => {
                    let escapes = memchr::memchr_iter(b'\\', &text[..end]).count();
                    let is_far = end + ENDS > text.len().saturating_sub(ENDS);
                    assert!(is_far || escapes > ESCAPES as usize, "{}", text.escape_ascii());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_byte_is_escaped_by_a_backslash_that_is_not() {
        fn naive(backslashes: u64, escaped: &mut u64) -> u64 {
            (0..64).fold(0, |mask, bit| {
                let is_escaped = *escaped;
                *escaped = backslashes >> bit & 1 & !is_escaped;
                mask | is_escaped << bit
            })
        }
        let mut rng = Rng::new(1);
        for round in 0..100_000_u64 {
            let random = u64::from_le_bytes([(); 8].map(|()| rng.below(256) as u8));
            // All short runs; few and many backslashes; runs up to each end.
            let backslashes = match round {
                0..0x10000 => round << (round % 5 * 12),
                _ if round % 3 == 0 => !(random & random >> 7 & random << 9),
                _ if round % 3 == 1 => u64::MAX << rng.below(64) & u64::MAX >> rng.below(64),
                _ => random,
            };
            for first in [0, 1] {
                let (mut expected, mut escaped) = (first, first);
                let mask = naive(backslashes, &mut expected);
                assert_eq!((escaped_bytes(backslashes, &mut escaped), escaped), (mask, expected), "{backslashes:x}");
            }
        }
    }

    #[test]
    fn a_close_is_an_unescaped_bracket() {
        for (bytes, escaped, found, after) in [
            (&b"ab]"[..], false, Some(2), false),
            (b"]", false, Some(0), false),
            (b"]]", true, Some(1), false),
            (b"a\\]]", false, Some(3), false),
            (b"a\\\\]", false, Some(3), false),
            (b"a\\\\\\\\]", false, Some(5), false),
            (b"a\\\\\\\\\\]]", false, Some(7), false),
            (b"\\\\\\\\", true, None, true),
            (b"\\\\\\\\", false, None, false),
            (b"ab", false, None, false),
            (b"ab\\", false, None, true),
            (b"\\", true, None, false),
            (b"", false, None, false),
        ] {
            let mut state = escaped;
            assert_eq!(find_close(bytes, &mut state), found, "{bytes:?}");
            assert_eq!(state, after, "{bytes:?}");
        }
    }
}
