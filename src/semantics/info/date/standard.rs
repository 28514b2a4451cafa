//! The dates of FF\[4\]: `YYYY-MM-DD`, shorter if less is known, and a list with its short forms.
//!
//! Owns the strict reading, which takes nothing else.

use super::{Date, DateKind, Dates, Period};

pub(super) fn read(text: &str) -> Option<Dates<'_>> {
    let mut segments = text.split(',');
    let first = segment(segments.next()?, None)?;
    let (mut before, mut further) = (first, Vec::new());
    for text in segments {
        before = segment(text, Some(before)).filter(|_| further.len() + 1 < Dates::MAX_LEN)?;
        further.push(Period::from(before));
    }
    Some(Dates { first: Period::from(first), further, kind: DateKind::Played, remark: "", of_decades: false })
}

/// One date. Without a year it continues the one before: `MM-DD` if that has a month, `MM` if it ends with the month,
/// `DD` if it ends with the day.
fn segment(text: &str, before: Option<Date>) -> Option<Date> {
    let mut parts = text.split('-');
    let (first, second, third) = (parts.next()?, parts.next(), parts.next());
    let two = |part: &str| if part.len() == 2 { number(part).and_then(|n| u8::try_from(n).ok()) } else { None };
    if parts.next().is_some() {
        return None;
    }
    if first.len() == 4 {
        let month = second.map(two);
        let day = third.map(two);
        return Date::new(number(first)?, month.flatten(), day.flatten())
            .filter(|_| month != Some(None) && day != Some(None));
    }
    let before = before?;
    let first = two(first)?;
    // `2003-12-31,01-01` by the letter goes back to the beginning of the year, which nobody means.
    let is_month = second.is_some() || before.day().is_none();
    if is_month && before.is_turned_by(first) {
        return None;
    }
    match (second, before.month(), before.day()) {
        _ if third.is_some() => None,
        (Some(day), Some(_), _) => Date::new(before.year(), Some(first), Some(two(day)?)),
        (None, Some(month), Some(_)) => Date::new(before.year(), Some(month), Some(first)),
        (None, Some(_), None) => Date::new(before.year(), Some(first), None),
        (_, None, _) => None,
    }
}

fn number(text: &str) -> Option<u16> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}
