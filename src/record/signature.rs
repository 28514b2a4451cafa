//! What distinguishes a game from all others: where a few of its moves are.
//!
//! Owns [`Signature`] and its eight symmetries. Which moves make one is for `main_line`.

use std::fmt;

use crate::semantics::{Board, GameType, Point, Size};

/// How many bytes of a move are kept: all of it in every game, except those whose moves are long lists.
const MOST: usize = 15;

/// A move as written, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Kept {
    bytes: [u8; MOST],
    /// Zero for none.
    len: u8,
}

impl Kept {
    /// Of a longer move, its first [`MOST`] bytes.
    pub(super) fn new(raw: &[u8]) -> Self {
        let raw = &raw[..raw.len().min(MOST)];
        let mut bytes = [0; MOST];
        bytes[..raw.len()].copy_from_slice(raw);
        Self { bytes, len: raw.len() as u8 }
    }

    fn bytes(&self) -> &[u8] {
        if self.len == 0 { b"??" } else { &self.bytes[..usize::from(self.len)] }
    }
}

/// The spelling of an empty move: the pass that older files write, where `tt` is no point of the board.
pub(super) const fn pass(size: Option<Size>) -> &'static [u8] {
    match size {
        Some(size) if size.columns > 19 || size.rows > 19 => b"--",
        _ => b"tt",
    }
}

/// Dave Dyer's signature of a game: three of its moves, as they are written. Two Go games that share a signature are
/// very probably the same game.
///
/// As text, the moves stand one after the other, with `??` for one that the game does not have: `pdfcnc`, `cfdq??`. A
/// pass is `tt`, however it is written; on boards larger than 19 by 19, where `tt` is a point, an empty move is `--`.
/// Of a move that is longer than 15 bytes, as in Blokus, only the first 15 count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature(pub(super) [Kept; 3]);

impl Signature {
    /// True if the game has none of the moves, so that the signature says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|kept| kept.len == 0)
    }

    /// True if the game has all three moves.
    pub fn is_full(&self) -> bool {
        self.0.iter().all(|kept| kept.len > 0)
    }

    /// The least, by its text, of the signatures of the game turned and mirrored in all eight ways; in four ways if the
    /// board is not square. It is equal for games that differ only in which corner was played first.
    ///
    /// `None` if it is not known what the eight ways are: in games other than Go, Gomoku and Kropki, and with a move
    /// that is no point of the board.
    pub fn symmetric(&self, board: Board) -> Option<Self> {
        let size = match board.game() {
            GameType::Go | GameType::Gomoku | GameType::Kropki => board.size(),
            // As its moves are read: like those of Go.
            GameType::Unknown if board.may_be_go() => board.size().or(GameType::Go.default_size()),
            _ => None,
        }?;
        let points = self.0.map(|kept| match kept.bytes() {
            b"??" => Some(None),
            raw if raw == pass(Some(size)) => Some(None),
            &[x, y] => Point::from_letters([x, y]).filter(|&it| it.x < size.columns && it.y < size.rows).map(Some),
            _ => None,
        });
        let [Some(a), Some(b), Some(c)] = points else { return None };
        let points = [a, b, c];
        let turned = |way| {
            let mut turned = *self;
            for (kept, point) in turned.0.iter_mut().zip(points) {
                if let Some(letters) = point.and_then(|point| turn(point, size, way).letters()) {
                    *kept = Kept::new(&letters);
                }
            }
            turned
        };
        (0..ways(size)).map(turned).min_by(|a, b| a.pieces().cmp(b.pieces()))
    }

    /// Four bytes for each move, cut short or filled up with zeros.
    #[cfg(feature = "index")]
    pub(crate) fn cut(&self) -> [u8; 12] {
        let mut cut = [0; 12];
        for (four, kept) in cut.chunks_exact_mut(4).zip(&self.0) {
            let bytes = kept.bytes();
            let len = bytes.len().min(4);
            four[..len].copy_from_slice(&bytes[..len]);
        }
        cut
    }

    fn pieces(&self) -> impl Iterator<Item = u8> {
        self.0.iter().flat_map(|kept| kept.bytes().iter().copied())
    }
}

/// In how many ways a board can be turned and mirrored.
pub(super) const fn ways(size: Size) -> u8 {
    if size.columns == size.rows { 8 } else { 4 }
}

/// A point after the board is turned or mirrored: bits 0 and 1 mirror it, bit 2 exchanges columns and rows.
pub(super) fn turn(Point { x, y }: Point, size: Size, way: u8) -> Point {
    let x = if way & 1 == 0 { x } else { size.columns - 1 - x };
    let y = if way & 2 == 0 { y } else { size.rows - 1 - y };
    if way & 4 == 0 { Point::new(x, y) } else { Point::new(y, x) }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|kept| f.write_str(&String::from_utf8_lossy(kept.bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(moves: [&str; 3]) -> Signature {
        Signature(moves.map(|it| if it == "??" { Kept::default() } else { Kept::new(it.as_bytes()) }))
    }

    #[test]
    fn the_eight_symmetries_have_the_same_least_signature() {
        let board = Board::new(GameType::Go);
        let least = signature(["ab", "cd", "??"]);
        for moves in [["ab", "cd"], ["ba", "dc"], ["sb", "qd"], ["ar", "cp"], ["sr", "qp"], ["rs", "pq"], ["bs", "dq"]]
        {
            let found = signature([moves[0], moves[1], "??"]).symmetric(board).unwrap();
            assert_eq!(found, least, "{moves:?}");
        }
        assert_eq!(least.to_string(), "abcd??");
    }

    #[test]
    fn a_pass_stays_where_it_is() {
        let board = Board::new(GameType::Go);
        assert_eq!(signature(["tt", "sb", "tt"]).symmetric(board).unwrap().to_string(), "ttabtt");
    }

    #[test]
    fn signatures_without_points_of_go_have_no_symmetries() {
        let go = Board::new(GameType::Go);
        assert_eq!(signature(["zz", "ab", "??"]).symmetric(go), None);
        assert_eq!(signature(["a1", "ab", "??"]).symmetric(go), None);
        assert_eq!(signature(["ab", "cd", "??"]).symmetric(Board::new(GameType::Hex)), None);
        let oblong = go.sized(Size { columns: 5, rows: 3 });
        assert_eq!(signature(["eb", "ec", "??"]).symmetric(oblong).unwrap().to_string(), "abaa??");
    }
}
