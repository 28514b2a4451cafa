//! What tells a file from what it was before.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::record::hash;

/// What tells a file from what it was before, without reading all of it. A file that was changed in its middle alone, so that
/// its length and even the time of the change stayed the same, is taken for what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Stamp {
    /// Bytes, of all volumes together where there are several.
    pub len: u64,
    /// When it was changed last, in nanoseconds since 1970; 0 where nobody knows, negative before.
    pub modified: i64,
    /// A hash of its first and last bytes.
    pub ends: u64,
}

impl Stamp {
    /// Bytes of each end that are looked at.
    const END: u64 = 4096;

    /// That of a plain file.
    ///
    /// # Errors
    ///
    /// It can't be read, or is no plain file.
    pub fn of(path: &Path) -> io::Result<Self> {
        Self::of_volumes([path])
    }

    /// That of a file in several volumes.
    ///
    /// # Errors
    ///
    /// As for [`of`](Self::of).
    pub fn of_volumes<'a>(paths: impl IntoIterator<Item = &'a Path>) -> io::Result<Self> {
        let mut stamp = Self { len: 0, modified: 0, ends: 0 };
        let mut ends = Vec::new();
        for path in paths {
            let mut file = File::open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(io::Error::other("no plain file"));
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
