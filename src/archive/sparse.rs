//! Sparse files in tar, in the pax form: the data that exists lies together, and a list says where each piece belongs.
//!
//! Owns the three ways in which GNU tar writes that list: two in the headers, one in front of the data. The holes are
//! zeros. A list is bounded, and one that makes no sense is an error before the first byte. The older way, with an
//! entry type of its own, is left to the library, which delivers the data of such files as it lies.

use std::io::{self, Read};
use std::vec;

use crate::archive::Error;

/// What the headers of an entry say about its sparse data.
#[derive(Default)]
pub(crate) struct Sparse {
    /// The name of the file; that of its entry may be made up.
    pub(crate) name: Option<Vec<u8>>,
    len: u64,
    /// Where each piece begins and its length, alternating.
    list: Vec<u64>,
    /// The list stands in front of the bytes.
    is_in_front: bool,
}

/// The error for a list that can't be right.
const NO_LIST: Error = Error::Damaged("the list of what is there of a sparse file makes no sense");

impl Sparse {
    /// `None` if the entry is not sparse.
    pub(crate) fn of(extensions: tar::PaxExtensions<'_>) -> Option<Self> {
        let mut sparse: Option<Self> = None;
        for extension in extensions.flatten() {
            let Some(key) = extension.key_bytes().strip_prefix(b"GNU.sparse.") else { continue };
            let sparse = sparse.get_or_insert_default();
            let value = extension.value_bytes();
            match key {
                b"name" => sparse.name = Some(value.to_vec()),
                b"major" => sparse.is_in_front = value != b"0",
                // A right list contains only numbers.
                b"size" | b"realsize" => sparse.len = number(value).unwrap_or(0),
                b"offset" | b"numbytes" => sparse.list.push(number(value).unwrap_or(u64::MAX)),
                b"map" => {
                    sparse.list = value.split(|&byte| byte == b',').map(|it| number(it).unwrap_or(u64::MAX)).collect();
                }
                _ => {}
            }
        }
        sparse
    }

    /// The whole file, from the data that exists.
    pub(crate) fn whole<R: Read>(self, mut source: R) -> Result<Whole<R>, Error> {
        let list = if self.is_in_front { list_in_front(&mut source)? } else { self.list };
        let mut pieces = Vec::with_capacity(list.len() / 2);
        let mut before = 0;
        for pair in list.chunks(2) {
            let &[start, len] = pair else { return Err(NO_LIST) };
            let end = start.checked_add(len).filter(|&end| before <= start && end <= self.len).ok_or(NO_LIST)?;
            pieces.push((start, end));
            before = end;
        }
        Ok(Whole { source, pieces: pieces.into_iter(), piece: (0, 0), at: 0, len: self.len })
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Reads a list: a line for the number of pieces, and two for each piece; zeros up to the next block.
fn list_in_front(source: &mut impl Read) -> Result<Vec<u64>, Error> {
    const BLOCK: usize = 512;
    /// As much as the headers of an entry may have.
    const BLOCKS: usize = (1 << 20) / BLOCK;
    let mut block = [0; BLOCK];
    let mut line = Vec::new();
    let mut wanted = None;
    let mut list = Vec::new();
    for _ in 0..BLOCKS {
        source.read_exact(&mut block).map_err(|error| match error.kind() {
            // The entry ends within its list. Of a source that ends there, it is said in other words.
            io::ErrorKind::UnexpectedEof if error.get_ref().is_none() => NO_LIST,
            _ => error.into(),
        })?;
        for &byte in &block {
            match byte {
                b'\n' => {
                    let number = number(&line).ok_or(NO_LIST)?;
                    line.clear();
                    match wanted {
                        None => wanted = Some(number.checked_mul(2).ok_or(NO_LIST)?),
                        Some(_) => list.push(number),
                    }
                    if wanted == Some(list.len() as u64) {
                        return Ok(list);
                    }
                }
                byte => line.push(byte),
            }
        }
    }
    Err(NO_LIST)
}

/// A file with its holes.
pub(crate) struct Whole<R> {
    source: R,
    pieces: vec::IntoIter<(u64, u64)>,
    /// Where the piece begins and ends that is being read, or comes next.
    piece: (u64, u64),
    at: u64,
    len: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.1 && self.at < self.len {
            self.piece = self.pieces.next().unwrap_or((self.len, self.len));
        }
        let (start, end) = self.piece;
        let is_hole = self.at < start;
        let most = if is_hole { start } else { end } - self.at;
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..most];
        let len = if is_hole {
            buffer.fill(0);
            most
        } else {
            self.source.read(buffer)?
        };
        if len == 0 && most > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is cut off"));
        }
        self.at += len as u64;
        Ok(len)
    }
}
