//! Each limit: what is skipped, how it is reported, and where reading goes on.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::{Batcher, Config, Limits, Parser, Reader, Visitor, events};

use crate::support::{Plan, Record, Recorder, check_answering, check_with, compare_with};

/// The default limits with one change.
fn with(change: impl FnOnce(&mut Limits)) -> Config {
    let mut limits = Limits::new();
    change(&mut limits);
    Config::new().limits(limits)
}

fn value(limit: usize) -> Config {
    with(|limits| limits.value = limit)
}

fn depth(limit: u64) -> Config {
    with(|limits| limits.depth = limit)
}

fn node(limit: u64) -> Config {
    with(|limits| limits.node_properties = limit)
}

fn values(limit: u64) -> Config {
    with(|limits| limits.property_values = limit)
}

fn game(limit: u64) -> Config {
    with(|limits| limits.game = limit)
}

fn problems(limit: u64) -> Config {
    with(|limits| limits.problems = limit)
}

#[test]
fn a_value_at_the_limit_is_read_and_a_longer_one_is_skipped() {
    check_with(
        &value(3),
        b"(;C[abc][abcd][x]D[])",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"abc\" | ! value-too-long 8..14 | value 15 \"x\"
         property 17 D | value 19 \"\" | exit 20 d1",
    );
}

#[test]
fn a_value_over_the_limit_ends_at_its_own_bracket() {
    check_with(
        &value(3),
        b"(;C[a(;)\\]\\\\][\r\n\r\n](;))",
        "enter 0 d1 | node 1 | property 2 C | ! value-too-long 3..13 | ! value-too-long 13..19
         enter 19@3:2 d2 | node 20@3:3 | exit 21@3:4 d2 | exit 22@3:5 d1",
    );
}

#[test]
fn the_limit_counts_raw_bytes() {
    check_with(
        &value(3),
        b"(;C[ab\\]][a\\]][\xE7\xA2\x81][\xE7\xA2\x81a])",
        "enter 0 d1 | node 1 | property 2 C | ! value-too-long 3..9 | value 10 \"a\\\\]\" | value 15 \"\\xe7\\xa2\\x81\"
         ! value-too-long 19..25 | exit 25 d1",
    );
}

#[test]
fn a_value_over_the_limit_may_be_no_text() {
    check_with(
        &value(3),
        b"(;C[\xC3\xA9][\xC3\xA9\xFF\xFF\xFF])",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"\\xc3\\xa9\" | ! value-too-long 7..14 | exit 14 d1",
    );
}

#[test]
fn a_value_in_a_new_tree_belongs_to_no_property_within_a_small_limit() {
    check_with(
        &value(3),
        b"(;C[a]([b];))",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"a\" | enter 6 d2 | ! value-without-property 7..10
         node 10 | exit 11 d2 | exit 12 d1",
    );
}

#[test]
fn a_value_limit_of_zero_allows_empty_values() {
    check_with(
        &value(0),
        b"(;C[][a])",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"\" | ! value-too-long 5..8 | exit 8 d1",
    );
}

#[test]
fn an_unclosed_value_over_the_limit_is_an_unexpected_eof() {
    check_with(
        &value(3),
        b"(;C[abcdef",
        "enter 0 d1 | node 1 | property 2 C | ! unexpected-eof 3..10 | ! unclosed-tree 10..10 | exit 10 d1 implicit",
    );
}

#[test]
fn a_value_over_the_limit_without_property_is_one_problem() {
    check_with(&value(1), b"(;[abcdef])", "enter 0 d1 | node 1 | ! value-without-property 2..10 | exit 10 d1");
}

#[test]
fn values_in_parts_have_no_limit() {
    check_answering(
        &value(3),
        Plan::Parts,
        b"(;C[abcdef\\]\\\r\n\xE7\xA2\x81][][abcd])",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"abcdef\\\\]\\\\\\r\\n\\xe7\\xa2\\x81\"
         value 20@2:6 \"\" | value 22@2:8 \"abcd\" | exit 27@2:13 d1",
    );
}

#[test]
fn skipped_values_have_no_limit() {
    check_answering(
        &value(3),
        Plan::NoValues,
        b"(;C[abcdef][x]D[yyyyyy])",
        "enter 0 d1 | node 1 | property 2 C | property 14 D | exit 23 d1",
    );
}

#[test]
fn a_tree_that_is_too_deep_is_skipped_and_counts_as_a_child() {
    check_with(
        &depth(2),
        b"(;(;(;C[)](;));X[])(;))",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | ! limit-depth 4..14 | ! node-after-variation 14..15
         node 14 after-variation | property 15 X | value 17 \"\" | exit 18 d2
         enter 19 d2 sibling | node 20 | exit 21 d2 | exit 22 d1",
    );
}

#[test]
fn each_tree_that_is_too_deep_is_reported() {
    check_with(
        &depth(1),
        b"(;(;)\n(;(;)))(;)",
        "enter 0 d1 | node 1 | ! limit-depth 2..5 | ! limit-depth 6@2:1..12 | exit 12@2:7 d1
         enter 13@2:8 d1 | node 14@2:9 | exit 15@2:10 d1",
    );
}

#[test]
fn problems_inside_a_tree_that_is_too_deep_are_not_reported() {
    check_with(&depth(1), b"(;(%%[x]B(())))", "enter 0 d1 | node 1 | ! limit-depth 2..14 | exit 14 d1");
}

#[test]
fn an_unclosed_tree_that_is_too_deep_goes_to_the_end() {
    for tail in ["", ";", ";B[", ";B[a\\]", "(("] {
        let end = 3 + tail.len();
        check_with(
            &depth(1),
            format!("(;({tail}"),
            &format!(
                "enter 0 d1 | node 1 | ! limit-depth 2..{end} | ! unclosed-tree {end}..{end} | exit {end} d1 implicit"
            ),
        );
    }
}

#[test]
fn a_depth_limit_of_zero_counts_as_one() {
    check_with(&depth(0), b"(;(;))", "enter 0 d1 | node 1 | ! limit-depth 2..5 | exit 5 d1");
}

#[test]
fn surplus_properties_are_skipped_up_to_the_next_node_or_tree() {
    let start = "enter 0 d1 | node 1 | property 2 A | value 4 \"\" | property 5 B | value 7 \"\"";
    check_with(
        &node(2),
        b"(;A[]B[]C[x]D[;)] \n;E[]F[])",
        &format!(
            "{start} | ! limit-node 8..19 | node 19@2:1 | property 20@2:2 E | value 22@2:4 \"\" | property 23@2:5 F
             value 25@2:7 \"\" | exit 26@2:8 d1"
        ),
    );
    check_with(
        &node(2),
        b"(;A[]B[]C(;D[]))",
        &format!(
            "{start} | ! limit-node 8..9 | enter 9 d2 | node 10 | property 11 D | value 13 \"\" | exit 14 d2
         exit 15 d1"
        ),
    );
    check_with(&node(2), b"(;A[]B[]C[)][x])", &format!("{start} | ! limit-node 8..15 | exit 15 d1"));
    check_with(&node(2), b"(;A[]B[])", &format!("{start} | exit 8 d1"));
}

#[test]
fn problems_in_surplus_properties_are_not_reported() {
    check_with(
        &node(1),
        b"(;A[]b%%[x]C D[\\]]ABCDEFGHIJKLMNOPQ[x])",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"\" | ! illegal-bytes 5..8 | ! value-without-property 8..11
         ! limit-node 11..38 | exit 38 d1",
    );
}

#[test]
fn a_property_without_value_counts_as_one() {
    check_with(
        &node(1),
        b"(;A B[])",
        "enter 0 d1 | node 1 | ! property-without-value 2..3 | property 2 A | ! limit-node 4..7 | exit 7 d1",
    );
}

#[test]
fn surplus_properties_may_go_to_the_end_of_input() {
    for tail in ["B", "B[", "B[x]", "B[x] ", "B[\\"] {
        let end = 5 + tail.len();
        check_with(
            &node(1),
            format!("(;A[]{tail}"),
            &format!(
                "enter 0 d1 | node 1 | property 2 A | value 4 \"\" | ! limit-node 5..{end}
         ! unclosed-tree {end}..{end}
                 exit {end} d1 implicit"
            ),
        );
    }
}

#[test]
fn a_node_limit_of_zero_leaves_bare_nodes() {
    check_with(
        &node(0),
        b"(;A[](;)B[])",
        "enter 0 d1 | node 1 | ! limit-node 2..5 | enter 5 d2 | node 6 | exit 7 d2
         ! missing-semicolon 8..9 | node 8 implied after-variation | ! limit-node 8..11 | exit 11 d1",
    );
    check_with(
        &node(0),
        b"(;GM",
        "enter 0 d1 | node 1 | ! limit-node 2..4 | ! unclosed-tree 4..4 | exit 4 d1 implicit",
    );
}

#[test]
fn surplus_values_are_one_range() {
    check_with(
        &values(2),
        b"(;AB[a][b][c] [d\\]] B[e][f])",
        "enter 0 d1 | node 1 | property 2 AB | value 5 \"a\" | value 8 \"b\" | ! limit-values 10..19
         property 20 B | value 22 \"e\" | value 25 \"f\" | exit 27 d1",
    );
    check_with(
        &values(1),
        b"(;A[a][b]%[c])",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"a\" | ! limit-values 6..9 | ! illegal-bytes 9..10
         ! value-without-property 10..13 | exit 13 d1",
    );
    // They end where they would end if they were read.
    check_with(
        &values(1).repair_brackets(true),
        b"(;C[a][b [x] y]D[z])",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"a\" | ! limit-values 6..15
         property 15 D | value 17 \"z\" | exit 19 d1",
    );
    check_with(
        &values(1),
        b"(;CA[GBK]C[a][\x81]x];B[aa])",
        "enter 0 d1 | node 1 | property 2 CA | value 5 \"GBK\" | property 9 C | value 11 \"a\" | ! limit-values 13..16
         ! illegal-bytes 16..18 | node 18 | property 19 B | value 21 \"aa\" | exit 24 d1",
    );
}

#[test]
fn surplus_values_at_the_end_of_input() {
    check_with(
        &values(1),
        b"(;A[a][b][c",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"a\" | ! limit-values 6..9 | ! unexpected-eof 9..11
         ! unclosed-tree 11..11 | exit 11 d1 implicit",
    );
    check_with(
        &values(1),
        b"(;A[a][b",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"a\" | ! unexpected-eof 6..8 | ! unclosed-tree 8..8
         exit 8 d1 implicit",
    );
    check_with(
        &values(1),
        b"(;A[a][b] \n",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"a\" | ! limit-values 6..9 | ! unclosed-tree 11@2:1..11
         exit 11@2:1 d1 implicit",
    );
}

#[test]
fn a_values_limit_of_zero_leaves_bare_properties() {
    check_with(
        &values(0),
        b"(;A[a][b]B[c])",
        "enter 0 d1 | node 1 | property 2 A | ! limit-values 3..9 | property 9 B | ! limit-values 10..13 | exit 13 d1",
    );
}

const LONG: &[u8] = b"(;B[aa];W[bb](;C[)])(;))";

#[test]
fn a_game_over_the_limit_is_skipped_from_the_next_token_on() {
    let start = "enter 0 d1 | node 1 | property 2 B | value 4 \"aa\" | node 7 | property 8 W | value 10 \"bb\"";
    check_with(&game(13), LONG, &format!("{start} | ! limit-game 13..23 | exit 23 d1"));
    check_with(&game(11), LONG, &format!("{start} | ! limit-game 13..23 | exit 23 d1"));
    // Open inner trees end where the game does.
    check_with(
        &game(14),
        LONG,
        &format!("{start} | enter 13 d2 | ! limit-game 14..23 | exit 23 d2 implicit | exit 23 d1"),
    );
    // A value that begins before the limit is read to its end.
    check_with(
        &game(17),
        LONG,
        &format!(
            "{start} | enter 13 d2 | node 14 | property 15 C | value 17 \")\" | exit 19 d2 | ! limit-game 20..23
         exit 23 d1"
        ),
    );
    // A `)` is always read.
    check_with(
        &game(22),
        LONG,
        &format!(
            "{start} | enter 13 d2 | node 14 | property 15 C | value 17 \")\" | exit 19 d2 | enter 20 d2 sibling
         node 21
             exit 22 d2 | exit 23 d1"
        ),
    );
}

/// The fast loop once read a non-ASCII text past the point where it had to stop.
#[test]
fn a_game_may_exceed_its_limit_at_any_byte() {
    let text = "(;N[a]C[\u{436}\u{436}\u{436}\u{436}\u{436}\u{436} long]B[aa];W[bb]\n(;B[cc];W[dd])(;B[ee]LB[ff:g][gg:h]))(;B[aa])";
    for limit in 0..text.len() as u64 {
        compare_with(&game(limit), text.as_bytes());
    }
}

#[test]
fn the_length_counts_from_the_start_of_the_game() {
    check_with(
        &game(4),
        b"xx\n(;B[];)(;\n\n;W[])",
        "! junk 0..3 | enter 3@2:1 d1 | node 4@2:2 | property 5@2:3 B | value 7@2:5 \"\" | ! limit-game 8@2:6..9
         exit 9@2:7 d1
         enter 10@2:8 d1 | node 11@2:9 | ! limit-game 14@4:1..18 | exit 18@4:5 d1",
    );
}

#[test]
fn values_count_as_tokens() {
    check_with(&game(3), b"(;A[a][b])", "enter 0 d1 | node 1 | property 2 A | ! limit-game 3..9 | exit 9 d1");
    check_with(
        &game(6),
        b"(;A[a][b])",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"a\" | ! limit-game 6..9 | exit 9 d1",
    );
}

#[test]
fn problems_in_the_rest_of_a_long_game_are_not_reported() {
    check_with(
        &game(2),
        b"(;%%[x]b(())B[\\]])))",
        "enter 0 d1 | node 1 | ! limit-game 2..17 | exit 17 d1 | ! unmatched-close 18..19 | ! unmatched-close 19..20",
    );
}

#[test]
fn the_rest_of_a_long_game_goes_to_the_end_of_input_if_unclosed() {
    for tail in [";", ";B", ";B[", ";B[)]", "(;))(;"] {
        let input = format!("(;(;{tail}");
        // The last of these closes the inner tree and the game; a new game follows.
        if tail.contains("))") {
            check_with(
                &game(4),
                input,
                "enter 0 d1 | node 1 | enter 2 d2 | node 3 | ! limit-game 4..10 | ! unclosed-tree 10..10
                 exit 10 d2 implicit | exit 10 d1 implicit",
            );
            continue;
        }
        let end = 4 + tail.len();
        check_with(
            &game(4),
            input,
            &format!(
                "enter 0 d1 | node 1 | enter 2 d2 | node 3 | ! limit-game 4..{end} | ! unclosed-tree {end}..{end}
                 exit {end} d2 implicit | exit {end} d1 implicit"
            ),
        );
    }
}

#[test]
fn a_game_limit_of_zero_leaves_bare_trees() {
    check_with(
        &game(0),
        b"(;B[])(;)",
        "enter 0 d1 | ! limit-game 1..5 | exit 5 d1 | enter 6 d1 | ! limit-game 7..8 | exit 8 d1",
    );
}

#[test]
fn problems_over_the_limit_are_counted_and_reported_once_per_game() {
    check_with(
        &problems(2),
        b"(;% % \n% %)) x (;%)",
        "enter 0 d1 | node 1 | ! illegal-bytes 2..3 | ! illegal-bytes 4..5 | ! limit-problems 7@2:1..7 | exit 10@2:4 d1
         enter 15@2:9 d1 | node 16@2:10 | ! illegal-bytes 17@2:11..18 | exit 18@2:12 d1",
    );
    assert_eq!(suppressed(&problems(2), b"(;% % \n% %)) x (;%)"), 4);
}

#[test]
fn problems_at_the_limit_are_all_reported() {
    check_with(
        &problems(2),
        b"(;% %)",
        "enter 0 d1 | node 1 | ! illegal-bytes 2..3 | ! illegal-bytes 4..5 | exit 5 d1",
    );
    assert_eq!(suppressed(&problems(2), b"(;% %)"), 0);
}

#[test]
fn events_are_delivered_without_their_suppressed_problems() {
    check_with(
        &problems(0),
        b"(;(b[]()",
        "enter 0 d1 | node 1 | enter 2 d2 | ! limit-problems 3..3 | node 3 implied | property 3 b | value 5 \"\"
         enter 6 d3 | exit 7 d3 | exit 8 d2 implicit | exit 8 d1 implicit",
    );
    assert_eq!(suppressed(&problems(0), b"(;(b[]()"), 4);
}

#[test]
fn problems_before_the_first_game_are_counted_apart() {
    check_with(
        &problems(1),
        b"a\xEF\xBB\xBFb(;%)",
        "! junk 0..1 | ! limit-problems 4..4 | enter 5 d1 | node 6 | ! illegal-bytes 7..8 | exit 8 d1",
    );
}

fn suppressed(config: &Config, input: &[u8]) -> u64 {
    struct Nothing;
    impl Visitor for Nothing {
        type Break = Infallible;
    }
    let mut parser = Parser::with_config(config.clone());
    assert!(matches!(parser.read_slice(input, &mut Nothing), Ok(ControlFlow::Continue(()))));
    let mut reader = Reader::with_config(input, config.clone());
    assert!(matches!(reader.read(&mut Nothing), Ok(ControlFlow::Continue(()))));
    assert_eq!(reader.parser().suppressed_problems(), parser.suppressed_problems());
    let mut events = events(input).config(config.clone());
    assert!(events.by_ref().all(|event| event.is_ok()));
    assert_eq!(events.parser().suppressed_problems(), parser.suppressed_problems());
    let mut batcher = Batcher::with_config(config.clone());
    assert!(batcher.feed(input).all(|event| event.is_ok()));
    assert!(batcher.finish().all(|event| event.is_ok()));
    assert_eq!(batcher.parser().suppressed_problems(), parser.suppressed_problems());
    parser.suppressed_problems()
}

#[test]
fn untrusted_limits_hold() {
    let limits = Limits::untrusted();
    let config = Config::new().limits(limits.clone());
    let count = |records: &[Record<'_>], name: &str| {
        records.iter().filter(|record| record.problem().is_some_and(|kind| kind.name() == name)).count()
    };

    let deep = [b"(;".repeat(1_001), b")".repeat(1_001)].concat();
    let records = compare_with(&config, &deep);
    assert_eq!(count(&records, "limit-depth"), 1);
    assert_eq!(records.iter().filter(|record| matches!(record, Record::Enter { .. })).count(), 1_000);

    let wide = [b"(;".as_slice(), &b"C[x]".repeat(1_001), b")"].concat();
    let records = compare_with(&config, &wide);
    assert_eq!(count(&records, "limit-node"), 1);
    assert_eq!(records.iter().filter(|record| matches!(record, Record::Property { .. })).count(), 1_000);

    let many = [b"(;AB".as_slice(), &b"[aa]".repeat(10_001), b")"].concat();
    let records = compare_with(&config, &many);
    assert_eq!(count(&records, "limit-values"), 1);
    assert_eq!(records.iter().filter(|record| matches!(record, Record::Value { .. })).count(), 10_000);

    let long = [b"(;C[".as_slice(), &b"x".repeat((64 << 10) + 1), b"][y])"].concat();
    let records = compare_with(&config, &long);
    assert_eq!(count(&records, "value-too-long"), 1);

    let bad = [b"(;".as_slice(), &b"% ".repeat(200), b")"].concat();
    let records = compare_with(&config, &bad);
    assert_eq!(count(&records, "illegal-bytes"), 100);
    assert_eq!(count(&records, "limit-problems"), 1);

    // Endless identifiers, with and without a value, and one in each node.
    for (name, kind) in [("A".repeat(100_000), "identifier-too-long"), ("a".repeat(100_000), "illegal-bytes")] {
        let input = format!("(;{name} ;B[pd])");
        let records = compare_with(&config, input.as_bytes());
        assert_eq!((count(&records, kind), records.len()), (1, 7), "{name:.9}");
    }
    let names = [b"(".as_slice(), &b";ABCDEFGHIJKLMNOPQ[x][y]".repeat(2_000), b")"].concat();
    let records = compare_with(&config, &names);
    assert_eq!((count(&records, "identifier-too-long"), count(&records, "limit-problems")), (100, 1));
    assert!(!records.iter().any(|record| matches!(record, Record::Property { .. } | Record::Value { .. })));

    // Too long to be read through every face.
    let huge = [b"(".as_slice(), &b";B[pd]".repeat((16 << 20) / 6 + 2), b")"].concat();
    let mut recorder = Recorder::new(&huge);
    assert!(Parser::with_config(config).read_slice(&huge, &mut recorder).is_ok());
    let start = 1 + 6 * (limits.game - 1).div_ceil(6);
    assert_eq!(
        recorder.records[recorder.records.len() - 2].to_string(),
        format!("! limit-game {start}..{}", huge.len() - 1)
    );
}

#[test]
fn a_tree_that_is_too_deep_is_one_problem() {
    check_with(
        &depth(2),
        b"(;A[x](((;B[y]))))",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"x\" | enter 6 d2 | ! limit-depth 7..16 | exit 16 d2 | exit 17 d1",
    );
}

#[test]
fn white_space_does_not_exceed_the_game_limit() {
    let events = "enter 0 d1 | node 1 | property 2 A | value 4 \"1\" | ";
    check_with(&game(7), b"(;A[1]  )", &format!("{events}exit 8 d1"));
    check_with(&game(7), b"(;A[1]  ;B[p])", &format!("{events}! limit-game 8..13 | exit 13 d1"));
}
