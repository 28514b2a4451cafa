//! A streaming, event-based reader for SGF, the format in which Go, Hex, Blokus and other games are written down. It is made
//! for archives that do not fit in memory: bytes go in, cut anywhere, and events come out. No tree is ever built.
//!
//! Where two goals conflict, the one that comes first here wins: safe on hostile input; nothing lost in silence; right on
//! real archives; fast; easy.
//!
//! # The first visitor
//!
//! An SGF file holds games; a game is a tree of nodes; a node holds properties; a property has an identifier and values:
//! `(;PB[Kato Masao];B[pd](;W[dd])(;W[dp]))`. A [`Visitor`] has a method for each of them, which is called as it goes by:
//!
//! ```
//! use std::convert::Infallible;
//! use std::ops::ControlFlow;
//! use sgf_stream::{Deliver, Ident, Property, Value, Visitor};
//!
//! #[derive(Default)]
//! struct Results {
//!     black: u32,
//!     white: u32,
//! }
//!
//! impl Visitor for Results {
//!     type Break = Infallible; // this visitor never stops early
//!
//!     fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
//!         let wanted = property.ident() == Ident::RE;
//!         ControlFlow::Continue(if wanted { Deliver::Whole } else { Deliver::Skip })
//!     }
//!
//!     fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
//!         match value.raw().first() {
//!             Some(b'B') => self.black += 1,
//!             Some(b'W') => self.white += 1,
//!             _ => {}
//!         }
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! let mut results = Results::default();
//! let ControlFlow::Continue(()) = sgf_stream::read_slice(b"(;RE[B+R];B[pd];W[dd])(;RE[W+0.5];B[qd])", &mut results)?;
//! assert_eq!((results.black, results.white), (1, 1));
//! # Ok::<(), sgf_stream::Error>(())
//! ```
//!
//! What a visitor does not want costs little. It returns [`Deliver::Skip`] for a property, [`Descend::Over`] for a tree,
//! [`Step::SkipTree`] or [`Step::SkipGame`] for a node. With [`Deliver::Parts`] it takes a value of any length in constant
//! memory. [`Visitor::moves`] takes moves such as `;B[pd];W[dd]` many at once, where a call for each event would cost more
//! than the work itself. [`Property::letters`] is a key to look up a property in a table. The adapter [`MainLine`] leaves out
//! variations.
//!
//! # Sources
//!
//! | face | for |
//! | --- | --- |
//! | [`read_slice`], [`Parser`] | bytes in memory, and loops of your own |
//! | [`Reader`] | anything that is [`Read`](std::io::Read): files, pipes |
#![cfg_attr(feature = "tokio", doc = "| [`AsyncReader`] | anything that is `AsyncRead`: sockets, tokio files |")]
#![cfg_attr(
    feature = "tokio",
    doc = "| [`GameDecoder`] | `FramedRead`: each game as `Bytes`, to be read on another task |"
)]
//! | [`events`], [`Batcher`] | pull style: an iterator over a slice, or over each chunk of a stream |
//! | [`ParallelReader`] | all cores: runs of whole games, with results in order |
//! | [`Blocks`], [`ranges`] | shares of a source for workers of your own, here or elsewhere |
//!
//! A file, and the same file on all cores:
//!
//! ```
//! use std::fs::File;
//! use std::ops::ControlFlow::Continue;
//! use sgf_stream::{ParallelReader, Reader};
//! # use std::convert::Infallible;
//! # use std::ops::ControlFlow;
//! # use sgf_stream::{Descend, Partial, Tree, Visitor};
//! #
//! # #[derive(Default)]
//! # struct Trees(u64);
//! #
//! # impl Partial for Trees {
//! #     fn rest(&mut self) -> Self {
//! #         Self::default()
//! #     }
//! # }
//! #
//! # impl Visitor for Trees {
//! #     type Break = Infallible;
//! #
//! #     fn enter_tree(&mut self, _: Tree) -> ControlFlow<Infallible, Descend> {
//! #         self.0 += 1;
//! #         Continue(Descend::Into)
//! #     }
//! # }
//!
//! let path = "corpora/pro/1990s.sgf";
//! let mut trees = Trees::default();
//! let Continue(()) = Reader::new(File::open(path)?).read(&mut trees)?;
//!
//! // `Trees` is also `Partial`: a part of a game may go to another visitor than the rest.
//! let mut sum = 0;
//! let Continue(()) = ParallelReader::new().merge(File::open(path)?, Trees::default, |part| {
//!     sum += part.0;
//!     Continue(())
//! })?;
//! assert_eq!(sum, trees.0);
//! # Ok::<(), sgf_stream::Error>(())
//! ```
//!
//! All of them are thin loops around one state machine, and all give the same events, however the input is cut, but for this:
//! [`events`] cannot recode, so UTF-16, UTF-32, ISO-2022 and HZ are an error there; and where charsets are guessed, games that are
//! read apart from the others, as in [`Blocks`], [`ranges`], `GameDecoder` and [`ParallelReader`], or from an offset that
//! [`GameStarts`] has found, cannot lend each other evidence. From a `GameDecoder`, games do not know each other's labels either
//! (`charset-changed`).
//!
//! A visitor may stop a reader and call `read` again, which goes on. Another process goes on from a stored offset with
//! [`GameStarts`] and [`Reader::with_parser`]. If a source has a large buffer of its own, or holds all of its bytes,
//! `read_buffered` of the readers reads them in place, without a copy.
//!
//! # Damage
//!
//! Real archives are full of it. No damage is an error: whatever breaks a rule becomes a [`Problem`], with a name,
//! a number, a position and the bytes it concerns, and reading goes on. A `Problem` is an event like any other; a visitor
//! without a [`Visitor::problem`] of its own reads on and hears nothing of it. With [`Config::strict`] the first problem ends
//! reading with an [`Error`].
//!
//! By default nothing is guessed, so a game that has lost its last `)` goes on to the end of the archive, and the games
//! after it are trees in it. [`Config::archives`] reads as the command `sgf` does: such a game ends where the next one
//! begins, and a bracket that was not escaped is text. Most archives are read better so.
//!
//! ```
//! use sgf_stream::{Event, events};
//!
//! let damaged = b"(;GM[1];B[pd]W;W[dd]) <html> (;PB[Shusaku]";
//! let problems: Vec<String> = events(damaged)
//!     .filter_map(|event| match event {
//!         Ok(Event::Problem(problem)) => Some(problem.to_string()),
//!         _ => None,
//!     })
//!     .collect();
//! assert_eq!(
//!     problems,
//!     [
//!         "1:14: property-without-value: identifier that no value follows (1 byte at byte 13)",
//!         "1:23: junk: bytes between games (7 bytes at byte 22)",
//!         "1:43: unclosed-tree: end of input with open trees (at byte 42)",
//!     ]
//! );
//! ```
//!
//! # Untrusted input
//!
//! No input makes the reader panic, recurse, or take more memory than a few times [`Limits::value`] and a buffer,
//! or a few blocks for each thread. For consumers that collect or keep stacks of their own, [`Limits::untrusted`] also bounds
//! depth, counts and the length of a game.
//!
//! # Text
//!
//! [`Value::raw`] is the bytes as they stand and costs nothing. [`Value::text`], [`Value::simple_text`] and
//! [`Value::compose`] undo escapes, line breaks and composition on demand; see [`text`](mod@text) for the rules. The charset
//! of a game is worked out from what it declares and from its bytes ([`Config::charsets`]). Bytes that are no character in it
//! become U+FFFD.
//!
//! No charset is guessed unless you ask for [`Charsets::Auto`], alone or with [`Config::archives`]. Archives that hold GBK,
//! Shift_JIS or Big5 without saying so need it:
//!
//! ```
//! use sgf_stream::{Charsets, Config, Event, events};
//!
//! // RE[白中盘胜] in GBK: White wins by resignation.
//! let game = b"(;GM[1]SZ[19]RE[\xB0\xD7\xD6\xD0\xC5\xCC\xCA\xA4])";
//! for (charsets, expected) in [(Charsets::Declared, "°×ÖÐÅÌÊ¤"), (Charsets::Auto, "白中盘胜")] {
//!     let config = Config::new().charsets(charsets);
//!     let values = events(game).config(config).filter_map(|event| match event {
//!         Ok(Event::Value(value)) => Some(value.simple_text()),
//!         _ => None,
//!     });
//!     assert_eq!(values.last().as_deref(), Some(expected));
//! }
//! ```
//!
//! # Meaning
//!
//! A value is raw bytes until you parse it: [`Value::parse`] reads it by the letter of the standard,
//! [`Value::parse_lenient`] as a person would. [`semantics`] has the types, the table of all properties, and what points
//! and moves are in Go, Hex, Blokus and other games.
//!
//! ```
//! use sgf_stream::semantics::{Move, Point, Real};
//! use sgf_stream::{Event, Ident, events};
//!
//! let (mut komi, mut moves, mut ident) = (0.0, Vec::new(), None);
//! for event in events(b"(;GM[1]SZ[19]KM[6,5];B[pd];W[dp];B[])") {
//!     match event? {
//!         Event::Property(property) => ident = Some(property.ident()),
//!         Event::Value(value) if ident == Some(Ident::KM) => komi = value.parse_lenient::<Real>()?.0,
//!         Event::Value(value) if matches!(ident, Some(Ident::B | Ident::W)) => moves.push(value.parse::<Move>()?.point()),
//!         _ => {}
//!     }
//! }
//! assert_eq!(komi, 6.5);
//! assert_eq!(moves, [Some(Point { x: 15, y: 3 }), Some(Point { x: 3, y: 15 }), None]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A row per game
//!
//! [`record`] makes one row of each game while it goes by: who played, when, where, how it ended, counts of what is in it, and
//! signatures that tell it from all other games.
//!
//! [`guide`] reads one real game through every layer, and has a page for each subject.
//!
//! # Features
//!
//! `tokio` (default): the asynchronous reader and the codec. `archive`: members of directories, compressed files, tar, zip
//! and 7z archives as readers. `index`: sinks for rows of games. `listen`: a service that takes games from sockets. `cli`:
//! the command `sgf`.

// Says at each item which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "archive")]
pub mod archive;
#[cfg(any(feature = "archive", feature = "index", feature = "listen"))]
#[doc(hidden)]
pub mod files;
pub mod guide;
#[cfg(feature = "index")]
pub mod index;
#[cfg(feature = "listen")]
pub mod listen;
pub mod read;
pub mod record;
pub mod semantics;
#[doc(hidden)]
pub mod stable;
pub mod syntax;
#[cfg(test)]
mod testing;
pub mod text;

#[cfg(feature = "tokio")]
#[doc(inline)]
pub use read::{AsyncReader, Frame, Game, GameDecoder};
#[doc(inline)]
pub use read::{Block, Blocks, GameRange, GameStarts, ParallelReader, Partial, Reader, ranges};
#[doc(inline)]
pub use syntax::{
    AccountingParser, Batch, Batcher, ByteAccount, Charset, Charsets, Config, Deliver, Descend, Error, EscapeUnit,
    Event, Events, Filter, FromValue, Ident, IdentError, Limits, MainLine, MoveEvents, Moves, Node, Parser, Part,
    Position, Problem, ProblemKind, Property, Span, Step, StreamCharset, Tree, TreeEnd, UnknownName, Value, Visitor,
    Writing, events, read_slice,
};

/// Keeps the README's examples compiling.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
