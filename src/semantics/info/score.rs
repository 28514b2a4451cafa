//! Numbers of points and of seconds: decimals, fractions, and the ways people write them.
//!
//! Owns [`Score`], an exact number, because a result such as 1 5/6 has no finite decimal form and komi is compared for equality.

use std::cmp::Ordering;
use std::fmt;

use super::scan::Scan;
use crate::semantics::real::halves;

/// An exact number of points, stones or seconds: komi, or the margin of a win.
///
/// It is a fraction in lowest terms, so equal numbers are equal however they were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Score {
    numerator: i64,
    denominator: i64,
}

impl Score {
    /// Zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// `numerator / denominator`. `None` if the denominator is 0 or a part does not fit.
    pub fn new(numerator: i64, denominator: i64) -> Option<Self> {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let divisor = i64::try_from(divisor).ok().filter(|_| denominator != 0)?;
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        if denominator < 0 {
            return Some(Self { numerator: numerator.checked_neg()?, denominator: denominator.checked_neg()? });
        }
        Some(Self { numerator, denominator })
    }

    /// The part above the line, in lowest terms. It carries the sign.
    pub const fn numerator(self) -> i64 {
        self.numerator
    }

    /// The part below the line, in lowest terms; 1 or more.
    pub const fn denominator(self) -> i64 {
        self.denominator
    }

    /// The nearest floating-point number.
    #[allow(clippy::cast_precision_loss, reason = "nearest is what is wanted")]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// A Real by the standard, of at most 18 digits.
    pub(super) fn real(text: &str) -> Option<Self> {
        let (whole, decimals) = halves(text)?;
        let decimals = decimals.trim_end_matches('0');
        let part = if decimals.is_empty() { 0 } else { decimals.parse().ok()? };
        let score = decimal(whole.parse().ok()?, part, decimals.len())?;
        if text.starts_with('-') { score.checked_mul(-1) } else { Some(score) }
    }

    pub(super) fn checked_add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub(super) fn checked_mul(self, factor: i64) -> Option<Self> {
        Self::new(self.numerator.checked_mul(factor)?, self.denominator)
    }

    pub(super) fn is_negative(self) -> bool {
        self.numerator < 0
    }

    pub(super) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// How many decimals express all of it, up to 18.
    fn decimals(self) -> Option<u32> {
        (0..=18).find(|&count| 10_i64.pow(count) % self.denominator == 0)
    }
}

impl From<i32> for Score {
    fn from(whole: i32) -> Self {
        Self { numerator: i64::from(whole), denominator: 1 }
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        let cross = |a: &Self, b: &Self| i128::from(a.numerator) * i128::from(b.denominator);
        cross(self, other).cmp(&cross(other, self))
    }
}

/// `7.5`; `1 5/6` if decimals can't express it.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, below) = (self.numerator.unsigned_abs(), self.denominator.unsigned_abs());
        if self.numerator < 0 {
            f.write_str("-")?;
        }
        let (whole, part) = (size / below, size % below);
        match self.decimals() {
            Some(0) => write!(f, "{whole}"),
            Some(count) => {
                let part = u128::from(part) * 10_u128.pow(count) / u128::from(below);
                write!(f, "{whole}.{part:0width$}", width = count as usize)
            }
            None if whole == 0 => write!(f, "{part}/{below}"),
            None => write!(f, "{whole} {part}/{below}"),
        }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// A whole number, and a decimal part of so many digits.
fn decimal(whole: i64, part: i64, count: usize) -> Option<Score> {
    let scale = 10_i64.checked_pow(u32::try_from(count).ok()?)?;
    Score::new(whole.checked_mul(scale)?.checked_add(part)?, scale)
}

/// Fractions that are one character.
const VULGAR: &[(&str, (i64, i64))] = &[
    ("½", (1, 2)),
    ("¼", (1, 4)),
    ("¾", (3, 4)),
    ("⅓", (1, 3)),
    ("⅔", (2, 3)),
    ("⅙", (1, 6)),
    ("⅚", (5, 6)),
    ("⅛", (1, 8)),
    ("⅜", (3, 8)),
    ("⅝", (5, 8)),
    ("⅞", (7, 8)),
];

const NAMED: &[(&str, i64)] = &[
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("fifteen", 15),
    ("twenty", 20),
    ("twenty-five", 25),
    ("thirty", 30),
    ("forty", 40),
    ("forty-five", 45),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("한", 1),
    ("두", 2),
    ("세", 3),
    ("네", 4),
    ("다섯", 5),
    ("여섯", 6),
    ("일곱", 7),
    ("여덟", 8),
    ("아홉", 9),
    ("열", 10),
];

impl Scan<'_> {
    /// A number of points without a sign, as people write it: `5.5`, `5,5`, `5 1/2`, `1/2`, `½`, `3又3/4`, `三又四分之三`, `半`,
    /// `half`, `five and a half`.
    pub(super) fn eat_score(&mut self) -> Option<Score> {
        let mut next = *self;
        let score = if let Some(fraction) = next.eat_fraction() {
            fraction
        } else if next.is_at_ratio() {
            return None;
        } else {
            let whole = next.eat_number()?;
            let part = if whole.denominator == 1 { next.eat_further_part() } else { None };
            part.map_or(Some(whole), |part| whole.checked_add(part))?
        };
        *self = next;
        Some(score)
    }

    /// A whole number: digits, a numeral, or a word.
    pub(super) fn eat_count(&mut self) -> Option<i64> {
        let by_digits = self.digits().or_else(|| self.eat_han_number()).map(|(number, _)| number);
        by_digits.or_else(|| self.eat_any(NAMED))
    }

    /// A half that stands behind the unit, as in `3目半`, or another fraction there.
    pub(super) fn eat_part_behind_unit(&mut self) -> Option<Score> {
        let mut next = *self;
        next.skip_spaces();
        let part = if next.eat_one(&["半", "반", "et demi"]) { Score::new(1, 2) } else { next.eat_further_part() };
        *self = if part.is_some() { next } else { *self };
        part
    }

    /// A Chinese or Japanese numeral up to 9,999, by places or digit by digit: `十五`, `二百零三`, `一九三五`.
    pub(super) fn eat_han_number(&mut self) -> Option<(i64, usize)> {
        let (mut total, mut digit, mut count, mut next) = (0_i64, None, 0, *self);
        while let Some(value) = next.peek().and_then(han_value) {
            count += 1;
            if count > 18 {
                return None;
            }
            total = match (value, digit) {
                (10 | 100 | 1000, _) => total + digit.take().unwrap_or(1) * value,
                (0, None) if total > 0 => total,
                // Digit by digit.
                (_, Some(before)) if total == 0 && before < 1_000 => {
                    digit = Some(before * 10 + value);
                    0
                }
                (_, Some(_)) => return None,
                (_, None) => {
                    digit = Some(value);
                    total
                }
            };
            next.bump();
        }
        (count > 0).then(|| {
            *self = next;
            (total + digit.unwrap_or(0), count)
        })
    }

    fn eat_number(&mut self) -> Option<Score> {
        if !self.is_at_digit()
            && let Some(named) = self.eat_any(NAMED)
        {
            return Score::new(named, 1);
        }
        if self.peek().and_then(han_value).is_some() {
            return self.eat_han_number().and_then(|(number, _)| Score::new(number, 1));
        }
        let mut next = *self;
        let whole = next.digits();
        let mut score = whole.and_then(|(whole, _)| Score::new(whole, 1));
        let mut point = next;
        let mark = point.bump().filter(|mark| matches!(mark, '.' | '。' | '·') || (*mark == ',' && whole.is_some()));
        // `5,5` is a decimal; in `5, 7` and `1,000` the comma is something else.
        if let (Some(mark), Some((part, count))) = (mark, point.digits())
            && (mark != ',' || count <= 2)
        {
            score = decimal(whole.map_or(0, |(whole, _)| whole), part, count);
            next = point;
        }
        *self = if score.is_some() { next } else { *self };
        score
    }

    /// `1/2`, `½`, `half`, `半`, `四分之三`.
    fn eat_fraction(&mut self) -> Option<Score> {
        // No word in these tables begins with a digit, as most numbers do.
        if !self.is_at_digit() {
            if let Some((above, below)) = self.eat_any(VULGAR) {
                return Score::new(above, below);
            }
            if self.eat_one(&["half", "a half", "半", "반"]) {
                return Score::new(1, 2);
            }
        }
        let mut next = *self;
        let (first, _) = next.digits().or_else(|| next.eat_han_number())?;
        let fraction = if next.eat_one(&["分之", "分の"]) {
            let (above, _) = next.digits().or_else(|| next.eat_han_number())?;
            Score::new(above, first)
        } else if next.eat_char('/') {
            let (below, _) = next.digits()?;
            // A fraction is less than one; `25/10` is a ratio, and one that continues is a date or a list.
            Score::new(first, below).filter(|_| first < below && next.peek() != Some('/'))
        } else {
            None
        }?;
        *self = next;
        Some(fraction)
    }

    fn is_at_digit(&self) -> bool {
        self.peek().is_some_and(|c| c.is_ascii_digit())
    }

    /// Whether digits stand on both sides of a slash.
    pub(super) fn is_at_ratio(mut self) -> bool {
        self.digits().is_some() && self.eat_char('/') && self.digits().is_some()
    }

    /// The fraction after a whole number: ` 1/2`, `-1/2`, `又3/4`, `과1/4`, `½`, ` and a half`.
    fn eat_further_part(&mut self) -> Option<Score> {
        let mut next = *self;
        next.skip_spaces();
        next.eat_one(&["又", "과", "와", "と", "and", "&", "-"]);
        next.skip_spaces();
        let part = next.eat_fraction()?;
        *self = next;
        Some(part)
    }
}

fn han_value(c: char) -> Option<i64> {
    Some(match c {
        '零' => 0,
        '一' | '壹' => 1,
        '二' | '两' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '十' => 10,
        '百' => 100,
        '千' => 1000,
        _ => return None,
    })
}
