//! Bytes in, events out: the grammar of SGF and what to do where the input breaks it.
//!
//! Owns the events, the engine that makes them, and its two faces, push and pull. Invariant: events do not depend on how the
//! bytes are cut. Refuses to do input or output, and to know what values mean.

mod account;
mod batch;
pub(crate) mod bounds;
mod config;
mod engine;
mod error;
mod event;
pub(crate) mod ident;
mod kinds;
mod limits;
pub(crate) mod lists;
mod main_line;
mod moves;
mod parser;
pub(crate) mod position;
mod problem;
mod recoded;
pub(crate) mod root;
mod scan;
mod unknown_name;
mod visitor;

pub use crate::text::{Charset, Charsets, EscapeUnit, Writing};
pub use account::{AccountingParser, ByteAccount};
pub use batch::{Batch, Batcher, Events, Filter, events};
pub use config::Config;
pub use error::Error;
pub use event::{Deliver, Descend, Event, FromValue, Node, Part, Property, Step, Tree, TreeEnd, Value};
pub use ident::{Ident, IdentError};
pub use limits::Limits;
pub use main_line::MainLine;
pub use moves::{MoveEvents, Moves};
pub use parser::{Parser, StreamCharset, read_slice};
pub use position::{Position, Span};
pub use problem::{Problem, ProblemKind};
pub use unknown_name::UnknownName;
pub use visitor::Visitor;
