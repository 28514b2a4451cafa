//! Every face on every corpus, and as yardsticks the time that merely touching the same bytes takes.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::hint::black_box;
use std::io;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use sgf_stream::{AsyncReader, Batcher, Reader, events};
use support::{CHUNK, Corpus, Count, GENERATED, Hash, PRO, Tally, push};

fn faces(c: &mut Criterion) {
    for corpus in GENERATED.into_iter().chain([&PRO]) {
        let bytes = corpus.bytes();
        let mut group = timing::group(c, corpus.name, bytes);
        push_face(&mut group, corpus);
        other_faces(&mut group, corpus);
        yardsticks(&mut group, bytes);
        group.finish();
    }
}

fn push_face(group: &mut BenchmarkGroup<'_, WallTime>, corpus: &Corpus) {
    let bytes = corpus.bytes();
    assert_eq!(push(bytes, Count::default()).0, corpus.tally, "{}", corpus.name);
    group.bench_function("push, counting", |b| b.iter(|| push(black_box(bytes), Count::default()).0));
    group.bench_function("push, hashing moves", |b| b.iter(|| push(black_box(bytes), Hash::default()).digest));
}

fn other_faces(group: &mut BenchmarkGroup<'_, WallTime>, corpus: &Corpus) {
    let bytes = corpus.bytes();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let with_async = || runtime.block_on(with_async_reader(bytes));
    let with_async_in_place = || runtime.block_on(with_async_reader_in_place(bytes));
    let faces: [(&str, &dyn Fn() -> Tally); 6] = [
        ("reader", &|| with_reader(bytes)),
        ("reader, buffered", &|| with_reader_in_place(bytes)),
        ("async reader", &with_async),
        ("async reader, buffered", &with_async_in_place),
        ("batches", &|| with_batches(bytes)),
        ("events iterator", &|| with_events(bytes)),
    ];
    for (name, read) in faces {
        assert_eq!(read(), corpus.tally, "{name} on {}", corpus.name);
        group.bench_function(name, |b| b.iter(|| black_box(read())));
    }
}

fn with_reader(bytes: &[u8]) -> Tally {
    let mut count = Count::default();
    let _ = Reader::new(bytes).read(&mut count).expect("memory does not fail");
    count.0
}

fn with_reader_in_place(bytes: &[u8]) -> Tally {
    let mut count = Count::default();
    let _ = Reader::new(bytes).read_buffered(&mut count).expect("memory does not fail");
    count.0
}

async fn with_async_reader(bytes: &[u8]) -> Tally {
    let mut count = Count::default();
    let _ = AsyncReader::new(bytes).read(&mut count).await.expect("memory does not fail");
    count.0
}

async fn with_async_reader_in_place(bytes: &[u8]) -> Tally {
    let mut count = Count::default();
    let _ = AsyncReader::new(bytes).read_buffered(&mut count).await.expect("memory does not fail");
    count.0
}

fn with_batches(bytes: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let mut batcher = Batcher::new();
    for chunk in bytes.chunks(CHUNK) {
        for event in batcher.feed(chunk) {
            tally.event(&event.expect("lenient reading goes on"));
        }
    }
    for event in batcher.finish() {
        tally.event(&event.expect("lenient reading goes on"));
    }
    tally
}

fn with_events(bytes: &[u8]) -> Tally {
    let mut tally = Tally::default();
    for event in events(bytes) {
        tally.event(&event.expect("lenient reading goes on"));
    }
    tally
}

fn yardsticks(group: &mut BenchmarkGroup<'_, WallTime>, bytes: &[u8]) {
    group.bench_function("yardstick: sum of all bytes", |b| {
        b.iter(|| black_box(bytes).iter().map(|&byte| u64::from(byte)).sum::<u64>());
    });
    group.bench_function("yardstick: memchr counts `;`", |b| {
        b.iter(|| memchr::memchr_iter(b';', black_box(bytes)).count());
    });
    group.bench_function("yardstick: io::copy to a sink", |b| {
        b.iter(|| io::copy(&mut io::Cursor::new(black_box(bytes)), &mut io::sink()).expect("memory does not fail"));
    });
}

criterion_group!(benches, faces);
criterion_main!(benches);
