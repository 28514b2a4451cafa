//! What a file is, and how a new one gets its name.
//!
//! Owns that a file under construction takes no name that exists, follows no link, and is gone unless it is given its final
//! name. Refuses to know what is written. It is for this crate and its command; nothing here is promised to others.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file with a temporary name, in the directory where it will have its own. It is removed when it is dropped.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    path: PathBuf,
    /// Nothing of the temporary name is its own any more.
    is_named: bool,
}

impl NewFile {
    /// Creates a file that may get this name.
    ///
    /// # Errors
    ///
    /// It can't be created there.
    pub fn beside(target: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let prefix = part_prefix(target.file_name().unwrap_or_default());
        loop {
            // The number tells it from those of other writers in this process.
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let mut name = prefix.clone();
            name.push(format!("{}.{number}.part", std::process::id()));
            let path = target.with_file_name(name);
            let file = match File::options().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => file,
                // From a process with the same id, which was killed, or runs on another machine or in another container; or
                // a link that somebody has laid there.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            // Where locks are not supported, no file is ever taken for abandoned.
            let _ = file.lock();
            // Before it was locked, another run may have taken it for that.
            if is_at(&file, &path) {
                return Ok(Self { file, path, is_named: false });
            }
        }
    }

    /// The file, for what is done to it besides writing.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Whether it still has its temporary name.
    pub fn is_there(&self) -> bool {
        is_at(&self.file, &self.path)
    }

    /// Gives it its name, in place of a file that has that now.
    ///
    /// # Errors
    ///
    /// It can't be renamed.
    pub fn replace(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.is_named = true;
        Ok(())
    }

    /// Gives it its name, unless something has that by now, which a rename would write over.
    ///
    /// # Errors
    ///
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists), or it can't be renamed.
    pub fn give_name(mut self, target: &Path) -> io::Result<()> {
        match fs::hard_link(&self.path, target) {
            // The other name goes when this is dropped.
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Not every file system has links. What is written over is the empty file that is made here.
            Err(_) => {
                File::create_new(target)?;
                if let Err(error) = fs::rename(&self.path, target) {
                    let _ = fs::remove_file(target);
                    return Err(error);
                }
                self.is_named = true;
                Ok(())
            }
        }
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_named {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Read for NewFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// What the temporary names for a file begin with.
pub fn part_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(cut(name));
    prefix.push(".");
    prefix
}

/// So much of a name that a longer one can be made of it: file systems allow 255 bytes.
fn cut(name: &OsStr) -> Cow<'_, OsStr> {
    const LONGEST: usize = 200;
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    let text = name.to_string_lossy();
    let begin = (0..=LONGEST).rev().find_map(|at| text.get(..at)).unwrap_or_default();
    Cow::Owned(begin.into())
}

/// Removes files left by runs for the same target that were killed; a run that is still writing one holds its lock.
pub fn remove_abandoned(target: &Path) {
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = part_prefix(target.file_name().unwrap_or_default());
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let other = entry.file_name();
        let rest = other.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let number = rest.and_then(|rest| rest.strip_suffix(b".part"));
        let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let is_ours = number.is_some_and(|number| number.split(|&byte| byte == b'.').all(is_number));
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

/// Whether the file still has this name. Where it can't be told from others, any file of that name is taken for it.
fn is_at(file: &File, path: &Path) -> bool {
    let own = file.metadata().ok().as_ref().and_then(identity);
    fs::symlink_metadata(path).is_ok_and(|metadata| own.is_none() || identity(&metadata) == own)
}

/// What tells a file from all others that are there: its device and its number on that. Only Unix has such.
#[cfg(unix)]
pub fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// What tells a file from all others that are there: its device and its number on that. Only Unix has such.
#[cfg(not(unix))]
pub fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Where a link leads, or a link that it leads to, although nothing is there yet; `None` if they lead nowhere. A path that is
/// no link leads to itself.
pub fn target_of(path: &Path) -> Option<PathBuf> {
    /// As many as Linux follows.
    const LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Some(path),
        }
    }
    None
}
