//! Whatever is skipped, the events of the rest are the same.

#![no_main]

#[allow(dead_code, reason = "every target holds one property")]
#[path = "../../tests/library/fuzz_replay/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (input, control) = properties::split(data);
    properties::skip(input, &control);
});
