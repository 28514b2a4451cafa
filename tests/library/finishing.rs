//! The end of input, bytes that come after it, and the position of a reader before it.

use std::io::{self, Read};
use std::ops::ControlFlow;

use sgf_stream::text::Charset;
use sgf_stream::{
    Config, Deliver, Descend, Error, Node, Parser, Part, Position, Problem, Property, Reader, Step, Tree, TreeEnd,
    Value, Visitor,
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

#[test]
fn bytes_after_the_end_are_refused_whatever_the_source_is_recoded_from() {
    for input in [&b""[..], b"(", b"\xFF", b"(\0;\0)\0", b"\xFE\xFF\0(\0;\0)"] {
        for more in [&b"x"[..], b"(;B[aa])", b"(\0;\0"] {
            let mut parser = Parser::new();
            assert!(parser.feed(input, &mut Problems).unwrap().is_continue());
            while parser.finish(&mut Problems).unwrap().is_break() {}
            let end = parser.position();
            assert!(matches!(parser.feed(more, &mut Problems), Err(Error::Finished)), "{}", input.escape_ascii());
            assert_eq!(parser.position(), end, "{}", input.escape_ascii());
            assert!(parser.finish(&mut Problems).unwrap().is_continue());
        }
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

/// Reads as a connection does that falls silent after its last byte. Counts how often it was asked.
struct Silent<'a>(&'a [u8], u32);

impl Read for Silent<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        match self.0.read(buffer)? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            len => Ok(len),
        }
    }
}

#[test]
fn an_input_ends_where_its_reader_is_told() {
    let source = b"(;B[aa])junk(;C[x]W[bb](;FF[4]GM[1]B[c";
    let config = Config::new().repair_brackets(true).resync(true);
    for end in 0..=source.len() {
        let source = &source[..end];
        let whole = positions(source, source.len());
        for len in [1, 6, 100] {
            let mut reader = Reader::with_config(Silent(source, 0), config.clone()).buffer_len(len);
            let mut found = Vec::new();
            while let Ok(flow) = reader.read(&mut Everything) {
                assert!(flow.is_break(), "the source does not end");
                found.push(reader.position());
            }
            let asked = reader.get_ref().1;
            while reader.finish(&mut Everything).unwrap().is_break() {
                found.push(reader.position());
            }
            found.push(reader.position());
            assert_eq!(found, whole, "{len} bytes at once of {}", source.escape_ascii());
            assert!(reader.read(&mut Everything).unwrap().is_continue());
            assert_eq!(reader.get_ref().1, asked, "the source was asked after the end");
        }
        // What the buffer holds comes before the end.
        for stop in 1..whole.len() {
            let mut reader = Reader::with_config(source, config.clone());
            let mut found = Vec::new();
            for _ in 0..stop {
                assert!(reader.read(&mut Everything).unwrap().is_break());
                found.push(reader.position());
            }
            while reader.finish(&mut Everything).unwrap().is_break() {
                found.push(reader.position());
            }
            found.push(reader.position());
            assert_eq!(found, whole, "told after {stop} events of {}", source.escape_ascii());
        }
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

/// Checks that no event begins before the place up to which events were delivered.
struct Due {
    delivered: Position,
    deliver: Deliver,
    breaks: bool,
}

impl Due {
    fn event(&self, start: Position, before: u64) -> ControlFlow<()> {
        assert!(start.offset - before >= self.delivered.offset, "{start:?} comes after {:?}", self.delivered);
        // A part may begin within a line end.
        if start.offset == self.delivered.offset && self.deliver == Deliver::Whole {
            assert_eq!(start, self.delivered);
        }
        if self.breaks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Visitor for Due {
    type Break = ();

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<(), Descend> {
        self.event(tree.position(), 0).map_continue(|()| Descend::Into)
    }

    fn node(&mut self, node: Node) -> ControlFlow<(), Step> {
        self.event(node.position(), 0).map_continue(|()| Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<(), Deliver> {
        let deliver = self.deliver;
        self.event(property.position(), 0).map_continue(|()| deliver)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
        self.event(value.position(), 1)
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<()> {
        self.event(part.position(), 0)
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
        self.event(end.position(), 0)
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<()> {
        // Others are about bytes that were delivered, or span a value of which parts were.
        let begins = problem.kind().skips() && self.deliver == Deliver::Whole;
        if begins { self.event(problem.position(), 0) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn no_event_begins_before_what_was_delivered() {
    let cases = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/cases")).unwrap();
    let mut count = 0;
    for path in cases.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|it| it == "sgf")) {
        let input = std::fs::read(&path).unwrap();
        let input = &input[..input.len().min(4_096)];
        for config in [Config::new(), Config::archives()] {
            for (deliver, breaks) in [(Deliver::Whole, false), (Deliver::Whole, true), (Deliver::Parts, false)] {
                for len in [1, 2, 7, 100] {
                    let mut due = Due { delivered: Position::START, deliver, breaks };
                    let mut parser = Parser::with_config(config.clone());
                    let delivered = |parser: &Parser, due: &mut Due| {
                        let delivered = parser.delivered();
                        assert!(delivered.offset >= due.delivered.offset, "{}: {delivered:?}", path.display());
                        assert!(delivered.offset <= parser.offset(), "{}: {delivered:?}", path.display());
                        due.delivered = delivered;
                    };
                    for chunk in input.chunks(len) {
                        let begin = parser.offset();
                        while parser.feed(&chunk[(parser.offset() - begin) as usize..], &mut due).unwrap().is_break() {
                            delivered(&parser, &mut due);
                        }
                        delivered(&parser, &mut due);
                    }
                    while parser.finish(&mut due).unwrap().is_break() {
                        delivered(&parser, &mut due);
                    }
                    delivered(&parser, &mut due);
                    assert_eq!(due.delivered.offset, input.len() as u64, "{}", path.display());
                }
            }
        }
        count += 1;
    }
    assert!(count > 50, "{count} cases");
}

#[test]
fn a_token_in_progress_is_not_delivered() {
    for (input, delivered) in [
        ("(;PB[Kat", 4),
        ("(;AB[aa][bb][c", 12),
        ("(;B[pd];W", 8),
        ("(;B[pd];WhiteMoves ", 8),
        ("(;B[pd];", 8),
        ("(;B[pd])\n (", 10),
        ("(;B[pd])\n junk", 10),
        ("(;B[pd];%%", 8),
        ("(;B[pd]))\n", 10),
    ] {
        for len in [1, input.len()] {
            let mut reader = Reader::with_config(Silent(input.as_bytes(), 0), Config::new()).buffer_len(len);
            while let Ok(flow) = reader.read(&mut Everything) {
                assert!(flow.is_break());
            }
            assert_eq!(reader.position().offset, delivered, "{input}");
        }
    }
}
