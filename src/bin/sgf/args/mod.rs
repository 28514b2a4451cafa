//! The command line.
//!
//! Owns the options and their help. The text after them is in `help`, the options about how bytes are read in `reading`; `tips`
//! has what to write instead of arguments that are not understood, and `manual` makes pages of it all. Options that one command
//! or one module alone understands are there. Refuses to know what the commands do.

pub(crate) mod help;
pub(crate) mod manual;
pub(crate) mod reading;
pub(crate) mod tips;

use std::ffi::OsString;
use std::num::{IntErrorKind, NonZeroU32, NonZeroU64, ParseIntError};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sgf_stream::record::Column;

use crate::args::reading::{ReadingArgs, UnpackingArgs};
use crate::input::path_as_shown;
use crate::interrupt;
use crate::list::columns::{self, Conditions};
use crate::list::rows::Format;
#[cfg(feature = "listen")]
use crate::listen::args::ListenArgs;
use crate::progress::{MessageArgs, Progress};
use crate::threads::ThreadArgs;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{ArgGroup, Args as Group, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use sgf_stream::Config;
use sgf_stream::archive::{Opener, PatternError, Picks};

/// Reads SGF game records of any size: what is in them, and what is wrong with them.
#[derive(Debug, Parser)]
#[command(name = "sgf", version, after_help = help::styled(help::TOP))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count what is in SGF files: games, nodes, properties, charsets, damage
    Scan(ScanArgs),
    /// Print every event of reading as a line of JSON
    Events(EventsArgs),
    /// Print a row for each game: who, when, how it ended, and whatever else --columns asks for
    List(ListArgs),
    /// Print the games that meet conditions, as rows or as SGF
    Find(Box<FindArgs>),
    /// Put a row for each game into a database or a file: SQLite, Parquet, Arrow, CSV or NDJSON
    Index(Box<IndexArgs>),
    /// Print games by their numbers, as they are: FILE#7, FILE#7..9
    Cat(CatArgs),
    /// Write SGF as UTF-8, each game from its own charset, and leave everything else as it is
    Recode(RecodeArgs),
    /// Cut an SGF file between games: print ranges for several machines, or write files
    Split(SplitArgs),
    /// Take games from sockets, store a row for each, and acknowledge it
    #[cfg(feature = "listen")]
    Listen(Box<ListenArgs>),
    /// Take games from sockets (this sgf was built without it)
    #[cfg(not(feature = "listen"))]
    #[command(disable_help_flag = true)]
    Listen(LackingArgs),
    /// Print a script that completes command lines, for a shell
    #[command(after_help = help::styled(help::COMPLETIONS))]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual: a page for man(1) for this command and one for each other
    #[command(after_help = help::styled(help::MAN))]
    Man {
        /// The directory for the pages, created if it does not exist; without it all pages are printed
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

impl Command {
    /// The name and the inputs of a command that reads standard input if none are given.
    pub(crate) fn inputs(&self) -> Option<(&'static str, &InputArgs)> {
        match self {
            Self::Scan(scan) => Some(("scan", &scan.inputs)),
            Self::Events(events) => Some(("events", &events.inputs)),
            Self::List(list) => Some(("list", &list.inputs)),
            Self::Find(find) => Some(("find", &find.inputs)),
            Self::Index(index) => Some(("index", &index.inputs)),
            Self::Recode(recode) => Some(("recode", &recode.inputs)),
            Self::Split(_) | Self::Cat(_) | Self::Listen(_) | Self::Completions { .. } | Self::Man { .. } => None,
        }
    }
}

/// The arguments of a command that this build lacks.
#[cfg(not(feature = "listen"))]
#[derive(Debug, Group)]
pub(crate) struct LackingArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<OsString>,
}

#[derive(Debug, Group)]
#[command(after_help = help::styled(help::SCAN), after_long_help = help::styled(&help::scan()))]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    /// First print a line for each problem: its place and what it is. A terminal gets the first 100 of a file, with the bytes
    /// there. Reads on one thread, whatever --threads says, and checks as much text as --strict does
    #[arg(long, conflicts_with = "strict")]
    pub(crate) problems: bool,

    /// Also account for every byte: in which event it is, in the range of which problem, or between them. Reads on one thread,
    /// whatever --threads says
    #[arg(long)]
    pub(crate) account: bool,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

#[derive(Debug, Group)]
#[command(after_help = help::styled(help::EVENTS))]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// Print values as the bytes between the brackets, in base64, under the key `raw` instead of `value`
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Group)]
#[command(after_help = help::styled(&help::list()))]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    #[command(flatten)]
    pub(crate) table: TableArgs,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

#[derive(Debug, Group)]
#[command(after_help = help::styled(help::FIND))]
pub(crate) struct FindArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    #[command(flatten)]
    pub(crate) table: TableArgs,

    /// Write the games themselves, byte for byte, with a line end after each. Those in UTF-16 or UTF-32 can't be read together with
    /// others: recode them first
    #[arg(long, conflicts_with_all = ["format", "json", "columns", "no_header", "count"])]
    pub(crate) sgf: bool,

    /// Print only how many games there are
    #[arg(long, conflicts_with_all = ["format", "json", "columns", "no_header"])]
    pub(crate) count: bool,

    /// Stop after N games
    #[arg(long, value_name = "N", value_parser = counted::<NonZeroU64>)]
    pub(crate) limit: Option<NonZeroU64>,

    /// Drop games that came before: the same signatures, or the same main line where a game is too short for them
    #[arg(long)]
    pub(crate) unique: bool,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,

    #[command(flatten)]
    pub(crate) conditions: Conditions,
}

/// How rows are printed.
#[derive(Debug, Group)]
pub(crate) struct TableArgs {
    /// How rows are written [default: table on a terminal, else csv]
    #[arg(long)]
    pub(crate) format: Option<Format>,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Columns to print, separated by commas; in json each once [default: a few in a table, else all that are known from headers]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = columns::parse)]
    pub(crate) columns: Vec<Column>,

    /// Leave out the line with the names of the columns
    #[arg(long, conflicts_with = "json")]
    pub(crate) no_header: bool,
}

#[derive(Debug, Group)]
#[command(after_help = help::styled(help::INDEX))]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct IndexArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// What to write. An existing SQLite database is added to: files that it has are not read again. Other files are written
    /// anew; - is standard output, if that is no terminal
    #[arg(long, value_name = "OUT", required_unless_present = "offsets")]
    pub(crate) to: Option<PathBuf>,

    /// Instead, write a sidecar FILE.offsets beside each plain file, tar or zip archive, with which `sgf cat FILE#N` finds a game
    /// at once
    #[arg(long, conflicts_with_all = ["to", "format", "moves", "positions", "comments", "unique", "prune"])]
    pub(crate) offsets: bool,

    #[arg(long, help = format!("The format [default: by the extension: {}]", IndexFormat::extensions()))]
    pub(crate) format: Option<IndexFormat>,

    /// Keep the moves and the setup of the main line: in SQLite as tables, else as lists in each row
    #[arg(long)]
    pub(crate) moves: bool,

    /// Keep a hash of the position after each of the first N moves, the same whichever way the board is turned: to find
    /// games by their openings (Go only)
    #[arg(long, value_name = "N", value_parser = counted::<NonZeroU32>)]
    pub(crate) positions: Option<NonZeroU32>,

    /// Keep the comments (C and GC): in SQLite as a table with a full-text search, else as a list in each row (not in CSV)
    #[arg(long)]
    pub(crate) comments: bool,

    /// Drop games that came before: the same signatures, or the same main line where a game is too short for them
    #[arg(long)]
    pub(crate) unique: bool,

    /// At the end, drop the rows of files that no longer exist, which an SQLite database keeps otherwise
    #[arg(long)]
    pub(crate) prune: bool,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

#[derive(Debug, Group)]
#[command(after_help = help::styled(help::CAT))]
pub(crate) struct CatArgs {
    /// Files or archives, each followed by the numbers of games: FILE#N, FILE#A..B, FILE#A.. or FILE#..B; without numbers, all
    /// games. ARCHIVE!MEMBER#N counts within a member
    #[arg(value_name = "FILE#N", required_unless_present = "files_from")]
    pub(crate) games: Vec<OsString>,

    /// Read such names from a file too, one a line, or with a NUL after each; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) picks: PickArgs,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,

    #[command(flatten)]
    pub(crate) unpacking: UnpackingArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// The file formats for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexFormat {
    /// A database of SQLite, which grows with each run
    Sqlite,
    /// Parquet, for DuckDB, Polars, pandas, Spark
    Parquet,
    /// Arrow's own files (IPC, Feather)
    Arrow,
    /// Commas, and names in the first line
    Csv,
    /// A JSON object a line
    #[value(aliases = ["json", "jsonl"])]
    Ndjson,
}

impl IndexFormat {
    const EXTENSIONS: [(&str, Self); 10] = [
        ("sqlite", Self::Sqlite),
        ("sqlite3", Self::Sqlite),
        ("db", Self::Sqlite),
        ("parquet", Self::Parquet),
        ("arrow", Self::Arrow),
        ("feather", Self::Arrow),
        ("ipc", Self::Arrow),
        ("csv", Self::Csv),
        ("ndjson", Self::Ndjson),
        ("jsonl", Self::Ndjson),
    ];

    /// The extensions of all formats.
    pub(crate) fn extensions() -> String {
        Self::EXTENSIONS.map(|(extension, _)| format!(".{extension}")).join(" ")
    }

    /// The format of a file by its name.
    #[cfg(any(feature = "index", feature = "listen"))]
    pub(crate) fn by_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::EXTENSIONS.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name)).map(|(_, format)| format)
    }
}

#[derive(Debug, Group)]
#[command(after_help = help::styled(help::RECODE))]
pub(crate) struct RecodeArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The file to write, instead of standard output (-); it may be the input too, if there is no other. If something can't be
    /// read, it stays as it is
    #[arg(long, value_name = "OUT")]
    pub(crate) to: Option<PathBuf>,

    /// Replace the input even where bytes that are no character in their charset are lost (they become U+FFFD for good), or where
    /// text stays in another charset than CA says
    #[arg(long)]
    pub(crate) lossy: bool,
}

#[derive(Debug, Group)]
#[command(group = ArgGroup::new("how").args(["ranges", "every"]).required(true))]
#[command(override_usage = help::SPLIT_USAGE, after_help = help::styled(help::SPLIT))]
pub(crate) struct SplitArgs {
    /// The file to cut
    #[arg(value_name = "FILE", value_parser = PathBufValueParser::new().map(path_as_shown))]
    pub(crate) path: PathBuf,

    /// Print at most N ranges of about the same length that cover the file: offset, tab, length; and if the file is in UTF-16 or
    /// the like, another tab and the charset to read them with
    #[arg(long, value_name = "N", value_parser = counted::<NonZeroU64>)]
    pub(crate) ranges: Option<NonZeroU64>,

    /// Write files of N games each; joined in order they are the whole file again
    #[arg(long, value_name = "N", value_parser = counted::<NonZeroU64>, requires = "to")]
    pub(crate) every: Option<NonZeroU64>,

    /// The directory for the files, created if it does not exist; no file in it is ever overwritten
    #[arg(long, alias = "out", value_name = "DIR", conflicts_with = "ranges")]
    pub(crate) to: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Clone, Debug, Group)]
pub(crate) struct InputArgs {
    /// Files, archives, members of these (games.zip!1998/june.sgf), directories to search for both, patterns for them, or - for
    /// standard input (which is also read if no path is given)
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Read the paths from a file too, one a line, or with a NUL after each, as find -print0 writes them; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) picks: PickArgs,

    /// Stop reading an input at its first problem, print it, and go on with the next input
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,

    #[command(flatten)]
    pub(crate) unpacking: UnpackingArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Which of the files in directories and archives are read.
#[derive(Clone, Debug, Group)]
pub(crate) struct PickArgs {
    /// In directories and archives, read only what matches, whatever its extension: *.txt, or with a / against the whole path
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    glob: Vec<String>,

    /// In directories and archives, leave out what matches: files, or folders with all that is in them
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    exclude: Vec<String>,
}

impl PickArgs {
    /// The patterns, as they were given; nothing if none were.
    pub(crate) fn options(&self) -> impl Iterator<Item = String> {
        [("--glob", &self.glob), ("--exclude", &self.exclude)]
            .into_iter()
            .flat_map(|(name, patterns)| patterns.iter().map(move |pattern| format!("{name} {pattern}")))
    }

    fn picks(&self) -> Picks {
        let (only, not) = (self.glob.iter().map(String::as_str), self.exclude.iter().map(String::as_str));
        // Each pattern was validated before.
        Picks::new().only(only).and_then(|picks| picks.not(not)).unwrap_or_default()
    }
}

/// Reads a number of MiB, at most `MAX`.
pub(crate) fn mebibytes<const MAX: u64>(text: &str) -> Result<u64, String> {
    match counted::<NonZeroU64>(text)?.get() {
        number if number > MAX => Err(format!("at most {MAX} are possible")),
        number => Ok(number),
    }
}

/// Reads a number that must be at least one.
pub(crate) fn counted<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "too large a number",
        _ => "expected a whole number of at least 1",
    })
}

fn pattern(text: &str) -> Result<String, PatternError> {
    Picks::new().only([text]).map(|_| text.to_owned())
}

impl InputArgs {
    /// What rows depend on besides the bytes that are read, as it was given; nothing if nothing was.
    #[cfg(feature = "index")]
    pub(crate) fn reading_options(&self) -> String {
        let mut options = self.reading.options();
        options.extend(self.strict.then(|| "--strict".to_owned()));
        options.extend(self.picks.options());
        options.join(" ")
    }

    /// The opener for the inputs, which reports what was read of archives and what is skipped.
    pub(crate) fn counting_opener(&self, progress: &Progress) -> Opener {
        let (bytes, files) = (progress.account().clone(), progress.account().clone());
        let opener = self.opener().counted(move |len| bytes.add_bytes(len));
        opener.skipped(move |name, why| files.skip(name, why))
    }

    /// The opener for the inputs, which reports nothing.
    pub(crate) fn opener(&self) -> Opener {
        Opener::new().picks(self.picks.picks()).limits(self.unpacking.limits()).stopped_by(interrupt::is_asked)
    }

    pub(crate) fn config(&self) -> Config {
        // Strict reading checks all text: whoever wants to know whether everything is right does not mean only the first text.
        self.reading.config().strict(self.strict).check_text(self.strict)
    }

    /// Whether nothing says what to read, so that standard input is read.
    pub(crate) fn are_none(&self) -> bool {
        self.paths.is_empty() && self.files_from.is_none()
    }

    /// Whether the list of inputs can be read only once, as on standard input or in a pipe.
    pub(crate) fn lists_once(&self) -> bool {
        let is_stream = |list: &Path| list.metadata().is_ok_and(|metadata| !metadata.is_file());
        self.files_from.as_deref().is_some_and(|list| list == Path::new("-") || is_stream(list))
    }

    /// Whether the list of inputs comes from standard input, and standard input is one of them.
    pub(crate) fn want_standard_input_twice(&self) -> bool {
        let is_standard_input = |path: &Path| path == Path::new("-");
        self.files_from.as_deref().is_some_and(is_standard_input)
            && self.paths.iter().any(|path| is_standard_input(path))
    }

    /// Whether there may be more than one input, so that events must say which one they are from. This does not depend
    /// on the actual number of files: one file more in a directory must not change the shape of a line.
    pub(crate) fn are_several(&self) -> bool {
        self.files_from.is_some() || self.paths.len() > 1 || self.paths.iter().any(|path| path.is_dir())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Args::command().debug_assert();
    }
}
