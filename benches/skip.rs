//! Skipping: whole games, moves after the header, values, variations; and cutting a stream into games.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::StreamExt;
use sgf_stream::{Frame, GameDecoder, MainLine};
use support::{CHUNK, COMMENTS, Count, GENERATED, Headers, MOVES, NoValues, Over, VARIATIONS, push, repair};
use tokio_util::codec::FramedRead;

fn skip(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for corpus in GENERATED {
        let bytes = corpus.bytes();
        let games = corpus.tally.games;
        let mut group = timing::group(c, &format!("skip in {}", corpus.name), bytes);

        assert_eq!(push(bytes, Over::default()).0, games);
        group.bench_function("over every game", |b| b.iter(|| push(black_box(bytes), Over::default()).0));

        assert_eq!(repair(bytes, Over::default()).0, repair(bytes, Count::default()).0.games);
        group.bench_function("over every game, repairing", |b| b.iter(|| repair(black_box(bytes), Over::default()).0));

        assert_eq!(push(bytes, Headers::default()).games, games);
        group.bench_function("headers only", |b| b.iter(|| push(black_box(bytes), Headers::default()).values));

        assert_eq!(push(bytes, NoValues::default()).0, corpus.tally.properties);
        group.bench_function("no values", |b| b.iter(|| push(black_box(bytes), NoValues::default()).0));

        // Games over the decoder's limit do not count.
        let expected = if bytes.len() as u64 / games > GameDecoder::DEFAULT_LIMIT { 0 } else { games };
        assert_eq!(runtime.block_on(frames(bytes)), expected, "{}", corpus.name);
        group.bench_function("game decoder", |b| b.iter(|| runtime.block_on(frames(black_box(bytes)))));
        group.finish();
    }
}

/// One game so long that only skipping matters: the speed of the scanner.
fn one_long_game(c: &mut Criterion) {
    let moves = MOVES.bytes().iter().copied().filter(|byte| !b"()".contains(byte));
    let bytes: Vec<u8> = [b'('].into_iter().chain(moves).chain([b')']).collect();
    let mut group = timing::group(c, "skip in one long game", &bytes);
    assert_eq!(push(&bytes, Over::default()).0, 1);
    group.bench_function("over every game", |b| b.iter(|| push(black_box(&bytes), Over::default()).0));
    group.finish();
}

/// Values so long that only their bytes matter, read and skipped; the games declare no charset and have twenty each.
fn long_comments(c: &mut Criterion) {
    let words = COMMENTS.bytes().iter().copied().filter(|byte| byte.is_ascii() && !b"()[];\\".contains(byte));
    let words: Vec<u8> = words.collect();
    for len in [1_000, 10_000, 100_000] {
        let nodes: Vec<Vec<u8>> = words.chunks_exact(len).map(|text| [b";B[pd]C[", text, b"]\n"].concat()).collect();
        let bytes: Vec<u8> =
            nodes.chunks(20).flat_map(|nodes| [b"(;GM[1]\n", &nodes.concat()[..], b")\n"].concat()).collect();
        let mut group = timing::group(c, &format!("skip in comments of {len}"), &bytes);
        let values = (2 * nodes.len() + nodes.len().div_ceil(20)) as u64;
        assert_eq!(push(&bytes, Count::default()).0.values, values);
        group.bench_function("push, counting", |b| b.iter(|| push(black_box(&bytes), Count::default()).0.values));
        assert_eq!(push(&bytes, NoValues::default()).0, values);
        group.bench_function("no values", |b| b.iter(|| push(black_box(&bytes), NoValues::default()).0));
        group.finish();
    }
}

async fn frames(bytes: &[u8]) -> u64 {
    let mut frames = FramedRead::with_capacity(bytes, GameDecoder::new(), CHUNK);
    let mut games = 0;
    while let Some(frame) = frames.next().await {
        games += u64::from(matches!(frame, Ok(Frame::Game(_))));
    }
    games
}

fn main_line(c: &mut Criterion) {
    let bytes = VARIATIONS.bytes();
    let mut group = timing::group(c, "skip in variations", bytes);
    let count = || push(black_box(bytes), MainLine::new(Count::default())).into_inner().0;
    assert_eq!(count().games, VARIATIONS.tally.games);
    assert!(count().nodes < VARIATIONS.tally.nodes);
    group.bench_function("main line only", |b| b.iter(count));
    group.finish();
}

criterion_group!(benches, skip, one_long_game, long_comments, main_line);
criterion_main!(benches);
