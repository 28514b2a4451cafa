//! What a service allows.
//!
//! Owns [`Settings`], and the calculation of how much memory they add up to.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use crate::listen::Token;
use crate::listen::budget::charge;
use crate::syntax::{Config, Limits};
use crate::text::{Charsets, EscapeUnit};

/// What a service allows, and how it reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// What clients send first; `None` if everybody may send.
    pub token: Option<Token>,
    /// Whether the games themselves are stored too, besides what is known of them. A game that is stored already keeps the
    /// row that it has, so a store should keep to one or the other, see
    /// [`Found::keeps_games`](crate::listen::Found::keeps_games).
    pub keep_games: bool,
    /// How games are read. [`Limits::game`] bounds what one game can take; if it is not set, 16 MiB does.
    /// [`Limits::problems`] bounds only how many places between two games are reported.
    ///
    /// [Repairing brackets](Config::repair_brackets) looks at what comes after a game. So a game that ends in a text is
    /// not acknowledged before the next one comes or the connection ends, and clients that wait for each answer get
    /// stuck.
    pub config: Config,
    /// Connections at a time. A further one receives a refusal and is closed. Each needs a file descriptor.
    pub connections: usize,
    /// Connections at a time from one address; `None` for no separate bound, as behind a proxy, whose address all of
    /// them have.
    pub connections_per_address: Option<usize>,
    /// Bytes that all connections together may take for games, rows and answers. This does not include the ids that an
    /// [`NdjsonFile`](crate::listen::NdjsonFile) keeps, nor what the operating system holds for a socket.
    pub memory: u64,
    /// How long a connection may go without a game, whether it sends or not. Delays of the service itself do not count.
    pub idle: Duration,
    /// How long a game may take from its first byte to its last, counted in the same way. In GBK, GB18030, Big5 and
    /// Shift_JIS, a game whose last text has a character with a bracket or a backslash in it may end only there if nothing
    /// comes behind it; so may one whose brackets are repaired. It is stored then, if nothing has come behind it, or if its
    /// text makes sense.
    pub game_time: Duration,
    /// How long connections may take to end when the service stops.
    pub grace: Duration,
}

impl Settings {
    /// For uploads from strangers: [`Limits::untrusted`]; charsets and escapes are worked out from the text; 1,000
    /// connections; 512 MiB; 5 minutes without a game; 2 minutes for a game; 30 seconds to stop.
    pub fn new() -> Self {
        Self {
            token: None,
            keep_games: false,
            config: Config::new().limits(Limits::untrusted()).charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto),
            connections: 1_000,
            connections_per_address: None,
            memory: 512 << 20,
            idle: Duration::from_secs(300),
            game_time: Duration::from_secs(120),
            grace: Duration::from_secs(30),
        }
    }

    /// Checks whether a service with these settings may listen on an address.
    ///
    /// # Errors
    ///
    /// [`SettingsError::NoToken`] if other machines could reach it, and nothing stands between them and the store.
    pub fn check_address(&self, address: SocketAddr) -> Result<(), SettingsError> {
        let is_loopback = address.ip().to_canonical().is_loopback();
        if self.token.is_some() || is_loopback { Ok(()) } else { Err(SettingsError::NoToken) }
    }

    /// Checks whether these settings are usable, wherever the service listens.
    ///
    /// # Errors
    ///
    /// [`SettingsError`], except [`NoToken`](SettingsError::NoToken).
    pub fn check(&self) -> Result<(), SettingsError> {
        self.plan().map(drop)
    }

    pub(super) fn game_limit(&self) -> u64 {
        match self.config.limits.game {
            u64::MAX => crate::read::GameDecoder::DEFAULT_LIMIT,
            limit => limit,
        }
    }

    /// How the memory is divided.
    pub(super) fn plan(&self) -> Result<Plan, SettingsError> {
        if self.connections == 0 {
            return Err(SettingsError::Connections);
        }
        if self.game_limit() > LONGEST_GAME {
            return Err(SettingsError::Game { most: LONGEST_GAME });
        }
        let queue = row_units(QUEUE).max(row_units(self.row(self.game_limit())));
        let largest = charge(self.game_limit().saturating_add(READ as u64));
        let rows = u64::from(queue) * ROW_UNIT;
        let fixed = (self.connections as u64).saturating_mul(CONNECTION).saturating_add(rows);
        let least = fixed.saturating_add(largest);
        if self.memory < least {
            return Err(SettingsError::Memory { least });
        }
        Ok(Plan { queue, budget: self.memory - fixed, largest })
    }

    /// The memory that the row of a game can take: 1 MiB of texts, each byte of which takes at most 6; and the game
    /// once more, with each byte escaped.
    pub(super) fn row(&self, game: u64) -> u64 {
        let kept = if self.keep_games { game.saturating_mul(2) } else { 0 };
        let row = game.saturating_mul(8).min(kept.saturating_add(8 << 20));
        row.saturating_add(ENTRY as u64 + (2 << 10))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

/// What a connection takes while its games are small: the bytes it has read, and its answers.
const CONNECTION: u64 = 160 << 10;

/// Memory for rows before they are stored.
const QUEUE: u64 = 64 << 20;

/// What a row takes besides its bytes.
pub(super) const ENTRY: usize = 256;

/// How much is read at once.
pub(super) const READ: usize = 16 << 10;

/// A game up to this size is read at once; a larger one waits until there is memory.
pub(super) const SMALL: usize = 64 << 10;

/// In what the memory for rows is counted: of bytes there may be more than a semaphore counts.
const ROW_UNIT: u64 = 1 << 10;

/// The longest game that settings may allow. Its buffer, with what it takes to make that larger, has to fit the address
/// space, and its row the count of [`ROW_UNIT`]s.
const LONGEST_GAME: u64 = if usize::BITS < 64 { isize::MAX as u64 / 4 } else { 1 << 40 };

/// How many units the bytes of rows take.
pub(super) const fn row_units(bytes: u64) -> u32 {
    let units = bytes.div_ceil(ROW_UNIT);
    if units > u32::MAX as u64 { u32::MAX } else { units as u32 }
}

/// How much of everything there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// For rows, in [units](row_units).
    pub(super) queue: u32,
    /// For games over [`SMALL`] that are not rows yet, in bytes.
    pub(super) budget: u64,
    /// The most bytes that one of these games can take.
    pub(super) largest: u64,
}

/// Why settings are not usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsError {
    /// No connection is allowed.
    Connections,
    /// The memory is not enough for the connections and one game of the largest size.
    Memory {
        /// The bytes that would be enough.
        least: u64,
    },
    /// The [longest game](Settings::config) that is allowed is more than can be held in memory here.
    Game {
        /// The most bytes that may be allowed.
        most: u64,
    },
    /// Without a token, the service may only listen on addresses of this machine.
    NoToken,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connections => f.write_str("a service without connections has nothing to do"),
            Self::Memory { least } => {
                write!(
                    f,
                    "so many connections and the longest game need at least {} MiB of memory",
                    least.div_ceil(1 << 20)
                )
            }
            Self::Game { most } => {
                write!(f, "the longest game may have at most {} MiB here", most >> 20)
            }
            Self::NoToken => {
                f.write_str("without a token the service listens to this machine alone (127.0.0.1 or ::1)")
            }
        }
    }
}

impl std::error::Error for SettingsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_token_only_loopback_addresses_are_allowed() {
        let mut settings = Settings::new();
        for (address, may) in [
            ("127.0.0.1:1", true),
            ("127.9.9.9:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.0.2.1:1", false),
            ("[::ffff:192.0.2.1]:1", false),
        ] {
            assert_eq!(settings.check_address(address.parse().unwrap()).is_ok(), may, "{address}");
        }
        settings.token = Token::new(b"open sesame").ok();
        assert!(settings.check_address("0.0.0.0:1".parse().unwrap()).is_ok());
    }

    #[test]
    fn memory_must_suffice_for_one_large_game() {
        let mut settings = Settings::new();
        let Plan { budget, largest, .. } = settings.plan().unwrap();
        assert!(budget > largest);
        settings.memory = 1 << 20;
        let Err(SettingsError::Memory { least }) = settings.plan() else { panic!("a megabyte is not enough") };
        settings.memory = least;
        assert!(matches!(settings.plan(), Ok(Plan { budget, largest, .. }) if budget == largest));
        settings.memory = least - 1;
        assert!(settings.plan().is_err());
        (settings.memory, settings.connections) = (1 << 40, usize::MAX);
        assert!(settings.plan().is_err(), "overflow");
    }

    #[test]
    fn the_longest_game_has_a_row_that_can_be_counted() {
        let mut settings = Settings::new();
        (settings.keep_games, settings.memory) = (true, u64::MAX);
        settings.config.limits.game = LONGEST_GAME;
        let Plan { queue, .. } = settings.plan().unwrap();
        assert!(u64::from(queue) * ROW_UNIT >= 2 * LONGEST_GAME);
        assert!(queue as usize <= tokio::sync::Semaphore::MAX_PERMITS);
        for longer in [LONGEST_GAME + 1, u64::MAX - 1] {
            settings.config.limits.game = longer;
            assert_eq!(settings.check(), Err(SettingsError::Game { most: LONGEST_GAME }));
        }
    }
}
