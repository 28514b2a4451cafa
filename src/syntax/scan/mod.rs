//! Where is the next byte of a set?
//!
//! Owns the searches of the engine as pure functions on `&[u8]`. Knows no state but the one bit that an escape leaves, and
//! no buffers; the only room where anything faster than plain code may live.

use memchr::{memchr2, memchr3};

/// The `]` that no backslash stands before. `escaped`: the first byte is literal; afterwards, if there is no such `]`,
/// whether the next one is.
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
    }
}

/// The next `[`, `(` or `)`, or also `;` if asked for.
#[inline]
pub(super) fn find_structure(bytes: &[u8], semicolon: bool) -> Option<usize> {
    if semicolon {
        return bytes.iter().position(|byte| matches!(byte, b'[' | b'(' | b')' | b';'));
    }
    memchr3(b'[', b'(', b')', bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_is_a_bracket_without_a_backslash() {
        for (bytes, escaped, found, after) in [
            (&b"ab]"[..], false, Some(2), false),
            (b"]", false, Some(0), false),
            (b"]]", true, Some(1), false),
            (b"a\\]]", false, Some(3), false),
            (b"a\\\\]", false, Some(3), false),
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
