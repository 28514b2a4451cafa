//! One decompressor for all frames of a stream.
//!
//! Owns what may come after a frame: another one, padding, something else that is packed, or bytes that belong to
//! nothing. After a damaged frame, nothing more is searched for. How a frame is read is left to the libraries.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, ErrorKind, Read};
use std::rc::Rc;

use zstd::stream::raw::{DParameter, InBuffer, Operation, OutBuffer, WriteBuf};
use zstd::stream::{raw, zio};

use crate::archive::buffered::Buffered;
use crate::archive::bzip2::Bzip2;
use crate::archive::checked::{InPieces, UpToDamage};
use crate::archive::format::{self, Format, HEAD_LEN};
use crate::archive::gzip::Gzip;
use crate::archive::limits::{By, Held, Meter};
use crate::archive::lz4::Lz4;
use crate::archive::{Error, Unsupported, window_size};

/// Reads the contents of all frames, one after the other. Damage is an error after everything before it.
pub(crate) struct Frames<R: Read> {
    format: Format,
    state: State<R>,
    /// What the state takes, and the context.
    held: Held,
    /// Since the first frame of zstd.
    zstd: Option<ZstdContext>,
    after: Rc<Cell<After>>,
}

/// What was not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum After {
    #[default]
    Nothing,
    /// So many bytes behind the last frame.
    Bytes(u64),
    /// So many bytes, which begin as an archive or something compressed does.
    Packed(u64),
    /// What stands behind damage.
    Damage,
}

enum State<R: Read> {
    Gzip(UpToDamage<Gzip<Buffered<R>>>),
    Zstd(InPieces<zio::Reader<Buffered<R>, ZstdContext>>),
    Xz(UpToDamage<liblzma::bufread::XzDecoder<Buffered<R>>>),
    Bzip2(Bzip2<Buffered<R>>),
    Lz4(Box<Lz4<R>>),
    Ended,
    Failed,
}

impl<R: Read> Frames<R> {
    /// For formats of compression. What was not read is reported in `after`.
    pub(crate) fn new(
        format: Format,
        source: Buffered<R>,
        meter: &Rc<Meter>,
        after: Rc<Cell<After>>,
    ) -> io::Result<Self> {
        let mut frames = Self { format, state: State::Ended, held: Held::new(meter, By::Windows), zstd: None, after };
        frames.begin(source)?;
        Ok(frames)
    }

    /// Begins the next frame, if there is one.
    fn begin(&mut self, mut source: Buffered<R>) -> io::Result<()> {
        pass_nothing(self.format, &mut source)?;
        let start = source.peek(window_size::START_LEN)?;
        if start.is_empty() {
            self.let_go();
            return Ok(());
        }
        // A skippable frame, with which both may begin, was longer than what was looked at.
        if self.format == Format::Zstd && format::continues(Format::Lz4, start) {
            self.format = Format::Lz4;
        }
        if self.format == Format::Zstd && window_size::has_dictionary(start) {
            return Err(Error::Unsupported(Unsupported::ZstdDictionary).into());
        }
        let needed = window_size::window(self.format, start);
        // A context keeps the longest window that it has had.
        let kept = if self.zstd.is_some() { self.held.len() } else { 0 };
        self.held.set(needed.max(kept))?;
        self.state = State::begin(self.format, source, self.held.for_decoder(needed), &mut self.zstd)?;
        Ok(())
    }

    /// Ends a frame, and goes on with the next one, if there is one.
    fn turn(&mut self) -> io::Result<()> {
        if let State::Lz4(decoder) = &mut self.state
            && let Some(source) = decoder.behind()
        {
            pass_nothing(self.format, source)?;
            if decoder.begin_alike()? {
                return Ok(());
            }
        }
        let Some(mut source) = std::mem::replace(&mut self.state, State::Ended).end()? else { return Ok(()) };
        pass_nothing(self.format, &mut source)?;
        let start = source.peek(window_size::START_LEN)?;
        if start.is_empty() || format::continues(self.format, start) {
            return self.begin(source);
        }
        // Some fill up with zeros what they write, as tapes need it, and go on behind them.
        let zeros = pass_zeros(&mut source)?;
        let next = source.peek(HEAD_LEN)?;
        if zeros > 0 && format::continues(self.format, next) {
            return self.begin(source);
        }
        let found = Format::detect(next);
        let is_packed = found.is_compression() || matches!(found, Format::Tar | Format::Zip | Format::SevenZip);
        self.let_go();
        let count = zeros + source.drain()?;
        self.after.set(if is_packed { After::Packed(count) } else { After::Bytes(count) });
        Ok(())
    }

    /// Gives back the memory, as nothing more comes: what came may still be at work.
    fn let_go(&mut self) {
        self.zstd = None;
        // Nothing is always allowed.
        let _ = self.held.set(0);
    }

    /// A frame can't be read further.
    fn failed(&mut self, error: io::Error) -> io::Error {
        /// The most bytes that a frame may end with after its contents.
        const END: usize = 8;
        let reason = error.get_ref().and_then(|error| error.downcast_ref());
        if reason == Some(&liblzma::stream::Error::MemLimit) {
            return Error::Unsupported(Unsupported::XzMemory).into();
        }
        if is_damage(&error) {
            let source = std::mem::replace(&mut self.state, State::Failed).end();
            self.let_go();
            let is_more = |mut source: Buffered<R>| source.peek(END + 1).is_ok_and(|next| next.len() > END);
            if source.ok().flatten().is_some_and(is_more) {
                self.after.set(After::Damage);
            }
        }
        error
    }
}

/// A stream of bzip2 without contents; its fourth byte is the size of blocks that do not come.
const EMPTY_BZIP2: &[u8; 14] = b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0";

/// Passes what stands between frames, or is a frame, and unpacks to nothing.
fn pass_nothing<R: Read>(format: Format, source: &mut Buffered<R>) -> io::Result<()> {
    match format {
        // The padding that the format allows.
        Format::Xz => {
            while source.peek(4)? == [0; 4] {
                source.consume(4);
            }
        }
        // A decoder for each would cost a hundred times what it reads.
        Format::Bzip2 => {
            while is_empty_bzip2(source.peek(EMPTY_BZIP2.len())?) {
                source.consume(EMPTY_BZIP2.len());
            }
        }
        Format::Zstd | Format::Lz4 => {
            while let Some(len) = format::skippable_len(source.peek(8)?) {
                let skipped = io::copy(&mut source.take(len), &mut io::sink())?;
                if skipped < len {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn pass_zeros<R: Read>(source: &mut Buffered<R>) -> io::Result<u64> {
    let mut count = 0;
    loop {
        let next = source.fill_buf()?;
        let zeros = next.iter().take_while(|byte| **byte == 0).count();
        let is_last = zeros < next.len() || next.is_empty();
        source.consume(zeros);
        count += zeros as u64;
        if is_last {
            return Ok(count);
        }
    }
}

fn is_empty_bzip2(next: &[u8]) -> bool {
    next.len() == EMPTY_BZIP2.len()
        && next
            .iter()
            .zip(EMPTY_BZIP2)
            .enumerate()
            .all(|(at, (byte, other))| if at == 3 { (b'1'..=b'9').contains(byte) } else { byte == other })
}

/// Whether an error means damage: not if the source has failed or ended, or if a limit forbids reading.
fn is_damage(error: &io::Error) -> bool {
    let is_source = matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::Interrupted | ErrorKind::WouldBlock);
    !is_source && error.raw_os_error().is_none() && !Error::is_limit_of(error)
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let result = match &mut self.state {
                State::Gzip(decoder) => decoder.read(buffer),
                State::Zstd(decoder) => decoder.read(buffer),
                State::Xz(decoder) => decoder.read(buffer),
                State::Bzip2(decoder) => decoder.read(buffer),
                State::Lz4(decoder) => decoder.read(buffer),
                State::Ended => return Ok(0),
                State::Failed => Err(io::Error::new(ErrorKind::InvalidData, "damaged before")),
            };
            match result {
                Ok(0) => {}
                Ok(len) => return Ok(len),
                Err(error) => return Err(self.failed(error)),
            }
            self.turn()?;
        }
    }
}

/// What zstd needs for a frame. The frames of a stream have it by turns: for small ones, making it would take ten times as
/// long as all else.
#[derive(Clone)]
struct ZstdContext(Rc<RefCell<raw::Decoder<'static>>>);

impl ZstdContext {
    /// Begins another frame, which may take `memory`.
    fn begin(&self, memory: u64) -> io::Result<()> {
        let mut decoder = self.0.borrow_mut();
        decoder.reinit()?;
        decoder.set_parameter(DParameter::WindowLogMax(window_size::zstd_log(memory)))
    }
}

impl Operation for ZstdContext {
    fn run<C: WriteBuf + ?Sized>(
        &mut self,
        input: &mut InBuffer<'_>,
        output: &mut OutBuffer<'_, C>,
    ) -> io::Result<usize> {
        self.0.borrow_mut().run(input, output)
    }

    fn reinit(&mut self) -> io::Result<()> {
        self.0.borrow_mut().reinit()
    }

    fn finish<C: WriteBuf + ?Sized>(
        &mut self,
        output: &mut OutBuffer<'_, C>,
        finished_frame: bool,
    ) -> io::Result<usize> {
        self.0.borrow_mut().finish(output, finished_frame)
    }
}

impl<R: Read> State<R> {
    /// Begins a frame that takes `memory`.
    fn begin(format: Format, source: Buffered<R>, memory: u64, zstd: &mut Option<ZstdContext>) -> io::Result<Self> {
        Ok(match format {
            Format::Gzip => Self::Gzip(UpToDamage::new(Gzip::new(source))),
            Format::Zstd => {
                let context = match zstd {
                    Some(context) => context,
                    None => zstd.insert(ZstdContext(Rc::new(RefCell::new(raw::Decoder::new()?)))),
                };
                context.begin(memory)?;
                let mut decoder = zio::Reader::new(source, context.clone());
                decoder.set_single_frame();
                Self::Zstd(InPieces::new(decoder))
            }
            Format::Xz => {
                let stream = liblzma::stream::Stream::new_stream_decoder(memory, 0).map_err(io::Error::other)?;
                Self::Xz(UpToDamage::new(liblzma::bufread::XzDecoder::new_stream(source, stream)))
            }
            Format::Lzma | Format::Lzip => {
                let stream = match format {
                    Format::Lzma => liblzma::stream::Stream::new_lzma_decoder(memory),
                    _ => liblzma::stream::Stream::new_lzip_decoder(memory, 0),
                };
                let stream = stream.map_err(io::Error::other)?;
                Self::Xz(UpToDamage::new(liblzma::bufread::XzDecoder::new_stream(source, stream)))
            }
            Format::Bzip2 => Self::Bzip2(Bzip2::new(source)),
            Format::Lz4 => Self::Lz4(Box::new(Lz4::new(source)?)),
            _ => return Err(Error::Damaged("no compression").into()),
        })
    }

    /// The source behind a frame that has ended.
    fn end(self) -> io::Result<Option<Buffered<R>>> {
        Ok(Some(match self {
            Self::Gzip(decoder) => decoder.into_inner().into_inner(),
            Self::Zstd(decoder) => {
                let mut decoder = decoder.into_inner();
                // After an error there may be no end to find.
                let _ = decoder.finish_frame();
                decoder.into_inner()
            }
            Self::Xz(decoder) => decoder.into_inner().into_inner(),
            Self::Bzip2(decoder) => decoder.into_inner(),
            Self::Lz4(decoder) => decoder.end()?,
            Self::Ended | Self::Failed => return Ok(None),
        }))
    }
}
