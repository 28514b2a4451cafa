//! Text in the form that searches compare: without regard to case, to full and half width, and to accents.
//!
//! Owns the form that names and comments have in every search. It is a promise, because indexes store it: with another form, the
//! tables of a database have another version.

use unicode_normalization::UnicodeNormalization;

/// Lower case, one width (NFKC), Latin letters without accents, and one space for any white space: `Ｃｈｏ  Chikun` becomes
/// `cho chikun`, and `José` becomes `jose`. Letters with a stroke, and those that are two in one, become the letters without: `ł`
/// is `l`, `ø` is `o`, `đ` and `ð` are `d`, `ı` is `i`, `æ` is `ae`, `œ` is `oe`, `ß` is `ss`, `þ` is `th`. A final `ς` is `σ`.
///
/// A search has to fold what it looks for in the same way. For ASCII letters, and for Chinese and Japanese characters,
/// lower case is enough.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut is_latin = false;
    // In other scripts a mark makes another letter.
    let plain = text.nfkd().flat_map(char::to_lowercase).flat_map(without_stroke).filter(|&c| {
        let is_mark = matches!(c, '\u{300}'..='\u{36F}');
        is_latin = if is_mark { is_latin } else { c.is_ascii_lowercase() };
        !(is_mark && is_latin)
    });
    for c in plain.nfc() {
        if !c.is_whitespace() {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// For a small letter that Unicode does not take apart, those that stand for it where it cannot be written.
fn without_stroke(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ł' => ('l', None),
        'ø' => ('o', None),
        'đ' | 'ð' => ('d', None),
        'ı' => ('i', None),
        'ς' => ('σ', None),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'ß' => ('s', Some('s')),
        'þ' => ('t', Some('h')),
        _ => (c, None),
    };
    std::iter::once(first).chain(second)
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
            ("ŁUKASZ Jørgen Đorđe", "lukasz jorgen dorde"),
            ("Groß GROẞ GROSS", "gross gross gross"),
            ("Ærø œuvre Þór Ið", "aero oeuvre thor id"),
            ("Yıldız YILDIZ \u{1FE}o\u{301}", "yildiz yildiz oo"),
            ("ΓΙΩΡΓΟΣ Γιωργος", "γιωργοσ γιωργοσ"),
            ("", ""),
        ] {
            assert_eq!(fold(text), folded);
        }
    }
}
