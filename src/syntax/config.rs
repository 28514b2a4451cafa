//! The choices a reader is built with.
//!
//! Owns [`Config`]; what the choices do is the engine's business.

use crate::syntax::Limits;
use crate::text::{Charsets, EscapeUnit};

/// How a reader reads. By default, damage is reported and reading goes on, within [`Limits::new`].
///
/// By default nothing is guessed and nothing is repaired: a game is what its brackets say. Most archives are read better
/// with [`archives`](Self::archives).
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
    /// Labels are searched for also in games that are skipped, because whoever cuts a source has to know them.
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
    /// Guesses nothing and repairs nothing; see [`archives`](Self::archives). Damage is reported, and reading goes on. The
    /// limits are [`Limits::new`].
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

    /// As the command `sgf` reads: as a person would make sense of what archives hold.
    ///
    /// Charsets that are not declared are guessed ([`Charsets::Auto`]), and what a backslash escapes is worked out
    /// ([`EscapeUnit::Auto`]). Games that were cut off end where the next one begins ([`resync`](Self::resync),
    /// [`cap_values`](Self::cap_values)), and brackets that nobody has escaped are text
    /// ([`repair_brackets`](Self::repair_brackets)). All else is as in [`new`](Self::new). For input from strangers, add
    /// [`Limits::untrusted`]. On a connection that stays open, turn `repair_brackets` off: it looks at what comes after
    /// a value, so a game that ends in a text would be known only when the next one comes. The same holds for the last text
    /// of a game in GBK, GB18030, Big5 or Shift_JIS that has a character with a bracket or a backslash in it: whether that
    /// is a character shows in what comes next. [`EscapeUnit::Byte`] does not wait for brackets.
    ///
    /// ```
    /// use sgf_stream::{Config, Event, events};
    ///
    /// // The first game has lost its end.
    /// let archive = b"(;GM[1]PB[Dosaku];B[pd]\n(;GM[1]PB[Shusaku];B[qd])\n(;GM[1]PB[Jowa];B[dc])\n";
    /// let games = |config: Config| {
    ///     let depths = events(archive).config(config).filter_map(|event| match event {
    ///         Ok(Event::Enter(tree)) => Some(tree.depth()),
    ///         _ => None,
    ///     });
    ///     depths.filter(|&depth| depth == 1).count()
    /// };
    /// assert_eq!((games(Config::new()), games(Config::archives())), (1, 3));
    /// ```
    pub const fn archives() -> Self {
        Self::new()
            .charsets(Charsets::Auto)
            .escape_unit(EscapeUnit::Auto)
            .repair_brackets(true)
            .resync(true)
            .cap_values(true)
    }

    /// With `true`, the first problem is a fatal error. The events before it are those of lenient reading. Off by
    /// default.
    #[must_use]
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Where the charset of a game's text comes from; by default, from what the game declares
    /// ([`Charsets::Declared`]).
    ///
    /// What reads blocks or games alone ([`ParallelReader::read`](crate::ParallelReader::read),
    /// [`GameStarts`](crate::GameStarts)) does not know the first game, so there [`Charsets::Once`] is about what is read alone.
    #[must_use]
    pub const fn charsets(mut self, charsets: Charsets) -> Self {
        self.charsets = charsets;
        self
    }

    /// What a backslash escapes in a game whose charset is GBK, GB18030, Big5 or Shift_JIS, and therefore where a value
    /// ends there; by default, a byte ([`EscapeUnit::Byte`]).
    ///
    /// A charset that is only guessed never decides where a value ends, but for the names that
    /// [`repair_brackets`](Self::repair_brackets) tells of. Whoever knows the charset [forces](Charsets::Forced) it.
    #[must_use]
    pub const fn escape_unit(mut self, unit: EscapeUnit) -> Self {
        self.escape_unit = unit;
        self
    }

    /// With `true`, all text that is delivered of the first 2 MiB of a game is checked against its charset, and not only
    /// the first 2 KiB that are not ASCII. Values that a visitor skips are not, here as in [`strict`](Self::strict)
    /// reading. Pieces of longer values than 64 KiB in charsets of two bytes, taken in [parts](crate::Deliver::Parts),
    /// are not. Off by default.
    ///
    /// Faults are reported as the problems `undecodable-text` and `charset-contradicted`. Checking costs about as much
    /// as decoding.
    #[must_use]
    pub const fn check_text(mut self, all: bool) -> Self {
        self.check_text = all;
        self
    }

    /// With `false`, the games that came before tell nothing, so each game reads the same alone as among others: charsets
    /// are guessed from its own text, and [`Charsets::Once`] is the same as [`Charsets::Declared`]. On by default.
    #[must_use]
    pub const fn remember_charsets(mut self, remember: bool) -> Self {
        self.remember_charsets = remember;
        self
    }

    /// With `true`, a `]` without a backslash closes a text only if what follows may follow a value, or if the text is
    /// empty. Otherwise it is taken as text, and the first of a text is the problem `unescaped-bracket`:
    /// `C[name [12k]: hi]` then reads as it was meant. A property of small letters may follow a `;`, but not
    /// the `]` itself: `[he]y[ho]` is more likely text. Off by default. In four cases a text ends all the same, at one
    /// of its first four `]` that leaves none of its own `[` open:
    ///
    /// - The text would run on into a node: a `;` and a property of one or two letters. If it has no such `]`, it ends
    ///   at its first one.
    /// - The text is one line of a header, such as a name or a date: `PB[a]P#[b]RE[c]` costs one property. (Of 8,166 public files,
    ///   104 names have such a `]`. None of them goes on behind it; most are written twice.) If that `]` may be half of a
    ///   character, a property of one or two letters must follow, whatever stands between them except brackets.
    /// - Behind the `]` a few stray bytes come and a property of one or two letters, or directly a name whose second
    ///   letter is damaged: `C[a]L#[na]`. If what has carried the file has left a mark there, such as `<br>`, `&nbsp;`, U+00A0
    ///   or a line end, nodes and trees may begin and end before that property: `C[a]<br>(;B[aa])`.
    /// - A `)` after such a `]` ends the game and a line: what follows may be a game that has lost its beginning.
    ///
    /// This is for properties whose values are Text or SimpleText by the standard and written by people: not for CA and
    /// AP. In GBK, GB18030, Big5 and Shift_JIS, where a `]` may be half of a character, it holds for the `]` that closes
    /// the text when read by characters, and for those after it.
    ///
    /// With [`Charsets::Auto`] and [`EscapeUnit::Auto`], a line of a header also ends at a `]` before which a character of
    /// GBK, Big5 or Shift_JIS has a backslash for its second byte, if a property of one or two letters follows, whose value
    /// ends within 256 bytes: `PB[申眞ソ]BR[9p]` in a game that names no charset.
    ///
    /// With [`cap_values`](Self::cap_values), too, any text of at most 4 KiB ends like that before a `;` and a property with a
    /// value of less than 16 bytes.
    ///
    /// With [`cap_values`](Self::cap_values), too, what looks like a time at the beginning of a line is no second value of a move:
    /// `[12:34]`, as programs write it before what somebody says. It is `value-without-property`.
    ///
    /// Bytes that no rule knows do not end a list of points or labels: `AB[aa]][bb]` has two stones. Nor do up to eight
    /// of them, line ends and tags such as `<br>` among them, part a known name of one or two capitals from its value:
    /// `B=\n[aa]` is a move. One alone behind a single letter does, and so does a `>` right behind the name.
    ///
    /// Up to 64 bytes after a value are looked at before it is delivered, or up to [`Limits::value`](crate::Limits::value)
    /// if nothing comes that may follow a value. What is skipped ends where reading it would end.
    #[must_use]
    pub const fn repair_brackets(mut self, repair: bool) -> Self {
        self.repair_brackets = repair;
        self
    }

    /// For cutting a source: damage is reported by whoever reads the pieces, but labels must be seen even in skipped games.
    pub(crate) const fn cutting(mut self) -> Self {
        self.strict = false;
        self.watch_labels = true;
        // Text that was not examined cannot influence other games.
        self.remember_charsets = false;
        self
    }

    /// With `true`, a game that was cut off costs itself and not the rest of the archive. Where another game begins
    /// inside it, it ends, with the problem `truncated-game`. A value that is open there is given up, with
    /// `unterminated-value`. Off by default.
    ///
    /// A game begins at a `(;` whose node looks like a root: two of its first six properties, within 4 KiB, belong to a
    /// game's header (`FF GM SZ CA AP ST PB PW EV DT RE KM BR WR GN SO RO PC US CP RU TM HA`), and it does not
    /// begin with a move of Go and anything else: variations do, and no program writes such a root. An empty node may stand
    /// before that node, or one with nothing but one of the first six, with a short value; and behind the first of these
    /// properties, up to 64 stray bytes do not matter, such as those behind a bracket that nobody has escaped. Inside a value, and
    /// after an identifier without a value, that is enough. Elsewhere it is not, because there are healthy collections whose
    /// variations carry root properties. There, one of these must also be true:
    ///
    /// - The `(` is the first byte of its line except for up to 63 blanks; one of the properties is one of the first six of
    ///   that list; and no earlier child tree of the game is like that, unless this one names players, date or result
    ///   (`PB PW DT RE` among its first sixteen properties).
    /// - It names players, date or result, and either has two of those first six or stands in a game whose root, at
    ///   most 2 MiB before, looks like one and has named them too. By the standard, no path from the root to a leaf has
    ///   them twice.
    ///
    /// Up to 12 KiB after such a `(`, and usually some hundred bytes, are looked at before its tree is delivered. What is
    /// skipped ends where reading it would end.
    ///
    /// The `;` of an entity of HTML begins no node: `AB[aa]&nbsp;AW[bb]` is one. Nor does a word without a value behind the `(` or
    /// `)` of a variation, such as the number of a line; it is `illegal-bytes`.
    ///
    /// Between games, more things begin one. The first two have lost their `(`: that is the problem `unopened-game`, and
    /// [`Tree::is_implied`](crate::Tree::is_implied).
    ///
    /// - A node that looks like a root: at the beginning of the source or behind a game, with its `;` or without; or with
    ///   it, at the beginning of a line. Up to 4 bytes of junk may stand right before its `;`, if it has one of those first
    ///   six properties or if they begin the source.
    /// - A `;` and a move, at the beginning of the source or behind a game, which a `)` has ended too early then. Up to 64 bytes
    ///   without white space may come before: the rest of a node, which behind a game begins with a `[` or a capital.
    /// - A `(` with up to 16 bytes behind it that no rule knows, tags and entities of HTML and what mail and programs write at the
    ///   beginning of a line (`JS> `, `12:`) among them, if a `;` with a property of one or two capital letters follows, or
    ///   such a property of a header alone; or with any other bytes before the `;` of such a root, or one in the place of that.
    #[must_use]
    pub const fn resync(mut self, resync: bool) -> Self {
        self.resync = resync;
        self
    }

    /// With `true`, a value that runs into what no such value contains is taken to have lost its `]`. It is given up there, with
    /// the problem `unterminated-value`. Off by default.
    ///
    /// - A move, point or number ends before a `;` with a property of one or two capital letters or digits, or
    ///   a property of one or two capital letters alone (`B[pd;W[dd]`, `SZ[9AB[aa]`), or of the last two of three letters, if these
    ///   name a property (`KM[7.5MTM[60]`); in a list, also before the next value (`AB[aa[bb]`). The value has at most
    ///   256 bytes, including the property behind it.
    /// - With [`repair_brackets`](Self::repair_brackets), so does a text before a `;` with a property whose value has less than
    ///   16 bytes, none of them a backslash (`C[see c:\games\];W[bb]`), or before such a property without a `;`, if its name
    ///   is a known one of two letters and not the end of a word in capitals (`C[goodLB[aa:1]`). A quoted game has a `(` before
    ///   its `;`. The text has at most 4 KiB, including the property behind it.
    /// - And so does a line of a header, however long the value of the property behind it is (`PB[JoePW[Ann]`,
    ///   `EV[MeijinC[a text]`). So does AP, in which up to 256 bytes are examined, but not directly behind its colon,
    ///   where a version stands (`AP[x:1.0SZ[9]`).
    /// - A text is not given up: what stands before that end is read, and the problem has no length.
    /// - A value that otherwise ends like a property is read as it stands, with the problem `swallowed-property`: C, GC and N
    ///   of up to 4 KiB if they end in a name of one or two letters and a value of less than 16 bytes (`C[see)\n(;W[bb]`); a
    ///   line of a header as long, and other values of up to 256 bytes, also if the name stands directly behind a word, and
    ///   however long its value is (`5A[7PW[Ann]`). Of three capitals or more, the last two are a name if they are that of a known
    ///   property, or if no name of a person can stand there. So is a label that ends like the next one (`LB[aa:1[bb:2]`), and a
    ///   move, point, label or number of more than 256 bytes. For C, GC, N and lines of a header this takes
    ///   [`repair_brackets`](Self::repair_brackets).
    /// - A move, point or number ends before a `(;`, and before the `)` that stand before white space and `(;`, or at the end of
    ///   the input, if it begins within the 64 bytes before; within a line only with [`resync`](Self::resync). So does a text of
    ///   nothing but `)`, if the `(` is the first byte of its line except for blanks. Where a line begins, what comes is the next
    ///   game, unless with [`resync`](Self::resync) the game's root looks like one and stands at most 2 MiB before; then it is a
    ///   variation. Within a line, the value ends there only if the root looks like one.
    #[must_use]
    pub const fn cap_values(mut self, cap: bool) -> Self {
        self.cap_values = cap;
        self
    }

    /// How much is read before the rest is skipped; by default, [`Limits::new`].
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
