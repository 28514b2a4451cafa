//! One date as a person writes it, which may leave out what its neighbours say.
//!
//! Owns [`Loose`]. Tries the ways to write a date one after the other. What the neighbours of an item mean for it is for `read`.

use super::super::scan::Scan;
use super::clock::{compact_time, dashed_time, iso_time, offset_behind_date, time};
use super::eras::by_era;
use super::read::YEARS;
use super::units::by_units;
use super::western::western;
use super::words::WEEKDAYS;
use super::{Date, TimeOfDay};

/// What an item of a list says by itself.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub(super) struct Loose {
    pub(super) year: Option<u16>,
    /// The year has two digits and there is nothing else, so it has the century of the year before it, if there is one.
    pub(super) short_year: bool,
    pub(super) month: Option<u8>,
    pub(super) day: Option<u8>,
    /// A lone number up to 31; its neighbours decide what it is.
    pub(super) bare: Option<u8>,
    /// How many digits that has: behind a year, one may stand for the last digit of it.
    pub(super) digits: usize,
    /// A slash stands before it, or there are two years, `1998-99`, of which the first is taken.
    pub(super) of_two_years: bool,
    pub(super) time: Option<TimeOfDay>,
    /// What stands here as month and day is day and month, unless a date before it has the year first: `30.12.` and `07.01`.
    pub(super) day_first: bool,
    /// Of two numbers it is plain which is the month: the first or the second.
    pub(super) month_first: Option<bool>,
    /// Before the year stand two numbers that both could be the month.
    pub(super) unsure: Option<(u8, u8)>,
    /// The day has no mark between year, month and day, or month and day: `20030508`, `2013-0629`.
    pub(super) compact: bool,
    /// The day stands before the month: `2 May`, `13.9.2007`.
    pub(super) month_behind: bool,
}

impl Loose {
    pub(super) fn is_day_of_our_time(&self) -> bool {
        self.day.is_some() && self.year.is_some_and(|year| YEARS.contains(&year.into()))
    }

    /// As it stands behind another item, which may tell the order of numbers: the last day of `25/7-1/8/1846` and of
    /// `7/25-29/1846`.
    pub(super) fn behind(self, before: &Self) -> Self {
        match (before.month_first, self) {
            (Some(month_first), Self { unsure: Some((a, b)), .. }) => {
                let (month, day) = if month_first { (a, b) } else { (b, a) };
                let ordered = Self { month: Some(month), day: Some(day), month_first: Some(month_first), ..self };
                let is_earlier = (self.year, ordered.month, ordered.day) < (before.year, before.month, before.day);
                // Nobody lists days backwards.
                if self.year.is_some() && is_earlier { self } else { ordered }
            }
            (Some(true), Self { month: Some(day @ 13..=31), day: None, .. }) if before.year.is_none() => {
                Self { month: None, bare: Some(day), digits: 2, ..self }
            }
            _ => self,
        }
    }

    pub(super) fn is_time_only(&self) -> bool {
        matches!(self, Self { year: None, month: None, day: None, bare: None, time: Some(_), .. })
    }
}

pub(super) fn item(scan: &mut Scan<'_>) -> Option<Loose> {
    let mut next = *scan;
    let before = time(&mut next);
    next.skip_while(|c| c == ' ' || (c == ',' && before.is_some()));
    let mut loose = match by_era(&mut next).or_else(|| by_units(&mut next)).or_else(|| western(&mut next)) {
        Some(loose) => Loose { time: before.or(loose.time), ..loose },
        None => Loose { time: Some(before?), ..Loose::default() },
    };
    if loose.time.is_none()
        && let Some(day) = loose.year.and_then(|year| Date::new(year, loose.month, Some(loose.day?)))
    {
        loose.time = dashed_time(&mut next).or_else(|| compact_time(&mut next, day));
    }
    if before.is_none() && loose.time.is_none() {
        let mut after = next;
        after.skip_while(|c| matches!(c, ' ' | '_' | ','));
        skip_weekday(&mut after);
        let is_iso = after.eat("t");
        after.eat_one(&["at", "um"]);
        after.skip_spaces();
        if let Some(time) = if is_iso { iso_time(&mut after) } else { time(&mut after) } {
            (loose.time, next) = (Some(time), after);
            if loose.year.is_none() {
                next.skip_spaces();
                loose.year = year_alone(&mut next);
            }
        }
    }
    // `Thu Apr 7 22:13:13 2005 +0900`, `2005-04-07 +0900`. Before our time these could be years.
    if loose.day.is_some() && loose.year.is_some_and(|year| YEARS.contains(&year.into())) {
        offset_behind_date(&mut next);
    }
    *scan = next;
    Some(loose)
}

/// `Tuesday`, `(Tue)`, `(火)` between date and time.
fn skip_weekday(scan: &mut Scan<'_>) {
    let mut next = *scan;
    let open = next.eat_char('(');
    let short = open && next.peek().is_some_and(|c| "月火水木金土日월화수목금토일".contains(c));
    let is_weekday = next.eat_word(&WEEKDAYS).is_some() || (short && next.bump().is_some());
    next.eat_char('.');
    if is_weekday && (!open || next.eat_char(')')) {
        next.skip_spaces();
        *scan = next;
    }
}

fn year_alone(scan: &mut Scan<'_>) -> Option<u16> {
    let mut next = *scan;
    let (year, _) = next.digits().filter(|&(_, count)| count == 4)?;
    *scan = next;
    u16::try_from(year).ok()
}

/// A year of four digits, or of two that cannot be a day.
pub(super) fn year(number: i64, digits: usize) -> Option<u16> {
    let number = u16::try_from(number).ok()?;
    match digits {
        4 => Some(number),
        2 => Some(full_year(number)),
        _ => None,
    }
}

/// A year of two digits. Years that had not come when people began to write SGF with four digits belong to the century before.
pub(super) fn full_year(two_digits: u16) -> u16 {
    two_digits + if two_digits < 30 { 2000 } else { 1900 }
}
