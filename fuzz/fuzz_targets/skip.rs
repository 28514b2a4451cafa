//! Whatever is skipped, the rest is delivered as if it had been read.

#![no_main]

#[allow(dead_code, reason = "every target holds one property")]
#[path = "../../tests/library/fuzz_replay/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (input, control) = properties::split(data);
    properties::skip(input, &control);
});
