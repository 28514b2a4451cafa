//! One member of a gzip stream.
//!
//! Owns [`Gzip`], which delivers everything that came before damage, wherever the damage is. When flate2's own reader
//! fails, it does not say how much it has delivered, and that may be a whole buffer.

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
    /// The binary logarithm of the largest possible window.
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
                    let why = error.message().map_or("corrupt stream", settled);
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

/// What the library says of damage. Which of these it says of one that is no code, or points to nothing, depends on how many
/// bytes there are at once.
fn settled(why: &str) -> &str {
    let is_a_code = why.starts_with("invalid distance") || why.starts_with("invalid literal/length");
    if is_a_code || why == "repeated call with bad state" { "invalid code" } else { why }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write as _};

    use super::*;

    #[test]
    fn the_error_for_damage_does_not_depend_on_the_buffer() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for number in 0..2_000_u32 {
            write!(writer, "(;GN[{}])", number.wrapping_mul(0x9E37_79B9)).unwrap();
        }
        let whole = writer.finish().unwrap();
        let read_all = |packed: &mut dyn BufRead| {
            let (mut gzip, mut buffer) = (Gzip::new(packed), vec![0; 64 << 10]);
            while gzip.read(&mut buffer).map_err(|error| error.to_string())? > 0 {}
            Ok::<(), String>(())
        };
        for at in (10..whole.len()).step_by(61) {
            let mut packed = whole.clone();
            packed[at] ^= 0xFF;
            let at_once = read_all(&mut &packed[..]);
            assert_eq!(read_all(&mut BufReader::with_capacity(1, &packed[..])), at_once, "byte {at}");
            assert!(at_once.is_err());
        }
    }
}
