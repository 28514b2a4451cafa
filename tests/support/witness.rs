//! Visitors that compare events with the expected ones.
//!
//! Owns [`Witness`], which panics at the first difference and shows its surroundings, and the promises about parts.

use std::fmt;
use std::ops::ControlFlow;

use sgf_stream::{
    Deliver, Descend, Event, Moves, Node, Part, Position, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value,
    Visitor,
};

use super::faces::Case;
use super::oracle::{Record, canonical};
use super::plan::Plan;
use super::rng::Rng;

/// When a visitor breaks.
#[derive(Clone, Debug)]
pub(crate) enum Stops {
    Never,
    Always,
    Chance(Rng),
}

/// The face through which a witness reads, for failure messages.
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

/// A value in parts.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    place: Position,
    start: usize,
    end: usize,
}

/// Expects certain records from a face.
pub(crate) struct Witness<'a> {
    case: &'a Case<'a>,
    expected: &'a [Record<'a>],
    face: Face<'a>,
    seen: usize,
    plan: Plan,
    stops: Stops,
    takes_moves: bool,
    enters: u64,
    nodes: u64,
    properties: u64,
    pieces: Option<Pieces>,
}

impl<'a> Witness<'a> {
    pub(crate) fn new(case: &'a Case<'a>, expected: &'a [Record<'a>], face: Face<'a>) -> Self {
        let (plan, stops) = (Plan::Read, Stops::Never);
        Self {
            case,
            expected,
            face,
            seen: 0,
            plan,
            stops,
            takes_moves: false,
            enters: 0,
            nodes: 0,
            properties: 0,
            pieces: None,
        }
    }

    pub(crate) fn answering(mut self, plan: Plan) -> Self {
        self.plan = plan;
        self
    }

    pub(crate) fn stopping(mut self, stops: Stops) -> Self {
        self.stops = stops;
        self
    }

    /// Takes moves together. Only for a visitor that reads everything and never breaks.
    pub(crate) fn taking_moves(mut self) -> Self {
        self.takes_moves = true;
        self
    }

    /// How many records have been seen.
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

    /// Panics, and shows the records expected around here.
    pub(crate) fn fail(&self, got: &str) -> ! {
        let around = |range: std::ops::Range<usize>| {
            let lines = self.expected[range].iter().map(|record| format!("\n      {record}"));
            lines.collect::<String>()
        };
        let before = around(self.seen.saturating_sub(6)..self.seen);
        let after = around(self.seen..self.expected.len().min(self.seen + 4));
        let shown = &self.case.input[..self.case.input.len().min(600)];
        panic!(
            "{}, {:?}: after {} records\n    input ({} bytes): {}\n    seen:{before}\n    expected:{after}\n    \
             got:\n      {got}\n",
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

    /// The end of the unit that begins at `at`: an escape, a line break or a character.
    fn unit(&self, at: usize) -> usize {
        let rest = &self.case.text[at..];
        match rest {
            [b'\\', _, ..] => self.unit_plain(at + 1),
            _ => self.unit_plain(at),
        }
    }

    fn unit_plain(&self, at: usize) -> usize {
        let rest = &self.case.text[at..];
        match rest {
            [b'\r', b'\n', ..] | [b'\n', b'\r', ..] => at + 2,
            _ => {
                let whole = (2..=4).find(|&len| rest.get(..len).is_some_and(is_character));
                at + whole.unwrap_or(1)
            }
        }
    }
}

fn is_character(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1)
}

pub(crate) fn enter(tree: Tree) -> Record<'static> {
    let (first_child, implied) = (tree.is_first_child(), tree.is_implied());
    Record::Enter { at: tree.position(), depth: tree.depth(), first_child, implied }
}

pub(crate) fn node(node: Node) -> Record<'static> {
    Record::Node { at: node.position(), implied: node.is_implied(), after_variation: node.is_after_variation() }
}

pub(crate) fn property<'b>(property: &Property<'b>) -> Record<'b> {
    Record::Property { at: property.position(), raw: property.raw() }
}

fn value<'b>(value: &Value<'b>) -> Record<'b> {
    Record::Value { at: value.position(), raw: value.raw() }
}

pub(crate) fn exit(end: TreeEnd) -> Record<'static> {
    Record::Exit { at: end.position(), depth: end.depth(), implicit: end.is_implicit() }
}

pub(crate) fn problem(problem: &Problem) -> Record<'static> {
    let (at, span) = (problem.position(), problem.span());
    assert_eq!(span.start, at.offset, "a span that does not start at its position");
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

    fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<(), Option<Deliver>> {
        if !self.takes_moves {
            return ControlFlow::Continue(None);
        }
        for (node, property, value) in moves {
            assert_eq!(self.node(node)?, Step::Read);
            assert_eq!(self.property(property)?, Deliver::Whole);
            self.value(value)?;
        }
        ControlFlow::Continue(Some(Deliver::Whole))
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
        let source = part.position().offset as usize;
        let at = self.case.text_offset(source);
        let pieces = self.pieces.unwrap_or(Pieces { place: part.position(), start: at, end: at });
        let end = at + part.raw().len();
        if at != pieces.end
            || part.position() != self.case.lines.at(source)
            || self.case.text.get(at..end) != Some(part.raw())
        {
            self.fail(&format!("a part that does not join: {part:?} after {pieces:?}"));
        }
        if part.is_last() {
            self.pieces = None;
            let raw = &self.case.text[pieces.start..end];
            self.see(&Record::Value { at: pieces.place, raw });
        } else {
            if at == end {
                self.fail("an empty part before the last");
            }
            // Earlier parts end with whole units, so units can be counted from here.
            let mut unit = at;
            while unit < end {
                unit = self.unit(unit);
            }
            if unit != end {
                self.fail(&format!("a part that ends inside a unit, at {end}"));
            }
            self.pieces = Some(Pieces { end, ..pieces });
        }
        self.flow(true, ())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
        self.see(&exit(end));
        self.flow(true, ())
    }

    fn problem(&mut self, it: &Problem) -> ControlFlow<()> {
        if let Some(pieces) = self.pieces.take() {
            // Parts may lack their end only at the end of the input or of a truncated game.
            if !matches!(it.kind(), ProblemKind::UnexpectedEof | ProblemKind::UnterminatedValue)
                || self.case.text_offset(it.position().offset as usize) + 1 != pieces.start
            {
                self.fail(&format!("{it:?} in the middle of parts"));
            }
        }
        self.see(&problem(it));
        self.flow(true, ())
    }
}
