//! The log of a service, on standard error.
//!
//! Owns the thread that writes it, so that the service never waits for the log's reader: a full disk, or a pipe that is
//! not read or is closed, costs lines of the log and nothing else. Lines that find the queue full are counted, and the
//! log reports their number once it can. Refuses to know what a line says.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How many lines may wait to be written.
const QUEUE: usize = 4096;

/// How long the end of the process waits for lines that are not written yet.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The sending end of the log. Everything written at once is a line.
#[derive(Clone)]
pub(crate) struct Log {
    lines: SyncSender<Vec<u8>>,
    dropped: Arc<AtomicU64>,
    /// How many of the lines taken are not written yet.
    waiting: Arc<AtomicU64>,
}

impl Log {
    /// Starts the thread. `describe_dropped` makes the line that says how many lines were dropped.
    pub(crate) fn start(
        mut out: impl Write + Send + 'static,
        describe_dropped: impl Fn(u64) -> String + Send + 'static,
    ) -> io::Result<Self> {
        let (lines, queue) = sync_channel::<Vec<u8>>(QUEUE);
        let log = Self { lines, dropped: Arc::default(), waiting: Arc::default() };
        let (dropped, waiting) = (Arc::clone(&log.dropped), Arc::clone(&log.waiting));
        let work = move || {
            for line in queue {
                let lost = dropped.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    let _ = writeln!(out, "{}", describe_dropped(lost));
                }
                // If nobody reads the log, nothing is lost.
                let _ = out.write_all(&line);
                waiting.fetch_sub(1, Ordering::Release);
            }
        };
        thread::Builder::new().name("sgf-log".into()).spawn(work)?;
        Ok(log)
    }

    /// Waits until everything is written, but not for ever.
    pub(crate) fn drain(&self) {
        let end = Instant::now() + DRAIN_TIMEOUT;
        while self.waiting.load(Ordering::Acquire) > 0 && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.lines.try_send(line.to_vec()).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Writes a line per permission, and freely once the sender of permissions is dropped.
    struct Slow {
        leave: Receiver<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.leave.recv();
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Log, Sender<()>, Arc<Mutex<Vec<u8>>>) {
        let (give, leave) = channel();
        let written = Arc::new(Mutex::default());
        let out = Slow { leave, written: Arc::clone(&written) };
        (Log::start(out, |lost| format!("{lost} dropped")).unwrap(), give, written)
    }

    #[test]
    fn drain_waits_for_all_lines_in_order() {
        let (mut log, leave, written) = slow();
        drop(leave);
        for number in 0..100 {
            log.write_all(format!("{number}\n").as_bytes()).unwrap();
        }
        log.drain();
        assert!(written.lock().unwrap().ends_with(b"98\n99\n"));
    }

    #[test]
    fn an_unread_log_drops_lines_and_does_not_block() {
        let (mut log, leave, written) = slow();
        let all = QUEUE + 10;
        for _ in 0..all {
            log.write_all(b"x\n").unwrap();
        }
        let begun = Instant::now();
        log.drain();
        assert!(begun.elapsed() >= DRAIN_TIMEOUT);
        drop(leave);
        log.drain();
        log.write_all(b"y\n").unwrap();
        log.drain();
        let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        let dropped: usize =
            written.lines().filter_map(|line| line.strip_suffix(" dropped")?.parse::<usize>().ok()).sum();
        let kept = written.lines().filter(|line| *line == "x").count();
        assert!(dropped >= 9 && kept + dropped == all, "{kept} + {dropped}");
        assert!(written.ends_with("y\n"));
    }

    #[test]
    fn a_failing_output_is_ignored() {
        struct Broken;
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut log = Log::start(Broken, |_| String::new()).unwrap();
        for _ in 0..10 {
            log.write_all(b"x\n").unwrap();
        }
        log.drain();
    }
}
