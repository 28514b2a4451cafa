//! Where a value ends if its characters may hide brackets.
//!
//! Owns [`EndLook`]. Invariant: the result depends on the bytes alone, however they are fed. Refuses to know which reading of
//! them makes sense, which is for `text`, and whether somebody has forgotten to escape the `]` that is found.

use std::ops::ControlFlow;

use memchr::memchr;

use super::super::charset::Reading;
use super::super::ends::is_followed;
use super::super::{Engine, Flow, State};
use super::{About, Found};
use crate::syntax::scan::{ValueEnd, value_end};
use crate::syntax::{ProblemKind, Visitor};
use crate::text::{Charset, Closed, Closer, EscapeUnit, StepState, Steps, Unclosed, mostly_decodes};

/// The bytes that are examined at first: what stands far behind the first byte that is not ASCII would be examined again for
/// each value to come.
const PIECE: usize = 256;

/// How far the look has come.
#[derive(Clone, Debug, Default)]
pub(super) struct EndLook {
    /// Bytes of the value that were found to be ASCII, if all are so far.
    plain: usize,
    escaped: bool,
    /// The value is more than ASCII.
    is_text: bool,
    /// How far stepping from character to character has come, or need not go.
    stepped: usize,
    steps: StepState,
    /// The first `]` that is the second half of a character, or escaped.
    hidden: Option<usize>,
    /// Reads the value both ways.
    closer: Option<Closer>,
}

/// The `]` that ends a value, if one was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    len: Option<usize>,
    by_character: bool,
    /// `None` if nobody has looked.
    makes_sense: Option<bool>,
}

impl End {
    /// No end was found; the byte rules apply.
    const NOWHERE: Self = Self { len: None, by_character: false, makes_sense: Some(false) };

    pub(super) fn by_byte(len: usize, makes_sense: bool) -> Self {
        Self { len: Some(len), by_character: false, makes_sense: Some(makes_sense) }
    }
}

impl EndLook {
    /// Where the value at the start of `bytes` ends, as long as it is ASCII, in which no character hides a bracket.
    /// `None` if it is not, or has no end so far.
    fn plain_end(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.is_text {
            return None;
        }
        let mut piece = PIECE;
        while self.plain < bytes.len() {
            let rest = &bytes[self.plain..];
            let ValueEnd { close, ascii, .. } = value_end(&rest[..rest.len().min(piece)], &mut self.escaped, false);
            self.is_text = !ascii;
            self.plain += close.unwrap_or(rest.len().min(piece));
            if self.is_text || close.is_some() {
                return close.filter(|_| ascii).map(|_| self.plain);
            }
            piece *= 2;
        }
        None
    }

    /// Where the value at the start of `bytes` ends, if the two ways to read it are to be compared; `None` if more bytes
    /// would show it. `last`: no more are to be had.
    fn end_both_ways(
        &mut self,
        (start, bytes): (u64, &[u8]),
        last: bool,
        charset: Charset,
        limit: usize,
        unclosed: &mut Unclosed,
    ) -> Option<End> {
        if self.closer.is_none() {
            self.closer = Closer::new(charset, limit);
        }
        let Some(closer) = &mut self.closer else { return Some(End::NOWHERE) };
        match closer.close(start, bytes, last, unclosed) {
            Closed::At(close) => {
                Some(End { len: Some(close.at), by_character: close.by_character, makes_sense: close.makes_sense })
            }
            Closed::More if !last => None,
            Closed::More | Closed::Nowhere => Some(End::NOWHERE),
        }
    }
}

impl Engine {
    /// Where the value at the start of `bytes`, at the offset `start`, ends by its characters; `None` if more bytes would
    /// show it. `last`: no more are to be had.
    fn end_by_character(&mut self, look: &mut EndLook, start: u64, bytes: &[u8], last: bool) -> Option<End> {
        let charset = self.text.writing.charset();
        let Some(steps) = Steps::of(charset) else { return Some(End::NOWHERE) };
        // What ends behind the limit is too long.
        let reach = self.config.limits.value.saturating_add(1);
        let bytes = &bytes[..bytes.len().min(reach)];
        let found = |len| Some(End { len: Some(len), by_character: true, makes_sense: Some(true) });
        if look.hidden.is_none() {
            let from = look.stepped;
            let close = memchr(b']', &bytes[from..]).map(|at| from + at);
            let to = close.map_or(bytes.len(), |close| close + 1);
            if let Some(at) = steps.close(&mut look.steps, &bytes[from..to]) {
                return found(from + at);
            }
            look.stepped = to;
            look.hidden = close;
            if let Some(close) = close
                && let Some((end, steps)) = self.unclosed.behind(charset, start + close as u64)
            {
                (look.stepped, look.steps) = ((end - start) as usize, steps);
            }
        }
        let from = look.stepped;
        if let Some(rest) = bytes.get(from..) {
            if let Some(at) = steps.close(&mut look.steps, rest) {
                return found(from + at);
            }
            look.stepped = bytes.len();
        }
        if !last && bytes.len() < reach {
            return None;
        }
        if let Some(hidden) = look.hidden {
            self.unclosed.note(charset, start + hidden as u64, start + look.stepped as u64, look.steps);
        }
        Some(End::NOWHERE)
    }

    pub(super) fn look_for_end<V: Visitor>(
        &mut self,
        mut look: EndLook,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> Flow<V, bool> {
        let (limit, unit, charset) = (self.config.limits.value, self.text.unit, self.text.writing.charset());
        let resume = self.look.resume;
        if let Some(len) = look.plain_end(&view[1..]) {
            let is_short = len <= limit;
            let reading = Reading { writing: self.text.writing, decodes: true, makes_sense: true };
            self.end_look(Some(if is_short { Found::End(len, Some(reading)) } else { Found::Nothing }));
            if self.may_be_repaired() && is_short {
                self.begin_bracket_look(resume);
            }
            return ControlFlow::Continue(true);
        }
        let (start, bytes) = (self.offset_at(self.at) + 1, &view[1..]);
        let end = match unit {
            _ if !look.is_text && !last => None,
            EscapeUnit::Character => self.end_by_character(&mut look, start, bytes, last),
            EscapeUnit::Auto | EscapeUnit::Byte => {
                look.end_both_ways((start, bytes), last, charset, limit, &mut self.unclosed)
            }
        };
        let Some(mut end) = end else {
            self.look.about = About::End(look);
            return ControlFlow::Continue(false);
        };
        if let Some(len) = end.len
            && end.makes_sense != Some(true)
            && unit == EscapeUnit::Auto
            && self.may_be_repaired()
        {
            self.begin_last_look(len);
            return ControlFlow::Continue(true);
        }
        // What goes on to the end of the input, and ASCII, prove nothing.
        if end.len.is_none() && last && (bytes.len() <= limit || !look.is_text) {
            end.makes_sense = Some(true);
        }
        self.end_or_look_behind(end, view, last, visitor)
    }

    /// Ends the value there, unless somebody may have forgotten to escape that `]`.
    pub(super) fn end_or_look_behind<V: Visitor>(
        &mut self,
        mut end: End,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> Flow<V, bool> {
        let charset = self.text.writing.charset();
        let start = self.offset_at(self.at) + 1;
        let decodes = |len: usize| self.unclosed.garbled_by_byte.decodes(charset, start, &view[1..=len]);
        let makes_sense = *end.makes_sense.get_or_insert_with(|| end.len.is_some_and(decodes));
        if let Some(len) = end.len.filter(|&len| len <= self.config.limits.value)
            && self.may_be_repaired()
            && (self.text.unit == EscapeUnit::Character
                || (makes_sense && self.text.reading_as(&view[1..=len], end.by_character).makes_sense))
            && !is_followed(&view[len + 2..], last)
        {
            self.begin_bracket_look_behind(self.look.resume, len);
            return ControlFlow::Continue(true);
        }
        self.end_value(end, view, visitor)
    }

    /// Ends the value there. If it makes no sense, the rest of the game is read by byte; not because of a few damaged
    /// characters that do not matter for the end.
    fn end_value<V: Visitor>(&mut self, end: End, view: &[u8], visitor: &mut V) -> Flow<V, bool> {
        let len = end.len.filter(|&len| len <= self.config.limits.value);
        let reading = |len| self.text.reading_as(&view[1..=len], end.by_character);
        let found = len.map_or(Found::TooLong, |len| Found::End(len, Some(reading(len))));
        self.end_look(Some(found));
        let charset = self.text.writing.charset();
        let is_damaged = || len.is_some_and(|len| is_merely_damaged(charset, &view[1..], len));
        if end.makes_sense != Some(true)
            && self.text.unit == EscapeUnit::Auto
            && !(is_damaged() && self.text.forgive_damage())
        {
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

/// Whether a value at the beginning of `bytes` has this many bytes by character, too, and most of these are text.
fn is_merely_damaged(charset: Charset, bytes: &[u8], len: usize) -> bool {
    let steps = Steps::of(charset);
    let by_character =
        steps.and_then(|steps| steps.close(&mut StepState::default(), &bytes[..bytes.len().min(len + 1)]));
    by_character == Some(len) && mostly_decodes(charset, &bytes[..len])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Config, Limits};
    use crate::testing::{Rng, repeated};
    use crate::text::Writing;

    #[test]
    fn what_earlier_looks_have_found_changes_no_end() {
        let charsets = [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS];
        let parts: [&[u8]; 12] =
            [b"C[\xA6]", b"[", b"]", b"\\", b"\x90]", b"\xE0]", b"a", b"\xA6\\]", b"\x814", b"\xB1]", b"\xA6", b"\\]"];
        let (mut remembered, mut nowhere, mut ends) = (0, 0, 0);
        for seed in 1..6_000_u64 {
            let mut rng = Rng::new(seed);
            let bytes = repeated(&mut rng, &parts, 400);
            let limits = Limits { value: 20 + rng.below(200), ..Limits::default() };
            let mut engine = Engine::new(Config::new().limits(limits));
            let mut start = 0;
            while start < bytes.len() {
                if start == 0 || rng.one_in(40) {
                    engine.text.writing = Writing::by_character(rng.pick(&charsets));
                }
                let rest = &bytes[start..];
                let alone = {
                    let mut engine = engine.clone();
                    engine.unclosed = Unclosed::default();
                    engine.end_by_character(&mut EndLook::default(), start as u64, rest, true)
                };
                let mut look = EndLook::default();
                let some = &rest[..rng.below(rest.len())];
                let end = engine
                    .end_by_character(&mut look, start as u64, some, false)
                    .or_else(|| engine.end_by_character(&mut look, start as u64, rest, true));
                let [alone, end] = [alone, end].map(|end| end.expect("these are the last bytes").len);
                assert_eq!(end, alone, "seed {seed}, at {start}");
                remembered += u32::from(engine.unclosed.behind(engine.text.writing.charset(), start as u64).is_some());
                nowhere += u32::from(end.is_none());
                ends += u32::from(end.is_some());
                start += 1 + rng.below(12);
            }
        }
        assert!(remembered > 10_000 && nowhere > 10_000 && ends > 10_000, "{remembered} {nowhere} {ends}");
    }
}
