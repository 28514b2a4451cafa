//! The visitor that makes the rows.
//!
//! Owns [`Recorder`], and how much of a game is read: [`Wants`].

use std::ops::{BitOr, ControlFlow};
use std::sync::LazyLock;

use crate::record::{GameRecord, info, names};
use crate::semantics::property::{Group, PropertyType, definitions};
use crate::semantics::{GameType, RED, in_capitals, plays};
use crate::syntax::{
    Deliver, Descend, Ident, Moves, Node, Part, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value, Visitor,
};

/// What is read of a game beyond its header. The less, the faster.
///
/// Besides the two constants, get one from what it is for, such as a [`Column`](crate::record::Column), or set its fields:
///
/// ```
/// use sgf_stream::record::{Column, Wants};
///
/// let mut wants = Wants::HEADER;
/// wants.main_line = true;
/// assert_eq!(wants, Column::Moves.wants() | Column::Black.wants());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is wanted or not, whatever the others are")]
pub struct Wants {
    /// The main line: the number of its moves, the signatures and the hash. Variations are skipped.
    pub main_line: bool,
    /// How many nodes, variations, comments and problems there are. The whole game is read.
    pub counts: bool,
    /// Names of players and teams below the header, since some files hold several games as variations. The whole game
    /// is read.
    pub names: bool,
    /// The moves and the setup of the main line themselves: [`GameRecord::line`]. The main line is read.
    pub moves: bool,
    /// The comments themselves: [`GameRecord::comment_texts`]. The whole game is read.
    pub texts: bool,
}

impl Wants {
    /// Nothing but the header.
    pub const HEADER: Self = Self { main_line: false, counts: false, names: false, moves: false, texts: false };

    /// Everything.
    pub const ALL: Self = Self { main_line: true, counts: true, names: true, moves: true, texts: true };

    const fn all_trees(self) -> bool {
        self.counts || self.names || self.texts
    }

    const fn more_than_header(self) -> bool {
        self.main_line || self.all_trees()
    }
}

/// Wants what either of them wants.
impl BitOr for Wants {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            main_line: self.main_line || other.main_line,
            counts: self.counts || other.counts,
            names: self.names || other.names,
            moves: self.moves || other.moves,
            texts: self.texts || other.texts,
        }
    }
}

/// The answer to a header. Exhaustive: there is no third choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rest {
    /// Read the rest of the game, as far as it is [wanted](Wants).
    #[default]
    Read,
    /// Skip it; the game gets no row.
    Skip,
}

/// Receives the rows. A closure that takes a [`GameRecord`] is one.
pub trait Records {
    /// What is handed back when the visitor stops early.
    type Break;

    /// The header of a game is known, and nothing else of it.
    fn header(&mut self, _record: &GameRecord) -> ControlFlow<Self::Break, Rest> {
        ControlFlow::Continue(Rest::Read)
    }

    /// A game has ended.
    fn record(&mut self, record: &GameRecord) -> ControlFlow<Self::Break>;

    /// Something is wrong in what is read of the input: in the game in progress, as far as it is known by now, or with
    /// `None` between games and in a game that gets no row. The default reads on.
    fn problem(&mut self, _record: Option<&GameRecord>, _problem: &Problem) -> ControlFlow<Self::Break> {
        ControlFlow::Continue(())
    }
}

impl<B, F: FnMut(&GameRecord) -> ControlFlow<B>> Records for F {
    type Break = B;

    fn record(&mut self, record: &GameRecord) -> ControlFlow<B> {
        self(record)
    }
}

/// Makes a row of each game, and hands it on when the game ends.
///
/// One record is used for all games; clone it to keep one. A closure that takes the rows names the type of its parameter,
/// `|game: &GameRecord|`, or it is no [`Records`].
#[derive(Clone, Debug)]
pub struct Recorder<R> {
    wants: Wants,
    records: R,
    record: GameRecord,
    stage: Stage,
    /// How the values of the last property are used.
    reading: Reading,
    ident: Ident,
    /// The number of its identifier as it is written, if that has one.
    number: Option<usize>,
    /// The header's current node has a move, so it is the last.
    has_moved: bool,
    /// The last node has no child yet.
    at_leaf: bool,
    /// The tree that has just begun has no node yet.
    is_empty: bool,
    /// How many of the comments that were counted have not ended: one or none.
    open_comments: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Header,
    Rest,
    /// The game is not wanted.
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Nothing,
    Info,
    Move,
    /// The move is recorded; more values belong to it in Blokus, and mean nothing elsewhere.
    MoreMove,
    SetUp,
    /// Whose turn it is.
    ToPlay,
    /// A comment of the header that is not counted, and tells only its charset.
    Charset,
    /// A comment to be counted.
    Comment,
    /// A comment to be counted and kept.
    Text,
    /// The rest of such a comment, which was counted already.
    MoreText,
}

impl<R: Records> Recorder<R> {
    /// A recorder that reads what is wanted and hands the rows to `records`.
    pub fn new(mut wants: Wants, records: R) -> Self {
        wants.main_line |= wants.moves;
        Self {
            wants,
            records,
            record: GameRecord::default(),
            stage: Stage::Refused,
            reading: Reading::Nothing,
            ident: Ident::B,
            number: None,
            has_moved: false,
            at_leaf: false,
            is_empty: false,
            open_comments: 0,
        }
    }

    /// Who takes the rows.
    pub const fn records(&self) -> &R {
        &self.records
    }

    /// Who takes the rows.
    pub const fn records_mut(&mut self) -> &mut R {
        &mut self.records
    }

    /// Who took the rows.
    pub fn into_records(self) -> R {
        self.records
    }

    /// The game in progress, as far as it is known; between games, the last one.
    pub const fn record(&self) -> &GameRecord {
        &self.record
    }

    /// Where the game in progress began, in bytes from the beginning of the source; `None` between games, and in a game
    /// that was refused.
    pub fn in_progress(&self) -> Option<u64> {
        (self.stage != Stage::Refused).then_some(self.record.offset())
    }

    /// The header is complete.
    fn header(&mut self) -> ControlFlow<R::Break> {
        // After a break, the game is read as if it were wanted.
        self.stage = Stage::Rest;
        match self.records.header(&self.record)? {
            Rest::Read => {}
            Rest::Skip => self.stage = Stage::Refused,
        }
        ControlFlow::Continue(())
    }

    /// Whether nothing more of this game is of interest.
    fn is_done(&self) -> bool {
        self.stage == Stage::Refused || self.stage == Stage::Rest && !self.wants.more_than_header()
    }

    fn on_line(&self) -> bool {
        self.wants.main_line && self.record.line.is_on()
    }

    #[inline]
    fn kind(&mut self, what: What) -> Reading {
        let in_header = self.stage == Stage::Header;
        match what {
            What::Color => self.a_move(),
            What::Turn => {
                self.has_moved = true;
                Reading::Nothing
            }
            What::Piece if self.is_piece() => self.a_move(),
            What::SetUp if self.on_line() => Reading::SetUp,
            What::ToPlay if self.on_line() => Reading::ToPlay,
            What::Info if in_header => Reading::Info,
            What::Name if in_header || self.wants.names => Reading::Info,
            What::Comment if self.wants.texts => Reading::Text,
            What::Comment if self.wants.counts => Reading::Comment,
            What::Comment if in_header => Reading::Charset,
            _ => Reading::Nothing,
        }
    }

    /// Never inlined: nearly no property is one, and the others must not pay for it.
    #[inline(never)]
    fn is_piece(&mut self) -> bool {
        let is_one = self.record.board.plays(self.ident).is_some();
        if is_one && self.ident == RED {
            self.ident = Ident::W;
        }
        is_one
    }

    /// In games of Boardspace, P0 to P5 name the players in the root, and below it they tell what each does.
    fn is_turn(&self) -> bool {
        self.record.is_of_boardspace && self.record.nodes > 1 && info::P0_TO_P5.contains(&self.ident)
    }

    fn a_move(&mut self) -> Reading {
        self.has_moved = true;
        if self.on_line() { Reading::Move } else { Reading::Nothing }
    }
}

impl<R: Records> Visitor for Recorder<R> {
    type Break = R::Break;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<R::Break, Descend> {
        if tree.depth() == 1 {
            self.record.begin(self.wants, tree.position());
            self.stage = Stage::Header;
            self.has_moved = false;
            self.at_leaf = false;
            self.open_comments = 0;
            return ControlFlow::Continue(Descend::Into);
        }
        self.is_empty = true;
        // Everything before the first move of the main line is the header, wherever trees begin.
        let in_header = self.stage == Stage::Header && tree.is_first_child() && !self.has_moved;
        let is_over = self.stage == Stage::Header && !in_header;
        let flow = if is_over { self.header() } else { ControlFlow::Continue(()) };
        let on_line = self.record.line.enter(tree.is_first_child()) && self.wants.main_line;
        let wanted = in_header || (!self.is_done() && (on_line || self.wants.all_trees()));
        flow.map_continue(|()| if wanted { Descend::Into } else { Descend::Over })
    }

    #[inline]
    fn node(&mut self, node: Node) -> ControlFlow<R::Break, Step> {
        let is_over = self.stage == Stage::Header && self.has_moved;
        let flow = if is_over { self.header() } else { ControlFlow::Continue(()) };
        if flow.is_continue() && self.is_done() {
            return ControlFlow::Continue(Step::SkipGame);
        }
        if node.is_after_variation() {
            self.record.line.after_variation();
        }
        self.record.nodes += 1;
        self.at_leaf = true;
        self.is_empty = false;
        flow.map_continue(|()| Step::Read)
    }

    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<R::Break, Deliver> {
        self.ident = in_capitals(property.ident());
        self.number = names::number_of(property.raw());
        self.reading = self.kind(match self.number {
            Some(number) => WHAT[number],
            None if self.is_turn() => What::Turn,
            None => What::of(self.ident),
        });
        ControlFlow::Continue(match self.reading {
            Reading::Nothing => Deliver::Skip,
            Reading::Charset | Reading::Comment | Reading::Text | Reading::MoreText => Deliver::Parts,
            Reading::Info | Reading::Move | Reading::MoreMove | Reading::SetUp | Reading::ToPlay => Deliver::Whole,
        })
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<R::Break> {
        match self.reading {
            Reading::Move => {
                self.reading = Reading::MoreMove;
                self.record.play(self.ident, value.raw());
            }
            Reading::MoreMove => self.record.play_more(self.ident, value.raw()),
            Reading::SetUp => self.record.set_up(self.ident, value.raw()),
            Reading::ToPlay => self.record.set_turn(value.raw()),
            Reading::Info => {
                let in_header = self.stage == Stage::Header;
                if in_header {
                    self.record.is_of_boardspace |= self.number.is_none()
                        && info::P0_TO_P5.contains(&self.ident)
                        && info::is_of_boardspace(value.raw());
                    self.record.board.learn(self.ident, value);
                    self.record.charset = value.source_charset();
                }
                self.record.info.push(self.ident, self.number, value, in_header);
            }
            Reading::Nothing | Reading::Charset | Reading::Comment | Reading::Text | Reading::MoreText => {}
        }
        ControlFlow::Continue(())
    }

    /// Behind the header, a move is only a node of the line, or of a variation that is counted.
    #[inline]
    fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<R::Break, Option<Deliver>> {
        if self.stage == Stage::Header || self.is_done() {
            return ControlFlow::Continue(None);
        }
        self.record.nodes += moves.len() as u64;
        (self.at_leaf, self.is_empty) = (true, false);
        if !self.on_line() {
            self.reading = Reading::Nothing;
            return ControlFlow::Continue(Some(Deliver::Skip));
        }
        self.ident = self.record.play_all(moves);
        self.reading = Reading::MoreMove;
        ControlFlow::Continue(Some(Deliver::Whole))
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<R::Break> {
        if self.stage == Stage::Header {
            self.record.charset = part.writing().source_charset();
        }
        if matches!(self.reading, Reading::Text | Reading::MoreText) {
            self.record.remarks.push(self.record.nodes, &part);
        }
        if part.is_last() {
            self.open_comments = 0;
        }
        // Further pieces are not further comments.
        let next = match self.reading {
            Reading::Comment => Reading::Nothing,
            Reading::Text => Reading::MoreText,
            _ => return ControlFlow::Continue(()),
        };
        if !part.raw().trim_ascii().is_empty() {
            self.record.comments += 1;
            self.reading = next;
            self.open_comments = u64::from(!part.is_last());
        }
        ControlFlow::Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<R::Break> {
        // A comment without an end is none, as if it had been read whole.
        self.record.comments -= std::mem::take(&mut self.open_comments);
        self.record.remarks.give_up();
        // A tree without nodes is not a child of the node before it.
        if self.at_leaf && !self.is_empty {
            self.record.leaves += 1;
            self.at_leaf = false;
        }
        self.is_empty = false;
        if end.depth() > 1 {
            self.record.line.exit();
            return ControlFlow::Continue(());
        }
        let flow = if self.stage == Stage::Header { self.header() } else { ControlFlow::Continue(()) };
        self.record.len = end.position().offset + end.close_len() - self.record.offset();
        self.record.is_complete = !end.is_implicit();
        if self.stage == Stage::Refused {
            return ControlFlow::Continue(());
        }
        self.stage = Stage::Refused;
        // No other event of this game comes, so a break at its header must not keep it back.
        let end = self.records.record(&self.record);
        if flow.is_break() { flow } else { end }
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<R::Break> {
        let is_in_game = self.stage != Stage::Refused;
        self.record.problems += u64::from(is_in_game);
        if problem.kind() == ProblemKind::ValueTooLong && self.reading == Reading::Info {
            self.record.info.cut();
        }
        self.records.problem(is_in_game.then_some(&self.record), problem)
    }
}

/// The role of a property in a record.
#[derive(Clone, Copy)]
enum What {
    /// A move in every game.
    Color,
    /// A move of Blokus or `ConHex`; other games may use the name as they like.
    Piece,
    SetUp,
    ToPlay,
    Info,
    /// The name of a player or team, which is of interest below the header too.
    Name,
    Comment,
    /// What a player does in a game of Boardspace. It ends the header as a move does, but whether it is one, or which part
    /// of one, depends on the game.
    Turn,
    Other,
}

/// The role for each number of an identifier.
static WHAT: LazyLock<[What; names::COUNT]> = LazyLock::new(|| {
    let mut table = [What::Other; names::COUNT];
    for ident in names::all() {
        if let Some(number) = names::number(ident) {
            table[number] = What::of(ident);
        }
    }
    table
});

impl What {
    /// Looks up the table of properties.
    fn of(ident: Ident) -> Self {
        match ident {
            _ if plays(ident, GameType::Go).is_some() => return Self::Color,
            _ if info::is_name(ident) => return Self::Name,
            Ident::C => return Self::Comment,
            RED => return Self::Piece,
            _ if info::is_dialect(ident) => return Self::Info,
            _ => {}
        }
        for definition in definitions(ident) {
            match (definition.property_type, definition.group) {
                (PropertyType::Move, Group::Move) if plays(ident, GameType::Unknown).is_some() => return Self::Piece,
                (_, Group::Setup) if ident == Ident::PL => return Self::ToPlay,
                (_, Group::Setup) => return Self::SetUp,
                (PropertyType::Root | PropertyType::GameInfo, _) | (_, Group::Root | Group::GameInfo) => {
                    return Self::Info;
                }
                _ => {}
            }
        }
        Self::Other
    }
}
