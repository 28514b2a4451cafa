//! What to write instead of arguments that are not understood.
//!
//! Owns the tips that only somebody who knows the commands can give. The others, such as names that are spelled alike, are
//! clap's.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use crate::args::Args;
use crate::terminal::printable;

/// Options of other programs and of other commands: the commands, what was written, and what does the same.
const INSTEAD: [(&[&str], &[&str], &str); 27] = [
    (&["recode"], &["--in-place", "--inplace", "-i"], "sgf recode FILE --to FILE"),
    (&["recode"], &["--dry-run", "-n"], "sgf recode FILE > /dev/null: it says what would be lost, and changes nothing"),
    (&["recode"], &["--backup", "--suffix"], "--to another file, which leaves the old one as it is"),
    (&["recode"], &["--force", "-f"], "--lossy"),
    (&["find"], &["--from", "--since", "--after", "--until", "--before"], "--date A..B or --year A..B"),
    (&["find"], &["--to"], "> FILE for the output; --date A..B or --year A..B for a time"),
    (&["scan", "list", "index"], &["--since", "--after", "--until", "--before"], "sgf find --date A..B"),
    (READERS, &["--fix", "--repair"], NO_REPAIR),
    (&["events", "list", "index", "recode", "cat", "split"], &["--problems"], "sgf scan --problems"),
    (&["cat", "split"], &["--fix", "--repair"], NO_REPAIR),
    (READERS, &["--encoding", "--from", "--from-code"], "--charset"),
    (READERS, &["--recursive", "-r", "-R"], "directories are searched anyway"),
    (&["find"], &["--name", "--names"], "--player"),
    (&["list"], &["--name", "--names"], "sgf find --player"),
    (&["scan"], &["--format"], "--json"),
    (&["find"], &["--ignore-case", "-i"], "case never counts"),
    (&["find"], &["-c"], "--count"),
    (&["scan", "list", "index"], &["--count", "-c"], "sgf find --count"),
    (
        &["list", "find"],
        &["--sort"],
        "rows come in the order of their files: pipe them to sort, or ask an index (sgf index)",
    ),
    (&["index"], &["--columns"], "an index has all columns; sgf list --format csv --columns has those that you name"),
    (&["index", "recode", "listen"], &["--output", "--out", "-o"], "--to"),
    (&["scan", "events", "list", "cat"], &["--to"], "> FILE"),
    (&["scan", "events", "list", "find", "cat"], &["--output", "--out", "-o"], "> FILE"),
    (&["split"], &["--output", "-o"], "--to"),
    (&["split"], &["--recursive", "-r", "-R"], "it takes one file"),
    (&["listen"], &["--quiet", "-q"], "--log-level error"),
    (&["listen"], &["--port", "-p", "--bind", "--host"], "--on HOST:PORT"),
];

const NO_REPAIR: &str =
    "nothing repairs damage, and every command reads past it: sgf scan --problems or --strict shows where it is";

/// The commands that take directories.
const READERS: &[&str] = &["scan", "events", "list", "find", "index", "recode"];

/// Puts the tip into a message about arguments, if there is one.
pub(crate) fn add(usage: &mut clap::Error) {
    let text = |usage: &clap::Error, kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let argument = text(usage, ContextKind::InvalidArg).unwrap_or_default();
    if usage.kind() == ErrorKind::UnknownArgument && !may_be_value(&argument) {
        usage.remove(ContextKind::Suggested);
    }
    // To guess nothing is a rare wish, and its name resembles many others.
    let mut is_misled = text(usage, ContextKind::SuggestedArg).is_some_and(|suggested| suggested == "--plain");
    if is_misled {
        usage.remove(ContextKind::SuggestedArg);
    }
    let tip = match usage.kind() {
        ErrorKind::UnknownArgument => instead(&command(), &argument),
        ErrorKind::InvalidSubcommand => text(usage, ContextKind::InvalidSubcommand).and_then(|word| command_for(&word)),
        ErrorKind::InvalidUtf8 => not_utf_8(),
        _ => None,
    };
    if let Some(tip) = tip {
        is_misled |= usage.remove(ContextKind::SuggestedArg).is_some();
        usage.remove(ContextKind::SuggestedSubcommand);
        usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if is_misled {
        // It has the suggestion in it too.
        let mut all = Args::command();
        all.build();
        if let Some(of_command) = all.find_subcommand_mut(command()) {
            usage.insert(ContextKind::Usage, ContextValue::StyledStr(of_command.render_usage()));
        }
    }
}

/// The command that was given.
fn command() -> String {
    env::args_os().nth(1).unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether an argument that looks like an option may be something to read: the number of a game, or a file that exists. Else,
/// advice on how to pass it as one would lead nowhere.
fn may_be_value(argument: &str) -> bool {
    let is_word = argument.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic());
    // Of short options that are joined, only one is named.
    let is_file = |given: OsString| given.to_string_lossy().starts_with(argument) && Path::new(&given).exists();
    !is_word || env::args_os().any(is_file)
}

fn instead(command: &str, argument: &str) -> Option<String> {
    if let Some((.., instead)) =
        INSTEAD.iter().find(|(of, written, _)| of.contains(&command) && written.contains(&argument))
    {
        return Some((*instead).to_owned());
    }
    let name = argument.strip_prefix("--").filter(|_| matches!(command, "list" | "scan"));
    let has = |command: &Command, name: &str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    has(Args::command().find_subcommand("find")?, name?).then(|| format!("sgf find {argument}"))
}

/// What to write instead of a command that there is not: a file, or what another program would do.
fn command_for(word: &str) -> Option<String> {
    if Path::new(word).exists() {
        return Some(format!("sgf scan {}", if needs_quotes(word) { "FILE".into() } else { printable(word) }));
    }
    let instead = match word {
        "repair" | "fix" => NO_REPAIR,
        "convert" | "iconv" => "sgf recode",
        "check" | "validate" | "lint" => "sgf scan --strict",
        "dedup" | "uniq" => "sgf find --unique --sgf",
        "count" => "sgf find --count",
        "info" | "stat" | "stats" => "sgf scan",
        "grep" | "search" => "sgf find",
        _ => return None,
    };
    Some(instead.to_owned())
}

/// The argument that is not UTF-8, if there is only one: a path need not be.
fn not_utf_8() -> Option<String> {
    let mut others = env::args_os().filter(|argument| argument.to_str().is_none());
    let (only, None) = (others.next()?, others.next()) else { return None };
    Some(format!("it is {}", sgf_stream::archive::shown(only.as_encoded_bytes())))
}

/// Whether a shell would read something else than this path.
pub(crate) fn needs_quotes(path: &str) -> bool {
    path.contains(|c: char| c.is_whitespace() || "'\"$&;()*?[]{}!\\`|<>#~".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_commands_have_is_named() {
        for (command, argument, expected) in [
            ("list", "--player", Some("sgf find --player")),
            ("list", "--in-charset", Some("sgf find --in-charset")),
            ("list", "--unique", Some("sgf find --unique")),
            ("list", "--limit", Some("sgf find --limit")),
            ("list", "--colums", None),
            ("list", "-z", None),
            ("scan", "--player", Some("sgf find --player")),
            ("scan", "--count", Some("sgf find --count")),
            ("find", "--name", Some("--player")),
            ("find", "-r", Some("directories are searched anyway")),
            ("cat", "-r", None),
            ("listen", "-q", Some("--log-level error")),
            ("recode", "--in-place", Some("sgf recode FILE --to FILE")),
            ("recode", "--player", None),
            (
                "recode",
                "--dry-run",
                Some("sgf recode FILE > /dev/null: it says what would be lost, and changes nothing"),
            ),
            ("list", "--encoding", Some("--charset")),
            ("list", "--from", Some("--charset")),
            ("find", "--from", Some("--date A..B or --year A..B")),
            ("find", "--until", Some("--date A..B or --year A..B")),
            ("find", "--to", Some("> FILE for the output; --date A..B or --year A..B for a time")),
            ("list", "--since", Some("sgf find --date A..B")),
            ("cat", "--to", Some("> FILE")),
            ("scan", "--fix", Some(NO_REPAIR)),
            ("recode", "--repair", Some(NO_REPAIR)),
            ("events", "--problems", Some("sgf scan --problems")),
            ("listen", "-p", Some("--on HOST:PORT")),
            ("scan", "--in-place", None),
        ] {
            assert_eq!(instead(command, argument).as_deref(), expected, "{command} {argument}");
        }
    }

    #[test]
    fn commands_of_other_programs_are_told_apart() {
        assert_eq!(command_for("convert").as_deref(), Some("sgf recode"));
        assert_eq!(command_for("repair").as_deref(), Some(NO_REPAIR));
        assert_eq!(command_for("lint").as_deref(), Some("sgf scan --strict"));
        assert_eq!(command_for("uniq").as_deref(), Some("sgf find --unique --sgf"));
        assert_eq!(command_for("grep").as_deref(), Some("sgf find"));
        assert_eq!(command_for("nosuch"), None);
    }
}
