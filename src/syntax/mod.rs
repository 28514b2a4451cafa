//! Bytes in, events out: the grammar of SGF and what to do where the input breaks it.
//!
//! [`Parser`] pushes events into a [`Visitor`]; [`events`] and [`Batcher`] are iterators over them. [`Config`] and [`Limits`]
//! are what you choose, [`Problem`] and [`Error`] what may be wrong. Events do not depend on how the bytes are cut. What is
//! here is also at the root of the crate.

// Owns the events, the engine that makes them, and its two faces, push and pull. Invariant: events do not depend on how the
// bytes are cut. Refuses to do input or output, and to know what values mean.
//
// `event` is the vocabulary, which `visitor` and `main_line` receive, runs of moves at once as `moves`. `engine` makes the
// events; `parser` (push) and `batch` (pull) are its faces, `recoded` puts a recoder in front of it, and `account` checks
// that no byte is lost. `scan` finds bytes. `kinds`, `root`, `lists` and `bounds` are rules of thumb about properties,
// headers, lists and where games begin and end. `config` and `limits` are what a user chooses, `problem` and `error` what
// may be wrong; `ident` and `position` are the small values that all of them share.

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

#[cfg(test)]
mod tests {
    use super::scan;
    use crate::text::white::is_white;

    #[test]
    fn the_searches_have_the_white_space_of_text() {
        for byte in 0..=u8::MAX {
            let rules = scan::are_white(byte);
            assert!(rules.iter().all(|&rule| rule == is_white(byte)), "{byte} {rules:?}");
        }
    }
}
