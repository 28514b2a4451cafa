//! Values that wait for the rest of their list.
//!
//! Owns [`Held`]. Invariant: what it keeps has a fixed size; what does not fit goes on as it came. Refuses to know
//! versions and which properties are held.

use std::ops::ControlFlow;

use super::rewritten;
use crate::semantics::Point;
use crate::syntax::{Deliver, Value, Visitor};

/// The longest piece, in bytes: at most 20 points (`GembloQ`) of four bytes and a comma each. Anything longer is no
/// piece: its first points become one value, and the others are handed on as they came.
const PIECE: usize = 128;

/// What is held back of the list being read.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Nothing,
    /// One or two corners of VW: the first values, with nothing in `raw`.
    Corners(Value<'static>, Point, Option<(Value<'static>, Point)>),
    /// The first value of a piece, with nothing in `raw`, and all its points so far with commas between them.
    Piece(Value<'static>, [u8; PIECE], usize),
}

fn bare(value: Value<'_>) -> Value<'static> {
    Value { position: value.position, writing: value.writing, raw: b"" }
}

impl Held {
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Nothing)
    }

    /// Holds back a value of VW; false if it makes the list something other than two corners.
    pub(super) fn corner(&mut self, value: Value<'_>) -> bool {
        let Ok(point) = value.parse::<Point>() else { return false };
        match self {
            Self::Nothing => *self = Self::Corners(bare(value), point, None),
            Self::Corners(_, _, second @ None) => *second = Some((bare(value), point)),
            _ => return false,
        }
        true
    }

    /// Holds back a point of a piece; false if there is no room for it.
    pub(super) fn point(&mut self, value: Value<'_>) -> bool {
        if let Self::Nothing = self {
            *self = Self::Piece(bare(value), [0; PIECE], 0);
        }
        let Self::Piece(piece, raw, len) = self else { return false };
        let comma: &[u8] = if *len == 0 { b"" } else { b"," };
        let end = *len + comma.len() + value.raw.len();
        let Some(room) = raw.get_mut(*len..end) else {
            if *len == 0 {
                *self = Self::Nothing;
            }
            return false;
        };
        room[..comma.len()].copy_from_slice(comma);
        room[comma.len()..].copy_from_slice(value.raw);
        if *len > 0 {
            *piece = rewritten(*piece, b"");
        }
        *len = end;
        true
    }

    /// The list is complete: hands it on as one value.
    pub(super) fn hand_to<V: Visitor>(self, answer: Deliver, visitor: &mut V) -> ControlFlow<V::Break> {
        match self {
            Self::Corners(value, a, Some((_, b))) => {
                let first = Point::new(a.x.min(b.x), a.y.min(b.y));
                let last = Point::new(a.x.max(b.x), a.y.max(b.y));
                let (Some([x, y]), Some([to_x, to_y])) = (first.letters(), last.letters()) else {
                    return ControlFlow::Continue(());
                };
                let raw = [x, y, b':', to_x, to_y];
                // The standard requires a rectangle of one point to be written as that point.
                let raw: &[u8] = if first == last { &raw[..2] } else { &raw };
                rewritten(value, raw).hand_to(answer, visitor)
            }
            other => other.hand_apart(answer, visitor),
        }
    }

    /// The list is not what it seemed to be: hands on its values as they came.
    pub(super) fn hand_apart<V: Visitor>(self, answer: Deliver, visitor: &mut V) -> ControlFlow<V::Break> {
        let mut corner = |value, point: Point| match point.letters() {
            Some(raw) => Value { raw: &raw, ..value }.hand_to(answer, visitor),
            None => ControlFlow::Continue(()),
        };
        match self {
            Self::Nothing => ControlFlow::Continue(()),
            Self::Corners(value, point, second) => {
                let flow = corner(value, point);
                let after = second.map_or(ControlFlow::Continue(()), |(value, point)| corner(value, point));
                flow?;
                after
            }
            Self::Piece(value, raw, len) => Value { raw: &raw[..len], ..value }.hand_to(answer, visitor),
        }
    }
}
