//! The boards of Blokus: which points there are, and what is at them.
//!
//! The coordinates are those of Pentobi's document, the sizes and the shapes those of its boards. All boards are their own
//! mirror images, so that their edges are the same counted from either side.
//!
//! Owns which points each variant has. Refuses to know pieces and what stands on the board.

use crate::semantics::{Point, Size};

use super::Variant;

/// What a point of a board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cell {
    /// A square field.
    Square,
    /// Trigon: a triangular field with its tip up.
    TriangleUp,
    /// Trigon: a triangular field with its tip down.
    TriangleDown,
    /// Nexos: a place for a horizontal line segment.
    Horizontal,
    /// Nexos: a place for a vertical line segment.
    Vertical,
    /// Nexos: where lines meet. Not part of a move.
    Junction,
    /// `GembloQ`: one of the four triangles that a square field is divided into.
    Quarter,
}

impl Variant {
    /// The columns and rows of the coordinates. Not every point of them is on the board: see [`cell`](Self::cell).
    pub const fn size(self) -> Size {
        let (columns, rows) = match self {
            Self::Duo | Self::Junior => (14, 14),
            Self::Trigon | Self::TrigonTwoPlayer => (35, 18),
            Self::TrigonThreePlayer => (31, 16),
            Self::Nexos | Self::NexosTwoPlayer => (25, 25),
            Self::Classic
            | Self::ClassicTwoPlayer
            | Self::ClassicThreePlayer
            | Self::Callisto
            | Self::CallistoTwoPlayerFourColor
            | Self::CallistoThreePlayer => (20, 20),
            Self::CallistoTwoPlayer => (16, 16),
            Self::GembloQ | Self::GembloQTwoPlayerFourColor => (56, 28),
            Self::GembloQTwoPlayer => (44, 22),
            Self::GembloQThreePlayer => (52, 26),
        };
        Size { columns, rows }
    }

    /// What is at a point, or `None` for one that is not on the board.
    pub const fn cell(self, point: Point) -> Option<Cell> {
        let Size { columns, rows } = self.size();
        if point.x >= columns || point.y >= rows {
            return None;
        }
        let from_side = if point.x < columns - 1 - point.x { point.x } else { columns - 1 - point.x };
        let from_end = if point.y < rows - 1 - point.y { point.y } else { rows - 1 - point.y };
        if from_side < self.cut(from_end) {
            return None;
        }
        match self {
            Self::Trigon | Self::TrigonTwoPlayer | Self::TrigonThreePlayer => {
                // The upper of the two longest rows begins with a tip up.
                let up = (point.x + point.y + rows / 2).is_multiple_of(2);
                Some(if up { Cell::TriangleUp } else { Cell::TriangleDown })
            }
            Self::Nexos | Self::NexosTwoPlayer => match (point.x % 2, point.y % 2) {
                (0, 0) => Some(Cell::Junction),
                (1, 0) => Some(Cell::Horizontal),
                (0, _) => Some(Cell::Vertical),
                _ => None,
            },
            Self::GembloQ | Self::GembloQTwoPlayer | Self::GembloQThreePlayer | Self::GembloQTwoPlayerFourColor => {
                Some(Cell::Quarter)
            }
            _ => Some(Cell::Square),
        }
    }

    /// True for a point that a piece can cover.
    pub const fn contains(self, point: Point) -> bool {
        !matches!(self.cell(point), None | Some(Cell::Junction))
    }

    /// How many points are missing at either side of a row that is the `row`th from the lower or upper edge.
    const fn cut(self, row: u16) -> u16 {
        let Size { columns, rows } = self.size();
        match self {
            Self::Trigon | Self::TrigonTwoPlayer | Self::TrigonThreePlayer => rows / 2 - 1 - row,
            // The length of the outermost rows determines the rest.
            Self::Callisto | Self::CallistoTwoPlayerFourColor => ((columns - 6) / 2).saturating_sub(row),
            Self::CallistoTwoPlayer | Self::CallistoThreePlayer => ((columns - 2) / 2).saturating_sub(row),
            Self::GembloQ | Self::GembloQTwoPlayerFourColor => ((columns - 4 * 13) / 2 - 1).saturating_sub(2 * row),
            Self::GembloQTwoPlayer => ((columns - 4 * 4) / 2 - 1).saturating_sub(2 * row),
            Self::GembloQThreePlayer => ((columns - 4 * 6) / 2 - 1).saturating_sub(2 * row),
            _ => 0,
        }
    }
}
