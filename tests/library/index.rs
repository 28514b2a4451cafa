//! What sinks keep of the rows they are given.

use std::fs;
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use rusqlite::Connection;
use serde_json::Value;
use sgf_stream::index::{
    Arrow, Catalog, Csv, Details, Error, FileEnd, FileSink, Flushed, Known, Ndjson, Offsets, OffsetsWriter, Parquet,
    Sink, Sqlite, SqliteOptions, Stamp, sidecar,
};
use sgf_stream::record::{Column, ColumnKind, GameRecord, Recorder, Row, Signature};

use crate::support::scratch;

#[track_caller]
fn file(name: &str) -> PathBuf {
    let path = scratch::own("index", name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn a_catalog_is_only_of_an_index() {
    let path = file("no_catalog.sqlite");
    assert!(Catalog::open(&path).is_err());
    assert!(!path.exists(), "it was created");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine(x)").unwrap();
    let error = Catalog::open(&path).unwrap_err();
    assert!(matches!(&error, Error::Unusable(reason) if reason == "it is a database of something else"), "{error}");
}

/// A line has as many cells as the first line has names.
#[test]
fn csv_may_have_details_and_no_columns() {
    let mut details = Details::default();
    details.moves = true;
    for (columns, expected) in
        [(&[][..], "move_list,setup_list\n;B[aa],\n"), (&[Column::Black], "black,move_list,setup_list\n,;B[aa],\n")]
    {
        let mut sink = Csv::new(Flushed(Vec::new())).columns(columns.iter().copied()).details(details);
        give(&mut sink, "a", b"(;B[aa])");
        sink.finish().unwrap();
        assert_eq!(String::from_utf8(sink.into_inner().0).unwrap(), expected);
    }
}

/// What reads only a file, perhaps where nothing may be written, would need the log beside it.
#[test]
fn a_closed_database_is_one_file() {
    let path = file("one_file.sqlite");
    let mode = || -> String {
        Connection::open(&path).unwrap().query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap()
    };
    let make = || {
        let mut sink = Sqlite::open(&path, SqliteOptions::default()).unwrap();
        give(&mut sink, "a", b"(;PB[a])");
        sink.finish().unwrap();
        sink
    };
    drop(make());
    assert_eq!(mode(), "delete");
    let mut other = SqliteOptions::default();
    other.unique = true;
    assert!(Sqlite::open(&path, other).is_err());
    assert_eq!(mode(), "delete", "one that is refused is not changed");
    // Somebody else has it open: it stays as it is.
    let sink = make();
    let catalog = Catalog::open(&path).unwrap();
    sink.close().unwrap();
    drop(catalog);
    assert_eq!(mode(), "wal");
    make().close().unwrap();
    assert_eq!((mode().as_str(), count(&path)), ("delete", 3));
    assert!(!path.with_extension("sqlite-wal").exists());
}

/// DuckDB and connectorx go by the declared types.
#[test]
fn columns_of_numbers_are_declared_so() {
    let path = file("types.sqlite");
    let mut sink = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    give(&mut sink, "a", b"(;GM[1]SZ[19]KM[6]HA[2]TM[60]RE[B+1]DT[1996]BR[2k]WR[9p])(;SZ[9:13]KM[6.5])");
    sink.finish().unwrap();
    let database = Connection::open(&path).unwrap();
    for &column in Column::OF_TABLE {
        let sql = format!("SELECT type FROM pragma_table_info('games') WHERE name = '{column}'");
        let declared: String = database.query_row(&sql, [], |row| row.get(0)).unwrap();
        let expected = match column.kind() {
            ColumnKind::Text | ColumnKind::Result => "TEXT",
            ColumnKind::Count | ColumnKind::Integer => "INTEGER",
            ColumnKind::Number => "REAL",
            _ => "",
        };
        assert_eq!(declared, expected, "{column}");
    }
    let sql = "SELECT group_concat(typeof(size) || ' ' || typeof(komi), ', ') FROM games";
    let stored: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(stored, "integer real, text real");
}

/// Gives a sink all games, without finishing it.
fn give(sink: &mut impl Sink, name: &str, games: &[u8]) {
    let mut game = 0;
    let mut recorder = Recorder::new(sink.wants(), |record: &GameRecord| {
        game += 1;
        match sink.record(&Row::new(name, game, record)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    });
    let flow = sgf_stream::read_slice(games, &mut recorder).unwrap();
    assert!(flow.is_continue());
}

#[test]
fn ndjson_has_a_line_per_game() {
    let mut sink = Ndjson::new(Vec::new());
    give(&mut sink, "a \"b\"\n.sgf", b"(;PB[\xE8\xB6\x99 \\] \x07]KM[6.5]RE[B+R])(;SZ[9:13])");
    sink.finish().unwrap();
    let text = String::from_utf8(sink.into_inner()).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["file"], "a \"b\"\n.sgf");
    assert_eq!(rows[0]["komi"], 6.5);
    assert_eq!(rows[0]["winner"], "B");
    assert_eq!(rows[1]["size"], "9:13");
    assert_eq!(rows[1]["black"], Value::Null);
    assert!(rows[0].get("moves").is_none());
}

/// As in a signature: however it is written, and also in games that have none.
#[test]
fn a_pass_is_spelled_in_one_way_in_lists_of_moves() {
    let mut details = Details::default();
    details.moves = true;
    let mut sink = Ndjson::new(Vec::new()).details(details);
    let games = b"(;GM[1];B[tt];W[])(;SZ[21];B[tt];W[])(;GM[2];B[ ])(;SZ[19:25];B[tt];AW[tt])";
    give(&mut sink, "a.sgf", games);
    sink.finish().unwrap();
    let text = String::from_utf8(sink.into_inner()).unwrap();
    let lists = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["move_list"].to_string());
    let lists: Vec<String> = lists.collect();
    assert_eq!(lists, [r#"["B[tt]","W[tt]"]"#, r#"["B[tt]","W[--]"]"#, r#"["B[tt]"]"#, r#"["B[tt]"]"#]);
}

#[test]
fn ndjson_is_appended_after_the_last_whole_line() {
    let path = file("append.ndjson");
    let long = "x".repeat(10_000);
    for (left, kept) in [
        ("", 0),
        ("{\"game\":7}\n", 1),
        ("{\"game\":7}\n{\"ga", 1),
        ("{\"ga", 0),
        (&*long, 0),
        (&*format!("{{\"game\":7}}\n{long}"), 1),
    ] {
        fs::write(&path, left).unwrap();
        let mut sink = Ndjson::append(&path).unwrap().columns([Column::Game]);
        give(&mut sink, "-", b"(;)(;)");
        sink.commit().unwrap();
        // After a commit, not even `drop` may be needed.
        std::mem::forget(sink);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "{\"game\":7}\n".repeat(kept) + "{\"game\":1}\n{\"game\":2}\n", "{left:.20}");
    }
}

#[test]
fn a_file_is_given_back_whole() {
    for is_finished in [false, true] {
        let mut parquet = Parquet::new(Vec::new(), Details::default()).unwrap();
        let mut arrow = Arrow::new(Vec::new(), Details::default()).unwrap();
        give(&mut parquet, "a", b"(;PB[a])");
        give(&mut arrow, "a", b"(;PB[a])");
        if is_finished {
            parquet.finish().unwrap();
            arrow.finish().unwrap();
        }
        let (parquet, arrow) = (parquet.into_inner().unwrap(), arrow.into_inner().unwrap());
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"), "{parquet:?}");
        assert!(arrow.starts_with(b"ARROW1") && arrow.ends_with(b"ARROW1"), "{arrow:?}");
    }
}

#[test]
fn any_writer_may_be_written_to() {
    let mut bytes = Cursor::new(Vec::new());
    let writer: Box<dyn Write + '_> = Box::new(&mut bytes);
    let mut sink = Csv::new(Flushed(writer)).columns([Column::Black]);
    give(&mut sink, "a", b"(;PB[a])");
    sink.finish().unwrap();
    drop(sink);
    assert_eq!(bytes.into_inner(), b"black\na\n");
}

#[test]
fn an_error_keeps_its_source() {
    #[derive(Debug)]
    struct Outer(std::fmt::Error);
    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("outer")
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let error = Error::sink(Outer(std::fmt::Error));
    assert_eq!(error.to_string(), "outer");
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.is::<std::fmt::Error>());
}

fn remove(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", path.display()));
    }
}

fn count(path: &Path) -> i64 {
    Connection::open(path).unwrap().query_row("SELECT count(*) FROM games", [], |row| row.get(0)).unwrap()
}

#[test]
fn games_without_a_file_are_kept() {
    let path = file("connection.sqlite");
    remove(&path);
    let mut sink = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    give(&mut sink, "client 7", b"(;PB[a])(;PB[b])");
    assert_eq!(count(&path), 0);
    sink.commit().unwrap();
    assert_eq!(count(&path), 2);
    give(&mut sink, "client 7", b"(;PB[c])");
    // Uncommitted rows are lost with the sink.
    drop(sink);
    assert_eq!(count(&path), 2);
    let mut sink = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    give(&mut sink, "client 7", b"(;PB[d])");
    sink.finish().unwrap();
    assert_eq!(count(&path), 3);
}

#[test]
fn a_file_is_recognised_by_its_stamp() {
    let (path, source) = (file("stamps.sqlite"), file("stamps.sgf"));
    remove(&path);
    fs::write(&source, "(;PB[a])(;PB[b])").unwrap();
    let stamp = Stamp::of(&source).unwrap();
    let mut sink = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    assert_eq!(sink.begin("x", Some((&source, &stamp))).unwrap(), Known::Nothing);
    give(&mut sink, "x", b"(;PB[a])");
    sink.commit().unwrap();
    drop(sink);

    // Interrupted and resumed.
    let mut sink = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    assert_eq!(sink.begin("x", Some((&source, &stamp))).unwrap(), Known::Games(1));
    give(&mut sink, "x", b"(;PB[b])");
    sink.end(FileEnd::Troubled("half of it is missing")).unwrap();
    sink.commit().unwrap();
    let mut catalog = Catalog::open(&path).unwrap();
    assert_eq!(catalog.known(&source, &stamp).unwrap(), Known::All(Some("half of it is missing".to_owned())));
    assert_eq!(catalog.known(&file("other.sgf"), &stamp).unwrap(), Known::Nothing);

    fs::write(&source, "(;PB[a])(;PB[c])").unwrap();
    assert_ne!(Stamp::of(&source).unwrap(), stamp);
    assert_eq!(sink.begin("x", Some((&source, &Stamp::of(&source).unwrap()))).unwrap(), Known::Nothing);
    sink.end(FileEnd::Whole).unwrap();
    sink.finish().unwrap();
    assert_eq!(count(&path), 0);
}

/// A file of these bytes that was last changed so many seconds after the beginning of 1970.
fn dated(name: &str, bytes: &[u8], seconds: u64) -> PathBuf {
    let path = file(name);
    fs::write(&path, bytes).unwrap();
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    path
}

#[test]
fn a_stamp_shows_the_last_byte_of_a_file() {
    let [one, other] = [b"x", b"y"].map(|last| {
        let bytes = [&b"a".repeat(9_000)[..], last].concat();
        Stamp::of(&dated("last_byte.sgf", &bytes, 1)).unwrap()
    });
    assert_eq!((one.len, one.modified), (other.len, other.modified));
    assert_ne!(one.ends, other.ends);
}

#[test]
fn a_stamp_of_volumes_shows_their_order_and_the_last_change() {
    let (new, old) = (dated("new.zip", b"new", 2), dated("old.zip", b"old", 1));
    let [one, other] = [[&*new, &*old], [&*old, &*new]].map(|paths| Stamp::of_volumes(paths).unwrap());
    assert_eq!((one.len, one.modified), (6, 2_000_000_000));
    assert_eq!((other.len, other.modified), (one.len, one.modified));
    assert_ne!(one.ends, other.ends);
}

/// A transaction is held in memory. Each 16 MiB of comments end one.
#[test]
fn comments_are_written_before_they_fill_the_memory() {
    let path = file("texts.sqlite");
    remove(&path);
    let mut options = SqliteOptions::default();
    options.details.comments = true;
    let mut sink = Sqlite::open(&path, options).unwrap();
    let game = format!("(;C[{}])", "x".repeat(1 << 20));
    give(&mut sink, "x", game.repeat(17).as_bytes());
    assert_eq!(count(&path), 16);
    sink.commit().unwrap();
    assert_eq!(count(&path), 17);
}

/// Each file whose rows are dropped would search all rows, if a run that was killed has left no index to find them by.
#[test]
fn rows_of_a_changed_file_are_found_by_indexes() {
    let (path, source) = (file("dropped.sqlite"), file("dropped.sgf"));
    remove(&path);
    let mut options = SqliteOptions::default();
    options.unique = true;
    options.details.comments = true;
    for (games, expected) in [
        (&b"(;PB[a]C[x];B[aa])"[..], &[] as &[&str]),
        (b"(;PB[a]C[x];B[aa])(;PB[b])", &["comments_game", "files_short", "game_players_player", "seen_game"]),
    ] {
        fs::write(&source, games).unwrap();
        let mut sink = Sqlite::open(&path, options.clone()).unwrap();
        let known = sink.begin("x", Some((&source, &Stamp::of(&source).unwrap()))).unwrap();
        assert_eq!(known, Known::Nothing);
        give(&mut sink, "x", games);
        sink.end(FileEnd::Whole).unwrap();
        sink.commit().unwrap();
        drop(sink);
        let database = Connection::open(&path).unwrap();
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql <> '' AND name <> 'files_stamp' ORDER BY name";
        let mut names = database.prepare(sql).unwrap();
        let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(names, expected);
    }
    let database = Connection::open(&path).unwrap();
    for sql in [
        "SELECT 1 FROM seen WHERE game >= 1 AND game < 5 AND copies > 0",
        "DELETE FROM seen WHERE game >= 1 AND game < 5",
        "SELECT id, text FROM comments WHERE game >= 1 AND game < 5",
        "SELECT id FROM files WHERE games > rows AND id <> 3 AND size >= 0",
    ] {
        let plan = |row: &rusqlite::Row<'_>| row.get::<_, String>(3);
        let plan = database.query_row(&format!("EXPLAIN QUERY PLAN {sql}"), [], plan).unwrap();
        assert!(plan.starts_with("SEARCH"), "{sql}: {plan}");
    }
}

#[test]
fn files_that_are_alike_but_for_their_times_are_told_apart_by_an_index() {
    let path = file("alike.sqlite");
    remove(&path);
    let plan = || {
        let sql = "EXPLAIN QUERY PLAN SELECT 1 FROM files WHERE ends = 1 AND size = 0 AND modified = 2 ORDER BY id";
        Connection::open(&path).unwrap().query_row(sql, [], |row| row.get::<_, String>(3)).unwrap()
    };
    let expected = "(ends=? AND size=? AND modified=?)";
    drop(Sqlite::open(&path, SqliteOptions::default()).unwrap());
    assert!(plan().ends_with(expected), "{}", plan());
    // As older versions have made it.
    let old = "DROP INDEX files_stamp; CREATE INDEX files_ends ON files(ends)";
    Connection::open(&path).unwrap().execute_batch(old).unwrap();
    assert!(plan().ends_with("(ends=?)"), "{}", plan());
    Sqlite::open(&path, SqliteOptions::default()).unwrap().finish().unwrap();
    assert!(plan().ends_with(expected), "{}", plan());
}

#[test]
fn a_database_says_with_which_options_it_was_made() {
    let path = file("options.sqlite");
    remove(&path);
    let mut options = SqliteOptions::default();
    (options.details.moves, options.details.positions, options.unique) = (true, 20, true);
    options.reading = "as it is".to_owned();
    drop(Sqlite::open(&path, options.clone()).unwrap());
    drop(Sqlite::open(&path, options.clone()).unwrap());
    match Sqlite::open(&path, SqliteOptions::default()).unwrap_err() {
        Error::OtherOptions { made, wanted, .. } => assert_eq!((made, wanted), (options, SqliteOptions::default())),
        error => panic!("{error}"),
    }
}

#[test]
fn a_second_sqlite_writer_is_an_error() {
    let path = file("writers.sqlite");
    remove(&path);
    let mut first = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    let mut second = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    give(&mut first, "a", b"(;)");
    first.commit().unwrap();
    let error = second.begin("b", None).unwrap_err();
    assert!(matches!(&error, Error::Unusable(reason) if reason.contains("another program")), "{error}");
}

/// The numbers of games of an archive's sidecar, and how many other files lie beside the archive.
fn made(archive: &Path) -> (u64, usize) {
    let offsets = Offsets::open(archive, "").unwrap().expect("there is a sidecar");
    let beside = fs::read_dir(archive.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    (offsets.games(), beside.filter(|path| path != archive && *path != sidecar(archive)).count())
}

#[test]
fn writers_of_one_sidecar_leave_each_other_alone() {
    let folder = file("sidecars");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let archive = folder.join("a.sgf");
    fs::write(&archive, "(;B[aa])(;B[bb])").unwrap();
    let begin = |games: u64| {
        let mut writer = OffsetsWriter::new(&archive, "").unwrap();
        (0..games).for_each(|game| writer.game(Some("m"), game * 8, 8, Signature::default()).unwrap());
        writer
    };

    let mut writer = begin(1);
    writer.finish().unwrap();
    // What replaces it in the variable is there before it is dropped.
    writer = begin(2);
    writer.finish().unwrap();
    drop(writer);
    assert_eq!(made(&archive), (2, 0));

    // One that is given up takes nothing with it.
    let given_up = begin(1);
    assert_eq!(made(&archive), (2, 3), "parts are beside it while they are written");
    let mut writer = begin(1);
    drop(given_up);
    writer.finish().unwrap();
    drop(writer);
    assert_eq!(made(&archive), (1, 0));

    // Two at once.
    let (mut first, mut second) = (begin(1), begin(2));
    first.finish().unwrap();
    assert_eq!(made(&archive).0, 1);
    second.finish().unwrap();
    drop((first, second));
    assert_eq!(made(&archive), (2, 0));
}

/// Two machines that share a folder may give the same id to their processes.
#[test]
fn parts_of_another_process_with_the_same_id_are_not_written_over() {
    let folder = file("other_parts");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let archive = folder.join("a.sgf");
    fs::write(&archive, "(;B[aa])").unwrap();
    let id = std::process::id();
    let others: Vec<PathBuf> = (0..300)
        .flat_map(|number| ["part", "ends", "names"].map(|what| format!("a.sgf.offsets.{id}.{number}.{what}")))
        .map(|name| folder.join(name))
        .collect();
    for path in &others {
        fs::write(path, "other").unwrap();
    }
    let mut writer = OffsetsWriter::new(&archive, "").unwrap();
    writer.game(None, 0, 8, Signature::default()).unwrap();
    writer.finish().unwrap();
    drop(writer);
    assert_eq!(made(&archive), (1, others.len()));
    assert!(others.iter().all(|path| fs::read(path).unwrap() == b"other"));
}

#[test]
fn a_finished_sidecar_stays_as_it_is() {
    let archive = file("finished.sgf");
    fs::write(&archive, "(;B[aa])(;B[bb])").unwrap();
    let _ = fs::remove_file(sidecar(&archive));
    let mut writer = OffsetsWriter::new(&archive, "").unwrap();
    writer.game(Some("m"), 0, 8, Signature::default()).unwrap();
    writer.finish().unwrap();
    let whole = fs::read(sidecar(&archive)).unwrap();
    assert!(writer.game(Some("n"), 8, 8, Signature::default()).is_err());
    assert!(writer.finish().is_err());
    drop(writer);
    assert_eq!(fs::read(sidecar(&archive)).unwrap(), whole);
}

#[test]
fn a_borrowed_sink_is_a_sink() {
    fn run(mut sink: impl Sink) {
        give(&mut sink, "f", b"(;PB[a])");
        sink.finish().unwrap();
    }
    let mut sink = Ndjson::new(Vec::new()).columns([Column::Black]);
    run(&mut sink);
    run(&mut sink as &mut dyn Sink);
    assert_eq!(sink.into_inner(), b"{\"black\":\"a\"}\n{\"black\":\"a\"}\n");
}

#[test]
fn offsets_find_a_game_by_its_number() {
    let path = file("many.sgf");
    let _ = fs::remove_file(sidecar(&path));
    let games: Vec<String> = (1..=50_000).map(|number| format!("(;C[{number}];B[pd];W[dd])\n")).collect();
    fs::write(&path, games.concat()).unwrap();
    let mut writer = OffsetsWriter::new(&path, "").unwrap();
    give(&mut writer, "", games.concat().as_bytes());
    assert!(Offsets::open(&path, "").unwrap().is_none());
    writer.finish().unwrap();
    drop(writer);
    let mut offsets = Offsets::open(&path, "").unwrap().unwrap();
    assert_eq!(offsets.games(), 50_000);
    for number in [1, 2, 777, 49_999, 50_000] {
        let mut out = Vec::new();
        assert!(offsets.copy(number, &mut out).unwrap());
        assert_eq!(String::from_utf8(out).unwrap() + "\n", games[number as usize - 1]);
    }
    for number in [0, 50_001, u64::MAX] {
        assert_eq!(offsets.get(number).unwrap(), None);
        assert!(!offsets.copy(number, &mut Vec::new()).unwrap());
    }
    assert_eq!(offsets.get(7).unwrap().unwrap().signature, ["??", "??", "??"]);
    // Not every Windows replaces a file that is open.
    drop(offsets);
    // Written by `game` instead of by rows, the sidecar is the same.
    let by_rows = fs::read(sidecar(&path)).unwrap();
    let mut writer = OffsetsWriter::new(&path, "").unwrap();
    let mut offset = 0;
    for game in &games {
        let len = game.len() as u64;
        writer.game(None, offset, len - 1, Signature::default()).unwrap();
        offset += len;
    }
    writer.finish().unwrap();
    drop(writer);
    assert_eq!(fs::read(sidecar(&path)).unwrap(), by_rows);
    // One byte more makes it another file.
    fs::write(&path, games.concat() + "\n").unwrap();
    assert!(matches!(Offsets::open(&path, ""), Err(Error::Unusable(_))));
    // A truncated sidecar is an error.
    fs::write(&path, games.concat()).unwrap();
    let bytes = fs::read(sidecar(&path)).unwrap();
    for len in [0, 1, 7, 63, 64, bytes.len() - 1] {
        fs::write(sidecar(&path), &bytes[..len]).unwrap();
        assert!(matches!(Offsets::open(&path, ""), Err(Error::Unusable(_))), "{len}");
    }
}
