//! Dates in Western order: numbers, names of months, and the marks between them.
//!
//! Owns which number is the day, the month and the year. If two are possible, `day_first` of [`Loose`] hands the question on.

use super::super::scan::Scan;
use super::Date;
use super::clock::{self, time};
use super::item::{Loose, full_year, year};
use super::read::YEARS;
use super::words::{JOINTS, KINDS, MONTHS};

/// A part of a date in Western order.
#[derive(Clone, Copy)]
enum Part {
    Number { value: u16, digits: usize, is_year: bool },
    Month(u8),
}

impl Part {
    fn is_month(self) -> bool {
        matches!(self, Self::Month(_))
    }

    fn is_year(self) -> bool {
        matches!(self, Self::Number { is_year: true, .. })
    }

    /// Whether it is a number that can only be a day or month, or a year of two digits.
    fn is_small(self) -> bool {
        matches!(self, Self::Number { value: ..=31, digits: ..=2, is_year: false })
    }
}

/// The months as Roman numerals, between marks, or spaces before a year: `5.III.1996`, `25 VII 1846`.
const ROMAN: &[(&str, u8)] = &[
    ("i", 1),
    ("ii", 2),
    ("iii", 3),
    ("iv", 4),
    ("v", 5),
    ("vi", 6),
    ("vii", 7),
    ("viii", 8),
    ("ix", 9),
    ("x", 10),
    ("xi", 11),
    ("xii", 12),
];

fn roman(scan: &mut Scan<'_>) -> Option<Part> {
    let mut next = *scan;
    let month = next.eat_any(ROMAN)?;
    let mut behind = next;
    let mark = behind.bump();
    behind.skip_spaces();
    let year_follows = matches!(mark, Some('.' | '/' | '-' | ' ')) && behind.digits().is_some();
    *scan = if year_follows { next } else { return None };
    Some(Part::Month(month))
}

/// The `VII` of `25 VII 1846`: without marks, the year must be one. Without a day it may be the number of a game (`Game II 1996`).
fn roman_before_year(scan: &mut Scan<'_>) -> Option<Part> {
    let mut next = *scan;
    let month = next.eat_any(ROMAN)?;
    let mut year = next;
    year.skip_spaces();
    let is_spaced = next.peek() == Some(' ');
    let is_year = year.digits().is_some_and(|(year, digits)| digits == 4 && YEARS.contains(&year));
    *scan = if is_spaced && is_year { next } else { return None };
    Some(Part::Month(month))
}

fn part(scan: &mut Scan<'_>) -> Option<Part> {
    let mut next = *scan;
    if let Some(month) = next.eat_word(&MONTHS) {
        *scan = without_point(next);
        return Some(Part::Month(month));
    }
    let apostrophe = next.eat_char('\'') || next.eat_char('’');
    let (value, digits) = next.digits().filter(|&(_, digits)| digits <= 4)?;
    let value = u16::try_from(value).ok()?;
    let is_ordinal = next.eat_one(&["st", "nd", "rd", "th", "er"]);
    // `30.-31.12.1997`, `5./6. März 1997`, `26. und 27. Juni 1938`.
    next = without_point(next);
    // `1840's`, `1996'05'06`.
    let mut behind = next;
    if matches!(behind.bump(), Some('\'' | '’')) && behind.peek().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let mut letter = next;
    let cut = letter.eat_word(&MONTHS).is_none()
        && !letter.eat("t")
        && letter.bump().is_some_and(|c| c.is_ascii_alphabetic() || (c == ':' && letter.digits().is_some()));
    if cut && !followed_by_time_mark(next) {
        return None;
    }
    *scan = next;
    // The 44th of something is no year.
    let is_year = digits == 4 || (digits == 2 && !is_ordinal && (apostrophe || value > 31));
    Some(Part::Number { value, digits, is_year })
}

/// Skips the point of an ordinal number or an abbreviated month; the date may continue behind it.
fn without_point(scan: Scan<'_>) -> Scan<'_> {
    let mut behind = scan;
    let point = behind.eat_char('.');
    let mut joint = behind;
    joint.skip_spaces();
    if point && joint.eat_any(JOINTS).is_some() { behind } else { scan }
}

/// Whether `T` stands between the date and a time, directly behind the day.
fn followed_by_time_mark(mut scan: Scan<'_>) -> bool {
    scan.eat_char('t') && time(&mut scan).is_some()
}

pub(super) fn western(scan: &mut Scan<'_>) -> Option<Loose> {
    if let Some(loose) = compact(scan).or_else(|| day_of_year(scan)) {
        return Some(loose);
    }
    let mut next = *scan;
    let mut parts = Parts::default();
    parts.push(part(&mut next)?, None);
    while parts.len < 3 {
        let mut after = next;
        let Some(mark) = parts.mark_before_next(&mut after) else { break };
        let Some(found) = roman(&mut after).or_else(|| part(&mut after)) else { break };
        parts.push(found, Some(mark));
        next = after;
    }
    let loose = parts.meaning()?;
    // 32 is no year if one follows: `Jan 32, 1998`.
    if parts.any(|part| matches!(part, Part::Number { digits: 2, is_year: true, .. })) && followed_by_year(next) {
        return None;
    }
    // `, 7 rounds` is no seventh.
    if loose.bare.is_some() && loose.year.is_none() && followed_by_word(next) {
        return None;
    }
    *scan = next;
    Some(loose)
}

fn followed_by_year(mut scan: Scan<'_>) -> bool {
    scan.skip_while(|c| matches!(c, ' ' | ','));
    scan.digits().is_some_and(|(_, digits)| digits == 4)
}

fn followed_by_word(mut scan: Scan<'_>) -> bool {
    scan.skip_spaces();
    let is_joint = scan.eat_any(JOINTS).is_some();
    let is_date = is_joint || scan.eat_word(&MONTHS).is_some() || scan.eat_any(KINDS).is_some();
    !is_date && scan.peek().is_some_and(char::is_alphabetic)
}

/// `20061220`, `990906` and `199805`, if only one date can be meant.
fn compact(scan: &mut Scan<'_>) -> Option<Loose> {
    let mut next = *scan;
    let (number, digits) = next.digits()?;
    // `20080105123311`, `200801051233`.
    let (number, digits, time) = match digits {
        14 => (number / 1_000_000, 8, Some(clock::compact(number % 1_000_000, 6)?)),
        12 => (number / 10_000, 8, Some(clock::compact(number % 10_000, 4)?)),
        _ => (number, digits, None),
    };
    if time.is_some() && (!YEARS.contains(&(number / 10_000)) || super::read::goes_on(next)) {
        return None;
    }
    let date = |year: i64, month: i64, day: Option<i64>| {
        Date::new(u16::try_from(year).ok()?, u8::try_from(month).ok(), day.and_then(|day| u8::try_from(day).ok()))
    };
    let date = match digits {
        8 => {
            let (year, month) = (number / 10_000, number / 100 % 100);
            // If the calendar does not have the day, the month is certain.
            let month_of = || date(year, month, None).filter(|it| (1500..2100).contains(&it.year()));
            date(year, month, Some(number % 100)).or_else(month_of)
        }
        6 if !super::read::goes_on(next) => {
            let year = i64::from(full_year(u16::try_from(number / 10_000).ok()?));
            let short = date(year, number / 100 % 100, Some(number % 100));
            let long = date(number / 100, number % 100, None).filter(|long| (1500..2100).contains(&long.year()));
            short.xor(long)
        }
        _ => None,
    }?;
    *scan = next;
    let time = time.filter(|_| date.day().is_some());
    Some(Loose { time, ..of_compact(date) })
}

/// `2013-0629`, which is no range of years. In `2023-045` nobody reads which day it is, so only the year is taken.
fn day_of_year(scan: &mut Scan<'_>) -> Option<Loose> {
    let mut next = *scan;
    let (year, _) = next.digits().filter(|&(_, digits)| digits == 4)?;
    let dash = next.eat_char('-');
    let (number, digits) = next.digits().filter(|_| dash)?;
    let year_alone = u16::try_from(year).ok()?;
    let small = |number: i64| u8::try_from(number).ok();
    let date = match digits {
        3 if (32..=366).contains(&number) => Date::new(year_alone, None, None),
        4 if YEARS.contains(&year) => Date::new(year_alone, small(number / 100), small(number % 100)),
        _ => None,
    }?;
    *scan = if super::read::goes_on(next) { return None } else { next };
    Some(of_compact(date))
}

fn of_compact(date: Date) -> Loose {
    let compact = date.day().is_some();
    Loose { year: Some(date.year()), month: date.month(), day: date.day(), compact, ..Loose::default() }
}

/// The `0509` of `20030508,0509`, which is no year.
pub(super) fn compact_month_and_day(scan: &mut Scan<'_>) -> Option<Loose> {
    let mut next = *scan;
    let (number, _) = next.digits().filter(|&(_, digits)| digits == 4)?;
    let small = |number: i64| u8::try_from(number).ok();
    // Some year has 29 February.
    let date = Date::new(2000, small(number / 100), small(number % 100)).filter(|date| date.day().is_some())?;
    *scan = if super::read::goes_on(next) { return None } else { next };
    Some(Loose { year: None, ..of_compact(date) })
}

/// Stands for a dash with spaces around it, which mostly means a range. Folded text never contains it.
const SPACED_DASH: char = '—';

/// Up to three parts, and the mark before the second and the third.
#[derive(Clone, Copy, Default)]
struct Parts {
    found: [Option<Part>; 3],
    marks: [Option<char>; 3],
    len: usize,
}

impl Parts {
    fn push(&mut self, part: Part, mark: Option<char>) {
        (self.found[self.len], self.marks[self.len]) = (Some(part), mark);
        self.len += 1;
    }

    fn iter(&self) -> impl Iterator<Item = Part> + '_ {
        self.found.iter().flatten().copied()
    }

    fn any(&self, is: impl Fn(Part) -> bool) -> bool {
        self.iter().any(is)
    }

    /// Takes the mark that joins one more part to the date; `None` if there is none, or if it ends the date.
    fn mark_before_next(&self, scan: &mut Scan<'_>) -> Option<char> {
        let spaced = scan.peek() == Some(' ');
        scan.skip_spaces();
        scan.eat_one(&["of", "de", "del"]);
        let mark = scan.peek().filter(|c| matches!(c, '-' | '/' | '.' | ',' | '_'));
        if mark.is_some() {
            scan.bump();
        }
        let spaced_behind = scan.peek() == Some(' ');
        let mark = mark.map(|mark| if mark == '-' && spaced && spaced_behind { SPACED_DASH } else { mark });
        scan.skip_spaces();
        let mut lookahead = *scan;
        let roman = match mark {
            Some('.' | '/' | '-') => roman(&mut lookahead),
            None if spaced && self.len == 1 && self.any(Part::is_small) => roman_before_year(&mut lookahead),
            _ => None,
        };
        let upcoming = roman.or_else(|| part(&mut lookahead))?;
        let before = if self.len == 2 { self.marks[1] } else { None };
        let worded = self.any(Part::is_month) || upcoming.is_month();
        if self.any(Part::is_month) && upcoming.is_month() {
            return None;
        }
        let joins = match mark {
            None if worded => {
                spaced || self.found[self.len - 1].is_some_and(|last| last.is_month() != upcoming.is_month())
            }
            None => spaced && before.is_none_or(|before| before == ' '),
            Some(',') => {
                let one_number = self.len == 1 && self.any(Part::is_small);
                let all_commas = match self.len {
                    1 => self.any(Part::is_year) && upcoming.is_small() && lookahead.peek() == Some(','),
                    _ => before == Some(',') && !worded,
                };
                let year_is_next = !self.any(Part::is_year) && upcoming.is_year() && (worded || one_number);
                year_is_next || upcoming.is_month() || all_commas
            }
            // `1996 - 05 - 06`.
            Some(SPACED_DASH) => {
                let may_join = self.len == 1 || before == Some(SPACED_DASH);
                may_join && self.any(Part::is_year) && upcoming.is_small()
            }
            // `May 16-18`, where the dash means a range; `16-May-98`, where it does not.
            Some(_) if worded && upcoming.is_small() && self.any(Part::is_month) => {
                mark == Some('.') || before.is_none_or(|before| mark == Some(before))
            }
            Some(_) if worded => true,
            Some(mark) => before.is_none_or(|before| before == mark) && !self.begins_a_range(upcoming, mark, lookahead),
        };
        joins.then(|| mark.unwrap_or(' '))
    }

    /// `16-18 May`, `1996-1998`, `1996-97`.
    fn begins_a_range(&self, upcoming: Part, mark: char, mut behind: Scan<'_>) -> bool {
        if self.len != 1 {
            return false;
        }
        let third = behind.peek() == Some(mark);
        // `30-31.12.1997`.
        let mut other = behind;
        let other_mark = !third && matches!(other.bump(), Some('.' | '/')) && other.digits().is_some();
        let both_years = self.any(Part::is_year) && upcoming.is_year();
        let no_month = self.any(Part::is_year) && !matches!(upcoming, Part::Number { value: ..=12, .. }) && !third;
        behind.eat_char('.');
        behind.skip_spaces();
        // `24-25` in a list of days.
        let are_days = match (self.found[0], upcoming) {
            (Some(Part::Number { value: from @ 13..=31, .. }), Part::Number { value: to @ ..=31, .. }) => from < to,
            _ => false,
        };
        let is_of_days = are_days && mark == '-' && !third;
        both_years
            || no_month
            || is_of_days
            || (self.any(Part::is_small)
                && (other_mark || behind.eat_word(&MONTHS).is_some() || roman_before_year(&mut behind).is_some()))
    }

    fn meaning(&self) -> Option<Loose> {
        // If nothing else can be the year, `00` is it: no day or month is `00`.
        let zero_is_year = (self.len == 3 || self.any(Part::is_month)) && !self.any(Part::is_year);
        let mut numbers = self.iter().filter_map(|part| match part {
            Part::Number { value: 0, digits: 2, .. } if zero_is_year => Some((0, 2, true)),
            Part::Number { value, digits, is_year } => Some((value, digits, is_year)),
            Part::Month(_) => None,
        });
        let numbers = [numbers.next(), numbers.next(), numbers.next()];
        let mut months = self.iter().filter_map(|part| if let Part::Month(month) = part { Some(month) } else { None });
        match (months.next(), months.next()) {
            (None, _) => self.meaning_of_numbers(numbers),
            (Some(month), None) => {
                let month_behind = self.found[0].is_some_and(Part::is_small);
                Some(Loose { month_behind, ..with_month(month, numbers)? })
            }
            (Some(_), Some(_)) => None,
        }
    }

    fn meaning_of_numbers(&self, numbers: [Option<Number>; 3]) -> Option<Loose> {
        let is_year = |(.., is_year): Number| is_year;
        match numbers {
            [Some(a), Some(b), Some(c)] if is_year(a) => {
                let as_the_standard = self.marks[1] == Some('-') && b.1 == 2 && c.1 == 2;
                year_first(a, b.0, c.0, as_the_standard)
            }
            [Some(a), Some(b), Some(c)] if !is_year(b) && !is_year(c) => {
                short_year(a, b, c, self.marks[1] == Some('.'))
            }
            [Some(a), Some(b), Some(c)] if is_year(c) => year_last(a.0, b.0, c, self.marks[1] == Some('.')),
            [Some(a), Some(b), None] if is_year(a) => full(a, Some(b.0), None),
            // `16-18, 1842` and `30-31 1997`.
            [Some(a), Some(b), None] if is_year(b) && matches!(self.marks[1], Some(',' | ' ')) => {
                Some(Loose { bare: u8::try_from(a.0).ok(), ..full(b, None, None)? })
            }
            [Some(a), Some(b), None] if is_year(b) => full(b, Some(a.0), None),
            [Some(a), Some(b), None] if self.marks[1] != Some(' ') => {
                let swapped = a.0 > 12 && b.0 <= 12 && self.marks[1] != Some('-');
                let (month, day) = if swapped { (b.0, a.0) } else { (a.0, b.0) };
                let day_first = self.marks[1] == Some('.') && !swapped;
                let is_plain = self.marks[1] == Some('/') && day > 12 && month <= 12;
                Some(Loose {
                    month: u8::try_from(month).ok(),
                    day: u8::try_from(day).ok(),
                    day_first,
                    month_first: is_plain.then_some(!swapped),
                    ..Loose::default()
                })
            }
            [Some(a), None, None] if is_year(a) => full(a, None, None),
            [Some((value @ ..=31, digits @ ..=2, _)), None, None] => {
                Some(Loose { bare: u8::try_from(value).ok(), digits, ..Loose::default() })
            }
            _ => None,
        }
    }
}

/// The value, the number of digits, and whether it can only be a year.
type Number = (u16, usize, bool);

fn full((value, digits, _): Number, month: Option<u16>, day: Option<u16>) -> Option<Loose> {
    let year = year(i64::from(value), digits)?;
    let small = |number: Option<u16>| number.map(u8::try_from).transpose().ok();
    let short_year = digits == 2 && month.is_none();
    Some(Loose { year: Some(year), short_year, month: small(month)?, day: small(day)?, ..Loose::default() })
}

/// `5 March 1998`, `March 5, 98`, `March 1998`, `5 March`.
fn with_month(month: u8, numbers: [Option<Number>; 3]) -> Option<Loose> {
    let month = Some(u16::from(month));
    let day_only = |day: u16| Loose {
        month: month.and_then(|m| u8::try_from(m).ok()),
        day: u8::try_from(day).ok(),
        ..Loose::default()
    };
    match numbers {
        [None, ..] => Some(Loose { day: None, ..day_only(0) }),
        [Some(a @ (.., true)), None, _] => full(a, month, None),
        [Some((day, ..)), None, _] => Some(day_only(day)),
        // `32 Jan 1998`.
        [Some((_, 2, true)), Some(year @ (_, 4, true)), _] => full(year, month, None),
        // `Jan 1998-99`.
        [Some(year @ (_, 4, true)), Some((_, 2, true)), _] => {
            Some(Loose { of_two_years: true, ..full(year, month, None)? })
        }
        [Some((.., true)), Some((.., true)), _] => None,
        [Some(a @ (.., true)), Some((day, ..)), _] => full(a, month, Some(day)),
        [Some((day, ..)), Some(b), _] => full(b, month, Some(day)),
    }
}

/// `1998/5/3`. Zeros are unknown. Month and day are exchanged if only that makes a date, but not in the standard's form.
fn year_first(year: Number, month: u16, day: u16, as_the_standard: bool) -> Option<Loose> {
    match (month, day) {
        (0, 0) => full(year, None, None),
        (month, 0) => full(year, Some(month), None),
        (13.., 1..=12) if !as_the_standard => full(year, Some(day), Some(month)),
        _ => full(year, Some(month), Some(day)),
    }
}

/// `2/13/04`, `1/5/01`: three numbers up to 31, of which the first or the last is the year, as far as only one of them can be.
fn short_year(a: Number, b: Number, c: Number, with_points: bool) -> Option<Loose> {
    let is_date = |year: Number, month: Number, day: Number| {
        let small = |number: Number| u8::try_from(number.0).ok();
        year.1 == 2 && Date::new(full_year(year.0), small(month), small(day)).is_some()
    };
    let first = is_date(a, b, c);
    let last = is_date(c, a, b) || is_date(c, b, a);
    match (first, last) {
        (true, false) => full(a, Some(b.0), Some(c.0)),
        (false, true) => year_last(a.0, b.0, c, with_points),
        _ => None,
    }
}

/// `13.9.2007`, `12/28/98`. With points the day comes first; otherwise, if either could, only the year is certain.
fn year_last(a: u16, b: u16, year: Number, with_points: bool) -> Option<Loose> {
    match (a, b) {
        (1..=12, 13..) => Some(Loose { month_first: Some(true), ..full(year, Some(a), Some(b))? }),
        (13.., _) => Some(Loose { month_behind: true, month_first: Some(false), ..full(year, Some(b), Some(a))? }),
        _ if with_points || a == b => Some(Loose { month_behind: true, ..full(year, Some(b), Some(a))? }),
        _ => Some(Loose { unsure: u8::try_from(a).ok().zip(u8::try_from(b).ok()), ..full(year, None, None)? }),
    }
}
