//! `sgf cat`: games by their numbers, as they are in their files.
//!
//! Owns how a game is named: `FILE#N`, and how a file is skipped through to it. With a [`sidecar`] the game is fetched at once.

#[cfg(feature = "index")]
mod sidecar;
#[cfg(not(feature = "index"))]
mod sidecar {
    //! Without the index there are no sidecars.

    use super::{InputArgs, Outcome, Printer, Wanted, io};

    #[expect(clippy::unnecessary_wraps, reason = "with sidecars, the output may fail")]
    pub(super) fn fetch(_: &mut Printer<'_>, _: &InputArgs, wanted: Wanted) -> io::Result<(Option<Wanted>, Outcome)> {
        Ok((Some(wanted), Outcome::Fine))
    }
}

use std::ffi::{OsStr, OsString};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use memchr::{memchr_iter, memrchr};
use sgf_stream::archive::{self, Name};
use sgf_stream::{Descend, Tree, TreeEnd, Visitor};

use crate::args::{CatArgs, InputArgs};
use crate::copy::{Copy, Mixture};
use crate::input::{path_as_shown, path_from, shown};
use crate::progress::Progress;
use crate::session::{Flow, Outcome, Session, Sink, flow};

type Out = BufWriter<StdoutLock<'static>>;

/// Some games of a file.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    path: PathBuf,
    /// The member within which numbers count; without one they count over all members.
    member: Option<String>,
    first: u64,
    last: u64,
}

/// Prints the games, in the order in which they are named.
pub(crate) fn run(args: &CatArgs) -> io::Result<Outcome> {
    let mut is_spent = false;
    let mut wanted_of = |name: &OsString| match Wanted::parse(name, Path::exists) {
        Ok(wanted) if wanted.path.is_dir() => Err("a directory: name a file".to_owned()),
        Ok(wanted) if wanted.path == Path::new("-") && std::mem::replace(&mut is_spent, true) => {
            Err("standard input was read for the name before: it can't be read twice".to_owned())
        }
        wanted => wanted,
    };
    let wanted: Vec<_> = args.games.iter().map(|name| (name, wanted_of(name))).collect();
    let paths = wanted.iter().filter_map(|(_, wanted)| wanted.as_ref().ok()).map(|wanted| wanted.path.clone());
    let progress = Progress::beside(&io::stdout(), &inputs(args, paths.collect()));
    let out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let mut printer = Printer { args, progress: progress.clone(), out, mixture: Mixture::default() };
    let result = printer.print_all(wanted);
    progress.finish();
    let outcome = result?;
    printer.mixture.finish(&progress);
    progress.conclude(outcome);
    Ok(outcome)
}

fn inputs(args: &CatArgs, paths: Vec<PathBuf>) -> InputArgs {
    InputArgs {
        paths,
        files_from: None,
        picks: args.picks.clone(),
        strict: false,
        messages: args.messages,
        unpacking: args.unpacking,
        reading: args.reading.clone(),
    }
}

/// What all names share.
struct Printer<'a> {
    args: &'a CatArgs,
    progress: Progress,
    out: Out,
    mixture: Mixture,
}

impl Printer<'_> {
    fn print_all(&mut self, wanted: Vec<(&OsString, Result<Wanted, String>)>) -> io::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        for (name, wanted) in wanted {
            match wanted {
                Ok(wanted) => {
                    outcome = outcome.max(self.print(wanted)?);
                    if outcome == Outcome::Interrupted {
                        break;
                    }
                }
                Err(reason) => {
                    let name = archive::shown(name.as_encoded_bytes());
                    self.progress.line(&format!("{name}: {reason}"));
                    outcome = Outcome::Failed;
                }
            }
            outcome.remember();
        }
        self.out.flush()?;
        Ok(outcome)
    }

    /// Prints games of one file.
    fn print(&mut self, wanted: Wanted) -> io::Result<Outcome> {
        let inputs = inputs(self.args, vec![wanted.path.clone()]);
        let (wanted, before) = match sidecar::fetch(self, &inputs, wanted)? {
            (None, outcome) => return Ok(outcome),
            (Some(rest), outcome) => (rest, outcome),
        };
        self.out.flush()?;
        let is_here = wanted.member.is_none();
        let mut games = Games {
            wanted,
            name: String::new(),
            is_here,
            was_here: is_here,
            game: 0,
            most: 0,
            start: None,
            found: 0,
            is_cut_off: false,
            is_awaited: false,
            copy: Copy::new(&mut self.out),
            mixture: &mut self.mixture,
            progress: &self.progress,
        };
        let outcome = Session::new(inputs.config(), self.progress.clone()).inputs(&inputs, &mut games)?;
        let found = match &games.wanted {
            _ if outcome != Outcome::Fine => outcome,
            Wanted { member: Some(member), .. } if !games.was_here => {
                let path = shown(&games.wanted.path);
                self.progress.line(&format!("{path}: no member {member} that is read"));
                Outcome::Failed
            }
            wanted if games.found == 0 => no_such_game(wanted, games.most, &self.progress),
            wanted => {
                too_few(wanted, games.most, &self.progress);
                outcome
            }
        };
        self.out.flush()?;
        Ok(found.max(before))
    }
}

/// Says that none of the wanted games is there. `games`: how many there are.
fn no_such_game(wanted: &Wanted, games: u64, progress: &Progress) -> Outcome {
    let which = match (wanted.first, wanted.last) {
        (1, u64::MAX) => "no game".to_owned(),
        (first, last) if first == last => format!("no game {first}{}", there_are(games)),
        (first, _) => format!("no game {first} or later{}", there_are(games)),
    };
    progress.line(&format!("{}: {which}", wanted.name()));
    Outcome::Problems
}

/// Notes that the last of the wanted games, if it has a number, is not there. `games`: how many there are.
fn too_few(wanted: &Wanted, games: u64, progress: &Progress) {
    if (games + 1..u64::MAX).contains(&wanted.last) {
        progress.note(&format!("{}: no game {}{}", wanted.name(), wanted.last, there_are(games)));
    }
}

fn there_are(games: u64) -> String {
    match games {
        0 => String::new(),
        1 => ": there is 1".to_owned(),
        games => format!(": there are {games}"),
    }
}

impl Wanted {
    /// The name of what has the games, for people.
    fn name(&self) -> String {
        let member = self.member.as_ref().map_or_else(String::new, |member| format!("!{member}"));
        format!("{}{member}", shown(&self.path))
    }

    /// Reads `FILE`, `FILE#N`, `FILE#A..B`, `FILE#A..` or `FILE#..B`, where a file may be `ARCHIVE!MEMBER`, and either name may
    /// contain a `#`.
    fn parse(name: &OsStr, exists: impl Fn(&Path) -> bool) -> Result<Self, String> {
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
        _ => Err(format!("{text:?} is no number of a game: they count from 1, as 7, 7..9, 7.. or ..9")),
    };
    let (first, last) = match text.trim().split_once("..") {
        None => (number(text)?, number(text)?),
        Some((first, "")) => (number(first)?, u64::MAX),
        Some(("", last)) => (1, number(last)?),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if first <= last { Ok((first, last)) } else { Err(format!("{text} ends before it begins")) }
}

/// Takes the games as they are read.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
struct Games<'a> {
    wanted: Wanted,
    /// The name of what is read.
    name: String,
    /// Whether reading is in the requested member, and whether that member has come at all.
    is_here: bool,
    was_here: bool,
    game: u64,
    /// The most games of a member of that name: an archive may have several.
    most: u64,
    /// Where the current game began, if it is wanted.
    start: Option<u64>,
    found: u64,
    /// The last wanted game was cut off. The reason may show only behind it.
    is_cut_off: bool,
    /// Somebody may be waiting for what a pipe delivers.
    is_awaited: bool,
    copy: Copy<&'a mut Out>,
    mixture: &'a mut Mixture,
    progress: &'a Progress,
}

impl Visitor for Games<'_> {
    type Break = io::Result<()>;

    fn enter_tree(&mut self, tree: Tree) -> Flow<Descend> {
        if tree.depth() == 1 && self.is_cut_off {
            return ControlFlow::Break(Ok(()));
        }
        if tree.depth() == 1 && self.is_here {
            self.game += 1;
            self.most = self.most.max(self.game);
            let is_wanted = (self.wanted.first..=self.wanted.last).contains(&self.game);
            self.start = is_wanted.then_some(tree.position().offset);
        }
        ControlFlow::Continue(Descend::Over)
    }

    fn exit_tree(&mut self, end: TreeEnd) -> Flow {
        let Some(start) = self.start.take_if(|_| end.depth() == 1) else { return ControlFlow::Continue(()) };
        let len = end.position().offset + end.close_len() - start;
        let line_end = flow(self.copy.write(start, len))?;
        let is_closed = end.close_len() > 0;
        self.mixture.add(line_end, is_closed, || self.name.clone(), self.game, self.progress);
        self.found += 1;
        if self.game == self.wanted.last {
            self.is_cut_off = !is_closed;
            if is_closed {
                return ControlFlow::Break(Ok(()));
            }
        }
        ControlFlow::Continue(())
    }
}

impl Sink for Games<'_> {
    fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.is_awaited = name == "-";
        self.copy.begin();
        self.start = None;
    }

    fn begin_member(&mut self, name: &Name) {
        self.begin(name.input());
        name.as_str().clone_into(&mut self.name);
        if let Some(wanted) = &self.wanted.member {
            self.is_here = name.member() == Some(wanted);
            self.was_here |= self.is_here;
            if self.is_here {
                self.game = 0;
            }
        }
    }

    fn chunk(&mut self, bytes: &[u8], candidate: u64) -> io::Result<()> {
        self.copy.chunk(bytes, self.start.unwrap_or(candidate))
    }

    fn pause(&mut self) -> io::Result<()> {
        if self.is_awaited { self.copy.flush() } else { Ok(()) }
    }

    fn games(&self) -> u64 {
        self.found
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
}
