//! Stepping through a value from character to character, where `[`, `\` and `]` may be second bytes.
//!
//! Owns which bytes lead a character of GBK, GB18030, Big5 and Shift_JIS and which may follow them, with the escapes
//! between the characters: a table for each, and one byte of state, so that a value can be cut anywhere. Steps go forward
//! from the value's first byte; looking back from a bracket is wrong, because in Shift_JIS a katakana of one byte looks
//! like a lead. Refuses to know what comes after a value.
//!
//! A lead takes the next byte along where that is a legal second byte, whether or not the pair is in use; a lead of
//! GB18030 takes three where they are a digit, a lead and a digit. Any other lead stands alone, and never takes an ASCII
//! byte with it.

use crate::text::Charset;

/// The state of a value between two of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State(u8);

/// Between characters.
const START: u8 = 0;
/// After a lead.
const LEAD: u8 = 1;
/// After a lead that cannot be followed by `[`, `\` or `]`.
const PLAIN_LEAD: u8 = 2;
/// After a lead and a digit.
const SECOND: u8 = 3;
/// After a lead, a digit and another lead, which begins a pair of its own unless a digit follows.
const THIRD: u8 = 4;
/// After a backslash.
const ESCAPED: u8 = 5;
/// Added to the states inside a character if a backslash came before it.
const AFTER_ESCAPE: u8 = 5;
const STATES: usize = 10;

/// Flags beside the next state, which classify the byte.
const CLOSE: u8 = 0x80;
const COLON: u8 = 0x40;
const STATE: u8 = 0x0F;

impl State {
    /// How many of the last bytes belong together with what comes: a cut character, or an escape without its character.
    #[cfg(test)]
    pub(crate) fn pending(self) -> usize {
        [0, 1, 1, 2, 3, 1, 2, 2, 3, 4][usize::from(self.0)]
    }
}

type Table = [[u8; 256]; STATES];

/// How characters of two bytes are stepped over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps(&'static Table);

static GBK: Table = table(Kind::Gbk);
static BIG5: Table = table(Kind::Big5);
static SHIFT_JIS: Table = table(Kind::ShiftJis);

impl Steps {
    /// The steps of a charset, if it needs them.
    pub(crate) fn of(charset: Charset) -> Option<Self> {
        match charset {
            // They share one decoder, so both have characters of four bytes.
            Charset::GBK | Charset::GB18030 => Some(Self(&GBK)),
            Charset::BIG5 => Some(Self(&BIG5)),
            Charset::SHIFT_JIS => Some(Self(&SHIFT_JIS)),
            _ => None,
        }
    }

    /// The first `]` that is a character and not escaped. If there is none, all bytes are consumed, and the state is
    /// for those that follow.
    pub(crate) fn close(self, state: &mut State, bytes: &[u8]) -> Option<usize> {
        self.find(CLOSE, state, bytes)
    }

    /// The first `:` of a value that is not escaped.
    pub(crate) fn colon(self, value: &[u8]) -> Option<usize> {
        self.find(COLON, &mut State::default(), value)
    }

    fn find(self, what: u8, state: &mut State, bytes: &[u8]) -> Option<usize> {
        let mut now = state.0;
        for (index, &byte) in bytes.iter().enumerate() {
            let step = self.0[usize::from(now)][usize::from(byte)];
            now = step & STATE;
            if step & what != 0 {
                *state = State(now);
                return Some(index);
            }
        }
        *state = State(now);
        None
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Gbk,
    Big5,
    ShiftJis,
}

impl Kind {
    /// The state after a byte that may begin a character.
    const fn lead(self, byte: u8) -> u8 {
        match (self, byte) {
            (Self::ShiftJis, 0x82 | 0x88 | 0xFC) => PLAIN_LEAD,
            (Self::Gbk, 0x81..=0xFE)
            | (Self::Big5, 0x87..=0xFE)
            | (Self::ShiftJis, 0x81..=0x84 | 0x87..=0x9F | 0xE0..=0xEA | 0xED..=0xEE | 0xF0..=0xFB) => LEAD,
            _ => START,
        }
    }

    const fn trails(self, byte: u8) -> bool {
        match self {
            Self::Gbk => matches!(byte, 0x40..=0x7E | 0x80..=0xFE),
            Self::Big5 => matches!(byte, 0x40..=0x7E | 0xA1..=0xFE),
            Self::ShiftJis => matches!(byte, 0x40..=0x7E | 0x80..=0xFC),
        }
    }

    const fn step(self, state: u8, byte: u8) -> u8 {
        if state == ESCAPED {
            let lead = self.lead(byte);
            return if lead == START { START } else { lead + AFTER_ESCAPE };
        }
        let (state, escape) = if state > ESCAPED { (state - AFTER_ESCAPE, AFTER_ESCAPE) } else { (state, 0) };
        match (state, byte) {
            (THIRD, b'0'..=b'9') => START,
            (PLAIN_LEAD, b'[' | b'\\' | b']') => self.first(byte),
            (LEAD, b'0'..=b'9') if matches!(self, Self::Gbk) => SECOND + escape,
            (SECOND, 0x81..=0xFE) => THIRD + escape,
            (LEAD | PLAIN_LEAD | THIRD, _) if self.trails(byte) => START,
            _ => self.first(byte),
        }
    }

    /// The step of a byte that does not continue another one's character.
    const fn first(self, byte: u8) -> u8 {
        match byte {
            b'\\' => ESCAPED,
            b']' => START | CLOSE,
            b':' => START | COLON,
            _ => self.lead(byte),
        }
    }
}

const fn table(kind: Kind) -> Table {
    let mut table = [[0; 256]; STATES];
    let mut state = 0;
    while state < STATES {
        let mut byte = 0;
        while byte < 256 {
            table[state][byte] = kind.step(state as u8, byte as u8);
            byte += 1;
        }
        state += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHARSETS: [Charset; 4] = [Charset::GBK, Charset::GB18030, Charset::BIG5, Charset::SHIFT_JIS];

    fn close(charset: Charset, bytes: &[u8]) -> Option<usize> {
        Steps::of(charset).unwrap().close(&mut State::default(), bytes)
    }

    #[test]
    fn a_lead_takes_a_bracket_if_they_are_a_character() {
        let mut counts = Vec::new();
        for charset in CHARSETS {
            let mut leads = 0;
            for lead in 0x80..=0xFF {
                let taken = [b'\\', b']'].map(|trail| {
                    let pair = [lead, trail];
                    let taken = close(charset, &[lead, trail, b']', b']']) == Some(2);
                    let (text, errors) = charset.decode(&pair);
                    assert_eq!(taken, !errors && text.chars().count() == 1, "{charset} {lead:X} {trail:X}");
                    taken
                });
                leads += u32::from(taken == [true; 2]);
            }
            counts.push(leads);
        }
        assert_eq!(counts, [126, 126, 120, 52]);
    }

    #[test]
    fn every_character_of_two_bytes_is_one_step() {
        for charset in CHARSETS {
            for lead in 0x80..=0xFF {
                for trail in 0..=0xFF {
                    let pair = [lead, trail];
                    let (text, errors) = charset.decode(&pair);
                    // Some pairs of Big5 become a letter and an accent.
                    if errors || (text.chars().count() != 1 && charset != Charset::BIG5) {
                        continue;
                    }
                    let mut state = State::default();
                    Steps::of(charset).unwrap().close(&mut state, &pair[..1]);
                    let lead_is_cut = state.pending() == 1;
                    assert_eq!(Steps::of(charset).unwrap().close(&mut state, &pair[1..]), None);
                    assert!(lead_is_cut && state == State::default(), "{charset} {pair:X?}");
                }
            }
        }
    }

    #[test]
    fn a_lead_takes_no_byte_below_0x40() {
        for charset in CHARSETS {
            for lead in 0x80..=0xFF {
                for other in (0..0x30).chain(0x3A..=0x3F) {
                    assert_eq!(close(charset, &[lead, other, b']']), Some(2), "{charset} {lead:X} {other:X}");
                }
                let colon = Steps::of(charset).unwrap().colon(&[lead, b':']);
                assert_eq!(colon, Some(1), "{charset} {lead:X}");
            }
        }
    }

    #[test]
    fn characters_of_four_bytes_are_one_step() {
        for lead in 0x81..=0xFE {
            for third in 0x81..=0xFE {
                assert_eq!(close(Charset::GB18030, &[lead, b'3', third, b'9', b']']), Some(4));
                // Without a final digit, the third byte leads a pair of its own.
                assert_eq!(close(Charset::GB18030, &[lead, b'3', third, b']', b']']), Some(4));
                assert_eq!(close(Charset::GB18030, &[lead, b'3', third, b')', b']']), Some(4));
            }
            assert_eq!(close(Charset::GB18030, &[lead, b'3', b']', b']']), Some(2));
        }
    }

    #[test]
    fn half_width_katakana_are_not_leads() {
        assert_eq!(close(Charset::SHIFT_JIS, b"\xB1\x5D"), Some(1));
        assert_eq!(close(Charset::SHIFT_JIS, b"\xE0\xE0\x5D]"), Some(2));
        assert_eq!(close(Charset::SHIFT_JIS, b"\xB1\xE0\x5D]"), Some(3));
    }

    #[test]
    fn a_backslash_takes_a_whole_character() {
        for (charset, bytes, expected) in [
            (Charset::BIG5, &b"\\\xA6]]"[..], Some(3)),
            (Charset::BIG5, b"\xA6\\]", Some(2)),
            (Charset::BIG5, b"\xA6\\\\]]", Some(4)),
            (Charset::BIG5, b"\\]\\\\]", Some(4)),
            (Charset::BIG5, b"\\\xA6)]", Some(3)),
            (Charset::GB18030, b"\\\x811\x811]", Some(5)),
            (Charset::GB18030, b"\\\x811\x81\\]", Some(5)),
            (Charset::SHIFT_JIS, b"\\\x82]", Some(2)),
            (Charset::SHIFT_JIS, b"\\\xB1]", Some(2)),
            (Charset::SHIFT_JIS, b"ab\\", None),
        ] {
            assert_eq!(close(charset, bytes), expected, "{charset} {bytes:X?}");
        }
    }

    #[test]
    fn the_state_survives_every_cut() {
        let texts: [&[u8]; 4] =
            [b"\\\x811\x81\\]\xA6]:]]", b"\x90\\]\\\x90\\]]", b"\x811\x811\x81]1]\\]]", b"\xB1\xE0]\\\\]]\x88]"];
        for charset in CHARSETS {
            let steps = Steps::of(charset).unwrap();
            for bytes in texts {
                let mut whole = State::default();
                let expected = steps.close(&mut whole, bytes);
                for cut in 0..=bytes.len() {
                    let mut state = State::default();
                    let found = steps.close(&mut state, &bytes[..cut]).or_else(|| {
                        assert!(state.pending() <= cut);
                        Some(cut + steps.close(&mut state, &bytes[cut..])?)
                    });
                    assert_eq!((found, state), (expected, whole), "{charset} {bytes:X?} cut at {cut}");
                }
            }
        }
    }
}
