//! The values of a stretch that are not ASCII.
//!
//! Owns [`Noted`], the places of the first of them, noted by a look that has gone past them all; and [`Values`], which
//! yields these and finds the others. Invariant: they are the values that the byte rules make of the stretch, whatever
//! was noted, except that a value goes on behind a `]` that its last character seems to have hidden, and that damaged moves
//! and points are not noted.

use memchr::memchr2;

use crate::syntax::scan::{find_close, plain_value};
use crate::text::{Follow, followed, is_plainly_followed};

/// How many values are noted: the names, a place, an event. The search for more starts behind them.
const MAX_NOTED: usize = 8;

/// Where the first values that are not ASCII stand in the bytes that were looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    /// The first byte of each, and its `]`.
    places: [(u32, u32); MAX_NOTED],
    len: u8,
    /// All values so far that are not ASCII are noted.
    is_all: bool,
}

impl Noted {
    pub(super) fn new() -> Self {
        Self { places: [(0, 0); MAX_NOTED], len: 0, is_all: true }
    }

    /// The next look begins.
    pub(super) fn clear(&mut self) {
        (self.len, self.is_all) = (0, true);
    }

    /// Notes the next value.
    pub(super) fn note(&mut self, start: usize, close: usize) {
        let place = self.places.get_mut(usize::from(self.len)).filter(|_| self.is_all);
        if let (Some(place), Ok(start), Ok(close)) = (place, u32::try_from(start), u32::try_from(close)) {
            *place = (start, close);
            self.len += 1;
        } else {
            self.is_all = false;
        }
    }

    /// The look has left the byte rules, so what comes cannot be noted.
    pub(super) fn stop(&mut self) {
        self.is_all = false;
    }

    #[cfg(test)]
    pub(super) fn is_all(&self) -> bool {
        self.is_all
    }

    /// The values in the bytes that were looked at; `is_open`: the bytes end inside a value.
    pub(super) fn values<'a>(&'a self, bytes: &'a [u8], is_open: bool) -> Values<'a> {
        let noted = &self.places[..usize::from(self.len)];
        let known =
            if self.is_all && !is_open { bytes.len() } else { noted.last().map_or(0, |&(_, close)| close as usize) };
        Values { bytes, noted, rest: &bytes[known..] }
    }
}

/// The values in a stretch of bytes that are not ASCII, as the byte rules end them.
#[derive(Clone)]
pub(super) struct Values<'a> {
    bytes: &'a [u8],
    noted: &'a [(u32, u32)],
    /// The bytes behind the noted values; they begin outside a value.
    rest: &'a [u8],
}

impl<'a> Iterator for Values<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if let Some((&(start, close), noted)) = self.noted.split_first() {
            self.noted = noted;
            let (start, close) = (start as usize, close as usize);
            return self.bytes.get(start..).map(|bytes| whole(bytes, close - start));
        }
        loop {
            // It is near: a call of memchr would take longer than the whole name does.
            let open = self.rest.iter().position(|&byte| byte == b'[')?;
            let rest = &self.rest[open + 1..];
            if let Some((len, true)) = rest.first_chunk().and_then(plain_value) {
                self.rest = &rest[len..];
                continue;
            }
            let close = find_close(rest, &mut false).unwrap_or(rest.len());
            self.rest = &rest[close..];
            if !rest[..close].is_ascii() {
                return Some(whole(rest, close));
            }
        }
    }
}

/// The value at the start of `bytes` that the `]` at `close` ends by byte. If that `]` follows half of a character, and no SGF
/// follows, it is the other half: without it, and what stands behind it, no guess about a name of two characters is right.
fn whole(bytes: &[u8], mut close: usize) -> &[u8] {
    while bytes[..close].last().is_some_and(|byte| !byte.is_ascii())
        && let Some(after) = bytes.get(close + 1..)
        && !is_plainly_followed(after)
        && matches!(followed(after, true), Some(Follow::Text | Follow::Tree))
        && let Some(next) = memchr2(b'[', b']', after).filter(|&at| after[at] == b']')
    {
        close += 1 + next;
    }
    &bytes[..close]
}
