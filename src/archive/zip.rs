//! zip: entries in the order of the table at its end, each for itself.
//!
//! Owns the methods of compression, and what is said of an entry that can't be read: the next one may be fine. The table
//! is read as it is needed and never held whole. What becomes of a zip without that table is for `salvage`.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use rawzip::{CompressionMethod, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ReaderAt, ZipArchiveEntryWayfinder, ZipLocator};

use crate::archive::checked::{Checked, UpToDamage};
use crate::archive::limits::Metered;
use crate::archive::opener::Opening;
use crate::archive::picks::Pick;
use crate::archive::seekable::Seekable;
use crate::archive::{Error, Skip, Trouble};

type Archive<'a, 'o> = rawzip::ZipArchive<&'a Seekable<'o>>;

/// What is known of an entry from the table.
struct Entry {
    name: Vec<u8>,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    crc: u32,
    is_encrypted: bool,
}

impl Opening<'_, '_> {
    /// Reads a zip archive.
    pub(crate) fn zip(&mut self, source: &Seekable<'_>, depth: usize, pick: Pick) -> ControlFlow<()> {
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE.max(256 << 10)];
        let archive: Archive<'_, '_> = match ZipLocator::new().locate_in_reader(source, &mut buffer, source.len()) {
            Ok(archive) => archive,
            Err((_, error)) => {
                self.salvage(source, depth, pick)?;
                return self.failed(described(error, source));
            }
        };
        if has_more_before(source, archive.eocd_offset()) {
            // All begins with an entry, so this is the table of an archive that is stored in this one.
            self.salvage(source, depth, pick)?;
            return self.failed(source.cut_off());
        }
        let mut entries = archive.entries(&mut buffer);
        let mut count = 0;
        loop {
            let entry = match entries.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(error) => return self.failed(described(error, source)),
            };
            count += 1;
            self.add_member()?;
            let name = entry.file_path();
            let pick = self.opener.picks.pick(name.as_bytes(), pick);
            if entry.is_dir() {
                continue;
            }
            if entry.mode().is_symlink() {
                self.skipped(name.as_bytes(), Skip::Kind);
                continue;
            }
            if pick == Pick::Leave {
                self.not_picked(name.as_bytes());
                continue;
            }
            let entry = Entry {
                name: name.as_bytes().to_vec(),
                place: entry.wayfinder(),
                method: entry.compression_method(),
                crc: entry.crc32(),
                is_encrypted: entry.flags().is_encrypted(),
            };
            self.zip_entry(&archive, &entry, depth, pick)?;
        }
        // With 65,536 entries and more, old programs wrote what is left of the number.
        if count & 0xFFFF != archive.entries_hint() & 0xFFFF {
            self.failed(Error::Damaged("there are not as many entries as it says"))?;
        }
        match source.len().saturating_sub(archive.end_offset()) {
            0 => ControlFlow::Continue(()),
            after => self.trouble(Trouble::BytesAfterEnd(after)),
        }
    }

    fn zip_entry(&mut self, archive: &Archive<'_, '_>, entry: &Entry, depth: usize, pick: Pick) -> ControlFlow<()> {
        match self.zip_reader(archive, entry) {
            Ok(mut bytes) => self.entry(&entry.name, &mut bytes, depth, pick),
            Err(error) => {
                let parent = self.name.push(&entry.name);
                let flow = self.failed(error);
                self.name.pop(parent);
                flow
            }
        }
    }

    fn zip_reader<'a>(&self, archive: &'a Archive<'_, '_>, entry: &Entry) -> Result<impl Read + 'a, Error> {
        if entry.is_encrypted {
            return Err(Error::Encrypted);
        }
        let found = archive.get_entry(entry.place).map_err(|error| described(error, archive.get_ref()))?;
        let packed = BufReader::with_capacity(64 << 10, found.reader());
        let unpacked = unpacker(entry.method, packed, self.meter.limits().window)?;
        // What is only stored was counted before.
        let unpacked: Box<dyn Read + 'a> = match entry.method {
            CompressionMethod::STORE => unpacked,
            _ => Box::new(Metered::new(unpacked, Rc::clone(&self.meter))),
        };
        Ok(Checked::new(unpacked, entry.place.uncompressed_size_hint(), Some(entry.crc)))
    }
}

/// True where a table is further from the beginning than its end says that it is.
fn has_more_before(source: &Seekable<'_>, end: u64) -> bool {
    let mut sizes = [0; 8];
    if source.read_exact_at(&mut sizes, end + 12).is_err() {
        return false;
    }
    let [len, offset] = [0, 4].map(|at| u32::from_le_bytes([sizes[at], sizes[at + 1], sizes[at + 2], sizes[at + 3]]));
    // Where these do not fit they stand elsewhere, and the archive is too long for being stored in another by chance.
    len != u32::MAX && offset != u32::MAX && u64::from(len) + u64::from(offset) < end
}

/// What an entry holds, unpacked.
pub(crate) fn unpacker<'a>(
    method: CompressionMethod,
    packed: impl BufRead + 'a,
    window: u64,
) -> Result<Box<dyn Read + 'a>, Error> {
    Ok(match method {
        CompressionMethod::STORE => Box::new(packed),
        CompressionMethod::DEFLATE => Box::new(UpToDamage::new(flate2::bufread::DeflateDecoder::new(packed))),
        CompressionMethod::DEFLATE64 => Box::new(deflate64::Deflate64Decoder::with_buffer(packed)),
        CompressionMethod::BZIP2 => Box::new(UpToDamage::new(bzip2::bufread::BzDecoder::new(packed))),
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?.single_frame();
            decoder.window_log_max(window.max(1 << 10).ilog2().min(31))?;
            Box::new(decoder)
        }
        CompressionMethod::XZ => {
            let stream = liblzma::stream::Stream::new_stream_decoder(window.saturating_add(1 << 20), 0);
            let stream = stream.map_err(io::Error::other)?;
            Box::new(UpToDamage::new(liblzma::bufread::XzDecoder::new_stream(packed, stream)))
        }
        _ => return Err(Error::Unsupported("this method of compression in zip")),
    })
}

/// Why the library can't read on.
fn described(error: rawzip::Error, source: &Seekable<'_>) -> Error {
    use rawzip::ErrorKind;
    match error.into_kind() {
        ErrorKind::IO(error) if error.kind() == io::ErrorKind::UnexpectedEof => source.cut_off(),
        ErrorKind::IO(error) => error.into(),
        ErrorKind::Eof | ErrorKind::MissingEndOfCentralDirectory => source.cut_off(),
        error => io::Error::new(io::ErrorKind::InvalidData, error.to_string()).into(),
    }
}
