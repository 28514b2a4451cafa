//! Where a value ends if its characters may hide brackets.
//!
//! Owns [`EndLook`]. Invariant: the result depends on the bytes alone, however they are fed. Refuses to know which reading of
//! them makes sense, which is for `text`, and whether somebody has forgotten to escape the `]` that is found.

use std::ops::ControlFlow;

use super::super::charset::{Reading, is_followed};
use super::super::{Engine, State, Stop};
use super::bracket::BracketLook;
use super::{About, Found};
use crate::syntax::scan::{ValueEnd, value_end};
use crate::syntax::{ProblemKind, Visitor};
use crate::text::{Charset, Closed, Closer, EscapeUnit, StepState, Steps};

/// How far the look has come.
#[derive(Clone, Debug, Default)]
pub(super) struct EndLook {
    /// Bytes of the value that were found to be ASCII, if all are so far.
    plain: usize,
    escaped: bool,
    /// The value is more than ASCII.
    is_text: bool,
    /// How far stepping from character to character has come.
    stepped: usize,
    steps: StepState,
    /// Reads the value both ways.
    closer: Option<Closer>,
}

/// The `]` that ends a value, if one was found.
#[derive(Clone, Copy)]
struct End {
    len: Option<usize>,
    by_character: bool,
    makes_sense: bool,
}

impl End {
    /// No end was found; the byte rules apply.
    const NOWHERE: Self = Self { len: None, by_character: false, makes_sense: false };
}

impl EndLook {
    /// Where the value at the start of `bytes` ends, as long as it is ASCII, in which no character hides a bracket.
    /// `None` if it is not, or has no end so far.
    fn plain_end(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.is_text {
            return None;
        }
        let rest = &bytes[self.plain..];
        let ValueEnd { close, ascii, .. } = value_end(rest, &mut self.escaped, false);
        self.is_text = !ascii;
        self.plain += close.unwrap_or(rest.len());
        close.filter(|_| ascii).map(|_| self.plain)
    }

    /// Where the value at the start of `bytes` ends; `None` if more bytes would show it. `last`: no more are to be had.
    fn end(&mut self, bytes: &[u8], last: bool, charset: Charset, unit: EscapeUnit, limit: usize) -> Option<End> {
        if unit == EscapeUnit::Character {
            let Some(steps) = Steps::of(charset) else { return Some(End::NOWHERE) };
            let from = std::mem::replace(&mut self.stepped, bytes.len());
            return match steps.close(&mut self.steps, &bytes[from..]) {
                Some(at) => Some(End { len: Some(from + at), by_character: true, makes_sense: true }),
                None => last.then_some(End::NOWHERE),
            };
        }
        if self.closer.is_none() {
            self.closer = Closer::new(charset, limit);
        }
        let Some(closer) = &mut self.closer else { return Some(End::NOWHERE) };
        match closer.close(bytes, last) {
            Closed::At(close) => {
                Some(End { len: Some(close.at), by_character: close.by_character, makes_sense: close.decodes })
            }
            Closed::More if !last => None,
            Closed::More | Closed::Nowhere => Some(End::NOWHERE),
        }
    }
}

impl Engine {
    pub(super) fn look_for_end<V: Visitor>(
        &mut self,
        mut look: EndLook,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, bool> {
        let (limit, unit, charset) = (self.config.limits.value, self.text.unit, self.text.writing.charset());
        let back = self.look.back;
        if let Some(len) = look.plain_end(&view[1..]) {
            let is_short = len <= limit;
            let reading = Reading { writing: self.text.writing, decodes: true };
            self.end_look(Some(if is_short { Found::End(len, Some(reading)) } else { Found::Nothing }));
            if self.text.repairs() && is_short {
                self.begin_bracket_look(back);
            }
            return ControlFlow::Continue(true);
        }
        let end = if look.is_text || last { look.end(&view[1..], last, charset, unit, limit) } else { None };
        let Some(end) = end else {
            self.look.about = About::End(look);
            return ControlFlow::Continue(false);
        };
        let len = end.len.filter(|&len| len <= limit);
        let found = len.map(|len| (len, self.text.reading_as(&view[1..=len], end.by_character)));
        if let Some((len, reading)) = found
            && ((end.makes_sense && reading.decodes) || unit == EscapeUnit::Character)
            && self.text.repairs()
            && !is_followed(&view[len + 2..], last)
        {
            self.begin_look_about(back, About::Bracket(BracketLook::behind(len)));
            return ControlFlow::Continue(true);
        }
        self.end_look(Some(found.map_or(Found::TooLong, |(len, reading)| Found::End(len, Some(reading)))));
        if !end.makes_sense && unit == EscapeUnit::Auto {
            self.text.read_by_byte();
            if self.state == State::Inside {
                let value = self.position_at(self.at + 1);
                let len = end.len.unwrap_or(0) as u64;
                self.problem(ProblemKind::EscapeUnitChanged, value, value.offset + len, visitor)?;
            }
        }
        ControlFlow::Continue(true)
    }
}
