//! The end of input: what is still open is closed, and reported as having been open.
//!
//! Owns what that means in each state, and where what is open began; a game that is given up ends in the same way. Invariant: after
//! a break it goes on when called again, because each step leaves the state that it was for.

use std::ops::ControlFlow;

use super::skip::Until;
use super::value::Mode;
use super::{Before, Engine, Flow, State};
use crate::syntax::{Error, Position, ProblemKind, Visitor};

impl Engine {
    /// The place of the first byte whose event is still to come: that of the token in progress, or of the byte that is read next.
    pub(in crate::syntax) fn delivered(&self) -> Position {
        let state = if self.state == State::Look { self.look.resume() } else { self.state };
        let begun = match state {
            State::Between => self.gap.undecided(),
            State::Ident
            | State::AfterIdent
            | State::Value(Mode::Surplus(_))
            | State::Surplus(_)
            | State::Backslash
            | State::Illegal
            | State::Stray
            | State::Skip(Until::TooDeep | Until::NodeEnd | Until::GameEnd) => Some(self.token),
            State::Value(Mode::Parts) => (!self.carry.is_empty()).then_some(self.part),
            State::Value(_) => Some(self.value.back()),
            State::Unopened
            | State::Inside
            | State::Skip(Until::Tree | Until::Game)
            | State::Look
            | State::Unwind
            | State::Ending
            | State::Done => None,
        };
        begun.unwrap_or_else(|| self.lines.position(self.base))
    }

    pub(in crate::syntax) fn finish<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if let Some(problem) = self.failed {
            return Err(Error::Strict(problem));
        }
        self.ended = true;
        let flow = match self.take(&[], visitor) {
            ControlFlow::Continue(()) => self.end(visitor),
            stop @ ControlFlow::Break(_) => stop,
        };
        self.outcome(flow)
    }

    fn end<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        if !matches!(self.state, State::Between | State::Done) {
            self.end_game([ProblemKind::UnexpectedEof, ProblemKind::UnclosedTree], visitor)?;
        }
        if self.state == State::Between {
            self.end_gap(visitor)?;
            self.state = State::Done;
        }
        ControlFlow::Continue(())
    }

    /// Closes the value in progress, because nothing more of it comes, with this problem. After a break as below.
    pub(super) fn give_up_value<V: Visitor>(&mut self, problem: ProblemKind, visitor: &mut V) -> Flow<V> {
        if let State::Value(Mode::Surplus(kind)) = self.state {
            self.state = State::Value(Mode::Orphan);
            if self.token_end > self.token.offset {
                self.problem(kind, self.token, self.token_end, visitor)?;
            }
        }
        if let State::Value(_) = self.state {
            self.state = State::Inside;
            self.problem(problem, self.value.back(), self.base, visitor)?;
        }
        ControlFlow::Continue(())
    }

    /// All trees but the game's own end without a `)`; then the game's `)` is read as usual.
    pub(super) fn unwind<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        while self.depth > 1 {
            self.exit(self.position_at(self.at), 0, visitor)?;
        }
        self.state = State::Inside;
        self.before = Before::Child;
        ControlFlow::Continue(())
    }

    /// Closes all that is open of a game, because nothing more of it comes. The two problems are for an open value and
    /// for open trees.
    ///
    /// If the visitor breaks, this goes on when it is called again.
    pub(super) fn end_game<V: Visitor>(&mut self, [value, tree]: [ProblemKind; 2], visitor: &mut V) -> Flow<V> {
        let end = self.base;
        while self.state != State::Between {
            match self.state {
                State::Ident => {
                    self.token_end = end;
                    self.state = State::AfterIdent;
                }
                State::AfterIdent => self.decide_ident(None, &[], visitor)?,
                State::Value(_) => self.give_up_value(value, visitor)?,
                State::Surplus(kind) => {
                    self.state = State::Inside;
                    self.problem(kind, self.token, self.token_end, visitor)?;
                }
                State::Backslash | State::Illegal | State::Stray => {
                    self.state = State::Inside;
                    self.problem(ProblemKind::IllegalBytes, self.token, end, visitor)?;
                }
                State::Skip(until) => {
                    self.state = State::Inside;
                    let kind = match until {
                        Until::Tree | Until::Game => continue,
                        Until::TooDeep => ProblemKind::LimitDepth,
                        Until::NodeEnd => ProblemKind::LimitNode,
                        Until::GameEnd => ProblemKind::LimitGame,
                    };
                    self.problem(kind, self.token, end, visitor)?;
                }
                // No bytes were left to look at.
                State::Look => self.state = self.look.resume(),
                State::Unopened | State::Inside | State::Unwind => {
                    self.state = State::Ending;
                    if tree != ProblemKind::UnclosedTree || !self.is_end_reported {
                        self.problem(tree, self.position(), end, visitor)?;
                    }
                }
                State::Ending => self.exit(self.position(), 0, visitor)?,
                State::Between | State::Done => break,
            }
        }
        ControlFlow::Continue(())
    }
}
