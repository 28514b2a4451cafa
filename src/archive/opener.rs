//! What a source is read with, and who receives its members.
//!
//! Owns [`Opener`], which is all that a caller may choose, and [`Visit`]. How a source is read is for `opening`.

use std::fmt;
use std::io::Read;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use crate::archive::arrivals::Outlet;
use crate::archive::buffered::Buffered;
use crate::archive::format::{Format, HEAD_LEN};
use crate::archive::frames::Frames;
use crate::archive::limits::{Meter, Stop};
use crate::archive::opening::Opening;
use crate::archive::source::Source;
use crate::archive::{Limits, Name, Picks, Skip, Trouble};

/// Receives the members.
pub trait Visit {
    /// A member. What is not read of it is skipped.
    ///
    /// It is unpacked as it is read, on this thread, and can't be sent to another: what needs a source that is [`Send`], as
    /// [`ParallelReader`](crate::ParallelReader) does, reads the members of [`Opener::open`] or [`Opener::members`].
    ///
    /// An error of the reader goes to whoever called it, and is not reported again. Members after it still come if they
    /// can be read.
    fn member(&mut self, name: &Name, bytes: &mut dyn Read) -> ControlFlow<()>;

    /// What comes next takes more than a little memory, up to [`Limits::window`]. A visitor that reads several sources
    /// at once, and has not that much memory for each, waits here for the others.
    fn heavy(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// What can't be read, or what was skipped.
    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()>;
}

/// Opens files and archives. It holds the choice of what is read of them, and how much.
#[derive(Clone, Default)]
pub struct Opener {
    pub(crate) limits: Limits,
    pub(crate) picks: Arc<Picks>,
    member: Option<Arc<str>>,
    counted: Option<Arc<dyn Fn(u64) + Send + Sync>>,
    stop: Option<Arc<Stop>>,
    /// Tells whether whoever receives the members is gone.
    closed: Option<Arc<Stop>>,
    pub(crate) skipped: Option<Arc<OnSkip>>,
}

/// Receives what is skipped.
pub(crate) type OnSkip = dyn Fn(&Name, Skip) + Send + Sync;

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").field("limits", &self.limits).field("picks", &self.picks).finish_non_exhaustive()
    }
}

impl Opener {
    /// With the usual limits and picks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Unpacks no more of an input than these limits allow.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads only what these choose, in directories and archives.
    #[must_use]
    pub fn picks(mut self, picks: Picks) -> Self {
        self.picks = Arc::new(picks);
        self
    }

    /// Reads of each archive only the member with this name, whatever it is, and of what is nested in it what the picks
    /// choose. The name is the one that [`Name::member`] gives, and is no pattern. Of what is no archive, nothing is read.
    #[must_use]
    pub fn member(mut self, name: &str) -> Self {
        self.member = Some(name.into());
        self
    }

    /// Calls this with the number of bytes as they are read from the input itself, before anything is unpacked: for
    /// progress.
    #[must_use]
    pub fn counted(mut self, counted: impl Fn(u64) + Send + Sync + 'static) -> Self {
        self.counted = Some(Arc::new(counted));
        self
    }

    /// Asks this with every piece that is unpacked, even of what is skipped. Once it says true, that is an error, and nothing more
    /// of the input is unpacked.
    #[must_use]
    pub fn stopped_by(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.stop = Some(Arc::new(stop));
        self
    }

    /// Calls this for files and members that are skipped because of names and patterns. Not for directories, except
    /// excluded ones, nor for what is inside something that was skipped.
    ///
    /// It is called at once, by whichever thread walks or unpacks, which may be ahead of the members that were read.
    #[must_use]
    pub fn skipped(mut self, skipped: impl Fn(&Name, Skip) + Send + Sync + 'static) -> Self {
        self.skipped = Some(Arc::new(skipped));
        self
    }

    /// Calls the visitor with all members of a source, one after the other, on this thread. A source that is no archive
    /// is its own member.
    ///
    /// Breaks if the visitor does.
    pub fn visit(&self, name: &str, source: Source<'_>, visit: &mut dyn Visit) -> ControlFlow<()> {
        let stop = match (self.stop.clone(), self.closed.clone()) {
            (Some(stop), Some(closed)) => Some(Arc::new(move || stop() || closed()) as Arc<Stop>),
            (stop, closed) => stop.or(closed),
        };
        let meter = Meter::new(self.limits.clone()).stopped_by(stop);
        let member = source.member.clone().or_else(|| self.member.clone());
        Opening::new(self, Name::new(name), member, meter, visit).read(source)
    }

    /// The first bytes of what is in something compressed.
    pub(crate) fn unpacked_head(&self, format: Format, head: Vec<u8>, rest: impl Read) -> Vec<u8> {
        let meter = Rc::new(Meter::new(self.limits.clone()));
        let packed = Buffered::with_head(head, rest);
        let mut unpacked = Vec::new();
        if let Ok(frames) = Frames::new(format, packed, &meter, Rc::default()) {
            // A fault in it is reported where it is read.
            let _ = frames.take(HEAD_LEN as u64).read_to_end(&mut unpacked);
        }
        unpacked
    }

    /// What is reported if nothing was read of a source that could be.
    pub(crate) fn nothing(&self) -> Trouble {
        if self.picks.have_patterns() { Trouble::NothingPicked } else { Trouble::Nothing }
    }

    /// Stops once whoever reads the members from this queue is gone.
    pub(crate) fn while_open(mut self, queue: &Outlet) -> Self {
        self.closed = Some(queue.closed());
        self
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.as_ref().is_some_and(|closed| closed())
    }

    pub(crate) fn count(&self, len: u64) {
        if let Some(counted) = &self.counted {
            counted(len);
        }
    }
}
