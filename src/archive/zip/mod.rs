//! zip: entries in the order of the table at its end, each independent of the others.
//!
//! Owns what is reported of an entry that can't be read: the next one may be fine. The table is read as it is needed
//! and never held whole. Where it lies is for `end`, where an entry is that is not in its place for `moved`, and how a zip
//! without a table is read for `salvage`. Compression methods are in `methods`, and how records are found in `records`.

mod end;
mod methods;
mod moved;
pub(crate) mod records;

use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use rawzip::{
    CompressionMethod, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ReaderAt, ZipArchiveEntryWayfinder, ZipFileHeaderRecord,
    ZipLocator,
};

use crate::archive::checked::Checked;
use crate::archive::format::{HEAD_LEN, has_game, may_begin_game};
use crate::archive::limits::Metered;
use crate::archive::opening::{Level, Opening};
use crate::archive::picks::Pick;
use crate::archive::seekable::Seekable;
use crate::archive::{Error, Skip, Trouble};
pub(crate) use end::is_behind;
use end::{Extent, Own};
pub(crate) use methods::{is_heavy, unpacker};
use moved::Moved;
use records::{FIXED_LEN, Fixed, HEADER, is_sound_end, name_in_utf8};

type Archive<'a, 'o> = rawzip::ZipArchive<Own<'a, 'o>>;

/// What the table says about an entry.
struct Entry {
    /// Its name as its own header should have it, and the one that counts.
    raw_name: Vec<u8>,
    name: Vec<u8>,
    /// Where it should begin.
    offset: u64,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    crc: u32,
    is_encrypted: bool,
}

impl Entry {
    fn of(record: &ZipFileHeaderRecord<'_>) -> Self {
        let path = record.file_path();
        let raw = path.as_bytes();
        Self {
            raw_name: raw.to_vec(),
            name: name_in_utf8(record.extra_fields(), raw).unwrap_or(raw).to_vec(),
            offset: record.local_header_offset(),
            place: record.wayfinder(),
            method: record.compression_method(),
            crc: record.crc32(),
            is_encrypted: record.flags().is_encrypted(),
        }
    }

    /// What its own header calls it, if a header with a name of the same length is in its place.
    fn own_name(&self, own: &Own<'_, '_>) -> Option<Vec<u8>> {
        let mut bytes = vec![0; FIXED_LEN + self.raw_name.len()];
        own.read_exact_at(&mut bytes, self.offset).ok()?;
        let (head, name) = bytes.split_first_chunk()?;
        let fixed = Fixed::of(head);
        let is_own = head.starts_with(HEADER)
            && fixed.name_len == name.len() as u64
            && (name == self.raw_name || fixed.crc == self.crc || fixed.has_descriptor());
        is_own.then(|| name.to_vec())
    }
}

/// The table of an archive, and what the entries before this one have shown.
struct Table<'a, 's, 'o> {
    archive: &'a Archive<'s, 'o>,
    moved: Moved<'s, 'o>,
    /// Up to where stored bytes were read.
    read_to: u64,
    /// An entry that is not picked is nowhere near its place, so that its name may be as wrong.
    has_stray: bool,
}

/// What an entry is by the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
}

impl Opening<'_, '_> {
    /// Reads a zip archive, or several that stand behind each other.
    pub(crate) fn zip(&mut self, source: &Seekable<'_>, level: Level) -> ControlFlow<()> {
        let error = match end::extent(source) {
            Extent::Archives(archives) => {
                for (start, end) in archives {
                    self.whole_zip(source, (start, end), level)?;
                }
                return ControlFlow::Continue(());
            }
            Extent::Part => return self.failed(Error::SplitZip),
            Extent::Added => source.unless_failed(Error::Damaged(
                "its table of contents does not fit its entries, which were read without it",
            )),
            Extent::CutOff | Extent::None => source.cut_off(),
        };
        self.salvage(source, (0, source.len()), level)?;
        self.failed(error)
    }

    /// Reads the zip archive that begins and ends there.
    fn whole_zip(&mut self, source: &Seekable<'_>, (start, end): (u64, u64), level: Level) -> ControlFlow<()> {
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE.max(256 << 10)];
        let own = Own { source, start, shift: Cell::new(0) };
        let archive: Archive<'_, '_> = match ZipLocator::new().locate_in_reader(own, &mut buffer, end - start) {
            Ok(archive) => archive,
            Err((_, error)) => {
                self.salvage(source, (start, end), level)?;
                return self.failed(described(error, source));
            }
        };
        if !is_sound(&archive, &mut buffer) {
            self.salvage(source, (start, end), level)?;
            let error = Error::Damaged("its table of contents makes no sense, and entries were read without it");
            return self.failed(source.unless_failed(error));
        }
        let mut entries = archive.entries(&mut buffer);
        let mut count = 0;
        let moved = Moved::new(source, archive.eocd_offset().saturating_sub(archive.directory_offset()));
        let mut table = Table { archive: &archive, moved, read_to: 0, has_stray: false };
        loop {
            let entry = match entries.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(error) => return self.failed(described(error, source)),
            };
            count += 1;
            self.add_member()?;
            let kind = if entry.is_dir() {
                Kind::Folder
            } else if entry.mode().is_symlink() {
                Kind::Link
            } else {
                Kind::File
            };
            let flow = self.told_entry(&mut table, Entry::of(&entry), kind, level);
            // The table itself is where it was found.
            archive.get_ref().shift.set(0);
            flow?;
        }
        if table.has_stray {
            let error = Error::Damaged(
                "nothing is where its table of contents has some entries, and what they were is not known",
            );
            self.failed(source.unless_failed(error))?;
        }
        // From 65,536 entries on, old programs wrote only the lower 16 bits of the number.
        if count & 0xFFFF != archive.entries_hint() & 0xFFFF {
            self.failed(Error::Damaged("there are more entries than it says"))?;
        }
        match end.saturating_sub(start + archive.end_offset()) {
            0 => ControlFlow::Continue(()),
            after => self.trouble(Trouble::BytesAfterEnd(after)),
        }
    }

    /// Reads an entry, unless it is not wanted. What the table tells against it may be damage, which its own header shows, or
    /// its contents.
    fn told_entry(
        &mut self,
        table: &mut Table<'_, '_, '_>,
        mut entry: Entry,
        kind: Kind,
        level: Level,
    ) -> ControlFlow<()> {
        let mut pick = if kind == Kind::Folder { Pick::Leave } else { self.pick(&entry.name, level.pick) };
        if pick == Pick::Leave {
            match entry.own_name(table.archive.get_ref()) {
                Some(name) if name != entry.raw_name => {
                    pick = self.pick(&name, level.pick);
                    if pick != Pick::Leave {
                        entry.raw_name.clone_from(&name);
                        entry.name = name;
                        let error = Error::Damaged("the table of contents has another name for it");
                        self.entry_trouble(&entry.name, Trouble::Error(error))?;
                    }
                }
                Some(_) => {}
                // If a member was named and is not there, that is reported.
                None if entry.is_encrypted || !self.is_asked_for() || table.has_stray => {}
                None => table.has_stray = table.moved.entry(table.archive, &entry).is_err(),
            }
        }
        if kind == Kind::Link {
            let is_game = pick != Pick::Leave && !entry.is_encrypted;
            match if is_game { self.is_game(table, &entry) } else { Ok(false) } {
                Ok(true) => {}
                Ok(false) => {
                    self.skipped(&entry.name, Skip::Kind);
                    return ControlFlow::Continue(());
                }
                Err(error) => return self.entry_trouble(&entry.name, Trouble::Error(error)),
            }
            let error = Error::Damaged("the table of contents says that it is a link");
            self.entry_trouble(&entry.name, Trouble::Error(error))?;
        }
        match pick {
            Pick::Leave if kind == Kind::Folder => ControlFlow::Continue(()),
            Pick::Leave => {
                self.not_picked(&entry.name);
                ControlFlow::Continue(())
            }
            pick => self.zip_entry(table, &entry, level.with(pick)),
        }
    }

    /// Whether an entry begins as a game does. A link contains the name of what it leads to.
    fn is_game(&self, table: &mut Table<'_, '_, '_>, entry: &Entry) -> Result<bool, Error> {
        let mut head = Vec::new();
        // What is read of it is metered, and will be read once more.
        let read_to = table.read_to;
        let (bytes, _) = self.zip_reader(table, entry)?;
        table.read_to = read_to;
        let _ = bytes.take(HEAD_LEN as u64).read_to_end(&mut head);
        Ok(has_game(&head) && may_begin_game(&head))
    }

    /// Reads an entry.
    fn zip_entry(&mut self, table: &mut Table<'_, '_, '_>, entry: &Entry, level: Level) -> ControlFlow<()> {
        // How much memory these methods take shows only when they are read.
        if is_heavy(entry.method) {
            self.heavy()?;
        }
        match self.zip_reader(table, entry) {
            Ok((mut bytes, start)) => self.entry_at(&entry.name, &mut bytes, start, level),
            Err(error) => self.entry_trouble(&entry.name, Trouble::Error(error)),
        }
    }

    /// The bytes of an entry, and where they begin in the input if they lie there unchanged.
    fn zip_reader<'a>(
        &self,
        table: &mut Table<'a, '_, '_>,
        entry: &Entry,
    ) -> Result<(impl Read + 'a, Option<u64>), Error> {
        if entry.is_encrypted {
            return Err(Error::Encrypted);
        }
        let own = table.archive.get_ref();
        let found = table.moved.entry(table.archive, entry)?;
        let is_stored = entry.method == CompressionMethod::STORE;
        let (offset, end) = found.compressed_data_range();
        let place = own.place(offset).unwrap_or(u64::MAX);
        let mut end = place.saturating_add(end - offset);
        if end == place && !is_empty(own, entry.offset, place) {
            return Err(Error::Damaged("the table of contents says that nothing is in it"));
        }
        if is_stored && !is_sound_end(own.source, end, true) {
            end = table.moved.end_of_stored(place, end)?;
        }
        let packed = BufReader::with_capacity(64 << 10, found.reader().take(end - place));
        let unpacked = unpacker(entry.method, packed, &self.meter)?;
        // Stored bytes were counted already, but many entries may be the same ones.
        let is_counted = is_stored && place >= table.read_to;
        table.read_to = end.max(table.read_to);
        let unpacked: Box<dyn Read + 'a> =
            if is_counted { unpacked } else { Box::new(Metered::new(unpacked, Rc::clone(&self.meter))) };
        let start = self.start.filter(|_| is_stored).and_then(|start| start.checked_add(place));
        Ok((Checked::new(unpacked, entry.place.uncompressed_size_hint(), Some(entry.crc)), start))
    }
}

/// Whether the header of an entry without bytes says the same; or if it leaves that to what stands elsewhere, they do not come
/// behind it.
fn is_empty(own: &Own<'_, '_>, offset: u64, place: u64) -> bool {
    let mut fixed = [0; FIXED_LEN];
    let is_read = own.read_exact_at(&mut fixed, offset).is_ok();
    let fixed = Fixed::of(&fixed);
    let is_told = !fixed.has_descriptor() && fixed.packed != u32::MAX;
    is_read && if is_told { fixed.packed == 0 } else { is_sound_end(own.source, place, true) }
}

/// Whether the table can be read to its end and has no fewer entries than it should. A reader has to know that before
/// the first entry, because no entry must come twice.
fn is_sound(archive: &Archive<'_, '_>, buffer: &mut [u8]) -> bool {
    let mut entries = archive.entries(buffer);
    let mut count = 0;
    loop {
        match entries.next_entry() {
            Ok(Some(_)) => count += 1,
            Ok(None) => return count & 0xFFFF >= archive.entries_hint() & 0xFFFF,
            Err(_) => return false,
        }
    }
}

/// Why the library can't read further.
fn described(error: rawzip::Error, source: &Seekable<'_>) -> Error {
    use rawzip::ErrorKind;
    match error.into_kind() {
        ErrorKind::IO(error) if error.kind() == io::ErrorKind::UnexpectedEof => source.cut_off(),
        ErrorKind::IO(error) => error.into(),
        ErrorKind::Eof | ErrorKind::MissingEndOfCentralDirectory => source.cut_off(),
        error => io::Error::new(io::ErrorKind::InvalidData, error.to_string()).into(),
    }
}
