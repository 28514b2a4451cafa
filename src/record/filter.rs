//! Conditions on games.
//!
//! Owns [`GameFilter`] and [`Condition`], and how a condition is written. Refuses to know where it was written.

use std::borrow::Cow;
use std::fmt;

use crate::record::days::Days;
use crate::record::fold::fold;
use crate::record::range::ends;
use crate::record::typed::ENDINGS;
use crate::record::{Cell, Column, ColumnKind, Row, Wants};
use crate::semantics::info::{GameResult, Outcome, WinBy};
use crate::semantics::{GameType, letters};
use crate::syntax::Ident;

/// A condition that a game meets or not.
///
/// How it is written depends on the column:
///
/// - Text: a part of it, in upper or lower case, with or without accents ([`fold`](crate::record::fold())).
/// - A number: `7`, `200..`, `..7.5` or `1985..1995`, both ends included.
/// - The kind of game: the same, or its name, such as `Hex`. A name that is not known here is compared with that in GM.
/// - The size of a board: the same for square boards, or `19:13`.
/// - A date: a year, month or day, as DT may have it, or a range of them, such as `1996-03`, `5th March 1996`,
///   `1990..1999` or `1996-08..`. It is compared by its meaning, so `1996-03` finds `5th March 1996` and
///   `1996-02-28,03-01`. A text that is no date is searched for as text.
/// - A result: one as RE has it, compared by its meaning, so `B+R` finds `B+Resign` and `黑中盘胜`, and `B+` finds all wins
///   of Black. A text that is no result is searched for as text.
///
/// A game that leaves something out meets no condition on it but `none`, which any column has; where that word stands, it is found,
/// too.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    column: Column,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Contains(Needle),
    Equals(String),
    Between(f64, f64),
    Outcome(Outcome),
    /// By meaning, or if the text is there.
    Days(Days, Option<Needle>),
    /// A game that has no number.
    Game(GameType),
    /// A game that nobody knows, by the letters of its name.
    Named(String),
    Missing,
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConditionError {
    /// It is neither a number nor a range of numbers.
    Range,
    /// The range ends before it begins.
    Backwards,
    /// It names nobody who could be the winner.
    Winner,
    /// It is no word for how a game ended.
    Ending,
    /// No board has that size.
    Size,
    /// It looks like a date or a range of dates, and is none: one of dates is written with two dots.
    Date,
    /// It is neither a number nor a range of numbers, nor does it name a game.
    Game,
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Range => "neither a number nor a range such as 200.. or ..7.5 or 1985..1995",
            Self::Backwards => "the range ends before it begins",
            Self::Winner => "the winner is B, W or draw",
            Self::Ending => {
                let [others @ .., last] = ENDINGS;
                return write!(f, "a game ends by {} or {last}", others.join(", "));
            }
            Self::Size => "a size is a number such as 19, a range of them, or columns:rows such as 19:13",
            Self::Date => {
                "neither a date such as 1996, 1996-08 or 1996-08-03 nor a range such as 1990..1999 or 1996-08.."
            }
            Self::Game => "neither a number such as 11, nor a range of them, nor the name of a game such as Hex",
        })
    }
}

impl std::error::Error for ConditionError {}

impl Condition {
    /// A condition on a column.
    ///
    /// # Errors
    ///
    /// [`ConditionError`] if the column has numbers and the text is no number or range, if the column is the winner, the ending,
    /// the size or the kind of game and the text is none of these, or if the column is the date and the text is like one that no
    /// calendar has, as `1996-13` is, or a range of something else, or one in another form than with two dots.
    pub fn new(column: Column, wanted: &str) -> Result<Self, ConditionError> {
        let test = match column.kind() {
            _ if wanted.trim().eq_ignore_ascii_case("none") => Test::Missing,
            ColumnKind::Count if column == Column::Gm => game(wanted)?,
            ColumnKind::Count | ColumnKind::Integer | ColumnKind::Number => range(wanted)?,
            ColumnKind::Size => match wanted.split_once(':') {
                Some((columns, rows)) => oblong(columns, rows)?,
                None => range(wanted).map_err(|error| match error {
                    ConditionError::Range => ConditionError::Size,
                    error => error,
                })?,
            },
            ColumnKind::Result => match GameResult::parse(wanted).value() {
                Some(result) if result.remark.is_empty() => Test::Outcome(result.outcome),
                _ => contains(wanted),
            },
            ColumnKind::Text if column == Column::Date => days(wanted.trim())?.unwrap_or_else(|| contains(wanted)),
            ColumnKind::Text if matches!(column, Column::DateFrom | Column::DateTo) => {
                days(wanted.trim())?.ok_or(ConditionError::Date)?
            }
            ColumnKind::Text if column == Column::Ending => Test::Equals(ending(wanted)?.to_owned()),
            ColumnKind::Text if column == Column::Winner => Test::Equals(winner(wanted)?.to_owned()),
            ColumnKind::Text => contains(wanted),
        };
        Ok(Self { column, test })
    }

    /// A part of the name of a player or team of either colour, in any node of the game, since some files hold several
    /// games as variations.
    pub fn player(name: &str) -> Self {
        Self { column: Column::Players, test: contains(name) }
    }

    /// What must be read of a game to know whether it meets this.
    pub fn wants(&self) -> Wants {
        self.column.wants()
    }

    /// True for a game that meets it.
    pub fn is_met(&self, row: &Row<'_>) -> bool {
        // A part of one name, not of two that stand side by side.
        if self.column == Column::Players
            && let Test::Contains(name) = &self.test
        {
            return row.record.players().any(|it| name.is_in(&it));
        }
        if let Test::Outcome(wanted) = &self.test {
            let outcome = row.record.outcome().value();
            return outcome.is_some_and(|outcome| is_result(*wanted, outcome) || is_given_up(*wanted, outcome, row));
        }
        match (&self.test, row.cell(self.column)) {
            (Test::Contains(needle), Cell::Text(text)) => needle.is_in(&text),
            (Test::Days(days, needle), Cell::Text(text)) => {
                needle.as_ref().is_some_and(|needle| needle.is_in(&text)) || days.are_in(&text)
            }
            (Test::Equals(wanted), Cell::Text(text)) => wanted.eq_ignore_ascii_case(&text),
            (Test::Between(least, most), Cell::Number(number)) => (*least..=*most).contains(&number),
            #[expect(clippy::cast_precision_loss, reason = "nobody asks for a count of 2^53")]
            (Test::Between(least, most), Cell::Count(count)) => (*least..=*most).contains(&(count as f64)),
            #[expect(clippy::cast_precision_loss, reason = "levels are small")]
            (Test::Between(least, most), Cell::Integer(number)) => (*least..=*most).contains(&(number as f64)),
            (Test::Game(game), _) => row.record.board().game() == *game,
            (Test::Named(name), _) => {
                let is_called_so = |text: Cow<'_, str>| letters(&text).eq(name.chars());
                row.record.board().game() == GameType::Unknown && row.record.text(Ident::GM).is_some_and(is_called_so)
            }
            // The word may stand there, too: an overtime may be `none`.
            (Test::Missing, Cell::Text(text)) => text.trim().eq_ignore_ascii_case("none"),
            (Test::Missing, cell) => cell == Cell::Null,
            _ => false,
        }
    }
}

/// Conditions, all of which a game must meet. Without any, every game does.
///
/// Where one of several is enough, as of two sizes of a board, they are added [together](Self::and_any_of).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameFilter {
    /// Of each group, one must be met.
    groups: Vec<Vec<Condition>>,
}

impl GameFilter {
    /// A filter that every game passes.
    pub const fn new() -> Self {
        Self { groups: Vec::new() }
    }

    /// Adds a condition, which must be met whatever others there are.
    #[must_use]
    pub fn and(self, condition: Condition) -> Self {
        self.and_any_of([condition])
    }

    /// Adds conditions, one of which must be met. If there are none, nothing is added.
    #[must_use]
    pub fn and_any_of(mut self, conditions: impl IntoIterator<Item = Condition>) -> Self {
        let group: Vec<_> = conditions.into_iter().collect();
        if !group.is_empty() {
            self.groups.push(group);
        }
        self
    }

    /// What must be read of a game to know whether it passes.
    pub fn wants(&self) -> Wants {
        self.groups.iter().flatten().fold(Wants::HEADER, |wants, condition| wants | condition.wants())
    }

    /// False if the header of a game alone shows that it does not pass.
    pub fn may_pass(&self, row: &Row<'_>) -> bool {
        let in_header = |group: &&Vec<Condition>| group.iter().all(|condition| condition.column.is_in_header());
        self.groups.iter().filter(in_header).all(|group| is_any_met(group, row))
    }

    /// True for a game that passes.
    pub fn passes(&self, row: &Row<'_>) -> bool {
        self.groups.iter().all(|group| is_any_met(group, row))
    }
}

fn is_any_met(group: &[Condition], row: &Row<'_>) -> bool {
    group.iter().any(|condition| condition.is_met(row))
}

/// A game must meet all of them.
impl FromIterator<Condition> for GameFilter {
    fn from_iter<I: IntoIterator<Item = Condition>>(conditions: I) -> Self {
        conditions.into_iter().fold(Self::new(), Self::and)
    }
}

/// Whether an outcome is the wanted one: `B+` finds all wins of Black, and `B+R` those by resignation.
fn is_result(wanted: Outcome, outcome: Outcome) -> bool {
    match (wanted, outcome) {
        (Outcome::Win { winner: wanted, by: WinBy::Unstated }, Outcome::Win { winner, .. }) => wanted == winner,
        (
            Outcome::Win { winner: wanted, by: WinBy::Margin(least) },
            Outcome::Win { winner, by: WinBy::Margin(margin) },
        ) => wanted == winner && least.to_points() == margin.to_points(),
        _ => wanted == outcome,
    }
}

/// Whether a margin has a letter behind it, as in backgammon, where `B+2R` are two points for a game that White gave up.
fn is_given_up(wanted: Outcome, outcome: Outcome, row: &Row<'_>) -> bool {
    let Outcome::Win { winner, by } = wanted else { return false };
    let letter = match by {
        WinBy::Resignation => "R",
        WinBy::Time => "T",
        WinBy::Forfeit => "F",
        WinBy::Unstated | WinBy::Margin(_) => return false,
    };
    let is_behind = |text: Cow<'_, str>| GameResult::parse(&text).value().is_some_and(|it| it.remark == letter);
    outcome.margin().is_some() && outcome.winner() == Some(winner) && row.record.text(Ident::RE).is_some_and(is_behind)
}

/// A game by its number, for which its name may stand, or by its name alone if it has none or is not known here.
fn game(text: &str) -> Result<Test, ConditionError> {
    match range(text) {
        Err(ConditionError::Range) if !text.trim().is_empty() => {}
        number => return number,
    }
    match GameType::of_text(text.trim()) {
        // Ranges and numbers that are misspelled are no names.
        GameType::Unknown if !text.trim().starts_with(char::is_alphabetic) => Err(ConditionError::Game),
        GameType::Unknown => Ok(Test::Named(letters(text).collect())),
        named => Ok(named.number().map_or(Test::Game(named), |number| Test::Between(number.into(), number.into()))),
    }
}

fn contains(text: &str) -> Test {
    Test::Contains(Needle::new(text))
}

/// A date is also searched for as it is written, for texts that are not understood.
fn days(text: &str) -> Result<Option<Test>, ConditionError> {
    // But `1996-1` is in `1996-12` too, and `5th March` in `15th March`.
    let is_cut = matches!(text.as_bytes(), [.., before, b'0'..=b'9'] if !before.is_ascii_digit())
        || matches!(text.as_bytes(), [b'0'..=b'9', after, ..] if !after.is_ascii_digit());
    let needle = (!is_cut && !text.contains("..")).then(|| Needle::new(text));
    if let Some(days) = Days::parse(text)? {
        return Ok(Some(Test::Days(days, needle)));
    }
    // DT may have it as it stands, too.
    match range_of(text) {
        Some(range) => Ok(Days::parse(&range)?.map(|days| Test::Days(days, Some(Needle::new(text))))),
        None if is_comparison(text) => Err(ConditionError::Date),
        None => Ok(None),
    }
}

/// `A..B` for a range of dates as others write one: `1980-1990`, `1996 to 1998`, `1990s`.
fn range_of(text: &str) -> Option<String> {
    let is_year = |text: &str| text.len() == 4 && is_date(text);
    let range = |between: &str, is_end: &dyn Fn(&str) -> bool| {
        let (from, to) = text.split_once(between)?;
        (is_end(from) && is_end(to)).then(|| format!("{}..{}", from.trim(), to.trim()))
    };
    let decade = || text.strip_suffix("0s").filter(|decade| is_year(&format!("{decade}0")));
    let others = [" - ", "\u{2013}", ":", " to "].iter().find_map(|between| range(between, &is_date));
    others.or_else(|| range("-", &is_year)).or_else(|| decade().map(|decade| format!("{decade}0..{decade}9")))
}

/// `>=1996`, which as a text would hardly be found.
fn is_comparison(text: &str) -> bool {
    let date = text.trim_start_matches(['<', '>', '=']);
    date.len() < text.len() && is_date(date)
}

fn is_date(text: &str) -> bool {
    matches!(Days::parse(text.trim()), Ok(Some(_)))
}

/// A winner as the column writes it.
fn winner(text: &str) -> Result<&'static str, ConditionError> {
    let names = [("B", "B"), ("black", "B"), ("W", "W"), ("white", "W"), ("draw", "draw")];
    let found = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    found.map(|(_, winner)| *winner).ok_or(ConditionError::Winner)
}

/// How a game ended, as the column writes it.
fn ending(text: &str) -> Result<&'static str, ConditionError> {
    let found = ENDINGS.into_iter().find(|name| name.eq_ignore_ascii_case(text.trim()));
    found.ok_or(ConditionError::Ending)
}

/// A size as the column writes it: `19:13`, and a square one as a number.
fn oblong(columns: &str, rows: &str) -> Result<Test, ConditionError> {
    let number = |text: &str| text.trim().parse::<u16>().ok().filter(|&it| it > 0).ok_or(ConditionError::Size);
    match (number(columns)?, number(rows)?) {
        (columns, rows) if columns == rows => Ok(Test::Between(columns.into(), rows.into())),
        (columns, rows) => Ok(Test::Equals(format!("{columns}:{rows}"))),
    }
}

fn range(text: &str) -> Result<Test, ConditionError> {
    let number = |text: &str| match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(ConditionError::Range),
    };
    let (least, most) = ends(text).ok_or(ConditionError::Range)?;
    let (least, most) = (least.map_or(Ok(f64::NEG_INFINITY), number)?, most.map_or(Ok(f64::INFINITY), number)?);
    if least <= most { Ok(Test::Between(least, most)) } else { Err(ConditionError::Backwards) }
}

/// A text that is searched for in the form that searches [compare](fold()).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Needle(String);

impl Needle {
    fn new(text: &str) -> Self {
        Self(fold(text))
    }

    fn is_in(&self, text: &str) -> bool {
        /// The longest needle that is compared in every place.
        const SHORT: usize = 64;
        let needle = self.0.as_bytes();
        // Where words are apart, there may be more than one space.
        if text.is_ascii() && needle.len() <= SHORT && !needle.contains(&b' ') {
            return needle.is_empty()
                || text.as_bytes().windows(needle.len()).any(|it| it.eq_ignore_ascii_case(needle));
        }
        fold(text).contains(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_winner_is_one_of_three() {
        for (text, expected) in
            [("b", Ok("B")), ("White", Ok("W")), (" draw", Ok("draw")), ("x", Err(ConditionError::Winner))]
        {
            assert_eq!(winner(text), expected, "{text}");
        }
    }

    #[test]
    fn a_size_is_a_number_a_range_or_two_numbers() {
        let size = |text| Condition::new(Column::Size, text).map(|it| it.test);
        assert_eq!(size("19"), Ok(Test::Between(19.0, 19.0)));
        assert_eq!(size("9..13"), Ok(Test::Between(9.0, 13.0)));
        assert_eq!(size("19 : 19"), Ok(Test::Between(19.0, 19.0)));
        assert_eq!(size("19:013"), Ok(Test::Equals("19:13".to_owned())));
        for text in ["19:", ":", "0:5", "19:x", "19:13:7", "9..11:13"] {
            assert_eq!(size(text), Err(ConditionError::Size), "{text}");
        }
    }

    #[test]
    fn a_game_is_a_number_a_range_or_a_name() {
        let test = |text| Condition::new(Column::Gm, text).map(|it| it.test);
        for text in ["11", "Hex", " hex", "HEX"] {
            assert_eq!(test(text), Ok(Test::Between(11.0, 11.0)), "{text}");
        }
        assert_eq!(test("2..3"), Ok(Test::Between(2.0, 3.0)));
        assert!(matches!(test("blokus duo"), Ok(Test::Game(_))));
        assert_eq!(test("Tzaar "), Ok(Test::Named("tzaar".to_owned())));
        for text in ["11x", "..x", "1..x", "-"] {
            assert_eq!(test(text), Err(ConditionError::Game), "{text}");
        }
        assert_eq!(test(""), Err(ConditionError::Range));
    }

    #[test]
    fn long_needles_are_found_too() {
        for len in [1, 63, 64, 65, 1000] {
            let needle = Needle::new(&format!("{}b", "aB".repeat(len / 2)));
            let text = "Ab".repeat(len / 2) + "B";
            assert!(needle.is_in(&text) && needle.is_in(&format!("{text}\u{E9}")), "{len}");
            assert!(!needle.is_in(&text[1..]), "{len}");
        }
    }

    #[test]
    fn a_date_is_one_or_a_text() {
        let needle = |text| match Condition::new(Column::Date, text).map(|it| it.test) {
            Ok(Test::Days(_, needle)) => Ok((true, needle.map(|needle| needle.0))),
            Ok(Test::Contains(needle)) => Ok((false, Some(needle.0))),
            Ok(other) => panic!("{text}: {other:?}"),
            Err(error) => Err(error),
        };
        for (text, is_date, expected) in [
            (" 1996-03", true, Some("1996-03")),
            ("1996-1", true, None),
            ("1996..1997", true, None),
            ("5th March 1996", true, None),
            ("March 1996", true, Some("march 1996")),
            ("MARCH", false, Some("march")),
            ("03-0", false, Some("03-0")),
        ] {
            assert_eq!(needle(text), Ok((is_date, expected.map(str::to_owned))), "{text}");
        }
        for text in
            ["1980-1990", "1996 - 1998", "1996-03 - 1996-08", "1996:1998", "1996\u{2013}1998", "1996 to 1998", "1990s"]
        {
            assert_eq!(needle(text), Ok((true, Some(text.to_owned()))), "{text}");
        }
        for text in ["1996-13", ">=1996", "< 1996"] {
            assert_eq!(needle(text), Err(ConditionError::Date), "{text}");
        }
        for text in ["1845-46", "1996-03-05~07", "12:30", "to 1996", "games"] {
            assert_eq!(needle(text), Ok((false, Some(text.to_owned()))), "{text}");
        }
    }

    #[test]
    fn ranges_include_both_ends() {
        for (text, least, most) in
            [("7", 7.0, 7.0), ("200..", 200.0, f64::INFINITY), ("..7.5", f64::NEG_INFINITY, 7.5), ("1 .. 2", 1.0, 2.0)]
        {
            assert_eq!(range(text), Ok(Test::Between(least, most)), "{text}");
        }
        for text in ["", "..", "x", "1..x", "nan", "1...2", "inf"] {
            assert_eq!(range(text), Err(ConditionError::Range), "{text}");
        }
        assert_eq!(range("2..1"), Err(ConditionError::Backwards));
    }

    #[test]
    fn case_is_ignored_in_any_alphabet() {
        for (needle, text) in [("CHO", "Cho Chikun"), ("", ""), ("müller", "MÜLLER"), ("Äb", "xäB"), ("趙", "趙治勲")]
        {
            assert!(Needle::new(needle).is_in(text), "{needle} in {text}");
        }
        for (needle, text) in [("cho", "Ch o"), ("a", ""), ("趙治", "趙")] {
            assert!(!Needle::new(needle).is_in(text), "{needle} in {text}");
        }
    }

    #[test]
    fn accents_and_widths_are_ignored() {
        for (needle, text) in [
            ("lopez", "José García-López"),
            ("JOSÉ", "Jose\u{301} Garcia"),
            ("jose", "Jose\u{301} Garcia"),
            ("cho chi", "Ｃｈｏ\u{3000}Chikun"),
            ("cho chi", "Cho  Chikun"),
            ("カトウ", "ｶﾄｳ"),
            ("jorgensen", "JØRGENSEN"),
            ("Gröss", "Ein Groß"),
        ] {
            assert!(Needle::new(needle).is_in(text), "{needle} in {text}");
        }
        // Those are other letters.
        assert!(!Needle::new("カ").is_in("ガ") && !Needle::new("cho chi").is_in("chochi"));
    }
}
