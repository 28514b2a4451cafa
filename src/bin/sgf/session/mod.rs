//! One run of a command over all its inputs.
//!
//! Owns the read loop for one thread, the messages about inputs, and the final exit code. What is done with the events
//! is for the sink. `whereabouts` lets a parser that accounts for every byte take the place of the usual one.

pub(crate) mod whereabouts;

use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use sgf_stream::archive::{self, Format, Name, Opener, Trouble, Visit};
use sgf_stream::read::PageBuffer;
use sgf_stream::{Config, Error, Parser, Problem, Visitor};

use crate::args::InputArgs;
use crate::input::inputs::{Inputs, Item};
use crate::input::{Input, shown};
use crate::interrupt;
use crate::progress::Progress;
use crate::progress::account::{Left, Reason, Stop};
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

/// Reads input after input, with one buffer and one parser: an archive may be a million small files.
pub(crate) struct Session<M = Parser> {
    machine: M,
    buffer: PageBuffer,
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
        Self { machine, buffer: PageBuffer::new(BUFFER_LEN), progress, games: 0 }
    }

    pub(crate) fn into_machine(self) -> M {
        self.machine
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
                Item::Input(input) => self.wanted(&input, &opener, sink, &mut report),
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

    fn wanted(&mut self, input: &Input, opener: &Opener, sink: &mut impl Sink, report: &mut Report) -> Flow {
        if flow(sink.is_wanted(input, report))? {
            self.input(input, opener, sink, report)?;
        }
        ControlFlow::Continue(())
    }

    fn input(&mut self, input: &Input, opener: &Opener, sink: &mut impl Sink, report: &mut Report) -> Flow {
        let name = Name::new(input.name());
        // The first read may fail too, as that of a directory does: something that yields nothing at all was no input.
        let first = input.open().and_then(|mut source| Ok((self.first(&mut source)?, source)));
        let (read, mut source) = match first {
            Ok(first) => first,
            Err(error) => {
                report.cannot_read(&name, &error);
                return ControlFlow::Continue(());
            }
        };
        self.progress.begin(name.as_str());
        let head = &self.buffer[..read];
        if input.is_packed(head) {
            let is_short = source.file_len().is_some_and(|len| len <= SHORT);
            let source = source.into_archive(input, head);
            let mut unpacking = Unpacking { session: self, sink, report, flow: ControlFlow::Continue(()) };
            if is_short {
                let _ = opener.visit(name.as_str(), source, &mut unpacking);
            } else {
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
            }
            return unpacking.flow;
        }
        sink.begin(name.as_str());
        self.machine.reset();
        let end = self.read(read, true, &mut source, sink)?.looked_for(input.path());
        self.machine.end(name.as_str());
        report.ended(&name, end, self.machine.offset(), sink);
        flow(sink.pause())
    }

    /// Reads enough to recognise an archive.
    fn first(&mut self, source: &mut dyn Read) -> io::Result<usize> {
        let mut len = self.fill(0, source)?;
        let mut more = len;
        while more > 0 && Format::needs_more(&self.buffer[..len]) {
            // A failure after the first bytes will come again.
            more = self.fill(len, source).unwrap_or(0);
            len += more;
        }
        Ok(len)
    }

    /// Reads to the end of the source, of which `len` bytes are in the buffer.
    fn read(&mut self, mut len: usize, counts: bool, source: &mut dyn Read, sink: &mut impl Sink) -> Flow<End> {
        // The length and offset of the buffer's contents, which are still needed when the source has ended.
        let (mut held, mut start) = (len, 0);
        let mut failure = None;
        loop {
            flow(sink.chunk(&self.buffer[..len], self.machine.candidate()))?;
            let fed = match len {
                0 => self.machine.finish(sink),
                _ => self.machine.feed(&self.buffer[..len], sink),
            };
            match fed {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(end)) => {
                    self.count(if counts { len } else { 0 }, sink);
                    return ControlFlow::Break(end);
                }
                Err(_) if failure.is_some() => {}
                Err(error) => {
                    return ControlFlow::Continue(End::from(error).seen_in(&self.buffer[..held], start));
                }
            }
            if len == 0 {
                self.count(0, sink);
                return ControlFlow::Continue(failure.map_or(End::Complete, End::failed));
            }
            self.count(if counts { len } else { 0 }, sink);
            flow(sink.pause())?;
            if interrupt::is_asked() {
                return ControlFlow::Continue(End::Interrupted);
            }
            len = match self.fill(0, source) {
                Ok(len) => len,
                Err(_) if interrupt::is_asked() => return ControlFlow::Continue(End::Interrupted),
                // The game that was cut off counts too, as in a file that ends there.
                Err(error) => {
                    failure = Some(error);
                    0
                }
            };
            if len > 0 {
                start += held as u64;
                held = len;
            }
        }
    }

    /// Counts bytes of an input, and the games in them.
    fn count(&mut self, bytes: usize, sink: &impl Sink) {
        self.progress.advance(bytes);
        self.progress.account().add_games(sink.games() - self.games);
        self.games = sink.games();
    }

    /// Reads into the buffer, after the bytes that are kept.
    fn fill(&mut self, kept: usize, source: &mut dyn Read) -> io::Result<usize> {
        loop {
            match source.read(&mut self.buffer[kept..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

/// Reads the members of an archive.
struct Unpacking<'a, M, S> {
    session: &'a mut Session<M>,
    sink: &'a mut S,
    report: &'a mut Report,
    /// Whether the sink goes on.
    flow: Flow,
}

impl<M: Machine, S: Sink> Unpacking<'_, M, S> {
    fn read(&mut self, name: &Name, bytes: &mut dyn Read) -> Flow {
        let len = match self.session.fill(0, bytes) {
            Ok(len) => len,
            Err(error) => {
                self.report.cannot_read(name, &error);
                return ControlFlow::Continue(());
            }
        };
        self.session.progress.begin(name.as_str());
        self.sink.begin_member(name);
        self.session.machine.reset();
        let end = self.session.read(len, false, bytes, self.sink)?;
        self.session.machine.end(name.as_str());
        self.report.ended(name, end, self.session.machine.offset(), self.sink);
        flow(self.sink.pause())
    }

    /// Decides whether to go on; reports at once, because millions of members may have something to report.
    fn goes_on(&mut self, name: &Name) -> ControlFlow<()> {
        if interrupt::is_asked() && self.report.outcome != Outcome::Interrupted {
            self.report.interrupted(name.input(), None);
        }
        self.session.progress.report(self.report);
        let goes_on = self.flow.is_continue() && self.report.outcome != Outcome::Interrupted;
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl<M: Machine, S: Sink> Visit for Unpacking<'_, M, S> {
    fn member(&mut self, name: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        self.flow = self.read(name, bytes);
        self.goes_on(name)
    }

    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
        self.report.trouble(name, &trouble);
        self.goes_on(name)
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
