//! Which charset a text is written in, where nobody says it.
//!
//! Owns [`Utf8`], the count of what is UTF-8 in a text, and [`guess`]: chardetng, corrected by what is known of texts
//! beside games. Its statistics need more text than a pair of names; those of a few hundred words that stand in every
//! game record need less. Refuses to know where a text comes from and what is done with the answer.

use std::ops::RangeInclusive;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use crate::text::Charset;
use crate::text::familiar::Familiar;

/// How much of a text is UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Utf8 {
    /// Characters of two bytes.
    short: usize,
    /// Bytes of characters of three or four.
    long: usize,
    /// Bytes that are no character; those that no damage makes of UTF-8 count for more.
    bad: usize,
}

/// What a byte counts for that is in no UTF-8, however it was damaged: never in any, or in the midst of a character whose
/// beginning nobody replaced by a `?`.
const FOREIGN: usize = 4;

impl Utf8 {
    /// Counts to the end of the text, or until the answers to all questions below are known: it is other.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut utf8 = Self::default();
        let (mut at, mut is_replaced) = (0, false);
        while let Some(ascii) = text[at..].iter().position(|byte| !byte.is_ascii()) {
            if ascii > 0 {
                at += ascii;
                is_replaced = text[at - 1] == b'?';
            }
            let byte = text[at];
            let character = character(&text[at..]);
            match (character, byte) {
                (Ok(2), _) => utf8.short += 1,
                (Ok(3), 0xEE | 0xEF) if is_private(&text[at..]) => {}
                (Ok(len), _) => utf8.long += len,
                (Err(_), 0xC0 | 0xC1 | 0xF5..) => utf8.bad += FOREIGN,
                (Err(_), 0x80..=0xBF) if !is_replaced => utf8.bad += FOREIGN,
                (Err(len), _) => utf8.bad += len,
            }
            is_replaced = character.is_err();
            at += character.unwrap_or_else(|len| len);
            if is_replaced && utf8.bad > 2 * (utf8.short + utf8.long + (text.len() - at)) {
                break;
            }
        }
        utf8
    }

    /// All of it.
    pub(super) fn is_valid(self) -> bool {
        self.bad == 0
    }

    /// All of it, and more than a pair of other characters could be by chance.
    pub(super) fn is_certain(self) -> bool {
        self.bad == 0 && self.long > 0
    }

    /// Most of it: names were cut inside a character, or bytes replaced by `?`.
    ///
    /// In 806 real files of that kind, at least 65 in 100 bytes belong to characters of three or four bytes; in 2,900 files
    /// of other charsets at most 30, or 50 where there are less than ten such bytes.
    pub(super) fn is_damaged(self) -> bool {
        let whole = self.long + 2 * self.short;
        let all = whole + self.bad;
        self.bad > 0 && (self.long * 10 >= all * 6 || (self.short >= 3 && whole * 20 >= all * 17))
    }

    /// More than half of it: damage where UTF-8 is what is to be expected.
    pub(super) fn is_mostly(self) -> bool {
        let whole = self.long + 2 * self.short;
        whole > self.bad
    }

    /// So much of it that it is no text of a charset of single bytes, in which all bytes are text and some are UTF-8 by chance.
    pub(super) fn is_hardly_damaged(self) -> bool {
        self.is_valid() || (self.is_damaged() && 4 * self.bad <= self.long + 2 * self.short)
    }

    /// None of it, but by chance.
    pub(super) fn is_other(self) -> bool {
        2 * self.long < self.bad && self.short < self.bad
    }
}

/// Whether a text is UTF-8 and can't well be anything else: [`Utf8::is_certain`], which is soon known of any other text.
pub(crate) fn is_certain_utf_8(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.chars().any(|c| c.len_utf8() > 2 && !PRIVATE.contains(&c)))
}

/// For private use: nobody's text, but what the bytes of other charsets look like.
const PRIVATE: RangeInclusive<char> = '\u{E000}'..='\u{F8FF}';

/// The same for the three bytes of one.
fn is_private(text: &[u8]) -> bool {
    matches!(text, [0xEE, ..] | [0xEF, 0x80..=0xA3, ..])
}

/// The bytes of the character of UTF-8 that a text begins with, a byte that is not ASCII first; as an error, those that are the
/// beginning of one and no more. [`slice::utf8_chunks`] says the same, at two or three times the cost where little is UTF-8.
#[inline]
fn character(text: &[u8]) -> Result<usize, usize> {
    let goes_on = |at: usize| matches!(text.get(at), Some(0x80..=0xBF));
    match *text {
        [0xC2..=0xDF, 0x80..=0xBF, ..] => Ok(2),
        [0xE0, 0xA0..=0xBF, ..] | [0xE1..=0xEC | 0xEE | 0xEF, 0x80..=0xBF, ..] | [0xED, 0x80..=0x9F, ..] => {
            if goes_on(2) { Ok(3) } else { Err(2) }
        }
        [0xF0, 0x90..=0xBF, ..] | [0xF1..=0xF3, 0x80..=0xBF, ..] | [0xF4, 0x80..=0x8F, ..] => {
            match (goes_on(2), goes_on(3)) {
                (true, true) => Ok(4),
                (true, false) => Err(3),
                (false, _) => Err(2),
            }
        }
        _ => Err(1),
    }
}

/// How well a text fits a charset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fit {
    /// Characters that are not ASCII.
    characters: usize,
    bad: usize,
    /// Characters that are often in game records.
    words: usize,
}

impl Fit {
    fn of(charset: Charset, text: &[u8]) -> Self {
        let mut fit = Self::default();
        let familiar = Familiar::of(charset);
        for c in charset.decode(text).0.chars().filter(|c| !c.is_ascii()) {
            fit.characters += 1;
            fit.bad += usize::from(c == char::REPLACEMENT_CHARACTER);
            fit.words += usize::from(familiar.has(c));
        }
        fit
    }

    /// All of it, or all but a character here and there.
    fn is_near(self) -> bool {
        self.bad * 8 <= self.characters
    }
}

/// True if all of a text fits a charset, but for a damaged character here and there.
pub(super) fn nearly_decodes(charset: Charset, text: &[u8]) -> bool {
    !charset.is_stateful() && Fit::of(charset, text).is_near()
}

/// The same where a label says so, too: it may be damaged more.
pub(super) fn mostly_decodes(charset: Charset, text: &[u8]) -> bool {
    Growing::new(charset).mostly_decodes(text)
}

/// The same for a text that grows line by line: what was there before is not decoded again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growing {
    charset: Charset,
    len: usize,
    fit: Fit,
}

impl Growing {
    pub(super) fn new(charset: Charset) -> Self {
        Self { charset, len: 0, fit: Fit::default() }
    }

    pub(super) fn charset(&self) -> Charset {
        self.charset
    }

    /// As [`mostly_decodes`]. What the text had when this was last asked were whole lines, and stands there still.
    pub(super) fn mostly_decodes(&mut self, text: &[u8]) -> bool {
        let more = Fit::of(self.charset, &text[self.len..]);
        self.len = text.len();
        self.fit.characters += more.characters;
        self.fit.bad += more.bad;
        !self.charset.is_stateful() && self.fit.bad * 3 <= self.fit.characters
    }
}

/// The charsets in which two bytes may be a character.
const DOUBLE: [Charset; 5] = [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS, Charset::EUC_JP, Charset::EUC_KR];

/// Bytes of 80 or more that are text enough to stand against the neighbours.
const ENOUGH: usize = 64;

/// Bytes of text that are judged.
pub(super) const JUDGED: usize = 1 << 10;

/// Bytes of 80 or more that are too few for statistics.
const FEW: usize = 12;

/// What a text is probably written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) charset: Charset,
    /// There was text enough to tell, so that shorter texts may follow.
    pub(super) is_sure: bool,
}

/// What `text`, which is not UTF-8, is probably written in. `usual` is what its neighbours are written in.
pub(super) fn guess(text: &[u8], usual: Option<Charset>) -> Guess {
    let text = beginning(text);
    if let Some(usual) = usual.filter(|usual| DOUBLE.contains(usual)) {
        let fit = Fit::of(usual, text);
        if fit.bad == 0 && fit.words >= 4 && fit.words * 2 >= fit.characters {
            // In no other charset is the half of it so familiar.
            return Guess { charset: usual, is_sure: true };
        }
    }
    let high = text.iter().filter(|byte| !byte.is_ascii()).count();
    let fits = DOUBLE.map(|charset| (charset, Fit::of(charset, text)));
    let words_of = |charset| fits.iter().find(|fit| fit.0 == charset).map_or(0, |fit| fit.1.words);
    // The first of equals: Chinese is the most frequent by far.
    let (best, fit) =
        fits.into_iter().filter(|(_, fit)| fit.is_near()).rev().max_by_key(|(_, fit)| fit.words).unwrap_or_default();
    let words = if fit.words * 8 >= fit.characters { fit.words } else { 0 };
    let is_plain = words >= 4 && words * 4 >= fit.characters && words >= 2 * others(&fits, best);
    if is_plain && usual.is_none_or(|usual| usual == best) {
        // Statistics would take longer and say the same.
        return Guess { charset: best, is_sure: true };
    }
    let usual_is_near = |usual: Charset| high < ENOUGH && Fit::of(usual, text).is_near();
    if let Some(usual) = usual.filter(|usual| usual.is_single_byte())
        && fits.iter().all(|(_, fit)| fit.bad > 0 && fit.words == 0)
        && usual_is_near(usual)
    {
        // Statistics would find nothing but single bytes either.
        return Guess { charset: usual, is_sure: false };
    }
    let detected = detected(text);
    if let Some(usual) = usual {
        if words >= 2 + words_of(usual) {
            return Guess { charset: best, is_sure: true };
        }
        let alike = !usual.is_single_byte() || detected.is_single_byte();
        if alike && usual_is_near(usual) {
            // As sure as it would be without them.
            return Guess { charset: usual, is_sure: usual == best && words >= 2 };
        }
    }
    // In a few letters of one byte each, there are some by chance.
    if words > words_of(detected) && (!detected.is_single_byte() || words * 3 >= fit.characters) {
        return Guess { charset: best, is_sure: words >= 2 };
    }
    let is_rare = words_of(detected) == 0 && matches!(detected, Charset::EUC_KR | Charset::EUC_JP);
    if is_rare && is_gb_2312(text) {
        return Guess { charset: Charset::GBK, is_sure: false };
    }
    if words == 0 && high <= FEW && detected != Charset::BIG5 && is_common_chinese(text, detected) {
        return Guess { charset: Charset::GBK, is_sure: false };
    }
    if words == 0 && high >= 3 && matches!(detected, Charset::GBK | Charset::EUC_KR) && are_letters(text) {
        return Guess { charset: Charset::WINDOWS_1252, is_sure: false };
    }
    Guess { charset: detected, is_sure: high >= ENOUGH || words >= 2 }
}

/// The most words in another charset.
fn others(fits: &[(Charset, Fit)], best: Charset) -> usize {
    fits.iter().filter(|(charset, _)| *charset != best).map(|(_, fit)| fit.words).max().unwrap_or(0)
}

/// As much of a text as statistics need; all that comes after it would change the answer in no real file.
fn beginning(text: &[u8]) -> &[u8] {
    let Some(start) = text.get(..JUDGED) else { return text };
    // Not inside a character: what is below `0` is no part of any.
    start.iter().rposition(|&byte| byte < b'0').map_or(start, |at| &start[..at])
}

fn detected(text: &[u8]) -> Charset {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&telling(text), true);
    Charset::of(detector.guess(None, Utf8Detection::Deny)).unwrap_or(Charset::WINDOWS_1252)
}

/// The words of a text that are not all ASCII, in which all is that tells charsets apart: each byte costs a few dozen
/// candidates. What is below `0` is no part of a character of several bytes.
fn telling(text: &[u8]) -> Vec<u8> {
    let words = text.split_inclusive(|&byte| byte < b'0').filter(|word| !word.is_ascii());
    let mut telling = Vec::with_capacity(text.len());
    words.for_each(|word| telling.extend_from_slice(word));
    telling
}

/// True if no two bytes of 80 or more are neighbours. In GBK and EUC-KR only rare characters have a second byte of ASCII.
fn are_letters(text: &[u8]) -> bool {
    text.windows(2).all(|pair| pair.iter().any(u8::is_ascii))
}

/// True if all of a text that is not ASCII are pairs of GB 2312's Chinese characters.
fn is_gb_2312(mut text: &[u8]) -> bool {
    loop {
        match text {
            [] => return true,
            [0..=0x7F, after @ ..] | [0xB0..=0xF7, 0xA1..=0xFE, after @ ..] => text = after,
            _ => return false,
        }
    }
}

/// True if all of a text that is not ASCII are pairs from the first level of GB 2312, which other languages do not fill:
/// letters of Europe stand alone or between ASCII, and Korean uses less than two thirds of it.
fn is_common_chinese(text: &[u8], detected: Charset) -> bool {
    let mut rest = text;
    let mut only_korean = true;
    loop {
        match rest {
            [] => return !(only_korean && detected == Charset::EUC_KR),
            [0..=0x7F, after @ ..] => rest = after,
            [lead @ 0xB0..=0xD7, 0xA1..=0xFE, after @ ..] => {
                only_korean &= *lead <= 0xC8;
                rest = after;
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_grows_fits_as_it_does_at_once() {
        let pieces = [
            &b"\xB0\xD7 a"[..],
            b"\xDF gro\xDFer",
            b"\x81\x30",
            b"\x81\x30\x81\x30",
            b"\x8E\xB1\x8F",
            b"\xE3\x81\x82",
            b"abc",
            b"",
        ];
        for charset in Charset::all().filter(|charset| !charset.is_wide()) {
            for number in 0..pieces.len().pow(4) {
                let mut growing = Growing::new(charset);
                let mut text = Vec::new();
                for place in 0..4 {
                    text.extend_from_slice(pieces[number / pieces.len().pow(place) % pieces.len()]);
                    text.push(b'\n');
                    let expected = mostly_decodes(charset, &text);
                    assert_eq!(growing.mostly_decodes(&text), expected, "{charset} {}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn damage_is_told_from_other_charsets() {
        for (text, damaged) in [
            // 李东, 冷静 and 谢峰 in GBK, 決勝 in EUC-JP: each holds the bytes of one character of UTF-8.
            (&b"\xC0\xEE\xB6\xAB"[..], false),
            (b"\xC0\xE4\xBE\xB2", false),
            (b"\xD0\xBB\xB7\xE5", false),
            (b"\xB7\xE8\xBE\xA1", false),
            (b"?\x9F\xAF\xE6\xB4\x81", true),
            (b"\xE6\x9F\xAF\xE6?", true),
            (b"\xE5\xBC\xA0\xE6?\xE6\xB6\xB5", true),
            (b"\xE6\x9F\xAF", false),
            (b"\xB1\xE4\xBB\xAF\xCD\xBC", false),
            (b"\xD6\xDC\xEE\xA3\xD1\xF2", false),
            (b"H\xE9ctor", false),
            (
                "\u{427}\u{435}\u{440}\u{43D}\u{44B}\u{435} \u{441}\u{434}\u{430}\u{43B}\u{438}\u{441}\u{44C}?"
                    .as_bytes(),
                false,
            ),
            ("J\u{FC}rgen M?\nG\u{FC}nter Gro\u{DF} \u{C3}".as_bytes(), false),
            (b"J\xC3\xBCrgen M\xC3\nG\xC3\xBCnter Gro\xC3\x9F", true),
            (b"\xD0\xA7\xD0\xB5\xD1\x80\xD0\xBD\xD1\x8B\xD0\xB5 \xD1\x81\xD0\xB4\xD0\xB0\xD0", true),
        ] {
            assert_eq!(Utf8::of(text).is_damaged(), damaged, "{}", text.escape_ascii());
        }
    }

    /// Counts alike, but for what is none, of which the same is said.
    fn check(text: &[u8]) {
        let said = |utf8: Utf8| {
            let whole = [utf8.is_valid(), utf8.is_certain(), utf8.is_hardly_damaged()];
            (whole, [utf8.is_damaged(), utf8.is_mostly(), utf8.is_other()])
        };
        let (found, expected) = (Utf8::of(text), naive(text));
        assert_eq!(said(found), said(expected), "{}", text.escape_ascii());
        assert!(found == expected || expected.is_other(), "{}", text.escape_ascii());
    }

    /// The specification of [`Utf8::of`].
    fn naive(text: &[u8]) -> Utf8 {
        let mut utf8 = Utf8::default();
        let mut before = None;
        for chunk in text.utf8_chunks() {
            for c in chunk.valid().chars().filter(|c| !PRIVATE.contains(c)) {
                match c.len_utf8() {
                    1 => {}
                    2 => utf8.short += 1,
                    len => utf8.long += len,
                }
            }
            before = chunk.valid().as_bytes().last().copied().or(before);
            utf8.bad += match chunk.invalid() {
                [0xC0 | 0xC1 | 0xF5..] => FOREIGN,
                [0x80..=0xBF] if before != Some(b'?') => FOREIGN,
                invalid => invalid.len(),
            };
            before = chunk.invalid().last().map(|_| b'?').or(before);
        }
        utf8
    }

    #[test]
    fn utf_8_is_counted_as_its_chunks_are() {
        const BYTES: &[u8] = b"a?\x80\x8F\x90\x9F\xA0\xA3\xA4\xBF\xC0\xC2\xDF\xE0\xE6\xED\xEE\xEF\xF0\xF1\xF4\xF5\xFF";
        let all = |at: usize| BYTES[at % BYTES.len()];
        for number in 0..BYTES.len().pow(4) {
            let mut rest = number;
            let text = [(); 4].map(|()| {
                let byte = all(rest);
                rest /= BYTES.len();
                byte
            });
            check(&text);
        }
        let mut state = 1_u32;
        let text: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
            all((state >> 16) as usize)
        })
        .take(10_000)
        .collect();
        for (from, len) in (0..5000).zip([5, 6, 7, 50, 500].into_iter().cycle()) {
            check(&text[from..from + len]);
        }
    }

    /// Texts that stand alone in a game, in each charset.
    #[test]
    fn short_texts_are_recognized() {
        for (charset, texts) in [
            (
                Charset::GBK,
                &[
                    "李昌镐\n刘昌赫",
                    "古力\n常昊",
                    "林海峰\n片冈聪",
                    "2段",
                    "黑先",
                    "柯洁 九段",
                    "逃",
                    "第10届LG杯决赛",
                    "白胜3/4子",
                ][..],
            ),
            (Charset::BIG5, &["周俊勳\n林海峰", "黑中盤勝", "黑先白死", "第5屆應氏盃"]),
            (Charset::SHIFT_JIS, &["井山裕太", "趙治勲\n武宮正樹", "黒中押し勝ち", "白2目半勝", "シチョウ"]),
            (Charset::EUC_JP, &["黒中押し勝ち", "白2目半勝", "シチョウ", "第45期名人戦"]),
            (Charset::EUC_KR, &["이세돌", "박정환\n신진서", "흑 불계승", "백 2집반승", "조훈현"]),
            (Charset::WINDOWS_1252, &["Müller\nSchäfer", "Weiß", "Héctor Máximo", "Noir à jouer"]),
            ("windows-1251".parse().unwrap(), &["Чёрные сдались", "Илья Шикшин\nКубок", "Санкт-Петербург"]),
            ("windows-1250".parse().unwrap(), &["Příliš žluťoučký kůň", "Łódź"]),
            ("windows-1253".parse().unwrap(), &["Πρώτος γύρος", "Μαύρα κερδίζουν"]),
        ] {
            for text in texts {
                let bytes = charset.encode(text).unwrap();
                assert_eq!(guess(&bytes, None).charset, charset, "{text}");
                assert_eq!(guess(&bytes, Some(charset)).charset, charset, "{text}");
            }
        }
    }

    #[test]
    fn neighbours_decide_what_is_too_short() {
        let name = Charset::GBK.encode("蒲甫").unwrap();
        for charset in [Charset::GBK, Charset::EUC_KR, Charset::EUC_JP, Charset::BIG5] {
            assert_eq!(guess(&name, Some(charset)), Guess { charset, is_sure: false });
        }
        // But not against what is not possible, or what is long enough, or of known words.
        assert_eq!(guess(b"M\xFCller", Some(Charset::EUC_KR)).charset, Charset::WINDOWS_1252);
        let long = "在右上角的下法有些问题，抓住机会取得了优势。".repeat(3);
        for text in [&long[..], "黑中盘胜"] {
            let text = Charset::GBK.encode(text).unwrap();
            assert_eq!(guess(&text, Some(Charset::EUC_KR)), Guess { charset: Charset::GBK, is_sure: true });
        }
    }

    #[test]
    fn letters_that_stand_alone_are_no_pairs() {
        let text = b"\xC3\xBCbermensch\nuser\xB4s informat\nshouldn\xB4t look\nthat\xB4s not";
        assert_eq!(guess(&text[2..], None).charset, Charset::WINDOWS_1252);
    }

    #[test]
    fn a_cut_name_in_a_long_text_changes_nothing() {
        let mut text = Charset::GBK.encode("黑中盘胜 第10届LG杯决赛 九段").unwrap().into_owned();
        text.extend_from_slice(b"\n\xC0\xEE\xB2\n");
        assert_eq!(guess(&text, None), Guess { charset: Charset::GBK, is_sure: true });
    }
}
