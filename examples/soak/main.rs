//! Puts load and failures on `sgf_stream::listen`, and counts afterwards.
//!
//! ```sh
//! cargo run --release --features listen --example soak -- --clients 300 --seconds 180
//! ```
//!
//! With the feature `index` and `--to games.sqlite` the store is a database.
//!
//! It starts the service as a process, with a store that stalls and fails now and then, and kills it every few seconds.
//! Meanwhile clients send. The honest ones are fast, slow, have large games, or die in the middle of a value; they resend
//! whatever was not acknowledged. The others send garbage, never end, never read, begin a large game and fall silent, or
//! flood without games. Once the disk is full. At the end the service is stopped with SIGTERM, and the file must contain
//! every acknowledged game exactly once. It prints figures; the exit code is 1 if a promise was broken.
//!
//! For Linux: memory is read from `/proc`, and the full disk is a limit on the file's size.

mod clients;
#[path = "../../tests/support/rng.rs"]
mod rng;
mod server;
mod verdict;

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clients::{Kind, Ledger};
use server::{Address, Disk, Process};
use verdict::Figures;

/// How often the service is killed.
const LIFE: Duration = Duration::from_secs(4);

/// How long honest clients may take to finish their games at the end.
const LAST: Duration = Duration::from_secs(60);

struct Options {
    clients: usize,
    seconds: u64,
    dir: PathBuf,
    to: String,
}

/// The extension of a store decides its kind.
fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "sqlite")
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        clients: 200,
        seconds: 20,
        dir: std::env::temp_dir().join(format!("soak-{}", std::process::id())),
        to: "games.ndjson".to_owned(),
    };
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.next()) {
            ("--clients", Some(value)) => options.clients = value.parse()?,
            ("--seconds", Some(value)) => options.seconds = value.parse()?,
            ("--dir", Some(value)) => options.dir = value.into(),
            ("--to", Some(value)) => options.to = value,
            _ => {
                return Err(
                    "usage: soak [--clients N] [--seconds N] [--dir DIR] [--to games.ndjson|games.sqlite]".into()
                );
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).peekable();
    let result = if args.next_if_eq("serve").is_some() {
        server::serve(args).map(|()| true)
    } else {
        options(args).and_then(|options| run(&options))
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    std::fs::create_dir_all(&options.dir)?;
    let file = options.dir.join(&options.to);
    if is_database(&file) && !cfg!(feature = "index") {
        return Err("a database takes the feature `index`".into());
    }
    remove(&file);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let address = Address::default();
    let ledger = Arc::new(Ledger::default());
    let mut figures = Figures::default();
    let mut process = Process::start(&file, &address, Disk::Free)?;
    let tasks: Vec<_> = (0..options.clients)
        .map(|number| (Kind::of(number), runtime.spawn(clients::run(number, address.clone(), Arc::clone(&ledger)))))
        .collect();

    let begun = Instant::now();
    let end = begun + Duration::from_secs(options.seconds);
    let mut lives = 0;
    while Instant::now() < end {
        let until = (Instant::now() + LIFE).min(end);
        while Instant::now() < until {
            figures.memory(process.memory());
            std::thread::sleep(Duration::from_millis(50));
        }
        figures.log(&process.kill()?);
        lives += 1;
        // In the third life the disk has room for another 200 kB.
        let disk = if lives == 2 { Disk::Full { more: 200 << 10 } } else { Disk::Free };
        process = Process::start(&file, &address, disk)?;
    }
    // From now on the service stays alive, and honest clients finish their games.
    figures.log(&process.kill()?);
    process = Process::start(&file, &address, Disk::Free)?;
    ledger.last_round();
    let deadline = Instant::now() + LAST;
    for (kind, task) in tasks {
        if kind.is_honest() {
            figures.ended(runtime.block_on(async { tokio::time::timeout_at(deadline.into(), task).await }).is_ok());
        } else {
            task.abort();
        }
        figures.memory(process.memory());
    }
    let stopped = process.terminate()?;
    figures.log(&stopped.log);
    figures.stopped_well = stopped.is_success;
    figures.seconds = begun.elapsed().as_secs_f64();
    figures.kills = lives + 1;

    let is_fine = figures.judge(&file, &ledger, &mut io::stdout())?;
    if is_fine {
        remove(&file);
    }
    Ok(is_fine)
}

/// Removes a file, and the files that a database keeps beside it.
fn remove(file: &Path) {
    for beside in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(beside);
        let _ = std::fs::remove_file(path);
    }
}
