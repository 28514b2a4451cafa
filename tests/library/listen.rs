//! The service through its socket: what it acknowledges, refuses and stores.

use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::path::Path;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sgf_stream::Limits;
use sgf_stream::listen::{
    Entry, Found, GameId, Health, Metrics, NdjsonFile, ServeError, Settings, SettingsError, Store, Token, serve,
};

use crate::listen_operation::run_client;
use crate::support::service::{Client, Service, memory, quick, scratch, takes_less_than};
use crate::support::wait::until;

fn id(game: &str) -> String {
    GameId::of(game.as_bytes()).to_string()
}

/// The essence of an answer: status, id or problem, offset and length.
fn short(line: &Value) -> String {
    let what = line.get("id").or_else(|| line.get("problem")).and_then(Value::as_str).expect("an id or a problem");
    let what = if line["status"] == "accepted" { "" } else { what };
    format!("{} {what} {}+{}", line["status"].as_str().expect("a status"), line["offset"], line["length"])
}

#[test]
fn every_game_is_stored_and_acknowledged_with_id_and_position() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    let (first, second) = ("(;PB[Dosaku]RE[B+3];B[pd];W[dd])", "(;SZ[9]\n;B[ee]])");
    let lines = service.talk(format!("{first}\n {second}\n").as_bytes());
    assert_eq!(
        lines,
        [
            serde_json::json!({"status": "accepted", "id": id(first), "offset": 0, "line": 1, "column": 1, "length": 32,
                "new": true, "problems": 0}),
            serde_json::json!({"status": "accepted", "id": id(second), "offset": 34, "line": 2, "column": 2, "length": 16,
                "new": true, "problems": 1}),
        ]
    );
    let rows = rows.lock().unwrap();
    assert_eq!(rows[0]["id"], id(first));
    assert_eq!(rows[0]["black"], "Dosaku");
    assert_eq!(rows[0]["moves"], 2);
    assert_eq!((&rows[1]["game"], &rows[1]["offset"], &rows[1]["size"]), (&2.into(), &34.into(), &9.into()));
    assert!(rows[1]["received"].as_str().unwrap().ends_with('Z'));
    assert!(rows[1]["peer"].as_str().unwrap().starts_with("127.0.0.1:"));
    assert!(rows[1].get("sgf").is_none());
}

#[test]
fn a_game_is_acknowledged_as_soon_as_it_ends() {
    let (store, _) = memory();
    let service = Service::start(store, quick());
    let mut client = service.connect();
    for game in ["(;C[a text])", "(;B[pd]C[with [brackets\\] in it])", "(;CA[GBK]PB[\u{8D75}])", "(;W[])"] {
        client.send(game.as_bytes());
        assert_eq!(client.line()["id"], id(game), "{game}");
    }
}

#[test]
fn an_unfinished_game_is_refused_and_not_stored() {
    for (cut, problem, at) in [
        ("(;B[pd];W[d", "unexpected-eof", 21),
        ("(;B[pd]", "unclosed-tree", 19),
        ("(;B[pd](;W[dd])", "unclosed-tree", 27),
    ] {
        let (store, rows) = memory();
        let service = Service::start(store, quick());
        let lines = service.talk(format!("(;B[qd])\n\n  {cut}").as_bytes());
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!(lines[1]["problem"], problem);
        assert_eq!(short(&lines[1]), format!("refused {problem} 12+{}", cut.len()));
        assert_eq!((&lines[1]["line"], &lines[1]["column"]), (&3.into(), &3.into()));
        assert_eq!(lines[1]["at"]["offset"], at);
        assert_eq!(lines[1]["retry"], true);
        assert_eq!(rows.lock().unwrap().len(), 1);
    }
}

/// What is sent after half a game would be taken for more of it, and every refusal would say that it may be sent again.
#[test]
fn the_client_counts_a_game_that_is_cut_off_in_its_file_as_refused() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    let folder = scratch("cut_off");
    for (name, bytes) in [("value.sgf", "(;B[aa])(;GM[1]PB[a];B[pd];W[dd"), ("tree.sgf", "(;B[bb])(;B[cc]")] {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let done = run_client(&service, folder, &["value.sgf", "tree.sgf"]);
    assert_eq!(done, ("2 games stored, 2 refused\n".to_owned(), Some(1)));
    assert_eq!(rows.lock().unwrap().len(), 2);
}

/// The same bytes are never accepted, as nothing is missing that could still come.
#[test]
fn a_game_that_the_next_one_cuts_off_is_refused_for_good() {
    let header = "(;FF[4]GM[1]SZ[19]";
    for (cut, problem) in [("", "truncated-game"), ("C[abc", "unterminated-value")] {
        let (store, rows) = memory();
        let mut settings = quick();
        settings.config = settings.config.resync(true);
        let service = Service::start(store, settings);
        let lines = service.talk(format!("{header}{cut}\n\n{header};B[pd])").as_bytes());
        let len = header.len() + cut.len();
        assert_eq!(lines[0]["problem"], problem, "{lines:?}");
        assert_eq!((lines[0]["offset"].as_u64(), &lines[0]["retry"]), (Some(0), &false.into()));
        assert_eq!(short(&lines[1]), format!("accepted  {}+{}", len + 2, header.len() + 7));
        assert_eq!(rows.lock().unwrap().len(), 1);
    }
}

#[test]
fn bytes_between_games_are_refused_and_the_games_accepted() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    let lines = service.talk(b"mail (;B[pd])) <html>(;W[dd])\n\nend");
    let short: Vec<_> = lines.iter().map(short).collect();
    assert_eq!(
        short,
        [
            "refused junk 0+5",
            "accepted  5+8",
            "refused unmatched-close 13+1",
            "refused junk 15+6",
            "accepted  21+8",
            "refused junk 31+3"
        ]
    );
    assert_eq!(lines[0]["retry"], false);
    assert_eq!(rows.lock().unwrap().len(), 2);
}

#[test]
fn a_game_over_a_limit_is_refused_and_the_next_is_not() {
    let mut limits = Limits::untrusted();
    limits.game = 2_000;
    limits.value = 100;
    limits.depth = 5;
    limits.node_properties = 5;
    limits.property_values = 5;
    limits.problems = 5;
    let mut settings = quick();
    settings.config = settings.config.limits(limits);
    let (store, rows) = memory();
    let service = Service::start(store, settings);
    for (game, problem) in [
        (format!("(;C[{}])", "x".repeat(3_000)), "limit-game"),
        (format!("(;PB[{}])", "x".repeat(101)), "value-too-long"),
        (format!("{}{}", "(;".repeat(6), ")".repeat(6)), "limit-depth"),
        (format!("(;{})", "PB[a]".repeat(6)), "limit-node"),
        (format!("(;AB{})", "[aa]".repeat(6)), "limit-values"),
    ] {
        let lines = service.talk(format!("{game}\n(;B[pd])").as_bytes());
        let short: Vec<_> = lines.iter().map(short).collect();
        let len = game.len();
        assert_eq!(short, [format!("refused {problem} 0+{len}"), format!("accepted  {}+8", len + 1)]);
        assert_eq!(lines[0]["retry"], false, "{problem}");
    }
    assert_eq!(rows.lock().unwrap().len(), 1, "the valid game, once");
}

/// It is whole, and a row describes all of it. Only places between games are no longer reported one by one.
#[test]
fn a_game_may_have_any_number_of_problems() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    let game = format!("(;PB[a]{};B[pd])", "&&\n".repeat(103));
    let lines = service.talk(format!("{game}(;W[dd]){}(;B[qq])", ") ".repeat(103)).as_bytes());
    assert_eq!(
        (lines[0]["status"].as_str(), lines[0]["problems"].as_u64()),
        (Some("accepted"), Some(103)),
        "{lines:?}"
    );
    assert_eq!(lines.iter().filter(|line| line["status"] == "accepted").count(), 3);
    let refused: Vec<_> = lines.iter().filter_map(|line| line["problem"].as_str()).collect();
    assert_eq!((refused.len(), refused.last()), (101, Some(&"limit-problems")), "{refused:?}");
    let rows = rows.lock().unwrap();
    assert_eq!((rows.len(), rows[0]["problems"].as_u64()), (3, Some(103)));
}

#[test]
fn a_utf_16_stream_is_recoded() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    let bytes: Vec<u8> =
        "\u{FEFF}(;PB[\u{9053}\u{7B56}])\n(;W[dd])".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let lines = service.talk(&bytes);
    assert_eq!(lines.iter().map(short).collect::<Vec<_>>(), ["accepted  2+18", "accepted  22+16"]);
    assert_eq!(rows.lock().unwrap()[0]["black"], "\u{9053}\u{7B56}");
}

#[test]
fn keep_games_stores_games_byte_for_byte() {
    let (store, rows) = memory();
    let mut settings = quick();
    settings.keep_games = true;
    let service = Service::start(store, settings);
    let text = "(;PB[\"\u{9053}\u{7B56}\"]\r\n\tC[\\]])";
    service.talk(text.as_bytes());
    service.talk(b"(;CA[Big5]PB[\xB3\\\xA6o])");
    service.talk(b"(;C[\x07])");
    let rows = rows.lock().unwrap();
    assert_eq!(rows[0]["sgf"], text);
    assert_eq!(rows[1]["sgf_base64"], "KDtDQVtCaWc1XVBCW7Ncpm9dKQ==");
    assert_eq!(rows[2]["sgf_base64"], "KDtDWwddKQ==");
}

/// Asserts that a repeated game has the same id and is stored once, also by a service that finds it in the store.
#[track_caller]
fn check_repeated_game<S: Store>(game: &str, open: impl Fn() -> io::Result<(S, Found)>) {
    for (start, expected) in [[true, false, false], [false; 3]].into_iter().enumerate() {
        let (store, found) = open().unwrap();
        assert_eq!(found.games, start as u64);
        let service = Service::start(store, quick());
        // Twice in one stream, usually in one batch, and once more.
        let mut lines = service.talk(format!("{game}{game}").as_bytes());
        lines.extend(service.talk(game.as_bytes()));
        for (line, new) in lines.iter().zip(expected) {
            assert_eq!((&line["id"], &line["new"]), (&id(game).into(), &new.into()));
        }
        service.stop().unwrap();
    }
}

#[test]
fn a_repeated_game_has_the_same_id_and_is_stored_once() {
    let path = scratch("again").join("games.ndjson");
    check_repeated_game("(;B[pd];W[dp])", || NdjsonFile::open(&path));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
}

#[cfg(feature = "index")]
mod database {
    use std::sync::Mutex;

    use super::*;
    use rusqlite::Connection;
    use sgf_stream::listen::SqliteFile;

    fn ids(path: &std::path::Path) -> Vec<String> {
        let database = Connection::open(path).unwrap();
        let mut ids = database.prepare("SELECT id FROM games ORDER BY rowid").unwrap();
        ids.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    fn games(from: usize, to: usize) -> String {
        (from..to).map(|number| format!("(;GN[{number}])")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_repeated_game_has_the_same_id_and_is_stored_once() {
        let path = scratch("again-sqlite").join("games.sqlite");
        let game = "(;B[pd];W[dp])";
        check_repeated_game(game, || SqliteFile::open(&path));
        assert_eq!(ids(&path), [id(game)]);
    }

    #[test]
    fn two_services_on_one_database_store_a_game_once() {
        let path = scratch("two-sqlite").join("games.sqlite");
        let services = [(), ()].map(|()| Service::start(SqliteFile::open(&path).unwrap().0, quick()));
        let games = games(0, 200);
        let clients: Vec<_> = services
            .iter()
            .map(|service| {
                let mut client = service.connect();
                let games = games.clone();
                thread::spawn(move || {
                    client.send(games.as_bytes());
                    client.end();
                    client.rest()
                })
            })
            .collect();
        let lines: Vec<_> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
        assert_eq!(lines.iter().filter(|line| line["status"] == "accepted").count(), 400);
        assert_eq!(lines.iter().filter(|line| line["new"] == true).count(), 200);
        assert_eq!(ids(&path).len(), 200);
    }

    /// Records the size of each commit.
    struct Counted(SqliteFile, Arc<Mutex<Vec<usize>>>);

    impl Store for Counted {
        fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>> {
            self.1.lock().unwrap().push(batch.len());
            self.0.commit(batch)
        }
    }

    #[test]
    fn games_are_acknowledged_after_the_commit_and_gathered_into_batches() {
        let path = scratch("stalled-sqlite").join("games.sqlite");
        let batches = Arc::new(Mutex::new(Vec::new()));
        let (store, order) = ordered(Counted(SqliteFile::open(&path).unwrap().0, Arc::clone(&batches)));
        let service = Service::start(store, quick());
        let mut client = service.connect();
        order.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        client.send(b"(;B[pd])");
        assert_eq!(short(&client.line()), "refused not-stored 0+8");
        let games = games(0, 200);
        client.send(games.as_bytes());
        thread::sleep(Duration::from_millis(300));
        assert!(client.is_silent(), "acknowledged before it was stored");
        assert_eq!(ids(&path), [] as [String; 0]);
        drop(order);
        client.end();
        assert!(client.rest().iter().all(|line| line["status"] == "accepted"));
        assert_eq!(ids(&path).len(), 200);
        let batches = batches.lock().unwrap();
        assert!(batches.len() < 20 && batches.iter().any(|&games| games > 50), "{batches:?}");
    }

    #[test]
    fn a_failed_batch_stores_none_of_its_games() {
        let path = scratch("failed-sqlite").join("games.sqlite");
        let (mut store, _) = SqliteFile::open(&path).unwrap();
        let batch = ["(;B[aa])", "(;B[bb])"].map(|game| {
            let row = format!("{{\"id\":\"{}\"}}\n", id(game));
            Entry::new(GameId::of(game.as_bytes()), row.into_bytes())
        });
        let database = Connection::open(&path).unwrap();
        let refuse = "CREATE TRIGGER no BEFORE INSERT ON games WHEN (SELECT count(*) FROM games) = 1 BEGIN SELECT RAISE(ABORT, 'no'); END";
        database.execute_batch(refuse).unwrap();
        assert!(store.commit(&batch).is_err());
        assert_eq!(ids(&path), [] as [String; 0]);
        database.execute_batch("DROP TRIGGER no").unwrap();
        assert_eq!(store.commit(&batch).unwrap(), [true, true]);
        assert_eq!(store.commit(&batch).unwrap(), [false, false]);
    }

    #[cfg(unix)]
    #[test]
    fn a_database_whose_wal_was_removed_stores_nothing_and_loses_nothing() {
        let path = scratch("log-removed").join("games.sqlite");
        let link = scratch("log-elsewhere").join("link.sqlite");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let open = || Service::start(SqliteFile::open(&link).unwrap().0, quick());
        let service = open();
        assert_eq!(service.talk(b"(;B[aa])")[0]["status"], "accepted");
        fs::remove_file(path.with_extension("sqlite-wal")).unwrap();
        assert_eq!(short(&service.talk(b"(;B[bb])")[0]), "refused not-stored 0+8");
        // As if the process were killed now.
        let copy = path.with_file_name("copy.sqlite");
        fs::copy(&path, &copy).unwrap();
        assert_eq!(ids(&copy), [id("(;B[aa])")]);
        service.stop().unwrap();
        assert_eq!(
            open().talk(b"(;B[aa])(;B[bb])").iter().map(|line| line["new"].clone()).collect::<Vec<_>>(),
            [false, true]
        );
    }

    #[cfg(unix)]
    #[test]
    fn where_a_file_of_a_database_is_cut_short_or_gone_nothing_is_stored() {
        for (name, is_cut) in [("games.sqlite", true), ("games.sqlite-wal", true), ("games.sqlite-shm", false)] {
            let folder = scratch("harmed-sqlite");
            let service = Service::start(SqliteFile::open(folder.join("games.sqlite")).unwrap().0, quick());
            assert_eq!(service.talk(b"(;B[aa])")[0]["status"], "accepted");
            if is_cut {
                fs::File::options().write(true).open(folder.join(name)).unwrap().set_len(0).unwrap();
            } else {
                fs::remove_file(folder.join(name)).unwrap();
            }
            for _ in 0..2 {
                assert_eq!(short(&service.talk(b"(;B[bb])")[0]), "refused not-stored 0+8", "{name}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_left_of_a_log_does_not_damage_the_database() {
        for tenths in [3, 5, 7, 9] {
            let path = scratch("half-a-log").join("games.sqlite");
            let open = || Service::start(SqliteFile::open(&path).unwrap().0, quick());
            let service = open();
            service.talk(games(0, 1_000).as_bytes());
            service.stop().unwrap();
            let service = open();
            service.talk(games(1_000, 1_100).as_bytes());
            let log = fs::File::options().write(true).open(path.with_extension("sqlite-wal")).unwrap();
            log.set_len(log.metadata().unwrap().len() / 10 * tenths).unwrap();
            assert_eq!(short(&service.talk(b"(;B[aa])")[0]), "refused not-stored 0+8");
            service.stop().unwrap();
            let database = Connection::open(&path).unwrap();
            let check = database.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
            assert_eq!(check.unwrap(), "ok", "{tenths}");
            assert!(ids(&path).len() >= 1_000, "{tenths}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_do_with_a_database_does_not_look_like_harm() {
        let path = scratch("shared-sqlite").join("games.sqlite");
        let service = Service::start(SqliteFile::open(&path).unwrap().0, quick());
        let other = Connection::open(&path).unwrap();
        let mut count = 0;
        for sql in [
            "SELECT * FROM games",
            "PRAGMA wal_checkpoint(PASSIVE)",
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "DELETE FROM games; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)",
            "CREATE TABLE mine(x); INSERT INTO mine VALUES(zeroblob(10000000)); DROP TABLE mine",
            "VACUUM",
        ] {
            let lines = service.talk(games(count, count + 300).as_bytes());
            assert!(lines.iter().all(|line| line["status"] == "accepted"), "before {sql}");
            count += 300;
            for statement in sql.split("; ") {
                let mut statement = other.prepare(statement).unwrap();
                let mut rows = statement.raw_query();
                while rows.next().unwrap().is_some() {}
            }
            assert_eq!(service.talk(games(count, count + 1).as_bytes())[0]["status"], "accepted", "after {sql}");
            count += 1;
        }
    }

    #[test]
    fn a_file_that_is_not_a_game_database_is_refused() {
        let dir = scratch("other-sqlite");
        let text = dir.join("text.sqlite");
        fs::write(&text, "not a database, but long enough to be looked at as one. ".repeat(40)).unwrap();
        assert_eq!(SqliteFile::open(&text).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let other = dir.join("other.sqlite");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE mine(x)").unwrap();
        assert_eq!(SqliteFile::open(&other).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let newer = dir.join("newer.sqlite");
        drop(SqliteFile::open(&newer).unwrap());
        Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert!(SqliteFile::open(&newer).unwrap_err().to_string().contains("version 99"));
    }
}

#[test]
fn a_torn_last_line_is_truncated_and_its_game_can_be_resent() {
    let path = scratch("torn").join("games.ndjson");
    let (first, second) = ("(;B[pd])", "(;W[dd])");
    let (store, _) = NdjsonFile::open(&path).unwrap();
    let service = Service::start(store, quick());
    service.talk(format!("{first}{second}").as_bytes());
    service.stop().unwrap();
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    for kept in last + 1..whole.len() - 1 {
        fs::write(&path, &whole[..kept]).unwrap();
        let (mut store, found) = NdjsonFile::open(&path).unwrap();
        assert_eq!((found.games, found.cut), (1, (kept - last) as u64));
        assert_eq!(fs::read(&path).unwrap(), whole[..last]);
        assert!(store.commit(&[]).unwrap().is_empty());
    }
    let service = Service::start(NdjsonFile::open(&path).unwrap().0, quick());
    let lines = service.talk(format!("{first}{second}").as_bytes());
    assert_eq!((&lines[0]["new"], &lines[1]["new"]), (&false.into(), &true.into()));
}

#[test]
fn a_row_is_known_whatever_its_line_end() {
    let path = scratch("line-end").join("games.ndjson");
    let row = format!("{{\"id\":\"{}\",\"sgf\":\"}}\"}}", id("(;B[pd])"));
    for (file, expected) in [
        (row.clone(), format!("{row}\n")),
        (format!("{row}\r\n"), format!("{row}\r\n")),
        (format!("{row}\r\n{row}"), format!("{row}\r\n{row}\n")),
    ] {
        fs::write(&path, &file).unwrap();
        let (store, found) = NdjsonFile::open(&path).unwrap();
        assert_eq!((found.games, found.cut), (file.lines().count() as u64, 0), "{file:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        let service = Service::start(store, quick());
        let lines = service.talk(b"(;B[pd])(;W[dd])");
        assert_eq!((&lines[0]["new"], &lines[1]["new"]), (&false.into(), &true.into()), "{file:?}");
        service.stop().unwrap();
        assert!(fs::read_to_string(&path).unwrap().strip_prefix(&expected).unwrap().starts_with("{\"id\":"));
    }
    // The mark that an editor puts at the beginning is no part of the first row.
    for file in [format!("\u{FEFF}{row}\n"), format!("\u{FEFF}{row}")] {
        fs::write(&path, &file).unwrap();
        let (_, found) = NdjsonFile::open(&path).unwrap();
        assert_eq!((found.games, found.other_lines, found.cut), (1, 0, 0), "{file:?}");
    }
    // The closing brace is inside a text.
    let torn = row.strip_suffix("\"}").unwrap();
    fs::write(&path, torn).unwrap();
    assert_eq!(NdjsonFile::open(&path).unwrap().1.cut, torn.len() as u64);
}

#[test]
fn a_file_is_written_by_one_process_at_a_time() {
    let path = scratch("locked").join("games.ndjson");
    let (mut store, _) = NdjsonFile::open(&path).unwrap();
    assert_eq!(NdjsonFile::open(&path).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    // Others may read it.
    let row = b"{\"id\":\"63ebde83c6ba6f07d64e57fb4d5a0fb2\"}\n";
    assert_eq!(store.commit(&[Entry::new(GameId::of(b"(;)"), row.to_vec())]).unwrap(), [true]);
    assert_eq!(fs::read(&path).unwrap(), row);
    // On Windows, nobody else can do what must be noticed elsewhere.
    assert_eq!(fs::File::options().append(true).open(&path).is_ok(), !cfg!(windows));
}

#[cfg(unix)]
#[test]
fn directories_and_devices_are_refused() {
    let dir = scratch("no-file");
    for path in [dir.as_path(), "/dev/null".as_ref()] {
        assert_eq!(NdjsonFile::open(path).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{}", path.display());
        #[cfg(feature = "index")]
        assert_eq!(sgf_stream::listen::SqliteFile::open(path).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}

#[test]
fn a_file_of_other_content_is_left_unchanged() {
    let dir = scratch("something-else");
    let path = dir.join("notes.txt");
    for text in ["line one\nprecious last line", "{\"a\":1}", "{\n  \"name\": \"x\"\n}", "{\"id\":7}", "{\"id"] {
        fs::write(&path, text).unwrap();
        let opened = NdjsonFile::open(&path);
        if text == "{\"id" {
            assert_eq!(opened.unwrap().1.cut, 4, "the torn first row");
            continue;
        }
        assert_eq!(opened.unwrap_err().kind(), io::ErrorKind::InvalidInput, "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

/// Such a process has all files of this one until it runs.
#[cfg(unix)]
#[test]
fn a_file_that_is_refused_is_not_held_by_a_process_that_is_just_starting() {
    let path = scratch("refused").join("notes.txt");
    fs::write(&path, "mine").unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                std::process::Command::new("true").status().unwrap();
            }
        });
        let mut refused = (0..5_000).map(|_| NdjsonFile::open(&path).unwrap_err().kind());
        let other = refused.find(|kind| *kind != io::ErrorKind::InvalidInput);
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(other, None);
    });
}

#[cfg(not(windows))]
#[test]
fn nothing_is_stored_in_a_file_truncated_by_another_process() {
    let path = scratch("cut-short").join("games.ndjson");
    let (store, _) = NdjsonFile::open(&path).unwrap();
    let service = Service::start(store, quick());
    assert_eq!(service.talk(b"(;B[pd])")[0]["new"], true);
    fs::File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    assert_ne!(service.talk(b"(;W[dd])")[0]["new"], true);
    service.stop().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[cfg(not(windows))]
#[test]
fn nothing_is_stored_in_a_file_written_by_another_process() {
    let path = scratch("written-to").join("games.ndjson");
    let service = Service::start(NdjsonFile::open(&path).unwrap().0, quick());
    assert_eq!(service.talk(b"(;B[pd])")[0]["new"], true);
    fs::File::options().append(true).open(&path).unwrap().write_all(b"mine").unwrap();
    assert_eq!(short(&service.talk(b"(;W[dd])")[0]), "refused not-stored 0+8");
    service.stop().unwrap();
    assert!(fs::read_to_string(&path).unwrap().ends_with("}\nmine"));
}

/// Commits or fails as the test orders, batch by batch.
struct Ordered<S> {
    orders: Receiver<io::Result<()>>,
    store: S,
}

fn ordered<S: Store>(store: S) -> (Ordered<S>, Sender<io::Result<()>>) {
    let (order, orders) = channel();
    (Ordered { orders, store }, order)
}

impl<S: Store> Store for Ordered<S> {
    fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        // After the last order everything succeeds.
        self.orders.recv().unwrap_or(Ok(()))?;
        self.store.commit(batch)
    }
}

#[test]
fn a_game_that_cannot_be_stored_is_refused_and_can_be_resent() {
    let (store, rows) = memory();
    let (store, order) = ordered(store);
    let service = Service::start(store, quick());
    let mut client = service.connect();
    order.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
    client.send(b"(;B[pd])");
    let line = client.line();
    assert_eq!(short(&line), "refused not-stored 0+8");
    assert_eq!(line["retry"], true);
    assert_eq!(rows.lock().unwrap().len(), 0);

    drop(order);
    client.send(b"(;B[pd])");
    assert_eq!(client.line()["new"], true);
    assert_eq!(rows.lock().unwrap().len(), 1);
}

#[test]
fn a_stalled_store_acknowledges_nothing_and_holds_clients_back() {
    let (store, rows) = memory();
    let (store, order) = ordered(store);
    let service = Service::start(store, quick());
    let mut client = service.connect();
    let game = |number: u32| format!("(;C[{number:>1000}])\n").into_bytes();

    // The system's buffers between client and service are of unknown but limited size.
    client.0.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut games = 0;
    let mut unsent = Vec::new();
    loop {
        if unsent.is_empty() {
            assert!(games < 1_000_000, "a gigabyte was sent to a store that stalls");
            unsent = game(games);
            games += 1;
        }
        match client.0.write(&unsent) {
            Ok(len) => drop(unsent.drain(..len)),
            Err(_) => break,
        }
    }
    assert_eq!(rows.lock().unwrap().len(), 0);
    assert!(client.is_silent(), "acknowledged before it was stored");

    // The clocks were stopped: no client is closed because the store was slow.
    drop(order);
    client.0.set_write_timeout(None).unwrap();
    let mut sender = client.0.try_clone().unwrap();
    let sending = thread::spawn(move || {
        sender.write_all(&unsent).unwrap();
        sender.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let lines = client.rest();
    sending.join().unwrap();
    assert_eq!(lines.iter().find(|line| line["status"] != "accepted"), None);
    assert_eq!((lines.len(), rows.lock().unwrap().len()), (games as usize, games as usize));
}

#[cfg(unix)]
#[test]
fn nothing_is_stored_in_a_file_that_was_moved() {
    fn check(folder: &Path, store: impl Store) {
        let (path, old) = (folder.join("games"), folder.join("old"));
        let service = Service::start(store, quick());
        assert_eq!(service.talk(b"(;B[aa])")[0]["status"], "accepted");
        fs::rename(&path, &old).unwrap();
        assert_eq!(short(&service.talk(b"(;B[bb])")[0]), "refused not-stored 0+8");
        fs::write(&path, "").unwrap();
        assert_eq!(short(&service.talk(b"(;B[bb])")[0]), "refused not-stored 0+8");
        fs::rename(&old, &path).unwrap();
        assert_eq!(service.talk(b"(;B[bb])")[0]["status"], "accepted");
    }
    let folder = scratch("removed");
    check(&folder, NdjsonFile::open(folder.join("games")).unwrap().0);
    assert_eq!(fs::read_to_string(folder.join("games")).unwrap().lines().count(), 2);
    #[cfg(feature = "index")]
    {
        let folder = scratch("removed_database");
        check(&folder, sgf_stream::listen::SqliteFile::open(folder.join("games")).unwrap().0);
    }
}

#[test]
fn a_client_that_never_reads_delays_no_one_and_is_closed() {
    let (store, _) = memory();
    let service = Service::start(store, quick());
    let mut deaf = service.connect().0;
    deaf.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    let flood = "(;)".repeat(10_000);
    let sending = thread::spawn(move || while deaf.write_all(flood.as_bytes()).is_ok() {});
    for game in 0..20 {
        assert_eq!(service.talk(format!("(;C[{game}])").as_bytes()).len(), 1);
    }
    // Ends when the service closes the connection.
    sending.join().unwrap();
}

#[test]
fn large_games_wait_for_memory_and_all_are_accepted() {
    let (store, rows) = memory();
    // Memory for one at a time.
    let service = Service::start(store, with_memory(10, 2));
    let talks: Vec<_> = (0..6)
        .map(|number| {
            let mut client = service.connect();
            thread::spawn(move || {
                let game = format!("(;N[{number}]{})", ";C[a comment]".repeat(70_000));
                client.send(game.as_bytes());
                client.end();
                client.rest()
            })
        })
        .collect();
    for talk in talks {
        let lines = talk.join().unwrap();
        assert_eq!(lines.len(), 1);
        assert_eq!((&lines[0]["status"], &lines[0]["length"]), (&"accepted".into(), &910_007.into()));
    }
    assert_eq!(rows.lock().unwrap().len(), 6);
}

/// Settings with so many MiB for large games, a limit of 1 MiB per game, and long timeouts.
fn with_memory(connections: usize, mib: u64) -> Settings {
    let mut settings = quick();
    let mut limits = Limits::untrusted();
    limits.game = 1 << 20;
    settings.config = settings.config.limits(limits);
    settings.connections = connections;
    settings.memory = (64 << 20) + connections as u64 * (160 << 10) + (mib << 20);
    (settings.idle, settings.game_time) = (Duration::from_secs(60), Duration::from_secs(60));
    settings
}

#[test]
fn a_slow_client_in_a_large_game_gives_its_memory_back() {
    let (store, _) = memory();
    let service = Service::start(store, with_memory(10, 2));
    let large = format!("(;{}", ";C[a comment]".repeat(40_000));
    let mut slow = service.connect();
    slow.send(large.as_bytes());
    until(|| service.metrics.text().contains("read_bytes_total 520002\n"));
    thread::sleep(Duration::from_secs(3));
    assert!(slow.is_silent(), "refused although no one needs the memory");
    let mut other = service.connect();
    other.send(format!("(;{}{large}))", ";C[a comment]".repeat(20_000)).as_bytes());
    // A small game needs none.
    assert_eq!(service.talk(b"(;B[pd])").len(), 1);
    let line = slow.line();
    assert_eq!(short(&line), "refused busy 0+520002");
    assert_eq!(line["retry"], true);
    assert_eq!(other.line()["status"], "accepted");
}

#[test]
fn large_games_are_accepted_despite_many_unfinished_ones() {
    for (bytes, is_dripping) in [(70_000, false), (400_000, false), (70_000, true)] {
        let (store, _) = memory();
        let service = Service::start(store, with_memory(250, if bytes == 70_000 { 20 } else { 80 }));
        let begun = format!("(;C[{}", "x".repeat(bytes));
        let mut holders: Vec<_> = (0..200).map(|_| service.connect()).collect();
        for holder in &mut holders {
            holder.send(begun.as_bytes());
        }
        let (over, is_over) = channel::<()>();
        let dripping = thread::spawn(move || {
            while is_over.recv_timeout(Duration::from_millis(100)).is_err() {
                for holder in holders.iter_mut().filter(|_| is_dripping) {
                    let _ = holder.0.write_all(b"x");
                }
            }
        });
        let since = Instant::now();
        // The unfinished ones may hold what they have for a minute.
        for number in 0..3 {
            let lines = service.talk(format!("(;N[{number}]{})", ";B[aa];W[bb]".repeat(8_000)).as_bytes());
            assert_eq!(short(&lines[0]), "accepted  0+96007", "{bytes} {is_dripping}");
        }
        assert!(since.elapsed() < Duration::from_secs(60), "{bytes} {is_dripping}: {:?}", since.elapsed());
        over.send(()).unwrap();
        dripping.join().unwrap();
    }
}

#[test]
fn the_token_is_the_first_line() {
    let (store, rows) = memory();
    let mut settings = quick();
    settings.token = Some(Token::new(b"open sesame").unwrap());
    let service = Service::start(store, settings);
    for line in ["open sesame\n", "open sesame\r\n"] {
        let lines = service.talk(format!("{line}(;B[pd])").as_bytes());
        assert_eq!(lines.iter().map(short).collect::<Vec<_>>(), ["accepted  0+8"], "offsets include the token");
    }
    let long = "x".repeat(100_000);
    for line in ["open sesam\n", "\n", "(;B[dd])", "open sesame", "", &long] {
        let lines = service.talk(format!("{line}(;B[qq])").as_bytes());
        assert_eq!(lines.iter().map(short).collect::<Vec<_>>(), ["refused token 0+0"], "{line:.20}");
        assert_eq!(lines[0]["retry"], false);
    }
    assert_eq!(rows.lock().unwrap().len(), 1);
}

#[test]
fn one_connection_too_many_is_refused() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.connections = 2;
    let service = Service::start(store, settings);
    let mut inside = [service.connect(), service.connect()];
    for client in &mut inside {
        client.send(b"(;B[pd])");
        client.line();
    }
    assert_eq!(service.talk(b"(;B[pd])").iter().map(short).collect::<Vec<_>>(), ["refused connections 0+0"]);
    let [first, second] = inside;
    drop(first);
    until(|| service.talk(b"(;B[pd])")[0]["status"] == "accepted");
    drop(second);
}

#[test]
fn each_of_many_excess_connections_gets_a_refusal() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.connections = 1;
    let service = Service::start(store, settings);
    let mut inside = service.connect();
    inside.send(b"(;B[pd])");
    inside.line();
    let mut outside: Vec<_> = (0..300).map(|_| service.connect()).collect();
    for client in &mut outside {
        assert_eq!(short(&client.line()), "refused connections 0+0");
    }
}

#[test]
fn connections_per_address_are_limited() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.connections_per_address = Some(1);
    let service = Service::start(store, settings);
    let mut first = service.connect();
    first.send(b"(;B[pd])");
    first.line();
    assert_eq!(short(&service.talk(b"(;B[pd])")[0]), "refused connections 0+0");
}

#[test]
fn silent_and_endless_clients_are_timed_out() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    let begun = Instant::now();
    let mut silent = service.connect();
    let mut endless = service.connect();
    endless.send(b"(;B[pd])\n(;C[");
    let trickle = |mut client: Client, bytes: &'static [u8]| {
        thread::spawn(move || {
            let mut sender = client.0.try_clone().unwrap();
            for byte in bytes.iter().cycle() {
                if sender.write_all(&[*byte]).is_err() || !client.is_silent() {
                    break;
                }
                thread::sleep(Duration::from_millis(20));
            }
            client.line()
        })
    };
    let junk = trickle(service.connect(), b"x ");
    let maybe = trickle(service.connect(), b"( x");
    let loris = trickle(service.connect(), b";B[pd]");

    assert_eq!(short(&silent.line()), "refused idle 0+0");
    assert_eq!(endless.line()["status"], "accepted");
    let line = endless.line();
    assert_eq!(short(&line), "refused game-time 9+4");
    assert_eq!(line["retry"], true);
    for trickle in [junk, maybe, loris] {
        assert_eq!(trickle.join().unwrap()["status"], "refused");
    }
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(rows.lock().unwrap().len(), 1);
}

/// Whether the last characters hide brackets shows in what comes next, and the client waits for the answer.
#[test]
fn a_game_whose_end_depends_on_what_comes_next_is_stored_if_nothing_comes() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    for game in [&b"(;CA[Big5];B[pd]C[\xA6\x6F\xA4\x5D])"[..], b"(;CA[GBK];B[pd]C[\xB3\xC9\xB9\x5C])"] {
        let mut client = service.connect();
        client.send(game);
        assert_eq!(client.line()["status"], "accepted");
        assert_eq!(short(&client.line()), format!("refused game-time {}+0", game.len()));
    }
    // Here the text makes no sense if it ends, so it has to be the last that came: the client may be in the middle of it.
    let game = b"(;CA[GBK]B[pd]C[\xC4\xE3\xBA\xC3\x81\x5D)";
    let mut client = service.connect();
    client.send(game);
    assert_eq!(short(&client.line()), "accepted  0+23");
    assert_eq!(short(&client.line()), "refused game-time 23+0");
    let mut client = service.connect();
    client.send(&[&game[..], b" and"].concat());
    assert_eq!(short(&client.line()), "refused junk 24+3");
    assert_eq!(short(&client.line()), "refused game-time 0+23");
    assert_eq!(rows.lock().unwrap().len(), 3);
}

#[test]
fn clients_that_flood_without_games_are_timed_out() {
    for (start, rest) in [("", "x"), ("(;C[", "x"), ("(;B[pd]) ", "x ("), ("", ";B[pd]"), ("(", ";B[pd]")] {
        let (store, _) = memory();
        let service = Service::start(store, quick());
        let mut client = service.connect();
        let mut sender = client.0.try_clone().unwrap();
        let begun = Instant::now();
        let flood = rest.repeat(10_000);
        let sending = thread::spawn(move || {
            let _ = sender.write_all(start.as_bytes());
            while sender.write_all(flood.as_bytes()).is_ok() {}
        });
        let lines = client.rest();
        sending.join().unwrap();
        let last = lines.last().unwrap();
        assert!(last["problem"] == "idle" || last["problem"] == "game-time", "{start} {rest}: {last}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{start} {rest}");
    }
}

#[test]
fn the_idle_clock_stops_while_answers_are_due() {
    let (store, _) = memory();
    let (store, order) = ordered(store);
    let service = Service::start(store, quick());
    let mut client = service.connect();
    client.send(b"(;B[pd])");
    thread::sleep(quick().idle + Duration::from_secs(1));
    client.send(b"(;B[dd])");
    drop(order);
    assert_eq!([client.line(), client.line()].each_ref().map(short), ["accepted  0+8", "accepted  8+8"]);
    assert_eq!(short(&client.line()), "refused idle 16+0");
}

#[test]
fn stopping_stores_complete_games_and_refuses_the_rest() {
    let (store, rows) = memory();
    let (store, order) = ordered(store);
    let service = Service::start(store, quick());
    let mut client = service.connect();
    client.send(b"(;B[pd])(;B[dd])\n(;C[half");
    until(|| service.metrics.text().contains("read_bytes_total 25"));
    let address = service.address;
    let stopping = service.begin_stop();
    thread::sleep(Duration::from_millis(100));
    drop(order);
    let lines = client.rest();
    assert_eq!(
        lines.iter().map(short).collect::<Vec<_>>(),
        ["accepted  0+8", "accepted  8+8", "refused stopping 17+8"]
    );
    drop(client);
    stopping.join().unwrap().unwrap();
    assert_eq!(rows.lock().unwrap().len(), 2);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn an_unfinished_token_is_not_a_game_when_the_service_stops() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.token = Some(Token::new(b"open sesame").unwrap());
    let service = Service::start(store, settings);
    let mut client = service.connect();
    client.send(b"open ses");
    until(|| service.metrics.text().contains("read_bytes_total 8\n"));
    let stopping = service.begin_stop();
    assert_eq!(client.rest().iter().map(short).collect::<Vec<_>>(), ["refused stopping 0+0"]);
    drop(client);
    stopping.join().unwrap().unwrap();
}

#[test]
fn stopping_does_not_wait_for_clients_to_leave() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.grace = Duration::from_secs(1);
    let service = Service::start(store, settings);
    let mut client = service.connect();
    client.send(b"(;B[pd])");
    client.line();
    let stopping = service.begin_stop();
    assert_eq!(short(&client.line()), "refused stopping 8+0");
    stopping.join().unwrap().unwrap();
}

#[test]
fn the_grace_may_be_infinite() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.grace = Duration::MAX;
    Service::start(store, settings).stop().unwrap();
}

#[test]
fn stopping_does_not_wait_for_a_stalled_store() {
    let (store, _) = memory();
    let (store, _order) = ordered(store);
    let service = Service::start(store, quick());
    let mut client = service.connect();
    client.send(b"(;B[pd])");
    until(|| service.metrics.text().contains("read_bytes_total 8"));
    assert!(matches!(service.stop(), Err(ServeError::Unfinished)));
    assert_eq!(client.rest(), [] as [Value; 0]);
}

#[test]
fn a_service_does_not_outlive_its_store() {
    struct Broken;

    impl Store for Broken {
        fn commit(&mut self, _: &[Entry]) -> io::Result<Vec<bool>> {
            panic!("a store that is broken")
        }
    }

    let service = Service::start(Broken, quick());
    let mut client = service.connect();
    client.send(b"(;B[pd])");
    client.rest();
    assert!(matches!(service.stop(), Err(ServeError::Store)));
}

#[test]
fn a_store_that_does_not_tell_of_each_game_has_stored_none() {
    struct Short;

    impl Store for Short {
        fn commit(&mut self, _: &[Entry]) -> io::Result<Vec<bool>> {
            Ok(Vec::new())
        }
    }

    let service = Service::start(Short, quick());
    assert_eq!(short(&service.talk(b"(;B[pd])")[0]), "refused not-stored 0+8");
    assert_eq!(service.metrics.health(), Health::Failing);
    service.stop().unwrap();
}

/// Those that are turned away, too, which would otherwise be read from for 2 seconds.
#[test]
fn dropping_the_service_closes_all_connections_at_once() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    takes_less_than(Duration::from_secs(1), || {
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (store, _) = memory();
        let mut settings = quick();
        settings.connections = 1;
        let serving = runtime.spawn(serve(listener, store, settings, Arc::new(Metrics::new()), std::future::pending()));
        let connect = || {
            let stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            Client(stream)
        };
        let mut first = connect();
        first.send(b"(;B[pd])");
        first.line();
        let mut second = connect();
        assert_eq!(second.line()["problem"], "connections");
        serving.abort();
        let begun = Instant::now();
        assert_eq!(first.0.read(&mut [0]).unwrap_or(0), 0);
        while second.0.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
        begun.elapsed()
    });
}

/// The first is read on another thread than the second.
#[test]
fn the_answers_of_large_and_small_games_come_in_order() {
    let (store, _) = memory();
    let service = Service::start(store, quick());
    let games: Vec<_> =
        [400_000, 1, 100_000, 70_000, 1, 2].into_iter().map(|nodes| format!("(;PB[a]{})", ";".repeat(nodes))).collect();
    let lines = service.talk(games.concat().as_bytes());
    let ids: Vec<_> = lines.iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, games.iter().map(|game| id(game)).collect::<Vec<_>>());
}

#[test]
fn impossible_settings_are_refused() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.memory = 1;
    let error = Service::start(store, settings).stop().unwrap_err();
    assert!(matches!(error, ServeError::Settings(SettingsError::Memory { .. })), "{error}");
}

#[test]
fn without_a_token_only_loopback_addresses_are_allowed() {
    let (store, _) = memory();
    let error = Service::start_on("0.0.0.0:0", store, quick()).stop().unwrap_err();
    assert!(matches!(error, ServeError::Settings(SettingsError::NoToken)), "{error}");
    let (store, _) = memory();
    let mut settings = quick();
    settings.token = Some(Token::new(b"open sesame").unwrap());
    Service::start_on("0.0.0.0:0", store, settings).stop().unwrap();
}

/// Each would hold one of the few slots for seconds.
#[test]
fn silent_connections_do_not_block_the_monitor() {
    let (store, _) = memory();
    let service = Service::start(store, quick());
    takes_less_than(Duration::from_secs(4), || {
        let silent: Vec<_> = (0..100).map(|_| service.begin_get()).collect();
        let begun = Instant::now();
        assert!(service.get("/health").ends_with("{\"status\":\"ok\"}\n"));
        drop(silent);
        begun.elapsed()
    });
}

#[test]
fn the_monitor_serves_health_and_metrics() {
    let (store, _) = memory();
    let (store, order) = ordered(store);
    let service = Service::start(store, quick());
    assert!(service.get("/health").ends_with("{\"status\":\"ok\"}\n"));
    let mut client = service.connect();
    order.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
    client.send(b"(;B[pd])");
    client.line();
    let health = service.get("/health");
    assert!(health.starts_with("HTTP/1.1 503") && health.ends_with("{\"status\":\"failing\"}\n"), "{health}");
    drop(order);
    client.send(b"(;B[pd])(;B[pd]) x");
    client.end();
    client.rest();
    let metrics = service.get("/metrics");
    assert!(metrics.starts_with("HTTP/1.1 200"), "{metrics}");
    for line in [
        "sgf_listen_games_accepted_total 2",
        "sgf_listen_games_repeated_total 1",
        "sgf_listen_refused_total{problem=\"not-stored\"} 1",
        "sgf_listen_refused_total{problem=\"junk\"} 1",
        "sgf_listen_read_bytes_total 26",
        "sgf_listen_commit_failures_total 1",
        "sgf_listen_connections_accepted_total 1",
        "# EOF",
    ] {
        assert!(metrics.lines().any(|it| it == line), "{line} in {metrics}");
    }
    assert!(service.get("/").starts_with("HTTP/1.1 404"));
    // A client that asks nothing is closed.
    let mut mute = TcpStream::connect(service.monitor).unwrap();
    mute.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert!(mute.read(&mut [0; 1_000]).is_ok(), "neither closed nor answered");
}

#[test]
fn a_dropped_connection_loses_only_its_unfinished_game() {
    let (store, rows) = memory();
    let service = Service::start(store, quick());
    for cut in 0..24 {
        let mut client = service.connect();
        client.send(&b"(;B[pd])(;C[dd]) (;W[qq])"[..=cut]);
        drop(client);
    }
    until(|| {
        let metrics = service.metrics.text();
        metrics.contains("sgf_listen_connections_accepted_total 24\n") && metrics.contains("sgf_listen_connections 0\n")
    });
    let ids: Vec<_> = rows.lock().unwrap().iter().map(|row| row["id"].clone()).collect();
    assert_eq!(ids, [id("(;B[pd])"), id("(;C[dd])")], "whole games are not stored once");
}
