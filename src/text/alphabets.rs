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

/// The letters of languages that are not ASCII, and the charsets that each is written in, as bits by their places in [`LATIN`].
const LANGUAGES: [(&str, u8); 22] = [
    ("äöüß", ALL),
    ("åäöéü", 1 << WESTERN | BALTIC),
    ("æøåéó", 1 << WESTERN | BALTIC),
    ("àâæçéèêëîïôœùûüÿ", 1 << WESTERN | 1 << TURKISH),
    ("áéíóúñü", 1 << WESTERN | 1 << TURKISH),
    ("áâãàçéêíóôõú", 1 << WESTERN | 1 << TURKISH),
    ("àèéìòù", 1 << WESTERN | 1 << TURKISH),
    ("éëïèöüáó", 1 << WESTERN | 1 << TURKISH),
    ("àçéèíïóòúü", 1 << WESTERN),
    ("áðéíóúýþæö", 1 << WESTERN),
    ("çë", 1 << WESTERN | 1 << TURKISH | CENTRAL),
    ("ąćęłńóśźż", CENTRAL | 1 << BALTIC_RIM),
    ("áčďéěíňóřšťúůýž", CENTRAL),
    ("áäčďéíĺľňóôŕšťúýž", CENTRAL),
    ("áéíóöőúüű", CENTRAL),
    ("čćđšž", CENTRAL),
    ("ăâîşţ", CENTRAL),
    ("ąčęėįšųūž", BALTIC),
    ("āčēģīķļņšūž", BALTIC),
    ("äöõüšž", BALTIC),
    ("çğıöşüâîû", 1 << TURKISH),
    ("ăâđêôơưáàéèíóúù\u{300}\u{301}\u{303}\u{309}\u{323}", 1 << VIETNAMESE),
];

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
const WESTERN: usize = 0;
const BALTIC_RIM: usize = 2;
const TURKISH: usize = 3;
const VIETNAMESE: usize = 7;
const CENTRAL: u8 = 1 << 1 | 1 << 4;
const BALTIC: u8 = 1 << BALTIC_RIM | 1 << 5 | 1 << 6;
const ALL: u8 = u8::MAX;

/// Languages, as bits by their places in [`LANGUAGES`].
type Languages = u32;

/// For each byte from 0x80 on, the languages that have its letter.
static LETTERS: LazyLock<[Alphabets; 128]> = LazyLock::new(|| {
    let charsets = LATIN.map(charset);
    std::array::from_fn(|at| {
        let byte = 0x80 | u8::try_from(at).unwrap_or_default();
        let of = |place: usize| {
            let bytes = [byte];
            let letters = charsets[place].decode(&bytes).0;
            letters.chars().map(|letter| languages_of(letter, place)).fold(!0, |all, one| all & one)
        };
        Alphabets(std::array::from_fn(of))
    })
});

fn charset(label: &str) -> Charset {
    Charset::for_label(label.as_bytes()).unwrap_or(Charset::WINDOWS_1252)
}

fn languages_of(letter: char, place: usize) -> Languages {
    // Turkish: the capital of `i`.
    let small = if letter == 'İ' { 'ı' } else { letter.to_lowercase().next().unwrap_or(letter) };
    let has = |&(letters, charsets): &(&str, u8)| charsets & 1 << place != 0 && letters.contains(small);
    LANGUAGES.iter().enumerate().filter(|(_, language)| has(language)).fold(0, |all, (at, _)| all | 1 << at)
}

/// What a name, or some other line, may be: for each of [`LATIN`], the languages that have all of its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Alphabets([Languages; LATIN.len()]);

/// Those of ASCII.
impl Default for Alphabets {
    fn default() -> Self {
        Self([!0; LATIN.len()])
    }
}

impl Alphabets {
    pub(super) fn of(line: &[u8]) -> Self {
        line.iter().filter(|&&byte| is_letter(byte)).fold(Self::default(), |mut all, &byte| {
            let letter = &LETTERS[usize::from(byte & 0x7F)];
            all.0.iter_mut().zip(letter.0).for_each(|(all, one)| *all &= one);
            all
        })
    }
}

/// What is punctuation in windows-1252 is that in its relatives.
fn is_letter(byte: u8) -> bool {
    !(byte.is_ascii() || matches!(byte, 0x84..=0x85 | 0x91..=0x97 | 0xA0))
}

/// The charset of Latin letters in which these names need fewer languages than in `thought`, or else that. Also that if
/// it is none of these charsets.
pub(super) fn corrected(thought: Charset, names: impl Iterator<Item = Alphabets> + Clone) -> Charset {
    let Some(place) = LATIN.iter().position(|latin| *latin == thought.name()) else { return thought };
    let strangeness = |place: usize, limit| strangeness(names.clone().map(|name| name.0[place]), limit);
    let Some(mut least) = strangeness(place, usize::MAX) else { return thought };
    let mut best = thought;
    for (place, latin) in LATIN.into_iter().enumerate() {
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

/// How many languages names are from, if that is less than `limit`; a name from none counts for two.
fn strangeness(names: impl Iterator<Item = Languages> + Clone, limit: usize) -> Option<usize> {
    let (common, strange) =
        names.clone().fold((!0, 0), |(common, strange), name| (common & name, strange + usize::from(name == 0)));
    if common != 0 {
        return (limit > 1).then_some(1);
    }
    let (mut known, mut strangeness) = (0, 2 * strange);
    while strangeness < limit {
        let mut times = [0_usize; Languages::BITS as usize];
        for mut left in names.clone().filter(|name| name & known == 0) {
            while left != 0 {
                times[left.trailing_zeros() as usize] += 1;
                left &= left - 1;
            }
        }
        // The one that most of the names left may be from.
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
    fn all_charsets_are_known() {
        assert_eq!(LATIN.map(|latin| some(latin).name()), LATIN);
        assert_eq!([some(LATIN[BALTIC_RIM]), some(LATIN[TURKISH])], [some("windows-1257"), some("windows-1254")]);
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
            for thought in LATIN {
                let lines = bytes.split(|&byte| byte == b'\n').map(Alphabets::of);
                let text = corrected(some(thought), lines).decode(&bytes).0;
                assert_eq!(text, names, "{thought}");
            }
        }
    }

    #[test]
    fn what_several_charsets_may_be_stays_what_it_was() {
        for thought in LATIN {
            let names = [&b"M\xFCller"[..], b"Sch\xE4fer", b"ASCII"].map(Alphabets::of);
            assert_eq!(corrected(some(thought), names.into_iter()), some(thought));
        }
        let russian = some("windows-1251");
        assert_eq!(corrected(russian, std::iter::once(Alphabets::of(b"\xCF\xF0\xE8\xE2\xE5\xF2"))), russian);
    }
}
