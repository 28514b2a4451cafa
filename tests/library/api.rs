//! What callers rely on without calling anything: what may be sent to other threads, and shared with them.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::io::{self, Empty};
use std::ops::ControlFlow::{self, Continue};
use std::panic::{AssertUnwindSafe, catch_unwind};

use sgf_stream::record::{Column, Condition, GameFilter, GameRecord, Recorder, Row, Wants};
use sgf_stream::semantics::{Board, GameType, Path, Paths, Upgrade, ValueError};
use sgf_stream::text::StreamRecoder;
use sgf_stream::{
    AccountingParser, Batch, Batcher, Block, Blocks, ByteAccount, Charset, Charsets, Config, Deliver, Error,
    EscapeUnit, Event, Events, Filter, GameRange, GameStarts, Ident, IdentError, Limits, MainLine, MoveEvents, Moves,
    ParallelReader, Parser, Part, Position, Problem, ProblemKind, Property, Reader, Span, StreamCharset, UnknownName,
    Value, Visitor, Writing, events,
};

/// A function, as what makes rows calls; it is `Send` and `Sync`.
type Each = fn(&GameRecord) -> ControlFlow<()>;

struct Quiet;

impl Visitor for Quiet {
    type Break = Infallible;
}

fn lent<T: Send + Sync>() {}

fn owned<T: Send + Sync + 'static>() {}

fn error<T: StdError + Send + Sync + 'static>() {}

macro_rules! all {
    ($is:ident: $($types:ty),+ $(,)?) => { $($is::<$types>();)+ };
}

#[test]
fn readers_and_what_they_deliver_go_to_other_threads() {
    all!(lent: Batch<'_>, Event<'_>, Events<'_>, MoveEvents<'_>, Moves<'_>, Part<'_>, Row<'_>, Value<'_>);
    all!(owned:
        AccountingParser, Batcher, Block, Blocks<Empty>, ByteAccount, Config, GameStarts<Empty>, Limits, MainLine<()>,
        ParallelReader, Parser, Reader<Empty>);
    all!(owned:
        Board, Column, Condition, GameFilter, GameRecord, Path, Paths<()>, Recorder<Each>, Upgrade<()>, Wants);
    all!(owned:
        Charset, Charsets, EscapeUnit, Filter, GameRange, Ident, Position, Problem, ProblemKind, Span, StreamCharset,
        StreamRecoder, Writing);
    all!(error: Error, IdentError, UnknownName, ValueError);
}

#[cfg(feature = "tokio")]
#[test]
fn faces_of_tokio_go_to_other_threads() {
    fn is_send(_: impl Send) {}
    all!(owned: sgf_stream::AsyncReader<tokio::io::Empty>);
    all!(owned: sgf_stream::Frame, sgf_stream::Game, sgf_stream::GameDecoder);
    let mut reader = sgf_stream::AsyncReader::new(tokio::io::empty());
    is_send(async move {
        let _ = reader.read(&mut Quiet).await;
    });
}

#[test]
fn an_error_becomes_one_of_input_and_output() {
    fn read() -> io::Result<()> {
        let strict = Config::new().strict(true);
        let _ = Reader::with_config(&b"(;B[pd]"[..], strict).read(&mut Quiet)?;
        Ok(())
    }
    let error = read().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert!(error.to_string().contains("unclosed-tree"), "{error}");
}

/// More bytes than anyone would read as a list of numbers.
const MANY: usize = 1 << 20;

fn is_short(it: &impl std::fmt::Debug) {
    let shown = format!("{it:?}");
    assert!(shown.len() < 4_000, "{} bytes: {}...", shown.len(), &shown[..200]);
}

#[test]
fn what_holds_much_is_shown_in_short() {
    let games = b"(;B[aa])\n".repeat(MANY / 9);
    let text = [&b"(;C["[..], &b"x".repeat(MANY)].concat();
    // Changes of length, which are mapped, and white space and damage by turns, which an account holds back.
    let wide: Vec<u8> = "(;C[a\u{56E0}"
        .encode_utf16()
        .chain("a\u{56E0}".repeat(MANY / 4).encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    let damaged = [&b"(;"[..], &b"& ".repeat(MANY / 2)].concat();
    for source in [&games[..], &text, &wide, &damaged] {
        let mut recoder = StreamRecoder::new(Charsets::Auto);
        recoder.feed(source, &mut Vec::new());
        is_short(&recoder);
        let mut accounting = AccountingParser::with_config(Config::archives());
        let _ = accounting.feed(source, &mut Quiet).unwrap();
        is_short(&accounting);
        let (mut parser, mut batcher) = (Parser::new(), Batcher::new());
        let _ = parser.feed(source, &mut Quiet).unwrap();
        is_short(&parser);
        is_short(&batcher.feed(source));
        is_short(&batcher);
        let mut events = sgf_stream::events(source);
        assert!(events.next().is_some());
        is_short(&events);
        let (mut blocks, mut block) = (Blocks::new(source), Block::default());
        assert!(blocks.next_into(&mut block).unwrap());
        is_short(&blocks);
        is_short(&block);
        let mut reader = Reader::new(source);
        let _ = reader.read(&mut Quiet).unwrap();
        is_short(&reader);
        is_short(&GameStarts::new(source));
    }
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn what_holds_much_is_shown_in_short_by_tokio() {
    let games = b"(;B[aa])\n".repeat(MANY / 9);
    let mut reader = sgf_stream::AsyncReader::new(&games[..]);
    is_short(&reader);
    let _ = reader.read(&mut Quiet).await.unwrap();
    is_short(&reader);
}

#[test]
fn a_value_may_be_made_of_any_bytes_anywhere() {
    let far = Position { offset: u64::MAX, line: 0, column: u64::MAX };
    for raw in [&b""[..], b"a:b", b"\\", b"]", b"a\n:\\", b"\xFF\\"] {
        for position in [Position::START, far] {
            let value = Value::new(raw, Writing::by_character(Charset::SHIFT_JIS), position);
            assert_eq!(value.raw(), raw);
            let _ = (value.text(), value.simple_text(), value.compose());
        }
    }
    let value = Value::new(b"a\nb:c", Writing::default(), Position::START);
    let (left, right) = value.compose().expect("there is a colon");
    assert_eq!((left.raw(), right.raw()), (&b"a\nb"[..], &b"c"[..]));
    assert_eq!(right.position(), Position { offset: 4, line: 2, column: 3 });
}

#[test]
fn a_property_may_be_made_of_any_identifier() {
    let far = Position { offset: u64::MAX, line: 0, column: u64::MAX };
    let longest = format!("A{}", "a".repeat(31));
    for (raw, ident) in [("B", "B"), ("CoPyright", "CP"), ("abc", "abc"), ("1a2", "12"), (&longest, "A")] {
        for position in [Position::START, far] {
            let property = Property::new(raw.as_bytes(), position).expect(raw);
            assert_eq!((property.raw(), property.ident().to_string()), (raw.as_bytes(), ident.to_owned()));
        }
    }
    for raw in ["", "B ", "B[", "\u{C4}", "ABCDEFGHIJKLMNOPQ", &format!("{longest}a")] {
        assert_eq!(Property::new(raw.as_bytes(), Position::START), None, "{raw}");
    }
}

#[test]
fn a_clone_of_a_batcher_goes_on_by_itself() {
    let mut batcher = Batcher::new().filtered(Filter::new().values_of([Ident::W]));
    assert!(batcher.feed(b"(;B[aa]W[b").all(|it| it.is_ok()));
    let mut other = batcher.clone();
    let value = |it: Result<Event<'_>, Error>| matches!(it, Ok(Event::Value(value)) if value.raw() == b"bb");
    assert!(batcher.feed(b"b])").any(value));
    assert!(!other.feed(b"c])").any(value));
    assert!(other.feed(b"(;W[bb]").any(value));
}

#[test]
fn every_event_has_a_position() {
    let offsets: Vec<_> = events(b"x(;B[aa])").map(|event| event.unwrap().position().offset).collect();
    assert_eq!(offsets, [0, 1, 2, 3, 5, 8]);
}

/// Counts properties, and panics at one of them.
struct Fuse {
    properties: u32,
    at: u32,
}

impl Visitor for Fuse {
    type Break = Infallible;

    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.properties += 1;
        assert!(self.properties != self.at, "this visitor panics");
        Continue(Deliver::Whole)
    }
}

#[test]
fn a_parser_is_as_new_once_it_was_reset_after_a_panic() {
    let source = b"\t(\n;\x0bB \r\n[pd]\x0c\r[dd] ; W\t[dd]\n( ;\nC [x ] )\n)\n";
    for config in [Config::new(), Config::archives()] {
        for (at, len) in [(1, 1), (2, 3), (3, 3), (3, source.len())] {
            let mut parser = Parser::with_config(config.clone());
            let mut fuse = Fuse { properties: 0, at };
            let read = AssertUnwindSafe(|| {
                for chunk in source.chunks(len) {
                    let _ = parser.feed(chunk, &mut fuse);
                }
                let _ = parser.finish(&mut fuse);
            });
            assert!(catch_unwind(read).is_err(), "it did not panic");
            parser.reset();
            let mut fuse = Fuse { properties: 0, at: 0 };
            let Continue(()) = parser.read_slice(source, &mut fuse).unwrap();
            assert_eq!((fuse.properties, parser.offset()), (3, source.len() as u64), "{config:?}, {at}, {len}");
        }
    }
}

#[test]
fn a_game_is_shown_by_its_name() {
    assert_eq!(format!("{:>5}|{}", GameType::Hex, GameType::Unknown), "  Hex|unknown game");
}
