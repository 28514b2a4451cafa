//! The vocabulary of reading: what a visitor receives, and what it may return.
//!
//! Owns the payloads of the events ([`Tree`], [`Node`], [`Property`], [`Value`], [`Part`], [`TreeEnd`]), the answers
//! ([`Descend`], [`Step`], [`Deliver`]) and [`Event`], the same as one enum for pull style. Slices lie in the caller's
//! chunk; or in a buffer of the parser, where a chunk's edge cut the token or the source is recoded. Refuses to know the engine.

use std::borrow::Cow;
use std::fmt;

use crate::syntax::ident::MAX_RAW_LEN;
use crate::syntax::position::Lines;
use crate::syntax::{Ident, Position, Problem, Span};
use crate::text::{Charset, Writing};

/// A game tree begins, at its `(`, or at its first node where a game has lost that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    pub(crate) position: Position,
    pub(crate) depth: u64,
    pub(crate) first_child: bool,
    pub(crate) implied: bool,
}

impl Tree {
    /// Where its `(` stands, or its first `;` if it is implied.
    #[inline]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Its depth, counting itself: a game's root tree has depth 1.
    #[inline]
    pub const fn depth(&self) -> u64 {
        self.depth
    }

    /// True unless another child tree came right before it: a root tree, and the first variation after a node.
    #[inline]
    pub const fn is_first_child(&self) -> bool {
        self.first_child
    }

    /// True where there is no `(`: a game whose root stood where a game had to start
    /// ([`Config::resync`](crate::Config::resync)).
    #[inline]
    pub const fn is_implied(&self) -> bool {
        self.implied
    }
}

/// A node begins, at its `;`, or at its first property where the `;` is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub(crate) position: Position,
    pub(crate) implied: bool,
    pub(crate) after_variation: bool,
}

impl Node {
    /// Where its `;` stands, or its first property if it is implied.
    #[inline]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// True where there is no `;`: a property stood where a node had to start.
    #[inline]
    pub const fn is_implied(&self) -> bool {
        self.implied
    }

    /// True if a child tree ended right before it, as for C in `A (B) C`. Document order is kept. Programs disagree
    /// about the meaning: C is the first child of A (CWI notes) or the last (SGFC).
    #[inline]
    pub const fn is_after_variation(&self) -> bool {
        self.after_variation
    }
}

/// A property begins. Its values follow, in the way that the visitor's answer asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Property<'a> {
    pub(crate) position: Position,
    pub(crate) raw: &'a [u8],
}

impl<'a> Property<'a> {
    /// Makes a property, for adapters and tests that call a visitor themselves. `None` if `raw` is no
    /// identifier: 1 to 32 ASCII letters and digits, of which at most 16 are [canonical](Ident::from_raw). A position that
    /// no source can have becomes the nearest one that it can.
    ///
    /// ```
    /// use sgf_stream::{Ident, Position, Property};
    ///
    /// let property = Property::new(b"CoPyright", Position::START).expect("a name of the first versions");
    /// assert_eq!(property.ident(), Ident::CP);
    /// assert_eq!(Property::new(b"B ", Position::START), None);
    /// ```
    pub fn new(raw: &'a [u8], position: Position) -> Option<Self> {
        let is_identifier = raw.len() <= MAX_RAW_LEN && Ident::from_raw(raw).is_some();
        is_identifier.then(|| Self { position: position.clamped(), raw })
    }

    /// Where its identifier begins.
    #[inline]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The identifier as it stands in the source, 1 to 32 ASCII letters and digits. These bytes stand at its
    /// [position](Self::position), unless the source has to be recoded, which a property does not know: it is so where
    /// [`Parser::stream`](crate::Parser::stream) tells a [charset](crate::StreamCharset::charset) other than UTF-8.
    #[inline]
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The canonical identifier: `CoPyright` is `CP`.
    #[inline]
    pub fn ident(&self) -> Ident {
        Ident::pack(self.raw).0
    }

    /// The identifier, if it is one letter or digit or two upper-case letters, as nearly all are. The second byte is zero
    /// if there is only one. Made for tables that are looked up at every property.
    #[inline]
    pub const fn letters(&self) -> Option<[u8; 2]> {
        match *self.raw {
            [a] => Some([a, 0]),
            [a @ b'A'..=b'Z', b @ b'A'..=b'Z'] => Some([a, b]),
            _ => None,
        }
    }
}

/// One value of a property, whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'a> {
    pub(crate) position: Position,
    pub(crate) writing: Writing,
    pub(crate) raw: &'a [u8],
}

impl<'a> Value<'a> {
    /// Makes a value from raw bytes that do not come from a reader, such as those of
    /// [`GameRecord::line`](crate::record::GameRecord::line). `raw` is what stands between the
    /// brackets, escapes included. How it is written matters only to text; by default it is UTF-8, escaped by byte. A
    /// position that no source can have becomes the nearest one that it can.
    ///
    /// ```
    /// use sgf_stream::semantics::Point;
    /// use sgf_stream::{Position, Value, Writing};
    ///
    /// let value = Value::new(b"pd", Writing::default(), Position::START);
    /// assert_eq!(value.parse(), Ok(Point { x: 15, y: 3 }));
    /// ```
    pub fn new(raw: &'a [u8], writing: Writing, position: Position) -> Self {
        Self { position: position.clamped(), writing, raw }
    }

    /// Where the byte after its `[` stands. If that begins an escape sequence of ISO-2022 or HZ, it is where the first
    /// character behind the sequence stands.
    #[inline]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The bytes between the brackets as they stand, escapes included; in UTF-8 if the source
    /// [has to be recoded](Writing::is_recoded). Costs nothing.
    #[inline]
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Where its [raw](Self::raw) bytes stand in the source. `None` if the source has to be recoded, where other bytes
    /// stand: from its [position](Self::position) on, up to the
    /// [`source_offset`](crate::text::StreamRecoder::source_offset) of that place's
    /// [`output_offset`](crate::text::StreamRecoder::output_offset) and the length of the raw bytes.
    ///
    /// `None`, too, for a value that [`Upgrade`](crate::semantics::Upgrade) has converted: its position is that of the bytes
    /// in whose place it is.
    ///
    /// ```
    /// use sgf_stream::{Event, Span, events};
    ///
    /// let values = events(b"(;C[a\\]])").filter_map(|event| match event {
    ///     Ok(Event::Value(value)) => value.span(),
    ///     _ => None,
    /// });
    /// assert_eq!(values.last(), Some(Span { start: 4, end: 7 }));
    /// ```
    pub fn span(&self) -> Option<Span> {
        let start = self.position.offset;
        (!self.writing.is_recoded()).then(|| Span { start, end: start + self.raw.len() as u64 })
    }

    /// The charset of its text, as far as it is known at this place. For an ASCII value before any other text it is
    /// UTF-8, whatever the game declares.
    #[inline]
    pub const fn charset(&self) -> Charset {
        self.writing.charset()
    }

    /// The charset of its bytes in the source. It differs only if the source is recoded before it is read, as UTF-16
    /// is.
    #[inline]
    pub const fn source_charset(&self) -> Charset {
        self.writing.source_charset()
    }

    /// How it is written: in which charset, and what a backslash escapes. This is for reading it.
    ///
    /// A value in ASCII tells nothing about the rest of the game, because most charsets write it alike: before any other
    /// text it says UTF-8, in a game of Shift_JIS too. When writing text into a game, use the charset of its CA
    /// ([`Charset::for_label`]), or the writing of a value that is not ASCII.
    #[inline]
    pub const fn writing(&self) -> Writing {
        self.writing
    }

    /// The value by the rules of Text: escapes and soft line breaks are removed, each line break becomes one `\n`, and
    /// other white space becomes one space each. Borrowed if nothing changes. Takes time linear in the length.
    ///
    /// Decoded from its [`charset`](Self::charset); bytes that are no text become U+FFFD.
    pub fn text(&self) -> Cow<'a, str> {
        self.writing.text(self.raw)
    }

    /// The value by the rules of SimpleText: as [`text`](Self::text), but a line break is a space too.
    pub fn simple_text(&self) -> Cow<'a, str> {
        self.writing.simple_text(self.raw)
    }

    /// The value as a type of [`semantics`](crate::semantics), by the letter of the standard:
    /// `value.parse::<Point>()`. The raw bytes stay what they are, and a mistake in them is at [`position`](Self::position).
    ///
    /// # Errors
    ///
    /// What is wrong with the value, as the type says.
    #[inline]
    pub fn parse<T: FromValue<'a>>(&self) -> Result<T, T::Err> {
        T::from_value(*self)
    }

    /// The value as a type of [`semantics`](crate::semantics), as a person would read it: `6,5` is a real, `[ cd]` a
    /// point. What [`parse`](Self::parse) can read gives the same result here.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse), if a person could not read it either.
    #[inline]
    pub fn parse_lenient<T: FromValue<'a>>(&self) -> Result<T, T::Err> {
        T::from_value_lenient(*self)
    }

    /// The two halves of a composed value, split at the first unescaped `:`, or `None` if there is none.
    ///
    /// The reader does not know whether a property composes: `C[a:b]` splits as `AP[a:b]` does.
    ///
    /// The position of the second half counts the bytes of [`raw`](Self::raw). In a stream that is recoded, such as
    /// UTF-16, these are not the bytes of the source.
    pub fn compose(&self) -> Option<(Value<'a>, Value<'a>)> {
        let (left, right) = self.writing.split_compose(self.raw)?;
        let mut position = self.position;
        // The first half may contain line ends.
        let mut lines = Lines::at(position);
        lines.advance(&self.raw[..=left.len()], position.offset);
        position = lines.position(position.offset + left.len() as u64 + 1);
        Some((Value { raw: left, ..*self }, Value { position, raw: right, ..*self }))
    }
}

/// A type that a value can be read as, with [`Value::parse`] and [`Value::parse_lenient`].
///
/// The reader itself never parses values: the same bytes mean a point in one game and a name in another. Which property
/// means what is known to [`semantics`](crate::semantics).
pub trait FromValue<'a>: Sized {
    /// Why a value can't be read as this type.
    type Err;

    /// Reads by the letter of the standard.
    ///
    /// # Errors
    ///
    /// What the value has wrong.
    fn from_value(value: Value<'a>) -> Result<Self, Self::Err>;

    /// Reads what is found in real files. Whatever reads strictly reads here too; by default nothing else does.
    ///
    /// # Errors
    ///
    /// What is wrong with the value, if a person could not read it either.
    #[inline]
    fn from_value_lenient(value: Value<'a>) -> Result<Self, Self::Err> {
        Self::from_value(value)
    }
}

/// A piece of a value that was asked for in parts.
///
/// The pieces of a value join to its raw bytes. The last one is marked, and an empty value is one empty last piece. A
/// piece never ends inside an escape, a line break or a UTF-8 character. If the input ends inside a value, there is no
/// last piece: the problem `unexpected-eof` takes back what was delivered of it. In the same way
/// `unterminated-value` takes back a value that is given up because another tree begins in it. If that problem has no length, it
/// comes before a text that is read, in one piece, as far as it should have gone.
///
/// A piece alone is not always text: in charsets of two bytes it may end inside a character, and what a backslash
/// escapes may show only later. To have the text of the whole value, as [`Value::text`] gives it, join the pieces and
/// decode them once, with the [`writing`](Self::writing) of the last. (Where text is damaged and its charset is guessed,
/// the guess may differ: it is made before the first piece is delivered, from less text.)
///
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow::{self, Continue};
/// use sgf_stream::{Deliver, Parser, Part, Property, Visitor};
///
/// #[derive(Default)]
/// struct Last {
///     joined: Vec<u8>,
///     text: String,
/// }
///
/// impl Visitor for Last {
///     type Break = Infallible;
///
///     fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
///         // The value before may have been given up.
///         self.joined.clear();
///         Continue(Deliver::Parts)
///     }
///
///     fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
///         self.joined.extend_from_slice(part.raw());
///         if part.is_last() {
///             self.text = part.writing().text(&self.joined).into_owned();
///             self.joined.clear();
///         }
///         Continue(())
///     }
/// }
///
/// // 120 KB of GBK, a byte at a time.
/// let game = [&b"(;CA[GBK]C["[..], &b"\xB0\xD7\xD6\xD0\xC5\xCC\xCA\xA4".repeat(15_000), b"])"].concat();
/// let (mut parser, mut last) = (Parser::new(), Last::default());
/// for byte in game.chunks(1) {
///     let _ = parser.feed(byte, &mut last)?;
/// }
/// let _ = parser.finish(&mut last)?;
/// assert!(last.text == "白中盘胜".repeat(15_000));
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part<'a> {
    pub(crate) position: Position,
    pub(crate) writing: Writing,
    pub(crate) raw: &'a [u8],
    pub(crate) last: bool,
}

impl<'a> Part<'a> {
    /// Where its first byte stands.
    #[inline]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The bytes as they stand, escapes included; in UTF-8 if the source [has to be recoded](Writing::is_recoded).
    #[inline]
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// How the value is written, as far as it is known at this piece; the last one knows it for all of the value. A
    /// piece never ends inside a UTF-8 character. Nor does it in charsets of two bytes within the first 64 KiB of a
    /// value, which are not cut within a character, and in sources that are recoded, such as UTF-16. Behind these, only
    /// the [joined](Self) pieces are text.
    #[inline]
    pub const fn writing(&self) -> Writing {
        self.writing
    }

    /// True for the piece that ends the value.
    #[inline]
    pub const fn is_last(&self) -> bool {
        self.last
    }
}

/// A game tree ends, at its `)`, or at the end of what could be read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeEnd {
    pub(crate) position: Position,
    pub(crate) depth: u64,
    /// Bytes of its `)`, if it has one.
    pub(crate) close_len: u8,
}

impl TreeEnd {
    /// Where its `)` stands, or where the input ended.
    #[inline]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The depth of the tree that ends, the same as at its enter.
    #[inline]
    pub const fn depth(&self) -> u64 {
        self.depth
    }

    /// True where no `)` closed it.
    #[inline]
    pub const fn is_implicit(&self) -> bool {
        self.close_len == 0
    }

    /// Bytes of its `)` in the source: 2 in UTF-16, 4 in UTF-32, and 0 where there is none.
    #[inline]
    pub const fn close_len(&self) -> u64 {
        self.close_len as u64
    }
}

/// The answer to a tree. Exhaustive: there is no third choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Descend {
    /// Read what is in it.
    #[default]
    Into,
    /// Skip it; its exit comes next.
    Over,
}

/// The answer to a node. Exhaustive, so that adapters match every answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Step {
    /// Read its properties, and go on.
    #[default]
    Read,
    /// Skip the rest of the tree it stands in, the node itself included; that tree's exit comes next.
    SkipTree,
    /// Skip the rest of the game; the exits of all open trees come next.
    SkipGame,
}

/// The answer to a property: how its values are delivered. Exhaustive, as [`Step`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Deliver {
    /// Each value in one piece, up to [`Limits::value`](crate::Limits::value) bytes.
    #[default]
    Whole,
    /// Each value in one or more [`Part`]s, in constant memory whatever its length.
    ///
    /// While the charset of the game is not known yet, or is one of two bytes, up to 64 KiB are looked at before the first
    /// part comes. Where the end of a value is in question ([`Config::repair_brackets`](crate::Config::repair_brackets),
    /// [`EscapeUnit`](crate::text::EscapeUnit)), it is up to [`Limits::value`](crate::Limits::value).
    Parts,
    /// Not at all.
    Skip,
}

/// What happened, for reading in pull style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A game tree begins.
    Enter(Tree),
    /// A node begins.
    Node(Node),
    /// A property begins.
    Property(Property<'a>),
    /// A value of the property before.
    Value(Value<'a>),
    /// A game tree ends.
    Exit(TreeEnd),
    /// Something was wrong; reading goes on.
    Problem(Problem),
}

impl Event<'_> {
    /// The position of the event's payload.
    pub const fn position(&self) -> Position {
        match self {
            Self::Enter(tree) => tree.position(),
            Self::Node(node) => node.position(),
            Self::Property(property) => property.position(),
            Self::Value(value) => value.position(),
            Self::Exit(end) => end.position(),
            Self::Problem(problem) => problem.position(),
        }
    }
}

/// Shows bytes as a byte-string literal, `b"pd"`, instead of a list of numbers.
pub(super) struct Raw<'a>(pub(super) &'a [u8]);

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

impl fmt::Debug for Property<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, raw } = self;
        f.debug_struct("Property").field("position", position).field("raw", &Raw(raw)).finish()
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, writing, raw } = self;
        f.debug_struct("Value").field("position", position).field("writing", writing).field("raw", &Raw(raw)).finish()
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, writing, raw, last } = self;
        f.debug_struct("Part")
            .field("position", position)
            .field("writing", writing)
            .field("raw", &Raw(raw))
            .field("last", last)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::ops::ControlFlow;

    use super::*;
    use crate::syntax::{Moves, Parser, Visitor};

    #[test]
    fn letters_are_those_of_short_identifiers() {
        for (raw, letters) in [
            ("B", Some(*b"B\0")),
            ("AB", Some(*b"AB")),
            ("1", Some(*b"1\0")),
            ("b", Some(*b"b\0")),
            ("bb", None),
            ("Ab", None),
            ("aB", None),
            ("A1", None),
            ("1A", None),
            ("ABC", None),
            ("GaMe", None),
        ] {
            let property = Property { position: Position::START, raw: raw.as_bytes() };
            assert_eq!(property.letters(), letters, "{raw}");
            assert_eq!(Some(property.ident()), Ident::from_raw(raw.as_bytes()), "{raw}");
        }
    }

    #[test]
    fn raw_bytes_are_shown_as_text() {
        let property = Property { position: Position::START, raw: b"PB" };
        assert_eq!(
            format!("{property:?}"),
            r#"Property { position: Position { offset: 0, line: 1, column: 1 }, raw: b"PB" }"#
        );
        let value = Value { position: Position::START, writing: Writing::default(), raw: b"\"\\]\xB0\n" };
        let shown = format!("{value:?}");
        assert!(shown.ends_with(r#", raw: b"\"\\]\xb0\n" }"#), "{shown}");
    }

    #[test]
    fn moves_count_those_of_white() {
        struct Together(usize);

        impl Visitor for Together {
            type Break = Infallible;

            fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<Infallible, Option<Deliver>> {
                let white = moves.iter().filter(|(_, property, _)| property.ident() == Ident::W).count();
                assert_eq!((moves.white_len(), moves.len()), (white, moves.iter().len()));
                self.0 += moves.len();
                ControlFlow::Continue(Some(Deliver::Whole))
            }
        }

        for colors in 0..1_u32 << 9 {
            let moves = (0..9).map(|i| if colors >> i & 1 == 0 { ";B[pd]" } else { ";W[dd]" });
            let game = format!("(;GM[1]{})", moves.collect::<String>());
            let mut together = Together(0);
            let _ = Parser::new().feed(game.as_bytes(), &mut together).expect("lenient reading goes on");
            assert_eq!(together.0, 9, "not all moves came together");
        }
    }
}
