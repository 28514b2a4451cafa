//! The bytes around a problem, with a mark under those that it is about.
//!
//! Owns how much of a line is shown, and in which form. A line may be a whole archive and its bytes in any charset, so
//! a window is never longer than a terminal's line, and what is not UTF-8 or is a control character is escaped.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use sgf_stream::Position;

use crate::terminal::printable;

/// How many bytes are shown before a problem, and from its beginning on.
const BEFORE: usize = 30;
const AFTER: usize = 40;

/// How many bytes a character may have.
const CHARACTER: usize = 4;

/// A piece of one line.
#[derive(Debug)]
pub(crate) struct Window {
    line: u64,
    text: String,
    marked: Range<usize>,
}

impl Window {
    /// Cuts a window out of bytes that begin at an offset of their input. `None` if the place is not among them:
    /// nothing is read again to show it.
    pub(crate) fn cut(bytes: &[u8], start: u64, place: Position, len: u64) -> Option<Self> {
        let at = usize::try_from(place.offset.checked_sub(start)?).ok().filter(|at| *at <= bytes.len())?;
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        // A line may be all bytes at hand, and each of them a problem: what is not shown is not searched.
        let from = at.saturating_sub(BEFORE);
        let to = bytes.len().min(at + AFTER + CHARACTER);
        let line_start = bytes[from..at].iter().rposition(is_end).map_or(from, |end| from + end + 1);
        // The bytes of a problem may begin with a line end.
        let first = usize::from(len > 0 && bytes.get(at).is_some_and(is_end));
        let line_end = bytes[at + first..to].iter().position(is_end).map_or(to, |len| at + first + len);
        let left = character(bytes, line_start);
        let right = character(bytes, line_end.min(at + AFTER)).max(at);
        let marked_end = right.min(at.saturating_add(usize::try_from(len).unwrap_or(usize::MAX)));

        // The line may begin before the first byte at hand.
        let is_cut = place.column - 1 > (at - left.min(at)) as u64;
        let mut text = String::from(if is_cut { "…" } else { "" });
        push(&mut text, &bytes[left.min(at)..at]);
        let mark = text.len();
        push(&mut text, &bytes[at..marked_end]);
        let marked = mark..text.len();
        push(&mut text, &bytes[marked_end..right]);
        if right < line_end {
            text.push('…');
        }
        (!text.is_empty()).then_some(Self { line: place.line, text, marked })
    }

    /// The window on a place in a file, of which no more is read than is shown.
    pub(crate) fn look(path: &Path, place: Position, len: u64) -> Option<Self> {
        let start = place.offset.saturating_sub(2 * BEFORE as u64);
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        file.take((2 * (BEFORE + AFTER)) as u64).read_to_end(&mut bytes).ok()?;
        Self::cut(&bytes, start, place, len)
    }

    /// Lines of text, the last one without its end.
    pub(crate) fn render(&self, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        // On a 32-bit machine a line number may not fit; the largest number then stands for it, rather than a wrapped one.
        let line = usize::try_from(self.line).unwrap_or(usize::MAX);
        let snippet =
            Snippet::source(&self.text).line_start(line).annotation(AnnotationKind::Primary.span(self.marked.clone()));
        renderer.render(&[Group::with_level(Level::ERROR).element(snippet)])
    }
}

/// Where a character begins, at or shortly after a place that may lie inside one.
fn character(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at..at + CHARACTER).find(|at| !is_inside(at)).unwrap_or(at)
}

fn push(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(&printable(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8], start: u64, offset: u64, len: u64) -> Option<(String, String)> {
        let at = usize::try_from(offset.saturating_sub(start)).unwrap().min(bytes.len());
        let in_line = bytes[..at].iter().rev().position(|byte| *byte == b'\n');
        let column = in_line.map_or(offset, |len| len as u64) + 1;
        let window = Window::cut(bytes, start, Position { offset, line: 1, column }, len)?;
        Some((window.text.clone(), window.text[window.marked].to_owned()))
    }

    #[test]
    fn a_window_is_one_line_with_a_marked_part() {
        let shown = |bytes: &[u8], offset, len| shown(bytes, 0, offset, len).unwrap();
        assert_eq!(shown(b"(;B[aa])\n x (;)\r\n", 10, 2), (" x (;)".into(), "x ".into()));
        assert_eq!(shown(b"(;)\nxy\nz", 4, 4), ("xy".into(), "xy".into()));
        assert_eq!(shown(b"(;", 2, 0), ("(;".into(), String::new()));
        assert_eq!(shown(b"\x1b[\xB0\xD7\t", 2, 2), ("\\u{1b}[\\xB0\\xD7\\t".into(), "\\xB0\\xD7".into()));
        assert_eq!(shown("本因坊x".as_bytes(), 9, 1), ("本因坊x".into(), "x".into()));
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let line = [&"本".repeat(100), "x", &"因".repeat(100)].concat();
        let (text, marked) = shown(line.as_bytes(), 7, 307, 1).unwrap();
        assert_eq!(text, format!("…{}x{}…", "本".repeat(10), "因".repeat(13)));
        assert_eq!(marked, "x");
        let (text, marked) = shown(&[b'x'; 1000], 0, 500, 900).unwrap();
        assert_eq!((text.chars().count(), marked.len()), (2 + BEFORE + AFTER, AFTER));
    }

    #[test]
    fn bytes_outside_the_buffer_are_not_shown() {
        assert_eq!(shown(b"(;)", 10, 9, 1), None);
        assert_eq!(shown(b"(;)", 10, 14, 1), None);
        assert_eq!(shown(b"", 0, 0, 0), None);
        assert_eq!(shown(b"(;)", 10, 11, 1).unwrap().0, "…(;)");
    }

    #[test]
    fn the_mark_is_aligned_under_wide_characters() {
        let place = Position { offset: 3, line: 7, column: 4 };
        let window = Window::cut("本因坊".as_bytes(), 0, place, 3).unwrap();
        assert_eq!(window.render(false), "  |\n7 | 本因坊\n  |   ^^");
    }
}
