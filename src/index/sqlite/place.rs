//! Where a file is: the name by which a database knows it, whatever it was called on the command line.
//!
//! Owns the rule that two names of a file are one file, and that files of the same name in two directories are two. A path is
//! absolute, and without links. It is stored as text if it is UTF-8, or else as bytes, so that no two files share one.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::{env, fs};

use rusqlite::types::{FromSqlResult, Value, ValueRef};

/// Finds the places of files.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The last directory that was looked up, and where it is: a directory has many files.
    last: Option<(PathBuf, PathBuf)>,
}

impl Places {
    pub(super) fn of(&mut self, path: &Path) -> Value {
        let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        // Where case does not matter, the name of a file is as it is on the disk, and not as it was typed.
        let may_be_spelled_otherwise = cfg!(any(windows, target_vendor = "apple"));
        let is_whole = is_link || may_be_spelled_otherwise;
        let (false, Some(around), Some(file)) = (is_whole, path.parent(), path.file_name()) else {
            return value(&whole(path));
        };
        if self.last.as_ref().is_none_or(|(last, _)| last != around) {
            // A name alone is in the directory that this runs in.
            let place = whole(if around.as_os_str().is_empty() { Path::new(".") } else { around });
            self.last = Some((around.to_path_buf(), place));
        }
        self.last.as_ref().map_or_else(|| value(path), |(_, around)| value(&around.join(file)))
    }
}

/// The absolute path, without links if the file exists.
fn whole(path: &Path) -> PathBuf {
    canonical(path)
        .or_else(|_| env::current_dir().map(|current| current.join(path)))
        .unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(not(windows))]
fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Windows gives a path in a form that people do not write, and some programs do not read: `\\?\C:\games\a.sgf`. Where the
/// usual one leads to the same file, that is stored.
#[cfg(windows)]
fn canonical(path: &Path) -> io::Result<PathBuf> {
    let whole = fs::canonicalize(path)?;
    let text = whole.to_str().unwrap_or_default();
    let usual = match text.strip_prefix(r"\\?\UNC\") {
        Some(rest) => format!(r"\\{rest}"),
        None => text.trim_start_matches(r"\\?\").to_owned(),
    };
    let is_same = fs::canonicalize(&usual).is_ok_and(|path| path == whole);
    Ok(if is_same { usual.into() } else { whole })
}

#[cfg(unix)]
fn value(path: &Path) -> Value {
    use std::os::unix::ffi::OsStrExt;
    path.to_str().map_or_else(|| Value::Blob(path.as_os_str().as_bytes().to_vec()), |text| Value::Text(text.to_owned()))
}

#[cfg(not(unix))]
fn value(path: &Path) -> Value {
    path.to_str()
        .map_or_else(|| Value::Blob(path.as_os_str().as_encoded_bytes().to_vec()), |text| Value::Text(text.to_owned()))
}

/// Whether a file is certainly no longer at this place, or a link there leads elsewhere by now.
pub(super) fn is_gone(place: ValueRef<'_>) -> FromSqlResult<bool> {
    let Some(path) = path(place)? else { return Ok(false) };
    Ok(match canonical(path) {
        Ok(whole) => whole != path,
        Err(error) => error.kind() == ErrorKind::NotFound,
    })
}

/// Whether the files at two places have the same name.
pub(super) fn have_one_name(place: ValueRef<'_>, other: &Value) -> FromSqlResult<bool> {
    let name = |place| path(place).map(|path| path.and_then(Path::file_name));
    let (one, other) = (name(place)?, name(other.into())?);
    Ok(one.is_some() && one == other)
}

#[cfg(unix)]
fn path(place: ValueRef<'_>) -> FromSqlResult<Option<&Path>> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    place.as_bytes().map(|bytes| Some(Path::new(OsStr::from_bytes(bytes))))
}

/// `None` for bytes, of which no path can be made without unsafe code: such a file is read, but never found to be gone.
#[cfg(not(unix))]
fn path(place: ValueRef<'_>) -> FromSqlResult<Option<&Path>> {
    if matches!(place, ValueRef::Blob(_)) { Ok(None) } else { place.as_str().map(|text| Some(Path::new(text))) }
}
