//! The methods that an entry of zip is compressed with.
//!
//! Owns what a method writes about itself in front of the packed bytes, how much memory it may take, and which library
//! unpacks it.

use std::io::{self, BufRead, Read};
use std::rc::Rc;

use liblzma::bufread::XzDecoder;
use liblzma::stream::{Filters, Stream};
use rawzip::CompressionMethod;

use crate::archive::bzip2::Bzip2;
use crate::archive::checked::{InPieces, UpToDamage};
use crate::archive::deflate64::Deflate64;
use crate::archive::limits::{By, Held, Holding, Meter};
use crate::archive::{Error, Format, Unsupported, window_size};

/// Whether only the bytes themselves say how much memory a method takes.
pub(crate) fn is_heavy(method: CompressionMethod) -> bool {
    matches!(
        method,
        CompressionMethod::ZSTD
            | CompressionMethod::ZSTD_DEPRECATED
            | CompressionMethod::XZ
            | CompressionMethod::LZMA
            | CompressionMethod::PPMD
    )
}

/// The unpacked contents of an entry.
pub(crate) fn unpacker<'a>(
    method: CompressionMethod,
    mut packed: impl BufRead + 'a,
    meter: &Rc<Meter>,
) -> Result<Box<dyn Read + 'a>, Error> {
    let mut held = Held::new(meter, By::Windows);
    let format = match method {
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => Some(Format::Zstd),
        CompressionMethod::XZ => Some(Format::Xz),
        _ => None,
    };
    let mut start = Vec::new();
    if let Some(format) = format {
        held.set(window(format, &mut packed, &mut start)?)?;
    }
    let packed = io::Cursor::new(start).chain(packed);
    let bytes: Box<dyn Read + 'a> = match method {
        CompressionMethod::STORE => Box::new(packed),
        CompressionMethod::DEFLATE => Box::new(UpToDamage::new(flate2::bufread::DeflateDecoder::new(packed))),
        CompressionMethod::DEFLATE64 => Box::new(Deflate64::new(packed)),
        CompressionMethod::BZIP2 => Box::new(Bzip2::new(packed)),
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?.single_frame();
            decoder.window_log_max(window_size::zstd_log(held.len().max(window_size::SMALL)))?;
            Box::new(InPieces::new(decoder))
        }
        CompressionMethod::XZ => {
            let stream = Stream::new_stream_decoder(held.for_decoder(held.len()), 0).map_err(io::Error::other)?;
            Box::new(UpToDamage::new(XzDecoder::new_stream(packed, stream)))
        }
        CompressionMethod::LZMA => lzma(packed, &mut held)?,
        CompressionMethod::PPMD => ppmd(packed, &mut held)?,
        other => return Err(Error::Unsupported(Unsupported::ZipMethod(other.as_u16()))),
    };
    Ok(Box::new(Holding::new(bytes, held)))
}

/// The window of what begins here. Its first bytes are taken only if they come in pieces, because a volume ends among them:
/// whoever counts what the entry takes should count no more.
fn window(format: Format, packed: &mut impl BufRead, taken: &mut Vec<u8>) -> io::Result<u64> {
    loop {
        let at_hand = packed.fill_buf()?;
        if taken.is_empty() && at_hand.len() >= window_size::START_LEN {
            return Ok(window_size::window(format, at_hand));
        }
        let len = at_hand.len().min(window_size::START_LEN - taken.len());
        if len == 0 {
            return Ok(window_size::window(format, taken));
        }
        taken.extend_from_slice(&at_hand[..len]);
        packed.consume(len);
    }
}

/// A version and a length, then the properties, and then LZMA without any frame.
fn lzma<'a>(mut packed: impl BufRead + 'a, held: &mut Held) -> Result<Box<dyn Read + 'a>, Error> {
    let mut header = [0; 9];
    packed.read_exact(&mut header)?;
    let [_, _, 5, 0, ref properties @ ..] = header else { return Err(damaged()) };
    let [_, a, b, c, d] = *properties;
    held.set(u32::from_le_bytes([a, b, c, d]).into())?;
    let mut filters = Filters::new();
    filters.lzma1_properties(properties).map_err(|_| damaged())?;
    let stream = Stream::new_raw_decoder(&filters).map_err(io::Error::other)?;
    Ok(Box::new(UpToDamage::new(XzDecoder::new_stream(packed, stream))))
}

/// Two bytes state the order, the megabytes, and what is done when they are full.
fn ppmd<'a>(mut packed: impl BufRead + 'a, held: &mut Held) -> Result<Box<dyn Read + 'a>, Error> {
    let mut header = [0; 2];
    packed.read_exact(&mut header)?;
    let header = u32::from(u16::from_le_bytes(header));
    let (order, memory, restore) = ((header & 15) + 1, ((header >> 4 & 255) + 1) << 20, header >> 12);
    held.set(memory.into())?;
    let decoder = ppmd_rust::Ppmd8Decoder::new(packed, order, memory, restore.into()).map_err(|_| damaged())?;
    Ok(Box::new(InPieces::single(decoder)))
}

fn damaged() -> Error {
    Error::Damaged("the properties of a method of zip")
}
