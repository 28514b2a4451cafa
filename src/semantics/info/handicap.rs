//! HA: handicap stones.
//!
//! Owns [`Handicap`].

use std::fmt;

use super::scan::{Scan, trim};
use super::{Komi, Reading, Score};
use crate::semantics::{Number, ValueError};
use crate::syntax::{FromValue, Value};

/// How many handicap stones Black has. It is 0 also if Black only plays first, or without komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handicap(u16);

impl Handicap {
    /// That many stones.
    pub const fn new(stones: u16) -> Self {
        Self(stones)
    }

    /// The stones.
    pub const fn stones(self) -> u16 {
        self.0
    }

    /// Reads the text of HA.
    ///
    /// Exact: a Number, 0 or more. Lenient: words and units (`2 stones`, `让三子`, `4점`), even games by name (`even`, 互先,
    /// 호선), and the agreements of old matches: in `吴先二先.二子` the handicap of this game stands after the point.
    pub fn parse(text: &str) -> Reading<Self> {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let exact = if are_digits { digits.parse().ok().map(Self) } else { None };
        Reading::of(text, exact, lenient)
    }
}

/// By the letter of the standard 2 or more; read leniently, as [`Handicap::parse`] says.
impl FromValue<'_> for Handicap {
    type Err = ValueError;

    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        let Number(stones) = value.parse()?;
        u16::try_from(stones).ok().filter(|&stones| stones >= 2).map(Self).ok_or(ValueError::OutOfRange)
    }

    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        Self::parse(&value.simple_text()).value().ok_or(ValueError::Malformed)
    }
}

/// The number of stones.
impl fmt::Display for Handicap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

const EVEN: &[&str] = &[
    "none",
    "no",
    "even",
    "even game",
    "no handicap",
    "sen",
    "josen",
    "sen-ai-sen",
    "tagai-sen",
    "互先",
    "分先",
    "猜先",
    "对子",
    "定先",
    "先",
    "先相先",
    "让先",
    "受先",
    "无",
    "なし",
    "호선",
    "정선",
    "선상선",
    "선",
];

const UNITS: &[&str] = &[
    "stone",
    "stones",
    "handicap",
    "handicap stones",
    "handicaps",
    "de handicap",
    "stein",
    "steine",
    "pierre",
    "pierres",
    "steen",
    "stenen",
    "камень",
    "камня",
    "камней",
    "子",
    "子局",
    "目",
    "점",
    "局",
    "目置",
    "目置き",
    "置碁",
    "점 접바둑",
    "점접바둑",
];

fn lenient(text: &str) -> Option<Handicap> {
    // The agreement, and the handicap that follows from it in this game.
    if let Some((agreement, game)) =
        text.rsplit_once('.').filter(|(agreement, _)| agreement.contains('先') || agreement.ends_with('二'))
    {
        return stones(Scan::new(trim(game))).filter(|_| !agreement.is_empty());
    }
    stones(Scan::new(text)).or_else(|| {
        // The name of the player whose agreement it is.
        let first = text.find(['先', '受', '让', '讓'])?;
        let who = &text[..first];
        let is_name = who.chars().count() <= 6 && !who.chars().any(|c| c.is_ascii_alphanumeric());
        is_name.then(|| stones(Scan::new(&text[first..])))?
    })
}

fn stones(mut scan: Scan<'_>) -> Option<Handicap> {
    let mut even = scan;
    let states_komi = || !Komi::parse_ha(scan.rest()).is_raw();
    if even.eat_one(EVEN) && (even.is_set_off() || even.rest().trim_start().starts_with('-') || states_komi()) {
        return Some(Handicap(0));
    }
    scan.eat_one(&["handicap", "让", "受", "受让", "授", "접바둑", "ha", "h"]);
    scan.skip_while(|c| matches!(c, ' ' | ':' | '='));
    let stones = scan.eat_score()?;
    scan.skip_spaces();
    // `2 stones handicap`.
    while scan.eat_one(UNITS) {
        scan.skip_spaces();
    }
    // A `?` says that it is not certain.
    scan.eat_char('?');
    let whole = if stones.denominator() == 1 { Score::numerator(stones) } else { return None };
    u16::try_from(whole).ok().filter(|&stones| stones <= 361 && scan.is_set_off()).map(Handicap)
}
