//! A zip whose table at the end is missing: entries in the order of their own headers.
//!
//! Owns what a header in front of an entry says, and where the next one may be. An entry is skipped by the length that
//! it states, so that what is stored in it is not mistaken for an entry; if it states none, by what unpacking it
//! consumed. Only if an entry is damaged and nothing follows where it should end, so that bytes of it may be missing, is
//! the next one searched for from its beginning. Bytes between entries that belong to none are counted.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use memchr::memmem;
use rawzip::{CompressionMethod, ReaderAt};

use crate::archive::Error;
use crate::archive::checked::{Checked, Failing};
use crate::archive::limits::Metered;
use crate::archive::opener::Opening;
use crate::archive::picks::Pick;
use crate::archive::seekable::{Seekable, Span};
use crate::archive::zip::{is_heavy, unpacker};

pub(crate) const HEADER: &[u8] = b"PK\x03\x04";

/// The signature of what may follow an entry: its checksum and sizes.
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// The signatures of the table of contents and of its end.
const TABLE: [&[u8]; 2] = [b"PK\x01\x02", b"PK\x05\x06"];

/// The length of its end without a comment.
const END_LEN: u64 = 22;

/// The lengths of what may follow an entry: without and with the signature, for sizes of 32 and 64 bits.
const DESCRIPTOR_LENS: [u64; 4] = [12, 16, 20, 24];

/// The length of a header before the name.
pub(crate) const FIXED_LEN: usize = 30;

/// The extra field that has sizes of 64 bits.
const ZIP64: u16 = 1;

/// Where reading goes on after an entry.
struct Next {
    /// Where the entry ends.
    end: u64,
    /// Where the next one is searched for.
    from: u64,
}

impl Next {
    fn at(end: u64) -> Self {
        Self { end, from: end }
    }
}

/// An entry, according to its own header.
struct Entry {
    name: Vec<u8>,
    method: CompressionMethod,
    is_encrypted: bool,
    /// The packed and unpacked sizes and the checksum, unless they come only after the entry.
    told: Option<Told>,
    /// Where its bytes begin.
    start: u64,
}

#[derive(Clone, Copy)]
struct Told {
    packed: u64,
    unpacked: u64,
    crc: u32,
}

impl Opening<'_, '_> {
    /// Reads the entries between two places whose headers can be found.
    pub(crate) fn salvage(
        &mut self,
        source: &Seekable<'_>,
        (start, end): (u64, u64),
        depth: usize,
        pick: Pick,
    ) -> ControlFlow<()> {
        let (mut at, mut lost) = (Next::at(start), 0);
        // Where the furthest entry ends. Between those that are found within another nothing is lost that did not come.
        let mut reached = start;
        // How many bytes may be searched a second time.
        let mut again = end.saturating_sub(start).saturating_mul(4);
        let (mut headers, mut descriptors) = (Search::new(source), Descriptors::new(source));
        let end_of_all = loop {
            let found = match headers.find(HEADER, at.from) {
                Ok(found) => found.filter(|&found| found < end),
                Err(error) => return self.failed(error),
            };
            let Some(found) = found else {
                break table(&mut headers, at.from).map(|table| table.unwrap_or(end).min(end));
            };
            lost += between(at.end.max(reached), found);
            at = Next::at(found);
            let entry = match Entry::read(&mut headers, &mut descriptors, found) {
                Ok(entry) => entry,
                // A header that is cut off is no entry, and the missing table was reported already.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break Ok(found),
                Err(error) => return self.failed(error),
            };
            self.add_member()?;
            at = self.salvage_entry(source, end, &entry, depth, pick)?;
            reached = reached.max(at.end.min(end));
            let len = if at.from < at.end { at.end.min(end).saturating_sub(found) } else { 0 };
            match again.checked_sub(len) {
                Some(left) => again = left,
                None => at.from = at.end,
            }
        };
        match end_of_all.map(|end| lost + between(at.end.max(reached), end)) {
            Ok(0) => ControlFlow::Continue(()),
            Ok(lost) => self.failed(Error::LostBetween(lost)),
            Err(error) => self.failed(error),
        }
    }

    /// Reads an entry and returns where the next one may be.
    fn salvage_entry(
        &mut self,
        source: &Seekable<'_>,
        end: u64,
        entry: &Entry,
        depth: usize,
        outer: Pick,
    ) -> ControlFlow<(), Next> {
        let len = entry.told.map_or(end.saturating_sub(entry.start), |told| told.packed);
        let after = entry.told.map(|_| entry.start.saturating_add(len));
        let pick = self.pick(&entry.name, outer);
        let is_dir = entry.name.ends_with(b"/");
        if pick == Pick::Leave && !is_dir {
            self.not_picked(&entry.name);
        }
        if let Some(after) = after.filter(|_| is_dir || pick == Pick::Leave) {
            return ControlFlow::Continue(Next::at(after));
        }
        if is_heavy(entry.method) {
            self.heavy()?;
        }
        let taken = Rc::new(Cell::new(0));
        let packed = Taken { source: BufReader::with_capacity(64 << 10, source.span(entry.start, len)), taken };
        let taken = Rc::clone(&packed.taken);
        let mut unpacked = match self.salvaged(entry, packed) {
            Ok(unpacked) => Failing::new(unpacked),
            Err(error) => {
                let parent = self.name.push(&entry.name);
                let flow = self.failed(error);
                self.name.pop(parent);
                flow?;
                return ControlFlow::Continue(Next::at(after.unwrap_or(entry.start)));
            }
        };
        if pick != Pick::Leave {
            self.entry(&entry.name, &mut unpacked, depth, pick)?;
        }
        if after.is_none() {
            // The reader has received any error in it.
            let _ = io::copy(&mut unpacked, &mut io::sink());
        }
        let after = after.unwrap_or(entry.start + taken.get());
        let is_moved = unpacked.has_failed() && !entry.is_zip(source) && !is_sound_end(source, after);
        let from = match is_moved {
            true if after < end => behind_zips(source, entry.start, after),
            // One that goes on to the end is cut off, unless the zip itself is not.
            true if has_end(source) => Ok(entry.start),
            _ => Ok(after),
        };
        match from {
            Ok(from) => ControlFlow::Continue(Next { end: after, from }),
            Err(error) => {
                self.failed(error)?;
                ControlFlow::Continue(Next::at(after))
            }
        }
    }

    fn salvaged<'a>(&self, entry: &Entry, packed: impl BufRead + 'a) -> Result<Box<dyn Read + 'a>, Error> {
        if entry.is_encrypted {
            return Err(Error::Encrypted);
        }
        let is_stored = entry.method == CompressionMethod::STORE;
        let unpacked = unpacker(entry.method, packed, self.meter.limits().window)?;
        // Stored bytes were counted already.
        let unpacked: Box<dyn Read + 'a> =
            if is_stored { unpacked } else { Box::new(Metered::new(unpacked, Rc::clone(&self.meter))) };
        Ok(match entry.told {
            Some(told) => Box::new(Checked::new(unpacked, told.unpacked, Some(told.crc))),
            None => unpacked,
        })
    }
}

/// Whether an entry ends there: something follows that may follow one.
fn is_sound_end(source: &Seekable<'_>, end: u64) -> bool {
    let mut bytes = [0; 24];
    let len = source.read_at(&mut bytes, end).unwrap_or(0);
    let is_next = |at: usize| {
        let next = bytes[..len].get(at..).unwrap_or_default();
        next.starts_with(HEADER) || TABLE.iter().any(|signature| next.starts_with(signature))
    };
    // Behind checksum and sizes that have no signature.
    bytes[..len].starts_with(DESCRIPTOR) || [0, 12, 20].into_iter().any(is_next)
}

/// Whether the last bytes are what ends a zip without a comment.
fn has_end(source: &Seekable<'_>) -> bool {
    let mut bytes = [0; 4];
    let at = source.len().checked_sub(END_LEN);
    at.is_some_and(|at| source.read_exact_at(&mut bytes, at).is_ok()) && bytes == TABLE[1]
}

/// Where the last zip has ended that an entry holds. What its headers tell of came with that entry.
fn behind_zips(source: &Seekable<'_>, start: u64, end: u64) -> io::Result<u64> {
    let (mut search, mut from) = (Search::new(source), start);
    while let Some(found) = search.find(TABLE[1], from)?.filter(|&found| found < end) {
        from = found + TABLE[1].len() as u64;
    }
    Ok(from)
}

/// Where the table of contents or its end begins, if either is there.
fn table(search: &mut Search<'_, '_>, from: u64) -> io::Result<Option<u64>> {
    let [table, end] = TABLE.map(|signature| search.find(signature, from));
    Ok([table?, end?].into_iter().flatten().min())
}

/// The number of bytes from the end of an entry to what comes next, unless they are what may follow an entry.
fn between(end: u64, next: u64) -> u64 {
    let len = next.saturating_sub(end);
    if DESCRIPTOR_LENS.contains(&len) { 0 } else { len }
}

impl Entry {
    /// Whether it is stored and begins as a zip does, so that headers in it are those of another.
    fn is_zip(&self, source: &Seekable<'_>) -> bool {
        let mut begin = [0; HEADER.len()];
        self.method == CompressionMethod::STORE
            && source.read_exact_at(&mut begin, self.start).is_ok_and(|()| begin == HEADER)
    }

    fn read(headers: &mut Search<'_, '_>, descriptors: &mut Descriptors<'_, '_>, at: u64) -> io::Result<Self> {
        let source = headers.source;
        let mut fixed = [0; FIXED_LEN];
        source.read_exact_at(&mut fixed, at)?;
        let short = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let mut name = vec![0; usize::from(short(26))];
        let mut extra = vec![0; usize::from(short(28))];
        let after_fixed = at + FIXED_LEN as u64;
        source.read_exact_at(&mut name, after_fixed)?;
        source.read_exact_at(&mut extra, after_fixed + name.len() as u64)?;
        let start = after_fixed + (name.len() + extra.len()) as u64;
        let method = CompressionMethod::from(short(8));
        let (flags, crc, packed, unpacked) = (short(6), long(14), long(18), long(22));
        let mut told = match (packed, unpacked) {
            _ if flags & 8 != 0 && packed == 0 => None,
            (u32::MAX, _) | (_, u32::MAX) => large_sizes(&extra),
            _ => Some((packed.into(), unpacked.into())),
        }
        .map(|(packed, unpacked)| Told { packed, unpacked, crc });
        if told.is_none() && method == CompressionMethod::STORE {
            // Unpacking cannot find the end of a stored entry.
            told = descriptors.of(start)?;
            if told.is_none() {
                // It ends where the next one begins, and its length is reported as wrong.
                let end = headers.find(HEADER, start)?.unwrap_or(source.len());
                told = Some(Told { packed: end.saturating_sub(start), unpacked: u64::MAX, crc: 0 });
            }
        }
        Ok(Self { name, method, is_encrypted: flags & 1 != 0, told, start })
    }
}

/// The packed and unpacked sizes that need 64 bits. Zeros stand in their place if they come after the entry.
fn large_sizes(mut extra: &[u8]) -> Option<(u64, u64)> {
    while let Some((head, rest)) = extra.split_first_chunk::<4>() {
        let id = u16::from_le_bytes([head[0], head[1]]);
        let field = rest.get(..usize::from(u16::from_le_bytes([head[2], head[3]])))?;
        if id == ZIP64 {
            let (unpacked, rest) = field.split_first_chunk()?;
            let packed = rest.first_chunk()?;
            let sizes = (u64::from_le_bytes(*packed), u64::from_le_bytes(*unpacked));
            return (sizes != (0, 0)).then_some(sizes);
        }
        extra = &rest[field.len()..];
    }
    None
}

/// Finds signatures, further and further on.
struct Search<'s, 'o> {
    source: &'s Seekable<'o>,
    /// The bytes that were read last, so that many signatures in them cost one read.
    bytes: Vec<u8>,
    /// Where they begin.
    start: u64,
}

impl<'s, 'o> Search<'s, 'o> {
    const PIECE: usize = 64 << 10;

    fn new(source: &'s Seekable<'o>) -> Self {
        Self { source, bytes: Vec::new(), start: 0 }
    }

    /// Where a signature occurs next, from `from` on.
    fn find(&mut self, signature: &[u8], mut from: u64) -> io::Result<Option<u64>> {
        let finder = memmem::Finder::new(signature);
        if !(self.start..self.start + self.bytes.len() as u64).contains(&from) {
            self.read(from)?;
        }
        loop {
            let rest = &self.bytes[(from - self.start) as usize..];
            if let Some(found) = finder.find(rest) {
                return Ok(Some(from + found as u64));
            }
            if self.bytes.len() < Self::PIECE {
                return Ok(None);
            }
            from += rest.len().saturating_sub(signature.len() - 1) as u64;
            self.read(from)?;
        }
    }

    fn read(&mut self, start: u64) -> io::Result<()> {
        self.start = start;
        self.bytes.resize(Self::PIECE, 0);
        let mut len = 0;
        while len < self.bytes.len() {
            match self.source.read_at(&mut self.bytes[len..], start + len as u64)? {
                0 => break,
                more => len += more,
            }
        }
        self.bytes.truncate(len);
        Ok(())
    }
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
    fn of(&mut self, start: u64) -> io::Result<Option<Told>> {
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
                return Ok(Some(Told { packed: distance, unpacked: distance, crc }));
            }
        }
        Ok(None)
    }

    fn read(&mut self) -> io::Result<Option<Descriptor>> {
        let Some(next) = self.next.take() else { return Ok(None) };
        let Some(at) = self.search.find(DESCRIPTOR, next)? else { return Ok(None) };
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
