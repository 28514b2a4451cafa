//! The members of an archive, which all threads read at once while one more thread unpacks.
//!
//! Owns how much a thread takes at a time: whole members, up to a buffer full. A member that is large enough for
//! several threads is for `large`.

use std::io::{self, ErrorKind, Read};
use std::ops::{ControlFlow, Range};

use sgf_stream::archive::{Member, Members, Name, Report as ArchiveReport};
use sgf_stream::read::{NextJob, Turn, in_order};
use sgf_stream::{Error, Parser};

use crate::interrupt;
use crate::session::reader::{Filling, Outlet, close};
use crate::session::{End, Flow};
use crate::threads::{Crew, Findings, InTurn, Part, large};

/// One thread reads a member of up to this many times the length of a block.
const GROWTH: usize = 4;

/// How many bytes of a member are read at once.
const PIECE: usize = 64 << 10;

/// How many items a thread takes at once, whatever their length: members may be empty.
const ITEMS: usize = 4096;

/// Reads all members. Their parts are folded when it is the turn of the thread that has taken the archive.
pub(crate) fn read<F: Findings>(crew: &Crew<'_, F>, name: &str, members: Members, turn: &Turn<'_, Part<F>>) {
    let mut queue = Queue { crew, name, members, large: None, ended: false };
    let mut goes_on = true;
    while goes_on && !queue.ended {
        in_order(
            crew.threads,
            || Worker {
                crew,
                parser: Parser::with_config(crew.config.clone()),
                bytes: Vec::new(),
                piece: vec![0; PIECE],
                items: Vec::new(),
            },
            |worker| queue.next(worker),
            Worker::work,
            |part: Part<F>| {
                goes_on = turn.fold(part);
                if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        if let Some(large) = queue.large.take()
            && goes_on
            && let Some(member) = queue.members.current()
        {
            let mut begun = (crew.make)();
            begun.begin_member(&large.name);
            turn.fold(Part::of(begun));
            let whole = large::Large { name: &large.name, path: None, len: None, counts: false };
            whole.read(crew, large.head.chain(member), turn);
        }
    }
}

/// Hands out members.
struct Queue<'a, F> {
    crew: &'a Crew<'a, F>,
    /// The name of the archive.
    name: &'a str,
    members: Members,
    /// The member in progress.
    large: Option<Large>,
    ended: bool,
}

/// A member that is large enough for several threads.
struct Large {
    name: Name,
    head: io::Cursor<Vec<u8>>,
}

/// Something that a thread has taken.
enum Item {
    Member {
        name: Name,
        bytes: Range<usize>,
        failure: Option<io::Error>,
    },
    Trouble(ArchiveReport),
    /// Interrupted by Ctrl-C: nothing more is taken of the archive.
    Interrupted {
        name: String,
    },
}

impl<F: Findings> Queue<'_, F> {
    fn next(&mut self, worker: &mut Worker<'_, F>) -> NextJob<Part<F>> {
        worker.bytes.clear();
        worker.items.clear();
        if interrupt::is_asked() && !self.ended {
            self.ended = true;
            worker.items.push(Item::Interrupted { name: self.name.to_owned() });
        }
        let most = if self.crew.one_by_one { 1 } else { ITEMS };
        // Names may be longer than what they are the names of.
        let mut names_len = 0;
        while self.large.is_none()
            && !self.ended
            && worker.bytes.len() + names_len < self.crew.block_len
            && worker.items.len() < most
        {
            let start = worker.bytes.len();
            match self.members.next_member() {
                None => self.ended = true,
                Some(Err(report)) => {
                    names_len += report.name.as_str().len();
                    worker.items.push(Item::Trouble(report));
                }
                Some(Ok(mut member)) => {
                    let name = member.name().clone();
                    names_len += name.as_str().len();
                    self.crew.progress.begin(name.as_str());
                    let most = self.crew.block_len.saturating_mul(GROWTH);
                    let failure = match fill(&mut member, &mut worker.bytes, &mut worker.piece, most) {
                        Filling::Ended => None,
                        Filling::Failed(error) => Some(error),
                        Filling::More => {
                            let head = io::Cursor::new(worker.bytes.split_off(start));
                            self.large = Some(Large { name, head });
                            continue;
                        }
                    };
                    // After an interruption, an error in the archive is no damage.
                    self.ended |= failure.is_some() && interrupt::is_asked();
                    worker.items.push(Item::Member { name, bytes: start..worker.bytes.len(), failure });
                }
            }
        }
        if worker.items.is_empty() { NextJob::End } else { NextJob::Work }
    }
}

/// Reads up to `most` bytes of a member, after those that are there. `piece` is used for each: to make room for one with zeros
/// takes longer than to copy what most members have.
fn fill(member: &mut Member<'_>, bytes: &mut Vec<u8>, piece: &mut [u8], most: usize) -> Filling {
    let start = bytes.len();
    let piece_len = piece.len().min(most);
    loop {
        if bytes.len() - start >= most {
            return Filling::More;
        }
        match member.read(&mut piece[..piece_len]) {
            Ok(0) => return Filling::Ended,
            Ok(len) => bytes.extend_from_slice(&piece[..len]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Filling::Failed(error),
        }
    }
}

/// The state of one thread.
struct Worker<'a, F> {
    crew: &'a Crew<'a, F>,
    parser: Parser,
    bytes: Vec<u8>,
    piece: Vec<u8>,
    items: Vec<Item>,
}

impl<F: Findings> Worker<'_, F> {
    fn work(&mut self, turn: &Turn<'_, Part<F>>) -> Part<F> {
        let mut outlet = InTurn::new(self.crew, turn);
        for item in std::mem::take(&mut self.items) {
            match item {
                Item::Trouble(report) => outlet.report().trouble(&report.name, &report.trouble),
                Item::Interrupted { name } => outlet.report().interrupted(&name, None),
                Item::Member { name, bytes, failure } => {
                    let _ = self.member(&name, bytes, failure, &mut outlet);
                }
            }
        }
        outlet.part
    }

    /// If nothing more is wanted, that shows when the part is handed on.
    fn member(
        &mut self,
        name: &Name,
        bytes: Range<usize>,
        failure: Option<io::Error>,
        outlet: &mut InTurn<'_, F>,
    ) -> Flow {
        if let Some(error) = failure.as_ref().filter(|_| bytes.is_empty()) {
            outlet.report().cannot_read(name, error);
            return ControlFlow::Continue(());
        }
        outlet.sink().begin_member(name);
        self.parser.reset();
        let end = match self.read(bytes.clone(), failure, outlet) {
            Ok(end) => end?,
            Err(error) => End::from(error).seen_in(&self.bytes[bytes], 0),
        };
        outlet.ended(name, end, self.parser.offset())
    }

    fn read(
        &mut self,
        bytes: Range<usize>,
        failure: Option<io::Error>,
        outlet: &mut InTurn<'_, F>,
    ) -> Result<Flow<End>, Error> {
        if !bytes.is_empty()
            && let ControlFlow::Break(end) = outlet.feed(&mut self.parser, &self.bytes[bytes])?
        {
            return Ok(ControlFlow::Break(end));
        }
        close(&mut self.parser, failure, outlet)
    }
}
