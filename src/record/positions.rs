//! What stands on the board after each move, as a number that is the same whichever way the board is turned.
//!
//! Owns [`Positions`]: the board of Go with its captures, and the hash. The hash is a promise, because indexes store
//! it: it is the same on all machines and in all versions.

use crate::record::GameRecord;
use crate::record::signature::{turn, ways};
use crate::semantics::{Board, Color, GameType, MOST_POINTS, Point, Size};
use crate::stable::mix;
use crate::syntax::{Ident, Position, Value};
use crate::text::Writing;

/// The positions after each move of the main line, see [`GameRecord::positions`].
#[derive(Debug)]
pub struct Positions<I> {
    steps: I,
    stones: Option<Stones>,
    moves: u64,
}

impl GameRecord {
    /// The position after each move of the main line, as a hash; moves count from 1. The hash is equal for the same
    /// stones on a board of the same size, however they got there, whose turn it is, and whichever of the eight ways
    /// the board is turned or mirrored (four if it is not square). A pass leaves the position as it is.
    ///
    /// Stones without liberties are removed, those of the other colour first. Any stone may be put anywhere, as in the
    /// standard: illegal moves are played all the same. A move that is no point of the board changes nothing.
    ///
    /// Empty if [the moves](crate::record::Wants::moves) were not wanted, and for games other than Go and boards over
    /// 52 by 52. Ends early where the [line is cut](Self::line_is_cut). Different positions share a hash by chance once in 2^64. A
    /// move costs as much as the groups around it are large, and setup as much as the points that it changes. Points beyond four
    /// times as many as the largest board has are not set up.
    pub fn positions(&self) -> Positions<impl Iterator<Item = (Ident, &[u8])>> {
        let board = self.board();
        let stones = board.may_be_go().then_some(board).and_then(|board| {
            let size = board.size().or(GameType::Go.default_size())?;
            (size.columns.max(size.rows) <= Stones::MOST).then(|| Stones::new(board, size))
        });
        Positions { steps: self.line(), stones, moves: 0 }
    }
}

impl<I> Positions<I> {
    /// The stone that stands at a point after the move that was yielded last, without those that it captured; after the last
    /// move, with what is set up behind it once [`next`](Iterator::next) has returned `None`.
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use std::ops::ControlFlow;
    /// use sgf_stream::read_slice;
    /// use sgf_stream::record::{GameRecord, Recorder, Wants};
    /// use sgf_stream::semantics::{Color, Point};
    ///
    /// let mut corner = Vec::new();
    /// let mut recorder = Recorder::new(Wants::ALL, |game: &GameRecord| {
    ///     let mut positions = game.positions();
    ///     while positions.next().is_some() {
    ///         corner.push(positions.stone(Point { x: 0, y: 0 }));
    ///     }
    ///     ControlFlow::<Infallible>::Continue(())
    /// });
    /// let _ = read_slice(b"(;SZ[9];B[aa];W[ab];B[ee];W[ba])", &mut recorder)?;
    /// assert_eq!(corner, [Some(Color::Black), Some(Color::Black), Some(Color::Black), None]);
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn stone(&self, point: Point) -> Option<Color> {
        self.stones.as_ref()?.at(point)
    }
}

/// Yields the number of each move, and the hash.
impl<'a, I: Iterator<Item = (Ident, &'a [u8])>> Iterator for Positions<I> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let stones = self.stones.as_mut()?;
        loop {
            let (ident, raw) = self.steps.next()?;
            let value = Value::new(raw, Writing::default(), Position::START);
            let color = match ident {
                Ident::B => Color::Black,
                Ident::W => Color::White,
                _ => {
                    stones.set_up(ident, value);
                    continue;
                }
            };
            if let Some(point) = stones.board.read_move_lenient(value).ok().and_then(|it| it.point()) {
                stones.play(color, point);
            }
            self.moves += 1;
            return Some((self.moves, stones.hash()));
        }
    }
}

/// A board with stones on it.
#[derive(Debug)]
struct Stones {
    board: Board,
    size: Size,
    /// Row by row.
    points: Vec<Option<Color>>,
    /// The hash, for each way of turning the board.
    hashes: [u64; 8],
    /// How many more points may be set up: seven bytes name a whole board.
    points_left: usize,
    /// The group being examined, and which points of the board were visited.
    group: Vec<Point>,
    seen: Vec<bool>,
}

impl Stones {
    /// The most columns or rows. Points are two letters.
    const MOST: u16 = 52;

    fn new(board: Board, size: Size) -> Self {
        let area = usize::from(size.columns) * usize::from(size.rows);
        Self {
            board,
            size,
            points: vec![None; area],
            hashes: [0; 8],
            points_left: MOST_POINTS,
            group: Vec::new(),
            seen: vec![false; area],
        }
    }

    /// The least hash of all ways of turning the board.
    fn hash(&self) -> u64 {
        let least = self.hashes.iter().take(ways(self.size).into()).min();
        // Each size has its own hash of the empty board.
        mix(least.copied().unwrap_or(0) ^ u64::from(self.size.columns) << 16 ^ u64::from(self.size.rows))
    }

    fn place(&self, point: Point) -> Option<usize> {
        let is_on = point.x < self.size.columns && point.y < self.size.rows;
        is_on.then(|| usize::from(point.y) * usize::from(self.size.columns) + usize::from(point.x))
    }

    fn at(&self, point: Point) -> Option<Color> {
        self.points[self.place(point)?]
    }

    fn put(&mut self, point: Point, stone: Option<Color>) {
        let Some(place) = self.place(point) else { return };
        let before = std::mem::replace(&mut self.points[place], stone);
        if before == stone {
            return;
        }
        for color in [before, stone].into_iter().flatten() {
            for way in 0..ways(self.size) {
                self.hashes[usize::from(way)] ^= key(color, turn(point, self.size, way));
            }
        }
    }

    fn set_up(&mut self, ident: Ident, value: Value<'_>) {
        let stone = match ident {
            Ident::AB => Some(Color::Black),
            Ident::AW => Some(Color::White),
            Ident::AE => None,
            _ => return,
        };
        if let Ok(points) = self.board.read_points_lenient(value)
            && points.len() <= self.points_left
        {
            self.points_left -= points.len();
            points.for_each(|point| self.put(point, stone));
        }
    }

    fn play(&mut self, color: Color, point: Point) {
        if self.place(point).is_none() {
            return;
        }
        self.put(point, Some(color));
        for neighbour in neighbours(point).into_iter().flatten() {
            if self.at(neighbour).is_some_and(|other| other != color) {
                self.take_if_captured(neighbour);
            }
        }
        self.take_if_captured(point);
    }

    /// Takes the group of a stone off the board if it has no liberty.
    fn take_if_captured(&mut self, point: Point) {
        let color = self.at(point);
        self.group.clear();
        let mut next = 0;
        let mut is_alive = !self.reach(point);
        while let Some(&stone) = self.group.get(next).filter(|_| !is_alive) {
            next += 1;
            for neighbour in neighbours(stone).into_iter().flatten() {
                if self.place(neighbour).is_none() {
                    continue;
                }
                match self.at(neighbour) {
                    None => is_alive = true,
                    other if other == color => {
                        self.reach(neighbour);
                    }
                    _ => {}
                }
            }
        }
        let group = std::mem::take(&mut self.group);
        for &stone in &group {
            if let Some(place) = self.place(stone) {
                self.seen[place] = false;
            }
            if !is_alive {
                self.put(stone, None);
            }
        }
        self.group = group;
    }

    /// Adds a stone to the group; false where there is no such point, or it was added before.
    fn reach(&mut self, point: Point) -> bool {
        let is_new = self.place(point).is_some_and(|place| !std::mem::replace(&mut self.seen[place], true));
        if is_new {
            self.group.push(point);
        }
        is_new
    }
}

/// The points next to one; some may be beyond the right or lower edge.
fn neighbours(Point { x, y }: Point) -> [Option<Point>; 4] {
    [
        x.checked_sub(1).map(|x| Point::new(x, y)),
        y.checked_sub(1).map(|y| Point::new(x, y)),
        Some(Point::new(x + 1, y)),
        Some(Point::new(x, y + 1)),
    ]
}

/// What a stone contributes to the hash.
fn key(color: Color, point: Point) -> u64 {
    let color = match color {
        Color::Black => 1,
        Color::White => 2,
    };
    mix(color << 32 | u64::from(point.x) << 16 | u64::from(point.y))
}
