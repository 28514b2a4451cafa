//! Games that a thread finds, on their way to the thread that puts them in order.
//!
//! Owns the notes taken on the way, and the numbers of the games: only with everything before it can a game's number in
//! its file be known. A [`Keep`] decides what is kept of a game, on the thread that reads it; a [`Take`] decides what
//! happens to it, where all parts come in order.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use sgf_stream::archive::Name;
use sgf_stream::record::{GameRecord, Recorder, Records, Rest, Row, Wants};
use sgf_stream::{
    Deliver, Descend, Moves, Node, Part, Partial, Problem, Property, Step, Tree, TreeEnd, Value, Visitor,
};

use crate::args::InputArgs;
use crate::input::{Input, of_member};
use crate::progress::{Progress, Told};
pub(crate) use crate::session::Flow;
use crate::session::{Outcome, Report, Sink};
use crate::threads::{self, Crew, Findings, ThreadArgs};

/// Decides what is kept of each game. All threads share one.
pub(crate) trait Keep: Sync {
    /// The result of looking at an input before it is read.
    type Opening: Send;

    /// What is kept besides bytes.
    type Game: Send;

    /// How much of a game is read.
    fn wants(&self) -> Wants;

    /// An input is about to be read. `None` skips it.
    fn open(&self, input: &Input, report: &mut Report) -> io::Result<Option<Self::Opening>>;

    /// False if the header alone shows that a game is not wanted. Its number is not known: here and later it is 0.
    fn may_pass(&self, _row: &Row<'_>) -> bool {
        true
    }

    /// What is kept of a game, if it is wanted; its bytes are appended.
    fn keep(&self, row: &Row<'_>, bytes: &mut Vec<u8>) -> Option<Self::Game>;

    /// About how much memory a game takes besides those.
    fn weight(_game: &Self::Game) -> usize {
        0
    }

    /// Whether the bytes of the source are wanted too.
    fn is_source_wanted(&self) -> bool {
        false
    }
}

/// Takes everything, in the order of the inputs.
pub(crate) trait Take<K: Keep> {
    fn open(&mut self, _opening: K::Opening) -> Flow {
        ControlFlow::Continue(())
    }

    /// The next input or member begins.
    fn begin(&mut self, file: &Arc<str>, member: Option<&Member>) -> Flow;

    /// The next bytes of the source; those before the offset `needed` belong to no game to come.
    fn source(&mut self, _bytes: &[u8], _needed: u64) -> Flow {
        ControlFlow::Continue(())
    }

    /// The next game was cut off: why may show only behind it.
    fn cut_off(&mut self) {}

    /// A game begins after one that may have been cut off.
    fn further(&mut self) -> Flow {
        ControlFlow::Continue(())
    }

    /// A game with this number in its input or member.
    fn game(&mut self, number: u64, game: K::Game, bytes: &[u8]) -> Flow;

    /// Something of the next game is left out.
    fn note(&mut self, _text: &str) {}

    /// An input, or a member of one, has bytes and no game.
    fn no_game(&mut self, name: &Name, told: Told);

    /// Nothing more of the input comes.
    fn done(&mut self) -> Flow {
        ControlFlow::Continue(())
    }

    /// The report about what comes next.
    fn report(&mut self, _report: &mut Report) {}

    /// That was about something that was not opened, and not about what comes after it.
    fn unopened(&mut self) {}

    /// All that has come so far was handed over; the rest may take a while.
    fn pause(&mut self) -> Flow {
        ControlFlow::Continue(())
    }
}

/// Reads all inputs on all threads. `one_by_one`: each input or member is handed over separately, with the report about it.
pub(crate) fn read<K: Keep>(
    inputs: &InputArgs,
    threads: ThreadArgs,
    one_by_one: bool,
    progress: &Progress,
    keep: &K,
    taker: &mut (impl Take<K> + Send),
) -> io::Result<Outcome> {
    let make = || Found::new(keep, threads);
    let crew = Crew { one_by_one, ..Crew::new(inputs, threads, progress, &make) };
    let mut before = Handed::default();
    threads::read(inputs, &crew, |found, report| {
        taker.report(report);
        let flow = found.hand_over(&mut before, taker);
        // Who waits for the last row that is wanted shall not wait for what comes behind it.
        taker.pause()?;
        flow
    })
}

/// How far the findings that were handed over go.
#[derive(Default)]
struct Handed {
    /// The number of the last game of the input.
    number: u64,
    /// More of the input comes.
    is_open: bool,
}

/// The parts of a game that are over a limit, and so not in its record.
fn left_out(record: &GameRecord) -> impl Iterator<Item = &'static str> {
    [
        (record.is_cut(), "values of the header beyond 1 MiB"),
        (record.line_is_cut(), "moves beyond 1 MiB"),
        (record.comments_are_cut(), "comments beyond 4 MiB"),
    ]
    .into_iter()
    .filter_map(|(is_cut, what)| is_cut.then_some(what))
}

/// The memory of all parts that may be waiting to be handed on, if each has what it needs at the least. Buffers that grow, and
/// what the system keeps of freed ones, may take as much again, or twice.
const MEMORY: usize = 8 << 20;

/// A part of this size holds the rows of a block of real games, with the block itself.
const MIN_PART: usize = 1 << 20;

/// What a thread finds.
struct Found<'a, K: Keep> {
    recorder: Recorder<Log<'a, K>>,
    /// How many bytes were read.
    len: u64,
    /// It is handed on once it takes this many bytes of memory.
    most: usize,
}

/// The findings, in order.
struct Log<'a, K: Keep> {
    keep: &'a K,
    file: Arc<str>,
    member: Option<Member>,
    entries: Vec<Entry<K>>,
    /// The bytes of the entries.
    bytes: Vec<u8>,
    /// The memory that the games take besides these.
    weight: usize,
    /// The number of the last game, counted from the last entry that begins something, or from the beginning of this part.
    number: u64,
    /// This part has the beginning of the input or member.
    is_begun: bool,
    /// The number of games in this part.
    games: u64,
    /// The last game was cut off; of the one before this part, that is not known.
    is_cut_off: bool,
}

/// A member of an archive.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    /// Where its bytes begin in the archive's file, if they lie there unchanged.
    #[cfg_attr(not(feature = "index"), expect(dead_code, reason = "only a sidecar tells"))]
    pub(crate) start: Option<u64>,
}

enum Entry<K: Keep> {
    Open(K::Opening),
    Begin(Arc<str>, Option<Member>),
    Source { len: usize, needed: u64 },
    CutOff,
    Further,
    Game { number: u64, game: K::Game, len: usize },
    Note(String),
    NoGame(Name, Told),
    Done,
}

impl<'a, K: Keep> Found<'a, K> {
    /// Has found nothing yet.
    fn new(keep: &'a K, threads: ThreadArgs) -> Self {
        Self::with(keep, (MEMORY / (2 * threads.count() + 1)).max(MIN_PART))
    }

    fn with(keep: &'a K, most: usize) -> Self {
        let log = Log {
            keep,
            file: Arc::from(""),
            member: None,
            entries: Vec::new(),
            bytes: Vec::new(),
            weight: 0,
            number: 0,
            is_begun: false,
            games: 0,
            is_cut_off: true,
        };
        Self { recorder: Recorder::new(keep.wants(), log), len: 0, most }
    }

    /// Hands over everything, after the parts before.
    fn hand_over(self, before: &mut Handed, taker: &mut impl Take<K>) -> Flow {
        let log = self.recorder.into_records();
        let mut rest = &log.bytes[..];
        let mut next = |len| rest.split_off(..len).unwrap_or_default();
        for entry in log.entries {
            match entry {
                Entry::Open(opening) => {
                    before.is_open = true;
                    taker.open(opening)?;
                }
                Entry::Begin(file, member) => {
                    before.number = 0;
                    taker.begin(&file, member.as_ref())?;
                }
                Entry::Source { len, needed } => taker.source(next(len), needed)?,
                Entry::CutOff => taker.cut_off(),
                Entry::Further => taker.further()?,
                Entry::Game { number, game, len } => taker.game(before.number + number, game, next(len))?,
                Entry::Note(text) => taker.note(&text),
                Entry::NoGame(name, told) if before.number == 0 => taker.no_game(&name, told),
                // Games of it came in earlier parts.
                Entry::NoGame(..) => {}
                Entry::Done => {
                    before.is_open = false;
                    taker.done()?;
                }
            }
        }
        before.number += log.number;
        if !before.is_open {
            taker.unopened();
        }
        ControlFlow::Continue(())
    }

    fn log(&mut self) -> &mut Log<'a, K> {
        self.recorder.records_mut()
    }

    fn write(&mut self, entry: Entry<K>) {
        self.log().entries.push(entry);
    }
}

impl<K: Keep> Log<'_, K> {
    /// The row, without the number, which is not known.
    fn row<'r>(&'r self, record: &'r GameRecord) -> Row<'r> {
        let member = self.member.as_ref().map(|member| &*member.name);
        Row::new(&self.file, 0, record).member(member)
    }
}

impl<K: Keep> Records for Log<'_, K> {
    type Break = io::Result<()>;

    fn header(&mut self, record: &GameRecord) -> Flow<Rest> {
        self.number += 1;
        self.games += 1;
        ControlFlow::Continue(if self.keep.may_pass(&self.row(record)) { Rest::Read } else { Rest::Skip })
    }

    fn record(&mut self, record: &GameRecord) -> Flow {
        let mut bytes = std::mem::take(&mut self.bytes);
        let before = bytes.len();
        for what in left_out(record) {
            let name = of_member(&self.file, self.member.as_ref().map(|member| &*member.name));
            let text = format!("{name}: {what} are left out of the game at byte {}", record.offset());
            self.entries.push(Entry::Note(text));
        }
        if let Some(game) = self.keep.keep(&self.row(record), &mut bytes) {
            self.weight += K::weight(&game);
            self.entries.extend(self.is_cut_off.then_some(Entry::CutOff));
            self.entries.push(Entry::Game { number: self.number, game, len: bytes.len() - before });
        }
        self.bytes = bytes;
        ControlFlow::Continue(())
    }
}

impl<K: Keep> Sink for Found<'_, K> {
    fn is_wanted(&mut self, input: &Input, report: &mut Report) -> io::Result<bool> {
        let opening = self.log().keep.open(input, report)?;
        let is_wanted = opening.is_some();
        self.log().entries.extend(opening.map(Entry::Open));
        Ok(is_wanted)
    }

    fn begin(&mut self, name: &str) {
        self.begin_member(&Name::new(name));
    }

    fn begin_member(&mut self, name: &Name) {
        self.resume(name);
        let log = self.log();
        log.number = 0;
        log.is_begun = true;
        log.entries.push(Entry::Begin(log.file.clone(), log.member.clone()));
    }

    fn lacks_game(&mut self, name: &Name) -> bool {
        let log = self.log();
        let (may_lack, is_certain) = (log.number == 0, log.is_begun);
        let told = if is_certain { Told::ByReport } else { Told::NotYet };
        log.entries.extend(may_lack.then(|| Entry::NoGame(name.clone(), told)));
        may_lack && is_certain
    }

    fn games(&self) -> u64 {
        self.recorder.records().games
    }
}

impl<K: Keep> Findings for Found<'_, K> {
    /// Shorter than usual, because what is kept of tiny games takes more memory than they do.
    const BLOCK_LEN: usize = 256 << 10;
    const SHARED_MAX_LEN: usize = 3 << 20;

    fn resume(&mut self, name: &Name) {
        let log = self.log();
        if *log.file != *name.input() {
            log.file = name.input().into();
        }
        log.member = name.member().map(|member| Member { name: member.into(), start: name.start() });
    }

    fn done(&mut self) {
        self.write(Entry::Done);
    }

    fn len(&self) -> u64 {
        self.len
    }
}

impl<K: Keep> Partial for Found<'_, K> {
    const WHOLE_GAMES: bool = true;

    /// Short, because what is kept of a game of three bytes may take 200.
    const CHUNK_LEN: usize = 16 << 10;

    /// The game in progress goes along; the findings stay.
    fn rest(&mut self) -> Self {
        let mut found = Self::with(self.recorder.records().keep, self.most);
        found.len = std::mem::take(&mut self.len);
        std::mem::swap(self, &mut found);
        let mut rest = found;
        let from = rest.log();
        let to = self.log();
        to.file.clone_from(&from.file);
        to.member.clone_from(&from.member);
        to.entries = std::mem::take(&mut from.entries);
        to.bytes = std::mem::take(&mut from.bytes);
        to.weight = std::mem::take(&mut from.weight);
        to.number = std::mem::take(&mut from.number);
        to.is_begun = std::mem::take(&mut from.is_begun);
        to.games = std::mem::take(&mut from.games);
        rest
    }

    fn chunk(&mut self, bytes: &[u8], candidate: u64) {
        self.len += bytes.len() as u64;
        if self.recorder.records().keep.is_source_wanted() {
            let needed = self.recorder.in_progress().unwrap_or(candidate);
            self.log().bytes.extend_from_slice(bytes);
            self.write(Entry::Source { len: bytes.len(), needed });
        }
    }

    fn is_full(&self) -> bool {
        let log = self.recorder.records();
        log.bytes.len() + log.weight + log.entries.len() * size_of::<Entry<K>>() > self.most
    }
}

impl<K: Keep> Visitor for Found<'_, K> {
    type Break = io::Result<()>;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> Flow<Descend> {
        if tree.depth() == 1 && std::mem::take(&mut self.log().is_cut_off) {
            self.write(Entry::Further);
        }
        self.recorder.enter_tree(tree)
    }

    #[inline]
    fn node(&mut self, node: Node) -> Flow<Step> {
        self.recorder.node(node)
    }

    #[inline]
    fn property(&mut self, property: Property<'_>) -> Flow<Deliver> {
        self.recorder.property(property)
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> Flow {
        self.recorder.value(value)
    }

    #[inline]
    fn part(&mut self, part: Part<'_>) -> Flow {
        self.recorder.part(part)
    }

    #[inline]
    fn moves(&mut self, moves: Moves<'_>) -> Flow<Option<Deliver>> {
        self.recorder.moves(moves)
    }

    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> Flow {
        if end.depth() == 1 {
            self.log().is_cut_off = end.close_len() == 0;
        }
        self.recorder.exit_tree(end)
    }

    #[inline]
    fn problem(&mut self, problem: &Problem) -> Flow {
        self.recorder.problem(problem)
    }
}
