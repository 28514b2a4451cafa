//! When `AsyncReader` delivers events. The events themselves are compared by `support::check`.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::time::Duration;

use sgf_stream::{AsyncReader, Error, Node, Step, Value, Visitor};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};

/// Sends every value.
struct Values(mpsc::Sender<Vec<u8>>);

impl Visitor for Values {
    type Break = std::convert::Infallible;

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Self::Break> {
        self.0.send(value.raw().to_vec()).expect("the test listens");
        ControlFlow::Continue(())
    }
}

#[tokio::test]
async fn an_event_does_not_wait_for_more_bytes() {
    let (mut client, server) = tokio::io::duplex(64);
    let (sender, values) = mpsc::channel();
    let reading = tokio::spawn(async move { AsyncReader::new(server).read(&mut Values(sender)).await });
    for piece in ["(;B[pd]", ";W[d", "d]", "C[x])"] {
        client.write_all(piece.as_bytes()).await.unwrap();
        // On one thread the reader runs whenever the test yields; ten times is more than enough.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let expected: Option<&[u8]> = match piece {
            "(;B[pd]" => Some(b"pd"),
            "d]" => Some(b"dd"),
            "C[x])" => Some(b"x"),
            _ => None,
        };
        assert_eq!(values.try_recv().ok().as_deref(), expected, "after {piece}");
    }
    drop(client);
    assert!(reading.await.unwrap().unwrap().is_continue());
}

/// A source that hands out `pieces` one by one, is never pending, and counts how often it was read.
struct Ready {
    pieces: Vec<&'static [u8]>,
    asked: usize,
}

impl AsyncRead for Ready {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        self.asked += 1;
        if !self.pieces.is_empty() {
            buf.put_slice(self.pieces.remove(0));
        }
        Poll::Ready(Ok(()))
    }
}

/// Breaks at every node.
struct Nodes;

impl Visitor for Nodes {
    type Break = ();

    fn node(&mut self, _: Node) -> ControlFlow<(), Step> {
        ControlFlow::Break(())
    }
}

#[tokio::test]
async fn ready_bytes_are_one_chunk_and_a_break_keeps_the_rest() {
    let source = Ready { pieces: vec![b"(;B[a", b"a];W", b"[bb];", b"B[cc])"], asked: 0 };
    let mut reader = AsyncReader::new(source);
    for offset in [2, 8, 14] {
        assert!(reader.read(&mut Nodes).await.unwrap().is_break());
        assert_eq!(reader.position().offset, offset);
    }
    assert!(reader.read(&mut Nodes).await.unwrap().is_continue());
    assert_eq!(reader.into_inner().asked, 5);
}

impl AsyncBufRead for Ready {
    fn poll_fill_buf(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<&[u8]>> {
        let this = self.get_mut();
        this.asked += 1;
        Poll::Ready(Ok(this.pieces.first().copied().unwrap_or_default()))
    }

    fn consume(mut self: Pin<&mut Self>, len: usize) {
        let rest = &self.pieces.remove(0)[len..];
        if !rest.is_empty() {
            self.pieces.insert(0, rest);
        }
    }
}

#[tokio::test]
async fn buffered_bytes_are_read_in_place_and_a_break_leaves_the_rest() {
    let source = Ready { pieces: vec![b"(;B[aa]", b";W[bb];", b"B[cc];W[dd])"], asked: 0 };
    let mut reader = AsyncReader::new(source);
    for offset in [2, 8, 14] {
        assert!(reader.read_buffered(&mut Nodes).await.unwrap().is_break());
        assert_eq!(reader.position().offset, offset);
    }
    let Ready { pieces, asked } = reader.into_inner();
    // Once for each node, and once more for the rest of the first piece.
    assert_eq!((pieces, asked), (vec![&b"B[cc];W[dd])"[..]], 4));
}

#[tokio::test]
async fn bytes_read_ahead_come_before_those_in_the_buffer() {
    let source = Ready { pieces: vec![b"(;B[aa]", b";W[bb];", b"B[cc];W[dd])"], asked: 0 };
    let mut reader = AsyncReader::new(source).buffer_len(14);
    let (sender, values) = mpsc::channel();
    assert!(reader.read(&mut Nodes).await.unwrap().is_break());
    assert!(reader.read_buffered(&mut Values(sender)).await.unwrap().is_continue());
    assert_eq!(values.try_iter().collect::<Vec<_>>(), [b"aa", b"bb", b"cc", b"dd"]);
}

/// Fails once, then goes on.
struct Flaky(Vec<Option<&'static [u8]>>);

impl AsyncRead for Flaky {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        match self.0.pop() {
            Some(Some(piece)) => buf.put_slice(piece),
            Some(None) => return Poll::Ready(Err(std::io::ErrorKind::TimedOut.into())),
            None => {}
        }
        Poll::Ready(Ok(()))
    }
}

/// Its own buffer is empty.
impl AsyncBufRead for Flaky {
    fn poll_fill_buf(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<&[u8]>> {
        Poll::Ready(Ok(&[]))
    }

    fn consume(self: Pin<&mut Self>, _: usize) {}
}

#[tokio::test]
async fn an_error_met_while_reading_ahead_comes_from_read_buffered_too() {
    let (sender, values) = mpsc::channel();
    let mut visitor = Values(sender);
    let mut reader = AsyncReader::new(Flaky(vec![None, Some(b"(;B[aa])")]));
    assert!(reader.read(&mut Nodes).await.unwrap().is_break());
    assert!(matches!(reader.read_buffered(&mut visitor).await, Err(Error::Io(_))));
    assert_eq!(values.try_iter().collect::<Vec<_>>(), [b"aa"]);
    assert!(reader.read_buffered(&mut visitor).await.unwrap().is_continue());
}

#[tokio::test]
async fn a_failing_source_loses_nothing() {
    let (sender, values) = mpsc::channel();
    let mut visitor = Values(sender);
    let mut reader = AsyncReader::new(Flaky(vec![Some(b"b])"), None, Some(b"(;B[a"), None]));
    for _ in 0..2 {
        assert!(matches!(reader.read(&mut visitor).await, Err(Error::Io(_))));
    }
    assert!(reader.read(&mut visitor).await.unwrap().is_continue());
    assert_eq!(values.try_iter().collect::<Vec<_>>(), [b"ab"]);
}

#[tokio::test]
async fn an_input_ends_where_its_reader_is_told() {
    let (mut client, server) = tokio::io::duplex(64);
    let (sender, values) = mpsc::channel();
    let mut visitor = Values(sender);
    let mut reader = AsyncReader::new(server);
    client.write_all(b"(;B[aa];W[bb").await.unwrap();
    tokio::time::timeout(Duration::from_millis(10), reader.read(&mut visitor)).await.expect_err("it is open");
    client.write_all(b"];B[cc])").await.unwrap();
    assert!(reader.finish(&mut visitor).unwrap().is_continue());
    assert_eq!(reader.parser().depth(), 0);
    assert!(reader.read(&mut visitor).await.unwrap().is_continue());
    assert_eq!(values.try_iter().collect::<Vec<_>>(), [b"aa"]);
    reader.get_mut().write_all(b"late").await.unwrap();
    client.read_exact(&mut [0; 4]).await.unwrap();
}

#[tokio::test]
async fn what_was_read_ahead_comes_before_the_end() {
    let (sender, values) = mpsc::channel();
    let mut visitor = Values(sender);
    let mut reader = AsyncReader::new(Flaky(vec![Some(b"never read"), None, Some(b"(;B[aa];W[bb]")]));
    assert!(reader.read(&mut Nodes).await.unwrap().is_break());
    // The source has failed behind the bytes that it gave.
    assert!(matches!(reader.finish(&mut visitor), Err(Error::Io(_))));
    assert_eq!(values.try_iter().collect::<Vec<_>>(), [b"aa", b"bb"]);
    assert!(reader.finish(&mut visitor).unwrap().is_continue());
    assert_eq!((reader.parser().depth(), reader.get_ref().0.len()), (0, 1));
}
