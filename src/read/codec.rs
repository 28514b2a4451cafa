//! The face for `FramedRead`: a stream cut into games.
//!
//! Owns [`GameDecoder`]. Invariant: the buffer begins with the first byte that was not yet handed on, and what the parser has
//! skipped of it is not skipped again. Refuses to know what is in a game.

use std::ops::ControlFlow;

use bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

use crate::syntax::{
    Config, Descend, Error, Parser, Position, Problem, ProblemKind, StreamCharset, Tree, TreeEnd, Visitor,
};

/// One game, as its bytes.
///
/// The bytes are those of the stream. [`read`](Self::read) reads them as a part of that stream, even if the stream has a
/// byte order mark or is UTF-16.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Game {
    /// From its `(` to its `)`, or from its first `;` or to the end of input where these are missing. They lie in the buffer they
    /// were read into, all of which stays in memory as long as they do: what is kept for long is better copied.
    pub bytes: Bytes,
    /// Where it begins in the stream.
    pub position: Position,
    /// What the beginning of the stream says about the charset of its text.
    pub stream: StreamCharset,
}

impl Game {
    /// Reads it, with a parser of the decoder's configuration that is [reset](Parser::reset_within) for it. What is open at the
    /// end of its bytes is closed without a report that trees are open, as that came as a [`Frame::Problem`] before it. (A
    /// parser of another configuration may leave trees open of which the decoder knows nothing.)
    ///
    /// After a break, do not call it again, which would begin anew: [`feed`](Parser::feed) the rest of the bytes, from the
    /// parser's [`offset`](Parser::offset) on, even if nothing is left, until that returns `Continue`, and then
    /// [`finish`](Parser::finish).
    ///
    /// # Errors
    ///
    /// [`Error::Strict`] with the first problem inside it, if the parser is [strict](Config::strict).
    pub fn read<V: Visitor>(&self, parser: &mut Parser, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        parser.reset_within(self.position, self.stream);
        parser.know_end();
        parser.read_slice(&self.bytes, visitor)
    }
}

/// What a [`GameDecoder`] yields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "nearly all of them are games")]
pub enum Frame {
    /// A game.
    Game(Game),
    /// Something wrong between games, a game over the limit, or that the game that comes next is cut off.
    Problem(Problem),
}

/// Cuts a stream into games, for [`FramedRead`](tokio_util::codec::FramedRead). It is a [`Decoder`] of `tokio-util` 0.7, and
/// games are [`Bytes`] of `bytes` 1.
///
/// Games are found at skip speed and handed out without a copy, to be [read](Game::read) elsewhere, on other tasks or
/// threads. That a game is cut off comes as a problem before it. What else is wrong inside it shows when it is read, but for
/// `charset-changed`: a search for the labels of the games before would take half as long again as all the rest.
/// [Repairs](Config::repair_brackets) then look no further than its `)` for what tells where a text ends. A game over the limit is
/// one `limit-game` problem that spans all of it. Its bytes are dropped as they come, and reading goes on after it. Memory is
/// bounded by the limit.
///
/// Games are cut out of the stream's own bytes, even if that is UTF-16, UTF-32, ISO-2022 or HZ.
///
/// A source that has ended may go on, as `FramedRead` allows, such as a file that grows. What was open at the end was closed
/// there, and the bytes to come are a later part of the same stream: positions go on, and what its beginning says about
/// its text still holds.
///
/// Give `FramedRead` a large buffer (`FramedRead::with_capacity(source, decoder, 256 << 10)`). With its default of 8
/// KiB it asks the source that much more often.
///
/// ```
/// use futures_util::StreamExt;
/// use sgf_stream::{Config, Frame, GameDecoder, Limits, Parser};
/// use tokio_util::codec::FramedRead;
///
/// # struct Quiet;
/// # impl sgf_stream::Visitor for Quiet {
/// #     type Break = std::convert::Infallible;
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sgf_stream::Error> {
/// # let mut visitor = Quiet;
/// let socket = &b"(;B[pd]) oops (;B[qd];W[d"[..];
/// let config = Config::new().limits(Limits::untrusted());
/// let mut frames = FramedRead::with_capacity(socket, GameDecoder::with_config(config.clone()), 256 << 10);
/// let mut parser = Parser::with_config(config);
/// let (mut games, mut problems) = (0, Vec::new());
/// while let Some(frame) = frames.next().await {
///     match frame? {
///         Frame::Game(game) => {
///             let _ = game.read(&mut parser, &mut visitor)?;
///             games += 1;
///         }
///         Frame::Problem(problem) => problems.push(problem.name()),
///         _ => {}
///     }
/// }
/// assert_eq!((games, problems), (2, vec!["junk", "unclosed-tree"]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::Strict`] under [`Config::strict`], for what can be seen between games and at their ends. `FramedRead` ends
/// the stream after an error.
///
/// [`Error::Finished`] if more bytes come after [`decode_eof`](Decoder::decode_eof) was called and before it has returned
/// `None`, which `FramedRead` never does.
#[derive(Debug)]
pub struct GameDecoder {
    parser: Parser,
    framer: Framer,
    limit: u64,
    strict: bool,
    /// The problem that has ended strict reading, if the parser does not know it.
    failed: Option<Problem>,
    /// The source has ended, and all that was left is delivered.
    ended: bool,
    /// Offset of the buffer's first byte.
    front: u64,
}

/// The visitor that finds where games begin and end, at skip speed.
#[derive(Debug, Default)]
struct Framer {
    /// Where the game in progress began.
    start: Option<Position>,
}

#[derive(Clone, Copy)]
enum Found {
    /// A game, and the `)` after it.
    Game(Position, TreeEnd),
    Problem(Problem),
}

impl Visitor for Framer {
    type Break = Found;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Found, Descend> {
        self.start = Some(tree.position());
        ControlFlow::Continue(Descend::Over)
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Found> {
        match self.start.take() {
            Some(start) => ControlFlow::Break(Found::Game(start, end)),
            None => ControlFlow::Continue(()),
        }
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Found> {
        ControlFlow::Break(Found::Problem(*problem))
    }
}

impl GameDecoder {
    /// The longest game that is handed out, in bytes, unless the configuration says otherwise: 16 MiB.
    pub const DEFAULT_LIMIT: u64 = 16 << 20;

    /// A decoder that guesses and repairs nothing. Most archives are read better with
    /// [`Config::archives`].
    pub fn new() -> Self {
        Self::with_config(Config::new())
    }

    /// A decoder with this configuration. [`Limits::game`](crate::Limits::game) bounds the length of a game, and so
    /// the memory that is needed. None (`u64::MAX`, the default) becomes [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT); for longer
    /// games, give a number.
    pub fn with_config(mut config: Config) -> Self {
        let limit = std::mem::replace(&mut config.limits.game, u64::MAX);
        // Text that was not examined cannot influence other games.
        config.remember_charsets = false;
        Self {
            limit: if limit == u64::MAX { Self::DEFAULT_LIMIT } else { limit },
            strict: config.strict,
            failed: None,
            ended: false,
            parser: Parser::with_config(config),
            framer: Framer::default(),
            front: 0,
        }
    }

    /// How far the stream was read: the place of the next byte that the parser has not seen, as [`Parser::position`].
    pub fn position(&self) -> Position {
        self.parser.position()
    }

    /// The parser, which knows more about what was read, such as how many problems were
    /// [not reported](Parser::suppressed_problems). If a source goes on after its end, the parser counts anew.
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    fn frame(&mut self, found: Found, buffer: &mut BytesMut) -> Result<Frame, Error> {
        let (position, end) = match found {
            Found::Problem(problem) => return Ok(Frame::Problem(problem)),
            Found::Game(position, end) => (position, end),
        };
        // Labels of other games are known only where they tell how values end.
        let stream = self.parser.stream_of_all();
        let end = end.position().offset + end.close_len();
        let len = end - position.offset;
        if len > self.limit {
            self.drop_before(end, buffer);
            let problem = Problem::new(ProblemKind::LimitGame, position, len);
            if self.strict {
                self.failed = Some(problem);
                return Err(Error::Strict(problem));
            }
            return Ok(Frame::Problem(problem));
        }
        self.drop_before(position.offset, buffer);
        self.front = end;
        Ok(Frame::Game(Game { bytes: buffer.split_to(len as usize).freeze(), position, stream }))
    }

    /// Drops the bytes before `offset`, if they are still there.
    fn drop_before(&mut self, offset: u64, buffer: &mut BytesMut) {
        let len = offset.saturating_sub(self.front).min(buffer.len() as u64);
        buffer.advance(len as usize);
        self.front += len;
    }

    /// Drops what no game can need: everything that was read, except a game in progress, unless that is over the limit.
    ///
    /// Bytes that the parser holds for a look are not read yet: the game may turn out to have ended before them.
    fn drop_read(&mut self, buffer: &mut BytesMut) {
        let read = self.parser.unread_offset();
        let kept = self.framer.start.map_or_else(|| self.parser.candidate(), |start| start.offset);
        let needed = if read - kept <= self.limit { kept } else { read };
        self.drop_before(needed, buffer);
    }
}

impl Default for GameDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder for GameDecoder {
    type Item = Frame;
    type Error = Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Error> {
        if let Some(problem) = self.failed {
            return Err(Error::Strict(problem));
        }
        let unread = (self.parser.offset() - self.front) as usize;
        if self.ended && unread < buffer.len() {
            self.ended = false;
            self.parser.reset_within(self.parser.position(), self.parser.stream());
        }
        match self.parser.feed(&buffer[unread..], &mut self.framer)? {
            ControlFlow::Break(found) => self.frame(found, buffer).map(Some),
            ControlFlow::Continue(()) => {
                self.drop_read(buffer);
                Ok(None)
            }
        }
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Error> {
        if let Some(frame) = self.decode(buffer)? {
            return Ok(Some(frame));
        }
        match self.parser.finish(&mut self.framer)? {
            ControlFlow::Break(found) => self.frame(found, buffer).map(Some),
            ControlFlow::Continue(()) => {
                self.ended = true;
                self.drop_before(self.parser.offset(), buffer);
                Ok(None)
            }
        }
    }
}
