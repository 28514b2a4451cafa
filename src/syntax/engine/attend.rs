//! What happens before a value is delivered, if it has more than ASCII or may not end where it seems to.
//!
//! Owns the choice of what examines such a value: nothing, the game's text by itself, or a look at what comes; and that
//! a fault in its text is reported once. How a charset is worked out is for `charset`, and where a value ends for
//! `look`.

use std::ops::ControlFlow;

use memchr::memchr;

use super::charset::Reading;
use super::ends::is_followed;
use super::{Before, Engine, Flow, State};
use crate::syntax::scan;
use crate::syntax::{Deliver, Position, Problem, ProblemKind, Visitor, kinds};
use crate::text::{LabelError, LabelTrouble, MAX_SHORT_VALUE, Writing, hides_nothing};

impl Engine {
    /// At the `[` of a value that is more than plain ASCII within the chunk: it is not ASCII, or it declares the
    /// charset, or its end is not in sight. By the byte rules it has `len` bytes, if that is known. Returns its length
    /// and how it is written, or `None` if the state has changed.
    #[cold]
    pub(super) fn attend<V: Visitor>(
        &mut self,
        len: Option<usize>,
        chunk: &[u8],
        visitor: &mut V,
    ) -> Flow<V, Option<(usize, Writing)>> {
        if let Some((len, reading)) = self.looked_at() {
            return self.take_looked_at(len, reading, chunk, visitor);
        }
        let is_checked = self.is_checked();
        if self.is_far(self.offset_at(self.at)) {
            self.text.stop_looking();
        }
        let Some(len) = len else {
            self.begin_out_of_sight(&chunk[self.at + 1..], visitor)?;
            return ControlFlow::Continue(None);
        };
        let by_byte = &chunk[self.at + 1..][..len];
        let len = self.text.own_len(by_byte);
        let raw = &by_byte[..len];
        let position = self.position_at(self.at + 1);
        if self.text.declares {
            self.read_label(raw, position, visitor)?;
        }
        let goes_on = self.may_go_on_behind(len, &chunk[self.at + 1..]);
        let is_text = !self.text.quiet && self.is_of_interest() && !raw.is_ascii();
        if is_text {
            let waits = goes_on && !self.text.is_decided_alone();
            // As in a look, which does not know yet that the value is shorter.
            let open = self.text.undecided && (waits || !self.text.decide_at_once(by_byte));
            if !goes_on && self.text.by_character && hides_nothing(self.text.writing.charset(), raw) {
                // This is what a look would find.
                return ControlFlow::Continue(Some((len, Writing::by_character(self.text.writing.charset()))));
            }
            if open || (self.text.by_character && !self.is_too_long()) {
                self.begin_value_look(State::Inside, false);
                return ControlFlow::Continue(None);
            }
        }
        if goes_on {
            self.begin_bracket_look(State::Inside);
            return ControlFlow::Continue(None);
        }
        if is_text && is_checked {
            self.check_to_end(raw, position, visitor)?;
            if self.text.by_character {
                return ControlFlow::Continue(Some((len, self.text.reading(raw).writing)));
            }
        }
        ControlFlow::Continue(Some((len, self.text.writing)))
    }

    /// At the `[` of a value that was looked at. Returns as [`attend`](Self::attend).
    fn take_looked_at<V: Visitor>(
        &mut self,
        len: usize,
        reading: Option<Reading>,
        chunk: &[u8],
        visitor: &mut V,
    ) -> Flow<V, Option<(usize, Writing)>> {
        let Some(raw) = chunk[self.at + 1..].get(..=len).map(|value| &value[..len]) else {
            // After a break it is fed again, and perhaps in pieces.
            self.wait_for_value();
            return ControlFlow::Continue(None);
        };
        let position = self.position_at(self.at + 1);
        if self.text.declares {
            self.read_label(raw, position, visitor)?;
        }
        match reading {
            None if !raw.is_ascii() && self.is_checked() => self.check_to_end(raw, position, visitor)?,
            Some(reading) if !reading.decodes => {
                self.text_problem(ProblemKind::UndecodableText, position, position.offset + len as u64, visitor)?;
            }
            _ => {}
        }
        ControlFlow::Continue(Some((len, reading.map_or(self.text.writing, |reading| reading.writing))))
    }

    /// At the `[` of a value whose end is not in sight: it is opened, unless it must be known before any of it is
    /// delivered.
    fn begin_out_of_sight<V: Visitor>(&mut self, value: &[u8], visitor: &mut V) -> Flow<V> {
        let in_limits = self.values < self.config.limits.property_values;
        if in_limits && let Some(end) = self.cut_end(value) {
            return self.give_up_at(end, value, visitor);
        }
        if self.is_last() && !self.text.declares && value.is_ascii() && memchr(b']', value).is_none() {
            // A look would find that it is cut off, and nothing else.
            self.open_value();
            return ControlFlow::Continue(());
        }
        let repairs = self.may_be_repaired();
        let may_decide = self.text.undecided && self.text.is_evidence() && !(repairs && self.text.is_decided_alone());
        let may_be_cut = self.before == Before::Property(Deliver::Parts) && self.text.may_be_cut() && !repairs;
        // As where the end is in sight, a game of which enough was checked decides nothing any more.
        let is_of_interest = !self.text.quiet && self.is_of_interest();
        let is_asked = self.text.by_character || self.text.declares || (is_of_interest && (may_decide || may_be_cut));
        if is_asked && in_limits && !self.is_passed() {
            self.begin_value_look(State::Inside, self.text.declares);
        } else if repairs && in_limits {
            self.begin_bracket_look(State::Inside);
        } else if in_limits && self.may_lose_its_end(value) {
            self.begin_short_look(State::Inside);
        } else {
            self.open_value();
        }
        ControlFlow::Continue(())
    }

    /// Whether the value behind the next byte may go on behind the `]` after its first `len` bytes: what follows is not what
    /// follows a value.
    pub(super) fn may_go_on_behind(&self, len: usize, value: &[u8]) -> bool {
        len > 0 && self.may_be_repaired() && !is_followed(&value[len + 1..], self.is_last())
    }

    /// At the `[` of a value that has lost its `]` and should have ended after this many bytes.
    pub(super) fn give_up_at<V: Visitor>(&mut self, end: usize, value: &[u8], visitor: &mut V) -> Flow<V> {
        let position = self.position_at(self.at);
        self.lines.advance(&value[..end], position.offset + 1);
        self.at += end + 1;
        self.problem(ProblemKind::UnterminatedValue, position, self.offset_at(self.at), visitor)
    }

    /// Whether the value behind the next byte, whose end is not in sight, may turn out to have lost it.
    pub(super) fn may_lose_its_end(&self, value: &[u8]) -> bool {
        let is_near = value.len() <= self.short_limit() && !self.is_passed();
        is_near && self.config.cap_values && !kinds::is_text(self.text.head)
    }

    /// A longer value is not examined for an end that it has lost.
    pub(super) fn short_limit(&self) -> usize {
        MAX_SHORT_VALUE.min(self.config.limits.value)
    }

    /// Where the value behind the next byte should have ended, if the input ends there or a game may begin.
    pub(super) fn cut_end(&mut self, value: &[u8]) -> Option<usize> {
        let is_cut = self.is_last() && value.len() <= self.short_limit();
        let end = if is_cut { self.text.cut_end(value) } else { None };
        if end.is_some() {
            self.cut_before(self.offset_at(self.at) + 1 + value.len() as u64);
        }
        end
    }

    /// Where the value whose `[` is here should have ended, if its `]` is missing. By the rules, it has these bytes.
    pub(super) fn lost_end(&self, raw: &[u8]) -> Option<usize> {
        if self.opens(raw) { self.text.lost_end(raw) } else { None }
    }

    /// Whether a value with these bytes has a `[` where its `]` may be missing. Most texts are ruled out here, without a call.
    pub(super) fn opens(&self, raw: &[u8]) -> bool {
        let opens = if kinds::is_prose(self.text.head) { scan::opens_near_end(raw) } else { scan::opens(raw) };
        opens && raw.len() <= self.config.limits.value
    }

    /// The first value of the root's CA is here.
    fn read_label<V: Visitor>(&mut self, raw: &[u8], position: Position, visitor: &mut V) -> Flow<V> {
        let len = raw.len() as u64;
        if self.text.changes(raw) {
            self.problem(ProblemKind::CharsetChanged, position, position.offset + len, visitor)?;
        }
        self.text.declares = false;
        let Some(trouble) = self.text.declare(raw) else { return ControlFlow::Continue(()) };
        let (kind, charset) = match trouble {
            LabelTrouble::Unknown(LabelError::Unsupported(charset)) => (ProblemKind::CharsetUnknown, Some(charset)),
            LabelTrouble::Unknown(_) => (ProblemKind::CharsetUnknown, None),
            LabelTrouble::Contradicted => (ProblemKind::CharsetContradicted, None),
        };
        self.report(Problem::new(kind, position, len).with_charset(charset), visitor)
    }

    fn is_wanted(&self) -> bool {
        self.before != Before::Property(Deliver::Skip)
    }

    /// Whether it matters how the value is read: to the visitor, or to the question where it ends.
    fn is_of_interest(&self) -> bool {
        self.is_wanted() || self.text.is_cautious()
    }

    /// A value that the visitor does not want decides nothing, unless the question is where it ends; and it contradicts
    /// nothing.
    fn is_checked(&self) -> bool {
        self.is_wanted() || (self.text.is_cautious() && self.text.undecided)
    }

    /// Checks a value of which all bytes are here. As no state was entered for it, none has to be left.
    fn check_to_end<V: Visitor>(&mut self, raw: &[u8], value: Position, visitor: &mut V) -> Flow<V> {
        if self.before != Before::Property(Deliver::Parts) {
            return self.check(raw, value, visitor);
        }
        self.check_part(raw, value, false, visitor)?;
        self.text.end_parts(value.offset, raw.len() as u64);
        ControlFlow::Continue(())
    }

    /// Reports what is wrong with the bytes of a value, unless that was done already.
    pub(super) fn check<V: Visitor>(&mut self, raw: &[u8], value: Position, visitor: &mut V) -> Flow<V> {
        if self.text.quiet || self.is_far(value.offset - 1) {
            return ControlFlow::Continue(());
        }
        let is_wanted = self.is_wanted();
        let kind = self.text.check(raw, value.offset, is_wanted);
        // The visitor will not read what is undecodable in a value that it does not want; and if the end of the value
        // were not in sight, it would not be examined at all.
        match kind.filter(|&kind| is_wanted || kind == ProblemKind::CharsetContradicted) {
            Some(kind) => self.text_problem(kind, value, value.offset + raw.len() as u64, visitor),
            None => ControlFlow::Continue(()),
        }
    }

    /// Reports what is wrong with a piece of a value that is wanted in parts, or with all of it.
    ///
    /// Once the charset is decided, a piece never changes what is known about the game, and what is wrong with it has
    /// no length: either would depend on where pieces are cut. `is_cut`: it may end or begin inside a character.
    pub(super) fn check_part<V: Visitor>(
        &mut self,
        raw: &[u8],
        value: Position,
        is_cut: bool,
        visitor: &mut V,
    ) -> Flow<V> {
        if self.text.quiet || self.is_far(value.offset - 1) {
            return ControlFlow::Continue(());
        }
        let is_open = self.text.undecided;
        let mut kind = if is_open { self.text.check(raw, value.offset, false) } else { None };
        let is_known = is_open && kind.is_none() && self.text.is_checked_in_full(raw);
        let decodes = (is_cut && self.text.may_be_cut()) || is_known || self.text.decodes_part(raw);
        self.text.checked.note_part(value.offset, decodes);
        if kind.is_none() && !decodes {
            kind = Some(ProblemKind::UndecodableText);
        }
        match kind {
            Some(kind @ ProblemKind::UndecodableText) => self.text_problem(kind, value, value.offset, visitor),
            Some(kind) => self.text_problem(kind, value, value.offset + raw.len() as u64, visitor),
            None => ControlFlow::Continue(()),
        }
    }
}
