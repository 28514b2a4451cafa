//! The command over archives: whatever games are packed into, they count the same.

#![cfg(feature = "cli")]

#[path = "support/archives.rs"]
mod archives;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use archives::{COMPRESSIONS, CONTAINERS, compress, pack};
use serde_json::Value;

const GAMES: [(&str, &[u8]); 4] = [
    ("a.sgf", b"(;GM[1]CA[utf-8];B[aa];W[bb])(;C[x]"),
    ("d/b.SGF", b"junk(;GM[11];B[cc](;W[dd])(;W[ee]))\n"),
    ("c.mgt", b"(;A[];B[ff]KM[6.5])"),
    ("empty.sgf", b""),
];

fn sgf() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sgf"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env("LC_ALL", "C");
    command
}

/// A fresh directory.
fn folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli_archive").join(name);
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).unwrap();
    root
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn run(root: &Path, args: &[&str]) -> Output {
    sgf().current_dir(root).args(args).output().unwrap()
}

fn run_with_input(root: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = sgf().current_dir(root).args(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    // A program that has seen enough may close its end.
    let _ = writer.join().unwrap();
    output
}

/// What is counted, without what depends on the time or the name.
fn counts(output: &Output) -> Value {
    let mut found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    for key in ["seconds", "deepest", "first_problems"] {
        found.as_object_mut().unwrap().remove(key);
    }
    found
}

#[track_caller]
fn assert_quiet(output: &Output) {
    assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)));
}

/// Counts from a path and from a pipe, on one thread and on several.
#[track_caller]
fn assert_counts(root: &Path, name: &str, bytes: &[u8], expected: &Value) {
    fs::write(root.join(name), bytes).unwrap();
    for threads in ["1", "3"] {
        let args = ["scan", "--json", "--threads", threads, "--block-len", "20"];
        let path = run(root, &[&args[..], &[name]].concat());
        assert_quiet(&path);
        assert_eq!(&counts(&path), expected, "{name}, {threads} threads");
        let pipe = run_with_input(root, &args, bytes);
        assert_quiet(&pipe);
        assert_eq!(&counts(&pipe), expected, "{name} in a pipe, {threads} threads");
    }
}

/// What the files count when nothing is packed.
fn plain_counts(root: &Path) -> Value {
    fs::create_dir_all(root.join("plain/d")).unwrap();
    for (name, bytes) in GAMES {
        fs::write(root.join("plain").join(name), bytes).unwrap();
    }
    let plain = run(root, &["scan", "--json", "plain"]);
    assert_quiet(&plain);
    counts(&plain)
}

#[test]
fn every_container_counts_the_same() {
    let root = folder("containers");
    let expected = plain_counts(&root);
    assert_eq!(expected["files"], 4);
    for container in CONTAINERS {
        let packed = pack(container, &GAMES);
        assert_counts(&root, &format!("all.{container}"), &packed, &expected);
        for compression in COMPRESSIONS {
            let name = format!("all.{container}.{compression}");
            assert_counts(&root, &name, &compress(compression, &packed), &expected);
        }
        // The name tells nothing.
        assert_counts(&root, "all.txt", &packed, &expected);
    }
}

#[test]
fn every_compression_counts_the_same_also_in_parts() {
    let root = folder("compressions");
    let games = b"(;GM[1];B[aa];W[bb])\n".repeat(5_000);
    fs::write(root.join("plain.sgf"), &games).unwrap();
    let expected = counts(&run(&root, &["scan", "--json", "plain.sgf"]));
    for compression in COMPRESSIONS {
        assert_counts(&root, &format!("one.sgf.{compression}"), &compress(compression, &games), &expected);
        let parts: Vec<u8> = games.chunks(30_001).flat_map(|part| compress(compression, part)).collect();
        assert_counts(&root, &format!("many.sgf.{compression}"), &parts, &expected);
        // Compressed twice.
        assert_counts(&root, "twice", &compress("gz", &compress(compression, &games)), &expected);
    }
}

#[test]
fn archives_in_archives_are_opened() {
    let root = folder("nested");
    let expected = plain_counts(&root);
    for (outer, inner) in CONTAINERS.iter().flat_map(|outer| CONTAINERS.map(|inner| (*outer, inner))) {
        let inside = pack(inner, &GAMES[1..]);
        let first = compress("xz", GAMES[0].1);
        let packed = pack(outer, &[("a.sgf.xz", &first), ("x/rest", b"(;not read"), ("more.zip", &inside)]);
        assert_counts(&root, "nested.bin", &packed, &expected);
    }
}

#[test]
fn what_is_cut_off_is_read_and_said() {
    let root = folder("cut");
    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let games: Vec<u8> = (0..60_000).flat_map(|n| format!("(;GN[{}];B[aa];W[bb])\n", random(n)).into_bytes()).collect();
    for compression in COMPRESSIONS {
        let packed = compress(compression, &games);
        let name = format!("cut.{compression}");
        fs::write(root.join(&name), &packed[..packed.len() * 9 / 10]).unwrap();
        for threads in ["1", "3"] {
            let output = run(&root, &["scan", "--json", "--threads", threads, &name]);
            assert_eq!(output.status.code(), Some(2), "{name}");
            let said = text(&output.stderr);
            assert!(said.starts_with(&format!("sgf: {name}: ")) && said.lines().count() == 1, "{said}");
            assert!(counts(&output)["games"].as_u64().unwrap() > 20_000, "{name}");
        }
    }
}

#[test]
fn bytes_after_the_end_are_said_and_no_failure() {
    let root = folder("after");
    let expected = plain_counts(&root);
    let mut tar = pack("tar", &GAMES);
    tar.extend_from_slice(b"more");
    fs::write(root.join("after.tar"), &tar).unwrap();
    let output = run(&root, &["scan", "--json", "after.tar"]);
    let said = "sgf: after.tar: 4 bytes after the end of the archive were passed over\n";
    assert_eq!((text(&output.stderr), output.status.code()), (said, Some(0)));
    assert_eq!(counts(&output), expected);
    for compression in COMPRESSIONS {
        let mut packed = compress(compression, &pack("tar", &GAMES));
        packed.extend_from_slice(b"more");
        fs::write(root.join("after"), &packed).unwrap();
        let output = run(&root, &["scan", "--json", "after"]);
        let said = "sgf: after: 4 bytes after the end of the archive were passed over\n";
        assert_eq!((text(&output.stderr), output.status.code()), (said, Some(0)), "{compression}");
        assert_eq!(counts(&output), expected);
    }
}
