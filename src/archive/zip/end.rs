//! Where a zip begins and ends: what the records behind its table say.
//!
//! Owns what may stand in front of an archive, and that one archive may stand behind another. Offsets in a zip count
//! from its own first byte, wherever that is, so an archive is read relative to that byte. Refuses to know entries.

use std::cell::Cell;
use std::io;

use rawzip::{MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ReaderAt, ZipLocator};

use crate::archive::seekable::Seekable;
use crate::archive::zip::records::{DESCRIPTOR, END_LEN, HEADER, TABLE};

const ENTRIES: &[u8] = TABLE[0];
const RECORD: &[u8] = TABLE[1];
const LOCATOR: &[u8] = b"PK\x06\x07";
const RECORD64: &[u8] = b"PK\x06\x06";

/// The mark of an archive in several files: each part is written with this in front of the first entry.
const PARTS: &[u8] = DESCRIPTOR;

/// The most archives behind each other that are searched for.
const ARCHIVES: usize = 1 << 16;

/// What a source is, according to its end.
pub(super) enum Extent {
    /// Archives, one behind the other: where each begins and ends.
    Archives(Vec<(u64, u64)>),
    /// What stands in front of an archive is another without an end, or there is no more than an end.
    CutOff,
    /// More stands in front of the table than the table knows of: bytes were added.
    Added,
    /// One of several files that form an archive together.
    Part,
    /// No end was found that makes sense.
    None,
}

/// The bytes of one archive.
pub(super) struct Own<'s, 'o> {
    pub(super) source: &'s Seekable<'o>,
    pub(super) start: u64,
    /// How far what is read now lies from where it should be.
    pub(super) shift: Cell<i64>,
}

impl Own<'_, '_> {
    /// Where in the source something is.
    pub(super) fn place(&self, offset: u64) -> Option<u64> {
        self.start.checked_add(offset)?.checked_add_signed(self.shift.get())
    }
}

impl ReaderAt for Own<'_, '_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.place(offset) {
            Some(at) => self.source.read_at(buffer, at),
            None => Ok(0),
        }
    }
}

/// Searches from the end to the beginning.
pub(super) fn extent(source: &Seekable<'_>) -> Extent {
    let mut archives = Vec::new();
    let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let mut end = source.len();
    let locator = ZipLocator::new();
    let mut has_table = false;
    while let Some(found) = find(source, end, &locator, &mut buffer) {
        if found.is_part {
            return Extent::Part;
        }
        if found.end != end && !archives.is_empty() {
            // The next archive does not follow this one directly.
            break;
        }
        archives.push((found.start, end));
        has_table = found.has_table;
        if found.start == 0 {
            archives.reverse();
            return Extent::Archives(archives);
        }
        if archives.len() == ARCHIVES {
            return Extent::CutOff;
        }
        end = found.start;
    }
    if archives.is_empty() {
        let is_part = stands(source, 0, PARTS) && stands(source, 4, HEADER);
        return if is_part { Extent::Part } else { Extent::None };
    }
    // An archive begins with an entry; if other bytes come first, the archive is behind them.
    if stands(source, 0, HEADER) || stands(source, 0, PARTS) {
        let is_whole = archives.last().is_some_and(|&(start, _)| stands(source, start, HEADER));
        return if has_table && !is_whole { Extent::Added } else { Extent::CutOff };
    }
    archives.reverse();
    Extent::Archives(archives)
}

/// Whether an archive stands behind these bytes, or they are a part of one.
pub(crate) fn is_behind(source: &Seekable<'_>) -> bool {
    // A comment is not longer, and nothing behind it is skipped.
    let locator = ZipLocator::new().max_search_space(END_LEN + u64::from(u16::MAX));
    let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    find(source, source.len(), &locator, &mut buffer).is_some_and(|found| found.is_part || found.has_table)
}

/// An archive that was found by its end.
struct Found {
    start: u64,
    end: u64,
    /// Its table has an entry where the first one must be.
    has_table: bool,
    is_part: bool,
}

/// The archive whose end is the last one before a place.
fn find(source: &Seekable<'_>, end: u64, locator: &ZipLocator, buffer: &mut [u8]) -> Option<Found> {
    let at = match locator.locate_in_reader(source, buffer, end) {
        Ok(archive) => archive.eocd_offset(),
        Err((_, error)) => error.eocd_offset()?,
    };
    let record = Record::<{ END_LEN as usize }>::read(source, at, RECORD)?;
    let comment = u64::from(record.short(20));
    let mut own = Table {
        end: at,
        len: record.long(12).into(),
        offset: record.long(16).into(),
        is_part: [record.short(4), record.short(6)].iter().any(|&disk| !matches!(disk, 0 | u16::MAX)),
    };
    if let Some(large) = Table::large(source, at) {
        own = Table { is_part: own.is_part || large.is_part, ..large };
    }
    let first = own.end.checked_sub(own.len);
    let is_table = |at: Option<u64>| at.is_some_and(|at| stands(source, at, ENTRIES));
    let has_table = own.len == 0 || is_table(first);
    let start = match first.and_then(|first| first.checked_sub(own.offset)) {
        // Something stands between the table and its end: some programs put a signature there.
        Some(_) if !has_table && is_table(Some(own.offset)) => 0,
        start => start.unwrap_or(0),
    };
    let end = at + END_LEN + comment;
    // If everything is in its place, only the number of the file is wrong. In a last part, where the table begins counts from the
    // part's own beginning.
    let is_whole = || first == Some(own.offset) && stands(source, 0, HEADER) && is_in_one(source, own.offset, own.end);
    let is_part = own.is_part && !is_whole();
    Some(Found { start, end, has_table: has_table && end <= source.len(), is_part })
}

/// Whether the entries of a table begin all in the same file.
fn is_in_one(source: &Seekable<'_>, mut at: u64, end: u64) -> bool {
    let mut file = None;
    while at < end
        && let Some(entry) = Record::<46>::read(source, at, ENTRIES)
    {
        if *file.get_or_insert(entry.short(34)) != entry.short(34) {
            return false;
        }
        at += 46 + [28, 30, 32].map(|at| u64::from(entry.short(at))).iter().sum::<u64>();
    }
    true
}

/// What the end says about the table.
struct Table {
    /// Where it ends, at the latest.
    end: u64,
    len: u64,
    offset: u64,
    is_part: bool,
}

impl Table {
    /// Reads the 64-bit record, to which another record in front of the end leads. If that is wrong because of bytes in
    /// front of the archive, the record is searched for where all programs put it.
    fn large(source: &Seekable<'_>, end: u64) -> Option<Self> {
        let locator_at = end.checked_sub(20)?;
        let locator = Record::<20>::read(source, locator_at, LOCATOR)?;
        let places = [Some(locator.wide(8)), locator_at.checked_sub(56)];
        places.into_iter().flatten().filter(|&at| at < locator_at).find_map(|at| {
            let record = Record::<56>::read(source, at, RECORD64)?;
            // Its length field counts what follows that field.
            (record.wide(4).checked_add(at + 12)? == locator_at).then_some(())?;
            let disks = [locator.long(4), record.long(16), record.long(20)];
            Some(Self {
                end: at,
                len: record.wide(40),
                offset: record.wide(48),
                is_part: locator.long(16) > 1 || disks.iter().any(|disk| *disk != 0),
            })
        })
    }
}

/// Bytes with numbers at fixed places.
struct Record<const LEN: usize>([u8; LEN]);

impl<const LEN: usize> Record<LEN> {
    /// `None` if it does not begin as it must.
    fn read(source: &Seekable<'_>, at: u64, signature: &[u8]) -> Option<Self> {
        let mut bytes = [0; LEN];
        source.read_exact_at(&mut bytes, at).ok()?;
        Some(Self(bytes)).filter(|record| record.0.starts_with(signature))
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0[at..].first_chunk().copied().unwrap_or([0; N])
    }

    fn short(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    fn long(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn wide(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }
}

/// Whether a signature stands there.
fn stands(source: &Seekable<'_>, at: u64, signature: &[u8]) -> bool {
    let mut bytes = [0; 4];
    source.read_exact_at(&mut bytes, at).is_ok() && bytes == signature
}
