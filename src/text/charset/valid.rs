//! Whether bytes are UTF-8.
//!
//! Owns [`is_utf_8`], which agrees with the standard library and is faster on the short texts of games. Refuses to know how
//! much of a text is UTF-8 that is not all of it, and what follows from that.

/// Whether all of a text is UTF-8, as [`std::str::from_utf8`] says. Most text of games that is not ASCII is Chinese, Japanese or
/// Korean and short: names, a line of comment. This takes 0.4 of the standard library's time for a comment of such characters, 0.6
/// for names and 0.8 where most is ASCII; simdutf8 leaves what has less than 64 bytes to the standard library.
pub(crate) fn is_utf_8(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(bytes) = rest.first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        if is_long(word) && is_long(word >> 24) {
            // The length is used before it is known to be right, so that the next bytes need not wait.
            rest = rest.get(6..).unwrap_or_default();
            continue;
        }
        let ascii = (word & HIGH).trailing_zeros() as usize / 8;
        let len = match word.checked_shr(8 * ascii as u32) {
            Some(word) if is_long(word) => ascii + 3,
            Some(_) if ascii > 0 => ascii,
            Some(_) => match character(bytes) {
                Ok(len) => len,
                Err(_) => return false,
            },
            None => {
                let (blocks, _) = rest.as_chunks::<32>();
                (32 * blocks.iter().take_while(|block| block.is_ascii()).count()).max(8)
            }
        };
        rest = rest.get(len..).unwrap_or_default();
    }
    // NUL ends an incomplete character just as the end of the text does.
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    let mut word = match (rest.first_chunk(), rest.last_chunk()) {
        // They overlap.
        (Some(first), Some(last)) => half(first) | half(last) << (8 * (rest.len() - 4)),
        _ => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    while word & HIGH != 0 {
        word >>= (word & HIGH).trailing_zeros() / 8 * 8;
        let len = if is_long(word) { Ok(3) } else { character(&word.to_le_bytes()) };
        let Ok(len) = len else { return false };
        word >>= 8 * len;
    }
    true
}

const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Whether the first three bytes are a character whose first byte allows any second and third byte.
#[inline(always)]
fn is_long(word: u64) -> bool {
    const WHICH: u64 = u64::from_le_bytes([0xF0, 0xC0, 0xC0, 0, 0, 0, 0, 0]);
    const LONG: u64 = u64::from_le_bytes([0xE0, 0x80, 0x80, 0, 0, 0, 0, 0]);
    /// All but E0, after which some characters would be too short, and ED, after which some are halves of others.
    const PLAIN: u64 = 0xFFFF & !(1 << 0x0 | 1 << 0xD);
    word & WHICH == LONG && PLAIN >> (word & 0xF) & 1 != 0
}

/// The length of the UTF-8 character that a text begins with, the first byte not being ASCII. The error is the number of bytes
/// that are only the beginning of one. [`slice::utf8_chunks`] gives the same, at two or three times the cost if little is UTF-8.
#[inline]
pub(in crate::text) fn character(text: &[u8]) -> Result<usize, usize> {
    let goes_on = |at: usize| matches!(text.get(at), Some(0x80..=0xBF));
    match *text {
        [0xC2..=0xDF, 0x80..=0xBF, ..] => Ok(2),
        [0xE0, 0xA0..=0xBF, ..] | [0xE1..=0xEC | 0xEE | 0xEF, 0x80..=0xBF, ..] | [0xED, 0x80..=0x9F, ..] => {
            if goes_on(2) { Ok(3) } else { Err(2) }
        }
        [0xF0, 0x90..=0xBF, ..] | [0xF1..=0xF3, 0x80..=0xBF, ..] | [0xF4, 0x80..=0x8F, ..] => {
            match (goes_on(2), goes_on(3)) {
                (true, true) => Ok(4),
                (true, false) => Err(3),
                (false, _) => Err(2),
            }
        }
        _ => Err(1),
    }
}
