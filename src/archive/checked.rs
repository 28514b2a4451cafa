//! Readers that know how many bytes should come and what their checksum is, or that keep what came before damage.
//!
//! Owns that an error comes after all bytes that stand before it, however much is read at once. Refuses to know formats.

use std::io::{self, BufRead, Read};

use rawzip::Crc32;

/// Bytes whose number, and checksum if there is one, are known. A mismatch is reported after all of them were delivered.
pub(crate) struct Checked<R> {
    source: R,
    left: u64,
    crc: Option<(Crc32, u32)>,
}

impl<R: Read> Checked<R> {
    pub(crate) fn new(source: R, len: u64, crc: Option<u32>) -> Self {
        Self { source, left: len, crc: crc.map(|crc| (Crc32::new(), crc)) }
    }

    pub(crate) fn source(&self) -> &R {
        &self.source
    }

    pub(crate) fn into_inner(self) -> R {
        self.source
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            return match self.crc.take() {
                Some((found, stated)) if found.checksum() != stated => {
                    Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum is wrong"))
                }
                _ => Ok(0),
            };
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let len = self.source.read(&mut buffer[..most])?;
        if len == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is cut off"));
        }
        self.left -= len as u64;
        if let Some((crc, _)) = &mut self.crc {
            crc.update(&buffer[..len]);
        }
        Ok(len)
    }
}

/// Remembers that its source has failed.
pub(crate) struct Failing<R> {
    source: R,
    failed: Option<io::ErrorKind>,
}

impl<R> Failing<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, failed: None }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    pub(crate) fn into_inner(self) -> R {
        self.source
    }

    /// How it has failed.
    pub(crate) fn failure(&self) -> Option<io::ErrorKind> {
        self.failed
    }
}

impl<R: Read> Read for Failing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.source.read(buffer);
        let failed = result.as_ref().err().map(io::Error::kind).filter(|&kind| kind != io::ErrorKind::Interrupted);
        self.failed = self.failed.or(failed);
        result
    }
}

/// A decoder that knows how many bytes it has delivered.
pub(crate) trait Decoder: Read {
    fn given(&self) -> u64;
}

impl<R: BufRead> Decoder for flate2::bufread::DeflateDecoder<R> {
    fn given(&self) -> u64 {
        self.total_out()
    }
}

impl<R: BufRead> Decoder for liblzma::bufread::XzDecoder<R> {
    fn given(&self) -> u64 {
        self.total_out()
    }
}

/// Delivers what a decoder has put into the buffer before it came upon damage, which the libraries do not report, and
/// the error after that. So nothing depends on how much is read at once.
pub(crate) struct UpToDamage<D> {
    decoder: D,
    error: Option<io::Error>,
}

impl<D> UpToDamage<D> {
    pub(crate) fn new(decoder: D) -> Self {
        Self { decoder, error: None }
    }

    pub(crate) fn into_inner(self) -> D {
        self.decoder
    }
}

impl<D: Decoder> Read for UpToDamage<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let before = self.decoder.given();
        let result = self.decoder.read(buffer);
        let given = self.decoder.given() - before;
        if result.is_err() && given > 0 {
            self.error = result.err();
            return Ok((given as usize).min(buffer.len()));
        }
        result
    }
}

/// Delivers what comes before damage from a decoder that does not say how many bytes it has delivered: it is asked for
/// few at a time, so that few are lost with the damage. Asked for all at once, zstd loses up to a whole buffer before
/// the damage; small reads take no longer. (For gzip they take twice as long.)
pub(crate) struct InPieces<D> {
    decoder: D,
    /// The length of a piece.
    len: usize,
    error: Option<io::Error>,
}

impl<D> InPieces<D> {
    pub(crate) fn new(decoder: D) -> Self {
        Self { decoder, len: 512, error: None }
    }

    /// Byte by byte, for a decoder that works so: nothing is lost.
    pub(crate) fn single(decoder: D) -> Self {
        Self { decoder, len: 1, error: None }
    }

    pub(crate) fn into_inner(self) -> D {
        self.decoder
    }
}

impl<D: Read> Read for InPieces<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let mut given = 0;
        for piece in buffer.chunks_mut(self.len) {
            match self.decoder.read(piece) {
                Ok(len) => {
                    given += len;
                    // For more, the source may have to be waited for.
                    if len < piece.len() {
                        break;
                    }
                }
                Err(error) if given == 0 => return Err(error),
                Err(error) => {
                    self.error = Some(error);
                    break;
                }
            }
        }
        Ok(given)
    }
}

/// Ends where its source fails, and keeps the error: for readers that drop bytes if their source fails.
pub(crate) struct UpToFailure<R> {
    source: R,
    has_failed: bool,
    error: Option<io::Error>,
}

impl<R> UpToFailure<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, has_failed: false, error: None }
    }

    /// The error, once.
    pub(crate) fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }
}

impl<R: Read> Read for UpToFailure<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_failed {
            return Ok(0);
        }
        match self.source.read(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.has_failed = true;
                self.error = Some(error);
                Ok(0)
            }
            result => result,
        }
    }
}
