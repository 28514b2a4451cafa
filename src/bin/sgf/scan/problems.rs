//! A line for each problem, while reading goes on, for `sgf scan --problems`.
//!
//! Owns the lines, which are those that `--strict` prints of the first problem, the bytes shown under them, and how many of one
//! input a terminal gets. Refuses to know what is counted.

use std::io::{self, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sgf_stream::Problem;

use crate::progress::MessageArgs;
use crate::session::{Flow, flow};
use crate::terminal::layout::{colours, thousands};
use crate::terminal::printable;
use crate::terminal::window::Window;

/// How many problems of one input are shown on a terminal.
const SHOWN: u64 = 100;

/// Lines wait until there are this many bytes, or until the input pauses.
const BATCH: usize = 64 << 10;

pub(crate) struct Lines {
    out: Stdout,
    ready: Vec<u8>,
    windows: bool,
    colours: bool,
    most: u64,
    /// Problems of this input so far.
    count: u64,
    are_any: bool,
    /// The input, if it is a file that can be read again.
    path: Option<PathBuf>,
    /// The bytes that were read last, and their offset; only for windows.
    bytes: Vec<u8>,
    start: u64,
}

impl Lines {
    pub(crate) fn new(messages: MessageArgs) -> Self {
        let out = io::stdout();
        Self {
            windows: messages.shows_windows(&out),
            colours: colours(&out),
            most: if out.is_terminal() { SHOWN } else { u64::MAX },
            out,
            ready: Vec::new(),
            count: 0,
            are_any: false,
            path: None,
            bytes: Vec::new(),
            start: 0,
        }
    }

    /// The next input, or member of one, begins.
    pub(crate) fn begin(&mut self, path: Option<&Path>) {
        self.path = path.map(Path::to_path_buf);
        (self.count, self.start) = (0, 0);
        self.bytes.clear();
    }

    /// These bytes are read next.
    pub(crate) fn chunk(&mut self, bytes: &[u8]) {
        // At its end, an input still has problems.
        if self.windows && !bytes.is_empty() {
            self.start += self.bytes.len() as u64;
            self.bytes.clear();
            self.bytes.extend_from_slice(bytes);
        }
    }

    pub(crate) fn problem(&mut self, file: &str, problem: &Problem) -> Flow {
        self.count += 1;
        if self.count > self.most {
            return ControlFlow::Continue(());
        }
        self.are_any = true;
        self.line(&format!("{file}:{problem}"));
        if let Some(window) = self.window(problem) {
            self.ready.extend([window.render(self.colours).as_bytes(), b"\n"].concat());
        }
        if self.ready.len() < BATCH { ControlFlow::Continue(()) } else { flow(self.write()) }
    }

    /// The input, or as much of it as could be read, has ended.
    pub(crate) fn end(&mut self, file: &str) {
        let more = self.count.saturating_sub(self.most);
        if more > 0 {
            self.line(&format!("{} more in {file}", thousands(more)));
        }
    }

    /// Whether there are lines above what is written next.
    pub(crate) fn are_any(&self) -> bool {
        self.are_any
    }

    pub(crate) fn write(&mut self) -> io::Result<()> {
        let result = self.out.write_all(&self.ready).and_then(|()| self.out.flush());
        self.ready.clear();
        result
    }

    fn line(&mut self, text: &str) {
        self.ready.extend_from_slice(printable(text).as_bytes());
        self.ready.push(b'\n');
    }

    fn window(&self, problem: &Problem) -> Option<Window> {
        let (place, len) = (problem.position(), problem.span().len());
        if !self.windows {
            return None;
        }
        let at_hand = Window::cut(&self.bytes, self.start, place, len);
        at_hand.or_else(|| Window::look(self.path.as_deref()?, place, len))
    }
}
