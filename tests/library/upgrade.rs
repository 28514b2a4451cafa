//! Upgrading old versions of the format to FF[4]: requested conversions, and nothing else.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::ops::ControlFlow::{self, Break, Continue};

use proptest::prelude::*;
use sgf_stream::semantics::{Conversion, Upgrade};
use sgf_stream::{
    Deliver, Descend, Node, Part, Problem, Property, Reader, Step, Tree, TreeEnd, Value, Visitor, read_slice,
};

/// Writes events as SGF; parts are joined.
#[derive(Clone, Debug, Default)]
struct Written {
    text: String,
    deliver: Deliver,
    inside: bool,
    problems: usize,
}

impl Visitor for Written {
    type Break = Infallible;

    fn enter_tree(&mut self, _: Tree) -> ControlFlow<Infallible, Descend> {
        self.text.push('(');
        Continue(Descend::Into)
    }

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        self.text.push(';');
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.text += str::from_utf8(property.raw()).unwrap();
        Continue(self.deliver)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let _ = write!(self.text, "[{}]", String::from_utf8_lossy(value.raw()));
        Continue(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        if !self.inside {
            self.text.push('[');
        }
        self.text += &String::from_utf8_lossy(part.raw());
        self.inside = !part.is_last();
        if part.is_last() {
            self.text.push(']');
        }
        Continue(())
    }

    fn exit_tree(&mut self, _: TreeEnd) -> ControlFlow<Infallible> {
        self.text.push(')');
        Continue(())
    }

    fn problem(&mut self, _: &Problem) -> ControlFlow<Infallible> {
        self.problems += 1;
        Continue(())
    }
}

fn written(input: &str, upgrade: impl Fn(Written) -> Upgrade<Written>) -> String {
    let read = |deliver| {
        let mut upgrade = upgrade(Written { deliver, ..Written::default() });
        let _ = read_slice(input.as_bytes(), &mut upgrade).unwrap();
        upgrade.into_inner().text
    };
    let whole = read(Deliver::Whole);
    assert_eq!(read(Deliver::Parts), whole, "in parts, {input}");
    // Cut at every byte.
    let mut upgrade = upgrade(Written::default());
    let _ = Reader::new(input.as_bytes()).buffer_len(1).read(&mut upgrade).unwrap();
    assert_eq!(upgrade.into_inner().text, whole, "byte by byte, {input}");
    whole
}

/// What one conversion makes of a game, and that no other conversion changes it.
fn check(conversion: Conversion, input: &str, expected: &str) {
    assert_eq!(written(input, |it| Upgrade::new(it).with(conversion)), expected, "{input}");
    assert_eq!(written(input, |it| Upgrade::all(it).without(conversion)), input, "all but {conversion:?}");
    assert_eq!(written(input, Upgrade::new), input, "no conversion");
}

fn unchanged(conversion: Conversion, input: &str) {
    check(conversion, input, input);
}

/// libsgfc++: L becomes LB. The standard's page on old files does the same, with capital letters.
#[test]
fn letters_become_labels() {
    check(Conversion::Letters, "(;;L[fg][es][jk])", "(;;LB[fg:a][es:b][jk:c])");
    check(Conversion::Letters, "(;;L[aa]C[x]L[bb])", "(;;LB[aa:a]C[x]LB[bb:a])");
    check(Conversion::Letters, "(;;L[aa:bb][dd])", "(;;LB[aa:a][ab:b][ba:c][bb:d][dd:e])");
    // Neither value is a list of points.
    check(Conversion::Letters, "(;;L[dd:A][])", "(;;LB[dd:A][])");
    // Whole boards take seven bytes each, so only the first four become labels.
    let boards = written(&format!("(;;L{})", "[aa:ZZ]".repeat(1_000)), |it| Upgrade::new(it).with(Conversion::Letters));
    assert_eq!((boards.matches("[aa:ZZ]").count(), boards.matches('[').count()), (996, 996 + 4 * 52 * 52));
    let capital = written("(;;L[fg][es][jk])", |it| Upgrade::all(it).capital_letters());
    assert_eq!(capital, "(;;LB[fg:A][es:B][jk:C])");
}

#[test]
fn labels_continue_after_z() {
    let points: String = ('a'..='s').flat_map(|x| ('a'..='s').map(move |y| format!("[{x}{y}]"))).collect();
    let labels = written(&format!("(;;L{points})"), Upgrade::all);
    for label in ["[bg:z]", "[bh:aa]", "[bi:ab]", "[ss:mw]"] {
        assert!(labels.contains(label), "{label} in {labels}");
    }
}

/// Little Golem never writes GM, and what EV begins with is the game.
#[test]
fn passes_of_another_game_than_go_stay() {
    check(Conversion::Passes, "(;EV[go.ch.1]SO[littlegolem];B[tt])", "(;EV[go.ch.1]SO[littlegolem];B[])");
    unchanged(Conversion::Passes, "(;SO[littlegolem]EV[twixt.ch.1];B[tt])");
}

/// libsgfc++ and the user guide: M, from FF[1], is superseded by MA.
#[test]
fn marks_become_crosses() {
    check(Conversion::Marks, "(;;M[aa][bb:cc])", "(;;MA[aa][bb:cc])");
}

/// The standard's page on old files: two programs of FF[3] wrote the corners of a rectangle into VW as two points.
#[test]
fn two_corners_become_a_rectangle() {
    check(Conversion::View, "(;;VW[ba][db])", "(;;VW[ba:db])");
    check(Conversion::View, "(;;VW[db][ba]C[x])", "(;;VW[ba:db]C[x])");
    check(Conversion::View, "(;;VW[da][bb];(;))", "(;;VW[ba:db];(;))");
    check(Conversion::View, "(;;VW[cc][cc](;))", "(;;VW[cc](;))");
    for other in ["(;;VW[])", "(;;VW[aa])", "(;;VW[aa:ss])", "(;;VW[aa][bb][cc])", "(;;VW[aa][bb:cc])", "(;;VW[aa][?])"]
    {
        unchanged(Conversion::View, other);
    }
}

/// libsgfc++: `tt` passes on boards up to 19 by 19 and is a point of larger ones.
#[test]
fn tt_becomes_an_empty_move_if_it_is_a_pass() {
    check(Conversion::Passes, "(;SZ[19];B[tt];W[tt])", "(;SZ[19];B[];W[])");
    check(Conversion::Passes, "(;B[tt])", "(;B[])");
    check(Conversion::Passes, "(;b[tt])", "(;b[])");
    check(Conversion::Passes, "(;SZ[9];B[tt])(;SZ[21];B[tt])", "(;SZ[9];B[])(;SZ[21];B[tt])");
    check(Conversion::Passes, "(;GM[11];B[tt])(;GM[1];B[tt])", "(;GM[11];B[tt])(;GM[1];B[])");
    for other in ["(;SZ[20];B[tt])", "(;SZ[19:20];W[tt])", "(;AB[tt]C[tt];B[ts])", "(;GM[2];B[tt])", "(;B[])"] {
        unchanged(Conversion::Passes, other);
    }
}

/// Smart Game Board writes the komi in half points.
#[test]
fn integer_komi_becomes_komi() {
    for (ki, km) in [("11", "5.5"), ("12", "6"), ("0", "0"), ("-11", "-5.5"), ("1", "0.5"), ("what", "what"), ("", "")]
    {
        check(Conversion::Komi, &format!("(;KI[{ki}])"), &format!("(;KM[{km}])"));
    }
    unchanged(Conversion::Komi, "(;KM[11])");
    // A node has KM once, unless it comes behind.
    unchanged(Conversion::Komi, "(;KM[6.5]KI[11])");
    check(Conversion::Komi, "(;KI[11]KI[13];KM[6.5];KI[11])", "(;KM[5.5]KI[13];KM[6.5];KM[5.5])");
    check(Conversion::Komi, "(;KI[11]KM[6.5])", "(;KM[5.5]KM[6.5])");
}

/// HexWiki and the standard: lower-case letters in identifiers were allowed up to FF[3], and mean nothing.
#[test]
fn identifiers_lose_their_lower_case_letters() {
    check(Conversion::Names, "(;CoPyright[x]PlayerBlack[y];Black[qd])", "(;CP[x]PB[y];B[qd])");
    unchanged(Conversion::Names, "(;abc[x]MULTIGOGM[1])");
    let both = written("(;;Letters[aa]Mark[bb]KomiInteger[3])", Upgrade::all);
    assert_eq!(both, "(;;LB[aa:a]MA[bb]KM[1.5])");
    assert_eq!(written("(;;Letters[aa])", |it| Upgrade::new(it).with(Conversion::Letters)), "(;;LB[aa:a])");
}

#[test]
fn the_version_becomes_the_fourth() {
    for old in ["1", "2", "3"] {
        check(Conversion::Version, &format!("(;FF[{old}])"), "(;FF[4])");
    }
    for other in ["(;FF[4])", "(;FF[5])", "(;FF[])", "(;FF[x])", "(;SZ[19];FF[3])", "(;C[x])"] {
        unchanged(Conversion::Version, other);
    }
}

/// Pentobi: colors had names before version 0.2, and numbers in two-player Callisto of 12.0.
#[test]
fn names_of_colors_become_those_of_the_variant() {
    for (variant, old, new) in [
        ("Blokus", ";BLUE[a1];YELLOW[a2];RED[a3];GREEN[a4]", ";1[a1];2[a2];3[a3];4[a4]"),
        ("Blokus Two-Player", ";BLUE[a1];GREEN[a4]", ";1[a1];4[a4]"),
        ("Blokus Duo", ";BLUE[a1];GREEN[a4]", ";B[a1];W[a4]"),
        ("Callisto Two-Player", "P1[x];1[a1]1L[3];2[a2];A1[b1]", "PB[x];B[a1]BL[3];W[a2];AB[b1]"),
        ("Callisto", "P1[x];1[a1]1L[3];2[a2];A1[b1]", "P1[x];1[a1]1L[3];2[a2];A1[b1]"),
        ("1", ";BLUE[aa];1[bb]", ";BLUE[aa];1[bb]"),
    ] {
        let game = |moves| format!("(;FF[4]GM[{variant}]{moves})");
        check(Conversion::BlokusNames, &game(old), &game(new));
    }
}

/// Pentobi: a move was a list of points before version 0.3.
#[test]
fn the_points_of_a_piece_become_one_move() {
    check(
        Conversion::BlokusMoves,
        "(;GM[Blokus];1[a17][b17][a18];B[x];AB[a1][b2])",
        "(;GM[Blokus];1[a17,b17,a18];B[x];AB[a1][b2])",
    );
    check(
        Conversion::BlokusMoves,
        "(;FF[4]GM[Blokus Duo];B[e8][e9](;W[f1][f2]))",
        "(;FF[4]GM[Blokus Duo];B[e8,e9](;W[f1,f2]))",
    );
    unchanged(Conversion::BlokusMoves, "(;GM[Blokus Duo];B[e8,e9])");
    unchanged(Conversion::BlokusMoves, "(;GM[1];B[aa][bb]1[aa][bb])(;GM[x];1[aa][bb])");
    check(Conversion::BlokusMoves, "(;GM[Blokus Duo];b[e8][e9])", "(;GM[Blokus Duo];b[e8,e9])");
    assert_eq!(written("(;GM[Blokus];BLUE[a1][a2]RED[b1][b2])", Upgrade::all), "(;GM[Blokus];1[a1,a2]3[b1,b2])");
}

#[test]
fn a_list_too_long_for_a_piece_is_not_joined() {
    let long = "x".repeat(1000);
    unchanged(Conversion::BlokusMoves, &format!("(;GM[Blokus];1[{long}][a1])"));
    let joined = written(&format!("(;GM[Blokus];1[a1][a2][{long}][a3][a4])"), Upgrade::all);
    assert_eq!(joined, format!("(;GM[Blokus];1[a1,a2][{long}][a3][a4])"));
}

#[test]
fn a_game_without_a_version_is_old() {
    let convert = |input| written(input, |it| Upgrade::all(it).without(Conversion::Version));
    assert_eq!(convert("(;FF[3];L[aa])(;FF[4];L[aa])(;;L[aa])"), "(;FF[3];LB[aa:a])(;FF[4];L[aa])(;;LB[aa:a])");
    let every = written("(;FF[4];L[aa]B[tt])", |it| Upgrade::all(it).in_every_version());
    assert_eq!(every, "(;FF[4];LB[aa:a]B[])");
}

/// Breaks at every event that may end a list.
struct Stopping(Written);

impl Visitor for Stopping {
    type Break = ();

    fn node(&mut self, node: Node) -> ControlFlow<(), Step> {
        let _ = self.0.node(node);
        Break(())
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<(), Deliver> {
        let _ = self.0.property(property);
        Break(())
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
        let _ = self.0.value(value);
        Break(())
    }
}

#[test]
fn a_visitor_that_breaks_receives_everything_on_resuming() {
    let input = b"(;SZ[9];VW[aa][bb]L[aa:ab];B[tt]VW[aa][bb][cc](;))";
    let mut upgrade = Upgrade::all(Stopping(Written::default()));
    let mut parser = sgf_stream::Parser::new();
    let mut stops = 0;
    while parser.feed(&input[parser.position().offset as usize..], &mut upgrade).unwrap().is_break() {
        stops += 1;
    }
    while parser.finish(&mut upgrade).unwrap().is_break() {}
    assert!(stops > 10);
    assert_eq!(upgrade.into_inner().0.text, ";SZ[9];VW[aa:bb]LB[aa:a][ab:b];B[]VW[aa][bb][cc];");
}

#[test]
fn a_visitor_that_skips_values_gets_upgraded_identifiers() {
    let mut upgrade = Upgrade::all(Written { deliver: Deliver::Skip, ..Written::default() });
    let _ = read_slice(b"(;FF[3]SZ[9];L[aa]B[tt]VW[aa][bb])", &mut upgrade).unwrap();
    assert_eq!(upgrade.into_inner().text, "(;FFSZ;LBBVW)");
}

/// Keeps the values whose bytes stand in the source, and the others.
struct Stands<'a>(&'a [u8], Vec<String>, Vec<String>);

impl Visitor for Stands<'_> {
    type Break = Infallible;

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let raw = String::from_utf8_lossy(value.raw()).into_owned();
        match value.span() {
            Some(span) => {
                assert_eq!(&self.0[span.start as usize..span.end as usize], value.raw());
                self.1.push(raw);
            }
            None => self.2.push(raw),
        }
        Continue(())
    }
}

#[test]
fn a_converted_value_has_no_span() {
    let stands = |input: &str| {
        let mut upgrade = Upgrade::all(Stands(input.as_bytes(), Vec::new(), Vec::new()));
        let _ = read_slice(input.as_bytes(), &mut upgrade).unwrap();
        let Stands(_, as_they_stand, converted) = upgrade.into_inner();
        (as_they_stand.join(" "), converted.join(" "))
    };
    let found = stands("(;FF[3]GM[1]SZ[9]KI[11];L[fg][es]VW[aa][bb];W[aa]VW[cc];B[tt]VW[ab][bc][dd]C[x])");
    assert_eq!(found, ("1 9 aa cc ab bc dd x".to_owned(), "4 5.5 fg:a es:b aa:bb ".to_owned()));
    let found = stands("(;GM[Blokus Duo];1[a1][a2];2[c1];1[d1])");
    assert_eq!(found, ("Blokus Duo c1 d1".to_owned(), "a1,a2".to_owned()));
}

const OLD: &[&str] =
    &["L[aa]", "M[bb]", "KI[11]", "VW[aa][bb]", "B[tt]", "CoPyright[x]", "(;", ")", ";", "C[a]", "x", "[cc]"];

proptest! {
    #[test]
    fn games_of_ff4_are_not_changed(pieces in prop::collection::vec(prop::sample::select(OLD), 0..30)) {
        let input = format!("(;FF[4]GM[1]SZ[19]{})", pieces.concat());
        // Between games there is no version.
        prop_assume!(sgf_stream::events(input.as_bytes()).filter(|it| matches!(it, Ok(sgf_stream::Event::Enter(tree)) if tree.depth() == 1)).count() == 1);
        prop_assert_eq!(written(&input, Upgrade::all), written(&input, Upgrade::new));
    }

    #[test]
    fn upgrading_twice_is_upgrading_once(pieces in prop::collection::vec(prop::sample::select(OLD), 0..30)) {
        let input = format!("(;FF[3]{})", pieces.concat());
        let once = written(&input, |it| Upgrade::all(it).in_every_version());
        let twice = written(&once, |it| Upgrade::all(it).in_every_version());
        prop_assert_eq!(twice, once);
    }
}
