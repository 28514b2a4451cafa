//! What distinguishes a file from an earlier state of it.
//!
//! Owns how much of a file is read for that, which does not depend on its length. Refuses to know where stamps are kept.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::stable::hash;

/// Tells whether a file has changed, without reading all of it. A file that was changed only in its middle, with the
/// same length and even the same time of change, counts as unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Stamp {
    /// Its length in bytes, of all volumes together if there are several.
    pub len: u64,
    /// When it was last changed, in nanoseconds since 1970; 0 if that is not known, negative before 1970.
    pub modified: i64,
    /// A hash of its first and last bytes.
    pub ends: u64,
}

impl Stamp {
    /// How many bytes of each end are hashed.
    const END: u64 = 4096;

    /// The stamp of a plain file.
    ///
    /// # Errors
    ///
    /// It can't be read, or is no plain file.
    pub fn of(path: &Path) -> io::Result<Self> {
        Self::of_volumes([path])
    }

    /// The stamp of a file in several volumes.
    ///
    /// # Errors
    ///
    /// One of them can't be read, or is no plain file.
    pub fn of_volumes<'a>(paths: impl IntoIterator<Item = &'a Path>) -> io::Result<Self> {
        let mut stamp = Self { len: 0, modified: 0, ends: 0 };
        // With room for both, each is read at once.
        let mut ends = Vec::with_capacity(3 * Self::END as usize);
        for path in paths {
            let mut file = File::open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(io::Error::other("not a plain file"));
            }
            let len = metadata.len();
            let modified = metadata.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
                Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
                Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
            });
            stamp.modified = if stamp.len == 0 { modified } else { stamp.modified.max(modified) };
            stamp.len += len;
            (&mut file).take(Self::END).read_to_end(&mut ends)?;
            if len > Self::END {
                file.seek(SeekFrom::Start((len - Self::END).max(Self::END)))?;
                file.take(Self::END).read_to_end(&mut ends)?;
            }
            stamp.ends = hash(&ends) ^ stamp.ends.rotate_left(1);
            ends.clear();
        }
        Ok(stamp)
    }
}
