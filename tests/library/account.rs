//! `AccountingParser`: every input byte is counted once, in hand-written cases and in random input.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use crate::fuzz_replay::account::account as property;
use crate::fuzz_replay::properties::Control;
use crate::support::{Wide, corpora};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use sgf_stream::text::Charset;
use sgf_stream::{
    AccountingParser, ByteAccount, Config, Deliver, Descend, Limits, Node, Parser, Property, Step, Tree, Visitor,
};

/// Takes values in parts; the flags make it skip something instead.
#[derive(Clone, Copy, Default)]
struct Reads {
    skips_values: bool,
    over: bool,
    skips_game: bool,
}

impl Visitor for Reads {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        ControlFlow::Continue(if self.over && tree.depth() > 1 { Descend::Over } else { Descend::Into })
    }

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        ControlFlow::Continue(if self.skips_game { Step::SkipGame } else { Step::Read })
    }

    fn property(&mut self, _: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        ControlFlow::Continue(if self.skips_values { Deliver::Skip } else { Deliver::Parts })
    }
}

fn account_of(config: &Config, mut visitor: Reads, input: &[u8], chunk: usize) -> ByteAccount {
    let mut parser = AccountingParser::with_config(config.clone());
    for chunk in input.chunks(chunk) {
        let _ = parser.feed(chunk, &mut visitor).unwrap();
    }
    let _ = parser.finish(&mut visitor).unwrap();
    parser.account()
}

/// `values 2, brackets 4, ...`, without the zeros.
fn shown(account: &ByteAccount) -> String {
    let figures = account.figures().map(|(name, bytes)| (name.to_owned(), bytes));
    let skipped = account.skipped().map(|(kind, bytes)| (kind.to_string(), bytes));
    let rows: Vec<_> =
        figures.chain(skipped).filter(|row| row.1 > 0).map(|(name, bytes)| format!("{name} {bytes}")).collect();
    rows.join(", ")
}

#[track_caller]
fn check(config: &Config, visitor: Reads, input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    for chunk in [1, 2, 3, 7, input.len().max(1)] {
        let account = account_of(config, visitor, input, chunk);
        assert_eq!(shown(&account), expected, "in chunks of {chunk}");
        assert!(account.is_balanced(), "{account:?}");
        assert_eq!(account.bytes, input.len() as u64);
    }
}

#[test]
fn bytes_are_counted_by_kind_of_token() {
    check(
        &Config::new(),
        Reads::default(),
        "\u{FEFF} (;AB[aa][bb]C[a \\] b];W[cc]\n(;)\t())",
        "values 12, brackets 8, identifiers 4, nodes 3, trees 6, white_space 3, marks 3",
    );
    check(&Config::new(), Reads::default(), "", "");
}

#[test]
fn skipped_bytes_are_counted_by_problem() {
    check(
        &Config::new(),
        Reads::default(),
        "<html> (;B[pd]&&;W[dd][ee) ",
        "values 4, brackets 4, identifiers 2, nodes 2, trees 1, junk 7, illegal-bytes 2, unexpected-eof 5",
    );
    // A value that never closes counts as lost, although its parts were delivered.
    check(&Config::new(), Reads::default(), "(;C[no end", "identifiers 1, nodes 1, trees 1, unexpected-eof 7");
}

#[test]
fn an_abandoned_value_is_uncounted() {
    check(
        &Config::new().resync(true),
        Reads::default(),
        "(;FF[4]GM[1]C[cut \n(;FF[4]GM[1])",
        "values 4, brackets 8, identifiers 9, nodes 2, trees 3, unterminated-value 6",
    );
}

#[test]
fn what_the_visitor_skips_counts_as_passed_over() {
    let input = "(;B[pd] [dd] ;C[x](;W[aa])(;)) (;)";
    let over = Reads { over: true, ..Reads::default() };
    check(
        &Config::new(),
        over,
        input,
        "values 5, brackets 6, identifiers 2, nodes 3, trees 8, white_space 3, passed_over 7",
    );
    let skips_values = Reads { skips_values: true, ..Reads::default() };
    check(&Config::new(), skips_values, input, "identifiers 3, nodes 5, trees 8, white_space 1, passed_over 17");
    // An escaped line end does not end the property.
    check(
        &Config::new().resync(true),
        skips_values,
        "(;C[x]\\n[cc]",
        "identifiers 1, nodes 1, trees 1, passed_over 7, illegal-bytes 2",
    );
    let skips_game = Reads { skips_game: true, ..Reads::default() };
    check(&Config::new(), skips_game, input, "nodes 2, trees 4, white_space 1, passed_over 27");
}

#[test]
fn bytes_of_problems_over_the_limit_count_as_unreported() {
    let mut limits = Limits::new();
    limits.problems = 1;
    check(
        &Config::new().limits(limits),
        Reads::default(),
        "(;&& % %)x (;&)",
        "nodes 2, trees 4, white_space 3, unreported 3, illegal-bytes 3",
    );
}

#[test]
fn values_over_a_limit_are_counted_whatever_their_length() {
    let words = "a b ".repeat(50_000);
    let input = format!("(;AB[aa]{}  \n ;)", format!("[{words}]").repeat(3));
    let mut limits = Limits::new();
    limits.property_values = 1;
    limits.value = 10;
    let expected = "values 2, brackets 2, identifiers 2, nodes 2, trees 2, white_space 4, limit-values 600006";
    for chunk in [1, 4096, input.len()] {
        let account = account_of(&Config::new().limits(limits.clone()), Reads::default(), input.as_bytes(), chunk);
        assert_eq!(shown(&account), expected);
    }
}

#[test]
fn a_recoded_source_is_counted_in_source_bytes() {
    let text = "\u{FEFF}(;C[\u{56E0}\u{574A}];B[aa]) \n junk";
    for charset in [Charset::UTF_16LE, Charset::UTF_16BE] {
        let wide = Wide::new(text, charset);
        check(
            &Config::new(),
            Reads::default(),
            &wide.source,
            "values 8, brackets 8, identifiers 4, nodes 4, trees 4, white_space 6, marks 2, junk 8",
        );
    }
    let japanese = b"(;C[\x1B$B0x\x1B(B]\x1B$B0x\x1B(B)";
    check(
        &Config::new(),
        Reads::default(),
        japanese,
        "values 2, brackets 2, identifiers 1, nodes 1, trees 2, marks 12, illegal-bytes 2",
    );
}

#[test]
fn unreported_bytes_of_a_recoded_source_are_counted_in_source_bytes() {
    let mut limits = Limits::new();
    limits.problems = 0;
    check(
        &Config::new().limits(limits),
        Reads::default(),
        Wide::new("(;)因 因x(;", Charset::UTF_16LE).source,
        "nodes 4, trees 6, white_space 2, unreported 6",
    );
}

#[test]
fn the_account_ends_where_strict_reading_does() {
    let mut parser = AccountingParser::with_config(Config::new().strict(true));
    assert!(parser.feed(b"(;B[aa] && ;W[bb])", &mut Reads::default()).is_err());
    let account = parser.account();
    let expected = "values 2, brackets 2, identifiers 1, nodes 1, trees 1, white_space 1, illegal-bytes 2";
    assert_eq!((shown(&account).as_str(), account.bytes), (expected, 10));
    assert!(parser.feed(b"(;)", &mut Reads::default()).is_err());
    assert_eq!(parser.account(), account);
}

#[test]
fn what_a_parser_says_of_its_place_an_accounting_one_says_too() {
    for input in [b"(;AB[aa][b".to_vec(), Wide::new("(;AB[aa]C[因", Charset::UTF_16LE).source] {
        for len in 1..input.len() {
            let (mut parser, mut accounting) = (Parser::new(), AccountingParser::new());
            for chunk in input.chunks(len) {
                let _ = parser.feed(chunk, &mut Reads::default()).unwrap();
                let _ = accounting.feed(chunk, &mut Reads::default()).unwrap();
                assert_eq!(
                    (accounting.offset(), accounting.position(), accounting.delivered()),
                    (parser.offset(), parser.position(), parser.delivered())
                );
            }
        }
        let mut whole = AccountingParser::new();
        let _ = whole.read_slice(&input, &mut Reads::default()).unwrap();
        assert_eq!(whole.account(), account_of(&Config::new(), Reads::default(), &input, 1));
        assert!(whole.account().is_balanced());
    }
}

#[test]
fn accounts_add_up() {
    let mut sum = ByteAccount::default();
    for input in [&b"(;B[aa])x"[..], b"y(;)"] {
        sum += &account_of(&Config::new(), Reads::default(), input, 3);
    }
    assert_eq!(shown(&sum), "values 2, brackets 2, identifiers 1, nodes 2, trees 4, junk 2");
    assert_eq!(sum.bytes, 13);
}

/// Pieces of input that are accounted for in different ways.
const PIECES: &[&[u8]] = &[
    b"(;",
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"B[aa]",
    b"C[",
    b"W",
    b"abc",
    b"CoPyright",
    b"AB[aa][bb]",
    b"\\",
    b"\\]",
    b" ",
    b"\n",
    b"\r\n",
    b"\x0B",
    b"&&",
    b"\0",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"\xA0",
    b"junk",
    b"(;FF[4]GM[1]SZ[9]",
    b"\n(;FF[4]GM[1]",
    b"(FF[4]",
    b"CA[GBK]",
    b"CA[Big5]",
    b"CA[UTF-8]",
    b"\xB0\x5D",
    b"\xA6\x5C\x5D",
    b"\xE5\x9B\xA0",
    b"N[a [b] c]",
    b"ABCDEFGHIJKLMNOPQ[x][y] [z]",
    b"PB[x\n(;GM[1]FF[4]",
];

/// Pieces in any order, and now and then random bytes.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![9 => select(PIECES).prop_map(<[u8]>::to_vec), 1 => vec(any::<u8>(), 1..4)];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Small real files.
static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let cases = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/cases")).unwrap();
    let paths = cases.map(|entry| entry.unwrap().path()).chain(corpora().into_iter().flatten().step_by(97));
    let files = paths.filter_map(|path| std::fs::read(path).ok());
    files.filter(|file| file.len() < 3000).collect()
});

/// A real file, truncated or with bytes removed, overwritten or inserted.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let damage = (any::<Index>(), any::<Index>(), 0..5_u8, select(PIECES));
    (any::<Index>(), vec(damage, 1..5)).prop_map(|(file, damages)| {
        let mut bytes = file.get(&FILES).clone();
        for (at, len, kind, piece) in damages {
            let at = at.index(bytes.len() + 1);
            let end = at + len.index(40.min(bytes.len() - at) + 1);
            match kind {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..end)),
                2 => bytes.copy_within(at..end, 0),
                3 => drop(bytes.splice(at..at, piece.iter().copied())),
                _ => drop(bytes.splice(at..end, piece.iter().copied())),
            }
        }
        bytes
    })
}

/// The next value was counted as nowhere.
#[test]
fn a_value_that_was_given_up_leaves_the_next_to_be_skipped() {
    let skips = Reads { skips_values: true, ..Reads::default() };
    for input in [&b"(;SZ[[9])"[..], b"(;SZ[9][[])", b"(;AB[aa[bb])"] {
        let account = account_of(&Config::archives(), skips, input, input.len());
        assert!(
            account.is_balanced() && account.figures().all(|(name, bytes)| name != "lost" || bytes == 0),
            "{account:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_of_arbitrary_input_is_accounted_for(input in pieces(), control in vec(any::<u8>(), 0..12)) {
        property(&input, &Control::new(&input, &control));
    }

    #[test]
    fn every_byte_of_damaged_files_is_accounted_for(input in damaged(), control in vec(any::<u8>(), 0..12)) {
        property(&input, &Control::new(&input, &control));
    }

    #[test]
    fn the_account_is_the_same_at_every_cut(input in pieces()) {
        let config = Config::new().repair_brackets(true).resync(true).cap_values(true);
        let whole = account_of(&config, Reads::default(), &input, input.len().max(1));
        for cut in 0..input.len() {
            let mut parser = AccountingParser::with_config(config.clone());
            for part in [&input[..cut], &input[cut..]] {
                let _ = parser.feed(part, &mut Reads::default()).unwrap();
            }
            let _ = parser.finish(&mut Reads::default()).unwrap();
            prop_assert_eq!(&whole, &parser.account(), "cut at {}", cut);
        }
    }
}
