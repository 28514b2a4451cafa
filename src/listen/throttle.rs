//! What happens again and again for a while, such as failures on a full disk.
//!
//! Owns when the log is told: at once, once a minute as long as it lasts, and when it is over. Refuses to know what it is.

use std::time::{Duration, Instant};

/// How often the log is told, and how long nothing must have happened if nothing else tells that it is over.
const INTERVAL: Duration = Duration::from_secs(60);

/// Limits how often the log is told of something that may be happening again and again.
#[derive(Debug, Default)]
pub(super) struct LogThrottle(Option<Episode>);

#[derive(Debug)]
struct Episode {
    logged: Instant,
    last: Instant,
    not_logged: u64,
    total: u64,
}

impl LogThrottle {
    /// It has happened so many times more. How many times the log has to be told of, if it is time to.
    pub(super) fn again(&mut self, times: u64, now: Instant) -> Option<u64> {
        let is_new = self.0.is_none();
        let episode = self.0.get_or_insert(Episode { logged: now, last: now, not_logged: 0, total: 0 });
        episode.last = now;
        episode.not_logged += times;
        episode.total += times;
        if !is_new && now.saturating_duration_since(episode.logged) < INTERVAL {
            return None;
        }
        episode.logged = now;
        Some(std::mem::take(&mut episode.not_logged))
    }

    /// Whether it was happening, but not for a while.
    pub(super) fn is_quiet(&self, now: Instant) -> bool {
        self.0.as_ref().is_some_and(|episode| now.saturating_duration_since(episode.last) >= INTERVAL)
    }

    /// It is over. How often it has happened, if it has.
    pub(super) fn end(&mut self) -> Option<u64> {
        self.0.take().map(|episode| episode.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_told_at_once_every_minute_and_at_the_end() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut throttle = LogThrottle::default();
        assert_eq!((throttle.is_quiet(at(100)), throttle.end()), (false, None));
        let told: Vec<_> = (0..130).filter_map(|second| throttle.again(2, at(second))).collect();
        assert_eq!(told, [2, 120, 120]);
        assert!(!throttle.is_quiet(at(188)) && throttle.is_quiet(at(189)));
        assert_eq!((throttle.end(), throttle.end()), (Some(260), None));
        assert_eq!(throttle.again(1, at(189)), Some(1), "another one");
    }
}
