//! The short ways through what real games consist of: moves, variations, short identifiers, values that lie in the chunk whole.
//!
//! They do what the states would do, event for event, and only that. Whatever looks different in the slightest goes the
//! long way. While one such token follows another, their changes are kept in a [`Run`], which is written to the fields
//! before anything else could look at these.
//!
//! Owns [`Run`] and the table of what a byte begins. Invariant: a run never ends inside a token, and where it ends the engine is as
//! the states would have left it. Refuses to repair anything.

use std::mem;
use std::ops::ControlFlow;

use super::charset::GameText;
use super::ends::Repairs;
use super::{Before, Engine, Flow, State, Stop};
use crate::syntax::ident::{self, Ident, MAX_LEN, MAX_RAW_LEN};
use crate::syntax::scan::{self, LineEnds, ValueEnd};
use crate::syntax::{
    Deliver, Descend, Limits, Moves, Node, Position, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value,
    Visitor, kinds,
};
use crate::text::{MAX_SHORT_VALUE, Writing, swallowed_end};

/// Bytes in which the short way searches for the end of a value. For a longer value the long way costs little more,
/// even though it looks at these bytes again.
const PAGE: usize = 32 << 10;

/// Bytes that are seen at once: a name of two letters, a `[`, and what is near behind it. Where a chunk has fewer,
/// zeros follow, which begin no token and end no value.
const WINDOW: usize = 3 + scan::NEAR;

/// What a byte begins if it stands between tokens.
#[derive(Clone, Copy)]
enum Kind {
    Odd,
    Node,
    Tree,
    TreeEnd,
    Name,
    SmallLetter,
    Value,
    LineEnd,
    CarriageReturn,
    Blank,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Odd; 256];
    let mut byte = 0;
    while byte < kinds.len() {
        kinds[byte] = match byte as u8 {
            b';' => Kind::Node,
            b'(' => Kind::Tree,
            b')' => Kind::TreeEnd,
            b'A'..=b'Z' | b'0'..=b'9' => Kind::Name,
            b'a'..=b'z' => Kind::SmallLetter,
            b'[' => Kind::Value,
            b'\n' => Kind::LineEnd,
            b'\r' => Kind::CarriageReturn,
            b' ' | b'\t' => Kind::Blank,
            _ => Kind::Odd,
        };
        byte += 1;
    }
    kinds
};

/// The state of a run, to be written back to the engine's fields.
struct Run<'a> {
    /// What is still to be read, to the end of the chunk or of the zeros behind it.
    rest: &'a [u8],
    before: Before,
    properties: u64,
    values: u64,
    /// The letters of the property, or zeros if there are more than two.
    head: [u8; 2],
}

/// Why a run ends.
enum End<B> {
    /// What comes goes the long way.
    Odd,
    /// A name that goes the long way, unless it is only longer than most, begins with a digit, or consists of small letters.
    Name,
    /// A value that goes the long way, with its length if its end is in sight.
    OddValue(Option<usize>),
    /// The value belongs to the root's CA.
    Label,
    /// The visitor's answer to the node is a step other than to read it.
    Step(Step),
    /// The visitor skips the tree.
    Over,
    Stop(B),
    /// A problem was reported, and reading does not go on.
    Fault(Stop<B>),
}

impl Run<'_> {
    #[inline(always)]
    fn begin_node(&mut self, len: usize) {
        (self.rest, self.before, self.properties) = (&self.rest[len..], Before::Node, 0);
    }

    #[inline(always)]
    fn begin_property(&mut self, len: usize, head: [u8; 2]) {
        (self.rest, self.before) = (&self.rest[len..], Before::Property(Deliver::Whole));
        (self.values, self.head) = (0, head);
        self.properties += 1;
    }

    /// Moves of `len` bytes have been delivered; `answer` is the visitor's answer to the last. Which colour that has makes no
    /// difference to the values that may follow.
    #[inline(always)]
    fn end_move(&mut self, len: usize, answer: Deliver) {
        (self.rest, self.before) = (&self.rest[len..], Before::Property(answer));
        (self.properties, self.values, self.head) = (1, 1, *b"B\0");
    }

    #[inline(always)]
    fn end_value(&mut self, len: usize) {
        self.rest = &self.rest[len + 2..];
        self.values += 1;
    }
}

impl Engine {
    /// Reads tokens that begin before `end`, as long as they can take the short way.
    #[inline(never)]
    pub(super) fn run_on<V: Visitor>(&mut self, end: usize, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        while self.state == State::Inside && self.at < end {
            let [first, second, third] = self.text.head;
            let head = if third == 0 { [first, second] } else { [0; 2] };
            let (before, properties, values) = (self.before, self.properties, self.values);
            // Gives every byte before `end` a full window.
            let len = end - self.at + WINDOW - 1;
            let mut padded = [0; 2 * WINDOW];
            let mut rest = &chunk[self.at..];
            if rest.len() < WINDOW {
                padded[..rest.len()].copy_from_slice(rest);
                rest = &padded;
            }
            rest = &rest[..len.min(rest.len())];
            let last = self.at + rest.len();
            let mut run = Run { rest, before, properties, values, head };
            let why = self.tokens(&mut run, self.offset_at(last), visitor);
            self.at = last - run.rest.len();
            self.before = run.before;
            self.properties = run.properties;
            self.values = run.values;
            self.text.head = [run.head[0], run.head[1], 0];
            // A run always ends at the root's CA, even if the visitor breaks there.
            let is_open = run.values == 0 && matches!(run.before, Before::Property(_));
            self.text.declares = is_open && self.text.in_root && run.head == *b"CA";
            match why {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(End::Odd) => break,
                ControlFlow::Break(End::Name) => {
                    if !self.long_name(chunk, visitor)? {
                        break;
                    }
                }
                ControlFlow::Break(End::OddValue(near)) => self.odd_value(near, chunk, visitor)?,
                ControlFlow::Break(End::Label) => {
                    let len = self.value_len(&chunk[self.at + 1..]);
                    self.odd_value(len, chunk, visitor)?;
                    if self.text.declares {
                        break;
                    }
                }
                ControlFlow::Break(End::Step(step)) => self.step(ControlFlow::Continue(step))?,
                ControlFlow::Break(End::Over) => self.skip_tree(),
                ControlFlow::Break(End::Stop(stop)) => return ControlFlow::Break(Stop::Visitor(stop)),
                ControlFlow::Break(End::Fault(stop)) => return ControlFlow::Break(stop),
            }
        }
        ControlFlow::Continue(())
    }

    /// Reads tokens as long as there is a full window. The bytes end at the offset `end`.
    #[expect(
        clippy::too_many_lines,
        reason = "cut into functions it takes 2 to 6 % more instructions, as less stays in registers"
    )]
    #[inline(always)]
    fn tokens<V: Visitor>(&mut self, run: &mut Run<'_>, end: u64, visitor: &mut V) -> ControlFlow<End<V::Break>> {
        let Limits { property_values: max_values, node_properties: max_properties, depth: max_depth, .. } =
            self.config.limits;
        let (quiet, writing) = (self.text.quiet, self.text.writing);
        while let Some(window) = run.rest.first_chunk::<WINDOW>() {
            let (answer, [first, second], mut value) = match KINDS[usize::from(window[0])] {
                Kind::Node if run.before != Before::Child => {
                    let position = self.lines.position(end - run.rest.len() as u64);
                    if self.text.in_root {
                        if run.before == Before::Fresh {
                            run.begin_node(1);
                            node(position, visitor)?;
                            continue;
                        }
                        self.text.leave_root();
                    }
                    if window[scan::MOVE_LEN] != b';' {
                        // Most moves stand alone.
                        match window.split_first_chunk() {
                            Some((raw, _)) if scan::is_move(raw) => {
                                let (raw, white) = (&raw[..scan::MOVE_LEN], usize::from(raw[1] == b'W'));
                                moves(Moves { position, writing, raw, white }, run, visitor)?;
                                if window[scan::MOVE_LEN] == b'\n' {
                                    self.lines.advance_byte(b'\n', end - run.rest.len() as u64);
                                    run.rest = &run.rest[1..];
                                }
                            }
                            _ => {
                                run.begin_node(1);
                                node(position, visitor)?;
                            }
                        }
                        continue;
                    }
                    let [window @ .., _, _, _] = window;
                    let mut window = window;
                    let (mut count, mut white) = scan::moves(window);
                    if count == 0 {
                        run.begin_node(1);
                        node(position, visitor)?;
                    }
                    // A full group of moves goes through code for exactly that many.
                    while count == scan::MOVES {
                        let position = self.lines.position(end - run.rest.len() as u64);
                        let raw = &window[..scan::MOVES * scan::MOVE_LEN];
                        moves(Moves { position, writing, raw, white }, run, visitor)?;
                        count = 0;
                        if let Some([next @ .., _, _, _]) = run.rest.first_chunk::<WINDOW>()
                            && next[0] == b';'
                        {
                            window = next;
                            (count, white) = scan::moves(window);
                        }
                    }
                    if count > 0 {
                        let position = self.lines.position(end - run.rest.len() as u64);
                        let raw = &run.rest[..count * scan::MOVE_LEN];
                        moves(Moves { position, writing, raw, white }, run, visitor)?;
                    }
                    continue;
                }
                Kind::Tree if run.before != Before::Fresh && self.depth < max_depth => {
                    let position = self.lines.position(end - run.rest.len() as u64);
                    if self.text.in_root {
                        self.text.leave_root();
                    }
                    self.depth += 1;
                    let first_child = run.before != Before::Child;
                    let tree = Tree { position, depth: self.depth, first_child, implied: false };
                    (run.rest, run.before) = (&run.rest[1..], Before::Fresh);
                    if visitor.enter_tree(tree).map_break(End::Stop)? == Descend::Over {
                        return ControlFlow::Break(End::Over);
                    }
                    continue;
                }
                Kind::TreeEnd if run.before != Before::Fresh && self.depth > 1 => {
                    let position = self.lines.position(end - run.rest.len() as u64);
                    let close = TreeEnd { position, depth: self.depth, close_len: 1 };
                    self.depth -= 1;
                    (run.rest, run.before) = (&run.rest[1..], Before::Child);
                    visitor.exit_tree(close).map_break(End::Stop)?;
                    continue;
                }
                Kind::LineEnd => {
                    self.lines.advance_byte(b'\n', end - run.rest.len() as u64);
                    run.rest = &run.rest[1..];
                    continue;
                }
                Kind::CarriageReturn => {
                    self.lines.advance_byte(b'\r', end - run.rest.len() as u64);
                    run.rest = &run.rest[1..];
                    continue;
                }
                Kind::Blank => {
                    run.rest = &run.rest[window.first_chunk().map_or(0, scan::blanks)..];
                    continue;
                }
                Kind::Name if run.before.is_node() && run.properties < max_properties => {
                    let (head, name, value) = match window {
                        [first, b'[', value @ .., _] => ([*first, 0], &window[..1], value),
                        [first, second @ b'A'..=b'Z', b'[', value @ ..] if first & 0x40 != 0 => {
                            ([*first, *second], &window[..2], value)
                        }
                        _ => return ControlFlow::Break(End::Name),
                    };
                    let position = self.lines.position(end - run.rest.len() as u64);
                    run.begin_property(name.len(), head);
                    let answer = visitor.property(Property { position, raw: name }).map_break(End::Stop)?;
                    run.before = Before::Property(answer);
                    if self.text.in_root && head == *b"CA" {
                        return ControlFlow::Break(End::Label);
                    }
                    (answer, head, value)
                }
                Kind::SmallLetter if run.before.is_node() && run.properties < max_properties => {
                    let [first, b'[', value @ .., _] = window else { return ControlFlow::Break(End::Name) };
                    let position = self.lines.position(end - run.rest.len() as u64);
                    self.small_letters(1, position, visitor).map_break(End::Fault)?;
                    run.begin_property(1, [*first, 0]);
                    let answer = visitor.property(Property { position, raw: &window[..1] }).map_break(End::Stop)?;
                    run.before = Before::Property(answer);
                    (answer, run.head, value)
                }
                Kind::Value => {
                    let Before::Property(answer) = run.before else { return ControlFlow::Break(End::Odd) };
                    if run.values >= max_values {
                        return ControlFlow::Break(End::OddValue(None));
                    }
                    if matches!(run.head, [b'B' | b'W', 0]) && window[1].is_ascii_digit() {
                        // It may be the time of what somebody has said.
                        return ControlFlow::Break(End::Odd);
                    }
                    let [_, value @ .., _, _] = window;
                    (answer, run.head, value)
                }
                _ => return ControlFlow::Break(End::Odd),
            };
            let repairs = self.text.repairs_in(first, second);
            // At the `[` of a value, with a window of what follows.
            loop {
                let position = self.lines.position(end - run.rest.len() as u64 + 1);
                let near = if scan::is_point(value) { Some((scan::POINT, true)) } else { scan::plain_value(value) };
                if let Some((len, ascii)) = near
                    && (ascii || quiet)
                    && (repairs == Repairs::None || self.text.ends_plainly(len, &run.rest[len + 2..]))
                {
                    run.end_value(len);
                    Value { position, writing, raw: &value[..len] }.hand_to(answer, visitor).map_break(End::Stop)?;
                } else {
                    let (near, value) = (near.map(|(len, _)| len), &run.rest[1..]);
                    let len = match self.text_value(near, value, position.offset, answer, repairs) {
                        Ok(len) => len,
                        Err(len) => return ControlFlow::Break(End::OddValue(len)),
                    };
                    run.end_value(len);
                    let value = Value { position, writing: self.written, raw: &value[..len] };
                    value.hand_to(answer, visitor).map_break(End::Stop)?;
                }
                match run.rest.first_chunk::<WINDOW>() {
                    Some([b'[', next @ .., _, _]) if run.values < max_values => value = next,
                    _ => break,
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// A name that stands right before its `[`: the names of `MultiGo` and of other programs, which most games in their
    /// archives have; those of the old formats, such as `Black`; and those of small letters only, such as the moves of
    /// `TwixT`. False if it is another.
    fn long_name<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Flow<V, bool> {
        let rest = &chunk[self.at..];
        let len = rest.iter().take(MAX_RAW_LEN).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (raw, position) = (&rest[..len], self.position_at(self.at));
        let (ident, letters) = Ident::pack(raw);
        // The root's CA goes the long way, however it is spelled.
        if rest.get(len) != Some(&b'[') || letters > MAX_LEN || ident.head() == kinds::CA {
            return ControlFlow::Continue(false);
        }
        if ident::is_lowercase(raw) {
            self.small_letters(len, position, visitor)?;
        } else if raw.first().is_some_and(u8::is_ascii_digit) && self.has_stray_digit(raw) {
            return ControlFlow::Continue(false);
        }
        self.begin_property(true);
        self.text.begin_property(ident.head());
        self.at += len;
        self.before = Before::Property(visitor.property(Property { position, raw }).map_break(Stop::Visitor)?);
        ControlFlow::Continue(true)
    }

    /// Reports that the name of the property to come has no capital, unless that was done before the visitor broke. Not in
    /// line: reporting would take registers from the loop, and few games come here.
    #[inline(never)]
    fn small_letters<V: Visitor>(&mut self, len: usize, position: Position, visitor: &mut V) -> Flow<V> {
        if !mem::replace(&mut self.is_reported, true) {
            self.report(Problem::new(ProblemKind::LowercaseIdentifier, position, len as u64), visitor)?;
        }
        self.is_reported = false;
        ControlFlow::Continue(())
    }

    /// The length of a value that needs no second look. How it is written is then known, and its line ends are counted.
    /// The error is the length that it seems to have, if its end is in sight. `near`: the length, if the end is near
    /// and no line end comes before it.
    #[inline(never)]
    fn text_value(
        &mut self,
        near: Option<usize>,
        value: &[u8],
        offset: u64,
        answer: Deliver,
        repairs: Repairs,
    ) -> Result<usize, Option<usize>> {
        let mut found = ValueEnd { close: near, ends: LineEnds::new(false), ascii: false, escapes: true };
        if near.is_none() {
            if let Some((len, ascii)) = value.first_chunk().and_then(scan::escaped_value) {
                (found.close, found.ascii) = (Some(len), ascii);
            } else {
                let (page, mut escaped) = (&value[..value.len().min(self.page())], false);
                // Of a short value the end is seen all the same: it may have lost its own.
                if self.unclosed.passed_by_byte(offset) > MAX_SHORT_VALUE.max(page.len() / 2) {
                    return Err(None);
                }
                found = scan::value_end(page, &mut escaped, false);
                // Behind a short rest there may be zeros that are no bytes of the value.
                if found.close.is_none() && page.len() == PAGE {
                    self.unclosed.note_by_byte(offset, page.len() + usize::from(escaped));
                }
            }
        }
        let len = found.close.filter(|&len| len <= self.config.limits.value).ok_or(None)?;
        let (raw, after) = (&value[..len], &value[len + 1..]);
        if repairs != Repairs::None && !self.text.ends_plainly(len, after) {
            return Err(Some(len));
        }
        // A near end has no backslash before it.
        if repairs != Repairs::None
            && near.is_none()
            && !found.ascii
            && found.escapes
            && self.text.may_swallow()
            && swallowed_end(raw).is_some()
        {
            return Err(Some(len));
        }
        // A near end has no `[` before it either.
        let is_odd = || match repairs {
            Repairs::Prose => scan::opens_near_end(raw),
            Repairs::Line => scan::opens(raw),
            Repairs::None => raw.len() > MAX_SHORT_VALUE || scan::opens(raw),
        };
        if near.is_none() && self.config.cap_values && is_odd() {
            return Err(Some(len));
        }
        self.written = self.text.writing;
        let is_expected = |text: &mut GameText| answer != Deliver::Skip && text.is_as_expected(raw, offset);
        if !found.ascii && !self.text.quiet && !is_expected(&mut self.text) {
            self.written = self.writing_at_once(raw, offset, answer).ok_or(Some(len))?;
        }
        self.lines.apply(found.ends, value, offset);
        Ok(len)
    }

    /// How a value is written that is neither ASCII nor UTF-8 where that is expected, if it is as it seems: the answer
    /// that [`attend`](Self::attend) would give for most.
    #[inline(never)]
    fn writing_at_once(&mut self, raw: &[u8], offset: u64, answer: Deliver) -> Option<Writing> {
        let is_looked_at = self.verdict.is_some_and(|verdict| verdict.is_about(offset - 1));
        if answer == Deliver::Skip || is_looked_at || self.is_far(offset - 1) {
            return None;
        }
        self.text.writing_at_once(raw, offset, answer == Deliver::Parts)
    }

    /// At the `[` of a value that needs a second look; `len` is its length if its end is in sight. Faults in it are reported and
    /// its line ends are counted before it is delivered. If it cannot be delivered at once, the state changes.
    pub(super) fn odd_value<V: Visitor>(&mut self, len: Option<usize>, chunk: &[u8], visitor: &mut V) -> Flow<V> {
        let Before::Property(answer) = self.before else {
            return self.orphan(chunk, visitor);
        };
        let position = self.position_at(self.at + 1);
        let len = len.filter(|_| self.values < self.config.limits.property_values);
        let Some((len, writing)) = self.attend(len, chunk, visitor)? else {
            return ControlFlow::Continue(());
        };
        let mut raw = &chunk[self.at + 1..][..len];
        let opens = self.opens(raw);
        let lost = if opens { self.text.lost_end(raw) } else { None };
        if let Some(end) = lost {
            if kinds::is_short(self.text.head) {
                return self.give_up_at(end, raw, visitor);
            }
            // Nobody knows what has become of the `]`; but words before it are words.
            raw = &raw[..end];
            let open = position.back();
            self.problem_once(ProblemKind::UnterminatedValue, open, open.offset, visitor)?;
            self.is_reported = false;
        } else if self.text.is_endless(len as u64) || (opens && self.text.ends_in_property(raw)) {
            self.mark_swallower(position, position.offset + len as u64 + 1, visitor)?;
        }
        self.lines.advance(raw, position.offset);
        self.at += 1 + raw.len() + usize::from(lost.is_none());
        self.values += 1;
        Value { position, writing, raw }.hand_to(answer, visitor).map_break(Stop::Visitor)
    }

    /// The length of a value, if its end is in sight.
    pub(super) fn value_len(&self, value: &[u8]) -> Option<usize> {
        let page = &value[..value.len().min(self.page())];
        match page.first_chunk().and_then(scan::plain_value) {
            Some((len, _)) => Some(len),
            None => scan::value_end(page, &mut false, false).close,
        }
    }

    /// Values shorter than this are read whole if they lie in one chunk.
    pub(super) fn page(&self) -> usize {
        PAGE.min(self.config.limits.value.saturating_add(1))
    }
}

/// Delivers moves; the run stands at the first of them.
#[inline(always)]
fn moves<V: Visitor>(moves: Moves<'_>, run: &mut Run<'_>, visitor: &mut V) -> ControlFlow<End<V::Break>> {
    let Moves { position, writing, raw, .. } = moves;
    let answer = visitor.moves(moves);
    if !matches!(answer, ControlFlow::Continue(None)) {
        run.end_move(raw.len(), Deliver::Whole);
        run.before = Before::Property(answer.map_break(End::Stop)?.unwrap_or(Deliver::Whole));
        return ControlFlow::Continue(());
    }
    let mut answer = Deliver::Whole;
    for (bytes, at) in raw.as_chunks::<{ scan::MOVE_LEN }>().0.iter().zip((0..).step_by(scan::MOVE_LEN)) {
        let position = position.forward(at as u64);
        // The run is updated only where it ends.
        if let ControlFlow::Break(why) = node(position, visitor) {
            run.begin_node(at + 1);
            return ControlFlow::Break(why);
        }
        answer = match visitor.property(Property { position: position.forward(1), raw: &bytes[1..2] }) {
            ControlFlow::Continue(answer) => answer,
            ControlFlow::Break(stop) => {
                run.begin_node(at + 1);
                run.begin_property(1, [bytes[1], 0]);
                return ControlFlow::Break(End::Stop(stop));
            }
        };
        let value = Value { position: position.forward(3), writing, raw: &bytes[3..5] };
        if let ControlFlow::Break(stop) = value.hand_to(answer, visitor) {
            run.end_move(at + scan::MOVE_LEN, answer);
            return ControlFlow::Break(End::Stop(stop));
        }
    }
    run.end_move(raw.len(), answer);
    ControlFlow::Continue(())
}

/// Delivers a node that is not implied, and comes after no variation.
#[inline(always)]
fn node<V: Visitor>(position: Position, visitor: &mut V) -> ControlFlow<End<V::Break>> {
    match visitor.node(Node { position, implied: false, after_variation: false }).map_break(End::Stop)? {
        Step::Read => ControlFlow::Continue(()),
        step => ControlFlow::Break(End::Step(step)),
    }
}
