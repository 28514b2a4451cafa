//! Ctrl-C.
//!
//! Owns what the first one does: it sets a flag that loops check between two reads, and a read that waits for a pipe or
//! a terminal gives up. The second one ends the program at once. Refuses to know what there is to save: a loop that
//! finds the flag set ends as if its input did, and its caller reports the interruption.

#[cfg(any(not(unix), test))]
mod ahead;

use std::fs;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
#[cfg(unix)]
use std::time::Duration;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

#[cfg(not(unix))]
pub(crate) use self::ahead::Waiting;

/// What a program killed by Ctrl-C returns to a shell.
pub(crate) const EXIT_CODE: u8 = 130;

static WATCH: OnceLock<Watch> = OnceLock::new();

struct Watch {
    asked: Arc<AtomicBool>,
    /// Contains a byte from the first Ctrl-C on, which nobody takes out, so that all who wait for it are woken.
    #[cfg(unix)]
    woken: io::PipeReader,
}

/// Watches for Ctrl-C from now on, unless the program was started to ignore it, as by a script in the background. Where that is
/// impossible, Ctrl-C ends the program as usual.
pub(crate) fn watch() {
    if !is_ignored(SIGINT)
        && let Ok(watch) = Watch::begin()
    {
        let _ = WATCH.set(watch);
    }
}

/// Whether a signal is ignored, as far as the system tells.
pub(crate) fn is_ignored(signal: i32) -> bool {
    // Elsewhere only an unsafe call would know.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let signals = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let signals = signals.and_then(|signals| u64::from_str_radix(signals.trim(), 16).ok());
    signals.is_some_and(|signals| signals >> (signal - 1) & 1 == 1)
}

/// Whether to stop. It only looks at a flag, and is meant to be called between two reads.
#[inline]
pub(crate) fn is_asked() -> bool {
    WATCH.get().is_some_and(|watch| watch.asked.load(Ordering::Relaxed))
}

/// The error of a read that was waiting when Ctrl-C came.
fn error() -> io::Error {
    io::Error::other("interrupted")
}

impl Watch {
    fn begin() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        // In the order in which they run: the first signal finds the flag unset, and sets it.
        flag::register_conditional_shutdown(SIGINT, EXIT_CODE.into(), Arc::clone(&asked))?;
        flag::register(SIGINT, Arc::clone(&asked))?;
        #[cfg(unix)]
        let woken = {
            let (woken, wake) = io::pipe()?;
            signal_hook::low_level::pipe::register(SIGINT, wake)?;
            woken
        };
        Ok(Self {
            asked,
            #[cfg(unix)]
            woken,
        })
    }
}

/// A source that may keep a reader waiting for ever, until Ctrl-C comes.
#[cfg(unix)]
pub(crate) struct Waiting<R>(pub(crate) R);

#[cfg(unix)]
impl<R> Waiting<R> {
    pub(crate) fn new(source: R) -> Self {
        Self(source)
    }
}

#[cfg(unix)]
impl<R: Read + std::os::fd::AsFd> Read for Waiting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, poll};

        let Some(watch) = WATCH.get() else { return self.0.read(buffer) };
        loop {
            let mut fds = [PollFd::new(&watch.woken, PollFlags::IN), PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) if !fds[0].revents().is_empty() => return Err(error()),
                Err(rustix::io::Errno::INTR) => {}
                // A source that can't be waited for is read at once too.
                Ok(_) | Err(_) => return self.0.read(buffer),
            }
        }
    }
}

#[cfg(unix)]
impl<R: std::os::fd::AsFd> Waiting<R> {
    /// Whether a read would have something to say by then.
    pub(crate) fn is_ready(&self, patience: Duration) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let Ok(patience) = Timespec::try_from(patience) else { return true };
        match WATCH.get() {
            Some(watch) => {
                let mut fds = [PollFd::new(&self.0, PollFlags::IN), PollFd::new(&watch.woken, PollFlags::IN)];
                poll(&mut fds, Some(&patience)) != Ok(0)
            }
            None => poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&patience)) != Ok(0),
        }
    }
}

/// A source for a loop that cannot check the flag: from Ctrl-C on, it fails.
pub(crate) struct Stopping<R>(pub(crate) R);

impl<R: Read> Read for Stopping<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if is_asked() { Err(error()) } else { self.0.read(buffer) }
    }
}
