//! Names that end in a character whose second byte is a backslash, in games that name no charset.
//!
//! Owns [`swallowed_end`]. By byte, the backslash escapes the `]` behind it, and the name goes on through the next property.
//! No guess at the game's charset is asked, as a guess may decide what text means, but not where it ends; the bytes of
//! the name and what follows them leave no doubt. Refuses to know which values are names.

use memchr::memchr_iter;

use super::follow::begins_property;
use crate::text::white::past_white;
use crate::text::{Charset, StepState, Steps, is_utf_8};

/// The longest value by byte that is examined, in bytes: a name and the property behind it. This bounds what a value costs
/// that ends before the `]` that was found for it.
const MAX_NAME: usize = 256;

/// Where a name ends that by byte goes on to the end of `raw`: at a `]` that a character of two bytes seems to escape, and
/// that a property of one or two capital letters follows.
pub(crate) fn swallowed_end(raw: &[u8]) -> Option<usize> {
    let close = find_swallowed(&raw[..raw.len().min(MAX_NAME + 1)]).filter(|_| raw.len() <= MAX_NAME)?;
    let closes = |charset: Charset| {
        let steps = Steps::of(charset)?;
        steps.close(&mut StepState::default(), &raw[..=close]).filter(|&at| at == close && charset.decodes(&raw[..at]))
    };
    let is_one = [Charset::SHIFT_JIS, Charset::BIG5, Charset::GBK].into_iter().any(|charset| closes(charset).is_some());
    (is_one && !is_utf_8(&raw[..close])).then_some(close)
}

/// The first `]` in these bytes that might be such an end.
pub(crate) fn find_swallowed(bytes: &[u8]) -> Option<usize> {
    let mut escapes = memchr_iter(b'\\', bytes).filter(|&at| at > 0 && bytes[at - 1] >= 0x80);
    escapes.find(|&at| bytes.get(at + 1) == Some(&b']') && has_property(&bytes[at + 2..])).map(|at| at + 1)
}

fn has_property(after: &[u8]) -> bool {
    let after = past_white(after);
    begins_property(after.strip_prefix(b";").map_or(after, past_white))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_a_bracket_that_its_last_character_seems_to_escape() {
        let cases: [(&[u8], Option<usize>); 12] = [
            (b"\x90\x5C\xE1\xC1\x83\x5C]BR[9p", Some(6)),
            (b"\x90\x5C]\n;B[pd", Some(2)),
            (b"\xA5\x5C]WR[", Some(2)),
            // Nothing follows that is not text.
            (b"\x83\x5C] and so on", None),
            (b"\x83\x5C]br[9p", None),
            (b"\x83\x5C]Black[9p", None),
            (b"\x83\x5C]", None),
            // The backslash belongs to no character.
            (b"\x83\x41\x5C]BR[9p", None),
            (b"a\x5C]BR[9p", None),
            ("é\\]BR[9p".as_bytes(), None),
            (b"a\\]\x83\x5C]BR[9p", Some(5)),
            (b"\xFF\x83\x5C]BR[9p", None),
        ];
        for (raw, expected) in cases {
            assert_eq!(swallowed_end(raw), expected, "{}", raw.escape_ascii());
        }
        let long = [b"\x83\x5C]C[".as_slice(), &[b'a'; MAX_NAME]].concat();
        assert_eq!((swallowed_end(&long), swallowed_end(&long[..MAX_NAME])), (None, Some(2)));
    }
}
