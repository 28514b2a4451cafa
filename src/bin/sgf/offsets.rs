//! `sgf index --offsets`: a sidecar beside each archive, through which `sgf cat` finds any game at once.
//!
//! Owns which archives are worth one, and which options its numbers depend on.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use sgf_stream::archive::{self, Format, Name, head_of};
use sgf_stream::index::{Error, OffsetsWriter, Sink};
use sgf_stream::record::{Column, Row, Signature, Wants};

use crate::args::InputArgs;
use crate::input::{Input, is_sidecar};
use crate::progress::account::Reason;
use crate::progress::{Progress, Told};
use crate::session::{Outcome, Report};
use crate::terminal::stderr::reason;
use crate::threads::ThreadArgs;
use crate::threads::found::{self, Flow, Keep, Member, Take};

/// Makes the sidecars.
pub(crate) fn run(inputs: &InputArgs, threads: ThreadArgs) -> io::Result<Outcome> {
    let progress = Progress::new(inputs);
    let archives = Archives { inputs };
    let mut sidecar = Sidecar {
        progress: progress.clone(),
        name: String::new(),
        writer: None,
        member: None,
        outcome: Outcome::Fine,
        has_failed: false,
    };
    let outcome = found::read(inputs, threads, true, &progress, &archives, &mut sidecar)?;
    progress.conclude(outcome);
    Ok(if sidecar.has_failed { outcome.max(Outcome::Failed) } else { outcome })
}

/// How the games of this input are counted, or why they can't be fetched one by one.
pub(crate) fn reading(input: &Input, inputs: &InputArgs) -> io::Result<Result<String, &'static str>> {
    let Some(path) = input.path() else { return Ok(Err("only a plain file is seekable")) };
    if archive::is_volume(path) {
        return Ok(Err("volumes have no sidecar"));
    }
    let head = head_of(File::open(path)?)?;
    let format = Format::detect(&head);
    if !(format.is_plain() || matches!(format, Format::Zip | Format::Tar)) {
        return Ok(Err(
            "it has to be unpacked from its beginning, so a sidecar is of no use: only plain files, tar and zip have one",
        ));
    }
    let mut options = inputs.reading.options();
    if input.is_packed(&head) {
        options.extend(inputs.picks.options());
    }
    Ok(Ok(options.join(" ")))
}

/// Keeps the games of archives that are worth a sidecar, on all threads.
struct Archives<'a> {
    inputs: &'a InputArgs,
}

/// What a sidecar stores of a game. A whole record would be allocated on one thread and freed on another, and both
/// would wait for that: with ten million tiny games, two threads took three times as long as one.
struct Place {
    offset: u64,
    len: u64,
    signature: Signature,
}

impl Keep for Archives<'_> {
    type Opening = (String, Option<OffsetsWriter>);
    type Game = Place;

    fn wants(&self) -> Wants {
        Column::Signature.wants()
    }

    fn open(&self, input: &Input, report: &mut Report) -> io::Result<Option<Self::Opening>> {
        // With one of its own, every run over a directory would add one more.
        if input.path().is_some_and(is_sidecar) {
            return Ok(None);
        }
        let name = input.name();
        let reading = match reading(input, self.inputs) {
            Ok(Ok(reading)) => reading,
            Ok(Err(text)) if matches!(input, Input::Found(_)) => {
                report.note(&format!("{name}: {text}"));
                report.leave(Reason::NoSidecar, &name);
                return Ok(None);
            }
            Ok(Err(text)) => {
                report.failed(&Name::new(name), text);
                return Ok(None);
            }
            // The error is reported when it is opened.
            Err(_) => return Ok(Some((name.into_owned(), None))),
        };
        let Some(path) = input.path() else { return Ok(None) };
        match OffsetsWriter::new(path, &reading) {
            Ok(writer) => Ok(Some((name.into_owned(), Some(writer)))),
            Err(error) => {
                report.failed(&Name::new(name), &unmade(&error));
                Ok(None)
            }
        }
    }

    fn keep(&self, row: &Row<'_>, _: &mut Vec<u8>) -> Option<Self::Game> {
        let record = row.record;
        Some(Place { offset: record.offset(), len: record.len(), signature: record.signature() })
    }
}

/// Takes the games in order.
struct Sidecar {
    progress: Progress,
    /// The name of the archive, and what is written of it.
    name: String,
    writer: Option<OffsetsWriter>,
    member: Option<Member>,
    outcome: Outcome,
    /// A sidecar could not be written.
    has_failed: bool,
}

impl Take<Archives<'_>> for Sidecar {
    fn open(&mut self, (name, writer): (String, Option<OffsetsWriter>)) -> Flow {
        (self.name, self.writer) = (name, writer);
        ControlFlow::Continue(())
    }

    fn begin(&mut self, _file: &Arc<str>, member: Option<&Member>) -> Flow {
        self.member = member.cloned();
        ControlFlow::Continue(())
    }

    fn game(&mut self, _: u64, game: Place, _: &[u8]) -> Flow {
        let Some(writer) = &mut self.writer else { return ControlFlow::Continue(()) };
        let (member, start) = self.member.as_ref().map_or((None, None), |it| (Some(&*it.name), it.start));
        writer.member_lies_at(start);
        let result = writer.game(member, game.offset, game.len, game.signature);
        self.check(result.map_err(Error::from));
        ControlFlow::Continue(())
    }

    fn done(&mut self) -> Flow {
        let outcome = std::mem::replace(&mut self.outcome, Outcome::Fine);
        let Some(mut writer) = self.writer.take() else { return ControlFlow::Continue(()) };
        if outcome == Outcome::Fine {
            self.check(writer.finish());
            return ControlFlow::Continue(());
        }
        // A sidecar of half an archive would make the other half disappear.
        if outcome != Outcome::Interrupted {
            let text = format!("{}: no sidecar was written, as not all of it could be read", self.name);
            self.progress.error(&text, None);
        }
        ControlFlow::Continue(())
    }

    fn no_game(&mut self, name: &Name, told: Told) {
        self.progress.no_game(name, told);
    }

    fn report(&mut self, report: &mut Report) {
        self.outcome = self.outcome.max(report.outcome);
    }

    fn unopened(&mut self) {
        self.outcome = Outcome::Fine;
    }
}

impl Sidecar {
    /// Gives up a sidecar that can't be written; the next one is begun as usual.
    fn check(&mut self, result: Result<(), Error>) {
        let why = match result {
            Ok(()) => return,
            Err(Error::Io(error)) => unmade(&error),
            Err(error) => error.to_string(),
        };
        self.writer = None;
        self.has_failed = true;
        self.progress.error(&format!("{}: {why}", self.name), None);
    }
}

/// Why there is no sidecar. An error of the operating system is not about the archive.
fn unmade(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => format!("its sidecar can't be written: {}", reason(error)),
        None => error.to_string(),
    }
}
