//! One test for every row of the tables that say what the reader does with every byte.

mod support;

use support::check;

#[test]
fn a_game() {
    check("(;B[pd])", "enter 0 d1 | node 1 | property 2 B | value 4 \"pd\" | exit 7 d1");
}
