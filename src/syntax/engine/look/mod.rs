//! Looking at bytes to come before they are delivered.
//!
//! Owns [`Look`] and what it finds, a [`Verdict`]. A look asks one question of the bytes from a `[` on: what a game's charset
//! is (`label`); where a value ends whose characters may hide brackets (`end`); which `]` closes a text in which people
//! have forgotten to escape some (`bracket`); or, where no text is expected, whether there is a `]` nearby. Behind a name it
//! asks whether a value comes behind stray bytes; and between games, whether one begins that has lost its `(`, or has stray
//! bytes behind it (`between`). It goes as far as needed, up to a bound; then the bytes are read as usual. If a chunk ends
//! first, the engine holds them until enough has come. A look passes each byte once, except for one with a bound of few bytes,
//! which begins anew with each chunk. The bytes that it has passed are read after that, and later looks may pass them again;
//! each kind of look bounds how often.

mod bracket;
mod end;
mod label;
mod passed;

use std::ops::ControlFlow;

use self::bracket::BracketLook;
pub(super) use self::bracket::DeadEnd;
use self::end::EndLook;
use self::label::{LIMIT, LabelLook};
use super::between::OPENING;
use super::charset::Reading;
use super::{Engine, Flow, HELD_AT_LEAST, State};
use crate::syntax::Visitor;
use crate::syntax::scan::find_close;
use crate::text::{FOLLOW_WINDOW, value_behind_stray};

/// The bytes of a value's `[` and `]`.
const BRACKETS: usize = 2;

/// The look in progress, or the last one.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// Where reading resumes: inside the game, in what is skipped, or between games.
    resume: State,
    about: About,
}

/// What the look searches for.
#[derive(Clone, Debug, Default)]
enum About {
    Label(LabelLook),
    End(EndLook),
    Bracket(BracketLook),
    /// The `]` of a value that is short if it has not lost it.
    Close,
    /// Whether the value of a name comes behind stray bytes.
    Stray,
    /// Whether a game begins that has lost its `(`, or has stray bytes behind it.
    Opening,
    /// Nothing: it is known where the value ends, but not all of its bytes are here.
    #[default]
    Rest,
}

impl Look {
    pub(super) fn new() -> Self {
        Self { resume: State::Inside, about: About::Rest }
    }

    /// Where reading resumes.
    pub(super) fn resume(&self) -> State {
        self.resume
    }
}

/// What the last look at a value has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// The offset of the value's `[`.
    open: u64,
    found: Found,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// The value's length; and how it is read, if that is not what the game's charset says.
    End(usize, Option<Reading>),
    /// Read by its characters, the value ends too far away, so that looking again would never end.
    TooLong,
    /// Nothing, so the byte rules apply.
    Nothing,
}

impl Verdict {
    /// Whether it is about the value whose `[` has this offset.
    #[inline]
    pub(super) fn is_about(&self, open: u64) -> bool {
        self.open == open
    }
}

impl Engine {
    /// At the `[` of a value that must be known before any of it is delivered. `declares`: the value is CA's own, and
    /// the look is for its end.
    pub(super) fn begin_value_look(&mut self, resume: State, declares: bool) {
        let about = if self.text.by_character {
            About::End(EndLook::default())
        } else {
            About::Label(self.label_look(declares))
        };
        self.begin_look_about(resume, about);
    }

    /// At the `[` of a text: which `]` closes it?
    pub(super) fn begin_bracket_look(&mut self, resume: State) {
        self.begin_bracket_look_behind(resume, 0);
    }

    /// At the `[` of a value that is no text, whose end is not in sight.
    pub(super) fn begin_short_look(&mut self, resume: State) {
        self.begin_look_about(resume, About::Close);
    }

    /// Between games, at a byte with which one may begin.
    pub(super) fn begin_opening_look(&mut self) {
        self.begin_look_about(State::Between, About::Opening);
    }

    /// At the `[` of a value that was looked at, of which fewer bytes are here now than were then.
    pub(super) fn wait_for_value(&mut self) {
        self.begin_look_about(State::Inside, About::Rest);
    }

    /// At stray bytes behind a name, which was saved.
    pub(super) fn begin_stray_look(&mut self) {
        self.begin_look_about(State::AfterIdent, About::Stray);
    }

    fn begin_look_about(&mut self, resume: State, about: About) {
        self.noted.clear();
        self.look = Look { resume, about };
        self.state = State::Look;
    }

    /// Reading resumes; `found`, if any, is about the value whose `[` is here.
    fn end_look(&mut self, found: Option<Found>) {
        self.state = self.look.resume;
        if let Some(found) = found {
            self.verdict = Some(Verdict { open: self.offset_at(self.at), found });
        }
    }

    fn found_here(&self) -> Option<Found> {
        self.verdict.filter(|verdict| verdict.is_about(self.offset_at(self.at))).map(|verdict| verdict.found)
    }

    /// What a look at the value whose `[` is here has found: its length, and how it is read if that is not what the
    /// game's charset says.
    pub(super) fn looked_at(&self) -> Option<(usize, Option<Reading>)> {
        match self.found_here()? {
            Found::End(len, reading) => Some((len, reading)),
            Found::TooLong | Found::Nothing => None,
        }
    }

    /// Whether the value whose `[` is here has been looked at; if nothing was found, it is read by the byte rules.
    pub(super) fn is_passed(&self) -> bool {
        self.found_here().is_some()
    }

    /// Whether a look has found that the value whose `[` is here, read by its characters, ends too far away, so that
    /// looking again would never end.
    pub(super) fn is_too_long(&self) -> bool {
        self.found_here() == Some(Found::TooLong)
    }

    /// Whether a `]` in the value whose `[` is here may be text, as far as is known.
    pub(super) fn may_be_repaired(&self) -> bool {
        self.text.repairs() && self.unrepaired != Some(self.offset_at(self.at))
    }

    /// How many more bytes are worth holding.
    pub(super) fn look_room(&self) -> usize {
        self.look_limit().saturating_sub(self.held.len()).max(HELD_AT_LEAST)
    }

    fn look_limit(&self) -> usize {
        match self.look.about {
            About::Label(_) => LIMIT,
            About::End(_) | About::Bracket(_) => self.config.limits.value.saturating_add(BRACKETS + FOLLOW_WINDOW),
            About::Close => self.short_limit() + BRACKETS,
            About::Stray => FOLLOW_WINDOW,
            About::Opening => OPENING,
            About::Rest => self.looked_at().map_or(0, |(len, _)| len + BRACKETS),
        }
    }

    /// Continues the look. False if it needs more bytes.
    pub(super) fn look<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V, bool> {
        let (view, limit) = (&chunk[self.at..], self.look_limit());
        let view = &view[..view.len().min(limit)];
        let last = self.is_last() || view.len() == limit;
        match std::mem::take(&mut self.look.about) {
            About::Label(look) => self.look_for_label(look, view, last, visitor),
            About::End(look) => self.look_for_end(look, view, last, visitor),
            About::Bracket(look) => self.look_for_bracket(look, view, last, visitor),
            About::Close => {
                let close = find_close(&view[1..], &mut false);
                let is_over = close.is_some() || last;
                if is_over {
                    self.end_look(Some(close.map_or(Found::Nothing, |len| Found::End(len, None))));
                } else {
                    self.look.about = About::Close;
                }
                ControlFlow::Continue(is_over)
            }
            About::Stray => {
                let is_over = value_behind_stray(view, last).is_some();
                if is_over {
                    self.end_look(None);
                } else {
                    self.look.about = About::Stray;
                }
                ControlFlow::Continue(is_over)
            }
            About::Opening => {
                let is_over = self.look_for_opening(view, last);
                if is_over {
                    self.end_look(None);
                } else {
                    self.look.about = About::Opening;
                }
                ControlFlow::Continue(is_over)
            }
            About::Rest => {
                if last {
                    self.end_look(None);
                    // If the bytes do not come, nothing is known of the value.
                    self.verdict = self.verdict.filter(|_| view.len() == limit);
                }
                ControlFlow::Continue(last)
            }
        }
    }
}
