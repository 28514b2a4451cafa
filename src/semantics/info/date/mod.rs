//! DT, and the DTX of the CWI notes: when a game was played, published or broadcast.
//!
//! Owns [`Dates`] and its parts. Of a date that no calendar has, only the month or year is taken.

mod among;
mod calendar;
mod clock;
mod decade;
mod eras;
mod item;
mod read;
mod standard;
mod units;
mod western;
mod words;

use std::fmt;

pub use calendar::{Date, Moment, Period, TimeOfDay};

use super::Reading;

/// The days of a game, in the order they were written: one or more.
///
/// ```
/// use sgf_stream::semantics::info::{Dates, Reading};
///
/// let Reading::Exact(dates) = Dates::parse("1996-12-27,28,1997-01-03,04") else { panic!() };
/// assert_eq!(dates.len(), 4);
/// assert_eq!(dates.iter().last().unwrap().to_string(), "1997-01-04");
///
/// let Reading::Lenient(dates) = Dates::parse("12th and 13th march 94") else { panic!() };
/// assert_eq!(dates.to_string(), "1994-03-12,13");
///
/// let Reading::Lenient(dates) = Dates::parse("2001-02-30") else { panic!() };
/// assert_eq!(dates.to_string(), "2001-02");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dates<'a> {
    first: Period,
    further: Vec<Period>,
    kind: DateKind,
    remark: &'a str,
    /// They are decades or centuries, of which no year is known.
    of_decades: bool,
}

/// What happened at a date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DateKind {
    /// The game was played, as DT says unless the text says otherwise.
    #[default]
    Played,
    /// The record was published. (CWI notes.)
    Published,
    /// The game was broadcast. (CWI notes.)
    Broadcast,
}

impl<'a> Dates<'a> {
    /// A longer list is not read.
    pub const MAX_LEN: usize = 1_000;

    /// Reads the text of DT or DTX.
    ///
    /// Exact: the forms of FF\[4\], with its short forms. Lenient: other separators and orders, names of months,
    /// two-digit years (00 to 29 are after 2000), times (a time zone beside them is passed over), ranges, 年月日 and 년월일,
    /// eras, `Published`. `May 3 or 4, 1998` is a range, and so are `1990s` and `199?`. In `2003-12-31,01-01` the second day is of
    /// the next year.
    ///
    /// Only the month or year is taken if day and month could be either, as in `11/3/96`, if the date is of the lunar
    /// calendar, or if the calendar has no such day. There is no date without a year, nor if the year could be either
    /// of two numbers, as in `04-03-05`.
    pub fn parse(text: &'a str) -> Reading<Self> {
        Reading::of(text, standard::read(text), read::read)
    }

    fn new(periods: Vec<Period>, kind: DateKind, remark: &'a str) -> Option<Self> {
        let mut periods = periods.into_iter();
        Some(Self { first: periods.next()?, further: periods.collect(), kind, remark, of_decades: false })
    }

    /// The first of them.
    pub const fn first(&self) -> Period {
        self.first
    }

    /// All of them, as written.
    pub fn iter(&self) -> impl Iterator<Item = Period> + '_ {
        std::iter::once(self.first).chain(self.further.iter().copied())
    }

    /// How many there are; 1 or more.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        1 + self.further.len()
    }

    /// The year of the first.
    pub const fn year(&self) -> u16 {
        self.first.from.date.year()
    }

    /// The same, unless the text says only in which decade or century it is.
    pub(crate) fn known_year(&self) -> Option<u16> {
        (!self.of_decades).then(|| self.year())
    }

    /// What happened then.
    pub const fn kind(&self) -> DateKind {
        self.kind
    }

    /// The text after the dates, or else in brackets before them, as it was written; often empty.
    pub const fn remark(&self) -> &'a str {
        self.remark
    }
}

/// As the standard writes it, with its short forms. Ranges and times, which the standard does not have, are written as
/// the CWI notes propose: `2013-08-15 23:54..2013-08-16 00:09`.
impl fmt::Display for Dates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            DateKind::Played => {}
            DateKind::Published => f.write_str("Published ")?,
            DateKind::Broadcast => f.write_str("Broadcast ")?,
        }
        self.first.fmt(f)?;
        let short = self.iter().all(|period| period.as_date().is_some());
        let mut before = self.first.from.date;
        for period in &self.further {
            f.write_str(",")?;
            let date = period.from.date;
            let turns = date.month().is_some_and(|month| before.is_turned_by(month));
            match (before.month(), before.day(), date.month(), date.day()) {
                _ if !short || turns || before.year() != date.year() => period.fmt(f)?,
                (Some(_), Some(_), month, Some(day)) if before.month() == month => write!(f, "{day:02}")?,
                (Some(_), _, Some(month), Some(day)) => write!(f, "{month:02}-{day:02}")?,
                (Some(_), None, Some(month), None) => write!(f, "{month:02}")?,
                _ => period.fmt(f)?,
            }
            before = date;
        }
        Ok(())
    }
}
