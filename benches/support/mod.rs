//! What the benches share: the corpora, made in memory when first needed, and the visitors.
//!
//! Owns the corpora and their expected counts. Every bench asserts its counts outside the measurement, since the speed of a
//! reader that misses input means nothing. Knows nothing of criterion, so that the instructions are counted without building it.

#![allow(dead_code, unused_imports, reason = "every bench uses its own part of this module")]

#[path = "../../examples/support/archive.rs"]
mod archive;
mod corpus;
#[path = "../../tests/support/rng.rs"]
mod rng;
#[path = "../../tests/support/tokens.rs"]
mod tokens;
mod visitors;

pub(crate) use corpus::{COMMENTS, Corpus, GENERATED, GIANT, MOVES, PATHOLOGICAL, PRO, SAMPLE, VARIATIONS};
pub(crate) use rng::Rng;
pub(crate) use tokens::{HALVES, TOKENS};
pub(crate) use visitors::{Count, Hash, Headers, NoValues, Over, Tally};

use std::ops::ControlFlow;

use sgf_stream::{Config, Parser, Visitor};

/// How many bytes a reader gets at once, unless a bench varies that.
pub(crate) const CHUNK: usize = 256 << 10;

/// Reads a slice to its end.
pub(crate) fn push<V: Visitor>(bytes: &[u8], mut visitor: V) -> V {
    let flow = sgf_stream::read_slice(bytes, &mut visitor).expect("lenient reading goes on");
    assert!(matches!(flow, ControlFlow::Continue(())));
    visitor
}

/// Reads a slice to its end with the configuration of the command.
pub(crate) fn repair<V: Visitor>(bytes: &[u8], mut visitor: V) -> V {
    let flow =
        Parser::with_config(Config::archives()).read_slice(bytes, &mut visitor).expect("lenient reading goes on");
    assert!(matches!(flow, ControlFlow::Continue(())));
    visitor
}

/// Reads in chunks of `len` bytes.
pub(crate) fn push_chunks<V: Visitor>(config: &Config, bytes: &[u8], len: usize, mut visitor: V) -> V {
    let mut parser = Parser::with_config(config.clone());
    for chunk in bytes.chunks(len) {
        let _ = parser.feed(chunk, &mut visitor).expect("lenient reading goes on");
    }
    let _ = parser.finish(&mut visitor).expect("lenient reading goes on");
    visitor
}
