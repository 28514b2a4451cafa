//! A zip whose table at the end is missing: entries in the order of their own headers.
//!
//! Owns what a header in front of an entry says, and where the next one may be. An entry is skipped by the length that
//! it states, so that what is stored in it is not mistaken for an entry; if it states none, by what unpacking it
//! consumed. Only if nothing follows where it should end, so that bytes of it may be missing or its length is wrong, is the
//! next one searched for from its beginning. Bytes between entries that belong to none are counted.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use rawzip::extra_fields::{ExtraFieldId, ExtraFields};
use rawzip::{CompressionMethod, ReaderAt};

use crate::archive::checked::{Checked, Failing};
use crate::archive::limits::Metered;
use crate::archive::opening::{Level, Opening};
use crate::archive::picks::Pick;
use crate::archive::seekable::{Seekable, Span};
use crate::archive::zip::records::{
    DESCRIPTOR, END_LEN, FIXED_LEN, Fixed, HEADER, Search, TABLE, end_of_stored, is_sound_end, name_in_utf8,
};
use crate::archive::zip::{is_heavy, unpacker};
use crate::archive::{Error, Trouble};

/// The lengths of what may follow an entry: without and with the signature, for sizes of 32 and 64 bits.
const DESCRIPTOR_LENS: [u64; 4] = [12, 16, 20, 24];

/// Where reading goes on after an entry.
struct Next {
    /// Where the entry ends.
    end: u64,
    /// Where the next one is searched for.
    from: u64,
    /// How many bytes were read that may be read again because of that.
    cost: u64,
}

/// A header, up to the entry's own bytes.
struct Head {
    at: u64,
    fixed: Fixed,
    name: Vec<u8>,
    extra: Vec<u8>,
    /// Where the entry's bytes begin.
    start: u64,
}

/// An entry, according to its own header.
struct Entry {
    /// Where the header begins.
    at: u64,
    name: Vec<u8>,
    method: CompressionMethod,
    is_encrypted: bool,
    /// Checksum and sizes come after it.
    has_descriptor: bool,
    /// The packed and unpacked sizes and the checksum, unless they come only after the entry.
    declared: Option<Declared>,
    /// Where its bytes begin.
    start: u64,
    /// Where they end, unless only unpacking shows it.
    end: Option<u64>,
}

#[derive(Clone, Copy)]
struct Declared {
    packed: u64,
    unpacked: u64,
    crc: u32,
}

/// What came of unpacking an entry.
#[derive(Clone, Copy)]
struct Outcome {
    /// How many bytes of it were used.
    taken: u64,
    failed: Option<io::ErrorKind>,
}

impl Opening<'_, '_> {
    /// Reads the entries between two places whose headers can be found.
    pub(crate) fn salvage(&mut self, source: &Seekable<'_>, (start, end): (u64, u64), level: Level) -> ControlFlow<()> {
        let (mut at, mut lost) = (Next { end: start, from: start, cost: 0 }, 0);
        // Where the furthest entry ends. Between those that are found within another nothing is lost that did not come.
        let mut reached = start;
        // Whether the last header that was found is cut off.
        let mut is_cut = false;
        // How many bytes may be read a second time.
        let mut again = end.saturating_sub(start).saturating_mul(4);
        let (mut headers, mut descriptors) = (Search::new(source), Descriptors::new(source));
        let end_of_all = loop {
            let found = match headers.find(HEADER, at.from, end) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    // A header that is cut off is no entry, and the missing table was reported already.
                    let no_table = if is_cut { at.end } else { end };
                    break table(&mut headers, at.from).map(|table| table.map_or(no_table, |table| table.min(end)));
                }
                Err(error) => return self.failed(error),
            };
            lost += between(at.end.max(reached), found);
            let inside = Next { end: found, from: found + HEADER.len() as u64, cost: 0 };
            let head = match Head::read(source, found) {
                Ok(head) => head,
                // Its lengths may be wrong.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    (at, is_cut) = (inside, true);
                    continue;
                }
                Err(error) => return self.failed(error),
            };
            is_cut = false;
            let behind = if head.makes_sense() {
                let is_read = self.pick(&head.name, level.pick) != Pick::Leave;
                let entry = match head.entry(&mut headers, &mut descriptors, is_read) {
                    Ok(entry) => entry,
                    Err(error) => return self.failed(error),
                };
                self.add_member()?;
                at = self.salvage_entry(source, end, &entry, level)?;
                reached = reached.max(at.end.min(end));
                at.end
            } else {
                at = Next { cost: head.start - found, ..inside };
                head.start
            };
            if at.from < behind {
                match again.checked_sub(at.cost) {
                    Some(left) => again = left,
                    None => at.from = behind,
                }
            }
        };
        match end_of_all.map(|end| lost + between(at.end.max(reached), end)) {
            Ok(0) => ControlFlow::Continue(()),
            Ok(lost) => self.failed(Error::LostBetween(lost)),
            Err(error) => self.failed(error),
        }
    }

    /// Reads an entry and returns where the next one may be.
    fn salvage_entry(&mut self, source: &Seekable<'_>, end: u64, entry: &Entry, level: Level) -> ControlFlow<(), Next> {
        let pick = self.pick(&entry.name, level.pick);
        let is_dir = entry.name.ends_with(b"/");
        if pick == Pick::Leave && !is_dir {
            self.not_picked(&entry.name);
        }
        if let Some(after) = entry.end.filter(|_| is_dir || pick == Pick::Leave) {
            return self.next(source, end, entry, after, None);
        }
        if is_heavy(entry.method) {
            self.heavy()?;
        }
        let len = entry.end.unwrap_or(end).saturating_sub(entry.start);
        let taken = Rc::new(Cell::new(0));
        let packed = Taken { source: BufReader::with_capacity(64 << 10, source.span(entry.start, len)), taken };
        let taken = Rc::clone(&packed.taken);
        let mut unpacked = match self.salvaged(entry, packed) {
            Ok(unpacked) => Failing::new(unpacked),
            Err(error) => {
                self.entry_trouble(&entry.name, Trouble::Error(error))?;
                return self.next(source, end, entry, entry.end.unwrap_or(entry.start), None);
            }
        };
        if pick != Pick::Leave {
            self.entry(&entry.name, &mut unpacked, level.with(pick))?;
        }
        // The reader has received any error in it, unless it has not read on.
        if entry.end.is_none() || !unpacked.has_failed() {
            let _ = io::copy(&mut unpacked, &mut io::sink());
        }
        let failed = unpacked.failure();
        if failed.is_none() {
            unpacked.into_inner().finish();
        }
        let outcome = Outcome { taken: taken.get(), failed };
        let after = entry.end.unwrap_or(entry.start + outcome.taken);
        self.next(source, end, entry, after, Some(outcome))
    }

    /// Where the next entry may be, if this one should end at `after`, and this came of unpacking it.
    fn next(
        &mut self,
        source: &Seekable<'_>,
        end: u64,
        entry: &Entry,
        after: u64,
        outcome: Option<Outcome>,
    ) -> ControlFlow<(), Next> {
        match entry.next(source, end, after, outcome) {
            Ok(next) => ControlFlow::Continue(next),
            Err(error) => {
                self.failed(error)?;
                ControlFlow::Continue(Next { end: after, from: after, cost: 0 })
            }
        }
    }

    fn salvaged<'a>(&self, entry: &Entry, packed: impl BufRead + 'a) -> Result<Contents<'a>, Error> {
        if entry.is_encrypted {
            return Err(Error::Encrypted);
        }
        let is_stored = entry.method == CompressionMethod::STORE;
        let unpacked = unpacker(entry.method, packed, &self.meter)?;
        // Stored bytes were counted already.
        let unpacked: Box<dyn Read + 'a> =
            if is_stored { unpacked } else { Box::new(Metered::new(unpacked, Rc::clone(&self.meter))) };
        Ok(match entry.declared {
            Some(declared) => Contents::Told(Checked::new(unpacked, declared.unpacked, Some(declared.crc))),
            None => Contents::Untold(unpacked),
        })
    }
}

/// The unpacked bytes of an entry, whose number is known or not.
enum Contents<'a> {
    Told(Checked<Box<dyn Read + 'a>>),
    Untold(Box<dyn Read + 'a>),
}

impl Contents<'_> {
    /// Takes what stands behind the last byte, and belongs to how they are packed.
    fn finish(self) {
        if let Self::Told(bytes) = self {
            let _ = bytes.into_inner().read(&mut [0]);
        }
    }
}

impl Read for Contents<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Told(bytes) => bytes.read(buffer),
            Self::Untold(bytes) => bytes.read(buffer),
        }
    }
}

/// Whether the last bytes are what ends a zip without a comment.
fn has_end(source: &Seekable<'_>) -> bool {
    let mut bytes = [0; 4];
    let at = source.len().checked_sub(END_LEN);
    at.is_some_and(|at| source.read_exact_at(&mut bytes, at).is_ok()) && bytes == TABLE[1]
}

/// Where the last zip has ended that an entry holds. What its headers tell of came with that entry.
fn behind_zips(source: &Seekable<'_>, start: u64, end: u64) -> io::Result<Option<u64>> {
    let (mut search, mut last) = (Search::new(source), None);
    while let Some(found) = search.find(TABLE[1], last.unwrap_or(start), end)? {
        last = Some(found + TABLE[1].len() as u64);
    }
    Ok(last)
}

/// Where the table of contents or its end begins, if either is there.
fn table(search: &mut Search<'_, '_>, from: u64) -> io::Result<Option<u64>> {
    let len = search.source.len();
    let [table, end] = TABLE.map(|signature| search.find(signature, from, len));
    Ok([table?, end?].into_iter().flatten().min())
}

/// The number of bytes from the end of an entry to what comes next, unless they are what may follow an entry.
fn between(end: u64, next: u64) -> u64 {
    let len = next.saturating_sub(end);
    if DESCRIPTOR_LENS.contains(&len) { 0 } else { len }
}

impl Head {
    /// An error that says so if it goes on behind the end.
    fn read(source: &Seekable<'_>, at: u64) -> io::Result<Self> {
        let fixed = Fixed::read(source, at)?;
        let after_fixed = at + FIXED_LEN as u64;
        let start = after_fixed + fixed.name_len + fixed.extra_len;
        if start > source.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut name = vec![0; fixed.name_len as usize];
        let mut extra = vec![0; fixed.extra_len as usize];
        source.read_exact_at(&mut name, after_fixed)?;
        source.read_exact_at(&mut extra, after_fixed + fixed.name_len)?;
        if let Some(utf8) = name_in_utf8(ExtraFields::new(&extra), &name) {
            name = utf8.to_vec();
        }
        Ok(Self { at, fixed, name, extra, start })
    }

    /// False if bytes of it are missing or were added, so that what stands in the place of the name is none.
    fn makes_sense(&self) -> bool {
        !self.name.is_empty() && !self.name.contains(&0)
    }

    /// `is_read`: its name is that of something that is read.
    fn entry(
        self,
        headers: &mut Search<'_, '_>,
        descriptors: &mut Descriptors<'_, '_>,
        is_read: bool,
    ) -> io::Result<Entry> {
        let Self { at, fixed, name, extra, start } = self;
        let method = CompressionMethod::from(fixed.method);
        let has_descriptor = fixed.has_descriptor();
        let mut declared = match (fixed.packed, fixed.unpacked) {
            (0, _) if fixed.has_descriptor() => None,
            (u32::MAX, _) | (_, u32::MAX) => large_sizes(&extra),
            (packed, unpacked) => Some((packed.into(), unpacked.into())),
        }
        .map(|(packed, unpacked)| Declared { packed, unpacked, crc: fixed.crc });
        let is_stored = method == CompressionMethod::STORE;
        if declared.is_none() && is_stored {
            // Unpacking cannot find the end of a stored entry.
            declared = descriptors.of(start)?;
            if declared.is_none() {
                // It ends where the next one begins, and its length is reported as wrong.
                let len = headers.source.len();
                let end = headers.find(HEADER, start, len)?.unwrap_or(len);
                declared = Some(Declared { packed: end.saturating_sub(start), unpacked: u64::MAX, crc: 0 });
            }
        }
        let mut end = declared.map(|declared| start.saturating_add(declared.packed));
        if let Some(stated) = end.filter(|_| is_stored) {
            end = Some(end_of_stored(headers, at + HEADER.len() as u64, start, stated, is_read)?);
        }
        Ok(Entry { at, name, method, is_encrypted: fixed.flags & 1 != 0, has_descriptor, declared, start, end })
    }
}

impl Entry {
    fn next(&self, source: &Seekable<'_>, end: u64, after: u64, outcome: Option<Outcome>) -> io::Result<Next> {
        let inside = self.at + HEADER.len() as u64;
        let cost = self.start - self.at + outcome.map_or(0, |outcome| outcome.taken);
        let next = |from| Next { end: after, from, cost };
        // By chance, or as the length that it states is wrong, something may follow there that may follow an entry.
        let fits = outcome.is_none_or(|Outcome { taken, failed }| failed.is_none() && self.start + taken >= after);
        if fits && is_sound_end(source, after, self.has_descriptor) {
            return Ok(next(after));
        }
        // The last one may be that of the zip itself.
        let ends = end.saturating_sub(END_LEN);
        if self.method == CompressionMethod::STORE {
            // If it is no archive, a header in it would have ended it.
            let zips = if after < end { behind_zips(source, self.start, after.min(ends))? } else { None };
            return Ok(Next { cost: after - self.at, ..next(zips.unwrap_or(after)) });
        }
        Ok(match outcome {
            None => next(inside),
            Some(Outcome { taken, failed: None }) => next(self.start + taken),
            Some(Outcome { taken, failed: Some(failed) }) => {
                let reached = self.start + taken;
                // One that goes on to the end is cut off, unless the zip itself is not.
                let is_cut = failed == io::ErrorKind::UnexpectedEof && reached >= end && !has_end(source);
                next(if is_cut { after } else { behind_zips(source, inside, reached.min(ends))?.unwrap_or(inside) })
            }
        })
    }
}

/// The packed and unpacked sizes that need 64 bits. Zeros stand in their place if they come after the entry.
fn large_sizes(extra: &[u8]) -> Option<(u64, u64)> {
    let (_, field) = ExtraFields::new(extra).find(|(id, _)| *id == ExtraFieldId::ZIP64)?;
    let (unpacked, rest) = field.split_first_chunk()?;
    let packed = rest.first_chunk()?;
    let sizes = (u64::from_le_bytes(*packed), u64::from_le_bytes(*unpacked));
    (sizes != (0, 0)).then_some(sizes)
}

/// What may follow stored entries whose headers do not state their lengths. Entries come in order, and each descriptor is
/// found once, so that many entries that nothing fits cost no more than one.
struct Descriptors<'s, 'o> {
    search: Search<'s, 'o>,
    /// Those that were found and that an entry to come may have.
    found: VecDeque<Descriptor>,
    /// Where the search goes on; `None` if there are no more.
    next: Option<u64>,
}

#[derive(Clone, Copy)]
struct Descriptor {
    at: u64,
    /// The lower half of the length that it states.
    len: u32,
    crc: u32,
}

impl<'s, 'o> Descriptors<'s, 'o> {
    /// How many may stand in an entry before its own: they belong to a zip that is stored in this one.
    const WITHIN: usize = 1_024;

    fn new(source: &'s Seekable<'o>) -> Self {
        Self { search: Search::new(source), found: VecDeque::new(), next: Some(0) }
    }

    /// The sizes that follow an entry whose bytes begin at `start`: the stated length must equal the distance from there.
    fn of(&mut self, start: u64) -> io::Result<Option<Declared>> {
        while self.found.front().is_some_and(|descriptor| descriptor.at < start) {
            self.found.pop_front();
        }
        self.next = self.next.map(|next| next.max(start));
        for index in 0..Self::WITHIN {
            if index == self.found.len() {
                let Some(descriptor) = self.read()? else { return Ok(None) };
                self.found.push_back(descriptor);
            }
            let Descriptor { at, len, crc } = self.found[index];
            let distance = at - start;
            if u64::from(len) == distance & u64::from(u32::MAX) {
                return Ok(Some(Declared { packed: distance, unpacked: distance, crc }));
            }
        }
        Ok(None)
    }

    fn read(&mut self) -> io::Result<Option<Descriptor>> {
        let Some(next) = self.next.take() else { return Ok(None) };
        let Some(at) = self.search.find(DESCRIPTOR, next, self.search.source.len())? else { return Ok(None) };
        let mut bytes = [0; 16];
        if self.search.source.read_exact_at(&mut bytes, at).is_err() {
            return Ok(None);
        }
        self.next = Some(at + 1);
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        // Of a 64-bit number, the lower half comes first.
        Ok(Some(Descriptor { at, len: number(8), crc: number(4) }))
    }
}

/// Counts how much of a source was used, as opposed to read ahead.
struct Taken<'s, 'o> {
    source: BufReader<Span<'s, 'o>>,
    taken: Rc<Cell<u64>>,
}

impl Read for Taken<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.source.read(buffer)?;
        self.taken.set(self.taken.get() + len as u64);
        Ok(len)
    }
}

impl BufRead for Taken<'_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, len: usize) {
        self.taken.set(self.taken.get() + len as u64);
        self.source.consume(len);
    }
}
