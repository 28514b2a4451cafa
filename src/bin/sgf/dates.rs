//! Conditions on the days of a game.
//!
//! Owns when a day, month or year that somebody asks for is one of those that DT names, however it is written there.
//! Anything else that is asked for, or that DT says, is text, and compared as such by the library.

use sgf_stream::record::{Cell, Column, Condition, ConditionError, Row};
use sgf_stream::semantics::info::{Date, Dates, Period, Reading};

/// What `--date` asks for.
#[derive(Clone, Debug)]
pub(crate) struct Day {
    /// A part of the text, which is enough.
    text: Condition,
    date: Option<Date>,
}

impl Day {
    pub(crate) fn new(wanted: &str) -> Result<Self, ConditionError> {
        Ok(Self { text: Condition::new(Column::Date, wanted)?, date: date(wanted.trim()) })
    }

    /// True for a game that meets it.
    pub(crate) fn is_met(&self, row: &Row<'_>) -> bool {
        self.text.is_met(row)
            || self.date.is_some_and(|wanted| match row.cell(Column::Date) {
                Cell::Text(text) => is_among(wanted, &text),
                _ => false,
            })
    }
}

/// Whether a text has a date in it that is in the wanted year or month, or is the wanted day.
fn is_among(wanted: Date, text: &str) -> bool {
    Dates::parse(text).value().is_some_and(|dates| dates.iter().any(|period| is_in(wanted, period)))
}

/// `1996-03-05`, `1996-03` or `1996`.
fn date(text: &str) -> Option<Date> {
    if !matches!(text.len(), 4 | 7 | 10) || !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return None;
    }
    match Dates::parse(text) {
        Reading::Exact(dates) => dates.first().as_date(),
        _ => None,
    }
}

/// Whether a period has a day of the wanted year, month or day. A game of which only the month is known is on no day of it, but
/// a range goes from the first day of the one month to the last of the other.
fn is_in(wanted: Date, period: Period) -> bool {
    let (from, to) = (period.from.date, period.to.map(|to| to.date));
    match to {
        Some(to) => first(from) <= last(wanted) && first(wanted) <= last(to),
        None => first(wanted) <= first(from) && last(from) <= last(wanted),
    }
}

/// The first day, as numbers.
fn first(date: Date) -> (u16, u8, u8) {
    (date.year(), date.month().unwrap_or(1), date.day().unwrap_or(1))
}

/// One that is not before the last day.
fn last(date: Date) -> (u16, u8, u8) {
    (date.year(), date.month().unwrap_or(12), date.day().unwrap_or(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_months_and_years_are_in_periods() {
        let is_met = |wanted: &str, text: &str| is_among(date(wanted).unwrap(), text);
        for (wanted, text) in [
            ("1996-03", "5th March 1996"),
            ("1996-03", "1996/3/7"),
            ("1996-03", "1996-02-28,03-01"),
            ("1996-03-06", "1996-03-05,06"),
            ("1996-03-06", "1996-03-05~07"),
            ("1996-03", "1996-02-28~04-02"),
            ("1996", "1996-03"),
            ("1996", "1995-12-30~1996-01-02"),
        ] {
            assert!(is_met(wanted, text), "{wanted} in {text}");
        }
        for (wanted, text) in [
            ("1996-03-06", "1996-03"),
            ("1996-03", "1996"),
            ("1996-03-08", "1996-03-05~07"),
            ("1996-03-04", "1996-03-05~07"),
            ("1996-03", "1996-02-28,04-01"),
            ("1996", "1997-01-01"),
        ] {
            assert!(!is_met(wanted, text), "{wanted} in {text}");
        }
    }

    #[test]
    fn only_a_date_of_the_standard_is_one() {
        for text in ["96", "1996-3", "1996-13", "1996-02-30", "1996,97", "March", "1996-03-", "0000", ""] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
