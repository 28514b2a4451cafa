//! How much of a game's text is checked.
//!
//! Owns [`Checked`], which counts the values that were checked. Invariant: the count depends on the values alone,
//! however they are cut, and however often each is fed. Refuses to know what a check is.

/// How many bytes of a game's text are checked, not counting ASCII values, unless all are to be. The names and the
/// first comments show whether a charset is right; checking all of a long text takes longer than reading it.
const ENOUGH: u64 = 2 << 10;

/// What was checked of the text of the game in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    /// All text is checked.
    all: bool,
    /// Bytes that are still to be checked.
    left: u64,
    /// Values that begin before this offset are counted.
    counted: u64,
    /// The offset of the value of which a part was checked last, and whether all checked parts of it were text.
    part: Option<(u64, bool)>,
}

impl Checked {
    pub(super) fn new(all: bool) -> Self {
        Self { all, left: ENOUGH, counted: 0, part: None }
    }

    pub(super) fn begin_game(&mut self) {
        self.left = ENOUGH;
    }

    /// The value at this offset, of this length, was checked. True if enough text has been checked.
    #[inline]
    pub(super) fn count(&mut self, offset: u64, len: u64) -> bool {
        if !self.all && offset >= self.counted {
            self.counted = offset + 1;
            self.left = self.left.saturating_sub(len);
        }
        self.left == 0
    }

    /// A part of the value at this offset was checked.
    pub(super) fn note_part(&mut self, offset: u64, decodes: bool) {
        self.part = Some((offset, decodes && self.part != Some((offset, false))));
    }

    /// Whether parts of the value at this offset were checked, and all of them were text.
    pub(super) fn is_text_in_parts(&self, offset: u64) -> bool {
        self.part == Some((offset, true))
    }
}
