//! How many instructions reading takes: the figure to gate on, since it does not depend on the machine's load.
//!
//! Each task reads one sample of each corpus. `.ci/instructions` runs this under valgrind and compares the figures with
//! `instructions.tsv`. A package by itself, because it shares no dependency with the benches that time.

#![allow(missing_docs, reason = "the macros of the counter make public items")]

#[path = "../support/mod.rs"]
mod support;

use std::hint::black_box;

use gungraun::Callgrind;
use gungraun::prelude::*;
use samples::{damage, letters, problems, quotes, texts};
use sgf_stream::{Config, Frame, GameDecoder, Parser};
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
    let _ = Parser::with_config(Config::archives())
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
