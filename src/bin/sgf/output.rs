//! The file that a command writes.
//!
//! Owns what becomes of a file that is there already: it is replaced when all is written, and not before, so that it may be
//! one of the inputs. Devices and pipes are written to as they stand.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file on its way. Unless it is [finished](Self::finish), nothing is left of it.
pub(crate) struct Output {
    file: File,
    /// What is written, and the name it gets in the end.
    names: Option<(PathBuf, PathBuf)>,
}

impl Output {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let known = fs::metadata(path).ok();
        if known.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Ok(Self { file: File::options().write(true).open(path)?, names: None });
        }
        // What a link leads to is replaced, not the link.
        let path = if known.is_some() { fs::canonicalize(path)? } else { path.to_path_buf() };
        let Some(name) = path.file_name() else {
            return Err(io::Error::other("not a name of a file"));
        };
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.part", std::process::id()));
        let temporary = path.with_file_name(temporary);
        let file = File::create_new(&temporary)?;
        let output = Self { file, names: Some((temporary, path)) };
        if let Some(metadata) = known {
            output.file.set_permissions(metadata.permissions())?;
        }
        Ok(output)
    }

    /// All is written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((temporary, path)) = &self.names {
            fs::rename(temporary, path)?;
            self.names = None;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.names {
            let _ = fs::remove_file(temporary);
        }
    }
}

impl Write for &Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.file).flush()
    }
}

#[cfg(feature = "index")]
impl sgf_stream::index::SyncWrite for &Output {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}
