//! The README's `console` blocks: each command is run, and its output compared with what the README shows.
//!
//! A line `? N` after a command is its exit code, if not 0. `[..]` stands for text that varies, a line `...` for omitted lines.
//! With `SNAPSHOTS=overwrite` the README is rewritten with the current output; these marks have to be restored by hand.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use snapbox::assert::DEFAULT_ACTION_ENV;
use snapbox::{Assert, Data};

use crate::command::{self, text};

/// The README with the commands' output copied into it.
fn rerun(readme: &str, mut run: impl FnMut(&str) -> (String, Option<i32>)) -> String {
    let (mut shown, mut in_block, mut commands) = (String::new(), false, 0);
    for line in readme.lines() {
        if in_block && let Some(command) = line.strip_prefix("$ ") {
            let (output, code) = run(command);
            shown.push_str(line);
            shown.push('\n');
            if code != Some(0) {
                writeln!(shown, "? {}", code.unwrap_or(-1)).unwrap();
            }
            shown.push_str(&output);
            if !output.is_empty() && !output.ends_with('\n') {
                shown.push('\n');
            }
            commands += 1;
            continue;
        }
        let is_fence = line.starts_with("```");
        if is_fence || !in_block {
            shown.push_str(line);
            shown.push('\n');
        }
        if is_fence {
            in_block = !in_block && line == "```console";
        }
    }
    assert!(commands > 5, "only {commands} commands were found");
    shown
}

/// What the commands need besides `sgf` and the standard Unix tools.
const TOOLS: [&str; 3] = ["sqlite3", "tar", "zip"];

#[test]
fn readme_commands_print_what_it_shows() {
    let is_there =
        |tool: &&str| env::split_paths(&env::var_os("PATH").unwrap()).any(|folder| folder.join(tool).exists());
    if let Some(tool) = TOOLS.iter().find(|tool| !is_there(tool)) {
        assert!(env::var_os("CI").is_none(), "{tool} has to be installed");
        eprintln!("NOT DONE: {tool} is not installed");
        return;
    }
    let root = command::folder("cli_readme", "work", &[("target/.keep", b"")]);
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::os::unix::fs::symlink(home.join("corpora"), root.join("corpora")).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_sgf")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), env::var("PATH").unwrap());
    let readme = fs::read_to_string(home.join("README.md")).unwrap();
    let found = rerun(&readme, |command| {
        let mut shell = Command::new("sh");
        // Standard error is merged in, as a terminal would show it.
        shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(&root).env("PATH", &path).env("LC_ALL", "C");
        // Without settings for sqlite3, and without its warning that it finds no home.
        shell.env("HOME", &root);
        let output = shell.stdin(Stdio::null()).output().unwrap();
        (text(&output.stdout).to_owned(), output.status.code())
    });
    Assert::new()
        .normalize_paths(false)
        .action_env(DEFAULT_ACTION_ENV)
        .eq(found, Data::read_from(&home.join("README.md"), None));
}
