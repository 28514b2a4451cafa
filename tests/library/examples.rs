//! The examples do what their first lines promise, on files of the repository.
//!
//! `cargo test` builds them. Before `cargo test --test library` alone, run `cargo build --examples`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use sgf_stream::{Config, Event, Parser, events};

use crate::support::scratch::folder;

const KINDS: [&str; 5] = ["moves", "comments", "variations", "giant", "pathological"];

fn example(name: &str) -> Command {
    let test = std::env::current_exe().expect("a test knows where it is");
    let dir = test.parent().and_then(Path::parent).expect("tests lie in `deps`").join("examples");
    let path = dir.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.is_file(), "{} is not there: run `cargo build --examples`", path.display());
    let mut command = Command::new(path);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run(name: &str, args: &[&str]) -> Output {
    example(name).args(args).output().expect("the example starts")
}

fn stdout(name: &str, args: &[&str]) -> String {
    let output = run(name, args);
    let output_text = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{name} {args:?}: {}", String::from_utf8_lossy(&output_text));
    String::from_utf8(output.stdout).expect("UTF-8 on standard output")
}

/// An empty directory of this test's own.
#[track_caller]
fn scratch(name: &str) -> PathBuf {
    folder("examples", name)
}

fn pro_files() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/pro");
    let mut files: Vec<String> = fs::read_dir(dir)
        .expect("the games are part of the package")
        .map(|entry| format!("corpora/pro/{}", entry.expect("a readable entry").file_name().display()))
        .collect();
    files.sort();
    files
}

#[test]
fn count_counts_games_and_nodes_of_all_files() {
    assert_eq!(
        stdout("count", &["corpora/cases/two-games.sgf", "corpora/cases/empty-nodes.sgf"]),
        "3 games, 8 nodes\n"
    );
    assert_eq!(stdout("count", &["corpora/cases/empty.sgf"]), "0 games, 0 nodes\n");
    assert!(!run("count", &["no/such/file.sgf"]).status.success());
}

#[test]
fn mainline_prints_the_moves_of_each_game_and_no_variation() {
    let game = stdout("mainline", &["corpora/pro/kato-masao-cho-chikun.sgf"]);
    assert!(game.starts_with("pd dd pq cp eq hp eo dn cq bq "), "{game}");
    assert!(game.ends_with(" ln lm mn mm\n"), "{game}");
    assert_eq!(game.lines().count(), 1);
    assert_eq!(stdout("mainline", &["corpora/cases/node-after-variation.sgf"]), "pd dd pp\n");
    assert_eq!(
        stdout("mainline", &["corpora/cases/passes.sgf", "corpora/cases/two-games.sgf"]),
        "tt pass pd\npd\ni3\n"
    );
}

#[test]
fn find_player_finds_a_name_in_any_case_on_either_side() {
    let files = [
        "corpora/pro/1849-12-31-honinbo-shusaku-yasui-sanchi-ix.sgf",
        "corpora/pro/1957-04-14-kitani-minoru-go-seigen.sgf",
    ];
    for name in ["SHUSAKU", "yasui"] {
        let found = stdout("find_player", &[&[name], &files[..]].concat());
        assert_eq!(found, format!("{}:1:1: Honinbo Shusaku - Yasui Sanchi IX, 1849-12-31, B+11\n", files[0]));
    }
    assert_eq!(stdout("find_player", &[&["nobody"], &files[..]].concat()), "");
}

#[cfg(feature = "index")]
#[test]
fn custom_index_counts_who_met_whom() {
    let file = "corpora/pro/1849-12-31-honinbo-shusaku-yasui-sanchi-ix.sgf";
    let row = "Honinbo Shusaku\t1\tYasui Sanchi IX\t0\t0\n";
    assert_eq!(stdout("custom_index", &[file]), format!("1\t{row}"));
    let all = pro_files();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let found = stdout("custom_index", &all);
    assert!(found.contains(row), "{found}");
    let games = found.lines().map(|line| line.split('\t').next().and_then(|count| count.parse::<u32>().ok()));
    assert_eq!(games.sum::<Option<u32>>(), Some(365));
}

#[test]
fn parallel_prints_every_game_in_the_order_of_the_file() {
    let path = scratch("parallel").join("games.sgf");
    let archive = run("generate", &["moves", "2MB", "--seed", "7"]).stdout;
    fs::write(&path, &archive).expect("a writable target directory");
    let path = path.to_str().expect("a plain path");

    let rows = stdout("parallel", &[path]);
    let starts: Vec<String> = events(&archive)
        .filter_map(|event| match event.expect("lenient reading goes on") {
            Event::Enter(tree) if tree.depth() == 1 => Some(tree.position().to_string()),
            _ => None,
        })
        .collect();
    let shown: Vec<&str> = rows.lines().filter_map(|row| row.split('\t').next()).collect();
    assert!(starts.len() > 500, "enough games for several tasks");
    assert_eq!(shown, starts);
}

#[test]
fn parallel_reports_junk_between_games_and_goes_on() {
    let output = run("parallel", &["corpora/cases/junk-between-games.sgf"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("2:1: junk"));
}

#[test]
fn parallel_reads_each_game_as_a_part_of_its_file() {
    let path = scratch("parallel-utf-16").join("games.sgf");
    let text = "\u{FEFF}(;PB[道策];B[pd])\n(;PB[秀策];B[qd])";
    fs::write(&path, text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        .expect("a writable directory");
    let rows = stdout("parallel", &[path.to_str().expect("a plain path")]);
    assert_eq!(rows, "1:3\t道策\t\t1 moves\n2:1\t秀策\t\t1 moves\n");
}

/// Kills the listener when dropped, also in a failing test.
struct Listener(Child);

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn tcp_ingest_prints_a_row_as_soon_as_a_game_ends() {
    let child = example("tcp_ingest")
        .args(["--addr", "127.0.0.1:0", "--connections", "2"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example starts");
    let mut listener = Listener(child);
    let mut lines = BufReader::new(listener.0.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().expect("a line").expect("UTF-8 on standard output");

    let first = line();
    let address = first.strip_prefix("listening on ").expect("the address comes first");
    let mut open = TcpStream::connect(address).expect("it listens");
    // The second game has begun, and stops in the middle of a token; the first game's row must not wait for it.
    open.write_all(b"(;PB[Shusaku]PW[Gennan]RE[B+2];B[qd];W[dc])\n(;PB[Shu").expect("it reads");
    assert_eq!(line(), "Shusaku\tGennan\tB+2\t3 nodes\t0 problems");

    let mut other = TcpStream::connect(address).expect("it listens to others meanwhile");
    other.write_all(b"mail (;PB[Ann]PW[Bob];B[qd]]").expect("it reads");
    drop(other);
    assert_eq!(line(), "Ann\tBob\t\t2 nodes\t2 problems");

    open.write_all(b"wa]PW[Sanchi];B[pd])").expect("it still reads");
    assert_eq!(line(), "Shuwa\tSanchi\t\t2 nodes\t0 problems");
    drop(open);

    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        if let Some(status) = listener.0.try_wait().expect("a child to wait for") {
            assert!(status.success());
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it did not end after two connections");
}

#[test]
fn generate_gives_the_same_bytes_for_the_same_seed_and_no_others() {
    for kind in KINDS {
        let one = run("generate", &[kind, "200kB", "--seed", "1"]);
        assert!(one.status.success());
        assert!(one.stdout.len() >= 200_000, "{kind}: {} bytes", one.stdout.len());
        assert!(one.stdout.len() < 300_000, "{kind}: {} bytes", one.stdout.len());
        assert_eq!(one.stdout, run("generate", &[kind, "200kB"]).stdout, "{kind}");
        assert_ne!(one.stdout, run("generate", &[kind, "200kB", "--seed", "2"]).stdout, "{kind}");
    }
}

#[test]
fn only_pathological_archives_have_problems() {
    for kind in KINDS {
        let archive = run("generate", &[kind, "500kB", "--seed", "3"]).stdout;
        let games =
            events(&archive).filter(|event| matches!(event, Ok(Event::Enter(tree)) if tree.depth() == 1)).count();
        assert_eq!(games == 1, kind == "giant", "{kind}: {games} games");
        let strict = Parser::with_config(Config::new().strict(true)).read_slice(&archive, &mut Nothing);
        assert_eq!(strict.is_err(), kind == "pathological", "{kind}: {strict:?}");
    }
}

struct Nothing;

impl sgf_stream::Visitor for Nothing {
    type Break = std::convert::Infallible;
}

/// Standard output of an example, given `input` on standard input.
fn piped(name: &str, args: &[&str], input: &str) -> String {
    let mut child = example(name).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("a child to wait for");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8 on standard output")
}

#[test]
fn resync_limits_the_cost_of_a_cut_to_one_game() {
    let table = stdout("damage", &["corpora/pro"]);
    let cut: Vec<&str> = table.lines().find(|line| line.starts_with("cut off ")).unwrap().split_whitespace().collect();
    let [plain, resync] = [2, 1].map(|column| cut[cut.len() - column].parse::<f64>().unwrap());
    assert!(plain > 5.0 && resync <= 1.05, "{table}");
}

#[test]
fn opening_book_counts_rotated_and_mirrored_openings_as_one() {
    let games = "(;B[pd];W[dp];B[pp])(;B[dp];W[pd];B[dd])(;B[dd];W[pp];B[pd])(;B[pd];W[dd];B[pq])(;B[];W[zz];B[aa])\
                 (;SZ[9]B[ee];W[ce];B[gg])(;HA[2]AB[pd][dp];W[dd];B[pp];W[qf])(;GM[11]B[a1];W[b1];B[c1])(;B[pd])";
    assert_eq!(
        piped("opening_book", &["--moves", "3", "-"], games),
        "5 games, 3 openings of 3 moves\n\n       \
         3   60.0 %   Q16 D4  D16\n       \
         1   20.0 %   -   -   T19\n       \
         1   20.0 %   Q16 D16 Q3\n"
    );
    assert_eq!(piped("opening_book", &["-"], ""), "0 games, 0 openings of 4 moves\n\n");
}

#[test]
fn opening_book_reads_the_games_of_the_repository_by_default() {
    let book = stdout("opening_book", &["--moves", "2", "--top", "3"]);
    assert_eq!(book, stdout("opening_book", &["--moves", "2", "--top", "3", "corpora/pro"]));
    assert_eq!(book.lines().count(), 5);
    assert!(book.starts_with('3'), "{book}");
}

#[test]
fn heatmap_draws_a_circle_for_each_point_with_a_move() {
    let svg = piped("heatmap", &["-"], "(;B[pd];W[dp];B[tt];W[pd];B[](;W[aa])(;W[bb]))(;SZ[9];B[ee])(;B[zz])");
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
    for title in ["<title>Q16: 2</title>", "<title>D4: 1</title>", "<title>A19: 1</title>", "of 2 games"] {
        assert!(svg.contains(title), "{title} in {svg}");
    }
    assert_eq!(svg.matches("</title></circle>").count(), 3);
    assert_eq!(svg.matches("r=\"3.6\"").count(), 9, "the nine star points");
    let nine = piped("heatmap", &["--size", "9", "--moves", "1", "-"], "(;SZ[9];B[ee];W[cc])");
    assert!(nine.contains("<title>E5: 1</title>") && !nine.contains("<title>C7: 1</title>"), "{nine}");
    let empty = piped("heatmap", &["-"], "");
    assert!(empty.contains("of 0 games") && !empty.contains("NaN"), "{empty}");
}

#[test]
fn opening_book_and_heatmap_report_errors_and_wrong_usage() {
    for name in ["opening_book", "heatmap"] {
        let output = run(name, &["no/such/file.sgf"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("no/such/file.sgf: "), "{name}");
        for args in [&["--moves"][..], &["--moves", "x"], &["--moves", "0"], &["--no-such-flag"]] {
            let output = run(name, args);
            assert_eq!(output.status.code(), Some(2), "{name} {args:?}");
            assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: "), "{name} {args:?}");
        }
        let mut child = example(name).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("a child to wait for");
        assert!(output.status.success(), "{name} into a closed pipe");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    }
}

#[test]
fn generate_stops_quietly_if_its_pipe_is_closed() {
    let mut child = example("generate")
        .args(["moves", "1GB"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example starts");
    let mut start = [0; 100];
    child.stdout.take().expect("a pipe").read_exact(&mut start).expect("some bytes");
    let output = child.wait_with_output().expect("a child to wait for");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn generate_prints_its_usage_for_wrong_arguments() {
    for args in [&[][..], &["moves"], &["chess", "1MB"], &["moves", "1XB"], &["moves", "1MB", "--seed", "x"]] {
        let output = run("generate", args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: generate"), "{args:?}");
    }
}

#[test]
fn extract_facts_leaves_bare_facts_as_they_are() {
    let out = scratch("extract_facts");
    let dir = out.to_str().expect("a plain path");
    // The file whose game has no date is taken only if it is named.
    let games = stdout("extract_facts", &[dir, "corpora/pro", "corpora/pro/kato-masao-cho-chikun.sgf"]);
    assert_eq!(games, "365 games\n");
    for file in pro_files() {
        let name = Path::new(&file).file_name().expect("a file");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(fs::read(out.join(name)).ok(), fs::read(root.join(&file)).ok(), "{file}");
    }
    assert_eq!(fs::read_dir(&out).expect("a directory").count(), pro_files().len());
}

#[test]
fn extract_facts_keeps_the_game_and_drops_comments() {
    let dir = scratch("extract_facts_prose");
    let mut moves = String::new();
    for row in b"abcdefgh" {
        for columns in ["ab", "cd", "ef", "gh"] {
            let (row, (black, white)) = (char::from(*row), columns.split_at(1));
            moves.extend([";B[", black, &row.to_string(), "];W[", white, &row.to_string(), "]"]);
        }
    }
    let game = format!(
        "(;PB[Ann]PW[Bob 9d]DT[1950/3/7-8]RE[B+Resign]US[me]C[hello]{moves}C[a [mistake\\]](;B[sa];W[sb])\
         ;B[ss]C[the game goes on here];W[rr](;B[qq])(;B[pp]))"
    );
    fs::write(dir.join("prose.sgf"), game).expect("a writable target directory");
    let facts = dir.join("facts");
    let paths = [facts.to_str().expect("a plain path"), dir.to_str().expect("a plain path")];
    assert_eq!(stdout("extract_facts", &paths), "1 games\n");
    let written = fs::read_to_string(facts.join("1950-03-07-ann-bob-9d.sgf")).expect("a file of its own");
    assert!(
        written
            .starts_with("(;FF[4]CA[UTF-8]GM[1]SZ[19]\nDT[1950-03-07,08]\nPB[Ann]\nPW[Bob 9d]\nRE[B+R]\n;B[aa];W[ba]")
    );
    assert!(written.ends_with(";B[ss];W[rr];B[qq])\n"), "{written}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let file = scratch("closed-pipe").join("games.sgf");
    fs::write(&file, run("generate", &["moves", "4MB"]).stdout).expect("a writable target directory");
    let file = file.to_str().expect("a path in UTF-8");
    for (name, args) in [("mainline", &[file][..]), ("find_player", &["", file]), ("parallel", &[file])] {
        let mut child =
            example(name).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the example starts");
        // More is printed than a pipe holds, so a write must fail.
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the example ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
        assert!(output.status.success(), "{name}: {}", output.status);
    }
}

#[cfg(feature = "listen")]
#[test]
fn listen_client_resends_unacknowledged_games() {
    // A server that speaks the protocol: it closes the first connection after one answer, and serves the second to its end.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let serving = std::thread::spawn(move || {
        let answer = |offset: usize| format!("{{\"status\":\"accepted\",\"offset\":{offset},\"new\":true}}\n");
        let (mut first, _) = listener.accept().expect("a client");
        // Read all of it: closing a socket with unread bytes would discard the answer.
        let mut both = [0; 31];
        first.read_exact(&mut both).expect("two games and their line ends");
        first.write_all(answer(0).as_bytes()).expect("it hears");
        drop(first);
        let (mut second, _) = listener.accept().expect("the client again");
        let mut games = Vec::new();
        let mut piece = [0; 4_096];
        let mut answered = 0;
        while let Ok(len @ 1..) = second.read(&mut piece) {
            games.extend_from_slice(&piece[..len]);
            while let Some(end) = games[answered..].iter().position(|&byte| byte == b'\n') {
                second.write_all(answer(answered).as_bytes()).expect("it hears");
                answered += end + 1;
            }
        }
        games
    });
    let printed = stdout("listen_client", &["--to", &address, "corpora/cases/two-games.sgf"]);
    let games = serving.join().expect("no panic");
    let whole = fs::read("corpora/cases/two-games.sgf").expect("a case");
    assert_eq!(printed, "2 games stored, 0 refused\n");
    assert_eq!(games, whole[15..], "an acknowledged game was sent again");
}

#[cfg(all(feature = "listen", target_os = "linux"))]
#[test]
fn soak_finds_every_acknowledged_game_once() {
    let dir = scratch("soak");
    let found = stdout("soak", &["--clients", "60", "--seconds", "13", "--dir", dir.to_str().expect("a plain path")]);
    assert!(found.contains("lost 0, twice 0, broken rows 0"), "{found}");
    assert!(!found.contains("not stored 0"), "the store never failed: {found}");
}
