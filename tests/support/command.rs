//! The command as a program: how tests start, feed and watch it.

use std::io::Write;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::time::Duration;
use std::{fs, thread};

use crate::scratch;
#[cfg(unix)]
use crate::wait::until;

/// The command without input, in the environment of all tests, with its output captured.
pub(crate) fn sgf() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sgf"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    in_plain_environment(&mut command);
    command
}

/// Lets a program write to whom it writes the same wherever the tests run: in no language, for an ordinary terminal.
pub(crate) fn in_plain_environment(command: &mut Command) {
    for name in ["CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "NO_COLOR"] {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C").env("TERM", "xterm");
}

/// A fresh directory of this test with these files. The group names the module.
#[track_caller]
pub(crate) fn folder(group: &str, name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let root = scratch::folder(group, name);
    for (name, bytes) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

/// Runs the command in a directory.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    sgf().current_dir(folder).args(args).output().unwrap()
}

/// Runs a command with this on its standard input.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Output {
    feed_pieces(command, input, usize::MAX)
}

/// The same with the input in pieces, so that tokens are cut into chunks.
pub(crate) fn feed_pieces(command: &mut Command, input: &[u8], len: usize) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that stops reading closes the pipe.
    let writer = thread::spawn(move || input.chunks(len).try_for_each(|piece| stdin.write_all(piece)));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

/// Runs a command as somebody who may not write to the file; `None`, which it says, if that is not possible.
#[cfg(unix)]
pub(crate) fn without_permission(command: &mut Command, path: &Path) -> Option<Output> {
    use std::os::unix::process::CommandExt;
    if fs::File::options().write(true).open(path).is_ok() {
        // Root may write to every file; nobody may not.
        command.uid(65_534).gid(65_534);
    }
    let output = command.output();
    if output.is_err() {
        eprintln!("NOT DONE: another user may not run the command");
    }
    output.ok()
}

/// Whether these programs are installed; if not, says so. Where everything must be tested (`CI`), they have to be.
#[cfg(all(feature = "index", unix))]
pub(crate) fn have(tools: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |tool: &&&str| std::env::split_paths(&path).any(|folder| folder.join(tool).exists());
    let Some(tool) = tools.iter().find(|tool| !is_there(tool)) else { return true };
    assert!(std::env::var_os("CI").is_none(), "{tool} has to be installed");
    eprintln!("NOT DONE: {tool} is not installed");
    false
}

/// Waits until a process has done all that it can with what it has: each of its threads waits, and still does a moment later. A
/// pause that it makes itself is shorter than that moment. Where the system does not tell, waits for a while.
#[cfg(unix)]
#[track_caller]
pub(crate) fn is_waiting(child: &Child) {
    let tells = cfg!(target_os = "linux");
    let mut before = None;
    until(|| {
        thread::sleep(Duration::from_millis(if tells { 50 } else { 300 }));
        let now = waiting(child);
        let is_same = now.is_some() && now == before;
        before = now;
        is_same || !tells
    });
}

/// How often each thread of a process has begun to wait; `None` if one of them does not wait.
#[cfg(unix)]
fn waiting(child: &Child) -> Option<Vec<String>> {
    let mut threads = Vec::new();
    for thread in fs::read_dir(format!("/proc/{}/task", child.id())).ok()? {
        let status = fs::read_to_string(thread.ok()?.path().join("status")).ok()?;
        let line = |name| status.lines().find(|line| line.starts_with(name));
        if !line("State:")?.contains("(sleeping)") {
            return None;
        }
        threads.extend(["Pid:", "voluntary_ctxt_switches:"].map(|name| line(name).unwrap_or_default().to_owned()));
    }
    Some(threads)
}

/// What the system says of a file that is not there.
pub(crate) fn no_file() -> String {
    says(2)
}

/// The same of one in a folder that is not there.
pub(crate) fn no_folder() -> String {
    says(if cfg!(windows) { 3 } else { 2 })
}

/// What the system says of the error that it gives this number.
pub(crate) fn says(error: i32) -> String {
    let text = std::io::Error::from_raw_os_error(error).to_string();
    text.split(" (os error").next().unwrap().trim_end_matches('.').to_owned()
}

/// Paths as the system writes them.
pub(crate) fn native(text: &str) -> String {
    text.replace('/', std::path::MAIN_SEPARATOR_STR)
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Asserts that a run succeeded and reported nothing.
#[track_caller]
pub(crate) fn assert_quiet(output: &Output) {
    assert_eq!((&*String::from_utf8_lossy(&output.stderr), output.status.code()), ("", Some(0)));
}

/// The peak resident memory of a process so far, in KiB; `None` once it has ended.
#[cfg(target_os = "linux")]
pub(crate) fn peak_memory(child: &Child) -> Option<u64> {
    memory(child, "VmHWM:")
}

#[cfg(target_os = "linux")]
fn memory(child: &Child, what: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(what))?;
    Some(line.trim().trim_end_matches(" kB").parse().unwrap())
}

/// The peak memory of a command that has read `len` bytes of pieces after the start of its input, and its output.
#[cfg(target_os = "linux")]
pub(crate) fn peak_of_flood(command: &mut Command, start: &str, piece: &str, len: usize) -> (u64, Output) {
    let (peak, _, output) = flood(command, start, piece, len);
    (peak, output)
}

/// The same without the code of the program, which takes 8 MB if it is optimized, and more if not.
#[cfg(target_os = "linux")]
pub(crate) fn peak_data_of_flood(command: &mut Command, start: &str, piece: &str, len: usize) -> (u64, Output) {
    let (peak, code, output) = flood(command, start, piece, len);
    (peak - code, output)
}

#[cfg(target_os = "linux")]
fn flood(command: &mut Command, start: &str, piece: &str, len: usize) -> (u64, u64, Output) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(start.as_bytes()).unwrap();
    let pieces = piece.repeat(len / 100 / piece.len());
    for _ in 0..100 {
        stdin.write_all(pieces.as_bytes()).unwrap();
    }
    // What has not been read yet fits into the pipe.
    let (peak, code) = (peak_memory(&child).unwrap(), memory(&child, "RssFile:").unwrap());
    drop(stdin);
    (peak, code, child.wait_with_output().unwrap())
}
