//! Where the games of a source begin.
//!
//! Owns [`GameStarts`], which finds them at skip speed, and the ranges that a source is cut into for several machines.

use std::io::Read;
use std::ops::ControlFlow;

use crate::read::Reader;
use crate::syntax::{Config, Descend, Error, Node, Position, Step, StreamCharset, Tree, Visitor};
use crate::text::Recoder;

/// Finds the places where a source can be cut: each game's first byte.
///
/// A piece that begins or ends at such a place reads alone just as it does as a part of the whole, given what is known
/// there of the [stream](Self::stream) (see [`Parser::reset_within`](crate::Parser::reset_within)). (Only where charsets
/// are guessed, the games before it do not [count](Config::remember_charsets), so a text may read as another one.) Only
/// what the next game truncates is said to be truncated by the end of the source. What stands between two games belongs to
/// the piece of the first. A game is no such place if only its bytes tell where a text before it ends, as
/// [repairs](Config::repair_brackets) may find. But they may also have told whether a variation that is cut off inside a
/// value is itself a [game](Config::resync), which alone it is not.
///
/// The source is read from its beginning, since only what came before tells where a game begins. But nothing
/// inside a game is looked at.
#[derive(Debug)]
pub struct GameStarts<R> {
    reader: Reader<R>,
    search: Search,
}

/// The visitor.
#[derive(Debug, Default)]
struct Search {
    /// Games before this offset are skipped.
    offset: u64,
    /// And this many more games.
    games: u64,
}

impl Visitor for Search {
    type Break = Position;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Position, Descend> {
        // A game without a node in its root tree is skipped child by child.
        if tree.depth() == 1 && tree.position().offset >= self.offset {
            if self.games == 0 {
                return ControlFlow::Break(tree.position());
            }
            self.games -= 1;
        }
        ControlFlow::Continue(Descend::Over)
    }

    /// A break cannot also answer for the game that it found, so that game is skipped from here.
    #[inline]
    fn node(&mut self, _: Node) -> ControlFlow<Position, Step> {
        ControlFlow::Continue(Step::SkipGame)
    }
}

impl<R: Read> GameStarts<R> {
    /// Finds the games that there are by [`Config::new`], which repairs nothing. Nothing is read yet.
    pub fn new(source: R) -> Self {
        Self::with_config(source, Config::new())
    }

    /// Finds the games that a reader with this configuration finds. Only those parts of the configuration matter that
    /// decide where a game ends; damage is skipped.
    pub fn with_config(source: R, config: Config) -> Self {
        Self { reader: Reader::with_config(source, config.cutting()), search: Search::default() }
    }

    /// The first such game that begins at this offset or after it, among those not passed yet.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the source fails.
    pub fn at_or_after(&mut self, offset: u64) -> Result<Option<Position>, Error> {
        self.search = Search { offset, games: 0 };
        self.find()
    }

    /// The next game after skipping that many more.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the source fails.
    pub fn nth(&mut self, games: u64) -> Result<Option<Position>, Error> {
        self.search = Search { offset: 0, games };
        self.find()
    }

    /// What is known of the text from the last found game on: that the source is recoded, for example. In which charsets
    /// the games before it were read is not known, because they were not.
    pub fn stream(&self) -> StreamCharset {
        self.reader.parser().stream()
    }

    /// How far the source was searched; after the last game, its length.
    pub fn position(&self) -> Position {
        self.reader.parser().position()
    }

    fn find(&mut self) -> Result<Option<Position>, Error> {
        loop {
            let found = self.reader.read(&mut self.search)?.break_value();
            if found.is_none() || !self.reader.parser().depends_on_game() {
                return Ok(found);
            }
        }
    }
}

/// A part of a source that begins with a game (the first one with the source) and ends before one, or with the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GameRange {
    /// Where it begins.
    pub start: Position,
    /// Its length in bytes.
    pub len: u64,
    /// What is known of its text from what comes before it, for [`Parser::reset_within`](crate::Parser::reset_within): not
    /// in which charsets the games there were read, which [counts](Config::remember_charsets) where charsets are guessed.
    pub stream: StreamCharset,
}

/// Cuts a source of `len` bytes into at most `parts` ranges of about the same length, between games. 0 parts count as 1.
/// `len` must be the length of the whole source: what comes behind it is in no range, and a length of 0 gives none.
///
/// The source is read from its beginning up to the last cut. An empty one has no range.
/// The ranges cover the source. Each can be read alone, with the offsets and lines of the whole, by a parser that makes
/// the same choices as `config`. (Only where charsets are guessed, the games of earlier ranges do not
/// [count](Config::remember_charsets).) Another machine does not know the stream, so if the source
/// [is recoded from](StreamCharset::charset) a charset, that charset has to be [forced](crate::Charsets::Forced) there.
/// There are fewer ranges if there are fewer games, or if a game is longer than a range should be.
///
/// ```
/// use sgf_stream::{Config, Parser, ranges};
///
/// # struct Quiet;
/// # impl sgf_stream::Visitor for Quiet {
/// #     type Break = std::convert::Infallible;
/// # }
/// # let mut visitor = Quiet;
/// let source = b"(;C[first])\n(;C[second])\n(;C[third])";
/// let mut parser = Parser::new();
/// let mut cut = Vec::new();
/// for range in ranges(&source[..], Config::new(), source.len() as u64, 2)? {
///     let start = range.start.offset;
///     parser.reset_within(range.start, range.stream);
///     let _ = parser.read_slice(&source[start as usize..][..range.len as usize], &mut visitor)?;
///     cut.push((start, range.len));
/// }
/// assert_eq!(cut, [(0, 25), (25, 11)]);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
///
/// Of a file, each range is read by whoever opens the file again:
///
/// ```
/// use std::fs::File;
/// use std::io::{Read, Seek, SeekFrom};
/// use sgf_stream::{Config, GameRange, Parser, Reader, ranges};
///
/// # #[derive(Default)]
/// # struct Trees(u64);
/// # impl sgf_stream::Visitor for Trees {
/// #     type Break = std::convert::Infallible;
/// #     fn enter_tree(&mut self, _: sgf_stream::Tree) -> std::ops::ControlFlow<Self::Break, sgf_stream::Descend> {
/// #         self.0 += 1;
/// #         std::ops::ControlFlow::Continue(sgf_stream::Descend::Into)
/// #     }
/// # }
/// fn read(path: &str, range: &GameRange, visitor: &mut Trees) -> Result<(), sgf_stream::Error> {
///     let mut file = File::open(path)?;
///     file.seek(SeekFrom::Start(range.start.offset))?;
///     let mut parser = Parser::with_config(Config::archives());
///     parser.reset_within(range.start, range.stream);
///     let _ = Reader::with_parser(file.take(range.len), parser).read(visitor)?;
///     Ok(())
/// }
///
/// let path = "corpora/pro/1990s.sgf";
/// let file = File::open(path)?;
/// let len = file.metadata()?.len();
/// let mut trees = Trees::default();
/// for range in ranges(file, Config::archives(), len, 4)? {
///     read(path, &range, &mut trees)?;
/// }
/// # let mut all = Trees::default();
/// # let _ = Reader::with_config(File::open(path)?, Config::archives()).read(&mut all)?;
/// # assert_eq!(trees.0, all.0);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Io`] where the source fails.
pub fn ranges<R: Read>(source: R, config: Config, len: u64, parts: u64) -> Result<Vec<GameRange>, Error> {
    let mut ranges = Vec::new();
    if len == 0 {
        return Ok(ranges);
    }
    let mut starts = GameStarts::with_config(source, config);
    let mut start = Position::START;
    let mut stream = starts.stream();
    // No more parts than bytes, so that each can begin at another one.
    let parts = parts.min(len);
    for part in 1..parts {
        let ideal = (u128::from(len) * u128::from(part) / u128::from(parts)) as u64;
        if ideal <= start.offset {
            continue;
        }
        match starts.at_or_after(ideal.max(Recoder::FIRST_LEN))? {
            Some(next) if next.offset < len => {
                ranges.push(GameRange { start, len: next.offset - start.offset, stream });
                (start, stream) = (next, starts.stream());
            }
            _ => break,
        }
    }
    ranges.push(GameRange { start, len: len - start.offset, stream });
    Ok(ranges)
}
