//! The service as its operator meets it: files that are moved, clients that are in the way, what it says of itself.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener as Port, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use sgf_stream::listen::{Health, Metrics, Settings, Token, monitor, serve};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::support::service::{Client, Service, memory, quick, scratch};
use crate::support::wait::until;

/// Runs the example on files of a folder, and returns what it printed and its exit code.
pub(crate) fn run_client(service: &Service, folder: PathBuf, files: &[&str]) -> (String, Option<i32>) {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().and_then(Path::parent).unwrap().join("examples/listen_client");
    let mut client = std::process::Command::new(example.with_extension(std::env::consts::EXE_EXTENSION))
        .args(["--to", &service.address.to_string()])
        .args(files)
        .current_dir(folder)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it is there after `cargo build --examples --features listen`");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = client.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(30) {
            client.kill().unwrap();
            panic!("the client does not end");
        }
        thread::sleep(Duration::from_millis(10));
    };
    let mut printed = String::new();
    client.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    (printed, status.code())
}

/// Whether the last `]` ends the text shows in what comes next, which is nothing.
#[test]
fn the_client_does_not_wait_for_an_answer_that_depends_on_what_comes_next() {
    let (store, rows) = memory();
    let mut settings = quick();
    settings.game_time = Duration::from_secs(60);
    settings.idle = Duration::from_secs(60);
    let service = Service::start(store, settings);
    let folder = scratch("half_a_character");
    fs::write(folder.join("a.sgf"), b"(;B[bb])(;GM[1]CA[gb2312]PB[x];B[aa]C[\xA4\xA4\xA4\xE5\xA4])").unwrap();
    assert_eq!(run_client(&service, folder, &["a.sgf"]), ("2 games stored, 0 refused\n".to_owned(), Some(0)));
    assert_eq!(rows.lock().unwrap().len(), 2);
}

#[test]
fn a_client_that_does_not_read_does_not_hold_up_the_stop() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.idle = Duration::from_secs(300);
    settings.grace = Duration::from_secs(120);
    let service = Service::start(store, settings);
    let mut deaf = service.connect().0;
    let flood = "(;)".repeat(10_000);
    deaf.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    while deaf.write_all(flood.as_bytes()).is_ok() {}
    let begun = Instant::now();
    service.stop().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    drop(deaf);
}

#[test]
fn a_token_that_does_not_come_is_not_a_wrong_one() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.token = Some(Token::new(b"open sesame").unwrap());
    let service = Service::start(store, settings);
    // One that only looks whether somebody listens.
    drop(service.connect());
    assert!(service.talk(b"").is_empty());
    for begun in [&b""[..], b"open ses"] {
        let mut late = service.connect();
        late.send(begun);
        let line = late.line();
        assert_eq!((line["problem"].as_str(), line["retry"].as_bool()), (Some("idle"), Some(true)), "{line}");
    }
    let text = service.metrics.text();
    assert!(text.contains("sgf_listen_refused_total{problem=\"token\"} 0\n"), "{text}");
    assert!(text.contains("sgf_listen_refused_total{problem=\"idle\"} 2\n"), "{text}");
    assert_eq!(service.talk(b"open sesame\n(;B[pd])")[0]["status"], "accepted");
}

/// It is held back until it is clear whether the stream is UTF-16.
#[test]
fn a_line_end_is_not_the_beginning_of_a_game() {
    let (store, _) = memory();
    let mut settings = quick();
    settings.game_time = Duration::from_millis(300);
    let service = Service::start(store, settings);
    let mut client = service.connect();
    client.send(b"\n");
    assert_eq!(client.line()["problem"], "idle");
}

#[test]
fn refusals_are_counted_from_zero_and_games_where_they_are_stored() {
    let (store, _) = memory();
    let service = Service::start(store, quick());
    let begin = service.metrics.text();
    for problem in [
        "token",
        "connections",
        "idle",
        "game-time",
        "busy",
        "stopping",
        "not-stored",
        "junk",
        "unmatched-close",
        "unclosed-tree",
        "unexpected-eof",
        "value-too-long",
        "truncated-game",
        "unterminated-value",
        "limit-depth",
        "limit-node",
        "limit-values",
        "limit-game",
        "limit-problems",
    ] {
        let line = format!("sgf_listen_refused_total{{problem=\"{problem}\"}} 0");
        assert!(begin.lines().any(|it| it == line), "{line} in {begin}");
    }
    // This one is not there any more to be told.
    let mut client = service.connect();
    client.send(b"(;B[pd])(;B[pd])(;B[dd])");
    drop(client);
    until(|| service.metrics.text().contains("sgf_listen_games_stored_total 2\n"));
}

#[test]
fn clients_of_ipv4_have_their_addresses_behind_a_listener_for_both() {
    if Port::bind("[::]:0").is_err() {
        return;
    }
    let (store, rows) = memory();
    let mut settings = quick();
    settings.token = Some(Token::new(b"open sesame").unwrap());
    let service = Service::start_on("[::]:0", store, settings);
    let Ok(stream) = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], service.address.port()))) else { return };
    let mut client = Client(stream);
    client.send(b"open sesame\n(;B[pd])");
    assert_eq!(client.line()["status"], "accepted");
    let peer = rows.lock().unwrap()[0]["peer"].as_str().unwrap().to_owned();
    assert!(peer.starts_with("127.0.0.1:"), "{peer}");
}

#[test]
fn the_health_is_that_of_the_service_that_runs() {
    let metrics = Arc::new(Metrics::new());
    let runtime = Runtime::new().unwrap();
    let start = |settings: Settings| {
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let (store, _) = memory();
        let stopped = async move {
            let _ = stopped.await;
        };
        (
            stop,
            listener.local_addr().unwrap(),
            runtime.spawn(serve(listener, store, settings, Arc::clone(&metrics), stopped)),
        )
    };
    let talk = |address| {
        let mut client = Client(TcpStream::connect(address).unwrap());
        client.send(b"(;B[pd])");
        client.line()
    };
    for _ in 0..2 {
        let (stop, address, running) = start(quick());
        assert_eq!(talk(address)["status"], "accepted");
        assert_eq!(metrics.health(), Health::Fine);
        stop.send(()).unwrap();
        runtime.block_on(running).unwrap().unwrap();
        assert_eq!(metrics.health(), Health::Stopping);
    }
    let (_stop, address, running) = start(quick());
    assert_eq!(talk(address)["status"], "accepted");
    running.abort();
    assert!(runtime.block_on(running).is_err());
    assert_eq!(metrics.health(), Health::Stopping, "dropped");
}

#[test]
fn the_monitor_answers_nobody_after_its_end() {
    let runtime = Runtime::new().unwrap();
    let pages = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = pages.local_addr().unwrap();
    let monitor = runtime.spawn(monitor(pages, Arc::new(Metrics::new())));
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let get = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(get).unwrap();
    assert!(stream.read(&mut [0; 1_000]).unwrap() > 0);
    monitor.abort();
    assert!(runtime.block_on(monitor).is_err());
    // It is closed, in whatever way, once the request that it is at, if any, is answered.
    until(|| {
        let _ = (&stream).write_all(get);
        (&stream).read(&mut [0; 1_000]).unwrap_or(0) == 0
    });
}

#[cfg(feature = "index")]
mod database {
    use rusqlite::Connection;
    #[cfg(unix)]
    use sgf_stream::listen::ServeError;
    use sgf_stream::listen::{Entry, GameId, SqliteFile, Store};

    use super::*;

    #[cfg(unix)]
    fn count(path: &Path) -> i64 {
        let database = Connection::open(path).unwrap();
        database.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).unwrap()
    }

    fn games(from: usize, to: usize) -> Vec<u8> {
        (from..to).map(|number| format!("(;GN[{number}])")).collect::<Vec<_>>().concat().into_bytes()
    }

    fn start(path: &Path) -> Service {
        Service::start(SqliteFile::open(path).unwrap().0, quick())
    }

    fn accepted(service: &Service, games: &[u8]) -> usize {
        service.talk(games).iter().filter(|line| line["status"] == "accepted").count()
    }

    #[cfg(unix)]
    fn is_whole(path: &Path) -> bool {
        let database = Connection::open(path).unwrap();
        database.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap() == "ok"
    }

    /// What was acknowledged is in a log that SQLite, when it is closed, leaves under the name that the database had.
    #[cfg(unix)]
    #[test]
    fn a_database_that_was_renamed_gets_all_games() {
        for is_noticed in [true, false] {
            let folder = scratch(&format!("renamed_{is_noticed}"));
            let (path, old) = (folder.join("games.sqlite"), folder.join("old.sqlite"));
            let service = start(&path);
            assert_eq!(accepted(&service, &games(0, 300)), 300);
            fs::rename(&path, &old).unwrap();
            if is_noticed {
                for _ in 0..2 {
                    assert_eq!(service.talk(b"(;B[aa])")[0]["problem"], "not-stored");
                }
            }
            service.stop().unwrap();
            // Alone, as nobody would look for a log of another name.
            let copy = folder.join("copy.sqlite");
            fs::copy(&old, &copy).unwrap();
            assert_eq!(count(&copy), 300, "{is_noticed}");

            // The log is nobody's any more, so that another database can begin there.
            assert_eq!(SqliteFile::open(&path).unwrap().1.games, 0);
            fs::remove_file(&path).unwrap();
            fs::rename(&old, &path).unwrap();
            let service = start(&path);
            assert!(service.talk(&games(0, 300)).iter().all(|line| line["new"] == false));
            assert_eq!(service.talk(b"(;B[aa])")[0]["new"], true);
            service.stop().unwrap();
            assert_eq!(count(&path), 301);
        }
    }

    /// Nothing of what it had got under another name is undone by a log that was left.
    #[cfg(unix)]
    #[test]
    fn a_database_that_comes_back_later_is_not_set_back() {
        let folder = scratch("renamed_twice");
        let (path, old) = (folder.join("games.sqlite"), folder.join("old.sqlite"));
        let service = start(&path);
        assert_eq!(accepted(&service, &games(0, 300)), 300);
        fs::rename(&path, &old).unwrap();
        service.stop().unwrap();
        let service = start(&old);
        assert_eq!(accepted(&service, &games(300, 900)), 600);
        service.stop().unwrap();
        fs::rename(&old, &path).unwrap();
        assert_eq!(SqliteFile::open(&path).unwrap().1.games, 900);
        assert!(is_whole(&path));
    }

    /// The one that has the games has no name any more.
    #[cfg(unix)]
    #[test]
    fn a_database_that_was_replaced_by_a_copy_of_itself_is_kept() {
        for is_noticed in [true, false] {
            let folder = scratch(&format!("replaced_by_copy_{is_noticed}"));
            let (path, new) = (folder.join("games.sqlite"), folder.join("new.sqlite"));
            let service = start(&path);
            assert_eq!(accepted(&service, &games(0, 300)), 300);
            fs::copy(&path, &new).unwrap();
            fs::rename(&new, &path).unwrap();
            if is_noticed {
                for _ in 0..2 {
                    assert_eq!(service.talk(b"(;B[aa])")[0]["problem"], "not-stored");
                }
            }
            service.stop().unwrap();
            assert_eq!(SqliteFile::open(&path).unwrap().1.games, 0, "a log that is another's was taken");
            assert_eq!(SqliteFile::open(folder.join("games.sqlite.rescued-1")).unwrap().1.games, 300);
            assert!(!folder.join("games.sqlite.rescued-2").exists());
        }
    }

    /// A log has only what came after the database was last written to.
    #[cfg(unix)]
    #[test]
    fn a_backup_in_the_place_of_a_removed_database_is_not_damaged() {
        let folder = scratch("removed_with_backup");
        let (path, backup) = (folder.join("games.sqlite"), folder.join("backup.sqlite"));
        let service = start(&path);
        assert_eq!(accepted(&service, &games(0, 500)), 500);
        service.stop().unwrap();
        fs::copy(&path, &backup).unwrap();
        // Its name is taken.
        fs::write(folder.join("games.sqlite.rescued-1"), "mine").unwrap();
        let service = start(&path);
        for from in [500, 1_500, 2_500] {
            assert_eq!(accepted(&service, &games(from, from + 1_000)), 1_000);
        }
        fs::remove_file(&path).unwrap();
        service.stop().unwrap();
        fs::rename(&backup, &path).unwrap();
        assert_eq!(SqliteFile::open(&path).unwrap().1.games, 500);
        assert!(is_whole(&path));
        let rescued = folder.join("games.sqlite.rescued-2");
        assert_eq!(SqliteFile::open(&rescued).unwrap().1.games, 3_500);
        assert!(is_whole(&rescued));
        assert_eq!(fs::read(folder.join("games.sqlite.rescued-1")).unwrap(), b"mine");
    }

    /// Where the system tells the new name.
    #[cfg(target_os = "linux")]
    #[test]
    fn games_that_could_not_be_moved_are_named_by_the_error_of_the_service() {
        let folder = scratch("renamed_and_read");
        let (path, old) = (folder.join("games.sqlite"), folder.join("old.sqlite"));
        let mut settings = quick();
        settings.grace = Duration::from_secs(60);
        let service = Service::start(SqliteFile::open(&path).unwrap().0, settings);
        assert_eq!(accepted(&service, &games(0, 100)), 100);
        let reader = Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM games").unwrap();
        assert_eq!(accepted(&service, &games(100, 300)), 200);
        fs::rename(&path, &old).unwrap();
        let error = service.stop().unwrap_err();
        let [log, new] = ["games.sqlite-wal", "old.sqlite-wal"].map(|name| folder.join(name));
        let says = format!("only in {}, which has to become {} when", log.display(), new.display());
        assert!(matches!(error, ServeError::Io(_)) && error.to_string().contains(&says), "{error}");
        drop(reader);
        fs::rename(log, new).unwrap();
        assert_eq!(count(&old), 300);
    }

    /// Its log would be taken for that of the new one.
    #[cfg(unix)]
    #[test]
    fn a_database_in_the_place_of_another_gets_nothing_of_it() {
        let folder = scratch("replaced");
        let (path, old) = (folder.join("games.sqlite"), folder.join("old.sqlite"));
        start(&path).stop().unwrap();
        fs::copy(&path, folder.join("new.sqlite")).unwrap();
        let service = start(&path);
        assert_eq!(accepted(&service, &games(0, 300)), 300);
        fs::rename(&path, &old).unwrap();
        fs::rename(folder.join("new.sqlite"), &path).unwrap();
        service.stop().unwrap();
        assert_eq!((count(&old), count(&path)), (300, 0));
    }

    /// SQLite would delete it.
    #[test]
    fn a_log_without_its_database_is_left_alone() {
        let folder = scratch("log_alone");
        let (path, log) = (folder.join("games.sqlite"), folder.join("games.sqlite-wal"));
        let service = start(&path);
        assert_eq!(accepted(&service, &games(0, 300)), 300);
        // As if the process were killed now.
        let killed = scratch("log_alone_killed");
        let (moved, left) = (killed.join("games.sqlite"), killed.join("games.sqlite-wal"));
        fs::copy(&log, &left).unwrap();
        let len = left.metadata().unwrap().len();
        let places = [
            moved.clone(),
            #[cfg(unix)]
            {
                let link = killed.join("link.sqlite");
                std::os::unix::fs::symlink("games.sqlite", &link).unwrap();
                link
            },
        ];
        for is_there in [false, true] {
            if is_there {
                fs::write(&moved, "").unwrap();
            }
            for place in &places {
                let error = SqliteFile::open(place).unwrap_err();
                assert!(error.to_string().contains("games.sqlite-wal is the log of a database"), "{error}");
                assert_eq!((moved.exists(), left.metadata().unwrap().len()), (is_there, len));
            }
        }
        fs::copy(&path, &moved).unwrap();
        assert_eq!(SqliteFile::open(&moved).unwrap().1.games, 300);
    }

    #[test]
    fn the_log_becomes_short_again_when_a_long_reader_is_done() {
        let path = scratch("long_reader").join("games.sqlite");
        let (mut store, _) = SqliteFile::open(&path).unwrap();
        let mut number = 0;
        let mut commit = |games| {
            for _ in 0..games {
                number += 1;
                let id = GameId::of(format!("{number}").as_bytes());
                let row = format!("{{\"id\":\"{id}\",\"sgf\":\"{}\"}}\n", "x".repeat(1 << 20)).into_bytes();
                store.commit(&[Entry::new(id, row)]).unwrap();
            }
            path.with_extension("sqlite-wal").metadata().unwrap().len()
        };
        let reader = Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM games").unwrap();
        assert!(commit(40) > 40 << 20, "the reader does not hold the log");
        reader.execute_batch("COMMIT").unwrap();
        assert!(commit(3) <= 16 << 20);
    }
}
