//! Days of the calendar, fully or partly known, and times of day.
//!
//! Owns [`Date`], [`TimeOfDay`], [`Moment`] and [`Period`]. Invariant: each exists in the Gregorian calendar and on a
//! clock, as far as it is known. Refuses to know how they are written; only `Display` writes them, as the standard
//! does.

use std::fmt;

/// A day, or only a month or year if no more is known. It is always one that the Gregorian calendar has, in the years 1
/// to 9999.
///
/// Ordered by time. A month comes before its days, a year before its months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    /// 0 if not known; then so is the day.
    month: u8,
    day: u8,
}

impl Date {
    /// A date as far as it is known. `None` if the calendar has no such day, or the day is known and the month is not.
    pub fn new(year: u16, month: Option<u8>, day: Option<u8>) -> Option<Self> {
        let is_date = (1..=9_999).contains(&year)
            && match (month, day) {
                (None, None) => true,
                (Some(month), None) => (1..=12).contains(&month),
                (Some(month), Some(day)) => (1..=days(year, month)).contains(&day),
                (None, Some(_)) => false,
            };
        is_date.then_some(Self { year, month: month.unwrap_or(0), day: day.unwrap_or(0) })
    }

    /// As much of a date as the calendar has: for 30 February the month, for a 13th month the year.
    pub(super) fn certain(year: u16, month: Option<u8>, day: Option<u8>) -> Option<Self> {
        let without_day = || Self::new(year, month, None);
        Self::new(year, month, day).or_else(without_day).or_else(|| Self::new(year, None, None))
    }

    /// The day in Greenwich that many seconds after the beginning of 1970.
    pub(crate) fn of_unix_time(seconds: u32) -> Option<Self> {
        let mut left = seconds / 86_400;
        let months = (1970..=9_999).flat_map(|year| (1..=12).map(move |month| (year, month)));
        for (year, month) in months {
            let len = u32::from(days(year, month));
            if left < len {
                return Self::new(year, Some(month), Some(left as u8 + 1));
            }
            left -= len;
        }
        None
    }

    /// Whether a month that is written behind this date without a year is of the next one: January, behind December.
    pub(super) const fn is_turned_by(self, month: u8) -> bool {
        turns(self.month, month)
    }

    /// Whether this is the month or year that another date is in.
    pub(super) fn includes(self, other: Self) -> bool {
        let (year, month) = (self.year == other.year, self.month == 0 || self.month == other.month);
        self.is_partial() && year && month
    }

    /// The year, 1 to 9999.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// The month, 1 to 12, if it is known.
    pub const fn month(self) -> Option<u8> {
        if self.month == 0 { None } else { Some(self.month) }
    }

    /// The day of the month, 1 to 31, if it is known.
    pub const fn day(self) -> Option<u8> {
        if self.day == 0 { None } else { Some(self.day) }
    }

    /// True if the day is not known.
    pub const fn is_partial(self) -> bool {
        self.day == 0
    }
}

/// Whether the year changes between two months that stand one behind the other: by the shorter way that time takes.
pub(super) const fn turns(from: u8, to: u8) -> bool {
    from >= to + 6
}

fn days(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// `1998-05-03`, `1998-05` or `1998`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each row of a table has two: the formatting of numbers would take five times as long.
        let (month, day) = (self.month.into(), self.day.into());
        let mut all = *b"0000-00-00";
        for (place, number) in [(0, self.year / 100), (2, self.year % 100), (5, month), (8, day)] {
            all[place] += (number / 10) as u8;
            all[place + 1] += (number % 10) as u8;
        }
        let len = match (self.month, self.day) {
            (0, _) => 4,
            (_, 0) => 7,
            _ => all.len(),
        };
        f.write_str(str::from_utf8(&all[..len]).unwrap_or_default())
    }
}

/// A time of day, by a clock that the text may or may not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeOfDay {
    hour: u8,
    minute: u8,
    second: Option<u8>,
}

impl TimeOfDay {
    /// A time of day; `None` if no clock shows it. The second may be 60, a leap second.
    pub fn new(hour: u8, minute: u8, second: Option<u8>) -> Option<Self> {
        (hour < 24 && minute < 60 && second.is_none_or(|second| second <= 60)).then_some(Self { hour, minute, second })
    }

    /// The hour, 0 to 23.
    pub const fn hour(self) -> u8 {
        self.hour
    }

    /// The minute, 0 to 59.
    pub const fn minute(self) -> u8 {
        self.minute
    }

    /// The second, 0 to 60, if it was written.
    pub const fn second(self) -> Option<u8> {
        self.second
    }
}

/// `23:54` or `23:54:06`.
impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)?;
        self.second.map_or(Ok(()), |second| write!(f, ":{second:02}"))
    }
}

/// A date, and a time if one was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Moment {
    /// The day.
    pub date: Date,
    /// The time of that day.
    pub time: Option<TimeOfDay>,
}

/// `2013-08-15 23:54`.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.date.fmt(f)?;
        self.time.map_or(Ok(()), |time| write!(f, " {time}"))
    }
}

/// A moment, or the time from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Period {
    /// The only moment, or the first.
    pub from: Moment,
    /// The last, if it is a range. Never before the first.
    pub to: Option<Moment>,
}

impl Period {
    /// The date, if that is all there is.
    pub fn as_date(self) -> Option<Date> {
        (self.to.is_none() && self.from.time.is_none()).then_some(self.from.date)
    }
}

impl From<Date> for Period {
    fn from(date: Date) -> Self {
        Self { from: Moment { date, time: None }, to: None }
    }
}

/// `2013-08-15 23:54..2013-08-16 00:09`.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.from.fmt(f)?;
        self.to.map_or(Ok(()), |to| write!(f, "..{to}"))
    }
}
