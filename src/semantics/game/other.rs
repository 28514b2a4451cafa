//! The games that need little: their points, and moves that are only points.
//!
//! Where the standard defines the moves of a game, its pages are the source; for Havannah, Othello, Gomoku and Kropki,
//! the files that programs write. All other moves stay as they are.
//!
//! Owns how many points a move has, and what stands between them. Refuses to know whether a move is legal.

use crate::semantics::game::GameType;
use crate::semantics::points::{Points, Style};
use crate::semantics::{Board, Move, ValueError};
use crate::syntax::Value;

use super::moves;

pub(super) fn read_move<'a>(board: Board, value: Value<'a>) -> Result<Move<'a>, ValueError> {
    let raw = value.raw();
    let several = |raw: &'a [u8], separators, count| {
        let notation = board.game().notation().ok_or(ValueError::Undefined)?;
        let style = Style { notation, separators, glued: true, loose: false };
        let points = Points::row(raw, style, |point| board.admits(point))?;
        if points.len() == count { Ok(Move::Points(points)) } else { Err(ValueError::Malformed) }
    };
    match board.game() {
        GameType::Othello => board.point(raw).map(Move::Play),
        GameType::Kropki => kropki(board, raw).or(Ok(Move::Raw(value))),
        GameType::Havannah => worded(board, raw),
        // A longer move removes or adds links.
        GameType::Twixt => worded(board, raw).or(Ok(Move::Raw(value))),
        // In Gomoku some programs write `h8`, counted from whichever corner. In Octi, a pod brought to the board is a point;
        // everything else has prongs or jumps.
        GameType::Gomoku | GameType::Octi => board.point(raw).map(Move::Play).or(Ok(Move::Raw(value))),
        GameType::Amazons => several(raw, b"", 3),
        GameType::Gess => several(raw, b":", 2),
        GameType::LinesOfAction => moves::word(raw).map_or_else(
            || {
                // Signs such as `+` and `!` may follow; they are for people.
                let end = raw.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |last| last + 1);
                several(&raw[..end], b"-:", 2)
            },
            Ok,
        ),
        _ => Ok(Move::Raw(value)),
    }
}

fn worded<'a>(board: Board, raw: &[u8]) -> Result<Move<'a>, ValueError> {
    moves::word(raw).map_or_else(|| board.point(raw).map(Move::Play), Ok)
}

/// A point, and behind a dot what it surrounds: `bc.bccbbaabbc`. An empty move is grounding, which ends the game.
pub(super) fn kropki<'a>(board: Board, raw: &[u8]) -> Result<Move<'a>, ValueError> {
    let end = raw.iter().position(|&byte| byte == b'.').unwrap_or(raw.len());
    if raw.is_empty() { Ok(Move::Pass) } else { board.point(&raw[..end]).map(Move::Play) }
}

/// A move of Othello as game servers write it: `d3/0.42/0.01` with an evaluation and the time, `PA` for a pass.
pub(super) fn othello<'a>(board: Board, text: &str) -> Result<Move<'a>, ValueError> {
    let field = text.split('/').next().unwrap_or_default();
    if ["pa", "pass"].iter().any(|pass| pass.eq_ignore_ascii_case(field)) {
        return Ok(Move::Pass);
    }
    board.point(field.as_bytes()).map(Move::Play)
}
