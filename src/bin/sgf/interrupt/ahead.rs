//! Waiting for a source where the system does not tell whether a read would wait, as on Windows.
//!
//! Owns the thread that waits instead, and that nothing it has read is lost: what comes before an error is delivered before it.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::interrupt::{error, is_asked};

/// How much is read at once. At most three pieces are in memory.
const PIECE: usize = 64 << 10;

/// How long Ctrl-C may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// A source that may keep a reader waiting for ever, until Ctrl-C comes.
pub(crate) struct Waiting<R> {
    /// Until the first read.
    source: Option<R>,
    pieces: Option<Receiver<io::Result<Vec<u8>>>>,
    piece: Vec<u8>,
    /// How much of the piece was read.
    at: usize,
    error: Option<io::Error>,
}

impl<R: Read + Send + 'static> Waiting<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source: Some(source), pieces: None, piece: Vec::new(), at: 0, error: None }
    }

    /// Whether a read would have something to say by then.
    pub(crate) fn is_ready(&mut self, patience: Duration) -> bool {
        self.at < self.piece.len() || self.error.is_some() || self.receive(patience)
    }

    /// Takes the next piece, which is empty at the end, or an error. False if neither has come by then.
    fn receive(&mut self, patience: Duration) -> bool {
        if let Some(source) = self.source.take() {
            let (sender, pieces) = sync_channel(1);
            let thread = thread::Builder::new().name("waiting".to_owned());
            self.error = thread.spawn(move || read_on(source, &sender)).err();
            self.pieces = Some(pieces);
        }
        let next = match self.pieces.as_ref().map(|pieces| pieces.recv_timeout(patience)) {
            Some(Err(RecvTimeoutError::Timeout)) => return false,
            Some(Ok(next)) => next,
            // It has ended.
            Some(Err(RecvTimeoutError::Disconnected)) | None => Ok(Vec::new()),
        };
        self.at = 0;
        self.piece = next.unwrap_or_else(|error| {
            self.error = Some(error);
            Vec::new()
        });
        if self.piece.is_empty() {
            self.pieces = None;
        }
        true
    }
}

impl<R: Read + Send + 'static> Read for Waiting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            if is_asked() {
                return Err(error());
            }
            let has_come = self.error.is_some() || self.receive(PATIENCE);
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if has_come && self.piece.is_empty() {
                return Ok(0);
            }
        }
        let len = buffer.len().min(self.piece.len() - self.at);
        buffer[..len].copy_from_slice(&self.piece[self.at..][..len]);
        self.at += len;
        Ok(len)
    }
}

/// Reads to the end, which is an empty piece, or to an error.
fn read_on(mut source: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut piece = vec![0; PIECE];
        let result = source.read(&mut piece);
        if matches!(&result, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
            continue;
        }
        let is_last = !matches!(result, Ok(1..));
        let piece = result.map(|len| {
            piece.truncate(len);
            piece
        });
        if sender.send(piece).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces as they are sent, then an error.
    struct Sent(Receiver<&'static [u8]>);

    impl Read for Sent {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let piece = self.0.recv().map_err(|_| io::Error::other("gone"))?;
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn everything_is_delivered_before_an_error() {
        let (sender, pieces) = sync_channel(9);
        let mut waiting = Waiting::new(Sent(pieces));
        let mut buffer = [0; 2];
        assert!(!waiting.is_ready(Duration::ZERO));
        sender.send(b"abc").unwrap();
        assert!(waiting.is_ready(Duration::from_secs(60)));
        assert_eq!((waiting.read(&mut buffer).unwrap(), buffer), (2, *b"ab"));
        assert!(waiting.is_ready(Duration::ZERO));
        assert_eq!((waiting.read(&mut buffer).unwrap(), buffer[0]), (1, b'c'));
        assert!(!waiting.is_ready(Duration::ZERO));
        sender.send(b"d").unwrap();
        drop(sender);
        let mut rest = Vec::new();
        assert_eq!(waiting.read_to_end(&mut rest).unwrap_err().to_string(), "gone");
        assert_eq!(rest, b"d");
    }

    #[test]
    fn an_end_that_was_waited_for_is_an_end() {
        let mut waiting = Waiting::new(&b"ab"[..]);
        let mut rest = Vec::new();
        assert_eq!(waiting.read_to_end(&mut rest).unwrap(), 2);
        assert!(waiting.is_ready(Duration::ZERO));
        assert_eq!(waiting.read(&mut [0]).unwrap(), 0);
        let mut failing = Waiting::new(Sent(sync_channel(1).1));
        assert!(failing.is_ready(Duration::from_secs(60)));
        assert_eq!(failing.read(&mut [0]).unwrap_err().to_string(), "gone");
        assert_eq!(failing.read(&mut [0]).unwrap(), 0);
    }
}
