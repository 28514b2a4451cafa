//! Which charset of Latin letters a few words are in.
//!
//! Owns [`corrected`]: statistics of letters need more text than a pair of names; what letters a language has at all needs
//! less. Read in the wrong charset, the letters of one language are those of several, or of none. Refuses to know where
//! the words come from, and about other scripts.
//!
//! The letters are those of Unicode's CLDR (exemplar characters), with the accents that names in the language have. That the
//! fewest languages win, and not the most words of one, is for tournaments: their names come from several countries.

use std::sync::LazyLock;

use crate::text::Charset;

/// Charsets of Latin letters; the first of equals wins.
const LATIN: [&str; 8] = [
    "windows-1252",
    "windows-1250",
    "windows-1257",
    "windows-1254",
    "ISO-8859-2",
    "ISO-8859-13",
    "ISO-8859-4",
    "windows-1258",
];
const WESTERN: u8 = 1;
const TURKISH: u8 = 1 << 3;
const VIETNAMESE: u8 = 1 << 7;
const CENTRAL: u8 = 1 << 1 | 1 << 4;
const RIM: u8 = 1 << 2;
const BALTIC: u8 = RIM | 1 << 5 | 1 << 6;

/// The letters of languages that are not ASCII, and the charsets that they are written in, as bits by their places in [`LATIN`].
const LANGUAGES: [(&str, u8); 22] = [
    ("äöüß", u8::MAX),                                                  // German
    ("åäöéü", WESTERN | BALTIC),                                        // Swedish, Finnish
    ("æøåéó", WESTERN | BALTIC),                                        // Danish, Norwegian
    ("àâæçéèêëîïôœùûüÿ", WESTERN | TURKISH),                            // French
    ("áéíóúñü", WESTERN | TURKISH),                                     // Spanish
    ("áâãàçéêíóôõú", WESTERN | TURKISH),                                // Portuguese
    ("àèéìòù", WESTERN | TURKISH),                                      // Italian
    ("éëïèöüáó", WESTERN | TURKISH),                                    // Dutch
    ("àçéèíïóòúü", WESTERN),                                            // Catalan
    ("áðéíóúýþæö", WESTERN),                                            // Icelandic
    ("çë", WESTERN | TURKISH | CENTRAL),                                // Albanian
    ("ąćęłńóśźż", CENTRAL | RIM),                                       // Polish
    ("áčďéěíňóřšťúůýž", CENTRAL),                                       // Czech
    ("áäčďéíĺľňóôŕšťúýž", CENTRAL),                                     // Slovak
    ("áéíóöőúüű", CENTRAL),                                             // Hungarian
    ("čćđšž", CENTRAL),                                                 // Croatian, Slovene
    ("ăâîşţ", CENTRAL),                                                 // Romanian
    ("ąčęėįšųūž", BALTIC),                                              // Lithuanian
    ("āčēģīķļņšūž", BALTIC),                                            // Latvian
    ("äöõüšž", BALTIC),                                                 // Estonian
    ("çğıöşüâîû", TURKISH),                                             // Turkish
    ("ăâđêôơưáàéèíóúù\u{300}\u{301}\u{303}\u{309}\u{323}", VIETNAMESE), // Vietnamese
];

/// Alphabets, as bits: an alphabet is the letters of a language, each written in one way, which its charset is.
type Bits = u64;

/// Those of each charset have neighbouring bits.
struct Table {
    /// For each byte from 0x80 on, the alphabets that have it.
    letters: [Bits; 128],
    /// For each of [`LATIN`], its alphabets.
    charsets: [Bits; LATIN.len()],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { letters: [0; 128], charsets: [0; LATIN.len()] };
    let mut alphabet: Bits = 1;
    for (place, label) in LATIN.into_iter().enumerate() {
        for (letters, _) in LANGUAGES.iter().filter(|(_, charsets)| charsets & 1 << place != 0) {
            table.charsets[place] |= alphabet;
            for (byte, of_letter) in (0x80..=0xFF).zip(&mut table.letters) {
                if charset(label).decode(&[byte]).0.chars().all(|letter| has(letters, letter)) {
                    *of_letter |= alphabet;
                }
            }
            alphabet <<= 1;
        }
    }
    table
});

fn charset(label: &str) -> Charset {
    Charset::for_label(label.as_bytes()).unwrap_or(Charset::WINDOWS_1252)
}

fn has(letters: &str, letter: char) -> bool {
    // The Turkish capital of `i` is small in two characters.
    letters.contains(if letter == 'İ' { 'ı' } else { letter.to_lowercase().next().unwrap_or(letter) })
}

/// What a name, or some other line, may be: the alphabets that have all of its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::text) struct Alphabets(Bits);

/// Those of ASCII.
impl Default for Alphabets {
    fn default() -> Self {
        Self(Bits::MAX)
    }
}

impl Alphabets {
    pub(in crate::text) fn of(line: &[u8]) -> Self {
        let letters = line.iter().filter(|&&byte| is_letter(byte));
        Self(letters.fold(Bits::MAX, |all, &byte| all & TABLE.letters[usize::from(byte & 0x7F)]))
    }

    /// Those of two names, if one alphabet has both.
    pub(in crate::text) fn and(self, other: Self) -> Option<Self> {
        let both = self.0 & other.0;
        (both != 0).then_some(Self(both))
    }
}

/// What is punctuation in windows-1252 is that in its relatives.
fn is_letter(byte: u8) -> bool {
    !(byte.is_ascii() || matches!(byte, 0x84..=0x85 | 0x91..=0x97 | 0xA0))
}

/// Whether it is one of the charsets of Latin letters.
pub(super) fn is_latin(charset: Charset) -> bool {
    LATIN.contains(&charset.name())
}

/// Whether some of these names are from no language of the charset, which is one of Latin letters.
pub(super) fn has_strange(charset: Charset, names: &(impl Iterator<Item = Alphabets> + Clone)) -> bool {
    let place = LATIN.iter().position(|latin| *latin == charset.name());
    place.is_some_and(|place| names.clone().any(|name| name.0 & TABLE.charsets[place] == 0))
}

/// The charset of Latin letters in which these names need fewer languages than in `thought`, or else that. Also that if
/// it is none of these charsets.
pub(in crate::text) fn corrected(thought: Charset, names: &(impl Iterator<Item = Alphabets> + Clone)) -> Charset {
    let Some(place) = LATIN.iter().position(|latin| *latin == thought.name()) else { return thought };
    let strangeness = |place: usize, limit| {
        let of_charset = TABLE.charsets[place];
        strangeness(&names.clone().map(|name| name.0 & of_charset), limit)
    };
    let Some(mut least) = strangeness(place, usize::MAX) else { return thought };
    let mut best = thought;
    // The marks of Vietnamese stand behind any letter, so it would explain nearly everything.
    for (place, latin) in LATIN.into_iter().enumerate().filter(|(place, _)| VIETNAMESE & 1 << place == 0) {
        // One language is the least that names can be from.
        if least <= 1 {
            break;
        }
        if let Some(strangeness) = strangeness(place, least) {
            (least, best) = (strangeness, charset(latin));
        }
    }
    best
}

/// How many alphabets names need, if that is less than `limit`; a name in none counts for two.
fn strangeness(names: &(impl Iterator<Item = Bits> + Clone), limit: usize) -> Option<usize> {
    let (common, strange) =
        names.clone().fold((Bits::MAX, 0), |(common, strange), name| (common & name, strange + usize::from(name == 0)));
    if common != 0 {
        return (limit > 1).then_some(1);
    }
    let (mut known, mut strangeness) = (0, 2 * strange);
    while strangeness < limit {
        let mut times = [0_usize; Bits::BITS as usize];
        for mut left in names.clone().filter(|name| name & known == 0) {
            while left != 0 {
                times[left.trailing_zeros() as usize] += 1;
                left &= left - 1;
            }
        }
        // The one that most of the names left may be in.
        let (at, &most) = times.iter().enumerate().max_by_key(|(_, times)| **times)?;
        if most == 0 {
            return Some(strangeness);
        }
        known |= 1 << at;
        strangeness += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(label: &str) -> Charset {
        label.parse().unwrap()
    }

    #[test]
    fn all_charsets_are_known_and_all_alphabets_have_a_bit() {
        assert_eq!(LATIN.map(|latin| some(latin).name()), LATIN);
        let bits: u32 = TABLE.charsets.iter().map(|bits| bits.count_ones()).sum();
        assert_eq!(bits, LANGUAGES.iter().map(|(_, charsets)| charsets.count_ones()).sum::<u32>());
        for (letters, charsets) in LANGUAGES {
            for (place, label) in LATIN.into_iter().enumerate().filter(|(place, _)| charsets & 1 << place != 0) {
                let written =
                    letters.chars().filter(|&letter| some(label).encode(letter.encode_utf8(&mut [0; 4])).is_ok());
                assert!(written.count() * 2 > letters.chars().count(), "{letters} in {}", LATIN[place]);
            }
        }
    }

    #[test]
    fn letters_of_one_language_tell_its_charset() {
        for (charset, names) in [
            ("windows-1252", "Héctor Peña\nBegoña García"),
            ("windows-1252", "Þóra Guðmundsdóttir\nÆvar Þór"),
            ("windows-1250", "Łukasz Sołdan\nPaweł Żak"),
            ("windows-1250", "Szűcs Gergő\nTóth Ágnes"),
            ("windows-1257", "Šarūnas Žukauskas\nVytautė Bačiulytė"),
            ("windows-1257", "Pēteris Bērziņš"),
            ("windows-1254", "Doğan Çiçek\nAyşe Yıldız"),
            ("ISO-8859-2", "Jiří Šťastný\nŁukasz Żak"),
            ("windows-1258", "Đa\u{323}t Huy\u{300}nh Ngô Ba\u{309}o"),
        ] {
            let charset = some(charset);
            let bytes = charset.encode(names).unwrap();
            let is_vietnamese = charset == some("windows-1258");
            for thought in LATIN.into_iter().filter(|&thought| !is_vietnamese || some(thought) == charset) {
                let lines = bytes.split(|&byte| byte == b'\n').map(Alphabets::of);
                let text = corrected(some(thought), &lines).decode(&bytes).0;
                assert_eq!(text, names, "{thought}");
            }
        }
    }

    #[test]
    fn what_several_charsets_may_be_stays_what_it_was() {
        for thought in LATIN {
            let names = [&b"M\xFCller"[..], b"Sch\xE4fer", b"ASCII"].map(Alphabets::of);
            assert_eq!(corrected(some(thought), &names.into_iter()), some(thought));
        }
        let russian = some("windows-1251");
        assert_eq!(corrected(russian, &std::iter::once(Alphabets::of(b"\xCF\xF0\xE8\xE2\xE5\xF2"))), russian);
    }
}
