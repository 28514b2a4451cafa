//! The points that one value stands for: one, a rectangle of them, or several in a row.
//!
//! Owns [`Points`], and how points stand in a row. Invariant: however many points a value stands for, they take the same
//! memory, because each is made when it is asked for. Refuses to know which game it is: a [`Board`](super::Board) says how
//! its points are written, and which of them it has.

use std::iter::FusedIterator;

use crate::semantics::point::Notation;
use crate::semantics::{Point, PointSet, ValueError, lenient};
use crate::syntax::{FromValue, Value};
use crate::text;

/// How many points the rectangles of one game may stand for, where each of them costs something; a rectangle beyond that
/// is taken as it is written, or left out. This is four times the largest board: no real game sets up more, and a hostile
/// one, to which seven bytes are a whole board, costs no more.
pub(crate) const MOST_POINTS: usize = 4 * 52 * 52;

/// The points of one value of a list, as an iterator that holds two corners or the raw bytes: no list is made.
///
/// As a [`FromValue`] it is a point of two letters, or two such points with a `:` between them, for the rectangle that
/// has them as its corners (the standard's compressed point list). Strictly, the first is the upper left and the second
/// the lower right one; read leniently, they may be any two opposite corners. A rectangle of a single point is read
/// too, though the standard wants it written as a point.
///
/// A rectangle's points come column by column, each from the top: in the order of their letters.
/// [`len`](ExactSizeIterator::len) tells how many there are before one is taken: at most 52 by 52 from two letters, and
/// at most what the board has from a [`Board`](crate::semantics::Board).
///
/// ```
/// use sgf_stream::semantics::{Point, Points};
/// use sgf_stream::{Event, events};
///
/// let values = events(b"(;AB[aa:bb][dd])").filter_map(|event| match event {
///     Ok(Event::Value(value)) => Some(value),
///     _ => None,
/// });
/// let mut stones = Vec::new();
/// for value in values {
///     stones.extend(value.parse::<Points>()?);
/// }
/// assert_eq!(stones, [(0, 0), (0, 1), (1, 0), (1, 1), (3, 3)].map(|(x, y)| Point { x, y }));
/// # Ok::<(), sgf_stream::semantics::ValueError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Points<'a>(Form<'a>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form<'a> {
    Rectangle { first: Point, last: Point, next: Point, left: usize },
    Row { rest: Option<&'a [u8]>, style: Style, left: usize },
}

impl<'a> Points<'a> {
    /// A rectangle from two corners that face each other, or one point from two that are the same.
    pub(super) fn rectangle(a: Point, b: Point) -> Self {
        let first = Point::new(a.x.min(b.x), a.y.min(b.y));
        let last = Point::new(a.x.max(b.x), a.y.max(b.y));
        let side = |from: u16, to: u16| usize::from(to - from) + 1;
        let left = side(first.x, last.x) * side(first.y, last.y);
        Self(Form::Rectangle { first, last, next: first, left })
    }

    /// Several points in a row. Every point is read here once, and again when it is requested, so that nothing needs to be kept.
    pub(super) fn row(raw: &'a [u8], style: Style, accept: impl Fn(Point) -> bool) -> Result<Self, ValueError> {
        let mut rest = Some(raw);
        let mut left = 0;
        while let Some(token) = style.next(&mut rest) {
            let point = style.read(token)?;
            if !accept(point) {
                return Err(ValueError::OffBoard);
            }
            left += 1;
        }
        Ok(Self(Form::Row { rest: Some(raw), style, left }))
    }

    /// Yields the points that `seen` has already, and adds the others to it.
    ///
    /// With one set for all values of a property, and for those that must not overlap it (AB, AW and AE of a node, TB
    /// and TW), this finds the duplicates that the standard forbids.
    pub fn duplicates(self, seen: &mut PointSet) -> impl Iterator<Item = Point> {
        self.filter(move |&point| !seen.insert(point))
    }
}

/// How points stand in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Style {
    pub(super) notation: Notation,
    /// Bytes that stand between two points.
    pub(super) separators: &'static [u8],
    /// Points need no separator.
    pub(super) glued: bool,
    /// White space and escapes are ignored.
    pub(super) loose: bool,
}

impl Style {
    fn next<'a>(self, rest: &mut Option<&'a [u8]>) -> Option<&'a [u8]> {
        let raw = (*rest)?;
        let reach = if self.glued { self.notation.end(raw) } else { raw.len() };
        let mut near = raw.iter().take(reach + 1);
        let separator = near.position(|byte| self.separators.contains(byte)).unwrap_or(raw.len());
        let end = separator.min(reach);
        *rest = match raw.get(end) {
            Some(_) if end == separator => Some(&raw[end + 1..]),
            Some(_) => Some(&raw[end..]),
            None => None,
        };
        Some(&raw[..end])
    }

    fn read(self, token: &[u8]) -> Result<Point, ValueError> {
        if !self.loose {
            return self.notation.read(token);
        }
        // No point is longer than this, on any board whose points can be named.
        let mut dense = [0; 16];
        let mut len = 0;
        for &byte in token.iter().filter(|&&byte| !byte.is_ascii_whitespace() && byte != b'\\') {
            *dense.get_mut(len).ok_or(ValueError::Malformed)? = byte;
            len += 1;
        }
        self.notation.read(&dense[..len])
    }
}

impl Iterator for Points<'_> {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        match &mut self.0 {
            Form::Rectangle { left: 0, .. } => None,
            Form::Rectangle { first, last, next, left } => {
                let point = *next;
                *left -= 1;
                *next = if point.y < last.y {
                    Point::new(point.x, point.y + 1)
                } else {
                    Point::new(point.x.wrapping_add(1), first.y)
                };
                Some(point)
            }
            Form::Row { rest, style, left } => {
                let token = style.next(rest)?;
                *left -= 1;
                style.read(token).ok()
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (Form::Rectangle { left, .. } | Form::Row { left, .. }) = self.0;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Points<'_> {}
impl FusedIterator for Points<'_> {}

impl<'a> FromValue<'a> for Points<'a> {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'a>) -> Result<Self, ValueError> {
        let raw = value.raw();
        let Some((a, b)) = text::split_compose(raw) else {
            return Notation::Letters.read(raw).map(|point| Self::rectangle(point, point));
        };
        let (a, b) = (Notation::Letters.read(a)?, Notation::Letters.read(b)?);
        if a.x > b.x || a.y > b.y {
            return Err(ValueError::Corners);
        }
        Ok(Self::rectangle(a, b))
    }

    fn from_value_lenient(value: Value<'a>) -> Result<Self, ValueError> {
        Self::from_value(value).or_else(|_| {
            let text = lenient::dense(value);
            let (a, b) = text.split_once(':').unwrap_or((&text, &text));
            Ok(Self::rectangle(Notation::Letters.read(a.as_bytes())?, Notation::Letters.read(b.as_bytes())?))
        })
    }
}
