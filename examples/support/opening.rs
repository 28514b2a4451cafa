//! The first moves of each game.

use std::convert::Infallible;
use std::ops::ControlFlow::{self, Continue};

use sgf_stream::semantics::{Board, GameType, Point};
use sgf_stream::{Deliver, Descend, Ident, Node, Property, Step, Tree, TreeEnd, Value, Visitor};

/// Gives `take` the first moves of the main line of each game of Go; the rest of the game is skipped. A move that is not a
/// point of the board, such as a pass, is `None`.
///
/// Games with setup stones are left out, since they have another opening. Wrap it in
/// [`MainLine`](sgf_stream::MainLine).
pub(crate) struct Opening<F> {
    wanted: usize,
    size: u16,
    take: F,
    board: Board,
    moves: Vec<Option<Point>>,
    ident: Option<Ident>,
    set_up: bool,
}

impl<F: FnMut(&[Option<Point>])> Opening<F> {
    /// For games on a board of `size` by `size`.
    pub(crate) fn new(wanted: usize, size: u16, take: F) -> Self {
        let board = Board::default();
        Self { wanted, size, take, board, moves: Vec::new(), ident: None, set_up: false }
    }

    fn is_wanted(&self) -> bool {
        let fits = self.board.size().is_some_and(|it| it.columns == self.size && it.rows == self.size);
        self.board.game() == GameType::Go && fits && !self.set_up
    }
}

impl<F: FnMut(&[Option<Point>])> Visitor for Opening<F> {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        if tree.depth() == 1 {
            self.board = Board::default();
            self.set_up = false;
            self.moves.clear();
        }
        Continue(Descend::Into)
    }

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        let enough = self.moves.len() >= self.wanted || self.set_up;
        Continue(if enough { Step::SkipGame } else { Step::Read })
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        let ident = property.ident();
        self.ident = Some(ident);
        self.set_up |= matches!(ident, Ident::AB | Ident::AW);
        Continue(match ident {
            Ident::B | Ident::W | Ident::GM | Ident::SZ => Deliver::Whole,
            _ => Deliver::Skip,
        })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        match self.ident {
            Some(Ident::B | Ident::W) if self.moves.len() < self.wanted => {
                let point = self.board.read_move_lenient(value).ok().and_then(|it| it.point());
                self.moves.push(point.filter(|it| it.x < self.size && it.y < self.size));
            }
            Some(ident) => self.board.learn(ident, value),
            None => {}
        }
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        if end.depth() == 1 && self.is_wanted() {
            (self.take)(&self.moves);
        }
        Continue(())
    }
}
