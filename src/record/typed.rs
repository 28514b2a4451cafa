//! What a table can count and sort by where the header has only text: how a game ended, on which days, and how strong the players
//! were.
//!
//! Owns the words for endings and the scale of ranks. Programs rely on them: none is ever given another meaning.

use crate::record::{GameRecord, days};
use crate::semantics::Color;
use crate::semantics::info::{Date, Dates, GameResult, Grade, Outcome, Rank, Reading, WinBy};
use crate::syntax::Ident;

/// The words for how a game ended.
pub(super) const ENDINGS: [&str; 12] = [
    "points",
    "resign",
    "time",
    "forfeit",
    "win",
    "draw",
    "both-lost",
    "void",
    "unfinished",
    "playing",
    "special",
    "unknown",
];

/// The days of a date.
#[derive(Clone, Copy, Debug)]
pub(super) struct Days {
    /// The year of the first, if it is known.
    pub(super) year: Option<u16>,
    /// The first and the last, if the calendar has them.
    pub(super) ends: Option<(Date, Date)>,
}

impl GameRecord {
    /// How the game ended, in a word: `points`, `resign`, `time`, `forfeit`, or `win` if it is not said how it was won; `draw`,
    /// `both-lost`, `void`, `unfinished`, `playing`, `special`; `unknown` if that is what RE says, with `?`. `None` if RE is
    /// missing or not understood. A margin with a letter behind it, as backgammon has it (`B+2R`), is what the letter says.
    pub fn ending(&self) -> Option<&'static str> {
        self.ending_of(self.outcome())
    }

    /// The same for the outcome, which has been read.
    pub(super) fn ending_of(&self, outcome: Reading<Outcome>) -> Option<&'static str> {
        let is_exact = outcome.is_exact();
        Some(match outcome.value()? {
            Outcome::Win { by: WinBy::Margin(_), .. } if !is_exact => self.given_up().unwrap_or("points"),
            Outcome::Win { by: WinBy::Margin(_), .. } => "points",
            Outcome::Win { by: WinBy::Resignation, .. } => "resign",
            Outcome::Win { by: WinBy::Time, .. } => "time",
            Outcome::Win { by: WinBy::Forfeit, .. } => "forfeit",
            Outcome::Win { by: WinBy::Unstated, .. } => "win",
            Outcome::Draw => "draw",
            Outcome::BothLost => "both-lost",
            Outcome::Void => "void",
            Outcome::Unfinished => "unfinished",
            Outcome::Playing => "playing",
            Outcome::Special => "special",
            Outcome::Unknown => "unknown",
        })
    }

    /// What the letter behind a margin says.
    fn given_up(&self) -> Option<&'static str> {
        let text = self.text(Ident::RE)?;
        match GameResult::parse(&text).value()?.remark {
            "R" => Some("resign"),
            "T" => Some("time"),
            "F" => Some("forfeit"),
            _ => None,
        }
    }

    /// The first and the last day that the game may have been played on: of all days in DT, of a range of them, or of the month
    /// or year if no more is known.
    pub fn days(&self) -> Option<(Date, Date)> {
        self.days_of_date()?.ends
    }

    /// What the date says of days, read once.
    pub(super) fn days_of_date(&self) -> Option<Days> {
        let text = self.stated(Ident::DT)?;
        let dates = Dates::parse(&text).value()?;
        Some(Days { year: dates.known_year(), ends: days::ends_of(&dates) })
    }

    /// How strong a player is, as a number: n for n dan, 1 - n for n kyu, so that two amateurs differ by the stones of their
    /// handicap, and 100 + n for a professional's n dan. `None` without a rank, and for titles and ratings. Where a
    /// text does not say that a rank is a professional's, as `9段` does not, it is 9 and not 109.
    pub fn level(&self, color: Color) -> Option<i16> {
        self.rank(color).value().and_then(level)
    }
}

/// A rank as such a number.
pub(super) fn level(rank: Rank) -> Option<i16> {
    match rank.grade {
        Grade::Kyu(grade) => Some(1 - i16::from(grade)),
        Grade::Dan(grade) => Some(grade.into()),
        Grade::Pro(grade) => Some(100 + i16::from(grade)),
        Grade::Professional | Grade::Insei | Grade::Title | Grade::Rating(_) | Grade::Unranked => None,
    }
}
