//! Properties of every input: of generated trees, damaged games and arbitrary bytes.

use std::path::Path;
use std::sync::LazyLock;
use std::{env, fs};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use sgf_stream::{Event, Limits, events};

use crate::support::{Rng, bytes_alone, compare, compare_with};

/// Bytes with a meaning in SGF, weighted by importance.
const ALPHABET: &[u8] = b"()()(;;[][]\\\\:ABCab19 \n\r\t%\xEF\xBB\xBF\xE5\x5D";

/// Pieces with a meaning, so that sequences of several bytes are more frequent.
const PIECES: &[&[u8]] = &[
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b":",
    b" ",
    b"\n",
    b"\r",
    b"\r\n",
    b"(;",
    b"B[",
    b"aa]",
    b"[aa]",
    b";W[dd]",
    b"FF",
    b"CoP",
    b"abc",
    b"1",
    b"%",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"\xE5\x5D",
    b"\xE7\xA2\x81",
    b"\0",
    b"()",
    b"( ",
    b") ",
    b"ABCDEFGHIJKLMNOPQ",
    b"ABCDEFGHIJKLMNOP",
    b"aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeF",
    b"abcdefghijklmnopqrstuvwxyzabcdefg",
    b"\t",
    b"BL[12.3]",
    b";B[pd]WL[60]OB[5]",
];

/// Moves in sequence as in real games, with and without clocks.
const MOVES: &[&[u8]] = &[b";B[pd];W[dd]C[x]", b";B[pd]BL[123.4]OB[5];W[dd]WL[9];B[aa]"];

/// This many cases, or `PROPTEST_CASES`.
fn config(cases: u32) -> ProptestConfig {
    let cases = env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(16_000))]

    #[test]
    fn bytes_in_any_order_read_as_the_oracle_reads_them(input in vec(select(ALPHABET), 0..60)) {
        compare(&input);
    }

    #[test]
    fn bytes_in_any_order_inside_a_game_do_too(input in vec(select(ALPHABET), 0..40)) {
        compare(&[b"(;", input.as_slice()].concat());
    }

    #[test]
    fn pieces_in_any_order_do_too(input in vec(select(PIECES), 0..24)) {
        compare(&input.concat());
    }

    #[test]
    fn pieces_in_any_order_inside_a_game_do_too(input in vec(select(PIECES), 0..16)) {
        compare(&[b"(;", input.concat().as_slice()].concat());
    }

    #[test]
    fn moves_with_changes_between_do_too(
        moves in select(MOVES),
        count in 0..30_usize,
        changes in vec((any::<prop::sample::Index>(), select(PIECES), 0..4_usize), 0..4),
    ) {
        let mut input = moves.iter().copied().cycle().take(6 * count).collect::<Vec<u8>>();
        input.splice(0..0, *b"(;");
        for (at, piece, cut) in changes {
            let at = at.index(input.len() + 1);
            let end = (at + cut).min(input.len());
            input.splice(at..end, piece.iter().copied());
        }
        compare(&input);
    }

    #[test]
    fn all_bytes_do_too(input in vec(any::<u8>(), 0..60)) {
        compare(&[b"(;C", input.as_slice()].concat());
    }
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn inputs_of_many_blocks_read_as_the_oracle_reads_them(input in vec(select(PIECES), 60..300)) {
        compare(&[b"(;", input.concat().as_slice()].concat());
    }
}

prop_compose! {
    /// Limits so small that most inputs exceed some.
    fn narrow()(
        value in select(vec![0_usize, 1, 2, 5, 1 << 20]),
        depth in select(vec![0_u64, 1, 2, 3, u64::MAX]),
        node in select(vec![0_u64, 1, 2, u64::MAX]),
        values in select(vec![0_u64, 1, 2, u64::MAX]),
        game in select(vec![0_u64, 1, 3, 10, 20, 50, 80, u64::MAX]),
        problems in select(vec![1_u64, 2, u64::MAX]),
    ) -> Limits {
        let mut limits = Limits::new();
        limits.value = value;
        limits.depth = depth;
        limits.node_properties = node;
        limits.property_values = values;
        limits.game = game;
        limits.problems = problems;
        limits
    }
}

proptest! {
    #![proptest_config(config(8_000))]

    #[test]
    fn every_cut_and_face_agrees_within_any_limits(limits in narrow(), input in vec(select(PIECES), 0..20)) {
        compare_with(&bytes_alone().limits(limits), &[b"(;", input.concat().as_slice()].concat());
    }

    #[test]
    fn limits_that_nothing_exceeds_change_nothing(input in vec(select(PIECES), 0..20)) {
        let input = [b"(;", input.concat().as_slice()].concat();
        let most = input.len();
        let mut limits = Limits::new();
        (limits.value, limits.depth, limits.node_properties, limits.property_values, limits.game, limits.problems) =
            (most, most as u64, most as u64, most as u64, most as u64, 2 * most as u64);
        let bounded = compare_with(&bytes_alone().limits(limits), &input);
        prop_assert_eq!(bounded, compare_with(&bytes_alone(), &input));
    }
}

/// A game tree, built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tree {
    nodes: Vec<Vec<Property>>,
    children: Vec<Tree>,
}

/// An identifier, and values as in the source.
type Property = (Vec<u8>, Vec<Vec<u8>>);

fn identifier() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof!["[A-Z]{1,2}", "[A-Z][a-z]{0,8}[A-Z][a-z]{0,8}", "[0-9]{1,2}[A-Z]?", "[A-Z]{3,16}", "[a-z]{1,6}"]
        .prop_map(String::into_bytes)
}

/// Arbitrary bytes and text-like bytes. Where necessary, and sometimes elsewhere, they are escaped.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let texts = vec(select(b"ab [](;):\\]\\\r\n\t\xE7\xA2\x81\xE9\xA6\x5B".as_slice()), 0..24);
    let point = "[a-s]{2}".prop_map(String::into_bytes);
    (prop_oneof![texts, vec(any::<u8>(), 0..12), point], any::<u64>()).prop_map(|(bytes, seed)| {
        let mut rng = Rng::new(seed);
        let mut raw = Vec::new();
        for byte in bytes {
            if matches!(byte, b'\\' | b']') || rng.one_in(16) {
                raw.push(b'\\');
            }
            raw.push(byte);
        }
        raw
    })
}

fn tree() -> impl Strategy<Value = Tree> {
    let property = (identifier(), vec(value(), 1..4));
    let nodes = vec(vec(property, 0..4), 1..4).boxed();
    let leaf = nodes.clone().prop_map(|nodes| Tree { nodes, children: Vec::new() });
    leaf.prop_recursive(4, 24, 4, move |inner| {
        (nodes.clone(), vec(inner, 0..4)).prop_map(|(nodes, children)| Tree { nodes, children })
    })
}

/// Writes a tree, with white space wherever it is allowed.
fn write(tree: &Tree, rng: &mut Rng, out: &mut Vec<u8>) {
    let gap = |rng: &mut Rng, out: &mut Vec<u8>| {
        for _ in 0..rng.below(6).saturating_sub(3) {
            out.push(b" \t\n\x0B\x0C\r"[rng.below(6)]);
        }
    };
    out.push(b'(');
    for node in &tree.nodes {
        gap(rng, out);
        out.push(b';');
        for (identifier, values) in node {
            gap(rng, out);
            out.extend_from_slice(identifier);
            for value in values {
                gap(rng, out);
                out.push(b'[');
                out.extend_from_slice(value);
                out.push(b']');
            }
        }
    }
    for child in &tree.children {
        gap(rng, out);
        write(child, rng, out);
    }
    gap(rng, out);
    out.push(b')');
}

/// Builds the trees of an input from its events.
fn build(input: &[u8]) -> Vec<Tree> {
    let mut games = Vec::new();
    let mut open: Vec<Tree> = Vec::new();
    for event in events(input) {
        match event.expect("lenient reading goes on") {
            Event::Enter(_) => open.push(Tree::default()),
            Event::Node(_) => open.last_mut().expect("in a tree").nodes.push(Vec::new()),
            Event::Property(property) => {
                let node = open.last_mut().and_then(|tree| tree.nodes.last_mut()).expect("in a node");
                node.push((property.raw().to_vec(), Vec::new()));
            }
            Event::Value(value) => {
                let node = open.last_mut().and_then(|tree| tree.nodes.last_mut()).expect("in a node");
                node.last_mut().expect("of a property").1.push(value.raw().to_vec());
            }
            Event::Exit(_) => {
                let tree = open.pop().expect("balanced");
                open.last_mut().map_or(&mut games, |parent| &mut parent.children).push(tree);
            }
            // A lower-case identifier is read as a property and reported. Problems of text change nothing.
            Event::Problem(problem) if (200..300).contains(&problem.number()) => {}
            Event::Problem(problem) => assert_eq!(problem.name(), "lowercase-identifier"),
            other => panic!("{other:?} is new"),
        }
    }
    games
}

/// Events in document order, without positions and problems.
fn outline(input: &[u8]) -> Vec<String> {
    let outline = events(input).filter_map(|event| match event.expect("lenient reading goes on") {
        Event::Enter(tree) => Some(format!("enter {} {}", tree.depth(), tree.is_first_child())),
        Event::Node(node) => Some(format!("node {}", node.is_after_variation())),
        Event::Property(property) => Some(format!("property {}", property.raw().escape_ascii())),
        Event::Value(value) => Some(format!("value {}", value.raw().escape_ascii())),
        Event::Exit(end) => Some(format!("exit {}", end.depth())),
        _ => None,
    });
    outline.collect()
}

/// Writes the events as plain SGF.
fn rewrite(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for event in events(input) {
        match event.expect("lenient reading goes on") {
            Event::Enter(_) => out.push(b'('),
            Event::Node(_) => out.push(b';'),
            Event::Property(property) => {
                out.push(b' ');
                out.extend_from_slice(property.raw());
            }
            Event::Value(value) => {
                out.push(b'[');
                out.extend_from_slice(value.raw());
                out.push(b']');
            }
            Event::Exit(_) => out.push(b')'),
            _ => {}
        }
    }
    out
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn written_trees_read_back(games in vec(tree(), 1..3), seed in any::<u64>()) {
        let mut input = Vec::new();
        for game in &games {
            write(game, &mut Rng::new(seed), &mut input);
        }
        prop_assert_eq!(&build(&input), &games, "{}", input.escape_ascii());
        compare(&input);
    }
}

proptest! {
    #![proptest_config(config(8_000))]

    #[test]
    fn events_written_as_sgf_read_as_the_same_events(input in vec(select(PIECES), 0..40)) {
        let input = input.concat();
        // Input that begins like UTF-16 is an error for readers that do not recode.
        prop_assume!(events(&input).all(|event| event.is_ok()));
        let again = rewrite(&input);
        let before = outline(&input);
        // Two things cannot be written: a game recognised only by an identifier that is too long, and a lower-case
        // identifier whose value is cut off by the end of input.
        let plain = |pair: &[String]| match pair[0].strip_prefix("property ") {
            Some(name) => !name.bytes().all(|byte| byte.is_ascii_lowercase()) || pair[1].starts_with("value"),
            None => !pair[0].starts_with("enter 1 ") || pair[1].starts_with("node"),
        };
        prop_assume!(before.windows(2).all(plain));
        prop_assert_eq!(before, outline(&again), "{} as {}", input.escape_ascii(), again.escape_ascii());
    }
}

/// Real games: the small files of the project, and a few lines that are always there.
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut seeds: Vec<Vec<u8>> = [
        &b"(;FF[4]GM[1]SZ[19]CA[UTF-8]AP[CGoban:3]PB[Kato Masao]PW[Cho Chikun]RE[B+3.5]\r\n;B[pd];W[dd]\r\n;W[dp])"[..],
        b"(;GM[1]AB[dd][pd][dp]\n(;W[nc](;B[qf])(;B[jd]C[A \\[good\\] move: \\\nhere]))(;W[fc]))",
        b"(;FF[3]\nCoPyright[x]GaMe[1]SiZe[9]\n;Black[ee];White[ge]\n\n;Black[])\n\n(;GM[11])",
        "\u{FEFF}(;GM[1]PB[加藤 正夫]PW[趙 治勲]C[é – ñ];B[qd])".as_bytes(),
        b"(;GM[1]CA[gb18030]PB[\xB9\xC5\xC1\xA6]C[\xE5\x5D\xA6\x5C\x5D])",
        b"(;A[1](;B[2](;C[3]))(;D[4];E[5](;F[6])(;G[7]));H[8](;I[9]))",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    for folder in ["cases", "pro"] {
        let Ok(entries) = fs::read_dir(corpora.join(folder)) else { continue };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        let files = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "sgf")).take(200);
        seeds.extend(files.filter_map(|path| fs::read(path).ok()).filter(|bytes| bytes.len() < 2_000));
    }
    seeds
});

/// A stretch of a real game, of at most `most` bytes.
fn stretch(rng: &mut Rng, most: usize) -> Vec<u8> {
    let seed = &SEEDS[rng.below(SEEDS.len())];
    let start = if rng.one_in(2) { 0 } else { rng.below(seed.len() + 1) };
    let end = (start + 1 + rng.below(most)).min(seed.len());
    seed[start..end].to_vec()
}

/// Damage as caused by transfers, editors and programs.
fn damage(rng: &mut Rng) -> Vec<u8> {
    let most = if rng.one_in(4) { 2_000 } else { 150 };
    let mut game = stretch(rng, most);
    for _ in 0..rng.below(6) {
        let a = rng.below(game.len() + 1);
        let b = (a + rng.below(12)).min(game.len());
        match rng.below(6) {
            0 => drop(game.drain(a..b)),
            1 => game.truncate(a),
            2 => {
                let piece = PIECES[rng.below(PIECES.len())];
                game.splice(a..b, piece.iter().copied());
            }
            3 => {
                let other = stretch(rng, 60);
                game.splice(a..a, other);
            }
            4 => {
                let copy = game[a..b].to_vec();
                game.splice(a..a, copy);
            }
            _ => {
                if let Some(byte) = game.get_mut(a) {
                    *byte = rng.next().to_le_bytes()[0];
                }
            }
        }
    }
    game
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn damaged_games_read_as_the_oracle_reads_them(seed in any::<u64>()) {
        compare(&damage(&mut Rng::new(seed)));
    }
}
