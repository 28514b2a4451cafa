//! Real files against the oracle, through every face: all files of the folder that `SGF_CORPORA` names, SGF or not.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use crate::support;
use crate::support::compare;

#[test]
fn every_file_reads_as_the_oracle_reads_it() {
    let Some(files) = support::corpora() else {
        eprintln!("NOT DONE: SGF_CORPORA is not set, so no real file was compared with the oracle");
        return;
    };

    let next = AtomicUsize::new(0);
    let bytes = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let input = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    bytes.fetch_add(input.len(), Ordering::Relaxed);
                    let named = Named(path);
                    compare(&input);
                    std::mem::forget(named);
                }
            });
        }
    });
    eprintln!("compared {} files, {} bytes", files.len(), bytes.into_inner());
}

/// Names the file when a comparison fails; the oracle's message shows only the beginning of its content.
struct Named<'a>(&'a Path);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        eprintln!("the file was {}", self.0.display());
    }
}
