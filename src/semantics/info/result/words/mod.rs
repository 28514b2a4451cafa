//! The words that results are written with, folded as `scan` folds.
//!
//! Owns [`Word`], and what `has` and `was` make of the verb behind them. The tables are sorted by what their words are about, and
//! one search looks through all of them.

mod endings;
mod means;
mod verdicts;

use super::super::scan::Scan;
use super::super::words::{Words, joined, sorted};
use super::{Outcome, Unit, WinBy, Winner};
use endings::ENDINGS;
use means::MEANS;
use verdicts::VERDICTS;

/// What a word says.
#[derive(Clone, Copy)]
pub(super) enum Word {
    /// A player.
    Player(Winner),
    /// The `+` between winner and margin.
    Plus,
    /// The player named before it won, or the one named after.
    Wins,
    /// The player named before it lost.
    Loses,
    /// What the game was won by.
    Means(WinBy),
    /// What the loser did. On its own it says that the player named before it lost.
    Fault(WinBy),
    /// What follows is what the game was won by.
    By,
    /// An outcome without a winner.
    Ended(Outcome),
    /// Equal scores: a draw, unless a winner is named beside it, whom the terms of the match then give the game.
    Jigo,
    /// The komi: the number after it is no margin.
    Komi,
    /// What was said about a winner is not the whole outcome.
    But,
    /// The player named before it won, and the one named after lost.
    Beats,
    /// The player named before it lost: `beaten`.
    Beaten,
    /// Either of them: `defeated` is what a player did to the one named behind it, or what happened to him.
    BeatsOrBeaten,
    /// `vinto`: won, or behind `è` and before `da` beaten.
    WonOrBeaten,
    /// `was`, behind which `defeated` is what happened to the player.
    Was,
    /// `has`, which belongs to the verb behind it: `has won`, `has beaten`.
    Has,
    /// What was said about a player is no outcome: `黑胜率`, the chances of Black.
    Nothing,
    /// Says nothing about the outcome.
    Filler,
}

pub(super) const WORDS: Words<Word> =
    Words::new(&sorted(joined::<Word, { ENDINGS.len() + MEANS.len() + VERDICTS.len() }>(&[ENDINGS, MEANS, VERDICTS])));

/// Before the one who beat the player that was named.
const BY_WHOM: &[&str] = &["da", "dal", "dai", "dalla", "dalle", "dagli"];

/// Takes a word, and the verb behind `has` or `was` with it: `has won`, `was defeated`.
pub(super) fn eat_verb(scan: &mut Scan<'_>) -> Option<Word> {
    let word = scan.eat_word(&WORDS)?;
    let mut next = *scan;
    next.skip_spaces();
    let verb = match word {
        Word::Has => match next.eat_word(&WORDS) {
            Some(verb @ (Word::Wins | Word::Loses | Word::Fault(_))) => verb,
            Some(Word::WonOrBeaten) => Word::Wins,
            Some(Word::Beats | Word::Beaten | Word::BeatsOrBeaten) => Word::Beats,
            _ => return Some(word),
        },
        Word::Was => match next.eat_word(&WORDS) {
            Some(Word::Beats | Word::Beaten | Word::BeatsOrBeaten | Word::WonOrBeaten) => Word::Beaten,
            _ => return Some(word),
        },
        Word::WonOrBeaten if !next.eat_one(BY_WHOM) => return Some(Word::Wins),
        _ => return Some(word),
    };
    *scan = next;
    Some(verb)
}

/// The letters of the standard in any case; only after a `+`, `by` or `wins`.
pub(super) const LETTERS: &[(&str, WinBy)] = &[("r", WinBy::Resignation), ("t", WinBy::Time), ("f", WinBy::Forfeit)];

/// The units of margins.
pub(super) const UNITS: &[(&str, Unit)] = &[
    ("point", Unit::Points),
    ("points", Unit::Points),
    ("pt", Unit::Points),
    ("pts", Unit::Points),
    ("p", Unit::Points),
    ("moku", Unit::Points),
    ("territory", Unit::Points),
    ("punkt", Unit::Points),
    ("punkte", Unit::Points),
    ("punkten", Unit::Points),
    ("punt", Unit::Points),
    ("punten", Unit::Points),
    ("puntos", Unit::Points),
    ("punti", Unit::Points),
    ("очко", Unit::Points),
    ("очка", Unit::Points),
    ("очков", Unit::Points),
    ("目", Unit::Points),
    ("点", Unit::Points),
    ("집", Unit::Points),
    ("호", Unit::Points),
    ("stone", Unit::Stones),
    ("stones", Unit::Stones),
    ("zi", Unit::Stones),
    ("子", Unit::Stones),
];

/// Words that count moves: the number before them is no margin.
pub(super) const MOVES: &[&str] = &["手", "手完", "手终", "수", "moves", "步", "着"];
