//! The face for asynchronous sources.

use std::io::ErrorKind;
use std::ops::ControlFlow;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::read::BUFFER_LEN;
use crate::read::blocking::Buffer;
use crate::syntax::{Config, Error, Parser, Position, Visitor};

/// Reads SGF from an [`AsyncRead`]: a socket, a tokio file, a decompressor.
///
/// The visitor is called between awaits, never across one, and there is one await per chunk. The buffer is large, because
/// a tokio file pays a hop to another thread for every read.
///
/// # Cancel safety
///
/// [`read`](Self::read) is cancel safe: all state lies in the reader, so dropping the future loses nothing, and a later
/// call goes on with the event that was due. The visitor's own state is the caller's.
#[derive(Debug)]
pub struct AsyncReader<R> {
    source: R,
    parser: Parser,
    buffer: Buffer,
}

impl<R: AsyncRead + Unpin> AsyncReader<R> {
    /// A lenient reader.
    pub fn new(source: R) -> Self {
        Self::with_config(source, Config::new())
    }

    /// A reader with choices of your own.
    pub fn with_config(source: R, config: Config) -> Self {
        Self { source, parser: Parser::with_config(config), buffer: Buffer::new(BUFFER_LEN) }
    }

    /// Takes up to `len` bytes from the source at once instead of 256 KiB; 0 counts as 1.
    #[must_use]
    pub fn buffer_len(mut self, len: usize) -> Self {
        self.buffer = Buffer::new(len);
        self
    }

    /// Reads to the end of the source, or until the visitor breaks; called again, it goes on after the event that broke.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the source fails other than by [`ErrorKind::Interrupted`]; a later call asks the source again
    /// and nothing is lost. [`Error::Strict`] under [`Config::strict`].
    pub async fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        loop {
            if let ControlFlow::Break(stop) = self.buffer.feed(&mut self.parser, visitor)? {
                return Ok(ControlFlow::Break(stop));
            }
            match self.source.read(self.buffer.space()).await {
                Ok(0) => return self.parser.finish(visitor),
                Ok(len) => self.buffer.filled(len),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// How far the source was read by the visitor's events: bytes that lie in the buffer still are not counted.
    pub fn position(&self) -> Position {
        self.parser.position()
    }

    /// The source. Bytes that the buffer holds are lost.
    pub fn into_inner(self) -> R {
        self.source
    }
}
