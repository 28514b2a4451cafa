//! A large input, which all threads read at once.
//!
//! Owns the blocks that it is cut into, the game that is longer than a block, and where strict reading of it stops.

use std::io::Read;
use std::ops::ControlFlow;

use sgf_stream::{Block, Blocks, Error, NextJob, Parser, Turn, in_order};

use crate::scan::Scan;
use crate::session::{End, Report, Sink};
use crate::threads::{Crew, Part, feed};

/// How many times its length a block may have, so that it holds a long game whole.
const GROWTH: usize = 8;

/// Bytes in the blocks of all threads together, at most, unless they are all of the usual length.
const BLOCKS_LEN: usize = 16 << 20;

/// Reads a source to its end. Its parts are folded at the turn of whoever has taken it.
pub(crate) fn scan(crew: &Crew, name: &str, source: impl Read + Send, counts: bool, turn: &Turn<'_, Part>) {
    let blocks = Blocks::new(source, crew.config.clone())
        .block_len(crew.block_len)
        .max_block_len(crew.block_len.saturating_mul(GROWTH).min(BLOCKS_LEN / crew.threads))
        .inside_games(true);
    let mut cutter = Cutter { crew, name, counts, blocks, bytes: 0, game: None, ended: false };
    in_order(
        crew.threads,
        || Reader { crew, name, counts, parser: Parser::with_config(crew.config.clone()), block: Block::default() },
        |reader| cutter.next(reader),
        Reader::work,
        |mut piece: Piece| {
            let mut report = Report::new();
            if let Some((end, bytes)) = &piece.end {
                report.ended(name, end, *bytes, &mut *piece.scan);
            }
            let goes_on = turn.fold(Part { scan: piece.scan, report }) && piece.end.is_none();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    );
}

/// What was counted in a block.
struct Piece {
    scan: Box<Scan>,
    /// Nothing after it counts: the input ended, after so many bytes.
    end: Option<(End, u64)>,
}

impl Piece {
    fn new(scan: Scan, end: Option<(End, u64)>) -> Self {
        Self { scan: Box::new(scan), end }
    }

    /// Strict reading stops somewhere, and knows where.
    fn stopped(scan: Scan, error: Error) -> Self {
        Self::new(scan, Some((End::from(error), 0)))
    }
}

/// Counting begins with this input.
fn begun(name: &str) -> Scan {
    let mut scan = Scan::part();
    scan.begin(name);
    scan
}

/// A thread's own.
struct Reader<'a> {
    crew: &'a Crew,
    name: &'a str,
    /// Its bytes are those that the bar is about.
    counts: bool,
    parser: Parser,
    block: Block,
}

impl Reader<'_> {
    fn work(&mut self, turn: &Turn<'_, Piece>) -> Piece {
        let mut scan = begun(self.name);
        match self.block(&mut scan, turn) {
            Ok(()) => Piece::new(scan, None),
            Err(error) => Piece::stopped(scan, error),
        }
    }

    fn block(&mut self, scan: &mut Scan, turn: &Turn<'_, Piece>) -> Result<(), Error> {
        self.block.begin(&mut self.parser);
        feed(&mut self.parser, self.block.bytes(), scan, &mut |scan| {
            turn.fold(Piece::new(scan, None));
        })?;
        let _ = self.block.end(&mut self.parser, scan)?;
        if self.counts {
            self.crew.progress.advance(self.block.bytes().len());
        }
        Ok(())
    }
}

/// Hands out the blocks.
struct Cutter<'a, R> {
    crew: &'a Crew,
    name: &'a str,
    counts: bool,
    blocks: Blocks<R>,
    bytes: u64,
    /// The game that is longer than a block, and what was counted of it.
    game: Option<(Parser, Scan)>,
    ended: bool,
}

impl<R: Read> Cutter<'_, R> {
    fn next(&mut self, reader: &mut Reader<'_>) -> NextJob<Piece> {
        if self.ended {
            return NextJob::End;
        }
        match self.blocks.next_into(&mut reader.block) {
            Ok(true) => {
                self.bytes += reader.block.bytes().len() as u64;
                if reader.block.is_whole() { NextJob::Work } else { NextJob::Done(self.game(&reader.block)) }
            }
            Ok(false) => NextJob::Done(self.end(End::Complete)),
            Err(error) => NextJob::Done(self.end(End::Failed(error))),
        }
    }

    /// The last piece, in which a game may be that the source failed in.
    fn end(&mut self, end: End) -> Piece {
        self.ended = true;
        let scan = self.game.take().map_or_else(|| begun(self.name), |(_, scan)| scan);
        Piece::new(scan, Some((end, self.bytes)))
    }

    /// Reads a block of a game that is longer than that. The blocks must be read in order, so this is done at once.
    fn game(&mut self, block: &Block) -> Piece {
        let begin = || (Parser::with_config(self.crew.config.clone()), begun(self.name));
        let (mut parser, mut scan) = self.game.take().unwrap_or_else(begin);
        scan.announce(block.bytes());
        if let Err(error) = block.read(&mut parser, &mut scan) {
            return Piece::stopped(scan, error);
        }
        if self.counts {
            self.crew.progress.advance(block.bytes().len());
        }
        if block.ends() {
            return Piece::new(scan, None);
        }
        let counted = scan.take();
        self.game = Some((parser, scan));
        Piece::new(counted, None)
    }
}
