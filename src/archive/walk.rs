//! The files of a directory, or those that a pattern matches.
//!
//! Owns the walk: sorted by name, following links that lead to something new, and reporting unreadable entries. An
//! archive is recognised by its first bytes if its name does not show it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use globset::GlobMatcher;
use walkdir::{DirEntry, IntoIter, WalkDir};

use crate::archive::behind::behind_file;
use crate::archive::picks::{Pick, is_archive, is_game, path_glob};
use crate::archive::{Format, HEAD_LEN, Name, Opener, PatternError, Seen, Skip, first_volume};

/// The files under a directory that [`Picks`](crate::archive::Picks) chooses, in an order that depends on their names
/// alone.
///
/// Only plain files are found, because reading a pipe or a device might wait. A link is followed unless what it leads
/// to is read anyway, so no file comes twice, and a loop ends.
#[must_use = "iterators are lazy"]
#[derive(Debug)]
pub struct Walk {
    /// The directory, or the pattern.
    root: PathBuf,
    entries: IntoIter,
    opener: Opener,
    /// What the whole path of a file, or of a directory around it, must match.
    pattern: Option<GlobMatcher>,
    followed: Followed,
    seen: Seen,
    /// Something was found or reported.
    any: bool,
    done: bool,
}

/// What a walk finds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found {
    /// To be read.
    File(PathBuf),
    /// It can't be read.
    Failure(PathBuf, io::Error),
    /// The whole walk found nothing to read in this directory, or nothing that this pattern matches.
    Nothing(PathBuf),
}

impl Opener {
    pub(crate) fn tell(&self, path: &Path, why: Skip) {
        if let Some(skipped) = &self.skipped {
            skipped(&Name::new(path.to_string_lossy()), why);
        }
    }

    /// Remembers a file that the caller names and is about to read. True if it was remembered before in the same run, under
    /// whatever name, or was read with its directory; that is reported.
    pub fn remember(&self, path: &Path, seen: &Seen) -> bool {
        let is_again = seen.add_file(path, |path| self.finds(path));
        if is_again {
            self.tell(path, Skip::Again);
        }
        is_again
    }

    /// Whether a file in a directory is read: by its name, or because it is an archive.
    fn finds(&self, path: &Path) -> bool {
        let name = path.as_os_str().as_encoded_bytes();
        let outer = self.picks.outermost();
        self.picks.pick(name, outer) != Pick::Leave || self.picks.may_hide(name) && self.is_hidden(path, outer)
    }

    /// Whether it is an archive whose name does not show it. Something compressed counts as one if its name does not
    /// say what is in it, or if it contains a container; and a program, if an archive stands behind it.
    fn is_hidden(&self, path: &Path, outer: Pick) -> bool {
        if first_volume(path).is_some() {
            return false;
        }
        let mut file = match File::open(path) {
            Ok(file) => file,
            // It may be an archive, and whoever reads it reports the error.
            Err(error) => return error.kind() == io::ErrorKind::PermissionDenied && has_no_kind(path),
        };
        let mut head = Vec::new();
        if (&mut file).take(HEAD_LEN as u64).read_to_end(&mut head).is_err() {
            return false;
        }
        let is_container = |format| matches!(format, Format::Zip | Format::SevenZip | Format::Tar);
        let format = Format::of(&head);
        if Format::is_machine_code(&head) {
            return is_container(behind_file(&mut file, &head));
        }
        if !format.is_compression() {
            return is_container(format);
        }
        outer == Pick::Read && has_no_kind(path) || is_container(self.unpacked_format(format, head, file))
    }

    /// Looks for files under a directory.
    pub fn walk(&self, root: impl Into<PathBuf>) -> Walk {
        Walk::new(root.into(), self.clone(), None)
    }

    /// Looks for what a pattern matches: files, whatever their extension, and the files of directories. `*`, `?`,
    /// `[a-z]` and `{a,b}` stay within a name; `**` is any number of directories.
    ///
    /// # Errors
    ///
    /// A pattern that can't be understood.
    pub fn glob(&self, pattern: &str) -> Result<Walk, PatternError> {
        let matcher = path_glob(pattern)?.compile_matcher();
        // The part of the path before the first pattern.
        let is_plain = |part: &Component<'_>| !is_pattern(&part.as_os_str().to_string_lossy());
        let root: PathBuf = Path::new(pattern).components().take_while(is_plain).collect();
        Ok(Walk { root: pattern.into(), ..Walk::new(root, self.clone(), Some(matcher)) })
    }
}

/// Whether a name has no extension made of letters, which would say what it is.
fn has_no_kind(path: &Path) -> bool {
    path.extension().is_none_or(|extension| !extension.as_encoded_bytes().iter().all(u8::is_ascii_alphabetic))
}

/// True if a path that does not exist may be meant as a pattern.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

impl Walk {
    fn new(root: PathBuf, opener: Opener, pattern: Option<GlobMatcher>) -> Self {
        // The entries of a directory differ only in their names; finding the name in a path would cost more than
        // comparing whole paths.
        let by_name = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
        let start = if root.as_os_str().is_empty() { Path::new(".") } else { &root };
        let entries = WalkDir::new(start).follow_links(true).sort_by(by_name).into_iter();
        let (followed, seen) = (Followed::new(start), Seen::default());
        Self { root, followed, entries, opener, pattern, seen, any: false, done: false }
    }

    /// Leaves out what was read before in the same run, and remembers what is read.
    pub fn unless_seen(mut self, seen: &Seen) -> Self {
        self.seen = seen.clone();
        self
    }

    fn found(&mut self, found: Found) -> Found {
        self.any = true;
        found
    }

    /// Who names a pattern does not want to hear of all that it does not match, but of what is in a folder that it does.
    fn skipped(&self, entry: &DirEntry) {
        if self.opener.skipped.is_none() || !self.is_inside(entry.path()) {
            return;
        }
        // A further volume is read with the first one, if that is.
        if first_volume(entry.path()).is_some_and(|first| self.opener.finds(&first)) {
            return;
        }
        let name = entry.path().as_os_str().as_encoded_bytes();
        let is_file = entry.file_type().is_file();
        self.tell(entry.path(), if is_file { self.opener.picks.why_not(name) } else { Skip::Kind });
    }

    fn tell(&self, path: &Path, why: Skip) {
        self.opener.tell(path, why);
    }

    /// The same is read elsewhere.
    fn again(&mut self, path: &Path) {
        self.any = true;
        self.tell(path, Skip::Again);
    }

    /// True for a file that was read before, under whatever name.
    fn is_again(&self, entry: &DirEntry) -> bool {
        if self.pattern.is_some() || entry.path_is_symlink() {
            return self.seen.add_file(entry.path(), |path| self.opener.finds(path));
        }
        // One look at a flag, for nearly all.
        self.seen.has_files() && self.seen.has_file(entry.path())
    }

    /// True for a directory that is not entered.
    fn is_left(&mut self, entry: &DirEntry) -> bool {
        if entry.depth() > 0 && !self.opener.picks.enters(entry.path().as_os_str().as_encoded_bytes()) {
            self.tell(entry.path(), Skip::Excluded);
            return true;
        }
        let is_link = entry.depth() > 0 && entry.path_is_symlink();
        let is_again = is_link && !self.followed.is_new(entry.path())
            || self.pattern.is_none()
                && entry.metadata().is_ok_and(|metadata| self.seen.add_dir(entry.path(), &metadata));
        if is_again {
            self.again(entry.path());
        }
        is_again
    }

    /// A pipe or a device in a directory would be waited for, so only plain files count there.
    fn is_wanted(&self, entry: &DirEntry) -> bool {
        if !entry.file_type().is_file() {
            return false;
        }
        let by_picks = || self.opener.finds(entry.path());
        let Some(pattern) = &self.pattern else { return by_picks() };
        let path = bare(entry.path());
        if first_volume(entry.path()).is_some_and(|first| pattern.is_match(bare(&first))) {
            return false;
        }
        pattern.is_match(path) || self.is_inside(path) && by_picks()
    }

    /// Whether a directory around it is read. The one that a walk begins at is.
    fn is_inside(&self, path: &Path) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        bare(path).ancestors().skip(1).any(|around| pattern.is_match(around))
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        while !self.done {
            match self.entries.next() {
                Some(Ok(entry)) if self.is_wanted(&entry) => {
                    if !self.is_again(&entry) {
                        return Some(self.found(Found::File(entry.into_path())));
                    }
                    self.again(entry.path());
                }
                Some(Ok(entry)) if entry.file_type().is_dir() => {
                    if self.is_left(&entry) {
                        self.entries.skip_current_dir();
                    }
                }
                Some(Ok(entry)) => self.skipped(&entry),
                Some(Err(error)) => {
                    if let (Some(_), Some(path)) = (error.loop_ancestor(), error.path()) {
                        self.again(path);
                    }
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

/// The path in the form that patterns match.
fn bare(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}

/// The directories that are read anyway, so that games behind a link to one of them are not counted twice.
#[derive(Debug)]
struct Followed {
    root: Option<PathBuf>,
    targets: HashSet<PathBuf>,
}

impl Followed {
    fn new(root: &Path) -> Self {
        let root = fs::canonicalize(root).ok();
        Self { targets: root.iter().cloned().collect(), root }
    }

    /// Whether a link leads to something new: not into a directory that is read anyway, and not out of the root and back to it.
    fn is_new(&mut self, link: &Path) -> bool {
        let Ok(target) = fs::canonicalize(link) else { return true };
        let is_loop = self.root.as_ref().is_some_and(|root| root.starts_with(&target));
        let is_read = target.ancestors().any(|above| self.targets.contains(above));
        !is_loop && !is_read && self.targets.insert(target)
    }
}

/// The failure to report for an error, if any: neither for a loop, whose files are all read on the way into it, nor for
/// a link that leads nowhere and does not claim to be a game file.
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
    // Without the path, which is reported beside it.
    Some(Found::Failure(path, error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into())))
}
