//! `sgf index`: a row for each game, into a database or a file.
//!
//! Owns what a run does from its arguments to the finished output. Which inputs are read is for `choose`, which file is
//! replaced for `existing`, the way of the rows for `queue`, what is stored of damage for `trouble`, and what a second pass says
//! for `said`. What is kept and how is the library's knowledge.

mod choose;
mod existing;
mod queue;
mod said;
mod trouble;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal};
use std::path::Path;
use std::thread;

use sgf_stream::archive::Opener;
use sgf_stream::index::{
    Arrow, Catalog, Csv, Details, Error, FileSink, Ndjson, Parquet, Sqlite, SqliteOptions, SyncWrite,
};
use sgf_stream::record::Column;

use crate::args::{IndexArgs, IndexFormat, InputArgs};
use crate::input::inputs::{Inputs, Item};
use crate::input::shown;
use crate::interrupt;
use crate::offsets;
use crate::output::{Output, is_replaced, is_stdout};
use crate::progress::Progress;
use crate::session::Outcome;
use crate::terminal::layout::thousands;
use crate::terminal::stderr;
use crate::threads::found;

use self::choose::{Chooser, Target};
use self::queue::{Feeder, Kept, Rows, keep};
use self::said::Said;

/// Makes the index, and reports any error about it.
pub(crate) fn run(args: &IndexArgs) -> io::Result<Outcome> {
    let Some(to) = &args.to else { return offsets::run(&args.inputs, args.threads) };
    match make(args, to) {
        Ok(outcome) => Ok(outcome),
        Err(Error::Unusable(reason)) if interrupt::is_asked() => {
            stderr::line(&format!("{}: {reason}", shown(to)));
            Ok(Outcome::Interrupted)
        }
        // The reader of the output, whatever its name is, has seen enough.
        Err(Error::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Err(error),
        Err(error) => {
            let reason = match &error {
                Error::Io(error) => stderr::reason(error),
                Error::OtherOptions { made, wanted, .. } => format!(
                    "it was made with {}, not with {}: give what it was made with, or write to another file",
                    in_words(made),
                    in_words(wanted)
                ),
                error => error.to_string(),
            };
            stderr::line(&format!("{}: {reason}", shown(to)));
            Ok(Outcome::Failed)
        }
    }
}

/// The options of the command that these come from.
fn in_words(options: &SqliteOptions) -> String {
    let words = options.as_stored();
    if words.is_empty() { "no options".to_owned() } else { words }
}

/// Whether two paths lead to one place. Other names of a file, such as hard links, keep what they name.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn make(args: &IndexArgs, to: &Path) -> Result<Outcome, Error> {
    let Some(format) = args.format.or_else(|| IndexFormat::by_extension(to)) else {
        return Err(Error::Unusable(format!(
            "its name does not say which format is meant: give --format, or one of the extensions {}",
            IndexFormat::extensions()
        )));
    };
    let mut details = Details::default();
    (details.moves, details.comments) = (args.moves, args.comments);
    details.positions = args.positions.map_or(0, Into::into);
    if format == IndexFormat::Sqlite {
        return into_database(args, to, details);
    }
    if args.prune {
        return Err(Error::Unusable("--prune is for databases: other files are written anew".to_owned()));
    }
    if format == IndexFormat::Csv && args.comments {
        return Err(Error::Unusable("CSV has no column for comments: choose another format".to_owned()));
    }
    if is_stdout(to) {
        if io::stdout().is_terminal() {
            // Sinks write texts as they are.
            return Err(Error::Unusable(
                "not written to a terminal, as game texts may contain terminal control codes: use sgf list, or a pipe"
                    .to_owned(),
            ));
        }
        return rows(args, format, details, io::stdout());
    }
    if args.inputs.paths.iter().any(|path| is_same(path, to)) {
        return Err(Error::Unusable("input and output are the same file".to_owned()));
    }
    if is_replaced(to)
        && let Some(refusal) = existing::refusal(to, format)
    {
        return Err(Error::Unusable(refusal));
    }
    let output = Output::create(to)?;
    let outcome = rows(args, format, details, &output)?;
    if outcome == Outcome::Interrupted && is_replaced(to) {
        return Err(Error::Unusable("not written".to_owned()));
    }
    output.finish()?;
    Ok(outcome)
}

/// Adds what the database does not have yet, in a second pass if the first one has shown that more is missing.
fn into_database(args: &IndexArgs, to: &Path, details: Details) -> Result<Outcome, Error> {
    if is_stdout(to) {
        return Err(Error::Unusable("a database can't be written to standard output".to_owned()));
    }
    // SQLite would wait for ever for what nobody writes into a pipe.
    if !is_replaced(to) && !to.is_dir() {
        return Err(Error::Unusable("a database can't be written to a pipe or a device".to_owned()));
    }
    let mut options = SqliteOptions::default();
    (options.details, options.unique, options.reading) = (details, args.unique, args.inputs.reading_options());
    if args.prune && args.inputs.lists_once() {
        return Err(Error::Unusable("--prune cannot take its list from a pipe".to_owned()));
    }
    let mut said = Said::default();
    if !to.exists() && nothing_opens(&args.inputs) {
        // It says why, and ends here, without an empty database.
        read(args, Rows(Csv::new(Vec::new())), None, &mut said)?;
    }
    let mut pass = |prunes: bool| {
        let mut database = Sqlite::open(to, options.clone())?;
        let mut outcome = read(args, &mut database, Some(Catalog::open(to)?), &mut said)?;
        // Only now is it known which files were moved, and have kept their rows.
        if prunes && outcome != Outcome::Interrupted {
            if let Some(missing) = missing(&args.inputs) {
                stderr::line(&format!("{}: nothing is dropped, as {missing}", shown(to)));
                outcome = outcome.max(Outcome::Failed);
            } else {
                prune(&args.inputs, &mut database)?;
            }
        }
        database.close()?;
        Ok::<_, Error>(outcome)
    };
    let outcome = pass(args.prune)?;
    // The file of a copy may have been skipped before the original was found to be gone.
    let lacks_games = args.unique && Catalog::open(to)?.lacks_games()?;
    if !lacks_games {
        return Ok(outcome);
    }
    if args.inputs.lists_once() {
        stderr::line("some games may be missing: repeat with the list in a file");
        return Ok(outcome.max(Outcome::Failed));
    }
    pass(false).map(|second| outcome.max(second))
}

/// Whether there are inputs, and none of them can be opened.
fn nothing_opens(inputs: &InputArgs) -> bool {
    let mut has_failed = false;
    // A list that can be read only once is left to those who read it.
    !inputs.lists_once()
        && Inputs::new(inputs, &Opener::new()).all(|item| {
            has_failed |= !matches!(item, Item::Note(_));
            !matches!(item, Item::Input(input) if input.path().is_none_or(|path| File::open(path).is_ok()))
        })
        && has_failed
}

/// Which of the inputs is not there. Then nothing is dropped either: a disk may not be mounted, or a name mistyped.
fn missing(inputs: &InputArgs) -> Option<String> {
    Inputs::new(inputs, &Opener::new()).find_map(|item| match item {
        Item::Failure(failure) => Some(format!("{} can't be read: {}", shown(&failure.path), failure.reason)),
        Item::Input(input) if input.path().is_some_and(|path| !path.exists()) => {
            Some(format!("{} is not there", input.name()))
        }
        _ => None,
    })
}

/// Drops files that no longer exist.
fn prune(inputs: &InputArgs, database: &mut Sqlite) -> Result<(), Error> {
    let files = database.prune()?;
    if files > 0 {
        let (files, their) = if files == 1 {
            ("1 file that is".to_owned(), "its")
        } else {
            (format!("{} files that are", thousands(files)), "their")
        };
        inputs.messages.note(&format!("{files} not there any more: {their} rows were dropped"));
    }
    Ok(())
}

/// Writes rows from the first to the last.
fn rows(args: &IndexArgs, format: IndexFormat, details: Details, out: impl SyncWrite + Send) -> Result<Outcome, Error> {
    let out = BufWriter::with_capacity(256 << 10, out);
    let columns = || Column::OF_TABLE.iter().copied();
    let said = &mut Said::default();
    match format {
        IndexFormat::Csv => read(args, Rows(Csv::new(out).columns(columns()).details(details)), None, said),
        IndexFormat::Ndjson => read(args, Rows(Ndjson::new(out).columns(columns()).details(details)), None, said),
        IndexFormat::Parquet => read(args, Rows(Parquet::new(out, details)?), None, said),
        IndexFormat::Arrow | IndexFormat::Sqlite => read(args, Rows(Arrow::new(out, details)?), None, said),
    }
}

/// Reads all inputs, and keeps the rows on a thread of its own.
fn read(
    args: &IndexArgs,
    sink: impl FileSink + Send,
    catalog: Option<Catalog>,
    said: &mut Said,
) -> Result<Outcome, Error> {
    let mut wants = sink.wants();
    // A database itself knows which games it has.
    let seen = (args.unique && catalog.is_none()).then(HashSet::new);
    if args.unique {
        wants = wants | Column::MainLine.wants();
    }
    let is_database = catalog.is_some();
    // If no game has come, an existing file stays.
    let may_be_left = !is_database && args.to.as_deref().is_some_and(|to| !is_stdout(to) && is_replaced(to));
    let own = args.to.as_deref().filter(|to| !is_stdout(to)).and_then(Target::of);
    let chooser = Chooser::new(wants, catalog, own, seen.is_some());
    let progress = Progress::new(&args.inputs);
    let (mut feeder, messages) = Feeder::new(progress.clone(), seen, said);
    let result = thread::scope(|scope| {
        let keeper = thread::Builder::new().name("sink".to_owned()).spawn_scoped(scope, || keep(sink, messages))?;
        // One by one, because what is wrong with a file is stored with it.
        let read = found::read(&args.inputs, args.threads, true, &progress, &chooser, &mut feeder);
        if interrupt::is_asked() {
            // Nothing has ended the file that was being read. Why nobody may take its games any more is reported below.
            let _ = feeder.flush();
        }
        let _ = feeder.deliver();
        // This ends the queue.
        drop(feeder);
        let ended = keeper.join().unwrap_or_else(|_| Err(Error::sink("the thread that keeps rows has failed")));
        let Kept { games: kept, copies, without_positions } = ended?;
        let outcome = read?;
        progress.account().add_copies(copies);
        if args.positions.is_some() && without_positions > 0 {
            progress.note(&match without_positions {
                1 => "1 game of another kind than Go has no positions".to_owned(),
                games => format!("{} games of other kinds than Go have no positions", thousands(games)),
            });
        }
        progress.conclude(outcome);
        if outcome == Outcome::Failed && may_be_left && kept == 0 {
            return Err(Error::Unusable("not written, as no game could be read".to_owned()));
        }
        if outcome == Outcome::Interrupted && is_database {
            let games = if kept == 1 { "1 game was".to_owned() } else { format!("{} games were", thousands(kept)) };
            progress.note(&format!("{games} kept of this run; the same command goes on from there"));
        }
        Ok(outcome)
    });
    said.is_again = true;
    result
}
