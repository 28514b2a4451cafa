//! Where rows of games go: sinks.
//!
//! [`Sqlite`], [`Parquet`], [`Arrow`], [`Csv`] and [`Ndjson`] come with the crate. [`Sink`] is the trait that your own indexer
//! implements, as `examples/custom_index.rs` does; a [`FileSink`] also remembers which files it has read. Rows come from a
//! [`Recorder`](crate::record::Recorder), wherever that has its bytes from. [`Offsets`] finds a game by its number.
//!
//! ```
//! use std::ops::ControlFlow;
//! use sgf_stream::index::{Error, Ndjson, Sink};
//! use sgf_stream::record::{Column, GameRecord, Recorder, Row};
//!
//! let mut sink = Ndjson::new(Vec::new()).columns([Column::File, Column::Game, Column::Black, Column::Year]);
//! let mut game = 0;
//! let mut recorder = Recorder::new(sink.wants(), |record: &GameRecord| {
//!     game += 1;
//!     match sink.record(&Row::new("club.sgf", game, record)) {
//!         Ok(()) => ControlFlow::Continue(()),
//!         Err(error) => ControlFlow::Break(error),
//!     }
//! });
//! let flow = sgf_stream::read_slice(b"(;PB[Dosaku]DT[1683-11-19])(;PB[Shusaku])", &mut recorder)?;
//! if let ControlFlow::Break(error) = flow {
//!     return Err(error.into());
//! }
//! sink.finish()?;
//! assert_eq!(
//!     String::from_utf8(sink.into_inner())?,
//!     "{\"file\":\"club.sgf\",\"game\":1,\"black\":\"Dosaku\",\"year\":1683}\n\
//!      {\"file\":\"club.sgf\",\"game\":2,\"black\":\"Shusaku\",\"year\":null}\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Owns the traits of sinks, the sinks that come with the crate, and sidecars of offsets. Refuses to know how games are read.

mod arrow;
mod csv;
mod details;
mod error;
mod ndjson;
mod offsets;
mod pieces;
mod sink;
mod sqlite;
mod stamp;
mod sync_write;

pub use crate::record::fold;
pub use arrow::{Arrow, Parquet};
pub use csv::Csv;
pub use details::Details;
pub use error::Error;
pub use ndjson::Ndjson;
pub use offsets::{GameLocation, Offsets, OffsetsWriter, sidecar};
pub use sink::{FileEnd, FileSink, Known, Sink};
pub use sqlite::{Catalog, Sqlite, SqliteOptions};
#[cfg(feature = "listen")]
pub(crate) use sqlite::{column_definitions, connect, is_empty, unopened, unwritable, wal};
pub use stamp::Stamp;
pub use sync_write::{Flushed, SyncWrite};
