//! The words that overtime is written with, folded as `scan` folds.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    ByoYomi,
    Canadian,
    Fischer,
    Absolute,
}

#[derive(Clone, Copy)]
pub(super) enum Word {
    Method(Method),
    /// Counts moves; without a number, one.
    Moves,
    /// Counts periods.
    Periods,
    /// `5x30`.
    Times,
    /// `25/600`, `per`.
    Per,
    /// What stood before was the main time.
    Plus,
    Filler,
}

const ABSOLUTE: Word = Word::Method(Method::Absolute);
const BYO_YOMI: Word = Word::Method(Method::ByoYomi);
const CANADIAN: Word = Word::Method(Method::Canadian);
const FISCHER: Word = Word::Method(Method::Fischer);

pub(super) const WORDS: &[(&str, Word)] = &[
    ("byo-yomi", BYO_YOMI),
    ("byoyomi", BYO_YOMI),
    ("byo yomi", BYO_YOMI),
    ("byo", BYO_YOMI),
    ("japanese", BYO_YOMI),
    ("japanese style", BYO_YOMI),
    ("simple", BYO_YOMI),
    ("读秒", BYO_YOMI),
    ("秒读み", BYO_YOMI),
    ("保留时间", BYO_YOMI),
    ("초읽기", BYO_YOMI),
    ("canadian", CANADIAN),
    ("canadian byo-yomi", CANADIAN),
    ("canadian byoyomi", CANADIAN),
    ("加拿大", CANADIAN),
    ("fischer", FISCHER),
    ("fisher", FISCHER),
    ("increment", FISCHER),
    ("inc", FISCHER),
    ("bonus", FISCHER),
    ("extra", FISCHER),
    ("加", FISCHER),
    ("none", ABSOLUTE),
    ("no", ABSOLUTE),
    ("-", ABSOLUTE),
    ("没有", ABSOLUTE),
    ("no overtime", ABSOLUTE),
    ("no byo-yomi", ABSOLUTE),
    ("no byoyomi", ABSOLUTE),
    ("absolute", ABSOLUTE),
    ("sudden death", ABSOLUTE),
    ("sd", ABSOLUTE),
    ("abs", ABSOLUTE),
    ("无", ABSOLUTE),
    ("없음", ABSOLUTE),
    ("なし", ABSOLUTE),
    ("move", Word::Moves),
    ("moves", Word::Moves),
    ("stone", Word::Moves),
    ("stones", Word::Moves),
    ("步", Word::Moves),
    ("手", Word::Moves),
    ("着", Word::Moves),
    ("수", Word::Moves),
    ("period", Word::Periods),
    ("periods", Word::Periods),
    ("extra period", Word::Periods),
    ("extra periods", Word::Periods),
    ("time", Word::Periods),
    ("times", Word::Periods),
    ("回", Word::Periods),
    ("次", Word::Periods),
    ("회", Word::Periods),
    ("번", Word::Periods),
    ("x", Word::Times),
    ("×", Word::Times),
    ("*", Word::Times),
    ("/", Word::Per),
    ("per", Word::Per),
    ("in", Word::Per),
    ("a", Word::Per),
    ("每", Word::Per),
    ("+", Word::Plus),
    ("plus", Word::Plus),
    ("of", Word::Filler),
    ("each", Word::Filler),
    ("and", Word::Filler),
    ("with", Word::Filler),
    ("for", Word::Filler),
    ("overtime", Word::Filler),
    ("style", Word::Filler),
    ("各", Word::Filler),
    (" ", Word::Filler),
    (",", Word::Filler),
    (":", Word::Filler),
    ("- ", Word::Filler),
    ("(", Word::Filler),
    (")", Word::Filler),
];
