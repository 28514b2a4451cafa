//! `sgf scan --problems`: a line for each problem.

use std::path::PathBuf;

use serde_json::Value;

use crate::archives::pack;
use crate::command::{self, assert_quiet, feed, run, sgf, text};

const DAMAGED: &[u8] = b"(;B[aa])\n x (;W[bb]&&\n;C)";

const LINES: &str = "a.sgf:2:2: junk: bytes between games (2 bytes at byte 10)\n\
    a.sgf:2:11: illegal-bytes: unexpected bytes inside a game (2 bytes at byte 19)\n\
    a.sgf:3:2: property-without-value: identifier that no value follows (1 byte at byte 23)\n";

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("cli_problems", name, files)
}

/// What is printed before the table.
fn lines(output: &[u8]) -> &str {
    let (lines, table) = text(output).split_once("\n\n").unwrap();
    assert!(table.starts_with("  files "), "{table}");
    lines
}

#[test]
fn each_problem_is_a_line_before_the_table() {
    let root = folder("lines", &[("a.sgf", DAMAGED), ("b.sgf", b"(;B[cc])"), ("c.sgf", b"(;B[dd]")]);
    let output = run(&root, &["scan", "--problems", "a.sgf", "b.sgf", "c.sgf"]);
    assert_quiet(&output);
    let last = "c.sgf:1:8: unclosed-tree: end of input with open trees (at byte 7)";
    assert_eq!(lines(&output.stdout), format!("{LINES}{last}"));
    assert!(text(&output.stdout).contains("  problems "));
    // What is right has nothing but the table.
    assert!(text(&run(&root, &["scan", "--problems", "b.sgf"]).stdout).starts_with("  files "));
    let missing = run(&root, &["scan", "--problems", "gone.sgf", "c.sgf"]);
    assert_eq!((lines(&missing.stdout), missing.status.code()), (last, Some(2)));
}

#[test]
fn other_options_do_not_change_the_lines() {
    let zip = pack("zip", &[("a.sgf", DAMAGED)]);
    let root = folder("options", &[("a.sgf", DAMAGED), ("a.zip", &zip)]);
    let expected = LINES.trim_end();
    for more in [&["--threads", "3"][..], &["--account"], &["-q"]] {
        let output = run(&root, &[&["scan", "--problems", "a.sgf"], more].concat());
        assert_quiet(&output);
        assert_eq!(lines(&output.stdout), expected, "{more:?}");
    }
    let packed = run(&root, &["scan", "--problems", "a.zip"]);
    assert_eq!(lines(&packed.stdout).replace("a.zip!", ""), expected);
    let piped = feed(sgf().args(["scan", "--problems"]), DAMAGED);
    assert_eq!(lines(&piped.stdout).replace("-:", "a.sgf:"), expected);
    for (refused, reason) in [("--json", "`sgf events`"), ("--strict", "cannot be used with")] {
        let output = run(&root, &["scan", "--problems", refused, "a.sgf"]);
        assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
        assert_eq!((text(&output.stdout), output.status.code()), ("", Some(2)));
    }
}

#[test]
fn the_bytes_of_each_problem_are_shown() {
    let root = folder("windows", &[("a.sgf", DAMAGED)]);
    let output = run(&root, &["scan", "--problems", "--window", "always", "a.sgf"]);
    let windows =
        ["  |\n2 |  x (;W[bb]&&\n  |  ^^\n", "  |\n2 |  x (;W[bb]&&\n  |           ^^\n", "  |\n3 | ;C)\n  |  ^\n"];
    let shown = LINES.lines().zip(windows).flat_map(|(line, window)| [line, "\n", window]);
    let expected: String = shown.collect();
    assert_eq!(lines(&output.stdout), expected.trim_end());
    // The bytes of the problem came long before its end.
    let far = [b"(;B[aa])\n", &b"x".repeat(1 << 20)[..], b"(;B[aa])"].concat();
    std::fs::write(root.join("far.sgf"), far).unwrap();
    let output = run(&root, &["scan", "--problems", "--window", "always", "far.sgf"]);
    assert!(lines(&output.stdout).contains("\n2 | xxx"), "{}", text(&output.stdout));
}

#[test]
fn problems_are_those_of_events() {
    let games = crate::threads::noise(7, 3000);
    let output = feed(sgf().args(["scan", "--problems"]), &games);
    let found = lines(&output.stdout).lines().map(|line| {
        let (place, rest) = line.strip_prefix("-:").unwrap().split_once(": ").unwrap();
        format!("{place} {}", rest.split(':').next().unwrap())
    });
    let events = feed(sgf().args(["events"]), &games);
    let events = text(&events.stdout).lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let problems = events.filter(|event| event["event"] == "problem");
    let expected: Vec<_> = problems
        .map(|event| format!("{}:{} {}", event["line"], event["column"], event["name"].as_str().unwrap()))
        .collect();
    // In which charset text is, is decided value by value for `events`, and for `scan` in parts.
    let others = |all: Vec<String>| -> Vec<_> {
        all.into_iter().filter(|it| !it.ends_with("undecodable-text") && !it.ends_with("contradicted")).collect()
    };
    assert!(expected.len() > 1000);
    assert_eq!(others(found.collect()), others(expected));
}

#[cfg(unix)]
#[test]
fn a_terminal_is_not_flooded() {
    let root = folder("flood", &[("a.sgf", &b"x(;B[aa])".repeat(1200)), ("b.sgf", b"x(;B[aa])")]);
    let args = ["scan", "--problems", "a.sgf", "b.sgf"];
    assert_eq!(lines(&run(&root, &args).stdout).lines().count(), 1201);
    let terminal = crate::terminal::Terminal::new();
    let mut command = sgf();
    command.current_dir(&root).args(args).env("NO_COLOR", "1").stdout(terminal.stdio());
    assert!(command.status().unwrap().success());
    drop(command);
    let seen = terminal.seen();
    assert_eq!(seen.matches(": junk: ").count(), 101, "{seen}");
    assert!(seen.contains("1 | x(;B[aa])x("), "{seen}");
    assert!(seen.contains("\n1,100 more in a.sgf\nb.sgf:1:1: junk: "), "{seen}");
}
