//! Results that are not told by who won and by what, word for word: of whole texts that are known, and of sentences.
//!
//! Owns which sentences end in a result, and what may stand in them. Each is asked for only where `read` finds no outcome.

use super::words::{WORDS, Word};
use super::{GameResult, Outcome};
use crate::semantics::info::scan::Scan;

/// What ends a game without a result, if nothing else is said: behind a triple ko there may be a draw or a winner, and a
/// game that is abandoned by a player may be lost.
pub(super) fn void_if_alone(text: &str) -> Option<GameResult<'_>> {
    let mut scan = Scan::new(text.trim_end_matches(['。', '.']));
    let is_void = scan.eat_one(&["三劫", "三劫循环", "三コウ", "abandoned", "game abandoned"]);
    (is_void && scan.rest().is_empty()).then_some(GameResult { outcome: Outcome::Void, remark: "" })
}

/// A sentence in Chinese or Korean that names no player and ends in the word for a draw: `步数超过上限和棋`.
pub(super) fn drawn_at_last(text: &str) -> Option<GameResult<'_>> {
    // Colours, wins and losses, and what asks for a draw or denies it.
    const OTHERWISE: &str = "黑黒白흑백胜勝负負输輸赢贏승패不未没沒暂暫尚非拒求안";
    let text = text.trim_end_matches(['。', '！', '!', '.', ' ']);
    [3, 2].into_iter().find_map(|len| {
        let (at, _) = text.char_indices().rev().nth(len - 1)?;
        if text[..at].contains(|c: char| c.is_ascii_alphabetic() || OTHERWISE.contains(c)) {
            return None;
        }
        let mut last = Scan::new(&text[at..]);
        let outcome = match last.eat_word(&WORDS)? {
            Word::Ended(outcome @ (Outcome::Draw | Outcome::Void)) => outcome,
            Word::Jigo => Outcome::Draw,
            _ => return None,
        };
        last.rest().is_empty().then_some(GameResult { outcome, remark: "" })
    })
}
