//! Board: what points and moves mean in one game.
//!
//! Owns [`Board`], which takes from a root node what the reading of points depends on, and sends each value to the module
//! of its game. Invariant: a point that it reads is one of the board, if its size is known. Refuses to know what stands
//! on the board, and how a single game writes its moves.

use crate::semantics::game::without_gm::WithoutGm;
use crate::semantics::game::{GameType, blokus, go, hex, other, without_size};
use crate::semantics::points::{Points, Style};
use crate::semantics::{Move, Point, Size, ValueError, lenient};
use crate::syntax::{Ident, Value};
use crate::text;

/// What has to be known of a game to read its points: which game it is, and how large its board is.
///
/// It learns these from the root node: pass it every property of the root, and it takes what it needs.
///
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
/// use sgf_stream::semantics::{Board, Move};
/// use sgf_stream::{Deliver, Ident, Property, Tree, Descend, Value, Visitor};
///
/// #[derive(Default)]
/// struct Passes {
///     board: Board,
///     ident: Option<Ident>,
///     passes: u32,
/// }
///
/// impl Visitor for Passes {
///     type Break = Infallible;
///
///     fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
///         if tree.depth() == 1 {
///             self.board = Board::default();
///         }
///         ControlFlow::Continue(Descend::Into)
///     }
///
///     fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
///         self.ident = Some(property.ident());
///         ControlFlow::Continue(Deliver::Whole)
///     }
///
///     fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
///         match self.ident {
///             Some(Ident::B | Ident::W) => {
///                 self.passes += u32::from(self.board.read_move_lenient(value).is_ok_and(|it| it.is_pass()));
///             }
///             Some(ident) => self.board.learn(ident, value),
///             None => {}
///         }
///         ControlFlow::Continue(())
///     }
/// }
///
/// let mut passes = Passes::default();
/// let _ = sgf_stream::read_slice(b"(;SZ[9];B[ee];W[];B[tt])(;GM[11];B[a1];W[pass])", &mut passes)?;
/// assert_eq!(passes.passes, 3);
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    game: GameType,
    size: Option<Size>,
    /// GM has a name that nobody knows.
    is_named: bool,
    /// SZ states a size that nobody can read, or GM has one in its name: the size is not the default.
    is_other: bool,
    /// The file was written by a program that says swap-pieces where it means swap-sides.
    swaps_mixed_up: bool,
    without_gm: WithoutGm,
}

impl Board {
    /// Go, on a board of unknown size, as far as nothing else was learned.
    pub(in crate::semantics) const GO: Self = Self { without_gm: WithoutGm::OPEN, ..Self::new(GameType::Go) };

    /// The board of a game, of no stated size.
    pub const fn new(game: GameType) -> Self {
        let (is_named, is_other, swaps_mixed_up) = (false, false, false);
        Self { game, size: None, is_named, is_other, swaps_mixed_up, without_gm: WithoutGm::SETTLED }
    }

    /// The same with a stated size.
    #[must_use]
    pub const fn sized(mut self, size: Size) -> Self {
        self.size = Some(size);
        self
    }

    /// Takes what a property of the root node says: GM, SZ and AP, and without GM also EV, FF, SO and US; in any order.
    /// Others change nothing, nor does an empty SZ, nor one after the first that a person can read. After one that nobody
    /// could, the size is not known.
    ///
    /// Stones and moves of a root may stand before its SZ and GM, and in many real games they do: what is read of them on the
    /// way is read on the wrong board. Keep the raw values until the node has ended, or use a
    /// [`GameRecord`](crate::record::GameRecord), whose board is known before its [line](crate::record::GameRecord::line) is asked
    /// for.
    ///
    /// Without GM the game is Go, as in the standard. But if SO names Little Golem, which never writes GM, it is the game
    /// that EV begins with (`hex.ch.32.2.1`), and [`GameType::Unknown`] if that is none, or if FF is `CONHEX`. If US names
    /// iwzq.com, which has Renju and Gomoku only, it is [`GameType::Gomoku`].
    pub fn learn(&mut self, ident: Ident, value: Value<'_>) {
        if !Self::learns_from(ident) {
            return;
        }
        match ident {
            Ident::GM => {
                (self.game, self.without_gm) = (GameType::of(value), WithoutGm::SETTLED);
                let text = lenient::plain(value);
                self.is_named = self.game == GameType::Unknown && text.contains(|c: char| c.is_ascii_alphabetic());
                self.is_other |= without_size(&text) != text;
            }
            Ident::SZ if self.size.is_some() => {}
            Ident::SZ => match value.parse_lenient::<Size>() {
                Ok(size) => self.size = Some(size),
                Err(_) => self.is_other |= !value.raw().trim_ascii().is_empty(),
            },
            Ident::AP => self.swaps_mixed_up = hex::mixes_up_swaps(value.raw()),
            _ => {
                self.without_gm.learn(ident, value.raw());
                self.game = self.without_gm.game().unwrap_or(self.game);
            }
        }
    }

    /// Whether [`learn`](Self::learn) takes anything from a property: adapters read the values of these whole.
    pub(in crate::semantics) const fn learns_from(ident: Ident) -> bool {
        matches!(ident, Ident::AP | Ident::EV | Ident::FF | Ident::GM | Ident::SO | Ident::SZ | Ident::US)
    }

    /// The game.
    pub const fn game(self) -> GameType {
        self.game
    }

    /// Whether moves are read as those of Go. Where GM is neither a number of the standard nor a name, the game is very
    /// probably Go: some files have the komi there. Where it is the name of a game that nobody knows, it is not.
    pub fn may_be_go(self) -> bool {
        match self.game {
            GameType::Go => true,
            GameType::Unknown => !self.is_named && self.without_gm.game().is_none(),
            _ => false,
        }
    }

    /// The size that SZ states; without SZ the default size of the game, if it has one.
    ///
    /// For Havannah it is the length of a side of its hexagon.
    pub const fn size(self) -> Option<Size> {
        match self.size {
            Some(size) => Some(size),
            None if self.is_other => None,
            None => self.game.default_size(),
        }
    }

    /// True for a point that the board has. If no size is known, for every point of a board of [`Size::MAX`].
    pub fn contains(self, point: Point) -> bool {
        if let GameType::Blokus(variant) = self.game {
            return variant.contains(point);
        }
        let size = self.size().unwrap_or(Size::square(Size::MAX));
        let across = |side: u16| side.saturating_mul(2).saturating_sub(1);
        let (columns, rows) = match self.game {
            // A hexagon with sides of this length, within a square.
            GameType::Havannah => (across(size.columns), across(size.rows)),
            _ => (size.columns, size.rows),
        };
        point.x < columns && point.y < rows
    }

    /// Whether a value may name a point. If SZ is missing, as in a third of all files, the default size is no reason to
    /// refuse one.
    pub(super) fn admits(self, point: Point) -> bool {
        let stated = self.size.is_some() || matches!(self.game, GameType::Blokus(_));
        if stated { self.contains(point) } else { point.x < Size::MAX && point.y < Size::MAX }
    }

    /// Reads a value of type Point by the letter of the standard.
    ///
    /// # Errors
    ///
    /// What is wrong with the value; [`ValueError::OffBoard`] for a point beyond the size that SZ states, and
    /// [`ValueError::Undefined`] for a game whose points no document defines.
    #[inline]
    pub fn read_point(self, value: Value<'_>) -> Result<Point, ValueError> {
        self.point(value.raw())
    }

    /// Reads a value of type Point as a person would.
    ///
    /// White space, escapes and full-width letters are ignored. Points of Go may be in capital letters if the board has
    /// no such points, or as players say them (`Q16`, without an I); those of Hex as LittleGolem writes them (`aa`). A
    /// game that GM does not tell, by a number or a name, is read as Go.
    ///
    /// # Errors
    ///
    /// As for [`read_point`](Self::read_point).
    pub fn read_point_lenient(self, value: Value<'_>) -> Result<Point, ValueError> {
        self.read_point(value).or_else(|_| self.point_of(&lenient::dense(value)))
    }

    /// Reads one value of a list of points or stones by the letter of the standard: a point, a rectangle of them, or in
    /// Blokus the points of a piece. The points are made on demand; a rectangle has at most as many as the board.
    ///
    /// # Errors
    ///
    /// As for [`read_point`](Self::read_point), and [`ValueError::Corners`].
    pub fn read_points(self, value: Value<'_>) -> Result<Points<'_>, ValueError> {
        if let GameType::Blokus(_) = self.game {
            return blokus::points(self, value.raw(), false);
        }
        let Some((a, b)) = text::split_compose(value.raw()) else {
            return self.read_point(value).map(|point| Points::rectangle(point, point));
        };
        let (a, b) = (self.point(a)?, self.point(b)?);
        let upwards = self.game.rows_go_up();
        if a.x > b.x || (a.y > b.y) != upwards && a.y != b.y {
            return Err(ValueError::Corners);
        }
        Ok(Points::rectangle(a, b))
    }

    /// Reads one value of a list of points or stones as a person would: any two opposite corners, points as in
    /// [`read_point_lenient`](Self::read_point_lenient), and several points with commas between them.
    ///
    /// # Errors
    ///
    /// As for [`read_points`](Self::read_points), except for the corners.
    pub fn read_points_lenient(self, value: Value<'_>) -> Result<Points<'_>, ValueError> {
        self.read_points(value).or_else(|error| {
            match self.game {
                GameType::Blokus(_) => return blokus::points(self, value.raw(), true),
                GameType::Unknown if self.may_be_go() => {
                    return self.as_go().read_points_lenient(value).map_err(|_| error);
                }
                _ => {}
            }
            if value.raw().contains(&b',') {
                let notation = self.game.notation().ok_or(ValueError::Undefined)?;
                let style = Style { notation, separators: b",", glued: false, loose: true };
                return Points::row(value.raw(), style, |point| self.admits(point));
            }
            let text = lenient::dense(value);
            let (a, b) = text.split_once(':').unwrap_or((&text, &text));
            Ok(Points::rectangle(self.point_of(a)?, self.point_of(b)?))
        })
    }

    /// Reads a value of type Move by the letter of the standard, or of the document that defines the game's moves.
    ///
    /// # Errors
    ///
    /// As for [`read_point`](Self::read_point). But moves that no document defines are [`Move::Raw`].
    #[inline]
    pub fn read_move(self, value: Value<'_>) -> Result<Move<'_>, ValueError> {
        // Only Go is inlined; the rest would burden every caller's loop.
        if self.game == GameType::Go { go::read_move(self.size, value.raw()) } else { self.other_move(value) }
    }

    fn other_move(self, value: Value<'_>) -> Result<Move<'_>, ValueError> {
        match self.game {
            GameType::Hex => hex::read_move(self, value.raw()).map(|it| self.settle(it)),
            GameType::Blokus(_) => blokus::points(self, value.raw(), false).map(Move::Points),
            _ => other::read_move(self, value),
        }
    }

    /// Reads a value of type Move as a person would: points as in [`read_point_lenient`](Self::read_point_lenient), and in
    /// every game the words that Hex has for moves.
    ///
    /// # Errors
    ///
    /// As for [`read_move`](Self::read_move).
    pub fn read_move_lenient(self, value: Value<'_>) -> Result<Move<'_>, ValueError> {
        let strict = self.read_move(value);
        if matches!(strict, Ok(Move::Play(_) | Move::Pass)) { strict } else { self.move_of(value, strict) }
    }

    #[cold]
    fn move_of<'a>(self, value: Value<'a>, strict: Result<Move<'a>, ValueError>) -> Result<Move<'a>, ValueError> {
        let text = lenient::dense(value);
        if let Some(it) = super::moves::word(text.as_bytes()) {
            return Ok(self.settle(it));
        }
        match (self.game, strict) {
            (GameType::Unknown, strict) if self.may_be_go() => self.as_go().read_move_lenient(value).or(strict),
            // What is no point by the letter may be one without white space.
            (GameType::Gomoku | GameType::Twixt | GameType::Octi, Ok(raw @ Move::Raw(_))) => {
                self.point_of(&text).map(Move::Play).or(Ok(raw))
            }
            (GameType::Kropki, Ok(raw @ Move::Raw(_))) => other::kropki(self, text.as_bytes()).or(Ok(raw)),
            (_, Ok(it)) => Ok(it),
            (GameType::Go, Err(_)) if text.is_empty() => Ok(Move::Pass),
            (GameType::Go, Err(ValueError::OffBoard)) if text.eq_ignore_ascii_case("tt") => Ok(Move::Pass),
            (GameType::Blokus(_), Err(_)) => blokus::points(self, value.raw(), true).map(Move::Points),
            (GameType::Othello, Err(_)) => other::othello(self, &text),
            (_, Err(error)) => self.point_of(&text).map(Move::Play).map_err(|_| error),
        }
    }

    const fn as_go(mut self) -> Self {
        self.game = GameType::Go;
        self
    }

    /// The meaning of a swap, if the program that wrote it is known to mix them up.
    fn settle(self, it: Move<'_>) -> Move<'_> {
        match it {
            Move::SwapPieces if self.swaps_mixed_up => Move::SwapSides,
            _ => it,
        }
    }

    #[inline]
    pub(super) fn point(self, raw: &[u8]) -> Result<Point, ValueError> {
        let notation = self.game.notation().ok_or(ValueError::Undefined)?;
        self.on_board(notation.read(raw)?)
    }

    pub(super) fn on_board(self, point: Point) -> Result<Point, ValueError> {
        if self.admits(point) { Ok(point) } else { Err(ValueError::OffBoard) }
    }

    /// A point from text without white space.
    fn point_of(self, text: &str) -> Result<Point, ValueError> {
        let text = text.as_bytes();
        self.point(text).or_else(|error| match self.game {
            GameType::Unknown if self.may_be_go() => self.as_go().point(text),
            GameType::Go => go::other_point(self, text).ok_or(error),
            GameType::Hex => hex::other_point(self, text).ok_or(error),
            _ => Err(error),
        })
    }
}
