//! The games before, whose charset makes that of the next one likely.
//!
//! Owns [`Neighbours`], in bounded memory, and whatever is needed to read a part of a source before it is known what
//! comes before it. Refuses to know how a game's charset is worked out.

use crate::text::decide::judge::Questions;
use crate::text::guess::letters::{Unlikely, is_latin};
use crate::text::{Charset, How, Learnt};

/// How many games are remembered.
pub(super) const REMEMBERED: usize = 16;

/// What a game was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Neighbour {
    charset: Charset,
    is_sure: bool,
    /// For a game in Latin letters: the text of one does not always show which letters, but that of several does.
    names: Unlikely,
}

/// What the games before, in the same file or archive member, were written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Neighbours {
    last: [Option<Neighbour>; REMEMBERED],
    next: usize,
    /// What [most](Self::most) of them were written in; worked out when one differs from the one it replaces.
    usual: Option<Charset>,
    first: Option<Charset>,
    part: Part,
}

/// What is known about a part of the source that is read alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Part {
    /// What was assumed to be the first charset where the part begins.
    first: Option<Charset>,
    /// The games of the part: after this many, nothing that came before the part counts.
    games: [Option<Neighbour>; REMEMBERED],
    added: usize,
    own_first: Option<Charset>,
    /// The first charset decided how some game is read.
    asked_first: bool,
}

impl Neighbours {
    /// What [most](Self::most) of them were written in.
    pub(crate) fn usual(&self) -> Option<Charset> {
        self.usual
    }

    /// What the first game that had a charset was written in.
    pub(crate) fn first(&self) -> Option<Charset> {
        self.first
    }

    /// A game has ended. `has_text`: some of it was not ASCII; `lines` are what was kept of that.
    pub(super) fn remember(&mut self, learnt: Learnt, has_text: bool, lines: &[u8]) {
        let charset = learnt.charset();
        if matches!(learnt.how(), How::Bytes | How::Bom | How::Declared | How::Guessed) && has_text {
            let is_weighed = is_latin(learnt.alone()) && !learnt.is_sure();
            let names = if is_weighed { Unlikely::of(lines) } else { Unlikely::default() };
            let neighbour = Neighbour { charset: learnt.alone(), is_sure: learnt.is_sure(), names };
            self.add(neighbour);
            if let Some(place) = self.part.games.get_mut(self.part.added) {
                *place = Some(neighbour);
                self.part.added += 1;
            }
        }
        if matches!(learnt.how(), How::Bytes | How::Declared | How::Bom) {
            self.first = self.first.or(Some(charset));
            self.part.own_first = self.part.own_first.or(Some(charset));
        }
    }

    fn add(&mut self, neighbour: Neighbour) {
        if self.last[self.next].replace(neighbour) != Some(neighbour) {
            self.usual = self.most();
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// The first game's charset decided how a game is read.
    pub(crate) fn ask_first(&mut self) {
        self.part.asked_first = true;
    }

    /// What a part that is read alone begins with, as if these games came before it.
    pub(crate) fn before_part(self) -> Self {
        Self { part: Part { first: self.first, ..Part::default() }, ..self }
    }

    /// How many games of the part had a charset, as far as they are counted.
    pub(crate) fn games_of_part(&self) -> usize {
        self.part.added
    }

    /// Whether the part, which has looked up `questions`, would have been read the same if `earlier` had come before it.
    pub(crate) fn may_follow(self, mut earlier: Self, questions: &Questions) -> bool {
        let part = self.part;
        if questions.are_none() {
            return !part.asked_first || earlier.first == part.first;
        }
        let mut usual = [earlier.usual; REMEMBERED];
        for (neighbour, usual) in part.games.into_iter().flatten().zip(&mut usual[1..]) {
            earlier.add(neighbour);
            *usual = earlier.usual;
        }
        (!part.asked_first || earlier.first == part.first) && questions.are_answered_alike(&usual)
    }

    /// The neighbours at the end of the part, now that `earlier` is known to have come before it.
    pub(crate) fn following(self, earlier: Self) -> Self {
        let mut all = earlier;
        if self.part.added == REMEMBERED {
            all = Self { last: self.last, next: self.next, usual: self.usual, ..all };
        } else {
            self.part.games.into_iter().flatten().for_each(|neighbour| all.add(neighbour));
        }
        all.first = all.first.or(self.part.own_first);
        all.before_part()
    }

    /// What more than half of them were written in; if some are sure, only these count. Charsets of one byte count
    /// together: the most frequent one, unless none is sure and another explains the names better.
    fn most(&self) -> Option<Charset> {
        let known = || self.last.iter().flatten();
        let any_sure = known().any(|neighbour| neighbour.is_sure);
        let counted = || known().filter(|neighbour| neighbour.is_sure || !any_sure);
        let letters = || counted().filter(|neighbour| neighbour.charset.is_single_byte());
        let half = counted().count() / 2;
        if letters().count() > half {
            let times = |charset| letters().filter(|neighbour| neighbour.charset == charset).count();
            let charsets = letters().map(|neighbour| neighbour.charset);
            let frequent = charsets.max_by_key(|&charset| (times(charset), charset.name()))?;
            let names = letters().map(|neighbour| neighbour.names);
            return Some(if any_sure { frequent } else { Unlikely::corrected(frequent, names) });
        }
        // A majority outlives the others: each of them cancels out one of the majority or another of the rest.
        let (most, _) = counted().fold((None, 0), |(most, lead), Neighbour { charset, .. }| match lead {
            0 => (Some(*charset), 1),
            _ if most == Some(*charset) => (most, lead + 1),
            _ => (most, lead - 1),
        });
        most.filter(|&most| counted().filter(|neighbour| neighbour.charset == most).count() > half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Charsets;
    use crate::text::decide::declared::Declared;
    use crate::text::decide::judge::Case;

    const GBK: Learnt = Learnt::new(Charset::GBK, How::Declared);
    const KOREAN: Learnt = Learnt::new(Charset::EUC_KR, How::Declared);
    /// 蒲甫 in GBK; in the similar charsets, not a name.
    const NAME: &[u8] = b"\xC6\xD1\xB8\xA6";

    fn among(usual: Option<Charset>) -> Case {
        let declared = Declared::Nothing;
        Case { detection: Charsets::Auto, declared, is_marked: false, may_be_made: false, usual }
    }

    fn after(games: impl IntoIterator<Item = Learnt>) -> Neighbours {
        let mut neighbours = Neighbours::default();
        games.into_iter().for_each(|learnt| neighbours.remember(learnt, true, b""));
        neighbours
    }

    #[test]
    fn the_majority_of_the_last_sixteen_is_usual() {
        assert_eq!(after([]).usual(), None);
        assert_eq!(after([GBK]).usual(), Some(Charset::GBK));
        assert_eq!(after([GBK, KOREAN]).usual(), None, "half is not a majority");
        assert_eq!(after([GBK, KOREAN, GBK]).usual(), Some(Charset::GBK));
        let many = |last| [GBK; 9].into_iter().chain([KOREAN; 15]).chain([last]);
        assert_eq!(after(many(GBK)).usual(), Some(Charset::EUC_KR));
    }

    #[test]
    fn certain_games_count_more_than_unsure_guesses() {
        let guessed = Learnt::new(Charset::EUC_KR, How::Guessed).unsure();
        assert_eq!(after([guessed; 3]).usual(), Some(Charset::EUC_KR));
        assert_eq!(after([guessed, GBK, guessed]).usual(), Some(Charset::GBK));
    }

    #[test]
    fn charsets_of_letters_count_together() {
        let latin = Learnt::new(Charset::WINDOWS_1252, How::Guessed).unsure();
        let czech = Learnt::new(Charset::for_label(b"windows-1250").unwrap(), How::Guessed).unsure();
        assert_eq!(after([latin, czech]).usual(), Some(Charset::WINDOWS_1252));
        assert_eq!(after([czech, latin]).usual(), Some(Charset::WINDOWS_1252));
        assert_eq!(after([czech, latin, czech, GBK.unsure()]).usual(), Some(czech.charset()));
        assert_eq!(after([latin, czech, GBK.unsure(), GBK.unsure()]).usual(), None);
    }

    #[test]
    fn games_without_examined_text_are_no_neighbours() {
        let mut neighbours = Neighbours::default();
        neighbours.remember(GBK, false, b"");
        assert_eq!(neighbours.usual(), None);
        assert_eq!(neighbours.first(), Some(Charset::GBK), "its label counts for `first`");
        for how in [How::Unneeded, How::Forced, How::Fallback] {
            assert_eq!(after([Learnt::new(Charset::GBK, how)]), Neighbours::default(), "{how:?}");
        }
    }

    #[test]
    fn a_part_read_ahead_continues_as_if_read_in_order() {
        let guessed = Learnt::new(Charset::GBK, How::Guessed).unsure();
        let kinds = [GBK, KOREAN, guessed, Learnt::new(Charset::UTF_8, How::Bytes)];
        let games = |count: usize, step: usize| (0..count).map(move |at| kinds[at * step % kinds.len()]);
        for before in [0, 1, 5, 16, 40] {
            for count in [0, 1, 15, 16, 17, 50] {
                let (earlier, whole) = (games(before, 3), games(before, 3).chain(games(count, 1)));
                for thought in [after([]), after(earlier.clone()), after([KOREAN; 16])] {
                    let mut part = thought.before_part();
                    let mut questions = Questions::default();
                    let found: Vec<_> = games(count, 1)
                        .map(|learnt| {
                            let case = among(part.usual());
                            let (answer, _) = case.judge(NAME);
                            questions.note(part.games_of_part(), case, NAME, answer);
                            part.remember(learnt, true, b"");
                            answer
                        })
                        .collect();
                    let mut all = after(earlier.clone());
                    let expected: Vec<_> = games(count, 1)
                        .map(|learnt| {
                            let (answer, _) = among(all.usual()).judge(NAME);
                            all.remember(learnt, true, b"");
                            answer
                        })
                        .collect();
                    assert!(part.may_follow(after(earlier.clone()), &Questions::default()), "without questions");
                    let joined = part.following(after(earlier.clone()));
                    let expected_end = after(whole.clone());
                    assert_eq!((joined.usual(), joined.first()), (expected_end.usual(), expected_end.first()));
                    let reads_alike = found == expected;
                    assert_eq!(
                        part.may_follow(after(earlier.clone()), &questions),
                        reads_alike,
                        "{before} and {count}"
                    );
                    part.ask_first();
                    let same_first = after(earlier.clone()).first() == thought.first();
                    let may_follow = part.may_follow(after(earlier.clone()), &questions);
                    assert_eq!(may_follow, reads_alike && same_first, "{before} and {count}");
                }
            }
        }
    }

    #[test]
    fn the_first_charset_stays_the_first() {
        let guessed = Learnt::new(Charset::BIG5, How::Guessed);
        assert_eq!(after([guessed, GBK, KOREAN]).first(), Some(Charset::GBK));
    }
}
