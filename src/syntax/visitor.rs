//! What a reader of events implements.
//!
//! Owns [`Visitor`], its implementations for `&mut V` and `Box<V>`, and which method a value is handed to. Knows nothing of
//! chunks, sources or the engine.

use std::ops::ControlFlow;

use crate::syntax::{Deliver, Descend, Moves, Node, Part, Problem, Property, Step, Tree, TreeEnd, Value};

/// Receives the events of reading, in the order of the document.
///
/// Every method has a default that does nothing, reads on, and costs nothing once inlined. So a visitor implements only
/// what it needs. Enters and exits balance on every input. A problem comes right before the event it concerns.
///
/// `Break` is the value that is handed back when the visitor stops early. A visitor that never stops uses
/// [`Infallible`](std::convert::Infallible). After a break, reading can go on with the event that follows. A method that
/// breaks has not answered, so the default answer counts: the tree is entered, the values come whole. A visitor that
/// panics is no such break: see [`Parser`](crate::Parser#panics-of-a-visitor).
///
/// An adapter, which is a visitor around another one, forwards every method but [`moves`](Self::moves), whose default has
/// the moves delivered one by one: any other default that is left in place swallows what is meant for the inner one.
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
/// let ControlFlow::Continue(()) = sgf_stream::read_slice(b"(;PB[Kato Masao]PW[Cho Chikun];B[pd])", &mut names)?;
/// assert_eq!(names.0, ["Kato Masao", "Cho Chikun"]);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
///
/// # Code size
///
/// The reader is compiled once for each type of visitor, so that its methods are inlined. A program with many visitors, of
/// which few need that speed, can have all others read through one type, `&mut dyn Visitor<Break = B>`:
///
/// ```
/// # use std::convert::Infallible;
/// # use std::ops::ControlFlow;
/// # use sgf_stream::{Node, Step, Visitor};
/// # #[derive(Default)]
/// # struct Nodes(u64);
/// #
/// # impl Visitor for Nodes {
/// #     type Break = Infallible;
/// #
/// #     fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
/// #         self.0 += 1;
/// #         ControlFlow::Continue(Step::Read)
/// #     }
/// # }
/// #
/// let mut nodes = Nodes::default();
/// let mut visitor: &mut dyn Visitor<Break = Infallible> = &mut nodes;
/// let ControlFlow::Continue(()) = sgf_stream::read_slice(b"(;B[pd];W[dd])", &mut visitor)?;
/// assert_eq!(nodes.0, 2);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[allow(unused_variables)]
pub trait Visitor {
    /// What is handed back when the visitor stops early. With [`Infallible`](std::convert::Infallible) it never does, and
    /// `let ControlFlow::Continue(()) = …;` takes whatever reading returns.
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

    /// A property begins; the answer says how its values are delivered.
    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
        ControlFlow::Continue(Deliver::Whole)
    }

    /// A value of the last property, whole.
    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }

    /// A piece of a value of the last property, if the answer to that was [`Deliver::Parts`].
    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }

    /// Several moves in one call, for visitors that do so little with an event that a call for each would cost more. If
    /// the answer is `None`, the default, the moves are delivered one by one instead. Otherwise they count as
    /// delivered, and the answer is the one to the property of the last move, which may have more values.
    ///
    /// Do not rely on this call: the same moves come one by one if the end of a chunk or of a line stands between them.
    /// After a break, reading goes on after the last of the moves.
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

    /// Something is wrong in the input. The default reads on: to know about damage, implement this method or read
    /// strictly.
    #[inline]
    fn problem(&mut self, problem: &Problem) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }
}

impl Value<'_> {
    /// Hands a whole value to a visitor as it has asked for it.
    #[inline(always)]
    pub(crate) fn hand_to<V: Visitor + ?Sized>(self, answer: Deliver, visitor: &mut V) -> ControlFlow<V::Break> {
        let Self { position, writing, raw } = self;
        match answer {
            Deliver::Whole => visitor.value(self),
            Deliver::Parts => visitor.part(Part { position, writing, raw, last: true }),
            Deliver::Skip => ControlFlow::Continue(()),
        }
    }
}

/// A visitor behind a pointer.
macro_rules! forward {
    ($pointer:ty) => {
        impl<V: Visitor + ?Sized> Visitor for $pointer {
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
    };
}

forward!(&mut V);
forward!(Box<V>);
