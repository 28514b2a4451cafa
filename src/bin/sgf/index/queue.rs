//! The way from the threads that read to the one that keeps rows: a short queue of batches.
//!
//! Owns the messages in it, who sends them and who takes them. Refuses to know what rows are kept in.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use sgf_stream::archive::Name;
use sgf_stream::index::{Error, FileEnd, FileSink, Known, Sink, Stamp};
use sgf_stream::record::{GameRecord, Row, Wants};

use crate::index::choose::{Chooser, Opening};
use crate::index::said::Said;
use crate::index::trouble::Troubles;
use crate::progress::{Progress, Told};
use crate::session::{Outcome, Report};
use crate::threads::found::{Flow, Member, Take};

/// This many messages are sent at once: in a folder of small files there are three for each.
const MESSAGES: usize = 256;

/// How many batches wait to be kept.
const QUEUE: usize = 3;

/// A batch with this many games, or this many bytes of them, is sent on its way.
const GAMES: usize = 512;
const BYTES: usize = 2 << 20;

/// Messages to the thread that keeps rows.
pub(super) enum Message {
    Begin {
        /// What the sink knows it by.
        name: String,
        /// Its name in rows, if it is another one.
        in_rows: Option<String>,
        file: Option<(PathBuf, Stamp)>,
    },
    Games(Vec<Game>),
    /// The file has ended; the text says what was wrong with it.
    End(Option<String>),
    /// The file was given up for this reason, and has to be read again.
    GiveUp(String),
}

/// A game on its way.
pub(super) struct Game {
    pub(super) member: Option<Arc<str>>,
    pub(super) number: u64,
    pub(super) record: Box<GameRecord>,
}

/// Games that were kept, and what is said of them at the end.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) games: u64,
    /// Games that the sink itself has dropped, because it had them.
    pub(super) copies: u64,
    /// Games that are not Go, whose positions nobody works out.
    pub(super) without_positions: u64,
}

/// Keeps everything that comes, and counts the games.
pub(super) fn keep(mut sink: impl FileSink, messages: Receiver<Vec<Message>>) -> Result<Kept, Error> {
    let mut file = String::new();
    let mut kept = Kept::default();
    // How many of the next games are kept already; `None` if all are.
    let mut known = Some(0);
    for message in messages.into_iter().flatten() {
        match message {
            Message::Begin { name, in_rows, file: file_of } => {
                let file_of = file_of.as_ref().map(|(path, stamp)| (path.as_path(), stamp));
                known = match sink.begin(&name, file_of)? {
                    Known::All(_) => None,
                    Known::Games(games) => Some(games),
                    _ => Some(0),
                };
                file = in_rows.unwrap_or(name);
            }
            Message::Games(games) => {
                for Game { member, number, record } in games {
                    match &mut known {
                        None => {}
                        Some(0) => {
                            let member = member.as_deref();
                            sink.record(&Row::new(&file, number, &record).member(member))?;
                            kept.games += 1;
                            kept.without_positions +=
                                u64::from(!record.board().may_be_go() && record.moves() > Some(0));
                        }
                        Some(games) => *games -= 1,
                    }
                }
            }
            Message::End(_) | Message::GiveUp(_) if known.is_none() => {}
            Message::End(trouble) => sink.end(trouble.as_deref().map_or(FileEnd::Whole, FileEnd::Troubled))?,
            Message::GiveUp(trouble) => sink.end(FileEnd::GivenUp(&trouble))?,
        }
    }
    sink.finish()?;
    kept.copies = sink.copies();
    kept.games -= kept.copies;
    Ok(kept)
}

/// A sink to which all games are of one file, which nobody has read before.
pub(super) struct Rows<S>(pub(super) S);

impl<S: Sink> Sink for Rows<S> {
    fn wants(&self) -> Wants {
        self.0.wants()
    }

    fn record(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.0.record(row)
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.0.commit()
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.0.finish()
    }
}

impl<S: Sink> FileSink for Rows<S> {
    fn begin(&mut self, _: &str, _: Option<(&Path, &Stamp)>) -> Result<Known, Error> {
        Ok(Known::Nothing)
    }

    fn end(&mut self, _: FileEnd<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn copies(&self) -> u64 {
        0
    }
}

/// Takes the rows and sends them on.
pub(super) struct Feeder<'a> {
    progress: Progress,
    said: &'a mut Said,
    sender: SyncSender<Vec<Message>>,
    /// What is sent next, and how many games are in it, of how many bytes.
    waiting: Vec<Message>,
    waiting_games: usize,
    waiting_bytes: usize,
    /// The identities of the games so far, if no game is kept twice.
    seen: Option<HashSet<u64>>,
    /// The opened file, as long as nothing of it was read.
    next: Option<Opening>,
    troubles: Troubles,
    /// Something of it was not read that may be read another time, although it does not change.
    may_come: bool,
    outcome: Outcome,
    member: Option<Arc<str>>,
    games: Vec<Game>,
    /// How much memory these take.
    bytes: usize,
}

impl<'a> Feeder<'a> {
    /// One end of a queue, and the other. `seen`: no game is kept twice.
    pub(super) fn new(
        progress: Progress,
        seen: Option<HashSet<u64>>,
        said: &'a mut Said,
    ) -> (Self, Receiver<Vec<Message>>) {
        let (sender, receiver) = sync_channel(QUEUE);
        let feeder = Self {
            progress,
            said,
            sender,
            waiting: Vec::new(),
            waiting_games: 0,
            waiting_bytes: 0,
            seen,
            next: None,
            troubles: Troubles::default(),
            may_come: false,
            outcome: Outcome::Fine,
            member: None,
            games: Vec::new(),
            bytes: 0,
        };
        (feeder, receiver)
    }

    fn send(&mut self, message: Message) -> Flow {
        self.waiting.push(message);
        let is_full = self.waiting.len() >= MESSAGES || self.waiting_games >= GAMES || self.waiting_bytes >= BYTES;
        if is_full { self.deliver() } else { ControlFlow::Continue(()) }
    }

    /// Sends on its way what waits for more.
    pub(super) fn deliver(&mut self) -> Flow {
        (self.waiting_games, self.waiting_bytes) = (0, 0);
        if self.waiting.is_empty() {
            return ControlFlow::Continue(());
        }
        match self.sender.send(std::mem::take(&mut self.waiting)) {
            Ok(()) => ControlFlow::Continue(()),
            // The other thread has stopped, and will report why.
            Err(_) => ControlFlow::Break(Err(io::Error::other("rows are not kept any more"))),
        }
    }

    /// Sends the games that wait for more.
    pub(super) fn flush(&mut self) -> Flow {
        let games = std::mem::take(&mut self.games);
        if games.is_empty() {
            return ControlFlow::Continue(());
        }
        self.begin_with(&games)?;
        self.waiting_games += games.len();
        self.waiting_bytes += std::mem::take(&mut self.bytes);
        self.send(Message::Games(games))
    }

    /// Begins the file with these games, if it has not begun.
    fn begin_with(&mut self, games: &[Game]) -> Flow {
        match self.next.take() {
            Some(opening) => {
                let name = opening.name_with(games);
                let in_rows = opening.member.map(|_| opening.name);
                self.send(Message::Begin { name, in_rows, file: opening.file })
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// The file has ended.
    fn end(&mut self) -> Flow {
        self.flush()?;
        let (troubles, outcome) =
            (std::mem::take(&mut self.troubles), std::mem::replace(&mut self.outcome, Outcome::Fine));
        let may_come = std::mem::take(&mut self.may_come);
        if outcome == Outcome::Interrupted {
            // The next run continues here.
            return ControlFlow::Continue(());
        }
        let is_new = match self.next.take() {
            // A pipe without games is not remembered.
            Some(opening) if opening.is_pipe => return ControlFlow::Continue(()),
            // Nor is a file that does not exist.
            Some(opening) if opening.file.is_none() && troubles.are_failures() => return ControlFlow::Continue(()),
            Some(opening) => {
                self.send(Message::Begin { name: opening.name, in_rows: None, file: opening.file })?;
                true
            }
            None => false,
        };
        let is_given_up = troubles.are_failures() && (is_new || may_come);
        let trouble = troubles.into_one().map(|trouble| trouble.to_string());
        // A file that yielded nothing, or may yield more, is tried again in the next run.
        self.send(if is_given_up { Message::GiveUp(trouble.unwrap_or_default()) } else { Message::End(trouble) })
    }
}

impl Take<Chooser> for Feeder<'_> {
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
            self.progress.account().add_copies(1);
            return ControlFlow::Continue(());
        }
        self.bytes += record.memory() + self.member.as_ref().map_or(0, |member| member.len());
        self.games.push(Game { member: self.member.clone(), number, record });
        if self.games.len() >= GAMES || self.bytes >= BYTES { self.flush() } else { ControlFlow::Continue(()) }
    }

    fn note(&mut self, text: &str) {
        self.progress.note(text);
        self.troubles.leave_out(text);
    }

    fn no_game(&mut self, name: &Name, told: Told) {
        self.progress.no_game(name, told);
        self.troubles.lack_game(name.to_string());
    }

    fn done(&mut self) -> Flow {
        self.end()
    }

    /// It is about one file.
    fn report(&mut self, report: &mut Report) {
        self.outcome = self.outcome.max(report.outcome);
        self.may_come |= report.may_come;
        self.troubles.add(report);
        self.said.leave_new(report);
    }

    fn unopened(&mut self) {
        (self.troubles, self.may_come, self.outcome) = (Troubles::default(), false, Outcome::Fine);
    }
}
