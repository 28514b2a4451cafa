//! Games at the places that a sidecar gives.
//!
//! Owns which sidecar is trusted, and what becomes of games that it does not lead to: they are searched.

use std::io::{self, Write};
use std::path::Path;

use sgf_stream::index::{Error, Offsets, sidecar};

use crate::args::InputArgs;
use crate::copy::{UNIT, line_end};
use crate::input::{Input, shown};
use crate::progress::Progress;
use crate::session::{Outcome, Report};
use crate::terminal::stderr;
use crate::{interrupt, offsets};

use super::{Printer, Wanted, no_such_game, too_few};

/// A member is unpacked again for each game, so no more than this many are fetched.
const FEW: u64 = 50;

/// Takes the games from the places that the sidecar gives. Returns those that have to be searched, because there is no
/// trustworthy sidecar, and the outcome of the others.
pub(super) fn fetch(
    printer: &mut Printer<'_>,
    inputs: &InputArgs,
    mut wanted: Wanted,
) -> io::Result<(Option<Wanted>, Outcome)> {
    let progress = printer.progress.clone();
    let Some(mut offsets) = open(&wanted, inputs, &progress) else { return Ok((Some(wanted), Outcome::Fine)) };
    if wanted.first > offsets.games() {
        return Ok((None, no_such_game(&wanted, offsets.games(), &progress)));
    }
    let path = wanted.name();
    let last = wanted.last.min(offsets.games());
    let (begin, mut outcome, mut last_message) = (wanted.first, Outcome::Fine, String::new());
    for number in begin..=last {
        wanted.first = number;
        let place = match offsets.get(number) {
            Ok(Some(place)) => place,
            Ok(None) => break,
            Err(error) => {
                search(&wanted.path, &error, &progress);
                return Ok((Some(wanted), outcome));
            }
        };
        if number == begin && place.member.is_some() && place.start.is_none() && last - number >= FEW {
            return Ok((Some(wanted), outcome));
        }
        let name = || place.member.as_ref().map_or_else(|| path.clone(), |member| format!("{path}!{member}"));
        if interrupt::is_asked() {
            progress.report(&mut Report::stopped(&name(), place.offset));
            return Ok((None, Outcome::Interrupted));
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
                return Ok((Some(wanted), outcome));
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
                outcome = Outcome::Failed;
            }
        }
    }
    too_few(&wanted, offsets.games(), &progress);
    progress.account().add_files(1);
    Ok((None, outcome))
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
    progress.note(&format!("{}: {}; the archive is searched instead", shown(path), text(error)));
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
