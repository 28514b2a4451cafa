//! The command and charsets: what `events` prints, `scan` counts and `recode` writes.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::thread;

use proptest::prelude::*;
use sgf_stream::text::{Charset, Writing};

use crate::command::{self, feed, sgf, text};

fn folder(name: &str) -> PathBuf {
    command::folder("cli_charsets", name, &[])
}

fn run(args: &[&str], input: &[u8]) -> Output {
    feed(sgf().args(args), input)
}

/// The output of a command that reports nothing.
#[track_caller]
fn quiet(args: &[&str], input: &[u8]) -> Vec<u8> {
    let output = run(args, input);
    assert_eq!(text(&output.stderr), "", "{args:?}");
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    output.stdout
}

/// The identifiers and texts of all values.
#[track_caller]
fn values(args: &[&str], input: &[u8]) -> Vec<String> {
    let printed = quiet(&[&["events"], args].concat(), input);
    text(&printed)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|event| event["event"] == "value")
        .map(|event| {
            let charset = event.get("charset").map_or(String::new(), |name| format!(" {}", name.as_str().unwrap()));
            format!("{}={}{charset}", event["ident"].as_str().unwrap(), event["value"].as_str().unwrap())
        })
        .collect()
}

#[track_caller]
fn check_recode(args: &[&str], input: &[u8], expected: &str) {
    let args = &[&["recode"], args].concat()[..];
    assert_eq!(String::from_utf8_lossy(&quiet(args, input)), expected, "{}", input.escape_ascii());
    assert_eq!(text(&quiet(&["recode"], expected.as_bytes())), expected, "recoded twice");
}

fn encoded(writing: Writing, text: &str) -> Vec<u8> {
    writing.escape(text).unwrap().into_owned()
}

/// Labels, their charsets, and texts that need escapes.
fn texts() -> Vec<(&'static str, Charset, &'static str)> {
    [
        ("GB2312", "柯洁: [5段] 朴廷桓\\"),
        ("GB18030", "聂卫平 [9p] 𠀀"),
        ("big5", "因為許功蓋 [1:0]\n吳清源"),
        ("Shift_JIS", "申し訳ソ能表示 [x] ｱｲｳ"),
        ("EUC-JP", "呉清源]"),
        ("EUC-KR", "이창호 [9단]"),
        ("windows-1251", "Иванов [1д]"),
        ("KOI8-R", "Петров"),
        ("ISO-8859-1", "Müller [1k]"),
        ("UTF-8", "신진서 [9p]"),
    ]
    .map(|(label, text)| (label, Charset::for_label(label.as_bytes()).unwrap(), text))
    .to_vec()
}

#[test]
fn events_are_decoded_and_name_the_charset() {
    let input = b"(;CA[Big5]PB[\xA6]\xB3\\]PW[\xA6\\]\xB3\\\\]KM[6.5];C[abc])";
    let by_value = ["CA=Big5", "PB=因許 Big5", "PW=因許 Big5", "KM=6.5", "C=abc"];
    assert_eq!(values(&[], input), by_value);
    assert_eq!(values(&["--escapes", "auto", "--charset", "auto"], input), by_value);
    assert_eq!(values(&["--escapes", "byte"], b"(;CA[Big5]PB[\xA6\\]])"), ["CA=Big5", "PB=因 Big5"]);
    assert_eq!(values(&["--plain"], b"(;CA[Big5]PB[\xA6\\]])"), ["CA=Big5", "PB=因 Big5"]);
    assert_eq!(values(&["--escapes", "character"], b"(;CA[Big5]PB[\xA6]])"), ["CA=Big5", "PB=因 Big5"]);
    for unit in ["character", "auto"] {
        assert_eq!(
            values(&["--plain", "--escapes", unit], b"(;CA[Big5]PB[\xA6]])"),
            ["CA=Big5", "PB=因 Big5"],
            "{unit}"
        );
    }
}

#[test]
fn raw_values_have_a_charset_too() {
    let printed = quiet(&["events", "--raw"], b"(;CA[gbk]PB[\xB0\xD7])");
    assert!(text(&printed).contains(r#""ident":"PB","raw":"sNc=","charset":"GBK"}"#), "{}", text(&printed));
}

#[test]
fn the_charset_may_be_forced_or_raw() {
    let input = b"(;CA[gbk]PB[\xB0\xD7])";
    assert_eq!(values(&["--charset", "declared"], input)[1], "PB=白 GBK");
    assert_eq!(values(&["--charset", "windows-1252"], input)[1], "PB=°× windows-1252");
    assert_eq!(values(&["--charset", "cp936"], b"(;PB[\xB0\xD7])"), ["PB=白 GBK"]);
    assert_eq!(values(&["--charset", "raw"], input)[1], "PB=\u{FFFD}\u{FFFD} UTF-8");
    // With `--plain` a charset can be given, but none is guessed unless that is asked for.
    assert_eq!(values(&["--charset", "GBK", "--plain"], b"(;PB[\xB0\xD7])"), ["PB=白 GBK"]);
    let japanese = b"(;PB[\x8C\xE0\x90\xB4\x8C\xB9])";
    assert_eq!(values(&["--plain"], japanese), ["PB=Œà\u{90}´Œ¹ windows-1252"]);
    assert_eq!(values(&["--plain", "--charset", "auto"], japanese), ["PB=呉清源 Shift_JIS"]);
}

#[test]
fn an_unknown_charset_is_an_error_that_lists_the_known_ones() {
    for command in ["events", "scan", "recode"] {
        let output = run(&[command, "--charset", "klingon"], b"(;)");
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        for name in ["'klingon'", "auto", "declared", "raw", "UTF-8", "GBK", "Big5", "Shift_JIS", "KOI8-R"] {
            assert!(message.contains(name), "{name} in {message}");
        }
        assert_eq!(text(&output.stdout), "");
    }
    assert_eq!(run(&["recode", "--charset", "raw"], b"(;)").status.code(), Some(2));
    assert_eq!(run(&["events", "--escapes", "word"], b"(;)").status.code(), Some(2));
}

#[test]
fn ascii_stays_as_it_is() {
    for input in [
        &b""[..],
        b"(;FF[4]PB[Honinbo Shusaku\\]];B[pd]C[a:b\\\r\nc])\r\n",
        b"junk ( ;C[x] () ;B[pd]W ZZ[]\x1A[stray] abc[y](;C[unclosed",
        b"  (FF[3]KM[5.5])  ",
    ] {
        check_recode(&[], input, text(input));
    }
    for path in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/pro")).unwrap() {
        let input = fs::read(path.unwrap().path()).unwrap();
        if input.is_ascii() {
            let output = quiet(&["recode"], &input);
            assert!(text(&output).replace("CA[UTF-8]", "") == text(&input).replace("CA[UTF-8]", ""));
        }
    }
}

#[test]
fn a_label_is_replaced_or_inserted() {
    check_recode(&[], b"(;CA[gb2312]PB[\xB0\xD7];B[pd])", "(;CA[UTF-8]PB[白];B[pd])");
    check_recode(&[], b"(;PB[\xB0\xD7]CA [ gb2312 ];B[pd])", "(;PB[白]CA [UTF-8];B[pd])");
    check_recode(&[], b"(;CA[latin1]PB[abc])", "(;CA[UTF-8]PB[abc])");
    check_recode(&[], b"( ; PB[M\xFCller])", "( ;CA[UTF-8] PB[Müller])");
    // In UTF-8, what lost its `]` would be seen before a property.
    check_recode(&[], b"(;C[\xB3\\];PB[\xB3\\[])", "(;CA[UTF-8]C[設;PB\\[訥])");
    check_recode(
        &[],
        b"(;GM[1];B[pd](;C[abc])(;C[\xFCber];W[dd]))",
        "(;CA[UTF-8]GM[1];B[pd](;C[abc])(;C[über];W[dd]))",
    );
    check_recode(&[], b"(FF[4]PB[M\xFCller])", "(CA[UTF-8]FF[4]PB[Müller])");
    check_recode(&[], "(;GM[1];C[白])".as_bytes(), "(;CA[UTF-8]GM[1];C[白])");
    check_recode(&["--charset", "gbk"], b"(;PB[\xB0\xD7])(;PB[x])", "(;CA[UTF-8]PB[白])(;PB[x])");
}

/// Nothing of what it has swallowed is lost, and the label before it counts.
#[test]
fn a_label_that_nobody_closed_stays_behind_a_new_one() {
    let cases: [(&[u8], &str); 9] = [
        (b"(;GM[1]CA[UTF-8\nPB[Ren\xC3\xA9]PW[x];B[dd])", "(;GM[1]CA[UTF-8]CA[UTF-8\nPB[René]PW[x];B[dd])"),
        (b"(;CA[GBK;B[pd];W[dd]C[\xB0\xD7\xC6\xE5])", "(;CA[UTF-8]CA[GBK;B[pd];W[dd]C[白棋])"),
        (b"(;CA[GBK\nPB[\xB0\xD7\xC6\xE5]W[dd])", "(;CA[UTF-8]CA[GBK\nPB\\[白棋]W[dd])"),
        (b"(;PB[M\xFCller] CA\n[GBK PB[x]PW[y])", "(;PB[Müller] CA[UTF-8]CA\n[GBK PB[x]PW[y])"),
        (b"(;CA[GBK PB[x][big5]CA[big5]PB[\xA5\xD5])", "(;CA[UTF-8]CA[GBK PB[x][UTF-8]CA[UTF-8]PB[白])"),
        // Some other CA counts, or none does.
        (b"(;CA[gbk]PB[\xB0\xD7]CA[GBK\n;B[pd])", "(;CA[UTF-8]PB[白]CA[GBK\n;B[pd])"),
        (b"(;GM[1];CA[x;B[pd]C[M\xFCller])", "(;CA[UTF-8]GM[1];CA[x;B[pd]C[Müller])"),
        // These are whole.
        (b"(;CA[Chinese (GB2312)]PB[\xB0\xD7])", "(;CA[UTF-8]PB[白])"),
        (b"(;CA[ gbk\n]PB[\xB0\xD7])", "(;CA[UTF-8]PB[白])"),
    ];
    for (input, expected) in cases {
        let recoded = run(&["recode"], input).stdout;
        assert_eq!(String::from_utf8_lossy(&recoded), expected);
        assert_eq!(run(&["recode"], &recoded).stdout, recoded, "recoded twice");
        let texts = |bytes: &[u8], args: &[&str]| {
            let events = run(&[&["events"], args].concat(), bytes).stdout;
            let is_text = |line: &&str| line.contains(r#""value""#) && !line.contains(r#""ident":"CA""#);
            let values = text(&events).lines().filter(is_text).map(|line| {
                let event: serde_json::Value = serde_json::from_str(line).unwrap();
                (event["value"].clone(), event.get("charset").cloned())
            });
            values.collect::<Vec<_>>()
        };
        let (before, after) = (texts(input, &[]), texts(&recoded, &[]));
        assert!(before.iter().map(|(text, _)| text).eq(after.iter().map(|(text, _)| text)), "{before:?} {after:?}");
        assert!(after.iter().flat_map(|(_, charset)| charset).all(|charset| charset == "UTF-8"), "{after:?}");
    }
}

#[test]
fn each_game_is_recoded_from_its_own_charset() {
    for by_character in [false, true] {
        let mut input = b"\r\n".to_vec();
        let mut expected = "\r\n".to_owned();
        for (label, charset, value) in texts() {
            let writing = if by_character { Writing::by_character(charset) } else { Writing::by_byte(charset) };
            let value_bytes = encoded(writing, value);
            for (before, between, after) in [("(;CA[", "]XY[", "];B[pd]\n)\n"), ("( ;FF[4]CA\n[", "]PB[", "][x])\n")] {
                let parts = [before.as_bytes(), label.as_bytes(), between.as_bytes(), &value_bytes, after.as_bytes()];
                input.extend(parts.concat());
                let value = encoded(Writing::by_byte(Charset::UTF_8), value);
                expected += &[before, "UTF-8", between, text(&value), after].concat();
            }
        }
        check_recode(&[], &input, &expected);
    }
}

#[test]
fn a_byte_order_mark_stays_and_a_false_label_is_replaced() {
    check_recode(&[], "\u{FEFF}(;PB[é])".as_bytes(), "\u{FEFF}(;CA[UTF-8]PB[é])");
    check_recode(&[], "(;CA[ISO-2022-KR]PB[柯洁])".as_bytes(), "(;CA[UTF-8]PB[柯洁])");
    // An unknown label is replaced and reported.
    let output = feed(sgf().arg("recode"), "(;CA[klingon]PB[柯洁])".as_bytes());
    assert_eq!(text(&output.stdout), "(;CA[UTF-8]PB[柯洁])");
    let message = "sgf: -:1:6: charset-unknown: no charset that can be decoded; text is read as what it looks like (7 bytes at byte 5)\n";
    assert_eq!((text(&output.stderr), output.status.code()), (message, Some(0)));
}

#[test]
fn damage_is_copied_unchanged() {
    let input = b"\xB0\xD7 junk (;CA[gbk]%\xFF%PB[\xB0\xD7]B W[aa]) ) (;CA[gbk]C[\xB0\xD7";
    let output = run(&["recode"], input);
    let expected = [&b"\xB0\xD7 junk (;CA[UTF-8]%\xFF%PB["[..], "白".as_bytes(), b"]B W[aa]) ) (;CA[UTF-8]C[\xB0\xD7"];
    assert_eq!(output.stdout.escape_ascii().to_string(), expected.concat().escape_ascii().to_string());
    let message = "\
        sgf: -:1:18: illegal-bytes: what is no value stays in the charset it is in (3 bytes at byte 17)\n\
        sgf: -:1:48: unexpected-eof: a value without an end stays in the charset it is in (3 bytes at byte 47)\n";
    assert_eq!((text(&output.stderr), output.status.code()), (message, Some(0)));
    // An unclosed value that is ASCII, or UTF-8 already, needs no report.
    assert_eq!(quiet(&["recode"], "(;CA[UTF-8]C[柯洁".as_bytes()), "(;CA[UTF-8]C[柯洁".as_bytes());
    // Nor does one that is cut inside a character.
    for cut in [
        &b"(;CA[UTF-8]C[\xE6\x9F\xAF\xE6\xB4"[..],
        b"(;CA[UTF-8]C[\xE6\xB4",
        b"(;C[\xE6\x9F\xAF\xE6\xB4",
        b"(;CA[gbk]PB[\xE6\x9F\xAF\xE6\xB4\x81]C[\xE6\xB4",
    ] {
        let output = run(&["recode"], cut);
        assert_eq!((text(&output.stderr), output.stdout.ends_with(b"\xE6\xB4")), ("", true), "{}", cut.escape_ascii());
    }
}

#[test]
fn undecodable_bytes_are_replaced_and_reported() {
    let input = b"(;CA[UTF-8]\nPB[\xE6\x9F\xAF]\n PW[\xE6\x9F\xAF\xE6\xB4];B[pd])";
    let output = run(&["recode"], input);
    assert_eq!(text(&output.stdout), "(;CA[UTF-8]\nPB[柯]\n PW[柯\u{FFFD}];B[pd])");
    assert_eq!(
        text(&output.stderr),
        "sgf: -:3:5: undecodable-text: bytes invalid in the text's charset, replaced by U+FFFD \
         (5 bytes at byte 24)\n"
    );
    assert_eq!(output.status.code(), Some(0));
    let output = run(&["recode", "--strict"], input);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "(;CA[UTF-8]\nPB[柯]\n PW[");
}

/// If they are gone from the only copy, a better charset comes too late.
#[test]
fn an_input_is_not_replaced_where_text_is_lost() {
    let root = folder("lost");
    let path = root.join("a.sgf");
    let input = b"(;CA[UTF-8]PB[\xE6\x9F\xAF]PW[\xE6\x9F\xAF\xE6\xB4])";
    let expected = "(;CA[UTF-8]PB[柯]PW[柯\u{FFFD}])";
    let recode = |args: &[&str]| command::run(&root, &[&["recode", "--to"], args].concat());
    fs::write(&path, input).unwrap();
    let output = recode(&["a.sgf", "a.sgf"]);
    assert_eq!(
        text(&output.stderr),
        "sgf: a.sgf:1:22: undecodable-text: bytes invalid in the text's charset, which would be replaced by U+FFFD \
         (5 bytes at byte 21)\n\
         sgf: a.sgf: not written, as text would be lost: --charset says what it is in, --lossy writes it all the same\n"
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&path).unwrap(), input);
    let output = recode(&["b.sgf", "a.sgf"]);
    assert!(text(&output.stderr).contains(", replaced by U+FFFD ("), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(fs::read_to_string(root.join("b.sgf")).unwrap(), expected);
    assert_eq!(recode(&["a.sgf", "a.sgf", "--lossy"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    // A text that has lost nothing but its `]` is text.
    fs::write(root.join("c.sgf"), b"(;CA[GBK]PB[\xB0\xD7];B[aa]C[\xB0\xD7;W[bb]C[\xB0\xD7])").unwrap();
    assert_eq!(recode(&["c.sgf", "c.sgf"]).status.code(), Some(0));
    let recoded = fs::read_to_string(root.join("c.sgf")).unwrap();
    assert_eq!(recoded, "(;CA[UTF-8]PB[白];B[aa]C[白;W[bb]C[白])");
    // Of a value that has no end, nobody knows how much is text. Nor is what is cut behind a letter taken for UTF-8 that is cut inside a character.
    for unclosed in [
        &b"(;CA[ISO-8859-1]FF[4]GM[1];B[pd\xE9;W[dd]C[Andr\xE9])"[..],
        b"(;CA[UTF-8]FF[4]GM[1];B[pd\xE9;W[dd]C[Andr\xE9])",
        b"(;CA[ISO-8859-1]PB[Andr\xE9];B[pd]C[un caf\xE9",
        b"(;CA[UTF-8]PB[Andr\xE9];B[pd]C[un caf\xE9",
        b"(;CA[ISO-8859-1];B[pd]C[un caf\xE9",
        b"(;FF[4];B[pd]C[un caf\xE9",
        // Valid UTF-8, by chance.
        b"(;CA[GBK]PB[\xB0\xD7]C[\xC4\xA3",
        b"(;CA[UTF-8]PB[\xE6\x9F\xAF])(;CA[ISO-8859-1]C[un caf\xE9",
    ] {
        let shown = unclosed.escape_ascii();
        fs::write(root.join("c.sgf"), unclosed).unwrap();
        let output = recode(&["c.sgf", "c.sgf"]);
        assert!(text(&output.stderr).contains("in another charset than CA says"), "{shown}: {}", text(&output.stderr));
        assert_eq!((output.status.code(), fs::read(root.join("c.sgf")).unwrap()), (Some(2), unclosed.to_vec()));
    }
    // It has been lost before.
    assert_eq!(quiet(&["recode", path.to_str().unwrap(), "--to", path.to_str().unwrap()], b""), b"");
}

/// Whoever may write to its directory could replace it all the same.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_to_is_not_replaced() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = folder("write_protected");
    let path = root.join("a.sgf");
    fs::write(&path, "(;CA[gbk]B[aa])").unwrap();
    symlink("a.sgf", root.join("link.sgf")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o777)).unwrap();
    for name in ["a.sgf", "link.sgf"] {
        let mut command = sgf();
        command.current_dir(&root).args(["recode", name, "--to", name]);
        let Some(output) = command::without_permission(&mut command, &path) else { return };
        let said = format!("sgf: {name}: Permission denied\n");
        assert_eq!((text(&output.stderr), output.status.code()), (&*said, Some(2)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "(;CA[gbk]B[aa])");
        assert_eq!(fs::read_dir(&root).unwrap().count(), 2, "a temporary file is left");
    }
}

#[test]
fn what_was_recoded_is_told_with_the_progress() {
    let input = b"(;CA[gbk]PB[\xB0\xD7])(;PB[\xE6\x9F\xAF])(;CA[UTF-8]PB[x])(;CA[UTF-8]PW[\xE6\x9F\xAF]C[\xE6\x9F\xAF\xE6\xB4])";
    let output = run(&["recode", "--progress", "always"], input);
    let last = text(&output.stderr).lines().last().unwrap();
    assert_eq!(last, "sgf: 4 games: 2 UTF-8, 1 GBK; CA set in 2; U+FFFD in 1 place");
}

#[test]
fn after_some_places_of_an_input_the_rest_is_only_counted() {
    let damaged = b"(;CA[UTF-8]C[a\xFF])\n".repeat(1_234);
    let root = folder("flood");
    for name in ["a.sgf", "b.sgf"] {
        fs::write(root.join(name), &damaged).unwrap();
    }
    let output = sgf().current_dir(&root).args(["recode", "--charset", "utf-8", "a.sgf", "b.sgf"]).output().unwrap();
    let lines: Vec<_> = text(&output.stderr).lines().collect();
    assert_eq!(lines.len(), 22, "{lines:?}");
    assert!(lines[9].starts_with("sgf: a.sgf:10:14: undecodable-text: "), "{}", lines[9]);
    assert_eq!((lines[10], lines[21]), ("sgf: 1,224 more in a.sgf", "sgf: 1,224 more in b.sgf"));
    assert_eq!(text(&output.stdout).matches('\u{FFFD}').count(), 2 * 1_234);
}

fn in_utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn streams_that_cannot_be_read_in_place_are_recoded() {
    let text = "junk (;CA[UTF-16]PB[柯洁\\]]\r\n;B[pd]%%C[\u{1F600} a])\r\n(;PB[x];C[é])(;PB[x])(;C[open";
    let expected = "junk (;CA[UTF-8]PB[柯洁\\]]\r\n;B[pd]%%C[\u{1F600} a])\r\n(;CA[UTF-8]PB[x];C[é])(;PB[x])(;C[open";
    for mark in ["", "\u{FEFF}"] {
        let text = format!("{mark}{text}");
        let words = || text.encode_utf16();
        let chars = || text.chars().map(u32::from);
        for input in [
            in_utf_16(&text),
            words().flat_map(u16::to_be_bytes).collect(),
            chars().flat_map(u32::to_le_bytes).collect(),
            chars().flat_map(u32::to_be_bytes).collect(),
        ] {
            check_recode(&[], &input, expected);
        }
    }
    check_recode(
        &[],
        b"(;CA[ISO-2022-JP]PB[\x1B$BK\\0x\x1B(B];C[\x1B$BK\\\x1B(B \\]])\n(;C[\x1B$BK\\\x1B(B])",
        "(;CA[UTF-8]PB[本因];C[本 \\]])\n(;CA[UTF-8]C[本])",
    );
    check_recode(&[], b"\x1B$)C(;CA[ISO-2022-KR]C[\x0E0!\x0F])", "(;CA[UTF-8]C[가])");
    check_recode(&["--charset", "hz"], b"(;C[~{VP~}~~])", "(;CA[UTF-8]C[中~])");
    check_recode(&["--charset", "utf-16le"], &in_utf_16("柯(;C[柯])"), "柯(;CA[UTF-8]C[柯])");
    let long = "(;PB[柯洁];B[pd]C[abc])\r\n".repeat(40_000);
    check_recode(&[], &in_utf_16(&long), &long.replace("(;", "(;CA[UTF-8]"));
}

#[test]
fn undecodable_bytes_are_reported_at_their_source_offset() {
    let mut input = in_utf_16("\u{FEFF}(;GM[1]\nPB[a!b];B[pd])!(;)");
    for bang in [b"!\0"; 2] {
        let at = input.windows(2).position(|pair| pair == bang).unwrap();
        input[at..at + 2].copy_from_slice(&[0, 0xDC]);
    }
    input.push(b'x');
    let output = run(&["recode"], &input);
    assert_eq!(text(&output.stdout), "(;CA[UTF-8]GM[1]\nPB[a\u{FFFD}b];B[pd])\u{FFFD}(;)\u{FFFD}");
    assert_eq!(
        text(&output.stderr),
        "sgf: -:2:7: undecodable-text: bytes invalid in the text's charset, replaced by U+FFFD \
         (6 bytes at byte 24)\n\
         sgf: -: undecodable-text: bytes invalid in the text's charset, replaced by U+FFFD, outside values \
         (from byte 46)\n\
         sgf: -: undecodable-text: bytes invalid in the text's charset, replaced by U+FFFD, outside values \
         (from byte 54)\n"
    );
    assert_eq!(output.status.code(), Some(0));
    let output = run(&["recode", "--strict"], &input);
    assert_eq!(text(&output.stdout), "(;GM[1]\nPB[");
}

#[test]
fn a_game_that_gets_no_label_is_reported() {
    let mut input = b" (;PB[x];".to_vec();
    input.extend(b"B[pd];".repeat(3 << 20));
    input.extend("C[ü];C[ü])(;C[ü])".as_bytes());
    let output = run(&["recode"], &input);
    assert!(output.stdout.ends_with("C[ü];C[ü])(;CA[UTF-8]C[ü])".as_bytes()));
    assert_eq!(output.stdout.len(), input.len() + "CA[UTF-8]".len());
    assert_eq!(
        text(&output.stderr),
        "sgf: -: the game at byte 1 gets no CA: its first text that is not ASCII comes after more than 16 MiB\n"
    );
}

#[test]
fn an_output_may_be_its_input() {
    let root = folder("in_place");
    let path = root.join("a.sgf");
    fs::write(&path, b"(;CA[gbk]PB[\xB0\xD7])").unwrap();
    let name = path.to_str().unwrap();
    assert_eq!(quiet(&["recode", name, "--to", name], b""), b"");
    assert_eq!(fs::read_to_string(&path).unwrap(), "(;CA[UTF-8]PB[白])");
    let output = run(&["recode", name, "missing.sgf", "--to", name], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not written"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&path).unwrap(), "(;CA[UTF-8]PB[白])");
    // An output that would lack the rest is not put in the file's place.
    fs::write(&path, b"(;B[aa])x(;B[bb])").unwrap();
    let output = run(&["recode", "--strict", name, "--to", name], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("not replaced: reading stopped early"), "{}", text(&output.stderr));
    assert_eq!(fs::read(&path).unwrap(), b"(;B[aa])x(;B[bb])");
    assert_eq!(fs::read_dir(&root).unwrap().count(), 1, "a temporary file is left");
    let packed = b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0";
    fs::write(&path, packed).unwrap();
    let output = run(&["recode", name, "--to", name], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("cannot recode an archive or compressed file in place"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(fs::read(&path).unwrap(), packed);
    assert_eq!(quiet(&["recode", "--to", root.join("new.sgf").to_str().unwrap()], b"(;)"), b"");
    assert_eq!(fs::read(root.join("new.sgf")).unwrap(), b"(;)");
    assert_eq!(quiet(&["recode", "--to", "-"], b"(;)"), b"(;)");
    let output = run(&["recode", "--to", root.to_str().unwrap()], b"(;)");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains(": a directory, but --to names one file"), "{}", text(&output.stderr));
}

/// Where the characters of a value stood was once kept at 32 bytes for each change of state.
#[cfg(target_os = "linux")]
#[test]
fn a_value_of_many_marks_is_recoded_in_little_memory() {
    let mut command = sgf();
    command.arg("recode").stdout(Stdio::null());
    let (peak, output) = command::peak_of_flood(&mut command, "(;CA[HZ]C[", "~{VP~}:", 24_000_000);
    assert!(peak < 160 << 10, "{peak} KiB");
    assert_eq!(output.status.code(), Some(0));
}

/// What somebody else has written to it in the meantime would be lost.
#[cfg(unix)]
#[test]
fn an_input_that_changes_is_not_replaced() {
    let root = folder("changed");
    let path = root.join("a.sgf");
    for is_stdin in [false, true] {
        fs::write(&path, b"(;CA[gbk]C[\xB0\xD7];B[aa];W[bb])\n".repeat(400_000)).unwrap();
        let mut command = sgf();
        command.current_dir(&root).args(["recode", "--to", "a.sgf"]);
        if is_stdin {
            command.stdin(fs::File::open(&path).unwrap());
        } else {
            command.arg("a.sgf");
        }
        let child = command.spawn().unwrap();
        while fs::read_dir(&root).unwrap().count() == 1 {
            thread::yield_now();
        }
        let mut file = fs::File::options().append(true).open(&path).unwrap();
        file.write_all(b"(;PB[late])").unwrap();
        drop(file);
        let output = child.wait_with_output().unwrap();
        let said = "sgf: a.sgf: it has changed while it was read: not written\n";
        assert_eq!((text(&output.stderr), output.status.code()), (said, Some(2)));
        assert!(fs::read(&path).unwrap().ends_with(b"(;PB[late])"));
        assert_eq!(fs::read_dir(&root).unwrap().count(), 1, "a temporary file is left");
    }
}

/// The first is cut off where the second would be its text.
#[test]
fn inputs_are_joined_line_by_line() {
    let root = folder("joined");
    let inputs = ["(;FF[4]GM[1];C[cut", "(;FF[4]GM[1];B[aa])\n", "(;FF[4]GM[1])\r", "", "(;FF[4]GM[1])"];
    let names: Vec<_> = (0..inputs.len()).map(|index| format!("{index}.sgf")).collect();
    for (name, input) in names.iter().zip(inputs) {
        fs::write(root.join(name), input).unwrap();
    }
    let args: Vec<_> = ["recode", "--to", "all"].into_iter().chain(names.iter().map(String::as_str)).collect();
    assert_eq!(command::run(&root, &args).status.code(), Some(0));
    let joined = "(;FF[4]GM[1];C[cut\n(;FF[4]GM[1];B[aa])\n(;FF[4]GM[1])\r(;FF[4]GM[1])";
    assert_eq!(fs::read_to_string(root.join("all")).unwrap(), joined);
    let games = quiet(&["list", "--columns", "game", root.join("all").to_str().unwrap()], b"");
    assert_eq!(text(&games), "game\n1\n2\n3\n4\n");
}

/// Appending to a file must not replace it, whatever its name is.
#[cfg(unix)]
#[test]
fn the_device_of_standard_output_is_no_file() {
    let path = folder("device").join("out.sgf");
    fs::write(&path, "(;)\n").unwrap();
    let out = fs::File::options().append(true).open(&path).unwrap();
    feed(sgf().args(["recode", "--to", "/dev/stdout"]).stdout(out), b"(;B[aa])");
    assert_eq!(fs::read_to_string(&path).unwrap(), "(;)\n(;B[aa])");
}

#[test]
fn what_an_earlier_run_wrote_is_not_read_by_the_next() {
    let root = folder("twice");
    fs::write(root.join("a.sgf"), "(;B[aa])").unwrap();
    fs::write(root.join("list"), "a.sgf\nall.sgf\n").unwrap();
    let recode = |inputs: &[&str]| {
        let args = [&["recode", "--to", "all.sgf"], inputs].concat();
        command::run(&root, &args)
    };
    assert_eq!(recode(&["."]).status.code(), Some(0));
    for inputs in [&["."][..], &["a.sgf", "all.sgf"], &["--files-from", "list"]] {
        let output = recode(inputs);
        let refused = "all.sgf: it is also the output: a file is recoded in place only if there is no other input\n";
        assert!(text(&output.stderr).contains(refused), "{inputs:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).ends_with("sgf: all.sgf: not written\n"), "{inputs:?}");
        assert_eq!(output.status.code(), Some(2), "{inputs:?}");
        assert_eq!(fs::read_to_string(root.join("all.sgf")).unwrap(), "(;B[aa])", "{inputs:?}");
    }
    assert_eq!(recode(&[".", "--exclude", "all.sgf"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(root.join("all.sgf")).unwrap(), "(;B[aa])");
}

#[test]
fn a_long_stream_is_written_as_it_comes() {
    let game = b"(;CA[big5]C[\xA6]]PB[\xA6\\]];B[pd];W[dd])\n".repeat(20_000);
    let output = quiet(&["recode"], &game);
    assert_eq!(text(&output), "(;CA[UTF-8]C[因]PB[因];B[pd];W[dd])\n".repeat(20_000));
    let long = [&b"(;PB[x];"[..], &b"B[pd];".repeat(200_000), b"C[\xFC];", &vec![b'%'; 3 << 20], b")"].concat();
    let output = quiet(&["recode"], &long);
    assert_eq!(output.len(), long.len() + 1 + "CA[UTF-8]".len());
    assert!(output.starts_with(b"(;CA[UTF-8]PB[x];"));
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = sgf().arg("recode").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let writer = thread::spawn(move || while stdin.write_all(&b"(;CA[gbk]C[\xB0\xD7])\n".repeat(1000)).is_ok() {});
    stdout.read_exact(&mut [0; 100]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

/// Characters of some scripts take two columns each.
#[test]
fn columns_of_the_table_are_even_with_wide_characters() {
    let table = quiet(&["scan"], "(;CA[中文中文]GM[1];B[aa])(;CA[GBK]GM[1])".as_bytes());
    let columns_before_share = |label: &str| {
        let line = text(&table).lines().find(|line| line.trim_start().starts_with(label)).expect("it is in the table");
        let (before, _) = line.split_once('%').expect("it has a share");
        before.chars().map(|it| if it.is_ascii() { 1 } else { 2 }).sum::<usize>()
    };
    assert_eq!(columns_before_share("中文中文"), columns_before_share("GBK"));
}

#[test]
fn scan_counts_charsets_of_text_and_false_labels() {
    let mut input = Vec::new();
    for (label, charset, value) in texts() {
        let value = encoded(Writing::by_byte(charset), value);
        input.extend([b"(;GM[1]CA[", label.as_bytes(), b"];C[", &value, b"];C[", &value, b"])\n"].concat());
    }
    input.extend(b"(;CA[gbk]PB[x];B[pd])(;)");
    input.extend("(;CA[ISO-2022-KR]PB[柯洁]PW[신진서])(;CA[gbk];B[pd];C[신진서])".as_bytes());
    let input = input.repeat(50);
    let first = quiet(&["scan", "--json", "--threads", "1"], &input);
    let found: serde_json::Value = serde_json::from_slice(&first).unwrap();
    assert_eq!(found["games"], 14 * 50);
    let expected = serde_json::json!({
        "UTF-8": 150, "Big5": 50, "EUC-JP": 50, "EUC-KR": 50, "GBK": 50, "KOI8-R": 50, "Shift_JIS": 50, "gb18030": 50,
        "windows-1251": 50, "windows-1252": 50,
    });
    assert_eq!(found["text_charsets"], expected);
    assert_eq!(found["text_charsets_ascii"], 100);
    assert_eq!(found["charset_contradicted"], 100);
    assert_eq!(found["charsets_not_stated"], 50);
    for block_len in ["64", "1000", "100000"] {
        let printed = quiet(&["scan", "--json", "--threads", "3", "--block-len", block_len], &input);
        let mut other: serde_json::Value = serde_json::from_slice(&printed).unwrap();
        other["seconds"] = found["seconds"].clone();
        assert_eq!(other, found, "blocks of {block_len}");
    }
    let table = quiet(&["scan"], &input);
    let table = text(&table);
    for line in ["charsets of text ", "UTF-8 ", "ASCII alone ", "not as declared "] {
        assert!(table.lines().any(|found| found.trim_start().starts_with(line)), "{line} in {table}");
    }
    assert!(!text(&quiet(&["scan"], b"(;CA[gbk]PB[x])")).contains("charsets of text"));
}

/// A game in one of the charsets, in which values may be damaged.
fn game() -> impl Strategy<Value = Vec<u8>> {
    let all = texts();
    let value = proptest::collection::vec((0..40_usize, 0..8_u8), 0..12);
    let values = proptest::collection::vec(value, 1..5);
    (0..all.len(), any::<bool>(), 0..3_u8, values).prop_map(move |(which, by_character, label, values)| {
        let (name, charset, letters) = all[which];
        let writing = if by_character { Writing::by_character(charset) } else { Writing::by_byte(charset) };
        let letters: Vec<char> = letters.chars().collect();
        let mut game = b"(;".to_vec();
        if label > 0 {
            game.extend([b"CA[", name.as_bytes(), b"]"].concat());
        }
        for (index, value) in values.into_iter().enumerate() {
            game.extend_from_slice([&b"C["[..], b";PB[", b"\n(;AP["][index % 3]);
            for (at, damage) in value {
                let mut bytes = encoded(writing, &letters[at % letters.len()].to_string());
                if damage == 0 && label == 2 && bytes.len() > 1 && !by_character {
                    bytes.truncate(1);
                }
                game.extend(bytes);
            }
            game.extend(b"]");
        }
        game.extend(b")\n");
        game
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn recoded_games_read_as_before(games in proptest::collection::vec(game(), 1..8)) {
        let input = games.concat();
        let recoded = run(&["recode"], &input).stdout;
        let plain = |values: Vec<String>| -> Vec<String> {
            let without_charset = |value: String| value.split(" \u{1}").next().unwrap_or_default().to_owned();
            values.into_iter().filter(|value| !value.starts_with("CA=")).map(without_charset).collect()
        };
        // In values of two-byte charsets brackets are not repaired.
        let events = |input: &[u8]| text(&run(&["events", "-"], input).stdout).to_owned();
        let (before, after) = (events(&input), events(&recoded));
        prop_assume!(repaired(&after) == repaired(&before));
        // The bytes of a value that was given up stay in the file as they are.
        prop_assume!(!before.contains("unterminated-value"));
        prop_assert_eq!(plain(read(&recoded)), plain(read(&input)));
        prop_assert_eq!(run(&["recode"], &recoded).stdout, recoded);
    }
}

/// The numbers of the values with a repaired bracket, once per bracket. A mere count could miss that another value was repaired.
fn repaired(events: &str) -> Vec<usize> {
    let mut values = 0;
    let mut found = Vec::new();
    for event in events.lines() {
        values += usize::from(event.starts_with(r#"{"event":"value""#));
        if event.contains("unescaped-bracket") {
            found.push(values);
        }
    }
    found
}

/// Like [`values`], with the charset replaced by a mark.
fn read(input: &[u8]) -> Vec<String> {
    values(&[], input)
        .into_iter()
        .map(|value| match value.rsplit_once(' ') {
            Some((text, charset)) if Charset::all().any(|known| known.name() == charset) => format!("{text} \u{1}"),
            _ => value,
        })
        .collect()
}
