//! `sgf list` and `sgf find`, run as programs.

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::archives::{compress, pack};
use crate::command::{self, assert_quiet, feed_pieces, native, no_file, run, sgf};
use crate::rng::Rng;

/// Three games in one file, with junk between them and the last one unclosed.
const GAMES: &[u8] = b"junk\n(;GM[1]SZ[19]PB[Cho Chikun]PW[Kobayashi]RE[B+R]DT[1985-03-01]KM[5.5];B[pd];W[dd])\n\
    (;SZ[9]PB[Kato & CHO]RE[W+3.5]EV[a, \"b\"](;B[aa];W[bb];B[cc])(;B[dd]C[x]))\r\n\
    (;PB[\xE8\xB6\x99\xE6\xB2\xBB\xE5\x8B\xB2]RE[Draw]DT[1990]";

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("cli_list", name, files)
}

/// Feeds the input in pieces, so that a game comes in several chunks.
fn run_with_input(args: &[&str], input: &[u8], piece: usize) -> Output {
    feed_pieces(sgf().args(args), input, piece)
}

#[track_caller]
fn text(output: &Output, code: i32) -> String {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn find(args: &[&str]) -> Vec<u64> {
    let mut all = vec!["find", "--format", "json", "--columns", "game"];
    all.extend(args);
    let output = run_with_input(&all, GAMES, 64);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = String::from_utf8(output.stdout).unwrap();
    let games: Vec<u64> =
        rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["game"].as_u64().unwrap()).collect();
    assert_eq!(output.status.code(), Some(i32::from(games.is_empty())), "{args:?}");
    games
}

#[test]
fn a_row_for_each_game_of_each_file() {
    let folder = folder("rows", &[("b.sgf", GAMES), ("a/x.sgf", b"(;PB[x])"), ("c.sgf", b"")]);
    let found = text(&run(&folder, &["list", "--columns", "file,game,black,size", "."]), 0);
    assert_eq!(
        found,
        native(
            "file,game,black,size\n./a/x.sgf,1,x,19\n./b.sgf,1,Cho Chikun,19\n./b.sgf,2,Kato & CHO,9\n./b.sgf,3,\u{8D99}治勲,19\n"
        )
    );
}

#[test]
fn dates_are_compared_by_what_they_mean() {
    let texts = [
        "5th March 1996",
        "1996/3/7",
        "1996-02-28,03-01",
        "1996-03-05,06",
        "1996-03-05~07",
        "1996-03",
        "1996",
        "about 1996-03-06 or so, I guess",
        "Spring, 04-03-05",
        "1997-03-06",
    ];
    let games: String = texts.iter().flat_map(|text| ["(;DT[", text, "])\n"]).collect();
    for (wanted, expected) in [
        ("1996-03", &[1, 2, 3, 4, 5, 6, 8][..]),
        ("1996-03-06", &[4, 5, 8]),
        ("1996", &[1, 2, 3, 4, 5, 6, 7, 8]),
        ("1996-02", &[3]),
        ("1996-3", &[1, 2, 3, 4, 5, 6, 8]),
        ("1996/3/6", &[4, 5, 8]),
        ("1996-03-06..1996-03", &[2, 4, 5, 8]),
        ("1997..", &[10]),
        ("..1996-02", &[3]),
        ("1990..1999", &[1, 2, 3, 4, 5, 6, 7, 8, 10]),
        // Anything else is text.
        ("MARCH", &[1]),
        ("03-0", &[3, 4, 5, 8, 9, 10]),
    ] {
        let args = ["find", "--columns", "game", "--date", wanted];
        let found = String::from_utf8(run_with_input(&args, games.as_bytes(), 64).stdout).unwrap();
        let found: Vec<usize> = found.lines().skip(1).map(|line| line.parse().unwrap()).collect();
        assert_eq!(found, expected, "{wanted}");
    }
    let args = ["find", "--count", "--date", "1996-03", "--date", "1996-03-06"];
    assert_eq!(text(&run_with_input(&args, games.as_bytes(), 64), 0), "7\n", "one of them has to be met");
}

#[test]
fn cells_of_tsv_can_be_read_back() {
    let folder = folder("tsv", &[("a.sgf", b"(;PB[a\\\\tb]PW[C:\\\\new])")]);
    let output = run(&folder, &["list", "a.sgf", "--columns", "black,white", "--format", "tsv"]);
    assert_eq!(text(&output, 0), "black\twhite\na\\\\tb\tC:\\\\new\n");
}

#[test]
fn every_format_has_the_same_cells() {
    let folder = folder("formats", &[("a.sgf", GAMES)]);
    let args = |format| ["list", "a.sgf", "--columns", "white,event,komi,moves,member", "--format", format];
    assert_eq!(
        text(&run(&folder, &args("csv")), 0),
        "white,event,komi,moves,member\nKobayashi,,5.5,2,\n,\"a, \"\"b\"\"\",,3,\n,,,0,\n"
    );
    assert_eq!(
        text(&run(&folder, &args("tsv")), 0),
        "white\tevent\tkomi\tmoves\tmember\nKobayashi\t\t5.5\t2\t\n\ta, \"b\"\t\t3\t\n\t\t\t0\t\n"
    );
    let json = text(&run(&folder, &args("json")), 0);
    assert_eq!(
        json.lines().next().unwrap(),
        r#"{"white":"Kobayashi","event":null,"komi":5.5,"moves":2,"member":null}"#
    );
    assert_eq!(
        text(&run(&folder, &args("table")), 0),
        "white      event   komi  moves  member\n\
         Kobayashi           5.5      2\n           a, \"b\"            3\n                             0\n"
    );
}

#[test]
fn without_columns_all_header_columns_are_listed() {
    let found = text(&run_with_input(&["list", "--format", "json"], GAMES, 7), 0);
    let rows: Vec<Value> = found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["file"], "-");
    assert_eq!((&rows[1]["offset"], &rows[1]["length"]), (&Value::from(87), &Value::from(73)));
    assert_eq!((&rows[1]["winner"], &rows[1]["margin"]), (&Value::from("W"), &Value::from(3.5)));
    assert_eq!(rows[2]["year"], 1990);
    assert!(rows[0].get("moves").is_none());
}

#[test]
fn tables_escape_control_characters() {
    let output = run_with_input(&["list", "--format", "table", "--columns", "black"], b"(;PB[\x1B[31mred\x9B])", 99);
    let found = text(&output, 0);
    assert!(!found.contains('\x1B') && found.contains(r"\u{1b}[31mred"), "{found}");
}

#[test]
fn conditions_select_games() {
    let cases: [(&[&str], &[u64]); 36] = [
        (&[], &[1, 2, 3]),
        (&["--player", "cho"], &[1, 2]),
        (&["--player", "cho", "--player", "kato"], &[2]),
        (&["--player", "\u{8D99}"], &[3]),
        (&["--white", "KOBA"], &[1]),
        (&["--year", "1985..1989"], &[1]),
        (&["--year", "1986.."], &[3]),
        (&["--result", "B+R"], &[1]),
        (&["--result", "W+"], &[2]),
        (&["--result", "0"], &[3]),
        (&["--winner", "draw"], &[3]),
        (&["--size", "19"], &[1, 3]),
        (&["--moves", "..2"], &[1, 3]),
        (&["--moves", "3", "--comments", "1"], &[2]),
        (&["--variations", "1.."], &[2]),
        (&["--limit", "1"], &[1]),
        (&["--length", "73"], &[2]),
        (&["--player", "nobody"], &[]),
        (&["--in-charset", "utf8"], &[1, 2, 3]),
        (&["--in-charset", "cp936"], &[]),
        // The values of one option are alternatives.
        (&["--size", "9", "--size", "13"], &[2]),
        (&["--size", "9", "--size", "19:19"], &[1, 2, 3]),
        (&["--result", "B+R", "--result", "W+"], &[1, 2]),
        (&["--winner", "B", "--winner", "draw"], &[1, 3]),
        (&["--game", "1", "--game", "3"], &[1, 3]),
        (&["--date", "1985", "--date", "1990", "--black", "cho"], &[1]),
        (&["--year", "1985..", "--year", "..1989"], &[1, 3]),
        (&["--year", "1985..1989", "--year", "1989..", "--year", "2000"], &[1, 3]),
        (&["--result", "W+", "--result", "W+R"], &[2]),
        (&["--white", "koba", "--white", "nobody"], &[1]),
        (&["--komi", "none"], &[2, 3]),
        (&["--komi", "none", "--komi", "5.5"], &[1, 2, 3]),
        (&["--event", "NONE", "--size", "19"], &[1, 3]),
        (&["--date", "none"], &[2]),
        (&["--gm", "go"], &[1, 2, 3]),
        (&["--gm", "Hex", "--gm", "2..3"], &[]),
    ];
    for (args, games) in cases {
        assert_eq!(find(args), games, "{args:?}");
    }
}

#[test]
fn games_are_found_by_the_names_that_scan_prints() {
    let games = b"(;GM[11]SZ[11])(;GM[Blokus Duo])(;GM[2])(;GM[Hex])(;GM[Fanorona])(;GM[y])(;GM[hex_11x11])(;GM[5.5])";
    for (args, expected) in [
        (&["--gm", "HEX"][..], "1\n4\n7\n"),
        (&["--gm", "fanorona"], "5\n"),
        (&["--gm", "Y", "--gm", "go"], "6\n"),
        (&["--gm", "blokus duo"], "2\n"),
        (&["--gm", "Blokus Duo", "--gm", "othello"], "2\n3\n"),
    ] {
        let all = [&["find", "--columns", "game", "--no-header"], args].concat();
        assert_eq!(text(&run_with_input(&all, games, 64), 0), expected, "{args:?}");
    }
    // One that no game has is found nowhere.
    assert_eq!(run_with_input(&["find", "--gm", "Hexx"], games, 64).status.code(), Some(1));
}

#[test]
fn games_are_found_by_what_is_typed_in_their_headers() {
    let games = "(;RE[W+R]DT[1996-03]BR[2k]GN[Final])(;RE[흑 불계승]DT[12th march 94]BR[3d])(;RE[B+T]WR[P9段])(;RE[?])";
    for (args, expected) in [
        (&["--ending", "resign"][..], "1\n2\n"),
        (&["--ending", "time", "--ending", "UNKNOWN"], "3\n4\n"),
        (&["--ending", "none", "--ending", "time"], "3\n"),
        (&["--black-level", "-1.."], "1\n2\n"),
        (&["--black-level", "1.."], "2\n"),
        (&["--white-level", "109"], "3\n"),
        (&["--date-from", "..1995"], "2\n"),
        (&["--date-to", "1996-03-31"], "1\n"),
        (&["--game-name", "final"], "1\n"),
    ] {
        let all = [&["find", "--columns", "game", "--no-header"], args].concat();
        assert_eq!(text(&run_with_input(&all, games.as_bytes(), 64), 0), expected, "{args:?}");
    }
}

/// Some have more than two, and no colours.
#[test]
fn all_players_are_in_a_column() {
    let games = b"(;GM[Blokus]P1[Ann]P2[Bo]P3[Cy]P4[Di])(;GM[27]P0[id \"ann\"]P1[id \"bo\"])(;PB[A]PW[B]BT[ ]\
        ;B[aa];W[bb]PW[C];B[cc]PB[A])(;)";
    let output = run_with_input(&["list", "--columns", "players"], games, 64);
    assert_eq!(text(&output, 0), "players\nAnn; Bo; Cy; Di\nann; bo\nA; B; C\n\"\"\n");
    let output = run_with_input(&["list"], games, 64);
    assert!(!text(&output, 0).contains("players"));
}

#[test]
fn the_names_of_the_columns_can_be_left_out() {
    let columns = ["list", "--columns", "game,black", "--no-header"];
    for (format, expected) in [("csv", "1,x\n"), ("tsv", "1\tx\n"), ("table", "1  x\n")] {
        let args = [&columns[..], &["--format", format]].concat();
        assert_eq!(text(&run_with_input(&args, b"(;PB[x])", 99), 0), expected, "{format}");
    }
}

#[test]
fn json_has_the_name_that_it_has_in_an_index_too() {
    for format in ["json", "ndjson", "jsonl"] {
        let args = ["list", "--columns", "black", "--format", format];
        assert_eq!(text(&run_with_input(&args, b"(;PB[x])", 99), 0), "{\"black\":\"x\"}\n");
        #[cfg(feature = "index")]
        assert!(
            text(&run_with_input(&["index", "--to", "-", "--format", format], b"(;PB[x])", 99), 0).contains("\"x\"")
        );
    }
}

/// Without a condition every game is found, and the name of a player is taken for that of a file.
#[test]
fn a_name_of_no_file_may_be_that_of_a_player() {
    let root = folder("player", &[("d/a.sgf", b"(;PB[Cho])")]);
    let missing = no_file();
    for (args, said) in [
        (&["find", "cho", "d"][..], format!("sgf: cho: {missing} (to look for a player: --player cho)\n")),
        (&["find", "cho chikun"], format!("sgf: cho chikun: {missing} (to look for a player: --player NAME)\n")),
        (&["find", "cho", "--size", "19", "d"], format!("sgf: cho: {missing}\n")),
        (&["find", "cho.sgf"], format!("sgf: cho.sgf: {missing}\n")),
        (&["list", "cho"], format!("sgf: cho: {missing}\n")),
    ] {
        let output = run(&root, args);
        assert_eq!((command::text(&output.stderr), output.status.code()), (&*said, Some(2)), "{args:?}");
    }
}

#[test]
fn a_json_object_has_each_key_once() {
    let columns = ["list", "--columns", "game,black,game"];
    let found = run_with_input(&[&columns[..], &["--json"]].concat(), b"(;PB[x])", 99);
    assert_eq!(text(&found, 0), "{\"game\":1,\"black\":\"x\"}\n");
    assert_eq!(text(&run_with_input(&columns, b"(;PB[x])", 99), 0), "game,black,game\n1,x,1\n");
}

#[test]
fn what_has_no_game_in_it_is_noted() {
    let page: &[u8] = b"<html>404</html>";
    let inside = pack("zip", &[("a.sgf", b"(;PB[a])"), ("e.sgf", page)]);
    let files = [("404.sgf", page), ("a.sgf", b"(;PB[a])"), ("empty.sgf", b""), ("z.zip", &inside[..])];
    let root = folder("without", &files);
    let said = native("sgf: ./404.sgf: no game in it\nsgf: ./z.zip!e.sgf: no game in it\n");
    for args in [
        &["list", "."][..],
        &["list", ".", "--threads", "2", "--block-len", "3"],
        &["find", "--count", "--player", "a", "."],
        &["recode", "."],
    ] {
        let output = run(&root, args);
        assert_eq!((command::text(&output.stderr), output.status.code()), (&*said, Some(0)), "{args:?}");
        assert_quiet(&run(&root, &[args, &["--quiet"]].concat()));
    }
    let output = run(&root, &["split", "--ranges", "2", "404.sgf"]);
    assert_eq!((command::text(&output.stderr), output.status.code()), ("sgf: 404.sgf: no game in it\n", Some(0)));
    assert_quiet(&run(&root, &["split", "--ranges", "2", "a.sgf"]));
    assert_quiet(&run(&root, &["scan", "."]));
    // Enough of a game for several parts, and none of it in the last.
    let long = [&b"(;PB[a])"[..], &b" ".repeat(5_000)].concat();
    assert_quiet(&feed_pieces(sgf().args(["list", "--threads", "2", "--block-len", "64"]), &long, 64));
}

#[test]
fn that_many_files_have_no_game_is_noted_in_a_line() {
    let names: Vec<_> = (10..40).map(|number| format!("{number}.sgf")).collect();
    let files: Vec<_> = names.iter().map(|name| (&**name, &b"none"[..])).collect();
    for command in ["list", "recode"] {
        let output = run(&folder("many", &files), &[command, "."]);
        let said: Vec<_> = command::text(&output.stderr).lines().collect();
        assert_eq!((said.len(), said[9]), (11, &*native("sgf: ./19.sgf: no game in it")), "{command}");
        assert_eq!(said[10], "sgf: 20 more without a game");
    }
}

#[test]
fn count_prints_only_the_number() {
    assert_eq!(text(&run_with_input(&["find", "--count", "--player", "cho"], GAMES, 999), 0), "2\n");
    assert_eq!(text(&run_with_input(&["find", "--count", "--player", "none"], GAMES, 999), 1), "0\n");
}

#[test]
fn games_are_printed_byte_for_byte() {
    let wide = [b"( ".repeat(300_000), b"\n ;C[".to_vec(), b"x\\]".repeat(2_000_000), b"]PB[cho])".to_vec()].concat();
    let game = &wide[wide.windows(5).position(|it| it == b"( \n ;").unwrap()..];
    for piece in [1, 50, 10_000] {
        let found = text(&run_with_input(&["find", "--sgf", "--result", "W+"], GAMES, piece), 0);
        assert_eq!(found.as_bytes(), &[&GAMES[87..160], b"\n"].concat());
        let found = text(&run_with_input(&["find", "--sgf", "--player", "cho", "--limit", "2"], GAMES, piece), 0);
        assert_eq!(found.as_bytes(), &[&GAMES[5..86], b"\n", &GAMES[87..160], b"\n"].concat());
    }
    let found = run_with_input(&["find", "--sgf", "--player", "cho"], &wide, 100_000);
    assert!(found.stdout == [game, b"\n"].concat(), "{} bytes", found.stdout.len());
}

/// A game inside a truncated one is recognised only some bytes after its beginning.
#[test]
fn a_game_after_a_truncated_one_is_printed_byte_for_byte() {
    let input = b"(;FF[4]GM[1];B[a\n(;FF[4]GM[1]PB[cho])";
    for piece in [1, 5, 100] {
        let found = feed_pieces(sgf().args(["find", "--sgf", "--block-len", &piece.to_string()]), input, piece);
        assert_eq!(text(&found, 0), "(;FF[4]GM[1];B[a\n\n(;FF[4]GM[1]PB[cho])\n");
    }
}

/// Whoever is handed half a game must hear of it, although what tells that it is half of one lies behind it.
#[test]
fn an_archive_cut_off_in_the_last_wanted_game_is_reported() {
    let mut rng = Rng::new(1);
    let mut letter = || char::from(b'a' + rng.below(26) as u8);
    let games: Vec<_> =
        (0..200).map(|_| format!("(;C[{}])\n", (0..200).map(|_| letter()).collect::<String>())).collect();
    let packed = compress("gz", games.concat().as_bytes());
    let whole = pack("tar", &[("b.sgf", b"(;PB[b])")]);
    let root = folder("cut", &[("cut.sgf.gz", &packed[..packed.len() / 2]), ("b.tar", &whole), ("c.sgf", b"(;PB[c])")]);
    let rows = run(&root, &["list", "--columns", "game", "cut.sgf.gz"]);
    let last = command::text(&rows.stdout).lines().count() - 1;
    let (half, before) = (format!("cut.sgf.gz#{last}"), format!("cut.sgf.gz#{}", last - 1));
    let (limit, fewer) = (last.to_string(), (last - 1).to_string());
    let failed = |args: &[&str]| {
        let output = run(&root, args);
        let errors = command::text(&output.stderr);
        assert!(errors.starts_with("sgf: cut.sgf.gz: ") && errors.lines().count() == 1, "{args:?}: {errors}");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        output.stdout
    };
    let printed = failed(&["cat", &half]);
    assert!(!command::text(&printed).trim_end().ends_with(')'), "the cut lies between two games");
    assert_eq!(failed(&["cat", "-q", &half, "c.sgf#1"]), [&printed[..], b"(;PB[c])\n"].concat());
    assert_quiet(&run(&root, &["cat", &before]));
    for threads in ["1", "2"] {
        for block in ["64", "300000"] {
            let find = ["find", "--sgf", "--threads", threads, "--block-len", block, "--limit"];
            // What comes after it is not read for it.
            let found = failed(&[&find[..], &[&limit, "cut.sgf.gz", "b.tar", "c.sgf"]].concat());
            assert!(found.ends_with(&printed) && command::text(&found).matches("(;").count() == last);
            assert_quiet(&run(&root, &[&find[..], &[&fewer, "cut.sgf.gz"]].concat()));
        }
    }
}

/// It is followed by another, and nothing more is needed to know that.
#[test]
fn a_game_that_the_next_one_cuts_off_may_be_the_last_wanted_one() {
    let root = folder("truncated", &[("a.sgf", b"(;FF[4]GM[1];B[a\n(;FF[4]GM[1]PB[cho])")]);
    let half = "(;FF[4]GM[1];B[a\n\n";
    assert_eq!(text(&run(&root, &["cat", "a.sgf#1"]), 0), half);
    assert_eq!(text(&run(&root, &["find", "--sgf", "--limit", "1", "a.sgf"]), 0), half);
}

/// `cat` says how many games there are, whether it prints some of those that are wanted or none.
#[test]
fn a_range_that_goes_beyond_the_last_game_is_told() {
    let zip = pack("zip", &[("a.sgf", b"(;PB[a])(;PB[b])"), ("b.sgf", b"(;PB[c])")]);
    let files: [(&str, &[u8]); 3] = [("a.sgf", b"(;PB[a])(;PB[b])"), ("b.sgf", b"(;PB[c])"), ("z.zip", &zip)];
    let root = folder("beyond", &files);
    for has_sidecars in [false, cfg!(feature = "index")] {
        if has_sidecars {
            assert_quiet(&run(&root, &["index", "--offsets", "."]));
        }
        for (name, found, said, code) in [
            ("a.sgf#2..9", "(;PB[b])\n", "sgf: a.sgf: no game 9: there are 2\n", 0),
            ("a.sgf#2..", "(;PB[b])\n", "", 0),
            ("a.sgf#1..2", "(;PB[a])\n(;PB[b])\n", "", 0),
            ("a.sgf#3", "", "sgf: a.sgf: no game 3: there are 2\n", 1),
            ("b.sgf#3..", "", "sgf: b.sgf: no game 3 or later: there is 1\n", 1),
            ("z.zip#3..4", "(;PB[c])\n", "sgf: z.zip: no game 4: there are 3\n", 0),
            ("z.zip!a.sgf#2..4", "(;PB[b])\n", "sgf: z.zip!a.sgf: no game 4: there are 2\n", 0),
            ("z.zip!c.sgf#2", "", "sgf: z.zip: no such SGF member: c.sgf\n", 2),
        ] {
            let output = run(&root, &["cat", name]);
            let seen = (command::text(&output.stdout), command::text(&output.stderr), output.status.code());
            assert_eq!(seen, (found, said, Some(code)), "{name}");
        }
    }
}

#[test]
fn games_in_utf_16_among_others_are_warned_of_once() {
    let wide: Vec<u8> = "\u{FEFF}(;PB[x])(;PB[y])".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let root = folder("mixture", &[("a.sgf", b"(;PB[a])"), ("b.sgf", &wide), ("c.sgf", b"(;PB[c])")]);
    let warning = "sgf: b.sgf: games in UTF-16 or UTF-32 can't be read together with others: recode them first\n";
    for args in [&["find", "--sgf"][..], &["cat"]] {
        let output = run(&root, &[args, &["a.sgf", "b.sgf", "c.sgf"]].concat());
        assert_eq!((command::text(&output.stderr), output.status.code()), (warning, Some(0)), "{args:?}");
        assert_quiet(&run(&root, &[args, &["b.sgf"]].concat()));
        assert_quiet(&run(&root, &[args, &["a.sgf", "c.sgf"]].concat()));
        assert_quiet(&run(&root, &[args, &["-q", "a.sgf", "b.sgf"]].concat()));
    }
}

/// What cut it off in its own file does not come behind it here.
#[test]
fn a_game_that_is_not_closed_is_warned_of_before_another() {
    let files: [(&str, &[u8]); 3] =
        [("1.sgf", b"(;B[aa];W[bb]"), ("2.sgf", b"(;SZ[9])(;SZ[9]B[cc"), ("3.sgf", b"(;B[ff])")];
    let root = folder("seam", &files);
    let warning = "sgf: 1.sgf: game 1 is not closed: what follows may be read as part of it\n";
    for args in [&["find", "--sgf"][..], &["cat"], &["recode"]] {
        let output = run(&root, &[args, &["1.sgf", "2.sgf", "3.sgf"]].concat());
        assert_eq!((command::text(&output.stderr), output.status.code()), (warning, Some(0)), "{args:?}");
        assert_quiet(&run(&root, &[args, &["3.sgf", "1.sgf"]].concat()));
        let output = run(&root, &[args, &["-q", "1.sgf", "3.sgf"]].concat());
        assert_quiet(&output);
    }
    let warning = "sgf: 2.sgf: game 2 is not closed: what follows may be read as part of it\n";
    let output = run(&root, &["find", "--sgf", "2.sgf", "3.sgf"]);
    assert_eq!(command::text(&output.stderr), warning);
    // In one file it was cut off by the next one, and is here too.
    let root = folder("no_seam", &[("a.sgf", b"(;FF[4]GM[1];B[a\n(;FF[4]GM[1]PB[cho])(;FF[4]GM[1])")]);
    assert_quiet(&run(&root, &["find", "--sgf", "a.sgf"]));
    assert_quiet(&run(&root, &["cat", "a.sgf"]));
    let output = run(&root, &["cat", "a.sgf#1", "a.sgf#3"]);
    assert!(command::text(&output.stderr).starts_with("sgf: a.sgf: game 1 is not closed"), "{output:?}");
    #[cfg(feature = "index")]
    {
        assert_quiet(&run(&root, &["index", "--offsets", "a.sgf"]));
        assert_quiet(&run(&root, &["cat", "a.sgf"]));
        let output = run(&root, &["cat", "a.sgf#1", "a.sgf#3"]);
        assert!(command::text(&output.stderr).starts_with("sgf: a.sgf: game 1 is not closed"), "{output:?}");
    }
}

#[test]
fn duplicates_are_dropped() {
    let game = |number: usize| {
        let letter = |it: usize| char::from(b'a' + it as u8);
        let moves: Vec<_> = (0..80).map(|i| format!(";B[{}{}]", letter((i + number) % 19), letter(i / 19))).collect();
        format!("(;{})", moves.concat())
    };
    let short = "(;B[aa];W[bb])(;W[aa])(;C[again]B[aa];W[bb](;B[cc]))(;B[aa]C[one];W[bb])(;PB[a])(;PB[b])";
    let input = [game(0), game(1), game(0), short.to_owned()].concat();
    let output = run_with_input(&["find", "--unique", "--columns", "game", "--format", "tsv"], input.as_bytes(), 4096);
    assert_eq!(text(&output, 0), "game\n1\n2\n4\n5\n6\n8\n9\n");
}

#[test]
fn a_missing_file_is_reported_and_the_others_are_read() {
    let folder = folder("missing", &[("a.sgf", b"(;PB[x])")]);
    let output = run(&folder, &["find", "nothing.sgf", "a.sgf", "--columns", "black", "--limit", "1"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "black\nx\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing.sgf"));
}

#[test]
fn unknown_columns_and_wrong_ranges_are_reported() {
    for (args, why) in [
        (["list", "--columns", "blak"], "there is no such column"),
        (["find", "--year", "1995..1985"], "the range ends before it begins"),
        (["find", "--in-charset", "klingon"], "Shift_JIS"),
        (["find", "--in-charset", "us-ascii"], "counts as UTF-8"),
        (["find", "--moves", "many"], "neither a number nor a range"),
        (["find", "--gm", "11x"], "nor the name of a game such as Hex"),
        (["find", "--date", "1996-13"], "neither a date such as"),
        (["find", "--date-from", "in May"], "neither a date such as"),
        (["find", "--ending", "over"], "a game ends by points, "),
        (["find", "--date", ">=1996"], "nor a range such as 1990..1999"),
        (["find", "--date", ".."], "neither a date such as"),
        (["find", "--date", "abc..def"], "neither a date such as"),
        (["find", "--date", "1999..1990"], "the range ends before it begins"),
        (["scan", "--archive-memory", "192M"], "expected a whole number of at least 1"),
        (["scan", "--archive-memory", "1048577"], "at most 1048576"),
        (["find", "--size", "many"], "a size is a number such as 19"),
        (["find", "--limit", "0"], "expected a whole number of at least 1"),
        (["find", "--limit", "many"], "expected a whole number of at least 1"),
        (["find", "--limit", "99999999999999999999"], "too large a number"),
    ] {
        let output = run_with_input(&args, b"", 1);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains(why), "{args:?}");
    }
}

/// A game of the 1990s is of no year that anybody knows, but of days between two.
#[test]
fn a_decade_has_days_and_no_year() {
    let games = b"(;DT[1990s])(;DT[19??])(;DT[1990])";
    let columns = "year,date_from,date_to";
    let listed = run_with_input(&["list", "--columns", columns, "--format", "csv", "--no-header"], games, 64);
    assert_eq!(text(&listed, 0), ",1990-01-01,1999-12-31\n,1900-01-01,1999-12-31\n1990,1990-01-01,1990-12-31\n");
    for (args, expected) in [(["--year", "1900..1990"], "3\n"), (["--date-from", "1990.."], "1\n3\n")] {
        let all = [&["find", "--columns", "game", "--no-header"], &args[..]].concat();
        assert_eq!(text(&run_with_input(&all, games, 64), 0), expected, "{args:?}");
    }
}
