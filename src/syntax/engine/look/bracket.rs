//! Which `]` closes a text in which people have forgotten to escape some.
//!
//! Owns that question, asked about the bytes from the text's `[` on, and what looks without an answer have learnt, so
//! that many of them cost no more than one. Refuses to know charsets: brackets that are halves of characters are for
//! the look beside it.

use std::ops::ControlFlow;

use memchr::{memchr_iter, memchr2};

use super::super::skip::Until;
use super::super::{Engine, State, Stop};
use super::{About, Found};
use crate::syntax::scan::find_close;
use crate::syntax::{ProblemKind, Visitor, ident};
use crate::text::white::trim_start;
use crate::text::{Follow, WINDOW, begins_node, followed, property_behind_junk};

/// How many `]` of a text may close it by what comes before them. Later ones are passed in one step where an earlier look has
/// come in vain.
const TRIES: usize = 4;

/// Bytes of a `;`, white space and an identifier with its `[`, of which a step may have passed some.
const NODE: usize = 48;

/// How far it has come.
#[derive(Clone, Debug, Default)]
pub(super) struct BracketLook {
    /// The first byte behind the text's `[` that was not looked at.
    scanned: usize,
    escaped: bool,
    /// How many `]` did not close the text, up to a few; the first of them, and where the last one was left behind.
    passed: usize,
    first: Option<usize>,
    left: usize,
    /// The first of them that closed all that the text had opened.
    balanced: Option<usize>,
}

impl BracketLook {
    /// For a text that goes on so far for certain.
    pub(super) fn behind(len: usize) -> Self {
        Self { scanned: len, ..Self::default() }
    }
}

impl Engine {
    /// The first `]` of a text that what comes after it makes sense of. Where none does before a node begins, the first that
    /// closes what the text has opened; where none does at all, the first.
    pub(super) fn look_for_bracket<V: Visitor>(
        &mut self,
        mut look: BracketLook,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, bool> {
        let bytes = &view[1..];
        let start = self.offset_at(self.at) + 1;
        let close = loop {
            if look.passed == TRIES {
                self.pass_barren(&mut look, start, bytes);
            }
            let from = look.scanned;
            let Some(close) = find_close(&bytes[from..], &mut look.escaped) else {
                look.scanned = bytes.len();
                if !last {
                    self.look.about = About::Bracket(look);
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
            if look.passed > 0 && begins_node(&bytes[look.left..close]) {
                // No text goes on like that.
                self.barren = self.barren.max((start + look.left as u64, false));
                break look.balanced;
            }
            let after = &bytes[close + 1..];
            match followed(after, last) {
                None => {
                    look.scanned = close;
                    self.look.about = About::Bracket(look);
                    return ControlFlow::Continue(false);
                }
                Some(Follow::Text) => {
                    let closes = look.passed;
                    if closes < TRIES && is_balanced(&bytes[..close], closes) {
                        let ends = if ident::is_line(self.text.head) {
                            property_behind_junk(after, last)
                        } else {
                            Some(false)
                        };
                        let Some(ends) = ends else {
                            look.scanned = close;
                            self.look.about = About::Bracket(look);
                            return ControlFlow::Continue(false);
                        };
                        if ends || self.ends_game(after) {
                            break Some(close);
                        }
                        look.balanced.get_or_insert(close);
                    }
                    look.first.get_or_insert(close);
                    look.passed = TRIES.min(closes + 1);
                    look.scanned = close + 1;
                    look.left = close + 1;
                }
                Some(_) => break Some(close),
            }
        };
        let limit = self.config.limits.value;
        let close = close.filter(|&len| len <= limit || !self.text.by_character);
        let len = close.or(look.first).filter(|&len| len <= limit);
        let here = self.offset_at(self.at);
        self.end_look(Some(match len {
            Some(len) => Found::End(len, self.text.by_character.then(|| self.text.reading(&bytes[..len]))),
            None => Found::Nothing,
        }));
        if len.is_none() {
            self.text.head = [0; 3];
        }
        if let Some(first) = look.first
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
    fn pass_barren(&self, look: &mut BracketLook, start: u64, bytes: &[u8]) {
        let (offset, escaped) = self.barren;
        let at = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
        if at > look.scanned && at <= bytes.len() {
            look.left = look.left.max(at.saturating_sub(NODE));
            look.scanned = at;
            look.escaped = escaped;
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
