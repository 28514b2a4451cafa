//! What the unit tests share. Any module may use it.

#[path = "../tests/support/rng.rs"]
mod rng;

pub(crate) use rng::Rng;
