//! What holds for any bytes, stated through the public interface alone.
//!
//! Owns the properties to which the fuzz targets seek a counterexample; the stable tests replay them. Besides the input, each
//! takes a control: bytes that decide, over and over, where chunks end, when a visitor breaks, and what it answers. Refuses to
//! know which events an input should give; the oracle knows that.

use std::fmt;
use std::ops::ControlFlow::{self, Break, Continue};

use sgf_stream::{
    Charsets, Config, Deliver, Descend, Limits, Node, Parser, Part, Position, Problem, ProblemKind, Property, Step,
    Tree, TreeEnd, Value, Visitor,
};

/// Splits fuzzer data into input and control, which comes after the last NUL.
///
/// A plain file is an input as it stands; its control is made from its hash.
pub(crate) fn split(data: &[u8]) -> (&[u8], Control) {
    let (input, control) = match data.iter().rposition(|&byte| byte == 0) {
        Some(nul) => (&data[..nul], &data[nul + 1..]),
        None => (data, &[][..]),
    };
    (input, Control::new(input, control))
}

/// Decisions, one per byte.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    bytes: Vec<u8>,
    at: usize,
}

impl Control {
    pub(crate) fn new(input: &[u8], bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        let hash = input.iter().fold(0xCBF2_9CE4_8422_2325, step);
        Self { bytes: if bytes.is_empty() { hash.to_le_bytes().to_vec() } else { bytes.to_vec() }, at: 0 }
    }

    pub(crate) fn next(&mut self) -> u8 {
        let byte = self.bytes[self.at % self.bytes.len()];
        self.at += 1;
        byte
    }

    fn enter(&mut self) -> Descend {
        if self.next() % 8 == 7 { Descend::Over } else { Descend::Into }
    }

    fn node(&mut self) -> Step {
        match self.next() % 16 {
            15 => Step::SkipGame,
            14 => Step::SkipTree,
            _ => Step::Read,
        }
    }

    fn property(&mut self) -> Deliver {
        match self.next() % 4 {
            3 => Deliver::Skip,
            2 => Deliver::Parts,
            _ => Deliver::Whole,
        }
    }

    /// Limits so small that most inputs exceed some.
    pub(crate) fn limits(&mut self) -> Limits {
        let mut small = |none: u64| match self.next() % 8 {
            7 => none,
            few => u64::from(few),
        };
        let mut limits = Limits::new();
        limits.value = small(1 << 20) as usize;
        limits.depth = small(u64::MAX);
        limits.node_properties = small(u64::MAX);
        limits.property_values = small(u64::MAX);
        limits.problems = small(u64::MAX);
        limits.game = 9 * small(u64::MAX / 9);
        limits
    }
}

/// An input, and the position of each byte and of its end, counted byte by byte.
pub(crate) struct Input<'a> {
    pub(crate) bytes: &'a [u8],
    positions: Vec<Position>,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (mut line, mut column) = (1, 1);
        let mut positions = Vec::with_capacity(bytes.len() + 1);
        for (offset, &byte) in bytes.iter().enumerate() {
            positions.push(Position { offset: offset as u64, line, column });
            let ends = byte == b'\n' || byte == b'\r' && bytes.get(offset + 1) != Some(&b'\n');
            (line, column) = if ends { (line + 1, 1) } else { (line, column + 1) };
        }
        positions.push(Position { offset: bytes.len() as u64, line, column });
        Self { bytes, positions }
    }
}

/// An event, in a form that does not depend on how it was read. Its bytes are those of the input, so their number is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    Enter(Tree),
    Node(Node),
    Property(Position, usize),
    /// Whole, or joined from parts.
    Value(Position, usize),
    Exit(TreeEnd),
    Problem(Problem),
}

impl Record {
    const fn position(&self) -> Position {
        match self {
            Self::Enter(tree) => tree.position(),
            Self::Node(node) => node.position(),
            Self::Property(position, _) | Self::Value(position, _) => *position,
            Self::Exit(end) => end.position(),
            Self::Problem(problem) => problem.position(),
        }
    }
}

/// What a visitor answers.
#[derive(Clone, Debug)]
pub(crate) enum Answers {
    /// Reads everything; values are delivered like this.
    Read(Deliver),
    Control(Control),
}

impl Answers {
    pub(crate) fn enter(&mut self) -> Descend {
        if let Self::Control(control) = self { control.enter() } else { Descend::Into }
    }

    pub(crate) fn node(&mut self) -> Step {
        if let Self::Control(control) = self { control.node() } else { Step::Read }
    }

    pub(crate) fn property(&mut self) -> Deliver {
        match self {
            Self::Read(deliver) => *deliver,
            Self::Control(control) => control.property(),
        }
    }
}

/// Keeps the events as records.
pub(crate) struct Recorder<'a> {
    input: &'a Input<'a>,
    pub(crate) records: Vec<Record>,
    /// Position and length of the parts of a value so far.
    parts: Option<(Position, usize)>,
    answers: Answers,
    breaks: Option<Control>,
}

impl<'a> Recorder<'a> {
    pub(crate) const fn new(input: &'a Input<'a>, answers: Answers) -> Self {
        Self { input, records: Vec::new(), parts: None, answers, breaks: None }
    }

    fn record(&mut self, record: Record) {
        let position = record.position();
        let counted = self.input.positions[position.offset as usize];
        assert_eq!(position, counted, "the position of {record:?}");
        self.records.push(record);
    }

    /// The number of bytes, which are checked against the input.
    fn len(&self, position: Position, raw: &[u8]) -> usize {
        assert_eq!(raw, &self.input.bytes[position.offset as usize..][..raw.len()], "the bytes of an event");
        raw.len()
    }

    /// Breaks where the control says so. A break replaces the visitor's answer by the default, so with other answers it breaks
    /// only where none is due.
    fn breaking(mut self, control: &Control) -> Self {
        self.breaks = Some(control.clone());
        self
    }

    fn flow<T>(&mut self, answer: T) -> ControlFlow<(), T> {
        let breaks = self.breaks.as_mut().is_some_and(|control| control.next() % 2 == 1);
        if breaks { Break(()) } else { Continue(answer) }
    }

    fn answer<T>(&mut self, answer: T) -> ControlFlow<(), T> {
        if matches!(self.answers, Answers::Read(Deliver::Whole)) { self.flow(answer) } else { Continue(answer) }
    }
}

impl Visitor for Recorder<'_> {
    type Break = ();

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<(), Descend> {
        self.record(Record::Enter(tree));
        let answer = self.answers.enter();
        self.answer(answer)
    }

    fn node(&mut self, node: Node) -> ControlFlow<(), Step> {
        self.record(Record::Node(node));
        let answer = self.answers.node();
        self.answer(answer)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<(), Deliver> {
        let len = self.len(property.position(), property.raw());
        self.record(Record::Property(property.position(), len));
        let answer = self.answers.property();
        self.answer(answer)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
        let len = self.len(value.position(), value.raw());
        self.record(Record::Value(value.position(), len));
        self.flow(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<()> {
        let (position, before) = self.parts.take().unwrap_or_else(|| (part.position(), 0));
        assert_eq!(
            part.position(),
            self.input.positions[position.offset as usize + before],
            "a part is not adjacent to the one before"
        );
        let len = before + self.len(part.position(), part.raw());
        if part.is_last() {
            self.record(Record::Value(position, len));
        } else {
            self.parts = Some((position, len));
        }
        self.flow(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
        self.record(Record::Exit(end));
        self.flow(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<()> {
        if self.parts.take().is_some() {
            assert_eq!(problem.kind(), ProblemKind::UnexpectedEof, "parts may lack their end only at the end of input");
        }
        self.record(Record::Problem(*problem));
        self.flow(())
    }
}

/// How an input is cut.
#[derive(Clone, Debug)]
pub(crate) enum Cuts {
    Nowhere,
    Everywhere,
    /// Chunks of these lengths.
    Control(Control),
}

impl Cuts {
    /// Where the chunks of an input of this length end. Some of them may be empty.
    pub(crate) fn ends(&self, len: usize) -> Vec<usize> {
        let mut cuts = self.clone();
        let mut ends = Vec::new();
        let (mut empty, mut to) = (0, 0);
        while to < len {
            let step = match &mut cuts {
                Self::Nowhere => len,
                Self::Everywhere => 1,
                Self::Control(control) => usize::from(control.next()),
            };
            // A control may ask for empty chunks only.
            empty = if step == 0 { empty + 1 } else { 0 };
            to = len.min(to + if empty > 8 { 1 } else { step });
            ends.push(to);
        }
        ends
    }
}

pub(crate) fn read(config: &Config, cuts: &Cuts, mut recorder: Recorder<'_>) -> Vec<Record> {
    let Input { bytes, positions } = recorder.input;
    let mut parser = Parser::with_config(config.clone());
    let mut from = 0;
    for to in cuts.ends(bytes.len()) {
        while parser.feed(&bytes[from..to], &mut recorder).expect("lenient reading goes on").is_break() {
            from = parser.position().offset as usize;
        }
        from = to;
        // Only the offset: whether a CR at the end of a chunk ends a line depends on the next byte.
        assert_eq!(parser.position().offset, to as u64, "part of a chunk was left");
    }
    while parser.finish(&mut recorder).expect("lenient reading goes on").is_break() {}
    assert_eq!(parser.position(), positions[bytes.len()], "the end");
    assert_eq!(parser.depth(), 0, "trees that are open at the end");
    recorder.records
}

#[track_caller]
pub(crate) fn assert_same(expected: &[Record], got: &[Record], how: fmt::Arguments<'_>, input: &Input<'_>) {
    if expected == got {
        return;
    }
    let same = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
    panic!(
        "{how}, of {}\n  after {same} records expected: {:?}\n  got: {:?}",
        input.bytes.escape_ascii(),
        expected.get(same),
        got.get(same),
    );
}

/// However an input is cut and wherever a visitor breaks, the events are the same and no byte is lost.
pub(crate) fn chunks(input: &[u8], control: &Control) {
    let input = &Input::new(input);
    let config = Config::new().charsets(Charsets::Raw);
    let reading = || Recorder::new(input, Answers::Read(Deliver::Whole));
    let expected = read(&config, &Cuts::Nowhere, reading());
    account(input.bytes, &expected);
    let cut = Cuts::Control(control.clone());
    for cuts in [&Cuts::Nowhere, &Cuts::Everywhere, &cut] {
        assert_same(&expected, &read(&config, cuts, reading()), format_args!("{cuts:?}"), input);
        let breaking = read(&config, cuts, reading().breaking(control));
        assert_same(&expected, &breaking, format_args!("breaking, {cuts:?}"), input);
        let parts = read(&config, cuts, Recorder::new(input, Answers::Read(Deliver::Parts)));
        assert_same(&expected, &parts, format_args!("parts, {cuts:?}"), input);
    }

    let limits = control.clone().limits();
    let config = Config::new().charsets(Charsets::Raw).limits(limits.clone());
    let expected = read(&config, &Cuts::Nowhere, reading());
    for cuts in [&Cuts::Everywhere, &cut] {
        let got = read(&config, cuts, reading().breaking(control));
        assert_same(&expected, &got, format_args!("{limits:?}, {cuts:?}"), input);
    }
}

/// Whatever a visitor skips, it gets the same events of the rest as a visitor that skips nothing.
pub(crate) fn skip(input: &[u8], control: &Control) {
    let games = Control::new(input, &[7]);
    let input = &Input::new(input);
    let config = Config::new().charsets(Charsets::Raw);
    let all = read(&config, &Cuts::Nowhere, Recorder::new(input, Answers::Read(Deliver::Whole)));
    let cut = Cuts::Control(control.clone());
    // As the control says; without values; without games.
    for answers in [Answers::Control(control.clone()), Answers::Read(Deliver::Skip), Answers::Control(games)] {
        let expected = left(&all, answers.clone());
        for cuts in [&Cuts::Nowhere, &Cuts::Everywhere, &cut] {
            let got = read(&config, cuts, Recorder::new(input, answers.clone()).breaking(control));
            assert_same(&expected, &got, format_args!("{answers:?}, {cuts:?}"), input);
        }
    }
}

/// The records that these answers leave. Of skipped trees these are the exits and `unclosed-tree`.
fn left(all: &[Record], mut answers: Answers) -> Vec<Record> {
    let mut depth = 0;
    let mut deliver = Deliver::Whole;
    // Trees deeper than this are skipped.
    let mut shown = u64::MAX;
    // The rest of the game is skipped: of the trees around, only exits are left.
    let mut game = false;
    let mut left = Vec::new();
    for record in all {
        match record {
            Record::Exit(end) => {
                depth = end.depth() - 1;
                if end.depth() <= shown {
                    left.push(*record);
                    shown = if game && depth > 0 { depth } else { u64::MAX };
                    game &= depth > 0;
                }
                continue;
            }
            Record::Problem(problem) if problem.kind() == ProblemKind::UnclosedTree => {}
            _ if shown < u64::MAX => continue,
            Record::Enter(tree) => {
                depth = tree.depth();
                if answers.enter() == Descend::Over {
                    shown = depth;
                }
            }
            Record::Node(_) => match answers.node() {
                Step::Read => {}
                Step::SkipTree => shown = depth,
                Step::SkipGame => (shown, game) = (depth, true),
            },
            Record::Property(..) => deliver = answers.property(),
            Record::Value(..) if deliver == Deliver::Skip => continue,
            Record::Value(..) | Record::Problem(_) => {}
        }
        left.push(*record);
    }
    left
}

/// No byte is in two events; a byte in none is white space, a mark, or in the span of a problem that skips. Trees balance.
fn account(input: &[u8], records: &[Record]) {
    let mut covered = vec![false; input.len()];
    let mut depth = 0;
    for record in records {
        // The brackets around a value.
        let (brackets, len) = match record {
            Record::Enter(tree) => {
                depth += 1;
                assert_eq!(tree.depth(), depth, "the depth of a tree in {}", input.escape_ascii());
                (0, 1)
            }
            Record::Node(node) => (0, usize::from(!node.is_implied())),
            Record::Property(_, len) => (0, *len),
            Record::Value(_, len) => (1, *len),
            Record::Exit(end) => {
                assert_eq!(end.depth(), depth, "the depth of an end in {}", input.escape_ascii());
                depth -= 1;
                (0, usize::from(!end.is_implicit()))
            }
            Record::Problem(problem) if problem.kind().skips() => (0, problem.span().len() as usize),
            Record::Problem(_) => continue,
        };
        let at = record.position().offset as usize;
        for byte in &mut covered[at - brackets..at + len + brackets] {
            assert!(!*byte, "a byte of {record:?} is in two events in {}", input.escape_ascii());
            *byte = true;
        }
    }
    assert_eq!(depth, 0, "a tree does not end");
    for (at, _) in covered.iter().enumerate().filter(|(_, covered)| !**covered) {
        let mark = (at.saturating_sub(2)..=at).any(|from| input[from..].starts_with("\u{FEFF}".as_bytes()));
        assert!(
            mark || matches!(input[at], b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r'),
            "byte {at} is lost in {}",
            input.escape_ascii()
        );
    }
}
