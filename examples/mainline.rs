//! Prints the moves of each game's main line, one game a line.
//!
//! What it shows: the adapter `MainLine`, which keeps variations from a visitor and passes over them at skip speed.
//!
//! ```sh
//! cargo run --example mainline -- corpora/pro/kato-masao-cho-chikun.sgf
//! ```

use std::convert::Infallible;
use std::fs::File;
use std::ops::ControlFlow::{self, Continue};

use sgf_stream::{Deliver, Ident, MainLine, Property, Reader, TreeEnd, Value, Visitor};

#[derive(Default)]
struct Moves {
    line: String,
}

impl Visitor for Moves {
    type Break = Infallible;

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        Continue(match property.ident() {
            Ident::B | Ident::W => Deliver::Whole,
            _ => Deliver::Skip,
        })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        if !self.line.is_empty() {
            self.line.push(' ');
        }
        match &*value.simple_text() {
            "" => self.line.push_str("pass"),
            point => self.line.push_str(point),
        }
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        if end.depth() == 1 {
            println!("{}", self.line);
            self.line.clear();
        }
        Continue(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args_os().skip(1) {
        let _ = Reader::new(File::open(path)?).read(&mut MainLine::new(Moves::default()))?;
    }
    Ok(())
}
