//! The face for blocking sources.
//!
//! Owns [`Reader`]: the buffer between a source and the parser, and going on after a break or an error where it stopped.

use std::fmt;
use std::io::{BufRead, ErrorKind, Read};
use std::ops::ControlFlow;

use crate::read::BUFFER_LEN;
use crate::read::page::PageBuffer;
use crate::syntax::{Config, Error, Parser, Position, Visitor};

/// Reads SGF from a [`Read`]: a file, a pipe, standard input.
///
/// It has a large buffer of its own, so a [`BufReader`](std::io::BufReader) around the source only costs time. If the
/// source has a buffer anyway, or lies in memory, [`read_buffered`](Self::read_buffered) reads it in place.
///
/// After a panic of the visitor it can only be dropped, as its [parser](Parser#panics-of-a-visitor) would have to be reset.
///
/// ```no_run
/// use std::fs::File;
/// use sgf_stream::{Reader, Visitor};
///
/// fn read(visitor: &mut impl Visitor) -> Result<(), sgf_stream::Error> {
///     let mut reader = Reader::new(File::open("games.sgf")?);
///     let _ = reader.read(visitor)?;
///     Ok(())
/// }
/// ```
pub struct Reader<R> {
    source: R,
    parser: Parser,
    buffer: Buffer,
    /// The source has no more bytes, or no more are wanted. If it has some later, they belong to no input that the visitor
    /// knows of.
    ended: bool,
}

/// Without the source, which may lie in memory, and without bytes.
impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parser, buffer, ended, .. } = self;
        f.debug_struct("Reader")
            .field("parser", parser)
            .field("buffer", buffer)
            .field("ended", ended)
            .finish_non_exhaustive()
    }
}

impl<R: Read> Reader<R> {
    /// A reader that guesses and repairs nothing. Most archives are read better with
    /// [`Config::archives`].
    pub fn new(source: R) -> Self {
        Self::with_config(source, Config::new())
    }

    /// A reader with this configuration.
    pub fn with_config(source: R, config: Config) -> Self {
        Self::with_parser(source, Parser::with_config(config))
    }

    /// A reader for a later part of a source, whose parser was told where that is. Store the offset of the
    /// first game that is still to be read, by a visitor that breaks in
    /// [`enter_tree`](Visitor::enter_tree): what stands between two games is reported before that. If the offset where a
    /// game has ended is stored instead, neither run reports what stands between it and the next one.
    ///
    /// The games read as they would have in the first run, unless charsets are guessed: there, those that the first run has
    /// read do not [count](Config::remember_charsets) here.
    ///
    /// ```
    /// use sgf_stream::{GameStarts, Parser, Reader};
    ///
    /// # struct Quiet;
    /// # impl sgf_stream::Visitor for Quiet {
    /// #     type Break = std::convert::Infallible;
    /// # }
    /// # let mut visitor = Quiet;
    /// let source = b"(;B[pd])\n(;B[qd])\n";
    /// // An earlier run stopped at the second game, whose offset was stored. What stands before it was that run's.
    /// let mut starts = GameStarts::new(&source[..]);
    /// let next = starts.at_or_after(9)?.expect("there is another game");
    /// assert_eq!(next.offset, 9);
    ///
    /// let mut parser = Parser::new();
    /// parser.reset_within(next, starts.stream());
    /// let mut reader = Reader::with_parser(&source[next.offset as usize..], parser);
    /// let _ = reader.read(&mut visitor)?;
    /// assert_eq!((reader.position().offset, reader.position().line), (18, 3));
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn with_parser(source: R, parser: Parser) -> Self {
        Self { source, parser, buffer: Buffer::new(BUFFER_LEN), ended: false }
    }

    /// Takes `len` bytes from the source at once instead of 256 KiB; 0 counts as 1, and more than 1 GiB as that.
    /// Call it before the first read: bytes that the buffer holds are lost.
    #[must_use]
    pub fn buffer_len(mut self, len: usize) -> Self {
        self.buffer = Buffer::new(len);
        self
    }

    /// Reads to the end of the source, or until the visitor breaks. Called again, it goes on after the event that
    /// broke.
    ///
    /// Once the source has said that it has no more bytes, it is never asked again. What grows, such as a file that is
    /// still being written, is for a loop of your own around a [`Parser`].
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the source fails other than by [`ErrorKind::Interrupted`]; a later call asks the source again,
    /// and nothing is lost. [`Error::Strict`] under [`Config::strict`].
    pub fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        loop {
            if let ControlFlow::Break(stop) = self.buffer.feed(&mut self.parser, visitor)? {
                return Ok(ControlFlow::Break(stop));
            }
            if self.ended {
                return self.parser.finish(visitor);
            }
            self.buffer.clear();
            match self.source.read(self.buffer.space()) {
                Ok(0) => self.ended = true,
                Ok(len) => self.buffer.filled(len),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends the input here, as if the source had no more bytes: what is still open is closed, and reported as having been
    /// open. This is for a source that does not end by itself, such as a connection that has fallen silent.
    ///
    /// Bytes that the buffer holds come first; those that [`read_buffered`](Self::read_buffered) has left in the source
    /// do not come. The source is not asked, now or by a later [`read`](Self::read), which
    /// delivers nothing once this has returned `Continue`. After a break, either of them goes on with the next event.
    ///
    /// ```
    /// use std::io::{self, Read};
    /// use std::ops::ControlFlow;
    /// use sgf_stream::record::{GameRecord, Recorder, Wants};
    /// use sgf_stream::{Error, Reader};
    ///
    /// /// A connection that falls silent after a few bytes.
    /// struct Silent(&'static [u8]);
    ///
    /// impl Read for Silent {
    ///     fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
    ///         match self.0.read(buffer)? {
    ///             0 => Err(io::ErrorKind::TimedOut.into()),
    ///             len => Ok(len),
    ///         }
    ///     }
    /// }
    ///
    /// let mut moves = Vec::new();
    /// let mut recorder = Recorder::new(Wants::ALL, |game: &GameRecord| {
    ///     moves.push(game.moves());
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// let mut reader = Reader::new(Silent(b"(;B[pd])(;B[qd];W[dd]"));
    /// assert!(matches!(reader.read(&mut recorder), Err(Error::Io(_))));
    /// let _ = reader.finish(&mut recorder)?;
    /// assert_eq!(moves, [Some(1), Some(2)]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Strict`] under [`Config::strict`].
    pub fn finish<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.ended = true;
        self.read(visitor)
    }

    /// How far events were [delivered](Parser::delivered), and where they go on after a break or an error. Bytes that are
    /// still in the buffer are not counted, nor those that were read but not delivered yet. The [offset](Parser::offset) of the
    /// [parser](Self::parser) counts the latter: it grows with all that comes, as a timer for idle sources needs it.
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

    /// The source, to change a setting of it. Not for reading or seeking: bytes that are taken, skipped or read twice in
    /// this way damage the game in progress, and make all later positions wrong. The buffer may be ahead of
    /// [`position`](Self::position).
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// The source. Bytes that the buffer holds are lost.
    pub fn into_inner(self) -> R {
        self.source
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads as [`read`](Self::read) does, but without a copy: the parser is fed from the source's own buffer, in
    /// chunks as large as that is, up to 256 KiB. This is for sources with a large buffer, such as a slice or the
    /// output of a decompressor. From small buffers, such as that of standard input, [`read`](Self::read) gathers more
    /// at once.
    ///
    /// The two methods may take turns. What the parser has not taken when the visitor breaks stays in the source.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    ///
    /// ```
    /// use sgf_stream::{Reader, Visitor};
    ///
    /// # struct Quiet;
    /// # impl Visitor for Quiet {
    /// #     type Break = std::convert::Infallible;
    /// # }
    /// let mut reader = Reader::new(&b"(;GM[1];B[pd])"[..]);
    /// let _ = reader.read_buffered(&mut Quiet)?;
    /// assert_eq!(reader.position().offset, 14);
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn read_buffered<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        loop {
            if let ControlFlow::Break(stop) = self.buffer.feed(&mut self.parser, visitor)? {
                return Ok(ControlFlow::Break(stop));
            }
            if self.ended {
                return self.parser.finish(visitor);
            }
            match self.source.fill_buf() {
                Ok([]) => self.ended = true,
                Ok(bytes) => {
                    let (flow, len) = feed(&mut self.parser, piece(bytes), visitor);
                    self.source.consume(len);
                    if let ControlFlow::Break(stop) = flow? {
                        return Ok(ControlFlow::Break(stop));
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// How much of another's buffer is fed at once. When the parser watches for games that begin inside others, it searches
/// all of a chunk before it reads any of it, and the searched bytes should still be in the cache then.
pub(crate) fn piece(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(BUFFER_LEN)]
}

/// Feeds bytes, and returns how many of them the parser has taken: all, unless the visitor broke.
pub(crate) fn feed<V: Visitor>(
    parser: &mut Parser,
    bytes: &[u8],
    visitor: &mut V,
) -> (Result<ControlFlow<V::Break>, Error>, usize) {
    let before = parser.offset();
    let flow = parser.feed(bytes, visitor);
    (flow, (parser.offset() - before) as usize)
}

/// Bytes from a source that the parser has not seen yet.
#[derive(Debug)]
pub(crate) struct Buffer {
    len: usize,
    /// `None` until something is read, so that choosing another length costs nothing.
    bytes: Option<PageBuffer>,
    start: usize,
    end: usize,
}

impl Buffer {
    pub(crate) fn new(len: usize) -> Self {
        Self { len: len.clamp(1, 1 << 30), bytes: None, start: 0, end: 0 }
    }

    /// Room for the next bytes.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        &mut self.bytes.get_or_insert_with(|| PageBuffer::new(self.len))[self.end..]
    }

    /// The source wrote `len` bytes into [`space`](Self::space).
    pub(crate) fn filled(&mut self, len: usize) {
        self.end += len;
    }

    pub(crate) fn clear(&mut self) {
        self.start = 0;
        self.end = 0;
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Feeds the buffered bytes; after a break the rest stays.
    pub(crate) fn feed<V: Visitor>(
        &mut self,
        parser: &mut Parser,
        visitor: &mut V,
    ) -> Result<ControlFlow<V::Break>, Error> {
        let bytes = self.bytes.as_deref().map_or(&[][..], |bytes| &bytes[self.start..self.end]);
        let (flow, len) = feed(parser, bytes, visitor);
        self.start += len;
        flow
    }
}
