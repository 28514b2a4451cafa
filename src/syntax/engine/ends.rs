//! Where a value of a game ends whose first `]` may not be its end, or whose `]` may be missing.
//!
//! Owns what the name of the property says about that: whether its values are repaired, and what form they have, for which `text`
//! has the rules. Refuses to know how these values are written, which is for `charset`.

use memchr::memchr;

use super::charset::GameText;
use crate::syntax::kinds;
use crate::text::white::{is_white, trim_start};
use crate::text::{
    Follow, Form, MAX_SHORT_VALUE, cut_end, ends_in_property, followed, is_plainly_followed, lost_end, swallowed_end,
};

/// How the values of a property are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repairs {
    None,
    Line,
    Prose,
}

impl GameText {
    /// Whether a `]` in the property in progress may be text.
    #[inline(always)]
    pub(super) fn repairs(&self) -> bool {
        self.repair && kinds::is_text(self.head)
    }

    /// Whether a `]` in a property of these letters may be text. That the text of GC has no `[` is asked of all of it.
    #[inline(always)]
    pub(super) fn repairs_in(&self, first: u8, second: u8) -> Repairs {
        match self.repair && kinds::is_text_of_letters(first, second) {
            false => Repairs::None,
            true if second == 0 => Repairs::Prose,
            true => Repairs::Line,
        }
    }

    /// Whether a `]` in at least some property may be text.
    pub(super) fn may_repair(&self) -> bool {
        self.repair
    }

    /// The length of a value that has these bytes by the byte rules. It is less if a `]` in it only seems to be escaped, because
    /// its backslash is the second half of a character, and if what comes behind that `]` is a property (in a line of the
    /// header) or a node (in another text).
    #[inline]
    pub(super) fn own_len(&self, raw: &[u8]) -> usize {
        if !self.may_swallow() || memchr(b'\\', raw).is_none() {
            return raw.len();
        }
        if self.by_character || !self.repairs() {
            return raw.len();
        }
        let of_name = || if kinds::is_line(self.head) { swallowed_end(raw) } else { None };
        let before_node = || match &raw[..self.lost_end(raw)?] {
            [text @ .., 0x80..=0xFF, b'\\', b']'] => Some(text.len() + 2),
            _ => None,
        };
        of_name().or_else(before_node).unwrap_or(raw.len())
    }

    /// Where a value of the property in progress should have ended that by the rules has these bytes, if its `]` is missing.
    pub(super) fn lost_end(&self, raw: &[u8]) -> Option<usize> {
        let form = self.form(raw.len())?;
        // Directly behind the colon of AP, what looks like a name of a property is a version.
        let is_version = |end: usize| self.head == kinds::AP && raw[..end].ends_with(b":") && !is_white(raw[end]);
        lost_end(raw, form, kinds::is_known).filter(|&end| !is_version(end))
    }

    /// Whether a value of that property, which is read as it stands, may be missing its `]`.
    pub(super) fn ends_in_property(&self, raw: &[u8]) -> bool {
        // Names of people may be words in capitals; here, these are rather properties.
        let form = self.form(raw.len()).map(|form| if self.head == kinds::AP { Form::Other } else { form });
        form.is_some_and(|form| ends_in_property(raw, form, kinds::is_known))
    }

    /// Whether a move, point, label or number has so many bytes that it has certainly swallowed others. Where a disk has left
    /// zeros, nobody knows what those were.
    pub(super) fn is_endless(&self, len: u64) -> bool {
        len > MAX_SHORT_VALUE as u64 && self.caps && (kinds::is_short(self.head) || kinds::is_list(self.head))
    }

    /// What the values of the property in progress are, if such of that length are examined for an end that they have lost.
    fn form(&self, len: usize) -> Option<Form> {
        let form = match (kinds::is_short(self.head), kinds::is_list(self.head)) {
            (true, true) => Form::List,
            (true, false) => Form::Short,
            (false, _) if self.head == kinds::AP && self.repair && len <= MAX_SHORT_VALUE => Form::Line,
            (false, _) if !kinds::is_text(self.head) => Form::Other,
            (false, _) if !self.repair => return None,
            (false, _) if kinds::is_prose(self.head) => Form::Text,
            (false, _) => Form::Line,
        };
        self.caps.then_some(form)
    }

    /// Where a value should have ended that has these bytes up to where the input ends or a game may begin, if its `]` is
    /// missing.
    pub(super) fn cut_end(&self, value: &[u8]) -> Option<usize> {
        let is_short = kinds::is_short(self.head);
        if self.caps && (is_short || self.repairs()) { cut_end(value, is_short) } else { None }
    }

    /// Whether the list in progress may go on behind illegal bytes.
    pub(super) fn may_go_on(&self) -> bool {
        self.repair && kinds::is_list(self.head)
    }

    /// Whether what comes after a text makes sense, or the text is empty: then nobody has forgotten to escape its
    /// closing bracket.
    #[inline(always)]
    pub(super) fn ends_plainly(&self, len: usize, after: &[u8]) -> bool {
        len == 0 || is_plainly_followed(after) || (self.fenced && is_closed(after))
    }
}

/// Whether a `)` comes, and nothing else. Not in line: the loop that asks keeps its state in registers.
#[cold]
#[inline(never)]
fn is_closed(after: &[u8]) -> bool {
    // In this order it looks at no more than that, as it is asked of many values.
    trim_start(after).strip_prefix(b")").is_some_and(|rest| trim_start(rest).is_empty())
}

/// Whether what comes after a value is known to make sense. `last`: no more bytes come.
pub(super) fn is_followed(after: &[u8], last: bool) -> bool {
    is_plainly_followed(after)
        || followed(after, last).is_some_and(|follow| matches!(follow, Follow::Legal | Follow::Property))
}
