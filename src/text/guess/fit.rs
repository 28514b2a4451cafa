//! How well a text fits a charset.
//!
//! Owns [`Fit`], which counts the characters, and [`Growing`], which does so for a text that grows and never counts one
//! twice. Refuses to choose among the charsets that fit.

use encoding_rs::CoderResult;

use crate::text::Charset;
use crate::text::guess::familiar::Familiar;
use crate::text::guess::pairs::{Pairs, REPLACEMENT};

/// How well a text fits a charset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fit {
    /// Characters that are not ASCII.
    pub(super) characters: usize,
    /// How many of them are invalid.
    pub(super) bad: usize,
    /// How many of them are frequent in game records.
    pub(super) words: usize,
}

impl Fit {
    pub(super) fn of(charset: Charset, text: &[u8]) -> Self {
        let fit = match Pairs::of(charset) {
            Some(pairs) => pairs.fit(text),
            None => charset.holes().map(|holes| Self {
                characters: text.iter().filter(|byte| !byte.is_ascii()).count(),
                bad: holes.count(text),
                words: 0,
            }),
        };
        fit.unwrap_or_else(|| Self::decoded(charset, text))
    }

    /// The fit according to the decoder.
    pub(super) fn decoded(charset: Charset, text: &[u8]) -> Self {
        // If a character depends on what came before it, bytes prove nothing.
        let Some(mut decoder) = charset.decoder() else { return Self { characters: 1, bad: 1, words: 0 } };
        let familiar = Familiar::of(charset);
        let (mut fit, mut rest, mut units) = (Self::default(), text, [0; 256]);
        loop {
            let (result, read, written, _) = decoder.decode_to_utf16(rest, &mut units, true);
            for &unit in units[..written].iter().filter(|&unit| !matches!(unit, 0..=0x7F | 0xDC00..=0xDFFF)) {
                fit.characters += 1;
                fit.bad += usize::from(unit == REPLACEMENT);
                fit.words += usize::from(familiar.has(unit));
            }
            rest = &rest[read..];
            if result == CoderResult::InputEmpty {
                return fit;
            }
        }
    }

    /// Whether all of it fits, except for a character here and there. Frequent characters count twice: in a short text, one lost
    /// byte is one character in five.
    pub(super) fn is_near(self) -> bool {
        self.bad * 8 <= self.characters.max(2 * self.words)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            characters: self.characters + other.characters,
            bad: self.bad + other.bad,
            words: self.words + other.words,
        }
    }
}

/// Whether all of a text fits a charset, except for a damaged character here and there.
pub(in crate::text) fn nearly_decodes(charset: Charset, text: &[u8]) -> bool {
    Fit::of(charset, text).is_near()
}

/// Whether a text fits the charset that a label says it is in: then it may be damaged more.
pub(crate) fn mostly_decodes(charset: Charset, text: &[u8]) -> bool {
    Growing::new(charset).mostly_decodes(text)
}

/// How well a text fits that grows line by line: what was there before is not decoded again.
#[derive(Clone, Copy, Debug)]
pub(in crate::text) struct Growing {
    charset: Charset,
    len: usize,
    fit: Fit,
}

impl Growing {
    pub(in crate::text) fn new(charset: Charset) -> Self {
        Self { charset, len: 0, fit: Fit::default() }
    }

    pub(in crate::text) fn charset(&self) -> Charset {
        self.charset
    }

    /// As [`Fit::of`]. When this was last called, the text consisted of whole lines, which are still at its beginning.
    pub(super) fn fit(&mut self, text: &[u8]) -> Fit {
        if let Some(more @ [_, ..]) = text.get(self.len..) {
            self.fit = self.fit.and(Fit::of(self.charset, more));
            self.len = text.len();
        }
        self.fit
    }

    /// As [`mostly_decodes`], for such a text.
    pub(in crate::text) fn mostly_decodes(&mut self, text: &[u8]) -> bool {
        let fit = self.fit(text);
        fit.bad * 3 <= fit.characters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sequences;

    #[test]
    fn a_growing_text_fits_like_a_whole_one() {
        let pieces = [
            &b"\xB0\xD7 a"[..],
            b"\xDF gro\xDFer",
            b"\x81\x30",
            b"\x81\x30\x81\x30",
            b"\x8E\xB1\x8F",
            b"\xE3\x81\x82",
            b"abc",
            b"",
        ];
        for charset in Charset::all().filter(|charset| !charset.is_wide()) {
            for pieces in sequences::<_, 4>(&pieces) {
                let mut growing = Growing::new(charset);
                let mut text = Vec::new();
                for piece in pieces {
                    text.extend_from_slice(piece);
                    text.push(b'\n');
                    let expected = mostly_decodes(charset, &text);
                    assert_eq!(growing.mostly_decodes(&text), expected, "{charset} {}", text.escape_ascii());
                }
            }
        }
    }
}
