//! Where recoded bytes stood in the source.
//!
//! Owns [`OffsetMap`]: runs of characters of one length, so that any offset after the ones forgotten maps back. Memory is
//! what the runs take that hold an offset still wanted. Refuses to know what the characters are.

use std::collections::VecDeque;

/// Characters that each take as many bytes of output, and each as many of the source.
#[derive(Clone, Copy, Debug)]
struct Run {
    output: u64,
    source: u64,
    /// Bytes of the source before it that stand for nothing.
    nothing: u64,
    output_len: u8,
    source_len: u8,
}

impl Run {
    fn source_of(&self, output: u64) -> u64 {
        self.source + (output - self.output) / u64::from(self.output_len) * u64::from(self.source_len)
    }

    fn output_of(&self, source: u64) -> u64 {
        self.output + (source - self.source) / u64::from(self.source_len) * u64::from(self.output_len)
    }
}

/// Maps offsets in recoded bytes to offsets in the source.
#[derive(Clone, Debug)]
pub(crate) struct OffsetMap {
    runs: VecDeque<Run>,
    /// Where lines begin, in output and source.
    lines: VecDeque<(u64, u64)>,
    output: u64,
    source: u64,
    /// Bytes of the source that stand for nothing.
    nothing: u64,
    /// Such bytes went by, so the next character begins a run.
    gap: bool,
    after_cr: bool,
}

impl OffsetMap {
    /// Nothing is recoded yet.
    pub(crate) fn new() -> Self {
        Self {
            runs: VecDeque::new(),
            lines: VecDeque::new(),
            output: 0,
            source: 0,
            nothing: 0,
            gap: false,
            after_cr: false,
        }
    }

    /// Bytes went by as they stand.
    pub(super) fn plain(&mut self, bytes: &[u8]) {
        let (output, source) = (self.output, self.source);
        self.extend(1, 1, bytes.len() as u64);
        if self.runs.is_empty() {
            // Every offset and every column is its own so far.
            self.after_cr = bytes.last().map_or(self.after_cr, |&byte| byte == b'\r');
            return;
        }
        for (index, _) in bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'\n' | b'\r')) {
            let after = index as u64 + 1;
            let crlf = bytes[index] == b'\n' && if index == 0 { self.after_cr } else { bytes[index - 1] == b'\r' };
            self.line(output + after, source + after, crlf);
        }
        if let Some(&byte) = bytes.last() {
            self.after_cr = byte == b'\r';
        }
    }

    /// A character went by.
    #[inline]
    pub(super) fn character(&mut self, c: char, output_len: usize, source_len: usize) {
        self.extend(output_len as u8, source_len as u8, 1);
        if matches!(c, '\n' | '\r') {
            self.line(self.output, self.source, c == '\n' && self.after_cr);
        }
        self.after_cr = c == '\r';
    }

    /// Bytes of the source went by that stand for nothing.
    pub(super) fn nothing(&mut self, source_len: usize) {
        self.source += source_len as u64;
        self.nothing += source_len as u64;
        self.gap = true;
    }

    #[inline]
    fn extend(&mut self, output_len: u8, source_len: u8, count: u64) {
        let same = |run: &Run| (run.output_len, run.source_len) == (output_len, source_len);
        let is_identity = self.runs.is_empty() && !self.gap && (output_len, source_len) == (1, 1);
        if !is_identity && (self.gap || !self.runs.back().is_some_and(same)) {
            let (output, source, nothing) = (self.output, self.source, self.nothing);
            self.runs.push_back(Run { output, source, nothing, output_len, source_len });
            self.gap = false;
        }
        self.output += u64::from(output_len) * count;
        self.source += u64::from(source_len) * count;
    }

    fn line(&mut self, output: u64, source: u64, crlf: bool) {
        if crlf {
            self.lines.pop_back();
        }
        self.lines.push_back((output, source));
    }

    /// The offset in the source of the character at an offset in the output, which is none that was forgotten and no
    /// later than the end.
    pub(crate) fn source(&self, output: u64) -> u64 {
        if output >= self.output {
            return self.source;
        }
        let after = self.runs.partition_point(|run| run.output <= output);
        let last = after.checked_sub(1).and_then(|index| self.runs.get(index));
        last.map_or(output, |run| run.source_of(output.max(run.output)))
    }

    /// How many bytes of the source before an offset in the output are characters; the others stand for nothing.
    pub(crate) fn characters(&self, output: u64) -> u64 {
        if output >= self.output {
            return self.source - self.nothing;
        }
        let after = self.runs.partition_point(|run| run.output <= output);
        let last = after.checked_sub(1).and_then(|index| self.runs.get(index));
        last.map_or(output, |run| run.source_of(output.max(run.output)) - run.nothing)
    }

    /// The offset in the output of what stood at an offset in the source, or after it where that stands for nothing. It is
    /// none that was forgotten.
    pub(crate) fn output(&self, source: u64) -> u64 {
        if source >= self.source {
            return self.output;
        }
        let after = self.runs.partition_point(|run| run.source <= source);
        let end = self.runs.get(after).map_or(self.output, |run| run.output);
        let last = after.checked_sub(1).and_then(|index| self.runs.get(index));
        last.map_or(source, |run| run.output_of(source)).min(end)
    }

    /// The column in bytes of the source, from 1, of an offset and column in the output.
    pub(crate) fn column(&self, output: u64, column: u64) -> u64 {
        let start = output - (column - 1);
        let line = match self.lines.binary_search_by_key(&start, |line| line.0) {
            Ok(index) => self.lines[index].1,
            // It began where every offset was its own, maybe right before the first mark.
            Err(_) if self.runs.front().is_none_or(|run| start <= run.output) => start,
            Err(_) => self.source(start),
        };
        self.source(output) - line + 1
    }

    /// Nothing before this offset of the output will be asked for, but the columns after it.
    pub(crate) fn forget(&mut self, output: u64) {
        self.forget_but(&[], output);
    }

    /// The same, but for some offsets before it: of bytes without end that wait for one, it is enough to know where they began.
    pub(crate) fn forget_but(&mut self, pins: &[u64], output: u64) {
        let is_asked = |start: u64, next: Option<u64>| {
            next.is_none_or(|next| next > output || pins.iter().any(|pin| (start..next).contains(pin)))
        };
        thin(&mut self.runs, |run| run.output, is_asked);
        thin(&mut self.lines, |line| line.0, is_asked);
    }
}

/// Keeps what is asked for, by where each begins and the next one does.
fn thin<T: Copy>(items: &mut VecDeque<T>, start: impl Fn(&T) -> u64, is_asked: impl Fn(u64, Option<u64>) -> bool) {
    let mut kept = 0;
    for at in 0..items.len() {
        if is_asked(start(&items[at]), items.get(at + 1).map(&start)) {
            items[kept] = items[at];
            kept += 1;
        }
    }
    items.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some text in which every character of the source has three bytes, or four, with marks between the words.
    fn recoded(text: &str) -> (OffsetMap, Vec<(u64, u64, u64, u64)>) {
        let mut map = OffsetMap::new();
        let mut places = Vec::new();
        let (mut output, mut source) = (0, 0);
        let mut starts = (0, 0);
        for c in text.chars() {
            if c == '|' {
                map.nothing(3);
                source += 3;
                continue;
            }
            places.push((output, source, output - starts.0 + 1, source - starts.1 + 1));
            let lens = (c.len_utf8(), if c.is_ascii() { 3 } else { 4 });
            map.character(c, lens.0, lens.1);
            output += lens.0 as u64;
            source += lens.1 as u64;
            if matches!(c, '\r' | '\n') {
                starts = (output, source);
            }
        }
        (map, places)
    }

    const TEXT: &str = "(;C[ab|\u{E9}\u{E9}|\u{56E0}\u{574A}|c]\r\n|;B[]\n\r\n\u{1F600}\r;W|[]\n)";

    #[test]
    fn every_offset_maps_back() {
        let (map, places) = recoded(TEXT);
        for (output, source, column, source_column) in places {
            assert_eq!(map.source(output), source);
            assert_eq!(map.output(source), output);
            assert_eq!(map.column(output, column), source_column, "at {output}");
        }
        assert_eq!(map.source(map.output), map.source);
        assert_eq!(map.output(map.source), map.output);
        // Six characters of three bytes, two of four, and a mark of three among them.
        assert_eq!((map.characters(6), map.source(6)), (18, 21));
        assert_eq!(map.characters(map.output) + 3 * TEXT.matches('|').count() as u64, map.source);
        // The first mark stands between `b` and the first letter that is not ASCII.
        assert_eq!((map.output(18), map.output(20)), (6, 6));
    }

    #[test]
    fn a_line_begins_before_the_first_mark_that_it_begins_with() {
        let mut map = OffsetMap::new();
        map.plain(b"(;\n");
        map.nothing(3);
        map.character('\u{56E0}', 3, 2);
        map.character('\u{574A}', 3, 2);
        map.character('x', 1, 1);
        assert_eq!((map.column(3, 1), map.column(6, 4), map.column(9, 7)), (4, 6, 8));
        map.forget(9);
        assert_eq!(map.column(9, 7), 8);
    }

    #[test]
    fn what_is_forgotten_takes_no_memory() {
        let (map, places) = recoded(TEXT);
        for (index, &(first, ..)) in places.iter().enumerate() {
            let mut map = map.clone();
            map.forget(first);
            for &(output, source, column, source_column) in &places[index..] {
                assert_eq!((map.source(output), map.output(source)), (source, output));
                let has_line = map.lines.front().is_some_and(|line| line.0 + column <= output + 1);
                assert!(!has_line || map.column(output, column) == source_column, "at {output} after {first}");
            }
        }
        let mut map = map;
        let (first, last) = (places[5], *places.last().unwrap());
        map.forget_but(&[first.0], last.0);
        for (output, source, column, source_column) in [first, last] {
            assert_eq!((map.source(output), map.output(source)), (source, output));
            assert_eq!(map.column(output, column), source_column);
        }
        assert!(map.runs.len() <= 3 && map.lines.len() <= 2, "{map:?}");
        map.forget(map.output);
        assert_eq!((map.runs.len(), map.lines.len()), (1, 1));
    }

    #[test]
    fn plain_bytes_map_to_themselves() {
        let mut map = OffsetMap::new();
        map.plain(b"ab\r");
        map.plain(b"\ncd");
        assert_eq!(map.source(5), 5);
        assert_eq!(map.column(5, 2), 2);
        map.nothing(3);
        map.character('x', 1, 1);
        assert_eq!((map.source(6), map.column(6, 3)), (9, 6));
    }
}
