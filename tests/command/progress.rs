//! What the command prints on standard error: progress, what was left out, interruptions, and windows on problems.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::archives::{self, compress, pack};
use crate::command::{self, feed, is_waiting, run, sgf, text};
use crate::heed_ctrl_c;
use crate::terminal::{Screen, Terminal};
use crate::wait::until;

/// Files with something to leave out for every reason.
fn leftovers(name: &str) -> PathBuf {
    let members: [(&str, &[u8]); 3] = [("1.sgf", b"(;B[cc])"), ("2.txt", b"?"), ("old/3.sgf", b"(;)")];
    let (zip, seven) = (pack("zip", &members), pack("7z", &members));
    let tar = compress("gz", &pack("tar", &members));
    let files: [(&str, &[u8]); 7] = [
        ("a.sgf", b"(;B[aa])"),
        ("b.txt", b"?"),
        ("old/b.sgf", b"(;B[bb])"),
        ("c.zip", &zip),
        ("d.7z", &seven),
        ("e.tgz", &tar),
        ("f.sgf.gz", b"\x1f\x8b\x08\x00\x00"),
    ];
    command::folder("cli_progress", name, &files)
}

const LEAVE: [&str; 3] = ["--exclude", "old", "--exclude"];

fn on_terminal(command: &mut Command) -> (Output, String) {
    let terminal = Terminal::new();
    command.stderr(terminal.stdio());
    let output = command.output().unwrap();
    // The command would keep an end of the terminal open.
    command.stderr(Stdio::null());
    (output, terminal.seen())
}

/// Without colours, and with cursor movements as line ends.
fn plain(seen: &str) -> String {
    let mut text = String::new();
    let mut rest = seen;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        text.push_str(before);
        let mut code = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').chars();
        text.push_str(if code.next() == Some('m') { "" } else { "\n" });
        rest = code.as_str();
    }
    text + rest
}

#[test]
fn scan_counts_what_it_does_not_read() {
    let root = leftovers("scan");
    for threads in ["1", "3"] {
        let args = [&["scan", "--json", "--threads", threads][..], &LEAVE, &["old/*", "."]].concat();
        let output = run(&root, &args);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stderr).lines().count(), 1, "only the error: {}", text(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["files"], 4);
        assert_eq!(found["not_read"], json!({ "name": 4, "excluded": 4, "unreadable": 1 }));
        let examples = json!({ "name": "./b.txt", "excluded": "./c.zip!old/3.sgf", "unreadable": "./f.sgf.gz" });
        assert_eq!(found["not_read_examples"], examples);
    }
    let table = run(&root, &["scan", "b.txt", "c.zip"]);
    let shown = text(&table.stdout);
    assert!(shown.contains("\n  not read ") && shown.contains("by the name "), "{shown}");
    assert!(shown.contains("c.zip!2.txt"), "{shown}");
    assert!(!text(&run(&root, &["scan", "a.sgf"]).stdout).contains("not read"));
    let strict = run(&root, &["scan", "--json", "--strict", "b.txt"]);
    let found: Value = serde_json::from_slice(&strict.stdout).unwrap();
    assert_eq!(found["not_read"], json!({ "strict": 1 }));
}

#[test]
fn a_link_in_an_archive_is_left_out() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    builder.append_link(&mut header, "link.sgf", "a.sgf").unwrap();
    archives::tar_entry(&mut builder, "a.sgf", b"(;)");
    let tar = builder.into_inner().unwrap();
    let root = command::folder("cli_progress", "links", &[("a.tar", &tar)]);
    let found: Value = serde_json::from_slice(&run(&root, &["scan", "--json", "."]).stdout).unwrap();
    assert_eq!(found["not_read"], json!({ "kind": 1 }));
    assert_eq!(found["not_read_examples"], json!({ "kind": "./a.tar!link.sgf" }));
}

#[test]
fn events_give_a_terminal_nothing_to_obey() {
    let root = command::folder("cli_progress", "obey", &[("a.sgf", "(;EV[w\u{9B}2J\u{202E}x])".as_bytes())]);
    let piped = run(&root, &["events", "a.sgf"]);
    assert!(text(&piped.stdout).contains("w\u{9B}2J\u{202E}x"));
    let terminal = Terminal::new();
    let mut command = sgf();
    command.current_dir(&root).args(["events", "a.sgf"]).stdout(terminal.stdio()).stderr(Stdio::null());
    assert!(command.status().unwrap().success());
    command.stdout(Stdio::null());
    let seen = terminal.seen();
    assert!(seen.contains(r#""value":"w\u009b2J\u202ex""#), "{seen}");
}

#[cfg(feature = "index")]
#[test]
fn an_index_is_not_written_to_a_terminal() {
    let root = command::folder("cli_progress", "index", &[("a.sgf", "(;PB[\x1B]0;x\x07\u{9B}2J])".as_bytes())]);
    for format in ["csv", "ndjson", "arrow"] {
        let terminal = Terminal::new();
        let mut command = sgf();
        command.current_dir(&root).args(["index", "a.sgf", "--to", "-", "--format", format]).stdout(terminal.stdio());
        let output = command.stderr(Stdio::piped()).output().unwrap();
        command.stdout(Stdio::null());
        let message = "sgf: -: not written to a terminal, as game texts may contain terminal control codes: use sgf list, or a pipe\n";
        assert_eq!((text(&output.stderr), output.status.code()), (message, Some(2)));
        assert_eq!(terminal.seen(), "");
    }
}

#[test]
fn a_summary_is_printed_on_a_terminal() {
    let root = leftovers("summary");
    for (args, games) in [
        (["list", "--columns", "game"], "4 games"),
        (["find", "--moves", "1.."], "4 games"),
        (["events", "--charset", "auto"], "4 games"),
        (["recode", "--escapes", "auto"], "4 games"),
    ] {
        let all = [&args[..], &LEAVE, &["old/*", "."]].concat();
        let piped = run(&root, &all);
        assert_eq!(text(&piped.stderr).lines().count(), 1, "more than the error");
        let mut command = sgf();
        command.current_dir(&root).args(&all);
        let (output, seen) = on_terminal(&mut command);
        assert_eq!(output.stdout, piped.stdout, "the output is the same");
        let lines: Vec<String> = plain(&seen).lines().map(|line| line.trim_start_matches('\r').to_owned()).collect();
        let read = lines.iter().find(|line| line.starts_with("sgf: read ")).unwrap_or_else(|| panic!("{seen}"));
        assert!(read.starts_with("sgf: read 4 files, ") && read.contains(games), "{read}");
        let left = "sgf: not read: 4 by their names (./b.txt is one), 4 excluded (./c.zip!old/3.sgf is one), \
                    1 unreadable (./f.sgf.gz)";
        assert_eq!(lines.last().unwrap(), left);
        for quiet in [&["--quiet"][..], &["--progress", "never"]] {
            let mut command = sgf();
            command.current_dir(&root).args(&all).args(quiet);
            assert_eq!(on_terminal(&mut command).1, text(&piped.stderr), "{quiet:?}");
        }
        // If output and messages share a terminal, the summary is left out.
        let terminal = Terminal::new();
        let mut command = sgf();
        command.current_dir(&root).args(&all).stdout(terminal.stdio()).stderr(terminal.stdio());
        command.status().unwrap();
        drop(command);
        let seen = terminal.seen();
        assert!(!seen.contains("sgf: read ") && seen.contains("sgf: not read: "), "{seen}");
    }
}

#[test]
fn notes_can_be_silenced_and_errors_cannot() {
    let root = command::folder("cli_progress", "quiet", &[("a.txt", b"")]);
    assert_eq!(text(&run(&root, &["scan", "."]).stderr), "sgf: .: no .sgf file in this directory\n");
    assert_eq!(text(&run(&root, &["scan", "-q", "."]).stderr), "");
    let picked = text(&run(&root, &["scan", "--exclude", "*.sgf", "."]).stderr).to_owned();
    assert_eq!(picked, "sgf: .: no .sgf file in this directory that the patterns leave\n");
    assert_eq!(text(&run(&root, &["scan", "-q", "gone"]).stderr), "sgf: gone: No such file or directory\n");
}

#[test]
fn off_a_terminal_progress_is_lines() {
    let root = leftovers("lines");
    let output = run(&root, &["list", "--progress", "always", "--columns", "game", "a.sgf"]);
    assert_eq!(text(&output.stdout), "game\n1\n");
    let message = text(&output.stderr);
    assert!(message.starts_with("sgf: read 1 file, 8 B, 1 game in ") && message.lines().count() == 1, "{message}");
}

#[test]
fn cat_and_split_tell_what_they_have_read() {
    let root = command::folder(
        "cli_progress",
        "told",
        &[("a.sgf", b"(;B[aa])(;B[bb])"), ("b.sgf", b"(;B[cc])"), ("c.sgf", b"(;B[dd]")],
    );
    let told = |args: &[&str], expected: &str| {
        let output = run(&root, &[args, &["--progress", "always"]].concat());
        let message = text(&output.stderr);
        assert!(message.starts_with(expected) && message.lines().count() == 1, "{args:?}: {message}");
    };
    told(&["cat", "a.sgf#1"], "sgf: read 1 file, 16 B, 1 game in ");
    told(&["cat", "a.sgf", "b.sgf#1"], "sgf: read 2 files, 24 B, 3 games in ");
    told(&["cat", "c.sgf#1"], "sgf: read 1 file, 7 B, 1 game in ");
    #[cfg(feature = "index")]
    {
        assert_eq!(run(&root, &["index", "--offsets", "a.sgf"]).status.code(), Some(0));
        told(&["cat", "a.sgf#2"], "sgf: read 1 file, 8 B, 1 game in ");
    }
    told(&["split", "--ranges", "2", "a.sgf"], "sgf: read 1 file, 16 B in ");
    told(&["split", "--every", "1", "--to", "parts", "a.sgf"], "sgf: read 1 file, 16 B in ");
}

#[cfg(feature = "index")]
#[test]
fn quiet_runs_of_index_print_no_notes() {
    let root = command::folder("cli_progress", "quiet_index", &[("a.sgf", b"(;B[aa])"), ("b.sgf", b"(;B[bb])")]);
    for (arg, left) in [("--window=never", "b.sgf"), ("-q", "a.sgf")] {
        assert_eq!(run(&root, &["index", "a.sgf", "b.sgf", "--to", "x.db"]).status.code(), Some(0));
        fs::rename(root.join(left), root.join("moved")).unwrap();
        let others = if left == "a.sgf" { "b.sgf" } else { "a.sgf" };
        let output = run(&root, &["index", "--prune", arg, others, "--to", "x.db"]);
        let note = "sgf: 1 file that is not there any more: its rows were dropped\n";
        assert_eq!(text(&output.stderr), if arg == "-q" { "" } else { note });
        fs::rename(root.join("moved"), root.join(left)).unwrap();
    }
}

/// Only who names such a file expects a sidecar of it.
#[cfg(feature = "index")]
#[test]
fn a_file_that_gets_no_sidecar_is_no_failure_if_it_is_found() {
    let packed = compress("gz", b"(;B[bb])");
    let root = command::folder("cli_progress", "no_sidecar", &[("a.sgf", b"(;B[aa])"), ("b.sgf.gz", &packed)]);
    let reason = "b.sgf.gz: it has to be unpacked from its beginning, so a sidecar is of no use: only plain files, tar and zip \
                  have one\n";
    let output = run(&root, &["index", "--offsets", "."]);
    assert_eq!((text(&output.stderr), output.status.code()), (&*format!("sgf: ./{reason}"), Some(0)));
    assert!(root.join("a.sgf.offsets").exists());
    let output = run(&root, &["index", "--offsets", "--progress", "always", "."]);
    let message = text(&output.stderr);
    // The sidecar itself is not missed.
    let left = "sgf: not read: 1 of a kind that gets no sidecar (./b.sgf.gz)\n";
    assert!(message.ends_with(left), "{message}");
    let output = run(&root, &["index", "--offsets", "b.sgf.gz"]);
    assert_eq!((text(&output.stderr), output.status.code()), (&*format!("sgf: {reason}"), Some(2)));
    assert_eq!(text(&run(&root, &["index", "--offsets", "-q", "."]).stderr), "");
}

#[test]
fn a_sidecar_is_not_among_what_was_not_read() {
    let files: [(&str, &[u8]); 3] = [("a.sgf", b"(;B[aa])"), ("a.sgf.offsets", b""), ("b.offsets", b"")];
    let root = command::folder("cli_progress", "sidecars", &files);
    let found: Value = serde_json::from_slice(&run(&root, &["scan", "--json", "."]).stdout).unwrap();
    assert_eq!(found["not_read"], json!({ "name": 1 }));
    assert_eq!(found["not_read_examples"], json!({ "name": "./b.offsets" }));
}

#[test]
fn the_end_says_how_many_copies_were_dropped() {
    let root = command::folder("cli_progress", "copies", &[("a.sgf", b"(;B[aa])(;B[aa])(;B[bb])(;B[aa])")]);
    for (args, said) in [
        (&["find", "--unique"][..], "; 2 copies were dropped\n"),
        (&["find", "--unique", "--game", "2.."], "; 1 copy was dropped\n"),
        #[cfg(feature = "index")]
        (&["index", "--unique", "--to", "-", "--format", "csv"], "; 2 copies were dropped\n"),
    ] {
        let output = run(&root, &[args, &["a.sgf", "--progress", "always"]].concat());
        assert!(text(&output.stderr).ends_with(said), "{args:?}: {}", text(&output.stderr));
    }
}

/// Runs a command whose output and messages go to the same terminal.
fn on_one_terminal(command: &mut Command) -> (String, Option<i32>) {
    on_one_terminal_while(command, |_| ())
}

/// The same while something is done that may wait for what the terminal shows.
fn on_one_terminal_while(command: &mut Command, meanwhile: impl FnOnce(&Screen)) -> (String, Option<i32>) {
    let terminal = Terminal::new();
    let mut child = command.stdout(terminal.stdio()).stderr(terminal.stdio()).spawn().unwrap();
    // The command would keep ends of the terminal open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    meanwhile(&terminal.screen());
    let status = child.wait().unwrap();
    (terminal.seen(), status.code())
}

/// There, no report at the end has the number.
#[test]
fn a_terminal_with_the_rows_is_told_of_copies_too() {
    let files: [(&str, &[u8]); 2] = [("a.sgf", b"(;B[aa])(;B[aa])(;B[bb])"), ("x.txt", b"")];
    let root = command::folder("cli_progress", "copies_seen", &files);
    let (seen, code) = on_one_terminal(sgf().current_dir(&root).args(["find", "--unique", "--columns", "game", "."]));
    let expected = "game\n   1\n   3\nsgf: 1 copy was dropped\nsgf: not read: 1 by their names (./x.txt)\n";
    // Before that, a bar is drawn where reading takes a moment.
    assert!(seen.ends_with(expected) && code == Some(0), "{seen:?}");
    let (seen, _) = on_one_terminal(sgf().current_dir(&root).args(["find", "--unique", "--count", "-q", "a.sgf"]));
    assert_eq!(seen, "2\n");
}

/// A pipe in a folder.
fn pipe(root: &Path) -> PathBuf {
    let pipe = root.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}

fn open(pipe: &Path) -> fs::File {
    fs::File::options().write(true).open(pipe).unwrap()
}

#[test]
fn what_was_found_is_shown_on_a_terminal_before_all_is_read() {
    for form in ["table", "csv"] {
        let root = command::folder("cli_progress", "soon", &[("a.sgf", b"(;PB[Cho])")]);
        let pipe = pipe(&root);
        let find = ["find", "--player", "cho", "--columns", "black", "--format", form, "a.sgf", "pipe", "gone.sgf"];
        let mut command = sgf();
        command.current_dir(&root).args(find);
        let (seen, code) = on_one_terminal_while(&mut command, |screen| {
            let mut pipe = open(&pipe);
            // The pipe is not at its end before that. At first, it is not due yet when something comes.
            until(|| {
                pipe.write_all(b"(;PB[x])").unwrap();
                screen.text().contains("black\nCho\n")
            });
        });
        let end = "black\nCho\nsgf: gone.sgf: No such file or directory\nsgf: not read: 1 unreadable (gone.sgf)\n";
        assert!(seen.ends_with(end) && code == Some(2), "{form}: {seen:?}");
    }
}

#[test]
fn on_the_terminal_of_the_output_a_bar_is_drawn_until_something_is_found() {
    for (args, found) in [
        (&["find", "--player", "x", "--columns", "black"][..], "black\nx\n"),
        (&["find", "--player", "x", "--count"], "1\nsgf: read 1 file, "),
        (&["find", "--player", "y"], ""),
    ] {
        let root = command::folder("cli_progress", "until", &[]);
        let pipe = pipe(&root);
        let mut command = sgf();
        command.current_dir(&root).args(args).arg("pipe");
        let (seen, _) = on_one_terminal_while(&mut command, |screen| {
            let mut pipe = open(&pipe);
            until(|| screen.text().contains(" games"));
            pipe.write_all(b"(;PB[x])").unwrap();
        });
        // What comes after the last bar begins with its removal.
        let (_, after) = seen.rsplit_once(" games").unwrap_or_else(|| panic!("{args:?}: {seen:?}"));
        assert!(after.contains("\x1b[") && plain(after).contains(found), "{args:?}: {seen:?}");
    }
}

#[test]
fn a_command_that_has_nothing_to_read_says_so() {
    for args in [&["find", "--player", "cho"][..], &["scan", "--json"], &["list", "--columns", "black"]] {
        let terminal = Terminal::new();
        let output = sgf().args(args).stdin(terminal.stdio()).output().unwrap();
        let said = text(&output.stderr);
        let first = "sgf: nothing to read: name files or folders (. for this one), or pipe games in\nUsage: sgf ";
        assert!(said.starts_with(first) && said.lines().count() == 2, "{args:?}: {said}");
        assert_eq!(output.status.code(), Some(2));
    }
    let terminal = Terminal::new();
    let output = sgf().arg("find").stdin(terminal.stdio()).output().unwrap();
    assert!(text(&output.stderr).contains("\nExamples:\n"), "{output:?}");
}

/// Whoever works out the total must not take lines from whoever reads.
#[test]
fn a_list_from_a_pipe_is_read_once() {
    let root = leftovers("list_from_a_pipe");
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    let names: Vec<_> = (0..2_000).map(|number| format!("many/{number}.sgf")).collect();
    fs::create_dir(root.join("many")).unwrap();
    for name in &names {
        fs::write(root.join(name), "(;)").unwrap();
    }
    let list = names.join("\n");
    let pipe = root.join("pipe");
    let writer = thread::spawn(move || fs::write(pipe, list));
    let output = run(&root, &["scan", "--threads", "1", "--progress", "always", "--json", "--files-from", "pipe"]);
    writer.join().unwrap().unwrap();
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &counts["games"]), (Some(0), &2_000.into()), "{}", text(&output.stderr));
}

#[test]
fn the_file_with_the_last_wanted_game_counts_as_read() {
    let root = leftovers("limit");
    for (limit, files) in [("1", "1 file, "), ("2", "2 files, "), ("3", "3 files, ")] {
        let args = ["find", "--limit", limit, "--count", "--progress", "always", "a.sgf", "old/b.sgf", "e.tgz"];
        let output = run(&root, &args);
        let message = text(&output.stderr);
        assert!(message.starts_with(&format!("sgf: read {files}")), "{message}");
    }
}

/// Waits until the command has taken all that was written to it.
fn is_taken(stdin: &ChildStdin) {
    until(|| ioctl_fionread(stdin).unwrap() == 0);
}

/// Waits until the command has written something.
fn is_writing(stdout: &impl AsFd) {
    until(|| ioctl_fionread(stdout).unwrap() > 0);
}

/// A set of signals, as the system shows it of a process.
#[cfg(target_os = "linux")]
fn signals(child: &Child, set: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(set)).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap()
}

#[cfg(target_os = "linux")]
const INT: u64 = 1 << (Signal::INT.as_raw() - 1);

/// What the command shows of a pipe that stays open until it shows what is awaited, if anything is, or else for a while.
#[track_caller]
fn slow(args: &[&str], awaited: Option<&str>) -> String {
    let terminal = Terminal::new();
    let mut command = sgf();
    command.args(args).stdin(Stdio::piped()).stderr(terminal.stdio());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"(;B[aa])(;B[bb])\n").unwrap();
    is_taken(&stdin);
    match awaited {
        Some(awaited) => until(|| terminal.screen().text().contains(awaited)),
        None => thread::sleep(Duration::from_millis(500)),
    }
    drop(stdin);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    terminal.seen()
}

#[test]
fn a_bar_is_drawn_while_reading() {
    for command in ["scan", "list", "events", "recode"] {
        let seen = slow(&[command], Some(" games"));
        assert!(seen.contains("\x1b["), "{seen:?}");
    }
    assert_eq!(slow(&["scan", "--progress", "never"], None), "");
    assert_eq!(slow(&["scan", "--quiet"], None), "");
}

#[test]
fn the_bar_shows_the_total() {
    let games = b"(;C[some words]B[pd];W[dd])\n".repeat(100_000);
    let root = command::folder("cli_progress", "known", &[("games.sgf", &games)]);
    for colour in [true, false] {
        let terminal = Terminal::new();
        let mut command = sgf();
        command.env("NO_COLOR", if colour { "" } else { "1" }).env("TERM", "xterm").stderr(terminal.stdio());
        let child = command.current_dir(&root).args(["list", "--columns", "game", "games.sgf"]).spawn().unwrap();
        drop(command);
        // Reading waits until the rows are taken.
        is_writing(child.stdout.as_ref().unwrap());
        until(|| terminal.screen().text().contains(" of 2.80 MB"));
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
        let seen = terminal.seen();
        let shown = plain(&seen);
        assert!(shown.contains(" % ") && shown.contains(" of 2.80 MB") && shown.contains("games.sgf"), "{shown}");
        assert!(shown.contains("sgf: read 1 file, 2.80 MB, 100,000 games in "), "{shown}");
        // 36 is cyan.
        assert_eq!(seen.contains("\x1b[36m"), colour, "{seen:?}");
    }
}

/// Presses Ctrl-C once the command heeds it.
fn interrupt(child: &Child) {
    #[cfg(target_os = "linux")]
    until(|| signals(child, "SigCgt:") & INT != 0);
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

#[test]
fn ctrl_c_keeps_what_was_read() {
    heed_ctrl_c();
    let mut commands = vec![
        (&["events"][..], r#"{"event":"value","offset":12,"depth":1,"ident":"B","value":"bb"}"#),
        (&["list", "--columns", "game"], "1"),
        (&["recode"], "(;B[aa])(;B[bb]"),
        (&["scan", "--json"], r#""games":2"#),
        (&["scan", "--json", "--threads", "1"], r#""games":2"#),
    ];
    if cfg!(feature = "index") {
        commands.push((&["index", "--to", "-", "--format", "ndjson"], r#""game":1"#));
    }
    for (args, kept) in commands {
        let mut child = sgf().args(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"(;B[aa])(;B[bb]").unwrap();
        is_taken(&stdin);
        is_waiting(&child);
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{args:?}: {output:?}");
        let message = "sgf: interrupted in -, at byte 15: what came before it was read\n";
        assert_eq!(text(&output.stderr), message, "{args:?}");
        assert!(text(&output.stdout).contains(kept), "{args:?}: {}", text(&output.stdout));
        drop(stdin);
    }
}

#[test]
fn ctrl_c_ends_waiting_for_an_archive() {
    heed_ctrl_c();
    let packed = compress("gz", &pack("tar", &[("a.sgf", b"(;B[aa])"), ("b.sgf", &b"(;B[bb])".repeat(100_000))]));
    for args in [&["list", "--columns", "game"][..], &["scan", "--json"]] {
        let mut child = sgf().args(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&packed[..packed.len() / 2]).unwrap();
        is_taken(&stdin);
        is_waiting(&child);
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{args:?}: {output:?}");
        assert!(text(&output.stderr).starts_with("sgf: interrupted in -"), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr).lines().count(), 1);
    }
}

#[test]
fn ctrl_c_ends_waiting_for_a_list() {
    heed_ctrl_c();
    let root = command::folder("cli_progress", "list", &[("a.sgf", b"(;B[aa])")]);
    for args in [&["list", "--columns", "game"][..], &["scan", "--json", "--threads", "1"], &["events"]] {
        for list in ["", "a.sgf\n"] {
            let mut command = sgf();
            command.current_dir(&root).args(args).args(["--files-from", "-"]).stdin(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(list.as_bytes()).unwrap();
            is_taken(&stdin);
            is_waiting(&child);
            interrupt(&child);
            // Without waiting for this.
            let output = child.wait_with_output().unwrap();
            drop(stdin);
            assert_eq!(output.status.code(), Some(130), "{args:?}: {output:?}");
            let message = text(&output.stderr);
            let is_told = message.lines().all(|line| line.starts_with("sgf: interrupted "));
            assert!(is_told && message.lines().count() <= 1, "{args:?}: {message}");
            let is_read = text(&output.stdout).contains(if args[0] == "scan" { r#""games":1"# } else { "1" });
            assert_eq!(is_read, !list.is_empty(), "{args:?}: {output:?}");
        }
    }
}

/// With a sidecar each game is fetched separately.
#[cfg(feature = "index")]
#[test]
fn ctrl_c_stops_between_two_fetched_games() {
    heed_ctrl_c();
    let root = command::folder("cli_progress", "fetched", &[("a.sgf", &b"(;B[aa])".repeat(100_000))]);
    assert_eq!(run(&root, &["index", "--offsets", "a.sgf"]).status.code(), Some(0));
    let mut child = sgf().current_dir(&root).args(["cat", "a.sgf#1..", "a.sgf#1"]).spawn().unwrap();
    // It blocks until someone reads.
    is_writing(child.stdout.as_ref().unwrap());
    is_waiting(&child);
    interrupt(&child);
    let mut games = String::new();
    child.stdout.take().unwrap().read_to_string(&mut games).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let offset = 8 * games.lines().count();
    let message = format!("sgf: interrupted in a.sgf, at byte {offset}: what came before it was read\n");
    assert_eq!(text(&output.stderr), message);
}

#[test]
fn ctrl_c_leaves_a_file_as_it_was() {
    heed_ctrl_c();
    let root = command::folder("cli_progress", "kept", &[("out.sgf", b"before")]);
    let mut child = sgf().current_dir(&root).args(["recode", "--to", "out.sgf"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"(;B[aa])").unwrap();
    is_taken(&stdin);
    is_waiting(&child);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).ends_with("sgf: out.sgf: not written\n"), "{}", text(&output.stderr));
    assert_eq!(fs::read(root.join("out.sgf")).unwrap(), b"before");
    assert_eq!(fs::read_dir(&root).unwrap().count(), 1, "a temporary file is left");
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    heed_ctrl_c();
    let root = command::folder("cli_progress", "twice", &[("a.sgf", &b"(;B[aa])".repeat(100_000))]);
    let mut child = sgf().current_dir(&root).args(["events", "a.sgf"]).spawn().unwrap();
    // Writing blocks, because no one reads on.
    let mut stdout = BufReader::with_capacity(64, child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    is_waiting(&child);
    interrupt(&child);
    // Two that arrive together are one.
    #[cfg(target_os = "linux")]
    until(|| signals(&child, "ShdPnd:") & INT == 0);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(child.try_wait().unwrap(), None, "the first one must wait for the write");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(message, "");
}

/// Runs a command with a short input from a pipe that holds all of it from the start. On several threads, what comes before a
/// pause is gone when a problem is reported after it, and a writer may pause.
fn full_pipe(command: &mut Command, bytes: &[u8]) -> Output {
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(bytes).unwrap();
    drop(writer);
    command.stdin(reader).output().unwrap()
}

/// What `scan --strict` prints with a window: from a file, an archive and a pipe, on one thread and on several.
#[track_caller]
fn windows(root: &Path, bytes: &[u8]) -> String {
    fs::write(root.join("a.sgf"), bytes).unwrap();
    fs::write(root.join("a.zip"), pack("zip", &[("a.sgf", bytes)])).unwrap();
    let mut found = Vec::new();
    for threads in ["1", "3"] {
        let args = ["scan", "--strict", "--window", "always", "--threads", threads];
        found.push(text(&run(root, &[&args[..], &["a.sgf"]].concat()).stderr).to_owned());
        found.push(text(&run(root, &[&args[..], &["a.zip"]].concat()).stderr).replace("a.zip!", ""));
        let piped =
            if bytes.len() < 4_096 { full_pipe(sgf().args(args), bytes) } else { feed(sgf().args(args), bytes) };
        found.push(text(&piped.stderr).replace("sgf: -:", "sgf: a.sgf:"));
    }
    for other in &found {
        // On several threads, bytes of a long pipe or member are gone by then.
        let is_long = bytes.len() > 1 << 20 && Some(other.trim_end()) == found[0].lines().next();
        assert!(is_long || other == &found[0], "{other}");
    }
    assert_eq!(found[0], found[3], "a file, on one thread and on several");
    found.swap_remove(0)
}

#[test]
fn a_problem_is_shown_with_its_bytes() {
    let root = command::folder("cli_progress", "windows", &[]);
    assert_eq!(
        windows(&root, b"(;B[aa])\n x (;W[bb])"),
        "sgf: a.sgf:2:2: junk: bytes between games (2 bytes at byte 10)\n  |\n2 |  x (;W[bb])\n  |  ^^\n"
    );
    assert_eq!(
        windows(&root, b"(;C[\x1b\xE6\x9C\xAC];B[aa]\xB0\xD7;W[bb])"),
        "sgf: a.sgf:1:16: illegal-bytes: unexpected bytes inside a game (2 bytes at byte 15)\n  \
         |\n1 | (;C[\\u{1b}本];B[aa]\\xB0\\xD7;W[bb])\n  |                    ^^^^^^^^\n"
    );
    // One line of three megabytes.
    let long = [&b"(;B[aa])".repeat(200_000)[..], b"junk", &b"(;B[aa])".repeat(200_000)].concat();
    let message = windows(&root, &long);
    assert!(
        message.starts_with("sgf: a.sgf:1:1600001: junk: bytes between games (4 bytes at byte 1600000)\n"),
        "{message}"
    );
    assert!(
        message.len() < 400 && message.contains("B[aa])(;B[aa])junk(;B[aa])(;B[aa])") && message.contains("^^^^\n"),
        "{message}"
    );
    // The end of the input has a window, too.
    let message = windows(&root, b"(;B[aa]\n;C");
    assert!(message.ends_with("2 | ;C\n  |  ^\n") && message.contains("property-without-value"), "{message}");
}

#[test]
fn programs_get_one_line_unless_they_ask() {
    let root = command::folder("cli_progress", "plain", &[("a.sgf", b"(;B[aa])x")]);
    let line = "sgf: a.sgf:1:9: junk: bytes between games (1 byte at byte 8)\n";
    assert_eq!(text(&run(&root, &["list", "--strict", "a.sgf"]).stderr), line);
    let seen = |environment: &[(&str, &str)], args: &[&str]| {
        let mut command = sgf();
        command.current_dir(&root).args(args).envs(environment.iter().copied());
        on_terminal(&mut command).1
    };
    let args = ["list", "--strict", "--progress", "never", "a.sgf"];
    assert_eq!(seen(&[("NO_COLOR", "1")], &args), format!("{line}  |\n1 | (;B[aa])x\n  |         ^\n"));
    let coloured = seen(&[("TERM", "xterm")], &args);
    assert!(coloured.starts_with(line) && coloured.contains("\x1b["), "{coloured:?}");
    assert_eq!(seen(&[], &[&args[..], &["--window", "never"]].concat()), line);
}

#[test]
fn recode_shows_undecodable_bytes() {
    let output = feed(sgf().args(["recode", "--charset", "utf-8", "--window", "always"]), b"(;CA[UTF-8]\nC[a\xFFb])");
    assert!(text(&output.stderr).ends_with("  |\n2 | C[a\\xFFb])\n  |   ^^^^^^\n"), "{}", text(&output.stderr));
}

#[test]
fn help_is_coloured_on_terminals_unless_no_color_is_set() {
    let plain = text(&sgf().args(["scan", "--help"]).output().unwrap().stdout).to_owned();
    assert!(!plain.contains('\x1b'));
    for (unwanted, is_plain) in [("", false), ("1", true)] {
        let terminal = Terminal::new();
        let mut command = sgf();
        command.args(["scan", "--help"]).env("NO_COLOR", unwanted).env("TERM", "xterm").stdout(terminal.stdio());
        command.status().unwrap();
        drop(command);
        let seen = terminal.seen();
        assert_eq!(!seen.contains("\x1b["), is_plain, "{seen:?}");
        assert_eq!(seen.contains("Examples:\n"), is_plain, "coloured heading: {seen:?}");
    }
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = sgf().args(["completions", shell]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        for word in ["recode", "columns", "no-such-word"] {
            assert_eq!(text(&output.stdout).contains(word), word != "no-such-word", "{shell}, {word}");
        }
    }
    assert_eq!(sgf().args(["completions", "cmd"]).output().unwrap().status.code(), Some(2));
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let root = command::folder("cli_progress", "man", &[("taken", b"")]);
    assert_eq!(run(&root, &["man", "pages"]).status.code(), Some(0));
    let mut names: Vec<String> = fs::read_dir(root.join("pages"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let help = text(&run(&root, &["--help"]).stdout).to_owned();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut expected: Vec<String> = commands
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|name| *name != "help")
        .map(|name| format!("sgf-{name}.1"))
        .chain(["sgf.1".to_owned()])
        .collect();
    expected.sort();
    assert_eq!(names, expected);
    let page = fs::read_to_string(root.join("pages/sgf-scan.1")).unwrap();
    assert!(page.contains(&format!(".TH sgf-scan 1  \"sgf {}\"", env!("CARGO_PKG_VERSION"))), "{page}");
    let first = fs::read_to_string(root.join("pages/sgf.1")).unwrap();
    assert!(first.contains("sgf\\-scan(1)") && !first.contains("sgf\\-help(1)"), "{first}");
    let examples = ".SH \"EXAMPLES\"\n.nf\n  sgf scan games.sgf  ";
    for part in [examples, ".SH \"KEYS OF JSON\"", ".SH \"EXIT STATUS\"", "\\-\\-threads"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let all = run(&root, &["man"]);
    assert!(text(&all.stdout).contains(&page), "not printed without a directory");
    let refused = run(&root, &["man", "taken"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).starts_with("sgf: taken: "), "{}", text(&refused.stderr));
}
