//! Games, byte for byte as they are in the source.
//!
//! Owns the bytes of the game being read. What does not fit into memory waits in a temporary file, so that a pipe works
//! as a file does. Which bytes belong to a game, the parser decides.

use std::io::{self, Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

use crate::progress::Progress;

/// How many bytes are kept in memory.
const IN_MEMORY: usize = 4 << 20;

/// The length of a character in UTF-32, the longest form of a `(`.
const UNIT: usize = 4;

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
        Self { out, chunk: Vec::new(), chunk_start: 0, kept: SpooledTempFile::new(IN_MEMORY), kept_len: 0 }
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

/// Passes a game on, and remembers how it begins and whether the output has failed.
#[cfg(feature = "index")]
pub(crate) struct Lined<'a, W> {
    out: &'a mut W,
    first: Vec<u8>,
    failed: bool,
}

#[cfg(feature = "index")]
impl<'a, W: Write> Lined<'a, W> {
    pub(crate) fn new(out: &'a mut W) -> Self {
        Self { out, first: Vec::with_capacity(UNIT), failed: false }
    }

    /// Some of the game was passed on.
    pub(crate) fn has_begun(&self) -> bool {
        !self.first.is_empty()
    }

    /// The error is not the source's fault.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Ends the game, complete or not, with a line end, which is returned.
    pub(crate) fn end(self) -> io::Result<&'static [u8]> {
        let line_end = line_end(&self.first);
        self.out.write_all(line_end)?;
        Ok(line_end)
    }
}

#[cfg(feature = "index")]
impl<W: Write> Write for Lined<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.failed |= result.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        let len = result?;
        self.first.extend_from_slice(&bytes[..len.min(UNIT - self.first.len())]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Notices games whose code units are not those of the others, which nobody can read together.
#[derive(Default)]
pub(crate) struct Mixture {
    /// The line end of the first game.
    first: Option<&'static [u8]>,
    is_told: bool,
}

impl Mixture {
    /// Takes the line end of the next game, which is of this input, and warns once.
    pub(crate) fn add(&mut self, line_end: &'static [u8], name: &str, progress: &Progress) {
        let first = *self.first.get_or_insert(line_end);
        if first != line_end && !std::mem::replace(&mut self.is_told, true) {
            let text = "games in UTF-16 or UTF-32 can't be read together with others: recode them first";
            progress.note(&format!("{name}: {text}"));
        }
    }
}

/// A line end in the encoding of the source, given the first bytes of a game.
fn line_end(first: &[u8]) -> &'static [u8] {
    match first {
        [b'(', 0, 0, 0] => b"\n\0\0\0",
        [0, 0, 0, b'('] => b"\0\0\0\n",
        [b'(', 0, ..] => b"\n\0",
        [0, b'(', ..] => b"\0\n",
        _ => b"\n",
    }
}

fn temporary(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("temporary file: {error}"))
}
