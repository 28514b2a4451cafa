//! The way from the threads that read to the one that keeps rows: a short queue of batches.
//!
//! Owns the messages in it, who sends them and who takes them, and what is stored of a file's trouble. Refuses to know
//! what rows are kept in.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use sgf_stream::archive::Name;
use sgf_stream::index::{Error, Known, Sink, Stamp};
use sgf_stream::record::{GameRecord, Row};

use crate::found::{Flow, Member, Take};
use crate::index::choose::{Chooser, Opening};
use crate::layout::thousands;
use crate::progress::Progress;
use crate::session::{self, Outcome, Report};

/// How many batches wait to be kept.
const QUEUE: usize = 3;

/// A batch with so many games, or so many bytes of them, is sent on its way.
const GAMES: usize = 512;
const BYTES: usize = 2 << 20;

/// The beginning of a file's stored trouble, if the only trouble is that not all of a game was kept.
pub(super) const LEFT_OUT: &str = "not all is kept: ";

/// The same, if the only trouble is that there is no game in it or in a member of it.
pub(super) const NO_GAME: &str = "no game in ";

/// The end of a stored trouble of which only the first is told.
pub(super) const MORE: &str = " more like this";

/// Messages to the thread that keeps rows.
pub(super) enum Message {
    Begin(String, Option<(PathBuf, Stamp)>),
    Games(Vec<Game>),
    /// The file has ended; the text says what was wrong with it.
    End(Option<String>),
    /// The file was given up for this reason, and has to be read again.
    Stop(String),
}

/// A game on its way.
pub(super) struct Game {
    pub(super) member: Option<Arc<str>>,
    pub(super) number: u64,
    pub(super) record: Box<GameRecord>,
}

/// Keeps everything that comes, and counts the games.
pub(super) fn keep(mut sink: impl Sink, messages: Receiver<Message>) -> Result<u64, Error> {
    let mut file = String::new();
    let mut kept = 0;
    // How many of the next games are kept already; `None` if all are.
    let mut known = Some(0);
    for message in messages {
        match message {
            Message::Begin(name, file_of) => {
                let file_of = file_of.as_ref().map(|(path, stamp)| (path.as_path(), stamp));
                known = match sink.begin(&name, file_of)? {
                    Known::All(_) => None,
                    Known::Games(games) => Some(games),
                    _ => Some(0),
                };
                file = name;
            }
            Message::Games(games) => {
                for Game { member, number, record } in games {
                    match &mut known {
                        None => {}
                        Some(0) => {
                            let member = member.as_deref();
                            sink.record(&Row::new(&file, number, &record).member(member))?;
                            kept += 1;
                        }
                        Some(games) => *games -= 1,
                    }
                }
            }
            Message::End(_) | Message::Stop(_) if known.is_none() => {}
            Message::End(trouble) => sink.end(trouble.as_deref())?,
            Message::Stop(trouble) => sink.stop(&trouble)?,
        }
    }
    sink.finish()?;
    Ok(kept)
}

/// Texts about a file: the first of them, up to a number that still can be looked through, and how many more there are.
#[derive(Default)]
struct Texts<const MOST: usize> {
    first: Vec<String>,
    more: u64,
}

/// Of each member that can't be read, why.
type Failures = Texts<20>;

impl Failures {
    fn add(&mut self, report: &Report) {
        let others = report.messages.iter().filter_map(|message| match message {
            session::Message::Failure { name, reason } => Some(format!("{name}: {reason}")),
            _ => None,
        });
        // It is among those, unless reading was strict.
        let others = others.filter(|other| report.failure.as_ref() != Some(other));
        for text in report.failure.iter().cloned().chain(others) {
            self.add_text(text);
        }
    }
}

impl<const MOST: usize> Texts<MOST> {
    fn add_text(&mut self, text: String) {
        if self.first.len() < MOST { self.first.push(text) } else { self.more += 1 }
    }

    fn are_any(&self) -> bool {
        !self.first.is_empty()
    }

    fn said(self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("{}{MORE}", thousands(self.more)));
        self.first.into_iter().chain(more)
    }
}

/// Takes the rows and sends them on.
pub(super) struct Feeder {
    progress: Progress,
    sender: SyncSender<Message>,
    /// The identities of the games so far, if no game is kept twice.
    seen: Option<HashSet<u64>>,
    /// The opened file, as long as nothing of it was read.
    next: Option<Opening>,
    /// What was wrong with it so far.
    failures: Failures,
    /// Parts of its games that are not kept.
    left_out: Texts<1>,
    /// What has no game.
    no_game: Texts<1>,
    /// Something of it was not read that may be read another time, although it does not change.
    may_come: bool,
    outcome: Outcome,
    member: Option<Arc<str>>,
    games: Vec<Game>,
    /// How much memory these take.
    bytes: usize,
}

impl Feeder {
    /// One end of a queue, and the other. `seen`: no game is kept twice.
    pub(super) fn new(progress: Progress, seen: Option<HashSet<u64>>) -> (Self, Receiver<Message>) {
        let (sender, receiver) = sync_channel(QUEUE);
        let feeder = Self {
            progress,
            sender,
            seen,
            next: None,
            failures: Failures::default(),
            left_out: Texts::default(),
            no_game: Texts::default(),
            may_come: false,
            outcome: Outcome::Fine,
            member: None,
            games: Vec::new(),
            bytes: 0,
        };
        (feeder, receiver)
    }

    /// Takes the report about what comes next, which is about one file.
    pub(super) fn hear(&mut self, report: &Report) {
        self.outcome = self.outcome.max(report.outcome);
        self.may_come |= report.may_come;
        self.failures.add(report);
    }

    fn send(&self, message: Message) -> Flow {
        match self.sender.send(message) {
            Ok(()) => ControlFlow::Continue(()),
            // The other thread has stopped, and will report why.
            Err(_) => ControlFlow::Break(Err(io::Error::other("rows are not kept any more"))),
        }
    }

    /// Sends the games that wait for more.
    pub(super) fn flush(&mut self) -> Flow {
        self.bytes = 0;
        let games = std::mem::take(&mut self.games);
        if games.is_empty() {
            return ControlFlow::Continue(());
        }
        self.begin_with(&games)?;
        self.send(Message::Games(games))
    }

    /// Begins the file with these games, if it has not begun.
    fn begin_with(&mut self, games: &[Game]) -> Flow {
        match self.next.take() {
            Some(opening) => self.send(Message::Begin(opening.name_with(games), opening.file)),
            None => ControlFlow::Continue(()),
        }
    }

    /// The file has ended.
    fn end(&mut self) -> Flow {
        self.flush()?;
        let (failures, outcome) =
            (std::mem::take(&mut self.failures), std::mem::replace(&mut self.outcome, Outcome::Fine));
        let may_come = std::mem::take(&mut self.may_come);
        let remarks = [&mut self.left_out, &mut self.no_game].map(std::mem::take);
        if outcome == Outcome::Interrupted {
            // The next run continues here.
            return ControlFlow::Continue(());
        }
        let is_new = match self.next.take() {
            // A pipe without games is not remembered.
            Some(opening) if opening.is_pipe => return ControlFlow::Continue(()),
            // Nor is a file that does not exist.
            Some(opening) if opening.file.is_none() && failures.are_any() => return ControlFlow::Continue(()),
            Some(opening) => {
                self.send(Message::Begin(opening.name, opening.file))?;
                true
            }
            None => false,
        };
        let is_given_up = failures.are_any() && (is_new || may_come);
        let troubles: Vec<String> = failures.said().chain(remarks.into_iter().flat_map(Texts::said)).collect();
        let trouble = troubles.join("; ");
        // A file that yielded nothing, or may yield more, is tried again in the next run.
        self.send(if is_given_up {
            Message::Stop(trouble)
        } else {
            Message::End(Some(trouble).filter(|it| !it.is_empty()))
        })
    }
}

impl Take<Chooser> for Feeder {
    fn open(&mut self, opening: Opening) -> Flow {
        self.next = Some(opening);
        ControlFlow::Continue(())
    }

    fn begin(&mut self, _file: &Arc<str>, member: Option<&Member>) -> Flow {
        self.member = member.map(|member| Arc::clone(&member.name));
        ControlFlow::Continue(())
    }

    fn game(&mut self, number: u64, (record, identity): (Box<GameRecord>, Option<u64>), _: &[u8]) -> Flow {
        if self.next.as_ref().is_some_and(|next| !next.is_pipe) {
            self.begin_with(&[])?;
        }
        if let (Some(seen), Some(identity)) = (&mut self.seen, identity)
            && !seen.insert(identity)
        {
            self.progress.account().add_copy();
            return ControlFlow::Continue(());
        }
        self.bytes += record.memory();
        self.games.push(Game { member: self.member.clone(), number, record });
        if self.games.len() >= GAMES || self.bytes >= BYTES { self.flush() } else { ControlFlow::Continue(()) }
    }

    fn note(&mut self, text: &str) {
        self.progress.note(text);
        self.left_out.add_text(format!("{LEFT_OUT}{text}"));
    }

    fn no_game(&mut self, name: &Name, is_reported: bool) {
        self.progress.no_game(name, is_reported);
        self.no_game.add_text(format!("{NO_GAME}{name}"));
    }

    fn done(&mut self) -> Flow {
        self.end()
    }

    fn unopened(&mut self) {
        (self.failures, self.may_come, self.outcome) = (Failures::default(), false, Outcome::Fine);
    }
}
