//! What a cell of the table contains, and how it is written as text.
//!
//! Owns the bytes of CSV, TSV and JSON, which every writer of rows shares. Where a row ends is for the writer.

use std::borrow::Cow;
use std::fmt;

/// The contents of a cell.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cell<'a> {
    /// The game does not say, or what it says was not understood.
    Null,
    /// Text. Without line ends if it comes from the game.
    Text(Cow<'a, str>),
    /// A count.
    Count(u64),
    /// A whole number that may be negative.
    Integer(i64),
    /// A number that may be fractional or negative, but never infinite.
    Number(f64),
}

/// The text or number, and nothing for null.
impl fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => count.fmt(f),
            Self::Integer(number) => number.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

#[cfg(any(feature = "cli", feature = "index", feature = "listen"))]
impl Cell<'_> {
    /// Appends it as CSV (RFC 4180), quoted only if it has a comma, a quote or a line end.
    pub fn push_csv(&self, line: &mut Vec<u8>) {
        let Self::Text(text) = self else { return self.push_number(line) };
        let bytes = text.as_bytes();
        // A simple loop, because most cells have only a few bytes.
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

    /// Appends a row, without its line end: what `push` makes of each of `cells`, with a separator between them. If that is a
    /// comma, a row that would be an empty line is a pair of quotes.
    #[doc(hidden)]
    pub fn push_row<T>(
        line: &mut Vec<u8>,
        separator: u8,
        cells: impl IntoIterator<Item = T>,
        mut push: impl FnMut(T, &mut Vec<u8>),
    ) {
        let start = line.len();
        for (place, cell) in cells.into_iter().enumerate() {
            if place > 0 {
                line.push(separator);
            }
            push(cell, line);
        }
        if line.len() == start && separator == b',' {
            line.extend_from_slice(br#""""#);
        }
    }

    /// Appends it as TSV: tabs and line ends within a text become `\t`, `\n` and `\r`, and a backslash two.
    pub fn push_tsv(&self, line: &mut Vec<u8>) {
        let Self::Text(text) = self else { return self.push_number(line) };
        let bytes = text.as_bytes();
        if !bytes.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b'\\')) {
            return line.extend_from_slice(bytes);
        }
        for &byte in bytes {
            match byte {
                b'\t' => line.extend_from_slice(br"\t"),
                b'\n' => line.extend_from_slice(br"\n"),
                b'\r' => line.extend_from_slice(br"\r"),
                b'\\' => line.extend_from_slice(br"\\"),
                byte => line.push(byte),
            }
        }
    }

    /// Appends it as a JSON value.
    pub fn push_json(&self, line: &mut Vec<u8>) {
        match self {
            Self::Null => line.extend_from_slice(b"null"),
            // Writing text into memory does not fail.
            Self::Text(text) => drop(serde_json::to_writer(line, &**text)),
            number => number.push_number(line),
        }
    }

    /// Appends a number; nothing for null.
    fn push_number(&self, line: &mut Vec<u8>) {
        match self {
            Self::Count(count) => line.extend_from_slice(itoa::Buffer::new().format(*count).as_bytes()),
            Self::Integer(number) => line.extend_from_slice(itoa::Buffer::new().format(*number).as_bytes()),
            Self::Number(number) => {
                // Nearly all numbers are whole, or end in a half.
                let halves = number * 2.0;
                if halves.fract() == 0.0 && (0.0..1e15).contains(&halves) {
                    let halves = halves as i64;
                    line.extend_from_slice(itoa::Buffer::new().format(halves / 2).as_bytes());
                    line.extend_from_slice(if halves % 2 == 1 { b".5" } else { b"" });
                } else {
                    line.extend_from_slice(number.to_string().as_bytes());
                }
            }
            Self::Null | Self::Text(_) => {}
        }
    }
}

#[cfg(all(test, any(feature = "cli", feature = "index", feature = "listen")))]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        for (text, csv, tsv, json) in [
            ("plain", "plain", "plain", r#""plain""#),
            ("", "", "", r#""""#),
            ("a,b", r#""a,b""#, "a,b", r#""a,b""#),
            (r#"a "b""#, r#""a ""b""""#, r#"a "b""#, r#""a \"b\"""#),
            ("\"", r#""""""#, "\"", r#""\"""#),
            ("a\nb\rc\td", "\"a\nb\rc\td\"", r"a\nb\rc\td", r#""a\nb\rc\td""#),
            ("\r", "\"\r\"", r"\r", r#""\r""#),
        ] {
            let cell = Cell::Text(text.into());
            let mut lines = [const { Vec::new() }; 3];
            cell.push_csv(&mut lines[0]);
            cell.push_tsv(&mut lines[1]);
            cell.push_json(&mut lines[2]);
            assert_eq!(lines, [csv, tsv, json].map(|it| it.as_bytes().to_vec()), "{text:?}");
        }
    }

    #[test]
    fn no_row_of_csv_is_an_empty_line() {
        for (cells, separator, expected) in
            [(&["a", ""][..], b',', "x\na,"), (&[""], b',', "x\n\"\""), (&[], b',', "x\n\"\""), (&[""], b'\t', "x\n")]
        {
            let mut line = b"x\n".to_vec();
            Cell::push_row(&mut line, separator, cells, |&cell, line| Cell::Text(cell.into()).push_csv(line));
            assert_eq!(line, expected.as_bytes());
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
            Cell::Number(number).push_json(&mut line);
            assert_eq!(line, text.as_bytes());
        }
    }
}
