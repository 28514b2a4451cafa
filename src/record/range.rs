//! A range as somebody asks for it: `A..B`, `A..` or `..B`.
//!
//! Owns where one end stops and the other begins. Refuses to know what the ends are.

/// The texts of both ends, each of which is in the range; of one that is left out, `None`. A text without two dots is both
/// its ends. `None` for two dots alone, and for three, of which nobody knows which two make the range.
pub(super) fn ends(text: &str) -> Option<(Option<&str>, Option<&str>)> {
    fn end(text: &str) -> Option<&str> {
        Some(text.trim()).filter(|text| !text.is_empty())
    }
    let Some((from, to)) = text.split_once("..") else { return Some((Some(text), Some(text))) };
    let ends = (end(from), end(to));
    (ends != (None, None) && !text.contains("...")).then_some(ends)
}
