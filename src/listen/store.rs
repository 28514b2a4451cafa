//! Where games go, and when they are safe there.
//!
//! Owns [`Store`], the promise that everything else rests on, [`Entry`], the unit that is handed over, and [`StoreError`].

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::identity;
use crate::listen::GameId;

/// A game on its way to a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name.
    pub id: GameId,
    /// Its row: one JSON object on one line, as [the module](crate::listen) describes it, with the line end.
    pub row: Vec<u8>,
}

impl Entry {
    /// An entry, as the service makes them. Whoever writes a store can test it with this.
    pub const fn new(id: GameId, row: Vec<u8>) -> Self {
        Self { id, row }
    }
}

/// Why a store could not keep games, and in which file.
///
/// The stores of this crate return it inside of an [`io::Error`] of the same [kind](io::Error::kind), where
/// [`get_ref`](io::Error::get_ref) and a downcast find it.
#[derive(Debug)]
pub struct StoreError {
    path: PathBuf,
    error: io::Error,
}

impl StoreError {
    /// The file, as it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the system or the database said of it.
    pub const fn error(&self) -> &io::Error {
        &self.error
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

/// It displays the error of the file, so its source is that error's source.
impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.error)
    }
}

/// Where games are kept.
///
/// It is called on a thread of its own, one batch at a time, and may take as long as it needs: the senders wait.
pub trait Store: Send + 'static {
    /// Stores those games of a batch that are not there yet, and returns when they are safe even if the power fails
    /// now. The answer says for each of the batch, in order, whether it was new.
    ///
    /// A batch may hold a game twice. Only the first of the two is new then.
    ///
    /// # Errors
    ///
    /// It is not known which of the batch are stored. None is acknowledged, and all may be sent again; the store has to
    /// stay fit for that.
    fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>>;

    /// Called once, after the last batch, for whatever is left to do to keep what was acknowledged. The default does nothing.
    ///
    /// # Errors
    ///
    /// Something that was acknowledged is not where it would be looked for. The text says where it is. The
    /// [service](crate::listen::serve) ends with this error.
    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        (**self).commit(batch)
    }

    fn close(&mut self) -> io::Result<()> {
        (**self).close()
    }
}

/// Why nothing is stored in a file that has become shorter.
pub(super) const CUT: &str = "somebody has cut it short: nothing more is stored in it until a restart";

/// Where a store lies. A file that was removed or renamed can still be written to, but nobody would find it.
#[derive(Debug)]
pub(super) struct KnownFile {
    path: PathBuf,
    /// What tells it from other files, where there is such.
    identity: Option<(u64, u64)>,
}

impl KnownFile {
    /// The place of an open file.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_path_buf(), identity: identity(&path.metadata()?) })
    }

    /// An error if another file is there by now, or none; the latter is [`NotFound`](io::ErrorKind::NotFound).
    pub(super) fn check(&self) -> io::Result<()> {
        match self.path.metadata().map(|metadata| identity(&metadata) == self.identity) {
            Ok(false) => Err(io::Error::other(
                "the file was removed or renamed, and another is in its place: nothing more is stored until it is back, or until \
                 a restart",
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(io::Error::new(
                error.kind(),
                "the file was removed or renamed: nothing more is stored until it is back, or until a restart",
            )),
            // If the place cannot be read, nothing is known.
            _ => Ok(()),
        }
    }

    /// Where the file, as long as it is open, is by now; `None` if it has no name any more, or if the system does not tell.
    #[cfg(feature = "index")]
    pub(super) fn moved_to(&self) -> Option<PathBuf> {
        self.identity?;
        // The file is not opened for this: closing it would take the locks of this process from SQLite.
        let mut files = std::fs::read_dir("/dev/fd").ok()?.flatten().filter_map(|file| file.path().read_link().ok());
        files.find(|path| path.metadata().is_ok_and(|metadata| identity(&metadata) == self.identity))
    }

    #[cfg(feature = "index")]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An error that says where the store lies.
    pub(super) fn about(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), StoreError { path: self.path.clone(), error })
    }

    /// An error if the file there is shorter than this.
    #[cfg(feature = "index")]
    pub(super) fn check_len(&self, least: u64) -> io::Result<()> {
        match self.path.metadata() {
            Ok(metadata) if metadata.len() < least => Err(io::Error::other(CUT)),
            _ => Ok(()),
        }
    }
}

/// A file that cannot be read again, cut off or synced is no place for games, and opening a pipe would wait for ever.
pub(super) fn check_file(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(metadata) if !metadata.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file that games can be kept in"))
        }
        _ => Ok(()),
    }
}

/// Syncs the directory: only then is the name of a new file safe.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match path.canonicalize()?.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_file_and_keeps_what_the_system_said() {
        let place = KnownFile::of(Path::new("Cargo.toml")).unwrap();
        let error = place.about(io::Error::from_raw_os_error(28));
        assert_eq!(error.kind(), io::Error::from_raw_os_error(28).kind());
        assert!(error.to_string().starts_with("Cargo.toml: "), "{error}");
        let error = error.get_ref().and_then(|error| error.downcast_ref::<StoreError>()).unwrap();
        assert_eq!((error.path(), error.error().raw_os_error()), (Path::new("Cargo.toml"), Some(28)));
    }
}
