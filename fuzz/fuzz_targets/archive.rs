//! Archives read the same however they are opened, and within their limits.

#![no_main]

#[path = "../../tests/library/fuzz_replay/archive.rs"]
mod archive;
#[allow(dead_code, reason = "every target holds one property")]
#[path = "../../tests/library/fuzz_replay/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The first bytes decide the format, so the control comes last. It is not part of the archive.
    let (input, control) = archive::split(data);
    archive::archive(input, &control);
});
