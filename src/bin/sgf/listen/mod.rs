//! `sgf listen`: takes games from sockets.
//!
//! Owns what a process adds to the library's service: addresses, signals, the log, and the exit code. Refuses to know how games
//! are received and stored.

pub(crate) mod args;
mod log;

use std::fmt::Display;
use std::fs::File;
use std::future::Future;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sgf_stream::listen::{self, Found, Metrics, NdjsonFile, ServeError, Settings, SettingsError, Store, Token};
use sgf_stream::{Limits, archive};
use tokio::net::{TcpListener, lookup_host};
use tokio::runtime;
use tracing_subscriber::filter::LevelFilter;

use crate::args::IndexFormat;
#[cfg(unix)]
use crate::interrupt;
use crate::listen::args::{ListenArgs, LogFormat, LogLevel};
use crate::listen::log::Log;
use crate::session::Outcome;
use crate::terminal::layout;
use crate::terminal::stderr;

pub(crate) fn run(args: &ListenArgs) -> Outcome {
    let mut log = match log(args) {
        Ok(log) => log,
        Err(error) => {
            stderr::line(&error.to_string());
            return Outcome::Failed;
        }
    };
    let result = start(args);
    if let Err(message) = &result {
        match args.log {
            // In one piece, after everything that was logged.
            LogFormat::Text => {
                let line = format!("{}\n", stderr::message(message));
                let _ = log.write_all(line.as_bytes());
            }
            LogFormat::Json => tracing::error!("{message}"),
        }
    }
    log.drain();
    if result.is_ok() { Outcome::Fine } else { Outcome::Failed }
}

/// An error, preceded by what it is about.
fn about(what: impl Display) -> impl FnOnce(io::Error) -> String {
    move |error| format!("{what}: {}", stderr::reason(&error))
}

fn start(args: &ListenArgs) -> Result<(), String> {
    let settings = settings(args)?;
    settings.check().map_err(|error| {
        let options =
            if matches!(error, SettingsError::Game { .. }) { "--longest-game" } else { "--memory and --connections" };
        format!("{error}; see {options}")
    })?;
    let runtime = runtime::Builder::new_multi_thread().enable_all().build().map_err(about("threads"))?;
    runtime.block_on(async { outlive_long_files() }).map_err(about("signals"))?;
    // What is wrong with these leaves no store behind.
    let listener = runtime.block_on(bind(&args.on, &settings))?;
    let monitor = match &args.metrics {
        None => None,
        Some(metrics) => Some(runtime.block_on(bind(metrics, &settings))?),
    };
    let (store, found) = open(args).map_err(about(args.to.display()))?;
    if let Some(keeps_games) = found.keeps_games.filter(|&keeps_games| keeps_games != args.keep_sgf) {
        // A game that is there already would not be stored as it is wanted now.
        let made = if keeps_games { "with --keep-sgf: give it" } else { "without --keep-sgf: leave it out" };
        return Err(format!("{}: it was made {made}, or write to another file", args.to.display()));
    }
    report_found(&args.to, found);
    #[cfg(unix)]
    allow_files(args.connections.get());
    let result = runtime.block_on(serve(listener, monitor, settings, store));
    // A store that never returns is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(100));
    result
}

/// The store for a file, by its name.
fn open(args: &ListenArgs) -> io::Result<(Box<dyn Store>, Found)> {
    let path = &args.to;
    // In other commands `-` is standard output, which cannot be read again to see what is stored.
    if path.as_path() == Path::new("-") {
        return Err(io::Error::other("it is not a file that games can be kept in"));
    }
    match IndexFormat::by_extension(path) {
        Some(IndexFormat::Sqlite) => {}
        Some(IndexFormat::Ndjson) | None if !is_packed(path) => {
            return NdjsonFile::open(path).map(|(store, found)| (Box::new(store) as Box<dyn Store>, found));
        }
        // Its name would say something else than what is in it.
        _ => {
            let why =
                "games are kept in lines of JSON (.ndjson) or in SQLite (.sqlite), and its name says another format";
            return Err(io::Error::other(why));
        }
    }
    #[cfg(feature = "index")]
    {
        let most = listen::SqliteFile::LONGEST_GAME >> 20;
        if args.keep_sgf && args.longest_game > most {
            let why = format!("with --keep-sgf, a row has room for games of at most {most} MiB: see --longest-game");
            return Err(io::Error::other(why));
        }
        listen::SqliteFile::open(path).map(|(store, found)| (Box::new(store) as Box<dyn Store>, found))
    }
    #[cfg(not(feature = "index"))]
    return Err(io::Error::other("this program was built without the feature `index`, which databases need"));
}

/// Whether a name, as that of a file of rows, says that it is compressed or an archive.
fn is_packed(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().as_encoded_bytes();
    archive::is_misnamed(&[b"0.".as_slice(), extension].concat(), b"{")
}

fn settings(args: &ListenArgs) -> Result<Settings, String> {
    let mut settings = Settings::new();
    let mut limits = Limits::untrusted();
    limits.game = args.longest_game << 20;
    // Whether a bracket closes a text can depend on what comes after the game, which may come at any time.
    settings.config = args.reading.config().limits(limits).repair_brackets(false);
    settings.token = args.token_file.as_deref().map(token).transpose()?;
    settings.keep_games = args.keep_sgf;
    settings.connections = args.connections.get();
    settings.connections_per_address = args.per_address.map(std::num::NonZeroUsize::get);
    settings.memory = args.memory << 20;
    settings.idle = Duration::from_secs(args.idle.get());
    settings.game_time = Duration::from_secs(args.game_time.get());
    settings.grace = Duration::from_secs(args.grace.get());
    Ok(settings)
}

fn token(path: &Path) -> Result<Token, String> {
    let file = File::open(path).map_err(about(path.display()))?;
    let mut line = Vec::new();
    // Just enough to see that it is too long.
    let most = Token::MAX_LEN as u64 + 3;
    BufReader::new(file.take(most)).read_until(b'\n', &mut line).map_err(about(path.display()))?;
    let secret = line.strip_suffix(b"\n").unwrap_or(&line);
    let secret = secret.strip_suffix(b"\r").unwrap_or(secret);
    Token::new(secret).map_err(|error| format!("{}: {error}", path.display()))
}

fn report_found(path: &Path, found: Found) {
    let path = path.display();
    tracing::info!(%path, games = found.games, "file opened");
    if found.cut > 0 {
        tracing::warn!(%path, bytes = found.cut, "incomplete last line removed; it was never acknowledged");
    }
    if found.other_lines > 0 {
        tracing::warn!(%path, lines = found.other_lines, "lines that are no rows of games stay as they are");
    }
}

/// Allows the process to open as many files as its connections take; says so if it may not.
#[cfg(unix)]
fn allow_files(connections: usize) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    /// For those who are turned away and told so, the second port, the store, and what every process has.
    const OTHERS: u64 = 128;
    let needed = OTHERS.saturating_add(connections as u64);
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|files| files >= needed) {
        return;
    }
    limit.current = Some(limit.maximum.map_or(needed, |most| most.min(needed)));
    // If that fails, what is allowed now is not enough either.
    let is_changed = setrlimit(Resource::Nofile, limit).is_ok();
    if !is_changed || limit.current < Some(needed) {
        let files = getrlimit(Resource::Nofile).current;
        tracing::warn!(
            files,
            connections,
            "too few files may be open for so many connections: see ulimit -n, or --connections"
        );
    }
}

async fn serve(
    listener: TcpListener,
    monitor: Option<TcpListener>,
    settings: Settings,
    store: Box<dyn Store>,
) -> Result<(), String> {
    let mut places = format!("listening on {}\n", local(&listener)?);
    let metrics = Arc::new(Metrics::new());
    let monitor = match monitor {
        None => None,
        Some(listener) => {
            places = format!("{places}metrics on http://{}/metrics\n", local(&listener)?);
            Some(tokio::spawn(listen::monitor(listener, Arc::clone(&metrics))))
        }
    };
    let stop = signals().map_err(about("signals"))?;
    // The process that started this one may not read it.
    let _ = io::stdout().write_all(places.as_bytes()).and_then(|()| io::stdout().flush());
    let result = listen::serve(listener, store, settings, metrics, stop).await;
    if let Some(monitor) = monitor {
        monitor.abort();
    }
    result.map_err(|error| match error {
        ServeError::Io(error) => stderr::reason(&error),
        error => error.to_string(),
    })
}

/// Takes an address, wherever its name leads to, if the service may listen there.
async fn bind(text: &str, settings: &Settings) -> Result<TcpListener, String> {
    let addresses: Vec<SocketAddr> = lookup_host(text).await.map_err(about(text))?.collect();
    for address in &addresses {
        settings.check_address(*address).map_err(|error| format!("{address}: {error}; see --token-file"))?;
    }
    TcpListener::bind(&addresses[..]).await.map_err(about(text))
}

fn local(listener: &TcpListener) -> Result<SocketAddr, String> {
    listener.local_addr().map_err(about("the address"))
}

/// Is ready when the process is asked to stop. If asked again, the process stops at once: what was acknowledged is safe
/// at any time. When a terminal is closed, its shell and the system may both say so, so that only other signals ask again.
#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut break_off) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    // Whoever was started to outlive its terminal goes on. Only Linux tells, and elsewhere nobody listens.
    let outlives = !cfg!(target_os = "linux") || interrupt::is_ignored(SignalKind::hangup().as_raw_value());
    let mut hangup = if outlives { None } else { Some(signal(SignalKind::hangup())?) };
    let hung_up = async move {
        match &mut hangup {
            Some(hangup) => {
                hangup.recv().await;
            }
            None => std::future::pending().await,
        }
    };
    Ok(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = break_off.recv() => {}, () = hung_up => {} }
        tokio::spawn(async move {
            tokio::select! { _ = terminate.recv() => {}, _ = break_off.recv() => {} }
            std::process::exit(2);
        });
    })
}

/// Turns a file over the longest length that the process may write into an error, like that of a full disk, instead of
/// the end of the process.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn outlive_long_files() -> io::Result<()> {
    /// The same number on all processors except MIPS, which has no such service to lose.
    const SIGXFSZ: i32 = 25;
    // It does not matter what receives the signal: it no longer kills the process.
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(SIGXFSZ)).map(drop)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is something to do")]
fn outlive_long_files() -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
fn signals() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
        tokio::spawn(async {
            let _ = tokio::signal::ctrl_c().await;
            std::process::exit(2);
        });
    })
}

fn log(args: &ListenArgs) -> io::Result<Log> {
    let level = match args.log_level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let is_colored = layout::colours(&io::stderr());
    let is_json = matches!(args.log, LogFormat::Json);
    let log = Log::start(io::stderr(), move |lost| {
        let text = "lines of the log were dropped, as they could not be written in time";
        if is_json {
            format!(r#"{{"level":"WARN","message":"{text}","lines":{lost}}}"#)
        } else {
            format!("WARN {lost} {text}")
        }
    })?;
    let writer = log.clone();
    // An error of the log would be reported where nobody reads.
    let subscriber =
        tracing_subscriber::fmt().with_max_level(level).with_writer(move || writer.clone()).with_target(false);
    let subscriber = subscriber.log_internal_errors(false);
    match args.log {
        LogFormat::Text => subscriber.with_ansi(is_colored).init(),
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }
    Ok(log)
}
