//! Dates that are not all there is: a year among words, and a date behind some.
//!
//! Owns which words a date may stand behind, and which say that it is not the game's. How a date is written is for `read`.

use super::super::scan::{Scan, fold, remark, trim};
use super::decade::decades;
use super::read::{YEARS, items};
use super::words::{ANNO_DOMINI, FILLERS, KINDS, MOON, MOON_CALENDAR};
use super::{Date, DateKind, Dates, Period};

/// A date in an era that the tables do not have, with the year in parentheses: `天保六年(1835)七月十九日`. Its months are lunar,
/// so only the year is taken.
pub(super) fn western_year(text: &str) -> Option<Dates<'_>> {
    let open = text.find(['(', '（']).filter(|&open| text[..open].contains(['年', '년']))?;
    let mut scan = Scan::new(&text[open..]);
    scan.bump();
    let (year, digits) = scan.digits()?;
    scan.eat_one(&["年", "년"]);
    if digits != 4 || !scan.eat_char(')') {
        return None;
    }
    let date = Date::new(u16::try_from(year).ok()?, None, None)?;
    Dates::new(vec![Period::from(date)], DateKind::Played, remark(scan.rest()))
}

/// A single year among words that mention nothing else, or lunar months: `AD 800`,
/// `the 1st day of the 9th intercalary month 1843`.
pub(super) fn year_among_words(text: &str) -> Option<Dates<'_>> {
    let mut scan = Scan::new(text);
    let (mut year, mut by_moon, mut anno_domini) = (None, false, false);
    loop {
        scan.skip_while(|c| matches!(c, ' ' | ',' | '.' | '(' | ')'));
        if scan.rest().is_empty() {
            break;
        }
        if let Some((number, digits)) = scan.digits() {
            scan.eat_one(&["st", "nd", "rd", "th"]);
            match digits {
                3 | 4 if year.is_none() => year = Some((number, digits)),
                1 | 2 => {}
                _ => return None,
            }
        } else if scan.eat_one(MOON) {
            by_moon = true;
        } else if scan.eat_one(ANNO_DOMINI) {
            anno_domini = true;
        } else if !FILLERS.iter().any(|filler| scan.eat(filler)) {
            return None;
        }
    }
    let (year, digits) = year.filter(|&(_, digits)| anno_domini || (by_moon && digits == 4))?;
    let date = Date::new(u16::try_from(year).ok()?, None, None).filter(|_| digits >= 3)?;
    Dates::new(vec![Period::from(date)], DateKind::Played, "")
}

/// A date with only words before it, such as where the game was played or which magazine published it:
/// `Tokyo, 1985-03-04`. It must begin with its year and continue with a month, as no other number does.
pub(super) fn behind_words(text: &str) -> Option<Dates<'_>> {
    let first = text.find(|c: char| c.is_ascii_digit())?;
    let (words, date) = text.split_at(first);
    let is_set_off = words.ends_with(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '('));
    let mut year = Scan::new(date);
    let is_year = year.digits().is_some_and(|(year, digits)| digits == 4 && YEARS.contains(&year));
    if !is_set_off || !is_year {
        return None;
    }
    let dates = with_words(words, date.strip_suffix(')').unwrap_or(date))?;
    let is_whole = dates.iter().all(|period| period.from.date.month().is_some());
    is_whole.then_some(dates)
}

/// A date with a name and a comma before it: `Published in Kido, May 1990`, `Go World, 1990`. The comma sets it off, so
/// that it may begin with its day or month, and be a year alone. Its year must have four digits, as no other number does.
pub(super) fn behind_comma(text: &str) -> Option<Dates<'_>> {
    // A name with more commas is no name.
    text.match_indices([',', '，']).take(4).find_map(|(at, comma)| {
        let (words, date) = (&text[..at], trim(&text[at + comma.len()..]));
        let has_digits = words.contains(|c: char| c.is_ascii_digit());
        if has_digits || !has_year(date) || trim(words).is_empty() {
            return None;
        }
        with_words(words, date)
    })
}

/// A date with brackets before it, whatever is in them: `(Final) 9 March 2003`, `（天保14年）1843-4-19`. The year is as behind a
/// comma. What is in the brackets may not be a number that the date goes on with, as in `(18)98`, nor another date.
pub(super) fn behind_brackets(text: &str) -> Option<Dates<'_>> {
    let mut scan = Scan::new(text);
    let close = [('(', ')'), ('[', ']')].into_iter().find_map(|(open, close)| scan.eat_char(open).then_some(close))?;
    let (inner, behind) = scan.rest().split_at(scan.rest().find(|c| matches!(fold(c), '(' | ')' | '[' | ']'))?);
    let mut scan = Scan::new(behind);
    let closes = scan.eat_char(close);
    let behind = scan.rest();
    scan.skip_while(|c| matches!(c, ' ' | ':' | ','));
    let is_set_off = scan.rest().len() < behind.len() || inner.contains(char::is_alphabetic);
    if !closes || !is_set_off || !has_year(scan.rest()) || is_of_another_calendar(inner) {
        return None;
    }
    let dates = dates_behind(inner, scan.rest())?;
    // An era's year goes on for some weeks of ours.
    let agrees = |other: Dates<'_>| {
        let (other, date) = (other.first().from.date, dates.first().from.date);
        other == date || (other.month().is_none() && other.year().abs_diff(date.year()) <= 1)
    };
    let is_one = decades(inner).or_else(|| items(inner)).is_none_or(agrees);
    let remark = if dates.remark.is_empty() { trim(inner) } else { dates.remark };
    is_one.then_some(Dates { remark, ..dates })
}

/// Whether a word in brackets takes a date out of our calendar, or says that it is about rights: `(c) 1998`.
fn is_of_another_calendar(words: &str) -> bool {
    let mut scan = Scan::new(trim(words));
    let found = scan.eat_one(MOON_CALENDAR) || scan.eat_one(&["c", "©", "bc", "b.c", "bce"]);
    found && matches!(scan.rest(), "" | ".")
}

fn has_year(date: &str) -> bool {
    let mut numbers = date.split(|c: char| !c.is_ascii_digit());
    numbers.any(|number| number.len() == 4 && number.parse().is_ok_and(|year| YEARS.contains(&year)))
}

/// A date that is all there is behind some words, which are its remark and may say what happened then.
fn with_words<'a>(words: &'a str, date: &'a str) -> Option<Dates<'a>> {
    let dates = dates_behind(words, date).filter(|dates| dates.remark.is_empty())?;
    Some(Dates { remark: remark(words), ..dates })
}

/// A date behind words, and what happened then, if these say so.
fn dates_behind<'a>(words: &str, date: &'a str) -> Option<Dates<'a>> {
    if words.split(|c: char| !c.is_alphanumeric()).any(is_of_another_time) {
        return None;
    }
    let dates = decades(date).or_else(|| items(date))?;
    let kind = words.split(|c: char| !c.is_alphabetic()).find_map(|word| Scan::new(word).eat_any(KINDS));
    Some(Dates { kind: kind.unwrap_or(dates.kind), ..dates })
}

/// Whether a word says that a date is not that of the game, or not certain.
fn is_of_another_time(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "after",
        "before",
        "since",
        "until",
        "till",
        "by",
        "not",
        "no",
        "or",
        "than",
        "born",
        "died",
        "unknown",
        "uncertain",
        "copyright",
        "printed",
        "reprint",
        "reprinted",
        "annotated",
        "commented",
        "vor",
        "nach",
        "seit",
        "avant",
        "après",
        "antes",
        "после",
        "до",
    ];
    WORDS.iter().any(|it| it.eq_ignore_ascii_case(word))
}
