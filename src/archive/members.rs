//! Members that the caller pulls, unpacked ahead on a thread.
//!
//! Owns what is unpacked for a path. Refuses to know what a path stands for, which `walk` does, and how the members come from
//! the thread to the caller: that is for `arrivals`.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::archive::arrivals::{Arrivals, Outlet};
use crate::archive::{Found, Name, Named, Opener, Source, Trouble, Visit};

/// The members of one source or many, in order.
///
/// A thread of its own unpacks them, at most a megabyte ahead. Dropping this ends the thread, though not while a read of its
/// source waits.
#[must_use = "dropping it ends the thread that unpacks"]
pub struct Members {
    arrivals: Arrivals,
}

/// What can't be read, or a warning about what was, such as bytes behind its end.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The archive, or the member of it.
    pub name: Name,
    /// What is reported about it.
    pub trouble: Trouble,
}

impl Report {
    /// True if something can't be read; false for a warning.
    pub const fn is_error(&self) -> bool {
        matches!(self.trouble, Trouble::Error(_))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.trouble)
    }
}

/// What the trouble displays is its error, so its source is that one's source.
impl std::error::Error for Report {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.trouble {
            Trouble::Error(error) => error.source(),
            _ => None,
        }
    }
}

/// A member of an archive, or a file that is no archive. What is not read of it is skipped.
///
/// An error of its reader comes after all bytes that could still be read, and ends the member; the next one may be fine. The
/// game in which it ends is still open then: [`Reader::finish`](crate::Reader::finish) delivers it.
pub struct Member<'m> {
    members: &'m mut Members,
}

impl Opener {
    /// The members of one source.
    pub fn members(&self, name: &str, source: Source<'static>) -> Members {
        let (opener, name) = (self.clone(), name.to_owned());
        Members::start(move |queue| {
            let _ = opener.while_open(queue).visit(&name, source, queue);
        })
    }

    /// The members of a path: a file, a directory, `-` for standard input, or a pattern such as `games/**/*.zip` if no
    /// such file exists.
    pub fn open(&self, path: impl Into<PathBuf>) -> Members {
        let (opener, path) = (self.clone(), path.into());
        Members::start(move |queue| {
            let _ = opener.while_open(queue).open_on(&path, queue);
        })
    }

    pub(crate) fn open_on(&self, path: &Path, queue: &mut Outlet) -> ControlFlow<()> {
        if path == Path::new("-") {
            return self.visit("-", Source::stream(io::stdin()), queue);
        }
        let walk = match self.named(path, &path.metadata()) {
            Ok(Named::Files(walk)) => walk,
            Ok(named) => return self.open_file(path, matches!(named, Named::Stream), queue),
            Err(error) => {
                let error = io::Error::new(io::ErrorKind::InvalidInput, error);
                return queue.trouble(&Name::new(path.to_string_lossy()), Trouble::Error(error.into()));
            }
        };
        for found in walk {
            match found {
                Found::File(path) => self.open_file(&path, false, queue)?,
                Found::Failure(path, error) => {
                    queue.trouble(&Name::new(path.to_string_lossy()), Trouble::Error(error.into()))?;
                }
                Found::Nothing(path) if !path.is_dir() => {
                    let error = io::Error::new(io::ErrorKind::NotFound, "no file matches this pattern");
                    queue.trouble(&Name::new(path.to_string_lossy()), Trouble::Error(error.into()))?;
                }
                Found::Nothing(path) => queue.trouble(&Name::new(path.to_string_lossy()), self.nothing())?,
            }
        }
        ControlFlow::Continue(())
    }

    fn open_file(&self, path: &Path, is_stream: bool, queue: &mut Outlet) -> ControlFlow<()> {
        let name = path.to_string_lossy();
        match File::open(path) {
            Ok(file) if is_stream => self.visit(&name, Source::stream(file), queue),
            Ok(file) => self.visit(&name, Source::file(file, path), queue),
            Err(error) => queue.trouble(&Name::new(name), Trouble::Error(error.into())),
        }
    }
}

impl Members {
    fn start(unpack: impl FnOnce(&mut Outlet) + Send + 'static) -> Self {
        Self { arrivals: Arrivals::start(unpack) }
    }

    /// The next member, or something to report: what can't be read ([`Report::is_error`]), or a warning about what was.
    /// Other members may follow either. `None` at the end.
    pub fn next_member(&mut self) -> Option<Result<Member<'_>, Report>> {
        self.arrivals.leave();
        loop {
            if let Some(next) = self.arrivals.next() {
                return Some(next.map(|()| Member { members: self }));
            }
            if !self.arrivals.wait() {
                return None;
            }
        }
    }

    /// The last member, until it has been read to its end.
    pub fn current(&mut self) -> Option<Member<'_>> {
        self.arrivals.is_inside().then_some(Member { members: self })
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members").field("begun", &self.arrivals.begun).finish_non_exhaustive()
    }
}

impl Member<'_> {
    /// Its name.
    pub fn name(&self) -> &Name {
        self.members.arrivals.name()
    }
}

impl Read for Member<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let arrivals = &mut self.members.arrivals;
        loop {
            if let Some(result) = arrivals.read(buffer) {
                return result;
            }
            arrivals.wait();
        }
    }
}

impl fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("name", self.name()).finish_non_exhaustive()
    }
}
