//! Which properties make a move, in which game.
//!
//! Owns the one answer: paths number moves by it, records count and keep them by it, and upgrades join pieces by it, so
//! that all of them agree. Refuses to read a move: `resign` and `swap-sides` are moves like any other, as the standard of
//! Hex has it.

use crate::semantics::property::{Group, Scope};
use crate::semantics::{Board, GameType, definitions};
use crate::syntax::Ident;

/// What a property that makes a move plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plays {
    /// A move: its first value.
    Move,
    /// A piece of Blokus, whose points may stand in several values.
    Piece,
}

/// The second player of `ConHex`, who is red. Nobody knows that game by GM.
pub(crate) const RED: Ident = Ident::literal("R");

/// What a property plays: B and W, also in small letters, and in Blokus the numbers and names of colours. A game that
/// nobody knows may be Blokus, so there these are moves, but further values mean nothing; and R is one, too.
#[inline]
pub(crate) fn plays(ident: Ident, game: GameType) -> Option<Plays> {
    let is_of_color = matches!(in_capitals(ident), Ident::B | Ident::W);
    match game {
        GameType::Blokus(_) if is_of_color || is_of_blokus(ident) => Some(Plays::Piece),
        GameType::Unknown if ident == RED || is_of_blokus(ident) => Some(Plays::Move),
        _ if is_of_color => Some(Plays::Move),
        _ => None,
    }
}

impl Board {
    /// True if a property makes a move in this game: B and W, also in small letters, as whole archives have them; in Blokus
    /// the numbers and names of colours; and R in `ConHex`. [`GameRecord::moves`](crate::record::GameRecord::moves) counts these.
    /// A move is the first value of its property, except in Blokus, where old files have a point of a piece in each.
    ///
    /// KO is a move too, by the standard, but the move itself stands in B or W beside it.
    #[inline]
    pub fn is_move(self, ident: Ident) -> bool {
        self.plays(ident).is_some()
    }

    /// What a property plays in the game of this board. A GM that says nothing stands in a game of Go, where nobody is red.
    #[inline]
    pub(crate) fn plays(self, ident: Ident) -> Option<Plays> {
        plays(ident, self.game()).filter(|_| ident != RED || !self.may_be_go())
    }
}

fn is_of_blokus(ident: Ident) -> bool {
    definitions(ident).iter().any(|it| it.group == Group::Move && it.scope == Scope::Blokus)
}

/// Whole archives write moves in small letters. In `TwixT`, the second player is red.
#[inline]
pub(crate) fn in_capitals(ident: Ident) -> Ident {
    match ident.head() {
        [b'b', 0, 0] => Ident::B,
        [b'r' | b'w', 0, 0] => Ident::W,
        _ => ident,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::blokus::Variant;

    #[test]
    fn colors_move_in_every_game_and_numbers_in_blokus() {
        let (move_, piece) = (Some(Plays::Move), Some(Plays::Piece));
        for (ident, go, blokus, unknown) in [
            ("B", move_, piece, move_),
            ("w", move_, piece, move_),
            ("r", move_, piece, move_),
            ("R", None, None, move_),
            ("1", None, piece, move_),
            ("GREEN", None, piece, move_),
            ("1L", None, None, None),
            ("AB", None, None, None),
            ("KO", None, None, None),
            ("MN", None, None, None),
            ("x", None, None, None),
        ] {
            let ident = Ident::literal(ident);
            assert_eq!(plays(ident, GameType::Go), go, "{ident}");
            assert_eq!(plays(ident, GameType::Twixt), go, "{ident}");
            assert_eq!(plays(ident, GameType::Blokus(Variant::Duo)), blokus, "{ident}");
            assert_eq!(plays(ident, GameType::Unknown), unknown, "{ident}");
        }
    }
}
