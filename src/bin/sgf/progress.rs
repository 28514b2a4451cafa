//! How far reading has come, on a terminal.
//!
//! Owns the bar and the lines that must not collide with it.

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::thread;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::InputArgs;
use crate::input::{Inputs, Item};
use crate::stderr;

const UNKNOWN: &str = "{spinner} {decimal_bytes}  {decimal_bytes_per_sec}  {elapsed}";
const KNOWN: &str =
    "{wide_bar} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  {decimal_bytes_per_sec}  {eta} left";
const KNOWN_IN_COLOUR: &str = "{wide_bar:.cyan/dim} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  {decimal_bytes_per_sec}  {eta} left";

/// A bar, or nothing where nobody would see it. Clones are the same bar.
#[derive(Clone)]
pub(crate) struct Progress {
    /// A hidden bar would still look at the clock for every file.
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn hidden() -> Self {
        Self { bar: None }
    }

    /// Bytes and rate at once; the time left as soon as it is known how much there is, which a thread finds out while
    /// reading has begun.
    pub(crate) fn new(args: &InputArgs) -> Self {
        if !io::stderr().is_terminal() {
            return Self::hidden();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style(UNKNOWN));
        let measured = bar.clone();
        let args = args.clone();
        thread::spawn(move || {
            if let Some(total) = total(&args) {
                let colours = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
                measured.set_style(style(if colours { KNOWN_IN_COLOUR } else { KNOWN }));
                measured.set_length(total);
            }
        });
        Self { bar: Some(bar) }
    }

    pub(crate) fn advance(&self, bytes: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes as u64);
        }
    }

    /// Writes a line above the bar.
    pub(crate) fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| stderr::line(text)),
            None => stderr::line(text),
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━━─")
}

/// The bytes of all inputs, or `None` where they cannot be known before they are read.
fn total(args: &InputArgs) -> Option<u64> {
    // A list on standard input can be read only once.
    if args.files_from.as_deref() == Some(Path::new("-")) {
        return None;
    }
    let mut total = 0;
    for item in Inputs::new(args, &args.opener(&Progress::hidden())) {
        if let Item::Input(input) = item {
            total += input.len()?;
        }
    }
    Some(total)
}
