//! One stream of bzip2.
//!
//! Owns [`Bzip2`], which delivers a block only once its checksum is right. In a damaged block every byte may be wrong, and
//! nothing else shows that: it would be read as games.

use std::io::{self, BufRead, ErrorKind, Read};

use bzip2::{Decompress, Status};

/// Unpacks a stream.
pub(crate) struct Bzip2<R> {
    source: R,
    stream: Decompress,
    /// What was unpacked and not delivered.
    bytes: Vec<u8>,
    /// How many of these bytes were delivered, and how many are right.
    given: usize,
    right: usize,
    /// There is more of the last block to come, which takes no more of the source.
    is_inside: bool,
    /// How the stream has ended, behind the bytes that are right.
    end: Option<Result<(), io::Error>>,
}

impl<R> Bzip2<R> {
    /// How much is unpacked at once.
    const PIECE: usize = 16 << 10;

    /// Given eight bytes, the library would have the next block's mark before it says that a block is complete, and if that is
    /// damaged, it would not say so at all.
    const MOST_PACKED: usize = 7;

    /// More of a block than this is not held back. That happens only where a byte is repeated over and over: before that is undone,
    /// a block has 900,000 at the most.
    const MOST: usize = 1 << 20;

    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            stream: Decompress::new(false),
            bytes: Vec::new(),
            given: 0,
            right: 0,
            is_inside: false,
            end: None,
        }
    }

    pub(crate) fn into_inner(self) -> R {
        self.source
    }
}

impl<R: BufRead> Bzip2<R> {
    /// Unpacks a little more. The source is only asked while nothing is to come of the last block, and one byte is enough to
    /// see that the next one has begun; so what else has come then is right.
    fn fill(&mut self) {
        let packed: &[u8] = if self.is_inside {
            &[]
        } else {
            match self.source.fill_buf() {
                Ok(packed) => &packed[..packed.len().min(Self::MOST_PACKED)],
                Err(error) => return self.ends(Err(error)),
            }
        };
        let is_over = packed.is_empty() && !self.is_inside;
        let start = self.bytes.len();
        let piece = if self.is_inside { Self::PIECE } else { 1 };
        self.bytes.resize(start + piece, 0);
        let (taken, given) = (self.stream.total_in(), self.stream.total_out());
        let result = self.stream.decompress(packed, &mut self.bytes[start..]);
        let given = (self.stream.total_out() - given) as usize;
        self.source.consume((self.stream.total_in() - taken) as usize);
        self.bytes.truncate(start + given);
        self.is_inside = given == piece;
        match result {
            Err(error) => self.ends(Err(io::Error::new(ErrorKind::InvalidData, error))),
            Ok(Status::StreamEnd) => {
                self.right = self.bytes.len();
                self.ends(Ok(()));
            }
            Ok(_) if is_over && given == 0 => {
                self.ends(Err(io::Error::new(ErrorKind::UnexpectedEof, "incomplete bzip2 stream")));
            }
            // The library compares the checksum before it asks for more.
            Ok(_) if !self.is_inside => self.right = self.bytes.len(),
            Ok(_) if self.bytes.len() > Self::MOST => self.right = self.bytes.len(),
            Ok(_) => {}
        }
    }

    fn ends(&mut self, end: Result<(), io::Error>) {
        self.bytes.truncate(self.right);
        self.end = Some(end);
    }
}

impl<R: BufRead> Read for Bzip2<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.right && !buffer.is_empty() {
            if let Some(end) = self.end.take() {
                // After an interruption the source may go on.
                let goes_on = matches!(&end, Err(error) if error.kind() == ErrorKind::Interrupted);
                self.end = (!goes_on).then_some(Ok(()));
                return end.map(|()| 0);
            }
            self.bytes.drain(..self.given);
            (self.given, self.right) = (0, 0);
            self.fill();
        }
        let len = (&self.bytes[self.given..self.right]).read(buffer)?;
        self.given += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write as _};

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    fn unpacked(packed: impl BufRead) -> (Vec<u8>, Option<ErrorKind>) {
        let mut bytes = Vec::new();
        let end = Bzip2::new(packed).read_to_end(&mut bytes);
        (bytes, end.err().map(|error| error.kind()))
    }

    /// The first block has nearly 100,000 bytes.
    #[test]
    fn what_is_delivered_of_a_damaged_stream_is_right() {
        let text: Vec<u8> =
            (0..15_000_u32).flat_map(|n| format!("(;GN[{}])", n.wrapping_mul(0x9E37_79B9)).into_bytes()).collect();
        let whole = packed(&text);
        assert_eq!(unpacked(&whole[..]), (text.clone(), None));
        assert_eq!(unpacked(BufReader::with_capacity(1, &whole[..])), (text.clone(), None));
        for at in (4..whole.len()).step_by(997) {
            let mut wrong = whole.clone();
            wrong[at] ^= 0x10;
            let (bytes, end) = unpacked(&wrong[..]);
            assert!(text.starts_with(&bytes) && end.is_some(), "byte {at}: {} {end:?}", bytes.len());
            // All whole blocks before it come.
            let product = |one: usize, other: usize| one as u64 * other as u64;
            assert!(
                product(bytes.len() + 110_000, whole.len()) >= product(text.len(), at),
                "byte {at}: {}",
                bytes.len()
            );
            let cut = unpacked(&whole[..at]);
            assert!(text.starts_with(&cut.0) && cut.1 == Some(ErrorKind::UnexpectedEof), "cut at {at}");
        }
    }

    #[test]
    fn damage_behind_a_block_costs_nothing_of_it() {
        let text = b"(;B[aa];W[bb])".repeat(100);
        let whole = packed(&text);
        for at in whole.len() - 9..whole.len() {
            let mut wrong = whole.clone();
            wrong[at] ^= 0x10;
            for capacity in [1, 5, 8 << 10] {
                assert_eq!(unpacked(BufReader::with_capacity(capacity, &wrong[..])).0, text, "byte {at}, {capacity}");
            }
        }
    }

    #[test]
    fn a_block_that_unpacks_to_very_much_is_not_held() {
        let text = vec![b' '; 3 << 20];
        let packed = packed(&text);
        let mut stream = Bzip2::new(&packed[..]).take(2 << 20);
        assert_eq!(io::copy(&mut stream, &mut io::sink()).unwrap(), 2 << 20);
        assert!(stream.into_inner().bytes.len() < 2 << 20);
    }
}
