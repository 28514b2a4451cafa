//! Prints the moves of each game's main line, one game a line.
//!
//! What it shows: the adapter `MainLine`, which hides variations from a visitor and skips them quickly.
//!
//! ```sh
//! cargo run --example mainline -- corpora/pro/kato-masao-cho-chikun.sgf
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow::{self, Break, Continue};

use sgf_stream::semantics::Board;
use sgf_stream::{Deliver, MainLine, Property, Reader, TreeEnd, Value, Visitor};

struct Moves<W> {
    out: W,
    line: String,
}

impl<W: Write> Visitor for Moves<W> {
    /// Reading stops if writing fails.
    type Break = io::Error;

    fn property(&mut self, property: Property<'_>) -> ControlFlow<io::Error, Deliver> {
        // Some archives have moves in small letters. In Blokus colours are called otherwise: there, let a board learn from GM.
        let is_move = Board::default().is_move(property.ident());
        Continue(if is_move { Deliver::Whole } else { Deliver::Skip })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<io::Error> {
        if !self.line.is_empty() {
            self.line.push(' ');
        }
        match &*value.simple_text() {
            "" => self.line.push_str("pass"),
            point => self.line.push_str(point),
        }
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<io::Error> {
        if end.depth() == 1 {
            if let Err(error) = writeln!(self.out, "{}", self.line) {
                return Break(error);
            }
            self.line.clear();
        }
        Continue(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut moves = MainLine::new(Moves { out: io::stdout().lock(), line: String::new() });
    for path in std::env::args_os().skip(1) {
        match Reader::new(File::open(path)?).read(&mut moves)? {
            Continue(()) => {}
            // The reader of the output has seen enough.
            Break(error) if error.kind() == ErrorKind::BrokenPipe => break,
            Break(error) => return Err(error.into()),
        }
    }
    Ok(())
}
