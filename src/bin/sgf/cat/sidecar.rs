//! Games at the places that a sidecar gives.
//!
//! Owns which sidecar is trusted, and what becomes of games that it does not lead to: they are searched.

use std::io::{self, Write};
use std::path::Path;

use sgf_stream::index::{Error, Offsets, sidecar};

use crate::args::InputArgs;
use crate::copy::{UNIT, line_end};
use crate::input::{Input, of_member, shown};
use crate::progress::Progress;
use crate::session::{Outcome, Report};
use crate::terminal::stderr;
use crate::{interrupt, offsets};

use super::names::{Group, Wanted};
use super::{Printer, no_such_game, too_few};

/// A member is unpacked again for each game, so no more than this many are fetched.
const FEW: u64 = 50;

/// Takes the games from the places that the sidecar gives. Returns the names whose games have to be searched, because there is no
/// trustworthy sidecar, and the outcome of the others.
pub(super) fn fetch(printer: &mut Printer<'_>, inputs: &InputArgs, group: Group) -> io::Result<(Vec<Wanted>, Outcome)> {
    let progress = printer.progress.clone();
    let offsets = group.names.first().and_then(|wanted| open(wanted, inputs, &progress));
    let Some(mut offsets) = offsets else { return Ok((group.names, Outcome::Fine)) };
    let mut outcome = Outcome::Fine;
    let mut is_fetched = false;
    let mut names = group.names;
    let mut at = 0;
    while let Some(wanted) = names.get(at) {
        if wanted.first > offsets.games() {
            outcome = outcome.max(no_such_game(wanted, offsets.games(), &progress));
            at += 1;
            continue;
        }
        let is_costly = at == 0 && is_unpacked(&mut offsets, wanted.first) && many(&names, offsets.games());
        let fetched =
            if is_costly { Fetched::Search } else { games(printer, &mut offsets, &mut names[at], &mut outcome)? };
        match fetched {
            Fetched::All => is_fetched = true,
            Fetched::Search => return Ok((names.split_off(at), outcome)),
            Fetched::Interrupted => return Ok((Vec::new(), Outcome::Interrupted)),
        }
        at += 1;
    }
    progress.account().add_files(u64::from(is_fetched));
    Ok((Vec::new(), outcome))
}

/// Whether a game has to be unpacked to be fetched.
fn is_unpacked(offsets: &mut Offsets, game: u64) -> bool {
    matches!(offsets.get(game), Ok(Some(place)) if place.member.is_some() && place.start.is_none())
}

/// Whether the names want more than a few games.
fn many(names: &[Wanted], games: u64) -> bool {
    let lens = names.iter().map(|it| (it.last.min(games) + 1).saturating_sub(it.first));
    lens.fold(0_u64, u64::saturating_add) > FEW
}

enum Fetched {
    /// What could be fetched.
    All,
    /// The rest of the games has to be searched.
    Search,
    Interrupted,
}

/// Fetches the games of a name; if that is not possible from some game on, the name is left with that and those after it.
fn games(
    printer: &mut Printer<'_>,
    offsets: &mut Offsets,
    wanted: &mut Wanted,
    outcome: &mut Outcome,
) -> io::Result<Fetched> {
    let progress = printer.progress.clone();
    let path = wanted.name();
    let last = wanted.last.min(offsets.games());
    let mut last_message = String::new();
    for number in wanted.first..=last {
        wanted.first = number;
        let place = match offsets.get(number) {
            Ok(Some(place)) => place,
            Ok(None) => break,
            Err(error) => {
                search(&wanted.path, &error, &progress);
                return Ok(Fetched::Search);
            }
        };
        let name = || of_member(&path, place.member.as_deref());
        if interrupt::is_asked() {
            progress.report(&mut Report::stopped(&name(), place.offset));
            return Ok(Fetched::Interrupted);
        }
        let mut game = Lined::new(&mut printer.out);
        match offsets.copy_from(&place, &mut game) {
            Ok(()) => {
                let (line_end, is_closed) = game.end()?;
                printer.mixture.add(line_end, is_closed, name, number, &progress);
                progress.advance(usize::try_from(place.len).unwrap_or(usize::MAX));
                progress.account().add_games(1);
            }
            Err(Error::Io(error)) if game.has_failed() => return Err(error),
            Err(error @ Error::Unusable(_)) if !game.has_begun() => {
                search(&wanted.path, &error, &progress);
                return Ok(Fetched::Search);
            }
            // The next one may be fine.
            Err(error) => {
                if game.has_begun() {
                    game.end()?;
                }
                let message = format!("{}: {}", name(), text(&error));
                if message != last_message {
                    progress.line(&message);
                    last_message = message;
                }
                *outcome = (*outcome).max(Outcome::Failed);
            }
        }
    }
    too_few(wanted, offsets.games(), &progress);
    Ok(Fetched::All)
}

/// The sidecar of the file, unless it is missing or not to be trusted.
fn open(wanted: &Wanted, inputs: &InputArgs, progress: &Progress) -> Option<Offsets> {
    if wanted.member.is_some() || !sidecar(&wanted.path).exists() {
        return None;
    }
    // A file that can't have a sidecar, or can't be read, is searched; errors are reported then.
    let reading = offsets::reading(&Input::File(wanted.path.clone()), inputs).ok()?.ok()?;
    match Offsets::open(&wanted.path, &reading) {
        Ok(offsets) => Some(offsets?.limits(inputs.unpacking.limits())),
        Err(Error::Io(_)) => None,
        Err(error) => {
            search(&wanted.path, &error, progress);
            None
        }
    }
}

/// Says why the sidecar is of no use.
fn search(path: &Path, error: &Error, progress: &Progress) {
    let path = shown(path);
    progress.note(&format!("{path}: {}; the archive is searched instead", text(error)));
}

fn text(error: &Error) -> String {
    match error {
        Error::Io(error) => stderr::reason(error),
        error => error.to_string(),
    }
}

/// Passes a game on, and remembers how it begins and ends and whether the output has failed.
struct Lined<'a, W> {
    out: &'a mut W,
    first: Vec<u8>,
    /// The last byte that is not 0, as bytes of any character may be in UTF-16 and UTF-32.
    last: u8,
    failed: bool,
}

impl<'a, W: Write> Lined<'a, W> {
    fn new(out: &'a mut W) -> Self {
        Self { out, first: Vec::with_capacity(UNIT), last: 0, failed: false }
    }

    /// Some of the game was passed on.
    fn has_begun(&self) -> bool {
        !self.first.is_empty()
    }

    /// The error is not the source's fault.
    fn has_failed(&self) -> bool {
        self.failed
    }

    /// Ends the game, complete or not, with a line end, which is returned. The flag says whether it ended with a `)`.
    fn end(self) -> io::Result<(&'static [u8], bool)> {
        let line_end = line_end(&self.first);
        self.out.write_all(line_end)?;
        Ok((line_end, self.last == b')'))
    }
}

impl<W: Write> Write for Lined<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.failed |= result.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        let len = result?;
        self.first.extend_from_slice(&bytes[..len.min(UNIT - self.first.len())]);
        self.last = bytes[..len].iter().copied().rfind(|&byte| byte != 0).unwrap_or(self.last);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
