//! `sgf recode`: a stream as UTF-8, otherwise unchanged.
//!
//! Owns the visitor that copies, the label it puts into a game, and how long bytes wait for that label. Events only say
//! where the values are; everything between them is copied from the [`source`], which is kept until its events have
//! come. A stream of UTF-16 or the like is kept in UTF-8, and offsets count that. How a value, and such a stream, is
//! recoded is the library's knowledge.

mod changes;
mod label;
mod source;
mod target;

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use sgf_stream::archive::Name;
use sgf_stream::text::StreamRecoder;
use sgf_stream::{
    Charset, Charsets, Deliver, Descend, Ident, Limits, Moves, Node, Position, Problem, ProblemKind, Property, Step,
    Tree, TreeEnd, Value, Visitor,
};

use crate::args::RecodeArgs;
use crate::copy::Seam;
use crate::input::{Input, shown};
use crate::output::{Output, State, is_replaced};
use crate::progress::Progress;
use crate::session::{Flow, Outcome, Report, Session, Sink, flow};
use crate::terminal::console::bytes;
use crate::terminal::layout::thousands;
use crate::terminal::stderr::{self, reason};
use crate::terminal::window::Window;

use self::changes::Changes;
use self::label::{LABEL, PROPERTY, is_only_label};
use self::source::Source;
use self::target::{check_target, is_in_place, own, target};

/// Recodes all inputs. The error is one of standard output; all others are reported here.
pub(crate) fn run(args: &RecodeArgs) -> io::Result<Outcome> {
    if args.inputs.reading.charsets() == Charsets::Raw {
        stderr::line("recode needs charsets; drop --charset raw");
        return Ok(Outcome::Failed);
    }
    let Some(path) = target(args) else {
        let progress = Progress::beside(&io::stdout(), &args.inputs);
        return write(args, &progress, bytes(), true).map(|(outcome, _)| outcome);
    };
    let failed = |error: io::Error| {
        stderr::line(&format!("{}: {}", shown(path), reason(&error)));
        Ok(Outcome::Failed)
    };
    if let Err(error) = check_target(path) {
        return failed(error);
    }
    // Before it is opened, so that nothing that is written to it from then on goes unnoticed.
    let is_in_place = is_in_place(args, path);
    let state = if is_in_place { State::of(path).ok() } else { None };
    // What is lost in its only copy is lost for good.
    let may_lose = args.lossy || !is_in_place;
    let output = match Output::create(path) {
        Ok(output) => state.into_iter().fold(output, Output::expect),
        Err(error) => return failed(error),
    };
    match write(args, &Progress::new(&args.inputs), &output, may_lose) {
        Ok((outcome @ (Outcome::Failed | Outcome::Interrupted), _)) if is_replaced(path) => {
            failed(io::Error::other("not written"))?;
            Ok(outcome)
        }
        Ok((outcome @ Outcome::Problems, _)) if output.replaces() => {
            failed(io::Error::other("not replaced: reading stopped early, the rest would be lost"))?;
            Ok(outcome)
        }
        Ok((_, changes)) if !may_lose && changes.lost > 0 => failed(io::Error::other(
            "not written, as text would be lost: --charset says what it is in, --lossy writes it all the same",
        )),
        Ok((_, changes)) if !may_lose && changes.left > 0 => failed(io::Error::other(
            "not written, as text would stay in another charset than CA says: --lossy writes it all the same",
        )),
        Ok((outcome, _)) => match output.finish() {
            Ok(()) => Ok(outcome),
            Err(error) => failed(error),
        },
        // The reader of the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(error),
        Err(error) => failed(error),
    }
}

fn write(args: &RecodeArgs, progress: &Progress, out: impl Write, may_lose: bool) -> io::Result<(Outcome, Changes)> {
    // All text is read anyway, so all of it is checked.
    let mut limits = Limits::new();
    limits.value = VALUE;
    let config = args.inputs.config().check_text(true).limits(limits);
    let mut recode = Recode::new(out, progress.clone(), args.inputs.reading.charsets());
    recode.own = own(args);
    recode.may_lose = may_lose;
    let outcome = Session::new(config, progress.clone()).run(&args.inputs, &mut recode)?;
    recode.seam.finish(progress);
    progress.conclude(outcome);
    if let Some(changes) = recode.changes.summary(recode.games) {
        progress.conclude_with(&changes);
    }
    Ok((outcome, recode.changes))
}

/// The longest value, in bytes.
const VALUE: usize = 16 << 20;

/// How many bytes of a game wait for its first text that is not ASCII, unless it has a label.
const HELD: u64 = 16 << 20;

/// How many bytes of the source behind the last event may belong to one still to come: a value, and what the reader
/// holds besides.
const KEPT: usize = VALUE + (256 << 10);

/// The visitor.
struct Recode<W> {
    out: W,
    progress: Progress,
    /// The input that is refused.
    own: Option<PathBuf>,
    name: String,
    charsets: Charsets,
    /// Recodes the source to UTF-8, if that can't be done value by value.
    recoder: StreamRecoder,
    source: Source,
    /// The bytes to be written, except the label that may be inserted.
    ready: Vec<u8>,
    /// The last byte that was written.
    written: Option<u8>,
    /// Everything before it is in events that have come.
    covered_to: u64,
    place: Place,
    /// Where the property begins that values belong to, if it is CA.
    label: Option<u64>,
    /// The root has its CA.
    is_labelled: bool,
    gap: Option<Gap>,
    /// Where the game in progress begins.
    game: u64,
    /// Where a game begins that has no label, if too many bytes of ASCII came for it to wait.
    unlabelled: Option<u64>,
    /// Bytes that are no character may be replaced.
    may_lose: bool,
    changes: Changes,
    /// The game in progress has text that is not ASCII.
    has_text: bool,
    /// The charset of the game in progress, by its last such text, or by what it declares.
    charset: Option<Charset>,
    seam: Seam,
    /// Strict reading stopped: nothing is written from here.
    stopped: Option<u64>,
    games: u64,
    /// How many of them were in the inputs before this one.
    games_before: u64,
}

/// How far reading is in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The game has begun, and its root node comes next.
    BeforeRoot,
    Root,
    Else,
}

/// Where a label may have to be put in.
struct Gap {
    /// The index in `ready`.
    at: usize,
    offset: u64,
    /// There is text that is not ASCII, so a label is needed here unless one comes later in the root.
    is_needed: bool,
}

impl<W: Write> Recode<W> {
    /// Bytes wait until there are this many, or until the input pauses.
    const BATCH: usize = 64 << 10;

    fn new(out: W, progress: Progress, charsets: Charsets) -> Self {
        Self {
            out,
            progress,
            own: None,
            name: String::new(),
            charsets,
            recoder: StreamRecoder::new(charsets),
            source: Source::default(),
            ready: Vec::new(),
            written: None,
            covered_to: 0,
            place: Place::Else,
            label: None,
            is_labelled: false,
            gap: None,
            unlabelled: None,
            may_lose: true,
            changes: Changes::default(),
            has_text: false,
            charset: None,
            seam: Seam::default(),
            stopped: None,
            game: 0,
            games: 0,
            games_before: 0,
        }
    }

    /// The offset of a position in the kept bytes.
    fn at(&self, position: Position) -> u64 {
        self.recoder.output_offset(position.offset)
    }

    fn is_wide(&self) -> bool {
        self.recoder.charset().is_some_and(sgf_stream::text::Charset::is_wide)
    }

    fn copy(&mut self, offset: u64) {
        let (is_wide, start) = (self.is_wide(), self.source.position());
        let bytes = self.source.up_to(offset);
        // Bytes that were no character are not UTF-8 either.
        let bad = if is_wide { memchr::memchr(0xFF, bytes) } else { None };
        match bad {
            None => self.ready.extend_from_slice(bytes),
            Some(at) => {
                self.ready.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes());
                let text = format!(
                    "{}: {}: {}, outside values (from byte {})",
                    self.name,
                    ProblemKind::UndecodableText,
                    self.loss(),
                    self.recoder.source_offset(start + at as u64),
                );
                if self.changes.admits_place() {
                    self.progress.line(&text);
                }
                self.changes.lost += 1;
            }
        }
    }

    fn forced(&self) -> Option<Charset> {
        if let Charsets::Forced(charset) = self.charsets { Some(charset) } else { None }
    }

    /// What becomes of bytes that are no character.
    fn loss(&self) -> String {
        let becomes = if self.may_lose { "replaced by U+FFFD" } else { "which would be replaced by U+FFFD" };
        format!("{}, {becomes}", ProblemKind::UndecodableText.meaning())
    }

    /// The game needs no label, or has got one.
    fn close_gap(&mut self) {
        if let Some(gap) = self.gap.take()
            && gap.is_needed
        {
            self.ready.splice(gap.at..gap.at, PROPERTY.iter().copied());
            self.changes.labels += 1;
        }
    }

    fn leave_root(&mut self) {
        self.place = Place::Else;
        if self.gap.as_ref().is_some_and(|gap| gap.is_needed) {
            self.close_gap();
        }
    }

    /// The next bytes are text in this charset that is not ASCII.
    fn text(&mut self, charset: Charset) {
        if !std::mem::replace(&mut self.has_text, true) {
            self.changes.add_text(charset);
        }
        if let Some(start) = self.unlabelled.take() {
            let start = self.recoder.source_offset(start);
            let text = format!(
                "{}: the game at byte {start} gets no CA: its first text that is not ASCII comes after more than {} MiB",
                self.name,
                HELD >> 20
            );
            self.progress.line(&text);
        }
        if let Some(gap) = &mut self.gap {
            gap.is_needed = true;
            if self.place != Place::Root {
                self.close_gap();
            }
        }
    }

    /// Reading has come to an offset: bytes that were held too long are released.
    fn reach(&mut self, offset: u64) {
        if let Some(gap) = &self.gap
            && offset - gap.offset > HELD
        {
            self.unlabelled = (!gap.is_needed).then_some(self.game);
            self.close_gap();
        }
    }

    fn recode(&mut self, value: &Value<'_>) {
        let start = self.at(value.position());
        let raw = value.raw();
        self.reach(start);
        if !self.source.has(start, raw) {
            self.changes.left += 1;
            let meaning = "value too far back to recode; left unchanged";
            self.problem_at(ProblemKind::UndecodableText, meaning, value.position(), raw.len() as u64);
            return;
        }
        self.covered_to = start + raw.len() as u64;
        if let Some(label_start) = self.label {
            let is_only_label = is_only_label(raw);
            if self.place == Place::Root {
                // The first CA counts, so what this one has swallowed can stay.
                if !is_only_label && !self.is_labelled {
                    self.copy(label_start);
                    self.ready.extend_from_slice(PROPERTY);
                }
                if !self.is_labelled && self.charset.is_none() {
                    self.charset = Charset::for_label(raw).ok();
                }
                self.changes.labels += u64::from(!self.is_labelled && raw != LABEL);
                self.is_labelled = true;
                self.gap = None;
                self.unlabelled = None;
            }
            if is_only_label {
                self.replace(start, LABEL);
                return;
            }
        }
        if !raw.is_ascii() {
            self.charset = Some(value.charset());
        }
        let (recoded, errors) = value.writing().recode(raw);
        // What is borrowed has not changed.
        if !raw.is_ascii() || matches!(&recoded, Cow::Owned(recoded) if recoded != raw) {
            self.text(value.source_charset());
            self.replace(start, &recoded);
        }
        if errors {
            let len = self.recoder.source_offset(self.covered_to) - value.position().offset;
            self.problem_at(ProblemKind::UndecodableText, &self.loss(), value.position(), len);
            self.changes.lost += 1;
        }
    }

    /// Writes these bytes in place of those from `start` to the end of the last event.
    fn replace(&mut self, start: u64, bytes: &[u8]) {
        self.copy(start);
        self.source.up_to(self.covered_to);
        self.ready.extend_from_slice(bytes);
    }

    fn problem_at(&mut self, kind: ProblemKind, meaning: &str, position: Position, len: u64) {
        if !self.changes.admits_place() {
            return;
        }
        let bytes = if len == 1 { "byte" } else { "bytes" };
        let text = format!("{}:{position}: {kind}: {meaning} ({len} {bytes} at byte {})", self.name, position.offset);
        let (bytes, start) = self.source.kept();
        // If the source is in another encoding, the bytes at hand are not its own.
        let window = if self.is_wide() { None } else { Window::cut(bytes, start, position, len) };
        self.progress.error(&text, window.as_ref());
    }

    /// Whether the bytes of a problem, which are copied, are not UTF-8. Two letters of another charset may look like it, and
    /// where the input ends, one letter like half a character.
    fn stays_other(&self, problem: &Problem) -> bool {
        let span = problem.span();
        let bytes = self.source.between(self.recoder.output_offset(span.start), self.recoder.output_offset(span.end));
        let charset = if self.is_wide() { Some(Charset::UTF_8) } else { self.charset };
        if charset.is_some_and(|charset| charset != Charset::UTF_8) {
            return !bytes.is_ascii();
        }
        let Err(error) = std::str::from_utf8(bytes) else { return false };
        // Where nothing else tells, the characters before the last one do.
        let is_utf_8 = charset.is_some() || !bytes[..error.valid_up_to()].is_ascii();
        let is_cut = error.error_len().is_none() && problem.kind() == ProblemKind::UnexpectedEof;
        !(is_utf_8 && is_cut)
    }

    /// Writes the bytes that are ready and come before the gap.
    fn write(&mut self) -> io::Result<()> {
        let len = self.gap.as_ref().map_or(self.ready.len(), |gap| gap.at);
        let result = self.out.write_all(&self.ready[..len]);
        self.written = self.ready[..len].last().copied().or(self.written);
        self.ready.drain(..len);
        self.ready.shrink_to(1 << 20);
        if let Some(gap) = &mut self.gap {
            gap.at = 0;
        }
        result
    }

    fn write_batch(&mut self) -> Flow {
        if self.gap.is_none() && self.ready.len() >= Self::BATCH {
            return flow(self.write());
        }
        ControlFlow::Continue(())
    }
}

impl<W: Write> Sink for Recode<W> {
    fn is_wanted(&mut self, input: &Input, report: &mut Report) -> io::Result<bool> {
        let is_own = self.own.is_some() && input.path().and_then(|path| path.canonicalize().ok()) == self.own;
        if is_own {
            report.failed(
                &Name::new(input.name()),
                "it is also the output: a file is recoded in place only if there is no other input",
            );
        }
        Ok(!is_own)
    }

    /// Each input begins a line: if the one before is cut off, that is where its rest is told from the next game.
    fn begin(&mut self, name: &str) {
        let last = self.ready.last().copied().or(self.written);
        if last.is_some_and(|last| !matches!(last, b'\n' | b'\r')) {
            self.ready.push(b'\n');
        }
        name.clone_into(&mut self.name);
        self.source.clear();
        self.covered_to = 0;
        self.place = Place::Else;
        self.unlabelled = None;
        self.stopped = None;
        self.games_before = self.games;
        self.recoder = StreamRecoder::new(self.charsets);
    }

    fn chunk(&mut self, bytes: &[u8], _candidate: u64) -> io::Result<()> {
        if bytes.is_empty() {
            self.recoder.finish(self.source.more());
        } else {
            self.recoder.feed(bytes, self.source.more());
        }
        if self.is_wide() {
            self.source.drop_mark();
        }
        Ok(())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.copy(self.covered_to);
        if self.source.left() > 2 * KEPT {
            // No event to come is about these bytes.
            let old = self.source.left() - KEPT;
            self.copy(self.source.position() + old as u64);
        }
        self.reach(self.source.position());
        self.recoder.forget(self.source.position());
        self.write()?;
        self.out.flush()
    }

    fn stopped(&mut self, problem: &Problem) {
        self.stopped = Some(self.at(problem.position()));
    }

    fn lacks_game(&mut self, _name: &Name) -> bool {
        self.games == self.games_before
    }

    fn end(&mut self, _bytes: u64) {
        self.recoder.finish(self.source.more());
        self.copy(self.stopped.unwrap_or(u64::MAX));
        self.source.clear();
        self.covered_to = 0;
        self.close_gap();
        let more = self.changes.unreported_places();
        if more > 0 {
            self.progress.line(&format!("{} more in {}", thousands(more), self.name));
        }
    }

    fn games(&self) -> u64 {
        self.games
    }
}

impl<W: Write> Visitor for Recode<W> {
    type Break = io::Result<()>;

    fn enter_tree(&mut self, tree: Tree) -> Flow<Descend> {
        self.leave_root();
        if tree.depth() == 1 {
            self.games += 1;
            self.has_text = false;
            self.charset = self.forced();
            self.seam.join(|| self.name.clone(), self.games - self.games_before);
            self.place = Place::BeforeRoot;
            self.game = self.at(tree.position());
        }
        self.covered_to = self.at(tree.position());
        ControlFlow::Continue(Descend::Into)
    }

    fn node(&mut self, node: Node) -> Flow<Step> {
        let offset = self.at(node.position());
        self.covered_to = offset;
        if self.place == Place::BeforeRoot {
            let start = offset + u64::from(!node.is_implied());
            self.place = Place::Root;
            self.covered_to = start;
            self.copy(start);
            self.gap = Some(Gap { at: self.ready.len(), offset: start, is_needed: false });
            self.is_labelled = false;
            self.unlabelled = None;
        } else {
            self.leave_root();
            self.reach(offset);
        }
        ControlFlow::Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> Flow<Deliver> {
        self.label = (property.ident() == Ident::CA).then(|| self.at(property.position()));
        ControlFlow::Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> Flow {
        self.recode(&value);
        self.write_batch()
    }

    /// Moves are ASCII, so they stay as they are.
    fn moves(&mut self, moves: Moves<'_>) -> Flow<Option<Deliver>> {
        let start = self.at(moves.position());
        let charset = moves.iter().next().map(|(.., value)| value.charset());
        let is_plain = charset.is_some_and(|charset| !charset.is_stateful() && !charset.is_wide());
        if self.place == Place::BeforeRoot || !is_plain || !self.source.has(start, moves.raw()) {
            return ControlFlow::Continue(None);
        }
        self.leave_root();
        self.label = None;
        // The last bracket is in no event.
        let end = start + moves.raw().len() as u64 - 1;
        self.covered_to = end;
        self.reach(end);
        self.write_batch().map_continue(|()| Some(Deliver::Whole))
    }

    fn exit_tree(&mut self, end: TreeEnd) -> Flow {
        self.leave_root();
        self.covered_to = self.at(end.position());
        if end.depth() == 1 {
            self.close_gap();
            self.seam.end(end.close_len() > 0, || self.name.clone(), self.games - self.games_before);
        }
        self.write_batch()
    }

    fn problem(&mut self, problem: &Problem) -> Flow {
        let meaning = match problem.kind() {
            ProblemKind::ValueTooLong => {
                self.changes.left += 1;
                "a value over 16 MiB stays as it is".to_owned()
            }
            ProblemKind::UnexpectedEof | ProblemKind::UnterminatedValue if self.stays_other(problem) => {
                self.changes.left += 1;
                "a value without an end stays in the charset it is in".to_owned()
            }
            ProblemKind::IllegalBytes | ProblemKind::ValueWithoutProperty if self.stays_other(problem) => {
                self.changes.left += 1;
                "what is no value stays in the charset it is in".to_owned()
            }
            // It is about to be replaced by a label that is known, or to get one before it.
            ProblemKind::CharsetUnknown => {
                let named = problem.charset().map_or_else(String::new, |charset| format!(" ({charset})"));
                format!("no charset that can be decoded{named}; text is read as what it looks like")
            }
            _ => return ControlFlow::Continue(()),
        };
        self.problem_at(problem.kind(), &meaning, problem.position(), problem.span().len());
        ControlFlow::Continue(())
    }
}
