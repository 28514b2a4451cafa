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
    /// A komi of so many points.
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

    /// Reads the text of KM, with the texts of AP and RU from the same node, empty where there are none.
    ///
    /// Fox (`foxwq`; it may be the second AP of a node) writes whole hundredths, of stones where the rules are Chinese. That is
    /// read leniently. Everything else is read as [`parse`](Self::parse) does: a `375` of unknown origin stays 375.
    pub fn parse_of(text: &str, application: &str, rules: &str) -> Reading<Self> {
        let reading = Self::parse(text);
        if !is_fox(application) {
            return reading;
        }
        let Some(Self(written)) = reading.value().filter(|komi| komi.may_be_scaled()) else { return reading };
        let chinese = Rules::parse(rules).value() == Some(Rules::Chinese);
        // Quarters are stones' also where the rules are not told.
        let in_stones = chinese || written.numerator() % 50 != 0;
        let hundredths = if in_stones { written.checked_mul(2) } else { Some(written) };
        let points = hundredths.and_then(|hundredths| Score::new(hundredths.numerator(), 100));
        points.map_or(Reading::Raw, |points| Reading::Lenient(Self(points)))
    }

    /// True where the number may be one of hundredths. Fox's smallest komi but none is half a point; a komi of 50 points is
    /// nobody's.
    pub(crate) const fn may_be_scaled(self) -> bool {
        self.0.denominator() == 1 && self.0.numerator().unsigned_abs() >= 50
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

/// The points as a Real, `7.5`; `5 1/3` where no decimals tell all of it.
impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn is_fox(application: &str) -> bool {
    let application = trim(application).as_bytes();
    application.windows(5).any(|window| window.eq_ignore_ascii_case(b"foxwq"))
}

const NONE: &[(&str, ())] = &[
    ("none", ()),
    ("no komi", ()),
    ("no", ()),
    ("コミなし", ()),
    ("なし", ()),
    ("无", ()),
    ("无贴目", ()),
    ("不贴目", ()),
    ("없음", ()),
];

const FILLERS: &[(&str, ())] = &[
    ("komi", ()),
    ("white", ()),
    ("w", ()),
    ("for white", ()),
    ("to white", ()),
    ("先番", ()),
    ("コミ", ()),
    ("コミ出し", ()),
    ("贴", ()),
    ("贴目", ()),
    ("贴子", ()),
    ("黑", ()),
    ("黑贴", ()),
    ("덤", ()),
    ("공제", ()),
    ("of", ()),
    ("=", ()),
    (":", ()),
    (" ", ()),
];

const UNITS: &[(&str, i64)] = &[
    ("point", 1),
    ("points", 1),
    ("pt", 1),
    ("pts", 1),
    ("p", 1),
    ("moku", 1),
    ("punkte", 1),
    ("目", 1),
    ("点", 1),
    ("집", 1),
    ("호", 1),
    ("stone", 2),
    ("stones", 2),
    ("zi", 2),
    ("子", 2),
];

fn lenient(text: &str) -> Option<Komi> {
    let mut scan = Scan::new(text);
    let skip_fillers = |scan: &mut Scan<'_>| while scan.eat_any(FILLERS).is_some() {};
    skip_fillers(&mut scan);
    if scan.eat_any(NONE).is_some() {
        return scan.is_set_off().then_some(Komi(Score::ZERO));
    }
    let reverse = scan.eat("reverse");
    skip_fillers(&mut scan);
    let negative = scan.eat_char('-') || (!scan.eat_char('+') && reverse);
    let mut score = scan.eat_score()?;
    // `half a point`.
    scan.skip_spaces();
    if scan.eat("a") {
        scan.skip_spaces();
    }
    if let Some(points) = scan.eat_any(UNITS) {
        if let Some(part) = scan.eat_part_behind_unit() {
            score = score.checked_add(part)?;
        }
        score = score.checked_mul(points)?;
    }
    skip_fillers(&mut scan);
    scan.eat_char('?');
    // `5.5 (reverse)`.
    let mut behind = scan;
    behind.skip_while(|c| matches!(c, ' ' | '('));
    let negative = negative || behind.eat("reverse");
    let score = if negative { score.checked_mul(-1)? } else { score };
    scan.is_set_off().then_some(Komi(score))
}
