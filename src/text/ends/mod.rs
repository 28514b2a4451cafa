//! Where a value ends, if the first `]` may not be its end.
//!
//! Owns the readings of a value and what tells them apart, which is what comes behind each. A value may be read by byte or by
//! character (`close`; `garbled` remembers text that neither way is text), its `]` may be missing (`lost`), or its last
//! character may seem to escape it (`swallowed`). Of the grammar it knows only what may follow a value (`follow`), perhaps behind
//! bytes that belong to no token (`stray`). Invariant: the
//! answer depends on the bytes alone, not on how they came, and a search is bounded or leaves what it found for the next.
//! Refuses to know who holds the bytes, and which values are names, texts or moves.

pub(super) mod close;
pub(super) mod follow;
pub(super) mod garbled;
pub(super) mod lost;
pub(super) mod stray;
pub(super) mod swallowed;
