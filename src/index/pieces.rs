//! The pieces of a folded text that an index finds it by, also in scripts that put no spaces between words.
//!
//! Owns where a search may begin. Like what `record` makes of a text for searches, it is a promise, because indexes store it.

/// How many characters of a name can be searched. The longest real names are those of teams.
const MAX_PART_CHARS: usize = 120;

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
