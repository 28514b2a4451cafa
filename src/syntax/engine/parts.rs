//! Where a value may be cut in two without harm: never inside an escape, a line break or a UTF-8 character.
//!
//! Refuses to know other charsets: in those of two bytes a piece may end inside a character, so none is decoded by itself.
//!
//! Owns no state: all of it is in the bytes. Invariant: pieces cut here, decoded one by one, make the text of the whole.

use crate::text::escape::line_break_len;

/// Bytes after which any unit that has begun is complete.
pub(super) const UNIT_LIMIT: usize = 5;

/// The length of the first unit: a character, a line break, or either with the backslash before it. `None` where more bytes
/// could belong to it.
pub(super) fn unit_len(bytes: &[u8]) -> Option<usize> {
    let (&first, rest) = bytes.split_first()?;
    match first {
        b'\\' if rest.first() == Some(&b'\\') => Some(2),
        b'\\' => unit_len(rest).map(|len| len + 1),
        b'\r' | b'\n' => (bytes.len() > 1).then(|| line_break_len(bytes)),
        _ => {
            let more = match first {
                0xC2..=0xDF => 1,
                0xE0..=0xEF => 2,
                0xF0..=0xF4 => 3,
                _ => 0,
            };
            let got = rest.iter().take(more).take_while(|&&byte| byte & 0xC0 == 0x80).count();
            (got == more || got < rest.len()).then_some(got + 1)
        }
    }
}

/// The end of the last complete unit. `bytes` begins at the start of one.
///
/// Looks at the end only: a unit boundary is found by going back past line breaks and backslashes, whose meaning depends
/// on what stands before them. From there the units are walked. Linear in the longest run of such bytes at the end.
pub(super) fn cut(bytes: &[u8]) -> usize {
    let mut start = bytes.len().saturating_sub(UNIT_LIMIT);
    while start > 0 && matches!(bytes[start - 1], b'\\' | b'\r' | b'\n') {
        start -= 1;
    }
    while let Some(len) = unit_len(&bytes[start..]) {
        start += len;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sequences;

    /// Where to cut, found by walking from the start.
    fn slow_cut(bytes: &[u8]) -> usize {
        let mut start = 0;
        while let Some(len) = unit_len(&bytes[start..]) {
            start += len;
        }
        start
    }

    #[test]
    fn escapes_line_breaks_and_characters_are_not_split() {
        for (bytes, expected) in [
            (&b""[..], 0),
            (b"ab", 2),
            (b"ab\\", 2),
            (b"ab\\\\", 4),
            (b"ab\\\\\\", 4),
            (b"ab\n", 2),
            (b"ab\r\n", 4),
            (b"ab\\\r", 2),
            (b"ab\\\r\n", 5),
            (b"ab\xC3", 2),
            (b"ab\xC3\xA4", 4),
            (b"ab\xF0\x9F\x80", 2),
            (b"ab\xF0\x9F\x80\x80", 6),
            (b"ab\\\xE5\x9B", 2),
            (b"ab\\\xE5\x9B\xA0", 6),
            (b"ab\xE5\\", 3),
            (b"\x80\x80\x80\x80", 4),
        ] {
            assert_eq!(cut(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn cut_agrees_with_walking_from_the_start() {
        let alphabet = [b'a', b'\\', b'\r', b'\n', 0xE5, 0x90];
        for bytes in sequences::<_, 7>(&alphabet) {
            assert_eq!(cut(&bytes), slow_cut(&bytes), "{bytes:?}");
        }
    }
}
