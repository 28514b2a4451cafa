//! What happens again and again for a while, such as failures on a full disk.
//!
//! Owns when the log is told: at once, once a minute as long as it lasts, and when it is over. Refuses to know what it is.

use std::time::{Duration, Instant};

/// How often the log is told, and how long nothing must have happened if nothing else tells that it is over.
const INTERVAL: Duration = Duration::from_secs(60);

/// Something that may be happening again and again.
#[derive(Debug, Default)]
pub(super) struct Spell(Option<Begun>);

#[derive(Debug)]
struct Begun {
    logged: Instant,
    last: Instant,
    not_logged: u64,
    total: u64,
}

impl Spell {
    /// It has happened so many times more. How many times the log has to be told of, if it is time to.
    pub(super) fn again(&mut self, times: u64, now: Instant) -> Option<u64> {
        let is_new = self.0.is_none();
        let begun = self.0.get_or_insert(Begun { logged: now, last: now, not_logged: 0, total: 0 });
        begun.last = now;
        begun.not_logged += times;
        begun.total += times;
        if !is_new && now.saturating_duration_since(begun.logged) < INTERVAL {
            return None;
        }
        begun.logged = now;
        Some(std::mem::take(&mut begun.not_logged))
    }

    /// Whether it was happening, but not for a while.
    pub(super) fn is_quiet(&self, now: Instant) -> bool {
        self.0.as_ref().is_some_and(|begun| now.saturating_duration_since(begun.last) >= INTERVAL)
    }

    /// It is over. How often it has happened, if it has.
    pub(super) fn end(&mut self) -> Option<u64> {
        self.0.take().map(|begun| begun.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_told_at_once_every_minute_and_at_the_end() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut spell = Spell::default();
        assert_eq!((spell.is_quiet(at(100)), spell.end()), (false, None));
        let told: Vec<_> = (0..130).filter_map(|second| spell.again(2, at(second))).collect();
        assert_eq!(told, [2, 120, 120]);
        assert!(!spell.is_quiet(at(188)) && spell.is_quiet(at(189)));
        assert_eq!((spell.end(), spell.end()), (Some(260), None));
        assert_eq!(spell.again(1, at(189)), Some(1), "another one");
    }
}
