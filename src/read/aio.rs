//! The face for asynchronous sources.
//!
//! Owns [`AsyncReader`]. Invariant: all state is outside the futures, so that one that is dropped loses nothing.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, ReadBuf};

use crate::read::BUFFER_LEN;
use crate::read::blocking::{Buffer, feed, piece};
use crate::syntax::{Config, Error, Parser, Position, Visitor};

/// Reads SGF from an [`AsyncRead`]: a socket, a tokio file, a decompressor.
///
/// The visitor is called between awaits, never across one, and there is at most one await per chunk. There are two
/// large buffers: while the events of one are delivered, the source is already asked to fill the other, so a tokio file
/// reads on its own thread meanwhile. What the source has at once is gathered into one chunk. While there are events to
/// deliver, nothing waits for the source.
///
/// Each reader takes 512 KiB of memory from its first read on. With many sockets, take less:
/// [`buffer_len`](Self::buffer_len)`(16 << 10)`.
///
/// After a panic of the visitor it can only be dropped, as its [parser](Parser#panics-of-a-visitor) would have to be reset.
///
/// # Cancel safety
///
/// [`read`](Self::read) and [`read_buffered`](Self::read_buffered) are cancel safe. All state is in the reader and the
/// source, so dropping the future loses nothing, and a later call goes on with the event that was due. The visitor's
/// own state is up to the caller.
///
/// ```
/// use std::ops::ControlFlow::{self, Break, Continue};
/// use std::time::Duration;
/// use sgf_stream::{AsyncReader, Config, Limits, TreeEnd, Visitor};
/// use tokio::io::AsyncWriteExt;
///
/// /// Stops at the end of each game.
/// struct Games;
///
/// impl Visitor for Games {
///     type Break = ();
///
///     fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
///         if end.depth() == 1 { Break(()) } else { Continue(()) }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut sender, receiver) = tokio::io::duplex(1024);
/// sender.write_all(b"(;B[pd])(;B[qd];W[d").await?;
///
/// let mut reader = AsyncReader::with_config(receiver, Config::new().limits(Limits::untrusted()));
/// let mut games = 0;
/// while let Ok(flow) = tokio::time::timeout(Duration::from_millis(50), reader.read(&mut Games)).await {
///     match flow? {
///         Break(()) => games += 1,
///         Continue(()) => break,
///     }
/// }
/// assert_eq!(games, 1, "the sender has fallen silent inside the second");
///
/// // The timeout has dropped a read, and nothing is lost by that. It was one for a whole game: where senders are slow, go on if
/// // `reader.parser().offset()` has moved.
/// sender.write_all(b"d])(;B[dp];W[").await?;
/// assert!(reader.read(&mut Games).await?.is_break());
///
/// // The third will never end, if not here.
/// assert!(reader.finish(&mut Games)?.is_break());
/// # Ok(())
/// # }
/// ```
pub struct AsyncReader<R> {
    source: R,
    parser: Parser,
    /// What the parser reads.
    front: Buffer,
    /// What the source fills.
    back: Buffer,
    /// The source has no more bytes, or no more are wanted.
    ended: bool,
    /// The source failed after the bytes in `back`.
    failed: Option<io::Error>,
}

/// Without the source, which may lie in memory, and without bytes.
impl<R> fmt::Debug for AsyncReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parser, front, back, ended, failed, .. } = self;
        f.debug_struct("AsyncReader")
            .field("parser", parser)
            .field("front", front)
            .field("back", back)
            .field("ended", ended)
            .field("failed", failed)
            .finish_non_exhaustive()
    }
}

impl<R: AsyncRead + Unpin> AsyncReader<R> {
    /// A reader that guesses and repairs nothing. Most archives are read better with
    /// [`Config::archives`].
    pub fn new(source: R) -> Self {
        Self::with_config(source, Config::new())
    }

    /// A reader with this configuration.
    pub fn with_config(source: R, config: Config) -> Self {
        Self::with_parser(source, Parser::with_config(config))
    }

    /// A reader for a later part of a source, whose parser was told where that is, as for
    /// [`Reader::with_parser`](crate::Reader::with_parser).
    pub fn with_parser(source: R, parser: Parser) -> Self {
        Self {
            source,
            parser,
            front: Buffer::new(BUFFER_LEN),
            back: Buffer::new(BUFFER_LEN),
            ended: false,
            failed: None,
        }
    }

    /// Takes up to `len` bytes from the source at once instead of 256 KiB, in each of the two buffers; 0 counts as 1,
    /// and more than 1 GiB as that. Call it before the first read: bytes that the buffers hold are lost.
    #[must_use]
    pub fn buffer_len(mut self, len: usize) -> Self {
        self.front = Buffer::new(len);
        self.back = Buffer::new(len);
        self
    }

    /// Reads to the end of the source, or until the visitor breaks. Called again, it goes on after the event that
    /// broke.
    ///
    /// While the source always has bytes, nothing else runs on this task. Those of tokio say now and then that they have none.
    ///
    /// Once the source has said that it has no more bytes, it is never asked again. What grows, such as a file that is
    /// still being written, is for a loop of your own around a [`Parser`], or for a [`GameDecoder`](crate::GameDecoder).
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the source fails other than by [`ErrorKind::Interrupted`]; a later call asks the source again,
    /// and nothing is lost. [`Error::Strict`] under [`Config::strict`].
    pub async fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        loop {
            // Starts the source's work. Whether it has something by now is checked again once the events are delivered.
            poll_fn(|cx| Poll::Ready(self.ask(cx))).await;
            if let ControlFlow::Break(stop) = self.front.feed(&mut self.parser, visitor)? {
                return Ok(ControlFlow::Break(stop));
            }
            poll_fn(|cx| self.gather(cx)).await;
            if !self.take_back() {
                if let Some(error) = self.failed.take() {
                    return Err(error.into());
                } else if self.ended {
                    return self.parser.finish(visitor);
                }
            }
        }
    }

    /// Ends the input here, as if the source had no more bytes: what is still open is closed, and reported as having been
    /// open. This is for a connection that has fallen silent in the middle of a game, once a timeout has dropped
    /// [`read`](Self::read).
    ///
    /// It waits for nothing, so there is no future to drop. Bytes that the buffers hold come first; those that
    /// [`read_buffered`](Self::read_buffered) has left in the source do not come. The source is not asked, now or by a later
    /// [`read`](Self::read), which delivers nothing once this has returned `Continue`. After a break, either of them goes on with
    /// the next event.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the source had failed behind the bytes that were read ahead; a later call ends the input.
    /// [`Error::Strict`] under [`Config::strict`].
    pub fn finish<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.ended = true;
        loop {
            if let ControlFlow::Break(stop) = self.front.feed(&mut self.parser, visitor)? {
                return Ok(ControlFlow::Break(stop));
            }
            if !self.take_back() {
                return match self.failed.take() {
                    Some(error) => Err(error.into()),
                    None => self.parser.finish(visitor),
                };
            }
        }
    }

    /// Puts the bytes that the source has filled before the parser; false if there are none.
    fn take_back(&mut self) -> bool {
        if self.back.is_empty() {
            return false;
        }
        std::mem::swap(&mut self.front, &mut self.back);
        self.back.clear();
        true
    }

    /// Asks the source once, if there is room; false if it has to be waited for.
    fn ask(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ended || self.failed.is_some() || self.back.space().is_empty() {
            return true;
        }
        let mut space = ReadBuf::new(self.back.space());
        match Pin::new(&mut self.source).poll_read(cx, &mut space) {
            Poll::Pending => return false,
            Poll::Ready(Ok(())) => {
                let len = space.filled().len();
                self.ended = len == 0;
                self.back.filled(len);
            }
            Poll::Ready(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
            Poll::Ready(Err(error)) => self.failed = Some(error),
        }
        true
    }

    /// Takes everything that the source has right now, and waits only if that is nothing.
    fn gather(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.ended || self.failed.is_some() || self.back.space().is_empty() {
                return Poll::Ready(());
            }
            if !self.ask(cx) {
                return if self.back.is_empty() { Poll::Pending } else { Poll::Ready(()) };
            }
        }
    }

    /// How far events were [delivered](Parser::delivered), and where they go on after a break or an error. Bytes that are
    /// still in the buffers are not counted, nor those that were read but not delivered yet. The [offset](Parser::offset) of the
    /// [parser](Self::parser) counts the latter: it grows with all that comes, as a timer for idle connections needs it.
    pub fn position(&self) -> Position {
        self.parser.delivered()
    }

    /// The parser, which knows more about what was read, such as how many problems were
    /// [not reported](Parser::suppressed_problems).
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    /// The source.
    pub const fn get_ref(&self) -> &R {
        &self.source
    }

    /// The source, to write an answer to the other end, for example. Not for reading or seeking: bytes that are taken,
    /// skipped or read twice in this way damage the game in progress, and make all later positions wrong. The buffers may
    /// be ahead of [`position`](Self::position).
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// The source. Bytes that the buffers hold are lost.
    pub fn into_inner(self) -> R {
        self.source
    }
}

impl<R: AsyncBufRead + Unpin> AsyncReader<R> {
    /// Reads as [`read`](Self::read) does, but without a copy: the parser is fed from the source's own buffer, in
    /// chunks as large as that is, up to 256 KiB. This is for sources that have their bytes anyway, such as a slice, or
    /// the body of a message that tokio-util's `StreamReader` makes readable. Nothing is read ahead: for a tokio file,
    /// and for small buffers, [`read`](Self::read) is faster.
    ///
    /// The two methods may take turns. What the parser has not taken when the visitor breaks stays in the source. As
    /// with [`read`](Self::read), nothing else runs on this task while the source always has bytes.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub async fn read_buffered<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        loop {
            if let ControlFlow::Break(stop) = self.front.feed(&mut self.parser, visitor)? {
                return Ok(ControlFlow::Break(stop));
            }
            if self.take_back() {
                continue;
            }
            if let Some(error) = self.failed.take() {
                return Err(error.into());
            }
            if self.ended {
                return self.parser.finish(visitor);
            }
            let bytes = match self.source.fill_buf().await {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if bytes.is_empty() {
                self.ended = true;
                continue;
            }
            let (flow, len) = feed(&mut self.parser, piece(bytes), visitor);
            self.source.consume(len);
            if let ControlFlow::Break(stop) = flow? {
                return Ok(ControlFlow::Break(stop));
            }
        }
    }
}
