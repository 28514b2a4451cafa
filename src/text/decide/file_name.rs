//! Names of files that say no charset.
//!
//! Owns [`file_name`]. A name is read alone, so that it is the same wherever it stands and however it was found. Refuses to know
//! what the file is, and how a name is shown that nobody can read.

use std::borrow::Cow;

use crate::text::decide::utf8::Utf8;
use crate::text::guess::letters::is_latin;
use crate::text::guess::{Guesser, are_letters};

/// The letters from 0x80 and from 0xA0 on that western Europe had under DOS, in its code page 437 as in 850.
const DOS: [&str; 2] = ["ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ", "áíóúñÑ"];

/// A name in UTF-8: as it is, or from the charset that it seems to be in. `None` if that leaves something that is not in names.
///
/// Zip archives of Windows have names in the charset of DOS for their country, and do not say which. No page of the web is in that
/// of western Europe, so chardetng does not know it: `\x81`, its `ü`, is a control character in its neighbours, and `\x84`, its `ä`,
/// a quotation mark.
pub(crate) fn file_name(name: &[u8]) -> Option<Cow<'_, str>> {
    if let Ok(name) = str::from_utf8(name) {
        return Some(name.into());
    }
    let utf8 = Utf8::of(name);
    if utf8.is_damaged() || utf8.is_mostly() {
        return None;
    }
    let charset = Guesser::new().guess(name, None).charset;
    let may_be_it = if charset.is_single_byte() {
        is_latin(charset) || name.windows(2).all(|pair| !is_mixed(pair))
    } else {
        !are_letters(name)
    };
    let text = Some(charset.decode(name)).filter(|(text, is_damaged)| {
        let is_in_names = |c| if charset.is_single_byte() { is_letter(c) } else { !is_private(c) };
        may_be_it && !is_damaged && text.chars().all(|c| c.is_ascii() || is_in_names(c))
    });
    text.map(|(text, _)| text).or_else(|| dos(name).map(Cow::Owned))
}

/// Whether a letter of ASCII has one of another script beside it.
fn is_mixed(pair: &[u8]) -> bool {
    pair.iter().any(u8::is_ascii_alphabetic) && !pair.is_ascii()
}

/// Without accents that stand alone.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{2B0}'..='\u{2FF}')
}

fn is_private(c: char) -> bool {
    c.is_control() || matches!(c, '\u{E000}'..='\u{F8FF}')
}

/// A `\` behind a letter may be half of a character of Japan.
fn dos(name: &[u8]) -> Option<String> {
    if name.windows(2).any(|pair| !pair[0].is_ascii() && pair[1] == b'\\') {
        return None;
    }
    let letter = |byte: u8| match byte {
        0x00..0x80 => Some(byte.into()),
        0x80..0xA0 => DOS[0].chars().nth(usize::from(byte - 0x80)),
        0xA0.. => DOS[1].chars().nth(usize::from(byte - 0xA0)),
    };
    name.iter().map(|&byte| letter(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Charset;

    #[test]
    fn names_are_in_the_charset_of_their_country() {
        for (label, names) in [
            (
                "GBK",
                &[
                    "名局/柯洁vs李世石.sgf",
                    "名局/吴清源.SGF",
                    "第10届LG杯决赛.sgf",
                    "对局001.sgf",
                    "围棋死活题\\001.sgf",
                    "聂卫平.sgf",
                    "棋谱.zip",
                    "1990年/黑胜.sgf",
                    "新建文件夹/a.sgf",
                ][..],
            ),
            ("Big5", &["周俊勳-林海峰.sgf", "棋譜/第5屆應氏盃.sgf", "張栩.sgf"]),
            ("Shift_JIS", &["井山裕太.sgf", "棋譜/第1局.sgf", "ヒカルの碁.sgf", "詰碁/001.sgf"]),
            ("EUC-KR", &["이세돌.sgf", "기보/박정환.sgf", "사활/001.sgf"]),
            ("windows-1252", &["Dupré/Hélène.sgf", "Müller.sgf", "Partie à jouer.sgf"]),
            ("windows-1250", &["Łódź/1.sgf", "Příliš.sgf"]),
            ("windows-1251", &["Партии/Шикшин.sgf", "Кубок.sgf"]),
            ("IBM866", &["Партии/Шикшин.sgf", "Кубок.sgf"]),
        ] {
            let charset: Charset = label.parse().unwrap();
            for name in names {
                assert_eq!(file_name(&charset.encode(name).unwrap()).as_deref(), Some(*name), "{label}");
            }
        }
    }

    #[test]
    fn names_of_dos_are_read() {
        for (name, expected) in [
            (&b"M\x81ller.sgf"[..], "Müller.sgf"),
            (b"J\x84ger/Caf\x82.sgf", "Jäger/Café.sgf"),
            (b"Espa\xA4a\\Mart\xA1n.sgf", "España\\Martín.sgf"),
        ] {
            assert_eq!(file_name(name).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_name_that_cannot_be_read_is_none() {
        for name in [&b"M\xB7ller.sgf"[..], b"a\xC3\x28\xB7\xB7", b"\xE5\xAF\xBE\xE5\xAF.sgf", b"\x83\\.sgf"] {
            assert_eq!(file_name(name), None, "{}", name.escape_ascii());
        }
        assert_eq!(file_name("対.sgf".as_bytes()).as_deref(), Some("対.sgf"));
    }
}
