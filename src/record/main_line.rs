//! The main line of the game being read, as the CWI notes define it.
//!
//! Owns [`MainLine`]: which nodes are on the line, how many moves it has, what they hash to, and which of them the
//! signatures use. In `A (B) C` the first child of A is C, so what B has contributed is dropped when C comes; in all
//! other cases the first child is that of the document.
//!
//! [`Paths`](crate::semantics::Paths) finds where any node stands, in either reading, at the cost of a frame and a call
//! for each. Here only the first child at each fork matters, and what it has contributed may have to be taken back. The
//! two share no state, and here a move must cost less than reading it does.

use crate::record::alike;
use crate::record::line::Line;
use crate::record::signature::{Kept, Signature};
use crate::semantics::{Board, MOST_POINTS};
use crate::stable::mix;
use crate::syntax::{Ident, Moves};

/// How many levels of trees can be undone. In a deeper game, the C of an `A (B) C` below that is taken for a variation.
/// The deepest real game has 364.
const MOST: usize = 10_000;

/// The numbers of the moves that the signatures are made of.
const NUMBERS: [u64; 6] = [20, 40, 60, 31, 51, 71];

/// The longest piece, in bytes: 20 points of four bytes and a comma (`GembloQ`), and some more.
const PIECE: usize = 128;

/// What is known about the line so far.
#[derive(Clone, Debug, Default)]
pub(super) struct MainLine {
    so_far: SoFar,
    /// The moves themselves, and setup, if they are wanted.
    line: Line,
    keeps_line: bool,
    kept: [Kept; 6],
    /// How many more points of rectangles may be digested one by one.
    points_left: usize,
    /// What was known before the last move, and the points of that move if it may have several values.
    before: SoFar,
    piece: Vec<u8>,
    /// What was known at each place where a tree of the line has forked, beginning with the root.
    forks: Vec<SoFar>,
    /// The depth of the tree being read.
    depth: u64,
    /// The depth of the tree that is not on the line, or 0.
    off: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct SoFar {
    moves: u64,
    hash: u64,
    /// How many steps of the line are kept.
    steps: usize,
}

impl MainLine {
    /// How many bytes it takes besides itself.
    pub(super) fn memory(&self) -> usize {
        self.line.memory() + self.piece.len() + size_of_val(&self.forks[..])
    }

    /// A game begins.
    pub(super) fn begin(&mut self, keeps_line: bool) {
        self.line.clear();
        self.keeps_line = keeps_line;
        self.so_far = SoFar::default();
        self.kept = <[Kept; 6]>::default();
        self.points_left = MOST_POINTS;
        self.forks.clear();
        self.depth = 1;
        self.off = 0;
    }

    /// Whether reading is in a node of the line.
    #[inline]
    pub(super) const fn is_on(&self) -> bool {
        self.off == 0
    }

    /// A tree begins within another. True if it may be on the line.
    pub(super) fn enter(&mut self, is_first_child: bool) -> bool {
        self.depth += 1;
        if !self.is_on() {
            return false;
        }
        if !is_first_child {
            self.off = self.depth;
            return false;
        }
        if let Some(fork) = self.fork() {
            self.forks.truncate(fork);
            self.forks.push(self.so_far);
        }
        true
    }

    /// A tree ends.
    pub(super) fn exit(&mut self) {
        if self.off == self.depth {
            self.off = 0;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// A node begins that follows a child tree of its own tree.
    pub(super) fn after_variation(&mut self) {
        if !self.is_on() {
            return;
        }
        // Its parent is the node behind which the tree forked. Below the depth that is kept, it counts as a variation.
        match usize::try_from(self.depth).ok().and_then(|depth| self.forks.get(depth.checked_sub(1)?)) {
            Some(fork) => {
                self.so_far = *fork;
                self.line.truncate(fork.steps);
            }
            None => self.off = self.depth,
        }
    }

    /// The index of the fork whose child the current tree is, if it is not too deep.
    fn fork(&self) -> Option<usize> {
        usize::try_from(self.depth).ok()?.checked_sub(2).filter(|&fork| fork < MOST)
    }

    /// A move on the line: as it is spelled in signatures, and as it is kept.
    #[inline]
    pub(super) fn play(&mut self, board: Board, ident: Ident, raw: &[u8], kept: &[u8]) {
        self.before = self.so_far;
        self.so_far.moves += 1;
        self.so_far.hash = mix(self.so_far.hash ^ alike::of_move(board, ident, raw));
        if let Some(place) = NUMBERS.iter().position(|&number| number == self.so_far.moves) {
            self.kept[place] = Kept::new(raw);
        }
        self.keep(ident, kept);
    }

    /// Moves on the line, in a game whose moves are digested as they stand.
    #[inline]
    pub(super) fn play_all(&mut self, moves: Moves<'_>) {
        let (moves, _) = moves.raw().as_chunks::<{ Moves::MOVE_LEN }>();
        let before = self.so_far.moves;
        for &[_, color, _, x, y, _] in moves {
            self.so_far.hash = mix(self.so_far.hash ^ alike::of_point(color, [x, y]));
        }
        self.so_far.moves += moves.len() as u64;
        for (kept, number) in self.kept.iter_mut().zip(NUMBERS) {
            let place = number.checked_sub(before + 1).and_then(|place| moves.get(usize::try_from(place).ok()?));
            if let Some([_, _, _, point @ .., _]) = place {
                *kept = Kept::new(point);
            }
        }
        if self.keeps_line {
            for [_, color, _, point @ .., _] in moves {
                self.keep(if *color == b'B' { Ident::B } else { Ident::W }, point);
            }
        }
    }

    /// The move just played is a piece, and these are its points so far.
    pub(super) fn begin_piece(&mut self, raw: &[u8]) {
        self.piece.clear();
        self.piece.extend_from_slice(raw);
    }

    /// More points of that piece: the move is played again with all of them, as it is written now. No piece is longer
    /// than [`PIECE`]; anything beyond is left out.
    pub(super) fn add_to_piece(&mut self, board: Board, ident: Ident, raw: &[u8]) {
        if self.piece.len() + raw.len() >= PIECE {
            return;
        }
        let mut piece = std::mem::take(&mut self.piece);
        piece.push(b',');
        piece.extend_from_slice(raw);
        self.so_far = self.before;
        self.line.truncate(self.before.steps);
        self.play(board, ident, &piece, &piece);
        self.piece = piece;
    }

    /// Stones put on or taken from the board. Their order does not matter.
    pub(super) fn set_up(&mut self, board: Board, ident: Ident, raw: &[u8]) {
        let digest = alike::of_setup(board, ident, raw, &mut self.points_left);
        self.so_far.hash = self.so_far.hash.wrapping_add(digest);
        self.keep(ident, raw.trim_ascii());
    }

    fn keep(&mut self, ident: Ident, raw: &[u8]) {
        if self.keeps_line {
            self.line.push(ident, raw);
            self.so_far.steps = self.line.len();
        }
    }

    pub(super) const fn line(&self) -> &Line {
        &self.line
    }

    pub(super) const fn moves(&self) -> u64 {
        self.so_far.moves
    }

    pub(super) const fn hash(&self) -> u64 {
        self.so_far.hash
    }

    /// Moves 20, 40 and 60.
    pub(super) fn signature(&self) -> Signature {
        Signature([0, 1, 2].map(|place| self.kept(place)))
    }

    /// Moves 31, 51 and 71.
    pub(super) fn second_signature(&self) -> Signature {
        Signature([3, 4, 5].map(|place| self.kept(place)))
    }

    /// A line that was dropped may have been longer, so only moves of this one count.
    fn kept(&self, place: usize) -> Kept {
        if NUMBERS[place] <= self.so_far.moves { self.kept[place] } else { Kept::default() }
    }
}
