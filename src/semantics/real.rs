//! Real: a decimal.
//!
//! Owns [`Real`], and the strict and the lenient reading of a decimal. Invariant: what is read is finite. Refuses to know which
//! numbers a property allows.

use std::fmt;

use crate::semantics::ValueError;
use crate::semantics::lenient;
use crate::syntax::{FromValue, Value};

/// The standard's Real: digits with or without a sign and a decimal fraction. No exponent, no infinity.
///
/// Read leniently, it may also have white space around it, a decimal comma (`6,5`), a fraction (`5 1/2`, `5½`), no
/// digit on one side of its point (`.5`, `5.`), full-width digits, or a unit of points (`5.5 points`, `6目半`, `6집반`,
/// `half a point`). `1,800` is one thousand eight hundred. Other words after it make it unreadable, because they may
/// change the number, as in `1 hour`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Real(pub f64);

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromValue<'_> for Real {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        decimal(value.raw()).map(Self)
    }

    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        Self::from_value(value).or_else(|_| read(&lenient::plain(value)).map(Self))
    }
}

/// A decimal by the letter of the standard.
fn decimal(raw: &[u8]) -> Result<f64, ValueError> {
    if raw.is_empty() {
        return Err(ValueError::Empty);
    }
    let text = str::from_utf8(raw).ok().filter(|text| halves(text).is_some());
    let number: f64 = text.and_then(|text| text.parse().ok()).ok_or(ValueError::Malformed)?;
    if number.is_finite() { Ok(number) } else { Err(ValueError::OutOfRange) }
}

/// The digits on both sides of the point, by the letter of the standard; on the right of it none if there is no point.
pub(super) fn halves(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').map_or((digits, None), |(whole, part)| (whole, Some(part)));
    let are_digits = |half: &str| !half.is_empty() && half.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits(whole) && part.is_none_or(are_digits)).then(|| (whole, part.unwrap_or("")))
}

// A number within a remark is read by `Scan::eat_score`, where a comma may begin the next item of a list and a slash stand in a
// date. Here nothing but the number is there, so `1,800` is one, as is `7/2`; and it need not be exact, so it may have any number
// of digits.
fn read(text: &str) -> Result<f64, ValueError> {
    if text.is_empty() {
        return Err(ValueError::Empty);
    }
    let (negative, text) = lenient::sign(text);
    let (number, rest) = quantity(text)?;
    if !rest.is_empty() {
        return Err(ValueError::Malformed);
    }
    let number = if negative { -number } else { number };
    if number.is_finite() { Ok(number) } else { Err(ValueError::OutOfRange) }
}

/// A number with its fraction and its unit, and the text after it.
fn quantity(text: &str) -> Result<(f64, &str), ValueError> {
    let (whole, rest) = digits(text);
    if let Some((fraction, rest)) = vulgar(rest) {
        return Ok((whole_of(whole)? + fraction, rest));
    }
    if let Some((below, rest)) = rest.strip_prefix('/').map(digits) {
        return Ok((ratio(whole, below)?, rest));
    }
    if let Some((group, rest)) = lenient::thousands(whole, rest) {
        return Ok((whole_of(&format!("{whole}{group}"))?, unit(rest)));
    }
    if let Some(rest) = rest.strip_prefix(['.', ',']) {
        let (fraction, rest) = digits(rest);
        if whole.is_empty() && fraction.is_empty() {
            return Err(ValueError::Malformed);
        }
        return Ok((whole_of(&format!("0{whole}.{fraction}0"))?, unit(rest)));
    }
    if whole.is_empty() {
        return half(text).map(|rest| (0.5, unit(rest))).ok_or(ValueError::Malformed);
    }
    let whole = whole_of(whole)?;
    // `5 1/2`
    let (above, after) = digits(rest.trim_start());
    if let Some((below, rest)) = after.strip_prefix('/').map(digits) {
        return Ok((whole + ratio(above, below)?, unit(rest)));
    }
    let rest = unit(rest);
    Ok(match half(rest) {
        Some(rest) => (whole + 0.5, unit(rest)),
        None => (whole, rest),
    })
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn whole_of(digits: &str) -> Result<f64, ValueError> {
    if digits.is_empty() { Ok(0.0) } else { digits.parse().map_err(|_| ValueError::Malformed) }
}

fn ratio(above: &str, below: &str) -> Result<f64, ValueError> {
    let (above, below) = (whole_of(above)?, whole_of(below)?);
    if above > 0.0 && below > 0.0 { Ok(above / below) } else { Err(ValueError::Malformed) }
}

/// A fraction that is one character, and the text after it.
fn vulgar(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    [('½', 0.5), ('¼', 0.25), ('¾', 0.75)]
        .into_iter()
        .find_map(|(sign, fraction)| Some((fraction, unit(text.strip_prefix(sign)?))))
}

/// The text after a word for a half.
fn half(text: &str) -> Option<&str> {
    ["half a", "half", "半", "반", "and a half"].iter().find_map(|word| strip_word(text, word))
}

/// The text after a unit of points, or all of it if there is none.
fn unit(text: &str) -> &str {
    let text = text.trim_start();
    ["points", "point", "pts", "pt", "moku", "目", "집"].iter().find_map(|word| strip_word(text, word)).unwrap_or(text)
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    let whole = !word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    (head.eq_ignore_ascii_case(word) && whole).then(|| rest.trim_start())
}
