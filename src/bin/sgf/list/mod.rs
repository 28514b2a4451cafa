//! `sgf list`: a row for each game. `sgf find` is the same with conditions.
//!
//! Owns the way of a game from its header to a row, or to nothing. Which columns a row has and which conditions there are is in
//! `columns`, how it is written in `rows` and `table`. Refuses to know what is in a column: that is the library's knowledge.

pub(crate) mod columns;
pub(crate) mod find;
pub(crate) mod rows;
mod table;

use std::collections::HashSet;
use std::io::{self, BufWriter, IsTerminal, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use sgf_stream::archive::Name;
use sgf_stream::record::{Column, GameFilter, GameRecord, Row, Wants};

use crate::args::tips::needs_quotes;
use crate::args::{InputArgs, TableArgs};
use crate::copy::{Copy, Mixture};
use crate::input::{Input, of_member};
use crate::list::rows::{Form, Format, Rows};
use crate::progress::{Progress, Told};
use crate::session::{Flow, Outcome, Report, flow};
use crate::terminal::console::{Bytes, bytes};
use crate::terminal::stderr::reason;
use crate::threads::ThreadArgs;
use crate::threads::found::{self, Keep, Member, Take};

/// Standard output, written to in large pieces.
pub(crate) type Out = BufWriter<Bytes>;

/// How long nobody in front of a terminal waits for what was found. Until then rows are held back, so that a short table has
/// the widths of all its rows.
const SOON: Duration = Duration::from_millis(200);

/// What happens to a game that is listed.
pub(crate) struct Output {
    /// Makes rows, if they are wanted.
    form: Option<Form>,
    writer: Writer,
}

enum Writer {
    Row(Rows<Out>),
    /// The bytes of games.
    Game(Copy<Out>),
    /// Nothing: games are counted.
    Count,
}

impl Output {
    /// Rows as the command line wants them.
    pub(crate) fn rows(args: &TableArgs) -> io::Result<Self> {
        let is_seen = io::stdout().is_terminal();
        let otherwise = if is_seen { Format::Table } else { Format::Csv };
        let format = args.format.unwrap_or(if args.json { Format::Json } else { otherwise });
        let form = Form::new(format, chosen(args, format), is_seen);
        let rows = form.output(buffered(), !args.no_header)?;
        Ok(Self { form: Some(form), writer: Writer::Row(rows) })
    }

    pub(crate) fn games() -> Self {
        Self { form: None, writer: Writer::Game(Copy::new(buffered())) }
    }

    pub(crate) fn count() -> Self {
        Self { form: None, writer: Writer::Count }
    }
}

fn buffered() -> Out {
    BufWriter::with_capacity(64 << 10, bytes())
}

fn chosen(args: &TableArgs, format: Format) -> Vec<Column> {
    let mut columns = args.columns.clone();
    if format == Format::Json {
        // To some programs, an object that has a key twice is an error.
        let mut seen = HashSet::new();
        columns.retain(|column| seen.insert(*column));
    }
    match format {
        _ if !columns.is_empty() => columns,
        Format::Table => columns::few(),
        _ => columns::header(),
    }
}

/// Which games are listed.
#[derive(Default)]
pub(crate) struct Choice {
    pub(crate) filter: GameFilter,
    /// Conditions on the number of the game.
    pub(crate) number: GameFilter,
    pub(crate) limit: Option<u64>,
    pub(crate) unique: bool,
    /// A word that is no file may have been meant as a player's name.
    pub(crate) may_mean_player: bool,
}

/// Lists games, and counts them.
pub(crate) fn run(
    inputs: &InputArgs,
    threads: ThreadArgs,
    choice: Choice,
    output: Output,
) -> io::Result<(Outcome, u64)> {
    let Output { form, writer } = output;
    let is_seen = io::stdout().is_terminal();
    let progress = match writer {
        Writer::Count => Progress::new(inputs),
        _ => Progress::before(&io::stdout(), inputs),
    };
    let one_by_one = choice.limit.is_some();
    let is_source_wanted = matches!(writer, Writer::Game(_));
    let Choice { filter, unique, may_mean_player, .. } = choice;
    let chooser = Chooser { filter, form, unique, is_source_wanted, may_mean_player };
    let mut listing = Listing {
        progress: progress.clone(),
        number: choice.number,
        limit: choice.limit,
        writer,
        seen: HashSet::default(),
        is_awaited: false,
        is_seen,
        none: GameRecord::default(),
        found: 0,
        is_cut_off: false,
        file: Arc::from(""),
        member: None,
        mixture: Mixture::default(),
    };
    // What is wrong behind the last wanted game does not matter.
    let outcome = found::read(inputs, threads, one_by_one, &progress, &chooser, &mut listing)?;
    listing.finish()?;
    listing.mixture.finish(&progress);
    progress.conclude(outcome);
    Ok((outcome, listing.found))
}

/// Chooses games and makes rows of them, on all threads.
struct Chooser {
    filter: GameFilter,
    form: Option<Form>,
    unique: bool,
    is_source_wanted: bool,
    may_mean_player: bool,
}

/// What is known about a game besides its row.
struct Listed {
    /// The identity of the game, if no game is listed twice.
    identity: Option<u64>,
    offset: u64,
    len: u64,
}

impl Keep for Chooser {
    type Opening = ();
    type Game = Listed;

    fn wants(&self) -> Wants {
        let mut wants = self.filter.wants();
        if let Some(form) = &self.form {
            wants = form.columns().iter().fold(wants, |wants, column| wants | column.wants());
        }
        if self.unique { wants | Column::MainLine.wants() } else { wants }
    }

    fn open(&self, input: &Input, report: &mut Report) -> io::Result<Option<()>> {
        if self.may_mean_player
            && let Input::File(path) = input
            && let Some(word) = path.to_str().filter(|path| !path.contains(['.', '/', '\\']))
            && let Err(error) = path.metadata()
        {
            let word = if needs_quotes(word) { "NAME" } else { word };
            let text = format!("{} (to look for a player: --player {word})", reason(&error));
            report.failed(&Name::new(input.name()), &text);
            return Ok(None);
        }
        Ok(Some(()))
    }

    fn may_pass(&self, row: &Row<'_>) -> bool {
        self.filter.may_pass(row)
    }

    fn keep(&self, row: &Row<'_>, bytes: &mut Vec<u8>) -> Option<Listed> {
        if !self.filter.passes(row) {
            return None;
        }
        if let Some(form) = &self.form {
            form.push(row, bytes);
        }
        let identity = if self.unique { row.record.identity() } else { None };
        Some(Listed { identity, offset: row.record.offset(), len: row.record.len() })
    }

    fn is_source_wanted(&self) -> bool {
        self.is_source_wanted
    }
}

/// Takes the games in order.
struct Listing {
    progress: Progress,
    number: GameFilter,
    limit: Option<u64>,
    writer: Writer,
    /// The identities of the games that were listed: eight bytes for each.
    seen: HashSet<u64>,
    /// Somebody may be waiting for what a pipe delivers.
    is_awaited: bool,
    /// The output is a terminal.
    is_seen: bool,
    /// A game of which only the number is known.
    none: GameRecord,
    found: u64,
    /// The next game was cut off.
    is_cut_off: bool,
    /// The input that is read, and its member.
    file: Arc<str>,
    member: Option<Arc<str>>,
    mixture: Mixture,
}

impl Listing {
    /// Whether a game was not listed before.
    fn is_new(&mut self, game: &Listed) -> bool {
        game.identity.is_none_or(|identity| self.seen.insert(identity))
    }

    /// Writes what there is, before more games.
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Row(rows) => rows.flush(),
            Writer::Game(copy) => copy.flush(),
            Writer::Count => Ok(()),
        }
    }

    /// Writes what there is, or the number of games, if only that is wanted.
    fn finish(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Row(rows) => rows.finish(),
            Writer::Game(copy) => copy.flush(),
            Writer::Count => writeln!(io::stdout(), "{}", self.found),
        }
    }

    /// Ends everything if no more games are wanted.
    fn unless_full(&self) -> Flow {
        if self.limit == Some(self.found) { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
    }
}

impl Take<Chooser> for Listing {
    fn open(&mut self, (): ()) -> Flow {
        self.unless_full()
    }

    fn begin(&mut self, file: &Arc<str>, member: Option<&Member>) -> Flow {
        self.unless_full()?;
        self.is_awaited = **file == *"-";
        self.file = Arc::clone(file);
        self.member = member.map(|member| Arc::clone(&member.name));
        if let Writer::Game(copy) = &mut self.writer {
            copy.begin();
        }
        ControlFlow::Continue(())
    }

    fn source(&mut self, bytes: &[u8], needed: u64) -> Flow {
        match &mut self.writer {
            Writer::Game(copy) => flow(copy.chunk(bytes, needed)),
            _ => ControlFlow::Continue(()),
        }
    }

    fn cut_off(&mut self) {
        self.is_cut_off = true;
    }

    fn further(&mut self) -> Flow {
        self.unless_full()
    }

    fn game(&mut self, number: u64, game: Listed, row: &[u8]) -> Flow {
        let is_cut_off = std::mem::take(&mut self.is_cut_off);
        if !self.number.passes(&Row::new("", number, &self.none)) {
            return ControlFlow::Continue(());
        }
        if !self.is_new(&game) {
            self.progress.account().add_copies(1);
            return ControlFlow::Continue(());
        }
        if self.found == 0 {
            self.progress.give_way();
        }
        flow(match &mut self.writer {
            Writer::Row(rows) => rows.write(row, number),
            Writer::Game(copy) => {
                let name = || of_member(&self.file, self.member.as_deref());
                let written = copy.write(game.offset, game.len);
                written.map(|line_end| self.mixture.add(line_end, !is_cut_off, name, number, &self.progress))
            }
            Writer::Count => Ok(()),
        })?;
        self.found += 1;
        // An archive that broke off in it tells so only behind it.
        if is_cut_off { ControlFlow::Continue(()) } else { self.unless_full() }
    }

    fn note(&mut self, text: &str) {
        self.progress.note(text);
    }

    fn no_game(&mut self, name: &Name, told: Told) {
        self.progress.no_game(name, told);
    }

    fn pause(&mut self) -> Flow {
        // A terminal shows the progress until something is found.
        let is_due = if self.is_seen {
            self.found > 0 && (self.is_awaited || self.progress.account().time() >= SOON)
        } else {
            self.is_awaited
        };
        if is_due { flow(self.flush()) } else { ControlFlow::Continue(()) }
    }
}
