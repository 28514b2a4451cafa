//! Raw values from one charset to UTF-8.
//!
//! Owns [`Writing::recode`]. It changes characters; escapes, line breaks and white space between them stay as they were
//! written. Refuses to know where a value stood.

use std::borrow::Cow;

use encoding_rs::{Decoder, DecoderResult};

use crate::text::escape::line_break_len;
use crate::text::{Charset, Writing};

/// U+FFFD.
const REPLACEMENT: &str = "\u{FFFD}";

impl Writing {
    /// A raw value converted to a raw value in UTF-8 that reads as the same text, and whether some of its bytes were no
    /// text and became U+FFFD.
    ///
    /// Escapes, line breaks and white space stay as they are, with three exceptions: escapes inside a character, and
    /// before one that may be of two bytes; a `]` that was no end, which is now escaped; and, if the charset has
    /// characters that end in a bracket, a `[` behind a letter, which is escaped lest it begin a property whose
    /// predecessor has lost its `]`: in such a charset that is not looked for. Borrowed if nothing changes, as in ASCII.
    /// The result does not change when it is recoded again, [by byte](Self::by_byte) from UTF-8. Takes time linear in the
    /// length.
    pub fn recode(self, raw: &[u8]) -> (Cow<'_, [u8]>, bool) {
        let charset = self.charset();
        if raw.is_ascii() && !charset.is_stateful() && !charset.is_wide() {
            return (Cow::Borrowed(raw), false);
        }
        let writing = self.of(raw);
        // An escape may stand inside a character only if bytes are escaped. Then only values that are no text as they
        // stand contain one, unless the charset has characters that end in a backslash.
        if !writing.unescapes_text() && memchr::memchr(b'\\', raw).is_some() {
            let whole = if charset.has_trailing_brackets() { None } else { Some(charset.decode(raw)) };
            let (text, errors) = match whole {
                Some((text, false)) => (text, false),
                _ => by_byte(charset, raw),
            };
            return (closed(text, charset), errors);
        }
        let (text, errors) = charset.decode(raw);
        (closed(text, charset), errors)
    }
}

/// A raw value of UTF-8 in which no bracket closes it or opens another, and no backslash at its end escapes what follows
/// it.
///
/// In a charset whose characters may end in a backslash, one before a character may be the remaining half of its
/// neighbour. Either way it has no effect.
fn closed(text: Cow<'_, str>, charset: Charset) -> Cow<'_, [u8]> {
    let (mut at, mut written) = (0, 0);
    let mut changed = Vec::new();
    let bytes = text.as_bytes();
    while let Some(found) = memchr::memchr3(b'[', b']', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'[' && !(charset.has_trailing_brackets() && ends_in_letter(&bytes[..at])) {
            at += 1;
            continue;
        }
        let escaped = bytes.get(at + 1).filter(|_| bytes[at] == b'\\');
        if escaped.is_some_and(|byte| byte.is_ascii() || !charset.has_trailing_brackets()) {
            at += 2;
            continue;
        }
        changed.extend_from_slice(&bytes[written..at]);
        if bytes[at] != b'\\' {
            changed.extend_from_slice(&[b'\\', bytes[at]]);
        }
        at += 1;
        written = at;
    }
    if written == 0 {
        return match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
    }
    changed.extend_from_slice(&bytes[written..]);
    Cow::Owned(changed)
}

/// Whether a `[` behind these bytes may follow the identifier of a property.
fn ends_in_letter(before: &[u8]) -> bool {
    before.trim_ascii_end().last().is_some_and(u8::is_ascii_alphabetic)
}

/// Decodes a value whose escapes may stand inside characters.
fn by_byte(charset: Charset, raw: &[u8]) -> (Cow<'static, str>, bool) {
    let Some(decoder) = charset.decoder() else {
        // Charsets without a decoder are never escaped by byte.
        return (Cow::Owned(String::new()), false);
    };
    let mut bytes = Bytes { decoder, text: String::with_capacity(raw.len() * 3 / 2), inside: false, errors: false };
    // Line breaks removed from inside a character, to be put after it.
    let mut soft = String::new();
    let mut rest = raw;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let escaped = byte == b'\\';
        if !escaped {
            bytes.take(byte, false);
        } else if let len @ 1.. = line_break_len(rest) {
            let text = if bytes.inside { &mut soft } else { &mut bytes.text };
            text.push('\\');
            text.extend(rest[..len].iter().map(|&byte| char::from(byte)));
            rest = &rest[len..];
            continue;
        } else if let Some((&byte, after)) = rest.split_first() {
            bytes.take(byte, true);
            rest = after;
        }
        if !bytes.inside {
            // Before another line break, these would merge with it.
            if !matches!(rest.first(), Some(b'\r' | b'\n')) {
                bytes.text.push_str(&soft);
            }
            soft.clear();
        }
    }
    bytes.finish();
    bytes.text.push_str(&soft);
    (Cow::Owned(bytes.text), bytes.errors)
}

/// Bytes, escaped or not, on their way to text.
struct Bytes {
    decoder: Decoder,
    text: String,
    /// A character has begun and is not complete.
    inside: bool,
    errors: bool,
}

impl Bytes {
    fn take(&mut self, byte: u8, escaped: bool) {
        if escaped && !self.inside && !byte.is_ascii() {
            self.text.push('\\');
        }
        loop {
            let mut out = [0; 16];
            let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(&[byte], &mut out, false);
            self.put(&out[..written], byte, escaped);
            if matches!(result, DecoderResult::Malformed(..)) {
                self.errors = true;
                self.text.push_str(REPLACEMENT);
            }
            self.inside = read == 1 && written == 0 && result == DecoderResult::InputEmpty;
            if read == 1 {
                return;
            }
        }
    }

    /// Puts out text that is complete with this byte.
    fn put(&mut self, out: &[u8], byte: u8, escaped: bool) {
        // ASCII at the end is the byte itself, which stays as it was written.
        let (before, last) = match out.split_last() {
            Some((&last, before)) if last == byte && byte.is_ascii() => (before, true),
            _ => (out, false),
        };
        for c in String::from_utf8_lossy(before).chars() {
            if matches!(c, ']' | '\\') {
                self.text.push('\\');
            }
            self.text.push(c);
        }
        if last {
            if escaped {
                self.text.push('\\');
            }
            self.text.push(char::from(byte));
        }
    }

    fn finish(&mut self) {
        loop {
            let mut out = [0; 16];
            let (result, _, written) = self.decoder.decode_to_utf8_without_replacement(&[], &mut out, true);
            self.text.push_str(&String::from_utf8_lossy(&out[..written]));
            match result {
                DecoderResult::Malformed(..) => {
                    self.errors = true;
                    self.text.push_str(REPLACEMENT);
                }
                DecoderResult::InputEmpty | DecoderResult::OutputFull => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_and_separators_are_kept() {
        for (writing, raw, expected) in [
            (
                Writing::by_byte(Charset::BIG5),
                &b"\xA6\\]\\:\xB3\\\\\\]a\\\r\nb\r\n\tc"[..],
                "因\\:許\\]a\\\r\nb\r\n\tc",
            ),
            (Writing::by_character(Charset::BIG5), b"\xA6]\\:\xB3\\\\]a\\\nb", "因\\:許\\]a\\\nb"),
            (Writing::by_byte(Charset::BIG5), b"\\\xA6\\]\xA6\\\n\\]x", "因因\\\nx"),
            (Writing::by_byte(Charset::EUC_KR), b"\\\xB0\xA1\\]\xB0\\\xA1:", "\\가\\]가:"),
            (Writing::by_byte(Charset::WINDOWS_1252), b"M\\\xFCller\\\\", "M\\üller\\\\"),
            (Writing::by_byte(Charset::UTF_8), "因\\]許".as_bytes(), "因\\]許"),
            (Writing::by_byte(Charset::GB18030), b"\x81\\0\x81\\1", "\u{81}"),
            (Writing::by_byte(Charset::HZ), b"~{VP~}~~", "中~"),
        ] {
            let (recoded, errors) = writing.recode(raw);
            assert_eq!((String::from_utf8_lossy(&recoded).as_ref(), errors), (expected, false), "{writing:?}");
        }
    }

    #[test]
    fn undecodable_bytes_are_replaced() {
        for (writing, raw, expected) in [
            (Writing::by_byte(Charset::UTF_8), &b"a\xE5\x9B"[..], "a\u{FFFD}"),
            (Writing::by_byte(Charset::UTF_8), b"a\xE5\x9B\\]b", "a\u{FFFD}\\]b"),
            (Writing::by_byte(Charset::EUC_JP), b"\x8E\\\n.\r", "\u{FFFD}.\r"),
            (Writing::by_byte(Charset::BIG5), b"\xA6\\:\xA6", "\u{FFFD}\\:\u{FFFD}"),
            (Writing::by_byte(Charset::GB18030), b"\x810\x81\\:", "\u{FFFD}0\u{FFFD}\\:"),
        ] {
            let (recoded, errors) = writing.recode(raw);
            assert_eq!((String::from_utf8_lossy(&recoded).as_ref(), errors), (expected, true), "{writing:?} {raw:X?}");
        }
    }

    #[test]
    fn unchanged_values_are_borrowed() {
        for raw in [&b"a\\]b\\"[..], b"a]b", "因\\]".as_bytes(), "Müller".as_bytes()] {
            assert!(
                matches!(Writing::by_byte(Charset::UTF_8).recode(raw), (Cow::Borrowed(same), false) if same == raw)
            );
        }
    }

    fn writings() -> impl Strategy<Value = Writing> {
        let all: Vec<_> = Charset::all()
            .filter(|charset| !charset.is_wide())
            .flat_map(|charset| [Writing::by_byte(charset), Writing::by_character(charset)])
            .collect();
        prop::sample::select(all)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn a_recoded_value_keeps_its_text(
            writing in writings(),
            raw in vec(prop_oneof![
                4 => any::<u8>(),
                2 => prop::sample::select(&b"\\]:[\r\n\t"[..]),
                2 => 0x81_u8..=0xFE,
                1 => b'0'..=b'9',
                1 => prop::sample::select(&b"~{}\x1B$(BJ\x0E\x0F"[..]),
            ], 0..24),
        ) {
            let (recoded, errors) = writing.recode(&raw);
            let utf_8 = Writing::by_byte(Charset::UTF_8);
            prop_assert_eq!(utf_8.text(&recoded), writing.text(&raw));
            prop_assert_eq!(utf_8.simple_text(&recoded), writing.simple_text(&raw));
            let halves = |writing: Writing, raw: &[u8]| {
                writing.split_compose(raw).map(|(a, b)| [writing.text(a).into_owned(), writing.text(b).into_owned()])
            };
            // If a colon cuts a character, a half or the whole may have bytes left over.
            if !writing.charset().is_stateful() && !errors {
                prop_assert_eq!(halves(utf_8, &recoded), halves(writing, &raw));
            }
            prop_assert_eq!(utf_8.recode(&recoded), (Cow::Borrowed(&recoded[..]), false));
            prop_assert_eq!(errors, writing.read(&raw, crate::text::text).1);
            if !raw.is_ascii() {
                prop_assert!(std::str::from_utf8(&recoded).is_ok());
            }
        }
    }
}
