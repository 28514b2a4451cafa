//! Rows as text: CSV, TSV, JSON, or a table for people.
//!
//! Owns the formats, and that nothing in a row can control a terminal. Refuses to know what a row contains. Rows are
//! made where games are read, which is on several threads, and written where they come in order.

use std::io::{self, Write};

use clap::ValueEnum;
use sgf_stream::record::{Cell, Column, Row};

use crate::list::columns::few;
use crate::list::table::Table;
use crate::terminal::{escaped, printable};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned, for people; long texts are cut short with …
    Table,
    /// Commas, quotes where they are needed, and names in the first line
    Csv,
    /// Tabs, and names in the first line; tabs, line ends and backslashes within a text as \t, \n and \\
    Tsv,
    /// One object a line
    #[value(aliases = ["ndjson", "jsonl"])]
    Json,
}

/// Makes rows, on any thread, of games whose numbers are not known yet.
pub(crate) struct Form {
    format: Format,
    columns: Vec<Column>,
    /// The output is a terminal.
    is_seen: bool,
}

/// The place in a row where the number of the game belongs. This byte and [`GAP`] occur in no UTF-8.
const NUMBER: u8 = 0xFF;

/// What stands between the cells of a table.
const GAP: u8 = 0xFE;

impl Form {
    pub(crate) fn new(format: Format, columns: Vec<Column>, is_seen: bool) -> Self {
        Self { format, columns, is_seen }
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Appends a row.
    pub(crate) fn push(&self, row: &Row<'_>, line: &mut Vec<u8>) {
        match self.format {
            Format::Table => self.separated(row, GAP, line, |cell, line| {
                line.extend_from_slice(printable(&cell.to_string()).as_bytes());
            }),
            Format::Csv => self.separated(row, b',', line, Cell::push_csv),
            Format::Tsv => self.separated(row, b'\t', line, Cell::push_tsv),
            Format::Json => self.object(row, line),
        }
    }

    /// Writes cells with a separator directly into the line: an archive has a row of twenty of them for each kilobyte.
    #[inline]
    fn separated<'r>(&self, row: &Row<'r>, separator: u8, line: &mut Vec<u8>, write: impl Fn(&Cell<'r>, &mut Vec<u8>)) {
        let cells = row.cells();
        Cell::push_row(line, separator, &self.columns, |column, line| match cells.cell(*column) {
            _ if *column == Column::Game => line.push(NUMBER),
            Cell::Text(text) if self.is_seen => write(&Cell::Text(printable(&text).into()), line),
            cell => write(&cell, line),
        });
    }

    fn object(&self, row: &Row<'_>, line: &mut Vec<u8>) {
        let mut own = Vec::new();
        let cells = row.cells();
        row.push_json_with(&self.columns, line, |column, line| match cells.cell(column) {
            _ if column == Column::Game => line.push(NUMBER),
            cell if self.is_seen => {
                own.clear();
                cell.push_json(&mut own);
                line.extend_from_slice(escaped(&String::from_utf8_lossy(&own)).as_bytes());
            }
            cell => cell.push_json(line),
        });
    }

    /// The output that such rows belong to. If it is headed, the names of the columns come first, except in JSON.
    pub(crate) fn output<W: Write>(&self, mut out: W, is_headed: bool) -> io::Result<Rows<W>> {
        let separator = match self.format {
            Format::Table => {
                let mut table = Table::new(&self.columns, out);
                (table.are_default, table.is_headed) = (self.columns == few(), is_headed);
                return Ok(Rows::Table(table));
            }
            Format::Csv => Some(","),
            Format::Tsv => Some("\t"),
            Format::Json => None,
        };
        if let Some(separator) = separator.filter(|_| is_headed) {
            let names: Vec<_> = self.columns.iter().map(|column| column.name()).collect();
            writeln!(out, "{}", names.join(separator))?;
        }
        Ok(Rows::Lines(out))
    }
}

/// Writes rows.
pub(crate) enum Rows<W: Write> {
    Table(Table<W>),
    Lines(W),
}

impl<W: Write> Rows<W> {
    /// Writes a row that a [`Form`] has made, for the game with this number.
    pub(crate) fn write(&mut self, row: &[u8], number: u64) -> io::Result<()> {
        let mut digits = itoa::Buffer::new();
        let number = digits.format(number);
        match self {
            Self::Table(table) => {
                let cell = |cell: &[u8]| match cell {
                    [NUMBER] => number.to_owned(),
                    text => String::from_utf8_lossy(text).into_owned(),
                };
                table.row(row.split(|&byte| byte == GAP).map(cell))
            }
            Self::Lines(out) => {
                let mut rest = row;
                while let Some(at) = memchr::memchr(NUMBER, rest) {
                    out.write_all(&rest[..at])?;
                    out.write_all(number.as_bytes())?;
                    rest = &rest[at + 1..];
                }
                out.write_all(rest)?;
                out.write_all(b"\n")
            }
        }
    }

    /// Sends everything on its way that was written; more may come.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Table(table) => table.flush(),
            Self::Lines(out) => out.flush(),
        }
    }

    /// The same at the end.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Table(table) => table.finish(),
            Self::Lines(out) => out.flush(),
        }
    }
}
