//! From the bytes of an input to events, with one buffer and one parser: a folder or an archive may be a million small files.
//!
//! Owns the read loop, the members of an archive that are read one after the other, and how a source ends: where it fails, the
//! game in progress counts as ended there. What becomes of the events and reports is for an [`Outlet`]. Refuses to know which
//! inputs there are, and whether other threads read some of them.

use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;

use sgf_stream::Error;
use sgf_stream::archive::{self, Format, HEAD_LEN, Name, Trouble, Visit};
use sgf_stream::read::PageBuffer;

use crate::input::{Input, Pausing};
use crate::interrupt;
use crate::progress::Progress;
use crate::session::whereabouts::Machine;
use crate::session::{End, Flow, Outcome, Report, Sink};

/// What becomes of the events of what is read, and of the reports about it.
pub(crate) trait Outlet {
    type Sink: Sink;

    fn sink(&mut self) -> &mut Self::Sink;

    fn report(&mut self) -> &mut Report;

    /// Has the next bytes of the source read, or its end if there are none. The error is one of strict reading.
    fn feed(&mut self, machine: &mut impl Machine, bytes: &[u8]) -> Result<Flow, Error>;

    /// All bytes that have come so far were read; the next ones may take a while.
    fn pause(&mut self) -> Flow;

    /// The input or member has ended, after this many bytes unless `end` says otherwise.
    fn ended(&mut self, name: &Name, end: End, bytes: u64) -> Flow;

    /// What was reported so far is about this member and those before it, of which there may be millions.
    fn reported(&mut self, name: &Name) -> Flow;
}

/// Reads input after input.
pub(crate) struct Reader<M> {
    pub(crate) machine: M,
    buffer: PageBuffer,
    /// How many bytes are read at once; the first ones are enough to recognise an archive.
    most: usize,
    /// So many are waited for, unless the source pauses. Otherwise somebody may be following the output, and gets what one read
    /// brings.
    fills: bool,
    progress: Progress,
}

/// An input of which the first bytes are in the buffer.
pub(crate) struct Opened {
    pub(crate) filled: Filled,
    pub(crate) source: Pausing,
    pub(crate) is_packed: bool,
}

/// Bytes from a source, in the buffer.
pub(crate) struct Filled {
    pub(crate) len: usize,
    pub(crate) end: Filling,
}

/// Why there are no more of them.
pub(crate) enum Filling {
    /// The buffer is full, or there are no more for now.
    More,
    Ended,
    Failed(io::Error),
}

impl<M: Machine> Reader<M> {
    pub(crate) fn new(machine: M, most: usize, fills: bool, progress: &Progress) -> Self {
        Self { machine, buffer: PageBuffer::new(most.max(HEAD_LEN)), most, fills, progress: progress.clone() }
    }

    /// Opens an input. The first read may fail too, as that of a directory does: what yields nothing at all was no input.
    pub(crate) fn open(&mut self, input: &Input, name: &Name, report: &mut Report) -> Option<Opened> {
        let first = input.open().map(|source| {
            let mut source = Pausing::new(source);
            (self.fill(&mut source, true), source)
        });
        match first {
            Err(error) | Ok((Filled { len: 0, end: Filling::Failed(error) }, _)) => {
                report.cannot_read(name, &error);
                None
            }
            Ok((filled, source)) => {
                self.progress.begin(name.as_str());
                let is_packed = input.is_packed(self.start(&filled));
                Some(Opened { filled, source, is_packed })
            }
        }
    }

    /// The bytes that were filled in.
    pub(crate) fn start(&self, filled: &Filled) -> &[u8] {
        &self.buffer[..filled.len]
    }

    /// An opened input as something to be unpacked.
    pub(crate) fn packed(&self, input: &Input, opened: Opened) -> archive::Source<'static> {
        opened.source.into_source().into_archive(input, self.start(&opened.filled))
    }

    /// Reads an opened input to its end.
    pub(crate) fn plain(&mut self, input: &Input, name: &Name, mut opened: Opened, outlet: &mut impl Outlet) -> Flow {
        outlet.sink().begin(name.as_str());
        self.source(name, input.path(), opened.filled, &mut opened.source, true, outlet)
    }

    /// Reads a source to its end. `path` is where the bytes of a problem can be looked up. `counts`: its bytes are those that the
    /// bar shows.
    fn source(
        &mut self,
        name: &Name,
        path: Option<&Path>,
        filled: Filled,
        source: &mut dyn Read,
        counts: bool,
        outlet: &mut impl Outlet,
    ) -> Flow {
        self.machine.reset();
        let end = self.read(filled, source, counts, outlet)?.looked_for(path);
        self.machine.end(name.as_str());
        outlet.ended(name, end, self.machine.offset())
    }

    fn read(&mut self, mut filled: Filled, source: &mut dyn Read, counts: bool, outlet: &mut impl Outlet) -> Flow<End> {
        // The length and offset of the buffer's contents, which are still needed when the source has ended.
        let (mut held, mut start) = (filled.len, 0);
        let closed = loop {
            if filled.len > 0 {
                match outlet.feed(&mut self.machine, &self.buffer[..filled.len]) {
                    Ok(flow) => {
                        self.progress.advance(if counts { filled.len } else { 0 });
                        flow?;
                    }
                    Err(error) => break Err(error),
                }
            }
            match filled.end {
                Filling::More => outlet.pause()?,
                Filling::Ended => break close(&mut self.machine, None, outlet),
                Filling::Failed(error) => break close(&mut self.machine, Some(error), outlet),
            }
            if interrupt::is_asked() {
                return ControlFlow::Continue(End::Interrupted);
            }
            filled = self.fill(source, false);
            if filled.len > 0 {
                start += held as u64;
                held = filled.len;
            }
        };
        closed.unwrap_or_else(|error| ControlFlow::Continue(End::from(error).seen_in(&self.buffer[..held], start)))
    }

    /// Reads into the buffer. At the beginning of the source it must be enough to recognise the format.
    fn fill(&mut self, source: &mut dyn Read, is_beginning: bool) -> Filled {
        let is_enough = |bytes: &[u8]| !(is_beginning && Format::needs_more(bytes));
        let most = if is_beginning { self.buffer.len() } else { self.most };
        let mut len = 0;
        while len < most {
            match source.read(&mut self.buffer[len..most]) {
                Ok(0) => return Filled { len, end: Filling::Ended },
                Ok(more) => {
                    len += more;
                    if !self.fills && is_enough(&self.buffer[..len]) {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if len > 0 && is_enough(&self.buffer[..len]) {
                        break;
                    }
                }
                Err(error) => return Filled { len, end: Filling::Failed(error) },
            }
        }
        Filled { len, end: Filling::More }
    }
}

/// Ends reading of a source that has ended, or failed: then a fault at the end is due to the failure, which is reported.
pub(crate) fn close(
    machine: &mut impl Machine,
    failure: Option<io::Error>,
    outlet: &mut impl Outlet,
) -> Result<Flow<End>, Error> {
    let Some(error) = failure else {
        return outlet.feed(machine, &[]).map(|flow| flow.map_continue(|()| End::Complete));
    };
    if !interrupt::is_asked()
        && let Ok(ControlFlow::Break(end)) = outlet.feed(machine, &[])
    {
        return Ok(ControlFlow::Break(end));
    }
    Ok(ControlFlow::Continue(End::failed(error)))
}

/// Reads the members of an archive.
pub(crate) struct Unpacking<'a, M, O> {
    pub(crate) reader: &'a mut Reader<M>,
    pub(crate) outlet: &'a mut O,
    /// Whether anything more is wanted, behind the archive too.
    pub(crate) flow: Flow,
}

impl<M: Machine, O: Outlet> Unpacking<'_, M, O> {
    fn read(&mut self, name: &Name, bytes: &mut dyn Read) -> Flow {
        let filled = self.reader.fill(bytes, false);
        if let Filled { len: 0, end: Filling::Failed(error) } = &filled {
            self.outlet.report().cannot_read(name, error);
            return ControlFlow::Continue(());
        }
        self.reader.progress.begin(name.as_str());
        self.outlet.sink().begin_member(name);
        self.reader.source(name, None, filled, bytes, false, self.outlet)
    }

    fn visit(&self) -> ControlFlow<()> {
        if self.flow.is_continue() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Whether to go on after something was read or reported.
    fn goes_on(&mut self, name: &Name) -> ControlFlow<()> {
        if interrupt::is_asked() {
            let report = self.outlet.report();
            if report.outcome != Outcome::Interrupted {
                report.interrupted(name.input(), None);
            }
            return ControlFlow::Break(());
        }
        if self.flow.is_continue() {
            self.flow = self.outlet.reported(name);
        }
        self.visit()
    }
}

impl<M: Machine, O: Outlet> Visit for Unpacking<'_, M, O> {
    fn member(&mut self, name: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        self.flow = self.read(name, bytes);
        self.goes_on(name)
    }

    /// Only the thread whose turn it is may take more than a little memory.
    fn heavy(&mut self) -> ControlFlow<()> {
        self.flow = self.outlet.pause();
        self.visit()
    }

    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
        self.outlet.report().trouble(name, &trouble);
        self.goes_on(name)
    }
}
