//! What stands behind an outcome that has been read: a remark, or something that takes the outcome back.
//!
//! Owns [`Second`]. Refuses to know how the first outcome was found.

use super::words::{WORDS, Word};
use super::{Outcome, WinBy, Winner};
use crate::semantics::info::scan::Scan;

/// What follows in a text that has named a winner.
pub(super) enum Second {
    /// Another winner.
    Win(Winner),
    /// The same player may have won by something else, if he is the one who is named: `W+1 or 2`, `W+1 or W+2`.
    OtherMeans(Option<Winner>),
    /// Something that is no remark: `B+3+W`, `W+/-`, `W+Void`.
    Nonsense,
}

pub(super) fn second_verdict(rest: &str, by: WinBy) -> Option<Second> {
    let mut scan = Scan::new(rest);
    if scan.peek() == Some('+') {
        return Some(Second::Nonsense);
    }
    let glued = scan.peek().is_some_and(|c| c.is_ascii_alphabetic());
    let slash = scan.eat_char('/');
    scan.skip_while(|c| matches!(c, ' ' | ',' | ';' | '/' | '&'));
    let either = scan.eat("or");
    let joined = either || scan.eat("and") || scan.eat("to");
    scan.skip_spaces();
    if joined && scan.peek().is_some_and(|c| c.is_ascii_digit()) {
        // `White wins by 1 or 2 points`.
        let is_counted = matches!(by, WinBy::Margin(_));
        return Some(if is_counted { Second::OtherMeans(None) } else { Second::Nonsense });
    }
    let unstated = by == WinBy::Unstated;
    match scan.eat_word(&WORDS) {
        Some(Word::Player(player)) => {
            scan.skip_spaces();
            // `B+4W`.
            let is_all = (unstated || glued) && !joined && scan.rest().is_empty();
            if is_all {
                return Some(Second::Nonsense);
            }
            scan.eat_char('+').then_some(if either { Second::OtherMeans(Some(player)) } else { Second::Win(player) })
        }
        Some(Word::Wins | Word::Loses) if either => Some(Second::Nonsense),
        Some(Word::Jigo) if unstated && joined => Some(Second::Nonsense),
        Some(Word::Ended(Outcome::Draw | Outcome::Void | Outcome::BothLost)) if unstated => Some(Second::Nonsense),
        _ if slash && unstated => Some(Second::Nonsense),
        _ => None,
    }
}
