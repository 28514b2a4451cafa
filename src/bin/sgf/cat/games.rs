//! One pass through a file for all names of a group.
//!
//! Owns which game is for which name, and that games are printed in the order of the names: a game that comes before its turn
//! waits, in memory or in a temporary file. Refuses to know how names are written.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::rc::Rc;

use sgf_stream::archive::{Name, temp_dir};
use sgf_stream::{Descend, Tree, TreeEnd, Visitor};
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use super::names::Wanted;
use super::{Out, no_such_game, too_few};
use crate::copy::{Copy, Mixture, temporary};
use crate::input::shown;
use crate::progress::Progress;
use crate::session::{Flow, Outcome, Sink, flow};

/// How many bytes of waiting games are kept in memory.
const IN_MEMORY: usize = 4 << 20;

/// Takes the games as they are read.
pub(super) struct Games<'a> {
    slots: Vec<Slot>,
    /// The first name whose games may still come: they are printed at once.
    turn: usize,
    /// How many names have all their games.
    done: usize,
    /// The queue of each member that is wanted, or of the whole file.
    queues: Vec<Queue>,
    of_member: HashMap<String, usize>,
    /// The queue of what is read now.
    current: Option<usize>,
    /// The name of what is read.
    name: Rc<str>,
    /// Where the current game began, if it is wanted.
    start: Option<u64>,
    found: u64,
    /// The last wanted game was cut off. The reason may show only behind it.
    is_cut_off: bool,
    /// Somebody may be waiting for what a pipe delivers.
    is_awaited: bool,
    copy: Copy<Output<'a>>,
    mixture: &'a mut Mixture,
    progress: &'a Progress,
}

/// A name, and what was found for it.
struct Slot {
    wanted: Wanted,
    queue: usize,
    found: u64,
    is_done: bool,
    waiting: Vec<Waiting>,
}

/// A game that has come before its turn.
struct Waiting {
    at: u64,
    len: u64,
    line_end: &'static [u8],
    is_closed: bool,
    name: Rc<str>,
    number: u64,
}

/// The names that count games in the same way.
#[derive(Default)]
struct Queue {
    /// Each name by its first game.
    names: Vec<(u64, usize)>,
    /// The first of those whose games have not come yet.
    next: usize,
    /// Those that may want the current game.
    open: Vec<usize>,
    game: u64,
    /// The most games of a member of that name: an archive may have several.
    most: u64,
    /// Whether it was read at all.
    was_here: bool,
}

impl Queue {
    fn restart(&mut self) {
        self.was_here = true;
        self.game = 0;
        self.next = 0;
        self.open.clear();
    }

    /// Counts a game. True if a name wants it.
    fn count(&mut self, slots: &[Slot]) -> bool {
        self.game += 1;
        self.most = self.most.max(self.game);
        while let Some(&(_, slot)) = self.names.get(self.next).filter(|(first, _)| *first <= self.game) {
            self.open.push(slot);
            self.next += 1;
        }
        self.open.retain(|&slot| !slots[slot].is_done && slots[slot].wanted.last >= self.game);
        !self.open.is_empty()
    }
}

/// Where games go: out, or to those that wait.
struct Output<'a> {
    out: &'a mut Out,
    waiting: SpooledTempFile,
    len: u64,
    /// How many games wait.
    games: u64,
    is_turn: bool,
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_turn {
            return self.out.write(bytes);
        }
        let written = self.waiting.seek(SeekFrom::Start(self.len)).and_then(|_| self.waiting.write(bytes));
        let written = written.map_err(|error| temporary(&error))?;
        self.len += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<'a> Games<'a> {
    pub(super) fn new(names: Vec<Wanted>, out: &'a mut Out, mixture: &'a mut Mixture, progress: &'a Progress) -> Self {
        let (mut queues, mut of_member, mut slots) = (Vec::<Queue>::new(), HashMap::new(), Vec::new());
        for (slot, wanted) in names.into_iter().enumerate() {
            let known = match &wanted.member {
                Some(member) => *of_member.entry(member.clone()).or_insert(queues.len()),
                None => 0,
            };
            if known == queues.len() {
                queues.push(Queue::default());
            }
            queues[known].names.push((wanted.first, slot));
            slots.push(Slot { wanted, queue: known, found: 0, is_done: false, waiting: Vec::new() });
        }
        for queue in &mut queues {
            queue.names.sort_unstable();
        }
        // Otherwise, the first member may be another one.
        let current = of_member.is_empty().then_some(0);
        let waiting = spooled_tempfile_in(IN_MEMORY, temp_dir());
        Self {
            slots,
            turn: 0,
            done: 0,
            queues,
            of_member,
            current,
            name: Rc::from(""),
            start: None,
            found: 0,
            is_cut_off: false,
            is_awaited: false,
            copy: Copy::new(Output { out, waiting, len: 0, games: 0, is_turn: true }),
            mixture,
            progress,
        }
    }

    /// Prints what waits, and says what is missing if all could be read.
    pub(super) fn finish(mut self, outcome: Outcome) -> io::Result<Outcome> {
        let mut worst = outcome;
        for slot in self.turn..self.slots.len() {
            self.release(slot)?;
            if outcome == Outcome::Fine {
                worst = worst.max(self.missing(&self.slots[slot]));
            }
        }
        self.copy.flush()?;
        Ok(worst)
    }

    /// Says what was not found for a name.
    fn missing(&self, Slot { wanted, queue, found, .. }: &Slot) -> Outcome {
        let queue = &self.queues[*queue];
        match &wanted.member {
            Some(member) if !queue.was_here => {
                let path = shown(&wanted.path);
                self.progress.line(&format!("{path}: no such SGF member: {member}"));
                Outcome::Failed
            }
            _ if *found == 0 => no_such_game(wanted, queue.most, self.progress),
            _ => {
                too_few(wanted, queue.most, self.progress);
                Outcome::Fine
            }
        }
    }

    /// Prints the current game for a name, or has it wait for its turn.
    fn put(&mut self, slot: usize, number: u64, start: u64, len: u64, is_closed: bool) -> io::Result<()> {
        let is_turn = slot == self.turn;
        let out = self.copy.out();
        out.is_turn = is_turn;
        let at = out.len;
        let line_end = self.copy.write(start, len)?;
        if is_turn {
            self.mixture.add(line_end, is_closed, || self.name.to_string(), number, self.progress);
        } else {
            let out = self.copy.out();
            out.games += 1;
            let game = Waiting { at, len: out.len - at, line_end, is_closed, name: Rc::clone(&self.name), number };
            self.slots[slot].waiting.push(game);
        }
        self.slots[slot].found += 1;
        self.found += 1;
        Ok(())
    }

    /// A name has all its games.
    fn done(&mut self, slot: usize) -> io::Result<()> {
        self.slots[slot].is_done = true;
        self.done += 1;
        while self.turn < self.slots.len() && self.slots[self.turn].is_done {
            self.turn += 1;
            if self.turn < self.slots.len() {
                self.release(self.turn)?;
            }
        }
        Ok(())
    }

    /// Prints the games that have waited for the turn of this name.
    fn release(&mut self, slot: usize) -> io::Result<()> {
        for game in std::mem::take(&mut self.slots[slot].waiting) {
            let output = self.copy.out();
            output.waiting.seek(SeekFrom::Start(game.at)).map_err(|error| temporary(&error))?;
            let mut left = game.len;
            let mut buffer = [0; 8 << 10];
            while left > 0 {
                let part = &mut buffer[..left.min(8 << 10) as usize];
                output.waiting.read_exact(part).map_err(|error| temporary(&error))?;
                output.out.write_all(part)?;
                left -= part.len() as u64;
            }
            output.games -= 1;
            if output.games == 0 {
                // The next one that waits takes its place.
                output.len = 0;
            }
            let Waiting { line_end, is_closed, name, number, .. } = game;
            self.mixture.add(line_end, is_closed, || name.to_string(), number, self.progress);
        }
        Ok(())
    }

    fn ended(&mut self, start: u64, len: u64, is_closed: bool) -> io::Result<()> {
        let Some(queue) = self.current else { return Ok(()) };
        let number = self.queues[queue].game;
        let open = std::mem::take(&mut self.queues[queue].open);
        for &slot in &open {
            self.put(slot, number, start, len, is_closed)?;
            if number == self.slots[slot].wanted.last {
                self.done(slot)?;
            }
        }
        self.queues[queue].open = open;
        Ok(())
    }
}

impl Visitor for Games<'_> {
    type Break = io::Result<()>;

    fn enter_tree(&mut self, tree: Tree) -> Flow<Descend> {
        if tree.depth() == 1 && self.is_cut_off {
            return ControlFlow::Break(Ok(()));
        }
        if tree.depth() == 1
            && let Some(queue) = self.current
        {
            let is_wanted = self.queues[queue].count(&self.slots);
            self.start = is_wanted.then_some(tree.position().offset);
        }
        ControlFlow::Continue(Descend::Over)
    }

    fn exit_tree(&mut self, end: TreeEnd) -> Flow {
        let Some(start) = self.start.take_if(|_| end.depth() == 1) else { return ControlFlow::Continue(()) };
        let is_closed = end.close_len() > 0;
        flow(self.ended(start, end.position().offset + end.close_len() - start, is_closed))?;
        if self.done == self.slots.len() {
            self.is_cut_off = !is_closed;
            if is_closed {
                return ControlFlow::Break(Ok(()));
            }
        }
        ControlFlow::Continue(())
    }
}

impl Sink for Games<'_> {
    fn begin(&mut self, name: &str) {
        self.name = Rc::from(name);
        self.is_awaited = name == "-";
        self.copy.begin();
        self.start = None;
    }

    fn begin_member(&mut self, name: &Name) {
        self.begin(name.input());
        self.name = Rc::from(name.as_str());
        if !self.of_member.is_empty() {
            self.current = name.member().and_then(|member| self.of_member.get(member).copied());
            if let Some(queue) = self.current {
                self.queues[queue].restart();
            }
        }
    }

    fn chunk(&mut self, bytes: &[u8], candidate: u64) -> io::Result<()> {
        self.copy.chunk(bytes, self.start.unwrap_or(candidate))
    }

    fn pause(&mut self) -> io::Result<()> {
        if self.is_awaited { self.copy.flush() } else { Ok(()) }
    }

    fn games(&self) -> u64 {
        self.found
    }
}
