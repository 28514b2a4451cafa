//! The command `sgf`: what is in SGF files, from files, directories and pipes of any size.
//!
//! Owns the dispatch to the commands and the exit code. Whatever a user of the library would want too lives there.

mod args;
mod columns;
mod copy;
mod counter;
mod events;
mod find;
mod headers;
mod input;
mod json;
mod large;
mod layout;
mod list;
mod members;
mod output;
mod progress;
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

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use clap::{CommandFactory, Parser};
use sgf_stream::Blocks;

use args::{Args, Command, EventsArgs, InputArgs, ListArgs, ScanArgs};
use events::Events;
use list::{Choice, Output};
use progress::Progress;
use scan::Scan;
use session::{Outcome, Session};
use threads::Crew;

fn main() -> ExitCode {
    let args = Args::parse();
    let inputs = match &args.command {
        Command::Scan(scan) => Some(("scan", &scan.inputs)),
        Command::Events(events) => Some(("events", &events.inputs)),
        Command::List(list) => Some(("list", &list.inputs)),
        Command::Find(find) => Some(("find", &find.inputs)),
        Command::Recode(recode) => Some(("recode", &recode.inputs)),
        Command::Split(_) => None,
    };
    if let Some((name, inputs)) = inputs {
        if waits_for_nothing(inputs) {
            return help(name);
        }
        if inputs.want_standard_input_twice() {
            stderr::line("sgf: standard input cannot be both the list of paths and an input");
            return ExitCode::from(2);
        }
    }
    let result = match &args.command {
        Command::Scan(args) => scan(args),
        Command::Events(args) => events(args),
        Command::List(args) => list(args),
        Command::Find(args) => find::run(args),
        Command::Recode(args) => recode::run(args),
        Command::Split(args) => split::run(args),
    };
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Problems) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(2),
        // Whoever reads the output has seen enough: that is no failure, and no reason to say anything.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            stderr::line(&format!("sgf: standard output: {}", stderr::reason(&error)));
            ExitCode::from(2)
        }
    }
}

fn scan(args: &ScanArgs) -> io::Result<Outcome> {
    let start = Instant::now();
    let mut scan = Scan::new();
    let progress = Progress::new(&args.inputs);
    let threads = args.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let threads = threads.min(Crew::MOST);
    // A guess from the games before would depend on which of them a thread has read.
    let config = args.inputs.config().remember_charsets(false);
    let outcome = if threads == 1 {
        Session::new(config, progress).run(&args.inputs, &mut scan)?
    } else {
        let block_len = args.block_len.map_or(Blocks::<io::Empty>::DEFAULT_LEN, NonZeroUsize::get);
        let opener = args.inputs.opener(&progress);
        threads::scan(&args.inputs, &Crew { threads, block_len, config, progress, opener }, &mut scan)
    };
    let summary = scan.summary(start.elapsed());
    let stdout = io::stdout().lock();
    let colours = layout::colours(&stdout);
    let mut out = BufWriter::new(stdout);
    if args.json {
        json::write(&summary, &mut out)?;
    } else if summary.counts.files > 0 {
        report::write(&summary, colours, &mut out)?;
    }
    out.flush()?;
    Ok(outcome)
}

fn events(args: &EventsArgs) -> io::Result<Outcome> {
    let out = io::stdout().lock();
    // On one terminal the bar and the lines would fight for the cursor.
    let progress = if out.is_terminal() { Progress::hidden() } else { Progress::new(&args.inputs) };
    let mut events = Events::new(out, args.raw, args.inputs.are_several());
    Session::new(args.inputs.config().check_text(true), progress).run(&args.inputs, &mut events)
}

fn list(args: &ListArgs) -> io::Result<Outcome> {
    list::run(&args.inputs, Choice::default(), Output::rows(&args.table)?).map(|(outcome, _)| outcome)
}

/// True where the command would sit and wait for somebody to type SGF.
fn waits_for_nothing(inputs: &InputArgs) -> bool {
    inputs.are_none() && io::stdin().is_terminal()
}

fn help(name: &str) -> ExitCode {
    let mut command = Args::command();
    command.build();
    if let Some(command) = command.find_subcommand_mut(name) {
        stderr::line(&command.render_help().to_string());
    }
    ExitCode::from(2)
}
