//! One test for each row of the tables of what the reader does with every byte, named after the row, with the smallest
//! inputs that show it; then the promises that hold for all rows.

use crate::support;
use crate::support::check;

// Between games.

#[test]
fn bom_at_the_start_or_between_games_is_white_space() {
    check(b"\xEF\xBB\xBF", "");
    check(b"\xEF\xBB\xBF(;)", "enter 3 d1 | node 4 | exit 5 d1");
    check(b"(;)\xEF\xBB\xBF\n(;)", "enter 0 d1 | node 1 | exit 2 d1 | enter 7@2:1 d1 | node 8@2:2 | exit 9@2:3 d1");
    check(b"\xEF\xBB\xBF\xEF\xBB\xBF(;)", "enter 6 d1 | node 7 | exit 8 d1");
    // A `)` after a game is unmatched even with a BOM between them.
    check(b"(;)\xEF\xBB\xBF)", "enter 0 d1 | node 1 | exit 2 d1 | ! unmatched-close 6..7");
}

#[test]
fn part_of_a_bom_is_junk() {
    check(b"\xEF", "! junk 0..1");
    check(b"\xEF\xBB", "! junk 0..2");
    check(b"\xEF\xBB(;)", "! junk 0..2 | enter 2 d1 | node 3 | exit 4 d1");
    check(b"\xEF\xEF\xBB\xBF(;)", "! junk 0..1 | enter 4 d1 | node 5 | exit 6 d1");
    check(b"\xEF\xBB\xEF\xBB\xBF(;)", "! junk 0..2 | enter 5 d1 | node 6 | exit 7 d1");
}

#[test]
fn parenthesis_white_space_semicolon_starts_a_game() {
    check(b"(;", "enter 0 d1 | node 1 | ! unclosed-tree 2..2 | exit 2 d1 implicit");
    check(b"(;)", "enter 0 d1 | node 1 | exit 2 d1");
    check(b"( \t\n\x0B\x0C\r;)", "enter 0 d1 | node 7@3:1 | exit 8@3:2 d1");
    check(b"(;)(;)", "enter 0 d1 | node 1 | exit 2 d1 | enter 3 d1 | node 4 | exit 5 d1");
    check(b" \n(;)\n", "enter 2@2:1 d1 | node 3@2:2 | exit 4@2:3 d1");
}

#[test]
fn parenthesis_upper_case_letters_bracket_starts_a_game_without_semicolon() {
    check(
        b"(FF[4])",
        "enter 0 d1 | ! missing-semicolon 1..3 | node 1 implied | property 1 FF | value 4 \"4\" | exit 6 d1",
    );
    check(
        b"( \nB[])",
        "enter 0 d1 | ! missing-semicolon 3@2:1..4 | node 3@2:1 implied | property 3@2:1 B | value 5@2:3 \"\"
         exit 6@2:4 d1",
    );
    // An identifier has at most 16 canonical letters.
    check(
        b"(ABCDEFGHIJKLMNOP[])",
        "enter 0 d1 | ! missing-semicolon 1..17 | node 1 implied | property 1 ABCDEFGHIJKLMNOP | value 18 \"\"
         exit 19 d1",
    );
    // Up to 32 letters start a game, although they are too long for a property.
    check(
        b"(ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF[])",
        "enter 0 d1 | ! identifier-too-long 1..35 | ! empty-variation 35..36 | exit 35 d1",
    );
    check(b"(ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG[])", "! junk 0..37");
}

#[test]
fn what_only_looks_like_a_game_without_semicolon_is_junk() {
    check(b"(FF [4]", "! junk 0..7");
    check(b"(5A[", "! junk 0..4");
    check(b"(CoP[", "! junk 0..5");
    check(b"(hello) [aa]", "! junk 0..12");
    check(b"(C) 1999", "! junk 0..8");
    check(b"([4])", "! junk 0..5");
    check(b"(FF", "! junk 0..3");
    check(b"(", "! junk 0..1");
    check(b"( ", "! junk 0..2");
    check(b"(FF%[4])", "! junk 0..8");
}

#[test]
fn the_byte_that_made_a_candidate_fail_is_read_again() {
    check(b"((;)", "! junk 0..1 | enter 1 d1 | node 2 | exit 3 d1");
    check(b"( (;)", "! junk 0..2 | enter 2 d1 | node 3 | exit 4 d1");
    check(b"(AB(;)", "! junk 0..3 | enter 3 d1 | node 4 | exit 5 d1");
    check(
        b"((((B[",
        "! junk 0..3 | enter 3 d1 | ! missing-semicolon 4..5 | node 4 implied | property 4 B
                      ! unexpected-eof 5..6 | ! unclosed-tree 6..6 | exit 6 d1 implicit",
    );
    check(b"(\xEF\xBB\xBF;)", "! junk 0..1 | ! junk 4..6");
    check(b"(A\xEF\xBB\xBF(;)", "! junk 0..2 | enter 5 d1 | node 6 | exit 7 d1");
}

#[test]
fn close_after_a_game_is_unmatched_each() {
    check(b"(;)) )", "enter 0 d1 | node 1 | exit 2 d1 | ! unmatched-close 3..4 | ! unmatched-close 5..6");
    check(
        b"(;)\n)(;)",
        "enter 0 d1 | node 1 | exit 2 d1 | ! unmatched-close 4@2:1..5 | enter 5@2:2 d1 | node 6@2:3 | exit 7@2:4 d1",
    );
}

#[test]
fn any_other_close_is_junk() {
    check(b")", "! junk 0..1");
    check(b")(;)", "! junk 0..1 | enter 1 d1 | node 2 | exit 3 d1");
    check(b"(;)x)", "enter 0 d1 | node 1 | exit 2 d1 | ! junk 3..5");
    check(b"(;))x)", "enter 0 d1 | node 1 | exit 2 d1 | ! unmatched-close 3..4 | ! junk 4..6");
    // A failed candidate is junk, and so is the `)` after it.
    check(b"(;)( )", "enter 0 d1 | node 1 | exit 2 d1 | ! junk 3..6");
    // The bytes before a BOM count.
    check(b"(;)x\xEF\xBB\xBF)", "enter 0 d1 | node 1 | exit 2 d1 | ! junk 3..4 | ! junk 7..8");
}

#[test]
fn anything_else_up_to_the_next_game_is_one_run_of_junk() {
    check(b"hello", "! junk 0..5");
    check(b" hello world \n", "! junk 1..14");
    check(
        b"a [(;] b (;)",
        "! junk 0..3 | enter 3 d1 | node 4 | ! illegal-bytes 5..6 | ! illegal-bytes 7..8
                            enter 9 d2 | node 10 | exit 11 d2 | ! unclosed-tree 12..12
            exit 12 d1 implicit",
    );
}

#[test]
fn junk_ignores_brackets() {
    check(b"[(;)]", "! junk 0..1 | enter 1 d1 | node 2 | exit 3 d1 | ! junk 4..5");
    check(b"\\(;)", "! junk 0..1 | enter 1 d1 | node 2 | exit 3 d1");
    check(
        b"[(;B[a]) ] x\n(;)",
        "! junk 0..1 | enter 1 d1 | node 2 | property 3 B | value 5 \"a\" | exit 7 d1
                                ! junk 9..13 | enter 13@2:1 d1 | node 14@2:2 | exit 15@2:3 d1",
    );
}

#[test]
fn junk_ends_at_a_bom_and_may_begin_again() {
    check(b"a \xEF\xBB\xBF b", "! junk 0..2 | ! junk 6..7");
    check(b"a\xEF\xBB\xBF(;)", "! junk 0..1 | enter 4 d1 | node 5 | exit 6 d1");
}

#[test]
fn empty_input_is_zero_games_and_no_problem() {
    check(b"", "");
    check(b" \n\t", "");
}

// Inside a game.

#[test]
fn white_space_is_skipped_between_tokens() {
    check(
        b"( ; B \t[a]\n\x0B\x0C[b]\r\n( ;) )",
        "enter 0 d1 | node 2 | property 4 B | value 8 \"a\" | value 14@2:4 \"b\"
         enter 18@3:1 d2 | node 20@3:3 | exit 21@3:4 d2 | exit 23@3:6 d1",
    );
}

#[test]
fn semicolon_is_a_node() {
    check(b"(;;;)", "enter 0 d1 | node 1 | node 2 | node 3 | exit 4 d1");
}

#[test]
fn semicolon_after_a_child_tree_is_a_node_after_variation() {
    check(
        b"(;(;);;(;))",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | exit 4 d2
         ! node-after-variation 5..6 | node 5 after-variation | node 6 | enter 7 d2 | node 8 | exit 9 d2 | exit 10 d1",
    );
    // Skipped bytes between them change nothing.
    check(
        b"(;(;)%[x];)",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | exit 4 d2 | ! illegal-bytes 5..6 | ! value-without-property 6..9
         ! node-after-variation 9..10 | node 9 after-variation | exit 10 d1",
    );
}

#[test]
fn open_parenthesis_enters_a_tree() {
    check(
        b"(;(;)(;))",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | exit 4 d2 | enter 5 d2 sibling | node 6 | exit 7 d2 | exit 8 d1",
    );
    check(
        b"(;(;)%(;))",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | exit 4 d2 | ! illegal-bytes 5..6
         enter 6 d2 sibling | node 7 | exit 8 d2 | exit 9 d1",
    );
}

#[test]
fn a_tree_directly_after_its_parents_parenthesis_has_no_node_above_it() {
    check(
        b"(;A[1]((;B[aa])))",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"1\" | enter 6 d2 | ! tree-without-node 7..8 | enter 7 d3
         node 8 | property 9 B | value 11 \"aa\" | exit 14 d3 | exit 15 d2 | exit 16 d1",
    );
    check(
        b"(;( (;)(;)))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! tree-without-node 4..5 | enter 4 d3 | node 5 | exit 6 d3
         enter 7 d3 sibling | node 8 | exit 9 d3 | exit 10 d2 | exit 11 d1",
    );
    // Skipped bytes do not count.
    check(
        b"(;(%[x](;)))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! illegal-bytes 3..4 | ! value-without-property 4..7
         ! tree-without-node 7..8 | enter 7 d3 | node 8 | exit 9 d3 | exit 10 d2 | exit 11 d1",
    );
}

#[test]
fn close_parenthesis_exits_a_tree() {
    check(
        b"(;(;(;)))",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | enter 4 d3 | node 5 | exit 6 d3 | exit 7 d2 | exit 8 d1",
    );
}

#[test]
fn nothing_between_parentheses_is_an_empty_variation() {
    check(b"(;())", "enter 0 d1 | node 1 | enter 2 d2 | ! empty-variation 3..4 | exit 3 d2 | exit 4 d1");
    check(b"(;( \n))", "enter 0 d1 | node 1 | enter 2 d2 | ! empty-variation 5@2:1..6 | exit 5@2:1 d2 | exit 6@2:2 d1");
    check(
        b"(;(%))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! illegal-bytes 3..4 | ! empty-variation 4..5 | exit 4 d2 | exit 5 d1",
    );
    check(
        b"(;([x]))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! value-without-property 3..6 | ! empty-variation 6..7 | exit 6 d2
         exit 7 d1",
    );
    check(
        b"(;(()))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! tree-without-node 3..4 | enter 3 d3 | ! empty-variation 4..5 | exit 4 d3
         exit 5 d2 | exit 6 d1",
    );
    // An unclosed tree is not known to be empty.
    check(b"(;(", "enter 0 d1 | node 1 | enter 2 d2 | ! unclosed-tree 3..3 | exit 3 d2 implicit | exit 3 d1 implicit");
}

#[test]
fn letters_and_digits_white_space_bracket_are_a_property() {
    check(
        b"(;B[a]AB [b]\n[c]5A[d]1[e]P0[f])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | property 6 AB | value 10 \"b\" | value 14@2:2 \"c\"
         property 16@2:4 5A | value 19@2:7 \"d\" | property 21@2:9 1 | value 23@2:11 \"e\"
         property 25@2:13 P0 | value 28@2:16 \"f\" | exit 30@2:18 d1",
    );
}

#[test]
fn lower_case_letters_are_dropped_from_the_canonical_name() {
    check(
        b"(;CoPyright[x]p0[y])",
        "enter 0 d1 | node 1 | property 2 CoPyright=CP | value 12 \"x\" | property 14 p0=0 | value 17 \"y\"
         exit 19 d1",
    );
}

#[test]
fn only_lower_case_letters_before_a_bracket_are_a_lowercase_identifier() {
    check(
        b"(;abc[x]d [y][z])",
        "enter 0 d1 | node 1 | ! lowercase-identifier 2..5 | property 2 abc | value 6 \"x\"
         ! lowercase-identifier 8..9 | property 8 d | value 11 \"y\" | value 14 \"z\" | exit 16 d1",
    );
    check(
        b"(;abcdefghijklmnop[])",
        "enter 0 d1 | node 1 | ! lowercase-identifier 2..18 | property 2 abcdefghijklmnop | value 19 \"\" | exit 20 d1",
    );
}

#[test]
fn only_lower_case_letters_without_a_bracket_are_stray_words() {
    check(b"(;hello world)", "enter 0 d1 | node 1 | ! illegal-bytes 2..7 | ! illegal-bytes 8..13 | exit 13 d1");
    check(b"(;hello%%;)", "enter 0 d1 | node 1 | ! illegal-bytes 2..9 | node 9 | exit 10 d1");
    check(b"(;%hello)", "enter 0 d1 | node 1 | ! illegal-bytes 2..3 | ! illegal-bytes 3..8 | exit 8 d1");
    check(b"(;hello %)", "enter 0 d1 | node 1 | ! illegal-bytes 2..7 | ! illegal-bytes 8..9 | exit 9 d1");
    check(
        b"(;a%b[x])",
        "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | ! lowercase-identifier 4..5 | property 4 b
                         value 6 \"x\" | exit 8 d1",
    );
    // A value after the run belongs to no property, since the property before it has ended.
    check(
        b"(;B[a]hello%[x][y])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | ! illegal-bytes 6..12 | ! value-without-property 12..15
         ! value-without-property 15..18 | exit 18 d1",
    );
    // Whatever its length.
    check(b"(;abcdefghijklmnopqrstuvwxyzabcdefghijkl)", "enter 0 d1 | node 1 | ! illegal-bytes 2..40 | exit 40 d1");
    // It implies no node.
    check(
        b"(;(hello))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! illegal-bytes 3..8 | ! empty-variation 8..9 | exit 8 d2 | exit 9 d1",
    );
}

#[test]
fn any_other_identifier_without_a_bracket_is_a_property_without_value() {
    check(b"(;B;)", "enter 0 d1 | node 1 | ! property-without-value 2..3 | property 2 B | node 3 | exit 4 d1");
    check(
        b"(;B C[x])",
        "enter 0 d1 | node 1 | ! property-without-value 2..3 | property 2 B | property 4 C | value 6 \"x\" | exit 8 d1",
    );
    check(
        b"(;5 CoP)",
        "enter 0 d1 | node 1 | ! property-without-value 2..3 | property 2 5
         ! property-without-value 4..7 | property 4 CoP=CP | exit 7 d1",
    );
    // A value after illegal bytes does not belong to the property before them.
    check(
        b"(;B%[x])",
        "enter 0 d1 | node 1 | ! property-without-value 2..3 | property 2 B | ! illegal-bytes 3..4
         ! value-without-property 4..7 | exit 7 d1",
    );
    // The implied node comes first.
    check(
        b"(;(B))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! missing-semicolon 3..4 | node 3 implied
         ! property-without-value 3..4 | property 3 B | exit 4 d2 | exit 5 d1",
    );
}

#[test]
fn an_identifier_over_32_bytes_or_16_canonical_letters_is_skipped_with_its_values() {
    // 16 canonical letters in 32 bytes are allowed.
    check(
        b"(;aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeF[])",
        "enter 0 d1 | node 1 | property 2 aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeF=BDFHJLNPRTVXZBDF | value 35 \"\"
         exit 36 d1",
    );
    check(
        b"(;aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFg[a] [b] ;)",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..42 | node 43 | exit 44 d1",
    );
    check(
        b"(;ABCDEFGHIJKLMNOPQ[]B[])",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..21
                                         property 21 B | value 23 \"\" | exit 24 d1",
    );
    check(b"(;abcdefghijklmnopq[x])", "enter 0 d1 | node 1 | ! identifier-too-long 2..22 | exit 22 d1");
    // Brackets and escapes in its values are recognised.
    check(b"(;ABCDEFGHIJKLMNOPQ[(;\\]] [)])", "enter 0 d1 | node 1 | ! identifier-too-long 2..29 | exit 29 d1");
}

#[test]
fn an_identifier_too_long_without_value_is_skipped_alone() {
    check(b"(;ABCDEFGHIJKLMNOPQ ;)", "enter 0 d1 | node 1 | ! identifier-too-long 2..19 | node 20 | exit 21 d1");
    check(
        b"(;ABCDEFGHIJKLMNOPQ",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..19 | ! unclosed-tree 19..19
                                   exit 19 d1 implicit",
    );
    // With an upper-case letter it is an identifier, not a stray word.
    check(
        b"(;abcdefghijklmnopqrstuvwxyzabcdefghijklM)",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..41 | exit 41 d1",
    );
    // That letter belongs to no later identifier.
    check(
        b"(;abcdefghijklmnopqrstuvwxyzabcdefghijklM abc [x])",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..41 | ! lowercase-identifier 42..45 | property 42 abc | value 47 \"x\"
         exit 49 d1",
    );
}

#[test]
fn an_identifier_too_long_implies_no_node_and_takes_no_later_value() {
    check(
        b"(;(ABCDEFGHIJKLMNOPQ[x]%[y]B[z]))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! identifier-too-long 3..23 | ! illegal-bytes 23..24
         ! value-without-property 24..27 | ! missing-semicolon 27..28 | node 27 implied | property 27 B | value 29 \"z\"
         exit 31 d2 | exit 32 d1",
    );
}

#[test]
fn an_identifier_too_long_at_the_end_of_input() {
    check(
        b"(;ABCDEFGHIJKLMNOPQ[x] [y",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..22 | ! unexpected-eof 23..25 | ! unclosed-tree 25..25
         exit 25 d1 implicit",
    );
    check(
        b"(;ABCDEFGHIJKLMNOPQ [y",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..19 | ! unexpected-eof 20..22 | ! unclosed-tree 22..22
         exit 22 d1 implicit",
    );
    check(
        b"(;ABCDEFGHIJKLMNOPQ[x] \n",
        "enter 0 d1 | node 1 | ! identifier-too-long 2..22 | ! unclosed-tree 24@2:1..24 | exit 24@2:1 d1 implicit",
    );
}

#[test]
fn a_property_before_any_semicolon_of_its_tree_implies_a_node() {
    check(
        b"(;(B[a]C[b]))",
        "enter 0 d1 | node 1 | enter 2 d2 | ! missing-semicolon 3..4 | node 3 implied | property 3 B | value 5 \"a\"
         property 7 C | value 9 \"b\" | exit 11 d2 | exit 12 d1",
    );
}

#[test]
fn a_property_after_a_child_tree_implies_a_node_after_variation() {
    check(
        b"(;A[x](;B[y])c[z])",
        "enter 0 d1 | node 1 | property 2 A | value 4 \"x\" | enter 6 d2 | node 7 | property 8 B | value 10 \"y\"
         exit 12 d2
         ! missing-semicolon 13..14 | node 13 implied after-variation | ! lowercase-identifier 13..14 | property 13 c
         value 15 \"z\" | exit 17 d1",
    );
    // The implied node is a node for the next child.
    check(
        b"(;(;)B[](;))",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | exit 4 d2
         ! missing-semicolon 5..6 | node 5 implied after-variation | property 5 B | value 7 \"\"
         enter 8 d2 | node 9 | exit 10 d2 | exit 11 d1",
    );
}

#[test]
fn a_value_with_no_property_to_belong_to_is_skipped_each() {
    check(
        b"(;[a][b\\]])",
        "enter 0 d1 | node 1 | ! value-without-property 2..5 | ! value-without-property 5..10 | exit 10 d1",
    );
    check(
        b"(;B[a];[b])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | node 6 | ! value-without-property 7..10 | exit 10 d1",
    );
    check(
        b"(;B[a](;)[b])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | enter 6 d2 | node 7 | exit 8 d2
         ! value-without-property 9..12 | exit 12 d1",
    );
    check(
        b"(;B[a]([b]))",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | enter 6 d2 | ! value-without-property 7..10
         ! empty-variation 10..11 | exit 10 d2 | exit 11 d1",
    );
}

#[test]
fn any_other_byte_begins_a_run_of_illegal_bytes() {
    for byte in [0, 0x1A, 0xA0, b'%', b'\\', b']', b':', 0x7F, 0x80, 0xFF] {
        let expected = "enter 0 d1 | node 1 | ! illegal-bytes 2..3 | exit 3 d1";
        check([b'(', b';', byte, b')'], expected);
    }
    check(b"(;\xC2\xA0;)", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | node 4 | exit 5 d1");
    check(b"(;\xEF\xBB\xBF;)", "enter 0 d1 | node 1 | ! illegal-bytes 2..5 | node 5 | exit 6 d1");
}

#[test]
fn illegal_bytes_run_up_to_what_may_mean_something() {
    for end in [" ", "\t", "\n", "\x0B", "\x0C", "\r"] {
        let line = if matches!(end, "\n" | "\r") { "5@2:1" } else { "5" };
        check(format!("(;%]{end})"), &format!("enter 0 d1 | node 1 | ! illegal-bytes 2..4 | exit {line} d1"));
    }
    check(b"(;%\\(;))", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | enter 4 d2 | node 5 | exit 6 d2 | exit 7 d1");
    check(b"(;%\\)", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | exit 4 d1");
    check(b"(;%\\;)", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | node 4 | exit 5 d1");
    check(b"(;%\\[a])", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | ! value-without-property 4..7 | exit 7 d1");
    check(b"(;%\\B[a])", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | property 4 B | value 6 \"a\" | exit 8 d1");
    check(b"(;%\\5[a])", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | property 4 5 | value 6 \"a\" | exit 8 d1");
    check(b"(;%%", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | ! unclosed-tree 4..4 | exit 4 d1 implicit");
}

#[test]
fn a_value_after_illegal_bytes_has_no_property() {
    check(
        b"(;B[a]%[b])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | ! illegal-bytes 6..7 | ! value-without-property 7..10
         exit 10 d1",
    );
    check(
        b"(;B[a]][b])",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | ! illegal-bytes 6..7 | ! value-without-property 7..10
         exit 10 d1",
    );
}

#[test]
fn the_same_property_twice_in_a_node_is_two_events() {
    check(
        b"(;AB[a]AB[b])",
        "enter 0 d1 | node 1 | property 2 AB | value 5 \"a\" | property 7 AB | value 10 \"b\" | exit 12 d1",
    );
}

#[test]
fn end_of_input_with_open_trees_is_an_unclosed_tree_once() {
    check(
        b"(;(;\n",
        "enter 0 d1 | node 1 | enter 2 d2 | node 3 | ! unclosed-tree 5@2:1..5 | exit 5@2:1 d2 implicit
         exit 5@2:1 d1 implicit",
    );
}

#[test]
fn end_of_input_after_an_identifier_is_a_property_without_value() {
    for gap in ["", " ", "\t "] {
        let end = 4 + gap.len();
        check(
            format!("(;AB{gap}"),
            &format!(
                "enter 0 d1 | node 1 | ! property-without-value 2..4 | property 2 AB | ! unclosed-tree {end}..{end}
                 exit {end} d1 implicit"
            ),
        );
    }
    check(b"(;ab", "enter 0 d1 | node 1 | ! illegal-bytes 2..4 | ! unclosed-tree 4..4 | exit 4 d1 implicit");
    check(
        b"(;(A",
        "enter 0 d1 | node 1 | enter 2 d2 | ! missing-semicolon 3..4 | node 3 implied | ! property-without-value 3..4
         property 3 A | ! unclosed-tree 4..4 | exit 4 d2 implicit | exit 4 d1 implicit",
    );
}

#[test]
fn end_of_input_inside_a_value_is_unexpected() {
    check(
        b"(;B[a",
        "enter 0 d1 | node 1 | property 2 B | ! unexpected-eof 3..5 | ! unclosed-tree 5..5 | exit 5 d1 implicit",
    );
    check(
        b"(;B[a][",
        "enter 0 d1 | node 1 | property 2 B | value 4 \"a\" | ! unexpected-eof 6..7 | ! unclosed-tree 7..7
         exit 7 d1 implicit",
    );
    check(
        b"(;B[a\\",
        "enter 0 d1 | node 1 | property 2 B | ! unexpected-eof 3..6 | ! unclosed-tree 6..6 | exit 6 d1 implicit",
    );
    check(
        b"(;B[a\\]",
        "enter 0 d1 | node 1 | property 2 B | ! unexpected-eof 3..7 | ! unclosed-tree 7..7 | exit 7 d1 implicit",
    );
    check(b"(;[\n", "enter 0 d1 | node 1 | ! unexpected-eof 2..4 | ! unclosed-tree 4@2:1..4 | exit 4@2:1 d1 implicit");
    // The input ends inside line breaks and characters of several bytes.
    for tail in ["\r", "\\\r", "\n"] {
        let end = 4 + tail.len();
        check(
            format!("(;B[{tail}"),
            &format!(
                "enter 0 d1 | node 1 | property 2 B | ! unexpected-eof 3..{end} | ! unclosed-tree {end}@2:1..{end}
                 exit {end}@2:1 d1 implicit"
            ),
        );
    }
    check(
        b"(;B[\xE7\xA2",
        "enter 0 d1 | node 1 | property 2 B | ! unexpected-eof 3..6 | ! unclosed-tree 6..6 | exit 6 d1 implicit",
    );
}

// Values.

/// Checks that a value is delivered as its raw bytes.
fn check_value(raw: &[u8]) {
    let input = [b"(;C[", raw, b"])"].concat();
    let (mut line, mut column) = (1, 5);
    let mut rest = raw;
    while let Some((byte, after)) = rest.split_first() {
        let pair = *byte == b'\r' && after.first() == Some(&b'\n');
        if *byte == b'\n' || (*byte == b'\r' && !pair) {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
        rest = after;
    }
    let end = 4 + raw.len() + 1;
    let exit = if line == 1 { end.to_string() } else { format!("{end}@{line}:{}", column + 1) };
    let expected = format!("enter 0 d1 | node 1 | property 2 C | value 4 \"{}\" | exit {exit} d1", raw.escape_ascii());
    check(&input, &expected);
}

#[test]
fn backslash_makes_the_next_byte_literal_and_its_bracket_does_not_close() {
    check_value(br"\]");
    check_value(br"a\]b\\");
    check_value(br"\\\]\\");
    check_value(b"\\\xE7\xA2\x81\\\\\\]");
}

#[test]
fn the_first_bracket_that_is_not_escaped_closes() {
    check(
        b"(;C[a\\\\]])",
        "enter 0 d1 | node 1 | property 2 C | value 4 \"a\\\\\\\\\" | ! illegal-bytes 8..9 | exit 9 d1",
    );
    check(b"(;C[][])", "enter 0 d1 | node 1 | property 2 C | value 4 \"\" | value 6 \"\" | exit 7 d1");
}

#[test]
fn brackets_parentheses_and_semicolons_inside_are_plain_data() {
    check_value(b"[(;B(aa))");
    check_value(b"((((");
    check_value(b"))))");
    check_value(b"[[[[");
    check_value(b"(;FF");
}

#[test]
fn raw_values_are_the_bytes_as_they_stand() {
    check_value(b"");
    check_value(b" a\tb ");
    check_value(b"\0\x1A\xFF\x80");
    check_value("囲碁 – 碁盤".as_bytes());
    check_value(b"\xEF\xBB\xBF");
    let every: Vec<u8> = (0..=255).filter(|byte| !matches!(byte, b'\\' | b']')).collect();
    check_value(&every[..120]);
    check_value(&every[120..]);
}

#[test]
fn soft_line_breaks_are_kept_in_the_raw_value_and_leave_the_text() {
    for line_break in ["\n", "\r", "\r\n", "\n\r"] {
        check_value(format!("a\\{line_break}b").as_bytes());
        check_value(format!("a\\{line_break}{line_break}b\\{line_break}").as_bytes());
        assert_eq!(texts(format!("(;C[a\\{line_break}b])").as_bytes()), [("ab".to_owned(), "ab".to_owned())]);
    }
}

#[test]
fn line_breaks_are_one_each() {
    for line_break in ["\n", "\r", "\r\n", "\n\r"] {
        check_value(format!("a{line_break}b").as_bytes());
        assert_eq!(texts(format!("(;C[a{line_break}b])").as_bytes()), [("a\nb".to_owned(), "a b".to_owned())]);
    }
    check_value(b"\r\n\n\r");
    assert_eq!(texts(b"(;C[\r\n\n\r])"), [("\n\n".to_owned(), "  ".to_owned())]);
}

#[test]
fn other_white_space_is_one_space_each_also_when_escaped() {
    check_value(b"a\t\x0B\x0Cb\\\tc");
    assert_eq!(texts(b"(;C[a\t\x0B\x0Cb\\\tc])"), [("a   b c".to_owned(), "a   b c".to_owned())]);
}

#[test]
fn a_colon_is_data_unless_the_value_is_composed() {
    check_value(br"a:b\:c::");
    check_value(b":");
    assert_eq!(halves(br"(;AP[CGoban\:x:3\:1:2]N[name]LB[\::])"), ["CGoban:x", "3:1:2", "-", ":", ""]);
}

#[test]
fn the_halves_of_a_composed_value_have_their_own_positions() {
    let mut places = Vec::new();
    for event in sgf_stream::events(b"(;AP[a\n\r\nb:c])") {
        if let Ok(sgf_stream::Event::Value(value)) = event {
            let (left, right) = value.compose().expect("there is a colon");
            places.extend([left.position(), right.position()].map(|it| (it.offset, it.line, it.column)));
        }
    }
    assert_eq!(places, [(5, 1, 6), (11, 3, 3)]);
}

#[test]
fn a_value_longer_than_the_limit_is_skipped_or_comes_in_parts() {
    // The default limit; `limits.rs` has small ones.
    let limit = sgf_stream::Limits::new().value;
    let long = [b"(;C[", vec![b'x'; limit + 1].as_slice(), b"][y])"].concat();
    let end = 4 + limit + 2;
    let config = sgf_stream::Config::new();
    let expected = format!(
        "enter 0 d1 | node 1 | property 2 C | ! value-too-long 3..{end} | value {} \"y\" | exit {} d1",
        end + 1,
        end + 3
    );
    support::check_with(&config, &long, &expected);
}

/// Text and SimpleText of all values.
fn texts(input: &[u8]) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for event in sgf_stream::events(input) {
        if let Ok(sgf_stream::Event::Value(value)) = event {
            texts.push((value.text().into_owned(), value.simple_text().into_owned()));
        }
    }
    texts
}

/// Both halves of composed values as text, `-` for other values.
fn halves(input: &[u8]) -> Vec<String> {
    let mut halves = Vec::new();
    for event in sgf_stream::events(input) {
        if let Ok(sgf_stream::Event::Value(value)) = event {
            match value.compose() {
                Some((left, right)) => halves.extend([left, right].map(|it| it.text().into_owned())),
                None => halves.push("-".to_owned()),
            }
        }
    }
    halves
}

// Promises.

#[test]
fn positions_count_lines_by_lf_cr_and_crlf() {
    check(
        b"\n\r\n\r(\n;B\r\n[a\rb\n\rc]\r;)",
        "enter 4@4:1 d1 | node 6@5:1 | property 7@5:2 B | value 11@6:2 \"a\\rb\\n\\rc\" | node 19@10:1
         exit 20@10:2 d1",
    );
}

#[test]
fn problems_come_right_before_the_event_they_concern() {
    check(b"(b[])", "! junk 0..5");
    check(
        b"(;(b",
        "enter 0 d1 | node 1 | enter 2 d2 | ! illegal-bytes 3..4 | ! unclosed-tree 4..4 | exit 4 d2 implicit
         exit 4 d1 implicit",
    );
    check(
        b"(;(b[]",
        "enter 0 d1 | node 1 | enter 2 d2 | ! missing-semicolon 3..4 | node 3 implied | ! lowercase-identifier 3..4
         property 3 b | value 5 \"\" | ! unclosed-tree 6..6 | exit 6 d2 implicit | exit 6 d1 implicit",
    );
}

#[test]
fn enters_and_exits_balance_at_any_depth() {
    let enters = (1..=60).map(|depth| format!("enter {} d{depth} | node {}", 2 * depth - 2, 2 * depth - 1));
    let exits = (1..=60).rev().map(|depth| format!("exit 120 d{depth} implicit"));
    let all: Vec<String> = enters.chain(["! unclosed-tree 120..120".to_owned()]).chain(exits).collect();
    check(b"(;".repeat(60), &all.join(" | "));
}

#[test]
fn a_whole_game_reads_as_written() {
    check(
        b"(;FF[4]GM[1]SZ[19]\n;B[pd];W[dd]C[good \\] move]\r\n(;B[pp])(;B[dp]AB[aa][bb]))",
        "enter 0 d1 | node 1 | property 2 FF | value 5 \"4\" | property 7 GM | value 10 \"1\" | property 12 SZ
         value 15 \"19\"
         node 19@2:1 | property 20@2:2 B | value 22@2:4 \"pd\"
         node 25@2:7 | property 26@2:8 W | value 28@2:10 \"dd\" | property 31@2:13 C | value 33@2:15 \"good \\\\] move\"
         enter 48@3:1 d2 | node 49@3:2 | property 50@3:3 B | value 52@3:5 \"pp\" | exit 55@3:8 d2
         enter 56@3:9 d2 sibling | node 57@3:10 | property 58@3:11 B | value 60@3:13 \"dp\"
         property 63@3:16 AB | value 66@3:19 \"aa\" | value 70@3:23 \"bb\" | exit 73@3:26 d2 | exit 74@3:27 d1",
    );
}
