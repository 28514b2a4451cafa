//! What to write instead of arguments that are not understood.
//!
//! Owns the tips that only somebody who knows the commands can give. The others, such as names that are spelled alike, are
//! clap's.

use std::env;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use crate::args::Args;
use crate::stderr::printable;

/// Options of other programs: the command, what was written, and what does the same.
const INSTEAD: [(&str, &str, &str); 3] = [
    ("recode", "--in-place", "sgf recode FILE --to FILE"),
    ("recode", "--inplace", "sgf recode FILE --to FILE"),
    ("recode", "-i", "sgf recode FILE --to FILE"),
];

/// Puts the tip into a message about arguments, if there is one.
pub(crate) fn add(usage: &mut clap::Error) {
    let text = |usage: &clap::Error, kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    // To guess nothing is a rare wish, and its name resembles many others.
    let mut is_misled = text(usage, ContextKind::SuggestedArg).is_some_and(|suggested| suggested == "--plain");
    if is_misled {
        usage.remove(ContextKind::SuggestedArg);
    }
    let tip = match usage.kind() {
        ErrorKind::UnknownArgument => {
            let argument = text(usage, ContextKind::InvalidArg).unwrap_or_default();
            instead(&command(), &argument)
        }
        ErrorKind::InvalidSubcommand => text(usage, ContextKind::InvalidSubcommand)
            .filter(|path| Path::new(path).exists())
            .map(|path| format!("sgf scan {}", if needs_quotes(&path) { "FILE".into() } else { printable(&path) })),
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

fn instead(command: &str, argument: &str) -> Option<String> {
    let name = argument.strip_prefix("--").filter(|_| command == "list");
    let has = |command: &Command, name: &str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    if let (Some(name), Some(find)) = (name, Args::command().find_subcommand("find"))
        && has(find, name)
    {
        return Some(format!("sgf find {argument}"));
    }
    let found = INSTEAD.iter().find(|(of, written, _)| *of == command && *written == argument);
    found.map(|(.., instead)| (*instead).to_owned())
}

/// The argument that is not UTF-8, if there is only one: a path need not be.
fn not_utf_8() -> Option<String> {
    let mut others = env::args_os().filter(|argument| argument.to_str().is_none());
    let (only, None) = (others.next()?, others.next()) else { return None };
    Some(format!("it is {}", sgf_stream::archive::shown(only.as_encoded_bytes())))
}

/// Whether a shell would read something else than this path.
fn needs_quotes(path: &str) -> bool {
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
            ("recode", "--in-place", Some("sgf recode FILE --to FILE")),
            ("recode", "--player", None),
            ("scan", "--in-place", None),
        ] {
            assert_eq!(instead(command, argument).as_deref(), expected, "{command} {argument}");
        }
    }
}
