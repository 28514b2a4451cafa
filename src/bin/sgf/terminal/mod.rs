//! How what people read looks, on standard error and in tables.
//!
//! Owns what every line for people has in common: numbers and columns are in `layout`, messages in `stderr`, the bytes around a
//! problem in `window`. How games are written to a terminal is in `console`. Invariant: nothing else that comes from an input, a
//! name, a path or text, controls the terminal that shows it. Refuses to know the commands, and what is read.

use sgf_stream::archive::{self, is_controlling};

pub(crate) mod console;
pub(crate) mod layout;
pub(crate) mod stderr;
pub(crate) mod window;

/// Text from a stranger, without the control characters that a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    archive::shown(text.as_bytes())
}

/// Escapes what a terminal obeys beyond ASCII: JSON itself escapes only the ASCII part of it. Line ends stay.
pub(crate) fn escaped(line: &str) -> String {
    use std::fmt::Write as _;
    let mut clean = String::with_capacity(line.len());
    for c in line.chars() {
        if c != '\n' && is_controlling(c) {
            let _ = write!(clean, "\\u{:04x}", u32::from(c));
        } else {
            clean.push(c);
        }
    }
    clean
}
