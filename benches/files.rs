//! A file in the page cache: blocking and tokio reads with buffers of several sizes, and a read without parsing.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use sgf_stream::{AsyncReader, Reader};
use support::{Count, MOVES, Tally};

const BUFFERS: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1 << 20];

fn files(c: &mut Criterion) {
    let bytes = MOVES.bytes();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("moves.sgf");
    std::fs::write(&path, bytes).expect("a writable target directory");
    let mut group = timing::group(c, "file of moves", bytes);
    blocking(&mut group, &path);
    asynchronous(&mut group, &path);
    group.bench_function("yardstick: read to nowhere", |b| b.iter(|| read_all(&path)));
    group.finish();
}

fn blocking(group: &mut BenchmarkGroup<'_, WallTime>, path: &Path) {
    for len in BUFFERS {
        let read = || {
            let mut count = Count::default();
            let file = File::open(path).expect("the file was written");
            let _ = Reader::new(file).buffer_len(len).read(&mut count).expect("a readable file");
            count.0
        };
        assert_eq!(read(), MOVES.tally);
        group.bench_function(format!("reader, {} KiB", len >> 10), |b| b.iter(read));
    }
}

fn asynchronous(group: &mut BenchmarkGroup<'_, WallTime>, path: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    for len in BUFFERS {
        let read = || runtime.block_on(read_file(path.to_path_buf(), len));
        assert_eq!(read(), MOVES.tally);
        group.bench_function(format!("tokio file, {} KiB", len >> 10), |b| b.iter(read));
    }
}

async fn read_file(path: PathBuf, len: usize) -> Tally {
    let mut count = Count::default();
    let mut file = tokio::fs::File::open(path).await.expect("the file was written");
    file.set_max_buf_size(len);
    let _ = AsyncReader::new(file).buffer_len(len).read(&mut count).await.expect("a readable file");
    count.0
}

fn read_all(path: &Path) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 256 << 10];
    let mut total = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(total),
            len => total += len,
        }
    }
}

criterion_group!(benches, files);
criterion_main!(benches);
