//! What it takes to be sure that bytes are on disk.
//!
//! Owns [`SyncWrite`]. Invariant: a buffer around a writer syncs that writer, too, and no writer of which nothing is known is
//! trusted unless it is wrapped in [`Flushed`]. Refuses to know what is written, and when it has to be safe: the sinks do.

use std::fs::File;
use std::io::{self, BufWriter, LineWriter, Stdout, StdoutLock, Write};
use std::net::TcpStream;
use std::process::ChildStdin;

/// A writer that can make sure that bytes are kept: `flush` hands them on, and `sync` waits until they are safe.
///
/// Any other [`Write`] becomes one in [`Flushed`].
pub trait SyncWrite: Write {
    /// Returns when all bytes are safe: for a file, on the disk, so that they survive a power failure; for what can't
    /// tell, such as a pipe, when they are handed on.
    ///
    /// # Errors
    ///
    /// Those of the device, including errors of earlier writes that were not reported yet.
    fn sync(&mut self) -> io::Result<()> {
        self.flush()
    }
}

impl SyncWrite for File {
    fn sync(&mut self) -> io::Result<()> {
        (&*self).sync()
    }
}

impl SyncWrite for &File {
    fn sync(&mut self) -> io::Result<()> {
        match self.sync_data() {
            // Pipes and devices have nothing to be synced.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
            result => result,
        }
    }
}

impl<W: SyncWrite> SyncWrite for BufWriter<W> {
    fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.get_mut().sync()
    }
}

impl<W: SyncWrite> SyncWrite for LineWriter<W> {
    fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.get_mut().sync()
    }
}

impl SyncWrite for TcpStream {}

impl SyncWrite for ChildStdin {}

impl SyncWrite for Vec<u8> {}

impl SyncWrite for Stdout {}

impl SyncWrite for StdoutLock<'_> {}

/// A writer for which bytes are safe once they are handed on, such as a `Cursor`, or a `Box<dyn Write>` of which nothing else
/// is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flushed<W>(pub W);

impl<W: Write> Write for Flushed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> SyncWrite for Flushed<W> {}

impl<W: SyncWrite + ?Sized> SyncWrite for &mut W {
    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }
}

impl<W: SyncWrite + ?Sized> SyncWrite for Box<W> {
    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }
}
