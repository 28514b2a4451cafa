//! RO: which round of an event, and what kind of round.
//!
//! Owns [`Round`].

use std::fmt;

use super::Reading;
use super::scan::{Scan, trim};

/// A round of an event.
///
/// ```
/// use sgf_stream::semantics::info::{Reading, Round};
///
/// let final_round = Round { number: Some(2), label: "2", kind: "final" };
/// assert_eq!(Round::parse("2 (final)"), Reading::Exact(final_round));
/// assert_eq!(Round::parse("2, final"), Reading::Lenient(final_round));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Round<'a> {
    /// The number, of the round or of the game in a match.
    pub number: Option<u32>,
    /// What stands before the kind, the number with it, as it was written.
    pub label: &'a str,
    /// What kind of round: `final`, `league`; often empty.
    pub kind: &'a str,
}

impl<'a> Round<'a> {
    /// Reads the text of RO.
    ///
    /// Exact: a number, and a kind in parentheses if need be: `2 (final)`. Lenient: a label of another form before the
    /// parentheses, a number among words (`Round 12`, `第3局`, `League, game 13`), or one of the usual kinds alone (`semifinal`).
    /// Of several numbers the first counts if a comma sets the others off: `Round 2, board 1`; else they are not understood.
    pub fn parse(text: &'a str) -> Reading<Self> {
        let exact = standard(text).filter(|round| round.number.is_some());
        Reading::of(text, exact, |text| {
            in_parentheses(text)
                .or_else(|| last_game(text))
                .or_else(|| among_words(text))
                .or_else(|| before_a_comma(text))
        })
    }
}

/// As the standard recommends: `2 (final)`.
impl fmt::Display for Round<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, self.kind) {
            (Some(number), "") => number.fmt(f),
            (Some(number), kind) => write!(f, "{number} ({kind})"),
            (None, kind) if self.label.is_empty() => f.write_str(kind),
            (None, "") => f.write_str(self.label),
            (None, kind) => write!(f, "{} ({kind})", self.label),
        }
    }
}

fn standard(text: &str) -> Option<Round<'_>> {
    let (label, kind) = match text.strip_suffix(')') {
        Some(text) => text.split_once(" (")?,
        None => (text, ""),
    };
    let digits = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { label.parse().ok() } else { None };
    Some(Round { number, label, kind })
}

/// Whatever stands before the last pair of parentheses is the label.
fn in_parentheses(text: &str) -> Option<Round<'_>> {
    let inner = text.strip_suffix([')', '）'])?;
    let open = inner.rfind(['(', '（'])?;
    let (label, kind) = (trim(&text[..open]), inner[open..].trim_start_matches(['(', '（']));
    let kind = trim(kind);
    let number = among_words(label).and_then(|round| round.number);
    // `League (7)`: the other way round.
    if let (None, Ok(number)) = (number, kind.parse()) {
        return Some(Round { number: Some(number), label: kind, kind: label });
    }
    Some(Round { number, label, kind })
}

/// What counts rounds and games, before or behind the number.
const COUNTERS: &[&str] = &[
    "round",
    "rounds",
    "game",
    "games",
    "ronde",
    "runde",
    "partie",
    "r",
    "rd",
    "rnd",
    "no",
    "nr",
    "match",
    "第",
    "局",
    "轮",
    "回",
    "回战",
    "番棋",
    "番碁",
    "番",
    "战",
    "盘",
    "국",
    "라운드",
    "회전",
    "제",
    "st",
    "nd",
    "rd",
    "th",
    "#",
    "the",
];

#[rustfmt::skip]
const NUMBERS: &[(&str, u32)] = &[
    ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("seven", 7), ("eight", 8), ("nine", 9), ("ten", 10),
    ("first", 1), ("second", 2), ("third", 3), ("fourth", 4), ("fifth", 5), ("sixth", 6), ("seventh", 7), ("eighth", 8), ("ninth", 9),
    ("tenth", 10),
];

/// The usual kinds.
const KINDS: &[&str] = &[
    "final",
    "semi",
    "quarter",
    "prelim",
    "qualif",
    "playoff",
    "play-off",
    "play off",
    "league",
    "knockout",
    "knock-out",
    "round robin",
    "swiss",
    "challenger",
    "title match",
    "tie-break",
    "决赛",
    "决胜",
    "四强",
    "八强",
    "十六强",
    "预选",
    "予选",
    "本赛",
    "本战",
    "循环",
    "挑战",
    "联赛",
    "淘汰",
    "リーグ",
    "トーナメント",
    "결승",
    "예선",
    "본선",
    "리그",
    "도전",
];

/// One number, or one of two in `1/19`; what is left of it on one side is the kind.
fn among_words(text: &str) -> Option<Round<'_>> {
    let Some((before, number, behind)) = split_at_number(text) else {
        if let Some(number) = by_word(text) {
            return Some(Round { number: Some(number), label: text, kind: "" });
        }
        let known = KINDS.iter().any(|kind| text.char_indices().any(|(at, _)| stands_at(&text[at..], kind)));
        return known.then_some(Round { number: None, label: "", kind: text });
    };
    // `1/8 final` and `best of 3` have no number.
    let is_share = number == 1 && number_text(text, before, behind).contains('/') && begins_with_final(behind);
    if is_share || says_how_many(before) {
        return Some(Round { number: None, label: "", kind: text });
    }
    let number = Some(number);
    // `16强` is the round of the last sixteen.
    if behind.starts_with(['强', '強', '강']) {
        return Some(Round { number: None, label: "", kind: text });
    }
    // `3a` is more than a number.
    let glued = behind.starts_with(char::is_alphabetic)
        && !COUNTERS.iter().any(|counter| begins_with(behind, counter).is_some());
    match (without_counters(before), without_counters(behind)) {
        _ if glued => None,
        ("", kind) | (kind, "") => Some(Round { number, label: number_text(text, before, behind), kind }),
        _ => None,
    }
}

/// What makes the number one of players or games.
fn says_how_many(before: &str) -> bool {
    let mut scan = Scan::new(trim(before));
    let words = [("best of", ()), ("round of", ()), ("ro", ()), ("last", ()), ("top", ()), ("ベスト", ())];
    scan.eat_any(&words).is_some() && trim(scan.rest()).is_empty()
}

fn begins_with_final(text: &str) -> bool {
    let mut scan = Scan::new(text);
    scan.skip_while(|c| matches!(c, ' ' | '-'));
    scan.eat_any(&[("final", ()), ("finals", ()), ("finale", ()), ("决赛", ())]).is_some()
}

/// `第21期名人战第3局`: the last number counts, and says what.
fn last_game(text: &str) -> Option<Round<'_>> {
    let at = text.rfind(['第', '제']).filter(|&at| at > 0)?;
    let round = among_words(&text[at..]).filter(|round| round.number.is_some() && round.kind.is_empty())?;
    Some(Round { kind: trim(&text[..at]), ..round })
}

/// `Round 2, board 1`: what stands behind the comma is the kind.
fn before_a_comma(text: &str) -> Option<Round<'_>> {
    let (label, kind) = text.split_once([',', ';', '，'])?;
    let round = among_words(trim(label)).filter(|round| round.number.is_some() && round.kind.is_empty())?;
    Some(Round { kind: trim(kind), ..round })
}

/// `third round`, `Game one`.
fn by_word(text: &str) -> Option<u32> {
    let word = without_counters(text);
    NUMBERS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|&(_, number)| number)
}

fn number_text<'a>(text: &'a str, before: &str, behind: &str) -> &'a str {
    trim(&text[before.len()..text.len() - behind.len()])
}

/// One of the usual kinds and nothing else: 戦 of 本戦 counts no rounds.
fn is_kind(text: &str) -> bool {
    KINDS.iter().any(|kind| stands_at(text, kind) && kind.chars().count() == text.chars().count())
}

fn stands_at(text: &str, word: &str) -> bool {
    let mut scan = Scan::new(text);
    word.chars().all(|c| scan.bump() == Some(c))
}

/// What stands before the only number, the number, and what stands behind it.
fn split_at_number(text: &str) -> Option<(&str, u32, &str)> {
    let is_digit = |c: char| Scan::new(c.encode_utf8(&mut [0; 4])).peek().is_some_and(|c| c.is_ascii_digit());
    // Without digits, `第三局` and `三回战`.
    let by_digits = text.find(is_digit);
    let start = by_digits.unwrap_or_else(|| text.find('第').map_or(0, |at| at + '第'.len_utf8()));
    let mut behind = Scan::new(&text[start..]);
    let (number, _) = if by_digits.is_some() { behind.digits()? } else { behind.eat_han_number()? };
    if by_digits.is_none() && !COUNTERS.iter().any(|counter| stands_at(behind.rest(), counter)) {
        return None;
    }
    // `1/19`, `1 of 19`: the first of nineteen.
    let mut of = behind;
    of.skip_spaces();
    let is_of = of.eat_char('/') || of.eat("of");
    of.skip_spaces();
    if is_of && of.digits().is_some() {
        behind = of;
    }
    if behind.rest().contains(is_digit) {
        return None;
    }
    Some((&text[..start], u32::try_from(number).ok()?, behind.rest()))
}

/// Without the words that only count, and the marks around them.
fn without_counters(text: &str) -> &str {
    let marks = |c: char| matches!(c, ' ' | ',' | '.' | ':' | ';' | '-' | '，' | '、' | '\u{3000}') || c.is_control();
    let mut text = text.trim_matches(marks);
    loop {
        if is_kind(text) {
            return text;
        }
        let begins = COUNTERS.iter().find_map(|counter| begins_with(text, counter));
        let ends = || COUNTERS.iter().find_map(|counter| ends_with(text, counter));
        match begins.or_else(ends) {
            Some(shorter) => text = shorter.trim_matches(marks),
            None => return text,
        }
    }
}

fn begins_with<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut scan = Scan::new(text);
    scan.eat(word).then(|| scan.rest())
}

fn ends_with<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (at, _) = text.char_indices().rev().nth(word.chars().count() - 1)?;
    let whole = Scan::new(&text[at..]).eat(word);
    let cut = text[..at].ends_with(|c: char| c.is_alphabetic() && c < '\u{1100}') && word.is_ascii();
    (whole && !cut).then_some(&text[..at])
}
