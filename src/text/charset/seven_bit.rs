//! ISO-2022-JP, ISO-2022-KR and HZ: seven bits, and marks that say what the bytes mean from there on.
//!
//! Owns [`SevenBit`], the state between the marks. The tables of characters are those of the eight-bit charsets, which
//! hold the same characters with the upper bit set. A line end returns to ASCII, as the standards ask (RFC 1468, 1557,
//! 1843), so that a lost mark costs one line. Of SGF it knows only which characters a backslash
//! escapes.

use encoding_rs::{DecoderResult, EUC_JP, EUC_KR, Encoding, GBK};
use memchr::{memchr, memchr3};

use crate::text::charset::units::{Text, Unit};

/// What bytes mean until the next mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Ascii,
    /// JIS X 0201: ASCII, except for two characters.
    Roman,
    Katakana,
    Jis0208,
    Jis0212,
    Korean,
    Chinese,
}

impl Set {
    /// The eight-bit charset with the same characters, and the prefix that they have there.
    fn table(self) -> Option<(&'static Encoding, &'static [u8])> {
        match self {
            Self::Ascii | Self::Roman | Self::Katakana => None,
            Self::Jis0208 => Some((EUC_JP, b"")),
            Self::Jis0212 => Some((EUC_JP, b"\x8F")),
            Self::Korean => Some((EUC_KR, b"")),
            Self::Chinese => Some((GBK, b"")),
        }
    }
}

/// The marks of ISO-2022, Japanese and Korean; they do not collide.
const MARKS: [(&[u8], Set); 10] = [
    (b"(B", Set::Ascii),
    (b"(J", Set::Roman),
    (b"(H", Set::Roman),
    (b"(I", Set::Katakana),
    (b"$@", Set::Jis0208),
    (b"$B", Set::Jis0208),
    (b"$(@", Set::Jis0208),
    (b"$(B", Set::Jis0208),
    (b"$(D", Set::Jis0212),
    // Announces Korean; SO and SI switch.
    (b"$)C", Set::Ascii),
];

/// How far plain text is looked for at once: far enough to be fast, and little beside the work for a mark.
const PIECE: usize = 128;

const ESC: u8 = 0x1B;
const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

/// Whether bytes begin with a mark.
enum Mark {
    Is(Unit),
    IsNot,
    /// More bytes are needed to know.
    Cut,
}

/// Reads seven-bit text one character at a time.
#[derive(Clone, Debug)]
pub(in crate::text) struct SevenBit {
    set: Set,
    /// Marks begin with `~` instead of ESC.
    hz: bool,
    /// Korean was announced; SO and SI mean nothing before that.
    korean: bool,
}

impl SevenBit {
    pub(super) const fn iso_2022_jp() -> Self {
        Self { set: Set::Ascii, hz: false, korean: false }
    }

    /// In later parts of a source, the announcement is missing, because it stands only at the beginning.
    pub(super) const fn iso_2022_kr() -> Self {
        Self { set: Set::Ascii, hz: false, korean: true }
    }

    pub(super) const fn hz() -> Self {
        Self { set: Set::Ascii, hz: true, korean: false }
    }

    /// The bytes up to the first that may not be ASCII.
    pub(super) fn ascii<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        if self.set != Set::Ascii {
            return &[];
        }
        // In pieces: where a text changes at every word, all that is left would be searched at each change.
        let mut len = 0;
        for piece in bytes.chunks(PIECE) {
            let ascii = &piece[..Encoding::ascii_valid_up_to(piece)];
            let mark = if self.hz { memchr(b'~', ascii) } else { memchr3(ESC, SHIFT_OUT, SHIFT_IN, ascii) };
            let plain = mark.unwrap_or(ascii.len());
            len += plain;
            if plain < piece.len() {
                break;
            }
        }
        &bytes[..len]
    }

    /// As [`Units::next`](super::units::Units::next).
    pub(super) fn next(&mut self, bytes: &[u8], last: bool) -> Option<Unit> {
        let first = *bytes.first()?;
        match if self.hz { self.tilde(bytes, last) } else { self.escape(bytes, last) } {
            Mark::Is(unit) => return Some(unit),
            Mark::Cut => return None,
            Mark::IsNot => {}
        }
        if matches!(first, b'\n' | b'\r') {
            self.set = Set::Ascii;
        }
        match self.set {
            Set::Ascii => Some(Unit { len: 1, text: Text::Byte(first) }),
            Set::Roman => Self::roman(bytes, last),
            Set::Katakana => Some(katakana(first)),
            _ if !(0x21..=0x7E).contains(&first) => Some(in_pairs(first)),
            _ => match bytes.get(1) {
                Some(second @ 0x21..=0x7E) => {
                    let text = self.pair(first, *second).map_or(Text::Bad, Text::Char);
                    Some(Unit { len: 2, text })
                }
                None if !last => None,
                _ => Some(Unit { len: 1, text: Text::Bad }),
            },
        }
    }

    /// A mark of ISO-2022 at the front.
    fn escape(&mut self, bytes: &[u8], last: bool) -> Mark {
        match bytes[0] {
            ESC => {
                let rest = &bytes[1..];
                for (mark, set) in MARKS {
                    if rest.starts_with(mark) {
                        self.korean |= mark == b"$)C";
                        return self.to(set, 1 + mark.len());
                    }
                    if mark.starts_with(rest) && !last {
                        return Mark::Cut;
                    }
                }
                Mark::Is(Unit { len: 1, text: Text::Byte(ESC) })
            }
            SHIFT_OUT if self.korean => self.to(Set::Korean, 1),
            SHIFT_IN if self.korean => self.to(Set::Ascii, 1),
            _ => Mark::IsNot,
        }
    }

    /// A mark of HZ at the front.
    fn tilde(&mut self, bytes: &[u8], last: bool) -> Mark {
        if bytes[0] != b'~' {
            return Mark::IsNot;
        }
        match (self.set, bytes.get(1)) {
            (_, None) if !last => Mark::Cut,
            (Set::Ascii, Some(b'{')) => self.to(Set::Chinese, 2),
            (Set::Chinese, Some(b'}')) | (Set::Ascii, Some(b'\n')) => self.to(Set::Ascii, 2),
            (Set::Ascii, Some(b'~')) => Mark::Is(Unit { len: 2, text: Text::Byte(b'~') }),
            _ => Mark::IsNot,
        }
    }

    fn to(&mut self, set: Set, len: usize) -> Mark {
        self.set = set;
        Mark::Is(Unit { len, text: Text::Nothing })
    }

    /// JIS X 0201 has a yen sign in the place of the backslash and an overline in that of the tilde. But mail programs
    /// used it as if it were ASCII, so a backslash that SGF needs counts as one.
    fn roman(bytes: &[u8], last: bool) -> Option<Unit> {
        let text = match bytes {
            [b'\\'] if !last => return None,
            [b'\\', b'\\' | b']' | b':' | b'\n' | b'\r', ..] => Text::Byte(b'\\'),
            [b'\\', ..] => Text::Char('\u{A5}'),
            [b'~', ..] => Text::Char('\u{203E}'),
            [byte, ..] => Text::Byte(*byte),
            [] => return None,
        };
        Some(Unit { len: 1, text })
    }

    fn pair(&self, first: u8, second: u8) -> Option<char> {
        let (encoding, prefix) = self.set.table()?;
        let mut bytes = [0; 3];
        let len = prefix.len() + 2;
        bytes[..prefix.len()].copy_from_slice(prefix);
        bytes[prefix.len()] = first | 0x80;
        bytes[prefix.len() + 1] = second | 0x80;
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let mut text = [0; 8];
        let (result, _, written) = decoder.decode_to_utf8_without_replacement(&bytes[..len], &mut text, true);
        let text = str::from_utf8(&text[..written]).ok()?;
        let mut chars = text.chars();
        match (result, chars.next(), chars.next()) {
            (DecoderResult::InputEmpty, Some(c), None) => Some(c),
            _ => None,
        }
    }
}

fn katakana(byte: u8) -> Unit {
    let text = match byte {
        0x21..=0x5F => char::from_u32(0xFF61 - 0x21 + u32::from(byte)).map_or(Text::Bad, Text::Char),
        _ => in_pairs(byte).text,
    };
    Unit { len: 1, text }
}

/// A byte that begins no pair: control characters and spaces stay as they are.
fn in_pairs(byte: u8) -> Unit {
    let text = if byte <= 0x20 || byte == 0x7F { Text::Byte(byte) } else { Text::Bad };
    Unit { len: 1, text }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::text::Charset;

    fn decoded(charset: Charset, bytes: &[u8]) -> String {
        charset.decode(bytes).0.into_owned()
    }

    /// A pair in the eight-bit charset.
    fn one(encoding: &'static Encoding, pair: [u8; 2]) -> String {
        let text = encoding.decode_without_bom_handling_and_without_replacement(&pair);
        text.map_or("\u{FFFD}".into(), Cow::into_owned)
    }

    fn bracketed(start: &[u8], pair: [u8; 2], end: &[u8]) -> Vec<u8> {
        [start, &pair[..], end].concat()
    }

    #[test]
    fn every_pair_is_as_in_the_tables() {
        for first in 0x21..=0x7E {
            for second in 0x21..=0x7E {
                let pair = [first, second];
                let high = [first | 0x80, second | 0x80];
                let bytes = bracketed(b"\x1B$B", pair, b"\x1B(B");
                let expected = encoding_rs::ISO_2022_JP.decode_without_bom_handling(&bytes).0;
                assert_eq!(decoded(Charset::ISO_2022_JP, &bytes), expected, "{bytes:X?}");

                let ours = decoded(Charset::ISO_2022_KR, &bracketed(b"\x1B$)C\x0E", pair, b"\x0F"));
                assert_eq!(ours, one(EUC_KR, high), "{pair:X?}");

                if pair != *b"~}" {
                    let ours = decoded(Charset::HZ, &bracketed(b"~{", pair, b"~}"));
                    assert_eq!(ours, one(GBK, high), "{pair:X?}");
                }
            }
        }
    }

    #[test]
    fn no_pair_is_ascii() {
        for set in [Set::Jis0208, Set::Jis0212, Set::Korean, Set::Chinese] {
            let state = SevenBit { set, ..SevenBit::hz() };
            for first in 0x21..=0x7E {
                for second in 0x21..=0x7E {
                    assert!(state.pair(first, second).is_none_or(|c| !c.is_ascii()), "{set:?} {first:X} {second:X}");
                }
            }
        }
    }

    #[test]
    fn other_sets_and_escape_sequences() {
        for (bytes, text) in [
            (&b"\x1B(IB1\x1B(B"[..], "\u{FF82}\u{FF71}"),
            (b"\x1B$(D0!\x1B(B", "\u{4E02}"),
            (b"\x1B$@;3\x1B(Ja~\x1B(B~", "\u{5C71}a\u{203E}~"),
            (b"\x1B(J\\100\x1B(B\\", "\u{A5}100\\"),
            // A backslash that escapes.
            (b"\x1B(Ja\\]b\\\\c\\", "a\\]b\\\u{A5}c\u{A5}"),
            // A line end also ends a set.
            (b"\x1B$B;3\nab", "\u{5C71}\nab"),
            // Other sequences are data.
            (b"\x1Ba\x1B$a\x0E\x0F", "\x1Ba\x1B$a\x0E\x0F"),
            // Half a pair.
            (b"\x1B$B;\x1B(B]", "\u{FFFD}]"),
        ] {
            assert_eq!(decoded(Charset::ISO_2022_JP, bytes), text, "{bytes:X?}");
        }
        assert_eq!(decoded(Charset::HZ, b"~{VP\nVP~} ~a ~\nb ~"), "\u{4E2D}\nVP~} ~a b ~");
        assert_eq!(decoded(Charset::ISO_2022_KR, b"\x0E0!\x0F \x1B$)C\x0E0!\n0!"), "\u{AC00} \u{AC00}\n0!");
    }
}
