//! How far the reader has come in what the unpacking thread has sent.
//!
//! Owns that thread, and both ends of the queue. Refuses to know how long to wait.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crate::archive::ahead::{Batch, Mark, Queue, Refused, What};
use crate::archive::limits::Stop;
use crate::archive::members::Report;
use crate::archive::{Error, Name, Trouble, Visit};

/// The end of the queue where members are read.
pub(crate) struct Arrivals {
    queue: Arc<Queue>,
    batch: Batch,
    /// How much of the batch was read.
    at: usize,
    /// How many members have come.
    pub(crate) begun: u64,
    place: Place,
    name: Name,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    Inside,
    /// Nothing more comes.
    Ended,
}

impl Arrivals {
    /// Starts the thread.
    pub(crate) fn start(unpack: impl FnOnce(&mut Outlet) + Send + 'static) -> Self {
        let queue = Arc::new(Queue::default());
        let shared = Arc::clone(&queue);
        let started = thread::Builder::new().name("unpack".to_owned()).spawn(move || {
            let mut outlet = Outlet { queue: Arc::clone(&shared), buffer: vec![0; Outlet::LEN].into_boxed_slice() };
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

    /// The name of the member that came last.
    pub(crate) fn name(&self) -> &Name {
        &self.name
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.place == Place::Inside
    }

    /// Nothing more is wanted of the member in progress.
    pub(crate) fn leave(&self) {
        if self.is_inside() {
            self.queue.leave(self.begun);
        }
    }

    /// Goes on to the next member; `None` if the next batch has to be waited for, or nothing more comes.
    pub(crate) fn next(&mut self) -> Option<Result<(), Report>> {
        while let Some(mark) = self.batch.marks.pop_front() {
            self.at = mark.at;
            match mark.what {
                What::Begin(name) => {
                    self.begun += 1;
                    self.place = Place::Inside;
                    self.name = name;
                    return Some(Ok(()));
                }
                What::End(_) => self.place = Place::Between,
                What::Trouble(name, trouble) => return Some(Err(Report { name, trouble })),
            }
        }
        None
    }

    /// Reads from the member in progress; `None` if the next batch has to be waited for.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Option<io::Result<usize>> {
        if buffer.is_empty() {
            return Some(Ok(0));
        }
        if !self.is_inside() {
            return Some(Ok(0));
        }
        let until = self.batch.marks.front().map_or(self.batch.bytes.len(), |mark| mark.at);
        if self.at < until {
            let len = buffer.len().min(until - self.at);
            buffer[..len].copy_from_slice(&self.batch.bytes[self.at..self.at + len]);
            self.at += len;
            return Some(Ok(len));
        }
        // Between a member's beginning and its end there are only bytes, unless a library failed there.
        let mark = self.batch.marks.pop_front()?;
        self.place = Place::Between;
        Some(match mark {
            Mark { what: What::End(result), .. } => result.map(|()| 0),
            mark => {
                self.batch.marks.push_front(mark);
                Err(Error::Damaged("it made a library fail").into())
            }
        })
    }

    /// Waits for the next batch; false if nothing more comes.
    pub(crate) fn wait(&mut self) -> bool {
        let more = self.place != Place::Ended && self.queue.next(&mut self.batch);
        self.turn(more)
    }

    /// Polls for the next batch, for tasks; false if nothing more comes.
    #[cfg(feature = "tokio")]
    pub(crate) fn poll_wait(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<bool> {
        if self.place == Place::Ended {
            return std::task::Poll::Ready(false);
        }
        self.queue.poll_next(context, &mut self.batch).map(|more| self.turn(more))
    }

    fn turn(&mut self, more: bool) -> bool {
        self.at = 0;
        if !more {
            self.place = Place::Ended;
        }
        more
    }
}

impl Drop for Arrivals {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// The end of the queue on the thread that unpacks.
pub(crate) struct Outlet {
    queue: Arc<Queue>,
    buffer: Box<[u8]>,
}

impl Outlet {
    const LEN: usize = 64 << 10;

    /// Tells whether the reader is gone.
    pub(crate) fn closed(&self) -> Arc<Stop> {
        let queue = Arc::clone(&self.queue);
        Arc::new(move || queue.is_closed())
    }

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

impl Visit for Outlet {
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
