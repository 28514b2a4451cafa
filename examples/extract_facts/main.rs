//! Makes a corpus of bare facts from annotated game records: players, date, place, result, and the moves. Comments,
//! variations, markup and everything else that somebody wrote about a game are left out. It wrote `corpora/pro`.
//!
//! What it shows: one visitor that takes some values and skips all others, and that reads `A (B) C` as the CWI notes do.
//!
//! ```sh
//! cargo run --example extract_facts -- /tmp/facts corpora/pro
//! ```
//!
//! The first argument is the directory to write to, the others are files and directories to read. In directories it
//! takes the games that look like historical professional games (see [`Facts::is_historical`]); from a file given by
//! name it takes every complete game. The same input gives the same output, and no game is written twice.

mod dates;
mod facts;
mod game;
mod output;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use encoding_rs::GB18030;

use facts::Facts;
use game::Record;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let out = args.next().ok_or("usage: extract_facts OUT PATH...")?;
    let mut games = BTreeMap::new();
    for path in args {
        let named = path.is_file();
        for file in files(&path)? {
            for facts in read(&fs::read(&file)?)? {
                if named || facts.is_historical() {
                    keep(&mut games, facts);
                }
            }
        }
    }
    let mut games: Vec<Facts> = games.into_values().collect();
    games.sort();
    output::write(&out, &games)?;
    writeln!(io::stdout(), "{} games", games.len())?;
    Ok(())
}

/// The file itself, or the `.sgf` files below a directory, sorted.
fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The games of a file that are complete and free of damage.
fn read(bytes: &[u8]) -> Result<Vec<Facts>, sgf_stream::Error> {
    let mut records = game::Records::default();
    if let Some(text) = decode(bytes) {
        let _ = sgf_stream::read_slice(text.as_bytes(), &mut records)?;
    }
    Ok(records.games.iter().filter_map(Record::facts).collect())
}

/// Decodes UTF-8, or Chinese text in GB 18030, recognised by its having only Chinese characters and ASCII.
///
/// The file is decoded before it is read, so that no character's second byte can act as a `]`.
fn decode(bytes: &[u8]) -> Option<String> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(text.to_owned());
    }
    let text = GB18030.decode_without_bom_handling_and_without_replacement(bytes)?;
    let chinese = |c: char| {
        matches!(c, '\0'..='\x7F' | '·' | '\u{2000}'..='\u{206F}' | '\u{25A0}'..='\u{25FF}' | '\u{3000}'..='\u{9FFF}')
            || matches!(c, '\u{FF00}'..='\u{FFEF}')
    };
    text.chars().all(chinese).then(|| text.into_owned())
}

/// If two records share their first moves, they are of one game, and the longer one is kept, or else the first.
fn keep(games: &mut BTreeMap<Vec<game::Move>, Facts>, facts: Facts) {
    match games.entry(opening(&facts)) {
        Entry::Occupied(mut kept) if kept.get().moves.len() < facts.moves.len() => {
            kept.insert(facts);
        }
        Entry::Occupied(_) => {}
        Entry::Vacant(free) => {
            free.insert(facts);
        }
    }
}

/// The first moves, in the symmetry that makes them smallest: some records are rotated or mirrored.
fn opening(facts: &Facts) -> Vec<game::Move> {
    let last = b'a' + facts.size - 1;
    let seen_from = |side: u8| {
        let turn = move |[mut column, mut row]: [u8; 2]| {
            if side & 1 != 0 {
                column = b'a' + last - column;
            }
            if side & 2 != 0 {
                row = b'a' + last - row;
            }
            if side & 4 == 0 { [column, row] } else { [row, column] }
        };
        facts.moves.iter().take(40).map(|&(black, point)| (black, point.map(turn))).collect::<Vec<_>>()
    };
    (0..8).map(seen_from).min().unwrap_or_default()
}
