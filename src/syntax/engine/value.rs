//! Values: from the byte after `[` to the first `]` without a backslash before it.
//!
//! Owns the value in progress: its [`Mode`], and what waits of it in `carry`, which is no more than may be delivered, or
//! a unit of it if it is wanted in parts. Refuses to know that a `]` may close nothing: where that is so, a look has found
//! the end before any of the value is read, and no value is in progress.

use std::ops::ControlFlow;

use super::skip::Unread;
use super::{Before, Engine, Flow, State, Stop, parts};
use crate::syntax::scan::{self, ValueEnd, find_close};
use crate::syntax::{Deliver, Part, Position, ProblemKind, Value, Visitor, kinds};
use crate::text::MAX_SHORT_VALUE;

/// What happens to the value in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// It is delivered in one piece.
    Whole,
    /// It is delivered in pieces.
    Parts,
    /// The visitor does not want it.
    Unwanted,
    /// No property stands before it.
    Orphan,
    /// It was wanted whole and is too long for that.
    TooLong,
    /// It belongs to a skipped run that is reported at its end.
    Surplus(ProblemKind),
}

impl Engine {
    /// At a `[`.
    pub(super) fn open_value(&mut self) {
        let Before::Property(answer) = self.before else { return self.begin_value(Mode::Orphan) };
        if self.values >= self.config.limits.property_values {
            self.token = self.position_at(self.at);
            self.token_end = self.token.offset;
            self.state = State::Surplus(ProblemKind::LimitValues);
            return;
        }
        self.values += 1;
        self.begin_value(match answer {
            Deliver::Whole => Mode::Whole,
            Deliver::Parts => Mode::Parts,
            Deliver::Skip => Mode::Unwanted,
        });
    }

    fn begin_value(&mut self, mode: Mode) {
        self.value = self.position_at(self.at).forward(1);
        self.at += 1;
        self.from = self.at;
        self.carry.clear();
        self.escaped = false;
        self.state = State::Value(mode);
    }

    pub(super) fn value<V: Visitor>(&mut self, mode: Mode, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        if mode == Mode::Parts && !self.carry.is_empty() {
            return self.join_part(chunk, visitor);
        }
        self.from = self.at;
        let rest = &chunk[self.at..];
        let offset = self.offset_at(self.at);
        let mut escaped = self.escaped;
        let ValueEnd { close, ends, ascii, .. } = scan::value_end(rest, &mut escaped, self.lines.is_after_cr(offset));
        if !ascii || !self.carry.is_empty() {
            self.check_text(mode, rest, close, visitor)?;
        }
        let Some(len) = close else {
            self.escaped = escaped;
            self.at = chunk.len();
            return ControlFlow::Continue(());
        };
        self.mark_endless(mode, offset + len as u64, visitor)?;
        self.escaped = escaped;
        let raw = &rest[..len];
        let position = self.lines.position_of(raw.first(), offset);
        self.lines.apply(ends, raw, offset);
        self.at += len;
        self.close_value();
        let end = self.offset_at(self.at);
        let writing = self.text.writing;
        match mode {
            Mode::Whole if self.fits(len) => self.whole(raw, visitor),
            Mode::Whole | Mode::TooLong => self.problem(ProblemKind::ValueTooLong, self.value.back(), end, visitor),
            Mode::Parts => visitor.part(Part { position, writing, raw, last: true }).map_break(Stop::Visitor),
            Mode::Unwanted => ControlFlow::Continue(()),
            Mode::Orphan => self.problem(ProblemKind::ValueWithoutProperty, self.value.back(), end, visitor),
            Mode::Surplus(kind) => {
                self.token_end = end;
                self.state = State::Surplus(kind);
                ControlFlow::Continue(())
            }
        }
    }

    /// At the `]` of the value in progress, which has this offset. Most values are short.
    #[inline(always)]
    fn mark_endless<V: Visitor>(&mut self, mode: Mode, close: u64, visitor: &mut V) -> Flow<V> {
        let len = close - self.value.offset;
        if len > MAX_SHORT_VALUE as u64 { self.mark_long(mode, len, visitor) } else { ControlFlow::Continue(()) }
    }

    #[cold]
    fn mark_long<V: Visitor>(&mut self, mode: Mode, len: u64, visitor: &mut V) -> Flow<V> {
        let is_delivered = match mode {
            Mode::Whole => len <= self.config.limits.value as u64,
            Mode::Parts | Mode::Unwanted => true,
            Mode::Orphan | Mode::TooLong | Mode::Surplus(_) => false,
        };
        if is_delivered && self.text.is_endless(len) {
            return self.mark_swallower(self.value, self.value.offset + len + 1, visitor);
        }
        ControlFlow::Continue(())
    }

    /// Marks a value that may have swallowed another, unless that was done before the visitor broke.
    #[cold]
    pub(super) fn mark_swallower<V: Visitor>(&mut self, value: Position, end: u64, visitor: &mut V) -> Flow<V> {
        self.problem_once(ProblemKind::SwallowedProperty, value.back(), end, visitor)?;
        self.is_reported = false;
        ControlFlow::Continue(())
    }

    /// Whether the value in progress may still be delivered whole if this many bytes of it come.
    fn fits(&self, more: usize) -> bool {
        self.carry.len() + more <= self.config.limits.value
    }

    /// At the `]` of the value in progress, all of which has been checked. A value shorter than a page that lies in the
    /// chunk whole never was in progress: `attend` checks it to its end, and `odd_value` delivers it.
    fn close_value(&mut self) {
        self.text.end_parts(self.value.offset, self.offset_at(self.at) - self.value.offset);
        self.at += 1;
        self.state = State::Inside;
    }

    /// Reports what is wrong with the text of a value, or with the piece of it that lies in the chunk, before any of it
    /// is delivered.
    fn check_text<V: Visitor>(&mut self, mode: Mode, rest: &[u8], close: Option<usize>, visitor: &mut V) -> Flow<V> {
        let in_parts = mode == Mode::Parts;
        let piece = match close {
            Some(len) => &rest[..len],
            None if in_parts => &rest[..parts::cut(rest)],
            None => return ControlFlow::Continue(()),
        };
        let is_wanted = in_parts || (mode == Mode::Whole && self.fits(piece.len()));
        if !is_wanted || (piece.is_ascii() && self.carry.is_ascii()) {
            return ControlFlow::Continue(());
        }
        if in_parts {
            return self.check_part(piece, self.value, true, visitor);
        }
        if self.carry.is_empty() {
            return self.check(piece, self.value, visitor);
        }
        let held = self.carry.len();
        self.carry.extend_from_slice(piece);
        let raw = std::mem::take(&mut self.carry);
        let flow = self.check(&raw, self.value, visitor);
        self.carry = raw;
        self.carry.truncate(held);
        flow
    }

    fn whole<V: Visitor>(&mut self, raw: &[u8], visitor: &mut V) -> Flow<V> {
        let (position, writing) = (self.value, self.text.writing);
        if self.carry.is_empty() {
            return visitor.value(Value { position, writing, raw }).map_break(Stop::Visitor);
        }
        self.carry.extend_from_slice(raw);
        visitor.value(Value { position, writing, raw: &self.carry }).map_break(Stop::Visitor)
    }

    /// Saves what the next chunk will need of the value. The chunk ended in it, or the visitor broke at a part of it;
    /// then there is nothing to save.
    pub(super) fn save_value<V: Visitor>(&mut self, mode: Mode, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        let piece = &chunk[self.from..self.at];
        let offset = self.offset_at(self.from);
        self.from = 0;
        if mode == Mode::Parts && !piece.is_empty() {
            let (ready, held) = piece.split_at(parts::cut(piece));
            let position = self.lines.position_of(ready.first(), offset);
            self.lines.advance(ready, offset);
            self.part = self.lines.position_of(held.first(), offset + ready.len() as u64);
            self.lines.advance(held, self.part.offset);
            self.carry.clear();
            self.carry.extend_from_slice(held);
            if !ready.is_empty() {
                let writing = self.text.writing;
                return visitor.part(Part { position, writing, raw: ready, last: false }).map_break(Stop::Visitor);
            }
            return ControlFlow::Continue(());
        }
        self.lines.advance(piece, offset);
        if mode == Mode::Whole {
            if self.fits(piece.len()) {
                self.carry.extend_from_slice(piece);
            } else {
                self.carry.clear();
                self.state = State::Value(Mode::TooLong);
            }
        }
        ControlFlow::Continue(())
    }

    /// The last chunk ended inside an escape, a line break or a character. Completes that unit, and no more, in the carry buffer.
    fn join_part<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        let rest = &chunk[self.at..];
        let rest = &rest[..rest.len().min(parts::UNIT_LIMIT)];
        let offset = self.offset_at(self.at);
        let held = self.carry.len();
        let mut escaped = self.escaped;
        let close = find_close(rest, &mut escaped);
        self.carry.extend_from_slice(&rest[..close.unwrap_or(rest.len())]);
        let unit = if close.is_some() { Some(self.carry.len()) } else { parts::unit_len(&self.carry) };
        if let Some(unit) = unit
            && !self.carry[..unit].is_ascii()
        {
            let raw = std::mem::take(&mut self.carry);
            let flow = self.check_part(&raw[..unit], self.value, true, visitor);
            self.carry = raw;
            if flow.is_break() {
                self.carry.truncate(held);
                return flow;
            }
        }
        let used = unit.unwrap_or(self.carry.len()) - held;
        if close.is_some()
            && let flow @ ControlFlow::Break(_) = self.mark_endless(Mode::Parts, offset + used as u64, visitor)
        {
            self.carry.truncate(held);
            return flow;
        }
        self.lines.advance(&rest[..used], offset);
        self.at += used;
        self.from = self.at;
        let Some(unit) = unit else {
            self.escaped = escaped;
            return ControlFlow::Continue(());
        };
        self.escaped = false;
        if close.is_some() {
            self.close_value();
        }
        let writing = self.text.writing;
        let part = Part { position: self.part, writing, raw: &self.carry[..unit], last: close.is_some() };
        let flow = visitor.part(part);
        self.carry.clear();
        flow.map_break(Stop::Visitor)
    }

    /// At the `[` of a value to which no property belongs.
    pub(super) fn orphan<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        self.text.head = kinds::NONE;
        match self.unread_value(State::Inside, &chunk[self.at + 1..]) {
            // After a break it is fed again, and perhaps in pieces.
            Unread::Ends(len) if chunk.len() - self.at < len + 1 => self.wait_for_value(),
            Unread::Ends(len) => {
                let position = self.position_at(self.at);
                self.pass_value(len, chunk);
                return self.problem(ProblemKind::ValueWithoutProperty, position, self.offset_at(self.at), visitor);
            }
            Unread::Open => self.open_value(),
            Unread::Look => {}
        }
        ControlFlow::Continue(())
    }

    /// Goes past the value whose `[` is here.
    fn pass_value(&mut self, len: usize, chunk: &[u8]) {
        let value = &chunk[self.at..][..=len];
        self.lines.advance(value, self.offset_at(self.at));
        self.at += value.len();
    }

    /// Between the values of a skipped run.
    pub(super) fn surplus<V: Visitor>(&mut self, kind: ProblemKind, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        if !self.white_space(chunk) {
            return ControlFlow::Continue(());
        }
        if chunk[self.at] == b'[' {
            match self.unread_value(State::Surplus(kind), &chunk[self.at + 1..]) {
                Unread::Ends(len) => {
                    self.pass_value(len, chunk);
                    self.token_end = self.offset_at(self.at);
                }
                Unread::Open => self.begin_value(Mode::Surplus(kind)),
                Unread::Look => {}
            }
            return ControlFlow::Continue(());
        }
        self.state = State::Inside;
        self.problem(kind, self.token, self.token_end, visitor)
    }
}
