//! Move: what B, W and similar properties say.
//!
//! Owns [`Move`] and the words that are moves. Refuses to know which games have which moves: that is for the modules beside it.

use crate::semantics::{Board, Point, Points, ValueError};
use crate::syntax::{FromValue, Value};

/// A move of any game, as a [`Board`] reads it.
///
/// As a [`FromValue`] it is a move of Go on a board of the standard's default size, where `tt` is a pass. A game of
/// another size, and every other game, needs a [`Board`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Move<'a> {
    /// A stone is put on a point.
    Play(Point),
    /// Nothing is put anywhere: `[]` in Go, `pass` in Hex.
    Pass,
    /// Hex: the player gives up.
    Resign,
    /// Hex: the game is lost for another reason, such as absence.
    Forfeit,
    /// Hex: the players change sides, and the stones stay.
    SwapSides,
    /// Hex: the stones change colours and are mirrored at the long diagonal, and the players keep their sides.
    SwapPieces,
    /// A swap that does not say which, as LittleGolem writes it.
    Swap,
    /// Several points: the fields of a piece in Blokus; from and to in Lines of Action and Gess; from, to and the arrow in
    /// Amazons.
    Points(Points<'a>),
    /// A move of a game whose moves no document defines, or one that is more than points. The value is as it was.
    Raw(Value<'a>),
}

impl Move<'_> {
    /// The point, if the move is nothing but a point.
    #[inline]
    pub const fn point(&self) -> Option<Point> {
        match self {
            Self::Play(point) => Some(*point),
            _ => None,
        }
    }

    /// True if the player passes.
    #[inline]
    pub const fn is_pass(&self) -> bool {
        matches!(self, Self::Pass)
    }
}

impl<'a> FromValue<'a> for Move<'a> {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'a>) -> Result<Self, ValueError> {
        Board::GO.read_move(value)
    }

    fn from_value_lenient(value: Value<'a>) -> Result<Self, ValueError> {
        Board::GO.read_move_lenient(value)
    }
}

/// The moves that are words.
pub(super) fn word<'a>(text: &[u8]) -> Option<Move<'a>> {
    const WORDS: [(&[u8], Move<'static>); 6] = [
        (b"swap-pieces", Move::SwapPieces),
        (b"swap-sides", Move::SwapSides),
        (b"resign", Move::Resign),
        (b"pass", Move::Pass),
        (b"forfeit", Move::Forfeit),
        (b"swap", Move::Swap),
    ];
    WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, meaning)| meaning.clone())
}
