//! TM: how much time the players have.
//!
//! Owns [`TimeLimit`]. By the standard TM is seconds for each player, and overtime is OT's; many programs write both here.

use std::fmt;
use std::time::Duration;

use super::duration::{Seconds, seconds};
use super::overtime::exact as exact_overtime;
use super::scan::Scan;
use super::{Overtime, Reading, Score};

/// How much time the players have.
///
/// ```
/// use std::time::Duration;
/// use sgf_stream::semantics::info::{Reading, TimeLimit};
///
/// let hour_and_a_half = Reading::Exact(TimeLimit::each(Duration::from_secs(5_400)));
/// assert_eq!(TimeLimit::parse("5400"), hour_and_a_half);
/// assert_eq!(TimeLimit::parse("1h30m").value(), hour_and_a_half.value());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeLimit {
    /// As much as they want.
    Unlimited,
    /// The same for each.
    Each {
        /// Before overtime.
        main: Duration,
        /// The overtime after it, if TM tells.
        overtime: Option<Overtime>,
    },
    /// Not the same for both; some programs write the time that was used.
    PerPlayer {
        /// Black's.
        black: Duration,
        /// White's.
        white: Duration,
    },
}

impl TimeLimit {
    /// The same main time for each, and nothing said of overtime.
    pub const fn each(main: Duration) -> Self {
        Self::Each { main, overtime: None }
    }

    /// The main time, if it is limited and the same for each.
    pub const fn main(self) -> Option<Duration> {
        match self {
            Self::Each { main, .. } => Some(main),
            _ => None,
        }
    }

    /// Overtime, if TM tells.
    pub const fn overtime(self) -> Option<Overtime> {
        match self {
            Self::Each { overtime, .. } => overtime,
            _ => None,
        }
    }

    /// Reads the text of TM.
    ///
    /// Exact: seconds as a Real, 0 or more. Lenient: with units (`1h30m`, `5 hours each`), by a clock (`1:30:00`;
    /// `30:00` is minutes), with overtime after it (`30:00(5x1:00)`, `1시간40초3회`), for each player. Days behind less than a
    /// day, as in `8 hours, two days`, tell how long the game took. A bare number is seconds, whatever its writer meant: the CWI
    /// notes say that minutes are common, but nothing in the text shows it. Hours in Korean are minutes where there are ten or
    /// more of them and byo-yomi: Hangame writes `10시간40초5회`.
    pub fn parse(text: &str) -> Reading<Self> {
        let exact = Score::real(text).and_then(seconds).map(Self::each);
        Reading::of(text, exact, lenient)
    }

    /// Reads the text of OT where DGS states the main time, too, as it never writes TM: `Fischer time: 14 days with 1 day
    /// extra per move`, `90 days + 1 day/10 periods Japanese byoyomi`.
    pub fn parse_ot(text: &str) -> Reading<Self> {
        Reading::of(text, None, |text| {
            let mut scan = Scan::new(text);
            let (main, overtime) = scan.eat_main_time_and_overtime()?;
            scan.is_set_off().then_some(Self::Each { main: main?, overtime: Some(overtime) })
        })
    }
}

/// `600`; with overtime `600 + 5x30 byo-yomi`; `none`; `B: 600 s W: 540 s`.
impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unlimited => f.write_str("none"),
            Self::Each { main, overtime: None } => Seconds(main).fmt(f),
            Self::Each { main, overtime: Some(overtime) } => write!(f, "{} + {overtime}", Seconds(main)),
            Self::PerPlayer { black, white } => write!(f, "B: {} s W: {} s", Seconds(black), Seconds(white)),
        }
    }
}

const UNLIMITED: &[&str] = &[
    "-",
    "none",
    "unlimited",
    "no limit",
    "no time limit",
    "untimed",
    "无",
    "无限制",
    "无制限",
    "无限时",
    "不限时",
    "없음",
    "무제한",
    "なし",
    "制限时间なし",
];

const FILLERS: &[&str] = &[
    "each",
    "per player",
    "per side",
    "each side",
    "a side",
    "each player",
    "for each player",
    "per person",
    "pro spieler",
    "je spieler",
    "je",
    "par joueur",
    "per persoon",
    "/each",
    "apiece",
    "main",
    "main time",
    "basic time",
    "基本用时",
    "包干",
    "thinking time",
    "time",
    "time limit",
    "absolute",
    "sudden death",
    "씩",
    "黑白",
    "黑白双方",
    "各",
    "各方",
    "各自",
    "双方",
    "每方",
    "共",
    "限时",
    "用时",
    "持ち时间",
    "持时间",
    "制限时间",
    "ずつ",
    "/player",
    "/side",
    "保留时间",
    "제한시간",
    "각",
    "각자",
    " ",
    ":",
];

const ABOUT: &[&str] = &["about", "ca", "ca.", "circa"];

/// Words that count periods.
const TIMES: &[&str] = &["회", "回", "次", "번"];

const BYO_YOMI: &[&str] = &["byo", "byo-yomi", "byoyomi", "读秒", "秒读み", "초읽기"];

/// Of a main time of a day or more, days behind it are overtime; a game takes more of them than that.
const DAY: Duration = Duration::from_secs(86_400);

/// As much main time as no game with byo-yomi that is announced in Korean has.
const TOO_MANY_HOURS: Duration = Duration::from_secs(10 * 3_600);

fn lenient(text: &str) -> Option<TimeLimit> {
    let mut scan = Scan::new(text);
    if scan.eat_one(UNLIMITED) {
        return scan.is_set_off().then_some(TimeLimit::Unlimited);
    }
    if let Some(limit) = per_player(scan) {
        return Some(limit);
    }
    // `2 hours?`, `ca. 2 h`.
    let sure = text.strip_suffix('?').unwrap_or(text);
    let mut scan = Scan::new(sure);
    let is_sure = !scan.eat_one(ABOUT) && sure.len() == text.len();
    // `Fischer time: 30 days`, with the increment behind it or without.
    scan.eat_one(&["fischer time"]);
    while scan.eat_one(FILLERS) {}
    // The seconds of `1시간40초3회` are a period's.
    let with_unit = scan.eat_duration_until(counts_periods);
    let bare = with_unit.is_none();
    // `five`: of what?
    let by_digits = scan.peek().is_some_and(|c| c.is_ascii_digit() || c == '.');
    if bare && !(is_sure && by_digits) {
        return None;
    }
    let main = with_unit.or_else(|| grouped(&mut scan)).or_else(|| seconds(scan.eat_score()?))?;
    let in_minutes = scan.eat_one(&["分", "분"]);
    if (bare && in_minutes) || scan.peek() == Some(':') {
        return None;
    }
    // `2x45 min` is not two seconds, and `3次60秒` not three.
    let mut counted = scan;
    counted.skip_spaces();
    let is_count = counted.eat_one(&["x", "*", "×"]) || counted.eat_one(TIMES);
    if bare && is_count {
        return None;
    }
    while scan.eat_one(FILLERS) {}
    // `5 + 3x30 byo-yomi`, the form that this library writes.
    let in_seconds = scan.rest().strip_prefix("+ ").is_some_and(|it| it == "none" || exact_overtime(it).is_some());
    let is_long = main < DAY && days(&mut scan, bare);
    let overtime = if is_long { None } else { behind(&mut scan) };
    let are_few = main < Duration::from_secs(300) && !main.is_zero();
    let ends = match overtime {
        // By the standard a bare number is seconds; with anything beside it, it need not be.
        None if bare => matches!(scan.rest(), "" | ".") && !(is_long && are_few),
        // `5+3x30s` and `60 + 30`, which very probably are minutes.
        Some(_) if bare && !in_seconds && are_few => false,
        None => scan.is_set_off() || scan.rest().trim_start().starts_with('+') || is_moves(scan),
        Some(_) => scan.is_set_off(),
    };
    // Hangame calls minutes hours: `10시간40초5회`, `180시간60초3회`; not who writes `11시간11분`.
    let are_minutes = main >= TOO_MANY_HOURS
        && matches!(overtime, Some(Overtime::ByoYomi { .. }))
        && text.contains("시간")
        && !text.contains('분');
    let main = if are_minutes { main / 60 } else { main };
    // `1800 (30 min)` says it twice.
    let overtime = overtime.filter(|&overtime| in_seconds || !is_once(overtime, main));
    ends.then_some(TimeLimit::Each { main, overtime })
}

/// `10,800`.
fn grouped(scan: &mut Scan<'_>) -> Option<Duration> {
    let mut next = *scan;
    let (thousands, _) = next.digits().filter(|&(_, digits)| digits <= 3)?;
    let comma = next.eat_char(',');
    let (rest, _) = next.digits().filter(|&(_, digits)| comma && digits == 3)?;
    let all = thousands > 0 && next.rest().is_empty();
    *scan = if all { next } else { return None };
    seconds(Score::new(thousands * 1_000 + rest, 1)?)
}

/// Whether it is a single period as long as the main time.
fn is_once(overtime: Overtime, main: Duration) -> bool {
    matches!(overtime, Overtime::ByoYomi { periods: 1, period } if period == main)
}

/// `黑: 01:40  白: 01:07`.
fn per_player(mut scan: Scan<'_>) -> Option<TimeLimit> {
    const PLAYERS: &[(&str, bool)] = &[
        ("b", true),
        ("black", true),
        ("黑", true),
        ("黑方", true),
        ("黑棋", true),
        ("흑", true),
        ("w", false),
        ("white", false),
        ("白", false),
        ("白方", false),
        ("白棋", false),
        ("백", false),
    ];
    let mut player = || {
        let skipped = |c| matches!(c, ' ' | ':' | ',' | ';' | '/');
        scan.skip_while(skipped);
        let is_black = scan.eat_any(PLAYERS)?;
        scan.skip_while(skipped);
        Some((is_black, scan.eat_duration()?))
    };
    let limit = match (player()?, player()?) {
        ((true, black), (false, white)) | ((false, white), (true, black)) => TimeLimit::PerPlayer { black, white },
        _ => return None,
    };
    scan.is_set_off().then_some(limit)
}

fn counts_periods(mut scan: Scan<'_>) -> bool {
    // `3h 1 min byo-yomi`.
    let mut named = scan;
    named.skip_spaces();
    if named.eat_one(BYO_YOMI) {
        named.skip_while(|c| matches!(c, ' ' | ':'));
        // `3时间 读秒60秒`: the period is the next length of time.
        return named.eat_duration().is_none();
    }
    scan.skip_while(|c| matches!(c, ' ' | 'x' | '*' | '×'));
    let counts = scan.digits().is_some() && scan.eat_one(TIMES);
    // `20分3次60秒`: the period that is counted follows.
    scan.skip_spaces();
    counts && scan.eat_duration().is_none()
}

/// Overtime behind the main time: `(5x1:00)`, `+30:00/25`, `, 5x30 byo-yomi`, `40초3회`.
fn behind(scan: &mut Scan<'_>) -> Option<Overtime> {
    let mut next = *scan;
    next.skip_while(|c| matches!(c, ' ' | ',' | ';' | '(' | '、'));
    let plus = next.eat_char('+');
    next.skip_spaces();
    if let Some(overtime) = exact_overtime(next.rest()) {
        *scan = Scan::new("");
        return Some(overtime);
    }
    let overtime = if plus { next.eat_overtime_behind_plus() } else { next.eat_overtime() }?;
    *scan = next;
    Some(overtime)
}

/// Days behind the main time: `, two days`, `(2日)`; behind a unit also `/ 2 days`, `in 2 days`.
fn days(scan: &mut Scan<'_>, bare: bool) -> bool {
    let mut next = *scan;
    let before = next.rest();
    next.skip_while(|c| matches!(c, ' ' | ',' | ';' | '(' | '、') || (c == '/' && !bare));
    let opens = before[..before.len() - next.rest().len()].contains(['(', '（']);
    if !bare && next.eat_one(&["in", "over", "within"]) {
        next.skip_spaces();
    }
    if !next.eat_days() {
        return false;
    }
    if opens {
        next.eat_char(')');
    }
    *scan = next;
    true
}

/// `1 hr/125 moves` is an hour for all of them.
fn is_moves(mut scan: Scan<'_>) -> bool {
    scan.eat_char('/') && scan.digits().is_some() && {
        scan.skip_spaces();
        scan.eat_one(&["moves", "stones", "手", "步"])
    }
}
