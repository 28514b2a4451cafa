//! How much of a text is UTF-8.
//!
//! Owns [`Utf8`], which counts it, and the checks that need that: whether all of it is, [beyond doubt](is_certain_utf_8),
//! or but for a line's [end](are_cut) or the line breaks [inside](unbroken) its characters. Refuses to know every other charset.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::text::charset::valid::{character, is_utf_8};
use crate::text::escape::line_break_len;
use crate::text::guess::spelling::{has_different, is_spelled_out};

/// How much of a text is UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Utf8 {
    /// Characters of two bytes.
    short: usize,
    /// Bytes of characters of three or four bytes.
    long: usize,
    /// Bytes that are no character; those that no damage to UTF-8 could have left count for more.
    bad: usize,
    /// How many of these begin a character that was cut at the end of a line.
    cut: usize,
    /// Latin letters of two bytes beside ASCII letters. Pairs of bytes that are one character each stand beside others of
    /// their kind, and in charsets of letters these bytes are a capital and a sign.
    letters: usize,
    /// None of it is anything else, and more is than could be by chance.
    is_certain: bool,
}

/// How much such a byte counts: one that occurs in no UTF-8, or one in the middle of a character whose beginning is not there,
/// nor was replaced by a `?`.
const FOREIGN: usize = 4;

/// How many bytes of ASCII may have come between those of a character, as where a line was broken by `=\r\n`.
const GAP: usize = 3;

impl Utf8 {
    /// Counts to the end of the text, or until it is clearly something else, so that the answers to all questions below
    /// are known.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut utf8 = Self::default();
        let (mut at, mut is_replaced, mut is_begun) = (0, false, false);
        while let Some(ascii) = text[at..].iter().position(|byte| !byte.is_ascii()) {
            if ascii > 0 {
                at += ascii;
                is_replaced = text[at - 1] == b'?' || is_begun && ascii <= GAP;
            }
            let byte = text[at];
            let character = character(&text[at..]);
            match (character, byte) {
                (Ok(2), _) => {
                    utf8.short += 1;
                    utf8.letters += usize::from(is_letter_in_word(text, at));
                }
                (Ok(3), 0xEE | 0xEF) | (Ok(4), 0xF1..) if is_unlikely(&text[at..]) => {}
                (Ok(len), _) => utf8.long += len,
                (Err(_), 0xC0 | 0xC1 | 0xF5..) => utf8.bad += FOREIGN,
                (Err(_), 0x80..=0xBF) if !is_replaced => utf8.bad += FOREIGN,
                (Err(len), _) => {
                    utf8.bad += len;
                    utf8.cut += if is_cut(text, at, len) { len } else { 0 };
                }
            }
            is_replaced = character.is_err();
            is_begun = is_replaced && matches!(byte, 0xE0..=0xF4);
            at += character.unwrap_or_else(|len| len);
            if is_replaced && utf8.bad > 2 * (utf8.short + utf8.long + (text.len() - at)) {
                break;
            }
        }
        utf8.is_certain = utf8.bad == 0 && (utf8.long > 0 || (utf8.short > 0 && is_plain_in_short(text)));
        utf8
    }

    /// Bytes of characters.
    fn whole(self) -> usize {
        self.long + 2 * self.short
    }

    /// Whether all of the text is UTF-8.
    pub(super) fn is_valid(self) -> bool {
        self.bad == 0
    }

    /// Whether all of it is UTF-8, and more than some other characters could be by chance.
    pub(super) fn is_certain(self) -> bool {
        self.is_certain
    }

    /// Whether most of it is UTF-8: names were cut inside a character, or bytes replaced by `?`.
    ///
    /// In 806 real files of that kind, at least 65 in 100 bytes belong to characters of three or four bytes; in 2,900 files
    /// of other charsets at most 30, or 50 where there are less than ten such bytes. A few letters in European names are
    /// enough if nothing but the ends of names is missing.
    pub(super) fn is_damaged(self) -> bool {
        let all = self.whole() + self.bad;
        let only_ends = self.bad == self.cut && self.letters > 0 && self.whole() >= self.bad;
        self.bad > 0 && (only_ends || self.long * 10 >= all * 6 || (self.short >= 3 && self.whole() * 20 >= all * 17))
    }

    /// Whether more than half of it is UTF-8: damage, in a place where UTF-8 is to be expected.
    pub(super) fn is_mostly(self) -> bool {
        self.whole() > self.bad
    }

    /// Whether so much of it is UTF-8 that it is no text of a single-byte charset, in which all bytes are text and some
    /// are UTF-8 by chance.
    pub(super) fn is_hardly_damaged(self) -> bool {
        self.is_valid() || (self.is_damaged() && 4 * self.bad <= self.whole())
    }

    /// Whether none of it is UTF-8, except by chance.
    pub(super) fn is_other(self) -> bool {
        2 * self.long < self.bad && self.short < self.bad
    }
}

/// Whether there is a Latin letter of two bytes that stands beside an ASCII letter.
fn is_letter_in_word(text: &[u8], at: usize) -> bool {
    let is_ascii = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphabetic);
    matches!(text[at], 0xC3..=0xC5) && (is_ascii(at.wrapping_sub(1)) || is_ascii(at + 2))
}

/// Whether a line ends in these bytes of a character that goes on: two or more, or that of a Latin letter.
fn is_cut(text: &[u8], at: usize, len: usize) -> bool {
    matches!(text.get(at + len), None | Some(b'\n'))
        && match text[at] {
            0xC3..=0xC5 => may_go_on(&text[..at]),
            0xE0.. => len >= 2,
            _ => false,
        }
}

/// Whether a word may go on behind these bytes with a small letter. In charsets of one byte, those of 0xC3 to 0xC5 are
/// capitals, or letters that are not Latin, and stand behind no small letter.
fn may_go_on(before: &[u8]) -> bool {
    match before {
        [.., b'a'..=b'z' | 0x80..] | [b'A'..=b'Z'] => true,
        [.., first, b'A'..=b'Z'] => !first.is_ascii_uppercase(),
        _ => false,
    }
}

/// Whether all of these values, one a line, are UTF-8, except for a character at the end that was cut after two or three
/// bytes, or after one in a Latin letter.
pub(super) fn are_cut(sample: &[u8]) -> bool {
    sample.split(|&byte| byte == b'\n').all(|value| match std::str::from_utf8(value) {
        Ok(_) => true,
        Err(error) => {
            let at = error.valid_up_to();
            error.error_len().is_none() && is_cut(value, at, value.len() - at)
        }
    })
}

/// Whether a text may have been recoded: it is UTF-8 but for the byte that stands for what is no character.
pub(super) fn is_made(text: &[u8]) -> bool {
    text.split(|&byte| byte == 0xFF).all(is_utf_8)
}

/// A raw value without the soft line breaks inside its characters, if that makes it UTF-8: some programs break lines after
/// this many bytes. In charsets of two bytes, a backslash behind a byte of 0x80 or more may be the half of a character.
#[inline]
pub(crate) fn unbroken(raw: &[u8]) -> Cow<'_, [u8]> {
    // Nearly all texts are short, and have none: a call would cost more than the search.
    if raw.contains(&b'\\') { without_breaks(raw) } else { Cow::Borrowed(raw) }
}

fn without_breaks(raw: &[u8]) -> Cow<'_, [u8]> {
    let (mut joined, mut from) = (Vec::new(), 0);
    for at in memchr_iter(b'\\', raw) {
        let len = line_break_len(&raw[at + 1..]);
        let is_inside = matches!(&raw[at.saturating_sub(1)..], [0x80..=0xFF, b'\\', ..])
            && matches!(raw.get(at + 1 + len), Some(0x80..=0xBF));
        if len > 0 && is_inside {
            joined.extend_from_slice(&raw[from..at]);
            from = at + 1 + len;
        }
    }
    if from == 0 {
        return Cow::Borrowed(raw);
    }
    joined.extend_from_slice(&raw[from..]);
    if is_utf_8(&joined) { Cow::Owned(joined) } else { Cow::Borrowed(raw) }
}

/// Whether a text is UTF-8 and can hardly be anything else: the same as [`Utf8::is_certain`], but quickly known to be
/// false for any other text.
pub(crate) fn is_certain_utf_8(text: &[u8]) -> bool {
    let is_long = |at: usize| text[at] >= 0xE0 && !is_unlikely(&text[at..]);
    is_utf_8(text) && ((0..text.len()).any(is_long) || is_plain_in_short(text))
}

/// This many characters of two bytes in a line are no chance: in 200,000 pairs of real names in GBK that are UTF-8, at most 7 were
/// found.
const MANY: usize = 8;

/// Whether some line of a text that is UTF-8 has many characters of two bytes, or words that are written as words are.
fn is_plain_in_short(text: &[u8]) -> bool {
    let short = |line: &str| line.bytes().filter(|byte| matches!(byte, 0xC2..=0xDF)).count();
    let is_plain = |line: &str| (short(line) >= MANY && has_different(line)) || is_spelled_out(line);
    let mut lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_ascii());
    lines.any(|line| str::from_utf8(line).is_ok_and(is_plain))
}

/// Whether a character of three bytes is for private use, U+E000 to U+F8FF, or one of four bytes is beyond the planes that are
/// in use, U+40000 and more: nobody writes these, but bytes of other charsets look like them. Nor is a byte order mark written:
/// where files were joined, it may be about others of them.
fn is_unlikely(text: &[u8]) -> bool {
    matches!(text, [0xEE | 0xF1.., ..] | [0xEF, 0x80..=0xA3, ..] | [0xEF, 0xBB, 0xBF, ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, sequences};

    fn is_unlikely(c: char) -> bool {
        matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FEFF}' | '\u{40000}'..)
    }

    #[test]
    fn damaged_utf_8_is_distinguished_from_other_charsets() {
        for (text, damaged) in [
            // 李东, 冷静 and 谢峰 in GBK, 決勝 in EUC-JP: each contains the bytes of one UTF-8 character.
            (&b"\xC0\xEE\xB6\xAB"[..], false),
            (b"\xC0\xE4\xBE\xB2", false),
            (b"\xD0\xBB\xB7\xE5", false),
            (b"\xB7\xE8\xBE\xA1", false),
            (b"?\x9F\xAF\xE6\xB4\x81", true),
            (b"\xE6\x9F\xAF\xE6?", true),
            (b"\xE6\x9F\xAF\xE6=\r\n\xB4\x81\xE6\xB6\xB5", true),
            (b"\xE6\x9F\xAF\xE6    \xB4\x81\xE6\xB6\xB5", false),
            (b"\xE5\xBC\xA0\xE6?\xE6\xB6\xB5", true),
            (b"\xE6\x9F\xAF", false),
            (b"\xB1\xE4\xBB\xAF\xCD\xBC", false),
            (b"\xD6\xDC\xEE\xA3\xD1\xF2", false),
            (b"H\xE9ctor", false),
            (
                "\u{427}\u{435}\u{440}\u{43D}\u{44B}\u{435} \u{441}\u{434}\u{430}\u{43B}\u{438}\u{441}\u{44C}?"
                    .as_bytes(),
                false,
            ),
            ("J\u{FC}rgen M?\nG\u{FC}nter Gro\u{DF} \u{C3}".as_bytes(), false),
            // Names that were cut inside a letter.
            (b"Tanguy le Calv\xC3\nFran\xC3\xA7oise", true),
            (b"Fran\xC3\xA7oise M\xC3", true),
            (b"Wa\xC5\x82\xC4", true),
            // More was cut than is whole.
            (b"a\xC3\xA9\n\xE6\x9F\n\xE6\x9F", false),
            (b"\xEC\x9D\xB4\xEC\x84\nFran\xC3\xA7ois", true),
            // Not at the end; not behind a small letter; nothing whole; no UTF-8.
            (b"Fran\xC3oise M\xC3\xBCller", false),
            (b"Fran\xC3\xA7oise M\xC3\xBCLL\xC4", false),
            (b"Calv\xC3", false),
            (b"Fran\xC3\xA7oise Andr\xE9", false),
            // Half-width katakana, and Chinese characters beside a letter.
            (b"\xC3\xBD\xC4", false),
            (b"\xC3\xBD\xC4\nT\xC3", false),
            (b"A\xD0\xBB\xE5\xB7", false),
            (b"J\xC3\xBCrgen M\xC3\nG\xC3\xBCnter Gro\xC3\x9F", true),
            (b"\xD0\xA7\xD0\xB5\xD1\x80\xD0\xBD\xD1\x8B\xD0\xB5 \xD1\x81\xD0\xB4\xD0\xB0\xD0", true),
        ] {
            assert_eq!(Utf8::of(text).is_damaged(), damaged, "{}", text.escape_ascii());
        }
    }

    /// Compares the counts or, for text that is not UTF-8, only the answers.
    fn check(text: &[u8]) {
        let answers = |utf8: Utf8| {
            let whole = [utf8.is_valid(), utf8.is_certain(), utf8.is_hardly_damaged()];
            (whole, [utf8.is_damaged(), utf8.is_mostly(), utf8.is_other()])
        };
        let (found, expected) = (Utf8::of(text), naive(text));
        assert_eq!(answers(found), answers(expected), "{}", text.escape_ascii());
        assert!(found == expected || expected.is_other(), "{}", text.escape_ascii());
    }

    /// The specification of [`Utf8::of`].
    fn naive(text: &[u8]) -> Utf8 {
        let mut utf8 = Utf8::default();
        let (mut before, mut is_begun, mut at) = (None, false, 0);
        for chunk in text.utf8_chunks() {
            for (index, _) in chunk.valid().char_indices().filter(|&(_, c)| matches!(c, '\u{C0}'..='\u{17F}')) {
                let [left, right] = [(at + index).checked_sub(1), Some(at + index + 2)];
                let is_letter = |at: Option<usize>| text.get(at?).map(u8::is_ascii_alphabetic);
                utf8.letters += usize::from(is_letter(left) == Some(true) || is_letter(right) == Some(true));
            }
            at += chunk.valid().len();
            let (whole, invalid) = (&text[..at], chunk.invalid());
            at += invalid.len();
            if matches!(text.get(at), None | Some(b'\n')) {
                utf8.cut += match invalid {
                    [0xC3..=0xC5] if may_go_on(whole) => 1,
                    [0xE0..=0xF4, _, ..] => invalid.len(),
                    _ => 0,
                };
            }
            for c in chunk.valid().chars().filter(|&c| !is_unlikely(c)) {
                match c.len_utf8() {
                    1 => {}
                    2 => utf8.short += 1,
                    len => utf8.long += len,
                }
            }
            before = chunk.valid().as_bytes().last().copied().or(before);
            let is_rest = is_begun && chunk.valid().len() <= GAP && chunk.valid().is_ascii();
            utf8.bad += match chunk.invalid() {
                [0xC0 | 0xC1 | 0xF5..] => FOREIGN,
                [0x80..=0xBF] if before != Some(b'?') && !is_rest => FOREIGN,
                invalid => invalid.len(),
            };
            is_begun = matches!(invalid, [0xE0..=0xF4, ..]);
            before = chunk.invalid().last().map(|_| b'?').or(before);
        }
        utf8.is_certain = utf8.is_valid() && (utf8.long > 0 || is_plain_in_short(text));
        utf8
    }

    #[test]
    fn utf_8_is_counted_like_its_chunks() {
        const BYTES: &[u8] =
            b"a?\x80\x8F\x90\x9F\xA0\xA3\xA4\xBB\xBF\xC0\xC2\xDF\xE0\xE6\xED\xEE\xEF\xF0\xF1\xF4\xF5\xFF";
        for text in sequences::<_, 4>(BYTES) {
            check(&text);
        }
        let mut rng = Rng::new(1);
        let text: Vec<u8> = (0..10_000).map(|_| rng.pick(BYTES)).collect();
        for (from, len) in (0..5000).zip([5, 6, 7, 50, 500].into_iter().cycle()) {
            check(&text[from..from + len]);
        }
    }

    #[test]
    fn words_and_long_lines_of_short_characters_are_certain() {
        for (text, is) in [
            ("Jörg Schäfer", true),
            ("©\nЛапин", true),
            ("© 2005", false),
            ("םולש", false),
            ("םולש םולש", true),
            ("·Ӣ", false),
        ] {
            assert_eq!(is_certain_utf_8(text.as_bytes()), is, "{text}");
            assert_eq!(Utf8::of(text.as_bytes()).is_certain(), is, "{text}");
        }
    }

    #[test]
    fn values_that_are_cut_inside_a_letter_are_utf_8() {
        for (text, are) in [
            (&b"Jos\xC3"[..], true),
            (b"M\xC3\nR\xC3\xA9mi", true),
            (b"\xC3\xA9\xC3", true),
            (b"\xE6\x9F", true),
            // Latin-1.
            (b"Jos\xE9", false),
            (b"Wei\xDF", false),
            (b"KILI\xC7", false),
            (b"KES\xC4", false),
            (b"\xC3", false),
            (b"Jos\xC3 M", false),
        ] {
            assert_eq!(are_cut(text), are, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn line_breaks_inside_characters_are_removed_if_the_rest_is_utf_8() {
        for (raw, expected) in [
            (&b"Jos\xC3\\\n\xA9"[..], "José".as_bytes()),
            (b"\xE6\\\r\n\x9F\\\n\r\xAF\xE6\xB4\\\r\x81", "柯洁".as_bytes()),
            // Elsewhere they stay.
            (b"\xC3\xA9\\\na\xC3\\\n\xA9", "é\\\naé".as_bytes()),
            ("é\\\né".as_bytes(), "é\\\né".as_bytes()),
            (b"\xC3\\\xA9", b"\xC3\\\xA9"),
            // Shift_JIS, whose character ends in the backslash.
            (b"\x8E\x5C\n\xB1", b"\x8E\x5C\n\xB1"),
            (b"\xC3\\\n\xA9 \xFC", b"\xC3\\\n\xA9 \xFC"),
            (b"\\\n\xA9", b"\\\n\xA9"),
            (b"\\", b"\\"),
        ] {
            assert_eq!(unbroken(raw), expected, "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn validity_agrees_with_the_standard_library() {
        // The validity of a byte changes only at these values.
        let edges = [
            0x00, 0x5D, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xA3, 0xA4, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
            0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ];
        let (mut valid, mut certain) = (0, 0);
        for (number, bytes) in sequences::<_, 4>(&edges).enumerate() {
            // At the end, in the middle, after a character of three bytes, and after many of one byte.
            let texts: [&[u8]; 4] = [
                &bytes,
                &[&bytes[..], b"abcdefgh"].concat(),
                &["棋".as_bytes(), &bytes].concat(),
                &[&[b' '; 100][number % 3..], &bytes[..]].concat(),
            ];
            for text in texts {
                let expected = std::str::from_utf8(text);
                valid += u32::from(expected.is_ok());
                assert_eq!(is_utf_8(text), expected.is_ok(), "{}", text.escape_ascii());
                let is_long = |c: char| c.len_utf8() > 2 && !is_unlikely(c);
                let expected =
                    expected.is_ok_and(|text| text.chars().any(is_long) || is_plain_in_short(text.as_bytes()));
                certain += u32::from(expected);
                assert_eq!(is_certain_utf_8(text), expected, "{}", text.escape_ascii());
            }
        }
        assert!(valid > 2000 && certain > 2000, "{valid} {certain}");
    }
}
