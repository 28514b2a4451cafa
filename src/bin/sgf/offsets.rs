//! `sgf index --offsets`: a sidecar beside each archive, by which `sgf cat` finds any game at once.
//!
//! Owns which archives are worth one.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use sgf_stream::archive::{self, Format, HEAD_LEN, Name};
use sgf_stream::index::{OffsetsWriter, Sink};
use sgf_stream::record::{Column, GameRecord, Recorder, Records, Row};

use crate::args::InputArgs;
use crate::input::Input;
use crate::progress::Progress;
use crate::session::{self, Outcome, Report, Session};
use crate::stderr::reason;

/// Makes the sidecars.
pub(crate) fn run(inputs: &InputArgs) -> io::Result<Outcome> {
    let games = Games { writer: None, member: None, game: 0 };
    let mut recorder = Recorder::new(Column::Signature.wants(), games);
    let progress = Progress::new(inputs);
    let outcome = Session::new(inputs.config(), progress.clone()).run(inputs, &mut recorder)?;
    progress.conclude(outcome);
    Ok(outcome)
}

/// Takes the rows.
struct Games {
    writer: Option<OffsetsWriter>,
    member: Option<String>,
    game: u64,
}

impl Records for Games {
    type Break = io::Error;

    fn record(&mut self, record: &GameRecord) -> ControlFlow<io::Error> {
        self.game += 1;
        let row = Row { file: "", member: self.member.as_deref(), game: self.game, record };
        match self.writer.as_mut().map(|writer| writer.record(&row)) {
            Some(Err(error)) => ControlFlow::Break(io::Error::other(error)),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Why games of this can't be fetched one by one.
fn refusal(input: &Input) -> io::Result<Option<&'static str>> {
    let Input::File(path) = input else { return Ok(Some("only a plain file can be read from any place")) };
    if archive::is_volume(path) {
        return Ok(Some("volumes have no sidecar"));
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_LEN as u64).read_to_end(&mut head)?;
    Ok(match Format::of(&head) {
        Format::Zip => None,
        format if format.is_plain() => None,
        _ => Some(
            "it has to be unpacked from its beginning, so a sidecar is of no use: only plain files and zip have one",
        ),
    })
}

impl session::Sink for Recorder<Games> {
    fn is_wanted(&mut self, input: &Input, report: &mut Report) -> io::Result<bool> {
        let name = input.name().into_owned();
        match refusal(input) {
            Ok(None) => {}
            Ok(Some(text)) => {
                report.failed(&name, text);
                return Ok(false);
            }
            // It is said when it is opened.
            Err(_) => return Ok(true),
        }
        match OffsetsWriter::new(Path::new(&name)) {
            Ok(writer) => self.records_mut().writer = Some(writer),
            Err(error) => report.failed(&name, &reason(&error)),
        }
        Ok(self.records().writer.is_some())
    }

    fn done(&mut self, report: &Report) -> io::Result<()> {
        match self.records_mut().writer.take() {
            // A sidecar of half an archive would make the other half disappear.
            Some(mut writer) if report.outcome == Outcome::Fine => writer.finish().map_err(io::Error::other),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, _name: &str) {
        self.records_mut().member = None;
    }

    fn begin_member(&mut self, name: &Name) {
        self.records_mut().member = name.member().map(str::to_owned);
    }

    fn end(&mut self, _bytes: u64) {}

    fn games(&self) -> u64 {
        self.records().game
    }
}
