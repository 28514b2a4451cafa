//! `sgf index` with something already there: an older index, a partial one, a damaged sidecar, another run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use rusqlite::Connection;

use crate::archives::{compress, pack, with_window};
use crate::command::{self, native, no_file, run, sgf, text};

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("cli_index_again", name, files)
}

/// The rows of a query for one text column.
fn rows(database: &Path, sql: &str) -> Vec<String> {
    let database = Connection::open(database).unwrap();
    let mut statement = database.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn messages(output: &Output) -> (&str, Option<i32>) {
    (text(&output.stderr), output.status.code())
}

#[test]
fn files_that_have_not_changed_are_counted_in_the_summary() {
    let folder = folder("kept", &[("d/a.sgf", b"(;PB[a])"), ("d/b.sgf", b"(;PB[b])")]);
    let args = ["index", "d", "--to", "games.sqlite", "--progress", "always"];
    let first = run(&folder, &args);
    assert!(text(&first.stderr).starts_with("sgf: read 2 files, 16 B, 2 games in "), "{first:?}");
    assert!(!text(&first.stderr).contains("kept"), "{first:?}");
    let second = run(&folder, &args);
    assert!(text(&second.stderr).starts_with("sgf: read 0 files, 0 B, 0 games in "), "{second:?}");
    assert!(text(&second.stderr).ends_with("; 2 files have not changed and were kept\n"), "{second:?}");
    fs::write(folder.join("d/a.sgf"), "(;PB[aa])").unwrap();
    let third = run(&folder, &args);
    assert!(text(&third.stderr).ends_with("; 1 file has not changed and was kept\n"), "{third:?}");
}

#[test]
fn a_file_over_a_limit_is_recorded_and_read_again() {
    let games = with_window("zst", 2 << 20, &b"(;PB[x])".repeat(1000));
    let packed = pack("tar", &[("1.sgf", b"(;PB[1])"), ("2.sgf.zst", &games), ("3.sgf", b"(;PB[3])")]);
    let folder = folder(
        "limits",
        &[("a.sgf.zst", &games), ("b.tar", &packed), ("c.sgf", b"(;PB[c])"), ("d.rar", b"Rar!\x1A\x07\x01\0")],
    );
    let database = folder.join("games.sqlite");
    let args = ["index", ".", "--to", "games.sqlite"];
    let over = "unpacking takes 2097152 bytes of memory, and 1048576 are allowed: --archive-memory allows more";
    let rar = native("d.rar|0|0|failed: ./d.rar: a RAR archive is not read");
    let sql = "SELECT substr(name, 3) || '|' || games || '|' || done || '|' || coalesce(trouble, '') FROM files ORDER BY name";
    for _ in 0..2 {
        let output = run(&folder, &[&args[..], &["--archive-memory", "1"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stderr).lines().filter(|line| line.ends_with(over)).count(), 2, "{output:?}");
        let expected = [
            native(&format!("a.sgf.zst|0|0|failed: ./a.sgf.zst: {over}")),
            native(&format!("b.tar|2|0|failed: ./b.tar!2.sgf.zst: {over}")),
            "c.sgf|1|1|".to_owned(),
            rar.clone(),
        ];
        assert_eq!(rows(&database, sql), expected);
    }
    let output = run(&folder, &args);
    assert_eq!(messages(&output), (&*native("sgf: ./d.rar: a RAR archive is not read\n"), Some(2)));
    assert_eq!(rows(&database, sql), ["a.sgf.zst|1000|1|", "b.tar|1002|1|", "c.sgf|1|1|", &*rar]);
    assert_eq!(rows(&database, "SELECT CAST(count(*) AS TEXT) FROM games"), ["2003"]);
}

#[test]
fn a_sidecar_gets_no_sidecar() {
    let folder = folder("sidecar_of_sidecar", &[("a.sgf", b"(;PB[a])"), ("b.offsets", b"(;PB[b])")]);
    for _ in 0..2 {
        assert_eq!(messages(&run(&folder, &["index", "--offsets", ".", "--glob", "*"])), ("", Some(0)));
    }
    assert!(folder.join("b.offsets.offsets").exists(), "it is only called like one");
    assert!(!folder.join("a.sgf.offsets.offsets").exists());
}

#[test]
fn a_damaged_sidecar_never_gives_another_game() {
    let games: Vec<u8> = (0..40).flat_map(|n| format!("(;PB[{n}];B[aa])\n").into_bytes()).collect();
    let tar = pack("tar", &[("a.sgf", &games), ("b.sgf", b"(;PB[b])")]);
    let folder = folder("sidecar", &[("a.tar", &tar), ("c.tar.gz", &compress("gz", &tar))]);
    assert_eq!(messages(&run(&folder, &["index", "--offsets", "a.tar"])), ("", Some(0)));
    let sidecar = folder.join("a.tar.offsets");
    let whole = fs::read(&sidecar).unwrap();
    // In the header, the entry of the game, another entry, the member, and its name.
    let entry = 64 + 40 * 6;
    let members = 64 + 40 * 41;
    for (at, is_noticed) in [
        (7, true),
        (33, true),
        (entry, true),
        (entry + 9, true),
        (entry + 17, true),
        (entry + 39, true),
        (entry + 40, false),
        (members, true),
        (members + 8, true),
        (members + 48, true),
    ] {
        let mut wrong = whole.clone();
        wrong[at] ^= 4;
        fs::write(&sidecar, &wrong).unwrap();
        let output = run(&folder, &["cat", "a.tar#7"]);
        assert_eq!((text(&output.stdout), output.status.code()), ("(;PB[6];B[aa])\n", Some(0)), "byte {at}");
        let expected = "sgf: a.tar: a.tar.offsets: damaged, or of another version: rebuild it; \
                        the archive is searched instead\n";
        assert_eq!(text(&output.stderr), if is_noticed { expected } else { "" }, "byte {at}");
    }
    fs::write(&sidecar, &whole[..whole.len() - 3]).unwrap();
    assert_eq!(text(&run(&folder, &["cat", "a.tar#41"]).stdout), "(;PB[b])\n");
}

#[test]
fn of_two_runs_at_once_one_succeeds_and_the_other_is_refused() {
    let games = b"(;PB[Cho]PW[Kato]RE[B+R];B[aa];W[bb])\n".repeat(20_000);
    let folder = folder("at_once", &[("a.sgf", &games), ("b.sgf", &games)]);
    for _ in 0..3 {
        for name in ["games.sqlite", "games.sqlite-wal", "games.sqlite-shm"] {
            let _ = fs::remove_file(folder.join(name));
        }
        let start = |name| sgf().current_dir(&folder).args(["index", name, "--to", "games.sqlite"]).spawn().unwrap();
        let both = ["a.sgf", "b.sgf"].map(start).map(|child| child.wait_with_output().unwrap());
        let fine = both.iter().filter(|output| messages(output) == ("", Some(0))).count();
        let in_use = "sgf: games.sqlite: in use by another program: try again when that is done\n";
        let refused = both.iter().filter(|output| messages(output) == (in_use, Some(2))).count();
        assert!(fine >= 1 && fine + refused == 2, "{both:?}");
        // A run alone completes it.
        assert_eq!(messages(&run(&folder, &["index", "a.sgf", "b.sgf", "--to", "games.sqlite"])), ("", Some(0)));
        let database = folder.join("games.sqlite");
        assert_eq!(rows(&database, "SELECT CAST(count(*) AS TEXT) FROM games"), ["40000"]);
        assert_eq!(rows(&database, "PRAGMA integrity_check"), ["ok"]);
    }
}

#[test]
fn a_file_is_known_by_its_place_and_not_by_its_spelling() {
    let folder = folder("places", &[("one/a.sgf", b"(;PB[1])"), ("two/a.sgf", b"(;PB[2])")]);
    let index = |from: &str, what: &str| {
        let database = folder.join("games.sqlite");
        let output = run(&folder.join(from), &["index", what, "--to", database.to_str().unwrap()]);
        assert_eq!(messages(&output), ("", Some(0)), "{from} {what}");
    };
    let sql = "SELECT black || ' ' || file FROM games ORDER BY id";
    index("one", ".");
    index("two", ".");
    assert_eq!(rows(&folder.join("games.sqlite"), sql), ["1 ./a.sgf", "2 ./a.sgf"].map(native), "two directories");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../one/a.sgf", folder.join("two/link.sgf")).unwrap();
    let mut spellings = vec![("", "."), ("", "one"), ("", "./two"), ("one", "../two"), ("two", "a.sgf")];
    spellings.extend(cfg!(unix).then_some(("two", "link.sgf")));
    for (from, what) in spellings {
        index(from, what);
        assert_eq!(
            rows(&folder.join("games.sqlite"), sql),
            ["1 ./a.sgf", "2 ./a.sgf"].map(native),
            "{what} from {from}"
        );
    }
    // A database may be moved.
    fs::create_dir_all(folder.join("x/y")).unwrap();
    fs::rename(folder.join("games.sqlite"), folder.join("x/y/games.sqlite")).unwrap();
    assert_eq!(messages(&run(&folder, &["index", "one", "two/a.sgf", "--to", "x/y/games.sqlite"])), ("", Some(0)));
    assert_eq!(rows(&folder.join("x/y/games.sqlite"), sql), ["1 ./a.sgf", "2 ./a.sgf"].map(native));
    // A moved, unchanged file already has its rows.
    fs::rename(folder.join("one"), folder.join("moved")).unwrap();
    fs::copy(folder.join("moved/a.sgf"), folder.join("moved/b.sgf")).unwrap();
    for _ in 0..2 {
        assert_eq!(messages(&run(&folder, &["index", "moved", "--to", "x/y/games.sqlite"])), ("", Some(0)));
        let expected = ["1 moved/a.sgf", "2 ./a.sgf", "1 moved/b.sgf"].map(native);
        assert_eq!(rows(&folder.join("x/y/games.sqlite"), sql), expected);
    }
    // A link at the old place leads to it.
    #[cfg(unix)]
    {
        fs::rename(folder.join("moved"), folder.join("x/moved")).unwrap();
        std::os::unix::fs::symlink("x/moved", folder.join("moved")).unwrap();
        assert_eq!(messages(&run(&folder, &["index", "moved", "--to", "x/y/games.sqlite"])), ("", Some(0)));
        let expected = ["1 moved/a.sgf", "2 ./a.sgf", "1 moved/b.sgf"];
        assert_eq!(rows(&folder.join("x/y/games.sqlite"), sql), expected);
    }
}

#[test]
fn a_file_that_looks_like_a_removed_one_is_read() {
    // The same length, time, beginning and end.
    let games = |name: &str| format!("{}(;PB[{name}]){}", "(;PB[x])".repeat(1000), "(;PB[x])".repeat(1000));
    let folder = folder("alike", &[("d/one.sgf", games("one").as_bytes()), ("two.sgf", games("two").as_bytes())]);
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for name in ["d/one.sgf", "two.sgf"] {
        fs::File::options().append(true).open(folder.join(name)).unwrap().set_modified(time).unwrap();
    }
    let args = ["index", "d", "--prune", "--to", "games.sqlite"];
    assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
    fs::remove_file(folder.join("d/one.sgf")).unwrap();
    fs::rename(folder.join("two.sgf"), folder.join("d/two.sgf")).unwrap();
    assert_eq!(run(&folder, &args).status.code(), Some(0));
    assert_eq!(rows(&folder.join("games.sqlite"), "SELECT black FROM games WHERE black <> 'x'"), ["two"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_distinguished() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = folder("bytes", &[("d/a.sgf", b"(;PB[a])")]);
    let name = |byte: u8| folder.join("d").join(OsStr::from_bytes(&[byte, b'.', b's', b'g', b'f']));
    fs::write(name(0xFE), "(;PB[fe])").unwrap();
    fs::write(name(0xFF), "(;PB[ff])").unwrap();
    fs::write(folder.join("d/\u{FFFD}.sgf"), "(;PB[fffd])").unwrap();
    let args = ["index", "d", "--prune", "--to", "games.sqlite"];
    let sql = "SELECT file || ' ' || black FROM games ORDER BY file";
    for _ in 0..3 {
        assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
        let expected = ["d/\\xFE.sgf fe", "d/\\xFF.sgf ff", "d/a.sgf a", "d/\u{FFFD}.sgf fffd"];
        assert_eq!(rows(&folder.join("games.sqlite"), sql), expected);
    }
    fs::remove_file(name(0xFE)).unwrap();
    let output = run(&folder, &args);
    assert_eq!(messages(&output), ("sgf: 1 file that is not there any more: its rows were dropped\n", Some(0)));

    let mut cat = sgf();
    let mut wanted = name(0xFF).into_os_string();
    wanted.push("#1");
    let output = cat.arg("cat").arg(&wanted).output().unwrap();
    assert_eq!((text(&output.stdout), output.status.code()), ("(;PB[ff])\n", Some(0)));
    wanted.push("1");
    let output = sgf().arg("cat").arg(&wanted).output().unwrap();
    assert!(text(&output.stderr).ends_with("/d/\\xFF.sgf: no game 11: there is 1\n"), "{output:?}");
    let output = sgf().arg("index").arg("--offsets").arg(name(0xFF)).output().unwrap();
    assert_eq!(messages(&output), ("", Some(0)));
}

#[test]
fn a_problem_under_strict_is_reported_by_every_run() {
    let folder = folder("strict", &[("a.sgf", b"(;PB[a])(;B[bb]&&)(;PB[c])")]);
    let args = ["index", "a.sgf", "--strict", "--to", "games.sqlite"];
    let said_at = "a.sgf:1:16: illegal-bytes: unexpected bytes inside a game (2 bytes at byte 15)";
    assert_eq!(messages(&run(&folder, &args)), (format!("sgf: {said_at}\n").as_str(), Some(1)));
    let again = format!("sgf: stopped at a problem: {said_at} (when it was read before, and it has not changed)\n");
    assert_eq!(messages(&run(&folder, &args)), (again.as_str(), Some(1)));
    // This is an error, not a note.
    assert_eq!(messages(&run(&folder, &[&args[..], &["--quiet"]].concat())), (again.as_str(), Some(1)));
}

/// What is stored of a failure says that it is one, whatever the name of the file is.
#[test]
fn a_failure_is_told_again_with_the_same_code() {
    let games: Vec<u8> = (0..5000).flat_map(|n| format!("(;PB[{n}];B[aa])\n").into_bytes()).collect();
    let mut cut = compress("gz", &games);
    cut.truncate(cut.len() / 2);
    for name in
        ["no game in a.sgf.gz", "not all is kept: a.sgf.gz", "stopped at a problem: a.sgf.gz", "failed: a.sgf.gz"]
    {
        let folder = folder("told_again", &[(name, &cut)]);
        let args = ["index", name, "--to", "games.sqlite"];
        let first = run(&folder, &args);
        assert_eq!(first.status.code(), Some(2), "{first:?}");
        let said = text(&first.stderr).trim_end();
        assert!(said.starts_with(&format!("sgf: {name}: ")), "{said}");
        let again = format!("{said} (when it was read before, and it has not changed)\n");
        assert_eq!(messages(&run(&folder, &args)), (&*again, Some(2)));
    }
}

#[test]
fn tables_of_another_version_are_not_touched() {
    let folder = folder("version", &[("a.sgf", b"(;AB[aa];W[bb])")]);
    let args = ["index", "a.sgf", "--moves", "--to", "games.sqlite"];
    assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
    Connection::open(folder.join("games.sqlite")).unwrap().pragma_update(None, "user_version", 2).unwrap();
    let before = fs::read(folder.join("games.sqlite")).unwrap();
    let said = "sgf: games.sqlite: its tables have version 2, and this program's 4: write to another file\n";
    assert_eq!(messages(&run(&folder, &args)), (said, Some(2)));
    assert!(fs::read(folder.join("games.sqlite")).unwrap() == before);
}

#[test]
fn an_index_among_the_games_is_not_read() {
    let folder = folder("own", &[("a.sgf", b"(;PB[a])")]);
    for _ in 0..2 {
        assert_eq!(
            messages(&run(&folder, &["index", ".", "--glob", "*", "--exclude", "*.csv", "--to", "games.sqlite"])),
            ("", Some(0))
        );
        assert_eq!(rows(&folder.join("games.sqlite"), "SELECT name FROM files"), [native("./a.sgf")]);
        assert_eq!(
            messages(&run(&folder, &["index", ".", "--glob", "*", "--exclude", "*.sqlite*", "--to", "games.csv"])),
            ("", Some(0))
        );
        assert_eq!(fs::read_to_string(folder.join("games.csv")).unwrap().lines().count(), 2);
    }
}

#[test]
fn players_go_with_their_last_game() {
    let folder = folder("players", &[("d/a.sgf", b"(;PB[Ann]PW[Bob];B[aa])"), ("d/b.sgf", b"(;PB[Bob]PW[Eve];B[bb])")]);
    let args = ["index", "d", "--prune", "--to", "games.sqlite"];
    let players = || {
        let database = folder.join("games.sqlite");
        let parts = "SELECT part FROM player_parts ORDER BY part";
        (rows(&database, "SELECT name FROM players ORDER BY name"), rows(&database, parts))
    };
    let run = || assert_eq!(run(&folder, &args).status.code(), Some(0));
    run();
    assert_eq!(players().0, ["Ann", "Bob", "Eve"]);
    fs::write(folder.join("d/a.sgf"), "(;PB[Cyd X]PW[Dov];B[cc])").unwrap();
    run();
    let of_two_files = ["bob", "cyd x", "dov", "eve", "x"].map(str::to_owned).to_vec();
    assert_eq!(players(), (["Bob", "Cyd X", "Dov", "Eve"].map(str::to_owned).to_vec(), of_two_files));
    fs::remove_file(folder.join("d/a.sgf")).unwrap();
    run();
    assert_eq!(players().0, ["Bob", "Eve"]);
}

/// Whichever file comes first has the games that both have.
#[test]
fn copies_settle_when_files_change() {
    let folder = folder("settled", &[("e.sgf", b"(;PB[x];B[aa])"), ("f.sgf", b"(;PB[y];B[bb];W[cc])(;PB[x];B[aa])")]);
    let args = ["index", "e.sgf", "f.sgf", "--unique", "--to", "games.sqlite"];
    let database = folder.join("games.sqlite");
    let run = || {
        assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
        assert_eq!(rows(&database, "SELECT name FROM files WHERE size < 0"), [""; 0]);
        rows(&database, "SELECT id || black FROM games ORDER BY black")
    };
    let black = |rows: &[String]| rows.iter().map(|row| row.chars().last().unwrap()).collect::<String>();
    assert_eq!(black(&run()), "xy");
    fs::write(folder.join("e.sgf"), "(;PB[x];B[aa])(;PB[y];B[bb];W[cc])").unwrap();
    let settled = run();
    assert_eq!(black(&settled), "xy");
    assert_eq!(run(), settled, "nothing is read again");
    fs::write(folder.join("e.sgf"), "(;PB[z];B[dd])").unwrap();
    let settled = run();
    assert_eq!(black(&settled), "xyz", "what was a copy is none any more");
    assert_eq!(run(), settled);
}

/// What came from a pipe can't be read once more, but is not gone either.
#[test]
fn a_pipe_stays_when_the_original_of_a_copy_is_gone() {
    let folder = folder("pipe-of-copies", &[("d/a.sgf", b"(;PB[a];B[aa])")]);
    let args = ["index", "d", "--unique", "--to", "games.sqlite"];
    assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
    let mut pipe = sgf();
    pipe.current_dir(&folder).args(["index", "-", "--unique", "--to", "games.sqlite"]);
    assert_eq!(messages(&command::feed(&mut pipe, b"(;PB[a];B[aa])(;PB[pipe];B[bb])")), ("", Some(0)));
    fs::write(folder.join("d/a.sgf"), "(;PB[c];B[cc];W[dd])").unwrap();
    for prune in [&[][..], &["--prune"]] {
        assert_eq!(messages(&run(&folder, &[&args[..], prune].concat())), ("", Some(0)));
        let database = folder.join("games.sqlite");
        assert_eq!(rows(&database, "SELECT black FROM games ORDER BY black"), ["c", "pipe"]);
        assert_eq!(rows(&database, "SELECT name FROM files WHERE size = -1"), [""; 0]);
    }
}

#[test]
fn prune_drops_rows_of_removed_files() {
    let folder =
        folder("prune", &[("d/a.sgf", b"(;PB[a])"), ("d/b.sgf", b"(;PB[b];B[cc])"), ("c.sgf", b"(;PB[b];B[cc])")]);
    let database = folder.join("games.sqlite");
    let args = ["index", ".", "--unique", "--to", "games.sqlite"];
    let black = "SELECT black FROM games ORDER BY id";
    let mut pipe = sgf();
    pipe.current_dir(&folder).args(["index", "-", "--unique", "--to", "games.sqlite"]);
    assert_eq!(messages(&command::feed(&mut pipe, b"(;PB[pipe])")), ("", Some(0)));
    assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
    assert_eq!(rows(&database, black), ["pipe", "b", "a"]);

    fs::remove_file(folder.join("c.sgf")).unwrap();
    fs::remove_file(folder.join("d/a.sgf")).unwrap();
    assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
    assert_eq!(rows(&database, black), ["pipe", "b", "a"], "dropped without --prune");
    let output = run(&folder, &[&args[..], &["--prune"]].concat());
    assert_eq!(messages(&output), ("sgf: 2 files that are not there any more: their rows were dropped\n", Some(0)));
    assert_eq!(rows(&database, black), ["pipe", "b"], "the copy was not added");
    assert_eq!(rows(&database, "SELECT name FROM files WHERE size IS NOT NULL"), [native("./d/b.sgf")]);

    let output = run(&folder, &["index", ".", "--prune", "--to", "games.csv"]);
    assert_eq!(output.status.code(), Some(2));
    fs::rename(folder.join("d"), folder.join("elsewhere")).unwrap();
    let output = run(&folder, &["index", "d", "--unique", "--prune", "--to", "games.sqlite"]);
    let missing = format!("sgf: d: {}\n", no_file());
    let expected = format!("{missing}sgf: games.sqlite: nothing is dropped, as d is not there\n");
    assert_eq!(messages(&output), (&*expected, Some(2)));
    fs::write(folder.join("list"), "d\n").unwrap();
    let output = run(&folder, &["index", "--files-from", "list", "--unique", "--prune", "--to", "games.sqlite"]);
    assert_eq!(messages(&output), (&*expected, Some(2)));
    let output = run(&folder, &["index", "d/*.sgf", "--unique", "--prune", "--to", "games.sqlite"]);
    let unread = format!("nothing is dropped, as d can't be read: {}", no_file());
    assert_eq!(messages(&output), (&*format!("{missing}sgf: games.sqlite: {unread}\n"), Some(2)));
    assert_eq!(rows(&database, black), ["pipe", "b"]);
    let (list, mut piped) = (if cfg!(unix) { "/dev/stdin" } else { "-" }, sgf());
    piped.current_dir(&folder).args(["index", "--files-from", list, "--prune", "--to", "games.sqlite"]);
    let expected = "sgf: games.sqlite: --prune cannot take its list from a pipe\n";
    assert_eq!(messages(&command::feed(&mut piped, b"d\n")), (expected, Some(2)));
}

/// And what can't be read is said once, also if copies of what was dropped are read in a second pass.
#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_keeps_only_prune_from_its_work() {
    let folder = folder("prune_link", &[("d/a.sgf", b"(;PB[a];B[aa])"), ("d/b.sgf", b"(;PB[a];B[aa])")]);
    let database = folder.join("games.sqlite");
    let args = ["index", "d", "--unique", "--prune", "--to", "games.sqlite"];
    let files = || rows(&database, "SELECT name FROM files ORDER BY name");
    assert_eq!(messages(&run(&folder, &args)), ("", Some(0)));
    fs::remove_file(folder.join("d/a.sgf")).unwrap();
    fs::write(folder.join("d/c.sgf"), "(;PB[c];B[cc];W[dd])").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("d/x.sgf")).unwrap();
    let why = "No such file or directory";
    let expected =
        format!("sgf: d/x.sgf: {why}\nsgf: games.sqlite: nothing is dropped, as d/x.sgf can't be read: {why}\n");
    assert_eq!(messages(&run(&folder, &args)), (&*expected, Some(2)));
    assert_eq!(files(), ["d/a.sgf", "d/b.sgf", "d/c.sgf"]);

    fs::remove_file(folder.join("d/x.sgf")).unwrap();
    fs::write(folder.join("d/z.rar"), b"Rar!\x1A\x07\x01\0").unwrap();
    fs::write(folder.join("d/y.zip"), b"PK\x03\x04").unwrap();
    let output = run(&folder, &args);
    let (said, code) = messages(&output);
    let lines: std::collections::BTreeSet<_> = said.lines().collect();
    assert!(lines.len() == said.lines().count() && said.contains("d/y.zip") && code == Some(2), "{said}");
    assert_eq!(rows(&database, "SELECT black FROM games ORDER BY black"), ["a", "c"], "the copy has taken its place");
}

/// A file that was moved is not one that is gone.
#[test]
fn prune_keeps_the_rows_of_moved_files() {
    let folder = folder("prune_moved", &[("d/a.sgf", b"(;PB[a])"), ("d/b.sgf", b"(;PB[b])"), ("d/c.sgf", b"(;PB[c])")]);
    assert_eq!(messages(&run(&folder, &["index", "d", "--to", "games.sqlite"])), ("", Some(0)));
    fs::remove_file(folder.join("d/b.sgf")).unwrap();
    fs::rename(folder.join("d"), folder.join("e")).unwrap();
    let output = run(&folder, &["index", "e", "--prune", "--to", "games.sqlite"]);
    assert_eq!(messages(&output), ("sgf: 1 file that is not there any more: its rows were dropped\n", Some(0)));
    let found = rows(&folder.join("games.sqlite"), "SELECT id || file FROM games ORDER BY id");
    assert_eq!(found, ["1e/a.sgf", "3e/c.sgf"].map(native));
}

#[test]
fn leftovers_of_killed_runs_are_removed_but_files_in_use_are_kept() {
    let folder =
        folder("parts", &[("a.sgf", b"(;PB[a])"), (".out.csv.12345.part", b"half"), (".out.csv.x.part", b"else")]);
    fs::write(folder.join(".out.csv.777.part"), "held").unwrap();
    let held = fs::File::open(folder.join(".out.csv.777.part")).unwrap();
    held.lock().unwrap();
    assert_eq!(messages(&run(&folder, &["index", "a.sgf", "--to", "out.csv"])), ("", Some(0)));
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, [".out.csv.777.part", ".out.csv.x.part", "a.sgf", "out.csv"]);
}
