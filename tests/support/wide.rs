//! Streams that are recoded before they are read, and what they mean.
//!
//! Owns [`Wide`]: a text, its bytes in another charset, and the offset of each character in these. The events are those of the
//! text, which the oracle knows; only the positions are those of the source.

use sgf_stream::text::Charset;
use sgf_stream::{Charsets, Config, Error, Event, events, text};

use super::faces::Case;
use super::oracle::{Lines, Record, read};

/// Stands for bytes that are not a character; recoded they become a byte that is not UTF-8.
pub(crate) const BAD: char = '\u{E000}';

/// A text in a charset that cannot be read in place.
pub(crate) struct Wide {
    pub(crate) charset: Charset,
    pub(crate) source: Vec<u8>,
    text: Vec<u8>,
    /// The offsets in the source of each byte of the text, and of its end.
    offsets: Vec<usize>,
    /// The end in the source of the character before each of them.
    ends: Vec<usize>,
    /// The offsets in the source at which lines begin.
    lines: Vec<usize>,
}

impl Wide {
    pub(crate) fn new(text: &str, charset: Charset) -> Self {
        let mut wide =
            Self { charset, source: Vec::new(), text: Vec::new(), offsets: Vec::new(), ends: vec![0], lines: vec![0] };
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let (before, bytes, after) = wide.encoded(c);
            wide.source.extend(before);
            let read = if c == BAD { vec![0xFF] } else { c.to_string().into_bytes() };
            wide.offsets.extend(read.iter().map(|_| wide.source.len()));
            wide.source.extend(bytes);
            wide.ends.extend(read.iter().map(|_| wide.source.len()));
            wide.text.extend(read);
            if c == '\n' || (c == '\r' && chars.peek() != Some(&'\n')) {
                wide.lines.push(wide.source.len());
            }
            wide.source.extend(after);
        }
        wide.offsets.push(wide.source.len());
        wide
    }

    /// The escape sequence before a character, its bytes, and the one after it.
    fn encoded(&self, c: char) -> (&'static [u8], Vec<u8>, &'static [u8]) {
        let mut words = [0; 2];
        let words = if c == BAD { &mut [0xDC00][..] } else { c.encode_utf16(&mut words) };
        let code = if c == BAD { 0xD800 } else { u32::from(c) };
        let bytes = match self.charset {
            Charset::UTF_16LE => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            Charset::UTF_16BE => words.iter().flat_map(|word| word.to_be_bytes()).collect(),
            Charset::UTF_32LE => code.to_le_bytes().to_vec(),
            Charset::UTF_32BE => code.to_be_bytes().to_vec(),
            _ if c.is_ascii() => vec![c as u8],
            _ => {
                let pair = encoding_rs::EUC_JP.encode(c.encode_utf8(&mut [0; 4])).0.into_owned();
                return (b"\x1B$B", pair.iter().map(|byte| byte & 0x7F).collect(), b"\x1B(B");
            }
        };
        (b"", bytes, b"")
    }

    /// The offset in the text of the character at, or before, an offset in the source.
    pub(crate) fn text_offset(&self, source: usize) -> usize {
        let at = self.offsets.partition_point(|&offset| offset <= source).saturating_sub(1);
        self.offsets.partition_point(|&offset| offset < self.offsets[at])
    }

    fn in_source<'a>(&self, record: Record<'a>) -> Record<'a> {
        let lines = Lines::starting(self.lines.clone());
        let place = |at: sgf_stream::Position| lines.at(self.offsets[at.offset as usize]);
        match record {
            Record::Enter { at, depth, first_child, implied } => {
                Record::Enter { at: place(at), depth, first_child, implied }
            }
            Record::Node { at, implied, after_variation } => Record::Node { at: place(at), implied, after_variation },
            Record::Property { at, raw } => Record::Property { at: place(at), raw },
            Record::Value { at, raw } => Record::Value { at: place(at), raw },
            Record::Exit { at, depth, implicit } => Record::Exit { at: place(at), depth, implicit },
            Record::Problem { kind, at, len } => {
                let end = self.ends[(at.offset + len) as usize] as u64;
                let at = place(at);
                Record::Problem { kind, at, len: if len == 0 { 0 } else { end - at.offset } }
            }
        }
    }

    /// Panics if any face reads anything other than the text.
    pub(crate) fn check(&self, config: &Config) {
        let lines = Lines::of(&self.text);
        let records: Vec<Record<'_>> = if self.text.contains(&0xFF) || *config != Config::new() {
            super::compare_with(&config.clone().charsets(Charsets::Forced(Charset::UTF_8)), &self.text)
        } else {
            read(&self.text, &lines).records
        };
        let in_source: Vec<Record<'_>> = records.iter().map(|record| self.in_source(*record)).collect();
        let lines = Lines::starting(self.lines.clone());
        Case::wide(self, &self.text, lines, config.clone(), in_source).every_face();

        // `events` refuses such a source, since its events are slices.
        let refused = events(&self.source).config(config.clone()).last();
        assert!(matches!(refused, Some(Err(Error::Recoded(charset))) if charset == self.charset), "{refused:?}");
        let recoded = text::recode_stream(&self.source);
        assert_eq!(recoded.escape_ascii().to_string(), self.text.escape_ascii().to_string());
        let as_text = config.clone().charsets(Charsets::Forced(Charset::UTF_8));
        let values = events(&recoded).config(as_text).filter(|event| matches!(event, Ok(Event::Value(_)))).count();
        assert_eq!(values, records.iter().filter(|record| matches!(record, Record::Value { .. })).count());
    }
}
