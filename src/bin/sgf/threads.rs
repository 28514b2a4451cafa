//! `sgf scan` on several threads.
//!
//! Owns what a thread takes at once: some small files, or a block of a large one. What comes out is, byte for byte, what
//! one thread arrives at.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sgf_stream::{Block, Blocks, Config, Error, NextJob, Parser, Turn, in_order};

use crate::args::InputArgs;
use crate::input::{Input, Inputs, Item, Source};
use crate::progress::Progress;
use crate::scan::Scan;
use crate::session::{End, Outcome, Report, Session, Sink};
use crate::stderr::reason;

/// Small files that a thread takes at once: enough to make little of what taking them costs.
const FILES: usize = 64;

/// Bytes that are read before a part is looked at for being full.
const PIECE: usize = 256 << 10;

/// Reads all inputs and counts what is in them.
pub(crate) fn scan(
    args: &InputArgs,
    threads: usize,
    block_len: usize,
    progress: &Progress,
    total: &mut Scan,
) -> Outcome {
    let config = Config::new().strict(args.strict);
    let mut feed = Feed { inputs: Inputs::new(args), waiting: None, large: None, config: config.clone(), block_len };
    let mut outcome = Outcome::Fine;
    let mut stopped: Option<Arc<Shared>> = None;
    in_order(
        threads,
        || Worker {
            session: Session::new(args.strict, progress.clone()),
            parser: Parser::with_config(config.clone()),
            progress: progress.clone(),
            block: Block::default(),
            task: Task::Files(Vec::new()),
        },
        |worker| feed.next(worker),
        Worker::work,
        |part| {
            let is_stopped = part.of.as_ref().zip(stopped.as_ref()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
            if !is_stopped {
                total.merge(*part.scan);
                part.report.print(progress);
                outcome = outcome.max(part.report.outcome);
                if part.stops {
                    stopped = part.of;
                }
            }
            ControlFlow::Continue(())
        },
    );
    progress.finish();
    outcome
}

/// A part of the result.
struct Part {
    /// The large input that it belongs to.
    of: Option<Arc<Shared>>,
    scan: Box<Scan>,
    report: Report,
    /// What comes later of that input does not count.
    stops: bool,
}

/// What all who read blocks of a large input know of it.
struct Shared {
    name: String,
    /// The first block known to have a problem, under `--strict`.
    stop: AtomicU64,
}

impl Shared {
    fn part(self: &Arc<Self>, scan: Scan) -> Part {
        Part { of: Some(Arc::clone(self)), scan: Box::new(scan), report: Report::new(), stops: false }
    }

    /// Counting begins with this input.
    fn scan(&self) -> Scan {
        let mut scan = Scan::part();
        scan.begin(&self.name);
        scan
    }

    /// The last part of the input.
    fn end(self: &Arc<Self>, mut scan: Scan, end: &End, bytes: u64) -> Part {
        let mut report = Report::new();
        report.ended(&self.name, end, bytes, &mut scan);
        Part { report, stops: true, ..self.part(scan) }
    }
}

/// A thread's own.
struct Worker {
    session: Session,
    parser: Parser,
    progress: Progress,
    block: Block,
    task: Task,
}

/// A small file of that length, or something to be said in its place.
struct File {
    item: Item,
    len: u64,
}

enum Task {
    Files(Vec<File>),
    Block { of: Arc<Shared>, number: u64 },
}

impl Worker {
    fn work(&mut self, turn: &Turn<'_, Part>) -> Part {
        match std::mem::replace(&mut self.task, Task::Files(Vec::new())) {
            Task::Files(files) => self.files(files, turn),
            Task::Block { of, number } => self.block(&of, number, turn),
        }
    }

    fn files(&mut self, files: Vec<File>, turn: &Turn<'_, Part>) -> Part {
        let mut scan = Scan::part();
        let mut report = Report::new();
        for File { item, len } in files {
            // Counting has no output that could fail.
            let _ = self.session.item(item, len, &mut scan, &mut report);
            if scan.is_full() {
                let report = std::mem::replace(&mut report, Report::new());
                turn.fold(Part { of: None, scan: Box::new(scan.take()), report, stops: false });
            }
        }
        Part { of: None, scan: Box::new(scan), report, stops: false }
    }

    fn block(&mut self, of: &Arc<Shared>, number: u64, turn: &Turn<'_, Part>) -> Part {
        let mut scan = of.scan();
        if of.stop.load(Ordering::Relaxed) < number {
            return of.part(scan);
        }
        self.block.begin(&mut self.parser);
        for piece in self.block.bytes().chunks(PIECE) {
            if let Err(error) = self.parser.feed(piece, &mut scan) {
                of.stop.fetch_min(number, Ordering::Relaxed);
                return of.end(scan, &stop(error), 0);
            }
            if scan.is_full() {
                turn.fold(of.part(scan.take()));
            }
        }
        if let Err(error) = self.block.end(&mut self.parser, &mut scan) {
            of.stop.fetch_min(number, Ordering::Relaxed);
            return of.end(scan, &stop(error), 0);
        }
        self.progress.advance(self.block.bytes().len());
        of.part(scan)
    }
}

/// A parser has no other errors than that of strict reading.
fn stop(error: Error) -> End {
    match error {
        Error::Strict(problem) => End::Strict(problem),
        error => End::Failed(io::Error::other(error)),
    }
}

/// Hands out the tasks.
struct Feed {
    inputs: Inputs,
    /// A large input that comes after the task just handed out.
    waiting: Option<Input>,
    large: Option<Large>,
    config: Config,
    block_len: usize,
}

/// A large input that is being read.
struct Large {
    shared: Arc<Shared>,
    blocks: Blocks<Source>,
    /// The number of the next block.
    number: u64,
    bytes: u64,
    /// The game that is longer than a block, and what was counted of it.
    game: Option<(Parser, Scan)>,
}

impl Feed {
    fn next(&mut self, worker: &mut Worker) -> NextJob<Part> {
        loop {
            if let Some(large) = &mut self.large {
                if large.shared.stop.load(Ordering::Relaxed) == u64::MAX {
                    let next = large.next(worker, &self.config);
                    if !matches!(&next, NextJob::Done(part) if part.stops) {
                        return next;
                    }
                    self.large = None;
                    return next;
                }
                self.large = None;
            }
            if let Some(input) = self.waiting.take() {
                match Large::open(&input, &self.config, self.block_len) {
                    Ok(large) => self.large = Some(large),
                    Err(error) => return NextJob::Done(failed(&input.name(), &error)),
                }
                continue;
            }
            let files = self.files();
            if !files.is_empty() {
                worker.task = Task::Files(files);
                return NextJob::Work;
            }
            if self.waiting.is_none() {
                return NextJob::End;
            }
        }
    }

    /// The small files up to the next large one.
    fn files(&mut self) -> Vec<File> {
        let mut files = Vec::new();
        let mut room = self.block_len as u64;
        while files.len() < FILES && room > 0 {
            match self.inputs.next() {
                Some(Item::Input(input)) => {
                    let Some(len) = input.small_len(self.block_len as u64) else {
                        self.waiting = Some(input);
                        break;
                    };
                    room = room.saturating_sub(len);
                    files.push(File { item: Item::Input(input), len });
                }
                Some(item) => files.push(File { item, len: 0 }),
                None => break,
            }
        }
        files
    }
}

fn failed(name: &str, error: &io::Error) -> Part {
    let mut report = Report::new();
    report.failed(name, &reason(error));
    Part { of: None, scan: Box::new(Scan::part()), report, stops: true }
}

impl Large {
    fn open(input: &Input, config: &Config, block_len: usize) -> io::Result<Self> {
        Ok(Self {
            shared: Arc::new(Shared { name: input.name().into_owned(), stop: AtomicU64::new(u64::MAX) }),
            blocks: Blocks::new(input.open()?, config.clone()).block_len(block_len).inside_games(true),
            number: 0,
            bytes: 0,
            game: None,
        })
    }

    fn next(&mut self, worker: &mut Worker, config: &Config) -> NextJob<Part> {
        let block = &mut worker.block;
        let first = self.bytes == 0;
        match self.blocks.next_into(block) {
            Ok(true) => {
                self.bytes += block.bytes().len() as u64;
                if !block.is_whole() {
                    return NextJob::Done(self.game(worker, config));
                }
                worker.task = Task::Block { of: Arc::clone(&self.shared), number: self.number };
                self.number += 1;
                NextJob::Work
            }
            Ok(false) => NextJob::Done(self.end(&End::Complete)),
            // What gives nothing at all was not an input.
            Err(error) if first => NextJob::Done(failed(&self.shared.name, &error)),
            Err(error) => NextJob::Done(self.end(&End::Failed(error))),
        }
    }

    /// The last part, in which a game may be that the source failed in.
    fn end(&mut self, end: &End) -> Part {
        let scan = self.game.take().map_or_else(|| self.shared.scan(), |(_, scan)| scan);
        self.shared.end(scan, end, self.bytes)
    }

    /// Reads a block of a game that is longer than that. The blocks must be read in order, so this is done at once.
    fn game(&mut self, worker: &Worker, config: &Config) -> Part {
        let block = &worker.block;
        let (mut parser, mut scan) =
            self.game.take().unwrap_or_else(|| (Parser::with_config(config.clone()), self.shared.scan()));
        if let Err(error) = block.read(&mut parser, &mut scan) {
            return self.shared.end(scan, &stop(error), 0);
        }
        worker.progress.advance(block.bytes().len());
        if block.ends() {
            return self.shared.part(scan);
        }
        let counted = scan.take();
        self.game = Some((parser, scan));
        self.shared.part(counted)
    }
}
