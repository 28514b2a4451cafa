//! Members that are pulled, and unpacked on a thread ahead.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use crate::archive::ahead::{Batch, Mark, Queue, Refused, What};
use crate::archive::{Error, Found, Name, Opener, Source, Trouble, Visit, is_pattern};

/// The members of one source or many, in order.
///
/// A thread of its own unpacks them, a megabyte ahead and no more. Dropping this ends it.
pub struct Members {
    queue: Arc<Queue>,
    batch: Batch,
    /// Of the batch, what was read.
    at: usize,
    /// Members that have come.
    begun: u64,
    /// Where reading is.
    place: Place,
    name: Name,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    Inside,
    Ended,
}

/// What can't be read, or was passed over: where, and what.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The archive, or the member of it.
    pub name: Name,
    /// What about it.
    pub trouble: Trouble,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.trouble)
    }
}

impl std::error::Error for Report {}

/// A member of an archive, or a file that is none. What is not read of it is passed over.
///
/// An error of its reader comes after all bytes that could still be read, and ends the member; the next one may be fine.
pub struct Member<'m> {
    members: &'m mut Members,
}

impl Opener {
    /// The members of one source.
    pub fn members(&self, name: &str, source: Source<'static>) -> Members {
        let (opener, name) = (self.clone(), name.to_owned());
        Members::start(move |queue| {
            let _ = opener.visit(&name, source, queue);
        })
    }

    /// The members of a path: a file, a directory, a pattern such as `games/**/*.zip` where no such file is, or `-`, which is
    /// standard input.
    pub fn open(&self, path: impl Into<PathBuf>) -> Members {
        let (opener, path) = (self.clone(), path.into());
        Members::start(move |queue| {
            let _ = opener.open_on(&path, queue);
        })
    }

    fn open_on(&self, path: &Path, queue: &mut Outlet<'_>) -> ControlFlow<()> {
        if path == Path::new("-") {
            return self.visit("-", Source::stream(io::stdin()), queue);
        }
        let metadata = path.metadata();
        let text = path.to_string_lossy();
        let walk = match &metadata {
            Ok(metadata) if metadata.is_dir() => self.walk(path),
            Err(_) if is_pattern(&text) => match self.glob(&text) {
                Ok(walk) => walk,
                Err(error) => {
                    let error = io::Error::new(io::ErrorKind::InvalidInput, error);
                    return queue.trouble(&Name::new(text), Trouble::Error(error.into()));
                }
            },
            _ => return self.open_file(path, metadata.is_ok_and(|metadata| !metadata.is_file()), queue),
        };
        for found in walk {
            match found {
                Found::File(path) => self.open_file(&path, false, queue)?,
                Found::Failure(path, error) => {
                    queue.trouble(&Name::new(path.to_string_lossy()), Trouble::Error(error.into()))?;
                }
                Found::Nothing(path) => queue.trouble(&Name::new(path.to_string_lossy()), Trouble::Nothing)?,
            }
        }
        ControlFlow::Continue(())
    }

    fn open_file(&self, path: &Path, is_stream: bool, queue: &mut Outlet<'_>) -> ControlFlow<()> {
        let name = path.to_string_lossy();
        match File::open(path) {
            Ok(file) if is_stream => self.visit(&name, Source::stream(file), queue),
            Ok(file) => self.visit(&name, Source::file(file, path), queue),
            Err(error) => queue.trouble(&Name::new(name), Trouble::Error(error.into())),
        }
    }
}

impl Members {
    fn start(unpack: impl FnOnce(&mut Outlet<'_>) + Send + 'static) -> Self {
        let queue = Arc::new(Queue::default());
        let shared = Arc::clone(&queue);
        let started = thread::Builder::new().name("unpack".to_owned()).spawn(move || {
            let mut outlet = Outlet { queue: &shared, buffer: vec![0; Outlet::LEN].into_boxed_slice() };
            if catch_unwind(AssertUnwindSafe(|| unpack(&mut outlet))).is_err() {
                let error = Error::Damaged("it made a library fail");
                let _ = shared.trouble(&Name::default(), Trouble::Error(error));
            }
            shared.finish();
        });
        if let Err(error) = started {
            let _ = queue.trouble(&Name::default(), Trouble::Error(error.into()));
            queue.finish();
        }
        Self { queue, batch: Batch::default(), at: 0, begun: 0, place: Place::Between, name: Name::default() }
    }

    /// The next member, or what there is to say of one that can't be read; `None` at the end.
    pub fn next_member(&mut self) -> Option<Result<Member<'_>, Report>> {
        if self.place == Place::Inside {
            self.queue.leave(self.begun);
        }
        loop {
            match self.next_mark()? {
                What::Begin(name) => {
                    self.begun += 1;
                    self.place = Place::Inside;
                    self.name = name;
                    return Some(Ok(Member { members: self }));
                }
                What::End(_) => self.place = Place::Between,
                What::Trouble(name, trouble) => return Some(Err(Report { name, trouble })),
            }
        }
    }

    /// The member that came last, as long as it was not read to its end.
    pub fn current(&mut self) -> Option<Member<'_>> {
        (self.place == Place::Inside).then_some(Member { members: self })
    }

    /// Passes over bytes.
    fn next_mark(&mut self) -> Option<What> {
        loop {
            if let Some(mark) = self.batch.marks.pop_front() {
                self.at = mark.at;
                return Some(mark.what);
            }
            if !self.next_batch() {
                return None;
            }
        }
    }

    fn next_batch(&mut self) -> bool {
        self.at = 0;
        self.place != Place::Ended && {
            let more = self.queue.next(&mut self.batch);
            if !more {
                self.place = Place::Ended;
            }
            more
        }
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members").field("begun", &self.begun).finish_non_exhaustive()
    }
}

impl Member<'_> {
    /// What it is called.
    pub fn name(&self) -> &Name {
        &self.members.name
    }
}

impl Read for Member<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let members = &mut *self.members;
        if buffer.is_empty() {
            return Ok(0);
        }
        while members.place == Place::Inside {
            let until = members.batch.marks.front().map_or(members.batch.bytes.len(), |mark| mark.at);
            if members.at < until {
                let len = buffer.len().min(until - members.at);
                buffer[..len].copy_from_slice(&members.batch.bytes[members.at..members.at + len]);
                members.at += len;
                return Ok(len);
            }
            match members.batch.marks.pop_front() {
                Some(Mark { what: What::End(result), .. }) => {
                    members.place = Place::Between;
                    result?;
                }
                // Between a member's beginning and its end there are only bytes.
                Some(_) => {}
                None if members.next_batch() => {}
                None => return Err(Error::Damaged("it made a library fail").into()),
            }
        }
        Ok(0)
    }
}

impl fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("name", &self.members.name).finish_non_exhaustive()
    }
}

/// The end of the queue on the thread that unpacks.
struct Outlet<'q> {
    queue: &'q Queue,
    buffer: Box<[u8]>,
}

impl Outlet<'_> {
    const LEN: usize = 64 << 10;

    fn copy(&mut self, bytes: &mut dyn Read) -> Result<io::Result<()>, Refused> {
        loop {
            match bytes.read(&mut self.buffer) {
                Ok(0) => return Ok(Ok(())),
                Ok(len) => self.queue.bytes(&self.buffer[..len])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Ok(Err(error)),
            }
        }
    }
}

fn flow(result: Result<(), Refused>) -> ControlFlow<()> {
    match result {
        Err(Refused::All) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    }
}

impl Visit for Outlet<'_> {
    fn member(&mut self, name: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        flow(self.queue.begin(name))?;
        let result = match self.copy(bytes) {
            Ok(result) => result,
            Err(Refused::Member) => Ok(()),
            Err(Refused::All) => return ControlFlow::Break(()),
        };
        flow(self.queue.end(result))
    }

    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
        flow(self.queue.trouble(name, trouble))
    }
}
