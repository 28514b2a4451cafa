//! Events of a stream that is recoded before it is read, told with the places of the source.
//!
//! Owns [`Recoding`]: the recoder in front of the engine, and what it has put out and was not read yet. The engine reads
//! UTF-8 and counts its bytes; [`InSource`] turns its places into those of the source on the way to the visitor. Refuses to
//! know how bytes are recoded.

use std::ops::ControlFlow;

use crate::syntax::engine::Engine;
use crate::syntax::{
    Charsets, Config, Deliver, Descend, Error, Node, Part, Position, Problem, Property, Step, Tree, TreeEnd, Value,
    Visitor,
};
use crate::text::{Charset, OffsetMap, Recoder, Taken};

/// What stands between the source and the engine.
#[derive(Clone, Debug)]
pub(super) struct Recoding {
    recoder: Recoder,
    /// The source's offset where recoding began.
    base: u64,
    /// Bytes of the source that the recoder has taken.
    taken: u64,
    /// What it has put out, as far as it was not read.
    output: Vec<u8>,
    is_active: bool,
}

impl Recoding {
    pub(super) fn new(config: &Config) -> Self {
        let recoder = match config.charsets {
            Charsets::Raw => None,
            Charsets::Forced(charset) => Some(Recoder::forced(charset)),
            _ => Some(Recoder::new()),
        };
        Self::with(recoder, 0)
    }

    /// For a part of a source: what that is recoded from is known.
    pub(super) fn at(offset: u64, charset: Option<Charset>) -> Self {
        Self::with(charset.map(Recoder::forced), offset)
    }

    fn with(recoder: Option<Recoder>, base: u64) -> Self {
        let is_active = recoder.is_some();
        Self { recoder: recoder.unwrap_or_else(Recoder::plain), base, taken: 0, output: Vec::new(), is_active }
    }

    /// False where the engine may be given the source itself, from here to its end.
    pub(super) fn is_active(&self) -> bool {
        self.is_active
    }

    /// What the source is recoded from.
    pub(super) fn charset(&self) -> Option<Charset> {
        self.recoder.charset()
    }

    pub(super) fn replaced(&self) -> u64 {
        self.recoder.replaced()
    }

    /// The place of the next byte to be fed.
    pub(super) fn position(&self, engine: &Engine) -> Position {
        if self.charset().is_none() {
            return engine.position_after(self.recoder.held());
        }
        let position = engine.position();
        let position = in_source(self.recoder.map(), self.base, position);
        // What was taken and waits for the rest of a character, or for the visitor, is on no other line that is known of.
        let ahead = self.base + self.taken - position.offset;
        Position { offset: position.offset + ahead, line: position.line, column: position.column + ahead }
    }

    pub(super) fn feed<V: Visitor>(
        &mut self,
        mut chunk: &[u8],
        engine: &mut Engine,
        visitor: &mut V,
    ) -> Result<ControlFlow<V::Break>, Error> {
        if let stop @ ControlFlow::Break(_) = self.read(engine, visitor)? {
            return Ok(stop);
        }
        while !chunk.is_empty() && self.is_active {
            match self.recoder.take(chunk, &mut self.output) {
                Taken::Plain(len) => {
                    let (plain, rest) = chunk.split_at(len);
                    let before = engine.position().offset;
                    let flow = engine.feed(plain, visitor);
                    self.taken += engine.position().offset - before;
                    if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                        return flow;
                    }
                    chunk = rest;
                }
                Taken::Recoded(len) => {
                    chunk = &chunk[len..];
                    self.taken += len as u64;
                    if let stop @ ControlFlow::Break(_) = self.read(engine, visitor)? {
                        return Ok(stop);
                    }
                }
            }
            self.is_active = !self.recoder.is_plain();
        }
        // An empty chunk makes the engine go on after a break.
        engine.feed(chunk, visitor)
    }

    pub(super) fn finish<V: Visitor>(
        &mut self,
        engine: &mut Engine,
        visitor: &mut V,
    ) -> Result<ControlFlow<V::Break>, Error> {
        self.recoder.finish(&mut self.output);
        if let stop @ ControlFlow::Break(_) = self.read(engine, visitor)? {
            return Ok(stop);
        }
        engine.finish(&mut InSource { map: self.recoder.map(), base: self.base, visitor })
    }

    /// Gives the engine what was put out.
    fn read<V: Visitor>(&mut self, engine: &mut Engine, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if self.output.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        if self.charset().is_some() {
            engine.recoded();
        }
        let before = engine.position().offset;
        let flow = engine.feed(&self.output, &mut InSource { map: self.recoder.map(), base: self.base, visitor });
        let read = (engine.position().offset - before) as usize;
        self.output.drain(..read);
        self.recoder.map_mut().forget(engine.oldest() - self.base);
        flow
    }
}

/// A visitor that is told places of the source.
struct InSource<'a, V> {
    map: &'a OffsetMap,
    base: u64,
    visitor: &'a mut V,
}

fn in_source(map: &OffsetMap, base: u64, position: Position) -> Position {
    let output = position.offset - base;
    Position {
        offset: base + map.source(output),
        line: position.line,
        column: map.column(output, position.column.min(output + 1)),
    }
}

impl<V> InSource<'_, V> {
    fn place(&self, position: Position) -> Position {
        in_source(self.map, self.base, position)
    }
}

impl<V: Visitor> Visitor for InSource<'_, V> {
    type Break = V::Break;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<V::Break, Descend> {
        let position = self.place(tree.position);
        self.visitor.enter_tree(Tree { position, ..tree })
    }

    fn node(&mut self, node: Node) -> ControlFlow<V::Break, Step> {
        let position = self.place(node.position);
        self.visitor.node(Node { position, ..node })
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<V::Break, Deliver> {
        let position = self.place(property.position);
        self.visitor.property(Property { position, ..property })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<V::Break> {
        let position = self.place(value.position);
        self.visitor.value(Value { position, ..value })
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<V::Break> {
        let position = self.place(part.position);
        self.visitor.part(Part { position, ..part })
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<V::Break> {
        let position = self.place(end.position);
        self.visitor.exit_tree(TreeEnd { position, ..end })
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<V::Break> {
        let position = self.place(problem.position());
        let end = self.base + self.map.source(problem.span().end - self.base);
        self.visitor.problem(&Problem::new(problem.kind(), position, end - position.offset))
    }
}
