//! The charset of a game.
//!
//! Owns [`CharsetOfGame`]. It is fed with what a game says of its charset and with the game's text, and says at any
//! time what the charset is and how that was learnt. Memory is bounded. Refuses to know which values are text, where
//! games begin, and what a problem is.
//!
//! What the game says is in `declared`, what its text shows, as it comes, in `seen`, and what is kept of the text in `sample`;
//! `judge` weighs them with the games before, which are in `neighbours`. How much of a text is UTF-8, `utf8` counts.
//!
//! In this order: the charset that the caller forces; that of a stream that is recoded; UTF-8, if the text is that and
//! can hardly be anything else, or if it is that in a stream that begins with its mark; the label of CA, if the text is
//! in that charset; UTF-8, if other text is that; a guess, if one is wanted; windows-1252.
//!
//! The mark is no proof, because files are joined: what comes after a file with a mark may be another one in any
//! charset, and its text would be lost.

mod declared;
#[cfg(feature = "archive")]
pub(super) mod file_name;
pub(super) mod judge;
pub(super) mod learnt;
pub(super) mod neighbours;
mod sample;
mod seen;
pub(super) mod utf8;

use crate::text::charset::label::LabelError;
use crate::text::decide::declared::{Declaration, Declared, Meaning};
use crate::text::decide::judge::Questions;
use crate::text::decide::neighbours::Neighbours;
use crate::text::decide::sample::Sample;
use crate::text::decide::utf8::{is_certain_utf_8, is_made, unbroken};
use crate::text::{Charset, Charsets, How, Learnt, is_utf_8};

/// What is wrong with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelTrouble {
    /// It gives no charset.
    Unknown(LabelError),
    /// The stream or the text is in another charset.
    Contradicted,
}

/// What is known about a stream before its games are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stream {
    #[default]
    Unknown,
    /// It begins with the mark of UTF-8.
    Marked,
    /// It was recoded to UTF-8.
    Recoded,
}

/// The charset of one game, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) struct CharsetOfGame {
    detection: Charsets,
    usual: Option<Charset>,
    /// The charset of the first game decided how this one is read.
    asked_first: bool,
    declaration: Declaration,
    /// The charset, if it was settled before the game began.
    given: Option<Learnt>,
    /// The stream begins with the mark of UTF-8.
    is_marked: bool,
    learnt: Option<Learnt>,
    /// Text that is not ASCII was seen.
    has_text: bool,
    /// That text, except UTF-8 in a game that declares UTF-8.
    sample: Sample,
    /// How many earlier games of this part of the source had a charset.
    games: usize,
    /// What was looked up about the games before, if that is to be noted.
    questions: Option<Questions>,
}

impl CharsetOfGame {
    pub(crate) fn new(detection: Charsets) -> Self {
        Self {
            detection,
            usual: None,
            asked_first: false,
            declaration: Declaration::new(),
            given: None,
            is_marked: false,
            learnt: None,
            has_text: false,
            sample: Sample::new(),
            games: 0,
            questions: None,
        }
    }

    /// A game begins.
    pub(crate) fn start(&mut self, stream: Stream, neighbours: Option<&Neighbours>) {
        self.forget();
        self.is_marked = stream == Stream::Marked && matches!(self.detection, Charsets::Auto | Charsets::Declared);
        self.usual = neighbours.and_then(Neighbours::usual);
        self.games = neighbours.map_or(0, Neighbours::games_of_part);
        self.asked_first = self.detection == Charsets::Once && stream == Stream::Unknown;
        let recoded = Learnt::new(Charset::UTF_8, How::Bom);
        self.given = match self.detection {
            Charsets::Forced(charset) if !(charset.is_wide() || charset.is_stateful()) => {
                Some(Learnt::new(charset, How::Forced))
            }
            Charsets::Raw => Some(Learnt::new(Charset::UTF_8, How::Unneeded)),
            Charsets::Once if stream == Stream::Unknown => {
                neighbours.and_then(Neighbours::first).map(|charset| Learnt::new(charset, How::Earlier))
            }
            Charsets::Once => Some(recoded),
            _ => (stream == Stream::Recoded).then_some(recoded),
        };
    }

    /// Forgets the stream, but keeps the buffers.
    pub(crate) fn renew(&mut self) {
        self.declaration.renew();
        self.forget();
        self.questions = None;
    }

    /// From here on, notes what is looked up about the games before.
    pub(crate) fn note_questions(&mut self) {
        self.questions = Some(Questions::default());
    }

    /// What was looked up about them since; nothing is noted any more.
    pub(crate) fn take_questions(&mut self) -> Questions {
        self.questions.take().unwrap_or_default()
    }

    /// Forgets the game, but keeps the buffers.
    fn forget(&mut self) {
        self.declaration.declared = Declared::Nothing;
        self.given = None;
        self.is_marked = false;
        self.learnt = None;
        self.asked_first = false;
        self.has_text = false;
        self.sample.forget();
    }

    /// Reports this game to `neighbours`, for the games after it. It has ended, or is at least known to have used the
    /// games before it.
    pub(crate) fn report_to(&self, has_ended: bool, neighbours: &mut Neighbours) {
        if self.asked_first {
            neighbours.ask_first();
        }
        if has_ended {
            neighbours.remember(self.learnt(), self.has_text, self.sample.bytes());
        }
    }

    /// It is now known what the games before were written in, and that this makes no difference so far.
    pub(crate) fn follow(&mut self, neighbours: &Neighbours) {
        self.usual = neighbours.usual();
    }

    /// The charset, as far as it is known.
    pub(crate) fn learnt(&self) -> Learnt {
        match (self.given, self.learnt, self.declaration.declared) {
            (Some(learnt), ..) | (None, Some(learnt), _) => learnt,
            (None, None, Declared::As(charset)) if !(self.is_marked && charset == Charset::UTF_8) => {
                Learnt::new(charset, How::Declared)
            }
            (None, None, _) => Learnt::new(Charset::UTF_8, How::Unneeded),
        }
    }

    /// Whether the charset is not settled from outside the game.
    pub(crate) fn is_open(&self) -> bool {
        self.given.is_none()
    }

    /// Whether a label that comes later in the root would change how text is read.
    pub(crate) fn awaits_label(&self) -> bool {
        self.given.is_none() && self.learnt.is_none() && self.declaration.declared == Declared::Nothing
    }

    /// Whether labels distinguish the games of the stream.
    pub(crate) fn has_labels(&self) -> bool {
        self.given.is_none() && !self.is_marked
    }

    /// The charset that a value of CA names, if the game's text could be in it.
    pub(crate) fn label(&mut self, label: &[u8]) -> Option<Charset> {
        if !self.has_labels() {
            return None;
        }
        // As it is written: otherwise the first mark in a stream would change the meaning of the same label.
        let Meaning { charset, is_ascii } = self.declaration.meaning_by_itself(label).ok()?;
        (!is_ascii && !charset.is_wide()).then_some(charset)
    }

    /// The value of CA in the root. The first one counts.
    pub(crate) fn declare(&mut self, label: &[u8]) -> Option<LabelTrouble> {
        if matches!(self.detection, Charsets::Raw | Charsets::Forced(_))
            || self.declaration.declared != Declared::Nothing
        {
            return None;
        }
        let Meaning { charset, is_ascii } = match self.declaration.meaning(label) {
            Ok(meaning) => meaning,
            Err(error) => {
                self.declaration.declared = Declared::Useless;
                return Some(LabelTrouble::Unknown(error));
            }
        };
        if is_ascii {
            self.declaration.declared = Declared::Ascii;
        } else if let Some(given) = self.given {
            self.declaration.declared = Declared::As(charset);
            // A recoded source may name the charset that it was in.
            let same = given.charset() == charset || charset.is_wide() || charset.is_stateful();
            return (!same).then_some(LabelTrouble::Contradicted);
        } else if charset.is_wide() {
            // The label was read as bytes, so it is wrong.
            self.declaration.declared = Declared::Useless;
            return Some(LabelTrouble::Contradicted);
        } else {
            self.declaration.declared = Declared::As(charset);
        }
        let is_against_mark = self.is_marked && charset != Charset::UTF_8 && !charset.is_stateful() && !is_ascii;
        let mut agrees = !is_against_mark;
        if let Some(before) = self.learnt {
            // The label came after some text.
            let now = self.judge_sample();
            self.learnt = Some(now);
            agrees &= before.charset() == charset || now.charset() == charset;
        }
        (!agrees).then_some(LabelTrouble::Contradicted)
    }

    /// Whether the game's text is UTF-8 because marks showed how to recode it.
    pub(crate) fn is_made(&self) -> bool {
        self.declaration.is_made()
    }

    /// The stream is recoded from here on, including the game that has begun.
    pub(crate) fn recoded(&mut self) {
        self.given = Some(Learnt::new(Charset::UTF_8, How::Bom));
    }

    /// From here on, and in the games to come, text between marks is recoded to UTF-8.
    pub(crate) fn recoded_by_marks(&mut self) {
        self.declaration.recoded_by_marks();
    }

    /// Whether a text by itself shows the game's charset.
    pub(crate) fn is_told_by(&self, text: &[u8]) -> bool {
        let text = &*unbroken(text);
        match self.is_marked {
            true => is_utf_8(text),
            false if self.declaration.may_be_made() => is_made(text),
            false => is_certain_utf_8(text),
        }
    }

    /// Notes that there is text that is not ASCII, whatever happens to it.
    pub(crate) fn note_text(&mut self) {
        self.has_text = true;
    }
}

#[cfg(test)]
mod tests {
    use super::seen::Seen;
    use super::*;
    use crate::text::decide::sample::{LONGEST, SAMPLE};

    const DAMAGED: &[u8] = b"\xE6\x9F\xAF\xE6? \xE9\xBB\x91";
    const GBK: &[u8] = b"\xBA\xDA\xCF\xC8"; // 黑先
    const BIG5: &[u8] = b"\xB6\xC2\xA5\xD5"; // 黑白
    const LATIN: &[u8] = b"M\xFCller";
    /// Valid in UTF-8, as two characters of two bytes each, and in GBK.
    const BOTH: &[u8] = b"\xC2\xB7\xD3\xA2";

    fn utf8(text: &str) -> &[u8] {
        text.as_bytes()
    }

    fn game(detection: Charsets) -> CharsetOfGame {
        let mut game = CharsetOfGame::new(detection);
        game.start(Stream::Unknown, None);
        game
    }

    /// Reads a game with a label, unless that is empty, and text.
    fn read(detection: Charsets, label: &str, text: &[u8]) -> (&'static str, How, Seen) {
        let mut game = game(detection);
        if !label.is_empty() {
            game.declare(label.as_bytes());
        }
        let seen = game.see(text);
        (game.learnt().charset().name(), game.learnt().how(), seen)
    }

    #[test]
    fn charsets_are_decided_in_this_order() {
        let auto = Charsets::Auto;
        let off = Charsets::Declared;
        let big5 = Charsets::Forced(Charset::BIG5);
        for (detection, label, text, charset, how, contradicted) in [
            // Nothing to decide.
            (auto, "", b"ASCII".as_slice(), "UTF-8", How::Unneeded, false),
            (auto, "gb2312", b"ASCII", "GBK", How::Declared, false),
            (Charsets::Raw, "gb2312", GBK, "UTF-8", How::Unneeded, false),
            (big5, "gb2312", GBK, "Big5", How::Forced, false),
            // Clear UTF-8, whatever the label.
            (auto, "", utf8("柯洁"), "UTF-8", How::Bytes, false),
            (off, "gb2312", utf8("柯洁"), "UTF-8", How::Bytes, true),
            (off, "ISO-2022-KR", utf8("柯洁"), "UTF-8", How::Bytes, true),
            (off, "UTF-8", utf8("柯洁"), "UTF-8", How::Declared, false),
            (off, "UTF-16LE", utf8("柯洁"), "UTF-8", How::Bytes, false),
            (off, "no such thing", utf8("柯洁"), "UTF-8", How::Bytes, false),
            // The label, if the text fits it.
            (auto, "gb2312", GBK, "GBK", How::Declared, false),
            (auto, "big5", GBK, "Big5", How::Declared, false),
            (auto, "gb2312", BOTH, "GBK", How::Declared, false),
            (auto, "UTF-8", BOTH, "UTF-8", How::Declared, false),
            (auto, "ISO-8859-1", LATIN, "windows-1252", How::Declared, false),
            (
                auto,
                "gb2312",
                b"\xBA\xDA\xCF\xC8\xBA\xDA\xCF\xC8\xBA\xDA\xCF\xC8\xBA\xDA\xCF\xC8\xBA",
                "GBK",
                How::Declared,
                false,
            ),
            // Any bytes fit a single-byte charset, so fitting proves nothing.
            (auto, "ISO-8859-1", utf8("Müller"), "UTF-8", How::Bytes, true),
            (auto, "ISO-8859-1", DAMAGED, "UTF-8", How::Bytes, true),
            // Contains a valid character of three bytes by chance.
            (auto, "windows-1251", b"\xE0\xA8\xB3\xF0 \xE8", "windows-1251", How::Declared, false),
            (auto, "ASCII", GBK, "GBK", How::Guessed, true),
            (off, "us-ascii", LATIN, "windows-1252", How::Fallback, true),
            // Other UTF-8, even if damaged.
            (auto, "", utf8("Müller"), "UTF-8", How::Bytes, false),
            (auto, "", BOTH, "UTF-8", How::Bytes, false),
            (auto, "", DAMAGED, "UTF-8", How::Bytes, false),
            (off, "", DAMAGED, "UTF-8", How::Bytes, false),
            (off, "UTF-8", DAMAGED, "UTF-8", How::Declared, false),
            (off, "euc-jp", DAMAGED, "UTF-8", How::Bytes, true),
            // A guess.
            (auto, "", GBK, "GBK", How::Guessed, false),
            (auto, "", BIG5, "Big5", How::Guessed, false),
            (auto, "", LATIN, "windows-1252", How::Guessed, false),
            (auto, "UTF-8", LATIN, "windows-1252", How::Guessed, true),
            (auto, "no such thing", GBK, "GBK", How::Guessed, false),
            (auto, "Johab", GBK, "GBK", How::Guessed, false),
            (auto, "HZ", GBK, "GBK", How::Guessed, true),
            // The fallback.
            (off, "", GBK, "windows-1252", How::Fallback, false),
            (off, "UTF-8", LATIN, "windows-1252", How::Fallback, true),
            (off, "UTF-16", LATIN, "windows-1252", How::Fallback, false),
        ] {
            let (name, as_what, seen) = read(detection, label, text);
            let case = format!("{detection:?} CA[{label}] {}", text.escape_ascii());
            assert_eq!((name, as_what, seen.contradicted), (charset, how, contradicted), "{case}");
        }
    }

    #[test]
    fn undecodable_text_is_reported() {
        assert!(read(Charsets::Auto, "gb2312", GBK).2.decodes);
        assert!(!read(Charsets::Auto, "UTF-8", DAMAGED).2.decodes);
        assert!(!read(Charsets::Forced(Charset::UTF_8), "", GBK).2.decodes);
        // Escaped by byte.
        assert!(read(Charsets::Auto, "big5", b"\xA6\\]\xA7\x7B").2.decodes);
    }

    #[test]
    fn labels_are_checked() {
        use LabelTrouble::{Contradicted, Unknown};
        for (label, trouble) in [
            ("gb2312", None),
            ("ISO-2022-KR", None),
            ("ASCII", None),
            ("foo", Some(Unknown(LabelError::Unknown))),
            ("Johab", Some(Unknown(LabelError::Unsupported("Johab")))),
            ("UTF-16LE", Some(Contradicted)),
            ("UTF-32", Some(Contradicted)),
        ] {
            let mut game = game(Charsets::Auto);
            assert!(game.awaits_label());
            assert_eq!(game.declare(label.as_bytes()), trouble, "{label}");
            assert!(!game.awaits_label());
            assert_eq!(game.declare(b"foo"), None, "only the first label counts");
            let mut forced = super::tests::game(Charsets::Forced(Charset::GBK));
            assert_eq!(forced.declare(label.as_bytes()), None);
            assert!(!forced.awaits_label());
        }
    }

    #[test]
    fn a_recoded_stream_is_utf_8_whatever_its_labels() {
        let mut game = game(Charsets::Auto);
        for (label, trouble) in
            [("UTF-8", None), ("UTF-16", None), ("ISO-2022-JP", None), ("gb2312", Some(LabelTrouble::Contradicted))]
        {
            game.start(Stream::Recoded, None);
            assert!(!game.awaits_label());
            assert_eq!(game.declare(label.as_bytes()), trouble, "{label}");
            assert!(!game.see(GBK).decodes);
            assert_eq!(game.learnt(), Learnt::new(Charset::UTF_8, How::Bom));
        }
    }

    #[test]
    fn a_byte_order_mark_counts_if_the_text_may_be_utf_8() {
        let against = Some(LabelTrouble::Contradicted);
        for (label, text, trouble, charset, how, contradicted) in [
            ("", BOTH, None, "UTF-8", How::Bom, false),
            ("", utf8("柯洁"), None, "UTF-8", How::Bom, false),
            ("", DAMAGED, None, "UTF-8", How::Bom, false),
            ("", b"Jos\xC3", None, "UTF-8", How::Bom, false),
            ("UTF-8", BOTH, None, "UTF-8", How::Bom, false),
            ("ASCII", BOTH, None, "UTF-8", How::Bom, false),
            ("gb2312", BOTH, against, "UTF-8", How::Bom, false),
            ("gb2312", utf8("柯洁"), against, "UTF-8", How::Bom, false),
            // Another file was appended after the BOM.
            ("gb2312", GBK, against, "GBK", How::Declared, false),
            ("gb2312", BIG5, against, "GBK", How::Declared, false),
            ("", GBK, None, "GBK", How::Guessed, true),
            ("UTF-8", GBK, None, "GBK", How::Guessed, true),
            ("", LATIN, None, "windows-1252", How::Guessed, true),
            ("ISO-8859-1", LATIN, against, "windows-1252", How::Declared, false),
        ] {
            for at_once in [false, true] {
                let mut game = game(Charsets::Auto);
                game.start(Stream::Marked, None);
                let case = format!("CA[{label}] {} {at_once}", text.escape_ascii());
                if !label.is_empty() {
                    assert_eq!(game.declare(label.as_bytes()), trouble, "{case}");
                }
                let seen = if at_once { game.see_all(std::iter::once(text)) } else { game.see(text).contradicted };
                let learnt = game.learnt();
                assert_eq!((learnt.charset().name(), learnt.how(), seen), (charset, how, contradicted), "{case}");
            }
        }
    }

    #[test]
    fn a_byte_order_mark_does_not_count_after_games_in_another_charset() {
        let mut neighbours = Neighbours::default();
        let mut game = CharsetOfGame::new(Charsets::Auto);
        let mut read = |text: &[u8]| {
            game.start(Stream::Marked, Some(&neighbours));
            game.see(text);
            game.report_to(true, &mut neighbours);
            game.learnt().charset()
        };
        assert_eq!(read(BOTH), Charset::UTF_8);
        assert_eq!([read(GBK), read(GBK)], [Charset::GBK; 2]);
        assert_eq!(read(BOTH), Charset::GBK);
        assert_eq!(read(utf8("柯洁")), Charset::UTF_8);
    }

    #[test]
    fn a_late_label_counts() {
        let mut game = game(Charsets::Auto);
        game.see(BIG5);
        assert_eq!(game.declare(b"gb2312"), None);
        assert_eq!(game.learnt(), Learnt::new(Charset::GBK, How::Declared));
        let mut game = super::tests::game(Charsets::Auto);
        game.see(utf8("柯洁"));
        assert_eq!(game.declare(b"gb2312"), Some(LabelTrouble::Contradicted));
        assert_eq!(game.learnt(), Learnt::new(Charset::UTF_8, How::Bytes));
    }

    #[test]
    fn later_text_may_contradict_the_charset() {
        let comment = "黑棋在右上角的下法有些问题，白棋抓住机会取得了优势。";
        let gbk = Charset::GBK.encode(comment).unwrap().into_owned();
        let odd = format!("{comment}。");
        for (label, first, then, charset, contradicted) in [
            // Damage is no contradiction.
            ("UTF-8", utf8("柯洁"), DAMAGED, "UTF-8", false),
            ("UTF-8", utf8("柯洁"), LATIN, "UTF-8", false),
            ("", utf8("柯洁"), LATIN, "UTF-8", false),
            ("gb2312", GBK, b"\xBA\xDA\xCF\xC8\xBA\xDA\xCF\xC8\xBA\xDA\xCF\xC8\xBA\xDA\xCF\xC8\xFF", "GBK", false),
            // Text in another charset is.
            ("gb2312", GBK, utf8(&odd), "UTF-8", true),
            ("ISO-8859-1", LATIN, utf8(comment), "UTF-8", true),
            ("gb2312", utf8("柯洁"), &gbk, "GBK", true),
            ("", utf8("柯洁"), &gbk, "GBK", true),
            ("", LATIN, &gbk, "GBK", true),
            ("", LATIN, utf8(comment), "UTF-8", true),
            ("", GBK, &gbk, "GBK", false),
        ] {
            let mut game = game(Charsets::Auto);
            if !label.is_empty() {
                game.declare(label.as_bytes());
            }
            game.see(first);
            let seen = game.see(then);
            let case = format!("CA[{label}] {} then {}", first.escape_ascii(), then.escape_ascii());
            assert_eq!((game.learnt().charset().name(), seen.contradicted), (charset, contradicted), "{case}");
        }
    }

    fn charsets_of_games(detection: Charsets, games: &[(&str, &[u8])]) -> Vec<&'static str> {
        let mut neighbours = Neighbours::default();
        let mut game = CharsetOfGame::new(detection);
        let mut charsets = Vec::new();
        for (label, text) in games {
            game.start(Stream::Unknown, Some(&neighbours));
            if !label.is_empty() {
                game.declare(label.as_bytes());
            }
            game.see(text);
            charsets.push(game.learnt().charset().name());
            game.report_to(true, &mut neighbours);
        }
        charsets
    }

    #[test]
    fn neighbours_influence_a_guess() {
        let name = Charset::GBK.encode("蒲甫").unwrap();
        let auto = |games: &[(&str, &[u8])]| charsets_of_games(Charsets::Auto, games);
        let korean = Charset::EUC_KR.encode("이세돌 흑 불계승").unwrap();
        assert_eq!(auto(&[("", &name)]), ["GBK"]);
        assert_eq!(auto(&[("gb2312", GBK), ("", &name), ("", BOTH)]), ["GBK"; 3]);
        let games = [("euc-kr", &korean[..]), ("", &name), ("", GBK), ("", &name)];
        assert_eq!(auto(&games), ["EUC-KR", "EUC-KR", "GBK", "GBK"]);
        assert_eq!(auto(&[("euc-kr", b"ASCII"), ("", &name)]), ["EUC-KR", "GBK"], "a game of ASCII does not count");
    }

    #[test]
    fn names_in_letters_tell_their_charset_together() {
        for label in ["windows-1257", "ISO-8859-4", "windows-1250"] {
            let charset: Charset = label.parse().unwrap();
            let names: &[&str] = match label {
                "windows-1250" => &["Tóth Gergő", "Szabó Péter", "Szűcs Judit", "Nagy Jenő", "Hegedűs Ernő"],
                _ => &["Jonas Žukas", "Petras Šimkus", "Vytautė Bačkė", "Rūta Ąžuolaitė", "Žydrūnas Šimkus"],
            };
            let names: Vec<_> = names.iter().map(|name| charset.encode(name).unwrap()).collect();
            let games: Vec<_> = names.iter().cycle().take(20).map(|name| ("", &name[..])).collect();
            let found = charsets_of_games(Charsets::Auto, &games);
            assert_eq!(found[5..], [charset.name(); 15], "{label}");
        }
    }

    #[test]
    fn a_game_in_another_script_says_nothing_about_latin_letters() {
        let games: [&[u8]; 4] = [b"M\xFCller", b"J\xE4ger", b"\xCC\xE1\xFD\xF1\xE1", b"H\xE9l\xE8ne"];
        let found = charsets_of_games(Charsets::Auto, &games.map(|text| ("", text)));
        assert_eq!([found[0], found[1], found[3]], ["windows-1252"; 3]);
    }

    #[test]
    fn one_value_that_may_be_utf_8_is_judged_with_the_others() {
        let by_chance = &b"\xED\x9D\x9Bx\xDC\x8D"[..];
        let others = Charset::GBK.encode("王立诚").unwrap();
        for texts in [[by_chance, &others], [&others, by_chance]] {
            for label in ["gb2312", ""] {
                let mut game = game(Charsets::Auto);
                if !label.is_empty() {
                    game.declare(label.as_bytes());
                }
                game.see_all(texts.into_iter());
                assert_eq!(game.learnt().charset(), Charset::GBK, "{label}");
            }
        }
    }

    #[test]
    fn truncated_names_in_utf_8_stay_utf_8() {
        let cut = &b"J\xC3\xBCrgen M\xC3\nR\xC3\xA9mi"[..];
        let mut game = game(Charsets::Auto);
        game.declare(b"UTF-8");
        game.see(cut);
        assert_eq!(game.learnt(), Learnt::new(Charset::UTF_8, How::Declared));
        let charsets = charsets_of_games(Charsets::Auto, &[("", utf8("柯洁")), ("", b"M\xC3\xA9ro M\xC3")]);
        assert_eq!(charsets, ["UTF-8"; 2]);
    }

    #[test]
    fn with_once_the_first_charset_is_for_all_games() {
        let games = [("", &b"ASCII"[..]), ("gb2312", b"ASCII"), ("", GBK), ("big5", BIG5), ("", utf8("柯洁"))];
        assert_eq!(charsets_of_games(Charsets::Once, &games), ["UTF-8", "GBK", "GBK", "GBK", "GBK"]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut game = game(Charsets::Auto);
        let long = GBK.repeat(100_000);
        for _ in 0..100 {
            game.see(&long);
        }
        assert!(game.sample.bytes().len() <= SAMPLE + LONGEST + 1);
        assert_eq!(game.learnt().charset(), Charset::GBK);
    }
}
