//! The properties of the fuzz targets, tested on the small files of `corpora/cases` and on everything the fuzzer has kept.

pub(crate) mod account;
#[cfg(feature = "archive")]
pub(crate) mod archive;
mod batch;
#[cfg(feature = "tokio")]
mod codecs;
pub(crate) mod properties;
mod text;

use std::fs;
use std::path::Path;

use properties::Control;

/// The files of a folder of the package; none if the folder is missing.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths.filter(|path| path.is_file()).map(|path| fs::read(path).expect("a readable file")).collect()
}

/// Each single byte, which gives one answer throughout, and patterns that change.
fn controls(input: &[u8]) -> impl Iterator<Item = Control> {
    let patterns: [&[u8]; 6] =
        [&[], &[0, 15], &[1, 2, 3, 7, 14], &[5, 0, 64, 15], &[2, 3, 2, 2, 3, 14, 6], &[32, 33, 31, 7, 10]];
    (0..16).map(|byte| vec![byte]).chain(patterns.map(<[u8]>::to_vec)).map(|it| Control::new(input, &it))
}

fn every_case(property: fn(&[u8], &Control)) {
    let cases = files("corpora/cases");
    assert!(cases.len() > 60, "cases are missing");
    // Each case alone, and at an offset at which it crosses the scanner's blocks.
    for input in cases.iter().flat_map(|case| [case.clone(), [vec![b' '; 61].as_slice(), case, b"(;C[", case].concat()])
    {
        for control in controls(&input) {
            property(&input, &control);
        }
    }
}

/// What the fuzzer has kept for a target.
fn kept(target: &str) -> Vec<Vec<u8>> {
    let kept = [files(&format!("fuzz/corpus/{target}")), files(&format!("fuzz/artifacts/{target}"))].concat();
    if kept.is_empty() {
        eprintln!("NOT DONE: `.ci/fuzz {target} SECONDS` has not run here, so nothing that it keeps was read");
    }
    kept
}

fn every_kept_input(target: &str, property: fn(&[u8], &Control)) {
    for data in kept(target) {
        let (input, control) = properties::split(&data);
        property(input, &control);
    }
}

#[test]
fn cases_read_the_same_however_they_are_cut() {
    every_case(properties::chunks);
}

#[test]
fn skipping_cases_loses_nothing_else() {
    every_case(properties::skip);
}

#[test]
fn cases_have_the_same_text_however_they_are_read() {
    every_case(text::text);
}

#[test]
fn fuzz_corpus_has_the_same_text_however_it_is_read() {
    every_kept_input("text", text::text);
}

#[test]
fn fuzz_corpus_reads_the_same_however_it_is_cut() {
    every_kept_input("chunks", properties::chunks);
}

#[test]
fn skipping_in_the_fuzz_corpus_loses_nothing_else() {
    every_kept_input("skip", properties::skip);
}

#[test]
fn every_byte_of_the_cases_is_accounted_for() {
    every_case(account::account);
}

#[test]
fn every_byte_of_the_fuzz_corpus_is_accounted_for() {
    every_kept_input("account", account::account);
}

#[cfg(feature = "archive")]
#[test]
fn damaged_archives_read_the_same_however_they_are_opened() {
    use crate::support::archives::{COMPRESSIONS, CONTAINERS, compress, pack};

    let members: [(&str, &[u8]); 3] = [("a.sgf", b"(;B[aa])"), ("d/b.sgf", &[b'x'; 400]), ("readme", b"no")];
    let packed: Vec<Vec<u8>> = CONTAINERS.iter().map(|container| pack(container, &members)).collect();
    let compressed = COMPRESSIONS.iter().map(|compression| compress(compression, &packed[0]));
    let nested = compress("gz", &pack("zip", &[("in.tar.xz", &compress("xz", &packed[0])), ("c.sgf", b"(;)")]));
    let archives: Vec<Vec<u8>> = packed.iter().cloned().chain(compressed).chain([nested]).collect();
    for (number, archive) in archives.iter().enumerate() {
        archive::archive(archive, &Control::new(archive, &[3, 31, 11, 11, 11]));
        let step = 1 + archive.len() / 200;
        for at in (0..archive.len()).step_by(step) {
            archive::archive(&archive[..at], &Control::new(archive, &[at as u8, 31, 11, 11, 11, 7]));
            let mut damaged = archive.clone();
            damaged[at] ^= 1 << (at % 8);
            archive::archive(&damaged, &Control::new(archive, &[3, number as u8, 9, 10, 11, at as u8]));
        }
    }
}

#[cfg(feature = "archive")]
#[test]
fn archives_of_the_fuzz_corpus_read_the_same_however_they_are_opened() {
    for data in kept("archive") {
        let (input, control) = archive::split(&data);
        archive::archive(input, &control);
    }
}

#[test]
fn iterators_and_visitors_get_the_same_events_of_cases() {
    every_case(batch::batch);
}

#[test]
fn iterators_and_visitors_get_the_same_events_of_the_fuzz_corpus() {
    every_kept_input("batch", batch::batch);
}

#[cfg(feature = "tokio")]
#[test]
fn cases_read_game_by_game_as_they_read_whole() {
    every_case(codecs::codecs);
}

#[cfg(feature = "tokio")]
#[test]
fn fuzz_corpus_reads_game_by_game_as_it_reads_whole() {
    every_kept_input("codecs", codecs::codecs);
}
