//! What a game's charset is, from its label, which may come later in the root, or from its text.
//!
//! Owns [`LabelLook`], which goes from value to value by the byte rules, past brackets that characters hide, and finds
//! where CA's value lies and which values are not ASCII. Refuses to know what a label means.

use std::ops::ControlFlow;

use super::super::texts::Noted;
use super::super::{Before, Engine, Flow, State};
use super::{About, BRACKETS, Found};
use crate::syntax::scan::{ValueEnd, plain_value, value_end};
use crate::syntax::{Ident, Visitor, ident, kinds};
use crate::text::white::{is_white, trim_end};
use crate::text::{Charset, Meeting, is_certain_utf_8};

/// The longest hidden label that is searched for, in bytes.
const LABEL: usize = 64;

/// How often a bracket may be hidden in the texts before a label. In the hidden text of one game others may lie, each of which would
/// look as far again.
const HIDES: u8 = 32;

/// How many bytes are searched for a charset.
pub(super) const LIMIT: usize = 64 << 10;

/// How far the look has come.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub(super) struct LabelLook {
    /// The first byte that was not looked at.
    scanned: usize,
    quoted: bool,
    escaped: bool,
    /// The bytes in progress are text that goes on behind a `]`, unless a game has ended in it.
    hidden: bool,
    /// How often that was so.
    hides: u8,
    meeting: Meeting,
    /// The length of the first value, without its brackets.
    value: Option<usize>,
    /// `is_text`: not all of the values so far are ASCII. `odd`: nor is the one in progress, which begins at `open`.
    is_text: bool,
    odd: bool,
    open: usize,
    /// The last value was not ASCII.
    was_odd: bool,
    /// How much of CA the identifier before a `[` is so far.
    ident: CaPrefix,
    /// Where the name ends of the property in progress; 0 if it begins before the look. `is_never_text`: that one holds no text.
    owner: usize,
    is_never_text: bool,
    /// White space came after the identifier.
    gap: bool,
    /// Where the value in progress begins, if it is CA's.
    label: Option<usize>,
    /// That value is complete.
    found: bool,
    /// The look is for the end of CA's own value.
    declares: bool,
    /// No character hides a bracket, or no label could come behind one that does.
    by_byte: bool,
    /// No node of the game has begun.
    fresh: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CaPrefix {
    #[default]
    Nothing,
    C,
    Ca,
    Other,
}

impl LabelLook {
    /// Looks for CA's value up to the end of the root node, or for the end of the value that comes first, if that is all
    /// that is wanted or needed. True when found.
    fn advance(&mut self, view: &[u8], only_value: bool, noted: &mut Noted) -> bool {
        // Whether the value in progress begins within `view`.
        let mut is_new = !self.quoted;
        while let Some(&byte) = view.get(self.scanned) {
            if self.quoted {
                let begins_here = std::mem::replace(&mut is_new, true);
                if let Some(is_found) = self.pass_value(view, begins_here, only_value, noted) {
                    return is_found;
                }
                continue;
            }
            if self.ident == CaPrefix::Nothing
                && let [b'A'..=b'Z', b'A'..=b'Z', b'[', ..] = view[self.scanned..]
            {
                // Nearly all identifiers, in one step.
                self.label = (&view[self.scanned..self.scanned + 2] == b"CA").then_some(self.scanned + 3);
                (self.quoted, self.gap) = (true, false);
                self.owner = self.scanned + 2;
                self.scanned += 3;
                self.open = self.scanned;
                continue;
            }
            if self.pass_byte(byte, noted) {
                return true;
            }
            self.scanned += 1;
        }
        false
    }

    /// Goes on in a value, to its end if that is in `view`. Returns what [`advance`](Self::advance) returns, unless the
    /// look goes on behind the value. `begins_here`: the value's first byte is the next one.
    #[inline]
    fn pass_value(&mut self, view: &[u8], begins_here: bool, only_value: bool, noted: &mut Noted) -> Option<bool> {
        let rest = &view[self.scanned..];
        let plain = if begins_here { rest.first_chunk().and_then(plain_value) } else { None };
        let (close, ascii) = if let Some((len, ascii)) = plain {
            (Some(len), ascii)
        } else {
            let ValueEnd { close, ascii, .. } = value_end(rest, &mut self.escaped, false);
            (close, ascii)
        };
        if self.hidden
            && let Some(end) = self.meeting.find(&rest[..close.unwrap_or(rest.len())])
        {
            self.is_text |= !rest[..end].is_ascii();
            self.scanned += end;
            return Some(true);
        }
        let is_evidence = !ascii && self.is_evidence(view);
        self.is_text |= is_evidence;
        self.odd |= !ascii;
        self.scanned += close.unwrap_or(rest.len());
        if close.is_none() {
            return Some(false);
        }
        self.was_odd = std::mem::take(&mut self.odd);
        if self.was_odd && (is_evidence || (ascii && self.is_evidence(view))) {
            noted.note(self.open, self.scanned);
        }
        self.scanned += 1;
        self.quoted = false;
        self.hidden = false;
        self.ident = CaPrefix::Nothing;
        let is_first = self.value.is_none();
        self.value.get_or_insert(self.scanned.saturating_sub(2));
        if is_first && self.is_text && is_certain_utf_8(&view[1..self.scanned - 1]) {
            // No label would change that, wherever the value was cut.
            return Some(true);
        }
        // A value that hides a label has a backslash.
        if self.label.is_none() && !self.by_byte && plain.is_none() {
            self.label = hidden_label(&view[..self.scanned - 1]);
        }
        self.found = self.label.is_some();
        (self.found || (is_first && (!self.is_text || only_value))).then_some(true)
    }

    /// Whether the value in progress may be text.
    fn is_evidence(&self, view: &[u8]) -> bool {
        if self.owner == 0 {
            return !self.is_never_text;
        }
        let head = match view[..self.owner] {
            // Nearly all.
            [.., before, first @ b'A'..=b'Z', second @ b'A'..=b'Z'] if !before.is_ascii_alphanumeric() => {
                [first, second, 0]
            }
            _ => {
                // A longer name is none of those that hold no text.
                let before = &view[self.owner.saturating_sub(ident::MAX_RAW_LEN)..self.owner];
                let (_, name) = ident::split_last(trim_end(before));
                Ident::pack(name).0.head()
            }
        };
        !kinds::is_never_text(head)
    }

    /// At a byte outside values; true if the root node ends before it.
    #[inline]
    fn pass_byte(&mut self, byte: u8, noted: &mut Noted) -> bool {
        match byte {
            b'[' => {
                self.quoted = true;
                self.open = self.scanned + 1;
                if self.ident != CaPrefix::Nothing {
                    self.owner = self.scanned;
                }
                self.label = (self.ident == CaPrefix::Ca).then_some(self.scanned + 1);
            }
            b';' if self.fresh => self.fresh = false,
            b';' | b'(' | b')' => return true,
            // A character has hidden a bracket, so this is still text.
            0x80.. if !self.by_byte && self.was_odd => {
                if self.hides == HIDES {
                    return true;
                }
                self.hides += 1;
                (self.quoted, self.hidden) = (true, true);
                self.meeting = Meeting::default();
                noted.stop();
            }
            byte if is_white(byte) => self.gap = true,
            byte if byte.is_ascii_alphanumeric() => {
                if std::mem::take(&mut self.gap) {
                    self.ident = CaPrefix::Nothing;
                }
                self.ident = match (byte, self.ident) {
                    (b'a'..=b'z', ident) => ident,
                    (b'C', CaPrefix::Nothing) => CaPrefix::C,
                    (b'A', CaPrefix::C) => CaPrefix::Ca,
                    _ => CaPrefix::Other,
                };
            }
            // No identifier continues across this byte; a `]` here belongs to a value whose text hid a bracket.
            _ => (self.ident, self.gap) = (CaPrefix::Nothing, false),
        }
        false
    }
}

impl Engine {
    /// A look that decides at the value to come. `declares`: that value is CA's own.
    pub(super) fn label_look(&self, declares: bool) -> LabelLook {
        let (fresh, by_byte) = (self.before == Before::Fresh, !self.text.wants_declaration());
        LabelLook { declares, by_byte, fresh, ..LabelLook::default() }
    }

    pub(super) fn look_for_label<V: Visitor>(
        &mut self,
        mut look: LabelLook,
        view: &[u8],
        last: bool,
        visitor: &mut V,
    ) -> Flow<V, bool> {
        let only_value = !self.text.wants_declaration();
        look.is_never_text = !self.text.is_evidence();
        let mut found = look.advance(view, only_value || look.declares, &mut self.noted);
        if let Some(len) = look.value
            && std::mem::take(&mut look.declares)
        {
            if len < self.page() {
                // CA's value is right here: what it says about its own bytes is known when it is read.
                self.end_look(Some(Found::Nothing));
                return ControlFlow::Continue(true);
            }
            found = only_value || look.advance(view, false, &mut self.noted);
        }
        if !found && !last {
            self.look.about = About::Label(look);
            return ControlFlow::Continue(false);
        }
        self.end_look(None);
        if let Some(label) = look.label
            && look.found
            && self.offset_at(self.at + label - 1) - self.game < self.config.limits.game
        {
            // A fault in it is reported when it is read.
            self.text.expect(&view[label..look.scanned - 1]);
        }
        if !look.is_text || !self.text.undecided {
            self.end_look(Some(Found::Nothing));
            return ControlFlow::Continue(true);
        }
        let values = self.noted.values(&view[..look.scanned], look.quoted);
        // Of a value that is given up only the first bytes are examined: what comes behind them is not, wherever the input was cut.
        let examined = if look.value == Some(look.scanned - BRACKETS) { BRACKETS } else { look.scanned };
        if let Some(kind) = self.text.decide(values, self.offset_at(self.at + examined))
            && self.state == State::Inside
        {
            let position = self.position_at(self.at).forward(1);
            let len = look.value.unwrap_or(0) as u64;
            self.text_problem(kind, position, position.offset + len, visitor)?;
        }
        ControlFlow::Continue(true)
    }
}

/// Where the value of CA begins that these bytes end with, if it hides in the value before it: that value ends in a
/// character whose second half is a backslash, which seems to escape the `]`.
fn hidden_label(bytes: &[u8]) -> Option<usize> {
    let start = bytes.len().saturating_sub(LABEL);
    let open = memchr::memrchr2(b'[', b']', &bytes[start..]).filter(|&at| bytes[start + at] == b'[')? + start;
    let before = trim_end(trim_end(&bytes[..open]).strip_suffix(b"CA")?);
    let is_hidden = matches!(before, [.., 0x80..=0xFF, b'\\', b']']);
    let charset = Charset::for_label(&bytes[open + 1..]).ok()?;
    (is_hidden && charset.has_trailing_brackets()).then_some(open + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    #[test]
    fn a_look_notes_the_values_that_a_search_finds() {
        let (mut noted_all, mut found) = (0, 0);
        for seed in 1..20_000_u64 {
            let mut rng = Rng::new(seed);
            let parts = [
                "[", "]", "\\", "]PB[", "]C[", "]\nPW[", "柯", "洁", "a", "][", "]Long[", "];", "]CA[", "]x", "é", "b",
            ];
            let mut view = String::from("[é");
            for _ in 0..4 + rng.below(60) {
                view.push_str(rng.pick(&parts));
            }
            let (view, cut) = (view.as_bytes(), rng.below(view.len()));
            let mut look = LabelLook { by_byte: seed % 2 == 0, fresh: seed % 3 == 0, ..LabelLook::default() };
            let mut noted = Noted::new();
            let is_over = look.advance(&view[..cut], false, &mut noted);
            if !is_over {
                look.advance(view, false, &mut noted);
            }
            let seen = &view[..look.scanned];
            let values: Vec<_> = noted.values(seen, look.quoted).collect();
            let nothing = Noted::new();
            let expected: Vec<_> = nothing.values(seen, true).collect();
            assert_eq!(values, expected, "{} cut at {cut}", String::from_utf8_lossy(view));
            noted_all += usize::from(noted.is_all() && !look.quoted);
            found += values.len();
        }
        assert!((10_000..19_000).contains(&noted_all) && found > 20_000, "{noted_all} {found}");
    }
}
