//! What the bytes of a value mean as text: charsets and their labels, escapes, soft line breaks, composed values.
//!
//! [`Writing`] says how a value is written, and converts it to text and back. The functions here do the same for bytes
//! of UTF-8, or of any charset by the byte rules.

// Owns charsets and their labels, escapes, soft line breaks, white space, and the splitting of composed values. Of tokens it knows
// only what may follow a value, because that tells the readings of a value apart. Refuses to know sources, and what properties
// mean.
//
// Each module uses only those before it: `white` and `escape`; `charset`, what charsets are; `writing`; `guess`, which
// charset a text seems to be in; `decide`, which one a game is in; `ends`, where a value ends; `stream`, whole streams as UTF-8.

mod charset;
mod decide;
mod ends;
pub(crate) mod escape;
mod guess;
mod stream;
pub(crate) mod white;
mod writing;

pub(crate) use charset::hides_nothing;
pub use charset::label::LabelError;
pub(crate) use charset::step::{State as StepState, Steps};
pub(crate) use charset::valid::is_utf_8;
pub use charset::{Charset, EncodeError};
#[cfg(feature = "archive")]
pub(crate) use decide::file_name::file_name;
pub(crate) use decide::judge::Questions;
pub use decide::learnt::Charsets;
pub(crate) use decide::learnt::{How, Learnt};
pub(crate) use decide::neighbours::Neighbours;
pub(crate) use decide::utf8::is_certain_utf_8;
pub(crate) use decide::{CharsetOfGame, LabelTrouble, Stream};
pub(crate) use ends::close::{Closed, Closer, Unclosed};
pub(crate) use ends::follow::{
    FOLLOW_WINDOW, Follow, MAX_IDENTIFIER, Meeting, are_stray, find_node, followed, is_damaged_property,
    is_plainly_followed, past_escaped_ends, property_behind_junk, property_behind_stray, value_behind_stray,
};
pub(crate) use ends::garbled::Garbled;
pub(crate) use ends::lost::{Form, MAX_SHORT_VALUE, cut_end, ends_in_property, lost_end};
pub(crate) use ends::stray::mark as stray_mark;
pub(crate) use ends::swallowed::{find_swallowed, swallowed_end};
pub use escape::{escape, escape_compose, join_compose, simple_text, split_compose, text};
pub(crate) use guess::fit::mostly_decodes;
pub(crate) use stream::offsets::{OffsetMap, Offsets};
pub(crate) use stream::wide::{Continuation, Recoder, Taken};
pub use stream::{StreamRecoder, recode_stream};
pub use writing::{EscapeUnit, Writing};

use std::borrow::Cow;

/// The byte order mark in UTF-8.
pub(crate) const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

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
