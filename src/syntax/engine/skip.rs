//! Passing over what nobody wants: no token is made, only "inside a value?" and depth are kept.
//!
//! Skip equals read: the same tree and game end, whatever is between. Problems inside skipped bytes are not raised.

use std::ops::ControlFlow;

use super::{Engine, Flow, Place, State};
use crate::syntax::scan::{self, Skip, find_close};
use crate::syntax::{ProblemKind, Visitor};

/// Where skipping ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// At the `)` of the innermost tree that the visitor knows of.
    Tree,
    /// At the `)` of the game. The exits of the trees that the visitor knows of are told on the way.
    Game,
    /// At the `)` of the tree that begins here, which the visitor never hears of.
    TooDeep,
    /// Before the node, tree or exit that comes next.
    NodeEnd,
    /// Before the `)` of the game, whose exits are told there.
    GameEnd,
}

impl Engine {
    pub(super) fn skip_tree(&mut self) {
        self.skip_until(Until::Tree);
    }

    pub(super) fn skip_until(&mut self, until: Until) {
        self.state = State::Skip(until);
        self.skipped = Skip { depth: if until == Until::GameEnd { self.depth - 1 } else { 0 }, ..Skip::default() };
        self.property = None;
    }

    pub(super) fn skip<V: Visitor>(&mut self, until: Until, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        if !self.skip_to_stop(until, chunk) {
            return ControlFlow::Continue(());
        }
        let position = self.position_at(self.at);
        match until {
            Until::Tree | Until::Game => {
                if until == Until::Tree {
                    self.state = State::Inside;
                }
                self.at += 1;
                self.exit(position, false, visitor)
            }
            Until::TooDeep => {
                self.at += 1;
                self.state = State::Inside;
                self.place = Place::AfterChild;
                self.problem(ProblemKind::LimitDepth, self.token, position.offset + 1, visitor)
            }
            Until::NodeEnd => {
                self.state = State::Inside;
                self.problem(ProblemKind::LimitNode, self.token, position.offset, visitor)
            }
            Until::GameEnd => {
                self.state = State::Unwind;
                self.problem(ProblemKind::LimitGame, self.token, position.offset, visitor)
            }
        }
    }

    /// Goes to the byte that ends the skipping, or to the chunk's end; true for the byte.
    fn skip_to_stop(&mut self, until: Until, chunk: &[u8]) -> bool {
        let rest = &chunk[self.at..];
        let offset = self.offset_at(self.at);
        let found = if until == Until::NodeEnd {
            let found = self.node_end(rest);
            self.lines.bytes(&rest[..found.unwrap_or(rest.len())], offset);
            found
        } else if let Some(len) = self.soon_over(rest) {
            Some(len)
        } else {
            let (found, ends) = scan::skip(rest, &mut self.skipped, self.lines.is_after_cr(offset));
            self.lines.counted(ends, rest, offset);
            found
        };
        self.at += found.unwrap_or(rest.len());
        found.is_some()
    }

    /// The `)` of a game that ends before its first value: archives of such games exist, if only to try readers, and asking a
    /// kernel costs more than such a game has bytes.
    fn soon_over(&self, rest: &[u8]) -> Option<usize> {
        let head = &rest[..rest.len().min(4)];
        let len = head.iter().position(|&byte| byte != b';')?;
        (head[len] == b')' && self.skipped == Skip::default()).then_some(len)
    }

    /// The `;`, `(` or `)` that ends the node. Only for nodes over a limit, so it need not be fast.
    fn node_end(&mut self, rest: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            if self.skipped.quoted {
                at += find_close(&rest[at..], &mut self.skipped.escaped)? + 1;
                self.skipped.quoted = false;
            }
            at += rest[at..].iter().position(|byte| matches!(byte, b'[' | b'(' | b')' | b';'))?;
            if rest[at] != b'[' {
                return Some(at);
            }
            self.skipped.quoted = true;
            at += 1;
        }
    }
}
