//! `ParallelReader::merge`: visitors that keep whole games or become full, guessed charsets, and sources that pause.

use std::convert::Infallible;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;

use crate::support::{self, Rng, bytes_alone};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{
    Charsets, Config, Deliver, Descend, ParallelReader, Parser, Partial, Property, Tree, TreeEnd, Value, Visitor,
};

/// A game: its start and end, and its values, each with its charset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Game {
    start: u64,
    end: u64,
    values: Vec<(Vec<u8>, Charset)>,
}

/// Keeps whole games, and is full at `most` of them.
#[derive(Clone, Debug, Default)]
struct Games {
    most: usize,
    /// The game in progress.
    game: Option<Game>,
    done: Vec<Game>,
    bytes: Vec<u8>,
}

impl Games {
    fn until(most: usize) -> Self {
        Self { most, ..Self::default() }
    }
}

impl Visitor for Games {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        if tree.depth() == 1 {
            assert_eq!(self.game, None, "a game begins inside another");
            self.game = Some(Game { start: tree.position().offset, ..Game::default() });
        }
        ControlFlow::Continue(Descend::Into)
    }

    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        ControlFlow::Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let game = self.game.as_mut().expect("a value is in a game");
        game.values.push((value.raw().to_vec(), value.charset()));
        ControlFlow::Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        if end.depth() == 1 {
            let game = self.game.take().expect("a game ends that never began");
            self.done.push(Game { end: end.position().offset, ..game });
        }
        ControlFlow::Continue(())
    }
}

impl Partial for Games {
    const WHOLE_GAMES: bool = true;

    fn rest(&mut self) -> Self {
        Self { game: self.game.take(), ..Self::until(self.most) }
    }

    fn chunk(&mut self, bytes: &[u8], candidate: u64) {
        assert!(self.game.is_some() || self.done.is_empty() || candidate > self.done[self.done.len() - 1].start);
        self.bytes.extend_from_slice(bytes);
    }

    fn is_full(&self) -> bool {
        self.done.len() >= self.most
    }
}

/// Gives at most `len` bytes at a time, and between them says once that none are ready.
struct Pausing<'a> {
    bytes: &'a [u8],
    len: usize,
    is_asked_again: bool,
}

impl Read for Pausing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_asked_again = !self.is_asked_again;
        if !self.is_asked_again {
            return Err(ErrorKind::WouldBlock.into());
        }
        let most = self.len.min(buffer.len());
        self.bytes.read(&mut buffer[..most])
    }
}

fn sequential(config: &Config, input: &[u8]) -> Vec<Game> {
    let mut games = Games::until(usize::MAX);
    let _ = Parser::with_config(config.clone()).read_slice(input, &mut games).unwrap();
    games.done
}

#[track_caller]
fn compare(reader: &ParallelReader, config: &Config, input: &[u8], most: usize, pause: Option<usize>) {
    let reader = reader.clone().config(config.clone());
    let (mut games, mut bytes, mut parts) = (Vec::new(), Vec::new(), 0);
    let make = || Games::until(most);
    let fold = |part: Games| {
        assert!(part.done.len() < most.saturating_add(input.len().min(32 << 10)));
        games.extend(part.done);
        bytes.extend(part.bytes);
        parts += 1;
        ControlFlow::Continue(())
    };
    let result = match pause {
        Some(len) => reader.merge(Pausing { bytes: input, len, is_asked_again: false }, make, fold),
        None => reader.merge(input, make, fold),
    };
    let _ = result.unwrap();
    let expected = sequential(config, input);
    assert!(games == expected, "{} with {reader:?}\n{expected:?}\n{games:?}", input.escape_ascii());
    assert!(bytes == input, "not all bytes were announced once and in order");
    assert!(parts <= 2 * input.len() + 2, "{parts} parts");
}

/// Games that say little about their charset, and some that say much.
const PIECES: &[&[u8]] = &[
    b"(;FF[4]GM[1]",
    b"(;FF[4]GM[1]SZ[9]PB[\xBF\xD7\xBD\xDC])\n",
    b"(;FF[4]GM[1]PB[\xBF\xD7\xBD\xDC];B[aa]C[\xBA\xDA\xCF\xC8])\n",
    b"(;FF[4]GM[1]PW[\xC2\xB7\xD3\xA2])\n",
    b"(;FF[4]GM[1]CA[GBK]PB[\xBA\xDA\xCF\xC8])\n",
    b"(;FF[4]GM[1]CA[GBK])\n",
    b"(;FF[4]GM[1]CA[Big5]PB[\xB6\xC2\xA5\xD5])\n",
    b"(;FF[4]GM[1]CA[EUC-KR]PB[\xC0\xCC\xC3\xA2\xC8\xA3])\n",
    b"(;FF[4]GM[1]PB[\xE6\x9F\xAF\xE6\xB4\x81])\n",
    b"(;FF[4]GM[1]PB[M\xFCller])\n",
    b"(;FF[4]GM[1]PB[plain];B[aa](;W[bb])(;W[cc]))\n",
    b"C[\xBF\xD7\xBD\xDC]",
    b"(;B[aa]",
    b")",
    b"\n",
    b"[",
    b"]",
];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn whole_games_are_the_same_as_by_one_parser(
        input in vec(select(PIECES), 0..60),
        threads in 1..5_usize,
        block_len in select(vec![1_usize, 20, 60, 150, 400, 1 << 16]),
        most in select(vec![1_usize, 2, 7, usize::MAX]),
        pause in select(vec![None, Some(1_usize), Some(30), Some(1000)]),
        charsets in select(vec![Charsets::Auto, Charsets::Declared, Charsets::Once]),
        lenient in any::<bool>(),
    ) {
        let config = Config::new().charsets(charsets).resync(lenient).repair_brackets(lenient).cap_values(lenient);
        let reader = ParallelReader::new().threads(threads).block_len(block_len);
        compare(&reader, &config, &input.concat(), most, pause);
    }
}

/// Guesses depend on earlier games, even if other threads read those. The input has stretches with one charset and mixtures.
#[test]
fn earlier_games_count_for_guesses_whichever_thread_read_them() {
    let mut rng = Rng::new(5);
    let mut input = Vec::new();
    for part in 0..12 {
        // One charset for a while, then a mixture.
        let few = [&PIECES[1..4], &PIECES[6..8], &PIECES[1..11]][part % 3];
        for _ in 0..2_000 {
            input.extend_from_slice(few[rng.below(few.len())]);
        }
    }
    for charsets in [Charsets::Auto, Charsets::Once] {
        let config = Config::new().charsets(charsets);
        for (threads, block_len) in [(1, 3_000), (2, 1_000), (3, 10_000), (4, 100_000)] {
            let reader = ParallelReader::new().threads(threads).block_len(block_len);
            compare(&reader, &config, &input, usize::MAX, None);
            compare(&reader, &config, &input, 100, None);
        }
    }
}

/// As in an archive of many sources, charsets change every few games, and some games are truncated.
#[test]
fn real_files_in_any_order_merge_as_one_parser_reads_them() {
    let Some(mut files) = support::corpora() else {
        eprintln!("NOT DONE: SGF_CORPORA is not set, so no real files were joined");
        return;
    };
    let mut rng = Rng::new(1);
    files.retain(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf")));
    for last in (1..files.len()).rev() {
        files.swap(last, rng.below(last + 1));
    }
    let input: Vec<u8> = files.iter().flat_map(|path| fs::read(path).unwrap()).collect();
    let config = Config::new()
        .charsets(Charsets::Auto)
        .escape_unit(EscapeUnit::Auto)
        .resync(true)
        .repair_brackets(true)
        .cap_values(true);
    let expected = sequential(&config, &input);
    for (threads, block_len) in [(2, 1_000), (3, 256 << 10)] {
        let mut games = Vec::new();
        let reader = ParallelReader::new().config(config.clone()).threads(threads).block_len(block_len);
        let fold = |part: Games| {
            games.extend(part.done);
            ControlFlow::Continue(())
        };
        let _ = reader.merge(&input[..], || Games::until(usize::MAX), fold).unwrap();
        let differs = games.iter().zip(&expected).find(|(game, expected)| game != expected);
        assert_eq!(differs, None, "{threads} threads, blocks of {block_len} bytes");
        assert_eq!(games.len(), expected.len(), "{threads} threads, blocks of {block_len} bytes");
    }
}

#[test]
fn a_giant_game_is_kept_whole() {
    let small = b"(;FF[4]GM[1]C[\xBF\xD7\xBD\xDC])\n".repeat(100);
    let giant = [&b"(;FF[4]GM[1]PB[\xBA\xDA\xCF\xC8]"[..], &b"(;B[aa];W[bb])\n".repeat(20_000)].concat();
    let input = [&small[..], &giant, b")", &small, &giant, &small].concat();
    for block_len in [100, 5_000, 1 << 18] {
        let reader = ParallelReader::new().threads(3).block_len(block_len);
        compare(&reader, &Config::new().charsets(Charsets::Auto), &input, usize::MAX, None);
        compare(&reader, &bytes_alone(), &input, 3, Some(10_000));
    }
}

/// Must not wait for ever.
#[test]
fn a_source_that_would_block_twice_has_failed() {
    struct Never;
    impl Read for Never {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::WouldBlock.into())
        }
    }
    let source = (&b"(;B[aa])(;B[bb])"[..]).chain(Never);
    let mut games = 0;
    let result = ParallelReader::new().threads(2).merge(
        source,
        || Games::until(usize::MAX),
        |part| {
            games += part.done.len();
            ControlFlow::Continue(())
        },
    );
    assert!(matches!(result, Err(sgf_stream::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock));
    assert_eq!(games, 2);
}
