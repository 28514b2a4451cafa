//! Words for people, on standard error.
//!
//! Owns how a message looks. Nothing here can fail or panic: if nobody reads it, nothing is lost.

use std::io::{self, Write as _};

use crate::terminal::printable;

/// Writes a message.
pub(crate) fn line(text: &str) {
    write(&message(text));
}

/// Writes a line as it is, in one piece, because other programs may write to the same place.
pub(crate) fn write(line: &str) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// A message as it is written: who says it, and nothing that a terminal would obey.
pub(crate) fn message(text: &str) -> String {
    printable(&format!("sgf: {text}"))
}

/// The text of an error, without the operating system's number for it.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    if error.raw_os_error().is_some() { without_number(text) } else { text }
}

/// The text of an error that comes from the operating system, without its number and what follows that. Windows puts a full stop
/// before it.
pub(crate) fn without_number(mut text: String) -> String {
    if let Some(at) = text.rfind(" (os error ") {
        text.truncate(text[..at].trim_end_matches('.').len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("\x1b[31mred\n"), r"\u{1b}[31mred\n");
        assert_eq!(printable("fdp.\u{202E}fgs"), r"fdp.\u{202e}fgs");
        assert_eq!(printable("対局 – ü"), "対局 – ü");
        assert_eq!(message("a\x1b.sgf: too long"), r"sgf: a\u{1b}.sgf: too long");
    }

    #[test]
    fn a_reason_has_no_number() {
        let error = std::fs::File::open("/no/such/file").unwrap_err();
        assert!(!reason(&error).contains("os error"), "{}", reason(&error));
        assert!(!reason(&error).is_empty());
        assert_eq!(without_number("File not found. (os error 2)".to_owned()), "File not found");
    }
}
