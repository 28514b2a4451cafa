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
    /// What stands before the kind, including the number, as it was written.
    pub label: &'a str,
    /// What kind of round: `final`, `league`; often empty.
    pub kind: &'a str,
}

impl<'a> Round<'a> {
    /// Reads the text of RO.
    ///
    /// Exact: a number, and a kind in parentheses if needed: `2 (final)`. Lenient: a label of another form before the
    /// parentheses, a number among words (`Round 12`, `第3局`, `League, game 13`), or one of the usual kinds alone
    /// (`semifinal`, `1/8`). Of several numbers the first counts if a comma, or what they count, sets the others off:
    /// `Round 2, board 1`. Otherwise they are not understood. A number of boards, places or seasons is not a round, nor is one of
    /// more than two digits alone: some programs write the number of moves there.
    pub fn parse(text: &'a str) -> Reading<Self> {
        if trim(text).trim_end_matches('.').parse().is_ok_and(|number: u64| number > 99) {
            return Reading::Raw;
        }
        let exact = standard(text).filter(|round| round.number.is_some());
        Reading::of(text, exact, |text| {
            in_parentheses(text)
                .or_else(|| last_game(text))
                .or_else(|| among_words(text).filter(|round| round.number.is_some() || !text.contains("번기")))
                .or_else(|| before_a_comma(text))
                .or_else(|| before_a_board(text))
                .or_else(|| behind_another_number(text))
                .or_else(|| among_words(text))
        })
    }
}

/// As the standard recommends: `2 (final)`.
impl fmt::Display for Round<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, self.kind) {
            // Alone it would not be read as a round.
            (Some(number), "") if number > 99 => write!(f, "Round {number}"),
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

/// `Label (kind)`: everything before the last pair of parentheses is the label.
fn in_parentheses(text: &str) -> Option<Round<'_>> {
    let inner = text.strip_suffix([')', '）'])?;
    let open = inner.rfind(['(', '（'])?;
    let (label, kind) = (trim(&text[..open]), inner[open..].trim_start_matches(['(', '（']));
    let kind = trim(kind);
    let number = among_words(label).and_then(|round| round.number);
    // `League (7)` and `Final (game 2)`: the other way round.
    let counted = || {
        let counts =
            COUNTERS.iter().any(|counter| begins_with(kind, counter).is_some() || ends_with(kind, counter).is_some());
        among_words(kind).filter(|round| counts && round.kind.is_empty())?.number
    };
    if let (None, Some(number)) = (number, kind.parse().ok().or_else(counted)) {
        return Some(Round { number: Some(number), label: kind, kind: label });
    }
    Some(Round { number, label, kind })
}

/// Words that count rounds and games, before or after the number.
const COUNTERS: &[&str] = &[
    "round",
    "rounds",
    "game",
    "games",
    "ronde",
    "runde",
    "ronda",
    "rodada",
    "turno",
    "tour",
    "kolo",
    "runda",
    "omgång",
    "тур",
    "раунд",
    "круг",
    "partie",
    "partida",
    "партия",
    "игра",
    "jornada",
    "kierros",
    "g",
    "nº",
    "n°",
    "n",
    "№",
    "й",
    "目",
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
    "e",
    "de",
    "er",
    "re",
    "ère",
    "ème",
    "eme",
    "ste",
    "ª",
    "º",
    "°",
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
    "round-robin",
    "third place",
    "位决定",
    "tiebreak",
    "tie break",
    "challenge",
    "consolation",
    "main tournament",
    "group",
    "финал",
    "挑决",
    "패자",
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

/// One number, or one of two in `1/19`; if the rest is on one side of it, that is the kind.
fn among_words(text: &str) -> Option<Round<'_>> {
    let Some((before, number, behind)) = split_at_number(text) else {
        if let Some(number) = by_word(text) {
            return Some(Round { number: Some(number), label: text, kind: "" });
        }
        let known = KINDS.iter().any(|kind| text.char_indices().any(|(at, _)| stands_at(&text[at..], kind)));
        return known.then_some(Round { number: None, label: "", kind: text });
    };
    // `1/8 final`, `1/8`, `best of 3`, `3rd place` and `Board 3` have no number.
    let is_share = number == 1 && is_share_of_final(number_text(text, before, behind), before, behind);
    if is_share || says_how_many(before) || counts_something_else(before) || is_place(behind) {
        return Some(Round { number: None, label: "", kind: text });
    }
    let number = Some(number);
    // `16强` is the round of the last sixteen.
    if behind.starts_with(['强', '強', '강']) {
        return Some(Round { number: None, label: "", kind: text });
    }
    // `3a` is more than a number, and `-1` less than a round.
    if is_a_letter(before) || has_minus(before) {
        return None;
    }
    let glued = behind.starts_with(char::is_alphabetic)
        && !COUNTERS.iter().any(|counter| begins_with(behind, counter).is_some());
    match (without_counters(before), without_counters(behind)) {
        _ if glued => None,
        // `3+`.
        ("", kind) | (kind, "") if !kind.is_empty() && !kind.contains(char::is_alphanumeric) && kind != "?" => None,
        ("", kind) | (kind, "") => Some(Round { number, label: number_text(text, before, behind), kind }),
        _ => None,
    }
}

/// Whether a single letter stands before the number: `C2` and `A-1` are no rounds, because nobody knows what the letter is.
fn is_a_letter(before: &str) -> bool {
    let before = trim(before).trim_end_matches('-');
    let is_counter = COUNTERS.iter().any(|counter| begins_with(before, counter).is_some());
    before.len() == 1 && before.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_counter
}

/// Whether a minus stands directly before the number, and no name that it could be a dash behind: `-1`, `Round -1`.
fn has_minus(before: &str) -> bool {
    let Some(words) = before.strip_suffix(['-', '−', '－']) else { return false };
    let is_sign = words.is_empty() || words.ends_with(char::is_whitespace);
    is_sign && without_counters(words).is_empty()
}

/// Whether the words before the number make it one of players or games.
fn says_how_many(before: &str) -> bool {
    let mut scan = Scan::new(trim(before));
    let words = ["best of", "bo", "round of", "ro", "last", "top", "ベスト"];
    scan.eat_one(&words) && trim(scan.rest()).is_empty()
}

/// Whether it is one of the eighths and quarters that finals are named after, and not the first of so many rounds.
fn is_share_of_final(number: &str, before: &str, behind: &str) -> bool {
    let of_two = matches!(number, "1/2" | "1/4" | "1/8" | "1/16" | "1/32" | "1/64" | "1/128");
    let alone = trim(before).is_empty() && trim(behind).is_empty();
    (of_two && alone) || (number.contains('/') && begins_with_final(behind))
}

/// What else is numbered, besides rounds and games.
const OTHERS: &[&str] = &[
    "board", "boards", "bord", "brett", "table", "tables", "division", "div", "season", "year", "volume", "vol",
    "page", "pool", "section", "day", "week", "month", "tisch", "台", "桌", "组",
];

fn counts_something_else(before: &str) -> bool {
    let before = trim(before).trim_end_matches(['.', ':', '#']);
    OTHERS.iter().any(|other| ends_with(before, other).is_some())
}

/// Whether an ordinal of something else follows: `3rd place playoff`, `1st day`.
fn is_place(behind: &str) -> bool {
    let mut scan = Scan::new(behind);
    scan.eat_one(&["st", "nd", "rd", "th"]);
    scan.skip_while(|c| matches!(c, ' ' | '-'));
    scan.eat_one(&["place", "places", "位", "day", "week", "season", "board"])
}

fn begins_with_final(text: &str) -> bool {
    let mut scan = Scan::new(text);
    scan.skip_while(|c| matches!(c, ' ' | '-'));
    let finals = ["final", "finals", "finale", "finala", "финала", "финал", "决赛"];
    scan.eat_one(&finals)
}

/// `第21期名人战第3局`: the last number counts, and stands for the game.
fn last_game(text: &str) -> Option<Round<'_>> {
    let at = text.rfind(['第', '제']).filter(|&at| at > 0)?;
    let round = among_words(&text[at..]).filter(|round| round.number.is_some() && round.kind.is_empty())?;
    Some(Round { kind: trim(&text[..at]), ..round })
}

/// `Round 2, board 1`: everything behind the comma is the kind.
fn before_a_comma(text: &str) -> Option<Round<'_>> {
    let (label, kind) = text.split_once([',', ';', '，'])?;
    // `1,2` are two rounds.
    if !text.contains(char::is_alphabetic) {
        return None;
    }
    let round = among_words(trim(label)).filter(|round| round.number.is_some() && round.kind.is_empty())?;
    // `2012, round 3`.
    if is_year(trim(label)) {
        return None;
    }
    Some(Round { kind: trim(kind), ..round })
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse().is_ok_and(|year: u32| (1900..2100).contains(&year))
}

/// `Round 2 Board 1`, `Round 2 game 1`: everything behind the round is the kind.
fn before_a_board(text: &str) -> Option<Round<'_>> {
    const BOARDS: [&str; 8] = ["board", "brett", "table", "game", "match", "group", "div", "division"];
    let starts = text.char_indices().filter(|&(at, _)| text[..at].ends_with(' '));
    let (at, _) =
        starts.skip(1).find(|&(at, _)| BOARDS.iter().any(|board| begins_with(&text[at..], board).is_some()))?;
    let (label, kind) = (trim(&text[..at]).trim_end_matches([' ', '-', ':', '/']), &text[at..]);
    let round = among_words(label).filter(|round| round.number.is_some() && round.kind.is_empty())?;
    Some(Round { kind, ..round })
}

/// `Board 1, round 2`, `Season 5 round 3`, `Best of 3, game 2`, `결승5번기 1국`: the first number does not count rounds.
fn behind_another_number(text: &str) -> Option<Round<'_>> {
    const COUNTED: [&str; 5] = ["round", "game", "runde", "ronde", "partie"];
    if let Some((of_five, game)) = text.split_once("번기") {
        let round = among_words(trim(game)).filter(|round| round.number.is_some() && round.kind.is_empty())?;
        return Some(Round { kind: &text[..of_five.len() + "번기".len()], ..round });
    }
    let mut starts = text.char_indices().filter(|&(at, _)| text[..at].ends_with([' ', ',']));
    let (at, _) = starts.find(|&(at, _)| COUNTED.iter().any(|word| begins_with(&text[at..], word).is_some()))?;
    let kind = text[..at].trim_end_matches([' ', ',', ';', '-', ':']);
    among_words(kind).filter(|round| round.number.is_none() || is_year(kind))?;
    let round = among_words(trim(&text[at..])).filter(|round| round.number.is_some() && round.kind.is_empty())?;
    Some(Round { kind, ..round })
}

/// `third round`, `Game one`.
fn by_word(text: &str) -> Option<u32> {
    const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    let word = without_counters(text);
    let named = NUMBERS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|&(_, number)| number);
    // `Round III`; alone it may be anything.
    let roman = || ROMAN.iter().zip(1..).find(|(name, _)| **name == word).map(|(_, number)| number);
    named.or_else(|| roman().filter(|_| word.len() < trim(text).len()))
}

fn number_text<'a>(text: &'a str, before: &str, behind: &str) -> &'a str {
    trim(&text[before.len()..text.len() - behind.len()])
}

/// Whether it is one of the usual kinds and nothing else: 戦 of 本戦 does not count rounds.
fn is_kind(text: &str) -> bool {
    KINDS.iter().any(|kind| stands_at(text, kind) && kind.chars().count() == text.chars().count())
}

fn stands_at(text: &str, word: &str) -> bool {
    let mut scan = Scan::new(text);
    word.chars().all(|c| scan.bump() == Some(c))
}

/// The text before the only number, the number, and the text after it.
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
    // `7th game of 7`.
    let mut counted = behind.rest();
    let ofs = ["/", "of", "von", "van", "sur", "из"];
    loop {
        let mut of = Scan::new(trim(counted));
        let is_of = of.eat_one(&ofs);
        of.skip_spaces();
        if is_of && of.digits().is_some_and(|(all, _)| number <= all) {
            behind = of;
            break;
        }
        match COUNTERS.iter().find_map(|counter| begins_with(trim(counted), counter)) {
            Some(rest) => counted = rest,
            None => break,
        }
    }
    if behind.rest().contains(is_digit) {
        return None;
    }
    Some((&text[..start], u32::try_from(number).ok()?, behind.rest()))
}

/// Without the words that only count, and the marks around them.
fn without_counters(text: &str) -> &str {
    let marks =
        |c: char| matches!(c, ' ' | ',' | '.' | ':' | ';' | '-' | '_' | '，' | '、' | '\u{3000}') || c.is_control();
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
