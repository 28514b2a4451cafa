//! Counts the games and nodes of a file.
//!
//! What it shows: the smallest visitor, and a file read in memory that does not grow.
//!
//! ```sh
//! cargo run --release --example count -- corpora/pro/1930s.sgf
//! ```

use std::convert::Infallible;
use std::io::{self, Write};
use std::ops::ControlFlow::{self, Continue};

use sgf_stream::{Descend, Node, Reader, Step, Tree, Visitor};

#[derive(Default)]
struct Count(u64, u64);

impl Visitor for Count {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.0 += u64::from(tree.depth() == 1);
        Continue(Descend::Into)
    }

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        self.1 += 1;
        Continue(Step::Read)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut count = Count::default();
    for path in std::env::args_os().skip(1) {
        let Continue(()) = Reader::new(std::fs::File::open(path)?).read(&mut count)?;
    }
    writeln!(io::stdout(), "{} games, {} nodes", count.0, count.1)?;
    Ok(())
}
