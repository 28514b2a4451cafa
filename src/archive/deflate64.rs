//! Deflate64, of which all comes that stands before damage.
//!
//! Owns [`Deflate64`]: the library's own reader drops what it has unpacked when it comes upon damage, up to a whole buffer.

use std::io::{self, BufRead, ErrorKind, Read};

use deflate64::InflaterManaged;

pub(crate) struct Deflate64<R> {
    source: R,
    /// It has buffers of its own, too long to be moved.
    inflater: Box<InflaterManaged>,
}

impl<R> Deflate64<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, inflater: Box::new(InflaterManaged::new()) }
    }
}

impl<R: BufRead> Read for Deflate64<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let packed = self.source.fill_buf()?;
            let is_over = packed.is_empty();
            let done = self.inflater.inflate(packed, buffer);
            self.source.consume(done.bytes_consumed);
            if done.bytes_written > 0 || buffer.is_empty() {
                return Ok(done.bytes_written);
            }
            // It stays damaged, so the error may come behind the last bytes.
            if done.data_error {
                return Err(io::Error::new(ErrorKind::InvalidData, "damaged Deflate64 stream"));
            }
            if is_over || self.inflater.finished() {
                return Ok(0);
            }
        }
    }
}
