//! `sgf events`: every event of reading as a line of JSON.
//!
//! Owns the keys and their order: event, offset, depth, what is particular to the event, file. Lines do not depend on
//! how the input is cut.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sgf_stream::archive::Name;
use sgf_stream::{Deliver, Descend, Moves, Node, Position, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};

use crate::args::EventsArgs;
use crate::progress::Progress;
use crate::session::{Flow, Outcome, Session, Sink, flow};
use crate::terminal::escaped;

/// Prints the events of all inputs.
pub(crate) fn run(args: &EventsArgs) -> io::Result<Outcome> {
    let out = io::stdout().lock();
    let progress = Progress::beside(&out, &args.inputs);
    let is_seen = out.is_terminal();
    let mut events = Events { raw: args.raw, several: args.inputs.are_several(), is_seen, ..Events::new(out) };
    let outcome =
        Session::new(args.inputs.config().check_text(true), progress.clone()).run(&args.inputs, &mut events)?;
    progress.conclude(outcome);
    Ok(outcome)
}

/// The visitor.
pub(crate) struct Events<W> {
    out: W,
    lines: Vec<u8>,
    /// Values are written in base64.
    raw: bool,
    /// Every line names its file.
    several: bool,
    /// On a terminal, which obeys some characters that JSON leaves as they are.
    is_seen: bool,
    /// `,"depth":...` of the innermost open tree.
    depth: Vec<u8>,
    /// `,"ident":"..."` of the last property, which is repeated on its values.
    ident: Vec<u8>,
    /// The end of each line: the file, if it is shown, and the brace.
    tail: Vec<u8>,
    base64: String,
    games: u64,
}

impl<W: Write> Events<W> {
    /// Lines wait until there are this many bytes, or until the input pauses.
    const BATCH: usize = 64 << 10;

    /// Values up to this length are checked for a short cut.
    const PLAIN: usize = 8;

    /// For one input, with values as text, not on a terminal.
    fn new(out: W) -> Self {
        Self {
            out,
            lines: Vec::with_capacity(Self::BATCH + 4096),
            raw: false,
            several: false,
            is_seen: false,
            depth: Vec::new(),
            ident: Vec::new(),
            tail: Vec::new(),
            base64: String::new(),
            games: 0,
        }
    }

    /// Writes the keys that every line begins with; `start` is everything before the offset.
    #[inline]
    fn begin_line(&mut self, start: &str, position: Position) {
        self.text(start);
        self.number(position.offset);
        self.lines.extend_from_slice(&self.depth);
    }

    #[inline]
    fn set_depth(&mut self, depth: u64) {
        self.depth.clear();
        self.depth.extend_from_slice(br#","depth":"#);
        self.depth.extend_from_slice(itoa::Buffer::new().format(depth).as_bytes());
    }

    #[inline]
    fn text(&mut self, text: &str) {
        self.lines.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn number(&mut self, number: u64) {
        self.lines.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    #[inline]
    fn end_line<T>(&mut self, answer: T) -> Flow<T> {
        self.lines.extend_from_slice(&self.tail);
        if self.lines.len() >= Self::BATCH {
            flow(self.write())?;
        }
        ControlFlow::Continue(answer)
    }

    fn write(&mut self) -> io::Result<()> {
        let seen = if self.is_seen { str::from_utf8(&self.lines).ok() } else { None };
        let result = match seen {
            Some(lines) => self.out.write_all(escaped(lines).as_bytes()),
            None => self.out.write_all(&self.lines),
        };
        self.lines.clear();
        // One long value must not keep its memory for the rest of the run.
        self.lines.shrink_to(Self::BATCH + 4096);
        result
    }

    fn value_text(&mut self, value: &Value<'_>) -> io::Result<()> {
        self.text(r#","value":"#);
        let raw = value.raw();
        // Most values are points, which are the same in any charset and in JSON.
        if raw.len() <= Self::PLAIN && raw.iter().all(u8::is_ascii_alphanumeric) {
            self.lines.push(b'"');
            self.lines.extend_from_slice(raw);
            self.lines.push(b'"');
            return Ok(());
        }
        Ok(serde_json::to_writer(&mut self.lines, &value.text())?)
    }

    fn value_raw(&mut self, value: &Value<'_>) {
        self.base64.clear();
        STANDARD.encode_string(value.raw(), &mut self.base64);
        self.lines.extend_from_slice(br#","raw":""#);
        self.lines.extend_from_slice(self.base64.as_bytes());
        self.lines.push(b'"');
    }
}

impl<W: Write> Sink for Events<W> {
    fn begin(&mut self, name: &str) {
        self.begin_named(name, self.several);
    }

    /// A member always shows its name, because the archive may contain another.
    fn begin_member(&mut self, name: &Name) {
        self.begin_named(name.as_str(), self.several || name.member().is_some());
    }

    /// If a socket falls silent, the reader of the output gets all events that its bytes have decided.
    fn pause(&mut self) -> io::Result<()> {
        self.write()?;
        self.out.flush()
    }

    fn games(&self) -> u64 {
        self.games
    }
}

impl<W: Write> Events<W> {
    fn begin_named(&mut self, name: &str, is_named: bool) {
        self.set_depth(0);
        self.tail.clear();
        if is_named {
            self.tail.extend_from_slice(br#","file":"#);
            // Writing into memory does not fail.
            let _ = serde_json::to_writer(&mut self.tail, name);
        }
        self.tail.extend_from_slice(b"}\n");
    }
}

impl<W: Write> Visitor for Events<W> {
    type Break = io::Result<()>;

    fn enter_tree(&mut self, tree: Tree) -> Flow<Descend> {
        self.games += u64::from(tree.depth() == 1);
        self.set_depth(tree.depth());
        self.begin_line(r#"{"event":"enter","offset":"#, tree.position());
        if tree.is_implied() {
            self.text(r#","implied":true"#);
        }
        self.end_line(Descend::Into)
    }

    fn node(&mut self, node: Node) -> Flow<Step> {
        self.begin_line(r#"{"event":"node","offset":"#, node.position());
        if node.is_implied() {
            self.text(r#","implied":true"#);
        }
        if node.is_after_variation() {
            self.text(r#","after_variation":true"#);
        }
        self.end_line(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> Flow<Deliver> {
        self.ident.clear();
        self.ident.extend_from_slice(br#","ident":""#);
        // Letters and digits only: nothing to escape.
        self.ident.extend(property.ident().bytes());
        self.ident.push(b'"');
        self.begin_line(r#"{"event":"property","offset":"#, property.position());
        self.lines.extend_from_slice(&self.ident);
        self.end_line(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> Flow {
        self.begin_line(r#"{"event":"value","offset":"#, value.position());
        self.lines.extend_from_slice(&self.ident);
        if self.raw {
            self.value_raw(&value);
        } else {
            flow(self.value_text(&value))?;
        }
        if !value.raw().is_ascii() {
            self.text(r#","charset":""#);
            // Letters, digits and hyphens.
            self.text(value.source_charset().name());
            self.lines.push(b'"');
        }
        self.end_line(())
    }

    /// Writes the lines of the events that the moves stand for. Nearly everything in them is made once for all of the moves.
    fn moves(&mut self, moves: Moves<'_>) -> Flow<Option<Deliver>> {
        let (raw, _) = moves.raw().as_chunks::<{ Moves::MOVE_LEN }>();
        let are_letters = raw.iter().all(|[.., x, y, _]| x.is_ascii_lowercase() && y.is_ascii_lowercase());
        let [.., [_, last, ..]] = raw else { return ControlFlow::Continue(None) };
        if self.raw || !are_letters {
            return ControlFlow::Continue(None);
        }
        let (depth, tail) = (&self.depth[..], &self.tail[..]);
        let to_property = [depth, tail, br#"{"event":"property","offset":"#].concat();
        let mut to_value = [depth, br#","ident":"B"#, b"\"", tail, br#"{"event":"value","offset":"#].concat();
        let mut to_end = [depth, br#","ident":"B","value":"pd"#, b"\"", tail].concat();
        let ident_at = depth.len() + br#","ident":""#.len();
        let value_at = ident_at + br#"B","value":""#.len();
        let mut offset = moves.position().offset;
        for &[_, color, _, x, y, _] in raw {
            to_value[ident_at] = color;
            to_end[ident_at] = color;
            to_end[value_at..value_at + 2].copy_from_slice(&[x, y]);
            self.text(r#"{"event":"node","offset":"#);
            self.number(offset);
            self.lines.extend_from_slice(&to_property);
            self.number(offset + 1);
            self.lines.extend_from_slice(&to_value);
            self.number(offset + 3);
            self.lines.extend_from_slice(&to_end);
            offset += Moves::MOVE_LEN as u64;
        }
        self.ident.clear();
        self.ident.extend_from_slice(br#","ident":""#);
        self.ident.extend_from_slice(&[*last, b'"']);
        if self.lines.len() >= Self::BATCH {
            flow(self.write())?;
        }
        ControlFlow::Continue(Some(Deliver::Whole))
    }

    fn exit_tree(&mut self, end: TreeEnd) -> Flow {
        self.begin_line(r#"{"event":"exit","offset":"#, end.position());
        self.set_depth(end.depth() - 1);
        if end.is_implicit() {
            self.text(r#","implicit":true"#);
        }
        self.end_line(())
    }

    fn problem(&mut self, problem: &Problem) -> Flow {
        let position = problem.position();
        self.begin_line(r#"{"event":"problem","offset":"#, position);
        self.text(r#","number":"#);
        self.number(problem.number().into());
        self.text(r#","name":""#);
        self.text(problem.name());
        self.text(r#"","line":"#);
        self.number(position.line);
        self.text(r#","column":"#);
        self.number(position.column);
        self.text(r#","len":"#);
        self.number(problem.span().len());
        self.text(r#","message":"#);
        flow(serde_json::to_writer(&mut self.lines, problem.kind().meaning()).map_err(io::Error::from))?;
        if let Some(charset) = problem.charset() {
            self.text(r#","charset":""#);
            self.text(charset);
            self.lines.push(b'"');
        }
        self.end_line(())
    }
}
