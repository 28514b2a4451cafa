//! Dates as people write them: items such as `16 May 1842`, `5月3日` or `04-15`, and the marks between them that make
//! lists and ranges.
//!
//! Owns how items complete one another and which marks join them. How one item is written is for `item`.

use super::super::scan::{Scan, bare, remark};
use super::among::{behind_brackets, behind_comma, behind_words, western_year, year_among_words};
use super::calendar::turns;
use super::decade::decades;
use super::item::{Loose, item};
use super::western::compact_month_and_day;
use super::words::{COUNTERS, FILLERS, JOINTS, Joint, KINDS, MOON_CALENDAR, NUMBERED, WEEKDAYS};
use super::{Date, DateKind, Dates, Moment, Period};

pub(super) fn read(text: &str) -> Option<Dates<'_>> {
    let text = without_unknown_day(bare(text));
    decades(text)
        .or_else(|| items(text))
        .or_else(|| western_year(text))
        .or_else(|| year_among_words(text))
        .or_else(|| behind_words(text))
        .or_else(|| behind_comma(text))
        .or_else(|| behind_brackets(text))
}

/// `?? May 1996`, `xx.05.1996`, `?-?-1996`: drops the unknown day.
fn without_unknown_day(text: &str) -> &str {
    let rest = text.trim_start_matches(['?', 'x', 'X']);
    let known = rest.trim_start_matches(['-', '.', '/', ' ']);
    if rest.len() < text.len() && known.len() < rest.len() { without_unknown_day(known) } else { text }
}

pub(super) fn items(text: &str) -> Option<Dates<'_>> {
    let mut scan = Scan::new(text);
    let mut kind = skip_fillers(&mut scan);
    let is_between = scan.eat_one(&["between", "zwischen", "entre", "tussen"]);
    if is_between {
        skip_fillers(&mut scan);
    }
    let mut loose = vec![(Joint::List, item(&mut scan)?)];
    let mut in_days = false;
    loop {
        let mut next = scan;
        next.skip_spaces();
        // `1996-03 (or 1996-04)`.
        let is_open = next.eat_char('(');
        let behind_slash = next.peek() == Some('/');
        let behind_word = next.peek().is_some_and(char::is_alphabetic);
        let Some(mut joint) = next.eat_any(JOINTS).filter(|&joint| !is_open || joint == Joint::Or) else { break };
        skip_fillers(&mut next);
        let day = day_before_slash(&mut next, &loose, behind_slash).filter(|_| joint != Joint::Or);
        // Two days with a slash between them are a range, and more are all that are named.
        if behind_slash && (in_days || day.is_some()) {
            joint = Joint::List;
        }
        in_days = behind_slash && day.is_some();
        if is_between && loose.len() == 1 && behind_word && joint == Joint::List {
            joint = Joint::Range;
        }
        let compact = day.or_else(|| compact_day(&mut next, &loose));
        let Some(mut item) = compact.or_else(|| item(&mut next)) else { break };
        if let Some((_, before)) = loose.last() {
            item = item.behind(before);
        }
        if is_open && !next.eat_char(')') {
            break;
        }
        // `1991-05-13,32`: what cannot be a day is not a year either.
        if item.short_year && joint == Joint::List && loose.last().is_some_and(|(_, before)| before.day.is_some()) {
            break;
        }
        // Nor do the days of a game go back by centuries: `2003/05/08,1130`.
        let is_old = item.year.is_some_and(|year| i64::from(year) < YEARS.start);
        if is_old && joint == Joint::List && loose.first().is_some_and(|(_, first)| first.is_day_of_our_time()) {
            break;
        }
        // `1991-05-13+01:00` has a time zone.
        if item.is_time_only() && scan.peek() == Some('+') {
            break;
        }
        if loose.len() == Dates::MAX_LEN {
            return None;
        }
        loose.push((joint, Loose { of_two_years: item.of_two_years || behind_slash, ..item }));
        scan = next;
    }
    let read = &text[..text.len() - scan.rest().len()];
    // `1996-05-1?`, `1996-1?`: a digit of the day or month is not known.
    if let Some((_, last)) = loose.last_mut()
        && scan.peek() == Some('?')
    {
        match read.as_bytes() {
            [.., b'-', _, _, b'-', digit] if digit.is_ascii_digit() => last.day = None,
            [_, _, _, _, b'-', digit] if digit.is_ascii_digit() => last.month = None,
            _ => {}
        }
    }
    if is_something_else(scan) || (is_between && !matches!(loose.get(1), Some((Joint::Range, _)))) {
        return None;
    }
    if read.ends_with(|c: char| c.is_ascii_digit()) && goes_on(scan) {
        return None;
    }
    let mut before_christ = scan;
    before_christ.skip_spaces();
    if before_christ.eat_one(&["bc", "b.c.", "bce", "b.c.e."]) {
        return None;
    }
    kind = kind.or_else(|| {
        scan.skip_spaces();
        scan.eat_any(KINDS)
    });
    let mut remark = remark(scan.rest());
    let mut kind_alone = Scan::new(remark);
    if kind.is_none()
        && let Some(word) = kind_alone.eat_any(KINDS)
        && kind_alone.rest().is_empty()
    {
        (kind, remark) = (Some(word), "");
    }
    // `1850-05 (lunar)`.
    let mut by_moon = Scan::new(remark);
    if by_moon.eat_one(MOON_CALENDAR) && by_moon.rest().is_empty() {
        let year = settle(&loose)?.first()?.from.date.year();
        return Dates::new(vec![Period::from(Date::new(year, None, None)?)], kind.unwrap_or_default(), remark);
    }
    Dates::new(settle(&loose)?, kind.unwrap_or_default(), remark)
}

/// A day without marks behind another: the `0509` of `20030508,0509`. A range that goes on for months is none: `20030508-1130` may
/// have a time of day.
fn compact_day(scan: &mut Scan<'_>, items: &[(Joint, Loose)]) -> Option<Loose> {
    let (_, before) = items.last().filter(|(_, before)| before.compact)?;
    let mut next = *scan;
    let day = compact_month_and_day(&mut next)?;
    let months = (day.month? + 12 - before.month?) % 12;
    // More are a time of day: `20030508, 1130`.
    *scan = if months > 1 { return None } else { next };
    Some(day)
}

/// The first of several days that stand behind a full date, with slashes between them: `08` in `1950-04-07/08/09`. Behind a comma
/// they could be a month and a day, so there the first must be too high for a month: `1999/12/29,30/31`.
fn day_before_slash(scan: &mut Scan<'_>, items: &[(Joint, Loose)], behind_slash: bool) -> Option<Loose> {
    let (_, last) = items.last()?;
    let (_, full) = items.iter().rev().find(|(_, item)| item.day.is_some() && !item.day_first)?;
    let later = |scan: &mut Scan<'_>, before: u8| {
        scan.skip_spaces();
        let day = scan.digits().filter(|&(_, digits)| digits <= 2).and_then(|(day, _)| u8::try_from(day).ok());
        day.filter(|&day| day > before && Date::new(full.year.unwrap_or(2000), full.month, Some(day)).is_some())
    };
    let mut next = *scan;
    let first = later(&mut next, last.day.or(last.bare)?)?;
    let (behind_first, mut day) = (next, first);
    loop {
        let mut slash = next;
        slash.skip_spaces();
        if !slash.eat_char('/') {
            break;
        }
        day = later(&mut slash, day)?;
        next = slash;
    }
    let are_days = day > first && !goes_on(next) && (behind_slash || first > 12);
    *scan = if are_days { behind_first } else { return None };
    Some(Loose { bare: Some(first), digits: 2, ..Loose::default() })
}

/// Skips words that may stand before a date; of these, a word that says what happened on that date is returned.
pub(super) fn skip_fillers(scan: &mut Scan<'_>) -> Option<DateKind> {
    let mut kind = None;
    loop {
        scan.skip_while(|c| matches!(c, ' ' | '.' | ':' | ',' | '~'));
        if skip_numbered(scan) {
            continue;
        }
        if let Some(word) = scan.eat_any(KINDS) {
            // `Broadcast date`.
            kind = kind.filter(|&kind| kind != DateKind::Played).or(Some(word));
        } else if scan.eat_word(&WEEKDAYS).is_none() && !FILLERS.iter().any(|filler| scan.eat(filler)) {
            return kind;
        }
    }
}

/// Skips the number of a game, which is no day: `game 3, 2003-12-06`, `1st round 12 May 1998`, `第3局`.
fn skip_numbered(scan: &mut Scan<'_>) -> bool {
    let mut next = *scan;
    let number = |scan: &mut Scan<'_>| {
        scan.skip_while(|c| matches!(c, ' ' | '.' | '#'));
        scan.digits().is_some_and(|(_, digits)| digits <= 2)
    };
    let is_numbered = if next.eat_one(&["第", "제"]) {
        next.skip_spaces();
        (next.digits().is_some() || next.eat_han_number().is_some()) && next.eat_one(COUNTERS)
    } else if next.eat_one(NUMBERED) {
        number(&mut next) && matches!(next.peek(), Some(',' | ':' | ';' | ' ' | '('))
    } else {
        number(&mut next)
            && next.eat_one(&["st", "nd", "rd", "th", "er", "ère", "ème", "e", "de", "a", "º", "ª", "°", "."])
            && {
                next.skip_spaces();
                next.eat_one(NUMBERED)
            }
    };
    if is_numbered {
        next.skip_while(|c| matches!(c, '、' | ';'));
        *scan = next;
    }
    is_numbered
}

/// Whether a number turns out to be something else: `1996 moves`, `1850年代`, `1850 or 1851`.
fn is_something_else(mut scan: Scan<'_>) -> bool {
    const COUNTED: &[&str] = &["moves", "stones", "games", "手", "수"];
    let is_decade = matches!(scan.peek(), Some('代' | '대'));
    scan.skip_spaces();
    if is_decade || scan.eat_one(COUNTED) {
        return true;
    }
    let either = scan.eat("or");
    scan.skip_spaces();
    either && scan.peek().is_some_and(|c| c.is_ascii_digit())
}

/// Whether a number that ends here is part of something else, so that it was misread.
pub(super) fn goes_on(mut scan: Scan<'_>) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match scan.bump() {
        Some('-' | '/' | '.' | ':') => is_digit(scan.peek()),
        first => is_digit(first),
    }
}

/// The years in which numbers of four digits are taken for years, whatever stands around them.
pub(super) const YEARS: std::ops::Range<i64> = 1500..2100;

/// Makes dates of the items. What an item lacks, it takes from the one before, or else from the next that has it: the
/// month and year of `16-18 May 1842`.
fn settle(items: &[(Joint, Loose)]) -> Option<Vec<Period>> {
    let mut years = later(items, |item| item.year.map(|year| (year, item.month)));
    let mut months = later(items, |item| item.month.map(|_| *item));
    let mut month_was_behind = false;
    let mut periods: Vec<Period> = Vec::with_capacity(items.len());
    let mut before: Option<Date> = None;
    for (i, &(joint, item)) in items.iter().enumerate() {
        let (later_year, later) = (years.next(i), months.next(i));
        let later_month = later.and_then(|later| later.month);
        let ahead = later.filter(|_| joint != Joint::Or).zip(before);
        let item =
            ahead.and_then(|(later, before)| of_month_ahead(item, before, month_was_behind, later)).unwrap_or(item);
        month_was_behind = if item.month.is_some() { item.month_behind } else { month_was_behind };
        let year = match (item.year, before) {
            (Some(year), Some(before)) if item.short_year && joint == Joint::Or => {
                near_year(before.year(), year % 100)?
            }
            (Some(year), Some(before)) if item.short_year => next_year(before.year(), year % 100),
            (Some(year), _) => year,
            (None, Some(before)) => year_behind(before, item, later_year),
            (None, None) => year_before(&items[i..], later_month, later_year?)?,
        };
        let date = match (item.bare, before) {
            (Some(bare), Some(before)) if joint == Joint::Or && before.month().is_none() => {
                either_year(before.year(), bare, item.digits == 1)?
            }
            (Some(bare), Some(before)) => continued(before, year, bare, joint)?,
            (Some(bare), None) => match later_month {
                Some(month) => Date::certain(year, Some(month), Some(bare))?,
                // `05 1998`.
                None => Date::new(item.year?, Some(bare), None)?,
            },
            // The same day, at another time.
            (None, Some(before)) if item.is_time_only() => before,
            (None, None) if item.day_first => Date::certain(year, item.day, item.month)?,
            (None, _) => {
                let month = item.month.or_else(|| item.day.and(before.and_then(Date::month).or(later_month)));
                Date::certain(year, month, item.day)?
            }
        };
        let is_either = joint == Joint::Or || items.get(i + 1).is_some_and(|&(joint, _)| joint == Joint::Or);
        if is_either && has_lost_its_day(date, item, before, later_month) {
            return None;
        }
        let moment = Moment { date, time: item.time.filter(|_| !date.is_partial()) };
        match (joint, periods.last_mut()) {
            (Joint::Or, Some(period)) => either(period, moment)?,
            // `06.12.2003 / 20:50`.
            (Joint::Range, Some(period)) if item.is_time_only() && period.from.time.is_none() => {
                period.from.time = moment.time;
            }
            // `22:13-03:00` is over the next day, or has a time zone.
            (Joint::Range, Some(period)) if item.is_time_only() && period.to.is_none() && moment < period.from => {}
            // The range ends within the month or year, on an unknown day.
            (Joint::Range, Some(period)) if period.to.is_none() && date.includes(period.from.date) => {}
            (Joint::Range, Some(period)) => {
                if period.to.is_some() || moment < period.from {
                    return None;
                }
                period.to = Some(moment);
            }
            // `1996, 6 May`: the year of that day.
            (Joint::List, Some(period))
                if i == 1
                    && (item.year.is_none() && item.month.is_some())
                    && period.as_date().is_some_and(|date| date.month().is_none()) =>
            {
                period.from = moment;
            }
            _ => periods.push(Period { from: moment, to: None }),
        }
        before = Some(date);
    }
    Some(periods)
}

/// A day without a month that is not of the month before it but of the next that is named, as days stand before their month: the 1
/// of `30 April, 1, 2 May` and the 12 of `5 May, 12, 13 June`.
fn of_month_ahead(item: Loose, before: Date, month_was_behind: bool, later: Loose) -> Option<Loose> {
    let day = item.bare.filter(|_| item.year.is_none())?;
    let is_next = later.month != before.month() && later.month_behind && later.day.is_some_and(|later| day < later);
    let has_turned = day <= before.day()?;
    (is_next && (has_turned || month_was_behind)).then_some(Loose {
        month: later.month,
        day: Some(day),
        bare: None,
        month_behind: true,
        ..item
    })
}

/// The year of an item that has none, behind a date: that date's, or the next in `2003-12-31,01-01`, unless that is later
/// than a year which is still to come.
fn year_behind(before: Date, item: Loose, later: Option<(u16, Option<u8>)>) -> u16 {
    let bare = item.bare.filter(|_| before.day().is_none());
    let turns = item.month.or(bare).is_some_and(|month| before.is_turned_by(month));
    before.year() + u16::from(turns && later.is_none_or(|(year, _)| before.year() < year))
}

/// The year of the first item, before one that has it: the same, or the year before that in `Dec 31-Jan 1, 2003` and
/// `Dec-Jan 1998`. In `Sep, Mar 1998` nothing says that a year ended in between. `None` if it could be either.
fn year_before(items: &[(Joint, Loose)], month: Option<u8>, (year, later): (u16, Option<u8>)) -> Option<u16> {
    let (_, first) = items.first()?;
    let own = if first.day_first { first.day } else { first.month };
    let (Some(month), Some(later)) = (own.or(month), later) else { return Some(year) };
    if !turns(month, later) {
        return Some(year);
    }
    let at = items.iter().position(|(_, item)| item.year.is_some())?;
    let (joint, last) = items[at];
    let with_days = (first.day.is_some() || first.bare.is_some()) && last.day.is_some();
    let is_new_year = (month, later) == (12, 1);
    let is_range = joint == Joint::Range && at == 1;
    if is_new_year && !with_days && (joint == Joint::Or || last.of_two_years) {
        return None;
    }
    let turns = if with_days { is_range || is_new_year } else { is_range && is_new_year };
    Some(year - u16::from(turns && year > 1))
}

/// Whether the calendar has no such day, as in `31 or 1 June 1998`, which is in two months.
fn has_lost_its_day(date: Date, item: Loose, before: Option<Date>, later_month: Option<u8>) -> bool {
    let is_day = || before.map_or(later_month.is_some(), |before| before.day().is_some());
    date.is_partial() && (item.day.is_some() || (item.bare.is_some() && is_day()))
}

/// Extends a period so that another moment is in it. `None` if that goes far back in one month: `May 31 or 1, 1998` very
/// probably ends in the next.
fn either(period: &mut Period, moment: Moment) -> Option<()> {
    let (from, date) = (period.from.date, moment.date);
    let is_in_one_month = (from.year(), from.month()) == (date.year(), date.month());
    if is_in_one_month && from.day().zip(date.day()).is_some_and(|(from, day)| day + 15 < from) {
        return None;
    }
    let last = period.to.unwrap_or(period.from);
    if moment.date.includes(period.from.date) && moment.date.includes(last.date) {
        *period = Period { from: moment, to: None };
    } else if moment < period.from {
        *period = Period { from: moment, to: Some(last) };
    } else if moment > last && !last.date.includes(moment.date) {
        period.to = Some(moment);
    }
    Some(())
}

/// The first year, from `before` on, that ends in these digits: 1847 in `1846/47`, 1900 in `1899-00`.
fn next_year(before: u16, two_digits: u16) -> u16 {
    let year = before / 100 * 100 + two_digits;
    if year < before { year + 100 } else { year }
}

/// The year that ends in these digits and is near: 1899 in `1900 or 99`. In `1861 or 12` the number is no year.
fn near_year(before: u16, two_digits: u16) -> Option<u16> {
    let year = before / 100 * 100 + two_digits;
    [year, year + 100, year.saturating_sub(100)].into_iter().find(|year| year.abs_diff(before) <= 10)
}

/// The other year of two: one digit is the last of the year, as in `1846 or 7`. In `1849 or 0` it could be of the next decade.
fn either_year(before: u16, bare: u8, one_digit: bool) -> Option<Date> {
    let year = match bare {
        0 if one_digit => None,
        _ if one_digit => Some(before / 10 * 10 + u16::from(bare)),
        _ => near_year(before, bare.into()),
    };
    Date::new(year?, None, None)
}

/// A number that continues a date: with what that ended in, the day, the month, or in a range of years the year.
fn continued(before: Date, year: u16, bare: u8, joint: Joint) -> Option<Date> {
    match (before.month(), before.day()) {
        (Some(month), Some(_)) => Date::certain(year, Some(month), Some(bare)),
        (Some(_), None) => Date::certain(year, Some(bare), None),
        (None, _) if joint == Joint::Range => {
            let to = before.year() / 100 * 100 + u16::from(bare);
            // `1999~00` goes on into the next century. In `1975-13` the number is neither a month nor a later year.
            let is_next = to < before.year() && to + 100 - before.year() <= 10;
            Date::new(if is_next { to + 100 } else { to.max(before.year()) }, None, None)
        }
        (None, _) => None,
    }
}

/// The next item's value of a field, for each item; linear over all of them.
struct Later<'a, T> {
    items: &'a [(Joint, Loose)],
    field: fn(&Loose) -> Option<T>,
    at: usize,
}

fn later<T>(items: &[(Joint, Loose)], field: fn(&Loose) -> Option<T>) -> Later<'_, T> {
    Later { items, field, at: 0 }
}

impl<T> Later<'_, T> {
    fn next(&mut self, from: usize) -> Option<T> {
        self.at = self.at.max(from);
        loop {
            let (_, item) = self.items.get(self.at)?;
            if let Some(value) = (self.field)(item) {
                return Some(value);
            }
            self.at += 1;
        }
    }
}
