//! The clients, honest and hostile.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use sgf_stream::listen::GameId;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{sleep, timeout};

use crate::rng::Rng;
use crate::server::Address;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Fast,
    /// Sends a few bytes at a time.
    Slow,
    /// Dies in the middle of a value, repeatedly.
    Cut,
    /// Sends games of 300 kB.
    Large,
    Garbage,
    /// Sends a game that never ends, byte by byte.
    Loris,
    /// Never reads.
    Deaf,
    /// Begins a large game and falls silent.
    Holder,
    /// Sends without pause, but no game.
    Flood,
}

impl Kind {
    pub(crate) fn of(number: usize) -> Self {
        match number % 48 {
            0..16 => Self::Fast,
            16..22 => Self::Slow,
            22..28 => Self::Cut,
            28..31 => Self::Large,
            31..35 => Self::Garbage,
            35..39 => Self::Loris,
            39..41 => Self::Deaf,
            41..47 => Self::Holder,
            _ => Self::Flood,
        }
    }

    pub(crate) fn is_honest(self) -> bool {
        matches!(self, Self::Fast | Self::Slow | Self::Cut | Self::Large)
    }
}

/// What the clients have received.
#[derive(Default)]
pub(crate) struct Ledger {
    /// The acknowledged games of each honest client, and the longest time that one took from its first byte on.
    pub(crate) clients: Mutex<HashMap<usize, (Kind, u64, Duration)>>,
    /// Every id that was ever acknowledged.
    pub(crate) ids: Mutex<Vec<GameId>>,
    /// Games that were sent more than once.
    pub(crate) again: AtomicU64,
    /// Refusals that said the store has failed.
    pub(crate) not_stored: AtomicU64,
    /// Answers that violate the protocol.
    pub(crate) nonsense: Mutex<Vec<String>>,
    is_last_round: AtomicBool,
}

impl Ledger {
    /// No more games are started.
    pub(crate) fn last_round(&self) {
        self.is_last_round.store(true, Ordering::Relaxed);
    }

    fn acknowledged(&self, number: usize, id: GameId, took: Duration) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, games, longest) = clients.entry(number).or_insert((Kind::of(number), 0, Duration::ZERO));
        *games += 1;
        *longest = (*longest).max(took);
    }

    fn nonsense(&self, what: String) {
        self.nonsense.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }
}

/// A game to be acknowledged.
struct Due {
    game: Vec<u8>,
    since: Instant,
    is_sent_again: bool,
}

/// Sends until it is killed; an honest client until all its games are acknowledged.
pub(crate) async fn run(number: usize, address: Address, ledger: Arc<Ledger>) {
    let mut honest = Honest { number, kind: Kind::of(number), ledger: &ledger, due: VecDeque::new(), games: 0 };
    let mut round = 0;
    loop {
        round += 1;
        let Some(stream) = connect(&address).await else { continue };
        // Broken connections are expected; the next one continues.
        let _ = match honest.kind {
            Kind::Garbage => garbage(stream, number * 1_000 + round).await,
            Kind::Loris => loris(stream).await,
            Kind::Deaf => deaf(stream).await,
            Kind::Holder => hold(stream).await,
            Kind::Flood => flood(stream, round).await,
            _ => honest.talk(stream).await,
        };
        if honest.kind.is_honest() && honest.is_done() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

async fn connect(address: &Address) -> Option<TcpStream> {
    let address = *address.lock().unwrap_or_else(PoisonError::into_inner);
    let stream = TcpStream::connect(address?).await.ok();
    if stream.is_none() {
        sleep(Duration::from_millis(50)).await;
    }
    stream
}

struct Honest<'a> {
    number: usize,
    kind: Kind,
    ledger: &'a Ledger,
    due: VecDeque<Due>,
    games: u64,
}

impl Honest<'_> {
    fn is_done(&self) -> bool {
        self.due.is_empty() && self.ledger.is_last_round.load(Ordering::Relaxed)
    }

    fn game(&mut self) -> Due {
        self.games += 1;
        let moves = if self.kind == Kind::Large { 50_000 } else { 20 };
        let mut game = format!("(;GM[1]PB[client {}]GN[{}]", self.number, self.games);
        for step in 0..moves {
            game.push_str(if step % 2 == 0 { ";B[pd]" } else { ";W[dp]" });
        }
        game.push(')');
        Due { game: game.into_bytes(), since: Instant::now(), is_sent_again: false }
    }

    /// One connection: a few games, and their answers.
    async fn talk(&mut self, stream: TcpStream) -> std::io::Result<()> {
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        loop {
            if self.due.is_empty() {
                if self.is_done() {
                    return Ok(());
                }
                let count = if self.kind == Kind::Large { 1 } else { 20 };
                for _ in 0..count {
                    let due = self.game();
                    self.due.push_back(due);
                }
            }
            let (sent, heard) = tokio::join!(send(&mut write, self.kind, self.games, &self.due), async {
                let mut answers = Vec::new();
                while answers.len() < self.due.len() {
                    // The service stalls for at most half a second, and dies every few seconds.
                    match timeout(Duration::from_secs(20), lines.next_line()).await {
                        Ok(Ok(Some(line))) => answers.push(line),
                        _ => break,
                    }
                }
                answers
            });
            let all = heard.len() == self.due.len();
            self.hear(&heard);
            sent?;
            if !all {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if !self.due.is_empty() {
                // Refused games are sent again on a new connection, where offsets start again.
                return Ok(());
            }
            if self.kind != Kind::Fast {
                sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Answers come in the order of the games.
    fn hear(&mut self, lines: &[String]) {
        let mut left = VecDeque::new();
        for line in lines {
            let Ok(answer) = serde_json::from_str::<Value>(line) else {
                self.ledger.nonsense(line.clone());
                continue;
            };
            let Some(due) = self.due.pop_front() else { break };
            if answer["status"] == "accepted" {
                let id = GameId::of(&due.game);
                if answer["id"] != id.to_string() {
                    self.ledger.nonsense(format!("{line} for {id}"));
                }
                self.ledger.acknowledged(self.number, id, due.since.elapsed());
                continue;
            }
            if answer["retry"] != true {
                self.ledger.nonsense(format!("{line} for a game that is whole"));
            }
            self.ledger.not_stored.fetch_add(u64::from(answer["problem"] == "not-stored"), Ordering::Relaxed);
            left.push_back(due);
        }
        left.append(&mut self.due);
        for due in &mut left {
            due.is_sent_again = true;
            self.ledger.again.fetch_add(1, Ordering::Relaxed);
        }
        self.due = left;
    }
}

async fn send(out: &mut OwnedWriteHalf, kind: Kind, games: u64, due: &VecDeque<Due>) -> std::io::Result<()> {
    let mut bytes: Vec<u8> = due.iter().flat_map(|due| due.game.iter().copied().chain([b'\n'])).collect();
    match kind {
        Kind::Slow => {
            for piece in bytes.chunks(100) {
                out.write_all(piece).await?;
                sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        }
        // Every second time.
        Kind::Cut if games / 20 % 2 == 1 && !due.iter().any(|due| due.is_sent_again) => {
            bytes.truncate(bytes.len() / 2);
            while bytes.pop().is_some_and(|byte| byte != b'p') {}
            out.write_all(&bytes).await?;
            out.shutdown().await
        }
        _ => out.write_all(&bytes).await,
    }
}

/// A few kilobytes of random bytes, ignoring the answers.
async fn garbage(stream: TcpStream, seed: usize) -> std::io::Result<()> {
    let (mut read, mut write) = stream.into_split();
    let mut rng = Rng::new(seed as u64);
    let bytes: Vec<u8> = (0..8_000)
        // Half of them are from the syntax of SGF.
        .map(|_| if rng.one_in(2) { rng.next() as u8 } else { rng.pick(b"()[];\\AB\n") })
        .collect();
    let writing = async {
        write.write_all(&bytes).await?;
        write.shutdown().await
    };
    let reading = drain(&mut read);
    tokio::try_join!(writing, reading).map(|_| ())
}

async fn drain(read: &mut OwnedReadHalf) -> std::io::Result<()> {
    let mut rest = vec![0; 4_096];
    while read.read(&mut rest).await? > 0 {}
    Ok(())
}

async fn loris(mut stream: TcpStream) -> std::io::Result<()> {
    stream.write_all(b"(;C[").await?;
    loop {
        stream.write_all(b"x").await?;
        sleep(Duration::from_millis(100)).await;
    }
}

async fn deaf(mut stream: TcpStream) -> std::io::Result<()> {
    let flood = b"(;B[pd])".repeat(1_000);
    loop {
        stream.write_all(&flood).await?;
        sleep(Duration::from_millis(10)).await;
    }
}

async fn hold(stream: TcpStream) -> std::io::Result<()> {
    let (mut read, mut write) = stream.into_split();
    write.write_all(b"(;C[").await?;
    write.write_all(&vec![b'x'; 70_000]).await?;
    drain(&mut read).await
}

async fn flood(mut stream: TcpStream, round: usize) -> std::io::Result<()> {
    // Junk, or a game that never ends.
    stream.write_all(if round.is_multiple_of(2) { b"(;C[" } else { b"mail" }).await?;
    let piece = vec![b'x'; 64 << 10];
    loop {
        stream.write_all(&piece).await?;
    }
}
