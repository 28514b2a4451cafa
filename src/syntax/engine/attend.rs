//! What happens before a value is delivered, if it has more than ASCII or may not end where it seems to.
//!
//! Owns the choice of what examines such a value: nothing, the game's text by itself, or a look at what comes; and that
//! a fault in its text is reported once. How a charset is worked out is for `charset`, and where a value ends for
//! `look`.

use std::ops::ControlFlow;

use super::charset::{REACH, is_followed};
use super::look::LIMIT;
use super::{Engine, State, Stop};
use crate::syntax::{Deliver, Position, Problem, ProblemKind, Visitor};
use crate::text::{LabelError, LabelTrouble, Writing, hides_nothing};

impl Engine {
    /// At the `[` of a value that is more than plain ASCII within the chunk: it is not ASCII, or it declares the
    /// charset, or its end is not in sight. By the byte rules it has `len` bytes, if that is known. Returns its length
    /// and how it is written, or `None` if the state has changed.
    #[cold]
    pub(super) fn attend<V: Visitor>(
        &mut self,
        at: usize,
        len: Option<usize>,
        chunk: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, Option<(usize, Writing)>> {
        self.at = at;
        let in_parts = self.property == Some(Deliver::Parts);
        // A value that the visitor does not want decides nothing, unless the question is where it ends; and it
        // contradicts nothing.
        let is_wanted = self.property != Some(Deliver::Skip);
        let is_of_interest = is_wanted || self.text.is_cautious();
        let is_checked = is_of_interest && (is_wanted || self.text.undecided);
        if let Some((len, reading)) = self.looked_at() {
            if chunk.len() < at + len + 2 {
                // After a break it is fed again, and perhaps in pieces.
                self.wait_for_value();
                return ControlFlow::Continue(None);
            }
            let (raw, position) = (&chunk[at + 1..][..len], self.position_at(at + 1));
            let end = position.offset + len as u64;
            match reading {
                None if is_checked && !raw.is_ascii() => {
                    self.check(raw, in_parts, position, visitor)?;
                    self.text.end_parts(position.offset, len as u64);
                }
                Some(reading) if !reading.decodes && is_of_interest => {
                    self.text_problem(ProblemKind::UndecodableText, position, end, visitor)?;
                }
                _ => {}
            }
            return ControlFlow::Continue(Some((len, reading.map_or(self.text.writing, |reading| reading.writing))));
        }
        if self.offset_at(at) - self.game >= REACH && !self.text.by_character {
            self.text.stop_looking();
        }
        let Some(len) = len else {
            let in_limits = self.values < self.config.limits.values;
            let repairs = self.text.repairs();
            let is_asked = self.text.by_character
                || self.text.declares
                || (is_of_interest && self.text.undecided && !(repairs && self.text.is_decided_alone()))
                || (is_of_interest && in_parts && self.text.may_be_cut() && !repairs);
            if is_asked && in_limits && !self.is_passed() {
                self.begin_value_look(State::Inside, self.text.declares);
            } else if repairs && in_limits {
                self.begin_bracket_look(State::Inside);
            } else {
                self.open_value();
            }
            return ControlFlow::Continue(None);
        };
        let raw = &chunk[at + 1..][..len];
        let position = self.position_at(at + 1);
        let end = position.offset + len as u64;
        // Where a game is skipped, a label behind this limit is not found, so here it is not reported either.
        if self.text.declares && end - self.game < LIMIT as u64 && self.text.changes(raw) {
            self.problem(ProblemKind::CharsetChanged, position, end, visitor)?;
        }
        if std::mem::take(&mut self.text.declares)
            && let Some(trouble) = self.text.declare(raw)
        {
            let (kind, charset) = match trouble {
                LabelTrouble::Unknown(LabelError::Unsupported(charset)) => (ProblemKind::CharsetUnknown, Some(charset)),
                LabelTrouble::Unknown(_) => (ProblemKind::CharsetUnknown, None),
                LabelTrouble::Contradicted => (ProblemKind::CharsetContradicted, None),
            };
            self.report(Problem::new(kind, position, len as u64).of_charset(charset), visitor)?;
        }
        let goes_on = len > 0 && self.text.repairs() && !is_followed(&chunk[at + len + 2..], self.is_last());
        let is_text = !self.text.quiet && is_of_interest && !raw.is_ascii();
        if is_text {
            let waits = goes_on && !self.text.is_decided_alone();
            let open = self.text.undecided && (waits || !self.text.decide_at_once(raw));
            if !open && !goes_on && self.text.by_character && hides_nothing(self.text.writing.charset(), raw) {
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
            self.check(raw, in_parts, position, visitor)?;
            self.text.end_parts(position.offset, len as u64);
        }
        ControlFlow::Continue(Some((len, self.text.writing)))
    }

    /// Reports what is wrong with the bytes of a value, or of a piece of one, unless that was done already.
    ///
    /// A piece never changes what is known about the game: the result would depend on where pieces are cut.
    pub(super) fn check<V: Visitor>(
        &mut self,
        raw: &[u8],
        in_parts: bool,
        value: Position,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>> {
        if self.text.quiet || value.offset - 1 - self.game >= REACH {
            return ControlFlow::Continue(());
        }
        if !in_parts || self.text.undecided {
            let is_wanted = self.property != Some(Deliver::Skip);
            let kind = self.text.check(raw, value.offset, is_wanted && !in_parts);
            if in_parts {
                self.text.checked.note_part(value.offset, self.text.writing.decodes(raw));
            }
            // The visitor will not read what is undecodable in a value that it does not want; and if the end of the
            // value were not in sight, it would not be examined at all.
            return match kind.filter(|&kind| is_wanted || kind == ProblemKind::CharsetContradicted) {
                Some(kind) => {
                    let len = if in_parts && kind == ProblemKind::UndecodableText { 0 } else { raw.len() as u64 };
                    self.text_problem(kind, value, value.offset + len, visitor)
                }
                None => ControlFlow::Continue(()),
            };
        }
        let decodes = self.text.writing.decodes(raw);
        self.text.checked.note_part(value.offset, decodes);
        if decodes {
            return ControlFlow::Continue(());
        }
        self.text_problem(ProblemKind::UndecodableText, value, value.offset, visitor)
    }
}
