//! Times of day, and the time zones behind them.

use super::super::scan::Scan;
use super::TimeOfDay;
use super::words::ZONES;

/// `20:50`, `20:50:06`, `8:50 PM`, with a time zone behind it that is passed over.
pub(super) fn time(scan: &mut Scan<'_>) -> Option<TimeOfDay> {
    let mut next = *scan;
    let two =
        |scan: &mut Scan<'_>| scan.digits().filter(|&(_, count)| count <= 2).and_then(|(n, _)| u8::try_from(n).ok());
    let mut hour = two(&mut next)?;
    if !next.eat_char(':') {
        return None;
    }
    let minute = two(&mut next)?;
    let mut seconds = next;
    let second = if seconds.eat_char(':') { two(&mut seconds) } else { None };
    if second.is_some() {
        next = seconds;
        if seconds.eat_char('.') && seconds.digits().is_some() {
            next = seconds;
        }
    }
    let mut half = next;
    half.skip_spaces();
    if let Some(afternoon) = half.eat_any(&[("am", false), ("a.m.", false), ("pm", true), ("p.m.", true)]) {
        hour = if (1..=12).contains(&hour) { hour % 12 + if afternoon { 12 } else { 0 } } else { return None };
        next = half;
    }
    let time = TimeOfDay::new(hour, minute, second)?;
    zone(&mut next, second.is_some());
    *scan = next;
    Some(time)
}

/// `-23-54` and `_23-54-06` behind a day, as in the names of files. What could be a month and a day is neither.
pub(super) fn dashed_time(scan: &mut Scan<'_>) -> Option<TimeOfDay> {
    let mut next = *scan;
    let mut parts = [None; 3];
    for part in &mut parts {
        let mut after = next;
        let mark = after.bump();
        let digits = if matches!(mark, Some('-' | '_')) { after.digits() } else { None };
        let Some((number, 2)) = digits else { break };
        (*part, next) = (u8::try_from(number).ok(), after);
    }
    let [Some(hour), Some(minute), second] = parts else { return None };
    let may_be_day = second.is_none() && (1..=12).contains(&hour) && (1..=31).contains(&minute);
    let ends = !super::read::goes_on(next);
    let time = TimeOfDay::new(hour, minute, second).filter(|_| ends && !may_be_day)?;
    *scan = next;
    Some(time)
}

/// `+0900`, and behind seconds `-05:00`, which elsewhere would be a range.
fn zone(scan: &mut Scan<'_>, with_seconds: bool) {
    let mut next = *scan;
    next.skip_while(|c| matches!(c, ' ' | '.' | '('));
    if ZONES.iter().any(|zone| next.eat(zone)) {
        next.eat_char(')');
        *scan = next;
    }
    let mut next = *scan;
    let west = with_seconds && next.eat_char('-');
    next.skip_spaces();
    if (west || next.eat_char('+')) && next.digits().is_some_and(|(_, count)| count == 4 || count == 2) {
        if next.eat_char(':') {
            next.digits();
        }
        *scan = next;
    }
}
