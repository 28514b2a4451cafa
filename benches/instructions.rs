//! How many instructions reading takes: the figure to gate on, since it does not depend on the machine's load.
//!
//! Each task reads one sample of each corpus. `.ci/instructions` runs this under valgrind and compares the figures with
//! `instructions.tsv`.

#![allow(missing_docs, reason = "the macros of the counter make public items")]

mod support;

use std::hint::black_box;

use gungraun::Callgrind;
use gungraun::prelude::*;
use sgf_stream::{Frame, GameDecoder, Parser};
use support::{COMMENTS, Corpus, Count, GIANT, Hash, MOVES, Over, PATHOLOGICAL, PRO, SAMPLE, VARIATIONS, push};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder;

fn sample(corpus: &Corpus) -> Vec<u8> {
    corpus.sample()
}

fn buffer(corpus: &Corpus) -> BytesMut {
    BytesMut::from(&corpus.sample()[..])
}

#[library_benchmark]
#[bench::moves(args = (&MOVES), setup = sample)]
#[bench::comments(args = (&COMMENTS), setup = sample)]
#[bench::variations(args = (&VARIATIONS), setup = sample)]
#[bench::giant(args = (&GIANT), setup = sample)]
#[bench::pathological(args = (&PATHOLOGICAL), setup = sample)]
#[bench::pro(args = (&PRO), setup = sample)]
#[bench::texts(args = (SAMPLE), setup = texts)]
fn counting(bytes: Vec<u8>) -> u64 {
    push(black_box(&bytes), Count::default()).0.values
}

#[library_benchmark]
#[bench::moves(args = (&MOVES), setup = sample)]
#[bench::comments(args = (&COMMENTS), setup = sample)]
#[bench::variations(args = (&VARIATIONS), setup = sample)]
#[bench::giant(args = (&GIANT), setup = sample)]
#[bench::pathological(args = (&PATHOLOGICAL), setup = sample)]
#[bench::pro(args = (&PRO), setup = sample)]
fn hashing(bytes: Vec<u8>) -> u64 {
    push(black_box(&bytes), Hash::default()).digest
}

#[library_benchmark]
#[bench::moves(args = (&MOVES), setup = sample)]
#[bench::comments(args = (&COMMENTS), setup = sample)]
#[bench::variations(args = (&VARIATIONS), setup = sample)]
#[bench::giant(args = (&GIANT), setup = sample)]
#[bench::pathological(args = (&PATHOLOGICAL), setup = sample)]
#[bench::pro(args = (&PRO), setup = sample)]
fn over(bytes: Vec<u8>) -> u64 {
    push(black_box(&bytes), Over::default()).0
}

#[library_benchmark]
#[bench::moves(args = (&MOVES), setup = buffer)]
#[bench::comments(args = (&COMMENTS), setup = buffer)]
#[bench::variations(args = (&VARIATIONS), setup = buffer)]
#[bench::giant(args = (&GIANT), setup = buffer)]
#[bench::pathological(args = (&PATHOLOGICAL), setup = buffer)]
#[bench::pro(args = (&PRO), setup = buffer)]
fn frames(mut buffer: BytesMut) -> u64 {
    let mut decoder = GameDecoder::new();
    let mut games = 0;
    while let Some(frame) = decoder.decode_eof(&mut buffer).expect("lenient reading goes on") {
        games += u64::from(matches!(frame, Frame::Game(_)));
    }
    games
}

/// Games from problem collections, and of games other than Go, which cost more than moves: lists of stones, labels, short
/// variations, other boards, roots without information, and names in undeclared GBK.
fn problems(len: usize) -> Vec<u8> {
    let setup = b"(;AB[ba][bb][bc][cd]AW[ca][cb][da][dd][eb]C[Black lives]LB[aa:1][ab:2]\n(;B[ac];W[ab]\n(;B[ad]C[right]))\n(;B[aa]C[no]))\n";
    let names = b"(;GM[1]SZ[19]PB[\xBF\xD7\xBD\xDC]PW[\xB9\xC5\xC1\xA6]BR[9\xB6\xCE]EV[\xC3\xFB\xC8\xCB\xD5\xBD]RE[\xBA\xDA\xD6\xD0\xC5\xCC\xCA\xA4];B[pd];W[])\n";
    let hex = b"(;FF[4]GM[11]SZ[11];B[a3];W[swap-pieces];B[f6];W[k11];B[e7])\n";
    [&setup[..], names, hex].concat().into_iter().cycle().take(len).collect()
}

/// Games with long ASCII comments and no declared charset.
fn texts(len: usize) -> Vec<u8> {
    let node = |words: usize| format!(";B[pd]C[{}]\n", "what is said of this move ".repeat(words));
    let game = ["(;GM[1]SZ[19]", &node(30), &node(80), &node(200), ")\n"].concat();
    game.into_bytes().into_iter().cycle().take(len).collect()
}

/// Games whose comments quote games: each quoted node may be the root of another game.
fn quotes(len: usize) -> Vec<u8> {
    let game = format!("(;GM[1]SZ[19];B[pd]C[{}])\n", "(;B[aa\\];W[bb\\]\n".repeat(200));
    game.into_bytes().into_iter().cycle().take(len).collect()
}

/// Games in Latin letters that are labelled GB2312.
fn damage(len: usize) -> Vec<u8> {
    let game = [
        &b"(;GM[1]SZ[19]CA[GB2312]"[..],
        &b";B[pd]C[Wei\xDF spielt gr\xF6\xDFer f\xFCr sp\xE4ter]".repeat(100),
        b")\n",
    ]
    .concat();
    game.into_iter().cycle().take(len).collect()
}

/// Games with comments in undeclared windows-1251. Values are taken whole, so the charset is decided before each is
/// delivered.
fn letters(len: usize) -> Vec<u8> {
    let comment = b";B[pd]C[\xC1\xE5\xEB\xFB\xE5 \xF3\xF1\xEF\xE5\xEB\xE8 \xE2 \xF3\xE3\xEE\xEB]";
    let game = [&b"(;GM[1]SZ[19]"[..], &comment.repeat(60), b")\n"].concat();
    game.into_iter().cycle().take(len).collect()
}

#[library_benchmark]
#[bench::moves(args = (&MOVES), setup = sample)]
#[bench::variations(args = (&VARIATIONS), setup = sample)]
#[bench::pro(args = (&PRO), setup = sample)]
#[bench::problems(args = (SAMPLE), setup = problems)]
#[bench::texts(args = (SAMPLE), setup = texts)]
#[bench::quotes(args = (SAMPLE), setup = quotes)]
#[bench::damage(args = (SAMPLE), setup = damage)]
#[bench::letters(args = (SAMPLE), setup = letters)]
fn repairing(bytes: Vec<u8>) -> u64 {
    let mut count = Count::default();
    let _ = Parser::with_config(support::repairing())
        .read_slice(black_box(&bytes), &mut count)
        .expect("lenient reading goes on");
    count.0.values
}

library_benchmark_group!(name = reading, benchmarks = [counting, hashing, repairing, over, frames]);

// Only instructions are counted; simulating caches would take time.
main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups = reading
);
