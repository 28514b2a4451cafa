//! The same texts in every charset, by both kinds of escapes.

use std::borrow::Cow;

use proptest::prelude::*;
use sgf_stream::text::{self, Charset, EncodeError, Writing, join_compose};

/// Texts with the charsets that have all of their characters.
const TEXTS: [(&str, &str); 11] = [
    ("plain: [12k] (;) \\ ] \\\\ ]]", "*"),
    ("Grüße, ¿qué?", "UTF-8 gb18030 windows-1252 windows-1254 windows-1258 ISO-8859-15 macintosh"),
    ("Příliš žluťoučký kůň", "UTF-8 gb18030 windows-1250 ISO-8859-2"),
    ("Чёрные: сдались [9 дан]", "UTF-8 GBK gb18030 windows-1251 KOI8-R KOI8-U IBM866 ISO-8859-5 x-mac-cyrillic EUC-JP"),
    ("Πρώτος γύρος", "UTF-8 gb18030 windows-1253 ISO-8859-7"),
    ("第64届日本本因坊战 鑌 許 黑中盘胜\\]", "UTF-8 GBK gb18030"),
    ("第64屆日本本因坊戰 功 蓋 許 黑中盤勝\\]", "UTF-8 GBK gb18030 Big5"),
    ("申し込み 表 ソ 予 ｱｲｳ 黒中押し勝ち\\]", "UTF-8 Shift_JIS gb18030"),
    ("申し込み 表 ソ 予 余正麒 黒中押し勝ち", "UTF-8 Shift_JIS EUC-JP gb18030 GBK"),
    ("박정환 흑 불계승", "UTF-8 EUC-KR gb18030"),
    ("\u{1F600} \u{20000}", "UTF-8 gb18030"),
];

fn writings(charset: Charset) -> [Writing; 2] {
    [Writing::by_byte(charset), Writing::by_character(charset)]
}

#[test]
fn what_is_escaped_reads_as_it_was() {
    for (text, names) in TEXTS {
        for charset in Charset::all().filter(|it| names == "*" || names.split(' ').any(|name| name == it.name())) {
            for writing in writings(charset) {
                let raw = match writing.escape(text) {
                    Ok(raw) => raw,
                    Err(EncodeError::Charset(_)) if names == "*" => continue,
                    Err(error) => panic!("{text}: {error}"),
                };
                assert_eq!(writing.text(&raw), text, "{writing:?}");
                assert_eq!(writing.simple_text(&raw), text, "{writing:?}");
                assert!(writing.decodes(&raw), "{writing:?}");
            }
        }
    }
}

#[test]
fn each_text_is_tried_in_every_charset_it_names() {
    for (_, names) in TEXTS {
        for name in names.split(' ').filter(|&name| name != "*") {
            assert_eq!(name.parse().map(Charset::name), Ok(name));
        }
    }
}

#[test]
fn both_kinds_of_escapes() {
    for (charset, raw, by_byte, by_character) in [
        // As MultiGo writes it, and as text editors do.
        (Charset::BIG5, &b"\xA6\\]\xA7\x7B"[..], "因坊", "吒]坊"),
        (Charset::BIG5, b"\xA6]\xA7\x7B", "因坊", "因坊"),
        (Charset::BIG5, b"\xA5\\\xAF\xE0", "弁\u{FFFD}", "功能"),
        (Charset::SHIFT_JIS, b"\x90\\\x82\xB5", "垂ｵ", "申し"),
        (Charset::SHIFT_JIS, b"\x97\\\x5D", "余", "予]"),
        (Charset::SHIFT_JIS, b"a\\]b\\\\", "a]b\\", "a]b\\"),
        (Charset::GBK, b"\x95\\\\\xBF\xA1", "昞俊", "昞俊"),
        // A character that is escaped as one, and one that is not.
        (Charset::BIG5, b"\\\xA6]", "因", "因"),
        // A line break is no second byte.
        (Charset::BIG5, b"\xA6\\\n\x5D", "因", "吒 ]"),
        // In other charsets a backslash is a backslash.
        (Charset::EUC_KR, b"\xB9\xDA\\]", "박]", "박]"),
        (Charset::UTF_8, b"\xE5\x9B\xA0\\]", "因]", "因]"),
        (Charset::WINDOWS_1252, b"\xE9\\]\x93", "é]\u{201C}", "é]\u{201C}"),
    ] {
        let [byte, character] = writings(charset);
        assert_eq!(byte.simple_text(raw), by_byte, "{charset} {raw:X?} by byte");
        assert_eq!(character.simple_text(raw), by_character, "{charset} {raw:X?} by character");
    }
}

#[test]
fn seven_bit_text_is_decoded_before_escapes_are_undone() {
    for (charset, raw) in [(Charset::HZ, &b"~{0\\~}\\]"[..]), (Charset::ISO_2022_JP, b"\x1B$B0\\\x1B(B\\]")] {
        for writing in writings(charset) {
            let text = writing.text(raw);
            assert_eq!(text.chars().count(), 2, "{text}");
            assert!(text.ends_with(']'), "{text}");
        }
    }
}

#[test]
fn compose_splits_between_characters() {
    for (writing, raw, halves) in [
        (Writing::by_character(Charset::BIG5), &b"\xA5\\:b"[..], Some((&b"\xA5\\"[..], &b"b"[..]))),
        (Writing::by_byte(Charset::BIG5), b"\xA5\\:b", None),
        (Writing::by_byte(Charset::BIG5), b"\xA5\\\\:b", Some((b"\xA5\\\\", b"b"))),
        (Writing::by_character(Charset::BIG5), b"a\\:b:c:d", Some((b"a\\:b", b"c:d"))),
        (Writing::by_character(Charset::UTF_8), b"a\\:b:c", Some((b"a\\:b", b"c"))),
        (Writing::by_character(Charset::SHIFT_JIS), b"", None),
    ] {
        assert_eq!(writing.split_compose(raw), halves, "{writing:?} {raw:X?}");
        if let Some((left, right)) = halves {
            assert_eq!(join_compose(left, right), raw);
        }
    }
}

#[test]
fn nothing_to_change_is_borrowed() {
    for charset in Charset::all().filter(|charset| !charset.is_wide()) {
        for writing in writings(charset) {
            assert!(matches!(writing.text(b"plain: [12k] (;)\nand a line"), Cow::Borrowed(_)), "{writing:?}");
            assert!(writing.escape("plain").is_ok_and(|raw| matches!(raw, Cow::Borrowed(_))) || charset.is_stateful());
        }
    }
    let writing = Writing::default();
    assert!(matches!(writing.text("因坊".as_bytes()), Cow::Borrowed(_)));
    assert!(matches!(writing.escape("因坊"), Ok(Cow::Borrowed(_))));
}

#[test]
fn what_is_no_text_is_replaced_and_said() {
    let writing = Writing::by_byte(Charset::BIG5);
    assert!(writing.decodes(b"\xA6\\]"));
    assert!(!writing.decodes(b"\xA6"));
    assert_eq!(writing.text(b"a\xA6"), "a\u{FFFD}");
    assert!(!Writing::by_character(Charset::BIG5).decodes(b"\xA6"));
}

#[test]
fn what_can_not_be_written_is_said() {
    let snowman = Writing::by_byte(Charset::BIG5).escape("a☃").unwrap_err();
    assert_eq!(snowman, EncodeError::Character('☃', Charset::BIG5));
    let hz = Writing::by_byte(Charset::HZ).escape("a").unwrap_err();
    assert_eq!(hz, EncodeError::Charset(Charset::HZ));
}

/// What reading does to white space.
fn spaced(text: &str, line_break: char) -> String {
    let mut spaced = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        spaced.push(match c {
            '\r' | '\n' => {
                chars.next_if(|&next| matches!((c, next), ('\r', '\n') | ('\n', '\r')));
                line_break
            }
            '\t' | '\x0B' | '\x0C' => ' ',
            _ => c,
        });
    }
    spaced
}

fn charsets() -> impl Strategy<Value = Charset> {
    prop::sample::select(Charset::all().collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn any_text_survives_a_round_trip(text in "[\\\\\\]:\\[;()\r\n\t a-z因功申吒é\u{1F600}]{0,24}") {
        let raw = text::escape(text.as_bytes());
        let simple = text::simple_text(&raw).into_owned();
        prop_assert_eq!(String::from_utf8(simple).unwrap(), spaced(&text, ' '));
        let read = Writing::default().text(&raw).into_owned();
        prop_assert_eq!(&read, &spaced(&text, '\n'));
        // Once read, nothing is lost any more.
        let again = text::escape(read.as_bytes()).into_owned();
        prop_assert_eq!(Writing::default().text(&again), read);
    }

    #[test]
    fn any_text_of_a_charset_survives_a_round_trip(
        charset in charsets(),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let text = spaced(&charset.decode(&bytes).0, '\n');
        for writing in writings(charset) {
            if let Ok(raw) = writing.escape(&text) {
                prop_assert_eq!(writing.text(&raw), &*text, "{:?}", writing);
            }
        }
    }

    #[test]
    fn composed_halves_survive_a_round_trip(left in "[\\\\\\]:a因功é]{0,8}", right in "[\\\\\\]:a因功é]{0,8}", charset in charsets()) {
        for writing in writings(charset) {
            let (Ok(left_raw), Ok(right_raw)) = (writing.escape_compose(&left), writing.escape_compose(&right)) else { continue };
            let raw = join_compose(&left_raw, &right_raw);
            let (first, second) = writing.split_compose(&raw).expect("a colon between them");
            prop_assert_eq!(writing.text(first), &*left);
            prop_assert_eq!(writing.text(second), &*right);
        }
    }

    #[test]
    fn what_decodes_has_nothing_replaced(charset in charsets(), raw in prop::collection::vec(any::<u8>(), 0..64)) {
        let has_that_character = ["UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE", "GBK", "gb18030"];
        for writing in writings(charset) {
            let replaced = writing.text(&raw).contains('\u{FFFD}');
            prop_assert!(!(writing.decodes(&raw) && replaced) || has_that_character.contains(&charset.name()));
        }
    }
}
