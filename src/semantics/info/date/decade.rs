//! Decades and centuries: `1990s`, and years of which the last digits are not known, such as `199?`.
//!
//! Owns how they are written. Each is the range of its years.

use super::super::scan::{Scan, remark};
use super::read::{YEARS, skip_fillers};
use super::words::{JOINTS, Joint};
use super::{Date, Dates, Moment, Period};

/// `1990s`, `early 1990s`, `199?`, `19??`, `1980s or 1990s`, `1980s, 1990s`, and what stands behind them.
pub(super) fn decades(text: &str) -> Option<Dates<'_>> {
    let mut scan = Scan::new(text);
    let kind = skip_fillers(&mut scan).unwrap_or_default();
    let (from, mut last) = decade(&mut scan)?;
    let moment = |year| Some(Moment { date: Date::new(year, None, None)?, time: None });
    let period = |(from, to)| Some(Period { from: moment(from)?, to: Some(moment(to)?) });
    let mut periods = vec![period((from, last))?];
    while periods.len() < Dates::MAX_LEN {
        let mut next = scan;
        next.skip_spaces();
        let Some(joint) = next.eat_any(JOINTS) else { break };
        skip_fillers(&mut next);
        let Some((from, to)) = decade(&mut next) else { break };
        match (joint, periods.last_mut()) {
            (Joint::Range | Joint::Or, Some(period)) if to > last => period.to = Some(moment(to)?),
            (Joint::List, _) => periods.push(period((from, to))?),
            _ => break,
        }
        (scan, last) = (next, to);
    }
    let mut behind = scan;
    behind.eat_char('?');
    if !behind.is_set_off() {
        return None;
    }
    Dates::new(periods, kind, remark(scan.rest())).map(|dates| Dates { of_decades: true, ..dates })
}

/// The first and the last year.
fn decade(scan: &mut Scan<'_>) -> Option<(u16, u16)> {
    let mut next = *scan;
    let (number, digits) = next.digits()?;
    let unknown = |scan: &mut Scan<'_>| scan.eat_char('?') || scan.eat_char('x');
    let (first, len) = match digits {
        4 if next.eat_one(DECADES) && number % 10 == 0 => (number, decade_or_century(number)),
        3 if unknown(&mut next) => (number * 10, 10),
        2 if unknown(&mut next) && unknown(&mut next) => (number * 100, 100),
        _ => return None,
    };
    // `19??-??-??`.
    if digits < 4 {
        next.skip_while(|c| matches!(c, '-' | '/' | '.' | '?' | 'x'));
    }
    if !YEARS.contains(&first) {
        return None;
    }
    *scan = next;
    Some((u16::try_from(first).ok()?, u16::try_from(first + len - 1).ok()?))
}

/// How many years `1900s` and `1990s` are. Of the century that began with 2000 nobody speaks yet.
fn decade_or_century(first: i64) -> i64 {
    if first % 100 == 0 && first != 2_000 { 100 } else { 10 }
}

/// What stands behind the first year of a decade; of a century too, if that is what the year begins.
const DECADES: &[&str] = &["s", "'s", "’s", "er jahre", "er-jahre", "年代", "년대", "-е", "-е годы", "-х"];
