//! Which inputs an index reads.
//!
//! Owns the question whether a file is known already or is the index itself, and the name of a pipe, which has none of
//! its own. What a database knows is the library's knowledge.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sgf_stream::archive::{Name, volumes};
use sgf_stream::index::{Catalog, Known, Stamp};
use sgf_stream::record::{Column, GameRecord, Row, Wants};
use sgf_stream::stable;

use crate::index::queue::Game;
use crate::index::trouble::{Trouble, further};
use crate::input::Input;
use crate::output::part_prefix;
use crate::session::{self, Message, Outcome, Report};
use crate::threads::found::Keep;

/// An input that is about to be read.
pub(super) struct Opening {
    pub(super) name: String,
    /// Where it is, and its present state.
    pub(super) file: Option<(PathBuf, Stamp)>,
    /// All pipes have the same name, so in a database a pipe is distinguished by its first games.
    pub(super) is_pipe: bool,
    /// The member that was named, of which the rest of the file says nothing.
    pub(super) member: Option<String>,
}

impl Opening {
    fn new(name: String, file: Option<(PathBuf, Stamp)>) -> Self {
        Self { name, file, is_pipe: false, member: None }
    }

    /// The name, if these are the first games; it depends on everything that their rows have.
    pub(super) fn name_with(&self, games: &[Game]) -> String {
        if !self.is_pipe {
            return self.name.clone();
        }
        let mut line = Vec::new();
        let mut hash = stable::FNV;
        for Game { member, number, record } in games {
            line.clear();
            let row = Row::new("", *number, record).member(member.as_deref());
            row.push_json(Column::OF_TABLE, &mut line);
            hash = stable::fnv(hash, &line);
        }
        match &self.member {
            Some(member) => format!("{}!{member}#{hash:016x}", self.name),
            None => format!("{}#{hash:016x}", self.name),
        }
    }
}

/// Finds out which files are known already, and keeps the games of the others, on all threads.
pub(super) struct Chooser {
    wants: Wants,
    catalog: Option<Mutex<Catalog>>,
    own: Option<Target>,
    is_identity_wanted: bool,
}

impl Chooser {
    pub(super) fn new(wants: Wants, catalog: Option<Catalog>, own: Option<Target>, is_identity_wanted: bool) -> Self {
        Self { wants, catalog: catalog.map(Mutex::new), own, is_identity_wanted }
    }
}

/// What a run writes, which may be among its inputs: the file, and the temporary files beside it.
pub(super) struct Target {
    directory: PathBuf,
    name: OsString,
}

impl Target {
    pub(super) fn of(to: &Path) -> Option<Self> {
        let directory = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(Self { directory: directory.canonicalize().ok()?, name: to.file_name()?.to_owned() })
    }

    fn is(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        let (name, own) = (name.as_encoded_bytes(), self.name.as_encoded_bytes());
        let is_part = || {
            let rest = name.strip_prefix(part_prefix(&self.name).as_encoded_bytes());
            rest.is_some_and(|rest| rest.ends_with(b".part"))
        };
        let is_ours = name.strip_prefix(own).is_some_and(|rest| matches!(rest, b"" | b"-wal" | b"-shm")) || is_part();
        is_ours && path.canonicalize().is_ok_and(|path| path.parent() == Some(&self.directory))
    }
}

impl Keep for Chooser {
    type Opening = Opening;
    type Game = (Box<GameRecord>, Option<u64>);

    fn wants(&self) -> Wants {
        self.wants
    }

    fn open(&self, input: &Input, report: &mut Report) -> io::Result<Option<Self::Opening>> {
        let name = input.name().into_owned();
        if let (Some(own), Some(path)) = (&self.own, input.path())
            && own.is(path)
        {
            // An index of an earlier run is passed over.
            return Ok(None);
        }
        let Some(catalog) = &self.catalog else { return Ok(Some(Opening::new(name, None))) };
        let Some(path) = input.path() else {
            let member = if let Input::Member(_, member) = input { Some(member.clone()) } else { None };
            return Ok(Some(Opening { name, file: None, is_pipe: true, member }));
        };
        let volumes: Vec<_> = volumes(path).collect();
        let Ok(stamp) = Stamp::of_volumes(volumes.iter().map(AsRef::as_ref)) else {
            // The reason why it can't be read is reported when it is opened.
            return Ok(Some(Opening::new(name, None)));
        };
        let mut catalog = catalog.lock().unwrap_or_else(PoisonError::into_inner);
        let Known::All(trouble) = catalog.known(path, &stamp).map_err(io::Error::other)? else {
            return Ok(Some(Opening::new(name, Some((path.to_path_buf(), stamp)))));
        };
        if let Some(stored) = trouble {
            let again = |text: &str| format!("{text} (when it was read before, and it has not changed)");
            let trouble = Trouble::parse(&stored);
            let (message, outcome) = match &trouble {
                Trouble::Failed(text) => (Message::Error(again(text), None), Outcome::Failed),
                Trouble::Strict(_) => (Message::Error(again(&trouble.to_string()), None), Outcome::Problems),
                Trouble::LeftOut(_) => (Message::Note(again(&trouble.to_string())), Outcome::Fine),
                Trouble::NoGame { name, more } => {
                    let text = format!("{}{}", session::without_game(&Name::new(name.as_str())), further(*more));
                    (Message::NoGame(again(&text)), Outcome::Fine)
                }
            };
            report.messages.push(message);
            report.outcome = outcome;
        }
        report.kept += 1;
        Ok(None)
    }

    fn keep(&self, row: &Row<'_>, _: &mut Vec<u8>) -> Option<Self::Game> {
        let identity = if self.is_identity_wanted { row.record.identity() } else { None };
        Some((Box::new(row.record.clone()), identity))
    }

    fn weight((record, _): &Self::Game) -> usize {
        record.memory()
    }
}
