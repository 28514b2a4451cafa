//! The pull face: events as an ordinary iterator.
//!
//! Owns [`Events`] (over a slice), [`Batcher`] and [`Batch`] (over the chunks of a stream), and [`Filter`]. The
//! parser calls a visitor that notes where each event lies; the slices are made when the iterator is advanced. Refuses
//! to know sources.

use std::fmt;
use std::ops::ControlFlow;

use crate::syntax::{
    Config, Deliver, Descend, Error, Event, Ident, Node, Parser, Position, Problem, Property, Step, Tree, TreeEnd,
    Value, Visitor,
};
use crate::text::Writing;

/// What a pull reader skips. It is given up front, because an iterator cannot be answered.
///
/// ```
/// use sgf_stream::{Event, Filter, Ident, Parser, events};
///
/// let filter = Filter::new().root_node_only(true).values_of([Ident::PB, Ident::PW]);
/// let games = b"(;FF[4]PB[Shusaku]PW[Gennan];B[qd];W[dc])";
/// let names: Vec<String> = events(games)
///     .filtered(filter)
///     .filter_map(|event| match event {
///         Ok(Event::Value(value)) => Some(value.simple_text().into_owned()),
///         _ => None,
///     })
///     .collect();
/// assert_eq!(names, ["Shusaku", "Gennan"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    values: Option<Vec<Ident>>,
    root_node_only: bool,
    main_line_only: bool,
}

impl Filter {
    /// Nothing is skipped.
    pub const fn new() -> Self {
        Self { values: None, root_node_only: false, main_line_only: false }
    }

    /// Only the values of these properties. The properties themselves are all still events. A further call adds
    /// properties.
    #[must_use]
    pub fn values_of(mut self, idents: impl IntoIterator<Item = Ident>) -> Self {
        let values = self.values.get_or_insert_default();
        values.extend(idents);
        values.sort_unstable();
        self
    }

    /// Only the first node of each game: the header.
    #[must_use]
    pub const fn root_node_only(mut self, only: bool) -> Self {
        self.root_node_only = only;
        self
    }

    /// No variations, as [`MainLine`](crate::MainLine) reads them; each one shows as an enter and an exit. In `A (B) C`
    /// that leaves A and B, while [`GameRecord::line`](crate::record::GameRecord::line) has A and C.
    #[must_use]
    pub const fn main_line_only(mut self, only: bool) -> Self {
        self.main_line_only = only;
        self
    }
}

/// An event, with where its bytes lie.
#[derive(Clone, Copy, Debug)]
enum LoggedEvent {
    Enter(Tree),
    Node(Node),
    Property(Position, TokenBytes),
    Value(Position, Writing, TokenBytes),
    /// This many trees end at one place, this one first: 50 million open trees at the end of input are one entry.
    Exit(TreeEnd, u64),
    Problem(Problem),
}

/// Where the bytes of a token are: in the chunk; or in the spill, to which a token is copied that the chunk's edge cut.
#[derive(Clone, Copy, Debug)]
enum TokenBytes {
    Chunk { start: usize, len: usize },
    Spill { start: usize, len: usize },
}

/// The visitor that records events. Its methods are forced inline: an event passed through memory is written in small
/// pieces and read back in large ones, which stalls the processor.
#[derive(Clone, Default)]
struct EventLog {
    filter: Filter,
    /// The root node of the game has passed.
    in_game: bool,
    /// Tokens lie in the chunk itself, and not in its recoded form.
    in_place: bool,
    /// Offset of the chunk's first byte.
    base: u64,
    events: Vec<LoggedEvent>,
    spill: Vec<u8>,
}

/// The events are counted, since a chunk may have a million.
impl fmt::Debug for EventLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { filter, base, events, .. } = self;
        f.debug_struct("EventLog")
            .field("filter", filter)
            .field("base", base)
            .field("events", &events.len())
            .finish_non_exhaustive()
    }
}

impl EventLog {
    #[inline]
    fn locate(&mut self, offset: u64, raw: &[u8]) -> TokenBytes {
        let len = raw.len();
        if self.in_place
            && let Some(start) = offset.checked_sub(self.base)
        {
            return TokenBytes::Chunk { start: start as usize, len };
        }
        let start = self.spill.len();
        self.spill.extend_from_slice(raw);
        TokenBytes::Spill { start, len }
    }
}

impl Visitor for EventLog {
    type Break = std::convert::Infallible;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Self::Break, Descend> {
        self.events.push(LoggedEvent::Enter(tree));
        if tree.depth() == 1 {
            self.in_game = false;
        }
        let over = self.filter.main_line_only && !tree.is_first_child();
        ControlFlow::Continue(if over { Descend::Over } else { Descend::Into })
    }

    #[inline(always)]
    fn node(&mut self, node: Node) -> ControlFlow<Self::Break, Step> {
        if self.filter.root_node_only && self.in_game {
            return ControlFlow::Continue(Step::SkipGame);
        }
        if self.filter.main_line_only && node.is_after_variation() {
            return ControlFlow::Continue(Step::SkipTree);
        }
        self.in_game = true;
        self.events.push(LoggedEvent::Node(node));
        ControlFlow::Continue(Step::Read)
    }

    #[inline(always)]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
        let place = self.locate(property.position().offset, property.raw());
        self.events.push(LoggedEvent::Property(property.position(), place));
        let wanted = match &self.filter.values {
            Some(idents) => idents.binary_search(&property.ident()).is_ok(),
            None => true,
        };
        ControlFlow::Continue(if wanted { Deliver::Whole } else { Deliver::Skip })
    }

    #[inline(always)]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<Self::Break> {
        let place = self.locate(value.position().offset, value.raw());
        self.events.push(LoggedEvent::Value(value.position(), value.writing(), place));
        ControlFlow::Continue(())
    }

    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Self::Break> {
        match self.events.last_mut() {
            Some(LoggedEvent::Exit(first, count)) if end.is_implicit() && first.is_implicit() => *count += 1,
            _ => self.events.push(LoggedEvent::Exit(end, 1)),
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn problem(&mut self, problem: &Problem) -> ControlFlow<Self::Break> {
        self.events.push(LoggedEvent::Problem(*problem));
        ControlFlow::Continue(())
    }
}

/// How far a list of events has been delivered.
#[derive(Debug, Default)]
struct Replay {
    next: usize,
    /// How many exits of the next record were delivered already.
    exits: u64,
}

impl Replay {
    /// Inlined, so that the event is made where it is used: moving it once costs more than making it.
    #[inline(always)]
    fn next<'a>(&mut self, events: &[LoggedEvent], chunk: &'a [u8], spill: &'a [u8]) -> Option<Event<'a>> {
        let bytes = |place| match place {
            TokenBytes::Chunk { start, len } => &chunk[start..start + len],
            TokenBytes::Spill { start, len } => &spill[start..start + len],
        };
        let event = match *events.get(self.next)? {
            LoggedEvent::Exit(mut end, count) => {
                end.depth -= self.exits;
                self.exits += 1;
                if self.exits < count {
                    return Some(Event::Exit(end));
                }
                self.exits = 0;
                Event::Exit(end)
            }
            LoggedEvent::Enter(tree) => Event::Enter(tree),
            LoggedEvent::Node(node) => Event::Node(node),
            LoggedEvent::Property(position, place) => Event::Property(Property { position, raw: bytes(place) }),
            LoggedEvent::Value(position, writing, place) => {
                Event::Value(Value { position, writing, raw: bytes(place) })
            }
            LoggedEvent::Problem(problem) => Event::Problem(problem),
        };
        self.next += 1;
        Some(event)
    }
}

/// The events of a whole input in memory.
///
/// See [`Events`]. A configuration and a [`Filter`] can be set before the first event is taken.
///
/// [`Value::span`] says where a value stands. To write a source with other values, copy what lies between them:
///
/// ```
/// use sgf_stream::{Event, Ident, events};
///
/// let source = b"(;PB[Yasuda]PW[Gennan];B[qd])";
/// let (mut written, mut copied, mut ident) = (Vec::new(), 0, None);
/// for event in events(source) {
///     match event? {
///         Event::Property(property) => ident = Some(property.ident()),
///         Event::Value(value) if ident == Some(Ident::PB) => {
///             let span = value.span().expect("the source is not recoded");
///             written.extend_from_slice(&source[copied..span.start as usize]);
///             written.extend_from_slice(b"Shusaku");
///             copied = span.end as usize;
///         }
///         _ => {}
///     }
/// }
/// written.extend_from_slice(&source[copied..]);
/// assert_eq!(written, b"(;PB[Shusaku]PW[Gennan];B[qd])");
/// # Ok::<(), sgf_stream::Error>(())
/// ```
pub fn events(bytes: &[u8]) -> Events<'_> {
    Events {
        bytes,
        fed: 0,
        ended: false,
        parser: Parser::in_place(Config::new()),
        log: EventLog { in_place: true, ..EventLog::default() },
        replay: Replay::default(),
        error: None,
    }
}

/// An iterator over the events of a slice, made by [`events`].
///
/// Values are borrowed from the slice. A slice that has to be recoded before it is read (UTF-16, UTF-32, ISO-2022, HZ)
/// therefore ends with [`Error::Recoded`] at the place that shows it. For such input use a [`Batcher`] or any other
/// reader, which recode by themselves, or pass what [`recode_stream`](crate::text::recode_stream) makes of it.
///
/// The slice is read ahead by 8 KiB, whose events take 512 KiB at most. Memory is bounded by these and by
/// [`Limits::value`](crate::Limits::value).
/// Values are delivered whole, up to that limit. The iterator ends after an error; all errors but [`Error::Recoded`]
/// come only with [`Config::strict`].
#[must_use = "its events come once"]
pub struct Events<'a> {
    bytes: &'a [u8],
    fed: usize,
    ended: bool,
    parser: Parser,
    log: EventLog,
    replay: Replay,
    error: Option<Error>,
}

/// The bytes are counted, and not listed.
impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, fed, ended, parser, log, replay, error } = self;
        f.debug_struct("Events")
            .field("len", &bytes.len())
            .field("fed", fed)
            .field("ended", ended)
            .field("parser", parser)
            .field("log", log)
            .field("replay", replay)
            .field("error", error)
            .finish()
    }
}

impl Events<'_> {
    /// How many bytes are read ahead.
    const WINDOW: usize = 8 << 10;

    /// Reads with this configuration, from the beginning of the slice.
    pub fn config(self, config: Config) -> Self {
        let log = EventLog { filter: self.log.filter, in_place: true, ..EventLog::default() };
        Self { parser: Parser::in_place(config), log, ..events(self.bytes) }
    }

    /// Skips what the filter says.
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.log.filter = filter;
        self
    }

    /// The parser, which knows more about what was read, such as how many problems were
    /// [not reported](Parser::suppressed_problems). It is a few KiB ahead of the events.
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    #[cold]
    fn read_ahead(&mut self) {
        self.log.events.clear();
        self.replay = Replay::default();
        let window = &self.bytes[self.fed..self.bytes.len().min(self.fed + Self::WINDOW)];
        self.fed += window.len();
        let outcome = if window.is_empty() {
            self.ended = true;
            self.parser.finish(&mut self.log)
        } else {
            self.parser.feed(window, &mut self.log)
        };
        if let Err(error) = outcome {
            self.ended = true;
            self.error = Some(error);
        }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Event<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.replay.next(&self.log.events, self.bytes, &[]) {
                return Some(Ok(event));
            }
            if self.ended {
                return self.error.take().map(Err);
            }
            self.read_ahead();
        }
    }
}

impl std::iter::FusedIterator for Events<'_> {}

/// Reads a stream in pull style: each chunk becomes a [`Batch`] of events.
///
/// ```
/// use sgf_stream::{Batcher, Event};
///
/// let mut batcher = Batcher::new();
/// let mut nodes = 0;
/// for chunk in [&b"(;B[p"[..], b"d];W[d", b"d])"] {
///     for event in batcher.feed(chunk) {
///         nodes += u32::from(matches!(event?, Event::Node(_)));
///     }
/// }
/// for event in batcher.finish() {
///     event?;
/// }
/// assert_eq!(nodes, 2);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Batcher {
    parser: Parser,
    log: EventLog,
}

impl Batcher {
    /// A batcher that skips nothing, and guesses and repairs nothing. Most archives are read better with
    /// [`Config::archives`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A batcher with this configuration.
    pub fn with_config(config: Config) -> Self {
        Self { parser: Parser::with_config(config), log: EventLog::default() }
    }

    /// Skips what the filter says.
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.log.filter = filter;
        self
    }

    /// Reads the next chunk, all of it. Dropping the batch early loses the events that were not taken, and nothing
    /// else.
    ///
    /// Memory is proportional to the number of events in the chunk, some 65 to 115 bytes each.
    pub fn feed<'a>(&'a mut self, chunk: &'a [u8]) -> Batch<'a> {
        self.begin();
        let error = self.parser.feed(chunk, &mut self.log).err();
        Batch { log: &self.log, chunk, replay: Replay::default(), error }
    }

    /// Says that the input has ended.
    pub fn finish(&mut self) -> Batch<'_> {
        self.begin();
        let error = self.parser.finish(&mut self.log).err();
        Batch { log: &self.log, chunk: &[], replay: Replay::default(), error }
    }

    fn begin(&mut self) {
        self.log.base = self.parser.offset();
        self.log.in_place = self.parser.is_plain();
        self.log.events.clear();
        self.log.spill.clear();
    }

    /// How far the input was read: to the end of the last chunk.
    pub fn position(&self) -> Position {
        self.parser.position()
    }

    /// The parser, which knows more about what was read, such as how many problems were
    /// [not reported](Parser::suppressed_problems).
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Forgets the input, keeps the configuration, the filter and the buffers.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.log.in_game = false;
    }
}

/// The events that one chunk decides, in order. An error is the last item: that of [`Config::strict`], or
/// [`Error::Finished`] if the input had ended.
///
/// It borrows the batcher and the chunk, and may be held across an await.
#[must_use = "iterators are lazy"]
pub struct Batch<'a> {
    log: &'a EventLog,
    chunk: &'a [u8],
    replay: Replay,
    error: Option<Error>,
}

/// The bytes are counted, and not listed.
impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { log, chunk, replay, error } = self;
        f.debug_struct("Batch")
            .field("log", log)
            .field("len", &chunk.len())
            .field("replay", replay)
            .field("error", error)
            .finish()
    }
}

impl<'a> Iterator for Batch<'a> {
    type Item = Result<Event<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.replay.next(&self.log.events, self.chunk, &self.log.spill) {
            Some(event) => Some(Ok(event)),
            None => self.error.take().map(Err),
        }
    }
}

impl std::iter::FusedIterator for Batch<'_> {}
