//! Cuts the blocks of a source for counting, each as the plan says.
//!
//! Owns what the thread that cuts and the one that folds tell each other. Invariant: where the source is cut depends only on its
//! bytes. Refuses to know what is found in the blocks, and why a block is cut in one way and not in another: that is for `plan`.

use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::read::parallel::block::Block;
use crate::read::parallel::blocks::Blocks;
use crate::read::parallel::plan::{Here, How, Mistakes, Plan, Skipped, Step};
use crate::syntax::{Parser, StreamCharset};

/// What the thread that cuts the source and the one that folds the results share.
pub(super) struct Seam<V> {
    /// The parser in the state in which the last folded block ended, and the visitor that received that block.
    pub(super) open: Option<(Box<Parser>, V)>,
    /// What all folded blocks say about text that comes later.
    pub(super) stream: StreamCharset,
    pub(super) mistakes: Mistakes,
    /// Blocks that are free to be used again.
    pub(super) spare: Vec<Block>,
}

impl<V> Seam<V> {
    pub(super) fn new() -> Self {
        Self { open: None, stream: StreamCharset::default(), mistakes: Mistakes::default(), spare: Vec::new() }
    }
}

/// Cuts the source.
pub(super) struct Cutter<R> {
    blocks: Blocks<R>,
    plan: Plan,
}

impl<R: Read> Cutter<R> {
    /// Nothing is cut yet.
    pub(super) fn new(blocks: Blocks<R>) -> Self {
        Self { blocks, plan: Plan::new() }
    }

    /// Cuts the next block, as [`Blocks::next_into`] says. `None` if everything so far must be folded first.
    pub(super) fn next<V>(&mut self, seam: &Mutex<Seam<V>>, block: &mut Block) -> Option<io::Result<bool>> {
        let here = self.here();
        let how = {
            let mut seam = lock(seam);
            let is_open = seam.open.is_some();
            match self.plan.step(here, &mut seam.mistakes, is_open) {
                Step::Cut(how) => how,
                Step::Resume => {
                    let open = seam.open.as_ref().map(|(parser, _)| (**parser).clone());
                    drop(seam);
                    self.blocks.resume(open);
                    How::Certain
                }
                Step::Fold => return None,
            }
        };
        let next = self.cut(how, block)?;
        self.plan.count();
        Some(next)
    }

    /// Cuts the next block. `None` if there was nothing to guess at.
    fn cut(&mut self, how: How, block: &mut Block) -> Option<io::Result<bool>> {
        match how {
            How::Certain => {
                let next = self.blocks.try_next_into(block);
                let skipped = Skipped {
                    has_cut: block.begins() || block.ends(),
                    has_given_up: self.blocks.has_given_up(),
                    is_paused: self.blocks.is_paused(),
                };
                self.plan.skipped(skipped, self.here());
                Some(next)
            }
            How::Guess => {
                let next = self.blocks.guess_into(block).transpose();
                match next {
                    Some(Ok(_)) => self.plan.guessed(),
                    Some(Err(_)) => {}
                    None => self.plan.found_nothing(),
                }
                next
            }
            How::Inside => {
                let next = self.blocks.guess_inside(block).transpose();
                self.plan.tried(next.is_some());
                next
            }
            How::Blind => {
                self.plan.passed_over();
                Some(self.blocks.follow_into(block))
            }
        }
    }

    fn here(&self) -> Here {
        Here { may_guess: self.blocks.may_guess(), is_inside: self.blocks.is_inside() }
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
                is_blind |= cutter.plan.is_blind();
            }
            assert_eq!(is_blind, expected, "{}", text.escape_ascii());
        }
    }
}
