//! `sgf index`: a row for each game, into a database or a file.
//!
//! Owns the way from the threads that read to the one that keeps rows: a short queue of batches; and the name of a
//! pipe, which has none of its own. What is kept and how is the library's knowledge.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, BufWriter};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use sgf_stream::archive::{Opener, volumes};
use sgf_stream::index::{
    Arrow, Catalog, Csv, Details, Error, Known, Ndjson, Parquet, Sink, Sqlite, SqliteOptions, Stamp, SyncWrite,
};
use sgf_stream::record::{Column, GameRecord, Row, Wants};

use crate::args::{IndexArgs, IndexFormat};
use crate::found::{Flow, Found, Keep, Member, Take};
use crate::input::{Input, Inputs, Item, shown};
use crate::interrupt;
use crate::layout::thousands;
use crate::offsets;
use crate::output::{Output, is_replaced};
use crate::progress::Progress;
use crate::session::{self, Outcome, Report, STRICT};
use crate::stderr::{self, printable};
use crate::threads::{self, Crew};

/// How many batches wait to be kept.
const QUEUE: usize = 3;

/// A batch with so many games, or so many bytes of them, is sent on its way.
const GAMES: usize = 512;
const BYTES: u64 = 2 << 20;

/// The beginning of a file's stored trouble, if the only trouble is that not all of a game was kept.
const LEFT_OUT: &str = "not all is kept: ";

/// Makes the index, and reports any error about it.
pub(crate) fn run(args: &IndexArgs) -> io::Result<Outcome> {
    let Some(to) = &args.to else { return offsets::run(&args.inputs, args.threads) };
    match make(args, to) {
        Ok(outcome) => Ok(outcome),
        Err(Error::Unfit(reason)) if interrupt::is_asked() => {
            stderr::line(&printable(&format!("sgf: {}: {reason}", shown(to))));
            Ok(Outcome::Interrupted)
        }
        // The reader of the output, whatever its name is, has seen enough.
        Err(Error::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Err(error),
        Err(error) => {
            let reason = match &error {
                Error::Io(error) => stderr::reason(error),
                error => error.to_string(),
            };
            stderr::line(&printable(&format!("sgf: {}: {reason}", shown(to))));
            Ok(Outcome::Failed)
        }
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether two paths lead to one place. Other names of a file, such as hard links, keep what they name.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
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
        // SQLite would wait for ever for what nobody writes into a pipe.
        if !is_replaced(to) && !to.is_dir() {
            return Err(Error::Unfit("a database can't be written to a pipe or a device".to_owned()));
        }
        let options = SqliteOptions { details, unique: args.unique, reading: args.inputs.said() };
        if args.prune {
            prune(args, to, options.clone())?;
        }
        let pass = || read(args, Sqlite::open(to, options.clone())?, Some(Catalog::open(to)?));
        let outcome = pass()?;
        // The file of a copy may have been skipped before the original was found to be gone.
        let lacks_games = args.unique && Catalog::open(to)?.lacks_games()?;
        return if lacks_games { pass().map(|second| outcome.max(second)) } else { Ok(outcome) };
    }
    if args.prune {
        return Err(Error::Unfit("--prune is for databases: other files are written anew".to_owned()));
    }
    if format == IndexFormat::Csv && args.comments {
        return Err(Error::Unfit("there is no column for comments in CSV: take another format".to_owned()));
    }
    if is_stdout(to) {
        return rows(args, format, details, io::stdout());
    }
    if args.inputs.paths.iter().any(|path| is_same(path, to)) {
        return Err(Error::Unfit("is read, too: the index would take its place".to_owned()));
    }
    let output = Output::create(to)?;
    let outcome = rows(args, format, details, &output)?;
    if outcome == Outcome::Interrupted && is_replaced(to) {
        return Err(Error::Unfit("not written".to_owned()));
    }
    output.finish()?;
    Ok(outcome)
}

/// Drops files that no longer exist; drops nothing if the inputs are not all there either: a disk may not be mounted,
/// or a name mistyped.
fn prune(args: &IndexArgs, to: &Path, options: SqliteOptions) -> Result<(), Error> {
    if args.inputs.files_from.as_deref().is_some_and(is_stdout) {
        return Err(Error::Unfit("--prune takes a list of files that can be read twice: give it a name".to_owned()));
    }
    let missing = Inputs::new(&args.inputs, &Opener::new()).find_map(|item| match item {
        Item::Failure(failure) => Some(format!("{} can't be read: {}", shown(&failure.path), failure.reason)),
        Item::Input(Input::File(path)) if !path.exists() => Some(format!("{} is not there", shown(&path))),
        _ => None,
    });
    if let Some(missing) = missing {
        return Err(Error::Unfit(format!("nothing is dropped, as {missing}")));
    }
    let files = Sqlite::open(to, options)?.prune()?;
    if files > 0 {
        let (files, their) = if files == 1 {
            ("1 file that is".to_owned(), "its")
        } else {
            (format!("{} files that are", thousands(files)), "their")
        };
        stderr::line(&format!("sgf: {files} not there any more: {their} rows were dropped"));
    }
    Ok(())
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

/// Reads all inputs, and keeps the rows on a thread of its own.
fn read(args: &IndexArgs, sink: impl Sink + Send, catalog: Option<Catalog>) -> Result<Outcome, Error> {
    let mut wants = sink.wants();
    // A database itself knows which games it has.
    let seen = (args.unique && catalog.is_none()).then(HashSet::new);
    if args.unique {
        wants = wants | Column::MainLine.wants();
    }
    let is_database = catalog.is_some();
    // If nothing has come, an existing file stays.
    let may_be_left = !is_database && args.to.as_deref().is_some_and(|to| !is_stdout(to) && is_replaced(to));
    let own = args.to.as_deref().filter(|to| !is_stdout(to)).and_then(Own::of);
    let chooser = Chooser { wants, catalog: catalog.map(Mutex::new), own, is_identity_wanted: seen.is_some() };
    let (sender, receiver) = sync_channel(QUEUE);
    let progress = Progress::new(&args.inputs);
    let mut feeder = Feeder {
        progress: progress.clone(),
        sender,
        seen,
        next: None,
        is_open: false,
        failure: None,
        left_out: None,
        is_over: false,
        outcome: Outcome::Fine,
        member: None,
        games: Vec::new(),
        bytes: 0,
    };
    thread::scope(|scope| {
        let keeper = thread::Builder::new().name("sink".to_owned()).spawn_scoped(scope, || keep(sink, receiver))?;
        let make = || Found::new(&chooser, args.threads);
        // One by one, because what is wrong with a file is stored with it.
        let crew = Crew { one_by_one: true, ..Crew::new(&args.inputs, args.threads, &progress, &make) };
        let mut before = 0;
        let read = threads::read(&args.inputs, &crew, |found, report| {
            feeder.hear(report);
            let flow = found.hand_over(&mut before, &mut feeder);
            if !feeder.is_open {
                // The report was about something that was not opened, and not about what comes next.
                (feeder.failure, feeder.is_over, feeder.outcome) = (None, false, Outcome::Fine);
            }
            flow
        });
        // This ends the queue.
        drop(feeder);
        let kept = keeper.join().unwrap_or_else(|_| Err(Error::sink("the thread that keeps rows has failed")));
        let kept = kept?;
        let outcome = read?;
        progress.conclude(outcome);
        if outcome == Outcome::Failed && may_be_left && progress.account().bytes() == 0 {
            return Err(Error::Unfit("not written, as nothing could be read".to_owned()));
        }
        if outcome == Outcome::Interrupted && is_database {
            let games = if kept == 1 { "1 game was".to_owned() } else { format!("{} games were", thousands(kept)) };
            stderr::line(&format!("sgf: {games} kept of this run; the same command goes on from there"));
        }
        Ok(outcome)
    })
}

/// Messages to the thread that keeps rows.
enum Message {
    Begin(String, Option<(PathBuf, Stamp)>),
    Games(Vec<Game>),
    /// The file has ended; the text says what was wrong with it.
    End(Option<String>),
    /// The file was given up for this reason, and has to be read again.
    Stop(String),
}

/// A game on its way.
struct Game {
    member: Option<Arc<str>>,
    number: u64,
    record: Box<GameRecord>,
}

/// Keeps everything that comes, and counts the games.
fn keep(mut sink: impl Sink, messages: Receiver<Message>) -> Result<u64, Error> {
    let mut file = String::new();
    let mut kept = 0;
    // How many of the next games are kept already; `None` if all are.
    let mut known = Some(0);
    for message in messages {
        match message {
            Message::Begin(name, file_of) => {
                let file_of = file_of.as_ref().map(|(path, stamp)| (path.as_path(), stamp));
                known = match sink.begin(&name, file_of)? {
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
                            kept += 1;
                        }
                        Some(games) => *games -= 1,
                    }
                }
            }
            Message::End(_) | Message::Stop(_) if known.is_none() => {}
            Message::End(trouble) => sink.end(trouble.as_deref())?,
            Message::Stop(trouble) => sink.stop(&trouble)?,
        }
    }
    sink.finish()?;
    Ok(kept)
}

/// An input that is about to be read.
struct Opening {
    name: String,
    /// Where it is, and its present state.
    file: Option<(PathBuf, Stamp)>,
    /// All pipes have the same name, so in a database a pipe is distinguished by its first games.
    is_pipe: bool,
}

impl Opening {
    /// The name, if these are the first games; it depends on everything that their rows have.
    fn name_with(&self, games: &[Game]) -> String {
        if !self.is_pipe {
            return self.name.clone();
        }
        let mut line = Vec::new();
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for Game { member, number, record } in games {
            line.clear();
            let row = Row { file: "", member: member.as_deref(), game: *number, record };
            row.push_json(Column::ALL, &mut line);
            hash = line.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
        }
        format!("{}#{hash:016x}", self.name)
    }
}

/// Finds out which files are known already, and keeps the games of the others, on all threads.
struct Chooser {
    wants: Wants,
    catalog: Option<Mutex<Catalog>>,
    own: Option<Own>,
    is_identity_wanted: bool,
}

/// What a run writes, which may be among its inputs: the file, and the temporary files beside it.
struct Own {
    directory: PathBuf,
    name: OsString,
}

impl Own {
    fn of(to: &Path) -> Option<Self> {
        let directory = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(Self { directory: directory.canonicalize().ok()?, name: to.file_name()?.to_owned() })
    }

    fn is(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        let (name, own) = (name.as_encoded_bytes(), self.name.as_encoded_bytes());
        let is_part = || {
            let rest = name.strip_prefix(b".").and_then(|name| name.strip_prefix(own));
            rest.is_some_and(|rest| rest.starts_with(b".") && rest.ends_with(b".part"))
        };
        let is_ours = name.strip_prefix(own).is_some_and(|rest| matches!(rest, b"" | b"-wal" | b"-shm")) || is_part();
        is_ours && path.canonicalize().is_ok_and(|path| path.parent() == Some(&self.directory))
    }
}

impl Keep for Chooser {
    type Opening = Opening;
    type Game = (Box<GameRecord>, Option<u64>);

    fn wants(&self) -> Wants {
        self.wants
    }

    fn open(&self, input: &Input, report: &mut Report) -> io::Result<Option<Self::Opening>> {
        let name = input.name().into_owned();
        if let (Some(own), Input::File(path)) = (&self.own, input)
            && own.is(path)
        {
            return Ok(None);
        }
        let Some(catalog) = &self.catalog else { return Ok(Some(Opening { name, file: None, is_pipe: false })) };
        let Input::File(path) = input else { return Ok(Some(Opening { name, file: None, is_pipe: true })) };
        let volumes: Vec<_> = volumes(path).collect();
        let Ok(stamp) = Stamp::of_volumes(volumes.iter().map(AsRef::as_ref)) else {
            // The reason why it can't be read is reported when it is opened.
            return Ok(Some(Opening { name, file: None, is_pipe: false }));
        };
        let catalog = catalog.lock().unwrap_or_else(PoisonError::into_inner);
        let Known::All(trouble) = catalog.known(path, &stamp).map_err(io::Error::other)? else {
            return Ok(Some(Opening { name, file: Some((path.clone(), stamp)), is_pipe: false }));
        };
        if let Some(trouble) = trouble {
            let text = format!("{trouble} (when it was read before, and it has not changed)");
            if trouble.starts_with(LEFT_OUT) {
                report.note(&text);
            } else {
                report.messages.push(session::Message::Error(printable(&format!("sgf: {text}")), None));
                report.outcome = if trouble.starts_with(STRICT) { Outcome::Problems } else { Outcome::Failed };
            }
        }
        report.kept += 1;
        Ok(None)
    }

    fn keep(&self, row: &Row<'_>, _: &mut Vec<u8>) -> Option<Self::Game> {
        let identity = if self.is_identity_wanted { row.record.identity() } else { None };
        Some((Box::new(row.record.clone()), identity))
    }

    fn weight((record, _): &Self::Game) -> usize {
        // Its header, and whatever else is kept, are at most about as long as the game.
        size_of::<GameRecord>() + usize::try_from(record.len()).unwrap_or(usize::MAX)
    }
}

/// Takes the rows and sends them on.
struct Feeder {
    progress: Progress,
    sender: SyncSender<Message>,
    /// The identities of the games so far, if no game is kept twice.
    seen: Option<HashSet<u64>>,
    /// The opened file, as long as nothing of it was read.
    next: Option<Opening>,
    /// More of it comes.
    is_open: bool,
    /// What was wrong with it so far.
    failure: Option<String>,
    /// Parts of its games that are not kept: the first of them, and how many more there are.
    left_out: Option<(String, u64)>,
    /// Something in it was over a limit.
    is_over: bool,
    outcome: Outcome,
    member: Option<Arc<str>>,
    games: Vec<Game>,
    bytes: u64,
}

impl Feeder {
    /// Takes the report about what comes next, which is about one file.
    fn hear(&mut self, report: &Report) {
        self.outcome = self.outcome.max(report.outcome);
        self.is_over |= report.is_over;
        if self.failure.is_none() {
            self.failure.clone_from(&report.failure);
        }
    }

    fn send(&self, message: Message) -> Flow {
        match self.sender.send(message) {
            Ok(()) => ControlFlow::Continue(()),
            // The other thread has stopped, and will report why.
            Err(_) => ControlFlow::Break(Err(io::Error::other("rows are not kept any more"))),
        }
    }

    fn flush(&mut self) -> Flow {
        self.bytes = 0;
        let games = std::mem::take(&mut self.games);
        if games.is_empty() {
            return ControlFlow::Continue(());
        }
        self.begin_with(&games)?;
        self.send(Message::Games(games))
    }

    /// Begins the file with these games, if it has not begun.
    fn begin_with(&mut self, games: &[Game]) -> Flow {
        match self.next.take() {
            Some(opening) => self.send(Message::Begin(opening.name_with(games), opening.file)),
            None => ControlFlow::Continue(()),
        }
    }

    /// The file has ended.
    fn end(&mut self) -> Flow {
        self.is_open = false;
        self.flush()?;
        let (failure, outcome) = (self.failure.take(), std::mem::replace(&mut self.outcome, Outcome::Fine));
        let is_over = std::mem::take(&mut self.is_over);
        let left_out = self.left_out.take().map(|(first, more)| match more {
            0 => format!("{LEFT_OUT}{first}"),
            more => format!("{LEFT_OUT}{first}; {} more like this", thousands(more)),
        });
        if outcome == Outcome::Interrupted {
            // The next run continues here.
            return ControlFlow::Continue(());
        }
        let is_new = match self.next.take() {
            // A pipe without games is not remembered.
            Some(opening) if opening.is_pipe => return ControlFlow::Continue(()),
            // Nor is a file that does not exist.
            Some(opening) if opening.file.is_none() && failure.is_some() => return ControlFlow::Continue(()),
            Some(opening) => {
                self.send(Message::Begin(opening.name, opening.file))?;
                true
            }
            None => false,
        };
        let is_given_up = failure.is_some() && (is_new || is_over);
        let troubles: Vec<String> = failure.into_iter().chain(left_out).collect();
        let trouble = troubles.join("; ");
        // A file that yielded nothing, or may yield more, is tried again in the next run.
        self.send(if is_given_up {
            Message::Stop(trouble)
        } else {
            Message::End(Some(trouble).filter(|it| !it.is_empty()))
        })
    }
}

impl Take<Chooser> for Feeder {
    fn open(&mut self, opening: Opening) -> Flow {
        self.next = Some(opening);
        self.is_open = true;
        ControlFlow::Continue(())
    }

    fn begin(&mut self, _file: &Arc<str>, member: Option<&Member>) -> Flow {
        self.member = member.map(|member| Arc::clone(&member.name));
        ControlFlow::Continue(())
    }

    fn game(&mut self, number: u64, (record, identity): (Box<GameRecord>, Option<u64>), _: &[u8]) -> Flow {
        if self.next.as_ref().is_some_and(|next| !next.is_pipe) {
            self.begin_with(&[])?;
        }
        if let (Some(seen), Some(identity)) = (&mut self.seen, identity)
            && !seen.insert(identity)
        {
            return ControlFlow::Continue(());
        }
        self.bytes += record.len();
        self.games.push(Game { member: self.member.clone(), number, record });
        if self.games.len() >= GAMES || self.bytes >= BYTES { self.flush() } else { ControlFlow::Continue(()) }
    }

    fn note(&mut self, text: &str) {
        self.progress.note(&printable(&format!("sgf: {text}")));
        match &mut self.left_out {
            Some((_, more)) => *more += 1,
            None => self.left_out = Some((text.to_owned(), 0)),
        }
    }

    fn done(&mut self) -> Flow {
        self.end()
    }
}
