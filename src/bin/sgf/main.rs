//! The command `sgf`: shows what is in SGF files, from files, directories and pipes of any size.
//!
//! Owns the dispatch to the commands and the exit code. Whatever a user of the library would want too is in the library.

mod args;
mod cat;
mod copy;
mod events;
#[cfg(feature = "index")]
mod index;
mod input;
mod interrupt;
mod list;
#[cfg(feature = "listen")]
mod listen;
#[cfg(feature = "index")]
mod offsets;
mod output;
mod progress;
mod recode;
mod scan;
mod session;
mod split;
mod tally;
mod terminal;
mod threads;

use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Args, Command, InputArgs, ListArgs, manual, tips};
use list::{Choice, Output};
use session::Outcome;
use terminal::stderr;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(mut usage) => {
            tips::add(&mut usage);
            return print_usage(&usage);
        }
    };
    // A service stops in its own way.
    if !matches!(args.command, Command::Listen(_)) {
        interrupt::watch();
    }
    if let Some((name, inputs)) = args.command.inputs() {
        if waits_for_nothing(inputs) {
            return nothing_to_read(name);
        }
        if inputs.want_standard_input_twice() {
            stderr::line("standard input cannot be both the list of paths and an input");
            return ExitCode::from(2);
        }
    }
    let outcome = match run(&args.command) {
        Ok(outcome) => outcome,
        // The reader of the output has seen enough: that is no failure, and nothing to report.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Outcome::remembered(),
        Err(error) => {
            stderr::line(&format!("standard output: {}", stderr::reason(&error)));
            Outcome::Failed
        }
    };
    outcome.into()
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Problems => Self::from(1),
            Outcome::Failed => Self::from(2),
            Outcome::Interrupted => Self::from(interrupt::EXIT_CODE),
        }
    }
}

/// Runs a command. The error is one of standard output; all others are reported there.
fn run(command: &Command) -> io::Result<Outcome> {
    match command {
        Command::Scan(args) => scan::run(args),
        Command::Events(args) => events::run(args),
        Command::List(args) => list(args),
        Command::Find(args) => list::find::run(args),
        #[cfg(feature = "index")]
        Command::Index(args) => index::run(args),
        #[cfg(not(feature = "index"))]
        Command::Index(_) => Ok(lacks("index")),
        Command::Recode(args) => recode::run(args),
        Command::Cat(args) => cat::run(args),
        Command::Split(args) => split::run(args),
        Command::Completions { shell } => manual::completions(Args::command(), *shell),
        Command::Man { dir } => manual::man(Args::command(), dir.as_deref()),
        #[cfg(feature = "listen")]
        Command::Listen(args) => Ok(listen::run(args)),
        #[cfg(not(feature = "listen"))]
        Command::Listen(_) => Ok(lacks("listen")),
    }
}

fn list(args: &ListArgs) -> io::Result<Outcome> {
    list::run(&args.inputs, args.threads, Choice::default(), Output::rows(&args.table)?).map(|(outcome, _)| outcome)
}

/// Prints the help that was asked for, or what is wrong with the arguments.
fn print_usage(usage: &clap::Error) -> ExitCode {
    match usage.print().and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            stderr::line(&format!("standard output: {}", stderr::reason(&error)));
            ExitCode::from(2)
        }
        _ => ExitCode::from(if usage.use_stderr() { 2 } else { 0 }),
    }
}

/// Names the feature that a command needs and this build lacks. It gives no package to install: crates.io has none of this
/// name, and somebody else might take it.
#[cfg(not(all(feature = "index", feature = "listen")))]
fn lacks(feature: &str) -> Outcome {
    stderr::line(&format!(
        "this program was built without the feature `{feature}`: rebuild it with --features cli,index,listen"
    ));
    Outcome::Failed
}

/// Whether the command would wait for somebody to type SGF.
fn waits_for_nothing(inputs: &InputArgs) -> bool {
    inputs.are_none() && io::stdin().is_terminal()
}

/// Prints the help of a command that was given alone, and else what is missing.
fn nothing_to_read(name: &str) -> ExitCode {
    let is_alone = env::args_os().len() <= 2;
    let mut command = Args::command();
    command.build();
    if let Some(command) = command.find_subcommand_mut(name) {
        if is_alone {
            stderr::write(&command.render_help().to_string());
        } else {
            stderr::line("nothing to read: name files or folders (. for this one), or pipe games in");
            stderr::write(&command.render_usage().to_string());
        }
    }
    ExitCode::from(2)
}
