//! Dates as FF\[4\] wants them.

use std::fmt::Write;

/// A date that starts with its year: `1976-09-16,17`, `1940.10.30-31`, `1987/10/17`, `1933年10月16日至…`. Impossible days
/// are left out, and so is everything that is no date; `None` if not even a year is left.
pub(crate) fn iso(text: &str) -> Option<String> {
    let text = text.trim();
    let (year, rest) = number(text, 4)?;
    if !(1500..2100).contains(&year) || text.find(|c: char| !c.is_ascii_digit()).unwrap_or(4) != 4 {
        return None;
    }
    let mut date = format!("{year:04}");
    let Some((month, rest)) = separated(rest, &['-', '.', '/', '年']).filter(|&(month, _)| (1..=12).contains(&month))
    else {
        return Some(date);
    };
    let _ = write!(date, "-{month:02}");
    let Some((day, mut rest)) = separated(rest, &['-', '.', '/', '月']).filter(|&(day, _)| (1..=31).contains(&day))
    else {
        return Some(date);
    };
    let _ = write!(date, "-{day:02}");
    let mut last = day;
    while let Some((next, after)) = separated(rest, &['-', ',', '~']) {
        // Only further days of the same month; anything else is not worth a guess.
        if next <= last || next > 31 || after.starts_with(['-', '.', '/']) {
            break;
        }
        let _ = write!(date, ",{next:02}");
        last = next;
        rest = after;
    }
    Some(date)
}

fn separated<'a>(text: &'a str, separators: &[char]) -> Option<(u32, &'a str)> {
    number(text.strip_prefix(separators)?, 2)
}

fn number(text: &str, digits: usize) -> Option<(u32, &str)> {
    let len = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()).min(digits);
    Some((text[..len].parse().ok()?, &text[len..]))
}
