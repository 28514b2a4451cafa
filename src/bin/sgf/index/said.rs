//! What was said already, so that a second pass over the same inputs does not say it again.
//!
//! Owns how much of that is remembered. Refuses to know what it means.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::session::{Message, Report};

/// The messages of the first pass.
#[derive(Default)]
pub(super) struct Said {
    hashes: HashSet<u64>,
    hasher: RandomState,
    /// The first pass is over.
    pub(super) is_again: bool,
}

impl Said {
    /// The most messages that are remembered: 20 MB. Others may come twice.
    const MOST: usize = 1 << 20;

    /// Leaves only messages that are new, or remembers them all.
    pub(super) fn leave_new(&mut self, report: &mut Report) {
        let Self { hashes, hasher, is_again } = self;
        report.messages.retain(|message| {
            let hash = match message {
                Message::Error(text, _) | Message::Note(text) | Message::NoGame(text) => hasher.hash_one(text),
                Message::Failure { name, reason } => hasher.hash_one((name.as_str(), reason)),
            };
            if !*is_again && hashes.len() < Self::MOST {
                hashes.insert(hash);
            }
            !*is_again || !hashes.contains(&hash)
        });
    }
}
