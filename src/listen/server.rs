//! Who may connect, and how the service stops.
//!
//! Owns the loop that accepts, the caps on connections, and the order in which a service stops: it takes no more
//! connections, what has come is stored and acknowledged, and the store ends.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::listen::answer::{Answer, Place, Reason};
use crate::listen::connection::{self, Shared};
use crate::listen::metrics::Metrics;
use crate::listen::throttle::LogThrottle;
use crate::listen::{Settings, SettingsError, Store, commit};

/// Why a service did not run, or not to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The settings are not usable.
    Settings(SettingsError),
    /// The operating system refused something, or the store could not be [closed](Store::close).
    Io(io::Error),
    /// Connections or the store took longer to end than the [grace](Settings::grace). Nothing that was acknowledged is lost.
    Unfinished,
    /// The store has panicked. Nothing that was acknowledged is lost.
    Store,
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
            Self::Store => f.write_str("the store has stopped; what was acknowledged is stored"),
            Self::Unfinished => f.write_str("not everything ended in time; what was acknowledged is stored"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Their texts are in the text.
            Self::Settings(error) => error.source(),
            Self::Io(error) => error.source(),
            Self::Unfinished | Self::Store => None,
        }
    }
}

impl From<SettingsError> for ServeError {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// How many clients may be waited for at the same time so that they receive their refusal. The others are told and
/// closed at once, and may miss it if they are sending.
const TURNED_AWAY: usize = 64;

/// How much is read from a client that is closed at once, in pieces of 4 KiB.
const READS: usize = 16;

/// How long to wait if a connection cannot be accepted because there are no more file descriptors.
const RETRY: Duration = Duration::from_millis(100);

/// Takes games from everyone who connects until `stop` is ready. After that it stores and acknowledges what has come,
/// and returns.
///
/// Dropping the future closes all connections at once; what was acknowledged is stored. A thread that reads a game over 64 KiB
/// at that moment reads it to its end, which a runtime that is dropped waits for.
///
/// # Errors
///
/// [`ServeError::Settings`] if the settings are not usable, or if there is no token and the listener is not on
/// loopback. [`ServeError::Io`] if the listener's address can't be asked for, the thread of the store can't be started, or the
/// store can't be [closed](Store::close). [`ServeError::Store`] if the store has panicked. [`ServeError::Unfinished`] if stopping
/// took too long.
///
/// # Panics
///
/// Outside of a tokio runtime with IO and time.
pub async fn serve(
    listener: TcpListener,
    store: impl Store,
    settings: Settings,
    metrics: Arc<Metrics>,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let _serving = metrics.serving();
    let plan = settings.plan()?;
    let address = listener.local_addr()?;
    settings.check_address(address)?;
    let memory_mib = settings.memory >> 20;
    let (jobs, mut stored) = commit::start(store, Arc::clone(&metrics))?;
    let stopping = CancellationToken::new();
    // Connections end with this future, however it ends.
    let _guard = stopping.clone().drop_guard();
    let mut acceptor = Acceptor::new(Shared::new(settings, plan, Arc::clone(&metrics), jobs, stopping));
    tracing::info!(%address, memory_mib, "listening");
    let end = acceptor.run(listener, stop, &mut stored).await;
    metrics.stopping();
    let result = acceptor.close(end, stored).await;
    tracing::info!(stored = metrics.games_stored(), repeated = metrics.games_repeated(), "stopped");
    result
}

/// Tells how the store was closed; dropped if it has panicked.
type Stored = oneshot::Receiver<io::Result<()>>;

/// Why nobody is accepted any more.
#[derive(Clone, Copy)]
enum End {
    Asked,
    StoreHasStopped,
}

/// What the log calls the limits.
const CONNECTIONS: &str = "connections";
const FROM_ONE_ADDRESS: &str = "connections from one address";

/// All open connections. They end when this is dropped.
struct Acceptor {
    shared: Arc<Shared>,
    connections: JoinSet<()>,
    addresses: HashMap<Id, IpAddr>,
    by_address: HashMap<IpAddr, usize>,
    /// Those that are told that there is no room for them.
    turned_away: JoinSet<()>,
    /// What the log says of these, for each of the limits.
    too_many: LogThrottle,
    too_many_from_one_address: LogThrottle,
}

impl Acceptor {
    fn new(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
            connections: JoinSet::new(),
            addresses: HashMap::new(),
            by_address: HashMap::new(),
            turned_away: JoinSet::new(),
            too_many: LogThrottle::default(),
            too_many_from_one_address: LogThrottle::default(),
        }
    }

    /// Accepts connections until `stop` is ready or the store is gone.
    async fn run(&mut self, listener: TcpListener, stop: impl Future<Output = ()>, stored: &mut Stored) -> End {
        // Why nobody can be accepted is reported once, and not every time it is tried again.
        let mut is_reported = false;
        tokio::pin!(stop);
        loop {
            tokio::select! {
                biased;
                () = &mut stop => return End::Asked,
                _ = &mut *stored => {
                    tracing::error!("the store has stopped");
                    return End::StoreHasStopped;
                }
                Some(ended) = self.connections.join_next_with_id() => self.ended(ended),
                Some(_) = self.turned_away.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        is_reported = false;
                        self.accept(stream, peer);
                    }
                    Err(error) => {
                        if !std::mem::replace(&mut is_reported, true) {
                            tracing::warn!(%error, "no connection could be accepted");
                        }
                        sleep(RETRY).await;
                    }
                },
            }
        }
    }

    /// Stops all connections and waits until they and the store have ended, for as long as the grace allows.
    async fn close(mut self, end: End, stored: Stored) -> Result<(), ServeError> {
        let grace = self.shared.settings.grace;
        self.shared.stop.cancel();
        tracing::info!(connections = self.connections.len(), "stopping");
        let begun = Instant::now();
        let all_ended = timeout(grace, async {
            while let Some(ended) = self.connections.join_next_with_id().await {
                self.ended(ended);
            }
        });
        let have_ended = all_ended.await.is_ok();
        self.connections.shutdown().await;
        // The store's thread ends when nobody can send to it any more.
        drop(self);
        if matches!(end, End::StoreHasStopped) {
            return Err(ServeError::Store);
        }
        let rest = grace.saturating_sub(begun.elapsed()).max(RETRY);
        match timeout(rest, stored).await {
            Ok(Ok(Ok(()))) if have_ended => Ok(()),
            Ok(Ok(Ok(()))) | Err(_) => Err(ServeError::Unfinished),
            Ok(Ok(Err(error))) => Err(ServeError::Io(error)),
            Ok(Err(_)) => Err(ServeError::Store),
        }
    }

    fn accept(&mut self, stream: TcpStream, mut peer: SocketAddr) {
        let settings = &self.shared.settings;
        // Behind a listener for both, one of IPv4 looks like one of IPv6.
        let address = peer.ip().to_canonical();
        peer.set_ip(address);
        let from_there = self.by_address.get(&address).copied().unwrap_or(0);
        let exceeded = if self.connections.len() >= settings.connections {
            Some((CONNECTIONS, &mut self.too_many))
        } else if settings.connections_per_address.is_some_and(|most| from_there >= most) {
            Some((FROM_ONE_ADDRESS, &mut self.too_many_from_one_address))
        } else {
            None
        };
        let now = std::time::Instant::now();
        if let Some((limit, log)) = exceeded {
            if let Some(clients) = log.again(1, now) {
                tracing::warn!(limit, clients, %peer, "turned away: there are as many connections as are allowed");
            }
            return self.turn_away(stream, peer);
        }
        for (limit, log) in [(CONNECTIONS, &mut self.too_many), (FROM_ONE_ADDRESS, &mut self.too_many_from_one_address)]
        {
            if log.is_quiet(now)
                && let Some(clients) = log.end()
            {
                tracing::warn!(limit, clients, "nobody was turned away for a minute");
            }
        }
        let shared = Arc::clone(&self.shared);
        let task = self.connections.spawn(async move { connection::run(stream, peer, &shared).await });
        self.addresses.insert(task.id(), address);
        *self.by_address.entry(address).or_default() += 1;
    }

    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                if error.is_panic() {
                    tracing::error!(%error, "a connection panicked");
                }
                error.id()
            }
        };
        if let Some(address) = self.addresses.remove(&id)
            && let Some(count) = self.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }

    /// Sends a refusal, so that the client knows to come again and does not wait for ever.
    fn turn_away(&mut self, mut stream: TcpStream, peer: SocketAddr) {
        tracing::debug!(%peer, "turned away");
        self.shared.metrics.refused(Reason::Connections.text().0);
        let mut line = Vec::new();
        if Answer::reason(Reason::Connections, Place::START).write(&mut line).is_err() {
            return;
        }
        if self.turned_away.len() >= TURNED_AWAY {
            return refuse_at_once(stream, &line);
        }
        self.turned_away.spawn(async move {
            let (mut read, mut write) = stream.split();
            if matches!(timeout(Duration::from_secs(1), write.write_all(&line)).await, Ok(Ok(()))) {
                connection::linger(&mut read, &mut write, connection::LINGER).await;
            }
        });
    }
}

/// Sends a last line without waiting for anything, since a new connection has room for it. What the client has sent so
/// far is read; otherwise the system would take the line back.
fn refuse_at_once(stream: TcpStream, line: &[u8]) {
    // Tokio does not know yet whether it is ready, because nothing has asked.
    let Ok(mut stream) = stream.into_std() else { return };
    if stream.write_all(line).and_then(|()| stream.shutdown(Shutdown::Write)).is_ok() {
        let mut rest = [0; 4 << 10];
        for _ in 0..READS {
            if !matches!(stream.read(&mut rest), Ok(1..)) {
                break;
            }
        }
    }
}
