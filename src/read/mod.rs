//! Readers of sources: blocking and asynchronous, on one core and on all, and a codec that cuts a stream into games.
//!
//! Each is a loop around [`Parser`](crate::Parser), and all of them give the same events. What is here is also at the root
//! of the crate, which has a table of what each is for.

// Owns the drivers of sources. Refuses to know the grammar, except where a source is cut for many cores: there `parallel`
// guesses where a game or a tree begins, and the parser says whether that was right.

#[cfg(feature = "tokio")]
mod aio;
mod blocking;
#[cfg(feature = "tokio")]
mod codec;
mod page;
mod parallel;

#[cfg(feature = "tokio")]
pub use aio::AsyncReader;
pub use blocking::Reader;
#[cfg(feature = "tokio")]
pub use codec::{Frame, Game, GameDecoder};
pub use parallel::{Block, Blocks, GameRange, GameStarts, ParallelReader, Partial, ranges};

// For the command alone: nothing here is promised to others.
#[doc(hidden)]
pub use page::PageBuffer;
#[doc(hidden)]
pub use parallel::{NextJob, Turn, in_order};

/// Bytes that a reader takes from its source at once.
///
/// Measured on a warm page cache: a tokio file yields 0.5 to 0.8 GB/s into its customary 8 to 16 KiB and 5 to 6 GB/s into
/// 256 KiB to 1 MiB; plain `read` is near its best from 64 KiB on. The smaller of the good sizes stays in the second-level
/// cache.
pub(crate) const BUFFER_LEN: usize = 256 << 10;
