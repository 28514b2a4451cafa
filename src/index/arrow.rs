//! Arrow columns, as Parquet and as Arrow's own files.
//!
//! Owns the types of the columns, and how many rows form a batch.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::index::details::{self, Details};
use crate::index::{Error, Sink, SyncWrite};
use crate::record::{Cell, Column, Row, Wants};

/// The most rows in a batch.
const ROWS: usize = 8192;

/// A batch is complete once its texts and details take this many bytes.
const BYTES: usize = 8 << 20;

/// A row group of a Parquet file is written once it takes this many bytes.
const GROUP: usize = 48 << 20;

/// Rows as a Parquet file, compressed with Zstandard: one row for each game, with the [columns](Column) of `sgf list`.
///
/// Texts are strings, counts and levels are 64-bit integers, and `komi`, `margin` and `time` are doubles. `size` is a string,
/// `19` or `19:13`, because a column has one type ([`Ndjson`](crate::index::Ndjson) and SQLite have a number for a square
/// board). With [details](Details) there are lists: `move_list` of strings (`B[pd]`), `setup_list` of strings as in
/// [`Ndjson`](crate::index::Ndjson), `position_list` of 64-bit integers, `comment_list` of strings, and `comment_nodes` of the
/// numbers of their nodes. Memory is bounded whatever the number of games.
///
/// Rows are kept by [`finish`](Sink::finish) alone: a Parquet file can't be read without its footer, and the rows of the last
/// row group are in memory until then. [`commit`](Sink::commit) only makes sure of what was written of the file so far.
#[derive(Debug)]
pub struct Parquet<W: Write + Send> {
    rows: Builder,
    writer: ArrowWriter<Shared<W>>,
    out: Shared<W>,
    is_finished: bool,
}

/// The library does not give back the writer of a file that is finished.
#[derive(Debug)]
struct Shared<W>(Arc<Mutex<W>>);

impl<W> Shared<W> {
    fn get(&self) -> MutexGuard<'_, W> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write> Write for Shared<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.get().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.get().flush()
    }
}

/// Rows as an Arrow file (IPC, with a footer), with the same columns as [`Parquet`].
///
/// [`commit`](Sink::commit) writes all rows so far, as a batch of its own, and makes sure of them, in a file even on the disk.
/// Before [`finish`](Sink::finish) has written the footer, only readers of the streaming format can read them, from byte 8.
pub struct Arrow<W: Write> {
    rows: Builder,
    writer: arrow_ipc::writer::FileWriter<W>,
}

impl<W: SyncWrite + Send> Parquet<W> {
    /// With all columns, and these details.
    ///
    /// # Errors
    ///
    /// The beginning of the file can't be written.
    pub fn new(out: W, details: Details) -> Result<Self, Error> {
        let rows = Builder::new(details);
        let level = ZstdLevel::try_new(3).map_err(parquet)?;
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let out = Arc::new(Mutex::new(out));
        let shared = Shared(Arc::clone(&out));
        let writer = ArrowWriter::try_new(shared, Arc::clone(&rows.schema), Some(properties)).map_err(parquet)?;
        Ok(Self { rows, writer, out: Shared(out), is_finished: false })
    }

    /// The writer, with the whole file: what is still missing at its end is written first.
    ///
    /// # Errors
    ///
    /// The rest of the file can't be written.
    pub fn into_inner(mut self) -> Result<W, Error> {
        if !self.is_finished {
            self.finish()?;
        }
        drop(self.writer);
        let out = Arc::into_inner(self.out.0).and_then(|out| out.into_inner().ok());
        out.ok_or_else(|| Error::Io(io::Error::other("the writer is lost")))
    }

    fn write(&mut self) -> Result<(), Error> {
        if let Some(batch) = self.rows.take()? {
            self.writer.write(&batch).map_err(parquet)?;
            if self.writer.memory_size() > GROUP {
                self.writer.flush().map_err(parquet)?;
            }
        }
        Ok(())
    }
}

impl<W: SyncWrite> Arrow<W> {
    /// With all columns, and these details. Batches are written in many small pieces, so give it a
    /// [`BufWriter`](std::io::BufWriter).
    ///
    /// # Errors
    ///
    /// The beginning of the file can't be written.
    pub fn new(out: W, details: Details) -> Result<Self, Error> {
        let rows = Builder::new(details);
        let writer = arrow_ipc::writer::FileWriter::try_new(out, &rows.schema).map_err(arrow)?;
        Ok(Self { rows, writer })
    }

    /// The writer, with the whole file: what is still missing at its end is written first.
    ///
    /// # Errors
    ///
    /// The rest of the file can't be written.
    pub fn into_inner(mut self) -> Result<W, Error> {
        self.write()?;
        self.writer.into_inner().map_err(arrow)
    }

    fn write(&mut self) -> Result<(), Error> {
        match self.rows.take()? {
            Some(batch) => self.writer.write(&batch).map_err(arrow),
            None => Ok(()),
        }
    }
}

impl<W: SyncWrite + Send> Sink for Parquet<W> {
    fn wants(&self) -> Wants {
        self.rows.wants()
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.rows.push(row);
        if self.rows.is_full() { self.write() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), Error> {
        Ok(self.out.get().sync()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.write()?;
        self.writer.finish().map_err(parquet)?;
        self.is_finished = true;
        self.commit()
    }
}

impl<W: SyncWrite> Sink for Arrow<W> {
    fn wants(&self) -> Wants {
        self.rows.wants()
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.rows.push(row);
        if self.rows.is_full() { self.write() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.write()?;
        Ok(self.writer.get_mut().sync()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.write()?;
        self.writer.finish().map_err(arrow)?;
        Ok(self.writer.get_mut().sync()?)
    }
}

impl<W: Write> fmt::Debug for Arrow<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrow").field("rows", &self.rows).finish_non_exhaustive()
    }
}

fn parquet(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => error.downcast().map_or_else(Error::Sink, |error| Error::Io(*error)),
        error => Error::sink(error),
    }
}

fn arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => Error::Io(error),
        error => Error::sink(error),
    }
}

/// Collects rows into batches.
#[derive(Debug)]
struct Builder {
    schema: SchemaRef,
    details: Details,
    columns: Vec<Cells>,
    moves: ListBuilder<StringBuilder>,
    setup: ListBuilder<StringBuilder>,
    positions: ListBuilder<Int64Builder>,
    comments: ListBuilder<StringBuilder>,
    nodes: ListBuilder<Int64Builder>,
    rows: usize,
    bytes: usize,
}

#[derive(Debug)]
enum Cells {
    Texts(StringBuilder),
    Counts(Int64Builder),
    Numbers(Float64Builder),
}

impl Builder {
    fn new(details: Details) -> Self {
        let cells: Vec<_> = Column::OF_TABLE.iter().map(|&column| Cells::of(column)).collect();
        let mut fields: Vec<_> = Column::OF_TABLE
            .iter()
            .zip(&cells)
            .map(|(column, cells)| Field::new(column.name(), cells.data_type(), true))
            .collect();
        let list = |name: &str, item| Field::new_list(name, Field::new_list_field(item, true), false);
        if details.moves {
            fields.push(list("move_list", DataType::Utf8));
            fields.push(list("setup_list", DataType::Utf8));
        }
        if details.positions > 0 {
            fields.push(list("position_list", DataType::Int64));
        }
        if details.comments {
            fields.push(list("comment_list", DataType::Utf8));
            fields.push(list("comment_nodes", DataType::Int64));
        }
        Self {
            schema: Arc::new(Schema::new(fields)),
            details,
            columns: cells,
            moves: ListBuilder::new(StringBuilder::new()),
            setup: ListBuilder::new(StringBuilder::new()),
            positions: ListBuilder::new(Int64Builder::new()),
            comments: ListBuilder::new(StringBuilder::new()),
            nodes: ListBuilder::new(Int64Builder::new()),
            rows: 0,
            bytes: 0,
        }
    }

    fn wants(&self) -> Wants {
        Wants { main_line: true, counts: true, ..Wants::HEADER } | self.details.wants()
    }

    fn push(&mut self, row: &Row<'_>) {
        let cells = row.cells();
        for (&column, array) in Column::OF_TABLE.iter().zip(&mut self.columns) {
            self.bytes += array.push(&cells.cell(column));
        }
        if self.details.moves {
            let mut text = String::new();
            for (color, point) in details::moves(row.record) {
                self.bytes += point.len() + 3;
                text.clear();
                text.extend([&*color, "[", &*point, "]"]);
                self.moves.values().append_value(&text);
            }
            self.moves.append(true);
            for text in details::setup_texts(row.record) {
                self.bytes += text.len();
                self.setup.values().append_value(text);
            }
            self.setup.append(true);
        }
        if self.details.positions > 0 {
            for (_, hash) in details::positions(row.record, self.details.positions) {
                self.bytes += size_of_val(&hash);
                self.positions.values().append_value(hash.cast_signed());
            }
            self.positions.append(true);
        }
        if self.details.comments {
            for (node, _, text) in details::comments(row.record) {
                self.bytes += text.len() + size_of_val(&node);
                self.comments.values().append_value(text);
                self.nodes.values().append_value(node.cast_signed());
            }
            self.comments.append(true);
            self.nodes.append(true);
        }
        self.rows += 1;
    }

    const fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= BYTES
    }

    /// The rows collected so far, if there are any.
    fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(None);
        }
        self.bytes = 0;
        let mut arrays: Vec<ArrayRef> = self.columns.iter_mut().map(Cells::finish).collect();
        if self.details.moves {
            arrays.push(Arc::new(self.moves.finish()));
            arrays.push(Arc::new(self.setup.finish()));
        }
        if self.details.positions > 0 {
            arrays.push(Arc::new(self.positions.finish()));
        }
        if self.details.comments {
            arrays.push(Arc::new(self.comments.finish()));
            arrays.push(Arc::new(self.nodes.finish()));
        }
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map(Some).map_err(arrow)
    }
}

impl Cells {
    fn of(column: Column) -> Self {
        use crate::record::ColumnKind;
        match column.kind() {
            ColumnKind::Text | ColumnKind::Size | ColumnKind::Result => Self::Texts(StringBuilder::new()),
            ColumnKind::Count | ColumnKind::Integer => Self::Counts(Int64Builder::new()),
            ColumnKind::Number => Self::Numbers(Float64Builder::new()),
        }
    }

    const fn data_type(&self) -> DataType {
        match self {
            Self::Texts(_) => DataType::Utf8,
            Self::Counts(_) => DataType::Int64,
            Self::Numbers(_) => DataType::Float64,
        }
    }

    /// Adds a cell, and returns how many bytes it takes.
    fn push(&mut self, cell: &Cell<'_>) -> usize {
        match (self, cell) {
            (Self::Texts(texts), Cell::Null) => texts.append_null(),
            (Self::Texts(texts), Cell::Text(text)) => {
                texts.append_value(text);
                return text.len() + size_of::<i32>();
            }
            (Self::Texts(texts), cell) => texts.append_value(cell.to_string()),
            (Self::Counts(counts), Cell::Count(count)) => counts.append_option(i64::try_from(*count).ok()),
            (Self::Counts(counts), Cell::Integer(number)) => counts.append_value(*number),
            (Self::Counts(counts), _) => counts.append_null(),
            (Self::Numbers(numbers), Cell::Number(number)) => numbers.append_value(*number),
            (Self::Numbers(numbers), _) => numbers.append_null(),
        }
        size_of::<u64>()
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Texts(texts) => Arc::new(texts.finish()),
            Self::Counts(counts) => Arc::new(counts.finish()),
            Self::Numbers(numbers) => Arc::new(numbers.finish()),
        }
    }
}
