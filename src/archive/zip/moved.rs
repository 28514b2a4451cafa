//! Where an entry is that is not where the table says: bytes before it were lost, or some were added.
//!
//! Owns how far to search, and how much in all. An entry is known by its header, its name and its checksum; those after it
//! have most likely moved as far. The headers near by are read once, however many entries are searched for among them, so
//! that those that are gone do not use up what the others need.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::io;

use rawzip::{ReaderAt, ZipEntry};

use crate::archive::Error;
use crate::archive::seekable::Seekable;
use crate::archive::zip::end::Own;
use crate::archive::zip::records::{FIXED_LEN, Fixed, HEADER, Search, end_of_stored};
use crate::archive::zip::{Archive, Entry, described};

/// How far after its place an entry is searched for, and before it at the least.
const NEAR: u64 = 64 << 10;

/// How many bytes may be searched at the least.
const MIN_SEARCHED: u64 = 1 << 20;

/// The most headers that are remembered: 5 MB.
const MAX_HEADERS: usize = 1 << 17;

pub(super) struct Moved<'s, 'o> {
    /// How far the last ones lie from their places.
    shift: i64,
    /// How far before its place one may be.
    before: u64,
    /// How many bytes may still be searched, so that a table in which nothing is right costs no more than a few readings.
    left: u64,
    search: Search<'s, 'o>,
    /// Between which places all headers were read.
    from: u64,
    to: u64,
    /// The headers there: where each is, and its key.
    headers: VecDeque<(u64, u64)>,
    places: HashMap<u64, u64>,
    hasher: RandomState,
}

impl<'s, 'o> Moved<'s, 'o> {
    /// If more bytes are lost than the table has, the table is not found.
    pub(super) fn new(source: &'s Seekable<'o>, table_len: u64) -> Self {
        Self {
            shift: 0,
            before: table_len.max(NEAR),
            left: source.len().saturating_mul(4).max(MIN_SEARCHED),
            search: Search::new(source),
            from: 0,
            to: 0,
            headers: VecDeque::new(),
            places: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    /// An entry, wherever it is. From then on, what is read of the archive is read from as far away.
    pub(super) fn entry<'a, 'x, 'y>(
        &mut self,
        archive: &'a Archive<'x, 'y>,
        entry: &Entry,
    ) -> Result<ZipEntry<'a, Own<'x, 'y>>, Error> {
        let own = archive.get_ref();
        // The place of an entry may be wrong while those of the others are right. A header that is right in every way goes before
        // one that may be a part of it.
        for is_exact in [true, false] {
            for shift in [self.shift, 0] {
                own.shift.set(shift);
                if let Some(found) = entry.there(archive, is_exact)? {
                    return Ok(found);
                }
                if shift == 0 {
                    break;
                }
            }
        }
        let is_found = self.find(own, entry)?;
        match archive.get_entry(entry.place) {
            Ok(found) if is_found => Ok(found),
            Ok(_) => Err(own.source.unless_failed(Error::Damaged("another entry is in its place"))),
            Err(error) => Err(described(error, own.source)),
        }
    }

    /// Where a stored entry ends whose bytes begin at `start` and should end at `end`, where nothing is that may follow one. A
    /// table may have the same one any number of times, so once too much was searched, it ends where it should.
    pub(super) fn end_of_stored(&mut self, start: u64, end: u64) -> io::Result<u64> {
        if self.left == 0 {
            return Ok(end);
        }
        let found = end_of_stored(&mut self.search, start, start, end, false)?;
        self.left = self.left.saturating_sub(found.min(self.search.source.len()).saturating_sub(start));
        Ok(found)
    }

    /// Searches for an entry near where those before it would have it.
    fn find(&mut self, own: &Own<'_, '_>, entry: &Entry) -> io::Result<bool> {
        own.shift.set(0);
        let Some(place) = own.place(entry.offset) else { return Ok(false) };
        let near = place.saturating_add_signed(self.shift);
        self.read_headers(near.saturating_sub(self.before), near.saturating_add(NEAR).min(own.source.len()))?;
        // The checksum may come only after the entry.
        let keys = [entry.crc, 0].map(|crc| self.hasher.hash_one((&entry.raw_name[..], crc)));
        let Some(&found) = keys.iter().find_map(|key| self.places.get(key)) else { return Ok(false) };
        self.shift = 0_i64.saturating_add_unsigned(found).saturating_sub_unsigned(place);
        own.shift.set(self.shift);
        Ok(true)
    }

    /// Reads the headers between two places, and forgets those long before. Most often they are close behind the last
    /// ones.
    fn read_headers(&mut self, start: u64, end: u64) -> io::Result<()> {
        if !(self.from..=self.to).contains(&start) {
            self.headers.clear();
            self.places.clear();
            (self.from, self.to) = (start, start);
        }
        // With more bytes lost, the next one may be searched for further back.
        self.from = self.from.max(start.saturating_sub(self.before));
        while self.to < end && self.left > 0 {
            let from = self.to;
            let Some(at) = self.search.find(HEADER, from, end)? else {
                self.to = end;
                self.left = self.left.saturating_sub(end - from);
                break;
            };
            self.to = at + HEADER.len() as u64;
            let name_len = self.read_header(at)?;
            self.left = self.left.saturating_sub(self.to - from + FIXED_LEN as u64 + name_len);
        }
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        while self.headers.len() > MAX_HEADERS || self.headers.front().is_some_and(|&(at, _)| at < self.from) {
            if let Some((at, key)) = self.headers.pop_front()
                && self.places.get(&key) == Some(&at)
            {
                self.places.remove(&key);
            }
        }
    }

    /// Remembers a header, and returns the length of its name.
    fn read_header(&mut self, at: u64) -> io::Result<u64> {
        let source = self.search.source;
        let fixed = match Fixed::read(source, at) {
            Ok(fixed) => fixed,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
            Err(error) => return Err(error),
        };
        let after_fixed = at + FIXED_LEN as u64;
        if after_fixed + fixed.name_len > source.len() {
            return Ok(0);
        }
        let mut name = vec![0; fixed.name_len as usize];
        source.read_exact_at(&mut name, after_fixed)?;
        let crc = if fixed.has_descriptor() { 0 } else { fixed.crc };
        let key = self.hasher.hash_one((&name[..], crc));
        self.headers.push_back((at, key));
        self.places.entry(key).or_insert(at);
        self.forget();
        Ok(fixed.name_len)
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
    /// The entry, if it is where it is read from: a header stands there that has its name or its checksum. One of the two
    /// may be damaged, or the name written in another way, unless it is to be exact.
    fn there<'a, 'x, 'y>(
        &self,
        archive: &'a Archive<'x, 'y>,
        is_exact: bool,
    ) -> Result<Option<ZipEntry<'a, Own<'x, 'y>>>, Error> {
        let own = archive.get_ref();
        let found = match archive.get_entry(self.place) {
            Ok(found) => found,
            Err(error) if is_elsewhere(&error) => return Ok(None),
            Err(error) => return Err(described(error, own.source)),
        };
        let mut bytes = vec![0; FIXED_LEN + self.raw_name.len()];
        match own.read_exact_at(&mut bytes, self.offset) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let Some((fixed, name)) = bytes.split_first_chunk() else { return Ok(None) };
        let fixed = Fixed::of(fixed);
        let has_name = fixed.name_len == self.raw_name.len() as u64 && name == self.raw_name;
        if is_exact {
            let has_crc = fixed.crc == self.crc || fixed.has_descriptor();
            return Ok((has_name && has_crc).then_some(found));
        }
        // The checksum may come only after the entry.
        let after = || found.reader().data_descriptor().ok().flatten().map(|descriptor| descriptor.crc32());
        let is_itself = has_name || fixed.crc == self.crc || fixed.has_descriptor() && after() == Some(self.crc);
        Ok(is_itself.then_some(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_stored_entries_are_searched_for_only_so_often() {
        const LEN: u64 = 64 << 10;
        let mut bytes = vec![b'x'; LEN as usize];
        bytes.extend_from_slice(HEADER);
        bytes.resize(2 * LEN as usize, 0);
        let source = Seekable::memory(bytes);
        let mut moved = Moved::new(&source, 0);
        let stated = LEN + 100;
        let times = (0..100).take_while(|_| moved.end_of_stored(0, stated).unwrap() == LEN).count();
        assert_eq!(times as u64, MIN_SEARCHED / LEN);
        assert_eq!(moved.end_of_stored(0, stated).unwrap(), stated);
    }
}
