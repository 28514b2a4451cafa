//! Which of two players was beaten, where the verb alone does not tell.
//!
//! Owns what stands behind `defeated`, and Spanish verbs behind which the loser is named. Refuses to know what else the text says.

use super::Winner;
use super::words::{WORDS, Word};
use crate::semantics::info::scan::Scan;

/// What stands behind one who was beaten, and is no object.
const BEHIND_BEATEN: &[&str] = &[
    "by", "in", "after", "at", "on", "with", "through", "due to", "because", "durch", "von", "mit", "auf", "nach",
    "wegen",
];

/// Whether the player before `defeated` lost, by what stands behind it; `None` if it may be about someone else. A player called
/// by a name that is not in the game is the other one.
pub(super) fn defeated(behind: Scan<'_>, subject: Winner, names: &[(&str, Winner)]) -> Option<bool> {
    let mut object = behind;
    object.skip_spaces();
    if object.eat("the") {
        object.skip_spaces();
    }
    let (mut next, mut means) = (object, object);
    let called = names.iter().find(|(name, _)| next.eat_name(name)).map(|&(_, player)| player);
    match called.map_or_else(|| next.eat_word(&WORDS), |player| Some(Word::Player(player))) {
        _ if object.is_set_off() || object.rest().chars().all(|c| c == '.') => Some(true),
        Some(Word::Player(player)) => (player != subject).then_some(false),
        Some(Word::Means(_) | Word::Fault(_)) if next.is_set_off() => Some(true),
        _ if means.eat_one(BEHIND_BEATEN) => Some(true),
        // `Black defeated Lee Sedol`, `Black defeated his opponent`.
        _ if object.peek().is_some_and(char::is_alphabetic) => Some(false),
        _ => tells_by_what(object).then_some(true),
    }
}

/// Whether a mark is here, and how the game ended behind it: `: resignation`, `- 3.5 points`.
fn tells_by_what(mut scan: Scan<'_>) -> bool {
    let is_mark = scan.eat_char(':') || scan.eat_char('-');
    scan.skip_spaces();
    let is_number = scan.peek().is_some_and(|c| c.is_ascii_digit());
    is_mark && (is_number || matches!(scan.eat_word(&WORDS), Some(Word::Means(_) | Word::Fault(_))))
}

/// Whether the player who is named next is the one whom somebody beat: `Ganan a las negras`.
pub(super) fn names_the_beaten(behind: Scan<'_>) -> bool {
    let mut next = behind;
    next.skip_spaces();
    let is_object = next.eat("a");
    next.skip_spaces();
    is_object && matches!(next.eat_word(&WORDS), Some(Word::Player(_)))
}
