//! What `sgf listen` says to its operator.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use crate::command::{self, sgf, text};
use crate::listen::{Listen, STORES, folder, games};

fn lines_with(log: &str, what: &str) -> usize {
    log.lines().filter(|line| line.contains(what)).count()
}

/// Senders try again all the time.
#[test]
fn a_failure_is_logged_once_with_its_file_what_to_do_and_its_end() {
    for store in STORES {
        let folder = folder(&format!("failure_{store}"), &[]);
        let listen = Listen::start_to(store, &folder, &[]);
        assert_eq!(listen.talk(&games(0, 10)).len(), 10);
        let (path, away) = (folder.join(store), folder.join("away"));
        fs::rename(&path, &away).unwrap();
        for _ in 0..5 {
            assert_eq!(listen.talk(&games(10, 11))[0]["problem"], "not-stored");
        }
        fs::rename(&away, &path).unwrap();
        for from in [20, 40] {
            assert!(listen.talk(&games(from, from + 20)).iter().all(|line| line["new"] == true));
        }
        listen.signal("TERM");
        let (status, log) = listen.end();
        assert_eq!(status.code(), Some(0), "{log}");
        assert_eq!(lines_with(&log, "games could not be stored"), 1, "{log}");
        let why = format!(
            "{store}: the file was removed or renamed: nothing more is stored until it is back, or until a restart"
        );
        assert_eq!(lines_with(&log, &why), 1, "{log}");
        assert_eq!(lines_with(&log, "games can be stored again"), 1, "{log}");
    }
}

#[test]
fn the_first_that_is_turned_away_is_logged() {
    for (limit, option) in [("connections", "--connections"), ("connections from one address", "--per-address")] {
        let folder = folder(option, &[]);
        let listen = Listen::start(&folder, &[option, "1"]);
        let _inside = TcpStream::connect(&listen.address).unwrap();
        for _ in 0..10 {
            let mut line = String::new();
            BufReader::new(TcpStream::connect(&listen.address).unwrap()).read_line(&mut line).unwrap();
            assert!(line.contains("\"connections\""), "{line}");
        }
        listen.signal("TERM");
        let (_, log) = listen.end();
        assert_eq!(lines_with(&log, "turned away"), 1, "{log}");
        assert!(log.contains("WARN") && log.contains(&format!("limit=\"{limit}\"")), "{log}");
    }
}

/// Whoever it was is named, and it is no failure.
#[test]
fn a_client_that_does_not_read_is_named_when_the_service_stops() {
    use std::io::Write;
    use std::time::Duration;
    let folder = folder("unread", &[]);
    let listen = Listen::start(&folder, &[]);
    let mut deaf = TcpStream::connect(&listen.address).unwrap();
    deaf.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let flood = b"(;)".repeat(10_000);
    let (mut sent, mut before) = (0, None);
    // On a busy machine, it may need more than a second to read on. If it waits for the client, it takes no more once it waits.
    while before != Some(sent) {
        before = Some(sent);
        command::is_waiting(&listen.child);
        while let Ok(len) = deaf.write(&flood[sent % 3..]) {
            sent += len;
        }
    }
    listen.signal("TERM");
    let (status, log) = listen.end();
    assert_eq!(status.code(), Some(0), "{log}");
    let peer = format!("peer={}", deaf.local_addr().unwrap());
    assert!(log.lines().any(|line| line.contains(&peer) && line.contains("end=\"unread\"")), "{log}");
}

#[cfg(feature = "index")]
#[test]
fn a_database_in_a_directory_that_may_only_be_read_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("read_only_directory", &[]);
    drop(Listen::start_to("games.sqlite", &folder, &[]));
    let path = folder.join("games.sqlite");
    for left in ["-wal", "-shm"] {
        let _ = fs::remove_file(folder.join(format!("games.sqlite{left}")));
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let mut command = sgf();
    command.current_dir(&folder).args(["listen", "--to", "games.sqlite", "--on", "127.0.0.1:0"]);
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let output = command::without_permission(&mut command, &path);
    mode(0o755);
    let Some(output) = output else { return };
    let said = text(&output.stderr);
    assert!(said.contains("its directory has to be writable too"), "{said}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_store_is_not_named_like_what_is_packed() {
    let folder = folder("named_packed", &[]);
    for to in ["x.ndjson.gz", "x.zst", "games.tar.xz", "x.ZIP", "x.sqlite.7z", "x.tgz"] {
        let output = sgf().current_dir(&folder).args(["listen", "--to", to, "--on", "127.0.0.1:0"]).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{to}");
        assert!(text(&output.stderr).contains("its name says another format"), "{to}");
        assert!(!folder.join(to).exists());
    }
    drop(Listen::start_to("x.gz.log", &folder, &[]));
}
