//! The command as a program: its output, its messages and its exit codes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::command::peak_data_of_flood;
use crate::command::{self, assert_quiet, feed, no_file, no_folder, run, sgf, text};

/// A file with something of everything.
const MIXED: &[u8] = b"junk\n\
    (;FF[4]GM[1]CA[utf-8]AB[aa][bb]C[one\\\ntwo]\n\
    (;B[cc];W[dd])(;B[ee]())KM[6.5];ZZ[])\n\
    (;GM[11]MULTIGOGM[1]CoPyright[x]abc[y])\n\
    (;B[un";

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("cli", name, files)
}

fn run_with_input(args: &[&str], input: &[u8]) -> Output {
    feed(sgf().args(args), input)
}

fn json(output: &Output) -> Value {
    assert_eq!(text(&output.stdout).lines().count(), 1, "not one object on one line");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn assert_counts(found: &Value, expected: &[(&str, u64)]) {
    for (key, count) in expected {
        assert_eq!(found[key], *count, "{key} in {found}");
    }
}

#[test]
fn scan_counts_everything() {
    let output = run_with_input(&["scan", "--plain", "--json"], MIXED);
    assert_quiet(&output);
    let found = json(&output);
    assert_counts(
        &found,
        &[
            ("files", 1),
            ("bytes", MIXED.len() as u64),
            ("games", 3),
            ("trees", 6),
            ("nodes", 8),
            ("properties", 15),
            ("values", 15),
            ("value_bytes", 33),
            ("max_depth", 3),
            ("charsets_not_stated", 2),
            ("game_types_not_stated", 1),
        ],
    );
    assert_counts(
        &found["problems"],
        &[
            ("junk", 1),
            ("empty-variation", 1),
            ("missing-semicolon", 1),
            ("lowercase-identifier", 1),
            ("unclosed-tree", 1),
            ("unexpected-eof", 1),
        ],
    );
    assert_eq!(found["problems"].as_object().unwrap().len(), 6);
    assert_counts(
        &found["idents"],
        &[("B", 3), ("GM", 2), ("AB", 1), ("CA", 1), ("MULTIGOGM", 1), ("CP", 1), ("abc", 1), ("ZZ", 1)],
    );
    assert_counts(&found["charsets"], &[("UTF-8", 1)]);
    assert_counts(&found["game_types"], &[("1", 1), ("11", 1)]);
    assert!(found["seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn scan_of_empty_input_is_fine() {
    for args in [&["scan", "--json"][..], &["scan", "-", "--json", "--strict"]] {
        let output = run_with_input(args, b"");
        assert_quiet(&output);
        assert_counts(&json(&output), &[("files", 1), ("bytes", 0), ("games", 0), ("max_depth", 0)]);
    }
}

#[test]
fn scan_counts_values_of_any_length() {
    let mut input = b"(;C[".to_vec();
    input.resize(5 << 20, b'x');
    input.extend_from_slice(b"]C[]");
    let output = run_with_input(&["scan", "--json"], &input);
    let found = json(&output);
    assert_counts(&found, &[("values", 2), ("value_bytes", (5 << 20) - 4)]);
    assert_eq!(found["problems"], serde_json::json!({ "unclosed-tree": 1 }));
}

#[test]
fn scan_does_not_count_an_unclosed_value() {
    let mut input = b"(;C[abc]C[".to_vec();
    input.resize(2 << 20, b'x');
    assert_counts(&json(&run_with_input(&["scan", "--json"], &input)), &[("values", 1), ("value_bytes", 3)]);
}

#[test]
fn scan_takes_charset_and_game_from_the_root_node_only() {
    let games = b"(;GM[2];GM[3]CA[late])(;CA[ Big5 ]CA[second](;GM[4]))(;CA[])(;GM[open";
    let found = json(&run_with_input(&["scan", "--json"], games));
    assert_eq!(found["charsets"], serde_json::json!({ "BIG5": 1, "": 1 }));
    assert_eq!(found["charsets_not_stated"], 2);
    assert_eq!(found["game_types"], serde_json::json!({ "2": 1 }));
    assert_eq!(found["game_types_not_stated"], 3);
}

#[test]
fn scan_has_one_row_for_each_game() {
    let games = b"(;GM[1])(;GM[Reversi])(;GM[2])(;GM[2])(;GM[othello])(;GM[x])(;GM[])(;GM[the othello])";
    let output = run_with_input(&["scan"], games);
    let table = text(&output.stdout);
    let rows: Vec<&str> = table.lines().skip_while(|line| !line.contains("game types")).skip(1).take(4).collect();
    let labels: Vec<&str> = rows.iter().map(|row| row.trim().split("  ").next().unwrap_or_default()).collect();
    assert_eq!(labels, ["Othello (2, Reversi, othello, \u{2026})", "(empty)", "Go (1)", "x"]);
}

#[test]
fn scan_tells_identifiers_apart_up_to_a_limit() {
    let mut input = b"(;".to_vec();
    for number in 0..30_000 {
        write!(input, "X{number}Y[]").unwrap();
    }
    let found = json(&run_with_input(&["scan", "--json"], &input));
    assert_eq!(found["properties"], 30_000);
    assert_eq!(found["idents"].as_object().unwrap().len(), 10_000);
    assert_eq!(found["idents_other"], 20_000);
}

#[test]
fn scan_prints_a_table() {
    let root = folder("table", &[("mixed.sgf", MIXED)]);
    let output = run(&root, &["scan", "--plain", "mixed.sgf"]);
    assert_quiet(&output);
    let shown: Vec<&str> = text(&output.stdout)
        .lines()
        .map(|line| if line.starts_with("  time ") && line.ends_with(" MB/s") { "  time" } else { line })
        .collect();
    assert_eq!(format!("{}\n", shown.join("\n")), include_str!("table.txt"));
}

#[test]
fn a_directory_is_walked_in_order_of_names() {
    let root = folder(
        "walk",
        &[
            ("b/2.SGF", b"(;B[aa])"),
            ("b/10.sgf", b"(;B[bb])"),
            ("a.Sgf", b"(;B[cc])"),
            ("c.txt", b"(;B[dd])"),
            ("sgf", b"(;B[ee])"),
            ("d.sgf/e.sgf", b"(;B[ff])"),
        ],
    );
    let output = run(&root, &["events", "."]);
    assert_quiet(&output);
    let mut files = Vec::new();
    for line in text(&output.stdout).lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        if event["event"] == "enter" {
            files.push(event["file"].as_str().unwrap().replace('\\', "/"));
        }
    }
    assert_eq!(files, ["./a.Sgf", "./b/10.sgf", "./b/2.SGF", "./d.sgf/e.sgf"]);
}

#[test]
fn a_named_file_is_read_whatever_its_name() {
    let root = folder("named", &[("game.txt", b"(;B[aa])")]);
    assert_counts(&json(&run(&root, &["scan", "--json", "game.txt"])), &[("files", 1), ("nodes", 1)]);
}

#[test]
fn a_directory_without_games_is_reported() {
    let root = folder("nothing", &[("game.txt", b"(;B[aa])")]);
    let output = run(&root, &["scan", "."]);
    assert_eq!(text(&output.stderr), "sgf: .: no .sgf file in this directory\n");
    // As in JSON, it is counted all the same.
    let rows: Vec<_> = text(&output.stdout).lines().map(|row| row.split_whitespace().collect::<Vec<_>>()).collect();
    assert!(rows.contains(&vec!["files", "0"]) && rows.contains(&vec!["games", "0"]), "{rows:?}");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_not_in_circles() {
    use std::os::unix::fs::symlink;
    let root = folder("links", &[("in/a.sgf", b"(;B[aa])"), ("out/b.sgf", b"(;B[bb])")]);
    symlink("..", root.join("in/up")).unwrap();
    symlink(".", root.join("in/self")).unwrap();
    symlink("../out", root.join("in/out")).unwrap();
    symlink("../out", root.join("in/out again")).unwrap();
    symlink("nowhere", root.join("in/.#lock")).unwrap();
    let output = run(&root, &["scan", "--json", "in"]);
    assert_quiet(&output);
    assert_counts(&json(&output), &[("files", 2), ("bytes", 16)]);
}

#[cfg(unix)]
#[test]
fn a_dangling_link_with_an_sgf_name_is_reported() {
    let root = folder("dangling", &[("a.sgf", b"(;B[aa])")]);
    std::os::unix::fs::symlink("nowhere", root.join("b.sgf")).unwrap();
    let output = run(&root, &["scan", "--json", "."]);
    assert_eq!(text(&output.stderr), "sgf: ./b.sgf: No such file or directory\n");
    assert_eq!(output.status.code(), Some(2));
    assert_counts(&json(&output), &[("files", 1)]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_read() {
    use std::os::unix::ffi::OsStrExt;
    let root = folder("bytes", &[]);
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"\xFF\x1b[31m.sgf")), b"(;B[aa])x").unwrap();
    assert_counts(&json(&run(&root, &["scan", "--json", "."])), &[("files", 1)]);
    let strict = run(&root, &["scan", "--strict", "."]);
    let message = "sgf: ./\\xFF\\u{1b}[31m.sgf:1:9: junk: bytes between games (1 byte at byte 8)\n";
    assert_eq!(text(&strict.stderr), message);
}

#[test]
fn a_missing_file_is_reported_and_the_others_are_read() {
    let root = folder("missing", &[("a.sgf", b"(;B[aa])"), ("b.sgf", b"(;B[bb])")]);
    for command in ["scan", "events"] {
        let output = run(&root, &[command, "a.sgf", "gone.sgf", "b.sgf"]);
        assert!(text(&output.stderr).starts_with("sgf: gone.sgf: "), "{output:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1);
        assert_eq!(output.status.code(), Some(2));
    }
    let output = run(&root, &["scan", "--json", "a.sgf", "gone.sgf", "b.sgf"]);
    assert_counts(&json(&output), &[("files", 2), ("bytes", 16), ("games", 2)]);
}

#[test]
fn strict_stops_each_input_at_its_first_problem() {
    let root =
        folder("strict", &[("a.sgf", b"(;B[aa])\n x (;W[bb])"), ("b.sgf", b"(;B[cc])"), ("c.sgf", b"(;B[dd]\n;C)")]);
    let output = run(&root, &["scan", "--strict", "--json", "a.sgf", "b.sgf", "c.sgf"]);
    assert_eq!(
        text(&output.stderr),
        "sgf: a.sgf:2:2: junk: bytes between games (2 bytes at byte 10)\n\
         sgf: c.sgf:2:2: property-without-value: identifier that no value follows (1 byte at byte 9)\n"
    );
    assert_eq!(output.status.code(), Some(1));
    let found = json(&output);
    assert_counts(&found, &[("files", 3), ("games", 3), ("properties", 3)]);
    assert_eq!(found["problems"], serde_json::json!({ "junk": 1, "property-without-value": 1 }));
    assert_eq!(run(&root, &["scan", "--strict", "b.sgf"]).status.code(), Some(0));
    assert_eq!(run(&root, &["scan", "--strict", "a.sgf", "gone.sgf"]).status.code(), Some(2));
    let events = run(&root, &["events", "--strict", "c.sgf"]);
    assert_eq!(events.status.code(), Some(1));
    assert!(!text(&events.stdout).contains("problem"), "{events:?}");
    assert!(text(&events.stderr).starts_with("sgf: c.sgf:2:2: property-without-value: "), "{events:?}");
}

#[test]
fn paths_come_from_a_list() {
    let root = folder(
        "list",
        &[
            ("a b.sgf", b"(;B[aa])"),
            ("d/c.sgf", b"(;B[bb])"),
            ("list", b"\xEF\xBB\xBFa b.sgf\r\n\nd\n"),
            ("empty", b"\n\n"),
        ],
    );
    let output = run(&root, &["scan", "--json", "--files-from", "list"]);
    assert_quiet(&output);
    assert_counts(&json(&output), &[("files", 2), ("games", 2)]);

    let list = format!("{}\n{}", root.join("a b.sgf").display(), root.join("gone").display());
    let output = run_with_input(&["scan", "--json", "--files-from", "-"], list.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    assert_counts(&json(&output), &[("files", 1)]);

    let output = run(&root, &["scan", "--files-from", "empty"]);
    assert_eq!(text(&output.stderr), "sgf: empty: no paths in this list\n");
    assert_eq!(output.status.code(), Some(0));

    assert_eq!(run(&root, &["scan", "--files-from", "gone"]).status.code(), Some(2));
    assert_eq!(run(&root, &["scan", "-", "--files-from", "-"]).status.code(), Some(2));
    let output = run_with_input(&["scan", "--files-from", "-"], &vec![b'a'; 100_000]);
    let expected = "sgf: -: it has a line of over 65535 bytes, so this is no list of paths\n";
    assert_eq!((text(&output.stderr), output.status.code()), (expected, Some(2)));
}

/// As PowerShell writes it with `>`. Taken for bytes, the dot of a name would be the directory.
#[test]
fn a_list_may_be_in_utf_16() {
    let root = folder("wide_list", &[("a\u{e9}.sgf", b"(;B[aa])"), ("d/c.sgf", b"(;B[bb])"), ("no.sgf", b"(;B[no])")]);
    let list = "a\u{e9}.sgf\r\nd\r\n";
    for (encode, mark) in [(u16::to_le_bytes as fn(u16) -> [u8; 2], b"\xFF\xFE"), (u16::to_be_bytes, b"\xFE\xFF")] {
        let bytes: Vec<u8> = list.encode_utf16().flat_map(encode).collect();
        for len in [bytes.len(), bytes.len() - 4] {
            fs::write(root.join("list"), [&mark[..], &bytes[..len]].concat()).unwrap();
            let output = run(&root, &["scan", "--json", "--files-from", "list"]);
            assert_quiet(&output);
            assert_counts(&json(&output), &[("files", 2), ("games", 2)]);
            for piece in [1, 3] {
                let mut command = sgf();
                command.current_dir(&root).args(["scan", "--json", "--files-from", "-"]);
                let output = command::feed_pieces(&mut command, &fs::read(root.join("list")).unwrap(), piece);
                assert_quiet(&output);
                assert_counts(&json(&output), &[("files", 2), ("games", 2)]);
            }
        }
        fs::write(root.join("list"), &bytes).unwrap();
        let output = run(&root, &["scan", "--files-from", "list"]);
        let message =
            "sgf: list: it looks like UTF-16 without a mark at its beginning: write it in UTF-8, or with the mark\n";
        assert_eq!((text(&output.stderr), output.status.code()), (message, Some(2)));
    }
    // Only half of a mark.
    for half in [b'\xFF', b'\xFE', b'\xEF'] {
        fs::write(root.join("list"), [half]).unwrap();
        let output = run(&root, &["scan", "--files-from", "list"]);
        assert!(text(&output.stderr).ends_with(&format!(": {}\n", no_file())), "{output:?}");
    }
    fs::write(root.join("list"), b"\xFF\xFE").unwrap();
    let output = run(&root, &["scan", "--files-from", "list"]);
    assert_eq!(text(&output.stderr), "sgf: list: no paths in this list\n");
}

#[test]
fn a_list_may_have_a_nul_after_each_path() {
    let root = folder("nul_list", &[("a b.sgf", b"(;B[aa])"), ("c.sgf", b"(;B[bb])")]);
    let list = format!("{0}/a b.sgf\0{0}/c.sgf\0", root.display());
    // Also without the last one, and in pieces that end anywhere.
    for (list, piece) in [(&list[..], 999), (&list, 1), (&list[..list.len() - 1], 5)] {
        let output = command::feed_pieces(sgf().args(["scan", "--json", "--files-from", "-"]), list.as_bytes(), piece);
        assert_quiet(&output);
        assert_counts(&json(&output), &[("files", 2), ("games", 2)]);
    }
    let output = run_with_input(&["scan", "--files-from", "-"], b"\0\0");
    assert_eq!(text(&output.stderr), "sgf: -: no paths in this list\n");
}

/// A line end in a path is what such lists are for.
#[cfg(unix)]
#[test]
fn a_path_before_a_nul_may_have_a_line_end() {
    let root = folder("nul_path", &[("a\nb.sgf", b"(;B[aa])"), ("c\r.sgf", b"(;B[bb])")]);
    fs::write(root.join("list"), "a\nb.sgf\0c\r.sgf\0").unwrap();
    let output = run(&root, &["scan", "--json", "--files-from", "list"]);
    assert_quiet(&output);
    assert_counts(&json(&output), &[("files", 2), ("games", 2)]);
}

/// A `!` in a path is no sign of an archive, whose failures are only counted if there are many like them.
#[test]
fn every_failure_is_told_even_if_a_path_looks_like_a_member() {
    let root = folder("exclamation", &[("a.sgf", b"(;)")]);
    let names: Vec<_> = (0..30).map(|number| format!("gone!/{number}.sgf")).collect();
    let args: Vec<_> = ["scan", "--json"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let output = run(&root, &args);
    let expected: Vec<_> = names.iter().map(|name| format!("sgf: {name}: {}", no_folder())).collect();
    assert_eq!(text(&output.stderr).lines().collect::<Vec<_>>(), expected);
}

/// The link stays, and what is written is where it leads.
#[cfg(unix)]
#[test]
fn an_output_may_be_a_link_to_what_is_not_there_yet() {
    let root = folder("link", &[("a.sgf", b"(;B[aa])"), ("disk/other.sgf", b"")]);
    std::os::unix::fs::symlink("disk/link.sgf", root.join("out.sgf")).unwrap();
    std::os::unix::fs::symlink("out2.sgf", root.join("disk/link.sgf")).unwrap();
    assert_quiet(&run(&root, &["recode", "a.sgf", "--to", "out.sgf"]));
    assert!(root.join("out.sgf").is_symlink() && root.join("disk/link.sgf").is_symlink());
    assert_eq!(fs::read(root.join("disk/out2.sgf")).unwrap(), b"(;B[aa])");
    std::os::unix::fs::symlink("loop.sgf", root.join("loop.sgf")).unwrap();
    let output = run(&root, &["recode", "a.sgf", "--to", "loop.sgf"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(root.join("loop.sgf").is_symlink());
}

#[test]
fn events_are_lines_of_json() {
    let input = b"x(;C[a\\]b\\\\\"\n\xFF](B[])())(;AB[aa][bb]";
    let output = run_with_input(&["events", "--plain", "-"], input);
    assert_quiet(&output);
    assert_eq!(text(&output.stdout), include_str!("events.jsonl"));
}

#[test]
fn a_tree_or_a_node_that_has_lost_its_beginning_is_implied() {
    let output = run_with_input(&["events"], b";GM[1]PB[a];B[pd])\n(B[dd])");
    let lines: Vec<&str> = text(&output.stdout).lines().filter(|line| line.contains("implied")).collect();
    assert_eq!(
        lines,
        [
            r#"{"event":"enter","offset":0,"depth":1,"implied":true}"#,
            r#"{"event":"node","offset":20,"depth":1,"implied":true}"#,
        ]
    );
}

#[test]
fn raw_values_are_base64() {
    let output = run_with_input(&["events", "--raw"], b"(;C[a\\]\xFF]C[]C[>>>?])");
    assert_quiet(&output);
    let values: Vec<&str> =
        text(&output.stdout).lines().filter(|line| line.starts_with(r#"{"event":"value""#)).collect();
    assert_eq!(
        values,
        [
            r#"{"event":"value","offset":4,"depth":1,"ident":"C","raw":"YVxd/w==","charset":"windows-1252"}"#,
            r#"{"event":"value","offset":11,"depth":1,"ident":"C","raw":""}"#,
            r#"{"event":"value","offset":14,"depth":1,"ident":"C","raw":"Pj4+Pw=="}"#,
        ]
    );
}

#[test]
fn events_name_the_file_if_there_are_several_inputs() {
    let root = folder("several", &[("d/a.sgf", b"(;)"), ("b.sgf", b"(;)")]);
    let files = |args: &[&str]| -> Vec<String> {
        let output = run(&root, args);
        assert_quiet(&output);
        let files = text(&output.stdout).lines().map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            event.get("file").map_or("none".to_owned(), |file| file.as_str().unwrap().replace('\\', "/"))
        });
        let mut files: Vec<String> = files.collect();
        files.dedup();
        files
    };
    assert_eq!(files(&["events", "b.sgf"]), ["none"]);
    assert_eq!(files(&["events", "d"]), ["d/a.sgf"]);
    assert_eq!(files(&["events", "b.sgf", "d/a.sgf"]), ["b.sgf", "d/a.sgf"]);
    let output = run(&root, &["events", "b.sgf", "d"]);
    assert_eq!(text(&output.stdout).lines().next(), Some(r#"{"event":"enter","offset":0,"depth":1,"file":"b.sgf"}"#));
}

#[test]
fn events_do_not_depend_on_how_the_input_is_cut() {
    let root = folder("cut", &[("mixed.sgf", MIXED)]);
    let whole = run(&root, &["events", "mixed.sgf"]).stdout;
    assert!(text(&whole).lines().count() > 30);
    for len in [1, 2, 7] {
        let mut child = sgf().args(["events", "-"]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for piece in MIXED.chunks(len) {
            stdin.write_all(piece).unwrap();
            // Usually long enough for the pieces to be read one by one.
            thread::sleep(Duration::from_millis(1));
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_quiet(&output);
        assert_eq!(text(&output.stdout), text(&whole), "pieces of {len}");
    }
}

#[test]
fn events_come_as_soon_as_the_input_pauses() {
    let mut child = sgf().arg("events").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || stdout.lines().try_for_each(|line| sender.send(line.unwrap())));
    stdin.write_all(b"(;B[aa]").unwrap();
    let seen: Vec<String> = (0..4).map(|_| lines.recv_timeout(Duration::from_secs(60)).unwrap()).collect();
    assert!(seen[3].starts_with(r#"{"event":"value","offset":4,"#), "{seen:?}");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for command in ["events", "scan"] {
        let mut child = sgf().arg(command).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        if command == "events" {
            stdin.write_all(b"(;B[aa]").unwrap();
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            assert_eq!(line, "{\"event\":\"enter\",\"offset\":0,\"depth\":1}\n");
        }
        drop(stdout);
        let writer =
            thread::spawn(move || while stdin.write_all(&b";B[aa]".repeat(1000)).is_ok() && command == "events" {});
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert_eq!(message, "");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command}");
        writer.join().unwrap();
    }
}

/// Reading of the output may stop before or after an error is found, which changes nothing about it.
#[test]
fn a_closed_pipe_hides_no_error() {
    let games = b"(;PB[a]PW[b];B[aa];W[bb])\n".repeat(20_000);
    let files: [(&str, &[u8]); 2] = [("games.sgf", &games), ("damaged.sgf", b"x(;B[aa])")];
    let root = folder("closed-after-error", &files);
    let ways: [(&[&str], i32); 7] = [
        (&["list", "nope.sgf", "games.sgf"], 2),
        (&["list", "--threads", "1", "nope.sgf", "games.sgf"], 2),
        (&["list", "--strict", "damaged.sgf", "games.sgf"], 1),
        (&["events", "nope.sgf", "games.sgf"], 2),
        (&["recode", "nope.sgf", "games.sgf"], 2),
        (&["cat", "nope.sgf", "games.sgf"], 2),
        (&["list", "games.sgf"], 0),
    ];
    for (way, code) in ways {
        let mut child = sgf().current_dir(&root).args(way).spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{way:?}");
        assert_eq!(text(&output.stderr).lines().count(), usize::from(code > 0), "{way:?}: {output:?}");
    }
}

#[test]
fn games_are_printed_as_soon_as_the_input_pauses() {
    let mut child = sgf().args(["cat", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || stdout.lines().try_for_each(|line| sender.send(line.unwrap())));
    for game in ["(;B[aa])", "(;B[bb])"] {
        stdin.write_all(game.as_bytes()).unwrap();
        assert_eq!(lines.recv_timeout(Duration::from_secs(60)).as_deref(), Ok(game));
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// As a script runs a command in the background.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let mut command = std::process::Command::new("sh");
    let script = r#"trap '' INT; exec "$0" events"#;
    command.args(["-c", script, env!("CARGO_BIN_EXE_sgf")]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"(;B[aa]").unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    thread::sleep(Duration::from_millis(50));
    stdin.write_all(b";W[bb])").unwrap();
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(rest.contains(r#""value":"bb""#), "{rest}");
}

/// Reading it would never end.
#[cfg(unix)]
#[test]
fn the_output_file_is_not_read() {
    let ways: [&[&str]; 4] =
        [&["recode", "."], &["find", "--sgf", "."], &["cat", "a.sgf", "./out.sgf"], &["recode", "a.sgf", "-"]];
    for way in ways {
        let root = folder("own-output", &[("a.sgf", b"(;B[aa])\n"), ("out.sgf", b"(;B[bb])\n")]);
        let path = root.join("out.sgf");
        let out = fs::File::options().append(true).open(&path).unwrap();
        let input = fs::File::open(&path).unwrap();
        let output = sgf().current_dir(&root).args(way).stdin(input).stdout(out).output().unwrap();
        let name = if way.contains(&"-") { "-" } else { "./out.sgf" };
        let refusal = format!("sgf: {name}: input and output are the same file\n");
        assert_eq!((text(&output.stderr), output.status.code()), (refusal.as_str(), Some(2)), "{way:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "(;B[bb])\n(;B[aa])\n", "{way:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    for command in ["events", "scan", "--help", "--version"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = feed(sgf().arg(command).stdout(full), b"(;B[aa])");
        assert_eq!(text(&output.stderr), "sgf: standard output: No space left on device\n");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_depth_or_with_the_length_of_a_value() {
    for (command, start, piece) in [("scan", "", "(;"), ("scan", "(;C[", "xy"), ("events", "(;C[", "xy")] {
        let (peak, output) = peak_data_of_flood(sgf().args([command, "-"]), start, piece, 10_000_000);
        assert!(peak < 12 << 10, "{command} of {start}{piece}...: {peak} KiB");
        assert_quiet(&output);
        if piece == "(;" {
            let deepest = text(&output.stdout).lines().find(|line| line.contains("deepest tree")).unwrap();
            assert_eq!(deepest.split_whitespace().collect::<Vec<_>>(), ["deepest", "tree", "5,000,000", "-:1:9999999"]);
        }
    }
}

#[test]
fn arguments_that_are_not_understood_get_a_tip() {
    let root = folder("tips", &[("a.sgf", b"(;PB[a])"), ("-x.sgf", b"(;PB[a])")]);
    for (args, tip) in [
        (&["list", "--player", "cho", "a.sgf"][..], "tip: sgf find --player\n"),
        (&["list", "--date=1996"], "tip: sgf find --date\n"),
        (&["list", "--unique", "a.sgf"], "tip: sgf find --unique\n"),
        (&["list", "--colums", "date"], "'--columns'"),
        (&["recode", "a.sgf", "--in-place"], "tip: sgf recode FILE --to FILE\n"),
        (&["a.sgf"], "tip: sgf scan a.sgf\n"),
        (&["repair", "a.sgf"], "tip: nothing repairs damage, "),
        (&["recode", "--fix", "a.sgf"], "tip: nothing repairs damage, "),
        (&["validate", "a.sgf"], "tip: sgf scan --strict\n"),
        (&["find", "--from", "1980", "--to", "1990", "."], "tip: --date A..B or --year A..B\n"),
        (&["find", "--since", "1980"], "tip: --date A..B or --year A..B\n"),
        (&["events", "--problems", "a.sgf"], "tip: sgf scan --problems\n"),
        (&["recode", "--dry-run", "a.sgf"], "tip: sgf recode FILE > /dev/null: "),
        (&["recode", "--encoding", "gbk", "a.sgf"], "tip: --charset\n"),
        (&["find", "--name", "cho"], "tip: --player\n"),
        (&["scan", "--count", "a.sgf"], "tip: sgf find --count\n"),
        (&["list", "--sort", "date"], "tip: rows come in the order of their files: "),
        (&["index", "--columns", "date"], "tip: an index has all columns; "),
        (&["scan", "-r", "."], "tip: directories are searched anyway\n"),
        (&["find", "-i", "cho"], "tip: case never counts\n"),
        (&["find", "-c", "a.sgf"], "tip: --count\n"),
        (&["list", "-o", "x"], "tip: > FILE\n"),
        (&["index", "--output", "x"], "tip: --to\n"),
        (&["scan", "-z", "a.sgf"], "unexpected argument '-z' found\n\nUsage: "),
        (&["cat", "-#7"], "'-- -#"),
        (&["scan", "-x.sgf"], "'-- -x"),
    ] {
        let output = run(&root, args);
        let errors = text(&output.stderr);
        assert!(errors.contains(tip) && !errors.contains("--plain"), "{args:?}: {errors}");
        assert_eq!(errors.contains("as a value"), tip.contains("'-- "), "{args:?}: {errors}");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn help_and_version_are_printed() {
    for args in [&["--help"][..], &["scan", "--help"], &["events", "-h"], &["help", "scan"]] {
        let output = sgf().args(args).output().unwrap();
        assert_quiet(&output);
        assert!(text(&output.stdout).contains("Examples:\n  sgf "), "{args:?}");
    }
    let help = sgf().args(["scan", "--help"]).output().unwrap();
    for kind in sgf_stream::ProblemKind::ALL {
        let row = format!("\n  {} {:<22}  {}\n", kind.number(), kind.name(), kind.meaning());
        assert!(text(&help.stdout).contains(&row), "{row}");
    }
    let output = sgf().arg("--version").output().unwrap();
    assert_quiet(&output);
    assert_eq!(text(&output.stdout), format!("sgf {}\n", env!("CARGO_PKG_VERSION")));
    for args in [&[][..], &["unheard-of"], &["scan", "--unheard-of"]] {
        let output = sgf().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
}
