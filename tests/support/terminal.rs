//! A terminal whose screen a test can read.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Collects what is written to a terminal of 100 columns.
pub(crate) struct Terminal {
    end: File,
    seen: Screen,
    reader: JoinHandle<()>,
}

/// What a terminal has shown so far.
#[derive(Clone, Default)]
pub(crate) struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).replace("\r\n", "\n")
    }
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
        let (mut master, seen) = (File::from(master), Screen::default());
        let screen = seen.clone();
        let reader = thread::spawn(move || {
            let mut piece = [0; 4096];
            // Reading a terminal fails when its last other end is closed.
            while let Ok(len @ 1..) = master.read(&mut piece) {
                screen.0.lock().unwrap().extend_from_slice(&piece[..len]);
            }
        });
        Self { end, seen, reader }
    }

    /// An end of the terminal for a program.
    pub(crate) fn stdio(&self) -> Stdio {
        self.end.try_clone().unwrap().into()
    }

    /// What a test can look at while programs run.
    pub(crate) fn screen(&self) -> Screen {
        self.seen.clone()
    }

    /// Everything that was written. Waits until all ends are closed.
    pub(crate) fn seen(self) -> String {
        drop(self.end);
        self.reader.join().unwrap();
        String::from_utf8(self.seen.0.lock().unwrap().clone()).unwrap().replace("\r\n", "\n")
    }
}
