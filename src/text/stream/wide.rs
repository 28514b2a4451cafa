//! Streams that have to be recoded before they can be read.
//!
//! Owns [`Recoder`], which recognises them and converts them to UTF-8, a bounded piece at a time. They are UTF-16 and
//! UTF-32, in which no bracket is a byte, and the charsets of seven bits, in which bytes that look like brackets are
//! not. What decodes to ASCII is syntax afterwards, and nothing else is. Of SGF it knows only how a label looks, `CA[`. Refuses to
//! know sources, and who reads the output.

use encoding_rs::Encoding;
use memchr::{memchr2, memmem};

use crate::text::charset::units::{Text, Unit, Units};
use crate::text::stream::offsets::OffsetMap;
use crate::text::{Charset, Charsets};

/// How many bytes are searched for marks of ISO-2022.
const WATCHED: usize = 64 << 10;

/// The output for bytes that are no character: a byte that is not UTF-8 either, so that a reader notices.
const BAD: u8 = 0xFF;

/// After this many output bytes a step ends.
const STEP: usize = 16 << 10;

/// How many bytes are watched at once: a caller that stops at each small game would otherwise have the rest watched again.
const AT_ONCE: usize = 4 << 10;

/// The length of a CA with the longest label that is searched for.
const CA_LEN: usize = 24;

/// The length of the longest character or mark, and of what the first decision needs.
const LONGEST: usize = 4;

/// What happened to the first bytes of a chunk; the number says how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// They are to be read as they stand; the part that was read is to be [passed](Recoder::pass).
    Plain(usize),
    /// The output is to be read instead.
    Recoded(usize),
}

/// The state of a recoder.
#[derive(Clone, Debug)]
enum Mode {
    /// Before the first four bytes.
    Start,
    /// All bytes so far were ASCII; this many more are watched.
    Watching(usize),
    /// Nothing more is recoded.
    Plain,
    Recoding(Charset, Units),
}

impl Mode {
    fn of(charset: Charset) -> Self {
        Units::of(charset).map_or(Self::Plain, |units| Self::Recoding(charset, units))
    }
}

/// How the bytes of a stream are handled from some place on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Continuation {
    /// They are read as they stand.
    #[default]
    Plain,
    /// Everything before is ASCII, so the first mark may still come.
    Watched {
        is_hz: bool,
    },
    Recoded(Charset),
}

/// What bytes begin with.
enum Front {
    /// This many bytes that are read as they stand.
    Plain(usize),
    Unit(Unit),
}

/// Recognises a stream that is not ASCII-based, and recodes it to UTF-8.
#[derive(Clone, Debug)]
pub(crate) struct Recoder {
    mode: Mode,
    /// A character or a mark that the end of the last chunk has cut.
    held: [u8; LONGEST],
    held_len: usize,
    map: OffsetMap,
    replaced: u64,
    label: Label,
    /// How many bytes were passed before it was known how the others are handled.
    watched: u64,
}

/// Whether the last CA in the watched bytes names HZ. The marks of HZ may stand in any text; those of the other
/// charsets begin with ESC.
#[derive(Clone, Debug)]
struct Label {
    /// The last bytes, in which a CA may have begun.
    tail: [u8; CA_LEN],
    tail_len: usize,
    is_hz: bool,
}

impl Label {
    const fn new() -> Self {
        Self { tail: [0; CA_LEN], tail_len: 0, is_hz: false }
    }

    fn pass(&mut self, bytes: &[u8]) {
        if self.tail_len > 0 {
            let mut joined = [0; 2 * CA_LEN];
            let more = &bytes[..bytes.len().min(CA_LEN)];
            joined[..self.tail_len].copy_from_slice(&self.tail[..self.tail_len]);
            joined[self.tail_len..][..more.len()].copy_from_slice(more);
            let len = self.tail_len + more.len();
            self.look(&joined[..len]);
            if bytes.len() < CA_LEN {
                return self.keep(&joined[len.saturating_sub(CA_LEN)..len]);
            }
        }
        self.look(bytes);
        self.keep(&bytes[bytes.len().saturating_sub(CA_LEN)..]);
    }

    fn look(&mut self, bytes: &[u8]) {
        for at in memmem::find_iter(bytes, b"CA[") {
            let label = &bytes[at + 3..bytes.len().min(at + CA_LEN)];
            if let Some(len) = memchr::memchr(b']', label) {
                self.is_hz = Charset::for_label(&label[..len]) == Ok(Charset::HZ);
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.tail[..bytes.len()].copy_from_slice(bytes);
        self.tail_len = bytes.len();
    }
}

impl Recoder {
    /// The first piece that a stream is cut into must have at least this many bytes: one character of UTF-16 alone does
    /// not show that it is one.
    pub(crate) const FIRST_LEN: u64 = 3;

    /// Recodes what has to be recoded: UTF-16 and UTF-32 with a byte order mark, or without one if the first four bytes
    /// are ASCII in it; and ISO-2022-JP, -KR or HZ if its first mark comes within 64 KiB and before any byte of 0x80 or
    /// more, for HZ after a CA that names it.
    pub(crate) fn new() -> Self {
        Self::with(Mode::Start)
    }

    /// Recodes all of the stream from this charset, if it can't be read in place.
    pub(crate) fn forced(charset: Charset) -> Self {
        Self::with(Mode::of(charset))
    }

    /// Recodes nothing.
    pub(crate) fn plain() -> Self {
        Self::with(Mode::Plain)
    }

    /// As `charsets` says text is to be read.
    pub(crate) fn for_charsets(charsets: Charsets) -> Self {
        match charsets {
            Charsets::Raw => Self::plain(),
            Charsets::Forced(charset) => Self::forced(charset),
            _ => Self::new(),
        }
    }

    /// Continues at an offset of a stream; everything before it is known.
    pub(crate) fn resume_at(offset: u64, continuation: Continuation) -> Self {
        match continuation {
            Continuation::Plain => Self::plain(),
            Continuation::Recoded(charset) => Self::forced(charset),
            Continuation::Watched { is_hz } => match (WATCHED as u64).saturating_sub(offset) {
                0 => Self::plain(),
                left => {
                    let label = Label { is_hz, ..Label::new() };
                    Self { label, ..Self::with(Mode::Watching(left as usize)) }
                }
            },
        }
    }

    fn with(mode: Mode) -> Self {
        Self {
            mode,
            held: [0; LONGEST],
            held_len: 0,
            map: OffsetMap::new(),
            replaced: 0,
            label: Label::new(),
            watched: 0,
        }
    }

    /// Whether everything that is still to come can be read as it stands, and offsets are those of the source.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.mode, Mode::Plain) && self.held_len == 0
    }

    /// The charset that the stream is recoded from.
    pub(crate) fn charset(&self) -> Option<Charset> {
        match self.mode {
            Mode::Recoding(charset, _) => Some(charset),
            _ => None,
        }
    }

    /// How bytes are handled from an offset of the output on. How far this recoder is ahead of that does not matter.
    pub(crate) fn continuation_from(&self, output: u64) -> Continuation {
        match self.mode {
            Mode::Plain if output >= self.watched => Continuation::Plain,
            Mode::Recoding(charset, _) if output >= self.watched => Continuation::Recoded(charset),
            _ => Continuation::Watched { is_hz: self.label.is_hz },
        }
    }

    /// Bytes that were taken and wait for more.
    pub(crate) fn held(&self) -> &[u8] {
        &self.held[..self.held_len]
    }

    /// Where the output stood in the source.
    pub(crate) fn map(&self) -> &OffsetMap {
        &self.map
    }

    /// Where the output stood in the source, to forget offsets that will not be looked up.
    pub(crate) fn map_mut(&mut self) -> &mut OffsetMap {
        &mut self.map
    }

    /// How many pieces of the source were no characters.
    pub(crate) fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Takes some of a chunk, which must not be empty. What is to be read instead of the source goes to the end of
    /// `output`, little more than [`STEP`] bytes at once. A character that the chunk's end cuts waits for the next one.
    pub(crate) fn take(&mut self, chunk: &[u8], output: &mut Vec<u8>) -> Taken {
        if self.held_len > 0 {
            return Taken::Recoded(self.resolve(&chunk[..chunk.len().min(LONGEST)], false, output));
        }
        let (mut at, begin) = (0, output.len());
        while at < chunk.len() && output.len() < begin + STEP {
            if let Mode::Recoding(_, units) = &self.mode {
                let start = output.len();
                let width = units.ascii(&chunk[at..], begin + STEP - start, output);
                let ascii = &output[start..];
                if !ascii.is_empty() {
                    self.map.bytes(ascii, width);
                    at += ascii.len() * usize::from(width);
                    continue;
                }
            }
            match self.front(&chunk[at..], false) {
                Some(Front::Plain(len)) if at == 0 => return Taken::Plain(len),
                Some(Front::Plain(_)) => break,
                Some(Front::Unit(unit)) => {
                    self.put(unit, output);
                    at += unit.len;
                }
                None => {
                    self.hold(&chunk[at..]);
                    at = chunk.len();
                }
            }
        }
        Taken::Recoded(at)
    }

    /// Takes some of a chunk, which must not be empty, and appends all of it to `output`, also what may be read as it stands.
    /// Returns how much that was.
    pub(crate) fn take_into(&mut self, chunk: &[u8], output: &mut Vec<u8>) -> usize {
        match self.take(chunk, output) {
            Taken::Plain(len) => {
                self.pass(&chunk[..len]);
                output.extend_from_slice(&chunk[..len]);
                len
            }
            Taken::Recoded(len) => len,
        }
    }

    /// Ends the source: what was held goes to the output.
    pub(crate) fn finish(&mut self, output: &mut Vec<u8>) {
        self.resolve(&[], true, output);
    }

    /// Puts out what was held, completed by the bytes that come next; returns how many of these it took.
    fn resolve(&mut self, more: &[u8], last: bool, output: &mut Vec<u8>) -> usize {
        let held = self.held_len;
        let mut joined = [0; 2 * LONGEST];
        joined[..held].copy_from_slice(&self.held[..held]);
        joined[held..held + more.len()].copy_from_slice(more);
        let joined = &joined[..held + more.len()];
        self.held_len = 0;
        let mut at = 0;
        while at < held {
            match self.front(&joined[at..], last) {
                Some(Front::Plain(len)) => {
                    // The bytes of the chunk itself are read where they stand.
                    let plain = &joined[at..held.min(at + len)];
                    output.extend_from_slice(plain);
                    self.pass(plain);
                    at += plain.len();
                }
                Some(Front::Unit(unit)) => {
                    self.put(unit, output);
                    at += unit.len;
                }
                None => {
                    self.hold(&joined[at..]);
                    at = joined.len();
                }
            }
        }
        at - held
    }

    /// What bytes begin with; `None` asks for more of them, of which [`LONGEST`] are always enough.
    fn front(&mut self, bytes: &[u8], last: bool) -> Option<Front> {
        if let Mode::Start = self.mode {
            self.mode = first_bytes(bytes, last)?;
        }
        if let Mode::Watching(left) = self.mode {
            let window = &bytes[..bytes.len().min(left).min(AT_ONCE)];
            let before = &window[..memchr2(0x1B, b'~', window).unwrap_or(window.len())];
            let at = Encoding::ascii_valid_up_to(before);
            match (at < window.len()).then_some(at) {
                None => return Some(Front::Plain(window.len())),
                Some(0) if window[0] < 0x80 => match first_mark(bytes, self.label.is_hz, last)? {
                    Some(charset) => self.settle(Mode::of(charset)),
                    None => return Some(Front::Plain(1)),
                },
                Some(0) => self.settle(Mode::Plain),
                Some(at) => return Some(Front::Plain(at)),
            }
        }
        match &mut self.mode {
            Mode::Recoding(_, units) => units.next(bytes, last).map(Front::Unit),
            _ => Some(Front::Plain(bytes.len())),
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.held[..bytes.len()].copy_from_slice(bytes);
        self.held_len = bytes.len();
    }

    /// These bytes were read as they stand.
    pub(crate) fn pass(&mut self, bytes: &[u8]) {
        self.map.bytes(bytes, 1);
        if let Mode::Watching(left) = &mut self.mode {
            self.label.pass(bytes);
            *left -= bytes.len();
            if *left == 0 {
                self.settle(Mode::Plain);
            }
        }
    }

    /// The bytes to come are no longer watched.
    fn settle(&mut self, mode: Mode) {
        self.watched = self.map.source(u64::MAX);
        self.mode = mode;
    }

    /// Puts out a recoded character.
    fn put(&mut self, unit: Unit, output: &mut Vec<u8>) {
        let byte = match unit.text {
            Text::Nothing => return self.map.nothing(unit.len),
            Text::Char(c) => {
                output.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return self.map.character(c, c.len_utf8(), unit.len);
            }
            Text::Byte(byte) => byte,
            Text::Bad => {
                self.replaced += 1;
                BAD
            }
        };
        output.push(byte);
        self.map.character(char::from(byte), 1, unit.len);
    }
}

/// How a stream that begins with these bytes is read.
fn first_bytes(bytes: &[u8], last: bool) -> Option<Mode> {
    let is_ascii = |byte: u8| matches!(byte, b'\t'..=b'\r' | b' '..=b'~');
    match *bytes {
        [0xFE, 0xFF, ..] => Some(Mode::of(Charset::UTF_16BE)),
        [0xFF, 0xFE, 0, 0, ..] => Some(Mode::of(Charset::UTF_32LE)),
        [0, 0, 0xFE, 0xFF, ..] => Some(Mode::of(Charset::UTF_32BE)),
        [a, 0, 0, 0, ..] if is_ascii(a) => Some(Mode::of(Charset::UTF_32LE)),
        [0, 0, 0, a, ..] if is_ascii(a) => Some(Mode::of(Charset::UTF_32BE)),
        [a, 0, b, 0, ..] if is_ascii(a) && is_ascii(b) => Some(Mode::of(Charset::UTF_16LE)),
        [0, a, 0, b, ..] if is_ascii(a) && is_ascii(b) => Some(Mode::of(Charset::UTF_16BE)),
        [] | [0 | 0xFE | 0xFF] | [0, 0] | [0, 0, 0 | 0xFE] | [0xFF, 0xFE] | [0xFF, 0xFE, 0] if !last => None,
        [a] | [a, 0] | [a, 0, 0] | [0, a] | [0, a, 0] if is_ascii(a) && !last => None,
        [a, 0, b] if is_ascii(a) && is_ascii(b) && !last => None,
        [0xFF, 0xFE, ..] => Some(Mode::of(Charset::UTF_16LE)),
        _ => Some(Mode::Watching(WATCHED)),
    }
}

/// The charset that an ESC, or the `~` of HZ, announces, if any.
#[expect(clippy::option_option, reason = "not yet, none, and which")]
fn first_mark(bytes: &[u8], is_hz: bool, last: bool) -> Option<Option<Charset>> {
    let marks = [
        (&b"\x1B$B"[..], Charset::ISO_2022_JP),
        (b"\x1B$@", Charset::ISO_2022_JP),
        (b"\x1B$)C", Charset::ISO_2022_KR),
        (b"~{", Charset::HZ),
        (b"~~", Charset::HZ),
    ];
    let mut known = marks.iter().filter(|(_, charset)| is_hz || *charset != Charset::HZ);
    if let Some((_, charset)) = known.clone().find(|(mark, _)| bytes.starts_with(mark)) {
        return Some(Some(*charset));
    }
    let cut = !last && known.any(|(mark, _)| mark.starts_with(bytes));
    if cut { None } else { Some(None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "(;FF[4]C[\u{56E0}\u{574A} \\]\u{3042}]\r\n;B[pd])";

    /// The output, and the source offset of each character.
    fn recoded<'a>(mut recoder: Recoder, chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<u64>) {
        let (mut all, mut offsets) = (Vec::new(), Vec::new());
        let mut output = Vec::new();
        let mut look = |recoder: &mut Recoder, piece: &[u8]| {
            let map = recoder.map_mut();
            for (index, &byte) in piece.iter().enumerate() {
                if !(0x80..0xC0).contains(&byte) {
                    offsets.push(map.source((all.len() + index) as u64));
                }
            }
            all.extend_from_slice(piece);
            map.forget_but(&[], all.len() as u64);
        };
        for chunk in chunks {
            let mut rest = chunk;
            while !rest.is_empty() {
                output.clear();
                let taken = match recoder.take(rest, &mut output) {
                    Taken::Plain(len) => {
                        assert!(len > 0 && output.is_empty());
                        // The rest is offered again.
                        let len = len.div_ceil(2);
                        recoder.pass(&rest[..len]);
                        look(&mut recoder, &rest[..len]);
                        len
                    }
                    Taken::Recoded(len) => {
                        assert!(len > 0 || !output.is_empty());
                        assert!(output.len() <= STEP + LONGEST);
                        look(&mut recoder, &output);
                        len
                    }
                };
                rest = &rest[taken..];
            }
        }
        output.clear();
        recoder.finish(&mut output);
        look(&mut recoder, &output);
        (all, offsets)
    }

    /// Checks the output of a stream at every chunking.
    fn check(recoder: &Recoder, source: &[u8], expected: &[u8]) {
        let whole = recoded(recoder.clone(), std::iter::once(source));
        assert_eq!(whole.0.escape_ascii().to_string(), expected.escape_ascii().to_string());
        assert_eq!(recoded(recoder.clone(), source.chunks(1)), whole, "byte by byte");
        for cut in 1..source.len() {
            let (left, right) = source.split_at(cut);
            assert_eq!(recoded(recoder.clone(), [left, right].into_iter()), whole, "cut at {cut}");
            assert_eq!(recoded(recoder.clone(), source.chunks(cut)), whole, "chunks of {cut}");
        }
    }

    fn wide(text: &str, charset: Charset) -> Vec<u8> {
        let words = text.encode_utf16();
        match charset {
            Charset::UTF_16LE => words.flat_map(u16::to_le_bytes).collect(),
            Charset::UTF_16BE => words.flat_map(u16::to_be_bytes).collect(),
            Charset::UTF_32LE => text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
            _ => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        }
    }

    #[test]
    fn wide_streams_are_recognised() {
        for charset in [Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE] {
            check(&Recoder::new(), &wide(TEXT, charset), TEXT.as_bytes());
            check(&Recoder::new(), &wide("\r\n(;)", charset), b"\r\n(;)");
            let with_mark = format!("\u{FEFF}{TEXT}\u{1F600}");
            check(&Recoder::new(), &wide(&with_mark, charset), with_mark.as_bytes());
            check(&Recoder::forced(charset), &wide(TEXT, charset), TEXT.as_bytes());
        }
    }

    #[test]
    fn other_streams_stay_as_they_are() {
        for source in [
            &b""[..],
            b"(",
            b"(;",
            b"\0",
            b"\0\0\0\0",
            b"(\0",
            b"(\0;",
            b"\0(\0",
            b"\xFF",
            b"\xFE",
            b"\0\0\xFE",
            b"\xEF\xBB\xBF(;C[\xE5\x9B\xA0])",
            b"(;C[\xA6]\x1B$B;3])",
            b"(;C[\x1B\x1B$\x1B$\x1B$A\x1B$)A])",
            b"(;C[~{VP~}])",
            b"(;CA[HZ]C[~a~])",
            b"(;CA[HZ])(;CA[UTF-8]C[~{VP~}])",
            b"(;CA[HZ]C[\xB0~{VP~}])",
            b"\x1B$",
        ] {
            check(&Recoder::new(), source, source);
        }
        let mut output = Vec::new();
        let mut recoder = Recoder::new();
        assert_eq!(recoder.take(b"(;GM[1])", &mut output), Taken::Plain(8));
        recoder.pass(b"(;GM[1])");
        assert!(!recoder.is_plain());
        recoder.take(b"\xE5", &mut output);
        assert!(recoder.is_plain());
    }

    #[test]
    fn seven_bit_streams_are_recognised_by_their_first_escape_sequence() {
        let expected = "(;C[\u{5C71} \\]\u{677E}\u{672C}];B[pd])".as_bytes();
        check(&Recoder::new(), b"(;C[\x1B$B;3\x1B(B \\]\x1B$@>>K\\\x1B(J];B[pd])", expected);
        let korean = "(;C[\u{AC00}]\n;C[\u{AC00}])".as_bytes();
        check(&Recoder::new(), b"(\x1B$)C;C[\x0E0!\x0F]\n;C[\x0E0!\x0F])", korean);
        check(&Recoder::forced(Charset::HZ), b"(;C[~{VP~}~~])", "(;C[\u{4E2D}~])".as_bytes());
        for label in ["HZ", "hz-gb-2312", " HZ_GB2312 "] {
            let hz = format!("(;GM[1]CA[{label}]C[~~a~{{VP~}}~~];B[pd])");
            check(&Recoder::new(), hz.as_bytes(), hz.replace("~~a~{VP~}~~", "~a\u{4E2D}~").as_bytes());
        }
        // The games after it may be in another charset.
        let mixed = [b"(;C[\x1B$B;3\x1B(B])(;C[".as_slice(), "\u{56E0}".as_bytes(), b"\xE9])"].concat();
        let expected = ["(;C[\u{5C71}])(;C[\u{56E0}".as_bytes(), b"\xE9])"].concat();
        check(&Recoder::new(), &mixed, &expected);
    }

    #[test]
    fn escape_sequences_are_searched_for_only_in_the_first_bytes() {
        for (len, found) in [(WATCHED - 1, true), (WATCHED, false)] {
            let mut source = vec![b'a'; len];
            source.extend_from_slice(b"\x1B$B;3\x1B(B");
            let (output, _) = recoded(Recoder::new(), source.chunks(1000));
            assert_eq!(output.len() < source.len(), found, "after {len} bytes");
        }
    }

    #[test]
    fn undecodable_bytes_are_counted() {
        let mut recoder = Recoder::forced(Charset::UTF_16BE);
        let mut output = Vec::new();
        recoder.take(b"\xDC\x00\0(\xD8", &mut output);
        recoder.finish(&mut output);
        assert_eq!(output, b"\xFF(\xFF");
        assert_eq!(recoder.replaced(), 2);
        assert_eq!(recoder.map().source(output.len() as u64), 5);
        assert_eq!(recoder.charset(), Some(Charset::UTF_16BE));
    }

    #[test]
    fn a_step_is_bounded() {
        let source = wide(&"\u{56E0}".repeat(20_000), Charset::UTF_16LE);
        let (output, offsets) = recoded(Recoder::forced(Charset::UTF_16LE), std::iter::once(&source[..]));
        assert_eq!(output.len(), 60_000);
        assert!(offsets.iter().enumerate().all(|(index, &offset)| offset == 2 * index as u64));
    }
}
