//! Which module of the source may use which: dependencies point down the list only.

use std::fs;
use std::path::{Path, PathBuf};

/// Lowest first. A module may use itself and the modules before it.
const MODULES: [&str; 8] = ["archive", "text", "syntax", "semantics", "read", "record", "index", "listen"];

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

fn module_files(room: &str) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room), &mut paths);
    assert!(!paths.is_empty(), "module {room} is empty");
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Code without comments, so that links in docs may point anywhere.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn no_module_uses_one_above_it() {
    for (floor, room) in MODULES.iter().enumerate() {
        for (path, source) in module_files(room) {
            for line in code(&source) {
                for above in &MODULES[floor + 1..] {
                    assert!(!line.contains(&format!("crate::{above}")), "{}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn text_syntax_semantics_and_record_do_no_io() {
    for (path, source) in ["text", "syntax", "semantics", "record"].into_iter().flat_map(module_files) {
        // `Error` keeps an I/O error as its source, so this file may name the type.
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
fn only_the_parser_uses_the_engine() {
    for (path, source) in module_files("syntax") {
        let within = path.components().any(|part| part.as_os_str() == "engine");
        // The recoding in front of the engine is a part of the parser.
        if within || path.ends_with("syntax/parser.rs") || path.ends_with("syntax/recoded.rs") {
            continue;
        }
        for line in code(&source) {
            assert!(!line.contains("engine::"), "{}: {line}", path.display());
        }
    }
}

#[test]
fn scan_uses_nothing_else_of_the_crate() {
    for (path, source) in module_files("syntax/scan") {
        for line in code(&source) {
            let names = line.replace("pub(in crate::syntax)", "").replace("crate::testing", "");
            assert!(!names.contains("crate::"), "{}: {line}", path.display());
        }
    }
}
