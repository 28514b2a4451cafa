//! The charsets that games declare, one after the other.
//!
//! Owns [`Labels`]: which one holds before any place of the source, so that a part read alone reports the same changes.
//! Refuses to know whether a label is right.

use crate::text::Charset;

/// What the games so far declare. A game whose label is missing, or names no charset that text could be in, does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::syntax) struct Labels {
    /// What was assumed to be the last label before the part that is read.
    start: Option<Charset>,
    /// The first label since.
    first: Option<Charset>,
    /// The last label before the game that began last.
    before: Option<Charset>,
    /// The last label, that game's included.
    last: Option<Charset>,
    /// Where that game begins.
    game: u64,
    /// Its label was read, so another one says nothing.
    is_read: bool,
}

impl Labels {
    /// The labels of a source of which only the last one is known.
    pub(in crate::syntax) fn after(label: Option<Charset>) -> Self {
        Self { start: label, last: label, ..Self::default() }
    }

    pub(super) fn begin_game(&mut self, offset: u64) {
        *self = Self { before: self.last, game: offset, is_read: false, ..*self };
    }

    /// The game's label was found by looking ahead.
    pub(super) fn expect(&mut self, label: Option<Charset>) {
        if !self.is_read {
            self.last = label.or(self.before);
            self.first = self.first.or(label);
        }
    }

    /// The game's label may still come.
    pub(super) fn is_open(self) -> bool {
        !self.is_read
    }

    /// The game's label is read: does it differ from the one before?
    pub(super) fn read(&mut self, label: Option<Charset>) -> bool {
        self.expect(label);
        let is_first = !std::mem::replace(&mut self.is_read, true);
        is_first && label.is_some() && self.before.is_some_and(|before| Some(before) != label)
    }

    /// The labels before a part, beginning at `offset`, that is read alone.
    pub(in crate::syntax) fn up_to(self, offset: u64) -> Self {
        let last = if offset > self.game { self.last } else { self.before };
        Self::after(last)
    }

    /// Whether nothing would have been reported differently if `earlier` had come before.
    pub(in crate::syntax) fn may_follow(self, earlier: Self) -> bool {
        let is_change = |label: Option<Charset>| label.is_some_and(|label| Some(label) != self.first);
        self.first.is_none() || is_change(self.start) == is_change(earlier.last)
    }

    /// These labels, now that `earlier` is known to have come before.
    pub(in crate::syntax) fn following(self, earlier: Self) -> Self {
        let label = earlier.last;
        if self.first.is_some() { self } else { Self { start: label, before: label, last: label, ..self } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBK: Option<Charset> = Some(Charset::GBK);
    const BIG5: Option<Charset> = Some(Charset::BIG5);
    const UTF_8: Option<Charset> = Some(Charset::UTF_8);

    /// For each label, whether it is a change.
    fn changes(labels: &mut Labels, games: &[Option<Charset>]) -> Vec<bool> {
        let read = |(offset, &label): (usize, &Option<Charset>)| {
            labels.begin_game(10 * offset as u64);
            labels.expect(label);
            labels.read(label)
        };
        games.iter().enumerate().map(read).collect()
    }

    #[test]
    fn a_label_is_a_change_if_the_last_one_differs() {
        let games = [GBK, GBK, None, BIG5, None, BIG5, GBK];
        assert_eq!(changes(&mut Labels::default(), &games), [false, false, false, true, false, false, true]);
    }

    #[test]
    fn the_first_label_of_a_game_counts() {
        let mut labels = Labels::default();
        labels.begin_game(0);
        assert!(!labels.read(GBK));
        labels.begin_game(10);
        assert!(!labels.read(None), "an unknown label");
        assert!(!labels.read(BIG5));
        labels.expect(BIG5);
        labels.begin_game(20);
        assert!(!labels.read(GBK));
    }

    #[test]
    fn a_part_read_ahead_may_follow_what_comes_before_it() {
        let read = |games: &[Option<Charset>]| {
            let mut labels = Labels::default();
            changes(&mut labels, games);
            labels
        };
        let big5 = read(&[None, BIG5]);
        assert!(big5.may_follow(read(&[GBK, BIG5])));
        assert!(!big5.may_follow(read(&[BIG5, GBK])));
        assert!(big5.may_follow(read(&[None])) && read(&[None]).may_follow(big5));
        assert_eq!(changes(&mut big5.following(read(&[GBK])), &[GBK]), [true], "the part's own label counts");
        let mut guessed = Labels::after(UTF_8);
        assert_eq!(changes(&mut guessed, &[BIG5]), [true]);
        assert!(guessed.may_follow(read(&[GBK])), "a change from either label");
        assert!(!guessed.may_follow(read(&[BIG5])) && !guessed.may_follow(read(&[])));
        assert!(Labels::after(UTF_8).may_follow(read(&[BIG5])), "a part without labels may follow anything");
        let mut begun = Labels::default();
        begun.begin_game(0);
        let mut begun = begun.following(read(&[GBK]));
        assert!(begun.read(BIG5), "the label of the game in progress is still to come");
    }

    #[test]
    fn a_part_continues_with_the_labels_before_it() {
        let mut labels = Labels::default();
        changes(&mut labels, &[GBK, BIG5]);
        assert_eq!(changes(&mut labels.up_to(10), &[BIG5]), [true], "up to the second game");
        assert_eq!(changes(&mut labels.up_to(11), &[BIG5]), [false], "up to just after its beginning");
        assert_eq!(changes(&mut Labels::default().up_to(99), &[BIG5]), [false]);
    }
}
