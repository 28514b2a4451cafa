//! Archives: a path, a directory, a pattern or standard input becomes a stream of members, each with a name and a reader.
//!
//! How much may be unpacked is bounded by [`Limits`]. Nothing is ever written under a name that an archive gives.
//!
//! Formats are recognised by their first bytes, never by the name alone: gzip, zstd, xz, lzma, lzip, bzip2 and lz4 with
//! all their members and frames, tar, zip, 7z and its volumes, nested up to [`Limits::nesting`]. Names only choose what
//! is read: of a directory or an archive, what [`Picks`] takes.
//!
//! ```
//! use std::io::Read;
//! use sgf_stream::archive::{Opener, Source};
//! # use std::io::Write;
//! # let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
//! # gzip.write_all(b"(;B[pd])")?;
//! # let bytes = gzip.finish()?;
//!
//! // `bytes` may be a gzip file, a zip archive, a tar of either: whatever it is.
//! let mut members = Opener::new().members("upload", Source::stream(std::io::Cursor::new(bytes)));
//! let mut games = String::new();
//! while let Some(member) = members.next_member() {
//!     match member {
//!         // A damaged member costs itself: others may follow.
//!         Ok(mut member) => {
//!             if let Err(error) = member.read_to_string(&mut games) {
//!                 eprintln!("{}: {error}", member.name());
//!             }
//!         }
//!         // What can't be read at all, or a warning.
//!         Err(report) => eprintln!("{report}"),
//!     }
//! }
//! assert_eq!(games, "(;B[pd])");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | face | for |
//! | --- | --- |
//! | [`Opener::open`], [`Opener::members`] | pulling members, which are unpacked ahead on a thread of their own; also for `ParallelReader` |
//! | [`Opener::visit`] | a call for each member on the calling thread, without copies; not for [`ParallelReader`](crate::ParallelReader) |
#![cfg_attr(
    feature = "tokio",
    doc = "| [`Opener::members_async`], [`Opener::open_async`] | members as `AsyncRead`, from any `AsyncRead` |"
)]
//! | [`Walk`] | the files of a directory alone |

// Owns what is compressed, what is packed and what lies in directories, and how much of it may be unpacked. Refuses to know SGF; of
// a game record it knows the extensions that file names have.

mod ahead;
#[cfg(feature = "tokio")]
mod aio;
mod arrivals;
mod behind;
mod buffered;
mod bzip2;
mod checked;
mod deflate64;
mod error;
mod format;
mod frames;
mod gzip;
mod limits;
mod lz4;
mod members;
mod name;
mod opener;
mod opening;
mod pattern;
mod picks;
mod salvage;
mod seekable;
mod seen;
mod seven;
mod skip;
mod source;
mod sparse;
mod tar;
mod unsupported;
mod walk;
mod window_size;
mod zip;

#[cfg(feature = "tokio")]
pub use aio::{AsyncMember, AsyncMembers};
pub use error::{Error, Trouble};
pub use format::{Format, HEAD_LEN};
pub use limits::Limits;
pub use members::{Member, Members, Report};
pub use name::{Name, is_controlling, shown};
pub use opener::{Opener, Visit};
pub use picks::{PatternError, Picks, is_game};
pub use seekable::volumes;
pub use seen::Seen;
pub use skip::Skip;
pub use source::Source;
pub use unsupported::Unsupported;
pub use walk::{Found, Walk};

// For the command alone: nothing here is promised to others.
#[doc(hidden)]
pub use behind::is_behind;
#[doc(hidden)]
pub use format::head_of;
#[doc(hidden)]
pub use pattern::is_pattern;
#[doc(hidden)]
pub use picks::is_misnamed;
#[doc(hidden)]
pub use seekable::{first_volume, is_split_zip, is_volume, temp_dir};
#[doc(hidden)]
pub use walk::Named;
