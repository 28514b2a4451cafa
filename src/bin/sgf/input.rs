//! From the command line to the inputs, one after the other.
//!
//! Owns the order of inputs, and how they are named. Nothing is collected: a list of ten million paths is read line by
//! line. Refuses to know SGF.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::vec;

use sgf_stream::archive::{self, Format, Found, HEAD_LEN, Opener, Seen, Walk, is_pattern};

use crate::args::InputArgs;
use crate::interrupt::Waiting;
use crate::stderr::reason;

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
    /// A pipe or a device, whose bytes go to the first reader.
    Stream(PathBuf),
}

/// What comes out of the command line.
#[derive(Debug)]
pub(crate) enum Item {
    Input(Input),
    Failure(Failure),
    /// Something unexpected but not wrong: it is reported, and no more.
    Note(String),
}

/// The format of a file by its first bytes. The file is at its beginning before and after.
pub(crate) fn format_of(file: &mut File) -> io::Result<Format> {
    let mut head = Vec::new();
    file.by_ref().take(HEAD_LEN as u64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(Format::of(&head))
}

/// Something that cannot be read.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

impl Input {
    /// Its name in messages and in the output: `-` for standard input.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Stdin => Cow::Borrowed("-"),
            Self::File(path) | Self::Stream(path) => shown(path),
        }
    }

    /// The file, if it can be read a second time.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Stdin | Self::Stream(_) => None,
        }
    }

    /// Whether more than these first bytes has to be known about it, because it is packed or in several files.
    pub(crate) fn is_packed(&self, head: &[u8]) -> bool {
        let is_more = || match self {
            Self::File(path) => {
                let name = path.as_os_str().as_encoded_bytes();
                archive::is_volume(path)
                    || archive::is_split_zip(path)
                    || archive::is_misnamed(name, head)
                    || archive::is_behind(path, head)
            }
            Self::Stdin | Self::Stream(_) => Format::is_doubtful(head),
        };
        !Format::of(head).is_plain() || is_more()
    }

    pub(crate) fn open(&self) -> io::Result<Source> {
        let source = match self {
            Self::Stdin => Source::Stdin(Waiting(standard_input()?)),
            Self::Stream(path) => Source::Stream(Waiting(File::open(path)?)),
            Self::File(path) => Source::File(File::open(path)?),
        };
        if source.is_output() {
            return Err(io::Error::other("it is also the output: reading what is written to it would never end"));
        }
        Ok(source)
    }

    /// How many bytes there are to read, if that is known in advance. Of a file that does not exist, nothing is read.
    pub(crate) fn len(&self) -> Option<u64> {
        let len = |path: PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
        match self {
            Self::Stdin => standard_input_len(),
            Self::File(path) => Some(archive::volumes(path).map(len).sum()),
            Self::Stream(_) => None,
        }
    }
}

/// A path for people. What is not UTF-8 is escaped as in names in archives, so that two paths do not look the same.
pub(crate) fn shown(path: &Path) -> Cow<'_, str> {
    let bytes = path.as_os_str().as_encoded_bytes();
    path.to_str().map_or_else(|| Cow::Owned(archive::shown(bytes)), Cow::Borrowed)
}

/// Standard input as a file, so that no bytes lie in a buffer where nothing can wait for them.
#[cfg(unix)]
fn standard_input() -> io::Result<StandardInput> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(unix)]
type StandardInput = File;

#[cfg(unix)]
fn standard_input_len() -> Option<u64> {
    standard_input().ok()?.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len())
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<StandardInput> {
    Ok(io::stdin())
}

#[cfg(not(unix))]
type StandardInput = io::Stdin;

#[cfg(not(unix))]
fn standard_input_len() -> Option<u64> {
    None
}

/// An input that was opened.
pub(crate) enum Source {
    Stdin(Waiting<StandardInput>),
    Stream(Waiting<File>),
    File(File),
}

impl Source {
    /// As something to be unpacked; these bytes were read already.
    pub(crate) fn into_archive(self, input: &Input, head: &[u8]) -> archive::Source<'static> {
        let source = match (self, input) {
            (Self::File(file), Input::File(path)) => archive::Source::file(file, path),
            (source, _) => archive::Source::stream(source),
        };
        source.with_head(head)
    }

    /// Whether a read would return something within this time.
    fn is_ready(&self, patience: Duration) -> bool {
        match self {
            Self::Stdin(stdin) => stdin.is_ready(patience),
            Self::Stream(stream) => stream.is_ready(patience),
            Self::File(_) => true,
        }
    }

    /// Whether this is the file that standard output goes to, so that reading it would also read what is being written.
    #[cfg(unix)]
    fn is_output(&self) -> bool {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;
        use std::sync::OnceLock;

        // Usually it is no file, and then nothing is looked up about the others.
        static OUTPUT: OnceLock<Option<(u64, u64)>> = OnceLock::new();
        let place = |file: &File| {
            let metadata = file.metadata().ok()?;
            metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
        };
        let output = OUTPUT.get_or_init(|| place(&io::stdout().as_fd().try_clone_to_owned().ok()?.into()));
        let (Self::Stdin(Waiting(file)) | Self::Stream(Waiting(file)) | Self::File(file)) = self;
        output.is_some() && place(file) == *output
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "elsewhere it is used")]
    fn is_output(&self) -> bool {
        false
    }

    /// Its length, if it is a plain file.
    pub(crate) fn file_len(&self) -> Option<u64> {
        match self {
            Self::Stdin(_) | Self::Stream(_) => None,
            Self::File(file) => file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len()),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stdin(stdin) => stdin.read(buffer),
            Self::Stream(stream) => stream.read(buffer),
            Self::File(file) => file.read(buffer),
        }
    }
}

/// A source that reports that it has nothing for now, once after bytes have come; the next read waits.
pub(crate) struct Pausing {
    pub(crate) source: Source,
    may_pause: bool,
}

impl Pausing {
    /// How long a reader that wants many bytes waits for more before it looks at those that have come.
    const PATIENCE: Duration = Duration::from_millis(10);

    pub(crate) fn new(source: Source) -> Self {
        Self { source, may_pause: false }
    }

    /// The bytes so far are read again by a reader that was told of no pause.
    pub(crate) fn again(mut self) -> Self {
        self.may_pause = true;
        self
    }
}

impl Read for Pausing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.may_pause) && !self.source.is_ready(Self::PATIENCE) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let len = self.source.read(buffer)?;
        self.may_pause = true;
        Ok(len)
    }
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
            Ok(_) if self.opener.is_again(&path, &self.seen) => None,
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
                    Some(Found::File(path)) => return Some(Item::Input(Input::File(path))),
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

/// The paths in the file of `--files-from`, one a line. Each is a path and nothing else: `-` is a file of that name.
/// No path is that long, nor is the line of a list.
const LONGEST_LINE: u64 = 64 << 10;

struct List {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    /// No line was read yet.
    is_new: bool,
    any: bool,
    done: bool,
}

impl List {
    fn open(path: PathBuf) -> Result<Self, Failure> {
        let lines: Box<dyn BufRead + Send> = if path == Path::new("-") {
            Box::new(BufReader::new(io::stdin()))
        } else {
            match File::open(&path) {
                Ok(file) => Box::new(BufReader::new(file)),
                Err(error) => return Err(Failure { path, reason: reason(&error) }),
            }
        };
        Ok(Self { path, lines, line: Vec::new(), is_new: true, any: false, done: false })
    }

    fn next(&mut self) -> Option<Result<PathBuf, Item>> {
        while !self.done {
            self.line.clear();
            match (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', &mut self.line) {
                Ok(_) if self.line.len() as u64 == LONGEST_LINE => {
                    self.done = true;
                    let reason =
                        format!("it has a line of over {} bytes, so this is no list of paths", LONGEST_LINE - 1);
                    return Some(Err(Item::Failure(Failure { path: self.path.clone(), reason })));
                }
                Ok(0) => {
                    self.done = true;
                    if !self.any {
                        return Some(Err(Item::Note(format!("{}: no paths in this list", shown(&self.path)))));
                    }
                }
                Ok(_) => {
                    let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
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
}

#[cfg(unix)]
pub(crate) fn path_from(line: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(line))
}

#[cfg(not(unix))]
pub(crate) fn path_from(line: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(line).into_owned())
}
