//! From the command line to the inputs, one after the other.
//!
//! Owns the order of inputs. Nothing is collected: a list of ten million paths is read path by path. Refuses to know SGF,
//! and how an input is opened.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::vec;

use memchr::memchr;
use sgf_stream::archive::{self, Found, Opener, Seen, Walk, is_pattern};

use crate::args::InputArgs;
use crate::input::{Input, path_from, shown};
use crate::stderr::reason;

/// What comes out of the command line.
#[derive(Debug)]
pub(crate) enum Item {
    Input(Input),
    Failure(Failure),
    /// Something unexpected but not wrong: it is reported, and no more.
    Note(String),
}

/// Something that cannot be read.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

/// All inputs, in the order they were named.
pub(crate) struct Inputs {
    paths: vec::IntoIter<PathBuf>,
    /// The same paths, but only first volumes.
    named: HashSet<PathBuf>,
    list_path: Option<PathBuf>,
    list: Option<List>,
    walk: Option<Walk>,
    opener: Opener,
    seen: Seen,
    /// Patterns choose which files are read.
    are_picked: bool,
}

impl Inputs {
    pub(crate) fn new(args: &InputArgs, opener: &Opener) -> Self {
        let paths = if args.are_none() { vec![PathBuf::from("-")] } else { args.paths.clone() };
        let list_path = args.files_from.clone();
        let named = paths.iter().filter(|path| archive::is_volume(path)).cloned().collect();
        Self {
            paths: paths.into_iter(),
            named,
            list_path,
            list: None,
            walk: None,
            opener: opener.clone(),
            seen: Seen::default(),
            are_picked: args.picks.said().next().is_some(),
        }
    }

    /// Whether it is a later volume of an archive whose first one was named.
    fn is_known_volume(&self, path: &Path) -> bool {
        archive::first_volume(path).is_some_and(|first| self.named.contains(&first))
    }

    /// Walks a directory, or the files that a pattern matches; anything else is an input, whatever its name is.
    fn expand(&mut self, path: PathBuf) -> Option<Item> {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => {
                self.walk = Some(self.opener.walk(path).unless_seen(&self.seen));
                None
            }
            Ok(metadata) if !metadata.is_file() => Some(Item::Input(Input::Stream(path))),
            Err(_) if is_pattern(&path.to_string_lossy()) => match self.opener.glob(&path.to_string_lossy()) {
                Ok(walk) => {
                    self.walk = Some(walk.unless_seen(&self.seen));
                    None
                }
                Err(error) => Some(Item::Failure(Failure { path, reason: error.to_string() })),
            },
            Ok(_) if self.opener.remember(&path, &self.seen) => None,
            _ => Some(Item::Input(Input::File(path))),
        }
    }
}

impl Iterator for Inputs {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(walk) = &mut self.walk {
                match walk.next() {
                    Some(Found::File(path)) => return Some(Item::Input(Input::Found(path))),
                    Some(Found::Failure(path, error)) => {
                        return Some(Item::Failure(Failure { path, reason: reason(&error) }));
                    }
                    Some(Found::Nothing(path)) if path.is_dir() => {
                        let of_which = if self.are_picked { " that the patterns leave" } else { "" };
                        let text = format!("{}: no .sgf file in this directory{of_which}", shown(&path));
                        return Some(Item::Note(text));
                    }
                    Some(Found::Nothing(path)) => {
                        return Some(Item::Failure(Failure {
                            path,
                            reason: "no file matches this pattern".to_owned(),
                        }));
                    }
                    // A kind of finding that is not known yet.
                    Some(_) => {}
                    None => self.walk = None,
                }
                continue;
            }
            let item = if let Some(path) = self.paths.next() {
                if path == Path::new("-") {
                    Some(Item::Input(Input::Stdin))
                } else if self.is_known_volume(&path) {
                    // `games.7z.*` names an archive once.
                    None
                } else {
                    self.expand(path)
                }
            } else if let Some(list) = &mut self.list {
                match list.next()? {
                    Ok(path) if self.is_known_volume(&path) => None,
                    Ok(path) => {
                        if archive::is_volume(&path) {
                            self.named.insert(path.clone());
                        }
                        self.expand(path)
                    }
                    Err(item) => Some(item),
                }
            } else {
                match List::open(self.list_path.take()?) {
                    Ok(list) => {
                        self.list = Some(list);
                        None
                    }
                    Err(failure) => Some(Item::Failure(failure)),
                }
            };
            if item.is_some() {
                return item;
            }
        }
    }
}

/// No path is that long, nor is the line of a list.
const LONGEST_LINE: u64 = 64 << 10;

/// The paths in the file of `--files-from`, one a line, or each followed by a NUL, as `find -print0` writes them. Each is a
/// path and nothing else: `-` is a file of that name.
struct List {
    path: PathBuf,
    bytes: Box<dyn BufRead + Send>,
    /// The byte after each path, once it is known.
    end: Option<u8>,
    line: Vec<u8>,
    /// No line was read yet.
    is_new: bool,
    any: bool,
    done: bool,
}

impl List {
    fn open(path: PathBuf) -> Result<Self, Failure> {
        let bytes: Box<dyn BufRead + Send> = if path == Path::new("-") {
            Box::new(BufReader::new(io::stdin()))
        } else {
            match File::open(&path) {
                Ok(file) => Box::new(BufReader::new(file)),
                Err(error) => return Err(Failure { path, reason: reason(&error) }),
            }
        };
        Ok(Self { path, bytes, end: None, line: Vec::new(), is_new: true, any: false, done: false })
    }

    fn next(&mut self) -> Option<Result<PathBuf, Item>> {
        while !self.done {
            match self.read() {
                Ok(()) if self.line.len() as u64 == LONGEST_LINE => {
                    self.done = true;
                    let reason =
                        format!("it has a line of over {} bytes, so this is no list of paths", LONGEST_LINE - 1);
                    return Some(Err(Item::Failure(Failure { path: self.path.clone(), reason })));
                }
                Ok(()) if self.line.is_empty() => {
                    self.done = true;
                    if !self.any {
                        return Some(Err(Item::Note(format!("{}: no paths in this list", shown(&self.path)))));
                    }
                }
                Ok(()) => {
                    let line = self.line.strip_suffix(b"\0").unwrap_or_else(|| {
                        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
                        line.strip_suffix(b"\r").unwrap_or(line)
                    });
                    // Editors on Windows begin a file with a mark.
                    let mark = std::mem::take(&mut self.is_new).then_some(b"\xEF\xBB\xBF");
                    let line = mark.and_then(|mark| line.strip_prefix(mark)).unwrap_or(line);
                    if !line.is_empty() {
                        self.any = true;
                        return Some(Ok(path_from(line)));
                    }
                }
                Err(error) => {
                    self.done = true;
                    return Some(Err(Item::Failure(Failure { path: self.path.clone(), reason: reason(&error) })));
                }
            }
        }
        None
    }

    /// Reads a path and what stands after it; nothing at the end of the list.
    fn read(&mut self) -> io::Result<()> {
        self.line.clear();
        // Whoever writes the list may wait for its first path to be read, so no more is read than it takes to find the end
        // of that. A line end may belong to a path if a NUL is at hand.
        while self.end.is_none() && (self.line.len() as u64) < LONGEST_LINE {
            let bytes = match self.bytes.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            if bytes.is_empty() {
                return Ok(());
            }
            self.end = memchr(0, bytes).or_else(|| memchr(b'\n', bytes)).map(|at| bytes[at]);
            if self.end.is_none() {
                let len = bytes.len().min(LONGEST_LINE as usize - self.line.len());
                self.line.extend_from_slice(&bytes[..len]);
                self.bytes.consume(len);
            }
        }
        let left = LONGEST_LINE - self.line.len() as u64;
        (&mut self.bytes).take(left).read_until(self.end.unwrap_or(b'\n'), &mut self.line).map(drop)
    }
}
