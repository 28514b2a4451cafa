//! Lengths of time: `1h30m`, `2 hours`, `1:30:00`, `3시간 30분`.
//!
//! Owns the units. Refuses to know whether a length of time is for a game, a period or a move.

use std::time::Duration;

use super::Score;
use super::scan::Scan;
use super::words::{Words, sorted};

const UNITS: Words<i64> = Words::new(&sorted([
    ("s", 1),
    ("sec", 1),
    ("secs", 1),
    ("second", 1),
    ("seconds", 1),
    ("sek", 1),
    ("sekunden", 1),
    ("\"", 1),
    ("''", 1),
    ("秒", 1),
    ("秒钟", 1),
    ("secondes", 1),
    ("segundos", 1),
    ("secondi", 1),
    ("сек", 1),
    ("секунд", 1),
    ("초", 1),
    ("m", 60),
    ("mn", 60),
    ("min", 60),
    ("mins", 60),
    ("minute", 60),
    ("minutes", 60),
    ("minuten", 60),
    ("minuti", 60),
    ("minutos", 60),
    ("minuto", 60),
    ("мин", 60),
    ("минут", 60),
    ("минуты", 60),
    ("'", 60),
    ("分", 60),
    ("分钟", 60),
    ("분", 60),
    ("h", 3_600),
    ("hr", 3_600),
    ("hrs", 3_600),
    ("hour", 3_600),
    ("hours", 3_600),
    ("std", 3_600),
    ("stunde", 3_600),
    ("stunden", 3_600),
    ("heure", 3_600),
    ("heures", 3_600),
    ("uur", 3_600),
    ("ore", 3_600),
    ("ora", 3_600),
    ("ч", 3_600),
    ("час", 3_600),
    ("часа", 3_600),
    ("часов", 3_600),
    ("个小时", 3_600),
    ("钟头", 3_600),
    ("个钟头", 3_600),
    ("个时间", 3_600),
    ("hora", 3_600),
    ("horas", 3_600),
    ("小时", 3_600),
    ("时间", 3_600),
    ("时", 3_600),
    ("시간", 3_600),
    ("d", 86_400),
    ("day", 86_400),
    ("days", 86_400),
    ("tag", 86_400),
    ("tage", 86_400),
    ("dag", 86_400),
    ("dagen", 86_400),
    ("jour", 86_400),
    ("jours", 86_400),
    ("день", 86_400),
    ("дня", 86_400),
    ("дней", 86_400),
    ("天", 86_400),
    ("日", 86_400),
    ("일", 86_400),
    ("week", 604_800),
    ("weeks", 604_800),
]));

/// Seconds as a duration; `None` if negative.
pub(super) fn seconds(score: Score) -> Option<Duration> {
    let (above, below) = (u64::try_from(score.numerator()).ok()?, score.denominator().unsigned_abs());
    let nanos = u128::from(above % below) * 1_000_000_000 / u128::from(below);
    Some(Duration::new(above / below, u32::try_from(nanos).ok()?))
}

/// A duration in seconds as a Real of the standard: `600`, `142.7`.
pub(super) struct Seconds(pub(super) Duration);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, nanos) = (self.0.as_secs(), self.0.subsec_nanos());
        if nanos == 0 {
            return write!(f, "{whole}");
        }
        f.write_str(format!("{whole}.{nanos:09}").trim_end_matches('0'))
    }
}

impl Scan<'_> {
    /// Reads numbers with units, largest first, or a clock's reading. A bare number has no unit and is no duration.
    pub(super) fn eat_duration(&mut self) -> Option<Duration> {
        self.eat_duration_until(|_| false)
    }

    /// As [`eat_duration`](Self::eat_duration), but stops before a part behind which `ends` finds that it is no part.
    pub(super) fn eat_duration_until(&mut self, ends: impl Fn(Scan<'_>) -> bool) -> Option<Duration> {
        self.eat_clock().or_else(|| self.eat_units(ends))
    }

    /// `1:30:00`, or minutes and seconds: `30:00`.
    pub(super) fn eat_clock(&mut self) -> Option<Duration> {
        let mut next = *self;
        let (first, _) = next.digits()?;
        let mut total = first;
        let mut colons = 0;
        loop {
            let mut after = next;
            if !after.eat_char(':') {
                break;
            }
            let Some((part @ 0..60, 2)) = after.digits() else { break };
            total = total.checked_mul(60)?.checked_add(part)?;
            colons += 1;
            next = after;
        }
        if !(1..=2).contains(&colons) {
            return None;
        }
        // `1:30:00.0`.
        let mut zeros = next;
        if colons == 2 && zeros.eat_char('.') && zeros.digits().is_some_and(|(decimals, _)| decimals == 0) {
            next = zeros;
        }
        // `1:30h`.
        if colons == 1 && next.eat("h") {
            total = total.checked_mul(60)?;
        }
        *self = next;
        seconds(Score::new(total, 1)?)
    }

    fn eat_units(&mut self, ends: impl Fn(Scan<'_>) -> bool) -> Option<Duration> {
        let mut total = Score::ZERO;
        let mut smallest = i64::MAX;
        let mut next = *self;
        loop {
            let mut after = next;
            after.skip_spaces();
            let comma = smallest == 3_600 && after.eat_char(',');
            // `1h:30m`.
            if smallest == 3_600 && !comma {
                after.eat_char(':');
            }
            if comma || (smallest < i64::MAX && after.eat("and")) {
                after.skip_spaces();
            }
            let part = after.eat_part(smallest).or_else(|| after.eat_minutes_behind(smallest));
            let Some((part, unit)) = part else { break };
            // `1 hour, 30 minutes`; anything else behind a comma is about overtime.
            if comma && (!after.is_set_off() || Score::new(60 * unit, 1).is_some_and(|most| part >= most)) {
                break;
            }
            if ends(after) {
                break;
            }
            total = total.checked_add(part)?;
            (smallest, next) = (unit, after);
        }
        if smallest == i64::MAX {
            return None;
        }
        *self = next;
        seconds(total)
    }

    /// Reads a number and its unit, which must be smaller than the one before. Also `half an hour`, and `2小时半`.
    fn eat_part(&mut self, smaller_than: i64) -> Option<(Score, i64)> {
        let mut next = *self;
        let ratio = next.is_at_ratio();
        let mut score = next.eat_score()?;
        // `1个半小时`.
        if next.eat("个半") {
            score = score.checked_add(Score::new(1, 2)?)?;
        }
        next.skip_while(|c| matches!(c, ' ' | '-'));
        if next.eat("an") || next.eat("a") {
            next.skip_spaces();
        }
        let unit = next.eat_word(&UNITS).filter(|&unit| unit < smaller_than)?;
        // `1/2 h`; but `5/30 s` is five moves in 30 seconds.
        if ratio && unit < 3_600 {
            return None;
        }
        let mut part = score.checked_mul(unit)?;
        // `1시간 반`.
        let mut half = next;
        half.skip_spaces();
        if half.eat_one(&["半", "반"]) {
            next = half;
            part = part.checked_add(Score::new(unit, 2)?)?;
        }
        // An abbreviation's full stop.
        let mut dot = next;
        if dot.eat_char('.') && dot.peek().is_none_or(|c| !c.is_ascii_digit()) {
            next = dot;
        }
        *self = next;
        Some((part, unit))
    }

    /// The minutes of `1h30`.
    fn eat_minutes_behind(&mut self, unit_before: i64) -> Option<(Score, i64)> {
        let mut next = *self;
        let (minutes, count) = next.digits().filter(|_| unit_before == 3_600)?;
        let ends = next.peek().is_none_or(|c| matches!(c, ' ' | ',' | ';' | '(' | ')' | '+'));
        let is_minutes = count == 2 && minutes < 60 && ends;
        *self = if is_minutes { next } else { return None };
        Some((Score::new(minutes * 60, 1)?, 60))
    }

    /// A unit without a number counts as one: `1 move / min`.
    pub(super) fn eat_one_unit(&mut self) -> Option<Duration> {
        self.eat_word(&UNITS).and_then(|unit| seconds(Score::new(unit, 1)?))
    }
}
