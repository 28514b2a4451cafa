//! What members are called.
//!
//! Owns how names are joined, and what of them a terminal may see. Refuses to take them for paths: nothing is opened or
//! written under one.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

use crate::text::file_name;

/// The name of a member: that of the input, followed by the names of what is nested in it, with a `!` before each:
/// `games.zip!1998/june.tar.gz!7.sgf`. A file that is only compressed has its own name alone.
///
/// Names are for people. One that an archive gives may be in a charset of East Asia that it does not name, and is read so; else
/// its bytes that are not UTF-8 are escaped, as `\xB7`. So are control characters that a terminal would obey, as `\u{1b}`. One
/// that is longer than 4,096 bytes is given without its middle, in whose place stands how long that is, and a checksum that
/// tells it from others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name {
    text: String,
    input_len: usize,
    /// Where in the input the member's bytes begin, if they lie there unchanged.
    start: Option<u64>,
}

impl Name {
    /// The name of an input.
    pub fn new(input: impl Into<String>) -> Self {
        let text = input.into();
        Self { input_len: text.len(), text, start: None }
    }

    /// The input's own name.
    pub fn input(&self) -> &str {
        &self.text[..self.input_len]
    }

    /// The name within the input, if that is an archive.
    pub fn member(&self) -> Option<&str> {
        self.text.get(self.input_len + 1..)
    }

    /// The name of the innermost member alone.
    pub(crate) fn last(&self) -> &str {
        self.text.rsplit('!').next().unwrap_or_default()
    }

    /// Where in the input the member's bytes begin, if they lie there as they are. They do in a file that is an
    /// uncompressed tar archive, and in a zip archive that only stores.
    pub fn start(&self) -> Option<u64> {
        self.start
    }

    pub(crate) fn set_start(&mut self, start: Option<u64>) {
        self.start = start;
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Appends the name of a member, and returns how to go back.
    pub(crate) fn push(&mut self, member: &[u8]) -> Parent {
        let parent = Parent(self.text.len());
        self.text.push('!');
        escape_entry(member, &mut self.text);
        parent
    }

    /// What is left of `wanted`, the name of a member, behind that of an entry of the archive that `self` names: nothing if it
    /// is the entry itself, or the way to something inside it. `None` if it is elsewhere.
    pub(crate) fn way_to<'w>(&self, wanted: &'w str, entry: &[u8]) -> Option<&'w str> {
        let rest = match self.member() {
            None => wanted,
            Some(around) => wanted.strip_prefix(around)?.strip_prefix('!')?,
        };
        rest.strip_prefix(&*entry_shown(entry)).filter(|rest| rest.is_empty() || rest.starts_with('!'))
    }

    /// Whether it is the name of the member `wanted`, or of something inside that.
    pub(crate) fn is_in(&self, wanted: &str) -> bool {
        let rest = self.member().and_then(|member| member.strip_prefix(wanted));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('!'))
    }

    pub(crate) fn pop(&mut self, parent: Parent) {
        self.text.truncate(parent.0);
    }
}

/// A name that a file system or an archive gives, for people: control characters that a terminal would obey are
/// escaped, and so are bytes that are not UTF-8.
pub fn shown(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    escape(name, &mut text);
    text
}

/// The longest name of an entry that is given whole: no path on Linux is longer (`PATH_MAX`). An archive may have names of a
/// megabyte, which take six when they are escaped, and many members wait in memory together with their names.
const LONGEST: usize = 4096;

/// How much of a longer one is given, of its beginning and of its end, which says what it is.
const KEPT: usize = 512;

/// The name of an entry of an archive, for people, as it stands in the [`Name`] of the member.
pub(crate) fn entry_shown(name: &[u8]) -> String {
    let mut text = String::new();
    escape_entry(name, &mut text);
    text
}

/// The name of an entry in UTF-8, if it can be read.
pub(crate) fn entry_text(name: &[u8]) -> Cow<'_, [u8]> {
    let text = if name.len() <= LONGEST { file_name(name) } else { None };
    match text {
        Some(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        _ => Cow::Borrowed(name),
    }
}

fn escape_entry(name: &[u8], text: &mut String) {
    if name.len() <= LONGEST {
        return escape(&entry_text(name), text);
    }
    // Where a character begins.
    let edge = |at: usize| at - (0..3).take_while(|back| name[at - back] & 0xC0 == 0x80).count();
    let (start, end) = (edge(KEPT), edge(name.len() - KEPT));
    escape(&name[..start], text);
    let _ = write!(text, "({} bytes left out; {:08x})", end - start, rawzip::crc32(name));
    escape(&name[end..], text);
}

fn escape(name: &[u8], text: &mut String) {
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            let _ = write!(text, "{}", Shown(c));
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
}

/// Where [`Name::pop`] returns to.
#[derive(Clone, Copy)]
pub(crate) struct Parent(usize);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a character controls what shows a text, as far as a terminal or a person's eye obeys it.
pub fn is_controlling(c: char) -> bool {
    // Characters that reverse the direction of writing make one name look like another; so does one that is not seen at all.
    let turns = matches!(
        c,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}'
    );
    // These two end a line, but do not count as control characters.
    let ends = matches!(c, '\u{2028}' | '\u{2029}');
    turns || ends || c.is_control()
}

struct Shown(char);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_controlling(self.0) { write!(f, "{}", self.0.escape_default()) } else { f.write_char(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_or_ends_a_line_is_escaped() {
        let text = "\u{61C}\u{200E}\u{202E}\u{2028}\u{2029}\u{2067}\u{FEFF}\u{9B}";
        assert_eq!(shown(text.as_bytes()), r"\u{61c}\u{200e}\u{202e}\u{2028}\u{2029}\u{2067}\u{feff}\u{9b}");
        assert_eq!(shown("\u{200D}a\u{3000}対".as_bytes()), "\u{200D}a\u{3000}対");
    }

    #[test]
    fn a_name_longer_than_any_path_loses_its_middle() {
        let mut name = Name::new("a.tar");
        let at_most = [b"x".repeat(4092), b".sgf".to_vec()].concat();
        let parent = name.push(&at_most);
        assert_eq!(name.member().map(str::as_bytes), Some(&*at_most));
        name.pop(parent);
        let long = |first: &str| format!("{first}{}a.sgf", "対".repeat(1400)).into_bytes();
        let (one, other) = (long("d/"), long("e/"));
        name.push(&one);
        let member = name.member().unwrap().to_owned();
        let (start, end) = ("対".repeat(170), "対".repeat(169));
        assert_eq!(member, format!("d/{start}(3183 bytes left out; {:08x}){end}a.sgf", rawzip::crc32(&one)));
        assert_eq!(Name::new("a.tar").way_to(&member, &one), Some(""));
        assert_ne!(entry_shown(&other), member);
        assert_eq!(Name::new("a.tar").way_to(&member, &other), None);
        assert!(entry_shown(&b"\x1b".repeat(900_000)).len() < 8 << 10);
    }

    #[test]
    fn names_of_nested_members_are_joined() {
        let mut name = Name::new("a.zip");
        assert_eq!((name.to_string().as_str(), name.member()), ("a.zip", None));
        let outer = name.push(b"b/c.tar");
        let inner = name.push(b"\x1b[31m\xff\xe5\xaf\xbe\n!");
        assert_eq!(name.as_str(), "a.zip!b/c.tar!\\u{1b}[31m\\xFF対\\n!");
        assert_eq!((name.input(), name.member()), ("a.zip", Some("b/c.tar!\\u{1b}[31m\\xFF対\\n!")));
        name.pop(inner);
        assert!(name.is_in("b/c.tar") && !name.is_in("b/c.ta") && !name.is_in("b/c.tar!x"));
        assert_eq!(name.way_to("b/c.tar!d/e.zip!f", b"d/e.zip"), Some("!f"));
        assert_eq!(name.way_to("b/c.tar!d/e.zip", b"d/e.zip"), Some(""));
        assert_eq!(name.way_to("b/c.tar!d/e.zip", b"d/e"), None);
        assert_eq!(name.way_to("b/c.tar", b"d/e.zip"), None);
        name.pop(outer);
        assert_eq!(name, Name::new("a.zip"));
    }
}
