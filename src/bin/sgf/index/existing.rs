//! What a file that exists already may be, if an index is to take its place.
//!
//! Owns what would be lost with it: games, archives, databases, and rows in another format that a file names itself. Refuses to
//! know what is written.

use std::fs::File;
use std::path::Path;

use sgf_stream::archive::{self, Format, head_of};

use crate::args::IndexFormat;

/// The first bytes of files that are not to be replaced by another kind of file.
const KINDS: [(&[u8], Option<IndexFormat>, &str); 3] = [
    (b"SQLite format 3\0", Some(IndexFormat::Sqlite), "a database of SQLite"),
    (b"PAR1", Some(IndexFormat::Parquet), "a Parquet file"),
    (b"ARROW1", Some(IndexFormat::Arrow), "an Arrow file"),
];

/// Why the file at this place is not replaced by one in that format, if it is not.
pub(super) fn refusal(path: &Path, format: IndexFormat) -> Option<String> {
    // What can't be read is not known to be anything.
    let head = head_of(File::open(path).ok()?).ok()?;
    let what = what(path, &head, format)?;
    Some(format!("it is {what}, and would be replaced: write to another file, or remove this one first"))
}

fn what(path: &Path, head: &[u8], format: IndexFormat) -> Option<&'static str> {
    if let Some((_, own, what)) = KINDS.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return (*own != Some(format)).then_some(what);
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    // A row begins with something else, even if it says `(;`.
    let is_game = |line: &[u8]| {
        line.trim_ascii_start().strip_prefix(b"(").is_some_and(|rest| rest.trim_ascii_start().starts_with(b";"))
    };
    let begins_game = text.split(|&byte| byte == b'\n').any(is_game);
    // A name alone is no game: there may be nothing in it yet.
    let is_named = !head.is_empty() && archive::is_game(path.as_os_str().as_encoded_bytes());
    if begins_game || is_named {
        Some("a file of games")
    } else if !Format::detect(head).is_plain() {
        Some("an archive or a compressed file")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_the_same_kind_is_replaced() {
        let what = |name: &str, head: &[u8], format| what(Path::new(name), head, format);
        let (csv, parquet) = (IndexFormat::Csv, IndexFormat::Parquet);
        for (name, head, format) in [
            ("a.csv", &b"file,game\n"[..], csv),
            ("a.csv", b"{\"file\":", csv),
            ("a.csv", b"event\n(none)\nx (;", csv),
            ("a.sgf", b"", csv),
            ("a.parquet", b"PAR1\x15", parquet),
        ] {
            assert_eq!(what(name, head, format), None, "{name}");
        }
        for (name, head, format, expected) in [
            ("a.db", &b"SQLite format 3\0\x10"[..], csv, "a database of SQLite"),
            ("a.parquet", b"PAR1\x15", csv, "a Parquet file"),
            ("a.txt", b"\xEF\xBB\xBFmail\n ( ;GM[1])", csv, "a file of games"),
            ("a.SGF", b"anything", parquet, "a file of games"),
            ("a.zip", b"PK\x03\x04\x14\0\0\0", csv, "an archive or a compressed file"),
        ] {
            assert_eq!(what(name, head, format), Some(expected), "{name}");
        }
    }
}
