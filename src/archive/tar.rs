//! tar: entries one after the other, in a stream that is read once.
//!
//! Owns the bounds on the library that reads the headers, where an archive ends, what comes after it, and where reading resumes
//! when a header is missing. A header is never searched for in bytes that another header declares to be an entry's, except
//! for less than a block before a place where no header is: bytes that were lost before it have moved it there.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use memchr::memmem;

use crate::archive::format::{HEAD_LEN, is_tar};
use crate::archive::limits::Metered;
use crate::archive::name::entry_shown;
use crate::archive::opening::{Input, Level, Opening};
use crate::archive::picks::Pick;
use crate::archive::sparse::Sparse;
use crate::archive::{Error, Skip, Trouble};

/// The most bytes for the headers of one entry. The library itself keeps a name of any length.
const HEADERS: u64 = 1 << 20;

/// Headers stand at multiples of it.
const BLOCK: u64 = 512;

/// How many bytes are searched at once for a header.
const WINDOW: usize = 32 << 10;

/// What nearly all headers have, and where.
const MAGIC: &[u8] = b"ustar";
const MAGIC_AT: usize = 257;

/// The entry type by which GNU tar names a tape, or a volume.
const LABEL: u8 = b'V';

/// How reading of entries has ended.
enum End {
    /// Where an archive ends.
    Archive,
    /// Behind the archive's own name, an entry that the library does not know.
    Label,
    /// At a header that makes no sense, at this place.
    Damage(u64),
    /// For good, and the visitor was told why.
    Failed,
}

/// Bytes in the place of an entry.
struct Lost {
    at: u64,
    /// Where the next header is, or where these bytes end.
    end: u64,
}

impl Lost {
    fn error(self, next: Option<&[u8]>) -> Error {
        Error::Lost {
            at: self.at,
            len: self.end.saturating_sub(self.at),
            next: next.map(|name| (entry_shown(name), self.end)),
        }
    }
}

/// What the headers of an entry say.
struct Headers {
    name: Vec<u8>,
    kind: tar::EntryType,
    sparse: Option<Sparse>,
    /// What it is another name of.
    target: Option<Vec<u8>>,
    /// The name may be only the beginning of the entry's own.
    is_name_cut: bool,
}

impl Headers {
    fn of<R: Read>(entry: &mut tar::Entry<'_, R>) -> Self {
        let kind = entry.header().entry_type();
        // For other kinds the library may take the entry's bytes for headers.
        let has_extensions = is_plain(kind) && !kind.is_gnu_sparse();
        // A shorter name stands whole in the header itself.
        let is_long = has_extensions && !entry.header().as_old().name.contains(&0);
        let is_name_cut = is_long && entry.pax_extensions().ok().flatten().is_some_and(lacks_name);
        let extensions = if has_extensions { entry.pax_extensions().ok().flatten() } else { None };
        let mut sparse = extensions.and_then(Sparse::of);
        let name = sparse.as_mut().and_then(|sparse| sparse.name.take());
        let name = name.unwrap_or_else(|| entry.path_bytes().into_owned());
        let target = entry.link_name_bytes().filter(|_| kind.is_hard_link()).map(Cow::into_owned);
        Self { name, kind, sparse, target, is_name_cut }
    }
}

/// Whether an entry of this kind is a file with bytes of its own.
fn is_plain(kind: tar::EntryType) -> bool {
    kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()
}

impl Opening<'_, '_> {
    /// Reads a tar archive, and those that stand behind it.
    pub(crate) fn tar(&mut self, input: Input<'_>, level: Level) -> ControlFlow<()> {
        let state = Rc::new(State::default());
        let mut input = Guarded { input, state: Rc::clone(&state) };
        // Reported together with the entry that comes next.
        let mut lost = None;
        let mut names = Names::default();
        loop {
            state.begin.set(state.at.get());
            let mut archive = tar::Archive::new(input);
            let end = self.entries(&mut archive, &state, &mut lost, &mut names, level)?;
            state.budget.set(None);
            input = archive.into_inner();
            let is_damaged = state.phase.get() == Phase::Damaged;
            let next = match end {
                End::Label => continue,
                // The system has failed to read a part of an entry, whose end is known.
                End::Failed if is_damaged && level.depth == 1 && self.go_on(&mut input.input, &state) => continue,
                // If something is merely cut off, there is no rest to be reported.
                End::Failed if is_damaged => return self.rest_lost(),
                End::Failed => Ok(Rest::Nothing),
                End::Archive if state.phase.get() == Phase::Ended => Ok(Rest::Cut),
                End::Archive => rest(&mut input.input, &state),
                End::Damage(at) => {
                    look_back(&mut input.input, &state);
                    let next = next_entry(&mut input.input, &state);
                    let end = next.as_ref().map_or(state.at.get(), |(_, end)| *end);
                    lost = Some(Lost { at: lost.map_or(at, |lost| lost.at), end });
                    next.map(|(is_there, _)| if is_there { Rest::Archive } else { Rest::Nothing })
                }
            };
            match next {
                Ok(Rest::Archive) => {}
                Ok(Rest::Lost(bytes)) => lost = Some(bytes),
                Ok(Rest::Bytes(count)) => return self.trouble(Trouble::BytesAfterEnd(count)),
                Ok(Rest::Cut) if lost.is_none() => return self.trouble(Trouble::NoEnd),
                Ok(Rest::Nothing | Rest::Cut) => {
                    return lost.map_or(ControlFlow::Continue(()), |lost| self.failed(lost.error(None)));
                }
                Err(error) => {
                    if let Some(lost) = lost {
                        self.failed(lost.error(None))?;
                    }
                    return self.failed(error);
                }
            }
        }
    }

    /// Goes on behind the entry that could not be read, if the input itself can. False if it can't.
    fn go_on(&self, input: &mut Input<'_>, state: &State) -> bool {
        let (Some(start), Some(jump), Some(next)) = (self.start, &self.jump, state.next.take()) else { return false };
        let Some(to) = start.checked_add(next) else { return false };
        jump.set(Some(to));
        input.clear();
        state.phase.set(Phase::Reading);
        state.tail.borrow_mut().clear();
        state.at.set(next);
        true
    }

    /// Reads the entries up to the archive's end.
    fn entries(
        &mut self,
        archive: &mut tar::Archive<Guarded<'_>>,
        state: &State,
        lost: &mut Option<Lost>,
        names: &mut Names,
        level: Level,
    ) -> ControlFlow<(), End> {
        let mut entries = match archive.entries() {
            Ok(entries) => entries,
            Err(error) => {
                self.failed(error)?;
                return ControlFlow::Continue(End::Failed);
            }
        };
        loop {
            let at = state.edge(state.at.get());
            state.next.set(None);
            state.budget.set(Some(HEADERS));
            let mut entry = match entries.next() {
                None => return ControlFlow::Continue(End::Archive),
                Some(Ok(entry)) => entry,
                Some(Err(error)) => return self.no_entry(error, at, state),
            };
            state.budget.set(None);
            self.add_member()?;
            // Of a sparse entry, not all bytes are in the archive.
            let is_sparse = entry.header().entry_type().is_gnu_sparse();
            let end = state.at.get().checked_add(entry.size()).filter(|&end| end < u64::MAX - BLOCK && !is_sparse);
            state.next.set(end.map(|end| state.edge(end)));
            let headers = Headers::of(&mut entry);
            if let Some(lost) = lost.take() {
                self.failed(lost.error(Some(&headers.name)))?;
            }
            let is_as_it_is = !is_sparse && headers.sparse.is_none();
            let start = self.start.filter(|_| is_as_it_is).map(|start| start + state.at.get());
            let mut whole = Whole { left: entry.size(), entry: &mut entry };
            let mut with_holes;
            let bytes: &mut dyn Read = if is_sparse {
                // 2 kB may claim to stand for 4 EB.
                with_holes = Metered::new(&mut whole, Rc::clone(&self.meter));
                &mut with_holes
            } else {
                &mut whole
            };
            self.deliver(headers, bytes, start, names, level)?;
            if state.phase.get() != Phase::Reading {
                // The reader of the entry has received the error.
                return ControlFlow::Continue(End::Failed);
            }
            // The library skips the data of a sparse entry itself, and the holes are nothing.
            if !is_sparse && let Err(error) = io::copy(&mut whole, &mut io::sink()) {
                self.failed(error)?;
                return ControlFlow::Continue(End::Failed);
            }
        }
    }

    /// Hands an entry to the visitor, or says why not. `start`: where its bytes begin in the input.
    fn deliver(
        &mut self,
        headers: Headers,
        bytes: &mut dyn Read,
        start: Option<u64>,
        names: &mut Names,
        level: Level,
    ) -> ControlFlow<()> {
        let Headers { name, kind, sparse, target, is_name_cut } = headers;
        let mut pick = self.pick(&name, level.pick);
        if is_name_cut {
            let error = Error::Damaged("its extended header makes no sense, and its name may be cut short");
            self.entry_trouble(&name, Trouble::Error(error))?;
            if pick == Pick::Leave && self.pick(&[&name, &b".sgf"[..]].concat(), level.pick) != Pick::Leave {
                pick = Pick::IfGame;
            }
        }
        let is_plain = is_plain(kind);
        let is_picked = pick != Pick::Leave;
        let is_read = target.as_ref().map_or(is_picked, |target| names.has_read(target));
        if is_plain || target.is_some() {
            names.add(&name, is_read);
        }
        if let Some(sparse) = sparse.filter(|_| is_picked) {
            self.sparse_entry(&name, sparse, bytes, level.with(pick))?;
        } else if is_plain && is_picked {
            self.entry_at(&name, bytes, start, level.with(pick))?;
        } else if is_plain {
            self.not_picked(&name);
        } else if let Some(target) = target.filter(|_| is_picked) {
            let target = entry_shown(&target);
            let trouble = if is_read { Trouble::HardLink(target) } else { Trouble::Error(Error::LinkToUnread(target)) };
            self.entry_trouble(&name, trouble)?;
        } else if !kind.is_dir() {
            self.skipped(&name, Skip::Kind);
        }
        ControlFlow::Continue(())
    }

    fn sparse_entry(&mut self, name: &[u8], sparse: Sparse, bytes: &mut dyn Read, level: Level) -> ControlFlow<()> {
        match sparse.whole(bytes) {
            Ok(whole) => self.entry(name, &mut Metered::new(whole, Rc::clone(&self.meter)), level),
            Err(error) => self.entry_trouble(name, Trouble::Error(error)),
        }
    }

    /// The library can't read an entry, though its header, or the first of its headers, is there.
    fn no_entry(&mut self, error: io::Error, at: u64, state: &State) -> ControlFlow<(), End> {
        let is_too_long = state.budget.get() == Some(0);
        match state.phase.get() {
            Phase::Ended => self.failed(cut_off())?,
            Phase::Reading if !is_too_long => {
                let header = state.header.borrow();
                let label = header.as_ref().filter(|header| is_tar(*header) && header[156] == LABEL);
                return ControlFlow::Continue(if let Some(header) = label {
                    let name = header[..100].split(|&byte| byte == 0).next().unwrap_or_default();
                    self.skipped(name, Skip::Kind);
                    End::Label
                } else {
                    End::Damage(at)
                });
            }
            Phase::Reading | Phase::Damaged | Phase::Failed => self.failed(error)?,
        }
        ControlFlow::Continue(End::Failed)
    }
}

/// Whether one of these makes no sense, and none has the entry's name: the one in the header may be only its beginning.
fn lacks_name(extensions: tar::PaxExtensions<'_>) -> bool {
    let mut is_damaged = false;
    for extension in extensions {
        match extension {
            Ok(extension) if matches!(extension.key_bytes(), b"path" | b"GNU.sparse.name") => return false,
            Ok(_) => {}
            Err(_) => is_damaged = true,
        }
    }
    is_damaged
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the archive is cut off")
}

/// An entry, which must not end just because the source does. Sparse entries may be longer than the archive.
struct Whole<'a, R> {
    left: u64,
    entry: &'a mut R,
}

impl<R: Read> Read for Whole<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.entry.read(buffer)?;
        if len == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(cut_off());
        }
        self.left = self.left.saturating_sub(len as u64);
        Ok(len)
    }
}

/// What the source has said last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Reading,
    /// It has ended.
    Ended,
    /// It can't be read here, and is not at its end.
    Damaged,
    /// It is cut off, or larger than the limits allow.
    Failed,
}

impl Phase {
    /// What it says with this answer to someone who wants bytes.
    fn after(self, answer: &io::Result<usize>) -> Self {
        match answer {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof || Error::is_limit_of(error) => Self::Failed,
            Err(_) => Self::Damaged,
            // Who reads on after an error may be told so.
            Ok(0) if self != Self::Damaged => Self::Ended,
            Ok(_) => self,
        }
    }
}

/// What is known of a stream while the library reads it.
#[derive(Default)]
struct State {
    phase: Cell<Phase>,
    /// How many bytes may still be read, while they are headers.
    budget: Cell<Option<u64>>,
    /// How many bytes of everything were read, and how many of these come before this archive.
    at: Cell<u64>,
    begin: Cell<u64>,
    /// Where the next header is, if the entry that is read has a known end.
    next: Cell<Option<u64>>,
    /// The last block that may have been a header, where it ends, and where the one before it ends.
    header: RefCell<Option<[u8; BLOCK as usize]>>,
    header_end: Cell<u64>,
    last_end: Cell<u64>,
    /// The bytes that were read last: that block and up to a block before it.
    tail: RefCell<Vec<u8>>,
}

/// Entries that came, by the hashes of their names: a hard link to one that was not read is lost.
#[derive(Default)]
struct Names {
    read: HashSet<u64>,
    unread: HashSet<u64>,
    hasher: RandomState,
}

impl Names {
    /// The most of either that are remembered: a megabyte. With more read, a link to an entry that is not there, or not
    /// remembered as unread, passes for a second name of something that was read.
    const MAX_NAMES: usize = 1 << 16;

    fn hash(&self, name: &[u8]) -> u64 {
        self.hasher.hash_one(name.strip_prefix(b"./").unwrap_or(name))
    }

    fn add(&mut self, name: &[u8], is_read: bool) {
        let hash = self.hash(name);
        let names = if is_read { &mut self.read } else { &mut self.unread };
        if names.len() < Self::MAX_NAMES {
            names.insert(hash);
        }
    }

    fn has_read(&self, name: &[u8]) -> bool {
        let hash = self.hash(name);
        if self.read.len() < Self::MAX_NAMES { self.read.contains(&hash) } else { !self.unread.contains(&hash) }
    }
}

impl State {
    /// How many of the last bytes are kept.
    const TAIL: usize = 2 * BLOCK as usize - 1;

    /// Where the next block begins, from a place on.
    fn edge(&self, at: u64) -> u64 {
        self.begin.get() + (at - self.begin.get()).next_multiple_of(BLOCK)
    }

    /// Bytes were read.
    fn read(&self, bytes: &[u8]) {
        let mut tail = self.tail.borrow_mut();
        let new = &bytes[bytes.len().saturating_sub(Self::TAIL)..];
        let old = (tail.len() + new.len()).saturating_sub(Self::TAIL);
        tail.drain(..old);
        tail.extend_from_slice(new);
        self.at.set(self.at.get() + bytes.len() as u64);
    }

    /// Bytes were passed over.
    fn pass(&self, len: usize) {
        self.tail.borrow_mut().clear();
        self.at.set(self.at.get() + len as u64);
    }
}

struct Guarded<'a> {
    input: Input<'a>,
    state: Rc<State>,
}

impl Read for Guarded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let state = &*self.state;
        let most = match state.budget.get() {
            Some(0) => return Err(io::Error::other("the headers of an entry are too long")),
            Some(budget) => {
                // The library reads a header in one piece, as long as the source offers all of it.
                self.input.head(buffer.len().min(BLOCK as usize));
                buffer.len().min(budget as usize)
            }
            None => buffer.len(),
        };
        let result = self.input.read(&mut buffer[..most]);
        let len = *result.as_ref().unwrap_or(&0);
        state.read(&buffer[..len]);
        if let Some(budget) = state.budget.get() {
            state.budget.set(Some(budget - len as u64));
            if let Some(header) = buffer[..len].first_chunk().filter(|_| len == BLOCK as usize) {
                state.header.replace(Some(*header));
                state.last_end.set(state.header_end.replace(state.at.get()));
            }
        }
        if !buffer.is_empty() {
            state.phase.set(state.phase.get().after(&result));
        }
        result
    }
}

/// What comes after the block of zeros that ends an archive.
enum Rest {
    Nothing,
    /// Not even the zeros.
    Cut,
    Archive,
    /// An archive, behind bytes that belong to none.
    Lost(Lost),
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
            // Zeros may have replaced a header.
            let at = state.at.get();
            let (is_there, end) = next_entry(input, state)?;
            return Ok(if is_there { Rest::Lost(Lost { at, end }) } else { Rest::Bytes(state.at.get() - at) });
        }
        let len = head.len();
        input.consume(len);
        state.pass(len);
    }
}

/// Whether this is an archive without entries: nothing but zeros, and at least the two blocks of them that end one.
pub(crate) fn is_empty(input: &mut Input<'_>) -> io::Result<bool> {
    let mut count = 0;
    loop {
        let bytes = input.fill_buf()?;
        let len = bytes.len();
        if len == 0 {
            return Ok(count >= 2 * BLOCK);
        }
        if bytes.iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        count += len as u64;
        input.consume(len);
    }
}

/// Puts back the bytes in which a header may begin that is not where it should be. What was read before the last header is
/// not among them, nor is a header that is right but of no use: it would be found again.
fn look_back(input: &mut Input<'_>, state: &State) {
    let tail = state.tail.take();
    let from = state.last_end.get().max(state.begin.get());
    let most = usize::try_from(state.at.get().saturating_sub(from)).unwrap_or(usize::MAX);
    let bytes = &tail[tail.len() - tail.len().min(most)..];
    if !state.header.borrow().as_ref().is_some_and(is_header) {
        input.unread(bytes);
        state.at.set(state.at.get() - bytes.len() as u64);
        state.header_end.set(from);
    }
}

/// Searches for a header whose checksum is right, wherever it stands. If there is one, it is read next. Returns where it is,
/// or else where the last block ends that is not all zeros.
fn next_entry(input: &mut Input<'_>, state: &State) -> io::Result<(bool, u64)> {
    let mut end = state.at.get();
    loop {
        let at = state.at.get();
        let bytes = input.head(WINDOW);
        if bytes.is_empty() {
            // Why there are no more may be an error.
            input.peek(1)?;
            return Ok((false, end.min(at)));
        }
        let found = header_in(bytes, (state.edge(at) - at) as usize);
        // One that begins here may end behind these bytes.
        let is_all = bytes.len() < WINDOW;
        let len = found.unwrap_or_else(|| if is_all { bytes.len() } else { bytes.len() + 1 - BLOCK as usize });
        if let Some(last) = bytes[..len].iter().rposition(|&byte| byte != 0) {
            end = state.edge(at + last as u64 + 1);
        }
        input.consume(len);
        state.pass(len);
        if found.is_some() {
            return Ok((true, state.at.get()));
        }
    }
}

/// Where the first header begins in these bytes. Blocks begin at `edge`, where a header may be of the oldest kind.
fn header_in(bytes: &[u8], edge: usize) -> Option<usize> {
    let is_there = |at: &usize| bytes[*at..].first_chunk().is_some_and(is_header);
    let at_edge = (edge..bytes.len()).step_by(BLOCK as usize).find(is_there);
    // Only one that begins before the other.
    let most = at_edge.map_or(bytes.len(), |at| bytes.len().min(at + MAGIC_AT + MAGIC.len() - 1));
    let anywhere = memmem::find_iter(&bytes[..most], MAGIC).filter_map(|at| at.checked_sub(MAGIC_AT)).find(is_there);
    at_edge.into_iter().chain(anywhere).min()
}

fn is_header(block: &[u8; BLOCK as usize]) -> bool {
    is_tar(block) && tar::Header::from_byte_slice(block).entry_size().is_ok()
}
