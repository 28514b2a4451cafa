//! `sgf index`: a row for each game, into a database or a file.
//!
//! Owns the way from the thread that reads to the one that keeps rows: a short queue of batches. What is kept and how is the
//! library's knowledge.

use std::collections::HashSet;
use std::io::{self, BufWriter};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use sgf_stream::archive::{Name, volumes};
use sgf_stream::index::{
    Arrow, Catalog, Csv, Details, Error, Known, Ndjson, Parquet, Sink, Sqlite, SqliteOptions, Stamp, SyncWrite,
};
use sgf_stream::record::{Column, GameRecord, Recorder, Records, Row};

use crate::args::{IndexArgs, IndexFormat};
use crate::input::Input;
use crate::interrupt;
use crate::offsets;
use crate::output::Output;
use crate::progress::Progress;
use crate::session::{self, Outcome, Report, Session};
use crate::stderr::{self, printable};

/// Batches that wait to be kept.
const QUEUE: usize = 3;

/// Games of a batch, and bytes of them, after which it goes on its way.
const GAMES: usize = 512;
const BYTES: u64 = 2 << 20;

/// Makes the index. What goes wrong with it is said here.
pub(crate) fn run(args: &IndexArgs) -> io::Result<Outcome> {
    let Some(to) = &args.to else { return offsets::run(&args.inputs) };
    match make(args, to) {
        Ok(outcome) => Ok(outcome),
        Err(Error::Unfit(reason)) if interrupt::is_asked() => {
            stderr::line(&printable(&format!("sgf: {}: {reason}", to.display())));
            Ok(Outcome::Interrupted)
        }
        // Whoever reads the output has seen enough.
        Err(Error::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe && is_stdout(to) => Err(error),
        Err(error) => {
            let reason = match &error {
                Error::Io(error) => stderr::reason(error),
                error => error.to_string(),
            };
            stderr::line(&printable(&format!("sgf: {}: {reason}", to.display())));
            Ok(Outcome::Failed)
        }
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

fn make(args: &IndexArgs, to: &Path) -> Result<Outcome, Error> {
    let Some(format) = args.format.or_else(|| IndexFormat::by_extension(to)) else {
        return Err(Error::Unfit("what it is to be, its name does not tell: give --format".to_owned()));
    };
    let details =
        Details { moves: args.moves, positions: args.positions.map_or(0, Into::into), comments: args.comments };
    if format == IndexFormat::Sqlite {
        if is_stdout(to) {
            return Err(Error::Unfit("a database can't be written to standard output".to_owned()));
        }
        let options = SqliteOptions { details, unique: args.unique, reading: args.inputs.said() };
        let pass = || read(args, Sqlite::open(to, options.clone())?, Some(Catalog::open(to)?));
        let outcome = pass()?;
        // The file of a copy may have been passed over before the other one was found to have gone.
        let lacks_games = args.unique && Catalog::open(to)?.lacks_games()?;
        return if lacks_games { pass().map(|second| outcome.max(second)) } else { Ok(outcome) };
    }
    if format == IndexFormat::Csv && args.comments {
        return Err(Error::Unfit("there is no column for comments in CSV: take another format".to_owned()));
    }
    if is_stdout(to) {
        return rows(args, format, details, io::stdout());
    }
    let output = Output::create(to)?;
    let outcome = rows(args, format, details, &output)?;
    if outcome == Outcome::Interrupted {
        return Err(Error::Unfit("not written".to_owned()));
    }
    output.finish()?;
    Ok(outcome)
}

/// Writes rows from the first to the last.
fn rows(args: &IndexArgs, format: IndexFormat, details: Details, out: impl SyncWrite + Send) -> Result<Outcome, Error> {
    let out = BufWriter::with_capacity(256 << 10, out);
    let columns = || Column::ALL.iter().copied();
    match format {
        IndexFormat::Csv => read(args, Csv::new(out).columns(columns()).details(details), None),
        IndexFormat::Ndjson => read(args, Ndjson::new(out).columns(columns()).details(details), None),
        IndexFormat::Parquet => read(args, Parquet::new(out, details)?, None),
        IndexFormat::Arrow | IndexFormat::Sqlite => read(args, Arrow::new(out, details)?, None),
    }
}

/// Reads all inputs on this thread, and keeps the rows on another.
fn read(args: &IndexArgs, sink: impl Sink + Send, catalog: Option<Catalog>) -> Result<Outcome, Error> {
    let mut wants = sink.wants();
    // A database tells by itself which games it has.
    let seen = (args.unique && catalog.is_none()).then(HashSet::new);
    if args.unique {
        wants = wants | Column::MainLine.wants();
    }
    let (sender, receiver) = sync_channel(QUEUE);
    let feeder =
        Feeder { sender, catalog, seen, next: None, member: None, game: 0, total: 0, games: Vec::new(), bytes: 0 };
    thread::scope(|scope| {
        let keeper = thread::Builder::new().name("sink".to_owned()).spawn_scoped(scope, || keep(sink, receiver))?;
        let mut recorder = Recorder::new(wants, feeder);
        let progress = Progress::new(&args.inputs);
        let mut session = Session::new(args.inputs.config(), progress.clone());
        let read = session.run(&args.inputs, &mut recorder);
        // The queue ends here.
        drop(recorder);
        let kept = keeper.join().unwrap_or_else(|_| Err(Error::sink("the thread that keeps rows has failed")));
        kept?;
        let outcome = read?;
        progress.conclude(outcome);
        Ok(outcome)
    })
}

/// What the thread that keeps rows is told.
enum Message {
    Begin(String, Option<Stamp>),
    Games(Vec<Game>),
    /// The file has ended, and this was wrong with it.
    End(Option<String>),
}

/// A game on its way.
struct Game {
    member: Option<Arc<str>>,
    number: u64,
    record: GameRecord,
}

/// Keeps all that comes.
fn keep(mut sink: impl Sink, messages: Receiver<Message>) -> Result<(), Error> {
    let mut file = String::new();
    // Games that are there, or all.
    let mut known = Some(0);
    for message in messages {
        match message {
            Message::Begin(name, stamp) => {
                known = match sink.begin(&name, stamp.as_ref())? {
                    Known::All(_) => None,
                    Known::Games(games) => Some(games),
                    _ => Some(0),
                };
                file = name;
            }
            Message::Games(games) => {
                for Game { member, number, record } in games {
                    match &mut known {
                        None => {}
                        Some(0) => {
                            let member = member.as_deref();
                            sink.record(&Row { file: &file, member, game: number, record: &record })?;
                        }
                        Some(games) => *games -= 1,
                    }
                }
            }
            Message::End(_) if known.is_none() => {}
            Message::End(trouble) => sink.end(trouble.as_deref())?,
        }
    }
    sink.finish()
}

/// Takes the rows and sends them on.
struct Feeder {
    sender: SyncSender<Message>,
    catalog: Option<Catalog>,
    /// What tells games apart, where no game is kept twice.
    seen: Option<HashSet<u64>>,
    /// The file that is opened, as long as nothing of it was read.
    next: Option<(String, Option<Stamp>)>,
    member: Option<Arc<str>>,
    /// The number of the game in its file, and among all.
    game: u64,
    total: u64,
    games: Vec<Game>,
    bytes: u64,
}

impl Feeder {
    fn send(&self, message: Message) -> io::Result<()> {
        // The other thread has stopped, and will say why.
        self.sender.send(message).map_err(|_| io::Error::other("rows are not kept any more"))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes = 0;
        let games = std::mem::take(&mut self.games);
        if games.is_empty() { Ok(()) } else { self.send(Message::Games(games)) }
    }

    fn push(&mut self, record: &GameRecord) -> io::Result<()> {
        if let Some((name, stamp)) = self.next.take() {
            self.send(Message::Begin(name, stamp))?;
        }
        if let (Some(seen), Some(identity)) = (&mut self.seen, record.identity())
            && !seen.insert(identity)
        {
            return Ok(());
        }
        self.bytes += record.len();
        self.games.push(Game { member: self.member.clone(), number: self.game, record: record.clone() });
        if self.games.len() >= GAMES || self.bytes >= BYTES { self.flush() } else { Ok(()) }
    }
}

impl Records for Feeder {
    type Break = io::Error;

    fn header(&mut self, _: &GameRecord) -> ControlFlow<io::Error, bool> {
        self.game += 1;
        self.total += 1;
        ControlFlow::Continue(true)
    }

    fn record(&mut self, record: &GameRecord) -> ControlFlow<io::Error> {
        match self.push(record) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

impl session::Sink for Recorder<Feeder> {
    fn is_wanted(&mut self, input: &Input, report: &mut Report) -> io::Result<bool> {
        let feeder = self.records_mut();
        let name = input.name().into_owned();
        let stamp = match (input, &feeder.catalog) {
            (Input::File(path), Some(_)) => {
                let volumes: Vec<_> = volumes(path).collect();
                // What can't be read is said when it is opened.
                Stamp::of_volumes(volumes.iter().map(AsRef::as_ref)).ok()
            }
            _ => None,
        };
        if let Some(catalog) = &feeder.catalog
            && let Known::All(trouble) = catalog.known(&name, stamp.as_ref()).map_err(io::Error::other)?
        {
            if let Some(trouble) = trouble {
                report.note(&format!("{trouble} (when it was read before, and it has not changed)"));
                report.outcome = Outcome::Failed;
            }
            return Ok(false);
        }
        feeder.next = Some((name, stamp));
        Ok(true)
    }

    fn done(&mut self, report: &Report) -> io::Result<()> {
        let feeder = self.records_mut();
        feeder.flush()?;
        if report.outcome == Outcome::Interrupted {
            // The next run goes on here.
            return Ok(());
        }
        match feeder.next.take() {
            // Of what could not be opened nothing is known, and the next run tries again.
            Some(_) if report.failure.is_some() => Ok(()),
            Some((name, stamp)) => {
                feeder.send(Message::Begin(name, stamp))?;
                feeder.send(Message::End(None))
            }
            None => feeder.send(Message::End(report.failure.clone())),
        }
    }

    fn begin(&mut self, _name: &str) {
        let feeder = self.records_mut();
        feeder.member = None;
        feeder.game = 0;
    }

    fn begin_member(&mut self, name: &Name) {
        self.begin(name.input());
        self.records_mut().member = name.member().map(Arc::from);
    }

    fn end(&mut self, _bytes: u64) {}

    fn games(&self) -> u64 {
        self.records().total
    }
}
