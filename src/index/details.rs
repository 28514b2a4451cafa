//! What a sink keeps of a game beyond its row.
//!
//! Owns [`Details`], and which moves, setup, comments and positions they are, in which order, so that all sinks keep the same.
//! Refuses to know how a sink writes them.

use std::borrow::Cow;

use crate::record::{GameRecord, Wants};
use crate::syntax::Ident;

/// What is kept of each game beyond the columns. It begins as nothing:
///
/// ```
/// use sgf_stream::index::Details;
///
/// let mut details = Details::default();
/// details.moves = true;
/// # let _ = details;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Details {
    /// The moves and the setup of the main line: what positions can be rebuilt from.
    pub moves: bool,
    /// The hashes of the positions after each of the first N moves of the main line, see [`GameRecord::positions`]; 0
    /// for none.
    pub positions: u32,
    /// The comments: C of every node, and GC.
    pub comments: bool,
}

impl Details {
    /// What must be read of a game for these details.
    pub fn wants(self) -> Wants {
        Wants { moves: self.moves || self.positions > 0, texts: self.comments, ..Wants::HEADER }
    }
}

/// The moves of the main line, without setup: the property of the player who moves, such as `B`, and the move as it is written,
/// or the spelling of a pass.
pub(super) fn moves(record: &GameRecord) -> impl Iterator<Item = (Cow<'static, str>, Cow<'_, str>)> {
    let board = record.board();
    let moves = record.line().filter(move |&(ident, _)| board.plays(ident).is_some());
    moves.map(|(ident, raw)| (name(ident), String::from_utf8_lossy(if raw.is_empty() { record.pass() } else { raw })))
}

/// Nearly every move is one of these two.
fn name(ident: Ident) -> Cow<'static, str> {
    match ident {
        Ident::B => "B".into(),
        Ident::W => "W".into(),
        other => other.to_string().into(),
    }
}

/// The setup of the main line, in order: how many moves come before it, the property, and its value as it is written. Whose
/// turn it is (PL) is not among it.
pub(super) fn setup(record: &GameRecord) -> impl Iterator<Item = (u64, Ident, Cow<'_, str>)> {
    let board = record.board();
    let mut moves = 0;
    record.line().filter_map(move |(ident, raw)| {
        let is_move = board.plays(ident).is_some();
        moves += u64::from(is_move);
        (!is_move).then(|| (moves, ident, String::from_utf8_lossy(raw)))
    })
}

/// The setup of the main line as texts, such as `AB[dd]`; behind a move with its number, `12:AE[dd]`.
pub(super) fn setup_texts(record: &GameRecord) -> impl Iterator<Item = String> {
    setup(record).map(|(moves, ident, points)| match moves {
        0 => format!("{ident}[{points}]"),
        _ => format!("{moves}:{ident}[{points}]"),
    })
}

/// The comments in the order of the document, after the one on the game: the node that each stands in, counted from 1, its
/// property, and its text.
pub(super) fn comments(record: &GameRecord) -> impl Iterator<Item = (u64, Ident, Cow<'_, str>)> {
    let of_the_game = record.value(Ident::GC).map(|value| value.text()).filter(|text| !text.trim().is_empty());
    let of_nodes = record.comment_texts().map(|(node, text)| (node, Ident::C, text));
    of_the_game.into_iter().map(|text| (1, Ident::GC, text)).chain(of_nodes)
}

/// The hashes of the first positions.
pub(super) fn positions(record: &GameRecord, most: u32) -> impl Iterator<Item = (u64, u64)> {
    record.positions().take(most as usize)
}
