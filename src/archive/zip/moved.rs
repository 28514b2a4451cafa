//! Where an entry is that is not where the table says: bytes before it were lost, or some were added.
//!
//! Owns how far to search, and how much in all. An entry is known by its header, its name and its checksum; those after it
//! have most likely moved as far.

use std::io;

use memchr::memmem;
use rawzip::{ReaderAt, ZipEntry};

use crate::archive::salvage::{FIXED_LEN, HEADER};
use crate::archive::seekable::Seekable;
use crate::archive::zip::end::Own;
use crate::archive::zip::{Archive, Entry};

/// How far after its place an entry is searched for, and before it at the least.
const NEAR: u64 = 64 << 10;

/// How far before it at the most.
const FAR: u64 = 1 << 20;

pub(super) struct Moved {
    /// How far the last ones lie from their places.
    shift: i64,
    /// How far before its place one may be.
    before: u64,
    /// How many bytes may still be searched, so that a table in which nothing is right costs no more than a few readings.
    left: u64,
}

impl Moved {
    /// If more bytes are lost than the table has, the table is not found.
    pub(super) fn new(source: &Seekable<'_>, table_len: u64) -> Self {
        Self { shift: 0, before: table_len.clamp(NEAR, FAR), left: source.len().saturating_mul(4).max(FAR) }
    }

    /// An entry, wherever it is. From then on, what is read of the archive is read from as far away.
    pub(super) fn entry<'a, 's, 'o>(
        &mut self,
        archive: &'a Archive<'s, 'o>,
        entry: &Entry,
    ) -> Result<ZipEntry<'a, Own<'s, 'o>>, rawzip::Error> {
        let own = archive.get_ref();
        own.shift.set(self.shift);
        // The place of an entry may be wrong while those of the others are right.
        if self.shift != 0 && !entry.is_at(own) {
            own.shift.set(0);
        }
        match archive.get_entry(entry.place) {
            Err(error) if is_elsewhere(&error) && self.find(own, entry) => archive.get_entry(entry.place),
            found => found,
        }
    }

    /// Searches for an entry near where those before it would have it.
    fn find(&mut self, own: &Own<'_, '_>, entry: &Entry) -> bool {
        own.shift.set(0);
        let Some(place) = own.place(entry.offset) else { return false };
        let near = place.saturating_add_signed(self.shift);
        let start = near.saturating_sub(self.before);
        let end = near.saturating_add(NEAR).min(own.source.len());
        let Some(len) = end.checked_sub(start) else { return false };
        let Some(left) = self.left.checked_sub(len) else { return false };
        self.left = left;
        let mut bytes = vec![0; len as usize];
        if own.source.read_exact_at(&mut bytes, start).is_err() {
            return false;
        }
        let Some(found) = memmem::find_iter(&bytes, HEADER).find(|&at| entry.begins(&bytes[at..])) else {
            return false;
        };
        let found = start + found as u64;
        self.shift = 0_i64.saturating_add_unsigned(found).saturating_sub_unsigned(place);
        own.shift.set(self.shift);
        true
    }
}

/// Whether no entry begins where the table says.
fn is_elsewhere(error: &rawzip::Error) -> bool {
    match error.kind() {
        rawzip::ErrorKind::IO(error) => error.kind() == io::ErrorKind::UnexpectedEof,
        _ => true,
    }
}

impl Entry {
    /// Whether it is where it is read from.
    fn is_at(&self, own: &Own<'_, '_>) -> bool {
        let mut bytes = vec![0; FIXED_LEN + self.name.len()];
        own.read_exact_at(&mut bytes, self.offset).is_ok() && bytes.starts_with(HEADER) && self.begins(&bytes)
    }

    /// Whether its own header stands at the beginning of these bytes.
    fn begins(&self, bytes: &[u8]) -> bool {
        let Some((fixed, rest)) = bytes.split_at_checked(FIXED_LEN) else { return false };
        let short = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let crc = u32::from_le_bytes([fixed[14], fixed[15], fixed[16], fixed[17]]);
        // The checksum may come only after the entry.
        let is_crc_right = short(6) & 8 != 0 || crc == self.crc;
        is_crc_right && usize::from(short(26)) == self.name.len() && rest.starts_with(&self.name)
    }
}
