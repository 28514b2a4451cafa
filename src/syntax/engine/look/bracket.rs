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
use crate::text::{Follow, find_node, followed, property_behind_junk};

/// How many `]` of a text may close it because of what comes before them. Later ones are passed in one step, as far as
/// an earlier look has gone without an answer.
const TRIES: usize = 4;

/// Bytes of a `;`, white space and an identifier with its `[`; a step may have jumped into the middle of one.
const NODE: usize = 48;

/// How far the look has come.
#[derive(Clone, Debug, Default)]
pub(super) struct BracketLook {
    /// The first byte behind the text's `[` that was not looked at.
    scanned: usize,
    escaped: bool,
    /// How many `]` did not close the text, counted up to `TRIES`; the first of them; and where the search went on
    /// behind the last one.
    passed: usize,
    first: Option<usize>,
    left: usize,
    /// The first of them at which all brackets that the text had opened were closed.
    balanced: Option<usize>,
}

impl BracketLook {
    /// For a text that certainly has at least `len` bytes.
    pub(super) fn behind(len: usize) -> Self {
        Self { scanned: len, ..Self::default() }
    }
}

/// The `]` that closes a text.
enum Close {
    /// The text has that many bytes.
    At(usize),
    /// None of them does.
    Nowhere,
    /// More bytes are needed to know.
    More,
}

impl Engine {
    /// Finds where a text ends: if no `]` closes it, at the first one. That one is reported if another closes it.
    pub(super) fn look_for_bracket<V: Visitor>(
        &mut self,
        mut look: BracketLook,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, bool> {
        let bytes = &view[1..];
        let start = self.offset_at(self.at) + 1;
        let close = match self.find_bracket(&mut look, start, bytes, last) {
            Close::More => {
                self.look.about = About::Bracket(look);
                return ControlFlow::Continue(false);
            }
            Close::At(len) => Some(len),
            Close::Nowhere => None,
        };
        let len = close.or(look.first);
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
            lines.bytes(&bytes[..first], start);
            let position = lines.position(start + first as u64);
            self.problem(ProblemKind::UnescapedBracket, position, position.offset + 1, visitor)?;
        }
        ControlFlow::Continue(true)
    }

    /// The first `]` of a text after which what comes makes sense. If there is none before a node begins, it is the
    /// first that closes what the text has opened. The text begins with `bytes`, at the offset `start`.
    fn find_bracket(&mut self, look: &mut BracketLook, start: u64, bytes: &[u8], last: bool) -> Close {
        loop {
            if look.passed == TRIES {
                self.pass_barren(look, start, bytes);
                if self.is_met(look, start, bytes) {
                    return look.balanced.map_or(Close::Nowhere, Close::At);
                }
            }
            let from = look.scanned;
            let close = find_close(&bytes[from..], &mut look.escaped).map(|close| from + close);
            // What comes after a longer text may not be in sight, and it would not be delivered.
            let Some(close) = close.filter(|&close| close <= self.config.limits.value) else {
                look.scanned = close.unwrap_or(bytes.len());
                if close.is_none() && !last {
                    return Close::More;
                }
                self.barren = self.barren.max((start + look.scanned as u64, look.escaped));
                return Close::Nowhere;
            };
            if close == 0 {
                // The text is empty: nothing was written there, so this is no bracket within text.
                return Close::At(close);
            }
            if look.passed > 0
                && let Some(node) = find_node(&bytes[look.left..close])
            {
                // No text continues like that.
                self.sought = self.sought.max(start + close as u64);
                self.barren = self.barren.max((start + look.left as u64, false));
                self.met = (start + (look.left + node) as u64, start + close as u64);
                return look.balanced.map_or(Close::Nowhere, Close::At);
            }
            let after = &bytes[close + 1..];
            match followed(after, last) {
                None => {
                    look.scanned = close;
                    return Close::More;
                }
                Some(Follow::Text) => {}
                Some(_) => return Close::At(close),
            }
            if look.passed < TRIES && is_balanced(&bytes[..close], look.passed) {
                let is_line = ident::is_line(self.text.head);
                let Some(ends) = (if is_line { property_behind_junk(after, last) } else { Some(false) }) else {
                    look.scanned = close;
                    return Close::More;
                };
                if ends || self.ends_game(after) {
                    return Close::At(close);
                }
                look.balanced.get_or_insert(close);
            }
            if let [b'(', rest @ ..] = trim_start(after) {
                // At the end of the input, this `]` would close the text.
                self.sought = self.sought.max(start + (bytes.len() - rest.len()) as u64);
            }
            look.first.get_or_insert(close);
            look.passed = TRIES.min(look.passed + 1);
            look.scanned = close + 1;
            look.left = close + 1;
        }
    }

    /// Whether a `]` at which the text has closed all that it opened is its end, although what comes later makes no sense: the
    /// next `)` ends the game, and a line ends with it. This is so if a game has lost its beginning right behind a healthy one.
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

    /// Whether the search would now come to the node at which an earlier look has ended, and which it need not find again.
    fn is_met(&self, look: &BracketLook, start: u64, bytes: &[u8]) -> bool {
        let (node, close) = self.met;
        let is_ahead = node >= start + look.left as u64 && close >= start + look.scanned as u64;
        is_ahead && close - start <= self.config.limits.value as u64 && close - start < bytes.len() as u64
    }

    /// Jumps to where earlier looks have searched without an answer, so that many looks cost no more than one.
    fn pass_barren(&self, look: &mut BracketLook, start: u64, bytes: &[u8]) {
        let (offset, escaped) = self.barren;
        let at = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
        if at > look.scanned && at <= bytes.len() {
            look.left = look.left.max(at.saturating_sub(NODE));
            look.scanned = at;
            look.escaped = escaped;
        }
    }
}

/// Whether a text closes all the brackets that it opens, and no others; `closes` of its `]` were not escaped.
fn is_balanced(text: &[u8], closes: usize) -> bool {
    let opens = memchr_iter(b'[', text).count();
    (closes..=memchr_iter(b']', text).count()).contains(&opens)
}
