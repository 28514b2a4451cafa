//! Rows as text: CSV, TSV, JSON, or a table for people.
//!
//! Owns the formats, and that a terminal obeys nothing of what they hold. What is in a row is not its business.

use std::io::{self, Write};

use clap::ValueEnum;
use sgf_stream::record::{Cell, Column, Row};

use crate::columns::few;
use crate::stderr::printable;
use crate::table::Table;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned, for people; long texts are cut short with …
    Table,
    /// Commas, quotes where they are needed, and names in the first line
    Csv,
    /// Tabs, and names in the first line; tabs and line ends within a text as \t and \n
    Tsv,
    /// One object a line
    Json,
}

/// Writes rows.
pub(crate) struct Rows<W: Write> {
    columns: Vec<Column>,
    shape: Shape<W>,
    /// The output is a terminal.
    is_seen: bool,
    /// What the line is made in.
    line: Vec<u8>,
}

enum Shape<W: Write> {
    Table(Table<W>),
    Csv(W),
    Tsv(W),
    Json(W),
}

impl<W: Write> Rows<W> {
    pub(crate) fn new(format: Format, columns: Vec<Column>, is_seen: bool, mut out: W) -> io::Result<Self> {
        let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
        let shape = match format {
            Format::Table => Shape::Table(Table::new(&columns, columns == few(), out)),
            Format::Csv => {
                writeln!(out, "{}", names.join(","))?;
                Shape::Csv(out)
            }
            Format::Tsv => {
                writeln!(out, "{}", names.join("\t"))?;
                Shape::Tsv(out)
            }
            Format::Json => Shape::Json(out),
        };
        Ok(Self { columns, shape, is_seen, line: Vec::new() })
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(crate) fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        let Self { columns, shape, is_seen, line } = self;
        line.clear();
        let out = match shape {
            Shape::Table(table) => {
                return table.row(columns.iter().map(|&column| printable(&row.cell(column).to_string())));
            }
            Shape::Csv(out) => {
                separated(line, row, columns, b',', *is_seen, Cell::push_csv);
                if line.is_empty() {
                    // A line without anything is no row.
                    line.extend_from_slice(br#""""#);
                }
                out
            }
            Shape::Tsv(out) => {
                separated(line, row, columns, b'\t', *is_seen, Cell::push_tsv);
                out
            }
            Shape::Json(out) => {
                row.push_json(columns, line);
                if *is_seen {
                    *line = escaped(&String::from_utf8_lossy(line)).into_bytes();
                }
                out
            }
        };
        line.push(b'\n');
        out.write_all(line)
    }

    /// Everything that was written is on its way.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.shape {
            Shape::Table(table) => table.flush(),
            Shape::Csv(out) | Shape::Tsv(out) | Shape::Json(out) => out.flush(),
        }
    }
}

/// Cells with something between them, straight into the line: an archive has a row of twenty of them for each kilobyte.
#[inline]
fn separated<'a>(
    line: &mut Vec<u8>,
    row: &Row<'a>,
    columns: &[Column],
    separator: u8,
    is_seen: bool,
    write: impl Fn(&Cell<'a>, &mut Vec<u8>),
) {
    for (place, &column) in columns.iter().enumerate() {
        if place > 0 {
            line.push(separator);
        }
        match row.cell(column) {
            Cell::Text(text) if is_seen => write(&Cell::Text(printable(&text).into()), line),
            cell => write(&cell, line),
        }
    }
}

/// JSON escapes what a terminal obeys only as far as ASCII goes.
fn escaped(line: &str) -> String {
    use std::fmt::Write as _;
    let mut clean = String::with_capacity(line.len());
    for c in line.chars() {
        let mut text = [0; 4];
        if printable(c.encode_utf8(&mut text)).starts_with("\\u{") {
            let _ = write!(clean, "\\u{:04x}", u32::from(c));
        } else {
            clean.push(c);
        }
    }
    clean
}
