//! The end of input, bytes that come after it, and the position of a reader before it.

use std::ops::ControlFlow;

use sgf_stream::text::Charset;
use sgf_stream::{
    Config, Deliver, Descend, Error, Parser, Position, Problem, Property, Reader, Tree, TreeEnd, Value, Visitor,
};

use crate::support::Wide;

/// Breaks at every problem.
struct Problems;

impl Visitor for Problems {
    type Break = &'static str;

    fn problem(&mut self, problem: &Problem) -> ControlFlow<&'static str> {
        ControlFlow::Break(problem.name())
    }
}

#[test]
fn bytes_after_the_end_are_refused_even_if_the_end_is_interrupted() {
    for (input, problem) in [(&b"(;A[b"[..], "unexpected-eof"), (b"junk", "junk")] {
        let mut parser = Parser::new();
        assert!(parser.feed(input, &mut Problems).unwrap().is_continue());
        assert_eq!(parser.finish(&mut Problems).unwrap(), ControlFlow::Break(problem));
        assert!(matches!(parser.feed(b"c](;)", &mut Problems), Err(Error::Finished)));
        assert!(parser.feed(b"", &mut Problems).unwrap().is_continue(), "an empty chunk is fine");
        while parser.finish(&mut Problems).unwrap().is_break() {}
        assert!(matches!(parser.feed(b"(;)", &mut Problems), Err(Error::Finished)));
        parser.reset();
        assert!(parser.feed(b"(;)", &mut Problems).unwrap().is_continue());
    }
}

/// Breaks at everything.
struct Everything;

impl Visitor for Everything {
    type Break = ();

    fn enter_tree(&mut self, _: Tree) -> ControlFlow<(), Descend> {
        ControlFlow::Break(())
    }

    fn property(&mut self, _: Property<'_>) -> ControlFlow<(), Deliver> {
        ControlFlow::Break(())
    }

    fn value(&mut self, _: Value<'_>) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn exit_tree(&mut self, _: TreeEnd) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn problem(&mut self, _: &Problem) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// The position of a reader after each event.
fn positions(source: &[u8], len: usize) -> Vec<Position> {
    let config = Config::new().repair_brackets(true).resync(true);
    let mut reader = Reader::with_config(source, config).buffer_len(len);
    let mut positions = Vec::new();
    while reader.read(&mut Everything).unwrap().is_break() {
        positions.push(reader.position());
    }
    positions.push(reader.position());
    positions
}

#[test]
fn a_readers_position_follows_the_events_however_far_it_looked_ahead() {
    let columns = |source: &[u8]| positions(source, 6).iter().map(|it| it.column).collect::<Vec<_>>();
    // A bracket that closes nothing, and a text before its charset label.
    assert_eq!(columns(b"(;C[x]a];B[b])"), [2, 4, 4, 9, 11, 14, 15, 15]);
    assert_eq!(columns(b"(;C[\xB0\xD7]CA[GBK])"), [2, 4, 8, 10, 15, 16, 16]);
    let cut_off = "(;FF[4]GM[1]C[囲 [3\n(;GM[1]FF[4]C[a]b]\r\n;B[囲])";
    let wide = Wide::new(cut_off, Charset::UTF_16LE).source;
    for source in [&b"(;C[x]a];B[b])"[..], b"(;C[\xB0\xD7]CA[GBK])", cut_off.as_bytes(), &wide] {
        let whole = positions(source, source.len());
        for len in 1..source.len() {
            assert_eq!(positions(source, len), whole, "{len} bytes at once of {}", source.escape_ascii());
        }
    }
}
