//! Runs of moves, which real games mostly consist of.
//!
//! Owns [`Moves`]: several nodes that a visitor may take at once, and the events that they stand for. Invariant: each move
//! has [`Moves::MOVE_LEN`] bytes, so that nothing but their number and place has to be kept. Refuses to know how they are found.

use std::fmt;

use crate::syntax::event::Raw;
use crate::syntax::{Node, Position, Property, Value};
use crate::text::Writing;

/// Consecutive moves, each a node of its own with nothing but a point, as in `;B[pd];W[dd]`. Real games consist mostly
/// of these.
///
/// There is at least one. How many come together is a matter of speed only, and may change with any version.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Moves<'a> {
    pub(crate) position: Position,
    pub(crate) writing: Writing,
    pub(crate) raw: &'a [u8],
    pub(crate) white: usize,
}

impl<'a> Moves<'a> {
    /// Bytes of a move: `;`, B or W, `[`, two bytes of ASCII above `]`, and `]`.
    pub const MOVE_LEN: usize = 6;

    /// Where the first `;` stands.
    #[inline]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// All of them, as they stand in the source, [`MOVE_LEN`](Self::MOVE_LEN) bytes each.
    #[inline]
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// How many there are.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub const fn len(&self) -> usize {
        self.raw.len() / Self::MOVE_LEN
    }

    /// How many of them are White's. Costs nothing.
    #[inline]
    pub const fn white_len(&self) -> usize {
        self.white
    }

    /// The events that make up each move.
    pub fn iter(&self) -> MoveEvents<'a> {
        let Self { position, writing, raw, .. } = *self;
        MoveEvents { position, writing, moves: raw.as_chunks().0.iter() }
    }
}

impl<'a> IntoIterator for Moves<'a> {
    type Item = (Node, Property<'a>, Value<'a>);
    type IntoIter = MoveEvents<'a>;

    fn into_iter(self) -> MoveEvents<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Moves<'a> {
    type Item = (Node, Property<'a>, Value<'a>);
    type IntoIter = MoveEvents<'a>;

    fn into_iter(self) -> MoveEvents<'a> {
        self.iter()
    }
}

/// The events that make up each of some [`Moves`].
#[derive(Clone, Debug)]
pub struct MoveEvents<'a> {
    /// Where the next move begins.
    position: Position,
    writing: Writing,
    moves: std::slice::Iter<'a, [u8; Moves::MOVE_LEN]>,
}

impl<'a> Iterator for MoveEvents<'a> {
    type Item = (Node, Property<'a>, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.moves.next()?;
        let Self { position, writing, .. } = *self;
        self.position = position.forward(Moves::MOVE_LEN as u64);
        Some((
            Node { position, implied: false, after_variation: false },
            Property { position: position.forward(1), raw: &bytes[1..2] },
            Value { position: position.forward(3), writing, raw: &bytes[3..5] },
        ))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.moves.size_hint()
    }
}

impl ExactSizeIterator for MoveEvents<'_> {}

impl std::iter::FusedIterator for MoveEvents<'_> {}

impl fmt::Debug for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, writing, raw, white } = self;
        f.debug_struct("Moves")
            .field("position", position)
            .field("writing", writing)
            .field("raw", &Raw(raw))
            .field("white", white)
            .finish()
    }
}
