//! The `console` blocks of the README and of the guide: each command is run, and its output compared with what the page shows.
//!
//! A line `? N` after a command is its exit code, if not 0. `[..]` stands for text that varies, a line `...` for omitted lines.
//! With `SNAPSHOTS=overwrite` a page is rewritten with the current output; these marks have to be restored by hand.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use snapbox::assert::DEFAULT_ACTION_ENV;
use snapbox::{Assert, Data};

use crate::command::{self, text};

/// A page with the commands' output copied into it, and how many commands it has.
fn rerun(page: &str, mut run: impl FnMut(&str) -> (String, Option<i32>)) -> (String, usize) {
    let (mut shown, mut in_block, mut commands) = (String::new(), false, 0);
    for line in page.lines() {
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
    (shown, commands)
}

/// What the commands need besides `sgf` and the standard Unix tools.
const TOOLS: [&str; 3] = ["sqlite3", "tar", "zip"];

/// Runs the commands of a page in a folder of its own, where each finds what those before it have made.
fn check(page: &Path, name: &str) -> usize {
    let root = command::folder("cli_readme", name, &[("target/.keep", b"")]);
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::os::unix::fs::symlink(home.join("corpora"), root.join("corpora")).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_sgf")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), env::var("PATH").unwrap());
    let (found, commands) = rerun(&fs::read_to_string(page).unwrap(), |command| {
        let mut shell = Command::new("sh");
        // Standard error is merged in, as a terminal would show it.
        shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(&root);
        command::in_plain_environment(&mut shell);
        shell.env("PATH", &path);
        // Without settings for sqlite3, and without its warning that it finds no home.
        shell.env("HOME", &root);
        let output = shell.stdin(Stdio::null()).output().unwrap();
        (text(&output.stdout).to_owned(), output.status.code())
    });
    Assert::new().normalize_paths(false).action_env(DEFAULT_ACTION_ENV).eq(found, Data::read_from(page, None));
    commands
}

#[test]
fn commands_print_what_the_readme_and_the_guide_show() {
    if !command::have(&TOOLS) {
        return;
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(check(&home.join("README.md"), "README") > 5);
    let pages = fs::read_dir(home.join("src/guide")).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<_> = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    let commands: usize =
        pages.iter().map(|page| check(page, page.file_stem().and_then(|name| name.to_str()).unwrap())).sum();
    assert!(commands > 20, "only {commands} commands were found in {pages:?}");
}

/// Where a heading is found in a page: in small letters, with hyphens for blanks, without punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase().replace(' ', "-");
    kept.chars().filter(|&c| c.is_alphanumeric() || c == '-' || c == '_').collect()
}

/// A page without its code.
fn prose(page: &str) -> String {
    let text: String = page.split("\n```").step_by(2).collect();
    text.split('`').step_by(2).collect()
}

/// What the links of a text lead to.
fn links(text: &str) -> Vec<&str> {
    let inline = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let defined = text.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split_once("]: "));
    inline.chain(defined.map(|(_, link)| link)).filter(|link| !link.contains("://")).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_dir(home.join("src/guide")).unwrap().map(|entry| entry.unwrap().path());
    let pages = guide.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let others = ["README.md", "benches/README.md", "corpora/README.md"].map(|name| home.join(name));
    let mut count = 0;
    for page in pages.chain(others) {
        let text = prose(&fs::read_to_string(&page).unwrap());
        for link in links(&text) {
            let (path, wanted) = link.split_once('#').unwrap_or((link, ""));
            let to = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let text = fs::read_to_string(&to).unwrap_or_else(|why| panic!("{}: {link}: {why}", page.display()));
            let mut headings =
                text.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_start_matches('#')));
            assert!(
                wanted.is_empty() || headings.any(|it| it == wanted),
                "{}: {link}: no such heading",
                page.display()
            );
            count += 1;
        }
    }
    assert!(count > 15, "only {count} links were found");
}
