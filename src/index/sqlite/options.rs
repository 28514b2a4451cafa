//! What a database keeps, and how it remembers that.
//!
//! Owns the text of the options in table `meta`. Refuses to know how they are worded for people; the command has the same words.

use crate::index::Details;

/// What a [`Sqlite`](crate::index::Sqlite) keeps. It begins as rows alone, of all games:
///
/// ```
/// use sgf_stream::index::SqliteOptions;
///
/// let mut options = SqliteOptions::default();
/// options.unique = true;
/// options.details.comments = true;
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// Tables `moves` and `setup`, `positions`, and `comments`.
    pub details: Details,
    /// Drop games that are copies of earlier ones, see [`GameRecord::identity`](crate::record::GameRecord::identity).
    pub unique: bool,
    /// Anything else that rows depend on, such as how text is read.
    pub reading: String,
}

/// The words by which options are stored.
const COMMENTS: &str = "--comments";
const MOVES: &str = "--moves";
const POSITIONS: &str = "--positions";
const UNIQUE: &str = "--unique";

impl SqliteOptions {
    /// The options as the database stores them, so that all its rows are made in the same way. Databases of earlier versions
    /// have these words.
    #[doc(hidden)]
    pub fn as_stored(&self) -> String {
        let Details { moves, positions, comments } = self.details;
        let mut words = Vec::new();
        words.extend(comments.then(|| COMMENTS.to_owned()));
        words.extend(moves.then(|| MOVES.to_owned()));
        words.extend((positions > 0).then(|| format!("{POSITIONS} {positions}")));
        words.extend(self.unique.then(|| UNIQUE.to_owned()));
        words.extend((!self.reading.is_empty()).then(|| self.reading.clone()));
        words.join(" ")
    }

    /// The options that were stored so. What is none of them is how text was read.
    pub(super) fn of_stored(stored: &str) -> Self {
        let mut options = Self::default();
        let mut rest = stored;
        loop {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = match word {
                COMMENTS => {
                    options.details.comments = true;
                    after
                }
                MOVES => {
                    options.details.moves = true;
                    after
                }
                UNIQUE => {
                    options.unique = true;
                    after
                }
                POSITIONS => {
                    let (number, after) = after.split_once(' ').unwrap_or((after, ""));
                    options.details.positions = number.parse().unwrap_or(0);
                    after
                }
                _ => {
                    rest.clone_into(&mut options.reading);
                    return options;
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_known_from_what_is_stored() {
        for (comments, moves, positions, unique, reading, stored) in [
            (false, false, 0, false, "", ""),
            (true, true, 20, true, "plain text", "--comments --moves --positions 20 --unique plain text"),
            (false, false, 0, false, "--plain", "--plain"),
            (false, true, 0, false, "", "--moves"),
            (false, false, 3, true, "", "--positions 3 --unique"),
        ] {
            let details = Details { moves, positions, comments };
            let options = SqliteOptions { details, unique, reading: reading.to_owned() };
            assert_eq!(options.as_stored(), stored);
            assert_eq!(SqliteOptions::of_stored(stored), options);
        }
    }
}
