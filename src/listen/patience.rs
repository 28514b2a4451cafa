//! How long a connection may take.
//!
//! Owns two clocks that run only while the service waits for the client: what the service itself is late with, because its
//! store is, is not the client's fault.

use std::time::Duration;

use crate::listen::answer::Reason;

/// The clocks of a connection.
///
/// Bytes alone reset neither, or one byte a minute would hold a connection for ever. Games do.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    idle: Duration,
    game: Duration,
    /// Waited since the last game was over.
    since_game: Duration,
    /// Waited since the game in progress began.
    in_game: Duration,
}

impl Patience {
    pub(super) fn new(idle: Duration, game: Duration) -> Self {
        Self { idle, game, since_game: Duration::ZERO, in_game: Duration::ZERO }
    }

    /// How much longer to wait, and what it was that took too long if nothing comes until then. What may be a game counts as
    /// one; that it was none shows when the time for both is over.
    pub(super) fn left(&self, has_begun: bool) -> (Duration, Reason) {
        if has_begun {
            let both = self.idle.saturating_add(self.game).saturating_sub(self.since_game);
            (self.game.saturating_sub(self.in_game).min(both), Reason::GameTime)
        } else {
            (self.idle.saturating_sub(self.since_game), Reason::Idle)
        }
    }

    pub(super) fn waited(&mut self, time: Duration, has_begun: bool) {
        self.since_game += time;
        if has_begun {
            self.in_game += time;
        } else {
            self.in_game = Duration::ZERO;
        }
    }

    pub(super) fn game_is_over(&mut self) {
        self.since_game = Duration::ZERO;
        self.in_game = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn nothing_but_a_game_starts_the_clocks_anew() {
        let mut patience = Patience::new(10 * SECOND, 5 * SECOND);
        patience.waited(9 * SECOND, false);
        assert_eq!(patience.left(false), (SECOND, Reason::Idle));
        assert_eq!(patience.left(true), (5 * SECOND, Reason::GameTime));
        patience.waited(4 * SECOND, true);
        assert_eq!(patience.left(true), (SECOND, Reason::GameTime));
        // It was no game, and then another one begins that may be none.
        patience.waited(SECOND, false);
        assert_eq!(patience.left(true), (SECOND, Reason::GameTime));
        assert_eq!(patience.left(false), (Duration::ZERO, Reason::Idle));
        patience.game_is_over();
        assert_eq!(patience.left(false), (10 * SECOND, Reason::Idle));
        assert_eq!(patience.left(true), (5 * SECOND, Reason::GameTime));
    }
}
