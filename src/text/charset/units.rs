//! Characters one at a time, for the charsets that have to be recoded before they can be read.
//!
//! Owns UTF-16 and UTF-32, and [`Unit`]: how many bytes the next character takes and what it is. Bytes come as slices; a
//! cut character asks for more. Refuses to know where the bytes go.

use crate::text::Charset;
use crate::text::charset::seven_bit::SevenBit;

/// The next character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) struct Unit {
    /// How many bytes it takes.
    pub(in crate::text) len: usize,
    pub(in crate::text) text: Text,
}

/// What bytes stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum Text {
    /// Themselves: ASCII, or not part of the charset.
    Byte(u8),
    Char(char),
    /// A mark or a change of state.
    Nothing,
    /// No character at all.
    Bad,
}

/// A charset that is read one character at a time, with its state.
#[derive(Clone, Debug)]
pub(in crate::text) enum Units {
    Utf16 { big: bool },
    Utf32 { big: bool },
    SevenBit(SevenBit),
}

impl Units {
    /// For the charsets that are wide or stateful.
    pub(in crate::text) fn of(charset: Charset) -> Option<Self> {
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

    /// Puts out the ASCII characters that stand for themselves and that `bytes` begin with, at most `most` of them, and
    /// returns how many bytes each has. It may stop before the last of them, but most of a game passes this way.
    pub(in crate::text) fn ascii(&self, bytes: &[u8], most: usize, output: &mut Vec<u8>) -> u8 {
        match self {
            Self::Utf16 { big: false } => narrow::<2, 0>(bytes, most, output),
            Self::Utf16 { big: true } => narrow::<2, 1>(bytes, most, output),
            Self::Utf32 { big: false } => narrow::<4, 0>(bytes, most, output),
            Self::Utf32 { big: true } => narrow::<4, 3>(bytes, most, output),
            Self::SevenBit(seven_bit) => output.extend_from_slice(seven_bit.ascii(&bytes[..bytes.len().min(most)])),
        }
        match self {
            Self::Utf16 { .. } => 2,
            Self::Utf32 { .. } => 4,
            Self::SevenBit(_) => 1,
        }
    }

    /// The next character of `bytes`, or `None` if there is none, or if it continues after their end. With `last` no
    /// more bytes come, and `None` means that everything is read.
    #[inline]
    pub(in crate::text) fn next(&mut self, bytes: &[u8], last: bool) -> Option<Unit> {
        match self {
            Self::Utf16 { big } => utf_16(bytes, *big, last),
            Self::Utf32 { big } => utf_32(bytes, *big, last),
            Self::SevenBit(seven_bit) => seven_bit.next(bytes, last),
        }
    }
}

/// Puts out the ASCII characters that bytes begin with, at most `most` of them. Each has its byte at `PLACE` within its width.
fn narrow<const WIDTH: usize, const PLACE: usize>(bytes: &[u8], most: usize, output: &mut Vec<u8>) {
    let (characters, _) = bytes.as_chunks::<WIDTH>();
    let characters = &characters[..characters.len().min(most)];
    let odd_bits = |character: &[u8; WIDTH]| {
        character.iter().enumerate().fold(0, |odd, (at, byte)| odd | if at == PLACE { byte & 0x80 } else { *byte })
    };
    // Eight are checked at once: a loop that may end at each of them is compiled to go byte by byte.
    let (eights, _) = characters.as_chunks::<8>();
    let eights = eights.iter().take_while(|eight| eight.iter().fold(0, |odd, one| odd | odd_bits(one)) == 0).count();
    let ones = characters[eights * 8..].iter().take_while(|one| odd_bits(one) == 0).count();
    output.extend(characters[..eights * 8 + ones].iter().map(|one| one[PLACE]));
}

/// The rest of a character that the end has cut off.
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

    /// Checks all units, however the bytes are cut in two.
    fn check(charset: Charset, bytes: &[u8], expected: &[Text]) {
        for cut in 0..=bytes.len() {
            let mut units = Units::of(charset).unwrap();
            let mut texts = Vec::new();
            let mut at = 0;
            while let Some(unit) = units.next(&bytes[at..cut], false) {
                at += unit.len;
                texts.push(unit.text);
            }
            assert!(cut - at < 4, "more than a character is held back");
            while let Some(unit) = units.next(&bytes[at..], true) {
                at += unit.len;
                texts.push(unit.text);
            }
            assert_eq!(at, bytes.len());
            assert_eq!(texts, expected, "{bytes:X?} cut at {cut}");
        }
    }

    #[test]
    fn utf_16_has_surrogate_pairs() {
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
    fn ascii_is_copied_at_once() {
        let text = "(;C[ab]W[cd])(;\u{56E0}B[ef]\u{80}\u{128}x";
        for (charset, width) in [
            (Charset::UTF_16LE, 2),
            (Charset::UTF_16BE, 2),
            (Charset::UTF_32LE, 4),
            (Charset::UTF_32BE, 4),
            (Charset::ISO_2022_JP, 1),
            (Charset::HZ, 1),
        ] {
            let units = Units::of(charset).unwrap();
            for (from, _) in text.char_indices() {
                let character = |c: char| match charset {
                    Charset::UTF_16LE => c.encode_utf16(&mut [0; 2])[0].to_le_bytes().to_vec(),
                    Charset::UTF_16BE => c.encode_utf16(&mut [0; 2])[0].to_be_bytes().to_vec(),
                    Charset::UTF_32LE => u32::from(c).to_le_bytes().to_vec(),
                    Charset::UTF_32BE => u32::from(c).to_be_bytes().to_vec(),
                    _ if c.is_ascii() => vec![c as u8],
                    Charset::HZ => b"~{<:~}".to_vec(),
                    _ => b"\x1B$B<:\x1B(B".to_vec(),
                };
                let bytes: Vec<u8> = text[from..].chars().flat_map(character).collect();
                for most in [0, 1, 7, 8, 9, 99] {
                    let mut output = vec![b'x'];
                    assert_eq!(units.ascii(&bytes, most, &mut output), width);
                    let expected: String = text[from..].chars().take_while(char::is_ascii).take(most).collect();
                    assert_eq!(output, format!("x{expected}").as_bytes(), "{charset} from {from}");
                    output.truncate(1);
                    units.ascii(&bytes[..bytes.len().min(width as usize) - 1], most, &mut output);
                    assert_eq!(output, b"x", "{charset}: an incomplete unit is held back");
                }
            }
        }
    }

    #[test]
    fn ascii_is_copied_up_to_the_mark_wherever_that_stands() {
        for (charset, mark) in [(Charset::HZ, b'~'), (Charset::ISO_2022_JP, 0x1B), (Charset::ISO_2022_JP, 0x80)] {
            let units = Units::of(charset).unwrap();
            for len in 0..600 {
                let bytes = [&[b'a'].repeat(len)[..], &[mark], &[b'b'; 200]].concat();
                for most in [len.saturating_sub(1), len, 9_999] {
                    let mut output = Vec::new();
                    units.ascii(&bytes, most, &mut output);
                    assert_eq!(output, [b'a'].repeat(len.min(most)), "{charset}, {most}");
                }
            }
        }
    }

    #[test]
    fn utf_32_is_four_bytes_each() {
        use Text::{Bad, Char};
        check(Charset::UTF_32BE, b"\0\0\x56\xE0\0\0\xD8\0\0\x01\xF6\0", &[Char('\u{56E0}'), Bad, Char('\u{1F600}')]);
        check(Charset::UTF_32LE, b"(\0\0\0;\0\0", &[Char('('), Bad]);
    }
}
