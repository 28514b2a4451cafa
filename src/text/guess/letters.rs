//! Which charset of Latin letters a few words are in.
//!
//! Owns [`likeliest`], and [`Unlikely`] for several games together: a model of the letters that the languages of Europe have and
//! ASCII does not, how frequent each is, and beside what it stands. A name with one such letter is enough for it: the `è` of
//! `Hélène` stands between consonants, where the Czech `č`, which is the same byte, hardly ever does. Refuses to know where the
//! words come from, and about other scripts.
//!
//! The statistics of chardetng need more text than a pair of names. Alphabets alone, without frequencies, were tried too: they took
//! one in twelve pairs of French names for Czech, and most Lithuanian ones for something else. Each neighbour by itself instead
//! of its kind would make the figures four times as many, for one pair of names in a hundred. What is known of the ASCII letters
//! elsewhere in a name is not used.
//!
//! The figures in `letters.txt` were counted in the names that the Faker library has of each country, and in the 20,000 most
//! frequent words of each language as wordfreq lists them, each word weighed with the sum of two powers of its frequency, 0.5 and
//! 0.7: names and headings have rarer words than sentences. A language begins with its name, how rare its texts are, and the
//! charsets that it is written in. Then comes a line for each letter:
//!
//! - how rare it is: the negative logarithm, to base 2, of its part of all letters of the language;
//! - for each [kind](KINDS) of neighbour that may stand before it, a digit: 6, and more or less by the logarithm of how much
//!   more frequent that is before this letter than before any;
//! - the same for what stands behind it.

use std::array;
use std::ops::Range;
use std::sync::LazyLock;

use crate::text::guess::statistics::ENOUGH;
use crate::text::{BOM, Charset};

const DATA: &str = include_str!("letters.txt");

const VIETNAMESE: &str = "windows-1258";
const VIETNAMESE_LETTERS: &str = "ăâđêôơưáàéèíóúù\u{300}\u{301}\u{303}\u{309}\u{323}";

/// The charsets, and how much rarer than others each is without being named. The first of equals wins.
const CHARSETS: [(&str, i16); 7] = [
    ("windows-1252", 0),
    ("windows-1250", 0),
    ("windows-1257", 0),
    ("windows-1254", 0),
    ("ISO-8859-2", 2),
    ("ISO-8859-13", 3),
    ("ISO-8859-4", 4),
];

/// What may stand beside a letter: no letter, and letters of five kinds, with accents or without. All others are the last kind.
const KINDS: [&str; 6] = ["", "aou", "ei", "yj", "nm", "lr"];
const OTHERS: usize = KINDS.len();

/// How many kinds have a digit. Behind them is a place for neighbours that are not ASCII: which letters these are depends on
/// the charset, and it makes no difference in names whether they are known.
const DIGITS: usize = OTHERS + 1;

/// The digit of a kind that is as frequent beside a letter as beside others.
const MIDDLE: u8 = b'6';

/// How unlikely a letter is that a language does not have; none is less likely.
const STRANGE: i8 = 16;

/// How unlikely a sign is. Those that show by what stands beside them that they are signs are looked for afterwards.
const SIGN: i8 = 20;

/// How unlikely it is that the next line is in another language.
const OTHER: i16 = 3;

/// How much the names of one game count at most against a charset.
const MOST: i16 = 24;

/// How much less unlikely names must be in another charset than in the one that most games seemed to be in.
const CLEARLY: i16 = 6;

/// How much less unlikely a text must be in its own charset than in that of the games around it.
const MUCH: i16 = 8;

/// A language in a charset.
#[derive(Clone, Copy)]
struct Writing {
    charset: usize,
    language: u32,
    rarity: i16,
}

/// How many of them there are, rounded up to what is added up at once.
const WRITINGS: usize = 56;

/// A figure for each of them.
type Each = [i8; WRITINGS];

/// What is known about a byte.
struct Figures {
    rarity: Each,
    /// The most that it may be with its neighbours.
    most: Each,
    before: [Each; DIGITS + 1],
    after: [Each; DIGITS + 1],
}

struct Model {
    /// What each charset makes of each byte from 0x80 on.
    letters: [Vec<Option<char>>; CHARSETS.len()],
    writings: Vec<Writing>,
    /// Where those of each charset stand.
    of_charset: [Range<usize>; CHARSETS.len()],
    /// For each byte from 0x80 on.
    bytes: Vec<Figures>,
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let none = || Figures { rarity: [0; _], most: [0; _], before: [[0; _]; _], after: [[0; _]; _] };
    let letters = CHARSETS.map(|(label, _)| (0x80..=0xFF).map(|byte| letter(label, byte)).collect());
    let bytes = (0x80..=0xFF).map(|_: u8| none()).collect();
    let mut model = Model { letters, writings: Vec::new(), of_charset: array::from_fn(|_| 0..0), bytes };
    for (charset, (label, _)) in CHARSETS.into_iter().enumerate() {
        let (start, mut language, mut is_written) = (model.writings.len(), 0, false);
        for line in DATA.lines() {
            let mut words = line.split(' ');
            let (Some(first), Some(Ok(rarity))) = (words.next(), words.next().map(str::parse)) else { continue };
            if first.chars().nth(1).is_some() {
                language += 1;
                is_written = words.any(|word| word == label);
                if is_written && model.writings.len() < WRITINGS {
                    model.writings.push(Writing { charset, language, rarity });
                    model.begin();
                }
            } else if is_written {
                let sides = [words.next(), words.next()].map(Option::unwrap_or_default);
                model.add(charset, first, rarity as i8, sides);
            }
        }
        model.of_charset[charset] = start..model.writings.len();
    }
    model
});

/// The small letter that a byte is, a sign otherwise; `None` if it is a blank.
fn letter(label: &str, byte: u8) -> Option<char> {
    let charset = Charset::for_label(label.as_bytes()).unwrap_or(Charset::WINDOWS_1252);
    match charset.decode(&[byte]).0.chars().next()? {
        // The Turkish capital of `i` is small in two characters.
        'İ' => Some('ı'),
        // They are letters for Unicode.
        'ª' | 'º' => Some('°'),
        c if c.is_whitespace() => None,
        c => c.to_lowercase().next(),
    }
}

impl Model {
    /// The last language is as yet without letters.
    fn begin(&mut self) {
        let last = self.writings.len() - 1;
        let charset = self.writings[last].charset;
        for (letter, figures) in self.letters[charset].iter().zip(&mut self.bytes) {
            let unlikely = match letter {
                None => 0,
                Some(letter) if letter.is_alphabetic() => STRANGE,
                Some(_) => SIGN,
            };
            (figures.rarity[last], figures.most[last]) = (unlikely, unlikely);
        }
    }

    /// The last language has this letter.
    fn add(&mut self, charset: usize, letter: &str, rarity: i8, [before, after]: [&str; 2]) {
        let last = self.writings.len() - 1;
        let places = self.letters[charset].iter().zip(&mut self.bytes);
        let places = places.filter(|(it, _)| it.is_some_and(|it| letter.starts_with(it)));
        for (_, figures) in places {
            figures.rarity[last] = rarity;
            for (digits, figures) in [(before, &mut figures.before), (after, &mut figures.after)] {
                for (digit, figures) in digits.bytes().zip(figures.iter_mut()) {
                    figures[last] = digit.wrapping_sub(MIDDLE).cast_signed();
                }
            }
        }
    }

    /// How unlikely these letters are in each charset. Each line may be in another language, but rather not.
    fn unlikely(&self, letters: &[Letter]) -> [i16; CHARSETS.len()] {
        let mut sums = [0; WRITINGS];
        let mut of_lines = [(0, 0_u32); CHARSETS.len()];
        for line in letters.chunk_by(|one, next| one.line == next.line) {
            let mut of_line = [0; WRITINGS];
            for letter in line {
                self.add_up(letter, &mut of_line);
            }
            for (at, (sum, languages)) in of_lines.iter_mut().enumerate() {
                let (least, language) = self.least(at, &of_line);
                *sum += least;
                *languages |= 1 << language;
            }
            sums.iter_mut().zip(of_line).for_each(|(sum, more)| *sum += more);
        }
        array::from_fn(|charset| {
            let (of_several, languages) = of_lines[charset];
            let of_several = of_several + OTHER * (languages.count_ones() as i16 - 1);
            self.least(charset, &sums).0.min(of_several)
        })
    }

    /// How unlikely the likeliest language of a charset is, and which it is.
    fn least(&self, charset: usize, sums: &[i16; WRITINGS]) -> (i16, u32) {
        let places = self.of_charset[charset].clone();
        let writings = self.writings.get(places.clone()).unwrap_or_default();
        let each = writings.iter().zip(&sums[places]).map(|(writing, sum)| (sum + writing.rarity, writing.language));
        each.min().unwrap_or_default()
    }

    fn meaning(&self, charset: usize, letter: &Letter) -> Option<char> {
        self.letters[charset].get(usize::from(letter.byte & 0x7F)).copied().flatten()
    }

    /// Adds how unlikely a letter is.
    fn add_up(&self, letter: &Letter, sums: &mut [i16; WRITINGS]) {
        let Some(figures) = self.bytes.get(usize::from(letter.byte & 0x7F)) else { return };
        let (before, after) = (&figures.before[kind(letter.before)], &figures.after[kind(letter.after)]);
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += i16::from((figures.rarity[at] - before[at] - after[at]).min(figures.most[at]));
        }
    }
}

static ASCII_KINDS: [u8; 128] = {
    let mut kinds = [0; 128];
    let mut byte = b'a';
    while byte <= b'z' {
        let mut kind = 1;
        while kind < OTHERS && !has(KINDS[kind], byte) {
            kind += 1;
        }
        kinds[byte as usize] = kind as u8;
        kinds[byte.to_ascii_uppercase() as usize] = kind as u8;
        byte += 1;
    }
    kinds
};

const fn has(letters: &str, letter: u8) -> bool {
    let mut at = 0;
    while at < letters.len() {
        if letters.as_bytes()[at] == letter {
            return true;
        }
        at += 1;
    }
    false
}

/// The place of a neighbour's kind.
fn kind(byte: u8) -> usize {
    ASCII_KINDS.get(usize::from(byte)).map_or(DIGITS, |&kind| usize::from(kind))
}

/// A byte that is not ASCII, and its neighbours.
#[derive(Clone, Copy, Default)]
struct Letter {
    line: usize,
    before: u8,
    byte: u8,
    after: u8,
}

/// The letters of a text, up to [`ENOUGH`] of them.
struct Letters {
    all: [Letter; ENOUGH],
    len: usize,
}

impl Letters {
    fn of(text: &[u8]) -> Self {
        let mut letters = Self { all: [Letter::default(); ENOUGH], len: 0 };
        let (mut line, mut before, mut rest) = (0, 0, text);
        while let [byte, after @ ..] = rest {
            // A mark in the middle, where files were joined, is no letters.
            if let Some(after) = rest.strip_prefix(&BOM[..]) {
                rest = after;
                continue;
            }
            rest = after;
            if !byte.is_ascii() {
                let Some(letter) = letters.all.get_mut(letters.len) else { break };
                *letter = Letter { line, before, byte: *byte, after: after.first().copied().unwrap_or_default() };
                letters.len += 1;
            }
            line += usize::from(*byte == b'\n');
            before = *byte;
        }
        letters
    }

    fn all(&self) -> &[Letter] {
        &self.all[..self.len]
    }
}

/// Whether a charset is one of Latin letters.
pub(in crate::text) fn is_latin(charset: Charset) -> bool {
    charset.name() == VIETNAMESE || place(charset).is_some()
}

/// Whether the model knows the languages that are written in a charset, in which the text seems to be. The marks of Vietnamese
/// stand behind any letter, so they would explain nearly everything.
pub(super) fn know(charset: Charset, text: &[u8]) -> bool {
    let is_vietnamese = || {
        let (text, _) = charset.decode(text);
        text.chars().filter(|c| !c.is_ascii()).all(|c| c.to_lowercase().all(|c| VIETNAMESE_LETTERS.contains(c)))
    };
    is_latin(charset) && (charset.name() != VIETNAMESE || !is_vietnamese())
}

/// The charset of Latin letters in which the text, or as much of it as has [`ENOUGH`] bytes that are not ASCII, is the least
/// unlikely.
pub(super) fn likeliest(text: &[u8]) -> Charset {
    let letters = Letters::of(text);
    let (_, least) = least(MODEL.unlikely(letters.all()));
    // What reads the same in several is called by the name that most people know.
    let reads_alike = |charset: &usize| {
        letters.all().iter().all(|letter| MODEL.meaning(*charset, letter) == MODEL.meaning(least, letter))
    };
    charset_at((0..least).find(reads_alike).unwrap_or(least))
}

/// How much less likely a game's names are in each charset than in the likeliest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::text) struct Unlikely([i16; CHARSETS.len()]);

impl Unlikely {
    pub(in crate::text) fn of(names: &[u8]) -> Self {
        let unlikely = MODEL.unlikely(Letters::of(names).all());
        let least = unlikely.into_iter().min().unwrap_or_default();
        // What is no name in any language must not outvote those that are.
        Self(unlikely.map(|it| (it - least).min(MOST)))
    }

    /// Whether they are much likelier in one charset than in another.
    pub(super) fn prefers(self, charset: Charset, other: Charset) -> bool {
        let (Some(place), Some(other)) = (place(charset), place(other)) else { return false };
        self.0[place] + MUCH <= self.0[other]
    }

    /// The charset in which the names of all these games are clearly likelier than in `thought`, or else that. Also that if it is
    /// none of Latin letters.
    pub(in crate::text) fn corrected(thought: Charset, games: impl Iterator<Item = Self>) -> Charset {
        let Some(place) = place(thought) else { return thought };
        let sums = games.fold([0; CHARSETS.len()], |mut sums, game| {
            sums.iter_mut().zip(game.0).for_each(|(sum, it)| *sum += it);
            sums
        });
        let (least, likeliest) = least(sums);
        if least + CLEARLY <= sums[place] + CHARSETS[place].1 { charset_at(likeliest) } else { thought }
    }
}

/// How unlikely the likeliest charset is by these figures and by its own rarity, and its place.
fn least(unlikely: [i16; CHARSETS.len()]) -> (i16, usize) {
    let with_rarity = unlikely.into_iter().zip(CHARSETS).map(|(unlikely, (_, rarity))| unlikely + rarity);
    with_rarity.zip(0..).min().unwrap_or_default()
}

fn place(charset: Charset) -> Option<usize> {
    CHARSETS.iter().position(|(label, _)| *label == charset.name())
}

fn charset_at(place: usize) -> Charset {
    Charset::for_label(CHARSETS[place].0.as_bytes()).unwrap_or(Charset::WINDOWS_1252)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_complete() {
        let languages = DATA.lines().filter(|line| line.split(' ').next().is_some_and(|word| word.chars().count() > 1));
        let named: usize = languages.clone().map(|line| line.split(' ').skip(2).count()).sum();
        assert_eq!(MODEL.writings.len(), named, "each language in each of its charsets has a place");
        assert!(languages.count() < u32::BITS as usize, "each has a bit, from the second on");
        for line in DATA.lines() {
            let words: Vec<_> = line.split(' ').collect();
            assert!(words[1].parse::<i16>().is_ok_and(|rarity| (0..=STRANGE.into()).contains(&rarity)), "{line}");
            if words[0].chars().count() > 1 {
                let is_known = |word: &&str| CHARSETS.iter().any(|(label, _)| label == word);
                assert!(words.len() > 2 && words[2..].iter().all(is_known), "{line}");
            } else {
                let sides = words[2..].iter().map(|digits| digits.bytes().filter(u8::is_ascii_digit).count());
                assert_eq!(sides.collect::<Vec<_>>(), [DIGITS; 2], "{line}");
                let letter = words[0].chars().next().unwrap();
                let has_it = |label| (0x80..=0xFF).any(|byte| super::letter(label, byte) == Some(letter));
                assert!(CHARSETS.iter().any(|(label, _)| has_it(label)), "{line}");
            }
        }
    }

    #[test]
    fn a_name_tells_its_language() {
        for (label, texts) in [
            (
                "windows-1252",
                &[
                    "Hélène\nLoïc",
                    "Geneviève\nPatrick",
                    "Jérôme Lefèvre",
                    "François\nBenoît",
                    "à côté",
                    "Müller\nSchäfer",
                    "Begoña García",
                    "João Magalhães",
                    "Åke\nBjörn",
                    "Ødegård\nKjær",
                    "Fabiënne",
                    "Niccolò",
                    "José García\nSøren Jørgensen",
                    "Hélène\nMäkelä",
                    "Å. Svensson\nØ. Hansen",
                ][..],
            ),
            (
                "windows-1250",
                &[
                    "Jiří Novák\nLukáš",
                    "Anděla\nVilma",
                    "Jiřina",
                    "Łukasz Sołdan",
                    "Paweł\nMüller",
                    "Hegedűs\nŐ. Kis",
                    "Vasilică",
                    "Filipič\nBabić",
                    "Š. Novák\nŽ. Černý",
                    "że?",
                ],
            ),
            ("windows-1254", &["Yaşattin\nCedide", "Doğan\nİnci", "Çelik\nAyşe"]),
            ("windows-1257", &["Vasarė\nAurelija", "Bērziņš\nTrīne", "Šarūnas Žukauskas"]),
            ("ISO-8859-2", &["Š. Novák\nŽ. Černý", "Łukasz Żak\nJiří Šťastný", "Ś. Nowak"]),
        ] {
            let charset = Charset::for_label(label.as_bytes()).unwrap();
            for text in texts {
                let bytes = charset.encode(text).unwrap();
                assert_eq!(likeliest(&bytes).decode(&bytes).0, *text, "{label}");
            }
        }
    }

    #[test]
    fn a_line_may_be_in_another_language_but_rather_not() {
        let likeliest = |lines: &[&[u8]]| likeliest(&lines.join(&b'\n')).name();
        // Each by itself is Polish and Turkish.
        let [polish, turkish] = [&b"Pawe\xB3"[..], b"Ay\xFEe"];
        assert_eq!([likeliest(&[polish]), likeliest(&[turkish])], ["windows-1250", "windows-1254"]);
        assert_eq!(likeliest(&[turkish, turkish, polish]), "windows-1254");
        assert_eq!(likeliest(&[polish, polish, turkish]), "windows-1250");
    }

    #[test]
    fn several_games_tell_more_than_one() {
        let some = |label: &str| Charset::for_label(label.as_bytes()).unwrap();
        let all = |thought: &str, charset: &str, names: &[&str]| {
            let names = names.iter().map(|names| Unlikely::of(&some(charset).encode(names).unwrap()));
            Unlikely::corrected(some(thought), names).name()
        };
        // What one name alone may be, with what it is.
        let polish = ["Elżbieta\nJan", "Paweł\nŁukasz", "Jan\nEwa"];
        let lithuanian = ["Jonas Žukas\nRamūnas", "Aušra", "Vytautė"];
        let western = ["Loïc\nHélène", "José García\nMüller", "Øivind"];
        for (charset, names) in [("windows-1250", polish), ("windows-1257", lithuanian), ("windows-1252", western)] {
            for thought in ["windows-1252", "windows-1250", "windows-1254", "windows-1257"] {
                // French reads the same in Turkish.
                let is_alike = (thought, charset) == ("windows-1254", "windows-1252");
                assert_eq!(all(thought, charset, &names), if is_alike { thought } else { charset });
            }
            assert_eq!(all("windows-1251", charset, &names), "windows-1251", "it is not about other scripts");
        }
        for thought in ["windows-1252", "windows-1250", "ISO-8859-2"] {
            assert_eq!(all(thought, "windows-1252", &["Müller\nSchäfer", "Jan"]), thought, "what may be several stays");
        }
    }

    #[test]
    fn vietnamese_is_left_to_statistics() {
        let charset = Charset::for_label(VIETNAMESE.as_bytes()).unwrap();
        let text = charset.encode("Đa\u{323}t Huy\u{300}nh Ngô Ba\u{309}o").unwrap();
        assert!(!know(charset, &text) && know(Charset::WINDOWS_1252, &text));
        assert!(know(charset, b"S\xF8ren \xC6r\xF8"), "it is not in Vietnamese");
        assert!(!know("windows-1251".parse().unwrap(), b"\xCF\xF0"));
    }

    #[test]
    fn a_byte_order_mark_is_no_letters() {
        assert_eq!(likeliest(b"a\xEF\xBB\xBFb\nNoir est \xE0 jouer").name(), "windows-1252");
        assert_eq!(Letters::of(b"\xEF\xBB\xBF\xE0\xEF\xBB").all().len(), 3);
    }

    #[test]
    fn no_more_than_enough_is_looked_at() {
        let polish = b"Pawe\xB3 ".repeat(ENOUGH);
        let longer = [&polish[..], &b"Ay\xFEe ".repeat(9 * ENOUGH)].concat();
        assert_eq!(likeliest(&longer), likeliest(&polish));
        assert_eq!(likeliest(b"").name(), "windows-1252");
        assert_eq!(likeliest(&[0xFF; 1000]), likeliest(&[0xFF; ENOUGH]));
    }
}
