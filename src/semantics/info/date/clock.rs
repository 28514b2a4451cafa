//! Times of day, and the time zones written after them.
//!
//! Owns no state: a function moves the place in the text behind what it has read, and leaves it alone otherwise. A zone is passed over,
//! because DT has no place for one.

use super::super::scan::Scan;
use super::TimeOfDay;
use super::words::ZONES;

/// Reads `20:50`, `20:50:06`, `8:50 PM`, `下午8:50`, `20時50分` or `20h50`, and skips a time zone behind it.
pub(super) fn time(scan: &mut Scan<'_>) -> Option<TimeOfDay> {
    let mut next = *scan;
    let two =
        |scan: &mut Scan<'_>| scan.digits().filter(|&(_, count)| count <= 2).and_then(|(n, _)| u8::try_from(n).ok());
    let half_named = next.eat_any(HALVES);
    next.skip_spaces();
    let mut hour = two(&mut next)?;
    let with_colon = next.eat_char(':');
    let minute = if with_colon {
        two(&mut next)?
    } else if next.eat("h") {
        next.digits().filter(|&(_, count)| count == 2).and_then(|(minute, _)| u8::try_from(minute).ok())?
    } else {
        if !next.eat_one(&["时", "点", "시"]) {
            return None;
        }
        let mut minutes = next;
        minutes.skip_spaces();
        let minute = two(&mut minutes).filter(|_| minutes.eat_one(&["分", "분"]));
        next = if minute.is_some() { minutes } else { next };
        minute.unwrap_or(0)
    };
    let mut seconds = next;
    let second = if with_colon && seconds.eat_char(':') { two(&mut seconds) } else { None };
    if second.is_some() {
        next = seconds;
        if seconds.eat_char('.') && seconds.digits().is_some() {
            next = seconds;
        }
    }
    let mut half = next;
    half.skip_spaces();
    if half_named.is_some_and(|afternoon| afternoon && hour < 12) {
        hour += 12;
    } else if half_named == Some(false) && hour == 12 {
        hour = 0;
    } else if let Some(afternoon) = half.eat_any(&[("am", false), ("a.m.", false), ("pm", true), ("p.m.", true)]) {
        hour = if (1..=12).contains(&hour) { hour % 12 + if afternoon { 12 } else { 0 } } else { return None };
        next = half;
    }
    let time = TimeOfDay::new(hour, minute, second)?;
    zone(&mut next, second.is_some());
    *scan = next;
    Some(time)
}

/// Words before the hour, and whether they mean the afternoon.
const HALVES: &[(&str, bool)] =
    &[("上午", false), ("下午", true), ("午前", false), ("午后", true), ("오전", false), ("오후", true)];

/// Reads `-23-54` or `_23-54-06` behind a day, as in names of files. Two numbers that could be a month and a day are
/// not read as a time.
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
    let before = scan.rest();
    let mut next = *scan;
    next.skip_while(|c| matches!(c, ' ' | '.' | '('));
    // `MET DST` has two names.
    while ZONES.iter().any(|zone| next.eat(zone)) {
        next.eat_char(')');
        *scan = next;
        next.skip_spaces();
    }
    let named = scan.rest().len() < before.len();
    let mut next = *scan;
    let spaced = next.peek() == Some(' ');
    next.skip_spaces();
    let west = with_seconds && next.eat_char('-');
    next.skip_spaces();
    let is_hours = |count| count == 4 || (!spaced && count == 2) || (named && count == 1);
    if (west || next.eat_char('+')) && next.digits().is_some_and(|(_, count)| is_hours(count)) {
        if next.eat_char(':') {
            next.digits();
        }
        *scan = next;
    }
}
