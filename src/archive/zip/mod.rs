//! zip: entries in the order of the table at its end, each independent of the others.
//!
//! Owns what is reported of an entry that can't be read: the next one may be fine. The table is read as it is needed
//! and never held whole. Where it lies is for `end`, where an entry is that is not in its place for `moved`, which bytes no
//! entry accounts for is for `claims`, and how a zip without a table is read for `salvage`. Compression methods are in `methods`, and how records are found in `records`.

mod claims;
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
use claims::Claims;
pub(crate) use end::is_behind;
use end::{Extent, Own};
pub(crate) use methods::{is_heavy, unpacker};
use moved::{ASTRAY, Moved, There};
use records::{DESCRIPTOR, FIXED_LEN, Fixed, HEADER, is_sound_end, name_in_utf8};

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

    /// Its own header and the name there, which may be another one of the same length, if that is in its place.
    fn own_header(&self, own: &Own<'_, '_>) -> Option<(Fixed, Vec<u8>)> {
        let mut bytes = vec![0; FIXED_LEN + self.raw_name.len()];
        own.read_exact_at(&mut bytes, self.offset).ok()?;
        let (head, name) = bytes.split_first_chunk()?;
        let fixed = Fixed::of(head);
        let has_len = fixed.name_len == name.len() as u64;
        let is_own = head.starts_with(HEADER) && (has_len && name == self.raw_name || self.has_checksum(&fixed, own));
        is_own.then(|| (fixed, if has_len { name.to_vec() } else { self.raw_name.clone() }))
    }

    /// Whether the checksum in its own header, or behind the entry, is that of the table.
    fn has_checksum(&self, fixed: &Fixed, own: &Own<'_, '_>) -> bool {
        if !fixed.has_descriptor() || fixed.crc != 0 {
            return fixed.crc == self.crc;
        }
        let mut bytes = [0; 8];
        let end = fixed.start(self.offset).saturating_add(self.place.compressed_size_hint());
        let crc = self.crc.to_le_bytes();
        own.read_exact_at(&mut bytes, end).is_ok()
            && (bytes.starts_with(&crc) || bytes.strip_prefix(DESCRIPTOR) == Some(&crc))
    }

    /// Whether its own header has other lengths than the table, and something follows there that may follow an entry. Those of
    /// the table may lead to such a place too: an entry without a length, in which an archive is.
    fn is_told_wrong(&self, there: &There<'_, '_, '_>, source: &Seekable<'_>) -> bool {
        let There { at, fixed, has_name, .. } = there;
        let start = fixed.start(*at);
        let (packed, unpacked) = (self.place.compressed_size_hint(), self.place.uncompressed_size_hint());
        let is_sound = |packed: u64| is_sound_end(source, start.saturating_add(packed), fixed.has_descriptor());
        if !has_name {
            return false;
        }
        if fixed.has_descriptor() && fixed.packed == 0 {
            return packed == 0 && !self.has_no_bytes(source, start);
        }
        if fixed.packed == u32::MAX || fixed.unpacked == u32::MAX {
            return packed == 0 && !is_sound(0);
        }
        let own = u64::from(fixed.packed);
        if own == packed {
            return unpacked == 0 && fixed.unpacked > 0 && is_sound(own);
        }
        is_sound(own) && (own > packed || !is_sound(packed))
    }

    /// Whether its checksum stands where its bytes should begin, and a length of zero behind that.
    fn has_no_bytes(&self, source: &Seekable<'_>, start: u64) -> bool {
        let mut bytes = [0; 12];
        let len = source.read_at(&mut bytes, start).unwrap_or(0);
        let bytes = &bytes[..len];
        let numbers = bytes.strip_prefix(DESCRIPTOR).unwrap_or(bytes);
        numbers.strip_prefix(&self.crc.to_le_bytes()).is_some_and(|lens| lens.starts_with(&[0; 4]))
    }
}

/// How far the entries of an archive were read.
struct Way<'s, 'o> {
    moved: Moved<'s, 'o>,
    claims: Claims,
    /// Up to there, stored bytes were read before.
    read_to: u64,
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
        let mut way = Way { moved, claims: Claims::new(start), read_to: 0 };
        loop {
            let entry = match entries.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(error) => return self.failed(described(error, source)),
            };
            count += 1;
            self.add_member()?;
            let flow = self.told_entry(&archive, &entry, &mut way, level);
            // The table itself is where it was found.
            archive.get_ref().shift.set(0);
            flow?;
        }
        self.untold_entries(source, way.claims, start.saturating_add(archive.directory_offset()), level)?;
        // From 65,536 entries on, old programs wrote only the lower 16 bits of the number.
        if count & 0xFFFF != archive.entries_hint() & 0xFFFF {
            self.failed(Error::Damaged("there are more entries than it says"))?;
        }
        match end.saturating_sub(start + archive.end_offset()) {
            0 => ControlFlow::Continue(()),
            after => self.trouble(Trouble::BytesAfterEnd(after)),
        }
    }

    /// Reads the entries in front of the table that it does not have, if it has others instead that are not there.
    fn untold_entries(&mut self, source: &Seekable<'_>, claims: Claims, table: u64, level: Level) -> ControlFlow<()> {
        let (gaps, are_all) = claims.gaps(table);
        for gap in gaps {
            self.salvage_untold(source, gap, level)?;
        }
        if are_all {
            return ControlFlow::Continue(());
        }
        let error = Error::Damaged("its table of contents has entries that are not there, and may lack others");
        self.failed(source.unless_failed(error))
    }

    /// Reads an entry, unless it is not wanted. What the table tells against it may be damage, which its own header shows, or
    /// its contents.
    fn told_entry(
        &mut self,
        archive: &Archive<'_, '_>,
        record: &ZipFileHeaderRecord<'_>,
        way: &mut Way<'_, '_>,
        level: Level,
    ) -> ControlFlow<()> {
        let mut entry = Entry::of(record);
        let own = archive.get_ref();
        let mut pick = if record.is_dir() { Pick::Leave } else { self.pick(&entry.name, level.pick) };
        if pick == Pick::Leave {
            let Some((fixed, name)) = entry.own_header(own) else {
                way.claims.lost();
                return self.left_entry(record, &entry);
            };
            if name != entry.raw_name {
                pick = self.pick(&name, level.pick);
            }
            if pick == Pick::Leave {
                let at = own.place(entry.offset).unwrap_or(u64::MAX);
                way.claims.add(at, fixed.start(at).saturating_add(entry.place.compressed_size_hint()));
                return self.left_entry(record, &entry);
            }
            entry.raw_name.clone_from(&name);
            entry.name = name;
            let error = Error::Damaged("the table of contents has another name for it");
            self.entry_trouble(&entry.name, Trouble::Error(error))?;
        }
        if record.mode().is_symlink() {
            if !self.is_game(archive, &entry, way) {
                self.skipped(&entry.name, Skip::Kind);
                return ControlFlow::Continue(());
            }
            let error = Error::Damaged("the table of contents says that it is a link");
            self.entry_trouble(&entry.name, Trouble::Error(error))?;
        }
        self.zip_entry(archive, &entry, way, level, pick)
    }

    /// Reports an entry that is not read. That a directory is not read is not said.
    fn left_entry(&mut self, record: &ZipFileHeaderRecord<'_>, entry: &Entry) -> ControlFlow<()> {
        if record.mode().is_symlink() {
            self.skipped(&entry.name, Skip::Kind);
        } else if !record.is_dir() {
            self.not_picked(&entry.name);
        }
        ControlFlow::Continue(())
    }

    /// Whether an entry begins as a game does. A link contains the name of what it leads to.
    fn is_game(&self, archive: &Archive<'_, '_>, entry: &Entry, way: &mut Way<'_, '_>) -> bool {
        let mut head = Vec::new();
        match way.moved.entry(archive, entry, way.claims.last_end()) {
            Ok(there) => {
                let before = std::mem::replace(&mut way.read_to, u64::MAX);
                if let Ok((bytes, _)) = self.zip_reader(archive, entry, &there, way) {
                    let _ = bytes.take(HEAD_LEN as u64).read_to_end(&mut head);
                }
                way.read_to = before;
            }
            Err(_) => way.claims.lost(),
        }
        has_game(&head) && may_begin_game(&head)
    }

    /// Reads an entry that is picked like this.
    fn zip_entry(
        &mut self,
        archive: &Archive<'_, '_>,
        entry: &Entry,
        way: &mut Way<'_, '_>,
        level: Level,
        pick: Pick,
    ) -> ControlFlow<()> {
        // How much memory these methods take shows only when they are read.
        if is_heavy(entry.method) {
            self.heavy()?;
        }
        let there = match way.moved.entry(archive, entry, way.claims.last_end()) {
            Ok(there) => there,
            // Where it is does not matter, and that header may be encrypted too.
            Err(_) if entry.is_encrypted => return self.entry_trouble(&entry.name, Trouble::Error(Error::Encrypted)),
            Err(error) => {
                way.claims.lost();
                return self.entry_trouble(&entry.name, Trouble::Error(error));
            }
        };
        let source = archive.get_ref().source;
        if there.is_astray {
            self.entry_trouble(&entry.name, Trouble::Error(Error::Damaged(ASTRAY)))?;
        }
        if entry.is_told_wrong(&there, source) {
            let error = Error::Damaged("the table of contents has a wrong length for it");
            self.entry_trouble(&entry.name, Trouble::Error(error))?;
            let end = self.salvage_one(source, there.at, level)?;
            way.claims.add(there.at, end);
            return ControlFlow::Continue(());
        }
        match self.zip_reader(archive, entry, &there, way) {
            Ok((mut bytes, start)) => self.entry_at(&entry.name, &mut bytes, start, level.with(pick)),
            Err(error) => self.entry_trouble(&entry.name, Trouble::Error(error)),
        }
    }

    /// The bytes of an entry, and where they begin in the input if they lie there unchanged.
    fn zip_reader<'a>(
        &self,
        archive: &'a Archive<'_, '_>,
        entry: &Entry,
        there: &There<'a, '_, '_>,
        way: &mut Way<'_, '_>,
    ) -> Result<(impl Read + 'a, Option<u64>), Error> {
        let own = archive.get_ref();
        let is_stored = entry.method == CompressionMethod::STORE;
        let (offset, end) = there.found.compressed_data_range();
        let place = own.place(offset).unwrap_or(u64::MAX);
        let mut end = place.saturating_add(end - offset);
        if is_stored && !entry.is_encrypted && !is_sound_end(own.source, end, true) {
            end = way.moved.end_of_stored(place, end)?;
        }
        way.claims.add(there.at, end);
        if entry.is_encrypted {
            return Err(Error::Encrypted);
        }
        let packed = BufReader::with_capacity(64 << 10, there.found.reader().take(end - place));
        let unpacked = unpacker(entry.method, packed, &self.meter)?;
        // Stored bytes were counted already, but many entries may be the same ones.
        let is_counted = is_stored && place >= way.read_to;
        way.read_to = end.max(way.read_to);
        let unpacked: Box<dyn Read + 'a> =
            if is_counted { unpacked } else { Box::new(Metered::new(unpacked, Rc::clone(&self.meter))) };
        let start = self.start.filter(|_| is_stored).and_then(|start| start.checked_add(place));
        Ok((Checked::new(unpacked, entry.place.uncompressed_size_hint(), Some(entry.crc)), start))
    }
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
