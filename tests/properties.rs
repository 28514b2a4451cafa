//! Properties that hold for every input: of generated trees, of damaged games, of arbitrary bytes.

mod support;

use proptest::prelude::*;
use proptest::sample::select;
use support::compare;

/// Bytes that mean something to SGF, the more often the more they mean.
const ALPHABET: &[u8] = b"()()(;;[][]\\\\:ABCab19 \n\r\t%\xEF\xBB\xBF\xE5\x5D";

/// The same in pieces, so that what takes several bytes comes up more often.
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
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_of_any_order_read_as_the_oracle_reads_them(input in prop::collection::vec(select(ALPHABET), 0..60)) {
        compare(&input);
    }

    #[test]
    fn pieces_in_any_order_read_as_the_oracle_reads_them(input in prop::collection::vec(select(PIECES), 0..24)) {
        compare(&input.concat());
    }

    #[test]
    fn the_same_inside_a_game(input in prop::collection::vec(select(PIECES), 0..16)) {
        compare(&[b"(;", input.concat().as_slice()].concat());
    }
}
