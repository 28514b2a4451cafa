//! Games that begin where another has not ended.

use std::convert::Infallible;
use std::ops::ControlFlow;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use sgf_stream::text::EscapeUnit;
use sgf_stream::{Config, Descend, GameStarts, Limits, Parser, Problem, Tree, Visitor};

use crate::support::{bytes_alone, check_with, compare_with};

fn resync() -> Config {
    Config::new().resync(true)
}

fn capped() -> Config {
    resync().cap_values(true)
}

#[test]
fn a_game_cut_in_a_list_of_stones_costs_only_itself() {
    let config = capped();
    for list in ["AB[aa][bb", "AB[aa][bb]AW[cc][d", "AB[aa:cc][dd]\n[ee", "TR[AA][B"] {
        let input = format!("(;{list}\n(;AB[ff][gg];B[ii])");
        assert_eq!(games(&config, &input).0, 2, "{input}");
    }
    let long = format!("(;AB[aa]{}[c\n(;AB[ff];B[ii])", "[bb]".repeat(100));
    assert_eq!(games(&config, long).0, 2);
    // A text goes on.
    let text = "(;C[he played [ab][cd][e\n(;FF], then\n];B[aa])";
    assert_eq!(games(&config, text).0, 1, "{text}");
    // One point behind a long text is not the end of a list.
    let text = format!("(;C[{}][aa][bb\n(;B[aa])", "z".repeat(70));
    assert_eq!(games(&config, text).0, 1);
}

/// Where the input was cut before the move, the root around it was taken for one that shows a whole game.
#[test]
fn a_node_that_begins_with_a_move_and_no_header_is_no_root() {
    let config = capped();
    for (input, expected) in [
        ("(;W[aa]N[z]PB[x]SZ[9];B[bb](;FF[4]PB[y];B[cc])(;W[dd]))", (1, 0)),
        ("(;FF[4]GM[1];B[aa]\n(;W[bb]N[x]FF[4]GM[1]PB[x];B[cc])(;W[dd]))", (1, 0)),
        ("(;FF[4]GM[1]C[cut off\n(;B[dd]SZ[19]PB[x]PW[y];W[dq])", (2, 1)),
        ("(;FF[4]GM[1];B[aa]\n(;PB[x]W[bb]FF[4]GM[1];B[cc])(;W[dd])", (3, 1)),
    ] {
        assert_eq!(games(&config, input), expected, "{input}");
    }
}

/// Behind a carriage return, the node that was cut in its text seemed to have the header of the next game.
#[test]
fn a_header_is_not_sought_in_a_text_that_runs_on_over_any_line_end() {
    for end in ["\n", "\r\n", "\r"] {
        let input = format!("(;GM[1]FF[4]PB[a];B[pd]C[x{end}(;N[foo{end}(;GM[1]FF[4]PB[b]PW[c];B[dd])");
        assert_eq!(games(&capped(), &input), (2, 1), "{input:?}");
    }
}

/// How far a root is looked for behind an empty node was once another distance if that node had a CA.
#[test]
fn a_root_far_behind_a_declaration_is_found_wherever_the_input_is_cut() {
    for blanks in [100, 4080, 4084, 4088, 4090, 4091, 4092, 4095, 4100] {
        for declaration in ["", "CA[x]"] {
            let text = format!("(;GM[1]FF[4]PB[A];B[pd]C[a\n(;{declaration}{};GM[1]FF[4];B[dd])", " ".repeat(blanks));
            let whole = starts_in(&resync(), &text, text.len());
            for cut in [29, 30, 40, 2075, 4090, 4125] {
                assert_eq!(starts_in(&resync(), &text, cut), whole, "{blanks} {declaration} {cut}");
            }
        }
    }
}

/// The header of the next game may be damaged, too.
#[test]
fn stray_bytes_do_not_hide_a_header() {
    let config = capped().repair_brackets(true);
    for header in [
        &b"PB[Joe [9p]]PW[Al]GM[1]"[..],
        b"PB[Joe]&PW[Al]GM[1]",
        b"DT[2007]RD[20070625 [23:50]]PB[a]",
        b"PB[\xA6]\xA6\xAF]PW[x]CA[Big5]",
    ] {
        let input = [b"(;GM[1]FF[4]PB[a]PW[b];B[aa]\n(;", header, b";B[cc])\n(;", header, b";B[dd])"].concat();
        assert_eq!(games(&config, &input).0, 3, "{}", input.escape_ascii());
    }
    // Prose is no header.
    for text in ["(; so he said", "(;PB stands for", "(;W stands for"] {
        let input = format!("(;GM[1]FF[4]C[{text}]PB[a]PW[b];B[cc])");
        assert_eq!(games(&config, &input).0, 1, "{input}");
    }
    for text in ["It starts with (;FF[4] and then GM[1] for Go.", "use (;CA[UTF-8];FF[4] at the top, GM[1] next"] {
        let input = format!("(;GM[1]FF[4]SZ[19]PB[a]PW[b];B[aa]C[{text}];W[bb])");
        assert_eq!(games(&config, &input).0, 1, "{input}");
    }
}

/// The variation seemed to have the header of the game behind it, and was a game too many.
#[test]
fn a_variation_cut_in_its_first_move_is_no_game() {
    let next = "(;FF[4]GM[1]SZ[19]PB[C]PW[D];B[dd])";
    for open in ["(;W[b", "(;W[", "(;AB[aa][b", "(;B[aa];W[b"] {
        for between in ["\n", "\r\n\r\n", ""] {
            let input = format!("(;FF[4]GM[1]SZ[19]PB[A]PW[B];B[aa](;W[bb];B[cc])\n{open}{between}{next}");
            assert_eq!(games(&capped(), &input).0, 2, "{input}");
        }
    }
}

/// `sgf recode` puts the label there.
#[test]
fn a_first_node_with_nothing_but_a_label_hides_no_header() {
    let input = "(;GM[1]FF[4]PB[A];B[pd]C[a good mo\n(;CA[UTF-8];GM[1]FF[4]PB[B]PW[x];B[dd])\n";
    assert_eq!(games(&capped(), input).0, 2);
}

#[test]
fn a_game_cut_inside_a_value_costs_only_itself() {
    check_with(
        &resync(),
        "(;B[aa];C[wor\n(;FF[4]GM[1];B[cc])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"aa\" | node 7 | property 8 C
         ! unterminated-value 9..14 | ! truncated-game 14@2:1..14 | exit 14@2:1 d1 implicit
         enter 14@2:1 d1 | node 15@2:2 | property 16@2:3 FF | value 19@2:6 \"4\" | property 21@2:8 GM | value 24@2:11 \"1\"
         node 26@2:13 | property 27@2:14 B | value 29@2:16 \"cc\" | exit 32@2:19 d1",
    );
}

#[test]
fn without_resync_it_costs_what_follows() {
    check_with(
        &bytes_alone(),
        "(;C[wor\n(;FF[4]GM[1])",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"wor\\n(;FF[4\" | property 15@2:8 GM | value 18@2:11 \"1\" | exit 20@2:13 d1",
    );
}

#[test]
fn a_game_cut_after_an_identifier_needs_no_new_line() {
    check_with(
        &resync(),
        "(;B[aa];W(;PB[x]PW[y])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"aa\" | node 7 | ! property-without-value 8..9 | property 8 W
         ! truncated-game 9..9 | exit 9 d1 implicit
         enter 9 d1 | node 10 | property 11 PB | value 14 \"x\" | property 16 PW | value 19 \"y\" | exit 21 d1",
    );
}

#[test]
fn a_game_cut_between_tokens_ends_where_a_root_begins_a_line() {
    check_with(
        &resync(),
        "(;B[aa](;W[bb]\r\n \t( ;GM[1]DT[2])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"aa\" | enter 7 d2 | node 8 | property 9 W | value 11 \"bb\"
         ! truncated-game 18@2:3..18 | exit 18@2:3 d2 implicit | exit 18@2:3 d1 implicit
         enter 18@2:3 d1 | node 20@2:5 | property 21@2:6 GM | value 24@2:9 \"1\" | property 26@2:11 DT | value 29@2:14 \"2\" | exit 31@2:16 d1",
    );
}

#[test]
fn a_game_begins_behind_any_line_end() {
    for end in ["\n", "\r\n", "\r"] {
        let input = format!("(;GM[1]SZ[19];B[aa]{end}(;FF[4]GM[1];B[bb])");
        assert_eq!(games(&capped(), &input), (2, 1), "{input:?}");
    }
}

/// Once the value is given up, nothing but the place shows that it was open.
#[test]
fn a_game_begins_behind_a_value_that_was_given_up() {
    assert_eq!(starts(&capped(), "(;B[aa](;W[bb) (;GM[1]FF[4];B[aa])(;B[cc])"), [0, 15, 34]);
}

#[test]
fn a_game_may_begin_with_an_empty_node() {
    check_with(
        &resync(),
        "(;B[aa]\n(;\r\n;GM[1]PB[x])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"aa\"
         ! truncated-game 8@2:1..8 | exit 8@2:1 d1 implicit
         enter 8@2:1 d1 | node 9@2:2 | node 12@3:1 | property 13@3:2 GM | value 16@3:5 \"1\" | property 18@3:7 PB | value 21@3:10 \"x\" | exit 23@3:12 d1",
    );
}

#[test]
fn a_game_may_begin_with_a_root_property_in_a_node_of_its_own() {
    for root in ["FF[4]", "GM[1]", "SZ[19]", "AP[CGoban:3]", "CA[UTF-8]"] {
        let game = |end| format!("(;{root};DT[2010-02-05]EV[x]PB[a]PW[b];B[pd];W[dd]{end}\n");
        let input = [game(")"), game(""), game(")"), game(")")].concat();
        assert_eq!(games(&resync(), input), (4, 1), "{root}");
    }
}

/// The number of games, and of truncated ones.
fn games(config: &Config, input: impl AsRef<[u8]>) -> (usize, usize) {
    let records: Vec<String> = compare_with(config, input.as_ref()).iter().map(ToString::to_string).collect();
    let count = |what: &dyn Fn(&str) -> bool| records.iter().filter(|record| what(record)).count();
    (
        count(&|record| record.starts_with("enter") && record.contains(" d1")),
        count(&|record| record.starts_with("! truncated-game")),
    )
}

#[test]
fn healthy_games_are_not_cut() {
    for game in [
        // Variations with root properties, on one line and on lines of their own.
        "(;GM[1]FF[4](;GM[1]FF[4];B[aa])(;GM[1]FF[4];B[bb]))",
        "(;GM[1]FF[4](;GM[1]FF[4];B[aa])\n(;GM[1]FF[4];B[bb]))",
        // Game information in variations, which the standard allows.
        "(;GM[1]FF[4]\n(;PB[a]PW[b];B[aa])\n(;PB[a]RE[c];B[bb]))",
        // One root property proves nothing.
        "(;GM[1]\n(;SZ[9];B[aa])\n(;B[aa]FF[4]))",
        "(;GM[1]FF[4]\n(;B[aa]C[FF[4\\]GM[1\\]]))",
        "(;GM[1]FF[4]C[so: (;FF[4\\]GM[1\\]\n(;GM[1\\]FF[4\\])])",
    ] {
        assert_eq!(games(&capped(), game), (1, 0), "{game}");
    }
    assert_eq!(games(&capped(), "(;GM[1]FF[4])\n(;GM[1]FF[4])\nx\n(;GM[1]FF[4])"), (3, 0));
}

#[test]
fn a_short_value_that_runs_into_the_next_line_was_never_closed() {
    check_with(
        &capped(),
        "(;B[aa];W[b\n(;B[cc])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"aa\" | node 7 | property 8 W
         ! unterminated-value 9..12 | ! truncated-game 12@2:1..12 | exit 12@2:1 d1 implicit
         enter 12@2:1 d1 | node 13@2:2 | property 14@2:3 B | value 16@2:5 \"cc\" | exit 19@2:8 d1",
    );
    assert_eq!(games(&resync(), "(;B[aa];W[b\n(;B[cc])"), (1, 0));
    for healthy in [
        "(;B[aa];C[b\n(;B[cc\\])])",
        "(;B[aa];C[as B[\n(;B[cc\\])])",
        "(;B[aa];W[b(;B[cc])",
        "(;B[aa]\n(;B[cc])\n(;B[dd]))",
        "(;XY[a\n(;B[cc])",
    ] {
        assert_eq!(games(&capped(), healthy), (1, 0), "{healthy}");
    }
}

#[test]
fn limits_apply_up_to_the_end_of_a_truncated_game() {
    let mut limits = Limits::new();
    limits.depth = 1;
    assert_eq!(games(&capped().limits(limits.clone()), "(;B[aa](;W[bb](;B[cc]\n(;GM[1]DT[2])(;B[dd])"), (3, 1));
    (limits.depth, limits.game) = (u64::MAX, 8);
    assert_eq!(games(&capped().limits(limits), "(;B[aa](;W[bb](;B[cc]\n(;GM[1]DT[2])(;B[dd])"), (3, 1));
}

#[test]
fn brackets_are_repaired_in_truncated_games() {
    let config = Config::new().resync(true).cap_values(true).repair_brackets(true);
    let text = "(;FF[4]C[a [b] c]N[wor\n(;FF[4]GM[1]C[x [y] z])\n(;B[aa]C[é \n(;GM[1]SZ[9]C[é])";
    let records: Vec<String> = compare_with(&config, text.as_bytes()).iter().map(ToString::to_string).collect();
    assert_eq!(records.iter().filter(|record| record.starts_with("! truncated-game")).count(), 2, "{records:#?}");
    assert_eq!(records.iter().filter(|record| record.starts_with("! unescaped-bracket")).count(), 2, "{records:#?}");
}

/// Pieces that matter for where a game is cut.
const PIECES: &[&str] = &[
    "(;FF[4]GM[1]",
    "(;PB[x]PW[y]",
    "( \n;SZ[9]DT[2]",
    "(;FF[4]PB[x]",
    "(;B[aa]",
    "(;",
    "(",
    ";",
    ")",
    "\n",
    "\r\n \t",
    " ",
    "W",
    "XY ",
    "ab",
    "W[",
    "C[",
    "bb",
    "]",
    "[cc]",
    ";B[dd]",
    "N[t]",
    "\\",
    "%",
    "N[u [v] w]",
    "FF[4]",
    "GM[1]",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_cut_and_face_agrees(input in vec(select(PIECES), 0..24), repair in any::<bool>()) {
        compare_with(&capped().repair_brackets(repair), input.concat().as_bytes());
    }
}

#[test]
fn a_text_fed_again_after_a_break_is_looked_at_again() {
    let games = "ab\\)\\(;FF[4]GM[1]FF[4])(;FF[4]PB[x]];B[dd](;FF[4]PB[x]; \n(;FF[4]GM[1]";
    compare_with(&capped().repair_brackets(true), games.as_bytes());
}

#[test]
fn a_game_cut_in_mid_line_does_not_swallow_games_on_later_lines() {
    // B begins on A's line, which proves nothing; C and D each begin a line.
    let games = "(;FF[4]GM[1]EV[A];B[aa](;FF[4]PB[B];B[bb])\n(;FF[4]GM[1]PB[C];B[cc])\n(;FF[4]GM[1]PB[D];B[dd])\n";
    let begins = |name: &str| games.find(name).unwrap() as u64;
    assert_eq!(starts(&resync(), games), [0, begins("(;FF[4]GM[1]PB[C]"), begins("(;FF[4]GM[1]PB[D]")]);
    // Variations with root properties, as in joseki collections, are not whole games.
    let joseki = "(;FF[4]GM[1](;FF[4]GM[1];B[aa])\n(;FF[4]GM[1]SZ[19];B[bb])\n(;FF[4]GM[1];B[cc]))\n(;FF[4]GM[1]PB[x])";
    assert_eq!(starts(&resync(), joseki), [0, joseki.rfind("(;FF").unwrap() as u64]);
    // A game that names its players need not have two root properties if it begins a line.
    let named = "(;FF[4]GM[1]EV[A];B[aa](;FF[4]EV[B];B[bb])\n(;FF[4]PB[C];B[cc])";
    assert_eq!(starts(&resync(), named), [0, named.rfind("(;FF").unwrap() as u64]);
    // Names in a variation do not show that others have root properties.
    let named = "(;FF[4]GM[1]EV[A];B[aa](;PB[B]EV[x];B[bb])\n(;FF[4]GM[1];B[cc])";
    assert_eq!(starts(&resync(), named), [0, named.rfind("(;FF").unwrap() as u64]);
}

/// As when a truncated file is joined with others.
#[test]
fn a_game_with_player_names_ends_where_another_names_players() {
    let whole = |cut: &str| format!("(;FF[4]GM[1]PB[A]{cut}(;FF[4]GM[1]EV[x]PB[B];B[bb])(;FF[4]GM[1]RE[?];B[cc])");
    for cut in ["", ";", ";B[aa]", ";B[aa](;W[bb]", ";B[aa](;W[bb])", ";B[aa]C[(;GM[1\\]FF[4\\]PB[x\\]]"] {
        let games = whole(cut);
        let begin = |number: &str| games.rfind(number).unwrap() as u64;
        assert_eq!(starts(&resync(), &games), [0, begin("(;FF[4]GM[1]EV[x]"), begin("(;FF[4]GM[1]RE")], "{cut}");
    }
    // Cut off in its header, a game has not yet named its players.
    for cut in ["(;FF[4]GM[1]", "(;FF[4]GM[1]SZ[19]EV[x]", "(;FF(4]GM[1]PB[x];B[aa])", "(;"] {
        let games = format!("{cut}(;FF[4]GM[1]PB[A];B[aa])(;PB[B]FF[4]GM[1];B[bb])");
        let begins = |name: &str| games.find(name).unwrap() as u64;
        assert_eq!(starts(&resync(), &games), [0, begins("(;FF[4]GM[1]PB[A]"), begins("(;PB[B]")], "{cut}");
    }
    // No root property is needed.
    assert_eq!(starts(&resync(), "(;PB[A]PW[B];B[aa](;DT[1]RE[x];B[bb])"), [0, 18]);
    // The names come far after the `(`.
    let far = format!("( \n ;FF[4]GM[1]C[{}]PB[A];B[aa](;FF[4]GM[1]PB[B])", "x".repeat(300));
    assert_eq!(starts(&resync(), &far), [0, far.rfind('(').unwrap() as u64]);
    for healthy in [
        // Games as variations of a collection.
        "(;FF[4]GM[1]GN[c](;PB[A]PW[x];B[aa])(;PB[B]PW[x];B[bb]))",
        "(;FF[4]GM[1]GN[c](;FF[4]PB[A];B[aa])(;FF[4]PB[B];B[bb]))",
        "(;GM[1]EV[A];B[aa](;PB[A]RE[x];W[bb])(;PB[A]RE[y];W[cc]))",
        "(;GM[1]PB[A];B[aa](;FF[4]GM[1];W[cc]))",
    ] {
        assert_eq!(starts(&resync(), healthy), [0], "{healthy}");
    }
}

/// The offsets at which games begin, which must not depend on chunks.
fn starts(config: &Config, input: &str) -> Vec<u64> {
    let whole = starts_in(config, input, input.len());
    for len in 1..input.len() {
        assert_eq!(starts_in(config, input, len), whole, "in chunks of {len}");
    }
    whole
}

/// The offsets at which games begin, read in chunks of one length.
fn starts_in(config: &Config, input: &str, len: usize) -> Vec<u64> {
    let mut starts = Starts(Vec::new());
    let mut parser = Parser::with_config(config.clone());
    for chunk in input.as_bytes().chunks(len) {
        let _ = parser.feed(chunk, &mut starts).expect("lenient reading goes on");
    }
    let _ = parser.finish(&mut starts).expect("lenient reading goes on");
    starts.0
}

#[test]
fn a_root_far_before_names_of_players_does_not_count() {
    for (len, is_cut) in [((2 << 20) - 100, true), (2 << 20, false)] {
        let games = format!("(;PB[A]PW[B];C[{}](;DT[1]RE[x];B[bb])", "x".repeat(len));
        let second = is_cut.then(|| games.rfind('(').unwrap() as u64);
        let expected: Vec<u64> = [0].into_iter().chain(second).collect();
        for chunk in [games.len(), 64 << 10] {
            assert_eq!(starts_in(&resync(), &games, chunk), expected, "{len} in chunks of {chunk}");
        }
    }
}

#[test]
fn white_space_in_a_root_hides_no_names() {
    let white = " ".repeat(4090);
    let games = format!("({white};{white};FF[4]GM[1]EV[{}]PB[A];B[aa](;PB[B]PW[C];B[bb])", "x".repeat(4000));
    let expected = [0, games.rfind('(').unwrap() as u64];
    for len in [1, 100, 5000, games.len()] {
        assert_eq!(starts_in(&resync(), &games, len), expected, "in chunks of {len}");
    }
}

#[test]
fn a_game_ends_as_soon_as_the_next_one_shows() {
    let mut starts = Starts(Vec::new());
    let mut parser = Parser::with_config(resync());
    let _ = parser.feed(b"(;FF[4]GM[1]", &mut starts).unwrap();
    let _ = parser.feed(b"PB[A];B[aa](;PB[B]PW[C];B[bb])", &mut starts).unwrap();
    assert_eq!(starts.0, [0, 23]);
    // Nothing is a root that white space separates so far from its parenthesis.
    let mut parser = Parser::with_config(resync());
    let _ = parser.feed(format!("(;B[aa]({}", " ".repeat(5000)).as_bytes(), &mut starts).unwrap();
    assert_eq!(parser.depth(), 2);
}

struct Starts(Vec<u64>);

impl Visitor for Starts {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        if tree.depth() == 1 {
            self.0.push(tree.position().offset);
        }
        ControlFlow::Continue(Descend::Into)
    }
}

struct Problems(u64);

impl Visitor for Problems {
    type Break = Infallible;

    fn problem(&mut self, _problem: &Problem) -> ControlFlow<Infallible> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// Endless seeming beginnings of games, followed by a value without end. If each look read it all, or searched the held
/// bytes again, this would take minutes.
#[test]
fn many_false_beginnings_take_linear_time() {
    for piece in ["(;B[", "(;B[\\", "(;A[](;A[]", ")(;C[\\\\\\\\", "(;PB[(;", "C[a]%"] {
        let input = format!("(;{}", piece.repeat(400_000 / piece.len()));
        let mut parser = Parser::with_config(capped().repair_brackets(true));
        let mut problems = Problems(0);
        for chunk in input.as_bytes().chunks(1000) {
            let _ = parser.feed(chunk, &mut problems).expect("lenient reading goes on");
        }
        let _ = parser.finish(&mut problems).expect("lenient reading goes on");
        assert_eq!(parser.position().offset, input.len() as u64, "{piece}");
        assert!(problems.0 > 0, "{piece}");
    }
}

/// Long runs behind many values that may end elsewhere. If each value had the run behind it read, this would take minutes.
#[test]
fn a_run_is_not_read_again_for_each_value_before_it() {
    let repairing = || capped().repair_brackets(true);
    let node = [&b"(;FF[4]GM[1]"[..], &b"C[a]x ".repeat(4_000), &b";".repeat(200_000), b";C[b])"].concat();
    let white = [&b"(;"[..], &b"C[a]x;".repeat(11_000), &b" ".repeat(65_000), b"\n(;FF[4]GM[1]SZ[9]"].concat();
    let page = [&b"B[aa]".repeat(10)[..], &b"\n".repeat(60_000), &b"](".repeat(3_000)].concat();
    let hidden = [&b"(;CA[GBK]"[..], &b"C[\xA6]".repeat(100_000)].concat();
    let escaped = [&b"(;CA[GBK]"[..], &b"C[\xE9\\]".repeat(60_000)].concat();
    let halves = [&b"(;CA[GBK]"[..], &b"<\xA6](N[".repeat(60_000), b"(\xA6"].concat();
    let backslashes = [&b"(;CA[GBK]DT["[..], &b"\\\\DT[\xA6\\] a".repeat(60_000)].concat();
    let stray = [&b"(;CA[GBK]"[..], &b"\xFF\xA6]PB[x]\n".repeat(60_000)].concat();
    let by_character = repairing().escape_unit(EscapeUnit::Character);
    let either = repairing().escape_unit(EscapeUnit::Auto);
    let utf_8 = [&b"(;CA[GBK]C[\xD6\xD0\xB9\xFA\xD6\xD0\xB9\xFA]"[..], &"C[é中]%".as_bytes().repeat(60_000)].concat();
    let odd = [&utf_8[..], b"\x81]]%)"].concat();
    let garbled = [&utf_8[..], b"\xFF]C[x])"].concat();
    // In what may be text of each game, the next one lies.
    let games = b"(;EV[\xC2\xA0]\xA0)<".repeat(20_000);
    for (input, config) in [
        (games, Config::archives()),
        (node, repairing()),
        (white, repairing()),
        (hidden, by_character.clone()),
        (escaped.clone(), by_character.clone()),
        (escaped.clone(), either.clone()),
        (stray, either.clone()),
        (backslashes, either.clone()),
        (halves.clone(), by_character),
        (halves, either.clone()),
        (utf_8, either.clone()),
        (odd, either.clone()),
        (garbled, either.clone()),
    ] {
        let mut parser = Parser::with_config(config);
        let _ = parser.read_slice(&input, &mut Problems(0)).expect("lenient reading goes on");
        assert_eq!(parser.position().offset, input.len() as u64);
    }
    let paged = [&b"(;"[..], &page.repeat(8)].concat();
    for skipped in [paged, escaped] {
        let mut starts = GameStarts::with_config(&skipped[..], either.clone());
        while starts.nth(0).expect("a slice does not fail").is_some() {}
        assert_eq!(starts.position().offset, skipped.len() as u64);
    }
}

/// It cut a game with a header into one game a variation.
#[test]
fn a_move_without_an_end_costs_a_game_with_a_header_no_variation() {
    check_with(
        &capped(),
        "(;GM[1]PB[A];B[pd]\n(;W[dd\n(;B[aa])\n(;B[cc]))\n(;W[dp]))",
        "enter 0 d1 | node 1 | property 2 GM | value 5 \"1\" | property 7 PB | value 10 \"A\" | node 12 | property 13 B
         value 15 \"pd\" | enter 19@2:1 d2 | node 20@2:2 | property 21@2:3 W | ! unterminated-value 22@2:4..26
         enter 26@3:1 d3 | node 27@3:2 | property 28@3:3 B | value 30@3:5 \"aa\" | exit 33@3:8 d3
         enter 35@4:1 d3 sibling | node 36@4:2 | property 37@4:3 B | value 39@4:5 \"cc\" | exit 42@4:8 d3 | exit 43@4:9 d2
         enter 45@5:1 d2 sibling | node 46@5:2 | property 47@5:3 W | value 49@5:5 \"dp\" | exit 52@5:8 d2 | exit 53@5:9 d1",
    );
    let game = "(;FF[4]GM[1]SZ[19]PB[A]PW[B];B[pd]\n(;W[dd\n(;B[aa];W[bb])\n(;B[cc];W[ee]))\n(;W[dp];B[pp]))\n";
    assert_eq!(games(&capped(), game.repeat(3)).0, 3);
    // Whatever was asked about its root before.
    assert_eq!(games(&capped(), "(;FF[4]GM[1];B[aa](;PB[x]PW[y])\n(;W[cc\n(;W[dd])))").0, 1);
    // The root's own list of stones.
    assert_eq!(games(&capped(), "(;FF[4]GM[1]AB[aa][bb\n(;B[cc])\n(;B[dd]))").0, 1);
    // The tree has ended, and the game has not.
    let game = "(;FF[4]GM[1]SZ[19]PB[A]PW[B];B[pd]\n(;W[dd];B[aa)\n(;W[dp];B[pp])\n(;W[pp]))\n";
    assert_eq!(games(&capped(), game.repeat(3)).0, 3);
    // In a game without a header, or where the game has ended, the next tree may be another game.
    assert_eq!(games(&capped(), "(;GM[1]PB[A];B[aa])(;GM[1]PB[B];W[bb)\n(;B[cc])").0, 3);
    assert_eq!(games(&capped(), "(;B[aa];W[bb\n(;B[cc])\n(;B[dd]))").0, 3);
}

#[test]
fn a_lost_bracket_costs_its_value_alone() {
    check_with(
        &capped(),
        "(;SZ[9AB[aa][bb];B[cc\n;W[dd];B[ee]L[ff;W[gg])",
        "enter 0 d1 | node 1 | property 2 SZ | ! unterminated-value 4..6 | property 6 AB | value 9 \"aa\" | value 13 \"bb\"
         node 16 | property 17 B | ! unterminated-value 18..21 | node 22@2:1 | property 23@2:2 W | value 25@2:4 \"dd\"
         node 28@2:7 | property 29@2:8 B | value 31@2:10 \"ee\" | property 34@2:13 L | ! unterminated-value 35@2:14..38
         node 38@2:17 | property 39@2:18 W | value 41@2:20 \"gg\" | exit 44@2:23 d1",
    );
    // Up to 256 bytes.
    let value = |len: usize| format!("(;B[{};W[dd];B[ee])", "a".repeat(len));
    let given_up = |len| {
        let input = value(len);
        let records = compare_with(&capped(), input.as_bytes());
        records.iter().any(|record| record.to_string().starts_with("! unterminated-value"))
    };
    assert!(given_up(251) && !given_up(252));
    // What may be meant so is left alone.
    for game in ["(;B[aa;bb])", "(;LB[aa:x;y])", "(;B[aa;abc[bb])"] {
        assert_eq!(compare_with(&capped(), game.as_bytes()).len(), 5, "{game}");
    }
    // Read or skipped.
    let game = format!("(;GM[1]PB[A](;B[aa][bb){}\n(;W[cc])(;W[dd]))\n(;B[ee];W[ff])\n(;PB[C]B[gg])", " ".repeat(42));
    assert_eq!(games(&capped(), &game).0, 3);
    // However far the input goes on.
    for rest in [0, 100] {
        let input = format!("(;GM[1]PB[a];W[dd][ee(;B[aa]){}\n;B[bb])", "C[x]".repeat(rest));
        let records = compare_with(&capped(), input.as_bytes());
        assert_eq!(records.iter().filter(|record| record.to_string().starts_with("! unterminated")).count(), 1);
    }
}

/// One lost bracket made all variations behind it games.
#[test]
fn a_move_without_an_end_before_the_end_of_its_tree_ends_that() {
    check_with(
        &capped(),
        "(;GM[1]PB[A];B[aa]\n(;W[bb];B[cc)\n(;W[dd])(;W[ee(;B[ff])))\n(;GM[1]PB[B])",
        "enter 0 d1 | node 1 | property 2 GM | value 5 \"1\" | property 7 PB | value 10 \"A\" | node 12 | property 13 B
         value 15 \"aa\" | enter 19@2:1 d2 | node 20@2:2 | property 21@2:3 W | value 23@2:5 \"bb\" | node 26@2:8
         property 27@2:9 B | ! unterminated-value 28@2:10..31 | exit 31@2:13 d2 | enter 33@3:1 d2 sibling | node 34@3:2
         property 35@3:3 W | value 37@3:5 \"dd\" | exit 40@3:8 d2 | enter 41@3:9 d2 sibling | node 42@3:10
         property 43@3:11 W | ! unterminated-value 44@3:12..47 | enter 47@3:15 d3 | node 48@3:16 | property 49@3:17 B
         value 51@3:19 \"ff\" | exit 54@3:22 d3 | exit 55@3:23 d2 | exit 56@3:24 d1 | enter 58@4:1 d1 | node 59@4:2
         property 60@4:3 GM | value 63@4:6 \"1\" | property 65@4:8 PB | value 68@4:11 \"B\" | exit 70@4:13 d1",
    );
}

/// It took the next variation along.
#[test]
fn a_move_without_an_end_may_stand_right_before_the_next_variation() {
    let game = |lost: &str| format!("(;FF[4]GM[1]PB[a];B[aa](;W[bb];B[cc{lost}(;W[dd])(;W[ee]))\n(;FF[4]GM[1];B[aa])");
    let moves = |game: &str| {
        let records = compare_with(&capped(), game.as_bytes());
        records.iter().filter(|record| record.to_string().starts_with("value")).count()
    };
    assert_eq!(moves(&game("])")), 11);
    assert_eq!(moves(&game(")")), 10);
    assert_eq!(games(&capped(), game(")")).0, 2);
    assert_eq!(games(&capped(), "(;FF[4]GM[1]PB[a];B[aa](;B[bb](;W[cc))(;W[dd]))\n(;FF[4]GM[1];B[aa])").0, 2);
}

/// One stray byte lost a game, and made games of its variations.
#[test]
fn stray_bytes_before_the_first_node_lose_no_game() {
    check_with(
        &capped(),
        "x (\\;FF[4](;B[aa])(;B[bb]))\n(\u{FEFF};B[cc])",
        "! junk 0..2 | enter 2 d1 | ! illegal-bytes 3..4 | node 4 | property 5 FF | value 8 \"4\" | enter 10 d2 | node 11
         property 12 B | value 14 \"aa\" | exit 17 d2 | enter 18 d2 sibling | node 19 | property 20 B | value 22 \"bb\"
         exit 25 d2 | exit 26 d1 | enter 28@2:1 d1 | ! illegal-bytes 29@2:2..32 | node 32@2:5 | property 33@2:6 B
         value 35@2:8 \"cc\" | exit 38@2:11 d1",
    );
    // A damaged `;` of a header.
    assert_eq!(games(&capped(), "(:FF[4]GM[1];B[aa](;W[bb])(;W[cc]))").0, 1);
    for damage in ["9", "3", "]", "[", "a;", "9;", "};", "\u{FFFD}9\u{FFFD};"] {
        assert_eq!(games(&capped(), format!("({damage}GM[1]FF[4];B[aa](;W[bb])(;W[cc]))")).0, 1, "{damage}");
    }
    for junk in ["(see;PB[a]", "(1GM[1])", "(= ;", "(\\", "(\\B[aa])", "(\\;b[aa])", "(\\ FF)", "($ = ;)"] {
        assert_eq!(games(&capped(), junk).0, 0, "{junk}");
        assert_eq!(games(&capped(), format!("{junk}(;B[aa])")).0, 1, "{junk}");
    }
    assert_eq!(games(&Config::new(), "(\\;FF[4])").0, 0);
}

/// `GoGui` and Jago give each `;` a line of its own.
#[test]
fn what_begins_or_ends_each_line_hides_no_game() {
    for damage in ["<br>", "<BR />\r\n", "&nbsp;", "&#10;", "\nJS> ", "\n> JS> ", "\nJoe| ", "\n12: ", "\n     1\t"] {
        let game = "(~;~FF[4]~GM[1]~;~B[aa]~)".replace('~', damage);
        assert_eq!(games(&capped(), &game).0, 1, "{game:?}");
        assert_eq!(games(&Config::new(), &game).0, 0, "{game:?}");
        let moves = "(~;~B[aa]~)".replace('~', damage);
        assert_eq!(games(&capped(), &moves).0, 1, "{moves:?}");
    }
    check_with(
        &Config::archives(),
        "(\nJS> ;\n12: FF[4])",
        "enter 0 d1 | ! illegal-bytes 2@2:1..5 | node 6@2:5 | ! property-without-value 8@3:1..10 | property 8@3:1 12
         ! illegal-bytes 10@3:3..11 | property 12@3:5 FF | value 15@3:8 \"4\" | exit 17@3:10 d1",
    );
    for junk in ["(JS> ;FF[4])", "(\nJS ;FF[4])", "(\nJS> )", "(\n12: AB[aa])", "(\nLONGERNAME> ;FF[4])", "(<b>;FF[4])"]
    {
        assert_eq!(games(&capped(), junk).0, 0, "{junk}");
    }
    // A loop of a program.
    assert_eq!(games(&capped(), "for (\ni: ; a < b; c)").0, 0);
}

/// Dragon Go Server begins a game with `(` on a line of its own, and many keep games in JSON.
#[test]
fn line_ends_as_json_has_them_are_no_names() {
    check_with(
        &capped(),
        r#"{"sgf":"(\n;GM[1]FF[4]\nPB[a](\r\n;PW[b]AB[aa]\n[bb])\n(\n;PB[c]))"}"#,
        "! junk 0..8 | enter 8 d1 | ! illegal-bytes 9..11 | node 11 | property 12 GM | value 15 \"1\"
         property 17 FF | value 20 \"4\" | ! illegal-bytes 22..24 | property 24 PB | value 27 \"a\"
         enter 29 d2 | ! illegal-bytes 30..32 | ! illegal-bytes 32..34 | node 34 | property 35 PW | value 38 \"b\"
         property 40 AB | value 43 \"aa\" | ! illegal-bytes 46..48 | value 49 \"bb\" | exit 52 d2
         ! illegal-bytes 53..55 | enter 55 d2 sibling | ! illegal-bytes 56..58 | node 58 | property 59 PB | value 62 \"c\"
         exit 64 d2 | exit 65 d1 | ! junk 66..68",
    );
    // Without repairs, `n` is a name.
    check_with(
        &Config::new(),
        r"(;AB[aa]\n[bb])",
        "enter 0 d1 | node 1 | property 2 AB | value 5 \"aa\" | ! illegal-bytes 8..9 | ! lowercase-identifier 9..10
         property 9 n | value 11 \"bb\" | exit 14 d1",
    );
    for text in [r"(\\n;FF[4])", r"(\n;\nB[aa])", "(\n> ;\n> SZ[9])"] {
        assert_eq!(games(&capped(), text).0, 1, "{text}");
    }
}

/// A saved page would be listed with a game for each loop in its scripts.
#[test]
fn a_loop_of_a_program_is_no_game() {
    check_with(
        &capped(),
        "for(;;){x[i]}\nfor (;FF[4]GM[1];B[aa])",
        "! junk 0..18 | enter 18@2:5 d1 | node 19@2:6 | property 20@2:7 FF | value 23@2:10 \"4\"
         property 25@2:12 GM | value 28@2:15 \"1\" | node 30@2:17 | property 31@2:18 B | value 33@2:20 \"aa\" | exit 36@2:23 d1",
    );
    for junk in ["for(;", "for (;i<n;)", "for( ;e=t[n];)", "for(;E[ab0];)", "} for(;", "ffor(;)"] {
        assert_eq!(games(&capped(), junk).0, 0, "{junk}");
        assert_eq!(games(&capped(), format!("{junk}\n(;B[aa])")).0, 1, "{junk}");
        assert_eq!(games(&Config::new(), junk).0, 1, "{junk}");
    }
    for game in [
        "for\u{FEFF}(;)",
        "game for (;B[aa])",
        "for(; AB[tt])",
        "for(;SZ[19",
        "for(;W[];B[bb])",
        "fo(;)",
        "for  (;)",
        "form(;)",
        "for\n(;)",
        "fo r(;)",
    ] {
        assert_eq!(games(&capped(), game).0, 1, "{game}");
    }
}

/// Eighteen games of professionals were junk: their archive had lost the first byte of each.
#[test]
fn a_root_begins_a_game_that_has_lost_its_parenthesis() {
    check_with(
        &capped(),
        "\u{FEFF};FF[4]GM[1](;B[aa])(;B[bb]))\n;GM[1]PB[a])x",
        "enter 3 d1 implied | ! unopened-game 3..4 | node 3 | property 4 FF | value 7 \"4\"
         property 9 GM | value 12 \"1\" | enter 14 d2 | node 15 | property 16 B
         value 18 \"aa\" | exit 21 d2 | enter 22 d2 sibling | node 23 | property 24 B
         value 26 \"bb\" | exit 29 d2 | exit 30 d1 | enter 32@2:1 d1 implied
         ! unopened-game 32@2:1..33 | node 32@2:1 | property 33@2:2 GM | value 36@2:5 \"1\" | property 38@2:7 PB | value 41@2:10 \"a\" | exit 43@2:12 d1
         ! junk 44@2:13..45",
    );
    for game in [
        ";FF[4]GM[1];B[aa])",
        "(;B[aa])\n ;FF[4]GM[1])",
        "(;B[aa]);FF[4]GM[1])",
        "x\n;FF[4]GM[1]",
        ";;FF[4]GM[1])",
        ";EV[a]PW[b];B[aa])",
        // What has become of the `(` is any byte, or a few.
        "8;FF[4]GM[1])",
        "\u{FFFD};FF[4]GM[1])",
        "junk that is long\n*;FF[4]GM[1])",
        "(;B[aa])x;FF[4]GM[1])",
        "(;B[aa])\n*;FF[4]GM[1])",
        "x;PB[a]PW[b])",
        "();FF[4]GM[1])",
        "(A;FF[4]GM[1])",
        // Nor has it its `;`.
        "FF[4]GM[1];B[aa])",
        "(;B[aa])\nFF[4]GM[1];B[aa])",
    ] {
        assert_eq!(games(&capped(), game).0, 1 + usize::from(game.starts_with("(;")), "{game}");
    }
    for junk in [
        "\nin the middle of a line;FF[4]GM[1])",
        "long x;PB[a]PW[b])",
        "(;B[aa])\nx;PB[a]PW[b])",
        "x;FF[4];GM[1])",
        "e.g. ;FF[4]GM[1])",
        "# ;FF[4]GM[1])",
        "long junk\nwords;FF[4]GM[1])",
        ";AB[aa];W[bb])",
        "x ;B[aa];W[bb])",
        "AW[aa]AB[bb]",
        ";\n;\n",
        ";FF[4",
        ";C[FF[4]GM[1]",
    ] {
        assert_eq!(games(&capped(), junk).0, usize::from(junk.starts_with("(;")), "{junk}");
    }
    assert_eq!(games(&Config::new(), ";FF[4]GM[1];B[aa])").0, 0);
    // It has a header, so what begins where a bracket was lost is a variation.
    assert_eq!(games(&capped(), ";FF[4]GM[1]SZ[19];B[aa\n(;W[bb])(;W[cc]))").0, 1);
}

/// Or it has lost its beginning, and the file with it.
#[test]
fn a_game_goes_on_behind_a_parenthesis_too_many() {
    check_with(
        &capped(),
        "(;B[aa]);W[bb](;B[cc]));W[dd];B[ee])\n)",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"aa\" | exit 7 d1
         enter 8 d1 implied | ! unopened-game 8..9 | node 8 | property 9 W | value 11 \"bb\"
         enter 14 d2 | node 15 | property 16 B | value 18 \"cc\" | exit 21 d2 | exit 22 d1
         enter 23 d1 implied | ! unopened-game 23..24 | node 23 | property 24 W | value 26 \"dd\"
         node 29 | property 30 B | value 32 \"ee\" | exit 35 d1 | ! unmatched-close 37@2:1..38",
    );
    // In the middle of a node: what is left of that is junk.
    for node in ["C)[good]", "C[x])B[bb]", "AB)[aa][bb]AW[cc]"] {
        let input = format!("(;B[aa];{node};B[cc];W[dd])");
        assert_eq!(games(&capped(), &input).0, 2, "{input}");
    }
    for one in [
        "(;B[aa])s];B[lq];W[lj])",
        "(;B[aa])[a b];B[lq])",
        "(;B[aa])x;B[lq])",
        "(;B[aa]);C[see above]",
        "(;B[aa])\nI think;B[dd]",
    ] {
        assert_eq!(games(&capped(), one).0, 1, "{one}");
    }
    let far = "a".repeat(62);
    for (rest, expected) in [(&far[..], 1), (&far[1..], 2)] {
        assert_eq!(games(&capped(), format!("(;B[aa])C[{rest}];B[dd])")).0, expected);
    }
    for lost in [";B[aa];W[bb])", "a];W[bb])", "text];W[bb])", "[bb];B[cc])", "AB[aa][bb];W[cc])"] {
        assert_eq!(games(&capped(), lost).0, 1, "{lost}");
    }
    assert_eq!(games(&capped(), "\u{FEFF}\n; W[bb]").0, 1);
    assert_eq!(games(&Config::new(), "(;B[aa]);W[bb])").0, 1);
}

/// The text was read up to the first bracket of the next game's header, whose other properties then seemed to be its own node's.
#[test]
fn a_variation_whose_text_runs_into_the_next_game_begins_no_game() {
    let input = "(;GM[1]FF[4]PB[a];B[aa]\n(;B[cc]C[text tha(;GM[1]FF[4]PB[x];B[dd])";
    assert_eq!(games(&Config::archives(), input).0, 2);
    assert_eq!(games(&Config::archives(), input.replace("tha(", "tha\n(")).0, 2);
}
