//! The end of input: what is open is closed, and said to have been open.

use std::ops::ControlFlow;

use super::skip::Until;
use super::value::Mode;
use super::{Engine, Flow, State};
use crate::syntax::{Error, ProblemKind, Visitor};

impl Engine {
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
        let end = self.base;
        loop {
            match self.state {
                State::Between => {
                    self.end_gap(visitor)?;
                    self.state = State::Done;
                }
                State::Ident => {
                    self.token_end = end;
                    self.state = State::AfterIdent;
                }
                State::AfterIdent => self.decide_ident(None, &[], visitor)?,
                State::Value(Mode::Surplus(kind)) => {
                    self.state = State::Value(Mode::Orphan);
                    if self.token_end > self.token.offset {
                        self.problem(kind, self.token, self.token_end, visitor)?;
                    }
                }
                State::Value(_) => {
                    self.state = State::Inside;
                    self.problem(ProblemKind::UnexpectedEof, self.value.left(), end, visitor)?;
                }
                State::Surplus(kind) => {
                    self.state = State::Inside;
                    self.problem(kind, self.token, self.token_end, visitor)?;
                }
                State::Illegal => {
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
                State::Inside | State::Look | State::Unwind => {
                    self.state = State::Ending;
                    self.problem(ProblemKind::UnclosedTree, self.position(), end, visitor)?;
                }
                State::Ending => self.exit(self.position(), true, visitor)?,
                State::Done => return ControlFlow::Continue(()),
            }
        }
    }
}
