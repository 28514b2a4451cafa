//! Where looks for the `]` of a text have found none, as every one there is escaped, or half of a character.
//!
//! Owns [`Passed`]. Invariant: a stretch begins with a `]` from which a search has gone on, and one that goes on from any other
//! `]` in it comes to the same end: the bytes before a `]` do not matter to those behind it. Refuses to know what the looks
//! make of what they find.

use std::ops::Range;

use crate::text::StepState;

/// One more than a look needs that goes on from where earlier ones have come, so that what it finds there replaces none of
/// the others.
const MOST: usize = super::bracket::TRIES + 1;

/// The longest stretches that matter to texts to come. A look passes several, and the next one passes the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed([Stretch; MOST]);

#[derive(Clone, Debug, Default)]
struct Stretch {
    /// From that `]` to the first byte that was not examined, or that closes a text.
    range: Range<u64>,
    /// The state there.
    state: StepState,
}

impl Passed {
    /// Where to go on, and how, for a search from behind the `]` at this offset.
    pub(super) fn behind(&self, close: u64) -> Option<(u64, StepState)> {
        let stretch = self.0.iter().find(|stretch| stretch.range.contains(&close))?;
        Some((stretch.range.end, stretch.state))
    }

    /// A search in the text that begins at `start` has gone on from the `]` at `close` and found nothing before `end`, where
    /// this is its state. Texts to come begin behind `start`.
    pub(super) fn note(&mut self, start: u64, close: u64, end: u64, state: StepState) {
        let known = self.0.iter().position(|stretch| stretch.range.contains(&close));
        let worth = |stretch: &Stretch| stretch.range.end.saturating_sub(stretch.range.start.max(start));
        let Some(place) = known.or_else(|| (0..MOST).min_by_key(|&at| worth(&self.0[at]))) else { return };
        let stretch = &mut self.0[place];
        let first = if known.is_some() { stretch.range.start } else { close };
        *stretch = Stretch { range: first..end, state };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_stretch_does_not_replace_a_long_one() {
        let mut passed = Passed::default();
        passed.note(0, 10, 1000, StepState::default());
        for close in (1001..1100).step_by(2) {
            passed.note(5, close, close + 2, StepState::default());
        }
        assert_eq!(passed.behind(500), Some((1000, StepState::default())));
        assert_eq!(passed.behind(1099), Some((1101, StepState::default())));
        // Nobody comes back to it.
        for close in (2001..2100).step_by(20) {
            passed.note(1000, close, close + 20, StepState::default());
        }
        assert_eq!(passed.behind(500), None);
        assert_eq!(passed.behind(2010), Some((2021, StepState::default())));
    }
}
