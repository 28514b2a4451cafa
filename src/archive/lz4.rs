//! Frames of lz4; a truncated one loses no more than it must.
//!
//! Owns what comes out of an incomplete block: the library only unpacks whole blocks, of up to eight megabytes. Nothing
//! is kept for this but the window that blocks may share, and the one block that is cut. Refuses to know where one
//! frame ends and the next begins.

use std::io::{self, Read};

use lz4_flex::block::decompress_into_with_dict;
use lz4_flex::frame::FrameDecoder;

use crate::archive::buffered::Buffered;
use crate::archive::format::{Format, continues};
use crate::archive::{Error, Unsupported};

/// How far back a block may refer.
const WINDOW: usize = 64 << 10;

/// The contents of the longest block.
const MAX_BLOCK: usize = 8 << 20;

/// The bit of a block's size that says that the block is not compressed.
const PLAIN: u32 = 1 << 31;

/// How many first bytes of a frame say what its blocks are like.
const HEAD_LEN: usize = 6;

/// Whether blocks are independent, and how long they may be.
fn shape(head: &[u8]) -> Option<[u8; 2]> {
    match *head {
        [0x04, 0x22, 0x4D, 0x18, flags, blocks, ..] => Some([flags & 0x20, blocks & 0x70]),
        _ => None,
    }
}

/// The bytes of one frame, or of several that are alike.
pub(crate) struct Lz4<R: Read> {
    decoder: FrameDecoder<Watched<R>>,
    /// How the decoder's buffers must be; `None` for frames of the old kind.
    shape: Option<[u8; 2]>,
    /// The last bytes that came out, if blocks refer to earlier ones.
    window: Option<Vec<u8>>,
    /// The contents of a block that is cut off, and the error that cut it.
    cut: Option<(io::Cursor<Vec<u8>>, Option<io::Error>)>,
}

impl<R: Read> Lz4<R> {
    /// Reads a frame, which begins at the front of the source.
    pub(crate) fn new(mut source: Buffered<R>) -> io::Result<Self> {
        let head = source.peek(HEAD_LEN)?;
        // Frames of the old kind end with the source, and their blocks have nothing in common.
        let has_end = !head.starts_with(&[0x02]);
        let shape = shape(head);
        let is_linked = matches!(shape, Some([0, _]));
        let source = Watched { source, has_end, is_block: None, hit_end: false, last: 0, cut: None };
        Ok(Self { decoder: FrameDecoder::new(source), shape, window: is_linked.then(Vec::new), cut: None })
    }

    /// The source behind the frame, which is over; `None` unless its end was found.
    pub(crate) fn behind(&mut self) -> Option<&mut Buffered<R>> {
        let watched = self.decoder.get_mut();
        (watched.has_end && !watched.hit_end && self.cut.is_none()).then_some(&mut watched.source)
    }

    /// Begins the frame that comes next, if it takes the same buffers: to make them takes far longer than to unpack a small one.
    pub(crate) fn begin_alike(&mut self) -> io::Result<bool> {
        let watched = self.decoder.get_mut();
        let head = watched.source.peek(HEAD_LEN)?;
        if self.shape.is_none() || shape(head) != self.shape {
            return Ok(false);
        }
        watched.last = 0;
        if let Some(window) = &mut self.window {
            window.clear();
        }
        Ok(true)
    }

    /// The source behind the frame, which is over.
    pub(crate) fn end(self) -> io::Result<Buffered<R>> {
        let Watched { source, has_end, hit_end, .. } = self.decoder.into_inner();
        // If the source ends between two blocks, the library takes that for the frame's end.
        if has_end && hit_end {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the last frame is cut off"));
        }
        Ok(source)
    }

    /// Keeps what later blocks may refer to.
    fn remember(&mut self, bytes: &[u8]) {
        let Some(window) = &mut self.window else { return };
        window.extend_from_slice(&bytes[bytes.len().saturating_sub(WINDOW)..]);
        // Only now and then, because it moves bytes.
        if window.len() > 4 * WINDOW {
            window.drain(..window.len() - WINDOW);
        }
    }
}

impl<R: Read> Read for Lz4<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cut.is_none() {
            let error = match self.decoder.read(buffer) {
                Ok(len) => {
                    self.remember(&buffer[..len]);
                    return Ok(len);
                }
                Err(error) => described(error),
            };
            let Some((bytes, is_plain)) = self.decoder.get_mut().cut.take() else { return Err(error) };
            let window = self.window.as_deref().unwrap_or_default();
            let bytes =
                if is_plain { bytes } else { unpack_cut(bytes, &window[window.len().saturating_sub(WINDOW)..]) };
            self.cut = Some((io::Cursor::new(bytes), Some(error)));
        }
        let Some((bytes, error)) = &mut self.cut else { return Ok(0) };
        match bytes.read(buffer)? {
            0 if !buffer.is_empty() => error.take().map_or(Ok(0), Err),
            len => Ok(len),
        }
    }
}

/// The library's own errors are for programmers.
fn described(error: io::Error) -> io::Error {
    use lz4_flex::frame::Error as Fault;

    let why = match error.get_ref().and_then(|error| error.downcast_ref::<Fault>()) {
        Some(Fault::DictionaryNotSupported) => {
            return Error::Unsupported(Unsupported::Lz4Dictionary).into();
        }
        Some(Fault::DecompressionError(_) | Fault::BlockTooBig | Fault::InvalidBlockInfo) => "a block makes no sense",
        Some(Fault::BlockChecksumError | Fault::ContentChecksumError) => "the checksum is wrong",
        Some(Fault::HeaderChecksumError | Fault::UnsupportedBlocksize(_) | Fault::ReservedBitsSet) => {
            "a frame's header makes no sense"
        }
        Some(Fault::UnsupportedVersion(_)) => return Error::Unsupported(Unsupported::Lz4Version).into(),
        Some(Fault::ContentLengthError { .. }) => "it has another length than it says",
        _ => return error,
    };
    io::Error::new(io::ErrorKind::InvalidData, format!("damaged lz4 stream: {why}"))
}

/// The source, as the library reads it.
struct Watched<R> {
    source: Buffered<R>,
    has_end: bool,
    /// In an old-style frame, behind its first bytes: whether a block's size comes next, or the block.
    is_block: Option<bool>,
    hit_end: bool,
    /// The last four bytes that were read at once; before a block, these are its size.
    last: u32,
    /// The incomplete block, and whether it is stored uncompressed.
    cut: Option<(Vec<u8>, bool)>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.source.read(buffer)?;
        self.hit_end |= len == 0 && !buffer.is_empty();
        Ok(len)
    }

    /// The library reads sizes, blocks and checksums through this.
    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if !self.has_end && self.is_frame()? {
            // The same error as at the source's end.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut len = 0;
        while len < buffer.len() {
            let error = match self.read(&mut buffer[len..]) {
                Ok(0) => io::Error::new(io::ErrorKind::UnexpectedEof, "the last block is cut off"),
                Ok(more) => {
                    len += more;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            if (self.last & !PLAIN) as usize == buffer.len() {
                self.cut = Some((buffer[..len].to_vec(), self.last & PLAIN != 0));
            }
            return Err(error);
        }
        if let Ok(size) = <[u8; 4]>::try_from(&*buffer) {
            self.last = u32::from_le_bytes(size);
        }
        self.is_block = self.is_block.map(|is_block| !is_block);
        Ok(())
    }
}

impl<R: Read> Watched<R> {
    /// Whether another frame begins in the place of a block: its first bytes are no size that a block can have.
    fn is_frame(&mut self) -> io::Result<bool> {
        // The first bytes of a frame do not come through here.
        let is_size = !*self.is_block.get_or_insert(false);
        Ok(is_size && continues(Format::Lz4, self.source.peek(8)?))
    }
}

/// Unpacks the beginning of a block. What is there of its last sequence is turned into one that may end a block, which
/// has only literals.
fn unpack_cut(mut packed: Vec<u8>, window: &[u8]) -> Vec<u8> {
    let (start, literals, mut len) = last_sequence(&packed);
    let have = literals.len();
    let literals = packed[literals].to_vec();
    packed.truncate(start);
    packed.push((have.min(15) as u8) << 4);
    if let Some(mut more) = have.checked_sub(15) {
        while more >= 255 {
            packed.push(255);
            more -= 255;
        }
        packed.push(more as u8);
    }
    packed.extend_from_slice(&literals);
    len = len.saturating_add(have).min(MAX_BLOCK);
    let mut bytes = vec![0; len];
    let len = decompress_into_with_dict(&packed, &mut bytes, window).unwrap_or(0);
    bytes.truncate(len);
    bytes
}

/// Where the last sequence of a block begins that is cut off, what literals there are of it, and to how many bytes all before
/// it unpacks.
fn last_sequence(packed: &[u8]) -> (usize, std::ops::Range<usize>, usize) {
    let (mut at, mut len) = (0, 0_usize);
    loop {
        let start = at;
        let none = (start, 0..0, len);
        let Some(&token) = packed.get(at) else { return none };
        at += 1;
        let Some(literals) = length(packed, &mut at, token >> 4) else { return none };
        let end = at.saturating_add(literals);
        if end.saturating_add(2) > packed.len() {
            return (start, at..end.min(packed.len()), len);
        }
        let literals = at..end;
        at = end + 2;
        let Some(copied) = length(packed, &mut at, token & 15) else { return (start, literals, len) };
        let unpacked = len.saturating_add(literals.len()).saturating_add(copied + 4);
        if unpacked > MAX_BLOCK {
            return (start, literals, len);
        }
        len = unpacked;
    }
}

/// A length of four bits, and whatever bytes are added to it; `None` where they are cut off.
fn length(packed: &[u8], at: &mut usize, bits: u8) -> Option<usize> {
    let mut len = usize::from(bits);
    let mut is_more = bits == 15;
    while is_more {
        let &byte = packed.get(*at)?;
        *at += 1;
        len += usize::from(byte);
        is_more = byte == 255;
    }
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_block_gives_all_that_can_be_unpacked() {
        let text: Vec<u8> =
            (0..3000_u32).flat_map(|n| format!("(;B[aa]N[{}])", n.wrapping_mul(0x9E37_79B9)).into_bytes()).collect();
        let packed = lz4_flex::block::compress(&text);
        let mut before = 0;
        for at in 0..packed.len() {
            let bytes = unpack_cut(packed[..at].to_vec(), b"");
            assert!(text.starts_with(&bytes) && bytes.len() >= before, "cut at {at}");
            before = bytes.len();
        }
        assert!(before + 20 > text.len(), "{before}");
    }

    #[test]
    fn a_block_may_refer_to_the_one_before() {
        let text = b"(;B[aa];W[bb];B[cc];W[dd])".repeat(3);
        let packed = lz4_flex::block::compress_with_dict(&text, &text);
        let bytes = unpack_cut(packed[..packed.len() - 1].to_vec(), &text);
        assert!(text.starts_with(&bytes) && bytes.len() + 10 > text.len());
    }
}
