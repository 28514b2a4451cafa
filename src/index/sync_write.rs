//! What it takes to be sure of bytes.

use std::fs::File;
use std::io::{self, BufWriter, Stdout, StdoutLock, Write};

/// A writer that can make sure of what was written: `flush` hands bytes on, and `sync` waits until they are kept.
pub trait SyncWrite: Write {
    /// Returns when all bytes are where they stay: for a file on the disk, so that they outlive the power supply; for what
    /// cannot tell, such as a pipe, when they are handed on.
    ///
    /// # Errors
    ///
    /// Those of the device, among them those of writes before that nobody was told of.
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
            // Pipes and devices have nothing to wait for.
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

impl SyncWrite for Vec<u8> {}

impl SyncWrite for Stdout {}

impl SyncWrite for StdoutLock<'_> {}

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
