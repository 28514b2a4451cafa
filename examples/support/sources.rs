//! The inputs of an example: the named files and directories, `-` for standard input, or by default the games that come
//! with the library.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sgf_stream::{Reader, Visitor};

const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/pro");

/// The paths among the arguments; named flags set numbers, which are at least 1. `None` for wrong arguments.
pub(crate) fn arguments(numbers: &mut [(&str, &mut usize)]) -> Option<Vec<String>> {
    let mut paths = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if let Some((_, number)) = numbers.iter_mut().find(|(flag, _)| *flag == word) {
            **number = words.next()?.parse().ok().filter(|number| *number > 0)?;
        } else if word.len() > 1 && word.starts_with('-') {
            return None;
        } else {
            paths.push(word);
        }
    }
    Some(paths)
}

/// Reports an error; `None` stands for wrong arguments.
pub(crate) fn exit(usage: &str, result: Option<Result<(), Box<dyn Error>>>) -> ExitCode {
    match result {
        Some(Ok(())) => return ExitCode::SUCCESS,
        Some(Err(error)) => eprintln!("{error}"),
        None => eprintln!("{usage}"),
    }
    ExitCode::from(2)
}

/// Reads all sources in order with one visitor, whose breaks are ignored, in constant memory.
pub(crate) fn read<V: Visitor>(paths: &[String], visitor: &mut V) -> Result<(), Box<dyn Error>> {
    let default = [DEFAULT.to_owned()];
    for path in if paths.is_empty() { &default } else { paths } {
        if path == "-" {
            stream(io::stdin().lock(), visitor).map_err(|error| format!("standard input: {error}"))?;
            continue;
        }
        for file in files(Path::new(path)).map_err(|error| format!("{path}: {error}"))? {
            let named = |error: &dyn Error| format!("{}: {error}", file.display());
            let source = File::open(&file).map_err(|error| named(&error))?;
            stream(source, visitor).map_err(|error| named(&error))?;
        }
    }
    Ok(())
}

fn stream<V: Visitor>(source: impl Read, visitor: &mut V) -> Result<(), sgf_stream::Error> {
    let mut reader = Reader::new(source);
    while reader.read(visitor)?.is_break() {}
    Ok(())
}

/// A file itself, or the `.sgf` files below a directory, sorted.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut files, mut dirs) = (Vec::new(), vec![path.to_owned()]);
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let is_sgf = entry.path().extension().is_some_and(|it| it.eq_ignore_ascii_case("sgf"));
            match entry.file_type()? {
                kind if kind.is_dir() => dirs.push(entry.path()),
                kind if kind.is_file() && is_sgf => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Prints; a closed output is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::Write::write_all(&mut io::stdout().lock(), text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
