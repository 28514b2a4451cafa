//! The short ways through what real games consist of: moves, short identifiers, values that lie in the chunk whole.
//!
//! Each does what the states would do, event for event, and only that; whatever looks different in the slightest goes the
//! long way. They take and return the place in the chunk, and write the field before anything else could look at it.

use std::ops::ControlFlow;

use super::charset::Ending;
use super::value::deliver;
use super::{Engine, Stop};
use crate::syntax::scan::{self, ValueEnd};
use crate::syntax::{Deliver, Limits, Moves, Node, Position, Property, Step, Visitor};

/// Bytes in which the end of a value is looked for on the short way. What is longer has time to go the long way, which then
/// looks at these bytes once more.
const PAGE: usize = 32 << 10;

/// A property with one value that needs no second look.
struct Short<'a> {
    /// Where it begins in the chunk.
    at: usize,
    position: Position,
    name: &'a [u8],
    value: &'a [u8],
    /// How many its node has with it.
    properties: u64,
    /// Its letters, where they have a say.
    head: [u8; 3],
}

impl<'a> Short<'a> {
    /// That of a node as `;B[pd]` or `;B[]`.
    #[inline(always)]
    fn moved(at: usize, position: Position, node: &'a [u8]) -> Self {
        let value = &node[3..node.len() - 1];
        Self { at: at + 1, position: position.right(1), name: &node[1..2], value, properties: 1, head: [0; 3] }
    }
}

impl Engine {
    /// At a `;`: moves in the shape `;B[pd]`, as long as one follows the other, or one node of another shape. Returns where
    /// they end, as the field does if the state changes.
    ///
    /// The state is written only where the run of moves ends: what lies between is the same for every move.
    #[inline(always)]
    pub(super) fn moves<V: Visitor>(
        &mut self,
        start: usize,
        chunk: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, usize> {
        let here = self.position_at(start);
        let mut at = start;
        let mut answer = Deliver::Whole;
        loop {
            let rest = &chunk[at..];
            let moves = match (rest.first_chunk::<32>(), rest.first_chunk::<8>()) {
                (Some(window), _) if self.dense_run && scan::are_moves(window) => {
                    let raw = &window[..scan::MOVES * scan::MOVE_LEN];
                    let position = here.right((at - start) as u64);
                    match visitor.moves(Moves { position, writing: self.text.writing, raw }) {
                        ControlFlow::Continue(None) => {}
                        ControlFlow::Continue(Some(deliver)) => {
                            answer = deliver;
                            at += raw.len();
                            if window[raw.len()] != b';' {
                                // A line ends, usually.
                                break;
                            }
                            continue;
                        }
                        ControlFlow::Break(stop) => {
                            self.end_property(at + raw.len(), 1, [0; 3], Deliver::Whole);
                            return ControlFlow::Break(Stop::Visitor(stop));
                        }
                    }
                    window.as_chunks::<{ scan::MOVE_LEN }>().0
                }
                (_, Some(window)) if scan::is_move(window) => window.as_chunks::<{ scan::MOVE_LEN }>().0,
                _ => break,
            };
            for node in moves {
                let Some(told) = self.move_node(at, here.right((at - start) as u64), node, visitor)? else {
                    return ControlFlow::Continue(self.at);
                };
                answer = told;
                at += node.len();
            }
        }
        if at == start {
            if chunk[at..].first_chunk().is_some_and(scan::is_pass) {
                return self.timed(at, answer, chunk, visitor);
            }
            self.at = at;
            self.semicolon(visitor)?;
            return ControlFlow::Continue(self.at);
        }
        self.dense_run = at - start > scan::MOVES * scan::MOVE_LEN;
        if !self.dense_run
            && let [b'A'..=b'Z', b'A'..=b'Z', b'[', ..] = chunk[at..]
        {
            return self.timed(at, answer, chunk, visitor);
        }
        self.end_property(at, 1, [0; 3], answer);
        ControlFlow::Continue(at)
    }

    /// Behind a move at two letters, or at a pass: short properties, as clocks are, and moves and passes, as long as one follows the
    /// other.
    ///
    /// Like [`moves`](Self::moves) it writes the state where the run ends. A function of its own, as what it keeps in registers is
    /// not theirs to lose.
    #[inline(never)]
    fn timed<V: Visitor>(
        &mut self,
        start: usize,
        mut answer: Deliver,
        chunk: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, usize> {
        let here = self.position_at(start);
        let Limits { value: longest, node: most, .. } = self.config.limits;
        let mut at = start;
        // Of the node in progress, and the letters of the last of them, where they have a say.
        let mut properties = 1;
        let mut head = [0; 3];
        loop {
            let rest = &chunk[at..];
            let position = here.right((at - start) as u64);
            match rest {
                &[first @ b'A'..=b'Z', second @ b'A'..=b'Z', b'[', ref rest @ ..]
                    if properties < most && !self.text.repairs_in(first, second) =>
                {
                    let Some((len, true)) = scan::plain_value::<16>(rest).filter(|&(len, _)| len <= longest) else {
                        break;
                    };
                    properties += 1;
                    head = [first, second, 0];
                    let (name, value) = (&chunk[at..at + 2], &rest[..len]);
                    answer = self.tell(&Short { at, position, name, value, properties, head }, visitor)?;
                    at += len + 4;
                }
                _ => {
                    let len = match rest.first_chunk() {
                        Some(window) if scan::is_move(window) => scan::MOVE_LEN,
                        Some(window) if scan::is_pass(window) => scan::PASS_LEN,
                        _ => break,
                    };
                    let Some(told) = self.move_node(at, position, &rest[..len], visitor)? else {
                        return ControlFlow::Continue(self.at);
                    };
                    (properties, head, answer) = (1, [0; 3], told);
                    at += len;
                }
            }
        }
        self.end_property(at, properties, head, answer);
        ControlFlow::Continue(at)
    }

    /// A node as `;B[pd]` or `;B[]`, and the answer to its property; `None` where the visitor wants another step, and the state has
    /// changed.
    #[inline(always)]
    fn move_node<V: Visitor>(
        &mut self,
        at: usize,
        position: Position,
        node: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, Option<Deliver>> {
        match visitor.node(Node { position, implied: false, after_variation: false }) {
            ControlFlow::Continue(Step::Read) => {}
            other => {
                self.at = at + 1;
                self.begin_node();
                self.step(other)?;
                return ControlFlow::Continue(None);
            }
        }
        self.tell(&Short::moved(at, position, node), visitor).map_continue(Some)
    }

    /// A property of a node that the state knows nothing of yet, with its value. Returns the answer; the state is written where the
    /// visitor breaks.
    #[inline(always)]
    fn tell<V: Visitor>(&mut self, it: &Short<'_>, visitor: &mut V) -> ControlFlow<Stop<V::Break>, Deliver> {
        let open = it.at + it.name.len();
        let answer = match visitor.property(Property { position: it.position, raw: it.name }) {
            ControlFlow::Continue(answer) => answer,
            ControlFlow::Break(stop) => {
                self.end_property(open, it.properties, it.head, Deliver::Whole);
                self.values = 0;
                return ControlFlow::Break(Stop::Visitor(stop));
            }
        };
        let position = it.position.right(it.name.len() as u64 + 1);
        if let ControlFlow::Break(stop) = deliver(answer, self.text.writing, position, it.value, visitor) {
            self.end_property(open + it.value.len() + 2, it.properties, it.head, answer);
            return ControlFlow::Break(stop);
        }
        ControlFlow::Continue(answer)
    }

    /// A node has so many properties, the last of which has these letters and one value.
    #[inline(always)]
    fn end_property(&mut self, at: usize, properties: u64, head: [u8; 3], answer: Deliver) {
        self.at = at;
        self.begin_node();
        self.properties = properties;
        self.text.head = head;
        self.property = Some(answer);
        self.values = 1;
    }

    /// An identifier of one or two upper-case letters with its `[`, in a node: a property at once, and its values.
    #[inline(always)]
    pub(super) fn upper_case<V: Visitor>(
        &mut self,
        at: usize,
        stop: usize,
        chunk: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, usize> {
        let rest = &chunk[at..];
        let len = match rest {
            [_, b'[', ..] => 1,
            [_, b'A'..=b'Z', b'[', ..] => 2,
            _ => 0,
        };
        if len == 0 || self.properties >= self.config.limits.node {
            self.at = at;
            self.begin_ident();
            return ControlFlow::Continue(at);
        }
        self.begin_property(true);
        let (first, second) = (rest[0], if len == 2 { rest[1] } else { 0 });
        self.text.begin_property([first, second, 0]);
        let answer = visitor.property(Property { position: self.position_at(at), raw: &rest[..len] });
        match answer {
            ControlFlow::Continue(answer) => self.property = Some(answer),
            ControlFlow::Break(stop) => {
                self.at = at + len;
                return ControlFlow::Break(Stop::Visitor(stop));
            }
        }
        let repairs = self.text.repairs_in(first, second);
        self.values(at + len, stop, repairs, chunk, visitor)
    }

    /// At a `[` with a property: its values, as long as they are short and one follows the other. `repairs`: they are text, in
    /// which a `]` may stand that closes nothing.
    #[inline(always)]
    pub(super) fn values<V: Visitor>(
        &mut self,
        mut at: usize,
        stop: usize,
        repairs: bool,
        chunk: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, usize> {
        let Some(answer) = self.property else { return ControlFlow::Continue(at) };
        let Limits { value: longest, values: most, .. } = self.config.limits;
        let mut values = self.values;
        while let Some((b'[', rest)) = chunk.get(at..).and_then(<[u8]>::split_first)
            && at < stop
        {
            let position = self.position_at(at + 1);
            let plain = match rest.first_chunk() {
                _ if values >= most => None,
                Some(window) if scan::is_point(window) => Some((scan::POINT, true)),
                _ => scan::plain_value::<32>(rest),
            };
            let (len, writing) = match plain {
                Some((len, ascii))
                    if len <= longest
                        && (ascii || self.text.quiet)
                        && !self.text.declares
                        && (!repairs || self.text.text_ends_as_told(len, &rest[len + 1..])) =>
                {
                    (len, self.text.writing)
                }
                _ => {
                    self.values = values;
                    let Some(close) = self.odd_value(at, plain.map(|(len, _)| len), chunk, visitor)? else {
                        return ControlFlow::Continue(self.at);
                    };
                    (close.len, close.writing)
                }
            };
            at += len + 2;
            values += 1;
            if let ControlFlow::Break(stop) = deliver(answer, writing, position, &rest[..len], visitor) {
                self.at = at;
                self.values = values;
                return ControlFlow::Break(stop);
            }
        }
        self.values = values;
        ControlFlow::Continue(at)
    }

    /// The value whose `[` stands at `at`, of this length if its end is near: its line ends are counted, and what is wrong with
    /// it reported. `None` where the state has changed.
    #[inline(always)]
    fn odd_value<V: Visitor>(
        &mut self,
        at: usize,
        near: Option<usize>,
        chunk: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<Stop<V::Break>, Option<Ending>> {
        let rest = &chunk[at + 1..];
        let offset = self.offset_at(at + 1);
        let Limits { value: longest, values: most, .. } = self.config.limits;
        let found = match near {
            _ if self.values >= most => Err(None),
            Some(len) => Err((len <= longest).then_some(len)),
            None => self.text_value(at + 1, rest, self.page()),
        };
        let len = match found {
            Ok(len) => len,
            Err(Some(len)) if self.is_as_expected(&rest[..len], &rest[len + 1..]) => {
                // No line ends before what is near.
                if near.is_none() {
                    self.lines.bytes(&rest[..len], offset);
                }
                len
            }
            Err(len) => {
                let close = self.attend(at, len, chunk, visitor)?;
                if let Some(close) = &close {
                    self.lines.bytes(&rest[..close.len], offset);
                }
                return ControlFlow::Continue(close);
            }
        };
        ControlFlow::Continue(Some(Ending::plain(len, self.text.writing)))
    }

    /// Values that are shorter are read whole where they lie in a chunk.
    pub(super) fn page(&self) -> usize {
        PAGE.min(self.config.limits.value.saturating_add(1))
    }

    /// Whether a value that is not ASCII needs no second look either.
    fn is_as_expected(&mut self, raw: &[u8], after: &[u8]) -> bool {
        !self.told
            && self.property != Some(Deliver::Skip)
            && self.text.ends_as_told(raw.len(), after)
            && self.text.is_as_expected(raw)
    }

    /// At a byte of white space: the place after it, or after the spaces that follow it.
    #[inline(always)]
    pub(super) fn spaces(&mut self, byte: u8, at: usize, chunk: &[u8]) -> usize {
        self.lines.byte(byte, self.offset_at(at));
        match chunk[at + 1..].first_chunk::<8>() {
            // One by one, each would be a guess about where the run ends.
            Some(window @ [b' ', ..]) => at + 1 + scan::spaces(window),
            _ => at + 1,
        }
    }

    /// The length of a value that ends in `rest`, whose line ends are then counted; as an error, if its text is of interest
    /// or its end not in sight.
    fn text_value(&mut self, at: usize, rest: &[u8], longest: usize) -> Result<usize, Option<usize>> {
        let page = &rest[..rest.len().min(longest)];
        let ValueEnd { close, ends, ascii } = scan::value_end(page, &mut false, false);
        let len = close.ok_or(None)?;
        if !(ascii || self.text.quiet) || !self.text.ends_as_told(len, &rest[len + 1..]) {
            return Err(Some(len));
        }
        self.lines.counted(ends, page, self.offset_at(at));
        Ok(len)
    }
}
