//! What makes two moves the same, however they are spelled.
//!
//! Owns the digests that the hash of the main line is made of, which are the same on all machines and in all versions.
//! Invariant: what a game's players would call one move has one digest. A move of two letters, as nearly all are, is
//! digested as it stands. Refuses to know which moves are on the line.

use crate::semantics::blokus::{Owner, Variant};
use crate::semantics::{Board, GameType, Point};
use crate::stable::{hash_from, mix};
use crate::syntax::{Ident, Position, Value};
use crate::text::Writing;

/// The digest of a move without white space around it. In Hex its case does not matter; in Blokus neither its case nor
/// the order of its points, and colours may be numbers or names.
#[inline]
pub(super) fn of_move(board: Board, ident: Ident, raw: &[u8]) -> u64 {
    match board.game() {
        GameType::Hex => digest(ident, raw, |byte| byte.to_ascii_lowercase()),
        GameType::Blokus(variant) => of_piece(variant, ident, raw),
        _ => digest(ident, raw, |byte| byte),
    }
}

/// Whether the digest of a move of two letters depends on the game.
#[inline]
pub(super) const fn depends_on_game(board: Board) -> bool {
    matches!(board.game(), GameType::Hex | GameType::Blokus(_))
}

/// The digest of a move of two bytes in other games, by the letter of its colour.
#[inline]
pub(super) fn of_point(color: u8, [x, y]: [u8; 2]) -> u64 {
    const BLACK: u64 = start([b'B', 0, 0], 2);
    const WHITE: u64 = start([b'W', 0, 0], 2);
    mix(if color == b'B' { BLACK } else { WHITE } ^ u64::from(u16::from_be_bytes([x, y])))
}

/// The digest of setup. The digests of several values are added up, because their order does not matter; so that of a
/// rectangle is the sum of those of its points, of which `left` more may be added up.
pub(super) fn of_setup(board: Board, ident: Ident, raw: &[u8], left: &mut usize) -> u64 {
    let raw = raw.trim_ascii();
    if let GameType::Hex | GameType::Blokus(_) = board.game() {
        return of_move(board, ident, raw);
    }
    let value = Value { position: Position::default(), writing: Writing::default(), raw };
    let points = if raw.contains(&b':') { board.read_points_lenient(value).ok() } else { None };
    match points {
        Some(points) if points.len() <= *left => {
            *left -= points.len();
            let letters = points.filter_map(Point::letters);
            letters.fold(0, |sum, letters| sum.wrapping_add(digest(ident, &letters, |byte| byte)))
        }
        _ => digest(ident, raw, |byte| byte),
    }
}

fn of_piece(variant: Variant, ident: Ident, raw: &[u8]) -> u64 {
    let points =
        raw.split(|&byte| byte == b',').map(|point| hash_from(0, point.trim_ascii(), |byte| byte.to_ascii_lowercase()));
    let points = points.fold(0, u64::wrapping_add);
    let whose = match variant.role(ident) {
        Some((_, Owner::Color(number))) => u64::from(number),
        Some((_, Owner::Player(number))) => u64::from(number) << 8,
        None => digest(ident, b"", |byte| byte),
    };
    mix(points ^ mix(whose))
}

fn digest(ident: Ident, raw: &[u8], fold: impl Fn(u8) -> u8) -> u64 {
    hash_from(start(ident.head(), raw.len() as u8), raw, fold)
}

const fn start([a, b, c]: [u8; 3], len: u8) -> u64 {
    mix(u64::from_be_bytes([a, b, c, 0, 0, 0, 0, len]))
}
