//! Makes a sidecar.
//!
//! Owns that a sidecar is there whole or not at all, and that nothing else is written over. Refuses to know its bytes: they
//! are for `layout`.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::files::{NewFile, remove_abandoned};
use crate::index::offsets::layout::{Entry, Head, KIND, Place, READING};
use crate::index::offsets::sidecar;
use crate::index::{Error, Sink, Stamp};
use crate::record::{Row, Signature, Wants};

/// Writes the sidecar of one archive, from the rows of all its games.
///
/// The file gets its name in [`finish`](Sink::finish), in place of an older one. If that is not reached, nothing is
/// left behind, unless the process is killed: then names beside the archive that begin with a dot and end with `.part`.
/// Of several writers for one archive, the last that finishes makes the sidecar, and the others do not matter to it.
/// Memory does not depend on the number of games or members.
#[derive(Debug)]
pub struct OffsetsWriter {
    path: PathBuf,
    head: Head,
    /// Nothing once the sidecar is finished.
    entries: Option<Part>,
    /// Where each member's name ends and where the member begins; and the names.
    ends: Part,
    names: Part,
    member: Option<(String, Option<u64>)>,
    /// Where the member lies that comes next.
    start: Option<u64>,
    members: u32,
    names_len: u64,
}

/// What the sidecar is put together from.
type Part = BufWriter<NewFile>;

impl OffsetsWriter {
    /// For an archive, as it is now. `reading` is whatever else decides which games there are and where, such as how
    /// text is read. With another reading, [`Offsets`](crate::index::Offsets) does not open the sidecar.
    ///
    /// # Errors
    ///
    /// The archive can't be read; nothing can be written beside it; a file that is no sidecar has the sidecar's name;
    /// or the reading is longer than 1 MiB.
    pub fn new(archive: &Path, reading: &str) -> io::Result<Self> {
        if reading.len() > READING {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "what tells how it is read is too long"));
        }
        let path = sidecar(archive);
        if !may_be_replaced(&path)? {
            let text = format!("{} is there, and it is no sidecar: it is not written over", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        let head = Head { stamp: Stamp::of(archive)?, games: 0, members: 0, reading: reading.to_owned() };
        remove_abandoned(&path);
        let part = || NewFile::beside(&path).map(|file| BufWriter::with_capacity(64 << 10, file));
        let mut entries = part()?;
        // The head is known only at the end.
        entries.write_all(&vec![0; head.entries_at() as usize])?;
        Ok(Self {
            head,
            entries: Some(entries),
            ends: part()?,
            names: part()?,
            path,
            member: None,
            start: None,
            members: 0,
            names_len: 0,
        })
    }

    /// Says that the bytes of the next members begin there in the archive, and lie there as they are; `None` if they
    /// have to be unpacked.
    pub fn member_lies_at(&mut self, start: Option<u64>) {
        self.start = start;
    }

    /// The next game of the archive, if no more than this is known of it; otherwise use [`record`](Sink::record). The
    /// two may take turns.
    ///
    /// # Errors
    ///
    /// It can't be written, or the sidecar is finished.
    pub fn game(&mut self, member: Option<&str>, offset: u64, len: u64, signature: Signature) -> io::Result<()> {
        if self.entries.is_none() {
            return Err(finished());
        }
        let member = self.member(member)?;
        let entry = Entry { offset, len, member, signature: signature.cut() };
        self.head.games += 1;
        self.entries.as_mut().ok_or_else(finished)?.write_all(&entry.to_bytes(self.head.games))
    }

    fn member(&mut self, member: Option<&str>) -> io::Result<u32> {
        let Some(member) = member else { return Ok(0) };
        // Two members may have the same name.
        if self.member.as_ref().is_none_or(|(name, start)| (name.as_str(), *start) != (member, self.start)) {
            self.members =
                self.members.checked_add(1).ok_or_else(|| io::Error::other("more than 4,294,967,295 members"))?;
            self.names_len += member.len() as u64;
            self.names.write_all(member.as_bytes())?;
            let place = Place { end: self.names_len, start: self.start };
            self.ends.write_all(&place.to_bytes(self.members.into(), member))?;
            self.member = Some((member.to_owned(), self.start));
        }
        Ok(self.members)
    }
}

impl Sink for OffsetsWriter {
    fn wants(&self) -> Wants {
        Wants { main_line: true, ..Wants::HEADER }
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let record = row.record;
        Ok(self.game(row.member, record.offset(), record.len(), record.signature())?)
    }

    /// Does nothing: no part of a sidecar can be used before all of it is there.
    fn commit(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        let mut entries = self.entries.take().ok_or_else(finished)?;
        append(&mut self.ends, &mut entries)?;
        append(&mut self.names, &mut entries)?;
        self.head.members = self.members.into();
        entries.rewind()?;
        entries.write_all(&self.head.to_bytes())?;
        let entries = entries.into_inner().map_err(io::IntoInnerError::into_error)?;
        entries.file().sync_data()?;
        Ok(entries.replace(&self.path)?)
    }
}

/// What is written now would go into a sidecar that others may be reading.
fn finished() -> io::Error {
    io::Error::other("the sidecar is finished")
}

/// Whether nothing is there, or a sidecar, judging by its beginning.
fn may_be_replaced(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Ok(false),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    }
    let mut begin = Vec::new();
    File::open(path)?.take(KIND.len() as u64).read_to_end(&mut begin)?;
    Ok(begin == KIND)
}

/// Appends all of a part to another one.
fn append(part: &mut Part, to: &mut Part) -> io::Result<()> {
    // What is buffered is written first.
    part.rewind()?;
    io::copy(&mut BufReader::with_capacity(64 << 10, part.get_mut()), to)?;
    Ok(())
}
