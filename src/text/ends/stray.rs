//! Bytes that are no part of a game: left behind by what has carried the file.
//!
//! Owns [`Stray`], a run of them behind a value, and what is a mark among them: something that mail, a page, a program or an
//! editor puts between the tokens of a game, and with which no sentence goes on. Refuses to know which tokens come behind.

/// How many of them there are at most.
const MOST: usize = 24;

/// The longest name of a tag or an entity.
const LONGEST: usize = 8;

/// Tags of HTML that stand where a line ends.
const TAGS: [&[u8]; 7] = [b"br", b"p", b"wbr", b"div", b"li", b"td", b"tr"];

/// Blanks that are not ASCII, what is no character to see, and the `;` of a Chinese keyboard: in UTF-8, and a blank in
/// other charsets.
const BLANKS: [&[u8]; 9] = [
    b"\xC2\xA0",
    b"\xC2\xAD",
    b"\xE2\x80\x8B",
    b"\xE2\x80\xA8",
    b"\xE2\x80\xA9",
    b"\xE3\x80\x80",
    b"\xEF\xBB\xBF",
    b"\xEF\xBC\x9B",
    b"\xA0",
];

/// Such bytes, and what is among them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stray {
    pub(super) len: usize,
    pub(super) has_blank: bool,
    /// A line end, a tag or an entity, a line end written as an escape, or a blank that is not ASCII.
    pub(super) has_mark: bool,
}

impl Stray {
    /// Those at the beginning of these bytes, as far as there are not [too many](Self::are_too_many), and the bytes behind them.
    /// `None` asks for more bytes, unless no more come.
    pub(super) fn at(bytes: &[u8], last: bool) -> Option<(Self, &[u8])> {
        let mut stray = Self::default();
        while stray.len <= MOST {
            let rest = &bytes[stray.len..];
            match mark(rest) {
                Some(0) if !last => return None,
                Some(len @ 1..) => {
                    (stray.len, stray.has_mark) = (stray.len + len, true);
                    continue;
                }
                _ => {}
            }
            match rest {
                [] if !last => return None,
                // What is not ASCII may be a letter.
                [byte, ..] if byte.is_ascii() && !is_of_token(*byte) => stray.has_blank |= matches!(byte, b' ' | b'\t'),
                _ => return Some((stray, rest)),
            }
            stray.len += 1;
        }
        Some((stray, &[]))
    }

    /// Then they may be text.
    pub(super) fn are_too_many(self) -> bool {
        self.len > MOST
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'(' | b')' | b'[' | b']' | b';')
}

/// The length of the mark at the beginning of these bytes; 0 if more are needed to know. The name of who is quoted
/// (`JS> `) is none: in a chat, too, lines begin so.
pub(crate) fn mark(bytes: &[u8]) -> Option<usize> {
    let (is_part, ends): (fn(&u8) -> bool, &[u8]) = match bytes {
        [b'\n' | b'\r', ..] => return Some(1),
        [b'<', ..] => (|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b' '), b">"),
        [b'&', ..] => (|byte| byte.is_ascii_alphanumeric() || *byte == b'#', b";"),
        [b'\\', ..] => (|byte| *byte == b'\\', b"nrt"),
        _ => return blank(bytes),
    };
    let len = 1 + bytes[1..].iter().take(LONGEST).take_while(|byte| is_part(byte)).count();
    let Some(end) = bytes.get(len) else { return Some(0) };
    let is_one = ends.contains(end) && (bytes[0] != b'<' || is_tag(&bytes[1..len]));
    is_one.then_some(len + 1)
}

fn is_tag(name: &[u8]) -> bool {
    let name =
        name.strip_prefix(b"/").unwrap_or(name).split(|byte| matches!(byte, b'/' | b' ')).next().unwrap_or_default();
    TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name))
}

fn blank(bytes: &[u8]) -> Option<usize> {
    let is_cut = |blank: &&[u8]| !bytes.is_empty() && blank.starts_with(bytes);
    match BLANKS.iter().find(|blank| bytes.starts_with(blank)) {
        Some(blank) => Some(blank.len()),
        None => BLANKS.iter().any(is_cut).then_some(0),
    }
}
