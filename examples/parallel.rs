//! Reads the games of a file on all cores and prints a row for each, in the order of the file.
//!
//! What it shows: `GameDecoder` cuts the file into games at skip speed, tasks read them, and a bounded channel of the
//! tasks' handles keeps the order and bounds the memory: cutting waits if reading falls behind.
//!
//! ```sh
//! cargo run --release --example parallel -- corpora/pro/1990s.sgf
//! ```

use std::convert::Infallible;
use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow::{self, Continue};

use futures_util::StreamExt;
use sgf_stream::{Deliver, Frame, Game, GameDecoder, Ident, Parser, Property, Value, Visitor};
use tokio::fs::File;
use tokio::sync::mpsc::channel;
use tokio::task::JoinHandle;
use tokio_util::codec::FramedRead;

/// How many games one task reads: a few hundred kilobytes, so that starting a task costs little in comparison.
const GAMES_A_TASK: usize = 256;
/// How many tasks may wait for their turn to print.
const TASKS: usize = 16;

#[derive(Default)]
struct Row {
    ident: Option<Ident>,
    black: String,
    white: String,
    moves: u64,
}

impl Visitor for Row {
    type Break = Infallible;

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        let ident = property.ident();
        self.ident = Some(ident);
        self.moves += u64::from(matches!(ident, Ident::B | Ident::W));
        Continue(if matches!(ident, Ident::PB | Ident::PW) { Deliver::Whole } else { Deliver::Skip })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let name = value.simple_text().into_owned();
        if self.ident == Some(Ident::PB) {
            self.black = name;
        } else {
            self.white = name;
        }
        Continue(())
    }
}

fn row(game: &Game, parser: &mut Parser) -> String {
    let mut row = Row::default();
    match game.read(parser, &mut row) {
        Ok(_) => format!("{}\t{}\t{}\t{} moves", game.position, row.black, row.white, row.moves),
        Err(error) => format!("{}\t{error}", game.position),
    }
}

fn rows(frames: Vec<Result<Frame, sgf_stream::Error>>) -> Result<Vec<String>, sgf_stream::Error> {
    let mut rows = Vec::with_capacity(frames.len());
    let mut parser = Parser::new();
    for frame in frames {
        match frame? {
            Frame::Game(game) => rows.push(row(&game, &mut parser)),
            Frame::Problem(problem) => eprintln!("{problem}"),
            _ => {}
        }
    }
    Ok(rows)
}

fn print(rows: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    rows.iter().try_for_each(|row| writeln!(out, "{row}"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: parallel FILE")?;
    let frames = FramedRead::with_capacity(File::open(path).await?, GameDecoder::new(), 256 << 10);
    let (handles, mut tasks) = channel::<JoinHandle<Result<Vec<String>, sgf_stream::Error>>>(TASKS);
    tokio::spawn(async move {
        let mut batches = frames.ready_chunks(GAMES_A_TASK);
        while let Some(batch) = batches.next().await {
            // The other end is gone if printing failed.
            if handles.send(tokio::spawn(async { rows(batch) })).await.is_err() {
                break;
            }
        }
    });
    while let Some(task) = tasks.recv().await {
        match print(&task.await??) {
            Ok(()) => {}
            // The reader of the output has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
