//! What the engine knows of a game's text: its charset, and whether its characters hide brackets.
//!
//! Owns [`GameText`], and what happens before a value that is not ASCII is told. How a charset is told from bytes is for
//! `text`; how bytes to come are looked at is for `look`.

use std::ops::ControlFlow;

use super::look::Values;
use super::{Engine, State, Stop};
use crate::syntax::{Charsets, Config, Deliver, Ident, Position, ProblemKind, Visitor};
use crate::text::{Charset, EscapeUnit, Follow, Writing, followed};

/// Bytes of a game after which its text is of no interest any more, so that a game without end can be shared out among threads
/// that know nothing of its beginning. The longest real game has 1.6 MB.
pub(super) const REACH: u64 = 2 << 20;

/// Bytes of a game's text that is not ASCII that are checked, unless all are to be. The names and the first comments show
/// whether a charset is right; checking all of a long text takes longer than reading it.
const CHECKED: usize = 2 << 10;

/// What is known of the text of the game in progress.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub(super) struct GameText {
    charsets: Charsets,
    pub(super) unit: EscapeUnit,
    /// The stream began with the mark of UTF-8.
    marked: bool,
    declared: Declared,
    label: Label,
    /// The root's CA has been read.
    is_declared: bool,
    /// How its values are written, as far as known.
    pub(super) writing: Writing,
    /// The root node is being read.
    pub(super) in_root: bool,
    /// The property in progress is the root's CA.
    pub(super) declares: bool,
    /// The property in progress holds text, in which a `]` may stand that closes nothing.
    pub(super) repairs: bool,
    /// One of the two: its values are more than bytes.
    pub(super) is_watched: bool,
    /// The next value that is not ASCII decides.
    pub(super) undecided: bool,
    /// Nothing of the values to come is of interest here.
    pub(super) quiet: bool,
    /// All text is checked.
    all_checked: bool,
    /// Bytes of the game's text that are to be checked still.
    unchecked: usize,
    /// A value that is not ASCII may end elsewhere than at its first `]`.
    pub(super) by_character: bool,
}

/// What the root's CA says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Declared {
    #[default]
    Nothing,
    /// No charset that is known.
    Nonsense,
    /// One that a stream of bytes can't be in.
    Wide,
    Charset(Charset),
}

/// The label that came last, since most games of an archive say the same.
#[derive(Clone, Copy, Debug, Default)]
struct Label {
    bytes: [u8; 12],
    len: usize,
    means: Declared,
}

impl Label {
    fn look_up(&mut self, label: &[u8]) -> Declared {
        if self.bytes.get(..self.len) != Some(label) {
            self.means = Declared::of(label);
            self.len = usize::MAX;
            if let Some(bytes) = self.bytes.get_mut(..label.len()) {
                bytes.copy_from_slice(label);
                self.len = label.len();
            }
        }
        self.means
    }
}

impl Declared {
    fn of(label: &[u8]) -> Self {
        match Charset::for_label(label) {
            Ok(charset) if charset.is_wide() => Self::Wide,
            Ok(charset) => Self::Charset(charset),
            Err(_) => Self::Nonsense,
        }
    }
}

impl GameText {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            charsets: config.charsets,
            unit: config.escape_unit,
            marked: false,
            declared: Declared::Nothing,
            label: Label { len: usize::MAX, ..Label::default() },
            is_declared: false,
            writing: Writing::default(),
            in_root: false,
            declares: false,
            repairs: false,
            is_watched: false,
            undecided: false,
            quiet: config.charsets == Charsets::Raw,
            all_checked: config.check_text,
            unchecked: 0,
            by_character: false,
        }
    }

    /// False where text is of no interest.
    pub(super) fn is_read(&self) -> bool {
        self.charsets != Charsets::Raw
    }

    /// True where brackets may turn out to be halves of characters.
    pub(super) fn is_cautious(&self) -> bool {
        self.is_read() && self.unit != EscapeUnit::Byte
    }

    /// The stream begins with the mark of UTF-8.
    pub(super) fn mark(&mut self) {
        self.marked = true;
    }

    pub(super) fn is_marked(&self) -> bool {
        self.marked
    }

    /// What comes is in the middle of a game of which nothing is known, or too far behind its beginning.
    pub(super) fn give_up(&mut self) {
        self.undecided = false;
        self.quiet = true;
    }

    pub(super) fn begin_game(&mut self) {
        self.in_root = true;
        self.declares = false;
        self.repairs = false;
        self.is_watched = false;
        self.declared = Declared::Nothing;
        self.is_declared = false;
        self.unchecked = CHECKED;
        match self.charsets {
            Charsets::Raw => {}
            Charsets::Forced(charset) => self.settle(charset),
            _ if self.marked => self.settle(Charset::UTF_8),
            _ => {
                self.undecided = true;
                self.by_character = false;
                self.writing = Writing::default();
            }
        }
        self.quiet = !self.is_read();
    }

    #[inline(always)]
    pub(super) fn leave_root(&mut self) {
        self.in_root = false;
        self.declares = false;
        self.is_watched = self.repairs;
    }

    /// A property begins of which more than bytes may have to be known. Called for all where anything may, and elsewhere for
    /// none.
    pub(super) fn begin_property(&mut self, ident: Ident, repair: bool) {
        self.declares = self.in_root && ident == Ident::CA;
        self.repairs = repair && ident.is_text();
        self.is_watched = self.declares || self.repairs;
    }

    fn settle(&mut self, charset: Charset) {
        self.undecided = false;
        self.by_character = self.is_cautious() && charset.has_trailing_brackets();
        self.writing =
            if self.unit == EscapeUnit::Character { Writing::by_character(charset) } else { Writing::by_byte(charset) };
    }

    /// Whether looking for CA could change anything.
    pub(super) fn wants_declaration(&self) -> bool {
        self.in_root && self.declared == Declared::Nothing
    }

    /// The root's CA will be this.
    pub(super) fn expect(&mut self, label: &[u8]) {
        self.declared = self.label.look_up(label);
    }

    /// The first value of the root's CA.
    pub(super) fn declare(&mut self, label: &[u8]) -> Option<ProblemKind> {
        let first = !std::mem::replace(&mut self.is_declared, true);
        if self.declared == Declared::Nothing {
            self.declared = self.label.look_up(label);
        }
        (first && self.declared == Declared::Nonsense).then_some(ProblemKind::CharsetUnknown)
    }

    /// Whether values may hide brackets, by what is declared or decided.
    pub(super) fn may_hide_brackets(&self) -> bool {
        let declared = matches!(self.declared, Declared::Charset(charset) if charset.has_trailing_brackets());
        self.is_cautious() && (self.by_character || (self.undecided && declared))
    }
}

impl GameText {
    /// Decides at once if a value is UTF-8 beyond doubt.
    fn is_plain(&mut self, raw: &[u8]) -> bool {
        let plain = raw.iter().any(|byte| matches!(byte, 0xE0..=0xF4)) && Charset::UTF_8.decodes(raw);
        if plain && self.declared_is(Charset::UTF_8) {
            self.settle(Charset::UTF_8);
            return true;
        }
        false
    }

    /// True unless something else is declared.
    fn declared_is(&self, charset: Charset) -> bool {
        match self.declared {
            Declared::Nothing | Declared::Nonsense => true,
            Declared::Charset(declared) => declared == charset,
            Declared::Wide => false,
        }
    }

    /// The first values that are not ASCII are at hand, as the byte rules end them: what are they?
    pub(super) fn decide(&mut self, values: &Values<'_>) -> Option<ProblemKind> {
        let utf_8 = values.clone().all(|raw| Charset::UTF_8.decodes(raw));
        let long = values.clone().any(|raw| raw.iter().any(|byte| matches!(byte, 0xE0..=0xF4)));
        let declared = match self.declared {
            Declared::Charset(charset) => Some(charset),
            _ => None,
        };
        let fits = |charset: Charset| {
            // What ends where is still open there.
            (self.is_cautious() && charset.has_trailing_brackets())
                || values.clone().all(|raw| Writing::by_byte(charset).decodes(raw))
        };
        let charset = match declared {
            _ if utf_8 && long => Charset::UTF_8,
            Some(charset) if fits(charset) => charset,
            _ if utf_8 || values.clone().all(is_damaged_utf_8) => Charset::UTF_8,
            _ => Charset::WINDOWS_1252,
        };
        self.settle(charset);
        let contradicted = declared.is_some_and(|declared| declared != charset) || self.declared == Declared::Wide;
        contradicted.then_some(ProblemKind::CharsetContradicted)
    }

    /// A value that is not ASCII, in a game whose charset is decided.
    pub(super) fn check(&mut self, raw: &[u8]) -> Option<ProblemKind> {
        if !self.all_checked {
            self.unchecked = self.unchecked.saturating_sub(raw.len());
            self.quiet = self.unchecked == 0 && !self.by_character;
        }
        if self.writing.decodes(raw) {
            return None;
        }
        let forced = self.marked || matches!(self.charsets, Charsets::Forced(_));
        let charset = self.writing.charset();
        if forced || (charset == Charset::UTF_8 && is_damaged_utf_8(raw)) {
            return Some(ProblemKind::UndecodableText);
        }
        let other = match self.declared {
            _ if Charset::UTF_8.decodes(raw) => Charset::UTF_8,
            Declared::Charset(declared) if Writing::by_byte(declared).decodes(raw) => declared,
            _ => return Some(ProblemKind::UndecodableText),
        };
        self.settle(other);
        Some(ProblemKind::CharsetContradicted)
    }

    /// Whether a piece of a value might end inside a character: where these end is known in UTF-8 alone.
    fn may_be_cut(&self) -> bool {
        let charset = self.writing.charset();
        self.is_read() && charset != Charset::UTF_8 && !charset.is_single_byte()
    }

    /// Its values did not read by character.
    pub(super) fn read_by_byte(&mut self) {
        self.by_character = false;
        self.writing = Writing::by_byte(self.writing.charset());
    }
}

/// Whether most of it is UTF-8, as where a name was cut inside a character or a byte was replaced.
fn is_damaged_utf_8(raw: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in raw.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= bad
}

/// Where a value ends, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) len: usize,
    pub(super) writing: Writing,
}

impl Engine {
    /// At the `[` of a value that is more than ASCII within the chunk: it is not ASCII, or it says what the charset is, or its
    /// end is not in sight. By the byte rules it has `len` bytes, if that is known. `None` where the state has changed.
    #[cold]
    pub(super) fn attend<V: Visitor>(
        &mut self,
        at: usize,
        len: Option<usize>,
        chunk: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, Option<Ending>> {
        self.at = at;
        let in_parts = self.property == Some(Deliver::Parts);
        if let Some(found) = self.looked_at() {
            self.told = false;
            return ControlFlow::Continue(Some(found));
        }
        if self.offset_at(at) - self.game >= REACH && !self.text.by_character {
            self.text.give_up();
        }
        let Some(len) = len else {
            let is_wanted = self.property != Some(Deliver::Skip) || self.text.is_cautious();
            let watched = self.text.by_character
                || self.text.declares
                || (is_wanted && (self.text.undecided || (in_parts && self.text.may_be_cut())));
            let in_limits = self.values < self.config.limits.values;
            if watched && in_limits && !self.is_passed() {
                self.begin_look(State::Inside);
            } else if self.text.repairs && in_limits && !self.text.by_character {
                self.begin_bracket_look();
            } else {
                self.open_value();
            }
            return ControlFlow::Continue(None);
        };
        let raw = &chunk[at + 1..][..len];
        let position = self.position_at(at + 1);
        let end = position.offset + len as u64;
        if std::mem::take(&mut self.text.declares) {
            self.text.is_watched = self.text.repairs;
            if let Some(kind) = self.text.declare(raw) {
                self.problem(kind, position, end, visitor)?;
            }
        }
        // What the visitor does not want decides nothing, unless where it ends is the question.
        let is_of_interest = self.property != Some(Deliver::Skip) || self.text.is_cautious();
        if !self.text.quiet && is_of_interest && !raw.is_ascii() {
            if self.text.by_character || (self.text.undecided && !self.text.is_plain(raw)) {
                self.begin_look(State::Inside);
                return ControlFlow::Continue(None);
            }
            self.check(raw, in_parts, position, visitor)?;
        }
        if self.text.repairs && followed(&chunk[at + len + 2..], false).is_none_or(|follow| follow == Follow::Text) {
            self.begin_bracket_look();
            return ControlFlow::Continue(None);
        }
        self.told = false;
        ControlFlow::Continue(Some(Ending { len, writing: self.text.writing }))
    }

    /// Reports what is wrong with the bytes of a value, or of a piece of one, unless that was done.
    ///
    /// Pieces change nothing: what would be changed by them would depend on where they are cut.
    pub(super) fn check<V: Visitor>(
        &mut self,
        raw: &[u8],
        in_parts: bool,
        value: Position,
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>> {
        if self.told || self.text.undecided || self.text.quiet || value.offset - 1 - self.game >= REACH {
            return ControlFlow::Continue(());
        }
        if !in_parts {
            return match self.text.check(raw) {
                Some(kind) => self.problem_once(kind, value, value.offset + raw.len() as u64, visitor),
                None => ControlFlow::Continue(()),
            };
        }
        if self.text.writing.decodes(raw) {
            return ControlFlow::Continue(());
        }
        self.problem_once(ProblemKind::UndecodableText, value, value.offset, visitor)
    }
}
