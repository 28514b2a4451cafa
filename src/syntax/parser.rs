//! The push face of the engine.

use std::ops::ControlFlow;

use crate::syntax::engine::Engine;
use crate::syntax::recoded::Recoding;
use crate::syntax::{Config, Error, Position, Visitor};
use crate::text::Charset;

/// Reads SGF from chunks that you feed, cut anywhere, and tells a visitor what is in them.
///
/// It does no input or output and never waits, so it fits any loop; the readers for files and sockets are such loops.
///
/// ```
/// use sgf_stream::{Node, Parser, Step, Visitor};
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
///
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
/// let mut parser = Parser::new();
/// let mut nodes = Nodes(0);
/// for chunk in [&b"(;B[p"[..], b"d];W[d", b"d])"] {
///     let _ = parser.feed(chunk, &mut nodes)?;
/// }
/// let _ = parser.finish(&mut nodes)?;
/// assert_eq!(nodes.0, 2);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
///
/// # What it promises
///
/// For every input, however it is cut:
///
/// 1. Enters and exits balance. Depth is a counter: 100 million open trees need no more memory than one.
/// 2. Events and problems are the same. Only where a value wanted in parts is cut may differ.
/// 3. Every byte is in an event, is white space, lies in the span of a problem that
///    [skips](crate::ProblemKind::skips), or was passed over because the visitor said so.
/// 4. A problem comes right before the event it concerns, and a skipped run is reported at its end.
/// 5. An event comes as soon as its bytes decide it: a property with its `[`, a value with its `]`, a game with its `;`.
///
/// Time is linear in the input, also when it comes byte by byte. Memory is bounded by
/// [`Limits::value`](crate::Limits::value), and needed only for a value that a chunk's edge cuts.
#[derive(Clone, Debug)]
pub struct Parser {
    engine: Engine,
    config: Config,
    recoding: Recoding,
}

impl Default for Parser {
    fn default() -> Self {
        Self::with_config(Config::default())
    }
}

impl Parser {
    /// A lenient parser.
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with choices of your own.
    pub fn with_config(config: Config) -> Self {
        Self { engine: Engine::new(config.clone()), recoding: Recoding::new(&config), config }
    }

    /// Reads the next bytes of the input, all of them unless the visitor breaks.
    ///
    /// An empty chunk is no news. After a break, [`position`](Self::position) says how far the chunk was read: feeding the
    /// rest goes on with the event after the one that broke.
    ///
    /// # Errors
    ///
    /// [`Error::Strict`] with the first problem under [`Config::strict`], and again from every later call.
    /// [`Error::Finished`] after [`finish`](Self::finish).
    pub fn feed<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if self.recoding.is_active() {
            return self.recoding.feed(chunk, &mut self.engine, visitor);
        }
        self.engine.feed(chunk, visitor)
    }

    /// Says that the input has ended: what is open is closed, and said to have been open.
    ///
    /// After a break, calling it again goes on with the next event. Once it has returned `Continue`, it does nothing until
    /// [`reset`](Self::reset).
    ///
    /// # Errors
    ///
    /// [`Error::Strict`], as [`feed`](Self::feed).
    pub fn finish<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if self.recoding.is_active() {
            return self.recoding.finish(&mut self.engine, visitor);
        }
        self.engine.finish(visitor)
    }

    /// Reads a whole input: [`feed`](Self::feed), then [`finish`](Self::finish) unless the visitor breaks.
    ///
    /// Values lie in `bytes`; nothing is copied.
    ///
    /// # Errors
    ///
    /// Those of the two.
    pub fn read_slice<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        match self.feed(bytes, visitor)? {
            ControlFlow::Continue(()) => self.finish(visitor),
            stop @ ControlFlow::Break(_) => Ok(stop),
        }
    }

    /// How far the input was read: the place of the next byte.
    pub fn position(&self) -> Position {
        if self.recoding.is_active() { self.recoding.position(&self.engine) } else { self.engine.position() }
    }

    /// Trees that were entered and not left yet; 0 between games.
    pub fn depth(&self) -> u64 {
        self.engine.depth()
    }

    /// Problems that went unreported because of [`Limits::problems`](crate::Limits::problems), in all.
    pub fn suppressed_problems(&self) -> u64 {
        self.engine.suppressed()
    }

    /// What became U+FFFD because it is no character, in a source that is recoded before it is read (UTF-16, UTF-32 and
    /// ISO-2022).
    pub fn replaced_characters(&self) -> u64 {
        self.recoding.replaced()
    }

    /// The first byte that may still turn out to begin a game: the `(` that waits for its `;`.
    #[cfg(feature = "tokio")]
    pub(crate) fn candidate(&self) -> Option<u64> {
        self.engine.candidate()
    }

    /// Forgets the input and any error; keeps the configuration and the buffers. Positions count from the start again.
    pub fn reset(&mut self) {
        self.engine.reset();
        self.recoding = Recoding::new(&self.config);
    }

    /// The same for an input that is a later part of a source: positions count on from `position`, where a game's `(` stands.
    ///
    /// From there on, what is read is what reading the whole source would give; what comes before a game's `(` does not
    /// matter to it. [`GameStarts`](crate::GameStarts) finds such places.
    ///
    /// ```
    /// use sgf_stream::{Config, GameStarts, Parser, Visitor};
    ///
    /// # struct Quiet;
    /// # impl Visitor for Quiet {
    /// #     type Break = std::convert::Infallible;
    /// # }
    /// # let mut visitor = Quiet;
    /// let source = b"(;B[pd])\n(;B[qd])";
    /// let second = GameStarts::new(&source[..], Config::new()).at_or_after(1)?.expect("there are two games");
    /// assert_eq!((second.offset, second.line), (9, 2));
    ///
    /// let mut parser = Parser::new();
    /// parser.reset_at(second);
    /// let _ = parser.read_slice(&source[9..], &mut visitor)?;
    /// assert_eq!((parser.position().offset, parser.position().line), (17, 2));
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    ///
    /// A byte order mark at the beginning of the source, and that it has to be recoded, are not known here.
    pub fn reset_at(&mut self, position: Position) {
        self.engine.reset_at(position);
        self.recoding = Recoding::at(position.offset, None);
    }

    /// The same for an input that begins inside a game, right after a `)` that left `depth` trees open, or with a source of
    /// which `stream` is known.
    pub(crate) fn reset_inside(&mut self, position: Position, depth: u64, stream: Stream) {
        self.engine.reset_inside(position, depth, stream.is_marked);
        self.recoding = if position.offset == 0 {
            Recoding::new(&self.config)
        } else {
            Recoding::at(position.offset, stream.recoded)
        };
    }

    /// What is known of the source as a whole, as far as it has been read.
    pub(crate) fn stream(&self) -> Stream {
        Stream { is_marked: self.engine.is_marked(), recoded: self.recoding.charset() }
    }

    /// A parser that recodes nothing, so that what it tells lies in what it is fed.
    pub(crate) fn in_place(config: Config) -> Self {
        Self { recoding: Recoding::at(0, None), ..Self::with_config(config) }
    }

    /// True where what is told lies in what is fed, from here on.
    pub(crate) fn is_plain(&self) -> bool {
        !self.recoding.is_active()
    }

    /// Whether the rest of the game in progress can be read by a parser that knows nothing of its text.
    pub(crate) fn is_past_text(&self) -> bool {
        self.recoding.charset().is_none() && self.engine.is_past_text()
    }

    /// While a tree is passed over: where in `bytes`, which come next, the innermost tree ends, and how many stay open.
    pub(crate) fn next_close(&self, bytes: &[u8]) -> Option<(usize, u64)> {
        self.engine.next_close(bytes)
    }
}

/// What the beginning of a source says of all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    /// It begins with the byte order mark of UTF-8.
    is_marked: bool,
    /// It is recoded from this.
    recoded: Option<Charset>,
}

/// Reads a whole input in memory with a lenient [`Parser`].
///
/// # Errors
///
/// None today: lenient reading of a slice has nothing to fail at.
pub fn read_slice<V: Visitor>(bytes: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
    Parser::new().read_slice(bytes, visitor)
}
