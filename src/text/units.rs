//! Characters one at a time, for the charsets that have to be recoded before they can be read.
//!
//! Owns UTF-16 and UTF-32, and [`Unit`]: how many bytes the next character takes and what it is. Bytes come as slices; a
//! cut character asks for more. Refuses to know where the bytes go.

use crate::text::Charset;
use crate::text::seven_bit::SevenBit;

/// The next character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Bytes that it takes.
    pub(super) len: usize,
    pub(super) text: Text,
}

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// Themselves: no part of the charset, or ASCII.
    Byte(u8),
    Char(char),
    /// A mark or a change of state.
    Nothing,
    /// No character at all.
    Bad,
}

/// A charset that is read one character at a time, with its state.
#[derive(Clone, Debug)]
pub(super) enum Units {
    Utf16 { big: bool },
    Utf32 { big: bool },
    SevenBit(SevenBit),
}

impl Units {
    /// For the charsets that are wide or stateful.
    pub(super) fn of(charset: Charset) -> Option<Self> {
        match charset {
            Charset::UTF_16LE => Some(Self::Utf16 { big: false }),
            Charset::UTF_16BE => Some(Self::Utf16 { big: true }),
            Charset::UTF_32LE => Some(Self::Utf32 { big: false }),
            Charset::UTF_32BE => Some(Self::Utf32 { big: true }),
            Charset::ISO_2022_JP => Some(Self::SevenBit(SevenBit::iso_2022_jp())),
            Charset::ISO_2022_KR => Some(Self::SevenBit(SevenBit::iso_2022_kr())),
            Charset::HZ => Some(Self::SevenBit(SevenBit::hz())),
            _ => None,
        }
    }

    /// The next character of `bytes`, or `None` where there is none, or one that goes on after their end. With `last`
    /// nothing comes after them, and `None` means that all is read.
    #[inline]
    pub(super) fn next(&mut self, bytes: &[u8], last: bool) -> Option<Unit> {
        match self {
            Self::Utf16 { big } => utf_16(bytes, *big, last),
            Self::Utf32 { big } => utf_32(bytes, *big, last),
            Self::SevenBit(seven_bit) => seven_bit.next(bytes, last),
        }
    }
}

/// A piece that the end cut off.
fn cut(bytes: &[u8], last: bool) -> Option<Unit> {
    (last && !bytes.is_empty()).then_some(Unit { len: bytes.len(), text: Text::Bad })
}

#[inline]
fn utf_16(bytes: &[u8], big: bool, last: bool) -> Option<Unit> {
    let word = |pair: &[u8; 2]| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    let Some((first, rest)) = bytes.split_first_chunk() else {
        return cut(bytes, last);
    };
    let first = word(first);
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some(Unit { len: 2, text: Text::Char(c) });
    }
    match rest.first_chunk() {
        None if first < 0xDC00 && !last => None,
        Some(second) => {
            let pair = char::decode_utf16([first, word(second)]).next();
            match pair {
                Some(Ok(c)) => Some(Unit { len: 4, text: Text::Char(c) }),
                _ => Some(Unit { len: 2, text: Text::Bad }),
            }
        }
        None => Some(Unit { len: 2, text: Text::Bad }),
    }
}

#[inline]
fn utf_32(bytes: &[u8], big: bool, last: bool) -> Option<Unit> {
    let Some(word) = bytes.first_chunk() else {
        return cut(bytes, last);
    };
    let word = if big { u32::from_be_bytes(*word) } else { u32::from_le_bytes(*word) };
    Some(Unit { len: 4, text: char::from_u32(word).map_or(Text::Bad, Text::Char) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All units, however the bytes are cut in two.
    fn check(charset: Charset, bytes: &[u8], expected: &[Text]) {
        for cut in 0..=bytes.len() {
            let mut units = Units::of(charset).unwrap();
            let mut texts = Vec::new();
            let mut at = 0;
            while let Some(unit) = units.next(&bytes[at..cut], false) {
                at += unit.len;
                texts.push(unit.text);
            }
            assert!(cut - at < 4, "no more than a character waits");
            while let Some(unit) = units.next(&bytes[at..], true) {
                at += unit.len;
                texts.push(unit.text);
            }
            assert_eq!(at, bytes.len());
            assert_eq!(texts, expected, "{bytes:X?} cut at {cut}");
        }
    }

    #[test]
    fn utf_16_has_pairs() {
        use Text::{Bad, Char};
        let text = "(;\u{56E0}\u{1F600}";
        let chars: Vec<_> = text.chars().map(Char).collect();
        let words: Vec<_> = text.encode_utf16().collect();
        let little: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let big: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        check(Charset::UTF_16LE, &little, &chars);
        check(Charset::UTF_16BE, &big, &chars);
        check(Charset::UTF_16BE, b"\xD8\x3D\0a\xDE\0\0b", &[Bad, Char('a'), Bad, Char('b')]);
        check(Charset::UTF_16BE, b"\0a\xD8\x3D", &[Char('a'), Bad]);
        check(Charset::UTF_16BE, b"\xD8\x3D\xD8\x3D\xDE\0", &[Bad, Char('\u{1F600}')]);
        check(Charset::UTF_16BE, b"\0a\0", &[Char('a'), Bad]);
    }

    #[test]
    fn utf_32_is_four_bytes_each() {
        use Text::{Bad, Char};
        check(Charset::UTF_32BE, b"\0\0\x56\xE0\0\0\xD8\0\0\x01\xF6\0", &[Char('\u{56E0}'), Bad, Char('\u{1F600}')]);
        check(Charset::UTF_32LE, b"(\0\0\0;\0\0", &[Char('('), Bad]);
    }
}
