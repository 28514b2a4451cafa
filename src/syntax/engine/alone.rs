//! A part of a source that is read without what comes before it, or that ends where another parser goes on.
//!
//! Owns what the engine is told about the bytes before its part, which may be before or after it has read the part, and what
//! it tells the parser that reads the bytes after it. Refuses to know where parts are cut, and who compares assumptions with what
//! turned out to be true.

use std::ops::ControlFlow;

use memchr::memchr_iter;

use super::ends::is_followed;
use super::skip::Until;
use super::{Before, Engine, Labels, State};
use crate::syntax::position::Lines;
use crate::syntax::scan::{self, Skip};
use crate::syntax::{Error, Position, Visitor};
use crate::text::{Neighbours, Questions};

impl Engine {
    /// Forgets the input, for a source that is read from `position` on: that of a game's first byte, or right after a `)` that left
    /// `depth` trees open. Whatever came before that, all the rules need to know is that it was a child tree.
    pub(in crate::syntax) fn reset_inside(
        &mut self,
        position: Position,
        depth: u64,
        is_marked: bool,
        labels: Labels,
        neighbours: &Neighbours,
    ) {
        self.reset();
        self.base = position.offset;
        // No line end is cut there.
        self.lines = Lines::at(position);
        if is_marked {
            self.text.mark();
        }
        self.text.labels = labels.up_to(position.offset);
        self.text.suppose(neighbours);
        if depth > 0 {
            self.state = State::Inside;
            self.before = Before::Child;
            self.text.leave_root();
            self.text.begin_part();
            self.depth = depth;
            self.game = self.base;
        }
    }

    /// Where the input ends is known, and that trees are open there is reported already.
    #[cfg(feature = "tokio")]
    pub(in crate::syntax) fn know_end(&mut self) {
        self.is_end_reported = true;
    }

    pub(in crate::syntax) fn only_cut(&mut self) {
        self.config = std::mem::take(&mut self.config).cutting();
        self.failed = None;
    }

    pub(in crate::syntax) fn go_on(&mut self) {
        self.config.strict = false;
        self.failed = None;
    }

    /// The number of values so far that were skipped one by one, which costs as much as reading them.
    pub(in crate::syntax) fn passed_values(&self) -> u64 {
        self.passed_values
    }

    /// Whether a text before the game that has just begun might end elsewhere if there were no bytes from that game on.
    pub(in crate::syntax) fn depends_on_game(&self) -> bool {
        self.sought > self.game
    }

    /// Whether what comes after the next bytes can be read without knowing the game's text.
    pub(in crate::syntax) fn is_past_text(&self) -> bool {
        (!self.text.is_read() || (self.has_known_text() && self.is_far(self.base))) && !self.is_game_in_game()
    }

    /// Whether [`reset_inside`](Self::reset_inside) would do for what comes behind the end of a tree here. This engine must
    /// itself have begun far from the game's beginning.
    pub(in crate::syntax) fn may_be_left(&self) -> bool {
        self.has_known_text() && !self.is_game_in_game()
    }

    /// Whether the last byte is the end of a tree that left this many open.
    pub(in crate::syntax) fn is_behind_tree(&self, depth: u64) -> bool {
        self.state == State::Inside && self.before == Before::Child && self.depth == depth && self.held.is_empty()
    }

    /// Whether a game that begins right behind the last byte is one whatever came before it.
    pub(in crate::syntax) fn is_between_games(&self) -> bool {
        self.depth == 0 && self.held.is_empty() && !self.gap.is_loop()
    }

    fn has_known_text(&self) -> bool {
        !self.text.may_hide_brackets() && !self.text.awaits_declared()
    }

    /// Whether parts of the game in progress may be games, or it a part of one.
    fn is_game_in_game(&self) -> bool {
        self.is_rooted() || self.may_be_whole()
    }

    /// What comes before the part that was read is known now.
    pub(in crate::syntax) fn follow(&mut self, earlier: Labels, neighbours: &Neighbours) {
        self.text.labels = self.text.labels.following(earlier);
        self.text.follow(neighbours);
    }

    /// From here on, notes what is looked up about the games before.
    pub(in crate::syntax) fn note_questions(&mut self) {
        self.text.note_questions();
    }

    /// What was looked up about them since.
    pub(in crate::syntax) fn take_questions(&mut self) -> Questions {
        self.text.take_questions()
    }

    /// What the games so far were written in, including the one in progress if nothing more of it comes.
    pub(in crate::syntax) fn neighbours(&self) -> Neighbours {
        self.text.neighbours(self.state == State::Done || self.released)
    }

    /// What the games so far declare.
    pub(in crate::syntax) fn labels(&self) -> Labels {
        self.text.labels
    }

    /// While a game is skipped: where in `bytes`, which come next, the innermost open tree ends, `)` included, and how
    /// many trees stay open. Also `None` if bytes before these are held, which may open and close trees.
    pub(in crate::syntax) fn next_close(&mut self, bytes: &[u8]) -> Option<(usize, u64)> {
        if self.state != State::Skip(Until::Tree) || !self.held.is_empty() {
            return None;
        }
        let mut ahead = Skip { depth: 0, ..self.skipped };
        let (close, _) = scan::skip(self.unwatched(bytes), &mut ahead, false);
        if self.text.may_repair() && !memchr_iter(b']', &bytes[..close?]).all(|at| is_followed(&bytes[at + 1..], false))
        {
            return None;
        }
        Some((close? + 1, self.depth + self.skipped.depth - 1))
    }

    /// What came last is read by another parser, from behind the end of a tree on.
    pub(in crate::syntax) fn leave(&mut self) {
        self.released = true;
    }

    /// What comes next is the rest of a game that another parser reads: what was held of this parser's part is read now.
    pub(in crate::syntax) fn release<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.ended = true;
        let flow = self.take(&[], visitor);
        self.ended = false;
        self.released = true;
        self.outcome(flow)
    }
}
