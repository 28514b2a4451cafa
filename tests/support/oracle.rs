//! The reference reader: slow, obvious, over the whole input as one slice.
//!
//! Owns the meaning of every byte by the rules of recovery, as index arithmetic with unlimited lookahead. Refuses to know
//! chunks, limits, visitors and the reader under test, with which it shares only the kinds of problems and the type of
//! positions.

use std::fmt;

use sgf_stream::{Position, ProblemKind};

/// An event as plain data. Slices are of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    Enter { at: Position, depth: u64, first_child: bool, implied: bool },
    Node { at: Position, implied: bool, after_variation: bool },
    Property { at: Position, raw: &'a [u8] },
    Value { at: Position, raw: &'a [u8] },
    Exit { at: Position, depth: u64, implicit: bool },
    Problem { kind: ProblemKind, at: Position, len: u64 },
}

impl Record<'_> {
    /// The kind of problem, if it is one.
    pub(crate) fn problem(&self) -> Option<ProblemKind> {
        match self {
            Self::Problem { kind, .. } => Some(*kind),
            _ => None,
        }
    }
}

/// A position is its offset, with line and column unless it is on the first line.
///
/// `enter 0 d1`, `node 1`, `property 2 B`, `value 4 "pd"`, `exit 7 d1`, `! junk 8..10`; flags follow if they are set:
/// `sibling`, `implied`, `after-variation`, `=CP`, `implicit`.
impl fmt::Display for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |at: &Position| match at {
            Position { offset, line: 1, column } if *column == offset + 1 => offset.to_string(),
            Position { offset, line, column } => format!("{offset}@{line}:{column}"),
        };
        let flag = |set: bool, name: &'static str| if set { name } else { "" };
        match self {
            Self::Enter { at, depth, first_child, implied } => {
                let sibling = flag(!first_child, " sibling");
                write!(f, "enter {} d{depth}{sibling}{}", place(at), flag(*implied, " implied"))
            }
            Self::Node { at, implied, after_variation } => {
                let after = flag(*after_variation, " after-variation");
                write!(f, "node {}{}{after}", place(at), flag(*implied, " implied"))
            }
            Self::Property { at, raw } => {
                write!(f, "property {} {}", place(at), raw.escape_ascii())?;
                let canonical = canonical(raw);
                if canonical == *raw { Ok(()) } else { write!(f, "={}", canonical.escape_ascii()) }
            }
            Self::Value { at, raw } => write!(f, "value {} \"{}\"", place(at), raw.escape_ascii()),
            Self::Exit { at, depth, implicit } => {
                write!(f, "exit {} d{depth}{}", place(at), flag(*implicit, " implicit"))
            }
            Self::Problem { kind, at, len } => write!(f, "! {kind} {}..{}", place(at), at.offset + len),
        }
    }
}

/// The identifier without lower-case letters, unless it has only those.
pub(crate) fn canonical(raw: &[u8]) -> Vec<u8> {
    if is_lowercase(raw) {
        return raw.to_vec();
    }
    raw.iter().copied().filter(|byte| !byte.is_ascii_lowercase()).collect()
}

fn is_lowercase(raw: &[u8]) -> bool {
    raw.iter().all(u8::is_ascii_lowercase)
}

pub(crate) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// Offsets of the first bytes of all lines.
#[derive(Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(input: &[u8]) -> Self {
        let mut starts = vec![0];
        for (i, byte) in input.iter().enumerate() {
            if *byte == b'\n' || (*byte == b'\r' && input.get(i + 1) != Some(&b'\n')) {
                starts.push(i + 1);
            }
        }
        Self(starts)
    }

    /// With lines that begin at these offsets.
    pub(crate) const fn starting(starts: Vec<usize>) -> Self {
        Self(starts)
    }

    pub(crate) fn at(&self, offset: usize) -> Position {
        let line = self.0.partition_point(|start| *start <= offset);
        Position { offset: offset as u64, line: line as u64, column: (offset - self.0[line - 1] + 1) as u64 }
    }
}

/// The oracle's reading of an input.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    pub(crate) records: Vec<Record<'a>>,
    /// How many bytes of the input decide each record; more than there are if only the end does.
    pub(crate) needs: Vec<usize>,
}

/// A tree that is open.
struct Open {
    /// It has a node, and no child tree after the last one.
    node: bool,
    /// It has a child tree, and no node after the last one.
    after_child: bool,
    /// It has neither yet.
    fresh: bool,
}

struct Oracle<'a> {
    input: &'a [u8],
    lines: &'a Lines,
    at: usize,
    open: Vec<Open>,
    /// A `[` would belong to a property.
    property: bool,
    /// Since the last game there was only white space and `)`.
    after_game: bool,
    reading: Reading<'a>,
}

/// Reads all of the input.
pub(crate) fn read<'a>(input: &'a [u8], lines: &'a Lines) -> Reading<'a> {
    let reading = Reading { records: Vec::new(), needs: Vec::new() };
    let mut oracle = Oracle { input, lines, at: 0, open: Vec::new(), property: false, after_game: false, reading };
    while oracle.at < input.len() {
        if oracle.open.is_empty() {
            oracle.between();
        } else {
            oracle.inside();
        }
    }
    oracle.end();
    oracle.reading
}

impl<'a> Oracle<'a> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.input.get(at).copied()
    }

    fn after_white(&self, mut at: usize) -> usize {
        while self.byte(at).is_some_and(is_white) {
            at += 1;
        }
        at
    }

    fn place(&self, at: usize) -> Position {
        self.lines.at(at)
    }

    fn emit(&mut self, record: Record<'a>, needs: usize) {
        self.reading.records.push(record);
        self.reading.needs.push(needs);
    }

    fn problem(&mut self, kind: ProblemKind, start: usize, end: usize, needs: usize) {
        self.emit(Record::Problem { kind, at: self.place(start), len: (end - start) as u64 }, needs);
    }

    fn is_bom(&self, at: usize) -> bool {
        self.input[at..].starts_with(b"\xEF\xBB\xBF")
    }

    /// If a game starts at `at`, the offset of the byte that shows it.
    fn game(&self, at: usize) -> Option<usize> {
        if self.byte(at) != Some(b'(') {
            return None;
        }
        let start = self.after_white(at + 1);
        if self.byte(start) == Some(b';') {
            return Some(start);
        }
        let mut end = start;
        while self.byte(end).is_some_and(|byte| byte.is_ascii_uppercase()) {
            end += 1;
        }
        ((1..=32).contains(&(end - start)) && self.byte(end) == Some(b'[')).then_some(end)
    }

    fn between(&mut self) {
        let start = self.at;
        let byte = self.input[start];
        if is_white(byte) {
            self.at += 1;
        } else if self.is_bom(start) {
            self.at += 3;
        } else if byte == b')' && self.after_game {
            self.problem(ProblemKind::UnmatchedClose, start, start + 1, start + 1);
            self.at += 1;
        } else if let Some(shown) = self.game(start) {
            self.enter(shown + 1);
        } else {
            let mut end = start + 1;
            while end < self.input.len() && !self.is_bom(end) && self.game(end).is_none() {
                end += 1;
            }
            let needs = match self.byte(end) {
                None => end + 1,
                Some(_) => self.game(end).map_or(end + 3, |shown| shown + 1),
            };
            self.problem(ProblemKind::Junk, start, end, needs);
            self.after_game = false;
            self.at = end;
        }
    }

    fn enter(&mut self, needs: usize) {
        let first_child = self.open.last().is_none_or(|parent| !parent.after_child);
        self.open.push(Open { node: false, after_child: false, fresh: true });
        self.property = false;
        let depth = self.open.len() as u64;
        self.emit(Record::Enter { at: self.place(self.at), depth, first_child, implied: false }, needs);
        self.at += 1;
    }

    fn tree(&mut self) -> &mut Open {
        self.open.last_mut().expect("inside a game a tree is open")
    }

    fn inside(&mut self) {
        let start = self.at;
        match self.input[start] {
            byte if is_white(byte) => self.at += 1,
            b';' => {
                let after_variation = self.tree().after_child;
                if after_variation {
                    self.problem(ProblemKind::NodeAfterVariation, start, start + 1, start + 1);
                }
                self.node(false, start + 1);
                self.property = false;
                self.at += 1;
            }
            b'(' => {
                if self.tree().fresh {
                    self.problem(ProblemKind::TreeWithoutNode, start, start + 1, start + 1);
                }
                self.tree().fresh = false;
                self.enter(start + 1);
            }
            b')' => {
                if self.tree().fresh {
                    self.problem(ProblemKind::EmptyVariation, start, start + 1, start + 1);
                }
                self.exit(false, start + 1);
                self.at += 1;
            }
            b'[' => self.value(),
            byte if byte.is_ascii_alphanumeric() => self.identifier(),
            _ => self.illegal(start + 1),
        }
    }

    fn node(&mut self, implied: bool, needs: usize) {
        let after_variation = self.tree().after_child;
        *self.tree() = Open { node: true, after_child: false, fresh: false };
        self.emit(Record::Node { at: self.place(self.at), implied, after_variation }, needs);
    }

    fn exit(&mut self, implicit: bool, needs: usize) {
        let depth = self.open.len() as u64;
        self.emit(Record::Exit { at: self.place(self.at), depth, implicit }, needs);
        self.open.pop();
        self.property = false;
        match self.open.last_mut() {
            Some(parent) => {
                parent.node = false;
                parent.after_child = true;
            }
            None => self.after_game = true,
        }
    }

    /// The `]` that closes the value whose `[` is at `start`.
    fn close(&self, start: usize) -> Option<usize> {
        let mut at = start + 1;
        loop {
            match self.byte(at)? {
                b'\\' => at += 2,
                b']' => return Some(at),
                _ => at += 1,
            }
        }
    }

    fn value(&mut self) {
        let start = self.at;
        let Some(close) = self.close(start) else {
            self.problem(ProblemKind::UnexpectedEof, start, self.input.len(), self.input.len() + 1);
            self.at = self.input.len();
            return;
        };
        if self.property {
            self.emit(Record::Value { at: self.place(start + 1), raw: &self.input[start + 1..close] }, close + 1);
        } else {
            self.problem(ProblemKind::ValueWithoutProperty, start, close + 1, close + 1);
        }
        self.at = close + 1;
    }

    fn identifier(&mut self) {
        let start = self.at;
        let mut end = start;
        while self.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            end += 1;
        }
        let raw = &self.input[start..end];
        let next = self.after_white(end);
        let valued = self.byte(next) == Some(b'[');
        if is_lowercase(raw) && !valued {
            self.illegal(end);
            return;
        }
        if raw.len() > 32 || canonical(raw).len() > 16 {
            self.long_identifier(end);
            return;
        }
        if !self.tree().node {
            self.problem(ProblemKind::MissingSemicolon, start, end, next + 1);
            self.node(true, next + 1);
        }
        if is_lowercase(raw) {
            self.problem(ProblemKind::LowercaseIdentifier, start, end, next + 1);
        }
        if !valued {
            self.problem(ProblemKind::PropertyWithoutValue, start, end, next + 1);
        }
        self.emit(Record::Property { at: self.place(start), raw }, next + 1);
        self.property = valued;
        self.at = end;
    }

    /// The identifier that ends at `end` is one range with all its values.
    fn long_identifier(&mut self, mut end: usize) {
        let start = self.at;
        loop {
            let next = self.after_white(end);
            let close = if self.byte(next) == Some(b'[') { self.close(next) } else { None };
            if let Some(close) = close {
                end = close + 1;
                continue;
            }
            let in_value = self.byte(next) == Some(b'[');
            let needs = if in_value { self.input.len() + 1 } else { next + 1 };
            self.problem(ProblemKind::IdentifierTooLong, start, end, needs);
            self.property = false;
            self.at = end;
            return;
        }
    }

    /// A run of illegal bytes: all up to `end`, and on to the next byte that may mean something.
    fn illegal(&mut self, mut end: usize) {
        let start = self.at;
        let next = self.after_white(end);
        while self.byte(end).is_some_and(|byte| !is_white(byte) && !b"()[;".contains(&byte))
            && !self.input[end].is_ascii_alphanumeric()
        {
            end += 1;
        }
        // Whether it is a stray word depends on what follows the white space after it.
        let needs = if self.input[start].is_ascii_alphanumeric() && next > end { next + 1 } else { end + 1 };
        self.problem(ProblemKind::IllegalBytes, start, end, needs);
        self.property = false;
        self.at = end;
    }

    fn end(&mut self) {
        let never = self.input.len() + 1;
        if !self.open.is_empty() {
            self.problem(ProblemKind::UnclosedTree, self.at, self.at, never);
        }
        while !self.open.is_empty() {
            self.exit(true, never);
        }
    }
}
