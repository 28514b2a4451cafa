//! The push face of the engine.
//!
//! Owns [`Parser`], which joins the engine with what recodes a source, and [`StreamCharset`], what a later part of a source
//! must know about its charset. Invariant: after a fatal error every call returns that error. Refuses to know where chunks come
//! from.

use std::fmt;
use std::ops::ControlFlow;

pub(super) use crate::syntax::engine::STARTS;
use crate::syntax::engine::{Engine, Labels};
use crate::syntax::recoded::Recoding;
use crate::syntax::{Config, Error, Position, Visitor};
use crate::text::{Charset, Continuation, Neighbours, Questions};

/// Reads SGF from chunks that you feed it, cut anywhere, and calls a visitor with what is in them.
///
/// It does no input or output and never waits, so it fits into any loop. The readers for files and sockets are such
/// loops.
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
/// 5. An event comes as soon as its bytes decide it: a property with its `[`, a value with its `]`, a game with its `;`,
///    unless something has to be looked at first, as below.
///
/// Time is linear in the input, even if it comes byte by byte. Memory is bounded by
/// [`Limits::value`](crate::Limits::value). It is needed for what the edge of a chunk cuts: a value that is wanted
/// whole, and what has to be looked at before it can be delivered. That is:
///
/// - up to 64 KiB where the charset of a game has to be worked out; with [`Config::new`](crate::Config::new), too, text of
///   the root may wait for CA;
/// - 12 KiB where another game may begin inside a game ([`Config::resync`](crate::Config::resync)): a variation is
///   delivered once its first node has ended;
/// - up to the longest value, and twice as much, where it has to be worked out which `]` closes a text
///   ([`Config::repair_brackets`](crate::Config::repair_brackets), and
///   [`EscapeUnit::Auto`](crate::text::EscapeUnit::Auto) in charsets whose characters may hide one).
///
/// # Panics of a visitor
///
/// A panic of the visitor leaves the parser in the middle of a step. Whoever catches it may only [`reset`](Self::reset)
/// the parser (or drop it), which makes it as good as new: any other call may deliver events again, or panic itself. A
/// [`Reader`](crate::Reader) or any other face around a parser can only be dropped.
#[derive(Clone)]
pub struct Parser {
    engine: Engine,
    recoding: Recoding,
}

/// Where it is, without what it holds: that may be megabytes.
impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parser")
            .field("config", self.config())
            .field("position", &self.position())
            .field("depth", &self.depth())
            .finish_non_exhaustive()
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::with_config(Config::default())
    }
}

impl Parser {
    /// A parser that guesses and repairs nothing. Most archives are read better with
    /// [`Config::archives`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with this configuration.
    pub fn with_config(config: Config) -> Self {
        Self { recoding: Recoding::new(&config), engine: Engine::new(config) }
    }

    /// Reads the next bytes of the input, all of them unless the visitor breaks.
    ///
    /// After a break, feed the rest of the chunk, from [`offset`](Self::offset) on, to go on with the event after the one
    /// that broke; and again until this returns `Continue`, even if nothing is left of it: more events may follow from bytes
    /// that are taken already. At any other time an empty chunk does nothing.
    ///
    /// ```
    /// # use sgf_stream::{Parser, TreeEnd, Visitor};
    /// # use std::ops::ControlFlow;
    /// # struct Game;
    /// # impl Visitor for Game {
    /// #     type Break = ();
    /// #     fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
    /// #         if end.depth() == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// #     }
    /// # }
    /// # let mut visitor = Game;
    /// // The visitor breaks at the end of each game.
    /// let (mut parser, mut games) = (Parser::new(), 0);
    /// for chunk in [&b"(;C[go"[..], b"od])(;B[aa])(;B[bb])\n"] {
    ///     let begin = parser.offset();
    ///     while parser.feed(&chunk[(parser.offset() - begin) as usize..], &mut visitor)?.is_break() {
    ///         games += 1;
    ///     }
    /// }
    /// assert_eq!(games, 3);
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
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

    /// Ends the input: what is still open is closed, and reported as having been open.
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
    /// Values are borrowed from `bytes`, of which nothing is copied unless they are in a charset that has to be recoded first.
    ///
    /// After a break, do not call it again, which would read `bytes` from their beginning: [`feed`](Self::feed) the rest,
    /// from [`offset`](Self::offset) on, until that returns `Continue`, even if nothing is left, and then
    /// [`finish`](Self::finish).
    ///
    /// # Errors
    ///
    /// Those of the two methods.
    pub fn read_slice<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        match self.feed(bytes, visitor)? {
            ControlFlow::Continue(()) => self.finish(visitor),
            stop @ ControlFlow::Break(_) => Ok(stop),
        }
    }

    /// How far the input was read: the place of the next byte to be fed. (That of a [`Reader`](crate::Reader) is where events
    /// go on, [`delivered`](Self::delivered).)
    pub fn position(&self) -> Position {
        if self.recoding.is_active() { self.recoding.position(&self.engine) } else { self.engine.position() }
    }

    /// The offset of that place. Costs less, as no lines have to be counted.
    pub fn offset(&self) -> u64 {
        if self.recoding.is_active() { self.recoding.offset(&self.engine) } else { self.engine.offset() }
    }

    /// How far events were delivered: the place of the first byte whose event is still to come. That is where the token in
    /// progress begins, a value with its `[`, or where bytes begin that are looked at before they are delivered; or else it is
    /// the place of the next byte. Of a value that is taken in [parts](crate::Deliver::Parts), the parts that came are
    /// delivered. A visitor that copies a source needs no byte before it any more.
    ///
    /// ```
    /// # use sgf_stream::{Parser, Visitor};
    /// # struct Quiet;
    /// # impl Visitor for Quiet {
    /// #     type Break = std::convert::Infallible;
    /// # }
    /// # let mut visitor = Quiet;
    /// let mut parser = Parser::new();
    /// let _ = parser.feed(b"(;AB[aa][b", &mut visitor)?;
    /// assert_eq!((parser.delivered().offset, parser.offset()), (8, 10));
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn delivered(&self) -> Position {
        if self.recoding.is_active() { self.recoding.delivered(&self.engine) } else { self.engine.delivered() }
    }

    /// The number of open trees; 0 between games.
    pub fn depth(&self) -> u64 {
        self.engine.depth()
    }

    /// The number of problems so far that were not reported because of [`Limits::problems`](crate::Limits::problems).
    pub fn suppressed_problems(&self) -> u64 {
        self.engine.suppressed()
    }

    /// How many times bytes became U+FFFD because they are no character, in a source that is recoded before it is read
    /// (UTF-16, UTF-32, ISO-2022 and HZ).
    pub fn replaced_characters(&self) -> u64 {
        self.recoding.replaced()
    }

    /// The offset of the first byte that may belong to a game that has not begun: a `(` that waits for its `;`, bytes
    /// that are looked at before they are delivered, half a character, or else the next byte to come. To keep games as
    /// they stand, keep the bytes from there on, and those of the game in progress. [`delivered`](Self::delivered) says where
    /// its next event begins, which may be earlier.
    pub fn candidate(&self) -> u64 {
        match self.engine.candidate() {
            Some(offset) if self.recoding.is_active() => self.recoding.source_of(offset),
            Some(offset) => offset,
            None => self.unread_offset(),
        }
    }

    /// The offset of the first byte that was fed and not read: one that is looked at before it is delivered, half a
    /// character, or the next byte to come.
    pub(crate) fn unread_offset(&self) -> u64 {
        let offset = self.engine.unread_offset();
        if self.recoding.is_active() { self.recoding.source_of(offset) } else { offset }
    }

    /// Where whatever is in progress began, and where the first byte stands that was not read; both are offsets in the
    /// recoded source.
    pub(crate) fn pending_offsets(&self) -> ([u64; STARTS], u64) {
        (self.engine.token_starts(), self.engine.unread_offset())
    }

    /// Forgets the input and any error. Keeps the configuration and the buffers. Positions count from the start again.
    pub fn reset(&mut self) {
        self.engine.reset();
        self.recoding = Recoding::new(self.config());
    }

    /// Forgets the input and any error, as [`reset`](Self::reset) does. The next input is a later part of a source:
    /// positions count on from `position`, which must be that of a game's first byte.
    ///
    /// From there on, the result is that of reading the whole source, but for what the games before say about charsets
    /// (the problem `charset-changed`, and guesses), and what the beginning of the source says about all of it, such as a
    /// byte order mark: see [`reset_within`](Self::reset_within). [`GameStarts`](crate::GameStarts) finds such places.
    ///
    /// ```
    /// use sgf_stream::{GameStarts, Parser, Visitor};
    ///
    /// # struct Quiet;
    /// # impl Visitor for Quiet {
    /// #     type Break = std::convert::Infallible;
    /// # }
    /// # let mut visitor = Quiet;
    /// let source = b"(;B[pd])\n(;B[qd])";
    /// let second = GameStarts::new(&source[..]).at_or_after(1)?.expect("there are two games");
    /// assert_eq!((second.offset, second.line), (9, 2));
    ///
    /// let mut parser = Parser::new();
    /// parser.reset_at(second);
    /// let _ = parser.read_slice(&source[9..], &mut visitor)?;
    /// assert_eq!((parser.position().offset, parser.position().line), (17, 2));
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn reset_at(&mut self, position: Position) {
        self.reset_within(position, StreamCharset::default());
    }

    /// Forgets the input and any error, as [`reset_at`](Self::reset_at) does for a later part of a source, if it is
    /// known what comes before: a byte order mark, that the source has to be recoded, the charset that the last game
    /// declares, and the charsets in which the last games were read.
    ///
    /// ```
    /// use sgf_stream::{Parser, Position, Visitor};
    ///
    /// # struct Quiet;
    /// # impl Visitor for Quiet {
    /// #     type Break = std::convert::Infallible;
    /// # }
    /// # let mut visitor = Quiet;
    /// let source: Vec<u8> = "\u{FEFF}(;B[pd])\n(;B[qd])".encode_utf16().flat_map(u16::to_be_bytes).collect();
    /// let (first, second) = source.split_at(20);
    ///
    /// let mut parser = Parser::new();
    /// let _ = parser.feed(first, &mut visitor)?;
    /// let (position, stream) = (parser.position(), parser.stream());
    /// let mut other = Parser::new();
    /// other.reset_within(position, stream);
    /// let _ = other.read_slice(second, &mut visitor)?;
    /// assert_eq!((other.position().offset, other.position().line), (36, 2));
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn reset_within(&mut self, position: Position, stream: StreamCharset) {
        self.reset_inside(position, 0, &stream);
    }

    /// As [`reset_within`](Self::reset_within), for an input that begins inside a game, right after a `)` that left `depth` trees
    /// open.
    pub(crate) fn reset_inside(&mut self, position: Position, depth: u64, stream: &StreamCharset) {
        let position = position.clamped();
        self.engine.reset_inside(position, depth, stream.is_marked, stream.labels, &stream.neighbours);
        self.recoding = if position.offset == 0 {
            Recoding::new(self.config())
        } else {
            Recoding::at(position.offset, self.config(), stream.continuation)
        };
    }

    /// What the source so far says about the text to come: its beginning about all of it, and each game about the next
    /// one.
    pub fn stream(&self) -> StreamCharset {
        StreamCharset { labels: self.engine.labels(), neighbours: self.engine.neighbours(), ..self.stream_of_all() }
    }

    /// Only what the source's beginning says about all of it.
    pub(crate) fn stream_of_all(&self) -> StreamCharset {
        let continuation = self.recoding.continuation(&self.engine);
        StreamCharset { is_marked: self.engine.is_marked(), continuation, ..StreamCharset::default() }
    }

    /// Until it is reset, trees that are open at the end of the input are closed without a report: whoever cut the input
    /// has made it.
    #[cfg(feature = "tokio")]
    pub(crate) fn know_end(&mut self) {
        self.engine.know_end();
    }

    /// A parser whose events are slices of what it is fed; a source that has to be recoded is an error.
    pub(crate) fn in_place(config: Config) -> Self {
        let recoding = Recoding::new(&config).in_place();
        Self { recoding, ..Self::with_config(config) }
    }

    /// This parser, which from here on continues after problems, and only searches for places to cut.
    pub(crate) fn cutting(mut self) -> Self {
        self.engine.only_cut();
        self
    }

    /// This parser, which from here on continues after problems.
    pub(crate) fn lenient(mut self) -> Self {
        self.engine.go_on();
        self
    }

    /// The configuration that it was made with.
    pub(crate) fn config(&self) -> &Config {
        self.engine.config()
    }

    /// The parser as it is; a new one with the same configuration takes its place.
    pub(crate) fn take(&mut self) -> Self {
        let new = Self::with_config(self.config().clone());
        std::mem::replace(self, new)
    }

    /// True if, from here on, what is delivered lies in what is fed.
    pub(crate) fn is_plain(&self) -> bool {
        !self.recoding.is_active()
    }

    /// Whether what comes before the game that has just begun might read otherwise without it.
    pub(crate) fn depends_on_game(&self) -> bool {
        self.engine.depends_on_game()
    }

    /// Whether the rest of the game in progress can be read by a parser that knows nothing of its text.
    pub(crate) fn is_past_text(&self) -> bool {
        self.recoding.charset().is_none() && self.engine.is_past_text()
    }

    /// The number of values so far that were skipped one by one, which costs as much as reading them.
    pub(crate) fn passed_values(&self) -> u64 {
        self.engine.passed_values()
    }

    /// Whether no game that begins inside another was found since this offset, as far as was searched.
    pub(crate) fn is_without_place_since(&self, offset: u64) -> bool {
        self.engine.is_without_place_since(offset)
    }

    /// Records that the bytes before `offset` were searched and hold no game inside another.
    pub(crate) fn search_from(&mut self, offset: u64) {
        self.engine.search_from(offset);
    }

    /// From here on, notes what is looked up about the games before.
    pub(crate) fn note_questions(&mut self) {
        self.engine.note_questions();
    }

    /// What was looked up about them since; nothing is noted any more.
    pub(crate) fn take_questions(&mut self) -> Questions {
        self.engine.take_questions()
    }

    /// Takes over what came before the part that was read, which [would not have changed](StreamCharset::may_precede) what
    /// was delivered.
    pub(crate) fn follow(&mut self, before: &StreamCharset) {
        self.engine.follow(before.labels, &before.neighbours);
    }

    /// Whether a game that begins right behind the last byte is one whatever came before it.
    pub(crate) fn is_between_games(&self) -> bool {
        self.engine.is_between_games()
    }

    /// Whether another parser that begins behind the end of a tree here, inside a game, need not know what came before.
    pub(crate) fn may_be_left(&self) -> bool {
        self.is_plain() && self.engine.may_be_left()
    }

    /// Whether the last byte fed ended a tree and left `depth` trees open.
    pub(crate) fn is_behind_tree(&self, depth: u64) -> bool {
        self.engine.is_behind_tree(depth)
    }

    /// Marks the rest of the game, behind a tree inside it, as read by another parser.
    pub(crate) fn leave(&mut self) {
        self.engine.leave();
    }

    /// Another parser reads what comes next, from a place on that [`next_close`](Self::next_close) has found or where this one
    /// [is behind a tree](Self::is_behind_tree).
    pub(crate) fn release<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.engine.release(visitor)
    }

    /// While a tree is skipped: where in `bytes`, which come next, the innermost tree ends, and how many stay open.
    pub(crate) fn next_close(&mut self, bytes: &[u8]) -> Option<(usize, u64)> {
        self.engine.next_close(bytes)
    }
}

/// What a source says about the charset of the text to come, besides what each game declares.
///
/// A game that was skipped by the byte rules was not looked at, and does not count.
///
/// Comes from [`Parser::stream`], and is for reading a later part of the same source alone.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct StreamCharset {
    /// The source begins with the byte order mark of UTF-8, or is recoded to UTF-8.
    is_marked: bool,
    continuation: Continuation,
    labels: Labels,
    neighbours: Neighbours,
}

/// Without what is remembered of the last games, which would fill a page.
impl fmt::Debug for StreamCharset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamCharset").field("charset", &self.charset()).finish_non_exhaustive()
    }
}

impl StreamCharset {
    /// The charset that the beginning of the stream says its text is in, whatever the games declare. That is the
    /// charset it is recoded from; or UTF-8 by its byte order mark, which the bytes of a game may contradict.
    pub fn charset(self) -> Option<Charset> {
        match self.continuation {
            Continuation::Recoded(charset) => Some(charset),
            _ => self.is_marked.then_some(Charset::UTF_8),
        }
    }

    /// Only what the source's beginning says about all of it.
    pub(crate) fn of_all(self) -> Self {
        Self { labels: Labels::default(), neighbours: Neighbours::default(), ..self }
    }

    /// What the stream says at the end of this part, once it is known what came before.
    pub(crate) fn after(self, before: Self) -> Self {
        let labels = self.labels.following(before.labels);
        Self { labels, neighbours: self.neighbours.following(before.neighbours), ..self }
    }

    /// What it says if the last games were read in these charsets, or are assumed to have been.
    pub(crate) fn among(self, games: Self) -> Self {
        Self { neighbours: games.neighbours, ..self }
    }

    /// What it says if the last game declares this label, or is assumed to.
    pub(crate) fn with_label(self, label: Option<Charset>) -> Self {
        Self { labels: Labels::after(label), ..self }
    }

    /// Whether the labels in a part that was read before what comes before it was known read the same after this.
    pub(crate) fn may_come_before_labels(self, part: Self) -> bool {
        part.labels.may_follow(self.labels)
    }

    /// Whether all of that part reads the same after this, which has looked up `questions`.
    pub(crate) fn may_precede(self, part: Self, questions: &Questions) -> bool {
        self.may_come_before_labels(part) && part.neighbours.may_follow(self.neighbours, questions)
    }
}

/// Reads a whole input in memory with [`Parser::new`], which guesses and repairs nothing.
///
/// # Errors
///
/// None today: without [`Config::strict`], reading a slice cannot fail.
pub fn read_slice<V: Visitor>(bytes: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
    Parser::new().read_slice(bytes, visitor)
}
