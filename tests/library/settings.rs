//! Events do not depend on how an input is cut, on breaks, or on what is skipped, under any settings.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{Charsets, Config, Deliver, Ident, Limits, Parser, Problem, ProblemKind, Property, Value, Visitor};

use crate::support::texts::{Recorder, auto, check, declared, read, record, repairing};
use crate::support::{self, Rng, TOKENS};

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
    limits.node_properties = 1;
    let auto = Config::new().escape_unit(EscapeUnit::Auto).limits(limits.clone());
    check(&auto, b"(;FF[4]CA[GBK];C[\x8A]x])", &["FF=4", "!limit-node", "C=\u{596D}x GBK"]);
    check(
        &repairing().limits(limits),
        b"(;GM[1]C[name [12k]; hi];B[aa](;W[bb]C[(]))",
        &["GM=1", "!limit-node", "B=aa", "W=bb", "!limit-node"],
    );
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

/// Only the root declares a charset. What is skipped behind it once was searched for a label, too.
#[test]
fn skipping_leaves_the_root() {
    let config = repairing().escape_unit(EscapeUnit::Auto).charsets(Charsets::Auto);
    let games = b"(;GM[1];C[\xB0\xD7]CA[Big5]C[\xA6\\](;B[aa])(;W[bb]))\n(;GM[1])";
    assert_eq!(read(&config, games).iter().filter(|line| line.starts_with("GM=")).count(), 2);
    read(&config.clone().resync(true), b"(;(;P[\xB0](;[\x9D(;FF[]GM[\xD7]");
    let mut limits = Limits::new();
    limits.depth = 1;
    read(&config.limits(limits), b"(;GM[1](;P[\xB0]);[\x9D];C[\xB0\xD7]CA[Big5]C[\xA6\\](;B[aa]))\n(;GM[1])");
}

/// A break before the mark once delivered what was held before it as if it were recoded.
#[test]
fn what_is_held_before_a_mark_is_not_recoded() {
    struct Values(bool, Vec<String>);

    impl Visitor for Values {
        type Break = ();

        fn node(&mut self, _: sgf_stream::Node) -> ControlFlow<(), sgf_stream::Step> {
            if self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(sgf_stream::Step::Read) }
        }

        fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
            self.1.push(format!("{} {} {}", value.text(), value.charset(), value.source_charset()));
            ControlFlow::Continue(())
        }
    }

    let chunks = [&b"(;CA[iso-2022-jp]("[..], b";B[aa];N[abc]C[\x1B$B;3\x1B(B])"];
    let [read, broken] = [false, true].map(|breaks| {
        let mut values = Values(breaks, Vec::new());
        let mut parser = Parser::with_config(Config::new().resync(true));
        let mut before = 0;
        for chunk in chunks {
            while parser.feed(&chunk[parser.offset() as usize - before..], &mut values).expect("a fault").is_break() {}
            before += chunk.len();
        }
        while parser.finish(&mut values).expect("a fault").is_break() {}
        values.1
    });
    assert_eq!(read, broken);
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
    // Brackets are repaired before the label, too.
    let repaired = repairing().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto);
    read(&repaired, b"(;GM[1]PB[Foo [2d](x)]CA[Big5]C[\xA6\\](;B[aa]))");
    // A label that is not ASCII counts before it is asked where its value ends.
    read(&repaired, b"(;CA[GBK\xA1\xA1]C[\x83\x5C])\n(;B[aa])\n");
    // What is too long begins no node, so the `;` behind it begins the root.
    read(&repaired, b"(ABCDEFGHIJKLMNOPQ[x];CA[Big5]C[\xA6\\](;B[aa])]a[b])");
    // What stands behind a tree belongs to none of its properties.
    support::compare_with(&repairing(), b"(;(;B[aa];RE[])[x])y];B[bb])(;B[cc])");
}

/// Games that the settings and what they meet make hard to read alike.
#[test]
fn random_inputs_are_read_alike_under_random_settings() {
    let heads: [&[u8]; 6] = [b"", b"(;", b"(;", b"(;CA[Big5]", b"(;CA[Shift_JIS]", b"(;CA[UTF-8]"];
    for seed in 0..1_200 {
        let mut rng = Rng::new(seed);
        let config = random_settings(&mut rng);
        let tokens = (0..2 + rng.below(22)).map(|_| rng.pick(TOKENS));
        let tokens: Vec<&[u8]> = tokens.collect();
        read(&config, &[rng.pick(&heads), &tokens.concat()].concat());
    }
}

/// Limits are so small, in every other case, that most inputs exceed some.
fn random_settings(rng: &mut Rng) -> Config {
    let mut limits = Limits::new();
    if rng.one_in(2) {
        limits.property_values = rng.below(3) as u64;
    }
    if rng.one_in(3) {
        limits.node_properties = rng.below(3) as u64;
    }
    if rng.one_in(4) {
        limits.value = rng.below(12);
    }
    if rng.one_in(5) {
        limits.depth = 1 + rng.below(3) as u64;
    }
    let charset = rng.pick(&[Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS, Charset::UTF_8]);
    // Not `Once`, which decides by the first texts that are read.
    let charsets = match rng.below(5) {
        0 => Charsets::Declared,
        1 | 2 => Charsets::Forced(charset),
        _ => Charsets::Auto,
    };
    // Not with a label that may come later: until then, a value that nobody gets may end elsewhere when skipped.
    let by_character = matches!(charsets, Charsets::Forced(_));
    let unit = match rng.below(3) {
        0 => EscapeUnit::Byte,
        1 if by_character => EscapeUnit::Character,
        _ => EscapeUnit::Auto,
    };
    Config::new()
        .limits(limits)
        .charsets(charsets)
        .escape_unit(unit)
        .repair_brackets(rng.below(3) > 0)
        .resync(rng.one_in(2))
        .cap_values(rng.one_in(2))
        .check_text(rng.one_in(2))
        .remember_charsets(rng.one_in(2))
}

#[test]
fn text_counts_as_checked_however_it_is_cut() {
    let game = ["(;PB[柯洁]C[", &"é".repeat(1100), "]N["].concat();
    read(&declared(), &[game.as_bytes(), b"\xFF\xFF];B[aa])"].concat());
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
