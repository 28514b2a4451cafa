//! Sends games to `sgf listen` until each of them is stored.
//!
//! What it shows: the client's half of the protocol. A game is kept until its answer has come. When all are sent, the client
//! closes its half of the connection, as the answer to the last one may depend on what comes next. Games without an answer,
//! and those that were refused for now, are sent again on the next connection. The service stores a game once, however often
//! it comes.
//!
//! ```sh
//! cargo run --features cli,listen -- listen --to target/games.ndjson
//! cargo run --features listen --example listen_client -- --to 127.0.0.1:7070 corpora/pro/1990s.sgf
//! ```
//!
//! `--token FILE` first sends the first line of a file. It prints what was refused, and at the end how many games were
//! stored. The exit code is 1 if a game was refused for good, or again and again, or is cut off in its file, 2 if the
//! service could not be reached for a minute.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use serde::Deserialize;
use sgf_stream::{Frame, GameDecoder, ProblemKind};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio_util::codec::Decoder;

/// How many games are sent before their answers arrive.
const AHEAD: usize = 200;

/// How often a game is sent that is refused for now. The waits between grow to six seconds: together more than a minute.
const TRIES: u32 = 18;

/// How long the service may be unreachable.
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);

/// The parts of an answer that matter here. The docs of `sgf_stream::listen` have the other keys.
#[derive(Deserialize)]
struct Answer {
    status: String,
    offset: u64,
    /// 0 in one about no game.
    length: Option<u64>,
    #[serde(default)]
    problem: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    retry: bool,
}

struct Game {
    bytes: Bytes,
    /// How often it was refused for now.
    refusals: u32,
}

/// The games, and their state.
#[derive(Default)]
struct Outbox {
    /// Not sent on this connection.
    waiting: VecDeque<Game>,
    /// Sent, with the offset in this connection's stream.
    sent: VecDeque<(u64, Game)>,
    /// Refused for now, so to be sent on the next connection.
    later: VecDeque<Game>,
    offset: u64,
    stored: u64,
    refused: u64,
    last_answer: Option<Instant>,
}

impl Outbox {
    /// Prepares for a new connection: games without an answer count as not sent.
    fn rewind(&mut self) {
        while let Some((_, game)) = self.sent.pop_back() {
            self.waiting.push_front(game);
        }
        self.waiting.append(&mut self.later);
        self.offset = 0;
    }

    /// The game to send, if it may be sent yet.
    fn next(&mut self) -> Option<Bytes> {
        if self.sent.len() >= AHEAD {
            return None;
        }
        let game = self.waiting.pop_front()?;
        let bytes = game.bytes.clone();
        self.sent.push_back((self.offset, game));
        // And its line end.
        self.offset += bytes.len() as u64 + 1;
        Some(bytes)
    }

    /// Answers come in the order of the games.
    fn answered(&mut self, answer: &Answer) {
        self.last_answer = Some(Instant::now());
        // Others are about something else, such as the end of the connection.
        if answer.length == Some(0) || self.sent.front().is_none_or(|(offset, _)| *offset != answer.offset) {
            return;
        }
        let Some((_, mut game)) = self.sent.pop_front() else { return };
        game.refusals += 1;
        if answer.status == "accepted" {
            self.stored += 1;
        } else if answer.retry && game.refusals < TRIES {
            self.later.push_back(game);
        } else {
            self.refused += 1;
            let start = String::from_utf8_lossy(&game.bytes[..game.bytes.len().min(40)]).into_owned();
            // If this can't be printed, the exit code still tells.
            let _ = writeln!(io::stderr(), "{}: {}: {start:?}...", answer.problem, answer.message);
        }
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.sent.is_empty() && self.later.is_empty()
    }
}

/// The games of the files. One that is cut off counts as refused: the service would take what is sent after it for more of it.
fn games(paths: &[String]) -> Result<Outbox, Box<dyn Error>> {
    let mut outbox = Outbox::default();
    for path in paths {
        let mut bytes = BytesMut::from(&fs::read(path).map_err(|error| format!("{path}: {error}"))?[..]);
        let mut decoder = GameDecoder::new();
        let mut is_cut_off = false;
        while let Some(frame) = decoder.decode_eof(&mut bytes)? {
            match frame {
                Frame::Game(_) if is_cut_off => outbox.refused += 1,
                Frame::Game(game) => outbox.waiting.push_back(Game { bytes: game.bytes, refusals: 0 }),
                Frame::Problem(problem) => {
                    is_cut_off |= matches!(problem.kind(), ProblemKind::UnclosedTree | ProblemKind::UnexpectedEof);
                    writeln!(io::stderr(), "{path}:{problem}")?;
                }
                _ => {}
            }
        }
    }
    Ok(outbox)
}

async fn send(mut out: OwnedWriteHalf, token: &[u8], outbox: &RefCell<Outbox>, news: &Notify) -> io::Result<()> {
    out.write_all(token).await?;
    loop {
        if outbox.borrow().waiting.is_empty() {
            return out.shutdown().await;
        }
        let next = outbox.borrow_mut().next();
        match next {
            Some(game) => {
                out.write_all(&game).await?;
                out.write_all(b"\n").await?;
            }
            None => news.notified().await,
        }
    }
}

async fn hear(lines: OwnedReadHalf, outbox: &RefCell<Outbox>, news: &Notify) -> io::Result<()> {
    let mut lines = BufReader::new(lines).lines();
    while let Some(line) = lines.next_line().await? {
        let answer: Answer = serde_json::from_str(&line)?;
        if answer.problem == "token" {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, answer.message));
        }
        outbox.borrow_mut().answered(&answer);
        news.notify_one();
    }
    if outbox.borrow().is_done() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

async fn deliver(address: &str, token: &[u8], outbox: Outbox) -> Result<Outbox, Box<dyn Error>> {
    let outbox = RefCell::new(outbox);
    let mut wait = Duration::from_millis(50);
    let begun = Instant::now();
    loop {
        outbox.borrow_mut().rewind();
        let before = outbox.borrow().stored;
        let news = Notify::new();
        let result = async {
            let (read, write) = TcpStream::connect(address).await?.into_split();
            // Reading continues while a write waits; otherwise both sides would wait for each other.
            tokio::try_join!(send(write, token, &outbox, &news), hear(read, &outbox, &news))
        };
        match result.await {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error.into()),
            Err(error) => {
                let since = outbox.borrow().last_answer.unwrap_or(begun);
                if since.elapsed() > GIVE_UP_AFTER {
                    return Err(format!("{address}: {error}").into());
                }
            }
        }
        // Waits longer each time, unless some game was answered.
        wait = if outbox.borrow().stored > before {
            Duration::from_millis(50)
        } else {
            (wait * 2).min(GIVE_UP_AFTER / 10)
        };
        tokio::time::sleep(wait).await;
    }
    Ok(outbox.into_inner())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let mut address = "127.0.0.1:7070".to_owned();
    let mut token = Vec::new();
    let mut paths = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--to" => address = args.next().ok_or("--to HOST:PORT")?,
            "--token" => {
                token = fs::read(args.next().ok_or("--token FILE")?)?;
                token.truncate(token.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(token.len()));
                token.push(b'\n');
            }
            _ if arg.starts_with('-') => {
                return Err("usage: listen_client [--to HOST:PORT] [--token FILE] FILE...".into());
            }
            _ => paths.push(arg),
        }
    }
    let done = deliver(&address, &token, games(&paths)?).await?;
    writeln!(io::stdout(), "{} games stored, {} refused", done.stored, done.refused)?;
    Ok(ExitCode::from(u8::from(done.refused > 0)))
}
