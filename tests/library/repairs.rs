//! Unescaped brackets in texts: what is text, and what ends it.

use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{Charsets, Config, Limits};

use crate::support::texts::{check, read, repairing, values};

#[test]
fn the_game_goes_on_behind_a_text_over_the_limit() {
    let mut limits = Limits::new();
    limits.value = 10;
    let config = repairing().limits(limits);
    for input in [
        &b"(;C[ab]cdefghijk];B[aa])"[..],
        b"(;CA[GBK]C[\xB0\xD7]cdefghijk];B[aa])",
        b"(;CA[GBK]C[\xB0\xD7]cdefghijk] x];B[aa])",
    ] {
        for unit in [EscapeUnit::Auto, EscapeUnit::Character, EscapeUnit::Byte] {
            let recorded = read(&config.clone().escape_unit(unit), input);
            assert!(recorded.iter().any(|line| line.starts_with("B=aa")), "{recorded:?}");
        }
    }
    // Nothing closes the longer text.
    for unit in [EscapeUnit::Auto, EscapeUnit::Character, EscapeUnit::Byte] {
        let recorded = read(&config.clone().escape_unit(unit), b"(;CA[GBK]C[\xB0\xD7] cdefghijklmno");
        let expected =
            ["( 1:1", "; 1:2", "CA=GBK 1:6", "C=白 GBK 1:12", "!illegal-bytes 1:16", "!unclosed-tree 1:29", ") 1:29"];
        assert_eq!(recorded, expected, "{unit:?}");
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
        &["PB=a", "!illegal-bytes", "PW=b", "B=pd", "W=dd", "W=dp"],
    );
    check(&repairing(), b"(;C[x [1k] - [2k] z]\n\n;B[pd])", &["!unescaped-bracket", "C=x [1k] - [2k] z", "B=pd"]);
}

#[test]
fn an_unescaped_bracket_is_found_where_characters_may_contain_others() {
    for unit in [EscapeUnit::Auto, EscapeUnit::Character] {
        for middle in ["[3k] ;-)", "(B[4])", "[12k]:", "(图[一])", "[]"] {
            let (text, ..) = encoding_rs::GBK.encode(middle);
            let game = [&b"(;CA[GBK]C[\xB0\xD7 "[..], &text, b" \xB1\xC8];W[af];B[cc])"].concat();
            let comment = format!("C=白 {middle} 比 GBK");
            check(&repairing().escape_unit(unit), &game, &["CA=GBK", "!unescaped-bracket", &comment, "W=af", "B=cc"]);
        }
    }
}

#[test]
fn a_sentence_does_not_go_on_behind_stray_bytes_with_a_property() {
    check(&repairing(), b"(;B[aa]C[one]\x1BW[bb]C[two])", &["B=aa", "C=one", "!illegal-bytes", "W=bb", "C=two"]);
    check(&repairing(), b"(;B[aa]C[one]\n> W[bb])", &["B=aa", "C=one", "!illegal-bytes", "W=bb"]);
    check(
        &repairing(),
        b"(;PB[a]\n> CoPyright[b]\n> ;B[aa])",
        &["PB=a", "!illegal-bytes", "CP=b", "!illegal-bytes", "B=aa"],
    );
    check(&repairing(), b"(;B[aa]C[one]: \nW[bb])", &["B=aa", "C=one", "!illegal-bytes", "W=bb"]);
    check(&repairing(), b"(;C[=] - B[aa] wins];W[bb])", &["!unescaped-bracket", "C==] - B[aa] wins", "W=bb"]);
    // Nor does a line of a header with a property's name.
    check(
        &repairing(),
        b"(;RE[B+R]KM 6]DT[2000])",
        &["RE=B+R", "!property-without-value", "!property-without-value", "!illegal-bytes", "DT=2000"],
    );
    check(&repairing(), b"(;RE[B+R]\n];B[aa])", &["RE=B+R", "!illegal-bytes", "B=aa"]);
}

/// Mail, pages and programs put something at the ends of lines.
#[test]
fn what_has_carried_a_file_is_no_part_of_a_text() {
    for mark in [
        "\n> ",
        "\n> > ",
        "\n# ",
        "<br>",
        "<br />\r\n",
        "</p>\n<p>",
        "<WBR>",
        "&nbsp;&nbsp;",
        "&#10;",
        "\\\n",
        "\\n\"\n    \"",
        "\u{A0}",
        "\u{200B}",
        "\n\u{3000}",
        "\u{2028}",
    ] {
        let expect = |behind: &str, expected: &[&str]| {
            let game = format!("(;B[aa]C[one{behind}").replace('~', mark);
            let found: Vec<_> =
                values(&repairing(), game.as_bytes()).into_iter().filter(|line| !line.starts_with('!')).collect();
            let expected: Vec<_> = expected.iter().map(|value| (*value).to_owned()).collect();
            assert_eq!(found, [&["B=aa".to_owned(), "C=one".to_owned()], &expected[..]].concat(), "{game:?}");
        };
        expect("]~US[two])", &["US=two"]);
        expect("]~;W[bb])", &["W=bb"]);
        expect("];~W[bb])", &["W=bb"]);
        expect("]~;~W[bb])", &["W=bb"]);
        expect("]~(;~W[bb])(;W[cc]C[d]))", &["W=bb", "W=cc", "C=d"]);
        expect("]~)~", &[]);
        expect("]~)~(;~C[two])", &["C=two"]);
    }
    // A text goes on with words.
    for text in [
        "=] I like B[aa\\] more",
        ":] (see below) A[1\\]",
        "=]; and B[aa\\] too",
        "=] <b> B[aa\\]",
        "joe [4d]\n:)\nann",
        "ok :]\n:)========================= hello",
        "Joe: ok :]\n:)) nice",
        "<Joe> ok :]\n<Ann> :)\n<Joe> hi",
        "> ok :]\n> ;)\nhi",
        "ok :]<br>:)<br>Ann: hi",
        "ok :]\n*(;_;)* hi",
        "ok =]<br>(;^_^) hi",
    ] {
        let game = format!("(;C[{text}];W[bb])");
        let text = format!("C={}", text.replace('\\', ""));
        check(&repairing(), game.as_bytes(), &["!unescaped-bracket", &text, "W=bb"]);
    }
}

/// One byte of what comes behind it must not cost a name. Hangame wrote some names twice, too.
#[test]
fn a_line_of_a_header_ends_at_a_bracket_that_it_has_not_opened() {
    check(
        &repairing(),
        b"(;PB[a]P#[b]RE[c])",
        &["PB=a", "!property-without-value", "!illegal-bytes", "!value-without-property", "RE=c"],
    );
    check(&repairing(), b"(;PB[a]\nPWb]\nRE[c])", &["PB=a", "!property-without-value", "!illegal-bytes", "RE=c"]);
    check(&repairing(), b"(;EV[[A] x] y]RE[c])", &["!unescaped-bracket", "EV=[A] x", "!illegal-bytes", "RE=c"]);
    let name = "(;PB[최철한]최철한];B[aa])".as_bytes();
    check(&repairing(), name, &["PB=최철한 UTF-8", "!illegal-bytes", "B=aa"]);
    // Two bytes make a character; behind an odd one, the bracket may be its second half.
    let korean = b"(;CA[EUC-KR]PB[\xC3\xD6\xC3\xB6]\xC3\xD6\xC3\xB6]RE[c])";
    check(&repairing(), korean, &["CA=EUC-KR", "PB=최철 EUC-KR", "!illegal-bytes", "RE=c"]);
    let chinese = b"(;CA[GBK]PB[\xB0\xA1\x81]x]RE[c])";
    check(&repairing(), chinese, &["CA=GBK", "!unescaped-bracket", "PB=啊乚x GBK", "RE=c"]);
}

/// Of the other texts that is only known behind letters that no sentence has.
#[test]
fn a_damaged_name_behind_a_text_costs_no_text() {
    check(
        &repairing(),
        b"(;C[a b]L#[na]AB[aa])",
        &["C=a b", "!property-without-value", "!illegal-bytes", "!value-without-property", "AB=aa"],
    );
    check(&repairing(), b"(;C[a b] L#[na]AB[aa])", &["!unescaped-bracket", "C=a b] L#[na", "AB=aa"]);
}

#[test]
fn words_behind_a_bracket_go_on_with_the_text() {
    let words = "(;C[选择A]或者B[见图]都可以];W[bb])".as_bytes();
    check(&repairing(), words, &["!unescaped-bracket", "C=选择A]或者B[见图]都可以 UTF-8", "W=bb"]);
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
}

#[test]
fn half_of_a_character_is_no_bracket() {
    let game = b"(;CA[Shift_JIS];B[aa]C[\x83\x51\x81\x5B\x83\x80]\n)\nlost head] of a game;W[bb];B[cc])";
    check(&Config::archives(), game, &["CA=Shift_JIS", "B=aa", "C=ゲーム Shift_JIS", "!junk"]);
}

#[test]
fn a_value_of_a_list_may_have_lost_a_bracket() {
    check(&repairing().cap_values(true), b"(;AW[aa]Scc][dd])", &["AW=aa", "!illegal-bytes", "AW=dd"]);
    let values = ["AW=aa", "!unterminated-value", "AW=ee", "!unterminated-value", "AW=ff"];
    check(&repairing().cap_values(true), b"(;AW[aa][dd[ee][[ff])", &values);
}

#[test]
fn junk_between_two_lines_of_a_header_is_no_text() {
    for junk in ["\n> ", "\0\0", "<br>\n", ",", "=20\n", "\u{A0}"] {
        let game = format!("(;GM[1]PB[Alice]BR[3d]{junk}PW[Bob]WR[4d];B[pd])");
        let recorded = read(&repairing(), game.as_bytes());
        let values: Vec<_> = recorded.iter().filter(|line| line.contains('=') && !line.starts_with('!')).collect();
        let values: Vec<_> = values.iter().filter_map(|line| Some(line.rsplit_once(' ')?.0)).collect();
        assert_eq!(values, ["GM=1", "PB=Alice", "BR=3d", "PW=Bob", "WR=4d", "B=pd"], "{junk:?}");
    }
}

#[test]
fn the_lowercase_moves_of_twixt_end_a_text() {
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
}

#[test]
fn without_repair_the_first_bracket_closes() {
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

/// Where a game names no charset, its values end by byte. Japanese archives have many names that end in such a character.
#[test]
fn a_name_ends_though_its_last_character_seems_to_escape_the_bracket() {
    let repairing = repairing().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto);
    let values = |input: &[u8]| -> Vec<String> {
        let values = read(&repairing, input).into_iter().filter(|line| line.contains('='));
        values.map(|line| line.split(' ').next().expect("a value").to_owned()).collect()
    };
    let game = b"(;GM[1]PB[\x90\\\xE1\xC1\x83\\]BR[\x8B\xE3\x92i]PW[\x88\xEA\x97\xCD\x97\xC9];B[pd])";
    assert_eq!(values(game), ["GM=1", "PB=申眞ソ", "BR=九段", "PW=一力遼", "B=pd"]);
    assert_eq!(values(&game.repeat(3)).len(), 15);
    let last = b"(;GM[1]PW[\x88\xEA\x97\xCD\x97\xC9]PB[\x90\\\xE1\xC1\x83\\]\n;B[pd];W[dd])";
    assert_eq!(values(last), ["GM=1", "PW=一力遼", "PB=申眞ソ", "B=pd", "W=dd"]);
    // A comment may contain anything.
    let comment = b"(;GM[1]C[\x83\\]BR[\x8B\xE3\x92i];B[pd])";
    assert_eq!(values(comment).len(), 3);
    // Nor if by byte it is longer than is allowed, whether it is read or skipped.
    let mut limits = Limits::new();
    limits.value = 11;
    let long = repairing.clone().resync(true).limits(limits);
    read(&long, b"(;PB[\x90\\\xE1\xC1\x83\\]BR[;[\xA6](]]);[\xA6](]");
    // Not if the user knows that escapes are by byte.
    let by_byte = read(&repairing.clone().escape_unit(EscapeUnit::Byte), game);
    assert!(!by_byte.iter().any(|line| line.starts_with("BR=")), "{by_byte:?}");
}

/// Programs that take games of Fox from a page leave its line ends escaped.
#[test]
fn escaped_line_ends_between_properties_end_a_text() {
    let recorded = read(&repairing(), br"(;GM[1]\r\nGN[]\r\nDT[2020-07-30]\r\nPB[a]\r\n;B[pd])");
    for line in ["DT=2020-07-30 ", "PB=a ", "B=pd "] {
        assert!(recorded.iter().any(|it| it.starts_with(line)), "{line} {recorded:?}");
    }
    check(&repairing(), br"(;C[a]\nN[x])", &["C=a", "!illegal-bytes", "N=x"]);
    // In a text they are letters.
    check(&repairing(), br"(;C[a]\r\n b];B[pd])", &["!unescaped-bracket", "C=a]rn b", "B=pd"]);
}

/// The first that closes as many as were opened, not the last.
#[test]
fn a_text_that_shows_no_end_has_its_first_balanced_bracket() {
    let recorded = read(&repairing(), b"(;C[a [x] b] c [y] d] e\nf;B[aa])");
    assert!(recorded.iter().any(|line| line.starts_with("C=a [x] b 1:")), "{recorded:?}");
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

/// Values that nobody gets once ended elsewhere if they were skipped.
#[test]
fn values_without_a_property_end_alike_read_or_skipped() {
    let mut limits = Limits::new();
    limits.property_values = 0;
    check(&repairing().limits(limits), b"(C[p](])", &["!missing-semicolon", "!limit-values"]);
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

/// The node became text, and so did what came before the next sound one.
#[test]
fn a_damaged_node_behind_a_text_is_no_part_of_it() {
    let problems = ["!property-without-value", "!illegal-bytes"];
    check(&repairing(), b"(;PW[B]\n;Bpd];W[dd])", &[&["PW=B"], &problems[..], &["W=dd"]].concat());
    check(&repairing(), b"(;PW[B];Bpd];W[dd])", &[&["PW=B"], &problems[..], &["W=dd"]].concat());
    check(&repairing(), b"(;C[a]\n;Bpd];W[dd])", &[&["C=a"], &problems[..], &["W=dd"]].concat());
    check(&repairing(), b"(;C[a]\n;[aa];W[dd])", &["C=a", "!value-without-property", "W=dd"]);
    // A semicolon may stand behind a bracket of a text.
    check(&repairing(), b"(;C[x] or y]; no [z];W[dd])", &["!unescaped-bracket", "C=x] or y]; no [z", "W=dd"]);
    check(&repairing(), b"(;C[see [a];\n[b]; no];W[dd])", &["!unescaped-bracket", "C=see [a];\n[b]; no", "W=dd"]);
}

#[test]
fn a_variation_without_its_semicolon_ends_a_text() {
    let tree = ["C=a", "!missing-semicolon", "W=bb", "W=dd"];
    check(&repairing(), b"(;C[a](W[bb])(;W[dd]))", &tree);
    check(&repairing(), b"(;C[a]\n( W[bb])(;W[dd]))", &tree);
    let quoted = ["!unescaped-bracket", "C=see [1](B[aa]) here", "W=dd"];
    check(&repairing(), b"(;C[see [1](B[aa]) here];W[dd])", &quoted);
    check(&repairing(), b"(;C[[a](b), [c](Cd [e])];W[dd])", &["!unescaped-bracket", "C=[a](b), [c](Cd [e])", "W=dd"]);
}

/// Files were joined, or stood in a page or a string of a program.
#[test]
fn a_text_ends_at_the_end_of_its_file() {
    for (end, after) in [
        ("\u{FEFF}", ""),
        ("\x1A", "!junk"),
        ("\0", "!junk"),
        ("</pre>", "!junk"),
        ("[/sgf]", "!junk"),
        ("\"}", "!junk"),
        ("\"]", "!junk"),
    ] {
        let input = format!("(;C[a [12k]: bye]){end}(;B[cc])");
        let expected = ["!unescaped-bracket", "C=a [12k]: bye", after, "B=cc"];
        check(
            &repairing(),
            input.as_bytes(),
            &expected.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>(),
        );
    }
    let quoted = ["!unescaped-bracket", "C=text (like this])\" more", "B=cc"];
    check(&repairing(), b"(;C[text (like this])\" more];B[cc])", &quoted);
    check(
        &repairing(),
        "(;C[a [1])\u{FF0C}b];B[cc])".as_bytes(),
        &["!unescaped-bracket", "C=a [1])\u{FF0C}b UTF-8", "B=cc"],
    );
}

#[test]
fn a_text_ends_though_its_last_character_seems_to_escape_the_bracket() {
    let config = Config::archives();
    check(
        &config,
        br"(;FF[4]C[see c:\games\];W[bb];B[cc])",
        &["FF=4", "!unterminated-value", "C=see c:games]", "W=bb", "B=cc"],
    );
    check(&config, b"(;C[\x83\x5C];PB[\x96\xF3])", &["C=\u{30BD} Shift_JIS", "PB=\u{8A33} Shift_JIS"]);
    check(&config, br"(;C[(;B[aa\];W[bb\])];B[cc])", &["C=(;B[aa];W[bb])", "B=cc"]);
}

#[test]
fn a_text_that_has_lost_its_bracket_ends_before_a_node() {
    let config = repairing().cap_values(true);
    for (text, read) in [
        ("see c:\\games\\]", "see c:games]"),
        ("hello", "hello"),
        ("a [b", "a [b"),
        ("hello\n", "hello"),
        ("", ""),
        (":)\n", ":)"),
        ("\u{9ED1}", "\u{9ED1} UTF-8"),
    ] {
        let expected = ["!unterminated-value", &format!("C={read}"), "W=bb", "B=cc"];
        check(&config, format!("(;C[{text};W[bb];B[cc])").as_bytes(), &expected);
    }
    let broken = b"(;GM[1]PB[x]C[broken: (;B[aa(;W[bb\\]) see?];B[cc])";
    check(&config.clone().resync(true), broken, &["GM=1", "PB=x", "C=broken: (;B[aa(;W[bb]) see?", "B=cc"]);
    // A game is quoted, or the text goes on.
    for text in [
        "(;B[aa\\];W[bb\\])",
        "x ;W[more than 15 bytes",
        "xW[bb",
        "ab:x [cd:y",
        "x Wa[bb",
        "x WWW[bb",
        "W[b\\]",
        "\\[W[b\\]c",
    ] {
        let lines = read(&config, format!("(;C[{text}];B[cc])").as_bytes());
        assert!(lines.iter().all(|line| !line.starts_with('!')), "{lines:?}");
    }
    // Or its `]` is missing, and nobody knows how many trees have ended behind it.
    for text in ["(;W[bb", "x)\n(;W[bb", "\\;W[bb", "x W[bb", "x\nXX[bb", "x)\n;P0[bb", "x.YMA[ai"] {
        let lines = ["!swallowed-property", &format!("C={}", text.replace('\\', "")), "B=cc"];
        check(&config, format!("(;C[{text}];B[cc])").as_bytes(), &lines);
    }
    for name in ["Joe XX[Ann", "Joe C[Ann", "JOEPW[Ann"] {
        let lines = ["GM=1", "!swallowed-property", &format!("PB={name}"), "B=cc"];
        check(&config, format!("(;GM[1]PB[{name}];B[cc])").as_bytes(), &lines);
    }
    check(&config, b"(;C[x;W[bb] or y];B[cc])", &["!unescaped-bracket", "C=x;W[bb] or y", "B=cc"]);
    // Of a text of nothing but ends of trees, these are read as such.
    let config = config.resync(true);
    check(
        &config,
        b"(;GM[1]PB[a](;B[cc]C[)\n(;W[bb]C[ok]))",
        &["GM=1", "PB=a", "B=cc", "!unterminated-value", "W=bb", "C=ok"],
    );
}

/// Whoever writes a name does not write the name of a property and a bracket.
#[test]
fn a_line_that_has_lost_its_bracket_ends_before_a_property() {
    let config = Config::archives();
    for name in ["Joe", "", "Joe\n", "JoeY", "Joe_", "Joe 9d \\", "\u{674E}\u{4E16}\u{77F3}"] {
        let game = format!("(;GM[1]PB[{name}PW[Ann]AB[aa][bb];B[cc])");
        let rest = ["PW=Ann", "AB=aa", "AB=bb", "B=cc"];
        let lines = values(&config, game.as_bytes());
        let lines: Vec<_> = lines.iter().map(|line| line.trim_end_matches(" UTF-8")).collect();
        assert_eq!(lines[2..], rest, "{lines:?}");
        assert!(lines[1].starts_with(&format!("PB={}", name.trim_end_matches(['\n', '\\', ' ']))), "{lines:?}");
    }
    let long = "x".repeat(600);
    for next in [";B[pd]", "C[see here]", "PW[Ann]"] {
        let lines = values(&config, format!("(;GM[1]SO[{long}{next};W[dd])").as_bytes());
        assert_eq!((lines.len(), &lines[1]), (4, &format!("SO={long}")), "{next}");
    }
    check(&config, b"(;C[goodLB[aa:1];B[pd])", &["!unterminated-value", "C=good", "LB=aa:1", "B=pd"]);
    check(&config, b"(;C[see LB[aa:1] here];B[pd])", &["!unescaped-bracket", "C=see LB[aa:1] here", "B=pd"]);
    check(&config, b"(;EV[xAB[aa][bb];B[pd])", &["!unterminated-value", "EV=x", "AB=aa", "AB=bb", "B=pd"]);
    check(&config, b"(;RE[W+RTM[60];B[pd])", &["!unterminated-value", "RE=W+R", "TM=60", "B=pd"]);
    check(&config, b"(;AP[x:1.0\nSZ[9])", &["!unterminated-value", "AP=x:1.0", "SZ=9"]);
    check(&config, b"(;AP[x:1.0SZ[9];B[aa])", &["!unterminated-value", "AP=x:1.0", "SZ=9", "B=aa"]);
    check(&config, b"(;AP[x:\nSZ[9];B[aa])", &["!unterminated-value", "AP=x:", "SZ=9", "B=aa"]);
    // What nobody repairs may be anything, and so may a version.
    let mark = "!swallowed-property";
    let lines = [mark, "AP=x:PB[1", mark, "XX=xAB[aa", mark, "LB=aa:AB[", mark, "FG=257:Dia. 1MMN[1"];
    check(&config, b"(;AP[x:PB[1]XX[xAB[aa]LB[aa:AB[]FG[257:Dia. 1MMN[1])", &lines);
    // Whatever that is, it may be all of it.
    for value in ["XX[5A[7", "XX[a;B[aa", "TT[60\n; P0[done", "LB[aa:1[bb:2", "5A[PW[x", "XX[ABC[x"] {
        let lines = read(&config, format!("(;{value}];B[cc])").as_bytes());
        assert_eq!(lines.iter().filter(|line| line.starts_with("!swallowed-property")).count(), 1, "{lines:?}");
    }
    for value in ["XX[head')[0", "XX[a [b", "LB[aa:[", "LB[aa:x[y", "XX[abc[x", "XX[B[\\]"] {
        let lines = read(&config, format!("(;{value}];B[cc])").as_bytes());
        assert!(lines.iter().all(|line| !line.starts_with('!')), "{lines:?}");
    }
    for name in ["JOEXX[Ann", "Joe [Ann", "(KGS[Ann"] {
        let lines = read(&config, format!("(;GM[1]PB[{name}];B[cc])").as_bytes());
        assert!(lines.iter().all(|line| !line.starts_with('!')), "{lines:?}");
    }
    check(&config, b"(;PB[a [1] - PW[2]];B[cc])", &["!unescaped-bracket", "PB=a [1] - PW[2]", "B=cc"]);
    check(&repairing(), b"(;PB[JoePW[Ann];B[cc])", &["PB=JoePW[Ann", "B=cc"]);
}

/// Many values had one far end by the byte rules, but for short ones that was not far. In parts, and in one piece, they were one.
#[test]
fn short_values_in_a_charset_of_two_bytes_are_given_up_however_they_are_taken() {
    let game = b"(;CA[GB]B[\x81;W[aa;B[bb;W[cc;B[dd;W[ee;B[ff;W[gg])";
    let lines = read(&Config::archives(), game);
    assert_eq!(lines.iter().filter(|line| line.starts_with("!unterminated-value")).count(), 7, "{lines:?}");
    let marked = b"(;CA[GB]W[\x815A[[75A[75A[75A[75A[75A[7*aa'];B[cc])";
    assert!(read(&Config::archives(), marked).iter().any(|line| line.starts_with("!swallowed-property")));
}

/// Where a disk has left zeros, for instance.
#[test]
fn a_move_that_never_seems_to_end_is_marked() {
    let config = Config::archives();
    let long = |len: usize| format!("hi{}", "\0".repeat(len - 2));
    let mark = "!swallowed-property";
    for (name, len, is_marked) in
        [("W", 256, false), ("W", 257, true), ("LB", 257, true), ("TT", 257, false), ("GN", 257, false)]
    {
        let value = long(len);
        let read = format!("{name}={value}");
        let lines: &[&str] = if is_marked { &["B=aa", mark, &read, "B=cc"] } else { &["B=aa", &read, "B=cc"] };
        check(&config, format!("(;B[aa]{name}[{value}];B[cc])").as_bytes(), lines);
    }
    check(&Config::new(), format!("(;W[{}])", long(300)).as_bytes(), &[&format!("W={}", long(300))]);
    let mut limits = Limits::new();
    limits.value = 280;
    check(&config.limits(limits), format!("(;W[{}])", long(300)).as_bytes(), &["!value-too-long"]);
}

#[test]
fn a_list_of_points_does_not_go_on_with_those_of_the_next() {
    let config = Config::archives();
    check(&config, b"(;AB[aa][bbAW[cc][dd];B[ee])", &["AB=aa", "!unterminated-value", "AW=cc", "AW=dd", "B=ee"]);
    check(&config, b"(;AB[aa][bbYAW[cc][dd])", &["AB=aa", "!unterminated-value", "AW=cc", "AW=dd"]);
    check(&config, b"(;AB[aA[bB][cC])", &["!unterminated-value", "AB=bB", "AB=cC"]);
}

#[test]
fn a_move_that_has_lost_its_bracket_ends_before_any_text() {
    let texts = ["Joe [1k\\]: hi", "see (;B[aa\\];W[bb\\])"];
    for (text, read) in texts.map(|text| (text, text.replace('\\', ""))) {
        let game = format!("(;B[mcC[{text}];W[dd])");
        check(&Config::archives(), game.as_bytes(), &["!unterminated-value", &format!("C={read}"), "W=dd"]);
    }
    // One more backslash, which is the smallest damage.
    check(
        &Config::archives(),
        br"(;SZ[9\]AB[aa][bb\]AW[cc];B[dd\];W[ee])",
        &["!unterminated-value", "AB=aa", "!unterminated-value", "AW=cc", "!unterminated-value", "W=ee"],
    );
    check(&Config::archives(), "(;B[mcC[é];W[dd])".as_bytes(), &["!unterminated-value", "C=é UTF-8", "W=dd"]);
}

#[test]
fn bytes_that_no_rule_knows_do_not_end_a_list() {
    for (input, expected) in [
        (&b"(;AB[aa]][bb];B[cc])"[..], &["AB=aa", "!illegal-bytes", "AB=bb", "B=cc"][..]),
        (b"(;AB[aa]bb][dd])", &["AB=aa", "!illegal-bytes", "AB=dd"]),
        (b"(;LB[aa:1]\n> [bb:2])", &["LB=aa:1", "!illegal-bytes", "LB=bb:2"]),
        (b"(;B[aa]][bb])", &["B=aa", "!illegal-bytes", "!value-without-property"]),
    ] {
        check(&repairing(), input, expected);
    }
    // Read or skipped, the game ends in the same place.
    let cut = ["AB=aa", "!illegal-bytes", "!unexpected-eof", "!unclosed-tree"];
    check(&Config::archives(), b"(;AB[aa]][bb)", &cut);
}

/// Mail and pages break lines where they like, and one byte more is the smallest damage.
#[test]
fn few_stray_bytes_do_not_part_a_name_from_its_value() {
    let ill = "!illegal-bytes";
    check(
        &repairing(),
        b"(;GM[1];B\n> [aa];W=\r\n[bb];AB<wbr>[cc])",
        &["GM=1", ill, "B=aa", ill, "W=bb", ill, "AB=cc"],
    );
    for stray in ["<BR>", "<br />\r\n", "&nbsp;", "\\n", "\n\\n", "\u{A0}", " \t>", "--", "      \n>"] {
        let game = format!("(;SZ{stray}[9]AW{stray}[aa][bb];C{stray}[name [1k]: hi];B[cc])");
        let text = ["!unescaped-bracket", "C=name [1k]: hi", "B=cc"];
        for config in [repairing(), Config::archives()] {
            check(&config, game.as_bytes(), &[&[ill, "SZ=9", ill, "AW=aa", "AW=bb", ill], &text[..]].concat());
        }
    }
    let orphan = ["!property-without-value", ill, "!value-without-property", "B=aa"];
    for game in [
        "(;AW         >[cc];B[aa])",
        "(;XX==[cc];B[aa])",
        "(;Black==[cc];B[aa])",
        "(;W=[cc];B[aa])",
        "(;BR>[cc];B[aa])",
    ] {
        check(&repairing(), game.as_bytes(), &orphan);
    }
    check(&Config::new(), b"(;W==[cc];B[aa])", &orphan);
}

/// A page has them for blanks and line ends.
#[test]
fn the_semicolon_of_an_entity_begins_no_node() {
    let config = Config::archives();
    let ill = "!illegal-bytes";
    let game = b"(;AB[aa]&nbsp;AW[bb]&#10;;B[cc])";
    check(&config, game, &["AB=aa", ill, ill, "AW=bb", ill, ill, "B=cc"]);
    let nodes = |config: &Config, game: &[u8]| {
        let lines = read(config, game);
        lines.iter().filter(|line| line.starts_with("; ")).count()
    };
    for (game, expected) in [
        (&game[..], 2),
        (b"(;FF[4]&lt;&gt;;&#x3000;B[aa])", 2),
        // Properties without values.
        (b"(;W[aa]&KO;B[bb]&#DO;W[cc])", 3),
        // It is none.
        (b"(;B[aa]&;W[bb]& amp;B[cc]&amp ;W[dd]&longername;B[ee]#10;W[ff]&a-b;B[gg])", 7),
    ] {
        assert_eq!(nodes(&config, game), expected, "{}", game.escape_ascii());
    }
    assert_eq!(nodes(&Config::new(), game), 4);
    // Not even where it is skipped: the label is in the root.
    check(
        &config,
        b"(;FF[4]&nbsp;CA[GBK]PB[\xC0\xEE]&#10;;B[cc])",
        &["FF=4", ill, ill, "CA=GBK", "PB=\u{674E} GBK", ill, ill, "B=cc"],
    );
}

/// Mail quotes, and programs number the lines.
#[test]
fn a_word_behind_a_variation_is_no_node() {
    let game = b"(;B[aa](;W[bb])\n12: (;W[cc])\nJS> (;W[dd]) Foo\n);";
    let shape = |config: &Config| -> String {
        let lines = read(config, game);
        lines.iter().filter(|line| !line.starts_with('!')).map(|line| line.split(' ').next().unwrap()).collect()
    };
    assert_eq!(shape(&Config::archives()), "(;B=aa(;W=bb)(;W=cc)(;W=dd))");
    assert_eq!(shape(&Config::new()), "(;B=aa(;W=bb);(;W=cc);(;W=dd);)");
    let ill = "!illegal-bytes";
    check(&Config::archives(), game, &["B=aa", "W=bb", ill, "W=cc", ill, "W=dd", ill, "!junk"]);
    check(&Config::archives(), b"(;B[aa](\nJS> ;W[bb]))", &["B=aa", ill, "W=bb"]);
    // A property there is one.
    check(&Config::archives(), b"(;B[aa](;W[bb])C[x])", &["B=aa", "W=bb", "!missing-semicolon", "C=x"]);
}

/// Programs write it before what somebody says.
#[test]
fn a_time_behind_a_move_is_no_second_move() {
    let config = Config::archives();
    let orphan = "!value-without-property";
    check(&config, b"(;B[aa]\n[12:34] ;W[bb])", &["B=aa", orphan, "W=bb"]);
    check(&config, b"(;W[aa]C[x];W[bb]\r\n[1:02:03]\n[4:05]\n[cc])", &["W=aa", "C=x", "W=bb", orphan, orphan, "W=cc"]);
    check(&config, b"(;B[aa]\n[12:34", &["B=aa", "!unexpected-eof", "!unclosed-tree"]);
    for value in ["12:3", "1234", "a2:34", "12:34:", ":12:34", "123:45", "bb"] {
        let lines = values(&config, format!("(;B[aa]\n[{value}];W[bb])").as_bytes());
        assert!(lines.len() > 2, "{value}: {lines:?}");
    }
    check(&config, b"(;B[aa] [12:34])", &["B=aa", "B=12:34"]);
    check(&config, b"(;LB[aa:1]\n[12:34])", &["LB=aa:1", "LB=12:34"]);
    check(&Config::new(), b"(;B[aa]\n[12:34])", &["B=aa", "B=12:34"]);
}

/// One bit tells a `;` from `3` and `9`.
#[test]
fn a_digit_before_a_known_name_is_none_of_its_letters() {
    let config = Config::archives();
    let ill = "!illegal-bytes";
    check(
        &config,
        b"(;B[aa]3W[bb];B[cc]9C[good]9LB[aa:1])",
        &["B=aa", ill, "W=bb", "B=cc", ill, "C=good", ill, "LB=aa:1"],
    );
    check(&config, b"(;B[aa]\n3W\n[bb](9B[cc]))", &["B=aa", ill, "W=bb", ill, "!missing-semicolon", "B=cc"]);
    // Its text may have a stray bracket, as another.
    check(&config, b"(;B[aa]3C[a] b];W[bb])", &["B=aa", ill, "!unescaped-bracket", "C=a] b", "W=bb"]);
    // Behind a backslash, `n` is no letter of a name; in a run of other bytes it is.
    check(&config, b"(;B[aa]\\n3W[bb]br\\n3W[cc])", &["B=aa", ill, ill, "W=bb", ill, "3W=cc"]);
    for name in ["5A", "3", "33W", "3W2", "3CA", "3XX", "P0"] {
        check(&config, format!("(;B[aa]{name}[bb])").as_bytes(), &["B=aa", &format!("{name}=bb")]);
    }
    check(&Config::new(), b"(;B[aa]3W[bb])", &["B=aa", "3W=bb"]);
}
