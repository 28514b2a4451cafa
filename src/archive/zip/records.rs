//! The records that a zip consists of: by what they are known, and where the next one is.
//!
//! Owns what may follow an entry, and so whether one ends where it should. Refuses to know what is in an entry, except that
//! an archive has such records of its own.

use std::io;

use memchr::memmem;
use rawzip::ReaderAt;
use rawzip::extra_fields::{ExtraFieldId, ExtraFields};

use crate::archive::format::{Format, HEAD_LEN};
use crate::archive::seekable::Seekable;

/// The signature of a header in front of an entry.
pub(crate) const HEADER: &[u8] = b"PK\x03\x04";

/// The signature of what may follow an entry: its checksum and sizes.
pub(crate) const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// The signatures of an entry of the table of contents, and of the table's end.
pub(crate) const TABLE: [&[u8]; 2] = [b"PK\x01\x02", b"PK\x05\x06"];

/// The length of the record at the end, without a comment.
pub(crate) const END_LEN: u64 = 22;

/// The length of a header before the name.
pub(crate) const FIXED_LEN: usize = 30;

/// What a header says before the name.
pub(crate) struct Fixed {
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) unpacked: u32,
    pub(crate) name_len: u64,
    pub(crate) extra_len: u64,
}

impl Fixed {
    pub(crate) fn of(bytes: &[u8; FIXED_LEN]) -> Self {
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Self {
            flags: short(6),
            method: short(8),
            crc: long(14),
            packed: long(18),
            unpacked: long(22),
            name_len: short(26).into(),
            extra_len: short(28).into(),
        }
    }

    pub(crate) fn read(source: &Seekable<'_>, at: u64) -> io::Result<Self> {
        let mut bytes = [0; FIXED_LEN];
        source.read_exact_at(&mut bytes, at)?;
        Ok(Self::of(&bytes))
    }

    /// Whether the checksum and the sizes come only after the entry.
    pub(crate) fn has_descriptor(&self) -> bool {
        self.flags & 8 != 0
    }
}

/// Whether an entry ends there: something follows that may follow one. Checksum and sizes do only if its header says so.
pub(crate) fn is_sound_end(source: &Seekable<'_>, end: u64, has_descriptor: bool) -> bool {
    let mut bytes = [0; 24];
    let len = source.read_at(&mut bytes, end).unwrap_or(0);
    let is_next = |at: usize| {
        let next = bytes[..len].get(at..).unwrap_or_default();
        next.starts_with(HEADER) || TABLE.iter().any(|signature| next.starts_with(signature))
    };
    // Behind checksum and sizes that have no signature.
    bytes[..len].starts_with(DESCRIPTOR) || is_next(0) || has_descriptor && [12, 20].into_iter().any(is_next)
}

/// Where a stored entry ends whose bytes begin at `start` and should end at `end`: if nothing is there that may follow an
/// entry, bytes of it may be missing, and it ends where the next header stands, searched for from `from` on. An archive has
/// headers in it; a zip ends behind its own end record, if an entry may end there. Of what should be text (`is_text`) no header
/// is a part, whatever follows it.
pub(crate) fn end_of_stored(
    search: &mut Search<'_, '_>,
    from: u64,
    start: u64,
    end: u64,
    is_text: bool,
) -> io::Result<u64> {
    let is_sound = is_sound_end(search.source, end, true);
    if is_sound && !is_text {
        return Ok(end);
    }
    if !is_archive(search.source, start, end) {
        return Ok(search.find(HEADER, from, end)?.unwrap_or(end));
    }
    if is_sound {
        return Ok(end);
    }
    let mut at = start;
    while let Some(found) = search.find(TABLE[1], at, end)? {
        let behind = found + END_LEN;
        if behind < end && is_sound_end(search.source, behind, true) {
            return Ok(behind);
        }
        at = found + TABLE[1].len() as u64;
    }
    Ok(end)
}

/// Whether these bytes begin as an archive does, or as a program behind which one may stand.
fn is_archive(source: &Seekable<'_>, start: u64, end: u64) -> bool {
    let mut head = [0; HEAD_LEN];
    let most = usize::try_from(end.saturating_sub(start)).unwrap_or(HEAD_LEN).min(HEAD_LEN);
    let len = source.read_at(&mut head[..most], start).unwrap_or(0);
    !Format::detect(&head[..len]).is_plain() || Format::is_program(&head[..len])
}

/// The name in UTF-8 that some programs write beside one in the charset of a country, if it was made for it.
pub(crate) fn name_in_utf8<'e>(mut extra: ExtraFields<'e>, name: &[u8]) -> Option<&'e [u8]> {
    let (_, field) = extra.find(|(id, _)| *id == ExtraFieldId::INFO_ZIP_UNICODE_PATH)?;
    let (version_and_crc, utf8) = field.split_first_chunk::<5>()?;
    let [1, crc @ ..] = *version_and_crc else { return None };
    let is_its = rawzip::crc32(name) == u32::from_le_bytes(crc);
    (is_its && !utf8.is_empty() && str::from_utf8(utf8).is_ok()).then_some(utf8)
}

/// Finds signatures, further and further on.
pub(crate) struct Search<'s, 'o> {
    pub(crate) source: &'s Seekable<'o>,
    /// The bytes that were read last, so that many signatures in them cost one read.
    bytes: Vec<u8>,
    /// Where they begin.
    start: u64,
}

impl<'s, 'o> Search<'s, 'o> {
    const PIECE: usize = 64 << 10;

    pub(crate) fn new(source: &'s Seekable<'o>) -> Self {
        Self { source, bytes: Vec::new(), start: 0 }
    }

    /// Where a signature occurs next, from `from` on and before `end`.
    pub(crate) fn find(&mut self, signature: &[u8], mut from: u64, end: u64) -> io::Result<Option<u64>> {
        let finder = memmem::Finder::new(signature);
        let overlap = signature.len() - 1;
        if !(self.start..self.start + self.bytes.len() as u64).contains(&from) {
            self.read(from)?;
        }
        while from < end {
            let rest = &self.bytes[(from - self.start) as usize..];
            let most = usize::try_from(end - from).unwrap_or(usize::MAX).saturating_add(overlap);
            if let Some(found) = finder.find(&rest[..rest.len().min(most)]) {
                return Ok(Some(from + found as u64));
            }
            if most <= rest.len() || self.bytes.len() < Self::PIECE {
                break;
            }
            from += rest.len().saturating_sub(overlap) as u64;
            self.read(from)?;
        }
        Ok(None)
    }

    fn read(&mut self, start: u64) -> io::Result<()> {
        self.start = start;
        self.bytes.resize(Self::PIECE, 0);
        let mut len = 0;
        while len < self.bytes.len() {
            match self.source.read_at(&mut self.bytes[len..], start + len as u64)? {
                0 => break,
                more => len += more,
            }
        }
        self.bytes.truncate(len);
        Ok(())
    }
}
