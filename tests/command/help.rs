//! The examples of the help: those of a command are run, one after the other, in a folder that has what they name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use sgf_stream::record::Column;

use crate::archives::{compress, pack};
use crate::command::{self, feed, sgf, text};

const COMMANDS: [&str; 12] =
    ["", "scan", "events", "list", "find", "index", "cat", "recode", "split", "listen", "completions", "man"];

/// The command, with its exit code noted. A service stops once it listens.
const WRAPPER: &str = r#"#!/bin/sh
if [ "$1" = listen ]; then
  # That of the last one says nothing of this one.
  rm -f listening
  SGF "$@" >listening &
  until grep -qs listening listening; do kill -0 $! || break; sleep 0.05; done
  kill -TERM $!
  wait $!
else
  SGF "$@"
fi
code=$?
echo "$code sgf $*" >>codes
exit $code
"#;

/// What else examples use, without the network and without what may not be installed.
const OTHERS: [(&str, &str); 5] = [
    ("curl", "cat games.sgf"),
    ("nc", "cat >sent"),
    ("duckdb", "test -s games.parquet"),
    ("jq", "cat >filtered"),
    ("man", "cat >pages"),
];

/// The commands among the examples, without what is said about them.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Examples:")).skip(1);
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in lines.map_while(|line| line.strip_prefix("  ")) {
        if is_open {
            let command = commands.last_mut().unwrap();
            command.push('\n');
            command.push_str(line);
        } else {
            commands.push(line.split("  ").next().unwrap().to_owned());
        }
        is_open = !Command::new("sh")
            .args(["-nc", commands.last().unwrap()])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success();
    }
    assert!(!is_open, "{commands:?}");
    commands
}

/// The queries before the examples.
fn queries(help: &str) -> Vec<String> {
    let before = help.split("Examples:").next().unwrap();
    let queries = before.split("  SELECT").skip(1).filter_map(|rest| rest.split_once(';'));
    queries.map(|(query, _)| format!("SELECT{query};")).collect()
}

/// A folder, which is also the home, with what the examples of a command name.
fn folder(name: &str) -> PathBuf {
    let moves = ";B[aa];W[bb]".repeat(100);
    let go = format!(
        "(;GM[1]SZ[19]PB[Cho Chikun]PW[Shusaku]EV[Honinbo]DT[1990-05-01]RE[W+R]C[\u{5b9a}\u{5f0f}]{moves})\n\
         (;GM[1]PB[Shusaku]PW[\u{8d99}\u{6cbb}\u{52cb}]DT[1996-03-02]RE[B+R];B[aa])\n(;GM[1]DT[1996-12-24];B[pd])\n"
    );
    let games = "(;GM[1]PB[a]PW[b];B[pd])\n".repeat(120);
    let upload: &[u8] = b"<pre>(;GM[1]FF[4]&&;B[pd])";
    let member: [(&str, &[u8]); 1] = [("1998/june.sgf", games.as_bytes())];
    let root = command::folder(
        "cli_help",
        name,
        &[
            ("mark", b""),
            ("token", b"secret\n"),
            ("go/cho.sgf", go.as_bytes()),
            ("go/1985-03.sgf", b"(;GM[1]DT[1985-03];B[aa])"),
            ("go/upload.sgf", upload),
            ("games/hex.sgf", b"(;GM[11]RE[B+R];B[a1])"),
            ("games.sgf", games.as_bytes()),
            ("games.sgf.gz", &compress("gz", games.as_bytes())),
            ("game.sgf", b"(;GM[1]C[\xB0\xD7];B[pd])"),
            ("gbk.sgf", b"(;GM[1]CA[GBK]C[\xB0\xD7];B[pd])"),
            ("old.sgf", b"(;GM[1]C[\xB3\x5C];B[pd])"),
            ("upload.sgf", upload),
            ("upload.zip", &pack("zip", &[("upload.sgf", upload)])),
            ("games.zip", &pack("zip", &member)),
            ("games.7z.001", &pack("7z", &member)),
            ("other.tar.xz", &compress("xz", &pack("tar", &member))),
            (".local/share/bash-completion/completions/.keep", b""),
            (".zfunc/.keep", b""),
            (".config/fish/completions/.keep", b""),
            ("bin/.keep", b""),
        ],
    );
    make_program(&root.join("bin/sgf"), &WRAPPER.replace("SGF", env!("CARGO_BIN_EXE_sgf")));
    for (name, script) in OTHERS {
        make_program(&root.join("bin").join(name), &format!("#!/bin/sh\n{script}\n"));
    }
    root
}

/// Writes a script by another process. What another test starts while this one writes would have the file open too for a moment,
/// in which the system would not run it.
fn make_program(path: &Path, script: &str) {
    let mut shell = Command::new("sh");
    let output = feed(shell.args(["-c", r#"cat >"$0" && chmod 755 "$0""#]).arg(path), script.as_bytes());
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn examples_run_one_after_the_other() {
    if !command::have(&["sqlite3"]) {
        return;
    }
    let (mut count, mut asked) = (0, 0);
    for name in COMMANDS {
        let root = folder(if name.is_empty() { "top" } else { name });
        let output = sgf().args((!name.is_empty()).then_some(name)).arg("--help").output().unwrap();
        let help = text(&output.stdout);
        for example in examples(help) {
            assert_runs(&root, &example);
            count += 1;
        }
        for query in queries(help) {
            let output = Command::new("sqlite3").current_dir(&root).arg("more.sqlite").arg(&query).output().unwrap();
            assert!(output.status.success() && !output.stdout.is_empty(), "{query}\n{output:?}");
            asked += 1;
        }
    }
    assert!(count > 60 && asked == 2, "only {count} examples and {asked} queries were found");
}

/// Runs an example. Its exit code is 0, and so is that of each command in it, unless it asks whether there are problems.
#[track_caller]
fn assert_runs(root: &Path, example: &str) {
    let codes = root.join("codes");
    fs::write(&codes, "").unwrap();
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    // A service takes any free port: other tests have some.
    let on = if example.contains("--on") { "" } else { " --on 127.0.0.1:0" };
    let service = example.starts_with("sgf listen").then(|| example.replace(":7070", ":0") + on);
    let mut shell = Command::new("sh");
    command::in_plain_environment(&mut shell);
    shell
        .args(["-c", service.as_deref().unwrap_or(example)])
        .current_dir(root)
        .env("HOME", root)
        .env("PATH", path)
        .env("URL", "example.org");
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let codes = fs::read_to_string(&codes).unwrap();
    let expected = if example.contains("--strict") { "1 " } else { "0 " };
    let is_fine = example.contains("--strict") || output.status.success();
    assert!(is_fine && codes.lines().all(|line| line.starts_with(expected)), "{example}\n{codes}{output:?}");
}

/// The words of the help of a command.
fn words(command: &str) -> BTreeSet<String> {
    let output = sgf().args([command, "--help"]).output().unwrap();
    let words = text(&output.stdout).split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.map(str::to_owned).collect()
}

#[test]
fn the_help_of_list_names_all_columns() {
    let words = words("list");
    for column in Column::every() {
        assert!(words.contains(column.name()), "{column}");
    }
}

#[test]
fn the_help_names_all_keys_of_json() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/cases");
    let words_of_scan = words("scan");
    let output = sgf().args(["scan", "--json", "--account", cases]).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys = [&found, &found["account"], &found["deepest"]].into_iter().flat_map(|it| it.as_object().unwrap().keys());
    assert!(found["account"].is_object() && found["text_charsets"].is_object());
    for key in keys {
        assert!(words_of_scan.contains(key), "{key}");
    }
    let words_of_events = words("events");
    let mut keys = BTreeSet::new();
    for args in [&["events", cases][..], &["events", "--raw", cases]] {
        for line in text(&sgf().args(args).output().unwrap().stdout).lines() {
            let Value::Object(event) = serde_json::from_str(line).unwrap() else { panic!("{line}") };
            keys.extend(event.into_iter().map(|(key, _)| key));
        }
    }
    assert!(["after_variation", "implicit", "implied", "raw"].iter().all(|&key| keys.contains(key)), "{keys:?}");
    for key in keys {
        assert!(words_of_events.contains(&key), "{key}");
    }
}
