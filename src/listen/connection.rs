//! One connection: games in.
//!
//! Owns the way from the socket to the store, how far a client may get ahead of it, and how a connection ends. What
//! goes back is written by [`answers`], in the same task.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{BufMut, BytesMut};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};
use tokio_util::codec::Decoder;
use tokio_util::sync::CancellationToken;

use crate::listen::answer::{Answer, Place, Reason, Stream};
use crate::listen::answers::{self, Pending};
use crate::listen::budget::{Budget, Reservation};
use crate::listen::commit::Job;
use crate::listen::game::{Arrival, GameReader, Read};
use crate::listen::metrics::Metrics;
use crate::listen::readers::Readers;
use crate::listen::settings::{ENTRY, Plan, READ, SMALL, row_units};
use crate::listen::timeouts::Timeouts;
use crate::listen::{Settings, Token};
use crate::read::{Frame, Game, GameDecoder};
use crate::syntax::ProblemKind;

/// How many answers may be due to a client before nothing more is read from it.
const WINDOW: usize = 256;

/// How many bytes may be held back until it is clear whether the stream is UTF-16 or the like.
const HELD: usize = 4;

/// How long a client may take to send its token.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The least time to wait for a client.
const MIN_WAIT: Duration = Duration::from_millis(100);

/// How long everything that a client still sends is read and discarded before its connection is closed. Otherwise the
/// system would take back the answers on their way.
pub(super) const LINGER: Duration = Duration::from_secs(2);

/// What all connections have in common.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) metrics: Arc<Metrics>,
    pub(super) jobs: mpsc::Sender<Job>,
    pub(super) stop: CancellationToken,
    readers: Readers,
    /// Memory for rows, in [units](row_units).
    queue: Arc<Semaphore>,
    /// Memory for games over [`SMALL`] until they are rows.
    budget: Arc<Budget>,
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
            readers: Readers::new(GameReader::new(&settings)),
            queue: Arc::new(Semaphore::new(plan.queue as usize)),
            budget: Arc::new(Budget::new(plan.budget, plan.largest)),
            settings,
            metrics,
            jobs,
            stop,
        }
    }

    /// How long a client that does nothing is waited for at the end: none is a reason to stop late.
    pub(super) fn linger(&self) -> Duration {
        LINGER.min(self.settings.grace / 2)
    }
}

/// Why nothing more is read.
enum End {
    /// The client has ended the stream.
    Complete,
    /// The client is gone.
    Gone,
    /// The client is told this.
    Reason(Reason),
}

/// Serves a connection to its end.
pub(super) async fn run(mut stream: TcpStream, peer: SocketAddr, shared: &Shared) {
    let _opened = shared.metrics.opened();
    // Answers are small, and the client waits for them. Where this fails, they come a little later.
    let _ = stream.set_nodelay(true);
    let (read, mut write) = stream.split();
    let (answers, waiting) = mpsc::channel(WINDOW);
    let unstored = AtomicUsize::new(0);
    let incoming = Incoming::new(read, peer, shared, answers, &unstored);
    let lines_out = answers::write(&mut write, waiting, shared, &unstored);
    let ((end, games, mut read), written) = tokio::join!(incoming.run(), lines_out);
    let (end, last) = match end {
        _ if written.is_unread => ("unread", None),
        End::Complete => ("end", None),
        End::Gone => ("gone", None),
        End::Reason(reason) => (reason.text().0, Some(reason)),
    };
    tracing::info!(%peer, games, accepted = written.accepted, refused = written.refused, end, "connection closed");
    if last.is_some() && written.is_complete {
        linger(&mut read, &mut write, shared.linger()).await;
    }
}

/// Says goodbye to a client that may still be sending.
pub(super) async fn linger(read: &mut ReadHalf<'_>, write: &mut WriteHalf<'_>, time: Duration) {
    let _ = timeout(time, async {
        if write.shutdown().await.is_ok() {
            let mut rest = vec![0; READ];
            while read.readable().await.is_ok() {
                match read.try_read(&mut rest) {
                    Ok(0) => break,
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => break,
                    // Without this, the time would only be checked once there is nothing to read.
                    _ => yield_now().await,
                }
            }
        }
    })
    .await;
}

/// A game that was read.
struct Arrived {
    place: Place,
    /// For its row.
    memory: OwnedSemaphorePermit,
    read: io::Result<Read>,
}

impl Arrived {
    /// Whether it may end where it seems to end.
    fn makes_sense(&self) -> bool {
        !matches!(self.read, Ok(Read::Whole { makes_sense: false, .. }))
    }
}

struct Incoming<'a> {
    socket: ReadHalf<'a>,
    peer: SocketAddr,
    shared: &'a Shared,
    answers: mpsc::Sender<Pending>,
    decoder: GameDecoder,
    buffer: BytesMut,
    timeouts: Timeouts,
    /// The memory that a game over [`SMALL`] needs.
    reservation: Option<Reservation>,
    /// Games that the store does not have yet.
    unstored: &'a AtomicUsize,
    /// Games so far.
    games: u64,
    stream: Stream,
}

impl<'a> Incoming<'a> {
    fn new(
        socket: ReadHalf<'a>,
        peer: SocketAddr,
        shared: &'a Shared,
        answers: mpsc::Sender<Pending>,
        unstored: &'a AtomicUsize,
    ) -> Self {
        let settings = &shared.settings;
        Self {
            socket,
            peer,
            shared,
            answers,
            decoder: GameDecoder::with_config(settings.config.clone().strict(false)),
            buffer: BytesMut::new(),
            timeouts: Timeouts::new(settings.idle, settings.game_time, Instant::now()),
            reservation: None,
            unstored,
            games: 0,
            stream: Stream::GoesOn,
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
            return (End::Gone, self.games, self.socket);
        }
        (end, self.games, self.socket)
    }

    /// Reads until the client has ended the stream.
    async fn all(&mut self) -> Result<(), End> {
        if let Some(token) = &self.shared.settings.token {
            let shown = timeout(HANDSHAKE, self.token(token)).await.unwrap_or(Err(End::Reason(Reason::NoToken)));
            // The part of the token that has come is no SGF.
            shown.inspect_err(|_| self.buffer.clear())?;
        }
        loop {
            while let Some(frame) = self.frame()? {
                self.take(frame).await?;
            }
            self.release();
            if self.fill().await? == 0 {
                break;
            }
        }
        self.stream = Stream::HasEnded;
        while let Some(frame) = self.last_frame()? {
            self.take(frame).await?;
        }
        Ok(())
    }

    /// The first line is the token. A client that sends nothing, as those that only look whether the service is there, shows no
    /// wrong one.
    async fn token(&mut self, token: &Token) -> Result<(), End> {
        let line = loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                break self.buffer.split_to(end + 1);
            }
            // Including its line end, which may have two bytes.
            if self.buffer.len() > Token::MAX_LEN + 1 {
                return Err(End::Reason(Reason::Token));
            }
            match self.fill().await {
                Ok(0) if self.buffer.is_empty() => return Err(End::Complete),
                Ok(0) => return Err(End::Reason(Reason::Token)),
                Ok(_) => {}
                Err(End::Reason(Reason::Idle | Reason::GameTime)) => return Err(End::Reason(Reason::NoToken)),
                Err(end) => return Err(end),
            }
        };
        let given = line.strip_suffix(b"\r\n").unwrap_or(&line[..line.len() - 1]);
        if token.matches(given) { Ok(()) } else { Err(End::Reason(Reason::Token)) }
    }

    fn frame(&mut self) -> Result<Option<Frame>, End> {
        self.decoder.decode(&mut self.buffer).map_err(|_| End::Gone)
    }

    fn last_frame(&mut self) -> Result<Option<Frame>, End> {
        self.decoder.decode_eof(&mut self.buffer).map_err(|_| End::Gone)
    }

    /// Gives memory back: bytes left between games need none, and a large game needs none any more once it is over.
    fn release(&mut self) {
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
        if self.buffer.len() < SMALL && self.reservation.is_some() {
            self.buffer = BytesMut::from(&self.buffer[..]);
            self.reservation = None;
        }
    }

    /// Waits for twice the memory, and moves there. That time is the service's, not the client's.
    async fn grow(&mut self) -> Result<(), End> {
        let reservation = self.reservation.get_or_insert_with(|| Reservation::new(&self.shared.budget));
        let most = (self.shared.settings.game_limit() as usize).saturating_add(READ);
        let size = (2 * reservation.buffer().max(SMALL)).min(most).max(self.buffer.len() + 1);
        let begun = Instant::now();
        let is_granted = tokio::select! {
            is_granted = reservation.grow(size) => is_granted,
            () = self.shared.stop.cancelled() => return Err(End::Reason(Reason::Stopping)),
        };
        if is_granted {
            let buffer = std::mem::take(&mut self.buffer);
            self.buffer = self.shared.readers.enlarge(buffer, size).await.map_err(|_| End::Gone)?;
        }
        self.timeouts.exclude(begun.elapsed());
        if is_granted { Ok(()) } else { Err(End::Reason(Reason::Busy)) }
    }

    /// Waits for bytes from the client; 0 is the end of the stream.
    async fn fill(&mut self) -> Result<usize, End> {
        loop {
            self.wait().await?;
            // Memory is taken only once there is something to read: most connections wait most of the time.
            if self.buffer.len() >= self.reservation.as_ref().map_or(SMALL, Reservation::buffer) {
                self.grow().await?;
            }
            let most = if let Some(reservation) = &self.reservation {
                (reservation.buffer() - self.buffer.len()).min(SMALL)
            } else {
                self.buffer.reserve(READ);
                READ
            };
            match self.socket.try_read_buf(&mut (&mut self.buffer).limit(most)) {
                Ok(len) => {
                    self.shared.metrics.read(len);
                    if let Some(reservation) = &mut self.reservation {
                        reservation.rate.brought(len);
                    }
                    // A socket that is always ready would hold up the answers, which are in the same task, and all
                    // other connections.
                    yield_now().await;
                    return Ok(len);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Err(End::Gone),
            }
        }
    }

    /// Waits until there is something to read, as long as the client may take.
    async fn wait(&mut self) -> Result<(), End> {
        // A line end alone is no game, but is held back, too, at the beginning.
        let has_begun = self.buffer.len() > HELD || self.buffer.contains(&b'(');
        self.timeouts.advance(Instant::now(), has_begun);
        loop {
            let (mut left, late) = self.timeouts.remaining(has_begun);
            if left.is_zero() {
                if self.unstored.load(Ordering::Relaxed) == 0 {
                    return Err(End::Reason(late));
                }
                // The client may be waiting for its answers, which are late themselves.
                self.timeouts.game_is_over(Instant::now());
                left = MIN_WAIT;
            }
            if let Some(reservation) = &self.reservation {
                left = left.min(reservation.rate.left());
            }
            let ready = tokio::select! {
                biased;
                () = self.shared.stop.cancelled() => return Err(End::Reason(Reason::Stopping)),
                () = self.answers.closed() => return Err(End::Gone),
                ready = timeout(left, self.socket.readable()) => ready,
            };
            let waited = self.timeouts.advance(Instant::now(), has_begun);
            if let Some(reservation) = &mut self.reservation {
                reservation.rate.waited(waited);
                if reservation.has_to_yield() {
                    return Err(End::Reason(Reason::Busy));
                }
            }
            match ready {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(_)) => return Err(End::Gone),
                Err(_) => {}
            }
        }
    }

    async fn take(&mut self, frame: Frame) -> Result<(), End> {
        match frame {
            Frame::Game(game) => {
                let arrived = self.read(game).await?;
                self.store(arrived).await
            }
            Frame::Problem(problem) => {
                self.release();
                let kind = problem.kind();
                if kind == ProblemKind::LimitGame {
                    self.timeouts.game_is_given_up();
                }
                // The game that the stream's end cuts off comes next, and reports both itself.
                let comes_again = matches!(kind, ProblemKind::UnexpectedEof | ProblemKind::UnclosedTree);
                if comes_again || !kind.skips() && kind != ProblemKind::LimitProblems {
                    return Ok(());
                }
                let place = Place { position: problem.position(), length: problem.span().len() };
                self.answer(Answer::problem(&problem, place, self.stream)).await
            }
        }
    }

    /// Reads a game, once there is memory for its row. That time is the service's, not the client's.
    async fn read(&mut self, game: Game) -> Result<Arrived, End> {
        self.timeouts.game_is_over(Instant::now());
        self.games += 1;
        if let Some(reservation) = &mut self.reservation {
            reservation.game_has_ended();
        }
        let memory = self.memory(game.bytes.len()).await?;
        let place = Place { position: game.position, length: game.bytes.len() as u64 };
        let begun = Instant::now();
        let read = self.shared.readers.read(Arrival { game, peer: self.peer, number: self.games }).await;
        self.timeouts.exclude(begun.elapsed());
        self.release();
        Ok(Arrived { place, memory, read })
    }

    /// Sends a game to the store, or its refusal to the client.
    async fn store(&mut self, Arrived { place, mut memory, read }: Arrived) -> Result<(), End> {
        let (entry, problems) = match read {
            Ok(Read::Whole { entry, problems, .. }) => (entry, problems),
            Ok(Read::Refused(problem)) => {
                return self.answer(Answer::problem(&problem, place, self.stream)).await;
            }
            Err(error) => {
                tracing::error!(peer = %self.peer, %error, "a game could not be read");
                return self.answer(Answer::reason(Reason::NotStored, place)).await;
            }
        };
        let needed = row_units((entry.row.len() + ENTRY) as u64) as usize;
        drop(memory.split(memory.num_permits().saturating_sub(needed)));
        let id = entry.id;
        let (stored, is_stored) = oneshot::channel();
        let begun = Instant::now();
        let sent = self.shared.jobs.send(Job { entry, memory, stored }).await;
        self.timeouts.exclude(begun.elapsed());
        if sent.is_err() {
            return self.answer(Answer::reason(Reason::NotStored, place)).await;
        }
        self.unstored.fetch_add(1, Ordering::Relaxed);
        self.send(Pending::Game { id, place, problems, is_stored }).await
    }

    /// Takes the memory that the row of a game may need.
    async fn memory(&mut self, len: usize) -> Result<OwnedSemaphorePermit, End> {
        let row = row_units(self.shared.settings.row(len as u64));
        let begun = Instant::now();
        let memory = Arc::clone(&self.shared.queue).acquire_many_owned(row).await;
        self.timeouts.exclude(begun.elapsed());
        memory.map_err(|_| End::Gone)
    }

    /// Sends the last answer, if the end is not the client's: what has come of a game is not stored. But a client that has
    /// fallen silent may be waiting for the answer to a whole game whose last text could go on, depending on what comes
    /// next. Nothing comes next, so it is stored, as if the client had closed its half; refused, it would be sent again and
    /// again.
    async fn last(&mut self, reason: Reason) -> Result<(), End> {
        if matches!(reason, Reason::Token | Reason::NoToken) {
            return self.answer(Answer::reason(reason, Place::START)).await;
        }
        self.stream = Stream::HasEnded;
        let mut place = None;
        let mut problems = Vec::new();
        let mut is_cut = false;
        let mut frames = Vec::new();
        while let Some(frame) = self.last_frame()? {
            frames.push(frame);
        }
        let is_something = |frame: &Frame| !matches!(frame, Frame::Problem(problem) if !problem.kind().skips());
        let last = frames.iter().rposition(is_something);
        for (at, frame) in frames.into_iter().enumerate() {
            match frame {
                Frame::Game(game) if reason == Reason::GameTime && !is_cut => {
                    let arrived = self.read(game).await?;
                    // If something has come behind its end, that may be inside of a text.
                    if Some(at) == last || arrived.makes_sense() {
                        place = None;
                        self.store(arrived).await?;
                    } else {
                        place = Some(arrived.place);
                    }
                }
                Frame::Game(game) => place = Some(Place { position: game.position, length: game.bytes.len() as u64 }),
                Frame::Problem(problem) => {
                    is_cut |= matches!(problem.kind(), ProblemKind::UnexpectedEof | ProblemKind::UnclosedTree);
                    problems.push(problem);
                }
            }
        }
        // Others may be waiting for the memory, and the client need not read what comes now.
        (self.buffer, self.reservation) = (BytesMut::new(), None);
        for problem in problems {
            self.take(Frame::Problem(problem)).await?;
        }
        let place = place.unwrap_or(Place { position: self.decoder.position(), length: 0 });
        self.answer(Answer::reason(reason, place)).await
    }

    async fn answer(&mut self, answer: Answer) -> Result<(), End> {
        self.send(Pending::Ready(answer)).await
    }

    async fn send(&mut self, pending: Pending) -> Result<(), End> {
        let begun = Instant::now();
        let sent = self.answers.send(pending).await;
        self.timeouts.exclude(begun.elapsed());
        sent.map_err(|_| End::Gone)
    }
}
