//! What a client is told.
//!
//! Owns the lines of JSON that go back, and the names of what can be wrong beside the problems of SGF. Programs rely on both.

use std::io;

use serde::{Serialize, Serializer};

use crate::listen::GameId;
use crate::syntax::{Position, Problem, ProblemKind};

/// The bytes of the stream that a line answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Place {
    #[serde(flatten, with = "PositionFields")]
    pub(super) position: Position,
    pub(super) length: u64,
}

impl Place {
    /// Before the first byte.
    pub(super) const START: Self = Self { position: Position::START, length: 0 };
}

#[derive(Serialize)]
#[serde(remote = "Position")]
struct PositionFields {
    offset: u64,
    line: u64,
    column: u64,
}

/// Whether more bytes come from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    GoesOn,
    HasEnded,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub(super) enum Answer {
    Accepted {
        #[serde(serialize_with = "digits")]
        id: GameId,
        #[serde(flatten)]
        place: Place,
        new: bool,
        problems: u64,
    },
    Refused {
        problem: &'static str,
        message: &'static str,
        #[serde(flatten)]
        place: Place,
        #[serde(with = "PositionFields")]
        at: Position,
        retry: bool,
    },
}

fn digits<S: Serializer>(id: &GameId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

impl Answer {
    /// Bytes that are not stored because of a problem in them.
    pub(super) fn problem(problem: &Problem, place: Place, stream: Stream) -> Self {
        let kind = match (problem.kind(), stream) {
            // The game was read alone, but another one follows.
            (ProblemKind::UnclosedTree, Stream::GoesOn) => ProblemKind::TruncatedGame,
            (ProblemKind::UnexpectedEof, Stream::GoesOn) => ProblemKind::UnterminatedValue,
            (kind, _) => kind,
        };
        // What the end of the stream cut off may be complete the next time.
        let retry = matches!(kind, ProblemKind::UnclosedTree | ProblemKind::UnexpectedEof);
        let message = match kind {
            // Elsewhere it may also be about a game.
            ProblemKind::LimitProblems => "more bytes between two games than are reported one by one",
            kind => kind.meaning(),
        };
        Self::Refused { problem: kind.name(), message, place, at: problem.position(), retry }
    }

    /// Bytes that are not stored for a reason that is not in them.
    pub(super) fn reason(reason: Reason, place: Place) -> Self {
        let (problem, message) = reason.text();
        Self::Refused { problem, message, place, at: place.position, retry: reason != Reason::Token }
    }

    pub(super) fn write(&self, line: &mut Vec<u8>) -> io::Result<()> {
        serde_json::to_writer(&mut *line, self)?;
        line.push(b'\n');
        Ok(())
    }
}

/// What a game, or the bytes between two, are refused for.
pub(super) const REFUSED: [ProblemKind; 12] = [
    ProblemKind::Junk,
    ProblemKind::UnmatchedClose,
    ProblemKind::UnclosedTree,
    ProblemKind::UnexpectedEof,
    ProblemKind::ValueTooLong,
    ProblemKind::TruncatedGame,
    ProblemKind::UnterminatedValue,
    ProblemKind::LimitDepth,
    ProblemKind::LimitNode,
    ProblemKind::LimitValues,
    ProblemKind::LimitGame,
    ProblemKind::LimitProblems,
];

/// What can be wrong apart from the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Token,
    /// The token is late, which does not say that it is wrong.
    NoToken,
    Connections,
    Idle,
    GameTime,
    Busy,
    Stopping,
    NotStored,
}

impl Reason {
    pub(super) const ALL: [Self; 8] = [
        Self::Token,
        Self::NoToken,
        Self::Connections,
        Self::Idle,
        Self::GameTime,
        Self::Busy,
        Self::Stopping,
        Self::NotStored,
    ];

    /// Its name, and what it means.
    pub(super) const fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Token => ("token", "the first line is not the token"),
            Self::NoToken => ("idle", "the first line, with the token, took too long to come"),
            Self::Connections => ("connections", "there are too many connections"),
            Self::Idle => ("idle", "no game came for too long"),
            Self::GameTime => ("game-time", "the game took too long to come"),
            Self::Busy => ("busy", "others waited for the memory that the game took"),
            Self::Stopping => ("stopping", "the service stops"),
            Self::NotStored => ("not-stored", "the game could not be stored"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(answer: &Answer) -> String {
        let mut line = Vec::new();
        answer.write(&mut line).unwrap();
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn answers_have_the_form_of_the_protocol() {
        let place = Place { position: Position { offset: 10, line: 2, column: 3 }, length: 8 };
        let id = GameId::of(b"(;B[pd])");
        assert_eq!(
            line(&Answer::Accepted { id, place, new: true, problems: 0 }),
            "{\"status\":\"accepted\",\"id\":\"44bec11a0f2c2a84625ed30d055e929b\",\"offset\":10,\"line\":2,\"column\":3,\
             \"length\":8,\"new\":true,\"problems\":0}\n"
        );
        assert_eq!(
            line(&Answer::reason(Reason::Idle, place)),
            "{\"status\":\"refused\",\"problem\":\"idle\",\"message\":\"no game came for too long\",\"offset\":10,\"line\":2,\
             \"column\":3,\"length\":8,\"at\":{\"offset\":10,\"line\":2,\"column\":3},\"retry\":true}\n"
        );
    }
}
