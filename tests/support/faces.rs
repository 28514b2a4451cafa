//! Every face of the reader, fed in every way.
//!
//! Owns [`Case`], an input with its expected records, and the runs that compare them: cuts and breaks. Small inputs are tried
//! exhaustively, large ones at random with a seed.

use std::io::ErrorKind;
use std::ops::ControlFlow;

use sgf_stream::{Batcher, Config, Error, Event, Parser, Position, ProblemKind, Reader, events};

use super::chaos::Chaos;
use super::oracle::{Lines, Record, is_white};
use super::plan::{Plan, applied};
use super::rng::Rng;
use super::wide::Wide;
use super::witness::{Face, Stops, Witness};

/// An input and its reading.
pub(crate) struct Case<'a> {
    pub(crate) input: &'a [u8],
    /// The bytes that events contain: the input, unless that is recoded.
    pub(crate) text: &'a [u8],
    wide: Option<&'a Wide>,
    pub(crate) lines: Lines,
    config: Config,
    records: Vec<Record<'a>>,
    /// How many bytes decide each record; empty if unknown.
    needs: Vec<usize>,
}

/// Whether a problem depends on texts that were read: a visitor that skips them, or takes them in parts, gets others.
fn is_of_text(kind: ProblemKind) -> bool {
    use ProblemKind::{CharsetChanged, CharsetContradicted, CharsetUnknown, EscapeUnitChanged, UndecodableText};

    matches!(kind, CharsetChanged | CharsetContradicted | CharsetUnknown | EscapeUnitChanged | UndecodableText)
}

/// The longest input that is cut at every byte.
const EXHAUSTIVE: usize = 200;

impl<'a> Case<'a> {
    pub(crate) fn new(input: &'a [u8], config: Config, records: Vec<Record<'a>>, needs: Vec<usize>) -> Self {
        Self { input, text: input, wide: None, lines: Lines::of(input), config, records, needs }
    }

    pub(crate) fn wide(wide: &'a Wide, text: &'a [u8], lines: Lines, config: Config, records: Vec<Record<'a>>) -> Self {
        Self { input: &wide.source, text, wide: Some(wide), lines, config, records, needs: Vec::new() }
    }

    /// The offset in the text for an offset in the input.
    pub(crate) fn text_offset(&self, at: usize) -> usize {
        self.wide.map_or(at, |wide| wide.text_offset(at))
    }

    /// Panics if any face gives other records.
    pub(crate) fn every_face(&self) {
        let mut rng = Rng::of(self.input);
        let len = self.input.len();
        self.balanced();
        self.accounted();

        self.push(&[], Plan::Read, Stops::Never, Face::new("push, whole"));
        self.push(&[], Plan::Read, Stops::Always, Face::new("push, whole, break at every event"));
        self.read_slice();
        self.bytewise();
        if len <= EXHAUSTIVE {
            for cut in 0..=len {
                self.push(&[cut], Plan::Read, Stops::Never, Face::new("push").cut(&[cut]));
                self.push(&[cut, cut], Plan::Read, Stops::Always, Face::new("push, break at every event").cut(&[cut]));
            }
        }
        for turn in 0..self.turns() {
            let cuts = self.cuts(&mut rng);
            let stops = if turn % 2 == 0 { Stops::Never } else { Stops::Chance(rng.clone()) };
            self.push(&cuts, Plan::Read, stops, Face::new("push").cut(&cuts));
            self.taking_moves(&cuts);
            self.batcher(&cuts);
        }
        self.three(&mut rng);
        self.batcher(&[]);
        self.events();
        self.reset_and_clone(&mut rng);
        self.strict(&mut rng);
        for _ in 0..self.turns().min(4) {
            self.blocking(&mut rng);
            #[cfg(feature = "tokio")]
            self.asynchronous(&mut rng);
        }
        // In parts, a value that is too long has no length.
        let is_plain = self.config.clone().resync(false).cap_values(false) == Config::new()
            && self.records.iter().all(|it| it.problem() != Some(ProblemKind::ValueTooLong));
        if is_plain && !self.records.iter().filter_map(Record::problem).any(is_of_text) {
            self.plans(&mut rng);
        }
        #[cfg(feature = "tokio")]
        if is_plain {
            for _ in 0..self.turns().min(4) {
                self.decoder(&mut rng);
            }
        }
    }

    /// Compares what a visitor receives that answers by the plan, at every cut.
    pub(crate) fn answering(&self, plan: Plan) {
        self.balanced();
        for cut in 0..=self.input.len() {
            self.push(&[cut], plan, Stops::Never, Face::new("push").cut(&[cut]));
        }
        let bytewise: Vec<usize> = (0..self.input.len()).collect();
        self.push(&bytewise, plan, Stops::Never, Face::new("push, byte by byte"));
        self.push(&bytewise, plan, Stops::Always, Face::new("push, byte by byte, breaking"));
    }

    /// How many random runs are made: fewer for large inputs.
    fn turns(&self) -> usize {
        match self.input.len() {
            0..=EXHAUSTIVE => 8,
            201..=5_000 => 4,
            5_001..=100_000 => 2,
            _ => 1,
        }
    }

    /// A few cuts for a small input, chunks of random lengths for a large one.
    fn cuts(&self, rng: &mut Rng) -> Vec<usize> {
        let len = self.input.len();
        if len <= EXHAUSTIVE {
            let mut cuts: Vec<usize> = (0..=rng.below(8)).map(|_| rng.below(len + 1)).collect();
            cuts.sort_unstable();
            return cuts;
        }
        let most = *[3, 17, 64, 1_000, 5_000].get(rng.below(5)).expect("one of five") * (1 + len / 500_000);
        let mut cuts = Vec::new();
        let mut at = 0;
        while at < len {
            cuts.push(at);
            at += rng.below(most + 1);
        }
        cuts
    }

    /// Asserts that enters and exits balance, with the right depths.
    fn balanced(&self) {
        let mut open = 0;
        for record in &self.records {
            match record {
                Record::Enter { depth, .. } => {
                    open += 1;
                    assert_eq!(open, *depth, "{record} in {}", self.input.escape_ascii());
                }
                Record::Exit { depth, .. } => {
                    assert_eq!(open, *depth, "{record} in {}", self.input.escape_ascii());
                    open -= 1;
                }
                _ => {}
            }
        }
        assert_eq!(open, 0, "trees left open in {}", self.input.escape_ascii());
    }

    /// Asserts that every byte is white space, in one event, or in one problem that skips, and never in two.
    fn accounted(&self) {
        if self.wide.is_some() || self.records.iter().any(|it| it.problem() == Some(ProblemKind::LimitProblems)) {
            // The text of a recoded input was checked already. Of suppressed problems only the number is known.
            return;
        }
        let mut taken = vec![false; self.input.len()];
        let mut take = |start: u64, len: usize, record: &Record<'_>| {
            for (at, taken) in taken.iter_mut().enumerate().skip(start as usize).take(len) {
                assert!(!*taken, "byte {at} is in {record} and in another, in {}", self.input.escape_ascii());
                *taken = true;
            }
        };
        for record in &self.records {
            match record {
                Record::Enter { at, implied: false, .. }
                | Record::Node { at, implied: false, .. }
                | Record::Exit { at, implicit: false, .. } => take(at.offset, 1, record),
                Record::Property { at, raw } => take(at.offset, raw.len(), record),
                Record::Value { at, raw } => {
                    // A text may have lost its `]`.
                    let is_closed = self.input.get(at.offset as usize + raw.len()) == Some(&b']');
                    take(at.offset - 1, 1 + raw.len() + usize::from(is_closed), record);
                }
                Record::Problem { kind, at, len } if kind.skips() => take(at.offset, *len as usize, record),
                _ => {}
            }
        }
        for (at, byte) in self.input.iter().enumerate() {
            let bom = matches!(byte, 0xEF | 0xBB | 0xBF);
            assert!(taken[at] || is_white(*byte) || bom, "byte {at} is lost, in {}", self.input.escape_ascii());
        }
    }

    fn feed_all(parser: &mut Parser, chunk: &[u8], witness: &mut Witness<'_>) {
        let mut rest = chunk;
        loop {
            let before = parser.position().offset;
            let flow = parser.feed(rest, witness).expect("lenient reading goes on");
            let read = parser.position().offset - before;
            rest = rest.get(read as usize..).expect("no more is read than there is");
            match flow {
                ControlFlow::Break(()) => {}
                ControlFlow::Continue(()) if rest.is_empty() => return,
                ControlFlow::Continue(()) => witness.fail("a chunk that was not read to its end"),
            }
        }
    }

    fn finish(&self, parser: &mut Parser, witness: &mut Witness<'_>) {
        while parser.finish(witness).expect("lenient reading goes on").is_break() {}
        witness.end();
        self.placed(parser.position(), witness);
        // A second call delivers nothing.
        assert!(parser.finish(witness).expect("finishing twice is no error").is_continue());
    }

    /// Checks the parser's position. Between CR and LF it may already have counted a line.
    fn placed(&self, position: Position, witness: &Witness<'_>) {
        let at = position.offset as usize;
        let text = self.text_offset(at);
        let in_break = text > 0 && self.text[text - 1] == b'\r' && self.text.get(text) == Some(&b'\n');
        if position != self.lines.at(at) && !(in_break && (position.column == 1 || self.wide.is_some())) {
            witness.fail(&format!("the position {position:?}"));
        }
    }

    fn push_into(&self, parser: &mut Parser, cuts: &[usize], witness: &mut Witness<'_>) {
        let mut fed = 0;
        for piece in self.pieces(cuts) {
            Self::feed_all(parser, piece, witness);
            fed += piece.len();
            if parser.position().offset as usize != fed {
                witness.fail(&format!("the position {:?} after {fed} bytes", parser.position()));
            }
        }
        self.finish(parser, witness);
    }

    fn push(&self, cuts: &[usize], plan: Plan, stops: Stops, face: Face<'_>) {
        self.push_planned(&self.records, cuts, plan, stops, face);
    }

    fn push_planned(&self, expected: &[Record<'a>], cuts: &[usize], plan: Plan, stops: Stops, face: Face<'_>) {
        let mut witness = Witness::new(self, expected, face).answering(plan).stopping(stops);
        self.push_into(&mut Parser::with_config(self.config.clone()), cuts, &mut witness);
    }

    /// Moves are delivered together where possible.
    fn taking_moves(&self, cuts: &[usize]) {
        let face = Face::new("push, moves at once").cut(cuts);
        let mut witness = Witness::new(self, &self.records, face).taking_moves();
        self.push_into(&mut Parser::with_config(self.config.clone()), cuts, &mut witness);
    }

    fn read_slice(&self) {
        let mut witness = Witness::new(self, &self.records, Face::new("read_slice"));
        let flow = Parser::with_config(self.config.clone()).read_slice(self.input, &mut witness);
        assert!(flow.expect("lenient reading goes on").is_continue());
        witness.end();
    }

    /// One byte at a time, with empty chunks between. Records must come as soon as a byte decides them.
    fn bytewise(&self) {
        for stops in [Stops::Never, Stops::Always] {
            let face = Face::new("push, byte by byte").breaking(&stops);
            let mut witness = Witness::new(self, &self.records, face).stopping(stops.clone());
            let mut parser = Parser::with_config(self.config.clone());
            let mut due = 0;
            for (i, byte) in self.input.iter().enumerate() {
                Self::feed_all(&mut parser, std::slice::from_ref(byte), &mut witness);
                self.placed(parser.position(), &witness);
                while self.needs.get(due).is_some_and(|needs| *needs <= i + 1) {
                    due += 1;
                }
                if witness.seen() < due {
                    witness.fail(&format!("nothing yet, though {} bytes decide it", i + 1));
                }
                Self::feed_all(&mut parser, &[], &mut witness);
            }
            self.finish(&mut parser, &mut witness);
        }
    }

    /// Three chunks: all possible ones for tiny inputs.
    fn three(&self, rng: &mut Rng) {
        let len = self.input.len();
        if len <= 24 {
            for a in 0..=len {
                for b in a..=len {
                    self.push(&[a, b], Plan::Read, Stops::Never, Face::new("push").cut(&[a, b]));
                }
            }
        } else if len <= EXHAUSTIVE {
            for _ in 0..32 {
                let a = rng.below(len);
                let b = a + rng.below((len - a).min(6) + 1);
                self.push(&[a, b], Plan::Read, Stops::Never, Face::new("push").cut(&[a, b]));
            }
        }
    }

    fn batcher(&self, cuts: &[usize]) {
        let mut witness = Witness::new(self, &self.records, Face::new("Batcher").cut(cuts));
        let mut batcher = Batcher::with_config(self.config.clone());
        for piece in self.pieces(cuts) {
            for event in batcher.feed(piece) {
                witness.see_event(&event.expect("lenient reading goes on"));
            }
        }
        for event in batcher.finish() {
            witness.see_event(&event.expect("lenient reading goes on"));
        }
        witness.end();
    }

    fn events(&self) {
        if self.wide.is_some() {
            return;
        }
        let mut witness = Witness::new(self, &self.records, Face::new("events"));
        for event in events(self.input).config(self.config.clone()) {
            witness.see_event(&event.expect("lenient reading goes on"));
        }
        witness.end();
    }

    /// A reset parser reads like a new one; a clone continues like the original.
    fn reset_and_clone(&self, rng: &mut Rng) {
        let at = rng.below(self.input.len() + 1);
        let cut = [at];
        let mut parser = Parser::with_config(self.config.clone());
        let mut first = Witness::new(self, &self.records, Face::new("push, to be copied").cut(&cut));
        Self::feed_all(&mut parser, &self.input[..at], &mut first);
        let mut copy = parser.clone();
        let mut second = Witness::new(self, &self.records[first.seen()..], Face::new("push, copied").cut(&cut));
        Self::feed_all(&mut copy, &self.input[at..], &mut second);
        self.finish(&mut copy, &mut second);
        parser.reset();
        let mut third = Witness::new(self, &self.records, Face::new("push after reset").cut(&cut));
        self.push_into(&mut parser, &[at], &mut third);
    }

    /// Strict reading gives the same records up to the first problem, which is then the error of every call.
    fn strict(&self, rng: &mut Rng) {
        let first = self.records.iter().position(|record| record.problem().is_some());
        let due = first.map(|at| self.records[at]);
        if due.and_then(|record| record.problem()) == Some(ProblemKind::LimitProblems) {
            // The error is the problem that was suppressed, which is not known here.
            return;
        }
        let expected = &self.records[..first.unwrap_or(self.records.len())];
        let strict = Strict { case: self, expected, due, config: self.config.clone().strict(true) };
        let mut cut_lists = vec![Vec::new(), self.cuts(rng)];
        if self.input.len() <= EXHAUSTIVE {
            cut_lists.push((0..self.input.len()).collect());
        }
        for cuts in &cut_lists {
            strict.push(cuts);
            strict.batcher(cuts);
        }
        if self.wide.is_none() {
            strict.events();
        }
    }

    /// The input, cut at these places.
    fn pieces(&self, cuts: &[usize]) -> impl Iterator<Item = &'a [u8]> {
        let ends = cuts.iter().copied().chain([self.input.len()]);
        ends.scan(0, |from, to| Some(&self.input[std::mem::replace(from, to)..to]))
    }

    fn most(&self) -> usize {
        match self.input.len() {
            0..=5_000 => 9,
            5_001..=100_000 => 900,
            _ => 9_000,
        }
    }

    fn blocking(&self, rng: &mut Rng) {
        let len = 1 + rng.below(2 * self.most());
        let face = Face::new("Reader").sized(len);
        let stops = if rng.one_in(2) { Stops::Never } else { Stops::Chance(rng.clone()) };
        let mut witness = Witness::new(self, &self.records, face).stopping(stops);
        let source = Chaos::new(self.input, rng.clone(), self.most());
        let mut reader = Reader::with_config(source, self.config.clone()).buffer_len(len);
        let mut turns = rng.clone();
        loop {
            let buffered = turns.one_in(2);
            match if buffered { reader.read_buffered(&mut witness) } else { reader.read(&mut witness) } {
                Ok(ControlFlow::Break(())) => self.placed(reader.position(), &witness),
                Ok(ControlFlow::Continue(())) => break,
                // A source that was interrupted is asked again by the reader.
                Err(Error::Io(error)) if error.kind() != ErrorKind::Interrupted => {
                    self.placed(reader.position(), &witness);
                }
                Err(error) => witness.fail(&format!("{error:?}")),
            }
        }
        witness.end();
        rng.next();
    }

    /// Futures are polled by hand, and about half of the pending ones are dropped.
    #[cfg(feature = "tokio")]
    fn asynchronous(&self, rng: &mut Rng) {
        use std::future::Future;
        use std::task::{Context, Poll, Waker};

        let len = 1 + rng.below(2 * self.most());
        let face = Face::new("AsyncReader").sized(len);
        let stops = if rng.one_in(2) { Stops::Never } else { Stops::Chance(rng.clone()) };
        let mut witness = Witness::new(self, &self.records, face).stopping(stops);
        let source = Chaos::new(self.input, rng.clone(), self.most());
        let mut reader = sgf_stream::AsyncReader::with_config(source, self.config.clone()).buffer_len(len);
        let mut context = Context::from_waker(Waker::noop());
        let mut turns = rng.clone();
        'futures: loop {
            let buffered = turns.one_in(2);
            let mut future = Box::pin(async {
                if buffered { reader.read_buffered(&mut witness).await } else { reader.read(&mut witness).await }
            });
            loop {
                match future.as_mut().poll(&mut context) {
                    Poll::Pending if rng.one_in(2) => continue 'futures,
                    Poll::Pending => {}
                    Poll::Ready(Ok(ControlFlow::Break(()))) => continue 'futures,
                    Poll::Ready(Ok(ControlFlow::Continue(()))) => break 'futures,
                    Poll::Ready(Err(Error::Io(error))) if error.kind() != ErrorKind::Interrupted => continue 'futures,
                    Poll::Ready(Err(error)) => panic!("{error:?} from AsyncReader"),
                }
            }
        }
        self.placed(reader.position(), &witness);
        witness.end();
    }

    /// Compares what visitors receive that skip some of the input.
    fn plans(&self, rng: &mut Rng) {
        let count = |wanted: fn(&Record<'_>) -> bool| self.records.iter().filter(|it| wanted(it)).count() as u64;
        let enters = count(|it| matches!(it, Record::Enter { .. }));
        let nodes = count(|it| matches!(it, Record::Node { .. }));
        let mut plans = vec![Plan::Parts, Plan::NoValues];
        plans.extend((0..self.turns()).map(|_| Plan::Chance(rng.next())));
        if self.input.len() <= EXHAUSTIVE {
            plans.extend((0..enters).map(Plan::Over));
            plans.extend((0..nodes).flat_map(|n| [Plan::SkipTree(n), Plan::SkipGame(n)]));
            // And random plans with many answers in one reading.
            plans.extend((0..8).map(|_| Plan::Chance(rng.next())));
        } else if nodes > 0 {
            let node = rng.next() % nodes;
            plans.extend([Plan::Over(rng.next() % enters), Plan::SkipTree(node), Plan::SkipGame(node)]);
        }
        let bytewise: Vec<usize> = (0..self.input.len()).collect();
        for plan in plans {
            let expected = applied(&self.records, plan);
            self.push_planned(&expected, &[], plan, Stops::Never, Face::new("push, whole"));
            let cuts = self.cuts(rng);
            let stops = Stops::Chance(rng.clone());
            self.push_planned(&expected, &cuts, plan, stops, Face::new("push, breaking").cut(&cuts));
            if self.input.len() <= EXHAUSTIVE {
                let stops = Stops::Always;
                self.push_planned(&expected, &bytewise, plan, stops, Face::new("push, byte by byte, breaking"));
                let at = rng.below(self.input.len() + 1);
                self.push_planned(&expected, &[at], plan, Stops::Never, Face::new("push").cut(&[at]));
            }
        }
    }

    #[cfg(feature = "tokio")]
    fn decoder(&self, rng: &mut Rng) {
        use super::frames::{frames, games};

        let expected = games(self.input, &self.records, self.wide.map(|wide| wide.charset));
        let capacity = 1 + rng.below(2 * self.most());
        let mut source = Chaos::new(self.input, rng.clone(), self.most());
        source.fails = false;
        let (got, alone) = frames(&self.config, source, capacity);
        assert!(
            got == expected,
            "GameDecoder, capacity {capacity}: {}\n  expected: {expected:#?}\n  got: {got:#?}",
            self.input[..self.input.len().min(600)].escape_ascii()
        );
        // Read alone, a truncated game lacks what showed its end, and a skipped game has no label that could be changed.
        let lacks = |kind: ProblemKind| matches!(kind, ProblemKind::TruncatedGame | ProblemKind::CharsetChanged);
        if !self.records.iter().filter_map(Record::problem).any(lacks) {
            self.alone(&alone);
        }
        rng.next();
    }

    /// Games of the decoder read alone give the same records as in the stream, but for what the decoder has reported.
    #[cfg(feature = "tokio")]
    fn alone(&self, games: &[sgf_stream::Game]) {
        let mut depth = 0;
        let expected: Vec<Record<'a>> = self
            .records
            .iter()
            .filter(|record| {
                match record {
                    Record::Enter { depth: entered, .. } => depth = *entered,
                    Record::Exit { depth: left, .. } => {
                        depth = left - 1;
                        return true;
                    }
                    Record::Problem { kind: ProblemKind::UnclosedTree, .. } => return false,
                    _ => {}
                }
                depth > 0
            })
            .copied()
            .collect();
        let mut witness = Witness::new(self, &expected, Face::new("games of GameDecoder, read alone"));
        let mut parser = Parser::with_config(self.config.clone());
        for game in games {
            let flow = game.read(&mut parser, &mut witness).expect("lenient reading goes on");
            assert!(flow.is_continue());
        }
        witness.end();
    }
}

/// Strict reading of a case: the records before its first problem, and that problem.
struct Strict<'c, 'a> {
    case: &'c Case<'a>,
    expected: &'c [Record<'a>],
    due: Option<Record<'a>>,
    config: Config,
}

impl Strict<'_, '_> {
    fn is_due(&self, error: &Error) -> bool {
        match (error, self.due) {
            (Error::Strict(it), Some(Record::Problem { kind, at, len })) => {
                it.kind() == kind && it.position() == at && it.span().len() == len
            }
            _ => false,
        }
    }

    fn push(&self, cuts: &[usize]) {
        let mut witness = Witness::new(self.case, self.expected, Face::new("strict push").cut(cuts));
        let mut parser = Parser::with_config(self.config.clone());
        let mut error = None;
        for piece in self.case.pieces(cuts) {
            error = error.or(parser.feed(piece, &mut witness).err());
        }
        error = error.or(parser.finish(&mut witness).err());
        witness.end();
        let Some(error) = error else {
            return assert!(self.due.is_none(), "no error where {:?} is due", self.due);
        };
        for again in [Err(error), parser.feed(b"(;)", &mut witness), parser.finish(&mut witness)] {
            match again {
                Err(error) if self.is_due(&error) => {}
                other => witness.fail(&format!("{other:?} instead of the error")),
            }
        }
    }

    fn batcher(&self, cuts: &[usize]) {
        let mut witness = Witness::new(self.case, self.expected, Face::new("strict Batcher").cut(cuts));
        let mut batcher = Batcher::with_config(self.config.clone());
        let mut failed = false;
        let mut see = |event: Result<Event<'_>, Error>| match event {
            Ok(event) => witness.see_event(&event),
            Err(error) if self.is_due(&error) => failed = true,
            Err(error) => witness.fail(&format!("{error:?}")),
        };
        for piece in self.case.pieces(cuts) {
            batcher.feed(piece).for_each(&mut see);
        }
        batcher.finish().for_each(&mut see);
        witness.end();
        assert_eq!(failed, self.due.is_some(), "a strict Batcher must fail at a problem, and only there");
    }

    fn events(&self) {
        let mut witness = Witness::new(self.case, self.expected, Face::new("strict events"));
        let mut failed = false;
        for event in events(self.case.input).config(self.config.clone()) {
            match event {
                Ok(event) if !failed => witness.see_event(&event),
                Err(error) if !failed && self.is_due(&error) => failed = true,
                other => witness.fail(&format!("{other:?}")),
            }
        }
        witness.end();
        assert_eq!(failed, self.due.is_some(), "strict events must fail at a problem, and only there");
    }
}
