//! Rows as text: CSV, TSV, JSON, or a table for people.
//!
//! Owns the formats, and that a terminal obeys nothing of what they hold. What is in a row is not its business.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use clap::ValueEnum;
use csv::{QuoteStyle, Terminator, WriterBuilder};
use sgf_stream::record::{Cell, Column, Row};

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
    line: String,
}

enum Shape<W: Write> {
    Table(Table<W>),
    Separated(Box<csv::Writer<W>>, Format),
    Json(W),
}

impl<W: Write> Rows<W> {
    pub(crate) fn new(format: Format, columns: Vec<Column>, is_seen: bool, out: W) -> io::Result<Self> {
        let shape = match format {
            Format::Table => Shape::Table(Table::new(&columns, out)),
            Format::Json => Shape::Json(out),
            Format::Csv | Format::Tsv => {
                let mut builder = WriterBuilder::new();
                builder.terminator(Terminator::Any(b'\n'));
                if format == Format::Tsv {
                    builder.delimiter(b'\t').quote_style(QuoteStyle::Never);
                }
                let mut out = builder.from_writer(out);
                out.write_record(columns.iter().map(|column| column.name()))?;
                Shape::Separated(Box::new(out), format)
            }
        };
        Ok(Self { columns, shape, is_seen, line: String::new() })
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(crate) fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        match &mut self.shape {
            Shape::Table(table) => {
                table.row(self.columns.iter().map(|&column| printable(&row.cell(column).to_string())))
            }
            Shape::Separated(out, format) => {
                for &column in &self.columns {
                    match row.cell(column) {
                        Cell::Null => out.write_field("")?,
                        Cell::Text(text) => out.write_field(&*plain(&text, *format, self.is_seen))?,
                        number => {
                            self.line.clear();
                            let _ = write!(self.line, "{number}");
                            out.write_field(&self.line)?;
                        }
                    }
                }
                Ok(out.write_record(None::<&[u8]>)?)
            }
            Shape::Json(out) => {
                self.line.clear();
                object(row, &self.columns, &mut self.line)?;
                if self.is_seen {
                    self.line = escaped(&self.line);
                }
                self.line.push('\n');
                out.write_all(self.line.as_bytes())
            }
        }
    }

    /// Everything that was written is on its way.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.shape {
            Shape::Table(table) => table.flush(),
            Shape::Separated(out, _) => out.flush(),
            Shape::Json(out) => out.flush(),
        }
    }
}

/// A text as a field. Only names of files have line ends.
fn plain(text: &str, format: Format, is_seen: bool) -> Cow<'_, str> {
    if is_seen {
        return Cow::Owned(printable(text));
    }
    match format {
        Format::Tsv if text.contains(['\t', '\n', '\r']) => {
            Cow::Owned(text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
        }
        _ => Cow::Borrowed(text),
    }
}

fn object(row: &Row<'_>, columns: &[Column], line: &mut String) -> io::Result<()> {
    let mut separator = '{';
    for &column in columns {
        line.push(separator);
        separator = ',';
        let _ = write!(line, "\"{column}\":");
        match row.cell(column) {
            Cell::Text(text) => line.push_str(&serde_json::to_string(&*text)?),
            Cell::Null => line.push_str("null"),
            number => {
                let _ = write!(line, "{number}");
            }
        }
    }
    line.push('}');
    Ok(())
}

/// JSON escapes what a terminal obeys only as far as ASCII goes.
fn escaped(line: &str) -> String {
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
