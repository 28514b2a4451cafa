//! The end of an input, what comes after it, and how far an input was read before it.

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
fn bytes_after_the_end_are_refused_also_while_the_end_is_told() {
    for (input, problem) in [(&b"(;A[b"[..], "unexpected-eof"), (b"junk", "junk")] {
        let mut parser = Parser::new();
        assert!(parser.feed(input, &mut Problems).unwrap().is_continue());
        assert_eq!(parser.finish(&mut Problems).unwrap(), ControlFlow::Break(problem));
        assert!(matches!(parser.feed(b"c](;)", &mut Problems), Err(Error::Finished)));
        assert!(parser.feed(b"", &mut Problems).unwrap().is_continue(), "an empty chunk is no news");
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

/// Where a reader stands after each event.
fn stands(source: &[u8], len: usize) -> Vec<Position> {
    let config = Config::new().repair_brackets(true).resync(true);
    let mut reader = Reader::with_config(source, config).buffer_len(len);
    let mut stands = Vec::new();
    while reader.read(&mut Everything).unwrap().is_break() {
        stands.push(reader.position());
    }
    stands.push(reader.position());
    stands
}

#[test]
fn a_reader_stands_where_the_events_are_however_far_it_had_to_look() {
    let columns = |source: &[u8]| stands(source, 6).iter().map(|it| it.column).collect::<Vec<_>>();
    // A bracket that closes nothing, and a text before the label of its charset.
    assert_eq!(columns(b"(;C[x]a];B[b])"), [2, 4, 4, 9, 11, 14, 15, 15]);
    assert_eq!(columns(b"(;C[\xB0\xD7]CA[GBK])"), [2, 4, 8, 10, 15, 16, 16]);
    let cut_off = "(;FF[4]GM[1]C[囲 [3\n(;GM[1]FF[4]C[a]b]\r\n;B[囲])";
    let wide = Wide::new(cut_off, Charset::UTF_16LE).source;
    for source in [&b"(;C[x]a];B[b])"[..], b"(;C[\xB0\xD7]CA[GBK])", cut_off.as_bytes(), &wide] {
        let whole = stands(source, source.len());
        for len in 1..source.len() {
            assert_eq!(stands(source, len), whole, "{len} bytes at once of {}", source.escape_ascii());
        }
    }
}
