//! CSV: a line for each row, with commas between the cells.
//!
//! Owns [`Csv`]: the line of names, and how details fit into cells. Invariant: a line is written whole or not at all. Refuses
//! to know how a row is written, which [`Cell`] does.

use std::io;

use crate::index::details::{self, Details};
use crate::index::{Error, Sink, SyncWrite};
use crate::record::{Cell, Column, Row, Wants};

/// Writes CSV (RFC 4180, in UTF-8): the names of the [columns](Column) in the first line, and a line for each game. A
/// cell is empty if the game does not say.
///
/// With [details](Details) there are columns `move_list`, the moves as in SGF (`;B[pd];W[dd]`), `setup_list`, as in
/// [`Ndjson`](crate::index::Ndjson) but with spaces between its texts, and `position_list`, hashes as in `Ndjson` with spaces
/// between them. Comments are not written. [`commit`](Sink::commit) makes sure that whole lines are kept, in a file even on the
/// disk.
#[derive(Debug)]
pub struct Csv<W> {
    columns: Vec<Column>,
    details: Details,
    out: W,
    /// The buffer in which a line is made.
    line: Vec<u8>,
    is_begun: bool,
}

impl<W: SyncWrite> Csv<W> {
    /// With all columns that are known from headers. Lines are written one by one, so give it a
    /// [`BufWriter`](std::io::BufWriter).
    pub fn new(out: W) -> Self {
        Self {
            columns: Column::of_header().collect(),
            details: Details::default(),
            out,
            line: Vec::new(),
            is_begun: false,
        }
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

    /// Writes the first line, once.
    fn names(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_begun, true) {
            return Ok(());
        }
        let Details { moves, positions, .. } = self.details;
        let details = [(moves, "move_list"), (moves, "setup_list"), (positions > 0, "position_list")];
        let details = details.into_iter().filter(|&(is_wanted, _)| is_wanted).map(|(_, name)| name);
        let names: Vec<_> = self.columns.iter().map(|column| column.name()).chain(details).collect();
        self.out.write_all(format!("{}\n", names.join(",")).as_bytes())
    }
}

/// The cells of the details.
fn details_of<'a>(row: &Row<'a>, wanted: Details) -> impl Iterator<Item = Cell<'a>> + use<'a> {
    let (Details { moves, positions, .. }, record) = (wanted, row.record);
    let move_list = || {
        let mut text = String::new();
        for (color, point) in details::moves(record) {
            text.extend([";", &*color, "[", &*point, "]"]);
        }
        text
    };
    let setup_list = || details::setup_texts(record).collect::<Vec<_>>().join(" ");
    let position_list = || {
        let hashes = details::positions(record, positions).map(|(_, hash)| format!("{hash:016x}"));
        hashes.collect::<Vec<_>>().join(" ")
    };
    let texts = [moves.then(move_list), moves.then(setup_list), (positions > 0).then(position_list)];
    texts.into_iter().flatten().map(|text| Cell::Text(text.into()))
}

impl<W: SyncWrite> Sink for Csv<W> {
    fn wants(&self) -> Wants {
        self.columns.iter().fold(self.details.wants(), |wants, column| wants | column.wants())
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.names()?;
        self.line.clear();
        let cells = row.cells();
        let cells = self.columns.iter().map(|&column| cells.cell(column)).chain(details_of(row, self.details));
        Cell::push_row(&mut self.line, b',', cells, |cell, line| cell.push_csv(line));
        self.line.push(b'\n');
        Ok(self.out.write_all(&self.line)?)
    }

    fn commit(&mut self) -> Result<(), Error> {
        Ok(self.out.sync()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.names()?;
        self.commit()
    }
}
