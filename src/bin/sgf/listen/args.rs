//! The options of `sgf listen`.
//!
//! Owns the options and their help; what they mean is the library's knowledge.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};

use crate::args::help;
use crate::args::reading::ReadingArgs;
use crate::args::{counted, mebibytes};

#[derive(Debug, Group)]
#[command(after_help = help::styled(EXAMPLES))]
pub(crate) struct ListenArgs {
    /// The file that rows are added to, created if it does not exist: with the extension .sqlite, .sqlite3 or .db an SQLite
    /// database, with a row for each game in the table games; otherwise a file with a JSON object a line, whose extension must not
    /// be that of another format of `sgf index`, nor of a compression or an archive
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,

    /// The address to listen on; port 0 takes any that is free
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7070", value_parser = address)]
    pub(crate) on: String,

    /// The file whose first line clients must send as their first line; without it, only addresses of this machine may be listened
    /// on
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Store the games themselves too, in the column sgf; in lines of JSON, those that are not UTF-8, or have control characters
    /// other than tabs and line ends, as base64 in `sgf_base64`. A file that was made with it needs it each time, and any other
    /// never takes it
    #[arg(long)]
    pub(crate) keep_sgf: bool,

    /// An address for HTTP requests: /metrics for Prometheus, and /health. It asks for no token
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    pub(crate) metrics: Option<String>,

    /// Connections at a time
    #[arg(long, value_name = "N", default_value = "1000", value_parser = counted::<NonZeroUsize>)]
    pub(crate) connections: NonZeroUsize,

    /// Connections at a time from one address [default: as many as there are]
    #[arg(long, value_name = "N", value_parser = counted::<NonZeroUsize>)]
    pub(crate) per_address: Option<NonZeroUsize>,

    /// Memory for games on their way, of all connections together, in MiB
    #[arg(long, value_name = "MIB", default_value = "512", value_parser = mebibytes::<{ 1 << 24 }>)]
    pub(crate) memory: u64,

    /// The longest game, in MiB; with --keep-sgf a database takes games of at most 940
    #[arg(long, value_name = "MIB", default_value = "16", value_parser = mebibytes::<{ 1 << 10 }>)]
    pub(crate) longest_game: u64,

    /// Close a connection that sends no game for this long
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = counted::<NonZeroU64>)]
    pub(crate) idle: NonZeroU64,

    /// Close a connection whose game takes longer than this, from its first byte to its last
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = counted::<NonZeroU64>)]
    pub(crate) game_time: NonZeroU64,

    /// How long stopping may take
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = counted::<NonZeroU64>)]
    pub(crate) grace: NonZeroU64,

    /// How the log on standard error is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log: LogFormat,

    /// What is logged, each level with those before it
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log_level: LogLevel,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Reads an address, whose host may be a name that is looked up later.
fn address(text: &str) -> Result<String, &'static str> {
    let is_address = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    text.rsplit_once(':')
        .filter(|&it| is_address(it))
        .map(|_| text.to_owned())
        .ok_or("expected HOST:PORT, as 127.0.0.1:7070")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// An object a line
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// What is broken
    Error,
    /// What is odd
    Warn,
    /// Start, stop, and each connection when it ends
    Info,
    /// Each connection that is turned away, too
    Debug,
}

const EXAMPLES: &str = "\
Clients send SGF, any number of games, and read a line of JSON for each:
accepted, with an id, once it is safe on the disk; or refused, with what is
wrong and where. A game without a line may be sent again: it is stored once. A
] in a text must be escaped: what comes after a game is not looked at before
the game is acknowledged. Standard output says where it listens; the log goes
to standard error. SIGTERM and Ctrl-C stop it when what has come is stored and
acknowledged; a second one stops it at once. On Linux, SIGHUP stops it like the
first, unless it was started to ignore that, as by nohup.

While the disk is full, games are refused as not-stored, and taken again once
there is room. If the file is renamed or removed, they are refused until it is
back or until a restart: stop the service before you rename it. Back up a
database with sqlite3 and its .backup, not with cp.

Examples:
  sgf listen --to games.ndjson
  nc -N 127.0.0.1 7070 < games.sgf
  sgf listen --to games.ndjson --on 0.0.0.0:7070 --token-file token
  cat token games.sgf | nc -N example.org 7070
  jq -r 'select(.year == 1985) | .id' games.ndjson
  sgf listen --to games.sqlite
  sqlite3 games.sqlite 'SELECT id FROM games WHERE year = 1985'

Exit codes: 0 stopped, 2 could not run, or something was left undone at the
end.";
