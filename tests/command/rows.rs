//! `sgf list`, `sgf find` and `sgf index` print the same on several threads as on one.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::archives::{compress, pack};
#[cfg(target_os = "linux")]
use crate::command::peak_of_flood;
use crate::command::{self, feed, sgf, text};
use crate::threads::{Result, noise, same_on_any_threads};

fn folder(name: &str) -> PathBuf {
    command::folder("cli_rows", name, &[])
}

/// Bytes that are not ASCII are escaped, since games may be in any charset.
fn shown(bytes: &[u8]) -> String {
    let is_plain = |byte: u8| byte == b'\n' || byte == b'\r' || byte == b'\\' || byte == b'"' || byte == b'\'';
    let mut shown = String::new();
    for &byte in bytes {
        if is_plain(byte) { shown.push(byte.into()) } else { write!(shown, "{}", byte.escape_ascii()).unwrap() }
    }
    shown
}

const EVERYTHING: &str = "file,member,game,offset,length,charset,black,white,size,result,winner,moves,nodes,variations,\
    comments,problems,signature,main_line,year,game";

/// Ways of making rows of games.
const WAYS: [&[&str]; 8] = [
    &["list"],
    &["list", "--format", "json", "--columns", EVERYTHING],
    &["list", "--format", "table"],
    &["find", "--count", "--nodes", "2.."],
    &["find", "--sgf", "--size", "19"],
    &["find", "--unique", "--columns", "file,game"],
    &["find", "--limit", "5", "--columns", "member,game,nodes", "--format", "tsv"],
    &["find", "--game", "3..7", "--comments", "0", "--columns", "game,offset"],
];

#[track_caller]
fn assert_same(root: &Path, way: &[&str], inputs: &[&str], block_lens: &[usize]) -> Result {
    same_on_any_threads(root, &[way, inputs].concat(), block_lens, |output| {
        (shown(&output.stdout), text(&output.stderr).to_owned(), output.status.code())
    })
}

#[test]
fn damaged_games_make_the_same_rows() {
    let root = folder("damage");
    for seed in 0..24 {
        fs::write(root.join("noise.sgf"), noise(seed, 10 + seed as usize * 8)).unwrap();
        let way = WAYS[seed as usize % WAYS.len()];
        for inputs in [&["noise.sgf"][..], &["--strict", "noise.sgf", "noise.sgf"], &["--plain", "noise.sgf"]] {
            assert_same(&root, way, inputs, &[1, 30, 200]);
        }
    }
}

/// Headers whose charset depends on earlier games, changing labels, truncated games, and brackets in text.
fn archive() -> Vec<u8> {
    let games: [&[u8]; 12] = [
        b"(;FF[4]GM[1]SZ[19]PB[\xBF\xD7\xBD\xDC]PW[plain]RE[B+R];B[aa];W[bb])\n",
        b"(;FF[4]GM[1]CA[GBK]PB[\xBA\xDA\xCF\xC8]DT[1998-05-06];B[aa]C[\xB0\xD7])\n",
        b"(;FF[4]GM[1]CA[Big5]PB[\xB6\xC2\xA5\xD5]C[\xA6])];W[bb])\n",
        b"(;FF[4]GM[1]PW[\xC2\xB7\xD3\xA2](;B[aa];W[bb](;B[cc])(;B[dd]))(;B[ee]))\n",
        b"(;FF[4]GM[1]SZ[9]PB[name [12k]: hi]KM[6.5];B[aa])\n",
        b"(;FF[4]GM[1]PB[cut off];B[aa];W[b\n",
        b"(;FF[4]GM[1]PB[\xE6\x9F\xAF\xE6\xB4\x81];B[aa]\n",
        b"(;FF[4]GM[1]PW[M\xFCller])junk \n",
        b"(;FF[4]GM[1]C[(;FF[4\\]GM[1\\])]PB[in text])\n",
        b")(;)()\r\n",
        b"(;GM[1]AP[x];AB[aa]PB[late];B[cc])\r\n",
        b"(;FF[4]GM[11]PB[Hex]PW[\xC0\xCC\xC3\xA2\xC8\xA3])\n",
    ];
    let mut bytes = Vec::new();
    for number in 0..4_000_usize {
        bytes.extend_from_slice(games[number * number % 101 % games.len()]);
    }
    bytes
}

#[test]
fn rows_of_one_large_file_do_not_depend_on_threads() {
    let root = folder("large");
    fs::write(root.join("a.sgf"), archive()).unwrap();
    for way in WAYS {
        let (shown, errors, code) = assert_same(&root, way, &["a.sgf"], &[700, 10_000, 1 << 16]);
        let is_told = errors.lines().all(|line| way.contains(&"--sgf") && line.contains(" is not closed: "));
        assert!(!shown.is_empty() && is_told && code == Some(0), "{way:?}: {errors}");
    }
    let (shown, ..) = assert_same(&root, WAYS[1], &["a.sgf"], &[3_000]);
    let number =
        |line: &str| line.split_once("\"game\":").unwrap().1.split(',').next().unwrap().parse::<usize>().unwrap();
    assert!(shown.lines().map(number).eq(1..=shown.lines().count()), "games are numbered one after the other");
    assert!(shown.contains("\"charset\":\"EUC-KR\"") && shown.contains("\"charset\":\"GBK\""));
}

#[test]
fn a_giant_game_has_one_row() {
    let root = folder("giant");
    let small = "(;GM[1]SZ[19];B[aa])\r\n".repeat(200);
    let giant = format!("(;GM[1]SZ[19]PB[giant]C[{}]{}", "x".repeat(60_000), "(;B[aa];W[bb]\r\n".repeat(20_000));
    for end in ["", &")".repeat(20_001), &")".repeat(20_003)] {
        fs::write(root.join("giant.sgf"), [&small, "junk ", &giant, end, "\n", &small].concat()).unwrap();
        let (shown, ..) = assert_same(&root, WAYS[1], &["giant.sgf"], &[3_000, 100_000]);
        assert_eq!(shown.lines().count(), 401);
        assert!(shown.lines().nth(200).unwrap().contains("\"black\":\"giant\""));
        let (shown, ..) = assert_same(&root, &["find", "--sgf", "--black", "giant"], &["giant.sgf"], &[3_000, 1 << 18]);
        assert!(shown.starts_with(&giant) && shown.len() <= giant.len() + 20_004, "{} bytes", shown.len());
    }
}

#[test]
fn directories_and_archives_make_the_same_rows() {
    let root = folder("inputs");
    let large = archive();
    let mut members: Vec<(String, Vec<u8>)> =
        (0..120).map(|number| (format!("m{number:03}.sgf"), noise(number, number as usize % 9))).collect();
    members[40].1.clone_from(&large);
    for (name, bytes) in &members {
        fs::create_dir_all(root.join("d")).unwrap();
        fs::write(root.join("d").join(name), bytes).unwrap();
    }
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
    fs::write(root.join("a.zip"), pack("zip", &members)).unwrap();
    let packed = compress("gz", &pack("tar", &members));
    fs::write(root.join("b.tar.gz"), &packed[..packed.len() - 1000]).unwrap();
    fs::write(root.join("c.sgf.xz"), compress("xz", &large)).unwrap();
    let inputs = ["d", "gone.sgf", "a.zip", "b.tar.gz", "c.sgf.xz", "d/m001.sgf"];
    for way in WAYS {
        let (_, errors, code) = assert_same(&root, way, &inputs, &[500, 20_000, 1 << 18]);
        // With a limit, reading stops before the damaged and missing inputs.
        let complaints = if way.contains(&"--limit") { 0 } else { 2 };
        // Noise may have no game in it, or one that is not closed.
        let notes = ["no game", "without a game", " is not closed: "];
        let told = errors.lines().filter(|line| !notes.iter().any(|note| line.contains(note))).count();
        assert_eq!((told, code), (complaints, i32::try_from(complaints).ok()), "{way:?}: {errors}");
        assert_same(&root, way, &[&["--strict"][..], &inputs].concat(), &[500, 1 << 18]);
    }
}

/// An input after the last wanted game is not even opened.
#[test]
fn inputs_after_the_last_game_are_not_reported() {
    let root = folder("limit");
    for name in ["a.sgf", "b.sgf"] {
        fs::write(root.join(name), "(;B[aa])".repeat(3)).unwrap();
    }
    let find = ["find", "--columns", "file,game", "--limit", "4"];
    let (shown, errors, code) = assert_same(&root, &find, &["a.sgf", "b.sgf", "gone.sgf"], &[5, 1 << 18]);
    assert_eq!((shown.lines().last(), errors.as_str(), code), (Some("b.sgf,1"), "", Some(0)));
    let (_, errors, code) = assert_same(&root, &find, &["a.sgf", "gone.sgf", "b.sgf"], &[5, 1 << 18]);
    assert_eq!((errors.lines().count(), code), (1, Some(2)));
}

#[test]
fn a_file_does_not_influence_charsets_of_the_next() {
    let root = folder("neighbours");
    // A Korean result, and a Chinese name that would be taken for Korean after it.
    fs::write(root.join("b.sgf"), b"(;CA[EUC-KR]RE[\xC8\xE6 \xBA\xD2\xB0\xE8\xBD\xC2])").unwrap();
    for name in ["a.sgf", "c.sgf"] {
        fs::write(root.join(name), b"(;PB[\xC6\xD1\xB8\xA6])").unwrap();
    }
    let list = ["list", "--columns", "charset"];
    let (shown, ..) = assert_same(&root, &list, &["a.sgf", "b.sgf", "c.sgf"], &[1, 1 << 18]);
    assert_eq!(shown, "charset\nGBK\nEUC-KR\nGBK\n");
    let find = ["find", "--in-charset", "euc", "--columns", "file"];
    let (shown, ..) = assert_same(&root, &find, &["a.sgf", "b.sgf", "c.sgf"], &[1, 1 << 18]);
    assert_eq!(shown, "file\nb.sgf\n");
}

#[test]
fn a_pipe_makes_the_rows_of_a_file() {
    let root = folder("pipe");
    let games = archive();
    fs::write(root.join("a.sgf"), &games).unwrap();
    for way in [WAYS[1], WAYS[4], WAYS[6]] {
        let (expected, ..) = assert_same(&root, way, &["a.sgf"], &[10_000]);
        for threads in ["1", "3"] {
            let output = feed(sgf().args(way).args(["--threads", threads, "--block-len", "10000"]), &games);
            let shown = shown(&output.stdout).replace("\"file\":\"-\"", "\"file\":\"a.sgf\"");
            assert!(shown == expected, "{way:?}, {threads} threads");
        }
    }
}

#[test]
fn rows_come_as_soon_as_the_input_pauses() {
    for threads in ["1", "3"] {
        let mut child =
            sgf().args(["list", "--columns", "game", "--threads", threads]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || stdout.lines().try_for_each(|line| sender.send(line.unwrap())));
        let last = || lines.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(
            (stdin.write_all(b"(;B[aa])(;B[bb]").unwrap(), last(), last()),
            ((), "game".to_owned(), "1".to_owned())
        );
        // More than the buffers hold, then a little.
        let games = b"(;B[aa])\n".repeat(100_000);
        stdin.write_all(b")").unwrap();
        stdin.write_all(&games).unwrap();
        while last() != "100002" {}
        stdin.write_all(b"(;B[aa])").unwrap();
        assert_eq!(last(), "100003");
        drop(stdin);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[cfg(feature = "index")]
#[test]
fn an_index_does_not_depend_on_threads() {
    let root = folder("index");
    let large = archive();
    let members = [("x.sgf", &b"(;PB[x])"[..]), ("y.sgf", &large)];
    fs::write(root.join("a.sgf"), &large).unwrap();
    fs::write(root.join("b.zip"), pack("zip", &members)).unwrap();
    let packed = compress("gz", &large);
    fs::write(root.join("c.sgf.gz"), &packed[..packed.len() / 2]).unwrap();
    fs::write(root.join("d.sgf"), "no game").unwrap();
    let inputs = ["a.sgf", "b.zip", "gone.sgf", "c.sgf.gz", "d.sgf", "a.sgf"];
    for way in [&["--moves"][..], &["--comments"], &["--unique"], &["--strict"]] {
        let make = |name: &str, threads: &str, block_len: &str| {
            let _ = fs::remove_file(root.join(name));
            let own = ["index", "--to", name, "--threads", threads, "--block-len", block_len];
            let output = sgf().current_dir(&root).args(own).args(way).args(inputs).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
            (fs::read(root.join(name)).unwrap(), text(&output.stderr).to_owned())
        };
        let expected = make("games.ndjson", "1", "1000000");
        for (threads, block_len) in [("1", "5000"), ("2", "5000"), ("3", "100000")] {
            let found = make("games.ndjson", threads, block_len);
            assert!(found == expected, "{way:?}, {threads}, {block_len}");
        }
        let tables = |threads: &str| {
            make("games.sqlite", threads, "5000");
            let database = rusqlite::Connection::open(root.join("games.sqlite")).unwrap();
            let mut dump = String::new();
            for table in ["games", "files", "players"] {
                let mut statement = database.prepare(&format!("SELECT * FROM {table} ORDER BY rowid")).unwrap();
                let columns = statement.column_count();
                let mut rows = statement.query([]).unwrap();
                while let Some(row) = rows.next().unwrap() {
                    let cells: Vec<_> = (0..columns).map(|at| format!("{:?}", row.get_ref(at).unwrap())).collect();
                    writeln!(dump, "{table} {}", cells.join(" ")).unwrap();
                }
            }
            dump
        };
        let expected = tables("1");
        assert!(expected.contains("\nfiles "), "{way:?}");
        assert!(tables("3") == expected, "{way:?}");
    }
}

#[cfg(feature = "index")]
#[test]
fn sidecars_do_not_depend_on_threads() {
    let root = folder("sidecars");
    fs::write(root.join("a.sgf"), archive()).unwrap();
    fs::write(root.join("b.zip"), pack("zip", &[("x.sgf", b"(;PB[x])"), ("y.sgf", &archive())])).unwrap();
    let sidecars = |threads: &str| {
        let own = ["index", "--offsets", "--threads", threads, "--block-len", "5000", "a.sgf", "b.zip"];
        assert_eq!(sgf().current_dir(&root).args(own).output().unwrap().status.code(), Some(0));
        ["a.sgf.offsets", "b.zip.offsets"].map(|name| fs::read(root.join(name)).unwrap())
    };
    assert!(sidecars("1") == sidecars("3"));
}

/// The rows of a game of three bytes take 500.
#[cfg(target_os = "linux")]
#[test]
fn rows_of_tiny_games_wait_in_little_memory() {
    let mut command = sgf();
    command.args(["list", "--format", "json", "--threads", "2"]).stdout(Stdio::null());
    let (peak, output) = peak_of_flood(&mut command, "", "(;)", 12_000_000);
    assert!(peak < 72 << 10, "{peak} KiB");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_rows() {
    let inputs = [("", "(;)"), ("", "(;GM[1]SZ[19];B[aa];W[bb])\n"), ("(;C[", "xy"), ("(;", ";B[aa]"), ("", "junk")];
    let ways: [&[&str]; 3] = [&["list"], &["find", "--sgf"], &["find", "--count"]];
    for (start, piece) in inputs {
        for way in ways {
            let mut command = sgf();
            command.args(way).args(["--threads", "24"]).stdout(Stdio::null());
            let (peak, output) = peak_of_flood(&mut command, start, piece, 40_000_000);
            assert!(peak < 224 << 10, "{way:?}, {start}{piece}...: {peak} KiB");
            let code = output.status.code();
            assert_eq!(code, Some(i32::from(piece == "junk" && way[0] == "find")), "{way:?}, {start}{piece}...");
        }
    }
}
