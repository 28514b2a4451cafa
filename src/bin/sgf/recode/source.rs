//! The source of `recode`, as far as it is at hand.
//!
//! Owns the bytes between what was written and what is yet to come, and finds them by offset. Refuses to know what they mean.

/// Bytes of the input that are not written yet.
#[derive(Default)]
pub(super) struct Source {
    bytes: Vec<u8>,
    /// How many of `bytes` are written.
    used: usize,
    /// Where the first of them stood.
    start: u64,
}

impl Source {
    pub(super) fn clear(&mut self) {
        *self = Self { bytes: std::mem::take(&mut self.bytes), ..Self::default() };
        self.bytes.clear();
    }

    /// The end, to which more is appended.
    pub(super) fn more(&mut self) -> &mut Vec<u8> {
        // Usually few bytes are left; if there are many, they are rarely moved.
        if self.used >= self.bytes.len() - self.used {
            self.bytes.drain(..self.used);
            self.start += self.used as u64;
            self.used = 0;
            self.bytes.shrink_to(1 << 20);
        }
        &mut self.bytes
    }

    /// Drops a byte order mark at the beginning, which has served its purpose.
    pub(super) fn drop_mark(&mut self) {
        if self.position() == 0 && self.bytes.starts_with("\u{FEFF}".as_bytes()) {
            self.used = '\u{FEFF}'.len_utf8();
        }
    }

    /// All that is at hand, written or not, and where it stood.
    pub(super) fn kept(&self) -> (&[u8], u64) {
        (&self.bytes, self.start)
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.used
    }

    pub(super) fn position(&self) -> u64 {
        self.start + self.used as u64
    }

    /// Whether these bytes stand at an offset.
    pub(super) fn has(&self, offset: u64, bytes: &[u8]) -> bool {
        let at = offset.checked_sub(self.start).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.bytes.get(at..)).is_some_and(|found| found.starts_with(bytes))
    }

    /// The available bytes between two offsets.
    pub(super) fn between(&self, start: u64, end: u64) -> &[u8] {
        let at = |offset: u64| {
            usize::try_from(offset.saturating_sub(self.start)).map_or(self.bytes.len(), |at| at.min(self.bytes.len()))
        };
        &self.bytes[at(start)..at(end.max(start))]
    }

    /// Takes the bytes up to an offset.
    pub(super) fn up_to(&mut self, offset: u64) -> &[u8] {
        let len = usize::try_from(offset.saturating_sub(self.position())).unwrap_or(usize::MAX).min(self.left());
        let from = self.used;
        self.used += len;
        &self.bytes[from..self.used]
    }
}
