//! Which columns of the table of games are printed, and how conditions on them are written on the command line.
//!
//! Owns the default columns. What is in a column is the library's knowledge.

use std::error::Error;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use sgf_stream::record::{Column, ColumnKind, Condition, GameFilter};

use crate::args::reading;

/// The columns that fit on a terminal.
const FEW: [Column; 9] = [
    Column::File,
    Column::Member,
    Column::Game,
    Column::Date,
    Column::Black,
    Column::White,
    Column::Result,
    Column::Komi,
    Column::Event,
];

/// The columns of a table for people.
pub(crate) fn few() -> Vec<Column> {
    FEW.to_vec()
}

/// The columns for programs: everything that reading headers alone yields.
pub(crate) fn header() -> Vec<Column> {
    Column::of_header().collect()
}

/// Reads the name of a column.
pub(crate) fn parse(name: &str) -> Result<Column, String> {
    Column::from_name(name.trim()).ok_or_else(|| format!("there is no such column; there are {}", names()))
}

/// All names, for help texts and error messages.
pub(crate) fn names() -> String {
    let names: Vec<_> = Column::every().map(Column::name).collect();
    names.join(" ")
}

/// The conditions: an option for each column, and one for players.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    /// Conditions on the game itself, and on the names of files.
    pub(crate) filter: GameFilter,
    /// Conditions on the number of a game, for which all games before it must be counted.
    pub(crate) number: GameFilter,
}

const PLAYER: &str = "player";

impl Conditions {
    fn arg(name: &'static str, long: String, column: Option<Column>) -> Arg {
        let (value, what) = match column.map(Column::kind) {
            _ if column == Some(Column::Gm) => ("GAME", "; or by its name, such as Hex"),
            Some(ColumnKind::Integer) => ("A..B", "; a number, or A..B, A.. or ..B, with both ends"),
            Some(ColumnKind::Count | ColumnKind::Number) => ("A..B", ": a number, or A..B, A.. or ..B, with both ends"),
            Some(ColumnKind::Size) => ("SIZE", ": as 19, 9..13 or 19:13"),
            Some(ColumnKind::Result) => {
                ("RESULT", ", by what it means: B+R, W+0.5, B+ for all wins of Black, Draw, Void")
            }
            _ if column == Some(Column::Charset) => ("CHARSET", ": any of its names, or a part of it"),
            _ if matches!(column, Some(Column::DateFrom | Column::DateTo)) => {
                ("DATE", ": a day, month or year, or a range of them as A..B, A.. or ..B, with both ends")
            }
            _ if column == Some(Column::Date) => (
                "DATE",
                ": a day, month or year as 1996-03-05, 1996-03 or 1996, or a range of them as A..B, A.. or ..B, with both ends, however the date is written; or a part of the text",
            ),
            _ if column == Some(Column::Winner) => ("WINNER", ""),
            _ => ("TEXT", ""),
        };
        let help = match column {
            Some(column) => format!("By {}{what}", column.meaning()),
            None => "Name of a player or team of either colour, or a part of it, in any case, with or without accents; if several are given, each \
                must be there".to_owned(),
        };
        let condition = move |text: String| -> Result<_, Box<dyn Error + Send + Sync>> {
            Ok(match column {
                Some(Column::Charset) => Condition::new(Column::Charset, &reading::charset_name(&text)?)?,
                Some(column) => Condition::new(column, &text)?,
                None => Condition::player(&text),
            })
        };
        let parser = if column == Some(Column::Winner) {
            ValueParser::new(PossibleValuesParser::new(winners()).try_map(condition))
        } else {
            ValueParser::new(StringValueParser::new().try_map(condition))
        };
        Arg::new(name)
            .long(long)
            .value_name(value)
            .help(help)
            .help_heading("Conditions (all must be met; of several values of one option but --player, one is enough)")
            .allow_hyphen_values(true)
            .ignore_case(column == Some(Column::Winner))
            .action(ArgAction::Append)
            .value_parser(parser)
    }
}

impl Args for Conditions {
    fn augment_args(command: Command) -> Command {
        let command = command.arg(Self::arg(PLAYER, PLAYER.to_owned(), None));
        Column::OF_TABLE.iter().fold(command, |command, &column| {
            let name = option(column);
            command.arg(Self::arg(name, name.replace('_', "-"), Some(column)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Conditions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let invalid = |error| clap::Error::raw(ErrorKind::InvalidValue, error);
        let (mut filter, mut number) = (GameFilter::new(), GameFilter::new());
        for name in Column::OF_TABLE.iter().copied().map(option).chain([PLAYER]) {
            let given = matches.try_get_many::<Condition>(name).map_err(invalid)?;
            let filter = if name == Column::Game.name() { &mut number } else { &mut filter };
            let (given, before) = (given.into_iter().flatten().cloned(), std::mem::take(filter));
            // A game has two players and more, and one of anything else.
            *filter = if name == PLAYER { given.fold(before, GameFilter::and) } else { before.and_any_of(given) };
        }
        Ok(Self { filter, number })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Who may have won, as a condition says it.
fn winners() -> [PossibleValue; 4] {
    let [black, white] = [("B", "black"), ("W", "white")].map(|(name, alias)| PossibleValue::new(name).alias(alias));
    [black, white, PossibleValue::new("draw"), PossibleValue::new("none")]
}

/// The name of a column's option. For the charset another name is needed, because on every command `charset` says how to read.
const fn option(column: Column) -> &'static str {
    match column {
        Column::Charset => "in_charset",
        _ => column.name(),
    }
}
