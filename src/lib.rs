//! A streaming, event-based reader for SGF game records.

pub mod read;
pub mod syntax;
pub mod text;

#[doc(inline)]
pub use read::*;
#[doc(inline)]
pub use syntax::*;
