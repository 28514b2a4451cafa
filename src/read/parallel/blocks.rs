//! A source cut into blocks, between games if possible.
//!
//! Owns [`Blocks`]: where it cuts. Refuses to know who reads the blocks, and on which thread.

use std::fmt;
use std::io::{self, ErrorKind, Read};

use crate::read::parallel::block::{Block, Edge};
use crate::read::parallel::guess::{last_label, likely_game};
use crate::read::parallel::search::{Sample, Search};
use crate::syntax::bounds::{Boundary, boundary_inside, last_game};
use crate::syntax::root;
use crate::syntax::{Config, Parser, Position, StreamCharset};
use crate::text::{Charset, Recoder};

/// Cuts a source into blocks of whole games, at skip speed and in bounded memory.
///
/// Where it cuts depends only on the bytes of the source and on the block length.
///
/// A block begins at a game's first byte or at the beginning of the source. It ends before a game or at the end of the
/// source. Nothing that comes before a block matters to it, so [`Block::read`] delivers what reading the whole source
/// would. (Only where charsets are guessed, the games of earlier blocks do not [count](Config::remember_charsets).) A
/// game that is much longer than a block ([`max_block_len`](Self::max_block_len)) comes in several blocks, which one
/// parser must read one after the other, unless [`inside_games`](Self::inside_games) allows cutting it.
///
/// [`ParallelReader`](crate::ParallelReader) is the easy way; this type is for threads or tasks of your own.
///
/// ```
/// use sgf_stream::{Block, Blocks, Parser};
///
/// # struct Quiet;
/// # impl sgf_stream::Visitor for Quiet {
/// #     type Break = std::convert::Infallible;
/// # }
/// # let mut visitor = Quiet;
/// let source = b"(;B[pd])\n(;B[qd])\n".repeat(100);
/// let mut blocks = Blocks::new(&source[..]).block_len(500);
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
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub struct Blocks<R> {
    source: R,
    parser: Parser,
    search: Search,
    len: usize,
    max_len: Option<usize>,
    inside_games: bool,
    /// Bytes that are in no block yet.
    rest: Vec<u8>,
    /// Where they begin.
    start: Position,
    /// How many bytes the parser has gone past, of the block that is being cut and behind it.
    passed: usize,
    /// The trees that are open there.
    depth: u64,
    /// Games look like games here: the last guess found one by its look.
    by_looks: bool,
    /// The last block did not end at a cut.
    open: bool,
    /// What the last game seems to declare.
    label: Option<Charset>,
    /// What is known there about text that comes later.
    stream: StreamCharset,
    /// Skipping through the last block was given up in the middle of it.
    has_given_up: bool,
    supply: Supply,
    /// The source has reported that it has nothing for now, so the next read has to wait.
    awaits: bool,
    error: Option<io::Error>,
}

/// Without the source, which may lie in memory, and without bytes.
impl<R> fmt::Debug for Blocks<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parser, len, max_len, inside_games, rest, start, depth, open, supply, error, .. } = self;
        f.debug_struct("Blocks")
            .field("parser", parser)
            .field("len", len)
            .field("max_len", max_len)
            .field("inside_games", inside_games)
            .field("rest", &rest.len())
            .field("start", start)
            .field("depth", depth)
            .field("open", open)
            .field("supply", supply)
            .field("error", error)
            .finish_non_exhaustive()
    }
}

/// What the source delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Supply {
    Bytes,
    /// Nothing for now.
    Paused,
    /// Nothing more, but perhaps an error.
    Ended,
}

impl<R: Read> Blocks<R> {
    /// The length of a block, unless a game is longer.
    ///
    /// Measured: from 128 KiB on, the cost of handing a block from thread to thread is lost in the noise. Up to 512
    /// KiB, its bytes are still in the second-level cache when they are read for the second time. The longer a block
    /// is, the fewer games are longer: with 8,166 public files joined, two threads take 0.88 to 0.94 of the time that
    /// blocks of 256 KiB take.
    pub const DEFAULT_LEN: usize = 512 << 10;

    /// The longest block: a caller may ask for any length, but memory is limited.
    const LONGEST: usize = 1 << 30;

    /// A block grows to that many times its length in search of a game's end, unless another bound is set.
    ///
    /// Measured: four times takes 3 MB more for public files of every kind with two threads, and reads no file faster.
    const GROWTH: usize = 3;

    /// How many bytes are taken at once where a cut inside a game is searched for.
    const LOOK_AHEAD: usize = 16 << 10;

    /// How many candidates are examined where the last games did not look like games.
    const LOOKS: usize = 256;

    /// How many trees are followed to their ends in search of a game that begins right behind another.
    const ENDS: usize = 1024;

    /// How many bytes a guess leaves known behind it, because how the game before ends may depend on them.
    const KNOWN: usize = 256;

    /// Cuts where games end by [`Config::new`], which repairs nothing. Nothing is read yet.
    pub fn new(source: R) -> Self {
        Self::with_config(source, Config::new())
    }

    /// Cuts where a reader with this configuration finds that games end, so whoever reads the blocks should make the
    /// same choices. Other parts of the configuration do not matter here: damage is reported to whoever reads the
    /// blocks.
    pub fn with_config(source: R, config: Config) -> Self {
        Self {
            source,
            parser: Parser::with_config(config.cutting()),
            search: Search::default(),
            len: Self::DEFAULT_LEN,
            max_len: None,
            inside_games: false,
            rest: Vec::new(),
            start: Position::START,
            passed: 0,
            depth: 0,
            by_looks: false,
            open: false,
            label: None,
            stream: StreamCharset::default(),
            has_given_up: false,
            supply: Supply::Bytes,
            awaits: false,
            error: None,
        }
    }

    /// Cuts blocks of that length instead of 512 KiB; 0 counts as 1, and more than 1 GiB counts as 1 GiB.
    #[must_use]
    pub fn block_len(mut self, len: usize) -> Self {
        self.len = len.clamp(1, Self::LONGEST);
        self
    }

    /// Lets a block grow to that length in search of a game's end, instead of three times its own length. The default
    /// is what a few threads can afford; for many it is too much.
    #[must_use]
    pub fn max_block_len(mut self, len: usize) -> Self {
        self.max_len = Some(len.min(Self::LONGEST));
        self
    }

    /// Cuts inside a game, too, if it is longer than a block: after the `)` of a tree in it.
    ///
    /// This is for visitors that count. The events are the same, but those of one game may go to several visitors, and
    /// enters and exits balance only over all of them together. One missing `)` makes one game of the rest of an
    /// archive, and this keeps all cores at work there. Unless text is of no interest
    /// ([`Charsets::Raw`](crate::Charsets::Raw)), the first 2 MiB of a game stay together, because the charset is
    /// worked out from them. Later parts do not know it: text there is taken for UTF-8, unless a charset is
    /// [forced](crate::Charsets::Forced). Limits that count over a game count over a block's part of it.
    #[must_use]
    pub fn inside_games(mut self, allowed: bool) -> Self {
        self.inside_games = allowed;
        self
    }

    /// Puts the next block into `block`. Returns false after the last.
    ///
    /// A source may say, once before any bytes and once after bytes have come, that it has no more for now, by returning
    /// [`WouldBlock`](ErrorKind::WouldBlock). These bytes then become a block that does not [end](Block::ends), and the
    /// next read has to wait.
    ///
    /// # Errors
    ///
    /// The error of the source, once everything before it has been handed out in a block that does not
    /// [end](Block::ends). After an error there are no more blocks.
    pub fn next_into(&mut self, block: &mut Block) -> io::Result<bool> {
        self.cut_into(block, false)
    }

    /// Does the same, unless the visitor only counts and skipping through the block turns out to cost as much as that. Then it
    /// [gives up](Self::has_given_up): the block ends before the last game found so far, or if there is none, the caller
    /// has to continue with [`resume`](Self::resume).
    pub(super) fn try_next_into(&mut self, block: &mut Block) -> io::Result<bool> {
        self.cut_into(block, self.inside_games)
    }

    fn cut_into(&mut self, block: &mut Block, may_give_up: bool) -> io::Result<bool> {
        let mut sample = may_give_up.then(|| Sample::behind(self.slow_steps()));
        if !self.begin(block)? {
            return Ok(false);
        }
        let most = self.most();
        let mut target = self.len.max(block.len);
        let mut look_inside = self.open;
        if !self.pass_sampling(&block.buffer[self.passed..block.len], &mut sample) {
            self.give_up(block);
            return Ok(true);
        }
        loop {
            let from = block.len;
            self.fill(block, target);
            if self.supply == Supply::Ended {
                return self.last(block);
            }
            if self.supply == Supply::Paused {
                self.pass(&block.buffer[from..block.len]);
                self.go_on_at(self.parser.position());
                return Ok(true);
            }
            let ahead = target.min(from + Self::LOOK_AHEAD);
            if look_inside && let Some((len, depth)) = self.close_inside(&block.buffer[from..ahead]) {
                self.pass(&block.buffer[from..from + len]);
                let (cut, stream) = (self.parser.position(), self.parser.stream());
                self.pass(&block.buffer[from + len..target]);
                self.cut(block, cut, depth, Edge::Tree(depth));
                block.is_searched = self.parser.is_without_place_since(block.start.offset);
                self.stream = stream;
                return Ok(true);
            }
            if !self.pass_sampling(&block.buffer[from..target], &mut sample) {
                self.give_up(block);
                return Ok(true);
            }
            if self.cut_at_last(block) {
                return Ok(true);
            }
            if self.open || target >= most {
                self.go_on_at(self.parser.position());
                return Ok(true);
            }
            look_inside = self.inside_games;
            target = (target + if look_inside { Self::LOOK_AHEAD.min(self.len) } else { target }).min(most);
            block.reserve(target, most);
        }
    }

    /// Cuts the next block before what looks like a game, without skipping through it to make sure: whether that was right
    /// shows when the block is read. Everything else that is recorded about the block holds only if it really begins with a game.
    ///
    /// The first block has to be read with [`next_into`](Self::next_into), for what the source's beginning says about
    /// all of it. `None` if nothing looks like a game; then the caller has to continue with [`resume`](Self::resume).
    pub(super) fn guess_into(&mut self, block: &mut Block) -> io::Result<Option<bool>> {
        if !self.begin(block)? {
            return Ok(Some(false));
        }
        let most = self.most();
        let mut target = self.len.max(block.len);
        // Up to here, no game was found.
        let mut searched = 1;
        loop {
            if let Some(is_block) = self.fetch(block, target)? {
                return Ok(Some(is_block));
            }
            let known = &block.bytes()[..block.len - Self::KNOWN.min(block.len / 4)];
            let looks = if self.by_looks { usize::MAX } else { Self::LOOKS };
            let likely = likely_game(known, searched, looks);
            // Where games look like games, the next one will too, however far it is.
            let by_looks = likely.is_some() || (self.by_looks && target < most);
            let mut ends = Self::ENDS;
            let found = if by_looks { likely } else { last_game(known, &mut ends) };
            if let Some(game) = found {
                self.by_looks = by_looks;
                let cut = block.position_at(game);
                self.cut(block, cut, 0, Edge::Game);
                // Nobody has read yet what the games before it declare.
                self.label = last_label(block.bytes(), self.label);
                self.stream = self.stream.with_label(self.label);
                return Ok(Some(true));
            }
            if target >= most || ends == 0 {
                self.rest.extend_from_slice(block.bytes());
                return Ok(None);
            }
            searched = target.saturating_sub(root::REACH).max(1);
            target = target.saturating_mul(2).min(most);
            block.reserve(target, most);
        }
    }

    /// Cuts the next block inside a game, where the last one ended at one of its trees: this one does, too, or before the
    /// next game, if the byte rules alone say where trees begin and end. `None` if they find no such place.
    pub(super) fn guess_inside(&mut self, block: &mut Block) -> io::Result<Option<bool>> {
        if !self.begin(block)? {
            return Ok(Some(false));
        }
        let most = self.most();
        let mut target = self.len.max(block.len);
        let mut searched = target - Self::LOOK_AHEAD.min(target / 4);
        loop {
            if let Some(is_block) = self.fetch(block, target)? {
                return Ok(Some(is_block));
            }
            let known = &block.bytes()[..block.len - Self::KNOWN.min(block.len / 4)];
            match boundary_inside(known, block.start, block.depth, searched.min(known.len())) {
                Some(Boundary::Tree(cut, depth)) if self.may_begin_at(depth) => {
                    self.cut(block, cut, depth, Edge::TreeGuess(depth));
                    return Ok(Some(true));
                }
                Some(Boundary::Game(cut)) => {
                    self.cut(block, cut, 0, Edge::Game);
                    return Ok(Some(true));
                }
                _ => {}
            }
            if target >= most {
                self.rest.extend_from_slice(block.bytes());
                return Ok(None);
            }
            searched = target;
            target = target.saturating_mul(2).min(most);
            block.reserve(target, most);
        }
    }

    /// Puts the next bytes into `block`, which does not [end](Block::ends), and skips through nothing. So the caller
    /// has to continue with [`resume`](Self::resume).
    pub(super) fn follow_into(&mut self, block: &mut Block) -> io::Result<bool> {
        if !self.begin(block)? {
            return Ok(false);
        }
        self.fill(block, self.len);
        if self.supply == Supply::Ended {
            return self.last(block);
        }
        self.open = true;
        Ok(true)
    }

    /// Whether skipping through the last block would have cost as much as reading it will.
    pub(super) fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    /// How many things were skipped one by one so far.
    fn slow_steps(&self) -> u64 {
        self.search.trees() + self.parser.passed_values()
    }

    /// Whether the source had nothing more for the last block.
    pub(super) fn is_paused(&self) -> bool {
        self.supply == Supply::Paused
    }

    /// Whether guessing is possible: a game begins here, and in no charset in use would `(;` be other bytes.
    pub(super) fn may_guess(&self) -> bool {
        !self.open && self.depth == 0 && self.start.offset > 0 && self.parser.is_plain()
    }

    /// Whether the last block ended at a tree inside a game.
    pub(super) fn is_inside(&self) -> bool {
        !self.open && self.depth > 0
    }

    /// Continues without guessing, once everything before was read, with the parser that has read it; with `None`, nothing is
    /// open here that later blocks need.
    pub(super) fn resume(&mut self, parser: Option<Parser>) {
        if let Some(parser) = parser {
            self.start = parser.position();
            self.parser = parser.cutting();
            self.open = true;
        } else {
            self.stream = self.stream.of_all();
            self.parser.reset_inside(self.start, self.depth, &self.stream);
            self.open = false;
        }
        self.search = Search::default();
        self.passed = 0;
    }

    /// Prepares the block for the next bytes, and puts the rest of the last one into it. False after the last.
    fn begin(&mut self, block: &mut Block) -> io::Result<bool> {
        *block = Block {
            buffer: std::mem::take(&mut block.buffer),
            start: self.start,
            depth: self.depth,
            stream: self.stream,
            begins: !self.open,
            ..Block::default()
        };
        if self.supply == Supply::Ended {
            return self.over();
        }
        block.reserve(self.len.max(self.rest.len()), self.most());
        block.buffer[..self.rest.len()].copy_from_slice(&self.rest);
        block.len = self.rest.len();
        self.passed = self.passed.min(self.rest.len());
        self.rest.clear();
        self.has_given_up = false;
        Ok(true)
    }

    /// The longest that a block may become.
    fn most(&self) -> usize {
        self.max_len.unwrap_or(self.len.saturating_mul(Self::GROWTH)).max(self.len)
    }

    /// Reads until `block` has that many bytes, or the source has nothing for now.
    fn fill(&mut self, block: &mut Block, target: usize) {
        if self.supply == Supply::Paused {
            self.supply = Supply::Bytes;
        }
        while block.len < target && self.supply == Supply::Bytes {
            match self.source.read(&mut block.buffer[block.len..target]) {
                Ok(0) => self.supply = Supply::Ended,
                Ok(len) => {
                    block.len += len;
                    self.awaits = false;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && !self.awaits => {
                    self.awaits = true;
                    if block.len > 0 {
                        self.supply = Supply::Paused;
                    }
                }
                Err(error) => self.fail(error),
            }
        }
    }

    /// Fills the block for a guess: if the source has less, the block ends there, and this is what to return.
    fn fetch(&mut self, block: &mut Block, target: usize) -> io::Result<Option<bool>> {
        self.fill(block, target);
        match self.supply {
            Supply::Bytes => Ok(None),
            Supply::Paused => {
                // No position lies between a CR and its LF.
                if block.bytes().ends_with(b"\r") {
                    block.len -= 1;
                    self.rest.push(b'\r');
                }
                self.go_on_at(block.position_at(block.len));
                Ok(Some(true))
            }
            Supply::Ended => self.last(block).map(Some),
        }
    }

    /// The block ends at no cut: the next one continues it, from this position.
    fn go_on_at(&mut self, position: Position) {
        self.start = position;
        self.open = true;
    }

    /// There are no more blocks; the error of the source comes first.
    fn over(&mut self) -> io::Result<bool> {
        self.error.take().map_or(Ok(false), Err)
    }

    fn fail(&mut self, error: io::Error) {
        self.supply = Supply::Ended;
        self.error = Some(error);
    }

    fn pass(&mut self, bytes: &[u8]) {
        self.passed += bytes.len();
        // A lenient parser cannot fail; if it ever does, that must not go unnoticed.
        if let Err(error) = self.parser.feed(bytes, &mut self.search) {
            self.fail(io::Error::other(error));
        }
    }

    /// Passes bytes, unless that is given up: then the block ends at no cut, behind all that it has.
    fn pass_sampling(&mut self, bytes: &[u8], sample: &mut Option<Sample>) -> bool {
        let Some(sample) = sample else {
            self.pass(bytes);
            return true;
        };
        for piece in bytes.chunks(Sample::PIECE) {
            self.pass(piece);
            sample.add(piece.len());
            // To recode a source takes longer than all else. At its beginning, it may only be watched for that.
            let is_recoded = self.parser.offset() > Sample::LEN as u64 && !self.parser.is_plain();
            if (is_recoded || sample.is_crowded(self.slow_steps())) && sample.is_enough(self.len) {
                return false;
            }
        }
        true
    }

    /// Skips no further through the block.
    fn give_up(&mut self, block: &mut Block) {
        self.has_given_up = true;
        self.open = !self.cut_at_last(block);
    }

    /// Ends the block before the last game that was found in it, if any.
    fn cut_at_last(&mut self, block: &mut Block) -> bool {
        // A block that continues a game may turn out to begin right at that game's end.
        let first = (block.start.offset + u64::from(block.begins)).max(Recoder::FIRST_LEN);
        let cut = self.search.take_from(first);
        if let Some(cut) = cut {
            self.cut(block, cut, 0, Edge::Game);
            self.stream = self.parser.stream();
        }
        cut.is_some()
    }

    /// Where in the bytes to come a tree inside the game in progress ends, and how many trees stay open.
    fn close_inside(&mut self, bytes: &[u8]) -> Option<(usize, u64)> {
        let allowed = self.inside_games && self.parser.is_past_text();
        let close = if allowed { self.parser.next_close(bytes) } else { None };
        close.filter(|(_, depth)| self.may_begin_at(*depth))
    }

    /// Whether a block may begin inside a game where `depth` trees are open. Deeper than the limit, nothing is read.
    fn may_begin_at(&self, depth: u64) -> bool {
        (1..=self.parser.config().limits.depth).contains(&depth)
    }

    /// Ends the block at `cut`, where `depth` trees are open.
    fn cut(&mut self, block: &mut Block, cut: Position, depth: u64, edge: Edge) {
        let len = (cut.offset - block.start.offset) as usize;
        self.rest.extend_from_slice(&block.bytes()[len..]);
        self.passed = self.passed.saturating_sub(len);
        block.ahead = block.len - len;
        block.len = len;
        block.edge = edge;
        self.start = cut;
        self.depth = depth;
        self.open = false;
    }

    /// The block in which the source ended. It needs no cut.
    fn last(&mut self, block: &mut Block) -> io::Result<bool> {
        block.edge = if self.error.is_none() { Edge::Source } else { Edge::Open };
        let goes_on = self.open || block.depth > 0;
        self.open = !block.ends();
        // A game that is open still has to be finished.
        if block.len > 0 || (goes_on && block.ends()) { Ok(true) } else { self.over() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games are recognised by their headers or, if they have none, by the byte rules.
    #[test]
    fn beginnings_of_games_are_guessed() {
        for game in ["(;GM[1]FF[4](;B[aa])(;B[bb]))\n", "(;AB[aa](;B[bb])(;B[cc]))\n"] {
            // In ASCII input, the first 64 KiB are watched for escape sequences of other charsets.
            let source = game.repeat(5000);
            let mut blocks = Blocks::new(source.as_bytes()).block_len(1000);
            let mut block = Block::default();
            while !blocks.may_guess() {
                assert!(blocks.next_into(&mut block).unwrap());
            }
            let mut guessed = 0;
            while blocks.guess_into(&mut block).unwrap() == Some(true) {
                assert!(block.is_whole() && block.start().offset % game.len() as u64 == 0);
                guessed += 1;
            }
            assert!(guessed > 20, "{guessed} with {game}");
        }
    }
}
