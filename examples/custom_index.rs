//! An index of your own: how often the players met each other, and who won, written as a table once all games are read.
//!
//! What it shows: a `Sink` for something that no ready-made one keeps. The loop that reads games is the same for every sink,
//! so `Sqlite` or `Parquet` could take its place.
//!
//! ```sh
//! cargo run --release --features index --example custom_index -- corpora/pro/*.sgf
//! ```

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;

use sgf_stream::index::{Error, Sink};
use sgf_stream::record::{GameRecord, Recorder, Row};
use sgf_stream::semantics::info::{Outcome, Winner};
use sgf_stream::{Ident, Reader};

/// Games between two players, named in alphabetical order: the wins of each, and other results.
struct Meetings<W> {
    pairs: BTreeMap<[String; 2], [u64; 3]>,
    out: W,
}

impl<W: Write> Sink for Meetings<W> {
    // Headers are enough, so `wants` stays as it is: the moves are not read.

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let name = |ident| row.record.text(ident).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        let (Some(black), Some(white)) = (name(Ident::PB), name(Ident::PW)) else { return Ok(()) };
        let winner = match row.record.outcome().value() {
            Some(Outcome::Win { winner, .. }) => Some(winner == Winner::Black),
            _ => None,
        };
        let is_turned = black > white;
        let place = winner.map_or(2, |black_won| usize::from(black_won == is_turned));
        let pair = if is_turned { [white, black] } else { [black, white] };
        self.pairs.entry(pair).or_default()[place] += 1;
        Ok(())
    }

    /// Nothing is written before the end.
    fn commit(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.iter().sum::<u64>()));
        for ([one, other], [won, lost, unknown]) in pairs {
            writeln!(self.out, "{}\t{one}\t{won}\t{other}\t{lost}\t{unknown}", won + lost + unknown)?;
        }
        Ok(self.out.flush()?)
    }
}

/// Gives a sink all games of a file.
fn read(path: &str, sink: &mut impl Sink) -> Result<(), Box<dyn StdError>> {
    let mut game = 0;
    let mut recorder = Recorder::new(sink.wants(), |record: &GameRecord| {
        game += 1;
        match sink.record(&Row::new(path, game, record)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    });
    if let ControlFlow::Break(error) = Reader::new(File::open(path)?).read(&mut recorder)? {
        return Err(error.into());
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn StdError>> {
    let mut sink = Meetings { pairs: BTreeMap::new(), out: io::stdout().lock() };
    for path in std::env::args().skip(1) {
        read(&path, &mut sink)?;
    }
    match sink.finish() {
        // The reader of the output has seen enough.
        Err(Error::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}
