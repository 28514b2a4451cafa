//! The visitors whose speed is measured.

use std::convert::Infallible;
use std::ops::ControlFlow::{self, Continue};

use sgf_stream::{
    Deliver, Descend, Event, Ident, Node, Partial, Problem, Property, Step, Tree, TreeEnd, Value, Visitor,
};

/// How often each event occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) games: u64,
    pub(crate) trees: u64,
    pub(crate) nodes: u64,
    pub(crate) properties: u64,
    pub(crate) values: u64,
    pub(crate) problems: u64,
}

impl Tally {
    pub(crate) const fn new(games: u64, trees: u64, nodes: u64, properties: u64, values: u64, problems: u64) -> Self {
        Self { games, trees, nodes, properties, values, problems }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.games += other.games;
        self.trees += other.trees;
        self.nodes += other.nodes;
        self.properties += other.properties;
        self.values += other.values;
        self.problems += other.problems;
    }

    /// Counts an event of an iterator.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Enter(tree) => {
                self.trees += 1;
                self.games += u64::from(tree.depth() == 1);
            }
            Event::Node(_) => self.nodes += 1,
            Event::Property(_) => self.properties += 1,
            Event::Value(_) => self.values += 1,
            Event::Problem(_) => self.problems += 1,
            _ => {}
        }
    }
}

/// Counts every event, which is the least that a visitor of everything does.
#[derive(Debug, Default)]
pub(crate) struct Count(pub(crate) Tally);

impl Visitor for Count {
    type Break = Infallible;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.0.trees += 1;
        self.0.games += u64::from(tree.depth() == 1);
        Continue(Descend::Into)
    }

    #[inline]
    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        self.0.nodes += 1;
        Continue(Step::Read)
    }

    #[inline]
    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.0.properties += 1;
        Continue(Deliver::Whole)
    }

    #[inline]
    fn value(&mut self, _: Value<'_>) -> ControlFlow<Infallible> {
        self.0.values += 1;
        Continue(())
    }

    #[inline]
    fn problem(&mut self, _: &Problem) -> ControlFlow<Infallible> {
        self.0.problems += 1;
        Continue(())
    }
}

impl Partial for Count {
    fn rest(&mut self) -> Self {
        Self::default()
    }
}

/// Hashes the moves of each game as an indexer would, with one multiplication per move. With one per byte, as in FNV-1a, the
/// hash would take as long as the reader, because each multiplication waits for the one before.
#[derive(Debug, Default)]
pub(crate) struct Hash {
    pub(crate) moves: u64,
    pub(crate) digest: u64,
    is_move: bool,
}

impl Visitor for Hash {
    type Break = Infallible;

    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.is_move = matches!(property.ident(), Ident::B | Ident::W);
        Continue(if self.is_move { Deliver::Whole } else { Deliver::Skip })
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.moves += 1;
        let mut add = |word: u64| self.digest = (self.digest.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if let Ok(point) = <[u8; 2]>::try_from(value.raw()) {
            add(u64::from(u16::from_le_bytes(point)));
        } else {
            value.raw().iter().for_each(|&byte| add(u64::from(byte)));
        }
        Continue(())
    }

    #[inline]
    fn exit_tree(&mut self, _: TreeEnd) -> ControlFlow<Infallible> {
        self.digest = self.digest.rotate_left(1);
        Continue(())
    }
}

/// Skips every game.
#[derive(Debug, Default)]
pub(crate) struct Over(pub(crate) u64);

impl Visitor for Over {
    type Break = Infallible;

    #[inline]
    fn enter_tree(&mut self, _: Tree) -> ControlFlow<Infallible, Descend> {
        self.0 += 1;
        Continue(Descend::Over)
    }
}

/// Reads the root node of every game and skips the rest.
#[derive(Debug, Default)]
pub(crate) struct Headers {
    pub(crate) games: u64,
    pub(crate) values: u64,
    in_game: bool,
}

impl Visitor for Headers {
    type Break = Infallible;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        if tree.depth() == 1 {
            self.games += 1;
            self.in_game = false;
        }
        Continue(Descend::Into)
    }

    #[inline]
    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        let again = std::mem::replace(&mut self.in_game, true);
        Continue(if again { Step::SkipGame } else { Step::Read })
    }

    #[inline]
    fn value(&mut self, _: Value<'_>) -> ControlFlow<Infallible> {
        self.values += 1;
        Continue(())
    }
}

/// Counts properties and takes no value.
#[derive(Debug, Default)]
pub(crate) struct NoValues(pub(crate) u64);

impl Visitor for NoValues {
    type Break = Infallible;

    #[inline]
    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.0 += 1;
        Continue(Deliver::Skip)
    }
}
