//! A visitor that records all events.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::{Deliver, Descend, Node, Part, Position, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};

use super::oracle::Record;
use super::plan::Plan;
use super::witness::{enter, exit, node, problem};

/// Records all events, for readings that the oracle cannot make. Parts are joined.
pub(crate) struct Recorder<'a> {
    input: &'a [u8],
    plan: Plan,
    enters: u64,
    nodes: u64,
    properties: u64,
    /// The start of the value whose parts are being joined.
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

    /// Splits off a recorder that continues in the same value.
    pub(crate) fn rest_of_value(&mut self) -> Self {
        Self { parts: self.parts.take(), ..Self::new(self.input) }
    }

    /// These bytes in the input.
    fn own(&self, offset: u64, raw: &[u8]) -> &'a [u8] {
        let own = &self.input[offset as usize..][..raw.len()];
        assert_eq!(own, raw, "an event has other bytes than the input at its position");
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
