//! Something to read: a file, a pipe, or standard input.
//!
//! Owns what an input is called and how it is opened. Which inputs there are is for `inputs`. Refuses to know SGF.

pub(crate) mod inputs;

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use memchr::{memchr, memchr_iter};
use sgf_stream::archive::{self, Format, head_of};
#[cfg(unix)]
use sgf_stream::files::identity;

use crate::interrupt::Waiting;

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    /// A file that was named.
    File(PathBuf),
    /// A file that lies in a named directory, or is matched by a pattern.
    Found(PathBuf),
    /// A member that was named, of the archive in a file.
    Member(PathBuf, String),
    /// A pipe or a device, whose bytes go to the first reader.
    Stream(PathBuf),
}

/// The format of a file by its first bytes. The file is at its beginning before and after.
pub(crate) fn format_of(file: &mut File) -> io::Result<Format> {
    let head = head_of(&mut *file)?;
    file.rewind()?;
    Ok(Format::detect(&head))
}

impl Input {
    /// What a name such as `games.zip!1998/june.sgf` means, of which the part before a `!` is a file.
    pub(crate) fn member_of(name: &Path) -> Option<Self> {
        let name = name.as_os_str().as_encoded_bytes();
        let parts = |at: usize| (path_as_shown(path_from(&name[..at])), &name[at + 1..]);
        let (path, member) = memchr_iter(b'!', name).map(parts).find(|(path, _)| path.is_file())?;
        // In the form in which messages show it.
        (!member.is_empty()).then(|| Self::Member(path, String::from_utf8_lossy(member).into_owned()))
    }

    /// Its name in messages and in the output: `-` for standard input, and that of the archive for a member.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Stdin => Cow::Borrowed("-"),
            Self::File(path) | Self::Found(path) | Self::Stream(path) | Self::Member(path, _) => shown(path),
        }
    }

    /// The file, if all of it is read, and can be read a second time.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Found(path) => Some(path),
            Self::Stdin | Self::Stream(_) | Self::Member(..) => None,
        }
    }

    /// Whether more than these first bytes has to be known about it, because it is packed or in several files.
    pub(crate) fn is_packed(&self, head: &[u8]) -> bool {
        let is_more = || match self.path() {
            Some(path) => {
                let name = path.as_os_str().as_encoded_bytes();
                archive::is_volume(path)
                    || archive::is_split_zip(path)
                    || archive::is_misnamed(name, head)
                    || archive::is_behind(path, head)
            }
            None => Format::is_doubtful(head),
        };
        matches!(self, Self::Member(..)) || !Format::detect(head).is_plain() || is_more()
    }

    pub(crate) fn open(&self) -> io::Result<Source> {
        let source = match self {
            Self::Stdin => Source::Stdin(Waiting::new(standard_input()?)),
            Self::Stream(path) => Source::Stream(Waiting::new(File::open(path)?)),
            Self::File(path) | Self::Found(path) | Self::Member(path, _) => Source::File(Whole::of(File::open(path)?)),
        };
        if source.is_output() {
            return Err(io::Error::other("input and output are the same file"));
        }
        Ok(source)
    }

    /// How many bytes there are to read, if that is known in advance. Of a file that does not exist, nothing is read.
    pub(crate) fn len(&self) -> Option<u64> {
        let len = |path: PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
        match self {
            Self::Stdin => standard_input_len(),
            Self::File(path) | Self::Found(path) | Self::Member(path, _) => Some(archive::volumes(path).map(len).sum()),
            Self::Stream(_) => None,
        }
    }
}

/// A path for people. What is not UTF-8 is escaped as in names in archives, so that two paths do not look the same.
pub(crate) fn shown(path: &Path) -> Cow<'_, str> {
    let bytes = path.as_os_str().as_encoded_bytes();
    path.to_str().map_or_else(|| Cow::Owned(archive::shown(bytes)), Cow::Borrowed)
}

/// The name of a member of this input, for people, or of the input itself.
pub(crate) fn of_member(input: &str, member: Option<&str>) -> String {
    member.map_or_else(|| input.to_owned(), |member| format!("{input}!{member}"))
}

/// The path that a name means: the path itself, or if there is none, the one that messages and rows [show](shown) so.
pub(crate) fn path_as_shown(path: PathBuf) -> PathBuf {
    let name = path.as_os_str().as_encoded_bytes();
    if memchr(b'\\', name).is_none() || path.symlink_metadata().is_ok() {
        return path;
    }
    let mut parts = name.split(|&byte| byte == b'\\');
    let mut bytes = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        // Only bytes that are not UTF-8 are shown so.
        let escaped = part.strip_prefix(b"x").and_then(of_digits).filter(|(byte, _)| !byte.is_ascii());
        let (byte, rest) = escaped.unwrap_or((b'\\', part));
        bytes.push(byte);
        bytes.extend_from_slice(rest);
    }
    Some(path_from(&bytes)).filter(|shown| shown.symlink_metadata().is_ok()).unwrap_or(path)
}

/// The byte of which these are the digits, and what follows them.
fn of_digits(text: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, rest) = text.split_at_checked(2).filter(|(digits, _)| digits.iter().all(u8::is_ascii_hexdigit))?;
    Some((u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?, rest))
}

/// Whether it is the sidecar of another file, as `sgf index --offsets` makes them.
pub(crate) fn is_sidecar(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "offsets") && path.with_extension("").exists()
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
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
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
    File(Whole),
}

impl Source {
    /// As something to be unpacked; these bytes were read already.
    pub(crate) fn into_archive(self, input: &Input, head: &[u8]) -> archive::Source<'static> {
        let source = match (self, input) {
            (Self::File(whole), Input::File(path) | Input::Found(path)) => archive::Source::file(whole.file, path),
            (Self::File(whole), Input::Member(path, member)) => archive::Source::file(whole.file, path).member(member),
            (source, _) => archive::Source::stream(source),
        };
        source.with_head(head)
    }

    /// Whether a read would return something within this time.
    fn is_ready(&mut self, patience: Duration) -> bool {
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
        use std::sync::OnceLock;

        // Usually it is no file, and then nothing is looked up about the others.
        static OUTPUT: OnceLock<Option<(u64, u64)>> = OnceLock::new();
        let place = |file: &File| {
            let metadata = file.metadata().ok()?;
            if metadata.is_file() { identity(&metadata) } else { None }
        };
        let output = OUTPUT.get_or_init(|| place(&io::stdout().as_fd().try_clone_to_owned().ok()?.into()));
        let (Self::Stdin(Waiting(file)) | Self::Stream(Waiting(file)) | Self::File(Whole { file, .. })) = self;
        output.is_some() && place(file) == *output
    }

    #[cfg(windows)]
    fn is_output(&self) -> bool {
        use same_file::Handle;

        // Pipes have no numbers, which would make all of them the same.
        let Self::File(Whole { file, .. }) = self else { return false };
        let is_output = |output| file.try_clone().and_then(Handle::from_file).is_ok_and(|file| file == output);
        Handle::stdout().is_ok_and(is_output)
    }

    #[cfg(not(any(unix, windows)))]
    #[expect(clippy::unused_self, reason = "elsewhere it is used")]
    fn is_output(&self) -> bool {
        false
    }

    /// Its length, if it is a plain file.
    fn file_len(&self) -> Option<u64> {
        match self {
            Self::Stdin(_) | Self::Stream(_) => None,
            Self::File(whole) => whole.file_len(),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stdin(stdin) => stdin.read(buffer),
            Self::Stream(stream) => stream.read(buffer),
            Self::File(whole) => whole.read(buffer),
        }
    }
}

/// A file as it was when its reading began. It must not end sooner; and what is appended meanwhile is left to the next run,
/// since it may be what this one prints, through a pipe, which would never end. Of a file that one read seemed to show all
/// of, that is what is appended after the second.
pub(crate) struct Whole {
    file: File,
    /// How much of it was read.
    at: u64,
    /// How long it was; nothing if one read has shown all of it, as of most files, or if its length is not known.
    len: u64,
}

impl Whole {
    fn of(file: File) -> Self {
        Self { file, at: 0, len: 0 }
    }

    fn file_len(&self) -> Option<u64> {
        self.file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len())
    }
}

impl Read for Whole {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = if self.len > 0 { self.len.saturating_sub(self.at) } else { u64::MAX };
        let most = usize::try_from(rest).map_or(buffer.len(), |rest| rest.min(buffer.len()));
        let len = self.file.read(&mut buffer[..most])?;
        let goes_on = if self.at == 0 { len == buffer.len() } else { self.len == 0 && len > 0 };
        if goes_on {
            self.len = self.file_len().unwrap_or(0);
        }
        self.at += len as u64;
        if len == 0 && !buffer.is_empty() && self.at < self.len {
            return Err(io::Error::other(SHORTER));
        }
        Ok(len)
    }
}

/// What is said of a file of which not all is there any more.
pub(crate) const SHORTER: &str = "it has become shorter";

/// A source that reports that it has nothing for now, once after bytes have come; the next read waits.
pub(crate) struct Pausing {
    source: Source,
    may_pause: bool,
}

impl Pausing {
    /// How long a reader that wants many bytes waits for more before it looks at those that have come.
    const PATIENCE: Duration = Duration::from_millis(10);

    pub(crate) fn new(source: Source) -> Self {
        Self { source, may_pause: false }
    }

    /// The source, which reports nothing of the kind.
    pub(crate) fn into_source(self) -> Source {
        self.source
    }

    /// Its length, if it is a plain file.
    pub(crate) fn file_len(&self) -> Option<u64> {
        self.source.file_len()
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

/// A path as the system has it.
#[cfg(unix)]
pub(crate) fn path_from(line: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(line))
}

#[cfg(not(unix))]
pub(crate) fn path_from(line: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(line).into_owned())
}
