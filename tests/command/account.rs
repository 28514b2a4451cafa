//! `sgf scan --account`: every byte is counted.

use std::path::PathBuf;

use crate::archives::{compress, pack};
use crate::command::{self, feed, run, sgf, text};
use serde_json::{Value, json};

/// Bytes of most kinds.
const MIXED: &[u8] = b"junk\n\
    (;FF[4]AB[aa] [bb];W[cc]&&)\n\
    (;C[cut off \n(;FF[4]GM[1]C[no end";

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("cli_account", name, files)
}

fn account(output: &[u8]) -> Value {
    let found: Value = serde_json::from_slice(output).unwrap();
    assert_eq!(found["bytes"], found["account"]["bytes"]);
    found["account"].clone()
}

/// The figures add up to the whole.
#[track_caller]
fn assert_adds_up(account: &Value) {
    let figures = account.as_object().unwrap().iter().filter(|(name, _)| !["bytes", "twice"].contains(&name.as_str()));
    let skipped = account["skipped"].as_object().unwrap().values();
    let sum: u64 = figures.map(|(_, bytes)| bytes).chain(skipped).filter_map(Value::as_u64).sum();
    assert_eq!(account["bytes"], sum, "{account}");
    assert_eq!((&account["lost"], &account["twice"], &account["first_lost"]), (&json!(0), &json!(0), &Value::Null));
}

#[test]
fn the_account_is_a_section_of_the_table() {
    let root = folder("table", &[("mixed.sgf", MIXED)]);
    let output = run(&root, &["scan", "--account", "mixed.sgf"]);
    let table = text(&output.stdout);
    let (_, section) = table.split_once("every byte").unwrap();
    let rows: Vec<Vec<&str>> = section.lines().skip(1).map(|row| row.split_whitespace().take(6).collect()).collect();
    let row = |label: &str| {
        let row = rows.iter().map(|row| row.join(" ")).find(|row| row.starts_with(label));
        row.unwrap_or_else(|| panic!("{label} in {section}"))
    };
    for (label, bytes) in [
        ("values", "9"),
        ("skipped: unterminated-value", "10"),
        ("skipped: unexpected-eof", "7"),
        ("skipped: junk", "5"),
        ("skipped: illegal-bytes", "2"),
        ("lost", "0"),
        ("sum", "66 all"),
    ] {
        assert!(row(label).starts_with(&format!("{label} {bytes}")), "{}", row(label));
    }
    assert!(!text(&run(&root, &["scan", "mixed.sgf"]).stdout).contains("every byte"));
}

#[test]
fn the_account_in_json_adds_up_for_every_way_of_reading() {
    let root = folder("json", &[("a.sgf", MIXED), ("d/b.sgf", MIXED), ("d/wide.sgf", b"\xFE\xFF\0(\0;\0)\0 \0x")]);
    let tar = pack("tar", &[("a.sgf", MIXED), ("d/b.sgf", MIXED), ("d/wide.sgf", b"\xFE\xFF\0(\0;\0)\0 \0x")]);
    std::fs::write(root.join("all.tar.gz"), compress("gz", &tar)).unwrap();
    let of = |args: &[&str]| account(&run(&root, &[&["scan", "--account", "--json"], args].concat()).stdout);

    let all = of(&["a.sgf", "d"]);
    assert_adds_up(&all);
    assert_eq!(all["bytes"], 2 * MIXED.len() + 12);
    assert_eq!(all["skipped"]["junk"], 12);
    for args in [&["--threads", "7", "a.sgf", "d"][..], &["all.tar.gz"]] {
        assert_eq!(of(args), all, "{args:?}");
    }
    let piped = std::fs::read(root.join("all.tar.gz")).unwrap();
    let output = feed(sgf().args(["scan", "--account", "--json", "-"]), &piped);
    assert_eq!(account(&output.stdout), all);

    // By the letter of the standard, a bracket of the next game closes the value.
    let plain = of(&["--plain", "a.sgf"]);
    assert_adds_up(&plain);
    assert_eq!(plain["skipped"], json!({"junk": 5, "illegal-bytes": 2, "unexpected-eof": 7}));

    let strict = of(&["--strict", "a.sgf"]);
    assert_adds_up(&strict);
    assert_eq!((&strict["bytes"], &strict["skipped"]), (&json!(5), &json!({"junk": 5})));
}

#[test]
fn the_account_of_a_truncated_input_adds_up() {
    let packed = compress("gz", b"(;C[abcdefghijklmnopqrstuvwxyz];B[aa];W[bb])");
    let root = folder("cut", &[("cut.sgf.gz", &packed[..packed.len() - 9])]);
    let output = run(&root, &["scan", "--account", "--json", "cut.sgf.gz"]);
    assert_eq!(output.status.code(), Some(2));
    assert_adds_up(&account(&output.stdout));
}

#[test]
fn an_empty_input_has_no_bytes() {
    let output = feed(sgf().args(["scan", "--account", "--json"]), b"");
    let account = account(&output.stdout);
    assert_adds_up(&account);
    assert_eq!(account["bytes"], 0);
}
