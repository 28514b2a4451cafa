//! Names of files that say no charset.
//!
//! Owns [`file_name`]. A name is read alone, so that it is the same wherever it stands and however it was found. Refuses to know
//! what the file is, and how a name is shown that nobody can read.

use std::borrow::Cow;

use crate::text::decide::utf8::Utf8;
use crate::text::guess::Guesser;

/// A name in UTF-8: as it is, or from the charset of East Asia that it seems to be in, as programs of Windows write it. `None` if that
/// leaves something that is not in names.
///
/// One character alone fits too many charsets, so two must stand together. Other charsets were tried. A few letters fit those of
/// DOS as well as those of Windows, and names with `á` for `ß` or Cyrillic letters for Greek ones are worse than bytes.
pub(crate) fn file_name(name: &[u8]) -> Option<Cow<'_, str>> {
    if let Ok(name) = str::from_utf8(name) {
        return Some(name.into());
    }
    let utf8 = Utf8::of(name);
    if utf8.is_damaged() || utf8.is_mostly() {
        return None;
    }
    let charset = Guesser::new().guess(name, None).charset;
    let (text, is_damaged) = charset.decode(name);
    let mut pairs = text.chars().zip(text.chars().skip(1));
    let has_pair = pairs.any(|(one, other)| !one.is_ascii() && !other.is_ascii());
    let is_plain = !is_damaged && has_pair && !charset.is_single_byte() && !text.contains(is_private);
    is_plain.then_some(text)
}

fn is_private(c: char) -> bool {
    (c.is_control() && !c.is_ascii()) || matches!(c, '\u{E000}'..='\u{F8FF}')
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
            ("Shift_JIS", &["井山裕太.sgf", "ヒカルの碁.sgf", "詰碁/001.sgf"]),
            ("EUC-KR", &["이세돌.sgf", "기보/박정환.sgf", "사활/001.sgf"]),
        ] {
            let charset: Charset = label.parse().unwrap();
            for name in names {
                assert_eq!(file_name(&charset.encode(name).unwrap()).as_deref(), Some(*name), "{label}");
            }
        }
    }

    #[test]
    fn a_name_that_cannot_be_read_is_none() {
        for name in [
            &b"M\x81ller.sgf"[..],
            b"Dupr\xE9.sgf",
            b"Stra\xE1e.sgf",
            b"\x83\\.sgf",
            b"a\xBF\xC2/\xBF\xC2b.sgf",
            b"a\xC3\x28\xB7\xB7",
            b"\xFF\xFE\xFF\xFF.sgf",
            b"\x8D\xA0\xA2\xA6\xA5.sgf",
            b"\xE5\xAF\xBE\xE5\xAF.sgf",
        ] {
            assert_eq!(file_name(name), None, "{}", name.escape_ascii());
        }
        assert_eq!(file_name("対.sgf".as_bytes()).as_deref(), Some("対.sgf"));
    }
}
