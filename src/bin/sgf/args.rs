//! What can be said on the command line.
//!
//! Owns the options, their help and their examples; what they do is the commands' business.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use sgf_stream::record::Column;

use crate::columns::{self, Conditions};
use crate::progress::Progress;
use crate::rows::Format;
use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use sgf_stream::archive::{Opener, PatternError, Picks};
use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{Charsets, Config};

/// Reads SGF game records of any size: what is in them, and what is wrong with them.
#[derive(Debug, Parser)]
#[command(name = "sgf", version, after_help = HELP)]
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
    /// Print a row for each game: who, when, how it ended, and what else --columns asks for
    List(ListArgs),
    /// Print the games that meet conditions, as rows or as SGF
    Find(Box<FindArgs>),
    /// Write SGF as UTF-8, each game from its own charset, and leave all else as it is
    Recode(RecodeArgs),
    /// Cut an SGF file between games: print ranges for several machines, or write files
    Split(SplitArgs),
}

#[derive(Debug, Group)]
#[command(after_help = SCAN_EXAMPLES)]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    /// Read on so many threads, at most 32 [default: one for each core]; what is printed does not depend on it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Bytes that a thread takes at once: for tests, where inputs are small
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(crate) block_len: Option<NonZeroUsize>,
}

#[derive(Debug, Group)]
#[command(after_help = EVENTS_EXAMPLES)]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// Print values as the bytes between the brackets, in base64, under the key `raw` instead of `value`
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Group)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    #[command(flatten)]
    pub(crate) table: TableArgs,
}

#[derive(Debug, Group)]
#[command(after_help = FIND_EXAMPLES)]
pub(crate) struct FindArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    #[command(flatten)]
    pub(crate) table: TableArgs,

    /// Write the games themselves, byte for byte, a line end behind each
    #[arg(long, conflicts_with_all = ["format", "columns", "count"])]
    pub(crate) sgf: bool,

    /// Print nothing but how many there are
    #[arg(long, conflicts_with_all = ["format", "columns"])]
    pub(crate) count: bool,

    /// Stop after N games
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<NonZeroU64>,

    /// Drop games that came before: the same signatures, or the same main line where a game is too short for them
    #[arg(long)]
    pub(crate) unique: bool,

    #[command(flatten)]
    pub(crate) conditions: Conditions,
}

/// How rows are printed.
#[derive(Debug, Group)]
pub(crate) struct TableArgs {
    /// How rows are written [default: table on a terminal, else csv]
    #[arg(long)]
    pub(crate) format: Option<Format>,

    /// Columns to print, with commas between [default: a few in a table, else all that headers alone tell]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = columns::parse)]
    pub(crate) columns: Vec<Column>,
}

#[derive(Debug, Group)]
#[command(after_help = RECODE_EXAMPLES)]
pub(crate) struct RecodeArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The file to write, instead of standard output; it may be an input too. Where something can't be read it stays as it is
    #[arg(long, value_name = "OUT")]
    pub(crate) to: Option<PathBuf>,
}

#[derive(Debug, Group)]
#[command(override_usage = SPLIT_USAGE, after_help = SPLIT_EXAMPLES)]
pub(crate) struct SplitArgs {
    /// The file to cut
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,

    /// Print at most N ranges of about the same length that cover the file: offset, tab, length
    #[arg(long, value_name = "N", required_unless_present = "every", conflicts_with = "every")]
    pub(crate) ranges: Option<NonZeroU64>,

    /// Write files of N games each; one after the other they are the whole file again
    #[arg(long, value_name = "N", requires = "out")]
    pub(crate) every: Option<NonZeroU64>,

    /// The directory for the files, which is made if it is not there; no file in it is ever overwritten
    #[arg(long, value_name = "DIR", conflicts_with = "ranges")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Clone, Debug, Group)]
pub(crate) struct InputArgs {
    /// Files, archives, directories to search for both, patterns for them, or - for standard input (which is also read where no
    /// path is given)
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Read the paths from a file too, one a line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    /// In directories and archives, read only what matches, whatever its extension: *.txt, or with a / against the whole path
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub(crate) glob: Vec<String>,

    /// In directories and archives, leave out what matches
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub(crate) exclude: Vec<String>,

    /// Stop reading an input at its first problem, print it, and go on with the next input
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How bytes are read.
#[derive(Clone, Debug, Group)]
pub(crate) struct ReadingArgs {
    /// The charset of text: auto (as declared, and guessed where nothing is), declared, raw (of no interest), or the name of
    /// the one that everything is in, whatever it says
    #[arg(long, value_name = "CHARSET", default_value = "auto", value_parser = charsets)]
    pub(crate) charset: Charsets,

    /// What a backslash escapes in GBK, GB18030, Big5 and Shift_JIS
    #[arg(long, value_name = "UNIT", default_value = "auto")]
    escapes: Escapes,

    /// Guess nothing: charsets as declared, a backslash escapes a byte, and the first ] closes a value. Else a ] in a text is
    /// part of it where nothing that may follow a value comes after it
    #[arg(long)]
    plain: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Escapes {
    /// Whichever makes sense of a value
    Auto,
    /// A byte, by the letter of the standard
    Byte,
    /// A character
    Character,
}

impl ReadingArgs {
    pub(crate) fn config(&self) -> Config {
        let charsets = match self.charset {
            Charsets::Auto if self.plain => Charsets::Declared,
            charsets => charsets,
        };
        let unit = match self.escapes {
            Escapes::Auto if !self.plain => EscapeUnit::Auto,
            Escapes::Auto | Escapes::Byte => EscapeUnit::Byte,
            Escapes::Character => EscapeUnit::Character,
        };
        Config::new().charsets(charsets).escape_unit(unit).repair_brackets(!self.plain)
    }
}

fn charsets(name: &str) -> Result<Charsets, String> {
    match name {
        "auto" => Ok(Charsets::Auto),
        "declared" => Ok(Charsets::Declared),
        "raw" => Ok(Charsets::Raw),
        label => label.parse().map(Charsets::Forced).map_err(|error| {
            let names: Vec<&str> = Charset::all().map(Charset::name).collect();
            format!(
                "{error}\n\nUnderstood are auto, declared, raw, and, by these and their other names: {}",
                names.join(", ")
            )
        }),
    }
}

fn pattern(text: &str) -> Result<String, PatternError> {
    Picks::new().only([text]).map(|_| text.to_owned())
}

impl InputArgs {
    /// What opens the inputs, and tells the bar what was read of archives.
    pub(crate) fn opener(&self, progress: &Progress) -> Opener {
        let (only, not) = (self.glob.iter().map(String::as_str), self.exclude.iter().map(String::as_str));
        let picks = Picks::new().only(only).and_then(|picks| picks.not(not));
        // Each pattern was understood before.
        let opener = Opener::new().picks(picks.unwrap_or_default());
        let progress = progress.clone();
        opener.counted(move |len| progress.advance(len as usize))
    }

    pub(crate) fn config(&self) -> Config {
        self.reading.config().strict(self.strict)
    }

    /// True where nothing says what to read: standard input is what is left.
    pub(crate) fn are_none(&self) -> bool {
        self.paths.is_empty() && self.files_from.is_none()
    }

    /// True where the list of inputs comes from standard input, and standard input is one of them.
    pub(crate) fn want_standard_input_twice(&self) -> bool {
        let is_standard_input = |path: &Path| path == Path::new("-");
        self.files_from.as_deref().is_some_and(is_standard_input)
            && self.paths.iter().any(|path| is_standard_input(path))
    }

    /// True where there may be more than one input, so that events must say which one they are from. Decided without
    /// looking at how many files there are in the end: one file more in a directory must not change the shape of a line.
    pub(crate) fn are_several(&self) -> bool {
        self.files_from.is_some() || self.paths.len() > 1 || self.paths.iter().any(|path| path.is_dir())
    }
}

const HELP: &str = "\
Examples:
  sgf scan games.sgf              what is in a file
  sgf scan ~/go --json            what is in all *.sgf under a directory, for a program
  sgf scan games.7z.001 *.zip     what is in archives, as they are
  curl -s $URL | sgf scan         what is in a pipe, packed or not
  sgf events game.sgf | head      the events of reading, one a line
  sgf list ~/go                   a row for each game
  sgf find --player cho ~/go      the games of a player
  sgf recode gbk.sgf > utf8.sgf   the same games in UTF-8
  sgf split --ranges 8 games.sgf  where eight machines can share a file

Exit codes:
  0  fine; damage in the input is reported, but it is no failure
  1  problems in the input, under --strict; nothing found
  2  something could not be read or run; what could be was read all the same
A closed pipe is not an error. NO_COLOR switches colours off.

`sgf help COMMAND` tells more.";

const SCAN_EXAMPLES: &str = "\
Everything is counted, values of any length too, in a few megabytes of memory whatever the input.
A directory without SGF files, or an empty list, is said on standard error and is no failure.

Examples:
  sgf scan games.sgf                       one file
  sgf scan ~/go                            all game files and archives under a directory
  sgf scan --glob '1985*.sgf' ~/go         only these, wherever they are packed
  sgf scan ~/go --json | jq .problems      how often each kind of problem occurs
  sgf scan ~/go --strict                   which files are damaged, and where first
  find . -name '*.sgf' -newer mark | sgf scan --files-from -
  curl -s https://example.org/games.sgf | sgf scan

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read.";

const EVENTS_EXAMPLES: &str = "\
The events are enter, node, property, value, exit and problem. Each has the keys event, offset and
depth; file comes last, where there are several inputs or a directory. A value that is not ASCII has
its charset. A value over 1 MiB is not printed: it is a problem, value-too-long.

Examples:
  sgf events game.sgf
  sgf events ~/go | jq -r 'select(.ident == \"PB\") | .value // empty'
  sgf events ~/go | grep '\"event\":\"problem\"'
  sgf events --charset big5 game.sgf
  sgf events --raw game.sgf | jq -r 'select(.event == \"value\") | .raw | @base64d'

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read.";

const LIST_EXAMPLES: &str = "\
Columns that headers tell (the rest of a game is passed over, which is fast):
  file member game offset length gm size charset black black_rank black_team white white_rank
  white_team result winner margin date event round place komi handicap rules time overtime source
  app year
Columns for which games are read:
  moves signature signature2 symmetric main_line (the main line); nodes variations comments problems
The header is the root node, and the nodes after it up to the first move. Texts are as written, but
decoded. game counts from 1 in each file; komi, handicap, margin, time (seconds) and year are numbers,
or empty (in json null) where nobody could tell.

Examples:
  sgf list ~/go
  sgf list --columns date,black,white,result games.sgf
  sgf list --format json ~/go | jq -r 'select(.year == 1985) | .file'
  sgf list --columns file,moves,signature ~/go > games.csv

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read.";

const FIND_EXAMPLES: &str = "\
Examples:
  sgf find --player cho --year 1985..1995 ~/go
  sgf find --black shusaku --result B+R --format json ~/go
  sgf find --size 19 --moves 200.. --count ~/go
  sgf find --event honinbo --unique --sgf ~/go > honinbo.sgf

Exit codes: 0 fine, 1 nothing found, or problems under --strict, 2 something could not be read.";
const RECODE_EXAMPLES: &str = "\
Every value that is not ASCII becomes UTF-8. CA becomes UTF-8, and is put in after the first ; of a
game that lacks it and is not all ASCII. Every other byte stays the same, damage too. What no
character is becomes U+FFFD, and is told on standard error. Several inputs become one stream.
Memory is bounded: a game without CA is held until its first text that is not ASCII, for 16 MiB at
most (no CA is put in where that comes later); a value over 16 MiB is not recoded, and said so.
With --strict the output of an input ends before its first problem.

Examples:
  sgf recode old.sgf > new.sgf
  sgf recode games.sgf --to games.sgf            in place
  sgf recode --charset big5 old.sgf --to new.sgf where CA is missing or wrong
  sgf recode games.sgf.gz | gzip > utf8.sgf.gz

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read or written.";

const SPLIT_USAGE: &str = "\
sgf split --ranges <N> <FILE>
       sgf split --every <N> --out <DIR> <FILE>";

const SPLIT_EXAMPLES: &str = "\
A cut is always right before a game. What stands between two games stays with the first of them.

Examples:
  sgf split --ranges 8 games.sgf           what eight machines can read side by side
  sgf split --every 1000 --out parts games.sgf
  sgf split --ranges 4 games.sgf | while read offset length; do
    tail -c +$((offset + 1)) games.sgf | head -c \"$length\" | sgf scan --json
  done

Exit codes: 0 fine, 2 something could not be read or written.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Args;

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Args::command().debug_assert();
    }
}
