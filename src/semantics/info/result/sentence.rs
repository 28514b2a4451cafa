//! Results that are not told by who won and by what, word for word: of whole texts that are known, and of sentences.
//!
//! Owns which sentences end in a result, and what may stand in them. Each is asked for only where `read` finds no outcome.

use super::read::read_between;
use super::words::{WORDS, Word};
use super::{GameResult, Outcome};
use crate::semantics::info::scan::{Scan, fold, short, trim};

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

/// A win in Chinese that stands last, behind words which say nothing of a result: `黑粘劫。共228手。黑胜4目`,
/// `马天放执白 黑胜5目半`.
pub(super) fn won_at_last(text: &str) -> Option<GameResult<'_>> {
    const VERDICTS: &str = "胜勝负負败敗赢贏输輸";
    // Komi, other outcomes, and what makes the last words no outcome but a guess, a condition or the aim of a problem.
    const OTHERWISE: &str = "目半コ贴貼和平不未没沒无無非暂暫若如预預估测測判势勢形推可应應想觉覺率变變图圖図说說误誤望愿願题題解参參练練止话話作";
    const AIMS: &[&str] = &["黑先", "黒先", "白先"];
    let text = short(text)?;
    let breaks = text.char_indices().filter(|&(_, c)| matches!(fold(c), ' ' | '。'));
    breaks.take(16).find_map(|(at, mark)| {
        let (before, last) = (&text[..at], trim(&text[at + mark.len_utf8()..]));
        let is_chinese = before.contains(|c: char| c >= '\u{2E80}');
        let mut words = before.split(|c: char| !c.is_ascii_alphabetic());
        let says_nothing = words.all(|word| matches!(word, "" | "vs" | "VS"))
            && !before.contains(|c| VERDICTS.contains(c) || OTHERWISE.contains(c))
            && !AIMS.iter().any(|aim| before.contains(aim));
        let is_verdict = last.starts_with(['黑', '黒', '白']) && last.contains(|c| VERDICTS.contains(c));
        if !is_chinese || !says_nothing || !is_verdict || read_between(before, &[]).is_some() {
            return None;
        }
        read_between(last, &[]).filter(|it| it.remark.is_empty() && it.outcome.winner().is_some())
    })
}
