//! The iterators give the events that a visitor gets.

#![no_main]

#[path = "../../tests/library/fuzz_replay/batch.rs"]
mod batch;
#[allow(dead_code, reason = "every target holds one property")]
#[path = "../../tests/library/fuzz_replay/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (input, control) = properties::split(data);
    batch::batch(input, &control);
});
