//! How much memory reading takes, counted by the allocator.
//!
//! Each test counts the allocations of its own thread, so that tests may run in parallel.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::record::{self, Column, GameRecord, Recorder, Row, Wants};
use sgf_stream::text::{Charset, StreamRecoder};
use sgf_stream::{
    AccountingParser, Batcher, Charsets, Config, Deliver, Descend, Event, Node, ParallelReader, Parser, Part, Partial,
    Problem, Property, Reader, Step, Tree, TreeEnd, Value, Visitor,
};

struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
    static TAKEN: Cell<i64> = const { Cell::new(0) };
}

/// A size as the counters store it.
fn bytes(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn note(calls: u64, bytes: i64) {
    CALLS.set(CALLS.get() + calls);
    HELD.set(HELD.get() + bytes);
    TAKEN.set(TAKEN.get() + bytes.max(0));
    PEAK.set(PEAK.get().max(HELD.get()));
}

#[expect(
    unsafe_code,
    reason = "a global allocator cannot be written without; each call goes on to the system's as it came"
)]
// SAFETY: memory is the system allocator's, which upholds the contract; the counters are thread locals without
// destructor or initialiser, so that touching them allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, bytes(layout.size()));
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note(0, -bytes(layout.size()));
        // SAFETY: as above; the memory came from the system.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, bytes(size) - bytes(layout.size()));
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations while `work` runs, and the peak of the bytes it held beyond those held before.
fn measured<T>(work: impl FnOnce() -> T) -> (T, u64, i64) {
    let (calls, held) = (CALLS.get(), HELD.get());
    PEAK.set(held);
    let result = work();
    (result, CALLS.get() - calls, PEAK.get() - held)
}

/// Counts games, in parts.
struct Games(u64);

impl Visitor for Games {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.0 += u64::from(tree.depth() == 1);
        ControlFlow::Continue(Descend::Into)
    }
}

impl Partial for Games {
    fn rest(&mut self) -> Self {
        Self(0)
    }
}

/// Blocks that grow to the end of a game reuse their memory. Once they allocated it anew for each game and each step of growth.
#[test]
fn games_longer_than_a_block_reuse_memory() {
    const BLOCK: usize = 64 << 10;
    for nodes in [b";B[aa];W[bb]".repeat(BLOCK / 8), b"(;B[aa];W[bb])".repeat(BLOCK / 8), b";B[aa]".repeat(BLOCK)] {
        let game = [b"(;GM[1]FF[4]", &nodes[..], b")\n"].concat();
        let source = game.repeat(30);
        let (mut games, taken) = (0, TAKEN.get());
        let _ = ParallelReader::new()
            .threads(1)
            .block_len(BLOCK)
            .merge(
                &source[..],
                || Games(0),
                |part| {
                    games += part.0;
                    ControlFlow::Continue(())
                },
            )
            .expect("nothing is strict");
        let taken = TAKEN.get() - taken;
        assert_eq!(games, 30);
        assert!(taken < bytes(20 * BLOCK), "{} blocks", taken / bytes(BLOCK));
    }
}

/// Counts events, and takes values as `deliver` says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counter {
    deliver: Deliver,
    skip: bool,
    enters: u64,
    nodes: u64,
    properties: u64,
    values: u64,
    value_bytes: u64,
    longest_part: usize,
    exits: u64,
    problems: u64,
}

impl Visitor for Counter {
    type Break = Infallible;

    fn enter_tree(&mut self, _: Tree) -> ControlFlow<Infallible, Descend> {
        self.enters += 1;
        ControlFlow::Continue(if self.skip { Descend::Over } else { Descend::Into })
    }

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        self.nodes += 1;
        ControlFlow::Continue(Step::Read)
    }

    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.properties += 1;
        ControlFlow::Continue(self.deliver)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.values += 1;
        self.value_bytes += value.raw().len() as u64;
        ControlFlow::Continue(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        self.values += u64::from(part.is_last());
        self.value_bytes += part.raw().len() as u64;
        self.longest_part = self.longest_part.max(part.raw().len());
        ControlFlow::Continue(())
    }

    fn exit_tree(&mut self, _: TreeEnd) -> ControlFlow<Infallible> {
        self.exits += 1;
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: &Problem) -> ControlFlow<Infallible> {
        self.problems += 1;
        ControlFlow::Continue(())
    }
}

fn feed(parser: &mut Parser, chunk: &[u8], counter: &mut Counter) {
    assert!(matches!(parser.feed(chunk, counter), Ok(ControlFlow::Continue(()))));
}

fn finish(parser: &mut Parser, counter: &mut Counter) {
    assert!(matches!(parser.finish(counter), Ok(ControlFlow::Continue(()))));
}

/// About 1 MB of games, with something of everything.
fn games() -> Vec<u8> {
    let mut games = Vec::new();
    while games.len() < 1_000_000 {
        games.extend_from_slice(b"(;FF[4]GM[1]SZ[19]PB[Kato Masao]PW[Cho Chikun]CoPyright[x\\]y]AB[dd][pp]\r\n");
        for _ in 0..80 {
            games.extend_from_slice(b";B[pd];W[dd]");
        }
        games.extend_from_slice(
            b"C[A comment that is longer than a move: \xE5\x9B\xB2\xE7\xA2\x81, and (some) [more\\].]",
        );
        games.extend_from_slice(b"\n(;B[aa];W[bb])(;B[bb]hello%[x])())\n)junk ");
    }
    games
}

const CHUNK_SIZES: [usize; 4] = [1 << 20, 64 << 10, 1_000, 7];

#[test]
fn reading_games_allocates_nothing_after_the_first_pass() {
    let games = games();
    let mut reference = None;
    for size in CHUNK_SIZES {
        let mut parser = Parser::new();
        let mut counter = Counter::default();
        // In a first pass every kind of token is cut.
        for chunk in games.chunks(size) {
            feed(&mut parser, chunk, &mut counter);
        }
        // Fewer passes with small chunks, to save time.
        let turns = if size < 1_000 { 20 } else { 100 };
        let ((), calls, _) = measured(|| {
            for _ in 0..turns {
                for chunk in games.chunks(size) {
                    feed(&mut parser, chunk, &mut counter);
                }
            }
        });
        assert_eq!(calls, 0, "allocations with chunks of {size} bytes");
        let per_turn = counter.nodes / (turns + 1);
        assert_eq!(counter.nodes % (turns + 1), 0);
        assert!(per_turn > 100_000);
        assert_eq!(*reference.get_or_insert(per_turn), per_turn, "nodes with chunks of {size} bytes");
    }
}

#[test]
fn reading_in_parts_allocates_nothing_after_the_first_pass() {
    let games = games();
    for size in [64 << 10, 1_000, 7] {
        let mut parser = Parser::new();
        let mut counter = Counter { deliver: Deliver::Parts, ..Counter::default() };
        for chunk in games.chunks(size) {
            feed(&mut parser, chunk, &mut counter);
        }
        let ((), calls, _) = measured(|| {
            for chunk in games.chunks(size).cycle().take(20 * games.len().div_ceil(size)) {
                feed(&mut parser, chunk, &mut counter);
            }
        });
        assert_eq!(calls, 0, "allocations with chunks of {size} bytes");
    }
}

#[test]
fn a_reset_parser_keeps_its_buffers() {
    let games = games();
    let mut parser = Parser::new();
    let mut counter = Counter::default();
    let mut read = |parser: &mut Parser| {
        for chunk in games.chunks(1_000) {
            feed(parser, chunk, &mut counter);
        }
        finish(parser, &mut counter);
    };
    read(&mut parser);
    let ((), calls, _) = measured(|| {
        parser.reset();
        read(&mut parser);
    });
    assert_eq!(calls, 0);
}

#[test]
fn one_record_serves_all_games() {
    let games = games();
    let header: Vec<Column> = Column::OF_TABLE.iter().copied().filter(|it| it.wants() == Wants::HEADER).collect();
    for wants in [Wants::HEADER, Wants::ALL] {
        for size in CHUNK_SIZES {
            let mut texts = 0;
            let mut recorder = Recorder::new(wants, |record: &GameRecord| {
                let row = Row::new("", 1, record);
                // All that a record offers without making a `String`.
                texts += header.iter().filter(|&&column| matches!(row.cell(column), record::Cell::Text(_))).count();
                texts += record.info().count() + usize::from(record.signature().is_full());
                ControlFlow::<Infallible>::Continue(())
            });
            let mut parser = Parser::new();
            let mut pass = || {
                parser.reset();
                for chunk in games.chunks(size) {
                    assert!(matches!(parser.feed(chunk, &mut recorder), Ok(ControlFlow::Continue(()))));
                }
                assert!(matches!(parser.finish(&mut recorder), Ok(ControlFlow::Continue(()))));
            };
            pass();
            let ((), calls, _) = measured(pass);
            assert_eq!(calls, 0, "chunks of {size}, {wants:?}");
            assert!(texts > 1_000);
        }
    }
}

#[test]
fn batches_reuse_their_buffers() {
    let games = games();
    let mut batcher = Batcher::new();
    let mut nodes = 0_u64;
    let mut read = |batcher: &mut Batcher| {
        for chunk in games.chunks(64 << 10) {
            nodes += batcher.feed(chunk).filter(|event| matches!(event, Ok(Event::Node(_)))).count() as u64;
        }
    };
    // In the second pass chunk edges fall elsewhere.
    for _ in 0..3 {
        read(&mut batcher);
    }
    let ((), _, peak) = measured(|| (0..20).for_each(|_| read(&mut batcher)));
    assert!(peak < 1 << 20, "{peak} bytes more");
    assert!(nodes > 2_000_000);
}

/// More than the memory held while something large is read.
const LITTLE: i64 = 64 << 10;

const MANY: u64 = 100_000_000;

fn open_trees(counter: &mut Counter) -> (u64, i64) {
    let chunk = b"(;".repeat(500_000);
    let mut parser = Parser::new();
    let ((), _, peak) = measured(|| {
        for _ in 0..MANY * 2 / chunk.len() as u64 {
            feed(&mut parser, &chunk, counter);
        }
        let depth = parser.depth();
        assert_eq!(depth, if counter.skip { 1 } else { MANY });
        finish(&mut parser, counter);
    });
    (parser.position().offset, peak)
}

#[test]
fn a_hundred_million_open_trees_take_no_more_memory_than_one() {
    let mut counter = Counter::default();
    let (read, peak) = open_trees(&mut counter);
    assert_eq!(read, 2 * MANY);
    assert_eq!((counter.enters, counter.nodes, counter.exits, counter.problems), (MANY, MANY, MANY, 1));
    assert!(peak < LITTLE, "{peak} bytes");
}

#[test]
fn skipping_a_hundred_million_open_trees_takes_no_more_memory_than_one() {
    let mut counter = Counter { skip: true, ..Counter::default() };
    let (read, peak) = open_trees(&mut counter);
    assert_eq!(read, 2 * MANY);
    assert_eq!((counter.enters, counter.nodes, counter.exits, counter.problems), (1, 0, 1, 1));
    assert!(peak < LITTLE, "{peak} bytes");
}

#[test]
fn open_trees_in_batches_take_the_memory_of_one_chunks_events() {
    const MANY: u64 = 20_000_000;
    let chunk = b"(;".repeat(5_000);
    let mut batcher = Batcher::new();
    let mut exits = 0_u64;
    let mut count = |batch: sgf_stream::Batch<'_>| {
        for event in batch {
            exits += u64::from(matches!(event, Ok(Event::Exit(_))));
        }
    };
    let ((), _, peak) = measured(|| {
        for _ in 0..MANY * 2 / chunk.len() as u64 {
            count(batcher.feed(&chunk));
        }
        count(batcher.finish());
    });
    assert_eq!(exits, MANY);
    assert!(peak < 4 << 20, "{peak} bytes");
}

/// Reads a value of one gigabyte: `(;C[...])`.
fn long_value(counter: &mut Counter) -> i64 {
    const LENGTH: usize = 1 << 30;
    let chunk: Vec<u8> = b"Some text, with \\] escapes, \\\r\n breaks \xE5\x9B\xB2 and (;[ brackets. "
        .iter()
        .copied()
        .cycle()
        .take(1 << 20)
        .collect();
    assert_eq!(LENGTH % chunk.len(), 0);
    assert_ne!(chunk.last(), Some(&b'\\'));
    let mut parser = Parser::new();
    let ((), _, peak) = measured(|| {
        feed(&mut parser, b"(;C[", counter);
        for _ in 0..LENGTH / chunk.len() {
            feed(&mut parser, &chunk, counter);
        }
        feed(&mut parser, b"]N[x])", counter);
        finish(&mut parser, counter);
    });
    assert_eq!(parser.position().offset, LENGTH as u64 + 10);
    assert_eq!((counter.properties, counter.exits), (2, 1));
    peak
}

#[test]
fn a_gigabyte_in_parts_is_not_kept() {
    let mut counter = Counter { deliver: Deliver::Parts, ..Counter::default() };
    let peak = long_value(&mut counter);
    assert_eq!((counter.values, counter.value_bytes, counter.problems), (2, (1 << 30) + 1, 0));
    assert!(counter.longest_part <= (1 << 20) + 8, "a part of {} bytes", counter.longest_part);
    // What is held until the charset is known.
    assert!(peak <= 4 * LITTLE, "{peak} bytes");
}

#[test]
fn a_skipped_gigabyte_is_not_kept() {
    let mut counter = Counter { deliver: Deliver::Skip, ..Counter::default() };
    let peak = long_value(&mut counter);
    assert_eq!((counter.values, counter.problems), (0, 0));
    assert!(peak < LITTLE, "{peak} bytes");
}

#[test]
fn of_a_whole_gigabyte_no_more_is_kept_than_the_limit() {
    let mut counter = Counter::default();
    let peak = long_value(&mut counter);
    assert_eq!((counter.values, counter.problems), (1, 1));
    // A buffer that grows briefly exists twice.
    assert!(peak < 4 << 20, "{peak} bytes");
}

/// Repeats a pattern.
struct Repeat<'a> {
    pattern: &'a [u8],
    at: usize,
    left: usize,
}

impl std::io::Read for Repeat<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(self.pattern.len() - self.at).min(self.left);
        buffer[..len].copy_from_slice(&self.pattern[self.at..self.at + len]);
        self.at = (self.at + len) % self.pattern.len();
        self.left -= len;
        Ok(len)
    }
}

#[test]
fn endless_damage_takes_no_more_memory_than_a_small_file() {
    let patterns: [(&[u8], &[u8]); 12] = [
        (b"", b"junk "),
        (b"", b"("),
        (b"(", b" \n"),
        (b"(", b"AB"),
        (b"(;", b"%"),
        (b"(;", b"lower"),
        (b"(;", b"UPPER9"),
        (b"(;ABCDEFGHIJKLMNOPQR", b"[x] "),
        (b"(;B", b" "),
        // Recoded input, with characters of one, two and three bytes in UTF-8.
        (b"\xFE\xFF", b"\0j\x90\x53\0\n\0\xE9"),
        (b"\xFE\xFF\0(\0;", b"\0%\x90\x53"),
        (b"\xFE\xFF\0(\0;\0C\0[", b"\0x\x90\x53\0\n"),
    ];
    for (start, pattern) in patterns {
        let pattern = pattern.repeat(100_000);
        let mut counter = Counter::default();
        let ((), _, peak) = measured(|| {
            let source = std::io::Read::chain(start, Repeat { pattern: &pattern, at: 0, left: 50_000_000 });
            let mut reader = Reader::new(source);
            assert!(matches!(reader.read(&mut counter), Ok(ControlFlow::Continue(()))));
            assert_eq!(reader.position().offset, start.len() as u64 + 50_000_000);
        });
        assert!(counter.problems > 0);
        // A reader's buffer is 256 KiB. Recoding keeps the offsets of a piece's characters, and whole values may have 1 MiB.
        let places = if start.starts_with(b"\xFE\xFF") { 3 << 19 } else { 0 };
        assert!(peak < (256 << 10) + LITTLE + places, "{peak} bytes for {}", pattern[..8].escape_ascii());
    }
}

#[test]
fn where_recoded_characters_stood_takes_few_bytes_for_each() {
    const TIMES: usize = 1 << 16;
    for (pattern, most) in [("\u{E9}\u{4E2D}x", 12 * bytes(16 * 3 * TIMES)), ("x\n", LITTLE)] {
        let chunk: Vec<u8> = pattern.repeat(TIMES).encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut recoder = StreamRecoder::new(Charsets::Forced(Charset::UTF_16LE));
        let mut output = Vec::new();
        recoder.feed(&chunk, &mut output);
        let ((), _, peak) = measured(|| {
            for _ in 0..16 {
                output.clear();
                recoder.feed(&chunk, &mut output);
            }
        });
        assert!(peak < most, "{peak} bytes for {pattern:?}");
    }
}

/// Bytes of the root were once waited for that had not been kept.
#[test]
fn a_root_far_behind_a_declaration_holds_no_memory() {
    let blanks = [b' '; 4094];
    let start =
        [&b"("[..], &blanks, b";CA[", &[b'x'; 31], b"]", &blanks, b";FF[4]KM[6]", &b"AB[aa]".repeat(1500)].concat();
    let moves = b";B[aa];W[bb]".repeat(100_000);
    let ((), _, peak) = measured(|| {
        let rest =
            std::io::Read::chain(&b"(;PB[x]PW[y];B[bb])"[..], Repeat { pattern: &moves, at: 0, left: 50_000_000 });
        let source = std::io::Read::chain(&start[..], Repeat { pattern: &moves, at: 0, left: 1_200_000 });
        let mut reader = Reader::with_config(std::io::Read::chain(source, rest), Config::archives());
        assert!(matches!(reader.read(&mut Counter::default()), Ok(ControlFlow::Continue(()))));
    });
    assert!(peak < 1 << 20, "{peak} bytes");
}

#[test]
fn the_account_of_endless_damage_is_bounded() {
    let chunk = b"a b ".repeat(16 << 10);
    let mut parser = AccountingParser::new();
    let ((), _, peak) = measured(|| {
        for _ in 0..1_000 {
            let _ = parser.feed(&chunk, &mut Counter::default()).unwrap();
        }
        let _ = parser.feed(b" \n(;)", &mut Counter::default()).unwrap();
        let _ = parser.finish(&mut Counter::default()).unwrap();
    });
    let account = parser.account();
    assert!(account.is_balanced(), "{account:?}");
    assert_eq!(account.skipped().map(|(_, bytes)| bytes).sum::<u64>(), 1_000 * chunk.len() as u64 + 2);
    // Eight bytes for each byte that may be held back, in a buffer that doubles.
    assert!(peak < 32 << 20, "{peak} bytes");
}
