//! The tokens of a game: nodes, trees, identifiers, and what is none of these.
//!
//! Owns the rules of which token may stand where, the identifier in progress, and [`Backoff`], which says when the short
//! way is worth a try. Invariant: a token that stands where it should not is an event all the same, and its problem comes
//! once, right before it. Refuses to know where values end.

use std::ops::ControlFlow;

use super::skip::Until;
use super::{Before, Engine, Flow, State, Stop};
use crate::syntax::ident::{self, Ident, MAX_LEN, MAX_RAW_LEN};
use crate::syntax::scan;
use crate::syntax::{Deliver, Node, ProblemKind, Property, Step, Tree, Visitor, kinds};
use crate::text::white::is_white;

impl Engine {
    /// Reads tokens until one needs a state of its own. `short` knows what real games mostly consist of.
    pub(super) fn inside<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        let stop = self.game_stop().min(chunk.len());
        let short = self.short_stop(stop, chunk);
        while self.state == State::Inside {
            if self.at < short && !self.text.declares && self.backoff.next_tries() {
                let at = self.at;
                self.run_on(short, chunk, visitor)?;
                if self.state != State::Inside {
                    break;
                }
                self.backoff.tried(self.at > at);
            }
            let Some(&byte) = chunk.get(self.at) else { break };
            if self.at >= stop && byte != b')' && !is_white(byte) {
                self.token = self.position_at(self.at);
                self.skip_until(Until::GameEnd);
                break;
            }
            match byte {
                b';' => self.semicolon(visitor)?,
                b'(' => self.open_tree(visitor)?,
                b')' => self.close_tree(visitor)?,
                b'[' => {
                    let len = self.value_len(&chunk[self.at + 1..]);
                    match len {
                        Some(len) if self.is_time(&chunk[self.at + 1..][..len]) => self.pass_time(len, visitor)?,
                        _ => self.odd_value(len, chunk, visitor)?,
                    }
                }
                _ if is_white(byte) => {
                    self.lines.advance_byte(byte, self.offset_at(self.at));
                    self.at += 1;
                }
                _ if byte.is_ascii_alphanumeric() => self.begin_ident(),
                b'\\' if self.config.resync => {
                    self.token = self.position_at(self.at);
                    self.at += 1;
                    self.state = State::Backslash;
                }
                _ => {
                    self.token = self.position_at(self.at);
                    self.state = State::Illegal;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Where in the chunk the short ways must end. Some of their steps check no limits, so they stop short of the
    /// game's, and are not used with limits so small that one step could exceed them.
    fn short_stop(&self, stop: usize, chunk: &[u8]) -> usize {
        let limits = &self.config.limits;
        if limits.node_properties == 0 || limits.property_values == 0 || limits.value < scan::NEAR {
            0
        } else if stop < chunk.len() {
            stop.saturating_sub(scan::MOVES * scan::MOVE_LEN)
        } else {
            stop
        }
    }

    /// Where in the chunk the game becomes too long for another token.
    fn game_stop(&self) -> usize {
        let stop = self.game.saturating_add(self.config.limits.game);
        usize::try_from(stop.saturating_sub(self.base)).unwrap_or(usize::MAX)
    }

    pub(super) fn begin_ident(&mut self) {
        self.token = self.position_at(self.at);
        self.from = self.at;
        self.carry.clear();
        self.tail_lowercase = true;
        self.state = State::Ident;
    }

    #[inline(always)]
    pub(super) fn semicolon<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        let position = self.position_at(self.at);
        let after_variation = self.before == Before::Child;
        if after_variation {
            self.problem_once(ProblemKind::NodeAfterVariation, position, position.offset + 1, visitor)?;
        }
        self.at += 1;
        self.node(Node { position, implied: false, after_variation }, visitor)
    }

    #[inline(always)]
    fn node<V: Visitor>(&mut self, node: Node, visitor: &mut V) -> Flow<V> {
        self.begin_node();
        let answer = visitor.node(node);
        self.step(answer)
    }

    #[inline(always)]
    pub(super) fn begin_node(&mut self) {
        if self.before != Before::Fresh {
            self.text.leave_root();
        }
        self.is_reported = false;
        self.before = Before::Node;
        self.properties = 0;
    }

    #[inline(always)]
    pub(super) fn step<B>(&mut self, answer: ControlFlow<B, Step>) -> ControlFlow<Stop<B>> {
        match answer.map_break(Stop::Visitor)? {
            Step::Read => {}
            Step::SkipTree => self.skip_tree(),
            Step::SkipGame => self.skip_until(Until::Game),
        }
        ControlFlow::Continue(())
    }

    fn open_tree<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        let position = self.position_at(self.at);
        self.text.leave_root();
        if self.depth >= self.config.limits.depth.max(1) {
            self.at += 1;
            self.token = position;
            self.skip_until(Until::TooDeep);
            return ControlFlow::Continue(());
        }
        if self.before == Before::Fresh {
            self.problem_once(ProblemKind::TreeWithoutNode, position, position.offset + 1, visitor)?;
        }
        self.at += 1;
        let first_child = self.before != Before::Child;
        self.enter(Tree { position, depth: self.depth + 1, first_child, implied: false }, visitor)
    }

    fn close_tree<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        let position = self.position_at(self.at);
        if self.before == Before::Fresh {
            self.problem_once(ProblemKind::EmptyVariation, position, position.offset + 1, visitor)?;
        }
        self.at += 1;
        self.exit(position, 1, visitor)
    }

    pub(super) fn ident(&mut self, chunk: &[u8]) {
        let rest = &chunk[self.at..];
        let len = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
        self.at += len.unwrap_or(rest.len());
        if len.is_some() {
            self.token_end = self.offset_at(self.at);
            self.state = State::AfterIdent;
        }
    }

    pub(super) fn after_ident<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        if !self.white_space(chunk) {
            return ControlFlow::Continue(());
        }
        let next = Some(chunk[self.at]);
        self.decide_ident(next, chunk, visitor)
    }

    /// The identifier and the byte after it are known: a property, a stray word, or too long.
    pub(super) fn decide_ident<V: Visitor>(&mut self, next: Option<u8>, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        if !self.carry.is_empty() {
            self.save_ident(chunk);
        }
        let raw = self.ident_bytes(chunk);
        if self.is_entity(raw, next) {
            return self.end_entity(visitor);
        }
        let lowercase = ident::is_lowercase(raw) && self.tail_lowercase;
        let may_be_stray = next.is_some_and(is_of_no_token) && self.may_stand_before_stray(raw);
        let Some(stray_len) = (if may_be_stray { self.value_behind_stray(chunk) } else { Some(0) }) else {
            self.save_ident(chunk);
            self.begin_stray_look();
            return ControlFlow::Continue(());
        };
        if next == Some(b'[') && self.has_stray_digit(raw) {
            self.save_ident(chunk);
            return self.pass_digit(visitor);
        }
        let has_value = next == Some(b'[') || stray_len > 0;
        // In a list, a value that has lost its `[`.
        let is_value = next == Some(b']') && self.text.may_go_on();
        // Where no node has begun, the number of a line, or who quotes it.
        let is_of_line = self.config.resync && !self.before.is_node();
        if ((lowercase || is_of_line) && !has_value) || is_value {
            return self.stray_word(next, visitor);
        }
        if raw.len() > MAX_RAW_LEN || Ident::pack(raw).1 > MAX_LEN {
            self.end_property();
            // Not the one before: in what is skipped nobody would compare them.
            self.text.head = kinds::NONE;
            self.state = State::Surplus(ProblemKind::IdentifierTooLong);
            return ControlFlow::Continue(());
        }
        if !self.before.is_node() {
            self.save_ident(chunk);
            self.problem_once(ProblemKind::MissingSemicolon, self.token, self.token_end, visitor)?;
            let after_variation = self.before == Before::Child;
            self.node(Node { position: self.token, implied: true, after_variation }, visitor)?;
            if self.state != State::AfterIdent {
                return ControlFlow::Continue(());
            }
        }
        if self.properties >= self.config.limits.node_properties {
            self.save_ident(chunk);
            self.skip_until(Until::NodeEnd);
            return ControlFlow::Continue(());
        }
        if lowercase {
            self.problem_once(ProblemKind::LowercaseIdentifier, self.token, self.token_end, visitor)?;
        } else if !has_value {
            self.problem_once(ProblemKind::PropertyWithoutValue, self.token, self.token_end, visitor)?;
        }
        self.is_reported = false;
        self.state = State::Inside;
        self.begin_property(has_value);
        let head = Ident::pack(self.ident_bytes(chunk)).0.head();
        self.text.begin_property(head);
        let position = self.token;
        if stray_len > 0 {
            self.save_ident(chunk);
            self.begin_stray(stray_len);
        }
        let raw = self.ident_bytes(chunk);
        let answer = visitor.property(Property { position, raw }).map_break(Stop::Visitor)?;
        if has_value {
            self.before = Before::Property(answer);
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    pub(super) fn begin_property(&mut self, has_value: bool) {
        self.properties += 1;
        self.values = 0;
        self.before = if has_value { Before::Property(Deliver::Whole) } else { Before::Node };
    }

    /// A word that is no identifier is a run of illegal bytes, together with what follows it without a gap.
    fn stray_word<V: Visitor>(&mut self, next: Option<u8>, visitor: &mut V) -> Flow<V> {
        self.end_property_at_illegal();
        let adjacent = self.token_end == self.offset_at(self.at);
        if adjacent && next.is_some_and(|byte| !ends_illegal(byte)) {
            self.state = State::Illegal;
            return ControlFlow::Continue(());
        }
        self.state = State::Inside;
        self.problem(ProblemKind::IllegalBytes, self.token, self.token_end, visitor)
    }

    /// The identifier, which has ended; all of it lies in the chunk, or as much as was kept in `carry`.
    fn ident_bytes<'a>(&'a self, chunk: &'a [u8]) -> &'a [u8] {
        if self.carry.is_empty() { &chunk[self.from..self.ident_end()] } else { &self.carry }
    }

    /// Where the identifier's bytes end in the chunk, 0 if it ended in an earlier one.
    fn ident_end(&self) -> usize {
        self.token_end.saturating_sub(self.base) as usize
    }

    /// Keeps the identifier: up to one byte more than is allowed, so that its excess length still shows, and for the
    /// bytes after that, whether they were all lower case.
    pub(super) fn save_ident(&mut self, chunk: &[u8]) {
        let end = if self.state == State::Ident { self.at } else { self.ident_end() };
        let fresh = &chunk[self.from.min(end)..end];
        let room = (MAX_RAW_LEN + 1).saturating_sub(self.carry.len());
        let (kept, dropped) = fresh.split_at(fresh.len().min(room));
        self.carry.extend_from_slice(kept);
        self.tail_lowercase &= ident::is_lowercase(dropped);
        self.from = end;
    }

    pub(super) fn illegal<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        let rest = &chunk[self.at..];
        let len = rest.iter().position(|&byte| ends_illegal(byte));
        self.note_entity(&rest[..len.unwrap_or(rest.len())]);
        self.at += len.unwrap_or(rest.len());
        if len.is_none() {
            return ControlFlow::Continue(());
        }
        self.state = State::Inside;
        self.end_property_at_illegal();
        self.problem(ProblemKind::IllegalBytes, self.token, self.offset_at(self.at), visitor)
    }

    /// Behind a backslash outside of values, `r`, `n` and `t` are not names: programs that read JSON badly leave line ends so. The
    /// next value may stand on the next line.
    pub(super) fn backslash<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        match chunk[self.at] {
            b'r' | b'n' | b't' => {
                self.at += 1;
                self.state = State::Inside;
                self.problem(ProblemKind::IllegalBytes, self.token, self.offset_at(self.at), visitor)
            }
            b'\\' => {
                self.at += 1;
                ControlFlow::Continue(())
            }
            _ => {
                self.state = State::Illegal;
                ControlFlow::Continue(())
            }
        }
    }

    /// Illegal bytes end a property, unless it has a list in which somebody has lost a bracket. Skipping does not know which list
    /// that is, so in its other values no lost end is sought.
    pub(super) fn end_property_at_illegal(&mut self) {
        if self.text.may_go_on() {
            self.text.head = kinds::SOME_LIST;
        } else {
            self.end_property();
        }
    }
}

/// Counts tokens that go the long way without a try of the short one, after tries that failed: finding out takes a
/// third of the time of such a token.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backoff {
    /// Failed tries, one after the other.
    failures: u8,
    /// Tokens before the next try.
    skips: u8,
}

impl Backoff {
    /// The most failed tries that count. One odd token among usual ones costs those nothing: tries are left out only
    /// from the second failure in a row on.
    const MAX_FAILURES: u8 = 4;

    /// Whether the short way is to be tried for the next token; counts that token.
    fn next_tries(&mut self) -> bool {
        let tries = self.skips == 0;
        self.skips = self.skips.saturating_sub(1);
        tries
    }

    fn tried(&mut self, is_of_use: bool) {
        self.failures = if is_of_use { 0 } else { (self.failures + 1).min(Self::MAX_FAILURES) };
        self.skips = self.failures.saturating_sub(1);
    }
}

/// A byte that is neither white space nor part of a token.
#[inline]
fn is_of_no_token(byte: u8) -> bool {
    !ends_illegal(byte) && byte != b']'
}

/// A byte at which a run of illegal bytes ends.
pub(super) fn ends_illegal(byte: u8) -> bool {
    is_white(byte) || byte.is_ascii_alphanumeric() || matches!(byte, b'(' | b')' | b'[' | b';')
}
