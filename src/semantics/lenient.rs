//! The text of a value as a person sees it, from which all lenient reading starts.
//!
//! Owns what all typed values forgive: white space at the ends, escapes, full-width forms, a proper minus. What one type alone
//! forgives is in its own module.

use std::borrow::Cow;

use crate::syntax::Value;

/// The value without escapes, without white space at its ends, and with full-width letters, digits and signs as the
/// ASCII ones. Borrowed if nothing changes, as in nearly all values.
pub(super) fn plain(value: Value<'_>) -> Cow<'_, str> {
    match str::from_utf8(value.raw()) {
        Ok(raw) if raw.is_ascii() && !raw.contains('\\') => Cow::Borrowed(raw.trim()),
        _ => {
            let text = value.simple_text();
            let narrow: String = text.chars().map(narrow).collect();
            Cow::Owned(narrow.trim().to_owned())
        }
    }
}

/// The same, if white space between the words does not matter either.
pub(super) fn dense(value: Value<'_>) -> Cow<'_, str> {
    let plain = plain(value);
    if plain.contains(char::is_whitespace) { Cow::Owned(plain.split_whitespace().collect()) } else { plain }
}

fn narrow(letter: char) -> char {
    match letter {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(letter as u32 - 0xFEE0).unwrap_or(letter),
        '\u{3000}' => ' ',
        // The proper minus sign, and the small hyphen-minus, which the range above does not cover.
        '\u{2212}' | '\u{FE63}' => '-',
        _ => letter,
    }
}

/// The digits behind the comma in `1,800`, given those before it, and what follows them.
pub(super) fn thousands<'a>(digits: &str, rest: &'a str) -> Option<(&'a str, &'a str)> {
    let rest = rest.strip_prefix(',')?;
    let len = rest.bytes().take_while(u8::is_ascii_digit).count();
    let are_thousands = matches!(digits.len(), 1..=3) && digits != "0" && digits.bytes().all(|it| it.is_ascii_digit());
    (are_thousands && len == 3).then(|| rest.split_at(len))
}

/// What follows a sign, and whether it was a minus.
pub(super) fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest.trim_start()),
        None => (false, text),
    }
}
