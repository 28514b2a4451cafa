//! Takes games from anyone who connects and prints a row for each as soon as it ends, while the connection stays open.
//!
//! What it shows: `AsyncReader` on untrusted sockets. The visitor breaks with a row at each game's end and reading continues
//! after it, so a full channel slows the sender down; limits keep a sender from taking all memory.
//!
//! ```sh
//! cargo run --example tcp_ingest -- --addr 127.0.0.1:7070 --connections 1
//! nc -N 127.0.0.1 7070 < corpora/pro/1976-09-16-otake-hideo-ishida-yoshio.sgf
//! ```
//!
//! The first line of output is its address (`--addr 127.0.0.1:0` takes any free port). It ends after the given number of
//! connections; without `--connections` it runs for ever.

use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow::{self, Break, Continue};

use sgf_stream::{
    AsyncReader, Config, Deliver, Descend, Ident, Limits, Node, Problem, Property, Step, Tree, TreeEnd, Value, Visitor,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{Sender, channel};

/// What is kept of a game.
#[derive(Default)]
struct Row {
    black: String,
    white: String,
    result: String,
    nodes: u64,
    problems: u64,
}

#[derive(Default)]
struct Rows {
    row: Row,
    ident: Option<Ident>,
}

impl Visitor for Rows {
    type Break = Row;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Row, Descend> {
        if tree.depth() == 1 {
            self.row = Row::default();
        }
        Continue(Descend::Into)
    }

    fn node(&mut self, _: Node) -> ControlFlow<Row, Step> {
        self.row.nodes += 1;
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Row, Deliver> {
        self.ident = Some(property.ident());
        Continue(match property.ident() {
            Ident::PB | Ident::PW | Ident::RE => Deliver::Whole,
            _ => Deliver::Skip,
        })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Row> {
        let text = value.simple_text().into_owned();
        match self.ident {
            Some(Ident::PB) => self.row.black = text,
            Some(Ident::PW) => self.row.white = text,
            _ => self.row.result = text,
        }
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Row> {
        if end.depth() == 1 { Break(std::mem::take(&mut self.row)) } else { Continue(()) }
    }

    fn problem(&mut self, _: &Problem) -> ControlFlow<Row> {
        self.row.problems += 1;
        Continue(())
    }
}

async fn ingest(stream: TcpStream, rows: Sender<Row>) -> Result<(), Box<dyn Error + Send + Sync>> {
    let config = Config::new().limits(Limits::untrusted());
    let mut reader = AsyncReader::with_config(stream, config).buffer_len(16 << 10);
    let mut visitor = Rows::default();
    while let Break(row) = reader.read(&mut visitor).await? {
        rows.send(row).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut addr = "127.0.0.1:7070".to_owned();
    let mut connections = u64::MAX;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.next()) {
            ("--addr", Some(value)) => addr = value,
            ("--connections", Some(value)) => connections = value.parse()?,
            _ => return Err("usage: tcp_ingest [--addr HOST:PORT] [--connections N]".into()),
        }
    }
    let listener = TcpListener::bind(addr).await?;
    writeln!(io::stdout(), "listening on {}", listener.local_addr()?)?;

    let (rows, mut received) = channel::<Row>(64);
    let printer = tokio::spawn(async move {
        while let Some(Row { black, white, result, nodes, problems }) = received.recv().await {
            // If the output is closed, the channel closes with this task.
            writeln!(io::stdout(), "{black}\t{white}\t{result}\t{nodes} nodes\t{problems} problems")?;
        }
        Ok::<(), io::Error>(())
    });
    for _ in 0..connections {
        let (stream, peer) = listener.accept().await?;
        if rows.is_closed() {
            break;
        }
        let rows = rows.clone();
        tokio::spawn(async move {
            if let Err(error) = ingest(stream, rows).await {
                eprintln!("{peer}: {error}");
            }
        });
    }
    // The printer ends when the last connection has dropped its sender.
    drop(rows);
    match printer.await? {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
