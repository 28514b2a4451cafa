//! Where each node stands in its game's tree, without the tree.
//!
//! Owns [`Paths`], the adapter, and [`Path`], its result. Invariant: one small frame for each open game tree, and no
//! more of them than the limit allows. Refuses to know what is in a node, except which game it is and what makes or
//! numbers a move.

use std::ops::{ControlFlow, Range};

use crate::semantics::{Board, Number};
use crate::syntax::{Deliver, Descend, Ident, Node, Part, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};

/// What a node after a variation is, C in `A (B) C`. The grammar does not have this form, but real files do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AfterVariation {
    /// The last child of A, as SGFC reads it. B is the main line, as for [`MainLine`](crate::MainLine).
    #[default]
    LastChild,
    /// The first child of A: the game goes on after its variations, as the CWI notes propose. C is the main line, as for
    /// [`GameRecord::line`](crate::record::GameRecord::line), which is not known yet while B goes by.
    FirstChild,
}

/// Whether a node is on the main line: the line that the first child leads to at every fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnMainLine {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It is, unless a node follows the variation it stands in, which [`Settled`] tells later. Only with
    /// [`AfterVariation::FirstChild`].
    UnlessFollowed,
}

/// Where a node stands in its game.
///
/// Nodes count from 0, the root, in document order, and not from 1 as
/// [`GameRecord::comment_texts`](crate::record::GameRecord::comment_texts) counts them for tables. A node that the visitor skips
/// has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Path {
    /// The node's own number.
    pub node: u64,
    /// The number of the node before it on its path; `None` for the root.
    pub parent: Option<u64>,
    /// Which child of its parent it is, from 0. For a node that is [`OnMainLine::UnlessFollowed`], and for its
    /// siblings, a node that follows makes this one more.
    pub variation: u64,
    /// The number of nodes on the path from the root; 0 for the root itself.
    pub depth: u64,
    /// The number of a move in this node: one more than that of the last move on its path. MN of the nodes before
    /// counts; MN of the node itself is still to come. Moves are those that
    /// [`GameRecord::moves`](crate::record::GameRecord::moves) counts; the root says of which game.
    ///
    /// Whether the node has a move is not known yet. If it has none, a comment in it is about the position after the move before
    /// this number.
    pub move_number: u64,
    /// Whether it is on the main line.
    pub main_line: OnMainLine,
}

/// A fork that [`AfterVariation::FirstChild`] had to leave open is settled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Settled {
    /// The node that forks; `None` if a game has no root node before its first variation.
    pub parent: Option<u64>,
    /// The nodes of the variations, as far as they were read.
    pub nodes: Range<u64>,
    /// True if a node follows them. Then that node is the first child; its number is the end of `nodes`; each of the
    /// variations is one further on than was said; and none of `nodes` is on the main line. False if nothing follows.
    /// Then those of `nodes` that are [`OnMainLine::UnlessFollowed`], and that no earlier call took off, are on it.
    pub followed: bool,
}

/// A visitor that needs to know where each node is. Wrap it in [`Paths`].
#[allow(unused_variables)]
pub trait PathVisitor: Visitor {
    /// Called right before [`node`](Visitor::node). `None` for a node in a tree deeper than the adapter keeps.
    #[inline]
    fn path(&mut self, path: Option<Path>) {}

    /// Called right before the [`path`](Self::path) of the node that follows, or right before the exit of the tree in
    /// which nothing can follow any more. Never called for a game whose rest the visitor skips.
    #[inline]
    fn settled(&mut self, settled: Settled) {}
}

/// A visitor behind a pointer.
macro_rules! forward {
    ($pointer:ty) => {
        impl<V: PathVisitor + ?Sized> PathVisitor for $pointer {
            #[inline]
            fn path(&mut self, path: Option<Path>) {
                (**self).path(path);
            }

            #[inline]
            fn settled(&mut self, settled: Settled) {
                (**self).settled(settled);
            }
        }
    };
}

forward!(&mut V);
forward!(Box<V>);

/// Gives a visitor the path of each node.
///
/// It takes 64 bytes for each open game tree. By default it keeps 10,000 of them. Deeper trees are handed on like all
/// others and their nodes are numbered, but they have no path.
///
/// MN, and in the root AP, EV, FF, GM, SO, SZ and US, are read whole. A visitor that asks for one of them in parts gets a
/// single part.
///
/// ```
/// use std::convert::Infallible;
/// use sgf_stream::Visitor;
/// use sgf_stream::semantics::{OnMainLine, Path, PathVisitor, Paths, AfterVariation, Settled};
///
/// /// The nodes of the main line, by number.
/// #[derive(Default)]
/// struct Main(Vec<u64>);
///
/// impl Visitor for Main {
///     type Break = Infallible;
/// }
///
/// impl PathVisitor for Main {
///     fn path(&mut self, path: Option<Path>) {
///         self.0.extend(path.filter(|it| it.main_line != OnMainLine::No).map(|it| it.node));
///     }
///
///     fn settled(&mut self, it: Settled) {
///         if it.followed {
///             self.0.retain(|node| !it.nodes.contains(node));
///         }
///     }
/// }
///
/// let game = b"(;B[pd](;W[dd])(;W[dp]);W[pp])";
/// for (reading, main) in [(AfterVariation::LastChild, [0, 1]), (AfterVariation::FirstChild, [0, 3])] {
///     let mut paths = Paths::new(Main::default(), reading);
///     let _ = sgf_stream::read_slice(game, &mut paths)?;
///     assert_eq!(paths.into_inner().0, main);
/// }
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Paths<V> {
    inner: V,
    reading: AfterVariation,
    bound: usize,
    open: Vec<Frame>,
    /// Open trees for which there is no frame.
    deeper: u64,
    /// Nodes of the game so far.
    nodes: u64,
    /// The visitor has skipped the rest of the game.
    left: bool,
    board: Board,
    watch: Watch,
    answer: Deliver,
}

/// What the values of a property are read for, whatever the visitor has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watch {
    Nothing,
    /// What of the root tells the game.
    Game(Ident),
    /// MN.
    Number,
}

/// An open game tree: its last node so far, and the child trees after that.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The last node of this tree, or, if it has none yet, of those around it.
    node: Option<u64>,
    /// The depth of that node.
    depth: u64,
    /// The number of the last move on the way, that node included.
    moves: u64,
    /// Which child of that node comes next. The children of a tree without a node count on from the trees before it.
    next: u64,
    /// Which child came first.
    base: u64,
    /// The number of the first node in the child trees.
    first: u64,
    line: OnMainLine,
    has_node: bool,
    /// MN has numbered the move of that node.
    numbered: bool,
}

impl Frame {
    /// The root tree of a game, before its first node.
    const ROOT: Self = Self {
        node: None,
        depth: 0,
        moves: 0,
        next: 0,
        base: 0,
        first: 0,
        line: OnMainLine::Yes,
        has_node: false,
        numbered: false,
    };

    fn has_fork(&self) -> bool {
        self.next > self.base
    }

    /// A tree that begins in this one, after the nodes so far.
    fn child(&mut self, reading: AfterVariation, nodes: u64) -> Self {
        let line = match (reading, self.line) {
            _ if self.has_fork() => OnMainLine::No,
            (AfterVariation::FirstChild, OnMainLine::Yes) => OnMainLine::UnlessFollowed,
            (_, line) => line,
        };
        if !self.has_fork() {
            self.first = nodes;
        }
        Self { base: self.next, line, has_node: false, ..*self }
    }

    fn child_ends(&mut self, child: &Self) {
        let next = self.next + 1;
        self.next = if child.has_node { next } else { next.max(child.next) };
    }

    /// A node begins in this tree.
    fn advance(&mut self, reading: AfterVariation, number: u64) -> Path {
        let last_child = self.has_fork() && reading == AfterVariation::LastChild;
        if last_child {
            self.line = OnMainLine::No;
        }
        let path = Path {
            node: number,
            parent: self.node,
            variation: if last_child { self.next } else { self.base },
            depth: self.node.map_or(0, |_| self.depth + 1),
            move_number: self.moves.saturating_add(1),
            main_line: self.line,
        };
        *self =
            Self { node: Some(number), depth: path.depth, next: 0, base: 0, has_node: true, numbered: false, ..*self };
        path
    }
}

impl<V> Paths<V> {
    /// An adapter around `inner`.
    pub const fn new(inner: V, reading: AfterVariation) -> Self {
        Self {
            inner,
            reading,
            bound: 10_000,
            open: Vec::new(),
            deeper: 0,
            nodes: 0,
            left: false,
            board: Board::GO,
            watch: Watch::Nothing,
            answer: Deliver::Whole,
        }
    }

    /// Keeps no more than `bound` open trees; a game's root tree is one.
    #[must_use]
    pub const fn bounded(mut self, bound: usize) -> Self {
        self.bound = bound;
        self
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

    fn enter(&mut self, tree: Tree) {
        if tree.depth() == 1 {
            // What is still open belongs to an input that was given up.
            self.open.clear();
            (self.deeper, self.nodes, self.left, self.board) = (0, 0, false, Board::GO);
        }
        if self.deeper > 0 || self.open.len() >= self.bound {
            self.deeper += 1;
            return;
        }
        let frame = match self.open.last_mut() {
            Some(parent) => parent.child(self.reading, self.nodes),
            None => Frame::ROOT,
        };
        self.open.push(frame);
    }

    /// The innermost tree, if its frame is kept.
    fn frame(&mut self) -> Option<&mut Frame> {
        if self.deeper > 0 { None } else { self.open.last_mut() }
    }
}

impl<V: PathVisitor> Paths<V> {
    fn begin(&mut self) {
        let (reading, number) = (self.reading, self.nodes);
        self.nodes += 1;
        let Some(frame) = self.frame() else {
            return self.inner.path(None);
        };
        let followed = reading == AfterVariation::FirstChild && frame.has_fork() && frame.first < number;
        let settled = Settled { parent: frame.node, nodes: frame.first..number, followed: true };
        let path = frame.advance(reading, number);
        if followed {
            self.inner.settled(settled);
        }
        self.inner.path(Some(path));
    }

    fn end(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(frame) = self.open.pop() else { return };
        if let Some(parent) = self.open.last_mut() {
            parent.child_ends(&frame);
        }
        // Within a variation that may itself be followed, nothing is settled yet.
        let closed = self.reading == AfterVariation::FirstChild && frame.has_fork() && frame.line == OnMainLine::Yes;
        if closed && frame.first < self.nodes && !self.left {
            self.inner.settled(Settled { parent: frame.node, nodes: frame.first..self.nodes, followed: false });
        }
    }
}

/// Without `moves`: each move is played before the visitor is asked about the next node.
impl<V: PathVisitor> Visitor for Paths<V> {
    type Break = V::Break;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<V::Break, Descend> {
        self.enter(tree);
        self.inner.enter_tree(tree)
    }

    #[inline]
    fn node(&mut self, node: Node) -> ControlFlow<V::Break, Step> {
        self.begin();
        let step = self.inner.node(node);
        self.left |= matches!(step, ControlFlow::Continue(Step::SkipGame));
        step
    }

    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<V::Break, Deliver> {
        self.watch = match property.ident() {
            ident if self.nodes == 1 && Board::learns_from(ident) => Watch::Game(ident),
            Ident::MN => Watch::Number,
            _ => Watch::Nothing,
        };
        self.answer = Deliver::Whole;
        if self.board.plays(property.ident()).is_some()
            && let Some(frame) = self.frame()
        {
            frame.moves = frame.moves.saturating_add(u64::from(!frame.numbered));
        }
        self.answer = self.inner.property(property)?;
        ControlFlow::Continue(if self.watch == Watch::Nothing { self.answer } else { Deliver::Whole })
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<V::Break> {
        match self.watch {
            Watch::Nothing => return self.inner.value(value),
            Watch::Game(ident) => self.board.learn(ident, value),
            Watch::Number => {
                if let Ok(number) = value.parse_lenient::<Number>()
                    && let Ok(number) = u64::try_from(number.0)
                    && let Some(frame) = self.frame()
                {
                    (frame.moves, frame.numbered) = (number, true);
                }
            }
        }
        value.hand_to(self.answer, &mut self.inner)
    }

    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<V::Break> {
        self.inner.part(part)
    }

    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<V::Break> {
        self.end();
        self.inner.exit_tree(end)
    }

    #[inline]
    fn problem(&mut self, problem: &Problem) -> ControlFlow<V::Break> {
        self.inner.problem(problem)
    }
}
