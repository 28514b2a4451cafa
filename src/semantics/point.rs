//! Point: a place on the board, and sets of points.
//!
//! Owns [`Point`], the notations that games write one in, and [`PointSet`]. Refuses to know which game uses which: that is
//! for [`Board`](crate::semantics::Board).

use crate::semantics::ValueError;
use crate::semantics::lenient;
use crate::syntax::{FromValue, Value};

/// A point of the board: column and row, both from 0.
///
/// Columns count from the left. Rows count as the game's notation counts them: from the top in Go and Hex, from the
/// bottom in Blokus and Lines of Action. [`GameType::rows_go_up`](crate::semantics::GameType::rows_go_up) tells which.
///
/// As a [`FromValue`] it is two letters, as Go and most games write it: `a` to `z` are 0 to 25, `A` to `Z` 26 to 51.
/// Read leniently, it may hold white space and full-width letters. [`Board`](crate::semantics::Board) reads the points
/// of a particular game, and knows which of them are on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Column, from 0 at the left.
    pub x: u16,
    /// Row, from 0.
    pub y: u16,
}

/// The standard's Stone. In Go, and wherever nothing distinguishes one stone from another, it is the point on which it
/// stands.
pub type Stone = Point;

impl Point {
    /// The point of a column and a row.
    #[inline]
    pub const fn new(x: u16, y: u16) -> Self {
        Self { x, y }
    }

    /// The point that two letters stand for, the column's first.
    #[inline]
    pub const fn from_letters(letters: [u8; 2]) -> Option<Self> {
        let (x, y) = (LETTERS[letters[0] as usize], LETTERS[letters[1] as usize]);
        if x == NO_LETTER || y == NO_LETTER { None } else { Some(Self::new(x as u16, y as u16)) }
    }

    /// The two letters of a point within 52 by 52.
    pub const fn letters(self) -> Option<[u8; 2]> {
        match (letter(self.x), letter(self.y)) {
            (Some(x), Some(y)) => Some([x, y]),
            _ => None,
        }
    }
}

impl FromValue<'_> for Point {
    type Err = ValueError;

    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self, ValueError> {
        Notation::Letters.read(value.raw())
    }

    fn from_value_lenient(value: Value<'_>) -> Result<Self, ValueError> {
        Self::from_value(value).or_else(|_| Notation::Letters.read(lenient::dense(value).as_bytes()))
    }
}

const NO_LETTER: u8 = u8::MAX;

/// What each byte stands for in a point of two letters.
static LETTERS: [u8; 256] = {
    let mut table = [NO_LETTER; 256];
    let mut i = 0;
    while i < 26 {
        table[(b'a' + i) as usize] = i;
        table[(b'A' + i) as usize] = 26 + i;
        i += 1;
    }
    table
};

const fn letter(index: u16) -> Option<u8> {
    match index {
        0..26 => Some(b'a' + index as u8),
        26..52 => Some(b'A' + (index - 26) as u8),
        _ => None,
    }
}

/// How a game writes a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Notation {
    /// `aa`: two letters, column and row.
    Letters,
    /// `a1`: the column's letters, counted as `a` to `z`, `aa`, `ab` and so on in either case, then the row's number.
    Cell,
    /// `11`: two digits, column and row, each from 1.
    Digits,
    /// `a`: one letter. There is one row.
    Letter,
}

impl Notation {
    #[inline]
    pub(super) fn read(self, raw: &[u8]) -> Result<Point, ValueError> {
        match (self, raw) {
            (_, []) => Err(ValueError::Empty),
            (Self::Letters, &[x, y]) => Point::from_letters([x, y]).ok_or(ValueError::Malformed),
            (Self::Cell, raw) => cell(raw),
            (Self::Digits, &[x @ b'1'..=b'9', y @ b'1'..=b'9']) => Ok(Point::new((x - b'1').into(), (y - b'1').into())),
            (Self::Letter, &[x @ b'a'..=b'z']) => Ok(Point::new((x - b'a').into(), 0)),
            _ => Err(ValueError::Malformed),
        }
    }

    /// Where the first of several points without separators ends.
    pub(super) fn end(self, raw: &[u8]) -> usize {
        match self {
            Self::Letter => raw.len().min(1),
            Self::Letters | Self::Digits => raw.len().min(2),
            Self::Cell => {
                let next = raw.windows(2).position(|pair| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic());
                next.map_or(raw.len(), |index| index + 1)
            }
        }
    }
}

fn cell(raw: &[u8]) -> Result<Point, ValueError> {
    let letters = raw.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (column, row) = raw.split_at(letters);
    if column.is_empty() || !matches!(row, [b'1'..=b'9', ..]) || !row.iter().all(u8::is_ascii_digit) {
        return Err(ValueError::Malformed);
    }
    let count = |digits: &[u8], base: u16, value: fn(u8) -> u16| {
        digits.iter().try_fold(0_u16, |sum, &digit| sum.checked_mul(base)?.checked_add(value(digit)))
    };
    let x = count(column, 26, |letter| u16::from(letter.to_ascii_lowercase() - b'a') + 1);
    let y = count(row, 10, |digit| u16::from(digit - b'0'));
    match (x, y) {
        (Some(x), Some(y)) => Ok(Point::new(x - 1, y - 1)),
        _ => Err(ValueError::OutOfRange),
    }
}

/// A set of points within 64 by 64, which is enough for every board that two letters or Pentobi can write. It takes 512
/// bytes and allocates nothing.
///
/// It finds the points that a list has twice. The standard forbids these, but real files have them:
///
/// ```
/// use sgf_stream::semantics::{Point, PointSet};
///
/// let mut seen = PointSet::new();
/// assert!(seen.insert(Point::new(3, 3)));
/// assert!(!seen.insert(Point::new(3, 3)), "there it was already");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PointSet {
    rows: [u64; 64],
}

impl PointSet {
    /// An empty set.
    pub const fn new() -> Self {
        Self { rows: [0; 64] }
    }

    /// Adds a point; false if it was in the set. A point beyond 64 by 64 is not remembered, and is always new.
    pub fn insert(&mut self, point: Point) -> bool {
        let new = !self.contains(point);
        if point.x < 64
            && let Some(row) = self.rows.get_mut(usize::from(point.y))
        {
            *row |= 1 << point.x;
        }
        new
    }

    /// True for a point that was added.
    pub fn contains(&self, point: Point) -> bool {
        point.x < 64 && self.rows.get(usize::from(point.y)).is_some_and(|row| row & (1 << point.x) != 0)
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// True if the set has no points.
    pub fn is_empty(&self) -> bool {
        self.rows == [0; 64]
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.rows = [0; 64];
    }
}

impl Default for PointSet {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_round_trip() {
        for y in 0..52 {
            for x in 0..52 {
                let point = Point::new(x, y);
                assert_eq!(Point::from_letters(point.letters().unwrap()), Some(point));
            }
        }
        assert_eq!(Point::new(52, 0).letters(), None);
        assert_eq!(Point::from_letters(*b"a["), None);
    }

    #[test]
    fn columns_continue_after_z() {
        for (name, x, y) in
            [("a1", 0, 0), ("Z26", 25, 25), ("aa1", 26, 0), ("Ab28", 27, 27), ("zz702", 701, 701), ("aaa1", 702, 0)]
        {
            assert_eq!(Notation::Cell.read(name.as_bytes()), Ok(Point::new(x, y)), "{name}");
        }
        for name in ["a", "1", "a0", "a01", "1a", "a1b", "a-1"] {
            assert_eq!(Notation::Cell.read(name.as_bytes()), Err(ValueError::Malformed), "{name}");
        }
        for name in ["a65536", "zzzzz1", "a99999999999999999999"] {
            assert_eq!(Notation::Cell.read(name.as_bytes()), Err(ValueError::OutOfRange), "{name}");
        }
    }
}
