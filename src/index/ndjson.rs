//! NDJSON: one JSON object a line.
//!
//! Owns [`Ndjson`]: how details are added to the object of a row, and where a file ends that was cut off in the middle of
//! a line. Refuses to know how a row becomes an object, which [`Row`] does, and what is in a file that it appends to.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom};
use std::path::Path;

use crate::index::details::{self, Details};
use crate::index::{Error, Sink, SyncWrite};
use crate::record::{Cell, Column, Row, Wants};

/// Writes a line of JSON for each game: an object with the names of the [columns](Column) as keys, numbers as numbers,
/// and null if the game does not say. `size` is a number for a square board and a string such as `"19:13"` for others;
/// in [`Parquet`](crate::index::Parquet), where a column has one type, it is always a string.
///
/// With [details](Details) there are arrays `move_list`, of moves as in SGF (`"B[pd]"`), `setup_list`, of setup in order
/// (`"AB[dd]"`; behind a move with its number, `"12:AE[dd]"`), `position_list`, of hashes, and `comment_list`, of objects with
/// a `node`, a `property` (C or GC) and a `text`. A hash is a string of 16 hexadecimal digits, as in `main_line`: many readers
/// of JSON, jq and JavaScript among them, round whole numbers beyond 2^53.
///
/// [`commit`](Sink::commit) makes sure that whole lines are kept, in a file even on the disk. If the process is killed,
/// part of what was not committed may be there; [`append`](Self::append) removes half a line.
#[derive(Debug)]
pub struct Ndjson<W> {
    columns: Vec<Column>,
    details: Details,
    out: W,
    /// The buffer in which a line is made.
    line: Vec<u8>,
}

impl<W: SyncWrite> Ndjson<W> {
    /// With all columns that are known from headers. Lines are written one by one, so give it a [`BufWriter`].
    pub fn new(out: W) -> Self {
        Self { columns: Column::of_header().collect(), details: Details::default(), out, line: Vec::new() }
    }

    /// With these columns instead.
    #[must_use]
    pub fn columns(mut self, columns: impl IntoIterator<Item = Column>) -> Self {
        self.columns = columns.into_iter().collect();
        self
    }

    /// With these details.
    #[must_use]
    pub fn details(mut self, details: Details) -> Self {
        self.details = details;
        self
    }

    /// The writer.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Adds details to the object at the end of the line.
    fn details_of(&mut self, row: &Row<'_>) {
        let line = &mut self.line;
        if self.details.moves {
            let moves = details::moves(row.record);
            let mut text = String::new();
            array(line, "move_list", moves, |(color, point), line| {
                text.clear();
                text.extend([&*color, "[", &*point, "]"]);
                Cell::Text(text.as_str().into()).push_json(line);
            });
            array(line, "setup_list", details::setup_texts(row.record), |setup, line| {
                Cell::Text(setup.into()).push_json(line);
            });
        }
        if self.details.positions > 0 {
            let hashes = details::positions(row.record, self.details.positions);
            array(line, "position_list", hashes, |(_, hash), line| {
                line.extend_from_slice(format!("\"{hash:016x}\"").as_bytes());
            });
        }
        if self.details.comments {
            array(line, "comment_list", details::comments(row.record), |(node, property, text), line| {
                line.extend_from_slice(format!(r#"{{"node":{node},"property":"{property}","text":"#).as_bytes());
                Cell::Text(text).push_json(line);
                line.push(b'}');
            });
        }
    }
}

/// Adds an array to the object at the end of the line.
fn array<T>(line: &mut Vec<u8>, name: &str, items: impl Iterator<Item = T>, mut push: impl FnMut(T, &mut Vec<u8>)) {
    line.pop();
    line.extend_from_slice(if line.ends_with(b"{") { b"\"" } else { b",\"" });
    line.extend_from_slice(name.as_bytes());
    line.extend_from_slice(b"\":[");
    for (place, item) in items.enumerate() {
        if place > 0 {
            line.push(b',');
        }
        push(item, line);
    }
    line.extend_from_slice(b"]}");
}

impl Ndjson<BufWriter<File>> {
    /// Appends to a file, which is created if it does not exist. If it does not end with a line end, because a process
    /// was killed while writing, it is cut back to the last one.
    ///
    /// # Errors
    ///
    /// The file can't be read or written to.
    pub fn append(path: &Path) -> io::Result<Self> {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let end = end_of_lines(&mut file)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Self::new(BufWriter::with_capacity(64 << 10, file)))
    }
}

/// Where the last line ends.
fn end_of_lines(file: &mut File) -> io::Result<u64> {
    let mut buffer = [0; 4096];
    let mut end = file.seek(SeekFrom::End(0))?;
    while end > 0 {
        let start = end.saturating_sub(buffer.len() as u64);
        let piece = &mut buffer[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(piece)?;
        if let Some(at) = memchr::memrchr(b'\n', piece) {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

impl<W: SyncWrite> Sink for Ndjson<W> {
    fn wants(&self) -> Wants {
        self.columns.iter().fold(self.details.wants(), |wants, column| wants | column.wants())
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.line.clear();
        row.push_json(&self.columns, &mut self.line);
        self.details_of(row);
        self.line.push(b'\n');
        Ok(self.out.write_all(&self.line)?)
    }

    fn commit(&mut self) -> Result<(), Error> {
        Ok(self.out.sync()?)
    }
}
