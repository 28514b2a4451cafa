//! A file of rows as a store.
//!
//! Owns the file, and its invariant: up to the length that is known to be safe, it contains whole rows, each game once.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::listen::store::{CUT, KnownFile, check_file, sync_directory};
use crate::listen::{Entry, GameId, Store};

/// A file with a JSON object a line, to which rows are added.
///
/// The ids of the games in it are kept in memory, so that a game that is sent again is not stored again: 16 bytes and a
/// little more for each, 20 to 40 MB for a million games. They are read from the file when it is opened, at about the
/// speed of the disk.
///
/// The file is locked while it is open; on Windows, others may read it then, and nothing else. A write that fails is
/// undone before the next one. If somebody has removed the file or put another in its place, as log rotation does,
/// nothing is stored any more, because it would be lost with the file. Nor is anything stored if somebody else has
/// written to the file or cut it short.
#[derive(Debug)]
pub struct NdjsonFile {
    file: File,
    place: KnownFile,
    /// How many bytes are known to be safe.
    len: u64,
    /// A write has failed, so there may be bytes behind `len`.
    is_torn: bool,
    ids: HashSet<GameId>,
}

/// What was found in a file that existed before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Games in it.
    pub games: u64,
    /// Lines that are not rows of games; they stay as they are.
    pub other_lines: u64,
    /// Bytes of an incomplete last line, which was cut off: its writer died, and had not acknowledged it.
    pub cut: u64,
    /// Whether the last game in it is stored itself, as [`Settings::keep_games`](crate::listen::Settings::keep_games)
    /// says; `None` if there is none. A game that comes again keeps the row that it has, whatever the settings are now.
    pub keeps_games: Option<bool>,
}

/// What some editors put at the beginning of a file.
const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// The beginning of a row.
const ROW: &[u8] = b"{\"id\":\"";

/// Whether the system itself puts what is written behind what is there, so that nothing of somebody else is overwritten. A
/// file that was opened so cannot be cut on Windows.
const APPENDS: bool = !cfg!(windows);

/// The length of an id.
const ID_LEN: usize = 32;

impl NdjsonFile {
    /// Opens a file, or creates it.
    ///
    /// # Errors
    ///
    /// Those of the file system; [`io::ErrorKind::WouldBlock`] if another process holds the file;
    /// [`io::ErrorKind::InvalidInput`] for a directory, a pipe or a device, and for a file of something else.
    pub fn open(path: impl AsRef<Path>) -> io::Result<(Self, Found)> {
        let path = path.as_ref();
        check_file(path)?;
        Self::open_with(path, OpenOptions::new().append(APPENDS))
    }

    fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<(Self, Found)> {
        let file = open_alone(path, options.read(true).write(true).create(true).truncate(false))?;
        let place = KnownFile::of(path)?;
        // From here on it is unlocked even if it is refused.
        let mut store = Self { file, place, len: 0, is_torn: false, ids: HashSet::new() };
        let mut lines = Lines::default();
        let mut chunk = vec![0; 256 << 10];
        let mut head = Vec::new();
        loop {
            match (&store.file).read(&mut chunk) {
                Ok(0) => break,
                Ok(len) => {
                    head.extend_from_slice(&chunk[..len.min(Lines::START.saturating_sub(head.len()))]);
                    lines.feed(&chunk[..len]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        // A row is complete even if an editor has dropped the last line end.
        if lines.id().is_some() && is_json(&store.file, lines.whole)? {
            (&store.file).seek(SeekFrom::End(0))?;
            (&store.file).write_all(b"\n")?;
            lines.feed(b"\n");
        }
        let Lines { ids, mut found, whole, last_row, .. } = lines.end();
        // The first row may have been cut off.
        if ids.is_empty() && (whole > 0 || !may_be_row(&head)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it holds something else than games"));
        }
        if found.cut > 0 {
            store.file.set_len(whole)?;
        }
        if let Some(start) = last_row {
            found.keeps_games = has_game(&store.file, start)?;
        }
        // A process that was killed may have left rows in memory only, and a client that sends them again is told that
        // they are stored. So they are synced first.
        store.file.sync_all()?;
        sync_directory(path)?;
        (store.len, store.ids) = (whole, ids);
        Ok((store, found))
    }

    /// The number of stored games.
    pub fn games(&self) -> usize {
        self.ids.len()
    }

    /// Drops bytes behind the rows. A file that somebody else has shortened is not made longer.
    fn cut(&self) -> io::Result<()> {
        if self.file.metadata()?.len() > self.len { self.file.set_len(self.len) } else { Ok(()) }
    }

    fn append(&mut self, rows: &[&[u8]]) -> io::Result<u64> {
        if self.is_torn {
            self.cut()?;
            self.is_torn = false;
        }
        self.place.check()?;
        match self.file.metadata()?.len().cmp(&self.len) {
            Ordering::Less => return Err(io::Error::other(CUT)),
            // After a failed write the file is cut to `len`, which would cut off what somebody else has written.
            Ordering::Greater => {
                return Err(io::Error::other(
                    "somebody else has written to it: nothing more is stored in it until a restart",
                ));
            }
            Ordering::Equal => {}
        }
        // From here on until everything is safe, bytes behind `len` are not reliable.
        self.is_torn = true;
        (&self.file).seek(SeekFrom::Start(self.len))?;
        let mut out = BufWriter::with_capacity(256 << 10, &self.file);
        let mut len = 0;
        for row in rows {
            out.write_all(row)?;
            len += row.len() as u64;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
        self.is_torn = false;
        Ok(len)
    }
}

/// Opens a file that no other process of this kind has open.
#[cfg(not(windows))]
fn open_alone(path: &Path, options: &OpenOptions) -> io::Result<File> {
    use std::fs::TryLockError;

    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(is_held()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens a file that no other process may write to meanwhile. Nobody could read from a file with a lock.
#[cfg(windows)]
fn open_alone(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;

    const FILE_SHARE_READ: u32 = 1;
    const ERROR_SHARING_VIOLATION: i32 = 32;
    options.share_mode(FILE_SHARE_READ).open(path).map_err(|error| match error.raw_os_error() {
        Some(ERROR_SHARING_VIOLATION) => is_held(),
        _ => error,
    })
}

fn is_held() -> io::Error {
    io::Error::new(io::ErrorKind::WouldBlock, "another process holds it")
}

/// Unlocks at once, also a file that was refused: a process that this one is just starting still has the file, and with it the
/// lock, until it runs.
impl Drop for NdjsonFile {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Whether everything from there on is one JSON value.
fn is_json(file: &File, start: u64) -> io::Result<bool> {
    match serde_json::from_reader::<_, IgnoredAny>(text(file, start)?) {
        Err(error) if error.is_io() => Err(error.into()),
        result => Ok(result.is_ok()),
    }
}

/// Whether the row that begins there has the game itself; `None` if it is not JSON.
fn has_game(file: &File, start: u64) -> io::Result<Option<bool>> {
    #[derive(Deserialize)]
    struct Games {
        sgf: Option<IgnoredAny>,
        sgf_base64: Option<IgnoredAny>,
    }
    let mut rows = serde_json::Deserializer::from_reader(text(file, start)?).into_iter::<Games>();
    match rows.next() {
        Some(Err(error)) if error.is_io() => Err(error.into()),
        Some(Ok(row)) => Ok(Some(row.sgf.or(row.sgf_base64).is_some())),
        _ => Ok(None),
    }
}

/// The text from there on, without the mark.
fn text(mut file: &File, start: u64) -> io::Result<BufReader<&File>> {
    file.seek(SeekFrom::Start(start))?;
    let mut text = BufReader::new(file);
    if text.fill_buf()?.starts_with(MARK) {
        text.consume(MARK.len());
    }
    Ok(text)
}

impl Store for NdjsonFile {
    fn commit(&mut self, batch: &[Entry]) -> io::Result<Vec<bool>> {
        let mut fresh = HashSet::new();
        let mut is_new = Vec::with_capacity(batch.len());
        let mut rows: Vec<&[u8]> = Vec::with_capacity(batch.len());
        for entry in batch {
            let new = !self.ids.contains(&entry.id) && fresh.insert(entry.id);
            if new {
                rows.push(&entry.row);
            }
            is_new.push(new);
        }
        if !rows.is_empty() {
            match self.append(&rows) {
                Ok(len) => self.len += len,
                Err(error) => {
                    // Cut at once, so that a reader of the file finds whole rows. If even that fails, the next batch
                    // begins with it.
                    self.is_torn = self.is_torn && self.cut().is_err();
                    return Err(self.place.about(error));
                }
            }
            self.ids.extend(fresh);
        }
        Ok(is_new)
    }
}

/// Whether a row of this store may begin like that.
fn may_be_row(head: &[u8]) -> bool {
    let (mark, rest) = head.split_at(head.len().min(ROW.len()));
    let (id, rest) = rest.split_at(rest.len().min(ID_LEN));
    ROW.starts_with(mark) && id.iter().all(u8::is_ascii_hexdigit) && (rest.is_empty() || rest.starts_with(b"\""))
}

/// Finds the ids in a file that comes in pieces. Memory does not depend on how long its lines are.
#[derive(Default)]
struct Lines {
    ids: HashSet<GameId>,
    found: Found,
    /// Bytes up to the end of the last whole line.
    whole: u64,
    /// Where the last row begins.
    last_row: Option<u64>,
    /// The beginning of the line in progress.
    start: Vec<u8>,
    /// Its length.
    len: u64,
    /// Its last byte that is no white space.
    last: u8,
    /// It has a byte that no JSON contains: a page that was never written.
    has_nul: bool,
}

impl Lines {
    /// Enough of a line to contain its id, however it was written.
    const START: usize = 64;

    fn feed(&mut self, mut chunk: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            self.part(&chunk[..end]);
            self.line();
            chunk = &chunk[end + 1..];
        }
        self.part(chunk);
    }

    fn part(&mut self, part: &[u8]) {
        self.last = part.trim_ascii_end().last().copied().unwrap_or(self.last);
        let missing = Self::START - self.start.len();
        self.start.extend_from_slice(&part[..part.len().min(missing)]);
        self.len += part.len() as u64;
        self.has_nul |= memchr::memchr(0, part).is_some();
    }

    /// The id of the line in progress. A row without its proper end was never finished, whatever comes after it, and
    /// does not count as stored.
    fn id(&self) -> Option<GameId> {
        id(&self.start).filter(|_| self.last == b'}' && !self.has_nul)
    }

    fn line(&mut self) {
        match self.id() {
            Some(id) => {
                self.ids.insert(id);
                self.last_row = Some(self.whole);
                self.found.games += 1;
            }
            None => self.found.other_lines += 1,
        }
        self.whole += self.len + 1;
        self.start.clear();
        (self.len, self.last, self.has_nul) = (0, 0, false);
    }

    fn end(mut self) -> Self {
        self.found.cut = self.len;
        self
    }
}

/// The id that a row begins with.
fn id(row: &[u8]) -> Option<GameId> {
    let row = row.strip_prefix(MARK).unwrap_or(row);
    let rest = row.trim_ascii_start().strip_prefix(b"{")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"id\"")?;
    let rest = rest.trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let (id, rest) = rest.split_at_checked(ID_LEN)?;
    rest.starts_with(b"\"").then_some(())?;
    str::from_utf8(id).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "63ebde83c6ba6f07d64e57fb4d5a0fb2";

    #[test]
    fn an_id_is_found_however_the_row_is_spaced() {
        for row in [format!("{{\"id\":\"{ID}\",\"x\":1}}"), format!(" {{ \"id\" : \"{ID}\"}}")] {
            assert_eq!(id(row.as_bytes()), ID.parse().ok(), "{row}");
        }
        for row in ["", "{}", "{\"id\":\"\"}", "{\"id\":7}", "\"id\":", &format!("{{\"id\":\"{ID}")] {
            assert_eq!(id(row.as_bytes()), None, "{row}");
        }
    }

    #[test]
    fn only_what_may_be_a_row_that_was_cut_off_is_dropped() {
        let row = format!("{{\"id\":\"{ID}\",\"black\":\"x");
        assert!((0..row.len()).all(|len| may_be_row(&row.as_bytes()[..len])));
        for other in ["{\"id\":\"only one object\"}", "{\"id\":7", "{\"name", &format!("{{\"id\":\"{ID}0\"")] {
            assert!(!may_be_row(other.as_bytes()), "{other}");
        }
        let path = std::env::temp_dir().join(format!("sgf-stream-{}-other.ndjson", std::process::id()));
        for other in ["{\"id\":\"abc\",\"x\":1}\n{\"id\":\"de", "{\"id\":\"only one object\"}", "no row\n{\"id\":\"1"] {
            std::fs::write(&path, other).unwrap();
            let error = NdjsonFile::open(&path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{other}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
        }
        std::fs::remove_file(&path).unwrap();
    }

    /// As on Windows.
    #[test]
    fn rows_follow_each_other_where_the_system_does_not_append() {
        let path = std::env::temp_dir().join(format!("sgf-stream-{}-not-appended.ndjson", std::process::id()));
        let [first, second, third] = ["(;B[aa])", "(;B[bb])", "(;B[cc])"].map(|game| {
            let id = GameId::of(game.as_bytes());
            Entry::new(id, format!("{{\"id\":\"{id}\"}}\n").into_bytes())
        });
        let open = || NdjsonFile::open_with(&path, OpenOptions::new().append(false)).unwrap();
        // The first has no line end yet, and the last is not whole.
        std::fs::write(&path, first.row.trim_ascii_end()).unwrap();
        for (entry, rest) in [(&second, &b"{\"id\":\""[..]), (&third, b"")] {
            let (mut store, _) = open();
            assert_eq!(store.commit(&[entry.clone(), first.clone()]).unwrap(), [true, false]);
            // As if a write had failed.
            (&store.file).write_all(rest).unwrap();
            drop(store);
        }
        let rows = [first.row, second.row, third.row].concat();
        assert_eq!(std::fs::read(&path).unwrap(), rows);
        let (mut store, found) = open();
        assert_eq!(found, Found { games: 3, keeps_games: Some(false), ..Found::default() });
        (&store.file).seek(SeekFrom::End(0)).unwrap();
        (&store.file).write_all(b"torn").unwrap();
        store.is_torn = true;
        let more = Entry::new(GameId::of(b"(;)"), b"{}\n".to_vec());
        assert_eq!(store.commit(&[more]).unwrap(), [true]);
        assert_eq!(std::fs::read(&path).unwrap(), [&rows[..], b"{}\n"].concat());
        drop(store);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn lines_are_found_however_the_file_is_cut() {
        let row = format!("{{\"id\":\"{ID}\",\"black\":\"{}\"}}\n", "x".repeat(100));
        let damaged = format!("{{\"id\":\"{}\",\"black\":\"\0\0\"}}\n", "0".repeat(32));
        let file = format!("{row}not a row\n{damaged}{{\"id\":\"1");
        for cut in 0..file.len() {
            let mut lines = Lines::default();
            lines.feed(&file.as_bytes()[..cut]);
            lines.feed(&file.as_bytes()[cut..]);
            let Lines { ids, found, whole, .. } = lines.end();
            assert_eq!(ids.into_iter().collect::<Vec<_>>(), [ID.parse().unwrap()]);
            assert_eq!(found, Found { games: 1, other_lines: 2, cut: 8, keeps_games: None });
            assert_eq!(whole, file.len() as u64 - 8);
        }
    }
}
