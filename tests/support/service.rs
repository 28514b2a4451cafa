//! A service on its own port, and clients for it.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;
use sgf_stream::listen::{Entry, GameId, Metrics, ServeError, Settings, Store, monitor, serve};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::support::scratch::folder;

/// Longer than anything takes that works.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Settings with short timeouts.
pub(crate) fn quick() -> Settings {
    let mut settings = Settings::new();
    settings.idle = Duration::from_secs(2);
    settings.game_time = Duration::from_secs(2);
    settings.grace = Duration::from_secs(3);
    settings
}

pub(crate) type Rows = Arc<Mutex<Vec<Value>>>;

struct Memory {
    rows: Rows,
    ids: HashSet<GameId>,
}

impl Store for Memory {
    fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        let mut rows = self.rows.lock().unwrap();
        let mut is_new = Vec::new();
        for entry in batch {
            let new = self.ids.insert(entry.id);
            if new {
                let row: Value = serde_json::from_slice(&entry.row).expect("a row is JSON");
                assert_eq!(row["id"].as_str().and_then(|id| id.parse::<GameId>().ok()), Some(entry.id));
                assert_eq!(entry.row.iter().position(|&byte| byte == b'\n'), Some(entry.row.len() - 1));
                rows.push(row);
            }
            is_new.push(new);
        }
        Ok(is_new)
    }
}

/// A store in memory, and its rows.
pub(crate) fn memory() -> (impl Store, Rows) {
    let rows = Rows::default();
    (Memory { rows: Arc::clone(&rows), ids: HashSet::new() }, rows)
}

/// An empty directory of this test's own.
#[track_caller]
pub(crate) fn scratch(name: &str) -> PathBuf {
    folder("listen", name)
}

/// Asserts that something takes less than this in one of five attempts: other programs may slow it down in the others.
#[track_caller]
pub(crate) fn takes_less_than(limit: Duration, mut attempt: impl FnMut() -> Duration) {
    let mut times = Vec::new();
    while times.last().is_none_or(|time| *time >= limit) {
        assert!(times.len() < 5, "{times:?} is not less than {limit:?}");
        times.push(attempt());
    }
}

/// Lets this process have as many files open as it may: some tests have hundreds of connections with both ends here, while of
/// macOS a program gets 256 unless it asks for more.
fn allow_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let limit = getrlimit(Resource::Nofile);
        // More than the system has for each process is refused, even where there is no limit.
        let most = limit.maximum.map_or(8_192, |most| most.min(8_192));
        if limit.current.is_some_and(|current| current < most) {
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: limit.maximum });
        }
    }
}

pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    pub(crate) monitor: SocketAddr,
    pub(crate) metrics: Arc<Metrics>,
    stop: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Service {
    pub(crate) fn start(store: impl Store, settings: Settings) -> Self {
        Self::start_on("127.0.0.1:0", store, settings)
    }

    pub(crate) fn start_on(address: &'static str, store: impl Store, settings: Settings) -> Self {
        allow_open_files();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let bind = async |address| {
            let listener = TcpListener::bind(address).await.unwrap();
            let address = listener.local_addr().unwrap();
            (listener, address)
        };
        let (listener, address) = runtime.block_on(bind(address));
        let (pages, monitor_address) = runtime.block_on(bind("127.0.0.1:0"));
        let metrics = Arc::new(Metrics::new());
        let (stop, stopped) = oneshot::channel();
        let counted = Arc::clone(&metrics);
        let running = thread::spawn(move || {
            runtime.spawn(monitor(pages, Arc::clone(&counted)));
            let result = runtime.block_on(serve(listener, store, settings, counted, async {
                let _ = stopped.await;
            }));
            runtime.shutdown_background();
            result
        });
        Self { address, monitor: monitor_address, metrics, stop: Some(stop), running: Some(running) }
    }

    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        Client(stream)
    }

    /// Sends bytes, and returns all answers.
    pub(crate) fn talk(&self, bytes: &[u8]) -> Vec<Value> {
        let mut client = self.connect();
        // If the service closes the connection early, it sends the reason first.
        let _ = client.0.write_all(bytes);
        client.end();
        client.rest()
    }

    /// Begins a request and leaves it unfinished.
    pub(crate) fn begin_get(&self) -> TcpStream {
        let mut stream = TcpStream::connect(self.monitor).unwrap();
        write!(stream, "GET /hea").unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.monitor).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn stop(self) -> Result<(), ServeError> {
        self.begin_stop().join().unwrap()
    }

    /// Asks the service to stop, without waiting for it.
    pub(crate) fn begin_stop(mut self) -> JoinHandle<Result<(), ServeError>> {
        drop(self.stop.take());
        self.running.take().expect("it runs")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(running) = self.running.take()
            && !thread::panicking()
        {
            let _ = running.join();
        }
    }
}

pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// Ends the stream.
    pub(crate) fn end(&self) {
        let _ = self.0.shutdown(Shutdown::Write);
    }

    /// The next line. Does not read beyond it.
    #[track_caller]
    pub(crate) fn line(&mut self) -> Value {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.last() != Some(&b'\n') {
            self.0.read_exact(&mut byte).expect("a line in time");
            line.extend(byte);
        }
        serde_json::from_slice(&line).expect("a line of JSON")
    }

    /// All lines up to the end of the stream.
    #[track_caller]
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let lines = BufReader::new(&self.0).lines();
        lines.map_while(Result::ok).map(|line| serde_json::from_str(&line).expect("a line of JSON")).collect()
    }

    /// Whether nothing has arrived.
    pub(crate) fn is_silent(&self) -> bool {
        self.0.set_nonblocking(true).unwrap();
        let peeked = self.0.peek(&mut [0]);
        self.0.set_nonblocking(false).unwrap();
        matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }
}
