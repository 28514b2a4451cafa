//! Fox, the server: where its games say something else than what is written.
//!
//! Owns which komi and which margins of its games are to be believed, and in which unit. Invariant: nothing here concerns a game
//! of another source. Which texts name Fox, and how it scales the komi, is for `Komi`.

use std::borrow::Cow;

use crate::record::{GameRecord, info};
use crate::semantics::info::{Komi, Margin, Outcome, Reading, Rules, Score, Unit, WinBy, is_fox};
use crate::syntax::Ident;

impl GameRecord {
    /// What says where the game comes from. A program that changed a file may have added its own name.
    pub(super) fn sources(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let sources = self.info().filter(|&(ident, _)| matches!(ident, Ident::AP | Ident::SO | Ident::PC));
        let unsigned = self.is_of_early_fox().then_some(Cow::Borrowed("Fox"));
        sources.map(|(_, source)| info::text(source)).chain(unsigned)
    }

    /// Until 2016 Fox wrote no name but that of GNU Go. Nobody else has it beside both properties for overtime.
    fn is_of_early_fox(&self) -> bool {
        self.text(Ident::AP).is_some_and(|program| program == "GNU Go:3.8")
            && self.value(info::TC).is_some()
            && self.value(info::TT).is_some()
    }

    fn is_of_fox(&self) -> bool {
        self.sources().any(|source| is_fox(&source))
    }

    /// Whether a komi is only left out. In even games Fox writes 0 for it, though many of these were won by half a point.
    pub(super) fn leaves_out(&self, komi: Komi) -> bool {
        let is_even = || self.handicap().value().is_some_and(|handicap| handicap.stones() == 0);
        komi.points() == Score::ZERO && is_even() && self.is_of_fox()
    }

    /// How the game ended, where a margin is as Fox writes it: of stones if the rules are Chinese, or a code such as `W+0.02`.
    pub(super) fn of_fox(&self, reading: Reading<Outcome>) -> Reading<Outcome> {
        let Some(Outcome::Win { winner, by: WinBy::Margin(Margin { score, .. }) }) = reading.value() else {
            return reading;
        };
        // Other programs have turned some of its games into points, the komi too.
        // As `Komi` reads it: hundredths of fewer than five stones.
        let in_stones = |komi: i32| komi == 0 || (50..500).contains(&komi.abs());
        let in_its_units = || self.text(Ident::KM).is_some_and(|komi| komi.trim().parse().is_ok_and(in_stones));
        let by = if score == Score::ZERO || 4 % score.denominator() != 0 {
            WinBy::Unstated
        } else if in_its_units() && self.rules().value() == Some(Rules::Chinese) {
            WinBy::Margin(Margin { score, unit: Unit::Stones })
        } else {
            return reading;
        };
        if self.is_of_fox() { Reading::Lenient(Outcome::Win { winner, by }) } else { reading }
    }
}
