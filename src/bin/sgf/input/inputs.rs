//! From the command line to the inputs, one after the other.
//!
//! Owns the order of inputs. Nothing is collected: a list of ten million paths is read path by path. Refuses to know SGF,
//! and how an input is opened.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::vec;

use encoding_rs::{CoderResult, Decoder, UTF_16BE, UTF_16LE};
use memchr::memchr;
use sgf_stream::archive::{self, Found, Named, Opener, Seen, Walk};

use crate::args::InputArgs;
use crate::input::{Input, path_as_shown, path_from, shown};
use crate::interrupt;
use crate::terminal::stderr::reason;

/// What comes out of the command line.
#[derive(Debug)]
pub(crate) enum Item {
    Input(Input),
    Failure(Failure),
    /// Something unexpected but not wrong: it is reported, and no more.
    Note(String),
    /// Ctrl-C has come while the list at this path was waited for.
    Interrupted(PathBuf),
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
    /// Those of the paths that are first volumes.
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
            are_picked: args.picks.options().next().is_some(),
        }
    }

    /// Whether it is a later volume of an archive whose first one was named.
    fn is_known_volume(&self, path: &Path) -> bool {
        archive::first_volume(path).is_some_and(|first| self.named.contains(&first))
    }

    /// Walks a directory, or the files that a pattern matches; anything else is an input, and what is not there may be a member.
    fn expand(&mut self, path: PathBuf) -> Option<Item> {
        let path = path_as_shown(path);
        let metadata = path.metadata();
        if let Some(member) = metadata.is_err().then(|| Input::member_of(&path)).flatten() {
            return Some(Item::Input(member));
        }
        match self.opener.named(&path, &metadata) {
            Ok(Named::Files(walk)) => {
                self.walk = Some(walk.unless_seen(&self.seen));
                None
            }
            Ok(Named::Stream) => Some(Item::Input(Input::Stream(path))),
            Ok(Named::File) if self.opener.remember(&path, &self.seen) => None,
            Ok(Named::File) => Some(Item::Input(Input::File(path))),
            Err(error) => Some(Item::Failure(Failure { path, reason: error.to_string() })),
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

/// The paths in the file of `--files-from`, one a line, or each followed by a NUL, as `find -print0` writes them; in UTF-16 if
/// it begins with the mark of that. Each is a path and nothing else: `-` is a file of that name.
pub(crate) struct List {
    path: PathBuf,
    bytes: Box<dyn BufRead + Send>,
    /// The byte after each path, once it is known.
    end: Option<u8>,
    line: Vec<u8>,
    stage: Stage,
}

/// How far a list was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    NoPath,
    Path,
    Done,
}

impl List {
    pub(crate) fn open(path: PathBuf) -> Result<Self, Failure> {
        let input = if path == Path::new("-") { Input::Stdin } else { Input::Stream(path.clone()) };
        let bytes = match input.open() {
            Ok(source) => Box::new(BufReader::new(source)),
            Err(error) => return Err(Failure { path, reason: reason(&error) }),
        };
        Ok(Self { path, bytes, end: None, line: Vec::new(), stage: Stage::New })
    }

    pub(crate) fn next(&mut self) -> Option<Result<PathBuf, Item>> {
        while self.stage != Stage::Done {
            match self.read() {
                Ok(()) if self.line.len() as u64 == LONGEST_LINE => {
                    self.stage = Stage::Done;
                    let reason =
                        format!("it has a line of over {} bytes, so this is no list of paths", LONGEST_LINE - 1);
                    return Some(Err(Item::Failure(Failure { path: self.path.clone(), reason })));
                }
                Ok(()) if self.line.is_empty() => {
                    if std::mem::replace(&mut self.stage, Stage::Done) != Stage::Path {
                        return Some(Err(Item::Note(format!("{}: no paths in this list", shown(&self.path)))));
                    }
                }
                Ok(()) => {
                    let line = self.line.strip_suffix(b"\0").unwrap_or_else(|| {
                        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
                        line.strip_suffix(b"\r").unwrap_or(line)
                    });
                    if !line.is_empty() {
                        self.stage = Stage::Path;
                        return Some(Ok(path_from(line)));
                    }
                }
                Err(error) => {
                    self.stage = Stage::Done;
                    let path = self.path.clone();
                    return Some(Err(if interrupt::is_asked() {
                        Item::Interrupted(path)
                    } else {
                        Item::Failure(Failure { path, reason: reason(&error) })
                    }));
                }
            }
        }
        None
    }

    /// Takes the mark that editors on Windows and PowerShell write, and has what follows one of UTF-16 decoded.
    fn begin(&mut self) -> io::Result<()> {
        if at_hand(&mut *self.bytes)?.is_empty() {
            // A terminal that was asked again would wait again.
            self.bytes = Box::new(io::empty());
            return Ok(());
        }
        let mut mark = Vec::new();
        while let Some(&byte) = at_hand(&mut *self.bytes)?.first()
            && MARKS.iter().any(|known| known.strip_prefix(&*mark).is_some_and(|rest| rest.first() == Some(&byte)))
        {
            mark.push(byte);
            self.bytes.consume(1);
        }
        if mark.is_empty() {
            // Otherwise, each letter would be a path.
            return if is_wide(at_hand(&mut *self.bytes)?) { Err(io::Error::other(WIDE)) } else { Ok(()) };
        }
        let bytes = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
        self.bytes = match *mark {
            [0xEF, 0xBB, 0xBF] => bytes,
            [0xFF, 0xFE] => Utf16::decoded(bytes, UTF_16LE.new_decoder_without_bom_handling()),
            [0xFE, 0xFF] => Utf16::decoded(bytes, UTF_16BE.new_decoder_without_bom_handling()),
            _ => Box::new(io::Cursor::new(mark).chain(bytes)),
        };
        Ok(())
    }

    /// Reads a path and what stands after it; nothing at the end of the list.
    fn read(&mut self) -> io::Result<()> {
        self.line.clear();
        if self.stage == Stage::New {
            self.stage = Stage::NoPath;
            self.begin()?;
        }
        // Whoever writes the list may wait for its first path to be read, so no more is read than it takes to find the end
        // of that. A line end may belong to a path if a NUL is at hand.
        while self.end.is_none() && (self.line.len() as u64) < LONGEST_LINE {
            let bytes = at_hand(&mut *self.bytes)?;
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

/// The byte order marks of UTF-8, UTF-16LE and UTF-16BE.
const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];

/// Why a list is not read.
const WIDE: &str = "it looks like UTF-16 without a mark at its beginning: write it in UTF-8, or with the mark";

/// Whether the first bytes are ASCII in UTF-16: a zero is one half of each character. A list with a NUL after each path looks
/// the same if each is a single letter, but then none is a dot, a slash or a line end.
fn is_wide(bytes: &[u8]) -> bool {
    let letters = |of: fn(&[u8]) -> Option<u8>| bytes.chunks_exact(2).map_while(of).collect::<Vec<u8>>();
    let little = letters(|pair| (pair[0] != 0 && pair[1] == 0).then_some(pair[0]));
    let big = letters(|pair| (pair[0] == 0 && pair[1] != 0).then_some(pair[1]));
    let is_path = |letters: &[u8]| letters.len() > 1 && letters.iter().any(|it| b"./\\\r\n".contains(it));
    is_path(&little) || is_path(&big)
}

/// The bytes that a list has now, if need be after waiting for some; none at its end.
fn at_hand(bytes: &mut dyn BufRead) -> io::Result<&[u8]> {
    loop {
        match bytes.fill_buf() {
            Ok([]) => return Ok(&[]),
            Ok(_) => return bytes.fill_buf(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// UTF-16 as UTF-8, as far as its bytes have come.
struct Utf16 {
    bytes: Box<dyn BufRead + Send>,
    decoder: Decoder,
    /// The decoder has seen the end, and may not be asked again.
    ended: bool,
}

impl Utf16 {
    fn decoded(bytes: Box<dyn BufRead + Send>, decoder: Decoder) -> Box<dyn BufRead + Send> {
        Box::new(BufReader::new(Self { bytes, decoder, ended: false }))
    }
}

impl Read for Utf16 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended {
            let bytes = self.bytes.fill_buf()?;
            let is_last = bytes.is_empty();
            let (result, read, written, _) = self.decoder.decode_to_utf8(bytes, buffer, is_last);
            self.ended = is_last && result == CoderResult::InputEmpty;
            self.bytes.consume(read);
            if written > 0 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_utf_16_is_told_from_paths_of_one_letter() {
        for list in [&b"a\0.\0s\0"[..], b"d\0\n\0", b"\0a\0\\\0b", b"d\0/\0\x8B\x73"] {
            assert!(is_wide(list), "{list:?}");
        }
        for list in [&b""[..], b"a\0b\0c\0", b"./a\0b\0", b".\0", b"a.sgf\0", b"\0\0", b"a\nb\n"] {
            assert!(!is_wide(list), "{list:?}");
        }
    }
}
