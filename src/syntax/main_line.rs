//! The main line of each game, for visitors that want no variations.
//!
//! Owns [`MainLine`], which remembers nothing but the depth: the first child is the one that comes first.

use std::ops::ControlFlow;

use crate::syntax::{Deliver, Descend, Moves, Node, Part, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};

/// Hands on the main line of each game: at every fork, the nodes that the first child leads to.
///
/// Variations are skipped at skip speed, so a wide joseki tree costs little more than its first line. The enters and
/// exits that are handed on balance. The inner visitor sees nothing of a variation, not even an enter and an exit.
///
/// In `A (B) C`, the first child in document order is B, as SGFC reads it; C is left out. In the reading of the CWI
/// notes C comes first, but no reader can know that while B goes by. The problem `node-after-variation` shows where the
/// two readings differ. [`GameRecord::line`](crate::record::GameRecord::line) reads the CWI way: there the line is A and
/// C. [`Paths`](crate::semantics::Paths) knows both readings.
#[derive(Clone, Debug)]
pub struct MainLine<V> {
    inner: V,
    /// Depth of the variation that is being skipped, or 0.
    over: u64,
}

impl<V> MainLine<V> {
    /// An adapter around `inner`.
    pub const fn new(inner: V) -> Self {
        Self { inner, over: 0 }
    }

    /// The visitor inside.
    pub const fn inner(&self) -> &V {
        &self.inner
    }

    /// The visitor inside, to be changed where reading has stopped.
    pub const fn inner_mut(&mut self) -> &mut V {
        &mut self.inner
    }

    /// The visitor inside.
    pub fn into_inner(self) -> V {
        self.inner
    }
}

impl<V: Visitor> Visitor for MainLine<V> {
    type Break = V::Break;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<V::Break, Descend> {
        if tree.is_first_child() {
            if tree.depth() == 1 {
                // Whatever was being skipped belonged to another game, or to an input that was given up.
                self.over = 0;
            }
            return self.inner.enter_tree(tree);
        }
        self.over = tree.depth();
        ControlFlow::Continue(Descend::Over)
    }

    #[inline]
    fn node(&mut self, node: Node) -> ControlFlow<V::Break, Step> {
        if node.is_after_variation() {
            return ControlFlow::Continue(Step::SkipTree);
        }
        self.inner.node(node)
    }

    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<V::Break, Deliver> {
        self.inner.property(property)
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<V::Break> {
        self.inner.value(value)
    }

    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<V::Break> {
        self.inner.part(part)
    }

    /// Moves come together only where no variation has ended before them in their tree.
    #[inline]
    fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<V::Break, Option<Deliver>> {
        self.inner.moves(moves)
    }

    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<V::Break> {
        if self.over == end.depth() {
            self.over = 0;
            return ControlFlow::Continue(());
        }
        self.inner.exit_tree(end)
    }

    #[inline]
    fn problem(&mut self, problem: &Problem) -> ControlFlow<V::Break> {
        self.inner.problem(problem)
    }
}
