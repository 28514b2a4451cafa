//! A table for people, printed as its rows come.
//!
//! Owns the widths of the columns. The first rows set them, so that memory stays the same for any number of rows; later
//! texts are cut to fit. What names a game, counts or dates is not: a part of it says something else.

use std::io::{self, Write};

use sgf_stream::record::{Column, ColumnKind};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many rows are looked at before the first is written.
const FIRST: usize = 500;

/// The greatest width of a text.
const WIDEST: usize = 40;

/// What stands between two columns.
const GAP: &str = "  ";

pub(crate) struct Table<W> {
    columns: Vec<(Column, usize)>,
    /// The cells of the first rows.
    first: Vec<String>,
    /// The columns are the default ones: that of members is left out if the first rows have none.
    pub(super) are_default: bool,
    /// The names of the columns come first.
    pub(super) is_headed: bool,
    is_begun: bool,
    /// The index of a column that is left out.
    hidden: Option<usize>,
    out: W,
}

impl<W: Write> Table<W> {
    /// All these columns, with their names.
    pub(crate) fn new(columns: &[Column], out: W) -> Self {
        let columns = columns.iter().map(|&column| (column, 0)).collect();
        Self { columns, are_default: false, is_headed: true, first: Vec::new(), is_begun: false, hidden: None, out }
    }

    pub(crate) fn row(&mut self, cells: impl Iterator<Item = String>) -> io::Result<()> {
        if self.is_begun {
            let cells: Vec<_> = cells.collect();
            return self.line(&cells);
        }
        self.first.extend(cells);
        if self.first.len() >= FIRST * self.columns.len() { self.begin() } else { Ok(()) }
    }

    /// Writes what there is, before more rows.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if !self.is_begun && !self.first.is_empty() {
            // A few rows say little about the others.
            for (column, width) in &mut self.columns {
                *width = (*width).max(least(*column));
            }
        }
        self.finish()
    }

    /// Writes what there is as the end. A table without rows has no heading either.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if !self.is_begun && !self.first.is_empty() {
            self.begin()?;
        }
        self.out.flush()
    }

    fn begin(&mut self) -> io::Result<()> {
        self.is_begun = true;
        if self.is_headed {
            for (column, width) in &mut self.columns {
                *width = (*width).max(column.name().width());
            }
        }
        let cells = std::mem::take(&mut self.first);
        for row in cells.chunks(self.columns.len()) {
            for ((column, width), cell) in self.columns.iter_mut().zip(row) {
                *width = (*width).max(cell.width().min(whole(*column).unwrap_or(WIDEST)));
            }
        }
        let width = self.columns.len();
        let is_empty =
            |&place: &usize| self.are_default && cells.iter().skip(place).step_by(width).all(String::is_empty);
        self.hidden = self.columns.iter().position(|(column, _)| *column == Column::Member).filter(is_empty);
        if self.is_headed {
            let mut names: Vec<_> = self.columns.iter().map(|(column, _)| column.name().to_owned()).collect();
            if let Some(hidden) = self.hidden {
                names[hidden].clear();
            }
            self.line(&names)?;
        }
        cells.chunks(self.columns.len()).try_for_each(|row| self.line(row))
    }

    fn line(&mut self, cells: &[String]) -> io::Result<()> {
        let mut line = String::new();
        let mut is_first = true;
        // A member may come after rows that had none: it is named as an input is.
        let member = self.hidden.map(|place| cells[place].as_str()).filter(|member| !member.is_empty());
        for (place, ((column, width), cell)) in self.columns.iter().zip(cells).enumerate() {
            if self.hidden == Some(place) {
                continue;
            }
            if is_first {
                is_first = false;
            } else {
                line.push_str(GAP);
            }
            let cell = match member {
                Some(member) if *column == Column::File => format!("{cell}!{member}"),
                _ => cut(cell, whole(*column).unwrap_or(*width)),
            };
            let space = " ".repeat(width.saturating_sub(cell.width()));
            let to_the_right = matches!(column.kind(), ColumnKind::Count | ColumnKind::Integer | ColumnKind::Number);
            let (before, behind) = if to_the_right { (&*space, "") } else { ("", &*space) };
            line.extend([before, &cell, behind]);
        }
        line.truncate(line.trim_end_matches(' ').len());
        line.push('\n');
        self.out.write_all(line.as_bytes())
    }
}

/// How wide a cell may be whatever the width of its column, if a part of it is of no use.
fn whole(column: Column) -> Option<usize> {
    match (column, column.kind()) {
        (Column::File | Column::Member, _)
        | (_, ColumnKind::Count | ColumnKind::Integer | ColumnKind::Number | ColumnKind::Size) => Some(usize::MAX),
        (Column::Date, _) => Some(WIDEST),
        _ => None,
    }
}

/// How wide a column is at least if only a few of its rows are known.
fn least(column: Column) -> usize {
    match (column, column.kind()) {
        (Column::Date, _) => 10,
        (_, ColumnKind::Result) => 8,
        _ if whole(column).is_none() => 16,
        _ => 0,
    }
}

/// As much of a text as fits.
fn cut(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut width = 1;
    let mut short: String = text
        .chars()
        .take_while(|c| {
            width += c.width().unwrap_or(0);
            width <= most
        })
        .collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[Column], rows: &[&[&str]]) -> String {
        let mut out = Vec::new();
        let mut table = Table::new(columns, &mut out);
        table.are_default = true;
        for row in rows {
            table.row(row.iter().map(|&cell| cell.to_owned())).unwrap();
        }
        table.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_comes_after_the_first_rows_is_cut_only_where_it_is_text() {
        let columns = [Column::File, Column::Member, Column::Game, Column::Date, Column::Black, Column::Result];
        let mut out = Vec::new();
        let mut table = Table::new(&columns, &mut out);
        table.are_default = true;
        let mut row = |cells: [&str; 6], is_last| {
            table.row(cells.iter().map(|&cell| cell.to_owned())).unwrap();
            if is_last { table.finish() } else { table.flush() }.unwrap();
        };
        row(["a", "", "1", "1996", "Cho", "B+R"], false);
        row(["a", "", "10000", "1996-10-18,19", "Takemiya Masaki Honinbo", "B+Resign"], false);
        row(["b.zip", "c.sgf", "1", "", "", ""], true);
        let lines = [
            "file  game  date        black             result",
            "a        1  1996        Cho               B+R",
            "a     10000  1996-10-18,19  Takemiya Masaki…  B+Resign",
            "b.zip!c.sgf     1\n",
        ];
        assert_eq!(String::from_utf8(out).unwrap(), lines.join("\n"));
    }

    #[test]
    fn wide_characters_count_double() {
        let found = table(&[Column::Black, Column::Moves, Column::White], &[&["趙治勲", "7", "x"], &["ab", "250", ""]]);
        assert_eq!(found, "black   moves  white\n趙治勲      7  x\nab        250\n");
    }

    #[test]
    fn a_long_text_is_cut_and_a_path_is_not() {
        let long = "x".repeat(100);
        let found = table(&[Column::File, Column::Event], &[&[&long, &long]]);
        assert!(found.ends_with(&format!("{long}  {}…\n", "x".repeat(39))), "{found}");
        assert_eq!(cut("趙治勲", 5), "趙治…");
    }

    #[test]
    fn an_empty_column_of_members_is_left_out() {
        let columns = &[Column::File, Column::Member, Column::Moves];
        assert_eq!(
            table(columns, &[&["a.sgf", "", "7"], &["b", "", "8"]]),
            "file   moves\na.sgf      7\nb          8\n"
        );
        assert_eq!(
            table(columns, &[&["a", "", "7"], &["b", "c", "8"]]),
            "file  member  moves\na                 7\nb     c           8\n"
        );
    }

    #[test]
    fn a_table_without_rows_is_empty() {
        assert_eq!(table(&[Column::File], &[]), "");
    }
}
