//! What skipping through a block finds.
//!
//! Owns [`Search`], the visitor that finds where the last game begins, and [`Sample`], by which skipping turns out to
//! cost as much as reading. Refuses to know what a block is, and where it is cut.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::syntax::{Descend, Node, Position, Step, Tree, TreeEnd, Visitor};

/// The visitor that finds the beginning of the last game.
#[derive(Debug, Default)]
pub(super) struct Search {
    last: Option<Position>,
    /// The last game ended where the next one began, so its reader must know that one.
    implicit: bool,
    trees: u64,
}

impl Search {
    /// How many trees were skipped.
    pub(super) fn trees(&self) -> u64 {
        self.trees
    }

    /// Where the last game begins, if it is not before this offset; it is forgotten then.
    pub(super) fn take_from(&mut self, first: u64) -> Option<Position> {
        self.last.take_if(|last| last.offset >= first)
    }
}

impl Visitor for Search {
    type Break = Infallible;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Self::Break, Descend> {
        self.trees += 1;
        if tree.depth() == 1 {
            self.last = (!self.implicit).then_some(tree.position());
        }
        ControlFlow::Continue(Descend::Over)
    }

    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Self::Break> {
        self.implicit = end.is_implicit();
        ControlFlow::Continue(())
    }

    /// For a game that another parser has begun to read.
    #[inline]
    fn node(&mut self, _: Node) -> ControlFlow<Self::Break, Step> {
        ControlFlow::Continue(Step::SkipTree)
    }
}

/// What was skipped of a block so far.
pub(super) struct Sample {
    /// How many things had been skipped one by one before it.
    steps: u64,
    /// How many bytes were skipped through.
    len: usize,
}

impl Sample {
    /// Below this many bytes for each thing that is skipped one by one, skipping costs as much as reading. Even archives
    /// of problems have twice as many.
    const CROWDED: u64 = 48;

    /// How many bytes are skipped through before that can be said of a block.
    pub(super) const LEN: usize = 128 << 10;

    /// After how many bytes it is asked again.
    pub(super) const PIECE: usize = 64 << 10;

    /// Before it, so many things had been skipped one by one.
    pub(super) fn behind(steps: u64) -> Self {
        Self { steps, len: 0 }
    }

    pub(super) fn add(&mut self, len: usize) {
        self.len += len;
    }

    /// Whether skipping through it has cost as much as reading will. `steps`: how many things were skipped by now.
    pub(super) fn is_crowded(&self, steps: u64) -> bool {
        steps.saturating_sub(self.steps) * Self::CROWDED > self.len as u64
    }

    /// Whether it says anything, in blocks of this length.
    pub(super) fn is_enough(&self, block_len: usize) -> bool {
        self.len >= Self::LEN.min(block_len)
    }
}
