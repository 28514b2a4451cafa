//! Which game a file of the server Little Golem is of: it never writes GM.
//!
//! Owns what EV and SO tell of it, in any order.

use super::GameType;
use crate::syntax::Ident;

/// What is known of a game whose GM is missing so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct LittleGolem {
    /// The game is known without it.
    is_settled: bool,
    is_source: bool,
    event: Option<GameType>,
}

impl LittleGolem {
    /// The game is known, whoever wrote it.
    pub(super) const OTHER: Self = Self { is_settled: true, is_source: false, event: None };

    /// Takes a value of EV or SO.
    pub(super) fn learn(&mut self, ident: Ident, raw: &[u8]) {
        const NAME: &[u8] = b"littlegolem";
        if ident == Ident::EV {
            self.event = self.event.or_else(|| of_event(raw));
        } else {
            self.is_source |= raw.windows(NAME.len()).any(|it| it.eq_ignore_ascii_case(NAME));
        }
    }

    /// The game, if Little Golem wrote it and nothing else tells which it is.
    pub(super) fn game(self) -> Option<GameType> {
        (self.is_source && !self.is_settled).then(|| self.event.unwrap_or(GameType::Unknown))
    }
}

/// The games of the server that are known here, as its tournaments call them.
const GAMES: [(&[u8], GameType); 10] = [
    (b"amazon", GameType::Amazons),
    (b"amazons", GameType::Amazons),
    (b"chess", GameType::Chess),
    (b"go", GameType::Go),
    (b"gomoku", GameType::Gomoku),
    (b"havannah", GameType::Havannah),
    (b"hex", GameType::Hex),
    (b"loa", GameType::LinesOfAction),
    (b"reversi", GameType::Othello),
    (b"twixt", GameType::Twixt),
];

/// The game of a tournament: `hex.ch.32.2.1`, `go19.mc.2010.mar.1.21`, `twixt`.
fn of_event(raw: &[u8]) -> Option<GameType> {
    let len = raw.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let (name, behind) = raw.split_at(len);
    let ends = behind.iter().find(|byte| !byte.is_ascii_digit()).is_none_or(|&byte| byte == b'.');
    GAMES.iter().find(|&&(game, _)| ends && game == name).map(|&(_, game)| game)
}
