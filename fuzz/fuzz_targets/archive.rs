//! Whatever bytes are opened as an archive, the same comes out of them by every way, within the limits.

#![no_main]

#[path = "../../tests/library/fuzz_replay/archive.rs"]
mod archive;
#[allow(dead_code, reason = "every target holds one property")]
#[path = "../../tests/library/fuzz_replay/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The first bytes say what it is, so the control comes last, and takes no part of a real archive.
    let (input, control) = archive::split(data);
    archive::archive(input, &control);
});
