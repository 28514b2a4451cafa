//! How much of anything the reader takes before it skips the rest.
//!
//! Owns [`Limits`]. A limit that is passed is a problem and a skipped range, never a fatal error; how it is raised is
//! the engine's business.

/// How much a reader takes before it skips the rest and reports that.
///
/// The default, meant for archives, bounds memory and nothing else. [`Limits::untrusted`] is for uploads from
/// strangers, read by consumers that collect and keep stacks.
///
/// | limit | default | untrusted | problem | against |
/// | --- | --- | --- | --- | --- |
/// | `value` | 1 MiB | 64 KiB | `value-too-long` | one `[` and no `]` |
/// | `depth` | none | 1,000 | `limit-depth` | stacks that a consumer keeps |
/// | `node_properties` | none | 1,000 | `limit-node` | consumers that collect |
/// | `property_values` | none | 10,000 | `limit-values` | the same |
/// | `game` | none | 16 MiB | `limit-game` | a stream that never ends a game |
/// | `problems` | none | 100 | `limit-problems` | logs that fill the disk |
///
/// The problems are those of a game: in the next, they count anew. None is `u64::MAX`, or `usize::MAX` for `value`. 0 lets
/// nothing through, but for a depth of 0, which counts as 1, empty values, and of a game of 0 bytes the beginning.
///
/// Identifiers are always limited to 32 bytes, and to 16 letters and digits without the small letters among capitals
/// (`identifier-too-long`).
///
/// One that is changed begins as one of the two:
///
/// ```
/// use sgf_stream::{Config, Limits};
///
/// let mut limits = Limits::untrusted();
/// limits.game = 1 << 20;
/// let config = Config::new().limits(limits);
/// # let _ = config;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Raw bytes of a value that is wanted whole. A longer one is skipped; values taken in parts have no limit. But no
    /// value is examined further to find out where it ends: in a game that declares GBK, GB18030, Big5 or Shift_JIS, a
    /// longer one that has such text is read by byte, and with [`EscapeUnit::Auto`](crate::text::EscapeUnit::Auto) so is
    /// the rest of the game (`escape-unit-changed`), however values are taken.
    pub value: usize,
    /// Depth of the deepest tree that is read; the game itself is 1. Deeper trees are skipped whole. 0 counts as 1.
    pub depth: u64,
    /// Properties of a node. The rest of the node is skipped.
    pub node_properties: u64,
    /// Values of a property. The further ones are skipped.
    pub property_values: u64,
    /// Bytes of a game. No token starts after this many; what is left of the game is skipped.
    pub game: u64,
    /// Problems reported from one game's start to the next. Further ones are only counted, by
    /// [`Parser::suppressed_problems`](crate::Parser::suppressed_problems).
    pub problems: u64,
}

impl Limits {
    /// For archives: only memory is bounded.
    pub const fn new() -> Self {
        Self {
            value: 1 << 20,
            depth: u64::MAX,
            node_properties: u64::MAX,
            property_values: u64::MAX,
            game: u64::MAX,
            problems: u64::MAX,
        }
    }

    /// For input from strangers: everything in a game is bounded. How many games there are is not, so a visitor that collects
    /// something of each, such as its problems, breaks when it has enough.
    pub const fn untrusted() -> Self {
        Self {
            value: 64 << 10,
            depth: 1_000,
            node_properties: 1_000,
            property_values: 10_000,
            game: 16 << 20,
            problems: 100,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
