//! How the blocks of a source are cut for counting: for certain, on a guess, or without looking.
//!
//! Owns that choice, by what earlier choices cost and how often guesses were wrong. Invariant: it depends only on the bytes of the
//! source, so it is made where everything before is folded. Refuses to know what is found in the blocks.

use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::read::parallel::block::Block;
use crate::read::parallel::blocks::Blocks;
use crate::syntax::{Parser, StreamCharset};

/// After this many blocks it is decided again whether guessing is worth it. That costs about the time of one block.
const STRETCH: u64 = 256;

/// After this many wrong guesses in a stretch, the next stretch is cut for certain.
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

/// How many blocks are cut inside a game for certain before any are cut on a guess; twice as many after a wrong guess. In the
/// end somebody has to wait for the next game to be found, which costs more than it gains if the game is only 5 MB long.
const CAUTION: u64 = 5;

/// How many blocks are cut inside a game on a guess before it is asked whether all guesses were right, which costs about the
/// time of one block; each time after that, it is twice as many, up to the most. If one was wrong, all may have to be read again.
const TRIAL: u64 = 8;
const MAX_TRIED: u64 = 64;

/// The most blocks in a row that are not skipped through: each is there before the thread that reads them has come to
/// it, however many threads wait.
const MAX_BLIND: u64 = 32;

/// What the thread that cuts the source and the one that folds the results share.
pub(super) struct Seam<V> {
    /// The parser in the state in which the last folded block ended, and the visitor that received that block.
    pub(super) open: Option<(Box<Parser>, V)>,
    /// What all folded blocks say about text that comes later.
    pub(super) stream: StreamCharset,
    /// Wrong guesses in this stretch.
    pub(super) wrong: u64,
    /// A guess inside a game was wrong.
    pub(super) is_astray: bool,
    /// Blocks that are free to be used again.
    pub(super) spare: Vec<Block>,
}

impl<V> Seam<V> {
    pub(super) fn new() -> Self {
        Self { open: None, stream: StreamCharset::default(), wrong: 0, is_astray: false, spare: Vec::new() }
    }
}

/// Cuts the source.
pub(super) struct Cutter<R> {
    blocks: Blocks<R>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Certain,
    Guess,
    /// Cut inside a long game, on the guess that the byte rules say where trees begin and end.
    Inside,
    /// Judge the guesses inside the game, as soon as everything is folded.
    Tried,
    /// Cut without looking.
    Blind,
    /// Cut for certain from here on, as soon as everything is folded.
    Resume,
    /// At the beginning of a stretch: decide, as soon as everything is folded.
    Look {
        guessed: bool,
    },
}

impl<R: Read> Cutter<R> {
    /// Nothing is cut yet.
    pub(super) fn new(blocks: Blocks<R>) -> Self {
        Self {
            blocks,
            left: STRETCH,
            guesses: true,
            pause: Stretch::new(PAUSE, 2, STRETCH),
            guessed: 0,
            wasted: 0,
            blind: Stretch::new(BLIND, 4, MAX_BLIND),
            trial: Stretch::new(TRIAL, 2, MAX_TRIED),
            inside: 0,
            caution: CAUTION,
            mode: Mode::Certain,
        }
    }

    /// Cuts the next block, as [`Blocks::next_into`] says. `None` if everything so far must be folded first.
    pub(super) fn next<V>(&mut self, seam: &Mutex<Seam<V>>, block: &mut Block) -> Option<io::Result<bool>> {
        if !self.is_decided(seam) {
            return None;
        }
        let next = self.cut(block)?;
        self.left = self.left.saturating_sub(1);
        Some(next)
    }

    /// Decides how the next block is cut; false if everything so far must be folded first.
    fn is_decided<V>(&mut self, seam: &Mutex<Seam<V>>) -> bool {
        match self.mode {
            Mode::Certain | Mode::Guess if self.left == 0 => {
                self.left = STRETCH;
                self.mode = Mode::Look { guessed: self.mode == Mode::Guess };
                return false;
            }
            Mode::Look { guessed } => {
                let wrong = std::mem::take(&mut lock(seam).wrong);
                self.guesses = wrong < WRONG;
                self.mode = match (guessed, self.guesses) {
                    (true, true) => Mode::Guess,
                    (true, false) => self.resume(seam),
                    (false, _) => Mode::Certain,
                };
            }
            Mode::Resume => self.mode = self.resume(seam),
            Mode::Tried => self.mode = self.judge(seam),
            Mode::Blind if self.blind.left == 0 => {
                self.mode = Mode::Resume;
                return false;
            }
            // The game seems to end, or it is time to ask.
            Mode::Inside if !self.blocks.is_inside() || self.trial.left == 0 => {
                self.mode = Mode::Tried;
                return false;
            }
            Mode::Certain if self.pause.step() => {}
            Mode::Certain if self.guesses && self.blocks.may_guess() => self.mode = Mode::Guess,
            Mode::Certain | Mode::Guess | Mode::Inside | Mode::Blind => {}
        }
        true
    }

    /// Cuts the next block as it was decided. `None` if there was nothing to guess at.
    fn cut(&mut self, block: &mut Block) -> Option<io::Result<bool>> {
        match self.mode {
            Mode::Guess => {
                let next = self.blocks.guess_into(block).transpose();
                match next {
                    Some(Ok(_)) => self.guessed += 1,
                    Some(Err(_)) => {}
                    None => {
                        if std::mem::take(&mut self.guessed) > self.pause.len {
                            self.pause.begin_anew();
                        } else {
                            self.pause.begin_longer();
                        }
                        self.mode = Mode::Resume;
                    }
                }
                next
            }
            Mode::Inside => {
                let next = self.blocks.guess_inside(block).transpose();
                self.trial.step();
                if next.is_none() {
                    self.mode = Mode::Resume;
                }
                next
            }
            Mode::Blind => {
                self.blind.step();
                Some(self.blocks.follow_into(block))
            }
            _ => {
                let next = self.blocks.try_next_into(block);
                self.note_cut(block);
                self.inside = if self.blocks.is_inside() { self.inside + 1 } else { 0 };
                if self.inside >= self.caution {
                    self.inside = 0;
                    self.trial.begin_anew();
                    self.mode = Mode::Inside;
                }
                Some(next)
            }
        }
    }

    /// A block was skipped through.
    fn note_cut(&mut self, block: &Block) {
        let has_given_up = self.blocks.has_given_up();
        // If a source has nothing for now, that says nothing about its games.
        if self.blocks.is_paused() && !has_given_up {
            return;
        }
        // A guess costs little, and where games are tiny it may be right.
        if has_given_up && self.pause.left == 0 && self.guesses && self.blocks.may_guess() {
            return;
        }
        if (block.begins() || block.ends()) && !has_given_up {
            self.wasted = 0;
            self.blind.forget();
            return;
        }
        self.wasted += 1;
        if self.wasted == WASTED || has_given_up {
            self.wasted = 0;
            self.blind.begin_longer();
            self.mode = Mode::Blind;
        }
    }

    /// Continues after guesses inside a game.
    fn judge<V>(&mut self, seam: &Mutex<Seam<V>>) -> Mode {
        let is_right = {
            let seam = lock(seam);
            !seam.is_astray && seam.open.is_none()
        };
        if is_right {
            self.caution = CAUTION;
        }
        if is_right && self.blocks.is_inside() {
            self.trial.begin_longer();
            Mode::Inside
        } else if is_right && self.guesses && self.blocks.may_guess() {
            Mode::Guess
        } else {
            self.resume(seam)
        }
    }

    /// Continues, cutting for certain, from what was read so far.
    fn resume<V>(&mut self, seam: &Mutex<Seam<V>>) -> Mode {
        let mut seam = lock(seam);
        if std::mem::take(&mut seam.is_astray) {
            self.caution = (2 * self.caution).min(STRETCH);
        }
        let open = seam.open.as_ref().map(|(parser, _)| (**parser).clone());
        drop(seam);
        self.blocks.resume(open);
        Mode::Certain
    }
}

/// A panic leaves nothing half done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that repeats, delivered in small pieces.
    struct Source {
        text: &'static [u8],
        at: usize,
        pauses: bool,
        is_due: bool,
    }

    impl Read for Source {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.is_due = self.pauses && !self.is_due;
            if !self.is_due && self.pauses {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let len = (&self.text[self.at..]).read(buffer)?;
            self.at = (self.at + len) % self.text.len();
            Ok(len)
        }
    }

    #[test]
    fn the_cutter_turns_blind_if_there_is_nothing_to_guess() {
        for (text, pauses, expected) in [
            (&b"(;B[aa];W[bb]"[..], false, true),
            // A pause is not evidence that a game has no cut.
            (b"(;B[aa];W[bb]", true, false),
            (b"(;B[aa]C[a game that is short, too, but no shorter than such as are found in archives])", false, false),
            (b"(;B[aa];W[bb])", false, true),
            (b"(;C[])", false, true),
            // Nor does skipping through values, one by one, gain anything.
            (b"(;GM[1]CA[GBK];C[a];C[b])x", false, true),
        ] {
            let source = Source { text, at: 0, pauses, is_due: false };
            let mut cutter = Cutter::new(Blocks::new(source).block_len(100).inside_games(true));
            let seam = Mutex::new(Seam::<()>::new());
            let mut block = Block::default();
            let mut is_blind = false;
            for _ in 0..20 {
                let _ = cutter.next(&seam, &mut block);
                is_blind |= cutter.mode == Mode::Blind;
            }
            assert_eq!(is_blind, expected, "{}", text.escape_ascii());
        }
    }
}
