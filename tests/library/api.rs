//! What callers rely on without calling anything: what may be sent to other threads, and shared with them.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::io::{self, Empty};
use std::ops::ControlFlow;

use sgf_stream::record::{Column, Condition, GameFilter, GameRecord, Recorder, Row, Wants};
use sgf_stream::semantics::{Board, Path, Paths, Upgrade, ValueError};
use sgf_stream::{
    AccountingParser, Batch, Batcher, Block, Blocks, ByteAccount, Charset, Charsets, Config, Error, EscapeUnit, Event,
    Events, Filter, GameRange, GameStarts, Ident, IdentError, Limits, MainLine, MoveEvents, Moves, ParallelReader,
    Parser, Part, Position, Problem, ProblemKind, Reader, Span, StreamCharset, UnknownName, Value, Visitor, Writing,
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
        Writing);
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
