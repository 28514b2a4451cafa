//! The file that a command writes.
//!
//! Owns how a file that exists already is handled: it is replaced when everything is written, and not before, so that
//! it may be one of the inputs; not if it may not be written to, and not if somebody else has written to that input in the
//! meantime. Devices and pipes are written to directly.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Whether what is written comes to this place only when it is finished: a device or a pipe has it at once.
pub(crate) fn is_replaced(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
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
        Ok(Self { place: place(&metadata), len: metadata.len(), modified: metadata.modified().ok() })
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn place(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn place(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// A file being written. Unless it is [finished](Self::finish), nothing is left of it.
pub(crate) struct Output {
    file: File,
    /// The temporary name, and the final one.
    names: Option<(PathBuf, PathBuf)>,
    /// What the file to be replaced has to be still, if it is an input.
    expected: Option<State>,
}

impl Output {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if !is_replaced(path) {
            return Ok(Self { file: File::options().write(true).open(path)?, names: None, expected: None });
        }
        let known = fs::metadata(path).ok();
        // The target of a link is replaced, not the link.
        let path = if known.is_some() { fs::canonicalize(path)? } else { target_of(path)? };
        if known.is_some() {
            // To replace it, the system asks only for leave to write to its directory.
            File::options().write(true).open(&path)?;
        }
        // Behind a `/` at the end there is none, which would be noticed only when everything is written.
        let is_last = |name: &&OsStr| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
        let Some(name) = path.file_name().filter(is_last) else {
            return Err(io::Error::other("not a file name"));
        };
        let mut temporary = part_prefix(name);
        temporary.push(format!("{}.part", std::process::id()));
        let temporary = path.with_file_name(temporary);
        let file = loop {
            remove_abandoned(&path, name);
            let file = File::create_new(&temporary)?;
            // Where locks are not supported, no file is ever taken for abandoned.
            let _ = file.lock();
            // Before it was locked, another run may have taken it for that.
            if is_at(&file, &temporary) {
                break file;
            }
        };
        let output = Self { file, names: Some((temporary, path)), expected: None };
        if let Some(metadata) = known {
            keep_owner(&output.file, &metadata);
            output.file.set_permissions(metadata.permissions())?;
        }
        Ok(output)
    }

    /// Replaces the file only if it is still what it was before it was read: this would be lost with what was written to it since.
    pub(crate) fn expect(mut self, state: State) -> Self {
        self.expected = Some(state);
        self
    }

    /// Whether a file exists already.
    pub(crate) fn replaces(&self) -> bool {
        self.names.as_ref().is_some_and(|(_, path)| path.exists())
    }

    /// Completes the file: everything is written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((temporary, path)) = &self.names {
            if path.exists() {
                // If the power fails, the old file is there or the new one, which may be the only copy of what was recoded.
                self.file.sync_all()?;
            }
            if self.expected.as_ref().is_some_and(|expected| State::of(path).ok().as_ref() != Some(expected)) {
                return Err(io::Error::other("it has changed while it was read: not written"));
            }
            fs::rename(temporary, path)?;
            self.names = None;
        }
        Ok(())
    }
}

/// Where a link leads, or a link that it leads to, although nothing is there yet. A path that is no link leads to itself.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead nowhere"))
}

/// Gives a file the owner of the one that it replaces, as far as that is allowed: root may, others own both.
#[cfg(unix)]
fn keep_owner(file: &File, replaced: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

/// Whether the file still has this name; it has where that can't be known.
fn is_at(file: &File, path: &Path) -> bool {
    let own = file.metadata().ok().as_ref().and_then(place);
    own.is_none() || fs::symlink_metadata(path).is_ok_and(|metadata| place(&metadata) == own)
}

/// What the names of the temporary files for a file begin with.
pub(crate) fn part_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(cut(name));
    prefix.push(".");
    prefix
}

/// So much of a name that a longer one can be made of it: file systems allow 255 bytes.
pub(crate) fn cut(name: &OsStr) -> Cow<'_, OsStr> {
    const LONGEST: usize = 200;
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    let text = name.to_string_lossy();
    let begin = (0..=LONGEST).rev().find_map(|at| text.get(..at)).unwrap_or_default();
    Cow::Owned(begin.into())
}

/// Removes files left by runs for the same output that were killed; a run that is still writing one holds its lock.
fn remove_abandoned(path: &Path, name: &OsStr) {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = part_prefix(name);
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let other = entry.file_name();
        let rest = other.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let number = rest.and_then(|rest| rest.strip_suffix(b".part"));
        let is_ours = number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
        // Opening a pipe would wait.
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // Only while it is locked: somebody may be about to lock it who has just created it.
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
            && is_at(&file, &entry.path())
        {
            let _ = fs::remove_file(entry.path());
        }
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
        (&self.file).sync()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

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
        assert_eq!(*cut(OsStr::new(&"対".repeat(85))), *"対".repeat(66));
    }

    #[test]
    fn a_file_just_created_is_not_taken_for_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let is_over = AtomicBool::new(false);
        let lost = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    remove_abandoned(&path, OsStr::new("a.csv"));
                }
            });
            let is_lost = |output: &Output| !is_at(&output.file, &output.names.as_ref().unwrap().0);
            let lost = (0..2000).filter(|_| Output::create(&path).as_ref().is_ok_and(is_lost)).count();
            is_over.store(true, Ordering::Relaxed);
            lost
        });
        assert_eq!(lost, 0);
    }
}
