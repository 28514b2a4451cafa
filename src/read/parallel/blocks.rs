//! A source cut into blocks of whole games.
//!
//! Owns [`Blocks`] and what a block promises. Refuses to know who reads the blocks, and on which thread.

use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;

use crate::syntax::{Config, Descend, Parser, Position, Tree, Visitor};

/// Cuts a source into blocks of whole games, at skip speed and in bounded memory.
///
/// Where it cuts depends on the bytes of the source and on the length asked for alone.
///
/// A block begins at a game's `(`, or with the source, and ends before a game's `(`, or with the source: nothing that was
/// read before has a say there, so a parser that is [put there](Parser::reset_at) and
/// [finished](Parser::finish) after it tells what reading the whole source would tell. A game that is much longer than a
/// block (eight times) comes in several blocks, which one parser must read one after the other; see [`Block`].
#[derive(Debug)]
pub struct Blocks<R> {
    source: R,
    parser: Parser,
    cutter: Cutter,
    len: usize,
    /// Bytes that the parser has passed over and that are in no block yet.
    rest: Vec<u8>,
    /// Where they begin.
    start: Position,
    /// The last block ended inside a game.
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
    begins: bool,
    ends: bool,
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

    /// True where a parser begins with it; false where it goes on with the game that the last block ended in.
    pub fn begins(&self) -> bool {
        self.begins
    }

    /// True where the parser is finished after it; false where the next block goes on, or where the source failed.
    pub fn ends(&self) -> bool {
        self.ends
    }

    /// True where it can be read on its own.
    pub fn is_whole(&self) -> bool {
        self.begins && self.ends
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

    /// A block grows to that many times its length in search of a game's end.
    const GROWTH: usize = 8;

    /// Nothing is read yet. Of the configuration only what tells where a game ends matters; damage is for whoever reads
    /// the blocks.
    pub fn new(source: R, config: Config) -> Self {
        Self {
            source,
            parser: Parser::with_config(config.strict(false)),
            cutter: Cutter::default(),
            len: Self::DEFAULT_LEN,
            rest: Vec::new(),
            start: Position::START,
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

    /// Puts the next block into `block`; false after the last.
    ///
    /// # Errors
    ///
    /// What the source fails with, once all that came before is in a block that does not [end](Block::ends). After an
    /// error there are no more blocks.
    pub fn next_into(&mut self, block: &mut Block) -> io::Result<bool> {
        block.start = self.start;
        block.begins = !self.open;
        block.ends = false;
        block.len = 0;
        if self.ended {
            return self.error.take().map_or(Ok(false), Err);
        }
        let mut target = self.len.max(self.rest.len());
        block.reserve(target);
        block.buffer[..self.rest.len()].copy_from_slice(&self.rest);
        block.len = self.rest.len();
        self.rest.clear();
        loop {
            self.fill(block, target);
            if self.ended {
                block.ends = self.error.is_none();
                let is_something = block.len > 0 || (self.open && block.ends);
                self.open = !block.ends;
                return if is_something { Ok(true) } else { self.error.take().map_or(Ok(false), Err) };
            }
            // A block that goes on with a game may turn out to have been at its end.
            let first = block.start.offset + u64::from(block.begins);
            if let Some(cut) = self.cutter.last.take_if(|cut| cut.offset >= first) {
                let len = (cut.offset - block.start.offset) as usize;
                self.rest.extend_from_slice(&block.bytes()[len..]);
                block.len = len;
                block.ends = true;
                self.start = cut;
                self.open = false;
                return Ok(true);
            }
            if self.open || target >= self.len * Self::GROWTH {
                self.start = self.parser.position();
                self.open = true;
                return Ok(true);
            }
            target = (2 * target).min(self.len * Self::GROWTH);
            block.reserve(target);
        }
    }

    /// Reads until `block` has that many bytes, and passes over them.
    fn fill(&mut self, block: &mut Block, target: usize) {
        let from = block.len;
        while block.len < target {
            match self.source.read(&mut block.buffer[block.len..target]) {
                Ok(0) => self.ended = true,
                Ok(len) => {
                    block.len += len;
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.ended = true;
                    self.error = Some(error);
                }
            }
            // The last block needs no end to be looked for.
            return;
        }
        // A lenient parser has nothing to fail at; if it ever should, it must not go by in silence.
        if let Err(error) = self.parser.feed(&block.buffer[from..target], &mut self.cutter) {
            self.ended = true;
            self.error = Some(io::Error::other(error));
        }
    }
}

impl Block {
    fn reserve(&mut self, len: usize) {
        if self.buffer.len() < len {
            self.buffer.resize(len, 0);
        }
    }
}
