//! Between games: white space, byte order marks, and junk, until a `(` turns out to begin a game.
//!
//! Owns [`Gap`]. Brackets mean nothing here; a game begins with `(;`, or with `(` and an upper-case identifier that `[`
//! follows at once. Where games are repaired, a few bytes that no rule knows may stand between its `(` and its first node, and
//! it may also begin with a root, where the beginning of a file was lost, or with a move, where a `)` too many stands.

use std::ops::ControlFlow;

use super::{Engine, Flow, State};
use crate::syntax::ident::MAX_RAW_LEN;
use crate::syntax::root::{self, is_header};
use crate::syntax::{Position, ProblemKind, Tree, Visitor};
use crate::text::white::{is_white, trim_start};
use crate::text::{BOM, stray_mark};

/// Bytes that no rule knows, up to which a `(` is taken for that of a game.
const STRAY: usize = 16;

/// Bytes that may be what has become of a `(`. More may be a word.
const FEW: u64 = 4;

/// How many bytes behind such a `(` are examined.
const BEHIND: usize = 64;

/// The longest word with which mail or a program begins each line, but for the sign behind it.
const WORD: usize = 8;

/// In a page, `for (;` begins a loop of a program.
const LOOP: &[u8; 4] = b"for ";

/// How many bytes decide whether a game begins.
pub(super) const OPENING: usize = 2 * root::REACH;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gap {
    seen: Seen,
    /// Where the run of junk began, if there is one.
    junk: Option<Position>,
    /// Where the mark, the `(` or the `;` in `seen` began.
    start: Position,
    /// A game came before, and since then only white space and `)`.
    tidy: bool,
    /// The junk began right behind a game; and if games are repaired, with a name or a value, or it began the source.
    is_behind_game: bool,
    is_of_node: bool,
    /// How many bytes of a [`LOOP`] the junk ends with.
    word: u8,
    /// How many bytes of junk, up to here, stand together without white space.
    solid: u8,
}

/// What has been seen that may turn out not to be junk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    #[default]
    Nothing,
    /// That many bytes of a byte order mark.
    Bom(u8),
    /// `(` and white space.
    Open,
    /// `(`, white space, and an identifier, which is also in the engine's token.
    OpenIdent,
    /// The same, but it was looked at: it is none, and a game begins behind it.
    OpenWord,
    /// `(` before a node that was looked at: behind stray bytes, or behind what might be a loop.
    OpenNode,
    /// A node where a game may begin, at its `;` or its first name, which is one if that is a root.
    Node,
    /// A `;` before a move, with which a game goes on that has lost its beginning, or seemed to have ended.
    Rest,
}

impl Gap {
    pub(super) fn after_game() -> Self {
        Self { tidy: true, ..Self::default() }
    }

    pub(super) fn candidate(&self) -> Option<u64> {
        (!matches!(self.seen, Seen::Nothing | Seen::Bom(_))).then_some(self.start.offset)
    }

    /// Where what is not decided yet began, if there is anything.
    pub(super) fn undecided(&self) -> Option<Position> {
        self.junk.or((self.seen != Seen::Nothing).then_some(self.start))
    }

    /// Where the junk began, and where what may not be junk began.
    pub(super) fn begun(&self) -> [u64; 2] {
        [self.junk.unwrap_or(self.start).offset, self.start.offset]
    }

    /// What was seen leads to nothing: it belongs to the junk.
    fn fail(&mut self) {
        self.seen = Seen::Nothing;
        self.solid = u8::MAX;
        self.begin_junk(self.start);
    }

    fn begin_junk(&mut self, position: Position) {
        if self.junk.is_none() {
            (self.junk, self.is_behind_game, self.tidy) = (Some(position), self.tidy, false);
        }
    }

    pub(super) fn is_loop(&self) -> bool {
        usize::from(self.word) + 1 >= LOOP.len()
    }

    /// Whether the byte at this position, a `;` or a capital, may begin a game whose `(` is lost. It begins the source or stands
    /// behind a game; a `;` may also begin its line, with nothing before it but what may have become of the `(`.
    fn may_be_unopened(&self, byte: u8, position: Position) -> bool {
        let before = u64::from(self.solid);
        let is_first =
            position.column == 1 + before || self.junk.is_some_and(|junk| position.offset - junk.offset == before);
        let begins_line = position.column == 1 || before <= FEW && is_first;
        self.junk.is_none() || (byte == b';' && (begins_line || self.may_go_on(position)))
    }

    /// Whether a game may go on at this position: nothing came before, or no more than what may be the rest of a node whose
    /// beginning is lost; or a game, and then the rest of the node in which a `)` has ended that too early. (When a file is
    /// overwritten with a shorter one, the rest of it stays, too. That begins anywhere, and is junk.)
    fn may_go_on(&self, position: Position) -> bool {
        self.junk.is_none_or(|junk| {
            let len = position.offset - junk.offset;
            self.is_of_node && len == u64::from(self.solid) && len <= BEHIND as u64
        })
    }

    /// These bytes are junk, too.
    fn read_solid(&mut self, junk: &[u8], position: Position) {
        if self.junk == Some(position) {
            let is_name_or_value = matches!(junk, [b'[' | b'A'..=b'Z', ..]);
            self.is_of_node = position.offset == 0 || self.is_behind_game && is_name_or_value;
        }
        let solid = junk.iter().rev().take_while(|byte| !is_white(**byte)).count();
        let before = if solid == junk.len() { self.solid } else { 0 };
        self.solid = before.saturating_add(u8::try_from(solid).unwrap_or(u8::MAX));
    }

    /// These bytes are junk, too.
    fn read_word(&mut self, junk: &[u8]) {
        let junk = junk.last_chunk::<{ LOOP.len() }>().map_or(junk, |last| {
            self.word = 0;
            last
        });
        for &byte in junk {
            let is_next = LOOP.get(usize::from(self.word)) == Some(&byte);
            self.word = if is_next { self.word + 1 } else { u8::from(byte == LOOP[0]) };
        }
    }
}

impl Engine {
    pub(super) fn between<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        while self.state == State::Between
            && let Some(&byte) = chunk.get(self.at)
        {
            match self.gap.seen {
                // Nearly every game.
                Seen::Nothing if byte == b'(' && self.gap.junk.is_none() && chunk.get(self.at + 1) == Some(&b';') => {
                    let position = self.position_at(self.at);
                    self.at += 1;
                    return self.begin_game(position, visitor);
                }
                Seen::Nothing => self.outside(byte, chunk, visitor)?,
                Seen::Bom(len) => self.bom(byte, len, visitor)?,
                Seen::Open if is_white(byte) => {
                    self.lines.advance_byte(byte, self.offset_at(self.at));
                    self.at += 1;
                }
                Seen::Open if byte == b';' && self.config.resync && self.gap.is_loop() => self.ask_for_opening(chunk),
                Seen::Open if byte == b';' => return self.begin_game_at_gap(visitor),
                Seen::Open if byte.is_ascii_uppercase() => {
                    self.gap.seen = Seen::OpenIdent;
                    self.token = self.position_at(self.at);
                    self.carry.clear();
                }
                // At most 32 bytes, once per game that lacks its `;`: copying them is simpler than remembering where they lie.
                Seen::OpenIdent if byte.is_ascii_uppercase() && self.carry.len() < MAX_RAW_LEN => {
                    self.carry.push(byte);
                    self.at += 1;
                }
                Seen::OpenIdent if byte == b'[' => return self.begin_game_at_gap(visitor),
                Seen::OpenWord | Seen::OpenNode | Seen::Node | Seen::Rest => return self.begin_game_at_gap(visitor),
                Seen::Open if self.config.resync && !matches!(byte, b'(' | b')') => self.ask_for_opening(chunk),
                Seen::OpenIdent if self.config.resync && self.may_begin_line(byte) => self.ask_for_opening(chunk),
                Seen::Open | Seen::OpenIdent if self.config.resync => self.fail_behind_open(),
                Seen::Open | Seen::OpenIdent => self.gap.fail(),
            }
        }
        ControlFlow::Continue(())
    }

    fn outside<V: Visitor>(&mut self, byte: u8, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        let position = self.position_at(self.at);
        match byte {
            b'(' => {
                self.gap.seen = Seen::Open;
                self.gap.start = position;
                self.at += 1;
            }
            0xEF => {
                self.gap.seen = Seen::Bom(1);
                self.gap.start = position;
                self.gap.word = 0;
                self.at += 1;
            }
            b')' if self.gap.tidy => {
                self.at += 1;
                return self.problem_at_byte(ProblemKind::UnmatchedClose, position, visitor);
            }
            _ if is_white(byte) => {
                if self.gap.word > 0 {
                    self.gap.read_word(&[byte]);
                }
                self.gap.solid = 0;
                self.lines.advance_byte(byte, position.offset);
                self.at += 1;
            }
            b';' | b'A'..=b'Z' if self.config.resync && self.gap.may_be_unopened(byte, position) => {
                self.gap.seen = Seen::Node;
                self.gap.start = position;
                self.ask_for_opening(chunk);
            }
            _ => {
                self.gap.begin_junk(position);
                let rest = &chunk[self.at..];
                let more = &rest[1..];
                let next = if self.config.resync {
                    memchr::memchr3(b'(', b';', 0xEF, more)
                } else {
                    memchr::memchr2(b'(', 0xEF, more)
                };
                let run = &rest[..=next.unwrap_or(more.len())];
                if self.config.resync {
                    self.gap.read_word(run);
                    self.gap.read_solid(run, position);
                }
                self.lines.advance(run, position.offset);
                self.at += run.len();
            }
        }
        ControlFlow::Continue(())
    }

    /// No game begins at the last `(`. If that, with a word that stands right behind it, is followed by this byte at once, it may be
    /// what was put in before another.
    #[inline(never)]
    fn fail_behind_open(&mut self) {
        let word = if self.gap.seen == Seen::OpenIdent { self.carry.len() } else { 0 };
        let is_solid = self.offset_at(self.at) - self.gap.start.offset == 1 + word as u64;
        let solid = u8::try_from(1 + word).ok().filter(|_| is_solid).map(|len| self.gap.solid.saturating_add(len));
        self.gap.fail();
        self.gap.solid = solid.unwrap_or(u8::MAX);
    }

    fn bom<V: Visitor>(&mut self, byte: u8, len: u8, visitor: &mut V) -> Flow<V> {
        if byte != BOM[len as usize] {
            let solid = self.gap.solid.saturating_add(len);
            self.gap.fail();
            self.gap.solid = solid;
        } else if len < 2 {
            self.at += 1;
            self.gap.seen = Seen::Bom(len + 1);
        } else {
            self.at += 1;
            self.gap.seen = Seen::Nothing;
            if self.gap.start.offset == 0 {
                self.text.mark();
            }
            return self.end_junk(self.gap.start.offset, visitor);
        }
        ControlFlow::Continue(())
    }

    /// At a stray byte behind a `(`, or at a `;` that may be of no game: nearly always the bytes at hand say whether a game begins.
    fn ask_for_opening(&mut self, chunk: &[u8]) {
        let view = &chunk[self.at..];
        let view = &view[..view.len().min(OPENING)];
        if !self.look_for_opening(view, self.is_last() || view.len() == OPENING) {
            self.begin_opening_look();
        }
    }

    /// Whether the identifier behind the `(` may be what each line begins with, or the capitals of it. `next`: the byte behind.
    fn may_begin_line(&self, next: u8) -> bool {
        let goes_on = next.is_ascii_alphanumeric() || ends_word(next);
        goes_on && self.carry.len() <= WORD && self.token.line > self.gap.start.line
    }

    /// Whether a game begins there that goes on with these bytes. False if more are needed to know.
    pub(super) fn look_for_opening(&mut self, view: &[u8], last: bool) -> bool {
        let has_semicolon = view.starts_with(b";");
        let node = if self.gap.seen == Seen::Node {
            Some(&view[usize::from(has_semicolon)..])
        } else {
            view.strip_prefix(b";")
        };
        let begins = match node {
            None => match begins_behind_stray(view, self.position_at(self.at).line > self.gap.start.line, last) {
                Some(false) if self.gap.seen == Seen::Open => {
                    behind_damage(view, last).and_then(|node| self.is_root(node, view, last))
                }
                begins => begins,
            },
            Some(node) if self.gap.seen == Seen::Open && begins_game(trim_start(node)) => Some(true),
            Some(node) => match self.is_root(node, view, last) {
                Some(false) if has_semicolon && self.gap.seen == Seen::Node && self.gap.may_go_on(self.gap.start) => {
                    let is_move = begins_with_move(node, last);
                    if is_move == Some(true) {
                        self.gap.seen = Seen::Rest;
                    }
                    is_move
                }
                is_root => is_root,
            },
        };
        match begins {
            Some(true) if self.gap.seen == Seen::Open => self.gap.seen = Seen::OpenNode,
            Some(true) if self.gap.seen == Seen::OpenIdent => self.gap.seen = Seen::OpenWord,
            Some(false) if self.gap.seen == Seen::Node && !has_semicolon => {
                self.gap.seen = Seen::Nothing;
                self.gap.begin_junk(self.gap.start);
            }
            Some(false) => {
                self.gap.fail();
                // It would be looked at again.
                self.at += usize::from(node.is_some());
            }
            _ => {}
        }
        begins.is_some()
    }

    /// Whether the node that these last bytes of the view begin with is a game's root. `None` if more are needed to know.
    fn is_root(&mut self, node: &[u8], view: &[u8], last: bool) -> Option<bool> {
        let node = root::past_empty(node);
        let offset = self.offset_at(self.at) + (view.len() - node.len()) as u64;
        match root::kind(&mut self.watch.lists, offset, node, last) {
            root::Kind::Root { is_strong } => {
                let begins_source = |junk: Position| junk.offset == 0;
                Some(is_strong || self.gap.junk.is_none_or(begins_source))
            }
            root::Kind::Other => Some(false),
            root::Kind::NeedMore => None,
        }
    }

    /// Reports the run of junk before `end`, if there is one.
    pub(super) fn end_junk<V: Visitor>(&mut self, end: u64, visitor: &mut V) -> Flow<V> {
        match self.gap.junk.take() {
            Some(start) => self.problem(ProblemKind::Junk, start, end, visitor),
            None => ControlFlow::Continue(()),
        }
    }

    /// End of input: what waited for more was junk.
    pub(super) fn end_gap<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        if self.gap.seen != Seen::Nothing {
            self.gap.fail();
        }
        self.end_junk(self.base, visitor)
    }

    /// At the byte that makes the `(` some bytes back a game.
    fn begin_game_at_gap<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        self.end_junk(self.gap.start.offset, visitor)?;
        self.begin_game(self.gap.start, visitor)
    }

    /// At the byte that makes the `(` at this position a game; that byte is left to the rules inside games.
    fn begin_game<V: Visitor>(&mut self, position: Position, visitor: &mut V) -> Flow<V> {
        self.state = match self.gap.seen {
            Seen::OpenIdent => {
                self.token_end = self.offset_at(self.at);
                self.from = self.at;
                State::AfterIdent
            }
            Seen::OpenWord => State::Illegal,
            Seen::Node | Seen::Rest => State::Unopened,
            _ => State::Inside,
        };
        let implied = self.state == State::Unopened;
        if self.gap.seen == Seen::Node {
            self.begin_with_header(position.offset);
        }
        self.gap = Gap::default();
        self.game = position.offset;
        self.text.begin_game(position.offset);
        self.problems = 0;
        self.enter(Tree { position, depth: 1, first_child: true, implied }, visitor)
    }
}

/// A byte that has no meaning outside of values.
fn is_stray(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && !is_white(byte) && !matches!(byte, b'(' | b')' | b'[' | b']' | b';')
}

/// Whether a node begins behind the stray bytes that these bytes begin with: a property behind `;`, or one that only a header
/// has, as a damaged `;` is a stray byte too. Programs and pages have `(` and a sign everywhere, but hardly ever this.
///
/// `begins_line`: only blanks stand before them on their line. `None` asks for more bytes; `last`: no more come.
fn begins_behind_stray(bytes: &[u8], begins_line: bool, last: bool) -> Option<bool> {
    let window = &bytes[..bytes.len().min(BEHIND)];
    let last = last || window.len() == BEHIND;
    let mut node = past_stray(window, begins_line, last)?;
    let mut has_semicolon = false;
    if let Some(behind) = node.strip_prefix(b";") {
        has_semicolon = true;
        node = past_stray(behind, false, last)?;
    }
    match *node {
        [] | [b'A'..=b'Z'] | [b'A'..=b'Z', b'A'..=b'Z'] => last.then_some(false),
        [b'A'..=b'Z', b'[', ..] => Some(has_semicolon),
        [first @ b'A'..=b'Z', second @ b'A'..=b'Z', b'[', ..] => Some(has_semicolon || is_header(first, second)),
        _ => Some(false),
    }
}

/// The node behind a `(` if what follows that is what has become of its `;`, or stands before it. `None` if more bytes are needed
/// to know.
fn behind_damage(bytes: &[u8], last: bool) -> Option<&[u8]> {
    let near = &bytes[..bytes.len().min(STRAY + 1)];
    let token = near.iter().position(|byte| matches!(byte, b';' | b'[' | b'(' | b')'));
    match token {
        Some(at) if near[at] == b';' => Some(&bytes[at + 1..]),
        None if near.len() <= STRAY && !last => None,
        _ => bytes.get(1..),
    }
}

/// Whether a node of a game begins so, and no loop of a program: with a move or a point, or a property that only a header has.
fn begins_game(node: &[u8]) -> bool {
    let (name, value) = match node {
        [name @ b'A'..=b'Z', b'[', value @ ..] => ([*name, 0], value),
        [first @ b'A'..=b'Z', second @ b'A'..=b'Z', b'[', value @ ..] => ([*first, *second], value),
        _ => return false,
    };
    let letters = value.iter().take(2).take_while(|byte| byte.is_ascii_lowercase()).count();
    is_header(name[0], name[1]) || value.get(letters) == Some(&b']')
}

/// Whether a node begins with a move. `None` if more bytes are needed to know.
fn begins_with_move(node: &[u8], last: bool) -> Option<bool> {
    match trim_start(node) {
        [b'B' | b'W', b'[', ..] => Some(true),
        [] | [b'B' | b'W'] => last.then_some(false),
        _ => Some(false),
    }
}

/// Whether the word with which a line begins ends so.
fn ends_word(byte: u8) -> bool {
    matches!(byte, b'>' | b'|' | b':' | b'\t')
}

/// What comes behind up to [`STRAY`] bytes that have no meaning: white space and line ends as JSON has them among them, tags and
/// entities, and what begins a line. Behind more, all of them. `None` if more bytes are needed.
fn past_stray(bytes: &[u8], mut begins_line: bool, last: bool) -> Option<&[u8]> {
    let mut rest = bytes;
    while bytes.len() - rest.len() <= STRAY {
        let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let len = match rest {
            [b'\\', b'r' | b'n' | b't', ..] => 2,
            [b'<' | b'&', ..] => match stray_mark(rest) {
                Some(0) if !last => return None,
                Some(len) => len.max(1),
                None => 1,
            },
            [byte, ..] if is_stray(*byte) || is_white(*byte) => 1,
            _ if begins_line && (1..=WORD).contains(&word) => match rest.get(word) {
                None if !last => return None,
                Some(&end) if ends_word(end) => word + 1,
                _ => return Some(rest),
            },
            _ => return Some(rest),
        };
        let (passed, more) = rest.split_at(len);
        begins_line = match passed {
            [b'\n' | b'\r'] | [b'<', .., _] | [b'\\', _] => true,
            [b' ' | b'\t' | b'>' | b'|'] => begins_line,
            _ => false,
        };
        rest = more;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_may_begin_behind_few_stray_bytes() {
        let far = format!("{};B[aa]", "\\".repeat(STRAY + 1));
        let blanks = format!("\0{}", " ".repeat(BEHIND));
        for (bytes, expected) in [
            ("\\;B[aa]", Some(true)),
            ("\u{FEFF};FF[4]", Some(true)),
            ("\0 \n\0;\n AB[", Some(true)),
            (":FF[4]", Some(true)),
            ("\\n;FF[4]", Some(true)),
            ("\\r\\n;\\r\\nB[aa]", Some(true)),
            ("\n> ;\n> SZ[9]", Some(true)),
            ("<br>;<br>FF[4]", Some(true)),
            ("&nbsp;;<p>\n&lt;SZ[9]", Some(true)),
            ("12: ;\n13: FF[4]", Some(true)),
            ("> ;\nJS> FF[4]", Some(true)),
            ("   1\t;\n   2\tB[aa]", Some(true)),
            ("a1: FF[4]", Some(true)),
            ("a1 FF[4]", Some(false)),
            ("> JS> ;FF[4]", Some(true)),
            ("JS> JS> ;FF[4]", Some(false)),
            ("toolongaword: ;FF[4]", Some(false)),
            ("<br", None),
            ("12", None),
            ("\n> ;\nJ", None),
            ("\\nFF", None),
            (":AB[aa]", Some(false)),
            (":B[aa]", Some(false)),
            ("\\;)", Some(false)),
            ("\\;b[aa]", Some(false)),
            ("\\)", Some(false)),
            ("= FFX[4]", Some(false)),
            (&far, Some(false)),
            (&far[1..], Some(true)),
            (&blanks, Some(false)),
            ("\\", None),
            ("\\;", None),
            ("\\; F", None),
            ("\\FF", None),
        ] {
            assert_eq!(begins_behind_stray(bytes.as_bytes(), true, false), expected, "{bytes:?}");
            assert_eq!(begins_behind_stray(bytes.as_bytes(), true, true), expected.or(Some(false)), "{bytes:?}");
        }
    }
}
