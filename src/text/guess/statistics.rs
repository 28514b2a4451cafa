//! What statistics say about a text: those of chardetng, and where it is too little for them and in Latin letters, those of
//! [`letters`].
//!
//! Owns [`Statistics`], which count no byte of a text that grows twice. Refuses to know what else is known about texts in
//! game records, and when statistics matter.

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use crate::text::Charset;
use crate::text::guess::letters;

/// This many bytes of 0x80 or more are enough text to outweigh the neighbours.
pub(super) const ENOUGH: usize = 64;

/// What statistics say about the words of a text that are not all ASCII; only these distinguish charsets. It weighs
/// each byte in two dozen candidates, which takes longer than everything else that reading the text takes.
#[derive(Default)]
pub(super) struct Statistics {
    detector: Option<Box<EncodingDetector>>,
    /// How many bytes of the text it knows.
    len: usize,
    /// How many of these are 0x80 or more.
    high: usize,
    /// What it said when there were [`ENOUGH`] of these for the first time.
    early: Option<Charset>,
    /// The words it learns next; kept to reuse the memory.
    telling: Vec<u8>,
    /// Short texts that it was asked about, each at a place that its bytes determine: what is written beside one
    /// problem is written beside many.
    recent: Vec<Recent>,
}

/// The longest short text, in bytes: hardly two longer ones are alike.
const SHORT: usize = 40;

/// How many short texts are remembered.
const RECENT: usize = 64;

#[derive(Clone, Copy)]
struct Recent {
    text: [u8; SHORT],
    len: usize,
    charset: Charset,
}

impl Recent {
    fn new(text: &[u8], charset: Charset) -> Self {
        let mut recent = Self { text: [0; SHORT], len: text.len(), charset };
        recent.text[..text.len()].copy_from_slice(text);
        recent
    }

    fn place(text: &[u8]) -> usize {
        let sum = text.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(u32::from(byte)).wrapping_mul(0x9E37_79B1));
        sum as usize >> 16 & (RECENT - 1)
    }
}

impl Statistics {
    pub(super) fn forget(&mut self) {
        if self.len > 0
            && let Some(detector) = &mut self.detector
        {
            **detector = new_detector();
        }
        (self.len, self.high, self.early) = (0, 0, None);
    }

    /// The answer for the beginning of a text that is [`ENOUGH`] to know, if the text is that long.
    pub(super) fn of_enough(&mut self, text: &[u8]) -> Option<Charset> {
        if self.early.is_none() {
            self.learn(text, ENOUGH);
            self.early = (self.high >= ENOUGH).then(|| self.charset());
        }
        self.early
    }

    pub(super) fn of(&mut self, text: &[u8]) -> Charset {
        if self.len > 0 || text.len() > SHORT {
            return self.of_all(text);
        }
        let place = Recent::place(text);
        if let Some(recent) = self.recent.get(place)
            && recent.text[..recent.len] == *text
        {
            return recent.charset;
        }
        let charset = self.of_all(text);
        // The empty places are for the empty text, which is never looked up.
        self.recent.resize(RECENT, Recent::new(b"", charset));
        self.recent[place] = Recent::new(text, charset);
        charset
    }

    fn of_all(&mut self, text: &[u8]) -> Charset {
        self.of_enough(text);
        self.learn(text, usize::MAX);
        let charset = self.charset();
        if self.high < ENOUGH && letters::know(charset, text) { letters::likeliest(text) } else { charset }
    }

    /// Learns up to the end of the text, or until there is enough of it.
    fn learn(&mut self, text: &[u8], enough: usize) {
        self.telling.clear();
        for word in text.get(self.len..).unwrap_or_default().split_inclusive(|&byte| is_between(byte)) {
            if self.high >= enough {
                break;
            }
            self.len += word.len();
            if !word.is_ascii() {
                self.high += word.iter().filter(|byte| !byte.is_ascii()).count();
                self.telling.extend_from_slice(word);
            }
        }
        if self.telling.last().is_some_and(|&byte| !is_between(byte)) {
            self.telling.push(b'\n');
        }
        let detector = self.detector.get_or_insert_with(|| Box::new(new_detector()));
        detector.feed(&self.telling, false);
    }

    fn charset(&self) -> Charset {
        let encoding = self.detector.as_ref().map(|detector| detector.guess(None, Utf8Detection::Deny));
        encoding.and_then(Charset::of).unwrap_or(Charset::WINDOWS_1252)
    }
}

/// The clone knows nothing, and learns a text again from its beginning.
impl Clone for Statistics {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statistics").field("len", &self.len).field("early", &self.early).finish_non_exhaustive()
    }
}

fn new_detector() -> EncodingDetector {
    EncodingDetector::new(Iso2022JpDetection::Deny)
}

/// Whether a byte is between words, and so no part of a character of several bytes.
fn is_between(byte: u8) -> bool {
    byte < b'0'
}
