//! What the size of the chunks costs, from 64 bytes to 1 MiB: a small chunk cuts more tokens.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sgf_stream::Config;
use support::{COMMENTS, Count, MOVES, push_chunks};

fn chunks(c: &mut Criterion) {
    for corpus in [&MOVES, &COMMENTS] {
        let bytes = corpus.bytes();
        let mut group = timing::group(c, &format!("chunks of {}", corpus.name), bytes);
        for len in (6..=20).step_by(2).map(|bits| 1_usize << bits) {
            assert_eq!(push_chunks(&Config::new(), bytes, len, Count::default()).0, corpus.tally, "chunks of {len}");
            group.bench_with_input(BenchmarkId::from_parameter(len), &len, |b, &len| {
                b.iter(|| push_chunks(&Config::new(), black_box(bytes), len, Count::default()).0);
            });
        }
        group.finish();
    }
}

criterion_group!(benches, chunks);
criterion_main!(benches);
