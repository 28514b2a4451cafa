//! Which `]` closes a value, where escapes may be about bytes or about characters.
//!
//! Owns [`Closer`], which reads a value both ways and chooses, and [`Unclosed`], what one search leaves for the next. A closer
//! gets all bytes there are as one slice, from the value's first byte. It says when it needs more, and searches none of
//! them twice for a bracket. Refuses to know who holds the bytes.

use std::ops::Range;

use crate::text::Charset;
use crate::text::charset::step::{State, Steps};
use crate::text::ends::follow::{FOLLOW_WINDOW, Follow, Meeting, followed};
use crate::text::ends::garbled::{Garbled, GarbledByByte};

/// Where a value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    At(Close),
    /// Nowhere within the bytes that are examined: the byte rules apply.
    Nowhere,
    /// More bytes are needed to know.
    More,
}

/// The `]` that ends a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Close {
    /// Its index.
    pub(crate) at: usize,
    /// The value's escapes are by character.
    pub(crate) by_character: bool,
    /// The value, read this way, is text of the charset, or of UTF-8, perhaps without the rest of its last character. `None` if
    /// nobody has looked, as neither reading makes sense with what comes behind it; then it ends by byte.
    pub(crate) makes_sense: Option<bool>,
}

/// Where a search has found no bracket, or by character one that makes no sense, so that many searches cost no more than one.
///
/// By character, whatever passes a `]` stands between two characters behind it: so one that passes any `]` of the stretch goes
/// on like the one that has found nothing in it. By byte, the same holds for each value that begins within: the `[` before it is
/// no backslash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unclosed {
    /// By byte: from the first byte of a value to what closes it, or to the first byte that was not examined.
    by_byte: Range<u64>,
    charset: Option<Charset>,
    /// From the first `]` that was passed to the last byte.
    stretch: Range<u64>,
    /// What is known behind it.
    end: Stand,
    /// What ends at the same bracket as other values, and is no text.
    garbled: Garbled,
    pub(crate) garbled_by_byte: GarbledByByte,
}

/// How far a search has come besides its place. A `]` ends what could be the end of a game, so this does not depend on where
/// the search began either.
#[derive(Clone, Copy, Debug, Default)]
struct Stand {
    state: State,
    meeting: Meeting,
    is_over: bool,
}

impl Unclosed {
    fn has(&self, charset: Charset, close: u64) -> bool {
        self.charset == Some(charset) && self.stretch.contains(&close)
    }

    /// How many bytes of the value that begins at this offset, or of what follows the `]` there, are known not to close it by byte.
    pub(crate) fn passed_by_byte(&self, start: u64) -> usize {
        if self.by_byte.contains(&start) { (self.by_byte.end - start) as usize } else { 0 }
    }

    /// By byte, the first `len` bytes of the value that begins at this offset do not close it, and the next is not literal.
    pub(crate) fn note_by_byte(&mut self, start: u64, len: usize) {
        let first = if self.by_byte.contains(&start) { self.by_byte.start } else { start };
        self.by_byte = first..start + len as u64;
    }

    /// Where to go on, and how, for a search that has passed the `]` at this offset.
    pub(crate) fn behind(&self, charset: Charset, close: u64) -> Option<(u64, State)> {
        self.has(charset, close).then_some((self.stretch.end, self.end.state))
    }

    /// A search that has passed the `]` at `close` has found nothing before `end`, where this is its state.
    pub(crate) fn note(&mut self, charset: Charset, close: u64, end: u64, state: State) {
        self.extend(charset, close, end, Stand { state, ..Stand::default() });
    }

    fn extend(&mut self, charset: Charset, close: u64, end: u64, stand: Stand) {
        let is_known = self.has(charset, close);
        let first = if is_known { self.stretch.start } else { close };
        (self.charset, self.stretch, self.end) = (Some(charset), first..end, stand);
    }
}

/// Reads a value by byte and by character, and chooses the reading that makes sense.
///
/// A reading makes sense if what it takes for the value is text, and what comes behind that may follow a value. If both do, the
/// value that ends first counts. If neither does, the byte rules count. If a property follows, a name that was cut inside its
/// last character passes for text, so that the lead byte left at its end does not swallow the bracket and the property.
#[derive(Clone, Debug)]
pub(crate) struct Closer {
    charset: Charset,
    steps: Steps,
    /// How many bytes are examined.
    bound: usize,
    /// The first byte that was not examined by byte.
    byte_at: usize,
    byte_close: Option<usize>,
    /// Whether all bytes before `byte_close` are ASCII, so that there is nothing to choose, once that was checked.
    is_ascii: Option<bool>,
    /// The first byte that was not examined by character.
    character_at: usize,
    character_close: Option<usize>,
    /// With whether a game has ended behind `byte_close`, in the bytes that are examined by character.
    stand: Stand,
    /// Whether the readings are text, once that was checked.
    byte_decodes: Option<bool>,
    byte_is_cut: Option<bool>,
    character_decodes: Option<bool>,
}

impl Closer {
    /// For a value in one of the charsets that need it. Nothing is searched for more than a window behind `limit` bytes.
    pub(crate) fn new(charset: Charset, limit: usize) -> Option<Self> {
        Some(Self {
            charset,
            steps: Steps::of(charset)?,
            bound: limit.saturating_add(FOLLOW_WINDOW),
            byte_at: 0,
            byte_close: None,
            is_ascii: None,
            character_at: 0,
            character_close: None,
            stand: Stand::default(),
            byte_decodes: None,
            byte_is_cut: None,
            character_decodes: None,
        })
    }

    /// Where the value at the start of `bytes` ends, which has the offset `start`. After [`Closed::More`], pass the same bytes and
    /// more; `last`: no more come.
    pub(crate) fn close(&mut self, start: u64, bytes: &[u8], last: bool, unclosed: &mut Unclosed) -> Closed {
        let closed = self.close_from(start, bytes, last, unclosed);
        if closed != Closed::More
            && let Some(passed) = self.byte_close
        {
            let (end, stand) = match self.character_close {
                Some(close) => (close, Stand::default()),
                None => (self.character_at, self.stand),
            };
            if end > passed + 1 {
                unclosed.extend(self.charset, start + passed as u64, start + end as u64, stand);
            }
        }
        closed
    }

    fn close_from(&mut self, start: u64, bytes: &[u8], last: bool, unclosed: &mut Unclosed) -> Closed {
        let last = last || bytes.len() >= self.bound;
        let bytes = &bytes[..bytes.len().min(self.bound)];
        self.scan_bytes(start, bytes, unclosed);
        if let Some(at) = self.byte_close
            && *self.is_ascii.get_or_insert_with(|| bytes[..at].is_ascii())
        {
            return Closed::At(Close { at, by_character: false, makes_sense: Some(true) });
        }
        // The end of the reading by character does not matter if it is later and the reading by byte makes sense.
        self.scan_characters(&bytes[..self.byte_close.map_or(bytes.len(), |at| at + 1)]);
        if let Some(at) = self.byte_close
            && self.character_close == Some(at)
        {
            return Closed::At(self.same_place(at, (start, bytes), unclosed));
        }
        if let Some(at) = self.byte_close
            && self.character_at == at + 1
            && unclosed.has(self.charset, start + at as u64)
        {
            self.character_at = (unclosed.stretch.end - start) as usize;
            self.stand = unclosed.end;
        }
        let by_character_first = self.character_close.is_some() || self.byte_close.is_none();
        for by_character in [by_character_first, !by_character_first] {
            if by_character && !by_character_first {
                self.scan_characters(bytes);
            }
            match self.close_of_reading(by_character, (start, bytes), last, unclosed) {
                Closed::Nowhere => {}
                known => return known,
            }
        }
        match self.byte_close {
            // It may be far away, and end many values that by character end before it.
            Some(at) => Closed::At(Close { at, by_character: false, makes_sense: self.byte_decodes }),
            None => Closed::Nowhere,
        }
    }

    fn scan_bytes(&mut self, start: u64, bytes: &[u8], unclosed: &mut Unclosed) {
        if self.byte_close.is_some() {
            return;
        }
        self.byte_at = self.byte_at.max(unclosed.passed_by_byte(start));
        while self.byte_close.is_none() && self.byte_at < bytes.len() {
            let Some(found) = memchr::memchr2(b']', b'\\', &bytes[self.byte_at..]) else {
                self.byte_at = bytes.len();
                break;
            };
            self.byte_at += found;
            if bytes[self.byte_at] == b']' {
                self.byte_close = Some(self.byte_at);
            } else {
                self.byte_at += 2;
            }
        }
        unclosed.note_by_byte(start, self.byte_at);
    }

    /// Goes on in pieces, as the search for the end of a game must not go much further than the one for a bracket: what it
    /// passes would be passed again for each value to come.
    fn scan_characters(&mut self, bytes: &[u8]) {
        let mut piece = FOLLOW_WINDOW;
        while self.character_close.is_none() && !self.stand.is_over && self.character_at < bytes.len() {
            let end = bytes.len().min(self.character_at + piece);
            self.scan_piece(&bytes[..end]);
            piece *= 2;
        }
    }

    fn scan_piece(&mut self, mut bytes: &[u8]) {
        if let Some(at) = self.byte_close
            && at < self.character_at
            && let Some(end) = self.stand.meeting.find(&bytes[self.character_at..])
        {
            bytes = &bytes[..self.character_at + end];
            self.stand.is_over = true;
        }
        let close = self.steps.close(&mut self.stand.state, &bytes[self.character_at..]);
        self.character_close = close.map(|at| self.character_at + at);
        self.character_at = bytes.len().max(self.character_at);
    }

    /// Both readings end the value here: only its text distinguishes them.
    fn same_place(&mut self, at: usize, (start, bytes): (u64, &[u8]), unclosed: &mut Unclosed) -> Close {
        let value = &bytes[..at];
        let by_character = self.character_decodes(value);
        let makes_sense = by_character || self.byte_decodes(start, value, unclosed);
        Close { at, by_character, makes_sense: Some(makes_sense) }
    }

    /// Where a reading ends the value, if the reading makes sense; otherwise nowhere.
    fn close_of_reading(
        &mut self,
        by_character: bool,
        (start, bytes): (u64, &[u8]),
        last: bool,
        unclosed: &mut Unclosed,
    ) -> Closed {
        let Some(at) = (if by_character { self.character_close } else { self.byte_close }) else {
            return if last || (by_character && self.stand.is_over) { Closed::Nowhere } else { Closed::More };
        };
        // What follows is looked at first, because decoding a value costs more.
        let follow = match followed(&bytes[at + 1..], last) {
            None => return Closed::More,
            Some(follow @ (Follow::Property | Follow::Legal)) => follow,
            Some(_) => return Closed::Nowhere,
        };
        let value = &bytes[..at];
        let decodes = match by_character {
            true if self.byte_close.is_some_and(|passed| passed < at) => self.far_decodes(start, value, unclosed),
            true => self.character_decodes(value),
            false => self.byte_decodes(start, value, unclosed),
        };
        let may_be_cut = !by_character && follow == Follow::Property;
        if decodes || (may_be_cut && self.byte_is_cut(start, value, unclosed)) {
            Closed::At(Close { at, by_character, makes_sense: Some(true) })
        } else {
            Closed::Nowhere
        }
    }

    fn byte_decodes(&mut self, start: u64, value: &[u8], unclosed: &mut Unclosed) -> bool {
        let charset = self.charset;
        *self.byte_decodes.get_or_insert_with(|| unclosed.garbled_by_byte.decodes(charset, start, value))
    }

    fn byte_is_cut(&mut self, start: u64, value: &[u8], unclosed: &mut Unclosed) -> bool {
        let charset = self.charset;
        *self.byte_is_cut.get_or_insert_with(|| unclosed.garbled_by_byte.decodes_if_cut(charset, start, value))
    }

    /// [`character_decodes`](Self::character_decodes) for a value that passes a `]`, which others that end at the same bracket
    /// pass too.
    fn far_decodes(&mut self, start: u64, value: &[u8], unclosed: &mut Unclosed) -> bool {
        let charset = self.charset;
        *self.character_decodes.get_or_insert_with(|| {
            unclosed.garbled.decodes(charset, (start, value), b']', |piece| charset.decodes(piece))
        })
    }

    fn character_decodes(&mut self, value: &[u8]) -> bool {
        let charset = self.charset;
        *self.character_decodes.get_or_insert_with(|| charset.decodes(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, repeated, sequences};
    use crate::text::{Writing, hides_nothing};

    const LIMIT: usize = 1 << 16;

    /// Nothing is known of other values.
    fn close_by(closer: &mut Closer, bytes: &[u8], last: bool) -> Closed {
        closer.close(0, bytes, last, &mut Unclosed::default())
    }

    fn close(charset: Charset, bytes: &[u8]) -> Closed {
        close_by(&mut Closer::new(charset, LIMIT).unwrap(), bytes, true)
    }

    /// Checks the end and the text of a value, however the bytes arrive.
    fn check(charset: Charset, bytes: &[u8], at: usize, text: &str) {
        let Closed::At(close) = close(charset, bytes) else { panic!("{charset} {bytes:X?} has no end") };
        assert_eq!(close.at, at, "{charset} {bytes:X?}");
        let writing = if close.by_character { Writing::by_character(charset) } else { Writing::by_byte(charset) };
        if close.makes_sense == Some(true) && writing.decodes(&bytes[..at]) {
            assert_eq!(writing.text(&bytes[..at]), text, "{charset} {bytes:X?}");
        }
        let mut closer = Closer::new(charset, LIMIT).unwrap();
        let mut first = None;
        for len in 0..=bytes.len() {
            let found = close_by(&mut closer, &bytes[..len], len == bytes.len());
            assert!(len < bytes.len() || found != Closed::More);
            if found != Closed::More {
                first.get_or_insert(found);
            }
        }
        assert_eq!(first, Some(Closed::At(close)), "{charset} {bytes:X?} byte by byte");
    }

    #[test]
    fn values_without_hidden_brackets_end_at_the_first_bracket() {
        let alphabet = b"ab]\\[\x81\xA6\xB0\xC4\xFE\x80\xFF0";
        let mut passed = 0;
        for value in sequences::<_, 4>(alphabet) {
            let bytes = [&value[..], b"];B[pd]"].concat();
            let seems = bytes.iter().position(|&byte| byte == b']').unwrap();
            for charset in [Charset::GBK, Charset::GB18030] {
                if hides_nothing(charset, &bytes[..seems]) && !bytes[..seems].is_ascii() {
                    passed += 1;
                    let expected = Closed::At(Close { at: seems, by_character: true, makes_sense: Some(true) });
                    assert_eq!(close(charset, &bytes), expected, "{charset} {bytes:X?}");
                }
            }
        }
        assert!(passed > 2000, "{passed}");
    }

    #[test]
    fn both_conventions_are_read() {
        for (bytes, at) in [
            (&b"\xA6]\xA7\x7B];B[pd]"[..], 4),
            (b"\xA6\\]\xA7\x7B];B[pd]", 5),
            (b"\xA6]\xA7\x7B]", 4),
            (b"\xA6\\]\xA7\x7B])", 5),
            (b"\xA6]\xA7\x7B]\n PW[a]", 4),
            (b"\xA6]\xA7\x7B][a]", 4),
        ] {
            check(Charset::BIG5, bytes, at, "\u{56E0}\u{574A}");
        }
        check(Charset::SHIFT_JIS, b"\x90\\];B[pd]", 2, "\u{7533}");
        check(Charset::SHIFT_JIS, b"\x90\\\\];B[pd]", 3, "\u{7533}");
        check(Charset::GBK, b"\xC6\xD3\x88\xAD\x8A]]PB[a]", 6, "\u{6734}\u{57C8}\u{596D}");
        check(Charset::GB18030, b"\x810\x811\x8A\\]])", 7, "\u{81}\u{596D}");
    }

    #[test]
    fn ascii_needs_no_bytes_after_its_end() {
        let mut closer = Closer::new(Charset::GBK, LIMIT).unwrap();
        let ascii = Close { at: 4, by_character: false, makes_sense: Some(true) };
        assert_eq!(close_by(&mut closer, b"a\\]b]", false), Closed::At(ascii));
    }

    #[test]
    fn if_both_conventions_agree_no_bytes_after_the_end_are_needed() {
        let mut closer = Closer::new(Charset::GBK, LIMIT).unwrap();
        let same = Close { at: 2, by_character: true, makes_sense: Some(true) };
        assert_eq!(close_by(&mut closer, b"\xB0\xD7]", false), Closed::At(same));
        let mut closer = Closer::new(Charset::GBK, LIMIT).unwrap();
        let damaged = Close { at: 2, by_character: false, makes_sense: Some(false) };
        assert_eq!(close_by(&mut closer, b"\xB0\xFF]", false), Closed::At(damaged));
    }

    #[test]
    fn the_earlier_of_two_readings_counts() {
        // By byte the second `]` closes, by character the first, and valid SGF follows both.
        check(Charset::SHIFT_JIS, b"\x90\\];B[aa]C[x]", 2, "\u{7533}");
    }

    #[test]
    fn a_truncated_name_ends_at_its_bracket() {
        let Closed::At(close) = close(Charset::GBK, b"\xB0\xD7\xB0]PW[\xB0\xD7];B[aa])") else { panic!() };
        assert_eq!(close, Close { at: 3, by_character: false, makes_sense: Some(true) });
    }

    #[test]
    fn a_hidden_bracket_before_valid_sgf_is_text() {
        check(Charset::BIG5, b"\xA6];)];B[aa])", 4, "\u{56E0};)");
        check(Charset::BIG5, b"\xA6][9]PW[a]", 4, "\u{56E0}[9");
    }

    #[test]
    fn utf_8_text_ends_at_its_bracket() {
        let text = "\u{56E0}";
        let Closed::At(close) = close(Charset::GBK, format!("{text}]PW[a]").as_bytes()) else { panic!() };
        assert_eq!(close, Close { at: 3, by_character: false, makes_sense: Some(true) });
    }

    #[test]
    fn a_value_without_an_end_is_left_to_the_byte_rules() {
        assert_eq!(close(Charset::GBK, b"\xB0\xD7"), Closed::Nowhere);
        assert_eq!(
            close(Charset::GBK, b"\x90]"),
            Closed::At(Close { at: 1, by_character: false, makes_sense: Some(false) })
        );
        let mut closer = Closer::new(Charset::GBK, 10).unwrap();
        let long = b"\xB0\xD7".repeat(50);
        assert_eq!(close_by(&mut closer, &long[..73], false), Closed::More);
        assert_eq!(close_by(&mut closer, &long, false), Closed::Nowhere);
    }

    #[test]
    fn what_is_known_of_other_values_changes_no_end() {
        let parts: [&[u8]; 17] = [
            b"C[\xA6]",
            b"C[\xC3\xA9\xE4\xB8\xAD]%",
            b"[",
            b"]",
            b"\\",
            b"\x90]",
            b"\xE0]",
            b"a",
            b"\xA6\\]",
            b"C[\xE9\\]",
            b"\x814",
            b"\xB1]",
            b"\xA6",
            b"\xFF",
            b"]PB[",
            b"])(;C[",
            b")\n(",
        ];
        let (mut known, mut by_character, mut nowhere) = (0, 0, 0);
        for seed in 1..10_000_u64 {
            let mut rng = Rng::new(seed);
            let bytes = repeated(&mut rng, &parts, 400);
            let limit = 20 + rng.below(300);
            let mut charset = Charset::GBK;
            let mut unclosed = Unclosed::default();
            let mut start = 0;
            while start < bytes.len() {
                if rng.one_in(40) {
                    charset = rng.pick(&[Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS]);
                }
                let rest = &bytes[start..];
                let alone = close_by(&mut Closer::new(charset, limit).unwrap(), rest, true);
                let mut closer = Closer::new(charset, limit).unwrap();
                let mut end = closer.close(start as u64, &rest[..rng.below(rest.len())], false, &mut unclosed);
                if end == Closed::More {
                    end = closer.close(start as u64, rest, true, &mut unclosed);
                }
                assert_eq!(end, alone, "seed {seed}, at {start} of {}", bytes.escape_ascii());
                known += u32::from(unclosed.has(charset, start as u64));
                by_character += u32::from(matches!(end, Closed::At(close) if close.by_character));
                nowhere += u32::from(end == Closed::Nowhere);
                start += 1 + rng.below(12);
                // A value begins behind a `[`.
                start += bytes.iter().skip(start - 1).take_while(|&&byte| byte == b'\\').count();
            }
        }
        assert!(known > 10_000 && by_character > 10_000 && nowhere > 1_000, "{known} {by_character} {nowhere}");
    }

    #[test]
    fn nearly_all_texts_are_read_correctly_in_both_conventions() {
        for charset in [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS] {
            let pairs = (0x80..=0xFF).flat_map(|lead| (0x40..=0xFE).map(move |trail| [lead, trail]));
            let (hard, easy): (Vec<_>, Vec<_>) = pairs
                .filter(|pair| {
                    let (text, errors) = charset.decode(pair);
                    !errors && text.chars().count() == 1 && Writing::by_byte(charset).escape(&text).is_ok()
                })
                .partition(|pair| matches!(pair[1], b'\\' | b']'));
            let mut rng = Rng::new(1);
            let (mut right, count) = (0, 10_000);
            for _ in 0..count {
                let text: Vec<u8> = (0..=rng.below(16))
                    .flat_map(|_| {
                        let pairs = if rng.one_in(4) { &hard } else { &easy };
                        rng.pick(pairs)
                    })
                    .collect();
                let text = charset.decode(&text).0.into_owned();
                let writing = rng.pick(&[Writing::by_byte(charset), Writing::by_character(charset)]);
                let Ok(value) = writing.escape(&text) else { panic!("{text}") };
                let after = rng.pick(&[&b"];B[pd])"[..], b"]PW[Shusaku];", b"])", b"]\n(;W[dd]", b"][aa]"]);
                let bytes = [&value, after].concat();
                if let Closed::At(close) = close(charset, &bytes) {
                    let read =
                        if close.by_character { Writing::by_character(charset) } else { Writing::by_byte(charset) };
                    right += u32::from(close.at == value.len() && read.text(&value) == text);
                }
            }
            assert!(right * 1000 >= count * 990, "{charset}: {right} of {count}");
        }
    }
}
