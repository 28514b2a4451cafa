//! Signs of Western Europe: `©`, `£`, `«`, and others that some charsets of Latin letters have letters in place of.
//!
//! Owns [`without_signs`]. Few texts have such a sign, but it stands in all games of a collection (`© 2001`), and letters in its
//! place are those of no language, which statistics do not know: alone, or beside a few accents, it was read as the Czech `Š`.
//! Refuses to know what follows from it for a charset.
//!
//! No language has a word of one letter among these letters, but people have initials, so what stands before a full stop is no
//! sign. Nor is what may be half of a character: the second half is never a byte below 0x40, but in GB18030, whose characters of
//! four bytes go on behind it.

/// A text with blanks in place of its signs; `None` if it has none. Lines do not matter to each other.
pub(super) fn without_signs(text: &[u8]) -> Option<Vec<u8>> {
    if !may_have_signs(text) {
        return None;
    }
    let mut bare: Option<Vec<u8>> = None;
    let mut blank = |at: usize| bare.get_or_insert_with(|| text.to_vec())[at] = b' ';
    for at in (0..text.len()).filter(|&at| matches!(text[at], 0xA1..=0xBF | TIMES)) {
        if is_sign(text, at) {
            blank(at);
        } else if let Some(end) = end_of_quotation(text, at) {
            blank(at);
            // A mark of ASCII is none of the signs.
            if !text[end].is_ascii() {
                blank(end);
            }
        }
    }
    bare
}

const TIMES: u8 = 0xD7;
const COPYRIGHT: u8 = 0xA9;
const REGISTERED: u8 = 0xAE;
const ORDINAL: u8 = 0xBA;
const OPENING: u8 = 0xAB;
const CLOSING: u8 = 0xBB;
const EXCLAMATION: u8 = 0xA1;
const QUESTION: u8 = 0xBF;

/// False for nearly every text, and soon: all bytes are asked, without branches.
#[expect(clippy::needless_bitwise_bool, reason = "nothing is left out by a branch, so several bytes are asked at once")]
fn may_have_signs(text: &[u8]) -> bool {
    let may_be = |before: u8, byte: u8, after: u8| {
        let is_some = (byte.wrapping_sub(EXCLAMATION) <= QUESTION - EXCLAMATION) | (byte == TIMES);
        let opens = (byte == OPENING) | (byte == EXCLAMATION) | (byte == QUESTION);
        (is_some & before.is_ascii() & (after < b'@')) | (opens & (before < b'@'))
    };
    let edges = match *text {
        [] => false,
        [only] => may_be(b' ', only, b' '),
        [first, second, ..] => may_be(b' ', first, second) | may_be(text[text.len() - 2], text[text.len() - 1], b' '),
    };
    let (Some(middle), Some(behind)) = (text.get(1..), text.get(2..)) else { return edges };
    let inner = text.iter().zip(middle).zip(behind);
    edges || inner.fold(false, |any, ((&before, &byte), &after)| any | may_be(before, byte, after))
}

/// Whether it is a sign by what stands around it.
fn is_sign(text: &[u8], at: usize) -> bool {
    let (before, after) = (&text[..at], &text[at + 1..]);
    let ends = match after {
        [b'.', ..] | [b'0'..=b'9', 0x80..=0xFF, ..] => false,
        _ => is_apart(after.first()),
    };
    ends && match (before, text[at]) {
        // In KOI8-R it is a word.
        ([.., one], TIMES) => one.is_ascii_digit() && after.first().is_some_and(u8::is_ascii_digit),
        (_, TIMES) => false,
        // In their place are capital letters.
        ([.., b'a'..=b'z'], COPYRIGHT | REGISTERED) => true,
        ([others @ .., b'N' | b'n'], ORDINAL) => is_apart(others.last()),
        _ => is_apart(before.last()),
    }
}

/// Whether a neighbour is neither a letter nor part of a character.
fn is_apart(neighbour: Option<&u8>) -> bool {
    neighbour.is_none_or(|&byte| byte < b'@')
}

/// Where the quotation or the sentence ends that the sign at `at` opens, if it opens one.
fn end_of_quotation(text: &[u8], at: usize) -> Option<usize> {
    let sign = text[at];
    let line = &text[at + 1..];
    let line = &line[..memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len())];
    let end = match sign {
        OPENING if is_apart(text[..at].last()) => {
            let end = memchr::memchr2(OPENING, CLOSING, line)?;
            (line[end] == CLOSING && is_apart(line.get(end + 1))).then_some(end)?
        }
        EXCLAMATION if begins_sentence(&text[..at]) => memchr::memchr(b'!', line)?,
        // In Polish it is a letter that words begin with, but not sentences.
        QUESTION if begins_sentence(&text[..at]) => memchr::memchr(b'?', line)?,
        _ => return None,
    };
    (end > 0).then_some(at + 1 + end)
}

fn begins_sentence(before: &[u8]) -> bool {
    let words = before.trim_ascii_end();
    let is_set_off = matches!(words.last(), None | Some(b'.' | b'!' | b'?' | b':' | b';' | b'(' | b'"' | b'-'));
    is_set_off || before[words.len()..].iter().any(|byte| matches!(byte, b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Charset;

    fn bare(label: &str, text: &str) -> Option<String> {
        let charset = Charset::for_label(label.as_bytes()).unwrap();
        let bytes = charset.encode(text).unwrap();
        without_signs(&bytes).map(|bare| charset.decode(&bare).0.into_owned())
    }

    #[test]
    fn signs_are_left_out() {
        for (text, expected) in [
            ("Copyright © 2001", "Copyright   2001"),
            ("©", " "),
            ("£5, ±3, ¥100, 5¾, 2º dan, 1ª", " 5,  3,  100, 5 , 2  dan, 1 "),
            ("MoyoGo® 2", "MoyoGo  2"),
            ("Nº 5", "N  5"),
            ("19×19", "19 19"),
            ("joue « hane » à côté", "joue   hane   à côté"),
            ("«ko» et «atari»", " ko  et  atari "),
            ("¡Atari!\n¿Cómo?", " Atari!\n Cómo?"),
        ] {
            assert_eq!(bare("windows-1252", text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn letters_and_halves_of_characters_are_no_signs() {
        for (label, text) in [
            ("windows-1252", "Müller × Schäfer"),
            ("ISO-8859-2", "Š. Novák"),
            ("ISO-8859-2", "Łukasz Żak\nŤažko"),
            ("ISO-8859-2", "Czy on żyje?"),
            ("KOI8-R", "в Москве"),
            ("windows-1251", "Ёлка"),
            ("GBK", "2段 1子 3。"),
            ("Big5", "1，2段!"),
            ("Shift_JIS", "1段 ｱｲｳ"),
        ] {
            assert_eq!(bare(label, text), None, "{text}");
        }
        assert_eq!(without_signs(b"\xB0\x35\x81\x30"), None);
    }
}
