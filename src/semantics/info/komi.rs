//! KM: points for White.
//!
//! Owns [`Komi`], and what is known of programs that write it in a unit of their own.

use std::fmt;

use super::scan::{Scan, trim};
use super::{Reading, Rules, Score};

/// Points added to White's score; negative for reverse komi.
///
/// ```
/// use sgf_stream::semantics::info::{Komi, Reading};
///
/// assert_eq!(Komi::parse("6.5").map(|komi| komi.to_string()), Reading::Exact("6.5".to_owned()));
/// assert_eq!(Komi::parse("5 1/2").map(|komi| komi.to_string()), Reading::Lenient("5.5".to_owned()));
/// // Fox writes hundredths, and of stones where the rules are Chinese: 3.75 stones make 7.5 points.
/// assert_eq!(Komi::parse_of("375", "foxwq", "Chinese").value(), Komi::parse("7.5").value());
/// assert_eq!(Komi::parse_of("650", "foxwq", "Japanese").value(), Komi::parse("6.5").value());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Komi(Score);

impl Komi {
    /// A komi of that many points.
    pub const fn new(points: Score) -> Self {
        Self(points)
    }

    /// The points.
    pub const fn points(self) -> Score {
        self.0
    }

    /// Reads the text of KM.
    ///
    /// Exact: a Real. Lenient: comma decimals, fractions, words, units. Stones (子) count double.
    pub fn parse(text: &str) -> Reading<Self> {
        Reading::of(text, Score::real(text).map(Self), lenient)
    }

    /// Reads the text of KM together with two other texts, each empty if there is none: what the same node says about
    /// its source (AP, SO or PC), and the text of RU.
    ///
    /// Fox (野狐, `foxwq`, `YuanYu`) writes whole hundredths, of stones if the rules are Chinese, and other programs copy
    /// them. They are read as such, leniently, if the source is Fox, and also if no komi is that large: from 100 to
    /// 999, in quarters. So are quarters below five, such as `3.75`, since only stones are divided like that, and `234`, which
    /// stands for 2 3/4. Everything else is read as by [`parse`](Self::parse).
    pub fn parse_of(text: &str, source: &str, rules: &str) -> Reading<Self> {
        Self::parse_among(text, std::iter::once(source), rules)
    }

    /// The same where more than one text names a source.
    pub(crate) fn parse_among(
        text: &str,
        mut sources: impl Iterator<Item = impl AsRef<str>>,
        rules: &str,
    ) -> Reading<Self> {
        let reading = Self::parse(text);
        // `3.75`: points have no quarters.
        if let Some(Self(stones)) = reading.value()
            && stones.denominator() == 4
            && stones.numerator().unsigned_abs() < 20
        {
            return stones.checked_mul(2).map_or(reading, |points| Reading::Lenient(Self(points)));
        }
        if let Some(points) = reading.value().and_then(Self::without_fraction_bar) {
            return Reading::Lenient(points);
        }
        let Some(Self(written)) = reading.value().filter(|komi| komi.may_be_scaled()) else { return reading };
        if written.numerator().unsigned_abs() < IMPOSSIBLE && !sources.any(|source| is_fox(source.as_ref())) {
            return reading;
        }
        // Quarters belong to stones, even if the rules are not stated.
        let are_quarters = written.numerator() % 50 != 0;
        let few = written.numerator().unsigned_abs() < FEW_STONES;
        let in_stones = few && (are_quarters || Rules::parse(rules).value() == Some(Rules::Chinese));
        let hundredths = match (in_stones, are_quarters) {
            (true, _) => written.checked_mul(2),
            (false, true) => None,
            (false, false) => Some(written),
        };
        let points = hundredths.and_then(|hundredths| Score::new(hundredths.numerator(), 100));
        points.map_or(reading, |points| Reading::Lenient(Self(points)))
    }

    /// `234`, which stands for 2 3/4 stones in old collections. No komi is that large, nor has it such hundredths.
    fn without_fraction_bar(self) -> Option<Self> {
        let number = Some(self.0.numerator()).filter(|_| self.0.denominator() == 1)?;
        let (stones, quarters) = match (number / 100, number % 100) {
            (stones @ 1..=4, 14) => (stones, 1),
            (stones @ 1..=4, 34) => (stones, 3),
            _ => return None,
        };
        Score::new(4 * stones + quarters, 2).map(Self)
    }

    /// Whether the number may be in hundredths: quarters, at least half a point, and less than ten points or stones.
    const fn may_be_scaled(self) -> bool {
        let number = self.0.numerator().unsigned_abs();
        self.0.denominator() == 1 && number >= 50 && number < 1_000 && number.is_multiple_of(25)
    }

    /// Reads the text of HA where the komi is stated behind an even game: `호선 - 6집 반 공제`, `互先 先番6目半コミ出し`.
    pub fn parse_ha(text: &str) -> Reading<Self> {
        let text = trim(text);
        let korean = || text.rsplit_once('-').filter(|_| text.ends_with("공제")).map(|(_, komi)| komi);
        let japanese = || text.strip_prefix("互先").filter(|komi| komi.contains("コミ"));
        let komi = korean().or_else(japanese).and_then(|komi| Self::parse(komi).value());
        komi.map_or(Reading::Raw, Reading::Lenient)
    }

    /// Reads the text of KI, which Smart Game Board writes: twice the komi, a Number. (libsgfc++ notes.)
    pub fn parse_ki(text: &str) -> Reading<Self> {
        let half = |Self(twice): Self| Score::new(twice.numerator(), 2).filter(|_| twice.denominator() == 1).map(Self);
        match Self::parse(text) {
            Reading::Exact(twice) => half(twice).map_or(Reading::Raw, Reading::Exact),
            Reading::Lenient(twice) => half(twice).map_or(Reading::Raw, Reading::Lenient),
            Reading::Raw => Reading::Raw,
        }
    }
}

/// The points as a Real, `7.5`; `5 1/3` if decimals can't express it.
impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// No player was ever given so many points.
const IMPOSSIBLE: u64 = 100;

/// Hundredths of a number of stones that was never given: five, which are ten points.
const FEW_STONES: u64 = 500;

/// The names of Fox, and how it signs the games of tournaments that it broadcasts.
const FOX: &[&str] = &["fox", "foxwq", "yuanyu", "野狐"];

pub(crate) fn is_fox(source: &str) -> bool {
    let mut scan = Scan::new(trim(source));
    let mut before = ' ';
    loop {
        // `foxwq.com`, `www.foxwq`, `野狐围棋`; but not firefox.
        if !before.is_alphanumeric() && scan.eat_one(FOX) || scan.peek() == Some('野') && scan.eat("野狐") {
            return true;
        }
        match scan.bump() {
            Some(c) => before = c,
            None => return false,
        }
    }
}

const NONE: &[&str] = &[
    "none",
    "no komi",
    "no",
    "without komi",
    "nil",
    "コミなし",
    "无し",
    "不贴",
    "덤 없이",
    "덤없음",
    "덤 없음",
    "なし",
    "无",
    "没有",
    "无贴目",
    "不贴目",
    "无贴子",
    "不贴子",
    "없음",
];

/// Words around the number, and whether they say that the points go to Black.
const FILLERS: &[(&str, bool)] = &[
    ("komi", false),
    ("white", false),
    ("w", false),
    ("for white", false),
    ("to white", false),
    ("to w", false),
    ("for w", false),
    ("коми", false),
    ("こみ", false),
    ("흑", false),
    ("先番", false),
    ("コミ", false),
    ("コミ出し", false),
    ("コミ出", false),
    ("黑番", false),
    ("・", false),
    ("·", false),
    ("贴", false),
    ("贴目", false),
    ("贴子", false),
    ("黑", false),
    ("黑贴", false),
    ("黑出", false),
    ("黑棋", false),
    ("黑方", false),
    ("白", false),
    ("白棋", false),
    ("白方", false),
    ("km", false),
    ("is", false),
    ("互先", false),
    ("分先", false),
    ("gets", false),
    ("receives", false),
    ("for", false),
    ("덤", false),
    ("공제", false),
    ("of", false),
    ("=", false),
    (":", false),
    (" ", false),
    ("black gives", false),
    ("b gives", false),
    ("black gave", false),
    ("b gave", false),
    ("gives", false),
    ("gave", false),
    ("given by black", false),
    ("given by b", false),
    ("reverse", true),
    ("倒贴", true),
    ("倒贴目", true),
    ("反贴", true),
    ("反贴目", true),
    ("逆贴", true),
    ("白贴", true),
    ("白贴目", true),
    ("逆コミ", true),
    ("역덤", true),
    ("reversed", true),
    ("negative", true),
    ("white gives", true),
    ("w gives", true),
    ("white gave", true),
    ("w gave", true),
    ("given by white", true),
    ("given by w", true),
    ("black gets", true),
    ("b gets", true),
    ("black receives", true),
    ("b receives", true),
    ("for black", true),
    ("to black", true),
    ("for b", true),
    ("to b", true),
    ("白出", true),
    ("白棋贴", true),
    ("白棋贴目", true),
    ("白棋出", true),
    ("白方贴", true),
    ("白方贴目", true),
    ("白方出", true),
    ("白贴子", true),
    ("白倒贴", true),
    ("逆コミ出し", true),
    ("逆コミ出", true),
    ("обратное", true),
];

const UNITS: &[(&str, i64)] = &[
    ("point", 1),
    ("points", 1),
    ("pt", 1),
    ("pts", 1),
    ("p", 1),
    ("moku", 1),
    ("punkte", 1),
    ("punkt", 1),
    ("punten", 1),
    ("pkt", 1),
    ("puntos", 1),
    ("очко", 1),
    ("очка", 1),
    ("очков", 1),
    ("目", 1),
    ("点", 1),
    ("집", 1),
    ("호", 1),
    ("stone", 2),
    ("stones", 2),
    ("zi", 2),
    ("子", 2),
];

/// The names of rules; they do not change the komi, because points are points.
const RULES: &[&str] = &["chinese", "japanese", "korean", "ing", "aga", "chinese rules", "japanese rules"];

fn lenient(text: &str) -> Option<Komi> {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let text = inner.unwrap_or(text);
    let mut scan = Scan::new(text);
    let reverse = skip_fillers(&mut scan);
    if scan.eat_one(NONE) {
        return scan.is_set_off().then_some(Komi(Score::ZERO));
    }
    // `Reverse, 20p`.
    if scan.rest().len() < text.len() {
        scan.skip_while(|c| matches!(c, ' ' | ',' | '('));
    }
    let negative = scan.eat_char('-') || scan.eat("minus") || (!scan.eat_char('+') && reverse);
    scan.skip_spaces();
    let mut score = scan.eat_score()?;
    if let Some(decimals) = decimals_behind_point(&mut scan) {
        score = score.checked_add(decimals)?;
    }
    // `5. 5` is 5.5 to one reader and two numbers to another.
    let mut behind_point = scan;
    if behind_point.eat_char('.') {
        behind_point.skip_spaces();
        if behind_point.digits().is_some() {
            return None;
        }
    }
    // `half a point`.
    scan.skip_spaces();
    if scan.eat("a") {
        scan.skip_spaces();
    }
    if let Some(points) = scan.eat_any(UNITS) {
        if let Some(part) = scan.eat_part_behind_unit() {
            score = score.checked_add(part)?;
        }
        let by_the_bar = Komi(score).without_fraction_bar().filter(|_| points == 2);
        score = match by_the_bar {
            Some(Komi(points)) => points,
            None => score.checked_mul(points)?,
        };
    }
    let negative = skip_fillers(&mut scan) || negative;
    if !scan.eat_char('?') {
        scan.eat_char('*');
    }
    scan.eat_one(RULES);
    // `5.5 (reverse)`, `5.5, reverse`.
    let mut behind = scan;
    behind.skip_while(|c| matches!(c, ' ' | ',' | ';' | '('));
    let is_reverse = skip_fillers(&mut behind);
    if is_reverse && !scan.is_set_off() {
        scan = behind;
    }
    let negative = negative || is_reverse;
    // `6.5, 7.5`: which of them?
    let mut second = scan;
    second.skip_while(|c| matches!(c, ' ' | ',' | ';'));
    if second.peek().is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    let score = if negative { score.checked_mul(-1)? } else { score };
    scan.is_set_off().then_some(Komi(score))
}

/// Skips words, and tells whether the points go to Black.
fn skip_fillers(scan: &mut Scan<'_>) -> bool {
    let mut is_reverse = false;
    while let Some(goes_to_black) = scan.eat_any(FILLERS) {
        is_reverse |= goes_to_black;
    }
    is_reverse
}

/// `6点5`, `六点五`: 点 is the decimal point as it is spoken, where a digit ends the number.
fn decimals_behind_point(scan: &mut Scan<'_>) -> Option<Score> {
    let mut next = *scan;
    let is_point = next.eat_char('点');
    let (digit, count) = next.digits().or_else(|| next.eat_han_number()).filter(|_| is_point)?;
    let decimals = if (0..10).contains(&digit) && count == 1 { Score::new(digit, 10) } else { None }?;
    *scan = next;
    Some(decimals)
}
