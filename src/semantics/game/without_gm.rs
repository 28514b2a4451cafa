//! Which game a file without GM is of: some sites never write it, and not all of their games are Go.
//!
//! Owns what EV, FF, SO and US tell of it, in any order.

use super::GameType;
use crate::syntax::Ident;

/// What is known of a game whose GM is missing so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct WithoutGm {
    /// The game is known without it.
    is_settled: bool,
    site: Option<Site>,
    event: Option<GameType>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Site {
    /// EV tells which game it is.
    LittleGolem,
    /// It has Renju and Gomoku only.
    Iwzq,
}

impl WithoutGm {
    /// The game is known, whoever wrote it.
    pub(super) const SETTLED: Self = Self { is_settled: true, ..Self::OPEN };

    /// Nothing is known of it.
    pub(super) const OPEN: Self = Self { is_settled: false, site: None, event: None };

    /// Takes a value of EV, FF, SO or US.
    pub(super) fn learn(&mut self, ident: Ident, raw: &[u8]) {
        let names = |name: &str| raw.windows(name.len()).any(|it| it.eq_ignore_ascii_case(name.as_bytes()));
        match ident {
            Ident::EV => self.event = self.event.or_else(|| of_event(raw)),
            // So Little Golem and conhex.com write `ConHex`, which has no number.
            Ident::FF if raw.eq_ignore_ascii_case(b"conhex") => self.site = Some(Site::LittleGolem),
            Ident::SO if names("littlegolem") => self.site = Some(Site::LittleGolem),
            Ident::US if names("iwzq.com") => self.site = Some(Site::Iwzq),
            _ => {}
        }
    }

    /// The game, if one of the sites wrote it and nothing else tells which it is.
    pub(super) fn game(self) -> Option<GameType> {
        let site = self.site.filter(|_| !self.is_settled)?;
        Some(match site {
            Site::LittleGolem => self.event.unwrap_or(GameType::Unknown),
            Site::Iwzq => GameType::Gomoku,
        })
    }
}

/// The games of Little Golem that are known here, as its tournaments call them.
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
