//! The slow cases, one at a time: inputs of one kind of damage, one odd token, or short texts in one charset. An input that
//! is many times slower than its neighbours shows a fault; the corpora would have shown few of those found so far.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sgf_stream::{Config, ParallelReader};
use support::{Count, Tally, push_chunks};

/// The size of each input. As a test, without optimization, each is only read once.
const LEN: usize = if cfg!(debug_assertions) { 128 << 10 } else { 1 << 20 };

/// The size for two threads, and the length of their blocks: with fewer bytes, passing on blocks would dominate.
const LONGER: usize = 4 * LEN;
const BLOCK: usize = 64 << 10;

/// A name, and a game that is repeated: its beginning, a unit, how often the unit occurs, and the end.
type Cliff = (&'static str, &'static [u8], &'static [u8], usize, &'static [u8]);

const CLIFFS: &[Cliff] = &[
    ("games of nothing", b"(;)", b"", 0, b""),
    ("games of a move", b"(;B[aa])", b"", 0, b""),
    ("games and junk", b"(;)", b"x", 1, b""),
    ("junk", b"[](x)", b"", 0, b""),
    ("depth", b"(;", b"", 0, b""),
    ("depth of moves", b"(;B[aa]", b"", 0, b""),
    ("trees without nodes", b"(A[x](B[y]))", b"", 0, b""),
    ("nodes behind trees", b"(;A[x]", b"(;B[y]);C[z]", 1000, b")"),
    ("nodes", b"(;", b";", 100_000, b")"),
    ("values", b"(;A", b"[]", 100_000, b")"),
    ("an endless name", b"(;", b"A", 100_000, b")"),
    ("names without values", b"(;", b"A ", 100_000, b")"),
    ("words", b"(;", b"a ", 100_000, b")"),
    ("names in lower case", b"(;", b"abc[x]", 1000, b")"),
    ("names that are too long", b"(;", b"ABCDEFGHIJKLMNOPQRSTU[x]", 1000, b")"),
    ("illegal bytes", b"(;", b"% ", 100_000, b")"),
    ("values of nothing", b"(;", b"%[a]", 100_000, b")"),
    ("line ends everywhere", b"(;GM[1]", b"\r\n;\r\nB\r\n[aa]", 1000, b")"),
    ("escapes", b"(;C[", b"\\]", 100_000, b"])"),
    ("soft line breaks", b"(;C[", b"\\\n", 100_000, b"])"),
    ("brackets in a text", b"(;GM[1]C[", b"abc[x]d ", 2000, b"])\n"),
    ("brackets in texts", b"(;GM[1]", b";C[a]b c]", 2000, b")\n"),
    ("texts that nothing closes", b"(;GM[1]", b"C[a]%", 400_000, b""),
    ("games in a text", b"(;GM[1]C[", b"(;FF[4\\]GM[1\\];B[aa\\])", 50, b"])\n"),
    ("games cut off in a root", b"(;FF[4]GM[1]\n", b"", 0, b""),
    ("games cut off in a value", b"(;GM[1]FF[4]C[aa\n", b"", 0, b""),
    ("moves cut off in a value", b"(;B[aa\n", b"", 0, b""),
    ("names in GBK", b"(;PB[\xC0\xEE\xB2\xFD\xB8\xE4]PW[\xC1\xF5\xB2\xFD\xBA\xD5])\n", b"", 0, b""),
    ("names in EUC-KR", b"(;PB[\xC0\xCC\xBC\xBC\xB5\xB9]PW[\xB9\xDA\xC1\xA4\xC8\xAF])\n", b"", 0, b""),
    ("labelled Shift_JIS", b"(;CA[Shift_JIS]PB[\x88\xE4\x8ER\x97T\x91\xBE]C[\x95\\\x8E\xA6])\n", b"", 0, b""),
    ("labels that change", b"(;CA[GBK]PB[\xC0\xEE])(;CA[UTF-8]PB[\xE6\x9D\x8E])\n", b"", 0, b""),
    ("names in windows-1252", b"(;PB[M\xFCller]PW[Sch\xE4fer])\n", b"", 0, b""),
    ("texts in windows-1251", b"(;GM[1]", b";B[aa]C[\xF5\xEE\xE4 \xF7\xE5\xF0\xED\xFB\xF5]", 100, b")\n"),
    ("half characters", b"(;GM[1]CA[GB2312]C[", b"\xB0]\xB0\xA1", 2000, b"])\n"),
    ("games of half a character", b"(;C[\xFF]\x80)", b"", 0, b""),
    ("labels that name nothing", b"(;CA[none])", b"", 0, b""),
    ("labels in a text", b"(;CA[UTF-8]C[", b"CA[x\\]", 5000, b"])"),
    ("long games", b"(;GM[1]FF[4]", b"(;B[aa];W[bb])", 10_000, b")"),
    ("one game", b"(;GM[1]FF[4]", b";B[aa];W[bb]", 400_000, b""),
    ("one tree", b"(;GM[1]FF[4]", b"(;B[aa];W[bb])", 400_000, b""),
    ("one text", b"(;GM[1]C[", b"a few words ", 400_000, b""),
    ("Latin letters labelled GB2312", b"(;CA[GB2312]", b";C[gr\xF6\xDFer]", 100, b")\n"),
];

fn bytes(&(_, head, unit, times, tail): &Cliff, len: usize) -> Vec<u8> {
    let game = [head, &unit.repeat(times), tail].concat();
    game.into_iter().cycle().take(len).collect()
}

fn read(config: &Config, bytes: &[u8], chunk: usize) -> Tally {
    push_chunks(config, bytes, chunk, Count::default()).0
}

fn read_by_two(config: &Config, bytes: &[u8]) -> Tally {
    let mut sum = Tally::default();
    let reader = ParallelReader::new().config(config.clone()).threads(2).block_len(BLOCK);
    let fold = |part: Count| {
        sum.add(part.0);
        ControlFlow::Continue(())
    };
    let _ = reader.merge(bytes, Count::default, fold).expect("lenient reading goes on");
    sum
}

fn cliffs(c: &mut Criterion) {
    let [inputs, longer] =
        [LEN, LONGER].map(|len| CLIFFS.iter().map(|cliff| (cliff.0, bytes(cliff, len))).collect::<Vec<_>>());
    for (reader, config) in [("counting", Config::new()), ("repairing", Config::archives())] {
        for (pieces, chunk) in [("whole", LEN), ("chunks of 1 KiB", 1 << 10)] {
            time(c, &format!("{reader}, {pieces}"), &inputs, &config, |bytes| read(&config, bytes, chunk));
        }
        time(c, &format!("{reader}, two threads"), &longer, &config, |bytes| read_by_two(&config, bytes));
    }
}

fn time(c: &mut Criterion, how: &str, inputs: &[(&str, Vec<u8>)], config: &Config, read_so: impl Fn(&[u8]) -> Tally) {
    let mut group = timing::group(c, &format!("cliffs, {how}"), &inputs[0].1);
    // Many figures exact to a few per cent: all of them together take three minutes.
    group
        .nresamples(1000)
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300));
    for (name, bytes) in inputs {
        assert_eq!(read_so(bytes), read(config, bytes, bytes.len()), "{name}");
        group.bench_with_input(BenchmarkId::from_parameter(name), bytes, |b, bytes| {
            b.iter(|| read_so(black_box(bytes)));
        });
    }
    group.finish();
}

criterion_group!(benches, cliffs);
criterion_main!(benches);
