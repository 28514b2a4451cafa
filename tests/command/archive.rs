//! The command on archives: games count the same whatever they are packed into.

use std::fs;
#[cfg(target_os = "linux")]
use std::io::Write as _;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

#[cfg(unix)]
use crate::archives;
use crate::archives::{COMPRESSIONS, CONTAINERS, compress, pack, with_window};
#[cfg(target_os = "linux")]
use crate::command::peak_memory;
use crate::command::{self, assert_quiet, feed, native, no_file, run, sgf, text};

const GAMES: [(&str, &[u8]); 4] = [
    ("a.sgf", b"(;GM[1]CA[utf-8];B[aa];W[bb])(;C[x]"),
    ("d/b.SGF", b"junk(;GM[11];B[cc](;W[dd])(;W[ee]))\n"),
    ("c.mgt", b"(;A[];B[ff]KM[6.5])"),
    ("empty.sgf", b""),
];

fn folder(name: &str) -> PathBuf {
    command::folder("cli_archive", name, &[])
}

/// The counts, without keys that depend on time or names.
fn counts(output: &Output) -> Value {
    let mut found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    for key in ["seconds", "deepest", "first_problems", "not_read", "not_read_examples"] {
        found.as_object_mut().unwrap().remove(key);
    }
    found
}

/// Counts from a path and from a pipe, on one thread and on several.
#[track_caller]
fn assert_counts(root: &Path, name: &str, bytes: &[u8], expected: &Value) {
    fs::write(root.join(name), bytes).unwrap();
    for threads in ["1", "3"] {
        let args = ["scan", "--json", "--threads", threads, "--block-len", "20"];
        let path = run(root, &[&args[..], &[name]].concat());
        assert_quiet(&path);
        assert_eq!(&counts(&path), expected, "{name}, {threads} threads");
        let pipe = feed(sgf().current_dir(root).args(args), bytes);
        assert_quiet(&pipe);
        assert_eq!(&counts(&pipe), expected, "{name} in a pipe, {threads} threads");
    }
}

/// The counts of the unpacked files.
fn plain_counts(root: &Path) -> Value {
    fs::create_dir_all(root.join("plain/d")).unwrap();
    for (name, bytes) in GAMES {
        fs::write(root.join("plain").join(name), bytes).unwrap();
    }
    let plain = run(root, &["scan", "--json", "plain"]);
    assert_quiet(&plain);
    counts(&plain)
}

#[test]
fn every_container_counts_the_same() {
    let root = folder("containers");
    let expected = plain_counts(&root);
    assert_eq!(expected["files"], 4);
    for container in CONTAINERS {
        let packed = pack(container, &GAMES);
        assert_counts(&root, &format!("all.{container}"), &packed, &expected);
        for compression in COMPRESSIONS {
            let name = format!("all.{container}.{compression}");
            assert_counts(&root, &name, &compress(compression, &packed), &expected);
        }
        // The name does not matter.
        assert_counts(&root, "all.txt", &packed, &expected);
    }
}

#[test]
fn every_compression_counts_the_same_in_one_frame_or_several() {
    let root = folder("compressions");
    let games = b"(;GM[1];B[aa];W[bb])\n".repeat(5_000);
    fs::write(root.join("plain.sgf"), &games).unwrap();
    let expected = counts(&run(&root, &["scan", "--json", "plain.sgf"]));
    for compression in COMPRESSIONS {
        assert_counts(&root, &format!("one.sgf.{compression}"), &compress(compression, &games), &expected);
        let parts: Vec<u8> = games.chunks(30_001).flat_map(|part| compress(compression, part)).collect();
        assert_counts(&root, &format!("many.sgf.{compression}"), &parts, &expected);
        // Compressed twice.
        assert_counts(&root, "twice", &compress("gz", &compress(compression, &games)), &expected);
    }
}

#[test]
fn archives_in_archives_are_opened() {
    let root = folder("nested");
    let expected = plain_counts(&root);
    for (outer, inner) in CONTAINERS.iter().flat_map(|outer| CONTAINERS.map(|inner| (*outer, inner))) {
        let inside = pack(inner, &GAMES[1..]);
        let first = compress("xz", GAMES[0].1);
        let packed = pack(outer, &[("a.sgf.xz", &first), ("x/rest", b"(;not read"), ("more.zip", &inside)]);
        assert_counts(&root, "nested.bin", &packed, &expected);
    }
}

#[test]
fn truncated_input_is_read_and_reported() {
    let root = folder("cut");
    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let games: Vec<u8> = (0..60_000).flat_map(|n| format!("(;GN[{}];B[aa];W[bb])\n", random(n)).into_bytes()).collect();
    for compression in COMPRESSIONS {
        let packed = compress(compression, &games);
        let name = format!("cut.{compression}");
        fs::write(root.join(&name), &packed[..packed.len() * 9 / 10]).unwrap();
        for threads in ["1", "3"] {
            let output = run(&root, &["scan", "--json", "--threads", threads, &name]);
            assert_eq!(output.status.code(), Some(2), "{name}");
            let message = text(&output.stderr);
            assert!(message.starts_with(&format!("sgf: {name}: ")) && message.lines().count() == 1, "{message}");
            assert!(counts(&output)["games"].as_u64().unwrap() > 20_000, "{name}");
        }
    }
}

/// As in a plain file that ends there.
#[test]
fn a_game_at_the_cut_of_an_archive_has_a_row() {
    let root = folder("cut_game");
    let one = "(;GM[1]FF[4]PB[Cho]PW[Go];B[aa];W[bb];B[cc];W[dd])\n".to_owned();
    for (number, games) in [one.clone(), one.repeat(20_000)].iter().enumerate() {
        for ending in ["gz", "bz2", "xz"] {
            let packed = compress(ending, games.as_bytes());
            let name = format!("{number}.sgf.{ending}");
            fs::write(root.join(&name), &packed[..packed.len() - 14]).unwrap();
            let mut unpacked = run(&root, &["cat", &name]).stdout;
            // `cat` adds a line end to a game that lacks one.
            unpacked.truncate(games.bytes().zip(&unpacked).take_while(|(one, other)| one == *other).count());
            fs::write(root.join("plain.sgf"), &unpacked).unwrap();
            let rows = run(&root, &["list", "plain.sgf"]).stdout;
            for threads in ["1", "3"] {
                for block_len in ["512", "65536"] {
                    let args = ["list", "--threads", threads, "--block-len", block_len, &name];
                    let output = run(&root, &args);
                    assert_eq!(text(&output.stdout), text(&rows).replace("plain.sgf", &name), "{args:?}");
                    assert_eq!(output.status.code(), Some(2));
                    assert!(text(&output.stderr).contains(&name), "{}", text(&output.stderr));
                }
            }
        }
    }
}

#[test]
fn bytes_after_the_end_are_reported_but_no_failure() {
    let root = folder("after");
    let expected = plain_counts(&root);
    let mut tar = pack("tar", &GAMES);
    tar.extend_from_slice(b"more");
    fs::write(root.join("after.tar"), &tar).unwrap();
    let output = run(&root, &["scan", "--json", "after.tar"]);
    let message = "sgf: after.tar: 4 bytes after the end of the archive were ignored\n";
    assert_eq!((text(&output.stderr), output.status.code()), (message, Some(0)));
    assert_eq!(counts(&output), expected);
    for compression in COMPRESSIONS {
        let mut packed = compress(compression, &pack("tar", &GAMES));
        packed.extend_from_slice(b"more");
        fs::write(root.join("after"), &packed).unwrap();
        let output = run(&root, &["scan", "--json", "after"]);
        let message = "sgf: after: 4 bytes after the end of the archive were ignored\n";
        assert_eq!((text(&output.stderr), output.status.code()), (message, Some(0)), "{compression}");
        assert_eq!(counts(&output), expected);
    }
}

#[cfg(unix)]
#[test]
fn no_file_is_read_twice_under_two_names() {
    use std::os::unix::fs::symlink;

    let root = folder("twice");
    fs::create_dir_all(root.join("d/e")).unwrap();
    for (name, text) in
        [("d/a.sgf", "(;PB[a])"), ("d/e/b.sgf", "(;PB[b])"), ("d/blob", "(;PB[blob])"), ("c.sgf", "(;PB[c])")]
    {
        fs::write(root.join(name), text).unwrap();
    }
    for (target, link) in
        [("a.sgf", "d/z.sgf"), ("blob", "d/link.sgf"), ("..", "d/e/loop"), ("d", "other"), ("../c.sgf", "d/c.sgf")]
    {
        symlink(target, root.join(link)).unwrap();
    }
    for (args, games, left) in [
        (&["d"][..], 4, 2),
        (&["d", "./d", "other", "d/e"], 4, 5),
        (&["d/e", "d"], 4, 3),
        (&["c.sgf", "./c.sgf", "d"], 4, 4),
        (&["d", "c.sgf", "other/a.sgf"], 4, 4),
    ] {
        let args: Vec<_> = ["scan", "--json"].iter().chain(args).copied().collect();
        let output = run(&root, &args);
        let found: Value = serde_json::from_str(text(&output.stdout)).unwrap();
        assert_eq!(
            (found["games"].as_u64(), found["not_read"]["again"].as_u64()),
            (Some(games), Some(left)),
            "{args:?} {found}"
        );
    }
}

#[test]
fn archives_in_a_directory_need_no_extension() {
    let root = folder("hidden");
    let zip = pack("zip", &[("a.sgf", b"(;PB[a])")]);
    for (name, bytes) in [
        ("y.dat", zip.clone()),
        ("noext", compress("gz", b"(;PB[b])")),
        ("t.bak", compress("xz", &pack("tar", &[("c.sgf", b"(;PB[c])")]))),
        ("notes.txt", b"(;PB[no])".to_vec()),
        ("notes.txt.gz", compress("gz", b"(;PB[no])")),
        ("old.x", zip),
        ("zip.exe", [&b"MZ\0\x01"[..], &pack("zip", &[("d.sgf", b"(;PB[d])")])].concat()),
        ("7z.exe", [&b"\x7FELF\0\x01"[..], &pack("7z", &[("e.sgf", b"(;PB[e])")])].concat()),
        ("none.exe", b"MZ\0\x01(;PB[no])".to_vec()),
    ] {
        fs::write(root.join(name), bytes).unwrap();
    }
    let output = run(&root, &["list", "--columns", "black", "--exclude", "*.x", "."]);
    let mut rows: Vec<_> = text(&output.stdout).lines().collect();
    rows.sort_unstable();
    assert_eq!(rows, ["a", "b", "black", "c", "d", "e"]);
    assert_quiet(&output);
}

#[test]
fn similar_errors_are_counted() {
    let root = folder("flood");
    let names: Vec<String> = (0..30).map(|number| format!("{number}.rar")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"Rar!\x1A\x07\x01\0"[..])).collect();
    fs::write(root.join("a.tar"), pack("tar", &members)).unwrap();
    let output = run(&root, &["scan", "--json", "a.tar", "gone.sgf"]);
    let message: Vec<_> = text(&output.stderr).lines().collect();
    assert_eq!(message.len(), 12, "{message:?}");
    assert!(message[..10].iter().all(|line| line.ends_with(".rar: a RAR archive is not read")), "{message:?}");
    assert_eq!(message[10], "sgf: a.tar: 20 more like this: a RAR archive is not read");
    assert!(message[11].starts_with("sgf: gone.sgf: "), "{message:?}");
}

#[test]
fn every_command_names_the_member() {
    let root = folder("commands");
    fs::write(root.join("a.zip"), pack("zip", &[("d/a.sgf", b"(;PB[Cho];B[aa])\n\nx"), ("b.sgf", b"(;PB[Kato])")]))
        .unwrap();
    fs::write(root.join("c.sgf.gz"), compress("gz", b"(;PB[Cho])y")).unwrap();
    let lines = |args: &[&str]| text(&run(&root, args).stdout).lines().map(str::to_owned).collect::<Vec<_>>();

    let rows = lines(&["list", "--columns", "file,member,game,black", "a.zip", "c.sgf.gz"]);
    assert_eq!(rows[1..], ["a.zip,d/a.sgf,1,Cho", "a.zip,b.sgf,1,Kato", "c.sgf.gz,,1,Cho"]);
    assert_eq!(lines(&["find", "--player", "cho", "--count", "."]), ["2"]);
    assert_eq!(lines(&["find", "--player", "kato", "--sgf", "."]), ["(;PB[Kato])"]);
    assert_eq!(lines(&["recode", "a.zip"]), ["(;PB[Cho];B[aa])", "", "x", "(;PB[Kato])"]);

    let files = |args: &[&str]| -> Vec<Value> {
        lines(args).iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["file"].clone()).collect()
    };
    let of_zip = files(&["events", "a.zip"]);
    assert_eq!((&of_zip[0], of_zip.last().unwrap()), (&"a.zip!d/a.sgf".into(), &"a.zip!b.sgf".into()));
    assert!(files(&["events", "c.sgf.gz"]).iter().all(Value::is_null), "a compressed file is not an archive");

    let output = run(&root, &["scan", "--strict", "."]);
    let message: Vec<&str> = text(&output.stderr).lines().collect();
    assert_eq!(output.status.code(), Some(1));
    assert!(message[0].starts_with(&format!("sgf: {}!d/a.sgf:3:1: junk", native("./a.zip"))), "{message:?}");
    assert!(message[1].starts_with(&native("sgf: ./c.sgf.gz:1:11: junk")), "{message:?}");
}

#[test]
fn volumes_may_all_be_named() {
    let root = folder("volumes");
    let expected = plain_counts(&root);
    let archive = pack("7z", &GAMES);
    for (number, part) in archive.chunks(archive.len().div_ceil(3)).enumerate() {
        fs::write(root.join(format!("games.7z.{:03}", number + 1)), part).unwrap();
    }
    for threads in ["1", "3"] {
        let names = ["games.7z.001", "games.7z.002", "games.7z.003"];
        let all = run(&root, &[&["scan", "--json", "--threads", threads][..], &names].concat());
        assert_quiet(&all);
        assert_eq!(counts(&all), expected);
        let alone = run(&root, &["scan", "--threads", threads, "games.7z.002"]);
        let message = "sgf: games.7z.002: a later volume, read through the first one, games.7z.001\n";
        assert_eq!((text(&alone.stderr), alone.status.code()), (message, Some(2)));
    }
    fs::remove_file(root.join("games.7z.002")).unwrap();
    let output = run(&root, &["scan", "games.7z.001"]);
    let message = "sgf: games.7z.001: the volume games.7z.002 is missing\n";
    assert_eq!((text(&output.stderr), output.status.code()), (message, Some(2)));
}

#[test]
fn volumes_that_a_pattern_matches_are_one_archive() {
    let root = folder("volumes_by_pattern");
    let expected = plain_counts(&root);
    let archive = pack("7z", &GAMES);
    fs::create_dir(root.join("d")).unwrap();
    let names: Vec<String> = (1..=3).map(|number| format!("d/games.7z.{number:03}")).collect();
    for (name, part) in names.iter().zip(archive.chunks(archive.len().div_ceil(3))) {
        fs::write(root.join(name), part).unwrap();
    }
    fs::write(root.join("list"), names.join("\n")).unwrap();
    for threads in ["1", "3"] {
        for args in [&["d/games.7z.*"][..], &["d"], &["?"], &["d/*"], &["--files-from", "list"]] {
            let output = run(&root, &[&["scan", "--json", "--threads", threads][..], args].concat());
            assert_quiet(&output);
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(found["not_read"], serde_json::json!({}), "{args:?}");
            assert_eq!(counts(&output), expected, "{args:?}");
        }
    }
}

#[test]
fn damage_to_an_archive_is_one_line_with_its_offset() {
    let root = folder("damaged");
    let mut tar = pack("tar", &GAMES);
    tar[1024] ^= 1;
    let lost = "damaged archive: no valid entry at byte 1024; skipped 1024 bytes, \
                resumed at byte 2048 with c.mgt";
    for (name, bytes) in [("a.tar", tar.clone()), ("a.tar.gz", compress("gz", &tar))] {
        fs::write(root.join(name), &bytes).unwrap();
        let path = run(&root, &["list", "--columns", "member", name]);
        let pipe = feed(sgf().args(["list", "--columns", "member"]), &bytes);
        for (output, name) in [(path, name), (pipe, "-")] {
            assert_eq!(text(&output.stdout), "member\na.sgf\na.sgf\nc.mgt\n");
            assert_eq!((text(&output.stderr), output.status.code()), (&*format!("sgf: {name}: {lost}\n"), Some(2)));
        }
    }
}

#[test]
fn archive_memory_allows_larger_windows() {
    let root = folder("window");
    fs::write(root.join("a.sgf.xz"), with_window("xz", 2 << 20, b"(;B[aa])")).unwrap();
    let output = run(&root, &["scan", "--archive-memory", "1", "a.sgf.xz"]);
    let message = "sgf: a.sgf.xz: unpacking takes 2097152 bytes of memory, and 1048576 are allowed: --archive-memory allows more\n";
    assert_eq!((text(&output.stderr), output.status.code()), (message, Some(2)));
    assert_quiet(&run(&root, &["scan", "--archive-memory", "2", "a.sgf.xz"]));
    assert_quiet(&run(&root, &["cat", "--archive-memory", "2", "a.sgf.xz#1"]));
    assert_eq!(run(&root, &["scan", "--archive-memory", "0", "a.sgf.xz"]).status.code(), Some(2));
}

#[test]
fn patterns_choose_files_and_members() {
    let root = folder("globs");
    fs::write(root.join("1985.sgf"), b"(;)").unwrap();
    fs::write(root.join("2001.sgf"), b"(;)").unwrap();
    fs::write(root.join("all.tar"), pack("tar", &[("1986.sgf", b"(;)"), ("2002.sgf", b"(;)"), ("1987.txt", b"(;)")]))
        .unwrap();
    for (args, files) in [
        (&["."][..], 4),
        (&["--glob", "19*", "."], 3),
        (&["--glob", "19*.sgf", "--glob", "2002*", "."], 3),
        (&["--exclude", "19*", "."], 2),
        (&["--glob", "all.tar", "."], 2),
        (&["--glob", "19*", "2001.sgf", "all.tar"], 3),
        (&["*.sgf"], 2),
    ] {
        let output = run(&root, &[&["scan", "--json"][..], args].concat());
        assert_quiet(&output);
        assert_eq!(counts(&output)["files"], files, "{args:?}");
    }
    for patterns in [["--glob", "q*"], ["--exclude", "*"]] {
        let output = run(&root, &[&["scan"][..], &patterns, &["all.tar"]].concat());
        let message = "sgf: all.tar: no .sgf file in it that the patterns leave\n";
        assert_eq!((text(&output.stderr), output.status.code()), (message, Some(0)), "{patterns:?}");
    }
    assert_eq!(run(&root, &["scan", "--glob", "[", "."]).status.code(), Some(2));
    assert_eq!(run(&root, &["scan", "none-*.sgf"]).status.code(), Some(2));
}

/// A game file may have the name of an archive, which is opened for what is in it.
#[test]
fn a_pattern_holds_for_game_files_with_names_of_archives() {
    let files: [(&str, &[u8]); 2] = [("g/a.sgf", b"(;B[aa])"), ("g/b.zip", b"(;B[bb])")];
    let root = command::folder("cli_archive", "as_archives", &files);
    let output = run(&root, &["scan", "--json", "--glob", "a.sgf", "g"]);
    assert_quiet(&output);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["files"], &found["not_read"]), (&json!(1), &json!({ "name": 1 })));
}

#[test]
fn a_member_may_be_named_as_an_input() {
    let root = folder("members");
    let inner = pack("tar", &[("d/c.sgf", b"(;PB[c])"), ("x.txt", b"(;PB[x])")]);
    fs::write(root.join("a.zip"), pack("zip", &[("b.sgf", b"(;PB[b])junk"), ("c.tar", &inner)])).unwrap();
    fs::write(root.join("p!q"), "(;PB[p])").unwrap();
    fs::write(root.join("p.sgf"), "(;PB[p])").unwrap();
    fs::write(root.join("list"), "a.zip!b.sgf\n").unwrap();
    for (args, rows) in [
        (&["a.zip!b.sgf"][..], &["a.zip,b.sgf,b"][..]),
        (&["--files-from", "list"], &["a.zip,b.sgf,b"]),
        (&["a.zip!c.tar"], &["a.zip,c.tar!d/c.sgf,c"]),
        (&["a.zip!c.tar!x.txt", "a.zip!b.sgf"], &["a.zip,c.tar!x.txt,x", "a.zip,b.sgf,b"]),
        (&["./a.zip!c.tar!d/c.sgf", "p!q"], &["./a.zip,c.tar!d/c.sgf,c", "p!q,,p"]),
    ] {
        for threads in ["1", "3"] {
            let list = ["list", "--columns", "file,member,black", "--threads", threads, "--progress", "always"];
            let output = run(&root, &[&list[..], args].concat());
            assert_eq!(text(&output.stdout).lines().skip(1).collect::<Vec<_>>(), rows, "{args:?}");
            // Of what lies beside it, nothing is said.
            let is_left = |name| text(&output.stderr).contains(name);
            assert!(!is_left("a.zip!b.sgf") && !is_left("a.zip!c.tar)"), "{output:?}");
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
    }
    let events = run(&root, &["events", "a.zip!b.sgf"]);
    assert!(text(&events.stdout).contains(r#""message":"bytes between games""#), "{events:?}");
    assert!(text(&events.stdout).lines().all(|line| line.ends_with(r#""file":"a.zip!b.sgf"}"#)), "{events:?}");
    assert_eq!(text(&run(&root, &["recode", "a.zip!c.tar!x.txt"]).stdout).trim_end(), "(;PB[x])");
    let output = run(&root, &["scan", "--strict", "a.zip!b.sgf"]);
    assert!(text(&output.stderr).starts_with("sgf: a.zip!b.sgf:1:9: junk"), "{output:?}");
    for (name, message) in [
        ("a.zip!gone.sgf", "a.zip: no such SGF member: gone.sgf".to_owned()),
        ("p.sgf!p", "p.sgf: no such SGF member: p".to_owned()),
        ("a.zip!", format!("a.zip!: {}", no_file())),
        ("q!b.sgf", format!("q!b.sgf: {}", no_file())),
    ] {
        for command in ["scan", "events", "list"] {
            let output = run(&root, &[command, name]);
            let expected = format!("sgf: {message}\n");
            assert_eq!((text(&output.stderr), output.status.code()), (&*expected, Some(2)), "{command}");
        }
    }
}

/// An index knows an archive by what is in all of it.
#[cfg(feature = "index")]
#[test]
fn a_member_in_an_index_is_not_its_archive() {
    let root = folder("member_in_index");
    fs::write(root.join("a.zip"), pack("zip", &[("b.sgf", b"(;PB[b])"), ("c.sgf", b"(;PB[c])")])).unwrap();
    for (input, games) in [("a.zip!b.sgf", 1), ("a.zip!b.sgf", 1), ("a.zip", 3), ("a.zip", 3)] {
        assert_quiet(&run(&root, &["index", "--to", "games.sqlite", input]));
        let database = rusqlite::Connection::open(root.join("games.sqlite")).unwrap();
        let count: i64 = database.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).unwrap();
        assert_eq!(count, games, "{input}");
    }
}

/// Of a folder, what was not read is said, whether it was named or a pattern matched it.
#[test]
fn what_is_left_of_a_folder_that_a_pattern_matches_is_counted() {
    let files: [(&str, &[u8]); 4] =
        [("m/s/a.sgf", b"(;)"), ("m/s/x.txt", b""), ("m/s/d/y.txt", b""), ("m/other/z.txt", b"")];
    let root = command::folder("cli_archive", "left_of_pattern", &files);
    for path in ["m/s", "m/s*", "./m/s*"] {
        let found: Value = serde_json::from_slice(&run(&root, &["scan", "--json", path]).stdout).unwrap();
        assert_eq!((&found["files"], &found["not_read"]), (&json!(1), &json!({ "name": 2 })), "{path}");
    }
    let found: Value = serde_json::from_slice(&run(&root, &["scan", "--json", "m/s/*.sgf"]).stdout).unwrap();
    assert_eq!((&found["files"], &found["not_read"]), (&json!(1), &json!({})));
}

#[test]
fn folders_are_excluded_in_archives_too() {
    let files: [(&str, &[u8]); 2] = [("d/1.sgf", b"(;)"), ("d/sub/2.sgf", b"(;)")];
    let root = command::folder("cli_archive", "folders", &files);
    fs::write(root.join("all.tar"), pack("tar", &[("sub/x/3.sgf", b"(;)"), ("4.sgf", b"(;)")])).unwrap();
    for (args, files) in [
        (&["."][..], 4),
        (&["--exclude", "sub", "."], 2),
        (&["--exclude", "sub", "all.tar"], 1),
        (&["--exclude", "d/sub", "."], 3),
        // Paths are printed with `./`, and shells leave `//` where a folder's name ends in `/`.
        (&["--exclude", "./d/sub/*", "."], 3),
        (&["--exclude", "d//sub//*", "."], 3),
        (&["--glob", "./d/sub/*", "."], 1),
        (&["./d/*.sgf"], 1),
        (&["d//*.sgf"], 1),
        (&["./**/*.sgf"], 2),
    ] {
        let output = run(&root, &[&["scan", "--json"][..], args].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(counts(&output)["files"], files, "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_members() {
    let mut headers = Vec::new();
    let mut builder = tar::Builder::new(Vec::new());
    archives::tar_entry(&mut builder, "a.sgf", b"");
    headers.extend_from_slice(&builder.into_inner().unwrap()[..512]);
    let headers = headers.repeat(2_000);
    for threads in ["1", "4"] {
        let mut child = sgf().args(["scan", "--json", "--threads", threads]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for _ in 0..200 {
            stdin.write_all(&headers).unwrap();
        }
        let peak = peak_memory(&child).unwrap();
        assert!(peak < 48 << 10, "{threads} threads: {peak} KiB");
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(counts(&output)["files"], 400_000);
    }
}

/// A tar with members of such names.
fn tar_of(names: impl Iterator<Item = String>) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for name in names {
        let mut header = tar::Header::new_gnu();
        header.set_size(8);
        builder.append_data(&mut header, name, &b"(;PB[x])"[..]).unwrap();
    }
    builder.into_inner().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_names() {
    let bytes = compress("gz", &tar_of((0..60).map(|number| format!("{}{number}.sgf", "\x1b".repeat(900_000)))));
    for threads in ["1", "4"] {
        let mut child = sgf().args(["scan", "--json", "--threads", threads]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&bytes).unwrap();
        // The last bytes may still lie in the pipe.
        let peak = peak_memory(&child).unwrap();
        assert!(peak < 64 << 10, "{threads} threads: {peak} KiB");
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!((&counts(&output)["files"], &counts(&output)["games"]), (&json!(60), &json!(60)));
    }
}

#[test]
fn a_member_whose_name_was_cut_is_found_by_what_is_left() {
    let root = folder("cut_names");
    fs::write(root.join("a.tar"), tar_of((0..3).map(|number| format!("{number}{}.sgf", "x".repeat(60_000))))).unwrap();
    let list = run(&root, &["list", "--columns", "file,member,black", "--no-header", "a.tar"]);
    assert_quiet(&list);
    let rows: Vec<_> = text(&list.stdout).lines().collect();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert!(row.len() < 1200 && row.contains("x(58981 bytes left out; ") && row.ends_with("x.sgf,x"), "{row}");
        let member = row.strip_prefix("a.tar,").and_then(|row| row.strip_suffix(",x")).unwrap();
        let one = run(&root, &["list", "--columns", "file,member,black", "--no-header", &format!("a.tar!{member}")]);
        assert_quiet(&one);
        assert_eq!(text(&one.stdout).lines().collect::<Vec<_>>(), [row]);
    }
}

#[cfg(unix)]
#[test]
fn a_directory_for_temporary_files_that_is_set_to_nothing_is_not_set() {
    let root = folder("no_tmpdir");
    let game = format!("(;C[{}])", "x".repeat(2 << 20));
    let zip = archives::zip(&[("a.sgf", game.as_bytes())], rawzip::CompressionMethod::STORE);
    let spool = |dir: &str| {
        // In a directory that is gone no file can be made.
        let script = "mkdir gone && cd gone && rmdir ../gone && TMPDIR=$1 exec \"$0\" scan --json";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(sgf().get_program()).arg(dir);
        feed(shell.current_dir(&root).stdout(Stdio::piped()).stderr(Stdio::piped()), &zip)
    };
    let output = spool("");
    assert_quiet(&output);
    assert_eq!(counts(&output)["games"], 1);
    let message = "sgf: -: it can't be stored in a temporary file in /no/such: No such file or directory\n";
    assert_eq!(text(&spool("/no/such").stderr), message);
}

#[test]
fn a_pattern_that_matches_nothing_is_an_error() {
    let root = folder("no_match");
    fs::create_dir(root.join("d")).unwrap();
    for pattern in ["no*.sgf", "d/*.sgf", "*/none/*"] {
        let output = run(&root, &["scan", pattern]);
        let expected = format!("sgf: {pattern}: no file matches this pattern\n");
        assert_eq!((text(&output.stderr), output.status.code()), (expected.as_str(), Some(2)));
    }
}

#[test]
fn an_empty_pattern_is_refused() {
    let root = command::folder("cli_archive", "empty_pattern", &[("a.sgf", b"(;)")]);
    for option in ["--glob", "--exclude"] {
        for pattern in ["", "./"] {
            let output = run(&root, &["scan", option, pattern, "."]);
            let message = text(&output.stderr);
            assert!(message.contains(&format!("'{option} <GLOB>': an empty pattern\n")), "{message}");
            assert_eq!(output.status.code(), Some(2));
        }
    }
}

#[test]
fn backslashes_in_archives_stand_between_folders() {
    let root = folder("backslashes");
    let files: [(&str, &[u8]); 3] = [("1998\\june.sgf", b"(;)"), ("1999\\july.sgf", b"(;)"), ("1998/aug.sgf", b"(;)")];
    fs::write(root.join("a.tar"), pack("tar", &files)).unwrap();
    for (option, pattern, found) in [
        ("--glob", "june.sgf", &["1998\\june.sgf"][..]),
        ("--glob", "1998/*", &["1998\\june.sgf", "1998/aug.sgf"]),
        ("--exclude", "1998/*", &["1999\\july.sgf"]),
        ("--exclude", "1999", &["1998\\june.sgf", "1998/aug.sgf"]),
    ] {
        let output = run(&root, &["list", "--columns", "member", option, pattern, "a.tar"]);
        assert_quiet(&output);
        assert_eq!(text(&output.stdout).lines().skip(1).collect::<Vec<_>>(), found, "{option} {pattern}");
    }
}

/// What a pattern finds: the files, the count of what was not read because it was read before, the messages.
#[cfg(unix)]
#[track_caller]
fn assert_found(root: &Path, pattern: &str, files: &[&str], again: u64, messages: &str) {
    let output = run(root, &["list", "--columns", "file", pattern]);
    assert_eq!(text(&output.stdout).lines().skip(1).collect::<Vec<_>>(), files, "{pattern}");
    assert_eq!(text(&output.stderr), messages, "{pattern}");
    assert_eq!(output.status.code(), Some(if messages.is_empty() { 0 } else { 2 }), "{pattern}");
    let counted = run(root, &["scan", "--json", pattern]);
    let counted: Value = serde_json::from_slice(&counted.stdout).unwrap_or_default();
    assert_eq!(counted["not_read"]["again"].as_u64().unwrap_or(0), again, "{pattern} {counted}");
}

#[cfg(unix)]
#[test]
fn patterns_lead_through_links() {
    use std::os::unix::fs::symlink;

    let files: [(&str, &[u8]); 3] = [("in/top/a.sgf", b"(;)"), ("in/top/sub/b.sgf", b"(;)"), ("ext/c.sgf", b"(;)")];
    let root = command::folder("cli_archive", "linked_patterns", &files);
    for (target, link) in [
        ("top", "in/latest"),
        ("../ext", "in/aext"),
        ("../ext", "in/bext"),
        ("sub", "in/top/same"),
        ("../..", "in/top/up"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    for (pattern, files, again) in [
        ("in/l*/*.sgf", &["in/latest/a.sgf"][..], 0),
        ("in/l*/*/*.sgf", &["in/latest/same/b.sgf"], 1),
        // Below the folder that matches, as if that were named.
        ("in/l*", &["in/latest/a.sgf", "in/latest/sub/b.sgf"], 2),
        ("in/l*/**/*.sgf", &["in/latest/a.sgf", "in/latest/sub/b.sgf"], 0),
        ("in/b*", &["in/bext/c.sgf"], 0),
        ("in/?ext", &["in/aext/c.sgf"], 1),
        ("in/?ext/*", &["in/aext/c.sgf"], 1),
        ("in/**/*.sgf", &["in/aext/c.sgf", "in/top/a.sgf", "in/top/sub/b.sgf"], 0),
        ("in/t*/u*/ext/*", &["in/top/up/ext/c.sgf"], 0),
    ] {
        assert_found(&root, pattern, files, again, "");
    }
}

/// A link is left only if all that the pattern matches behind it is read by another name.
#[cfg(unix)]
#[test]
fn braces_lead_through_links() {
    use std::os::unix::fs::symlink;

    let files: [(&str, &[u8]); 5] = [
        ("real/x/d/1.sgf", b"(;)"),
        ("real/k/1.sgf", b"(;)"),
        ("real/x/ab/1.sgf", b"(;)"),
        ("1998/june/1.sgf", b"(;)"),
        ("1999/may/1.sgf", b"(;)"),
    ];
    let root = command::folder("cli_archive", "linked_braces", &files);
    for (target, link) in [("real", "l1"), ("real/x", "l2"), ("1999/may", "latest")] {
        symlink(target, root.join(link)).unwrap();
    }
    let (june, latest) = ("./1998/june/1.sgf", "./latest/1.sgf");
    for (pattern, files, again) in [
        ("l*/{b/c,d}/*.sgf", &["./l2/d/1.sgf"][..], 0),
        ("l*/a**/*.sgf", &["./l2/ab/1.sgf"], 0),
        ("{1998/june,latest}/*.sgf", &[june, latest], 0),
        ("{1998/june,latest}", &[june, latest], 0),
        ("{199[89]/*,latest}/*.sgf", &[june, "./1999/may/1.sgf"], 1),
        ("l*/**/*.sgf", &["./l1/k/1.sgf", "./l1/x/ab/1.sgf", "./l1/x/d/1.sgf", latest], 0),
    ] {
        assert_found(&root, pattern, files, again, "");
    }
}

#[cfg(unix)]
#[test]
fn a_link_back_that_a_pattern_leads_into_is_a_failure() {
    use std::os::unix::fs::symlink;

    let root = command::folder("cli_archive", "looped_patterns", &[("1998/1.sgf", b"(;)"), ("x/1998/2.sgf", b"(;)")]);
    symlink(".", root.join("latest")).unwrap();
    let lost = "sgf: ./latest: a link back to a folder around it\n";
    let (first, second) = ("./1998/1.sgf", "./x/1998/2.sgf");
    for (pattern, files, again, messages) in [
        ("*/1998/*.sgf", &[second][..], 0, lost),
        ("l*", &[], 0, lost),
        ("x*/1998/*.sgf", &[second], 0, ""),
        ("{x/1998,y}/*.sgf", &[second], 0, ""),
        ("*", &[first, second], 1, ""),
        ("**/*.sgf", &[first, second], 0, ""),
    ] {
        assert_found(&root, pattern, files, again, messages);
    }
}

#[cfg(unix)]
#[test]
fn failures_beside_a_pattern_are_not_reported() {
    use std::os::unix::fs::symlink;

    let files: [(&str, &[u8]); 3] = [("top/a.sgf", b"(;)"), ("top/sub/b.sgf", b"(;)"), ("other/c.sgf", b"(;)")];
    let root = command::folder("cli_archive", "beside_patterns", &files);
    for link in ["other/gone.sgf", "top/gone.sgf", "gone.sgf"] {
        symlink("nowhere", root.join(link)).unwrap();
    }
    let missing = |name: &str| format!("sgf: {name}: No such file or directory\n");
    assert_found(&root, "top*/a*.sgf", &["./top/a.sgf"], 0, "");
    assert_found(&root, "**/sub/*.sgf", &["./top/sub/b.sgf"], 0, "");
    assert_found(&root, "top*/*.sgf", &["./top/a.sgf"], 0, &missing("./top/gone.sgf"));
    assert_found(&root, "t*", &["./top/a.sgf", "./top/sub/b.sgf"], 0, &missing("./top/gone.sgf"));
    assert_found(&root, "none/*.sgf", &[], 0, &missing("none"));
}

/// Linux lets anyone open this directory, and only some list it.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_listed_is_named() {
    let path = "/proc/1/map_files";
    if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some_and(|entry| entry.is_err())) {
        for named in [path, "/proc/1/map_file?"] {
            let output = run(Path::new("."), &["scan", named]);
            let message = format!("sgf: {path}: Permission denied\n");
            assert_eq!((text(&output.stderr), output.status.code()), (&*message, Some(2)), "{named}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_that_cannot_be_opened_is_named() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let root = command::folder("cli_archive", "unopened", &[("top/a.sgf", b"(;)"), ("top/b/c.sgf", b"(;)")]);
    fs::create_dir(root.join("closed")).unwrap();
    fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    // Root opens nearly all.
    let targets = [root.join("closed"), PathBuf::from("/proc/1/fdinfo")];
    let target = targets.iter().find(|target| target.is_dir() && fs::read_dir(target).is_err());
    if let Some(target) = target {
        for link in ["top/1", "top/2", "top/b/d", "top/c"] {
            symlink(target, root.join(link)).unwrap();
        }
        let failed = |names: &[&str]| -> String {
            names.iter().flat_map(|name| ["sgf: ", name, ": Permission denied\n"]).collect()
        };
        let (a, c) = ("top/a.sgf", "top/b/c.sgf");
        assert_found(&root, "top", &[a, c], 0, &failed(&["top/1", "top/2", "top/b/d", "top/c"]));
        assert_found(&root, "top/[2b]/*", &[c], 0, &failed(&["top/2", "top/b/d"]));
        assert_found(&root, "top/*.sgf", &[a], 0, "");
    }
    fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_file_that_is_an_archive_only_by_name_is_an_error() {
    let root = folder("misnamed");
    fs::write(root.join("jan.zip"), "").unwrap();
    fs::write(root.join("feb.sgf.xz"), b"\xFD7zX").unwrap();
    fs::write(root.join("mar.sgf.Z"), b"\x1F\x9D\x90").unwrap();
    fs::write(root.join("apr.sgf.gz"), "(;B[aa])").unwrap();
    let message = "named like a compressed file, but the contents are not: empty, cut off, or another kind";
    let expected = native(&format!(
        "sgf: ./feb.sgf.xz: {message}\nsgf: ./jan.zip: {message}\nsgf: ./mar.sgf.Z: what compress has written (.Z) is not read\n"
    ));
    for threads in ["1", "3"] {
        for command in ["scan", "list"] {
            let output = run(&root, &[command, ".", "--threads", threads]);
            let lines: Vec<_> = text(&output.stderr).lines().filter(|line| !line.contains("junk")).collect();
            assert_eq!(
                (format!("{}\n", lines.join("\n")), output.status.code()),
                (expected.clone(), Some(2)),
                "{command}"
            );
        }
    }
    // None is also counted as read.
    let found: Value = serde_json::from_slice(&run(&root, &["scan", "--json", "."]).stdout).unwrap();
    assert_eq!((&found["files"], &found["not_read"]), (&json!(1), &json!({ "unreadable": 3 })));
}

/// As `tar cf a.tar -T /dev/null` writes it.
#[test]
fn a_tar_may_be_empty() {
    let root = folder("empty_tar");
    fs::write(root.join("a.tar"), [0; 10_240]).unwrap();
    fs::write(root.join("b.TAR"), [0; 1024]).unwrap();
    for name in ["a.tar", "b.TAR"] {
        for command in ["scan", "list", "find"] {
            let output = run(&root, &[command, name]);
            assert_eq!(text(&output.stderr), format!("sgf: {name}: no .sgf file in it\n"), "{command}");
            assert_eq!(output.status.code(), Some(i32::from(command == "find")), "{command}");
        }
    }
    // Not long enough, not all zeros, not by its name.
    fs::write(root.join("c.tar"), [0; 1023]).unwrap();
    fs::write(root.join("d.tar"), [&vec![0; 90_000][..], b"x"].concat()).unwrap();
    fs::write(root.join("e.zip"), [0; 10_240]).unwrap();
    for name in ["c.tar", "d.tar", "e.zip"] {
        let output = run(&root, &["scan", name]);
        assert!(text(&output.stderr).contains("named like a compressed file"), "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn a_file_that_becomes_shorter_is_an_error() {
    use std::io::Read as _;

    let root = folder("shorter");
    let path = root.join("a.sgf");
    for threads in ["1", "2"] {
        fs::write(&path, b"(;GM[1]FF[4]PB[Cho]PW[Go];B[aa];W[bb];B[cc];W[dd])\n".repeat(500_000)).unwrap();
        let mut command = sgf();
        command.current_dir(&root).args(["list", "--threads", threads, "a.sgf"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It has begun, and waits for the rest of its output to be read.
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 1000]).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        let output = child.wait_with_output().unwrap();
        let message = text(&output.stderr);
        assert!(message.starts_with("sgf: a.sgf: it has become shorter (after "), "{message}");
        assert_eq!((message.lines().count(), output.status.code()), (1, Some(2)), "{message}");
    }
}

/// As for every other command.
#[test]
fn cat_reads_the_member_that_is_named_whatever_its_name() {
    let root = folder("cat_named");
    let inner = pack("zip", &[("m.sgf", b"(;PB[m])")]);
    let members = [("g.txt", &b"(;PB[g])(;PB[h])"[..]), ("b.sgf", b"(;PB[b])"), ("x.bin", &inner)];
    for container in CONTAINERS {
        let name = |rest: &str| format!("a.{container}!{rest}");
        fs::write(root.join(format!("a.{container}")), pack(container, &members)).unwrap();
        for (games, expected) in [
            ("g.txt#2", "(;PB[h])\n"),
            ("g.txt", "(;PB[g])\n(;PB[h])\n"),
            ("b.sgf#1", "(;PB[b])\n"),
            ("x.bin!m.sgf#1", "(;PB[m])\n"),
        ] {
            let output = run(&root, &["cat", &name(games)]);
            assert_quiet(&output);
            assert_eq!(text(&output.stdout), expected, "{games}");
        }
        let output = run(&root, &["cat", &name("gone.txt#1")]);
        let expected = format!("sgf: a.{container}: no such SGF member: gone.txt\n");
        assert_eq!((text(&output.stderr), output.status.code()), (&*expected, Some(2)));
    }
}

#[test]
fn a_part_of_a_split_zip_is_not_read() {
    let root = folder("split_zip");
    fs::write(root.join("all.zip"), b"PK\x05\x06").unwrap();
    fs::write(root.join("all.z02"), b"\x01\x02(;B[aa])\xFF").unwrap();
    let output = run(&root, &["scan", "all.z02"]);
    let expected = "sgf: all.z02: a part of all.zip, a zip in several files: join them first (zip -s 0)\n";
    assert_eq!((text(&output.stderr), output.status.code()), (expected, Some(2)));
}

/// A name that is not UTF-8 is printed escaped, and means the same file when it is given back.
#[cfg(target_os = "linux")]
#[test]
fn the_name_of_a_file_can_be_given_back_as_it_is_printed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let root = folder("given_back");
    fs::write(root.join(OsStr::from_bytes(b"caf\xE9.sgf")), b"(;PB[e])").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"caf\xE9.zip")), pack("zip", &[("m.sgf", b"(;PB[m])")])).unwrap();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(root.join(r"d/\xE9.sgf"), b"(;PB[exact])").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"d/\xE9.sgf")), b"(;PB[other])").unwrap();
    let listed = run(&root, &["list", "--columns", "file", "--no-header", "--exclude", "d", "."]);
    assert_eq!(text(&listed.stdout).lines().next(), Some(r"./caf\xE9.sgf"));
    let mut again = sgf();
    again.current_dir(&root).args(["list", "--columns", "black", "--no-header", "--files-from", "-"]);
    let output = feed(&mut again, &listed.stdout);
    assert_quiet(&output);
    assert_eq!(text(&output.stdout), "e\nm\n");
    for (args, expected) in [
        (&["cat", r"./caf\xE9.sgf#1"][..], "(;PB[e])\n"),
        (&["cat", r"caf\xE9.zip!m.sgf#1"], "(;PB[m])\n"),
        (&["recode", r"caf\xE9.zip!m.sgf"], "(;PB[m])"),
        (&["recode", r"d/\xE9.sgf"], "(;PB[exact])"),
        (&["split", "--ranges", "1", r"caf\xE9.sgf"], "0\t8\n"),
    ] {
        let output = run(&root, args);
        assert_quiet(&output);
        assert_eq!(text(&output.stdout), expected, "{args:?}");
    }
    assert_eq!(run(&root, &["list", r"none\xE9.sgf"]).status.code(), Some(2));
}
