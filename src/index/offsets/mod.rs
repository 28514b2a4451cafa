//! Where each game of an archive is: a sidecar, through which any game is found at once.
//!
//! Owns the sidecar's name and when it may be trusted: each piece of it by its own hash. What its bytes mean is in `layout`.

mod layout;
mod write;

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::index::{Error, Stamp};
use layout::{ENTRY, Entry, HEAD, Head, KIND, MEMBER, Place};

pub use write::OffsetsWriter;

/// The path of an archive's sidecar: beside the archive, with `.offsets` added to its name.
pub fn sidecar(archive: &Path) -> PathBuf {
    let mut name = archive.as_os_str().to_owned();
    name.push(".offsets");
    PathBuf::from(name)
}

/// An archive and its sidecar, which [`OffsetsWriter`] has made.
///
/// Finding a game takes two reads, whatever its number; the sidecar is never loaded as a whole. Games are numbered from
/// 1 over all members of the archive.
#[derive(Debug)]
pub struct Offsets {
    archive: PathBuf,
    file: File,
    head: Head,
    #[cfg(feature = "archive")]
    limits: crate::archive::Limits,
}

/// Where a game is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameLocation {
    /// The member that it is in, if the archive has members.
    pub member: Option<String>,
    /// Where the member begins in the archive, if its bytes lie there as they are.
    pub start: Option<u64>,
    /// The offset of its first byte in the archive, or in the member, from 0.
    pub offset: u64,
    /// Its length in bytes.
    pub len: u64,
    /// The moves of its [signature](crate::record::Signature), the first 4 bytes of each; `??` for a missing move.
    pub signature: [String; 3],
}

impl Offsets {
    /// Opens the sidecar of an archive; `None` if there is none. `reading` must be the one that it was [made
    /// with](OffsetsWriter::new).
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if the archive has changed since, if the file is not a sidecar, or if it was made with another
    /// reading; [`Error::Io`] if one of them can't be read.
    pub fn open(archive: &Path, reading: &str) -> Result<Option<Self>, Error> {
        let path = sidecar(archive);
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let unusable = |what: fmt::Arguments<'_>| Err(Error::Unusable(format!("{}: {what}", path.display())));
        let mut start = Vec::new();
        (&mut file).take(HEAD as u64).read_to_end(&mut start)?;
        if !start.starts_with(&KIND) {
            return unusable(format_args!("no sidecar, but something else of that name"));
        }
        let mut head = None;
        if let Ok(start) = <[u8; HEAD]>::try_from(start)
            && let Some(len) = Head::reading_len(&start)
        {
            let mut reading = Vec::new();
            (&mut file).take(len as u64).read_to_end(&mut reading)?;
            head = Head::from_bytes(&start, reading);
        }
        let len = file.metadata()?.len();
        let Some(head) = head.filter(|head| head.names_at() <= len) else {
            return Err(damaged(archive));
        };
        if Stamp::of(archive)? != head.stamp {
            return unusable(format_args!("stale, as the archive has changed: rebuild it"));
        }
        let how = match (head.reading.as_str(), reading) {
            (made, wanted) if made == wanted => None,
            (made, "") => Some(format!("with {made}")),
            ("", wanted) => Some(format!("without {wanted}")),
            (made, wanted) => Some(format!("with {made} and not with {wanted}")),
        };
        if let Some(how) = how {
            return unusable(format_args!("made {how}, so that its numbers may be those of other games"));
        }
        let archive = archive.to_path_buf();
        Ok(Some(Self {
            archive,
            file,
            head,
            #[cfg(feature = "archive")]
            limits: crate::archive::Limits::new(),
        }))
    }

    /// Unpacks no more than these limits allow to reach a game.
    #[cfg(feature = "archive")]
    #[must_use]
    pub fn limits(mut self, limits: crate::archive::Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How many games there are.
    pub const fn games(&self) -> u64 {
        self.head.games
    }

    /// Where the game with this number is, counted from 1; `None` if there is no such game.
    ///
    /// # Errors
    ///
    /// The sidecar can't be read, or [`Error::Unusable`] if its entry for the game is damaged.
    pub fn get(&mut self, number: u64) -> Result<Option<GameLocation>, Error> {
        if number == 0 || number > self.head.games {
            return Ok(None);
        }
        let mut bytes = [0; ENTRY];
        self.read(self.head.entries_at() + (number - 1) * ENTRY as u64, &mut bytes)?;
        let entry = Entry::from_bytes(number, &bytes).ok_or_else(|| damaged(&self.archive))?;
        let Entry { offset, len, member, signature } = entry;
        let (member, start) = match u64::from(member).checked_sub(1) {
            Some(member) => self.member(member).map(|(name, start)| (Some(name), start))?,
            None => (None, None),
        };
        let piece = |at: usize| String::from_utf8_lossy(&signature[at..at + 4]).trim_end_matches('\0').to_owned();
        Ok(Some(GameLocation { member, start, offset, len, signature: [piece(0), piece(4), piece(8)] }))
    }

    /// The name of a member, and where it lies.
    fn member(&mut self, member: u64) -> Result<(String, Option<u64>), Error> {
        // Names in archives are limited to far less.
        const MAX_NAME_LEN: u64 = 1 << 20;
        // The entry before it says where its name begins.
        let mut bytes = [0; 2 * MEMBER];
        let at = self.head.members_at() + member.saturating_sub(1) * MEMBER as u64;
        match member {
            0 => self.read(at, &mut bytes[MEMBER..])?,
            _ => self.read(at, &mut bytes)?,
        }
        let [before, own] = [0, MEMBER].map(|at| {
            let mut place = [0; MEMBER];
            place.copy_from_slice(&bytes[at..at + MEMBER]);
            place
        });
        let (start, Place { end, start: place }) = (Place::from_bytes(&before).end, Place::from_bytes(&own));
        let len = end.checked_sub(start).filter(|&len| member < self.head.members && len <= MAX_NAME_LEN);
        let mut name = vec![0; len.ok_or_else(|| damaged(&self.archive))? as usize];
        self.read(self.head.names_at().saturating_add(start), &mut name)?;
        if !Place::is_right(&own, member + 1, &name) {
            return Err(damaged(&self.archive));
        }
        String::from_utf8(name).map(|name| (name, place)).map_err(|_| damaged(&self.archive))
    }

    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.file.seek(SeekFrom::Start(at))?;
        match self.file.read_exact(bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(damaged(&self.archive)),
            result => Ok(result?),
        }
    }

    /// Writes the bytes of a game; `false` if there is no such game.
    ///
    /// In a plain file and in a tar archive, that takes a seek and a read. In a zip archive, the member is unpacked up
    /// to the game, after a pass over the table of contents.
    ///
    /// # Errors
    ///
    /// The sidecar or the archive can't be read, or the output can't be written.
    pub fn copy(&mut self, number: u64, out: &mut dyn Write) -> Result<bool, Error> {
        let Some(game) = self.get(number)? else { return Ok(false) };
        self.copy_from(&game, out).map(|()| true)
    }

    /// Writes the bytes of a game that [`get`](Self::get) has found.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if the archive does not have the game there; [`Error::Io`] if it can't be read, or the output
    /// can't be written.
    pub fn copy_from(&self, game: &GameLocation, out: &mut dyn Write) -> Result<(), Error> {
        match (&game.member, game.start) {
            (Some(member), None) => self.copy_of_member(member, game, out),
            (_, start) => {
                let mut file = File::open(&self.archive)?;
                file.seek(SeekFrom::Start(start.unwrap_or(0).saturating_add(game.offset)))?;
                copy_all(&mut file.take(game.len), game.len, out)
            }
        }
    }

    #[cfg(not(feature = "archive"))]
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn copy_of_member(&self, _: &str, _: &GameLocation, _: &mut dyn Write) -> Result<(), Error> {
        Err(Error::Unusable("members of archives need the feature `archive`".to_owned()))
    }

    #[cfg(feature = "archive")]
    fn copy_of_member(&self, member: &str, game: &GameLocation, out: &mut dyn Write) -> Result<(), Error> {
        use crate::archive::{Opener, Source, temp_dir};
        /// How much of a game waits in memory for the end of the table of contents; the rest waits in a file.
        const IN_MEMORY: usize = 4 << 20;
        let bytes = tempfile::spooled_tempfile_in(IN_MEMORY, temp_dir());
        let mut fetch = Fetch { member, game, bytes, found: 0, result: Ok(()) };
        let source = Source::file(File::open(&self.archive)?, &self.archive);
        let opener = Opener::new().limits(self.limits.clone()).member(member);
        let _ = opener.visit(&self.archive.to_string_lossy(), source, &mut fetch);
        fetch.result?;
        match fetch.found {
            1 => {
                fetch.bytes.rewind()?;
                io::copy(&mut fetch.bytes, out)?;
                Ok(())
            }
            0 => Err(Error::Unusable(format!("there is no member {member}"))),
            _ => Err(Error::Unusable(format!("there are several members {member}"))),
        }
    }
}

/// The error for a sidecar that is not as it was written.
fn damaged(archive: &Path) -> Error {
    Error::Unusable(format!("{}: damaged, or of another version: rebuild it", sidecar(archive).display()))
}

fn copy_all(from: &mut dyn Read, len: u64, out: &mut dyn Write) -> Result<(), Error> {
    if io::copy(from, out)? == len {
        Ok(())
    } else {
        Err(Error::Unusable("the archive ends within the game".to_owned()))
    }
}

/// Takes the game out of its member. It is handed on once it is known that no other member has the same name.
#[cfg(feature = "archive")]
struct Fetch<'a> {
    member: &'a str,
    game: &'a GameLocation,
    bytes: tempfile::SpooledTempFile,
    found: u32,
    result: Result<(), Error>,
}

#[cfg(feature = "archive")]
impl crate::archive::Visit for Fetch<'_> {
    fn member(&mut self, name: &crate::archive::Name, bytes: &mut dyn Read) -> std::ops::ControlFlow<()> {
        if name.member() == Some(self.member) {
            self.found += 1;
            if self.found == 1 {
                let GameLocation { offset, len, .. } = *self.game;
                self.result = io::copy(&mut bytes.take(offset), &mut io::sink())
                    .map_err(Error::from)
                    .and_then(|_| copy_all(&mut bytes.take(len), len, &mut self.bytes));
            }
        }
        std::ops::ControlFlow::Continue(())
    }

    fn trouble(&mut self, _: &crate::archive::Name, trouble: crate::archive::Trouble) -> std::ops::ControlFlow<()> {
        // The error in place of the member, unless the member still comes.
        if let (crate::archive::Trouble::Error(error), 0) = (trouble, self.found) {
            self.result = Err(Error::Io(error.into()));
        }
        std::ops::ControlFlow::Continue(())
    }
}
