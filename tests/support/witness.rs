//! Visitors that hold what they are told against what they expect.
//!
//! Owns [`Witness`], which panics with the neighbourhood at the first difference; [`Plan`], what a visitor answers, and
//! [`applied`], what is left of a reading when it answers so; and the promises about parts.

use std::convert::Infallible;
use std::fmt;
use std::ops::ControlFlow;

use sgf_stream::{
    Deliver, Descend, Event, Node, Part, Position, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value, Visitor,
};

use super::faces::Case;
use super::oracle::{Record, canonical};
use super::rng::Rng;

/// What a visitor answers. Numbers count the opportunities of the kind, from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plan {
    /// Everything is read, values whole.
    Read,
    /// Everything is read, values in parts.
    Parts,
    /// Everything is read but values.
    NoValues,
    /// That tree is passed over.
    Over(u64),
    /// At that node the rest of the tree is.
    SkipTree(u64),
    /// At that node the rest of the game is.
    SkipGame(u64),
    /// Any of these, by chance.
    Chance(u64),
}

impl Plan {
    fn chance(self, n: u64, salt: u64) -> usize {
        match self {
            Self::Chance(seed) => Rng::new(seed ^ (n * 4 + salt)).below(12),
            _ => 0,
        }
    }

    fn enter(self, n: u64) -> Descend {
        let over = matches!(self, Self::Over(k) if k == n) || self.chance(n, 1) == 11;
        if over { Descend::Over } else { Descend::Into }
    }

    fn node(self, n: u64) -> Step {
        match self {
            Self::SkipTree(k) if k == n => Step::SkipTree,
            Self::SkipGame(k) if k == n => Step::SkipGame,
            _ => match self.chance(n, 2) {
                11 => Step::SkipGame,
                10 => Step::SkipTree,
                _ => Step::Read,
            },
        }
    }

    fn property(self, n: u64) -> Deliver {
        match self {
            Self::Parts => Deliver::Parts,
            Self::NoValues => Deliver::Skip,
            _ => match self.chance(n, 3) {
                8.. => Deliver::Parts,
                4..8 => Deliver::Skip,
                _ => Deliver::Whole,
            },
        }
    }

    /// True where a break in the place of an answer changes nothing.
    fn takes_defaults(self) -> bool {
        matches!(self, Self::Read)
    }
}

/// What is left of a reading for a visitor that answers by plan: the tree or game that is skipped shows its exits and
/// `unclosed-tree`, nothing else; values that are not wanted are left out.
pub(crate) fn applied<'a>(records: &[Record<'a>], plan: Plan) -> Vec<Record<'a>> {
    let (mut enters, mut nodes, mut properties) = (0, 0, 0);
    let mut depth = 0;
    let mut deliver = Deliver::Whole;
    // Depth of the tree whose end is waited for, and whether its parents' ends are waited for then.
    let mut skipped = None;
    let mut left = Vec::new();
    for record in records {
        if let Some((until, game)) = skipped {
            match record {
                Record::Exit { depth: at, .. } if *at == until => {
                    left.push(*record);
                    depth = until - 1;
                    skipped = if game && depth > 0 { Some((depth, game)) } else { None };
                }
                Record::Problem { kind: ProblemKind::UnclosedTree, .. } => left.push(*record),
                _ => {}
            }
            continue;
        }
        match record {
            Record::Value { .. } if deliver == Deliver::Skip => continue,
            Record::Enter { depth: at, .. } => {
                depth = *at;
                if plan.enter(enters) == Descend::Over {
                    skipped = Some((depth, false));
                }
                enters += 1;
            }
            Record::Node { .. } => {
                skipped = match plan.node(nodes) {
                    Step::Read => None,
                    Step::SkipTree => Some((depth, false)),
                    Step::SkipGame => Some((depth, true)),
                };
                nodes += 1;
            }
            Record::Property { .. } => {
                deliver = plan.property(properties);
                properties += 1;
            }
            Record::Exit { .. } => depth -= 1,
            _ => {}
        }
        left.push(*record);
    }
    left
}

/// When a visitor breaks.
#[derive(Clone, Debug)]
pub(crate) enum Stops {
    Never,
    Always,
    Chance(Rng),
}

/// The face that a witness looks through, for the message of its failure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face<'a> {
    name: &'static str,
    cuts: &'a [usize],
    size: usize,
    breaks: bool,
}

impl<'a> Face<'a> {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, cuts: &[], size: 0, breaks: false }
    }

    pub(crate) const fn cut(mut self, cuts: &'a [usize]) -> Self {
        self.cuts = cuts;
        self
    }

    pub(crate) const fn sized(mut self, size: usize) -> Self {
        self.size = size;
        self
    }

    pub(crate) const fn breaking(mut self, stops: &Stops) -> Self {
        self.breaks = !matches!(stops, Stops::Never);
        self
    }
}

impl fmt::Display for Face<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if !self.cuts.is_empty() {
            let more = if self.cuts.len() > 40 { ", ..." } else { "" };
            write!(f, ", cut at {:?}{more}", &self.cuts[..self.cuts.len().min(40)])?;
        }
        if self.size > 0 {
            write!(f, ", buffer of {}", self.size)?;
        }
        if self.breaks { f.write_str(", breaking") } else { Ok(()) }
    }
}

/// A value that comes in parts.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    start: usize,
    end: usize,
}

/// Expects certain records, through a face that it can name.
pub(crate) struct Witness<'a> {
    case: &'a Case<'a>,
    expected: &'a [Record<'a>],
    face: Face<'a>,
    seen: usize,
    plan: Plan,
    stops: Stops,
    enters: u64,
    nodes: u64,
    properties: u64,
    pieces: Option<Pieces>,
}

impl<'a> Witness<'a> {
    pub(crate) fn new(case: &'a Case<'a>, expected: &'a [Record<'a>], face: Face<'a>) -> Self {
        let (plan, stops) = (Plan::Read, Stops::Never);
        Self { case, expected, face, seen: 0, plan, stops, enters: 0, nodes: 0, properties: 0, pieces: None }
    }

    pub(crate) fn answering(mut self, plan: Plan) -> Self {
        self.plan = plan;
        self
    }

    pub(crate) fn stopping(mut self, stops: Stops) -> Self {
        self.stops = stops;
        self
    }

    /// How many records were seen.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    pub(crate) fn see(&mut self, got: &Record<'_>) {
        if self.expected.get(self.seen) != Some(got) {
            self.fail(&got.to_string());
        }
        self.seen += 1;
    }

    pub(crate) fn see_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Enter(tree) => self.see(&enter(*tree)),
            Event::Node(it) => self.see(&node(*it)),
            Event::Property(it) => {
                self.identifier(it);
                self.see(&property(it));
            }
            Event::Value(it) => self.see(&value(it)),
            Event::Exit(end) => self.see(&exit(*end)),
            Event::Problem(it) => self.see(&problem(it)),
            _ => self.fail(&format!("{event:?}")),
        }
    }

    pub(crate) fn end(&self) {
        if self.seen < self.expected.len() {
            self.fail("nothing more");
        }
    }

    /// Panics with what was expected around here.
    pub(crate) fn fail(&self, got: &str) -> ! {
        let around = |range: std::ops::Range<usize>| {
            let lines = self.expected[range].iter().map(|record| format!("\n      {record}"));
            lines.collect::<String>()
        };
        let before = around(self.seen.saturating_sub(6)..self.seen);
        let after = around(self.seen..self.expected.len().min(self.seen + 4));
        let shown = &self.case.input[..self.case.input.len().min(600)];
        panic!(
            "{}, {:?}: after {} records\n    input ({} bytes): {}\n    seen:{before}\n    expected:{after}\n    got:\n      {got}\n",
            self.face,
            self.plan,
            self.seen,
            self.case.input.len(),
            shown.escape_ascii(),
        );
    }

    fn flow<T>(&mut self, may_stop: bool, go_on: T) -> ControlFlow<(), T> {
        let stop = may_stop
            && match &mut self.stops {
                Stops::Never => false,
                Stops::Always => true,
                Stops::Chance(rng) => rng.one_in(3),
            };
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(go_on) }
    }

    fn identifier(&self, property: &Property<'_>) {
        let ident = property.ident();
        if !ident.bytes().eq(canonical(property.raw())) {
            self.fail(&format!("the identifier {ident} for {}", property.raw().escape_ascii()));
        }
    }

    /// The end of the unit that begins at `at`: an escape, a line break, a character.
    fn unit(&self, at: usize) -> usize {
        let rest = &self.case.input[at..];
        match rest {
            [b'\\', _, ..] => self.unit_plain(at + 1),
            _ => self.unit_plain(at),
        }
    }

    fn unit_plain(&self, at: usize) -> usize {
        let rest = &self.case.input[at..];
        match rest {
            [b'\r', b'\n', ..] | [b'\n', b'\r', ..] => at + 2,
            _ => {
                let whole = (2..=4).find(|&len| rest.get(..len).is_some_and(|it| is_character(it)));
                at + whole.unwrap_or(1)
            }
        }
    }
}

fn is_character(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1)
}

fn enter(tree: Tree) -> Record<'static> {
    Record::Enter { at: tree.position(), depth: tree.depth(), first_child: tree.is_first_child() }
}

fn node(node: Node) -> Record<'static> {
    Record::Node { at: node.position(), implied: node.is_implied(), after_variation: node.is_after_variation() }
}

fn property<'b>(property: &Property<'b>) -> Record<'b> {
    Record::Property { at: property.position(), raw: property.raw() }
}

fn value<'b>(value: &Value<'b>) -> Record<'b> {
    Record::Value { at: value.position(), raw: value.raw() }
}

fn exit(end: TreeEnd) -> Record<'static> {
    Record::Exit { at: end.position(), depth: end.depth(), implicit: end.is_implicit() }
}

fn problem(problem: &Problem) -> Record<'static> {
    let (at, span) = (problem.position(), problem.span());
    assert_eq!(span.start, at.offset, "a span starts at its position");
    Record::Problem { kind: problem.kind(), at, len: span.len() }
}

impl Visitor for Witness<'_> {
    type Break = ();

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<(), Descend> {
        self.see(&enter(tree));
        self.enters += 1;
        self.flow(self.plan.takes_defaults(), self.plan.enter(self.enters - 1))
    }

    fn node(&mut self, it: Node) -> ControlFlow<(), Step> {
        self.see(&node(it));
        self.nodes += 1;
        self.flow(self.plan.takes_defaults(), self.plan.node(self.nodes - 1))
    }

    fn property(&mut self, it: Property<'_>) -> ControlFlow<(), Deliver> {
        self.identifier(&it);
        self.see(&property(&it));
        self.properties += 1;
        self.flow(self.plan.takes_defaults(), self.plan.property(self.properties - 1))
    }

    fn value(&mut self, it: Value<'_>) -> ControlFlow<()> {
        if self.plan.property(self.properties.wrapping_sub(1)) != Deliver::Whole {
            self.fail("a value whole where that was not asked for");
        }
        self.see(&value(&it));
        self.flow(true, ())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<()> {
        if self.plan.property(self.properties.wrapping_sub(1)) != Deliver::Parts {
            self.fail("a part where that was not asked for");
        }
        let at = part.position().offset as usize;
        let pieces = self.pieces.unwrap_or(Pieces { start: at, end: at });
        let end = at + part.raw().len();
        if at != pieces.end
            || part.position() != self.case.lines.at(at)
            || self.case.input.get(at..end) != Some(part.raw())
        {
            self.fail(&format!("a part that does not join: {part:?} after {pieces:?}"));
        }
        if part.is_last() {
            self.pieces = None;
            let raw = &self.case.input[pieces.start..end];
            self.see(&Record::Value { at: self.case.lines.at(pieces.start), raw });
        } else {
            if at == end {
                self.fail("an empty part before the last");
            }
            // Every earlier part ended with a unit, so walking may begin here.
            let mut unit = at;
            while unit < end {
                unit = self.unit(unit);
            }
            if unit != end {
                self.fail(&format!("a part that ends inside a unit, at {end}"));
            }
            self.pieces = Some(Pieces { start: pieces.start, end });
        }
        self.flow(true, ())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
        self.see(&exit(end));
        self.flow(true, ())
    }

    fn problem(&mut self, it: &Problem) -> ControlFlow<()> {
        if let Some(pieces) = self.pieces.take() {
            // Only the end of the input may take parts back.
            if it.kind() != ProblemKind::UnexpectedEof || it.position().offset as usize + 1 != pieces.start {
                self.fail(&format!("{it:?} in the middle of parts"));
            }
        }
        self.see(&problem(it));
        self.flow(true, ())
    }
}

/// Writes down what it is told, for readings that the oracle cannot make. Parts are joined.
pub(crate) struct Recorder<'a> {
    input: &'a [u8],
    plan: Plan,
    enters: u64,
    nodes: u64,
    properties: u64,
    /// Where the value in parts begins.
    parts: Option<Position>,
    pub(crate) records: Vec<Record<'a>>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        Self { input, plan: Plan::Read, enters: 0, nodes: 0, properties: 0, parts: None, records: Vec::new() }
    }

    pub(crate) fn answering(mut self, plan: Plan) -> Self {
        self.plan = plan;
        self
    }

    /// The same bytes in the input.
    fn own(&self, offset: u64, raw: &[u8]) -> &'a [u8] {
        let own = &self.input[offset as usize..][..raw.len()];
        assert_eq!(own, raw, "an event holds the bytes of its place");
        own
    }
}

impl Visitor for Recorder<'_> {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.records.push(enter(tree));
        self.enters += 1;
        ControlFlow::Continue(self.plan.enter(self.enters - 1))
    }

    fn node(&mut self, it: Node) -> ControlFlow<Infallible, Step> {
        self.records.push(node(it));
        self.nodes += 1;
        ControlFlow::Continue(self.plan.node(self.nodes - 1))
    }

    fn property(&mut self, it: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        let raw = self.own(it.position().offset, it.raw());
        self.records.push(Record::Property { at: it.position(), raw });
        self.properties += 1;
        ControlFlow::Continue(self.plan.property(self.properties - 1))
    }

    fn value(&mut self, it: Value<'_>) -> ControlFlow<Infallible> {
        let raw = self.own(it.position().offset, it.raw());
        self.records.push(Record::Value { at: it.position(), raw });
        ControlFlow::Continue(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        let at = *self.parts.get_or_insert(part.position());
        if part.is_last() {
            self.parts = None;
            let end = part.position().offset as usize + part.raw().len();
            self.records.push(Record::Value { at, raw: &self.input[at.offset as usize..end] });
        }
        ControlFlow::Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        self.records.push(exit(end));
        ControlFlow::Continue(())
    }

    fn problem(&mut self, it: &Problem) -> ControlFlow<Infallible> {
        self.parts = None;
        self.records.push(problem(it));
        ControlFlow::Continue(())
    }
}
