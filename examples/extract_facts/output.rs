//! Writing: games of players with names in Latin letters get a file each, the others share one per decade.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use crate::facts::Facts;

pub(crate) fn write(dir: &Path, games: &[Facts]) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for game in games {
        let (plain, own) = file_name(game);
        let mut name = plain.clone();
        // Two players may meet twice on one day.
        let mut number = 2;
        while own && files.contains_key(&name) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        *files.entry(name).or_default() += &sgf(game);
    }
    for (name, text) in files {
        fs::write(dir.join(name + ".sgf"), text)?;
    }
    Ok(())
}

/// The name without extension, and whether the file is for this game alone.
fn file_name(game: &Facts) -> (String, bool) {
    let day = game.date.as_deref().unwrap_or_default().split(',').next().unwrap_or_default();
    let names = format!("{} {} {}", day, game.black.name, game.white.name);
    if names.is_ascii() {
        let words: Vec<String> = names
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        (words.join("-"), true)
    } else if day.len() >= 4 {
        (format!("{}0s", &day[..3]), false)
    } else {
        ("undated".to_owned(), false)
    }
}

fn sgf(game: &Facts) -> String {
    let mut text = format!("(;FF[4]CA[UTF-8]GM[1]SZ[{}]", game.size);
    let mut line = |properties: &[(&str, Option<&str>)]| {
        text.push('\n');
        for (ident, value) in properties {
            if let Some(value) = value {
                let value = value.replace('\\', "\\\\").replace(']', "\\]");
                let _ = write!(text, "{ident}[{value}]");
            }
        }
        let kept = text.trim_end().len();
        text.truncate(kept);
    };
    line(&[("EV", game.event.as_deref()), ("RO", game.round.as_deref())]);
    line(&[("DT", game.date.as_deref()), ("PC", game.place.as_deref())]);
    line(&[("PB", Some(&game.black.name)), ("BR", game.black.rank.as_deref())]);
    line(&[("PW", Some(&game.white.name)), ("WR", game.white.rank.as_deref())]);
    line(&[
        ("KM", game.komi.as_deref()),
        ("HA", game.handicap.as_deref()),
        ("RU", game.rules.as_deref()),
        ("RE", game.result.as_deref()),
    ]);
    if !game.black_stones.is_empty() {
        text += "\nAB";
        for stone in &game.black_stones {
            let _ = write!(text, "[{stone}]");
        }
    }
    for (i, &(black, point)) in game.moves.iter().enumerate() {
        if i % 10 == 0 {
            text.push('\n');
        }
        let color = if black { 'B' } else { 'W' };
        let point = point.map_or(String::new(), |point| point.iter().map(|&byte| char::from(byte)).collect());
        let _ = write!(text, ";{color}[{point}]");
    }
    text + ")\n"
}
