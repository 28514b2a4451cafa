//! Where recoded bytes stood in the source.
//!
//! Owns [`OffsetMap`]: runs of characters of one length, so that any offset that was not forgotten maps back. Memory is
//! bounded by the runs between offsets still wanted, at about 5 bytes for each, and 256 behind
//! each of more than 255 characters. Refuses to know what the characters are.

use std::collections::VecDeque;

/// A run of characters that all have the same length in the output, and the same in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    output: u64,
    source: u64,
    /// Bytes of the source before the run that stand for nothing.
    nothing: u64,
    output_len: u8,
    source_len: u8,
}

impl Run {
    /// Before the first run, every offset is its own.
    const IDENTITY: Self = Self { output: 0, source: 0, nothing: 0, output_len: 1, source_len: 1 };

    #[inline]
    fn source_of(&self, output: u64) -> u64 {
        self.source + characters(output - self.output, self.output_len) * u64::from(self.source_len)
    }

    fn output_of(&self, source: u64) -> u64 {
        self.output + characters(source - self.source, self.source_len) * u64::from(self.output_len)
    }
}

/// How many characters of one length there are in some bytes.
#[inline]
fn characters(bytes: u64, len: u8) -> u64 {
    // Division takes longer than everything else here, and most text is ASCII.
    if len == 1 { bytes } else { bytes / u64::from(len) }
}

/// A run, told by what comes between its beginning and that of the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Step {
    /// How many characters the run before has.
    count: u8,
    /// The length of a character in the output, and in the lower half that in the source.
    lens: u8,
    /// Bytes of the source between the two runs that stand for nothing.
    gap: u16,
}

impl Step {
    /// `None` if it does not fit.
    fn between(before: &Run, count: u64, run: &Run) -> Option<Self> {
        let (count, gap) = (u8::try_from(count).ok()?, u16::try_from(run.nothing - before.nothing).ok()?);
        (run.output_len < 16 && run.source_len < 16).then_some(Self {
            count,
            lens: run.output_len << 4 | run.source_len,
            gap,
        })
    }

    fn after(self, before: &Run) -> Run {
        let (count, gap) = (u64::from(self.count), u64::from(self.gap));
        Run {
            output: before.output + count * u64::from(before.output_len),
            source: before.source + count * u64::from(before.source_len) + gap,
            nothing: before.nothing + gap,
            output_len: self.lens >> 4,
            source_len: self.lens & 15,
        }
    }
}

/// This many steps make a block of 256 bytes.
const STEPS: usize = 51;

/// Runs that follow each other. In some texts every character begins one, so only the first is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    first: Run,
    /// Where the line begins that is in progress there, in output and source.
    line: (u64, u64),
    steps: [Step; STEPS],
    len: u8,
}

impl Block {
    fn new(first: Run, line: (u64, u64)) -> Self {
        Self { first, line, steps: [Step::default(); STEPS], len: 0 }
    }

    /// False if it is full.
    fn push(&mut self, step: Step) -> bool {
        let free = self.steps.get_mut(usize::from(self.len));
        let has_room = free.is_some();
        if let Some(free) = free {
            *free = step;
            self.len += 1;
        }
        has_room
    }

    fn runs(&self) -> impl Iterator<Item = Run> {
        let steps = self.steps[..usize::from(self.len)].iter();
        std::iter::once(self.first).chain(steps.scan(self.first, |run, step| {
            *run = step.after(run);
            Some(*run)
        }))
    }
}

/// Maps offsets in recoded bytes to offsets in the source.
#[derive(Clone, Debug)]
pub(crate) struct OffsetMap {
    blocks: VecDeque<Block>,
    /// The run in progress, and how many characters of it have come.
    last: Run,
    count: u64,
    /// Where the line in progress begins, in output and source.
    line: (u64, u64),
    output: u64,
    source: u64,
    /// Bytes of the source that stand for nothing.
    nothing: u64,
    /// Such bytes came last, so the next character begins a run.
    gap: bool,
    /// How many blocks there may be before some are forgotten: if all were looked at for each few bytes while nothing can
    /// be forgotten, as in a value without an end, that would take the time of the value squared.
    most: usize,
}

/// This many blocks are not worth forgetting.
const FEW: usize = 64;

impl OffsetMap {
    /// Nothing is recoded yet.
    pub(crate) fn new() -> Self {
        Self {
            blocks: VecDeque::new(),
            last: Run::IDENTITY,
            count: 0,
            line: (0, 0),
            output: 0,
            source: 0,
            nothing: 0,
            gap: false,
            most: FEW,
        }
    }

    /// Bytes of output came, each from `source_len` bytes of the source.
    pub(super) fn bytes(&mut self, bytes: &[u8], source_len: u8) {
        let (output, source) = (self.output, self.source);
        self.extend(1, source_len, bytes.len() as u64);
        if let Some(last) = memchr::memrchr2(b'\n', b'\r', bytes) {
            let after = last as u64 + 1;
            self.line = (output + after, source + after * u64::from(source_len));
        }
    }

    /// A character came.
    #[inline]
    pub(super) fn character(&mut self, c: char, output_len: usize, source_len: usize) {
        self.extend(output_len as u8, source_len as u8, 1);
        if matches!(c, '\n' | '\r') {
            self.line = (self.output, self.source);
        }
    }

    /// Bytes of the source came that stand for nothing.
    pub(super) fn nothing(&mut self, source_len: usize) {
        self.source += source_len as u64;
        self.nothing += source_len as u64;
        self.gap = true;
    }

    #[inline]
    fn extend(&mut self, output_len: u8, source_len: u8, count: u64) {
        if self.gap || (self.last.output_len, self.last.source_len) != (output_len, source_len) {
            self.begin(output_len, source_len);
        }
        self.count += count;
        self.output += u64::from(output_len) * count;
        self.source += u64::from(source_len) * count;
    }

    fn begin(&mut self, output_len: u8, source_len: u8) {
        let run = Run { output: self.output, source: self.source, nothing: self.nothing, output_len, source_len };
        let step = Step::between(&self.last, self.count, &run);
        let is_in_block = self.blocks.back_mut().zip(step).is_some_and(|(block, step)| block.push(step));
        if !is_in_block {
            self.blocks.push_back(Block::new(run, self.line));
        }
        (self.last, self.count) = (run, 0);
        self.gap = false;
    }

    /// The offset in the source of the character at an offset in the output. That offset must not be a forgotten one,
    /// nor beyond the end.
    pub(crate) fn source(&self, output: u64) -> u64 {
        if output >= self.output {
            return self.source;
        }
        // Nearly everything that is asked for is in the last run.
        let run = if output >= self.last.output { self.last } else { self.run_at(output).0 };
        run.source_of(output)
    }

    /// Where in the source something ends that ends at this offset in the output: marks that come after it are no part of it.
    fn source_end(&self, output: u64) -> u64 {
        match output.checked_sub(1) {
            Some(last) if last < self.output => self.run_at(last).0.source_of(output),
            _ => self.source(output),
        }
    }

    /// The run that an offset before the end is in, and where it ends.
    fn run_at(&self, output: u64) -> (Run, u64) {
        self.last_run(|run| run.output <= output)
    }

    /// The last run that has begun, and where it ends in the output.
    fn last_run(&self, has_begun: impl Fn(&Run) -> bool) -> (Run, u64) {
        let after = self.blocks.partition_point(|block| has_begun(&block.first));
        let end = self.blocks.get(after).map_or(self.output, |block| block.first.output);
        let mut last = Run::IDENTITY;
        for run in after.checked_sub(1).and_then(|index| self.blocks.get(index)).into_iter().flat_map(Block::runs) {
            if !has_begun(&run) {
                return (last, run.output);
            }
            last = run;
        }
        (last, end)
    }

    /// How many bytes of the source before an offset in the output are characters; the others stand for nothing.
    pub(crate) fn characters(&self, output: u64) -> u64 {
        if output >= self.output {
            return self.source - self.nothing;
        }
        let (run, _) = self.run_at(output);
        run.source_of(output) - run.nothing
    }

    /// The offset in the output of what stood at an offset in the source, or of what follows it if that stands for
    /// nothing. It must not be a forgotten one.
    pub(crate) fn output(&self, source: u64) -> u64 {
        if source >= self.source {
            return self.output;
        }
        let (run, end) = match self.last {
            last if source >= last.source => (last, self.output),
            _ => self.last_run(|run| run.source <= source),
        };
        run.output_of(source).min(end)
    }

    /// Where in the source the line begins that begins at `start` in the output and goes on at `output`.
    fn line_at(&self, start: u64, output: u64) -> u64 {
        let after = self.blocks.partition_point(|block| block.first.output <= output);
        match after.checked_sub(1).and_then(|index| self.blocks.get(index)) {
            // What is before the block may be forgotten.
            Some(block) if block.line.0 == start => block.line.1,
            _ => self.source_end(start),
        }
    }

    /// Forgets what is before this offset of the output except at some others, if there is much of it: nothing before it will be
    /// looked up, except columns after it, and the source end of what ends there. While bytes without end wait, it is enough to
    /// know where they began.
    pub(crate) fn forget_but(&mut self, pins: &[u64], output: u64) {
        if self.blocks.len() >= self.most {
            self.forget(pins, output);
            self.most = FEW.max(self.blocks.len() + self.blocks.len() / 2);
        }
    }

    fn forget(&mut self, pins: &[u64], output: u64) {
        let mut kept = 0;
        for at in 0..self.blocks.len() {
            let start = self.blocks[at].first.output;
            let next = self.blocks.get(at + 1).map(|block| block.first.output);
            if next.is_none_or(|next| next >= output || pins.iter().any(|pin| (start..=next).contains(pin))) {
                self.blocks.swap(kept, at);
                kept += 1;
            }
        }
        self.blocks.truncate(kept);
    }
}

/// Looks up offsets in the source, one after the other: most are in the run and on the line of the one before.
#[derive(Clone, Debug)]
pub(crate) struct Offsets<'a> {
    map: &'a OffsetMap,
    run: Run,
    run_end: u64,
    /// Where a line begins, in output and source.
    line: Option<(u64, u64)>,
}

impl<'a> Offsets<'a> {
    pub(crate) fn new(map: &'a OffsetMap) -> Self {
        Self { map, run: Run::IDENTITY, run_end: 0, line: None }
    }

    /// As [`OffsetMap::source`].
    #[inline]
    pub(crate) fn source(&mut self, output: u64) -> u64 {
        if !(self.run.output..self.run_end).contains(&output) {
            if output >= self.map.output {
                return self.map.source;
            }
            self.find_run(output);
        }
        self.run.source_of(output)
    }

    /// Where in the source something ends that ends at this offset in the output: marks that come after it are no part of it.
    pub(crate) fn source_end(&mut self, output: u64) -> u64 {
        let Some(last) = output.checked_sub(1) else { return self.source(output) };
        self.source(last);
        self.run.source_of(output)
    }

    /// The offset in the source, and the column in bytes of the source, from 1, of an offset and column in the output.
    #[inline]
    pub(crate) fn place(&mut self, output: u64, column: u64) -> (u64, u64) {
        let source = self.source(output);
        let start = output - (column - 1);
        let line = match self.line {
            Some((known, line)) if known == start => line,
            _ => self.find_line(start, output),
        };
        (source, source.saturating_sub(line) + 1)
    }

    // The searches are rare. In functions of their own, they take no registers from the places that need none.
    #[inline(never)]
    fn find_run(&mut self, output: u64) {
        (self.run, self.run_end) = self.map.run_at(output);
    }

    #[inline(never)]
    fn find_line(&mut self, start: u64, output: u64) -> u64 {
        self.line.insert((start, self.map.line_at(start, output))).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The map of a text whose characters have three or four bytes in the source; `|` is an escape sequence between characters.
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
        let (map, places) = recoded(&TEXT.repeat(10));
        assert!(map.blocks.len() > 1);
        for &(output, source, ..) in &places {
            assert_eq!(map.source(output), source);
            assert_eq!(map.output(source), output);
        }
        // Whatever was looked up before.
        for &(before, ..) in &places {
            let mut offsets = Offsets::new(&map);
            for &(output, source, column, source_column) in &places {
                offsets.source(before);
                assert_eq!(offsets.place(output, column), (source, source_column), "at {output} after {before}");
            }
            assert_eq!((offsets.source(map.output), offsets.source(before)), (map.source, map.source(before)));
        }
        assert_eq!(map.source(map.output), map.source);
        assert_eq!(map.output(map.source), map.output);
        // Six characters of three bytes, two of four, and an escape sequence of three between them.
        assert_eq!((map.characters(6), map.source(6)), (18, 21));
        assert_eq!(map.characters(map.output) + 30 * TEXT.matches('|').count() as u64, map.source);
        // The first escape sequence is between `b` and the first letter that is not ASCII.
        assert_eq!((map.output(18), map.output(20)), (6, 6));
    }

    #[test]
    fn a_line_begins_before_its_first_escape_sequence() {
        let mut map = OffsetMap::new();
        map.bytes(b"(;\n", 1);
        map.nothing(3);
        map.character('\u{56E0}', 3, 2);
        map.character('\u{574A}', 3, 2);
        map.character('x', 1, 1);
        assert_eq!(
            [(3, 1), (6, 4), (9, 7)].map(|(output, column)| Offsets::new(&map).place(output, column).1),
            [4, 6, 8]
        );
        map.forget(&[], 9);
        assert_eq!(Offsets::new(&map).place(9, 7).1, 8);
    }

    #[test]
    fn forgotten_offsets_take_no_memory() {
        let (map, places) = recoded(&TEXT.repeat(40));
        assert!(map.blocks.len() > 3);
        for (index, &(first, ..)) in places.iter().enumerate() {
            let mut map = map.clone();
            map.forget(&[], first);
            for &(output, source, column, source_column) in &places[index..] {
                assert_eq!((map.source(output), map.output(source)), (source, output));
                let place = Offsets::new(&map).place(output, column);
                assert_eq!(place, (source, source_column), "at {output} after {first}");
            }
        }
        let mut map = map;
        let (first, last) = (places[5], *places.last().unwrap());
        map.forget(&[first.0], last.0);
        for (output, source, column, source_column) in [first, last] {
            assert_eq!((map.source(output), map.output(source)), (source, output));
            assert_eq!(Offsets::new(&map).place(output, column).1, source_column);
        }
        assert!(map.blocks.len() <= 3, "{map:?}");
        map.forget(&[], map.output);
        assert_eq!(map.blocks.len(), 1);
        for _ in 0..10 * FEW * STEPS {
            map.character('\u{E9}', 2, 4);
            map.character('\n', 1, 3);
            map.forget_but(&[], map.output);
            assert!(map.blocks.len() <= FEW);
        }
    }

    #[test]
    fn where_each_character_begins_a_run_one_takes_few_bytes() {
        let mut map = OffsetMap::new();
        let runs = 100 * (STEPS + 1);
        for _ in 0..runs / 2 {
            map.nothing(300);
            map.character('\u{E9}', 2, 2);
            map.character('x', 1, 1);
        }
        assert_eq!(map.blocks.len(), 100);
        assert!(size_of::<Block>() < 5 * (STEPS + 1), "{}", size_of::<Block>());
        assert_eq!((map.source(map.output - 1), map.characters(map.output)), (map.source - 1, 3 * runs as u64 / 2));
        // What does not fit into a step begins a block.
        map.nothing(1 << 16);
        map.character('x', 1, 1);
        map.bytes(&[b'x'; 255], 1);
        map.character('\u{E9}', 2, 2);
        assert_eq!(map.blocks.len(), 102);
        assert_eq!((map.source(map.output - 2), map.source(map.output - 3)), (map.source - 2, map.source - 3));
    }

    #[test]
    fn several_bytes_at_once_equal_single_characters() {
        let text = b"ab\r\ncd\n\n\re\r\r\nf";
        for width in [1, 2, 4] {
            for cut in 0..=text.len() {
                let (mut at_once, mut singly) = (OffsetMap::new(), OffsetMap::new());
                for map in [&mut at_once, &mut singly] {
                    map.nothing(2);
                }
                at_once.bytes(&text[..cut], width);
                at_once.bytes(&text[cut..], width);
                for &byte in text {
                    singly.character(char::from(byte), 1, usize::from(width));
                }
                assert_eq!((at_once.blocks, at_once.line), (singly.blocks, singly.line), "{width} {cut}");
                assert_eq!((at_once.source, at_once.count), (singly.source, singly.count), "{width} {cut}");
            }
        }
    }

    #[test]
    fn plain_bytes_map_to_themselves() {
        let mut map = OffsetMap::new();
        map.bytes(b"ab\r", 1);
        map.bytes(b"\ncd", 1);
        assert_eq!(map.source(5), 5);
        assert_eq!(Offsets::new(&map).place(5, 2).1, 2);
        map.nothing(3);
        map.character('x', 1, 1);
        assert_eq!((map.source(6), Offsets::new(&map).place(6, 3).1), (9, 6));
    }
}
