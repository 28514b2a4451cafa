//! Messages that are all alike: after a few, only their number is reported.
//!
//! Owns which are alike: failures of members of one archive whose reasons differ only in numbers, and all notes about files
//! and members that have no game in them. Refuses to know how they are written.

/// How many of each kind are reported one by one.
const MAX_REPORTED: u64 = 10;

/// How many kinds are distinguished in one archive.
const KINDS: usize = 32;

/// The failures of the archive in progress, and what had no game so far.
#[derive(Debug, Default)]
pub(crate) struct Flood {
    without_game: u64,
    archive: String,
    /// For each kind, its reason without numbers, the first reason in full, and how often it came.
    kinds: Vec<(String, String, u64)>,
}

impl Flood {
    /// Whether to report this failure of an input, or of a member of it. The texts about earlier failures come first.
    pub(crate) fn admits(&mut self, archive: &str, is_member: bool, reason: &str) -> (Vec<String>, bool) {
        let before = if archive == self.archive { Vec::new() } else { self.end() };
        if !is_member {
            return (before, true);
        }
        archive.clone_into(&mut self.archive);
        let kind: String = reason.chars().filter(|c| !c.is_ascii_digit()).collect();
        let at = self.kinds.iter().position(|(known, ..)| *known == kind).unwrap_or_else(|| {
            // Beyond the limit, everything counts as one more of the last kind.
            if self.kinds.len() < KINDS {
                self.kinds.push((kind, reason.to_owned(), 0));
            }
            self.kinds.len() - 1
        });
        let (.., count) = &mut self.kinds[at];
        *count += 1;
        (before, *count <= MAX_REPORTED)
    }

    /// Whether to note that one more has no game in it.
    pub(crate) fn admits_no_game(&mut self) -> bool {
        self.without_game += 1;
        self.without_game <= MAX_REPORTED
    }

    /// How many had no game and were not noted.
    pub(crate) fn more_without_game(&mut self) -> u64 {
        std::mem::take(&mut self.without_game).saturating_sub(MAX_REPORTED)
    }

    /// Nothing more comes of the archive: returns what is left to be said.
    pub(crate) fn end(&mut self) -> Vec<String> {
        let archive = std::mem::take(&mut self.archive);
        let kinds = self.kinds.drain(..).filter(|(.., count)| *count > MAX_REPORTED);
        kinds
            .map(|(_, reason, count)| format!("{archive}: {} more like this: {reason}", count - MAX_REPORTED))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_some_similar_errors_the_rest_is_only_counted() {
        let mut flood = Flood::default();
        let mut admitted = 0;
        for number in 0..1_000 {
            let (before, is_admitted) = flood.admits("a.zip", true, &format!("cut off (after {number} bytes)"));
            assert_eq!(before, Vec::<String>::new());
            admitted += u64::from(is_admitted);
        }
        assert_eq!(admitted, MAX_REPORTED);
        assert!(flood.admits("a.zip", true, "something else").1);
        let (before, is_admitted) = flood.admits("b.zip", true, "cut off (after 0 bytes)");
        assert_eq!(before, ["a.zip: 990 more like this: cut off (after 0 bytes)"]);
        assert!(is_admitted);
        assert_eq!(flood.admits("c.sgf", false, "No such file"), (Vec::new(), true));
        assert_eq!(flood.end(), Vec::<String>::new());
    }
}
