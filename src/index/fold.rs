//! Text in the form that searches compare: without regard to case or to full and half width, and with scripts that put
//! no spaces between words.
//!
//! Owns the form that names and comments have in a search. It is a promise, because indexes store it.

use unicode_normalization::UnicodeNormalization;

/// How many characters of a name can be searched. The longest real names are those of teams.
const MAX_PART_CHARS: usize = 120;

/// Lower case, one width (NFKC), and one space for any white space: `Ｃｈｏ  Chikun` becomes `cho chikun`.
///
/// A search has to fold what it looks for in the same way. For ASCII letters, and for Chinese and Japanese characters,
/// lower case is enough.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if !c.is_whitespace() {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// The tails of a folded name, one from each place where a search may begin: a word, or any character in scripts
/// without spaces between words. So every such place is found by its first characters: `治勲` and `chik` too.
pub(super) fn parts(folded: &str) -> impl Iterator<Item = &str> {
    let end = folded.char_indices().nth(MAX_PART_CHARS).map_or(folded.len(), |(end, _)| end);
    let folded = &folded[..end];
    let mut before = ' ';
    folded.char_indices().filter_map(move |(start, c)| {
        let before = std::mem::replace(&mut before, c);
        let is_start = c.is_alphanumeric() && (!before.is_alphanumeric() || is_dense(c) || is_dense(before));
        is_start.then(|| &folded[start..])
    })
}

/// A folded text with spaces around each character that is a word of its own, for searches that only know words.
pub(super) fn spaced(folded: &str) -> String {
    let mut words = String::with_capacity(folded.len() * 4 / 3);
    let mut was_dense = false;
    for c in folded.chars() {
        let is_dense = is_dense(c);
        if is_dense || was_dense {
            words.push(' ');
        }
        words.push(c);
        was_dense = is_dense;
    }
    words
}

/// Whether a character belongs to a script without spaces between words, or to Hangul, whose words consist of several.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_width_are_folded() {
        for (text, folded) in [
            ("Cho Chikun", "cho chikun"),
            (" \u{FF23}\u{FF48}\u{FF4F}\u{3000}\u{3000}X\t", "cho x"),
            ("\u{FF76}\u{FF84}\u{FF73}", "カトウ"),
            ("M\u{DC}LLER mu\u{308}", "müller mü"),
            ("\u{8D99}治勲 9p", "趙治勲 9p"),
            ("", ""),
        ] {
            assert_eq!(fold(text), folded);
        }
    }

    #[test]
    fn a_name_is_found_from_each_word_and_character() {
        let all = |text| parts(text).collect::<Vec<_>>();
        assert_eq!(all("cho chi-kun"), ["cho chi-kun", "chi-kun", "kun"]);
        assert_eq!(all("趙治勲 9p"), ["趙治勲 9p", "治勲 9p", "勲 9p", "9p"]);
        assert_eq!(all("ai趙b"), ["ai趙b", "趙b", "b"]);
        assert_eq!(all(" ()"), [""; 0]);
        assert!(parts(&"趙".repeat(10_000)).count() <= MAX_PART_CHARS);
    }

    #[test]
    fn each_character_is_a_word() {
        assert_eq!(spaced("the 定式 x"), "the  定 式  x");
        assert_eq!(spaced("ab定"), "ab 定");
    }
}
