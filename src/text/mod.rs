//! What the bytes of a value mean as text.
//!
//! Owns charsets and their labels, escapes, soft line breaks, white space, and the splitting of composed values. Of tokens it knows
//! only what may follow a value, because that tells the readings of a value apart. Refuses to know sources, and what properties mean.
//!
//! [`Writing`] says how a value is written, and converts it to text and back. The functions here do the same for bytes
//! of UTF-8, or of any charset by the byte rules.

mod aliases;
mod alphabets;
mod charset;
mod close;
mod decide;
mod declared;
pub(crate) mod escape;
mod familiar;
mod fit;
mod follow;
mod garbled;
mod guess;
mod judge;
mod label;
mod learnt;
mod lost;
mod neighbours;
mod offsets;
mod pairs;
mod recode;
mod sample;
mod seven_bit;
mod spelling;
mod statistics;
mod step;
mod stream;
mod swallowed;
mod units;
mod utf8;
pub(crate) mod white;
mod wide;
mod writing;

pub(crate) use charset::hides_nothing;
pub use charset::{Charset, EncodeError};
pub(crate) use close::{Closed, Closer, Unclosed};
pub(crate) use decide::{CharsetOfGame, LabelTrouble, Stream};
pub use escape::{escape, escape_compose, join_compose, simple_text, split_compose, text};
pub(crate) use fit::mostly_decodes;
pub(crate) use follow::{
    Follow, IDENTIFIER, Meeting, WINDOW, find_node, followed, is_plainly_followed, property_behind_junk,
};
pub(crate) use garbled::Garbled;
pub(crate) use judge::Asks;
pub use label::LabelError;
pub use learnt::Charsets;
pub(crate) use learnt::{How, Learnt};
pub(crate) use lost::{SHORT, cut_end, lost_end};
pub(crate) use neighbours::Neighbours;
pub(crate) use offsets::{OffsetMap, Offsets};
pub(crate) use step::{State as StepState, Steps};
pub use stream::{StreamRecoder, recode_stream};
pub(crate) use swallowed::{find_swallowed, swallowed_end};
pub(crate) use utf8::{is_certain_utf_8, is_utf_8};
pub(crate) use wide::{Onward, Recoder, Taken};
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
