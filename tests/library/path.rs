//! Paths of nodes in a tree that is never built.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::ops::ControlFlow::{self, Continue};

use sgf_stream::record::{GameRecord, Recorder, Wants};
use sgf_stream::semantics::{AfterVariation, OnMainLine, Path, PathVisitor, Paths, Settled};
use sgf_stream::{Deliver, Node, Part, Property, Step, Value, Visitor, read_slice};

const CWI: AfterVariation = AfterVariation::FirstChild;
const SGFC: AfterVariation = AfterVariation::LastChild;

/// Shows nodes as `number<parent.variation`, with `!` on the main line and `?` while that is open; `+1..3` and `-1..3` when
/// these nodes turn out to be on it, or not.
#[derive(Default)]
struct Shown {
    text: String,
    moves: Vec<u64>,
    depths: Vec<u64>,
    values: Vec<String>,
    /// Skips the rest of the game at this node.
    leaves_at: Option<u64>,
    last: u64,
    deliver: Deliver,
}

impl Visitor for Shown {
    type Break = Infallible;

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        Continue(if self.leaves_at == Some(self.last) { Step::SkipGame } else { Step::Read })
    }

    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        Continue(self.deliver)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.values.push(value.simple_text().into_owned());
        Continue(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        assert!(part.is_last());
        self.values.push(String::from_utf8_lossy(part.raw()).into_owned());
        Continue(())
    }
}

impl PathVisitor for Shown {
    fn path(&mut self, path: Option<Path>) {
        let Some(path) = path else {
            self.text.push_str("none ");
            return;
        };
        self.last = path.node;
        self.moves.push(path.move_number);
        self.depths.push(path.depth);
        let line = match path.main_line {
            OnMainLine::Yes => "!",
            OnMainLine::UnlessFollowed => "?",
            _ => "",
        };
        let parent = path.parent.map_or("root".to_owned(), |it| it.to_string());
        let _ = write!(self.text, "{}<{parent}.{}{line} ", path.node, path.variation);
    }

    fn settled(&mut self, it: Settled) {
        let sign = if it.followed { '-' } else { '+' };
        let _ = write!(self.text, "{sign}{}..{} ", it.nodes.start, it.nodes.end);
    }
}

fn shown(input: &str, reading: AfterVariation) -> Shown {
    let mut paths = Paths::new(Shown::default(), reading);
    let _ = read_slice(input.as_bytes(), &mut paths).unwrap();
    paths.into_inner()
}

fn check(input: &str, reading: AfterVariation, expected: &str) {
    assert_eq!(shown(input, reading).text.trim_end(), expected, "{input} by {reading:?}");
}

#[test]
fn one_line_is_the_main_line_in_both_readings() {
    for reading in [CWI, SGFC] {
        check("(;A[];B[];C[])", reading, "0<root.0! 1<0.0! 2<1.0!");
        check("(;)(;;)", reading, "0<root.0! 0<root.0! 1<0.0!");
    }
}

#[test]
fn readings_of_standard_variations_differ_only_in_when_they_are_settled() {
    let game = "(;A[](;B[];C[](;D[])(;E[]))(;F[];G[]))";
    check(game, SGFC, "0<root.0! 1<0.0! 2<1.0! 3<2.0! 4<2.1 5<0.1 6<5.0");
    check(game, CWI, "0<root.0! 1<0.0? 2<1.0? 3<2.0? 4<2.1 5<0.1 6<5.0 +1..7");
}

/// In a game of the CWI notes the moves go on after a variation in the middle. SGFC reads them as one more variation.
#[test]
fn a_node_after_a_variation_is_the_first_child_or_the_last() {
    let game = "(;A[](;N[Diagram 1];B[pf])(;X[]);B[pm];W[om])";
    check(game, SGFC, "0<root.0! 1<0.0! 2<1.0! 3<0.1 4<0.2 5<4.0");
    check(game, CWI, "0<root.0! 1<0.0? 2<1.0? 3<0.1 -1..4 4<0.0! 5<4.0!");
}

/// A, B, C with alternatives to each: the two spellings that the CWI notes show side by side.
#[test]
fn both_spellings_of_the_cwi_notes_have_the_same_main_line() {
    let nested = shown("(;N[root](;A[](;B[](;C[])(;E[])(;F[]))(;G[])(;H[]))(;I[])(;J[]))", CWI).text;
    assert_eq!(nested.trim_end(), "0<root.0! 1<0.0? 2<1.0? 3<2.0? 4<2.1 5<2.2 6<1.1 7<1.2 8<0.1 9<0.2 +1..10");
    let flat = shown("(;N[root](;I[])(;J[]);A[](;G[])(;H[]);B[](;E[])(;F[]);C[])", CWI).text;
    assert_eq!(
        flat.trim_end(),
        "0<root.0! 1<0.0? 2<0.1 -1..3 3<0.0! 4<3.0? 5<3.1 -4..6 6<3.0! 7<6.0? 8<6.1 -7..9 9<6.0!"
    );
}

#[test]
fn a_fork_within_a_variation_is_settled_with_it() {
    check("(;A[](;B[](;C[]);D[]))", CWI, "0<root.0! 1<0.0? 2<1.0? -2..3 3<1.0? +1..4");
    check("(;A[](;B[](;C[]);D[]);E[])", CWI, "0<root.0! 1<0.0? 2<1.0? -2..3 3<1.0? -1..4 4<0.0!");
    // Variation numbers can also change off the main line.
    check("(;A[](;B[])(;C[](;D[]);E[]))", CWI, "0<root.0! 1<0.0? 2<0.1 3<2.0 -3..4 4<2.0 +1..5");
}

#[test]
fn damaged_trees_have_paths() {
    // A tree without a node is transparent: its children count as variations.
    check("(;A[]((;B[])(;C[]))(;D[]))", SGFC, "0<root.0! 1<0.0! 2<0.1 3<0.2");
    // The CWI notes want an empty variation to be legal: the game ends there, and a sibling is a variation.
    check("(;A[]()(;B[]))", SGFC, "0<root.0! 1<0.1");
    check("(;A[]()(;B[]))", CWI, "0<root.0! 1<0.1 +1..2");
    check("(;A[]();B[])", CWI, "0<root.0! 1<0.0!");
    check("(;A[](;B[]", CWI, "0<root.0! 1<0.0? +1..2");
    check("(;A[]((;B[]);C[]))", CWI, "0<root.0! 1<0.0? -1..2 2<0.0? +1..3");
}

#[test]
fn moves_and_depth_count_along_the_path() {
    for reading in [CWI, SGFC] {
        let it = shown("(;SZ[19];B[pd];C[no move];W[dd](;B[pp];W[])(;AB[aa];B[dp]))", reading);
        assert_eq!(it.moves, [1, 1, 2, 2, 3, 4, 3, 3]);
        assert_eq!(it.depths, [0, 1, 2, 3, 4, 5, 4, 5]);
    }
    assert_eq!(shown("(;A[];B[pd](;W[dd];B[pp]);W[dp];B[qq])", CWI).moves, [1, 1, 2, 3, 2, 3]);
    assert_eq!(shown("(;GM[Blokus];1[a1,a2];2[t1];3[t20];4[a20];1[b3])", CWI).moves, [1, 1, 2, 3, 4, 5]);
}

/// The number of the last move, as its path and as its record has it.
#[test]
fn paths_and_records_count_the_same_moves() {
    for (game, expected) in [
        ("(;GM[21];r[aa];b[bb];r[cc])", 3),
        ("(;GM[1]SZ[19];1[aa];1[bb];B[cc])", 1),
        ("(;1[aa];GREEN[bb])", 0),
        ("(;GM[Blokus];1[a1];BLUE[b1][b2];B[c1])", 3),
        ("(;GM[what];1[a1];w[bb])", 2),
        ("(;GM[11];B[a1];W[swap-sides];B[resign])", 3),
        ("(;B[];W[tt])", 2),
        ("(;SO[http://www.littlegolem.com]EV[connect6.ch.1];R[aa];B[bb];W[cc])", 3),
        ("(;EV[go.ch.1]SO[http://www.littlegolem.com];R[aa];B[bb];W[cc])", 2),
    ] {
        let it = shown(&format!("{};)", &game[..game.len() - 1]), SGFC);
        assert_eq!(it.moves.last(), Some(&(expected + 1)), "{game}");
        let mut records = Vec::new();
        let mut recorder = Recorder::new(Wants::ALL, |record: &GameRecord| {
            records.push((record.moves().unwrap(), record.line().count() as u64));
            Continue::<Infallible>(())
        });
        let _ = read_slice(game.as_bytes(), &mut recorder).unwrap();
        assert_eq!(records, [(expected, expected)], "{game}");
    }
}

#[test]
fn a_visitor_gets_what_is_read_for_the_path_as_it_asked() {
    let game = b"(;GM[Blokus];1[a1][resign];2[resign][b1]MN[x];1[c1];)";
    let all = ["Blokus", "a1", "resign", "resign", "b1", "x", "c1"].map(str::to_owned);
    for (deliver, values) in [(Deliver::Whole, &all[..]), (Deliver::Parts, &all), (Deliver::Skip, &[])] {
        let mut paths = Paths::new(Shown { deliver, ..Shown::default() }, SGFC);
        let _ = read_slice(game, &mut paths).unwrap();
        let it = paths.into_inner();
        assert_eq!((&it.values[..], &it.moves[..]), (values, &[1, 1, 2, 3, 4][..]), "{deliver:?}");
    }
}

#[test]
fn the_file_may_number_moves_itself() {
    for game in ["(;;B[aa]MN[30];W[bb];B[cc])", "(;;MN[30]B[aa];W[bb];B[cc])", "(;;MN[30];W[bb];B[cc])"] {
        let it = shown(game, SGFC);
        assert_eq!(it.moves, [1, 1, 31, 32], "{game}");
        assert!(it.values.contains(&"30".to_owned()), "{game}");
    }
    assert_eq!(shown("(;;MN[x]B[aa];MN[-4]W[bb];B[cc])", SGFC).moves, [1, 1, 2, 3]);
    let mut paths = Paths::new(Shown { deliver: Deliver::Skip, ..Shown::default() }, SGFC);
    let _ = read_slice(b"(;;MN[30]B[aa];W[bb])", &mut paths).unwrap();
    assert_eq!(paths.into_inner().moves, [1, 1, 31], "for a visitor that skips values");
}

/// In `ConHex` R is the second player; elsewhere it is nobody.
#[test]
fn moves_of_red_are_numbered() {
    assert_eq!(shown("(;FF[CONHEX];B[J3];R[H5];B[I6])(;FF[4];B[aa];R[x];B[bb])", SGFC).moves, [1, 1, 2, 3, 1, 1, 2, 2]);
    // Only the root says which game it is.
    assert_eq!(shown("(;;FF[CONHEX]B[J3];R[H5];B[I6])", SGFC).moves, [1, 1, 2, 2]);
}

#[test]
fn the_main_line_of_a_skipped_game_stays_open() {
    let mut paths = Paths::new(Shown { leaves_at: Some(1), ..Shown::default() }, CWI);
    let _ = read_slice(b"(;A[](;B[];C[]);D[])(;A[])", &mut paths).unwrap();
    assert_eq!(paths.into_inner().text.trim_end(), "0<root.0! 1<0.0? 0<root.0!");
}

#[test]
fn trees_beyond_the_bound_are_read_without_paths() {
    let game = "(;A[](;B[](;C[](;D[]))(;E[]);F[])(;G[]))";
    for (bound, expected) in [
        (0, "none none none none none none none"),
        (1, "0<root.0! none none none none none none"),
        (2, "0<root.0! 1<0.0! none none none 5<1.0! 6<0.1"),
        (3, "0<root.0! 1<0.0! 2<1.0! none 4<1.1 5<1.2 6<0.1"),
    ] {
        let mut paths = Paths::new(Shown::default(), SGFC).bounded(bound);
        let _ = read_slice(game.as_bytes(), &mut paths).unwrap();
        assert_eq!(paths.into_inner().text.trim_end(), expected, "{bound}");
    }
}

#[test]
fn a_visitor_in_a_box_gets_its_paths() {
    let game = "(;A[](;B[])(;C[]);D[])";
    let mut inner = Shown::default();
    let boxed: Box<dyn PathVisitor<Break = Infallible> + '_> = Box::new(&mut inner);
    let mut paths = Paths::new(boxed, CWI);
    let _ = read_slice(game.as_bytes(), &mut paths).unwrap();
    drop(paths);
    assert_eq!(inner.text, shown(game, CWI).text);
}
