//! The service as a process: starting, killing and stopping it, and the store that makes trouble.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sgf_stream::listen::{Entry, Metrics, NdjsonFile, Settings, Store, serve as listen};
use tokio::net::TcpListener;

/// The service's current address.
pub(crate) type Address = Arc<Mutex<Option<SocketAddr>>>;

/// How many bytes of memory the service may use for clients.
pub(crate) const MEMORY: u64 = 384 << 20;

/// How writes behave.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Disk {
    Free,
    /// The file can grow by this many bytes.
    Full {
        more: u64,
    },
}

pub(crate) struct Process {
    child: Child,
    log: JoinHandle<String>,
}

pub(crate) struct Stopped {
    pub(crate) is_success: bool,
    pub(crate) log: String,
}

impl Process {
    pub(crate) fn start(file: &Path, address: &Address, disk: Disk) -> Result<Self, Box<dyn Error>> {
        let program = std::env::current_exe()?;
        let mut command = match disk {
            Disk::Free => Command::new(program),
            Disk::Full { more } => {
                // With its signal ignored, a write over the limit fails with EFBIG, as it does on a full disk with ENOSPC.
                let blocks = (fs::metadata(file)?.len() + more) / 512;
                let mut shell = Command::new("sh");
                let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
                shell.arg("-c").arg(script).arg(program);
                shell
            }
        };
        command.arg("serve").arg(file).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut first = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut first)?;
        }
        let mut errors = child.stderr.take().ok_or("a pipe")?;
        let log = thread::spawn(move || {
            let mut log = String::new();
            // Bytes that are not text end the log.
            let _ = errors.read_to_string(&mut log);
            log
        });
        *address.lock().map_err(|_| "poisoned")? = Some(first.trim().parse().map_err(|_| "the service did not start")?);
        Ok(Self { child, log })
    }

    /// How many bytes of memory it uses now.
    pub(crate) fn memory(&self) -> u64 {
        let statm = fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap_or_default();
        statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
    }

    /// SIGKILL.
    pub(crate) fn kill(mut self) -> Result<String, Box<dyn Error>> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(self.log.join().unwrap_or_default())
    }

    pub(crate) fn terminate(mut self) -> Result<Stopped, Box<dyn Error>> {
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        let is_success = self.child.wait()?.success();
        Ok(Stopped { is_success, log: self.log.join().unwrap_or_default() })
    }
}

/// A store that fails with its third batch and every 30th after that, and stalls with every 40th. On a slow machine a run has
/// few batches, and one of them must fail.
struct Troubled {
    file: Box<dyn Store>,
    batches: u64,
}

impl Store for Troubled {
    fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        self.batches += 1;
        if self.batches.is_multiple_of(40) {
            thread::sleep(Duration::from_millis(500));
        }
        if self.batches % 30 == 3 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.commit(batch)
    }
}

fn open(path: &Path) -> io::Result<Box<dyn Store>> {
    #[cfg(feature = "index")]
    if crate::is_database(path) {
        return Ok(Box::new(sgf_stream::listen::SqliteFile::open(path)?.0));
    }
    Ok(Box::new(NdjsonFile::open(path)?.0))
}

/// The process itself: `soak serve FILE`.
pub(crate) fn serve(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let file = args.next().ok_or("which file?")?;
    let file = open(Path::new(&file))?;
    let mut settings = Settings::new();
    settings.keep_games = true;
    settings.idle = Duration::from_secs(3);
    settings.game_time = Duration::from_secs(3);
    settings.memory = MEMORY;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(io::stdout(), "{}", listener.local_addr()?)?;
        #[cfg(unix)]
        let stop = {
            let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
            async move {
                terminate.recv().await;
            }
        };
        // It is not for other systems, but `cargo test` builds it.
        #[cfg(not(unix))]
        let stop = std::future::pending();
        listen(listener, Troubled { file, batches: 0 }, settings, Arc::new(Metrics::new()), stop).await?;
        Ok(())
    })
}
