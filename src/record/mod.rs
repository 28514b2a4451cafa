//! One row per game, made while the games are read.
//!
//! [`GameRecord`] is the row: game information, raw and typed; counts; the Dyer signature; a hash of the main line. [`Recorder`]
//! is the visitor that makes it, and reuses one for all games. [`Column`] and [`Cell`] are the row as a table has it, and
//! [`GameFilter`] is conditions on it.
//!
//! How much of a game is read follows from what is [wanted](Wants). What is in the header costs no more than reading
//! the header: the rest of the game is skipped.
//!
//! ```
//! use std::convert::Infallible;
//! use std::ops::ControlFlow;
//! use sgf_stream::record::{GameRecord, Recorder, Wants};
//! use sgf_stream::Ident;
//!
//! let games = b"(;PB[Dosaku]PW[Yasui Chitetsu]DT[1683-11-19]RE[W+1];B[pd];W[dc](;B[dq])(;B[cq]))(;SZ[9])";
//! let mut rows = Vec::new();
//! let mut recorder = Recorder::new(Wants::ALL, |game: &GameRecord| {
//!     rows.push((game.text(Ident::PW).map(String::from), game.year(), game.moves(), game.variations()));
//!     ControlFlow::<Infallible>::Continue(())
//! });
//! let ControlFlow::Continue(()) = sgf_stream::read_slice(games, &mut recorder)?;
//! assert_eq!(rows, [(Some("Yasui Chitetsu".to_owned()), Some(1683), Some(3), Some(1)), (None, None, Some(0), Some(0))]);
//! # Ok::<(), sgf_stream::Error>(())
//! ```

// Owns the row, the visitor that makes it, the row as a table has it, and conditions on it. Refuses to know where the games come
// from and what happens to the rows.

mod alike;
mod cell;
mod cells;
mod column;
mod days;
mod filter;
mod fold;
mod fox;
mod game_record;
mod ggf;
mod info;
mod line;
mod main_line;
mod names;
mod positions;
mod range;
mod recorder;
mod remarks;
mod signature;
mod typed;

pub use cell::Cell;
pub use cells::Cells;
pub use column::{Column, ColumnKind, Row};
pub use filter::{Condition, ConditionError, GameFilter};
pub use fold::fold;
pub use game_record::GameRecord;
#[cfg(feature = "index")]
pub(crate) use info::P0_TO_P5;
pub use positions::Positions;
pub use recorder::{Recorder, Records, Rest, Wants};
pub use signature::Signature;
