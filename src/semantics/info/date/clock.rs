//! Times of day, and the time zones written after them or after a date.
//!
//! Owns no state: a function moves the place in the text behind what it has read, and leaves it alone otherwise. A zone
//! is passed over, because DT has no place for one. Invariant: what may be a year, or the end of a range, is no zone.

use super::super::scan::Scan;
use super::item::full_year;
use super::read::YEARS;
use super::words::ZONES;
use super::{Date, TimeOfDay};

/// Reads `20:50`, `20:50:06`, `8:50 PM`, `下午8:50`, `20時50分` or `20h50`, and skips a time zone behind it.
pub(super) fn time(scan: &mut Scan<'_>) -> Option<TimeOfDay> {
    read(scan, false)
}

/// The same behind the `T` of ISO 8601, which has zones without a name: `22:13-07`.
pub(super) fn iso_time(scan: &mut Scan<'_>) -> Option<TimeOfDay> {
    read(scan, true)
}

fn read(scan: &mut Scan<'_>, is_iso: bool) -> Option<TimeOfDay> {
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
    zone(&mut next, is_iso || second.is_some());
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

/// Reads `-233354`, `_2333` or `T233354` behind a day, as names of files have it. What may be another day or a year is not read as
/// a time.
pub(super) fn compact_time(scan: &mut Scan<'_>, day: Date) -> Option<TimeOfDay> {
    let mut next = *scan;
    let mark = next.bump().filter(|mark| matches!(mark, '-' | '_' | 't'))?;
    let (number, count) = next.digits()?;
    let may_be_date = match count {
        6 => of_short_year(number).is_some_and(|other| other >= day),
        _ => of_year(day.year().into(), number).is_some() || YEARS.contains(&number),
    };
    let time = compact(number, count).filter(|_| mark == 't' || !may_be_date)?;
    zone(&mut next, true);
    *scan = if super::read::goes_on(next) { return None } else { next };
    Some(time)
}

/// The time of day that six or four digits are: `233354`, `2333`.
pub(super) fn compact(number: i64, digits: usize) -> Option<TimeOfDay> {
    let two = |number: i64| u8::try_from(number % 100).ok();
    match digits {
        6 => TimeOfDay::new(u8::try_from(number / 10_000).ok()?, two(number / 100)?, two(number)),
        4 => TimeOfDay::new(u8::try_from(number / 100).ok()?, two(number)?, None),
        _ => None,
    }
}

/// The day that four digits are in a year: `0314`.
fn of_year(year: i64, number: i64) -> Option<Date> {
    let two = |number: i64| u8::try_from(number % 100).ok();
    Date::new(u16::try_from(year).ok()?, two(number / 100), two(number))
}

/// The day that six digits are: `240314`.
fn of_short_year(number: i64) -> Option<Date> {
    let year = full_year(u16::try_from(number / 10_000).ok()?);
    of_year(year.into(), number % 10_000)
}

/// Skips names and an offset behind a time: `GMT+1`, `(UTC-3)`, `+0900`, `-0300 (BRT)`. Hours with a dash are one only where that
/// begins no range: behind a name, or where `is_exact`, behind seconds.
fn zone(scan: &mut Scan<'_>, is_exact: bool) {
    let before = scan.rest();
    names(scan);
    let is_named = scan.rest().len() < before.len();
    let mut next = *scan;
    let is_offset = match Offset::read(&mut next) {
        Some(Offset::Digits | Offset::Minutes { west: false, .. }) => true,
        Some(Offset::Minutes { west: true, spaced }) => is_exact && !spaced,
        Some(Offset::Hours { west, spaced, hours }) => {
            !spaced && (is_exact || (hours <= MOST_HOURS && (!west || is_named)))
        }
        None => false,
    };
    if is_offset {
        next.eat_char(')');
        *scan = next;
        names(scan);
    }
}

/// Skips an offset behind a date and a space: ` +0900`, ` -0300`. Hours alone are a day: `12+13 March`; and so are digits that a
/// dash joins to the date, or spaces on both sides: `20050407-0430`.
pub(super) fn offset_behind_date(scan: &mut Scan<'_>) {
    let mut next = *scan;
    let is_joined = next.peek() != Some(' ');
    next.skip_spaces();
    let mut sign = next;
    let is_offset = (sign.eat_char('+') || (!is_joined && sign.eat_char('-'))) && sign.peek() != Some(' ');
    if is_offset && let Some(Offset::Digits) = Offset::read(&mut next) {
        *scan = next;
    }
}

/// `MET DST` has two names.
fn names(scan: &mut Scan<'_>) {
    let mut next = *scan;
    next.skip_while(|c| matches!(c, ' ' | '.' | '('));
    while ZONES.iter().any(|zone| next.eat(zone)) {
        next.eat_char(')');
        *scan = next;
        next.skip_spaces();
    }
}

/// How something is written that may be an offset from Greenwich.
enum Offset {
    /// `+0900`, `-0300`: four digits that are the offset of some place.
    Digits,
    /// `-03:00`, perhaps with a space behind the sign.
    Minutes { west: bool, spaced: bool },
    /// `-03`, `+9`.
    Hours { west: bool, spaced: bool, hours: i64 },
}

/// No place is further ahead of Greenwich, in hours.
const MOST_HOURS: i64 = 14;

impl Offset {
    fn read(scan: &mut Scan<'_>) -> Option<Self> {
        scan.skip_spaces();
        let west = scan.eat_char('-');
        if !west && !scan.eat_char('+') {
            return None;
        }
        let spaced = scan.peek() == Some(' ');
        scan.skip_spaces();
        match scan.digits()? {
            (number, 4) if number <= 100 * MOST_HOURS => matches!(number % 100, 0 | 30 | 45).then_some(Self::Digits),
            (0..=MOST_HOURS, 1..=2) if scan.eat_char(':') => {
                matches!(scan.digits(), Some((0..60, 2))).then_some(Self::Minutes { west, spaced })
            }
            (hours @ 0..24, 1..=2) if scan.peek() != Some(':') => Some(Self::Hours { west, spaced, hours }),
            _ => None,
        }
    }
}
