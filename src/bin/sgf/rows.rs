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
                separated(line, row, columns, b',', |line, text| csv_text(line, text, *is_seen));
                if line.is_empty() {
                    // A line without anything is no row.
                    line.extend_from_slice(br#""""#);
                }
                out
            }
            Shape::Tsv(out) => {
                separated(line, row, columns, b'\t', |line, text| tsv_text(line, text, *is_seen));
                out
            }
            Shape::Json(out) => {
                object(line, row, columns)?;
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
fn separated(line: &mut Vec<u8>, row: &Row<'_>, columns: &[Column], separator: u8, write: impl Fn(&mut Vec<u8>, &str)) {
    for (place, &column) in columns.iter().enumerate() {
        if place > 0 {
            line.push(separator);
        }
        match row.cell(column) {
            Cell::Text(text) => write(line, &text),
            other => plain(line, &other),
        }
    }
}

/// A cell that is no text.
fn plain(line: &mut Vec<u8>, cell: &Cell<'_>) {
    match cell {
        Cell::Count(count) => line.extend_from_slice(itoa::Buffer::new().format(*count).as_bytes()),
        Cell::Number(number) => {
            // Nearly all are whole, or a half more.
            let halves = number * 2.0;
            if halves.fract() == 0.0 && (0.0..1e15).contains(&halves) {
                let halves = halves as i64;
                line.extend_from_slice(itoa::Buffer::new().format(halves / 2).as_bytes());
                line.extend_from_slice(if halves % 2 == 1 { b".5" } else { b"" });
            } else {
                // Writing into memory does not fail.
                let _ = write!(line, "{number}");
            }
        }
        _ => {}
    }
}

/// Only names of files have line ends.
fn csv_text(line: &mut Vec<u8>, text: &str, is_seen: bool) {
    if is_seen {
        return csv_text(line, &printable(text), false);
    }
    let bytes = text.as_bytes();
    // A loop, for most are of a few bytes.
    if !bytes.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return line.extend_from_slice(bytes);
    }
    line.push(b'"');
    for piece in bytes.split_inclusive(|&byte| byte == b'"') {
        line.extend_from_slice(piece);
        if piece.ends_with(b"\"") {
            line.push(b'"');
        }
    }
    line.push(b'"');
}

fn tsv_text(line: &mut Vec<u8>, text: &str, is_seen: bool) {
    if is_seen {
        return tsv_text(line, &printable(text), false);
    }
    let bytes = text.as_bytes();
    if !bytes.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        return line.extend_from_slice(bytes);
    }
    for &byte in bytes {
        match byte {
            b'\t' => line.extend_from_slice(br"\t"),
            b'\n' => line.extend_from_slice(br"\n"),
            b'\r' => line.extend_from_slice(br"\r"),
            byte => line.push(byte),
        }
    }
}

fn object(line: &mut Vec<u8>, row: &Row<'_>, columns: &[Column]) -> io::Result<()> {
    let mut separator = b'{';
    for &column in columns {
        line.push(separator);
        separator = b',';
        line.push(b'"');
        line.extend_from_slice(column.name().as_bytes());
        line.extend_from_slice(b"\":");
        match row.cell(column) {
            Cell::Text(text) => serde_json::to_writer(&mut *line, &*text)?,
            Cell::Null => line.extend_from_slice(b"null"),
            number => plain(line, &number),
        }
    }
    line.push(b'}');
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        for (text, csv, tsv) in [
            ("plain", "plain", "plain"),
            ("", "", ""),
            ("a,b", r#""a,b""#, "a,b"),
            (r#"a "b""#, r#""a ""b""""#, r#"a "b""#),
            ("\"", r#""""""#, "\""),
            ("a\nb\rc\td", "\"a\nb\rc\td\"", r"a\nb\rc\td"),
            ("\r", "\"\r\"", r"\r"),
        ] {
            let (mut line, mut tabs) = (Vec::new(), Vec::new());
            csv_text(&mut line, text, false);
            tsv_text(&mut tabs, text, false);
            assert_eq!((line, tabs), (csv.into(), tsv.into()), "{text:?}");
        }
    }

    #[test]
    fn numbers_have_as_many_digits_as_they_need() {
        for (number, text) in [
            (0.0, "0"),
            (7.5, "7.5"),
            (-0.5, "-0.5"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e20, "100000000000000000000"),
        ] {
            let mut line = Vec::new();
            plain(&mut line, &Cell::Number(number));
            assert_eq!(line, text.as_bytes());
        }
    }
}
