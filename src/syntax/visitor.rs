//! What a reader of events implements.
//!
//! Owns [`Visitor`] and its adapters. Knows nothing of chunks, sources or the engine.

use std::ops::ControlFlow;

use crate::syntax::{Deliver, Descend, Moves, Node, Part, Problem, Property, Step, Tree, TreeEnd, Value};

/// Receives the events of reading, in the order of the document.
///
/// Every method has a default that does nothing, reads on and costs nothing once inlined, so a visitor writes down only
/// what it cares for. Enters and exits balance on every input. A problem comes right before the event it concerns.
///
/// `Break` is what stopping early hands back; a visitor that never stops says [`Infallible`](std::convert::Infallible).
/// Reading can go on after a break, with the event that follows.
///
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
/// use sgf_stream::{Deliver, Ident, Property, Value, Visitor};
///
/// #[derive(Default)]
/// struct Names(Vec<String>);
///
/// impl Visitor for Names {
///     type Break = Infallible;
///
///     fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
///         ControlFlow::Continue(match property.ident() {
///             Ident::PB | Ident::PW => Deliver::Whole,
///             _ => Deliver::Skip,
///         })
///     }
///
///     fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
///         self.0.push(value.simple_text().into_owned());
///         ControlFlow::Continue(())
///     }
/// }
///
/// let mut names = Names::default();
/// let _ = sgf_stream::read_slice(b"(;PB[Kato Masao]PW[Cho Chikun];B[pd])", &mut names)?;
/// assert_eq!(names.0, ["Kato Masao", "Cho Chikun"]);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[allow(unused_variables)]
pub trait Visitor {
    /// What stopping early hands back.
    type Break;

    /// A game tree begins.
    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Self::Break, Descend> {
        ControlFlow::Continue(Descend::Into)
    }

    /// A node begins.
    #[inline]
    fn node(&mut self, node: Node) -> ControlFlow<Self::Break, Step> {
        ControlFlow::Continue(Step::Read)
    }

    /// A property begins; the answer says how its values come.
    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
        ControlFlow::Continue(Deliver::Whole)
    }

    /// A value of the last property, whole.
    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }

    /// A piece of a value of the last property, if that was answered with [`Deliver::Parts`].
    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }

    /// Moves that can be told at once, for visitors to whom a call for each event costs more than what they do with it. With
    /// `None`, as by default, they are told one by one. Otherwise they count as told, and the answer is that to the property
    /// of the last of them, of which more values may follow.
    ///
    /// Nobody may rely on it: the same moves are told one by one where a chunk ends between them, or a line. After a break
    /// reading goes on behind the last of them.
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use std::ops::ControlFlow::{self, Continue};
    /// use sgf_stream::{Deliver, Moves, Node, Step, Visitor};
    ///
    /// struct Nodes(usize);
    ///
    /// impl Visitor for Nodes {
    ///     type Break = Infallible;
    ///
    ///     fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
    ///         self.0 += 1;
    ///         Continue(Step::Read)
    ///     }
    ///
    ///     fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<Infallible, Option<Deliver>> {
    ///         self.0 += moves.len();
    ///         Continue(Some(Deliver::Whole))
    ///     }
    /// }
    ///
    /// let mut nodes = Nodes(0);
    /// let _ = sgf_stream::read_slice(format!("(;{})", ";B[pd];W[dd]".repeat(50)).as_bytes(), &mut nodes)?;
    /// assert_eq!(nodes.0, 101);
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    #[inline]
    fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<Self::Break, Option<Deliver>> {
        ControlFlow::Continue(None)
    }

    /// A game tree ends: one call for every enter, skipped or not.
    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }

    /// Something was wrong. The default reads on: whoever wants to know about damage must look here, or read strictly.
    #[inline]
    fn problem(&mut self, problem: &Problem) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }
}

impl Value<'_> {
    /// Hands a whole value to a visitor as it has asked for it: for adapters that must see it whole themselves.
    pub(crate) fn hand_to<V: Visitor + ?Sized>(self, answer: Deliver, visitor: &mut V) -> ControlFlow<V::Break> {
        let Self { position, writing, raw } = self;
        match answer {
            Deliver::Whole => visitor.value(self),
            Deliver::Parts => visitor.part(Part { position, writing, raw, last: true, recoded: false }),
            Deliver::Skip => ControlFlow::Continue(()),
        }
    }
}

impl<V: Visitor + ?Sized> Visitor for &mut V {
    type Break = V::Break;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Self::Break, Descend> {
        (**self).enter_tree(tree)
    }

    #[inline]
    fn node(&mut self, node: Node) -> ControlFlow<Self::Break, Step> {
        (**self).node(node)
    }

    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
        (**self).property(property)
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<Self::Break> {
        (**self).value(value)
    }

    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<Self::Break> {
        (**self).part(part)
    }

    #[inline]
    fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<Self::Break, Option<Deliver>> {
        (**self).moves(moves)
    }

    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Self::Break> {
        (**self).exit_tree(end)
    }

    #[inline]
    fn problem(&mut self, problem: &Problem) -> ControlFlow<Self::Break> {
        (**self).problem(problem)
    }
}
