//! How words are written in charsets of letters.
//!
//! Owns the rule that tells letters from pairs of bytes that are one character each: these mix small and capital letters,
//! scripts, and signs. Refuses to know what follows from it for a charset.

use crate::text::Charset;

/// How many letters show by how they are written that they are letters.
const ENOUGH: usize = 4;

/// In how many words of Latin letters some are not ASCII, and how many letters there are for each that is not: a Chinese
/// character often stands right behind a name in ASCII.
const WORDS: usize = 2;
const LETTERS: usize = 3;

/// How many letters are different: who laughs writes one character again and again.
const DIFFERENT: usize = 3;

/// Whether all words of a text, in this charset, are written as words are: all small, with a first capital, or all
/// capitals.
pub(in crate::text) fn is_spelled(charset: Charset, text: &[u8]) -> bool {
    words(&charset.decode(text).0).all(is_word)
}

/// Whether words are written so in a charset in which text is expected: letters without case are words too, and marks on letters
/// may follow them as characters of their own.
pub(super) fn may_be_spelled(charset: Charset, text: &[u8]) -> bool {
    let text: String = charset.decode(text).0.chars().filter(|c| !matches!(c, '\u{300}'..='\u{36F}')).collect();
    let is_caseless = |word: &str| {
        word.starts_with(char::is_alphabetic) && !word.contains(|c: char| c.is_lowercase() || c.is_uppercase())
    };
    words(&text).all(|word| is_word(word) || is_caseless(word))
}

/// Whether all words of a line in UTF-8 are written as words are, and there is enough of them to know: of 300,000 pairs
/// of real names in each of GBK, Big5, Shift_JIS and EUC-KR, none passes for such a line.
pub(in crate::text) fn is_spelled_out(line: &str) -> bool {
    let (mut count, mut letters, mut has_others) = (0, 0, false);
    let are_words = words(line).all(|word| {
        count += 1;
        letters += word.chars().count();
        let alphabet = alphabet(word);
        has_others |= alphabet != Some("Latin");
        is_word(word) && alphabet.is_some()
    });
    let high = || line.chars().filter(|c| !c.is_ascii()).count();
    let is_enough = if has_others {
        letters >= ENOUGH && has_different(line)
    } else {
        count >= WORDS && LETTERS * high() <= letters
    };
    are_words && is_enough
}

/// Whether enough of the characters that are not ASCII differ from each other.
pub(in crate::text) fn has_different(line: &str) -> bool {
    let mut different = ['\0'; DIFFERENT];
    let mut len = 0;
    line.chars().filter(|c| !c.is_ascii()).any(|c| {
        if !different[..len].contains(&c) {
            different[len] = c;
            len += 1;
        }
        len == DIFFERENT
    })
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

/// The alphabet that all letters of a word are in.
fn alphabet(word: &str) -> Option<&'static str> {
    let alphabet = |c: char| match c {
        '\0'..='\u{24F}' => Some("Latin"),
        '\u{370}'..='\u{3FF}' => Some("Greek"),
        '\u{400}'..='\u{52F}' => Some("Cyrillic"),
        '\u{530}'..='\u{58F}' => Some("Armenian"),
        _ => None,
    };
    let first = word.chars().next().and_then(alphabet);
    first.filter(|_| word.chars().all(|c| alphabet(c) == first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_alphabet_are_spelled_out() {
        for (line, is) in [
            ("Jörg Schäfer", true),
            ("ÅSA", false),
            ("ÅSA ÖSTLUND (3d), Jörg", true),
            ("Łódź Żyła", false),
            ("Ольга Волкова", true),
            ("Ко", false),
            ("Γιώργος", true),
            ("Łukasz Żak", true),
            ("Анна", true),
            ("mÜller Ödön", false),
            ("Müller Ödön ·Ӣ", false),
            ("Müller", false),
            ("Muller", false),
            ("«Müller» «Ödön»", false),
            // 战鹰战鹰 and 笑笑笑笑 in GBK, 호호호호 in EUC-KR, Peter毛 in GBK.
            ("սӥսӥ", false),
            ("ЦЦЦЦ", false),
            ("ȣȣȣȣ", false),
            ("Peterë", false),
            ("Peterë éô", false),
        ] {
            assert_eq!(is_spelled_out(line), is, "{line}");
        }
    }

    #[test]
    fn letters_without_case_and_marks_are_words_where_they_are_expected() {
        for (label, text, is) in [
            ("windows-1255", &b"\xEC\xE0\xE8 \xEE\xE3\xE9"[..], true),
            ("windows-1258", b"Qu\xE1 ch\xE2\xF2m", true),
            ("windows-1255", b"M\xFCller", false),
            ("windows-1251", b"M\xFCller", true),
            ("KOI8-R", b"\xC0\xED\xE4\xF0\xEE\xED\xEE\xE2", false),
        ] {
            let charset = Charset::for_label(label.as_bytes()).expect("a known label");
            assert_eq!(may_be_spelled(charset, text), is, "{label} {}", text.escape_ascii());
        }
    }
}
