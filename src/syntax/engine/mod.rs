//! The state machine: every byte of the input goes through here once, whichever face it came through.
//!
//! Owns what is known between two bytes: the state, the depth, the token that a chunk's edge cut (`carry`), and the line
//! count. Refuses to know where bytes come from and what a property means.
//!
//! A note to the next maintainer. Four rules hold it together:
//!
//! 1. **One event a step.** Before a visitor is called, `at` and the state stand where reading has to go on if it breaks.
//!    Where several events are due at one byte (`(FF[` is an enter, a problem, a node and a property), the byte stays
//!    unconsumed and the state moves on by one event at a time; `is_reported` remembers that the problem of the event to come has
//!    been reported. This is what makes break, resume and any chunking the same thing.
//! 2. **Numbers, not slices.** State is offsets and flags. A token lies in the chunk from `from` on, or, after
//!    [`Engine::suspend`] or a break, in `carry`; never half in one and half in the other when it is delivered.
//! 3. **Lines are counted when bytes are consumed**, so `position_at` is right for any byte up to the end of the
//!    current token that has no line end before it.
//! 4. **Whatever depends on length is decided by the length, not by the chunk.** A value over the limit is refused even
//!    if all of it lies in the chunk.
//!
//! The sub-machines, each with states of its own: `between` (depth 0), `inside` (the tokens of a game), `value` (from `[`
//! to `]`), `skip` (what the visitor does not want) and `finish` (the end of input). What `inside` and `value` do step by
//! step, `short` does at once for the usual tokens; each passes a value that is more than ASCII in sight to `attend`, which
//! may call for a `look` at the bytes to come. `resync` stands before them all, and stops where another game may begin.
//! `alone` is for parts of a source that are read by themselves. The other modules own what these know: `charset` and
//! `checked` about a game's text, `labels` about the games before, `texts` where text lies, `held` the bytes that are not
//! read yet, and `parts` where a value may be cut.

mod alone;
mod attend;
mod between;
mod charset;
mod checked;
mod ends;
mod finish;
mod held;
mod inside;
mod labels;
mod look;
mod parts;
mod resync;
mod short;
mod skip;
mod stray;
mod texts;
mod value;

use std::ops::{ControlFlow, Range};

use self::between::Gap;
use self::charset::GameText;
use self::held::Held;
use self::inside::Backoff;
pub(super) use self::labels::Labels;
use self::look::{DeadEnd, Look, Verdict};
use self::resync::Watch;
use self::skip::Until;
use self::texts::Noted;
use self::value::Mode;
use crate::syntax::position::Lines;
use crate::syntax::scan::Skip;
use crate::syntax::{Config, Deliver, Descend, Error, Position, Problem, ProblemKind, Tree, TreeEnd, Visitor};
use crate::text::white::is_white;
use crate::text::{Charset, Unclosed, Writing};

/// Bytes of a game after which its text is of no interest any more.
const TEXT_REACH: u64 = 2 << 20;

/// How many offsets of bytes already read may still be delivered.
pub(super) const STARTS: usize = 7;

/// The least number of bytes that a look asks for.
const HELD_AT_LEAST: usize = 256;

/// Why a step ended early.
pub(super) enum Stop<B> {
    /// The visitor said so.
    Visitor(B),
    /// Strict reading met its first problem, which is in `failed`.
    Strict,
}

type Flow<V, T = ()> = ControlFlow<Stop<<V as Visitor>::Break>, T>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Depth 0; `gap` has the details.
    Between,
    /// At the first `;` of a game that has lost its `(`.
    Unopened,
    /// Between the tokens of a game.
    Inside,
    /// In an identifier.
    Ident,
    /// After an identifier: white space, then the byte that decides whether a value follows.
    AfterIdent,
    /// Before bytes that a look must examine first.
    Look,
    /// Between `[` and `]`.
    Value(Mode),
    /// Between two values of a run that is skipped and reported as one range.
    Surplus(ProblemKind),
    /// Behind a backslash outside of values.
    Backslash,
    /// In a run of bytes that no rule covers.
    Illegal,
    /// In such a run between a name and its value, up to `token_end`.
    Stray,
    /// In what the visitor or a limit skips.
    Skip(Until),
    /// At the `)` of a game whose rest was skipped, with trees still open.
    Unwind,
    /// At the end of input, with trees still open, which has been reported.
    Ending,
    /// After the end of input.
    Done,
}

/// What stands before a token of a game. In this order, whether a property may follow is one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// A node of its tree, or something in that node to which no value belongs.
    Node,
    /// A property of a node, which a value may follow, with the visitor's answer to it.
    Property(Deliver),
    /// The `(` of its tree, and nothing else.
    Fresh,
    /// A child of its tree.
    Child,
}

impl Before {
    #[inline(always)]
    fn is_node(self) -> bool {
        matches!(self, Self::Node | Self::Property(_))
    }
}

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub(super) struct Engine {
    config: Config,
    state: State,
    /// Offset of the chunk's first byte; between calls, of the next byte to come.
    base: u64,
    /// The next byte of the chunk to be consumed.
    at: usize,
    lines: Lines,
    /// Bytes that were taken and not read yet, because how they are read depends on what comes after them; the first is
    /// at `base`.
    held: Held,
    /// The input has ended, though a visitor may have broken before everything was delivered.
    ended: bool,
    /// Another parser reads the rest of the game in progress.
    released: bool,
    /// Trees that are open at the end of the input were reported by whoever cut it.
    is_end_reported: bool,
    failed: Option<Problem>,
    gap: Gap,
    /// Where the game began.
    game: u64,
    depth: u64,
    before: Before,
    /// What is known about the game's text.
    text: GameText,
    /// What is known about games that begin inside others.
    watch: Watch,
    /// Problems since the game began.
    problems: u64,
    /// Problems over the limit, in all.
    suppressed: u64,
    /// Properties of the node so far.
    properties: u64,
    /// Values of the property so far.
    values: u64,
    backoff: Backoff,
    /// The problem of the event to come has been reported.
    is_reported: bool,
    /// The offset of the last value whose text was reported as faulty: once is enough, however it is cut.
    faulty_text: Option<u64>,
    /// Where the token or skipped run in progress begins.
    token: Position,
    /// Offset after the token's or run's last byte so far.
    token_end: u64,
    /// Where the token's first byte lies in the chunk, if it is not in `carry`.
    from: usize,
    /// The token's bytes from earlier chunks; of an identifier at most 33. Where values are skipped one by one, the last
    /// bytes before a value.
    carry: Vec<u8>,
    /// The part of an identifier that did not fit into `carry` was all lower case.
    tail_lowercase: bool,
    /// Where the byte after the last `[` stands.
    value: Position,
    /// Where the part of the value begins whose first bytes are in `carry`.
    part: Position,
    /// Behind an `&` among illegal bytes: where the name of an entity would begin.
    entity: u64,
    /// The next byte of the value is literal.
    escaped: bool,
    /// How the last value is written that took a call to find out. It is a field because returning more than a length
    /// from that call would cost all values.
    written: Writing,
    look: Look,
    verdict: Option<Verdict>,
    /// The values that the last look has gone past.
    noted: Noted,
    /// Where looks have found nothing that closes a text, by byte and by character.
    dead_ends: [DeadEnd; 2],
    /// Where no text ends by its characters.
    unclosed: Unclosed,
    /// The offset of the last text's `[` of which a look has found that no `]` closes it; the byte rules apply to it.
    unrepaired: Option<u64>,
    /// Bytes up to this offset have decided where texts end.
    sought: u64,
    /// The state of skipping. Its depth counts the trees opened since skipping began, which the visitor never hears of.
    skipped: Skip,
    /// A stretch of what is skipped in which every `]` closes what it seems to close.
    plain: Range<u64>,
    /// Values that were skipped one by one.
    passed_values: u64,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl Engine {
    pub(super) fn new(config: Config) -> Self {
        Self::with_buffers(config, Vec::new(), Held::default())
    }

    fn with_buffers(config: Config, carry: Vec<u8>, held: Held) -> Self {
        Self {
            state: State::Between,
            base: 0,
            at: 0,
            lines: Lines::new(),
            held,
            ended: false,
            released: false,
            is_end_reported: false,
            failed: None,
            gap: Gap::default(),
            game: 0,
            depth: 0,
            before: Before::Fresh,
            text: GameText::new(&config),
            config,
            watch: Watch::new(),
            problems: 0,
            suppressed: 0,
            properties: 0,
            values: 0,
            backoff: Backoff::default(),
            is_reported: false,
            faulty_text: None,
            token: Position::START,
            token_end: 0,
            from: 0,
            carry,
            tail_lowercase: true,
            value: Position::START,
            part: Position::START,
            entity: 0,
            escaped: false,
            written: Writing::default(),
            look: Look::new(),
            verdict: None,
            noted: Noted::new(),
            dead_ends: Default::default(),
            unclosed: Unclosed::default(),
            unrepaired: None,
            sought: 0,
            skipped: Skip::default(),
            plain: 0..0,
            passed_values: 0,
        }
    }

    /// Rebuilt from the configuration, so that a field added later cannot be forgotten; the buffers are kept.
    pub(super) fn reset(&mut self) {
        let config = std::mem::take(&mut self.config);
        let mut carry = std::mem::take(&mut self.carry);
        carry.clear();
        let mut held = std::mem::take(&mut self.held);
        held.clear();
        let mut text = GameText::new(&config);
        text.reuse(&mut self.text);
        *self = Self { text, ..Self::with_buffers(config, carry, held) };
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// The bytes to come were recoded to UTF-8.
    pub(super) fn recoded(&mut self, charset: Charset) {
        self.text.recoded(charset);
    }

    /// The offsets where whatever is in progress began: no other place among the bytes already read will be delivered.
    pub(super) fn token_starts(&self) -> [u64; STARTS] {
        let [junk, start] = self.gap.begun();
        [
            junk,
            start,
            self.token.offset,
            self.token_end,
            self.value.offset.saturating_sub(1),
            self.value.offset,
            self.part.offset,
        ]
    }

    /// The offset of the first byte that was fed and not read, or of the next byte to be fed.
    pub(super) const fn unread_offset(&self) -> u64 {
        self.base
    }

    /// Whether the stream began with the byte order mark of UTF-8.
    pub(super) fn is_marked(&self) -> bool {
        self.text.is_marked()
    }

    /// The offset of the next byte to be fed.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.held.len() as u64
    }

    /// The position of the next byte to be fed.
    pub(super) fn position(&self) -> Position {
        self.position_after(&[])
    }

    /// The position of the byte after these, which come next.
    pub(super) fn position_after(&self, bytes: &[u8]) -> Position {
        let mut lines = self.lines.clone();
        let held = self.base + self.held.len() as u64;
        lines.advance(&self.held, self.base);
        lines.advance(bytes, held);
        lines.position(held + bytes.len() as u64)
    }

    pub(super) const fn depth(&self) -> u64 {
        self.depth
    }

    pub(super) const fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// The first byte that may still turn out to be a game's: the `(` that waits for its `;`, or a `;` that waits for its node.
    pub(super) fn candidate(&self) -> Option<u64> {
        self.gap.candidate()
    }

    pub(super) fn feed<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if let Some(problem) = self.failed {
            return Err(Error::Strict(problem));
        }
        if chunk.is_empty() && (self.held.is_empty() || self.ended) {
            return Ok(ControlFlow::Continue(()));
        }
        if self.ended {
            return Err(Error::Finished);
        }
        let flow = self.take(chunk, visitor);
        self.outcome(flow)
    }

    /// Reads what is held, with as much of the chunk as that waits for, and then the rest of the chunk.
    fn take<V: Visitor>(&mut self, mut chunk: &[u8], visitor: &mut V) -> Flow<V> {
        while !self.held.is_empty() {
            let (earlier, before) = (self.held.len(), chunk);
            if self.waits() {
                // Twice as much each time: most looks need little, and what they do not need is not copied.
                let room = if self.state == State::Look { self.look_room() } else { usize::MAX };
                let wanted = self.held.len().max(HELD_AT_LEAST).min(room);
                let (more, rest) = chunk.split_at(wanted.min(chunk.len()));
                self.held.extend(more);
                chunk = rest;
            }
            let mut held = std::mem::take(&mut self.held);
            let (flow, len) = self.pass_all(&held, visitor);
            held.consume(len);
            self.held = held;
            flow?;
            if let Some(taken) = len.checked_sub(earlier) {
                // The rest belongs to the chunk, and can be read there without a copy. If it were held, a look would soon wait
                // for the end of it again, and in a text that consists only of long values that would never end.
                chunk = &before[taken..];
                self.held.clear();
            }
            if self.waits() && chunk.is_empty() && !self.ended {
                return ControlFlow::Continue(());
            }
        }
        let (flow, len) = self.pass_all(chunk, visitor);
        if flow.is_continue() {
            self.held.extend(&chunk[len..]);
        }
        flow
    }

    /// Reads bytes, and returns how many; the caller holds the others.
    fn pass_all<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> (Flow<V>, usize) {
        if self.is_watching() { self.pass_watching(bytes, visitor) } else { self.pass(bytes, visitor) }
    }

    /// [`pass_all`](Self::pass_all) without watching for games that begin inside the one in progress.
    fn pass<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> (Flow<V>, usize) {
        let mut flow = self.run(chunk, visitor);
        let kept = self.suspend(chunk, visitor);
        if flow.is_continue() {
            flow = kept;
        }
        let len = std::mem::take(&mut self.at);
        self.base += len as u64;
        (flow, len)
    }

    fn outcome<B>(&self, flow: ControlFlow<Stop<B>>) -> Result<ControlFlow<B>, Error> {
        match (flow, self.failed) {
            (_, Some(problem)) => Err(Error::Strict(problem)),
            (ControlFlow::Break(Stop::Visitor(stop)), _) => Ok(ControlFlow::Break(stop)),
            (ControlFlow::Continue(()) | ControlFlow::Break(Stop::Strict), None) => Ok(ControlFlow::Continue(())),
        }
    }

    /// In line: it has one caller, and whether the compiler sees that changes with everything in it.
    #[inline(always)]
    fn run<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        while self.at < chunk.len() {
            match self.state {
                State::Between => self.between(chunk, visitor)?,
                State::Unopened => {
                    self.state = State::Inside;
                    let position = self.position_at(self.at);
                    self.problem_at_byte(ProblemKind::UnopenedGame, position, visitor)?;
                }
                State::Inside => self.inside(chunk, visitor)?,
                State::Ident => self.ident(chunk),
                State::Look => {
                    if !self.look(chunk, visitor)? {
                        break;
                    }
                }
                State::AfterIdent => self.after_ident(chunk, visitor)?,
                State::Value(mode) => self.value(mode, chunk, visitor)?,
                State::Surplus(kind) => self.surplus(kind, chunk, visitor)?,
                State::Backslash => self.backslash(chunk, visitor)?,
                State::Illegal => self.illegal(chunk, visitor)?,
                State::Stray => self.stray(chunk, visitor)?,
                State::Skip(until) => self.skip(until, chunk, visitor)?,
                State::Unwind => self.unwind(visitor)?,
                State::Ending | State::Done => break,
            }
        }
        ControlFlow::Continue(())
    }

    /// Saves the part of the chunk that the next one will need, at the chunk's end or where the visitor broke.
    ///
    /// For a value that is wanted in parts, the part in the chunk is delivered here.
    fn suspend<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        match self.state {
            State::Ident | State::AfterIdent => {
                self.save_ident(chunk);
                self.from = 0;
            }
            State::Value(mode) => return self.save_value(mode, chunk, visitor),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Whether text at this offset is of no interest, because the game began long before. The longest real game has 1.6
    /// MB. So threads that know nothing of a game's beginning can share a game without end.
    fn is_far(&self, offset: u64) -> bool {
        offset - self.game >= TEXT_REACH
    }

    #[inline(always)]
    fn offset_at(&self, index: usize) -> u64 {
        self.base + index as u64
    }

    #[inline(always)]
    fn position_at(&self, index: usize) -> Position {
        self.lines.position(self.offset_at(index))
    }

    /// Consumes white space; false at the end of the chunk.
    #[inline]
    fn white_space(&mut self, chunk: &[u8]) -> bool {
        while let Some(&byte) = chunk.get(self.at) {
            if !is_white(byte) {
                return true;
            }
            self.lines.advance_byte(byte, self.offset_at(self.at));
            self.at += 1;
        }
        false
    }

    /// Reports that something is wrong with the bytes from `position` to `end`.
    #[cold]
    fn problem<V: Visitor>(&mut self, kind: ProblemKind, position: Position, end: u64, visitor: &mut V) -> Flow<V> {
        self.report(Problem::new(kind, position, end - position.offset), visitor)
    }

    /// The byte at `position` is wrong.
    #[cold]
    fn problem_at_byte<V: Visitor>(&mut self, kind: ProblemKind, position: Position, visitor: &mut V) -> Flow<V> {
        self.problem(kind, position, position.offset + 1, visitor)
    }

    #[cold]
    fn report<V: Visitor>(&mut self, mut problem: Problem, visitor: &mut V) -> Flow<V> {
        if self.config.strict {
            self.failed = Some(problem);
            return ControlFlow::Break(Stop::Strict);
        }
        let limit = self.config.limits.problems;
        if self.problems >= limit {
            self.suppressed += 1;
            if self.problems > limit {
                return ControlFlow::Continue(());
            }
            problem = Problem::new(ProblemKind::LimitProblems, problem.position(), 0);
        }
        self.problems += 1;
        visitor.problem(&problem).map_break(Stop::Visitor)
    }

    /// Reports the problem of the event to come, unless it was reported before the visitor broke or the chunk ended.
    #[cold]
    fn problem_once<V: Visitor>(
        &mut self,
        kind: ProblemKind,
        position: Position,
        end: u64,
        visitor: &mut V,
    ) -> Flow<V> {
        if self.is_reported {
            return ControlFlow::Continue(());
        }
        self.is_reported = true;
        self.problem(kind, position, end, visitor)
    }

    /// Reports what is wrong with the text of a value, unless that was done already.
    fn text_problem<V: Visitor>(&mut self, kind: ProblemKind, value: Position, end: u64, visitor: &mut V) -> Flow<V> {
        if self.faulty_text == Some(value.offset) {
            return ControlFlow::Continue(());
        }
        self.faulty_text = Some(value.offset);
        self.problem(kind, value, end, visitor)
    }

    /// A `[` that comes next belongs to no property.
    #[inline(always)]
    fn end_property(&mut self) {
        if self.before.is_node() {
            self.before = Before::Node;
        }
    }

    /// Begins a tree, whose `(` was consumed.
    fn enter<V: Visitor>(&mut self, tree: Tree, visitor: &mut V) -> Flow<V> {
        self.depth = tree.depth;
        self.before = Before::Fresh;
        self.is_reported = false;
        if visitor.enter_tree(tree).map_break(Stop::Visitor)? == Descend::Over {
            self.skip_tree();
        }
        ControlFlow::Continue(())
    }

    /// Ends the innermost tree at its `)`, which the caller has consumed, or without one, of which the length is 0.
    fn exit<V: Visitor>(&mut self, position: Position, close_len: u8, visitor: &mut V) -> Flow<V> {
        let end = TreeEnd { position, depth: self.depth, close_len };
        self.depth -= 1;
        self.is_reported = false;
        self.before = Before::Child;
        if self.depth == 0 {
            self.state = State::Between;
            self.gap = Gap::after_game();
        }
        visitor.exit_tree(end).map_break(Stop::Visitor)
    }
}
