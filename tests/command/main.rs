//! The command, by its output and exit codes.

#[path = "../support/archives.rs"]
mod archives;
#[path = "../support/command.rs"]
mod command;
#[path = "../support/rng.rs"]
mod rng;
#[path = "../support/scratch.rs"]
mod scratch;
#[cfg(unix)]
#[path = "../support/terminal.rs"]
mod terminal;
#[cfg(any(feature = "index", unix))]
#[path = "../support/wait.rs"]
mod wait;

mod account;
mod archive;
mod cat;
mod charsets;
mod general;
#[cfg(all(feature = "index", feature = "listen", unix))]
mod help;
#[cfg(feature = "index")]
mod index;
#[cfg(feature = "index")]
mod index_again;
mod list;
#[cfg(all(feature = "listen", unix))]
mod listen;
#[cfg(all(feature = "listen", unix))]
mod listen_operation;
mod problems;
#[cfg(unix)]
mod progress;
#[cfg(all(feature = "index", unix))]
mod readme;
mod rows;
mod threads;
#[cfg(all(feature = "index", windows))]
mod windows;

/// Lets this process heed Ctrl-C, and so those that it starts from here on. If it was started to ignore that, as by a
/// script in the background, they would ignore it too.
#[cfg(unix)]
fn heed_ctrl_c() {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Once};

    use signal_hook::consts::SIGINT;
    use signal_hook::flag::register_conditional_shutdown;

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        register_conditional_shutdown(SIGINT, 130, Arc::new(AtomicBool::new(true))).unwrap();
    });
}

/// Lets the processes that are started from here on heed that their terminal is closed, even if this one was started to
/// outlive that, as by `nohup`. Itself, it goes on as before.
#[cfg(all(feature = "listen", target_os = "linux"))]
fn heed_hangups() {
    use std::sync::{Arc, Once};

    use signal_hook::consts::SIGHUP;

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
        if u64::from_str_radix(ignored.trim(), 16).unwrap() >> (SIGHUP - 1) & 1 == 1 {
            // Programs inherit that a signal is ignored, but no handler.
            signal_hook::flag::register(SIGHUP, Arc::default()).unwrap();
        }
    });
}
