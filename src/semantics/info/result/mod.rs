//! RE: who won, and by what.
//!
//! Owns [`GameResult`] and the forms of the standard; `read`, `second`, `sentence` and `number` have the others.

mod beaten;
mod number;
mod read;
mod second;
mod sentence;
mod words;

use std::cmp::Reverse;
use std::fmt;

use super::scan::trim;
use super::{Reading, Score};

/// A result, and what was written after it.
///
/// ```
/// use sgf_stream::semantics::info::{GameResult, Outcome, Reading, WinBy, Winner};
///
/// let exact = GameResult::parse("W+R");
/// let win = Outcome::Win { winner: Winner::White, by: WinBy::Resignation };
/// assert_eq!(exact.map(|result| result.outcome), Reading::Exact(win));
///
/// let lenient = GameResult::parse("共185手 白中盘胜");
/// assert_eq!(lenient.map(|result| result.outcome), Reading::Lenient(win));
///
/// let with_remark = GameResult::parse("B+4.5  (moves beyond 195 not known; 314 played)").value().unwrap();
/// assert_eq!(with_remark.outcome.to_string(), "B+4.5");
/// assert_eq!(with_remark.remark, "moves beyond 195 not known; 314 played");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GameResult<'a> {
    /// How the game ended.
    pub outcome: Outcome,
    /// The text after the outcome, as it was written; often empty.
    pub remark: &'a str,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// One player won.
    Win {
        /// Who.
        winner: Winner,
        /// By what.
        by: WinBy,
    },
    /// A draw, jigo.
    Draw,
    /// Both players lost. (CWI notes; Japanese rules.)
    BothLost,
    /// No result, `Void`: under the rules, as after a triple ko.
    Void,
    /// Never finished, or adjourned. (CWI notes. The standard has only `Void` for this.)
    Unfinished,
    /// Being played now. (CWI notes.)
    Playing,
    /// None of the others; the property REX tells what. (CWI notes.)
    Special,
    /// Not known to the writer, `?`.
    Unknown,
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Winner {
    /// The player of B.
    Black,
    /// The player of W.
    White,
    /// The player of P0 to P5: colours unknown (CWI notes, Boardspace), or a game of more than two (Pentobi).
    Player(u8),
}

/// How a game was won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WinBy {
    /// It is not said.
    Unstated,
    /// A margin.
    Margin(Margin),
    /// The other player resigned.
    Resignation,
    /// The other player ran out of time.
    Time,
    /// The other player broke a rule, did not come, or went away.
    Forfeit,
}

/// The margin of a counted game. Not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Margin {
    /// How much.
    pub score: Score,
    /// Of what.
    pub unit: Unit,
}

/// What a margin is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Points, 目, 집; also if nothing is said.
    Points,
    /// Stones, 子 (zi), of Chinese counting: one stone makes two points of difference.
    Stones,
}

impl Margin {
    /// A margin in points.
    pub const fn points(score: Score) -> Self {
        Self { score, unit: Unit::Points }
    }

    /// A margin with the unit that is written, if there is one. Quarters are of stones, whatever is written: points have none.
    fn written(score: Score, unit: Unit) -> Self {
        Self { score, unit: if score.denominator() == 4 { Unit::Stones } else { unit } }
    }

    /// The margin in points: stones count double.
    pub fn to_points(self) -> Option<Score> {
        match self.unit {
            Unit::Points => Some(self.score),
            Unit::Stones => self.score.checked_mul(2),
        }
    }
}

impl Outcome {
    /// The winner, if there is one.
    pub const fn winner(self) -> Option<Winner> {
        match self {
            Self::Win { winner, .. } => Some(winner),
            _ => None,
        }
    }

    /// The margin, if the game was counted.
    pub const fn margin(self) -> Option<Margin> {
        match self {
            Self::Win { by: WinBy::Margin(margin), .. } => Some(margin),
            _ => None,
        }
    }

    /// What a number alone says in a game whose GM is a name, as GGF and programs that write much the same have it.
    pub(crate) fn of_number(text: &str) -> Option<Self> {
        number::number(trim(text), true)
    }

    /// By the standard.
    fn standard(text: &str) -> Option<Self> {
        let winner = match text.as_bytes() {
            b"0" | b"Draw" => return Some(Self::Draw),
            b"Void" => return Some(Self::Void),
            b"?" => return Some(Self::Unknown),
            [b'B', b'+', ..] => Winner::Black,
            [b'W', b'+', ..] => Winner::White,
            _ => return None,
        };
        let by = match &text[2..] {
            "" => WinBy::Unstated,
            "R" | "Resign" => WinBy::Resignation,
            "T" | "Time" => WinBy::Time,
            "F" | "Forfeit" => WinBy::Forfeit,
            score => {
                let unsigned = score.starts_with(|c: char| c.is_ascii_digit());
                // Quarters are not of points.
                let is_margin = |score: &Score| unsigned && score.denominator() != 4;
                WinBy::Margin(Margin::points(Score::real(score).filter(is_margin)?))
            }
        };
        Some(Self::Win { winner, by })
    }
}

impl Winner {
    /// Who wins if this player loses. Of two players whose colours are not known, the other; with four players the question
    /// does not arise.
    const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
            Self::Player(1) => Self::Player(2),
            Self::Player(_) => Self::Player(1),
        }
    }
}

impl<'a> GameResult<'a> {
    /// Reads the text of RE.
    ///
    /// Exact: the forms of FF\[4\]. Lenient: other spellings and languages, sentences, remarks, fractions, and the
    /// outcomes that the CWI notes ask for (`Both lost`, `Unfinished`, `Playing`, `Special`, `P2+F`). Points have no
    /// quarters, so `W+0.25` are stones. A text that identifies the winner only by name is not understood;
    /// [`parse_between`](Self::parse_between) knows the names.
    pub fn parse(text: &'a str) -> Reading<Self> {
        match Outcome::standard(text) {
            Some(outcome) => Reading::Exact(Self { outcome, remark: "" }),
            None => read::read(trim(text)).map_or(Reading::Raw, Reading::Lenient),
        }
    }

    /// The same for a game between players of these names, as in PB and PW: `Game won by troy`. Names count only if the
    /// text is not understood without them.
    ///
    /// ```
    /// use sgf_stream::semantics::info::GameResult;
    ///
    /// let result = GameResult::parse_between("john resigned", "troy", "john").value().unwrap();
    /// assert_eq!(result.outcome.to_string(), "B+R");
    /// ```
    pub fn parse_between(text: &'a str, black: &str, white: &str) -> Reading<Self> {
        let reading = Self::parse(text);
        let mut names = [(trim(black), Winner::Black), (trim(white), Winner::White)];
        if reading.value().is_some() || names[0].0 == names[1].0 {
            return reading;
        }
        // One name may be the beginning of the other.
        names.sort_unstable_by_key(|(name, _)| Reverse(name.len()));
        read::read_between(trim(text), &names).map_or(Reading::Raw, Reading::Lenient)
    }
}

/// As the standard writes it, if it has a form: `B+3.5`, `W+R`, `Draw`, `Void`, `?`. Otherwise as the CWI notes do:
/// `Both lost`, `Unfinished`, `Playing` and `Special`. `B+3.75 stones` and `B+1 5/6` where there is no such form.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (winner, by) = match self {
            Self::Win { winner, by } => (winner, by),
            Self::Draw => return f.write_str("Draw"),
            Self::BothLost => return f.write_str("Both lost"),
            Self::Void => return f.write_str("Void"),
            Self::Unfinished => return f.write_str("Unfinished"),
            Self::Playing => return f.write_str("Playing"),
            Self::Special => return f.write_str("Special"),
            Self::Unknown => return f.write_str("?"),
        };
        match by {
            WinBy::Unstated => write!(f, "{winner}+"),
            WinBy::Margin(Margin { score, unit: Unit::Points }) => write!(f, "{winner}+{score}"),
            WinBy::Margin(Margin { score, unit: Unit::Stones }) => write!(f, "{winner}+{score} stones"),
            WinBy::Resignation => write!(f, "{winner}+R"),
            WinBy::Time => write!(f, "{winner}+T"),
            WinBy::Forfeit => write!(f, "{winner}+F"),
        }
    }
}

/// `B`, `W`, `P2`.
impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Black => f.write_str("B"),
            Self::White => f.write_str("W"),
            Self::Player(number) => write!(f, "P{number}"),
        }
    }
}
