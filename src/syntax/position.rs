//! Places in the source.
//!
//! Owns [`Position`], [`Span`] and the counting of lines. A line ends at LF, CR or CRLF; offsets count bytes from 0,
//! lines and columns from 1, columns in bytes. Knows nothing of SGF: it is told which bytes went by.

use std::fmt;
use std::ops::Range;

use crate::syntax::scan::{self, LineEnds};

/// A place in the source: byte offset, line and column.
///
/// Columns count bytes, not characters, because the charset of a game may be unknown where a position is needed, and
/// because any editor can go to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Bytes of the source before this place, from 0.
    pub offset: u64,
    /// Line, from 1. LF, CR and CRLF each end one.
    pub line: u64,
    /// Byte within the line, from 1.
    pub column: u64,
}

impl Position {
    /// The first byte of a source.
    pub const START: Self = Self { offset: 0, line: 1, column: 1 };

    /// This place, clamped to what a source can have: positions from outside must not overflow anything.
    pub(crate) fn clamped(self) -> Self {
        const FURTHEST: u64 = u64::MAX / 2;
        let offset = self.offset.min(FURTHEST);
        Self { offset, line: self.line.clamp(1, FURTHEST), column: self.column.clamp(1, offset + 1) }
    }

    /// The place `len` bytes further on the same line.
    pub(crate) fn forward(self, len: u64) -> Self {
        Self { offset: self.offset + len, line: self.line, column: self.column + len }
    }

    /// The place of the one byte before, which the caller knows to be on the same line.
    pub(crate) fn back(self) -> Self {
        Self { offset: self.offset - 1, line: self.line, column: self.column - 1 }
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::START
    }
}

/// `line:column`, as compilers print it.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A range of bytes of the source, `start` included, `end` not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

impl Span {
    /// Length in bytes; 0 where it ends before it begins, as no span of a problem does.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// True if the span only marks a place.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl From<Span> for Range<u64> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}

/// Where the current line began, kept up to date as bytes are consumed.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    line: u64,
    /// Offset of the current line's first byte.
    start: u64,
    /// Offset of the first byte of the line that the last CR ended.
    before_cr: u64,
    /// Offset after the last CR: an LF just there belongs to the same line end.
    after_cr: u64,
}

impl Lines {
    pub(crate) const fn new() -> Self {
        Self { line: 1, start: 0, before_cr: 0, after_cr: u64::MAX }
    }

    /// Counting that begins in the middle of a source, at a byte that no CR stands before.
    pub(crate) const fn at(position: Position) -> Self {
        Self { line: position.line, start: position.offset - (position.column - 1), before_cr: 0, after_cr: u64::MAX }
    }

    /// The position of a byte on the current line.
    #[inline(always)]
    pub(crate) fn position(&self, offset: u64) -> Position {
        Position { offset, line: self.line, column: offset - self.start + 1 }
    }

    /// The position of any byte: the LF of a CRLF still stands on the line it ends.
    pub(crate) fn position_of(&self, byte: Option<&u8>, offset: u64) -> Position {
        if byte == Some(&b'\n') && self.after_cr == offset {
            return Position { offset, line: self.line - 1, column: offset - self.before_cr + 1 };
        }
        self.position(offset)
    }

    /// Counts one byte, at `offset`.
    #[inline(always)]
    pub(crate) fn advance_byte(&mut self, byte: u8, offset: u64) {
        match byte {
            b'\n' => self.lf(offset),
            b'\r' => self.cr(offset),
            _ => {}
        }
    }

    #[inline]
    fn lf(&mut self, offset: u64) {
        if self.after_cr != offset {
            self.line += 1;
        }
        self.start = offset + 1;
    }

    #[inline]
    fn cr(&mut self, offset: u64) {
        self.line += 1;
        self.before_cr = self.start;
        self.start = offset + 1;
        self.after_cr = offset + 1;
    }

    /// Counts `bytes`, the first of them at `offset`.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: &[u8], offset: u64) {
        if bytes.len() < 16 {
            for (i, &byte) in bytes.iter().enumerate() {
                self.advance_byte(byte, offset + i as u64);
            }
        } else {
            self.long(bytes, offset);
        }
    }

    fn long(&mut self, bytes: &[u8], offset: u64) {
        self.apply(scan::line_ends(bytes, self.is_after_cr(offset)), bytes, offset);
    }

    /// Whether the byte before `offset` is a CR.
    pub(crate) fn is_after_cr(&self, offset: u64) -> bool {
        self.after_cr == offset
    }

    /// Counts `bytes`, whose line ends are `ends`.
    pub(in crate::syntax) fn apply(&mut self, ends: LineEnds, bytes: &[u8], offset: u64) {
        let LineEnds { count, last, .. } = ends;
        if last == 0 {
            return;
        }
        if bytes[last - 1] == b'\r' {
            let earlier = memchr::memrchr2(b'\r', b'\n', &bytes[..last - 1]);
            self.before_cr = earlier.map_or(self.start, |index| offset + index as u64 + 1);
            self.after_cr = offset + last as u64;
        }
        self.line += count;
        self.start = offset + last as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(bytes: &[u8]) -> (u64, u64) {
        let mut lines = Lines::new();
        lines.advance(bytes, 0);
        let position = lines.position(bytes.len() as u64);
        (position.line, position.column)
    }

    #[test]
    fn a_span_is_a_range() {
        let span = Span { start: 3, end: 8 };
        assert_eq!((Range::from(span), span.len(), span.is_empty()), (3..8, 5, false));
        let backwards = Span { start: 8, end: 3 };
        assert_eq!((backwards.len(), backwards.is_empty()), (0, true));
    }

    #[test]
    fn a_line_ends_at_lf_cr_or_crlf() {
        assert_eq!(place(b""), (1, 1));
        assert_eq!(place(b"ab"), (1, 3));
        assert_eq!(place(b"a\nb"), (2, 2));
        assert_eq!(place(b"a\rb"), (2, 2));
        assert_eq!(place(b"a\r\nb"), (2, 2));
        assert_eq!(place(b"a\n\rb"), (3, 2));
        assert_eq!(place(b"\r\r\n\n"), (4, 1));
    }

    #[test]
    fn the_lf_of_a_crlf_is_on_the_line_it_ends() {
        let mut lines = Lines::new();
        lines.advance(b"ab\r", 0);
        assert_eq!(lines.position_of(Some(&b'\n'), 3), Position { offset: 3, line: 1, column: 4 });
        assert_eq!(lines.position_of(Some(&b'c'), 3), Position { offset: 3, line: 2, column: 1 });
    }

    #[test]
    fn long_runs_count_like_single_bytes() {
        for text in
            [&b"0123456789\n0123456789\n\nabc"[..], b"0123456789\r\n0123456789\r\r\nabc\r", b"\n0123456789012345678"]
        {
            for cut in 0..=text.len() {
                let mut whole = Lines::new();
                whole.advance(&text[..cut], 0);
                whole.advance(&text[cut..], cut as u64);
                let mut single = Lines::new();
                for (i, &byte) in text.iter().enumerate() {
                    single.advance_byte(byte, i as u64);
                }
                let end = text.len() as u64;
                for next in [None, Some(&b'\n')] {
                    let expected = single.position_of(next, end);
                    assert_eq!(whole.position_of(next, end), expected, "{text:?} cut at {cut}");
                }
            }
        }
    }
}
