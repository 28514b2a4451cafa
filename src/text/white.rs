//! White space as SGF has it.
//!
//! Owns which bytes it is made of: those of the standard library, and the vertical tab, which that leaves out. Trimming
//! with another set would find a token where the engine finds none.

/// White space between tokens.
#[inline(always)]
pub(crate) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// White space within a line.
#[inline(always)]
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether these bytes end a line, but for blanks: what comes next begins one.
pub(crate) fn ends_with_line_break(bytes: &[u8]) -> bool {
    matches!(bytes.iter().rfind(|&&byte| !is_blank(byte)), Some(b'\n' | b'\r'))
}

/// The bytes behind up to 24 bytes of white space. Behind a longer run, some white space may be left at the front.
#[inline(always)]
pub(crate) fn past_white(mut bytes: &[u8]) -> &[u8] {
    // Usually there is none, or a line end. How much more there is, the branch predictor cannot learn, so the rest is
    // examined eight bytes at a time.
    for _ in 0..2 {
        match bytes {
            [byte, rest @ ..] if is_white(*byte) => bytes = rest,
            _ => return bytes,
        }
    }
    for _ in 0..3 {
        let Some(window) = bytes.first_chunk() else { return trim_start(bytes) };
        let len = white_len(window);
        bytes = &bytes[len..];
        if len < window.len() {
            break;
        }
    }
    bytes
}

/// How many of eight bytes are white space, up to the first other.
#[inline(always)]
pub(crate) fn white_len(window: &[u8; 8]) -> usize {
    (!are_white(window) & HIGH).trailing_zeros() as usize / 8
}

/// The last byte that is neither white space nor this one.
#[inline(always)]
pub(crate) fn last_other(mut bytes: &[u8], byte: u8) -> Option<u8> {
    let pattern = u64::from_ne_bytes([byte; 8]);
    while let Some((before, window)) = bytes.split_last_chunk() {
        let others = !(are_white(window) | are_zero(u64::from_le_bytes(*window) ^ pattern)) & HIGH;
        if others != 0 {
            return Some(window[7 - others.leading_zeros() as usize / 8]);
        }
        bytes = before;
    }
    bytes.iter().copied().rfind(|&other| other != byte && !is_white(other))
}

const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const HIGH: u64 = !LOW;

/// The high bit of each byte that is white space; the lowest bits are for the first byte; other bits mean nothing.
#[inline(always)]
const fn are_white(window: &[u8; 8]) -> u64 {
    let word = u64::from_le_bytes(*window);
    let low = word & LOW;
    let is_control = (low + 0x7777_7777_7777_7777) & !(low + 0x7272_7272_7272_7272) & !word;
    are_zero(word ^ 0x2020_2020_2020_2020) | is_control
}

/// The high bit of each byte that is zero.
#[inline(always)]
const fn are_zero(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word)
}

/// The bytes without leading white space.
pub(crate) fn trim_start(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| !is_white(byte));
    &bytes[start.unwrap_or(bytes.len())..]
}

/// The bytes without trailing white space.
pub(crate) fn trim_end(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|&byte| !is_white(byte));
    &bytes[..last.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_at_once_agree_with_single_bytes() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                for other in *b" \ra\x89\xA0\xFF" {
                    let mut window = [other; 8];
                    window[at] = byte;
                    let white = are_white(&window);
                    for (i, &byte) in window.iter().enumerate() {
                        assert_eq!(white >> (8 * i + 7) & 1 == 1, is_white(byte), "{byte} {window:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_last_other_byte_is_found_at_any_offset() {
        for len in 0..30 {
            for blanks in [&b") \t"[..], b"\n", b")"] {
                let bytes: Vec<u8> = blanks.iter().copied().cycle().take(len).collect();
                assert_eq!(last_other(&bytes, b')'), None, "{len}");
                for at in 0..len {
                    let mut bytes = bytes.clone();
                    bytes[at] = b']';
                    bytes[at / 2] = b'(';
                    assert_eq!(last_other(&bytes, b')'), Some(if at == 0 { b'(' } else { b']' }), "{len} {at}");
                }
            }
        }
    }

    #[test]
    fn past_white_passes_all_or_much_white_space() {
        for len in 0..50 {
            for behind in [&b""[..], b"x", b"[seven ]", b"[more than eight]"] {
                let bytes = [&vec![b'\t'; len][..], behind].concat();
                let passed = bytes.len() - past_white(&bytes).len();
                assert!(passed == len || (24 < passed && passed < len), "{len} {passed} {behind:?}");
            }
        }
    }

    #[test]
    fn the_vertical_tab_is_white() {
        assert_eq!(
            (trim_start(b"\x0B \r\n\t\x0Ca \x0B"), trim_end(b"\x0B a\x0B\x0C\r\n\t ")),
            (&b"a \x0B"[..], &b"\x0B a"[..])
        );
        assert_eq!(
            (trim_start(b"\x0B"), trim_end(b"\x0B"), trim_start(b""), trim_end(b"")),
            (&b""[..], &b""[..], &b""[..], &b""[..])
        );
    }
}
