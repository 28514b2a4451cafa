//! How far reading has come, for people.
//!
//! Owns the bar, the lines that must not collide with it, and when each is shown. Readers only add to the account; a
//! thread of its own looks at that ten times a second, so that no reader waits for a terminal. What is counted is in `account`;
//! `flood` knows which messages are too many. Refuses to know what the inputs are read for.

pub(crate) mod account;
mod flood;

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::{Args as Group, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use sgf_stream::archive::Name;

use crate::args::InputArgs;
use crate::input::inputs::{Inputs, Item};
use crate::input::shown;
use crate::progress::account::Account;
use crate::progress::flood::Flood;
use crate::session::{Message, Outcome, Report, without_game};
use crate::terminal::layout::{colours, ratio, size, thousands, time};
use crate::terminal::printable;
use crate::terminal::stderr;
use crate::terminal::window::Window;

/// How often the bar is drawn, and how often a line is written where there can be no bar.
const DRAWN: Duration = Duration::from_millis(100);
const WRITTEN: Duration = Duration::from_secs(10);

/// What is shown on standard error besides errors.
#[derive(Clone, Copy, Debug, Group)]
pub(crate) struct MessageArgs {
    /// Show how far reading is, and at the end what was read and what was not; off a terminal in lines, one every ten seconds
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,

    /// Print errors and nothing else on standard error
    #[arg(long, short)]
    quiet: bool,

    /// Under a problem that is reported with its place, show the bytes there
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    window: When,
}

impl MessageArgs {
    /// Whether problems that are written there are shown with their bytes.
    pub(crate) fn shows_windows(self, out: &impl IsTerminal) -> bool {
        self.window == When::Always || self.window == When::Auto && out.is_terminal()
    }

    /// Writes what is not wrong, where nothing is read.
    #[cfg(feature = "index")]
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            stderr::line(text);
        }
    }
}

/// How people learn that there is no game in something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// It was certain when it was read, so the report about it says so.
    ByReport,
    NotYet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// If it goes to a terminal
    Auto,
    /// Wherever it goes
    Always,
    Never,
}

/// What people see of a run. All clones share it.
#[derive(Clone)]
pub(crate) struct Progress {
    account: Arc<Account>,
    face: Option<Arc<Face>>,
    sharing: Sharing,
    ending: Ending,
    quiet: bool,
    flood: Arc<Mutex<Flood>>,
    /// Problems are shown with their bytes.
    windows: bool,
}

/// Whether the output goes to the terminal that shows the progress.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    Never,
    /// From the first output on.
    Later,
    Always,
}

/// When the closing summary is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Always,
    IfLeft,
    Never,
}

/// The display while reading goes on.
struct Face {
    how: How,
    /// The bytes of all inputs; 0 if not known.
    total: AtomicU64,
    ended: Mutex<bool>,
    changed: Condvar,
    /// Whether the bar is visible. A writer holds this lock.
    is_drawn: Mutex<bool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum How {
    Bar(ProgressBar),
    Lines,
}

impl Progress {
    /// For a command that prints once everything is read.
    pub(crate) fn new(args: &InputArgs) -> Self {
        Self::measured(args, Sharing::Never)
    }

    /// For a command that prints while it reads: on one terminal the bar and the output would fight for the cursor.
    pub(crate) fn beside(out: &impl IsTerminal, args: &InputArgs) -> Self {
        Self::measured(args, if out.is_terminal() { Sharing::Always } else { Sharing::Never })
    }

    /// The same, where nobody knows before it is read how much there is.
    pub(crate) fn beside_list(out: &impl IsTerminal, messages: MessageArgs) -> Self {
        Self::with(Account::new(), messages, if out.is_terminal() { Sharing::Always } else { Sharing::Never })
    }

    /// For a command that may read for long before it prints something: there the bar has to [give way](Self::give_way).
    pub(crate) fn before(out: &impl IsTerminal, args: &InputArgs) -> Self {
        Self::measured(args, if out.is_terminal() { Sharing::Later } else { Sharing::Never })
    }

    fn measured(args: &InputArgs, sharing: Sharing) -> Self {
        let progress = Self::with(Account::new(), args.messages, sharing);
        progress.measure(args);
        progress
    }

    /// For one file of that length, whose games are not counted.
    pub(crate) fn of(messages: MessageArgs, path: &Path, total: u64) -> Self {
        let progress = Self::with(Account::without_games(), messages, Sharing::Never);
        progress.begin(&shown(path));
        if let Some(face) = &progress.face {
            face.total.store(total, Ordering::Relaxed);
        }
        progress
    }

    fn with(account: Account, messages: MessageArgs, sharing: Sharing) -> Self {
        let is_seen = io::stderr().is_terminal();
        let account = Arc::new(account);
        let (how, ending) = match messages.progress {
            _ if messages.quiet => (None, Ending::Never),
            When::Never => (None, Ending::Never),
            When::Auto if !is_seen => (None, Ending::Never),
            When::Auto if sharing == Sharing::Always => (None, Ending::IfLeft),
            When::Always if !is_seen || sharing != Sharing::Never => (Some(How::Lines), Ending::Always),
            _ => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                bar.set_style(style(&template(Known::default()), &account));
                (Some(How::Bar(bar)), if sharing == Sharing::Never { Ending::Always } else { Ending::IfLeft })
            }
        };
        let face = how.map(|how| Face::start(how, &account));
        let windows = messages.shows_windows(&io::stderr());
        Self { account, face, sharing, ending, quiet: messages.quiet, flood: Arc::default(), windows }
    }

    /// Finds out how much there is to read, while reading has already begun.
    fn measure(&self, args: &InputArgs) {
        if let Some(face) = &self.face {
            let (face, args) = (Arc::clone(face), args.clone());
            // Without it, there is no telling how much is left.
            let _ = thread::Builder::new()
                .name("total".to_owned())
                .spawn(move || face.total.store(total(&args).unwrap_or(0), Ordering::Relaxed));
        }
    }

    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    pub(crate) fn advance(&self, bytes: usize) {
        self.account.add_bytes(bytes as u64);
    }

    /// This input is read now.
    pub(crate) fn begin(&self, name: &str) {
        if self.face.is_some() {
            self.account.begin(name);
        }
    }

    /// Takes the report about some inputs, and writes its messages.
    pub(crate) fn report(&self, report: &mut Report) {
        self.account.add(report);
        report.outcome.remember();
        for message in report.messages.drain(..) {
            match message {
                Message::Error(text, window) => self.error(&text, window.as_ref()),
                Message::Failure { name, reason } => self.failure(&name, &reason),
                Message::Note(text) => self.note(&text),
                Message::NoGame(text) => self.note_no_game(&text),
            }
        }
    }

    /// Writes that something can't be read, unless there were too many of the kind.
    fn failure(&self, name: &Name, reason: &str) {
        let (before, is_admitted) = self.flood().admits(name.input(), name.member().is_some(), reason);
        for text in before {
            self.line(&text);
        }
        if is_admitted {
            self.line(&format!("{name}: {reason}"));
        }
    }

    /// Notes that something has no game in it, if nothing else does.
    pub(crate) fn no_game(&self, name: &Name, told: Told) {
        match told {
            Told::ByReport => {}
            Told::NotYet => self.note_no_game(&without_game(name)),
        }
    }

    /// Notes what has no game in it, unless there were too many of the kind.
    fn note_no_game(&self, text: &str) {
        let is_admitted = self.flood().admits_no_game();
        if is_admitted {
            self.note(text);
        }
    }

    fn flood(&self) -> MutexGuard<'_, Flood> {
        self.flood.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an error above the bar, and under it the bytes that it is about, if wanted. The first line is always the
    /// same, for programs.
    pub(crate) fn error(&self, text: &str, window: Option<&Window>) {
        match window.filter(|_| self.windows) {
            Some(window) => {
                let window = window.render(colours(&io::stderr()));
                self.write(&format!("{}\n{window}", stderr::message(text)));
            }
            None => self.line(text),
        }
    }

    /// Writes a message above the bar.
    pub(crate) fn line(&self, text: &str) {
        self.write(&stderr::message(text));
    }

    fn write(&self, text: &str) {
        let Some(Face { how: How::Bar(bar), is_drawn, .. }) = self.face.as_deref() else { return stderr::write(text) };
        let is_drawn = is_drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_drawn { bar.suspend(|| stderr::write(text)) } else { stderr::write(text) }
    }

    /// Writes a message about something that is not wrong, unless `--quiet` was given.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.line(text);
        }
    }

    /// Output comes now: a bar on the same terminal ends.
    pub(crate) fn give_way(&self) {
        if let Some(face @ Face { how: How::Bar(_), .. }) = self.face.as_deref()
            && self.sharing == Sharing::Later
        {
            face.end();
        }
    }

    /// Reading has ended: nothing more is drawn.
    pub(crate) fn finish(&self) {
        let (left, without_game) = {
            let mut flood = self.flood();
            (flood.end(), flood.more_without_game())
        };
        for text in left {
            self.line(&text);
        }
        if without_game > 0 {
            self.note(&format!("{} more without a game", thousands(without_game)));
        }
        if let Some(face) = &self.face {
            face.end();
        }
    }

    /// Reports where Ctrl-C has stopped reading, if it has.
    pub(crate) fn report_interruption(&self, outcome: Outcome) {
        if outcome == Outcome::Interrupted {
            stderr::line(&self.account.interruption());
        }
    }

    /// Adds to that report what became of what was read.
    pub(crate) fn conclude_with(&self, text: &str) {
        if self.ending == Ending::Always {
            stderr::line(text);
        }
    }

    /// Reports what was read and what was not, after the output was written.
    pub(crate) fn conclude(&self, outcome: Outcome) {
        self.report_interruption(outcome);
        let not_read = self.account.not_read();
        if self.ending == Ending::Always {
            stderr::line(&self.account.summary());
        }
        if self.ending == Ending::IfLeft
            && let Some(text) = self.account.dropped()
        {
            stderr::line(&text);
        }
        if self.ending != Ending::Never
            && let Some(text) = not_read
        {
            stderr::line(&text);
        }
    }
}

impl Face {
    fn start(how: How, account: &Arc<Account>) -> Arc<Self> {
        let thread = Mutex::new(None);
        let (ended, is_drawn) = (Mutex::new(false), Mutex::new(false));
        let face = Arc::new(Self { how, total: AtomicU64::new(0), ended, changed: Condvar::new(), is_drawn, thread });
        let (shown, account) = (Arc::clone(&face), Arc::clone(account));
        // If there is no thread, there is no bar, and nothing worse.
        let drawer = thread::Builder::new().name("progress".to_owned()).spawn(move || shown.draw(&account)).ok();
        *face.thread.lock().unwrap_or_else(PoisonError::into_inner) = drawer;
        face
    }

    fn draw(&self, account: &Arc<Account>) {
        let pause = if matches!(self.how, How::Bar(_)) { DRAWN } else { WRITTEN };
        let mut known = Known::default();
        loop {
            let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.changed.wait_timeout_while(ended, pause, |ended| !*ended);
            if *waited.unwrap_or_else(PoisonError::into_inner).0 {
                return;
            }
            let total = self.total.load(Ordering::Relaxed);
            match &self.how {
                How::Lines => stderr::line(&written(account, total)),
                How::Bar(bar) => {
                    let mut is_drawn = self.is_drawn.lock().unwrap_or_else(PoisonError::into_inner);
                    *is_drawn = true;
                    let bytes = account.bytes();
                    let now_known = Known { total: total > 0, rate: bytes > 0 };
                    if known != now_known {
                        known = now_known;
                        bar.set_style(style(&template(known), account));
                        if total > 0 {
                            bar.set_length(total);
                        }
                    }
                    let current = printable(&account.current());
                    if bar.message() != current {
                        bar.set_message(current);
                    }
                    bar.set_position(bytes);
                }
            }
        }
    }

    fn end(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A bar that can't be drawn is not worth reporting.
            let _ = thread.join();
            if let How::Bar(bar) = &self.how {
                bar.finish_and_clear();
                *self.is_drawn.lock().unwrap_or_else(PoisonError::into_inner) = false;
            }
        }
    }
}

/// The progress as a line.
fn written(account: &Account, total: u64) -> String {
    let (bytes, elapsed) = (account.bytes(), account.time());
    let rate = ratio(bytes, 1) / elapsed.as_secs_f64().max(1e-6);
    let mut parts = Vec::new();
    if total > 0 {
        parts.push(format!("{:.0} %", 100.0 * ratio(bytes.min(total), total)));
        parts.push(format!("{} of {}", size(bytes), size(total)));
    } else {
        parts.push(size(bytes));
    }
    #[expect(clippy::cast_sign_loss, reason = "a rate is not negative")]
    if bytes > 0 {
        parts.push(format!("{}/s", size(rate as u64)));
    }
    parts.push(format!("{} games", thousands(account.games())));
    if total > bytes && rate >= 1.0 {
        parts.push(format!("{} left", time(Duration::from_secs_f64(ratio(total - bytes, 1) / rate))));
    }
    format!("{}: {}", parts.join(", "), account.current())
}

/// What is known of a run while it reads.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Known {
    /// How much there is to read.
    total: bool,
    /// How fast it is read.
    rate: bool,
}

/// What the bar shows. Before the first byte, nobody knows the rate and the time left.
fn template(known: Known) -> String {
    let (rate, left) = if known.rate { ("  {decimal_bytes_per_sec}", "  {eta} left") } else { ("", "") };
    if !known.total {
        return format!("{{spinner}} {{decimal_bytes}}{rate}  {{games}} games  {{elapsed}}\n{{wide_msg}}");
    }
    // The library would check whether standard output is a terminal.
    let (on, off) = if colours(&io::stderr()) { ("\x1b[36m", "\x1b[0m") } else { ("", "") };
    let bytes = "{percent:>3} %  {decimal_bytes} of {decimal_total_bytes}";
    format!("{on}{{wide_bar}}{off} {bytes}{rate}  {{games}} games{left}\n{{wide_msg}}")
}

fn style(template: &str, account: &Arc<Account>) -> ProgressStyle {
    let account = Arc::clone(account);
    let games = move |_: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = out.write_str(&thousands(account.games()));
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("games", games).progress_chars("━━─")
}

/// The bytes of all inputs, or `None` if they cannot be known before they are read.
fn total(args: &InputArgs) -> Option<u64> {
    if args.lists_once() {
        // Whoever reads it too takes lines from the other.
        return None;
    }
    let mut total = 0;
    for item in Inputs::new(args, &args.opener()) {
        if let Item::Input(input) = item {
            total += input.len()?;
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_what_is_known() {
        let account = Account::new();
        account.begin("a.sgf");
        assert_eq!(written(&account, 3_000), "0 %, 0 B of 3.00 kB, 0 games: a.sgf");
        account.add_bytes(1_500);
        account.add_games(1_234);
        let line = written(&account, 0);
        assert!(line.starts_with("1.50 kB, ") && line.ends_with("/s, 1,234 games: a.sgf"), "{line}");
        let line = written(&account, 3_000);
        assert!(line.starts_with("50 %, 1.50 kB of 3.00 kB, "), "{line}");
        assert!(line.ends_with(" s left: a.sgf"), "{line}");
    }

    #[test]
    fn before_the_first_byte_there_is_no_rate() {
        for is_measured in [false, true] {
            for is_begun in [false, true] {
                let shown = template(Known { total: is_measured, rate: is_begun });
                let has = |what| shown.contains(what);
                assert!(has("{games}") && has("\n{wide_msg}"), "{shown}");
                assert_eq!((has("per_sec"), has("{eta}")), (is_begun, is_begun && is_measured), "{shown}");
            }
        }
    }
}
