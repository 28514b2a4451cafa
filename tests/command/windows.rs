//! What is different on Windows, where `wine` counts as one.

use std::fs;

use crate::command::{self, assert_quiet, native, run, sgf, text};

fn folder(name: &str) -> std::path::PathBuf {
    let files: [(&str, &[u8]); 3] = [("1.sgf", b"(;B[aa])"), ("a/2.sgf", b"(;B[bb])"), ("a/b/3.sgf", b"(;B[cc])")];
    command::folder("cli_windows", name, &files)
}

/// The shell leaves them to the program.
#[test]
fn a_backslash_in_a_pattern_is_a_slash() {
    let root = folder("patterns");
    let whole = format!("{}\\a\\*.sgf", root.display());
    let verbatim = format!("{}\\a\\*.sgf", root.canonicalize().unwrap().display());
    for (args, expected) in [
        (&["a\\*.sgf"][..], &["a\\2.sgf"][..]),
        (&[".\\a\\*.sgf"], &[".\\a\\2.sgf"]),
        (&["a\\**\\*.sgf"], &["a\\2.sgf", "a\\b\\3.sgf"]),
        (&["a/b\\..\\*.sgf"], &["a\\b\\..\\2.sgf"]),
        (&["--glob", "a\\*.sgf", "."], &[".\\a\\2.sgf"]),
        (&["--glob", ".\\a\\*.sgf", "."], &[".\\a\\2.sgf"]),
        (&["--exclude", "a\\b\\", "."], &[".\\1.sgf", ".\\a\\2.sgf"]),
        (&["--exclude", ".\\a", "."], &[".\\1.sgf"]),
        (&[&whole], &[&native(&whole.replace('*', "2"))]),
        (&[&verbatim], &[&verbatim.replace('*', "2")]),
    ] {
        let output = run(&root, &[&["list", "--columns", "file"], args].concat());
        assert_quiet(&output);
        assert_eq!(text(&output.stdout).lines().skip(1).collect::<Vec<_>>(), expected, "{args:?}");
    }
}

#[test]
fn a_file_that_gets_the_output_is_not_read() {
    let root = folder("output");
    let mut command = sgf();
    command.current_dir(&root).args(["find", "--sgf", "."]).stdout(fs::File::create(root.join("a/2.sgf")).unwrap());
    let output = command.output().unwrap();
    let said = "sgf: .\\a\\2.sgf: input and output are the same file\n";
    assert_eq!((text(&output.stderr), output.status.code()), (said, Some(2)));
    assert_eq!(fs::read(root.join("a/2.sgf")).unwrap(), b"(;B[aa])\n(;B[cc])\n");
}

#[test]
fn nul_takes_what_is_written() {
    let root = folder("device");
    for to in ["NUL", "nul", "a\\NUL"] {
        assert_quiet(&run(&root, &["recode", "1.sgf", "--to", to]));
        assert_quiet(&run(&root, &["index", "1.sgf", "--format", "csv", "--to", to]));
    }
    assert_eq!(fs::read_dir(&root).unwrap().count(), 2);
}

/// A database keeps it in the form in which people write it.
#[test]
fn a_path_in_a_database_is_a_usual_one() {
    let root = folder("path");
    assert_quiet(&run(&root, &["index", "1.sgf", "--to", "games.sqlite"]));
    let database = rusqlite::Connection::open(root.join("games.sqlite")).unwrap();
    let path: String = database.query_row("SELECT path FROM files", [], |row| row.get(0)).unwrap();
    assert!(path.as_bytes()[1..].starts_with(b":\\") && path.ends_with("\\1.sgf"), "{path}");
    assert_eq!(text(&run(&root, &["cat", &format!("{path}#1")]).stdout), "(;B[aa])\n");
    // It is still the same file when it is pruned.
    assert_quiet(&run(&root, &["index", "1.sgf", "--to", "games.sqlite", "--prune"]));
    fs::remove_file(root.join("1.sgf")).unwrap();
    let output = run(&root, &["index", "a", "--to", "games.sqlite", "--prune"]);
    assert_eq!(text(&output.stderr), "sgf: 1 file that is not there any more: its rows were dropped\n");
}
