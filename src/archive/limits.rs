//! How much is unpacked before the rest is refused.
//!
//! Owns [`Limits`], and the counts of one input that are compared with them.

use std::cell::Cell;
use std::io;

use crate::archive::Error;

/// What an input may unpack to. Exceeding a limit ends the input with an [`Error`]; everything before that was read.
///
/// | limit | default | against |
/// | --- | --- | --- |
/// | `nesting` | 6 | archives in archives without end |
/// | `members` | 100,000,000 | archives of nothing but names |
/// | `bytes` | 4 TiB | bombs |
/// | `ratio` | 1,000 | bombs, sooner |
/// | `window` | 192 MiB | memory: a window or dictionary, a table of contents |
/// | `spool` | 16 GiB | disk: what can't be read from its beginning to its end and comes from a pipe |
///
/// One that is changed begins as one of the two:
///
/// ```
/// use sgf_stream::archive::{Limits, Opener};
///
/// let mut limits = Limits::untrusted();
/// limits.nesting = 1;
/// let opener = Opener::new().limits(limits);
/// # let _ = opener;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many archives and compressions may be nested. A `.tar.gz` is two.
    pub nesting: usize,
    /// Entries of all archives in an input together, including those that are not read.
    pub members: u64,
    /// Bytes unpacked from an input, in all stages together.
    pub bytes: u64,
    /// Bytes unpacked for each byte of the input, once they exceed a gibibyte.
    pub ratio: u64,
    /// Bytes of unpacked data that a decompressor may keep, or that an archive's table of contents may take.
    pub window: u64,
    /// Bytes put into a temporary file, because zip and 7z are read from their ends.
    pub spool: u64,
}

impl Limits {
    /// For collections: far above anything that is no attack.
    pub const fn new() -> Self {
        Self { nesting: 6, members: 100_000_000, bytes: 4 << 40, ratio: 1_000, window: 192 << 20, spool: 16 << 30 }
    }

    /// For uploads from strangers.
    pub const fn untrusted() -> Self {
        Self { nesting: 3, members: 100_000, bytes: 1 << 30, ratio: 200, window: 16 << 20, spool: 1 << 30 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

/// How much of one input was unpacked.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    /// How many bytes of the input were read, or how long it is.
    input: Cell<u64>,
    unpacked: Cell<u64>,
    members: Cell<u64>,
    /// A limit was passed: nothing more is read.
    over: Cell<bool>,
}

impl Meter {
    /// Below so many bytes, the ratio does not matter.
    const SMALL: u64 = 1 << 30;

    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, input: Cell::new(0), unpacked: Cell::new(0), members: Cell::new(0), over: Cell::new(false) }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.get()
    }

    fn refuse(&self, error: Error) -> Error {
        self.over.set(true);
        error
    }

    pub(crate) fn add_input(&self, len: u64) {
        self.input.set(self.input.get().saturating_add(len));
    }

    /// Bytes that may still be unpacked.
    fn left(&self) -> u64 {
        self.limits.bytes.saturating_sub(self.unpacked.get())
    }

    /// Counts `len` more bytes as unpacked.
    pub(crate) fn add_unpacked(&self, len: usize) -> io::Result<()> {
        let unpacked = self.unpacked.get().saturating_add(len as u64);
        self.unpacked.set(unpacked);
        if unpacked > self.limits.bytes {
            return Err(self.refuse(Error::TooManyBytes(self.limits.bytes)).into());
        }
        if unpacked > Self::SMALL && unpacked / self.input.get().max(1) > self.limits.ratio {
            return Err(self.refuse(Error::Ratio(self.limits.ratio)).into());
        }
        Ok(())
    }

    /// One more entry of an archive.
    pub(crate) fn add_member(&self) -> Result<(), Error> {
        self.members.set(self.members.get() + 1);
        if self.members.get() > self.limits.members {
            return Err(self.refuse(Error::TooManyMembers(self.limits.members)));
        }
        Ok(())
    }

    pub(crate) fn check_window(&self, len: u64) -> Result<(), Error> {
        if len > self.limits.window { Err(Error::Window { needed: len, allowed: self.limits.window }) } else { Ok(()) }
    }
}

/// A reader whose bytes count as unpacked. All bytes up to the limit are given, however many are read at once.
pub(crate) struct Metered<R> {
    source: R,
    meter: std::rc::Rc<Meter>,
}

impl<R> Metered<R> {
    pub(crate) fn new(source: R, meter: std::rc::Rc<Meter>) -> Self {
        Self { source, meter }
    }
}

impl<R: io::Read> io::Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // With nothing left, the source may have ended just there.
        let most = usize::try_from(self.meter.left().max(1)).map_or(buffer.len(), |left| left.min(buffer.len()));
        let len = self.source.read(&mut buffer[..most])?;
        self.meter.add_unpacked(len)?;
        Ok(len)
    }
}
