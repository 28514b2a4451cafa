//! Where values end whose characters contain `]` or `\` as a byte.

use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{Charsets, Config, Limits};

use crate::support::texts::{Recorder, Takes, auto, check, declared, encoded, read, record, repairing, values};

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
fn a_guess_reads_characters_that_end_in_a_backslash() {
    let auto = Config::new().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto);
    let mut game = b"(;PB[".to_vec();
    game.extend_from_slice(&encoded(Charset::SHIFT_JIS, "黒番中押し勝ち、表示ソフト予能。"));
    game.extend_from_slice(b"];B[pd])");
    check(&auto, &game, &["PB=黒番中押し勝ち、表示ソフト予能。 Shift_JIS", "B=pd"]);
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
fn a_value_that_ends_by_character_may_be_undecodable() {
    for config in [Config::new(), repairing()] {
        let config = config.escape_unit(EscapeUnit::Character);
        let text = ["CA=Big5", "!undecodable-text", "C=\u{FFFD}b Big5", "B=aa"];
        check(&config, b"(;CA[Big5]C[\x8E\x9Ab];B[aa])", &text);
        check(&config, b"(;CA[Big5]C[\x8E\x9Ab](;B[aa]))", &text);
    }
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

/// From a real file in which a bracket is missing.
#[test]
fn an_empty_text_always_ends_at_its_bracket() {
    let game = "(;B[aa]C[];B최철한h];W[bb]C[a] b])";
    let recorded = values(&repairing(), game.as_bytes());
    assert_eq!(recorded, ["B=aa", "C=", "W=bb", "C=a] b"]);
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
        record(&config, Recorder::taking(Takes::Games), &[&input]);
    }
}

/// The text that decides the charset is read like those after it.
#[test]
fn the_text_that_decides_is_read_by_character_too() {
    let config = auto().resync(true);
    let game = b"\xEF\xBB\xBF(;CA[gb]C[\xD7(;GM[1]CA[gb]C[\xC3\xA9])";
    read(&config, game);
    let units = |chunks: &[&[u8]]| {
        struct Units(Vec<bool>);

        impl sgf_stream::Visitor for Units {
            type Break = std::convert::Infallible;

            fn value(&mut self, value: sgf_stream::Value<'_>) -> std::ops::ControlFlow<Self::Break> {
                self.0.push(value.writing().is_by_character());
                std::ops::ControlFlow::Continue(())
            }
        }

        let (mut units, mut parser) = (Units(Vec::new()), sgf_stream::Parser::with_config(config.clone()));
        for chunk in chunks {
            let _ = parser.feed(chunk, &mut units).expect("lenient reading goes on");
        }
        let _ = parser.finish(&mut units).expect("lenient reading goes on");
        units.0
    };
    let whole = units(&[game]);
    assert_eq!(units(&game.chunks(1).collect::<Vec<_>>()), whole);
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
fn a_name_that_was_cut_inside_a_character_does_not_change_how_the_game_is_read() {
    check(
        &repairing().escape_unit(EscapeUnit::Auto),
        b"(;CA[Big5]PB[\xA4\xFD\xA6]PW[\xA4\xFD];B[aa]C[\xA6\xA8\xA5\x5C];W[bb])",
        &["CA=Big5", "!undecodable-text", "PB=王\u{FFFD} Big5", "PW=王 Big5", "B=aa", "C=成功 Big5", "W=bb"],
    );
    // Nor does a byte in it that is no character, if most of them are.
    check(
        &auto(),
        b"(;CA[Shift_JIS]C[\x88\xCD\x8C\xE9\xFE];B[aa]C[\x83\x5C];W[bb])",
        &["CA=Shift_JIS", "!undecodable-text", "C=囲碁\u{FFFD} Shift_JIS", "B=aa", "C=ソ Shift_JIS", "W=bb"],
    );
    // If the byte that is left cannot go on with the bracket, values end by byte from there on, but are text all the same.
    let cut = b"(;CA[Shift_JIS]PB[\x96\x7B\x88]PW[\x83\x5C];B[pd])";
    let lines = ["!escape-unit-changed", "!undecodable-text", "PB=\u{672C}\u{FFFD} Shift_JIS", "PW=\u{30BD} Shift_JIS"];
    check(&auto().repair_brackets(true), cut, &[&["CA=Shift_JIS"], &lines[..], &["B=pd"]].concat());
    // Nor does a label that comes later change that.
    let cut = b"(;PB[\x96\x7B\x88]CA[Shift_JIS]PW[\x96\x5C\x97\xCD];B[pd])";
    let names = values(&auto().repair_brackets(true), cut).join(" ");
    assert!(names.contains("PW=暴力 Shift_JIS"), "{names}");
    // Nor does one that is cut off by the end of the input.
    let open = read(&repairing().escape_unit(EscapeUnit::Auto), b"(;CA[gbk]C[\xB0\xA1");
    assert!(!open.iter().any(|line| line.contains("escape-unit-changed")), "{open:?}");
}

/// Many values with one far end, in a charset that hides brackets. If each of them searched for the `]` anew, this would take minutes.
#[test]
fn a_hidden_bracket_is_not_passed_again_for_each_value_before_it() {
    let meetings = [b"C[\xA6])(".repeat(200_000), b"]\x9D]".to_vec()].concat();
    let halves = [b";C[\xA6])(\xA0".repeat(100_000), b"\xA0]".repeat(100_000)].concat();
    // Behind the last `]`, too.
    let nothing =
        [b"(;EV[\xC2\xA0\x81]\x8F)T[".repeat(60_000), b"PB[x]\xA0)".to_vec(), b"\x810".repeat(400_000)].concat();
    for charset in [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS] {
        for input in [&meetings, &halves, &nothing] {
            let config = Config::archives().charsets(Charsets::Forced(charset));
            let lines = record(&config, Recorder::default(), &[input]);
            assert!(lines.len() > 50_000, "{charset}: {} lines", lines.len());
        }
    }
}

/// Its charset is decided by what it seems to be, wherever the input is cut.
#[test]
fn a_text_that_seems_to_swallow_a_node_has_one_charset_in_any_pieces() {
    let config = Config::archives().remember_charsets(false);
    let lines = ["!missing-semicolon", "C=\u{436}\u{45C}\u{456} windows-1251", "B=\u{403} windows-1251"];
    check(&config, b"(C[\xE6\x9D\xB3\\];B[\x81])", &lines);
}
