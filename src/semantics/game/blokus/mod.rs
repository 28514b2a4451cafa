//! Blokus and its relatives, as Pentobi writes them.
//!
//! A point is the column's letters and the row's number, in either case and from the lower left corner: `a1`, `bc28`. A
//! move is the points of a piece with commas between them. Up to version 0.2 a move was a list of points instead, one in
//! each value; these read as pieces of one point each, which the reader of the property joins.

// Owns the variants, which property belongs to which player, and the shapes of the boards.

mod board;
mod variant;

pub use board::Cell;
pub use variant::Variant;

use crate::semantics::point::Notation;
use crate::semantics::points::{Points, Style};
use crate::semantics::{Board, ValueError};
use crate::syntax::{Ident, Value};

pub(super) fn points(board: Board, raw: &[u8], loose: bool) -> Result<Points<'_>, ValueError> {
    if raw.is_empty() {
        return Err(ValueError::Empty);
    }
    let style = Style { notation: Notation::Cell, separators: b",", glued: false, loose };
    Points::row(raw, style, |point| board.admits(point))
}

/// What a property of Blokus says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A piece is played: `B`, `1`.
    Move,
    /// Pieces are set up: `AB`, `A1`.
    Setup,
    /// The time left, in seconds: `BL`, `1L`.
    TimeLeft,
    /// A player's name: `PB`, `P1`.
    Name,
}

/// Whom a property of Blokus is about. Both count from 1.
///
/// If each player has one colour, the two are the same. If two players have four colours, each has two of them; if
/// three players have four, they share the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Owner {
    /// A player, 1 to 4.
    Player(u8),
    /// A colour, 1 to 4: blue, yellow, red, green; if there are two, blue and green.
    Color(u8),
}

impl Variant {
    /// What a property says and about whom, for the properties that Pentobi's documents define for this variant. That
    /// includes names of old versions: `BLUE` to `GREEN` up to 0.1, and `1` and `2` in Callisto for two players in
    /// 12.0.
    ///
    /// ```
    /// use sgf_stream::semantics::blokus::{Owner, Role, Variant};
    ///
    /// let green = "GREEN".parse()?;
    /// assert_eq!(Variant::Classic.role(green), Some((Role::Move, Owner::Color(4))));
    /// assert_eq!(Variant::Duo.role(green), Some((Role::Move, Owner::Color(2))));
    /// assert_eq!(Variant::ClassicTwoPlayer.role("PB".parse()?), Some((Role::Name, Owner::Player(1))));
    /// # Ok::<(), sgf_stream::IdentError>(())
    /// ```
    pub fn role(self, ident: Ident) -> Option<(Role, Owner)> {
        let mut bytes = ident.bytes();
        let name = [bytes.next().unwrap_or(0), bytes.next().unwrap_or(0)];
        let (role, who) = match name {
            _ if ident.len() > 2 => (Role::Move, self.color_named(ident)?),
            [who, 0] => (Role::Move, who),
            [b'A', who] => (Role::Setup, who),
            [who, b'L'] => (Role::TimeLeft, who),
            [b'P', who] => (Role::Name, who),
            _ => return None,
        };
        Some((role, self.owner(role, who)?))
    }

    /// The colour to play, 1 to 4, from a value of PL: the colour's number, or `B` and `W` for the first two.
    ///
    /// # Errors
    ///
    /// [`ValueError::Empty`] and [`ValueError::Malformed`], and [`ValueError::OutOfRange`] for a colour that this
    /// variant does not have.
    pub fn read_color(self, value: Value<'_>) -> Result<u8, ValueError> {
        let color = match value.raw() {
            b"B" => 1,
            b"W" => 2,
            [number @ b'1'..=b'4'] => number - b'0',
            [] => return Err(ValueError::Empty),
            _ => return Err(ValueError::Malformed),
        };
        if color <= self.colors() { Ok(color) } else { Err(ValueError::OutOfRange) }
    }

    fn color_named(self, ident: Ident) -> Option<u8> {
        let colors: &[&str] = if self.colors() == 2 { &["BLUE", "GREEN"] } else { &["BLUE", "YELLOW", "RED", "GREEN"] };
        colors.iter().position(|color| ident == *color).map(|index| b'1' + index as u8)
    }

    fn owner(self, role: Role, who: u8) -> Option<Owner> {
        let player = |number| (number <= self.players()).then_some(Owner::Player(number));
        let color = |number| (number <= self.colors()).then_some(Owner::Color(number));
        match who {
            b'B' | b'W' => {
                let number = if who == b'B' { 1 } else { 2 };
                match (self.players(), self.colors()) {
                    (2, 2) if role != Role::Name => color(number),
                    (2, _) => player(number),
                    _ => None,
                }
            }
            b'1'..=b'4' if role == Role::Name => player(who - b'0'),
            b'1'..=b'4' => color(who - b'0'),
            _ => None,
        }
    }
}
