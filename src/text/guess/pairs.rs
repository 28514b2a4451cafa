//! What two bytes are in the charsets in which two may be one character.
//!
//! Owns [`Pairs`], a table for each of these charsets. An entry is filled from the decoder when its two bytes first
//! come: a folder of small files has few of the 163,840, and to fill a table row by row would take as long as 300 of
//! these files. The tables are for weighing a text against all of these charsets at once: decoding it
//! five times takes as long as reading ten times as much of the game. Refuses to know which charset is likelier.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use encoding_rs::CoderResult;

use crate::text::Charset;
use crate::text::guess::familiar::Familiar;
use crate::text::guess::fit::Fit;

/// What a byte of 0x80 or more and the byte behind it are, in bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Entry(u8);

impl Entry {
    /// Both bytes are consumed; otherwise only the first.
    const BOTH: u8 = 1;
    /// What is consumed is no character.
    const BAD: u8 = 2;
    /// More bytes are needed to know.
    const LONGER: u8 = 4;
    /// The number of characters, in steps of this.
    const CHARACTER: u8 = 8;
    /// How many of them are frequent in game records, in steps of this.
    const WORD: u8 = 32;

    fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    fn fit(self) -> Fit {
        Fit {
            characters: usize::from(self.0 / Self::CHARACTER % 4),
            bad: usize::from(self.has(Self::BAD)),
            words: usize::from(self.0 / Self::WORD),
        }
    }
}

/// The table of a charset.
///
/// An entry that was never looked up is zero, which no valid entry is. It is written by the first thread that needs it,
/// or by several at once, which all write the same. A lock instead would add a load before it is known where the next
/// character begins, and these loads are where the time goes.
pub(super) struct Pairs {
    charset: Charset,
    entries: [[AtomicU8; 256]; 128],
}

impl Pairs {
    #[expect(clippy::large_stack_arrays, reason = "all of them are static")]
    const fn new(charset: Charset) -> Self {
        Self { charset, entries: [const { [const { AtomicU8::new(0) }; 256] }; 128] }
    }

    /// The table of a charset, if two of its bytes may be a character and nearly all its characters have one or two bytes.
    pub(super) fn of(charset: Charset) -> Option<&'static Self> {
        static ALL: [Pairs; 5] = [
            Pairs::new(Charset::GBK),
            Pairs::new(Charset::BIG5),
            Pairs::new(Charset::SHIFT_JIS),
            Pairs::new(Charset::EUC_JP),
            Pairs::new(Charset::EUC_KR),
        ];
        ALL.iter().find(|pairs| pairs.charset == charset)
    }

    /// How well a text fits; `None` if only a decoder can say, as for characters of three or four bytes.
    pub(super) fn fit(&self, text: &[u8]) -> Option<Fit> {
        let mut fit = Fit::default();
        let mut at = 0;
        while let Some(&first) = text.get(at) {
            if first.is_ascii() {
                at += 1;
                continue;
            }
            // The last byte is treated as if a line end followed: neither continues a character.
            let second = text.get(at + 1).copied().unwrap_or(b'\n');
            let entry = self.entry(first, second);
            if entry.has(Entry::LONGER) {
                return None;
            }
            fit = fit.and(entry.fit());
            at += 1 + usize::from(entry.has(Entry::BOTH));
        }
        Some(fit)
    }

    #[inline]
    fn entry(&self, first: u8, second: u8) -> Entry {
        let [row, place] = [first & 0x7F, second].map(usize::from);
        match self.entries[row][place].load(Relaxed) {
            0 => self.first_entry(first, second),
            known => Entry(known),
        }
    }

    #[cold]
    fn first_entry(&self, first: u8, second: u8) -> Entry {
        let entry = self.decoded(first, second);
        self.entries[usize::from(first & 0x7F)][usize::from(second)].store(entry.0, Relaxed);
        entry
    }

    /// Decodes the bytes on a line of their own: no line end is part of any character.
    fn decoded(&self, first: u8, second: u8) -> Entry {
        let second = if second == b'\n' { b'\r' } else { second };
        let Some(mut decoder) = self.charset.decoder() else { return Entry(Entry::LONGER) };
        // The byte by itself; the NUL does not change what it is.
        let lines = [first, 0, b'\n', first, second, b'\n'];
        let mut units = [0; 32];
        let (result, _, written, _) = decoder.decode_to_utf16(&lines, &mut units, true);
        let mut lines = units[..written].split(|&unit| unit == LINE_END);
        let (CoderResult::InputEmpty, Some(alone), Some(units)) = (result, lines.next(), lines.next()) else {
            return Entry(Entry::LONGER);
        };
        let is_single = alone.first().is_some_and(|&unit| unit != REPLACEMENT);
        let familiar = Familiar::of(self.charset);
        match units {
            // Four bytes of GB 18030, or three of JIS X 0212.
            _ if self.charset == Charset::GBK && second.is_ascii_digit() && !is_single => Entry(Entry::LONGER),
            _ if self.charset == Charset::EUC_JP && first == 0x8F => Entry(Entry::LONGER),
            [unit, ..] if is_single => entry(&[*unit], familiar),
            [REPLACEMENT, _, ..] => entry(&[REPLACEMENT], familiar),
            units => Entry(entry(units, familiar).0 | Entry::BOTH),
        }
    }
}

fn entry(units: &[u16], familiar: Familiar) -> Entry {
    // Of two surrogates, only the first counts.
    let units = || units.iter().filter(|&unit| !matches!(unit, 0..=0x7F | 0xDC00..=0xDFFF));
    let bad = if units().any(|&unit| unit == REPLACEMENT) { Entry::BAD } else { 0 };
    let words = units().filter(|&&unit| familiar.has(unit)).count() as u8;
    Entry(bad + units().count() as u8 * Entry::CHARACTER + words * Entry::WORD)
}

const LINE_END: u16 = b'\n' as u16;

/// U+FFFD, which stands for bytes that are no character.
pub(super) const REPLACEMENT: u16 = char::REPLACEMENT_CHARACTER as u16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    #[test]
    fn all_pairs_of_bytes_fit_as_when_decoded() {
        for charset in [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS, Charset::EUC_JP, Charset::EUC_KR] {
            let pairs = Pairs::of(charset).unwrap();
            let mut longer = 0;
            for bytes in (0..=u16::MAX).map(u16::to_be_bytes) {
                for text in [&bytes[..], &[bytes[0], bytes[1], b'\n'], &[bytes[0], bytes[1], bytes[0], b'a', bytes[1]]]
                {
                    let Some(fit) = pairs.fit(text) else {
                        longer += 1;
                        continue;
                    };
                    assert_eq!(fit, Fit::decoded(charset, text), "{charset} {}", text.escape_ascii());
                }
            }
            assert!(longer < 20_000, "{charset} {longer}");
        }
    }

    #[test]
    fn texts_fit_as_when_decoded() {
        for charset in [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS, Charset::EUC_JP, Charset::EUC_KR] {
            let pairs = Pairs::of(charset).unwrap();
            let mut fitted = 0;
            for seed in 1..3000 {
                let mut rng = Rng::new(seed);
                let text = [(); 40].map(|()| {
                    let byte = rng.next() as u8;
                    if seed % 3 == 0 && byte.is_ascii_digit() { b'x' } else { byte }
                });
                if let Some(fit) = pairs.fit(&text) {
                    fitted += 1;
                    assert_eq!(fit, Fit::decoded(charset, &text), "{charset} {}", text.escape_ascii());
                }
            }
            assert!(fitted > 500, "{charset} {fitted}");
        }
    }

    #[test]
    fn other_charsets_have_no_table() {
        assert!(
            [Charset::UTF_8, Charset::WINDOWS_1252, Charset::GB18030].into_iter().all(|it| Pairs::of(it).is_none())
        );
    }
}
