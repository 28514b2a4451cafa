//! What becomes of each byte, from the events that a visitor receives.
//!
//! Owns [`Ledger`], which goes through the text from event to event. Bytes that an event or a problem covers are
//! counted for it, and the bytes between two are looked at. Offsets here are of the text that the engine reads; figures
//! are in bytes of the source. Refuses to know chunks.

use std::ops::ControlFlow;

use super::ByteAccount;
use super::gap::{Class, PendingGap, Places};
use crate::syntax::{
    Config, Deliver, Descend, Node, Part, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value, Visitor,
};
use crate::text::white::is_white;

/// How many bytes a reader may hold back before it delivers them, beside those of a value.
const HELD: usize = 128 << 10;

#[derive(Clone, Debug)]
pub(super) struct Ledger {
    account: ByteAccount,
    /// What comes before this offset of the text is in the account.
    covered: u64,
    /// How many bytes of the source before it are characters.
    characters: u64,
    pub(super) pending: PendingGap,
    /// Parts of a value that has not ended.
    open: Option<OpenValue>,
    depth: u64,
    passing: Passing,
    /// Where the `[` of a text is that has no `]`.
    unclosed: Option<u64>,
    /// Problems of this game are no longer reported.
    muted: bool,
}

/// A value of which parts were delivered. If it turns out to have no end, they are taken back.
#[derive(Clone, Copy, Debug)]
struct OpenValue {
    /// Where its `[` stands.
    start: u64,
    characters: u64,
    /// The length of its `[`, and of the parts so far.
    bracket: u64,
    len: u64,
}

/// What the visitor skips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    Nothing,
    /// Everything before the next event.
    Gap,
    /// Everything before the end of the tree of that depth, except the ends of other trees.
    Tree(u64),
}

impl Ledger {
    /// At the beginning of an input that is read with this configuration.
    pub(super) fn of(config: &Config) -> Self {
        Self {
            account: ByteAccount::default(),
            covered: 0,
            characters: 0,
            pending: PendingGap::new(config.limits.value.saturating_add(HELD)),
            open: None,
            depth: 0,
            passing: Passing::Nothing,
            unclosed: None,
            muted: false,
        }
    }

    /// What comes before this offset of the text is in the account.
    pub(super) fn covered(&self) -> u64 {
        self.covered
    }

    /// The account of a source of which `bytes` bytes were taken.
    pub(super) fn account(&self, bytes: u64, places: Places<'_>) -> ByteAccount {
        let mut account = self.account.clone();
        let nothing = places.source(self.covered).saturating_sub(places.characters(self.covered));
        account.bytes = bytes;
        account.marks += nothing;
        account.undecided = bytes.saturating_sub(self.characters + nothing);
        if let Some(open) = self.open {
            account.undecided += open.bracket + open.len;
        }
        account
    }

    /// Accounts for the bytes before an offset of the text, in which no event came.
    pub(super) fn pass(&mut self, to: u64, window: &Window<'_>) {
        if to <= self.covered {
            return;
        }
        let places = window.places;
        let from = self.pending.end().max(self.covered);
        let fresh = if to > from { window.bytes(from, to) } else { &[] };
        let is_plain = self.passing == Passing::Nothing && fresh.len() as u64 == to - self.covered;
        if is_plain && fresh.iter().all(|&byte| is_white(byte)) {
            // Nearly always.
            self.pending.drop_to(to, places);
            self.account.white_space += places.characters(to).saturating_sub(self.characters);
        } else {
            self.pending.drop_to(self.covered, places);
            self.pending.extend(fresh, places);
            let mut pending = std::mem::take(&mut self.pending);
            pending.take(to, places, |class, start, len| match class {
                _ if self.passing != Passing::Nothing => self.account.passed_over += len,
                Class::WhiteSpace => self.account.white_space += len,
                Class::Mark if self.depth == 0 => self.account.marks += len,
                Class::Mark | Class::Other => self.add_lost(start, len, places),
            });
            self.pending = pending;
        }
        self.covered = to;
        self.characters = places.characters(to);
    }

    /// The input has ended with this text.
    pub(super) fn end(&mut self, to: u64, window: &Window<'_>) {
        self.pass(to, window);
        self.give_up(window.places);
    }

    /// A value of which parts were delivered has no end, and no problem has reported that.
    #[cold]
    fn give_up(&mut self, places: Places<'_>) {
        let Some(open) = self.open.take() else { return };
        self.add_lost(open.start, open.bracket + open.len, places);
    }

    /// `len` bytes of the source are in no event and no range.
    fn add_lost(&mut self, start: u64, len: u64, places: Places<'_>) {
        if self.muted {
            self.account.unreported += len;
        } else {
            self.account.lost += len;
            self.account.first_lost.get_or_insert(places.source(start));
        }
    }

    /// An event or a problem has these bytes of the text; returns how many bytes of the source that is.
    #[inline]
    fn cover(&mut self, start: u64, end: u64, window: &Window<'_>) -> u64 {
        let places = window.places;
        if self.open.is_some() {
            self.give_up(places);
        }
        if start > self.covered {
            self.pass(start, window);
        } else if start < self.covered {
            self.account.twice += self.covered.min(end) - start;
        }
        if self.passing == Passing::Gap {
            self.passing = Passing::Nothing;
        }
        if end <= self.covered {
            return 0;
        }
        self.pending.drop_to(end, places);
        let before = std::mem::replace(&mut self.characters, places.characters(end));
        self.covered = end;
        self.characters.saturating_sub(before)
    }

    /// A piece of a value, with these bytes of the text.
    #[inline]
    fn value(&mut self, start: u64, len: u64, last: bool, window: &Window<'_>) {
        let mut open = self.open.take().unwrap_or_else(|| {
            let start = start - 1;
            let bracket = self.cover(start, start + 1, window);
            OpenValue { start, characters: self.characters.saturating_sub(bracket), bracket, len: 0 }
        });
        open.len += self.cover(start, start + len, window);
        if last {
            let end = start + len;
            let close = if self.unclosed == Some(open.start) { 0 } else { self.cover(end, end + 1, window) };
            self.account.brackets += open.bracket + close;
            self.account.values += open.len;
        } else {
            self.open = Some(open);
        }
    }

    pub(super) fn problem(&mut self, problem: &Problem, window: &Window<'_>) {
        let kind = problem.kind();
        if kind == ProblemKind::LimitProblems {
            self.muted = true;
        }
        let span = problem.span();
        if span.is_empty() && kind == ProblemKind::UnterminatedValue {
            // The text comes next.
            self.unclosed = Some(window.places.text(span.start));
            return;
        }
        if !kind.skips() {
            return;
        }
        let start = match self.open.take() {
            // A skipping problem in the middle of a value is about that value.
            Some(open) => {
                (self.covered, self.characters) = (open.start, open.characters);
                open.start
            }
            None => window.places.text(span.start),
        };
        let passing = self.passing;
        let len = self.cover(start, window.places.text(span.end), window);
        self.account.skip(kind, len);
        // If the property has ended, nothing but white space comes before the next event.
        let is_between = matches!(kind, ProblemKind::IllegalBytes | ProblemKind::ValueWithoutProperty);
        if is_between || kind == ProblemKind::UnterminatedValue {
            self.passing = passing;
        }
    }

    /// The problem that ends strict reading; nothing comes after it. If it only marks bytes, they were never delivered,
    /// so it does not count.
    pub(super) fn end_with(&mut self, problem: &Problem, window: &Window<'_>) {
        if problem.kind().skips() {
            self.problem(problem, window);
        }
    }
}

/// The text that is read next, and where it stood in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window<'a> {
    pub(super) start: u64,
    pub(super) text: &'a [u8],
    pub(super) places: Places<'a>,
}

impl<'a> Window<'a> {
    /// These bytes of the text, as far as they lie in the window.
    pub(super) fn bytes(&self, from: u64, to: u64) -> &'a [u8] {
        let index = |offset: u64| (offset.saturating_sub(self.start) as usize).min(self.text.len());
        &self.text[index(from)..index(to)]
    }
}

/// Calls a visitor, after updating the ledger.
pub(super) struct Audited<'a, V> {
    pub(super) ledger: &'a mut Ledger,
    pub(super) window: Window<'a>,
    pub(super) visitor: &'a mut V,
}

impl<V> Audited<'_, V> {
    /// A token of one character.
    #[inline]
    fn token(&mut self, source: u64) -> u64 {
        let start = self.window.places.text(source);
        self.ledger.cover(start, start + 1, &self.window)
    }
}

/// Without `moves`: the bytes of each event are counted.
impl<V: Visitor> Visitor for Audited<'_, V> {
    type Break = V::Break;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<V::Break, Descend> {
        let start = self.window.places.text(tree.position.offset);
        let end = start + u64::from(!tree.implied);
        self.ledger.account.trees += self.ledger.cover(start, end, &self.window);
        self.ledger.depth = tree.depth;
        self.ledger.muted &= tree.depth > 1;
        let answer = self.visitor.enter_tree(tree)?;
        if answer == Descend::Over {
            self.ledger.passing = Passing::Tree(tree.depth);
        }
        ControlFlow::Continue(answer)
    }

    #[inline]
    fn node(&mut self, node: Node) -> ControlFlow<V::Break, Step> {
        if !node.implied {
            self.ledger.account.nodes += self.token(node.position.offset);
        }
        let answer = self.visitor.node(node)?;
        self.ledger.passing = match answer {
            Step::Read => return ControlFlow::Continue(answer),
            Step::SkipTree => Passing::Tree(self.ledger.depth),
            Step::SkipGame => Passing::Tree(1),
        };
        ControlFlow::Continue(answer)
    }

    #[inline]
    fn property(&mut self, property: Property<'_>) -> ControlFlow<V::Break, Deliver> {
        let start = self.window.places.text(property.position().offset);
        let len = self.ledger.cover(start, start + property.raw().len() as u64, &self.window);
        self.ledger.account.identifiers += len;
        let answer = self.visitor.property(property)?;
        if answer == Deliver::Skip {
            self.ledger.passing = Passing::Gap;
        }
        ControlFlow::Continue(answer)
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<V::Break> {
        let start = self.window.places.text(value.position.offset);
        self.ledger.value(start, value.raw.len() as u64, true, &self.window);
        self.visitor.value(value)
    }

    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<V::Break> {
        let start = self.window.places.text(part.position.offset);
        self.ledger.value(start, part.raw.len() as u64, part.last, &self.window);
        self.visitor.part(part)
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<V::Break> {
        if !end.is_implicit() {
            self.ledger.account.trees += self.token(end.position.offset);
        }
        if self.ledger.passing == Passing::Tree(end.depth) {
            // Without a `)`, what was skipped ends with the next event.
            self.ledger.passing = if end.is_implicit() { Passing::Gap } else { Passing::Nothing };
        }
        self.ledger.depth = end.depth - 1;
        self.visitor.exit_tree(end)
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<V::Break> {
        self.ledger.problem(problem, &self.window);
        self.visitor.problem(problem)
    }
}
