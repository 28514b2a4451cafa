//! What stands behind first bytes that belong neither to an archive nor to text: behind a program, the archive that it
//! unpacks; or a zip, with anything in front of it.
//!
//! Owns how far to search, and what is reported of a program with nothing behind it. What an archive is, the containers know.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use crate::archive::buffered::Buffered;
use crate::archive::format::{Format, HEAD_LEN};
use crate::archive::opening::{Input, Level, Opening};
use crate::archive::seekable::Seekable;
use crate::archive::{Unsupported, seven, zip};

impl Opening<'_, '_> {
    /// Checks whether an archive stands behind bytes that are not text. A long input is spooled for that only if it is
    /// a program, which may unpack itself.
    pub(crate) fn doubtful(&mut self, input: &mut Input<'_>, level: Level) -> ControlFlow<()> {
        let head = input.head(HEAD_LEN);
        let (is_program, is_machine_code) = (Format::is_program(head), Format::is_machine_code(head));
        let mut start = Vec::new();
        let result = input.take(Seekable::SMALL as u64).read_to_end(&mut start);
        let is_long = start.len() == Seekable::SMALL;
        let whole = match result {
            Ok(_) if is_long && is_program => {
                match Seekable::spool(&mut start.as_slice().chain(&mut *input), self.opener.limits.spool) {
                    Ok((whole, None)) => whole,
                    Ok((_, Some(error))) | Err(error) => return self.failed(error),
                }
            }
            Ok(_) if !is_long => Seekable::memory(start),
            // A long input that is no program, or one that fails, is read as it stands: bytes before an error count,
            // whatever they are.
            result => {
                let rest = Late { error: result.err(), rest: input };
                let bytes = Box::new(io::Cursor::new(start).chain(rest)) as Box<dyn Read + '_>;
                return self.told_stream(Format::Plain, Buffered::new(bytes), level);
            }
        };
        let format = behind(&whole, is_machine_code);
        if matches!(format, Format::Zip | Format::SevenZip) {
            return self.seekable(format, &whole, level);
        }
        let bytes = Box::new(whole.span(0, whole.len())) as Box<dyn Read + '_>;
        self.told_stream(format, Buffered::new(bytes), level)
    }
}

/// True for a file that may hold an archive, though its first bytes are not those of one: a program, which an archive
/// may follow and which is no game record otherwise; and anything that a zip archive follows, such as the last file of
/// a zip in several files.
pub fn is_behind(path: &Path, head: &[u8]) -> bool {
    let is_there = || File::open(path).is_ok_and(|mut file| !behind_file(&mut file, head).is_plain());
    Format::is_doubtful(head) && (Format::is_machine_code(head) || is_there())
}

/// Checks what stands behind the first bytes of a file, and returns to the place after them.
pub(crate) fn behind_file(file: &mut File, head: &[u8]) -> Format {
    let whole = file.try_clone().and_then(Seekable::alone);
    let format = whole.map_or(Format::Plain, |whole| behind(&whole, Format::is_machine_code(head)));
    // Reading on will fail if this does.
    let _ = file.seek(SeekFrom::Start(head.len() as u64));
    format
}

/// What stands behind bytes that are not text.
fn behind(whole: &Seekable<'_>, is_machine_code: bool) -> Format {
    if zip::is_behind(whole) {
        Format::Zip
    } else if seven::behind_program(whole).is_some() {
        Format::SevenZip
    } else if is_machine_code {
        Format::Unsupported(Unsupported::Program)
    } else {
        Format::Plain
    }
}

/// An error that occurred when bytes were looked at in advance, and the input after it.
struct Late<R> {
    error: Option<io::Error>,
    rest: R,
}

impl<R: Read> Read for Late<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.error.take().map_or_else(|| self.rest.read(buffer), Err)
    }
}
