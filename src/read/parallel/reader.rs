//! The face for all cores.
//!
//! Owns [`ParallelReader`]: the threads, and what they share. How a source is cut, and how results come in order, is for its
//! neighbours.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::thread;

use crate::read::parallel::block::Block;
use crate::read::parallel::blocks::Blocks;
use crate::read::parallel::ordered::{NextJob, in_order};
use crate::syntax::{Config, Error, Parser, Visitor};

/// Reads a source on several threads; the results arrive in the order of the source.
///
/// The source is cut into runs of whole games (with what stands around them), and each run has its own visitor. The
/// visitors come back one by one, in order. Where the source is cut does not depend on the number of threads, so
/// neither does any result.
///
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
/// use sgf_stream::{Node, ParallelReader, Step, Visitor};
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
/// let source = b"(;B[pd];W[dd])\n".repeat(100_000);
/// let mut nodes = 0;
/// let ControlFlow::Continue(()) = ParallelReader::new().read(&source[..], Nodes::default, |part| {
///     nodes += part.0;
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(nodes, 200_000);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
///
/// Rows of all games, in order: what collects them comes back in its [`Recorder`](crate::record::Recorder).
///
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
/// use sgf_stream::ParallelReader;
/// use sgf_stream::record::{GameRecord, Recorder, Records, Wants};
///
/// #[derive(Default)]
/// struct Rows(Vec<(u64, Option<u64>)>);
///
/// impl Records for Rows {
///     type Break = Infallible;
///
///     fn record(&mut self, game: &GameRecord) -> ControlFlow<Infallible> {
///         self.0.push((game.offset(), game.moves()));
///         ControlFlow::Continue(())
///     }
/// }
///
/// let source = b"(;B[pd];W[dd])\n".repeat(100_000);
/// let begin = || Recorder::new(Wants::ALL, Rows::default());
/// let mut rows = Vec::new();
/// let ControlFlow::Continue(()) = ParallelReader::new().read(&source[..], begin, |part| {
///     rows.extend(part.into_records().0);
///     ControlFlow::Continue(())
/// })?;
/// assert!(rows.len() == 100_000 && rows[1] == (15, Some(2)));
/// # Ok::<(), sgf_stream::Error>(())
/// ```
///
/// Memory is bounded by a few blocks and a few visitors for each thread. A game that is much longer than a block is read by
/// one visitor, in constant memory, while the other threads wait.
#[derive(Clone, Debug)]
pub struct ParallelReader {
    pub(super) threads: usize,
    pub(super) config: Config,
    block_len: usize,
    max_block_len: Option<usize>,
}

impl Default for ParallelReader {
    fn default() -> Self {
        Self::new()
    }
}

/// A visitor that is to be folded, if any, and how reading with it ended.
pub(super) struct Outcome<V: Visitor> {
    pub(super) visitor: Option<V>,
    pub(super) end: Result<ControlFlow<V::Break>, Error>,
}

impl<V: Visitor> Outcome<V> {
    /// Folds the visitor; how everything up to there ended is put into `outcome`. Breaks if nothing comes after it.
    pub(super) fn fold(
        self,
        fold: impl FnOnce(V) -> ControlFlow<V::Break>,
        outcome: &mut Result<ControlFlow<V::Break>, Error>,
    ) -> ControlFlow<()> {
        *outcome = match self.visitor.map_or(ControlFlow::Continue(()), fold) {
            ControlFlow::Continue(()) => self.end,
            stop @ ControlFlow::Break(_) => Ok(stop),
        };
        match outcome {
            Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// What a thread keeps from block to block.
struct Kept {
    block: Block,
    parser: Parser,
}

impl ParallelReader {
    /// How many threads a reader uses unless it is told otherwise: as many as this process may, found out once.
    pub fn cores() -> usize {
        // Finding out reads files, which takes longer than reading many a game.
        static CORES: OnceLock<usize> = OnceLock::new();
        *CORES.get_or_init(|| thread::available_parallelism().map_or(1, std::num::NonZero::get))
    }

    /// A reader on all cores that guesses and repairs nothing. Most archives are read better with
    /// [`Config::archives`].
    pub fn new() -> Self {
        let block_len = Blocks::<&[u8]>::DEFAULT_LEN;
        Self { threads: Self::cores(), config: Config::new(), block_len, max_block_len: None }
    }

    /// Reads on that many threads, including the calling one; 0 counts as 1.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Reads with this configuration.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Gives each visitor about that many bytes instead of 512 KiB, as [`Blocks::block_len`] does. [`read`](Self::read)
    /// never cuts a game.
    #[must_use]
    pub fn block_len(mut self, len: usize) -> Self {
        self.block_len = len;
        self
    }

    /// Lets what a visitor is given grow to that length in search of a game's end, as [`Blocks::max_block_len`] does.
    #[must_use]
    pub fn max_block_len(mut self, len: usize) -> Self {
        self.max_block_len = Some(len);
        self
    }

    /// Cuts a source.
    pub(super) fn blocks<R: Read>(&self, source: R) -> Blocks<R> {
        let blocks = Blocks::with_config(source, self.config.clone()).block_len(self.block_len);
        match self.max_block_len {
            Some(most) => blocks.max_block_len(most),
            None => blocks,
        }
    }

    /// Reads to the end of the source. `make` makes the visitors; `fold` takes each when it has received everything.
    ///
    /// Reading may end early, by a break of a visitor or of `fold`, or by an error. It then ends in order: all visitors
    /// up to there are folded first, including the one that broke or met the error.
    ///
    /// Where charsets are guessed, only the games of the same block [count](Config::remember_charsets).
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the source fails other than by [`Interrupted`](std::io::ErrorKind::Interrupted), or by a
    /// [`WouldBlock`](std::io::ErrorKind::WouldBlock) that [`Blocks::next_into`] does not expect; and [`Error::Strict`] under
    /// [`Config::strict`].
    ///
    /// The error of a source says neither where it happened nor how far the source was read (a source can count its
    /// bytes), and nothing more comes after it: another call would begin in the middle of a game. All bytes before it are
    /// read. The visitor that is folded last has received what there is of the game that is cut, without its exits. If
    /// that visitor is a [`Recorder`](crate::record::Recorder), and
    /// [`in_progress`](crate::record::Recorder::in_progress) is `Some`, [`record`](crate::record::Recorder::record) is the
    /// row of that game, which it has not handed on.
    ///
    /// # Panics
    ///
    /// Only if the source, a visitor, `make` or `fold` panics.
    pub fn read<R, V>(
        &self,
        source: R,
        make: impl Fn() -> V + Sync,
        mut fold: impl FnMut(V) -> ControlFlow<V::Break> + Send,
    ) -> Result<ControlFlow<V::Break>, Error>
    where
        R: Read + Send,
        V: Visitor<Break: Send> + Send,
    {
        let mut blocks = self.blocks(source);
        let mut outcome = Ok(ControlFlow::Continue(()));
        in_order(
            self.threads,
            || Kept { block: Block::default(), parser: Parser::with_config(self.config.clone()) },
            |own| match blocks.next_into(&mut own.block) {
                Ok(true) if own.block.is_whole() => NextJob::Work,
                Ok(true) if own.block.begins() => NextJob::Done(giant(own, &mut blocks, make())),
                // The rest of a game that was not read to its end.
                Ok(_) => NextJob::End,
                Err(error) => NextJob::Done(Outcome { visitor: None, end: Err(error.into()) }),
            },
            |own, _| {
                let mut visitor = make();
                let end = own.block.read(&mut own.parser, &mut visitor);
                Outcome { visitor: Some(visitor), end }
            },
            |part| part.fold(&mut fold, &mut outcome),
        );
        outcome
    }
}

/// Reads a game that comes in several blocks; the first of them is there.
fn giant<R: Read, V: Visitor>(own: &mut Kept, blocks: &mut Blocks<R>, mut visitor: V) -> Outcome<V> {
    let end = loop {
        let flow = own.block.read(&mut own.parser, &mut visitor);
        if own.block.ends() || !matches!(flow, Ok(ControlFlow::Continue(()))) {
            break flow;
        }
        if let Err(error) = blocks.next_into(&mut own.block) {
            break Err(error.into());
        }
    };
    Outcome { visitor: Some(visitor), end }
}
