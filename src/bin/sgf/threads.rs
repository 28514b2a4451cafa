//! `sgf scan` on several threads.
//!
//! Owns what a thread takes at once, some files of a directory or list, and how it reads them. What comes out is, byte for
//! byte, what one thread arrives at. A file that is worth more than one thread is for `large`.
//!
//! Nobody asks for a file's length before it is read: on a small file that costs as much as opening it.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;

use sgf_stream::archive::{HEAD_LEN, Name, Opener, Trouble, Visit};
use sgf_stream::{Config, Error, NextJob, Parser, Turn, in_order};

use crate::args::InputArgs;
use crate::input::{Input, Inputs, Item, Source};
use crate::interrupt;
use crate::large;
use crate::members;
use crate::progress::Progress;
use crate::scan::Scan;
use crate::session::{End, Outcome, Report, Sink};

/// Files that a thread takes at once, at most: enough to make little of what taking them costs.
const FILES: u64 = 64;

/// Bytes that are read before what was counted is looked at for being full.
const PIECE: usize = 32 << 10;

/// Messages that are kept until they are printed.
const MESSAGES: usize = 100;

/// What the threads have in common.
pub(crate) struct Crew {
    /// With the one that has taken the input.
    pub(crate) threads: usize,
    /// Bytes that are read at once.
    pub(crate) block_len: usize,
    pub(crate) config: Config,
    pub(crate) progress: Progress,
    pub(crate) opener: Opener,
}

impl Crew {
    /// More threads only cost memory. Where there are enough cores, the one that hands out blocks or files keeps fewer busy.
    pub(crate) const MOST: usize = 32;

    /// The blocks for each thread that make an input large.
    const BLOCKS: u64 = 4;

    /// Bytes of an archive that one thread unpacks while the others do something else: each may take the memory that this
    /// takes.
    const ARCHIVE: u64 = 8 << 20;

    /// True where the input is worth all threads, or may be: how long a pipe is, nobody knows.
    fn is_large(&self, source: &Source) -> bool {
        source.file_len().is_none_or(|len| len / self.block_len as u64 >= Self::BLOCKS * self.threads as u64)
    }
}

/// Reads all inputs and counts what is in them.
pub(crate) fn scan(args: &InputArgs, crew: &Crew, total: &mut Scan) -> Outcome {
    let mut inputs = Inputs::new(args, &crew.opener);
    let mut outcome = Outcome::Fine;
    let mut interrupted = false;
    in_order(
        crew.threads,
        || Worker::new(crew),
        |worker| {
            // What was taken is read to its end, so that all is counted up to some place and nothing behind it.
            interrupted = interrupt::is_asked();
            if interrupted { NextJob::End } else { worker.take(&mut inputs) }
        },
        Worker::work,
        |mut part: Part| {
            crew.progress.account().add_games(part.scan.games());
            total.merge(*part.scan);
            crew.progress.report(&mut part.report);
            outcome = outcome.max(part.report.outcome);
            if outcome == Outcome::Interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    crew.progress.finish();
    if interrupted { Outcome::Interrupted } else { outcome }
}

/// A part of the result.
pub(crate) struct Part {
    pub(crate) scan: Box<Scan>,
    pub(crate) report: Report,
}

impl Part {
    pub(crate) fn new() -> Self {
        Self { scan: Box::new(Scan::part()), report: Report::new() }
    }

    /// What there is so far; it goes on from nothing, at the same place of the same input.
    fn take(&mut self) -> Self {
        Self { scan: Box::new(self.scan.take()), report: std::mem::replace(&mut self.report, Report::new()) }
    }
}

/// Reads bytes, and hands on what was counted where it is too much to keep.
pub(crate) fn feed(
    parser: &mut Parser,
    bytes: &[u8],
    scan: &mut Scan,
    hand_on: &mut dyn FnMut(Scan),
) -> Result<(), Error> {
    for piece in bytes.chunks(PIECE) {
        scan.announce(piece);
        // Counting has no output that could fail.
        let _ = parser.feed(piece, scan)?;
        if scan.is_full() {
            hand_on(scan.take());
        }
    }
    Ok(())
}

/// A thread's own.
struct Worker<'a> {
    crew: &'a Crew,
    parser: Parser,
    buffer: Box<[u8]>,
    items: Vec<Item>,
    /// Bytes in the files taken last, on average.
    average: u64,
}

/// Bytes from a source, in the buffer.
struct Filled {
    len: usize,
    end: Filling,
}

/// Why there are not more of them.
pub(crate) enum Filling {
    /// The buffer is full.
    Full,
    Ended,
    Failed(io::Error),
}

impl<'a> Worker<'a> {
    fn new(crew: &'a Crew) -> Self {
        Self {
            crew,
            parser: Parser::with_config(crew.config.clone()),
            buffer: vec![0; crew.block_len].into_boxed_slice(),
            items: Vec::new(),
            average: 16 << 10,
        }
    }

    /// Takes about a buffer full of files, if they are like the last ones.
    fn take(&mut self, inputs: &mut Inputs) -> NextJob<Part> {
        let count = (self.crew.block_len as u64 / self.average.max(1)).clamp(1, FILES);
        self.items.extend(inputs.take(count as usize));
        if self.items.is_empty() { NextJob::End } else { NextJob::Work }
    }

    fn work(&mut self, turn: &Turn<'_, Part>) -> Part {
        let mut part = Part::new();
        let items = std::mem::take(&mut self.items);
        let count = items.len() as u64;
        let mut bytes = 0;
        for item in items {
            match item {
                Item::Input(input) => bytes += self.input(&input, &mut part, turn),
                other => part.report.item(other),
            }
        }
        self.average = bytes / count;
        part
    }

    /// Reads an input and returns its length.
    fn input(&mut self, input: &Input, part: &mut Part, turn: &Turn<'_, Part>) -> u64 {
        let name = input.name();
        if !matches!(input, Input::File(_)) {
            // It may be named twice, and whoever reads it first has it all.
            turn.fold(part.take());
        }
        let first = input.open().and_then(|mut source| Ok((self.fill(&mut source)?, source)));
        let (filled, mut source) = match first {
            Ok(first) => first,
            Err(error) => {
                part.report.cannot_read(&name, &error);
                return 0;
            }
        };
        self.crew.progress.begin(&name);
        let more = match more_head(&filled, &mut source) {
            Ok(more) => more,
            Err(error) => {
                part.report.cannot_read(&name, &error);
                return 0;
            }
        };
        let mut head = Cow::Borrowed(&self.buffer[..filled.len]);
        if !more.is_empty() {
            head.to_mut().extend_from_slice(&more);
        }
        if input.is_packed(&head) {
            let is_short = !self.crew.is_large(&source) && source.file_len().is_some_and(|len| len <= Crew::ARCHIVE);
            let source = source.into_archive(input, &head);
            if is_short {
                let _ = self.crew.opener.visit(&name, source, &mut Unpacking { worker: self, part, turn });
            } else {
                turn.fold(part.take());
                members::scan(self.crew, &name, self.crew.opener.members(&name, source), turn);
            }
            return filled.len as u64;
        }
        if matches!(filled.end, Filling::Full) && self.crew.is_large(&source) {
            turn.fold(part.take());
            large::scan(
                self.crew,
                &name,
                input.path(),
                self.buffer.chain(io::Cursor::new(more)).chain(source),
                true,
                turn,
            );
            return self.buffer.len() as u64;
        }
        part.scan.begin(&name);
        self.parser.reset();
        let mut source = io::Cursor::new(more).chain(source);
        let end = self.read(filled, true, &mut source, part, turn);
        let len = self.parser.position().offset;
        part.report.ended(&name, end, len, &mut *part.scan);
        len
    }

    fn read(
        &mut self,
        mut filled: Filled,
        counts: bool,
        source: &mut dyn Read,
        part: &mut Part,
        turn: &Turn<'_, Part>,
    ) -> End {
        // Where the bytes in the buffer begin.
        let mut start = 0;
        loop {
            let bytes = &self.buffer[..filled.len];
            let fed = feed(&mut self.parser, bytes, &mut part.scan, &mut |scan| {
                turn.fold(Part { scan: Box::new(scan), report: std::mem::replace(&mut part.report, Report::new()) });
            });
            if let Err(error) = fed {
                return End::from(error).seen_in(bytes, start);
            }
            if counts {
                self.crew.progress.advance(filled.len);
            }
            match filled.end {
                Filling::Full => {}
                Filling::Ended => {
                    return match self.parser.finish(&mut *part.scan) {
                        Ok(_) => End::Complete,
                        Err(error) => End::from(error).seen_in(bytes, start),
                    };
                }
                Filling::Failed(error) => return End::failed(error),
            }
            start += filled.len as u64;
            filled = match self.fill(source) {
                Ok(filled) => filled,
                Err(error) => return End::failed(error),
            };
        }
    }

    /// Fills the buffer from the source. An error is one before the first byte.
    fn fill(&mut self, source: &mut dyn Read) -> io::Result<Filled> {
        let mut len = 0;
        while len < self.buffer.len() {
            match source.read(&mut self.buffer[len..]) {
                Ok(0) => return Ok(Filled { len, end: Filling::Ended }),
                Ok(more) => len += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if len == 0 => return Err(error),
                Err(error) => return Ok(Filled { len, end: Filling::Failed(error) }),
            }
        }
        Ok(Filled { len, end: Filling::Full })
    }
}

/// Where a buffer is too small to tell an archive, what there is to read behind it.
fn more_head(filled: &Filled, source: &mut Source) -> io::Result<Vec<u8>> {
    let mut more = Vec::new();
    if filled.len < HEAD_LEN && matches!(filled.end, Filling::Full) {
        source.take((HEAD_LEN - filled.len) as u64).read_to_end(&mut more)?;
    }
    Ok(more)
}

/// Reads the members of an archive on this thread.
struct Unpacking<'a, 'w, 't, 'f> {
    worker: &'a mut Worker<'w>,
    part: &'a mut Part,
    turn: &'t Turn<'f, Part>,
}

impl Visit for Unpacking<'_, '_, '_, '_> {
    fn member(&mut self, member: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        let name = member.as_str();
        let filled = match self.worker.fill(bytes) {
            Ok(filled) => filled,
            Err(error) => {
                self.part.report.cannot_read(name, &error);
                return ControlFlow::Continue(());
            }
        };
        self.worker.crew.progress.begin(name);
        self.part.scan.begin(name);
        self.worker.parser.reset();
        let end = self.worker.read(filled, false, bytes, self.part, self.turn);
        let len = self.worker.parser.position().offset;
        self.part.report.ended(name, end, len, &mut *self.part.scan);
        self.flow(member)
    }

    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
        self.part.report.trouble(name, &trouble);
        self.flow(name)
    }
}

impl Unpacking<'_, '_, '_, '_> {
    /// There may be millions of members with something to say.
    fn flow(&mut self, name: &Name) -> ControlFlow<()> {
        if interrupt::is_asked() {
            if self.part.report.outcome != Outcome::Interrupted {
                self.part.report.interrupted(name.input(), None);
            }
            return ControlFlow::Break(());
        }
        if self.part.report.messages.len() < MESSAGES || self.turn.fold(self.part.take()) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
