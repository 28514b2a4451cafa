//! `sgf listen` as a process: how it starts and ends, and what it leaves behind.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use serde_json::Value;

use crate::command::{self, sgf, text};

pub(crate) fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    command::folder("listen_cli", name, files)
}

pub(crate) struct Listen {
    pub(crate) child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) address: String,
}

impl Listen {
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        Self::start_to("games.ndjson", folder, args)
    }

    pub(crate) fn start_to(store: &str, folder: &Path, args: &[&str]) -> Self {
        Self::spawn(sgf().current_dir(folder).args(["listen", "--to", store, "--on", "127.0.0.1:0"]).args(args))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let address = next(&mut out, "listening on ");
        Self { child, out, address }
    }

    pub(crate) fn talk(&self, bytes: &[u8]) -> Vec<Value> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(bytes).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        BufReader::new(stream).lines().map_while(Result::ok).map(|line| serde_json::from_str(&line).unwrap()).collect()
    }

    pub(crate) fn signal(&self, name: &str) {
        assert!(Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Waits until its log has a line with this, and returns the log so far.
    #[cfg(target_os = "linux")]
    fn logged(&mut self, what: &str) -> String {
        // Without a buffer, because the rest is read at the end.
        let stderr = self.child.stderr.as_mut().unwrap();
        let (mut log, mut byte) = (Vec::new(), [0]);
        loop {
            stderr.read_exact(&mut byte).unwrap();
            log.extend(byte);
            if byte == *b"\n" && text(&log).contains(what) {
                return text(&log).to_owned();
            }
        }
    }

    /// Its exit status and log.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        let status = self.child.wait().unwrap();
        assert!(!log.contains("panicked"), "{log}");
        (status, log)
    }
}

impl Drop for Listen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn next(out: &mut BufReader<ChildStdout>, start: &str) -> String {
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    line.trim_end().strip_prefix(start).unwrap_or_else(|| panic!("{line:?} begins otherwise")).to_owned()
}

/// The kinds of stores.
pub(crate) const STORES: &[&str] =
    if cfg!(feature = "index") { &["games.ndjson", "games.sqlite"] } else { &["games.ndjson"] };

/// The ids in a store of any kind.
fn ids_in(folder: &Path, store: &str) -> Vec<String> {
    #[cfg(feature = "index")]
    if store == "games.sqlite" {
        let database = rusqlite::Connection::open(folder.join(store)).unwrap();
        let mut ids = database.prepare("SELECT id FROM games ORDER BY rowid").unwrap();
        return ids.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    }
    assert_eq!(store, "games.ndjson");
    ids(folder)
}

fn ids(folder: &Path) -> Vec<String> {
    let file = fs::read_to_string(folder.join("games.ndjson")).unwrap();
    let id = |line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    file.lines().map(id).collect()
}

pub(crate) fn games(from: usize, to: usize) -> Vec<u8> {
    (from..to).flat_map(|number| format!("(;GN[{number}];B[pd])\n").into_bytes()).collect()
}

#[test]
fn a_signal_stops_it_cleanly() {
    crate::heed_ctrl_c();
    #[cfg(target_os = "linux")]
    crate::heed_hangups();
    let signals: &[&str] = if cfg!(target_os = "linux") { &["TERM", "INT", "HUP"] } else { &["TERM", "INT"] };
    for signal in signals {
        let folder = folder(signal, &[]);
        let listen = Listen::start(&folder, &[]);
        let mut open = TcpStream::connect(&listen.address).unwrap();
        open.write_all(b"(;B[pd])(;W[").unwrap();
        let mut lines = BufReader::new(open);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        listen.signal(signal);
        lines.read_line(&mut line).unwrap();
        assert!(line.contains("\"problem\":\"stopping\""), "{line}");
        drop(lines);
        let (status, log) = listen.end();
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(log.contains("stopped") && log.contains("memory_mib=512"), "{log}");
        assert_eq!(ids(&folder).len(), 1);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn it_outlives_its_terminal_if_it_was_started_to() {
    let folder = folder("nohup", &[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" listen --to games.ndjson --on 127.0.0.1:0", env!("CARGO_BIN_EXE_sgf")]);
    shell.current_dir(&folder).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let listen = Listen::spawn(&mut shell);
    listen.signal("HUP");
    assert_eq!(listen.talk(b"(;B[pd])")[0]["status"], "accepted");
    listen.signal("TERM");
    let (status, log) = listen.end();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// A game that is stored already would not be stored as the options now say, and nobody would be told.
#[test]
fn a_store_keeps_to_games_or_to_rows_alone() {
    for store in STORES {
        for (keeps, made) in [(true, "with --keep-sgf: give it"), (false, "without --keep-sgf: leave it out")] {
            let folder = folder(&format!("keeps-{keeps}-{store}"), &[]);
            let args = |is_kept| if is_kept { &["--keep-sgf"][..] } else { &[] };
            // Nothing is in it yet.
            drop(Listen::start_to(store, &folder, args(!keeps)));
            for _ in 0..2 {
                let listen = Listen::start_to(store, &folder, args(keeps));
                assert_eq!(listen.talk("(;C[\"sgf\":])(;C[\u{3}])".as_bytes()).len(), 2);
                listen.signal("TERM");
                assert_eq!(listen.end().0.code(), Some(0));
            }
            let mut other = sgf();
            other.current_dir(&folder).args(["listen", "--to", store, "--on", "127.0.0.1:0"]).args(args(!keeps));
            let output = other.output().unwrap();
            let said = format!("it was made {made}, or write to another file\n");
            assert!(text(&output.stderr).ends_with(&format!("sgf: {store}: {said}")), "{output:?}");
            assert_eq!((text(&output.stdout), output.status.code()), ("", Some(2)));
        }
    }
}

#[test]
fn a_port_that_is_taken_leaves_no_store_behind() {
    let folder = folder("port", &[]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (on, metrics) in [(&*address, "127.0.0.1:0"), ("127.0.0.1:0", &*address)] {
        let args = ["listen", "--to", "games.ndjson", "--on", on, "--metrics", metrics];
        let output = sgf().current_dir(&folder).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).contains(&address), "{output:?}");
        assert!(!folder.join("games.ndjson").exists());
    }
}

#[test]
fn acknowledged_games_survive_a_kill_and_are_stored_once() {
    for store in STORES {
        survives_a_kill(store);
    }
}

fn survives_a_kill(store: &str) {
    let folder = folder(&format!("kill-{store}"), &[]);
    let mut acknowledged = Vec::new();
    for life in 0..4 {
        let listen = Listen::start_to(store, &folder, &[]);
        let mut stream = TcpStream::connect(&listen.address).unwrap();
        let mut sender = stream.try_clone().unwrap();
        // Each run gets all games again, and acknowledges those stored before as well.
        let sending = std::thread::spawn(move || sender.write_all(&games(0, 5_000)));
        let mut lines = BufReader::new(&mut stream).lines();
        for _ in 0..(life + 1) * 700 {
            let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            acknowledged.push(line["id"].as_str().unwrap().to_owned());
        }
        listen.signal("KILL");
        let _ = sending.join().unwrap();
        let (status, _) = listen.end();
        assert_eq!(status.code(), None);
    }
    let listen = Listen::start_to(store, &folder, &[]);
    assert_eq!(listen.talk(&games(0, 5_000)).len(), 5_000);
    let mut stored = ids_in(&folder, store);
    stored.sort_unstable();
    let count = stored.len();
    stored.dedup();
    assert_eq!((stored.len(), count), (5_000, 5_000), "each game once");
    assert!(acknowledged.iter().all(|id| stored.binary_search(id).is_ok()));
}

#[test]
fn a_full_disk_stops_nothing_and_loses_nothing() {
    for store in STORES {
        survives_a_full_disk(store);
    }
}

fn survives_a_full_disk(store: &str) {
    let folder = folder(&format!("full-{store}"), &[]);
    // With XFSZ ignored, a write over the limit fails after its first bytes, as on a full disk.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_sgf")]);
    shell.args(["listen", "--to", store, "--on", "127.0.0.1:0"]).current_dir(&folder);
    shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let listen = Listen::spawn(&mut shell);
    let lines: Vec<_> = (0..10).flat_map(|part| listen.talk(&games(part * 20, part * 20 + 20))).collect();
    let (stored, refused): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line["status"] == "accepted");
    assert!(!stored.is_empty() && !refused.is_empty(), "{} fit, {} do not", stored.len(), refused.len());
    assert!(refused.iter().all(|line| line["problem"] == "not-stored" && line["retry"] == true));
    assert_eq!(ids_in(&folder, store).len(), stored.len(), "whole rows while the disk is full");
    listen.signal("TERM");
    let (status, log) = listen.end();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("could not be stored"), "{log}");

    let listen = Listen::start_to(store, &folder, &[]);
    let again = listen.talk(&games(0, 200));
    assert_eq!(again.iter().filter(|line| line["new"] == false).count(), stored.len());
    assert_eq!(ids_in(&folder, store).len(), 200);
}

#[test]
fn the_log_tells_games_that_came_again_from_rows() {
    for store in STORES {
        let folder = folder(&format!("repeated_{store}"), &[]);
        let listen = Listen::start_to(store, &folder, &[]);
        assert_eq!(listen.talk(&b"(;B[pd])".repeat(3)).len(), 3);
        listen.signal("TERM");
        let (_, log) = listen.end();
        assert!(log.contains("stored=1 repeated=2"), "{log}");
        assert_eq!(ids_in(&folder, store).len(), 1);
    }
}

#[cfg(feature = "index")]
#[test]
fn a_database_that_may_only_be_read_is_refused_and_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("read_only", &[]);
    let listen = Listen::start_to("games.sqlite", &folder, &[]);
    listen.talk(b"(;B[pd])");
    listen.signal("TERM");
    listen.end();
    let path = folder.join("games.sqlite");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let mut command = sgf();
    command.current_dir(&folder).args(["listen", "--to", "games.sqlite", "--on", "127.0.0.1:0"]);
    let Some(output) = command::without_permission(&mut command, &path) else { return };
    assert_eq!((text(&output.stderr), output.status.code()), ("sgf: games.sqlite: Permission denied\n", Some(2)));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "something is left beside it");
}

#[test]
fn a_torn_last_line_is_truncated_and_logged() {
    let folder =
        folder("torn", &[("games.ndjson", b"{\"id\":\"44bec11a0f2c2a84625ed30d055e929b\"}\nmine\n{\"id\":\"44b")]);
    let listen = Listen::start(&folder, &["--log", "json"]);
    assert_eq!(listen.talk(b"(;B[pd])")[0]["new"], false);
    listen.signal("TERM");
    let (_, log) = listen.end();
    let log: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(log.iter().any(|line| line["level"] == "WARN" && line["bytes"] == 10), "{log:?}");
    assert!(log.iter().any(|line| line["level"] == "WARN" && line["lines"] == 1), "{log:?}");
    let file = fs::read_to_string(folder.join("games.ndjson")).unwrap();
    assert!(file.ends_with("\nmine\n"), "{file}");
}

#[test]
fn without_a_token_file_only_loopback_addresses_are_allowed() {
    let folder = folder("token", &[("token", b"open sesame\nand a remark\n"), ("empty", b"\n")]);
    for (args, expected) in [
        (&["--on", "0.0.0.0:0"][..], "without a token"),
        (&["--on", "[::]:0"], "without a token"),
        (&["--on", "127.0.0.1:0", "--metrics", "0.0.0.0:0"], "without a token"),
        (&["--token-file", "empty"], "the token is empty"),
        (&["--token-file", "none"], "none: No such file"),
        (&["--on", "127.0.0.1:0", "--memory", "10"], "MiB of memory"),
        (&["--connections", "0"], "expected a whole number of at least 1"),
        (&["--on", "7070"], "expected HOST:PORT, as 127.0.0.1:7070"),
        (&["--on", ":7070"], "expected HOST:PORT, as 127.0.0.1:7070"),
        (&["--metrics", "localhost"], "expected HOST:PORT, as 127.0.0.1:7070"),
    ] {
        let output = sgf().current_dir(&folder).args(["listen", "--to", "games.ndjson"]).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
        assert!(!folder.join("games.ndjson").exists(), "{args:?}");
    }
    let args = ["listen", "--to", "games.ndjson", "--on", "0.0.0.0:0", "--log", "json"];
    let output = sgf().current_dir(&folder).args(args).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&said["level"], output.status.code()), (&"ERROR".into(), Some(2)));
    assert!(said["message"].as_str().unwrap().starts_with("0.0.0.0:0: without a token"), "{said}");
    let listen = Listen::start(&folder, &["--token-file", "token", "--keep-sgf"]);
    assert_eq!(listen.talk(b"(;B[pd])")[0]["problem"], "token");
    assert_eq!(listen.talk(b"open sesame\n(;B[pd])")[0]["status"], "accepted");
    let row: Value = serde_json::from_slice(&fs::read(folder.join("games.ndjson")).unwrap()).unwrap();
    assert_eq!(row["sgf"], "(;B[pd])");
}

// With 32 bits, memory has less room.
#[cfg(all(feature = "index", target_pointer_width = "64"))]
#[test]
fn no_longer_game_is_allowed_than_a_row_has_room_for() {
    let folder = folder("room", &[]);
    let args = ["listen", "--to", "games.sqlite", "--on", "127.0.0.1:0", "--memory", "10000", "--longest-game", "941"];
    let output = sgf().current_dir(&folder).args(args).arg("--keep-sgf").output().unwrap();
    let said = "sgf: games.sqlite: with --keep-sgf, a row has room for games of at most 940 MiB: see --longest-game\n";
    assert_eq!((text(&output.stderr), output.status.code()), (said, Some(2)));
}

#[test]
fn a_store_is_locked_by_one_process() {
    let folder = folder("locked", &[]);
    let _listen = Listen::start(&folder, &[]);
    let output =
        sgf().current_dir(&folder).args(["listen", "--to", "games.ndjson", "--on", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("games.ndjson: another process holds it"), "{}", text(&output.stderr));
}

#[test]
fn a_store_is_not_named_like_what_it_is_not() {
    let folder = folder("named", &[]);
    for to in ["x.parquet", "x.csv", "x.arrow", "x.feather", "x.IPC"] {
        let output = sgf().current_dir(&folder).args(["listen", "--to", to, "--on", "127.0.0.1:0"]).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{to}");
        assert!(text(&output.stderr).contains(&format!("{to}: games are kept in lines of JSON")), "{to}");
        assert!(!folder.join(to).exists());
    }
}

#[cfg(unix)]
#[test]
fn stores_that_are_not_files_are_refused_at_start() {
    let folder = folder("no-file", &[]);
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    for to in ["/dev/null", "pipe", ".", "-"] {
        let output = sgf().current_dir(&folder).args(["listen", "--to", to, "--on", "127.0.0.1:0"]).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{to}");
        let expected = format!("{to}: it is not a file that games can be kept in");
        assert!(text(&output.stderr).contains(&expected), "{}", text(&output.stderr));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn as_many_files_may_be_open_as_connections_take_or_it_is_told() {
    let folder = folder("descriptors", &[]);
    for (limit, is_enough) in [("ulimit -Sn 40", true), ("ulimit -n 40", false)] {
        let mut command = Command::new("sh");
        command.current_dir(&folder).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.args(["-c", &format!("{limit}; exec \"$0\" listen --to games.ndjson --on 127.0.0.1:0")]);
        let mut listen = Listen::spawn(command.arg(sgf().get_program()));
        let mut clients: Vec<_> = (0..50).map(|_| TcpStream::connect(&listen.address).unwrap()).collect();
        let mut log = String::new();
        if is_enough {
            let last = clients.last_mut().unwrap();
            last.write_all(b"(;B[aa])").unwrap();
            BufReader::new(last).read_line(&mut String::new()).unwrap();
        } else {
            log = listen.logged("no connection could be accepted");
            // Several times as long as it waits before it tries again, and says nothing more.
            std::thread::sleep(Duration::from_millis(500));
        }
        listen.signal("TERM");
        let (status, rest) = listen.end();
        log += &rest;
        assert_eq!(status.code(), Some(0), "{log}");
        let told = |text| log.lines().filter(|line| line.contains(text)).count();
        let expected = if is_enough { (0, 0) } else { (1, 1) };
        let found = (told("too few files may be open"), told("no connection could be accepted"));
        assert_eq!(found, expected, "{limit}: {log}");
    }
}

#[test]
fn the_metrics_address_is_printed_too() {
    let folder = folder("metrics", &[]);
    let mut listen = Listen::start(&folder, &["--metrics", "127.0.0.1:0"]);
    let address = next(&mut listen.out, "metrics on http://").replace("/metrics", "");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /health HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("{\"status\":\"ok\"}\n"), "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_whatever_comes() {
    let folder = folder("memory", &[]);
    let listen = Listen::start(&folder, &["--connections", "200", "--memory", "128", "--longest-game", "8"]);
    let large: Vec<u8> = b"(;C[".iter().copied().chain(std::iter::repeat_n(b'x', 7 << 20)).collect();
    // Each wants 7 MiB to be held.
    let streams: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(&listen.address).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
            let mut sent = 0;
            while let Ok(len) = stream.write(&large[sent..]) {
                sent += len;
                if sent == large.len() {
                    break;
                }
            }
            stream
        })
        .collect();
    assert_eq!(listen.talk(b"(;B[pd])")[0]["status"], "accepted", "a small game is accepted");
    let peak = command::peak_memory(&listen.child).unwrap();
    assert!(peak < 128 << 10, "{peak} KiB");
    drop(streams);
}

#[cfg(feature = "index")]
#[test]
fn a_database_has_the_columns_of_the_rows() {
    let folder = folder("database", &[("other.sqlite", b"")]);
    let listen = Listen::start_to("games.sqlite", &folder, &["--keep-sgf"]);
    let game = "(;GM[1]SZ[9]KM[6.5]PB[\u{9053}\u{7B56}]RE[B+3];B[ee];W[cc])";
    assert_eq!(listen.talk(format!("{game}{game}(;CA[Big5]PB[\u{3}])").as_bytes()).len(), 3);
    let database = rusqlite::Connection::open(folder.join("games.sqlite")).unwrap();
    let sql = "SELECT black, size, komi, moves, winner, sgf, peer LIKE '127.0.0.1:%', received LIKE '20%Z' FROM games";
    let row = database.query_row(sql, [], |row| {
        let text = |at| row.get::<_, String>(at);
        Ok((text(0)?, row.get(1)?, row.get(2)?, row.get(3)?, text(4)?, text(5)?, (row.get(6)?, row.get(7)?)))
    });
    let expected = ("\u{9053}\u{7B56}".into(), 9, 6.5, 2, "B".into(), game.into(), (true, true));
    assert_eq!(row.unwrap(), expected);
    let blob: Vec<u8> = database.query_row("SELECT sgf FROM games WHERE rowid = 2", [], |row| row.get(0)).unwrap();
    assert_eq!(blob, "(;CA[Big5]PB[\u{3}])".as_bytes());

    let other = rusqlite::Connection::open(folder.join("other.sqlite")).unwrap();
    other.execute_batch("CREATE TABLE mine(x)").unwrap();
    let args = ["listen", "--to", "other.sqlite", "--on", "127.0.0.1:0"];
    let output = sgf().current_dir(&folder).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("it is a database of something else"), "{}", text(&output.stderr));
}

#[cfg(feature = "index")]
#[test]
fn a_database_is_the_file_of_that_name_whatever_it_looks_like() {
    let folder = folder("plain-name", &[]);
    drop(Listen::start_to("file:games.sqlite", &folder, &[]));
    assert!(folder.join("file:games.sqlite").exists());
    let args = ["listen", "--to", "nowhere/games.sqlite", "--on", "127.0.0.1:0"];
    let output = sgf().current_dir(&folder).args(args).output().unwrap();
    let said = "sgf: nowhere/games.sqlite: No such file or directory\n";
    assert_eq!((text(&output.stderr), output.status.code()), (said, Some(2)));
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_log_does_not_stop_it() {
    use std::process::Stdio;

    let folder = folder("log", &[]);
    let start = |stderr: Stdio| {
        let mut command = sgf();
        let args = ["listen", "--to", "games.ndjson", "--on", "127.0.0.1:0", "--log", "json", "--log-level", "debug"];
        Listen::spawn(command.current_dir(&folder).args(args).stderr(stderr))
    };
    let end = |mut listen: Listen| {
        listen.signal("TERM");
        assert_eq!(listen.child.wait().unwrap().code(), Some(0));
    };

    let listen = start(fs::File::options().write(true).open("/dev/full").unwrap().into());
    assert_eq!(listen.talk(b"(;B[aa])")[0]["status"], "accepted");
    end(listen);

    // An unread pipe usually holds 64 KiB.
    let (unread, log) = std::io::pipe().unwrap();
    let listen = start(log.into());
    let many = "(;B[bb]x)".repeat(20);
    for _ in 0..300 {
        assert_eq!(listen.talk(many.as_bytes()).len(), 20);
    }
    end(listen);
    drop(unread);

    let (unread, log) = std::io::pipe().unwrap();
    drop(unread);
    let listen = start(log.into());
    assert_eq!(listen.talk(b"(;B[cc])")[0]["status"], "accepted");
    end(listen);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_size_limit_is_like_a_full_disk() {
    let folder = folder("file_size", &[]);
    let program = sgf();
    let mut command = Command::new("sh");
    command.current_dir(&folder).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    command.args(["-c", "ulimit -f 100; exec \"$0\" listen --to games.ndjson --keep-sgf --on 127.0.0.1:0"]);
    let listen = Listen::spawn(command.arg(program.get_program()));
    let game = format!("(;C[{}])", "x".repeat(100_000));
    assert_eq!(listen.talk(b"(;B[aa])")[0]["status"], "accepted");
    assert_eq!(listen.talk(game.as_bytes())[0]["problem"], "not-stored");
    assert_eq!(listen.talk(b"(;B[bb])")[0]["status"], "accepted", "a small game still fits");
    listen.signal("TERM");
    assert!(listen.end().0.success());
    assert_eq!(fs::read_to_string(folder.join("games.ndjson")).unwrap().lines().count(), 2);
}
