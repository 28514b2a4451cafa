//! The files of a directory, or those that a pattern matches.
//!
//! Owns what a path stands for, and the walk: sorted by name, following links that lead to something new, and reporting
//! unreadable entries. An archive is recognised by its first bytes if its name does not show it.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, IntoIter, WalkDir};

use crate::archive::behind::behind_file;
use crate::archive::format::{head_of, may_begin_game};
use crate::archive::pattern::{Pattern, Stage, is_pattern};
use crate::archive::picks::{Pick, is_apple_double, is_archive, is_game, is_misnamed};
use crate::archive::seekable::missing_volume;
use crate::archive::{Format, Name, Opener, PatternError, Seen, Skip, first_volume};

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
    /// The directory, or that in which all lies that the pattern matches.
    start: PathBuf,
    entries: IntoIter,
    opener: Opener,
    pattern: Option<Pattern>,
    followed: Followed,
    /// The directory that was entered last.
    entered: Option<DirEntry>,
    /// The last link to a directory that could not be opened.
    unopened: Option<PathBuf>,
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

/// What a path stands for.
#[derive(Debug)]
pub enum Named {
    /// A file, or nothing that could be opened.
    File,
    /// Something that is read only once, such as a pipe.
    Stream,
    /// The files of a directory, or those that a pattern matches.
    Files(Box<Walk>),
}

impl Opener {
    pub(crate) fn report_skip(&self, path: &Path, why: Skip) {
        if let Some(skipped) = &self.skipped {
            skipped(&Name::new(path.to_string_lossy()), why);
        }
    }

    /// What a path stands for of which the system says this. If nothing is there, it may be a pattern.
    ///
    /// # Errors
    ///
    /// Those of [`glob`](Self::glob).
    #[doc(hidden)]
    pub fn named(&self, path: &Path, metadata: &io::Result<Metadata>) -> Result<Named, PatternError> {
        Ok(match metadata {
            Ok(metadata) if metadata.is_dir() => Named::Files(Box::new(self.walk(path))),
            Ok(metadata) if !metadata.is_file() => Named::Stream,
            Err(_) if is_pattern(&path.to_string_lossy()) => {
                Named::Files(Box::new(self.glob(&path.to_string_lossy())?))
            }
            _ => Named::File,
        })
    }

    /// Remembers a file that the caller names and is about to read. True if it was remembered before in the same run, under
    /// whatever name, or was read with its directory; that is reported.
    pub fn remember(&self, path: &Path, seen: &Seen) -> bool {
        let is_again = seen.add_file(path, |path| self.finds(path));
        if is_again {
            self.report_skip(path, Skip::Again);
        }
        is_again
    }

    /// Whether a file in a directory is read: by its name, or by its first bytes.
    fn finds(&self, path: &Path) -> bool {
        let name = path.as_os_str().as_encoded_bytes();
        match self.picks.pick(name, self.picks.outermost()) {
            Pick::Read => !is_beside(path),
            Pick::Leave => !self.picks.excludes(name) && self.is_hidden(path),
            pick => self.is_as_picked(path, pick),
        }
    }

    /// Whether it is an archive whose name does not show it. Something compressed counts as one if its name does not
    /// say what is in it and a game may be, or if it contains a container; and a program, if an archive stands behind it.
    fn is_hidden(&self, path: &Path) -> bool {
        if first_volume(path).is_some() {
            return false;
        }
        let (mut file, head) = match begin(path) {
            Ok(begun) => begun,
            // It may be an archive, and whoever reads it reports the error.
            Err(error) => return error.kind() == io::ErrorKind::PermissionDenied && has_no_kind(path),
        };
        // That the others are not there is reported where it is read.
        if missing_volume(path, &head).is_some() {
            return true;
        }
        let is_container = |format| matches!(format, Format::Zip | Format::SevenZip | Format::Tar);
        let format = Format::detect(&head);
        if Format::is_machine_code(&head) {
            return is_container(behind_file(&mut file, &head));
        }
        if !format.is_compression() {
            return is_container(format);
        }
        let unpacked = self.unpacked_head(format, head, file);
        let may_be_game = self.picks.outermost() == Pick::Read && has_no_kind(path);
        may_be_game && holds(Pick::IfGame, &unpacked) || is_container(Format::detect(&unpacked))
    }

    /// Whether it is what its name leaves open. What can't be read, or is not as its name says, counts: whoever reads it
    /// reports that.
    fn is_as_picked(&self, path: &Path, pick: Pick) -> bool {
        let Ok((file, head)) = begin(path) else { return true };
        let format = Format::detect(&head);
        if format.is_compression() {
            return holds(pick, &self.unpacked_head(format, head, file));
        }
        holds(pick, &head) || is_misnamed(path.as_os_str().as_encoded_bytes(), &head)
    }

    /// Looks for files under a directory.
    pub fn walk(&self, root: impl Into<PathBuf>) -> Walk {
        Walk::new(root.into(), self.clone(), None)
    }

    /// Looks for what a pattern matches: files, whatever their extension, and the files of directories. `*`, `?`,
    /// `[a-z]` and `{a,b}` stay within a name; `**` is any number of directories. Any link is followed that a part of the
    /// pattern before `**` matches; one that leads back to a directory around it can't be, which is a failure.
    ///
    /// # Errors
    ///
    /// A pattern that is empty or can't be understood.
    pub fn glob(&self, pattern: &str) -> Result<Walk, PatternError> {
        let (root, matcher) = Pattern::new(pattern)?;
        Ok(Walk { root: pattern.into(), ..Walk::new(root, self.clone(), Some(matcher)) })
    }
}

/// Whether a Mac has written it beside a file.
fn is_beside(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.starts_with(b"._") && begin(path).is_ok_and(|(_, head)| is_apple_double(name, &head))
}

/// Opens a file and reads its first bytes.
fn begin(path: &Path) -> io::Result<(File, Vec<u8>)> {
    let mut file = File::open(path)?;
    let head = head_of(&mut file)?;
    Ok((file, head))
}

/// Whether these may be the first bytes of something that is picked like this. Nothing at all may be due to damage, which
/// is reported where it is read.
fn holds(pick: Pick, head: &[u8]) -> bool {
    !Format::detect(head).is_plain()
        || match pick {
            Pick::LookInto => head.is_empty() || Format::is_doubtful(head),
            _ => may_begin_game(head),
        }
}

/// Whether a name has no extension made of letters, which would say what it is.
fn has_no_kind(path: &Path) -> bool {
    path.extension().is_none_or(|extension| !extension.as_encoded_bytes().iter().all(u8::is_ascii_alphabetic))
}

impl Walk {
    fn new(root: PathBuf, opener: Opener, pattern: Option<Pattern>) -> Self {
        // The entries of a directory differ only in their names; finding the name in a path would cost more than
        // comparing whole paths.
        let by_name = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
        let start = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.clone() };
        let entries = WalkDir::new(&start).follow_links(true).sort_by(by_name).into_iter();
        let (followed, seen) = (Followed::default(), Seen::default());
        let (entered, unopened) = (None, None);
        Self { root, start, entries, opener, pattern, followed, entered, unopened, seen, any: false, done: false }
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

    /// Reports what is skipped. With a pattern, that is only what lies in a folder that the pattern matches.
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
        let is_usual = is_file && !is_beside(entry.path());
        self.opener.report_skip(entry.path(), if is_usual { self.opener.picks.why_not(name) } else { Skip::Kind });
    }

    /// Reports what is read elsewhere, if it would be read here.
    fn again(&mut self, path: &Path) {
        if self.takes(path) {
            self.any = true;
            self.opener.report_skip(path, Skip::Again);
        }
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
        if self.pattern.as_ref().is_some_and(|pattern| !pattern.leads_into(entry.path(), entry.depth())) {
            return true;
        }
        if entry.depth() > 0 && !self.opener.picks.enters(entry.path().as_os_str().as_encoded_bytes()) {
            self.opener.report_skip(entry.path(), Skip::Excluded);
            return true;
        }
        let is_again = !self.is_new(entry)
            || self.pattern.is_none()
                && entry.metadata().is_ok_and(|metadata| self.seen.add_dir(entry.path(), &metadata));
        if is_again {
            self.again(entry.path());
        }
        is_again
    }

    /// False for a link to a directory that is read anyway.
    fn is_new(&mut self, entry: &DirEntry) -> bool {
        let is_link = entry.depth() > 0 && entry.path_is_symlink();
        match self.stage(entry.path(), entry.depth()) {
            Stage::Way => true,
            Stage::Top => self.followed.begin(entry.path(), is_link),
            Stage::Within => !is_link || (!self.comes_itself(entry.path()) && self.followed.is_new(entry.path())),
        }
    }

    fn stage(&self, path: &Path, depth: usize) -> Stage {
        let plain = if depth == 0 { Stage::Top } else { Stage::Within };
        self.pattern.as_ref().map_or(plain, |pattern| pattern.stage(path, depth))
    }

    /// Whether a link back to a directory around it leads to files that are read by no other name.
    fn is_lost(&self, link: &Path, depth: usize) -> bool {
        let Some(pattern) = &self.pattern else { return false };
        // Where braces leave open what a folder is called, nothing may match in this one.
        let is_wanted = pattern.names(depth) && pattern.leads_into(link, depth) || pattern.matches(link);
        is_wanted && self.stage(link, depth) != Stage::Within && !self.comes_itself(link)
    }

    /// Whether a link leads to something that the pattern matches by its own name.
    fn comes_itself(&self, link: &Path) -> bool {
        let Some(pattern) = &self.pattern else { return false };
        let (Ok(target), Ok(home)) = (fs::canonicalize(link), fs::canonicalize(&self.start)) else { return false };
        target.strip_prefix(home).is_ok_and(|rest| pattern.takes(&self.start.join(rest)))
    }

    /// A pipe or a device in a directory would be waited for, so only plain files count there.
    fn is_wanted(&self, entry: &DirEntry) -> bool {
        if !entry.file_type().is_file() {
            return false;
        }
        let by_picks = || self.opener.finds(entry.path());
        let Some(pattern) = &self.pattern else { return by_picks() };
        let path = entry.path();
        if first_volume(path).is_some_and(|first| pattern.matches(&first)) {
            return false;
        }
        pattern.matches(path) || pattern.is_inside(path) && by_picks()
    }

    /// Whether a directory around it is read. The one that a walk begins at is.
    fn is_inside(&self, path: &Path) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.is_inside(path))
    }

    /// Whether a path is asked for, itself or with a directory around it.
    fn takes(&self, path: &Path) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.takes(path))
    }

    /// The failure to report for an error, if any: neither for a loop whose files are all read on the way into it, nor
    /// for a link that leads nowhere and does not claim to be a game file, nor for what a pattern does not ask for.
    fn failure(&mut self, error: walkdir::Error) -> Option<Found> {
        if error.loop_ancestor().is_some() {
            let path = error.path().filter(|path| self.is_lost(path, error.depth()))?;
            return Some(Found::Failure(path.to_path_buf(), io::Error::other("a link back to a folder around it")));
        }
        let path = match error.path() {
            Some(path) => {
                // A directory is entered first, and opened then.
                let is_entered = self.entered.as_ref().is_none_or(|dir| dir.path() == path);
                let name = path.as_os_str().as_encoded_bytes();
                let is_reported = self.takes(path) && (is_game(name) || is_archive(name) || !path.is_symlink());
                if !is_entered && !is_reported {
                    return None;
                }
                path.to_path_buf()
            }
            None => match self.unopened(error.depth()) {
                Some(link) => {
                    let pattern = self.pattern.as_ref();
                    let is_reported = pattern.is_none_or(|pattern| pattern.leads_into(&link, error.depth()));
                    self.unopened = Some(link.clone());
                    is_reported.then_some(link)?
                }
                None => self.around(error.depth()).unwrap_or(&self.root).to_path_buf(),
            },
        };
        // Without the path, which is reported beside it.
        Some(Found::Failure(path, error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into())))
    }

    /// The directory whose entries, of this depth, are being listed.
    fn around(&self, depth: usize) -> Option<&Path> {
        self.entered.as_ref().and_then(|dir| dir.path().ancestors().nth((dir.depth() + 1).saturating_sub(depth)))
    }

    /// The next link in the directory being listed to one that can't be opened: the error does not tell which. If there
    /// is none, the listing itself failed.
    fn unopened(&self, depth: usize) -> Option<PathBuf> {
        let around = self.around(depth)?;
        let last = self.unopened.as_deref().filter(|link| link.parent() == Some(around));
        let after = self.around(depth + 1).max(last)?.as_os_str();
        let paths = fs::read_dir(around).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut links: Vec<_> = paths.filter(|path| path.as_os_str() > after && path.is_symlink()).collect();
        links.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        links.into_iter().find(|link| link.is_dir() && fs::read_dir(link).is_err())
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
                    } else {
                        self.entered = Some(entry);
                    }
                }
                Some(Ok(entry)) => self.skipped(&entry),
                Some(Err(error)) => {
                    if let (Some(_), Some(path)) = (error.loop_ancestor(), error.path())
                        && !self.is_lost(path, error.depth())
                    {
                        self.again(path);
                    }
                    if let Some(failure) = self.failure(error) {
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

/// The directories that links led to, so that games behind two links are not counted twice.
#[derive(Debug, Default)]
struct Followed {
    /// The directory around, of which everything is read that may match: that of the walk, or one that a pattern leads to.
    root: Option<PathBuf>,
    targets: HashSet<PathBuf>,
}

impl Followed {
    /// Begins with a directory. False if a link to it leads nowhere new.
    fn begin(&mut self, dir: &Path, is_link: bool) -> bool {
        self.root = fs::canonicalize(dir).ok();
        !is_link || self.root.clone().is_none_or(|target| self.add(target))
    }

    /// Whether a link leads to something new: not into a directory that is read anyway, and not out of the root and back to it.
    fn is_new(&mut self, link: &Path) -> bool {
        let Ok(target) = fs::canonicalize(link) else { return true };
        let is_near = self.root.as_ref().is_some_and(|root| root.starts_with(&target) || target.starts_with(root));
        !is_near && self.add(target)
    }

    fn add(&mut self, target: PathBuf) -> bool {
        !target.ancestors().any(|above| self.targets.contains(above)) && self.targets.insert(target)
    }
}
