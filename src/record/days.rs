//! The days that somebody asks for: those of a year or a month, a single one, or all from one date to another.
//!
//! Owns which texts ask for days, and when a date as DT has it is among them. Refuses to know where such a date comes from.

use crate::record::ConditionError;
use crate::record::range::ends;
use crate::semantics::info::{Date, DateKind, Dates, Period};

/// A year, a month and a day, as numbers.
type Day = (u16, u8, u8);

/// Days without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Days {
    first: Day,
    /// None that is asked for comes after it; it need not be in the calendar.
    last: Day,
}

impl Days {
    /// A date, or a range of dates with both ends in it: `1996-03-05`, `1996/3`, `March 1996`, `1990..1999`, `1996-08..`. `None`
    /// for a text that asks for no days.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, ConditionError> {
        if !text.contains("..") && date(text).is_none() && !is_like_a_date(text) {
            return Ok(None);
        }
        let day = |text: &str, of: fn(Date) -> Day| date(text).map(of).ok_or(ConditionError::Date);
        let (from, to) = ends(text).ok_or(ConditionError::Date)?;
        let days = Self {
            first: from.map_or(Ok((0, 0, 0)), |text| day(text, first))?,
            last: to.map_or(Ok((u16::MAX, 0, 0)), |text| day(text, last))?,
        };
        if days.first <= days.last { Ok(Some(days)) } else { Err(ConditionError::Backwards) }
    }

    /// Whether a text has a date in it that is among them.
    pub(super) fn are_in(self, text: &str) -> bool {
        Dates::parse(text).value().is_some_and(|dates| dates.iter().any(|period| self.have(period)))
    }

    /// Whether a period has one of the days. A game of which only the month is known is on no day of it, but a range goes
    /// from the first day of the one month to the last of the other.
    fn have(self, period: Period) -> bool {
        let (from, to) = (period.from.date, period.to.map(|to| to.date));
        match to {
            Some(to) => first(from) <= self.last && self.first <= last(to),
            None => self.first <= first(from) && last(from) <= self.last,
        }
    }
}

/// The first day of a date.
fn first(date: Date) -> Day {
    (date.year(), date.month().unwrap_or(1), date.day().unwrap_or(1))
}

/// One that is not before its last day.
fn last(date: Date) -> Day {
    (date.year(), date.month().unwrap_or(12), date.day().unwrap_or(31))
}

/// The first and the last day of all that a text has.
pub(super) fn ends_of(dates: &Dates<'_>) -> Option<(Date, Date)> {
    let from = dates.iter().map(|period| first(period.from.date)).min()?;
    let to =
        dates.iter().map(|period| period.to.map_or(period.from.date, |to| to.date)).max_by_key(|&date| last(date))?;
    let (year, month) = (to.year(), to.month().unwrap_or(12));
    let day = |day| Date::new(year, Some(month), Some(day));
    let to = match to.day() {
        Some(_) => Some(to),
        None => (28..=31).rev().find_map(day),
    }?;
    Date::new(from.0, Some(from.1), Some(from.2)).map(|from| (from, to))
}

/// A date that is nothing else, and is all that the text says: `11/3/96` says more than the year, and `96` may be any number.
fn date(text: &str) -> Option<Date> {
    let dates = Dates::parse(text).value()?;
    let is_one = dates.len() == 1 && dates.kind() == DateKind::Played && dates.remark().is_empty();
    let date = dates.first().as_date().filter(|_| is_one && text.ends_with(char::is_alphanumeric))?;
    let parts = [date.month(), date.day()].into_iter().flatten().count() + 1;
    let numbers = || text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let is_all_said = numbers().count() <= parts && numbers().any(|number| number.len() >= 4);
    // A word that is no month is no date: `Spring 1996`.
    (is_all_said && (parts > 1 || !text.contains(char::is_alphabetic))).then_some(date)
}

/// `1996-13`: a year and other numbers, as a date has them. In archives, `00` and `0000` stand for what is not known.
fn is_like_a_date(text: &str) -> bool {
    let is_number = |part: &str, len| {
        part.len() <= len && part.bytes().all(|byte| byte.is_ascii_digit()) && part.bytes().any(|byte| byte != b'0')
    };
    let parts: Vec<&str> = text.splitn(4, ['-', '/', '.']).collect();
    // `1845-46` is two years, one behind the other, and is searched for as text.
    let follows = |year: &str, next: &str| match (year.parse::<u32>(), next.parse::<u32>()) {
        (Ok(year), Ok(next)) => next > 12 && next == (year + 1) % 100,
        _ => false,
    };
    match parts[..] {
        [year, next] if follows(year, next) => false,
        [year, ref rest @ ..] if rest.len() <= 2 => {
            year.len() == 4 && is_number(year, 4) && rest.iter().all(|part| is_number(part, 2))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str) -> Days {
        Days::parse(text).unwrap().unwrap()
    }

    #[test]
    fn days_months_and_years_are_in_periods() {
        for (wanted, text) in [
            ("1996-03", "5th March 1996"),
            ("1996-03", "1996/3/7"),
            ("1996-03", "1996-02-28,03-01"),
            ("1996-03-06", "1996-03-05,06"),
            ("1996-03-06", "1996-03-05~07"),
            ("1996-03", "1996-02-28~04-02"),
            ("1996", "1996-03"),
            ("1996", "1995-12-30~1996-01-02"),
            ("1996-08..1996-10", "1996-08-01"),
            ("1996-08..1996-10", "1996-10-31"),
            ("1996-08..1996-10", "1996-09"),
            ("1996-08..1996-10", "1996-10-31,11-01"),
            ("1996-08..1996-10", "1996-07~1996-12"),
            ("1990..1999", "1990"),
            ("1990 .. 1996-03-05", "1996-03-05"),
            ("1990..", "9999-12-31"),
            ("..1995", "1995-12"),
        ] {
            assert!(days(wanted).are_in(text), "{wanted} in {text}");
        }
        for (wanted, text) in [
            ("1996-03-06", "1996-03"),
            ("1996-03", "1996"),
            ("1996-03-08", "1996-03-05~07"),
            ("1996-03-04", "1996-03-05~07"),
            ("1996-03", "1996-02-28,04-01"),
            ("1996", "1997-01-01"),
            ("1996-08..1996-10", "1996"),
            ("1996-08..1996-10", "1996-11-01"),
            ("1996-08..1996-10", "1996-07-31,11-01"),
            ("1996-03-05..", "1996-03"),
            ("..1995", "1996-01-01"),
        ] {
            assert!(!days(wanted).are_in(text), "{wanted} in {text}");
        }
    }

    #[test]
    fn a_date_may_be_asked_for_as_dt_may_have_it() {
        for (text, same) in [
            ("1996-3", "1996-03"),
            ("1996/8/3", "1996-08-03"),
            ("1996.8.3", "1996-08-03"),
            ("5th March 1996", "1996-03-05"),
            ("March 1996", "1996-03"),
            ("1996/3..5th June 1996", "1996-03..1996-06-05"),
        ] {
            assert_eq!(Days::parse(text), Ok(Some(days(same))), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_text_is_no_date_and_what_cannot_be_one_is_refused() {
        for text in [
            "96",
            "1845-46",
            "1996/97",
            "11/3/96",
            "1996,97",
            "March",
            "1996-03-",
            "03-0",
            "Spring 1996",
            "0000",
            "1996-00-00",
            "",
        ] {
            assert_eq!(Days::parse(text), Ok(None), "{text}");
        }
        for text in ["1996-13", "1996-02-30", "1996/13", "..", "abc..def", "1996..x", "96..97", "1996...1999"] {
            assert_eq!(Days::parse(text), Err(ConditionError::Date), "{text}");
        }
        for text in ["1999..1990", "1996-09..1996-08", "1996-08-03..1996-08-02"] {
            assert_eq!(Days::parse(text), Err(ConditionError::Backwards), "{text}");
        }
    }
}
