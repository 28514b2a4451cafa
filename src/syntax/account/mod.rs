//! Where every byte of an input went.
//!
//! Owns [`ByteAccount`], the figures, and [`AccountingParser`], which makes them while a visitor is called. They add up
//! to the bytes of the source. Refuses to take the engine's word: bytes that no event and no problem covers are looked
//! at, and those that are neither white space nor a byte order mark are reported as lost.

mod gap;
mod ledger;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{AddAssign, ControlFlow};

use self::gap::Places;
use self::ledger::{Audited, Ledger, Window};
use crate::syntax::parser::STARTS;
use crate::syntax::{Config, Error, Parser, Position, ProblemKind, Visitor};
use crate::text::Recoder;

/// How many bytes are read at once as long as the source may have to be recoded.
const PIECE: usize = 16 << 10;

/// Where the bytes of an input went. Each byte counts in one of these figures.
///
/// Comes from [`AccountingParser::account`]. The accounts of several inputs can be added up with `+=`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ByteAccount {
    /// All bytes taken from the source.
    pub bytes: u64,
    /// `(` and `)` of trees.
    pub trees: u64,
    /// `;` of nodes.
    pub nodes: u64,
    /// Identifiers of properties.
    pub identifiers: u64,
    /// Values, escapes included.
    pub values: u64,
    /// `[` and `]` around these.
    pub brackets: u64,
    /// White space between tokens and between games.
    pub white_space: u64,
    /// Byte order marks, and the marks that change character sets in a source that has to be recoded.
    pub marks: u64,
    /// What the visitor skipped, including white space in it.
    pub passed_over: u64,
    /// What was skipped without a report, because [`Limits::problems`](crate::Limits::problems) allowed no more of
    /// them.
    pub unreported: u64,
    /// What was taken and has not been delivered yet; 0 at the end of the input.
    pub undecided: u64,
    /// What is in no event and in no problem's range, though it should be. A reader that keeps its promises loses none.
    pub lost: u64,
    /// The offset of the first byte that was lost.
    pub first_lost: Option<u64>,
    /// What was delivered more than once, which counts once in the figures above. A reader that keeps its promises
    /// delivers nothing twice.
    pub twice: u64,
    skipped: BTreeMap<ProblemKind, u64>,
}

impl ByteAccount {
    /// Bytes in the ranges of problems that [skip](ProblemKind::skips), by kind.
    pub fn skipped(&self) -> impl Iterator<Item = (ProblemKind, u64)> {
        self.skipped.iter().map(|(kind, bytes)| (*kind, *bytes))
    }

    /// All figures together: what [`bytes`](Self::bytes) must be.
    pub fn sum(&self) -> u64 {
        let figures = self.figures().map(|(_, bytes)| bytes);
        figures.chain(self.skipped.values().copied()).sum()
    }

    /// True if each byte is accounted for exactly once.
    pub fn is_balanced(&self) -> bool {
        self.lost == 0 && self.twice == 0 && self.sum() == self.bytes
    }

    /// Every figure except [`bytes`](Self::bytes), [`twice`](Self::twice) and the [skipped](Self::skipped) bytes, with
    /// its name.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("values", self.values),
            ("brackets", self.brackets),
            ("identifiers", self.identifiers),
            ("nodes", self.nodes),
            ("trees", self.trees),
            ("white_space", self.white_space),
            ("marks", self.marks),
            ("passed_over", self.passed_over),
            ("unreported", self.unreported),
            ("undecided", self.undecided),
            ("lost", self.lost),
        ]
        .into_iter()
    }

    fn skip(&mut self, kind: ProblemKind, bytes: u64) {
        *self.skipped.entry(kind).or_default() += bytes;
    }
}

/// Adds the account of another input. The first lost byte stays that of the first input that has one.
impl AddAssign<&Self> for ByteAccount {
    fn add_assign(&mut self, other: &Self) {
        // All fields are named, so that none can be forgotten.
        let Self {
            bytes,
            trees,
            nodes,
            identifiers,
            values,
            brackets,
            white_space,
            marks,
            passed_over,
            unreported,
            undecided,
            lost,
            first_lost,
            twice,
            skipped,
        } = other;
        self.bytes += bytes;
        self.trees += trees;
        self.nodes += nodes;
        self.identifiers += identifiers;
        self.values += values;
        self.brackets += brackets;
        self.white_space += white_space;
        self.marks += marks;
        self.passed_over += passed_over;
        self.unreported += unreported;
        self.undecided += undecided;
        self.lost += lost;
        self.first_lost = self.first_lost.or(*first_lost);
        self.twice += twice;
        for (kind, bytes) in skipped {
            self.skip(*kind, *bytes);
        }
    }
}

/// A [`Parser`] that accounts for every byte.
///
/// ```
/// use sgf_stream::{AccountingParser, ProblemKind};
///
/// # struct Quiet;
/// # impl sgf_stream::Visitor for Quiet {
/// #     type Break = std::convert::Infallible;
/// # }
/// # let mut visitor = Quiet;
/// let mut parser = AccountingParser::new();
/// for chunk in [&b"(;B[p"[..], b"d]&&;W[dd", b"])\n<html>"] {
///     let _ = parser.feed(chunk, &mut visitor)?;
/// }
/// let _ = parser.finish(&mut visitor)?;
///
/// let account = parser.account();
/// assert_eq!((account.values, account.brackets, account.white_space), (4, 4, 1));
/// let skipped: Vec<_> = account.skipped().collect();
/// assert_eq!(skipped, [(ProblemKind::Junk, 6), (ProblemKind::IllegalBytes, 2)]);
/// assert!(account.is_balanced());
/// # Ok::<(), sgf_stream::Error>(())
/// ```
///
/// It costs little where tokens stand close together, and more for what is skipped. Memory is bounded, as the parser's
/// is. It takes up to 16 bytes for each byte that may be held back, in input that alternates between white space and
/// bytes to be skipped.
#[derive(Clone)]
pub struct AccountingParser {
    parser: Parser,
    ledger: Ledger,
    /// A second one of the recoder in front of the parser's engine.
    recoder: Recoder,
    /// Bytes of the source that are in the account.
    taken: u64,
    /// Strict reading has ended the input.
    has_failed: bool,
    /// The recoded part of a chunk; empty between chunks.
    text: Vec<u8>,
}

/// Where it is, without what it holds: that may be megabytes.
impl fmt::Debug for AccountingParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountingParser")
            .field("parser", &self.parser)
            .field("taken", &self.taken)
            .finish_non_exhaustive()
    }
}

impl Default for AccountingParser {
    fn default() -> Self {
        Self::with_config(Config::default())
    }
}

impl AccountingParser {
    /// A parser that guesses and repairs nothing. Most archives are read better with
    /// [`Config::archives`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with this configuration.
    pub fn with_config(config: Config) -> Self {
        Self {
            ledger: Ledger::of(&config),
            recoder: Recoder::for_charsets(config.charsets),
            parser: Parser::with_config(config),
            taken: 0,
            has_failed: false,
            text: Vec::new(),
        }
    }

    /// As [`Parser::feed`]: after a break, feed the rest until this returns `Continue`, even if nothing is left.
    ///
    /// # Errors
    ///
    /// Those of [`Parser::feed`].
    pub fn feed<V: Visitor>(&mut self, chunk: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if self.has_failed {
            return self.parser.feed(chunk, visitor);
        }
        let mut rest = chunk;
        loop {
            let len = if self.recoder.is_plain() { rest.len() } else { rest.len().min(PIECE) };
            let (piece, more) = rest.split_at(len);
            let flow = self.feed_piece(piece, visitor)?;
            if flow.is_break() || more.is_empty() {
                return Ok(flow);
            }
            rest = more;
        }
    }

    fn feed_piece<V: Visitor>(&mut self, piece: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        let start = self.parser.offset();
        // After a break, some of it may be in the account already.
        let mut text = &piece[piece.len().min(self.taken.saturating_sub(start) as usize)..];
        if !self.recoder.is_plain() {
            self.recode(text);
            text = &[];
        }
        let window = Window { start: self.taken, text, places: places(&self.recoder) };
        let flow = self.parser.feed(piece, &mut Audited { ledger: &mut self.ledger, window, visitor });
        if self.recoder.is_plain() {
            let end = self.parser.offset().max(self.taken);
            self.ledger.pending.extend(window.bytes(self.ledger.pending.end(), end), window.places);
            self.taken = end;
        } else {
            let (starts, unread) = self.parser.pending_offsets();
            let mut wanted = [self.ledger.covered(); STARTS + 1];
            wanted[1..].copy_from_slice(&starts);
            self.recoder.map_mut().forget_but(&wanted, unread);
        }
        self.stopped_by(flow)
    }

    /// As [`Parser::finish`].
    ///
    /// # Errors
    ///
    /// Those of [`Parser::finish`].
    pub fn finish<V: Visitor>(&mut self, visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        if !self.recoder.is_plain() {
            self.recoder.finish(&mut self.text);
            self.put();
        }
        let window = Window { start: self.taken, text: &[], places: places(&self.recoder) };
        let flow = self.parser.finish(&mut Audited { ledger: &mut self.ledger, window, visitor });
        if matches!(flow, Ok(ControlFlow::Continue(()))) {
            self.ledger.end(self.ledger.pending.end(), &window);
        }
        self.stopped_by(flow)
    }

    /// As [`Parser::read_slice`].
    ///
    /// # Errors
    ///
    /// Those of [`Parser::read_slice`].
    pub fn read_slice<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> Result<ControlFlow<V::Break>, Error> {
        match self.feed(bytes, visitor)? {
            ControlFlow::Continue(()) => self.finish(visitor),
            stop @ ControlFlow::Break(_) => Ok(stop),
        }
    }

    /// The account of the input so far. It is complete once [`finish`](Self::finish) has returned `Continue`. In strict
    /// reading it ends with the problem that is the error.
    pub fn account(&self) -> ByteAccount {
        self.ledger.account(self.taken, places(&self.recoder))
    }

    /// How far the input was read: the place of the next byte.
    pub fn position(&self) -> Position {
        self.parser.position()
    }

    /// The offset of that place, as [`Parser::offset`].
    pub fn offset(&self) -> u64 {
        self.parser.offset()
    }

    /// How far events were delivered, as [`Parser::delivered`].
    pub fn delivered(&self) -> Position {
        self.parser.delivered()
    }

    /// Forgets the input, its account and any error.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.ledger = Ledger::of(self.parser.config());
        self.recoder = Recoder::for_charsets(self.parser.config().charsets);
        self.taken = 0;
        self.has_failed = false;
    }

    /// Takes bytes of a source that is recoded, or may turn out to be.
    fn recode(&mut self, mut bytes: &[u8]) {
        self.taken += bytes.len() as u64;
        while !bytes.is_empty() {
            let len = self.recoder.take_into(bytes, &mut self.text);
            self.put();
            bytes = &bytes[len..];
        }
    }

    /// The recoded text is read next.
    fn put(&mut self) {
        self.ledger.pending.extend(&self.text, places(&self.recoder));
        self.text.clear();
    }

    /// The problem that ends strict reading was no event; what comes after it is not read.
    fn stopped_by<T>(&mut self, flow: Result<T, Error>) -> Result<T, Error> {
        if let Err(Error::Strict(problem)) = &flow
            && !self.has_failed
        {
            self.has_failed = true;
            let window = Window { start: 0, text: &[], places: places(&self.recoder) };
            self.ledger.end_with(problem, &window);
            // It may be about a value of which parts were delivered.
            self.taken = problem.span().end.max(window.places.source(self.ledger.covered()));
        }
        flow
    }
}

/// What is read without recoding has the offsets of the source.
fn places(recoder: &Recoder) -> Places<'_> {
    Places((!recoder.is_plain()).then(|| recoder.map()))
}
