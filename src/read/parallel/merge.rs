//! Counting on all cores: results that merge, from blocks whose beginnings are guessed.
//!
//! Owns the order in which guesses are found right or wrong. Invariant: what is folded is what one thread would have
//! delivered, and where the source is cut depends only on its bytes, however many threads there are.
//!
//! Cutting a source between games for certain means skipping over all of it, one byte after the other; where brackets
//! may be text, that costs as much as reading it. So the source is cut where a game seems to begin, and a block is read
//! on that guess by whichever thread is free. When its turn comes, the parser that has read the block before says
//! whether the guess was right: that parser stands between two games there, or it does not. If not, it reads the block
//! again. Where guesses are often wrong, or where there is nothing to guess at, blocks are cut for certain for a while
//! (see `plan`).
//!
//! A giant game is cut for certain until its text no longer matters to what comes later, and for some blocks more. After that, the
//! byte rules alone say where trees in it end. So depths are guesses, too, and are found right or wrong like the others.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::read::parallel::block::Block;
use crate::read::parallel::cutter::{Cutter, Seam, lock};
use crate::read::parallel::ordered::{NextJob, in_order};
use crate::read::parallel::reader::{Outcome, ParallelReader};
use crate::syntax::{Config, Error, Parser, StreamCharset, Visitor};
use crate::text::Questions;

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
    summary: BlockSummary,
}

/// What a block says to those beside it.
struct BlockSummary {
    /// About text that comes later.
    stream: StreamCharset,
    /// What it has looked up about the games before.
    questions: Questions,
}

impl BlockSummary {
    fn by(parser: &mut Parser) -> Self {
        Self { stream: parser.stream(), questions: parser.take_questions() }
    }
}

/// Where a visitor has ended.
enum End<V: Visitor> {
    /// In the block, with so much that it must be folded before it goes on. This parser has read this many bytes.
    Full(Box<Parser>, usize),
    Block(BlockEnd<V>),
}

/// How a block has ended.
enum BlockEnd<V: Visitor> {
    /// Nothing is open that later blocks need.
    Settled,
    /// This parser has to read what comes next.
    Open(Box<Parser>),
    /// Reading is over.
    Over(Result<ControlFlow<V::Break>, Error>),
}

/// What becomes of the run that was made on a guess.
enum Verdict<V: Visitor> {
    Right(Box<Run<V>>),
    /// The block is read in order: by those who have read up to it, if they are still needed.
    Again {
        open: Option<(Box<Parser>, V)>,
        /// Whether that is because the guess was wrong.
        is_wrong: bool,
    },
}

/// A block of which only the findings of the last visitor remain to be folded.
struct Drained<V: Visitor> {
    visitor: V,
    end: BlockEnd<V>,
    summary: BlockSummary,
    /// About text, from what that visitor has not received.
    before: StreamCharset,
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
    /// Memory is bounded by about five blocks for each thread, each up to its
    /// [greatest length](ParallelReader::max_block_len) if games are that long, plus what visitors keep. A visitor that
    /// keeps a lot says when it is [full](Partial::is_full).
    ///
    /// A source that has nothing for now, such as a pipe, may say so with [`WouldBlock`](io::ErrorKind::WouldBlock),
    /// once before any bytes and once after bytes have come. These are then read and folded before the source is asked
    /// again, which then has to wait.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read). All visitors up to there are folded first. After an error of the source, nothing
    /// more comes here either. The game that is cut gets no exits. What was found of it stays where it was found; what
    /// [`Partial::rest`] has split off there is folded last, and has received nothing.
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
    /// let ControlFlow::Continue(()) = ParallelReader::new().merge(&source[..], Nodes::default, |part| {
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
        let mut cutter = Cutter::new(self.blocks(source).inside_games(!V::WHOLE_GAMES));
        let seam = Mutex::new(Seam::new());
        let mut outcome = Ok(ControlFlow::Continue(()));
        in_order(
            self.threads,
            || (Parser::with_config(self.config.clone()), Block::default()),
            |(_, block)| {
                if block.is_bare() {
                    *block = lock(&seam).spare.pop().unwrap_or_default();
                }
                match cutter.next(&seam, block) {
                    None => NextJob::Wait,
                    Some(Ok(true)) if block.begins() => {
                        block.suppose(&lock(&seam).stream);
                        NextJob::Work
                    }
                    Some(Ok(true)) => NextJob::Done(Piece::Block(Box::new(std::mem::take(block)), None)),
                    Some(Ok(false)) => NextJob::End,
                    Some(Err(error)) => NextJob::Done(Piece::Failed(error)),
                }
            },
            |(parser, block), _| {
                let visitor = make();
                block.begin(parser);
                parser.note_questions();
                let run = read(block, 0, parser, visitor);
                Piece::Block(Box::new(std::mem::take(block)), Some(Box::new(run)))
            },
            |piece| settle(piece, &seam, &self.config, &make, &mut fold).fold(&mut fold, &mut outcome),
        );
        outcome
    }
}

/// Reads a block from its byte `at` on; the parser is ready for that byte.
fn read<V: Partial>(block: &Block, mut at: usize, parser: &mut Parser, mut visitor: V) -> Run<V> {
    for chunk in block.bytes()[at..].chunks(V::CHUNK_LEN.max(1)) {
        visitor.chunk(chunk, parser.candidate());
        match parser.feed(chunk, &mut visitor) {
            Ok(ControlFlow::Continue(())) => {}
            over => {
                return Run { visitor, end: End::Block(BlockEnd::Over(over)), summary: BlockSummary::by(parser) };
            }
        }
        at += chunk.len();
        if visitor.is_full() {
            let summary = BlockSummary::by(parser);
            return Run { visitor, end: End::Full(Box::new(parser.take()), at), summary };
        }
    }
    let end = block.try_end(parser, &mut visitor);
    let summary = BlockSummary::by(parser);
    let end = match end {
        Some(Ok(ControlFlow::Continue(()))) => BlockEnd::Settled,
        Some(over) => BlockEnd::Over(over),
        None => BlockEnd::Open(Box::new(parser.take())),
    };
    Run { visitor, end: End::Block(end), summary }
}

/// Settles a piece; everything before it is settled. What it returns is to be folded.
fn settle<V: Partial>(
    piece: Piece<V>,
    seam: &Mutex<Seam<V>>,
    config: &Config,
    make: impl Fn() -> V,
    fold: impl FnMut(V) -> ControlFlow<V::Break>,
) -> Outcome<V> {
    let (open, before) = {
        let mut seam = lock(seam);
        (seam.open.take(), seam.stream)
    };
    let (block, guess) = match piece {
        Piece::Block(block, guess) => (block, guess),
        Piece::Failed(error) => {
            return Outcome { visitor: open.map(|(_, visitor)| visitor), end: Err(error.into()) };
        }
    };
    let run = match judge(guess, open, &before) {
        Verdict::Right(run) => *run,
        Verdict::Again { open, is_wrong } => {
            if is_wrong {
                let mut seam = lock(seam);
                seam.mistakes.wrong += 1;
                seam.mistakes.is_astray |= block.is_inside();
            }
            let (mut parser, visitor) = open.unwrap_or_else(|| {
                let mut parser = Parser::with_config(config.clone());
                block.begin_after(&before, &mut parser);
                (Box::new(parser), make())
            });
            parser.follow(&before);
            read(&block, 0, &mut parser, visitor)
        }
    };
    match drain(&block, run, before, fold) {
        ControlFlow::Continue(drained) => publish(drained, block, &mut lock(seam)),
        ControlFlow::Break(stop) => Outcome { visitor: None, end: Ok(ControlFlow::Break(stop)) },
    }
}

/// Whether a run counts. It does not if a parser stands in the middle of a game where the block begins, or if the games
/// before tell another charset.
fn judge<V: Visitor>(guess: Option<Box<Run<V>>>, open: Option<(Box<Parser>, V)>, before: &StreamCharset) -> Verdict<V> {
    match (guess, open) {
        (Some(run), None) if before.may_precede(run.summary.stream, &run.summary.questions) => Verdict::Right(run),
        (guess, open) => {
            // A wrong assumption about charsets does not count: what was known when it was made depends on the threads.
            let is_wrong =
                guess.is_some_and(|run| open.is_some() || !before.may_come_before_labels(run.summary.stream));
            Verdict::Again { open, is_wrong }
        }
    }
}

/// Folds what visitors have found that were full, and reads the block to its end. Breaks if `fold` does.
fn drain<V: Partial>(
    block: &Block,
    mut run: Run<V>,
    mut before: StreamCharset,
    mut fold: impl FnMut(V) -> ControlFlow<V::Break>,
) -> ControlFlow<V::Break, Drained<V>> {
    loop {
        let Run { mut visitor, end, summary } = run;
        match end {
            End::Block(end) => return ControlFlow::Continue(Drained { visitor, end, summary, before }),
            End::Full(mut parser, at) => {
                parser.follow(&before);
                before = parser.stream();
                let rest = visitor.rest();
                fold(visitor)?;
                run = read(block, at, &mut parser, rest);
            }
        }
    }
}

/// Leaves in the seam what the next block must know.
fn publish<V: Partial>(drained: Drained<V>, block: Box<Block>, seam: &mut Seam<V>) -> Outcome<V> {
    let Drained { mut visitor, end, summary, before } = drained;
    seam.stream = summary.stream.after(before);
    seam.spare.push(*block);
    let end = match end {
        BlockEnd::Settled => Ok(ControlFlow::Continue(())),
        BlockEnd::Over(end) => end,
        BlockEnd::Open(mut parser) => {
            parser.follow(&before);
            seam.open = Some((parser, visitor.rest()));
            Ok(ControlFlow::Continue(()))
        }
    };
    Outcome { visitor: Some(visitor), end }
}
