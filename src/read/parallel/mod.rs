//! Reading on all cores, with results that do not depend on how many there are.
//!
//! Owns the cutting of a source into blocks of whole games, and the order of the results. Knows what a game's beginning is
//! and nothing else of the grammar.
//!
//! There is no guessing: one pass at skip speed finds where games begin, under a lock, and the thread that has cut a block
//! out reads it, so that its bytes are still in the core's own cache. Such a block reads exactly as it would in a
//! sequential reading, positions included; nothing ever has to be repaired or read again.
//!
//! What that costs, measured on a gigabyte of mixed archives with `sgf scan`: one thread needs 0.86 s of processor time (0.1
//! of it to copy from the page cache), two need 0.94 s in all, so two cores can be 1.8 times as fast as one. What it bounds:
//! under the lock are the copy and the pass, 4.5 to 6 GB/s together, which is what a machine of any number of cores can
//! reach on one source; games of three bytes are read faster than found. Reading blocks from
//! anywhere and settling later what they were (inside a game the lexer has hardly any state) would lift that bound,
//! at the price of a second way through the grammar and a repair of positions; few disks are faster than it.

mod blocks;
mod ordered;
mod reader;
mod starts;

pub use blocks::{Block, Blocks};
pub use ordered::{NextJob, Turn, in_order};
pub use reader::ParallelReader;
pub use starts::{GameRange, GameStarts, ranges};
