//! Finds the games of a player: prints where each stands, who played, when, and the result.
//!
//! What it shows: reading only headers. A game is skipped from its second node on, so its moves are not read.
//!
//! ```sh
//! cargo run --release --example find_player -- Takemiya corpora/pro/*.sgf
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow::{self, Break, Continue};

use sgf_stream::{Deliver, Descend, Ident, Node, Position, Property, Reader, Step, Tree, TreeEnd, Value, Visitor};

struct Find<'a, W> {
    out: &'a mut W,
    file: &'a str,
    player: &'a str,
    game: Header,
    ident: Option<Ident>,
}

#[derive(Default)]
struct Header {
    position: Position,
    nodes: u64,
    black: String,
    white: String,
    date: String,
    result: String,
}

impl<W: Write> Visitor for Find<'_, W> {
    /// Reading stops if writing fails.
    type Break = io::Error;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<io::Error, Descend> {
        if tree.depth() == 1 {
            self.game = Header { position: tree.position(), ..Header::default() };
        }
        Continue(Descend::Into)
    }

    fn node(&mut self, _: Node) -> ControlFlow<io::Error, Step> {
        self.game.nodes += 1;
        Continue(if self.game.nodes == 1 { Step::Read } else { Step::SkipGame })
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<io::Error, Deliver> {
        let ident = property.ident();
        self.ident = Some(ident);
        Continue(match ident {
            Ident::PB | Ident::PW | Ident::DT | Ident::RE => Deliver::Whole,
            _ => Deliver::Skip,
        })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<io::Error> {
        let text = value.simple_text().into_owned();
        match self.ident {
            Some(Ident::PB) => self.game.black = text,
            Some(Ident::PW) => self.game.white = text,
            Some(Ident::DT) => self.game.date = text,
            _ => self.game.result = text,
        }
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<io::Error> {
        let Header { position, black, white, date, result, .. } = &self.game;
        if end.depth() == 1 && [black, white].iter().any(|name| name.to_lowercase().contains(self.player)) {
            let line = writeln!(self.out, "{}:{position}: {black} - {white}, {date}, {result}", self.file);
            return line.map_or_else(Break, Continue);
        }
        Continue(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let player = args.next().ok_or("usage: find_player NAME FILE...")?.to_lowercase();
    let mut out = io::stdout().lock();
    for file in args {
        let mut find = Find { out: &mut out, file: &file, player: &player, game: Header::default(), ident: None };
        match Reader::new(File::open(&file)?).read(&mut find)? {
            Continue(()) => {}
            // The reader of the output has seen enough.
            Break(error) if error.kind() == ErrorKind::BrokenPipe => break,
            Break(error) => return Err(error.into()),
        }
    }
    Ok(())
}
