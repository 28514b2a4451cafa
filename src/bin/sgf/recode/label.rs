//! The label of a game that is in UTF-8, and what of a CA it takes the place of.
//!
//! Refuses to know where in a game it stands.

use sgf_stream::Charset;

pub(super) const LABEL: &[u8] = b"UTF-8";
pub(super) const PROPERTY: &[u8] = b"CA[UTF-8]";

/// The longest value of CA, in bytes, that may be nothing but a label.
const LONGEST_LABEL: usize = 64;

/// Whether a value of CA is a label, known or not, and nothing else. One that nobody closed goes on into what comes after it.
pub(super) fn is_only_label(raw: &[u8]) -> bool {
    let label = raw.trim_ascii();
    label.len() <= LONGEST_LABEL
        && label.iter().all(|byte| byte.is_ascii() && *byte != b'[')
        // `Chinese (GB2312)` and `text/html; charset=GBK` are labels, too.
        && (!label.iter().any(|byte| b"\n\r;(".contains(byte)) || Charset::for_label(label).is_ok())
}
