//! Values as a reader delivers them, made from the raw text between brackets.

use sgf_stream::semantics::{Board, GameType, Point, Points};
use sgf_stream::{Event, FromValue, Value, events};

/// Calls `with` with the value that has this raw text.
pub(crate) fn value<T>(raw: &str, with: impl FnOnce(Value<'_>) -> T) -> T {
    let source = format!("(;X[{raw}])");
    let found = events(source.as_bytes()).find_map(|event| match event {
        Ok(Event::Value(value)) => Some(value),
        _ => None,
    });
    with(found.unwrap_or_else(|| panic!("no value in {source}")))
}

/// Reads strictly; the error is shown by `Debug`.
pub(crate) fn strict<T: for<'a> FromValue<'a, Err: std::fmt::Debug>>(raw: &str) -> Result<T, String> {
    value(raw, |value| value.parse::<T>().map_err(|error| format!("{error:?}")))
}

/// Reads leniently; the error is shown by `Debug`.
pub(crate) fn lenient<T: for<'a> FromValue<'a, Err: std::fmt::Debug>>(raw: &str) -> Result<T, String> {
    value(raw, |value| value.parse_lenient::<T>().map_err(|error| format!("{error:?}")))
}

/// The board of a root node with these properties.
pub(crate) fn board(root: &str) -> Board {
    let mut board = Board::default();
    let mut property = None;
    for event in events(format!("(;{root})").as_bytes()) {
        match event {
            Ok(Event::Property(it)) => property = Some(it.ident()),
            Ok(Event::Value(value)) => board.learn(property.unwrap(), value),
            _ => {}
        }
    }
    board
}

pub(crate) fn game(raw: &str) -> GameType {
    value(raw, GameType::of)
}

/// Points as `x,y`, separated by spaces.
pub(crate) fn shown(points: Points<'_>) -> String {
    points.map(|Point { x, y }| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
}
