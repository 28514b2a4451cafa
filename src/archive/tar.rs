//! tar: entries one after the other, in a stream that is read once.
//!
//! Owns what bounds the library that reads the headers, where an archive ends, and what comes after it.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::archive::format::{HEAD_LEN, is_tar};
use crate::archive::opener::{Input, Opening};
use crate::archive::picks::Pick;
use crate::archive::{Skip, Trouble};

/// Bytes of the headers of one entry. The library keeps a name of any length.
const HEADERS: u64 = 1 << 20;

impl Opening<'_, '_> {
    /// Reads a tar archive, and those that stand behind it.
    pub(crate) fn tar(&mut self, input: Input<'_>, depth: usize, pick: Pick) -> ControlFlow<()> {
        let state = Rc::new(State::default());
        let mut input = Guarded { input, state: Rc::clone(&state) };
        loop {
            let mut archive = tar::Archive::new(input);
            if !self.entries(&mut archive, &state, depth, pick)? {
                return ControlFlow::Continue(());
            }
            state.budget.set(None);
            input = archive.into_inner();
            match rest(&mut input.input, &state) {
                Ok(Rest::Nothing) => return ControlFlow::Continue(()),
                Ok(Rest::Archive) => {}
                Ok(Rest::Bytes(count)) => return self.trouble(Trouble::BytesAfterEnd(count)),
                Err(error) => return self.failed(error),
            }
        }
    }

    /// Reads the entries up to the archive's end; false where that was not found.
    fn entries(
        &mut self,
        archive: &mut tar::Archive<Guarded<'_>>,
        state: &State,
        depth: usize,
        pick: Pick,
    ) -> ControlFlow<(), bool> {
        let mut entries = match archive.entries() {
            Ok(entries) => entries,
            Err(error) => {
                self.failed(error)?;
                return ControlFlow::Continue(false);
            }
        };
        loop {
            state.budget.set(Some(HEADERS));
            let mut entry = match entries.next() {
                None => return ControlFlow::Continue(true),
                Some(Ok(entry)) => entry,
                Some(Err(error)) => {
                    self.failed(error)?;
                    return ControlFlow::Continue(false);
                }
            };
            state.budget.set(None);
            self.add_member()?;
            let kind = entry.header().entry_type();
            let name = entry.path_bytes().into_owned();
            // Of a sparse one, not all bytes are there.
            let start = self.start.filter(|_| !kind.is_gnu_sparse()).map(|start| start + state.at.get());
            let mut bytes = Whole { left: entry.size(), entry: &mut entry };
            let entry_pick = self.pick(&name, pick);
            let is_plain = kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse();
            if is_plain && entry_pick != Pick::Leave {
                self.entry_at(&name, &mut bytes, start, depth, entry_pick)?;
            } else if is_plain {
                self.not_picked(&name);
            } else if !kind.is_dir() {
                self.skipped(&name, Skip::Kind);
            }
            if state.failed.get() {
                // Whoever read the entry has said so.
                return ControlFlow::Continue(false);
            }
            if let Err(error) = io::copy(&mut bytes, &mut io::sink()) {
                self.failed(error)?;
                return ControlFlow::Continue(false);
            }
        }
    }
}

/// An entry, whose end is not where the source happens to end. Sparse ones may be longer than the archive.
struct Whole<'a, R> {
    left: u64,
    entry: &'a mut R,
}

impl<R: Read> Read for Whole<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.entry.read(buffer)?;
        if len == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive is cut off"));
        }
        self.left = self.left.saturating_sub(len as u64);
        Ok(len)
    }
}

#[derive(Default)]
struct State {
    /// Bytes that may still be read, where they are headers.
    budget: Cell<Option<u64>>,
    failed: Cell<bool>,
    /// Bytes that were read of the whole.
    at: Cell<u64>,
}

struct Guarded<'a> {
    input: Input<'a>,
    state: Rc<State>,
}

impl Read for Guarded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = match self.state.budget.get() {
            Some(0) => return Err(io::Error::other("the headers of an entry are too long")),
            Some(budget) => buffer.len().min(budget as usize),
            None => buffer.len(),
        };
        let result = self.input.read(&mut buffer[..most]);
        self.state.at.set(self.state.at.get() + *result.as_ref().unwrap_or(&0) as u64);
        match &result {
            Ok(len) => self.state.budget.set(self.state.budget.get().map(|budget| budget - *len as u64)),
            Err(_) => self.state.failed.set(true),
        }
        if matches!(result, Ok(0)) && !buffer.is_empty() {
            self.state.failed.set(true);
        }
        result
    }
}

/// What comes after the block of zeros that ends an archive.
enum Rest {
    Nothing,
    Archive,
    Bytes(u64),
}

fn rest(input: &mut Input<'_>, state: &State) -> io::Result<Rest> {
    loop {
        let head = input.peek(HEAD_LEN)?;
        if head.is_empty() {
            return Ok(Rest::Nothing);
        }
        if is_tar(head) {
            return Ok(Rest::Archive);
        }
        if head.iter().any(|&byte| byte != 0) {
            return input.drain().map(Rest::Bytes);
        }
        let len = head.len();
        input.consume(len);
        state.at.set(state.at.get() + len as u64);
    }
}
