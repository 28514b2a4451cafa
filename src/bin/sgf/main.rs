//! The command `sgf`: shows what is in SGF files, from files, directories and pipes of any size.
//!
//! Owns the dispatch to the commands and the exit code. Whatever a user of the library would want too is in the library.

mod account;
mod args;
mod cat;
mod columns;
mod copy;
mod counter;
mod events;
mod find;
mod flood;
mod found;
mod headers;
mod help;
#[cfg(feature = "index")]
mod index;
mod input;
mod inputs;
mod interrupt;
mod json;
mod large;
mod layout;
mod list;
#[cfg(feature = "listen")]
mod listen;
#[cfg(feature = "listen")]
mod listen_args;
#[cfg(feature = "listen")]
mod log;
mod manual;
mod members;
#[cfg(feature = "index")]
mod offsets;
mod output;
mod progress;
mod reading;
mod recode;
mod report;
mod rows;
mod scan;
mod session;
mod split;
mod stderr;
mod table;
mod tally;
mod threads;
mod tips;
mod whereabouts;
mod window;

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Args, Command, EventsArgs, InputArgs, ListArgs, ScanArgs};
use events::Events;
use list::{Choice, Output};
use progress::Progress;
use scan::Scan;
use session::{Outcome, Session};
use threads::Crew;
use whereabouts::Accounting;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(mut usage) => {
            tips::add(&mut usage);
            return tell(&usage);
        }
    };
    // A service stops in its own way.
    if !matches!(args.command, Command::Listen(_)) {
        interrupt::watch();
    }
    let inputs = match &args.command {
        Command::Scan(scan) => Some(("scan", &scan.inputs)),
        Command::Events(events) => Some(("events", &events.inputs)),
        Command::List(list) => Some(("list", &list.inputs)),
        Command::Find(find) => Some(("find", &find.inputs)),
        Command::Index(index) => Some(("index", &index.inputs)),
        Command::Recode(recode) => Some(("recode", &recode.inputs)),
        Command::Split(_)
        | Command::Cat(_)
        | Command::Listen(_)
        | Command::Completions { .. }
        | Command::Man { .. } => None,
    };
    if let Some((name, inputs)) = inputs {
        if waits_for_nothing(inputs) {
            return help(name);
        }
        if inputs.want_standard_input_twice() {
            stderr::line("standard input cannot be both the list of paths and an input");
            return ExitCode::from(2);
        }
    }
    let result = match &args.command {
        Command::Scan(args) => scan(args),
        Command::Events(args) => events(args),
        Command::List(args) => list(args),
        Command::Find(args) => find::run(args),
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
    };
    let outcome = match result {
        Ok(outcome) => outcome,
        // The reader of the output has seen enough: that is no failure, and nothing to report.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Outcome::remembered(),
        Err(error) => {
            stderr::line(&format!("standard output: {}", stderr::reason(&error)));
            Outcome::Failed
        }
    };
    match outcome {
        Outcome::Fine => ExitCode::SUCCESS,
        Outcome::Problems => ExitCode::from(1),
        Outcome::Failed => ExitCode::from(2),
        Outcome::Interrupted => ExitCode::from(interrupt::EXIT_CODE),
    }
}

fn scan(args: &ScanArgs) -> io::Result<Outcome> {
    let mut scan = if args.account { Scan::of_events() } else { Scan::new() };
    let progress = Progress::new(&args.inputs);
    let mut whereabouts = None;
    let outcome = if args.account {
        let mut session = Session::with(Accounting::new(args.inputs.config()), progress.clone());
        let outcome = session.run(&args.inputs, &mut scan)?;
        whereabouts = Some(session.into_machine().whereabouts());
        outcome
    } else {
        let make = || Scan::part();
        threads::read(&args.inputs, &Crew::new(&args.inputs, args.threads, &progress, &make), |part, _| {
            scan.merge(part);
            ControlFlow::Continue(())
        })?
    };
    let summary = scan.summary(progress.account(), whereabouts);
    let stdout = io::stdout().lock();
    let colours = layout::colours(&stdout);
    let mut out = BufWriter::new(stdout);
    if args.json {
        json::write(&summary, &mut out)?;
    } else if summary.counts.files > 0 {
        report::write(&summary, colours, &mut out)?;
    }
    out.flush()?;
    progress.tell_interruption(outcome);
    Ok(outcome)
}

fn events(args: &EventsArgs) -> io::Result<Outcome> {
    let out = io::stdout().lock();
    let progress = Progress::beside(&out, &args.inputs);
    let is_seen = out.is_terminal();
    let mut events = Events::new(out, args.raw, args.inputs.are_several(), is_seen);
    let outcome =
        Session::new(args.inputs.config().check_text(true), progress.clone()).run(&args.inputs, &mut events)?;
    progress.conclude(outcome);
    Ok(outcome)
}

fn list(args: &ListArgs) -> io::Result<Outcome> {
    list::run(&args.inputs, args.threads, Choice::default(), Output::rows(&args.table)?).map(|(outcome, _)| outcome)
}

/// Prints the help that was asked for, or what is wrong with the arguments.
fn tell(usage: &clap::Error) -> ExitCode {
    match usage.print().and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            stderr::line(&format!("standard output: {}", stderr::reason(&error)));
            ExitCode::from(2)
        }
        _ => ExitCode::from(if usage.use_stderr() { 2 } else { 0 }),
    }
}

/// Names the feature that a command needs and this build lacks.
#[cfg(not(all(feature = "index", feature = "listen")))]
fn lacks(feature: &str) -> Outcome {
    stderr::line(&format!(
        "this program was built without the feature `{feature}`: cargo install sgf-stream --features cli,{feature}"
    ));
    Outcome::Failed
}

/// Whether the command would wait for somebody to type SGF.
fn waits_for_nothing(inputs: &InputArgs) -> bool {
    inputs.are_none() && io::stdin().is_terminal()
}

fn help(name: &str) -> ExitCode {
    let mut command = Args::command();
    command.build();
    if let Some(command) = command.find_subcommand_mut(name) {
        stderr::write(&command.render_help().to_string());
    }
    ExitCode::from(2)
}
