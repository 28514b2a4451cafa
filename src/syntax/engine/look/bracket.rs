//! Which `]` closes a text in which people have forgotten to escape some.
//!
//! Owns that question, asked of the bytes from the text's `[` on, and what looks in vain have learnt, so that many of them cost no more
//! than one. Refuses to know of charsets: brackets that are halves of characters are for the look beside it.

use std::ops::ControlFlow;

use memchr::{memchr_iter, memchr2};

use super::super::skip::Until;
use super::super::{Engine, State, Stop};
use crate::syntax::scan::find_close;
use crate::syntax::{ProblemKind, Visitor, ident};
use crate::text::white::trim_start;
use crate::text::{Follow, WINDOW, begins_node, followed, property_behind_junk};

/// How many `]` of a text may close it by what comes before them. Later ones are passed in one step where an earlier look has
/// come in vain.
const TRIES: usize = 4;

/// Bytes of a `;`, white space and an identifier with its `[`, of which a step may have passed some.
const NODE: usize = 48;

impl Engine {
    /// The first `]` of a text that what comes after it makes sense of. Where none does before a node begins, the first that
    /// closes what the text has opened; where none does at all, the first.
    pub(super) fn look_for_bracket<V: Visitor>(
        &mut self,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, bool> {
        let bytes = &view[1..];
        let start = self.offset_at(self.at) + 1;
        let close = loop {
            if self.look.passed == TRIES {
                self.pass_barren(start, bytes);
            }
            let from = self.look.scanned;
            let Some(close) = find_close(&bytes[from..], &mut self.look.escaped) else {
                self.look.scanned = bytes.len();
                if !last {
                    return ControlFlow::Continue(false);
                }
                self.remember_barren(start, bytes);
                break None;
            };
            let close = from + close;
            if close == 0 {
                // Nothing was written there, rather than a bracket.
                break Some(close);
            }
            if self.look.passed > 0 && begins_node(&bytes[self.look.left..close]) {
                // No text goes on like that.
                self.barren = self.barren.max((start + self.look.left as u64, false));
                break self.look.balanced;
            }
            let after = &bytes[close + 1..];
            match followed(after, last) {
                None => {
                    self.look.scanned = close;
                    return ControlFlow::Continue(false);
                }
                Some(Follow::Text) => {
                    let closes = self.look.passed;
                    if closes < TRIES && is_balanced(&bytes[..close], closes) {
                        let ends = if ident::is_line(self.text.head) {
                            property_behind_junk(after, last)
                        } else {
                            Some(false)
                        };
                        let Some(ends) = ends else {
                            self.look.scanned = close;
                            return ControlFlow::Continue(false);
                        };
                        if ends || self.ends_game(after) {
                            break Some(close);
                        }
                        self.look.balanced.get_or_insert(close);
                    }
                    self.look.value.get_or_insert(close);
                    self.look.passed = TRIES.min(closes + 1);
                    self.look.scanned = close + 1;
                    self.look.left = close + 1;
                }
                Some(_) => break Some(close),
            }
        };
        let first = self.look.value;
        let limit = self.config.limits.value;
        let close = close.filter(|&len| len <= limit || !self.text.by_character);
        let len = close.or(first).filter(|&len| len <= limit);
        let here = self.offset_at(self.at);
        self.verdict = Some((here, len.map(|len| self.text.ending(&bytes[..len]))));
        self.state = self.look.back;
        if len.is_none() {
            self.text.head = [0; 3];
        }
        if let Some(first) = first
            && close.is_some_and(|close| close > first)
            && self.state == State::Inside
        {
            let mut lines = self.lines.clone();
            let offset = here + 1;
            lines.bytes(&bytes[..first], offset);
            let position = lines.position(offset + first as u64);
            self.problem(ProblemKind::UnescapedBracket, position, position.offset + 1, visitor)?;
        }
        ControlFlow::Continue(true)
    }

    /// Whether a `]` of a text that has closed all it has opened is its end although what comes later makes no sense: the next
    /// `)` ends the game, and a line with it. So it is where a game has lost its head right behind a healthy one.
    fn ends_game(&self, after: &[u8]) -> bool {
        let trees = match self.look.back {
            State::Skip(Until::GameEnd) => self.skipped.depth + 1,
            State::Skip(Until::TooDeep) => self.depth + self.skipped.depth + 1,
            State::Skip(_) => self.depth + self.skipped.depth,
            _ => self.depth,
        };
        let Some(after) = trim_start(after).strip_prefix(b")") else { return false };
        let white = &after[..after.len() - trim_start(after).len()];
        trees == 1 && memchr2(b'\n', b'\r', white).is_some()
    }

    /// Goes to where the looks before this one have come in vain, so that many of them cost no more than one.
    fn pass_barren(&mut self, start: u64, bytes: &[u8]) {
        let (offset, escaped) = self.barren;
        let at = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
        if at > self.look.scanned && at <= bytes.len() {
            self.look.left = self.look.left.max(at.saturating_sub(NODE));
            self.look.scanned = at;
            self.look.escaped = escaped;
        }
    }

    /// None of these closed the text; of the last of them, what comes after the look's end may have a say still.
    fn remember_barren(&mut self, start: u64, bytes: &[u8]) {
        let len = bytes.len().saturating_sub(WINDOW + 1);
        let backslashes = bytes[..len].iter().rev().take(WINDOW).take_while(|&&byte| byte == b'\\').count();
        if backslashes < WINDOW && start + len as u64 > self.barren.0 {
            self.barren = (start + len as u64, backslashes % 2 == 1);
        }
    }
}

/// Whether a text closes all the brackets that it opens, of whose `]` so many were not escaped, and no others.
fn is_balanced(text: &[u8], closes: usize) -> bool {
    let opens = memchr_iter(b'[', text).count();
    (closes..=memchr_iter(b']', text).count()).contains(&opens)
}
