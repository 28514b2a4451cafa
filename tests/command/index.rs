//! `sgf index` and `sgf cat`, run as programs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use rusqlite::types::Value;
use rusqlite::{Connection, StatementStatus};

use crate::archives::{compress, pack, zip};
use crate::command::{self, assert_quiet, feed, native, no_file, no_folder, run, says, sgf, text};
use crate::rng::Rng;
use crate::wait::until;

const GAMES: &[u8] = b"junk\n(;GM[1]SZ[19]PB[Cho Chikun]PW[Kobayashi]RE[B+R]DT[1985-03-01]KM[5.5]GC[A title match];B[pd];W[dd])\n\
    (;SZ[9]PB[Kato & CHO]RE[W+3.5]EV[a, \"b\"](;B[aa];W[bb];B[cc])(;B[dd]C[the small avalanche]))\r\n\
    (;PB[\xE8\xB6\x99\xE6\xB2\xBB\xE5\x8B\xB2]RE[Draw]DT[1990]C[\xE5\xA4\xA7\xE9\x9B\xAA\xE5\xB4\xA9\xE5\xAE\x9A\xE5\xBC\x8F]";

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("cli_index", name, files)
}

#[track_caller]
fn ok(output: &Output) -> &str {
    assert_quiet(output);
    text(&output.stdout)
}

#[track_caller]
fn fails(output: &Output, code: i32, reason: &str) {
    assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(code));
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{bytes:?}"),
    }
}

/// Rows, with `|` between their cells.
fn query(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let count = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..count).map(|at| row.get::<_, Value>(at).map(|value| shown(&value))).collect::<Result<Vec<_>, _>>()
    });
    rows.unwrap().map(|row| row.unwrap().join("|")).collect()
}

fn open(path: impl AsRef<Path>) -> Connection {
    Connection::open(path).unwrap()
}

/// All rows of all tables, including those of the full-text search.
fn dump(path: &Path) -> Vec<String> {
    let connection = open(path);
    let mut all = query(&connection, "SELECT type, name, sql FROM sqlite_schema ORDER BY name");
    for table in query(&connection, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    {
        all.extend(query(&connection, &format!("SELECT '{table}', * FROM {table}")));
    }
    all
}

/// A game that differs from those of other numbers.
fn game(number: usize) -> String {
    let letter = |it: usize| char::from(b'a' + it as u8);
    let moves: Vec<_> = (0..80)
        .map(|i| {
            format!(
                ";{}[{}{}]",
                if i % 2 == 0 { 'B' } else { 'W' },
                letter((i * 7 + number) % 19),
                letter((i + number / 19) % 19)
            )
        })
        .collect();
    format!(
        "(;GM[1]SZ[19]PB[Player {}]PW[\u{8D99}\u{6CBB}{}]DT[19{:02}-01-02]RE[{}+R]C[move {number} \u{5B9A}\u{5F0F}]{})\n",
        number % 100,
        number % 37,
        number % 90 + 10,
        if number.is_multiple_of(3) { 'B' } else { 'W' },
        moves.concat()
    )
}

fn games(numbers: impl Iterator<Item = usize>) -> Vec<u8> {
    numbers.map(game).collect::<String>().into_bytes()
}

#[test]
fn an_input_is_never_overwritten() {
    let folder = folder("itself", &[("games.sgf", GAMES), ("kept.csv", b"kept")]);
    for to in ["games.sgf", "./games.sgf"] {
        let output = run(&folder, &["index", "games.sgf", "--to", to, "--format", "ndjson"]);
        fails(&output, 2, "input and output are the same file");
    }
    assert_eq!(fs::read(folder.join("games.sgf")).unwrap(), GAMES);
    fs::create_dir(folder.join("d")).unwrap();
    for name in ["d/a.sgf", "d/b.sgf"] {
        fs::write(folder.join(name), GAMES).unwrap();
    }
    fails(&run(&folder, &["index", "d", "--to", "d/b.sgf", "--format", "ndjson"]), 2, "it is a file of games");
    assert_eq!(fs::read(folder.join("d/b.sgf")).unwrap(), GAMES);
    // A compressed file of which nothing can be unpacked has bytes, and no games.
    fs::write(folder.join("broken.gz"), b"\x1F\x8B\x08broken").unwrap();
    for input in ["nowhere.sgf", "broken.gz"] {
        fails(&run(&folder, &["index", input, "--to", "kept.csv"]), 2, "not written, as no game could be read");
    }
    let output = run(&folder, &["index", "nowhere.sgf", "--to", "-", "--format", "csv"]);
    assert_eq!(text(&output.stderr), format!("sgf: nowhere.sgf: {}\n", no_file()), "the message before it");
    assert_eq!(fs::read(folder.join("kept.csv")).unwrap(), b"kept");
}

#[test]
fn every_game_is_a_row_with_the_columns_of_list() {
    let zip = pack(
        "zip",
        &[("x.sgf", b"(;PB[x])"), ("readme.txt", b"no"), ("y.sgf.gz", &compress("gz", b"(;PB[y])(;PB[z])"))],
    );
    let folder =
        folder("rows", &[("a.sgf", GAMES), ("b.zip", &zip), ("c.sgf", b""), ("d.sgf.zst", &compress("zst", GAMES))]);
    assert_eq!(ok(&run(&folder, &["index", ".", "--to", "games.sqlite"])), "");
    let columns = ok(&run(&folder, &["list", "a.sgf", "--format", "json"])).lines().count();
    assert_eq!(columns, 3);
    let names = "file,member,game,offset,length,size,black,white,result,winner,margin,date,year,komi,moves,nodes,comments,signature,main_line";
    let listed = run(&folder, &["list", ".", "--format", "tsv", "--columns", names]);
    let listed: Vec<String> =
        ok(&listed).lines().skip(1).map(|line| line.replace('\t', "|").replace("\\\\", "\\")).collect();
    let database = open(folder.join("games.sqlite"));
    let cells = names.split(',').map(|name| format!("coalesce({name}, '')")).collect::<Vec<_>>().join(",");
    let rows = query(&database, &format!("SELECT {cells} FROM games ORDER BY id"));
    let numbers = |rows: Vec<String>| rows.into_iter().map(|row| row.replace(".0|", "|")).collect::<Vec<_>>();
    assert_eq!(numbers(rows), numbers(listed));
    assert_eq!(
        query(&database, "SELECT name, games, done, trouble FROM files ORDER BY id"),
        ["./a.sgf|3|1|-", "./b.zip|3|1|-", "./c.sgf|0|1|-", "./d.sgf.zst|3|1|-"].map(native)
    );
}

/// `games.file` is what somebody typed somewhere.
#[test]
fn a_game_is_found_from_any_directory() {
    let archive = pack("zip", &[("x!y#.sgf", b"(;PB[c])(;PB[d])")]);
    let folder = folder("file_id", &[("a/1.sgf", b"(;PB[a])"), ("b/1.sgf", b"(;PB[b])"), ("b/z.zip", &archive)]);
    for name in ["a", "b"] {
        let within = folder.join(name);
        ok(&run(&within, &["index", "1.sgf", "--to", "../games.sqlite"]));
    }
    ok(&run(&folder, &["index", "b/z.zip", "--to", "games.sqlite"]));
    let sql = "SELECT black, path || coalesce('!' || member, '') || '#' || game FROM games \
               JOIN files ON files.id = file_id ORDER BY games.id";
    let names = query(&open(folder.join("games.sqlite")), sql);
    assert_eq!(names.len(), 4);
    for row in names {
        let (black, name) = row.split_once('|').unwrap();
        assert_eq!(ok(&run(Path::new("/"), &["cat", name])), format!("(;PB[{black}])\n"), "{name}");
    }
}

/// Others may not write beside the database, as SQLite does in WAL mode.
#[test]
fn a_database_that_was_made_is_in_one_file() {
    let folder = folder("one_file", &[("a.sgf", GAMES)]);
    for _ in 0..2 {
        ok(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite"]));
        assert_eq!(fs::read(folder.join("games.sqlite")).unwrap()[18..20], [1, 1], "in WAL mode");
        assert!(!folder.join("games.sqlite-wal").exists() && !folder.join("games.sqlite-shm").exists());
    }
}

#[test]
fn a_member_that_is_named_has_the_name_of_its_archive() {
    let folder =
        folder("named_member", &[("z.zip", &pack("zip", &[("d/a.sgf", b"(;PB[a])"), ("b.sgf", b"(;PB[b])")]))]);
    for _ in 0..2 {
        ok(&run(&folder, &["index", "z.zip!d/a.sgf", "--to", "games.sqlite"]));
        let rows = query(&open(folder.join("games.sqlite")), "SELECT file, member, game FROM games");
        assert_eq!(rows, ["z.zip|d/a.sgf|1"]);
    }
    let files = query(&open(folder.join("games.sqlite")), "SELECT name GLOB 'z.zip!d/a.sgf#*', size FROM files");
    assert_eq!(files, ["1|-"]);
}

#[test]
fn players_are_found_by_any_part_in_any_script() {
    let folder = folder("players", &[("a.sgf", GAMES)]);
    ok(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite"]));
    let database = open(folder.join("games.sqlite"));
    let find = |part: &str| {
        let sql = format!(
            "SELECT g.game, p.color FROM player_parts JOIN game_players p USING (player) JOIN games g ON g.id = p.game \
             WHERE part GLOB '{part}*' ORDER BY g.id"
        );
        let plan = query(&database, &format!("EXPLAIN QUERY PLAN {sql}")).join("\n");
        assert!(!plan.contains("SCAN g") && !plan.contains("SCAN p"), "{plan}");
        query(&database, &sql)
    };
    assert_eq!(find("cho"), ["1|B", "2|B"]);
    assert_eq!(find("chik"), ["1|B"]);
    assert_eq!(find("koba"), ["1|W"]);
    assert_eq!(find("\u{8D99}\u{6CBB}"), ["3|B"]);
    assert_eq!(find("\u{6CBB}\u{52F2}"), ["3|B"]);
    assert_eq!(find("\u{52F2}"), ["3|B"]);
    assert_eq!(find("nobody"), [""; 0]);
}

#[test]
fn comments_moves_and_positions_are_kept_on_request() {
    let folder = folder("details", &[("a.sgf", GAMES)]);
    ok(&run(&folder, &["index", "a.sgf", "--to", "all.sqlite", "--comments", "--moves", "--positions", "2"]));
    let database = open(folder.join("all.sqlite"));
    let search = |words: &str| {
        query(
            &database,
            &format!(
                "SELECT c.game, c.node, c.property, c.text FROM comment_words JOIN comments c ON c.id = comment_words.rowid \
                 WHERE comment_words MATCH '{words}' ORDER BY 1"
            ),
        )
    };
    assert_eq!(search("avalanche"), ["2|5|C|the small avalanche"]);
    assert_eq!(search("MATCH*"), ["1|1|GC|A title match"]);
    assert_eq!(search("\"\u{5B9A} \u{5F0F}\""), ["3|1|C|\u{5927}\u{96EA}\u{5D29}\u{5B9A}\u{5F0F}"]);
    assert_eq!(search("\"\u{96EA} \u{5B9A}\""), [""; 0]);
    assert_eq!(
        query(&database, "SELECT * FROM moves ORDER BY 1, 2"),
        ["1|1|B|pd", "1|2|W|dd", "2|1|B|aa", "2|2|W|bb", "2|3|B|cc"]
    );
    assert_eq!(query(&database, "SELECT game, number FROM positions ORDER BY 1, 2"), ["1|1", "1|2", "2|1", "2|2"]);

    // The same opening, seen from another side.
    let other = "(;SZ[19];B[dd];W[pd])";
    let looked_up =
        feed(sgf().args(["index", "--to", "-", "--format", "ndjson", "--positions", "2"]), other.as_bytes());
    let row: serde_json::Value = serde_json::from_str(ok(&looked_up)).unwrap();
    // Not as a number, which jq and JavaScript would round.
    let hash = row["position_list"][1].as_str().unwrap();
    let found = query(&database, &format!("SELECT game FROM positions WHERE hash = 0x{hash}"));
    assert_eq!((found, hash.len()), (vec!["1".to_owned()], 16));
}

#[test]
fn what_is_left_out_of_a_game_is_reported() {
    let game = format!("(;PB[a]C[{}];B[aa]{})", "text ".repeat(900_000), ";W[bb];B[cc]".repeat(40_000));
    let folder = folder("left_out", &[("a.sgf", format!("(;PB[b])\n{game}").as_bytes())]);
    let output = run(&folder, &["index", "a.sgf", "--to", "a.sqlite", "--comments", "--moves"]);
    let left_out = |what| format!("sgf: a.sgf: {what} are left out of the game at byte 9\n");
    assert_eq!(text(&output.stderr), left_out("moves beyond 1 MiB") + &left_out("comments beyond 4 MiB"));
    assert_eq!(output.status.code(), Some(0));
    let database = open(folder.join("a.sqlite"));
    assert_eq!(query(&database, "SELECT black, moves FROM games"), ["b|0", "a|80001"]);
    // Also when the file is not read again.
    let kept = "not all is kept: a.sgf: moves beyond 1 MiB are left out of the game at byte 9; 1 more like this";
    assert_eq!(query(&database, "SELECT done, trouble FROM files"), [format!("1|{kept}")]);
    let output = run(&folder, &["index", "a.sgf", "--to", "a.sqlite", "--comments", "--moves"]);
    let again = format!("sgf: {kept} (when it was read before, and it has not changed)\n");
    assert_eq!((text(&output.stderr), output.status.code()), (again.as_str(), Some(0)));
    ok(&run(&folder, &["index", "a.sgf", "--to", "b.sqlite"]));
}

#[test]
fn unchanged_files_are_not_read_again() {
    let folder = folder("again", &[("a.sgf", GAMES), ("b.sgf", b"(;PB[old]C[old])(;PB[other])")]);
    let index = |name: &str| {
        let output = run(&folder, &["index", ".", "--to", name, "--comments", "--moves", "--positions", "3"]);
        ok(&output).to_owned()
    };
    index("games.sqlite");
    let before = dump(&folder.join("games.sqlite"));
    index("games.sqlite");
    assert_eq!(dump(&folder.join("games.sqlite")), before);

    // A new file, a changed one, and an unchanged one between them.
    fs::write(folder.join("0.sgf"), "(;PB[first])").unwrap();
    fs::write(folder.join("b.sgf"), "(;PB[new]C[new])").unwrap();
    index("games.sqlite");
    let database = open(folder.join("games.sqlite"));
    assert_eq!(
        query(&database, "SELECT id, file, black FROM games"),
        [
            "1|./a.sgf|Cho Chikun",
            "2|./a.sgf|Kato & CHO",
            "3|./a.sgf|\u{8D99}\u{6CBB}\u{52F2}",
            "6|./0.sgf|first",
            "7|./b.sgf|new"
        ]
        .map(native)
    );
    let search =
        |word: &str| query(&database, &format!("SELECT rowid FROM comment_words WHERE comment_words MATCH '{word}'"));
    assert_eq!((search("old").len(), search("new").len()), (0, 1));
    assert_eq!(query(&database, "SELECT count(*) FROM game_players WHERE game IN (4, 5)"), ["0"]);
}

#[test]
fn a_killed_run_can_be_resumed_to_the_same_result() {
    let archive = compress("gz", &games(0..30_000));
    let members: Vec<(String, Vec<u8>)> =
        (0..40).map(|i| (format!("{i}.sgf"), games(i * 300..(i + 1) * 300))).collect();
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let zip = pack("zip", &members);
    let folder = folder("killed", &[("a.sgf.gz", &archive), ("b.zip", &zip), ("c.sgf", GAMES), ("d.sgf", b"(;PB[x]")]);
    let args = |name| ["index", ".", "--to", name, "--comments", "--positions", "5", "--unique"];
    let begin = Instant::now();
    ok(&run(&folder, &args("whole.sqlite")));
    let time = begin.elapsed();
    let expected = dump(&folder.join("whole.sqlite"));
    assert_eq!(query(&open(folder.join("whole.sqlite")), "SELECT sum(games) FROM files"), ["42004"]);

    let mut rng = Rng::new(time.as_nanos() as u64 | 1);
    let mut killed = 0;
    for run in 0..10 {
        let mut child = sgf().current_dir(&folder).args(args("killed.sqlite")).spawn().unwrap();
        // If the first run took longer than others do, none of those may be left to be killed but one that has just begun.
        if run == 0 {
            until(|| folder.join("killed.sqlite").exists() || child.try_wait().unwrap().is_some());
        }
        sleep(if run == 0 { Duration::ZERO } else { time * rng.below(1000) as u32 / 3000 });
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
    }
    assert!(killed > 0);
    ok(&run(&folder, &args("killed.sqlite")));
    assert!(dump(&folder.join("killed.sqlite")) == expected, "the databases differ");
}

#[test]
fn games_from_several_pipes_are_all_kept() {
    let folder = folder("pipes", &[]);
    let index = |bytes: &[u8]| {
        let mut command = sgf();
        command.current_dir(&folder).args(["index", "--to", "games.sqlite"]);
        ok(&feed(&mut command, bytes));
    };
    for bytes in [&b"(;PB[a])(;PB[b])"[..], b"(;PB[c])", b"", b"(;PB[a])(;PB[b])"] {
        index(bytes);
    }
    let rows = query(&open(folder.join("games.sqlite")), "SELECT black, file GLOB '-#*' FROM games ORDER BY black");
    assert_eq!(rows, ["a|1", "b|1", "c|1"]);
    let before = dump(&folder.join("games.sqlite"));
    index(b"(;PB[a])(;PB[b])");
    assert!(dump(&folder.join("games.sqlite")) == before, "the same input again changed the database");
}

#[test]
fn a_sidecar_of_a_tar_finds_games_of_nested_archives() {
    let odd = pack("zip", &[("x!y.sgf", b"(;PB[odd])")]);
    let members = [
        ("a.sgf", &b"(;PB[a1])(;PB[a2])"[..]),
        ("in!ner.zip", &odd),
        ("b.sgf.gz", &compress("gz", b"(;PB[b])")),
        ("a.sgf", b"(;PB[a3])"),
    ];
    let tars = [pack("tar", &members), pack("tar", &[("c.sgf", b"x(;PB[c])")])].concat();
    let folder = folder(
        "tar",
        &[
            ("a.tar", &tars),
            ("b.zip", &pack("zip", &[("in!ner.zip", &odd)])),
            ("c.gz", &compress("gz", b"(;)")),
            ("d.sgf", b"(;PB[d])"),
        ],
    );
    let games = ["(;PB[a1])", "(;PB[a2])", "(;PB[odd])", "(;PB[b])", "(;PB[a3])", "(;PB[c])"];
    for is_there in [false, true] {
        for (number, game) in (1..).zip(games) {
            let output = run(&folder, &["cat", &format!("a.tar#{number}")]);
            assert_eq!((ok(&output), text(&output.stderr)), (format!("{game}\n").as_str(), ""), "{number}, {is_there}");
        }
        assert_eq!(ok(&run(&folder, &["cat", "b.zip#1"])), "(;PB[odd])\n");
        // A refused file does not keep the others from getting sidecars.
        fails(&run(&folder, &["index", "--offsets", "c.gz", "a.tar", "b.zip", "c.gz", "d.sgf"]), 2, "c.gz: ");
        assert!(["a.tar", "b.zip", "d.sgf"].iter().all(|name| folder.join(format!("{name}.offsets")).exists()));
    }
}

/// A run that has read some of its standard input and waits for more.
fn waiting(folder: &Path, args: &[&str]) -> (Child, ChildStdin) {
    let mut child = sgf().current_dir(folder).args(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // More than a pipe holds.
    stdin.write_all(&games(0..2_000)).unwrap();
    (child, stdin)
}

#[cfg(unix)]
#[test]
fn after_ctrl_c_the_next_run_resumes() {
    crate::heed_ctrl_c();
    let folder = folder("interrupted", &[("a.sgf", &games(2_000..4_000)), ("b.sgf", GAMES)]);
    let args = |name| ["index", ".", "-", "--to", name];
    let whole = |name| {
        ok(&feed(sgf().current_dir(&folder).args(args(name)), &games(0..2_001)));
    };
    whole("whole.sqlite");
    for name in ["games.sqlite", "games.csv"] {
        let (child, stdin) = waiting(&folder, &args(name));
        let interrupt = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupt.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        drop(stdin);
        assert_eq!(folder.join(name).exists(), name.ends_with("sqlite"));
        whole(name);
    }
    assert!(dump(&folder.join("games.sqlite")) == dump(&folder.join("whole.sqlite")), "the databases differ");
    assert_eq!(fs::read_to_string(folder.join("games.csv")).unwrap().lines().count(), 4_005);
}

#[test]
fn copies_are_dropped_in_every_format() {
    let folder = folder("unique", &[("a.sgf", &games(0..50)), ("b.sgf", &games(25..75))]);
    for name in ["games.sqlite", "games.csv", "games.ndjson"] {
        let output = run(&folder, &["index", "a.sgf", "b.sgf", "--to", name, "--unique", "--progress", "always"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stderr).ends_with("; 25 copies were dropped\n"), "{name}: {output:?}");
    }
    let database = open(folder.join("games.sqlite"));
    assert_eq!(query(&database, "SELECT name, games, rows FROM files"), ["a.sgf|50|50", "b.sgf|50|25"]);
    assert_eq!(fs::read_to_string(folder.join("games.csv")).unwrap().lines().count(), 76);
    assert_eq!(fs::read_to_string(folder.join("games.ndjson")).unwrap().lines().count(), 75);
    drop(database);

    // When a game has gone, its copy is added.
    fs::write(folder.join("a.sgf"), games(0..10)).unwrap();
    ok(&run(&folder, &["index", "a.sgf", "b.sgf", "--to", "games.sqlite", "--unique"]));
    let database = open(folder.join("games.sqlite"));
    assert_eq!(query(&database, "SELECT count(*) FROM games"), ["60"]);
}

#[test]
fn games_of_a_damaged_archive_are_kept() {
    let mut cut = compress("gz", &games(0..500));
    cut.truncate(cut.len() / 2);
    let folder = folder("damaged", &[("a.sgf.gz", &cut), ("b.sgf", GAMES)]);
    for _ in 0..2 {
        // The error is repeated, although the file is read only once.
        let output = run(&folder, &["index", ".", "--to", "games.sqlite"]);
        fails(&output, 2, &native("./a.sgf.gz: "));
    }
    let database = open(folder.join("games.sqlite"));
    let rows = query(&database, "SELECT file, count(*) FROM games GROUP BY file");
    let [cut, none, whole] = ["./a.sgf.gz|", "./a.sgf.gz|0", "./b.sgf|3"].map(native);
    assert!(rows[0].starts_with(&cut) && rows[0] != none && rows[1] == whole, "{rows:?}");
    assert_eq!(query(&database, "SELECT count(trouble) FROM files"), ["1"]);
    drop(database);
    // When it is whole again, all of it is read.
    fs::write(folder.join("a.sgf.gz"), compress("gz", &games(0..500))).unwrap();
    ok(&run(&folder, &["index", ".", "--to", "games.sqlite"]));
    assert_eq!(query(&open(folder.join("games.sqlite")), "SELECT count(*) FROM games"), ["503"]);
}

#[test]
fn every_member_that_cannot_be_read_is_remembered() {
    let games: [(&str, &[u8]); 3] = [("a.sgf", b"(;B[aa])"), ("b.sgf", b"(;B[bb])"), ("c.sgf", b"(;B[cc])")];
    let mut zip = zip(&games, rawzip::CompressionMethod::STORE);
    for wrong in [&b"[aa"[..], b"[cc"] {
        let at = memchr::memmem::find(&zip, wrong).unwrap();
        zip[at + 1] = b'b';
    }
    let folder = folder("failures", &[("a.zip", &zip), ("empty.tar", &[0; 1024])]);
    for _ in 0..2 {
        let output = run(&folder, &["index", "a.zip", "--to", "games.sqlite"]);
        fails(&output, 2, "a.zip!a.sgf: the checksum is wrong");
        assert!(text(&output.stderr).contains("a.zip!c.sgf: the checksum is wrong"), "{}", text(&output.stderr));
    }
    let output = run(&folder, &["index", "empty.tar", "--to", "games.sqlite"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = query(&open(folder.join("games.sqlite")), "SELECT path, done FROM files ORDER BY path");
    assert!(files.len() == 2 && files.iter().all(|file| file.ends_with("|1")), "{files:?}");
    let output = run(&folder, &["index", "--offsets", "empty.tar"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn why_a_database_cannot_be_created_is_reported() {
    let folder = folder("unopened", &[("a.sgf", b"(;PB[a])"), ("d/x", b"")]);
    for (to, why) in [("nowhere/a.sqlite", no_folder()), ("d", says(if cfg!(windows) { 5 } else { 21 }))] {
        let output = run(&folder, &["index", "a.sgf", "--format", "sqlite", "--to", to]);
        assert_eq!((text(&output.stderr), output.status.code()), (format!("sgf: {to}: {why}\n").as_str(), Some(2)));
    }
    // The system would create it, but SQLite does not like so long a path.
    let deep = ["x".repeat(200).as_str(); 3].join("/");
    fs::create_dir_all(folder.join(&deep)).unwrap();
    let to = format!("{deep}/a.sqlite");
    fails(&run(&folder, &["index", "a.sgf", "--to", &to]), 2, "unable to open database file");
    assert!(!folder.join(&to).exists());
}

#[test]
fn a_run_that_opens_nothing_leaves_no_database() {
    let folder = folder("nothing", &[("a.sgf", GAMES), ("empty/readme", b"")]);
    for _ in 0..2 {
        let output = run(&folder, &["index", "nosuch.sgf", "--to", "y.sqlite"]);
        let said = format!("sgf: nosuch.sgf: {}\nsgf: y.sqlite: not written, as no game could be read\n", no_file());
        assert_eq!((text(&output.stderr), output.status.code()), (&*said, Some(2)));
        assert!(!folder.join("y.sqlite").exists());
    }
    let output = run(&folder, &["index", "nosuch.sgf", "a.sgf", "--to", "y.sqlite"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(query(&open(folder.join("y.sqlite")), "SELECT count(*) FROM games"), ["3"]);
    let output = run(&folder, &["index", "nosuch.sgf", "--to", "y.sqlite"]);
    assert_eq!((text(&output.stderr).lines().count(), output.status.code()), (1, Some(2)), "it is there already");
    assert_eq!(run(&folder, &["index", "empty", "--to", "z.sqlite"]).status.code(), Some(0));
    assert!(folder.join("z.sqlite").exists());
}

#[test]
fn a_missing_game_of_a_member_is_told_with_its_name() {
    let archive = pack("zip", &[("a.sgf", b"(;PB[a])"), ("b.sgf", b"(;PB[b])(;PB[c])")]);
    let folder = folder("of_a_member", &[("z.zip", &archive)]);
    let said = |name: &str| text(&run(&folder, &["cat", name]).stderr).to_owned();
    assert_eq!(said("z.zip!a.sgf#2"), "sgf: z.zip!a.sgf: no game 2: there is 1\n");
    assert_eq!(said("z.zip!a.sgf#2.."), "sgf: z.zip!a.sgf: no game 2 or later: there is 1\n");
    assert_eq!(said("z.zip#4"), "sgf: z.zip: no game 4: there are 3\n");
    assert_eq!(said("z.zip!c.sgf#2"), "sgf: z.zip: no such SGF member: c.sgf\n");
}

#[test]
fn what_is_of_another_kind_is_not_replaced() {
    let packed = compress("gz", GAMES);
    let files =
        [("a.sgf", GAMES), ("b.sgf", GAMES), ("b.txt", GAMES), ("b.gz", &packed[..]), ("rows.csv", &b"old"[..])];
    let folder = folder("kinds", &files);
    ok(&run(&folder, &["index", "a.sgf", "--to", "b.sqlite"]));
    ok(&run(&folder, &["index", "a.sgf", "--to", "b.parquet"]));
    for (to, what) in [
        ("b.sqlite", "a database of SQLite"),
        ("b.parquet", "a Parquet file"),
        ("b.sgf", "a file of games"),
        ("b.txt", "a file of games"),
        ("b.gz", "an archive or a compressed file"),
    ] {
        let before = fs::read(folder.join(to)).unwrap();
        let output = run(&folder, &["index", "a.sgf", "--to", to, "--format", "ndjson"]);
        fails(&output, 2, &format!("sgf: {to}: it is {what}, and would be replaced: write to another file"));
        assert!(fs::read(folder.join(to)).unwrap() == before, "{to}");
    }
    for to in ["rows.csv", "b.parquet", "b.sqlite"] {
        ok(&run(&folder, &["index", "a.sgf", "--to", to]));
    }
}

#[test]
fn a_database_says_which_files_have_no_game() {
    let archive = pack("zip", &[("a.sgf", b"(;PB[a])"), ("e.sgf", b"none"), ("f.sgf", b"none")]);
    let folder = folder("without", &[("404.sgf", b"<html>404</html>"), ("empty.sgf", b""), ("z.zip", &archive)]);
    let index = || run(&folder, &["index", ".", "--to", "games.sqlite"]);
    let output = index();
    let said =
        native("sgf: ./404.sgf: no game in it\nsgf: ./z.zip!e.sgf: no game in it\nsgf: ./z.zip!f.sgf: no game in it\n");
    assert_eq!((text(&output.stderr), output.status.code()), (&*said, Some(0)));
    let files = query(&open(folder.join("games.sqlite")), "SELECT games, done, trouble FROM files ORDER BY id");
    let expected = ["0|1|no game in ./404.sgf", "0|1|-", "1|1|no game in ./z.zip!e.sgf; 1 more like this"];
    assert_eq!(files, expected.map(native));
    let output = index();
    let again = "(when it was read before, and it has not changed)";
    let said =
        format!("sgf: ./404.sgf: no game in it {again}\nsgf: ./z.zip!e.sgf: no game in it; 1 more like this {again}\n");
    assert_eq!((text(&output.stderr), output.status.code()), (&*native(&said), Some(0)));
    assert_quiet(&run(&folder, &["index", ".", "--to", "games.sqlite", "--quiet"]));
}

#[test]
fn games_of_four_have_all_their_players() {
    let games =
        b"(;GM[Blokus]P1[Kobayashi Satoru]P3[Ann]PB[Bob];1[a1])(;GM[27]P0[ranking 3]P0[id \"Cy\"];P0[0 Start P0])";
    let folder = folder("four", &[("a.sgf", games)]);
    ok(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite"]));
    let sql = "SELECT color, name FROM game_players JOIN players ON players.id = player ORDER BY color";
    assert_eq!(query(&open(folder.join("games.sqlite")), sql), ["0|Cy", "1|Kobayashi Satoru", "3|Ann", "B|Bob"]);
}

#[test]
fn an_unfit_database_is_left_unchanged() {
    let folder =
        folder("unfit", &[("a.sgf", GAMES), ("text.sqlite", b"this is no database, but a text of some length\n")]);
    ok(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite"]));
    fails(
        &run(&folder, &["index", "a.sgf", "--to", "games.sqlite", "--moves"]),
        2,
        "games.sqlite: it was made with no options, not with --moves: give what it was made with, or write to another file",
    );
    fails(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite", "--charset", "big5"]), 2, "--charset Big5");
    open(folder.join("other.sqlite")).execute_batch("CREATE TABLE mine(x)").unwrap();
    let other = fs::read(folder.join("other.sqlite")).unwrap();
    fails(
        &run(&folder, &["index", "a.sgf", "--to", "other.sqlite"]),
        2,
        "other.sqlite: it is a database of something else",
    );
    assert!(fs::read(folder.join("other.sqlite")).unwrap() == other);
    fails(&run(&folder, &["index", "a.sgf", "--to", "text.sqlite"]), 2, "text.sqlite: ");
    fails(&run(&folder, &["index", "a.sgf", "--to", "games.json"]), 2, ".sqlite3 .db .parquet");
    fails(&run(&folder, &["index", "a.sgf", "--to", "none/games.sqlite"]), 2, "none/games.sqlite: ");
    fails(&run(&folder, &["index", "none.sgf", "--to", "none/", "--format", "csv"]), 2, "none/: not a file name");
    fails(&run(&folder, &["index", "none.sgf", "a.sgf", "--to", "games.csv"]), 2, "none.sgf: ");
    assert_eq!(fs::read_to_string(folder.join("games.csv")).unwrap().lines().count(), 4);
}

#[cfg(unix)]
#[test]
fn a_database_is_the_file_of_that_name_whatever_it_looks_like() {
    for to in ["file:games.sqlite", "file:games.sqlite?mode=ro", ":memory:"] {
        let folder = folder("plain-name", &[("a.sgf", b"(;PB[a])")]);
        for _ in 0..2 {
            ok(&run(&folder, &["index", "a.sgf", "--format", "sqlite", "--to", to]));
        }
        assert_eq!(query(&open(format!("{}/{to}", folder.display())), "SELECT black FROM games"), ["a"], "{to}");
    }
}

#[test]
fn a_killed_run_leaves_no_partial_file() {
    let folder = folder("half", &[("games.parquet", b"what was there before")]);
    let (mut child, _stdin) = waiting(&folder, &["index", "-", "--to", "games.parquet"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(folder.join("games.parquet")).unwrap(), b"what was there before");
}

#[test]
fn every_format_has_every_game() {
    let folder = folder("formats", &[("a.sgf", GAMES)]);
    for ending in ["csv", "ndjson", "parquet", "arrow"] {
        let name = format!("games.{ending}");
        ok(&run(&folder, &["index", "a.sgf", "--to", &name, "--moves", "--positions", "2"]));
    }
    let csv = fs::read_to_string(folder.join("games.csv")).unwrap();
    assert!(
        csv.starts_with("file,member,game,")
            && csv.lines().next().unwrap().ends_with(",white_level,move_list,setup_list,position_list")
    );
    assert!(csv.lines().nth(2).unwrap().contains(",;B[aa];W[bb];B[cc],"), "{csv}");
    let ndjson = fs::read_to_string(folder.join("games.ndjson")).unwrap();
    let rows: Vec<serde_json::Value> = ndjson.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows[0]["move_list"], serde_json::json!(["B[pd]", "W[dd]"]));
    assert_eq!(rows[0]["position_list"].as_array().unwrap().len(), 2);

    let file = fs::File::open(folder.join("games.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    let file = fs::File::open(folder.join("games.arrow")).unwrap();
    let arrow: Vec<_> = arrow_ipc::reader::FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect();
    assert_eq!(batches, arrow);
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 3);
    let black = batches[0].column_by_name("black").unwrap().as_string::<i32>();
    assert_eq!(black.value(2), "\u{8D99}\u{6CBB}\u{52F2}");
    let moves = batches[0].column_by_name("move_list").unwrap().as_list::<i32>();
    assert_eq!(moves.value(1).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["B[aa]", "W[bb]", "B[cc]"]);

    // Without games, an empty table is written.
    for ending in ["csv", "ndjson", "parquet", "arrow", "sqlite"] {
        let name = format!("none.{ending}");
        let output = feed(sgf().current_dir(&folder).args(["index", "--to", &name]), b"");
        ok(&output);
        assert!(folder.join(&name).exists(), "{name}");
    }
}

#[test]
fn setup_is_the_same_in_every_format() {
    let games = b"(;GM[1]SZ[9]HA[2]AB[gc][cg];W[ee];B[aa];AE[aa]AW[bb:cc])(;GM[1]SZ[9];W[ee];B[aa])";
    let folder = folder("setup", &[("a.sgf", games)]);
    for ending in ["sqlite", "ndjson", "csv", "parquet"] {
        ok(&run(&folder, &["index", "a.sgf", "--to", &format!("games.{ending}"), "--moves"]));
    }
    let setup = ["AB[gc]", "AB[cg]", "2:AE[aa]", "2:AW[bb:cc]"];
    assert_eq!(
        query(&open(folder.join("games.sqlite")), "SELECT * FROM setup ORDER BY game, place"),
        ["1|1|0|AB|gc", "1|2|0|AB|cg", "1|3|2|AE|aa", "1|4|2|AW|bb:cc"]
    );
    let ndjson = fs::read_to_string(folder.join("games.ndjson")).unwrap();
    let rows: Vec<serde_json::Value> = ndjson.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[0]["setup_list"], &rows[1]["setup_list"]), (&serde_json::json!(setup), &serde_json::json!([])));
    let csv = fs::read_to_string(folder.join("games.csv")).unwrap();
    let ends: Vec<_> = csv.lines().skip(1).map(|line| line.rsplit_once(";W[ee];B[aa],").unwrap().1).collect();
    assert_eq!(ends, [&*setup.join(" "), ""]);
    let file = fs::File::open(folder.join("games.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    let lists = batches[0].column_by_name("setup_list").unwrap().as_list::<i32>();
    assert_eq!(lists.value(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), setup);
    assert!(lists.value(1).is_empty());
    // It goes with its file.
    fs::write(folder.join("a.sgf"), "(;B[aa])").unwrap();
    ok(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite", "--moves"]));
    assert_eq!(query(&open(folder.join("games.sqlite")), "SELECT count(*) FROM setup"), ["0"]);
}

#[test]
fn games_without_positions_are_counted() {
    let folder =
        folder("only_go", &[("a.sgf", b"(;GM[11];B[a1];W[b2])(;GM[2];B[d3])(;GM[1];B[aa])(;GM[11])(;GM[y];B[a1])")]);
    for name in ["games.sqlite", "games.csv"] {
        let output = run(&folder, &["index", "a.sgf", "--to", name, "--positions", "2"]);
        let said = "sgf: 3 games of other kinds than Go have no positions\n";
        assert_eq!((text(&output.stderr), output.status.code()), (said, Some(0)));
    }
    ok(&run(&folder, &["index", "a.sgf", "--to", "games.csv"]));
}

#[test]
fn comments_are_the_same_in_every_format() {
    let folder = folder("comments", &[("a.sgf", b"(;C[root]GC[on\nthe game];B[aa];C[third])(;GC[])")]);
    for ending in ["sqlite", "ndjson", "parquet"] {
        ok(&run(&folder, &["index", "a.sgf", "--to", &format!("games.{ending}"), "--comments"]));
    }
    let database = open(folder.join("games.sqlite"));
    assert_eq!(
        query(&database, "SELECT game, node, property, text FROM comments ORDER BY id"),
        ["1|1|GC|on\nthe game", "1|1|C|root", "1|3|C|third"]
    );
    let ndjson = fs::read_to_string(folder.join("games.ndjson")).unwrap();
    let rows: Vec<serde_json::Value> = ndjson.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let comments = serde_json::json!([
        {"node": 1, "property": "GC", "text": "on\nthe game"},
        {"node": 1, "property": "C", "text": "root"},
        {"node": 3, "property": "C", "text": "third"},
    ]);
    assert_eq!((&rows[0]["comment_list"], &rows[1]["comment_list"]), (&comments, &serde_json::json!([])));
    let file = fs::File::open(folder.join("games.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    let comments = batches[0].column_by_name("comment_list").unwrap().as_list::<i32>();
    let texts = comments.value(0);
    assert_eq!(texts.as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["on\nthe game", "root", "third"]);
    assert!(comments.value(1).is_empty());
    let nodes = batches[0].column_by_name("comment_nodes").unwrap().as_list::<i32>();
    assert_eq!(nodes.value(0).as_primitive::<arrow_array::types::Int64Type>().values(), &[1, 1, 3]);
    assert!(nodes.value(1).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_archive() {
    let folder = folder("memory", &[("a.sgf", &games(0..60_000))]);
    for name in ["games.sqlite", "games.parquet", "games.arrow", "games.csv"] {
        let args = ["index", "a.sgf", "a.sgf", "a.sgf", "--to", name, "--moves"];
        let mut child = sgf().current_dir(&folder).args(args).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = command::peak_memory(&child).unwrap_or(peak);
            sleep(Duration::from_millis(2));
        }
        assert!(peak > 0 && peak < 256 << 10, "{name}: {peak} KiB");
        fs::remove_file(folder.join(name)).unwrap();
    }
}

#[test]
fn queries_are_fast() {
    let folder = folder("queries", &[("a.sgf", &games(0..40_000))]);
    ok(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite"]));
    let database = open(folder.join("games.sqlite"));
    for (sql, rows, games) in [
        ("SELECT game FROM player_parts JOIN game_players USING (player) WHERE part GLOB 'player 42*'", 400, 400),
        ("SELECT game FROM player_parts JOIN game_players USING (player) WHERE part GLOB '\u{6CBB}7*'", 1081, 1081),
        ("SELECT id FROM games WHERE date = '1950-01-02'", 444, 444),
        ("SELECT id FROM games WHERE year BETWEEN 1950 AND 1951", 888, 888),
        ("SELECT count(*) FROM games WHERE result = 'B+R'", 1, 13_334),
    ] {
        let plan = query(&database, &format!("EXPLAIN QUERY PLAN {sql}")).join("\n");
        assert!(!plan.contains("SCAN"), "{plan}");
        let mut statement = database.prepare(sql).unwrap();
        let found = statement.query_map([], |_| Ok(())).unwrap().count();
        assert!(found.abs_diff(rows) <= 1, "{sql}: {found}");
        // A few steps for each game that is wanted, and none for the others. What time they take depends on the machine.
        let steps = statement.get_status(StatementStatus::VmStep);
        assert!(steps < 5 * games + 100, "{sql}: {steps} steps");
    }
}

#[test]
fn a_game_is_fetched_by_its_number() {
    let zip = pack("zip", &[("x.sgf", b"(;PB[x1])(;PB[x2])"), ("d/y [1].sgf", GAMES)]);
    let folder = folder(
        "cat",
        &[("a.sgf", GAMES), ("b.zip", &zip), ("c.sgf.gz", &compress("gz", GAMES)), ("e#1.sgf", b"(;PB[e])")],
    );
    let second = text(&GAMES[GAMES.iter().position(|&byte| byte == b'&').unwrap() - 15..])
        .split("\r\n")
        .next()
        .unwrap()
        .to_owned()
        + "\n";
    assert!(second.starts_with("(;SZ[9]") && second.ends_with("avalanche]))\n"), "{second}");
    let cat = |args: &[&str]| {
        let args: Vec<_> = ["cat"].iter().chain(args).copied().collect();
        ok(&run(&folder, &args)).to_owned()
    };
    // Without sidecars, then with them.
    for _ in 0..2 {
        assert_eq!(cat(&["a.sgf#2"]), second);
        assert_eq!(cat(&["c.sgf.gz#2"]), second);
        assert_eq!(cat(&["b.zip#4", "a.sgf#2"]), second.repeat(2));
        assert_eq!(cat(&["b.zip#2..4"]).lines().count(), 3);
        assert_eq!(cat(&["b.zip!d/y [1].sgf#2"]), second);
        assert_eq!(cat(&["a.sgf#2..99", "-q"]).lines().count(), 2);
        assert_eq!(cat(&["a.sgf"]).lines().count(), 3);
        assert_eq!(cat(&["b.zip#..2"]), "(;PB[x1])\n(;PB[x2])\n");
        assert_eq!(cat(&["e#1.sgf#1"]), "(;PB[e])\n");
        for name in ["a.sgf#4", "b.zip#6..9", "c.sgf.gz#9", "b.zip!x.sgf#3"] {
            fails(&run(&folder, &["cat", name]), 1, "no game");
        }
        fails(&run(&folder, &["cat", "b.zip!none.sgf#1"]), 2, "sgf: b.zip: no such SGF member: none.sgf\n");
        fails(&run(&folder, &["cat", "none.sgf#1"]), 2, "none.sgf: ");
        fails(&run(&folder, &["cat", "a.sgf#0"]), 2, "not a game number");
        fails(&run(&folder, &["cat", "b.zip!none#1.sgf"]), 2, "sgf: b.zip: no such SGF member: none#1.sgf\n");
        fails(&run(&folder, &["cat", "."]), 2, "directory");
        let mut twice = sgf();
        let names = ["cat", "--", "-#2", "e#1.sgf", "-#1"];
        let output = command::feed(twice.current_dir(&folder).args(names), b"(;PB[1])(;PB[2])");
        assert_eq!(text(&output.stdout), "(;PB[2])\n(;PB[e])\n");
        fails(&output, 2, "sgf: -: standard input can't be read twice\n");
        ok(&run(&folder, &["index", "--offsets", "a.sgf", "b.zip", "e#1.sgf"]));
        assert!(folder.join("a.sgf.offsets").exists() && folder.join("b.zip.offsets").exists());
    }
    let output = run(&folder, &["index", "--offsets", "c.sgf.gz"]);
    fails(&output, 2, "c.sgf.gz: it has to be unpacked from its beginning");
    assert!(!folder.join("c.sgf.gz.offsets").exists());

    // A changed file is noticed.
    fs::write(folder.join("a.sgf"), [b"(;PB[new])(;B[aa])", GAMES].concat()).unwrap();
    let output = run(&folder, &["cat", "a.sgf#1"]);
    assert_eq!(text(&output.stdout), "(;PB[new])\n");
    fails(&output, 0, "a.sgf.offsets: stale");
    fs::write(folder.join("a.sgf.offsets"), "SGFoffs4").unwrap();
    fails(&run(&folder, &["cat", "a.sgf#1"]), 0, "a.sgf.offsets: damaged");
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 7, "{left:?}");
}

#[test]
fn real_files_have_as_many_rows_as_scan_counts_games() {
    let Some(corpora) = std::env::var_os("SGF_CORPORA") else {
        return eprintln!("NOT DONE: SGF_CORPORA is not set, so no real file was indexed");
    };
    let folder = folder("real", &[]);
    let scanned = sgf().args(["scan", "--json"]).arg(&corpora).output().unwrap();
    let scanned: serde_json::Value = serde_json::from_slice(&scanned.stdout).unwrap();
    let output =
        sgf().current_dir(&folder).args(["index", "--to", "games.sqlite", "--moves"]).arg(&corpora).output().unwrap();
    let database = open(folder.join("games.sqlite"));
    assert_eq!(
        query(&database, "SELECT count(*) FROM games"),
        [scanned["games"].to_string()],
        "{}",
        text(&output.stderr)
    );
    assert_eq!(query(&database, "SELECT sum(moves) FROM games"), query(&database, "SELECT count(*) FROM moves"));
}

#[test]
fn a_sidecar_is_used_only_with_its_own_options() {
    let cut = b"(;GM[1]FF[4]SZ[19]PB[a];B[aa]\n\n(;GM[1]FF[4]SZ[19]PB[b];B[bb])(;PB[c])";
    let zip = pack("zip", &[("a.sgf", b"(;PB[a])"), ("b.txt", b"(;PB[t])"), ("c.sgf", b"(;PB[c])")]);
    let folder = folder("readings", &[("a.sgf", cut), ("b.zip", &zip)]);
    let message = |how: &str, name: &str| {
        format!(
            "sgf: {name}: {name}.offsets: made {how}, so that its numbers may be those of other games; \
             the archive is searched instead\n"
        )
    };
    let (with, without) = (message("with --plain", "a.sgf"), message("without --plain", "a.sgf"));
    let exclude = message("without --exclude a.*", "b.zip");
    let (both, glob) =
        (message("with --plain and not with --charset GBK", "a.sgf"), message("with --glob *.txt", "b.zip"));
    for (index, cat, expected) in [
        (&["a.sgf"][..], &["a.sgf#3"][..], ""),
        (&["a.sgf", "--plain"], &["a.sgf#3"], &with),
        (&["a.sgf", "--plain"], &["a.sgf#1", "--plain"], ""),
        (&["a.sgf"], &["a.sgf#1", "--plain"], &without),
        (&["a.sgf", "--plain"], &["a.sgf#3", "--charset", "gbk"], &both),
        (&["a.sgf", "--glob", "*.txt"], &["a.sgf#3"], ""),
        (&["b.zip", "--glob", "*.txt"], &["b.zip#2"], &glob),
        (&["b.zip", "--glob", "*.txt"], &["b.zip#1", "--glob", "*.txt"], ""),
        (&["b.zip"], &["b.zip#1", "--exclude", "a.*"], &exclude),
        (&["a.sgf"], &["a.sgf#3", "--glob", "*.txt"], ""),
        (&["b.zip"], &["b.zip#2"], ""),
    ] {
        let cat = [&["cat"], cat].concat();
        let _ = fs::remove_file(folder.join("a.sgf.offsets"));
        let _ = fs::remove_file(folder.join("b.zip.offsets"));
        let searched = run(&folder, &cat);
        ok(&run(&folder, &[&["index", "--offsets"], index].concat()));
        let found = run(&folder, &cat);
        assert_eq!(text(&found.stdout), ok(&searched), "{index:?} {cat:?}");
        assert_eq!((text(&found.stderr), found.status.code()), (expected, Some(0)), "{index:?} {cat:?}");
    }
    fs::remove_file(folder.join("b.zip.offsets")).unwrap();
    assert_eq!(ok(&run(&folder, &["cat", "b.zip#1", "--glob", "*.txt"])), "(;PB[t])\n");
}

#[test]
fn a_sidecar_never_overwrites_another_file() {
    let folder = folder("no-sidecar", &[("a.sgf", b"(;PB[a])"), ("a.sgf.offsets", b"notes")]);
    let message = "sgf: a.sgf: a.sgf.offsets is there, and it is no sidecar: it is not written over\n";
    fails(&run(&folder, &["index", "--offsets", "a.sgf"]), 2, message);
    assert_eq!(fs::read(folder.join("a.sgf.offsets")).unwrap(), b"notes");
    let output = run(&folder, &["cat", "a.sgf#1"]);
    fails(&output, 0, "a.sgf.offsets: no sidecar, but something else of that name; the archive is searched instead\n");
    assert_eq!(text(&output.stdout), "(;PB[a])\n");
    // A sidecar of any version may be replaced.
    fs::write(folder.join("a.sgf.offsets"), b"SGFoffs1").unwrap();
    fails(
        &run(&folder, &["cat", "a.sgf#1"]),
        0,
        "a.sgf.offsets: damaged, or of another version: rebuild it; the archive is searched instead",
    );
    ok(&run(&folder, &["index", "--offsets", "a.sgf"]));
    let output = run(&folder, &["cat", "a.sgf#1"]);
    assert_eq!((ok(&output), text(&output.stderr)), ("(;PB[a])\n", ""));
}

#[test]
fn an_archive_with_a_long_name_has_a_sidecar() {
    let long = format!("{}.sgf", "a".repeat(243));
    let folder = folder("long-sidecar", &[(&long, b"(;PB[a])")]);
    ok(&run(&folder, &["index", "--offsets", &long]));
    assert_eq!(ok(&run(&folder, &["cat", &format!("{long}#1")])), "(;PB[a])\n");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "a temporary file is left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_sidecar_that_cannot_be_written_is_reported() {
    let long = format!("{}.sgf", "a".repeat(250));
    let folder = folder("unwritten-sidecar", &[(&long, b"(;PB[a])"), ("b.sgf", &games(0..100))]);
    let output = run(&folder, &["index", "--offsets", &long]);
    let message = format!("sgf: {long}: its sidecar can't be written: File name too long\n");
    assert_eq!((text(&output.stderr), output.status.code()), (message.as_str(), Some(2)));
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" index --offsets b.sgf"]).arg(sgf().get_program());
    let output = limited.current_dir(&folder).output().unwrap();
    let message = "sgf: b.sgf: its sidecar can't be written: File too large\n";
    assert_eq!((text(&output.stderr), output.status.code()), (message, Some(2)));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "a temporary file is left");
}

/// By length and time the archive is unchanged, but some bytes in its middle are damaged.
#[test]
fn a_damaged_member_costs_no_later_member() {
    let mut rng = Rng::new(1);
    let mut game = |name: &str| {
        let text: String = (0..12_000).map(|_| char::from(b'a' + rng.below(16) as u8)).collect();
        format!("(;PB[{name}]C[{text}])")
    };
    let games = ["a", "b", "c", "d"].map(&mut game);
    let second = games[1].clone() + &games[2];
    let zip =
        pack("zip", &[("a.sgf", games[0].as_bytes()), ("b.sgf", second.as_bytes()), ("d.sgf", games[3].as_bytes())]);
    let folder = folder("damaged-member", &[("a.zip", &zip)]);
    ok(&run(&folder, &["index", "--offsets", "a.zip"]));
    let path = folder.join("a.zip");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let mut wrong = zip.clone();
    let middle = wrong.len() / 2;
    wrong[middle..middle + 64].fill(0xFF);
    fs::write(&path, wrong).unwrap();
    fs::File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
    let output = run(&folder, &["cat", "a.zip#1..4"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("sgf: a.zip!b.sgf: ") && text(&output.stderr).lines().count() == 1);
    let found: Vec<&str> = text(&output.stdout).lines().map(|line| &line[..7]).collect();
    assert!(found.first() == Some(&"(;PB[a]") && found.last() == Some(&"(;PB[d]"), "{found:?}");
    // No other game is printed instead.
    let output = run(&folder, &["cat", "a.zip#3"]);
    assert_eq!((text(&output.stdout), output.status.code()), ("", Some(2)));
}

#[test]
fn with_a_damaged_sidecar_the_archive_is_searched() {
    let folder = folder("damaged-entry", &[("a.sgf", b"(;PB[1])(;PB[2])(;PB[3])")]);
    ok(&run(&folder, &["index", "--offsets", "a.sgf"]));
    let mut sidecar = fs::read(folder.join("a.sgf.offsets")).unwrap();
    sidecar[64 + 40] ^= 1;
    fs::write(folder.join("a.sgf.offsets"), sidecar).unwrap();
    let output = run(&folder, &["cat", "a.sgf#1..3"]);
    assert_eq!(text(&output.stdout), "(;PB[1])\n(;PB[2])\n(;PB[3])\n");
    fails(&output, 0, "a.sgf.offsets: damaged");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_not_reported_as_an_error_of_the_archive() {
    let long = format!("(;C[{}])", "x".repeat(100_000));
    let folder = folder("full", &[("a.sgf", long.as_bytes()), ("b.zip", &pack("zip", &[("a.sgf", long.as_bytes())]))]);
    for is_there in [false, true] {
        for name in ["a.sgf", "b.zip"] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = sgf().current_dir(&folder).args(["cat", name]).stdout(full).output().unwrap();
            let message = "sgf: standard output: No space left on device\n";
            assert_eq!((text(&output.stderr), output.status.code()), (message, Some(2)), "{name} {is_there}");
        }
        ok(&run(&folder, &["index", "--offsets", "a.sgf", "b.zip"]));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_may_be_written_to() {
    let folder = folder("device", &[("a.sgf", b"(;PB[a])")]);
    let output = run(&folder, &["index", "a.sgf", "--format", "ndjson", "--to", "/dev/stdout"]);
    assert_eq!((ok(&output).lines().count(), text(&output.stderr)), (1, ""));
    ok(&run(&folder, &["index", "a.sgf", "--format", "parquet", "--to", "/dev/null"]));
    assert!(std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    for to in ["pipe", "/dev/null"] {
        let output = run(&folder, &["index", "a.sgf", "--format", "sqlite", "--to", to]);
        fails(&output, 2, "a database can't be written to a pipe or a device");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_ends_quietly_even_as_dev_stdout() {
    use std::io::Read as _;

    let folder = folder("closed-device", &[("a.sgf", &games(0..20_000))]);
    let ways: [&[&str]; 5] = [
        &["index", "--format", "csv"],
        &["index", "--format", "ndjson"],
        &["index", "--format", "parquet"],
        &["index", "--format", "arrow"],
        &["recode"],
    ];
    for way in ways {
        let mut child = sgf().current_dir(&folder).args(way).args(["a.sgf", "--to", "/dev/stdout"]).spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)), "{way:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_pipe_has_got_is_not_said_to_be_not_written() {
    use std::io::{Read as _, Write as _};
    use std::process::Stdio;

    crate::heed_ctrl_c();
    let folder = folder("interrupted-device", &[]);
    for way in [&["index", "--format", "ndjson"][..], &["recode"]] {
        let output = run(&folder, &[way, &["nowhere.sgf", "--to", "/dev/stdout"]].concat());
        let said = "sgf: nowhere.sgf: No such file or directory\n";
        assert_eq!((text(&output.stderr), output.status.code()), (said, Some(2)), "{way:?}");

        let mut command = sgf();
        command.current_dir(&folder).args(way).args(["--to", "/dev/stdout"]).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // More than is kept until it is enough to be written.
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(&games(0..5_000)).map(|()| stdin));
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        stdout.read_to_end(&mut Vec::new()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{way:?}");
        assert!(text(&output.stderr).starts_with("sgf: interrupted in -, at byte "), "{way:?}: {output:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{way:?}: {output:?}");
        drop(writer.join().unwrap());
    }
}

/// Once the first namesake was printed before the second was found.
#[test]
fn with_a_sidecar_members_of_the_same_name_are_printed_once_each() {
    let folder = folder("namesakes", &[]);
    let games = ["one", "two"].map(|name| format!("(;GM[1]PB[{name}]C[{}])", "x".repeat(300)));
    let members = games.each_ref().map(|game| ("a.sgf", game.as_bytes()));
    fs::write(folder.join("a.zip"), zip(&members, rawzip::CompressionMethod::DEFLATE)).unwrap();
    ok(&run(&folder, &["index", "--offsets", "a.zip"]));
    for (number, game) in ["a.zip#1", "a.zip#2"].iter().zip(&games) {
        assert_eq!(String::from_utf8_lossy(&run(&folder, &["cat", number]).stdout), format!("{game}\n"), "{number}");
    }
    let all = run(&folder, &["cat", "a.zip#1..2"]).stdout;
    assert_eq!(String::from_utf8_lossy(&all), games.map(|game| game + "\n").concat());
}

#[test]
fn a_sidecar_does_not_change_the_line_ends_of_utf_16_games() {
    let folder = folder("wide-games", &[]);
    let text = "(;PB[x])(;PB[y])(;PB[z])";
    let bytes: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    fs::write(folder.join("a.sgf"), bytes).unwrap();
    let without = run(&folder, &["cat", "a.sgf#1..3"]).stdout;
    ok(&run(&folder, &["index", "--offsets", "a.sgf"]));
    assert_eq!(run(&folder, &["cat", "a.sgf#1..3"]).stdout, without);
    assert_eq!(without.len(), 2 * (text.len() + 3));
}

/// SQLite would leave a log beside it that may only be read either, also once the database may be written to.
#[cfg(unix)]
#[test]
fn a_database_that_may_only_be_read_is_refused_and_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("read_only", &[("a.sgf", GAMES), ("b.sgf", b"(;PB[b])")]);
    ok(&run(&folder, &["index", "a.sgf", "--to", "games.sqlite"]));
    let path = folder.join("games.sqlite");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let mut command = sgf();
    command.current_dir(&folder).args(["index", "b.sgf", "--to", "games.sqlite"]);
    let Some(output) = command::without_permission(&mut command, &path) else { return };
    let said = "sgf: games.sqlite: Permission denied\n";
    assert_eq!((text(&output.stderr), output.status.code()), (said, Some(2)));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "something is left beside it");
}
