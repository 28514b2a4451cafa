//! 7z: blocks of entries, described by a header at the archive's end.
//!
//! Owns the way from a block to its entries. The header is read here and not by a library, because the existing ones trust its
//! numbers: a header of fifty bytes makes them ask for all memory, or never come to an end. Unpacking is left to libraries. An
//! archive may stand behind the program that unpacks it; of that program nothing is known but how long it may be.

mod header;
mod methods;

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use memchr::memmem;
use rawzip::ReaderAt;

use crate::archive::checked::{Checked, Failing};
use crate::archive::format::Format;
use crate::archive::limits::{By, Held, Meter};
use crate::archive::opening::{Level, Opening};
use crate::archive::picks::Pick;
use crate::archive::seekable::{Seekable, Span};
use crate::archive::{Error, Skip, Trouble};

use header::{Block, File, Header, Stream};

const MAGIC: &[u8; 6] = b"7z\xBC\xAF\x27\x1C";

/// How many bytes of a program are searched for an archive behind it.
const PROGRAM: u64 = 1 << 20;

/// The length of the first header, which has a fixed place.
const START_LEN: u64 = 32;

/// How deep packed headers may be nested. 7-Zip writes one level.
const PACKED_HEADERS: usize = 4;

impl Opening<'_, '_> {
    /// Reads a 7z archive, and those that stand behind it.
    pub(crate) fn seven(&mut self, source: &Seekable<'_>, level: Level) -> ControlFlow<()> {
        let mut own = Own { source, start: behind_program(source).unwrap_or(0) };
        loop {
            let first = match First::read(own) {
                Ok(first) => first,
                Err(error) => return self.failed(error),
            };
            let end = first.end;
            match header_bytes(own, first, &self.meter) {
                Ok((bytes, held)) => self.whole_seven(own, &bytes, held, level)?,
                Err(error) => self.failed(error)?,
            }
            own.start = end;
            let left = source.len() - end;
            if left == 0 {
                return ControlFlow::Continue(());
            }
            let mut next = [0; MAGIC.len()];
            if source.read_exact_at(&mut next, own.start).is_err() || next != *MAGIC {
                return self.trouble(Trouble::BytesAfterEnd(left));
            }
        }
    }

    /// Reads the archive to which this header belongs.
    fn whole_seven(&mut self, own: Own<'_, '_>, header: &[u8], mut held: Held, level: Level) -> ControlFlow<()> {
        let header = match Header::read(header, held.most()) {
            Ok(header) => header,
            Err(error) => return self.failed(error),
        };
        if let Err(error) = held.set(header.memory) {
            return self.failed(error);
        }
        let (mut files, mut streams) = (&header.files[..], &header.streams[..]);
        for block in &header.blocks {
            // Files without bytes may stand anywhere between the others.
            let mut left = block.streams;
            let len = files.iter().take_while(|file| {
                let goes_on = left > 0;
                left -= usize::from(goes_on && file.has_bytes);
                goes_on
            });
            let (in_block, rest) = files.split_at(len.count());
            let (sizes, other) = streams.split_at(block.streams);
            self.block(own, &header, Some(block), in_block, sizes, level)?;
            (files, streams) = (rest, other);
        }
        self.block(own, &header, None, files, &[], level)
    }

    /// Reads the files of a block, or files that need none.
    fn block(
        &mut self,
        own: Own<'_, '_>,
        header: &Header<'_>,
        block: Option<&Block>,
        files: &[File],
        streams: &[Stream],
        level: Level,
    ) -> ControlFlow<()> {
        let picks = |opening: &Self, file: &File| {
            if file.is_link { Pick::Leave } else { opening.pick(&header.name(file), level.pick) }
        };
        let is_wanted = files.iter().any(|file| file.has_bytes && picks(self, file) != Pick::Leave);
        if is_wanted && block.is_some_and(methods::is_heavy) {
            self.heavy()?;
        }
        let mut bytes = match block.filter(|_| is_wanted).map(|block| methods::unpack(own, block, &self.meter)) {
            Some(Ok(bytes)) => Some(Failing::new(bytes)),
            Some(Err(error)) => {
                let mut wanted = files.iter().filter(|file| file.has_bytes && picks(self, file) != Pick::Leave);
                if let (Some(file), None) = (wanted.next(), wanted.next()) {
                    return self.entry_trouble(&header.name(file), Trouble::Error(error));
                }
                self.failed(error)?;
                return self.lost(header, files, level, false);
            }
            None => None,
        };
        let mut streams = streams.iter();
        for (number, file) in files.iter().enumerate() {
            self.add_member()?;
            let pick = picks(self, file);
            let stream = if file.has_bytes { streams.next() } else { None };
            match (&mut bytes, stream) {
                (Some(bytes), Some(stream)) => {
                    let mut checked = Checked::new(&mut *bytes, stream.len, stream.crc);
                    if pick == Pick::Leave {
                        self.left_in(header, file);
                    } else {
                        self.entry(&header.name(file), &mut checked, level.with(pick))?;
                    }
                    // What the reader so far has received is not reported again: damage, or a wrong checksum.
                    if !checked.source().has_failed()
                        && let Err(error) = io::copy(&mut checked, &mut io::sink())
                        && checked.source().has_failed()
                        && pick == Pick::Leave
                    {
                        self.failed(error)?;
                    }
                    if bytes.has_failed() {
                        return self.lost(header, &files[number + 1..], level, true);
                    }
                }
                _ if file.is_empty && pick != Pick::Leave => {
                    self.entry(&header.name(file), &mut io::empty(), level.with(pick))?;
                }
                _ if file.has_bytes || file.is_empty => self.left_in(header, file),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports a file that is not read.
    fn left_in(&mut self, header: &Header<'_>, file: &File) {
        if file.is_link {
            self.skipped(&header.name(file), Skip::Kind);
        } else {
            self.not_picked(&header.name(file));
        }
    }

    /// Reports those of the files that would have been read, and that can't be as an error that was reported stands before them.
    fn lost(&mut self, header: &Header<'_>, files: &[File], level: Level, is_damage: bool) -> ControlFlow<()> {
        let mut count = 0;
        for file in files.iter().filter(|file| file.has_bytes && !file.is_link) {
            let name = header.name(file);
            if self.pick(&name, level.pick) != Pick::Leave {
                count += 1;
                if is_damage {
                    self.skipped(&name, Skip::Behind);
                }
            }
        }
        if count == 0 { ControlFlow::Continue(()) } else { self.trouble(Trouble::MembersLost(count)) }
    }
}

/// Where an archive begins behind the program that unpacks it.
pub(crate) fn behind_program(source: &Seekable<'_>) -> Option<u64> {
    let mut start = [0; 4];
    source.read_at(&mut start, 0).ok().filter(|_| Format::is_program(&start))?;
    let mut bytes = Vec::new();
    source.span(0, PROGRAM).read_to_end(&mut bytes).ok()?;
    // The program contains these bytes itself.
    let is_archive = |start: u64| First::bytes(Own { source, start }).is_ok();
    memmem::find_iter(&bytes, MAGIC).map(|at| at as u64).find(|&at| is_archive(at))
}

/// One archive of a source.
#[derive(Clone, Copy)]
struct Own<'s, 'o> {
    source: &'s Seekable<'o>,
    /// Where it begins; its offsets count from there.
    start: u64,
}

impl<'s, 'o> Own<'s, 'o> {
    /// `None` if the bytes are not all there.
    fn span(self, start: u64, len: u64) -> Option<Span<'s, 'o>> {
        let start = self.start.checked_add(start)?;
        let end = start.checked_add(len)?;
        (end <= self.source.len()).then(|| self.source.span(start, len))
    }
}

/// What the first header says about the other.
struct First<'s, 'o> {
    header: Span<'s, 'o>,
    len: u64,
    crc: u32,
    /// Where the archive ends.
    end: u64,
}

impl<'s, 'o> First<'s, 'o> {
    /// Reads the header, if its checksum is right.
    fn bytes(own: Own<'_, '_>) -> Result<[u8; START_LEN as usize], Error> {
        let mut start = [0; START_LEN as usize];
        own.source.read_exact_at(&mut start, own.start).map_err(|_| own.source.cut_off())?;
        let is_right =
            start[8..].first_chunk().is_some_and(|crc| rawzip::crc32(&start[12..]) == u32::from_le_bytes(*crc));
        if is_right { Ok(start) } else { Err(Error::Damaged("the first header of 7z")) }
    }

    fn read(own: Own<'s, 'o>) -> Result<Self, Error> {
        let start = Self::bytes(own)?;
        let number = |at: usize| start[at..].first_chunk().copied().map_or(0, u64::from_le_bytes);
        let crc = |at: usize| start[at..].first_chunk().copied().map_or(0, u32::from_le_bytes);
        let (offset, len) = (number(12), number(20));
        let header = START_LEN.checked_add(offset).and_then(|offset| own.span(offset, len));
        let header = header.ok_or_else(|| own.source.cut_off())?;
        Ok(Self { end: own.start + START_LEN + offset + len, header, len, crc: crc(28) })
    }
}

/// The header, unpacked, and the memory that it takes.
fn header_bytes(own: Own<'_, '_>, first: First<'_, '_>, meter: &Rc<Meter>) -> Result<(Vec<u8>, Held), Error> {
    let (mut bytes, mut held) = collect(first.header, first.len, Some(first.crc), meter)?;
    for _ in 0..PACKED_HEADERS {
        let Some(block) = header::packed(&bytes, held.most())? else { return Ok((bytes, held)) };
        let unpacked = methods::unpack(own, &block, meter)?;
        (bytes, held) = collect(unpacked, block.len, block.crc, meter)?;
    }
    Err(Error::Damaged("headers of 7z in each other"))
}

fn collect(bytes: impl Read, len: u64, crc: Option<u32>, meter: &Rc<Meter>) -> Result<(Vec<u8>, Held), Error> {
    let mut held = Held::new(meter, By::Tables);
    held.set(len)?;
    let mut all = Vec::new();
    // Growing as bytes come, it would take twice as much. If they can't all come, that shows then.
    let _ = all.try_reserve_exact(len as usize);
    Checked::new(bytes, len, crc).read_to_end(&mut all)?;
    Ok((all, held))
}
