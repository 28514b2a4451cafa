//! Number: an integer.
//!
//! Owns [`Number`], and the strict and the lenient reading of an integer. Invariant: what does not fit into 64 bits is an error and
//! never another number. Refuses to know which numbers a property allows.

use std::fmt;

use crate::semantics::ValueError;
use crate::semantics::lenient;
use crate::syntax::{FromValue, Value};

/// The standard's Number: digits, with or without a sign. `+5` is one by the standard.
///
/// Read leniently, it may also have white space around it, after its sign and between its digits (programs that fold
/// lines put it there); full-width digits; a fraction of nothing (`2.0`); or a remark without a digit after it
/// (`2 stones`, `2子`). `1,800` is one thousand eight hundred. The English words from `zero` to `twelve` are read, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number(pub i64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromValue<'_> for Number {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        integer(value.raw()).map(Self)
    }

    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        Self::from_value(value).or_else(|_| read(&lenient::plain(value)).map(Self))
    }
}

/// An integer by the letter of the standard.
#[inline]
pub(super) fn integer(raw: &[u8]) -> Result<i64, ValueError> {
    let (negative, digits) = match raw {
        [] => return Err(ValueError::Empty),
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ValueError::Malformed);
    }
    signed(negative, digits.iter().map(|digit| digit - b'0'))
}

/// Counts downwards, because there is one more negative number than positive ones.
fn signed(negative: bool, mut digits: impl Iterator<Item = u8>) -> Result<i64, ValueError> {
    digits
        .try_fold(0_i64, |number, digit| number.checked_mul(10)?.checked_sub(i64::from(digit)))
        .and_then(|number| if negative { Some(number) } else { number.checked_neg() })
        .ok_or(ValueError::OutOfRange)
}

/// The text without a fraction of nothing behind a number: `19` of `19.0`, as programs write it that know no integers.
pub(super) fn without_fraction(text: &str) -> &str {
    let point = text.find(|c: char| !c.is_ascii_digit()).filter(|&point| point > 0);
    match point.map(|point| text.split_at(point)) {
        Some((number, zeros)) if zeros.starts_with('.') && is_nothing(zeros) => number,
        _ => text,
    }
}

fn read(text: &str) -> Result<i64, ValueError> {
    const WORDS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if text.is_empty() {
        return Err(ValueError::Empty);
    }
    if let Some((number, _)) = (0..).zip(WORDS).find(|(_, word)| word.eq_ignore_ascii_case(text)) {
        return Ok(number);
    }
    let (negative, text) = lenient::sign(text);
    let run = text.find(|c: char| !c.is_ascii_digit() && !c.is_whitespace()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(run);
    let number = digits.trim_end();
    if number.is_empty() {
        return Err(ValueError::Malformed);
    }
    if let Some((group, "")) = lenient::thousands(digits, rest) {
        return signed(negative, digits.bytes().chain(group.bytes()).map(|digit| digit - b'0'));
    }
    let folded = number.contains(char::is_whitespace);
    let spaced = number.len() < digits.len();
    if rest.is_empty() || (!folded && (is_nothing(rest) || is_remark(rest, spaced))) {
        return signed(negative, number.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0'));
    }
    Err(ValueError::Malformed)
}

/// Whether it is `.0` or the like.
fn is_nothing(rest: &str) -> bool {
    rest.strip_prefix(['.', ',']).is_some_and(|zeros| zeros.bytes().all(|digit| digit == b'0'))
}

/// Whether it consists of words that do not change the number. `5 and a half` is another number, and `0xaf` none at all.
fn is_remark(rest: &str, spaced: bool) -> bool {
    let begins = |first: char| first == '(' || first.is_alphabetic() && (spaced || !first.is_ascii());
    rest.starts_with(begins)
        && !rest.contains(char::is_numeric)
        && !["半", "반", "half"].iter().any(|half| rest.contains(half))
}
