//! Text in its charset: declared, guessed, and the end of values whose characters contain `]` or `\` as a byte. Every
//! input is read at every cut, and by visitors that take parts or skip trees.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::{
    Charsets, Config, Deliver, Descend, Ident, Limits, Parser, Part, Problem, ProblemKind, Property, Step, Tree,
    TreeEnd, Value, Visitor, text,
};
use text::{Charset, EscapeUnit};

use crate::support::{self, Rng, Wide};

/// The events as lines: `PB=text`, `!problem`; a value that is not ASCII has its charset, too.
#[derive(Debug, Default)]
struct Recorder {
    lines: Vec<String>,
    ident: Option<Ident>,
    parts: String,
    in_parts: bool,
    over: bool,
}

impl Visitor for Recorder {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.lines.push(format!("( {}", tree.position()));
        ControlFlow::Continue(if self.over { Descend::Over } else { Descend::Into })
    }

    fn node(&mut self, node: sgf_stream::Node) -> ControlFlow<Infallible, Step> {
        self.lines.push(format!("; {}", node.position()));
        ControlFlow::Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.ident = Some(property.ident());
        ControlFlow::Continue(if self.in_parts { Deliver::Parts } else { Deliver::Whole })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let ident = self.ident.expect("a property comes first");
        let charset = if value.raw().is_ascii() { String::new() } else { format!(" {}", value.charset()) };
        self.lines.push(format!("{ident}={}{charset} {}", value.text(), value.position()));
        ControlFlow::Continue(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        self.parts.push_str(&part.writing().text(part.raw()));
        if part.is_last() {
            let ident = self.ident.expect("a property comes first");
            self.lines.push(format!("{ident}={}", std::mem::take(&mut self.parts)));
        }
        ControlFlow::Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        self.lines.push(format!(") {}", end.position()));
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        self.lines.push(format!("!{} {}", problem.name(), problem.position()));
        ControlFlow::Continue(())
    }
}

fn record(config: &Config, mut recorder: Recorder, chunks: &[&[u8]]) -> Vec<String> {
    let mut parser = Parser::with_config(config.clone());
    for chunk in chunks {
        let _ = parser.feed(chunk, &mut recorder).expect("lenient reading goes on");
    }
    let _ = parser.finish(&mut recorder).expect("lenient reading goes on");
    recorder.lines
}

/// Reads whole, byte by byte, at every cut, in parts and skipping trees; returns the events of the whole.
fn read(config: &Config, input: &[u8]) -> Vec<String> {
    let whole = record(config, Recorder::default(), &[input]);
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(record(config, Recorder::default(), &bytes), whole, "byte by byte: {}", input.escape_ascii());
    let in_parts = || Recorder { in_parts: true, ..Recorder::default() };
    let parts = record(config, in_parts(), &[input]);
    assert_eq!(record(config, in_parts(), &bytes), parts, "in parts, byte by byte: {}", input.escape_ascii());
    let over = || Recorder { over: true, ..Recorder::default() };
    // Games only, without the trees inside.
    let ends = |lines: &[String]| -> Vec<String> {
        let mut depth = 0;
        let trees = lines.iter().filter(|line| line.starts_with("( ") || line.starts_with(") "));
        trees
            .filter(|line| {
                let opens = line.starts_with('(');
                depth += if opens { 1 } else { -1 };
                depth == i32::from(opens)
            })
            .cloned()
            .collect()
    };
    assert_eq!(ends(&record(config, over(), &[input])), ends(&whole), "skipping trees: {}", input.escape_ascii());
    assert_eq!(ends(&parts), ends(&whole), "in parts: {}", input.escape_ascii());
    assert_eq!(
        record(config, over(), &bytes),
        record(config, over(), &[input]),
        "skipping trees, byte by byte: {}",
        input.escape_ascii()
    );
    for cut in 0..=input.len() {
        let (first, second) = input.split_at(cut);
        assert_eq!(
            record(config, Recorder::default(), &[first, second]),
            whole,
            "cut at {cut}: {}",
            input.escape_ascii()
        );
        assert_eq!(
            record(config, in_parts(), &[first, second]),
            parts,
            "parts, cut at {cut}: {}",
            input.escape_ascii()
        );
        assert_eq!(
            record(config, over(), &[first, second]),
            record(config, over(), &[input]),
            "skipping trees, cut at {cut}: {}",
            input.escape_ascii()
        );
    }
    whole
}

/// The values and problems, without positions.
fn check(config: &Config, input: &[u8], expected: &[&str]) {
    let recorded = read(config, input);
    let found: Vec<&str> = recorded
        .iter()
        .filter(|line| line.contains('=') || line.starts_with('!'))
        .map(|line| line.rsplit_once(' ').expect("each has a place").0)
        .collect();
    assert_eq!(found, expected, "{}", input.escape_ascii());
}

fn encoded(charset: Charset, text: &str) -> Vec<u8> {
    text::Writing::by_character(charset).escape(text).expect("the charset has it").into_owned()
}

fn declared() -> Config {
    Config::new()
}

fn auto() -> Config {
    Config::new().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto)
}

#[test]
fn a_declared_charset_holds_after_a_break_before_it() {
    /// Breaks at every property.
    struct Breaks(Vec<String>);

    impl Visitor for Breaks {
        type Break = ();

        fn property(&mut self, _: Property<'_>) -> ControlFlow<(), Deliver> {
            ControlFlow::Break(())
        }

        fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
            self.0.push(value.text().into_owned());
            ControlFlow::Continue(())
        }
    }

    let charset = Charset::for_label(b"GBK").expect("a known label");
    let game = [&b"(;CA[GBK]GN["[..], &encoded(charset, "柯"), b"])"].concat();
    let mut recorded = Breaks(Vec::new());
    let mut parser = Parser::with_config(declared());
    let mut at = 0;
    while at < game.len() {
        let _ = parser.feed(&game[at..], &mut recorded).expect("lenient reading goes on");
        at = usize::try_from(parser.position().offset).expect("a short game");
    }
    assert_eq!(recorded.0, ["GBK", "柯"]);
}

#[test]
fn a_declared_charset_holds_if_the_bytes_fit_it() {
    for (label, text) in [
        ("GB2312", "柯洁"),
        ("big5", "吳清源"),
        ("Shift_JIS", "本因坊秀策"),
        ("EUC-KR", "이창호"),
        ("euc-jp", "呉清源"),
        ("windows-1251", "Иванов"),
        ("KOI8-R", "Петров"),
        ("ISO-8859-2", "Łódź"),
        ("ISO-8859-1", "Müller"),
        ("CP936", "聂卫平"),
    ] {
        let charset = Charset::for_label(label.as_bytes()).expect("a known label");
        for config in [declared(), auto()] {
            // CA before the text, and after it.
            let value = encoded(charset, text);
            let game = [&b"(;CA["[..], label.as_bytes(), b"]PB[", &value, b"];B[pd])"].concat();
            check(&config, &game, &[&format!("CA={label}"), &format!("PB={text} {charset}"), "B=pd"]);
            let game = [&b"(;PB["[..], &value, b"]CA[", label.as_bytes(), b"]C[", &value, b"];B[pd])"].concat();
            let name = format!("PB={text} {charset}");
            let comment = format!("C={text} {charset}");
            check(&config, &game, &[&name, &format!("CA={label}"), &comment, "B=pd"]);
        }
    }
}

#[test]
fn each_game_of_a_stream_has_its_own_charset() {
    let mut stream = Vec::new();
    let mut expected = Vec::new();
    let mut last = "gbk";
    for (label, text) in [("gbk", "柯洁"), ("UTF-8", "신진서"), ("shift_jis", "井山"), ("", "Müller")] {
        let charset = Charset::for_label(label.as_bytes()).unwrap_or(Charset::WINDOWS_1252);
        let value = encoded(charset, text);
        if label.is_empty() {
            stream.extend([b"(;PB[", &value[..], b"])"].concat());
        } else {
            stream.extend([&b"(;CA["[..], label.as_bytes(), b"]PB[", &value, b"])\n"].concat());
            if std::mem::replace(&mut last, label) != label {
                expected.push("!charset-changed".to_owned());
            }
            expected.push(format!("CA={label}"));
        }
        expected.push(format!("PB={text} {charset}"));
    }
    check(&declared(), &stream, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn clear_utf_8_overrides_a_label() {
    for label in ["ISO-2022-KR", "gb2312", "windows-1252"] {
        let game = format!("(;CA[{label}]PB[柯洁]PW[신진서];B[pd])");
        let ca = format!("CA={label}");
        let expected = [ca.as_str(), "!charset-contradicted", "PB=柯洁 UTF-8", "PW=신진서 UTF-8", "B=pd"];
        check(&declared(), game.as_bytes(), &expected);
    }
}

#[test]
fn an_unknown_label_is_reported_and_ignored() {
    check(&declared(), "(;CA[klingon]PB[柯洁])".as_bytes(), &["!charset-unknown", "CA=klingon", "PB=柯洁 UTF-8"]);
    check(&declared(), b"(;CA[klingon]PB[M\xFCller])", &["!charset-unknown", "CA=klingon", "PB=Müller windows-1252"]);
}

#[test]
fn a_byte_order_mark_decides_for_utf_8() {
    let game = "\u{FEFF}(;PB[é]CA[UTF-8];C[ü])";
    check(&declared(), game.as_bytes(), &["PB=é UTF-8", "CA=UTF-8", "C=ü UTF-8"]);
    let against = "\u{FEFF}(;PB[é]CA[GBK];C[ü\\]])";
    check(&auto(), against.as_bytes(), &["PB=é UTF-8", "!charset-contradicted", "CA=GBK", "C=ü] UTF-8"]);
    // Between games it is white space.
    let later = b"(;B[aa])\xEF\xBB\xBF(;CA[GBK]PB[\xBF\xC2\xBD\xE0])";
    check(&auto(), later, &["B=aa", "CA=GBK", "PB=\u{67EF}\u{6D01} GBK"]);
    // Text that is UTF-8 only by its bytes contradicts ASCII, mark or not.
    let joined =
        b"\xEF\xBB\xBF(;CA[EUC-KR]PB[\xB9\xDA\xC1\xA4\xC8\xAF \xC0\xCC\xBC\xBC\xB5\xB9])(;CA[ASCII]PB[\xC7\x80])";
    let expected = [
        "!charset-contradicted",
        "CA=EUC-KR",
        "PB=박정환 이세돌 EUC-KR",
        "CA=ASCII",
        "!charset-contradicted",
        "PB=ǀ UTF-8",
    ];
    check(&auto().remember_charsets(true), joined, &expected);
    let cut = b"\xEF\xBB\xBF(;PB[\xE6\x9F\xAF\xE6])";
    check(&auto(), cut, &["!undecodable-text", "PB=柯\u{FFFD} UTF-8"]);
}

#[test]
fn files_joined_behind_one_with_a_mark_keep_their_charset() {
    // In GBK, 乚 ends in a byte that is a bracket.
    let first = "\u{FEFF}(;PB[é])\n".as_bytes();
    let declared_gbk = b"(;CA[GBK]PB[\xBF\xC2\xBD\xE0]C[\x81\x5D x])";
    let late = b"(;PB[\xBF\xC2\xBD\xE0]PW[\x81\x5D]CA[GBK])";
    let none = b"(;PB[\xBF\xC2\xBD\xE0 \xBE\xC5\xB6\xCE]C[\xBA\xDA\xCF\xC8])";
    let mut games = first.to_vec();
    games.extend_from_slice(declared_gbk);
    games.extend_from_slice(late);
    games.extend_from_slice(none);
    games.extend_from_slice("(;PB[柯洁])".as_bytes());
    let expected = [
        "PB=é UTF-8",
        "!charset-contradicted",
        "CA=GBK",
        "PB=柯洁 GBK",
        "C=乚 x GBK",
        "PB=柯洁 GBK",
        "PW=乚 GBK",
        "!charset-contradicted",
        "CA=GBK",
        "!charset-contradicted",
        "PB=柯洁 九段 GBK",
        "C=黑先 GBK",
        "PB=柯洁 UTF-8",
    ];
    check(&auto(), &games, &expected);
    check(&repairing().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto), &games, &expected);
}

#[test]
fn a_damaged_name_keeps_its_charset() {
    let mut game = "(;PB[柯洁]PW[柯".as_bytes().to_vec();
    game.extend(b"\xE6\xB4];B[pd])");
    check(&declared(), &game, &["PB=柯洁 UTF-8", "!undecodable-text", "PW=柯\u{FFFD} UTF-8", "B=pd"]);
}

#[test]
fn a_value_that_ends_by_character_may_be_undecodable() {
    for config in [Config::new(), repairing()] {
        let config = config.escape_unit(EscapeUnit::Character);
        let text = ["CA=Big5", "!undecodable-text", "C=\u{FFFD}b Big5", "B=aa"];
        check(&config, b"(;CA[Big5]C[\x8E\x9Ab];B[aa])", &text);
        check(&config, b"(;CA[Big5]C[\x8E\x9Ab](;B[aa]))", &text);
    }
}

#[test]
fn forced_and_raw_charsets() {
    let game = "(;CA[gbk]PB[柯洁])".as_bytes();
    let forced = Config::new().charsets(Charsets::Forced(Charset::UTF_8));
    check(&forced, game, &["CA=gbk", "PB=柯洁 UTF-8"]);
    check(&Config::new().charsets(Charsets::Raw), b"(;CA[klingon]PB[\xFC])", &["CA=klingon", "PB=\u{FFFD} UTF-8"]);
}

#[test]
fn both_conventions_of_escaping_in_one_stream() {
    // U+56E0 and U+8A31 of Big5 end in `]` and in a backslash.
    let by_character = b"(;CA[Big5]PB[\xA6\x5D\xB3\x5C]C[\xA6\x5D];B[pd]C[\xB3\x5C])";
    let by_byte = b"(;CA[Big5]PB[\xA6\\\x5D\xB3\\\x5C]C[\xA6\\\x5D];B[pd]C[\xB3\\\x5C])";
    let expected = ["CA=Big5", "PB=因許 Big5", "C=因 Big5", "B=pd", "C=許 Big5"];
    check(&auto(), by_character, &expected);
    check(&auto(), by_byte, &expected);
    check(&Config::new().escape_unit(EscapeUnit::Character), by_character, &expected);
    check(&Config::new().escape_unit(EscapeUnit::Byte), by_byte, &expected);
    let both = [&by_character[..], b"\n", by_byte].concat();
    check(&auto(), &both, &[expected, expected].concat());
}

#[test]
fn a_label_after_text_with_hidden_brackets_is_found() {
    let game = b"(;PB[\xA6\x5D\xB3\x5C]C[\xA6\x5D]CA[Big5];B[pd])";
    check(&auto(), game, &["PB=因許 Big5", "C=因 Big5", "CA=Big5", "B=pd"]);
}

#[test]
fn without_a_declared_charset_values_end_by_byte() {
    // A UTF-8 name cut inside its last character must not swallow the bracket.
    for lead in [0xE6, 0xB0, 0x81] {
        let game = [b"(;GM[1]PB[", &[lead][..], b"]PW[a];B[pd])"].concat();
        let recorded = read(&auto(), &game);
        assert!(recorded.iter().any(|line| line.starts_with("PW=a")), "{recorded:?}");
    }
}

#[test]
fn a_long_text_before_the_label_is_held_only_so_far() {
    let mut game = b"(;C[\xBF\xC2".to_vec();
    game.extend(std::iter::repeat_n(b'x', 70_000));
    game.extend(b"]CA[gbk]PB[\xBF\xC2];B[pd])");
    let config = declared();
    let whole = record(&config, Recorder::default(), &[&game]);
    for len in [1, 1000, 65_535, 65_537] {
        assert_eq!(
            record(&config, Recorder::default(), &game.chunks(len).collect::<Vec<_>>()),
            whole,
            "chunks of {len}"
        );
    }
    assert!(whole.iter().any(|line| line.starts_with("B=pd")));
}

fn repairing() -> Config {
    Config::new().repair_brackets(true)
}

/// Inputs whose events once depended on cuts or skipping.
#[test]
fn a_cut_changes_nothing() {
    for config in [Config::new(), auto(), repairing().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto)] {
        read(&config, b"(;CA[GBK]\xA6;C[\xE5\x9B\xA0(\xC4])");
        read(&config, b"\xC8(CA[ISO2022KR][\xEC\xEC\x8A\xB9]");
    }
    for config in [repairing(), repairing().charsets(Charsets::Auto)] {
        read(&config, "(;CA[gb2312]C[柯洁 [x] é];C[é])".as_bytes());
        read(&config, "(;GM[1];C[é [x] 柯洁];C[é])".as_bytes());
        read(&config, b"(;GM[1];C[\xBF\xC2 [x] \xBD\xE0 \xBE\xC5\xB6\xCE];C[\xBA\xDA])");
    }
    read(&auto(), b"(;GM[1];C[\xE9]N[\xBF\xC2\xBD\xE0 \xBE\xC5\xB6\xCE \xBA\xDA\xCF\xC8])");
    // What is too long for an identifier cannot be the name of a text property.
    for len in [16, 17, 31, 32, 33, 34] {
        for letter in ["y", "Y"] {
            read(&repairing(), format!("(;{}C[t])](;", letter.repeat(len)).as_bytes());
        }
    }
    let utf_8 = Config::new().charsets(Charsets::Forced(Charset::UTF_8));
    let recorded = read(&utf_8, b"(;C[\xE5]abc[x]D;B[aa])");
    assert!(recorded.iter().any(|line| line.starts_with("!lowercase-identifier")), "{recorded:?}");
    let mut limits = Limits::new();
    limits.node = 1;
    let auto = Config::new().escape_unit(EscapeUnit::Auto).limits(limits.clone());
    check(&auto, b"(;FF[4]CA[GBK];C[\x8A]x])", &["FF=4", "!limit-node", "C=\u{596D}x GBK"]);
    check(
        &repairing().limits(limits),
        b"(;GM[1]C[name [12k]; hi];B[aa](;W[bb]C[(]))",
        &["GM=1", "!limit-node", "B=aa", "W=bb", "!limit-node"],
    );
}

#[test]
fn a_text_over_the_limit_is_looked_at_once() {
    let mut limits = Limits::new();
    limits.value = 10;
    let config = repairing().limits(limits);
    for input in [
        &b"(;C[ab]cdefghijk];B[aa])"[..],
        b"(;CA[GBK]C[\xB0\xD7]cdefghijk];B[aa])",
        b"(;CA[GBK]C[\xB0\xD7]cdefghijk] x];B[aa])",
        b"(;CA[GBK]C[\xB0\xD7] cdefghijklmno",
    ] {
        for unit in [EscapeUnit::Auto, EscapeUnit::Character, EscapeUnit::Byte] {
            let recorded = read(&config.clone().escape_unit(unit), input);
            assert!(recorded.iter().any(|line| line.starts_with("B=aa")) || !input.ends_with(b"[aa])"), "{recorded:?}");
        }
    }
}

#[test]
fn an_unescaped_bracket_in_a_text_is_distinguished_from_its_end() {
    check(
        &repairing(),
        b"(;C[name [12k]: hi];B[pd]C[ok])",
        &["!unescaped-bracket", "C=name [12k]: hi", "B=pd", "C=ok"],
    );
    check(
        &repairing(),
        b"(;PB[a]]PW[b] ;B[pd];W[dd];W[dp])",
        &["!unescaped-bracket", "PB=a]", "PW=b", "B=pd", "W=dd", "W=dp"],
    );
    check(&repairing(), b"(;C[x [1k] - [2k] z]\n\n;B[pd])", &["!unescaped-bracket", "C=x [1k] - [2k] z", "B=pd"]);
    // Also where the charset's characters may contain brackets.
    for unit in [EscapeUnit::Auto, EscapeUnit::Character] {
        for middle in ["[3k] ;-)", "(B[4])", "[12k]:", "(图[一])", "[]"] {
            let (text, ..) = encoding_rs::GBK.encode(middle);
            let game = [&b"(;CA[GBK]C[\xB0\xD7 "[..], &text, b" \xB1\xC8];W[af];B[cc])"].concat();
            let comment = format!("C=白 {middle} 比 GBK");
            check(&repairing().escape_unit(unit), &game, &["CA=GBK", "!unescaped-bracket", &comment, "W=af", "B=cc"]);
        }
    }
    // Junk between two lines of a header is not part of a text.
    for junk in ["\n> ", "\0\0", "<br>\n", ",", "=20\n", "\u{A0}"] {
        let game = format!("(;GM[1]PB[Alice]BR[3d]{junk}PW[Bob]WR[4d];B[pd])");
        let recorded = read(&repairing(), game.as_bytes());
        let values: Vec<_> = recorded.iter().filter(|line| line.contains('=') && !line.starts_with('!')).collect();
        let values: Vec<_> = values.iter().filter_map(|line| Some(line.rsplit_once(' ')?.0)).collect();
        assert_eq!(values, ["GM=1", "PB=Alice", "BR=3d", "PW=Bob", "WR=4d", "B=pd"], "{junk:?}");
    }
    check(
        &repairing(),
        b"(;EV[Cup [A] - B[1] x]PB[b]C[:] or B[aa], no]PW[a [1] - B[2]])",
        &[
            "!unescaped-bracket",
            "EV=Cup [A] - B[1] x",
            "PB=b",
            "!unescaped-bracket",
            "C=:] or B[aa], no",
            "!unescaped-bracket",
            "PW=a [1] - B[2]",
        ],
    );
    // TwixT.
    check(
        &repairing(),
        b"(;FF[4]SO[a.net];b[dd];r[th];b[kj|draw])",
        &[
            "FF=4",
            "SO=a.net",
            "!lowercase-identifier",
            "b=dd",
            "!lowercase-identifier",
            "r=th",
            "!lowercase-identifier",
            "b=kj|draw",
        ],
    );
    // Without repair the first bracket closes.
    let byte = ["C=name [12k", "!illegal-bytes", "!illegal-bytes", "B=pd"];
    check(&Config::new(), b"(;C[name [12k]: hi];B[pd])", &byte);
}

#[test]
fn unescaped_brackets_are_text_where_characters_hide_others() {
    for unit in [EscapeUnit::Auto, EscapeUnit::Character] {
        let config = repairing().escape_unit(unit);
        // Before it, a character ends in a bracket; behind it, one ends in a backslash.
        check(
            &config,
            b"(;CA[Big5]C[\xA6\x5D\xAC\xB0 [12k]: hi];B[aa]C[\xA6\xA8\xA5\x5C];W[bb])",
            &["CA=Big5", "!unescaped-bracket", "C=因為 [12k]: hi Big5", "B=aa", "C=成功 Big5", "W=bb"],
        );
        check(
            &config,
            b"(;CA[Big5]C[\xA6\xA8 [12k]: \xA5\x5C];B[aa];W[bb])",
            &["CA=Big5", "!unescaped-bracket", "C=成 [12k]: 功 Big5", "B=aa", "W=bb"],
        );
    }
    check(
        &repairing().escape_unit(EscapeUnit::Auto),
        b"(;CA[Big5]C[\xA5\x5C\x5C [12k]: x];B[aa])",
        &["CA=Big5", "!unescaped-bracket", "C=功 [12k]: x Big5", "B=aa"],
    );
    // Neither way to read it makes sense.
    let damaged = b"(;CA[Big5]C[\xA6\x5D\xAC\xB0\xFF [12k]: hi];B[aa])";
    assert!(read(&repairing().escape_unit(EscapeUnit::Auto), damaged).iter().any(|line| line.starts_with("B=aa")));
    // The names of up to four players are texts.
    check(
        &repairing(),
        b"(;GM[Blokus]P1[Taro [9p] x]P2[b]P4[c [1p]])",
        &["GM=Blokus", "!unescaped-bracket", "P1=Taro [9p] x", "P2=b", "!unescaped-bracket", "P4=c [1p]"],
    );
}

#[test]
fn a_name_that_was_cut_inside_a_character_does_not_change_how_the_game_is_read() {
    check(
        &repairing().escape_unit(EscapeUnit::Auto),
        b"(;CA[Big5]PB[\xA4\xFD\xA6]PW[\xA4\xFD];B[aa]C[\xA6\xA8\xA5\x5C];W[bb])",
        &["CA=Big5", "!undecodable-text", "PB=王\u{FFFD} Big5", "PW=王 Big5", "B=aa", "C=成功 Big5", "W=bb"],
    );
    // Nor does one that is cut off by the end of the input.
    let open = read(&repairing().escape_unit(EscapeUnit::Auto), b"(;CA[gbk]C[\xB0\xA1");
    assert!(!open.iter().any(|line| line.contains("escape-unit-changed")), "{open:?}");
}

#[test]
fn a_bracket_in_a_name_is_seen_by_a_guess() {
    let auto = || repairing().escape_unit(EscapeUnit::Auto).charsets(Charsets::Auto);
    for (label, black, white) in [
        ("Shift_JIS", "\u{4F59}\u{6B63}\u{9E92}", "\u{4E00}\u{529B}\u{907C}"),
        ("GBK", "\u{8042}\u{536B}\u{5E73}", "\u{6734}\u{57C8}\u{596D}"),
    ] {
        let charset = Charset::for_label(label.as_bytes()).unwrap();
        let [black_raw, white_raw] =
            [black, white].map(|name| encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(name).0);
        let game = [b"(;PB[", &black_raw[..], b"]PW[", &white_raw, b"]RE[B+R];B[pd])"].concat();
        let recorded = read(&auto(), &game);
        for line in [format!("PB={black} {charset}"), format!("PW={white} {charset}")] {
            assert!(recorded.iter().any(|it| it.starts_with(&line)), "{line}: {recorded:?}");
        }
    }
}

#[test]
fn a_break_at_a_problem_counts_no_text_twice() {
    struct Noted {
        lines: Vec<String>,
        breaks: bool,
    }

    impl Visitor for Noted {
        type Break = ();

        fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
            self.lines.push(format!("{} {}", value.text(), value.charset()));
            ControlFlow::Continue(())
        }

        fn problem(&mut self, problem: &Problem) -> ControlFlow<()> {
            self.lines.push(problem.to_string());
            if self.breaks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    let auto = || Config::new().charsets(Charsets::Auto);
    for (config, input) in [
        (Config::new(), &b"(;xxxxxxxxxxx]CA[gbk]\xB9ABCDQR[x]C[\x83][\xB0\xD7\xD6\xD0]"[..]),
        (auto(), b"\xEF\xBB\xBF(CA[][\xB6][\xCA]"),
        (auto().repair_brackets(true), b"(C[\x83ght[x];C[\xA6\xEBC]"),
    ] {
        let lines = [false, true].map(|breaks| {
            let mut noted = Noted { lines: Vec::new(), breaks };
            let mut parser = Parser::with_config(config.clone());
            let lenient = "lenient reading goes on";
            while parser.feed(&input[parser.offset() as usize..], &mut noted).expect(lenient).is_break() {}
            while parser.finish(&mut noted).expect(lenient).is_break() {}
            noted.lines
        });
        assert_eq!(lines[0], lines[1], "{}", input.escape_ascii());
    }
}

#[test]
fn skipping_sees_the_label_that_reading_sees() {
    let game = b"CA[Big5]PB[\xA6\xA1]C[\xA6])x (;AB[aa\\] text];B[aa];W[bb])\n";
    for before in [&b"\xEF\xBB\xBF(;"[..], b"(;\xA0", b"(;GM[1]\xC2\xA0"] {
        let config = repairing().escape_unit(EscapeUnit::Auto).charsets(Charsets::Auto);
        let games = [before, game, b"(;", game].concat();
        support::compare_with(&config, &games);
        read(&config, &games);
    }
    // What stands behind a tree belongs to none of its properties.
    support::compare_with(&repairing(), b"(;(;B[aa];RE[])[x])y];B[bb])(;B[cc])");
}

#[test]
fn a_line_ending_in_bracket_and_parenthesis_ends_text_and_game() {
    let headless = ["B=dd", "C=Black resigns", "!junk", "B=cc"];
    for joint in ["\n", "\r\n\r\n", " \n"] {
        let games = format!("(;B[dd]C[Black resigns]){joint}em];B[io];W[dr])\n(;B[cc])");
        check(&repairing(), games.as_bytes(), &headless);
    }
    // Where these end only what follows can tell.
    let text = |games: &str, expected: &[&str]| check(&repairing(), games.as_bytes(), expected);
    text("(;B[dd]C[a (b [c])\nd]\n;W[cc])", &["B=dd", "!unescaped-bracket", "C=a (b [c])\nd", "W=cc"]);
    text("(;B[dd](;W[cc]C[a :])\nd];B[ee]))", &["B=dd", "W=cc", "!unescaped-bracket", "C=a :])\nd", "B=ee"]);
    text("(;B[dd]C[a :]) d];W[cc])", &["B=dd", "!unescaped-bracket", "C=a :]) d", "W=cc"]);
    text("(;B[dd]C[a]b])\nc];W[cc])", &["B=dd", "!unescaped-bracket", "C=a]b])\nc", "W=cc"]);
    // A `]` that closes a bracket inside the text, escaped or not, makes it balanced.
    text("(;B[dd]C[[3d\\]: a])\nc];W[cc])", &["B=dd", "C=[3d]: a", "!junk"]);
    text("(;B[dd]C[[3d]: a])\nc];W[cc])", &["B=dd", "!unescaped-bracket", "C=[3d]: a", "!junk"]);
}

#[test]
fn a_text_ends_with_its_tree_if_junk_and_another_tree_follow() {
    for junk in [".\n", ",", "\",\"", "\0\0", " and (a)\n\n"] {
        let games = format!("(;C[x]){junk}(;AB[aa]C[y]){junk}( ;AW[bb])");
        check(&repairing(), games.as_bytes(), &["C=x", "!junk", "AB=aa", "C=y", "!junk", "AW=bb"]);
    }
    let trees = b"(;B[dd](;W[cc]C[x]).\n(;W[bb]C[y]),(;W[aa]))";
    check(&repairing(), trees, &["B=dd", "W=cc", "C=x", "!illegal-bytes", "W=bb", "C=y", "!illegal-bytes", "W=aa"]);
    let far = format!("(;C[x [3d]: \\] y]){}(;AB[aa])", "-".repeat(80));
    check(&repairing(), far.as_bytes(), &["!unescaped-bracket", "C=x [3d]: ] y", "!junk", "AB=aa"]);
}

#[test]
fn a_text_ends_before_what_looks_like_a_node() {
    let expected = ["PB=a", "PW=b", "!illegal-bytes", "B=aa", "C=x", "!illegal-bytes", "W=bb"];
    check(&repairing(), b"(;PB[a]PW[b]\n> ;B[aa]C[x]\n> ;W[bb]\n)", &expected);
    let expected = ["PB=a", "!illegal-bytes", "!lowercase-identifier", "b=aa", "!lowercase-identifier", "r=bb"];
    check(&repairing(), b"(;PB[a]\n> ;b[aa];r[bb])", &expected);
    // However far away the node is, and however many texts looked for their end before.
    let many = format!("(;PB[a]{};\r\n\tAB[bb]", "\nC[x]>".repeat(200));
    let recorded = read(&repairing(), many.as_bytes());
    assert_eq!(recorded.iter().filter(|line| line.starts_with("C=x ")).count(), 200);
    check(&repairing(), b"(;C[a] b; c [d];AB[aa])", &["!unescaped-bracket", "C=a] b; c [d", "AB=aa"]);
}

#[test]
fn values_that_are_not_text_are_not_repaired() {
    check(&repairing(), b"(;B[pd]x];W[dd])", &["B=pd", "!illegal-bytes", "W=dd"]);
    check(&repairing(), b"(;XX[a]: b];W[dd])", &["XX=a", "!illegal-bytes", "!illegal-bytes", "W=dd"]);
    // Identifiers that begin like those of text properties.
    check(&repairing(), b"(;GNX[a]: b];W[dd])", &["GNX=a", "!illegal-bytes", "!illegal-bytes", "W=dd"]);
    check(&repairing(), b"(;GN1[a]: b];W[dd])", &["GN1=a", "!illegal-bytes", "!illegal-bytes", "W=dd"]);
}

#[test]
fn a_text_that_nothing_sensible_follows_ends_at_its_first_bracket() {
    check(&repairing(), b"(;C[a]: b", &["C=a", "!illegal-bytes", "!illegal-bytes", "!unclosed-tree"]);
    check(&repairing(), b"(;C[a]", &["C=a", "!unclosed-tree"]);
    check(&repairing(), b"(;C[a\\]: b]", &["C=a]: b", "!unclosed-tree"]);
}

#[test]
fn repaired_games_end_alike_read_or_skipped_at_every_cut() {
    let pieces: [&[u8]; 32] = [
        b"(;C[",
        b";[\xA6]x]",
        b"C[\xA6][p](][",
        b"ABCDEFGHIJKLMNOPQ[\xA6]",
        b"]",
        b"]",
        b"] ",
        b")",
        b"(",
        b";",
        b";B[pd]",
        b";B[pd];W[dd];B[pp];W[dp];B[cc];W[qq]",
        b"C[a [12k]: b]",
        b"\nN [x",
        b" [",
        b"[",
        b"\\]",
        b"\\",
        b"PB[",
        b"XX[y",
        b"abc",
        b"GN",
        b"Comment[",
        b"\n",
        "柯".as_bytes(),
        b"]: ",
        b"](;",
        b"])",
        b"];W[aa]",
        b"\xA6]",
        b"\xB3\\",
        b"\xA6\\]",
    ];
    let guessing = repairing().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto).remember_charsets(false);
    let limited = |values| {
        let mut limits = Limits::new();
        limits.values = values;
        guessing.clone().charsets(Charsets::Forced(Charset::GBK)).limits(limits)
    };
    let by_character = guessing.clone().charsets(Charsets::Forced(Charset::BIG5)).escape_unit(EscapeUnit::Character);
    let configs = [guessing.clone(), repairing(), repairing(), limited(0), limited(1), by_character];
    for seed in 1..4_000 {
        let mut rng = Rng::new(seed);
        let beginnings: [&[u8]; 4] = [b"(;", b"(;CA[Big5]", b"(;CA[Shift_JIS]", b"(;CA[UTF-8]"];
        let mut game = beginnings[seed as usize % 4].to_vec();
        for _ in 0..2 + seed % 24 {
            game.extend_from_slice(rng.pick(&pieces));
        }
        read(&configs[seed as usize % configs.len()], &game);
    }
}

/// Values that nobody gets once ended elsewhere if they were skipped.
#[test]
fn values_without_a_property_end_alike_read_or_skipped() {
    let mut limits = Limits::new();
    limits.values = 0;
    check(&repairing().limits(limits), b"(EV[p](])", &["!missing-semicolon", "!limit-values"]);
    let gbk = repairing().charsets(Charsets::Forced(Charset::GBK)).escape_unit(EscapeUnit::Character);
    check(&gbk, b"(;[\xA6](];B[aa])", &["!value-without-property", "B=aa"]);
    check(&gbk, b"(;ABCDEFGHIJKLMNOPQ[\xA6](];B[aa])", &["!identifier-too-long", "B=aa"]);
    // The label comes later.
    let declared = Config::new().escape_unit(EscapeUnit::Character);
    read(&declared, b"(;[\xE9\\])%CA[Big5]]CA[Big5]");
}

/// A text that is over the limit is no reason not to repair the next one. It was if the end of the first was not in sight.
#[test]
fn a_text_over_the_limit_leaves_the_next_one_to_be_repaired() {
    let mut limits = Limits::new();
    limits.value = 5;
    let config = repairing().limits(limits);
    check(&config, b"(;C[much too long][p](])", &["!value-too-long", "!unescaped-bracket", "C=p]("]);
}

#[test]
fn brackets_are_repaired_in_text_of_any_charset() {
    let game = "(;C[柯洁 [9p]: 好]CA[UTF-8];B[pd]C[柯 [x] y])".as_bytes();
    check(
        &repairing().charsets(Charsets::Auto),
        game,
        &["!unescaped-bracket", "C=柯洁 [9p]: 好 UTF-8", "CA=UTF-8", "B=pd", "!unescaped-bracket", "C=柯 [x] y UTF-8"],
    );
}

#[test]
fn every_change_of_label_is_reported() {
    let games =
        b"(;CA[GB2312];B[aa])(;CA[gbk])(;)(;FF[4]CA[Big5]CA[GBK])(;CA[ASCII])(;CA[foo])(;CA[Big5])(;C[x]CA[UTF-8])";
    let expected = [
        "CA=GB2312",
        "B=aa",
        "CA=gbk",
        "FF=4",
        "!charset-changed",
        "CA=Big5",
        "CA=GBK",
        "CA=ASCII",
        "!charset-unknown",
        "CA=foo",
        "CA=Big5",
        "C=x",
        "!charset-changed",
        "CA=UTF-8",
    ];
    check(&declared(), games, &expected);
    check(&repairing().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto), games, &expected);
    // Where labels are ignored, so are their changes.
    check(
        &declared(),
        "\u{FEFF}(;CA[UTF-8])(;CA[UTF-16])".as_bytes(),
        &["CA=UTF-8", "!charset-contradicted", "CA=UTF-16"],
    );
    let count =
        |config: &Config| read(config, games).iter().filter(|line| line.starts_with("!charset-changed")).count();
    assert_eq!(count(&Config::new().charsets(Charsets::Forced(Charset::BIG5))), 0);
    assert_eq!(count(&Config::new().charsets(Charsets::Raw)), 0);
    // A label is not searched for so far.
    for (len, changes) in [((64 << 10) - 20, 1), (64 << 10, 0)] {
        let games = format!("(;CA[GBK])(;C[{}]CA[Big5])", "x".repeat(len));
        let recorded = record(&declared(), Recorder::default(), &[games.as_bytes()]);
        assert_eq!(recorded.iter().filter(|line| line.starts_with("!charset-changed")).count(), changes, "{len}");
    }
}

#[test]
fn a_part_of_a_stream_reports_the_changes_that_the_whole_does() {
    let games = b"(;CA[GBK])(;CA[Big5])";
    let changes = |from: usize, to: usize| {
        let mut parser = Parser::with_config(auto());
        let mut over = Recorder { over: true, ..Recorder::default() };
        let _ = parser.feed(&games[..to], &mut over).unwrap();
        let (mut other, mut recorded) = (Parser::new(), Recorder::default());
        let start = sgf_stream::Position { offset: from as u64, line: 1, column: from as u64 + 1 };
        other.reset_within(start, parser.stream());
        let _ = other.read_slice(&games[from..], &mut recorded).unwrap();
        recorded.lines.iter().filter(|line| line.starts_with("!charset-changed")).count()
    };
    assert_eq!(changes(10, 10), 1, "after the first game, which was passed over");
    assert_eq!(changes(10, games.len()), 1, "seen from beyond the second one");
    assert_eq!(changes(0, games.len()), 1, "from the beginning");
}

#[test]
fn the_label_of_a_skipped_game_counts_for_changes() {
    struct Changes(Vec<u64>);
    impl Visitor for Changes {
        type Break = Infallible;

        fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
            ControlFlow::Continue(if tree.position().offset == 0 { Descend::Over } else { Descend::Into })
        }

        fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
            if problem.name() == "charset-changed" {
                self.0.push(problem.position().offset);
            }
            ControlFlow::Continue(())
        }
    }
    for (game, is_gbk) in [
        ("(;CA[GBK])", true),
        ("(;FF[4]C[x]CA [GBK];)", true),
        ("(CA[GBK];)", true),
        ("(FF[4]CA[GBK])", true),
        ("(;%CA[GBK])", true),
        ("(;C CA[GBK])", true),
        ("(;CoA[GBK])", true),
        ("(;C A[GBK])", false),
        ("(;CAX[GBK])", false),
        ("(;;CA[GBK])", false),
        ("(;C[CA[GBK\\]])", false),
    ] {
        let stream = format!("{game}(;CA[Big5])");
        for len in [1, 3, 100] {
            let mut changes = Changes(Vec::new());
            let mut parser = Parser::with_config(auto());
            for chunk in stream.as_bytes().chunks(len) {
                let _ = parser.feed(chunk, &mut changes).unwrap();
            }
            let expected: &[u64] = if is_gbk { &[game.len() as u64 + 5] } else { &[] };
            assert_eq!(changes.0, expected, "{stream}");
        }
    }
}

#[test]
fn hz_is_recoded() {
    let game = b"(;CA[HZ-GB-2312]PB[~{VP~}]C[~~ ~{;]9z~}];B[pd])";
    check(&declared(), game, &["CA=HZ-GB-2312", "PB=\u{4E2D} UTF-8", "C=~ \u{60E0}\u{56FD} UTF-8", "B=pd"]);
}

#[test]
fn a_guess_reads_characters_that_end_in_a_backslash() {
    let auto = Config::new().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto);
    let mut game = b"(;PB[".to_vec();
    game.extend_from_slice(&encoded(Charset::SHIFT_JIS, "黒番中押し勝ち、表示ソフト予能。"));
    game.extend_from_slice(b"];B[pd])");
    check(&auto, &game, &["PB=黒番中押し勝ち、表示ソフト予能。 Shift_JIS", "B=pd"]);
}

#[test]
fn utf_16_is_recoded_and_positions_are_those_of_the_source() {
    let game = "(;PB[柯洁]C[a]\n;B[pd])\n(;C[\u{1F600}])";
    let expected =
        ["( 1:1", "; 1:3", "PB=柯洁 UTF-8 1:11", "C=a 1:21", "; 2:1", "B=pd 2:7", ") 2:13", "( 3:1", "; 3:3"];
    for charset in [Charset::UTF_16LE, Charset::UTF_16BE] {
        for mark in ["\u{FEFF}", ""] {
            let shift = if mark.is_empty() { 0 } else { 2 };
            let recorded = read(&declared(), &Wide::new(&format!("{mark}{game}"), charset).source);
            let first = recorded[0].clone();
            assert_eq!(first, format!("( 1:{}", 1 + shift), "{recorded:?}");
            if shift == 0 {
                assert_eq!(recorded[..expected.len()], expected, "{recorded:?}");
            }
            assert!(recorded.iter().any(|line| line.starts_with("C=\u{1F600} UTF-8")), "{recorded:?}");
        }
    }
}

#[test]
fn utf_32_and_iso_2022_jp_are_recoded() {
    let wide = Wide::new("\u{FEFF}(;PB[柯洁];B[pd])", Charset::UTF_32BE).source;
    check(&declared(), &wide, &["PB=柯洁 UTF-8", "B=pd"]);
    // U+672C U+56E0 U+574A. In seven bits the latter two contain the bytes of `\` and `]`.
    check(&declared(), b"(;CA[ISO-2022-JP]PB[\x1B$BK\\0x\x1B(B];B[pd])", &["CA=ISO-2022-JP", "PB=本因 UTF-8", "B=pd"]);
    // With raw charsets nothing is recoded.
    let raw = Config::new().charsets(Charsets::Raw);
    assert!(read(&raw, &wide).iter().all(|line| line.starts_with("!junk")));
}

#[test]
fn a_guess_reads_text_and_moves_no_bracket() {
    let text = "黑先，白棋在此处应该怎样下才能做活";
    let value = encoded(Charset::GBK, text);
    let game = [&b"(;C["[..], &value, b"];B[pd])"].concat();
    check(&auto(), &game, &[&format!("C={text} GBK"), "B=pd"]);
    // Without `Auto` nothing is guessed.
    let recorded = read(&declared(), &game);
    assert!(recorded.iter().any(|line| line.contains("windows-1252")), "{recorded:?}");
}

#[test]
fn every_face_reads_a_recoded_stream_as_its_text() {
    for text in [
        "(;GM[1])",
        "(;PB[本因坊秀策]C[\\]囲碁:a\\\n\r\nb\r]\r\n;B[pd]W[dd]\n(;C[棋])(;B[aa]))\n\n (;C[x])",
        "(;C[\u{1F600}\u{E9}]\r;W[]AB[aa][bb])junk(;\u{1F600})",
        "(;B[aa](;W[bb](;B[cc",
        "(;C[本",
        "(;GM[1]C[a\\",
        ") (;B[aa])) 囲 ( ;XX[囲碁]%囲%;B W[x])",
        "(;GM[1]PB[a])\r\n(;GM[1]PB[囲])\r(;GM[1]PB[b]",
    ] {
        support::check_recoded(text);
        if !text.starts_with(')') {
            support::check_recoded(&format!("\u{FEFF}{text}"));
        }
    }
    let bad = support::BAD;
    support::check_recoded(&format!("(;C[a{bad}本]\n;PB[{bad}];B[aa])\n(;C[x{bad}])"));
    // Longer than a step of recoding and than the buffers.
    let long = format!("(;C[{}]\n{})\n", "本因坊秀策\n".repeat(300), ";B[pd]W[dd]".repeat(40));
    support::check_recoded(&long.repeat(3));
}

#[test]
fn every_charset_of_two_bytes_is_read_in_both_conventions_in_one_stream() {
    // Second bytes `[`, `\` and `]`, four-byte characters, and two of Hong Kong's additions to Big5.
    let cases: [(&str, Charset, &[&[u8]]); 4] = [
        ("GBK", Charset::GBK, &[b"\x81\x5B", b"\xB0\x5C", b"\xC4\x5D", b"\xB0\xD7"]),
        ("GB18030", Charset::GB18030, &[b"\x95\x32\x82\x36", b"\xC4\x5D", b"\x81\x30\x81\x30", b"\xB0\x5C"]),
        ("Big5-HKSCS", Charset::BIG5, &[b"\x92\x5D", b"\x8E\x5C", b"\xA6\x5D", b"\xA5\x5C", b"\xA4\xA4"]),
        ("Shift_JIS", Charset::SHIFT_JIS, &[b"\x95\x5C", b"\x83\x5D", b"\xB1", b"\x83\x5B", b"\x82\xA0"]),
    ];
    let mut stream = Vec::new();
    let mut expected = Vec::new();
    for (label, charset, characters) in cases {
        let by_character = characters.concat();
        let escaped = |&byte: &u8| if matches!(byte, b'\\' | b']') { vec![b'\\', byte] } else { vec![byte] };
        let by_byte: Vec<u8> = by_character.iter().flat_map(escaped).collect();
        let (text, errors) = charset.decode(&by_character);
        assert!(!errors, "{label}");
        if !stream.is_empty() {
            expected.push("!charset-changed".to_owned());
        }
        for value in [&by_character, &by_byte] {
            stream.extend([b"(;CA[", label.as_bytes(), b"]PB[", value, b"];B[pd]C[", value, b"])\n"].concat());
            expected.push(format!("CA={label}"));
            expected.push(format!("PB={text} {charset}"));
            expected.push("B=pd".to_owned());
            expected.push(format!("C={text} {charset}"));
        }
    }
    check(&auto(), &stream, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_label_after_the_first_escape_sequence_declares_the_original_charset() {
    let expected = ["PB=本 UTF-8", "CA=ISO-2022-JP", "C=本 UTF-8"];
    check(&auto(), b"(;PB[\x1B$BK\\\x1B(B]CA[ISO-2022-JP];C[\x1B$BK\\\x1B(B])", &expected);
}

#[test]
fn games_of_seven_and_eight_bits_are_each_read_in_their_charset() {
    // From an ISO-2022 escape sequence on, the stream is recoded.
    let marked = b"(;CA[ISO-2022-JP]PB[\x1B$BK\\0x\x1B(B])(;CA[GBK]PB[\xB0\xD7])";
    check(&auto(), marked, &["CA=ISO-2022-JP", "PB=本因 UTF-8", "!charset-changed", "CA=GBK", "PB=白 GBK"]);
    // After a byte of 0x80 or more no escape sequence counts, but the label does.
    let labelled =
        b"(;CA[GBK]PB[\xB0\xD7])(;CA[ISO-2022-JP]PB[\x1B$BK\\0x\x1B(B];C[\x1B$BK\\\x1B(B \\]])(;CA[GBK]PB[\xB0\xD7])";
    let (gbk, changed) = (["CA=GBK", "PB=白 GBK"], ["!charset-changed"]);
    let expected = [&gbk[..], &changed, &["CA=ISO-2022-JP", "PB=本因", "C=本 ]"], &changed, &gbk].concat();
    check(&auto(), labelled, &expected);
}

#[test]
fn a_label_that_stays_the_same_is_no_change_after_a_mark() {
    for (label, name) in
        [("ISO-2022-JP", "\x1B$BK\\\x1B(B"), ("ISO-2022-KR", "\x1B$)C\x0E0!\x0F"), ("HZ-GB-2312", "~{0W~}")]
    {
        let input = format!("(;CA[{label}]PB[{name}])(;CA[{label}]PB[a])");
        let problems = read(&auto(), input.as_bytes()).into_iter().filter(|line| line.starts_with('!'));
        assert_eq!(problems.collect::<Vec<_>>(), [""; 0], "{label}");
    }
}

/// The values, without problems and positions.
fn values(config: &Config, input: &[u8]) -> Vec<String> {
    let recorded = read(config, input);
    recorded.iter().filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned()).filter(|it| it.contains('='))).collect()
}

#[test]
fn one_damaged_value_does_not_contradict_a_label() {
    let gbk =
        b"(;CA[GBK]PB[\xBF\xC2\xBD\xE0\x81]PW[\xB9\xC5\xC1\xA6\x81]EV[\xC8\xAB\xD4\xCB\xBB\xE1];C[\xBF\xC2\xBD\xE0])";
    let expected = ["CA=GBK", "PB=柯洁\u{FFFD} GBK", "PW=古力\u{FFFD} GBK", "EV=全运会 GBK", "C=柯洁 GBK"];
    assert_eq!(values(&auto(), gbk), expected);
    let euc = b"(;CA[EUC-JP]PB[\xC9\xF0\xB5\xDC];B[aa]C[\xA4\xB3\xA4\xCE\xFF];W[bb]C[\xB9\xF5])";
    let expected = ["CA=EUC-JP", "PB=武宮 EUC-JP", "B=aa", "C=この\u{FFFD} EUC-JP", "W=bb", "C=黒 EUC-JP"];
    assert_eq!(values(&auto(), euc), expected);
    let recorded = read(&auto(), euc);
    let problems: Vec<_> = recorded.iter().filter(|line| line.starts_with('!')).collect();
    assert_eq!(problems.len(), 1, "{recorded:?}");
    assert!(problems[0].starts_with("!undecodable-text "), "{recorded:?}");
}

#[test]
fn a_truncated_name_is_read_as_the_label_says() {
    let game = [&b"(;CA[UTF-8]PB[\xE5\x9C]PW["[..], "棋圣".as_bytes(), b"])"].concat();
    assert_eq!(values(&auto(), &game), ["CA=UTF-8", "PB=\u{FFFD} UTF-8", "PW=棋圣 UTF-8"]);
}

/// The second byte of the character before the `]` is a backslash, which seems to escape it.
#[test]
fn a_label_is_found_after_a_character_that_seems_to_escape_the_bracket() {
    for (label, charset, character) in [
        ("Big5", Charset::BIG5, &b"\xA5\x5C"[..]),
        ("Shift_JIS", Charset::SHIFT_JIS, b"\x95\x5C"),
        ("GBK", Charset::GBK, b"\xB1\x5C"),
    ] {
        let (text, errors) = charset.decode(character);
        assert!(!errors);
        for between in ["", "\n", " \r\n "] {
            let start =
                [b"(;PB[", character, b"]", between.as_bytes(), b"CA[", label.as_bytes(), b"];B[pd]C["].concat();
            let game = [&start[..], character, b"];W[dd])"].concat();
            let (label, written) = (format!("CA={label}"), |name: &str| format!("{name}={text} {charset}"));
            assert_eq!(
                values(&auto(), &game),
                [written("PB"), label, "B=pd".to_owned(), written("C"), "W=dd".to_owned()]
            );
        }
    }
}

/// Wherever a chunk ends.
#[test]
fn no_label_is_taken_from_a_child_tree() {
    for junk in ["", "x"] {
        let game = [junk.as_bytes(), b"(;(;S[\xA6\\]CA[GB]))"].concat();
        assert_eq!(values(&auto(), &game), ["S=Ś]CA[GB ISO-8859-2"]);
    }
}

#[test]
fn games_that_declare_their_charset_are_neighbours_too() {
    let mut stream = b"(;CA[GBK]PB[\xBF\xC2\xBD\xE0])".repeat(5);
    stream.extend_from_slice(b"(;PB[\xC8\xAB\xD4\xCB\xBB\xE1])");
    let config = auto().remember_charsets(true);
    assert_eq!(values(&config, &stream).last().map(String::as_str), Some("PB=全运会 GBK"));
}

/// From a real file in which a bracket is missing.
#[test]
fn an_empty_text_always_ends_at_its_bracket() {
    let game = "(;B[aa]C[];B최철한h];W[bb]C[a] b])";
    let recorded = values(&repairing(), game.as_bytes());
    assert_eq!(recorded, ["B=aa", "C=", "W=bb", "C=a] b"]);
}

#[test]
fn text_undecodable_in_a_forced_charset_is_reported() {
    let config = Config::new().charsets(Charsets::Forced(Charset::GBK)).escape_unit(EscapeUnit::Auto);
    let recorded = read(&config, "(;PB[棋])".as_bytes());
    assert!(recorded.iter().any(|line| line.starts_with("!undecodable-text ")), "{recorded:?}");
}

#[test]
fn utf_8_in_forced_shift_jis_or_big5_is_not_reported_when_repairing() {
    for charset in [Charset::SHIFT_JIS, Charset::BIG5] {
        let config = repairing().charsets(Charsets::Forced(charset)).escape_unit(EscapeUnit::Auto);
        let recorded = read(&config, "(;C[carré à];B[aa])".as_bytes());
        assert!(!recorded.iter().any(|line| line.starts_with('!')), "{recorded:?}");
    }
}

#[test]
fn a_label_for_another_form_of_unicode_than_the_bom_is_contradicted() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (label, is_wrong) in [("UTF-16", false), ("utf-16be", false), ("UTF-8", true), ("UTF-32", true), ("GBK", true)]
    {
        let recorded = read(&auto(), &wide(&format!("\u{FEFF}(;CA[{label}]PB[棋])")));
        assert_eq!(
            recorded.iter().any(|line| line.starts_with("!charset-contradicted ")),
            is_wrong,
            "{label}: {recorded:?}"
        );
        assert!(recorded.iter().any(|line| line.starts_with("PB=棋 UTF-8 ")), "{recorded:?}");
    }
    // A label does not contradict what the caller forces.
    let forced = |charset| Config::new().charsets(Charsets::Forced(charset));
    for (charset, game) in [
        (Charset::UTF_16LE, wide("(;CA[UTF-8]PB[棋])")),
        (Charset::UTF_8, "\u{FEFF}(;CA[UTF-16]PB[棋])".as_bytes().to_vec()),
    ] {
        let recorded = read(&forced(charset), &game);
        assert!(!recorded.iter().any(|line| line.starts_with('!')), "{recorded:?}");
    }
    for (label, is_wrong) in [("UTF-8", false), ("UTF-16", true), ("GBK", true)] {
        let recorded = read(&auto(), format!("\u{FEFF}(;CA[{label}]PB[棋])").as_bytes());
        assert_eq!(
            recorded.iter().any(|line| line.starts_with("!charset-contradicted ")),
            is_wrong,
            "{label}: {recorded:?}"
        );
    }
}

#[test]
fn an_unsupported_charset_is_named() {
    struct Named(Vec<Option<&'static str>>);
    impl Visitor for Named {
        type Break = Infallible;
        fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
            self.0.push(problem.charset());
            ControlFlow::Continue(())
        }
    }
    for (label, expected) in [("cp437", Some("code page 437")), ("utf7", Some("UTF-7")), ("my own", None)] {
        let mut named = Named(Vec::new());
        let game = format!("(;CA[{label}];B[aa])");
        let _ = sgf_stream::read_slice(game.as_bytes(), &mut named).expect("lenient reading goes on");
        assert_eq!(named.0, [expected], "{label}");
    }
}

#[test]
fn a_later_label_is_read_wherever_a_chunk_ends() {
    for unit in [EscapeUnit::Auto, EscapeUnit::Character] {
        let config = auto().escape_unit(unit);
        let game = b"\xEF\xBB\xBF(;CA[GBK]C[\xD6\xD0]CA[UTF-16])";
        let whole = read(&config, game);
        assert!(whole.iter().any(|line| line.starts_with("!charset-contradicted")), "{whole:?}");
        for cut in 0..game.len() {
            let (first, second) = game.split_at(cut);
            assert_eq!(record(&config, Recorder::default(), &[first, second]), whole, "cut at {cut}");
        }
    }
}

#[test]
fn ascii_without_an_end_says_nothing_about_escapes() {
    let mut limits = Limits::new();
    limits.value = 0;
    let config = Config::new().limits(limits).charsets(Charsets::Forced(Charset::GB18030)).cap_values(true);
    let config = config.escape_unit(EscapeUnit::Auto);
    let game = b"(;FF[\n(;)";
    let whole = read(&config, game);
    for cut in 0..game.len() {
        let (first, second) = game.split_at(cut);
        assert_eq!(record(&config, Recorder::default(), &[first, second]), whole, "cut at {cut}");
    }
}

/// By character each of these values ends soon; by byte, at the end of them all, which took seconds to find for each.
#[test]
fn a_far_end_by_byte_costs_nothing_if_the_value_ends_before_it() {
    let config = repairing().charsets(Charsets::Forced(Charset::GBK)).escape_unit(EscapeUnit::Auto);
    for (piece, end, count) in [
        (&b"\xBF\\]PB[x]"[..], &b"B[aa]"[..], 39_999),
        (b"\xBF\\]z\xBF\\]PB[", b"]a]a]a]a]a]a", 40_000),
        (b"\xBF\\]z\xBF\\]PB[", b"\xFFz]B[aa]", 40_000),
    ] {
        let input = [b"(;C[", &piece.repeat(40_000)[..], end].concat();
        let recorded = record(&config, Recorder::default(), &[&input]);
        assert!(recorded.iter().filter(|line| line.starts_with("PB=")).count() >= count / 2, "{}", recorded.len());
    }
}

/// By character it ends at the second `]`, which is beyond the limit. The look for it once never ended.
#[test]
fn a_value_over_the_limit_by_character_ends_by_byte() {
    let mut limits = Limits::new();
    limits.value = 8;
    for unit in [EscapeUnit::Auto, EscapeUnit::Character] {
        for repairs in [false, true] {
            let config = Config::new().limits(limits.clone()).escape_unit(unit).repair_brackets(repairs);
            let recorded = read(&config, b"(;CA[GBK]C[\x81]123456789];B[aa])");
            assert!(recorded.iter().any(|line| line.starts_with("B=aa")), "{recorded:?}");
        }
    }
}

#[test]
fn a_second_guess_before_the_first_delivered_text_is_no_contradiction() {
    let game =
        [b"(;PB[", &encoded(Charset::GBK, "柯洁")[..], b"]PW[", &encoded(Charset::GBK, "聂卫平九段"), b"];B[pd])"];
    check(&auto(), &game.concat(), &["PB=柯洁 GBK", "PW=聂卫平九段 GBK", "B=pd"]);
}

/// Nothing closes any of these 100,000 texts. If each look read all of the rest again, this would take hours.
#[test]
fn many_failed_looks_cost_no_more_than_one() {
    let input = b"(;C[x]x".repeat(100_000);
    let recorded = record(&repairing(), Recorder::default(), &[&input]);
    assert_eq!(recorded.iter().filter(|line| line.starts_with("C=x ")).count(), 100_000);
    // The end of a seeming text is in later games, or in the rest of this one. Each of these once took a minute.
    let auto = repairing().escape_unit(EscapeUnit::Auto);
    for (config, start, piece) in [
        (Config::new(), &b""[..], &b"(;C[\xFF]\x80)"[..]),
        (auto.clone(), b"", b"(;C[\xFF]\x80)"),
        (auto.clone(), b"", b"(;CA[cp936\x81])"),
        (auto, b"(;CA[GBK]PB[\xB0\xD7]", b";C[\xE6\x9F\xAF]"),
    ] {
        let input = [start, &piece.repeat(40_000)].concat();
        for len in [usize::MAX, 1000] {
            let chunks: Vec<_> = input.chunks(len).collect();
            let recorded = record(&config, Recorder::default(), &chunks);
            let values = recorded.iter().filter(|line| line.starts_with("C=") || line.starts_with("CA=cp"));
            assert_eq!(values.count(), 40_000, "{}", piece.escape_ascii());
        }
        // Also when skipped, since the charset declaration is still wanted.
        record(&config, Recorder { over: true, ..Recorder::default() }, &[&input]);
    }
}

#[test]
fn a_label_with_undecodable_bytes_reads_the_same_at_every_cut() {
    // 0xFF is not a character of GBK.
    for config in [auto(), auto().repair_brackets(true), declared().escape_unit(EscapeUnit::Auto)] {
        check(&config, b"(;CA[\xFFGBK])", &["!escape-unit-changed", "!undecodable-text", "CA=\u{FFFD}GBK GBK"]);
        check(
            &config,
            b"(;CA[\xFFGBK]C[\xB0\xA1])",
            &["!escape-unit-changed", "!undecodable-text", "CA=\u{FFFD}GBK GBK", "C=\u{554A} GBK"],
        );
    }
    check(&declared(), b"(;CA[\xFFGBK])", &["!charset-contradicted", "CA=\u{FF}GBK windows-1252"]);
}

#[test]
fn what_is_learnt_later_moves_no_end() {
    let config = declared().escape_unit(EscapeUnit::Auto);
    let undecodable = ["!undecodable-text", "C=\u{FFFD} GBK"];
    // The second value is what the label says, but the first was not.
    let first = ["CA=GBK", "!charset-contradicted", "C=中 UTF-8", "!charset-contradicted", "C=中 GBK"];
    check(&config, b"(;CA[GBK]C[\xE4\xB8\xAD][\xD6\xD0][\x81])[x])", &[&first[..], &undecodable, &["!junk"]].concat());
    // The unit of escapes has changed; the label comes once more.
    check(
        &config,
        b"(;CA[GBK]C[\xFF]CA[GBK]C[\x81])[x])",
        &[
            &["CA=GBK", "!escape-unit-changed"][..],
            &undecodable,
            &["CA=GBK", "!charset-contradicted", "C=\u{81} windows-1252", "!junk"],
        ]
        .concat(),
    );
    // No character closes the first value, so it ends by byte; but that changes nothing for the second one.
    check(
        &declared().escape_unit(EscapeUnit::Character).resync(true),
        b"(;CA[GBK]C[\x81](;GM[1]SZ[9]N[\x81])[x]",
        &[&["CA=GBK"][..], &undecodable, &["GM=1", "SZ=9", "N=乚)[x GBK", "!unclosed-tree"]].concat(),
    );
}

#[test]
fn clear_utf_8_decides_at_every_cut() {
    let undecodable = format!("PW={} UTF-8", "\u{FFFD}".repeat(7));
    for config in [auto(), auto().repair_brackets(true), declared(), declared().escape_unit(EscapeUnit::Auto)] {
        check(
            &config,
            b"(;PB[\xE6\x9C\xAC]PW[\xFF\xFF\xFF\xFF\xFF\xFF\xFF])",
            &["PB=\u{672C} UTF-8", "!undecodable-text", &undecodable],
        );
        // What looks like a label inside the text is not one.
        check(&config, b"(;PB[\xE6\x9C\xAC\\]CA[GBK])", &["PB=\u{672C}]CA[GBK UTF-8"]);
    }
}

/// Whether a skipped value lies in one chunk must not matter.
#[test]
fn a_skipped_value_contradicts_nothing() {
    struct NoComments(Vec<ProblemKind>);

    impl Visitor for NoComments {
        type Break = Infallible;

        fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
            ControlFlow::Continue(if property.ident() == Ident::C { Deliver::Skip } else { Deliver::Whole })
        }

        fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
            if problem.kind() != ProblemKind::UnescapedBracket {
                self.0.push(problem.kind());
            }
            ControlFlow::Continue(())
        }
    }

    let check = |unit: EscapeUnit, repairs: bool, input: &[u8]| {
        let config = Config::new().charsets(Charsets::Auto).escape_unit(unit).repair_brackets(repairs);
        for len in 1..=input.len() {
            let mut visitor = NoComments(Vec::new());
            let mut parser = Parser::with_config(config.clone());
            for chunk in input.chunks(len) {
                let _ = parser.feed(chunk, &mut visitor).unwrap();
            }
            let _ = parser.finish(&mut visitor).unwrap();
            assert_eq!(visitor.0, [], "{unit:?}, {repairs}, {} in chunks of {len}", input.escape_ascii());
        }
    };
    for repairs in [false, true] {
        for unit in [EscapeUnit::Byte, EscapeUnit::Character, EscapeUnit::Auto] {
            check(unit, repairs, b"(;PB[\xE6\x9C]C[\xFF\xFE\x80])");
            check(unit, repairs, b"(;CA[UTF-8]C[\xE6\x9F\xAF\xE6\xE6\x9F\xAF];B[aa])");
            check(unit, repairs, b"(;PB[\xBF\xC2\xBD\xE0]C[\xE6\x9F\xAF\xE6\xB4\x81];B[aa])");
        }
        for unit in [EscapeUnit::Character, EscapeUnit::Auto] {
            check(unit, repairs, b"(;CA[GBK]C[\x81\x5D x];B[aa])");
        }
        // Where brackets are not in question, it decides nothing either.
        check(EscapeUnit::Byte, repairs, b"(;C[\xE6\x9F\xAF\xE6\xB4\x81];PB[\xBF\xC2\xBD\xE0];B[aa])");
    }
    for unit in [EscapeUnit::Byte, EscapeUnit::Character, EscapeUnit::Auto] {
        check(unit, true, b"(;PB[\xBF\xC2\xBD\xE0]C[\xE6\x9F\xAF] \xE6\xB4\x81];B[aa])");
    }
    check(EscapeUnit::Byte, true, b"(;C[\xE6\x9F\xAF] \xE6\xB4\x81];PB[\xBF\xC2\xBD\xE0];B[aa])");
}

#[test]
fn text_counts_as_checked_however_it_is_cut() {
    let game = ["(;PB[柯洁]C[", &"é".repeat(1100), "]N["].concat();
    read(&declared(), &[game.as_bytes(), b"\xFF\xFF];B[aa])"].concat());
}

/// An ESC that may begin an ISO-2022 escape sequence is held back; a break must not make the caller feed it again.
#[test]
fn a_break_before_held_bytes_repeats_and_loses_nothing() {
    struct Breaks {
        events: Vec<String>,
        at: usize,
    }

    impl Breaks {
        fn keep<T>(&mut self, events: String, answer: T) -> ControlFlow<(), T> {
            self.events.push(events);
            if self.events.len() == self.at { ControlFlow::Break(()) } else { ControlFlow::Continue(answer) }
        }
    }

    impl Visitor for Breaks {
        type Break = ();

        fn property(&mut self, property: Property<'_>) -> ControlFlow<(), Deliver> {
            self.keep(format!("{} {}", property.ident(), property.position().offset), Deliver::Whole)
        }

        fn problem(&mut self, problem: &Problem) -> ControlFlow<()> {
            self.keep(format!("{} {}", problem.kind().name(), problem.span().end), ())
        }
    }

    let input = b"(;C[a]D\x1BE;F\x1B$G\x1B";
    let read = |cut: usize, at: usize| {
        let mut visitor = Breaks { events: Vec::new(), at };
        let mut parser = Parser::with_config(auto());
        for (mut from, to) in [(0, cut), (cut, input.len())] {
            while parser.feed(&input[from..to], &mut visitor).unwrap().is_break() {
                from = parser.position().offset as usize;
            }
        }
        while parser.finish(&mut visitor).unwrap().is_break() {}
        visitor.events
    };
    let whole = read(0, 0);
    assert!(whole.contains(&"illegal-bytes 8".to_owned()), "{whole:?}");
    for cut in 0..=input.len() {
        for at in 0..=whole.len() {
            assert_eq!(read(cut, at), whole, "cut at {cut}, broken at {at}");
        }
    }
}

#[test]
fn a_label_counts_under_every_spelling_of_its_identifier() {
    struct Unknown(u32);
    impl sgf_stream::Visitor for Unknown {
        type Break = std::convert::Infallible;

        fn problem(&mut self, problem: &sgf_stream::Problem) -> std::ops::ControlFlow<Self::Break> {
            self.0 += u32::from(problem.kind() == sgf_stream::ProblemKind::CharsetUnknown);
            std::ops::ControlFlow::Continue(())
        }
    }
    for name in ["CA", "CharActers", "CAx", "CAX"] {
        let mut unknown = Unknown(0);
        let game = format!("(;GM[1]{name}[no charset]PB[x];B[aa];W[bb];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])");
        let _ = sgf_stream::read_slice(game.as_bytes(), &mut unknown).unwrap();
        assert_eq!(unknown.0, u32::from(name != "CAX"), "{name}");
    }
}
