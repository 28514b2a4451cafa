//! A game read alone gives the same events as in its stream.

#![no_main]

#[path = "../../tests/library/fuzz_replay/codecs.rs"]
mod codecs;
#[allow(dead_code, reason = "every target holds one property")]
#[path = "../../tests/library/fuzz_replay/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (input, control) = properties::split(data);
    codecs::codecs(input, &control);
});
