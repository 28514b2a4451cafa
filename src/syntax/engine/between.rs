//! Between games: white space, byte order marks, and junk, until a `(` turns out to begin a game.
//!
//! Owns [`Gap`]. Brackets mean nothing here; a game begins with `(;`, or with `(` and an upper-case identifier that `[`
//! follows at once.

use std::ops::ControlFlow;

use super::{Engine, Flow, State};
use crate::syntax::ident::MAX_RAW_LEN;
use crate::syntax::{Position, ProblemKind, Tree, Visitor};
use crate::text::BOM;
use crate::text::white::is_white;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gap {
    seen: Seen,
    /// Where the run of junk began, if there is one.
    junk: Option<Position>,
    /// Where the mark or the `(` in `seen` began.
    start: Position,
    /// A game came before, and since then only white space and `)`.
    tidy: bool,
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
}

impl Gap {
    pub(super) fn after_game() -> Self {
        Self { tidy: true, ..Self::default() }
    }

    pub(super) fn candidate(&self) -> Option<u64> {
        matches!(self.seen, Seen::Open | Seen::OpenIdent).then_some(self.start.offset)
    }

    /// Where the junk began, and where what may not be junk began.
    pub(super) fn begun(&self) -> [u64; 2] {
        [self.junk.unwrap_or(self.start).offset, self.start.offset]
    }

    /// What was seen leads to nothing: it belongs to the junk.
    fn fail(&mut self) {
        self.seen = Seen::Nothing;
        self.begin_junk(self.start);
    }

    fn begin_junk(&mut self, position: Position) {
        self.tidy = false;
        self.junk.get_or_insert(position);
    }
}

impl Engine {
    pub(super) fn between<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        while let Some(&byte) = chunk.get(self.at) {
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
                    self.lines.byte(byte, self.offset_at(self.at));
                    self.at += 1;
                }
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
                self.at += 1;
            }
            b')' if self.gap.tidy => {
                self.at += 1;
                return self.problem(ProblemKind::UnmatchedClose, position, position.offset + 1, visitor);
            }
            _ if is_white(byte) => {
                self.lines.byte(byte, position.offset);
                self.at += 1;
            }
            _ => {
                self.gap.begin_junk(position);
                let rest = &chunk[self.at..];
                let run = &rest[..memchr::memchr2(b'(', 0xEF, rest).unwrap_or(rest.len())];
                self.lines.bytes(run, position.offset);
                self.at += run.len();
            }
        }
        ControlFlow::Continue(())
    }

    fn bom<V: Visitor>(&mut self, byte: u8, len: u8, visitor: &mut V) -> Flow<V> {
        if byte != BOM[len as usize] {
            self.gap.fail();
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

    /// At the `;` or `[` that makes the `(` some bytes back a game.
    fn begin_game_at_gap<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        self.end_junk(self.gap.start.offset, visitor)?;
        self.begin_game(self.gap.start, visitor)
    }

    /// At the `;` or `[` that makes the `(` at this position a game; that byte is left to the rules inside games.
    fn begin_game<V: Visitor>(&mut self, position: Position, visitor: &mut V) -> Flow<V> {
        self.state = if self.gap.seen == Seen::OpenIdent {
            self.token_end = self.offset_at(self.at);
            self.from = self.at;
            State::AfterIdent
        } else {
            State::Inside
        };
        self.gap = Gap::default();
        self.game = position.offset;
        self.text.begin_game(position.offset);
        self.problems = 0;
        self.enter(Tree { position, depth: 1, first_child: true }, visitor)
    }
}
