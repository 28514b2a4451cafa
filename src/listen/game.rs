//! From the bytes of a game to its row.
//!
//! Owns how a game is read, what makes the service refuse it, and what its row looks like. Knows nothing of sockets.

use std::convert::Infallible;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Mutex;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;

use crate::listen::{Entry, GameId, Settings};
use crate::read::Game;
use crate::record::{Column, GameRecord, Recorder, Records, Row, Wants};
use crate::syntax::{
    Config, Deliver, Descend, Moves, Node, Parser, Part, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value,
    Visitor,
};

/// A game on its way.
pub(super) struct Arrival {
    pub(super) game: Game,
    pub(super) peer: SocketAddr,
    /// Its number on its connection, from 1.
    pub(super) number: u64,
}

/// The result of reading a game.
pub(super) enum Read {
    /// It can be stored. `problems` counts those that are no reason to refuse it.
    Whole {
        entry: Entry,
        problems: u64,
        /// No text was found to be neither of characters nor of bytes.
        makes_sense: bool,
    },
    /// It is not complete.
    Refused(Problem),
}

/// Reads the games of all connections.
///
/// The memory for reading, up to 2 MiB for texts and headers, is kept for the next game, once for each thread and not
/// for each connection.
pub(super) struct GameReader {
    config: Config,
    columns: Vec<Column>,
    keep_games: bool,
    idle: Mutex<Vec<Scratch>>,
}

struct Scratch {
    parser: Parser,
    recorder: Recorder<Last>,
}

/// Ignores records: the recorder itself keeps the last one.
struct Last;

impl Records for Last {
    type Break = Infallible;

    fn record(&mut self, _record: &GameRecord) -> ControlFlow<Infallible> {
        ControlFlow::Continue(())
    }
}

impl GameReader {
    pub(super) fn new(settings: &Settings) -> Self {
        // A game that is sent again must give the same row, whatever came before it.
        let mut config = settings.config.clone().strict(false).remember_charsets(false);
        // They are only counted, and a game has no more of them than bytes.
        config.limits.problems = u64::MAX;
        Self { config, columns: columns(), keep_games: settings.keep_games, idle: Mutex::default() }
    }

    /// Reads a game. This takes as long as reading the longest game that the settings allow, and never waits.
    pub(super) fn read(&self, arrival: &Arrival) -> io::Result<Read> {
        let idle_one = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut scratch = idle_one.unwrap_or_else(|| Scratch {
            parser: Parser::with_config(self.config.clone()),
            recorder: Recorder::new(Wants::ALL, Last),
        });
        let read = self.read_at(&mut scratch, arrival);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(scratch);
        }
        read
    }

    fn read_at(&self, scratch: &mut Scratch, arrival: &Arrival) -> io::Result<Read> {
        let Game { bytes, position, stream, .. } = &arrival.game;
        scratch.parser.reset_within(*position, *stream);
        let mut inspector = Inspector { recorder: &mut scratch.recorder, makes_sense: true };
        match scratch.parser.read_slice(bytes, &mut inspector) {
            Ok(ControlFlow::Break(problem)) => return Ok(Read::Refused(problem)),
            Ok(ControlFlow::Continue(())) => {}
            Err(error) => return Err(io::Error::other(error)),
        }
        let makes_sense = inspector.makes_sense;
        let id = GameId::of(bytes);
        let record = scratch.recorder.record();
        let row = self.row(id, arrival, record)?;
        Ok(Read::Whole { entry: Entry { id, row }, problems: record.problems().unwrap_or(0), makes_sense })
    }

    fn row(&self, id: GameId, arrival: &Arrival, record: &GameRecord) -> io::Result<Vec<u8>> {
        let mut line = Vec::with_capacity(1 << 10);
        // The id comes first, because files are searched for it. Nothing in these three has to be escaped.
        let (received, peer) = (Timestamp::now(), arrival.peer);
        write!(line, "{{\"id\":\"{id}\",\"received\":\"{received:.3}\",\"peer\":\"{peer}\"")?;
        let brace = line.len();
        Row { file: "", member: None, game: arrival.number, record }.push_json(&self.columns, &mut line);
        line[brace] = b',';
        if self.keep_games {
            line.truncate(line.len() - 1);
            let bytes = &*arrival.game.bytes;
            // Other control characters take six bytes each in JSON, and a file full of them is hardly text.
            let is_plain = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r');
            match str::from_utf8(bytes) {
                Ok(text) if bytes.iter().all(is_plain) => {
                    line.extend_from_slice(b",\"sgf\":");
                    serde_json::to_writer(&mut line, text)?;
                }
                _ => {
                    line.extend_from_slice(b",\"sgf_base64\":");
                    serde_json::to_writer(&mut line, &BASE64_STANDARD.encode(bytes))?;
                }
            }
            line.push(b'}');
        }
        line.push(b'\n');
        Ok(line)
    }
}

/// All columns about the game itself; where it came from is stated in the service's own keys.
pub(super) fn columns() -> Vec<Column> {
    Column::OF_TABLE.iter().copied().filter(|column| !matches!(column, Column::File | Column::Member)).collect()
}

/// Sees everything that the recorder sees, and stops at anything that makes the service refuse the game.
struct Inspector<'a> {
    recorder: &'a mut Recorder<Last>,
    makes_sense: bool,
}

/// The recorder never breaks.
fn go_on<T>(answer: ControlFlow<Infallible, T>) -> ControlFlow<Problem, T> {
    let ControlFlow::Continue(answer) = answer;
    ControlFlow::Continue(answer)
}

impl Visitor for Inspector<'_> {
    type Break = Problem;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Problem, Descend> {
        go_on(self.recorder.enter_tree(tree))
    }

    fn node(&mut self, node: Node) -> ControlFlow<Problem, Step> {
        go_on(self.recorder.node(node))
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Problem, Deliver> {
        go_on(self.recorder.property(property))
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Problem> {
        go_on(self.recorder.value(value))
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Problem> {
        go_on(self.recorder.part(part))
    }

    fn moves(&mut self, moves: Moves<'_>) -> ControlFlow<Problem, Option<Deliver>> {
        go_on(self.recorder.moves(moves))
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Problem> {
        go_on(self.recorder.exit_tree(end))
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Problem> {
        match problem.kind() {
            // Its end is missing.
            ProblemKind::UnclosedTree | ProblemKind::UnexpectedEof
            // Its row would describe only a part of it.
            | ProblemKind::ValueTooLong
            | ProblemKind::LimitDepth
            | ProblemKind::LimitNode
            | ProblemKind::LimitValues
            | ProblemKind::LimitGame => ControlFlow::Break(*problem),
            kind => {
                self.makes_sense &= kind != ProblemKind::EscapeUnitChanged;
                go_on(self.recorder.problem(problem))
            }
        }
    }
}
