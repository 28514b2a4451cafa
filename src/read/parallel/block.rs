//! A part of a source, on its way from the thread that cuts it to the one that reads it.
//!
//! Owns [`Block`]: its bytes, what is known of the source where it begins, and what a parser does at both of its ends.
//! Refuses to know where a source may be cut.

use std::fmt;
use std::ops::ControlFlow;

use crate::read::parallel::edge::{Claim, end_before};
use crate::syntax::position::Lines;
use crate::syntax::{Error, Parser, Position, StreamCharset, Visitor};

/// Some bytes of a source, in a buffer that is reused.
#[derive(Default)]
pub struct Block {
    pub(super) buffer: Vec<u8>,
    pub(super) len: usize,
    /// How many bytes in the buffer come after the block.
    pub(super) ahead: usize,
    pub(super) start: Position,
    pub(super) depth: u64,
    pub(super) stream: StreamCharset,
    pub(super) begins: bool,
    pub(super) edge: Edge,
    /// It was searched for games that begin inside others, and there are none.
    pub(super) is_searched: bool,
}

/// What a block ends at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Edge {
    /// Anything: the next block goes on, or the source failed.
    #[default]
    Open,
    /// The `)` of a tree inside a game, which leaves this many open.
    Tree(u64),
    /// What is, or seems to be, the beginning of a game.
    Game,
    /// What seems to be such a `)`.
    TreeGuess(u64),
    /// The end of the source.
    Source,
}

/// The bytes are counted, and not listed.
impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { len, ahead, start, depth, stream, begins, edge, .. } = self;
        f.debug_struct("Block")
            .field("len", len)
            .field("ahead", ahead)
            .field("start", start)
            .field("depth", depth)
            .field("stream", stream)
            .field("begins", begins)
            .field("edge", edge)
            .finish_non_exhaustive()
    }
}

impl Block {
    /// A buffer has room for so many times what is needed, if the block may grow to that.
    const ROOM: usize = 4;

    /// The bytes as they stand in the source.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    /// Whether it has no buffer yet.
    pub(super) fn is_bare(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The bytes after the block, as far as they are known.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.len..self.len + self.ahead]
    }

    /// Where its first byte stands in the source.
    pub fn start(&self) -> Position {
        self.start
    }

    /// Where the byte `at` of it stands in the source.
    pub(super) fn position_at(&self, at: usize) -> Position {
        let mut lines = Lines::at(self.start);
        lines.advance(&self.bytes()[..at], self.start.offset);
        lines.position(self.start.offset + at as u64)
    }

    /// True if a parser begins with it; false if the block goes on where the last one ended.
    pub fn begins(&self) -> bool {
        self.begins
    }

    /// True if the parser is done after it; false if the next block goes on, or if the source failed.
    pub fn ends(&self) -> bool {
        self.edge != Edge::Open
    }

    /// True if it can be read on its own.
    pub fn is_whole(&self) -> bool {
        self.begins && self.ends()
    }

    /// Gets a parser ready for its first byte, if it [begins](Self::begins).
    pub fn begin(&self, parser: &mut Parser) {
        if self.begins {
            parser.reset_inside(self.start, self.depth, &self.stream);
            if self.is_searched {
                parser.search_from(self.start.offset + self.len as u64);
            }
        }
    }

    /// Gets a parser ready for its first byte once it is known what came before.
    pub(super) fn begin_after(&self, before: &StreamCharset, parser: &mut Parser) {
        parser.reset_inside(self.start, self.depth, &self.stream.of_all());
        parser.follow(before);
    }

    /// Assumes that the last games before it were read in these charsets.
    pub(super) fn suppose(&mut self, games: &StreamCharset) {
        self.stream = self.stream.among(*games);
    }

    /// Ends the input of a parser that has been fed all bytes, if the block [ends](Self::ends) it.
    ///
    /// # Errors
    ///
    /// Those of [`Parser::finish`].
    pub fn end<V: Visitor>(&self, parser: &mut Parser, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.try_end(parser, visitor).unwrap_or_else(|| match self.edge {
            Edge::Open => Ok(ControlFlow::Continue(())),
            Edge::Tree(_) | Edge::TreeGuess(_) => parser.release(visitor),
            Edge::Game | Edge::Source => parser.finish(visitor),
        })
    }

    /// Ends the input as [`end`](Self::end) does, unless the parser has something open that the next bytes belong to; then
    /// nothing has happened.
    pub(super) fn try_end<V: Visitor>(
        &self,
        parser: &mut Parser,
        visitor: &mut V,
    ) -> Option<Result<ControlFlow<V::Break>, Error>> {
        match self.edge {
            Edge::Open => None,
            // How a text or what may be a game ends may depend on bytes that come after the block.
            Edge::Game if !parser.is_between_games() => end_before(parser, Claim::Game, self.ahead(), visitor),
            Edge::Game | Edge::Source => Some(parser.finish(visitor)),
            Edge::TreeGuess(_) if !parser.may_be_left() => None,
            Edge::Tree(depth) | Edge::TreeGuess(depth) if parser.is_behind_tree(depth) => Some(parser.release(visitor)),
            Edge::Tree(depth) | Edge::TreeGuess(depth) => end_before(parser, Claim::Tree(depth), self.ahead(), visitor),
        }
    }

    /// Reads it: [`begin`](Self::begin), [`Parser::feed`], and unless the visitor breaks, [`end`](Self::end).
    ///
    /// After a break, do not call it again, which would begin anew: [`feed`](Parser::feed) the rest of the
    /// [bytes](Self::bytes), from the parser's [`offset`](Parser::offset) on, and then call [`end`](Self::end).
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

    /// Whether it begins inside a game.
    pub(super) fn is_inside(&self) -> bool {
        self.begins && self.depth > 0
    }

    /// Makes room for this many bytes, and for as many as the block usually may grow to: a buffer that is replaced leaves a
    /// hole in memory, and where games are longer than blocks, that took more time than reading them.
    pub(super) fn reserve(&mut self, len: usize, most: usize) {
        if self.buffer.len() < len {
            // Zeroed memory from the system takes up no room before something is read into it; zeroes appended here would.
            let mut buffer = vec![0; most.min(len.saturating_mul(Self::ROOM)).max(len)];
            buffer[..self.len].copy_from_slice(self.bytes());
            self.buffer = buffer;
        }
    }
}
