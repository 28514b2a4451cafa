//! Events of a stream that is recoded before it is read, delivered with the places of the source.
//!
//! Owns [`Recoding`]: the recoder in front of the engine, and its output that was not read yet. The engine reads UTF-8
//! and counts its bytes; [`InSource`] converts its places into those of the source on the way to the visitor. Refuses
//! to know how bytes are recoded.

use std::ops::ControlFlow;

use crate::syntax::engine::Engine;
use crate::syntax::{
    Charsets, Config, Deliver, Descend, Error, Node, Part, Position, Problem, Property, Step, Tree, TreeEnd, Value,
    Visitor,
};
use crate::text::{Charset, Continuation, Offsets, Recoder, Taken, Writing};

/// What stands between the source and the engine.
#[derive(Clone, Debug)]
pub(super) struct Recoding {
    recoder: Recoder,
    /// The source's offset where recoding began.
    base: u64,
    /// Bytes of the source that the recoder has taken.
    taken: u64,
    /// Its output, as far as it was not read.
    output: Vec<u8>,
    /// The receiver of the events wants slices of the source, and nothing else.
    is_in_place: bool,
    /// The problem that ended strict reading.
    failed: Option<Problem>,
    /// The source has ended, though a visitor may have broken before everything was delivered.
    has_ended: bool,
}

impl Recoding {
    pub(super) fn new(config: &Config) -> Self {
        Self::with(Recoder::for_charsets(config.charsets), 0)
    }

    /// For a part of a source: how the source goes on is known, unless the configuration says otherwise.
    pub(super) fn at(offset: u64, config: &Config, continuation: Continuation) -> Self {
        let recoder = match config.charsets {
            Charsets::Raw | Charsets::Forced(_) => Recoder::for_charsets(config.charsets),
            _ => Recoder::resume_at(offset, continuation),
        };
        Self::with(recoder, offset)
    }

    fn with(recoder: Recoder, base: u64) -> Self {
        Self { recoder, base, taken: 0, output: Vec::new(), is_in_place: false, failed: None, has_ended: false }
    }

    /// A source that has to be recoded is an error instead.
    pub(super) fn in_place(mut self) -> Self {
        self.is_in_place = true;
        self
    }

    /// False if the engine may be given the source itself, from here to its end.
    pub(super) fn is_active(&self) -> bool {
        !(self.recoder.is_plain() && self.output.is_empty())
    }

    /// Where an offset of the engine lies in the source.
    pub(super) fn source_of(&self, offset: u64) -> u64 {
        self.base + self.recoder.map().source(offset - self.base)
    }

    /// The charset that the source is recoded from.
    pub(super) fn charset(&self) -> Option<Charset> {
        self.recoder.charset()
    }

    /// How the source goes on from the first byte that the engine has not read.
    pub(super) fn continuation(&self, engine: &Engine) -> Continuation {
        self.recoder.continuation_from(engine.unread_offset() - self.base)
    }

    pub(super) fn replaced(&self) -> u64 {
        self.recoder.replaced()
    }

    /// The offset of the next byte to be fed.
    pub(super) fn offset(&self, engine: &Engine) -> u64 {
        if self.charset().is_some() {
            return self.base + self.taken;
        }
        engine.offset() + (self.output.len() + self.recoder.held().len()) as u64
    }

    /// The position of the next byte to be fed.
    pub(super) fn position(&self, engine: &Engine) -> Position {
        if self.charset().is_none() {
            if self.output.is_empty() {
                return engine.position_after(self.recoder.held());
            }
            // The output consists of bytes that turned out to be no mark; the visitor broke before them.
            return engine.position_after(&[&self.output, self.recoder.held()].concat());
        }
        let position = in_source(&mut self.offsets(), self.base, engine.position_after(&self.output));
        // Bytes that wait for the rest of a character end no line.
        let ahead = self.offset(engine) - position.offset;
        Position { offset: position.offset + ahead, line: position.line, column: position.column + ahead }
    }

    /// The place of the first byte whose event is still to come.
    pub(super) fn delivered(&self, engine: &Engine) -> Position {
        in_source(&mut self.offsets(), self.base, engine.delivered())
    }

    pub(super) fn feed<V: Visitor>(
        &mut self,
        chunk: &[u8],
        engine: &mut Engine,
        visitor: &mut V,
    ) -> Result<ControlFlow<V::Break>, Error> {
        // The recoder must not take what the engine will refuse.
        if let Some(problem) = self.failed {
            return Err(Error::Strict(problem));
        }
        if self.has_ended && !chunk.is_empty() {
            return Err(Error::Finished);
        }
        let flow = self.take(chunk, engine, visitor);
        self.outcome(flow)
    }

    fn take<V: Visitor>(
        &mut self,
        mut chunk: &[u8],
        engine: &mut Engine,
        visitor: &mut V,
    ) -> Result<ControlFlow<V::Break>, Error> {
        self.admit()?;
        if let stop @ ControlFlow::Break(_) = self.read(engine, visitor)? {
            return Ok(stop);
        }
        if self.charset().is_none()
            && let stop @ ControlFlow::Break(_) = engine.feed(&[], visitor)?
        {
            return Ok(stop);
        }
        while !chunk.is_empty() && self.is_active() {
            match self.recoder.take(chunk, &mut self.output) {
                Taken::Plain(len) => {
                    let (plain, rest) = chunk.split_at(len);
                    let before = engine.offset();
                    let flow = engine.feed(plain, visitor);
                    let read = engine.offset() - before;
                    self.recoder.pass(&plain[..read as usize]);
                    self.taken += read;
                    if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                        return flow;
                    }
                    chunk = rest;
                }
                Taken::Recoded(len) => {
                    chunk = &chunk[len..];
                    self.taken += len as u64;
                    self.admit()?;
                    if let stop @ ControlFlow::Break(_) = self.read(engine, visitor)? {
                        return Ok(stop);
                    }
                }
            }
        }
        if self.is_active() {
            // An empty chunk makes the engine continue after a break.
            return engine.feed(chunk, &mut self.in_source(visitor));
        }
        engine.feed(chunk, visitor)
    }

    pub(super) fn finish<V: Visitor>(
        &mut self,
        engine: &mut Engine,
        visitor: &mut V,
    ) -> Result<ControlFlow<V::Break>, Error> {
        let flow = self.take_end(engine, visitor);
        self.outcome(flow)
    }

    fn take_end<V: Visitor>(&mut self, engine: &mut Engine, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.has_ended = true;
        self.recoder.finish(&mut self.output);
        self.admit()?;
        if let stop @ ControlFlow::Break(_) = self.read(engine, visitor)? {
            return Ok(stop);
        }
        engine.finish(&mut self.in_source(visitor))
    }

    fn offsets(&self) -> Offsets<'_> {
        Offsets::new(self.recoder.map())
    }

    fn in_source<'a, V: Visitor>(&'a self, visitor: &'a mut V) -> InSource<'a, V::Break> {
        InSource { offsets: self.offsets(), base: self.base, charset: self.charset(), visitor }
    }

    /// An error if the source turns out to be recoded, and may not be.
    fn admit(&self) -> Result<(), Error> {
        match self.charset() {
            Some(charset) if self.is_in_place => Err(Error::Recoded(charset)),
            _ => Ok(()),
        }
    }

    /// Gives the output to the engine.
    fn read<V: Visitor>(&mut self, engine: &mut Engine, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if self.output.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(charset) = self.charset() {
            engine.recoded(charset);
        }
        let before = engine.offset();
        let flow = engine.feed(&self.output, &mut self.in_source(visitor));
        let read = (engine.offset() - before) as usize;
        self.output.drain(..read);
        if flow.is_ok() {
            let starts = engine.token_starts().map(|offset| offset.saturating_sub(self.base));
            self.recoder.map_mut().forget_but(&starts, engine.unread_offset().saturating_sub(self.base));
        }
        flow
    }

    /// The problem that ends strict reading has its position converted to the source, and keeps it.
    fn outcome<B>(&mut self, flow: Result<ControlFlow<B>, Error>) -> Result<ControlFlow<B>, Error> {
        match flow {
            Err(Error::Strict(problem)) => {
                let problem = match self.failed {
                    Some(failed) => failed,
                    None if self.charset().is_some() => problem_in_source(&mut self.offsets(), self.base, &problem),
                    None => problem,
                };
                self.failed = Some(problem);
                Err(Error::Strict(problem))
            }
            flow => flow,
        }
    }
}

/// A visitor that is given positions in the source.
///
/// Which visitor it is does not show in the type, so the engine is not compiled once more for each: that would double what
/// a visitor costs to compile, for sources that are rare.
struct InSource<'a, B> {
    offsets: Offsets<'a>,
    base: u64,
    /// What the source is recoded from; `None` if the bytes are its own, because they turned out to be no mark.
    charset: Option<Charset>,
    visitor: &'a mut dyn Visitor<Break = B>,
}

fn in_source(offsets: &mut Offsets<'_>, base: u64, position: Position) -> Position {
    let output = position.offset - base;
    // The part of its line before the part that is read is counted in bytes of the source.
    let before = position.column.saturating_sub(output + 1);
    let (source, column) = offsets.place(output, position.column - before);
    Position { offset: base + source, line: position.line, column: before + column }
}

fn problem_in_source(offsets: &mut Offsets<'_>, base: u64, problem: &Problem) -> Problem {
    let position = in_source(offsets, base, problem.position());
    let span = problem.span();
    let end = if span.is_empty() { position.offset } else { base + offsets.source_end(span.end - base) };
    Problem::new(problem.kind(), position, end - position.offset).with_charset(problem.charset())
}

impl<B> InSource<'_, B> {
    fn place(&mut self, position: Position) -> Position {
        in_source(&mut self.offsets, self.base, position)
    }

    fn writing(&self, writing: Writing) -> Writing {
        if self.charset.is_some() { writing.recoded() } else { writing }
    }

    /// How many bytes an ASCII character has.
    fn unit(&self) -> u8 {
        match self.charset {
            Some(Charset::UTF_16LE | Charset::UTF_16BE) => 2,
            Some(Charset::UTF_32LE | Charset::UTF_32BE) => 4,
            _ => 1,
        }
    }
}

/// Without `moves`: positions are converted event by event.
impl<B> Visitor for InSource<'_, B> {
    type Break = B;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<B, Descend> {
        let position = self.place(tree.position);
        self.visitor.enter_tree(Tree { position, ..tree })
    }

    fn node(&mut self, node: Node) -> ControlFlow<B, Step> {
        let position = self.place(node.position);
        self.visitor.node(Node { position, ..node })
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<B, Deliver> {
        let position = self.place(property.position());
        self.visitor.property(Property { position, ..property })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<B> {
        let (position, writing) = (self.place(value.position), self.writing(value.writing));
        self.visitor.value(Value { position, writing, ..value })
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<B> {
        let (position, writing) = (self.place(part.position), self.writing(part.writing));
        self.visitor.part(Part { position, writing, ..part })
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<B> {
        let position = self.place(end.position);
        self.visitor.exit_tree(TreeEnd { position, close_len: end.close_len * self.unit(), ..end })
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<B> {
        self.visitor.problem(&problem_in_source(&mut self.offsets, self.base, problem))
    }
}
