//! Charsets: what they are, what they are called, bytes to text and back.
//!
//! Owns [`Charset`], which is an encoding of `encoding_rs` or one of the few that it lacks and we decode ourselves. Names
//! are in `label` and `aliases`; `step` has the characters in which a bracket may hide, `units` those that have to be
//! recoded, and `valid` those of UTF-8. Invariant: whatever the bytes, they decode; what is no character becomes U+FFFD.
//! Refuses to know games, and how a charset was learnt.

mod aliases;
pub(super) mod label;
mod seven_bit;
pub(super) mod step;
pub(super) mod units;
pub(super) mod valid;

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use encoding_rs::{Decoder, DecoderResult, Encoding};

use crate::text::charset::units::{Text, Units};
use crate::text::charset::valid::is_utf_8;

/// The encodings of `encoding_rs` that text is written in. Those that have a constant come first.
static STANDARD: [&Encoding; 37] = [
    &encoding_rs::UTF_8_INIT,
    &encoding_rs::WINDOWS_1252_INIT,
    &encoding_rs::GBK_INIT,
    &encoding_rs::GB18030_INIT,
    &encoding_rs::BIG5_INIT,
    &encoding_rs::SHIFT_JIS_INIT,
    &encoding_rs::EUC_JP_INIT,
    &encoding_rs::EUC_KR_INIT,
    &encoding_rs::UTF_16LE_INIT,
    &encoding_rs::UTF_16BE_INIT,
    &encoding_rs::WINDOWS_874_INIT,
    &encoding_rs::WINDOWS_1250_INIT,
    &encoding_rs::WINDOWS_1251_INIT,
    &encoding_rs::WINDOWS_1253_INIT,
    &encoding_rs::WINDOWS_1254_INIT,
    &encoding_rs::WINDOWS_1255_INIT,
    &encoding_rs::WINDOWS_1256_INIT,
    &encoding_rs::WINDOWS_1257_INIT,
    &encoding_rs::WINDOWS_1258_INIT,
    &encoding_rs::KOI8_R_INIT,
    &encoding_rs::KOI8_U_INIT,
    &encoding_rs::IBM866_INIT,
    &encoding_rs::MACINTOSH_INIT,
    &encoding_rs::X_MAC_CYRILLIC_INIT,
    &encoding_rs::ISO_8859_2_INIT,
    &encoding_rs::ISO_8859_3_INIT,
    &encoding_rs::ISO_8859_4_INIT,
    &encoding_rs::ISO_8859_5_INIT,
    &encoding_rs::ISO_8859_6_INIT,
    &encoding_rs::ISO_8859_7_INIT,
    &encoding_rs::ISO_8859_8_INIT,
    &encoding_rs::ISO_8859_8_I_INIT,
    &encoding_rs::ISO_8859_10_INIT,
    &encoding_rs::ISO_8859_13_INIT,
    &encoding_rs::ISO_8859_14_INIT,
    &encoding_rs::ISO_8859_15_INIT,
    &encoding_rs::ISO_8859_16_INIT,
];

/// A set of characters and the bytes they are written with.
///
/// It takes one byte, so that every value can carry its own. It covers all encodings of the WHATWG standard, and
/// UTF-32, ISO-2022-KR and HZ, which that standard lacks. [`Charset::for_label`] finds one by name.
///
/// ISO-8859-1 is not among them: files that claim it mean windows-1252, which differs from it only in that 0x80 to 0x9F
/// are letters and quotation marks instead of control characters. GB2312 is not among them either; it is a part of GBK.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Charset(u8);

/// The bytes of 0x80 or more, a bit each, that are no character of a single-byte charset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holes(u128);

impl Holes {
    fn of(encoding: &'static Encoding) -> Self {
        Self((0..128_u8).fold(0, |holes, low| {
            let byte = [0x80 | low];
            let text = encoding.decode_without_bom_handling_and_without_replacement(&byte);
            holes | u128::from(text.is_none()) << low
        }))
    }

    /// How many of the bytes are no character.
    pub(super) fn count(self, bytes: &[u8]) -> usize {
        // Most charsets have none.
        if self.0 == 0 { 0 } else { bytes.iter().filter(|&&byte| self.has(byte)).count() }
    }

    fn has(self, byte: u8) -> bool {
        !byte.is_ascii() && self.0 >> (byte & 0x7F) & 1 == 1
    }
}

/// What implements a [`Charset`].
enum Kind {
    Standard(&'static Encoding),
    Own(Units),
}

impl Charset {
    /// UTF-8.
    pub const UTF_8: Self = Self(0);
    /// windows-1252, which is what is meant by ISO-8859-1, Latin-1 and ASCII.
    pub const WINDOWS_1252: Self = Self(1);
    /// GBK, that is windows-936; what is meant by GB2312.
    pub const GBK: Self = Self(2);
    /// GB18030, which adds characters of four bytes to GBK.
    pub const GB18030: Self = Self(3);
    /// Big5 with the characters of Hong Kong.
    pub const BIG5: Self = Self(4);
    /// Shift_JIS, that is windows-31J.
    pub const SHIFT_JIS: Self = Self(5);
    /// EUC-JP.
    pub const EUC_JP: Self = Self(6);
    /// EUC-KR with the hangul of windows-949.
    pub const EUC_KR: Self = Self(7);
    /// UTF-16, lower byte first.
    pub const UTF_16LE: Self = Self(8);
    /// UTF-16, upper byte first.
    pub const UTF_16BE: Self = Self(9);
    /// UTF-32, lowest byte first.
    pub const UTF_32LE: Self = Self(0x80);
    /// UTF-32, highest byte first.
    pub const UTF_32BE: Self = Self(0x81);
    /// ISO-2022-JP, with the extensions for JIS X 0212 and half-width katakana.
    pub const ISO_2022_JP: Self = Self(0x82);
    /// ISO-2022-KR.
    pub const ISO_2022_KR: Self = Self(0x83);
    /// HZ, Chinese in seven bits.
    pub const HZ: Self = Self(0x84);

    /// Every charset there is.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..STANDARD.len() as u8).chain(Self::UTF_32LE.0..=Self::HZ.0).map(Self)
    }

    pub(super) fn of(encoding: &'static Encoding) -> Option<Self> {
        if encoding == encoding_rs::ISO_2022_JP {
            return Some(Self::ISO_2022_JP);
        }
        STANDARD.iter().position(|&it| it == encoding).map(|index| Self(index as u8))
    }

    fn kind(self) -> Kind {
        match (STANDARD.get(usize::from(self.0)), Units::of(self)) {
            (Some(encoding), _) => Kind::Standard(encoding),
            (None, Some(units)) => Kind::Own(units),
            (None, None) => Kind::Standard(&encoding_rs::UTF_8_INIT),
        }
    }

    /// Its name, as the WHATWG standard or the IANA registry writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::UTF_32LE => "UTF-32LE",
            Self::UTF_32BE => "UTF-32BE",
            Self::ISO_2022_JP => "ISO-2022-JP",
            Self::ISO_2022_KR => "ISO-2022-KR",
            Self::HZ => "HZ-GB-2312",
            Self(index) => STANDARD[usize::from(index)].name(),
        }
    }

    /// True for UTF-16 and UTF-32, in which not even the brackets of SGF are single bytes.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::UTF_16LE | Self::UTF_16BE | Self::UTF_32LE | Self::UTF_32BE)
    }

    /// True for ISO-2022-JP, ISO-2022-KR and HZ, in which an ASCII byte may be half of another character, depending on
    /// what came before.
    pub fn is_stateful(self) -> bool {
        matches!(self, Self::ISO_2022_JP | Self::ISO_2022_KR | Self::HZ)
    }

    /// True for GBK, GB18030, Big5 and Shift_JIS, in which `[`, `\` and `]` may be the second byte of a character.
    ///
    /// In every other charset that is neither wide nor stateful such a byte always stands for itself.
    pub fn has_trailing_brackets(self) -> bool {
        matches!(self, Self::GBK | Self::GB18030 | Self::BIG5 | Self::SHIFT_JIS)
    }

    /// Whether every byte is a character, so that hardly any bytes fail to be text.
    pub(crate) fn is_single_byte(self) -> bool {
        matches!(self.kind(), Kind::Standard(encoding) if encoding.is_single_byte())
    }

    /// The text of the bytes, and whether any of them are no text; these become U+FFFD.
    ///
    /// Borrowed if the bytes are UTF-8 already. No byte order mark is looked for. Takes time linear in the length.
    pub fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        match self.kind() {
            Kind::Standard(encoding) => encoding.decode_without_bom_handling(bytes),
            Kind::Own(units) => decode_units(units, bytes),
        }
    }

    /// True if all of the bytes are text. Allocates nothing, whatever the length.
    pub fn decodes(self, bytes: &[u8]) -> bool {
        match self.kind() {
            Kind::Standard(encoding) if encoding == encoding_rs::UTF_8 => is_utf_8(bytes),
            // All 256 bytes are text.
            Kind::Standard(encoding) if encoding == encoding_rs::WINDOWS_1252 => true,
            Kind::Standard(_) if self.has_pairs_of_gbk() && are_pairs(bytes) => true,
            Kind::Standard(encoding) => match self.holes() {
                Some(holes) => holes.0 == 0 || !bytes.iter().any(|&byte| holes.has(byte)),
                None => decodes_without_errors(encoding.new_decoder_without_bom_handling(), bytes),
            },
            Kind::Own(units) => unit_texts(units, bytes).all(|text| !is_bad(text)),
        }
    }

    /// The bytes that are no character, in a charset where each byte is one or none. Found out from the decoder once:
    /// decoding short texts only to check them takes a fifth of the time that reading them does.
    pub(super) fn holes(self) -> Option<Holes> {
        static HOLES: [OnceLock<Holes>; STANDARD.len()] = [const { OnceLock::new() }; STANDARD.len()];
        let Kind::Standard(encoding) = self.kind() else { return None };
        encoding.is_single_byte().then(|| *HOLES[usize::from(self.0)].get_or_init(|| Holes::of(encoding)))
    }

    /// Whether everything that [`are_pairs`] accepts is a character: these two share one decoder.
    fn has_pairs_of_gbk(self) -> bool {
        matches!(self, Self::GBK | Self::GB18030)
    }

    /// A decoder for pieces, if bytes of this charset can be taken one at a time.
    pub(super) fn decoder(self) -> Option<Decoder> {
        match self.kind() {
            Kind::Standard(encoding) => Some(encoding.new_decoder_without_bom_handling()),
            Kind::Own(_) => None,
        }
    }

    /// The bytes of a text, or the first character that the charset does not have.
    ///
    /// Borrowed if the text is ASCII and the charset contains ASCII, and for UTF-8.
    pub(super) fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, EncodeError> {
        let encoding = match self.kind() {
            Kind::Standard(encoding) if encoding.output_encoding() == encoding => encoding,
            _ => return Err(EncodeError::Charset(self)),
        };
        let (bytes, _, replaced) = encoding.encode(text);
        // Shift_JIS and EUC-JP write a yen sign as a backslash, which would then escape something.
        if encoding == encoding_rs::UTF_8 || (!replaced && (text.is_ascii() || self.decode(&bytes).0 == text)) {
            return Ok(bytes);
        }
        let lacking = |c: &char| {
            let mut text = [0; 4];
            let text = c.encode_utf8(&mut text);
            let (bytes, _, replaced) = encoding.encode(text);
            replaced || self.decode(&bytes).0 != *text
        };
        Err(EncodeError::Character(text.chars().find(lacking).unwrap_or(char::REPLACEMENT_CHARACTER), self))
    }
}

/// Whether a value in a charset whose characters may hide brackets is text and hides none: without a backslash, and
/// with all its characters complete, it ends where it seems to. Also false if only a closer look could say.
pub(crate) fn hides_nothing(charset: Charset, value: &[u8]) -> bool {
    charset.has_pairs_of_gbk() && memchr::memchr(b'\\', value).is_none() && are_pairs(value)
}

/// Whether bytes are ASCII and pairs of GBK, each of which is a character. Decoding most Chinese text only to check it
/// takes a fifth of the time that reading short games does.
fn are_pairs(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [0..=0x7F, rest @ ..] | [0x81..=0xFE, 0x40..=0x7E | 0x80..=0xFE, rest @ ..] => rest,
            _ => return false,
        };
    }
}

fn decodes_without_errors(mut decoder: Decoder, bytes: &[u8]) -> bool {
    let mut text = [0; 256];
    let mut rest = bytes;
    loop {
        let (result, read, _) = decoder.decode_to_utf8_without_replacement(rest, &mut text, true);
        rest = &rest[read..];
        match result {
            DecoderResult::InputEmpty => return true,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => return false,
        }
    }
}

/// The characters of the bytes, one step at a time.
fn unit_texts(mut units: Units, mut bytes: &[u8]) -> impl Iterator<Item = Text> {
    std::iter::from_fn(move || {
        let unit = units.next(bytes, true)?;
        bytes = &bytes[unit.len..];
        Some(unit.text)
    })
}

fn is_bad(text: Text) -> bool {
    matches!(text, Text::Bad | Text::Byte(0x80..))
}

fn decode_units(units: Units, bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let ascii_is_plain = !matches!(units, Units::Utf16 { .. } | Units::Utf32 { .. });
    if ascii_is_plain && bytes.iter().all(|&byte| byte.is_ascii() && !matches!(byte, 0x0E | 0x1B | b'~')) {
        return (String::from_utf8_lossy(bytes), false);
    }
    let mut decoded = String::with_capacity(bytes.len());
    let mut errors = false;
    for text in unit_texts(units, bytes) {
        errors |= is_bad(text);
        match text {
            Text::Byte(byte @ ..0x80) => decoded.push(char::from(byte)),
            Text::Char(c) => decoded.push(c),
            Text::Nothing => {}
            Text::Byte(_) | Text::Bad => decoded.push(char::REPLACEMENT_CHARACTER),
        }
    }
    (Cow::Owned(decoded), errors)
}

/// The name.
impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// UTF-8, which all new files should be.
impl Default for Charset {
    fn default() -> Self {
        Self::UTF_8
    }
}

/// Why a text can't be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The charset lacks this character.
    Character(char, Charset),
    /// The charset can be read, but not written.
    Charset(Charset),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(c, charset) => write!(f, "{charset} has no character U+{:04X}", u32::from(*c)),
            Self::Charset(charset) => write!(f, "{charset} is read, not written"),
        }
    }
}

impl std::error::Error for EncodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_gbk_is_a_character() {
        let mut pairs = 0;
        for [lead, trail] in (0..=u16::MAX).map(u16::to_be_bytes) {
            let decodes = decodes_without_errors(encoding_rs::GBK.new_decoder_without_bom_handling(), &[lead, trail]);
            assert!(decodes || !are_pairs(&[lead, trail]), "{lead:02X} {trail:02X}");
            for charset in [Charset::GBK, Charset::GB18030] {
                assert_eq!(charset.decodes(&[b'a', lead, trail]), decodes, "{lead:02X} {trail:02X}");
                assert!(decodes || !hides_nothing(charset, &[lead, trail]), "{lead:02X} {trail:02X}");
            }
            pairs += u32::from(!lead.is_ascii() && are_pairs(&[lead, trail]));
        }
        assert_eq!(pairs, 126 * 190);
        assert!(!are_pairs(b"a\x81") && !Charset::GBK.decodes(b"a\x81"));
    }

    #[test]
    fn charsets_have_distinct_names() {
        let names: std::collections::HashSet<_> = Charset::all().map(Charset::name).collect();
        assert_eq!(names.len(), Charset::all().count());
        assert_eq!(names.len(), 42);
    }

    #[test]
    fn constants_have_their_names() {
        for (charset, name) in [
            (Charset::UTF_8, "UTF-8"),
            (Charset::WINDOWS_1252, "windows-1252"),
            (Charset::GBK, "GBK"),
            (Charset::GB18030, "gb18030"),
            (Charset::BIG5, "Big5"),
            (Charset::SHIFT_JIS, "Shift_JIS"),
            (Charset::EUC_JP, "EUC-JP"),
            (Charset::EUC_KR, "EUC-KR"),
            (Charset::UTF_16LE, "UTF-16LE"),
            (Charset::UTF_16BE, "UTF-16BE"),
        ] {
            assert_eq!(charset.name(), name);
        }
    }

    #[test]
    fn decodes_tells_whether_decoding_has_errors() {
        let cases: [(Charset, &[u8], &str, bool); 12] = [
            (Charset::UTF_8, b"\xE5\x9B\xA0", "\u{56E0}", false),
            (Charset::UTF_8, b"\xE5\x9B]", "\u{FFFD}]", true),
            (Charset::BIG5, b"\xA6\x5D", "\u{56E0}", false),
            (Charset::BIG5, b"\xA6", "\u{FFFD}", true),
            (Charset::SHIFT_JIS, b"\x90\x5C\xB1", "\u{7533}\u{FF71}", false),
            (Charset::GBK, b"\xB0\xD7", "\u{767D}", false),
            (Charset::WINDOWS_1252, b"\x93a\x94 \xE9", "\u{201C}a\u{201D} \u{E9}", false),
            (Charset::ISO_2022_JP, b"\x1B$B;3\x1B(B!", "\u{5C71}!", false),
            (Charset::ISO_2022_KR, b"\x1B$)C\x0E0!\x0F.", "\u{AC00}.", false),
            (Charset::HZ, b"~{VP~}~~", "\u{4E2D}~", false),
            (Charset::HZ, b"\xB0", "\u{FFFD}", true),
            (Charset::UTF_32BE, b"\0\0\x56\xE0\0\x11\0\0", "\u{56E0}\u{FFFD}", true),
        ];
        for (charset, bytes, text, errors) in cases {
            assert_eq!(charset.decode(bytes), (Cow::Borrowed(text), errors), "{charset}");
            assert_eq!(charset.decodes(bytes), !errors, "{charset}");
        }
    }

    #[test]
    fn each_byte_of_a_single_byte_charset_is_a_character_or_undefined() {
        let mut holes = 0;
        for charset in Charset::all().filter(|charset| charset.is_single_byte()) {
            for byte in 0..=u8::MAX {
                let errors = charset.decode(&[b'a', byte]).1;
                assert_eq!(charset.decodes(&[b'a', byte]), !errors, "{charset} {byte:02X}");
                holes += u32::from(errors);
            }
        }
        assert!(holes > 100, "{holes}");
    }

    #[test]
    fn long_texts_decode_in_pieces() {
        let mut bytes = b"\xB0\xD7".repeat(4000);
        assert!(Charset::GBK.decodes(&bytes));
        bytes.push(0xB0);
        assert!(!Charset::GBK.decodes(&bytes));
    }

    #[test]
    fn ascii_is_borrowed() {
        for charset in Charset::all().filter(|charset| !charset.is_wide()) {
            assert!(matches!(charset.decode(b"12k (;)"), (Cow::Borrowed("12k (;)"), false)), "{charset}");
        }
    }

    #[test]
    fn encoding_errors_name_the_missing_character() {
        assert_eq!(Charset::BIG5.encode("\u{56E0}").unwrap(), &b"\xA6\x5D"[..]);
        let error = Charset::SHIFT_JIS.encode("\u{A5}]").unwrap_err();
        assert_eq!(error, EncodeError::Character('\u{A5}', Charset::SHIFT_JIS));
        let error = Charset::BIG5.encode("a\u{2603}").unwrap_err();
        assert_eq!(error.to_string(), "Big5 has no character U+2603");
        assert_eq!(Charset::HZ.encode("a").unwrap_err(), EncodeError::Charset(Charset::HZ));
    }
}
