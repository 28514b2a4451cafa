//! Escapes, line breaks and white space.
//!
//! The rules are those of FF\[4\]: a backslash makes the next byte literal, before a line break it removes both; a line
//! break is LF, CR, CRLF or LFCR. All of it works on bytes: of UTF-8, of a charset in which `\`, `]` and `:` are never part
//! of another character, or of any charset by the byte rules. Refuses to know charsets.
//!
//! Owns no state.

use std::borrow::Cow;

/// A raw value by the rules of Text.
///
/// Escapes are resolved and soft line breaks removed. LF, CR, CRLF and LFCR each become one LF; TAB, VT and FF each
/// become a space, escaped or not. A lone backslash at the end, which a cut piece may have but no value, is dropped.
/// Borrowed if nothing changes. Takes time linear in the length.
pub fn text(raw: &[u8]) -> Cow<'_, [u8]> {
    cook(raw, b'\n')
}

/// A raw value by the rules of SimpleText: as [`text()`], but a line break becomes one space.
pub fn simple_text(raw: &[u8]) -> Cow<'_, [u8]> {
    cook(raw, b' ')
}

/// The halves of a composed value, before and after the first unescaped `:`; both still raw.
pub fn split_compose(raw: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b':', b'\\', &raw[at..])?;
        if raw[at] == b':' {
            return Some((&raw[..at], &raw[at + 1..]));
        }
        at = raw.len().min(at + 2);
    }
}

/// A composed value made of two raw halves: the inverse of [`split_compose`].
///
/// A property that takes a simple value may hold a `:` that nobody escaped. If you have split such a value, join it
/// again to get what stood in the file (HexWiki's notes on SGF).
pub fn join_compose(left: &[u8], right: &[u8]) -> Vec<u8> {
    [left, b":", right].concat()
}

/// The raw value that reads as this text: the inverse of [`text()`] and [`simple_text`].
///
/// Escapes `]` and `\`. Borrowed if there are none. Escapes can't save what reading changes: TAB, VT and FF become
/// spaces, CR and CRLF one line break, and in SimpleText a line break becomes a space.
pub fn escape(text: &[u8]) -> Cow<'_, [u8]> {
    escaped(text, |byte| matches!(byte, b']' | b'\\'))
}

/// Escapes text as half of a composed value: as [`escape`], and `:` too.
pub fn escape_compose(text: &[u8]) -> Cow<'_, [u8]> {
    escaped(text, |byte| matches!(byte, b']' | b'\\' | b':'))
}

fn escaped(text: &[u8], special: impl Fn(u8) -> bool) -> Cow<'_, [u8]> {
    let Some(first) = text.iter().position(|&byte| special(byte)) else {
        return Cow::Borrowed(text);
    };
    let mut raw = Vec::with_capacity(text.len() + 8);
    raw.extend_from_slice(&text[..first]);
    for &byte in &text[first..] {
        if special(byte) {
            raw.push(b'\\');
        }
        raw.push(byte);
    }
    Cow::Owned(raw)
}

fn cook(raw: &[u8], line_break: u8) -> Cow<'_, [u8]> {
    let changes =
        |&byte: &u8| matches!(byte, b'\\' | b'\t' | 0x0B | 0x0C | b'\r') || (byte == b'\n' && line_break != b'\n');
    // A LF on its own stays in Text, but one with a CR after it swallows that CR, which `changes` then finds.
    let Some(first) = raw.iter().position(changes) else {
        return Cow::Borrowed(raw);
    };
    let mut first = first;
    if raw[first] == b'\r' && first > 0 && raw[first - 1] == b'\n' {
        first -= 1;
    }
    let mut cooked = Vec::with_capacity(raw.len());
    cooked.extend_from_slice(&raw[..first]);
    let mut rest = &raw[first..];
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\\' => {
                let soft = line_break_len(rest);
                if soft > 0 {
                    rest = &rest[soft..];
                } else if let Some((&literal, after)) = rest.split_first() {
                    rest = after;
                    cooked.push(if is_space(literal) { b' ' } else { literal });
                }
            }
            b'\n' | b'\r' => {
                if matches!((byte, rest.first()), (b'\n', Some(b'\r')) | (b'\r', Some(b'\n'))) {
                    rest = &rest[1..];
                }
                cooked.push(line_break);
            }
            _ => cooked.push(if is_space(byte) { b' ' } else { byte }),
        }
    }
    Cow::Owned(cooked)
}

/// White space that is no line break.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// The length of the line break that `bytes` begins with, or 0.
pub(crate) fn line_break_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] | [b'\n', b'\r', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, as_text: &str, as_simple: &str) {
        assert_eq!(text(raw.as_bytes()), as_text.as_bytes(), "Text of {raw:?}");
        assert_eq!(simple_text(raw.as_bytes()), as_simple.as_bytes(), "SimpleText of {raw:?}");
    }

    #[test]
    fn nothing_to_change_is_borrowed() {
        assert!(matches!(text(b"plain: [12k] (;)\nand a line"), Cow::Borrowed(_)));
        assert!(matches!(simple_text(b"plain: [12k] (;)"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_backslash_makes_the_next_byte_literal() {
        check(r"a\]b\\c\:d\n", r"a]b\c:dn", r"a]b\c:dn");
    }

    #[test]
    fn soft_line_breaks_vanish_in_all_four_forms() {
        for newline in ["\n", "\r", "\r\n", "\n\r"] {
            check(&format!("a\\{newline}b"), "ab", "ab");
            check(&format!("a\\{newline}{newline}b"), "a\nb", "a b");
        }
    }

    #[test]
    fn hard_line_breaks_are_kept_in_all_four_forms() {
        for newline in ["\n", "\r", "\r\n", "\n\r"] {
            check(&format!("a{newline}b"), "a\nb", "a b");
        }
        check("\r\n\n\r", "\n\n", "  ");
        check("a\n\nb", "a\n\nb", "a  b");
    }

    #[test]
    fn other_white_space_becomes_spaces_even_if_escaped() {
        check("a\t\x0B\x0Cb\\\tc", "a   b c", "a   b c");
    }

    #[test]
    fn an_incomplete_escape_is_dropped() {
        check("ab\\", "ab", "ab");
    }

    #[test]
    fn compose_splits_at_the_first_colon_that_is_not_escaped() {
        assert_eq!(split_compose(b"CGoban:3"), Some((&b"CGoban"[..], &b"3"[..])));
        assert_eq!(split_compose(br"a\:b:c:d"), Some((&br"a\:b"[..], &b"c:d"[..])));
        assert_eq!(split_compose(br"a\\:b"), Some((&br"a\\"[..], &b"b"[..])));
        assert_eq!(split_compose(b":"), Some((&b""[..], &b""[..])));
        assert_eq!(split_compose(br"name\:"), None);
        assert_eq!(split_compose(br"name\"), None);
    }
}
