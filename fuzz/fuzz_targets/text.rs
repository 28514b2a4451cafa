//! Text is the same however it is read.

#![no_main]

#[allow(dead_code, reason = "every target holds one property")]
#[path = "../../tests/library/fuzz_replay/properties.rs"]
mod properties;
#[path = "../../tests/library/fuzz_replay/text.rs"]
mod text;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (input, control) = properties::split(data);
    text::text(input, &control);
});
