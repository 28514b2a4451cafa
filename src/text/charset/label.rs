//! Names of charsets, as files write them.
//!
//! Owns what a label means: the labels of the WHATWG standard, and what else is found in CA, where programs have put
//! code pages of Windows, names that Java, Delphi or C libraries use, and locales. Refuses to know where a label stood.

use std::fmt;
use std::str::FromStr;

use encoding_rs::Encoding;

use crate::text::Charset;
use crate::text::charset::aliases::{ALIASES, UNSUPPORTED};

/// Why a label gives no charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LabelError {
    /// No charset has this name.
    Unknown,
    /// The charset of this name can't be read.
    Unsupported(&'static str),
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("no charset has this name"),
            Self::Unsupported(name) => write!(f, "the charset {name} can't be read"),
        }
    }
}

impl std::error::Error for LabelError {}

impl Charset {
    /// The charset of a label, as in `CA[gb2312]`.
    ///
    /// Case, blanks around the label, and any characters in it that are neither letters nor digits do not matter:
    /// `euc_jp` is `EUC-JP`. Besides the labels of the WHATWG standard, these are understood: the numbers of Windows
    /// code pages (`CP936`, `ms949`, `windows-31J`, `65001`), names that C, Java, Delphi and Python use (`ISO8859_1`,
    /// `GB2312_CHARSET`, `latin-1`), and locales (`ja_JP.SJIS`).
    ///
    /// # Errors
    ///
    /// [`LabelError::Unknown`], or [`LabelError::Unsupported`] for a charset that exists but can't be read here.
    pub fn for_label(label: &[u8]) -> Result<Self, LabelError> {
        let label = label.trim_ascii();
        if let Some(charset) = Encoding::for_label_no_replacement(label).and_then(Self::of) {
            return Ok(charset);
        }
        if is_ascii(label) {
            return Ok(Self::WINDOWS_1252);
        }
        Squeezed::new(label).charset().or_else(|error| {
            // `zh_CN.GB2312@stroke`, `charset=gb2312`, `Chinese (GB2312)`.
            let label = label.split(|&byte| byte == b'@').next().unwrap_or(label);
            match label.rsplit(|byte| b".=(".contains(byte)).next() {
                Some(name) if error == LabelError::Unknown => Squeezed::new(name).charset(),
                _ => Err(error),
            }
        })
    }
}

/// As [`Charset::for_label`].
impl FromStr for Charset {
    type Err = LabelError;

    fn from_str(label: &str) -> Result<Self, LabelError> {
        Self::for_label(label.as_bytes())
    }
}

/// Whether the label promises that no byte has its upper bit set.
pub(in crate::text) fn is_ascii(label: &[u8]) -> bool {
    let names: [&[u8]; 13] = [
        b"ascii",
        b"usascii",
        b"csascii",
        b"asciius",
        b"646",
        b"iso646",
        b"iso646us",
        b"isoir6",
        b"us",
        b"cp367",
        b"ibm367",
        b"20127",
        b"cp20127",
    ];
    let label = Squeezed::new(label);
    names.contains(&label.bytes()) || label.bytes().starts_with(b"ansix34") || label.bytes().starts_with(b"iso646irv")
}

/// The longest label, counted in letters and digits.
const MAX: usize = 40;

/// The letters and digits of a label, in lower case.
struct Squeezed {
    bytes: [u8; MAX],
    len: usize,
}

impl Squeezed {
    /// Empty, which is no label, if there are too many.
    fn new(label: &[u8]) -> Self {
        let mut squeezed = Self { bytes: [0; MAX], len: 0 };
        for byte in label.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
            let Some(place) = squeezed.bytes.get_mut(squeezed.len) else {
                return Self { len: 0, ..squeezed };
            };
            *place = byte.to_ascii_lowercase();
            squeezed.len += 1;
        }
        squeezed
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn charset(&self) -> Result<Charset, LabelError> {
        let name = str::from_utf8(self.bytes()).map_err(|_| LabelError::Unknown)?;
        if let Ok(index) = UNSUPPORTED.binary_search_by_key(&name, |(alias, _)| alias) {
            return Err(LabelError::Unsupported(UNSUPPORTED[index].1));
        }
        if let Some(charset) = Encoding::for_label_no_replacement(self.bytes()).and_then(Charset::of) {
            return Ok(charset);
        }
        let standard = match ALIASES.binary_search_by_key(&name, |(alias, _)| alias) {
            Ok(index) => ALIASES[index].1,
            Err(_) => match part_of_8859(name) {
                Some(label) => label,
                None => return code_page(name),
            },
        };
        named(standard)
    }
}

/// A charset by its own name.
fn named(name: &str) -> Result<Charset, LabelError> {
    match Encoding::for_label_no_replacement(name.as_bytes()).and_then(Charset::of) {
        Some(charset) => Ok(charset),
        None => Charset::all().find(|charset| charset.name() == name).ok_or(LabelError::Unknown),
    }
}

/// `iso88591`, `88591`, `latin1`, with or without a year.
fn part_of_8859(name: &str) -> Option<&'static str> {
    let parts = ["isolatin", "cslatin", "latin"].iter().find_map(|prefix| name.strip_prefix(prefix));
    if let Some(number) = parts {
        return match number {
            "1" => Some("iso-8859-1"),
            "2" => Some("iso-8859-2"),
            "3" => Some("iso-8859-3"),
            "4" => Some("iso-8859-4"),
            "5" => Some("iso-8859-9"),
            "6" => Some("iso-8859-10"),
            "7" => Some("iso-8859-13"),
            "8" => Some("iso-8859-14"),
            "9" | "0" => Some("iso-8859-15"),
            "10" => Some("iso-8859-16"),
            _ => None,
        };
    }
    let number = ["iso8859", "csiso8859", "isocei8859", "ibm8859", "cp8859", "8859"]
        .iter()
        .find_map(|it| name.strip_prefix(it))?;
    // Years come after the part: `ISO_8859-15:1998`.
    let part = number.get(..number.len().wrapping_sub(4)).filter(|_| number.len() >= 5).unwrap_or(number);
    match part {
        // If no part is given, the first is meant.
        "" | "1" => Some("iso-8859-1"),
        "2" => Some("iso-8859-2"),
        "3" => Some("iso-8859-3"),
        "4" => Some("iso-8859-4"),
        "5" => Some("iso-8859-5"),
        "6" | "6e" | "6i" => Some("iso-8859-6"),
        "7" => Some("iso-8859-7"),
        "8" | "8e" => Some("iso-8859-8"),
        "8i" => Some("iso-8859-8-i"),
        "9" => Some("iso-8859-9"),
        "10" => Some("iso-8859-10"),
        "11" => Some("iso-8859-11"),
        "13" => Some("iso-8859-13"),
        "14" => Some("iso-8859-14"),
        "15" => Some("iso-8859-15"),
        "16" => Some("iso-8859-16"),
        _ => None,
    }
}

/// The number of a Windows code page, alone or after a prefix.
fn code_page(name: &str) -> Result<Charset, LabelError> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let prefix = &name[..name.len() - digits.len()];
    let prefixes =
        ["", "cp", "xcp", "windows", "xwindows", "win", "ms", "ibm", "xibm", "codepage", "dos", "ansi", "ccsid"];
    if !prefixes.contains(&prefix) {
        return Err(LabelError::Unknown);
    }
    let number: u32 = digits.parse().map_err(|_| LabelError::Unknown)?;
    let standard = match number {
        866 => "ibm866",
        874 => "windows-874",
        932 | 942 | 943 => "shift_jis",
        936 | 1381 | 1386 | 20936 | 51936 => "gbk",
        949 | 970 | 1363 | 20949 | 51949 => "euc-kr",
        950 | 951 | 1370 | 1375 => "big5",
        954 | 20932 | 33722 | 51932 => "euc-jp",
        1200 => "utf-16le",
        1201 => "utf-16be",
        1250 => "windows-1250",
        1251 => "windows-1251",
        1252 | 20127 | 28591 => "windows-1252",
        1253 => "windows-1253",
        1254 | 28599 => "windows-1254",
        1255 => "windows-1255",
        1256 => "windows-1256",
        1257 => "windows-1257",
        1258 => "windows-1258",
        10_000 => "macintosh",
        10_007 | 10_017 => "x-mac-cyrillic",
        12_000 => "UTF-32LE",
        12_001 => "UTF-32BE",
        20_866 => "koi8-r",
        21_866 => "koi8-u",
        28_592 => "iso-8859-2",
        28_593 => "iso-8859-3",
        28_594 => "iso-8859-4",
        28_595 => "iso-8859-5",
        708 | 28_596 => "iso-8859-6",
        28_597 => "iso-8859-7",
        28_598 => "iso-8859-8",
        28_603 => "iso-8859-13",
        28_605 => "iso-8859-15",
        38_598 => "iso-8859-8-i",
        50_220..=50_222 => "iso-2022-jp",
        50_225 => "ISO-2022-KR",
        52_936 => "HZ-GB-2312",
        54_936 => "gb18030",
        65_001 => "utf-8",
        437 => return Err(LabelError::Unsupported("code page 437")),
        850 => return Err(LabelError::Unsupported("code page 850")),
        852 => return Err(LabelError::Unsupported("code page 852")),
        855 => return Err(LabelError::Unsupported("code page 855")),
        858 => return Err(LabelError::Unsupported("code page 858")),
        720 | 737 | 775 | 857 | 860..=865 | 869 => return Err(LabelError::Unsupported("a code page of DOS")),
        37 | 500 | 1026 | 1047 => return Err(LabelError::Unsupported("EBCDIC")),
        964 | 51_950 => return Err(LabelError::Unsupported("EUC-TW")),
        1361 => return Err(LabelError::Unsupported("Johab")),
        10_001..=10_082 => return Err(LabelError::Unsupported("a charset of the Macintosh")),
        50_227 | 50_229 => return Err(LabelError::Unsupported("ISO-2022-CN")),
        65_000 => return Err(LabelError::Unsupported("UTF-7")),
        _ => return Err(LabelError::Unknown),
    };
    named(standard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_have_distinct_names() {
        for table in [&ALIASES[..], &UNSUPPORTED[..]] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        }
        for (alias, charset) in ALIASES {
            assert!(named(charset).is_ok(), "{alias}: {charset}");
            assert!(UNSUPPORTED.iter().all(|(other, _)| *other != alias), "{alias}");
        }
    }

    #[test]
    fn every_charset_is_found_by_its_name() {
        for charset in Charset::all() {
            assert_eq!(charset.name().parse(), Ok(charset));
            assert_eq!(charset.name().replace('-', "_").to_lowercase().parse(), Ok(charset), "{charset}");
            assert_eq!(charset.name().replace('-', "").to_uppercase().parse(), Ok(charset), "{charset}");
        }
    }

    #[test]
    fn labels_name_the_charset_that_their_writers_mean() {
        for (charset, labels) in [
            ("UTF-8", "utf-8 UTF8 utf_8 utf8mb4 UTF-8-BOM unicode-1-1-utf-8 cp65001 65001 en_US.UTF-8 'UTF-8'"),
            ("GBK", "gb2312 GBK CP936 936 ms936 windows-936 x-gbk GB_2312-80 GB2312_CHARSET EUC-CN chinese"),
            ("GBK", "gb-2312 zh_CN.GB2312 gb2312.1980-0 cp20936 csGB2312 GB gb2312@stroke charset=gb2312"),
            ("gb18030", "gb18030 GB-18030 GB18030-2000 GB18030:2022 54936 cp54936"),
            ("Big5", "big5 BIG-5 Big5-HKSCS big5hkscs Big5-ETEN CP950 950 ms950 windows-950 CHINESEBIG5_CHARSET"),
            ("Shift_JIS", "shift_jis Shift-JIS SJIS x-sjis MS_KANJI CP932 932 windows-932 windows-31J ms932 cp943c"),
            ("Shift_JIS", "SHIFTJIS_CHARSET ja_JP.SJIS shiftjis Shift_JISX0213 csWindows31J"),
            ("EUC-JP", "euc-jp EUC_JP eucJP ujis x-euc-jp eucJP-ms cp51932 ja_JP.eucJP"),
            ("EUC-KR", "euc-kr EUC_KR eucKR euckr CP949 949 MS949 UHC KS_C_5601-1987 ksc5601 windows-949"),
            ("EUC-KR", "HANGUL_CHARSET HANGEUL_CHARSET x-windows-949 korean ko_KR.eucKR cp51949"),
            ("windows-1252", "ISO-8859-1 ISO8859-1 ISO8859_1 iso8859_1 ISO_8859-1:1987 ISO-8859 latin1 Latin-1"),
            ("windows-1252", "cp1252 Cp1252 Windows-1252 win1252 1252 MS-ANSI ASCII us-ascii l1 ANSI_CHARSET 28591"),
            ("windows-1250", "windows-1250 cp1250 EASTEUROPE_CHARSET"),
            ("windows-1251", "Windows-1251 CP1251 RUSSIAN_CHARSET win-1251 ru_RU.CP1251"),
            ("windows-1254", "ISO-8859-9 latin5 ISO8859_9 TURKISH_CHARSET"),
            ("windows-874", "TIS-620 iso-8859-11 cp874 THAI_CHARSET"),
            ("ISO-8859-2", "iso8859-2 ISO8859_2 latin2 ISO-8859-2:1987 28592"),
            ("ISO-8859-5", "ISO-8859-5 iso8859_5"),
            ("ISO-8859-15", "ISO-8859-15 latin9 latin-9 8859_15 ISO8859-15 latin0"),
            ("KOI8-R", "koi8-r KOI8_R koi8 cp20866"),
            ("IBM866", "cp866 ibm866 866"),
            ("macintosh", "macintosh mac MacRoman x-mac-roman"),
            ("x-mac-cyrillic", "x-mac-cyrillic MacCyrillic"),
            ("ISO-2022-JP", "iso-2022-jp ISO2022JP JIS csISO2022JP ISO-2022-JP-2 cp50220"),
            ("ISO-2022-KR", "ISO-2022-KR iso2022kr csISO2022KR cp50225"),
            ("HZ-GB-2312", "hz-gb-2312 HZ hz-gb2312 52936"),
            ("UTF-16LE", "UTF-16 UTF-16LE utf16 UCS-2 unicode 1200"),
            ("UTF-16BE", "UTF-16BE utf_16_be 1201"),
            ("UTF-32LE", "UTF-32 utf32 UCS-4"),
        ] {
            for label in labels.split(' ') {
                assert_eq!(label.parse().map(Charset::name), Ok(charset), "{label}");
                assert_eq!(format!("  {label}\r\n").parse().map(Charset::name), Ok(charset), "{label}");
            }
        }
        assert_eq!("Chinese Simplified (GB2312)".parse(), Ok(Charset::GBK));
    }

    #[test]
    fn code_pages_are_those_of_windows() {
        for (page, charset) in [
            (874, "windows-874"),
            (1250, "windows-1250"),
            (1251, "windows-1251"),
            (1252, "windows-1252"),
            (1253, "windows-1253"),
            (1254, "windows-1254"),
            (1255, "windows-1255"),
            (1256, "windows-1256"),
            (1257, "windows-1257"),
            (1258, "windows-1258"),
            (10_000, "macintosh"),
            (10_007, "x-mac-cyrillic"),
            (12_000, "UTF-32LE"),
            (12_001, "UTF-32BE"),
            (20_866, "KOI8-R"),
            (21_866, "KOI8-U"),
            (28_592, "ISO-8859-2"),
            (28_593, "ISO-8859-3"),
            (28_594, "ISO-8859-4"),
            (28_595, "ISO-8859-5"),
            (28_596, "ISO-8859-6"),
            (28_597, "ISO-8859-7"),
            (28_598, "ISO-8859-8"),
            (28_599, "windows-1254"),
            (28_603, "ISO-8859-13"),
            (28_605, "ISO-8859-15"),
            (38_598, "ISO-8859-8-I"),
            (51_949, "EUC-KR"),
        ] {
            assert_eq!(page.to_string().parse().map(Charset::name), Ok(charset), "{page}");
        }
    }

    #[test]
    fn unsupported_charsets_are_named() {
        for (label, name) in [
            ("Johab", "Johab"),
            ("cp1361", "Johab"),
            ("x-mac-japanese", "MacJapanese"),
            ("MacGreek", "MacGreek"),
            ("EUC-TW", "EUC-TW"),
            ("ISO-2022-CN", "ISO-2022-CN"),
            ("UTF-7", "UTF-7"),
            ("VISCII", "VISCII"),
            ("cp437", "code page 437"),
            ("IBM850", "code page 850"),
        ] {
            assert_eq!(label.parse::<Charset>(), Err(LabelError::Unsupported(name)), "{label}");
        }
        for label in
            ["", "foo", "replacement", "x-user-defined", "iso-8859-12", "cp1", "8859-99", &"utf8".repeat(20), "\u{E9}"]
        {
            assert_eq!(label.parse::<Charset>(), Err(LabelError::Unknown), "{label}");
        }
        // Each means the charset of the writer's machine, whichever that was.
        for label in [
            "ANSI",
            "Windows ANSI",
            "ANSI (Windows)",
            "Windows",
            "OEM",
            "OEM_CHARSET",
            "System",
            "DEFAULT_CHARSET",
            "mbcs",
        ] {
            assert_eq!(label.parse::<Charset>(), Err(LabelError::Unknown), "{label}");
        }
    }

    #[test]
    fn labels_for_ascii_are_recognised() {
        for label in ["ASCII", "us-ascii", "ANSI_X3.4-1968", "iso646-us", "cp367", "646"] {
            assert!(is_ascii(label.as_bytes()), "{label}");
        }
        for label in ["ISO-8859-1", "latin1", "", "ANSI"] {
            assert!(!is_ascii(label.as_bytes()), "{label}");
        }
    }
}
