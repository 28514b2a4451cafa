//! How a value is written: its charset, and what an escape is about.
//!
//! Owns [`Writing`], which turns raw values to text and back; raw values to UTF-8 are in `recode`. Refuses to know how either
//! was learnt.

mod recode;

use std::borrow::Cow;

use memchr::memchr;

use crate::text::charset::EncodeError;
use crate::text::{Charset, StepState, Steps, decode, escape};

/// What a backslash escapes, in the charsets whose characters may hold a `[`, `\` or `]` as their second byte.
///
/// These are GBK, GB18030, Big5 and Shift_JIS. Archives hold both ways: `A6 5D`, a character of Big5, stands as it is
/// in files that were typed as text, and as `A6 5C 5D` if a program has escaped bytes. In all other charsets there is
/// no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EscapeUnit {
    /// The next byte, and any byte `]` closes a value: the letter of the standard. SGFC with `-E2`, sgfmill, Pentobi.
    #[default]
    Byte,
    /// The next character, and only a `]` that is a character closes a value. SGFC by default, Sabaki.
    /// A value that has no end then is read by bytes, after a search as far as [the limit](crate::Limits::value).
    Character,
    /// Whichever makes sense of a value, if the charset is declared or forced. If it is guessed, a value ends by bytes,
    /// because a guess may be wrong, and its text is read in whichever way makes sense. By bytes everywhere else.
    Auto,
}

/// How a value is written: its charset, and whether escapes are about bytes, characters, or whichever makes sense.
///
/// It takes four bytes, so that every value can carry its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Writing {
    charset: Charset,
    unit: EscapeUnit,
    /// The charset of the source, if that is recoded before it is read.
    recoded_from: Option<Charset>,
}

impl Writing {
    /// A backslash escapes the next byte.
    pub const fn by_byte(charset: Charset) -> Self {
        Self { charset, unit: EscapeUnit::Byte, recoded_from: None }
    }

    /// A backslash escapes the next character.
    pub const fn by_character(charset: Charset) -> Self {
        Self { charset, unit: EscapeUnit::Character, recoded_from: None }
    }

    /// A backslash escapes the next character in values that are text in this way, and contain no `]` then; elsewhere
    /// it escapes the next byte.
    ///
    /// Text that was escaped by byte reads the same by character, unless a character contains a `]`: the escape is then
    /// taken for the second half of another character, and the `]` stands alone.
    pub(crate) const fn by_sense(charset: Charset) -> Self {
        Self { charset, unit: EscapeUnit::Auto, recoded_from: None }
    }

    /// UTF-8 that was recoded from a source that can't be read in place.
    pub(crate) const fn made_from(source: Charset) -> Self {
        Self { recoded_from: Some(source), ..Self::by_byte(Charset::UTF_8) }
    }

    /// This writing, of bytes that are not those of the source.
    pub(crate) const fn recoded(self) -> Self {
        Self { recoded_from: Some(self.source_charset()), ..self }
    }

    /// The charset.
    pub const fn charset(self) -> Charset {
        self.charset
    }

    /// The charset of the bytes in the source. It differs only if the source is recoded before it is read, as UTF-16
    /// is.
    pub const fn source_charset(self) -> Charset {
        match self.recoded_from {
            Some(source) => source,
            None => self.charset,
        }
    }

    /// True if the bytes are not those of the source, because the source is recoded before it is read, or because an
    /// [`Upgrade`](crate::semantics::Upgrade) has converted the value. In ISO-2022-JP and UTF-16, the source may write as
    /// ASCII bytes what is not ASCII here.
    #[inline]
    pub const fn is_recoded(self) -> bool {
        self.recoded_from.is_some()
    }

    /// True if a backslash escapes a character, and that is not the same as a byte.
    pub fn is_by_character(self) -> bool {
        self.unit == EscapeUnit::Character && self.charset.has_trailing_brackets()
    }

    /// How this value is written.
    pub(super) fn of(self, raw: &[u8]) -> Self {
        if self.unit != EscapeUnit::Auto {
            return self;
        }
        let by_character = Self::by_character(self.charset);
        let is_open = |steps: Steps| steps.close(&mut StepState::default(), raw).is_none();
        let makes_sense = memchr::memchr(b'\\', raw).is_some()
            && Steps::of(self.charset).is_some_and(is_open)
            && by_character.decodes(raw);
        if makes_sense { by_character } else { Self::by_byte(self.charset) }
    }

    /// A raw value by the rules of Text: escapes and soft line breaks are removed; LF, CR, CRLF and LFCR become one
    /// `\n` each; other white space becomes one space each.
    ///
    /// Bytes that are no text become U+FFFD. Borrowed if nothing changes. Takes time linear in the length.
    pub fn text(self, raw: &[u8]) -> Cow<'_, str> {
        self.read(raw, escape::text).0
    }

    /// A raw value by the rules of SimpleText: as [`text`](Self::text), but a line break becomes one space.
    pub fn simple_text(self, raw: &[u8]) -> Cow<'_, str> {
        self.read(raw, escape::simple_text).0
    }

    /// Whether its escapes may be bytes of its characters. If so, its unescaped bytes may decode differently from its raw bytes.
    pub(crate) fn unescapes(self, raw: &[u8]) -> bool {
        self.charset.has_trailing_brackets() && memchr(b'\\', raw).is_some()
    }

    /// True if all of a raw value is text.
    pub fn decodes(self, raw: &[u8]) -> bool {
        if raw.is_ascii() && !self.charset.is_stateful() && !self.charset.is_wide() {
            return true;
        }
        let reads = || self.charset.decodes(&escape::text(raw));
        if self.unescapes(raw) && !self.of(raw).unescapes_text() {
            return reads();
        }
        // In other charsets no byte of a character is ever taken for an escape; but a line may be broken inside one.
        let may_be_broken = || !self.unescapes_text() && !self.charset.is_single_byte() && memchr(b'\\', raw).is_some();
        self.charset.decodes(raw) || (may_be_broken() && reads())
    }

    /// The halves of a composed value, before and after the first unescaped `:`; both still raw.
    pub fn split_compose(self, raw: &[u8]) -> Option<(&[u8], &[u8])> {
        match Steps::of(self.charset) {
            Some(steps) if self.of(raw).is_by_character() => {
                let colon = steps.colon(raw)?;
                Some((&raw[..colon], &raw[colon + 1..]))
            }
            _ => escape::split_compose(raw),
        }
    }

    /// The raw value that reads as this text: the inverse of [`text`](Self::text), as [`escape`](escape::escape) says.
    ///
    /// The [writing of a value](crate::Value::writing) that is all ASCII says UTF-8 before any other text of its game,
    /// whatever charset that is in. To write into such a game, take the charset of its CA:
    ///
    /// ```
    /// use sgf_stream::Writing;
    /// use sgf_stream::text::Charset;
    ///
    /// // The value of CA.
    /// let charset = Charset::for_label(b"Shift_JIS")?;
    /// assert_eq!(Writing::by_byte(charset).escape("表示")?, &b"\x95\\\\\x8E\xA6"[..]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first character that the charset lacks, or the charset if it can only be read.
    pub fn escape(self, text: &str) -> Result<Cow<'_, [u8]>, EncodeError> {
        self.write(text, escape::escape)
    }

    /// Escapes text as half of a composed value: as [`escape`](Self::escape), and `:` too.
    ///
    /// # Errors
    ///
    /// As [`escape`](Self::escape).
    pub fn escape_compose(self, text: &str) -> Result<Cow<'_, [u8]>, EncodeError> {
        self.write(text, escape::escape_compose)
    }

    /// Whether escapes are undone in the decoded text; if false, in the bytes.
    pub(super) fn unescapes_text(self) -> bool {
        self.is_by_character() || self.charset.is_stateful() || self.charset.is_wide()
    }

    /// The text, and whether any of its bytes are no text.
    pub(crate) fn read(self, raw: &[u8], unescape: fn(&[u8]) -> Cow<'_, [u8]>) -> (Cow<'_, str>, bool) {
        if self.of(raw).unescapes_text() {
            let (text, errors) = self.charset.decode(raw);
            return match text {
                Cow::Borrowed(text) => (decode(unescape(text.as_bytes())), errors),
                Cow::Owned(text) => match unescape(text.as_bytes()) {
                    Cow::Borrowed(_) => (Cow::Owned(text), errors),
                    changed @ Cow::Owned(_) => (Cow::Owned(decode(changed).into_owned()), errors),
                },
            };
        }
        match unescape(raw) {
            Cow::Borrowed(bytes) => self.charset.decode(bytes),
            Cow::Owned(bytes) => {
                let (text, errors) = self.charset.decode(&bytes);
                if let Cow::Borrowed(_) = text {
                    return (decode(Cow::Owned(bytes)), errors);
                }
                (Cow::Owned(text.into_owned()), errors)
            }
        }
    }

    fn write(self, text: &str, escape: fn(&[u8]) -> Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>, EncodeError> {
        if self.is_by_character() {
            return match escape(text.as_bytes()) {
                Cow::Borrowed(_) => self.charset.encode(text),
                escaped @ Cow::Owned(_) => Ok(Cow::Owned(self.charset.encode(&decode(escaped))?.into_owned())),
            };
        }
        match self.charset.encode(text)? {
            Cow::Borrowed(bytes) => Ok(escape(bytes)),
            Cow::Owned(bytes) => Ok(Cow::Owned(escape(&bytes).into_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_a_guessed_charset_are_read_by_sense() {
        for (charset, raw, text) in [
            (Charset::SHIFT_JIS, &b"\x95\\\x8E\xA6"[..], "表示"),
            // The same text, escaped by byte.
            (Charset::SHIFT_JIS, b"\x95\\\\\x8E\xA6", "表示"),
            (Charset::SHIFT_JIS, b"\x95\\\\", "表"),
            (Charset::BIG5, b"\xB3\\ [9p\\]", "許 [9p]"),
            (Charset::BIG5, b"\xA6\\]\xB3\\\\", "因許"),
            // As in a repaired value.
            (Charset::BIG5, b"\xA6]\xB3\\", "因許"),
            (Charset::WINDOWS_1252, b"\xFC\\]", "ü]"),
        ] {
            let writing = Writing::by_sense(charset);
            assert_eq!(writing.text(raw), text, "{}", raw.escape_ascii());
            assert!(writing.decodes(raw));
            assert_eq!(Writing::default().text(&writing.recode(raw).0), text);
            assert_eq!(writing.text(&writing.escape(text).unwrap()), text, "an escaped text reads back");
        }
    }

    #[test]
    fn ascii_decodes_unless_the_charset_is_wide() {
        for charset in Charset::all() {
            let writing = Writing::by_byte(charset);
            assert_eq!(writing.decodes(b"abc"), !charset.is_wide(), "{charset}");
        }
        assert!(!Writing::by_byte(Charset::ISO_2022_JP).decodes(b"\x1B$Ba"), "half a character");
    }

    #[test]
    fn a_line_break_inside_a_character_does_not_damage_it() {
        for (charset, raw, text) in
            [(Charset::UTF_8, &b"Jos\xC3\\\n\xA9"[..], "José"), (Charset::EUC_KR, b"\xB0\\\r\n\xA1", "가")]
        {
            assert!(Writing::by_byte(charset).decodes(raw));
            assert_eq!(Writing::by_byte(charset).text(raw), text);
        }
        assert!(!Writing::default().decodes(b"Jos\xC3\\\nA"));
    }

    #[test]
    fn composed_values_of_a_guessed_charset_are_split() {
        let writing = Writing::by_sense(Charset::BIG5);
        let (name, version) = writing.split_compose(b"\xB3\\\\:\xA6\\]").unwrap();
        assert_eq!((writing.text(name), writing.text(version)), ("許".into(), "因".into()));
        assert_eq!(writing.split_compose(b"\xB3\\:1").map(|(name, _)| writing.text(name)), Some("許".into()));
    }
}
