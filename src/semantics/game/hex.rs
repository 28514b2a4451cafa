//! Hex, as HexWiki and the standard describe it.
//!
//! Cells are named by the column's letters and the row's number, from the upper left corner and in either case: `a1`,
//! `AB28`. A move is a cell or one of the words `swap-sides`, `swap-pieces`, `pass`, `resign` and `forfeit`. LittleGolem
//! writes cells as Go does (`aa`), and a `swap` of which it does not say what is swapped; both are read leniently.

// Owns no state. Refuses to know what a swap does to the stones.

use crate::semantics::point::Notation;
use crate::semantics::{Board, Move, Point, ValueError};

use super::moves;

pub(super) fn read_move<'a>(board: Board, raw: &[u8]) -> Result<Move<'a>, ValueError> {
    match moves::word(raw) {
        Some(Move::Swap) => Err(ValueError::Malformed),
        Some(it) => Ok(it),
        None => board.point(raw).map(Move::Play),
    }
}

/// A cell as in Go, in either case.
pub(super) fn other_point(board: Board, text: &[u8]) -> Option<Point> {
    board.on_board(Notation::Letters.read(&text.to_ascii_lowercase()).ok()?).ok()
}

/// True for a value of AP that names `HexGui` up to 0.9. These versions write `swap-pieces` and mean `swap-sides`;
/// later versions know this when they read such a file.
pub fn mixes_up_swaps(application: &[u8]) -> bool {
    let Some((name, version)) = application.split_at_checked(b"HexGui:0.".len()) else { return false };
    let minor = version.iter().take_while(|byte| byte.is_ascii_digit()).count();
    name.eq_ignore_ascii_case(b"HexGui:0.") && minor == 1
}
