//! Which charset the text of a game has: declared, changed, contradicted or guessed.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{Charsets, Config, Deliver, Descend, Parser, Problem, Property, Tree, Value, Visitor};

use crate::support::texts::{Recorder, Takes, auto, check, declared, encoded, read, record, repairing, values};
use crate::support::{Plan, check_answering};

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

/// A byte is lost at its end.
#[test]
fn damaged_utf_8_overrides_a_label_that_its_bytes_fit_as_well() {
    let text = "中国围棋职业九段柯洁".repeat(4);
    let game = [b"(;CA[GBK]C[", &text.as_bytes()[..text.len() - 1], b"];B[aa])"].concat();
    let expected = format!("C={}\u{FFFD} UTF-8", text.strip_suffix('洁').expect("it ends so"));
    check(&declared(), &game, &["CA=GBK", "!charset-contradicted", &expected, "B=aa"]);
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
fn forced_and_raw_charsets() {
    let game = "(;CA[gbk]PB[柯洁])".as_bytes();
    let forced = Config::new().charsets(Charsets::Forced(Charset::UTF_8));
    check(&forced, game, &["CA=gbk", "PB=柯洁 UTF-8"]);
    check(&Config::new().charsets(Charsets::Raw), b"(;CA[klingon]PB[\xFC])", &["CA=klingon", "PB=\u{FFFD} UTF-8"]);
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
    // Far behind its text, and if the game before is skipped.
    let games = format!("(;C[{}]CA[GBK])(;C[{0}]CA[Big5])", "x".repeat(64 << 10));
    let recorded = record(&declared(), Recorder::default(), &[games.as_bytes()]);
    assert_eq!(recorded.iter().filter(|line| line.starts_with("!charset-changed")).count(), 1);
}

#[test]
fn a_part_of_a_stream_reports_the_changes_that_the_whole_does() {
    let games = b"(;CA[GBK])(;CA[Big5])";
    let changes = |from: usize, to: usize| {
        let mut parser = Parser::with_config(auto());
        let mut over = Recorder::taking(Takes::Games);
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
fn an_unknown_label_of_a_skipped_game_is_not_reported_for_the_next() {
    check_answering(
        &auto(),
        Plan::SkipGame(0),
        b"(;CA[x-none])(;CA[GBK])",
        "enter 0 d1 | node 1 | exit 12 d1 | enter 13 d1 | node 14 | property 15 CA | value 18 \"GBK\" | exit 22 d1",
    );
}

/// Only 2 KiB of a game's text are checked.
#[test]
fn damaged_text_is_reported_in_every_game() {
    let mut stream = format!("(;CA[UTF-8]C[{}]N[é])(;CA[UTF-8]PB[é]C[", "é".repeat(1_100)).into_bytes();
    stream.extend_from_slice(b"\xFF\xFF abc];B[aa])");
    let mut lines = record(&declared(), Recorder::default(), &[&stream]);
    lines.retain(|line| line.starts_with('!'));
    assert_eq!(lines, ["!undecodable-text 1:2240"]);
}

/// 2 MiB into a game, text shows no charset any more; 2 MiB into a stream, it does.
#[test]
fn text_is_looked_at_in_games_far_into_a_stream() {
    let mut stream = format!("(;C[{}])", "x".repeat(2 << 20)).into_bytes();
    stream.extend_from_slice(b"(;PB[\xBF\xC2\xBD\xE0])");
    let lines = record(&Config::archives(), Recorder::default(), &[&stream]);
    let name = lines.iter().find(|line| line.starts_with("PB="));
    assert_eq!(name.map(String::as_str), Some("PB=柯洁 GBK 1:2097164"));
}

/// Two may be damaged.
#[test]
fn the_third_damaged_text_of_a_game_changes_how_it_is_read() {
    let damaged = b"C[\xA4\xA4\xB0\xEA\xFF\xA4\xA4\xB0\xEA]";
    let text = "C=中國\u{FFFD}中國 Big5";
    let game = [b"(;CA[Big5]", &damaged[..], b";", damaged, b";", damaged, b")"].concat();
    let expected = [
        "CA=Big5",
        "!undecodable-text",
        text,
        "!undecodable-text",
        text,
        "!escape-unit-changed",
        "!undecodable-text",
        text,
    ];
    check(&auto(), &game, &expected);
    // In three games, they are three times the first.
    let games = [b"(;CA[Big5]", &damaged[..], b")"].concat().repeat(3);
    check(&auto(), &games, &["CA=Big5", "!undecodable-text", text].repeat(3));
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
fn one_lost_or_added_byte_does_not_change_a_guessed_charset() {
    let gbk = |text: &str| encoded(Charset::GBK, text);
    // Behind 我只, a byte is lost.
    let (first, second, last) =
        (gbk("先冲，是必然。"), gbk("黑3是妙手，你的水平很高啊！"), gbk("没办法，我只有最后拼了。"));
    let damaged = b"\xCE\xD2\xD6\xBB\xD0\xD5\xB3\xC9\xCF\xA1\xA3";
    let game = [b"(;C[", &first[..], b"]C[", &second, b"];C[", damaged, b"]C[", &last, b"])"].concat();
    let texts = values(&auto(), &game);
    assert_eq!(texts[3], "C=没办法，我只有最后拼了。 GBK", "{texts:?}");
    assert!(texts.iter().all(|text| text.ends_with(" GBK")), "{texts:?}");
    // In the first texts, too: 黑先 with a byte behind it, and one between its characters.
    for damaged in [&b"\xBA\xDA\xCF\xC8\xFF"[..], b"\xBA\xDA\xFF\xCF\xC8"] {
        let game = [b"(;C[", damaged, b"]GN[", &gbk("TOM死活题"), b"];B[pd])"].concat();
        assert_eq!(values(&auto(), &game)[1], "GN=TOM死活题 GBK");
    }
    // A line was broken inside 国: all characters behind that are others, up to the next ASCII.
    for blank in [" ", "\n", "\r\n"] {
        let (start, end) = (gbk("2007年"), gbk("国际连珠通讯赛a0410"));
        let title = [&start[..], &end[..1], blank.as_bytes(), &end[1..]].concat();
        let game = [b"(;EV[", &title[..], b"]RE[", &gbk("白胜"), b"])"].concat();
        assert_eq!(values(&auto(), &game)[1], "RE=白胜 GBK", "{blank:?}");
        let utf8 = [
            b"(;EV[",
            &"韩国".as_bytes()[..4],
            blank.as_bytes(),
            &"韩国".as_bytes()[4..],
            b"]RE[",
            "白胜".as_bytes(),
            b"])",
        ];
        assert_eq!(values(&auto(), &utf8.concat())[1], "RE=白胜 UTF-8", "{blank:?}");
    }
    // Words in letters are still read as such.
    let game = [b"(;C[", &first[..], b"]C[", &second, b"];C[H\xE9l\xE8ne \xE0 jouer])"].concat();
    assert_eq!(values(&auto(), &game)[2], "C=Hélène à jouer windows-1252");
}

#[test]
fn damaged_points_show_no_charset() {
    let title = encoded(Charset::GBK, "TOM死活题");
    for (before, ident, value) in [(&b"(;FF[\xE9]"[..], "FF", "\u{FFFD}"), (b"(;AddBlack[m\xFFq]", "AB", "m\u{FFFD}q")]
    {
        let damaged = format!("{ident}={value} UTF-8");
        let expected = ["!undecodable-text", &damaged, "EV=TOM死活题 GBK", "B=pd"];
        check(&auto(), &[before, b"EV[", &title, b"];B[pd])"].concat(), &expected);
    }
    // Behind a text, in the same root.
    let game = [b"(;EV[", &title[..], b"]AB[mm][m\xFFq][nn]GN[", &encoded(Charset::GBK, "白"), b"])"].concat();
    let point = ["!undecodable-text", "AB=m\u{FFFD}q GBK", "AB=nn", "GN=白 GBK"];
    check(&auto(), &game, &[&["EV=TOM死活题 GBK", "AB=mm"], &point[..]].concat());
    // Games, sizes, moves and numbers are written in words, too.
    for (ident, word) in [("GM", "围棋"), ("SZ", "19路"), ("HA", "吴先二先")] {
        let gbk = |text: &str| encoded(Charset::GBK, text);
        let game = [b"(;", ident.as_bytes(), b"[", &gbk(word), b"]PB[", &gbk("黑先"), b"])"].concat();
        check(&auto(), &game, &[&format!("{ident}={word} GBK"), "PB=黑先 GBK"]);
    }
}

/// The comments behind it were read in windows-1252.
#[test]
fn a_damaged_move_contradicts_no_text_before_it() {
    let [first, second] = ["白先黑死这里", "正解图"].map(|text| encoded(Charset::GBK, text));
    for damage in [&b"\xFFb"[..], b"g\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"] {
        let game = [b"(;C[", &first[..], b"];W[", damage, b"]C[", &second, b"])"].concat();
        let found = values(&auto(), &game);
        assert_eq!([&found[0][..], &found[2]], ["C=白先黑死这里 GBK", "C=正解图 GBK"]);
    }
    let game = [b"(;CA[UTF-8]C[", "é".as_bytes(), b"];W[\xFFb]C[\xC3\xA9])"].concat();
    check(&auto(), &game, &["CA=UTF-8", "C=é UTF-8", "!undecodable-text", "W=\u{FFFD}b UTF-8", "C=é UTF-8"]);
    // What nothing has shown yet, a number may show.
    check(&auto(), b"(;KM[6\xBD];B[aa])", &["KM=6½ windows-1252", "B=aa"]);
}

#[test]
fn a_byte_order_mark_inside_a_text_is_no_proof_of_utf_8() {
    for game in [&b"(;GN[a\xEF\xBB\xBFb]C[Noir est \xE0 jouer])"[..], b"(;C[\xEF\xBB\xBFNoir est \xE0 jouer])"] {
        let texts = values(&auto(), game);
        assert!(texts.last().is_some_and(|text| text.ends_with("Noir est à jouer windows-1252")), "{texts:?}");
    }
}

#[test]
fn a_truncated_name_is_read_as_the_label_says() {
    let game = [&b"(;CA[UTF-8]PB[\xE5\x9C]PW["[..], "棋圣".as_bytes(), b"])"].concat();
    assert_eq!(values(&auto(), &game), ["CA=UTF-8", "PB=\u{FFFD} UTF-8", "PW=棋圣 UTF-8"]);
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

#[test]
fn text_undecodable_in_a_forced_charset_is_reported() {
    let config = Config::new().charsets(Charsets::Forced(Charset::GBK)).escape_unit(EscapeUnit::Auto);
    let recorded = read(&config, "(;PB[棋])".as_bytes());
    assert!(recorded.iter().any(|line| line.starts_with("!undecodable-text ")), "{recorded:?}");
}

#[test]
fn utf_8_in_forced_shift_jis_or_big5_is_undecodable_and_ends_where_it_seems_to() {
    for charset in [Charset::SHIFT_JIS, Charset::BIG5] {
        for config in [auto(), repairing()] {
            let config = config.charsets(Charsets::Forced(charset)).escape_unit(EscapeUnit::Auto);
            let recorded = read(&config, "(;C[carré à];B[aa])".as_bytes());
            let problems: Vec<_> = recorded.iter().filter(|line| line.starts_with('!')).collect();
            assert_eq!(problems, ["!undecodable-text 1:5"], "{charset} {recorded:?}");
            assert!(recorded.iter().any(|line| line.starts_with("B=aa")), "{recorded:?}");
        }
    }
}

#[test]
fn european_words_in_utf_8_are_no_text_of_two_bytes() {
    for label in ["", "CA[gb2312]", "CA[Big5]", "CA[Shift_JIS]", "CA[EUC-KR]"] {
        for name in ["Jörg Schäfer", "Ольга Волкова", "Łukasz Żak"] {
            let neighbour = [&b"(;CA[GBK]PB["[..], &encoded(Charset::GBK, "古力"), b"])"].concat();
            let game = format!("(;{label}PB[{name}])");
            let games = [&neighbour[..], game.as_bytes()].concat();
            let last = values(&auto().remember_charsets(true), &games).pop();
            assert_eq!(last, Some(format!("PB={name} UTF-8")), "{game}");
        }
    }
    // These are valid UTF-8, too.
    for (charset, name) in [
        (Charset::GBK, "战鹰"),
        (Charset::GBK, "笑笑笑笑"),
        (Charset::GBK, "Peter毛"),
        (Charset::EUC_KR, "호호호호"),
        (Charset::BIG5, "Peter羅"),
    ] {
        let game = [format!("(;CA[{charset}]PB[").as_bytes(), &encoded(charset, name), b"])"].concat();
        check(&auto(), &game, &[&format!("CA={charset}"), &format!("PB={name} {charset}")]);
    }
}

#[test]
fn short_texts_are_in_the_charset_of_the_games_before() {
    let of = |label: &str| Charset::for_label(label.as_bytes()).expect("a known label");
    for (label, before, text) in [
        ("Big5", "吳清源", "常昊"),
        ("Big5", "吳清源", "名"),
        ("Big5", "吳清源", "好 ok"),
        ("Shift_JIS", "本因坊秀策", "White 志"),
        ("windows-1255", "שלום עולם", "לאט מדי"),
    ] {
        let charset = of(label);
        let before = [format!("(;CA[{label}]PB[").as_bytes(), &encoded(charset, before), b"])"].concat();
        let games = [&before[..], b"(;C[", &encoded(charset, text), b"])"].concat();
        let last = values(&auto().remember_charsets(true), &games).pop();
        assert_eq!(last, Some(format!("C={text} {charset}")));
    }
    // Two games in letters that vote for different charsets.
    let spanish = |text: &str| [&b"(;C["[..], &encoded(of("windows-1252"), text), b"])"].concat();
    let games = [spanish("Ibáñez"), spanish("Córdoba"), spanish("¡Muy bien!")].concat();
    let last = values(&auto().remember_charsets(true), &games).pop();
    assert_eq!(last.as_deref(), Some("C=¡Muy bien! windows-1252"));
}

#[test]
fn words_in_letters_are_no_chinese_behind_chinese_games() {
    let of = |label: &str| Charset::for_label(label.as_bytes()).expect("a known label");
    for (before, names) in [(Charset::GBK, "古力"), (Charset::BIG5, "吳清源"), (Charset::SHIFT_JIS, "本因坊秀策")]
    {
        for (label, name) in [
            ("windows-1252", "Jörg Schäfer"),
            ("windows-1251", "Андрей Чебурахов"),
            ("KOI8-U", "Андрей Чебурахов"),
            ("ISO-8859-5", "Андрей Чебурахов"),
        ] {
            let mut games = [&b"(;PB["[..], &encoded(before, names), b"])"].concat().repeat(3);
            games.extend([&b"(;PB["[..], &encoded(of(label), name), b"])"].concat());
            let last = values(&auto().remember_charsets(true), &games).pop();
            assert_eq!(last, Some(format!("PB={name} {label}")), "behind {before}");
        }
    }
}

#[test]
fn a_wrong_guess_does_not_spread_among_games_in_letters() {
    // The first name looks Hungarian, each other one by itself does not.
    let of = |label: &str| Charset::for_label(label.as_bytes()).expect("a known label");
    let names = ["Óscar Vázquez", "Íñigo Muñoz", "Begoña Núñez", "Iñaki Ibáñez", "Toño Peña"];
    let games: Vec<u8> =
        names.iter().flat_map(|name| [&b"(;PB["[..], &encoded(of("windows-1252"), name), b"])"].concat()).collect();
    let read = values(&auto().remember_charsets(true), &games);
    assert_eq!(read.last().map(String::as_str), Some("PB=Toño Peña windows-1252"), "{read:?}");
    // Cyrillic in two charsets, in which capitals and small letters are exchanged.
    let mut games =
        [&b"(;PB["[..], &encoded(of("KOI8-U"), "Фёдоров"), b"]PW[", &encoded(of("KOI8-U"), "Щукин"), b"])"].concat();
    games.extend([&b"(;PB["[..], &encoded(of("windows-1251"), "Андронов"), b"])"].concat());
    assert_eq!(values(&auto().remember_charsets(true), &games).pop().as_deref(), Some("PB=Андронов windows-1251"));
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
    // By its bytes, text of seven bits is UTF-8 too.
    check(&declared(), b"\xEF\xBB\xBF(;CA[ISO-2022-JP]PB[abc])", &["CA=ISO-2022-JP", "PB=abc"]);
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

/// Pieces of 64 KiB end inside characters.
#[test]
fn a_long_text_in_parts_is_no_damage() {
    for (len, text) in [(70 << 10, "白棋"), (40_000, "a白棋")] {
        let text = encoded(Charset::GBK, text);
        let game = [b"(;GM[1]CA[GBK]C[", &text.repeat(len / 4)[..], b"];B[aa])"].concat();
        for chunk in [game.len(), 1000, 65_537] {
            let lines = record(&declared(), Recorder::taking(Takes::Parts), &game.chunks(chunk).collect::<Vec<_>>());
            assert!(!lines.iter().any(|line| line.starts_with('!')), "{chunk}");
        }
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

/// `ANSI` names the charset of whoever's machine it was.
#[test]
fn a_label_that_means_another_charset_on_each_machine_is_reported_and_no_guide() {
    for label in ["ANSI", "OEM", "Windows"] {
        for (charset, name) in [("GBK", "柯洁九段"), ("Shift_JIS", "本因坊秀策"), ("windows-1251", "Иванов")]
        {
            let value = encoded(Charset::for_label(charset.as_bytes()).expect("a known label"), name);
            let game = [&b"(;CA["[..], label.as_bytes(), b"]PB[", &value, b"];B[pd])"].concat();
            let (declared, read) = (format!("CA={label}"), format!("PB={name} {charset}"));
            check(&auto(), &game, &["!charset-unknown", &declared, &read, "B=pd"]);
        }
    }
}

#[test]
fn a_second_guess_before_the_first_delivered_text_is_no_contradiction() {
    let game =
        [b"(;PB[", &encoded(Charset::GBK, "柯洁")[..], b"]PW[", &encoded(Charset::GBK, "聂卫平九段"), b"];B[pd])"];
    check(&auto(), &game.concat(), &["PB=柯洁 GBK", "PW=聂卫平九段 GBK", "B=pd"]);
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

#[test]
fn names_that_were_cut_inside_a_letter_stay_utf_8() {
    // With a label the first value alone decides.
    let cut = b"(;CA[UTF-8]PB[Jos\xC3]PW[Fran\xC3\xA7oise]C[Jos\xC3\xA9];B[pd])";
    let names = ["!undecodable-text", "PB=Jos\u{FFFD} UTF-8", "PW=Françoise UTF-8", "C=José UTF-8", "B=pd"];
    check(&auto(), cut, &[&["CA=UTF-8"], &names[..]].concat());
    check(&declared(), cut, &[&["CA=UTF-8"], &names[..]].concat());
    check(&auto(), b"\xEF\xBB\xBF(;PB[Jos\xC3]PW[Fran\xC3\xA7oise]C[Jos\xC3\xA9];B[pd])", &names);
    // Latin-1 under a wrong label.
    for (name, expected) in [
        (&b"Jos\xE9"[..], "PB=José windows-1252"),
        (b"Wei\xDF", "PB=Weiß windows-1252"),
        (b"KES\xC4", "PB=KESÄ windows-1252"),
    ] {
        let game = [b"(;CA[UTF-8]PB[", name, b"];B[pd])"].concat();
        check(&auto(), &game, &["CA=UTF-8", "!charset-contradicted", expected, "B=pd"]);
    }
    // Without a label.
    for (game, expected) in [
        (
            &b"(;GM[1]PB[Tanguy le Calv\xC3]PW[Fran\xC3\xA7oise M\xC3\xBCller])"[..],
            ["PB=Tanguy le Calv\u{FFFD} UTF-8", "PW=Françoise Müller UTF-8"],
        ),
        (b"(;GM[1]PB[Fran\xC3\xA7oise M\xC3]PW[x])", ["PB=Françoise M\u{FFFD} UTF-8", "PW=x"]),
        (b"(;GM[1]PB[\xEC\x9D\xB4\xEC\x84]PW[Fran\xC3\xA7ois])", ["PB=이\u{FFFD} UTF-8", "PW=François UTF-8"]),
    ] {
        let found = values(&auto(), game);
        assert_eq!(found[1..], expected, "{}", game.escape_ascii());
    }
}

#[test]
fn names_in_charsets_of_one_byte_are_no_damaged_utf_8() {
    for (label, names) in [
        ("windows-1252", ["François Müller", "Weiß"]),
        ("windows-1252", ["Ängström", "JYVÄSKYLÄ"]),
        ("windows-1250", ["Łukasz Dąbrowski", "Ďuriš"]),
        ("windows-1251", ["Шикшин Илья", "Её В"]),
        ("KOI8-R", ["Фёдоров", "её д"]),
        ("windows-1253", ["Γιώργος", "Ζωή"]),
        ("windows-1254", ["Şükrü", "KILIÇ"]),
    ] {
        let charset: Charset = label.parse().expect("a known label");
        let [black, white] = names.map(|name| encoded(charset, name));
        let game = [b"(;GM[1]PB[", &black[..], b"]PW[", &white, b"])"].concat();
        let found = values(&auto(), &game);
        assert!(!found.iter().any(|line| line.ends_with("UTF-8")), "{found:?}");
    }
}

#[test]
fn a_line_may_be_broken_inside_a_character_of_utf_8() {
    let read_whole = |game: &[u8]| {
        let whole = record(&auto(), Recorder::default(), &[game]);
        for at in 0..=game.len() {
            let (first, second) = game.split_at(at);
            assert_eq!(record(&auto(), Recorder::default(), &[first, second]), whole, "cut at {at}");
        }
        let lines = whole.iter().filter(|line| line.contains('=') || line.starts_with('!'));
        lines.map(|line| line.rsplit_once(' ').expect("each has a place").0.to_owned()).collect::<Vec<_>>()
    };
    for line_end in [&b"\n"[..], b"\r", b"\r\n", b"\n\r"] {
        for (label, name, expected) in [
            (&b"CA[UTF-8]"[..], &b"Jos\xC3\\.\xA9"[..], "José"),
            (b"", b"Jos\xC3\\.\xA9", "José"),
            (b"CA[UTF-8]", b"\xE6\\.\x9F\\.\xAF\xE6\xB4\\.\x81", "柯洁"),
            (b"", b"\xE6\x9F\\.\xAF\xE6\xB4\x81", "柯洁"),
        ] {
            let name: Vec<u8> = name.split(|&byte| byte == b'.').collect::<Vec<_>>().join(line_end);
            let game = [b"(;GM[1]", label, b"PB[", &name, b"]C[d\xC3\xA9j\xC3\xA0 vu];C[", &name, b"])"].concat();
            let found = read_whole(&game);
            let texts = [format!("PB={expected} UTF-8"), "C=déjà vu UTF-8".into(), format!("C={expected} UTF-8")];
            assert_eq!(found[found.len() - 3..], texts, "{}", game.escape_ascii());
            assert!(!found.iter().any(|line| line.starts_with('!')), "{found:?}");
        }
    }
    // Here the backslash is half of a character, and the line end counts.
    check(&auto(), b"(;CA[Shift_JIS]C[\x83\x5C\n\xB1])", &["CA=Shift_JIS", "C=ソ\nｱ Shift_JIS"]);
}

#[test]
fn text_between_marks_is_utf_8_unless_a_label_names_another_charset() {
    // A character that does not exist.
    let none = b"(;PB[\x1B$BK\\)!\x1B(B];B[pd])";
    check(&auto(), none, &["!undecodable-text", "PB=本\u{FFFD} UTF-8", "B=pd"]);
    let labelled = b"(;CA[ISO-2022-JP]PB[\x1B$BK\\)!\x1B(B];B[pd])";
    let japanese = ["CA=ISO-2022-JP", "!undecodable-text", "PB=本\u{FFFD} UTF-8", "B=pd"];
    check(&auto(), labelled, &japanese);
    // Bytes outside of marks are what the label says, though they may be valid UTF-8.
    let later = [&labelled[..], b"(;CA[GBK]PB[\xD6\xA3\xCE\xB0])"].concat();
    check(&auto(), &later, &[&japanese[..], &["!charset-changed", "CA=GBK", "PB=郑伟 GBK"]].concat());
}

#[test]
fn a_famous_name_alone_is_chinese() {
    let name = encoded(Charset::GBK, "柯洁");
    let game = [b"(;GM[1]SZ[19]PB[", &name[..], b"]PW[White])"].concat();
    check(&auto(), &game, &["GM=1", "SZ=19", "PB=柯洁 GBK", "PW=White"]);
}

/// Of moves and points that were given up, 2 KiB had been checked, which is enough. So the text decided nothing if its end was in
/// sight, and the charset if it was not.
#[test]
fn a_game_that_is_checked_enough_decides_nothing_however_it_is_cut() {
    let game = [b"(;", &b"TR[".repeat(37)[..], b"\xC3\xA9]C[\xA4]"].concat();
    let last = values(&Config::archives(), &game).pop();
    assert_eq!(last.as_deref(), Some("C=\u{FFFD} UTF-8"));
}

#[test]
fn text_that_contradicts_a_label_reads_the_same_however_it_is_cut() {
    let german = b"(;CA[UTF-8]\xD6C[\xE4\xB8\xAD\xE5\x9B\xBD]C[\xD6\xD0\xB9\xFA\xEF\xF0\xE8\xE2]C[M\xC3rM\xC3lM\xFCc])";
    let label = b"\x83(CA[U8][\xE5\x9B\xBD][\xB1TF-8][\xB7\xD3\xA2\xC9\xF3\xEA\xE8\xED][\xFA]";
    let expected = [
        "CA=UTF-8",
        "!illegal-bytes",
        "C=中国 UTF-8",
        "!charset-contradicted",
        "C=中国镳桠 GBK",
        "!charset-contradicted",
        "C=MĆrMĆlMüc windows-1257",
    ];
    check(&auto().escape_unit(EscapeUnit::Byte), german, &expected);
    let expected = [
        "!junk",
        "!missing-semicolon",
        "CA=U8",
        "CA=国 UTF-8",
        "!undecodable-text",
        "CA=\u{FFFD}TF-8 UTF-8",
        "!charset-contradicted",
        "CA=酚⑸箨桧 GBK",
        "!charset-contradicted",
        "CA=ú windows-1252",
        "!unclosed-tree",
    ];
    check(&auto(), label, &expected);
}
