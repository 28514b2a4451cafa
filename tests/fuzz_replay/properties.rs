//! What must hold for any bytes, in the words of the public interface alone.
//!
//! Owns the properties that the fuzz targets look for a counterexample to; the stable tests replay them. An input is read
//! with a control: bytes that say where chunks end, when a visitor breaks, and what it answers, again and again from the
//! first. Refuses to know what the events of an input should be; of that there is an oracle elsewhere.

use std::fmt;
use std::ops::ControlFlow::{self, Break, Continue};

use sgf_stream::{
    Config, Deliver, Descend, Limits, Node, Parser, Part, Position, Problem, ProblemKind, Property, Step, Tree,
    TreeEnd, Value, Visitor,
};

/// The input and the control that bytes of any origin hold: what comes after the last NUL is the control.
///
/// So a plain file is an input as it stands. Without a control, chance decides, the same for the same bytes.
pub(crate) fn split(data: &[u8]) -> (&[u8], Control) {
    let (input, control) = match data.iter().rposition(|&byte| byte == 0) {
        Some(nul) => (&data[..nul], &data[nul + 1..]),
        None => (data, &[][..]),
    };
    (input, Control::new(input, control))
}

/// Decisions, one for each byte.
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

    fn next(&mut self) -> u8 {
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

    /// Limits so small that most inputs pass some.
    fn limits(&mut self) -> Limits {
        let mut small = |none: u64| match self.next() % 8 {
            7 => none,
            few => u64::from(few),
        };
        let mut limits = Limits::new();
        limits.value = small(1 << 20) as usize;
        limits.depth = small(u64::MAX);
        limits.node = small(u64::MAX);
        limits.values = small(u64::MAX);
        limits.problems = small(u64::MAX);
        limits.game = 9 * small(u64::MAX / 9);
        limits
    }
}

/// An event, as it must be the same for every way to read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Record {
    Enter(Tree),
    Node(Node),
    Property(Position, Vec<u8>),
    /// Whole, or joined from its parts.
    Value(Position, Vec<u8>),
    Exit(TreeEnd),
    Problem(Problem),
}

/// What a visitor answers.
#[derive(Clone, Debug)]
enum Answers {
    /// Everything is read, and values come so.
    Read(Deliver),
    Control(Control),
}

impl Answers {
    fn enter(&mut self) -> Descend {
        if let Self::Control(control) = self { control.enter() } else { Descend::Into }
    }

    fn node(&mut self) -> Step {
        if let Self::Control(control) = self { control.node() } else { Step::Read }
    }

    fn property(&mut self) -> Deliver {
        match self {
            Self::Read(deliver) => *deliver,
            Self::Control(control) => control.property(),
        }
    }
}

/// Writes down what it is told.
struct Recorder {
    records: Vec<Record>,
    /// What came of a value in parts.
    parts: Option<(Position, Vec<u8>)>,
    answers: Answers,
    breaks: Option<Control>,
}

impl Recorder {
    const fn new(answers: Answers) -> Self {
        Self { records: Vec::new(), parts: None, answers, breaks: None }
    }

    /// Breaks where the control says so. In the place of an answer that means the default answer, so only who gives no other
    /// may break there.
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

impl Visitor for Recorder {
    type Break = ();

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<(), Descend> {
        self.records.push(Record::Enter(tree));
        let answer = self.answers.enter();
        self.answer(answer)
    }

    fn node(&mut self, node: Node) -> ControlFlow<(), Step> {
        self.records.push(Record::Node(node));
        let answer = self.answers.node();
        self.answer(answer)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<(), Deliver> {
        self.records.push(Record::Property(property.position(), property.raw().to_vec()));
        let answer = self.answers.property();
        self.answer(answer)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
        self.records.push(Record::Value(value.position(), value.raw().to_vec()));
        self.flow(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<()> {
        let (position, mut raw) = self.parts.take().unwrap_or_else(|| (part.position(), Vec::new()));
        assert_eq!(part.position().offset, position.offset + raw.len() as u64, "parts join");
        raw.extend_from_slice(part.raw());
        if part.is_last() {
            self.records.push(Record::Value(position, raw));
        } else {
            self.parts = Some((position, raw));
        }
        self.flow(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
        self.records.push(Record::Exit(end));
        self.flow(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<()> {
        if self.parts.take().is_some() {
            assert_eq!(problem.kind(), ProblemKind::UnexpectedEof, "only the end of the input takes parts back");
        }
        self.records.push(Record::Problem(*problem));
        self.flow(())
    }
}

/// How an input is cut.
#[derive(Clone, Debug)]
enum Cuts {
    Nowhere,
    Everywhere,
    /// Chunks of so many bytes.
    Control(Control),
}

fn read(config: &Config, input: &[u8], cuts: &Cuts, recorder: Recorder) -> Vec<Record> {
    let mut recorder = recorder;
    let mut parser = Parser::with_config(config.clone());
    let mut cuts = cuts.clone();
    let mut empty = 0;
    let mut from = 0;
    while from < input.len() {
        let len = match &mut cuts {
            Cuts::Nowhere => input.len(),
            Cuts::Everywhere => 1,
            Cuts::Control(control) => usize::from(control.next()),
        };
        // A control may ask for nothing but empty chunks.
        empty = if len == 0 { empty + 1 } else { 0 };
        let to = input.len().min(from + if empty > 8 { 1 } else { len });
        while parser.feed(&input[from..to], &mut recorder).expect("lenient reading goes on").is_break() {
            from = parser.position().offset as usize;
        }
        from = to;
        assert_eq!(parser.position().offset, to as u64, "all of a chunk is read");
    }
    while parser.finish(&mut recorder).expect("lenient reading goes on").is_break() {}
    assert_eq!(parser.position(), *positions(input).last().expect("the end has one"), "the end");
    assert_eq!(parser.depth(), 0, "trees that are open at the end");
    recorder.records
}

/// The position of every byte and of the end, counted one by one.
fn positions(input: &[u8]) -> Vec<Position> {
    let (mut line, mut column) = (1, 1);
    let mut positions = Vec::with_capacity(input.len() + 1);
    for (offset, &byte) in input.iter().enumerate() {
        positions.push(Position { offset: offset as u64, line, column });
        let ends = byte == b'\n' || byte == b'\r' && input.get(offset + 1) != Some(&b'\n');
        (line, column) = if ends { (line + 1, 1) } else { (line, column + 1) };
    }
    positions.push(Position { offset: input.len() as u64, line, column });
    positions
}

#[track_caller]
fn assert_same(expected: &[Record], got: &[Record], how: fmt::Arguments<'_>, input: &[u8]) {
    if expected == got {
        return;
    }
    let same = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
    panic!(
        "{how}, of {}\n  after {same} records expected: {:?}\n  got: {:?}",
        input.escape_ascii(),
        expected.get(same),
        got.get(same),
    );
}

/// However an input is cut and wherever a visitor breaks, it hears the same, and no byte is lost.
pub(crate) fn chunks(input: &[u8], control: &Control) {
    let config = Config::new();
    let reading = || Recorder::new(Answers::Read(Deliver::Whole));
    let expected = read(&config, input, &Cuts::Nowhere, reading());
    account(input, &expected);
    let cut = Cuts::Control(control.clone());
    for cuts in [&Cuts::Nowhere, &Cuts::Everywhere, &cut] {
        assert_same(&expected, &read(&config, input, cuts, reading()), format_args!("{cuts:?}"), input);
        let breaking = read(&config, input, cuts, reading().breaking(control));
        assert_same(&expected, &breaking, format_args!("breaking, {cuts:?}"), input);
        let parts = read(&config, input, cuts, Recorder::new(Answers::Read(Deliver::Parts)));
        assert_same(&expected, &parts, format_args!("parts, {cuts:?}"), input);
    }

    let limits = control.clone().limits();
    let config = Config::new().limits(limits.clone());
    let expected = read(&config, input, &Cuts::Nowhere, reading());
    for cuts in [&Cuts::Everywhere, &cut] {
        let got = read(&config, input, cuts, reading().breaking(control));
        assert_same(&expected, &got, format_args!("{limits:?}, {cuts:?}"), input);
    }
}

/// Skip equals read: whatever a visitor passes over, it hears of the rest what a visitor of everything hears.
pub(crate) fn skip(input: &[u8], control: &Control) {
    let config = Config::new();
    let all = read(&config, input, &Cuts::Nowhere, Recorder::new(Answers::Read(Deliver::Whole)));
    let cut = Cuts::Control(control.clone());
    let answers = [
        Answers::Control(control.clone()),
        // All properties at once, all games at once.
        Answers::Read(Deliver::Skip),
        Answers::Control(Control::new(input, &[7])),
    ];
    for answers in answers {
        let expected = left(&all, answers.clone());
        for cuts in [&Cuts::Nowhere, &Cuts::Everywhere, &cut] {
            let got = read(&config, input, cuts, Recorder::new(answers.clone()).breaking(control));
            assert_same(&expected, &got, format_args!("{answers:?}, {cuts:?}"), input);
        }
    }
}

/// What answers leave of a reading: of what is passed over, the exits and `unclosed-tree`.
fn left(all: &[Record], mut answers: Answers) -> Vec<Record> {
    let mut depth = 0;
    let mut deliver = Deliver::Whole;
    // Trees deeper than this are passed over.
    let mut shown = u64::MAX;
    // Whether the trees around it are as well, but for their exits.
    let mut game = false;
    let mut left = Vec::new();
    for record in all {
        match record {
            Record::Exit(end) => {
                depth = end.depth() - 1;
                if end.depth() <= shown {
                    left.push(record.clone());
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
        left.push(record.clone());
    }
    left
}

/// No byte is in two events, and one that is in none is white space or in the span of a problem that skips. Trees balance.
fn account(input: &[u8], records: &[Record]) {
    let positions = positions(input);
    let mut told = vec![false; input.len()];
    let mut depth = 0;
    for record in records {
        let (position, before, len, after) = match record {
            Record::Enter(tree) => {
                depth += 1;
                assert_eq!(tree.depth(), depth, "of a tree in {}", input.escape_ascii());
                (tree.position(), 0, 1, 0)
            }
            Record::Node(node) => (node.position(), 0, usize::from(!node.is_implied()), 0),
            Record::Property(position, raw) => (*position, 0, raw.len(), 0),
            Record::Value(position, raw) => (*position, 1, raw.len(), 1),
            Record::Exit(end) => {
                assert_eq!(end.depth(), depth, "of an end in {}", input.escape_ascii());
                depth -= 1;
                (end.position(), 0, usize::from(!end.is_implicit()), 0)
            }
            Record::Problem(problem) => {
                let len = if problem.kind().skips() { problem.span().len() as usize } else { 0 };
                (problem.position(), 0, len, 0)
            }
        };
        let at = position.offset as usize;
        assert_eq!(position, positions[at], "lines and columns of {}", input.escape_ascii());
        if let Record::Property(_, raw) | Record::Value(_, raw) = record {
            assert_eq!(&input[at..at + raw.len()], raw, "the bytes of an event in {}", input.escape_ascii());
        }
        for byte in &mut told[at - before..at + len + after] {
            assert!(!*byte, "a byte of {record:?} is told twice in {}", input.escape_ascii());
            *byte = true;
        }
    }
    assert_eq!(depth, 0, "every tree ends");
    for (at, _) in told.iter().enumerate().filter(|(_, told)| !**told) {
        let mark = (at.saturating_sub(2)..=at).any(|from| input[from..].starts_with("\u{FEFF}".as_bytes()));
        assert!(
            mark || matches!(input[at], b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r'),
            "byte {at} is lost in {}",
            input.escape_ascii()
        );
    }
}
