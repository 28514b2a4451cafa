//! Waiting for what others do.

use std::thread;
use std::time::{Duration, Instant};

/// Waits until a condition is true: for what on a busy machine may take seconds.
#[track_caller]
pub(crate) fn until(mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it never came to that");
        thread::sleep(Duration::from_millis(5));
    }
}
