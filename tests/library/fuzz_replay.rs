//! The properties of the fuzz targets, held on the small files of `corpora/cases` and on whatever the fuzzer has kept.

pub(crate) mod account;
#[cfg(feature = "archive")]
mod archive;
mod batch;
#[cfg(feature = "tokio")]
mod codecs;
pub(crate) mod properties;
mod text;

use std::fs;
use std::path::Path;

use properties::Control;

/// The files of a folder of the package; none if there is no such folder.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths.filter(|path| path.is_file()).map(|path| fs::read(path).expect("a readable file")).collect()
}

/// One byte decides the same each time; then some that change.
fn controls(input: &[u8]) -> impl Iterator<Item = Control> {
    let patterns: [&[u8]; 6] =
        [&[], &[0, 15], &[1, 2, 3, 7, 14], &[5, 0, 64, 15], &[2, 3, 2, 2, 3, 14, 6], &[32, 33, 31, 7, 10]];
    (0..16).map(|byte| vec![byte]).chain(patterns.map(<[u8]>::to_vec)).map(|it| Control::new(input, &it))
}

fn every_case(property: fn(&[u8], &Control)) {
    let cases = files("corpora/cases");
    assert!(cases.len() > 60, "the cases are part of the package");
    // A case, and the same past the blocks that the searches look at.
    for input in cases.iter().flat_map(|case| [case.clone(), [vec![b' '; 61].as_slice(), case, b"(;C[", case].concat()])
    {
        for control in controls(&input) {
            property(&input, &control);
        }
    }
}

fn everything_kept(folder: &str, property: fn(&[u8], &Control)) {
    for data in files(folder) {
        let (input, control) = properties::split(&data);
        property(input, &control);
    }
}

#[test]
fn cases_read_the_same_however_they_are_cut() {
    every_case(properties::chunks);
}

#[test]
fn cases_skip_as_they_read() {
    every_case(properties::skip);
}

#[test]
fn cases_have_the_same_text_by_every_way() {
    every_case(text::text);
}

#[test]
fn what_the_fuzzer_kept_has_the_same_text_by_every_way() {
    everything_kept("fuzz/corpus/text", text::text);
    everything_kept("fuzz/artifacts/text", text::text);
}

#[test]
fn what_the_fuzzer_kept_reads_the_same_however_it_is_cut() {
    everything_kept("fuzz/corpus/chunks", properties::chunks);
    everything_kept("fuzz/artifacts/chunks", properties::chunks);
}

#[test]
fn what_the_fuzzer_kept_skips_as_it_reads() {
    everything_kept("fuzz/corpus/skip", properties::skip);
    everything_kept("fuzz/artifacts/skip", properties::skip);
}

#[test]
fn every_byte_of_the_cases_is_accounted_for() {
    every_case(account::account);
}

#[test]
fn every_byte_of_what_the_fuzzer_kept_is_accounted_for() {
    everything_kept("fuzz/corpus/account", account::account);
    everything_kept("fuzz/artifacts/account", account::account);
}

#[cfg(feature = "archive")]
#[test]
fn archives_are_opened_the_same_by_every_way_wherever_they_are_damaged() {
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
fn what_the_fuzzer_kept_of_archives_is_opened_the_same_by_every_way() {
    for data in files("fuzz/corpus/archive").iter().chain(&files("fuzz/artifacts/archive")) {
        let (input, control) = archive::split(data);
        archive::archive(input, &control);
    }
}

#[test]
fn cases_pull_as_they_push() {
    every_case(batch::batch);
}

#[test]
fn what_the_fuzzer_kept_pulls_as_it_pushes() {
    everything_kept("fuzz/corpus/batch", batch::batch);
    everything_kept("fuzz/artifacts/batch", batch::batch);
}

#[cfg(feature = "tokio")]
#[test]
fn cases_read_game_by_game_as_they_read_whole() {
    every_case(codecs::codecs);
}

#[cfg(feature = "tokio")]
#[test]
fn what_the_fuzzer_kept_reads_game_by_game_as_it_reads_whole() {
    everything_kept("fuzz/corpus/codecs", codecs::codecs);
    everything_kept("fuzz/artifacts/codecs", codecs::codecs);
}
