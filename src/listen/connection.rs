//! One connection: games in.
//!
//! Owns the way from the socket to the store, how far a client may get ahead of it, and how a connection ends. What goes back
//! is written by [`answers`](crate::listen::answers), in the same task.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_util::codec::Decoder;
use tokio_util::sync::CancellationToken;

use crate::listen::answer::{Answer, Place, Reason};
use crate::listen::answers::{self, Pending};
use crate::listen::commit::Job;
use crate::listen::game::{Arrival, GameReader, Read};
use crate::listen::metrics::Metrics;
use crate::listen::patience::Patience;
use crate::listen::settings::{Plan, QUEUE, SMALL};
use crate::listen::{Settings, Token};
use crate::read::{Frame, Game, GameDecoder};
use crate::syntax::ProblemKind;

/// What is read at once.
const READ: usize = 16 << 10;

/// Answers that may be due to a client before nothing more is read from it.
const WINDOW: usize = 256;

/// How long a client may take for its token.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How long what a client still sends is thrown away before its connection is closed, so that the system does not take back
/// the answers that are on their way.
const LINGER: Duration = Duration::from_secs(2);

/// What all connections have in common.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) metrics: Arc<Metrics>,
    pub(super) jobs: mpsc::Sender<Job>,
    pub(super) stop: CancellationToken,
    reader: GameReader,
    /// Bytes that rows of small games may take.
    queue: Arc<Semaphore>,
    /// Large games at a time.
    large: Arc<Semaphore>,
}

impl Shared {
    pub(super) fn new(
        settings: Settings,
        plan: Plan,
        metrics: Arc<Metrics>,
        jobs: mpsc::Sender<Job>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            reader: GameReader::new(&settings),
            queue: Arc::new(Semaphore::new(QUEUE as usize)),
            large: Arc::new(Semaphore::new(plan.large_games)),
            settings,
            metrics,
            jobs,
            stop,
        }
    }
}

/// Why no more is read.
enum End {
    /// The client said so.
    Complete,
    /// The client is gone.
    Gone,
    /// The client is told.
    Reason(Reason),
}

/// Serves a connection to its end.
pub(super) async fn run(mut stream: TcpStream, peer: SocketAddr, shared: &Shared) {
    shared.metrics.opened();
    // Answers are small, and somebody waits for them. Where it is not possible they come a little later.
    let _ = stream.set_nodelay(true);
    let (read, mut write) = stream.split();
    let (answers, waiting) = mpsc::channel(WINDOW);
    let incoming = Incoming::new(read, peer, shared, answers);
    let lines_out = answers::write(&mut write, waiting, shared.settings.idle, &shared.metrics);
    let ((end, games, mut read), written) = tokio::join!(incoming.run(), lines_out);
    let (end, last) = match end {
        End::Complete => ("end", None),
        End::Gone => ("gone", None),
        End::Reason(reason) => (reason.text().0, Some(reason)),
    };
    tracing::info!(%peer, games, accepted = written.accepted, refused = written.refused, end, "connection closed");
    if last.is_some() && written.is_complete {
        linger(&mut read, &mut write).await;
    }
    shared.metrics.closed();
}

/// Says goodbye to a client that may still be sending.
pub(super) async fn linger(read: &mut ReadHalf<'_>, write: &mut WriteHalf<'_>) {
    let _ = timeout(LINGER, async {
        if write.shutdown().await.is_ok() {
            let mut rest = vec![0; READ];
            while read.readable().await.is_ok() {
                match read.try_read(&mut rest) {
                    Ok(0) => break,
                    Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => break,
                    _ => {}
                }
            }
        }
    })
    .await;
}

struct Incoming<'a> {
    read: ReadHalf<'a>,
    peer: SocketAddr,
    shared: &'a Shared,
    answers: mpsc::Sender<Pending>,
    decoder: GameDecoder,
    buffer: BytesMut,
    patience: Patience,
    /// The turn that a game over [`SMALL`] needs.
    turn: Option<OwnedSemaphorePermit>,
    /// Games so far.
    games: u64,
}

impl<'a> Incoming<'a> {
    fn new(read: ReadHalf<'a>, peer: SocketAddr, shared: &'a Shared, answers: mpsc::Sender<Pending>) -> Self {
        let settings = &shared.settings;
        Self {
            read,
            peer,
            shared,
            answers,
            decoder: GameDecoder::with_config(settings.config.clone().strict(false)),
            buffer: BytesMut::new(),
            patience: Patience::new(settings.idle, settings.game_time),
            turn: None,
            games: 0,
        }
    }

    async fn run(mut self) -> (End, u64, ReadHalf<'a>) {
        let end = match self.all().await {
            Ok(()) => End::Complete,
            Err(end) => end,
        };
        if let End::Reason(reason) = end
            && self.last(reason).await.is_err()
        {
            return (End::Gone, self.games, self.read);
        }
        (end, self.games, self.read)
    }

    /// Reads until the client has said all.
    async fn all(&mut self) -> Result<(), End> {
        if let Some(token) = &self.shared.settings.token {
            match timeout(HANDSHAKE, self.token(token)).await {
                Ok(shown) => shown?,
                Err(_) => return Err(End::Reason(Reason::Token)),
            }
        }
        loop {
            while let Some(frame) = self.frame()? {
                self.take(frame).await?;
            }
            self.make_room().await?;
            if self.fill().await? == 0 {
                break;
            }
        }
        while let Some(frame) = self.last_frame()? {
            self.take(frame).await?;
        }
        Ok(())
    }

    /// The first line is the token.
    async fn token(&mut self, token: &Token) -> Result<(), End> {
        let line = loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                break self.buffer.split_to(end + 1);
            }
            // With its line end, which may be of two bytes.
            if self.buffer.len() > Token::MOST + 1 || self.fill().await? == 0 {
                return Err(End::Reason(Reason::Token));
            }
        };
        let said = line.strip_suffix(b"\r\n").unwrap_or(&line[..line.len() - 1]);
        if token.is(said) { Ok(()) } else { Err(End::Reason(Reason::Token)) }
    }

    fn frame(&mut self) -> Result<Option<Frame>, End> {
        self.decoder.decode(&mut self.buffer).map_err(|_| End::Gone)
    }

    fn last_frame(&mut self) -> Result<Option<Frame>, End> {
        self.decoder.decode_eof(&mut self.buffer).map_err(|_| End::Gone)
    }

    /// What is left between games takes no memory, and a game that is not small has its turn before it takes more.
    async fn make_room(&mut self) -> Result<(), End> {
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
        if self.buffer.len() < SMALL {
            if self.turn.take().is_some() {
                self.buffer = BytesMut::from(&self.buffer[..]);
            }
        } else if self.turn.is_none() {
            let turn = Arc::clone(&self.shared.large).acquire_owned();
            let turn = tokio::select! {
                turn = turn => turn,
                () = self.shared.stop.cancelled() => return Err(End::Reason(Reason::Stopping)),
            };
            self.turn = Some(turn.map_err(|_| End::Gone)?);
            // At once what it may come to: growing by doubling may need three times as much while it copies.
            let limit = self.shared.settings.game_limit() as usize + READ;
            self.buffer.reserve(limit.saturating_sub(self.buffer.len()));
        }
        Ok(())
    }

    /// Waits for the client. 0 is its end.
    async fn fill(&mut self) -> Result<usize, End> {
        loop {
            let has_begun = !self.buffer.is_empty();
            let (left, late) = self.patience.left(has_begun);
            let begun = Instant::now();
            tokio::select! {
                biased;
                () = self.shared.stop.cancelled() => return Err(End::Reason(Reason::Stopping)),
                () = self.answers.closed() => return Err(End::Gone),
                ready = timeout(left, self.read.readable()) => match ready {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return Err(End::Gone),
                    Err(_) => return Err(End::Reason(late)),
                },
            }
            self.patience.waited(begun.elapsed(), has_begun);
            // Not before there is something: most connections wait most of the time.
            if self.turn.is_none() {
                self.buffer.reserve(READ);
            }
            match self.read.try_read_buf(&mut self.buffer) {
                Ok(len) => {
                    self.shared.metrics.read(len);
                    return Ok(len);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return Err(End::Gone),
            }
        }
    }

    async fn take(&mut self, frame: Frame) -> Result<(), End> {
        match frame {
            Frame::Game(game) => self.game(game).await,
            Frame::Problem(problem) => {
                let kind = problem.kind();
                if kind == ProblemKind::LimitGame {
                    self.patience.game_is_over();
                }
                // The game that the stream's end cuts off comes next, and tells of both itself.
                let comes_again = matches!(kind, ProblemKind::UnexpectedEof | ProblemKind::UnclosedTree);
                if comes_again || !kind.skips() && kind != ProblemKind::LimitProblems {
                    return Ok(());
                }
                let place = Place { position: problem.position(), length: problem.span().len() };
                self.answer(Answer::problem(&problem, place)).await
            }
        }
    }

    async fn game(&mut self, game: Game) -> Result<(), End> {
        self.patience.game_is_over();
        self.games += 1;
        let mut memory = self.memory(game.bytes.len()).await?;
        let place = Place { position: game.position, length: game.bytes.len() as u64 };
        let arrival = Arrival { game: &game, peer: self.peer, number: self.games };
        let (entry, problems) = match self.shared.reader.read(&arrival) {
            Ok(Read::Whole { entry, problems }) => (entry, problems),
            Ok(Read::Refused(problem)) => return self.answer(Answer::problem(&problem, place)).await,
            Err(error) => {
                tracing::error!(peer = %self.peer, %error, "a game could not be read");
                return self.answer(Answer::reason(Reason::NotStored, place)).await;
            }
        };
        drop(game);
        let unneeded = memory.num_permits().saturating_sub(entry.row.len() + ENTRY);
        if memory.num_permits() > 1 {
            drop(memory.split(unneeded));
        }
        let id = entry.id;
        let (stored, is_stored) = oneshot::channel();
        if self.shared.jobs.send(Job { entry, memory, stored }).await.is_err() {
            return self.answer(Answer::reason(Reason::NotStored, place)).await;
        }
        self.send(Pending::Game { id, place, problems, is_stored }).await
    }

    /// What the row of a game may take.
    async fn memory(&mut self, len: usize) -> Result<OwnedSemaphorePermit, End> {
        let memory = if len <= SMALL {
            // Six bytes for each of a control character in a text, and two for each in the game itself.
            Arc::clone(&self.shared.queue).acquire_many_owned((ENTRY + 2_048 + 8 * len) as u32).await
        } else if let Some(turn) = self.turn.take() {
            Ok(turn)
        } else {
            Arc::clone(&self.shared.large).acquire_owned().await
        };
        memory.map_err(|_| End::Gone)
    }

    /// The last thing that is said, if it is not the client's end: what has come of a game is not stored.
    async fn last(&mut self, reason: Reason) -> Result<(), End> {
        if matches!(reason, Reason::Token) {
            return self.answer(Answer::reason(reason, Place::START)).await;
        }
        let mut place = None;
        while let Some(frame) = self.last_frame()? {
            match frame {
                Frame::Game(game) => place = Some(Place { position: game.position, length: game.bytes.len() as u64 }),
                Frame::Problem(problem) => self.take(Frame::Problem(problem)).await?,
            }
        }
        let place = place.unwrap_or(Place { position: self.decoder.position(), length: 0 });
        self.answer(Answer::reason(reason, place)).await
    }

    async fn answer(&mut self, answer: Answer) -> Result<(), End> {
        self.send(Pending::Ready(answer)).await
    }

    async fn send(&mut self, pending: Pending) -> Result<(), End> {
        self.answers.send(pending).await.map_err(|_| End::Gone)
    }
}

/// What a row takes beside its bytes.
const ENTRY: usize = 256;
