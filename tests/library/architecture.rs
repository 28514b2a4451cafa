//! The rooms of the source and who may know whom: every arrow points down, towards the ground floor.

use std::fs;
use std::path::{Path, PathBuf};

/// Ground floor first. A room may use itself and the rooms before it.
const ROOMS: [&str; 8] = ["archive", "text", "syntax", "semantics", "read", "record", "index", "listen"];

fn sources(dir: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

fn room_files(room: &str) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room), &mut paths);
    assert!(!paths.is_empty(), "room {room} is empty");
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Code without comments, so that links in docs may point anywhere.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn no_room_knows_a_room_above_it() {
    for (floor, room) in ROOMS.iter().enumerate() {
        for (path, source) in room_files(room) {
            for line in code(&source) {
                for above in &ROOMS[floor + 1..] {
                    assert!(!line.contains(&format!("crate::{above}")), "{}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn grammar_and_meaning_do_no_input_or_output() {
    for (path, source) in ["text", "syntax", "semantics", "record"].into_iter().flat_map(room_files) {
        // An error keeps its source, so this one file may name the type.
        if path.ends_with("syntax/error.rs") {
            continue;
        }
        for line in code(&source) {
            for foreign in ["std::io", "std::fs", "tokio", "bytes::"] {
                let own_feature = line.contains("feature = \"tokio\"");
                assert!(own_feature || !line.contains(foreign), "{}: {line}", path.display());
            }
        }
    }
}

#[test]
fn only_the_faces_know_the_engine() {
    for (path, source) in room_files("syntax") {
        let within = path.components().any(|part| part.as_os_str() == "engine");
        // What recodes in front of the engine is a part of the parser.
        if within || path.ends_with("syntax/parser.rs") || path.ends_with("syntax/recoded.rs") {
            continue;
        }
        for line in code(&source) {
            assert!(!line.contains("engine::"), "{}: {line}", path.display());
        }
    }
}

#[test]
fn the_searches_know_nothing() {
    for (path, source) in room_files("syntax/scan") {
        for line in code(&source) {
            let names = line.replace("pub(in crate::syntax)", "");
            assert!(!names.contains("crate::"), "{}: {line}", path.display());
        }
    }
}
