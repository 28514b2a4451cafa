//! The visitor: header values and the moves of the main line.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::ControlFlow::{self, Continue};

use sgf_stream::{Deliver, Descend, Ident, Node, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value, Visitor};

use crate::facts::Facts;

/// Whether the stone is black, and its point as SGF writes it, or `None` for a pass.
pub(crate) type Move = (bool, Option<[u8; 2]>);

const HEADER: [Ident; 18] = [
    Ident::GM,
    Ident::SZ,
    Ident::EV,
    Ident::GN,
    Ident::RO,
    Ident::DT,
    Ident::PC,
    Ident::PB,
    Ident::BR,
    Ident::PW,
    Ident::WR,
    Ident::KM,
    Ident::HA,
    Ident::RU,
    Ident::RE,
    Ident::AB,
    Ident::AW,
    Ident::PL,
];

/// What was read of a game.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The first value of each header property of the root node.
    pub(crate) header: HashMap<Ident, String>,
    /// Handicap stones.
    pub(crate) black_stones: Vec<String>,
    pub(crate) moves: Vec<Move>,
    /// It has something that the facts cannot express: damage, setup stones below the root, moves off the board.
    broken: bool,
}

impl Record {
    pub(crate) fn facts(&self) -> Option<Facts> {
        if self.broken { None } else { Facts::new(self) }
    }
}

/// Collects the games of a file.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) games: Vec<Record>,
    ident: Option<Ident>,
    nodes: u64,
    /// For each open tree with a child, the number of moves before it.
    forks: Vec<usize>,
}

impl Records {
    fn game(&mut self) -> &mut Record {
        if self.games.is_empty() {
            self.games.push(Record::default());
        }
        let last = self.games.len() - 1;
        &mut self.games[last]
    }

    fn header(&mut self, ident: Ident, value: Value<'_>) {
        let text = value.simple_text().split_whitespace().collect::<Vec<_>>().join(" ");
        let game = self.game();
        if ident == Ident::AB {
            game.black_stones.push(text);
        } else {
            game.header.entry(ident).or_insert(text);
        }
    }

    fn play(&mut self, black: bool, raw: &[u8]) {
        let game = self.game();
        match raw {
            [] | b"tt" => game.moves.push((black, None)),
            &[column @ b'a'..=b's', row @ b'a'..=b's'] => game.moves.push((black, Some([column, row]))),
            _ => game.broken = true,
        }
    }
}

impl Visitor for Records {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        if tree.depth() == 1 {
            self.games.push(Record::default());
            self.nodes = 0;
            self.forks.clear();
        } else if !tree.is_first_child() {
            return Continue(Descend::Over);
        }
        let moves = self.game().moves.len();
        self.forks.truncate(tree.depth() as usize - 1);
        self.forks.push(moves);
        Continue(Descend::Into)
    }

    fn node(&mut self, node: Node) -> ControlFlow<Infallible, Step> {
        self.nodes += 1;
        if node.is_after_variation() {
            // In `A (B) C` the CWI notes read C as the continuation and B as an aside.
            if let Some(&moves) = self.forks.last() {
                self.game().moves.truncate(moves);
            }
        }
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        let ident = property.ident();
        self.ident = Some(ident);
        let in_root = self.nodes == 1;
        let wanted = matches!(ident, Ident::B | Ident::W) || (in_root && HEADER.contains(&ident));
        let setup = matches!(ident, Ident::AB | Ident::AW | Ident::AE);
        if (setup && !in_root) || (in_root && ident == Ident::AW) {
            self.game().broken = true;
        }
        Continue(if wanted { Deliver::Whole } else { Deliver::Skip })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        match self.ident {
            Some(Ident::B) => self.play(true, value.raw()),
            Some(Ident::W) => self.play(false, value.raw()),
            Some(ident) => self.header(ident, value),
            None => {}
        }
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        if end.is_implicit() {
            self.game().broken = true;
        }
        Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        // Junk between games is no fault of a game; a node after a variation is handled above.
        let harmless =
            matches!(problem.kind(), ProblemKind::Junk | ProblemKind::UnmatchedClose | ProblemKind::NodeAfterVariation);
        if !harmless {
            self.game().broken = true;
        }
        Continue(())
    }
}
