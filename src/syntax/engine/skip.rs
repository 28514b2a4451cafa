//! Skipping what the visitor does not want. By the byte rules no token is made, and only "inside a value?" and depth are
//! kept; where values may end elsewhere, so is the name of their property.
//!
//! Owns [`Until`], which says where skipping ends. Invariant: skip equals read, that is, the same tree and game end,
//! whatever is between. Raises no problem of what is inside; the limit that caused the skip is reported as one range.

use std::ops::ControlFlow;

use memchr::memrchr;

use super::ends::Repairs;
use super::stray::name_before;
use super::{Before, Engine, Flow, State};
use crate::syntax::ident::{MAX_LEN, MAX_RAW_LEN, split_last};
use crate::syntax::scan::{self, Skip, find_close, plain_value};
use crate::syntax::{Ident, ProblemKind, Visitor, kinds};
use crate::text::white::{is_white, past_white, trim_end};
use crate::text::{find_swallowed, is_plainly_followed, past_escaped_ends};

/// Bytes before a value in which its identifier is searched for.
const NAMED: usize = 64;

/// Bytes that are skipped at once if every `]` among them is plainly followed.
const PAGE: usize = 4 << 10;

/// A longer value is not searched again for those that begin within it.
const NOTED: usize = 64;

/// Values of a root that come so many bytes behind the game's beginning count as skipped one by one.
const LONG_ROOT: u64 = 16 << 10;

/// Where skipping ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// At the `)` of the innermost tree that the visitor knows of.
    Tree,
    /// At the `)` of the game. The exits of the trees that the visitor knows of are delivered on the way.
    Game,
    /// At the `)` of the tree that begins here, which the visitor never hears of.
    TooDeep,
    /// Before the node, tree or exit that comes next.
    NodeEnd,
    /// Before the `)` of the game, where the exits of all open trees are delivered.
    GameEnd,
}

/// Where a value ends that the visitor does not get.
pub(super) enum Unread {
    /// This many bytes behind its `[` and, if it has one, its `]`.
    Ends(usize),
    /// By byte, behind the bytes that are here.
    Open,
    /// A look must examine the bytes to come first.
    Look,
}

impl Engine {
    pub(super) fn skip_tree(&mut self) {
        self.skip_until(Until::Tree);
    }

    pub(super) fn skip_until(&mut self, until: Until) {
        // Skipping may start between a property's identifier and its `[`, where a game begins or a node is implied.
        if self.state == State::AfterIdent {
            self.text.head = head_of(&self.carry);
        } else {
            self.text.head = kinds::NONE;
            self.carry.clear();
        }
        self.imply_node();
        self.state = State::Skip(until);
        self.skipped = Skip { depth: if until == Until::GameEnd { self.depth - 1 } else { 0 }, ..Skip::default() };
        self.end_property();
    }

    /// A property without a `;` before it has begun the root.
    fn imply_node(&mut self) {
        if self.before == Before::Fresh && self.text.head != kinds::NONE {
            self.before = Before::Node;
        }
    }

    /// Whether the root's CA may still come and is of use: it says whether characters may hide brackets, and some
    /// configurations tell later games apart by it. Otherwise the search would take longer than skipping.
    fn seeks_label(&self) -> bool {
        let text = &self.text;
        let (is_cautious, watches) = (text.is_cautious(), self.config.watch_labels);
        text.in_root && ((is_cautious || watches) && text.wants_label() || is_cautious && text.wants_declaration())
    }

    /// Whether values have to be examined one by one to know where they end, or where skipping does.
    fn goes_by_values(&self, until: Until) -> bool {
        let may_end_elsewhere = self.text.may_hide_brackets() || self.text.may_repair() || self.config.cap_values;
        may_end_elsewhere || until == Until::NodeEnd
    }

    pub(super) fn skip<V: Visitor>(&mut self, until: Until, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        if !self.skip_to_stop(until, chunk) {
            return ControlFlow::Continue(());
        }
        let position = self.position_at(self.at);
        match until {
            Until::Tree | Until::Game => {
                if until == Until::Tree {
                    self.state = State::Inside;
                    self.text.head = kinds::NONE;
                }
                self.at += 1;
                self.exit(position, 1, visitor)
            }
            Until::TooDeep => {
                self.at += 1;
                self.state = State::Inside;
                self.before = Before::Child;
                self.problem(ProblemKind::LimitDepth, self.token, position.offset + 1, visitor)
            }
            Until::NodeEnd => {
                self.state = State::Inside;
                self.problem(ProblemKind::LimitNode, self.token, position.offset, visitor)
            }
            Until::GameEnd => {
                self.state = State::Unwind;
                self.problem(ProblemKind::LimitGame, self.token, position.offset, visitor)
            }
        }
    }

    /// Goes to the byte that ends the skipping, or to the chunk's end; true if the byte was reached.
    fn skip_to_stop(&mut self, until: Until, chunk: &[u8]) -> bool {
        if self.goes_by_values(until) || self.seeks_label() {
            let mut counted = self.at;
            let found = self.skip_values(until, chunk, &mut counted);
            self.lines.advance(&chunk[counted..self.at], self.offset_at(counted));
            return found;
        }
        let rest = &chunk[self.at..];
        if let Some(len) = self.soon_over(rest) {
            self.at += len;
            return true;
        }
        self.skip_blocks(rest)
    }

    /// Goes to the `)` that ends the skipping, or to the end of these bytes, which come next, as the byte rules go; true
    /// if it was reached.
    #[inline(always)]
    fn skip_blocks(&mut self, bytes: &[u8]) -> bool {
        let offset = self.offset_at(self.at);
        let (found, ends) = scan::skip(bytes, &mut self.skipped, self.lines.is_after_cr(offset));
        self.lines.apply(ends, bytes, offset);
        self.at += found.unwrap_or(bytes.len());
        found.is_some()
    }

    /// Goes as far as [`skip_to_stop`](Self::skip_to_stop) value by value: where a `]` may close nothing, so that each value
    /// ends where reading would end it; to the end of a node; and in a root whose label is sought, to the end of that search
    /// if nothing else asks for this. The caller counts the lines from `counted` on.
    fn skip_values(&mut self, until: Until, chunk: &[u8], counted: &mut usize) -> bool {
        // Up to `close_by`, values are examined one by one.
        let to_node_end = until == Until::NodeEnd;
        let mut close_by = if to_node_end || self.text.may_hide_brackets() { chunk.len() } else { self.at };
        let mut in_root = self.seeks_label();
        loop {
            if in_root && !self.skipped.quoted {
                let plain = self.plain_values(&chunk[self.at..]);
                self.at += plain;
                if plain > 0 {
                    self.imply_node();
                }
                in_root = self.seeks_label();
                if !in_root {
                    if !self.goes_by_values(until) {
                        return false;
                    }
                    if self.text.may_hide_brackets() {
                        close_by = chunk.len();
                    }
                }
            }
            let rest = &chunk[self.at..];
            if !in_root && self.at >= close_by && !self.skipped.quoted && self.carry.is_empty() {
                let (page, odd) = self.plain_page(rest);
                if page > 0 {
                    // Every `]` of the page closes what it seems to close, whatever property it belongs to.
                    self.lines.advance(&chunk[*counted..self.at], self.offset_at(*counted));
                    self.text.head = kinds::NONE;
                    let is_over = self.skip_blocks(&rest[..page]);
                    *counted = self.at;
                    if is_over {
                        return true;
                    }
                    continue;
                }
                close_by = self.at + odd.map_or(PAGE, |odd| odd + 1);
                continue;
            }
            if let ControlFlow::Break(is_over) = self.skip_token(until, rest, in_root) {
                return is_over;
            }
        }
    }

    /// Goes past the next token of these bytes, or past moves. Breaks with true at the byte that ends the skipping, and
    /// with false where more bytes are needed.
    fn skip_token(&mut self, until: Until, rest: &[u8], in_root: bool) -> ControlFlow<bool> {
        let to_node_end = until == Until::NodeEnd;
        let stops_at_nodes = to_node_end || in_root;
        if self.skipped.quoted {
            let close = find_close(rest, &mut self.skipped.escaped);
            self.at += close.map_or(rest.len(), |len| len + 1);
            self.skipped.quoted = close.is_none();
            return if self.skipped.quoted { ControlFlow::Break(false) } else { ControlFlow::Continue(()) };
        }
        let moves = if stops_at_nodes { 0 } else { rest.first_chunk().map_or(0, |window| scan::moves(window).0) };
        if moves > 0 {
            // As in reading, values may follow the last move.
            self.carry.clear();
            self.text.head = kinds::MOVE;
            self.at += moves * scan::MOVE_LEN;
            return ControlFlow::Continue(());
        }
        let is_next = |byte: &u8| matches!(byte, b'[' | b'(' | b')') || (stops_at_nodes && *byte == b';');
        let mut next = rest.iter().position(is_next);
        while let Some(at) = next
            && rest[at] == b';'
            && self.skips_entity(&rest[..at])
        {
            next = rest[at + 1..].iter().position(is_next).map(|len| at + 1 + len);
        }
        let before = &rest[..next.unwrap_or(rest.len())];
        self.at += before.len();
        let Some(next) = next else {
            self.keep_words(before);
            return ControlFlow::Break(false);
        };
        match rest[next] {
            b'[' => {
                self.name_property(before);
                let is_passed = self.skip_value(until, &rest[next + 1..]);
                return if is_passed { ControlFlow::Continue(()) } else { ControlFlow::Break(false) };
            }
            _ if to_node_end => {
                self.carry.clear();
                return ControlFlow::Break(true);
            }
            b')' if self.skipped.depth == 0 => {
                // What comes next, perhaps skipped too, belongs to no property before it.
                self.forget_words();
                return ControlFlow::Break(true);
            }
            b')' => self.skipped.depth -= 1,
            b'(' => self.skipped.depth += 1,
            _ if self.before == Before::Fresh => self.before = Before::Node,
            _ => self.text.leave_root(),
        }
        if in_root && rest[next] != b';' {
            self.text.leave_root();
        }
        self.forget_words();
        self.at += 1;
        ControlFlow::Continue(())
    }

    /// How many of these bytes are properties, none of them CA, whose values are short, plain, and end as they seem to.
    /// Most roots consist of them, and finding each by itself would take several times as long.
    fn plain_values(&mut self, bytes: &[u8]) -> usize {
        if !self.carry.is_empty() {
            return 0;
        }
        let mut len = 0;
        loop {
            let rest = past_white(&bytes[len..]);
            let (head, value) = match rest {
                [a @ b'A'..=b'Z', b @ b'A'..=b'Z', b'[', value @ ..] if [*a, *b] != *b"CA" => ([*a, *b, 0], value),
                [b'[', value @ ..] if len > 0 => (self.text.head, value),
                _ => return len,
            };
            let Some((close, true)) = value.first_chunk().and_then(plain_value) else { return len };
            let after = &value[close + 1..];
            if self.text.repairs_in(head[0], head[1]) != Repairs::None && !is_plainly_followed(after) {
                return len;
            }
            self.text.head = head;
            len = bytes.len() - after.len();
        }
    }

    /// At the `[` of a value. False if a look must examine the bytes to come first.
    fn skip_value(&mut self, until: Until, value: &[u8]) -> bool {
        let in_root = self.seeks_label();
        let declares = in_root && self.text.head == kinds::CA;
        self.imply_node();
        // Reading a root takes as long, unless it is one that no program writes.
        self.passed_values += u64::from(!in_root || self.offset_at(self.at) - self.game > LONG_ROOT);
        if declares {
            match self.close_by_byte(value) {
                Some(len) if len < self.page() => {
                    self.expect_label(&value[..len]);
                    // A look has found the label. Where the value ends is another question.
                    self.verdict = None;
                }
                None if !self.is_passed() && !self.is_last() && value.len() < self.page() => {
                    self.begin_value_look(State::Skip(until), true);
                    return false;
                }
                _ => {}
            }
        }
        match self.unread_value(State::Skip(until), value) {
            Unread::Ends(len) => self.at += len + 1,
            Unread::Open => {
                self.at += 1;
                self.skipped.quoted = true;
            }
            Unread::Look => return false,
        }
        true
    }

    /// At the `[` of the root's CA, whose value this is by byte. As in reading, it counts for how that value ends, too. A fault in
    /// it is reported when it is read.
    fn expect_label(&mut self, label: &[u8]) {
        let offset = self.offset_at(self.at);
        if offset - self.game < self.config.limits.game && !self.is_far(offset) {
            self.text.expect(label);
        }
        self.text.leave_root();
    }

    /// At the `[` of a value that the visitor does not get, of whatever property: it ends where reading it would end it.
    /// `resume`: where to resume after a look.
    pub(super) fn unread_value(&mut self, resume: State, value: &[u8]) -> Unread {
        // A value over the limit is not examined when it is read.
        let limit = self.config.limits.value;
        let close =
            self.close_by_byte(value).map(|len| if len > limit { len } else { self.text.own_len(&value[..len]) });
        // A look may have examined it for its charset, and not yet for where it ends.
        let is_passed = self.is_too_long() || (self.is_passed() && !self.text.by_character);
        if let Some((len, _)) = self.looked_at() {
            Unread::Ends(self.end_of(len, value))
        } else if !is_passed && self.may_hide_an_end() && !close.is_some_and(|len| value[..len].is_ascii()) {
            self.begin_value_look(resume, false);
            Unread::Look
        } else if close.map_or_else(|| self.may_be_repaired(), |len| self.may_go_on_behind(len, value)) {
            self.begin_bracket_look(resume);
            Unread::Look
        } else {
            match close {
                Some(len) => Unread::Ends(self.end_of(len, value)),
                None if let Some(end) = self.cut_end(value) => Unread::Ends(end),
                None if self.may_lose_its_end(value) => {
                    self.begin_short_look(resume);
                    Unread::Look
                }
                None => Unread::Open,
            }
        }
    }

    /// The end of a value that by the rules has `len` bytes, and its `]`, unless that is missing.
    fn end_of(&self, len: usize, value: &[u8]) -> usize {
        value.get(..len).and_then(|raw| self.lost_end(raw)).unwrap_or(len + 1)
    }

    /// Whether values may hide brackets, by what is known or may still be declared.
    fn may_hide_an_end(&self) -> bool {
        let may_be_declared = self.text.undecided && self.text.is_cautious() && self.text.wants_declaration();
        self.text.may_hide_brackets() || may_be_declared
    }

    /// The `]` that closes, by byte, the value that begins behind the next byte.
    fn close_by_byte(&mut self, value: &[u8]) -> Option<usize> {
        let start = self.offset_at(self.at) + 1;
        let (passed, mut escaped) = (self.unclosed.passed_by_byte(start), false);
        let close = value.get(passed..).and_then(|rest| find_close(rest, &mut escaped)).map(|len| passed + len);
        if close.is_none_or(|len| len > NOTED) {
            let examined = close.unwrap_or(value.len().max(passed) + usize::from(escaped));
            self.unclosed.note_by_byte(start, examined);
        }
        close
    }

    /// How many of the next bytes, up to the end of a value, contain only such `]` as close what they seem to close;
    /// and the first other `]`, which is of use if there are none. What one game has not used of a page is left to the
    /// next game; otherwise each small game would search a page.
    fn plain_page(&mut self, rest: &[u8]) -> (usize, Option<usize>) {
        let here = self.offset_at(self.at);
        if (self.plain.start..self.plain.end).contains(&here) {
            return (((self.plain.end - here) as usize).min(rest.len()), None);
        }
        let page = page_of_values(rest);
        let mut odd = if page > 0 { scan::odd_close(rest, page, is_plainly_followed) } else { None };
        if self.text.may_swallow() {
            odd = find_swallowed(&rest[..odd.unwrap_or(page)]).or(odd);
        }
        let page = odd.map_or(page, |odd| page_of_values(&rest[..odd]));
        self.plain = here..here + page as u64;
        (page, odd)
    }

    /// Keeps the last bytes outside a value: they may be an identifier, or its beginning.
    fn keep_words(&mut self, words: &[u8]) {
        // Of many line ends as JSON has them, the last bytes might begin in the middle of one.
        let words = if self.config.resync && self.carry.is_empty() { past_escaped_ends(words) } else { words };
        self.carry.extend_from_slice(&words[words.len().saturating_sub(NAMED)..]);
        let surplus = self.carry.len().saturating_sub(NAMED);
        self.carry.drain(..surplus);
    }

    /// A token that is no value ends the property before it.
    fn forget_words(&mut self) {
        self.carry.clear();
        self.text.head = kinds::NONE;
    }

    /// A value begins after these bytes and those that were kept: finds out which property it belongs to. If only white
    /// space stands between it and the value before, it is the same property.
    fn name_property(&mut self, words: &[u8]) {
        if !words.is_empty() || !self.carry.is_empty() {
            self.keep_words(words);
            let words = trim_end(&self.carry);
            let is_between_values = words.is_empty() || (self.config.resync && past_escaped_ends(words).is_empty());
            if !is_between_values {
                let may_be_stray = self.text.may_repair();
                let name =
                    if may_be_stray { name_before(&self.carry, self.config.resync) } else { split_last(words).1 };
                self.text.head = head_of(name);
            }
            self.carry.clear();
        }
    }

    /// The `)` of a game that ends before its first value. Archives of such games exist, if only as tests of readers,
    /// and starting a kernel costs more than reading such a game byte by byte.
    fn soon_over(&self, rest: &[u8]) -> Option<usize> {
        let head = &rest[..rest.len().min(4)];
        let len = head.iter().position(|&byte| byte != b';')?;
        (head[len] == b')' && self.skipped == Skip::default()).then_some(len)
    }
}

/// The first letters of a property's identifier. What is too long is none, and its values end by the byte rules.
fn head_of(word: &[u8]) -> kinds::Head {
    let (ident, letters) = Ident::pack(word);
    let is_any = (1..=MAX_RAW_LEN).contains(&word.len()) && letters <= MAX_LEN;
    if is_any { ident.head() } else { kinds::NONE }
}

/// The bytes up to the last `]` of a page after which a value, and with it its property, has certainly ended.
fn page_of_values(bytes: &[u8]) -> usize {
    let mut page = &bytes[..bytes.len().min(PAGE)];
    while let Some(close) = memrchr(b']', page) {
        page = &page[..close];
        // Much white space is not passed, as that would be done again for each `]` before it.
        let next = past_white(&bytes[close + 1..]).first();
        let goes_on = next.is_none_or(|&byte| byte == b'[' || is_white(byte));
        if !goes_on && page.last() != Some(&b'\\') {
            return close + 1;
        }
    }
    0
}
