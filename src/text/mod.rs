//! What the bytes of a value mean as text.
//!
//! Owns escapes, soft line breaks, white space, and the splitting of composed values. All of it works on bytes: by the
//! byte rules, no byte of a character is ever taken for an escape in the charsets that are read in place. Refuses to
//! know tokens, sources and properties.

mod escape;

pub use escape::{simple_text, split_compose, text};

use std::borrow::Cow;

/// Bytes as UTF-8, borrowed where they are; what is not becomes U+FFFD.
pub(crate) fn decode(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
    }
}
