//! The table of properties, as data: those of FF\[1\] to FF\[4\], of the games that the standard has pages for, and of
//! programs whose files fill archives.

// Owns the definition of a property and how one is found. The rows are in `table.rs`. Refuses to read values.

mod table;

use crate::semantics::GameType;
use crate::syntax::Ident;

use table::TABLE;

/// What is known of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definition {
    /// Its identifier.
    pub ident: Ident,
    /// Who defines it.
    pub source: Source,
    /// The standard's property type.
    pub property_type: PropertyType,
    /// What it is for.
    pub group: Group,
    /// True if it also holds for the nodes below, until another one changes it.
    pub inherited: bool,
    /// How many values it has.
    pub count: Count,
    /// What a value of it is.
    pub value: ValueForm,
    /// The least and the greatest number, if the standard gives them.
    pub range: Option<(i64, i64)>,
    /// The games it is for.
    pub scope: Scope,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

/// Who defines a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The versions of the standard that have it; see [`Source::has`].
    Standard(Versions),
    /// A program, or the document that proposes it.
    Program(&'static str),
}

/// Versions of the standard, FF\[1\] to FF\[4\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Versions(u8);

impl Source {
    /// True if this version of the standard, 1 to 4, has the property.
    pub const fn has(self, version: u8) -> bool {
        match self {
            Self::Standard(Versions(set)) => version < 8 && set & 1 << version != 0,
            Self::Program(_) => false,
        }
    }

    /// True if FF\[4\] or a program defines it, and not only an older version of the standard.
    pub const fn is_current(self) -> bool {
        matches!(self, Self::Program(_)) || self.has(4)
    }
}

/// The standard's property types: where a property may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PropertyType {
    /// In a node that makes a move.
    Move,
    /// In a node that sets up a position.
    Setup,
    /// In the root.
    Root,
    /// Once on each path from the root to a leaf.
    GameInfo,
    /// Anywhere.
    None,
}

/// What a property is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Group {
    Move,
    Setup,
    Annotation,
    Markup,
    Root,
    GameInfo,
    Timing,
    Misc,
}

/// How many values a property has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Count {
    /// One.
    One,
    /// One or more.
    List,
    /// One or more, or an empty one.
    ListOrEmpty,
}

/// The standard's value types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ValueType {
    None,
    Number,
    Real,
    Double,
    Color,
    SimpleText,
    Text,
    Point,
    Move,
    Stone,
}

/// What a value consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueForm {
    /// A value of one type.
    Single(ValueType),
    /// Two values with a `:` between them.
    Composed(ValueType, ValueType),
    /// Either a value of the first type, or the other two composed.
    Either(ValueType, ValueType, ValueType),
}

impl ValueForm {
    /// True if a part of the value is SimpleText or Text, and so is in the game's charset.
    pub const fn has_text(self) -> bool {
        const fn is_text(it: ValueType) -> bool {
            matches!(it, ValueType::SimpleText | ValueType::Text)
        }
        match self {
            Self::Single(a) => is_text(a),
            Self::Composed(a, b) => is_text(a) || is_text(b),
            Self::Either(a, b, c) => is_text(a) || is_text(b) || is_text(c),
        }
    }
}

/// The games that a property is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Any.
    Any,
    /// One of the standard's games.
    Game(GameType),
    /// Any variant of Blokus.
    Blokus,
}

impl Scope {
    /// True if a property of this scope is one of `game`.
    pub fn includes(self, game: GameType) -> bool {
        match self {
            Self::Any => true,
            Self::Game(only) => only == game,
            Self::Blokus => matches!(game, GameType::Blokus(_)),
        }
    }
}

/// What is known of a property, or `None` for one that nobody defines.
///
/// If several define it, FF\[4\] and properties for any game come first: SE is the one of Lines of Action, not of
/// FF\[3\]. [`definitions`] has all of them. Takes one look-up for a name of one or two letters, and a binary search
/// for a longer one.
///
/// ```
/// use sgf_stream::Ident;
/// use sgf_stream::semantics::definition;
/// use sgf_stream::semantics::property::{Count, ValueForm, ValueType};
///
/// let stones = definition(Ident::AB).unwrap();
/// assert_eq!((stones.count, stones.value), (Count::List, ValueForm::Single(ValueType::Stone)));
/// assert!(definition(Ident::VW).unwrap().inherited);
/// assert_eq!(definition("XX".parse()?), None);
/// # Ok::<(), sgf_stream::IdentError>(())
/// ```
pub fn definition(ident: Ident) -> Option<&'static Definition> {
    definitions(ident).first()
}

/// Everything that is known of the properties with this identifier, the most current first; empty if nobody defines it.
pub fn definitions(ident: Ident) -> &'static [Definition] {
    let first = match slot(ident) {
        Some(slot) => usize::from(FIRST[slot]),
        None => TABLE.partition_point(|row| row.ident < ident),
    };
    let rows = TABLE.get(first..).unwrap_or_default();
    let same = rows.iter().take_while(|row| row.ident == ident).count();
    &rows[..same]
}

/// How many signs there are: letters, digits, and none.
const SIGNS: usize = 37;

/// The place in [`FIRST`] of a name of one or two capital letters or digits.
const fn slot(ident: Ident) -> Option<usize> {
    const fn sign(byte: u8) -> Option<usize> {
        match byte {
            0 => Some(0),
            b'0'..=b'9' => Some(1 + (byte - b'0') as usize),
            b'A'..=b'Z' => Some(11 + (byte - b'A') as usize),
            _ => None,
        }
    }
    match ident.head() {
        [first, second, 0] => match (sign(first), sign(second)) {
            (Some(first), Some(second)) => Some(first * SIGNS + second),
            _ => None,
        },
        _ => None,
    }
}

/// The first row of each short name; for a name without one, the end of the table.
static FIRST: [u8; SIGNS * SIGNS] = {
    assert!(TABLE.len() < u8::MAX as usize);
    let mut first = [TABLE.len() as u8; SIGNS * SIGNS];
    let mut row = TABLE.len();
    while row > 0 {
        row -= 1;
        if let Some(slot) = slot(TABLE[row].ident) {
            first[slot] = row as u8;
        }
    }
    first
};

impl Definition {
    /// Every row of the table, by identifier.
    pub const ALL: &[Self] = TABLE;

    /// What is known of a property in a particular game. A property of another game alone is not one of this game.
    pub fn of(ident: Ident, game: GameType) -> Option<&'static Self> {
        let rows = definitions(ident);
        let own = rows.iter().find(|row| row.scope != Scope::Any && row.scope.includes(game));
        own.or_else(|| rows.iter().find(|row| row.scope.includes(game)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_identifier_and_its_game() {
        for row in TABLE {
            assert!(definitions(row.ident).contains(row));
            if let Scope::Game(game) = row.scope {
                assert_eq!(Definition::of(row.ident, game), Some(row));
            }
            assert!(row.source.is_current() || (1..=3).any(|version| row.source.has(version)), "{}", row.ident);
        }
    }

    #[test]
    fn rows_are_sorted_with_current_ones_first() {
        for pair in TABLE.windows(2) {
            let key = |row: &Definition| (row.ident, !row.source.is_current());
            assert!(key(&pair[0]) <= key(&pair[1]), "{} before {}", pair[0].ident, pair[1].ident);
        }
    }
}
