//! Ranks as people write them.
//!
//! Owns the order in which units, titles, ratings and servers may stand. The words are in `words`.

use super::super::scan::Scan;
use super::words::{HONORS, NAMED, ORDINALS, SERVERS, STATUS, SUFFIXES, UNITS, Unit};
use super::{Certainty, Grade, Rank, grade};

/// A numeral and 段, as most ranks in Chinese and Japanese are written: found without going through any table.
fn plain_dan(text: &str) -> Option<Rank> {
    let numeral = text.strip_suffix('段')?;
    let place = ["一", "二", "三", "四", "五", "六", "七", "八", "九"].iter().position(|&it| it == numeral)?;
    Some(Rank::of(Grade::Dan(place as u8 + 1)))
}

pub(super) fn read(text: &str) -> Option<Rank> {
    plain_dan(text).or_else(|| read_any(text))
}

fn read_any(text: &str) -> Option<Rank> {
    let mut scan = Scan::new(bare(text));
    // `elo=1823`.
    if scan.eat_one(SERVERS) {
        scan.eat_char('=');
    }
    scan.skip_while(|c| matches!(c, ' ' | ':' | ','));
    let mut rank = graded(&mut scan).or_else(|| named(&mut scan)).or_else(|| rating(&mut scan))?;
    rank.certainty = rank.certainty.or_else(|| certainty(&mut scan));
    scan.skip_spaces();
    let mut server = scan;
    server.eat_one(&["on", "@", "at"]);
    server.skip_spaces();
    if server.eat_one(SERVERS) {
        scan = server;
        rank.certainty = rank.certainty.or_else(|| certainty(&mut scan));
    }
    if rank.grade == Grade::Insei && scan.rest().chars().count() == 1 {
        return Some(rank);
    }
    // A title behind a rank, or a rank behind a title: the rank counts.
    let mut behind = scan;
    behind.skip_while(|c| matches!(c, ' ' | '&' | '/' | '·' | '・' | ',' | '('));
    if behind.eat("and") {
        behind.skip_spaces();
    }
    // `5 d, 6 d`: nobody knows which of them counts.
    let mut second = behind;
    if is_graded(rank.grade) && graded(&mut second).is_some_and(|second| second.grade != rank.grade) {
        return None;
    }
    if rank.grade == Grade::Title
        && let Some(graded) = graded(&mut behind)
    {
        return Some(graded);
    }
    let titled = named(&mut behind).is_some_and(|rank| rank.grade == Grade::Title);
    (scan.is_set_off() || titled).then_some(rank)
}

/// Takes a word that says whether the number behind it is a professional's, if it cannot be a part of the name before it:
/// `p`, `am` and 业 may be.
pub(in crate::semantics::info) fn eat_status(scan: &mut Scan<'_>) -> bool {
    let mut next = *scan;
    let before = next.rest().len();
    let found = next.eat_any(STATUS).is_some();
    let word = &scan.rest()[..before - next.rest().len()];
    let is_whole = found && word.chars().count() > if word.is_ascii() { 2 } else { 1 } && !word.ends_with('.');
    *scan = if is_whole { next } else { *scan };
    is_whole
}

/// The text without brackets around all of it.
fn bare(text: &str) -> &str {
    let pairs = [('(', ')'), ('[', ']'), ('"', '"'), ('<', '>')];
    pairs.iter().find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close)).unwrap_or(text)
}

/// A number with its unit.
fn graded(scan: &mut Scan<'_>) -> Option<Rank> {
    let mut next = *scan;
    let status = next.eat_any(STATUS);
    // `P9`, where the letter is not a word of its own.
    let status = status.or_else(|| {
        let mut letter = *scan;
        let marked = letter.eat_char('p') && letter.peek().is_some_and(|c| c.is_ascii_digit());
        marked.then(|| {
            next = letter;
            true
        })
    });
    next.skip_while(|c| c == ' ' || (matches!(c, '-' | '.') && status.is_some()));
    // In Go nobody has 10 dan: without a word before it, this is the title Judan, as 本因坊 is one.
    let mut title = next;
    if status.is_none() && title.eat_one(&["十段"]) && !matches!(title.peek(), Some('位' | '格' | 'p')) {
        return None;
    }
    let number = if next.eat_one(&["初", "초"]) { 1 } else { number(&mut next)? };
    next.eat_one(SUFFIXES);
    next.skip_while(|c| matches!(c, ' ' | '-'));
    let unit = next.eat_any(UNITS).or_else(|| match status {
        Some(true) => Some(Unit::Pro),
        // `业5`, as no kyu is written.
        Some(false) => (scan.rest().starts_with(['业', '業']) && next.is_set_off()).then_some(Unit::Dan),
        None => None,
    })?;
    let mut behind = next;
    behind.skip_spaces();
    behind.eat_char('(');
    let status = status.or_else(|| {
        let status = behind.eat_any(STATUS)?;
        behind.eat_char(')');
        next = behind;
        Some(status)
    });
    let unit = match (status, unit) {
        (Some(true), Unit::Dan) => Unit::Pro,
        (Some(false), Unit::Pro) => return None,
        _ => unit,
    };
    let grade = grade(number, unit)?;
    *scan = next;
    Some(Rank { grade, certainty: certainty(scan) })
}

fn is_graded(grade: Grade) -> bool {
    matches!(grade, Grade::Kyu(_) | Grade::Dan(_) | Grade::Pro(_))
}

/// A whole number, which may have decimals of nothing: `13.0k`. `11.6k` is between two grades, and programs do not agree
/// which of them it is.
fn number(scan: &mut Scan<'_>) -> Option<i64> {
    let number = scan.eat_any(ORDINALS).or_else(|| scan.eat_count())?;
    let mut decimals = *scan;
    if decimals.eat_char('.')
        && let Some((part, _)) = decimals.digits()
    {
        *scan = decimals;
        return (part == 0).then_some(number);
    }
    Some(number)
}

fn named(scan: &mut Scan<'_>) -> Option<Rank> {
    let mut next = *scan;
    // `25th Honinbo`, `二十五世本因坊`.
    let numbers = ["st", "nd", "rd", "th", "世", "代"];
    let is_numbered = next.eat_count().is_some() && next.eat_one(&numbers);
    next = if is_numbered { next } else { *scan };
    next.skip_spaces();
    let is_honored = next.eat_one(HONORS);
    next.skip_spaces();
    if is_numbered || is_honored {
        let title = next.eat_word(&NAMED).filter(|&grade| grade == Grade::Title)?;
        *scan = next;
        return Some(Rank::of(title));
    }
    scan.eat_word(&NAMED).map(Rank::of)
}

/// A rating: three digits may be anything; with a server's mark, or four digits, they are one.
fn rating(scan: &mut Scan<'_>) -> Option<Rank> {
    let mut next = *scan;
    let (rating, count) = next.digits()?;
    let mut decimals = next;
    if decimals.eat_char('.') && decimals.digits().is_some() {
        next = decimals;
    }
    let certainty = certainty(&mut next);
    let rating = u16::try_from(rating).ok().filter(|rating| (100..=4_999).contains(rating))?;
    (count == 4 || (count == 3 && certainty.is_some())).then(|| {
        *scan = next;
        Rank { grade: Grade::Rating(rating), certainty }
    })
}

/// Reads `?` or `*`, and skips a `+` or `-`, with which servers mark players who are about to rise or fall.
fn certainty(scan: &mut Scan<'_>) -> Option<Certainty> {
    let mut next = *scan;
    next.skip_spaces();
    if !next.eat_char('+') {
        next.eat_char('-');
    }
    let certainty = match next.peek() {
        Some('?') => Some(Certainty::Uncertain),
        Some('*') => Some(Certainty::Established),
        _ => None,
    };
    if certainty.is_some() {
        next.bump();
    }
    *scan = next;
    certainty
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_dan_is_what_the_tables_find() {
        let mut found = 0;
        for numeral in "零一二三四五六七八九十初".chars() {
            for text in [format!("{numeral}段"), format!("{numeral}"), format!("{numeral}段位"), "段".to_owned()] {
                let plain = plain_dan(&text);
                found += u32::from(plain.is_some());
                assert!(plain.is_none() || plain == read_any(&text), "{text}");
            }
        }
        assert_eq!(found, 9);
    }
}
