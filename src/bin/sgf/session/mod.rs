//! One run of a command over all its inputs.
//!
//! Owns the messages about inputs, the final exit code, and reading on one thread, as `threads` does on several. What is done
//! with the events is for the sink. How an input is read is for `reader`. `whereabouts` lets a parser that accounts for every
//! byte take the place of the usual one.

pub(crate) mod reader;
pub(crate) mod whereabouts;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use sgf_stream::archive::{self, Name, Opener, Trouble, Visit};
use sgf_stream::{Config, Error, Parser, Problem, Visitor};

use crate::args::InputArgs;
use crate::input::inputs::{Inputs, Item};
use crate::input::{Input, shown};
use crate::interrupt;
use crate::progress::Progress;
use crate::progress::account::{Left, Reason, Stop};
use crate::session::reader::{Outlet, Reader, Unpacking};
use crate::session::whereabouts::Machine;
use crate::terminal::stderr::{reason, without_number};
use crate::terminal::window::Window;

/// Whether to go on. A break ends reading: with an error, as the output has failed, and else as nothing more is wanted.
pub(crate) type Flow<T = ()> = ControlFlow<io::Result<()>, T>;

/// An error of the output ends reading.
pub(crate) fn flow<T>(result: io::Result<T>) -> Flow<T> {
    result.map_or_else(|error| ControlFlow::Break(Err(error)), ControlFlow::Continue)
}

/// What a command does with the events.
pub(crate) trait Sink: Visitor<Break = io::Result<()>> {
    /// An input is about to be opened. `false` skips it.
    fn is_wanted(&mut self, _input: &Input, _report: &mut Report) -> io::Result<bool> {
        Ok(true)
    }

    /// The next input begins.
    fn begin(&mut self, name: &str);

    /// The next member of an archive begins.
    fn begin_member(&mut self, name: &Name) {
        self.begin(name.as_str());
    }

    /// These bytes are read next; none at the end of the input. Earlier bytes, from `candidate` on, may belong to a
    /// game that has not begun. Only for sinks that use the source's own bytes.
    fn chunk(&mut self, _bytes: &[u8], _candidate: u64) -> io::Result<()> {
        Ok(())
    }

    /// All bytes that have come so far were read; the next ones may take a while.
    fn pause(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Under `--strict`, the problem at which reading of this input stops. It was no event.
    fn stopped(&mut self, _problem: &Problem) {}

    /// The input was read to its end. Whether it is certain that no game was in it, and worth a note.
    fn lacks_game(&mut self, _name: &Name) -> bool {
        false
    }

    /// The input, or as much of it as could be read, has ended, after this many bytes.
    fn end(&mut self, _bytes: u64) {}

    /// Games so far, of all inputs.
    fn games(&self) -> u64;
}

/// The meaning of the exit code, in the order of importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Fine,
    Problems,
    Failed,
    /// Interrupted by Ctrl-C.
    Interrupted,
}

/// The worst of those that were reported, as a number.
static REPORTED: AtomicU8 = AtomicU8::new(Outcome::Fine as u8);

impl Outcome {
    /// Its reason is on standard error, and stays true if nobody reads the output to its end.
    pub(crate) fn remember(self) {
        REPORTED.fetch_max(self as u8, Ordering::Relaxed);
    }

    /// The worst that was reported so far.
    pub(crate) fn remembered() -> Self {
        let all = [Self::Problems, Self::Failed, Self::Interrupted];
        let worst = REPORTED.load(Ordering::Relaxed);
        all.into_iter().find(|outcome| *outcome as u8 == worst).unwrap_or(Self::Fine)
    }
}

/// The messages about an input, and their effect on the exit code.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) outcome: Outcome,
    pub(crate) messages: Vec<Message>,
    /// Inputs and members that were read, or begun.
    pub(crate) files: u64,
    pub(crate) left: Left,
    pub(crate) stopped: Option<Stop>,
    /// The first thing that could not be read, or not beyond a problem.
    pub(crate) failure: Option<String>,
    /// Something was not read that may be read another time, although it does not change.
    pub(crate) may_come: bool,
    /// Inputs that were not read because everything in them is known.
    pub(crate) kept: u64,
}

#[derive(Debug)]
pub(crate) enum Message {
    /// An error, with the bytes that it is about, if they are at hand.
    Error(String, Option<Window>),
    /// Something can't be read, and why.
    Failure {
        name: Name,
        reason: String,
    },
    Note(String),
    /// Something has no game in it.
    NoGame(String),
}

/// What is noted of an input, or a member of one, that has bytes and no game.
pub(crate) fn without_game(name: &Name) -> String {
    format!("{name}: no game in it")
}

impl Report {
    pub(crate) fn new() -> Self {
        Self {
            outcome: Outcome::Fine,
            messages: Vec::new(),
            files: 0,
            left: Left::new(),
            stopped: None,
            failure: None,
            may_come: false,
            kept: 0,
        }
    }

    /// Ctrl-C has stopped reading after this many bytes, and there is nothing else to report.
    pub(crate) fn stopped(name: &str, bytes: u64) -> Self {
        let mut report = Self::new();
        report.interrupted(name, Some(bytes));
        report
    }

    pub(crate) fn note(&mut self, text: &str) {
        self.messages.push(Message::Note(text.to_owned()));
    }

    pub(crate) fn failed(&mut self, name: &Name, reason: &str) {
        self.failure.get_or_insert_with(|| format!("{name}: {reason}"));
        self.messages.push(Message::Failure { name: name.clone(), reason: reason.to_owned() });
        self.leave(Reason::Failed, name.as_str());
        self.outcome = self.outcome.max(Outcome::Failed);
    }

    /// Reports an input that yields nothing at all.
    pub(crate) fn cannot_read(&mut self, name: &Name, error: &io::Error) {
        if interrupt::is_asked() {
            self.interrupted(name.as_str(), Some(0));
        } else {
            self.may_come |= archive::Error::may_pass_of(error);
            self.failed(name, &read_reason(error));
        }
    }

    /// Ctrl-C has stopped reading.
    pub(crate) fn interrupted(&mut self, name: &str, offset: Option<u64>) {
        self.stopped = Some(Stop { name: name.to_owned(), offset });
        self.outcome = Outcome::Interrupted;
    }

    /// Reports something about an archive.
    pub(crate) fn trouble(&mut self, name: &Name, trouble: &Trouble) {
        match trouble {
            Trouble::Error(_) if interrupt::is_asked() => self.interrupted(name.as_str(), None),
            Trouble::Error(error) => {
                self.may_come |= error.may_pass();
                self.failed(name, &error_reason(error));
            }
            trouble => self.note(&format!("{name}: {trouble}")),
        }
    }

    /// Reports something that came in place of an input.
    pub(crate) fn item(&mut self, item: Item) {
        match item {
            Item::Input(_) => {}
            Item::Failure(failure) => self.failed(&Name::new(shown(&failure.path)), &failure.reason),
            Item::Note(text) => self.note(&text),
            Item::Interrupted(list) => self.interrupted(&shown(&list), None),
        }
    }

    /// Reports the end of an input, after this many bytes unless `end` says otherwise.
    pub(crate) fn ended(&mut self, name: &Name, end: End, bytes: u64, sink: &mut impl Sink) {
        let mut bytes = bytes;
        match end {
            End::Complete => {
                if bytes > 0 && sink.lacks_game(name) {
                    self.messages.push(Message::NoGame(without_game(name)));
                }
            }
            End::Strict(problem, window) => {
                sink.stopped(&problem);
                self.messages.push(Message::Error(format!("{name}:{problem}"), window));
                self.failure.get_or_insert_with(|| format!("{name}:{problem}"));
                self.leave(Reason::Strict, name.as_str());
                self.outcome = self.outcome.max(Outcome::Problems);
                // How far the parser had to look to be sure does not count.
                bytes = problem.span().end;
            }
            End::Failed(error) => {
                self.may_come |= archive::Error::may_pass_of(&error);
                self.failed(name, &format!("{} (after {bytes} bytes)", read_reason(&error)));
            }
            End::Interrupted => self.interrupted(name.as_str(), Some(bytes)),
        }
        self.files += 1;
        sink.end(bytes);
    }
}

/// How reading of one input ended.
pub(crate) enum End {
    Complete,
    Strict(Problem, Option<Window>),
    Failed(io::Error),
    Interrupted,
}

impl End {
    /// The end for a failed read; after Ctrl-C, that is the reason.
    pub(crate) fn failed(error: io::Error) -> Self {
        if interrupt::is_asked() { Self::Interrupted } else { Self::Failed(error) }
    }

    /// Adds a window of these bytes, which begin at that offset.
    pub(crate) fn seen_in(self, bytes: &[u8], start: u64) -> Self {
        match self {
            Self::Strict(problem, _) => {
                let window = Window::cut(bytes, start, problem.position(), problem.span().len());
                Self::Strict(problem, window)
            }
            end => end,
        }
    }

    /// Adds a window of the file at this path, if the bytes at hand were too few for one: the window must not depend on
    /// how much is read at once.
    pub(crate) fn looked_for(self, path: Option<&Path>) -> Self {
        match (self, path) {
            (Self::Strict(problem, None), Some(path)) => {
                let window = Window::look(path, problem.position(), problem.span().len());
                Self::Strict(problem, window)
            }
            (end, _) => end,
        }
    }
}

/// A parser has no errors other than those of strict reading.
impl From<Error> for End {
    fn from(error: Error) -> Self {
        match error {
            Error::Strict(problem) => Self::Strict(problem, None),
            error => Self::Failed(io::Error::other(error)),
        }
    }
}

/// Reads input after input on one thread, and has a sink take the events as they come.
pub(crate) struct Session<M = Parser> {
    reader: Reader<M>,
    progress: Progress,
    /// How many games the bar shows.
    games: u64,
}

/// How many bytes are read at once.
const BUFFER_LEN: usize = 256 << 10;

/// An archive up to this length does not deserve a thread of its own.
const SHORT: u64 = 256 << 10;

impl Session {
    pub(crate) fn new(config: Config, progress: Progress) -> Self {
        Self::with(Parser::with_config(config), progress)
    }
}

impl<M: Machine> Session<M> {
    pub(crate) fn with(machine: M, progress: Progress) -> Self {
        Self { reader: Reader::new(machine, BUFFER_LEN, false, &progress), progress, games: 0 }
    }

    pub(crate) fn into_machine(self) -> M {
        self.reader.machine
    }

    /// Reads all inputs. The error is one of the output; what is wrong with an input is reported, and the next one is read.
    pub(crate) fn run(&mut self, args: &InputArgs, sink: &mut impl Sink) -> io::Result<Outcome> {
        let result = self.inputs(args, sink);
        self.progress.finish();
        result
    }

    /// Reads some of the inputs: more are read after them. The error is one of the output.
    pub(crate) fn inputs(&mut self, args: &InputArgs, sink: &mut impl Sink) -> io::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        let opener = args.counting_opener(&self.progress);
        for item in Inputs::new(args, &opener) {
            if interrupt::is_asked() {
                return Ok(Outcome::Interrupted);
            }
            let mut report = Report::new();
            let flow = match item {
                Item::Input(input) => self.input(&input, &opener, sink, &mut report),
                other => {
                    report.item(other);
                    ControlFlow::Continue(())
                }
            };
            if let ControlFlow::Break(Ok(())) = flow {
                // The input with the last game was read too, or begun, and is counted nowhere else.
                report.files = report.files.max(1);
            }
            self.progress.report(&mut report);
            outcome = outcome.max(report.outcome);
            if let ControlFlow::Break(end) = flow {
                end?;
                break;
            }
        }
        Ok(outcome)
    }

    fn input(&mut self, input: &Input, opener: &Opener, sink: &mut impl Sink, report: &mut Report) -> Flow {
        let name = Name::new(input.name());
        let is_wanted = flow(sink.is_wanted(input, report))?;
        let first = if is_wanted { self.reader.open(input, &name, report) } else { None };
        let Some(first) = first else { return ControlFlow::Continue(()) };
        let mut outlet = AtOnce { sink, report, progress: &self.progress, games: &mut self.games };
        if !first.is_packed {
            return self.reader.plain(input, &name, first, &mut outlet);
        }
        let is_short = first.source.file_len().is_some_and(|len| len <= SHORT);
        let source = self.reader.packed(input, first);
        let mut unpacking =
            Unpacking { reader: &mut self.reader, outlet: &mut outlet, flow: ControlFlow::Continue(()) };
        if is_short {
            let _ = opener.visit(name.as_str(), source, &mut unpacking);
            return unpacking.flow;
        }
        let mut members = opener.members(name.as_str(), source);
        while let Some(member) = members.next_member() {
            let flow = match member {
                Ok(mut member) => unpacking.member(&member.name().clone(), &mut member),
                Err(report) => unpacking.trouble(&report.name, report.trouble),
            };
            if flow.is_break() {
                break;
            }
        }
        unpacking.flow
    }
}

/// The sink takes all events as they come, and what is reported of a member is printed at once.
struct AtOnce<'a, S> {
    sink: &'a mut S,
    report: &'a mut Report,
    progress: &'a Progress,
    /// How many games the bar shows.
    games: &'a mut u64,
}

impl<S: Sink> Outlet for AtOnce<'_, S> {
    type Sink = S;

    fn sink(&mut self) -> &mut S {
        self.sink
    }

    fn report(&mut self) -> &mut Report {
        self.report
    }

    fn feed(&mut self, machine: &mut impl Machine, bytes: &[u8]) -> Result<Flow, Error> {
        if let Err(error) = self.sink.chunk(bytes, machine.candidate()) {
            return Ok(ControlFlow::Break(Err(error)));
        }
        let fed = if bytes.is_empty() { machine.finish(self.sink) } else { machine.feed(bytes, self.sink) };
        let games = self.sink.games();
        self.progress.account().add_games(games - *self.games);
        *self.games = games;
        fed
    }

    fn pause(&mut self) -> Flow {
        flow(self.sink.pause())
    }

    fn ended(&mut self, name: &Name, end: End, bytes: u64) -> Flow {
        self.report.ended(name, end, bytes, self.sink);
        self.pause()
    }

    fn reported(&mut self, _name: &Name) -> Flow {
        self.progress.report(self.report);
        ControlFlow::Continue(())
    }
}

/// Why a member can't be read; the reason may be an error of the archive.
fn read_reason(error: &io::Error) -> String {
    let own = error.get_ref().and_then(|error| error.downcast_ref());
    own.map_or_else(|| reason(error), error_reason)
}

/// The reason as [`reason`] gives it, and what can be done about it.
fn error_reason(error: &archive::Error) -> String {
    match error {
        archive::Error::Io(error) => reason(error),
        archive::Error::Spool(_) => without_number(error.to_string()),
        archive::Error::WindowTooLarge { .. } => format!("{error}: --archive-memory allows more"),
        archive::Error::SplitZip | archive::Error::NotTheLastVolume(_) => format!("{error} (zip -s 0)"),
        error => error.to_string(),
    }
}
