//! The files of a directory, or those that a pattern matches.
//!
//! Owns the walk: sorted by name, links followed where that leads to something new, unreadable entries reported.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use globset::GlobMatcher;
use walkdir::{DirEntry, IntoIter, WalkDir};

use crate::archive::picks::{Pick, is_archive, is_game, path_glob};
use crate::archive::{Name, Opener, PatternError, Skip};

/// The files under a directory that the [`Picks`](crate::archive::Picks) choose, in an order that depends on their names alone.
///
/// Only plain files are found: a pipe or a device would be waited for. A link to a directory is followed unless that is read
/// anyway, so that no file comes twice, and a loop ends.
#[derive(Debug)]
pub struct Walk {
    root: PathBuf,
    entries: IntoIter,
    opener: Opener,
    /// What the whole path must match, or that of a directory around it.
    pattern: Option<GlobMatcher>,
    followed: Followed,
    /// Something was found or complained about.
    any: bool,
    done: bool,
}

/// What a walk comes by.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found {
    /// To be read.
    File(PathBuf),
    /// It can't be.
    Failure(PathBuf, io::Error),
    /// The whole walk found nothing to read in this directory.
    Nothing(PathBuf),
}

impl Opener {
    /// Looks for files under a directory.
    pub fn walk(&self, root: impl Into<PathBuf>) -> Walk {
        Walk::new(root.into(), self.clone(), None)
    }

    /// Looks for what a pattern matches: files, whatever their extension, and the files of directories. `*`, `?`, `[a-z]`
    /// and `{a,b}` stay within a name, `**` is any number of directories.
    ///
    /// # Errors
    ///
    /// A pattern that can't be understood.
    pub fn glob(&self, pattern: &str) -> Result<Walk, PatternError> {
        let matcher = path_glob(pattern)?.compile_matcher();
        // Where no part is a pattern yet.
        let is_plain = |part: &Component<'_>| !is_pattern(&part.as_os_str().to_string_lossy());
        let root: PathBuf = Path::new(pattern).components().take_while(is_plain).collect();
        Ok(Walk::new(root, self.clone(), Some(matcher)))
    }
}

/// True where a path that is not there may be meant as a pattern.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

impl Walk {
    fn new(root: PathBuf, opener: Opener, pattern: Option<GlobMatcher>) -> Self {
        // The entries of a directory differ in their names alone; finding the name in a path would cost more than comparing.
        let by_name = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
        let start = if root.as_os_str().is_empty() { Path::new(".") } else { &root };
        let entries = WalkDir::new(start).follow_links(true).sort_by(by_name).into_iter();
        Self { followed: Followed::new(start), root, entries, opener, pattern, any: false, done: false }
    }

    fn found(&mut self, found: Found) -> Found {
        self.any = true;
        found
    }

    /// Who names a pattern does not want to hear of all that it does not match.
    fn skipped(&self, entry: &DirEntry) {
        if self.pattern.is_some() || self.opener.skipped.is_none() {
            return;
        }
        let name = entry.path().as_os_str().as_encoded_bytes();
        let is_file = entry.file_type().is_file();
        self.tell(entry.path(), if is_file { self.opener.picks.why_not(name) } else { Skip::Kind });
    }

    fn tell(&self, path: &Path, why: Skip) {
        if let Some(skipped) = &self.opener.skipped {
            skipped(&Name::new(path.to_string_lossy()), why);
        }
    }

    /// A pipe or a device in a directory would be waited for, so only plain files count there.
    fn is_wanted(&self, entry: &DirEntry) -> bool {
        if !entry.file_type().is_file() {
            return false;
        }
        let name = entry.path().as_os_str().as_encoded_bytes();
        let picks = &self.opener.picks;
        let by_picks = || picks.pick(name, picks.outermost()) != Pick::Leave;
        let Some(pattern) = &self.pattern else { return by_picks() };
        let path = entry.path().strip_prefix(".").unwrap_or(entry.path());
        pattern.is_match(path) || path.ancestors().skip(1).any(|around| pattern.is_match(around)) && by_picks()
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        while !self.done {
            match self.entries.next() {
                Some(Ok(entry)) if self.is_wanted(&entry) => return Some(self.found(Found::File(entry.into_path()))),
                Some(Ok(entry)) if entry.file_type().is_dir() => {
                    let is_link = entry.depth() > 0 && entry.path_is_symlink();
                    let is_left =
                        entry.depth() > 0 && !self.opener.picks.enters(entry.path().as_os_str().as_encoded_bytes());
                    if is_left {
                        self.tell(entry.path(), Skip::Excluded);
                    }
                    if is_left || is_link && !self.followed.is_new(entry.path()) {
                        self.entries.skip_current_dir();
                    }
                }
                Some(Ok(entry)) => self.skipped(&entry),
                Some(Err(error)) => {
                    if let Some(failure) = failure(error) {
                        return Some(self.found(failure));
                    }
                }
                None => {
                    self.done = true;
                    if !self.any {
                        return Some(Found::Nothing(std::mem::take(&mut self.root)));
                    }
                }
            }
        }
        None
    }
}

/// The directories that are read anyway, so that a link to one of them must not have its games counted twice.
#[derive(Debug)]
struct Followed(Vec<PathBuf>);

impl Followed {
    fn new(root: &Path) -> Self {
        Self(fs::canonicalize(root).into_iter().collect())
    }

    /// False for a link into a directory that is read anyway, and for one that leads out of the root and back to it.
    fn is_new(&mut self, link: &Path) -> bool {
        let Ok(target) = fs::canonicalize(link) else { return true };
        let is_loop = self.0.first().is_some_and(|root| root.starts_with(&target));
        if is_loop || self.0.iter().any(|known| target.starts_with(known)) {
            return false;
        }
        self.0.push(target);
        true
    }
}

/// What is worth a complaint: neither a loop, whose files are all read on the way into it, nor a link that leads nowhere
/// and does not claim to be a game file.
fn failure(error: walkdir::Error) -> Option<Found> {
    if error.loop_ancestor().is_some() {
        return None;
    }
    let path = error.path().unwrap_or_else(|| Path::new(".")).to_path_buf();
    let is_link = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
    let name = path.as_os_str().as_encoded_bytes();
    if is_link && !is_game(name) && !is_archive(name) {
        return None;
    }
    // Without the path, which is told beside it.
    Some(Found::Failure(path, error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into())))
}
