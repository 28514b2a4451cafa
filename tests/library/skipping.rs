//! What visitors skip and what they still receive: skipped trees, games and values, values in parts, `MainLine` and `Filter`.
//!
//! `check` tests, for every input and every opportunity, that skipping does not change what follows.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::text::EscapeUnit;
use sgf_stream::{
    Batcher, Charsets, Config, Deliver, Event, Filter, Ident, Limits, MainLine, Parser, Part, Property, Reader,
    TreeEnd, Value, Visitor, events,
};

use crate::support::texts::auto;
use crate::support::{Lines, Plan, Record, Recorder, Rng, assert_text, check_answering, compare, compare_with, read};

fn answering(plan: Plan, input: &[u8], expected: &str) {
    check_answering(&Config::new(), plan, input, expected);
}

const FORKED: &[u8] = b"(;B[a](;W[b];B[c](;W[)]))(;W[d]))(;)";

#[test]
fn over_skips_a_tree_up_to_its_exit() {
    answering(Plan::Over(0), FORKED, "enter 0 d1 | exit 32 d1 | enter 33 d1 | node 34 | exit 35 d1");
    answering(
        Plan::Over(1),
        FORKED,
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | enter 6 d2 | exit 24 d2
         enter 25 d2 sibling | node 26 | property 27 W | value 29 \"d\" | exit 31 d2 | exit 32 d1
         enter 33 d1 | node 34 | exit 35 d1",
    );
}

#[test]
fn skip_tree_skips_the_rest_of_the_nodes_tree() {
    answering(
        Plan::SkipTree(1),
        FORKED,
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | enter 6 d2 | node 7 | exit 24 d2
         enter 25 d2 sibling | node 26 | property 27 W | value 29 \"d\" | exit 31 d2 | exit 32 d1
         enter 33 d1 | node 34 | exit 35 d1",
    );
    answering(
        Plan::SkipTree(2),
        FORKED,
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | enter 6 d2 | node 7 | property 8 W | value 10 \"b\"
         node 12
         exit 24 d2
         enter 25 d2 sibling | node 26 | property 27 W | value 29 \"d\" | exit 31 d2 | exit 32 d1
         enter 33 d1 | node 34 | exit 35 d1",
    );
    answering(Plan::SkipTree(0), FORKED, "enter 0 d1 | node 1 | exit 32 d1 | enter 33 d1 | node 34 | exit 35 d1");
}

#[test]
fn skip_game_skips_the_rest_of_the_game_and_open_trees_exit() {
    answering(
        Plan::SkipGame(2),
        FORKED,
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | enter 6 d2 | node 7 | property 8 W | value 10 \"b\"
         node 12
         exit 24 d2 | exit 32 d1 | enter 33 d1 | node 34 | exit 35 d1",
    );
}

#[test]
fn an_implied_node_can_be_skipped_like_any_other() {
    let input = b"(;(B[a]C[b])(;))";
    let expected = "enter 0 d1 | node 1 | enter 2 d2 | ! missing-semicolon 3..4 | node 3 implied | exit 11 d2";
    answering(
        Plan::SkipTree(1),
        input,
        &format!("{expected} | enter 12 d2 sibling | node 13 | exit 14 d2 | exit 15 d1"),
    );
    answering(Plan::SkipGame(1), input, &format!("{expected} | exit 15 d1"));
    answering(Plan::SkipGame(0), b"(B)", "! junk 0..3");
    answering(Plan::SkipGame(0), b"(B[])", "enter 0 d1 | ! missing-semicolon 1..2 | node 1 implied | exit 4 d1");
}

#[test]
fn brackets_and_escapes_count_in_skipped_bytes() {
    for inside in ["C[)]", "C[\\])]", "C[\\\\](;)", "%)]"] {
        let input = format!("(;{inside});");
        if inside.starts_with('%') {
            // Outside a value a parenthesis counts, even between illegal bytes.
            answering(Plan::Over(0), input.as_bytes(), "enter 0 d1 | exit 3 d1 | ! junk 4..7");
            continue;
        }
        let exit = 2 + inside.len();
        let junk = exit + 1;
        answering(
            Plan::Over(0),
            input.as_bytes(),
            &format!("enter 0 d1 | exit {exit} d1 | ! junk {junk}..{}", junk + 1),
        );
    }
}

#[test]
fn of_skipped_bytes_only_an_unclosed_tree_is_reported() {
    answering(Plan::Over(0), b"(;%[x]b(())))", "enter 0 d1 | exit 11 d1 | ! unmatched-close 12..13");
    for tail in ["", ";", "[", "[\\", "%", "B", "()"] {
        let input = format!("(;({tail}");
        let end = input.len();
        let ends = format!("! unclosed-tree {end}..{end} | exit {end} d1 implicit");
        answering(Plan::Over(0), input.as_bytes(), &format!("enter 0 d1 | {ends}"));
        answering(Plan::SkipTree(0), input.as_bytes(), &format!("enter 0 d1 | node 1 | {ends}"));
        answering(Plan::SkipGame(0), input.as_bytes(), &format!("enter 0 d1 | node 1 | {ends}"));
    }
}

#[test]
fn properties_are_delivered_without_their_skipped_values() {
    answering(
        Plan::NoValues,
        b"(;B[a][b]C[]%[x])",
        "enter 0 d1 | node 1 | property 2 B | property 9 C | ! illegal-bytes 12..13 | ! value-without-property 13..16
         exit 16 d1",
    );
}

#[test]
fn a_skipped_value_without_an_end_is_an_unexpected_eof() {
    answering(
        Plan::NoValues,
        b"(;B[a\\]",
        "enter 0 d1 | node 1 | property 2 B | ! unexpected-eof 3..7 | ! unclosed-tree 7..7 | exit 7 d1 implicit",
    );
}

/// The parts of all values, each with whether it is the last.
struct Parts(Vec<(Vec<u8>, bool)>);

impl Visitor for Parts {
    type Break = Infallible;

    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        ControlFlow::Continue(Deliver::Parts)
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        self.0.push((part.raw().to_vec(), part.is_last()));
        ControlFlow::Continue(())
    }
}

fn parts(chunks: &[&[u8]]) -> Vec<(Vec<u8>, bool)> {
    let mut parts = Parts(Vec::new());
    // With raw charsets nothing is held back until the charset is known.
    let mut parser = Parser::with_config(Config::new().charsets(Charsets::Raw));
    for chunk in chunks {
        assert!(parser.feed(chunk, &mut parts).is_ok());
    }
    assert!(parser.finish(&mut parts).is_ok());
    parts.0
}

#[test]
fn an_empty_value_is_one_empty_last_part() {
    assert_eq!(parts(&[b"(;C[])"]), [(Vec::new(), true)]);
    assert_eq!(parts(&[b"(;C[", b"])"]), [(Vec::new(), true)]);
}

#[test]
fn parts_come_with_their_chunk_and_join() {
    let got = parts(&[b"(;C[abc", b"def", b"ghi])"]);
    assert!(got.len() > 1, "a value of three chunks came in one part");
    assert_eq!(got.concat_raw(), b"abcdefghi");
    assert!(got.split_last().is_some_and(|(last, before)| last.1 && before.iter().all(|part| !part.1)));
}

trait Joined {
    fn concat_raw(&self) -> Vec<u8>;
}

impl Joined for Vec<(Vec<u8>, bool)> {
    fn concat_raw(&self) -> Vec<u8> {
        self.iter().flat_map(|(raw, _)| raw).copied().collect()
    }
}

#[test]
fn escapes_line_breaks_and_characters_are_not_split() {
    for unit in ["\\]", "\\\\", "\r\n", "\n\r", "\\\r\n", "\\\n\r", "é", "碁", "𝄞", "\\碁"] {
        for cut in 1..unit.len() {
            let (left, right) = unit.as_bytes().split_at(cut);
            let got = parts(&[b"(;C[a", left, right, b"b])"]);
            let mut at = 0;
            for (raw, _) in &got {
                at += raw.len();
                assert!(at <= 1 || at > unit.len(), "{unit:?} cut at {cut} was split: {got:?}");
            }
            assert_eq!(got.concat_raw(), format!("a{unit}b").as_bytes());
        }
    }
}

#[test]
fn undecodable_bytes_are_not_held_back_for_ever() {
    let got = parts(&[b"(;C[\xE7", b"\xE7", b"\xA2", b"x", b"\xFF", b"y", b"\xF0\x9D", b"])"]);
    assert_eq!(got.concat_raw(), b"\xE7\xE7\xA2x\xFFy\xF0\x9D");
    assert!(got.len() > 3, "{got:?}");
}

/// What a visitor behind `MainLine` receives. An iterator with that filter also shows variations, as empty trees.
fn main_line<'a>(records: &[Record<'a>], shows_variations: bool) -> Vec<Record<'a>> {
    let mut left = Vec::new();
    let mut depth = 0;
    // The depth of the skipped tree, and whether its exit is delivered.
    let mut over = None;
    for record in records {
        if let Some((until, exit_is_shown)) = over {
            match record {
                Record::Exit { depth: at, .. } if *at == until => {
                    if exit_is_shown {
                        left.push(*record);
                    }
                    over = None;
                    depth -= 1;
                }
                _ if record.problem().is_some_and(|kind| kind.name() == "unclosed-tree") => left.push(*record),
                _ => {}
            }
            continue;
        }
        match record {
            Record::Enter { first_child: false, depth: at, .. } => {
                over = Some((*at, shows_variations));
                depth += 1;
                if shows_variations {
                    left.push(*record);
                }
                continue;
            }
            Record::Node { after_variation: true, .. } => {
                over = Some((depth, true));
                continue;
            }
            Record::Enter { .. } => depth += 1,
            Record::Exit { .. } => depth -= 1,
            _ => {}
        }
        left.push(*record);
    }
    left
}

/// What an iterator of root nodes gives.
fn root_nodes<'a>(records: &[Record<'a>]) -> Vec<Record<'a>> {
    let mut left = Vec::new();
    let (mut depth, mut nodes, mut over) = (0, 0, false);
    for record in records {
        if over {
            match record {
                Record::Exit { depth: at, .. } if *at == depth => {
                    depth -= 1;
                    over = depth > 0;
                    left.push(*record);
                }
                _ if record.problem().is_some_and(|kind| kind.name() == "unclosed-tree") => left.push(*record),
                _ => {}
            }
            continue;
        }
        match record {
            Record::Enter { depth: at, .. } => {
                depth = *at;
                if depth == 1 {
                    nodes = 0;
                }
            }
            Record::Node { .. } => {
                nodes += 1;
                if nodes > 1 {
                    over = true;
                    continue;
                }
            }
            Record::Exit { .. } => depth -= 1,
            _ => {}
        }
        left.push(*record);
    }
    left
}

fn text(records: &[Record<'_>]) -> String {
    records.iter().map(Record::to_string).collect::<Vec<_>>().join("\n")
}

/// An event, printed like a record.
fn line(event: &Event<'_>) -> String {
    match event {
        Event::Enter(it) => {
            let (first_child, implied) = (it.is_first_child(), it.is_implied());
            Record::Enter { at: it.position(), depth: it.depth(), first_child, implied }.to_string()
        }
        Event::Node(it) => {
            let (implied, after_variation) = (it.is_implied(), it.is_after_variation());
            Record::Node { at: it.position(), implied, after_variation }.to_string()
        }
        Event::Property(it) => Record::Property { at: it.position(), raw: it.raw() }.to_string(),
        Event::Value(it) => Record::Value { at: it.position(), raw: it.raw() }.to_string(),
        Event::Exit(it) => {
            Record::Exit { at: it.position(), depth: it.depth(), implicit: it.is_implicit() }.to_string()
        }
        Event::Problem(it) => Record::Problem { kind: it.kind(), at: it.position(), len: it.span().len() }.to_string(),
        _ => panic!("{event:?} is new"),
    }
}

fn filtered(filter: &Filter, input: &[u8], cuts: &[usize]) -> String {
    let whole: Vec<String> =
        events(input).filtered(filter.clone()).map(|event| line(&event.expect("lenient reading goes on"))).collect();
    let mut batcher = Batcher::new().filtered(filter.clone());
    let mut pieces = Vec::new();
    let mut from = 0;
    for &to in cuts.iter().chain([&input.len()]) {
        pieces.extend(batcher.feed(&input[from..to]).map(|event| line(&event.expect("lenient reading goes on"))));
        from = to;
    }
    pieces.extend(batcher.finish().map(|event| line(&event.expect("lenient reading goes on"))));
    assert_eq!(whole, pieces, "events and Batcher, cut at {cuts:?}, of {}", input.escape_ascii());
    whole.join("\n")
}

#[test]
fn what_is_inside_an_adapter_is_there_where_reading_stops() {
    /// Stops at the end of each game.
    #[derive(Default)]
    struct Moves(Vec<String>);

    impl Visitor for Moves {
        type Break = ();

        fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
            self.0.push(value.simple_text().into_owned());
            ControlFlow::Continue(())
        }

        fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
            if end.depth() == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    let mut line = MainLine::new(Moves::default());
    let mut reader = Reader::new(FORKED);
    assert!(reader.read(&mut line).unwrap().is_break());
    assert_eq!(line.inner().0, ["a", "b", "c", ")"]);
    line.inner_mut().0.clear();
    assert!(reader.read(&mut line).unwrap().is_break());
    assert!(line.into_inner().0.is_empty());
}

fn by_main_line(input: &[u8], cuts: &[usize]) -> String {
    let mut adapter = MainLine::new(Recorder::new(input));
    let mut parser = Parser::new();
    let mut from = 0;
    for &to in cuts.iter().chain([&input.len()]) {
        assert!(parser.feed(&input[from..to], &mut adapter).is_ok());
        from = to;
    }
    assert!(parser.finish(&mut adapter).is_ok());
    text(&adapter.into_inner().records)
}

#[test]
fn the_main_line_follows_first_children() {
    let mut adapter = MainLine::new(Recorder::new(FORKED));
    assert!(Parser::new().read_slice(FORKED, &mut adapter).is_ok());
    assert_text(
        FORKED,
        &adapter.into_inner().records,
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | enter 6 d2 | node 7 | property 8 W | value 10 \"b\"
         node 12
         property 13 B | value 15 \"c\" | enter 17 d3 | node 18 | property 19 W | value 21 \")\" | exit 23 d3
         exit 24 d2
         exit 32 d1 | enter 33 d1 | node 34 | exit 35 d1",
    );
}

#[test]
fn a_main_line_begins_anew_where_an_input_was_given_up() {
    let (given_up, input) = (b"(;B[aa](;W[bb])(;W[cc]", b"(;B[dd](;W[ee]))");
    let mut adapter = MainLine::new(Recorder::new(given_up));
    let mut parser = Parser::new();
    assert!(parser.feed(given_up, &mut adapter).is_ok());
    parser.reset();
    *adapter.inner_mut() = Recorder::new(input);
    assert!(parser.feed(input, &mut adapter).is_ok());
    assert_text(
        input,
        &adapter.into_inner().records,
        "enter 0 d1 | node 1 | property 2 B | value 4 \"dd\" | enter 7 d2 | node 8 | property 9 W | value 11 \"ee\"
         exit 14 d2 | exit 15 d1",
    );
}

#[test]
fn a_node_after_a_variation_is_not_in_the_main_line() {
    let input = b"(;A[](;B[]);C[](;D[]))";
    let mut adapter = MainLine::new(Recorder::new(input));
    assert!(Parser::new().read_slice(input, &mut adapter).is_ok());
    assert_text(
        input,
        &adapter.into_inner().records,
        "enter 0 d1 | node 1 | property 2 A | value 4 \"\" | enter 5 d2 | node 6 | property 7 B | value 9 \"\"
         exit 10 d2
         ! node-after-variation 11..12 | exit 21 d1",
    );
}

#[test]
fn an_iterator_shows_variations_as_an_enter_and_an_exit() {
    let filter = Filter::new().main_line_only(true);
    let got = filtered(&filter, b"(;A[](;B[])(;C[](;)))", &[7]);
    assert_eq!(
        got.replace('\n', " | "),
        "enter 0 d1 | node 1 | property 2 A | value 4 \"\" | enter 5 d2 | node 6 | property 7 B | value 9 \"\" | \
         exit 10 d2 | enter 11 d2 sibling | exit 19 d2 | exit 20 d1"
    );
}

#[test]
fn an_iterator_of_root_nodes_shows_the_header_of_each_game() {
    let filter = Filter::new().root_node_only(true);
    let got = filtered(&filter, b"(;A[];B[](;C[]))(;D[](;E[]))", &[7]);
    assert_eq!(
        got.replace('\n', " | "),
        "enter 0 d1 | node 1 | property 2 A | value 4 \"\" | exit 15 d1 | \
         enter 16 d1 | node 17 | property 18 D | value 20 \"\" | enter 21 d2 | exit 26 d2 | exit 27 d1"
    );
}

#[test]
fn an_iterator_of_some_values_shows_all_properties() {
    let filter = Filter::new().values_of([Ident::PW]).values_of([Ident::PB]);
    let got = filtered(&filter, b"(;PB[a]C[b]PlayerWhite[c][d])", &[5]);
    assert_eq!(
        got.replace('\n', " | "),
        "enter 0 d1 | node 1 | property 2 PB | value 5 \"a\" | property 7 C | property 11 PlayerWhite=PW | \
         value 23 \"c\" | value 26 \"d\" | exit 28 d1"
    );
}

#[test]
fn a_reset_batcher_begins_with_a_root_node() {
    let mut batcher = Batcher::new().filtered(Filter::new().root_node_only(true));
    assert_eq!(batcher.feed(b"(;A[]").count(), 4);
    batcher.reset();
    let got: Vec<String> =
        batcher.feed(b"(;B[];").map(|event| line(&event.expect("lenient reading goes on"))).collect();
    assert_eq!(got, ["enter 0 d1", "node 1", "property 2 B", "value 4 \"\""]);
}

#[test]
fn adapters_and_filters_handle_damage_like_plain_visitors() {
    const PIECES: &[&[u8]] =
        &[b"(", b")", b";", b"(;", b"(;", b")", b"B[a]", b"C", b"[b]", b"[", b"]", b"%", b"abc", b" ", b"\n", b"\\"];
    let mut rng = Rng::new(7);
    for _ in 0..3_000 {
        let mut input = b"(;".to_vec();
        for _ in 0..rng.below(24) {
            input.extend_from_slice(PIECES[rng.below(PIECES.len())]);
        }
        let mut cuts = [rng.below(input.len() + 1), rng.below(input.len() + 1)];
        cuts.sort_unstable();
        let lines = Lines::of(&input);
        let records = read(&input, &lines).records;
        let shown = input.escape_ascii();

        assert_eq!(by_main_line(&input, &cuts), text(&main_line(&records, false)), "MainLine, {shown}");
        let filter = Filter::new().main_line_only(true);
        assert_eq!(filtered(&filter, &input, &cuts), text(&main_line(&records, true)), "main line only, {shown}");
        let filter = Filter::new().root_node_only(true);
        assert_eq!(filtered(&filter, &input, &cuts), text(&root_nodes(&records)), "root node only, {shown}");
    }
}

/// A text property was once still in mind behind a skipped tree, glued to what came next where a chunk ended.
#[test]
fn a_property_ends_with_its_tree_when_skipped() {
    let config = Config::new().repair_brackets(true);
    for input in ["(;(B]9)N[!](])", "(;(;N[a];)[!](])"] {
        compare_with(&config, input.as_bytes());
    }
}

/// Where a label ends was once taken for settled by the look that had found it; and a property behind an identifier that is too
/// long did not begin the root.
#[test]
fn labels_are_passed_like_any_value() {
    let inputs: [&[u8]; 5] = [
        b"(;FF[4]CA[GBK\xA1](]GM[1])",
        b"(;CA[GBK\xA1](;]))",
        b"\xA6(CA[\xA6\\])(Big5]",
        b"(TOOLONGIDENTIFIER[]C[\xA6\\])C[];CA[Big5]",
        b"(TOOLONGIDENTIFIER[]PB[a])C[];CA[Big5]",
    ];
    for config in [Config::archives(), auto()] {
        for input in inputs {
            compare_with(&config, input);
        }
    }
}

#[test]
fn a_list_goes_on_behind_line_ends_as_json_has_them() {
    let mut limits = Limits::new();
    limits.property_values = 1;
    compare_with(&Config::archives().limits(limits), br"(C[][]\n[b])]");
    compare_with(&Config::archives(), format!(r"(;C[a]{} [b [c] ) d];B[aa])(;B[bb])", r"\n".repeat(33)).as_bytes());
}

/// Skipping does not know what is guessed, so brackets were counted otherwise.
#[test]
fn brackets_of_a_text_in_a_guessed_charset_are_counted_by_byte() {
    let config = Config::archives().escape_unit(EscapeUnit::Byte);
    for input in [&b"(N[\xB9\xC5[];[\xA6](])\xFF;B[]"[..], b"(PB[\x90[])\"]"] {
        compare_with(&config, input);
    }
}

#[test]
fn long_stretches_are_skipped_correctly() {
    // Longer than any block of the scanner, with escapes and brackets at every offset in one.
    for shift in 0..70 {
        let fill = "x".repeat(shift);
        let body = "C[\\](;[\\\\](;W[a\\]b])(;)[y\\\\\\]]".repeat(9);
        compare(format!("(;C[{fill}]{body}(;{body}({fill};)))(;){fill}").as_bytes());
    }
}
