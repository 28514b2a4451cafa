//! BR and WR: how strong a player is.
//!
//! Owns [`Rank`]; its words are those of associations and servers.

mod read;
mod words;

use std::fmt;

use super::Reading;
pub(super) use read::eat_status;
use words::Unit;

/// How strong a player is, and how sure that is.
///
/// ```
/// use sgf_stream::semantics::info::{Certainty, Grade, Rank, Reading};
///
/// let rank = Rank { grade: Grade::Kyu(10), certainty: Some(Certainty::Established) };
/// assert_eq!(Rank::parse("10k*"), Reading::Exact(rank));
/// assert_eq!(Rank::parse("十级*"), Reading::Lenient(rank));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rank {
    /// How strong.
    pub grade: Grade,
    /// How sure a server is of it.
    pub certainty: Option<Certainty>,
}

/// How strong a player is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Grade {
    /// Kyu; 1 is the strongest.
    Kyu(u8),
    /// Dan of an amateur, or if the text does not say of whom.
    Dan(u8),
    /// Dan of a professional, `9p`.
    Pro(u8),
    /// A professional of unknown grade.
    Professional,
    /// A student of professionals.
    Insei,
    /// A title, such as `Honinbo`; the text tells which.
    Title,
    /// A rating such as Elo's.
    Rating(u16),
    /// Without a rank, `NR`.
    Unranked,
}

/// How sure a server is of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Certainty {
    /// `?`
    Uncertain,
    /// `*`
    Established,
}

impl Rank {
    /// Reads the text of BR or WR.
    ///
    /// Exact: a number and `k`, `kyu`, `d`, `dan` or `p`, with or without a space between them, and `?` or `*`.
    /// Lenient: other spellings and languages, ratings, `NR`, insei, and titles. If a rank and a title stand together,
    /// the rank counts.
    pub fn parse(text: &str) -> Reading<Self> {
        Reading::of(text, exact(text), read::read)
    }

    fn of(grade: Grade) -> Self {
        Self { grade, certainty: None }
    }
}

/// `10k`, `3d*`, `9p`, `1800?`; `NR`, `pro`, `insei`, `title`.
impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.grade {
            Grade::Kyu(grade) => write!(f, "{grade}k"),
            Grade::Dan(grade) => write!(f, "{grade}d"),
            Grade::Pro(grade) => write!(f, "{grade}p"),
            Grade::Professional => f.write_str("pro"),
            Grade::Insei => f.write_str("insei"),
            Grade::Title => f.write_str("title"),
            Grade::Rating(rating) => rating.fmt(f),
            Grade::Unranked => f.write_str("NR"),
        }?;
        match self.certainty {
            Some(Certainty::Uncertain) => f.write_str("?"),
            Some(Certainty::Established) => f.write_str("*"),
            None => Ok(()),
        }
    }
}

fn exact(text: &str) -> Option<Rank> {
    let (text, certainty) = match text.as_bytes() {
        [.., b'?'] => (&text[..text.len() - 1], Some(Certainty::Uncertain)),
        [.., b'*'] => (&text[..text.len() - 1], Some(Certainty::Established)),
        _ => (text, None),
    };
    let letters = text.find(|c: char| !c.is_ascii_digit())?;
    let number = text[..letters].parse().ok()?;
    let unit = &text[letters..];
    let grade = grade(
        number,
        match unit.strip_prefix(' ').unwrap_or(unit) {
            "k" | "kyu" => Unit::Kyu,
            "d" | "dan" => Unit::Dan,
            "p" => Unit::Pro,
            _ => return None,
        },
    )?;
    Some(Rank { grade, certainty })
}

/// No grade is higher than 10 dan, or lower than 99 kyu.
fn grade(number: i64, unit: Unit) -> Option<Grade> {
    let number = u8::try_from(number).ok()?;
    match (unit, number) {
        (Unit::Kyu, 1..=99) => Some(Grade::Kyu(number)),
        (Unit::Dan, 1..=10) => Some(Grade::Dan(number)),
        (Unit::Pro, 1..=10) => Some(Grade::Pro(number)),
        _ => None,
    }
}
