//! Text in the form that searches compare: without regard to case, to full and half width, and to accents.
//!
//! Owns the form that names and comments have in every search. It is a promise, because indexes store it.

use unicode_normalization::UnicodeNormalization;

/// Lower case, one width (NFKC), Latin letters without accents, and one space for any white space: `Ｃｈｏ  Chikun` becomes
/// `cho chikun`, and `José` becomes `jose`.
///
/// A search has to fold what it looks for in the same way. For ASCII letters, and for Chinese and Japanese characters,
/// lower case is enough.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut is_latin = false;
    // In other scripts a mark makes another letter.
    let plain = text.nfkd().filter(|&c| {
        let is_mark = matches!(c, '\u{300}'..='\u{36F}');
        is_latin = if is_mark { is_latin } else { c.is_ascii_alphabetic() };
        !(is_mark && is_latin)
    });
    for c in plain.flat_map(char::to_lowercase).nfc() {
        if !c.is_whitespace() {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
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
            ("M\u{DC}LLER mu\u{308}", "muller mu"),
            ("Nguy\u{1EC5}n \u{130}", "nguyen i"),
            ("\u{30AC} \u{419} \u{C774}", "ガ й 이"),
            ("\u{8D99}治勲 9p", "趙治勲 9p"),
            ("", ""),
        ] {
            assert_eq!(fold(text), folded);
        }
    }
}
