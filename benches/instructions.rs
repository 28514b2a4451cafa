//! How many instructions reading takes: the figure that does not depend on what else the machine does, so the one to gate on.
//!
//! Each task reads one sample of each corpus. `.ci/instructions` runs this under valgrind and holds the figures against
//! `instructions.tsv`.

#![allow(missing_docs, reason = "the macros of the counter make public items")]

mod support;

use std::hint::black_box;

use gungraun::Callgrind;
use gungraun::prelude::*;
use sgf_stream::{Frame, GameDecoder};
use support::{COMMENTS, Corpus, Count, GIANT, Hash, MOVES, Over, PATHOLOGICAL, PRO, VARIATIONS, push};
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

library_benchmark_group!(name = reading, benchmarks = [counting, hashing, over, frames]);

// Instructions are all that is asked for; caches that are made up only take time.
main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups = reading
);
