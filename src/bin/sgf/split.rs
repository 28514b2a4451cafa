//! `sgf split`: one file as ranges, or as several files.
//!
//! Owns the names of the files. Where a file may be cut is the library's knowledge.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use sgf_stream::archive::Name;
use sgf_stream::files::NewFile;
use sgf_stream::text::Charset;
use sgf_stream::{Error, GameStarts, StreamCharset, ranges};

use crate::args::SplitArgs;
use crate::input::{SHORTER, format_of, shown};
use crate::interrupt::{self, Stopping};
use crate::progress::{Progress, Told};
use crate::session::{Outcome, Report};
use crate::terminal::stderr::{self, reason};

/// Splits the file. The error is one of standard output; all others are reported here.
pub(crate) fn run(args: &SplitArgs) -> io::Result<Outcome> {
    let (file, len) = match open(&args.path) {
        Ok(open) => open,
        Err(error) => return Ok(failed(shown(&args.path), &error)),
    };
    let progress = Progress::of(args.messages, &args.path, len);
    let file = Counted { file: Stopping(file), progress: progress.clone() };
    let result = match (args.ranges, args.every, &args.to) {
        (Some(parts), ..) => print_ranges(args, file, len, parts),
        (_, Some(games), Some(out)) => write_files(args, file, len, games, out, &progress),
        // The options exclude it.
        _ => Ok(()),
    };
    if result.is_ok() && len > 0 && has_no_game(args) {
        progress.no_game(&Name::new(shown(&args.path)), Told::NotYet);
    }
    progress.finish();
    let outcome = match result {
        Ok(()) => Outcome::Fine,
        Err(Failure::Output(error)) => return Err(error),
        Err(Failure::At(..)) if interrupt::is_asked() => {
            progress.report(&mut Report::stopped(&shown(&args.path), progress.account().bytes()));
            Outcome::Interrupted
        }
        Err(Failure::At(path, error)) => failed(shown(&path), &error),
    };
    progress.account().add_files(1);
    progress.conclude(outcome);
    Ok(outcome)
}

/// Whether the file was read once more without finding a game. In others, one is found near the beginning.
fn has_no_game(args: &SplitArgs) -> bool {
    let file = File::open(&args.path).map(Stopping);
    let first = file.map(|file| GameStarts::with_config(file, args.reading.config()).nth(0));
    matches!(first, Ok(Ok(None)))
}

/// The file, with its bytes counted for the bar.
struct Counted {
    file: Stopping<File>,
    progress: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(buffer)?;
        self.progress.advance(len);
        Ok(len)
    }
}

/// What could not be read or written.
enum Failure {
    At(PathBuf, io::Error),
    /// Standard output.
    Output(io::Error),
}

fn at(path: &Path) -> impl Fn(io::Error) -> Failure {
    move |error| Failure::At(path.to_path_buf(), error)
}

fn failed(path: impl Display, error: &io::Error) -> Outcome {
    stderr::line(&format!("{path}: {}", reason(error)));
    Outcome::Failed
}

/// Opens the file. Only something with a length can be cut into equal parts, and only something that can be read twice
/// can be cut before it is written.
fn open(path: &Path) -> io::Result<(File, u64)> {
    let refused = || io::Error::other("only a plain file can be split");
    if path == Path::new("-") {
        return Err(refused());
    }
    // Opening a pipe would wait for somebody to write to it.
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(refused());
    }
    let mut file = File::open(path)?;
    // Offsets in compressed data are of no use, and in an archive its games lie between other things.
    if format_of(&mut file)?.is_plain() { Ok((file, metadata.len())) } else { Err(refused()) }
}

fn source(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// The charset that the file is recoded from; readers of a part may have to be told.
fn recoded(stream: &StreamCharset) -> Option<Charset> {
    stream.charset().filter(|charset| charset.is_wide() || charset.is_stateful())
}

fn print_ranges(args: &SplitArgs, file: impl Read, len: u64, parts: NonZeroU64) -> Result<(), Failure> {
    let ranges =
        ranges(file, args.reading.config(), len, parts.get()).map_err(|error| at(&args.path)(source(error)))?;
    // Where no cut was searched for, nothing was read.
    if args.path.metadata().map_err(at(&args.path))?.len() < len {
        return Err(at(&args.path)(io::Error::other(SHORTER)));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    for range in ranges {
        let charset = recoded(&range.stream).map_or_else(String::new, |charset| format!("\t{charset}"));
        writeln!(out, "{}\t{}{charset}", range.start.offset, range.len).map_err(Failure::Output)?;
    }
    out.flush().map_err(Failure::Output)
}

fn write_files(
    args: &SplitArgs,
    file: impl Read,
    len: u64,
    games: NonZeroU64,
    out: &Path,
    progress: &Progress,
) -> Result<(), Failure> {
    let path = &args.path;
    fs::create_dir_all(out).map_err(at(out))?;
    // It is known only at a cut that the bytes before it are wanted, so they are read a second time.
    let mut bytes = File::open(path).map_err(at(path))?;
    let mut starts = GameStarts::with_config(file, args.reading.config());
    let names = Names::new(path, len, games);
    let (mut number, mut start) = (1, 0);
    // A file begins with its first game; the first file also has everything before that.
    let mut further = games.get();
    while start < len {
        let next = starts.nth(further).map_err(|error| at(path)(source(error)))?;
        let end = next.map_or(len, |position| position.offset.min(len));
        let name = out.join(names.name(number));
        if name.symlink_metadata().is_ok() {
            return Err(at(&name)(exists()));
        }
        // Nothing would tell half a piece from a whole one, so it has another name until it is whole.
        let piece = NewFile::beside(&name).map_err(at(&name))?;
        if io::copy(&mut (&mut bytes).take(end - start), &mut piece.file()).map_err(at(&name))? < end - start {
            return Err(at(path)(io::Error::other(SHORTER)));
        }
        piece.give_name(&name).map_err(|error| at(&name)(if is_taken(&error) { exists() } else { error }))?;
        further = games.get() - 1;
        start = end;
        number += 1;
    }
    // In UTF-16 and UTF-32, a game's first characters are as good as a mark.
    if let Some(charset) = recoded(&starts.stream()).filter(|charset| charset.is_stateful()) {
        let text = format!("{}: its parts are to be read with --charset {charset}", shown(path));
        progress.note(&text);
    }
    Ok(())
}

fn exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "it exists already")
}

fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Names whose order is that of their numbers.
struct Names {
    stem: OsString,
    digits: usize,
}

impl Names {
    fn new(path: &Path, len: u64, games: NonZeroU64) -> Self {
        // No game is shorter than `(;`, except the last, so there can be no more files than that.
        let most = len / games.get().saturating_mul(2) + 1;
        Self { stem: path.file_stem().unwrap_or(OsStr::new("games")).to_owned(), digits: most.ilog10() as usize + 1 }
    }

    fn name(&self, number: u64) -> OsString {
        let mut name = self.stem.clone();
        name.push(format!("-{number:0digits$}.sgf", digits = self.digits));
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_like_their_numbers() {
        let names = Names::new(Path::new("a/b.c.sgf"), 2 * 999, NonZeroU64::MIN);
        assert_eq!((names.name(1), names.name(1000)), ("b.c-0001.sgf".into(), "b.c-1000.sgf".into()));
        let names = Names::new(Path::new("b"), 2 * 999, NonZeroU64::MAX);
        assert_eq!(names.name(1), "b-1.sgf");
    }

    #[test]
    fn a_piece_takes_no_name_that_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("a-1.sgf");
        let piece = |text: &str| {
            let mut piece = NewFile::beside(&name).unwrap();
            piece.write_all(text.as_bytes()).unwrap();
            piece.give_name(&name)
        };
        piece("(;)").unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"(;)");
        fs::write(&name, "another").unwrap();
        assert!(is_taken(&piece("(;)").unwrap_err()));
        assert_eq!(fs::read(&name).unwrap(), b"another");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
