//! The choices a reader is built with.
//!
//! Owns [`Config`]; what the choices do is the engine's business.

use crate::syntax::Limits;
use crate::text::{Charsets, EscapeUnit};

/// How a reader reads: leniently and within [`Limits::new`], unless told otherwise.
///
/// ```
/// use sgf_stream::{Config, Limits};
///
/// let config = Config::new().strict(true).limits(Limits::untrusted());
/// # let _ = config;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Config {
    pub(crate) strict: bool,
    pub(crate) limits: Limits,
    pub(crate) charsets: Charsets,
    pub(crate) escape_unit: EscapeUnit,
    pub(crate) check_text: bool,
    pub(crate) remember_charsets: bool,
    pub(crate) repair_brackets: bool,
    /// The labels of games that are passed over are looked for: whoever cuts a source has to know them.
    pub(crate) watch_labels: bool,
    pub(crate) resync: bool,
    pub(crate) cap_values: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl Config {
    /// Lenient, with the limits for archives.
    pub const fn new() -> Self {
        Self {
            strict: false,
            limits: Limits::new(),
            charsets: Charsets::Declared,
            escape_unit: EscapeUnit::Byte,
            check_text: false,
            remember_charsets: true,
            repair_brackets: false,
            watch_labels: false,
            resync: false,
            cap_values: false,
        }
    }

    /// With `true`, the first problem is a fatal error. Nothing before it changes: the events are those of lenient
    /// reading.
    #[must_use]
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Where the charset of a game's text comes from; as declared, unless said otherwise.
    #[must_use]
    pub const fn charsets(mut self, charsets: Charsets) -> Self {
        self.charsets = charsets;
        self
    }

    /// What a backslash escapes in a game whose charset is GBK, GB18030, Big5 or Shift_JIS, and so where a value ends there;
    /// bytes, unless said otherwise.
    #[must_use]
    pub const fn escape_unit(mut self, unit: EscapeUnit) -> Self {
        self.escape_unit = unit;
        self
    }

    /// With `true`, all text of a game is held against its charset, and not only its first 2 KiB that are not ASCII.
    ///
    /// What is found wrong is a problem, `undecodable-text` or `charset-contradicted`. Checking costs about as much as
    /// decoding.
    #[must_use]
    pub const fn check_text(mut self, all: bool) -> Self {
        self.check_text = all;
        self
    }

    /// With `false`, no guess is made from the games that came before, so that each game reads alone as it does among others.
    #[must_use]
    pub const fn remember_charsets(mut self, remember: bool) -> Self {
        self.remember_charsets = remember;
        self
    }

    /// With `true`, a `]` without a backslash closes a text only where what comes after it may follow a value; elsewhere it
    /// is taken as text, with the problem `unescaped-bracket`: `C[name [12k]: hi]` then reads as it was meant. Three things end
    /// a text all the same, at one of its first four `]` that leaves none of its own `[` open. No text goes on with a node, a `;`
    /// and a property of one or two letters: one that would ends at the first such `]`, or at the first of all. No line of a
    /// header, as a name or a date, goes on with a property of one or two letters, whatever stands between them but brackets.
    /// And where a `)` behind such a `]` ends the game and a line, what follows may be a game that has lost its beginning.
    ///
    /// For the properties whose values are Text or SimpleText by the standard. In GBK, GB18030, Big5 and Shift_JIS, where a `]`
    /// may be half of a character, that holds for the one that closes the text by its characters, and for those after it. Up
    /// to 64 bytes behind a value are looked at before it is told, or up to [`Limits::value`](crate::Limits::value) where
    /// nothing that may follow comes. What is passed over ends where reading it would.
    #[must_use]
    pub const fn repair_brackets(mut self, repair: bool) -> Self {
        self.repair_brackets = repair;
        self
    }

    /// For cutting a source, where damage is nobody's business and labels are.
    pub(crate) const fn cutting(mut self) -> Self {
        self.strict = false;
        self.watch_labels = true;
        // Text that nobody looked at is no neighbour.
        self.remember_charsets = false;
        self
    }

    /// With `true`, a game that was cut off costs itself and not the rest of the archive: where another game begins inside of it,
    /// it has ended, with the problem `truncated-game`, and a value that is open there is given up, with `unterminated-value`.
    ///
    /// A game begins there at a `(;` whose node looks like a root: two of its first six properties, within 4 KiB, are of the
    /// game's header (`FF GM SZ CA AP ST PB PW EV DT RE KM BR WR GN SO RO PC US CP RU TM HA`). That is enough inside a value and
    /// after an identifier without a value. An empty node may stand before that node. Elsewhere there are healthy collections whose variations carry root properties, so
    /// one of two more things must be true. Either the `(` is the first byte of its line but for blanks, one of the properties
    /// one of the first six of that list, and no earlier child tree of the game is like that unless this one names players, date
    /// or result (`PB PW DT RE` among its first sixteen properties). Or it names these and has two of those six, or the root of the
    /// game, at most 2 MiB before, has named them: by the standard no way from the root to a leaf has them twice.
    ///
    /// Up to 4 KiB behind such a `(` are looked at before its tree is told. What is passed over ends where reading it would.
    #[must_use]
    pub const fn resync(mut self, resync: bool) -> Self {
        self.resync = resync;
        self
    }

    /// With `true`, a value of a move, point or number property that runs over a line break into `(;` was never closed: it is
    /// given up, with the problem `unterminated-value`, and the next game begins there.
    ///
    /// Only where the value begins within the 64 bytes before.
    #[must_use]
    pub const fn cap_values(mut self, cap: bool) -> Self {
        self.cap_values = cap;
        self
    }

    /// What is read before the rest is skipped.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
