//! What `GameDecoder` makes of a reading.

use std::task::{Context, Poll, Waker};

use futures_util::stream::StreamExt;
use sgf_stream::text::Charset;
use sgf_stream::{Config, Frame, Game, GameDecoder, Position, ProblemKind};
use tokio_util::codec::FramedRead;

use super::chaos::Chaos;
use super::oracle::Record;

/// The frames expected of a `GameDecoder`, in the form that `frames` returns: a game as its position and bytes, a problem as
/// its record.
pub(crate) fn games(input: &[u8], records: &[Record<'_>], recoded: Option<Charset>) -> Vec<String> {
    let unit_len = match recoded {
        Some(Charset::UTF_16LE | Charset::UTF_16BE) => 2,
        Some(Charset::UTF_32LE | Charset::UTF_32BE) => 4,
        _ => 1,
    };
    let mut frames = Vec::new();
    let mut start = None;
    for record in records {
        match record {
            Record::Enter { at, depth: 1, .. } => start = Some(*at),
            Record::Exit { at, depth: 1, implicit } => {
                let from: Position = start.take().expect("a game ends after it began");
                let bytes = &input[from.offset as usize..at.offset as usize + if *implicit { 0 } else { unit_len }];
                frames.push(frame(from, bytes));
            }
            Record::Problem { kind, .. }
                if start.is_none() || matches!(kind, ProblemKind::UnclosedTree | ProblemKind::TruncatedGame) =>
            {
                frames.push(record.to_string());
            }
            _ => {}
        }
    }
    frames
}

fn frame(at: Position, bytes: &[u8]) -> String {
    format!("game {}@{at} {}", at.offset, bytes.escape_ascii())
}

/// Everything that `FramedRead` yields, and the games alone.
pub(crate) fn frames(config: &Config, source: Chaos<'_>, capacity: usize) -> (Vec<String>, Vec<Game>) {
    let mut stream = FramedRead::with_capacity(source, GameDecoder::with_config(config.clone()), capacity);
    let mut context = Context::from_waker(Waker::noop());
    let (mut frames, mut games) = (Vec::new(), Vec::new());
    loop {
        match stream.poll_next_unpin(&mut context) {
            Poll::Pending => {}
            Poll::Ready(None) => return (frames, games),
            Poll::Ready(Some(Ok(Frame::Game(game)))) => {
                frames.push(frame(game.position, &game.bytes));
                games.push(game);
            }
            Poll::Ready(Some(Ok(Frame::Problem(it)))) => {
                let (kind, at, len) = (it.kind(), it.position(), it.span().len());
                frames.push(Record::Problem { kind, at, len }.to_string());
            }
            Poll::Ready(Some(other)) => panic!("{other:?} from GameDecoder"),
        }
    }
}
