//! The games before, whose charset makes that of the next one likely.
//!
//! Owns [`Neighbours`], in bounded memory. Refuses to know how a game's charset is told.

use crate::text::{Charset, How, Learnt};

/// Games that are remembered.
const REMEMBERED: usize = 16;

/// What a game was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Neighbour {
    charset: Charset,
    is_sure: bool,
}

/// What the games before were written in: those of the same file or archive member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    last: [Option<Neighbour>; REMEMBERED],
    next: usize,
    /// What more than half of them were written in; worked out when one differs from the one it replaces.
    usual: Option<Charset>,
    first: Option<Charset>,
}

impl Neighbours {
    /// What more than half of them were written in.
    pub(crate) fn usual(&self) -> Option<Charset> {
        self.usual
    }

    /// What the first one was written in that had a charset.
    pub(crate) fn first(&self) -> Option<Charset> {
        self.first
    }

    /// A game has ended. `has_text`: some of it was not ASCII.
    pub(crate) fn remember(&mut self, learnt: Learnt, has_text: bool) {
        let charset = learnt.charset();
        if matches!(learnt.how(), How::Bytes | How::Declared | How::Guessed) && has_text {
            let neighbour = Some(Neighbour { charset, is_sure: learnt.is_sure() });
            if std::mem::replace(&mut self.last[self.next], neighbour) != neighbour {
                self.usual = self.most();
            }
            self.next = (self.next + 1) % REMEMBERED;
        }
        if matches!(learnt.how(), How::Bytes | How::Declared | How::Bom) {
            self.first = self.first.or(Some(charset));
        }
    }

    /// What more than half of them were written in; of those where that is sure, if there are any.
    fn most(&self) -> Option<Charset> {
        let known = || self.last.iter().flatten();
        let any_sure = known().any(|neighbour| neighbour.is_sure);
        let counted = || known().filter(|neighbour| neighbour.is_sure || !any_sure).map(|neighbour| neighbour.charset);
        let count = |charset| counted().filter(|&other| other == charset).count();
        let most = counted().max_by_key(|&charset| count(charset))?;
        (count(most) * 2 > counted().count()).then_some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBK: Learnt = Learnt::new(Charset::GBK, How::Declared);
    const KOREAN: Learnt = Learnt::new(Charset::EUC_KR, How::Declared);

    fn after(games: impl IntoIterator<Item = Learnt>) -> Neighbours {
        let mut neighbours = Neighbours::default();
        games.into_iter().for_each(|learnt| neighbours.remember(learnt, true));
        neighbours
    }

    #[test]
    fn what_most_of_the_last_sixteen_were_written_in_is_usual() {
        assert_eq!(after([]).usual(), None);
        assert_eq!(after([GBK]).usual(), Some(Charset::GBK));
        assert_eq!(after([GBK, KOREAN]).usual(), None, "one half is not most");
        assert_eq!(after([GBK, KOREAN, GBK]).usual(), Some(Charset::GBK));
        let many = |last| [GBK; 9].into_iter().chain([KOREAN; 15]).chain([last]);
        assert_eq!(after(many(GBK)).usual(), Some(Charset::EUC_KR));
    }

    #[test]
    fn what_is_sure_counts_for_more_than_what_was_guessed_from_little() {
        let guessed = Learnt::new(Charset::EUC_KR, How::Guessed).unsure();
        assert_eq!(after([guessed; 3]).usual(), Some(Charset::EUC_KR));
        assert_eq!(after([guessed, GBK, guessed]).usual(), Some(Charset::GBK));
    }

    #[test]
    fn what_nobody_looked_at_is_no_neighbour() {
        let mut neighbours = Neighbours::default();
        neighbours.remember(GBK, false);
        assert_eq!(neighbours.usual(), None);
        assert_eq!(neighbours.first(), Some(Charset::GBK), "its label says what it is all the same");
        for how in [How::Unneeded, How::Forced, How::Fallback] {
            assert_eq!(after([Learnt::new(Charset::GBK, how)]), Neighbours::default(), "{how:?}");
        }
    }

    #[test]
    fn the_first_charset_stays_the_first() {
        let guessed = Learnt::new(Charset::BIG5, How::Guessed);
        assert_eq!(after([guessed, GBK, KOREAN]).first(), Some(Charset::GBK));
    }
}
