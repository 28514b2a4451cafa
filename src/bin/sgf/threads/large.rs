//! A large input, which all threads read at once.
//!
//! Owns what happens to its parts: they are folded one by one, and strict reading stops where it should. A source that
//! fails counts as ended there, so the game that it cut off is a truncated one.

use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;

use sgf_stream::Error;
use sgf_stream::archive::Name;
use sgf_stream::read::Turn;

use crate::interrupt::{self, Stopping};
use crate::session::End;
use crate::threads::{Crew, Findings, Part};

/// What is said of the source.
pub(crate) struct Large<'a> {
    pub(crate) name: &'a Name,
    /// Where the bytes of a problem can be read again, if it is a plain file.
    pub(crate) path: Option<&'a Path>,
    /// How many bytes it has, if that is known.
    pub(crate) len: Option<u64>,
    /// Its bytes are those that the bar shows.
    pub(crate) counts: bool,
}

impl Large<'_> {
    /// Reads it to its end; its beginning has been announced. Its parts are folded when it is the turn of the thread
    /// that has taken it.
    pub(crate) fn read<F: Findings>(self, crew: &Crew<'_, F>, source: impl Read + Send, turn: &Turn<'_, Part<F>>) {
        let make = || {
            let mut findings = (crew.make)();
            findings.resume(self.name);
            findings
        };
        let (mut bytes, mut failure) = (0, None);
        // Under `--strict`, nothing at the end may hide that the source failed.
        let source = UpToFailure { source: Stopping(source), failure: (!crew.is_strict).then_some(&mut failure) };
        let result = crew.reader(self.len).merge(source, make, |findings| {
            let len = findings.len();
            bytes += len;
            if self.counts {
                crew.progress.advance(len as usize);
            }
            if turn.fold(Part::of(findings)) { ControlFlow::Continue(()) } else { ControlFlow::Break(Ok(())) }
        });
        let end = match result {
            Ok(ControlFlow::Continue(())) => failure.map_or(End::Complete, End::failed),
            // Nothing more is wanted.
            Ok(ControlFlow::Break(_)) => return,
            Err(Error::Io(error)) => End::failed(error),
            Err(error) => End::from(error).looked_for(self.path),
        };
        let mut last = Part::of(make());
        last.report.ended(self.name, end, bytes, &mut *last.findings);
        turn.fold(last);
    }
}

/// A source that ends where it fails, unless it was stopped, and keeps the reason.
struct UpToFailure<'a, R> {
    source: R,
    failure: Option<&'a mut Option<io::Error>>,
}

impl<R: Read> Read for UpToFailure<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.source.read(buffer);
        match (result, &mut self.failure) {
            (Err(error), Some(failure))
                if !(interrupt::is_asked()
                    || matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)) =>
            {
                **failure = Some(error);
                Ok(0)
            }
            (result, _) => result,
        }
    }
}
