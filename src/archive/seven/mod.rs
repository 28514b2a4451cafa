//! 7z: blocks of entries, told of by a header at its end.
//!
//! Owns the way from a block to its entries. The header is read here and not by a library, because those that there are
//! take its numbers at their word: a header of fifty bytes makes them ask for all memory, or never come to an end.
//! Unpacking is the business of libraries.

mod header;
mod methods;

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use rawzip::ReaderAt;

use crate::archive::Error;
use crate::archive::checked::{Checked, Failing};
use crate::archive::limits::{Meter, Metered};
use crate::archive::opener::Opening;
use crate::archive::picks::Pick;
use crate::archive::seekable::Seekable;

use header::{Block, File, Header, Stream};

/// The first header, which has its place.
const START_LEN: u64 = 32;

/// Headers that are packed, in each other. 7-Zip writes one.
const PACKED_HEADERS: usize = 4;

impl Opening<'_, '_> {
    /// Reads a 7z archive.
    pub(crate) fn seven(&mut self, source: &Seekable<'_>, depth: usize, pick: Pick) -> ControlFlow<()> {
        let bytes = match header_bytes(source, &self.meter) {
            Ok(bytes) => bytes,
            Err(error) => return self.failed(error),
        };
        let header = match Header::read(&bytes) {
            Ok(header) => header,
            Err(error) => return self.failed(error),
        };
        let (mut files, mut streams) = (&header.files[..], &header.streams[..]);
        for block in &header.blocks {
            // Files without bytes stand anywhere between the others.
            let mut left = block.streams;
            let len = files.iter().take_while(|file| {
                let goes_on = left > 0;
                left -= usize::from(goes_on && file.has_bytes);
                goes_on
            });
            let (own, rest) = files.split_at(len.count());
            let (sizes, other) = streams.split_at(block.streams);
            self.block(source, &header, Some(block), own, sizes, (depth, pick))?;
            (files, streams) = (rest, other);
        }
        self.block(source, &header, None, files, &[], (depth, pick))
    }

    /// Reads the files of a block, or those that need none.
    fn block(
        &mut self,
        source: &Seekable<'_>,
        header: &Header<'_>,
        block: Option<&Block>,
        files: &[File],
        streams: &[Stream],
        (depth, outer): (usize, Pick),
    ) -> ControlFlow<()> {
        let picks = |opening: &Self, file: &File| opening.opener.picks.pick(&header.name(file), outer);
        let is_wanted = files.iter().any(|file| file.has_bytes && picks(self, file) != Pick::Leave);
        let mut bytes = match block.filter(|_| is_wanted).map(|block| methods::unpack(source, block, &self.meter)) {
            Some(Ok(bytes)) => Some(Failing::new(Metered::new(bytes, Rc::clone(&self.meter)))),
            Some(Err(error)) => return self.failed(error),
            None => None,
        };
        let mut streams = streams.iter();
        for file in files {
            self.add_member()?;
            let pick = picks(self, file);
            let stream = if file.has_bytes { streams.next() } else { None };
            match (&mut bytes, stream) {
                (Some(bytes), Some(stream)) => {
                    let mut checked = Checked::new(&mut *bytes, stream.len, stream.crc);
                    if pick == Pick::Leave {
                        self.not_picked(&header.name(file));
                    } else {
                        self.entry(&header.name(file), &mut checked, depth, pick)?;
                    }
                    // A wrong checksum was said to whoever has read so far.
                    let passed = io::copy(&mut checked, &mut io::sink());
                    if bytes.has_failed() {
                        // So was this, unless nobody was there.
                        return match passed {
                            Err(error) if pick == Pick::Leave => self.failed(error),
                            _ => ControlFlow::Continue(()),
                        };
                    }
                }
                _ if file.is_empty && pick != Pick::Leave => {
                    self.entry(&header.name(file), &mut io::empty(), depth, pick)?;
                }
                _ if file.has_bytes || file.is_empty => self.not_picked(&header.name(file)),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

/// The header, unpacked.
fn header_bytes(source: &Seekable<'_>, meter: &Rc<Meter>) -> Result<Vec<u8>, Error> {
    let mut start = [0; START_LEN as usize];
    source.read_exact_at(&mut start, 0).map_err(|_| source.cut_off())?;
    let number = |at: usize| start[at..].first_chunk().copied().map_or(0, u64::from_le_bytes);
    let crc = |at: usize| start[at..].first_chunk().copied().map_or(0, u32::from_le_bytes);
    if rawzip::crc32(&start[12..]) != crc(8) {
        return Err(Error::Damaged("the first header of 7z"));
    }
    let (offset, len) = (number(12), number(20));
    let end = START_LEN.checked_add(offset).and_then(|start| start.checked_add(len));
    if end.is_none_or(|end| end > source.len()) {
        return Err(source.cut_off());
    }
    let mut bytes = collect(source.span(START_LEN + offset, len), len, Some(crc(28)), meter)?;
    for _ in 0..PACKED_HEADERS {
        let Some(block) = header::packed(&bytes)? else { return Ok(bytes) };
        let unpacked = Metered::new(methods::unpack(source, &block, meter)?, Rc::clone(meter));
        bytes = collect(unpacked, block.len, block.crc, meter)?;
    }
    Err(Error::Damaged("headers of 7z in each other"))
}

fn collect(bytes: impl Read, len: u64, crc: Option<u32>, meter: &Meter) -> Result<Vec<u8>, Error> {
    meter.check_window(len)?;
    let mut all = Vec::new();
    Checked::new(bytes, len, crc).read_to_end(&mut all)?;
    Ok(all)
}
