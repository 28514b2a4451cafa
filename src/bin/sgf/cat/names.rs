//! Which games are wanted, and in what order.
//!
//! Owns how games are named: `FILE#N`, on the command line or in a list, and which names are found in one pass through their file:
//! those that follow each other. Refuses to know how games are found.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::slice;

use memchr::{memchr_iter, memrchr};
use sgf_stream::archive;

use crate::args::CatArgs;
use crate::input::inputs::{Failure, Item, List};
use crate::input::{of_member, path_as_shown, path_from, shown};

/// Some games of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) path: PathBuf,
    /// The member within which numbers count; without one they count over all members.
    pub(super) member: Option<String>,
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Wanted {
    /// The input in which it is found if it is looked for alone.
    pub(super) fn input(&self) -> PathBuf {
        let Some(member) = &self.member else { return self.path.clone() };
        let mut path = self.path.clone().into_os_string();
        path.push("!");
        path.push(member);
        path.into()
    }

    /// Whether a pass through the file that `other` needs finds it, too. Only a member that is named as an input is read whatever
    /// its name.
    fn is_beside(&self, other: &Self) -> bool {
        let is_read = |member: &str| !member.contains('!') && archive::is_game(member.as_bytes());
        self.path == other.path
            && match (&self.member, &other.member) {
                (None, None) => true,
                (Some(member), Some(other)) => member == other || (is_read(member) && is_read(other)),
                _ => false,
            }
    }

    /// The name of what has the games, for people.
    pub(super) fn name(&self) -> String {
        of_member(&shown(&self.path), self.member.as_deref())
    }

    /// Reads `FILE`, `FILE#N`, `FILE#A..B`, `FILE#A..` or `FILE#..B`, where a file may be `ARCHIVE!MEMBER`, and either name may
    /// contain a `#`.
    pub(super) fn parse(name: &OsStr, exists: impl Fn(&Path) -> bool) -> Result<Self, String> {
        let name = name.as_encoded_bytes();
        let path_of = |name: &[u8]| path_as_shown(path_from(name));
        let is_number = |text: &[u8]| text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-'));
        let is_member = |file: &[u8]| memchr_iter(b'!', file).any(|at| exists(&path_of(&file[..at])));
        let (file, first, last) = match memrchr(b'#', name) {
            Some(at) if !exists(&path_of(name)) && (is_number(&name[at + 1..]) || !is_member(&name[..at])) => {
                let (first, last) = numbers_of(&archive::shown(&name[at + 1..]))?;
                (&name[..at], first, last)
            }
            _ => (name, 1, u64::MAX),
        };
        if !exists(&path_of(file)) {
            for at in memchr_iter(b'!', file) {
                let path = path_of(&file[..at]);
                if exists(&path) {
                    // In the form in which messages show it.
                    let member = Some(String::from_utf8_lossy(&file[at + 1..]).into_owned());
                    return Ok(Self { path, member, first, last });
                }
            }
        }
        Ok(Self { path: path_of(file), member: None, first, last })
    }
}

fn numbers_of(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| match text.trim().parse::<u64>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{text:?} is not a game number; use 7, 7..9, 7.. or ..9")),
    };
    let (first, last) = match text.trim().split_once("..") {
        None => (number(text)?, number(text)?),
        Some((first, "")) => (number(first)?, u64::MAX),
        Some(("", last)) => (1, number(last)?),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if first <= last { Ok((first, last)) } else { Err(format!("{text} ends before it begins")) }
}

/// Names whose games are found in one pass through their file, in the order in which they are printed.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) names: Vec<Wanted>,
    /// The last game that any of them wants.
    last: u64,
    /// How many games may come before it is their turn.
    waiting: u64,
    has_picks: bool,
}

impl Group {
    /// How many names one pass looks for.
    const NAMES: usize = 20_000;

    /// How many games may wait in memory or in a temporary file. If there were more, the file is rather read again.
    const WAITING: u64 = 10_000;

    /// The input that has them all: the member, if it is the only one.
    pub(super) fn input(&self) -> Option<PathBuf> {
        let (first, others) = self.names.split_first()?;
        let is_alone = others.iter().all(|other| other.member == first.member);
        Some(if is_alone { first.input() } else { first.path.clone() })
    }

    /// `has_picks`: what is found in a pass depends on patterns; so members are looked for one by one.
    fn of(first: Wanted, has_picks: bool) -> Self {
        Self { last: first.last, names: vec![first], waiting: 0, has_picks }
    }

    /// Takes the name too, or returns it if its games are not found in the same pass.
    fn add(&mut self, next: Wanted) -> Result<(), Wanted> {
        let is_same = self
            .names
            .first()
            .is_some_and(|first| first.is_beside(&next) && !(self.has_picks && first.member != next.member));
        // In which order members come, nobody knows.
        let waits = next.member.is_some() || next.first <= self.last;
        let waiting = self.waiting.saturating_add(if waits { (next.last - next.first).saturating_add(1) } else { 0 });
        if !is_same || self.names.len() == Self::NAMES || waiting > Self::WAITING {
            return Err(next);
        }
        self.last = self.last.max(next.last);
        self.waiting = waiting;
        self.names.push(next);
        Ok(())
    }
}

/// What comes next: names of one file, or something that came in place of a name.
pub(super) enum Next {
    Group(Group),
    Item(Item),
}

/// All names: those of the command line, then those of the list. No more of them are kept than one pass looks for.
pub(super) struct Names<'a> {
    args: slice::Iter<'a, OsString>,
    list_path: Option<PathBuf>,
    list: Option<List>,
    /// It has come after a group and does not belong to it.
    next: Option<Result<Wanted, Item>>,
    /// Standard input was named before, or has the list.
    is_spent: bool,
    has_picks: bool,
}

impl<'a> Names<'a> {
    pub(super) fn of(args: &'a CatArgs) -> Self {
        let is_spent = args.files_from.as_deref() == Some(Path::new("-"));
        let has_picks = args.picks.options().next().is_some();
        Self {
            args: args.games.iter(),
            list_path: args.files_from.clone(),
            list: None,
            next: None,
            is_spent,
            has_picks,
        }
    }

    fn name(&mut self) -> Option<Result<Wanted, Item>> {
        if let Some(name) = self.args.next() {
            return Some(wanted(name));
        }
        if let Some(path) = self.list_path.take() {
            match List::open(path) {
                Ok(list) => self.list = Some(list),
                Err(failure) => return Some(Err(Item::Failure(failure))),
            }
        }
        Some(match self.list.as_mut()?.next()? {
            Ok(name) => wanted(name.as_os_str()).map(|mut wanted| {
                // In a list that is a file, like every other.
                if wanted.path == Path::new("-") {
                    wanted.path = PathBuf::from("./-");
                }
                wanted
            }),
            Err(item) => Err(item),
        })
    }
}

fn wanted(name: &OsStr) -> Result<Wanted, Item> {
    let failure = |reason| Item::Failure(Failure { path: PathBuf::from(name), reason });
    match Wanted::parse(name, Path::exists) {
        Ok(wanted) if wanted.path.is_dir() => Err(failure("a directory: name a file".to_owned())),
        wanted => wanted.map_err(failure),
    }
}

impl Iterator for Names<'_> {
    type Item = Next;

    fn next(&mut self) -> Option<Next> {
        let first = match self.next.take().or_else(|| self.name())? {
            Ok(first) => first,
            Err(item) => return Some(Next::Item(item)),
        };
        let is_stdin = first.path == Path::new("-");
        if is_stdin && std::mem::replace(&mut self.is_spent, true) {
            let reason = "standard input can't be read twice".to_owned();
            return Some(Next::Item(Item::Failure(Failure { path: PathBuf::from(first.name()), reason })));
        }
        let mut group = Group::of(first, self.has_picks);
        loop {
            match self.name() {
                Some(Ok(name)) => match group.add(name) {
                    Ok(()) => {}
                    Err(name) => {
                        self.next = Some(Ok(name));
                        break;
                    }
                },
                item => {
                    self.next = item;
                    break;
                }
            }
        }
        Some(Next::Group(group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_named_by_its_file_and_number() {
        let exists = |path: &Path| ["a.sgf", "b#1", "c.zip"].iter().any(|it| path == Path::new(it));
        let wanted = |path: &str, member: Option<&str>, first, last| {
            Ok(Wanted { path: path.into(), member: member.map(str::to_owned), first, last })
        };
        for (name, expected) in [
            ("a.sgf", wanted("a.sgf", None, 1, u64::MAX)),
            ("a.sgf#7", wanted("a.sgf", None, 7, 7)),
            ("a.sgf#7..9", wanted("a.sgf", None, 7, 9)),
            ("a.sgf# 7 .. 9 ", wanted("a.sgf", None, 7, 9)),
            ("a.sgf#7..", wanted("a.sgf", None, 7, u64::MAX)),
            ("a.sgf#..9", wanted("a.sgf", None, 1, 9)),
            ("b#1", wanted("b#1", None, 1, u64::MAX)),
            ("b#1#2", wanted("b#1", None, 2, 2)),
            ("c.zip!d/e.sgf#2", wanted("c.zip", Some("d/e.sgf"), 2, 2)),
            ("c.zip!d#1.sgf", wanted("c.zip", Some("d#1.sgf"), 1, u64::MAX)),
            ("c.zip!d#1.sgf#2", wanted("c.zip", Some("d#1.sgf"), 2, 2)),
            ("none!x", wanted("none!x", None, 1, u64::MAX)),
        ] {
            assert_eq!(Wanted::parse(OsStr::new(name), exists), expected, "{name}");
        }
        for name in ["a.sgf#0", "a.sgf#x", "a.sgf#", "a.sgf#9..7", "a.sgf#-1", "a.sgf#..", "c.zip!d#0"] {
            assert!(Wanted::parse(OsStr::new(name), exists).is_err(), "{name}");
        }
    }

    fn group(first: (u64, u64)) -> Group {
        Group::of(Wanted { path: "a".into(), member: None, first: first.0, last: first.1 }, false)
    }

    #[test]
    fn names_share_a_pass_if_few_games_have_to_wait() {
        let next = |path: &str, member: Option<&str>, first, last| Wanted {
            path: path.into(),
            member: member.map(str::to_owned),
            first,
            last,
        };
        let most = Group::WAITING;
        for (before, wanted, expected) in [
            ((7, 7), next("a", None, 9, 9), true),
            ((7, 7), next("a", None, 7, 7), true),
            ((7, 7), next("a", None, 2, 3), true),
            ((7, 9), next("a", None, 10, u64::MAX), true),
            ((7, 9), next("a", None, 9, u64::MAX), false),
            ((1, u64::MAX), next("a", None, 3, 3), true),
            ((9, 9), next("a", None, 1, most), true),
            ((9, 9), next("a", None, 1, most + 1), false),
            ((7, 7), next("b", None, 9, 9), false),
            ((7, 7), next("a", Some("m"), 9, 9), false),
        ] {
            let name = format!("{before:?} {wanted:?}");
            assert_eq!(group(before).add(wanted).is_ok(), expected, "{name}");
        }
        let mut members = Group::of(next("a", Some("m.sgf"), 1, u64::MAX), false);
        members.add(next("a", Some("n.sgf"), 1, 1)).unwrap();
        assert!(members.add(next("a", Some("m.sgf"), 1, u64::MAX)).is_err());
        assert_eq!(members.input(), Some("a".into()));
        // Such members are read only if they are named as inputs.
        assert!(Group::of(next("a", Some("m.sgf"), 1, 1), true).add(next("a", Some("n.sgf"), 1, 1)).is_err());
        let mut alone = Group::of(next("a", Some("m.txt"), 1, 1), false);
        alone.add(next("a", Some("m.txt"), 2, 2)).unwrap();
        assert!(alone.add(next("a", Some("n.sgf"), 1, 1)).is_err());
        assert_eq!(alone.input(), Some("a!m.txt".into()));
        let mut many = group((9, 9));
        assert!((0..most).all(|_| many.add(next("a", None, 1, 1)).is_ok()));
        assert!(many.add(next("a", None, 1, 1)).is_err());
        many.add(next("a", None, 10, 10)).unwrap();
    }
}
