//! How much is unpacked before the rest is refused.
//!
//! Owns [`Limits`], and the counts of one input that are compared with them: what was unpacked, and how much memory is taken at
//! present. Whatever is read passes here, so here it is asked whether to stop, too.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::archive::{Error, window_size};

/// What an input may unpack to. Exceeding a limit ends the input with an [`Error`]; everything before that was read.
///
/// | limit | default | against |
/// | --- | --- | --- |
/// | `nesting` | 6 | archives in archives without end |
/// | `members` | 100,000,000 | archives of nothing but names |
/// | `bytes` | 4 TiB | bombs |
/// | `ratio` | 1,000 | bombs, sooner |
/// | `window` | 260 MiB | memory: windows and dictionaries, tables of contents |
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
    /// Bytes of unpacked data that decompressors may keep, all those together that work on a member one behind the other. The
    /// tables of contents of archives in each other may take as much again.
    pub window: u64,
    /// Bytes put into a temporary file, because zip and 7z are read from their ends.
    pub spool: u64,
}

impl Limits {
    /// For collections: far above anything that is no attack. What 7-Zip writes at its highest level takes 256 MiB.
    pub const fn new() -> Self {
        Self { nesting: 6, members: 100_000_000, bytes: 4 << 40, ratio: 1_000, window: 260 << 20, spool: 16 << 30 }
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

/// Whether nothing more is wanted.
pub(crate) type Stop = dyn Fn() -> bool + Send + Sync;

/// How much of one input was unpacked, and what that takes.
pub(crate) struct Meter {
    limits: Limits,
    stop: Option<Arc<Stop>>,
    /// How many bytes of the input were read, or how long it is.
    input: Cell<u64>,
    unpacked: Cell<u64>,
    members: Cell<u64>,
    windows: Cell<u64>,
    tables: Cell<u64>,
    /// A limit was passed: nothing more is read.
    over: Cell<bool>,
}

impl Meter {
    /// Below this many bytes, the ratio does not matter.
    const SMALL: u64 = 1 << 30;

    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            stop: None,
            input: Cell::new(0),
            unpacked: Cell::new(0),
            members: Cell::new(0),
            windows: Cell::new(0),
            tables: Cell::new(0),
            over: Cell::new(false),
        }
    }

    /// Asks this with all bytes that are unpacked.
    pub(crate) fn stopped_by(self, stop: Option<Arc<Stop>>) -> Self {
        Self { stop, ..self }
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
            return Err(self.refuse(Error::RatioTooHigh(self.limits.ratio)).into());
        }
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return Err(self.refuse(io::Error::other("stopped").into()).into());
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

    fn taken(&self, by: By) -> &Cell<u64> {
        match by {
            By::Windows => &self.windows,
            By::Tables => &self.tables,
        }
    }
}

/// What takes memory. Each kind may take as much as the other: a long table is no reason to have a short dictionary.
#[derive(Clone, Copy)]
pub(crate) enum By {
    Windows,
    Tables,
}

/// This part of the limit, 4 of the usual 260 MiB, is allowed beside whatever else is taken: a block of bzip2 takes nearly as much,
/// and few stages of unpacking are in each other.
const LITTLE: u64 = 65;

/// Memory that counts as taken until this is dropped. However archives are nested, only those count whose bytes still come.
pub(crate) struct Held {
    meter: Rc<Meter>,
    by: By,
    len: u64,
}

impl Held {
    /// Holds nothing yet.
    pub(crate) fn new(meter: &Rc<Meter>, by: By) -> Self {
        Self { meter: Rc::clone(meter), by, len: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The most that it may hold beside the others.
    pub(crate) fn most(&self) -> u64 {
        let others = self.meter.taken(self.by).get() - self.len;
        let window = self.meter.limits.window;
        window.saturating_sub(others).max(window / LITTLE)
    }

    /// How much a decoder may take that needs so much for its window: also what it takes besides, and a little for windows
    /// that come later, of which nobody knows yet.
    pub(crate) fn for_decoder(&self, window: u64) -> u64 {
        window.max(window_size::SMALL).min(self.most()).saturating_add(1 << 20)
    }

    /// Holds `len` bytes from now on, instead of what it held.
    pub(crate) fn set(&mut self, len: u64) -> Result<(), Error> {
        let allowed = self.meter.limits.window;
        let taken = self.meter.taken(self.by);
        let needed = (taken.get() - self.len).saturating_add(len);
        if needed > allowed && len > allowed / LITTLE {
            return Err(Error::WindowTooLarge { needed, allowed });
        }
        taken.set(needed);
        self.len = len;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let taken = self.meter.taken(self.by);
        taken.set(taken.get() - self.len);
    }
}

/// A reader, and the memory that it takes.
pub(crate) struct Holding<R> {
    source: R,
    _held: Held,
}

impl<R> Holding<R> {
    pub(crate) fn new(source: R, held: Held) -> Self {
        Self { source, _held: held }
    }
}

impl<R: io::Read> io::Read for Holding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.read(buffer)
    }
}

/// A reader whose bytes count as unpacked. All bytes up to the limit are given, however many are read at once.
pub(crate) struct Metered<R> {
    source: R,
    meter: Rc<Meter>,
}

impl<R> Metered<R> {
    pub(crate) fn new(source: R, meter: Rc<Meter>) -> Self {
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
