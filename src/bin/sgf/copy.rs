//! Games, byte for byte as they are in the source.
//!
//! Owns the bytes of the game being read. What does not fit into memory waits in a temporary file, so that a pipe works
//! as a file does. Which bytes belong to a game, the parser decides.

use std::io::{self, Read, Seek, SeekFrom, Write};

use sgf_stream::archive::temp_dir;
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use crate::progress::Progress;
use crate::terminal::stderr::without_number;

/// How many bytes are kept in memory.
const IN_MEMORY: usize = 4 << 20;

/// The length of a character in UTF-32, the longest form of a `(`.
pub(crate) const UNIT: usize = 4;

pub(crate) struct Copy<W> {
    out: W,
    /// The chunk being read, and where it begins in the source.
    chunk: Vec<u8>,
    chunk_start: u64,
    /// The part of earlier chunks that may still be wanted. It ends where the chunk begins.
    kept: SpooledTempFile,
    kept_len: u64,
}

impl<W: Write> Copy<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, chunk: Vec::new(), chunk_start: 0, kept: spooled_tempfile_in(IN_MEMORY, temp_dir()), kept_len: 0 }
    }

    /// The next input begins.
    pub(crate) fn begin(&mut self) {
        self.chunk.clear();
        self.chunk_start = 0;
        // It is overwritten when something is kept again.
        self.kept_len = 0;
    }

    /// The next bytes of the input. Bytes before the offset `needed` belong to no game to come.
    pub(crate) fn chunk(&mut self, bytes: &[u8], needed: u64) -> io::Result<()> {
        let len = self.chunk.len() as u64;
        let begin = needed.saturating_sub(self.chunk_start).min(len);
        if needed >= self.chunk_start {
            self.kept_len = 0;
        }
        self.keep(begin as usize)?;
        self.chunk_start += len;
        self.chunk.clear();
        self.chunk.extend_from_slice(bytes);
        Ok(())
    }

    /// Keeps the chunk from `start` on, after what is kept.
    fn keep(&mut self, start: usize) -> io::Result<()> {
        let bytes = &self.chunk[start..];
        self.kept
            .seek(SeekFrom::Start(self.kept_len))
            .and_then(|_| self.kept.write_all(bytes))
            .map_err(|error| temporary(&error))?;
        self.kept_len += bytes.len() as u64;
        Ok(())
    }

    /// Writes the bytes of a game, and a line end, which is returned.
    pub(crate) fn write(&mut self, offset: u64, len: u64) -> io::Result<&'static [u8]> {
        let before = self.chunk_start.saturating_sub(offset).min(len);
        let mut first = Vec::with_capacity(UNIT);
        if before > 0 {
            let place = (self.kept_len + offset).saturating_sub(self.chunk_start);
            self.kept.seek(SeekFrom::Start(place)).map_err(|error| temporary(&error))?;
            (&mut self.kept)
                .take(before.min(UNIT as u64))
                .read_to_end(&mut first)
                .map_err(|error| temporary(&error))?;
            self.out.write_all(&first)?;
            let mut rest = Kept((&mut self.kept).take(before - first.len() as u64));
            io::copy(&mut rest, &mut self.out)?;
        }
        // A game that was cut off may lie entirely before this chunk, if only the chunk shows its end.
        if before < len {
            let start = (offset + before - self.chunk_start) as usize;
            let rest = &self.chunk[start..start + (len - before) as usize];
            first.extend_from_slice(&rest[..rest.len().min(UNIT - first.len())]);
            self.out.write_all(rest)?;
        }
        let line_end = line_end(&first);
        self.out.write_all(line_end)?;
        Ok(line_end)
    }

    /// Where the games go.
    pub(crate) fn out(&mut self) -> &mut W {
        &mut self.out
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The kept bytes, with errors that are not mistaken for the output's.
struct Kept<R>(R);

impl<R: Read> Read for Kept<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| temporary(&error))
    }
}

/// Notices games that can't be read together.
#[derive(Default)]
pub(crate) struct Mixture {
    /// The line end of the first game: those with other code units than it has are not read with it.
    first: Option<&'static [u8]>,
    is_reported: bool,
    seam: Seam,
}

impl Mixture {
    /// Takes the line end of the next game, which has this number in this input, and warns once of each kind.
    pub(crate) fn add(
        &mut self,
        line_end: &'static [u8],
        is_closed: bool,
        name: impl Fn() -> String,
        number: u64,
        progress: &Progress,
    ) {
        self.seam.join(&name, number);
        self.seam.end(is_closed, &name, number);
        let first = *self.first.get_or_insert(line_end);
        if first != line_end && !std::mem::replace(&mut self.is_reported, true) {
            let text = "games in UTF-16 or UTF-32 can't be read together with others: recode them first";
            progress.note(&format!("{}: {text}", name()));
        }
    }

    /// All games have come.
    pub(crate) fn finish(&self, progress: &Progress) {
        self.seam.finish(progress);
    }
}

/// Notices a game that does not end with a `)` of its own and comes before another than the next one of its input: what
/// ended it there may not do so here.
#[derive(Default)]
pub(crate) struct Seam {
    /// The input and the number of a game that is not closed, and has none behind it so far.
    open: Option<(String, u64)>,
    /// Those of the first such game.
    found: Option<(String, u64)>,
}

impl Seam {
    /// The game with this number in this input has ended.
    pub(crate) fn end(&mut self, is_closed: bool, name: impl FnOnce() -> String, number: u64) {
        self.open = (!is_closed && self.found.is_none()).then(|| (name(), number));
    }

    /// That game comes next.
    pub(crate) fn join(&mut self, name: impl FnOnce() -> String, number: u64) {
        let open = self.open.take();
        self.found = open.filter(|(input, before)| before + 1 != number || *input != name()).or(self.found.take());
    }

    /// Warns, once everything is read: until then, threads come to notes in any order.
    pub(crate) fn finish(&self, progress: &Progress) {
        if let Some((input, number)) = &self.found {
            progress.note(&format!("{input}: game {number} is not closed: what follows may be read as part of it"));
        }
    }
}

/// A line end in the encoding of the source, given the first bytes of a game.
pub(crate) fn line_end(first: &[u8]) -> &'static [u8] {
    match first {
        [b'(', 0, 0, 0] => b"\n\0\0\0",
        [0, 0, 0, b'('] => b"\0\0\0\n",
        [b'(', 0, ..] => b"\n\0",
        [0, b'(', ..] => b"\0\n",
        _ => b"\n",
    }
}

/// The error of a temporary file, which is not mistaken for one of the output.
pub(crate) fn temporary(error: &io::Error) -> io::Error {
    let reason = without_number(error.to_string());
    io::Error::new(error.kind(), format!("temporary file in {}: {reason}", temp_dir().display()))
}
