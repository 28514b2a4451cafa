//! What was wrong with the input, as plain values.
//!
//! Owns [`Problem`] and the names and numbers of its kinds. Numbers never change their meaning and are never reused.
//! Refuses to know how a problem is found.

use std::fmt;
use std::str::FromStr;

use crate::syntax::{Position, Span, UnknownName};

macro_rules! kinds {
    ($($number:literal $name:literal $variant:ident $effect:ident $meaning:literal)*) => {
        /// Kinds of problems, with the number and the name that messages use. What is done about each is in
        /// [the guide](crate::guide::damage#what-the-reader-does-with-every-byte).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ProblemKind {
            $(#[doc = concat!($number, " `", $name, "`: ", $meaning, ".")] $variant = $number,)*
        }

        impl ProblemKind {
            /// Every kind that this version can report, by number.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The number, which never changes its meaning.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// The name, in lower case with hyphens.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What it is, in a few words.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                }
            }

            /// True if the bytes of the span are in no event; false if the problem only marks bytes that are.
            pub const fn skips(self) -> bool {
                match self {
                    $(Self::$variant => kinds!(@ $effect),)*
                }
            }
        }
    };
    (@ skips) => { true };
    (@ marks) => { false };
}

kinds! {
    101 "junk" Junk skips "bytes between games"
    102 "unmatched-close" UnmatchedClose skips "`)` with no open tree"
    103 "missing-semicolon" MissingSemicolon marks "a property where a node had to start"
    104 "node-after-variation" NodeAfterVariation marks "a node after a child tree"
    105 "tree-without-node" TreeWithoutNode marks "a tree that starts with a tree"
    106 "empty-variation" EmptyVariation marks "a tree with nothing in it"
    107 "lowercase-identifier" LowercaseIdentifier marks "identifier without an upper-case letter or digit"
    108 "property-without-value" PropertyWithoutValue marks "identifier that no value follows"
    109 "identifier-too-long" IdentifierTooLong skips "identifier over the limit, with its values"
    110 "value-without-property" ValueWithoutProperty skips "a value that belongs to no property"
    111 "illegal-bytes" IllegalBytes skips "unexpected bytes inside a game"
    112 "unclosed-tree" UnclosedTree marks "end of input with open trees"
    113 "unexpected-eof" UnexpectedEof skips "end of input inside a value"
    114 "value-too-long" ValueTooLong skips "value over the limit, wanted whole"
    115 "unescaped-bracket" UnescapedBracket marks "a `]` taken as text, as no value ends there"
    116 "truncated-game" TruncatedGame marks "a game that ended where another began"
    117 "unterminated-value" UnterminatedValue skips "a value without its ], ended at what follows"
    118 "unopened-game" UnopenedGame marks "a game without its `(`"
    119 "swallowed-property" SwallowedProperty marks "a value that may have swallowed another"
    201 "charset-unknown" CharsetUnknown marks "CA names no charset that can be decoded"
    202 "charset-contradicted" CharsetContradicted marks "bytes contradict CA or the byte order mark"
    203 "charset-changed" CharsetChanged marks "CA names another charset than the last one"
    204 "escape-unit-changed" EscapeUnitChanged marks "values end byte by byte from here on"
    205 "undecodable-text" UndecodableText marks "bytes invalid in the text's charset"
    301 "limit-depth" LimitDepth skips "subtree deeper than the limit"
    302 "limit-node" LimitNode skips "further properties of a node over the limit"
    303 "limit-values" LimitValues skips "further values of a property over the limit"
    304 "limit-game" LimitGame skips "rest of a game longer than the limit"
    305 "limit-problems" LimitProblems marks "further problems are counted, not reported"
}

impl ProblemKind {
    /// The kind with this name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }
}

/// As [`from_name`](ProblemKind::from_name).
impl FromStr for ProblemKind {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::from_name(name).ok_or(UnknownName { kind: "kind of problem" })
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something that is wrong in the input, and where. Reading goes on after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    kind: ProblemKind,
    position: Position,
    len: u64,
    charset: Option<&'static str>,
}

impl Problem {
    pub(crate) const fn new(kind: ProblemKind, position: Position, len: u64) -> Self {
        Self { kind, position, len, charset: None }
    }

    /// This problem, about a charset that is known by name alone.
    pub(crate) const fn with_charset(self, charset: Option<&'static str>) -> Self {
        Self { charset, ..self }
    }

    /// What kind of problem it is.
    pub const fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// The number of its kind.
    pub const fn number(&self) -> u16 {
        self.kind.number()
    }

    /// The name of its kind.
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Where it begins.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The charset that a `charset-unknown` is about, if it exists but can't be read here, such as UTF-7.
    pub const fn charset(&self) -> Option<&'static str> {
        self.charset
    }

    /// The bytes it concerns. [`ProblemKind::skips`] tells whether these are also in an event.
    ///
    /// For `unexpected-eof` that is the whole value from its `[`, including parts of it that were delivered.
    pub const fn span(&self) -> Span {
        Span { start: self.position.offset, end: self.position.offset + self.len }
    }
}

/// `line:column: name: meaning (len bytes at offset)`. If the problem is about a charset, that follows the meaning.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, position, len, charset } = self;
        write!(f, "{position}: {kind}: {}", kind.meaning())?;
        if let Some(charset) = charset {
            write!(f, ": {charset}")?;
        }
        match len {
            0 => write!(f, " (at byte {})", position.offset),
            1 => write!(f, " (1 byte at byte {})", position.offset),
            _ => write!(f, " ({len} bytes at byte {})", position.offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_each_used_once() {
        for (i, a) in ProblemKind::ALL.iter().enumerate() {
            for b in &ProblemKind::ALL[i + 1..] {
                assert!(a.number() < b.number());
                assert_ne!(a.name(), b.name());
            }
        }
    }

    #[test]
    fn a_name_finds_its_kind() {
        for &kind in ProblemKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert_eq!(ProblemKind::from_name("Junk"), Some(ProblemKind::Junk));
        let unknown = "jank".parse::<ProblemKind>().unwrap_err();
        assert_eq!(unknown.to_string(), "no kind of problem has this name");
    }

    #[test]
    fn a_message_has_position_name_meaning_and_span() {
        let position = Position { offset: 40, line: 3, column: 7 };
        let problem = Problem::new(ProblemKind::Junk, position, 12);
        assert_eq!(problem.to_string(), "3:7: junk: bytes between games (12 bytes at byte 40)");
        assert_eq!(problem.span(), Span { start: 40, end: 52 });
        let mark = Problem::new(ProblemKind::UnclosedTree, position, 0);
        assert_eq!(mark.to_string(), "3:7: unclosed-tree: end of input with open trees (at byte 40)");
        let label = Problem::new(ProblemKind::CharsetUnknown, position, 5).with_charset(Some("IBM437"));
        let message = "3:7: charset-unknown: CA names no charset that can be decoded: IBM437 (5 bytes at byte 40)";
        assert_eq!(label.to_string(), message);
    }
}
