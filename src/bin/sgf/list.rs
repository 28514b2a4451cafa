//! `sgf list`: a row for each game. `sgf find` is the same with conditions.
//!
//! Owns the way of a game from its header to a row, or to nothing.

use std::collections::HashSet;
use std::io::{self, BufWriter, IsTerminal, StdoutLock};
use std::ops::ControlFlow;

use sgf_stream::archive::Name;
use sgf_stream::record::{Column, Filter, GameRecord, Recorder, Records, Row};

use crate::args::{InputArgs, TableArgs};
use crate::columns;
use crate::copy::Copy;
use crate::progress::Progress;
use crate::rows::{Format, Rows};
use crate::session::{Outcome, Session, Sink};

/// Standard output, written to in large pieces.
pub(crate) type Out = BufWriter<StdoutLock<'static>>;

/// What becomes of a game that is listed.
pub(crate) enum Output {
    Row(Rows<Out>),
    /// Its bytes.
    Game(Copy<Out>),
    /// Nothing: it is counted.
    Count,
}

impl Output {
    /// Rows as the command line wants them.
    pub(crate) fn rows(args: &TableArgs) -> io::Result<Self> {
        let out = io::stdout().lock();
        let is_seen = out.is_terminal();
        let format = args.format.unwrap_or(if is_seen { Format::Table } else { Format::Csv });
        Rows::new(format, chosen(args, format), is_seen, buffered(out)).map(Self::Row)
    }

    pub(crate) fn games() -> Self {
        Self::Game(Copy::new(buffered(io::stdout().lock())))
    }
}

fn buffered(out: StdoutLock<'static>) -> Out {
    BufWriter::with_capacity(64 << 10, out)
}

fn chosen(args: &TableArgs, format: Format) -> Vec<Column> {
    match format {
        _ if !args.columns.is_empty() => args.columns.clone(),
        Format::Table => columns::few(),
        _ => columns::header(),
    }
}

/// Which games are listed.
#[derive(Default)]
pub(crate) struct Choice {
    pub(crate) filter: Filter,
    pub(crate) limit: Option<u64>,
    pub(crate) unique: bool,
}

/// Lists games, and tells how many.
pub(crate) fn run(inputs: &InputArgs, choice: Choice, output: Output) -> io::Result<(Outcome, u64)> {
    let progress = Progress::beside(&io::stdout(), inputs);
    let mut wants = choice.filter.wants();
    if let Output::Row(rows) = &output {
        wants = rows.columns().iter().fold(wants, |wants, column| wants | column.wants());
    }
    if choice.unique {
        wants = wants | Column::MainLine.wants();
    }
    let listing = Listing {
        choice,
        output,
        seen: HashSet::default(),
        file: String::new(),
        member: None,
        game: 0,
        before: 0,
        found: 0,
    };
    let mut recorder = Recorder::new(wants, listing);
    let outcome = Session::new(inputs.config(), progress.clone()).run(inputs, &mut recorder)?;
    let mut listing = recorder.into_records();
    listing.flush()?;
    progress.conclude(outcome);
    Ok((outcome, listing.found))
}

/// Takes the rows.
struct Listing {
    choice: Choice,
    output: Output,
    /// What tells the games apart that were listed: eight bytes for each.
    seen: HashSet<u64>,
    file: String,
    /// The member of an archive.
    member: Option<String>,
    /// The number of the game, and of those in the inputs before.
    game: u64,
    before: u64,
    found: u64,
}

impl Listing {
    fn is_full(&self) -> bool {
        self.choice.limit == Some(self.found)
    }

    /// False for a game that was listed before.
    fn is_new(&mut self, record: &GameRecord) -> bool {
        record.identity().is_none_or(|identity| self.seen.insert(identity))
    }

    fn write(&mut self, record: &GameRecord) -> io::Result<()> {
        let row = Row { file: &self.file, member: self.member.as_deref(), game: self.game, record };
        match &mut self.output {
            Output::Row(rows) => rows.write(&row),
            Output::Game(copy) => copy.write(record.offset(), record.len()),
            Output::Count => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.output {
            Output::Row(rows) => rows.flush(),
            Output::Game(copy) => copy.flush(),
            Output::Count => Ok(()),
        }
    }
}

impl Records for Listing {
    type Break = io::Error;

    fn header(&mut self, record: &GameRecord) -> ControlFlow<io::Error, bool> {
        self.game += 1;
        let row = Row { file: &self.file, member: self.member.as_deref(), game: self.game, record };
        ControlFlow::Continue(self.choice.filter.may_pass(&row))
    }

    fn record(&mut self, record: &GameRecord) -> ControlFlow<io::Error> {
        let row = Row { file: &self.file, member: self.member.as_deref(), game: self.game, record };
        if !self.choice.filter.passes(&row) || self.choice.unique && !self.is_new(record) {
            return ControlFlow::Continue(());
        }
        if let Err(error) = self.write(record) {
            return ControlFlow::Break(error);
        }
        self.found += 1;
        if self.is_full() {
            return ControlFlow::Break(io::Error::other("no more games are wanted"));
        }
        ControlFlow::Continue(())
    }
}

impl Sink for Recorder<Listing> {
    fn begin(&mut self, name: &str) {
        let listing = self.records_mut();
        name.clone_into(&mut listing.file);
        listing.member = None;
        listing.before += listing.game;
        listing.game = 0;
        if let Output::Game(copy) = &mut listing.output {
            copy.begin();
        }
    }

    fn begin_member(&mut self, name: &Name) {
        self.begin(name.input());
        self.records_mut().member = name.member().map(str::to_owned);
    }

    fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let wanted = self.in_progress();
        match &mut self.records_mut().output {
            Output::Game(copy) => copy.chunk(bytes, wanted),
            _ => Ok(()),
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        // Somebody may be waiting for what a pipe brings.
        let listing = self.records_mut();
        if listing.file == "-" { listing.flush() } else { Ok(()) }
    }

    fn is_done(&self) -> bool {
        self.records().is_full()
    }

    fn end(&mut self, _bytes: u64) {}

    fn games(&self) -> u64 {
        let listing = self.records();
        listing.before + listing.game
    }
}
