//! `sgf cat` with several names: one pass through a file, and games in the order of the names.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::archives::{compress, pack};
use crate::command::{self, assert_quiet, feed, run, sgf, text};

const GAMES: &[u8] = b"(;PB[1])\n(;PB[2])(;PB[3]) junk (;PB[4])(;PB[5])";

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("cli_cat", name, files)
}

fn cat(root: &Path, args: &[&str]) -> Output {
    run(root, &[&["cat"], args].concat())
}

/// The names of Black in these games.
fn blacks(games: &[u8]) -> String {
    text(games).lines().map(|game| game.trim_start_matches("(;PB[").trim_end_matches("])").to_owned()).collect()
}

/// Standard input can be read once.
#[test]
fn one_pass_is_enough_for_all_names_of_a_file() {
    let packed = compress("gz", GAMES);
    for input in [GAMES, &packed] {
        for (names, expected) in [
            (&["-#2", "-#4"][..], "24"),
            (&["-#4", "-#2"], "42"),
            (&["-#5", "-#1..3", "-#2", "-#5"], "512325"),
            (&["-#2..4", "-#3..5", "-#1"], "2343451"),
            (&["-#3", "-#1", "-#4.."], "3145"),
            (&["-", "-#1"], "123451"),
        ] {
            let output = feed(sgf().args(["cat", "--"]).args(names), input);
            assert_quiet(&output);
            assert_eq!(blacks(&output.stdout), expected, "{names:?}");
        }
    }
    // So many games would have to wait that the file is rather read again.
    let output = feed(sgf().args(["cat", "--", "-#3", "-#1.."]), GAMES);
    assert_eq!(text(&output.stderr), "sgf: -: standard input can't be read twice\n");
    assert_eq!((blacks(&output.stdout).as_str(), output.status.code()), ("3", Some(2)));
}

#[test]
fn members_come_in_the_order_of_their_names() {
    let zip = pack("zip", &[("a.sgf", b"(;PB[a])(;PB[b])(;PB[c])"), ("x/b.sgf", GAMES)]);
    let root = folder("members", &[("z.zip", &zip)]);
    for (names, expected) in [
        (&["z.zip!x/b.sgf#2", "z.zip!a.sgf#3", "z.zip!x/b.sgf#1"][..], "2c1"),
        (&["z.zip!a.sgf#2..", "z.zip!x/b.sgf#4"], "bc4"),
        (&["z.zip!x/b.sgf#4", "z.zip#4", "z.zip#2"], "41b"),
    ] {
        let output = cat(&root, names);
        assert_quiet(&output);
        assert_eq!(blacks(&output.stdout), expected, "{names:?}");
    }
    let output = cat(&root, &["z.zip!a.sgf#9", "z.zip!none.sgf#1", "z.zip!a.sgf#1"]);
    let said = "sgf: z.zip!a.sgf: no game 9: there are 3\nsgf: z.zip: no such SGF member: none.sgf\n";
    assert_eq!((text(&output.stderr), output.status.code()), (said, Some(2)));
    assert_eq!(blacks(&output.stdout), "a");
}

#[test]
fn what_is_missing_does_not_keep_others_from_their_turn() {
    let root = folder("missing", &[("a.sgf", GAMES)]);
    for _ in 0..2 {
        let output = cat(&root, &["a.sgf#9", "a.sgf#2", "a.sgf#4..7", "a.sgf#1"]);
        let said = "sgf: a.sgf: no game 9: there are 5\nsgf: a.sgf: no game 7: there are 5\n";
        assert_eq!((text(&output.stderr), output.status.code()), (said, Some(1)));
        assert_eq!(blacks(&output.stdout), "2451");
        #[cfg(feature = "index")]
        assert_quiet(&run(&root, &["index", "--offsets", "a.sgf"]));
    }
}

/// More than fits into memory waits in a file.
#[test]
fn long_games_wait_for_their_turn_too() {
    let long = |letter: &str| format!("(;C[{}])", letter.repeat(3 << 20));
    let games = ["a", "b", "c"].map(long);
    let root = folder("long", &[("a.sgf", games.concat().as_bytes())]);
    let output = cat(&root, &["a.sgf#3", "a.sgf#1..2", "a.sgf#1"]);
    assert_quiet(&output);
    let [a, b, c] = &games;
    assert!(text(&output.stdout) == format!("{c}\n{a}\n{b}\n{a}\n"));
}

#[test]
fn names_come_from_a_list_too() {
    let files: [(&str, &[u8]); 4] =
        [("a.sgf", GAMES), ("b.sgf", b"(;PB[b])"), ("-", b"(;PB[-])"), ("list", b"a.sgf#3\r\nb.sgf\n\n-#1\n")];
    let root = folder("list", &files);
    let output = cat(&root, &["a.sgf#5", "a.sgf#4", "--files-from", "list"]);
    assert_quiet(&output);
    assert_eq!(blacks(&output.stdout), "543b-");
    let list = |names: &[u8]| feed(sgf().current_dir(&root).args(["cat", "--files-from", "-"]), names);
    let output = list(b"a.sgf#5\0a.sgf#1..2\0b.sgf#1\0");
    assert_quiet(&output);
    assert_eq!(blacks(&output.stdout), "512b");
    let output = list(b"a.sgf#x\na.sgf#1\n.\nnone.sgf#1\n");
    assert_eq!((blacks(&output.stdout).as_str(), output.status.code()), ("1", Some(2)));
    let said: Vec<_> = text(&output.stderr).lines().collect();
    assert_eq!(said[0], r#"sgf: a.sgf#x: "x" is not a game number; use 7, 7..9, 7.. or ..9"#);
    assert_eq!(said[1], "sgf: .: a directory: name a file");
    assert!(said[2].starts_with("sgf: none.sgf: ") && said.len() == 3, "{said:?}");
    // The list is there already.
    let output = feed(sgf().current_dir(&root).args(["cat", "--files-from", "-", "--", "-#1"]), b"b.sgf\n");
    assert_eq!((blacks(&output.stdout).as_str(), output.status.code()), ("b", Some(2)));
    assert_eq!(text(&output.stderr), "sgf: -: standard input can't be read twice\n");
    assert_eq!(cat(&root, &[]).status.code(), Some(2));
}
