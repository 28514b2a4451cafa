//! A result that is only a number.
//!
//! Owns which programs write what so, and who has won then. Refuses to know whether the game is one of theirs.

use super::{Margin, Outcome, WinBy, Winner};
use crate::semantics::info::Score;

/// A number alone; zero is a draw, and the sign is all that tells the winner. GGF, which Othello servers write, has a sign
/// always, and two or more decimals. Behind them, `:r` says that a player resigned, `:t` that his time was up, and `:s` that both
/// agreed on the score. Other programs write any number; where nothing else tells that `is_of_ggf`, it may mean anything.
pub(super) fn number(text: &str, is_of_ggf: bool) -> Option<Outcome> {
    let (number, by) = match text.split_once(':') {
        None => (text, None),
        Some((number, "s")) => (number, None),
        Some((number, "r")) => (number, Some(WinBy::Resignation)),
        Some((number, "t")) => (number, Some(WinBy::Time)),
        Some(_) => return None,
    };
    let score = Score::real(number)?;
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let winner = if score.is_negative() { Winner::White } else { Winner::Black };
    if score.is_zero() {
        // Of one who resigned, nothing says who it was.
        return if by.is_none() { Some(Outcome::Draw) } else { None };
    }
    let score = if score.is_negative() { score.checked_mul(-1)? } else { score };
    // `MiniZero` writes who won so, as 1 or -1. In its games for one player it is what he got.
    let is_by_engine = decimals == 6 && score == Score::from(1);
    let is_signed = number.starts_with(['+', '-']) && decimals >= 2;
    let unstated = if is_by_engine { WinBy::Unstated } else { WinBy::Margin(Margin::points(score)) };
    let is_result = is_by_engine || is_signed || (is_of_ggf && decimals != 6);
    is_result.then_some(Outcome::Win { winner, by: by.unwrap_or(unstated) })
}
