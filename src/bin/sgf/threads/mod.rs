//! Reading on several threads.
//!
//! Owns how much a thread takes at a time, which is some files of a directory or list, and how it reads them. The
//! output is, byte for byte, that of one thread. A file that is large enough for several threads is for `large`,
//! an archive's members for `members`; `found` is for findings that are games. Refuses to know what the files are read for.
//!
//! A file's length is not queried before it is read: for a small file that costs as much as opening it.

pub(crate) mod found;
mod large;
mod members;

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use clap::Args as Group;
use sgf_stream::archive::{Format, HEAD_LEN, Name, Opener, Trouble, Visit};
use sgf_stream::read::{NextJob, PageBuffer, Turn, in_order};
use sgf_stream::{Blocks, Config, Error, ParallelReader, Parser, Partial};

use crate::args::{InputArgs, counted};
use crate::input::inputs::{Inputs, Item};
use crate::input::{Input, Pausing, Source};
use crate::interrupt;
use crate::progress::Progress;
use crate::session::{End, Flow, Outcome, Report, Sink};

/// How many files a thread takes at once: enough to make the cost of taking them small.
const FILES: u64 = 64;

/// How many messages are kept until they are printed.
const MESSAGES: usize = 100;

/// How many bytes of the names of members, which messages and findings have, are kept until they are handed on.
const NAMES: usize = 1 << 20;

/// How many threads there are.
#[derive(Clone, Copy, Debug, Group)]
pub(crate) struct ThreadArgs {
    /// Read on so many threads, at most 24 [default: one for each core]; what is printed does not depend on it
    #[arg(long, value_name = "N", value_parser = counted::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,

    /// Bytes that a thread takes at once: for tests, where inputs are small
    #[arg(long, value_name = "BYTES", hide = true)]
    block_len: Option<NonZeroUsize>,
}

impl ThreadArgs {
    /// The most threads; more would only cost memory. `scan` takes 37 to 46 MB with this many if blocks do not grow, and
    /// up to 134 if they grow in search of a game's end. With enough cores, the thread that hands out blocks or files
    /// keeps fewer than this busy.
    const MAX_THREADS: usize = 24;

    pub(crate) fn count(self) -> usize {
        self.threads.map_or_else(ParallelReader::cores, NonZeroUsize::get).min(Self::MAX_THREADS)
    }
}

/// What a thread finds in some inputs, or in a part of one.
pub(crate) trait Findings: Sink + Partial<Break = io::Result<()>> + Send {
    /// How many bytes are read at once, unless the user chooses.
    const BLOCK_LEN: usize = Blocks::<io::Empty>::DEFAULT_LEN;

    /// The next events are of this input or member; its beginning was announced elsewhere.
    fn resume(&mut self, name: &Name);

    /// Nothing more comes of the input, whatever it was.
    fn done(&mut self) {}

    /// How many bytes were announced to it.
    fn len(&self) -> u64;
}

/// Takes what was found so far; the findings continue from nothing, at the same place of the same input.
fn take<F: Findings>(findings: &mut F) -> F {
    let rest = findings.rest();
    std::mem::replace(findings, rest)
}

/// What the threads share.
pub(crate) struct Crew<'a, F> {
    /// Including the one that has taken the input.
    pub(crate) threads: usize,
    /// How many bytes are read at once.
    pub(crate) block_len: usize,
    pub(crate) config: Config,
    pub(crate) is_strict: bool,
    pub(crate) progress: Progress,
    pub(crate) opener: Opener,
    /// The findings of each input or member are handed on separately, with the report about it.
    pub(crate) one_by_one: bool,
    /// Makes new findings.
    pub(crate) make: &'a (dyn Fn() -> F + Sync),
}

impl<'a, F: Findings> Crew<'a, F> {
    /// An input with this many blocks for each thread is large.
    const BLOCKS: u64 = 2;

    /// One thread unpacks an archive up to this length, while the others do something else: each of them may take the
    /// memory that this takes.
    const ARCHIVE: u64 = 8 << 20;

    pub(crate) fn new(
        inputs: &InputArgs,
        threads: ThreadArgs,
        progress: &Progress,
        make: &'a (dyn Fn() -> F + Sync),
    ) -> Self {
        Self {
            threads: threads.count(),
            block_len: threads.block_len.map_or(F::BLOCK_LEN, NonZeroUsize::get),
            config: inputs.config(),
            is_strict: inputs.strict,
            progress: progress.clone(),
            opener: inputs.counting_opener(progress),
            one_by_one: false,
            make,
        }
    }

    /// Whether the input is large enough for all threads, or may be: the length of a pipe is not known.
    fn is_large(&self, source: &Source) -> bool {
        let enough = Self::BLOCKS * self.threads as u64;
        self.threads > 1 && source.file_len().is_none_or(|len| len / self.block_len as u64 >= enough)
    }
}

/// Reads all inputs. `fold` takes the findings, in order, with the reports about them, from which it may take messages; it may
/// end everything, which is a failure if it comes with an error.
pub(crate) fn read<F: Findings>(
    args: &InputArgs,
    crew: &Crew<'_, F>,
    mut fold: impl FnMut(F, &mut Report) -> Flow + Send,
) -> io::Result<Outcome> {
    let mut inputs = Inputs::new(args, &crew.opener);
    let mut outcome = Outcome::Fine;
    let mut interrupted = false;
    let mut ended = Ok(());
    in_order(
        crew.threads,
        || Worker::new(crew),
        |worker| {
            // Anything taken is read to its end, so that everything up to some place is counted, and nothing behind it.
            interrupted = interrupt::is_asked();
            if interrupted { NextJob::End } else { worker.take(&mut inputs) }
        },
        Worker::work,
        |mut part: Part<F>| {
            crew.progress.account().add_games(part.findings.games());
            let mut flow = fold(*part.findings, &mut part.report);
            if let Some(error) = part.error {
                flow = ControlFlow::Break(Err(error));
            }
            if let ControlFlow::Break(end) = flow {
                if end.is_err() {
                    // What could not be read before the output failed is true all the same.
                    crew.progress.report(&mut part.report);
                } else {
                    // The input with the last game was read too, or begun, and is counted nowhere else.
                    crew.progress.account().add_files(part.report.files.max(1));
                }
                ended = end;
                return ControlFlow::Break(());
            }
            crew.progress.report(&mut part.report);
            outcome = outcome.max(part.report.outcome);
            if outcome == Outcome::Interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    crew.progress.finish();
    ended.map(|()| if interrupted { Outcome::Interrupted } else { outcome })
}

/// A part of the result.
pub(crate) struct Part<F> {
    pub(crate) findings: Box<F>,
    pub(crate) report: Report,
    /// An error that is no fault of any input.
    error: Option<io::Error>,
}

impl<F: Findings> Part<F> {
    pub(crate) fn of(findings: F) -> Self {
        Self { findings: Box::new(findings), report: Report::new(), error: None }
    }

    /// Takes what there is so far; the part continues from nothing, at the same place of the same input.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            findings: Box::new(take(&mut self.findings)),
            report: std::mem::replace(&mut self.report, Report::new()),
            error: self.error.take(),
        }
    }
}

/// Reads bytes, and hands on the findings when there are too many to keep. False if nothing more is wanted.
pub(crate) fn feed<F: Findings>(
    parser: &mut Parser,
    bytes: &[u8],
    part: &mut Part<F>,
    turn: &Turn<'_, Part<F>>,
) -> Result<bool, Error> {
    for piece in bytes.chunks(F::CHUNK_LEN) {
        Partial::chunk(&mut *part.findings, piece, parser.candidate());
        // Any output that could fail belongs to the thread that folds.
        let _ = parser.feed(piece, &mut *part.findings)?;
        if part.findings.is_full() && !turn.fold(part.take()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The state of one thread.
struct Worker<'a, F> {
    crew: &'a Crew<'a, F>,
    parser: Parser,
    buffer: PageBuffer,
    items: Vec<Item>,
    /// The average length of the files taken last.
    average: u64,
}

/// Bytes from a source, in the buffer.
struct Filled {
    len: usize,
    end: Filling,
}

/// Why there are no more of them.
pub(crate) enum Filling {
    /// The buffer is full.
    Full,
    /// There are no more for now.
    Paused,
    Ended,
    Failed(io::Error),
}

impl<'a, F: Findings> Worker<'a, F> {
    fn new(crew: &'a Crew<'a, F>) -> Self {
        Self {
            crew,
            parser: Parser::with_config(crew.config.clone()),
            buffer: PageBuffer::new(crew.block_len),
            items: Vec::new(),
            average: 16 << 10,
        }
    }

    /// Takes files for about a full buffer, if they are like the last ones.
    fn take(&mut self, inputs: &mut Inputs) -> NextJob<Part<F>> {
        let most = if self.crew.one_by_one { 1 } else { FILES };
        let count = (self.crew.block_len as u64 / self.average.max(1)).clamp(1, most);
        self.items.extend(inputs.take(count as usize));
        if self.items.is_empty() { NextJob::End } else { NextJob::Work }
    }

    fn work(&mut self, turn: &Turn<'_, Part<F>>) -> Part<F> {
        let mut part = Part::of((self.crew.make)());
        let items = std::mem::take(&mut self.items);
        let count = items.len() as u64;
        let mut bytes = 0;
        for item in items {
            match item {
                Item::Input(input) => match self.input(&input, &mut part, turn) {
                    Ok(len) => bytes += len,
                    Err(error) => part.error = Some(error),
                },
                other => part.report.item(other),
            }
            if part.error.is_some() || part.report.outcome == Outcome::Interrupted {
                break;
            }
        }
        self.average = bytes / count;
        part
    }

    /// Reads an input and returns its length.
    fn input(&mut self, input: &Input, part: &mut Part<F>, turn: &Turn<'_, Part<F>>) -> io::Result<u64> {
        if input.path().is_none() {
            // It may be named twice, and its first reader gets all of it.
            turn.fold(part.take());
        }
        if !part.findings.is_wanted(input, &mut part.report)? {
            return Ok(0);
        }
        let len = self.open(input, part, turn);
        part.findings.done();
        Ok(len)
    }

    fn open(&mut self, input: &Input, part: &mut Part<F>, turn: &Turn<'_, Part<F>>) -> u64 {
        let name = Name::new(input.name());
        let first = input.open().and_then(|source| {
            let mut source = Pausing::new(source);
            let filled = self.fill(&mut source, true)?;
            let more = more_head(&filled, &mut source)?;
            Ok((filled, more, source))
        });
        let (filled, more, source) = match first {
            Ok(first) => first,
            Err(error) => {
                part.report.cannot_read(&name, &error);
                return 0;
            }
        };
        self.crew.progress.begin(name.as_str());
        let mut head = Cow::Borrowed(&self.buffer[..filled.len]);
        if !more.is_empty() {
            head.to_mut().extend_from_slice(&more);
        }
        let is_packed = input.is_packed(&head);
        // The length is not looked up for each of thousands of small files.
        let goes_on = matches!(filled.end, Filling::Full | Filling::Paused);
        let is_large = (is_packed || goes_on) && self.crew.is_large(&source.source);
        if is_packed {
            let is_short = !is_large && source.source.file_len().is_some_and(|len| len <= Crew::<F>::ARCHIVE);
            let source = source.source.into_archive(input, &head);
            if is_short {
                let _ = self.crew.opener.visit(
                    name.as_str(),
                    source,
                    &mut Unpacking { worker: self, part, turn, names_len: 0 },
                );
            } else {
                turn.fold(part.take());
                let members = self.crew.opener.members(name.as_str(), source);
                members::read(self.crew, name.as_str(), members, turn);
            }
            return filled.len as u64;
        }
        part.findings.begin(name.as_str());
        if is_large {
            turn.fold(part.take());
            let start = &self.buffer[..filled.len];
            let source = start.chain(io::Cursor::new(more)).chain(source.again());
            large::read(self.crew, &name, input.path(), source, true, turn);
            return filled.len as u64;
        }
        self.parser.reset();
        let mut source = io::Cursor::new(more).chain(source);
        if let Some(end) = self.read(filled, true, &mut source, part, turn) {
            let end = end.looked_for(input.path());
            part.report.ended(&name, end, self.parser.offset(), &mut *part.findings);
        }
        self.parser.offset()
    }

    /// Reads to the end of the source, of which some bytes are in the buffer; `None` if nothing more is wanted.
    fn read(
        &mut self,
        mut filled: Filled,
        counts: bool,
        source: &mut dyn Read,
        part: &mut Part<F>,
        turn: &Turn<'_, Part<F>>,
    ) -> Option<End> {
        // The offset of the first byte in the buffer.
        let mut start = 0;
        loop {
            let bytes = &self.buffer[..filled.len];
            match feed(&mut self.parser, bytes, part, turn) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(End::from(error).seen_in(bytes, start)),
            }
            if counts {
                self.crew.progress.advance(filled.len);
            }
            match filled.end {
                // Somebody may be waiting for the findings so far, or have enough.
                Filling::Full | Filling::Paused => {
                    if !turn.fold(part.take()) {
                        return None;
                    }
                }
                Filling::Ended => {
                    return Some(match self.parser.finish(&mut *part.findings) {
                        Ok(_) => End::Complete,
                        Err(error) => End::from(error).seen_in(bytes, start),
                    });
                }
                Filling::Failed(error) => return Some(cut_off(&mut self.parser, error, part)),
            }
            if interrupt::is_asked() {
                return Some(End::Interrupted);
            }
            start += filled.len as u64;
            filled = match self.fill(source, false) {
                Ok(filled) => filled,
                Err(error) => return Some(cut_off(&mut self.parser, error, part)),
            };
        }
    }

    /// Fills the buffer from the source. At the beginning of the source it must read enough to recognise the format.
    /// The error is one before the first byte.
    fn fill(&mut self, source: &mut dyn Read, is_beginning: bool) -> io::Result<Filled> {
        let mut len = 0;
        while len < self.buffer.len() {
            match source.read(&mut self.buffer[len..]) {
                Ok(0) => return Ok(Filled { len, end: Filling::Ended }),
                Ok(more) => len += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if len > 0 && !(is_beginning && Format::needs_more(&self.buffer[..len])) {
                        return Ok(Filled { len, end: Filling::Paused });
                    }
                }
                Err(error) if len == 0 => return Err(error),
                Err(error) => return Ok(Filled { len, end: Filling::Failed(error) }),
            }
        }
        Ok(Filled { len, end: Filling::Full })
    }
}

/// The source has failed: the game in progress counts as ended there.
pub(crate) fn cut_off<F: Findings>(parser: &mut Parser, error: io::Error, part: &mut Part<F>) -> End {
    if !interrupt::is_asked() {
        // A fault at the end of the game is due to the failure, which is reported.
        let _ = parser.finish(&mut *part.findings);
    }
    End::failed(error)
}

/// If the buffer is too small to recognise an archive, reads the bytes after it.
fn more_head(filled: &Filled, source: &mut Pausing) -> io::Result<Vec<u8>> {
    let mut more = Vec::new();
    while matches!(filled.end, Filling::Full) && filled.len + more.len() < HEAD_LEN {
        match source.take((HEAD_LEN - filled.len - more.len()) as u64).read_to_end(&mut more) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Ok(0) => break,
            result => drop(result?),
        }
    }
    Ok(more)
}

/// Reads the members of an archive on this thread.
struct Unpacking<'a, 'w, 't, 'f, F> {
    worker: &'a mut Worker<'w, F>,
    part: &'a mut Part<F>,
    turn: &'t Turn<'f, Part<F>>,
    /// How long the names are of all that came since something was handed on.
    names_len: usize,
}

impl<F: Findings> Visit for Unpacking<'_, '_, '_, '_, F> {
    fn member(&mut self, member: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        let filled = match self.worker.fill(bytes, false) {
            Ok(filled) => filled,
            Err(error) => {
                self.part.report.cannot_read(member, &error);
                return self.flow(member);
            }
        };
        self.worker.crew.progress.begin(member.as_str());
        self.part.findings.begin_member(member);
        self.worker.parser.reset();
        let Some(end) = self.worker.read(filled, false, bytes, self.part, self.turn) else {
            return ControlFlow::Break(());
        };
        let len = self.worker.parser.offset();
        self.part.report.ended(member, end, len, &mut *self.part.findings);
        self.flow(member)
    }

    /// Only the thread whose turn it is may take more than a little memory.
    fn heavy(&mut self) -> ControlFlow<()> {
        if self.turn.fold(self.part.take()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
        self.part.report.trouble(name, &trouble);
        self.flow(name)
    }
}

impl<F: Findings> Unpacking<'_, '_, '_, '_, F> {
    /// Decides whether to go on; hands on what there is, because millions of members may have something to report.
    fn flow(&mut self, name: &Name) -> ControlFlow<()> {
        if interrupt::is_asked() {
            if self.part.report.outcome != Outcome::Interrupted {
                self.part.report.interrupted(name.input(), None);
            }
            return ControlFlow::Break(());
        }
        self.names_len += name.as_str().len();
        let is_little = self.part.report.messages.len() < MESSAGES && self.names_len < NAMES;
        if is_little && !self.worker.crew.one_by_one {
            return ControlFlow::Continue(());
        }
        self.names_len = 0;
        if self.turn.fold(self.part.take()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
