//! Bytes that can be read from any place: a file, its volumes, or the stored copy of a stream.
//!
//! Owns the temporary file, and which files are volumes of which.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rawzip::{FileReader, ReaderAt};

use crate::archive::checked::UpToFailure;
use crate::archive::opener::Opener;
use crate::archive::picks::is_archive;
use crate::archive::{Error, Format};

/// The directory for temporary files: the system's. A `TMPDIR` that is set to nothing counts as unset.
pub fn temp_dir() -> PathBuf {
    let dir = std::env::temp_dir();
    if dir.as_os_str().is_empty() { PathBuf::from("/tmp") } else { dir }
}

/// Bytes that can be read from any place.
pub(crate) struct Seekable<'o> {
    parts: Vec<Part>,
    len: u64,
    /// Counts what is read, if this is the input itself.
    opener: Option<&'o Opener>,
    /// How much was counted.
    counted: Cell<u64>,
    /// The volume that would come next, if there are volumes.
    next_volume: Option<PathBuf>,
    /// It is one volume of several, and the others are not at hand.
    is_alone: bool,
    /// The number of the error with which the system has failed to read it. What looks like damage may come from that.
    failed: Cell<Option<i32>>,
}

struct Part {
    start: u64,
    bytes: Bytes,
}

enum Bytes {
    File(FileReader),
    Memory(Vec<u8>),
}

impl<'o> Seekable<'o> {
    /// Anything up to this length is kept in memory.
    pub(crate) const SMALL: usize = 1 << 20;

    /// A file, followed by all the volumes after it.
    pub(crate) fn file(file: File, path: &Path, opener: &'o Opener) -> io::Result<Self> {
        let mut whole = Self { opener: Some(opener), ..Self::of_parts(Vec::new(), 0) };
        whole.push(file)?;
        let Some(first) = Volume::of(path).filter(|volume| volume.number == 1) else { return Ok(whole) };
        for number in 2.. {
            let next = first.path(number);
            match File::open(&next) {
                Ok(file) => whole.push(file)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    whole.next_volume = Some(next);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(whole)
    }

    /// A file whose reading is not counted.
    pub(crate) fn alone(file: File) -> io::Result<Self> {
        let mut whole = Self::of_parts(Vec::new(), 0);
        whole.push(file)?;
        Ok(whole)
    }

    fn push(&mut self, mut file: File) -> io::Result<()> {
        let len = file.seek(SeekFrom::End(0))?;
        self.parts.push(Part { start: self.len, bytes: Bytes::File(FileReader::from(file)) });
        self.len += len;
        Ok(())
    }

    /// Stores a stream in memory or in an unnamed temporary file. If the stream fails, its error comes together with
    /// everything before it.
    pub(crate) fn spool(stream: &mut dyn Read, limit: u64) -> io::Result<(Self, Option<io::Error>)> {
        let mut stream = UpToFailure::new(stream);
        let mut bytes = Vec::new();
        (&mut stream).take(Self::SMALL as u64).read_to_end(&mut bytes)?;
        let mut len = bytes.len() as u64;
        let bytes = if bytes.len() < Self::SMALL {
            Bytes::Memory(bytes)
        } else {
            // The stream does not fail: its errors come with what was stored.
            let mut store = |stream: &mut dyn Read| {
                let mut file = tempfile::tempfile_in(temp_dir())?;
                file.write_all(&bytes)?;
                len += io::copy(stream, &mut file)?;
                Ok(file)
            };
            let rest = limit.saturating_sub(Self::SMALL as u64).saturating_add(1);
            let file = store(&mut (&mut stream).take(rest)).map_err(|error: io::Error| Error::Spool(error))?;
            Bytes::File(FileReader::from(file))
        };
        if len > limit {
            return Err(Error::TooLongToSpool(limit).into());
        }
        Ok((Self::of(bytes, len), stream.take_error()))
    }

    /// Bytes in memory.
    pub(crate) fn memory(bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        Self::of(Bytes::Memory(bytes), len)
    }

    fn of(bytes: Bytes, len: u64) -> Self {
        Self::of_parts(vec![Part { start: 0, bytes }], len)
    }

    fn of_parts(parts: Vec<Part>, len: u64) -> Self {
        Self {
            parts,
            len,
            opener: None,
            counted: Cell::new(0),
            next_volume: None,
            is_alone: false,
            failed: Cell::new(None),
        }
    }

    /// Records whether it is a volume without the others.
    pub(crate) fn of_several(self, is_alone: bool) -> Self {
        Self { is_alone, ..self }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The error if it ends too early.
    pub(crate) fn cut_off(&self) -> Error {
        self.unless_failed(match &self.next_volume {
            Some(volume) => Error::MissingVolume(volume.to_string_lossy().into_owned()),
            None if self.is_alone => Error::VolumeInside,
            None => Error::Damaged("it is cut off"),
        })
    }

    /// The error, unless the system has failed to read something.
    pub(crate) fn unless_failed(&self, error: Error) -> Error {
        self.failed.get().map_or(error, |code| Error::Io(io::Error::from_raw_os_error(code)))
    }

    /// Counts bytes that are read, none of them twice: a table may be read more often than the entries.
    fn count(&self, len: u64) {
        let Some(opener) = self.opener else { return };
        let len = len.min(self.len - self.counted.get());
        self.counted.set(self.counted.get() + len);
        opener.count(len);
    }

    /// Nothing more is read: counts what was skipped as well.
    pub(crate) fn count_rest(&self) {
        self.count(u64::MAX);
    }

    /// A reader of `len` bytes from a place.
    pub(crate) fn span(&self, start: u64, len: u64) -> Span<'_, 'o> {
        Span { whole: self, at: start, end: start.saturating_add(len) }
    }
}

impl ReaderAt for Seekable<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        // Damage may lead anywhere, and the system calls some places impossible, as if it had failed.
        if offset >= self.len {
            return Ok(0);
        }
        let after = self.parts.partition_point(|part| part.start <= offset);
        let mut len = 0;
        // A volume may be empty, and may end before the stated beginning of the next.
        for part in &self.parts[after.saturating_sub(1)..] {
            let at = offset.saturating_sub(part.start);
            len = match &part.bytes {
                Bytes::File(file) => file
                    .read_at(buffer, at)
                    .inspect_err(|error| self.failed.set(error.raw_os_error().or(self.failed.get())))?,
                Bytes::Memory(bytes) => bytes.read_at(buffer, at)?,
            };
            if len > 0 || part.start > offset {
                break;
            }
        }
        self.count(len as u64);
        Ok(len)
    }
}

/// A range of bytes, read in order.
pub(crate) struct Span<'s, 'o> {
    whole: &'s Seekable<'o>,
    at: u64,
    end: u64,
}

impl Read for Span<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(buffer.len());
        let len = self.whole.read_at(&mut buffer[..most], self.at)?;
        self.at += len as u64;
        Ok(len)
    }
}

/// True for the name of a volume, the first or a further one: `games.7z.001`.
pub fn is_volume(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    name.last().is_some_and(u8::is_ascii_digit) && Volume::of(path).is_some()
}

/// The volumes that are read with this first one: itself and those after it, as far as they exist.
pub fn volumes(first: &Path) -> impl Iterator<Item = PathBuf> {
    let volume = Volume::of(first).filter(|volume| volume.number == 1);
    let others = volume.into_iter().flat_map(|volume| (2..).map(move |number| volume.path(number)));
    std::iter::once(first.to_path_buf()).chain(others.take_while(|path| path.is_file()))
}

/// The file that a volume such as `games.7z.002` is read with: its first volume, if that exists.
pub fn first_volume(path: &Path) -> Option<PathBuf> {
    Volume::of(path)?.first()
}

/// True for the name of any part but the last of a zip in several files: `games.z01`.
pub fn is_split_zip(path: &Path) -> bool {
    lasts_of_split_zip(path).is_some()
}

/// The last file of a zip in several files, given a name such as `games.z01`, if it exists: it has the table of
/// contents for them all.
pub(crate) fn last_of_split_zip(path: &Path) -> Option<PathBuf> {
    lasts_of_split_zip(path)?.into_iter().find(|last| last.is_file())
}

/// What the last file may be called.
fn lasts_of_split_zip(path: &Path) -> Option<[PathBuf; 2]> {
    let number = path.extension()?.to_str()?.strip_prefix(['z', 'Z'])?;
    let is_number = number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| ["zip", "ZIP"].map(|ending| path.with_extension(ending)))
}

/// The file that a later volume of an archive, or a part of a zip in several files, can't be read without, if that is not there.
pub(crate) fn missing_volume(path: &Path, head: &[u8]) -> Option<PathBuf> {
    if let Some(volume) = Volume::of(path) {
        let is_later = volume.number > 1 && is_archive(volume.stem.as_os_str().as_encoded_bytes());
        return is_later.then(|| volume.path(1)).filter(|first| !first.is_file());
    }
    let [last, other] = lasts_of_split_zip(path)?;
    let is_part = Format::detect(head) == Format::Zip || Format::is_doubtful(head);
    (is_part && !last.is_file() && !other.is_file()).then_some(last)
}

/// A name such as `games.7z.001`.
pub(crate) struct Volume {
    stem: PathBuf,
    number: u32,
    digits: usize,
}

impl Volume {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let digits = path.extension()?.to_str()?;
        let stem = path.with_extension("");
        let is_volume = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = if is_volume { digits.parse().ok()? } else { return None };
        // A name such as `1985.001` may be anything.
        stem.extension()?;
        Some(Self { stem, number, digits: digits.len() })
    }

    fn path(&self, number: u32) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
        name.push(format!(".{number:0digits$}", digits = self.digits));
        PathBuf::from(name)
    }

    /// The first volume, if this is a later one and the first exists.
    pub(crate) fn first(&self) -> Option<PathBuf> {
        Some(self.path(1)).filter(|first| self.number > 1 && first.is_file())
    }
}
