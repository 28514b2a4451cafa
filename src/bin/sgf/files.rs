//! A directory's SGF files.
//!
//! Owns the walk: sorted by name, `.sgf` in any case, links followed where that leads to something new, unreadable
//! entries reported.

use std::fs;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, IntoIter, WalkDir};

use crate::input::Failure;
use crate::stderr::reason;

/// The SGF files under a directory, in an order that depends on their names alone.
pub(crate) struct Files {
    root: PathBuf,
    walk: IntoIter,
    followed: Followed,
    /// Something was found or complained about.
    any: bool,
    done: bool,
}

/// What the walk comes by.
pub(crate) enum Found {
    File(PathBuf),
    Failure(Failure),
    /// The whole walk found nothing to read in this directory.
    Nothing(PathBuf),
}

impl Files {
    pub(crate) fn new(root: PathBuf) -> Self {
        // The entries of a directory differ in their names alone; finding the name in a path would cost more than comparing.
        let by_name = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
        let walk = WalkDir::new(&root).follow_links(true).sort_by(by_name).into_iter();
        Self { followed: Followed::new(&root), root, walk, any: false, done: false }
    }

    fn found(&mut self, found: Found) -> Found {
        self.any = true;
        found
    }
}

impl Iterator for Files {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        while !self.done {
            match self.walk.next() {
                Some(Ok(entry)) if is_game_file(&entry) => return Some(self.found(Found::File(entry.into_path()))),
                Some(Ok(entry)) => {
                    let is_link = entry.depth() > 0 && entry.path_is_symlink() && entry.file_type().is_dir();
                    if is_link && !self.followed.is_new(entry.path()) {
                        self.walk.skip_current_dir();
                    }
                }
                Some(Err(error)) => {
                    if let Some(failure) = failure(&error) {
                        return Some(self.found(Found::Failure(failure)));
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

/// A pipe or a device in a directory would be waited for, so only plain files count there.
fn is_game_file(entry: &DirEntry) -> bool {
    entry.file_type().is_file() && has_extension(entry.path())
}

/// As [`Path::extension`] would tell, in a tenth of the time: a name that is nothing but `.sgf` has none.
fn has_extension(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let Some((stem, extension)) = bytes.split_last_chunk() else { return false };
    let is_stem = |byte: &u8| !std::path::is_separator(char::from(*byte));
    let extension: &[u8; 4] = extension;
    extension.eq_ignore_ascii_case(b".sgf") && stem.last().is_some_and(is_stem)
}

/// What is worth a complaint: neither a loop, whose files are all read on the way into it, nor a link that leads nowhere
/// and does not claim to be a game file.
fn failure(error: &walkdir::Error) -> Option<Failure> {
    if error.loop_ancestor().is_some() {
        return None;
    }
    let path = error.path().unwrap_or_else(|| Path::new("."));
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if is_link && !has_extension(path) {
        return None;
    }
    let reason = error.io_error().map_or_else(|| error.to_string(), reason);
    Some(Failure { path: path.to_path_buf(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_that_of_the_name() {
        for path in ["a.sgf", "d/a.SgF", "a.b.sgf", "..sgf", "d/-.sgf"] {
            assert!(has_extension(Path::new(path)), "{path}");
        }
        for path in ["", "sgf", ".sgf", "d/.sgf", "a.sgf2", "a.sg", "asgf"] {
            assert!(!has_extension(Path::new(path)), "{path}");
        }
    }
}
