//! `sgf scan`: counting what is in the inputs.
//!
//! Owns the visitor that counts and the numbers it arrives at, in memory that does not depend on the input. How they are
//! shown is for `report` and `json`.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use sgf_stream::{
    Deliver, Descend, Ident, Node, Part, Position, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Visitor, text,
};

use crate::session::Sink;
use crate::tally::{Idents, Tally};

/// What is in the inputs.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) counts: Counts,
    pub(crate) deepest: Option<Place>,
    pub(crate) problems: BTreeMap<ProblemKind, Damage>,
    pub(crate) idents: Ranking<Ident>,
    pub(crate) charsets: Ranking<String>,
    pub(crate) game_types: Ranking<String>,
    pub(crate) time: Duration,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) games: u64,
    pub(crate) trees: u64,
    pub(crate) nodes: u64,
    pub(crate) properties: u64,
    pub(crate) values: u64,
    pub(crate) value_bytes: u64,
    pub(crate) max_depth: u64,
}

impl Counts {
    /// All but the depth, which does not add up.
    fn add(&mut self, later: &Self) {
        self.files += later.files;
        self.bytes += later.bytes;
        self.games += later.games;
        self.trees += later.trees;
        self.nodes += later.nodes;
        self.properties += later.properties;
        self.values += later.values;
        self.value_bytes += later.value_bytes;
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

/// Different charsets or game types that are told apart. The standard knows 40 games.
pub(crate) const NAMES: usize = 1_000;

/// The visitor.
pub(crate) struct Scan {
    counts: Counts,
    file: String,
    /// Bytes of the value in progress, which count once it is complete.
    pending: u64,
    header: Header,
    /// Where the deepest tree of this input is, if it is the deepest so far.
    deeper: Option<Position>,
    deepest: Option<Place>,
    problems: BTreeMap<ProblemKind, Damage>,
    idents: Idents,
    charsets: Tally<String>,
    game_types: Tally<String>,
}

/// The part of a game's root node that is looked into.
#[derive(Default)]
struct Header {
    root: Root,
    charset: bool,
    game_type: bool,
    /// The property whose first value is collected.
    reading: Option<Field>,
    bytes: Vec<u8>,
}

/// Where reading is, as seen from the root node.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Root {
    Before,
    Inside,
    #[default]
    Behind,
}

#[derive(Clone, Copy)]
enum Field {
    Charset,
    GameType,
}

impl Header {
    /// Bytes of a value that are looked at.
    const LIMIT: usize = 64;

    #[cold]
    fn property(&mut self, ident: Ident) {
        let (seen, field) = match ident {
            Ident::CA => (&mut self.charset, Field::Charset),
            Ident::GM => (&mut self.game_type, Field::GameType),
            _ => return,
        };
        if !*seen {
            self.reading = Some(field);
            self.bytes.clear();
        }
    }

    fn part(&mut self, raw: &[u8]) {
        // One byte more than is looked at tells that there are more.
        let room = Self::LIMIT + 1 - self.bytes.len();
        self.bytes.extend_from_slice(&raw[..raw.len().min(room)]);
    }

    fn value(&self) -> String {
        let raw = &self.bytes[..self.bytes.len().min(Self::LIMIT)];
        let text = text::simple_text(raw);
        let mut name = String::from_utf8_lossy(&text).trim().to_owned();
        if self.bytes.len() > Self::LIMIT {
            name.push('…');
        }
        name
    }
}

impl Scan {
    /// Counts everything itself.
    pub(crate) fn new() -> Self {
        Self::with_capacity(Idents::CAPACITY, NAMES)
    }

    /// Counts a part of what is there, to be merged into what came before it. Which names are told apart in the end depends
    /// on that, so here all are: a part must be handed on when it is [full](Self::is_full).
    pub(crate) fn part() -> Self {
        Self::with_capacity(usize::MAX, usize::MAX)
    }

    fn with_capacity(idents: usize, names: usize) -> Self {
        Self {
            counts: Counts::default(),
            file: String::new(),
            pending: 0,
            header: Header::default(),
            deeper: None,
            deepest: None,
            problems: BTreeMap::new(),
            idents: Idents::new(idents),
            charsets: Tally::new(names),
            game_types: Tally::new(names),
        }
    }

    /// True where there are so many names that counting on costs memory.
    pub(crate) fn is_full(&self) -> bool {
        self.idents.long_len() > Idents::CAPACITY || self.charsets.len() > NAMES || self.game_types.len() > NAMES
    }

    /// What this part has counted so far; it goes on counting from nothing, at the same place of the same game.
    pub(crate) fn take(&mut self) -> Self {
        let mut rest = Self::part();
        rest.file.clone_from(&self.file);
        rest.pending = self.pending;
        rest.header = std::mem::take(&mut self.header);
        std::mem::replace(self, rest)
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
        self.idents.merge(later.idents);
        self.charsets.merge(later.charsets);
        self.game_types.merge(later.game_types);
    }

    /// Writes down where the deepest tree is, before the input changes.
    fn settle(&mut self) {
        if let Some(position) = self.deeper.take() {
            self.deepest = Some(Place { file: self.file.clone(), position });
        }
    }

    #[cold]
    fn header_part(&mut self, field: Field, part: Part<'_>) {
        self.header.part(part.raw());
        if !part.is_last() {
            return;
        }
        self.header.reading = None;
        let mut name = self.header.value();
        match field {
            Field::Charset => {
                self.header.charset = true;
                // `utf-8` and `UTF-8` are the same to every program.
                name.make_ascii_uppercase();
                self.charsets.add(name.as_str());
            }
            Field::GameType => {
                self.header.game_type = true;
                self.game_types.add(name.as_str());
            }
        }
    }

    fn count_problem(&mut self, problem: &Problem) {
        if let Some(damage) = self.problems.get_mut(&problem.kind()) {
            damage.count += 1;
        } else {
            let first = Place { file: self.file.clone(), position: problem.position() };
            self.problems.insert(problem.kind(), Damage { count: 1, first });
        }
    }

    pub(crate) fn summary(self, time: Duration) -> Summary {
        let games = self.counts.games;
        let by_game = |tally: &Tally<String>| {
            let names = tally.ranking();
            let stated: u64 = names.iter().map(|(_, count)| count).sum();
            Ranking { names, others: tally.others(), not_stated: games - stated - tally.others() }
        };
        Summary {
            deepest: self.deepest,
            problems: self.problems,
            idents: Ranking { names: self.idents.ranking(), others: self.idents.others(), not_stated: 0 },
            charsets: by_game(&self.charsets),
            game_types: by_game(&self.game_types),
            counts: self.counts,
            time,
        }
    }
}

impl Sink for Scan {
    fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.file);
        self.pending = 0;
        self.header.reading = None;
    }

    fn stopped(&mut self, problem: &Problem) {
        self.count_problem(problem);
    }

    fn end(&mut self, bytes: u64) {
        self.counts.files += 1;
        self.counts.bytes += bytes;
        self.settle();
    }
}

impl Visitor for Scan {
    type Break = io::Error;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<io::Error, Descend> {
        self.counts.trees += 1;
        if tree.depth() == 1 {
            self.counts.games += 1;
            self.header.root = Root::Before;
            self.header.charset = false;
            self.header.game_type = false;
        }
        if tree.depth() > self.counts.max_depth {
            self.counts.max_depth = tree.depth();
            self.deeper = Some(tree.position());
        }
        ControlFlow::Continue(Descend::Into)
    }

    #[inline]
    fn node(&mut self, _node: Node) -> ControlFlow<io::Error, Step> {
        self.counts.nodes += 1;
        self.header.root = if self.header.root == Root::Before { Root::Inside } else { Root::Behind };
        ControlFlow::Continue(Step::Read)
    }

    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<io::Error, Deliver> {
        self.counts.properties += 1;
        self.idents.add(&property);
        self.header.reading = None;
        if self.header.root == Root::Inside {
            self.header.property(property.ident());
        }
        ControlFlow::Continue(Deliver::Parts)
    }

    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<io::Error> {
        self.pending += part.raw().len() as u64;
        if part.is_last() {
            self.counts.values += 1;
            self.counts.value_bytes += self.pending;
            self.pending = 0;
        }
        if let Some(field) = self.header.reading {
            self.header_part(field, part);
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn exit_tree(&mut self, _end: TreeEnd) -> ControlFlow<io::Error> {
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<io::Error> {
        self.count_problem(problem);
        ControlFlow::Continue(())
    }
}
