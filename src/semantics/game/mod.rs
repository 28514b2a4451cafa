//! The games that SGF is written for.
//!
//! Owns [`GameType`] and its names, [`Board`] and [`Move`], and a module for each game that has rules of its own. Refuses to
//! know the rules of play: whether a move is legal is not asked.

pub mod blokus;
mod board;
pub mod go;
pub mod hex;
mod moves;
mod other;
mod without_gm;

pub use board::Board;
pub use moves::Move;

use std::fmt;

use crate::semantics::point::Notation;
use crate::semantics::{Size, ValueError, lenient, number};
use crate::syntax::{FromValue, Value};

use blokus::Variant;

macro_rules! games {
    ($($number:literal $variant:ident $name:literal)*) => {
        /// The type of game, as GM states it.
        ///
        /// The standard has a number for each; Pentobi and others write a name instead. GM is never an error:
        /// [`GameType::of`] reads what real files hold, and what it cannot read is [`GameType::Unknown`]. Strictly a value is a
        /// number of the standard, or a name as Pentobi writes it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum GameType {
            $(#[doc = concat!("`GM[", $number, "]`: ", $name, ".")] $variant,)*
            /// One of Pentobi's games. They have names instead of numbers.
            Blokus(Variant),
            /// Havannah, by the name that Castro writes.
            Havannah,
            /// Not known: GM names no game that could be recognised.
            Unknown,
        }

        impl GameType {
            /// The games that the standard has a number for, in this order from 1.
            const NUMBERED: &[Self] = &[$(Self::$variant),*];

            /// The number of the standard.
            pub const fn number(self) -> Option<u8> {
                match self {
                    $(Self::$variant => Some($number),)*
                    Self::Blokus(_) | Self::Havannah | Self::Unknown => None,
                }
            }

            /// Its name, as in the standard's list, or as programs write it if it has no number.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => Some($name),)*
                    Self::Blokus(variant) => Some(variant.name()),
                    Self::Havannah => Some("Havannah"),
                    Self::Unknown => None,
                }
            }
        }
    };
}

games! {
    1 Go "Go"
    2 Othello "Othello"
    3 Chess "chess"
    4 Gomoku "Gomoku and Renju"
    5 NineMensMorris "Nine Men's Morris"
    6 Backgammon "Backgammon"
    7 ChineseChess "Chinese chess"
    8 Shogi "Shogi"
    9 LinesOfAction "Lines of Action"
    10 Ataxx "Ataxx"
    11 Hex "Hex"
    12 Jungle "Jungle"
    13 Neutron "Neutron"
    14 PhilosophersFootball "Philosopher's Football"
    15 Quadrature "Quadrature"
    16 Trax "Trax"
    17 Tantrix "Tantrix"
    18 Amazons "Amazons"
    19 Octi "Octi"
    20 Gess "Gess"
    21 Twixt "Twixt"
    22 Zertz "Zertz"
    23 Plateau "Plateau"
    24 Yinsh "Yinsh"
    25 Punct "Punct"
    26 Gobblet "Gobblet"
    27 Hive "Hive"
    28 Exxit "Exxit"
    29 Hnefatal "Hnefatal"
    30 Kuba "Kuba"
    31 Tripples "Tripples"
    32 Chase "Chase"
    33 TumblingDown "Tumbling Down"
    34 Sahara "Sahara"
    35 Byte "Byte"
    36 Focus "Focus"
    37 Dvonn "Dvonn"
    38 Tamsk "Tamsk"
    39 Gipf "Gipf"
    40 Kropki "Kropki"
}

/// Go, as in the standard if GM is missing.
impl Default for GameType {
    fn default() -> Self {
        Self::Go
    }
}

/// The [name](GameType::name).
impl fmt::Display for GameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name().unwrap_or("unknown game"))
    }
}

/// Other names of the same games.
const ALIASES: &[(&str, GameType)] = &[
    ("weiqi", GameType::Go),
    ("baduk", GameType::Go),
    ("igo", GameType::Go),
    ("围棋", GameType::Go),
    ("圍棋", GameType::Go),
    ("囲碁", GameType::Go),
    ("碁", GameType::Go),
    ("바둑", GameType::Go),
    ("го", GameType::Go),
    ("reversi", GameType::Othello),
    ("黑白棋", GameType::Othello),
    ("翻转棋", GameType::Othello),
    ("オセロ", GameType::Othello),
    ("リバーシ", GameType::Othello),
    ("오셀로", GameType::Othello),
    ("国际象棋", GameType::Chess),
    ("國際象棋", GameType::Chess),
    ("チェス", GameType::Chess),
    ("체스", GameType::Chess),
    ("шахматы", GameType::Chess),
    ("gomoku", GameType::Gomoku),
    ("renju", GameType::Gomoku),
    ("fiveinarow", GameType::Gomoku),
    ("五子棋", GameType::Gomoku),
    ("连珠", GameType::Gomoku),
    ("連珠", GameType::Gomoku),
    ("五目並べ", GameType::Gomoku),
    ("五目", GameType::Gomoku),
    ("오목", GameType::Gomoku),
    ("рэндзю", GameType::Gomoku),
    ("mill", GameType::NineMensMorris),
    ("xiangqi", GameType::ChineseChess),
    ("象棋", GameType::ChineseChess),
    ("中国象棋", GameType::ChineseChess),
    ("中國象棋", GameType::ChineseChess),
    ("将棋", GameType::Shogi),
    ("將棋", GameType::Shogi),
    ("日本将棋", GameType::Shogi),
    ("loa", GameType::LinesOfAction),
    ("phutball", GameType::PhilosophersFootball),
    ("hnefatafl", GameType::Hnefatal),
    ("blokusclassic", GameType::Blokus(Variant::Classic)),
];

impl GameType {
    /// The game that a value of GM means: a number of the standard, or a name in any case and with any punctuation
    /// (`blokus duo`, `game of go`, `围棋`), perhaps with the size of the board (`hex_11x11`). An empty value says nothing, so
    /// the standard's default holds: Go.
    pub fn of(value: Value<'_>) -> Self {
        value.parse().unwrap_or_else(|_| Self::of_text(&lenient::plain(value)))
    }

    /// The same for the text of a value.
    pub fn of_text(text: &str) -> Self {
        if text.is_empty() {
            return Self::Go;
        }
        if let Ok(number) = number::integer(number::without_fraction(text).as_bytes()) {
            return Self::from_number(number).unwrap_or(Self::Unknown);
        }
        let text = without_size(strip_prefix(strip_prefix(text, "the "), "game of "));
        // Once for all names, as much may stand between them that is no letter. No name has as many.
        let found: String = letters(text).take(64).collect();
        let blokus = Variant::ALL.iter().map(|&variant| Self::Blokus(variant));
        Self::NUMBERED
            .iter()
            .copied()
            .chain(blokus)
            .chain([Self::Havannah])
            .map(|game| (game.name().unwrap_or_default(), game))
            .chain(ALIASES.iter().copied())
            .find(|(name, _)| letters(name).eq(found.chars()))
            .map_or(Self::Unknown, |(_, game)| game)
    }

    /// The game with this number of the standard, 1 to 40.
    pub fn from_number(number: i64) -> Option<Self> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        Self::NUMBERED.get(index).copied()
    }

    /// The size of the board if SZ states none; `None` if nothing defines it.
    pub const fn default_size(self) -> Option<Size> {
        Some(Size::square(match self {
            Self::Go => 19,
            Self::Hex => 11,
            Self::Othello | Self::Chess | Self::LinesOfAction => 8,
            Self::Amazons => 10,
            Self::Octi => 9,
            Self::Gess => 20,
            Self::Twixt => 24,
            Self::Backgammon => return Some(Size { columns: 26, rows: 1 }),
            Self::Blokus(variant) => return Some(variant.size()),
            _ => return None,
        }))
    }

    /// True if rows are counted from the bottom: row 0 of a [`Point`](crate::semantics::Point) is the lowest.
    pub const fn rows_go_up(self) -> bool {
        matches!(self, Self::Blokus(_) | Self::LinesOfAction | Self::Octi)
    }

    /// How its points are written, if the standard or the documents of a program define it.
    const fn notation(self) -> Option<Notation> {
        Some(match self {
            Self::Go | Self::Gomoku | Self::Amazons | Self::Gess | Self::Kropki => Notation::Letters,
            Self::Hex | Self::Othello | Self::LinesOfAction | Self::Twixt | Self::Blokus(_) | Self::Havannah => {
                Notation::Cell
            }
            Self::Octi => Notation::Digits,
            Self::Backgammon => Notation::Letter,
            _ => return None,
        })
    }
}

impl FromValue<'_> for GameType {
    type Err = ValueError;

    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        match number::integer(value.raw()) {
            Ok(number) => Self::from_number(number).ok_or(ValueError::OutOfRange),
            Err(error) => Variant::ALL
                .iter()
                .find(|variant| variant.name().as_bytes() == value.raw())
                .map(|&variant| Self::Blokus(variant))
                .ok_or(error),
        }
    }

    /// Never an error: see [`GameType::of`].
    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        Ok(Self::of(value))
    }
}

fn strip_prefix<'a>(text: &'a str, prefix: &str) -> &'a str {
    match text.split_at_checked(prefix.len()) {
        Some((head, rest)) if head.eq_ignore_ascii_case(prefix) => rest.trim_start(),
        _ => text,
    }
}

/// A name as engines write it: `go_9x9`.
fn without_size(text: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_size =
        |text: &str| text.split_once('x').is_some_and(|(columns, rows)| is_number(columns) && is_number(rows));
    text.rsplit_once('_').filter(|(_, size)| is_size(size)).map_or(text, |(name, _)| name)
}

/// Letters and digits in lower case: what is left of a name if case, spaces and punctuation do not matter.
pub(crate) fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}
