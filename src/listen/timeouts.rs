//! How long a connection may take.
//!
//! Owns two clocks. They stand still while the service itself is the cause of the wait: a delay in its store or its
//! memory is not the client's fault. A client that never stops sending is.

use std::time::Duration;

use tokio::time::Instant;

use crate::listen::answer::Reason;

/// The clocks of a connection.
///
/// Bytes alone reset neither clock, or one byte a minute would hold a connection for ever. Games do.
#[derive(Clone, Debug)]
pub(super) struct Timeouts {
    idle: Duration,
    game: Duration,
    /// Time that has passed since the last game was over.
    since_game: Duration,
    /// Time that has passed since the game in progress began.
    in_game: Duration,
    /// The moment up to which all this is counted.
    counted: Instant,
}

impl Timeouts {
    pub(super) fn new(idle: Duration, game: Duration, now: Instant) -> Self {
        Self { idle, game, since_game: Duration::ZERO, in_game: Duration::ZERO, counted: now }
    }

    /// How much longer to wait, and what took too long if nothing comes until then. Anything that may be a game counts
    /// as one; if it was none, that shows once the time for both is over.
    pub(super) fn remaining(&self, has_begun: bool) -> (Duration, Reason) {
        if has_begun {
            let both = self.idle.saturating_add(self.game).saturating_sub(self.since_game);
            (self.game.saturating_sub(self.in_game).min(both), Reason::GameTime)
        } else {
            (self.idle.saturating_sub(self.since_game), Reason::Idle)
        }
    }

    /// Counts the time up to now as the client's.
    pub(super) fn advance(&mut self, now: Instant, has_begun: bool) -> Duration {
        let time = now.saturating_duration_since(self.counted);
        self.counted = now;
        self.since_game += time;
        if has_begun {
            self.in_game += time;
        } else {
            self.in_game = Duration::ZERO;
        }
        time
    }

    /// Some of the time up to now was not the client's.
    pub(super) fn exclude(&mut self, time: Duration) {
        self.counted += time;
    }

    /// Too large a game does not count as one that came, or something longer than any game could go on for ever.
    pub(super) fn game_is_given_up(&mut self) {
        self.in_game = Duration::ZERO;
    }

    /// Both clocks begin anew.
    pub(super) fn game_is_over(&mut self, now: Instant) {
        self.since_game = Duration::ZERO;
        self.in_game = Duration::ZERO;
        self.counted = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn only_a_game_restarts_the_clocks() {
        let mut now = Instant::now();
        let mut timeouts = Timeouts::new(10 * SECOND, 5 * SECOND, now);
        let mut advance = |timeouts: &mut Timeouts, seconds: u32, has_begun| {
            now += seconds * SECOND;
            timeouts.advance(now, has_begun);
            now
        };
        advance(&mut timeouts, 9, false);
        assert_eq!(timeouts.remaining(false), (SECOND, Reason::Idle));
        assert_eq!(timeouts.remaining(true), (5 * SECOND, Reason::GameTime));
        advance(&mut timeouts, 4, true);
        assert_eq!(timeouts.remaining(true), (SECOND, Reason::GameTime));
        // That was not a game; then another possible game begins.
        advance(&mut timeouts, 1, false);
        assert_eq!(timeouts.remaining(true), (SECOND, Reason::GameTime));
        assert_eq!(timeouts.remaining(false), (Duration::ZERO, Reason::Idle));
        let now = advance(&mut timeouts, 1, false);
        timeouts.game_is_over(now);
        assert_eq!(timeouts.remaining(false), (10 * SECOND, Reason::Idle));
        assert_eq!(timeouts.remaining(true), (5 * SECOND, Reason::GameTime));
    }

    #[test]
    fn delays_of_the_service_do_not_count() {
        let begun = Instant::now();
        let mut timeouts = Timeouts::new(10 * SECOND, 5 * SECOND, begun);
        timeouts.exclude(60 * SECOND);
        timeouts.advance(begun + 62 * SECOND, true);
        assert_eq!(timeouts.remaining(true), (3 * SECOND, Reason::GameTime));
        assert_eq!(timeouts.remaining(false), (8 * SECOND, Reason::Idle));
    }
}
