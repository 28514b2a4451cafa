//! One member of a gzip stream.
//!
//! Owns [`Gzip`], which gives what came before damage, wherever that is. flate2's own reader keeps to itself how much it has
//! given when it fails, and that may be a whole buffer.

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::archive::checked::Decoder;

/// Unpacks a member: its header, its bytes, and its checksum, which is compared.
pub(crate) struct Gzip<R> {
    source: R,
    member: Decompress,
    has_ended: bool,
}

impl<R> Gzip<R> {
    /// Binary logarithm of the largest window that there is.
    const WINDOW: u8 = 15;

    pub(crate) fn new(source: R) -> Self {
        Self { source, member: Decompress::new_gzip(Self::WINDOW), has_ended: false }
    }

    pub(crate) fn into_inner(self) -> R {
        self.source
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !(self.has_ended || buffer.is_empty()) {
            let packed = self.source.fill_buf()?;
            let is_over = packed.is_empty();
            let (taken, given) = (self.member.total_in(), self.member.total_out());
            let flush = if is_over { FlushDecompress::Finish } else { FlushDecompress::None };
            let result = self.member.decompress(packed, buffer, flush);
            self.source.consume((self.member.total_in() - taken) as usize);
            let given = (self.member.total_out() - given) as usize;
            match result {
                Err(error) => {
                    let why = error.message().unwrap_or("corrupt stream");
                    return Err(io::Error::new(ErrorKind::InvalidData, format!("damaged gzip stream: {why}")));
                }
                Ok(status) => self.has_ended = status == Status::StreamEnd,
            }
            if given > 0 {
                return Ok(given);
            }
            if is_over && !self.has_ended {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "incomplete gzip stream"));
            }
        }
        Ok(0)
    }
}

impl<R: BufRead> Decoder for Gzip<R> {
    fn given(&self) -> u64 {
        self.member.total_out()
    }
}
