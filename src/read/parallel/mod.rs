//! Reading on all cores, with results that do not depend on how many there are.
//!
//! Owns the cutting of a source into blocks of whole games, and the order of the results. Knows what a game's beginning is
//! and nothing else of the grammar.
//!
//! There is no guessing: one pass at skip speed finds where games begin, under a lock, and each thread that has cut a block
//! out reads it, so that its bytes are still in the core's own cache. Such a block reads exactly as it would in a
//! sequential reading, positions included, and nothing ever has to be repaired or read again. Reading blocks from anywhere
//! and settling later what they were (inside a game the lexer has hardly any state) would save the pass, at the price of a
//! second way through the grammar and an ordered repair of positions; what it costs is the last part of the README's table.

mod blocks;
mod ordered;
mod reader;
mod starts;

pub use blocks::{Block, Blocks};
pub use ordered::{Next, Turn, in_order};
pub use reader::ParallelReader;
pub use starts::{GameStarts, Range, ranges};
