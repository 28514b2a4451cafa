//! What properties and values mean: the table of properties, typed values, points and moves of each game.
//!
//! Nothing here happens while reading. A value stays raw until it is parsed as a type: by the letter of the standard
//! with [`Value::parse`](crate::Value::parse), or as a person would read it with
//! [`Value::parse_lenient`](crate::Value::parse_lenient). What neither can read is an error that says why, and the raw
//! bytes are still there. Values of properties that nobody defines stay as they are.
//!
//! Points and moves mean something only in a game; [`Board`] knows which game it is and reads them.
//!
//! | of the standard | here |
//! | --- | --- |
//! | Number, Real, Double, Color | [`Number`], [`Real`], [`Double`], [`Color`] |
//! | `SimpleText`, Text, None | [SimpleText], [`Text`], [`NoneValue`] |
//! | Point, Stone, Move | [`Point`], [`Stone`], [`Move`], and [`Board`] for every game but Go |
//! | a compressed point list | [`Points`] of each value |
//! | Compose | [`Compose`], and [`Size`] and [`Application`] for SZ and AP |
//! | RE, DT, TM and the rest of game information | [`info`] |
//! | a list that may be empty | [`Option`] of a type |
//!
//! Two adapters go around a visitor: [`Upgrade`] hands on old versions of the format as FF\[4\], as far as it is asked
//! to, and [`Paths`] says for each node where it is in the tree.

// Refuses to know sources and where the events come from.

mod application;
mod color;
mod compose;
mod double;
mod error;
mod game;
pub mod info;
mod lenient;
mod number;
mod path;
mod plays;
mod point;
mod points;
pub mod property;
mod real;
mod size;
mod text;
mod upgrade;

pub use application::Application;
pub use color::Color;
pub use compose::{Compose, ComposeError};
pub use double::Double;
pub use error::ValueError;
pub(crate) use game::letters;
pub use game::{Board, GameType, Move, blokus, go, hex};
pub use number::Number;
pub use path::{AfterVariation, OnMainLine, Path, PathVisitor, Paths, Settled};
pub(crate) use plays::{Plays, RED, in_capitals, plays};
pub use point::{Point, PointSet, Stone};
pub(crate) use points::MOST_POINTS;
pub use points::Points;
pub use property::{Definition, definition, definitions};
pub use real::Real;
pub use size::Size;
pub use text::{NoneValue, SimpleText, Text};
pub use upgrade::{Conversion, Upgrade};
