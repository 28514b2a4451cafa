//! `sgf scan` prints the same on several threads as on one; `sgf split` cuts between games.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::command::peak_of_flood;
use crate::command::{self, feed, run, sgf, text};
use crate::rng::Rng;

const PIECES: [&[u8]; 22] = [
    b"(;GM[1]CA[utf-8];B[aa])",
    b"(;GM[11]",
    b"(;CoPyright[x]abc[y])",
    b"(;C[(;\\])])\r\n",
    b"(FF[4];B[bb])\r",
    b"( \n;W[cc](;B[dd])(;B[ee](;)))\n",
    b";B[pd];W[dd]",
    b"(",
    b"(",
    b")",
    b")",
    b"[",
    b"]",
    b"]",
    b"\n",
    b"\r\n",
    b" ",
    b"junk",
    b"(;(;)())",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"%",
];

fn folder(name: &str) -> PathBuf {
    command::folder("cli_threads", name, &[])
}

/// Standard output, standard error and exit code.
pub(super) type Result = (String, String, Option<i32>);

/// Asserts that any number of threads and any length of blocks give the same, and returns that.
#[track_caller]
pub(super) fn same_on_any_threads(
    root: &Path,
    args: &[&str],
    block_lens: &[usize],
    result: fn(&Output) -> Result,
) -> Result {
    let run = |threads: usize, block_len: usize| {
        let own = ["--threads", &threads.to_string(), "--block-len", &block_len.to_string()];
        result(&sgf().current_dir(root).args(args).args(own).output().unwrap())
    };
    let expected = run(1, 1 << 20);
    for threads in [1, 2, 3, 8] {
        for &block_len in block_lens {
            let found = run(threads, block_len);
            assert!(found == expected, "{args:?}, {threads} threads, {block_len}:\n{found:#?}\nnot\n{expected:#?}");
        }
    }
    expected
}

/// Without the time and the column widths that depend on it.
fn result(output: &Output) -> Result {
    let mut shown = String::new();
    for line in text(&output.stdout).lines() {
        let timeless = if line.starts_with("  time ") { "  time" } else { line.split(",\"seconds\":").next().unwrap() };
        if timeless.starts_with("  ") {
            let words: Vec<_> = timeless.split_whitespace().filter(|word| !word.starts_with('─')).collect();
            writeln!(shown, "  {}", words.join(" ")).unwrap();
        } else {
            writeln!(shown, "{timeless}").unwrap();
        }
    }
    (shown, text(&output.stderr).to_owned(), output.status.code())
}

#[track_caller]
fn assert_same(root: &Path, args: &[&str], block_lens: &[usize]) -> Result {
    same_on_any_threads(root, &[&["scan"], args].concat(), block_lens, result)
}

/// Pseudo-random pieces, determined by the seed.
pub(super) fn noise(seed: u64, pieces: usize) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    (0..pieces).flat_map(|_| rng.pick(&PIECES)).copied().collect()
}

#[test]
fn damage_of_every_kind_is_reported_the_same() {
    let root = folder("damage");
    for seed in 0..60 {
        let bytes = noise(seed, 10 + seed as usize * 2);
        fs::write(root.join("noise.sgf"), bytes).unwrap();
        for args in [&["--json", "noise.sgf"][..], &["noise.sgf"], &["--json", "--strict", "noise.sgf"]] {
            assert_same(&root, args, &[1, 30, 200]);
        }
    }
}

#[test]
fn a_directory_counts_the_same_on_several_threads() {
    let root = folder("directory");
    for number in 0..300_usize {
        let games = noise(number as u64, if number % 50 == 7 { 3000 } else { number % 9 });
        fs::create_dir_all(root.join(format!("d{}", number % 3))).unwrap();
        fs::write(root.join(format!("d{}/{number}.sgf", number % 3)), games).unwrap();
    }
    fs::create_dir_all(root.join("none")).unwrap();
    let list = "d0\ngone\nd1/1.sgf\nnone\nd1\nd2/2.sgf\nd2\nd0/3.sgf\n";
    fs::write(root.join("list"), list).unwrap();
    for json in ["--json", "d0/0.sgf"] {
        let (_, errors, code) = assert_same(&root, &[json, "--files-from", "list"], &[1, 100, 5_000, 1 << 18]);
        assert!(errors.starts_with("sgf: gone: ") && errors.lines().count() == 2, "{errors}");
        assert_eq!(code, Some(2));
        let (_, errors, _) = assert_same(&root, &[json, "--strict", "--files-from", "list"], &[1, 100, 5_000, 1 << 18]);
        assert!(errors.lines().count() > 200, "nearly all files are damaged");
    }
}

#[test]
fn strict_reading_stops_where_one_thread_does() {
    let root = folder("strict");
    let game = "(;B[aa]\n;W[bb])\n";
    let damaged = [&game.repeat(500), "x\n", &game.repeat(500), "y", &game.repeat(100_000)].concat();
    fs::write(root.join("a.sgf"), &damaged).unwrap();
    fs::write(root.join("d.sgf"), &damaged).unwrap();
    fs::write(root.join("b.sgf"), game.repeat(1000)).unwrap();
    fs::write(root.join("c.sgf"), [&game.repeat(2000), "(;B[cc]"].concat()).unwrap();
    let args = ["--json", "--strict", "a.sgf", "b.sgf", "gone.sgf", "d.sgf", "c.sgf"];
    let (shown, errors, code) = assert_same(&root, &args, &[100, 5_000, 1 << 18]);
    let a = "sgf: a.sgf:1001:1: junk: bytes between games (2 bytes at byte 8000)";
    let c = "sgf: c.sgf:4001:8: unclosed-tree: end of input with open trees (at byte 32007)";
    let errors: Vec<&str> = errors.lines().filter(|line| !line.contains("gone.sgf")).collect();
    assert_eq!((errors, code), (vec![a, &a.replace("a.sgf", "d.sgf"), c], Some(2)));
    let found: Value = serde_json::from_str(&format!("{}}}", shown.trim_end())).unwrap();
    assert_eq!((found["files"].as_u64(), found["games"].as_u64()), (Some(4), Some(500 + 1000 + 500 + 2001)));
    assert_eq!(found["bytes"], 8002 + 16_000 + 8002 + 32_007);
}

#[test]
fn a_giant_game_between_small_ones_is_counted_the_same() {
    let root = folder("giant");
    let small = "(;CA[big5]GM[1];B[aa])\r\n".repeat(200);
    let giant = format!("(;CA[utf-8]C[{}]{}", "x".repeat(60_000), "(;B[aa];W[bb]\r\n".repeat(20_000));
    for end in ["", &")".repeat(20_001), &")".repeat(20_003)] {
        fs::write(root.join("giant.sgf"), [&small, "junk ", &giant, end, "\n", &small].concat()).unwrap();
        let (shown, ..) = assert_same(&root, &["--json", "giant.sgf"], &[10, 3_000, 100_000]);
        let found: Value = serde_json::from_str(&format!("{}}}", shown.trim_end())).unwrap();
        // If nothing closes it, the next game ends it.
        assert_eq!(found["max_depth"], 20_001);
        assert_eq!(found["values"], 400 * 3 + 2 + 2 * 20_000);
        assert_same(&root, &["--json", "--strict", "giant.sgf"], &[10, 3_000, 100_000]);
    }
}

#[test]
fn text_is_counted_once_in_a_game_of_several_blocks() {
    let root = folder("text");
    let plain = "(;B[aa]C[nothing but ASCII])\n".repeat(85_000);
    let korean = b"C[\xC7\xD1\xB1\xB9]".as_slice();
    for (label, early, late, texts) in [
        ("UTF-8", "C[黑棋]".as_bytes(), "C[白棋]".as_bytes(), r#"{"UTF-8":2}"#),
        ("EUC-KR", b"", korean, r#"{"EUC-KR":1,"UTF-8":1}"#),
        ("EUC-KR", korean, korean, r#"{"EUC-KR":1,"UTF-8":1}"#),
        ("GBK", b"", b"C[\xBA\xDA]", r#"{"GBK":1,"UTF-8":1}"#),
    ] {
        let game = format!("(;CA[{label}]GM[1]");
        let after = "(;GM[1]C[柯洁])".as_bytes();
        let tail = "(;B[aa])\n".repeat(1000);
        let giant = [game.as_bytes(), early, plain.as_bytes(), b";", late, tail.as_bytes(), b")\n", after].concat();
        fs::write(root.join("giant.sgf"), giant).unwrap();
        let (shown, ..) = assert_same(&root, &["--json", "giant.sgf"], &[2_000, 1 << 18]);
        let found: Value = serde_json::from_str(&format!("{}}}", shown.trim_end())).unwrap();
        assert_eq!(found["text_charsets"].to_string(), texts, "{label}");
        assert_eq!(found["text_charsets_ascii"], 0, "{label}");
    }
}

#[test]
fn recoded_text_of_ascii_bytes_is_counted() {
    let root = folder("recoded");
    let japanese = b"(;B[aa]PB[\x1B$BK\x5C\x1B(B])(;C[x])\n".repeat(100);
    // U+4E2D.
    let wide: Vec<u8> = "(;B[aa]PB[\u{4E2D}])(;C[x])".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, source, texts) in
        [("japanese.sgf", japanese, r#"{"ISO-2022-JP":100}"#), ("wide.sgf", wide.repeat(100), r#"{"UTF-16LE":100}"#)]
    {
        assert!(source.is_ascii());
        fs::write(root.join(name), source).unwrap();
        let (shown, ..) = assert_same(&root, &["--json", name], &[50, 1_000]);
        let found: Value = serde_json::from_str(&format!("{}}}", shown.trim_end())).unwrap();
        assert_eq!(found["text_charsets"].to_string(), texts);
        assert_eq!(found["text_charsets_ascii"], 100);
    }
}

#[test]
fn changing_labels_are_counted_the_same() {
    let root = folder("labels");
    let mut games = String::new();
    for number in 0..3_000 {
        let label = ["CA[GBK]", "CA[GBK]", "", "CA[Big5]", "CA[gb2312]"][number % 5];
        writeln!(games, "(;FF[4]{label}C[x];B[aa])").unwrap();
    }
    fs::write(root.join("games.sgf"), &games).unwrap();
    for plain in [&[][..], &["--plain"]] {
        let args = |last: &[&'static str]| [&["--json"], plain, last].concat();
        let (shown, ..) = assert_same(&root, &args(&["games.sgf"]), &[1, 100, 5_000, 1 << 18]);
        let found: Value = serde_json::from_str(&format!("{}}}", shown.trim_end())).unwrap();
        assert_eq!(found["problems"]["charset-changed"], 1200, "{shown}");
        let (_, errors, _) = assert_same(&root, &args(&["--strict", "games.sgf"]), &[1, 100, 5_000]);
        assert!(errors.contains("charset-changed"), "{errors}");
    }
}

#[test]
fn the_first_identifiers_are_counted_on_any_thread() {
    let root = folder("names");
    let mut games = String::new();
    for number in 0..30_000 {
        // Early names occur again when there is no room for new ones.
        writeln!(games, "(;X{number}Y[]X{}Y[]GM[{}])", number / 7, number % 3_000).unwrap();
    }
    fs::write(root.join("names.sgf"), &games).unwrap();
    for (number, part) in games.as_bytes().chunks(9_000).enumerate() {
        fs::write(root.join(format!("part-{number:04}.sgf")), part).unwrap();
    }
    // All of them in one game longer than a block.
    let one = format!("(;{})", games.replace(['(', ')', ';'], ""));
    fs::write(root.join("one.sgf"), one).unwrap();
    for args in [["--json", "names.sgf"], ["--json", "."], ["--json", "one.sgf"]] {
        let (shown, ..) = assert_same(&root, &args, &[50, 2_000, 100_000, 1 << 20]);
        let found: Value = serde_json::from_str(&format!("{}}}", shown.trim_end())).unwrap();
        // Identifiers of one or two letters are always counted.
        let long = found["idents"].as_object().unwrap().keys().filter(|name| name.len() > 2).count();
        assert!((9_990..=10_000).contains(&long), "{long}");
        assert!(found["idents_other"].as_u64().unwrap() >= 20_000);
    }
}

/// As in `sgf find --sgf . | cat >> z.sgf`: what was printed was read again, without end.
#[test]
fn what_is_appended_to_a_file_while_it_is_read_is_not_read() {
    // One read shows all of the first.
    for (threads, games) in [("1", 13_000), ("1", 200_000), ("3", 13_000), ("3", 200_000)] {
        let root = folder("appended");
        let games = "(;B[aa];W[bb])\n".repeat(games);
        fs::write(root.join("z.sgf"), &games).unwrap();
        let mut grows = fs::File::options().append(true).open(root.join("z.sgf")).unwrap();
        let mut command = sgf();
        command.current_dir(&root).args(["find", "--sgf", "--threads", threads, "."]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let most = 10 * games.len() as u64;
        let copied = io::copy(&mut child.stdout.take().unwrap().take(most), &mut grows).unwrap();
        assert!(copied >= games.len() as u64 && copied < most, "{copied} of {} with {threads}", games.len());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn standard_input_may_be_named_among_files() {
    let root = folder("stdin");
    let games = noise(5, 400);
    fs::write(root.join("a.sgf"), &games).unwrap();
    fs::write(root.join("b.sgf"), &games).unwrap();
    let run = |threads: &str, stream: &str| {
        let mut command = sgf();
        command.args(["scan", "--json", "--block-len", "99", "--threads", threads, "a.sgf", stream, "b.sgf", stream]);
        result(&feed(command.current_dir(&root), &games))
    };
    let streams = if cfg!(target_os = "linux") { &["-", "/dev/stdin"][..] } else { &["-"] };
    for stream in streams {
        let expected = run("1", stream);
        assert!(expected.0.starts_with(&format!("{{\"files\":4,\"bytes\":{}", 3 * games.len())), "{expected:?}");
        for threads in ["2", "5"] {
            assert_eq!(run(threads, stream), expected);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let many = "(;GM[1];B[aa];W[bb])\n";
    let inputs = [("", many), ("", "(;"), ("(;C[", "xy"), ("", "junk"), ("(", "    ")];
    // Without optimization, the program itself takes 5 MB more.
    let most = if cfg!(debug_assertions) { 37 << 10 } else { 32 << 10 };
    for (threads, (start, piece)) in
        ["4", "100000"].into_iter().flat_map(|threads| inputs.map(|input| (threads, input)))
    {
        let (peak, output) = peak_of_flood(sgf().args(["scan", "--threads", threads]), start, piece, 40_000_000);
        assert!(peak < most, "{threads} threads, {start}{piece}...: {peak} KiB");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn zero_threads_are_refused() {
    let output = sgf().args(["scan", "--threads", "0", "-"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Only the beginning of a game's text is checked, and no unwanted text. How much must not depend on cuts.
#[test]
fn problems_of_text_do_not_depend_on_where_blocks_end() {
    let root = folder("checked");
    let name = "바둑";
    let header = [format!("(;PB[{0}]PB[{0}]RE[", name.repeat(300)).as_bytes(), b"\xBA])"].concat();
    let comments = [format!("(;C[{}];C[{}];C[", name.repeat(340), name.repeat(300)).as_bytes(), b"\xBA])"].concat();
    let line_ends = [b"(;C[".as_slice(), &b"abc\r\n".repeat(500), "];C[柯];C[".as_bytes(), b"\xBA])"].concat();
    let mut unwanted =
        format!("(C[楚{}])\n(;{};CC[{}\"", "x".repeat(236), "x".repeat(9), "x".repeat(1015)).into_bytes();
    unwanted.extend_from_slice(b"\xF1xxxxxxx]");
    for (input, lens) in [(header, 1795..1820), (comments, 1900..2080), (line_ends, 2480..2530), (unwanted, 630..1290)]
    {
        fs::write(root.join("a.sgf"), &input).unwrap();
        for args in [&["scan", "--json", "--plain"][..], &["scan", "--json"], &["list", "--columns", "problems"]] {
            let read = |len: usize| {
                let len = len.to_string();
                let output =
                    sgf().current_dir(&root).args(args).args(["--threads", "1", "--block-len", &len, "a.sgf"]).output();
                let output = output.unwrap();
                text(&output.stdout).split(",\"seconds\":").next().unwrap().to_owned()
            };
            let whole = read(1 << 20);
            for len in lens.clone().step_by(if lens.len() > 50 { 7 } else { 1 }) {
                assert_eq!(read(len), whole, "{args:?} in blocks of {len}");
            }
        }
    }
}

#[test]
fn a_problem_has_a_window_wherever_blocks_end() {
    let root = folder("windows");
    for text in [format!("{}(;B[aa])", "x".repeat(9000)), format!("(;C[{}", "x".repeat(9000))] {
        fs::write(root.join("a.sgf"), text).unwrap();
        for (threads, len) in [("1", "300"), ("3", "300"), ("1", "65536")] {
            for name in ["scan", "list"] {
                let args = ["--strict", "--window", "always", "--threads", threads, "--block-len", len, "a.sgf"];
                let output = sgf().current_dir(&root).arg(name).args(args).output().unwrap();
                assert!(command::text(&output.stderr).contains("^^^^"), "{name} {args:?}");
            }
        }
    }
}

/// When its end is found, nothing of it is left to read.
#[test]
fn a_pipe_of_exactly_a_block_has_a_window_at_its_end() {
    let input = format!("(;C[{}", "x".repeat(996));
    for name in ["scan", "list"] {
        let args = ["--strict", "--window", "always", "--threads", "1", "--block-len", "1000"];
        let output = feed(sgf().arg(name).args(args), input.as_bytes());
        assert!(command::text(&output.stderr).contains("^^^^"), "{name}");
    }
}

/// A game is cut where its text no longer matters; but what is known of it counts for what comes later.
#[test]
fn text_behind_a_giant_game_is_read_the_same() {
    let root = folder("giant_text");
    let variation = b"(;B[aa];W[bb];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh]C[hello])";
    let trees = |len: usize| variation.repeat(len / variation.len());
    // Korean; five short names are not enough to tell.
    let comment = &b"(;C[\xB9\xE9\xC0\xCC \xC0\xCC\xB1\xE2\xBE\xFA\xB4\xD9])"[..];
    let names = b"(;PB[\xC6\xD1\xB8\xA6])\n".repeat(5);
    let early = [&b"(;GM[1]"[..], comment, &trees(3 << 20), b")\n", &names].concat();
    let late = [&b"(;GM[1]"[..], &trees(3 << 20), comment, &trees(1 << 20), b")\n", &names].concat();
    fs::write(root.join("early.sgf"), early).unwrap();
    fs::write(root.join("late.sgf"), late).unwrap();
    for args in [&["--json", "early.sgf"][..], &["--json", "late.sgf", "--charset", "EUC-KR"]] {
        let (shown, ..) = assert_same(&root, args, &[100_000, 512 << 10]);
        let found: Value = serde_json::from_str(&format!("{}}}", shown.trim_end())).unwrap();
        assert_eq!(found["text_charsets"].to_string(), r#"{"EUC-KR":6}"#, "{args:?}");
    }
}

fn split(root: &Path, args: &[&str]) -> Result {
    result(&sgf().current_dir(root).arg("split").args(args).output().unwrap())
}

#[test]
fn ranges_cover_the_file_and_begin_with_games() {
    let root = folder("ranges");
    let games = b"\xEF\xBB\xBF(;B[aa])\n junk\r\n(;C[(;])) (;W[bb])\n";
    fs::write(root.join("a.sgf"), games).unwrap();
    for (parts, expected) in [
        ("1", "0\t38\n"),
        ("2", "0\t19\n19\t19\n"),
        ("3", "0\t19\n19\t10\n29\t9\n"),
        ("1000000", "0\t3\n3\t16\n19\t10\n29\t9\n"),
    ] {
        assert_eq!(split(&root, &["--ranges", parts, "a.sgf"]), (expected.to_owned(), String::new(), Some(0)));
    }
    fs::write(root.join("empty.sgf"), b"").unwrap();
    assert_eq!(split(&root, &["--ranges", "3", "empty.sgf"]), (String::new(), String::new(), Some(0)));
    fs::write(root.join("a.gz"), b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0").unwrap();
    for refused in ["a.gz", "-", "."] {
        let errors = format!("sgf: {refused}: only a plain file can be split\n");
        assert_eq!(split(&root, &["--ranges", "3", refused]), (String::new(), errors, Some(2)));
    }
}

/// What a report counts. A game that the next one truncates is unclosed where a part ends after it.
fn sums(report: &Output) -> BTreeMap<String, u64> {
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let keys = ["bytes", "games", "trees", "nodes", "properties", "values", "value_bytes"];
    let mut sums: BTreeMap<_, _> = keys.iter().map(|&key| (key.to_owned(), report[key].as_u64().unwrap())).collect();
    for (kind, count) in report["problems"].as_object().unwrap() {
        let kind = match kind.as_str() {
            "truncated-game" => "unclosed-tree",
            "unterminated-value" => "unexpected-eof",
            kind => kind,
        };
        *sums.entry(kind.to_owned()).or_default() += count.as_u64().unwrap();
    }
    sums
}

#[test]
fn ranges_add_up_to_the_whole() {
    let root = folder("sum");
    for seed in 0..5 {
        // Not beginning with a BOM, of which a part knows nothing.
        let bytes = [b"\n", &noise(seed, 5_000)[..]].concat();
        fs::write(root.join("a.sgf"), &bytes).unwrap();
        let (ranges, ..) = split(&root, &["--ranges", "5", "a.sgf"]);
        let mut added = BTreeMap::new();
        for range in ranges.lines() {
            let (offset, len) = range.split_once('\t').unwrap();
            let (offset, len): (usize, usize) = (offset.parse().unwrap(), len.parse().unwrap());
            for (key, count) in sums(&feed(sgf().args(["scan", "--json"]), &bytes[offset..offset + len])) {
                *added.entry(key).or_default() += count;
            }
        }
        assert_eq!(added, sums(&run(&root, &["scan", "--json", "a.sgf"])), "{seed}");
    }
}

/// Games, the first of which are ASCII, in charsets that only the stream declares.
fn recoded() -> [(&'static str, Vec<u8>); 3] {
    let text = "\u{FEFF}(;B[aa]PW[x])(;PB[本因坊])(;C[囲碁])(;B[bb])(;PB[棋])";
    [
        ("UTF-16LE", text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("ISO-2022-JP", b"(;PB[\x1B$B0x\x1B(B])(;B[aa]PW[x])(;PB[\x1B$B0x\x1B(B])(;B[bb])".to_vec()),
        ("ISO-2022-KR", b"\x1B$)C\n(;PB[\x0E0!\x0F])(;B[aa]PW[x])(;PB[\x0E0!\x0F])(;B[bb])".to_vec()),
    ]
}

/// The rows of `sgf list` for these bytes.
fn listed(args: &[&str], bytes: &[u8]) -> Vec<String> {
    let output = feed(sgf().args(["list", "--format", "tsv", "--columns", "black,white,moves"]).args(args), bytes);
    text(&output.stdout).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn ranges_of_a_recoded_file_name_its_charset() {
    let root = folder("recoded_ranges");
    for (charset, bytes) in recoded() {
        fs::write(root.join("a.sgf"), &bytes).unwrap();
        let (ranges, errors, code) = split(&root, &["--ranges", "4", "a.sgf"]);
        assert_eq!((errors.as_str(), code), ("", Some(0)));
        let mut games = Vec::new();
        for range in ranges.lines() {
            let fields: Vec<&str> = range.split('\t').collect();
            let (offset, len): (usize, usize) = (fields[0].parse().unwrap(), fields[1].parse().unwrap());
            assert_eq!(fields.get(2), (offset > 0).then_some(&charset), "{ranges}");
            let charset = fields.get(2).unwrap_or(&"auto");
            games.extend(listed(&["--charset", charset], &bytes[offset..offset + len]));
        }
        assert!(ranges.lines().count() > 2 && !games.is_empty());
        assert_eq!(games, listed(&[], &bytes), "{charset}");
    }
}

/// Somebody else may write to the directory, and guess the names before the parts have their own.
#[cfg(unix)]
#[test]
fn splitting_follows_no_link_and_keeps_what_is_there() {
    let root = folder("links");
    fs::write(root.join("g.sgf"), "(;PB[a])(;PB[b])").unwrap();
    fs::write(root.join("victim"), "mine").unwrap();
    let script = "mkdir out && cd out && for name in .g-1.$$.part .g-1.sgf.$$.0.part .g-1.sgf.$$.1.part; do \
         ln -s ../victim $name; done && echo kept > .g-2.$$.part && echo kept > .g-2.sgf.$$.2.part && \
         exec \"$SGF\" split --every 1 --to . ../g.sgf";
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", script]).env("SGF", sgf().get_program()).current_dir(&root).output().unwrap();
    assert_eq!(result(&output), (String::new(), String::new(), Some(0)));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    assert_eq!([read("victim"), read("out/g-1.sgf"), read("out/g-2.sgf")], ["mine", "(;PB[a])", "(;PB[b])"]);
    let others = fs::read_dir(root.join("out")).unwrap().map(|entry| entry.unwrap().path());
    let kept = others.filter(|path| path.is_file() && fs::read(path).unwrap() == b"kept\n");
    assert_eq!(kept.count(), 2);
}

#[test]
fn splitting_a_recoded_file_names_its_charset() {
    let root = folder("recoded_files");
    for (charset, bytes) in recoded() {
        let name = format!("{charset}.sgf");
        fs::write(root.join(&name), &bytes).unwrap();
        let (_, errors, code) = split(&root, &["--every", "1", "--to", charset, &name]);
        // UTF-16 is recognised in each part.
        let args: &[&str] = if charset == "UTF-16LE" { &[] } else { &["--charset", charset] };
        let expected = if args.is_empty() {
            ""
        } else {
            &format!("sgf: {name}: its parts are to be read with {}\n", args.join(" "))
        };
        assert_eq!((errors.as_str(), code), (expected, Some(0)));
        let (_, errors, code) = split(&root, &["-q", "--every", "1", "--to", &format!("{charset} again"), &name]);
        assert_eq!((errors.as_str(), code), ("", Some(0)));
        let games: Vec<_> = contents(&root.join(charset)).iter().flat_map(|(_, bytes)| listed(args, bytes)).collect();
        assert_eq!(games, listed(&[], &bytes), "{charset}");
    }
}

/// The files of a directory, sorted by name, with their contents.
fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn split_files_joined_are_the_file() {
    let root = folder("every");
    let games: &[u8] = b"\xEF\xBB\xBF(;B[aa])\n junk\r\n(;C[(;])) (;W[bb])\n(;)x";
    fs::write(root.join("my games.sgf"), games).unwrap();
    assert_eq!(split(&root, &["--every", "2", "--to", "a/b", "my games.sgf"]), (String::new(), String::new(), Some(0)));
    let names_and_bytes = contents(&root.join("a/b"));
    assert_eq!(
        names_and_bytes,
        [("my games-01.sgf".to_owned(), games[..29].to_vec()), ("my games-02.sgf".to_owned(), games[29..].to_vec())]
    );
    for every in 1..6 {
        let (every, out) = (every.to_string(), format!("out-{every}"));
        assert_eq!(split(&root, &["--every", &every, "--to", &out, "my games.sgf"]).2, Some(0));
        let joined: Vec<u8> = contents(&root.join(out)).into_iter().flat_map(|(_, bytes)| bytes).collect();
        assert_eq!(joined, games);
    }
}

#[test]
fn splitting_never_overwrites_and_reports_errors() {
    let root = folder("refusal");
    fs::write(root.join("a.sgf"), b"(;B[aa])(;B[bb])").unwrap();
    fs::create_dir_all(root.join("out")).unwrap();
    fs::write(root.join("out/a-2.sgf"), b"precious").unwrap();
    let (shown, errors, code) = split(&root, &["--every", "1", "--to", "out", "a.sgf"]);
    assert!(shown.is_empty() && errors.starts_with("sgf: out"), "{errors}");
    assert_eq!((errors.lines().count(), code), (1, Some(2)));
    assert_eq!(fs::read(root.join("out/a-2.sgf")).unwrap(), b"precious");
    for args in
        [&["--ranges", "2", "gone.sgf"][..], &["--every", "2", "--to", "x", "gone.sgf"], &["--ranges", "2", "out"]]
    {
        let (shown, errors, code) = split(&root, args);
        assert!(shown.is_empty() && errors.starts_with("sgf: "), "{errors}");
        assert_eq!((errors.lines().count(), code), (1, Some(2)), "{args:?}");
    }
    for args in [
        &["a.sgf"][..],
        &["--ranges", "0", "a.sgf"],
        &["--every", "2", "a.sgf"],
        &["--ranges", "2", "--every", "2", "--to", "x", "a.sgf"],
        &["--ranges", "2"],
    ] {
        assert_eq!(split(&root, args).2, Some(2), "{args:?}");
    }
    let (_, errors, _) = split(&root, &["a.sgf"]);
    assert!(errors.contains("<--ranges <N>|--every <N>>"), "{errors}");
    // The older name of the option.
    assert_eq!(split(&root, &["--every", "2", "--out", "older", "a.sgf"]).2, Some(0));
}

/// Opening a pipe would wait for somebody to write to it.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_split() {
    let root = folder("pipe");
    assert!(std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    for args in [&["--ranges", "2", "pipe"][..], &["--every", "2", "--to", "x", "pipe"]] {
        let (shown, errors, code) = split(&root, args);
        let expected = ("", "sgf: pipe: only a plain file can be split\n", Some(2));
        assert_eq!((shown.as_str(), errors.as_str(), code), expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn half_a_piece_is_not_left_where_the_disk_is_full() {
    let root = folder("full");
    fs::write(root.join("a.sgf"), format!("(;B[aa])(;C[{}])", "x".repeat(200_000))).unwrap();
    // A write over the limit fails with its first bytes written, as on a full disk, if its signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" split --every 1 --to out a.sgf";
    let mut shell = std::process::Command::new("sh");
    let output = shell.current_dir(&root).args(["-c", script]).arg(sgf().get_program()).output().unwrap();
    let (_, said, code) = result(&output);
    assert_eq!((said.as_str(), code), ("sgf: out/a-000002.sgf: File too large\n", Some(2)));
    let left: Vec<_> = fs::read_dir(root.join("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a-000001.sgf"]);
}
