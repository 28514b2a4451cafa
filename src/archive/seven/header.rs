//! The header of a 7z archive.
//!
//! Owns its grammar, as 7zFormat.txt of the LZMA SDK defines it. A header of two thousand bytes can be packed from one that
//! lists millions of blocks, so all that is kept of them is counted, and no more than a limit. Time is proportional to the
//! header's length.

use std::ops::Range;

use crate::archive::Error;

const END: u8 = 0x00;
const HEADER: u8 = 0x01;
const ARCHIVE_PROPERTIES: u8 = 0x02;
const MAIN_STREAMS: u8 = 0x04;
const FILES: u8 = 0x05;
const PACK_INFO: u8 = 0x06;
const UNPACK_INFO: u8 = 0x07;
const SUB_STREAMS: u8 = 0x08;
const SIZE: u8 = 0x09;
const CRC: u8 = 0x0A;
const FOLDER: u8 = 0x0B;
const UNPACK_SIZE: u8 = 0x0C;
const STREAM_COUNT: u8 = 0x0D;
const EMPTY_STREAM: u8 = 0x0E;
const EMPTY_FILE: u8 = 0x0F;
const NAMES: u8 = 0x11;
const ATTRIBUTES: u8 = 0x15;
const PACKED_HEADER: u8 = 0x17;

/// The most methods in one block. 7-Zip has the same bound.
const MAX_CODERS: usize = 32;

/// The most inputs, and the most outputs, of all methods in one block. 7-Zip has the same bound.
const MAX_STREAMS: usize = 64;

/// The contents of the header.
pub(super) struct Header<'h> {
    bytes: &'h [u8],
    pub(super) blocks: Vec<Block>,
    /// The streams of all blocks.
    pub(super) streams: Vec<Stream>,
    pub(super) files: Vec<File>,
    /// How many bytes all that takes, and took while it was read.
    pub(super) memory: u64,
}

/// Files that were packed together.
pub(super) struct Block {
    /// Where its packed bytes are, counted from the archive's beginning.
    pub(super) start: u64,
    pub(super) packed_len: u64,
    /// Its methods, in the order of unpacking, and the length that each unpacks to.
    pub(super) coders: Vec<(Coder, u64)>,
    pub(super) len: u64,
    pub(super) crc: Option<u32>,
    /// How many files are in it.
    pub(super) streams: usize,
}

pub(super) struct Coder {
    pub(super) method: u64,
    pub(super) properties: Vec<u8>,
}

/// The bytes of one file.
pub(super) struct Stream {
    pub(super) len: u64,
    pub(super) crc: Option<u32>,
}

pub(super) struct File {
    name: Range<usize>,
    pub(super) has_bytes: bool,
    /// A file without bytes. An entry that is neither is a directory or the like.
    pub(super) is_empty: bool,
    pub(super) is_link: bool,
}

impl<'h> Header<'h> {
    /// Keeps no more than `allowed` bytes, those of the header among them.
    pub(super) fn read(bytes: &'h [u8], allowed: u64) -> Result<Self, Error> {
        let mut input = Input::new(bytes, allowed);
        let mut header = Self { bytes, blocks: Vec::new(), streams: Vec::new(), files: Vec::new(), memory: 0 };
        // An empty archive has no header.
        if bytes.is_empty() {
            return Ok(header);
        }
        input.expect(HEADER)?;
        let mut kind = input.byte()?;
        if kind == ARCHIVE_PROPERTIES {
            while input.byte()? != END {
                let len = input.number()?;
                input.skip(len)?;
            }
            kind = input.byte()?;
        }
        if kind == MAIN_STREAMS {
            (header.blocks, header.streams) = input.streams_info()?;
            kind = input.byte()?;
        }
        if kind == FILES {
            header.files = input.files()?;
            kind = input.byte()?;
        }
        let with_bytes = header.files.iter().filter(|file| file.has_bytes).count();
        if kind != END || with_bytes != header.streams.len() {
            return Err(damaged());
        }
        header.memory = input.needed;
        Ok(header)
    }

    /// A file's name, in UTF-8.
    pub(super) fn name(&self, file: &File) -> Vec<u8> {
        let units = self.bytes[file.name.clone()].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        chars.collect::<String>().into_bytes()
    }
}

/// The block that contains the header itself, if that is packed.
pub(super) fn packed(bytes: &[u8], allowed: u64) -> Result<Option<Block>, Error> {
    let mut input = Input::new(bytes, allowed);
    if bytes.first() != Some(&PACKED_HEADER) {
        return Ok(None);
    }
    input.expect(PACKED_HEADER)?;
    input.streams_info()?.0.into_iter().next().map(Some).ok_or_else(damaged)
}

fn damaged() -> Error {
    Error::Damaged("the header of 7z")
}

/// Reads the header piece by piece.
struct Input<'h> {
    bytes: &'h [u8],
    at: usize,
    /// How much memory may be taken for it and for what it lists, and how much is.
    allowed: u64,
    needed: u64,
}

impl<'h> Input<'h> {
    fn new(bytes: &'h [u8], allowed: u64) -> Self {
        Self { bytes, at: 0, allowed, needed: bytes.len() as u64 }
    }

    /// Asks for memory for `count` things of this size.
    fn keep(&mut self, count: usize, size: usize) -> Result<(), Error> {
        self.needed = self.needed.saturating_add((count as u64).saturating_mul(size as u64));
        if self.needed > self.allowed {
            return Err(Error::WindowTooLarge { needed: self.needed, allowed: self.allowed });
        }
        Ok(())
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, len: usize) -> Result<&[u8], Error> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.get(..len)).ok_or_else(damaged)?;
        self.at += len;
        Ok(bytes)
    }

    fn skip(&mut self, len: u64) -> Result<(), Error> {
        let len = usize::try_from(len).map_err(|_| damaged())?;
        self.take(len).map(|_| ())
    }

    fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    fn expect(&mut self, kind: u8) -> Result<(), Error> {
        if self.byte()? == kind { Ok(()) } else { Err(damaged()) }
    }

    fn crc(&mut self) -> Result<u32, Error> {
        self.take(4)?.first_chunk().copied().map(u32::from_le_bytes).ok_or_else(damaged)
    }

    /// A number: as many bytes follow as the first byte has leading ones.
    fn number(&mut self) -> Result<u64, Error> {
        let first = self.byte()?;
        let more = first.leading_ones() as usize;
        let mut low = [0; 8];
        low[..more].copy_from_slice(self.take(more)?);
        let high = if more >= 7 { 0 } else { u64::from(first & (0x7F >> more)) << (8 * more) };
        Ok(u64::from_le_bytes(low) | high)
    }

    /// A count of things, each of which takes at least one of the following bytes.
    fn count(&mut self) -> Result<usize, Error> {
        let count = self.number()?;
        usize::try_from(count).ok().filter(|count| *count <= self.left()).ok_or_else(damaged)
    }

    fn bits(&mut self, count: usize) -> Result<Vec<bool>, Error> {
        self.keep(count, size_of::<bool>())?;
        let bytes = self.take(count.div_ceil(8))?;
        Ok((0..count).map(|at| bytes[at / 8] & (0x80 >> (at % 8)) != 0).collect())
    }

    /// The checksums of `count` things, or of some of them.
    fn crcs(&mut self, count: usize) -> Result<Vec<Option<u32>>, Error> {
        self.longs(count, false)
    }

    /// The attributes of `count` files, or of some of them. They may lie elsewhere, which no program writes.
    fn attributes(&mut self, count: usize) -> Result<Vec<Option<u32>>, Error> {
        self.longs(count, true)
    }

    fn longs(&mut self, count: usize, may_be_elsewhere: bool) -> Result<Vec<Option<u32>>, Error> {
        let are_all = self.byte()? != 0;
        if are_all && count > self.left() / 4 {
            return Err(damaged());
        }
        let defined = if are_all { Vec::new() } else { self.bits(count)? };
        if may_be_elsewhere && self.byte()? != 0 {
            return Ok(Vec::new());
        }
        self.keep(count, size_of::<Option<u32>>())?;
        let mut defined = defined.into_iter();
        let mut crcs = Vec::with_capacity(count);
        for _ in 0..count {
            let is_there = defined.next().unwrap_or(are_all);
            crcs.push(if is_there { Some(self.crc()?) } else { None });
        }
        Ok(crcs)
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u64>, Error> {
        self.keep(count, size_of::<u64>())?;
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            numbers.push(self.number()?);
        }
        Ok(numbers)
    }

    fn streams_info(&mut self) -> Result<(Vec<Block>, Vec<Stream>), Error> {
        let mut kind = self.byte()?;
        let mut packed = Packed::default();
        if kind == PACK_INFO {
            packed = self.pack_info()?;
            kind = self.byte()?;
        }
        let mut blocks = Vec::new();
        if kind == UNPACK_INFO {
            blocks = self.unpack_info(packed)?;
            kind = self.byte()?;
        }
        let mut streams = None;
        if kind == SUB_STREAMS {
            streams = Some(self.sub_streams(&mut blocks)?);
            kind = self.byte()?;
        }
        if kind != END {
            return Err(damaged());
        }
        let streams = if let Some(streams) = streams {
            streams
        } else {
            self.keep(blocks.len(), size_of::<Stream>())?;
            blocks.iter().map(|block| Stream { len: block.len, crc: block.crc }).collect()
        };
        Ok((blocks, streams))
    }

    fn pack_info(&mut self) -> Result<Packed, Error> {
        let start = self.number()?.checked_add(super::START_LEN).ok_or_else(damaged)?;
        let count = self.count()?;
        let mut lens = Vec::new();
        loop {
            match self.byte()? {
                END => return Ok(Packed { start, lens: lens.into_iter() }),
                SIZE => lens = self.numbers(count)?,
                CRC => drop(self.crcs(count)?),
                _ => return Err(damaged()),
            }
        }
    }

    fn unpack_info(&mut self, mut packed: Packed) -> Result<Vec<Block>, Error> {
        self.expect(FOLDER)?;
        let count = self.count()?;
        // The definitions are never stored elsewhere.
        self.expect(0)?;
        self.keep(count, size_of::<Block>())?;
        // They are read twice, and not kept until their lengths come.
        let mut folders = Input::new(self.bytes, 0);
        folders.at = self.at;
        for _ in 0..count {
            let coders = self.folder()?.coders;
            self.keep(coders.len(), size_of::<(Coder, u64)>())?;
            self.keep(coders.iter().map(|coder| coder.properties.len()).sum(), 1)?;
        }
        self.expect(UNPACK_SIZE)?;
        let mut blocks = Vec::with_capacity(count);
        for _ in 0..count {
            let folder = folders.folder()?;
            let lens = (0..folder.outs).map(|_| self.number()).collect::<Result<Vec<_>, _>>()?;
            blocks.push(folder.block(&lens, &mut packed)?);
        }
        loop {
            match self.byte()? {
                END => return Ok(blocks),
                CRC => {
                    for (block, crc) in blocks.iter_mut().zip(self.crcs(count)?) {
                        block.crc = crc;
                    }
                }
                _ => return Err(damaged()),
            }
        }
    }

    fn folder(&mut self) -> Result<Folder, Error> {
        let few = |count: u64| usize::try_from(count).ok().filter(|count| (1..=MAX_CODERS).contains(count));
        let count = few(self.number()?).ok_or_else(damaged)?;
        let mut folder = Folder { coders: Vec::new(), binds: Vec::new(), packed: Vec::new(), ins: 0, outs: 0 };
        for _ in 0..count {
            let flags = self.byte()?;
            if flags & 0xC0 != 0 {
                return Err(damaged());
            }
            let id = self.take(usize::from(flags & 0x0F))?;
            let method = id.iter().fold(0, |method: u64, byte| method << 8 | u64::from(*byte));
            let (mut ins, mut outs) = (1, 1);
            if flags & 0x10 != 0 {
                ins = few(self.number()?).ok_or_else(damaged)?;
                outs = few(self.number()?).ok_or_else(damaged)?;
            }
            let len = if flags & 0x20 == 0 { 0 } else { self.count()? };
            let properties = self.take(len)?.to_vec();
            folder.ins += ins;
            folder.outs += outs;
            if folder.ins.max(folder.outs) > MAX_STREAMS {
                return Err(damaged());
            }
            folder.coders.push(Coder { method, properties });
        }
        let binds = folder.outs - 1;
        let packed = folder.ins.checked_sub(binds).filter(|packed| *packed > 0).ok_or_else(damaged)?;
        for _ in 0..binds {
            folder.binds.push((self.number()?, self.number()?));
        }
        folder.packed = if packed == 1 {
            let is_free = |at: &u64| folder.binds.iter().all(|(into, _)| into != at);
            vec![(0..folder.ins as u64).find(is_free).ok_or_else(damaged)?]
        } else {
            (0..packed).map(|_| self.number()).collect::<Result<_, _>>()?
        };
        Ok(folder)
    }

    fn sub_streams(&mut self, blocks: &mut [Block]) -> Result<Vec<Stream>, Error> {
        let mut kind = self.byte()?;
        if kind == STREAM_COUNT {
            for block in &mut *blocks {
                block.streams = usize::try_from(self.number()?).map_err(|_| damaged())?;
            }
            kind = self.byte()?;
        }
        // The length of a block's last file is not stored: it is what is left.
        let stored = blocks.iter().map(|block| block.streams.saturating_sub(1)).fold(0, usize::saturating_add);
        if stored > if kind == SIZE { self.left() } else { 0 } {
            return Err(damaged());
        }
        let count = blocks.iter().map(|block| block.streams).sum();
        self.keep(count, size_of::<Stream>())?;
        let mut streams = Vec::with_capacity(count);
        for block in &*blocks {
            let mut left = block.len;
            if block.streams == 0 {
                continue;
            }
            for _ in 1..block.streams {
                let len = self.number()?;
                left = left.checked_sub(len).ok_or_else(damaged)?;
                streams.push(Stream { len, crc: None });
            }
            streams.push(Stream { len: left, crc: if block.streams == 1 { block.crc } else { None } });
        }
        if kind == SIZE {
            kind = self.byte()?;
        }
        if kind == CRC {
            // A block with one file may have stated it already.
            let is_open = |block: &Block| block.streams != 1 || block.crc.is_none();
            let count = blocks.iter().filter(|block| is_open(block)).map(|block| block.streams).sum();
            let mut crcs = self.crcs(count)?.into_iter();
            let mut rest = &mut streams[..];
            for block in &*blocks {
                let (own, others) = rest.split_at_mut(block.streams);
                if is_open(block) {
                    for (stream, crc) in own.iter_mut().zip(&mut crcs) {
                        stream.crc = crc;
                    }
                }
                rest = others;
            }
            kind = self.byte()?;
        }
        if kind == END { Ok(streams) } else { Err(damaged()) }
    }

    fn files(&mut self) -> Result<Vec<File>, Error> {
        let count = self.count()?;
        self.keep(count, size_of::<bool>() + size_of::<Range<usize>>() + size_of::<File>())?;
        let mut names = Vec::new();
        let mut without_bytes = vec![false; count];
        let (mut empties, mut empty_files, mut attributes) = (0, Vec::new(), Vec::new());
        loop {
            let kind = self.byte()?;
            if kind == END {
                break;
            }
            let len = self.count()?;
            let end = self.at + len;
            let mut own = Input { bytes: &self.bytes[..end], ..*self };
            match kind {
                EMPTY_STREAM => {
                    without_bytes = own.bits(count)?;
                    empties = without_bytes.iter().filter(|without| **without).count();
                }
                EMPTY_FILE => empty_files = own.bits(empties)?,
                NAMES => names = own.names(count)?,
                // A file whose attributes make no sense is one like any other.
                ATTRIBUTES => attributes = own.attributes(count).unwrap_or_default(),
                _ => {}
            }
            (self.at, self.needed) = (end, own.needed);
        }
        if names.len() != count {
            return Err(damaged());
        }
        let (mut empty_files, mut attributes) = (empty_files.into_iter(), attributes.into_iter());
        let files = names.into_iter().zip(without_bytes).map(|(name, without_bytes)| File {
            name,
            has_bytes: !without_bytes,
            is_empty: without_bytes && empty_files.next().unwrap_or(false),
            is_link: attributes.next().flatten().is_some_and(is_link),
        });
        Ok(files.collect())
    }

    /// Where the names are. Each ends with a zero.
    fn names(&mut self, count: usize) -> Result<Vec<Range<usize>>, Error> {
        self.expect(0)?;
        let mut names = Vec::with_capacity(count);
        for _ in 0..count {
            let start = self.at;
            while self.take(2)? != [0, 0] {}
            names.push(start..self.at - 2);
        }
        Ok(names)
    }
}

/// Whether these are the attributes of a symbolic link: of Windows, or of Unix in the upper half.
fn is_link(attributes: u32) -> bool {
    const REPARSE_POINT: u32 = 0x400;
    const HAS_MODE: u32 = 0x8000;
    let is_unix_link = attributes & HAS_MODE != 0 && attributes >> 16 & 0o170_000 == 0o120_000;
    is_unix_link || attributes & REPARSE_POINT != 0
}

/// The packed bytes of all blocks, in order.
#[derive(Default)]
struct Packed {
    start: u64,
    lens: std::vec::IntoIter<u64>,
}

/// A block before its lengths are known.
struct Folder {
    coders: Vec<Coder>,
    /// Which input of a method is fed by which output.
    binds: Vec<(u64, u64)>,
    /// The inputs that are fed by packed bytes.
    packed: Vec<u64>,
    ins: usize,
    outs: usize,
}

impl Folder {
    fn block(self, lens: &[u64], packed: &mut Packed) -> Result<Block, Error> {
        let start = packed.start;
        let mut packed_len = 0;
        for number in 0..self.packed.len() {
            let len = packed.lens.next().ok_or_else(damaged)?;
            packed.start = packed.start.checked_add(len).ok_or_else(damaged)?;
            if number == 0 {
                packed_len = len;
            }
        }
        let last = (0..self.outs).find(|at| self.binds.iter().all(|(_, from)| *from != *at as u64));
        let len = last.map(|last| lens[last]).ok_or_else(damaged)?;
        let coders = self.chain(lens);
        Ok(Block { start, packed_len, coders, len, crc: None, streams: 1 })
    }

    /// The methods in order; none if they do not form a chain, as for programs in four streams.
    fn chain(self, lens: &[u64]) -> Vec<(Coder, u64)> {
        let count = self.coders.len();
        if self.ins != count || self.outs != count || self.packed.len() != 1 {
            return Vec::new();
        }
        let mut coders: Vec<Option<Coder>> = self.coders.into_iter().map(Some).collect();
        let mut chain = Vec::with_capacity(count);
        let mut next = self.packed.first().copied();
        while let Some(at) = next.and_then(|at| usize::try_from(at).ok()) {
            // In a cycle a method would come twice.
            let Some(coder) = coders.get_mut(at).and_then(Option::take) else { return Vec::new() };
            chain.push((coder, lens[at]));
            next = self.binds.iter().find(|(_, from)| *from == at as u64).map(|(into, _)| *into);
        }
        if chain.len() == count { chain } else { Vec::new() }
    }
}
