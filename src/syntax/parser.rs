//! The push face of the engine.

use std::ops::ControlFlow;

use crate::syntax::engine::Engine;
use crate::syntax::{Config, Error, Position, Visitor};

/// Reads SGF from chunks that you feed, cut anywhere, and tells a visitor what is in them.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    engine: Engine,
}

impl Parser {
    /// A lenient parser.
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with choices of your own.
    pub fn with_config(config: Config) -> Self {
        Self { engine: Engine::new(config) }
    }

    /// Reads the next bytes of the input, all of them unless the visitor stops it.
    pub fn feed<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.engine.feed(chunk, visitor)
    }

    /// Says that the input has ended.
    pub fn finish<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        self.engine.finish(visitor)
    }

    /// Reads a whole input: [`feed`](Self::feed), then [`finish`](Self::finish).
    pub fn read_slice<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        match self.feed(bytes, visitor)? {
            ControlFlow::Continue(()) => self.finish(visitor),
            stop => Ok(stop),
        }
    }

    /// How far the input was read.
    pub fn position(&self) -> Position {
        self.engine.position()
    }

    /// Trees that are open now.
    pub fn depth(&self) -> u64 {
        self.engine.depth()
    }

    /// Problems that went unreported because of [`Limits::problems`](crate::Limits::problems), in all.
    pub fn suppressed_problems(&self) -> u64 {
        self.engine.suppressed()
    }

    /// The first byte that may still turn out to begin a game: the `(` that waits for its `;`.
    #[cfg(feature = "tokio")]
    pub(crate) fn candidate(&self) -> Option<u64> {
        self.engine.candidate()
    }

    /// Forgets the input, keeps the configuration and the buffers.
    pub fn reset(&mut self) {
        self.engine.reset();
    }
}

/// Reads a whole input in memory.
pub fn read_slice<V: Visitor>(bytes: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
    Parser::new().read_slice(bytes, visitor)
}
