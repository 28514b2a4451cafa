//! Go: points and passes.
//!
//! Points are two letters, from the upper left corner: `a` to `z`, then `A` to `Z`, for boards up to 52 by 52. An empty
//! move passes, and so does `tt` on boards up to 19 by 19, where it is no point. TB and TW are lists of points, which
//! [`Board::read_points`] reads.

// Owns no state. Refuses to know captures, ko and everything else that depends on what stands on the board.

use crate::semantics::point::Notation;
use crate::semantics::{Board, Move, Point, Size, ValueError};
use crate::syntax::Ident;

/// Reads a move on a board of the stated size, or of any size if none is stated; then `tt` passes, as on the default board.
#[inline]
pub(super) fn read_move<'a>(size: Option<Size>, raw: &[u8]) -> Result<Move<'a>, ValueError> {
    match raw {
        [] => Ok(Move::Pass),
        b"tt" if size.is_none_or(|size| size.columns <= 19 && size.rows <= 19) => Ok(Move::Pass),
        raw => match (Notation::Letters.read(raw)?, size) {
            (point, Some(size)) if point.x >= size.columns || point.y >= size.rows => Err(ValueError::OffBoard),
            (point, _) => Ok(Move::Play(point)),
        },
    }
}

/// A point in capital letters on a board that only has small ones; or as players say it: a letter for the column,
/// without I, and a number for the row, counted from the bottom.
pub(super) fn other_point(board: Board, text: &[u8]) -> Option<Point> {
    if let &[x, y] = text
        && let Some(point) = Point::from_letters([x.to_ascii_lowercase(), y.to_ascii_lowercase()])
    {
        return board.on_board(point).ok();
    }
    let said = Notation::Cell.read(text).ok()?;
    let rows = board.size().unwrap_or(Size::square(19)).rows;
    let (i, z) = (8, 25);
    if said.x == i || said.x > z {
        return None;
    }
    let x = said.x - u16::from(said.x > i);
    board.on_board(Point::new(x, rows.checked_sub(said.y.checked_add(1)?)?)).ok()
}

/// The property in which Smart Game Board writes the komi, in half points.
pub(crate) const KI: Ident = Ident::literal("KI");
