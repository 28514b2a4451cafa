//! The row as a table has it: names for what is in it, and cells.
//!
//! Owns [`Column`]. Programs rely on these names: none is ever removed or given another meaning.

use std::fmt;
use std::str::FromStr;

use crate::record::{Cell, Cells, GameRecord, Wants};
use crate::syntax::{Ident, UnknownName};

/// A game, with what the reader of the game does not know: its file and number.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The name of the member of the file, if the file is an archive.
    pub member: Option<&'a str>,
    /// The number of the game in the file, from 1.
    pub game: u64,
    /// The rest.
    pub record: &'a GameRecord,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Whole numbers, 0 or more.
    Count,
    /// Whole numbers, also below 0.
    Integer,
    /// Numbers that may have a fraction.
    Number,
    /// A board's size: a number, or `columns:rows` as text.
    Size,
    /// The text of a result.
    Result,
}

macro_rules! columns {
    ($($variant:ident $name:literal $kind:ident $meaning:literal)*) => {
        /// A column of the table of games. What stands for a property that is missing is in
        /// [the guide](crate::guide::rows#columns).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Column {
            $(#[doc = concat!("`", $name, "`: ", $meaning, ".")] $variant,)*
            /// `players`: the names of all players and teams, wherever in a game they stand. A table has it only if it is
            /// asked for: a database has a table of players.
            Players,
        }

        impl Column {
            /// Those that a table may have unasked, in its order: all but [`Players`](Self::Players).
            pub const OF_TABLE: &[Self] = &[$(Self::$variant),*];

            /// Its name, in small letters.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Players => "players",
                }
            }

            /// What its cells are.
            pub const fn kind(self) -> ColumnKind {
                match self {
                    $(Self::$variant => ColumnKind::$kind,)*
                    Self::Players => ColumnKind::Text,
                }
            }

            /// What it tells, in a few words.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                    Self::Players => "names of all players and teams",
                }
            }
        }
    };
}

columns! {
    File "file" Text "name of the file"
    Member "member" Text "name within an archive"
    Game "game" Count "number of the game in its file, from 1"
    Offset "offset" Count "byte at which the game begins, from 0"
    Length "length" Count "bytes of the game"
    Gm "gm" Count "number of the kind of game (GM); 1 is Go"
    Size "size" Size "size of the board"
    Charset "charset" Text "charset of the header's text"
    Black "black" Text "Black's name (PB)"
    BlackRank "black_rank" Text "Black's rank (BR)"
    BlackTeam "black_team" Text "Black's team (BT)"
    White "white" Text "White's name (PW)"
    WhiteRank "white_rank" Text "White's rank (WR)"
    WhiteTeam "white_team" Text "White's team (WT)"
    Result "result" Result "result as written (RE)"
    Winner "winner" Text "B, W or draw"
    Margin "margin" Number "points the game was won by"
    Date "date" Text "date as written (DT)"
    Event "event" Text "event (EV)"
    Round "round" Text "round (RO)"
    Place "place" Text "place (PC)"
    Komi "komi" Number "points for White (KM)"
    Handicap "handicap" Count "handicap stones (HA)"
    Rules "rules" Text "rules (RU)"
    Time "time" Number "main time in seconds (TM)"
    Overtime "overtime" Text "overtime (OT)"
    Source "source" Text "source of the record (SO)"
    App "app" Text "program that wrote it (AP)"
    Moves "moves" Count "moves of the main line, passes too"
    Nodes "nodes" Count "nodes of all variations"
    Variations "variations" Count "variations (leaves minus one)"
    Comments "comments" Count "comments (C) that are not blank"
    Problems "problems" Count "problems in the game"
    Signature "signature" Text "moves 20, 40 and 60"
    SecondSignature "signature2" Text "moves 31, 51 and 71"
    Symmetric "symmetric" Text "least of the signature's eight symmetries"
    MainLine "main_line" Text "hash of the main line"
    Year "year" Count "year of the date, unless that is a decade"
    GameName "game_name" Text "name of the game (GN)"
    Ending "ending" Text "how it ended: points, resign, time, forfeit, win (not said how), draw, both-lost, void, unfinished, playing, special or unknown"
    DateFrom "date_from" Text "first day of the date, as 1996-03-01"
    DateTo "date_to" Text "last day of the date, as 1996-03-31"
    BlackLevel "black_level" Integer "Black's rank as a number: 3 for 3 dan, 0 for 1 kyu, -2 for 3 kyu, 103 for a professional's 3 dan"
    WhiteLevel "white_level" Integer "White's rank as such a number"
}

impl Column {
    /// The column with this name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::every().find(|column| column.name().eq_ignore_ascii_case(name))
    }

    /// All columns that there are: those of a table, and [`Players`](Self::Players).
    pub fn every() -> impl Iterator<Item = Self> {
        Self::OF_TABLE.iter().copied().chain([Self::Players])
    }

    /// What must be read of a game to know the cell.
    pub const fn wants(self) -> Wants {
        match self {
            Self::Nodes | Self::Variations | Self::Comments | Self::Problems => Wants { counts: true, ..Wants::HEADER },
            Self::Moves | Self::Signature | Self::SecondSignature | Self::Symmetric | Self::MainLine => {
                Wants { main_line: true, ..Wants::HEADER }
            }
            Self::Players => Wants { names: true, ..Wants::HEADER },
            _ => Wants::HEADER,
        }
    }

    /// Those that need nothing but the header of a game to be read, in the order of [`OF_TABLE`](Self::OF_TABLE): the columns of a
    /// table for which no others are chosen.
    pub fn of_header() -> impl Iterator<Item = Self> {
        Self::OF_TABLE.iter().copied().filter(|column| column.wants() == Wants::HEADER)
    }

    /// True if it is known as soon as the header is. The length is known only at the end of the game, but needs nothing
    /// read in between.
    pub fn is_in_header(self) -> bool {
        self != Self::Length && self.wants() == Wants::HEADER
    }

    /// The property whose text the column shows.
    pub(super) const fn ident(self) -> Option<Ident> {
        Some(match self {
            Self::Black => Ident::PB,
            Self::BlackRank => Ident::BR,
            Self::BlackTeam => Ident::BT,
            Self::White => Ident::PW,
            Self::WhiteRank => Ident::WR,
            Self::WhiteTeam => Ident::WT,
            Self::Result => Ident::RE,
            Self::Date => Ident::DT,
            Self::Event => Ident::EV,
            Self::GameName => Ident::GN,
            Self::Round => Ident::RO,
            Self::Place => Ident::PC,
            Self::Rules => Ident::RU,
            Self::Overtime => Ident::OT,
            Self::Source => Ident::SO,
            Self::App => Ident::AP,
            _ => return None,
        })
    }
}

/// As [`from_name`](Column::from_name).
impl FromStr for Column {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::from_name(name).ok_or(UnknownName { kind: "column" })
    }
}

/// The name.
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<'a> Row<'a> {
    /// The row of a game in a file, with the number of the game in it, from 1.
    pub const fn new(file: &'a str, game: u64, record: &'a GameRecord) -> Self {
        Self { file, member: None, game, record }
    }

    /// Says in which member of the file the game is, if the file is an archive.
    #[must_use]
    pub fn member(mut self, member: impl Into<Option<&'a str>>) -> Self {
        self.member = member.into();
        self
    }

    /// Appends it as a JSON object, with the names of the columns as keys and without a line end.
    #[cfg(any(feature = "cli", feature = "index", feature = "listen"))]
    pub fn push_json(&self, columns: &[Column], line: &mut Vec<u8>) {
        let cells = self.cells();
        self.push_json_with(columns, line, |column, line| cells.cell(column).push_json(line));
    }

    /// The same with cells that are appended by the caller.
    #[cfg(any(feature = "cli", feature = "index", feature = "listen"))]
    pub fn push_json_with(
        &self,
        columns: &[Column],
        line: &mut Vec<u8>,
        mut push_cell: impl FnMut(Column, &mut Vec<u8>),
    ) {
        let mut separator = b'{';
        for &column in columns {
            line.push(separator);
            separator = b',';
            line.push(b'"');
            line.extend_from_slice(column.name().as_bytes());
            line.extend_from_slice(b"\":");
            push_cell(column, line);
        }
        line.extend_from_slice(if columns.is_empty() { b"{}" } else { b"}" });
    }

    /// The contents of a column; null if that was not [wanted](Column::wants) of the game. Many of one row come sooner from
    /// [`cells`](Self::cells).
    pub fn cell(&self, column: Column) -> Cell<'a> {
        self.cells().cell(column)
    }

    /// The cells, as they are asked for.
    pub const fn cells(&self) -> Cells<'a> {
        Cells::new(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_finds_its_column() {
        for column in Column::every() {
            assert_eq!(Column::from_name(column.name()), Some(column));
        }
        assert_eq!(Column::from_name("BLACK"), Some(Column::Black));
        assert_eq!(Column::from_name("blak"), None);
        assert_eq!("year".parse(), Ok(Column::Year));
        assert_eq!("yeer".parse::<Column>().unwrap_err().to_string(), "no column has this name");
    }
}
