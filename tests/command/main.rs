//! The command, by its output and exit codes.

#[path = "../support/archives.rs"]
mod archives;
#[path = "../support/command.rs"]
mod command;
#[path = "../support/rng.rs"]
mod rng;
#[cfg(unix)]
#[path = "../support/terminal.rs"]
mod terminal;

mod account;
mod archive;
mod charsets;
mod general;
#[cfg(feature = "index")]
mod index;
#[cfg(feature = "index")]
mod index_again;
mod list;
#[cfg(all(feature = "listen", unix))]
mod listen;
#[cfg(unix)]
mod progress;
#[cfg(all(feature = "index", unix))]
mod readme;
mod rows;
mod threads;
