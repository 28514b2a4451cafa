//! RU: the rules.
//!
//! Owns [`Rules`] and their names.

use std::fmt;

use super::Reading;
use super::kata_rules::{KataRules, Scoring};
use super::scan::{Scan, bare};
use super::words::{Words, sorted};

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rules {
    /// Those of the Nihon Ki-in.
    Japanese,
    /// Those of China, counted by area.
    Chinese,
    /// Those of Korea.
    Korean,
    /// Those of the American Go Association.
    Aga,
    /// Those of Ing Chang-ki; `GOE` by the standard.
    Ing,
    /// Those of New Zealand; `NZ` by the standard.
    NewZealand,
    /// Tromp-Taylor, the logical rules.
    TrompTaylor,
    /// Those of France.
    French,
    /// Those of the British Go Association.
    British,
    /// Old Chinese rules, by which stones are counted and groups taxed.
    StoneScoring,
    /// Rules given part by part, as `KataGo` writes them.
    Kata(KataRules),
    /// Backgammon: the Crawford rule is used.
    Crawford,
    /// Backgammon: this is the Crawford game.
    CrawfordGame,
    /// Backgammon: the Jacoby rule is used.
    Jacoby,
}

impl Rules {
    /// Reads the text of RU.
    ///
    /// Exact: the names that the standard and its user guide give, and `KataGo`'s. Lenient: other spellings and languages.
    pub fn parse(text: &str) -> Reading<Self> {
        let exact = match text {
            "Japanese" => Some(Self::Japanese),
            "Chinese" => Some(Self::Chinese),
            "AGA" => Some(Self::Aga),
            "GOE" => Some(Self::Ing),
            "NZ" => Some(Self::NewZealand),
            "Crawford" => Some(Self::Crawford),
            "Crawford:CrawfordGame" => Some(Self::CrawfordGame),
            "Jacoby" => Some(Self::Jacoby),
            _ => KataRules::parse(text).map(Self::Kata),
        };
        Reading::of(text, exact, lenient)
    }
}

/// The standard's name, or the most common one.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Japanese => "Japanese",
            Self::Chinese => "Chinese",
            Self::Korean => "Korean",
            Self::Aga => "AGA",
            Self::Ing => "GOE",
            Self::NewZealand => "NZ",
            Self::TrompTaylor => "Tromp-Taylor",
            Self::French => "French",
            Self::British => "BGA",
            Self::StoneScoring => "Stone scoring",
            Self::Kata(rules) => return rules.fmt(f),
            Self::Crawford => "Crawford",
            Self::CrawfordGame => "Crawford:CrawfordGame",
            Self::Jacoby => "Jacoby",
        })
    }
}

const NAMES: Words<Rules> = Words::new(&sorted([
    ("japanese", Rules::Japanese),
    ("japan", Rules::Japanese),
    ("jap", Rules::Japanese),
    ("jp", Rules::Japanese),
    ("jpn", Rules::Japanese),
    ("japanisch", Rules::Japanese),
    ("japans", Rules::Japanese),
    ("japonais", Rules::Japanese),
    ("japonaises", Rules::Japanese),
    ("japonaise", Rules::Japanese),
    ("japanische", Rules::Japanese),
    ("japanse", Rules::Japanese),
    ("giapponesi", Rules::Japanese),
    ("японские", Rules::Japanese),
    ("японский", Rules::Japanese),
    ("japonesa", Rules::Japanese),
    ("japonés", Rules::Japanese),
    ("japonesas", Rules::Japanese),
    ("nihon ki-in", Rules::Japanese),
    ("nihon kiin", Rules::Japanese),
    ("nihonkiin", Rules::Japanese),
    ("giapponese", Rules::Japanese),
    ("nihon-kiin", Rules::Japanese),
    ("日本", Rules::Japanese),
    ("日规", Rules::Japanese),
    ("日式", Rules::Japanese),
    ("japaneese", Rules::Japanese),
    ("日韩", Rules::Japanese),
    ("日本棋院", Rules::Japanese),
    ("일본", Rules::Japanese),
    ("chinese", Rules::Chinese),
    ("china", Rules::Chinese),
    ("chn", Rules::Chinese),
    ("cn", Rules::Chinese),
    ("chinesisch", Rules::Chinese),
    ("chinees", Rules::Chinese),
    ("chinois", Rules::Chinese),
    ("chinoises", Rules::Chinese),
    ("chinas", Rules::Chinese),
    ("chinese-ogs", Rules::Chinese),
    ("chinese-kgs", Rules::Chinese),
    ("chinese_ogs", Rules::Chinese),
    ("chinese_kgs", Rules::Chinese),
    ("chinese ogs", Rules::Chinese),
    ("chinese kgs", Rules::Chinese),
    ("chinoise", Rules::Chinese),
    ("chinesische", Rules::Chinese),
    ("chinesas", Rules::Chinese),
    ("cinesi", Rules::Chinese),
    ("cinese", Rules::Chinese),
    ("китайские", Rules::Chinese),
    ("китайский", Rules::Chinese),
    ("中国", Rules::Chinese),
    ("中规", Rules::Chinese),
    ("中式", Rules::Chinese),
    ("chineese", Rules::Chinese),
    ("数子", Rules::Chinese),
    ("중국", Rules::Chinese),
    ("korean", Rules::Korean),
    ("korea", Rules::Korean),
    ("koreanisch", Rules::Korean),
    ("koreanische", Rules::Korean),
    ("coréen", Rules::Korean),
    ("coréenne", Rules::Korean),
    ("coréennes", Rules::Korean),
    ("koreaans", Rules::Korean),
    ("корейские", Rules::Korean),
    ("корейский", Rules::Korean),
    ("kor", Rules::Korean),
    ("kr", Rules::Korean),
    ("韩国", Rules::Korean),
    ("한국", Rules::Korean),
    ("aga", Rules::Aga),
    ("american", Rules::Aga),
    ("american go association", Rules::Aga),
    ("美国", Rules::Aga),
    ("ing", Rules::Ing),
    ("ing's", Rules::Ing),
    ("goe", Rules::Ing),
    ("ing goe", Rules::Ing),
    ("ing chang-ki", Rules::Ing),
    ("ing's goe", Rules::Ing),
    ("ing sst", Rules::Ing),
    ("ing's sst", Rules::Ing),
    ("应氏计点", Rules::Ing),
    ("应氏计点制", Rules::Ing),
    ("goe (ing)", Rules::Ing),
    ("sst", Rules::Ing),
    ("应氏", Rules::Ing),
    ("应昌期", Rules::Ing),
    ("计点", Rules::Ing),
    ("计点制", Rules::Ing),
    ("응씨", Rules::Ing),
    ("nz", Rules::NewZealand),
    ("new zealand", Rules::NewZealand),
    ("new-zealand", Rules::NewZealand),
    ("newzealand", Rules::NewZealand),
    ("new_zealand", Rules::NewZealand),
    ("新西兰", Rules::NewZealand),
    ("tromp-taylor", Rules::TrompTaylor),
    ("tromp/taylor", Rules::TrompTaylor),
    ("tromp taylor", Rules::TrompTaylor),
    ("tromptaylor", Rules::TrompTaylor),
    ("tromp_taylor", Rules::TrompTaylor),
    ("tt", Rules::TrompTaylor),
    ("logical", Rules::TrompTaylor),
    ("tromp and taylor", Rules::TrompTaylor),
    ("tromp & taylor", Rules::TrompTaylor),
    ("french", Rules::French),
    ("français", Rules::French),
    ("française", Rules::French),
    ("francaise", Rules::French),
    ("france", Rules::French),
    ("françaises", Rules::French),
    ("法国", Rules::French),
    ("ffg", Rules::French),
    ("bga", Rules::British),
    ("british", Rules::British),
    ("british go association", Rules::British),
    ("stone scoring", Rules::StoneScoring),
    ("stone-scoring", Rules::StoneScoring),
    ("stonescoring", Rules::StoneScoring),
    ("stone_scoring", Rules::StoneScoring),
    ("old chinese", Rules::StoneScoring),
    ("ancient chinese", Rules::StoneScoring),
    ("中国古代", Rules::StoneScoring),
    ("crawford", Rules::Crawford),
    ("jacoby", Rules::Jacoby),
]));

const FILLERS: &[&str] = &[
    "the",
    "rule",
    "rules",
    "ruleset",
    "rule set",
    "style",
    "regeln",
    "regels",
    "règles",
    "règle",
    "regle",
    "regles",
    "laws",
    "regel",
    "regole",
    "правила",
    "规约",
    "棋规",
    "counting",
    "scoring",
    "_",
    "reglas",
    "of",
    "规则",
    "规",
    "围棋规则",
    "囲碁规约",
    "囲碁ルール",
    "ルール",
    "룰",
    "규칙",
    "式",
    "식",
    "go",
    "法",
    "杯",
    "-",
    ":",
    " ",
];

fn lenient(text: &str) -> Option<Rules> {
    let mut scan = Scan::new(bare(text));
    skip_fillers(&mut scan);
    let rules = scan.eat_word(&NAMES)?;
    skip_fillers(&mut scan);
    // `Japanese territory`; but nobody knows what `Japanese area` is.
    let mut counted = scan;
    if let Some(counts) = counted.eat_any(COUNTED) {
        if counting(rules).is_some_and(|other| other != counts) {
            return None;
        }
        scan = counted;
        skip_fillers(&mut scan);
    }
    scan.eat_one(SUPERKO);
    scan.eat_char('?');
    // `Chinese, Japanese`: which of them?
    let mut second = scan;
    second.skip_while(|c| matches!(c, ' ' | ',' | ';'));
    let two = second.rest().len() < scan.rest().len() && second.eat_word(&NAMES).is_some_and(|other| other != rules);
    (scan.is_set_off() && !two).then_some(rules)
}

/// Words behind a name that change one of its rules.
const SUPERKO: &[&str] = &["with superko", "with positional superko", "with situational superko", "superko"];

/// What is counted, if that is said besides the name.
const COUNTED: &[(&str, Scoring)] = &[
    ("area", Scoring::Area),
    ("数子", Scoring::Area),
    ("territory", Scoring::Territory),
    ("数目", Scoring::Territory),
];

/// What is counted by the rules of this name; the AGA's count either way.
const fn counting(rules: Rules) -> Option<Scoring> {
    match rules {
        Rules::Japanese | Rules::Korean => Some(Scoring::Territory),
        Rules::Chinese | Rules::Ing | Rules::NewZealand | Rules::TrompTaylor => Some(Scoring::Area),
        _ => None,
    }
}

/// Skips words that say nothing, and the year of an edition: `Japanese 1989`.
fn skip_fillers(scan: &mut Scan<'_>) {
    loop {
        while scan.eat_one(FILLERS) {}
        let mut year = *scan;
        if !year.digits().is_some_and(|(year, digits)| digits == 4 && (1900..2100).contains(&year)) {
            return;
        }
        *scan = year;
    }
}
