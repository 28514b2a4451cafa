//! Streams that are recoded before they are read: the source offsets of events and problems, the position after a break, and
//! reading parts of such a source alone.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::text::{Charset, Writing};
use sgf_stream::{
    Block, Blocks, Charsets, Config, Deliver, Descend, GameRange, GameStarts, Node, Parser, Part, Position, Problem,
    Property, Reader, Span, Step, StreamCharset, Tree, TreeEnd, Value, Visitor, ranges,
};

use crate::support::texts::{auto, check, declared, read};
use crate::support::{self, Wide};

/// The events as lines, with their positions.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lines(Vec<String>);

impl Lines {
    fn keep<T>(&mut self, line: String, answer: T) -> ControlFlow<Infallible, T> {
        self.0.push(line);
        ControlFlow::Continue(answer)
    }
}

impl Visitor for Lines {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.keep(format!("( {}", tree.position()), Descend::Into)
    }

    fn node(&mut self, node: Node) -> ControlFlow<Infallible, Step> {
        self.keep(format!("; {}", node.position()), Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.keep(format!("{} {}", property.ident(), property.position()), Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.keep(format!("[{}] {}", value.text(), value.position()), ())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        self.keep(format!(") {}", end.position()), ())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        let (start, end) = (problem.span().start, problem.span().end);
        self.keep(format!("!{} {start}..{end}", problem.name()), ())
    }
}

fn lines(source: &[u8]) -> Vec<String> {
    let mut lines = Lines::default();
    let _ = sgf_stream::read_slice(source, &mut lines).unwrap();
    lines.0
}

#[test]
fn a_problem_ends_before_the_escape_sequence_that_follows() {
    let source = b"(;C[\x1B$B0x\x1B(B]&&\x1B$B0x\x1B(B))\x1B$B0x\x1B(B(;";
    let problems: Vec<_> = lines(source).into_iter().filter(|line| line.starts_with('!')).collect();
    assert_eq!(problems, ["!illegal-bytes 13..20", "!unmatched-close 24..25", "!junk 28..30", "!unclosed-tree 35..35"]);
    for text in ["(;)x囲(;))囲)", "(;)) 囲囲x( \n;)", "(;B囲;囲%囲abc囲)", "(;[囲][囲]因ABCDEFGHIJKLMNOPQ[囲]囲[因])"]
    {
        support::check_recoded(text);
    }
}

/// Breaks at the end of the first tree.
struct UpToEnd;

impl Visitor for UpToEnd {
    type Break = ();

    fn exit_tree(&mut self, _: TreeEnd) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn after_a_break_the_next_game_is_the_candidate() {
    let text = "(;B[aa])\n(;W[bb])";
    for charset in [Charset::UTF_8, Charset::UTF_16LE, Charset::UTF_32BE] {
        let source = if charset == Charset::UTF_8 { text.into() } else { Wide::new(text, charset).source };
        let mut parser = Parser::new();
        assert!(parser.feed(&source, &mut UpToEnd).unwrap().is_break());
        assert_eq!(parser.candidate(), (source.len() / text.len() * 8) as u64, "{charset}");
    }
}

#[test]
fn after_a_break_the_position_is_that_of_the_bytes_taken() {
    let source = Wide::new("(;B[aa])\r\n\n囲(", Charset::UTF_16BE).source;
    let mut parser = Parser::new();
    assert!(parser.feed(&source[..25], &mut UpToEnd).unwrap().is_break());
    // Half of the last character has been taken.
    assert_eq!(parser.position(), Position { offset: 25, line: 3, column: 4 });
}

/// Games of which the first shows no charset.
const GAMES: &str = "(;B[aa];W[bb])\n(;PB[本因坊\\]])(;C[囲\n碁])\r\n junk (;C[x]) (;PW[棋]";

fn sources() -> impl Iterator<Item = Vec<u8>> {
    let wide = [Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE, Charset::ISO_2022_JP];
    let wide = wide.into_iter().flat_map(|charset| {
        let marked = (charset != Charset::ISO_2022_JP).then(|| format!("\u{FEFF}{GAMES}"));
        // White space alone is too short to show what the stream is.
        marked.into_iter().chain([GAMES.into(), format!(" {GAMES}")]).map(move |text| Wide::new(&text, charset).source)
    });
    // The first game lacks the label or the designation that the others depend on.
    let others = [
        &b"(;B[aa])(;CA[HZ])(;B[bb])(;PB[~{VP~}])(;PB[~{VP~}])"[..],
        b"(;B[aa])(;C[\x1B$)C])(;B[bb])(;PB[\x0E0!\x0F])(;PB[\x0E0!\x0F])",
    ];
    wide.chain(others.map(<[u8]>::to_vec))
}

#[test]
fn parts_of_a_recoded_source_read_alone() {
    for source in sources() {
        let whole = lines(&source);
        let read = |start: Position, stream: StreamCharset, end: u64, lines: &mut Lines| {
            let mut parser = Parser::new();
            parser.reset_within(start, stream);
            let _ = parser.read_slice(&source[start.offset as usize..end as usize], lines).unwrap();
        };
        for parts in (1..8).chain([source.len() as u64]) {
            let mut lines = Lines::default();
            for range in ranges(&source[..], Config::new(), source.len() as u64, parts).unwrap() {
                read(range.start, range.stream, range.start.offset + range.len, &mut lines);
            }
            assert_eq!(lines.0, whole, "{parts} ranges of {}", source.escape_ascii());
        }

        let mut lines = Lines::default();
        for GameRange { start, len, stream, .. } in ranges(&source[..], Config::new(), source.len() as u64, 3).unwrap()
        {
            let mut parser = Parser::new();
            parser.reset_within(start, stream);
            let part = &source[start.offset as usize..][..len as usize];
            let mut reader = Reader::with_parser(part, parser).buffer_len(7);
            let _ = reader.read(&mut lines).unwrap();
            assert_eq!(reader.position().offset, start.offset + len);
        }
        assert_eq!(lines.0, whole, "ranges by readers of {}", source.escape_ascii());

        let mut lines = Lines::default();
        let mut starts = GameStarts::new(&source[..]);
        let (mut start, mut stream) = (Position::START, starts.stream());
        while let Some(next) = starts.nth(u64::from(start == Position::START)).unwrap() {
            read(start, stream, next.offset, &mut lines);
            (start, stream) = (next, starts.stream());
        }
        read(start, stream, source.len() as u64, &mut lines);
        assert_eq!(lines.0, whole, "game by game of {}", source.escape_ascii());

        for len in [1, 20, 50, 1000] {
            let mut lines = Lines::default();
            let (mut parser, mut block) = (Parser::new(), Block::default());
            let mut blocks = Blocks::new(&source[..]).block_len(len);
            while blocks.next_into(&mut block).unwrap() {
                let _ = block.read(&mut parser, &mut lines).unwrap();
            }
            assert_eq!(lines.0, whole, "blocks of {len} bytes of {}", source.escape_ascii());
        }
    }
}

#[test]
fn escape_sequences_are_searched_for_at_the_start_of_the_source_only() {
    let game = |len| format!("(;C[{}])", "x".repeat(len));
    let source = format!("{}{}(;PB[\x1B$B0x\x1B(B])", game(50_000), game(30_000)).into_bytes();
    let mut lines = Lines::default();
    let mut parser = Parser::new();
    for range in ranges(&source[..], Config::new(), source.len() as u64, 2).unwrap() {
        parser.reset_within(range.start, range.stream);
        let bytes = &source[range.start.offset as usize..][..range.len as usize];
        let _ = parser.read_slice(bytes, &mut lines).unwrap();
    }
    assert_eq!(lines.0, self::lines(&source));
}

/// How the source has the values, which are asked for like this.
struct Sources(Deliver, Vec<Option<Charset>>);

impl Sources {
    fn keep(&mut self, writing: Writing) {
        self.1.push(writing.is_recoded().then(|| writing.source_charset()));
    }
}

impl Visitor for Sources {
    type Break = Infallible;

    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        ControlFlow::Continue(self.0)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.keep(value.writing());
        ControlFlow::Continue(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        if part.is_last() {
            self.keep(part.writing());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_value_says_whether_its_bytes_are_those_of_the_source() {
    let (japanese, utf_8) = (Some(Charset::ISO_2022_JP), Some(Charset::UTF_8));
    for (source, expected) in [
        (&b"(;C[a]N[\x1B$B0x\x1B(B]C[a])"[..], vec![None, japanese, japanese]),
        // By its label, its text was not made from what the marks show.
        (b"(;CA[GB2312]C[\x1B$B0x\x1B(B])", vec![None, utf_8]),
        // No mark, however long it takes to see that.
        (b"(;C[\x1B$]N[\x1B])", vec![None, None]),
        (b"(\0;\0C\0[\0a\0]\0)\0", vec![Some(Charset::UTF_16LE)]),
    ] {
        for (deliver, len) in
            [Deliver::Whole, Deliver::Parts].into_iter().flat_map(|how| (1..9).map(move |len| (how, len)))
        {
            let mut parser = Parser::with_config(Config::new().charsets(sgf_stream::Charsets::Declared));
            let mut sources = Sources(deliver, Vec::new());
            for chunk in source.chunks(len) {
                let _ = parser.feed(chunk, &mut sources).unwrap();
            }
            let _ = parser.finish(&mut sources).unwrap();
            assert_eq!(sources.1, expected, "{} in chunks of {len}", source.escape_ascii());
        }
    }
}

/// The source, and for each value and its halves whether its bytes stand where it says; `None` if it does not say.
struct Spans<'s>(&'s [u8], Vec<Option<bool>>);

impl Visitor for Spans<'_> {
    type Break = Infallible;

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let halves = value.compose().into_iter().flat_map(|(left, right)| [left, right]);
        for it in std::iter::once(value).chain(halves) {
            let stands = |span: Span| self.0[span.start as usize..span.end as usize] == *it.raw();
            self.1.push(it.span().map(stands));
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_values_span_holds_its_bytes_or_there_is_none() {
    for (source, expected) in [
        (&b"(;C[]N[a\\]\n]AP[a:b\n];B[aa];W[bb])"[..], vec![Some(true); 7]),
        (b"(;CA[GBK]C[\x82\\]]GN[a [b] \xD6\xD0];B[aa])", vec![Some(true); 4]),
        // Recoded from the first escape sequence on.
        (b"(;C[a]N[\x1B$B0x\x1B(B]C[a:b])", [vec![Some(true)], vec![None; 4]].concat()),
        (b"(;C[\x1B$]N[\x1B])", vec![Some(true); 2]),
        (b"(\0;\0C\0[\0a\0]\0)\0", vec![None]),
    ] {
        for len in 1..source.len() {
            let (mut parser, mut spans) = (Parser::with_config(Config::archives()), Spans(source, Vec::new()));
            for chunk in source.chunks(len) {
                let _ = parser.feed(chunk, &mut spans).unwrap();
            }
            let _ = parser.finish(&mut spans).unwrap();
            assert_eq!(spans.1, expected, "{} in chunks of {len}", source.escape_ascii());
        }
    }
}

#[test]
fn hz_is_recoded() {
    let game = b"(;CA[HZ-GB-2312]PB[~{VP~}]C[~~ ~{;]9z~}];B[pd])";
    check(&declared(), game, &["CA=HZ-GB-2312", "PB=\u{4E2D} UTF-8", "C=~ \u{60E0}\u{56FD} UTF-8", "B=pd"]);
}

#[test]
fn utf_16_is_recoded_and_positions_are_those_of_the_source() {
    let game = "(;PB[柯洁]C[a]\n;B[pd])\n(;C[\u{1F600}])";
    let expected =
        ["( 1:1", "; 1:3", "PB=柯洁 UTF-8 1:11", "C=a 1:21", "; 2:1", "B=pd 2:7", ") 2:13", "( 3:1", "; 3:3"];
    for charset in [Charset::UTF_16LE, Charset::UTF_16BE] {
        for mark in ["\u{FEFF}", ""] {
            let shift = if mark.is_empty() { 0 } else { 2 };
            let recorded = read(&declared(), &Wide::new(&format!("{mark}{game}"), charset).source);
            let first = recorded[0].clone();
            assert_eq!(first, format!("( 1:{}", 1 + shift), "{recorded:?}");
            if shift == 0 {
                assert_eq!(recorded[..expected.len()], expected, "{recorded:?}");
            }
            assert!(recorded.iter().any(|line| line.starts_with("C=\u{1F600} UTF-8")), "{recorded:?}");
        }
    }
}

/// They are borrowed from the source, so reading ends where it would have to be recoded.
#[test]
fn events_of_a_slice_end_where_it_would_be_recoded() {
    for source in [&b"\xFF\xFE(\0"[..], b"(;C[\x1B$B;3\x1B(B])", b"(\0;\0", b"\xFF\xFE"] {
        let mut events = sgf_stream::events(source);
        let error = events.find_map(Result::err);
        assert!(matches!(error, Some(sgf_stream::Error::Recoded(_))), "{source:?}");
        assert_eq!(events.parser().position().offset, events.parser().offset(), "{source:?}");
    }
}

#[test]
fn replaced_characters_are_counted() {
    struct Quiet;
    impl Visitor for Quiet {
        type Break = Infallible;
    }
    for (units, expected) in [(&[0x56E0][..], 0), (&[0xD800], 1), (&[0xDC00, 0x61, 0xD800], 2)] {
        let units = "\u{FEFF}(;C[".encode_utf16().chain(units.iter().copied()).chain("])".encode_utf16());
        let source: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
        for len in [1, 2, source.len()] {
            let mut parser = Parser::new();
            for chunk in source.chunks(len) {
                let _ = parser.feed(chunk, &mut Quiet).unwrap();
            }
            let _ = parser.finish(&mut Quiet).unwrap();
            assert_eq!(parser.replaced_characters(), expected, "in chunks of {len}");
        }
    }
}

#[test]
fn utf_32_and_iso_2022_jp_are_recoded() {
    let wide = Wide::new("\u{FEFF}(;PB[柯洁];B[pd])", Charset::UTF_32BE).source;
    check(&declared(), &wide, &["PB=柯洁 UTF-8", "B=pd"]);
    // U+672C U+56E0 U+574A. In seven bits the latter two contain the bytes of `\` and `]`.
    check(&declared(), b"(;CA[ISO-2022-JP]PB[\x1B$BK\\0x\x1B(B];B[pd])", &["CA=ISO-2022-JP", "PB=本因 UTF-8", "B=pd"]);
    // With raw charsets nothing is recoded.
    let raw = Config::new().charsets(Charsets::Raw);
    assert!(read(&raw, &wide).iter().all(|line| line.starts_with("!junk")));
}

#[test]
fn every_face_reads_a_recoded_stream_as_its_text() {
    for text in [
        "(;GM[1])",
        "(;PB[本因坊秀策]C[\\]囲碁:a\\\n\r\nb\r]\r\n;B[pd]W[dd]\n(;C[棋])(;B[aa]))\n\n (;C[x])",
        "(;C[\u{1F600}\u{E9}]\r;W[]AB[aa][bb])junk(;\u{1F600})",
        "(;B[aa](;W[bb](;B[cc",
        "(;C[本",
        "(;GM[1]C[a\\",
        ") (;B[aa])) 囲 ( ;XX[囲碁]%囲%;B W[x])",
        "(;GM[1]PB[a])\r\n(;GM[1]PB[囲])\r(;GM[1]PB[b]",
    ] {
        support::check_recoded(text);
        if !text.starts_with(')') {
            support::check_recoded(&format!("\u{FEFF}{text}"));
        }
    }
    let bad = support::BAD;
    support::check_recoded(&format!("(;C[a{bad}本]\n;PB[{bad}];B[aa])\n(;C[x{bad}])"));
    // Longer than a step of recoding and than the buffers.
    let long = format!("(;C[{}]\n{})\n", "本因坊秀策\n".repeat(300), ";B[pd]W[dd]".repeat(40));
    support::check_recoded(&long.repeat(3));
}

#[test]
fn a_label_after_the_first_escape_sequence_declares_the_original_charset() {
    let expected = ["PB=本 UTF-8", "CA=ISO-2022-JP", "C=本 UTF-8"];
    check(&auto(), b"(;PB[\x1B$BK\\\x1B(B]CA[ISO-2022-JP];C[\x1B$BK\\\x1B(B])", &expected);
}

#[test]
fn games_of_seven_and_eight_bits_are_each_read_in_their_charset() {
    // From an ISO-2022 escape sequence on, the stream is recoded.
    let marked = b"(;CA[ISO-2022-JP]PB[\x1B$BK\\0x\x1B(B])(;CA[GBK]PB[\xB0\xD7])";
    check(&auto(), marked, &["CA=ISO-2022-JP", "PB=本因 UTF-8", "!charset-changed", "CA=GBK", "PB=白 GBK"]);
    // After a byte of 0x80 or more no escape sequence counts, but the label does.
    let labelled =
        b"(;CA[GBK]PB[\xB0\xD7])(;CA[ISO-2022-JP]PB[\x1B$BK\\0x\x1B(B];C[\x1B$BK\\\x1B(B \\]])(;CA[GBK]PB[\xB0\xD7])";
    let (gbk, changed) = (["CA=GBK", "PB=白 GBK"], ["!charset-changed"]);
    let expected = [&gbk[..], &changed, &["CA=ISO-2022-JP", "PB=本因", "C=本 ]"], &changed, &gbk].concat();
    check(&auto(), labelled, &expected);
}

#[test]
fn a_label_that_stays_the_same_is_no_change_after_a_mark() {
    for (label, name) in
        [("ISO-2022-JP", "\x1B$BK\\\x1B(B"), ("ISO-2022-KR", "\x1B$)C\x0E0!\x0F"), ("HZ-GB-2312", "~{0W~}")]
    {
        let input = format!("(;CA[{label}]PB[{name}])(;CA[{label}]PB[a])");
        let problems = read(&auto(), input.as_bytes()).into_iter().filter(|line| line.starts_with('!'));
        assert_eq!(problems.collect::<Vec<_>>(), [""; 0], "{label}");
    }
}

/// An ESC that may begin an ISO-2022 escape sequence is held back; a break must not make the caller feed it again.
#[test]
fn a_break_before_held_bytes_repeats_and_loses_nothing() {
    struct Breaks {
        events: Vec<String>,
        at: usize,
    }

    impl Breaks {
        fn keep<T>(&mut self, events: String, answer: T) -> ControlFlow<(), T> {
            self.events.push(events);
            if self.events.len() == self.at { ControlFlow::Break(()) } else { ControlFlow::Continue(answer) }
        }
    }

    impl Visitor for Breaks {
        type Break = ();

        fn property(&mut self, property: Property<'_>) -> ControlFlow<(), Deliver> {
            self.keep(format!("{} {}", property.ident(), property.position().offset), Deliver::Whole)
        }

        fn problem(&mut self, problem: &Problem) -> ControlFlow<()> {
            self.keep(format!("{} {}", problem.kind().name(), problem.span().end), ())
        }
    }

    let input = b"(;C[a]D\x1BE;F\x1B$G\x1B";
    let read = |cut: usize, at: usize| {
        let mut visitor = Breaks { events: Vec::new(), at };
        let mut parser = Parser::with_config(auto());
        for (mut from, to) in [(0, cut), (cut, input.len())] {
            while parser.feed(&input[from..to], &mut visitor).unwrap().is_break() {
                from = parser.position().offset as usize;
            }
        }
        while parser.finish(&mut visitor).unwrap().is_break() {}
        visitor.events
    };
    let whole = read(0, 0);
    assert!(whole.contains(&"illegal-bytes 8".to_owned()), "{whole:?}");
    for cut in 0..=input.len() {
        for at in 0..=whole.len() {
            assert_eq!(read(cut, at), whole, "cut at {cut}, broken at {at}");
        }
    }
}
