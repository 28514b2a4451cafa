//! `sgf cat`: games by their numbers, as they are in their files.
//!
//! Owns the way of each group of [`names`] to its games: with a [`sidecar`] they are fetched at once, and otherwise a file is
//! skipped through to them, by [`games`]. The order of the output is that of the names.

mod games;
mod names;
#[cfg(feature = "index")]
mod sidecar;
#[cfg(not(feature = "index"))]
mod sidecar {
    //! Without the index there are no sidecars.

    use super::{Group, InputArgs, Outcome, Printer, Wanted, io};

    #[expect(clippy::unnecessary_wraps, reason = "with sidecars, the output may fail")]
    pub(super) fn fetch(_: &mut Printer<'_>, _: &InputArgs, group: Group) -> io::Result<(Vec<Wanted>, Outcome)> {
        Ok((group.names, Outcome::Fine))
    }
}

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use crate::args::{CatArgs, InputArgs};
use crate::copy::Mixture;
use crate::progress::Progress;
use crate::session::{Outcome, Report, Session};
use crate::terminal::console::{Bytes, bytes};
use games::Games;
use names::{Group, Names, Next, Wanted};

type Out = BufWriter<Bytes>;

/// Prints the games, in the order in which they are named.
pub(crate) fn run(args: &CatArgs) -> io::Result<Outcome> {
    let progress = if args.files_from.is_some() {
        Progress::beside_list(&io::stdout(), args.messages)
    } else {
        let mut paths = Vec::new();
        for next in Names::of(args) {
            if let Next::Group(group) = next {
                paths.extend(group.names.into_iter().next().map(|wanted| wanted.path));
            }
        }
        Progress::beside(&io::stdout(), &inputs(args, paths))
    };
    let out = BufWriter::with_capacity(64 << 10, bytes());
    let mut printer = Printer { args, progress: progress.clone(), out, mixture: Mixture::default() };
    let result = printer.print_all();
    progress.finish();
    let outcome = result?;
    printer.mixture.finish(&progress);
    progress.conclude(outcome);
    Ok(outcome)
}

fn inputs(args: &CatArgs, paths: Vec<PathBuf>) -> InputArgs {
    InputArgs {
        paths,
        files_from: None,
        picks: args.picks.clone(),
        strict: false,
        messages: args.messages,
        unpacking: args.unpacking,
        reading: args.reading.clone(),
    }
}

/// What all names share.
struct Printer<'a> {
    args: &'a CatArgs,
    progress: Progress,
    out: Out,
    mixture: Mixture,
}

impl Printer<'_> {
    fn print_all(&mut self) -> io::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        for next in Names::of(self.args) {
            outcome = outcome.max(match next {
                Next::Group(group) => self.print(group)?,
                Next::Item(item) => {
                    let mut report = Report::new();
                    report.item(item);
                    self.progress.report(&mut report);
                    report.outcome
                }
            });
            outcome.remember();
            if outcome == Outcome::Interrupted {
                break;
            }
        }
        self.out.flush()?;
        Ok(outcome)
    }

    /// Prints games of one file.
    fn print(&mut self, group: Group) -> io::Result<Outcome> {
        let path = group.names.first().map(|wanted| wanted.path.clone());
        let read = group.input();
        let mut inputs = inputs(self.args, path.into_iter().collect());
        let (names, before) = sidecar::fetch(self, &inputs, group)?;
        if names.is_empty() || before == Outcome::Interrupted {
            return Ok(before);
        }
        self.out.flush()?;
        inputs.paths = read.into_iter().collect();
        let mut games = Games::new(names, &mut self.out, &mut self.mixture, &self.progress);
        let outcome = Session::new(inputs.config(), self.progress.clone()).inputs(&inputs, &mut games)?;
        Ok(games.finish(outcome)?.max(before))
    }
}

/// Says that none of the wanted games is there. `games`: how many there are.
fn no_such_game(wanted: &Wanted, games: u64, progress: &Progress) -> Outcome {
    let which = match (wanted.first, wanted.last) {
        (1, u64::MAX) => "no game".to_owned(),
        (first, last) if first == last => format!("no game {first}{}", there_are(games)),
        (first, _) => format!("no game {first} or later{}", there_are(games)),
    };
    progress.line(&format!("{}: {which}", wanted.name()));
    Outcome::Problems
}

/// Notes that the last of the wanted games, if it has a number, is not there. `games`: how many there are.
fn too_few(wanted: &Wanted, games: u64, progress: &Progress) {
    if (games + 1..u64::MAX).contains(&wanted.last) {
        progress.note(&format!("{}: no game {}{}", wanted.name(), wanted.last, there_are(games)));
    }
}

fn there_are(games: u64) -> String {
    match games {
        0 => String::new(),
        1 => ": there is 1".to_owned(),
        games => format!(": there are {games}"),
    }
}
