//! Random inputs are read alike through every face.
//!
//! Equal means: the same events and problems in the same order, each with all that it says (offset, line, column, length, depth,
//! what is implied), and every value with the same bytes, charset and text. What one parser makes of the whole slice is right.
//!
//! Where the docs allow a difference, nothing is compared:
//!
//! - Faces that read games apart ([`ParallelReader::read`], [`ranges`], [`GameDecoder`]) cannot lend them each other's charsets.
//!   So each game reads alone there and in what they are compared with ([`Config::remember_charsets`]).
//! - [`events`] recodes nothing.
//! - A range whose last game the next one truncates does not know that ([`GameStarts`](sgf_stream::GameStarts)). Such ranges are
//!   left out.
//! - Of a [`GameDecoder`], only where games begin and end is compared: read alone, a game lacks what stands behind it.
//!
//! And one is no part of that: whether a value right before the first escape sequence of ISO-2022 has a span
//! ([`Value::span`]) may depend on the cut.
//!
//! `SGF_SEARCH=600` goes on for 600 seconds, with other inputs each time.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::env;
use std::fmt::Debug;
use std::ops::ControlFlow::{self, Continue};
use std::time::{Duration, Instant, SystemTime};

use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{
    Batcher, Charsets, Config, Deliver, Descend, Error, Event, Node, ParallelReader, Parser, Partial, Problem,
    ProblemKind, Property, Reader, Step, Tree, TreeEnd, Value, Visitor, events, ranges,
};

use crate::support::{HALVES, Rng, TOKENS};

/// What begins games, what ends them, what is damaged there, and what mail and pages make of it.
const PIECES: &[&[u8]] = &[
    b"(;",
    b"(;",
    b"(;",
    b")",
    b"[",
    b"]",
    b"\\",
    b"\n",
    b"C[",
    b"C[abc",
    b"B[aa",
    b"PB[x",
    b"AB[aa",
    b"AW[cc",
    b"TR[aa",
    b"DT[1999",
    b"AP[x:1",
    b"LB[aa:(]",
    b"LB[aa:1]",
    b"KM[6.5]",
    b"(;B[aa];W[bb])\n",
    b"(;GM[1]SZ[19]",
    b"(;GM[1]FF[4]SZ[19]PB[a]PW[b]",
    b";FF[4]GM[1]",
    b";B[dd]",
    b")B[cc];W[dd]",
    b"3W[ee]",
    b"(;C[",
    b"(;EV[",
    b"C[(;",
    b"C[GM[1\\]",
    b"C[x\n\n(;GM[1]",
    b" (;W[aa])",
    b"(;W[aa]",
    b")\n(;",
    b")(;FF[4]",
    b"]PW[",
    b"]\n",
    b"]<br>",
    b"text here",
    b": ",
    b":)",
    b"\n:)",
    b"\0\0\0\0",
    b"<b>",
    b"<br>",
    b"\n> ",
    b"&nbsp;",
    b"\n12\t",
    b"=========================",
    b"&#10;",
    b"\\n",
    b"for(;",
    b"Here is a game\n",
    b"\xC0\xEE\xB2\xFD",
    b"\xE6\x9D\x8E",
];

/// Inputs of a seed.
const INPUTS: usize = 1_500;

/// The most pieces of an input.
const MOST: usize = 16;

/// After that many differences there is enough to look at.
const ENOUGH: usize = 10;

fn settings() -> Vec<(&'static str, Config)> {
    vec![
        ("no repairs", Config::new()),
        ("all repairs", Config::archives()),
        ("all repairs, each game alone", Config::archives().remember_charsets(false)),
        ("all repairs, labels only", Config::archives().charsets(Charsets::Declared)),
        ("all repairs, bytes", Config::archives().charsets(Charsets::Raw)),
        (
            "all repairs, all in GBK by character",
            Config::archives().charsets(Charsets::Forced(Charset::GBK)).escape_unit(EscapeUnit::Character),
        ),
        ("resync", Config::new().resync(true)),
        ("repair_brackets", Config::new().repair_brackets(true)),
        ("repair_brackets, resync", Config::new().repair_brackets(true).resync(true)),
    ]
}

/// What was received, a line for each event.
#[derive(Default)]
struct Lines(Vec<Line>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// Where a game begins.
    Game(u64, String),
    /// Behind where it ends.
    GameEnd(u64, String),
    Problem(ProblemKind, String),
    Other(String),
}

impl Lines {
    fn see(&mut self, event: &Event<'_>) {
        self.0.push(match event {
            Event::Enter(tree) if tree.depth() == 1 => Line::Game(tree.position().offset, format!("{tree:?}")),
            Event::Exit(end) if end.depth() == 1 => {
                Line::GameEnd(end.position().offset + end.close_len(), format!("{end:?}"))
            }
            Event::Problem(problem) => Line::Problem(problem.kind(), format!("{problem:?}")),
            Event::Value(value) => Line::Other(format!(
                "value at {:?}, {:?} in {} from {}: {}",
                value.position(),
                value.raw().escape_ascii().to_string(),
                value.charset(),
                value.source_charset(),
                value.text()
            )),
            _ => Line::Other(format!("{event:?}")),
        });
    }
}

impl Visitor for Lines {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.see(&Event::Enter(tree));
        Continue(Descend::Into)
    }

    fn node(&mut self, node: Node) -> ControlFlow<Infallible, Step> {
        self.see(&Event::Node(node));
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.see(&Event::Property(property));
        Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.see(&Event::Value(value));
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        self.see(&Event::Exit(end));
        Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        self.see(&Event::Problem(*problem));
        Continue(())
    }
}

impl Partial for Lines {
    fn rest(&mut self) -> Self {
        Self::default()
    }
}

const LENIENT: &str = "lenient reading of a slice goes on";

/// By one parser, from one slice.
fn whole(config: &Config, input: &[u8]) -> Vec<Line> {
    let mut lines = Lines::default();
    let Continue(()) = Parser::with_config(config.clone()).read_slice(input, &mut lines).expect(LENIENT);
    lines.0
}

/// How what a face gives, at this size of its pieces, differs from what one parser gives.
type Differs = fn(&Config, &[u8], usize, &[Line]) -> Option<String>;

/// The first difference.
fn compare<T: PartialEq + Debug>(expected: &[T], found: &[T]) -> Option<String> {
    let len = expected.len().max(found.len());
    let at = (0..len).find(|at| expected.get(*at) != found.get(*at))?;
    Some(format!("{:?} instead of {:?}", found.get(at), expected.get(at)))
}

/// The faces that read everything in one go, and those that read games apart.
const TOGETHER: &[(&str, Differs)] = &[
    ("Parser::feed", |config, input, size, expected| {
        let (mut lines, mut parser) = (Lines::default(), Parser::with_config(config.clone()));
        for chunk in input.chunks(size) {
            let Continue(()) = parser.feed(chunk, &mut lines).expect(LENIENT);
        }
        let Continue(()) = parser.finish(&mut lines).expect(LENIENT);
        compare(expected, &lines.0)
    }),
    ("Reader", |config, input, size, expected| {
        let mut lines = Lines::default();
        let mut reader = Reader::with_config(input, config.clone()).buffer_len(size);
        let Continue(()) = reader.read(&mut lines).expect(LENIENT);
        compare(expected, &lines.0)
    }),
    #[cfg(feature = "tokio")]
    ("AsyncReader", |config, input, size, expected| {
        use std::task::{Context, Poll, Waker};

        let mut lines = Lines::default();
        let mut reader = sgf_stream::AsyncReader::with_config(input, config.clone()).buffer_len(size);
        let mut context = Context::from_waker(Waker::noop());
        // A slice is always ready.
        let Poll::Ready(result) = std::pin::pin!(reader.read(&mut lines)).poll(&mut context) else {
            return Some("it waits".into());
        };
        let Continue(()) = result.expect(LENIENT);
        compare(expected, &lines.0)
    }),
    ("Batcher", |config, input, size, expected| {
        let (mut lines, mut batcher) = (Lines::default(), Batcher::with_config(config.clone()));
        for chunk in input.chunks(size) {
            batcher.feed(chunk).for_each(|event| lines.see(&event.expect(LENIENT)));
        }
        batcher.finish().for_each(|event| lines.see(&event.expect(LENIENT)));
        compare(expected, &lines.0)
    }),
    ("events", |config, input, _, expected| {
        let mut lines = Lines::default();
        for event in events(input).config(config.clone()) {
            match event {
                Err(Error::Recoded(_)) => return None,
                event => lines.see(&event.expect(LENIENT)),
            }
        }
        compare(expected, &lines.0)
    }),
    ("ParallelReader::merge, one thread", |config, input, size, expected| {
        compare(expected, &merged(config, input, size, 1))
    }),
    ("ParallelReader::merge, two threads", |config, input, size, expected| {
        compare(expected, &merged(config, input, size, 2))
    }),
];

const APART: &[(&str, Differs)] = &[
    ("ParallelReader::read", |config, input, size, expected| {
        let mut lines = Vec::new();
        let fold = |part: Lines| {
            lines.extend(part.0);
            Continue(())
        };
        let reader = ParallelReader::new().config(config.clone()).threads(1 + size % 2).block_len(size);
        let Continue(()) = reader.read(input, Lines::default, fold).expect(LENIENT);
        compare(expected, &lines)
    }),
    ("ranges", |config, input, parts, expected| {
        let ranges = ranges(input, config.clone(), input.len() as u64, parts as u64).expect(LENIENT);
        let mut rest = expected;
        for (i, range) in ranges.iter().enumerate() {
            let next = ranges.get(i + 1).map(|next| next.start.offset);
            let is_next = |line: &Line| matches!(line, Line::Game(at, _) if Some(*at) == next);
            let Some(len) = next.map_or(Some(rest.len()), |_| rest.iter().position(is_next)) else {
                return Some(format!("no game begins at {next:?}"));
            };
            let (due, later) = rest.split_at(len);
            rest = later;
            let truncated = |line: &Line| matches!(line, Line::Problem(ProblemKind::TruncatedGame, _));
            let last = due.iter().rposition(|line| matches!(line, Line::Game(..))).unwrap_or(0);
            if due[last..].iter().any(truncated) {
                continue;
            }
            let (mut lines, mut parser) = (Lines::default(), Parser::with_config(config.clone()));
            parser.reset_within(range.start, range.stream);
            let bytes = &input[range.start.offset as usize..][..range.len as usize];
            let Continue(()) = parser.read_slice(bytes, &mut lines).expect(LENIENT);
            let differs = compare(due, &lines.0);
            if differs.is_some() {
                return differs;
            }
        }
        compare(rest, &[])
    }),
    #[cfg(feature = "tokio")]
    ("GameDecoder", |config, input, size, expected| {
        use sgf_stream::{Frame, GameDecoder};
        use tokio_util::bytes::BytesMut;
        use tokio_util::codec::Decoder;

        let (mut decoder, mut buffer) = (GameDecoder::with_config(config.clone()), BytesMut::new());
        let mut games = Vec::new();
        let mut see = |frame| {
            if let Frame::Game(game) = frame {
                games.push((game.position.offset, game.position.offset + game.bytes.len() as u64));
            }
        };
        for chunk in input.chunks(size) {
            buffer.extend_from_slice(chunk);
            while let Some(frame) = decoder.decode(&mut buffer).expect(LENIENT) {
                see(frame);
            }
        }
        while let Some(frame) = decoder.decode_eof(&mut buffer).expect(LENIENT) {
            see(frame);
        }
        let starts = expected.iter().filter_map(|line| if let Line::Game(at, _) = line { Some(*at) } else { None });
        let ends = expected.iter().filter_map(|line| if let Line::GameEnd(at, _) = line { Some(*at) } else { None });
        compare(&starts.zip(ends).collect::<Vec<_>>(), &games)
    }),
];

fn merged(config: &Config, input: &[u8], size: usize, threads: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let fold = |part: Lines| {
        lines.extend(part.0);
        Continue(())
    };
    let reader = ParallelReader::new().config(config.clone()).threads(threads).block_len(size);
    let Continue(()) = reader.merge(input, Lines::default, fold).expect(LENIENT);
    lines
}

/// A face that differs, and how.
struct Difference {
    input: Vec<u8>,
    size: usize,
    what: String,
}

impl Difference {
    /// Leaves out what can be left out without this face reading alike at every size.
    fn shrink(&mut self, config: &Config, differs: Differs) {
        loop {
            let len = self.input.len();
            for run in [16, 4, 1] {
                let mut at = 0;
                while at + run <= self.input.len() {
                    let input = [&self.input[..at], &self.input[at + run..]].concat();
                    let expected = whole(config, &input);
                    let found = |size| Some((size, differs(config, &input, size, &expected)?));
                    match (1..=input.len() + 1).find_map(found) {
                        Some((size, what)) => *self = Self { input, size, what },
                        None => at += 1,
                    }
                }
            }
            if self.input.len() == len {
                return;
            }
        }
    }
}

fn input(rng: &mut Rng) -> Vec<u8> {
    let most = 1 + rng.below(MOST);
    let piece = |_| match rng.below(4) {
        0 => rng.pick(TOKENS),
        1 => rng.pick(HALVES),
        _ => rng.pick(PIECES),
    };
    (0..most).flat_map(piece).copied().collect()
}

/// Reads a random input, with one of the settings, through every face. What differs is shrunk and described.
fn differences(rng: &mut Rng, settings: &[(&str, Config)]) -> Vec<(usize, String)> {
    let (setting, config) = &settings[rng.below(settings.len())];
    let input = input(rng);
    let mut found = Vec::new();
    for (faces, config) in [(TOGETHER, config.clone()), (APART, config.clone().remember_charsets(false))] {
        let expected = whole(&config, &input);
        for (face, differs) in faces {
            let size = 1 + rng.below(input.len() + 1);
            if let Some(what) = differs(&config, &input, size, &expected) {
                let mut it = Difference { input: input.clone(), size, what };
                it.shrink(&config, *differs);
                let Difference { input, size, what } = it;
                let line = format!("{face}, size {size}, {setting}: b\"{}\"\n    {what}", input.escape_ascii());
                found.push((input.len(), line));
            }
        }
    }
    found
}

#[test]
fn every_face_reads_a_random_input_alike() {
    let seconds: Option<u64> = env::var("SGF_SEARCH").ok().map(|it| it.parse().expect("SGF_SEARCH is in seconds"));
    let now = SystemTime::UNIX_EPOCH.elapsed().expect("a clock that was set").as_millis() as u64;
    let seeds = if seconds.is_some() { now..=u64::MAX } else { 1..=4 };
    let (settings, start, mut inputs) = (settings(), Instant::now(), 0);
    // The smallest first.
    let mut found = BTreeSet::new();
    for seed in seeds {
        let mut rng = Rng::new(seed);
        for _ in 0..INPUTS {
            let differences = differences(&mut rng, &settings).into_iter();
            found.extend(differences.map(|(len, what)| (len, format!("seed {seed}, {what}"))));
            inputs += 1;
        }
        let is_over = seconds.is_some_and(|seconds| start.elapsed() > Duration::from_secs(seconds));
        if is_over || found.len() >= ENOUGH {
            break;
        }
    }
    let found: Vec<String> = found.into_iter().map(|(_, what)| what).collect();
    assert!(found.is_empty(), "{} of {inputs} inputs differ:\n{}", found.len(), found.join("\n"));
    eprintln!("{inputs} inputs in {:?}", start.elapsed());
}
