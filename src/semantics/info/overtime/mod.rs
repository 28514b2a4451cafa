//! OT: what happens when the main time is over.
//!
//! Owns [`Overtime`]. The standard leaves OT to the writer, so this follows what servers write.

mod read;
mod words;

use std::fmt;
use std::time::Duration;

use super::Reading;
use super::duration::{Seconds, seconds};
use super::scan::Scan;
use super::score::Score;

/// How overtime works.
///
/// ```
/// use std::time::Duration;
/// use sgf_stream::semantics::info::{Overtime, Reading};
///
/// let half_minute = Duration::from_secs(30);
/// let byo_yomi = Overtime::ByoYomi { periods: 5, period: half_minute };
/// assert_eq!(Overtime::parse("5x30 byo-yomi"), Reading::Exact(byo_yomi));
/// assert_eq!(Overtime::parse("30秒5回"), Reading::Lenient(byo_yomi));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overtime {
    /// There is none: a player with no time left has lost.
    Absolute,
    /// Japanese: a period is used up only by a move that takes longer.
    ByoYomi {
        /// How many, 1 or more.
        periods: u32,
        /// How long each is.
        period: Duration,
    },
    /// Canadian: a number of moves in every period.
    Canadian {
        /// How many moves.
        moves: u32,
        /// The time for them.
        period: Duration,
    },
    /// Fischer's clock: every move adds to what is left.
    Fischer {
        /// How much.
        increment: Duration,
    },
}

impl Overtime {
    /// Reads the text of OT.
    ///
    /// Exact: `5x30 byo-yomi`, `25/600 Canadian`, `10 fischer` and `25 moves / 10 min`, as in servers' files and the
    /// standard's example. Lenient: other spellings and languages. Numbers whose unit nothing tells, as in `20 / 5`,
    /// are not understood.
    pub fn parse(text: &str) -> Reading<Self> {
        Reading::of(text, exact(text), |text| {
            // PlayHex: a limit on what may be saved up.
            let mut scan = Scan::new(text.strip_suffix(" capped").unwrap_or(text));
            let overtime = scan.eat_overtime()?;
            scan.is_set_off().then_some(overtime)
        })
    }

    /// Reads the texts of OM and OP, which FF\[3\] had instead of OT: a number of moves in a period of a number of
    /// seconds.
    pub fn parse_om(moves: &str, period: &str) -> Reading<Self> {
        let read = || Self::canadian(count(moves)?, seconds(Score::real(period)?)?);
        read().map_or(Reading::Raw, Reading::Exact)
    }

    /// Reads a number of periods and how many seconds each has, which some sites write in two properties: TC and TT
    /// (Fox), LC and LT (Sina, and Korean sites). Both may have units, as in `5回` and `30秒`.
    pub fn parse_periods(periods: &str, period: &str) -> Reading<Self> {
        let read = || Self::byo_yomi(count(periods)?, seconds(Score::real(period)?)?);
        read().map_or_else(|| Self::parse(&format!("{period} {periods}")), Reading::Lenient)
    }

    fn byo_yomi(periods: i64, period: Duration) -> Option<Self> {
        let periods = u32::try_from(periods).ok().filter(|&periods| periods > 0)?;
        (!period.is_zero()).then_some(Self::ByoYomi { periods, period })
    }

    fn canadian(moves: i64, period: Duration) -> Option<Self> {
        let moves = u32::try_from(moves).ok().filter(|&moves| moves > 0)?;
        (!period.is_zero()).then_some(Self::Canadian { moves, period })
    }
}

/// As KGS and OGS write it: `5x30 byo-yomi`, `25/600 Canadian`, `10 fischer`; `none`.
impl fmt::Display for Overtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Absolute => f.write_str("none"),
            Self::ByoYomi { periods, period } => write!(f, "{periods}x{} byo-yomi", Seconds(period)),
            Self::Canadian { moves, period } => write!(f, "{moves}/{} Canadian", Seconds(period)),
            Self::Fischer { increment } => write!(f, "{} fischer", Seconds(increment)),
        }
    }
}

fn count(text: &str) -> Option<i64> {
    Score::real(text).filter(|score| score.denominator() == 1).map(Score::numerator)
}

/// By the standard, or as servers write it.
pub(super) fn exact(text: &str) -> Option<Overtime> {
    let time = |text: &str| seconds(Score::real(text)?);
    if let Some(text) = text.strip_suffix(" byo-yomi") {
        let (periods, period) = text.split_once('x')?;
        return Overtime::byo_yomi(count(periods)?, time(period)?);
    }
    if let Some(text) = text.strip_suffix(" Canadian").or_else(|| text.strip_suffix(" canadian")) {
        let (moves, period) = text.split_once('/')?;
        return Overtime::canadian(count(moves)?, time(period)?);
    }
    if let Some(text) = text.strip_suffix(" fischer") {
        return time(text).map(|increment| Overtime::Fischer { increment });
    }
    let (moves, period) = text.split_once(" moves / ")?;
    let minutes = period.strip_suffix(" min").map(|text| time(text)?.checked_mul(60));
    let period = minutes.or_else(|| period.strip_suffix(" sec").map(time))??;
    Overtime::canadian(count(moves)?, period)
}
