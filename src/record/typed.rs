//! What a table can count and sort by where the header has only text: how a game ended, on which days, and how strong the players
//! were.
//!
//! Owns the words for endings and the scale of ranks. Programs rely on them: none is ever given another meaning.

use crate::record::{GameRecord, days};
use crate::semantics::Color;
use crate::semantics::info::{Date, Dates, GameResult, Grade, Outcome, Reading, WinBy};
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

impl GameRecord {
    /// How the game ended, in a word: `points`, `resign`, `time`, `forfeit`, or `win` if it is not said how it was won; `draw`,
    /// `both-lost`, `void`, `unfinished`, `playing`, `special`; `unknown` if that is what RE says, with `?`. `None` if RE is
    /// missing or not understood. A margin with a letter behind it, as backgammon has it (`B+2R`), is what the letter says.
    pub fn ending(&self) -> Option<&'static str> {
        let outcome = self.outcome();
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
        days::ends_of(&Dates::parse(&self.stated(Ident::DT)?).value()?)
    }

    /// How strong a player is, as a number: n for n dan, 1 - n for n kyu, so that two amateurs differ by the stones of their
    /// handicap, and 100 + n for a professional's n dan. `None` without a rank, and for titles and ratings. Where a
    /// text does not say that a rank is a professional's, as `9段` does not, it is 9 and not 109.
    pub fn level(&self, color: Color) -> Option<i16> {
        match self.rank(color) {
            Reading::Exact(rank) | Reading::Lenient(rank) => match rank.grade {
                Grade::Kyu(grade) => Some(1 - i16::from(grade)),
                Grade::Dan(grade) => Some(grade.into()),
                Grade::Pro(grade) => Some(100 + i16::from(grade)),
                Grade::Professional | Grade::Insei | Grade::Title | Grade::Rating(_) | Grade::Unranked => None,
            },
            Reading::Raw => None,
        }
    }
}
