//! Reading on several threads gives the events of one thread, for every input, number of threads and block length.

use std::convert::Infallible;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use sgf_stream::read::{NextJob, in_order};
use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{
    Block, Blocks, Charsets, Config, Descend, Error, GameRange, GameStarts, Limits, Node, ParallelReader, Parser,
    Partial, Position, Problem, Step, Tree, TreeEnd, Visitor, ranges,
};

use crate::support::{Record, Recorder, Rng, bytes_alone};

/// Pieces that matter for where games begin and end, and for what is between them.
const PIECES: &[&[u8]] = &[
    b"(;",
    b"(;B[aa])",
    b"(;C[(;\\])])",
    b"(FF[4];B[bb])",
    b"(;FF[4]GM[1])",
    b"\n(;GM[1]SZ[9]",
    b"(;GM[1]PB[x]",
    b"C[)(;FF[4]GM[1]]",
    b"( \r\n;W[cc](;B[dd])(;B[ee]))",
    b"(",
    b")",
    b"[",
    b"]",
    b"\\",
    b";",
    b"\n",
    b"\r",
    b"\r\n",
    b" ",
    b"junk",
    b"(ABC",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"B[pd];W[dd]",
    b"(;CA[GBK])",
    b"(;CA[Big5]C[x])",
    b"CA[UTF-8]",
    b"(CA[UTF-8]",
    b"(;C A[GBK]",
    b";FF[4]GM[1]",
    b";B[",
    b"for",
    b"C",
    b"A",
    b"%",
];

/// The records of one parser, and the problem that ended strict reading.
fn sequential<'a>(config: &Config, input: &'a [u8]) -> (Vec<Record<'a>>, Option<Problem>) {
    let mut recorder = Recorder::new(input);
    let result = Parser::with_config(config.clone()).read_slice(input, &mut recorder);
    (recorder.records, strict_problem(result))
}

fn strict_problem(result: Result<ControlFlow<Infallible>, Error>) -> Option<Problem> {
    match result {
        Ok(ControlFlow::Continue(())) => None,
        Err(Error::Strict(problem)) => Some(problem),
        other => panic!("{other:?}"),
    }
}

fn parallel<'a>(reader: &ParallelReader, input: &'a [u8]) -> (Vec<Record<'a>>, Option<Problem>) {
    let mut records = Vec::new();
    let result = reader.read(
        input,
        || Recorder::new(input),
        |part| {
            records.extend(part.records);
            ControlFlow::Continue(())
        },
    );
    (records, strict_problem(result))
}

impl Partial for Recorder<'_> {
    fn rest(&mut self) -> Self {
        self.rest_of_value()
    }
}

/// Fails after its last byte.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("unplugged")),
            len => Ok(len),
        }
    }
}

/// By `merge`, which guesses where blocks begin.
fn merged<'a>(
    reader: &ParallelReader,
    source: impl Read + Send,
    input: &'a [u8],
) -> (Vec<Record<'a>>, Result<ControlFlow<Infallible>, Error>) {
    let mut records = Vec::new();
    let result = reader.merge(
        source,
        || Recorder::new(input),
        |part| {
            records.extend(part.records);
            ControlFlow::Continue(())
        },
    );
    (records, result)
}

#[track_caller]
fn compare(config: &Config, input: &[u8], threads: usize, block_len: usize) {
    let reader = ParallelReader::new().config(config.clone()).threads(threads).block_len(block_len);
    let (expected, found) = (sequential(config, input), parallel(&reader, input));
    assert!(expected == found, "{} with {reader:?}\n{expected:?}\n{found:?}", input.escape_ascii());
    let (records, result) = merged(&reader, input, input);
    let found = (records, strict_problem(result));
    assert!(expected == found, "{} merged with {reader:?}\n{expected:?}\n{found:?}", input.escape_ascii());
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn block_len() -> impl Strategy<Value = usize> {
    select(vec![0_usize, 1, 2, 3, 5, 8, 13, 40, 100, 1 << 16])
}

proptest! {
    #![proptest_config(config(6_000))]

    #[test]
    fn several_threads_give_the_events_of_one(
        input in vec(select(PIECES), 0..40),
        threads in 1..8_usize,
        block_len in block_len(),
        strict in any::<bool>(),
        resync in any::<bool>(),
        raw in any::<bool>(),
    ) {
        let config = if raw { bytes_alone() } else { Config::new() };
        let config = config.strict(strict).resync(resync).cap_values(resync);
        compare(&config, &input.concat(), threads, block_len);
    }

    #[test]
    fn several_threads_apply_limits_like_one(
        input in vec(select(PIECES), 0..40),
        threads in 1..4_usize,
        block_len in block_len(),
        problems in select(vec![0_u64, 1, 2, u64::MAX]),
        depth in select(vec![1_u64, 2, u64::MAX]),
        game in select(vec![1_u64, 10, 20, u64::MAX]),
    ) {
        let mut limits = Limits::new();
        (limits.problems, limits.depth, limits.game) = (problems, depth, game);
        compare(&Config::new().limits(limits), &input.concat(), threads, block_len);
    }

    #[test]
    fn all_bytes_are_in_the_blocks_and_each_reads_alone(
        input in vec(select(PIECES), 0..60),
        len in block_len(),
        inside in any::<bool>(),
        resync in any::<bool>(),
    ) {
        let config = bytes_alone().resync(resync).cap_values(resync);
        let input = input.concat();
        let mut block = Block::default();
        let mut blocks = Blocks::with_config(&input[..], config.clone()).block_len(len).inside_games(inside);
        let (mut all, mut records) = (Vec::new(), Vec::new());
        let mut recorder = Recorder::new(&input);
        let mut parser = Parser::with_config(config.clone());
        let mut open = false;
        while blocks.next_into(&mut block).unwrap() {
            prop_assert_eq!(block.start().offset, all.len() as u64);
            prop_assert_eq!(block.begins(), !open);
            prop_assert!(block.bytes().len() <= 8 * len.max(1));
            let _ = block.read(&mut parser, &mut recorder).unwrap();
            all.extend_from_slice(block.bytes());
            records.append(&mut recorder.records);
            open = !block.ends();
        }
        prop_assert!(!open);
        prop_assert_eq!(&all, &input);
        prop_assert_eq!(records, sequential(&config, &input).0);
    }

    #[test]
    fn ranges_cover_the_source_and_each_reads_alone(input in vec(select(PIECES), 0..40), parts in 0..9_u64) {
        let input = input.concat();
        let ranges = ranges(&input[..], Config::new(), input.len() as u64, parts).unwrap();
        prop_assert!(ranges.len() as u64 <= parts.max(1));
        let mut recorder = Recorder::new(&input);
        let mut end = 0;
        for GameRange { start, len, .. } in ranges {
            prop_assert_eq!(start.offset, end);
            prop_assert!(len > 0);
            let mut parser = Parser::with_config(bytes_alone());
            parser.reset_at(start);
            let bytes = &input[start.offset as usize..][..len as usize];
            let _ = parser.read_slice(bytes, &mut recorder).unwrap();
            end += len;
        }
        prop_assert_eq!(end, input.len() as u64);
        prop_assert_eq!(recorder.records, sequential(&bytes_alone(), &input).0);
    }

    #[test]
    fn every_game_is_found(input in vec(select(PIECES), 0..40), from in 0..60_u64, step in 0..3_u64) {
        struct Games(Vec<Position>);
        impl Visitor for Games {
            type Break = Infallible;
            fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, sgf_stream::Descend> {
                self.0.push(tree.position());
                ControlFlow::Continue(sgf_stream::Descend::Over)
            }
        }
        let input = input.concat();
        let mut games = Games(Vec::new());
        let _ = sgf_stream::read_slice(&input, &mut games).unwrap();
        let mut expected = games.0.into_iter();
        let mut starts = GameStarts::new(&input[..]);
        prop_assert_eq!(starts.at_or_after(from).unwrap(), expected.find(|game| game.offset >= from));
        loop {
            let (found, expected) = (starts.nth(step).unwrap(), expected.nth(step as usize));
            prop_assert_eq!(found, expected);
            if found.is_none() {
                break;
            }
        }
        prop_assert_eq!(starts.position().offset, input.len() as u64);
    }
}

#[test]
fn large_inputs_are_read_alike_in_blocks_of_any_length() {
    let mut rng = Rng::new(7);
    let mut input = Vec::new();
    for _ in 0..3_000 {
        let pieces = rng.below(12);
        input.extend_from_slice(b"(;");
        for _ in 0..pieces {
            input.extend_from_slice(PIECES[rng.below(PIECES.len())]);
        }
        input.extend_from_slice(b"])\r\n");
    }
    let config = Config::new();
    let expected = sequential(&config, &input);
    for block_len in [100, 1000, 10_000, 100_000] {
        for threads in 1..=8 {
            let reader = ParallelReader::new().threads(threads).block_len(block_len);
            assert!(parallel(&reader, &input) == expected, "{threads} threads, blocks of {block_len}");
        }
    }
}

#[test]
fn a_charset_that_a_later_node_declares_is_no_change() {
    for block_len in [1, 2, 8, 20] {
        compare(&Config::new(), b"(AB[aa];CA[UTF-8])(;CA[GBK])(;CA[GBK])", 2, block_len);
    }
}

#[test]
fn nothing_is_lost_if_guesses_are_wrong() {
    // Every guess is wrong; then some are; then there is nothing to guess; then all are right.
    let wrong = b"(;FF[4]GM[1];B[aa])\n".repeat(20_000);
    let games = [&b"(;FF[4]GM[1]SZ[19]\n"[..], &wrong, b")\n"].concat();
    let giant = [&b"(;FF[4]GM[1]"[..], &b";B[aa](;W[bb])".repeat(20_000), b")\n"].concat();
    let text = [&b"(;FF[4]GM[1]C["[..], &b"(;FF[4\\]GM[1\\])".repeat(20_000), b"])\n"].concat();
    let input = [&games[..], &wrong, &giant, &wrong, &text, b"(;B[aa])x)(", &wrong].concat();
    let expected = sequential(&bytes_alone(), &input).0;
    for block_len in [60, 1_000, 30_000] {
        for threads in [1, 2, 3, 8] {
            let reader = ParallelReader::new().config(bytes_alone()).threads(threads).block_len(block_len);
            let (records, result) = merged(&reader, &input[..], &input);
            assert!(result.is_ok() && records == expected, "{threads} threads, blocks of {block_len}");
        }
    }
}

/// Where the text ends shows behind the next game's beginning, which a reader of the block alone did not see.
#[test]
fn a_text_may_end_by_what_comes_after_the_block() {
    let config = Config::new().charsets(Charsets::Auto).resync(true).repair_brackets(true);
    for input in [&b"(;C[[b] ) d])[(;C[x])](;B[c])"[..], b"(;B[aa])\n(;C[a [b] c :-) d])[(;C[x])](;B[cc]C[text])"] {
        for block_len in 1..=input.len() {
            compare(&config, input, 2, block_len);
        }
    }
}

/// A whole game may stand in what the reader of the block takes for a text of the game before.
#[test]
fn a_block_may_end_with_a_game_that_seems_to_be_text() {
    for input in [&b"(;C[(;EV[)(;FF[]SZ["[..], b";GM[]SZ[(;EV[)\n(;]SZ[", b"(C[(;FF[)(;]B[]CA["] {
        for block_len in 1..=input.len() {
            compare(&Config::archives(), input, 2, block_len);
        }
    }
}

/// Behind a `;` or a loop of a program, one must look further than the cut, and the game that was guessed is none.
#[test]
fn what_begins_between_games_may_show_behind_the_block() {
    for input in [
        &b"\xEF\xBB\xBF(;);B[(C[(;)(;\xA6](]"[..],
        b"\n\r\n(M[])[for(;\n(;W[(;)(;\xB3TF-8]",
        b"){[(;\x9D);B[(Q[)(;PB[]PB[])\xC1\x83\\]BR[\n",
        b"(;B[aa])for(;i<n;)(;B[bb])for (;B[cc])",
    ] {
        for block_len in 1..=input.len() {
            compare(&Config::archives(), input, 2, block_len);
        }
    }
}

/// By the byte rules the giant goes on to the end, or ends too early, while in truth another game begins in it, brackets are text,
/// or trees are too deep.
#[test]
fn nothing_is_lost_if_guesses_inside_a_game_are_wrong() {
    let trees = |count| b";B[aa](;W[bb](;B[cc]))".repeat(count);
    let games = b"\n(;FF[4]GM[1]SZ[19];B[aa])".repeat(3_000);
    let open = [&b"(;FF[4]GM[1](;B[aa]"[..], &trees(3_000)].concat();
    let brackets = |text: &[u8]| [&open[..], &[b"(;C[", text, b"])"].concat().repeat(300), &trees(3_000)].concat();
    let inputs = [
        [&open[..], &games].concat(),
        [&open[..], b";C[cut off", &games].concat(),
        [&open[..], b"))", &games, b"(;C[", &open, b"))"].concat(),
        [&brackets(b"a [)] b"), &games[..]].concat(),
        [&brackets(b"a ])) b"), &games[..]].concat(),
        [&open[..], &b"(;W[bb]".repeat(3_000), &trees(3_000), b")".repeat(3_000).as_slice(), &games].concat(),
    ];
    let mut shallow = Limits::new();
    shallow.depth = 100;
    for input in &inputs {
        for config in
            [bytes_alone(), bytes_alone().resync(true).repair_brackets(true), bytes_alone().limits(shallow.clone())]
        {
            let expected = sequential(&config, input).0;
            for (threads, block_len) in [(1, 100), (2, 300), (3, 1_000), (8, 5_000)] {
                let reader = ParallelReader::new().config(config.clone()).threads(threads).block_len(block_len);
                let (records, result) = merged(&reader, &input[..], input);
                let is_same = result.is_ok() && records == expected;
                assert!(
                    is_same,
                    "{threads} threads, blocks of {block_len}, {config:?}: {}...",
                    input[..99].escape_ascii()
                );
            }
        }
    }
}

#[test]
fn events_before_a_source_error_are_merged() {
    let input = [&b"(;FF[4]GM[1];B[aa])\n".repeat(500)[..], b"(;FF[4]GM[1];B[aa](;W[bb];B[cc"].concat();
    let mut expected = Recorder::new(&input);
    let _ = Parser::with_config(bytes_alone()).feed(&input, &mut expected).unwrap();
    for block_len in [40, 1_000, 100_000] {
        let reader = ParallelReader::new().config(bytes_alone()).threads(2).block_len(block_len);
        let (records, result) = merged(&reader, Failing(&input), &input);
        assert!(matches!(result, Err(Error::Io(_))), "{result:?}");
        assert!(records == expected.records, "blocks of {block_len}");
    }
}

#[test]
fn an_endless_game_is_cut_where_its_trees_end() {
    let input = [&b"(;GM[1](;C[)])(\r\n"[..], &b"(;B[aa];W[bb])\r\n\r\n;C[(\\]])(FF[4])".repeat(10_000)].concat();
    let expected = sequential(&bytes_alone(), &input);
    for len in [100, 1_000, 10_000, 200_000] {
        let mut blocks = Blocks::with_config(&input[..], bytes_alone()).block_len(len).inside_games(true);
        let mut block = Block::default();
        let mut recorder = Recorder::new(&input);
        let mut count = 0;
        while blocks.next_into(&mut block).unwrap() {
            assert!(block.is_whole(), "block {count} of {len} bytes");
            let _ = block.read(&mut Parser::with_config(bytes_alone()), &mut recorder).unwrap();
            count += 1;
        }
        assert!(count > input.len() / (2 * len));
        assert!(recorder.records == expected.0);
    }
}

/// Has nothing for now after each CR.
struct Pausing<'a> {
    rest: &'a [u8],
    is_due: bool,
}

impl Read for Pausing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.is_due) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let line = self.rest.iter().position(|&byte| byte == b'\r').map_or(self.rest.len(), |at| at + 1);
        let len = (&self.rest[..line]).read(buffer)?;
        self.rest = &self.rest[len..];
        self.is_due = len > 0 && buffer[len - 1] == b'\r';
        Ok(len)
    }
}

#[test]
fn a_source_may_pause_between_cr_and_lf() {
    // Games are guessed once no escape sequence was found in the first 64 KiB.
    let input = b"(;GM[1]FF[4]SZ[19];B[aa])\r\n".repeat(5_000);
    let config = Config::new();
    let expected = sequential(&config, &input).0;
    for (threads, len) in [(1, 1_000), (2, 1_000), (2, 100_000)] {
        let reader = ParallelReader::new().config(config.clone()).threads(threads).block_len(len);
        let (records, result) = merged(&reader, Pausing { rest: &input, is_due: false }, &input);
        result.unwrap();
        assert!(records == expected, "{threads} threads, blocks of {len} bytes");
    }
}

/// Has nothing for now, and nothing more.
struct Pause(bool);

impl Read for Pause {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.0) { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(0) }
    }
}

/// What is guessed behind the pause counts lines from there.
#[test]
fn a_source_may_pause_once_between_cr_and_lf() {
    let input = b"(;GM[1]FF[4]SZ[19];B[aa])\r\n".repeat(8_000);
    let config = Config::new();
    let expected = sequential(&config, &input).0;
    for game in 4_000..4_040 {
        let (before, after) = input.split_at(game * 27 - 1);
        let reader = ParallelReader::new().config(config.clone()).threads(2).block_len(1_000);
        let (records, result) = merged(&reader, before.chain(Pause(true)).chain(after), &input);
        result.unwrap();
        assert!(records == expected, "a pause behind {game} games");
    }
}

/// A `(` that needed more bytes to be judged was once not counted when a block was cut after it.
#[test]
fn a_block_may_begin_inside_a_tree_that_looks_like_a_game() {
    let input = b"(CA[UTF-8]( \r\n;W[cc](;B[dd])(;B[ee]))(;";
    let config = bytes_alone().resync(true);
    let mut blocks = Blocks::with_config(&input[..], config.clone()).block_len(2).inside_games(true);
    let (mut block, mut parser) = (Block::default(), Parser::with_config(config.clone()));
    let mut recorder = Recorder::new(input);
    while blocks.next_into(&mut block).unwrap() {
        let _ = block.read(&mut parser, &mut recorder).unwrap();
    }
    assert_eq!(recorder.records, sequential(&config, input).0);
}

/// A reader need not search blocks without such a game again. In other blocks, trees are cut only far from the game's root.
#[test]
fn a_game_inside_a_long_one_is_found_when_the_block_is_read() {
    let config = bytes_alone().resync(true);
    let trees = |len: usize| b"(;B[aa];W[bb])\n".repeat(len / 15);
    let cut_off = &b"(;B[cc\n(;FF[4]GM[1]SZ[19];B[dd]"[..];
    let input = [&b"(;AB[aa]"[..], &trees(500 << 10), cut_off, &trees(3 << 20)].concat();
    let expected = sequential(&config, &input).0;
    for len in [100 << 10, 3 << 20] {
        let mut blocks = Blocks::with_config(&input[..], config.clone()).block_len(len).inside_games(true);
        let (mut block, mut parser) = (Block::default(), Parser::with_config(config.clone()));
        let (mut recorder, mut whole) = (Recorder::new(&input), 0);
        while blocks.next_into(&mut block).unwrap() {
            let _ = block.read(&mut parser, &mut recorder).unwrap();
            whole += usize::from(block.is_whole());
        }
        assert!(whole >= 2, "{whole} of {len} bytes");
        assert!(recorder.records == expected, "blocks of {len} bytes");
    }
}

#[test]
fn games_are_found_beyond_the_first_buffer() {
    let input = b"(;B[aa];W[bb])\n".repeat(100_000);
    let len = input.len() as u64;
    let mut starts = GameStarts::new(&input[..]);
    let found = starts.nth(70_000).unwrap().expect("there are more");
    assert_eq!(found, Position { offset: 70_000 * 15, line: 70_001, column: 1 });
    let found = starts.at_or_after(len - 20).unwrap().expect("there is one more");
    assert_eq!(found.line, 100_000);
    assert_eq!(starts.nth(0).unwrap(), None);
    assert_eq!(starts.position(), Position { offset: len, line: 100_001, column: 1 });
    let lens: Vec<u64> = ranges(&input[..], Config::new(), len, 4).unwrap().iter().map(|range| range.len).collect();
    assert_eq!(lens, [375_000; 4]);
}

/// Counts nodes, and breaks at the first one from `stop` on.
struct Count {
    nodes: u64,
    stop: u64,
}

impl Visitor for Count {
    type Break = Position;

    fn node(&mut self, node: Node) -> ControlFlow<Position, Step> {
        self.nodes += 1;
        if node.position().offset >= self.stop {
            return ControlFlow::Break(node.position());
        }
        ControlFlow::Continue(Step::Read)
    }
}

fn count(reader: &ParallelReader, source: impl Read + Send, stop: u64) -> (u64, Result<Option<Position>, Error>) {
    let mut nodes = 0;
    let result = reader.read(
        source,
        || Count { nodes: 0, stop },
        |part| {
            nodes += part.nodes;
            ControlFlow::Continue(())
        },
    );
    (nodes, result.map(ControlFlow::break_value))
}

#[test]
fn a_break_ends_reading_in_order() {
    let input = b"(;B[aa];W[bb])\n".repeat(1000);
    for threads in [1, 2, 5] {
        for block_len in [1, 10, 100, 1000, 100_000] {
            let reader = ParallelReader::new().threads(threads).block_len(block_len);
            for stop in [0, 7, 1501, 9_000] {
                let (nodes, result) = count(&reader, &input[..], stop);
                let position = result.unwrap().expect("a break");
                assert!(position.offset >= stop && position.offset < stop + 15);
                assert_eq!(nodes, 2 * (position.line - 1) + 1 + u64::from(position.column == 8));
            }
            assert_eq!(count(&reader, &input[..], u64::MAX).0, 2000);
            let mut parts = 0;
            let folded = reader.read(
                &input[..],
                || Count { nodes: 0, stop: u64::MAX },
                |part| {
                    parts += 1;
                    assert!(part.nodes > 0);
                    ControlFlow::Break(Position::START)
                },
            );
            assert!(matches!(folded, Ok(ControlFlow::Break(Position::START))));
            assert_eq!(parts, 1, "a part was folded after a break");
        }
    }
}

#[test]
fn all_bytes_before_a_source_error_are_read() {
    let input = b"(;B[aa];W[bb])\n".repeat(1000);
    for threads in [1, 2, 5] {
        for block_len in [1, 100, 1000, 100_000] {
            for len in [0, 1, 2, 9, 7503, 15_000] {
                let mut expected = Count { nodes: 0, stop: u64::MAX };
                let _ = Parser::new().feed(&input[..len], &mut expected).unwrap();
                let reader = ParallelReader::new().threads(threads).block_len(block_len);
                let (nodes, result) = count(&reader, Failing(&input[..len]), u64::MAX);
                assert!(matches!(result, Err(Error::Io(error)) if error.to_string() == "unplugged"));
                assert_eq!(nodes, expected.nodes, "{len} bytes");
            }
        }
    }
}

#[test]
fn a_reader_is_made_with_choices() {
    for (config, is_error) in [(Config::new(), false), (Config::new().strict(true), true)] {
        let (nodes, result) = count(&ParallelReader::new().config(config), &b"(;B[aa]"[..], u64::MAX);
        assert_eq!((nodes, result.is_err()), (1, is_error));
    }
}

#[test]
fn a_block_grows_to_the_end_of_a_game_if_it_may() {
    let game = [&b"(;"[..], &b"B[aa];".repeat(100), b")\n"].concat();
    let input = game.repeat(5);
    for (most, whole) in [(None, false), (Some(game.len()), false), (Some(3 * game.len()), true)] {
        let mut blocks = Blocks::new(&input[..]).block_len(100);
        if let Some(most) = most {
            blocks = blocks.max_block_len(most);
        }
        let (mut block, mut all_end) = (Block::default(), true);
        while blocks.next_into(&mut block).unwrap() {
            assert!(block.bytes().len() <= most.unwrap_or(300), "{} bytes, {most:?}", block.bytes().len());
            all_end &= block.ends();
        }
        assert_eq!(all_end, whole, "{most:?}");

        let mut reader = ParallelReader::new().threads(2).block_len(100);
        if let Some(most) = most {
            reader = reader.max_block_len(most);
        }
        let mut all_balance = true;
        let result = reader.merge(&input[..], Balance::default, |Balance(open)| {
            all_balance &= open == 0;
            ControlFlow::Continue(())
        });
        assert!(result.unwrap().is_continue());
        // A game that just fits in is finished by the parser that has read the block.
        assert_eq!(all_balance, most.is_some(), "{most:?}");
    }
}

/// How many trees more were entered than left.
#[derive(Default)]
struct Balance(i64);

impl Visitor for Balance {
    type Break = Infallible;

    fn enter_tree(&mut self, _: Tree) -> ControlFlow<Infallible, Descend> {
        self.0 += 1;
        ControlFlow::Continue(Descend::Into)
    }

    fn exit_tree(&mut self, _: TreeEnd) -> ControlFlow<Infallible> {
        self.0 -= 1;
        ControlFlow::Continue(())
    }
}

impl Partial for Balance {
    fn rest(&mut self) -> Self {
        Self::default()
    }
}

#[test]
fn a_giant_game_goes_to_one_visitor() {
    let mut input = b"(;B[aa])".to_vec();
    input.extend(b"(;".iter().chain(b";B[aa]".repeat(10_000).iter()).chain(b")"));
    input.extend_from_slice(b"(;W[bb])");
    let reader = ParallelReader::new().threads(3).block_len(1000);
    let mut parts = Vec::new();
    let _ = reader.read(
        &input[..],
        || Count { nodes: 0, stop: u64::MAX },
        |part| {
            parts.push(part.nodes);
            ControlFlow::Continue(())
        },
    );
    assert_eq!(parts.iter().sum::<u64>(), 10_003);
    assert!(parts.iter().any(|nodes| *nodes >= 10_000), "{parts:?}");
}

#[test]
fn a_panic_anywhere_is_propagated() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Who {
        Next,
        Work,
        Fold,
    }
    for who in [Who::Next, Who::Work, Who::Fold] {
        for threads in [1, 2, 8] {
            for at in [0, 1, 30] {
                let mut next = 0;
                let folded = AtomicU64::new(0);
                let result = catch_unwind(AssertUnwindSafe(|| {
                    in_order(
                        threads,
                        || 0,
                        |job| {
                            *job = next;
                            next += 1;
                            assert!(who != Who::Next || *job < at, "out of jobs");
                            NextJob::Work
                        },
                        |job, _| {
                            assert!(who != Who::Work || *job != at, "out of order");
                            *job
                        },
                        |job| {
                            assert!(who != Who::Fold || job != at, "out of place");
                            assert_eq!(job, folded.fetch_add(1, Ordering::Relaxed));
                            ControlFlow::Continue(())
                        },
                    );
                }));
                let message = *result.unwrap_err().downcast::<&str>().unwrap();
                assert!(message.starts_with("out of "), "{message}");
                assert!(folded.into_inner() <= at, "{who:?} at {at}");
            }
        }
    }
}

#[test]
fn jobs_do_not_run_far_ahead() {
    let mut next = 0_u64;
    let (handed_out, folded) = (AtomicU64::new(0), AtomicU64::new(0));
    in_order(
        4,
        || 0,
        |job| {
            *job = next;
            next += 1;
            handed_out.store(next, Ordering::SeqCst);
            if next > 2_000 { NextJob::End } else { NextJob::Work }
        },
        |job, _| {
            // The others run while every 500th job is slow.
            if *job % 500 == 0 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            *job
        },
        |job| {
            let before = folded.fetch_add(1, Ordering::SeqCst);
            assert_eq!(job, before);
            let ahead = handed_out.load(Ordering::SeqCst) - before;
            assert!(ahead <= 4 * 4 + 4 + 1, "{ahead} jobs ahead");
            ControlFlow::Continue(())
        },
    );
    assert_eq!(folded.into_inner(), 2_000);
}

/// Folding may take as long as a job, for example when a block is read again or output goes to a pipe.
#[test]
fn jobs_run_while_a_result_is_folded() {
    let mut numbers = 0..10_u64;
    let done = AtomicU64::new(0);
    let mut folded = Vec::new();
    in_order(
        2,
        || 0,
        |job| match numbers.next() {
            Some(number) => {
                *job = number;
                NextJob::Work
            }
            None => NextJob::End,
        },
        |job, _| {
            done.fetch_max(*job, Ordering::SeqCst);
            *job
        },
        |job| {
            if job == 1 {
                let start = std::time::Instant::now();
                while done.load(Ordering::SeqCst) < 4 {
                    assert!(start.elapsed() < std::time::Duration::from_secs(20), "no job was done");
                    std::thread::yield_now();
                }
            }
            folded.push(job);
            ControlFlow::Continue(())
        },
    );
    assert!(folded.into_iter().eq(0..10));
}

#[test]
fn parts_of_a_result_are_folded_in_its_place() {
    let mut numbers = 0..200_u64;
    let mut seen = Vec::new();
    in_order(
        4,
        || 0,
        |job| match numbers.next() {
            Some(number) if number % 7 == 3 => NextJob::Done((number, 0)),
            Some(number) => {
                *job = number;
                NextJob::Work
            }
            None => NextJob::End,
        },
        |job, turn| {
            for part in 0..*job % 5 {
                assert!(turn.fold((*job, part)));
            }
            (*job, *job % 5)
        },
        |part| {
            seen.push(part);
            ControlFlow::Continue(())
        },
    );
    let expected = (0..200).flat_map(|job| {
        let parts = if job % 7 == 3 { 0..=0 } else { 0..=job % 5 };
        parts.map(move |part| (job, part))
    });
    assert!(seen.into_iter().eq(expected));
}

#[test]
fn a_game_held_until_the_end_of_the_source_is_found() {
    for input in [&b"(;C[a])hello\n(;)"[..], b"(;GM[1]FF[4];B\n(;PB[a]PW[b]"] {
        let config = Config::new().repair_brackets(true).resync(true);
        let mut starts = GameStarts::with_config(input, config);
        assert_eq!(starts.nth(0).unwrap().map(|start| start.line), Some(1));
        assert_eq!(starts.nth(0).unwrap().map(|start| start.line), Some(2), "{}", input.escape_ascii());
        assert_eq!(starts.nth(0).unwrap(), None);
        assert_eq!(starts.nth(0).unwrap(), None);
    }
}

/// The question whether a block ends where it seems to was once asked of a strict parser, which a problem in its way stopped.
#[test]
fn a_problem_behind_a_block_is_the_error_of_one_thread() {
    let config = Config::new()
        .strict(true)
        .charsets(Charsets::Forced(Charset::GBK))
        .escape_unit(EscapeUnit::Auto)
        .repair_brackets(true);
    for input in [&b"(;C[l])\xFE](;B[aa])"[..], b"(;B[]C[l])\xFE](;A[f]\xE4\xB8"] {
        for block_len in 1..input.len() {
            for threads in [1, 4] {
                compare(&config, input, threads, block_len);
            }
        }
    }
}

#[test]
fn an_impossible_position_does_no_harm() {
    for position in [
        Position { offset: 0, line: 0, column: 9 },
        Position { offset: 5, line: 1, column: 0 },
        Position { offset: 5, line: 3, column: 77 },
        Position { offset: u64::MAX, line: u64::MAX, column: u64::MAX },
    ] {
        let mut parser = Parser::new();
        parser.reset_at(position);
        let _ = parser.read_slice(b"(;B[aa])", &mut Count { nodes: 0, stop: u64::MAX }).unwrap();
        // Positions beyond any source are clamped.
        assert_eq!(parser.position().offset, position.offset.min(u64::MAX / 2) + 8);
    }
}

#[test]
fn a_child_is_not_a_game_even_if_its_game_has_no_node() {
    let games = b"(;B[1])(ABCDEFGHIJKLMNOPQ[x](;A[1]))(;B[2])";
    let starts: Vec<u64> = ranges(&games[..], Config::new(), games.len() as u64, 40)
        .unwrap()
        .iter()
        .map(|range| range.start.offset)
        .collect();
    assert_eq!(starts, [0, 7, 36]);
}

#[test]
fn a_game_that_tells_where_a_text_before_it_ends_begins_no_range() {
    let config = Config::new().repair_brackets(true);
    for (input, starts) in [
        // As the `;` behind it shows, the `(` begins a game, so the text ended at the last balanced bracket before.
        (&b"(;C[[a] ) b])[(;C[x])(;B[c])"[..], &[0, 21][..]),
        // A `]` before a `(` without `;` would end the text only if nothing came after it.
        (b"(;C[x])y a](c[z])(;B[c])", &[0, 17]),
        (b"(;C[a [b] c])(;C[d [e] f])\n(;B[c])", &[0, 13, 27]),
    ] {
        let ranges = ranges(input, config.clone(), input.len() as u64, u64::MAX).unwrap();
        assert_eq!(ranges.iter().map(|range| range.start.offset).collect::<Vec<_>>(), starts);
        let mut recorder = Recorder::new(input);
        for GameRange { start, len, stream, .. } in ranges {
            let mut parser = Parser::with_config(config.clone());
            parser.reset_within(start, stream);
            let bytes = &input[start.offset as usize..][..len as usize];
            let _ = parser.read_slice(bytes, &mut recorder).unwrap();
        }
        assert_eq!(recorder.records, sequential(&config, input).0, "{}", input.escape_ascii());
    }
}

#[test]
fn asking_for_more_ranges_than_bytes_takes_no_longer() {
    let ranges = ranges(&b"(;)(;)"[..], Config::new(), 6, u64::MAX).unwrap();
    assert_eq!(ranges.len(), 2);
}
