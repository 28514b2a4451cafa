//! What is opened.
//!
//! Owns [`Source`]: a plain file, which may be read from any place, or a stream, which is read once; with the bytes that were read
//! of it already, and the member that is wanted of it. Refuses to know formats.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that may be an archive, and how to get at them.
pub struct Source<'a> {
    pub(crate) head: Vec<u8>,
    pub(crate) rest: Rest<'a>,
    pub(crate) member: Option<Arc<str>>,
}

pub(crate) enum Rest<'a> {
    /// A plain file, which can be read from any place. The path leads to further volumes.
    File(File, PathBuf),
    Stream(Box<dyn Read + Send + 'a>),
}

impl<'a> Source<'a> {
    /// A pipe, a socket, bytes in memory: read once, from beginning to end.
    pub fn stream(source: impl Read + Send + 'a) -> Self {
        Self { head: Vec::new(), rest: Rest::Stream(Box::new(source)), member: None }
    }

    /// The source with these bytes put back, which were read from it before.
    #[must_use]
    pub fn with_head(mut self, head: &[u8]) -> Self {
        self.head = head.to_vec();
        self
    }

    /// Of the archive, only the member with this name, as [`Opener::member`](crate::archive::Opener::member) chooses it. That
    /// there is none is an error.
    #[must_use]
    pub fn member(mut self, name: &str) -> Self {
        self.member = Some(name.into());
        self
    }
}

impl Source<'static> {
    /// A plain file, to be read from its beginning (or on, after [`with_head`](Self::with_head)). Other volumes are
    /// looked for beside the path.
    pub fn file(file: File, path: &Path) -> Self {
        Self { head: Vec::new(), rest: Rest::File(file, path.to_path_buf()), member: None }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut source = f.debug_struct("Source");
        match &self.rest {
            Rest::File(_, path) => source.field("path", path),
            Rest::Stream(_) => source.field("stream", &..),
        };
        source.finish_non_exhaustive()
    }
}
