//! Stray bytes between the tokens of a game, where they would cost more than themselves.
//!
//! Owns the run of them between a name and its value, a digit before a name, entities of HTML, whose `;` begins no node, and
//! times of a chat, which are no moves. Invariant: reading and skipping find the same nodes, and the same name, by which the
//! values behind it are repaired. Refuses to know what such bytes are, which is for `text`.

use std::ops::ControlFlow;

use super::inside::ends_illegal;
use super::{Engine, Flow, State};
use crate::syntax::{ProblemKind, Visitor, ident, kinds};
use crate::text::white::{trim_end, trim_start};
use crate::text::{are_stray, past_escaped_ends, value_behind_stray};

/// The most such bytes there, line ends and blanks among them.
const MOST: usize = 8;

/// The longest name of an entity.
const ENTITY: usize = 8;

impl Engine {
    /// Whether a value may come behind stray bytes that stand behind this name.
    pub(super) fn may_stand_before_stray(&self, name: &[u8]) -> bool {
        self.text.may_repair() && is_known(name)
    }

    /// How many stray bytes, the next ones, stand before the value of the name that has just ended; 0 if none comes there.
    /// `None` if more bytes are needed to know.
    pub(super) fn value_behind_stray(&self, chunk: &[u8]) -> Option<usize> {
        let blanks = usize::try_from(self.offset_at(self.at) - self.token_end).unwrap_or(usize::MAX);
        if blanks > MOST {
            return Some(0);
        }
        let len = value_behind_stray(&chunk[self.at..], self.is_last())?;
        let name_len = (self.token_end - self.token.offset) as usize;
        let is_tag = blanks == 0 && chunk[self.at] == b'>';
        Some(if !is_tag && may_stand_behind(name_len, blanks + len) { len } else { 0 })
    }

    /// So many stray bytes come before the value.
    #[cold]
    pub(super) fn begin_stray(&mut self, len: usize) {
        self.token = self.position_at(self.at);
        self.token_end = self.token.offset + len as u64;
        self.state = State::Stray;
    }

    #[cold]
    pub(super) fn stray<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        let rest = &chunk[self.at..];
        let (offset, end) = (self.offset_at(self.at), self.token_end);
        let len = rest.len().min((end - offset) as usize);
        self.lines.advance(&rest[..len], offset);
        self.at += len;
        if self.offset_at(self.at) < end {
            return ControlFlow::Continue(());
        }
        self.state = State::Inside;
        self.problem(ProblemKind::IllegalBytes, self.token, end, visitor)
    }

    /// Whether this name, before a value, is that of a known property with a digit before it: one bit tells the `;` from `3`
    /// and `9`. No game has such a name: those that begin with a digit are `5A` and the numbers of players.
    #[inline(never)]
    pub(super) fn has_stray_digit(&self, name: &[u8]) -> bool {
        self.text.may_repair() && past_digit(name).len() < name.len()
    }

    /// The name in `carry` begins behind the digit.
    #[cold]
    pub(super) fn pass_digit<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        let digit = self.token;
        self.carry.remove(0);
        self.token = digit.forward(1);
        self.end_property_at_illegal();
        self.problem(ProblemKind::IllegalBytes, digit, digit.offset + 1, visitor)
    }

    /// These bytes, which come next, belong to no token.
    pub(super) fn note_entity(&mut self, illegal: &[u8]) {
        // `&` or `&#`.
        for (at, &byte) in illegal.iter().enumerate().skip(illegal.len().saturating_sub(2)) {
            let offset = self.offset_at(self.at + at);
            if byte == b'&' || (byte == b'#' && self.entity == offset) {
                self.entity = offset + 1;
            }
        }
    }

    /// Whether this word, which has ended, is the name of an entity. `next`: the byte behind it, or behind white space.
    pub(super) fn is_entity(&self, word: &[u8], next: Option<u8>) -> bool {
        self.entity == self.token.offset
            && next == Some(b';')
            && self.config.resync
            && self.token_end == self.offset_at(self.at)
            && self.token_end - self.token.offset <= ENTITY as u64
            && !is_known(word)
    }

    /// At the `;` of an entity.
    #[cold]
    pub(super) fn end_entity<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        self.end_property_at_illegal();
        self.at += 1;
        self.state = State::Inside;
        self.problem(ProblemKind::IllegalBytes, self.token, self.token_end + 1, visitor)
    }

    /// Whether these bytes, which by the rules are one more value of a move, are the time of what somebody has said:
    /// `12:34` where a line begins.
    #[inline]
    pub(super) fn is_time(&self, value: &[u8]) -> bool {
        (4..=8).contains(&value.len())
            && (1..self.config.limits.property_values).contains(&self.values)
            && self.is_time_of_line(value)
    }

    #[cold]
    fn is_time_of_line(&self, value: &[u8]) -> bool {
        let is_of_move = matches!(&self.text.head, b"B\0\0" | b"W\0\0");
        let is_repaired = self.text.may_repair() && self.text.caps;
        is_of_move && is_repaired && self.position_at(self.at).column == 1 && {
            let mut fields = value.split(|&byte| byte == b':');
            let hours = fields.next().unwrap_or_default();
            let are_digits = |field: &[u8]| field.iter().all(u8::is_ascii_digit);
            let is_rest = fields.clone().all(|field| field.len() == 2 && are_digits(field));
            matches!(hours.len(), 1 | 2) && are_digits(hours) && is_rest && fields.count() > 0
        }
    }

    /// At the `[` of such a time. The move may go on behind it, as it does for those who skip it.
    #[cold]
    pub(super) fn pass_time<V: Visitor>(&mut self, len: usize, visitor: &mut V) -> Flow<V> {
        let position = self.position_at(self.at);
        self.at += len + 2;
        self.problem(ProblemKind::ValueWithoutProperty, position, self.offset_at(self.at), visitor)
    }

    /// Whether a `;` behind these bytes outside values, which come next, is that of an entity. As above, in what is skipped.
    pub(super) fn skips_entity(&self, words: &[u8]) -> bool {
        // At least what matters, and nearly always all of it.
        const LEN: usize = ENTITY + 3;
        if !self.config.resync || !words.last().or(self.carry.last()).is_some_and(u8::is_ascii_alphanumeric) {
            return false;
        }
        let words = &words[words.len().saturating_sub(LEN)..];
        let kept = &self.carry[self.carry.len().saturating_sub(LEN - words.len())..];
        let before = [kept, words].concat();
        let (before, name) = ident::split_last(&before);
        name.len() <= ENTITY && !is_known(name) && before.strip_suffix(b"#").unwrap_or(before).ends_with(b"&")
    }
}

/// Whether so many stray bytes may stand between a name and its value. One alone may be what has become of the second letter.
fn may_stand_behind(name_len: usize, len: usize) -> bool {
    len <= MOST && (name_len, len) != (1, 1)
}

/// Whether this is a name of one or two capitals that has values.
fn is_known(name: &[u8]) -> bool {
    match *name {
        [first @ b'A'..=b'Z'] => kinds::is_known(first, 0),
        [first @ b'A'..=b'Z', second @ b'A'..=b'Z'] => kinds::is_known(first, second),
        _ => false,
    }
}

/// This name before a value, or that of a known property if it is one with a digit before it. CA is left out, as it is sought in
/// other ways, too.
fn past_digit(name: &[u8]) -> &[u8] {
    match name {
        [b'0'..=b'9', own @ ..] if is_known(own) && own != b"CA" => own,
        _ => name,
    }
}

/// The name of the value before which these bytes stand, none of them in a value, if reading finds one; empty if it does not.
/// `has_escapes`: line ends that were written as escapes are white space.
pub(super) fn name_before(words: &[u8], has_escapes: bool) -> &[u8] {
    let (before, name) = ident::split_last(trim_end(words));
    let may_be_escape = matches!(name, [b'r' | b'n' | b't', ..]) && before.ends_with(b"\\");
    if !name.is_empty() && !may_be_escape {
        return past_digit(name);
    }
    // What a byte means depends on those before it, so this goes as reading does.
    let past_white = |bytes| if has_escapes { past_escaped_ends(bytes) } else { trim_start(bytes) };
    let mut rest = past_white(words);
    while let Some(first) = rest.first() {
        let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (name, behind) = rest.split_at(len.max(1));
        let stray = trim_start(behind);
        let is_tag = behind.first() == Some(&b'>');
        let is_near = may_stand_behind(len, behind.len()) && !is_tag;
        if len > 0 && stray.is_empty() {
            return past_digit(name);
        }
        if is_known(name) && is_near && are_stray(stray) {
            return name;
        }
        let is_illegal = if len == 0 {
            *first != b';'
        } else {
            ident::is_lowercase(name) && behind.first().is_some_and(|&byte| !ends_illegal(byte))
        };
        let run = if is_illegal { behind.iter().take_while(|&&byte| !ends_illegal(byte)).count() } else { 0 };
        rest = past_white(&behind[run..]);
    }
    rest
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::syntax::{Config, Deliver, Ident, Parser, Property, Value};
    use crate::testing::sequences;

    #[derive(Default)]
    struct Owner {
        last: Option<Ident>,
        of_value: Option<Ident>,
    }

    impl Visitor for Owner {
        type Break = Infallible;

        fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
            self.last = Some(property.ident());
            ControlFlow::Continue(Deliver::Whole)
        }

        fn value(&mut self, _: Value<'_>) -> ControlFlow<Infallible> {
            self.of_value = self.last;
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn skipping_finds_the_name_that_reading_finds() {
        let pieces =
            ["B", "AB", "br", "n", "XX", "3", "\\", "\\n", "<br>", "&nbsp;", ">", "=", " ", "\n", ";", "\u{A0}"];
        let (mut behind_stray, mut none) = (0, 0);
        for words in sequences::<_, 4>(&pieces) {
            let words = words.concat();
            let mut owner = Owner::default();
            let config = Config::new().repair_brackets(true).resync(true);
            let _ = Parser::with_config(config).read_slice(format!("(;{words}[x]").as_bytes(), &mut owner);
            let name = name_before(words.as_bytes(), true);
            // What nobody knows is repaired as nothing is.
            let known =
                |ident: Ident| Some(ident).filter(|ident| ident.bytes().next().is_some_and(|first| first < b'a'));
            let name = (!name.is_empty()).then(|| Ident::pack(name).0).and_then(known);
            assert_eq!(owner.of_value.and_then(known), name, "{words:?}");
            behind_stray +=
                u32::from(name.is_some() && !words.trim_end().ends_with(|c: char| c.is_ascii_alphanumeric()));
            none += u32::from(name.is_none());
        }
        assert!(behind_stray > 1_000 && none > 1_000, "{behind_stray} {none}");
    }
}
