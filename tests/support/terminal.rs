//! A terminal whose screen a test can read.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;
use std::thread::{self, JoinHandle};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Collects what is written to a terminal of 100 columns.
pub(crate) struct Terminal {
    end: File,
    seen: JoinHandle<Vec<u8>>,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: 25, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = std::ffi::OsStr::from_bytes(name.as_bytes());
        let end = OpenOptions::new().read(true).write(true).open(path).unwrap();
        let mut master = File::from(master);
        let seen = thread::spawn(move || {
            let mut seen = Vec::new();
            // Reading a terminal fails when its last other end is closed.
            let _ = master.read_to_end(&mut seen);
            seen
        });
        Self { end, seen }
    }

    /// An end of the terminal for a program.
    pub(crate) fn stdio(&self) -> Stdio {
        self.end.try_clone().unwrap().into()
    }

    /// Everything that was written. Waits until all ends are closed.
    pub(crate) fn seen(self) -> String {
        drop(self.end);
        String::from_utf8(self.seen.join().unwrap()).unwrap().replace("\r\n", "\n")
    }
}
