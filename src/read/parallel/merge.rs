//! Counting on all cores: results that merge, from blocks whose beginnings are guessed.
//!
//! Owns the order in which guesses are found right or wrong. Invariant: what is folded is what one thread would have
//! delivered, and where the source is cut depends only on its bytes, however many threads there are.
//!
//! Cutting a source between games for certain means skipping over all of it, one byte after the other; where brackets
//! may be text, that costs as much as reading it. So the source is cut where a game seems to begin, and a block is read
//! on that guess by whichever thread is free. When its turn comes, the parser that has read the block before says
//! whether the guess was right: that parser stands between two games there, or it does not. If not, it reads the block
//! again. Where guesses are often wrong, or where there is nothing to guess at, blocks are cut for certain for a while.
//!
//! A giant game is cut for certain until its text no longer matters to what comes later, and for some blocks more. After that, the
//! byte rules alone say where trees in it end. So depths are guesses, too, and are found right or wrong like the others.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::read::parallel::block::Block;
use crate::read::parallel::blocks::Blocks;
use crate::read::parallel::ordered::{NextJob, in_order};
use crate::read::parallel::reader::{Outcome, ParallelReader};
use crate::syntax::{Config, Error, Parser, StreamCharset, Visitor};
use crate::text::Asks;

/// A visitor whose findings add up: several of them, called one after the other and merged, find what one would.
pub trait Partial: Visitor {
    /// True if a game may go only to the visitor that received its beginning, or to one [split off](Self::rest) from
    /// that. Otherwise a game that is much longer than a block goes to visitors that know nothing of each other.
    const WHOLE_GAMES: bool = false;

    /// The most bytes that are announced at once. Choose fewer for a visitor that may find much in few bytes. 0 counts
    /// as 1.
    const CHUNK_LEN: usize = 128 << 10;

    /// Splits off the visitor that goes on from here, perhaps in the middle of a game or a value. What this one has
    /// found stays with it.
    #[must_use]
    fn rest(&mut self) -> Self;

    /// These bytes are read next. Of the bytes before them, those from the offset `candidate` on may belong to a game
    /// that has not begun, as in [`Parser::candidate`].
    fn chunk(&mut self, _bytes: &[u8], _candidate: u64) {}

    /// True if so much was found that it should be folded before more is. Called after each [chunk](Self::chunk).
    fn is_full(&self) -> bool {
        false
    }
}

/// After so many blocks it is decided again whether guessing is worth it. That costs about the time of one block.
const STRETCH: u64 = 256;

/// After so many wrong guesses in a stretch, the next stretch is cut for certain.
const WRONG: u64 = STRETCH / 4;

/// How many blocks are cut for certain where there was nothing to guess at; twice as many if that soon happens again.
/// So one long game between many short ones costs little, and many long ones are not searched for nothing for long.
const PAUSE: u64 = 2;

/// After so many blocks that were skipped through for nothing, some are not skipped through at all. It was for nothing
/// if the block has no cut: one thread reads such a game in order anyway, and with much damage skipping is soon as
/// costly as reading. It was also for nothing if the block has so many games that skipping costs as much as reading.
const BARREN: u64 = 4;

/// How many blocks are cut inside a game for certain before any are cut on a guess; twice as many after a wrong guess. In the
/// end somebody has to wait for the next game to be found, which costs more than it gains if the game is only 5 MB long.
const CAUTION: u64 = 4;

/// How many blocks are cut inside a game on a guess before it is asked whether all guesses were right, which costs about the
/// time of one block; each time after that, it is twice as many, up to the most. If one was wrong, all may have to be read again.
const TRIAL: u64 = 8;
const MOST_TRIED: u64 = 64;

/// The most blocks in a row that are not skipped through: each is there before the thread that reads them has come to
/// it, however many threads wait.
const MOST_BLIND: u64 = 32;

/// Something to fold.
enum Piece<V: Visitor> {
    /// A block, and the result of reading it; `None` if it continues what the block before ended in.
    Block(Box<Block>, Option<Box<Run<V>>>),
    Failed(io::Error),
}

/// A visitor that received a block, and how that ended.
struct Run<V: Visitor> {
    visitor: V,
    end: End<V>,
    said: Said,
}

/// What a block says to those beside it.
struct Said {
    /// About text that comes later.
    stream: StreamCharset,
    /// What it has looked up about the games before.
    asks: Asks,
}

impl Said {
    fn by(parser: &mut Parser) -> Self {
        Self { stream: parser.stream(), asks: parser.take_asks() }
    }
}

enum End<V: Visitor> {
    /// The visitor has found so much that it must be folded before it goes on. This parser has read so many bytes.
    Full(Box<Parser>, usize),
    /// Nothing is open that later blocks need.
    Settled,
    /// This parser has to read what comes next.
    Open(Box<Parser>),
    /// Reading is over.
    Over(Result<ControlFlow<V::Break>, Error>),
}

/// What the thread that cuts the source and the one that folds the results share.
struct Seam<V> {
    /// The parser in the state in which the last folded block ended, and the visitor that received that block.
    open: Option<(Box<Parser>, V)>,
    /// What all folded blocks say about text that comes later.
    stream: StreamCharset,
    /// Wrong guesses in this stretch.
    wrong: u64,
    /// A guess inside a game was wrong.
    is_astray: bool,
    /// Blocks that are free to be used again.
    spare: Vec<Block>,
}

/// Cuts the source.
struct Cutter<R> {
    blocks: Blocks<R>,
    /// How many blocks are left of the stretch.
    left: u64,
    /// Guessing is allowed in this stretch.
    guesses: bool,
    /// Blocks that are cut for certain, because there was nothing to guess at, and how many were guessed since.
    pause: Stretch,
    guessed: u64,
    /// How many of the last blocks were skipped through for nothing.
    barren: u64,
    /// Blocks that are not skipped through.
    blind: Stretch,
    /// Blocks that are cut inside a game before it is asked whether the guesses were right.
    trial: Stretch,
    /// How many were just cut there for certain, and how many have to be.
    inside: u64,
    caution: u64,
    mode: Mode,
}

/// So many blocks, and the next time several times as many.
struct Stretch {
    /// How many are left of it.
    left: u64,
    len: u64,
    first: u64,
    growth: u64,
    most: u64,
}

impl Stretch {
    const fn new(first: u64, growth: u64, most: u64) -> Self {
        Self { left: 0, len: first, first, growth, most }
    }

    /// Begins one that is longer than the last.
    fn begin_longer(&mut self) {
        self.len = (self.growth * self.len).min(self.most);
        self.left = self.len;
    }

    /// Begins one that is as short as the first.
    fn begin_anew(&mut self) {
        self.forget();
        self.left = self.len;
    }

    /// The next one is counted from the first.
    fn forget(&mut self) {
        self.len = self.first;
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

impl ParallelReader {
    /// Reads to the end of the source on all threads, with visitors whose findings merge. `make` makes the visitors;
    /// `fold` takes each when it has received everything.
    ///
    /// This is [`read`](Self::read) for visitors that count. It has fewer promises:
    ///
    /// - Enters and exits need not balance. The events of one game may go to several visitors, so no tree is held up
    ///   for its length.
    /// - A visitor is dropped if what it received turns out to be wrong, so its effects must stay inside it.
    ///
    /// In exchange, nobody has to find out where games begin before they are read, so more cores do more.
    ///
    /// The folded findings are those of one thread, whatever the number of threads.
    ///
    /// Memory is bounded by about five blocks for each thread, each up to three times its normal length if games are
    /// that long, plus what visitors keep. A visitor that keeps a lot says when it is [full](Partial::is_full).
    ///
    /// A source that has nothing for now, such as a pipe, may say so with [`WouldBlock`](io::ErrorKind::WouldBlock),
    /// once after bytes have come. These are then read and folded before the source is asked again, which then has to
    /// wait.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read). All visitors up to there are folded first.
    ///
    /// # Panics
    ///
    /// Only if the source, a visitor, `make` or `fold` panics.
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use std::ops::ControlFlow;
    /// use sgf_stream::{Node, ParallelReader, Partial, Step, Visitor};
    ///
    /// #[derive(Default)]
    /// struct Nodes(u64);
    ///
    /// impl Visitor for Nodes {
    ///     type Break = Infallible;
    ///
    ///     fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
    ///         self.0 += 1;
    ///         ControlFlow::Continue(Step::Read)
    ///     }
    /// }
    ///
    /// impl Partial for Nodes {
    ///     fn rest(&mut self) -> Self {
    ///         Self::default()
    ///     }
    /// }
    ///
    /// let source = b"(;GM[1]FF[4];B[pd];W[dd])\n".repeat(100_000);
    /// let mut nodes = 0;
    /// let _ = ParallelReader::new().merge(&source[..], Nodes::default, |part| {
    ///     nodes += part.0;
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(nodes, 300_000);
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn merge<R, V>(
        &self,
        source: R,
        make: impl Fn() -> V + Sync,
        mut fold: impl FnMut(V) -> ControlFlow<V::Break> + Send,
    ) -> Result<ControlFlow<V::Break>, Error>
    where
        R: Read + Send,
        V: Partial<Break: Send> + Send,
    {
        let blocks = Blocks::new(source, self.config.clone()).block_len(self.block_len).inside_games(!V::WHOLE_GAMES);
        let mut cutter = Cutter::new(blocks);
        let seam = Mutex::new(Seam {
            open: None,
            stream: StreamCharset::default(),
            wrong: 0,
            is_astray: false,
            spare: Vec::new(),
        });
        let mut outcome = Ok(ControlFlow::Continue(()));
        in_order(
            self.threads,
            || (Parser::with_config(self.config.clone()), Block::default()),
            |(_, block)| {
                if block.is_bare() {
                    *block = lock(&seam).spare.pop().unwrap_or_default();
                }
                let next = cutter.next(&seam, block);
                block.suppose(lock(&seam).stream);
                next
            },
            |(parser, block), _| {
                let mut visitor = make();
                block.begin(parser);
                parser.note_asks();
                let (end, said) = read(block, 0, parser, &mut visitor);
                Piece::Block(Box::new(std::mem::take(block)), Some(Box::new(Run { visitor, end, said })))
            },
            |piece| settle(piece, &seam, &self.config, &make, &mut fold).fold(&mut fold, &mut outcome),
        );
        outcome
    }
}

impl<R: Read> Cutter<R> {
    fn new(blocks: Blocks<R>) -> Self {
        Self {
            blocks,
            left: STRETCH,
            guesses: true,
            pause: Stretch::new(PAUSE, 2, STRETCH),
            guessed: 0,
            barren: 0,
            blind: Stretch::new(BARREN, 4, MOST_BLIND),
            trial: Stretch::new(TRIAL, 2, MOST_TRIED),
            inside: 0,
            caution: CAUTION,
            mode: Mode::Certain,
        }
    }

    fn next<V: Visitor>(&mut self, seam: &Mutex<Seam<V>>, block: &mut Block) -> NextJob<Piece<V>> {
        if !self.is_decided(seam) {
            return NextJob::Wait;
        }
        let Some(next) = self.cut(block) else { return NextJob::Wait };
        self.left = self.left.saturating_sub(1);
        match next {
            Ok(true) if block.begins() => NextJob::Work,
            Ok(true) => NextJob::Done(Piece::Block(Box::new(std::mem::take(block)), None)),
            Ok(false) => NextJob::End,
            Err(error) => NextJob::Done(Piece::Failed(error)),
        }
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

    /// Cuts the next block, as [`Blocks::next_into`] says. `None` if there was nothing to guess at.
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
                let next = self.blocks.next_into(block);
                self.note_cut(block);
                self.inside = if self.blocks.is_inside() { self.inside + 1 } else { 0 };
                if self.inside > self.caution {
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
        // If a source has nothing for now, that says nothing about its games.
        if self.blocks.is_paused() {
            return;
        }
        if (block.begins() || block.ends()) && !self.blocks.is_crowded(block) {
            self.barren = 0;
            self.blind.forget();
            return;
        }
        self.barren += 1;
        if self.barren == BARREN {
            self.barren = 0;
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

/// Reads a block from its byte `at` on; the parser is ready for that byte.
fn read<V: Partial>(block: &Block, mut at: usize, parser: &mut Parser, visitor: &mut V) -> (End<V>, Said) {
    for chunk in block.bytes()[at..].chunks(V::CHUNK_LEN.max(1)) {
        visitor.chunk(chunk, parser.candidate());
        match parser.feed(chunk, visitor) {
            Ok(ControlFlow::Continue(())) => {}
            over => return (End::Over(over), Said::by(parser)),
        }
        at += chunk.len();
        if visitor.is_full() {
            let said = Said::by(parser);
            return (End::Full(Box::new(parser.take()), at), said);
        }
    }
    match block.try_end(parser, visitor) {
        Some(Ok(ControlFlow::Continue(()))) => (End::Settled, Said::by(parser)),
        Some(over) => (End::Over(over), Said::by(parser)),
        None => {
            let said = Said::by(parser);
            (End::Open(Box::new(parser.take())), said)
        }
    }
}

/// Settles a piece; everything before it is settled. What it returns is to be folded.
fn settle<V: Partial>(
    piece: Piece<V>,
    seam: &Mutex<Seam<V>>,
    config: &Config,
    make: impl Fn() -> V,
    mut fold: impl FnMut(V) -> ControlFlow<V::Break>,
) -> Outcome<V> {
    let (open, mut before) = {
        let mut seam = lock(seam);
        (seam.open.take(), seam.stream)
    };
    let (block, run) = match piece {
        Piece::Block(block, run) => (block, run),
        Piece::Failed(error) => {
            return Outcome { visitor: open.map(|(_, visitor)| visitor), end: Err(error.into()) };
        }
    };
    let mut run = match (run, open) {
        (Some(run), None) if before.may_precede(run.said.stream, &run.said.asks) => *run,
        (run, open) => {
            {
                let mut seam = lock(seam);
                seam.wrong += u64::from(run.is_some());
                seam.is_astray |= run.is_some() && block.is_inside();
            }
            let (mut parser, mut visitor) = open.unwrap_or_else(|| {
                let mut parser = Parser::with_config(config.clone());
                block.begin_after(before, &mut parser);
                (Box::new(parser), make())
            });
            parser.follow(before);
            let (end, said) = read(&block, 0, &mut parser, &mut visitor);
            Run { visitor, end, said }
        }
    };
    let end = loop {
        match run.end {
            End::Full(mut parser, at) => {
                parser.follow(before);
                before = parser.stream();
                let mut rest = run.visitor.rest();
                if let ControlFlow::Break(stop) = fold(run.visitor) {
                    return Outcome { visitor: None, end: Ok(ControlFlow::Break(stop)) };
                }
                let (end, said) = read(&block, at, &mut parser, &mut rest);
                run = Run { visitor: rest, end, said };
            }
            end => break end,
        }
    };
    let Run { mut visitor, said, .. } = run;
    let mut seam = lock(seam);
    seam.stream = said.stream.after(before);
    seam.spare.push(*block);
    let end = match end {
        End::Settled | End::Full(..) => Ok(ControlFlow::Continue(())),
        End::Over(end) => end,
        End::Open(mut parser) => {
            parser.follow(before);
            seam.open = Some((parser, visitor.rest()));
            Ok(ControlFlow::Continue(()))
        }
    };
    Outcome { visitor: Some(visitor), end }
}

/// A panic leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    struct Quiet;

    impl Visitor for Quiet {
        type Break = Infallible;
    }

    impl Partial for Quiet {
        fn rest(&mut self) -> Self {
            Self
        }
    }

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
        ] {
            let source = Source { text, at: 0, pauses, is_due: false };
            let mut cutter = Cutter::new(Blocks::new(source, Config::new()).block_len(100).inside_games(true));
            let seam = Mutex::new(Seam::<Quiet> {
                open: None,
                stream: StreamCharset::default(),
                wrong: 0,
                is_astray: false,
                spare: Vec::new(),
            });
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
