//! Signs of Western Europe, such as `©` and `£`, where other charsets of Latin letters have letters.
//!
//! Owns [`without_signs`]. Few texts have such a sign, but it stands in all games of a collection (`© 2001`), and a letter in its
//! place is from no language, which statistics do not know: alone, or beside a few accents, it was read as the Czech `Š`.
//!
//! It is asked only of a text that is thought to be in Latin letters. In others these bytes are halves of characters or letters
//! that are words, and a rule that took signs out first broke them. Nor is it enough that a sign stands alone: people have
//! initials, with a full stop or without. So what makes a sign is a number or a mark beside it.

use crate::text::Charset;

// As windows-1252 has them.
const EXCLAMATION: u8 = 0xA1;
const POUND: u8 = 0xA3;
const YEN: u8 = 0xA5;
const COPYRIGHT: u8 = 0xA9;
const ORDINAL_A: u8 = 0xAA;
const OPENING: u8 = 0xAB;
const REGISTERED: u8 = 0xAE;
const DEGREE: u8 = 0xB0;
const PLUS_MINUS: u8 = 0xB1;
const SUPERSCRIPT_TWO: u8 = 0xB2;
const SUPERSCRIPT_THREE: u8 = 0xB3;
const SUPERSCRIPT_ONE: u8 = 0xB9;
const ORDINAL_O: u8 = 0xBA;
const CLOSING: u8 = 0xBB;
const QUARTER: u8 = 0xBC;
const THREE_QUARTERS: u8 = 0xBE;
const QUESTION: u8 = 0xBF;

/// A text with blanks in place of the signs that would be letters in `charset`, which is one of Latin letters; `None` if there are
/// none.
pub(super) fn without_signs(charset: Charset, text: &[u8]) -> Option<Vec<u8>> {
    let is_letter = |byte: u8| charset.decode(&[byte]).0.chars().all(char::is_alphabetic);
    let mut bare: Option<Vec<u8>> = None;
    let mut blank = |at: usize| bare.get_or_insert_with(|| text.to_vec())[at] = b' ';
    for at in (0..text.len()).filter(|&at| matches!(text[at], 0xA1..=0xBF) && is_letter(text[at])) {
        if is_sign(text, at) {
            blank(at);
        } else if let Some(end) = end_of_quotation(text, at) {
            blank(at);
            // A mark of ASCII is no sign.
            if !text[end].is_ascii() {
                blank(end);
            }
        }
    }
    bare
}

/// Whether it is a sign by what stands beside it.
fn is_sign(text: &[u8], at: usize) -> bool {
    let (before, after) = (&text[..at], &text[at + 1..]);
    let (begins, ends) = (is_apart(before.last()), is_apart(after.first()));
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    match (before, text[at]) {
        // Those that behind a small letter would be a capital one.
        ([.., b'a'..=b'z'], COPYRIGHT | REGISTERED) | ([.., b'0'..=b'9'], REGISTERED) => ends,
        (_, COPYRIGHT) => begins && (begins_with_year(after) || ends_in_copyright(before)),
        (_, POUND | YEN | PLUS_MINUS) => begins && is_digit(after.first()),
        ([others @ .., b'N' | b'n'], ORDINAL_O) => ends && is_apart(others.last()),
        (
            _,
            ORDINAL_A
            | DEGREE
            | SUPERSCRIPT_TWO
            | SUPERSCRIPT_THREE
            | SUPERSCRIPT_ONE
            | ORDINAL_O
            | QUARTER..=THREE_QUARTERS,
        ) => ends && is_digit(before.last()),
        _ => false,
    }
}

fn begins_with_year(after: &[u8]) -> bool {
    matches!(after.trim_ascii_start(), [b'0'..=b'9', b'0'..=b'9', ..])
}

fn ends_in_copyright(before: &[u8]) -> bool {
    let word = b"copyright";
    before.trim_ascii_end().last_chunk().is_some_and(|last: &[u8; 9]| last.eq_ignore_ascii_case(word))
}

/// Whether a neighbour is no letter.
fn is_apart(neighbour: Option<&u8>) -> bool {
    neighbour.is_none_or(|&byte| byte < b'@')
}

/// Where the quotation or the sentence ends that the sign at `at` opens, if it opens one.
fn end_of_quotation(text: &[u8], at: usize) -> Option<usize> {
    let line = &text[at + 1..];
    let line = &line[..memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len())];
    let first = *line.first()?;
    let end = match text[at] {
        OPENING if is_apart(text[..at].last()) => {
            let end = memchr::memchr2(OPENING, CLOSING, line)?;
            (line[end] == CLOSING && is_apart(line.get(end + 1))).then_some(end)?
        }
        EXCLAMATION if begins_sentence(&text[..at]) && first.is_ascii_alphabetic() => memchr::memchr(b'!', line)?,
        // In Polish it is a small letter that words begin with, but not before these.
        QUESTION
            if begins_sentence(&text[..at])
                && matches!(first, b'A'..=b'Z' | b'c'..=b'd' | b'f' | b'h' | b'p' | b'q' | b's' | b't') =>
        {
            memchr::memchr(b'?', line)?
        }
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

    /// The text as it is without signs, if it was thought to be in ISO-8859-2.
    fn bare(label: &str, text: &str) -> Option<String> {
        let [written, thought] = [label, "ISO-8859-2"].map(|label| Charset::for_label(label.as_bytes()).unwrap());
        let bytes = written.encode(text).unwrap();
        without_signs(thought, &bytes).map(|bare| written.decode(&bare).0.into_owned())
    }

    #[test]
    fn signs_are_left_out() {
        for (text, expected) in [
            ("© 2001", "  2001"),
            ("Copyright © Jan", "Copyright   Jan"),
            ("£5, ±3, ¥100, 5¾, 2º dan, 1ª, 10³", " 5,  3,  100, 5 , 2  dan, 1 , 10 "),
            ("MoyoGo® 2 Kogo©", "MoyoGo  2 Kogo "),
            ("Nº 5", "N  5"),
            ("joue « hane » à côté", "joue   hane   à côté"),
            ("«ko» et «atari»", " ko  et  atari "),
            ("¡Atari!\n¿Cómo?", " Atari!\n Cómo?"),
        ] {
            assert_eq!(bare("windows-1252", text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn letters_are_no_signs() {
        for text in [
            "Š. Novák",
            "Š",
            "Š 5",
            "Jan Ż\nEwa Ś",
            "Ž Čech\nŠ Dvořák",
            "JEŽ",
            "Łukasz Żak\nŤažko",
            "Czy on żyje?",
            "że?",
        ] {
            assert_eq!(bare("ISO-8859-2", text), None, "{text}");
        }
        // Nor are signs that the charset has, too.
        assert_eq!(bare("windows-1252", "12° 5´ §3 19×19"), None);
    }
}
