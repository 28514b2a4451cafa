//! Which module of the source may use which.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module with the others that it may use; what is not in this list it must not know. Lowest first.
const MODULES: [(&str, &[&str]); 8] = [
    ("text", &[]),
    // For the charset of a name.
    ("archive", &["files", "text"]),
    ("syntax", &["text"]),
    ("semantics", &["text", "syntax"]),
    ("read", &["text", "syntax"]),
    ("record", &["stable", "text", "syntax", "semantics"]),
    ("index", &["files", "stable", "syntax", "semantics", "record", "archive"]),
    ("listen", &["files", "text", "syntax", "read", "record", "index"]),
];

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

/// The names that follow `crate::` in a line; empty where that is a brace.
fn used(line: &str) -> impl Iterator<Item = &str> {
    let end = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    line.split("crate::").skip(1).map(move |rest| &rest[..end(rest)])
}

#[test]
fn each_module_uses_only_what_it_may_know() {
    for (room, others) in MODULES {
        for (path, source) in module_files(room) {
            for line in code(&source) {
                for name in used(line) {
                    // What helps unit tests knows nothing.
                    let is_allowed = name == room || name == "testing" || others.contains(&name);
                    assert!(is_allowed, "{}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn the_list_has_every_module() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let paths = fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> =
        paths.filter(|path| path.is_dir()).map(|path| path.file_name().unwrap().to_owned()).collect();
    // The guide is text.
    names.retain(|name| name != "bin" && name != "guide");
    names.sort();
    let mut listed = MODULES.map(|(room, _)| room);
    listed.sort_unstable();
    assert_eq!(names, listed);
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
