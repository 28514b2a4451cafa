//! Game information: results, dates, times, komi, ranks, rules, rounds and players, as thirty years of people and programs
//! have written them.
//!
//! Every view is a pure function of decoded text, as [`simple_text`](crate::text::simple_text) and a charset make it.
//! None fails and none guesses: a view is a [`Reading`], which distinguishes a value by the standard, one that was read
//! as a person would read it, and text that was not understood. The text itself is the caller's and stays as it is.
//! Time is bounded by the length.
//!
//! | property | view | |
//! | --- | --- | --- |
//! | RE | [`GameResult`] | who won and by what, with a remark kept apart; REX is for people |
//! | DT, DTX | [`Dates`] | days, wholly or partly known, ranges and times |
//! | TM | [`TimeLimit`] | main time, and overtime where it is written there |
//! | OT | [`Overtime`] | Japanese, Canadian, Fischer, none |
//! | KM, KI | [`Komi`] | points, exact; also of programs that write hundredths |
//! | HA | [`Handicap`] | stones |
//! | BR, WR | [`Rank`] | kyu, dan, professional dan, ratings, titles |
//! | PB, PW | [`Team`] | one player, a pair or a relay team, each with a rank |
//! | RU | [`Rules`] | by name, or part by part |
//! | RO | [`Round`] | number and kind |
//!
//! The rules come from FF\[4\], from the notes on SGF of A. E. Brouwer at CWI, from what servers and editors write, and from
//! archives.
//!
//! Nobody writes essays here, so a text of more than 1,024 bytes is read by the standard only. RE is read in any
//! length, because its remark may be long.

// Refuses to know which property of which node a text came from.

mod date;
mod duration;
mod handicap;
mod kata_rules;
mod komi;
mod overtime;
mod rank;
mod result;
mod round;
mod rules;
mod scan;
mod score;
mod team;
mod time;
mod words;

use scan::short;

pub use date::{Date, DateKind, Dates, Moment, Period, TimeOfDay};
pub use handicap::Handicap;
pub use kata_rules::{HandicapBonus, KataRules, Ko, Scoring, Tax};
pub use komi::Komi;
pub(crate) use komi::is_fox;
pub use overtime::Overtime;
pub use rank::{Certainty, Grade, Rank};
pub use result::{GameResult, Margin, Outcome, Unit, WinBy, Winner};
pub use round::Round;
pub use rules::Rules;
pub use score::Score;
pub use team::{Member, Team};
pub use time::TimeLimit;

/// What a text was understood as, and how sure that is.
///
/// It will have no further variants, so it can be matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading<T> {
    /// By the letter of the standard. Where the standard leaves the form free, as for OT: in a form that has only one
    /// reading.
    Exact(T),
    /// Not by the standard, but as a person would read it.
    Lenient(T),
    /// Not understood. There is nothing but the text.
    Raw,
}

impl<T> Reading<T> {
    /// The value, if the text was understood.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Exact(value) | Self::Lenient(value) => Some(value),
            Self::Raw => None,
        }
    }

    /// The same reading, with a reference to the value.
    pub const fn as_ref(&self) -> Reading<&T> {
        match self {
            Self::Exact(value) => Reading::Exact(value),
            Self::Lenient(value) => Reading::Lenient(value),
            Self::Raw => Reading::Raw,
        }
    }

    /// The same reading of a part of the value, or of something made from it.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Exact(value) => Reading::Exact(change(value)),
            Self::Lenient(value) => Reading::Lenient(change(value)),
            Self::Raw => Reading::Raw,
        }
    }

    /// True for [`Reading::Exact`].
    pub const fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// True for [`Reading::Raw`].
    pub const fn is_raw(&self) -> bool {
        matches!(self, Self::Raw)
    }

    /// By the standard if that reads the text; otherwise as a person would, who has no patience with a long one.
    fn of<'a>(text: &'a str, exact: Option<T>, lenient: impl FnOnce(&'a str) -> Option<T>) -> Self {
        match exact {
            Some(value) => Self::Exact(value),
            None => short(text).and_then(lenient).map_or(Self::Raw, Self::Lenient),
        }
    }
}
