//! `sgf scan`: counting what is in the inputs.
//!
//! Owns the visitor that counts and the numbers it arrives at, in memory that does not depend on the input. How they are
//! shown is for `table` and `json`, what is counted of properties for `counter`, and of games for `headers`; `problems` prints
//! what is wrong on the way. Refuses to know in which order the inputs are read.

mod counter;
mod headers;
mod json;
mod problems;
mod table;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use sgf_stream::archive::Name;
use sgf_stream::text::Charset;
use sgf_stream::{
    Deliver, Descend, Ident, Moves, Node, Part, Partial, Position, Problem, ProblemKind, Property, Step, Tree, Visitor,
};

use crate::args::ScanArgs;
use crate::input::Input;
use crate::progress::Progress;
use crate::progress::account::{Account, Left};
use crate::scan::counter::{Counter, Sums};
use crate::scan::headers::Headers;
use crate::scan::problems::Lines;
use crate::session::whereabouts::{Accounting, Whereabouts};
use crate::session::{Flow, Outcome, Report, Session, Sink};
use crate::tally::Idents;
use crate::terminal::{layout, stderr};
use crate::threads::{self, Crew, Findings};

/// Counts and prints.
pub(crate) fn run(args: &ScanArgs) -> io::Result<Outcome> {
    if args.problems && args.json {
        stderr::line("--problems prints lines for people: as JSON, `sgf events` prints each problem with its place");
        return Ok(Outcome::Failed);
    }
    let mut scan = if args.account || args.problems { Scan::of_events() } else { Scan::new() };
    scan.lines = args.problems.then(|| Box::new(Lines::new(args.inputs.messages)));
    let progress =
        if args.problems { Progress::beside(&io::stdout(), &args.inputs) } else { Progress::new(&args.inputs) };
    // Whoever wants to see each problem does not mean only those of the first text.
    let config = || args.inputs.config().check_text(args.problems || args.inputs.strict);
    let mut whereabouts = None;
    let outcome = if args.account {
        let mut session = Session::with(Accounting::new(config()), progress.clone());
        let outcome = session.run(&args.inputs, &mut scan)?;
        whereabouts = Some(session.into_machine().whereabouts());
        outcome
    } else if args.problems {
        Session::new(config(), progress.clone()).run(&args.inputs, &mut scan)?
    } else {
        let make = || Scan::part();
        threads::read(&args.inputs, &Crew::new(&args.inputs, args.threads, &progress, &make), |part, _| {
            scan.merge(part);
            ControlFlow::Continue(())
        })?
    };
    let has_lines = scan.lines.as_ref().is_some_and(|lines| lines.are_any());
    let summary = scan.summary(progress.account(), whereabouts);
    let stdout = io::stdout().lock();
    let colours = layout::colours(&stdout);
    let mut out = BufWriter::new(stdout);
    if has_lines {
        out.write_all(b"\n")?;
    }
    if args.json {
        json::write(&summary, &mut out)?;
    } else if summary.counts.files > 0 || outcome == Outcome::Fine {
        table::write(&summary, colours, &mut out)?;
    }
    out.flush()?;
    progress.report_interruption(outcome);
    Ok(outcome)
}

/// What is in the inputs.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) counts: Counts,
    pub(crate) sums: Sums,
    pub(crate) deepest: Option<Place>,
    pub(crate) problems: BTreeMap<ProblemKind, Damage>,
    pub(crate) idents: Ranking<Ident>,
    pub(crate) charsets: Ranking<String>,
    /// The charsets of text that is more than ASCII.
    pub(crate) text_charsets: Ranking<String>,
    /// Games whose text is in another charset than they declare.
    pub(crate) charset_contradicted: u64,
    pub(crate) game_types: Ranking<String>,
    /// What was not read.
    pub(crate) left: Left,
    /// Where every byte went, if that was requested.
    pub(crate) whereabouts: Option<Whereabouts>,
    pub(crate) time: Duration,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) games: u64,
    pub(crate) trees: u64,
    pub(crate) max_depth: u64,
}

impl Counts {
    /// Adds everything but the depth, which does not add up.
    fn add(&mut self, later: &Self) {
        self.files += later.files;
        self.bytes += later.bytes;
        self.games += later.games;
        self.trees += later.trees;
    }
}

/// Names, the commonest first, and what was counted beside them.
#[derive(Debug)]
pub(crate) struct Ranking<K> {
    pub(crate) names: Vec<(K, u64)>,
    /// There were more different names than memory is spent on.
    pub(crate) others: u64,
    /// Games without the property.
    pub(crate) not_stated: u64,
}

impl<K> Ranking<K> {
    /// The same with names for people.
    fn named(&self, name: impl Fn(&K) -> String) -> Ranking<String> {
        let names = self.names.iter().map(|(key, count)| (name(key), *count)).collect();
        Ranking { names, others: self.others, not_stated: self.not_stated }
    }
}

/// A place in one of the inputs.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) position: Position,
}

/// Problems of one kind.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) count: u64,
    pub(crate) first: Place,
}

/// Whether text that is not ASCII was in the game in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GameText {
    /// Not here; the game may have begun in an earlier part.
    Unknown,
    None,
    Counted,
}

/// How far reading is in a game, as far as the headers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// Before its root node.
    Before,
    /// In it.
    In,
    /// In a property of the root whose values the headers use.
    InHeader,
    /// Behind the root, or the headers know everything in it.
    Past,
}

/// The visitor.
pub(crate) struct Scan {
    counts: Counts,
    counter: Counter,
    headers: Headers,
    root: Root,
    /// The input has bytes that are not ASCII.
    has_text: bool,
    /// The bytes themselves are not shown, so each value is checked.
    looks_for_text: bool,
    /// Bytes of this part.
    len: u64,
    game_text: GameText,
    /// The charset of text in the game in which this part begins, if it is the first text here.
    early_text: Option<Charset>,
    file: String,
    /// Where the deepest tree of this input is, if it is the deepest of all so far.
    deeper: Option<Position>,
    deepest: Option<Place>,
    problems: BTreeMap<ProblemKind, Damage>,
    /// Each problem is printed too.
    lines: Option<Box<Lines>>,
}

impl Scan {
    /// Counts everything, not a part.
    pub(crate) fn new() -> Self {
        Self::with(Idents::new(Idents::CAPACITY), Headers::new())
    }

    /// Counts everything, from events alone: the bytes themselves are not shown.
    pub(crate) fn of_events() -> Self {
        Self { looks_for_text: true, ..Self::new() }
    }

    /// Counts a part of the input, to be merged into what came before it. That decides which names are distinguished in
    /// the end, so here all are: a part must be handed on when it is [full](Self::is_full).
    pub(crate) fn part() -> Self {
        Self::with(Idents::new(usize::MAX), Headers::partial())
    }

    fn with(idents: Idents, headers: Headers) -> Self {
        Self {
            counts: Counts::default(),
            counter: Counter::new(idents),
            headers,
            root: Root::Past,
            has_text: false,
            looks_for_text: false,
            len: 0,
            game_text: GameText::Unknown,
            early_text: None,
            file: String::new(),
            deeper: None,
            deepest: None,
            problems: BTreeMap::new(),
            lines: None,
        }
    }

    /// Adds the next part: the result is that of counting one after the other.
    pub(crate) fn merge(&mut self, mut later: Self) {
        self.settle();
        later.settle();
        if later.counts.max_depth > self.counts.max_depth {
            self.counts.max_depth = later.counts.max_depth;
            self.deepest = later.deepest;
        }
        self.counts.add(&later.counts);
        for (kind, damage) in later.problems {
            self.problems.entry(kind).and_modify(|known| known.count += damage.count).or_insert(damage);
        }
        if let Some(charset) = later.early_text
            && self.game_text == GameText::None
        {
            self.headers.add_text(charset);
        }
        if later.game_text != GameText::Unknown {
            self.game_text = later.game_text;
        }
        self.counter.merge(later.counter);
        self.headers.merge(later.headers);
    }

    /// Records where the deepest tree is, before the input changes.
    fn settle(&mut self) {
        if let Some(position) = self.deeper.take() {
            self.deepest = Some(Place { file: self.file.clone(), position });
        }
    }

    // Cold functions receive bytes and flags: a reference to an event would force each event of a move into memory, for
    // the few that need it.
    #[cold]
    fn root_property(&mut self, raw: &[u8]) {
        // A longer name may be one of the two as well, as `GaMe` is.
        self.root = Root::In;
        if (raw.len() > 2 || matches!(raw, b"CA" | b"GM"))
            && let Some(ident) = Ident::from_raw(raw)
        {
            self.root = Root::InHeader;
            self.headers.property(ident);
        }
    }

    #[cold]
    fn root_part(&mut self, raw: &[u8], is_last: bool) {
        self.headers.part(raw, is_last);
        if self.headers.are_known() {
            self.root = Root::Past;
        }
    }

    #[cold]
    fn text(&mut self, raw: &[u8], charset: Charset, is_last: bool) {
        let Some(charset) = self.headers.text(raw, charset, is_last) else { return };
        match self.game_text {
            GameText::Unknown => self.early_text = Some(charset),
            GameText::None | GameText::Counted => self.headers.add_text(charset),
        }
        self.game_text = GameText::Counted;
    }

    fn count_problem(&mut self, problem: &Problem) {
        if let Some(damage) = self.problems.get_mut(&problem.kind()) {
            damage.count += 1;
        } else {
            let first = Place { file: self.file.clone(), position: problem.position() };
            self.problems.insert(problem.kind(), Damage { count: 1, first });
        }
    }

    pub(crate) fn summary(self, account: &Account, whereabouts: Option<Whereabouts>) -> Summary {
        let (sums, idents) = self.counter.finish();
        let games = self.counts.games;
        Summary {
            deepest: self.deepest,
            problems: self.problems,
            idents: Ranking { names: idents.ranking(), others: idents.others(), not_stated: 0 },
            charsets: self.headers.charsets.ranking(games),
            text_charsets: self.headers.texts.ranking(games),
            charset_contradicted: self.headers.lies,
            game_types: self.headers.game_types.ranking(games),
            counts: self.counts,
            sums,
            left: account.left(),
            whereabouts,
            time: account.time(),
        }
    }
}

impl Sink for Scan {
    fn is_wanted(&mut self, input: &Input, _report: &mut Report) -> io::Result<bool> {
        if let Some(lines) = &mut self.lines {
            lines.begin(input.path());
        }
        Ok(true)
    }

    fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.file);
        self.has_text = self.looks_for_text;
        self.game_text = GameText::Unknown;
    }

    fn begin_member(&mut self, name: &Name) {
        if let Some(lines) = &mut self.lines {
            lines.begin(None);
        }
        self.begin(name.as_str());
    }

    fn chunk(&mut self, bytes: &[u8], _candidate: u64) -> io::Result<()> {
        if let Some(lines) = &mut self.lines {
            lines.chunk(bytes);
        }
        Ok(())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.lines.as_mut().map_or(Ok(()), |lines| lines.write())
    }

    fn stopped(&mut self, problem: &Problem) {
        self.count_problem(problem);
    }

    fn end(&mut self, bytes: u64) {
        self.counts.files += 1;
        self.counts.bytes += bytes;
        self.counter.end();
        self.settle();
        if let Some(lines) = &mut self.lines {
            lines.end(&self.file);
        }
    }

    fn games(&self) -> u64 {
        self.counts.games
    }
}

impl Partial for Scan {
    fn rest(&mut self) -> Self {
        Self {
            counter: self.counter.rest(),
            headers: self.headers.rest(),
            root: self.root,
            has_text: self.has_text,
            game_text: self.game_text,
            file: self.file.clone(),
            ..Self::part()
        }
    }

    /// If everything is ASCII, no value is checked.
    fn chunk(&mut self, bytes: &[u8], _candidate: u64) {
        self.len += bytes.len() as u64;
        self.has_text = self.has_text || !bytes.is_ascii();
    }

    /// Whether there are too many names to go on counting in little memory.
    fn is_full(&self) -> bool {
        self.counter.is_full() || self.headers.is_full()
    }
}

impl Findings for Scan {
    const SHARED_LEN: usize = 4 << 20;
    const SHARED_MAX_LEN: usize = 6 << 20;

    fn resume(&mut self, name: &Name) {
        self.begin(name.as_str());
    }

    fn len(&self) -> u64 {
        self.len
    }
}

impl Visitor for Scan {
    type Break = io::Result<()>;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> Flow<Descend> {
        self.counts.trees += 1;
        if tree.depth() == 1 {
            self.counts.games += 1;
            self.counter.end();
            self.root = Root::Before;
            self.headers.game();
            self.game_text = GameText::None;
        }
        if tree.depth() > self.counts.max_depth {
            self.counts.max_depth = tree.depth();
            self.deeper = Some(tree.position());
        }
        ControlFlow::Continue(Descend::Into)
    }

    #[inline(always)]
    fn node(&mut self, _node: Node) -> Flow<Step> {
        self.counter.node();
        if self.root != Root::Past {
            self.root = if self.root == Root::Before { Root::In } else { Root::Past };
        }
        ControlFlow::Continue(Step::Read)
    }

    #[inline(always)]
    fn property(&mut self, property: Property<'_>) -> Flow<Deliver> {
        if self.root != Root::Past {
            self.root_property(property.raw());
        }
        self.counter.property(&property);
        ControlFlow::Continue(Deliver::Parts)
    }

    /// None of these nodes is a root, and none of the values is text.
    #[inline(always)]
    fn moves(&mut self, moves: Moves<'_>) -> Flow<Option<Deliver>> {
        if self.root == Root::Before {
            return ControlFlow::Continue(None);
        }
        self.root = Root::Past;
        self.counter.moves(&moves);
        ControlFlow::Continue(Some(Deliver::Parts))
    }

    #[inline(always)]
    fn part(&mut self, part: Part<'_>) -> Flow {
        self.counter.part(part.raw().len() as u64, part.is_last());
        if self.root == Root::InHeader {
            self.root_part(part.raw(), part.is_last());
        }
        // In a recoded source, text may be bytes of ASCII.
        let awaits_text = self.game_text != GameText::Counted && (self.has_text || part.writing().is_recoded());
        // Points are sorted out here: most values are points.
        if awaits_text && (!matches!(*part.raw(), [..0x80, ..0x80]) || self.headers.is_in_text()) {
            self.text(part.raw(), part.writing().source_charset(), part.is_last());
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> Flow {
        if problem.kind() == ProblemKind::CharsetContradicted {
            self.headers.lie();
        }
        self.count_problem(problem);
        match &mut self.lines {
            Some(lines) => lines.problem(&self.file, problem),
            None => ControlFlow::Continue(()),
        }
    }
}
