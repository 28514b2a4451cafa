//! The file that a command writes.
//!
//! Owns how a file that exists already is handled: it is replaced when everything is written, and not before, so that
//! it may be one of the inputs; not if it may not be written to, and not if somebody else has written to that input in the
//! meantime. Devices and pipes are written to directly.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[cfg(feature = "index")]
pub(crate) use sgf_stream::files::part_prefix;
use sgf_stream::files::{NewFile, identity, remove_abandoned, target_of};

/// Whether what is written comes to this place only when it is finished: a device or a pipe has it at once.
pub(crate) fn is_replaced(path: &Path) -> bool {
    !is_nul(path) && fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

/// Whether it is the `/dev/null` of Windows, which is in every folder and has no metadata.
fn is_nul(path: &Path) -> bool {
    cfg!(windows) && path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("nul"))
}

/// Whether a path is a name of standard output. The device is one: opened by itself, it would be written over from its
/// start if it is a file.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Which file a path leads to, and what shows that it was written to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Its device and number, where there are such.
    place: Option<(u64, u64)>,
    len: u64,
    modified: Option<SystemTime>,
}

impl State {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self { place: identity(&metadata), len: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// A file being written. Unless it is [finished](Self::finish), nothing is left of it.
pub(crate) struct Output {
    to: To,
    /// What the file to be replaced has to be still, if it is an input.
    expected: Option<State>,
}

enum To {
    /// A device or a pipe.
    Device(File),
    /// A file that gets this name.
    File(NewFile, PathBuf),
}

impl Output {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if !is_replaced(path) {
            return Ok(Self { to: To::Device(File::options().write(true).open(path)?), expected: None });
        }
        let known = fs::metadata(path).ok();
        // The target of a link is replaced, not the link.
        let path = if known.is_some() {
            fs::canonicalize(path)?
        } else {
            target_of(path).ok_or_else(|| io::Error::other("its links lead nowhere"))?
        };
        if known.is_some() {
            // To replace it, the system asks only for leave to write to its directory.
            File::options().write(true).open(&path)?;
        }
        // Behind a `/` at the end there is none, which would be noticed only when everything is written.
        let is_last = |name: &OsStr| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
        if !path.file_name().is_some_and(is_last) {
            return Err(io::Error::other("not a file name"));
        }
        remove_abandoned(&path);
        let file = NewFile::beside(&path)?;
        if let Some(metadata) = known {
            keep_owner(file.file(), &metadata);
            file.file().set_permissions(metadata.permissions())?;
        }
        Ok(Self { to: To::File(file, path), expected: None })
    }

    /// Replaces the file only if it is still what it was before it was read: this would be lost with what was written to it since.
    pub(crate) fn expect(mut self, state: State) -> Self {
        self.expected = Some(state);
        self
    }

    /// Whether a file exists already.
    pub(crate) fn replaces(&self) -> bool {
        matches!(&self.to, To::File(_, path) if path.exists())
    }

    fn file(&self) -> &File {
        match &self.to {
            To::Device(file) => file,
            To::File(file, _) => file.file(),
        }
    }

    /// Completes the file: everything is written.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.file().flush()?;
        let To::File(file, path) = self.to else { return Ok(()) };
        if path.exists() {
            // If the power fails, the old file is there or the new one, which may be the only copy of what was recoded.
            file.file().sync_all()?;
        }
        if self.expected.as_ref().is_some_and(|expected| State::of(&path).ok().as_ref() != Some(expected)) {
            return Err(io::Error::other("it has changed while it was read: not written"));
        }
        file.replace(&path)
    }
}

/// Gives a file the owner of the one that it replaces, as far as that is allowed: root may, others own both.
#[cfg(unix)]
fn keep_owner(file: &File, replaced: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

impl Write for &Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

#[cfg(feature = "index")]
impl sgf_stream::index::SyncWrite for &Output {
    fn sync(&mut self) -> io::Result<()> {
        self.file().sync()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use sgf_stream::files::part_prefix;

    use super::*;

    #[test]
    fn the_longest_name_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("対".repeat(85));
        for text in ["old", "new"] {
            let output = Output::create(&path).unwrap();
            (&output).write_all(text.as_bytes()).unwrap();
            output.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_eq!(part_prefix(OsStr::new("a.csv")), ".a.csv.");
        assert_eq!(*part_prefix(path.file_name().unwrap()), *format!(".{}.", "対".repeat(66)));
    }

    #[test]
    fn a_file_just_created_is_not_taken_for_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let is_over = AtomicBool::new(false);
        let lost = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    remove_abandoned(&path);
                }
            });
            let lost = (0..2000).filter(|_| !NewFile::beside(&path).unwrap().is_there()).count();
            is_over.store(true, Ordering::Relaxed);
            lost
        });
        assert_eq!(lost, 0);
    }
}
