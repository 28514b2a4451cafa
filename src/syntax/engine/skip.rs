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
        // Whether brackets may be hidden must be known before anything is passed over.
        if self.text.is_cautious() && self.text.undecided && self.text.wants_declaration() {
            self.begin_look(State::Skip(until));
        }
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
        if self.text.may_hide_brackets() && until != Until::NodeEnd {
            return self.skip_by_character(until, chunk);
        }
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

    /// The same in a game whose characters may hide brackets: each value that is not ASCII ends where reading it would.
    fn skip_by_character(&mut self, until: Until, chunk: &[u8]) -> bool {
        loop {
            let rest = &chunk[self.at..];
            if self.skipped.quoted {
                let close = find_close(rest, &mut self.skipped.escaped);
                self.pass_over(close.map_or(rest.len(), |len| len + 1), chunk);
                if close.is_none() {
                    return false;
                }
                self.skipped.quoted = false;
                continue;
            }
            let next = rest.iter().position(|byte| matches!(byte, b'[' | b'(' | b')'));
            self.pass_over(next.unwrap_or(rest.len()), chunk);
            let Some(next) = next else { return false };
            match rest[next] {
                b'(' => self.skipped.depth += 1,
                b')' if self.skipped.depth == 0 => return true,
                b')' => self.skipped.depth -= 1,
                _ => {
                    let value = &rest[next + 1..];
                    let close = find_close(value, &mut false);
                    if let Some(found) = self.looked_at() {
                        self.pass_over(found.len + 1, chunk);
                    } else if close.is_some_and(|len| value[..len].is_ascii()) || self.is_passed() {
                        self.skipped.quoted = true;
                    } else {
                        self.begin_look(State::Skip(until));
                        return false;
                    }
                }
            }
            self.pass_over(1, chunk);
        }
    }

    fn pass_over(&mut self, len: usize, chunk: &[u8]) {
        self.lines.bytes(&chunk[self.at..][..len], self.offset_at(self.at));
        self.at += len;
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
