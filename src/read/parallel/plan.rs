//! Whether the next block is cut for certain, on a guess, or without looking.
//!
//! Owns that choice, by what earlier choices cost and how often guesses were wrong. Invariant: it depends only on what is said of
//! the blocks so far, and asks about guesses only where everything before is folded. Refuses to know bytes, parsers and threads.

/// After this many blocks it is decided again whether guessing is worth it. That costs about the time of one block, as the threads
/// wait for one another, so a 256th of the time at most.
const STRETCH: u64 = 256;

/// After this many wrong guesses in a stretch, the next stretch is cut for certain. A wrong guess costs a block that is read twice;
/// cutting for certain, each block is passed at skip speed first, by one thread.
const WRONG: u64 = STRETCH / 4;

/// How many blocks are cut for certain where there was nothing to guess at; twice as many if that soon happens again.
/// So one long game between many short ones costs little, and many long ones are not searched for nothing for long.
const PAUSE: u64 = 2;

/// After this many blocks that were skipped through for nothing, some are not skipped through at all. It was for nothing
/// if the block has no cut: one thread reads such a game in order anyway, and with much damage skipping is soon as
/// costly as reading. Where skipping was given up, because it costs as much as reading, nobody waits for a second such block.
const WASTED: u64 = 4;

/// Four times as many blocks are not skipped through, and each time that it is still for nothing, again four times as many.
const BLIND: u64 = 1;

/// The most blocks in a row that are not skipped through: each is there before the thread that reads them has come to
/// it, however many threads wait. So it bounds memory: 32 blocks of 512 KiB are 16 MiB.
const MAX_BLIND: u64 = 32;

/// How many blocks are cut inside a game for certain before any are cut on a guess; twice as many after a wrong guess. In the
/// end somebody has to wait for the next game to be found, which costs more than it gains if the game is only 5 MB long: ten
/// blocks, of which the first four stay together, because the charset is worked out from them.
const CAUTION: u64 = 5;

/// How many blocks are cut inside a game on a guess before it is asked whether all guesses were right, which costs about the
/// time of one block; each time after that, it is twice as many, up to the most. If one was wrong, all may have to be read again.
const TRIAL: u64 = 8;
const MAX_TRIED: u64 = 64;

/// A way to cut the next block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// By skipping through all of it.
    Certain,
    /// Before what looks like a game.
    Guess,
    /// Inside a long game, on the guess that the byte rules say where trees begin and end.
    Inside,
    /// Without looking.
    Blind,
}

/// What has to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Cut(How),
    /// Cut for certain, going on from what has been read so far.
    Resume,
    /// Nothing, before everything so far is folded.
    Fold,
}

/// What is known of the place where the last block ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    /// A game begins, and others can be recognised.
    pub(super) may_guess: bool,
    /// A tree inside a game has ended.
    pub(super) is_inside: bool,
}

/// What has come of skipping through a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skipped {
    /// The block begins or ends at a cut.
    pub(super) has_cut: bool,
    /// It was given up in the middle, because it cost as much as reading.
    pub(super) has_given_up: bool,
    /// The source had nothing more for now.
    pub(super) is_paused: bool,
}

/// What folding has found out about guesses since it was last asked.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    /// How many were wrong in this stretch.
    pub(super) wrong: u64,
    /// One inside a game was.
    pub(super) is_astray: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Cut(How),
    /// At the beginning of a stretch: decide, as soon as everything is folded.
    Look {
        guessed: bool,
    },
    /// Judge the guesses inside the game, as soon as everything is folded.
    Tried,
    /// Cut for certain from here on, as soon as everything is folded.
    Resume,
}

pub(super) struct Plan {
    /// How many blocks are left of the stretch.
    left: u64,
    /// Guessing is allowed in this stretch.
    guesses: bool,
    /// Blocks that are cut for certain, because there was nothing to guess at, and how many were guessed since.
    pause: Stretch,
    guessed: u64,
    /// How many of the last blocks were skipped through for nothing.
    wasted: u64,
    /// Blocks that are not skipped through.
    blind: Stretch,
    /// Blocks that are cut inside a game before it is asked whether the guesses were right.
    trial: Stretch,
    /// How many were just cut there for certain, and how many have to be.
    inside: u64,
    caution: u64,
    mode: Mode,
}

impl Plan {
    /// Nothing is cut yet.
    pub(super) const fn new() -> Self {
        Self {
            left: STRETCH,
            guesses: true,
            pause: Stretch::new(PAUSE, 2, STRETCH),
            guessed: 0,
            wasted: 0,
            blind: Stretch::new(BLIND, 4, MAX_BLIND),
            trial: Stretch::new(TRIAL, 2, MAX_TRIED),
            inside: 0,
            caution: CAUTION,
            mode: Mode::Cut(How::Certain),
        }
    }

    /// What has to be done next. `mistakes`, and whether a game is open that goes on, count only where everything is folded.
    pub(super) fn step(&mut self, here: Here, mistakes: &mut Mistakes, is_open: bool) -> Step {
        match self.mode {
            Mode::Look { guessed } => {
                self.guesses = std::mem::take(&mut mistakes.wrong) < WRONG;
                match (guessed, self.guesses) {
                    (true, true) => self.cut(How::Guess),
                    (true, false) => self.resume(mistakes),
                    (false, _) => self.cut(How::Certain),
                }
            }
            Mode::Tried => self.judge(here, mistakes, is_open),
            Mode::Resume => self.resume(mistakes),
            Mode::Cut(how @ (How::Certain | How::Guess)) if self.left == 0 => {
                self.left = STRETCH;
                self.fold_for(Mode::Look { guessed: how == How::Guess })
            }
            Mode::Cut(How::Blind) if self.blind.left == 0 => self.fold_for(Mode::Resume),
            // The game seems to end, or it is time to ask.
            Mode::Cut(How::Inside) if !here.is_inside || self.trial.left == 0 => self.fold_for(Mode::Tried),
            Mode::Cut(How::Certain) if self.pause.step() => Step::Cut(How::Certain),
            Mode::Cut(How::Certain) if self.guesses && here.may_guess => self.cut(How::Guess),
            Mode::Cut(how) => Step::Cut(how),
        }
    }

    fn cut(&mut self, how: How) -> Step {
        self.mode = Mode::Cut(how);
        Step::Cut(how)
    }

    fn fold_for(&mut self, mode: Mode) -> Step {
        self.mode = mode;
        Step::Fold
    }

    fn resume(&mut self, mistakes: &mut Mistakes) -> Step {
        if std::mem::take(&mut mistakes.is_astray) {
            self.caution = (2 * self.caution).min(STRETCH);
        }
        self.mode = Mode::Cut(How::Certain);
        Step::Resume
    }

    /// Continues after guesses inside a game.
    fn judge(&mut self, here: Here, mistakes: &mut Mistakes, is_open: bool) -> Step {
        let is_right = !mistakes.is_astray && !is_open;
        if is_right {
            self.caution = CAUTION;
        }
        if is_right && here.is_inside {
            self.trial.begin_longer();
            self.cut(How::Inside)
        } else if is_right && self.guesses && here.may_guess {
            self.cut(How::Guess)
        } else {
            self.resume(mistakes)
        }
    }

    /// A block was cut, whichever way.
    pub(super) fn count(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// There was something to guess at.
    pub(super) fn guessed(&mut self) {
        self.guessed += 1;
    }

    /// There was nothing to guess at.
    pub(super) fn found_nothing(&mut self) {
        if std::mem::take(&mut self.guessed) > self.pause.len {
            self.pause.begin_anew();
        } else {
            self.pause.begin_longer();
        }
        self.mode = Mode::Resume;
    }

    /// A block was sought inside a game on a guess.
    pub(super) fn tried(&mut self, is_found: bool) {
        self.trial.step();
        if !is_found {
            self.mode = Mode::Resume;
        }
    }

    /// A block is not skipped through.
    pub(super) fn passed_over(&mut self) {
        self.blind.step();
    }

    /// A block was skipped through.
    pub(super) fn skipped(&mut self, skipped: Skipped, here: Here) {
        self.weigh(skipped, here);
        self.inside = if here.is_inside { self.inside + 1 } else { 0 };
        if self.inside >= self.caution {
            self.inside = 0;
            self.trial.begin_anew();
            self.mode = Mode::Cut(How::Inside);
        }
    }

    /// Whether skipping was for nothing.
    fn weigh(&mut self, Skipped { has_cut, has_given_up, is_paused }: Skipped, here: Here) {
        // If a source has nothing for now, that says nothing about its games.
        if is_paused && !has_given_up {
            return;
        }
        // A guess costs little, and where games are tiny it may be right.
        if has_given_up && self.pause.left == 0 && self.guesses && here.may_guess {
            return;
        }
        if has_cut && !has_given_up {
            self.wasted = 0;
            self.blind.forget();
            return;
        }
        self.wasted += 1;
        if self.wasted == WASTED || has_given_up {
            self.wasted = 0;
            self.blind.begin_longer();
            self.mode = Mode::Cut(How::Blind);
        }
    }

    #[cfg(test)]
    pub(super) fn is_blind(&self) -> bool {
        self.mode == Mode::Cut(How::Blind)
    }
}

/// This many blocks, and the next time several times as many.
struct Stretch {
    /// How many are left of it.
    left: u64,
    len: u64,
    /// What lengths grow from.
    base: u64,
    growth: u64,
    most: u64,
}

impl Stretch {
    const fn new(base: u64, growth: u64, most: u64) -> Self {
        Self { left: 0, len: base, base, growth, most }
    }

    /// Begins one that is longer than the last.
    fn begin_longer(&mut self) {
        self.len = (self.growth * self.len).min(self.most);
        self.left = self.len;
    }

    /// Begins one that has not grown.
    fn begin_anew(&mut self) {
        self.forget();
        self.left = self.len;
    }

    /// The next one grows from the base again.
    fn forget(&mut self) {
        self.len = self.base;
    }

    /// Whether another block belongs to it.
    fn step(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left -= u64::from(goes_on);
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::How::{Blind, Certain, Guess, Inside};
    use super::*;

    /// At the beginning of a game, at a tree inside one, and somewhere else.
    const GAME: Here = Here { may_guess: true, is_inside: false };
    const TREE: Here = Here { may_guess: false, is_inside: true };
    const OPEN: Here = Here { may_guess: false, is_inside: false };

    const CUT: Skipped = Skipped { has_cut: true, has_given_up: false, is_paused: false };
    const NO_CUT: Skipped = Skipped { has_cut: false, ..CUT };
    const GIVEN_UP: Skipped = Skipped { has_given_up: true, ..CUT };
    const PAUSED: Skipped = Skipped { is_paused: true, ..NO_CUT };

    const RIGHT: Mistakes = Mistakes { wrong: WRONG - 1, is_astray: false };
    const WRONG_GUESSES: Mistakes = Mistakes { wrong: WRONG, is_astray: false };
    const ASTRAY: Mistakes = Mistakes { wrong: 0, is_astray: true };

    type Change = fn(&mut Plan);

    fn plan(mode: Mode, change: Change) -> Plan {
        let mut plan = Plan { mode, ..Plan::new() };
        change(&mut plan);
        plan
    }

    #[test]
    fn each_mode_leads_to_the_next() {
        let cut = Mode::Cut;
        let look = |guessed| Mode::Look { guessed };
        let same: Change = |_| {};
        let last: Change = |plan| plan.left = 0;
        let rows = [
            // In the middle of a game there is nothing to guess at.
            (cut(Certain), same, OPEN, RIGHT, Step::Cut(Certain), cut(Certain)),
            (cut(Certain), same, GAME, RIGHT, Step::Cut(Guess), cut(Guess)),
            (cut(Certain), |plan| plan.pause.left = 1, GAME, RIGHT, Step::Cut(Certain), cut(Certain)),
            (cut(Certain), |plan| plan.guesses = false, GAME, RIGHT, Step::Cut(Certain), cut(Certain)),
            (cut(Certain), last, GAME, RIGHT, Step::Fold, look(false)),
            (cut(Guess), same, GAME, RIGHT, Step::Cut(Guess), cut(Guess)),
            (cut(Guess), last, GAME, RIGHT, Step::Fold, look(true)),
            // Guesses are given up, and taken up again, only at the beginning of a stretch.
            (look(true), same, GAME, RIGHT, Step::Cut(Guess), cut(Guess)),
            (look(true), same, GAME, WRONG_GUESSES, Step::Resume, cut(Certain)),
            (look(false), same, GAME, RIGHT, Step::Cut(Certain), cut(Certain)),
            (look(false), same, GAME, WRONG_GUESSES, Step::Cut(Certain), cut(Certain)),
            (cut(Blind), |plan| plan.blind.left = 1, OPEN, RIGHT, Step::Cut(Blind), cut(Blind)),
            (cut(Blind), same, OPEN, RIGHT, Step::Fold, Mode::Resume),
            (Mode::Resume, same, OPEN, RIGHT, Step::Resume, cut(Certain)),
            (cut(Inside), |plan| plan.trial.left = 1, TREE, RIGHT, Step::Cut(Inside), cut(Inside)),
            (cut(Inside), |plan| plan.trial.left = 1, GAME, RIGHT, Step::Fold, Mode::Tried),
            (cut(Inside), same, TREE, RIGHT, Step::Fold, Mode::Tried),
            (Mode::Tried, same, TREE, RIGHT, Step::Cut(Inside), cut(Inside)),
            (Mode::Tried, same, TREE, ASTRAY, Step::Resume, cut(Certain)),
            (Mode::Tried, same, GAME, RIGHT, Step::Cut(Guess), cut(Guess)),
            (Mode::Tried, same, GAME, ASTRAY, Step::Resume, cut(Certain)),
            (Mode::Tried, |plan| plan.guesses = false, GAME, RIGHT, Step::Resume, cut(Certain)),
            (Mode::Tried, same, OPEN, RIGHT, Step::Resume, cut(Certain)),
        ];
        for (row, (mode, change, here, mut mistakes, step, next)) in rows.into_iter().enumerate() {
            let mut plan = plan(mode, change);
            assert_eq!((plan.step(here, &mut mistakes, false), plan.mode), (step, next), "row {row}: {mode:?}");
        }
        // One that is passed over was the last.
        let mut blind = plan(cut(Blind), |plan| plan.blind.left = 1);
        blind.passed_over();
        assert_eq!(blind.step(OPEN, &mut Mistakes::default(), false), Step::Fold);
        // A game that goes on behind the block was not cut at a tree.
        let mut plan = plan(Mode::Tried, |_| {});
        assert_eq!(plan.step(TREE, &mut Mistakes::default(), true), Step::Resume);
    }

    #[test]
    fn guesses_are_looked_at_once_a_stretch() {
        let mut plan = Plan::new();
        let mut mistakes = Mistakes { wrong: WRONG, is_astray: false };
        for expected in [Step::Resume, Step::Cut(Certain), Step::Cut(Guess)] {
            for _ in 0..STRETCH {
                assert!(matches!(plan.step(GAME, &mut mistakes, false), Step::Cut(_)));
                plan.count();
            }
            assert_eq!(plan.step(GAME, &mut mistakes, false), Step::Fold);
            assert_eq!(plan.step(GAME, &mut mistakes, false), expected);
            // Those of the stretch before do not count again.
            assert_eq!((mistakes.wrong, plan.guesses), (0, expected != Step::Resume));
        }
    }

    #[test]
    fn what_comes_of_a_block_leads_to_the_next_mode() {
        let rows: [(How, Change, Mode); 16] = [
            (Certain, |plan| plan.skipped(CUT, GAME), Mode::Cut(Certain)),
            // It is for nothing several times in a row, or once if it was costly and no guess may be better.
            (Certain, |plan| (1..WASTED).for_each(|_| plan.skipped(NO_CUT, OPEN)), Mode::Cut(Certain)),
            (Certain, |plan| (0..WASTED).for_each(|_| plan.skipped(NO_CUT, OPEN)), Mode::Cut(Blind)),
            (
                Certain,
                |plan| [NO_CUT, NO_CUT, NO_CUT, CUT, NO_CUT].into_iter().for_each(|it| plan.skipped(it, OPEN)),
                Mode::Cut(Certain),
            ),
            (Certain, |plan| (0..9).for_each(|_| plan.skipped(PAUSED, OPEN)), Mode::Cut(Certain)),
            (Certain, |plan| plan.skipped(GIVEN_UP, OPEN), Mode::Cut(Blind)),
            (Certain, |plan| plan.skipped(GIVEN_UP, GAME), Mode::Cut(Certain)),
            (Certain, |plan| plan.skipped(Skipped { is_paused: true, ..GIVEN_UP }, OPEN), Mode::Cut(Blind)),
            (
                Certain,
                |plan| {
                    plan.pause.left = 1;
                    plan.skipped(GIVEN_UP, GAME);
                },
                Mode::Cut(Blind),
            ),
            (Certain, |plan| (1..CAUTION).for_each(|_| plan.skipped(CUT, TREE)), Mode::Cut(Certain)),
            (Certain, |plan| (0..CAUTION).for_each(|_| plan.skipped(CUT, TREE)), Mode::Cut(Inside)),
            (
                Certain,
                |plan| [TREE, TREE, GAME, TREE, TREE, TREE].into_iter().for_each(|here| plan.skipped(CUT, here)),
                Mode::Cut(Certain),
            ),
            (Guess, Plan::guessed, Mode::Cut(Guess)),
            (Guess, Plan::found_nothing, Mode::Resume),
            (Inside, |plan| plan.tried(false), Mode::Resume),
            (Blind, Plan::passed_over, Mode::Cut(Blind)),
        ];
        for (row, (how, change, next)) in rows.into_iter().enumerate() {
            assert_eq!(plan(Mode::Cut(how), change).mode, next, "row {row}: {how:?}");
        }
    }

    #[test]
    fn what_is_for_nothing_is_done_less_and_less() {
        let mut plan = Plan::new();
        let pauses = [(); 9].map(|()| {
            plan.found_nothing();
            plan.pause.left
        });
        assert_eq!(pauses, [4, 8, 16, 32, 64, 128, 256, 256, 256]);
        // With more guesses in between than the pause was long, it begins anew.
        (0..=STRETCH).for_each(|_| plan.guessed());
        plan.found_nothing();
        assert_eq!(plan.pause.left, PAUSE);

        // As many blocks again are for nothing before it is longer.
        for expected in [4, 16] {
            (0..WASTED).for_each(|_| plan.skipped(NO_CUT, OPEN));
            assert_eq!(plan.blind.left, expected);
        }
        plan.skipped(CUT, OPEN);

        let mut blind = |first: Skipped| {
            plan.skipped(first, OPEN);
            plan.blind.left
        };
        assert_eq!([GIVEN_UP; 4].map(&mut blind), [4, 16, 32, 32]);
        blind(CUT);
        assert_eq!(blind(GIVEN_UP), 4);
    }

    #[test]
    fn guesses_inside_a_game_are_trusted_more_and_more_until_one_is_wrong() {
        let mut plan = plan(Mode::Cut(Inside), |plan| plan.trial.begin_anew());
        let mut lens = Vec::new();
        while lens.len() < 5 {
            lens.push(plan.trial.left);
            (0..plan.trial.left).for_each(|_| plan.tried(true));
            assert_eq!(plan.step(TREE, &mut Mistakes::default(), false), Step::Fold);
            assert_eq!(plan.step(TREE, &mut Mistakes::default(), false), Step::Cut(Inside));
        }
        assert_eq!(lens, [8, 16, 32, 64, 64]);

        let mut astray = Mistakes { wrong: 1, is_astray: true };
        plan.mode = Mode::Tried;
        assert_eq!(plan.step(TREE, &mut astray, false), Step::Resume);
        assert_eq!((plan.caution, astray.is_astray), (2 * CAUTION, false));
        for _ in 1..2 * CAUTION {
            plan.skipped(CUT, TREE);
            assert_eq!(plan.mode, Mode::Cut(Certain));
        }
        plan.skipped(CUT, TREE);
        assert_eq!((plan.mode, plan.trial.left), (Mode::Cut(Inside), TRIAL));
        plan.mode = Mode::Tried;
        plan.step(TREE, &mut astray, false);
        assert_eq!(plan.caution, CAUTION);
    }
}
