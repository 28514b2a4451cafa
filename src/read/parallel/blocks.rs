//! A source cut into blocks, between games where that is possible.
//!
//! Owns [`Blocks`] and what a block promises. Refuses to know who reads the blocks, and on which thread.

use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;

use crate::syntax::{Config, Descend, Error, Parser, Position, StreamCharset, Tree, Visitor};

/// Cuts a source into blocks of whole games, at skip speed and in bounded memory.
///
/// Where it cuts depends on the bytes of the source and on the length asked for alone.
///
/// A block begins at a game's `(`, or with the source, and ends before a game's `(`, or with the source: nothing that was
/// read before has a say there, so [`Block::read`] tells what reading the whole source would tell. A game that is much
/// longer than a block ([`max_block_len`](Self::max_block_len)) comes in several blocks, which one parser must read one
/// after the other, unless [`inside_games`](Self::inside_games) allows to cut it.
///
/// [`ParallelReader`](crate::ParallelReader) is the easy way; this is for threads or tasks of your own.
///
/// ```
/// use sgf_stream::{Block, Blocks, Config, Parser};
///
/// # struct Quiet;
/// # impl sgf_stream::Visitor for Quiet {
/// #     type Break = std::convert::Infallible;
/// # }
/// # let mut visitor = Quiet;
/// let source = b"(;B[pd])\n(;B[qd])\n".repeat(100);
/// let mut blocks = Blocks::new(&source[..], Config::new()).block_len(500);
/// let mut block = Block::default();
/// let mut parser = Parser::new();
/// let mut lens = Vec::new();
/// while blocks.next_into(&mut block)? {
///     let _ = block.read(&mut parser, &mut visitor)?;
///     lens.push(block.bytes().len());
/// }
/// assert_eq!(lens, [495, 495, 495, 315]);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[derive(Debug)]
pub struct Blocks<R> {
    source: R,
    parser: Parser,
    cutter: Cutter,
    len: usize,
    max_len: Option<usize>,
    inside_games: bool,
    /// Bytes that the parser has passed over and that are in no block yet.
    rest: Vec<u8>,
    /// Where they begin.
    start: Position,
    /// The trees that are open there.
    depth: u64,
    /// The last block did not end at a cut.
    open: bool,
    /// Nothing more comes out of the source, but perhaps an error.
    ended: bool,
    error: Option<io::Error>,
}

/// Some bytes of a source, in a buffer that is used again.
#[derive(Debug, Default)]
pub struct Block {
    buffer: Vec<u8>,
    len: usize,
    start: Position,
    depth: u64,
    stream: StreamCharset,
    begins: bool,
    ends: bool,
    finishes: bool,
}

impl Block {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    /// Where its first byte stands in the source.
    pub fn start(&self) -> Position {
        self.start
    }

    /// True where a parser begins with it; false where it goes on with what the last block ended in.
    pub fn begins(&self) -> bool {
        self.begins
    }

    /// True where the parser is done after it; false where the next block goes on, or where the source failed.
    pub fn ends(&self) -> bool {
        self.ends
    }

    /// True where it can be read on its own.
    pub fn is_whole(&self) -> bool {
        self.begins && self.ends
    }

    /// Gets a parser ready for its first byte, if it [begins](Self::begins).
    pub fn begin(&self, parser: &mut Parser) {
        if self.begins {
            parser.reset_inside(self.start, self.depth, self.stream);
        }
    }

    /// Tells a parser that has been fed all bytes that there are no more, if that is so.
    ///
    /// # Errors
    ///
    /// Those of [`Parser::finish`].
    pub fn end<V: Visitor>(&self, parser: &mut Parser, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if self.finishes { parser.finish(visitor) } else { Ok(ControlFlow::Continue(())) }
    }

    /// Reads it: [`begin`](Self::begin), [`Parser::feed`], and unless the visitor breaks, [`end`](Self::end).
    ///
    /// # Errors
    ///
    /// Those of the parser.
    pub fn read<V: Visitor>(&self, parser: &mut Parser, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.begin(parser);
        match parser.feed(self.bytes(), visitor)? {
            ControlFlow::Continue(()) => self.end(parser, visitor),
            stop @ ControlFlow::Break(_) => Ok(stop),
        }
    }

    fn reserve(&mut self, len: usize) {
        if self.buffer.len() < len {
            self.buffer.resize(len, 0);
        }
    }
}

/// The visitor that finds the last game's beginning.
#[derive(Debug, Default)]
struct Cutter {
    last: Option<Position>,
}

impl Visitor for Cutter {
    type Break = std::convert::Infallible;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Self::Break, Descend> {
        self.last = Some(tree.position());
        ControlFlow::Continue(Descend::Over)
    }
}

impl<R: Read> Blocks<R> {
    /// The length of a block, unless a game is longer.
    ///
    /// Measured: from 128 KiB on the cost of handing a block from thread to thread is lost in the noise, and up to 512 KiB
    /// its bytes are still in the second-level cache when they are read for the second time.
    pub const DEFAULT_LEN: usize = 256 << 10;

    /// A block grows to that many times its length in search of a game's end, unless another bound is set.
    const GROWTH: usize = 8;

    /// Where a cut inside a game is looked for, bytes that are taken at once.
    const LOOK_AHEAD: usize = 16 << 10;

    /// Nothing is read yet. Of the configuration only what tells where a game ends matters; damage is for whoever reads
    /// the blocks.
    pub fn new(source: R, config: Config) -> Self {
        Self {
            source,
            parser: Parser::with_config(config.strict(false)),
            cutter: Cutter::default(),
            len: Self::DEFAULT_LEN,
            max_len: None,
            inside_games: false,
            rest: Vec::new(),
            start: Position::START,
            depth: 0,
            open: false,
            ended: false,
            error: None,
        }
    }

    /// Cuts blocks of that length instead of 256 KiB; 0 counts as 1.
    #[must_use]
    pub fn block_len(mut self, len: usize) -> Self {
        self.len = len.max(1);
        self
    }

    /// Lets a block grow to that length in search of a game's end instead of eight times its own: what a few threads can
    /// afford is too much for many.
    #[must_use]
    pub fn max_block_len(mut self, len: usize) -> Self {
        self.max_len = Some(len);
        self
    }

    /// Cuts also inside a game that is longer than a block: after the `)` of a tree in it.
    ///
    /// For visitors that count: what they are told is the same, but a game's events may come to several of them, and enters
    /// and exits balance only in all of them together. One `)` that is missing makes one game of the rest of an archive, so
    /// this is what keeps all cores at work there. Unless text is of no interest ([`Charsets::Raw`](crate::Charsets::Raw)),
    /// the first 2 MiB of a game stay together, because the charset is told from them. Limits that count over a game do so over a block's part of it.
    #[must_use]
    pub fn inside_games(mut self, allowed: bool) -> Self {
        self.inside_games = allowed;
        self
    }

    /// Puts the next block into `block`; false after the last.
    ///
    /// # Errors
    ///
    /// What the source fails with, once all that came before is in a block that does not [end](Block::ends). After an
    /// error there are no more blocks.
    pub fn next_into(&mut self, block: &mut Block) -> io::Result<bool> {
        block.start = self.start;
        block.depth = self.depth;
        block.stream = self.parser.stream();
        block.begins = !self.open;
        block.ends = false;
        block.finishes = false;
        block.len = 0;
        if self.ended {
            return self.error.take().map_or(Ok(false), Err);
        }
        let most = self.max_len.unwrap_or(self.len.saturating_mul(Self::GROWTH)).max(self.len);
        let mut target = self.len.max(self.rest.len());
        block.reserve(target);
        block.buffer[..self.rest.len()].copy_from_slice(&self.rest);
        block.len = self.rest.len();
        self.rest.clear();
        let mut look_inside = self.open;
        loop {
            let from = block.len;
            self.fill(block, target);
            if self.ended {
                return self.last(block);
            }
            let ahead = target.min(from + Self::LOOK_AHEAD);
            if look_inside && let Some(close) = self.close_inside(&block.buffer[from..ahead]) {
                self.pass(&block.buffer[from..from + close.0]);
                let cut = self.parser.position();
                self.pass(&block.buffer[from + close.0..target]);
                self.cut(block, cut, close.1);
                return Ok(true);
            }
            self.pass(&block.buffer[from..target]);
            // A block that goes on with a game may turn out to have been at its end.
            let first = block.start.offset + u64::from(block.begins);
            if let Some(cut) = self.cutter.last.take_if(|cut| cut.offset >= first) {
                self.cut(block, cut, 0);
                block.finishes = true;
                return Ok(true);
            }
            if self.open || target >= most {
                self.start = self.parser.position();
                self.open = true;
                return Ok(true);
            }
            look_inside = self.inside_games;
            target = (target + if look_inside { Self::LOOK_AHEAD.min(self.len) } else { target }).min(most);
            block.reserve(target);
        }
    }

    /// Reads until `block` has that many bytes.
    fn fill(&mut self, block: &mut Block, target: usize) {
        while block.len < target && !self.ended {
            match self.source.read(&mut block.buffer[block.len..target]) {
                Ok(0) => self.ended = true,
                Ok(len) => block.len += len,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.fail(error),
            }
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.ended = true;
        self.error = Some(error);
    }

    fn pass(&mut self, bytes: &[u8]) {
        // A lenient parser has nothing to fail at; if it ever should, that must not go by in silence.
        if let Err(error) = self.parser.feed(bytes, &mut self.cutter) {
            self.fail(io::Error::other(error));
        }
    }

    /// Where in the bytes to come a tree inside the game in progress ends, and how many trees stay open.
    fn close_inside(&self, bytes: &[u8]) -> Option<(usize, u64)> {
        let allowed = self.inside_games && self.parser.is_past_text();
        let close = if allowed { self.parser.next_close(bytes) } else { None };
        close.filter(|(_, depth)| *depth > 0)
    }

    /// Ends the block at `cut`, where `depth` trees are open.
    fn cut(&mut self, block: &mut Block, cut: Position, depth: u64) {
        let len = (cut.offset - block.start.offset) as usize;
        self.rest.extend_from_slice(&block.bytes()[len..]);
        block.len = len;
        block.ends = true;
        self.start = cut;
        self.depth = depth;
        self.open = false;
    }

    /// The block that the source ended in. No cut need be found.
    fn last(&mut self, block: &mut Block) -> io::Result<bool> {
        block.ends = self.error.is_none();
        block.finishes = block.ends;
        let goes_on = self.open || block.depth > 0;
        self.open = !block.ends;
        // A game that is open has still to be finished.
        if block.len > 0 || (goes_on && block.ends) { Ok(true) } else { self.error.take().map_or(Ok(false), Err) }
    }
}
