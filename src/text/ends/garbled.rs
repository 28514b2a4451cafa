//! Text that cannot be decoded and is the end of many values, of which each would be decoded to the same fault.
//!
//! Owns [`Garbled`], which is what one attempt leaves for the next, and [`GarbledByByte`], the same for values that are read by
//! byte. Refuses to know where a value ends, and which reading of it counts.

use memchr::memrchr;

use crate::text::{Charset, Writing, text};

/// The last text that was none.
///
/// Its pieces end with the same byte, the last one with the text. That byte is chosen so that no character lies in two pieces, and
/// that each of the texts begins with a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Garbled(Option<Known>);

#[derive(Clone, Copy, Debug)]
struct Known {
    charset: Charset,
    end: u64,
    /// Where the last of its pieces begins that is no text by itself.
    last: u64,
}

impl Garbled {
    /// Whether a text that begins at the offset `start` decodes. Linear in its length; for all texts with the same end, in that
    /// of the longest.
    pub(crate) fn decodes(
        &mut self,
        charset: Charset,
        (start, text): (u64, &[u8]),
        delimiter: u8,
        decodes: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let end = start + text.len() as u64;
        if self.0.is_some_and(|known| known.charset == charset && known.end == end && start <= known.last) {
            return false;
        }
        let is_text = decodes(text);
        if !is_text {
            self.0 = last_piece(text, delimiter, decodes).map(|at| Known { charset, end, last: start + at as u64 });
        }
        is_text
    }
}

/// Where the last piece begins that does not decode, unless it is the first one.
fn last_piece(text: &[u8], delimiter: u8, decodes: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut end = text.len();
    loop {
        let begin = memrchr(delimiter, &text[..end - 1])? + 1;
        if !decodes(&text[begin..end]) {
            return Some(begin);
        }
        end = begin;
    }
}

/// What [`Garbled`] is for values that are read by byte. They begin behind a `[`, and no escape or character goes on behind one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GarbledByByte {
    text: Garbled,
    text_utf_8: Garbled,
    cut: Garbled,
    cut_utf_8: Garbled,
}

impl GarbledByByte {
    /// Whether a value is text of the charset, or of UTF-8: text that was recoded without its label being changed.
    pub(crate) fn decodes(&mut self, charset: Charset, start: u64, value: &[u8]) -> bool {
        let writing = Writing::by_byte(charset);
        self.text.decodes(charset, (start, value), b'[', |piece| writing.decodes(piece))
            || self.text_utf_8.decodes(charset, (start, value), b'[', |piece| Charset::UTF_8.decodes(&text(piece)))
    }

    /// Whether it is text except at its end, where the rest of a character is missing.
    pub(crate) fn decodes_if_cut(&mut self, charset: Charset, start: u64, value: &[u8]) -> bool {
        let writing = Writing::by_byte(charset);
        let is_utf_8 = |piece: &[u8]| str::from_utf8(piece).map_or_else(|error| error.error_len().is_none(), |_| true);
        let whole = value.split_last().map_or(value, |(_, whole)| whole);
        self.cut_utf_8.decodes(charset, (start, value), b'[', is_utf_8)
            || self.cut.decodes(charset, (start, whole), b'[', |piece| writing.decodes(piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, repeated};

    #[test]
    fn what_is_known_of_other_texts_changes_no_answer() {
        let parts: [&[u8]; 14] = [
            b"[",
            b"]",
            b"\\",
            b"\xA6",
            b"\xA6[",
            b"\xA6]",
            b"\xBF\\]",
            b"a",
            b"\n",
            b"1",
            b"\xFF",
            b"\x814",
            b"\xE4\xB8\xAD",
            b"\xE4",
        ];
        let (mut known, mut texts) = (0, 0);
        for seed in 1..2_000 {
            let mut rng = Rng::new(seed);
            let bytes = repeated(&mut rng, &parts, 200);
            let (mut by_byte, mut by_character) = (GarbledByByte::default(), Garbled::default());
            for _ in 0..40 {
                let charset = rng.pick(&[Charset::GBK, Charset::GB18030, Charset::BIG5, Charset::SHIFT_JIS]);
                let end = bytes.len() - rng.below(3).min(bytes.len());
                let ends_of =
                    |byte: u8| -> Vec<usize> { (0..end).filter(|&at| at == 0 || bytes[at - 1] == byte).collect() };
                let [values, texts_by_character] = [b'[', b']'].map(ends_of);
                if end == 0 {
                    continue;
                }
                let start = rng.pick(&values);
                let value = (start as u64, &bytes[start..end]);
                let alone = GarbledByByte::default().decodes(charset, value.0, value.1);
                assert_eq!(by_byte.decodes(charset, value.0, value.1), alone, "seed {seed}, {start}..{end}");
                let alone = GarbledByByte::default().decodes_if_cut(charset, value.0, value.1);
                assert_eq!(by_byte.decodes_if_cut(charset, value.0, value.1), alone, "seed {seed}, {start}..{end}");
                let start = rng.pick(&texts_by_character);
                let alone = charset.decodes(&bytes[start..end]);
                let decodes = by_character
                    .decodes(charset, (start as u64, &bytes[start..end]), b']', |piece| charset.decodes(piece));
                assert_eq!(decodes, alone, "seed {seed}, {start}..{end}");
                known += u32::from(by_character.0.is_some() && by_byte.text.0.is_some());
                texts += u32::from(decodes);
            }
        }
        assert!(known > 1_000 && texts > 1_000, "{known} {texts}");
    }
}
