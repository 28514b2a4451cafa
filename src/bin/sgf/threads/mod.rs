//! Reading on several threads.
//!
//! Owns how much a thread takes at a time, which is some files of a directory or list, and when it hands on what it has found.
//! The output is, byte for byte, that of one thread. A file that is large enough for several threads is for `large`,
//! an archive's members for `members`; `found` is for findings that are games. Refuses to know what the files are read for.
//!
//! A file's length is not queried before it is read: for a small file that costs as much as opening it.

pub(crate) mod found;
mod large;
mod members;

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use clap::Args as Group;
use sgf_stream::archive::{Name, Opener};
use sgf_stream::read::{NextJob, Turn, in_order};
use sgf_stream::{Blocks, Config, Error, ParallelReader, Parser, Partial};

use crate::args::{InputArgs, counted};
use crate::input::inputs::{Inputs, Item};
use crate::input::{Input, Pausing};
use crate::interrupt;
use crate::progress::Progress;
use crate::session::reader::{Filled, Filling, Outlet, Reader, Unpacking};
use crate::session::whereabouts::Machine;
use crate::session::{End, Flow, Outcome, Report, Sink};
use crate::threads::large::Large;

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
    /// The most threads; more would only cost memory. `scan` takes 40 MB with this many if blocks do not grow, and up to
    /// 134 if they grow in search of a game's end. With enough cores, the thread that hands out blocks or files
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

    /// For an input that is large enough for all threads, blocks are longer if so many bytes are enough for one of each thread.
    const SHARED_LEN: usize = 0;

    /// The same of blocks that have grown in search of a game's end, which may have three times the usual length in any case.
    const SHARED_MAX_LEN: usize = 0;

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
    /// How long blocks may be if the input is long, and if they have grown in search of a game's end.
    long_block_len: usize,
    max_block_len: usize,
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

    /// How many blocks there are for each thread, at least, if they are longer than usual.
    const SHARES: u64 = 8;

    /// One thread unpacks an archive up to this length, while the others do something else: each of them may take the
    /// memory that this takes.
    const ARCHIVE: u64 = 8 << 20;

    pub(crate) fn new(
        inputs: &InputArgs,
        threads: ThreadArgs,
        progress: &Progress,
        make: &'a (dyn Fn() -> F + Sync),
    ) -> Self {
        let asked_len = threads.block_len.map(NonZeroUsize::get);
        let threads = threads.count();
        let block_len = asked_len.unwrap_or(F::BLOCK_LEN);
        let most = |shared: usize| if asked_len.is_some() { 0 } else { shared / threads };
        Self {
            threads,
            block_len,
            long_block_len: most(F::SHARED_LEN).max(block_len),
            max_block_len: most(F::SHARED_MAX_LEN).max(block_len.saturating_mul(3)),
            config: inputs.config(),
            is_strict: inputs.strict,
            progress: progress.clone(),
            opener: inputs.counting_opener(progress),
            one_by_one: false,
            make,
        }
    }

    /// Reads an input of this length, if it is known, on all threads.
    ///
    /// Long blocks save work where two meet, above all where games are long, but a short input must be enough for all
    /// threads, and what comes through a pipe should not have to wait for a long block.
    fn reader(&self, len: Option<u64>) -> ParallelReader {
        let share = len.map_or(0, |len| len / (Self::SHARES * self.threads as u64));
        let share = usize::try_from(share).unwrap_or(usize::MAX);
        let block_len = share.min(self.long_block_len).max(self.block_len);
        ParallelReader::new()
            .config(self.config.clone())
            .threads(self.threads)
            .block_len(block_len)
            .max_block_len(self.max_block_len)
    }

    /// Whether the input is large enough for all threads, or may be: the length of a pipe is not known.
    fn is_large(&self, source: &Pausing) -> bool {
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

/// What one thread finds goes into a part, which is handed on in its turn.
pub(crate) struct InTurn<'a, F> {
    pub(crate) part: Part<F>,
    turn: &'a Turn<'a, Part<F>>,
    /// Each member is handed on separately.
    one_by_one: bool,
    /// How long the names are of all members that came since something was handed on.
    names_len: usize,
}

impl<'a, F: Findings> InTurn<'a, F> {
    pub(crate) fn new(crew: &Crew<'_, F>, turn: &'a Turn<'a, Part<F>>) -> Self {
        Self { part: Part::of((crew.make)()), turn, one_by_one: crew.one_by_one, names_len: 0 }
    }
}

impl<F: Findings> Outlet for InTurn<'_, F> {
    type Sink = F;

    fn sink(&mut self) -> &mut F {
        &mut self.part.findings
    }

    fn report(&mut self) -> &mut Report {
        &mut self.part.report
    }

    /// Hands on the findings when there are too many to keep. Any output that could fail belongs to the thread that folds.
    fn feed(&mut self, machine: &mut impl Machine, bytes: &[u8]) -> Result<Flow, Error> {
        if bytes.is_empty() {
            return machine.finish(&mut *self.part.findings);
        }
        for piece in bytes.chunks(F::CHUNK_LEN) {
            Partial::chunk(&mut *self.part.findings, piece, machine.candidate());
            let _ = machine.feed(piece, &mut *self.part.findings)?;
            if self.part.findings.is_full() && self.pause().is_break() {
                return Ok(ControlFlow::Break(Ok(())));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Somebody may be waiting for the findings so far, or have enough.
    fn pause(&mut self) -> Flow {
        if self.turn.fold(self.part.take()) { ControlFlow::Continue(()) } else { ControlFlow::Break(Ok(())) }
    }

    fn ended(&mut self, name: &Name, end: End, bytes: u64) -> Flow {
        self.part.report.ended(name, end, bytes, &mut *self.part.findings);
        ControlFlow::Continue(())
    }

    fn reported(&mut self, name: &Name) -> Flow {
        self.names_len += name.as_str().len();
        let is_little = self.part.report.messages.len() < MESSAGES && self.names_len < NAMES;
        if is_little && !self.one_by_one {
            return ControlFlow::Continue(());
        }
        self.names_len = 0;
        self.pause()
    }
}

/// The state of one thread.
struct Worker<'a, F> {
    crew: &'a Crew<'a, F>,
    reader: Reader<Parser>,
    items: Vec<Item>,
    /// The average length of the files taken last.
    average: u64,
}

impl<'a, F: Findings> Worker<'a, F> {
    fn new(crew: &'a Crew<'a, F>) -> Self {
        let parser = Parser::with_config(crew.config.clone());
        let reader = Reader::new(parser, crew.block_len, true, &crew.progress);
        Self { crew, reader, items: Vec::new(), average: 16 << 10 }
    }

    /// Takes files for about a full buffer, if they are like the last ones.
    fn take(&mut self, inputs: &mut Inputs) -> NextJob<Part<F>> {
        let most = if self.crew.one_by_one { 1 } else { FILES };
        let count = (self.crew.block_len as u64 / self.average.max(1)).clamp(1, most);
        self.items.extend(inputs.take(count as usize));
        if self.items.is_empty() { NextJob::End } else { NextJob::Work }
    }

    fn work(&mut self, turn: &Turn<'_, Part<F>>) -> Part<F> {
        let mut outlet = InTurn::new(self.crew, turn);
        let items = std::mem::take(&mut self.items);
        let count = items.len() as u64;
        let mut bytes = 0;
        for item in items {
            match item {
                Item::Input(input) => match self.input(&input, &mut outlet) {
                    Ok(len) => bytes += len,
                    Err(error) => outlet.part.error = Some(error),
                },
                other => outlet.part.report.item(other),
            }
            if outlet.part.error.is_some() || outlet.part.report.outcome == Outcome::Interrupted {
                break;
            }
        }
        self.average = bytes / count;
        outlet.part
    }

    /// Reads an input and returns its length.
    fn input(&mut self, input: &Input, outlet: &mut InTurn<'_, F>) -> io::Result<u64> {
        if input.path().is_none() {
            // It may be named twice, and its first reader gets all of it.
            let _ = outlet.pause();
        }
        if !outlet.part.findings.is_wanted(input, &mut outlet.part.report)? {
            return Ok(0);
        }
        let len = self.open(input, outlet);
        outlet.part.findings.done();
        Ok(len)
    }

    /// If nothing more is wanted, that shows when the next part is handed on.
    fn open(&mut self, input: &Input, outlet: &mut InTurn<'_, F>) -> u64 {
        let name = Name::new(input.name());
        let Some(first) = self.reader.open(input, &name, outlet.report()) else { return 0 };
        let Filled { len, end } = &first.filled;
        let len = *len as u64;
        // The length is not looked up for each of thousands of small files.
        let is_looked_up = first.is_packed || len >= self.crew.block_len as u64 || matches!(end, Filling::More);
        let is_large = is_looked_up && self.crew.is_large(&first.source);
        if first.is_packed {
            let is_short = !is_large && first.source.file_len().is_some_and(|len| len <= Crew::<F>::ARCHIVE);
            let source = self.reader.packed(input, first);
            if is_short {
                let flow = ControlFlow::Continue(());
                let mut unpacking = Unpacking { reader: &mut self.reader, outlet, flow };
                let _ = self.crew.opener.visit(name.as_str(), source, &mut unpacking);
            } else {
                let _ = outlet.pause();
                let members = self.crew.opener.members(name.as_str(), source);
                members::read(self.crew, name.as_str(), members, outlet.turn);
            }
            return len;
        }
        if is_large {
            outlet.part.findings.begin(name.as_str());
            let _ = outlet.pause();
            let file_len = first.source.file_len();
            let source = self.reader.start(&first.filled).chain(first.source.again());
            let large = Large { name: &name, path: input.path(), len: file_len, counts: true };
            large.read(self.crew, source, outlet.turn);
            return len;
        }
        let _ = self.reader.plain(input, &name, first, outlet);
        self.reader.machine.offset()
    }
}
