//! The methods that a block of 7z is compressed with.
//!
//! Owns how much memory a method may take, and which library unpacks it.

use std::io::{self, BufReader, Read};
use std::rc::Rc;

use liblzma::stream::{Filters, Stream};
use lzma_rust2::filter::bcj::BcjReader;
use lzma_rust2::filter::delta::DeltaReader;

use crate::archive::buffered::Buffered;
use crate::archive::checked::{InPieces, UpToDamage, UpToFailure};
use crate::archive::deflate64::Deflate64;
use crate::archive::frames::Frames;
use crate::archive::limits::{By, Held, Holding, Meter, Metered};
use crate::archive::seven::Own;
use crate::archive::seven::header::{Block, Coder};
use crate::archive::{Error, Format, Unsupported, window_size};

/// The unpacked bytes of a block. What each of its methods gives counts as unpacked: the last one may give nothing.
pub(super) fn unpack<'a>(own: Own<'a, 'a>, block: &Block, meter: &Rc<Meter>) -> Result<impl Read + use<'a>, Error> {
    let packed = own.span(block.start, block.packed_len).ok_or_else(|| own.source.cut_off())?;
    if block.coders.is_empty() {
        return Err(Error::Unsupported(Unsupported::SevenZipStreams));
    }
    let mut held = Held::new(meter, By::Windows);
    for (coder, len) in &block.coders {
        held.set(held.len().saturating_add(memory(coder, *len)?))?;
    }
    let mut bytes: Box<dyn Read + 'a> = Box::new(packed);
    for (coder, len) in &block.coders {
        bytes = Box::new(Metered::new(decoder(bytes, coder, *len, meter)?, Rc::clone(meter)));
    }
    Ok(Holding::new(bytes, held))
}

/// Whether a block may take more than a little memory: no dictionary needs to be longer than everything that is unpacked.
pub(super) fn is_heavy(block: &Block) -> bool {
    block.coders.iter().fold(0, |sum: u64, (_, len)| sum.saturating_add(*len)) > window_size::SMALL
}

/// How much memory a method takes, unless its packed bytes say so.
fn memory(coder: &Coder, len: u64) -> Result<u64, Error> {
    Ok(match (coder.method, &coder.properties[..]) {
        (0x21, &[bits]) if bits <= 40 => window_size::lzma2(bits).min(len),
        (0x03_0101, &[_, a, b, c, d]) => u64::from(u32::from_le_bytes([a, b, c, d])).min(len),
        // Some programs write more, which means nothing.
        (0x03_0401, &[_, a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]).into(),
        (0x21 | 0x03_0101 | 0x03_0401, _) => return Err(damaged()),
        _ => 0,
    })
}

fn decoder<'a>(
    packed: Box<dyn Read + 'a>,
    coder: &Coder,
    len: u64,
    meter: &Rc<Meter>,
) -> Result<Box<dyn Read + 'a>, Error> {
    let properties = &coder.properties[..];
    let buffered = |packed| BufReader::with_capacity(64 << 10, packed);
    let frames = |packed, format| Frames::new(format, Buffered::new(packed), meter, Rc::default());
    Ok(match coder.method {
        0x00 => packed,
        0x03 => {
            let &[distance] = properties else { return Err(damaged()) };
            Box::new(DeltaReader::new(packed, usize::from(distance) + 1))
        }
        0x21 => lzma(packed, |filters| filters.lzma2_properties(properties).map(|_| ()), len)?,
        0x03_0101 => lzma(packed, |filters| filters.lzma1_properties(properties).map(|_| ()), len)?,
        0x03_0401 => {
            let &[order, a, b, c, d, ..] = properties else { return Err(damaged()) };
            let memory = u32::from_le_bytes([a, b, c, d]);
            let decoder = ppmd_rust::Ppmd7Decoder::new(buffered(packed), order.into(), memory);
            // The stream has no end mark of its own.
            Box::new(InPieces::single(decoder.map_err(|_| damaged())?).take(len))
        }
        0x04_0108 => Box::new(UpToDamage::new(flate2::bufread::DeflateDecoder::new(buffered(packed)))),
        0x04_0109 => Box::new(Deflate64::new(buffered(packed))),
        0x04_0202 => Box::new(frames(packed, Format::Bzip2)?),
        0x04F7_1101 => Box::new(frames(packed, Format::Zstd)?),
        0x06F1_0701 => return Err(Error::Encrypted),
        method => {
            let Some(filter) = branches(method) else {
                return Err(Error::Unsupported(Unsupported::SevenZipMethod(method)));
            };
            // The address of the bytes within the program, which is hardly ever stated.
            let start = match *properties {
                [] => 0,
                [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
                _ => return Err(damaged()),
            };
            Box::new(Filtered(filter(UpToFailure::new(packed), start as usize)))
        }
    })
}

type Source<'a> = UpToFailure<Box<dyn Read + 'a>>;
type Branches<'a> = fn(Source<'a>, usize) -> BcjReader<Source<'a>>;

/// A filter, and the error of its source behind all that came before it.
struct Filtered<R>(BcjReader<UpToFailure<R>>);

impl<R: Read> Read for Filtered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => self.0.inner_mut().take_error().map_or(Ok(0), Err),
            len => Ok(len),
        }
    }
}

/// The filter that restores relative branch addresses in programs.
fn branches<'a>(method: u64) -> Option<Branches<'a>> {
    Some(match method {
        0x04 | 0x0303_0103 => BcjReader::new_x86,
        0x05 | 0x0303_0205 => BcjReader::new_ppc,
        0x06 | 0x0303_0401 => BcjReader::new_ia64,
        0x07 | 0x0303_0501 => BcjReader::new_arm,
        0x08 | 0x0303_0701 => BcjReader::new_arm_thumb,
        0x09 | 0x0303_0805 => BcjReader::new_sparc,
        0x0A => BcjReader::new_arm64,
        0x0B => BcjReader::new_riscv,
        _ => return None,
    })
}

fn lzma<'a>(
    packed: Box<dyn Read + 'a>,
    properties: impl FnOnce(&mut Filters) -> Result<(), liblzma::stream::Error>,
    len: u64,
) -> Result<Box<dyn Read + 'a>, Error> {
    let mut filters = Filters::new();
    properties(&mut filters).map_err(|_| damaged())?;
    let stream = Stream::new_raw_decoder(&filters).map_err(io::Error::other)?;
    let packed = BufReader::with_capacity(64 << 10, packed);
    // The stream need not say where it ends.
    Ok(Box::new(UpToDamage::new(liblzma::bufread::XzDecoder::new_stream(packed, stream)).take(len)))
}

fn damaged() -> Error {
    Error::Damaged("the properties of a method of 7z")
}
