//! Counting nodes, properties and values, whatever their number.
//!
//! Owns the sums, and the shape of a game that makes them cheap. A counter in memory that every event adds to bounds the
//! speed of reading: each addition waits for the one before. So only properties are counted one by one, which go to many
//! counters, by their identifiers. Usually a node has one property, a property one value, and a value two bytes, as in
//! `;B[pd]`; of nodes, values and bytes only what differs from that is counted. Refuses to know what a property means.

use sgf_stream::{Moves, Property};

use crate::tally::Idents;

/// Counts in a part of what is there.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(crate) idents: Idents,
    last: Last,
    empty_nodes: u64,
    /// Properties that are not the first of their node.
    further_properties: u64,
    /// Properties without a value.
    bare_properties: u64,
    /// Values that are not the first of their property.
    further_values: u64,
    /// Bytes of values, less two for each value; wraps around.
    more_bytes: u64,
    /// Bytes so far of the value in progress, which are counted but may turn out to have no end.
    pending: u64,
}

/// The last of the events that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// A game's beginning.
    Game,
    Node,
    Property,
    Value,
}

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) nodes: u64,
    pub(crate) properties: u64,
    pub(crate) values: u64,
    pub(crate) value_bytes: u64,
}

/// The bytes of a value that is a point.
const POINT: u64 = 2;

impl Counter {
    pub(crate) fn new(idents: Idents) -> Self {
        Self {
            idents,
            last: Last::Value,
            empty_nodes: 0,
            further_properties: 0,
            bare_properties: 0,
            further_values: 0,
            more_bytes: 0,
            pending: 0,
        }
    }

    /// Goes on from nothing in the same value of the same node.
    pub(crate) fn rest(&mut self) -> Self {
        let last = std::mem::replace(&mut self.last, Last::Value);
        let pending = std::mem::take(&mut self.pending);
        self.more_bytes = self.more_bytes.wrapping_sub(pending);
        Self { last, pending, more_bytes: pending, ..Self::new(Idents::new(usize::MAX)) }
    }

    /// Adds what was counted later.
    pub(crate) fn merge(&mut self, mut later: Self) {
        self.end();
        later.end();
        self.idents.merge(later.idents);
        self.empty_nodes += later.empty_nodes;
        self.further_properties += later.further_properties;
        self.bare_properties += later.bare_properties;
        self.further_values += later.further_values;
        self.more_bytes = self.more_bytes.wrapping_add(later.more_bytes);
    }

    /// A game begins.
    pub(crate) fn game(&mut self) {
        self.end();
        self.last = Last::Game;
    }

    /// A node begins; true for the first one of a game.
    #[inline(always)]
    pub(crate) fn node(&mut self) -> bool {
        let is_root = self.last != Last::Value && self.unusual_node();
        self.last = Last::Node;
        is_root
    }

    #[cold]
    fn unusual_node(&mut self) -> bool {
        let is_root = self.last == Last::Game;
        self.end();
        is_root
    }

    #[inline(always)]
    pub(crate) fn property(&mut self, property: &Property<'_>) {
        if self.last != Last::Node {
            self.further_properties += 1;
            self.bare_properties += u64::from(self.last == Last::Property);
        }
        self.last = Last::Property;
        self.idents.add(property);
    }

    /// Moves one after the other, where a value came last; false where they must be counted one by one.
    #[inline(always)]
    pub(crate) fn moves(&mut self, moves: &Moves<'_>) -> bool {
        if self.last != Last::Value {
            return false;
        }
        // The two letters differ in their last bit, too.
        let colors = moves.raw().as_chunks::<{ Moves::MOVE_LEN }>().0.iter().map(|it| u64::from(it[1] & 1));
        let white = colors.sum();
        self.idents.add_moves(moves.len() as u64 - white, white);
        true
    }

    /// A piece of a value of so many bytes.
    #[inline(always)]
    pub(crate) fn part(&mut self, len: u64, is_last: bool) {
        self.more_bytes = self.more_bytes.wrapping_add(len);
        if !is_last {
            self.pending += len;
            return;
        }
        self.more_bytes = self.more_bytes.wrapping_sub(POINT);
        self.pending = 0;
        if self.last != Last::Property {
            self.further_values += 1;
        }
        self.last = Last::Value;
    }

    /// The node is complete, as far as there is anything of it. A value that has no end by now does not count.
    pub(crate) fn end(&mut self) {
        match self.last {
            Last::Node => self.empty_nodes += 1,
            Last::Property => self.bare_properties += 1,
            Last::Game | Last::Value => {}
        }
        self.last = Last::Value;
        self.more_bytes = self.more_bytes.wrapping_sub(std::mem::take(&mut self.pending));
    }

    pub(crate) fn sums(&mut self) -> Sums {
        self.end();
        let properties = self.idents.total();
        let values = properties - self.bare_properties + self.further_values;
        Sums {
            nodes: properties - self.further_properties + self.empty_nodes,
            properties,
            values,
            value_bytes: (POINT * values).wrapping_add(self.more_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::ops::ControlFlow::{self, Continue};

    use sgf_stream::{Deliver, Descend, Ident, Moves, Node, Parser, Part, Step, Tree, Visitor};

    use super::*;

    /// Counts twice: as it should be, and event by event.
    struct Twice {
        counter: Counter,
        expected: Sums,
        roots: u64,
        bytes: u64,
        moves: usize,
    }

    impl Visitor for Twice {
        type Break = Infallible;

        fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
            if tree.depth() == 1 {
                self.counter.game();
            }
            Continue(Descend::Into)
        }

        fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
            self.expected.nodes += 1;
            self.roots += u64::from(self.counter.node());
            Continue(Step::Read)
        }

        fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
            self.expected.properties += 1;
            self.counter.property(&property);
            Continue(Deliver::Parts)
        }

        fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<Infallible, Option<Deliver>> {
            if !self.counter.moves(&moves) {
                return Continue(None);
            }
            for (_, property, value) in moves.iter() {
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
    fn what_is_usual_and_what_is_not_is_counted() {
        for (input, roots) in [
            (&b""[..], 0),
            (b"(;B[pd];W[dd];B[dp])", 1),
            (b"(;)(;;;)(;A[]B[x]C[long enough to come in parts];;D[a][bc][def];E F[g])", 3),
            (b"(;B W;B;(;A)(;;)B[aa]C)", 1),
            (b"(()(;A[];B[aa]))(C[x])", 2),
            (b"(;C[a value that the input ends in", 1),
            (b"(;A[x];C[a value that the input ends in", 1),
            (b"(;A[x][another one", 1),
            (b"(;A[x];", 1),
            (b"(;A", 1),
        ] {
            for part_len in [1, 2, 3, 7, input.len().max(1)] {
                let nothing = Sums { nodes: 0, properties: 0, values: 0, value_bytes: 0 };
                let counter = Counter::new(Idents::new(usize::MAX));
                let mut twice = Twice { counter, expected: nothing, roots: 0, bytes: 0, moves: 0 };
                let mut total = Counter::new(Idents::new(Idents::CAPACITY));
                let mut parser = Parser::new();
                for part in input.chunks(part_len) {
                    let _ = parser.feed(part, &mut twice).unwrap();
                    let rest = twice.counter.rest();
                    total.merge(std::mem::replace(&mut twice.counter, rest));
                }
                let _ = parser.finish(&mut twice).unwrap();
                total.merge(twice.counter);
                assert_eq!(total.sums(), twice.expected, "{:?}", str::from_utf8(input));
                assert_eq!(twice.roots, roots, "{:?}", str::from_utf8(input));
            }
        }
    }

    #[test]
    fn moves_are_counted_at_once() {
        let input = [&b"(;GM[1]"[..], &b";B[pd];W[dd];W[aa]".repeat(50), b" [bb]C[x])"].concat();
        let nothing = Sums { nodes: 0, properties: 0, values: 0, value_bytes: 0 };
        let counter = Counter::new(Idents::new(usize::MAX));
        let mut twice = Twice { counter, expected: nothing, roots: 0, bytes: 0, moves: 0 };
        let _ = sgf_stream::read_slice(&input, &mut twice).unwrap();
        assert!(twice.moves > 100, "{}", twice.moves);
        assert_eq!(twice.counter.sums(), twice.expected);
        assert_eq!(twice.counter.sums().values, 153);
        let ranking = twice.counter.idents.ranking();
        let count = |name: &str| ranking.iter().find(|(ident, _)| *ident == name).map(|&(_, count)| count);
        assert_eq!([count("B"), count("W"), count("C")], [Some(50), Some(100), Some(1)]);
    }
}
