//! What `recode` has changed, for people.
//!
//! Owns the counts, their words, and how many places of an input are reported one by one. Refuses to know how anything is changed.

use sgf_stream::Charset;

use crate::tally::Tally;
use crate::terminal::layout::{counted, thousands};

/// How many places of an input are reported one by one.
const PLACES: u64 = 10;

#[derive(Debug)]
pub(super) struct Changes {
    /// Games by the charset of their first text that is not ASCII.
    texts: Tally<String>,
    /// Games whose CA was put in or changed.
    pub(super) labels: u64,
    /// Values that stay in their charset.
    pub(super) left: u64,
    /// Places with bytes that are no character.
    pub(super) lost: u64,
    /// Places of the input in progress that there was something to report of.
    places: u64,
}

impl Default for Changes {
    fn default() -> Self {
        Self { texts: Tally::new(usize::MAX), labels: 0, left: 0, lost: 0, places: 0 }
    }
}

impl Changes {
    /// A game has text in this charset.
    pub(super) fn add_text(&mut self, charset: Charset) {
        self.texts.add(charset.name(), 1);
    }

    /// Whether one more place of the input is reported.
    pub(super) fn admits_place(&mut self) -> bool {
        self.places += 1;
        self.places <= PLACES
    }

    /// The input has ended: how many places of it were not reported.
    pub(super) fn unreported_places(&mut self) -> u64 {
        std::mem::take(&mut self.places).saturating_sub(PLACES)
    }

    /// What was changed, for people, if there was anything to change. `games`: how many were read.
    pub(super) fn summary(&self, games: u64) -> Option<String> {
        let texts = self.texts.ranking().into_iter().map(|(name, games)| format!("{} {name}", thousands(games)));
        let texts: Vec<_> = texts.collect();
        if texts.is_empty() && self.labels + self.left + self.lost == 0 {
            return None;
        }
        let texts = if texts.is_empty() { "all ASCII".to_owned() } else { texts.join(", ") };
        let mut summary = format!("{}: {texts}", counted(games, "game"));
        for (number, text) in [
            (self.labels, format!("CA set in {}", thousands(self.labels))),
            (self.left, format!("{} not recoded", counted(self.left, "value"))),
            (self.lost, format!("U+FFFD in {}", counted(self.lost, "place"))),
        ] {
            if number > 0 {
                summary.extend(["; ", &text]);
            }
        }
        Some(summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_changed_is_summed_up() {
        let mut changes = Changes::default();
        assert_eq!(changes.summary(1), None);
        changes.labels = 1;
        assert_eq!(changes.summary(1).unwrap(), "1 game: all ASCII; CA set in 1");
        changes.add_text(Charset::UTF_8);
        changes.add_text(Charset::UTF_8);
        (changes.labels, changes.left, changes.lost) = (2, 1, 1_000);
        assert_eq!(
            changes.summary(3).unwrap(),
            "3 games: 2 UTF-8; CA set in 2; 1 value not recoded; U+FFFD in 1,000 places"
        );
    }
}
