//! Members for tasks.
//!
//! Owns the way of bytes from an asynchronous source to the thread that unpacks. What is unpacked, and how, is the same
//! as for every other source.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, Empty, ReadBuf, empty};

use crate::archive::arrivals::Arrivals;
use crate::archive::members::Report;
use crate::archive::{Name, Opener, Source};

/// The members of an asynchronous source, in order: what [`Members`](crate::archive::Members) is for blocking ones.
///
/// A thread unpacks them, at most a megabyte ahead. The source is read in the task that awaits the members. No
/// particular runtime is needed. Dropping this ends the thread.
///
/// # Cancel safety
///
/// All state is in this value, so dropping a future loses nothing.
#[must_use = "dropping it ends the thread that unpacks"]
pub struct AsyncMembers<R> {
    source: Option<R>,
    pipe: Arc<Pipe>,
    buffer: Box<[u8]>,
    arrivals: Arrivals,
    /// The next member was asked for, and the rest of the last one may be skipped by now.
    moves_on: bool,
}

/// A member of an archive, or a source that is no archive. What is not read of it is skipped.
///
/// An error of its reader comes after all bytes that could still be read, and ends the member; the next one may be fine.
pub struct AsyncMember<'m, R> {
    members: &'m mut AsyncMembers<R>,
}

impl Opener {
    /// The members of an asynchronous source, such as a connection.
    ///
    /// What a source is shows in its first [`HEAD_LEN`](crate::archive::HEAD_LEN) bytes: of a connection that stays open,
    /// nothing is handed out before they have all come.
    ///
    /// ```
    /// use sgf_stream::AsyncReader;
    /// use sgf_stream::archive::Opener;
    /// # struct Quiet;
    /// # impl sgf_stream::Visitor for Quiet {
    /// #     type Break = std::convert::Infallible;
    /// # }
    /// # async fn read(connection: impl tokio::io::AsyncRead + Unpin) -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut visitor = Quiet;
    /// let mut members = Opener::new().members_async("upload", connection);
    /// while let Some(member) = members.next_member().await {
    ///     match member {
    ///         Ok(member) => {
    ///             let mut reader = AsyncReader::new(member);
    ///             if let Err(error) = reader.read(&mut visitor).await {
    ///                 eprintln!("{error}");
    ///                 // The game in which a damaged member ends.
    ///                 let _ = reader.finish(&mut visitor)?;
    ///             }
    ///         }
    ///         // What can't be read, or a warning: either way, other members may follow.
    ///         Err(report) => eprintln!("{report}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn members_async<R: AsyncRead + Unpin>(&self, name: &str, source: R) -> AsyncMembers<R> {
        let (opener, name, pipe) = (self.clone(), name.to_owned(), Arc::new(Pipe::default()));
        let outlet = PipeReader(Arc::clone(&pipe));
        let arrivals = Arrivals::start(move |queue| {
            let _ = opener.while_open(queue).visit(&name, Source::stream(outlet), queue);
        });
        let buffer = vec![0; Pipe::PIECE].into_boxed_slice();
        AsyncMembers { source: Some(source), pipe, buffer, arrivals, moves_on: false }
    }

    /// The members of a path, as [`open`](Self::open) has them.
    pub fn open_async(&self, path: impl Into<PathBuf>) -> AsyncMembers<Empty> {
        let (opener, path) = (self.clone(), path.into());
        let arrivals = Arrivals::start(move |queue| {
            let _ = opener.while_open(queue).open_on(&path, queue);
        });
        // The thread reads files by itself.
        AsyncMembers { source: Some(empty()), pipe: Arc::default(), buffer: Box::new([0]), arrivals, moves_on: false }
    }
}

impl<R: AsyncRead + Unpin> AsyncMembers<R> {
    /// The next member, or something to report: what can't be read ([`Report::is_error`]), or a warning about what was.
    /// Other members may follow either. `None` at the end.
    pub async fn next_member(&mut self) -> Option<Result<AsyncMember<'_, R>, Report>> {
        let next = poll_fn(|context| self.poll_next(context)).await;
        next.map(|next| next.map(|()| AsyncMember { members: self }))
    }

    /// The last member, until it has been read to its end or the next one was asked for: to go on with it after a future
    /// was dropped that held it. What that future had taken is gone: an [`AsyncReader`](crate::AsyncReader) in it has read
    /// ahead, so make the reader outside, and drop only its [`read`](crate::AsyncReader::read).
    pub fn current(&mut self) -> Option<AsyncMember<'_, R>> {
        (!self.moves_on && self.arrivals.is_inside()).then_some(AsyncMember { members: self })
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<(), Report>>> {
        self.arrivals.leave();
        self.moves_on = true;
        loop {
            if let Some(next) = self.arrivals.next() {
                self.moves_on = next.is_err();
                return Poll::Ready(Some(next));
            }
            self.feed(context);
            match self.arrivals.poll_wait(context) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Hands on what the source has right now, as far as there is room.
    fn feed(&mut self, context: &mut Context<'_>) {
        while let Some(source) = &mut self.source
            && self.pipe.has_room(context)
        {
            let mut space = ReadBuf::new(&mut self.buffer);
            match Pin::new(source).poll_read(context, &mut space) {
                Poll::Pending => return,
                Poll::Ready(Ok(())) if space.filled().is_empty() => self.end(Ok(())),
                Poll::Ready(Ok(())) => self.pipe.put(space.filled()),
                Poll::Ready(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
                Poll::Ready(Err(error)) => self.end(Err(error)),
            }
        }
    }

    fn end(&mut self, result: io::Result<()>) {
        self.source = None;
        self.pipe.end(result);
    }
}

impl<R> Drop for AsyncMembers<R> {
    fn drop(&mut self) {
        // The thread may be waiting for bytes.
        self.pipe.end(Err(ErrorKind::ConnectionAborted.into()));
    }
}

impl<R> fmt::Debug for AsyncMembers<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncMembers").field("begun", &self.arrivals.begun).finish_non_exhaustive()
    }
}

impl<R> AsyncMember<'_, R> {
    /// Its name.
    pub fn name(&self) -> &Name {
        self.members.arrivals.name()
    }
}

impl<R> fmt::Debug for AsyncMember<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncMember").field("name", self.name()).finish_non_exhaustive()
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for AsyncMember<'_, R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let members = &mut *self.members;
        loop {
            if let Some(result) = members.arrivals.read(buffer.initialize_unfilled()) {
                return Poll::Ready(result.map(|len| buffer.advance(len)));
            }
            members.feed(context);
            if members.arrivals.poll_wait(context).is_pending() {
                return Poll::Pending;
            }
        }
    }
}

/// Bytes on their way to the thread.
#[derive(Default)]
struct Pipe {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: VecDeque<u8>,
    end: Option<io::Result<()>>,
    /// The task that waits for room.
    waker: Option<Waker>,
}

impl Pipe {
    const PIECE: usize = 64 << 10;
    const LEN: usize = 256 << 10;

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_room(&self, context: &mut Context<'_>) -> bool {
        let mut state = self.state();
        let has_room = state.bytes.len() < Self::LEN;
        if !has_room {
            state.waker = Some(context.waker().clone());
        }
        has_room
    }

    fn put(&self, bytes: &[u8]) {
        self.state().bytes.extend(bytes);
        self.changed.notify_one();
    }

    /// Ends the pipe; the first end counts.
    fn end(&self, result: io::Result<()>) {
        self.state().end.get_or_insert(result);
        self.changed.notify_one();
    }
}

/// The thread's end of the pipe.
struct PipeReader(Arc<Pipe>);

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wait = |state: &mut State| state.bytes.is_empty() && state.end.is_none();
        let mut state = self.0.changed.wait_while(self.0.state(), wait).unwrap_or_else(PoisonError::into_inner);
        let len = state.bytes.read(buffer)?;
        let waker = state.waker.take();
        let result = match &mut state.end {
            Some(end) if len == 0 && !buffer.is_empty() => std::mem::replace(end, Ok(())).map(|()| 0),
            _ => Ok(len),
        };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        result
    }
}
