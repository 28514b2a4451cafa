//! How words are written in charsets of letters.
//!
//! Owns the rule that tells letters from pairs of bytes that are one character each: these mix small and capital letters,
//! scripts, and signs. Refuses to know what follows from it for a charset.

use crate::text::Charset;

/// How many letters show by how they are written that they are letters.
const ENOUGH: usize = 4;

/// Whether all words of a text, in this charset, are written as words are: all small, with a first capital, or all
/// capitals.
pub(super) fn is_spelled(charset: Charset, text: &[u8]) -> bool {
    words(&charset.decode(text).0).all(is_word)
}

/// The same for a line in UTF-8, if there are enough letters to know, and no word has letters of two alphabets. Of
/// 300,000 pairs of real names in each of GBK, Big5, Shift_JIS and EUC-KR, none passes for such a line.
pub(super) fn is_spelled_out(line: &str) -> bool {
    let mut letters = 0;
    words(line).all(|word| {
        letters += word.chars().count();
        is_word(word) && is_of_one_alphabet(word)
    }) && letters >= ENOUGH
}

/// What has letters that are not ASCII.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii() && !c.is_ascii_alphabetic()).filter(|word| !word.is_ascii())
}

fn is_word(word: &str) -> bool {
    let after_first = word.char_indices().nth(1).map_or(word.len(), |(at, _)| at);
    let (first, rest) = word.split_at(after_first);
    let is_first = first.chars().all(|c| c.is_lowercase() || c.is_uppercase());
    is_first && (rest.chars().all(char::is_lowercase) || word.chars().all(char::is_uppercase))
}

fn is_of_one_alphabet(word: &str) -> bool {
    let alphabet = |c: char| match c {
        '\0'..='\u{24F}' => Some("Latin"),
        '\u{370}'..='\u{3FF}' => Some("Greek"),
        '\u{400}'..='\u{52F}' => Some("Cyrillic"),
        '\u{530}'..='\u{58F}' => Some("Armenian"),
        _ => None,
    };
    let first = word.chars().next().and_then(alphabet);
    first.is_some() && word.chars().all(|c| alphabet(c) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_alphabet_are_spelled_out() {
        for (line, is) in [
            ("Jörg Schäfer", true),
            ("ÅSA", false),
            ("ÅSA ÖSTLUND (3d), Łódź", true),
            ("Ольга Волкова", true),
            ("Ко", false),
            ("Γιώργος", true),
            // 战鹰 in GBK.
            ("սӥսӥ", false),
            ("mÜller", false),
            ("Müller ·Ӣ", false),
            ("Muller", false),
            ("«Müller»", false),
        ] {
            assert_eq!(is_spelled_out(line), is, "{line}");
        }
    }
}
