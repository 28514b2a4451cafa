//! Counting nodes, properties and values, however many there are.
//!
//! Owns the sums. Refuses to know what a property means.

use sgf_stream::{Moves, Property};

use crate::tally::Idents;

/// The counts of a part of the input. Fields that grow together lie apart: neighbours would be added to as a vector,
/// which takes longer.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Counter {
    nodes: u64,
    value_bytes: u64,
    /// Moves that were delivered together, and how many of them are White's; the other counts leave them out.
    moves: u64,
    values: u64,
    white_moves: u64,
    /// The bytes so far of the value in progress. They are counted, but the value may turn out to have no end.
    pending: u64,
    idents: Idents,
}

/// The results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) nodes: u64,
    pub(crate) properties: u64,
    pub(crate) values: u64,
    pub(crate) value_bytes: u64,
}

/// The length of a value that is a point.
const POINT: u64 = 2;

impl Counter {
    pub(crate) fn new(idents: Idents) -> Self {
        Self { nodes: 0, value_bytes: 0, moves: 0, values: 0, white_moves: 0, pending: 0, idents }
    }

    /// Splits off a counter that continues from zero in the same value.
    pub(crate) fn rest(&mut self) -> Self {
        let pending = self.pending;
        self.end();
        Self { value_bytes: pending, pending, ..Self::new(Idents::new(usize::MAX)) }
    }

    /// Adds what was counted later.
    pub(crate) fn merge(&mut self, mut later: Self) {
        self.end();
        later.end();
        self.idents.merge(later.idents);
        self.nodes += later.nodes;
        self.value_bytes += later.value_bytes;
        self.moves += later.moves;
        self.values += later.values;
        self.white_moves += later.white_moves;
    }

    /// A node begins.
    #[inline(always)]
    pub(crate) fn node(&mut self) {
        self.nodes += 1;
    }

    #[inline(always)]
    pub(crate) fn property(&mut self, property: &Property<'_>) {
        self.idents.add(property);
    }

    /// Moves one after the other.
    #[inline(always)]
    pub(crate) fn moves(&mut self, moves: &Moves<'_>) {
        self.moves += moves.len() as u64;
        self.white_moves += moves.white_len() as u64;
    }

    /// Counts a piece of a value.
    #[inline(always)]
    pub(crate) fn part(&mut self, len: u64, is_last: bool) {
        self.value_bytes += len;
        if is_last {
            self.pending = 0;
            self.values += 1;
        } else {
            self.pending += len;
        }
    }

    /// A value without an end by now does not count.
    pub(crate) fn end(&mut self) {
        self.value_bytes -= std::mem::take(&mut self.pending);
    }

    /// Whether there are too many names to go on counting in little memory.
    pub(crate) fn is_full(&self) -> bool {
        self.idents.is_full()
    }

    pub(crate) fn finish(mut self) -> (Sums, Idents) {
        self.end();
        let Self { nodes, value_bytes, moves, values, white_moves, mut idents, .. } = self;
        idents.add_moves(moves - white_moves, white_moves);
        let value_bytes = value_bytes + POINT * moves;
        (Sums { nodes: nodes + moves, properties: idents.total(), values: values + moves, value_bytes }, idents)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::ops::ControlFlow::{self, Continue};

    use sgf_stream::{Deliver, Descend, Ident, Moves, Node, Parser, Part, Step, Tree, Visitor};

    use super::*;

    /// Counts twice: with a `Counter`, and event by event.
    struct Twice {
        counter: Counter,
        expected: Sums,
        bytes: u64,
        moves: usize,
    }

    impl Visitor for Twice {
        type Break = Infallible;

        fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
            if tree.depth() == 1 {
                self.counter.end();
            }
            Continue(Descend::Into)
        }

        fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
            self.expected.nodes += 1;
            self.counter.node();
            Continue(Step::Read)
        }

        fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
            self.expected.properties += 1;
            self.counter.property(&property);
            Continue(Deliver::Parts)
        }

        fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<Infallible, Option<Deliver>> {
            self.counter.moves(&moves);
            for (_, property, value) in moves {
                assert!(matches!(property.ident(), Ident::B | Ident::W));
                self.expected.nodes += 1;
                self.expected.properties += 1;
                self.expected.values += 1;
                self.expected.value_bytes += value.raw().len() as u64;
            }
            self.moves += moves.len();
            Continue(Some(Deliver::Parts))
        }

        fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
            self.bytes += part.raw().len() as u64;
            if part.is_last() {
                self.expected.values += 1;
                self.expected.value_bytes += std::mem::take(&mut self.bytes);
            }
            self.counter.part(part.raw().len() as u64, part.is_last());
            Continue(())
        }
    }

    #[test]
    fn usual_and_unusual_events_are_counted() {
        for input in [
            &b""[..],
            b"(;B[pd];W[dd];B[dp])",
            b"(;)(;;;)(;A[]B[x]C[long enough to come in parts];;D[a][bc][def];E F[g])",
            b"(;B W;B;(;A)(;;)B[aa]C)",
            b"(()(;A[];B[aa]))(C[x])",
            b"(;C[a value that the input ends in",
            b"(;A[x];C[a value that the input ends in",
            b"(;A[x][another one",
            b"(;A[x];",
            b"(;A",
        ] {
            for part_len in [1, 2, 3, 7, input.len().max(1)] {
                let nothing = Sums { nodes: 0, properties: 0, values: 0, value_bytes: 0 };
                let counter = Counter::new(Idents::new(usize::MAX));
                let mut twice = Twice { counter, expected: nothing, bytes: 0, moves: 0 };
                let mut total = Counter::new(Idents::new(Idents::CAPACITY));
                let mut parser = Parser::new();
                for part in input.chunks(part_len) {
                    let _ = parser.feed(part, &mut twice).unwrap();
                    let rest = twice.counter.rest();
                    total.merge(std::mem::replace(&mut twice.counter, rest));
                }
                let _ = parser.finish(&mut twice).unwrap();
                total.merge(twice.counter);
                assert_eq!(total.finish().0, twice.expected, "{:?}", str::from_utf8(input));
            }
        }
    }

    #[test]
    fn moves_are_counted_together() {
        let input = [&b"(;GM[1]"[..], &b";B[pd];W[dd];W[aa]".repeat(50), b" [bb]C[x])"].concat();
        let nothing = Sums { nodes: 0, properties: 0, values: 0, value_bytes: 0 };
        let counter = Counter::new(Idents::new(usize::MAX));
        let mut twice = Twice { counter, expected: nothing, bytes: 0, moves: 0 };
        let _ = sgf_stream::read_slice(&input, &mut twice).unwrap();
        assert!(twice.moves > 100, "{}", twice.moves);
        let (sums, idents) = twice.counter.finish();
        assert_eq!(sums, twice.expected);
        assert_eq!(sums.values, 153);
        let ranking = idents.ranking();
        let count = |name: &str| ranking.iter().find(|(ident, _)| *ident == name).map(|&(_, count)| count);
        assert_eq!([count("B"), count("W"), count("C")], [Some(50), Some(100), Some(1)]);
    }
}
