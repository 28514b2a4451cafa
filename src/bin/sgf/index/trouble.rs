//! What is stored of what was wrong with a file.
//!
//! Owns the texts: each kind begins in its own way, whatever the names in it are, so that a later run knows the kind from
//! the text alone. Refuses to know who reads them.

use std::fmt;

use crate::session::{self, Outcome, Report};
use crate::terminal::layout::thousands;

/// What was wrong, by the gravest of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Something could not be read.
    Failed(String),
    /// `--strict` stopped at a problem.
    Strict(String),
    /// Not all of a game was kept.
    LeftOut(String),
    /// There is no game in this, nor in `more` others.
    NoGame { name: String, more: u64 },
}

/// The beginnings of the texts, and the end of one that tells only the first of several.
const FAILED: &str = "failed: ";
const STRICT: &str = "stopped at a problem: ";
const LEFT_OUT: &str = "not all is kept: ";
const NO_GAME: &str = "no game in ";
const MORE: &str = " more like this";

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(text) => write!(f, "{FAILED}{text}"),
            Self::Strict(text) => write!(f, "{STRICT}{text}"),
            Self::LeftOut(text) => write!(f, "{LEFT_OUT}{text}"),
            Self::NoGame { name, more } => write!(f, "{NO_GAME}{name}{}", further(*more)),
        }
    }
}

/// What is said, after the first of a kind, of the others.
pub(super) fn further(more: u64) -> String {
    if more > 0 { format!("; {}{MORE}", thousands(more)) } else { String::new() }
}

impl Trouble {
    /// Reads a text that was stored. One that begins in no known way is a failure, as older versions have stored it.
    pub(super) fn parse(stored: &str) -> Self {
        let rest = |start: &str| stored.strip_prefix(start).map(str::to_owned);
        if let Some(text) = rest(FAILED) {
            Self::Failed(text)
        } else if let Some(text) = rest(STRICT) {
            Self::Strict(text)
        } else if let Some(text) = rest(LEFT_OUT) {
            Self::LeftOut(text)
        } else if let Some(name) = rest(NO_GAME) {
            let more = name.rsplit_once("; ").and_then(|(name, more)| {
                let more = more.strip_suffix(MORE)?.replace(',', "").parse().ok()?;
                Some(Self::NoGame { name: name.to_owned(), more })
            });
            more.unwrap_or(Self::NoGame { name, more: 0 })
        } else {
            Self::Failed(stored.to_owned())
        }
    }
}

/// Texts of a kind: the first of them, up to a number that can still be read at a glance, and how many more there are.
#[derive(Default)]
struct Texts<const MAX: usize> {
    first: Vec<String>,
    more: u64,
}

impl<const MAX: usize> Texts<MAX> {
    fn add(&mut self, text: String) {
        if self.first.len() < MAX { self.first.push(text) } else { self.more += 1 }
    }

    fn are_any(&self) -> bool {
        !self.first.is_empty()
    }

    fn text(&self) -> Option<String> {
        self.are_any().then(|| format!("{}{}", self.first.join("; "), further(self.more)))
    }
}

/// What was wrong with a file so far.
#[derive(Default)]
pub(super) struct Troubles {
    /// Of each member that can't be read, why.
    failures: Texts<20>,
    /// Some of them are not only because of `--strict`.
    has_failed: bool,
    left_out: Texts<1>,
    no_game: Texts<1>,
}

impl Troubles {
    pub(super) fn add(&mut self, report: &Report) {
        self.has_failed |= report.outcome >= Outcome::Failed;
        let others = report.messages.iter().filter_map(|message| match message {
            session::Message::Failure { name, reason } => Some(format!("{name}: {reason}")),
            _ => None,
        });
        // It is among those, unless reading was strict.
        let others = others.filter(|other| report.failure.as_ref() != Some(other));
        for text in report.failure.iter().cloned().chain(others) {
            self.failures.add(text);
        }
    }

    pub(super) fn leave_out(&mut self, text: &str) {
        self.left_out.add(text.to_owned());
    }

    pub(super) fn lack_game(&mut self, name: String) {
        self.no_game.add(name);
    }

    pub(super) fn are_failures(&self) -> bool {
        self.failures.are_any()
    }

    /// All of it in one, if there is any.
    pub(super) fn into_one(self) -> Option<Trouble> {
        let Self { failures, has_failed, left_out, no_game } = self;
        let left_out = left_out.text();
        let more = no_game.more;
        let no_game = no_game.first.into_iter().next().map(|name| Trouble::NoGame { name, more });
        let join = |parts: [Option<String>; 3]| parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let rest = no_game.as_ref().map(Trouble::to_string);
        match (failures.text(), left_out) {
            (None, None) => no_game,
            (None, left_out) => Some(Trouble::LeftOut(join([left_out, rest, None]))),
            (failures, left_out) => {
                let left_out = left_out.map(|text| Trouble::LeftOut(text).to_string());
                let text = join([failures, left_out, rest]);
                Some(if has_failed { Trouble::Failed(text) } else { Trouble::Strict(text) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sgf_stream::archive::Name;

    use super::*;

    #[test]
    fn what_is_stored_is_read_back_as_it_was() {
        let name = || "no game in a.sgf.gz".to_owned();
        for trouble in [
            Trouble::Failed(format!("{}: incomplete", name())),
            Trouble::Failed("stopped at a problem: x: incomplete".to_owned()),
            Trouble::Failed("failed: x: incomplete".to_owned()),
            Trouble::Strict(format!("{}:1:2: junk", name())),
            Trouble::LeftOut(format!("{}: moves", name())),
            Trouble::NoGame { name: name(), more: 0 },
            Trouble::NoGame { name: "failed: a; b".to_owned(), more: 1234 },
        ] {
            assert_eq!(Trouble::parse(&trouble.to_string()), trouble);
        }
    }

    #[test]
    fn the_gravest_of_a_file_comes_first() {
        let mut troubles = Troubles::default();
        troubles.lack_game("a".to_owned());
        let mut strict = Report::new();
        (strict.outcome, strict.failure) = (Outcome::Problems, Some("b:1:1: junk".to_owned()));
        troubles.add(&strict);
        let mut failed = Report::new();
        failed.failed(&Name::new("c"), "gone");
        troubles.add(&failed);
        troubles.leave_out("d: moves");
        let text = "b:1:1: junk; c: gone; not all is kept: d: moves; no game in a";
        assert_eq!(troubles.into_one(), Some(Trouble::Failed(text.to_owned())));
    }

    #[test]
    fn a_failure_that_an_older_version_has_stored_is_one() {
        assert_eq!(Trouble::parse("a.sgf.gz: incomplete"), Trouble::Failed("a.sgf.gz: incomplete".to_owned()));
    }
}
