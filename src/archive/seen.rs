//! Which files and directories have been read already, under whatever name.
//!
//! Owns what distinguishes one file from another: on Unix its device and its number there, elsewhere its real path. The
//! only files remembered are those that somebody named and those that links lead to; every other file in a directory is
//! covered by the directory.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::files::identity;

/// What was read in one run, so that nothing is read twice because it has two names. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Seen(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    dirs: HashSet<Identity>,
    files: Files,
}

/// A device, and a number on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity(u64, u64);

impl Identity {
    fn of(path: &Path, metadata: &Metadata) -> Option<Self> {
        if let Some((device, number)) = identity(metadata) {
            return Some(Self(device, number));
        }
        let mut hasher = DefaultHasher::new();
        fs::canonicalize(path).ok()?.hash(&mut hasher);
        Some(Self(0, hasher.finish()))
    }
}

/// A set in which numbers that are close together take little room: a list may have millions of files.
#[derive(Debug, Default)]
struct Files(HashMap<Identity, u128>);

impl Files {
    /// The most groups of numbers. Files that need more groups are not remembered.
    const MAX_GROUPS: usize = 1 << 20;

    fn place(Identity(device, number): Identity) -> (Identity, u128) {
        (Identity(device, number / 128), 1 << (number % 128))
    }

    fn has(&self, file: Identity) -> bool {
        let (group, bit) = Self::place(file);
        self.0.get(&group).is_some_and(|bits| bits & bit > 0)
    }

    fn add(&mut self, file: Identity) {
        let (group, bit) = Self::place(file);
        if self.0.len() < Self::MAX_GROUPS || self.0.contains_key(&group) {
            *self.0.entry(group).or_default() |= bit;
        }
    }
}

impl Seen {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a directory that is read completely; true if it was remembered before.
    pub(crate) fn add_dir(&self, path: &Path, metadata: &Metadata) -> bool {
        Identity::of(path, metadata).is_some_and(|dir| !self.state().dirs.insert(dir))
    }

    /// Whether any single file is remembered.
    pub(crate) fn has_files(&self) -> bool {
        !self.state().files.0.is_empty()
    }

    /// Whether a file is remembered.
    pub(crate) fn has_file(&self, path: &Path) -> bool {
        let file = fs::metadata(path).ok().and_then(|metadata| Identity::of(path, &metadata));
        file.is_some_and(|file| self.state().files.has(file))
    }

    /// Remembers a file. True if it was remembered before, or if its directory was and `is_picked` is true for its real path.
    pub(crate) fn add_file(&self, path: &Path, is_picked: impl FnOnce(&Path) -> bool) -> bool {
        // Any error here is reported when the file is opened.
        let Ok(metadata) = fs::metadata(path) else { return false };
        let Some(file) = Identity::of(path, &metadata) else { return false };
        if self.state().files.has(file) {
            return true;
        }
        if !self.state().dirs.is_empty()
            && let Ok(path) = fs::canonicalize(path)
            && let Some(dir) = path.parent()
            && let Ok(metadata) = fs::metadata(dir)
            && Identity::of(dir, &metadata).is_some_and(|dir| self.state().dirs.contains(&dir))
            && is_picked(&path)
        {
            return true;
        }
        self.state().files.add(file);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_identified_by_device_and_inode() {
        let mut files = Files::default();
        for number in [0, 127, 128, u64::MAX] {
            assert!(!files.has(Identity(1, number)));
            files.add(Identity(1, number));
            assert!(files.has(Identity(1, number)) && !files.has(Identity(2, number)), "{number}");
        }
        assert!(!files.has(Identity(1, 1)));
    }
}
