//! GGF: what servers of Othello and other games write. It looks like SGF, and some properties have other names or meanings.
//!
//! Owns what stands there for ranks, times, days and the sign of a result. Invariant: nothing here concerns a game whose GM
//! is a number or missing, because other programs use the same names for something else.

use std::borrow::Cow;

use crate::record::GameRecord;
use crate::record::info::{self, RB, RW, TI};
use crate::semantics::GameType;
use crate::semantics::info::{Date, Outcome, Overtime, TimeLimit, WinBy, Winner};
use crate::syntax::Ident;

impl GameRecord {
    fn is_ggf(&self) -> bool {
        self.value(Ident::GM)
            .is_some_and(|value| info::text(value).trim_start().starts_with(|first: char| first.is_ascii_alphabetic()))
    }

    /// What stands there instead of a rank or the time.
    pub(super) fn in_ggf(&self, ident: Ident) -> Option<Cow<'_, str>> {
        if !self.is_ggf() {
            return None;
        }
        match ident {
            Ident::BR => self.text(RB),
            Ident::WR => self.text(RW),
            _ => self.time_of_ggf(0),
        }
    }

    /// TI for both, or TB and TW, or BT and WT where they are times.
    fn time_of_ggf(&self, part: usize) -> Option<Cow<'_, str>> {
        let part = |ident| Some(self.text(ident)?.split('/').nth(part).filter(|part| !part.is_empty())?.to_owned());
        let each = |black, white| {
            let (black, white) = (part(black)?, part(white)?);
            Some(if black == white { black } else { format!("B: {black} W: {white}") })
        };
        let are_times = || [Ident::BT, Ident::WT].iter().all(|&ident| self.text(ident).is_some_and(|it| is_clock(&it)));
        let in_place_of_teams = || if are_times() { each(Ident::BT, Ident::WT) } else { None };
        part(TI).or_else(|| each(Ident::TB, Ident::TW)).or_else(in_place_of_teams).map(Cow::Owned)
    }

    /// Whether a property that names a team has a player's time instead.
    pub(super) fn is_time_in_ggf(&self, ident: Ident, text: &str) -> bool {
        matches!(ident, Ident::BT | Ident::WT) && is_clock(text) && self.is_ggf()
    }

    /// What each move adds to the time.
    pub(super) fn increment_of_ggf(&self) -> Option<Overtime> {
        let part = if self.is_ggf() { self.time_of_ggf(1) } else { None }?;
        let increment = TimeLimit::parse(&part).value().and_then(TimeLimit::main)?;
        (!increment.is_zero()).then_some(Overtime::Fischer { increment })
    }

    /// The day, where DT is a number of seconds.
    pub(super) fn day_of_ggf(&self) -> Option<Cow<'_, str>> {
        let text = self.text(Ident::DT)?;
        let is_seconds = matches!(text.len(), 9 | 10) && text.bytes().all(|byte| byte.is_ascii_digit());
        let day = if is_seconds && self.is_ggf() { Date::of_unix_time(text.parse().ok()?) } else { None }?;
        Some(Cow::Owned(day.to_string()))
    }

    /// A win that is only a number: of the player who moves first, if it is more than 0. In chess that is White, except to an
    /// engine that says nothing but who won.
    pub(super) fn win_of_ggf(&self, text: &str) -> Option<Outcome> {
        let outcome = if self.is_ggf() { Outcome::of_number(text) } else { None }?;
        let Outcome::Win { winner, by } = outcome else { return None };
        let is_turned = self.board().game() == GameType::Chess && by != WinBy::Unstated;
        Some(match winner {
            Winner::Black if is_turned => Outcome::Win { winner: Winner::White, by },
            Winner::White if is_turned => Outcome::Win { winner: Winner::Black, by },
            _ => outcome,
        })
    }
}

/// `00:15:00`, or `15:00//02:00`.
fn is_clock(text: &str) -> bool {
    let is_of_clock = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'/' | b' '));
    is_of_clock
        && text.split('/').next().is_some_and(|time| TimeLimit::parse(time).value().is_some() && time.contains(':'))
}
