//! Which charset a text is written in, if nothing says it.
//!
//! Owns [`Guesser`]: chardetng, corrected by what is known about texts in game records. The statistics of chardetng
//! need more text than a pair of names; statistics of the few hundred words that stand in every record need less. Invariant:
//! when a text grows, what was counted of it is not counted again, and the answer is the one for the whole text. Refuses to
//! know where a text comes from and what the answer is used for.
//!
//! `fit` counts the characters that a charset makes of a text: with `pairs`, where two bytes may be one, and with `familiar`, which
//! are frequent. `spelling` and `letters` look at letters, which `signs` are none of; `statistics` are those of chardetng, and of
//! `letters` where the text is too short for them.

mod familiar;
pub(super) mod fit;
pub(super) mod letters;
mod pairs;
mod signs;
pub(super) mod spelling;
mod statistics;

use crate::text::Charset;
use crate::text::guess::fit::{Fit, Growing, nearly_decodes};
use crate::text::guess::letters::{Unlikely, is_latin, likeliest};
use crate::text::guess::signs::without_signs;
use crate::text::guess::spelling::{is_spelled, may_be_spelled};
use crate::text::guess::statistics::{ENOUGH, Statistics};

/// The charsets in which two bytes may be a character.
const DOUBLE: [Charset; 5] = [Charset::GBK, Charset::BIG5, Charset::SHIFT_JIS, Charset::EUC_JP, Charset::EUC_KR];

/// How many bytes of text are judged.
pub(super) const JUDGED: usize = 1 << 10;

/// This many bytes of 0x80 or more are too few for statistics.
const FEW: usize = 12;

/// What a text is probably written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) charset: Charset,
    /// There was enough text to know, so that shorter texts may follow this guess.
    pub(super) is_sure: bool,
    /// What it is probably written in if the neighbours are in some charset of one byte, which is what counts among the next
    /// games' neighbours: a wrong guess that is repeated because of itself is no evidence.
    pub(super) alone: Charset,
}

impl Guess {
    pub(super) const fn new(charset: Charset, is_sure: bool) -> Self {
        Self { charset, is_sure, alone: charset }
    }
}

/// What the guesses about one text, which grows by whole lines, have counted so far.
#[derive(Clone, Debug)]
pub(super) struct Guesser {
    fits: [Growing; DOUBLE.len()],
    statistics: Statistics,
}

impl Guesser {
    pub(super) fn new() -> Self {
        Self { fits: DOUBLE.map(Growing::new), statistics: Statistics::default() }
    }

    /// Forgets the text; the next one is another.
    pub(super) fn forget(&mut self) {
        self.fits = DOUBLE.map(Growing::new);
        self.statistics.forget();
    }

    fn fit(&mut self, charset: Charset, text: &[u8]) -> Option<Fit> {
        let growing = self.fits.iter_mut().find(|growing| growing.charset() == charset)?;
        Some(growing.fit(text))
    }

    /// Whether all of a text is valid in a charset with characters of two bytes, and half of its characters are familiar from
    /// game records. In no other such charset would half of it be as familiar, nor would it be UTF-8, damaged or not.
    pub(super) fn is_plainly(&mut self, usual: Charset, text: &[u8]) -> bool {
        let fit = self.fit(usual, beginning(text));
        fit.is_some_and(|fit| fit.bad == 0 && fit.words >= 4 && fit.words * 2 >= fit.characters)
    }

    /// What `text`, which is not UTF-8, is probably written in. `usual` is what its neighbours are written in. When
    /// this was last called, the text consisted of whole lines, which are still at its beginning.
    pub(super) fn guess(&mut self, text: &[u8], usual: Option<Charset>) -> Guess {
        let text = beginning(text);
        let guess = self.first_guess(text, usual);
        if is_latin(guess.charset)
            && are_crowded(text)
            && let Some(charset) = self.damaged(text)
        {
            return Guess::new(charset, false);
        }
        if guess.charset == Charset::WINDOWS_1252 || !is_latin(guess.charset) {
            return guess;
        }
        match without_signs(guess.charset, text) {
            Some(bare) if bare.is_ascii() => of_signs(text, usual),
            Some(bare) => {
                let other = Self::new().first_guess(&bare, usual);
                let other = if is_latin(other.charset) { other } else { guess };
                // If the signs would still be letters, the charset that has them may have the other letters, too.
                let is_western =
                    without_signs(other.charset, text).is_some() && likeliest(&bare) == Charset::WINDOWS_1252;
                if is_western { Guess::new(Charset::WINDOWS_1252, false) } else { other }
            }
            None => guess,
        }
    }

    /// The charset with characters of two bytes in which a text makes some sense whose bytes stand together like no letters of
    /// Europe: a byte that is lost or put in makes others of all characters behind it, up to the next ASCII.
    fn damaged(&mut self, text: &[u8]) -> Option<Charset> {
        let fits = self.fits.each_mut().map(|growing| (growing.charset(), growing.fit(text)));
        let makes_sense = |fit: Fit| {
            fit.characters >= 6 && (1..=fit.characters / 6).contains(&fit.bad) && fit.words * 4 >= fit.characters
        };
        let known = fits.into_iter().rev().filter(|(_, fit)| makes_sense(*fit));
        known.max_by_key(|(_, fit)| fit.words).map(|(charset, _)| charset)
    }

    /// The guess by letters and characters, of a text that is a [`beginning`].
    fn first_guess(&mut self, text: &[u8], usual: Option<Charset>) -> Guess {
        if let Some(usual) = usual
            && self.is_plainly(usual, text)
        {
            return Guess::new(usual, true);
        }
        let high = text.iter().filter(|byte| !byte.is_ascii()).count();
        let fits = self.fits.each_mut().map(|growing| (growing.charset(), growing.fit(text)));
        let words_of = |charset| fits.iter().find(|fit| fit.0 == charset).map_or(0, |fit| fit.1.words);
        // The first of equals wins: Chinese is by far the most frequent.
        let near = fits.iter().rev().filter(|(_, fit)| fit.is_near());
        let (best, fit) = near.max_by_key(|(_, fit)| fit.words).copied().unwrap_or_default();
        let words = if fit.words * 8 >= fit.characters { fit.words } else { 0 };
        let is_plain = words >= 4 && words * 4 >= fit.characters && words >= 2 * others(&fits, best);
        if is_plain && fit.bad == 0 && usual.is_none_or(|usual| usual == best) {
            // Statistics would take longer and say the same.
            return Guess::new(best, true);
        }
        let usual_is_near = |usual: Charset| high < ENOUGH && nearly_decodes(usual, text);
        if let Some(usual) = usual.filter(|usual| usual.is_single_byte()) {
            let are_no_pairs = || fits.iter().all(|(_, fit)| fit.bad > 0 && fit.words == 0);
            let may_be_words = || are_no_pairs() || (words == 0 && (high >= FEW || has_letter(text)));
            let are_letters = || words == 0 && are_letters(text);
            if usual_is_near(usual) && (are_letters() || (may_be_words() && is_spelled(usual, text))) {
                return self.among_letters(usual, text);
            }
            if words < 2 && high >= ENOUGH && self.statistics.of_enough(text) == Some(usual) {
                // All of the text would hardly give another answer.
                return Guess::new(usual, true);
            }
        }
        let are_pairs = fit.bad == 0 && (is_plain || words * 2 >= fit.characters);
        // Halves of characters of the usual charset may stand between ASCII, too.
        let is_usual = || usual.is_some_and(|usual| !usual.is_single_byte() && usual.decodes(text));
        let may_be_letters = || high >= FEW || (has_letter(text) && (!is_usual() || are_ascii_words(text)));
        if !are_pairs && may_be_letters() {
            // Some characters are familiar by chance.
            let detected = self.statistics.of(text);
            if detected.is_single_byte() && is_spelled(detected, text) {
                let is_too =
                    |usual: &Charset| usual.is_single_byte() && usual_is_near(*usual) && may_be_spelled(*usual, text);
                let charset = usual.filter(is_too).unwrap_or(detected);
                return Guess { charset, is_sure: high >= ENOUGH, alone: detected };
            }
        }
        if let Some(usual) = usual {
            if words >= 2 + words_of(usual) {
                return Guess::new(best, true);
            }
            // Statistics come last because they take longest.
            if usual_is_near(usual) {
                if !usual.is_single_byte() {
                    // As sure as it would be without statistics.
                    return Guess::new(usual, usual == best && words >= 2);
                }
                if self.statistics.of(text).is_single_byte() {
                    return self.among_letters(usual, text);
                }
            }
        }
        let detected = self.statistics.of(text);
        // A few letters of one byte each contain some familiar characters by chance.
        if words > words_of(detected) && (!detected.is_single_byte() || words * 3 >= fit.characters) {
            return Guess::new(best, words >= 2);
        }
        let is_rare = words_of(detected) == 0 && matches!(detected, Charset::EUC_KR | Charset::EUC_JP);
        if is_rare && is_gb_2312(text) {
            return Guess::new(Charset::GBK, false);
        }
        if words == 0 && high <= FEW && detected != Charset::BIG5 && is_common_chinese(text, detected) {
            return Guess::new(Charset::GBK, false);
        }
        if words == 0 && high >= 3 && matches!(detected, Charset::GBK | Charset::EUC_KR) && are_letters(text) {
            return Guess::new(likeliest(text), false);
        }
        Guess::new(detected, high >= ENOUGH || words >= 2)
    }

    /// A guess about text in some charset of one byte; `usual` is one.
    fn among_letters(&mut self, usual: Charset, text: &[u8]) -> Guess {
        let detected = self.statistics.of(text);
        let alone = if detected.is_single_byte() { detected } else { usual };
        let is_much_likelier = || Unlikely::of(text).prefers(alone, usual);
        let is_alone =
            alone != usual && ((is_spelled(alone, text) && !may_be_spelled(usual, text)) || is_much_likelier());
        Guess { charset: if is_alone { alone } else { usual }, is_sure: false, alone }
    }
}

/// What a text is in that has only signs: what is usual, unless that has letters in their place.
fn of_signs(text: &[u8], usual: Option<Charset>) -> Guess {
    let has_them =
        |usual: &Charset| usual.is_single_byte() && usual.decodes(text) && without_signs(*usual, text).is_none();
    let charset = usual.filter(has_them).unwrap_or(Charset::WINDOWS_1252);
    Guess { charset, is_sure: false, alone: Charset::WINDOWS_1252 }
}

/// The most familiar characters in another charset.
fn others(fits: &[(Charset, Fit)], best: Charset) -> usize {
    fits.iter().filter(|(charset, _)| *charset != best).map(|(_, fit)| fit.words).max().unwrap_or(0)
}

/// As much of a text as statistics need; in no real file would more of it change the answer.
fn beginning(text: &[u8]) -> &[u8] {
    let Some(start) = text.get(..JUDGED) else { return text };
    // Not cut inside a character: a byte below `0` is part of none.
    start.iter().rposition(|&byte| byte < b'0').map_or(start, |at| &start[..=at])
}

/// Whether no two bytes of 0x80 or more are neighbours. In GBK and EUC-KR only rare characters have a second byte of ASCII.
fn are_letters(text: &[u8]) -> bool {
    text.windows(2).all(|pair| pair.iter().any(u8::is_ascii))
}

/// Whether most bytes of 0x80 or more stand with at least three others.
fn are_crowded(text: &[u8]) -> bool {
    let runs = text.split(u8::is_ascii).map(<[u8]>::len);
    let (crowded, all) = runs.fold((0, 0), |(crowded, all), len| (crowded + if len >= 4 { len } else { 0 }, all + len));
    2 * crowded > all
}

/// Whether some byte of 0x80 or more stands alone, between ASCII.
fn has_letter(text: &[u8]) -> bool {
    text.chunk_by(|one, next| one.is_ascii() == next.is_ascii()).any(|run| run.len() == 1 && !run.is_ascii())
}

/// Whether the words in which some bytes are not ASCII consist of ASCII letters for the most part.
fn are_ascii_words(text: &[u8]) -> bool {
    let words = text.split(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic()).filter(|word| !word.is_ascii());
    let (letters, high) = words.fold((0, 0), |(letters, high), word| {
        (letters + word.len(), high + word.iter().filter(|byte| !byte.is_ascii()).count())
    });
    4 * high < letters
}

/// Whether everything in a text that is not ASCII consists of pairs of GB 2312's Chinese characters.
fn is_gb_2312(mut text: &[u8]) -> bool {
    loop {
        match text {
            [] => return true,
            [0..=0x7F, after @ ..] | [0xB0..=0xF7, 0xA1..=0xFE, after @ ..] => text = after,
            _ => return false,
        }
    }
}

/// Whether everything in a text that is not ASCII consists of pairs from the first level of GB 2312. Other languages do
/// not fill it: letters of Europe stand alone or between ASCII, and Korean uses less than two thirds of it.
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
    use crate::testing::sequences;

    fn guess(text: &[u8], usual: Option<Charset>) -> Guess {
        Guesser::new().guess(text, usual)
    }

    /// Texts that are the only ones in a game, in each charset.
    #[test]
    fn short_texts_are_recognised() {
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
            assert_eq!(guess(&name, Some(charset)), Guess::new(charset, false));
        }
        // But not if that is impossible, or if the text is long enough or has known words.
        assert_eq!(guess(b"M\xFCller", Some(Charset::EUC_KR)).charset, Charset::WINDOWS_1252);
        let long = "在右上角的下法有些问题，抓住机会取得了优势。".repeat(3);
        for text in [&long[..], "黑中盘胜"] {
            let text = Charset::GBK.encode(text).unwrap();
            assert_eq!(guess(&text, Some(Charset::EUC_KR)), Guess::new(Charset::GBK, true));
        }
    }

    #[test]
    fn signs_are_no_letters() {
        for text in [
            "Copyright © 2001",
            "Copyright © 2001\nHélène Dupré",
            "Noir joue « hane » à côté.",
            "£5",
            "2º dan",
            "MoyoGo® 2",
            "«ko»",
            "¡Está bien!",
        ] {
            let bytes = Charset::WINDOWS_1252.encode(text).unwrap();
            assert_eq!(guess(&bytes, None), Guess::new(Charset::WINDOWS_1252, false), "{text}");
        }
        for (charset, texts) in [
            (Charset::GBK, &["可以吗?", "看这里?", "“好棋!”"][..]),
            (Charset::EUC_KR, &["여기?", "흑1 좋다. 왜?", "우변에 침입?\n이창호\n조훈현"]),
            (Charset::BIG5, &["急所在星六"]),
            (some("windows-1251"), &["Задача № 12", "Тема № 5", "© 2001 Київ", "Блиц «Блиц»"]),
            (some("windows-1250"), &["że?", "Jan Ż\nEwa Ś"]),
            (some("windows-1254"), &["«Şahin» güzel"]),
        ] {
            for text in texts {
                let bytes = charset.encode(text).unwrap();
                assert_eq!(guess(&bytes, None).charset.decode(&bytes).0, *text);
            }
        }
        // They are the same in Russian texts, but not in Polish ones.
        for (label, charset) in [("windows-1251", some("windows-1251")), ("ISO-8859-2", Charset::WINDOWS_1252)] {
            assert_eq!(guess(b"\xA9 2001", Some(some(label))).charset, charset, "{label}");
        }
    }

    #[test]
    fn single_letters_are_not_read_as_pairs() {
        let text = b"\xC3\xBCbermensch\nuser\xB4s informat\nshouldn\xB4t look\nthat\xB4s not";
        assert_eq!(guess(&text[2..], None).charset, Charset::WINDOWS_1252);
    }

    #[test]
    fn players_of_two_countries_are_read_as_statistics_say() {
        for names in ["José García\nSøren Jørgensen", "Nicolò Carrà\nMäkelä", "Hélène\nMäkelä"] {
            let bytes = Charset::WINDOWS_1252.encode(names).unwrap();
            assert_eq!(guess(&bytes, None).charset, Charset::WINDOWS_1252, "{names}");
        }
    }

    #[test]
    fn a_truncated_name_in_a_long_text_changes_nothing() {
        let mut text = Charset::GBK.encode("黑中盘胜 第10届LG杯决赛 九段").unwrap().into_owned();
        text.extend_from_slice(b"\n\xC0\xEE\xB2\n");
        assert_eq!(guess(&text, None), Guess::new(Charset::GBK, true));
    }

    fn some(label: &str) -> Charset {
        label.parse().unwrap()
    }

    #[test]
    fn a_growing_text_is_guessed_like_a_whole_one() {
        let lines = [
            Charset::GBK.encode("黑中盘胜").unwrap(),
            Charset::GBK.encode("蒲甫").unwrap(),
            Charset::EUC_KR.encode("흑 불계승").unwrap(),
            some("windows-1251").encode("Чёрные сдались").unwrap(),
            some("KOI8-R").encode("хорошо").unwrap(),
            b"M\xFCller Sch\xE4fer".into(),
            b"that\xB4s".into(),
            b"\xC0\xEE\xB2".into(),
            b"abc".into(),
        ];
        let usuals = [None, Some(Charset::GBK), Some(Charset::WINDOWS_1252), Some(some("windows-1251"))];
        let mut guesser = Guesser::new();
        for lines in sequences::<_, 3>(&lines.each_ref()) {
            for usual in usuals {
                guesser.forget();
                let mut text = Vec::new();
                // The last text exceeds the length that is examined.
                for (line, times) in lines.into_iter().zip([1, 5, 200]) {
                    for _ in 0..times {
                        text.extend_from_slice(line);
                        text.push(b'\n');
                    }
                    assert_eq!(guesser.guess(&text, usual), guess(&text, usual), "{usual:?} {}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn remembered_guesses_equal_new_ones() {
        let texts: Vec<Vec<u8>> = ["Чёрные", "Ход белых", "Шах", "Müller", "tötet", "é"]
            .into_iter()
            .flat_map(|text| {
                let charsets =
                    [some("windows-1251"), some("KOI8-R"), Charset::WINDOWS_1252, Charset::GBK, Charset::EUC_KR];
                charsets.into_iter().filter_map(|charset| Some(charset.encode(text).ok()?.into_owned()))
            })
            .collect();
        assert!(texts.len() > 10);
        let mut guesser = Guesser::new();
        for usual in [None, Some(some("windows-1251")), Some(Charset::WINDOWS_1252)] {
            for (round, text) in (0..3).flat_map(|round| texts.iter().map(move |text| (round, text))) {
                guesser.forget();
                assert_eq!(guesser.guess(text, usual), guess(text, usual), "{usual:?} {round} {}", text.escape_ascii());
                let longer = [&text[..], b"\n", text].concat();
                assert_eq!(guesser.guess(&longer, usual), guess(&longer, usual), "it grows");
            }
        }
    }

    #[test]
    fn letters_look_spelled_and_pairs_do_not() {
        for (label, text) in [
            ("windows-1252", "Müller-Schäfer GROẞ".replace('ẞ', "Ü")),
            ("windows-1250", "Příliš žluťoučký kůň".into()),
            ("windows-1251", "Чёрные сдались, КУБОК".into()),
            ("KOI8-R", "Чёрные сдались, КУБОК".into()),
            ("windows-1253", "Μαύρα κερδίζουν".into()),
        ] {
            let bytes = some(label).encode(&text).unwrap();
            assert!(is_spelled(some(label), &bytes), "{label} {text}");
        }
        let pairs = [
            Charset::GBK.encode("在右上角的下法有些问题").unwrap(),
            Charset::BIG5.encode("這裡的下法有些問題").unwrap(),
            Charset::SHIFT_JIS.encode("ここは難しいところ").unwrap(),
            Charset::EUC_KR.encode("여기가 어렵다").unwrap(),
        ];
        for label in
            ["windows-1252", "windows-1250", "windows-1251", "KOI8-R", "windows-1253", "windows-874", "windows-1255"]
        {
            for pairs in &pairs {
                assert!(!is_spelled(some(label), pairs), "{label} {}", pairs.escape_ascii());
            }
        }
        // The two charsets have capitals and small letters swapped.
        assert!(!is_spelled(some("KOI8-R"), &some("windows-1251").encode("Чёрные").unwrap()));
    }

    #[test]
    fn single_letters_take_the_charset_of_the_neighbours() {
        let usual = some("ISO-8859-15");
        assert_eq!(guess(b"s\xA4h\xA4n", Some(usual)), Guess::new(usual, false));
        // But pairs that form words of game records are pairs.
        let black = Charset::GBK.encode("黑中盘胜").unwrap();
        assert_eq!(guess(&black, Some(usual)).charset, Charset::GBK);
    }
}
