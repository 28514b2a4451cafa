//! Where a file is, seen from the database: what it is known by, whatever it was called.
//!
//! Owns that a collection and its database may be moved together, that two names of a file are one file, and that files of one
//! name in two directories are two. Links are another name where they are directories; a link to a file is a file.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::index::Stamp;

/// Finds places.
#[derive(Debug)]
pub(super) struct Places {
    /// The directory of the database; `None` for one that is in memory.
    base: Option<PathBuf>,
    /// The last directory that was asked for, and its place: a directory has many files.
    last: Option<(PathBuf, PathBuf)>,
}

impl Places {
    /// For a database at that path.
    pub(super) fn new(database: Option<&str>) -> Self {
        let path = database.filter(|path| !path.is_empty()).map(Path::new);
        let base = path.and_then(Path::parent).map(directory);
        Self { base, last: None }
    }

    /// The place of a file. What has no stamp is no file, and its name is all that there is of it.
    pub(super) fn of(&mut self, name: &str, stamp: Option<&Stamp>) -> String {
        let path = Path::new(name);
        let (Some(base), Some(_), Some(around), Some(file)) = (&self.base, stamp, path.parent(), path.file_name())
        else {
            return name.to_owned();
        };
        if self.last.as_ref().is_none_or(|(last, _)| last != around) {
            let whole = directory(around);
            let place = pathdiff::diff_paths(&whole, base).unwrap_or(whole);
            self.last = Some((around.to_path_buf(), place));
        }
        self.last.as_ref().map_or_else(|| name.to_owned(), |(_, place)| place.join(file).to_string_lossy().into_owned())
    }

    /// True for the place of a file that is certainly not there.
    pub(super) fn is_gone(&self, place: &str) -> bool {
        self.base.as_ref().is_some_and(|base| base.join(place).try_exists().is_ok_and(|is_there| !is_there))
    }
}

/// The whole path of a directory, without links where it is there.
fn directory(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    fs::canonicalize(path)
        .or_else(|_| env::current_dir().map(|current| current.join(path)))
        .unwrap_or_else(|_| path.to_path_buf())
}
